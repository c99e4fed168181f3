package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"merve/internal/base/pause"
)

// tour is one document that is run.
type tour struct {
	*document
	here   func(commands string) string // as they are run
	there  func(printed string) string  // as it is shown
	update bool
	deploy bool
	ran    int
}

// patience is how long is waited for what comes by itself, such as a message to a business.
const patience = 30 * time.Second

func (t *tour) run(ctx context.Context, env []string) (err error) {
	sh, err := newShell(ctx, env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sh.stop()) }()
	for _, b := range t.blocks {
		lines := b.commands
		if t.deploy {
			if lines, err = sh.deployment(lines); err != nil {
				return fmt.Errorf("line %d: %w", b.line, err)
			}
		}
		if !t.deploy {
			lines = without(lines, long)
		}
		if len(lines) == 0 {
			continue
		}
		t.ran++
		if err := t.block(ctx, sh, b, t.here(strings.Join(lines, "\n"))); err != nil {
			return fmt.Errorf("line %d: %w", b.line, err)
		}
	}
	return nil
}

// block runs commands and compares. Those that only look are run again until they show what comes by itself.
func (t *tour) block(ctx context.Context, sh *shell, b *block, script string) error {
	want := ""
	if b.shown {
		want = strings.Join(t.lines[b.from:b.to], "\n")
	}
	for began := time.Now(); ; {
		printed, status, err := sh.do(script)
		if err != nil {
			return err
		}
		printed = t.there(printed)
		if status == 0 && (!b.shown || alike(printed) == alike(want)) {
			return nil
		}
		if onlyLooks(b.commands) && time.Since(began) < patience {
			if err := pause.For(ctx, 300*time.Millisecond); err != nil {
				return err
			}
			continue
		}
		if status != 0 {
			return fmt.Errorf("%s\nends with status %d:\n%s", script, status, printed)
		}
		if !t.update {
			return fmt.Errorf("%s\nprints\n%s\nand the document shows\n%s\n(make tour ARGS=-update makes it show what is printed)", script, printed, want)
		}
		t.show(b, printed)
		return nil
	}
}

// looks begin the commands that change nothing.
var looks = []string{"told ", "make logs ", "make audit "}

func onlyLooks(commands []string) bool {
	for _, line := range commands {
		if !begins(line, looks) {
			return false
		}
	}
	return len(commands) > 0
}

func begins(line string, with []string) bool {
	for _, w := range with {
		if line == strings.TrimSpace(w) || strings.HasPrefix(line, w) {
			return true
		}
	}
	return false
}

// long are commands that other parts of .ci/run and make prove are for, or that never end.
var long = []string{
	"make run ", "make test ", "make lint ", "make prove ", "make mutate ", "make soak ", "make fuzz ", "make bench ", "make synth ", "make deploy ",
	"make cloud ", "make cloud-test ", "make index ", "make tour ", "make race ", "make stack ",
}

func without(lines, left []string) (kept []string) {
	for _, line := range lines {
		if !begins(line, left) {
			kept = append(kept, line)
		}
	}
	return kept
}

// shell is a bash that is told commands one after the other.
type shell struct {
	cmd        *exec.Cmd
	in         io.WriteCloser
	out        *bufio.Reader
	mark       string
	foreground *foreground // what stays there until its reader ends it
}

func newShell(ctx context.Context, env []string) (*shell, error) {
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc")
	cmd.Env = env
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	s := &shell{cmd: cmd, in: in, out: bufio.NewReader(out), mark: "-- " + rand.Text()}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_, _, err = s.do("set -o pipefail")
	return s, err
}

// do runs commands, which read nothing, and tells what they print and the status of the last one.
func (s *shell) do(script string) (printed string, status int, err error) {
	// A command reads nothing, or it would read the commands behind it.
	if _, err := fmt.Fprintf(s.in, "eval %s 2>&1 </dev/null\nprintf '\\n%s %%d\\n' $?\n", quoted(script), s.mark); err != nil {
		return "", 0, err
	}
	var all strings.Builder
	for {
		line, err := s.out.ReadString('\n')
		if err != nil {
			return all.String(), 0, fmt.Errorf("the shell has ended: %w\n%s", err, all.String())
		}
		if rest, ok := strings.CutPrefix(line, s.mark+" "); ok {
			_, err := fmt.Sscan(rest, &status)
			return strings.TrimSuffix(all.String(), "\n"), status, err
		}
		all.WriteString(line)
	}
}

func quoted(script string) string { return "'" + strings.ReplaceAll(script, "'", `'\''`) + "'" }

func (s *shell) stop() error {
	_ = s.in.Close()
	_ = s.cmd.Wait() // it was told to end
	if s.foreground == nil {
		return nil
	}
	return s.foreground.stop()
}
