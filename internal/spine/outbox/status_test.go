package outbox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
)

// permutations are all orders of xs.
func permutations(xs []string) [][]string {
	if len(xs) < 2 {
		return [][]string{xs}
	}
	var all [][]string
	for i := range xs {
		rest := append(append([]string{}, xs[:i]...), xs[i+1:]...)
		for _, p := range permutations(rest) {
			all = append(all, append([]string{xs[i]}, p...))
		}
	}
	return all
}

// Each order of callbacks, with repeats, and before or after the sender's own record,
// comes to the same.
func TestField10_AllOrdersConverge(t *testing.T) {
	t.Parallel()
	sets := []struct {
		statuses []string
		want     outbox.Status
		failed   bool
	}{
		{[]string{"queued", "sent", "delivered", "read", "undelivered"}, outbox.Read, true},
		{[]string{"queued", "sent", "delivered", "read"}, outbox.Read, false},
		{[]string{"queued", "sent", "failed"}, outbox.Failed, true},
		{[]string{"sent", "delivered", "failed"}, outbox.Delivered, true},
		{[]string{"queued"}, outbox.Sent, false},
	}
	for _, set := range sets {
		t.Run(fmt.Sprint(set.statuses), func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			for i, order := range permutations(set.statuses) {
				id := fmt.Sprint(i)
				unclear := i%2 == 1 // the callbacks are faster than the sender's record, or all there is
				if unclear {
					c.twilio.FailSends(twiliotest.After())
				}
				c.put(c.text(id, "hello"))
				c.deliver(id)
				taken := c.twilio.Messages()
				sid := taken[len(taken)-1].SID
				for _, status := range append(order, order[0], order[len(order)-1]) {
					code := 0
					if status == "failed" || status == "undelivered" {
						code = 63016
					}
					if err := c.twilio.DeliverError(context.Background(), sid, status, code); err != nil {
						t.Fatal(err)
					}
				}
				got := c.get(id)
				if got.Status != set.want || got.ProviderID != sid || (got.Error != "") != set.failed || got.SentAt.IsZero() {
					t.Errorf("%v: %s, id %q, error %q, sent at %s", order, got.Status, got.ProviderID, got.Error, got.SentAt)
				}
			}
		})
	}
}

func TestField10_CallbackFasterThanTheRecord(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.put(c.text("1", "hello"))
	provider := c.sender.Providers["whatsapp"]
	c.sender.Providers["whatsapp"] = sends{provider, func(sid string) {
		if err := c.twilio.Deliver(context.Background(), sid, "delivered"); err != nil {
			t.Error(err)
		}
	}}
	if err := c.sender.Deliver(context.Background(), m); err != nil {
		t.Fatal(err)
	}
	c.wantStatus(c.get("1"), outbox.Delivered)
}

// A message is read when its reader is back from holiday.
func TestACallbackAfterWeeks(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "hello"))
	c.wantStatus(c.deliver("1"), outbox.Sent)
	dynamotest.Lapse(t, dynamotest.TableName("conversations"), c.thread, c.clock.now().Add(30*24*time.Hour))
	if err := c.twilio.Deliver(t.Context(), c.twilio.Messages()[0].SID, "read"); err != nil {
		t.Fatal(err)
	}
	c.wantStatus(c.get("1"), outbox.Read)
}

// sends is a provider whose sends do something more before they answer.
type sends struct {
	outbox.Provider
	before func(providerID string)
}

func (p sends) Send(ctx context.Context, m outbox.Message) (string, error) {
	id, err := p.Provider.Send(ctx, m)
	p.before(id)
	return id, err
}

func TestField10_CallbackSettlesAnUnclearSend(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"queued", "sent", "delivered"} {
		c := newCorner(t)
		c.put(c.text("1", "hello"))
		c.twilio.FailSends(twiliotest.After())
		c.wantStatus(c.deliver("1"), outbox.Sending)
		sid := c.twilio.Messages()[0].SID
		if err := c.twilio.Deliver(context.Background(), sid, status); err != nil {
			t.Fatal(err)
		}
		requests := c.twilio.Requests()
		got := c.later(over, "1")
		if got.ProviderID != sid || got.Status == outbox.Sending || got.DueShard != "" {
			t.Errorf("%s: %+v", status, got)
		}
		if c.twilio.Requests() != requests {
			t.Errorf("%s: the provider was asked all the same", status)
		}
	}
}

