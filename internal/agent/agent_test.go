package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/model/llm"
)

// bench is what a task works with: a scripted model, a few tools, a clock, and a list of what happened.
type bench struct {
	llm.Model // of which only Complete is asked
	t         *testing.T
	answers   []llm.Response
	asked     []llm.Request
	tools     []tool.Tool

	mu     sync.Mutex
	at     time.Time
	events []string
}

func newBench(t *testing.T, answers ...llm.Response) *bench {
	b := &bench{t: t, answers: answers, at: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)}
	b.tools = []tool.Tool{
		b.tool("look", tool.Read, func(what string) (tool.Result, error) {
			return tool.Result{Data: "saw " + what, Memory: what, Facts: []string{"seen:" + what}, Cards: []tool.Card{{"title": what}}}, nil
		}),
		b.tool("offer", tool.Propose, func(what string) (tool.Result, error) {
			return tool.Result{Data: "held", Proposal: &tool.Proposal{Kind: "hold", Ref: what}}, nil
		}),
		b.tool("send", tool.Commit, func(string) (tool.Result, error) { return tool.Result{Data: "sent"}, nil }),
		b.tool("leave", tool.Read, func(why string) (tool.Result, error) { return tool.Result{HandOver: &tool.HandOver{Reason: why}}, nil }),
	}
	return b
}

// tool is one that notes when it runs, and under which language.
func (b *bench) tool(name string, effect tool.Effect, do func(what string) (tool.Result, error)) tool.Tool {
	type args struct {
		What string `json:"what"`
	}
	return tool.New(name, "Does it.", effect, func(_ context.Context, tc tool.Context, a args) (tool.Result, error) {
		b.note("%s %s %s", name, a.What, tc.Language)
		return do(a.What)
	})
}

func (b *bench) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, fmt.Sprintf(format, args...))
}

func (b *bench) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

// Complete gives the next answer of the script; the last again and again. The history that it is
// asked with must be one that every provider takes.
func (b *bench) Complete(_ context.Context, req llm.Request) (llm.Response, error) {
	if err := llm.Check(req.Messages); err != nil {
		b.t.Error(err)
	}
	b.asked = append(b.asked, req)
	b.mu.Lock()
	b.at = b.at.Add(10 * time.Second)
	b.mu.Unlock()
	return b.answers[min(len(b.asked), len(b.answers))-1], nil
}

func (b *bench) registry() *tool.Registry {
	tools, err := tool.NewRegistry(b.tools...)
	if err != nil {
		b.t.Fatal(err)
	}
	return tools
}

// task is one without any limit that matters, for an assistant that asks its customer.
func (b *bench) task() agent.Task {
	tools := b.registry()
	return agent.Task{
		Model: b, Name: "gpt-4o", Seed: "ann", Messages: []llm.Message{{Role: llm.User, Text: "hi"}}, Tools: tools, Offer: tools.Names(),
		May: func(t tool.Tool) (tool.Verdict, string) {
			if t.Effect == tool.Commit {
				return tool.Confirm, "ask first"
			}
			return tool.Allow, ""
		},
		Context: tool.Context{Language: "en"}, Key: "t/1",
		Limits: agent.Limits{Rounds: 20, Calls: 100, SameCall: 5, Tokens: 1_000_000, MicroUSD: 1_000_000, Until: b.at.Add(time.Hour)},
		Keep:   func(_ context.Context, e agent.Entry) (agent.Entry, error) { b.note("keep %d", e.Step); return e, nil },
		Took: func(_ context.Context, _ tool.Context, r agent.Result) (bool, error) {
			b.note("took %s %s", r.Name, r.Status)
			return r.Out.HandOver != nil, nil
		},
		Now: b.now, Log: slog.New(slog.NewTextHandler(b.t.Output(), nil)),
	}
}

