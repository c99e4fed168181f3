package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/queue"
	"merve/internal/model/llm"
	"merve/internal/plan"
	"merve/internal/tenant/person"
)

// post is a queue that keeps what it is given.
type post chan queue.Message

func (p post) Send(_ context.Context, m queue.Message) error {
	p <- m
	return nil
}

func (p post) Hide(context.Context, string, time.Duration) error { return nil }

// waiting is a plan whose second step runs elsewhere and has not been answered, and the command of that step.
func waiting(t *testing.T) (d *desk, ref plan.Ref, command []byte, answer func() plan.Answer) {
	d = newDesk(t)
	id, commands := d.NewID(), make(post, 4)
	d.NewID = func() string { return id }
	d.Remote = map[string]queue.Queue{"rag": commands}
	d.routes["q"] = steps("math", "one", "rag", "two")
	answers := make(chan plan.Answer, 1)
	go func() {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		a, err := d.Ask(ctx, d.owner, d.named("c"), "q")
		if err != nil {
			t.Error(err)
		}
		answers <- a
	}()
	return d, plan.Ref{Conversation: d.named("c"), Correlation: id}, []byte((<-commands).Body), func() plan.Answer { return <-answers }
}

// worker is the process whose tool the step asks for.
func (d *desk) worker() *plan.Engine {
	e := d.another()
	e.Remote = nil
	return e
}

// A worker elsewhere answers its step, however often and to however many its command comes, and the plan goes on.
func TestWorkerElsewhere(t *testing.T) {
	t.Parallel()
	d, _, command, answer := waiting(t)
	errs := make(chan error, 3)
	for range 3 {
		w := d.worker()
		go func() { errs <- w.Deliver(t.Context(), command) }()
	}
	for range 3 {
		if err := <-errs; err != nil && !fault.Is(err, fault.Unavailable) { // another is at work: the command comes again
			t.Error(err)
		}
	}
	if a := answer(); !strings.Contains(a.Text, "rag of two") || !strings.Contains(a.Text, "math of one") {
		t.Errorf("%q", a.Text)
	}
	if err := d.worker().Deliver(t.Context(), command); err != nil {
		t.Errorf("a command that comes late: %v", err)
	}
	if n := len(slices.DeleteFunc(slices.Clone(d.ran), func(s string) bool { return s != "rag:two" })); n != 1 || d.asked.Load() != 2 {
		t.Errorf("ran %v, %d calls of the model", d.ran, d.asked.Load())
	}
}

