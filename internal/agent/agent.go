// Package agent runs model rounds with tools: it asks a model, runs the calls that it may make, tells it the results,
// and asks again, until the model has said something or a bound stops it. It knows tools and models. It knows neither
// threads nor delivery by channels, so any package that needs a model that acts can use it.
//
// [Run] promises:
//
//   - Every call goes through [Task.May], which decides with the caller's policy, and its arguments
//     fit the tool's schema, before the tool sees them. A call that needs a confirmation does not run: the
//     caller learns of it by [Task.Took] and asks. If nobody can ask, only reading tools run.
//   - [Task.Keep] stores a decision to propose before any of it runs. A process that takes over passes
//     what was kept as [Task.Kept], and Run does it again, in order, under the same idempotency
//     keys. Decisions that only read are kept with the next one that proposes.
//   - Rounds, calls, repetitions of a call, tokens, money and time are bounded by [Limits], also
//     across [Task.From] and what was kept.
//   - A tool that fails, hangs or panics ends in a result that the model can act on. A model that
//     fails ends in [ModelFailed]. Run returns an error only if no reply is wanted: keeping or taking a
//     decision has failed, or the caller is gone.
//   - Nothing a model says is taken as text before [Task.Accept] has seen it.
//
// An [Outcome] counts all that was spent, also when it comes with an error.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/geo"
	"merve/internal/model/llm"
	"merve/internal/tenant/channel"
	"merve/internal/words/standing"
)

// Task is what a model is asked, what it may use for it, and how far it may go.
type Task struct {
	Model llm.Model
	Name  string // of the model; "" is the default of Model
	Seed  string // who or what asks, see [llm.Request]

	// Messages open the conversation, or are what is new in it since From.
	Messages []llm.Message
	From     Outcome // of the run that this one continues; the zero Outcome begins

	Tools   *tool.Registry // nil has none
	Offer   []string       // names of tools to show to the model, those that may run
	May     func(t tool.Tool) (verdict tool.Verdict, reason string)
	Context tool.Context // of each call; its key is set here
	Key     string       // what the idempotency keys of the calls are made of: the same for the same task

	Schema *llm.Schema // makes the text one JSON object; nil is text in words

	// Choice says, before each round, whether the model has to call a tool. Nil leaves it to the model.
	Choice func() llm.ToolChoice

	Limits Limits

	// Keep stores what was decided before it runs, and returns what stands: the entry, or the one
	// that an earlier process has stored for this step. Nil keeps nothing.
	Keep func(ctx context.Context, e Entry) (Entry, error)
	Kept []Entry // by a process that did not come to an end

	// Confirmed is a call that somebody has said YES to, or nil. It runs before the model is asked for the first
	// time, as if the model had made it just now, and it confirms no other call.
	Confirmed *llm.Call

	// Accept judges a text before anybody sees it. Nil accepts everything. A text that is said while it comes
	// is judged clause by clause, each joined to all that was said before it.
	Accept func(d Draft) Verdict

	// Before is what an earlier run of the task has said in this answer. This run goes on from it.
	Before string

	// Took gets each result, in the order of the calls. It passes on proposals, and calls that wait for a
	// confirmation, to be confirmed. If it returns stop, the model is not asked again after that round. Without a
	// Took nobody is asked, and only reading tools run.
	Took func(ctx context.Context, tc tool.Context, r Result) (stop bool, err error)

	Sink Sink

	Now func() time.Time
	Log *slog.Logger
}

// Limits bound a task. Each is needed but Until; what is zero allows nothing.
type Limits struct {
	Rounds   int
	Calls    int
	SameCall int // how often the same tool may be called with the same arguments
	Tokens   int
	MicroUSD int64
	Until    time.Time // zero is no limit
}

// Draft is what a model wants to say.
type Draft struct {
	Text  string
	Facts []string        // what the results of its calls bear out, see [tool.Result]
	Named []standing.Item // that they have shown
	Given []Given         // what they returned
	Again int             // how often it has been told to say it again
}

// Given is what a call returned, with what it was asked: what only repeats that was not given by anybody.
type Given struct{ Args, Data string }

// Verdict is what becomes of a draft.
type Verdict struct {
	Text     string // "" says nothing
	Withheld string // why Text is not the model's own, for the log; "" when it is

	// Again tells the model why it has to say it again; Text is then what it is held to have said.
	Again string
}

// Sink is told what happens while it does. Functions may be nil.
type Sink struct {
	Doing func(ctx context.Context, tools []string) // names of the tools that are about to run

	// Say gets each piece of the model's text as soon as it is accepted, even if the model also makes calls. What was
	// said cannot be taken back: all that follows goes on from it, and a refused text ends what the model says.
	// [ErrHushed] means that nobody listens any more. Without a Say, only the outcome has text, and only whole texts.
	Say func(ctx context.Context, piece string) error

	// Holds reports whether what the model says now has to wait until it is whole: it comes with the outcome then.
	// Nil holds nothing.
	Holds func() bool

	// Whole reports whether only whole sentences are said now, because a judgement of one needs its end. Nil never does.
	Whole func() bool

	// Listening gives the context of a model that speaks: it ends with [ErrHushed] as its cause when nobody
	// listens any more. Tools that run then come to their end. Nil listens to everything.
	Listening func(ctx context.Context) (context.Context, context.CancelFunc)
}

