package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

func TestAMessageExistsOnce(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "first"))
	err := c.Table.DB().Commit(context.Background(), c.Put(c.text("1", "second")))
	if !errors.Is(err, outbox.ErrDuplicate) {
		t.Errorf("second put: %v", err)
	}
	if m := c.get("1"); m.Text != "first" {
		t.Errorf("it says %q", m.Text)
	}
	if _, err := c.Get(context.Background(), c.thread, "2"); !fault.Is(err, fault.NotFound) {
		t.Errorf("what is not there: %v", err)
	}
}

// Of what a stream brings, messages are for the sender, and what else is on a thread is not.
func TestFromStream(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "hello"))
	for sk, want := range map[string]string{"outbox#1": "hello", "~": ""} {
		it, err := c.Table.Get(t.Context(), dynamo.Key{PK: c.thread, SK: sk})
		if err != nil || it == nil {
			t.Fatal(it, err)
		}
		if m, err := outbox.FromStream(it); m.Text != want || fault.Is(err, fault.Invalid) != (want == "") {
			t.Errorf("%s: %q, %v", sk, m.Text, err)
		}
	}
}

func TestDeliveryIsTwoRequests(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.put(c.text("1", "hello"))
	ctx, meter := telemetry.WithMeter(context.Background())
	if err := c.sender.Deliver(ctx, m); err != nil {
		t.Fatal(err)
	}
	if n := meter.Cost().Requests; n != 2 {
		t.Errorf("%d requests", n)
	}
	c.wantTaken("hello")
	got := c.get("1")
	c.wantStatus(got, outbox.Sent)
	if got.ProviderID != c.twilio.Messages()[0].SID || !got.SentAt.Equal(c.clock.now()) || got.Attempts != 1 || got.DueShard != "" {
		t.Errorf("%+v", got)
	}
	again, meter := telemetry.WithMeter(context.Background())
	if err := c.sender.Deliver(again, got); err != nil || meter.Cost().Requests != 0 {
		t.Errorf("done, yet %d requests, %v", meter.Cost().Requests, err)
	}
}

func TestTimesThatAreNotYetAreLeftOut(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(outbox.Message{ID: "1", Created: time.Unix(0, 0).UTC()})
	if err != nil || strings.Contains(string(b), "0001-01-01") {
		t.Errorf("%s, %v", b, err)
	}
}

func TestManySendersSendOnce(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.put(c.text("1", "once"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := c.sender.Deliver(context.Background(), m); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c.wantTaken("once")
	c.wantStatus(c.get("1"), outbox.Sent)
}

const (
	soon = time.Second
	over = 61 * time.Second // a claim has run out
)

func TestField09_LostAnswerNeverSendsTwice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault twiliotest.Fault
		sends int // requests to send, in all
	}{
		{"taken, then the connection broke", twiliotest.After(), 1},
		{"taken, then it broke within the answer", twiliotest.Fault{Taken: true, Cut: true}, 1},
		{"taken, then an error", twiliotest.Broken(true), 1},
		{"not taken, the connection broke", twiliotest.Before(), 2},
		{"not taken, an error", twiliotest.Broken(false), 2},
	}
	for _, tt := range tests {
		for _, template := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				c := newCorner(t)
				m, text := c.text("1", "you are booked"), "you are booked"
				if template {
					m, text = c.template("1", "K7"), "New booking K7 at Sushi Bar"
				}
				c.put(m)
				c.twilio.FailSends(tt.fault)
				c.wantStatus(c.deliver("1"), outbox.Sending)
				c.wantStatus(c.later(soon, "1"), outbox.Sending) // the claim still runs
				got := c.later(over, "1")
				c.wantStatus(got, outbox.Sent)
				c.wantTaken(text)
				if got.Attempts != tt.sends || got.ProviderID != c.twilio.Messages()[0].SID {
					t.Errorf("%d attempts, id %q", got.Attempts, got.ProviderID)
				}
				c.wantStatus(c.later(over, "1"), outbox.Sent)
				c.wantTaken(text)
			})
		}
	}
}

