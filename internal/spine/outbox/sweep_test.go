package outbox_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/outbox"
)

// alone begins a test that sweeps, and so looks at a whole table, which is its own.
func alone(t testing.TB) *corner {
	return newCornerOn(t, dynamotest.OwnTable(t, "conversations"), twiliotest.Config{})
}

// first is alone, in the shard that a sweep looks at first, so that it always makes the
// same calls.
func first(t *testing.T) *corner {
	c := alone(t)
	for dynamo.DueShard("outbox", c.thread) != "outbox#00" {
		c.thread = dynamotest.ID("thread")
	}
	return c
}

// Every fault at every call of a sweep.
func TestField09_EveryFaultOfASweep(t *testing.T) {
	faulttest.Everywhere(t, shorter(t), func(t *testing.T, calls *faulttest.Calls) state {
		c := first(t)
		c.put(c.template("1", "K7"))
		c.over(calls)
		again := func() { c.clock.add(2 * time.Minute) }
		again()
		calls.Deliver(t, again, func() error { _, err := c.sender.Sweep(context.Background(), dynamo.Budget{Count: 100}); return err })
		c.settles(calls)
		return c.state()
	})
}

// Every fault at every call of looking for dead letters and of sending one again.
func TestField09_EveryFaultOfADeadLetter(t *testing.T) {
	faulttest.Everywhere(t, shorter(t), func(t *testing.T, calls *faulttest.Calls) state {
		c, ctx := first(t), context.Background()
		c.put(c.template("1", "K7"))
		c.twilio.FailSends(twiliotest.Refusal(twilio.CodeOptedOut))
		c.deliver("1")
		c.over(calls)
		var dead []outbox.Message
		calls.Deliver(t, nil, func() (err error) { dead, err = c.Dead(ctx, 100); return err })
		for _, m := range dead {
			calls.Deliver(t, nil, func() error {
				err := c.SendAgain(ctx, m.Thread, m.ID)
				if fault.Is(err, fault.Conflict) { // it has been done
					return nil
				}
				return err
			})
		}
		c.settles(calls)
		return c.state()
	})
}

func (c *corner) sweep() int {
	c.t.Helper()
	n, err := c.sender.Sweep(context.Background(), dynamo.Budget{Count: 100})
	if err != nil {
		c.t.Error(err)
	}
	return n
}

func TestSweepSendsWhatNoStreamBrought(t *testing.T) {
	t.Parallel()
	c := alone(t)
	for i := range 5 {
		c.put(c.text(fmt.Sprint(i), fmt.Sprint("text ", i)))
	}
	c.clock.add(59 * time.Second)
	if n := c.sweep(); n != 0 {
		t.Errorf("%d before the stream had its time", n)
	}
	c.clock.add(time.Second)
	if n := c.sweep(); n != 5 || len(c.twilio.Messages()) != 5 {
		t.Errorf("%d delivered, %d taken", n, len(c.twilio.Messages()))
	}
	if n := c.sweep(); n != 0 {
		t.Errorf("%d left", n)
	}
}

func TestField09_SweepAsksBeforeItSendsAgain(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{true, false} {
		c := alone(t)
		c.put(c.text("1", "hello"))
		c.twilio.FailSends(twiliotest.Fault{Taken: taken, Drop: true})
		c.deliver("1")
		if n := c.sweep(); n != 0 {
			t.Error("the claim still runs")
		}
		c.clock.add(over)
		c.sweep()
		c.wantStatus(c.get("1"), outbox.Sent)
		c.wantTaken("hello")
		if n := c.sweep(); n != 0 {
			t.Errorf("%d left", n)
		}
	}
}