// ErrHushed says that nobody listens any more.
var ErrHushed = errors.New("nobody listens any more")

// End says why a run ended.
type End string

const (
	Answered    End = "answered" // with the text that [Task.Accept] gave
	Bounded     End = "bounded"  // by one of the limits
	ModelFailed End = "model failed"
	Stopped     End = "stopped" // by [Task.Took]
	Hushed      End = "hushed"  // by [Sink.Say] or [Sink.Listening]; the text is what was said until then
)

// Outcome is the result of a task, including the runs that it continues.
type Outcome struct {
	End  End    // of the latest run
	Text string // what it says, when it was answered or hushed
	Said string // of the text, what [Sink.Say] was told
	Why  string // the limit, the meaning of the model's failure, or why its text was withheld; for the log

	Cards   []tool.Card
	Choices []channel.Choice // of the list that was shown last
	Place   *geo.Location    // the latest to be shown on a map
	Memory  []Remembered
	Facts   []string
	Named   []standing.Item
	Given   []Given
	Audit   []AuditedCall // of every call, also of those that were refused

	Rounds   int
	Usage    llm.Usage
	MicroUSD int64

	history []llm.Message
	same    map[string]int // how often each call was made with the same arguments
	again   int            // how often a text was refused
	steps   int            // kept so far
	unkept  []decision     // since the last that was kept
	resumed bool           // what was kept has been done again
	ran     bool           // the confirmed call
}

// Remembered is data of a tool that later conversations are told of.
type Remembered struct {
	Tool string
	Data json.RawMessage
}

// Unkept is the part of MicroUSD that no kept entry records. A process that takes over will not know of it.
func (o Outcome) Unkept() int64 {
	cost := int64(0)
	for _, d := range o.unkept {
		cost += d.MicroUSD
	}
	return cost
}

// Run asks the model until the task has come to an end. It begins with the call that was confirmed and
// what was kept, unless that has been done.
func Run(ctx context.Context, t Task) (Outcome, error) {
	r := begin(t)
	if !t.Limits.Until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.Limits.Until.Sub(t.Now()))
		defer cancel()
	}
	stop, err := r.resume(ctx)
	if err == nil && !stop {
		err = r.rounds(ctx)
	}
	return r.Outcome, err
}

// Resume does again what was kept and asks no model, for callers who have something to settle before
// the model speaks. The run that goes on from its outcome does not repeat it.
func Resume(ctx context.Context, t Task) (Outcome, error) {
	r := begin(t)
	_, err := r.resume(ctx)
	return r.Outcome, err
}

// run is a task at work.
type run struct {
	Task
	Outcome
	confirming bool   // the call at work is the confirmed one
	held       bool   // what the model has said waits for the outcome
	refused    string // all that was said, with what the model may not say after it; "" is nothing
}

func begin(t Task) *run {
	o := t.From
	o.End, o.Text, o.Why = "", "", ""
	if o.Said == "" {
		o.Said = t.Before
	}
	o.Cards, o.Memory, o.Facts, o.Named, o.Audit = slices.Clip(o.Cards), slices.Clip(o.Memory), slices.Clip(o.Facts), slices.Clip(o.Named), slices.Clip(o.Audit)
	o.Given = slices.Clip(o.Given)
	o.unkept = slices.Clip(o.unkept)
	o.history = append(slices.Clip(o.history), t.Messages...)
	if o.same = maps.Clone(o.same); o.same == nil {
		o.same = map[string]int{}
	}
	return &run{Task: t, Outcome: o}
}

func (r *run) rounds(ctx context.Context) error {
	for {
		if limit := r.reached(); limit != "" {
			r.End, r.Why = Bounded, limit
			return nil
		}
		d, err := r.ask(ctx)
		if errors.Is(err, ErrHushed) {
			r.End, r.Text = Hushed, r.Said
			return nil
		}
		if err != nil {
			return r.modelFailed(ctx, err)
		}
		if d, err = r.keep(ctx, d); err != nil {
			return err
		}
		if len(d.Calls) == 0 {
			if r.answered(d.Text) {
				return nil
			}
			continue
		}
		if stop, err := r.runCalls(ctx, r.Context, d); stop || err != nil {
			return err
		}
	}
}

// accept takes the model's text for its answer, or has the model say it again.
func (r *run) accept(text string) (taken bool) {
	v := r.judge(text)
	if v.Again != "" {
		r.again++
		r.history = append(r.history, llm.Message{Role: llm.Assistant, Text: v.Text}, llm.Message{Role: llm.System, Text: v.Again})
		return false
	}
	r.End, r.Text, r.Why = Answered, v.Text, v.Withheld
	return true
}

func (r *run) judge(text string) Verdict {
	if r.Accept == nil {
		return Verdict{Text: text}
	}
	return r.Accept(Draft{Text: text, Facts: r.Facts, Named: r.Named, Given: r.Given, Again: r.again})
}

// modelFailed ends the run without an answer. It returns an error only if the caller is gone, that is, if ctx ended
// before the task's own time was up.
func (r *run) modelFailed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && (r.Limits.Until.IsZero() || r.Now().Before(r.Limits.Until)) {
		return fmt.Errorf("model: %w", cause)
	}
	meaning := llm.MeaningOf(err)
	r.Log.ErrorContext(ctx, "model failed", "meaning", meaning, "error", err.Error())
	r.End, r.Why = ModelFailed, string(meaning)
	return nil
}
