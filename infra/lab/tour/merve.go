package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"merve/infra/local/port"
)

// merve is a program that is started for the tour.
type merve struct {
	cmd  *exec.Cmd
	port int
	env  []string
}

// settings are what a tour may not find set: it needs no key, and talks to nobody.
var settings = []string{
	"OPENAI_API_KEY", "OPENAI_BASE_URL", "TWILIO_AUTH_TOKEN", "TWILIO_ACCOUNT_SID", "META_APP_SECRET", "META_PAGE_ACCESS_TOKEN", "STRIPE_SECRET_KEY",
	"MAPBOX_TOKEN", "GEMINI_API_KEY", "GOOGLE_PLACES_API_KEY", "PUBLIC_URL", "DATA_DIR",
}

func start(ctx context.Context, binary string) (*merve, error) {
	free, err := port.Free()
	if err != nil {
		return nil, err
	}
	m := &merve{port: free}
	for _, set := range os.Environ() {
		name, _, _ := strings.Cut(set, "=")
		if !begins(name, settings) {
			m.env = append(m.env, set)
		}
	}
	m.env = append(m.env, fmt.Sprint("PORT=", free), "HOST=127.0.0.1", "ADMIN_TOKEN=admin-token-not-real")
	m.cmd = exec.CommandContext(ctx, binary)
	m.cmd.Cancel = func() error { return m.cmd.Process.Signal(os.Interrupt) }
	m.cmd.Env = m.env
	if m.cmd.Stderr, err = os.Create(".cache/tour.log"); err != nil {
		return nil, err
	}
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s (bash .ci/tour.sh builds it): %w", binary, err)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = m.cmd.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "/healthz") { // it is told when it listens
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return m, nil
		}
	}
	_ = m.cmd.Wait() // it has ended
	return nil, fmt.Errorf("%s did not start within a minute; .cache/tour.log says more", binary)
}

// usual is where a `make run` listens that nobody told a port.
const usual = "localhost:8080"

// here are commands with the address of this Merve instead of the usual one.
func (m *merve) here(commands string) string {
	return strings.ReplaceAll(commands, usual, fmt.Sprint("localhost:", m.port))
}

// there is what was printed with the usual address.
func (m *merve) there(printed string) string {
	return regexp.MustCompile(fmt.Sprintf(`(localhost|127\.0\.0\.1):%d\b`, m.port)).ReplaceAllString(printed, usual)
}

func (m *merve) stop() {
	_ = m.cmd.Process.Signal(os.Interrupt)
	_ = m.cmd.Wait() // it was told to end
}
