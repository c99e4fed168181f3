package turn_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// TestTwoCustomersOneSlot has two customers want the last table at the same time, and
// both say yes at the same time: one has it, and the other is told the truth.
func TestTwoCustomersOneSlot(t *testing.T) {
	t.Parallel()
	for hour := 18; hour < 23; hour++ {
		t.Run(fmt.Sprint(hour), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.stock(nil)
			w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
				if last := req.Messages[len(req.Messages)-1]; last.Role != llm.ToolRole && strings.Contains(last.Text, "book") {
					return llm.Response{Calls: []llm.Call{bookAt("meze", hour)}, Finish: "tool_calls"}, nil
				}
				return llm.Response{Text: "So it is.", Finish: "stop"}, nil
			})
			all := []string{"ann", "bob"}
			w.together(all, "book")
			answers := w.together(all, "yes")
			w.wantOneConfirmed(answers)
			w.settle()
			if len(w.sent) != 1 {
				t.Errorf("the business was told %d times", len(w.sent))
			}
		})
	}
}

// TestTwoCustomersOneExpiredSlot has a second customer take over a hold whose time is
// over, and both say yes at the same time.
func TestTwoCustomersOneExpiredSlot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil)
	w.model = clerkModel()
	w.say(w.from("ann", channel.App, "1", "book"))
	w.clock.add(10*time.Minute + time.Second)
	if a := w.say(w.from("bob", channel.App, "1", "book")); a.Pending == nil {
		t.Fatalf("bob got no offer: %s", textOf(a.Turn))
	}
	answers := w.together([]string{"ann", "bob"}, "yes")
	w.wantOneConfirmed(answers)
	if !strings.Contains(textOf(answers[0].Turn), "Nothing was booked") {
		t.Errorf("ann was told %q", textOf(answers[0].Turn))
	}
	if !strings.Contains(textOf(answers[1].Turn), "confirmed") {
		t.Errorf("bob was told %q", textOf(answers[1].Turn))
	}
}

// together has customers say the same at the same time.
func (w *world) together(who []string, text string) []turn.Answer {
	w.t.Helper()
	w.clock.add(time.Second)
	answers := make([]turn.Answer, len(who))
	var wg sync.WaitGroup
	for i, name := range who {
		wg.Go(func() {
			var err error
			if answers[i], err = w.runner.Converse(w.t.Context(), w.from(name, channel.App, "all-"+text, text)); err != nil {
				w.t.Error(err)
			}
		})
	}
	wg.Wait()
	return answers
}

func (w *world) wantOneConfirmed(answers []turn.Answer) {
	w.t.Helper()
	confirmed := 0
	for _, tx := range w.transactions() {
		if tx.State == ledger.Confirmed {
			confirmed++
		}
	}
	told := 0
	for _, a := range answers {
		if strings.Contains(textOf(a.Turn), "Your booking is confirmed.") {
			told++
		}
	}
	if confirmed != 1 || told != 1 {
		w.t.Errorf("%d confirmed and %d told so, want 1 and 1: %+v", confirmed, told, answers)
	}
}

