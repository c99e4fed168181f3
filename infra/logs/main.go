// Command logs prints the log lines of one call session, from a running `make run`, or from the deployment that STAGE
// names, in the last day.
//
// CALL is the call session, as its client named it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"

	"merve/infra/local/port"
	"merve/internal/base/pause"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "logs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, getenv func(string) string, out io.Writer) error {
	call := getenv("CALL")
	if call == "" {
		return errors.New("CALL: want a call session, as its client named it")
	}
	lines, err := linesOf(ctx, getenv, call)
	if err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(out, readable(line))
	}
	if len(lines) == 0 {
		return fmt.Errorf("nothing was logged of %q", call)
	}
	return nil
}

func linesOf(ctx context.Context, getenv func(string) string, call string) ([]string, error) {
	stage := getenv("STAGE")
	if stage == "" {
		return ofMachine(ctx, port.Merve(getenv), call)
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("AWS configuration: %w", err)
	}
	c := cloud{client: cloudwatchlogs.NewFromConfig(cfg), stack: "merve-" + stage, now: time.Now, wait: pause.For}
	return c.lines(ctx, call)
}

// ofMachine reads the lines that a running `make run` keeps.
func ofMachine(ctx context.Context, base, call string) ([]string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/dev/logs?"+url.Values{"call": {call}}.Encode(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Timeout: 30 * time.Second}).Do(r)
	if err != nil {
		return nil, fmt.Errorf("is `make run` running? %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", r.URL.Path, resp.Status)
	}
	var lines []string
	scan := bufio.NewScanner(resp.Body)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		lines = append(lines, scan.Text())
	}
	return lines, scan.Err()
}

// readable formats a line of the log for people: time, level and message, then its attributes. A line that is not
// ours is printed as it is.
func readable(line string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(line), &fields) != nil {
		return line
	}
	first := []string{"time", "level", "msg"}
	var b strings.Builder
	for _, name := range first {
		fmt.Fprintf(&b, "%v ", fields[name])
	}
	var rest []string
	for name := range fields {
		if !slices.Contains(first, name) && name != "callSessionId" && name != "_aws" {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	for _, name := range rest {
		value, err := json.Marshal(fields[name])
		if err != nil {
			return line
		}
		fmt.Fprintf(&b, "%s=%s ", name, value)
	}
	return strings.TrimSpace(b.String())
}
