package outbox_test

import (
	"context"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/outbox"
)

// of is a text about a customer.
func (c *corner) of(customer, id string) outbox.Message {
	m := c.text(id, "Ann asks "+id)
	m.Customer = customer
	return m
}

// forget forgets what was told of a customer, any number of times.
func (c *corner) forget(customer string) {
	c.t.Helper()
	for range 2 {
		if err := c.Forget(c.t.Context(), customer); err != nil {
			c.t.Error(err)
		}
	}
}

// What was told of a customer is forgotten, with what fills a template, and no more than that.
func TestForget(t *testing.T) {
	t.Parallel()
	c := alone(t)
	filled := c.template("2", "K7")
	filled.Customer = "th_ann"
	c.put(c.of("th_ann", "1"))
	c.put(filled)
	c.put(c.of("th_bob", "3"))
	c.put(c.text("4", "hello"))
	for _, id := range []string{"1", "2", "3", "4"} {
		c.deliver(id)
	}
	sent := c.get("1")
	c.forget("th_ann")
	for _, id := range []string{"1", "2"} {
		if m := c.get(id); m.Text != "" || m.Template != nil || m.Customer != "" || m.ProviderID == "" || m.Status != outbox.Sent {
			t.Errorf("left: %+v", m)
		}
	}
	if c.get("3").Text == "" || c.get("4").Text == "" {
		t.Error("another's was forgotten")
	}
	if about, err := c.Sent(t.Context(), c.thread, sent.ProviderID); err != nil || !about {
		t.Errorf("an answer below it: %t, %v", about, err)
	}
	if n := c.sweep(); n != 0 {
		t.Errorf("%d are due", n)
	}
}

// Every fault at every call of forgetting what has gone out, what waits, and what was marked.
func TestEveryFaultOfForgetting(t *testing.T) {
	faulttest.Everywhere(t, shorter(t), func(t *testing.T, calls *faulttest.Calls) state {
		c, ctx := first(t), context.Background()
		for _, id := range []string{"1", "2"} {
			m := c.template(id, "K7")
			m.Customer = "th_ann"
			c.put(m)
		}
		c.deliver("1")
		c.over(calls)
		calls.Deliver(t, nil, func() error { return c.Forget(ctx, "th_ann") })
		c.settles(calls)
		again := func() { c.clock.add(2 * time.Hour) }
		again()
		calls.Deliver(t, again, func() error { _, err := c.sender.Sweep(ctx, dynamo.Budget{Count: 100}); return err })
		if keys := c.due(); len(keys) != 0 {
			t.Errorf("due for ever: %v", keys)
		}
		return c.state()
	})
}

// What has not gone out goes out as it is, and is forgotten then.
func TestForgetWhatWaits(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.put(c.of("th_ann", "1"))
	c.forget("th_ann")
	c.clock.add(2 * time.Hour)
	c.twilio.FailSends(twiliotest.Fault{Status: 503})
	c.sweep()
	if c.get("1").Text == "" {
		t.Fatal("forgotten before it went")
	}
	for range 3 {
		c.clock.add(time.Hour)
		c.sweep()
	}
	c.wantTaken("Ann asks 1")
	if m := c.get("1"); m.Text != "" || m.Status != outbox.Sent {
		t.Errorf("left: %+v", m)
	}
	if keys := c.due(); len(keys) != 0 {
		t.Errorf("due for ever: %v", keys)
	}
}

// What has gone by itself meanwhile is not made again, and its mark goes.
func TestForgetWhatHasGone(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.put(c.of("th_ann", "1"))
	c.forget("th_ann")
	if err := c.Table.DB().Commit(t.Context(), c.Table.Delete(dynamo.Key{PK: c.thread, SK: "outbox#1"})); err != nil {
		t.Fatal(err)
	}
	c.clock.add(2 * time.Hour)
	c.sweep()
	if _, err := c.Get(t.Context(), c.thread, "1"); !fault.Is(err, fault.NotFound) {
		t.Error("it is there again")
	}
	if keys := c.due(); len(keys) != 0 {
		t.Errorf("due for ever: %v", keys)
	}
}

// What was given up and forgotten is no dead letter any more, and cannot be sent again.
func TestForgetADeadLetter(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.put(c.of("th_ann", "1"))
	c.twilio.FailSends(twiliotest.Refusal(twilio.CodeOptedOut))
	c.deliver("1")
	c.forget("th_ann")
	c.wantDead()
	if err := c.SendAgain(t.Context(), c.thread, "1"); !fault.Is(err, fault.Conflict) {
		t.Errorf("sent again: %v", err)
	}
	// It is none of the texts by which another is told from what the provider words.
	c.sender.Providers["whatsapp"] = silent{c.sender.Providers["whatsapp"]}
	c.put(c.template("2", "K7"))
	c.twilio.FailSends(twiliotest.After())
	c.deliver("2")
	c.wantStatus(c.later(over, "2"), outbox.Sent)
	c.wantTaken("New booking K7 at Sushi Bar")
}

// due are the keys of what the sweep will look at, whenever.
func (c *corner) due() (keys []dynamo.Key) {
	c.t.Helper()
	for shard := range dynamo.DueShards {
		some, _, err := c.look.Table.Due(c.t.Context(), "outbox", shard, c.clock.now().Add(24*time.Hour), 100, "")
		if err != nil {
			c.t.Fatal(err)
		}
		keys = append(keys, some...)
	}
	return keys
}
