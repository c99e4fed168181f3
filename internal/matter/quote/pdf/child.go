package pdf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"merve/internal/base/fault"
	"merve/internal/matter/quote/ocr"
)

// What the process that takes a PDF apart may use. The largest PDF that is read needs half of the memory, and seconds.
const (
	mostTime   = 30 * time.Second
	mostMemory = 512 << 20                                     // on top of what the program itself takes
	mostOutput = ocr.MaxPages * (ocr.MaxBytes + 1<<10) * 4 / 3 // its pages, in base64
)

// childEnv marks a process that takes a PDF apart and does nothing else.
const childEnv = "MERVE_PDF_CHILD"

// answer is what that process says: one for each page, or why there are none.
type answer struct {
	Sheet          ocr.Sheet
	Kind           fault.Kind // "": it has a page
	Message, Cause string
}

// A process that [Split] started never reaches main. This stands here and not in main, since a program that forgot it
// would start itself again and again.
func init() {
	api.DisableConfigDir() // the parser would write settings of its own to the home directory, which a function has not got
	if os.Getenv(childEnv) == "" {
		return
	}
	if err := answerParent(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// answerParent takes apart the PDF of the standard input.
func answerParent() error {
	if err := bound(); err != nil {
		return err
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	sheets, err := split(data)
	if err != nil {
		message, _ := fault.Public(err)
		return out.Encode(answer{Kind: fault.KindOf(err), Message: message, Cause: fmt.Sprint(errors.Unwrap(err))})
	}
	for _, s := range sheets {
		if err := out.Encode(answer{Sheet: s}); err != nil {
			return err
		}
	}
	return nil
}

// bound has the kernel end this process where it takes more memory or time than it may.
func bound() error {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	fields := strings.Fields(string(statm))
	if len(fields) < 6 {
		return fmt.Errorf("statm: %q", statm)
	}
	pages, err := strconv.ParseUint(fields[5], 10, 64)
	if err != nil {
		return fmt.Errorf("statm: %w", err)
	}
	debug.SetMemoryLimit(mostMemory * 3 / 4) // rather collect garbage than die
	for resource, most := range map[int]uint64{
		syscall.RLIMIT_DATA: pages*uint64(os.Getpagesize()) + mostMemory,
		syscall.RLIMIT_CPU:  uint64(mostTime / time.Second), // were its parent to die
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("setrlimit: %w", err)
		}
	}
	return nil
}

// Split makes each page of a PDF a PDF of its own. It refuses what has more than [ocr.MaxPages], what needs a password
// and what cannot be read within bounds.
func Split(ctx context.Context, data []byte) ([]ocr.Sheet, error) {
	return splitWithin(ctx, data, mostTime)
}

func splitWithin(ctx context.Context, data []byte, most time.Duration) ([]ocr.Sheet, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("split PDF: %w", err)
	}
	within, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(within, program)
	cmd.Env = []string{childEnv + "=1"} // and no secret of this process
	cmd.Stdin, cmd.Stderr = bytes.NewReader(data), &stderr
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("split PDF: %w", err)
	}
	sheets, heard := hear(io.LimitReader(out, mostOutput))
	if heard != nil {
		cancel() // it may have more to say than is heard
	}
	ended := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("split PDF: %w", ctx.Err())
	case errors.Is(within.Err(), context.DeadlineExceeded):
		return nil, fault.New(fault.TooLarge, "the PDF takes longer than %d seconds to read", int(most.Seconds()))
	case heard != nil:
		return nil, heard
	case ended != nil:
		return nil, fault.Wrap(fmt.Errorf("%w: %.200s", ended, stderr.String()), fault.Invalid, "the PDF is damaged")
	}
	return sheets, nil
}

// hear takes the answers of the process until it ends. An error is its refusal, or means that it failed.
func hear(out io.Reader) (sheets []ocr.Sheet, err error) {
	for said := json.NewDecoder(out); ; {
		var a answer
		switch err := said.Decode(&a); {
		case errors.Is(err, io.EOF):
			return sheets, nil
		case err != nil:
			return nil, fault.Wrap(err, fault.Invalid, "the PDF is damaged")
		case a.Kind != "":
			return nil, fault.Wrap(errors.New(a.Cause), a.Kind, "%s", a.Message)
		}
		sheets = append(sheets, a.Sheet)
	}
}