func TestField10_ForeignIDChangesNothing(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "hello"))
	before := c.deliver("1")
	ctx, meter := telemetry.WithMeter(context.Background())
	for _, status := range []outbox.Status{outbox.Delivered, outbox.Read, outbox.Failed} {
		r := outbox.StatusReport{Thread: c.thread, ID: "1", ProviderID: "SM-of-another", Status: status, Error: "63016"}
		if err := c.Note(ctx, r); err != nil {
			t.Error(err)
		}
	}
	if after := c.get("1"); after.Status != before.Status || after.ProviderID != before.ProviderID || after.Error != "" {
		t.Errorf("%+v", after)
	}
	if n := meter.Cost().Requests; n != 4 {
		t.Errorf("%d requests, want 1 each and 1 for the error", n)
	}
}

func TestNoteRefuses(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "hello"))
	tests := []struct {
		report outbox.StatusReport
		want   fault.Kind
	}{
		{outbox.StatusReport{Thread: c.thread, ID: "1", ProviderID: "SM1", Status: "lost"}, fault.Invalid},
		{outbox.StatusReport{Thread: c.thread, ID: "1", Status: outbox.Read}, fault.Invalid},
		{outbox.StatusReport{Thread: c.thread, ID: "2", ProviderID: "SM1", Status: outbox.Read}, fault.NotFound},
	}
	for _, tt := range tests {
		if err := c.Note(context.Background(), tt.report); !fault.Is(err, tt.want) {
			t.Errorf("%+v: %v, want %s", tt.report, err, tt.want)
		}
	}
	c.wantStatus(c.get("1"), outbox.Queued)
}

// The provider's list says how far the message has come, when the callbacks were lost.
func TestSettledAsTheProviderSays(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]outbox.Status{"sent": outbox.Sent, "read": outbox.Read, "undelivered": outbox.Failed} {
		c := newCorner(t)
		c.put(c.text("1", "hello"))
		c.twilio.FailSends(twiliotest.After())
		c.deliver("1")
		if err := c.lostCallback(status); err != nil {
			t.Fatal(err)
		}
		got := c.later(over, "1")
		c.wantStatus(got, want)
		if (got.Error != "") != (want == outbox.Failed) {
			t.Errorf("%s: error %q", status, got.Error)
		}
		c.wantTaken("hello")
	}
}

// lostCallback moves the provider's first message on, and nobody hears of it.
func (c *corner) lostCallback(status string) error {
	c.deaf.Store(true)
	defer c.deaf.Store(false)
	return c.twilio.Deliver(context.Background(), c.twilio.Messages()[0].SID, status)
}

func TestPendingOf(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.text("1", "YES or NO?")
	m.Pending = "p1"
	c.mark("pending", thread.Pending{ID: "p1"})
	c.put(m)
	sent := c.deliver("1")
	ctx := context.Background()
	if p, whole, err := c.PendingOf(ctx, c.thread, sent.ProviderID); p != "p1" || !whole || err != nil {
		t.Errorf("%q, %v, %v", p, whole, err)
	}
	if p, _, err := c.PendingOf(ctx, c.thread, "SM-of-another"); p != "" || err != nil {
		t.Errorf("%q, %v", p, err)
	}
	told := c.template("2", "K7")
	told.Pending = "p1"
	c.put(told)
	if p, whole, err := c.PendingOf(ctx, c.thread, c.deliver("2").ProviderID); p != "p1" || whole || err != nil {
		t.Errorf("by a template: %q, %v, %v", p, whole, err)
	}
}

// A message is known when it is quoted however many of another kind the thread has, on whatever
// page it is found.
func TestQuoteOfAnOlderKind(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	m := c.text("message.k1", "Ann asks: do you have vegan dishes?")
	m.About = "ABCD2"
	c.put(m)
	sent := c.deliver("message.k1")
	long := strings.Repeat("x", 30<<10)
	for i := range 50 {
		c.put(c.text(fmt.Sprintf("turn%08d-0", i+1), long))
	}
	if got, err := c.AboutOf(ctx, c.thread, sent.ProviderID); got != "ABCD2" || err != nil {
		t.Errorf("about %q, %v", got, err)
	}
	if ok, err := c.Sent(ctx, c.thread, sent.ProviderID); !ok || err != nil {
		t.Errorf("sent %v, %v", ok, err)
	}
	if ok, err := c.Sent(ctx, c.thread, "SM-of-another"); ok || err != nil {
		t.Errorf("another's: sent %v, %v", ok, err)
	}
}

// What has not gone out has no id either, and is not what a message quotes that quotes nothing.
func TestWhatQuotesNothing(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.text("1", "Ride EFGH2")
	m.About = "EFGH2"
	c.put(m)
	if about, err := c.AboutOf(t.Context(), c.thread, ""); about != "" || err != nil {
		t.Errorf("about %q, %v", about, err)
	}
}