// While the provider cannot be asked, nothing is sent.
func TestField09_SweepWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.put(c.text("1", "hello"))
	c.twilio.FailSends(twiliotest.After())
	c.deliver("1")
	c.twilio.FailLists(twiliotest.Broken(false), twiliotest.Broken(false))
	for range 2 {
		c.clock.add(over)
		if _, err := c.sender.Sweep(context.Background(), dynamo.Budget{Count: 100}); !fault.Is(err, fault.Unavailable) {
			t.Errorf("sweep: %v", err)
		}
		c.wantStatus(c.get("1"), outbox.Sending)
	}
	c.clock.add(over)
	c.sweep()
	c.wantStatus(c.get("1"), outbox.Sent)
	c.wantTaken("hello")
}

// A provider that cannot be asked holds up nothing for ever: what may have gone out is left to a
// person, never sent again by itself, and the piece after it goes.
func TestField09_GivenUpWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	c, ctx := alone(t), context.Background()
	c.put(c.text("1", "hello"))
	after := c.text("2", "and more")
	after.After = "1"
	c.put(after)
	c.twilio.FailSends(twiliotest.Fault{Taken: true, Drop: true})
	c.deliver("1")
	var asked []time.Duration
	sent := c.clock.now()
	for c.get("1").Status == outbox.Sending && len(asked) < 20 {
		c.twilio.FailLists(twiliotest.Broken(false))
		before := c.get("1").ClaimUntil
		c.clock.add(time.Minute)
		_, err := c.sender.Sweep(ctx, dynamo.Budget{Count: 100})
		if claimed := c.get("1").ClaimUntil; !claimed.Equal(before) {
			asked = append(asked, c.clock.now().Sub(sent))
		}
		if err != nil && !fault.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	minutes := func(n time.Duration) time.Duration { return n * time.Minute }
	if diff := cmp.Diff([]time.Duration{minutes(1), minutes(2), minutes(3), minutes(5), minutes(15), minutes(45)}, asked); diff != "" {
		t.Error("asked after", diff)
	}
	got := c.get("1")
	c.wantStatus(got, outbox.Failed)
	if got.Error != "unclear: the provider cannot be asked" || got.Attempts != 1 || len(c.told()) != 1 {
		t.Errorf("%d attempts, error %q, alerts %q", got.Attempts, got.Error, c.told())
	}
	c.wantDead("1")
	c.clock.add(time.Minute)
	c.sweep()
	c.wantStatus(c.get("2"), outbox.Sent)
	c.wantTaken("hello", "and more")

	if err := c.SendAgain(ctx, c.thread, "1"); err != nil {
		t.Fatal(err)
	}
	c.sweep()
	if got := c.get("1"); got.Status != outbox.Sent || got.Asked != 0 {
		t.Errorf("sent again: %+v", got)
	}
}

func TestOneBadMessageKeepsNoOther(t *testing.T) {
	t.Parallel()
	c := alone(t)
	for i := range 3 {
		c.put(c.text(fmt.Sprint(i), fmt.Sprint("text ", i)))
	}
	bad := c.Table.Update(dynamo.Key{PK: c.thread, SK: "outbox#0"}, "SET attempts = :junk", dynamo.V{":junk": "many"})
	if err := c.Table.DB().Commit(context.Background(), bad); err != nil {
		t.Fatal(err)
	}
	c.clock.add(2 * time.Minute)
	n, err := c.sender.Sweep(context.Background(), dynamo.Budget{Count: 100})
	if n != 2 || err == nil {
		t.Errorf("%d delivered, %v", n, err)
	}
	c.wantTaken("text 1", "text 2")
	gone := c.Table.Delete(dynamo.Key{PK: c.thread, SK: "outbox#0"})
	if err := c.Table.DB().Commit(context.Background(), gone); err != nil {
		t.Fatal(err)
	}
}