// A result from outside counts when a step waits for it, once; anything else is refused and nothing changes.
func TestResultsFromOutside(t *testing.T) {
	t.Parallel()
	d, ref, _, answer := waiting(t)
	result := func(change func(p *plan.Resulted, w *plan.Wire)) []byte {
		p := plan.Resulted{PlanID: "plan_" + ref.Correlation, StepIndex: 1, ToolName: "rag", Result: json.RawMessage(`"from outside"`), Success: true, DurationMs: 5}
		w := plan.Wire{EventType: plan.ToolInvocationResulted, CorrelationID: ref.Correlation, Timestamp: time.Now().UnixMilli()}
		change(&p, &w)
		w.Payload, _ = json.Marshal(p)
		raw, _ := json.Marshal(w)
		return raw
	}
	for name, raw := range map[string][]byte{
		"of no plan":      result(func(_ *plan.Resulted, w *plan.Wire) { w.CorrelationID = "0193a1c0-0000-7000-8000-0000000000ff" }),
		"of another plan": result(func(p *plan.Resulted, _ *plan.Wire) { p.PlanID = "plan_x" }),
		"of another tool": result(func(p *plan.Resulted, _ *plan.Wire) { p.ToolName = "math" }),
		"of no step":      result(func(p *plan.Resulted, _ *plan.Wire) { p.StepIndex = 7 }),
		"kept elsewhere": result(func(p *plan.Resulted, _ *plan.Wire) {
			p.Result = json.RawMessage(`{"stored":{"key":"results/x","bytes":5},"excerpt":"y"}`)
		}),
		"no event": []byte(`{"eventType":"ToolInvocationResulted"}`),
		"no JSON":  []byte(`)]}`),
		"1 MB":     result(func(p *plan.Resulted, _ *plan.Wire) { p.Result, _ = json.Marshal(strings.Repeat("x", 1<<20)) }),
	} {
		if err := d.another().Deliver(t.Context(), raw); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	right := result(func(_ *plan.Resulted, w *plan.Wire) { w.Timestamp = 1 }) // somebody's clock is wrong
	for range 3 {
		if err := d.another().Deliver(t.Context(), right); err != nil {
			t.Fatal(err)
		}
	}
	second := result(func(p *plan.Resulted, _ *plan.Wire) { p.Result = json.RawMessage(`"another answer"`) })
	if err := d.another().Deliver(t.Context(), second); err != nil {
		t.Errorf("a second result: %v", err)
	}
	if a := answer(); !strings.Contains(a.Text, "from outside") || strings.Contains(a.Text, "another answer") {
		t.Errorf("%q", a.Text)
	}
	events := d.trace("c")
	for i, e := range events[1:] {
		if e.At.Before(events[i].At) {
			t.Errorf("%s is before %s", e.Type, events[i].Type)
		}
	}
}

// All events of a plan, each three times and in any order, come to nothing that is not there already.
func TestEventsAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.routes["q"] = chain("rag", "one", "math", "two")
	d.ask("c", "q")
	before := d.trace("c")
	for i := range 3 * len(before) {
		raw, err := json.Marshal(before[(i*7)%len(before)].Wire())
		if err != nil {
			t.Fatal(err)
		}
		if err := d.another().Deliver(t.Context(), raw); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if after := d.trace("c"); fmt.Sprint(after) != fmt.Sprint(before) || len(d.ran) != 2 || d.asked.Load() != 2 {
		t.Errorf("%v\n%v", types(after), d.ran)
	}
}

// What comes for a plan that was reset or erased is dropped: before, while and after its events are deleted. It is no error, and
// nothing is stored.
func TestLateForAReset(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(d *desk, s *plan.Store) error{
		"reset": func(d *desk, s *plan.Store) error { return s.Reset(d.t.Context(), d.owner, d.named("c")) },
		"erased": func(d *desk, s *plan.Store) error {
			_, err := plan.Held{Store: s, Market: "home"}.Erase(d.t.Context(), person.Subject{Market: "home", Owner: d.owner})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, open := range []bool{true, false} {
				d := newDesk(t)
				d.routes["q"] = chain("rag", "one", "math", "two")
				if open { // its last step is at work elsewhere
					commands := make(post, 8)
					d.Remote = map[string]queue.Queue{"math": commands}
					ctx, leave := context.WithCancel(t.Context())
					go func() { <-commands; leave() }()
					if _, err := d.Ask(ctx, d.owner, d.named("c"), "q"); !errors.Is(err, plan.ErrLater) {
						t.Fatal(err)
					}
				} else {
					d.ask("c", "q")
				}
				late := d.late(d.trace("c"))
				ran, moved := len(d.ran), false
				db := dynamotest.Open(t, dynamotest.Look{See: func(op string, body []byte) ([]byte, error) {
					if moved && op != "Query" {
						late("meanwhile")
					}
					moved = moved || op == "UpdateItem" || op == "TransactWriteItems"
					return body, nil
				}})
				if err := end(d, &plan.Store{Table: db.Table(dynamotest.TableName("conversations")), Now: d.Now}); err != nil {
					t.Fatal(err)
				}
				late("afterwards")
				if len(d.ran) != ran {
					t.Errorf("ran %v", d.ran)
				}
				if name == "erased" {
					d.nothingOf(d.owner, "c")
				}
			}
		})
	}
}

// late delivers events, and a result that is not among them.
func (d *desk) late(events []plan.Event) func(at string) {
	p := plan.Resulted{PlanID: "plan_" + events[0].Correlation, StepIndex: 1, ToolName: "math", Result: json.RawMessage(`"late"`), Success: true}
	payload, err := json.Marshal(p)
	if err != nil {
		d.t.Fatal(err)
	}
	all := append(events, plan.Event{Type: plan.ToolInvocationResulted, Correlation: events[0].Correlation, At: d.Now(), Payload: payload})
	return func(at string) {
		for _, e := range all {
			raw, err := json.Marshal(e.Wire())
			if err != nil {
				d.t.Fatal(err)
			}
			if err := d.another().Deliver(d.t.Context(), raw); err != nil {
				d.t.Errorf("%s %s: %v", e.Type, at, err)
			}
		}
	}
}

