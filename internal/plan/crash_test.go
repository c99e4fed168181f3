package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/queue"
	"merve/internal/plan"
	"merve/internal/tenant/person"
)

// clock is the real one, and may be put forward.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) forward(d time.Duration) { c.ahead.Add(int64(d)) }

// process is an engine of its own process, whose calls to the store go through transport.
func (d *desk) process(t testing.TB, c *clock, table string, calls *faulttest.Calls) *plan.Engine {
	db := dynamotest.Open(t)
	if calls != nil {
		db = dynamotest.Once(t, calls)
	}
	e := d.another()
	e.Store, e.Now = &plan.Store{Table: db.Table(table), Now: c.now}, c.now
	return e
}

// Whatever dies between any two calls, the question is answered once, each step has one result, and
// no crash costs more than one more call of the model and of the tool.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	type outcome struct {
		Types []string
		Text  string
	}
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) outcome {
		d, c := newDesk(t), &clock{}
		d.routes["q"] = chain("rag", "one", "math", "two")
		ref := plan.Ref{Conversation: d.named("c"), Correlation: d.NewID()}
		crashing := d.process(t, c, dynamotest.TableName("conversations"), calls)
		crashing.NewID = func() string { return ref.Correlation }
		_, err := crashing.Ask(t.Context(), d.owner, ref.Conversation, "q")
		for range 4 {
			if err == nil {
				break
			}
			c.forward(plan.ClaimTime + time.Second)
			next := d.process(t, c, dynamotest.TableName("conversations"), nil)
			next.NewID = crashing.NewID
			if err = next.Look(t.Context(), ref); err == nil && len(d.events(ref)) == 0 { // it was never taken
				_, err = next.Ask(t.Context(), d.owner, ref.Conversation, "q")
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		events := d.events(ref)
		var out outcome
		out.Types = types(events)
		var f plan.Final
		if len(events) > 0 && json.Unmarshal(events[len(events)-1].Payload, &f) == nil {
			out.Text = f.FinalAnswer
		}
		extra := len(calls.Met())
		if n := int(d.asked.Load()); n > 2+extra || len(d.ran) > 2+extra {
			t.Errorf("%d calls of the model, tools %v", n, d.ran)
		}
		return out
	})
}

// events are those of a conversation that may not have begun.
func (d *desk) events(ref plan.Ref) []plan.Event {
	all, err := d.Store.Trace(d.t.Context(), d.owner, ref.Conversation)
	if err != nil {
		return nil
	}
	return all
}

// Two processes that drive the same plan at once give each step one request and one result, and one answer.
func TestTwoDriveOnePlan(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.routes["q"] = chain("rag", "one", "math", "two", "rag", "three")
	id := d.NewID()
	d.NewID = func() string { return id }
	ref := plan.Ref{Conversation: d.named("c"), Correlation: id}
	ctx, stop := context.WithCancel(t.Context())
	looked := make(chan error, 2)
	for range 2 {
		other := d.another()
		go func() {
			var err error
			for ctx.Err() == nil && err == nil {
				err = other.Look(ctx, ref)
			}
			looked <- err
		}()
	}
	d.ask("c", "q")
	stop()
	for range 2 {
		if err := <-looked; err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, plan.ErrLater) {
			t.Error(err)
		}
	}
	events := d.events(ref)
	got := slices.Sorted(slices.Values(types(events)))
	want := slices.Sorted(slices.Values([]string{
		"UserQueryReceived", "PlanGenerated", "ToolInvocationRequested", "ToolInvocationRequested", "ToolInvocationRequested",
		"ToolInvocationResulted", "ToolInvocationResulted", "ToolInvocationResulted", "PlanCompleted", "SynthesizeFinalAnswerRequested", "FinalAnswerSynthesized",
	}))
	if !slices.Equal(got, want) || len(d.ran) != 3 || d.asked.Load() != 2 {
		t.Errorf("%v; tools %v; %d calls of the model", got, d.ran, d.asked.Load())
	}
}