// Pieces that wait for the one before them do not fill the sweep's first page and keep that one
// out of it.
func TestWhatWaitsDoesNotFillTheSweep(t *testing.T) {
	t.Parallel()
	c, ctx := alone(t), context.Background()
	c.put(c.text("turn00000001-0", "first"))
	for i, id := range []string{"turn00000001-1", "turn00000001-2"} {
		m := c.text(id, fmt.Sprint("piece ", i))
		m.After = fmt.Sprintf("turn00000001-%d", i)
		c.put(m)
	}
	c.twilio.FailSends(twiliotest.TooMany(0), twiliotest.TooMany(0), twiliotest.TooMany(0))
	c.deliver("turn00000001-0")
	minutes := 0
	for ; minutes < 60 && len(c.taken()) < 3; minutes++ {
		c.clock.add(time.Minute)
		if _, err := c.sender.Sweep(ctx, dynamo.Budget{Count: 2}); err != nil {
			t.Error(err)
		}
	}
	if len(c.taken()) != 3 || minutes > 10 {
		t.Errorf("after %d minutes the provider has %q; the first is %+v", minutes, c.taken(), c.get("turn00000001-0"))
	}
}

// What the stream brings too early stays due where it is, for one request; a sweep moves it, and it
// goes out with the next one when the message before it has gone.
func TestWhatWaitsMovesWhenItIsDue(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.put(c.text("1", "first"))
	m := c.text("2", "second")
	m.After = "1"
	m = c.put(m)
	if got := c.later(time.Second, "2"); !got.DueAt.Equal(m.DueAt) {
		t.Errorf("due at %v, was %v", got.DueAt, m.DueAt)
	}
	c.clock.add(time.Minute)
	if got := c.deliver("2"); !got.DueAt.Equal(c.clock.now().Add(time.Minute)) {
		t.Errorf("due at %v at %v", got.DueAt, c.clock.now())
	}
	c.deliver("1")
	c.clock.add(time.Minute)
	c.sweep()
	c.wantTaken("first", "second")
}

func TestGivenUpAfterAllAttempts(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.put(c.text("1", "hello"))
	for range 6 {
		c.twilio.FailSends(twiliotest.Fault{Status: 503, Code: 20503})
	}
	c.clock.add(2 * time.Minute)
	for range 10 {
		c.sweep()
		c.clock.add(time.Hour)
	}
	got := c.get("1")
	c.wantStatus(got, outbox.Failed)
	if got.Attempts != 6 || !strings.Contains(got.Error, "6 attempts") || len(c.told()) != 1 {
		t.Errorf("%d attempts, error %q, alerts %q", got.Attempts, got.Error, c.told())
	}
	c.wantTaken()
	c.wantDead("1")

	ctx := context.Background()
	if err := c.SendAgain(ctx, c.thread, "1"); err != nil {
		t.Fatal(err)
	}
	c.writes(c.to) // a day is over
	c.sweep()
	got = c.get("1")
	c.wantStatus(got, outbox.Sent)
	if got.Error != "" || got.Attempts != 1 {
		t.Errorf("%+v", got)
	}
	c.wantDead()
	if err := c.SendAgain(ctx, c.thread, "1"); !fault.Is(err, fault.Conflict) {
		t.Errorf("what was sent: %v", err)
	}
	if err := c.SendAgain(ctx, c.thread, dynamotest.ID("none")); !fault.Is(err, fault.NotFound) {
		t.Errorf("what is not there: %v", err)
	}
}

// wantDead fails unless these messages of the corner are the dead letters.
func (c *corner) wantDead(ids ...string) {
	c.t.Helper()
	dead, err := c.Dead(context.Background(), 100)
	if err != nil {
		c.t.Fatal(err)
	}
	var got []string
	for _, m := range dead {
		if m.Thread == c.thread {
			got = append(got, m.ID)
		}
	}
	if strings.Join(got, " ") != strings.Join(ids, " ") {
		c.t.Errorf("dead letters %v, want %v", got, ids)
	}
}

