package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// deployment are commands of deployments that are not simply run.
var deployment = []struct {
	begins     string
	needs      string // what nobody can be asked for here
	have       string // a command that succeeds where there is what it needs
	foreground string // what it prints when it is ready, and stays in the foreground
}{
	{begins: ".cache/cdk bootstrap ", needs: "an account at AWS (make cloud does the same with an emulator)"},
	{begins: "make deploy ", needs: "an account at AWS (make cloud does the same with an emulator)"},
	{begins: "make cloud ", foreground: "Ctrl-C stops all of it."},
	{begins: "sam local invoke ", needs: "sam and a Docker that runs", have: "command -v sam && docker info"},
}

// deployment runs what stays in the foreground, and returns the lines that are left to run.
func (s *shell) deployment(lines []string) (left []string, err error) {
	for _, line := range lines {
		line, _, _ = strings.Cut(line, "  #")
		line = strings.TrimRight(line, " ")
		for _, c := range deployment {
			switch {
			case !begins(line, []string{c.begins}):
				continue
			case c.foreground != "":
				if s.foreground, err = stay(line, c.foreground); err != nil {
					return nil, err
				}
				line = ""
			case c.have == "" || !s.has(c.have):
				fmt.Fprintf(os.Stderr, "LEFT OUT: %s (it needs %s)\n", line, c.needs)
				line = ""
			}
		}
		if line != "" {
			left = append(left, line)
		}
	}
	return left, nil
}

// has reports whether a command succeeds.
func (s *shell) has(command string) bool {
	_, status, err := s.do(command)
	return err == nil && status == 0
}

// foreground is a command that runs until its reader ends it.
type foreground struct {
	cmd   *exec.Cmd
	ended chan error
}

// mostWait is how long a command may take to get ready, and to end.
const (
	mostWait = 30 * time.Minute
	mostEnd  = 2 * time.Minute
)

// stay starts a command and waits until it says that it is ready.
func stay(command, ready string) (*foreground, error) {
	cmd := exec.Command("bash", "-c", command)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	f := &foreground{cmd: cmd, ended: make(chan error, 1)}
	timer := time.AfterFunc(mostWait, func() { f.signal(syscall.SIGKILL) })
	defer timer.Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Println(lines.Text())
		if strings.Contains(lines.Text(), ready) {
			go func() {
				_, _ = io.Copy(os.Stdout, out)
				f.ended <- cmd.Wait()
			}()
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s has ended before it was ready: %w", command, errors.Join(cmd.Wait(), lines.Err()))
}

func (f *foreground) signal(s syscall.Signal) { _ = syscall.Kill(-f.cmd.Process.Pid, s) } // it may have ended

// stop is Ctrl-C, which make calls an error.
func (f *foreground) stop() error {
	select {
	case err := <-f.ended:
		return fmt.Errorf("%s did not stay in the foreground: %w", f.cmd, err)
	default:
	}
	f.signal(syscall.SIGINT)
	select {
	case <-f.ended:
		return nil
	case <-time.After(mostEnd):
		f.signal(syscall.SIGKILL)
		return fmt.Errorf("%s does not end", f.cmd)
	}
}