// TestField18_DuplicateYes delivers one YES ten times at once, to clients that wait and
// to workers of the queue.
func TestField18_DuplicateYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil)
	w.model = clerkModel()
	w.say(w.from("ann", channel.App, "1", "book"))
	w.clock.add(time.Second)
	yes := w.from("ann", channel.App, "the-yes", "yes")
	answers := make([]string, 10)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			a, err := w.runner.Converse(t.Context(), yes)
			if err != nil {
				t.Error(err)
			}
			answers[i] = textOf(a.Turn)
		})
		wg.Go(func() {
			if err := w.runner.Work(t.Context(), threadOf(yes)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	w.settle()
	for _, a := range answers {
		if a != answers[0] || !strings.Contains(a, "Your booking is confirmed.") {
			t.Errorf("answered %q and %q", answers[0], a)
		}
	}
	s := w.state(threadOf(yes))
	if len(s.Turns) != 2 || len(s.Ledger) != 1 || !strings.HasSuffix(s.Ledger[0], "confirmed [event#confirmed event#draft event#hold receipt]") || len(w.sent) != 1 {
		t.Errorf("want two turns, one confirmation, one message: %+v", s)
	}
}

// slowModel answers when it is let go, with what it was told.
type slowModel struct {
	asked chan string // what was said last, when a request has come
	let   chan struct{}
}

func newSlowModel() slowModel {
	return slowModel{asked: make(chan string, 100), let: make(chan struct{})}
}

func (m slowModel) complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	var said []string
	for i := len(req.Messages) - 1; i >= 0 && req.Messages[i].Role == llm.User; i-- {
		said = append([]string{req.Messages[i].Text}, said...)
	}
	m.asked <- strings.Join(said, ", ")
	select {
	case <-m.let:
		return llm.Response{Text: "You said " + strings.Join(said, ", ") + ".", Finish: "stop"}, nil
	case <-ctx.Done():
		return llm.Response{}, llm.Fail(llm.Unavailable, "slow model: %w", ctx.Err())
	}
}

// TestField04_SecondMessageMeanwhile sends a second message while the model thinks about
// the first: both clients get an answer, in one turn that knows both.
func TestField04_SecondMessageMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	m := newSlowModel()
	w.model = llm.Whole(m.complete)
	answers := make([]turn.Answer, 2)
	var wg sync.WaitGroup
	send := func(i int, text string) channel.Inbound {
		in := w.from("ann", channel.App, text, text)
		wg.Go(func() {
			var err error
			if answers[i], err = w.runner.Converse(t.Context(), in); err != nil {
				t.Error(err)
			}
		})
		return in
	}
	in := send(0, "one")
	if said := <-m.asked; said != "one" {
		t.Fatalf("the model was told %q", said)
	}
	w.clock.add(time.Second)
	send(1, "two")
	pausetest.Until(t, "the second message has come in", func() bool { return len(w.head(threadOf(in)).Inbox) == 2 })
	close(m.let)
	wg.Wait()
	for i, a := range answers {
		if got := textOf(a.Turn); got != "You said one, two." {
			t.Errorf("answer %d is %q", i, got)
		}
	}
	if s := w.state(threadOf(in)); len(s.Turns) != 1 || s.Waiting != 0 || s.Leased {
		t.Errorf("want one turn, and nothing left: %+v", s)
	}
}

// TestField30_SecondMessageWhileHandingOver has a second message come in while the turn of the first
// gives the thread to a person: the model is not asked again, and one answer says who comes.
func TestField30_SecondMessageWhileHandingOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := w.from("ann", channel.App, "1", "a person, please")
	asked := 0
	w.model = modelFunc(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
		if asked++; asked == 1 {
			if _, err := w.threads.Append(ctx, w.from("ann", channel.App, "2", "it is about my birthday"), false); err != nil {
				t.Error(err)
			}
		}
		return llm.Response{Calls: calls(llm.Call{Name: "askForPerson", Args: []byte(`{"reason":"asked for one"}`)}), Finish: "tool_calls"}, nil
	})
	a := w.say(in)
	if asked != 1 || len(a.Turn.In) != 2 || textOf(a.Turn) != wording.Say("en", wording.PersonWillAnswer, nil) {
		t.Errorf("asked %d times, %d messages answered by %q", asked, len(a.Turn.In), textOf(a.Turn))
	}
}

// TestField04_WhatToolsFoundIsShown has a second message come in when the model words what it has
// found: the cards are shown beside the answer to both.
func TestField04_WhatToolsFoundIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	asked := 0
	w.model = modelFunc(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
		switch asked++; asked {
		case 1:
			return llm.Response{Calls: calls(search("meze")), Finish: "tool_calls"}, nil
		case 2:
			if _, err := w.threads.Append(ctx, w.from("ann", channel.App, "2", "by the sea"), false); err != nil {
				t.Error(err)
			}
		}
		return llm.Response{Text: "Here.", Finish: "stop"}, nil
	})
	a := w.say(w.from("ann", channel.App, "1", "somewhere to eat?"))
	if asked != 3 || len(a.Turn.In) != 2 || len(a.Turn.Out[0].Cards) != 1 {
		t.Errorf("asked %d times, %d messages answered beside %d cards", asked, len(a.Turn.In), len(a.Turn.Out[0].Cards))
	}
}