// Prompts of one conversation are answered in order, unmixed, and know of those before; the 21st that waits is refused.
func TestPromptsInOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	gate := make(chan struct{})
	d.tools["math"] = func(_ context.Context, in plan.Input) (any, error) {
		if in.Input == "0" {
			<-gate
		}
		return "result " + in.Input, nil
	}
	for i := range plan.MaxOpen {
		d.routes[fmt.Sprint(i)] = steps("math", fmt.Sprint(i))
	}
	type got struct {
		n   int
		a   plan.Answer
		err error
	}
	answers := make(chan got, plan.MaxOpen)
	ask := func(n int) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
		defer cancel()
		a, err := d.Ask(ctx, d.owner, d.named("c"), fmt.Sprint(n))
		answers <- got{n, a, err}
	}
	for i := range plan.MaxOpen {
		go ask(i)
		pausetest.Until(t, "the question has come in", func() bool {
			asked := slices.DeleteFunc(d.events(plan.Ref{Conversation: d.named("c")}), func(e plan.Event) bool { return e.Type != plan.UserQueryReceived })
			return len(asked) > i
		})
	}
	if _, err := d.Ask(t.Context(), d.owner, d.named("c"), "one too many"); !errors.Is(err, plan.ErrTooMany) || !fault.Is(err, fault.Limited) {
		t.Errorf("%v", err)
	}
	close(gate)
	for range plan.MaxOpen {
		g := <-answers
		if g.err != nil || !strings.Contains(g.a.Text, fmt.Sprintf("result %d", g.n)) {
			t.Errorf("%d: %q, %v", g.n, g.a.Text, g.err)
		}
	}
	var open string
	for _, e := range d.trace("c") { // no plan begins before the one before it is answered
		switch e.Type {
		case plan.PlanGenerated:
			if open != "" {
				t.Errorf("%s is planned while %s is open", e.Correlation, open)
			}
			open = e.Correlation
		case plan.FinalAnswerSynthesized:
			open = ""
		}
	}
}

// The router and the aggregator are told of earlier answers.
func TestMemory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var seen []string
	d.reply = func(req llm.Request) (string, error) {
		for _, m := range req.Messages {
			seen = append(seen, string(m.Role)+": "+m.Text)
		}
		return "It is 51.", nil
	}
	d.ask("c", "What is 15% of 340?")
	seen = nil
	d.ask("c", "And half of that?")
	if all := strings.Join(seen, "\n"); !strings.Contains(all, "user: What is 15% of 340?") || !strings.Contains(all, "assistant: It is 51.") {
		t.Errorf("%s", all)
	}
	if err := d.Store.Reset(t.Context(), d.owner, d.named("c")); err != nil {
		t.Fatal(err)
	}
	seen = nil
	d.ask("c", "And half of that?")
	if all := strings.Join(seen, "\n"); strings.Contains(all, "51") {
		t.Errorf("after a reset: %s", all)
	}
}

