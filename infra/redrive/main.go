// Command redrive reads a dead-letter queue and sends its messages back to the queues that they
// came from: of a running `make run`, or of the deployment that STAGE names.
//
// QUEUE is its name in the wiring. LOOK=1 only reads. TO names a queue that all messages go to,
// which those need that a function put there itself: they came from no queue.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
	"unicode"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"merve/infra/local/port"
	"merve/infra/wiring"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Getenv, os.Stdout, time.Now); err != nil {
		fmt.Fprintln(os.Stderr, "redrive:", err)
		os.Exit(1)
	}
}

// letters are the dead-letter queues of one place.
type letters interface {
	// read lists what lies in a dead-letter queue.
	read(ctx context.Context, name string) ([]letter, error)
	// redrive sends it back, or to a queue, and tells what happened.
	redrive(ctx context.Context, name, to string) (string, error)
}

// letter is a message that was given up.
type letter struct {
	Body     string
	Receives int
	SentAt   time.Time
}

func run(ctx context.Context, getenv func(string) string, out io.Writer, now func() time.Time) error {
	name, to := getenv("QUEUE"), getenv("TO")
	if err := check(name, to); err != nil {
		return err
	}
	place, err := placeOf(ctx, getenv)
	if err != nil {
		return err
	}
	found, err := place.read(ctx, name)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: messages: %d\n", name, len(found))
	for _, l := range found {
		fmt.Fprintf(out, "  %s old, received %d times: %s\n", now().Sub(l.SentAt).Round(time.Second), l.Receives, clip(l.Body))
	}
	switch {
	case len(found) == 0 || getenv("LOOK") != "":
		return nil
	case to == "" && len(sources(name)) == 0:
		fmt.Fprintln(out, "they tell of changes or ticks that were given up, and came from no queue: they stay")
		return nil
	}
	told, err := place.redrive(ctx, name, to)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, told)
	return nil
}

// check validates the names of the queues.
func check(name, to string) error {
	var dead, read []string
	for _, q := range wiring.Queues() {
		if q.DeadLetter == "" {
			dead = append(dead, q.Name)
		} else {
			read = append(read, q.Name)
		}
	}
	switch {
	case !slices.Contains(dead, name):
		return fmt.Errorf("QUEUE: want one of %s; not %q", strings.Join(dead, ", "), name)
	case to != "" && !slices.Contains(read, to):
		return fmt.Errorf("TO: want one of %s; not %q", strings.Join(read, ", "), to)
	}
	return nil
}

// sources returns the queues that leave failed messages in a dead-letter queue.
func sources(name string) (all []string) {
	for _, q := range wiring.Queues() {
		if q.DeadLetter == name {
			all = append(all, q.Name)
		}
	}
	return all
}

func placeOf(ctx context.Context, getenv func(string) string) (letters, error) {
	stage := getenv("STAGE")
	if stage == "" {
		return machine{base: port.Merve(getenv), http: &http.Client{Timeout: 30 * time.Second}}, nil
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("AWS configuration: %w", err)
	}
	return cloud{client: sqs.NewFromConfig(cfg), stack: "merve-" + stage}, nil
}

// clip returns as much of a body as fits on a line. It removes characters that a terminal would act on.
func clip(body string) string {
	const most = 120
	var b strings.Builder
	n := 0
	for _, r := range body {
		if n++; n > most {
			return b.String() + "…"
		}
		if !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}
