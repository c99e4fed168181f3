package outbox_test

import (
	"testing"
	"time"

	"merve/internal/outbox"
	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
)

// What went out is found although the provider's clock is seconds behind, and not sent twice.
func TestField09_AProviderWhoseClockIsBehind(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	server := twiliotest.New(t, twiliotest.Config{Now: func() time.Time { return c.clock.now().Add(-9 * time.Second) }})
	c.twilio = server
	c.open()
	c.put(c.text("1", "hello"))
	server.FailSends(twiliotest.After())
	c.wantStatus(c.deliver("1"), outbox.Sending)
	got := c.later(over, "1")
	c.wantStatus(got, outbox.Sent)
	if got.Attempts != 1 {
		t.Errorf("%d attempts", got.Attempts)
	}
	c.wantTaken("hello")
}

// What the provider says of any earlier send is past, however often the message was sent again.
func TestSendAgainTwice(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.put(c.text("1", "hello"))
	var sids []string
	for range 3 {
		sids = append(sids, c.deliver("1").ProviderID)
		if err := c.twilio.DeliverError(t.Context(), sids[len(sids)-1], "undelivered", twilio.CodeOutsideWindow); err != nil {
			t.Fatal(err)
		}
		c.wantStatus(c.get("1"), outbox.Failed)
		if err := c.SendAgain(t.Context(), c.thread, "1"); err != nil {
			t.Fatal(err)
		}
	}
	for _, sid := range sids {
		if err := c.twilio.Deliver(t.Context(), sid, "delivered"); err != nil {
			t.Fatal(err)
		}
		c.wantStatus(c.get("1"), outbox.Queued)
	}
}