// run runs a task that comes to an end.
func (b *bench) run(task agent.Task) agent.Outcome {
	b.t.Helper()
	o, err := agent.Run(b.t.Context(), task)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

func (b *bench) want(events ...string) {
	b.t.Helper()
	if diff := cmp.Diff(events, b.events); diff != "" {
		b.t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

// says is an answer in words, asks one of calls, each "tool what".
func says(text string) llm.Response { return llm.Response{Text: text, Finish: "stop"} }

func asks(calls ...string) llm.Response {
	r := llm.Response{Finish: "tool_calls", Model: "gpt-4o", Usage: llm.Usage{Input: 1000, Output: 1000}}
	for i, c := range calls {
		name, what, _ := strings.Cut(c, " ")
		args, _ := json.Marshal(map[string]string{"what": what})
		r.Calls = append(r.Calls, llm.Call{ID: fmt.Sprint("c", i), Name: name, Args: args})
	}
	return r
}

const roundTokens, roundMicroUSD = 2000, 12_500 // of a round of calls

// statuses are those of the calls, in order.
func statuses(o agent.Outcome) string {
	var all []string
	for _, c := range o.Audit {
		all = append(all, c.Tool+" "+string(c.Status))
	}
	return strings.Join(all, ", ")
}

// A model is shown the tools that it may call, and told what its calls gave; the outcome has all that
// came of it.
func TestRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("look tea", "nothing at all"), says(" Tea it is. "))
	task := b.task()
	o := b.run(task)
	b.want("look tea en", "took look ok", "took nothing denied")
	last := b.asked[1].Messages
	if got := last[len(last)-2]; got.CallID != "c0" || got.Text != `"saw tea"` {
		t.Errorf("the model was told %+v", got)
	}
	if got := last[len(last)-1]; got.CallID != "c1" || !strings.Contains(got.Text, "there is no such tool") {
		t.Errorf("the model was told %+v", got)
	}
	if r := b.asked[0]; r.Model != "gpt-4o" || r.Seed != "ann" || len(r.Tools) != 4 || !r.ParallelCalls {
		t.Errorf("the model was asked %+v", r)
	}
	args := json.RawMessage(`{"what":"tea"}`)
	if got := o.Audit[0]; got.Key != tool.Key("t/1", "look", args, 1) || got.Args != string(args) || got.Verdict != "allow" || o.Audit[1].Verdict != "deny" {
		t.Errorf("audit %+v", o.Audit)
	}
	if o.End != agent.Answered || o.Text != " Tea it is. " || o.Rounds != 2 || o.Usage.Output != 1000 || o.MicroUSD != roundMicroUSD ||
		len(o.Cards) != 1 || !slices.Equal(o.Facts, []string{"seen:tea"}) || len(o.Memory) != 1 || string(o.Memory[0].Data) != `"tea"` {
		t.Errorf("%+v", o)
	}
}

// Each limit stops a model that never comes to an end where it is reached, and not one step before.
func TestLimitsAreExact(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		bind   func(b *bench, l *agent.Limits)
		rounds int
		calls  string // "" is two that are allowed in each round
		why    string
	}{
		"rounds":                       {func(_ *bench, l *agent.Limits) { l.Rounds = 3 }, 3, "", "rounds"},
		"calls":                        {func(_ *bench, l *agent.Limits) { l.Calls = 4 }, 2, "", "calls"},
		"calls, one above":             {func(_ *bench, l *agent.Limits) { l.Calls = 5 }, 3, "", "calls"},
		"tokens":                       {func(_ *bench, l *agent.Limits) { l.Tokens = 3 * roundTokens }, 3, "", "tokens"},
		"tokens, one above":            {func(_ *bench, l *agent.Limits) { l.Tokens = 3*roundTokens + 1 }, 4, "", "tokens"},
		"money":                        {func(_ *bench, l *agent.Limits) { l.MicroUSD = 3 * roundMicroUSD }, 3, "", "money"},
		"money, one above":             {func(_ *bench, l *agent.Limits) { l.MicroUSD = 3*roundMicroUSD + 1 }, 4, "", "money"},
		"time":                         {func(b *bench, l *agent.Limits) { l.Until = b.at.Add(30 * time.Second) }, 3, "", "time"},
		"time, one above":              {func(b *bench, l *agent.Limits) { l.Until = b.at.Add(31 * time.Second) }, 4, "", "time"},
		"the same call":                {func(_ *bench, l *agent.Limits) { l.SameCall = 2 }, 3, "look tea", "the same call again and again"},
		"the same call, all in one":    {func(_ *bench, l *agent.Limits) { l.SameCall = 2 }, 1, "look tea,look tea,look tea", "the same call again and again"},
		"nothing is allowed by a zero": {func(_ *bench, l *agent.Limits) { *l = agent.Limits{} }, 0, "", "rounds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			for n := range 10 {
				calls := []string{fmt.Sprint("look ", n, "a"), fmt.Sprint("look ", n, "b")}
				if tt.calls != "" {
					calls = strings.Split(tt.calls, ",")
				}
				b.answers = append(b.answers, asks(calls...))
			}
			task := b.task()
			tt.bind(b, &task.Limits)
			o := b.run(task)
			if o.End != agent.Bounded || o.Why != tt.why || len(b.asked) != tt.rounds || o.Rounds != tt.rounds || len(o.Audit) > task.Limits.Calls {
				t.Errorf("%s by %q after %d rounds and %d calls, want %q after %d", o.End, o.Why, len(b.asked), len(o.Audit), tt.why, tt.rounds)
			}
			if tt.calls != "" && strings.Count(statuses(o), " ok") != 2 {
				t.Errorf("calls: %s", statuses(o))
			}
		})
	}
}

