package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"merve/internal/fault"
	"merve/internal/llm"
	"merve/internal/telemetry"
	"merve/internal/thread"
	"merve/internal/tool"
	"merve/internal/wording"
)

// conversation is what the model has been told in this turn, and what came of it.
type conversation struct {
	said    int // how many of the turn's messages the model has seen
	msgs    []llm.Message
	steps   int // journal steps so far
	calls   int
	same    map[string]int // the same call with the same arguments
	shown   []thread.Call
	memory  string   // what later turns remember of the tools' data
	facts   []string // what the backend knows to be true
	warned  bool     // the model has been told to claim only what happened
	usage   llm.Usage
	cost    int64 // millionths of a US dollar
	rounds  int
	replays []thread.Entry // journal of a turn taken over
}

// decision is what the model decided in one round, as journalled.
type decision struct {
	Text  string     `json:"text,omitempty"`
	Calls []llm.Call `json:"calls"`
}

// converse runs model rounds until the model has said something, or a bound stops it.
func (w *work) converse(ctx context.Context) error {
	if text, over, err := w.overBudget(ctx); over || err != nil {
		w.text = text
		return err
	}
	w.brief()
	ctx, cancel := context.WithTimeout(ctx, w.deadline.Sub(w.r.Now()))
	defer cancel()
	for {
		if why := w.bound(); why != "" {
			w.stopped = why
			w.text = w.say(wording.BoundReached, nil)
			return nil
		}
		d, err := w.ask(ctx)
		if err != nil {
			return w.modelFailed(ctx, err)
		}
		if len(d.Calls) == 0 {
			if w.accept(d.Text) {
				return nil
			}
			continue
		}
		if err := w.runCalls(ctx, d); err != nil {
			return err
		}
	}
}

// accept takes the model's text as the reply, unless it claims what did not happen: then
// the model is told once, and withheld the second time. Beside a proposal the backend's own
// words are enough, and a text that claims is left out at once.
func (w *work) accept(text string) bool {
	text, _, _ = strings.Cut(text, "<data") // its own memory is not for the customer
	text = strings.TrimSpace(text)
	switch {
	case !w.unsupported(text):
		w.text = text
	case w.proposed():
		w.stopped = "claim withheld"
	case w.model.warned:
		w.stopped = "claim withheld"
		w.text = w.say(wording.ClaimWithheld, nil)
	default:
		w.model.warned = true
		w.model.msgs = append(w.model.msgs, llm.Message{Role: llm.Assistant, Text: text}, llm.Message{Role: llm.System, Text: onlyWhatHappened})
		return false
	}
	return true
}

// proposed reports whether this turn has made the pending action.
func (w *work) proposed() bool {
	return w.pending != nil && (w.thread.Pending == nil || w.thread.Pending.ID != w.pending.ID)
}

const onlyWhatHappened = "Your last message was not sent: it says that something was booked, changed, cancelled, paid or sent, and nothing of the kind has happened. Write it again and say only what the tools have returned."

// modelFailed turns a model's failure into a clear reply. Only a client whose time is
// up, or a lost lease, ends the turn without one.
func (w *work) modelFailed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && w.r.Now().Before(w.deadline) {
		return fmt.Errorf("model: %w", cause)
	}
	w.r.Log.ErrorContext(ctx, "model failed", "thread", w.thread.ID, "meaning", llm.MeaningOf(err), "error", err.Error())
	w.stopped = "model " + string(llm.MeaningOf(err))
	w.text = w.say(wording.ModelUnavailable, nil)
	return nil
}

// bound names the bound that the turn has reached, or "".
func (w *work) bound() string {
	s := w.market.Safety
	m := &w.model
	switch {
	case m.rounds >= s.MaxRounds:
		return "rounds"
	case m.calls >= s.MaxCalls:
		return "calls"
	case m.usage.Input+m.usage.Output >= s.TurnTokens:
		return "tokens"
	case m.cost >= s.TurnMicroUSD:
		return "money"
	case !w.r.Now().Before(w.deadline):
		return "time"
	}
	for _, n := range m.same {
		if n > s.MaxSameCall {
			return "the same call again and again"
		}
	}
	return ""
}

// ask gets the next decision: from the journal of a turn taken over, or from the model.
// A decision to call tools is journalled before any of them runs.
func (w *work) ask(ctx context.Context) (decision, error) {
	m := &w.model
	m.rounds++
	if d, ok, err := w.replayDecision(); ok || err != nil {
		return d, err
	}
	start := time.Now()
	resp, err := w.r.Model.Complete(ctx, llm.Request{
		Model: w.assistant.Model, Messages: m.msgs, Tools: w.specs(), ParallelCalls: true, MaxTokens: maxAnswerTokens,
		Seed: w.thread.Owner,
	})
	telemetry.CountTime(ctx, "model", time.Since(start))
	m.usage = m.usage.Add(resp.Usage)
	m.cost += llm.Cost(resp.Model, resp.Usage)
	if err != nil {
		return decision{}, err
	}
	d := decision{Text: resp.Text, Calls: bounded(resp.Calls)}
	if len(d.Calls) == 0 {
		return d, nil
	}
	data, err := json.Marshal(d)
	if err != nil {
		return decision{}, fmt.Errorf("journal: %w", err)
	}
	stands, err := w.record(ctx, "decision", string(data))
	if err != nil {
		return decision{}, err
	}
	return readDecision(stands)
}

const (
	maxAnswerTokens = 1200
	maxCallsARound  = 8
)

// bounded makes what a model asks for safe to keep: few calls, each with arguments that
// are JSON. What is not JSON becomes a JSON string, which no schema accepts.
func bounded(calls []llm.Call) []llm.Call {
	if len(calls) > maxCallsARound {
		calls = calls[:maxCallsARound]
	}
	for i, c := range calls {
		if len(c.Args) > tool.MaxArgs {
			calls[i].Args = json.RawMessage(`"too long"`)
		} else if !json.Valid(c.Args) {
			text, _ := json.Marshal(string(c.Args)) // a string always marshals
			calls[i].Args = text
		}
	}
	return calls
}

func (w *work) record(ctx context.Context, kind, data string) (thread.Entry, error) {
	e := thread.Entry{Step: w.model.steps, Kind: kind, Data: data}
	w.model.steps++
	return w.r.Threads.Record(ctx, w.thread.ID, w.thread.Number(), e)
}

func (w *work) replayDecision() (decision, bool, error) {
	m := &w.model
	if len(m.replays) == 0 || m.replays[0].Kind != "decision" {
		return decision{}, false, nil
	}
	e := m.replays[0]
	m.replays = m.replays[1:]
	m.steps = e.Step + 1
	d, err := readDecision(e)
	return d, true, err
}

func readDecision(e thread.Entry) (decision, error) {
	var d decision
	if err := json.Unmarshal([]byte(e.Data), &d); err != nil {
		return decision{}, fault.Wrap(err, fault.Internal, "journal step %d", e.Step)
	}
	return d, nil
}
