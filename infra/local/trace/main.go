// Command trace asks a running Merve a question in several parts and prints what happens to it, event by event,
// while it happens. It ends two seconds after the answer.
//
// PROMPT is the question. Colours are left out where the output is no terminal, or NO_COLOR is set
// (https://no-color.org).
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/google/uuid"

	"merve/infra/local/port"
	"merve/internal/base/pause"
	"merve/internal/plan"
)

const (
	poll   = 200 * time.Millisecond
	linger = 2 * time.Second // after the answer: what comes late is shown too

	// patience outlasts a plan: one that gets too old is closed in words.
	patience = plan.PlanTime + 2*time.Minute
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f := &follower{
		base: port.Merve(os.Getenv), client: &http.Client{Timeout: 2 * time.Minute}, conversation: uuid.NewString(),
		out: os.Stdout, colour: isTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "", wait: pause.For,
	}
	if err := f.run(ctx, os.Getenv("PROMPT")); err != nil {
		fmt.Fprintln(os.Stderr, "trace:", err)
		os.Exit(1)
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// follower asks one question in a conversation of its own and prints its events, each once.
type follower struct {
	base         string
	client       *http.Client
	conversation string // a UUID: it belongs to nobody, and the page shows it too
	out          io.Writer
	colour       bool
	wait         func(context.Context, time.Duration) error

	seen     map[string]bool
	began    int64 // ms, when the question came in
	answered bool
}

func (f *follower) run(ctx context.Context, prompt string) error {
	if prompt == "" {
		return errors.New(`say what to ask: make trace PROMPT='What is 15 % of 340, and what is the weather in Kyrenia?'`)
	}
	fmt.Fprintf(f.out, "%s/trace/%s\n", f.base, f.conversation)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked := make(chan error, 1)
	go func() { asked <- f.ask(ctx, prompt) }()
	for {
		select {
		case err := <-asked:
			if err != nil {
				return err
			}
			asked = nil // nothing more comes of it
		default:
		}
		if err := f.read(ctx); err != nil {
			return err
		}
		if f.answered {
			break
		}
		if err := f.wait(ctx, poll); err != nil {
			return err
		}
	}
	if err := f.wait(ctx, linger); err != nil {
		return err
	}
	return f.read(ctx)
}

// ask sends the question. It is no error if the answer comes later: the trace is followed until it is there.
func (f *follower) ask(ctx context.Context, prompt string) error {
	body, err := json.Marshal(map[string]string{"prompt": prompt, "conversationId": f.conversation})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.base+"/api/chat", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	var answer struct{ Message string }
	status, err := f.call(r, &answer)
	if err == nil && status == http.StatusOK && answer.Message != "" {
		return f.answeredWithout(ctx, answer.Message)
	}
	return err
}

// answeredWithout says an answer that no plan was made for: the market takes no questions now.
func (f *follower) answeredWithout(ctx context.Context, message string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.tracePath(), nil)
	if err != nil {
		return err
	}
	if _, err := f.call(r, nil); errors.Is(err, errNotThere) {
		return errors.New(oneLine(message, 0))
	}
	return nil
}

func (f *follower) tracePath() string { return f.base + "/api/chat/" + f.conversation + "/trace" }

// event is an event of the trace.
type event struct {
	ID string
	plan.Wire
	Note string
}

// read prints the events that are new. Before the question has come in there is no trace.
func (f *follower) read(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.tracePath(), nil)
	if err != nil {
		return err
	}
	var trace struct{ Events []event }
	if _, err := f.call(r, &trace); err != nil && !errors.Is(err, errNotThere) {
		return err
	}
	for _, e := range trace.Events {
		f.print(e)
	}
	return nil
}

func (f *follower) print(e event) {
	if f.seen[e.ID] {
		return
	}
	if f.seen == nil {
		f.seen, f.began = map[string]bool{}, e.Timestamp
	}
	f.seen[e.ID] = true
	f.answered = f.answered || e.EventType == plan.FinalAnswerSynthesized
	fmt.Fprintln(f.out, line(e, time.Duration(e.Timestamp-f.began)*time.Millisecond, f.colour))
}

var errNotThere = errors.New("there is no such conversation")

// call makes a request and reads the answer. A problem document becomes an error in its own words.
func (f *follower) call(r *http.Request, into any) (status int, err error) {
	resp, err := f.client.Do(r)
	if err != nil {
		return 0, fmt.Errorf("is `make run` running? %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return 0, err
	case resp.StatusCode == http.StatusNotFound:
		return resp.StatusCode, errNotThere
	case resp.StatusCode >= http.StatusBadRequest:
		var problem struct{ Detail string }
		_ = json.Unmarshal(body, &problem) // anything but a problem document has no detail
		return resp.StatusCode, fmt.Errorf("%s %s: %s %s", r.Method, r.URL.Path, resp.Status, oneLine(problem.Detail, 0))
	case into == nil:
		return resp.StatusCode, nil
	}
	return resp.StatusCode, json.Unmarshal(body, into)
}
