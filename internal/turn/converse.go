package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/channel"
	"merve/internal/fault"
	"merve/internal/language"
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
	images  int // shown in this turn
	steps   int // journal steps so far
	calls   int
	same    map[string]int // the same call with the same arguments
	shown   []thread.Call
	memory  string // what later turns remember of the tools' data
	cards   []tool.Card
	place   *channel.Location
	words   string   // its own, that are the reply
	facts   []string // what the backend knows to be true
	warned  bool     // the model has been told to claim only what happened
	usage   llm.Usage
	cost    int64 // millionths of a US dollar
	rounds  int
	reads   []decision // since the last one that is in the journal
	audit   []AuditedCall
	resumed bool // what the journal had has been done again
}

// decided is the kind of journal entry that holds a decision.
const decided = "decision"

// decision is what the model decided in one round, as journalled.
type decision struct {
	Text     string     `json:"text,omitempty"`
	Calls    []llm.Call `json:"calls"`
	Language string     `json:"language"` // that the calls are made in
	Usage    llm.Usage  `json:"usage"`    // what it took, so that bounds hold across a crash
	MicroUSD int64      `json:"microUsd,omitempty"`
}

// converse runs model rounds until the model has said something, or a bound stops it.
func (w *work) converse(ctx context.Context) error {
	if text, over, err := w.overBudget(ctx); over || err != nil {
		w.text = text
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, w.deadline.Sub(w.r.Now()))
	defer cancel()
	defer func() { w.cards, w.place = w.model.cards, w.model.place }() // of all calls, also before more came in
	if err := w.brief(ctx); err != nil {
		return err
	}
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
		if d, err = w.keep(ctx, d); err != nil {
			return err
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
		if w.handOver != nil { // the assistant has said its last
			w.text = w.handedOver()
			return nil
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
		w.text, w.model.words = text, text
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

// proposed reports whether this turn has made the pending action, which may be for the same as an
// earlier one whose time was over.
func (w *work) proposed() bool { return w.made && w.pending != nil }

const onlyWhatHappened = "Your last message was not sent: it says that something was booked, changed, cancelled, deleted, paid or sent, and nothing of the kind has happened. Write it again and say only what the tools have returned; of an earlier booking only together with its code."

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

// ask gets the model's next decision.
func (w *work) ask(ctx context.Context) (decision, error) {
	m := &w.model
	m.rounds++
	start := time.Now()
	resp, err := w.r.Model.Complete(ctx, llm.Request{
		Model: w.assistant.Model, Messages: m.msgs, Tools: w.specs(), ParallelCalls: true, MaxTokens: maxAnswerTokens,
		Seed: w.thread.Owner,
	})
	telemetry.CountTime(ctx, "model", time.Since(start))
	d := decision{
		Text: language.Brief(resp.Text, maxAnswer), Calls: bounded(resp.Calls, w.market.Safety.MaxCalls-m.calls), Language: w.tc.Language,
		Usage: resp.Usage, MicroUSD: llm.Cost(resp.Model, resp.Usage),
	}
	m.took(d)
	return d, err
}

// keep journals a decision to propose before any of it runs, together with those to read
// that led to it, so that a model which answers differently after a crash does not propose
// twice. What only reads can be asked for again. The decision that stands is returned.
func (w *work) keep(ctx context.Context, d decision) (decision, error) {
	m := &w.model
	if m.reads = append(m.reads, d); !w.proposes(d.Calls) {
		return d, nil
	}
	data, err := json.Marshal(m.reads)
	if err == nil && len(data) > maxEntry {
		data, err = json.Marshal([]decision{d})
	}
	if err != nil {
		return decision{}, fmt.Errorf("journal: %w", err)
	}
	e := thread.Entry{Step: m.steps, Kind: decided, Data: string(data)}
	m.steps++
	stands, err := w.r.Threads.Record(ctx, w.thread.ID, w.thread.Number(), e)
	if err != nil {
		return decision{}, err
	}
	m.reads = nil
	ds, err := readDecisions(stands)
	if err != nil {
		return decision{}, err
	}
	return ds[len(ds)-1], nil
}

const (
	maxAnswerTokens = 1200
	maxAnswer       = 16_000 // characters, of a model that does not keep to its tokens
	maxCallsARound  = 8
	maxEntry        = 200 << 10 // bytes; DynamoDB takes items of 400 KB
)

// bounded makes what a model asks for safe to keep: at most left calls, each of a name that a tool may
// have, with arguments that are JSON. What is not JSON becomes a JSON string, which no schema accepts.
func bounded(calls []llm.Call, left int) []llm.Call {
	calls = calls[:min(len(calls), left, maxCallsARound)]
	for i, c := range calls {
		calls[i].Name = language.Brief(c.Name, maxName)
		if len(c.Args) > tool.MaxArgs {
			calls[i].Args = json.RawMessage(`"too long"`)
		} else if !json.Valid(c.Args) {
			text, _ := json.Marshal(string(c.Args)) // a string always marshals
			calls[i].Args = text
		}
	}
	return calls
}

// proposes reports whether one of the calls may change something before the turn commits.
func (w *work) proposes(calls []llm.Call) bool {
	return slices.ContainsFunc(calls, func(c llm.Call) bool {
		t, _ := w.r.Tools.Get(c.Name)
		return t.Effect == tool.Propose
	})
}

// resume does again what a turn that this one takes over had decided to propose, so that
// it is asked about, or let go of, whatever has come in since. The keys of the calls keep
// it from being done twice.
func (w *work) resume(ctx context.Context) error {
	m := &w.model
	if m.resumed {
		return nil
	}
	m.resumed = true
	for _, e := range w.thread.Journal {
		if e.Kind != decided {
			continue
		}
		if m.steps == 0 {
			if err := w.lapse(ctx); err != nil {
				return err
			}
			if err := w.brief(ctx); err != nil {
				return err
			}
		}
		ds, err := readDecisions(e)
		if err != nil {
			return err
		}
		m.steps = e.Step + 1
		for _, d := range ds {
			m.rounds++
			m.took(d)
			now := w.tc
			w.tc.Language = d.Language
			err := w.runCalls(ctx, d)
			if w.tc = now; err != nil {
				return err
			}
		}
	}
	return nil
}

// took counts what a decision has cost.
func (m *conversation) took(d decision) {
	m.usage = m.usage.Add(d.Usage)
	m.cost += d.MicroUSD
}

func readDecisions(e thread.Entry) ([]decision, error) {
	var ds []decision
	if err := json.Unmarshal([]byte(e.Data), &ds); err != nil || len(ds) == 0 {
		return nil, fault.Wrap(errors.Join(err, errEmpty), fault.Internal, "journal step %d", e.Step)
	}
	return ds, nil
}

var errEmpty = errors.New("not a list of decisions")

// handedOver tells a customer that a person will answer, and when one is there.
func (w *work) handedOver() string {
	text := w.say(wording.PersonWillAnswer, nil)
	hours := w.market.Desk.Hours
	if hours == nil || hours.OpenAt(w.tc.Now) {
		return text
	}
	opens, ok := hours.Opens(w.tc.Now)
	if !ok {
		return text
	}
	when := wording.When(w.tc.Language, opens.In(w.tc.TimeZone), opens.In(w.tc.TimeZone))
	return text + " " + w.say(wording.PersonLater, wording.Vars{"when": when})
}
