package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"merve/internal/base/fault"
)

// Tesseract reads pages by the program of that name.
type Tesseract struct{}

// What tesseract may use for a page.
const (
	readTime   = 60 * time.Second
	readMemory = 2 << 20 // KB
	enlarge    = 2500    // a page of a longer side is large enough as it is
)

// Read finds the words of a page.
func (Tesseract) Read(ctx context.Context, page *image.Gray) ([]Word, error) {
	if max(page.Rect.Dx(), page.Rect.Dy()) < enlarge {
		page = twice(page)
	}
	drawn, err := encode(page)
	if err != nil {
		return nil, err
	}
	tsv, err := run(ctx, readTime, readMemory, drawn, "tesseract", "-", "-", "--psm", "4", "-l", "eng+tur+ell+heb", "tsv")
	if err != nil {
		return nil, err
	}
	return wordsOf(string(tsv)), nil
}

// wordsOf reads tesseract's table: level, page, block, paragraph, line, word, left, top, width, height, confidence, text.
func wordsOf(tsv string) []Word {
	const wordLevel, columns = "5", 12
	var words []Word
	for line := range strings.Lines(tsv) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(cells) != columns || cells[0] != wordLevel || strings.TrimSpace(cells[11]) == "" {
			continue
		}
		var box [4]int
		for i := range box {
			box[i], _ = strconv.Atoi(cells[6+i]) // a word without a place stands at the top
		}
		confidence, err := strconv.ParseFloat(cells[10], 64)
		if err != nil {
			confidence = 0
		}
		words = append(words, Word{
			Text: cells[11], Box: image.Rect(box[0], box[1], box[0]+box[2], box[1]+box[3]), Confidence: max(0, confidence/100),
		})
	}
	return words
}

// run runs a program with bounds on its time and its memory (in KB), and returns what it prints.
func run(ctx context.Context, most time.Duration, memory int, input []byte, name string, args ...string) ([]byte, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "%s is not installed here", name)
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	bounded := fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory)
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", bounded, path}, args...)...)
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1") // its threads cost more than they gain
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fault.New(fault.TooLarge, "the file takes longer than %d seconds to read", int(most.Seconds()))
	case err != nil:
		return nil, fmt.Errorf("%s: %w: %.200s", name, err, stderr.String())
	}
	return out, nil
}
