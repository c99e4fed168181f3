package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/queue"
	"merve/internal/model/llm"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Engine makes plans, has their steps run, and writes their answers.
type Engine struct {
	Store *Store
	Model llm.Model
	Name  string // of the model; "" is its default

	// Tools are what steps may ask. Each takes an [Input] and only reads.
	Tools *tool.Registry

	// Remote are the tools that run in a function of their own, with the queue on which it takes
	// [ToolInvocationRequested] events. All others run here.
	Remote map[string]queue.Queue

	// Timers brings a plan back after a delay to [Engine.Look]; nil leaves that to the sweep.
	Timers queue.Queue

	// Market is the tenant of an id, and the engine's own for "".
	Market func(ctx context.Context, id string) (*market.Market, error)
	Purse  Purse // nil pays for everything

	Guard *agent.Guard // judges what the model answers; nil has the patterns alone
	Site  string       // addresses of our own, which an answer may have

	// Wait returns after a time, or with ctx's error when that ends first. Nil is [pause.For].
	Wait func(ctx context.Context, d time.Duration) error

	Holder string        // this process, in claims
	NewID  func() string // correlations: UUIDs of version 7, so that they sort by time
	Now    func() time.Time
	Log    *slog.Logger
}

// Purse is the market's money for a day.
type Purse interface {
	// Empty reports whether the day's money is spent.
	Empty(ctx context.Context, m *market.Market) bool
	Spend(ctx context.Context, m *market.Market, microUSD int64)
}

// Answer is what a question came to.
type Answer struct {
	Ref  Ref
	Text string

	// Standing is the line that is shown below the text, and says that nothing was done: "" where all of the text is the
	// backend's own words.
	Standing string
}

// Whole is the answer as channels of text show it.
func (a Answer) Whole() string { return whole(a.Text, a.Standing) }

func whole(text, line string) string {
	if line == "" || line == text {
		return text
	}
	return text + "\n\n" + line
}

// ErrLater says that the answer takes longer than the caller would wait. The answer will be in the trace.
var ErrLater = fault.New(fault.Unavailable, "the answer takes longer")

// Ask takes a question and answers it. It returns [ErrLater] if ctx ends first. The question is stored even then, so
// that ErrLater never promises an answer to a question that was lost. owner is an actor key, or "".
func (e *Engine) Ask(ctx context.Context, owner, conversation, prompt string) (Answer, error) {
	return e.ask(ctx, question{owner: owner, conversation: conversation, prompt: prompt})
}

func (e *Engine) ask(ctx context.Context, q question) (Answer, error) {
	if err := errors.Join(CheckConversation(q.conversation, q.owner), checkPrompt(q.prompt)); err != nil {
		return Answer{}, err
	}
	taking := context.WithoutCancel(ctx)
	m, err := e.Market(taking, q.market)
	if err != nil {
		return Answer{}, err
	}
	if e.closed(taking, m) {
		return Answer{Text: wording.Say(language.Detect(q.prompt, m.Language), wording.PlanOff, nil)}, nil
	}
	q.correlation, q.holder = e.NewID(), e.Holder
	o, err := e.Store.open(taking, q)
	if errors.Is(err, errBegun) {
		return e.again(ctx, o.ref)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("ask: %w", err)
	}
	r := e.newRun(o.ref)
	r.head, r.events, r.stale = o.head, []Event{o.event}, false
	if o.first {
		r.held[planWork] = true
	}
	return r.drive(ctx, true)
}

// again waits for the answer to the one question of a conversation.
func (e *Engine) again(ctx context.Context, r Ref) (Answer, error) {
	ref, err := e.Store.asked(context.WithoutCancel(ctx), r)
	if err != nil {
		return Answer{}, fmt.Errorf("ask: %w", err)
	}
	return e.newRun(ref).drive(ctx, true)
}

// closed reports whether the market takes no questions: it is off, or its money for the day is spent.
func (e *Engine) closed(ctx context.Context, m *market.Market) bool {
	return !m.Enabled || e.Purse != nil && e.Purse.Empty(ctx, m)
}

// Look does what a plan needs now, without waiting for others. It may be called after any event and any number of
// times: it reads the events and decides. While others are at work, somebody looks again when one of their claims
// would have run out.
func (e *Engine) Look(ctx context.Context, ref Ref) error {
	r := e.newRun(ref)
	_, err := r.drive(ctx, false)
	return r.lookedAt(ctx, err)
}