// Whoever delivers a command dies between any two calls; the step has one result all the same, and the question its answer.
func TestCrashOfDelivery(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) []string {
		d, c := newDesk(t), &clock{}
		ref := plan.Ref{Conversation: d.named("c"), Correlation: d.NewID()}
		commands := make(post, 8)
		d.routes["q"] = steps("rag", "one")
		first := d.process(t, c, dynamotest.TableName("conversations"), nil)
		first.NewID, first.Remote = func() string { return ref.Correlation }, map[string]queue.Queue{"rag": commands}
		ctx, leave := context.WithCancel(t.Context())
		var command queue.Message
		go func() { command = <-commands; leave() }()
		if _, err := first.Ask(ctx, d.owner, ref.Conversation, "q"); !errors.Is(err, plan.ErrLater) {
			t.Fatal(err)
		}
		err := d.process(t, c, dynamotest.TableName("conversations"), calls).Deliver(t.Context(), []byte(command.Body))
		for range 4 {
			if err == nil {
				break
			}
			c.forward(plan.ClaimTime + time.Second)
			err = d.process(t, c, dynamotest.TableName("conversations"), nil).Deliver(t.Context(), []byte(command.Body))
		}
		if err != nil || len(d.ran) > 1+len(calls.Met()) {
			t.Errorf("%v, ran %v", err, d.ran)
		}
		return types(d.events(ref))
	})
}

// A sweep that dies is done by the next one.
func TestCrashOfSweep(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) []string {
		d, c := newDesk(t), &clock{}
		own := dynamotest.Aside(d.owner, `plan#\d\d`) // what others leave is not swept
		died := faulttest.With(faulttest.At{N: 3, Fault: faulttest.DiesBefore})
		over := func(calls *faulttest.Calls) *plan.Engine {
			e := d.process(t, c, dynamotest.TableName("conversations"), nil)
			look := own
			look.Next = calls
			e.Store.Table = dynamotest.Once(t, look).Table(dynamotest.TableName("conversations"))
			return e
		}
		if _, err := over(died).Ask(t.Context(), d.owner, d.named("c"), "hello"); err == nil {
			t.Fatal("it did not die")
		}
		c.forward(plan.ClaimTime + time.Second)
		_, err := over(calls).Sweep(t.Context(), dynamo.Budget{})
		for range 4 {
			if got := types(d.trace("c")); len(got) == 7 {
				return got
			}
			c.forward(2 * plan.ClaimTime)
			_, err = over(faulttest.With()).Sweep(t.Context(), dynamo.Budget{})
		}
		t.Errorf("%v: %v", types(d.trace("c")), err)
		return nil
	})
}

// A reset that dies is done when it is asked for again.
func TestCrashOfReset(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) []string {
		d := newDesk(t)
		d.ask("c", "hello")
		e := d.process(t, &clock{}, dynamotest.TableName("conversations"), calls)
		if e.Store.Reset(t.Context(), d.owner, d.named("c")) != nil {
			if err := d.Store.Reset(t.Context(), d.owner, d.named("c")); err != nil {
				t.Error(err)
			}
		}
		return types(d.trace("c"))
	})
}