// A text that was said twice counts twice.
func TestField09_SameTextTwice(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{true, false} {
		c := newCorner(t)
		c.put(c.text("1", "ok"))
		c.put(c.text("2", "ok"))
		c.wantStatus(c.deliver("1"), outbox.Sent)
		c.twilio.FailSends(twiliotest.Fault{Taken: taken, Drop: true})
		c.wantStatus(c.deliver("2"), outbox.Sending)
		second := c.later(over, "2")
		c.wantStatus(second, outbox.Sent)
		c.wantTaken("ok", "ok")
		if first := c.get("1"); first.ProviderID == second.ProviderID {
			t.Errorf("taken %v: both are %s", taken, first.ProviderID)
		}
	}
}

func TestField09_SameTextBothUnclear(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "ok"))
	c.put(c.text("2", "ok"))
	c.twilio.FailSends(twiliotest.After(), twiliotest.Before())
	c.deliver("1")
	c.deliver("2")
	c.clock.add(over)
	var wg sync.WaitGroup
	for range 3 { // sweeps that overlap
		for _, id := range []string{"2", "1"} {
			m := c.get(id)
			wg.Go(func() {
				if err := c.sender.Deliver(context.Background(), m); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	for range 3 { // whoever waited for the other
		c.later(over, "1")
		c.later(over, "2")
	}
	a, b := c.get("1"), c.get("2")
	c.wantStatus(a, outbox.Sent)
	c.wantStatus(b, outbox.Sent)
	if a.ProviderID == b.ProviderID {
		t.Errorf("both are %s", a.ProviderID)
	}
	c.wantTaken("ok", "ok")
}

// Of the same text, said twice at different times, each message finds its own.
func TestField09_SameTextMinutesApart(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"1", "2"}, {"2", "1"}} {
		c := newCorner(t)
		for _, id := range []string{"1", "2"} {
			c.put(c.text(id, "ok"))
			c.twilio.FailSends(twiliotest.After())
			c.wantStatus(c.deliver(id), outbox.Sending)
			c.clock.add(over)
		}
		for _, id := range order {
			c.wantStatus(c.later(over, id), outbox.Sent)
		}
		c.wantTaken("ok", "ok")
		for i, m := range c.twilio.Messages() {
			if own := c.get(fmt.Sprint(i + 1)); own.ProviderID != m.SID {
				t.Errorf("settled in the order %v: message %d is %s, want %s", order, i+1, own.ProviderID, m.SID)
			}
		}
	}
}

// While another message like it is being sent, an unknown id may be that one's.
func TestField09_WaitsForAnotherLikeIt(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "ok"))
	c.put(c.text("2", "ok"))
	c.twilio.FailSends(twiliotest.Before(), twiliotest.After())
	c.deliver("1") // was not taken
	c.clock.add(over)
	c.wantStatus(c.deliver("2"), outbox.Sending) // taken, and its sender does not know yet
	c.wantStatus(c.deliver("1"), outbox.Sending)
	c.wantTaken("ok")
	if err := c.Note(context.Background(), outbox.StatusReport{Thread: c.thread, ID: "2", ProviderID: c.twilio.Messages()[0].SID, Status: outbox.Delivered}); err != nil {
		t.Fatal(err)
	}
	c.wantStatus(c.later(over, "1"), outbox.Sent)
	c.wantStatus(c.get("2"), outbox.Delivered)
	c.wantTaken("ok", "ok")
}

// Templates to one recipient are told apart by their parameters.
func TestField09_AnotherTemplate(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.template("1", "K1"))
	c.twilio.FailSends(twiliotest.Before())
	c.deliver("1")
	mine := c.thread
	c.thread = dynamotest.ID("thread") // another one with the same recipient: its messages are not known
	c.put(c.template("2", "K2"))
	c.wantStatus(c.deliver("2"), outbox.Sent)
	c.thread = mine
	c.wantStatus(c.later(over, "1"), outbox.Sent)
	c.wantTaken("New booking K2 at Sushi Bar", "New booking K1 at Sushi Bar")
}

