package outbox_test

import (
	"testing"
	"time"

	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/outbox"
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

// Of several attempts the first may have gone out, and be listed when the others have failed: it is
// asked for all that was sent since the first.
func TestField09_TheFirstAttemptIsListedLate(t *testing.T) {
	t.Parallel()
	c := newCornerWith(t, twiliotest.Config{ListLag: 100 * time.Second})
	c.put(c.text("1", "hello"))
	c.twilio.FailSends(twiliotest.After(), twiliotest.Before())
	c.wantStatus(c.deliver("1"), outbox.Sending)
	c.wantStatus(c.later(over, "1"), outbox.Sending)
	got := c.later(over, "1")
	c.wantStatus(got, outbox.Sent)
	if got.Attempts != 2 {
		t.Errorf("%d attempts", got.Attempts)
	}
	c.wantTaken("hello")
}

// What is sent again has gone out when it does so, also where only the provider's list tells: what
// was written before that is no answer to it.
func TestSentAgainIsNotOutBefore(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.put(c.text("1", "Do you want it?"))
	if err := c.twilio.DeliverError(t.Context(), c.deliver("1").ProviderID, "undelivered", 63003); err != nil {
		t.Fatal(err)
	}
	c.clock.add(time.Hour)
	written := c.clock.now()
	c.clock.add(time.Hour)
	if err := c.SendAgain(t.Context(), c.thread, "1"); err != nil {
		t.Fatal(err)
	}
	c.twilio.FailSends(twiliotest.After())
	c.wantStatus(c.deliver("1"), outbox.Sending)
	got := c.later(over, "1")
	c.wantStatus(got, outbox.Sent)
	if got.OutBefore(written) || !got.OutBefore(c.clock.now().Add(time.Second)) {
		t.Errorf("sent at %s, and the word written at %s", got.SentAt, written)
	}
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