// Of one round no more than eight calls are taken, each of a name and of arguments that are safe to keep.
func TestWhatAModelAsksForIsBounded(t *testing.T) {
	t.Parallel()
	many := asks(slices.Repeat([]string{"look tea"}, 9)...)
	many.Calls[0].Name = strings.Repeat("look", 100)
	many.Calls[1].Args = json.RawMessage(`{"what":`)
	many.Calls[2].Args = json.RawMessage(`{"what":"` + strings.Repeat("x", tool.MaxArgs) + `"}`)
	b := newBench(t, many, says("Hello."))
	o := b.run(b.task())
	if got := statuses(o); len(o.Audit) != 8 || strings.Count(got, "denied") != 3 || len([]rune(o.Audit[0].Tool)) > 64 {
		t.Errorf("%d calls: %s", len(o.Audit), got)
	}
}

// A decision to propose is kept before it runs, with those to read that led to it; one that only reads
// is not kept. What stands is run, whatever the model has said.
func TestAProposalIsKeptBeforeItRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("look tea"), asks("offer tea"), says("Shall I?"))
	var kept []agent.Entry
	task := b.task()
	task.Keep = func(_ context.Context, e agent.Entry) (agent.Entry, error) {
		b.note("keep %d", e.Step)
		kept = append(kept, e)
		e.Data = strings.ReplaceAll(e.Data, "tea", "soup") // as somebody else has stored it
		return e, nil
	}
	o := b.run(task)
	b.want("look tea en", "took look ok", "keep 0", "offer soup en", "took offer proposed")
	if len(kept) != 1 || strings.Count(kept[0].Data, `"calls"`) != 2 || o.Unkept() != 0 {
		t.Errorf("kept %+v, not kept %d", kept, o.Unkept())
	}

	gone := errors.New("gone")
	b = newBench(t, asks("offer tea"))
	task = b.task()
	task.Keep = func(context.Context, agent.Entry) (agent.Entry, error) { return agent.Entry{}, gone }
	if o, err := agent.Run(t.Context(), task); !errors.Is(err, gone) || o.MicroUSD != roundMicroUSD || o.Unkept() != roundMicroUSD {
		t.Errorf("%v, spent %d, not kept %d", err, o.MicroUSD, o.Unkept())
	}
	b.want()
}