// A send whose answer was lost is settled while another message is at work, unless that looks
// like it: then what the provider has may be the other's.
func TestField09_SettlesBesideAnotherAtWork(t *testing.T) {
	t.Parallel()
	const hello, bye, booked = "hello", "goodbye", "" // a template
	for _, tt := range []struct {
		mine, other string
		waits       bool
	}{{hello, hello, true}, {booked, booked, true}, {hello, bye, false}, {hello, booked, false}, {booked, hello, false}} {
		c := newCorner(t)
		put := func(id, text string) {
			if text == booked {
				c.put(c.template(id, "K"+id))
			} else {
				c.put(c.text(id, text))
			}
			c.twilio.FailSends(twiliotest.After())
			c.wantStatus(c.deliver(id), outbox.Sending)
		}
		put("1", tt.mine)
		c.clock.add(over / 2)
		put("2", tt.other)
		want := outbox.Sent
		if tt.waits {
			want = outbox.Sending
		}
		if got := c.later(over/2+time.Second, "1"); got.Status != want {
			t.Errorf("%q beside %q: %s, want %s", tt.mine, tt.other, got.Status, want)
		}
	}
}

// What cannot be queued again is an error, so that whoever brought it comes again.
func TestNotQueuedAgain(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "hello"))
	c.twilio.FailSends(twiliotest.Before())
	c.wantStatus(c.deliver("1"), outbox.Sending)
	c.clock.add(over)
	updates := 0
	c.over(&faulttest.Calls{Choose: func(call string) faulttest.Fault {
		if call != "UpdateItem" {
			return ""
		}
		if updates++; updates == 1 { // the claim
			return ""
		}
		return faulttest.ServerError
	}})
	if err := c.sender.Deliver(t.Context(), c.get("1")); err == nil || updates < 2 {
		t.Errorf("%d updates, %v", updates, err)
	}
	c.open()
	c.wantTaken()
	c.wantStatus(c.later(over, "1"), outbox.Sent)
	c.wantTaken("hello")
}

// A message whose provider is configured no more is given up, also when its send is unclear.
func TestTheProviderIsGone(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "hello"))
	c.twilio.FailSends(twiliotest.After())
	c.wantStatus(c.deliver("1"), outbox.Sending)
	c.sender.Providers = nil
	c.wantStatus(c.later(over, "1"), outbox.Failed)
	if len(c.told()) != 1 {
		t.Errorf("alerts %q", c.told())
	}
}

// silent is a provider that does not tell the text of what it has taken.
type silent struct{ outbox.Provider }

func (p silent) Find(ctx context.Context, m outbox.Message, since time.Time) ([]outbox.Found, error) {
	found, err := p.Provider.Find(ctx, m, since)
	for i := range found {
		found[i].Text = ""
	}
	return found, err
}

func TestField09_AProviderThatDoesNotTellTheText(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.sender.Providers["whatsapp"] = silent{c.sender.Providers["whatsapp"]}
	c.put(c.template("1", "K7"))
	c.twilio.FailSends(twiliotest.After())
	c.wantStatus(c.deliver("1"), outbox.Sending)
	c.wantStatus(c.later(over, "1"), outbox.Sent)
	c.wantTaken("New booking K7 at Sushi Bar")
}

// Of two templates with a lost answer one went out, and the provider does not tell which: neither is
// lost, and that one comes once more.
func TestField09_OneOfTwoThatLookAlike(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		out, second twiliotest.Fault
		code        string // of the second
		tells       bool
		want        int
	}{
		{twiliotest.After(), twiliotest.Before(), "K2", false, 3},
		{twiliotest.Before(), twiliotest.After(), "K2", false, 3},
		{twiliotest.After(), twiliotest.After(), "K2", false, 2},
		{twiliotest.After(), twiliotest.Before(), "K1", false, 2}, // the same words
		{twiliotest.After(), twiliotest.Before(), "K2", true, 2},
		{twiliotest.Before(), twiliotest.After(), "K2", true, 2},
	} {
		for _, order := range [][]string{{"1", "2"}, {"2", "1"}} {
			c := newCorner(t)
			if !tt.tells {
				c.sender.Providers["whatsapp"] = silent{c.sender.Providers["whatsapp"]}
			}
			c.put(c.template("1", "K1"))
			c.put(c.template("2", tt.code))
			for i, f := range []twiliotest.Fault{tt.out, tt.second} {
				c.twilio.FailSends(f)
				c.wantStatus(c.deliver(fmt.Sprint(i+1)), outbox.Sending)
			}
			c.clock.add(over)
			for _, id := range order {
				c.wantStatus(c.later(over, id), outbox.Sent)
			}
			taken := c.taken()
			if len(taken) != tt.want || !slices.Contains(taken, "New booking K1 at Sushi Bar") || !slices.Contains(taken, "New booking "+tt.code+" at Sushi Bar") {
				t.Errorf("%+v, settled %v: %q", tt, order, taken)
			}
		}
	}
}