// TestField04_SecondMessageToWhatIsResumed has a worker go away while it asks the model, which is
// not the model's fault, and the next one, which goes on from its decision, meet another message:
// the model is told once what its call gave.
func TestField04_SecondMessageToWhatIsResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	ctx, goAway := context.WithCancel(t.Context())
	var told []int // what the call gave, by each question to the model
	w.model = modelFunc(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		told = append(told, 0)
		for _, m := range req.Messages {
			if m.Role == llm.ToolRole {
				told[len(told)-1]++
			}
		}
		switch len(told) {
		case 1:
			return llm.Response{Calls: calls(bookAt("meze", 20)), Finish: "tool_calls"}, nil
		case 2:
			goAway()
			return llm.Response{}, ctx.Err()
		case 3:
			w.comes(w.from("ann", channel.WhatsApp, "2", "by the sea"))
		}
		return llm.Response{Text: "Here.", Finish: "stop"}, nil
	})
	in := w.from("ann", channel.WhatsApp, "1", "book")
	w.comes(in)
	var log strings.Builder
	w.runner.Log = slog.New(slog.NewTextHandler(&log, nil))
	if err := w.runner.Work(ctx, threadOf(in)); !errors.Is(err, context.Canceled) || strings.Contains(log.String(), "model failed") {
		t.Errorf("gone away: %v, log:\n%s", err, &log)
	}
	w.work()
	if said := w.saidIn(threadOf(in)); fmt.Sprint(told, said) != "[0 1 1 1] [book+by the sea]" {
		t.Errorf("the model was told %v times, turns answer %q", told, said)
	}
}

// TestField05_ManyWritersOneThread sends twenty messages on one thread at once: each is
// answered once, in the order in which they came in.
func TestField05_ManyWritersOneThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Text: "Yes?", Finish: "stop"}, nil
	})
	const writers = 20
	var wg sync.WaitGroup
	var id string
	for i := range writers {
		in := w.from("ann", channel.App, fmt.Sprint(i), fmt.Sprint("message ", i))
		id = threadOf(in)
		wg.Go(func() {
			a, err := w.runner.Converse(t.Context(), in)
			if err != nil {
				t.Error(err)
			}
			if textOf(a.Turn) != "Yes?" {
				t.Errorf("message %d got %q", i, textOf(a.Turn))
			}
		})
	}
	wg.Wait()
	times := map[string]int{}
	turns := w.turnsOf(id)
	for i, tn := range turns {
		if tn.N != i+1 {
			t.Errorf("turn %d has number %d", i+1, tn.N)
		}
		for _, m := range tn.In {
			times[m.ID]++
		}
	}
	if len(times) != writers {
		t.Errorf("%d messages were answered, want %d", len(times), writers)
	}
	for id, n := range times {
		if n != 1 {
			t.Errorf("message %s was answered %d times", id, n)
		}
	}
	if s := w.state(id); s.Waiting != 0 || s.Leased {
		t.Errorf("something is left: %+v", s)
	}
}

// TestField07_WebhookWaitsForNobody takes messages in while the model has been thinking
// for a minute.
func TestField07_WebhookWaitsForNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	m := newSlowModel()
	w.model = llm.Whole(m.complete)
	first := w.from("ann", channel.WhatsApp, "1", "one")
	w.comes(first)
	worked := make(chan error, 1)
	go func() { worked <- w.runner.Work(t.Context(), threadOf(first)) }()
	<-m.asked
	for range 12 {
		before := w.head(threadOf(first)).LeaseUntil
		pausetest.Until(t, "the lease's keeper waits", func() bool { return w.clock.waits.Load() == 1 })
		w.clock.add(5 * time.Second)
		pausetest.Until(t, "the lease is renewed", func() bool { return w.head(threadOf(first)).LeaseUntil.After(before) })
	}
	for i := range 5 { // not one of these returns before the model, if they wait for it
		w.comes(w.from("ann", channel.WhatsApp, fmt.Sprint(i+2), fmt.Sprint("more ", i)))
	}
	select {
	case err := <-worked:
		t.Fatalf("the turn has ended: %v", err)
	default:
	}
	close(m.let)
	if err := <-worked; err != nil {
		t.Fatal(err)
	}
	w.settle()
	s := w.state(threadOf(first))
	if got := strings.Join(s.Sent, "; "); got != "You said one, more 0, more 1, more 2, more 3, more 4.\n\n○ Nothing is booked or ordered in this conversation." || s.Waiting != 0 {
		t.Errorf("sent %q: %+v", got, s)
	}
}

// other is a second process, to which every lease has run out.
func (w *world) other() *turn.Runner {
	threads := *w.threads
	threads.Now = func() time.Time { return w.clock.now().Add(2 * thread.LeaseFor) }
	r := &turn.Runner{
		Intake: turn.Intake{Threads: &threads, Queue: w}, Markets: w.runner.Markets, Assistants: w.runner.Assistants, Tools: w.runner.Tools, Commitments: w.runner.Commitments, Matters: w.runner.Matters,
		Model: w.runner.Model, Outbox: w.outbox, Audit: w.runner.Audit, Figures: &turn.Figures{Records: w.runner.Figures.Records, Now: w.clock.now, Log: w.runner.Log}, Now: w.clock.now, Wait: w.clock.wait, Log: w.runner.Log,
	}
	return r
}