// What was kept is done again under the same keys and in the language that it was decided in, and
// counts; the run that goes on does not repeat it.
func TestResume(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("look tea"), asks("offer tea"), asks("offer soup"))
	var kept []agent.Entry
	task := b.task()
	task.Limits.Rounds = 3
	task.Keep = func(_ context.Context, e agent.Entry) (agent.Entry, error) { kept = append(kept, e); return e, nil }
	before := b.run(task)

	again := newBench(t, asks("offer bread"), says("Shall I?"))
	task = again.task()
	task.Context.Language, task.Kept = "tr", kept
	task.Keep = func(_ context.Context, e agent.Entry) (agent.Entry, error) {
		again.note("keep %d", e.Step)
		return e, nil
	}
	o, err := agent.Resume(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	again.want("look tea en", "took look ok", "offer tea en", "took offer proposed", "offer soup en", "took offer proposed")
	times := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".MS" }, cmp.Ignore())
	if diff := cmp.Diff(before.Audit, o.Audit, times); diff != "" || o.Rounds != 3 || o.MicroUSD != before.MicroUSD || len(again.asked) != 0 {
		t.Errorf("%d rounds for %d, model asked %d times; calls (-before +after):\n%s", o.Rounds, o.MicroUSD, len(again.asked), diff)
	}

	again.events = nil
	task.From, task.Messages = o, []llm.Message{{Role: llm.User, Text: "well?"}}
	o = again.run(task)
	again.want("keep 2", "offer bread tr", "took offer proposed")
	if o.Rounds != 5 || len(o.Audit) != 4 {
		t.Errorf("%d rounds, %d calls", o.Rounds, len(o.Audit))
	}

	alone := newBench(t, says("Hello."))
	task = alone.task()
	task.Kept = kept
	if o := alone.run(task); o.Rounds != 4 || len(alone.asked) != 1 {
		t.Errorf("without Resume: %d rounds, asked %d times", o.Rounds, len(alone.asked))
	}
	for _, data := range []string{"[]", `{"text":"hi"}`, ""} {
		task.Kept = []agent.Entry{{Data: data}}
		if _, err := agent.Run(t.Context(), task); !fault.Is(err, fault.Internal) {
			t.Errorf("kept %q: %v", data, err)
		}
	}
}

// A run that goes on from another's outcome has its history and its limits, and leaves it as it was.
func TestARunGoesOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("look tea"), says("One."), asks("look tea"), asks("look tea"), says("Two."))
	task := b.task()
	first := b.run(task)
	task.From, task.Messages = first, []llm.Message{{Role: llm.User, Text: "and?"}}
	task.Limits.Rounds, task.Limits.SameCall = 4, 1
	second := b.run(task)
	if second.End != agent.Bounded || second.Text != "" || second.Rounds != 3 || len(second.Audit) != 2 || second.Audit[1].Status != agent.Denied {
		t.Errorf("%+v", second)
	}
	if got := b.asked[2].Messages; len(got) != 4 || got[3].Text != "and?" {
		t.Errorf("the model was told %+v", got)
	}
	if first.Rounds != 2 || len(first.Audit) != 1 || first.Text != "One." {
		t.Errorf("the first is now %+v", first)
	}
	task.Limits.SameCall = 2
	if again := b.run(task); again.Audit[1].Status != agent.OK {
		t.Errorf("going on from it a second time: %+v", again.Audit)
	}
}