// What is found word by word is the text's, also beside a template that may be worded like it,
// whichever of them is settled first.
func TestField09_ATextBesideATemplate(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"1", "2"}, {"2", "1"}} {
		c := newCorner(t)
		c.put(c.text("1", "K2 at Sushi Bar"))
		c.put(c.template("2", "K2"))
		for i, f := range []twiliotest.Fault{twiliotest.After(), twiliotest.Before()} {
			c.twilio.FailSends(f)
			c.wantStatus(c.deliver(fmt.Sprint(i+1)), outbox.Sending)
		}
		c.clock.add(over)
		for _, id := range order {
			c.wantStatus(c.later(over, id), outbox.Sent)
		}
		c.wantTaken("K2 at Sushi Bar", "New booking K2 at Sushi Bar")
	}
}

// slow is a provider whose sends wait until they are let go.
type slow struct {
	outbox.Provider
	begun, goOn chan struct{}
}

func (p slow) Send(ctx context.Context, m outbox.Message) (string, error) {
	close(p.begun)
	<-p.goOn
	return "", &outbox.SendError{Outcome: outbox.Permanent, Reason: "too late"}
}

// A sender that comes back after its claim ran out changes nothing.
func TestALateSenderChangesNothing(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.put(c.text("1", "hello"))
	late := *c.sender
	p := slow{c.sender.Providers["whatsapp"], make(chan struct{}), make(chan struct{})}
	late.Providers = map[channel.Channel]outbox.Provider{"whatsapp": p}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := late.Deliver(context.Background(), m); err != nil {
			t.Error(err)
		}
	})
	<-p.begun
	c.wantStatus(c.later(over, "1"), outbox.Sent)
	close(p.goOn)
	wg.Wait()
	c.wantStatus(c.get("1"), outbox.Sent)
	c.wantTaken("hello")
	if len(c.told()) != 0 {
		t.Errorf("alerts %q", c.told())
	}
}

func TestRetryWaits(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.put(c.text("1", "hello"))
	c.twilio.FailSends(twiliotest.TooMany(40*time.Second), twiliotest.Fault{Status: 503, Code: 20503})
	got := c.deliver("1")
	c.wantStatus(got, outbox.Queued)
	if want := c.clock.now().Add(40 * time.Second); !got.DueAt.Equal(want) {
		t.Errorf("due %s, want %s as the provider asked", got.DueAt, want)
	}
	if err := c.sender.Deliver(context.Background(), m); err != nil { // the stream brings it once more
		t.Fatal(err)
	}
	if again := c.get("1"); again.Attempts != 1 {
		t.Error("it did not wait")
	}
	got = c.later(40*time.Second, "1")
	if want := c.clock.now().Add(30 * time.Second); got.Status != outbox.Queued || !got.DueAt.Equal(want) {
		t.Errorf("%s, due %s, want %s", got.Status, got.DueAt, want)
	}
	got = c.later(30*time.Second, "1")
	c.wantStatus(got, outbox.Sent)
	c.wantTaken("hello")
	if got.Error != "" {
		t.Errorf("it was sent, with the error %q", got.Error)
	}
}

func TestPermanentIsNotRetried(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "hello"))
	c.twilio.FailSends(twiliotest.Refusal(twilio.CodeOptedOut))
	got := c.deliver("1")
	c.wantStatus(got, outbox.Failed)
	if got.Error == "" || len(c.told()) != 1 || c.twilio.Requests() != 1 {
		t.Errorf("error %q, alerts %q, %d requests", got.Error, c.told(), c.twilio.Requests())
	}
	c.wantStatus(c.later(time.Hour, "1"), outbox.Failed)
	if len(c.told()) != 1 || c.twilio.Requests() != 1 {
		t.Error("it was not left alone")
	}
}