// What died is found by the sweep, also when it never came to a plan; one that is too old is closed in words.
func TestSweep(t *testing.T) {
	t.Parallel()
	table := dynamotest.OwnTable(t, "conversations")
	d, c := newDesk(t), &clock{}
	d.Engine = d.process(t, c, table, nil)
	never := faulttest.With(faulttest.At{N: 3, Fault: faulttest.DiesBefore})
	if _, err := d.process(t, c, table, never).Ask(t.Context(), d.owner, d.named("dead"), "hello"); err == nil {
		t.Fatal("it did not die")
	}
	sweep := func() dynamo.Walked {
		w, err := d.process(t, c, table, nil).Sweep(t.Context(), dynamo.Budget{})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if w := sweep(); w.Done != 0 {
		t.Errorf("swept what is claimed: %+v", w)
	}
	c.forward(plan.ClaimTime + time.Second)
	if w := sweep(); w.Done != 1 {
		t.Errorf("%+v", w)
	}
	if got := types(d.trace("dead")); len(got) != 7 || got[6] != "FinalAnswerSynthesized" {
		t.Errorf("%v", got)
	}
	if w := sweep(); w.Looked != 0 {
		t.Errorf("what is answered is due: %+v", w)
	}

	never = faulttest.With(faulttest.At{N: 3, Fault: faulttest.DiesBefore})
	if _, err := d.process(t, c, table, never).Ask(t.Context(), d.owner, d.named("old"), "Wie spät ist es in Kyrenia, und was kostet das?"); err == nil {
		t.Fatal("it did not die")
	}
	c.forward(plan.PlanTime)
	sweep()
	var f plan.Final
	events := d.trace("old")
	if err := json.Unmarshal(events[len(events)-1].Payload, &f); err != nil || events[len(events)-1].Type != plan.FinalAnswerSynthesized {
		t.Fatalf("%v, %v", types(events), err)
	}
	if f.FinalAnswer == "" || len(events) != 2 {
		t.Errorf("%q, %v", f.FinalAnswer, types(events))
	}
}

// Reset at any moment ends what is open; whoever waits is told, and what comes late is in nobody's way.
func TestResetAtEveryPoint(t *testing.T) {
	t.Parallel()
	points := 0
	for n := int64(1); ; n++ {
		d := newDesk(t)
		d.routes["q"] = chain("rag", "one", "math", "two")
		var calls atomic.Int64
		e := d.another()
		db := dynamotest.Open(t, dynamotest.Look{See: func(_ string, body []byte) ([]byte, error) {
			if calls.Add(1) == n {
				if err := d.Store.Reset(t.Context(), d.owner, d.named("c")); err != nil && n > 2 {
					t.Error(err)
				}
			}
			return body, nil
		}})
		e.Store = &plan.Store{Table: db.Table(dynamotest.TableName("conversations")), Now: time.Now}
		_, err := e.Ask(t.Context(), d.owner, d.named("c"), "q")
		if calls.Load() < n {
			break
		}
		points++
		if err != nil && !errors.Is(err, plan.ErrReset) {
			t.Errorf("reset before call %d: %v", n, err)
		}
		if err == nil && n > 2 && n < calls.Load() {
			t.Errorf("reset before call %d, and answered all the same", n)
		}
		d.routes["again"] = steps("rag", "clean")
		if a := d.ask("c", "again"); a.Text == "" {
			t.Errorf("reset before call %d: no answer afterwards", n)
		}
	}
	faulttest.Tried(t, points)
}

// An assistant's turn that dies while its question is answered asks again under the same key, and the question is one plan.
func TestCrashOfPlanner(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) []string {
		d, c := newDesk(t), &clock{}
		d.routes["q"] = steps("rag", "one")
		healthy := d.Engine
		d.Engine = d.process(t, c, dynamotest.TableName("conversations"), calls)
		said, err := d.handOver(t.Context(), "key", "q")
		for range 4 {
			if err == nil && said["status"] == "answered" {
				break
			}
			c.forward(plan.ClaimTime + time.Second)
			d.Engine = d.process(t, c, dynamotest.TableName("conversations"), nil)
			said, err = d.handOver(t.Context(), "key", "q")
		}
		if err != nil || said["status"] != "answered" {
			t.Fatalf("%v, %v", said, err)
		}
		d.Engine = healthy
		all, err := plan.Held{Store: d.Store}.Export(t.Context(), person.Subject{Market: "elsewhere", Owner: d.owner})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		var events []struct{ EventType string }
		if err := json.Unmarshal(raw, &events); err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, e := range events {
			out = append(out, e.EventType)
		}
		return out
	})
}

// An erasure that dies is done when it is asked for again, and nothing is left of what it had begun to delete.
func TestCrashOfErasure(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) bool {
		d := newDesk(t)
		d.ask("c", "hello")
		e := d.process(t, &clock{}, dynamotest.TableName("conversations"), calls)
		ann := person.Subject{Market: "home", Owner: d.owner}
		if _, err := (plan.Held{Store: e.Store, Market: "home"}).Erase(t.Context(), ann); err != nil {
			if _, err := (plan.Held{Store: d.Store, Market: "home"}).Erase(t.Context(), ann); err != nil {
				t.Error(err)
			}
		}
		d.nothingOf(d.owner, "c")
		return true
	})
}