// Readers run at the same time, everything else after them and one after the other.
func TestReadersRunTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("offer a", "wait 1", "offer b", "wait 2"), says("Hello."))
	var there sync.WaitGroup
	there.Add(2)
	b.tools = append(b.tools, b.tool("wait", tool.Read, func(string) (tool.Result, error) {
		there.Done()
		there.Wait() // for the other one
		return tool.Result{}, nil
	}))
	task := b.task()
	task.Keep = nil
	b.run(task)
	slices.Sort(b.events[:2])
	b.want("wait 1 en", "wait 2 en", "offer a en", "offer b en", "took offer proposed", "took wait ok", "took offer proposed", "took wait ok")
}

// A tool that panics, fails or gives what is no JSON ends in a result that says so. What may succeed
// when it is tried again is, twice.
func TestToolsThatFail(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("panics", "conflicts", "away", "chan", "memory"), says("Hello."))
	var tries atomic.Int32
	give := func(r tool.Result, err error) func(string) (tool.Result, error) {
		return func(string) (tool.Result, error) { return r, err }
	}
	b.tools = append(b.tools,
		b.tool("panics", tool.Read, func(string) (tool.Result, error) { panic("oh no") }),
		b.tool("conflicts", tool.Propose, give(tool.Result{}, fault.New(fault.Conflict, "taken"))),
		b.tool("away", tool.Propose, func(string) (tool.Result, error) {
			tries.Add(1)
			return tool.Result{}, fault.New(fault.Unavailable, "away")
		}),
		b.tool("chan", tool.Propose, give(tool.Result{Data: make(chan int), Proposal: &tool.Proposal{}}, nil)),
		b.tool("memory", tool.Read, give(tool.Result{Memory: make(chan int)}, nil)),
	)
	o := b.run(b.task())
	if got := statuses(o); got != "panics failed, conflicts failed, away failed, chan failed, memory failed" || tries.Load() != 3 || o.Text != "Hello." {
		t.Errorf("%s, tried %d times, then %q", got, tries.Load(), o.Text)
	}
	if told := b.asked[1].Messages[3].Text; !strings.Contains(told, "taken") {
		t.Errorf("the model was told %s", told)
	}
}

// A call that needs a confirmation does not run: whoever asks for it gets its exact arguments, and what
// it would do.
func TestACallThatWaitsForAYes(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("send a letter"), says("Shall I?"))
	task := b.task()
	var got agent.Result
	task.Took = func(_ context.Context, _ tool.Context, r agent.Result) (bool, error) { got = r; return false, nil }
	o := b.run(task)
	b.want()
	args := json.RawMessage(`{"what":"a letter"}`)
	if !got.Frozen || string(got.Args) != string(args) || got.Key != tool.Key("t/1", "send", args, 1) || got.Summary != `send · “a letter”` {
		t.Errorf("%+v", got)
	}
	if o.Audit[0].Verdict != "confirm" || o.Audit[0].Status != agent.Proposed || !strings.Contains(b.asked[1].Messages[2].Text, "awaiting_confirmation") {
		t.Errorf("%+v; the model was told %+v", o.Audit, b.asked[1].Messages[2])
	}
}

// A call that was confirmed runs before the model is asked, and once; the same call, asked for again,
// waits for another YES.
func TestAConfirmedCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("look the sea"), says("Blue."), says("Still blue."))
	task := b.task()
	task.May = func(tool.Tool) (tool.Verdict, string) { return tool.Confirm, "ask first" }
	task.Confirmed = &llm.Call{ID: "p_1", Name: "look", Args: json.RawMessage(`{"what":"the sea"}`)}
	o := b.run(task)
	b.want("look the sea en", "took look ok", "took look proposed")
	if told := b.asked[0].Messages; o.Text != "Blue." || len(told) != 3 || told[2].Role != llm.ToolRole || told[2].Text != `"saw the sea"` {
		t.Errorf("%q, told %+v", o.Text, told)
	}
	task.From = o
	if o = b.run(task); o.Text != "Still blue." || len(b.events) != 3 {
		t.Errorf("run again: %q, %v", o.Text, b.events)
	}
}