func TestNoProvider(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.text("1", "hello")
	m.Channel = "messenger"
	c.put(m)
	c.wantStatus(c.deliver("1"), outbox.Failed)
	if len(c.told()) != 1 {
		t.Errorf("alerts %q", c.told())
	}
}

// Nor while another one, who could not ask the provider yet, has the message.
func TestALateSenderLeavesASettlementAlone(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.put(c.text("1", "hello"))
	late := *c.sender
	p := slow{c.sender.Providers["whatsapp"], make(chan struct{}), make(chan struct{})}
	late.Providers = map[channel.Channel]outbox.Provider{"whatsapp": p}
	done := make(chan error)
	go func() { done <- late.Deliver(context.Background(), m) }()
	<-p.begun
	c.clock.add(over)
	c.twilio.FailLists(twiliotest.Broken(false))
	if err := c.sender.Deliver(context.Background(), c.get("1")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without an answer of the provider: %v", err)
	}
	close(p.goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
	c.wantStatus(c.get("1"), outbox.Sending)
	c.wantStatus(c.later(over, "1"), outbox.Sent)
	c.wantTaken("hello")
}

// Operators are told although the first try to tell them failed.
func TestAlertIsNotLost(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "hello"))
	c.twilio.FailSends(twiliotest.Refusal(twilio.CodeOptedOut))
	tell := c.sender.Alert
	c.sender.Alert = func(context.Context, outbox.Message) error { return errors.New("away") }
	if err := c.sender.Deliver(context.Background(), c.get("1")); err == nil {
		t.Error("nobody was told, and that is fine?")
	}
	c.wantStatus(c.get("1"), outbox.Failed)
	c.sender.Alert = tell
	c.deliver("1")
	c.deliver("1")
	if len(c.told()) != 1 {
		t.Errorf("alerts %q", c.told())
	}
}

func TestField11_WindowClosed(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("inside", "hello"))
	c.put(c.text("outside", "hello"))
	c.put(c.template("template", "K1"))
	c.clock.add(24*time.Hour - time.Millisecond)
	c.wantStatus(c.deliver("inside"), outbox.Sent)
	c.clock.add(time.Millisecond)
	got := c.deliver("outside")
	c.wantStatus(got, outbox.Failed)
	if !strings.Contains(got.Error, "window of the channel") || len(c.told()) != 1 || c.twilio.Requests() != 1 {
		t.Errorf("error %q, alerts %q, %d requests", got.Error, c.told(), c.twilio.Requests())
	}
	c.wantStatus(c.deliver("template"), outbox.Sent)
	c.wantTaken("hello", "New booking K1 at Sushi Bar")
}

// Somebody who never wrote gets templates only.
func TestField11_NeverWrote(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.thread = dynamotest.ID("thread")
	c.put(c.text("text", "hello"))
	c.put(c.template("template", "K1"))
	c.wantStatus(c.deliver("text"), outbox.Failed)
	c.wantStatus(c.deliver("template"), outbox.Sent)
	c.wantTaken("New booking K1 at Sushi Bar")
}

func TestField35_OptedOut(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("before", "hello"))
	c.put(c.template("merchant", "K1"))
	answer := c.text("answer", "You will get no more messages.")
	answer.Essential = true
	c.put(answer)
	c.mark("optOut", true)
	for _, id := range []string{"before", "merchant"} {
		got := c.deliver(id)
		c.wantStatus(got, outbox.Failed)
		if got.Error != "the recipient has opted out" {
			t.Errorf("%s: error %q", id, got.Error)
		}
	}
	c.wantStatus(c.deliver("answer"), outbox.Sent)
	c.wantTaken("You will get no more messages.")
	if len(c.told()) != 0 {
		t.Errorf("they asked for it, and operators were told: %q", c.told())
	}
}