// Whoever takes longer than a claim lasts renews it: nobody else does the same meanwhile.
func TestClaimsAreRenewed(t *testing.T) {
	t.Parallel()
	d, c := newDesk(t), &clock{}
	began, end, renewals := make(chan struct{}), make(chan struct{}), make(chan struct{})
	d.tools["math"] = func(context.Context, plan.Input) (any, error) {
		close(began)
		<-end
		return "at last", nil
	}
	d.routes["q"] = steps("math", "one")
	ref := plan.Ref{Conversation: d.named("c"), Correlation: d.NewID()}
	slow := d.process(t, c, dynamotest.TableName("conversations"), nil)
	slow.NewID = func() string { return ref.Correlation }
	slow.Wait = func(ctx context.Context, _ time.Duration) error {
		select {
		case <-renewals:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	answers := make(chan plan.Answer, 1)
	go func() {
		a, err := slow.Ask(t.Context(), d.owner, ref.Conversation, "q")
		if err != nil {
			t.Error(err)
		}
		answers <- a
	}()
	<-began
	c.forward(plan.ClaimTime - 2*time.Second)
	renewals <- struct{}{}
	renewals <- struct{}{} // the one before is stored
	c.forward(plan.ClaimTime - 2*time.Second)
	if err := d.process(t, c, dynamotest.TableName("conversations"), nil).Look(t.Context(), ref); err != nil {
		t.Error(err)
	}
	if len(d.ran) != 1 {
		t.Errorf("ran %v", d.ran)
	}
	close(end)
	if a := <-answers; !strings.Contains(a.Text, "at last") {
		t.Errorf("%q", a.Text)
	}
}

// Whoever finds others at work looks again, as long as the plan is open: what they leave when they die does not wait for
// the sweep. A question behind others is begun by whoever answers them.
func TestLooksAgain(t *testing.T) {
	t.Parallel()
	d, c := newDesk(t), &clock{}
	timers := make(post, 100)
	began, end := make(chan struct{}), make(chan struct{})
	d.tools["math"] = func(context.Context, plan.Input) (any, error) {
		close(began)
		<-end
		return "done", nil
	}
	d.routes["q"] = steps("math", "one")
	ref := plan.Ref{Conversation: d.named("c"), Correlation: d.NewID()}
	first := d.process(t, c, dynamotest.TableName("conversations"), nil)
	first.NewID = func() string { return ref.Correlation }
	answers := make(chan error, 1)
	go func() {
		_, err := first.Ask(t.Context(), d.owner, ref.Conversation, "q")
		answers <- err
	}()
	<-began
	other := d.process(t, c, dynamotest.TableName("conversations"), nil)
	other.Timers = timers
	asked, err := json.Marshal(d.events(ref)[0].Wire())
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Deliver(t.Context(), asked); err != nil || len(timers) != 1 {
		t.Fatalf("%v, %d timers", err, len(timers))
	}
	if err := other.Deliver(t.Context(), []byte((<-timers).Body)); err != nil || len(timers) != 1 {
		t.Fatalf("%v, %d timers", err, len(timers))
	}
	ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer leave()
	if _, err := d.Ask(ctx, d.owner, ref.Conversation, "behind it"); !errors.Is(err, plan.ErrLater) {
		t.Fatal(err)
	}
	behind := d.events(ref)[len(d.events(ref))-1]
	if err := other.Look(t.Context(), plan.Ref{Conversation: ref.Conversation, Correlation: behind.Correlation}); err != nil || len(timers) != 1 {
		t.Errorf("%v, %d timers", err, len(timers))
	}
	close(end)
	if err := <-answers; err != nil {
		t.Fatal(err)
	}
	if err := other.Deliver(t.Context(), []byte((<-timers).Body)); err != nil || len(timers) != 0 {
		t.Errorf("when it is answered: %v, %d timers", err, len(timers))
	}
}