// Given up without an answer, although nothing was ever taken.
func TestGivenUpUnclear(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.put(c.text("1", "hello"))
	for range 9 {
		c.twilio.FailSends(twiliotest.Before())
	}
	c.deliver("1")
	for range 9 {
		c.clock.add(over)
		c.sweep()
	}
	got := c.get("1")
	c.wantStatus(got, outbox.Failed)
	if got.Attempts != 6 || len(c.told()) != 1 {
		t.Errorf("%d attempts, alerts %q", got.Attempts, c.told())
	}
	c.wantDead("1")
}

// A failure that a callback tells of is an alert and a dead letter like any other, and
// what is still said about the earlier send does not count for the new one.
func TestSendAgainAfterACallback(t *testing.T) {
	t.Parallel()
	c := alone(t)
	ctx := context.Background()
	c.put(c.text("1", "hello"))
	first := c.deliver("1").ProviderID
	if err := c.twilio.DeliverError(ctx, first, "undelivered", twilio.CodeOutsideWindow); err != nil {
		t.Fatal(err)
	}
	c.wantStatus(c.get("1"), outbox.Failed)
	c.sweep()
	if len(c.told()) != 1 {
		t.Errorf("alerts %q", c.told())
	}
	c.wantDead("1")
	if err := c.SendAgain(ctx, c.thread, "1"); err != nil {
		t.Fatal(err)
	}
	for _, late := range []string{"sent", "undelivered", "delivered"} {
		if err := c.twilio.Deliver(ctx, first, late); err != nil {
			t.Fatal(err)
		}
		c.wantStatus(c.get("1"), outbox.Queued)
	}
	c.twilio.FailSends(twiliotest.Before())
	c.sweep()
	c.clock.add(over)
	c.sweep() // the earlier send is not taken for the lost one
	got := c.get("1")
	c.wantStatus(got, outbox.Sent)
	if got.ProviderID == first {
		t.Error("it has the id of the earlier send")
	}
	c.wantTaken("hello", "hello")
}

// Two operators send a message again at once: it counts for one of them, even if it has
// failed once more meanwhile, and what the provider says of any earlier send is past.
func TestTwoOperatorsSendAgain(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{true, false} { // so that there is no id of the provider, or by a callback
		for _, again := range []bool{true, false} {
			c, ctx := newCorner(t), context.Background()
			c.put(c.text("1", "hello"))
			fails := func() {
				if sid := c.deliver("1").ProviderID; sid != "" {
					if err := c.twilio.DeliverError(ctx, sid, "failed", 63003); err != nil {
						t.Fatal(err)
					}
				}
				c.wantStatus(c.get("1"), outbox.Failed)
			}
			if refused {
				c.twilio.FailSends(twiliotest.Refusal(twilio.CodeOptedOut))
			}
			fails()
			other := dynamotest.Before("UpdateItem", func() {
				if err := c.SendAgain(ctx, c.thread, "1"); err != nil {
					t.Error(err)
				}
				if again {
					fails()
				}
			})
			late := &outbox.Box{Table: dynamotest.Open(t, other).Table(dynamotest.TableName("conversations")), Now: c.clock.now}
			if err := late.SendAgain(ctx, c.thread, "1"); !fault.Is(err, fault.Conflict) {
				t.Errorf("refused %v, failed again %v: %v", refused, again, err)
			}
		}
	}
}

// What has not failed when an operator wants it sent again is not, even if it fails meanwhile.
func TestFailedAfterItWasToBeSentAgain(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.put(c.text("1", "hello"))
	c.twilio.FailSends(twiliotest.Refusal(twilio.CodeOptedOut))
	meanwhile := dynamotest.Before("UpdateItem", func() { c.wantStatus(c.deliver("1"), outbox.Failed) })
	late := &outbox.Box{Table: dynamotest.Open(t, meanwhile).Table(c.table), Now: c.clock.now}
	if err := late.SendAgain(ctx, c.thread, "1"); !fault.Is(err, fault.Conflict) {
		t.Errorf("err = %v", err)
	}
}