// A model has to call a tool in the rounds in which the caller says so, and never where it has none.
func TestToolChoice(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("look sea"), says("I saw it."))
	task := b.task()
	task.Choice = func() llm.ToolChoice {
		if len(b.asked) == 0 {
			return llm.ToolRequired
		}
		return llm.ToolAuto
	}
	if _, err := agent.Run(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	if len(b.asked) != 2 || b.asked[0].ToolChoice != llm.ToolRequired || b.asked[1].ToolChoice != llm.ToolAuto {
		t.Errorf("asked %d times", len(b.asked))
	}
	bare := newBench(t, says("Hello."))
	task = bare.task()
	task.Offer, task.Choice = nil, func() llm.ToolChoice { return llm.ToolRequired }
	if _, err := agent.Run(t.Context(), task); err != nil || bare.asked[0].ToolChoice != llm.ToolAuto {
		t.Errorf("without tools: %q, %v", bare.asked[0].ToolChoice, err)
	}
}

// Where nobody can be asked, only what reads is offered, and only that runs.
func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("send a letter", "offer tea", "look tea"), says("Hello."))
	task := b.task()
	task.Took = nil
	o := b.run(task)
	b.want("keep 0", "look tea en")
	var offered []string
	for _, s := range b.asked[0].Tools {
		offered = append(offered, s.Name)
	}
	if got := statuses(o); got != "send denied, offer denied, look ok" || !slices.Equal(offered, []string{"look", "leave"}) {
		t.Errorf("offered %q: %s", offered, got)
	}
	task = newBench(t, asks("look tea"), says("Hello.")).task()
	task.Took, task.Tools = nil, nil
	if o, err := agent.Run(t.Context(), task); err != nil || statuses(o) != "look denied" {
		t.Errorf("without tools: %s, %v", statuses(o), err)
	}
}

// The policy is asked again in each round: what it refuses is neither shown nor run.
func TestThePolicyIsAskedEachTime(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("look tea"), asks("look soup"), says("Hello."))
	task := b.task()
	task.May = func(t tool.Tool) (tool.Verdict, string) {
		if len(b.asked) > 1 {
			return tool.Deny, "no more"
		}
		return tool.Allow, ""
	}
	o := b.run(task)
	b.want("look tea en", "took look ok", "took look denied")
	if len(b.asked[2].Tools) != 0 || statuses(o) != "look ok, look denied" || !strings.Contains(b.asked[2].Messages[4].Text, "no more") {
		t.Errorf("%s, then offered %+v after %+v", statuses(o), b.asked[2].Tools, b.asked[2].Messages[4])
	}
}

// A text is judged before anybody sees it. One that is refused is said again; one that is withheld is
// replaced.
func TestATextIsJudged(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("look tea"), says("Booked!"), says("Booked it!"))
	task := b.task()
	task.Took = nil
	task.Sink = agent.Sink{
		Doing: func(_ context.Context, tools []string) { b.note("doing %s", strings.Join(tools, " ")) },
	}
	task.Accept = func(d agent.Draft) agent.Verdict {
		b.note("judge %q with %v, %d", d.Text, d.Facts, d.Again)
		if d.Again == 0 {
			return agent.Verdict{Text: d.Text, Again: "It is not."}
		}
		return agent.Verdict{Text: "Let me look.", Withheld: "a claim"}
	}
	o := b.run(task)
	b.want("doing look", "look tea en", `judge "Booked!" with [seen:tea], 0`, `judge "Booked it!" with [seen:tea], 1`)
	if o.End != agent.Answered || o.Text != "Let me look." || o.Why != "a claim" {
		t.Errorf("%+v", o)
	}
	if got := b.asked[2].Messages[3:]; len(got) != 2 || got[0].Text != "Booked!" || got[1].Role != llm.System || got[1].Text != "It is not." {
		t.Errorf("the model was told %+v", got)
	}
}