// A customer relies on what a business is told of them: whatever keeps it from going out, they and the operators are told.
func TestField37_WhatABusinessDoesNotHear(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	of := func(id, kind, about, customer string) {
		m := c.text(id, "K7P2, please")
		m.Kind, m.About, m.Customer = kind, about, customer
		c.put(m)
	}
	of("order", outbox.ToBusiness, "K7P2", dynamotest.ID("th"))
	of("desk", outbox.ToBusiness, "", dynamotest.ID("th"))
	of("nobody's", outbox.ToBusiness, "K7P2", "")
	of("ride", outbox.ToDriver, "K7P2", dynamotest.ID("th"))
	c.mark("optOut", true)
	for _, id := range []string{"order", "desk", "nobody's", "ride"} {
		c.wantStatus(c.deliver(id), outbox.Failed)
		c.wantStatus(c.deliver(id), outbox.Failed)
	}
	if !slices.Equal(c.untold, []string{"order"}) || len(c.told()) != 1 || !strings.HasPrefix(c.told()[0], "order: ") {
		t.Errorf("customers are told of %q, operators %q", c.untold, c.told())
	}
	if piece := (outbox.Message{ID: "order-1", After: "order"}); piece.Whole() != "order" {
		t.Errorf("a piece is one of %q", piece.Whole())
	}
}

func TestField30_APersonTookOver(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("assistant", "I can help"))
	person := c.text("person", "Deniz here")
	person.ByPerson = true
	c.put(person)
	c.mark("handler", "person")
	c.wantStatus(c.deliver("assistant"), outbox.Failed)
	c.wantStatus(c.deliver("person"), outbox.Sent)
	c.wantTaken("Deniz here")
}

// What changed while the answer was lost counts when it is sent again.
func TestField30_TookOverBeforeTheRetry(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "I can help"))
	c.twilio.FailSends(twiliotest.Before())
	c.deliver("1")
	c.mark("handler", "person")
	c.wantStatus(c.later(over, "1"), outbox.Failed)
	c.wantTaken()
}

// A claim that took so long that it may run out during the send is not sent on: whoever
// comes after it finds that the provider has nothing, and sends once.
func TestField09_ASlowClaimIsNotSent(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.put(c.text("1", "Hello"))
	c.start(dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() { c.clock.add(40 * time.Second) })), c.twilio.Client())
	if m := c.deliver("1"); m.Status != outbox.Sending {
		t.Errorf("it is %s", m.Status)
	}
	c.wantTaken()
	c.open()
	c.wantStatus(c.later(time.Minute, "1"), outbox.Sent)
	c.wantTaken("Hello")
}

// A question that nothing waits for any more is nobody's to hear, and no operator's either; what
// was said before it goes out, whatever became of the sender in between.
func TestWhatIsAskedNoMore(t *testing.T) {
	t.Parallel()
	const text = "It has a garden.\n\nYES or NO?"
	ask := func(c *corner, pending string) outbox.Message {
		m := c.text("1", text)
		m.Pending, m.Rest, m.Buttons = "p1", len("It has a garden."), []outbox.Button{{Title: "YES", Payload: "yes:p1"}}
		c.mark("pending", thread.Pending{ID: pending})
		return c.put(m)
	}
	c := newCorner(t)
	ask(c, "p1")
	c.wantStatus(c.deliver("1"), outbox.Sent)
	c.wantTaken(text)

	c = newCorner(t)
	stale := ask(c, "p2")
	got := c.deliver("1")
	if c.wantStatus(got, outbox.Sent); got.Pending != "" || got.Buttons != nil || got.Rest != 0 {
		t.Errorf("%+v", got)
	}
	if err := c.sender.Deliver(t.Context(), stale); err != nil {
		t.Error(err)
	}
	c.wantTaken("It has a garden.")

	c = newCorner(t)
	m := c.text("1", "YES or NO?")
	m.Pending = "p1"
	c.put(m)
	c.wantStatus(c.deliver("1"), outbox.Failed)
	if c.wantTaken(); len(c.told()) != 0 {
		t.Errorf("alerts %q", c.told())
	}
}