// A message that failed and has come through all the same is not sent again.
func TestDeliveredBeforeItIsSentAgain(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.put(c.text("1", "hello"))
	sid := c.deliver("1").ProviderID
	if err := c.twilio.DeliverError(ctx, sid, "undelivered", 63003); err != nil {
		t.Fatal(err)
	}
	c.wantStatus(c.get("1"), outbox.Failed)
	callback := dynamotest.Before("UpdateItem", func() {
		if err := c.look.Note(ctx, outbox.StatusReport{Thread: c.thread, ID: "1", ProviderID: sid, Status: outbox.Delivered}); err != nil {
			t.Error(err)
		}
	})
	late := &outbox.Box{Table: dynamotest.Open(t, callback).Table(dynamotest.TableName("conversations")), Now: c.clock.now}
	if err := late.SendAgain(ctx, c.thread, "1"); !fault.Is(err, fault.Conflict) {
		t.Errorf("err = %v", err)
	}
	c.wantStatus(c.get("1"), outbox.Delivered)
}

// A sweep that settles a message while another one has come to do so leaves it alone.
func TestTwoSweepsSettle(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"UpdateItem", "Query"} { // before it has claimed the message, and after
		c, ctx := newCorner(t), context.Background()
		c.put(c.text("1", "hello"))
		c.twilio.FailSends(twiliotest.Before())
		c.deliver("1")
		c.clock.add(over)
		stale := c.get("1")
		first := *c.sender
		second := dynamotest.Before(op, func() {
			c.clock.add(over)
			now, err := c.look.Get(ctx, c.thread, "1")
			if err == nil {
				err = first.Deliver(ctx, now)
			}
			if err != nil {
				t.Error(err)
			}
		})
		c.start(dynamotest.Open(t, second), c.twilio.Client())
		requests := c.twilio.Requests()
		if err := c.sender.Deliver(ctx, stale); err != nil {
			t.Error(err)
		}
		c.wantTaken("hello")
		asked := 2 // by the other one: the list, and the send
		if op == "Query" {
			asked++ // and by this one, before
		}
		if n := c.twilio.Requests() - requests; n != asked {
			t.Errorf("another one before %s: the provider was asked %d times, want %d", op, n, asked)
		}
		c.wantStatus(c.get("1"), outbox.Sent)
	}
}

// What the index still has and the table no more is no dead letter.
func TestDeadLettersThatHaveGone(t *testing.T) {
	t.Parallel()
	c, ctx := alone(t), context.Background()
	for _, id := range []string{"1", "2"} {
		c.put(c.text(id, "hello"))
		c.twilio.FailSends(twiliotest.Refusal(twilio.CodeOptedOut))
		c.deliver(id)
	}
	gone := dynamotest.Before("GetItem", func() {
		if err := c.look.Table.DB().Commit(ctx, c.look.Table.Delete(dynamo.Key{PK: c.thread, SK: "outbox#1"})); err != nil {
			t.Error(err)
		}
	})
	c.start(dynamotest.Open(t, gone), c.twilio.Client())
	c.wantDead("2")
}

// How much is overdue, and for how long the oldest of it has waited, is measured at every sweep that finds any.
func TestSweepMeasuresWhatWaits(t *testing.T) {
	c := alone(t)
	var out bytes.Buffer
	c.sender.Log = telemetry.NewLogger(&out, 0)
	sweep := func() string {
		out.Reset()
		if _, err := c.sender.Sweep(t.Context(), dynamo.Budget{Count: 100}); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	if got := sweep(); strings.Contains(got, "OutboxDepth") {
		t.Errorf("nothing waits: %s", got)
	}
	c.put(c.template("1", "K7"))
	c.clock.add(20 * time.Minute)
	if got := sweep(); !strings.Contains(got, `"OutboxDepth":1`) || !strings.Contains(got, `"OutboxAge":1200`) {
		t.Errorf("one waits: %s", got)
	}
}