// Whoever takes the results may stop the model, after the round in which it said so; an error of theirs
// is the run's.
func TestWhoTakesTheResultsMayStop(t *testing.T) {
	t.Parallel()
	b := newBench(t, asks("leave now", "look tea"), says("never said"))
	o := b.run(b.task())
	slices.Sort(b.events[:2])
	b.want("leave now en", "look tea en", "took leave ok", "took look ok")
	if o.End != agent.Stopped || o.Text != "" || len(b.asked) != 1 {
		t.Errorf("asked %d times: %+v", len(b.asked), o)
	}
	lost := errors.New("lost")
	task := newBench(t, asks("look tea")).task()
	task.Took = func(context.Context, tool.Context, agent.Result) (bool, error) { return false, lost }
	if o, err := agent.Run(t.Context(), task); !errors.Is(err, lost) || o.MicroUSD != roundMicroUSD {
		t.Errorf("%v, spent %d", err, o.MicroUSD)
	}
}

// model answers by a function.
type model struct {
	llm.Model
	answer func(ctx context.Context, req llm.Request) (llm.Response, error)
}

func (m model) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	return m.answer(ctx, req)
}

// A model that fails, or takes all the time there is, ends the run without an answer. What it used
// counts. When whoever asked is gone, that is an error.
func TestAModelThatFails(t *testing.T) {
	t.Parallel()
	task := newBench(t).task()
	task.Model = model{answer: func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Model: "gpt-4o", Usage: llm.Usage{Input: 1000, Output: 1000}}, llm.Fail(llm.Malformed, "no")
	}}
	if o, err := agent.Run(t.Context(), task); err != nil || o.End != agent.ModelFailed || o.Why != "malformed" || o.MicroUSD != roundMicroUSD {
		t.Errorf("%+v, %v", o, err)
	}
	ctx, leave := context.WithCancel(t.Context())
	task.Model = model{answer: func(ctx context.Context, _ llm.Request) (llm.Response, error) {
		leave()
		return llm.Response{}, ctx.Err()
	}}
	if o, err := agent.Run(ctx, task); !errors.Is(err, context.Canceled) || o.End != "" {
		t.Errorf("%+v, %v", o, err)
	}
	b := newBench(t)
	task = b.task()
	task.Limits.Until = b.at.Add(50 * time.Millisecond)
	task.Model = model{answer: func(ctx context.Context, _ llm.Request) (llm.Response, error) {
		<-ctx.Done()
		b.at = b.at.Add(time.Second)
		return llm.Response{}, ctx.Err()
	}}
	if o, err := agent.Run(t.Context(), task); err != nil || o.End != agent.ModelFailed || o.Why != "unavailable" {
		t.Errorf("%+v, %v", o, err)
	}
}

// Models call a dotted tool by its wire name. Everybody else has its own: who is told of results, and
// who reads the audit.
func TestDottedTool(t *testing.T) {
	t.Parallel()
	b := newBench(t,
		llm.Response{Calls: []llm.Call{{ID: "1", Name: "crm_look", Args: json.RawMessage(`{"what":"tea"}`)}}},
		llm.Response{Text: "There is tea."},
	)
	b.tools = []tool.Tool{b.tool("crm.look", tool.Read, func(what string) (tool.Result, error) { return tool.Result{Data: what}, nil })}
	o, err := agent.Run(t.Context(), b.task())
	if err != nil || len(o.Audit) != 1 || o.Audit[0].Tool != "crm.look" || o.Audit[0].Status != agent.OK {
		t.Errorf("%+v, %v", o.Audit, err)
	}
	if !slices.Contains(b.events, "took crm.look ok") {
		t.Errorf("told of %q", b.events)
	}
	if offered, called := b.asked[0].Tools, b.asked[1].Messages[1].Calls; offered[0].Name != "crm_look" || called[0].Name != "crm_look" {
		t.Errorf("the model was shown %s, and has called %s", offered[0].Name, called[0].Name)
	}
}