// lookedAt finishes a look that waits for nobody.
func (r *run) lookedAt(ctx context.Context, err error) error {
	if errors.Is(err, errWaiting) && !r.behind {
		job{Engine: r.e, ref: r.ref}.timer(ctx)
	}
	return undisturbed(Answer{}, err)
}

// undisturbed takes it for no error that others are at work, or that the plan is gone.
func undisturbed(_ Answer, err error) error {
	if errors.Is(err, ErrReset) || errors.Is(err, errWaiting) {
		return nil
	}
	return err
}

// offered are the tools that a plan may use now.
func (e *Engine) offered(m *market.Market) []tool.Tool {
	var all []tool.Tool
	for _, name := range e.Tools.Names() {
		t, _ := e.Tools.Get(name)
		if verdict, _ := e.may(t, m); verdict == tool.Allow {
			all = append(all, t)
		}
	}
	return all
}

// may says whether a step may ask a tool: what asks the customer, or changes anything, never.
func (e *Engine) may(t tool.Tool, m *market.Market) (tool.Verdict, string) {
	if t.Effect != tool.Read {
		return tool.Deny, "only tools that read are part of a plan"
	}
	return tool.May(t, tool.Situation{Set: e.Tools.Names(), Market: m, ReadOnly: true})
}

// workTime is how long a model may take. The process that asks it renews its claim meanwhile.
const workTime = 40 * time.Second

// storeTime is what it takes to store what a work has given.
const storeTime = 3 * time.Second

// stepUntil is when a tool has to come to its end, so that its step has a result before its time is up.
func stepUntil(st StepState) time.Time { return st.RequestedAt.Add(StepTime - storeTime) }

// complete asks the model once.
func (e *Engine) complete(ctx context.Context, m *market.Market, what, seed string, messages []llm.Message, schema *llm.Schema) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()
	text, spent, err := agent.Once(ctx, agent.Task{
		Model: e.Model, Name: e.Name, Seed: what + " " + seed, Messages: messages, Schema: schema, Now: e.Now, Log: e.Log,
	})
	e.spend(ctx, m, spent)
	return text, err
}

func (e *Engine) spend(ctx context.Context, m *market.Market, microUSD int64) {
	if e.Purse != nil && microUSD > 0 {
		e.Purse.Spend(context.WithoutCancel(ctx), m, microUSD)
	}
}

// execute runs a step's tool. Whatever goes wrong is the step's result.
func (e *Engine) execute(ctx context.Context, ref Ref, h Head, st StepState) Resulted {
	start, req := e.Now(), *st.Request
	ctx, cancel := context.WithTimeout(ctx, stepUntil(st).Sub(start))
	defer cancel()
	res := Resulted{PlanID: req.PlanID, StepIndex: req.StepIndex, ToolName: req.ToolName}
	data, err := e.call(ctx, ref, h, req)
	res.DurationMs = max(0, e.Now().Sub(start).Milliseconds())
	if err != nil {
		e.Log.WarnContext(ctx, "step failed", "tool", req.ToolName, "step", req.StepIndex, "error", err.Error())
		message, _ := fault.Public(err)
		res.Result = pack(message)
		return res
	}
	res.Result, res.Success = pack(data), true
	return res
}

func (e *Engine) call(ctx context.Context, ref Ref, h Head, req Requested) (data any, err error) {
	m, err := e.Market(ctx, h.Market)
	if err != nil {
		return nil, err
	}
	t, known := e.Tools.Get(req.ToolName)
	if !known {
		return nil, fault.New(fault.Invalid, "there is no tool %s", req.ToolName)
	}
	if verdict, why := e.may(t, m); verdict != tool.Allow {
		return nil, fault.New(fault.Forbidden, "%s", why)
	}
	raw, err := json.Marshal(req.ToolInput)
	if err != nil {
		return nil, err
	}
	args, err := t.Canonical(raw)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil { // a tool that panics fails its step and nothing else
			data, err = nil, fault.New(fault.Internal, "the tool %s panicked: %v", t.Name, p)
		}
	}()
	res, err := t.Run(asStep(ctx), tool.Context{
		Actor: actor.OfKey(h.Owner), Market: m, Channel: channel.App, Language: language.Detect(req.ToolInput.Input, m.Language), TimeZone: m.Location(),
		Now: e.Now(), TraceID: telemetry.TraceID(ctx), Key: ref.Correlation + "#" + stepWork(req.StepIndex),
	}, args)
	return res.Data, err
}

// isRemote reports whether a tool runs in a function of its own.
func (e *Engine) isRemote(name string) bool { return e.Remote[name] != nil }