// TestOvertaken has another process answer while the model thinks, which then, asked again,
// would have chosen another time: there is one offer, and the client gets the answer that
// asks for its YES. The first process finds out at its next write, or when it renews its
// lease.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	for _, noticed := range []bool{false, true} {
		t.Run(fmt.Sprint("noticed=", noticed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.stock(nil, "meze")
			asked := 0
			w.model = modelFunc(func(ctx context.Context, req llm.Request) (llm.Response, error) {
				if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
					return llm.Response{Text: "There it is.", Finish: "stop"}, nil
				}
				if asked++; asked > 1 {
					return llm.Response{Calls: calls(bookAt("meze", 20)), Finish: "tool_calls"}, nil
				}
				if err := w.other().Work(t.Context(), threadOf(w.last)); err != nil {
					t.Errorf("the other process: %v", err)
				}
				if noticed {
					pausetest.Until(t, "the lease's keeper waits", func() bool { return w.clock.waits.Load() == 1 })
					w.clock.add(thread.LeaseFor / 3)
					<-ctx.Done()
				}
				return llm.Response{Calls: calls(bookAt("meze", 19)), Finish: "tool_calls"}, nil
			})
			w.last = w.from("ann", channel.App, "1", "book")
			a := w.say(w.last)
			txs := w.transactions()
			if len(txs) != 1 || txs[0].State != ledger.Hold || a.Pending == nil || a.Pending.Ref != txs[0].ID || txs[0].Start.Hour() != 18 {
				t.Errorf("want one offer, at eight, that the answer asks about: %+v, pending %+v", txs, a.Pending)
			}
			if turns := w.turnsOf(a.Thread); len(turns) != 1 || !strings.Contains(textOf(a.Turn), "20:00–21:00") {
				t.Errorf("%d turns, answered %q", len(turns), textOf(a.Turn))
			}
		})
	}
}

// TestField05_YesOfAStaleWorker has another process, whose clock is ahead, find that a YES came too
// late while the first is about to carry it out: it does not.
func TestField05_YesOfAStaleWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = clerkModel()
	w.say(w.from("ann", channel.App, "1", "note"))
	w.clock.add(9*time.Minute + 20*time.Second)
	yes := w.from("ann", channel.App, "2", "yes")
	w.comes(yes)
	other := w.other()
	other.Now = other.Threads.Now
	w.start(dynamotest.Open(t, dynamotest.BeforeText(`"kind":{"S":"yes"}`, func() {
		if err := other.Work(t.Context(), threadOf(yes)); err != nil {
			t.Error(err)
		}
	})))
	a := w.say(yes)
	if turns := w.turnsOf(a.Thread); len(turns) != 2 || strings.Contains(textOf(a.Turn), "Done: ") || len(w.left) != 0 {
		t.Errorf("%d turns, answered %q, notes left: %q", len(turns), textOf(a.Turn), w.left)
	}
}

// slipping lets an offer go between a YES and its commit.
type slipping struct {
	booking.Confirm
	slip func(tx string)
}

func (c slipping) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	s, err := c.Confirm.Commit(ctx, tc, consent)
	c.slip(consent.Pending.Ref)
	return s, err
}

// TestField13_HoldGoneAtTheLastMoment ends a hold when its YES has been looked at and not
// yet been carried out: the customer is told the truth.
func TestField13_HoldGoneAtTheLastMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	w.model = clerkModel()
	w.runner.Commitments[booking.ConfirmKind] = slipping{booking.Confirm{Ledger: w.ledger}, func(tx string) {
		if _, err := w.ledger.Release(t.Context(), actor.Actor{Kind: actor.System}, tx, "test", "slip"); err != nil {
			t.Error(err)
		}
	}}
	w.say(w.from("ann", channel.App, "1", "book"))
	a := w.say(w.from("ann", channel.App, "2", "yes"))
	if got := textOf(a.Turn); !strings.Contains(got, "Nothing was booked") || a.Pending != nil || a.Turn.Settled == "" {
		t.Errorf("answered %q, pending %v", got, a.Pending)
	}
	if txs := w.transactions(); len(txs) != 1 || txs[0].State != ledger.Cancelled {
		t.Errorf("%+v", txs)
	}
}