// A question that was given up before anybody saw it, or that the provider could not deliver, leaves what
// waits for its answer in doubt; what waits for that of another, or for none, is left as it is.
func TestField17_DoubtAboutWhatWasNotAsked(t *testing.T) {
	t.Parallel()
	closed := func(c *corner) { c.clock.add(25 * time.Hour); c.deliver("1") }
	for name, tt := range map[string]struct {
		fails func(c *corner)
		waits string
		doubt bool
	}{
		"the window has closed": {closed, "p1", true},
		"a person has it":       {func(c *corner) { c.mark("handler", thread.ByPerson); c.deliver("1") }, "p1", true},
		"the provider told later": {func(c *corner) {
			r := outbox.StatusReport{Thread: c.thread, ID: "1", ProviderID: c.deliver("1").ProviderID, Status: outbox.Failed, Error: "63024"}
			if err := c.Note(c.t.Context(), r); err != nil {
				c.t.Error(err)
			}
			c.deliver("1")
		}, "p1", true},
		"it was sent":           {func(c *corner) { c.deliver("1") }, "p1", false},
		"another is waited for": {closed, "p2", false},
		"none is":               {closed, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			m := c.text("1", "YES or NO?")
			m.Pending = "p1"
			c.put(m)
			if tt.waits != "" {
				c.mark("pending", thread.Pending{ID: tt.waits})
			}
			tt.fails(c)
			h, err := c.threads.Head(t.Context(), c.thread)
			if err != nil {
				t.Fatal(err)
			}
			if doubt := h.Pending != nil && h.Pending.Doubt; doubt != tt.doubt {
				t.Errorf("in doubt: %v", doubt)
			}
			if got := c.get("1"); name != "it was sent" && (got.Status != outbox.Failed || !strings.HasPrefix(got.DueShard, "dead#")) {
				t.Errorf("%s in %s", got.Status, got.DueShard)
			}
		})
	}
}

// beforeDoubt does something else just before a doubt is written.
type beforeDoubt struct {
	outbox.Threads
	do func()
}

func (b beforeDoubt) Doubt(id, pending string) dynamo.Write {
	b.do()
	return b.Threads.Doubt(id, pending)
}

// What is told beside a question that waits goes out once that is in doubt, or when nothing waits any more.
func TestField17_DoubtAboutWhatIsToldBeside(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind   string
		waits  *thread.Pending
		before func(c *corner) // the doubt
		doubt  bool
	}{
		"an order":                {"merchant", &thread.Pending{ID: "p1"}, nil, true},
		"an order, in doubt":      {"merchant", &thread.Pending{ID: "p1", Doubt: true}, nil, true},
		"an order, nothing waits": {"merchant", nil, nil, false},
		"an order, answered then": {"merchant", &thread.Pending{ID: "p1"}, func(c *corner) { c.unmark("pending") }, false},
		"what a turn says":        {"reply", &thread.Pending{ID: "p1"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			m := c.text("1", "A new order")
			m.Kind = tt.kind
			c.put(m)
			if tt.waits != nil {
				c.mark("pending", *tt.waits)
			}
			if tt.before != nil {
				c.sender.Threads = beforeDoubt{c.sender.Threads, func() { tt.before(c) }}
			}
			c.wantStatus(c.deliver("1"), outbox.Sent)
			c.wantTaken("A new order")
			h, err := c.threads.Head(t.Context(), c.thread)
			if err != nil {
				t.Fatal(err)
			}
			if doubt := h.Pending != nil && h.Pending.Doubt; doubt != tt.doubt {
				t.Errorf("in doubt: %v", doubt)
			}
		})
	}
}

// Whoever finds that another sender has taken the question from a message leaves it to that one.
func TestTwoSendersTakeTheQuestion(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	m := c.text("1", "It has a garden.\n\nYES or NO?")
	m.Pending, m.Rest = "p1", len("It has a garden.")
	m = c.put(m)
	first, claims := *c.sender, 0
	second := dynamotest.Before("UpdateItem", func() {
		if err := first.Deliver(t.Context(), m); err != nil {
			t.Error(err)
		}
	})
	c.start(dynamotest.Open(t, dynamotest.Look{Next: second, See: func(op string, body []byte) ([]byte, error) {
		if op == "TransactWriteItems" {
			claims++
		}
		return body, nil
	}}), c.twilio.Client())
	if err := c.sender.Deliver(t.Context(), m); err != nil || claims != 1 {
		t.Errorf("%v after %d claims, want 1", err, claims)
	}
	c.wantTaken("It has a garden.")
}