// A conversation is its owner's alone; one of nobody is whose who knows its name, which is a UUID then.
func TestWhoseConversation(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ask("c", "hello")
	for name, do := range map[string]func() error{
		"trace": func() error { _, err := d.Store.Trace(t.Context(), "session:other", d.named("c")); return err },
		"reset": func() error { return d.Store.Reset(t.Context(), "session:other", d.named("c")) },
		"ask":   func() error { _, err := d.Ask(t.Context(), "session:other", d.named("c"), "hello"); return err },
		"none":  func() error { _, err := d.Store.Trace(t.Context(), d.owner, d.named("never")); return err },
	} {
		if err := do(); !errors.Is(err, actor.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Ask(t.Context(), "", d.named("open"), "hello"); !fault.Is(err, fault.Invalid) {
		t.Errorf("nobody's, by a name that can be guessed: %v", err)
	}
	id := d.NewID()
	if _, err := d.Ask(t.Context(), "", id, "hello"); err != nil {
		t.Fatal(err)
	}
	if events, err := d.Store.Trace(t.Context(), "session:other", id); err != nil || len(events) != 7 {
		t.Errorf("%v, %v", events, err)
	}
	for _, e := range d.trace("c") {
		if strings.Contains(string(e.Payload), strings.TrimPrefix(d.owner, "session:")) && !strings.Contains(string(e.Payload), d.named("c")) {
			t.Errorf("%s gives away whose it is", e.Payload)
		}
	}
}

// What the model plans is taken as far as it is right; else one step of small talk stands in, and the trace says why.
func TestBadPlans(t *testing.T) {
	t.Parallel()
	thousand := make([]string, 0, 2000)
	for range 1000 {
		thousand = append(thousand, "math", "1")
	}
	step := func(tool, input, needs string) string {
		return fmt.Sprintf(`{"tool":%q,"input":%q,"dependsOn":%s}`, tool, input, needs)
	}
	of := func(total int, steps ...string) string {
		return fmt.Sprintf(`{"steps":[%s],"totalSteps":%d}`, strings.Join(steps, ","), total)
	}
	for name, routed := range map[string]string{
		"no JSON":        "I would rather talk.",
		"no steps":       of(0),
		"1,000 steps":    steps(thousand...),
		"unknown tool":   of(1, step("transfer_money", "all", "[]")),
		"no input":       of(1, step("math", " ", "[]")),
		"long input":     of(1, step("math", strings.Repeat("1", 2001), "[]")),
		"self":           of(1, step("math", "1", "[0]")),
		"forward":        of(2, step("math", "1", "[1]"), step("math", "2", "[]")),
		"cycle":          of(2, step("math", "1", "[1]"), step("math", "2", "[0]")),
		"out of range":   of(2, step("math", "1", "[]"), step("math", "2", "[9]")),
		"negative":       of(2, step("math", "1", "[]"), step("math", "2", "[-1]")),
		"twice the same": of(2, step("math", "1", "[]"), step("math", "2", "[0,0]")),
		"total lies":     of(5, step("math", "1", "[]")),
	} {
		d := newDesk(t)
		d.routes["q"] = routed
		a := d.ask("c", "q")
		events := d.trace("c")
		if !slices.Equal(d.ran, []string{"general_chat:q"}) || a.Text == "" || !strings.HasPrefix(events[1].Note, "fallback: ") {
			t.Errorf("%s: ran %v, %q, noted %q", name, d.ran, a.Text, events[1].Note)
		}
	}
}

// A command that nobody answers is sent again when a claim on it would have run out, once, and given up when its time is up.
func TestCommandIsSentAgain(t *testing.T) {
	t.Parallel()
	d, c := newDesk(t), &clock{}
	commands := make(post, 100)
	e := d.process(t, c, dynamotest.TableName("conversations"), nil)
	e.Remote = map[string]queue.Queue{"rag": commands}
	d.routes["q"] = steps("rag", "one")
	answers := make(chan plan.Answer, 1)
	go func() {
		a, err := e.Ask(t.Context(), d.owner, d.named("c"), "q")
		if err != nil {
			t.Error(err)
		}
		answers <- a
	}()
	first := <-commands
	c.forward(plan.ClaimTime + time.Second)
	if again := <-commands; again.Body != first.Body && !strings.Contains(again.Body, "ToolInvocationRequested") {
		t.Errorf("%s", again.Body)
	}
	c.forward(plan.StepTime - plan.ClaimTime)
	if a := <-answers; !strings.Contains(a.Text, "failed") || len(commands) > 0 {
		t.Errorf("%q, %d commands more", a.Text, len(commands))
	}
}

// A question whose asker has gone is begun when the one before it is answered, by whoever that is told to.
func TestNextIsBegun(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	timers := make(post, 100)
	d.Timers = timers
	began, end := make(chan struct{}), make(chan struct{})
	d.tools["math"] = func(context.Context, plan.Input) (any, error) {
		close(began)
		<-end
		return "first", nil
	}
	d.routes["one"], d.routes["two"] = steps("math", "1"), steps("rag", "2")
	answers := make(chan plan.Answer, 1)
	go func() { answers <- d.ask("c", "one") }()
	<-began
	ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer leave()
	if _, err := d.Ask(ctx, d.owner, d.named("c"), "two"); !errors.Is(err, plan.ErrLater) {
		t.Fatal(err)
	}
	close(end)
	<-answers
	for len(timers) > 0 {
		if m := <-timers; m.Delay == 0 {
			if err := d.another().Deliver(t.Context(), []byte(m.Body)); err != nil {
				t.Error(err)
			}
		}
	}
	if got := types(d.trace("c")); len(got) != 14 || got[13] != "FinalAnswerSynthesized" {
		t.Errorf("%v", got)
	}
}
