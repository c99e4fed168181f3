package taxi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/taxi"
	"merve/internal/spine/thread"
)

// What a driver writes, in every state of what they are offered and have.
func TestCommands(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(3)
	says := func(n int, text, want string) {
		t.Helper()
		if got := c.says(n, text); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	says(0, "yes", "No ride waits")
	says(0, "no", "No ride waits")
	says(0, "done", "no such ride")
	says(0, "K7PR C9", "no command")
	says(0, "K7PR", "Write YES K7PR")
	says(0, "yes K7PR", "Ride K7PR is no longer open")
	says(0, "no K7PR", "Ride K7PR is no longer open")
	says(0, "yes K7PR K3K3", "No ride waits")
	r := c.requested()
	says(0, r.Code, "Write YES "+r.Code)
	says(0, "arrived "+r.Code, "no such ride")
	says(2, "cancel", "not be asked about ride "+r.Code)
	says(2, "no", "No ride waits")
	says(2, "yes "+r.Code, "no longer open")
	says(0, "ok", r.Code+" is yours")
	says(0, "yes "+r.Code, "already")
	says(0, "yes", "already")
	says(0, "no "+r.Code, "still have ride "+r.Code)
	says(1, "yes", "another driver was faster")
	says(1, "no "+r.Code, "not be asked about ride "+r.Code)
	says(1, "YES"+r.Code, "another driver was faster")
	says(0, "done K3K3", "no such ride")
	says(0, "arrived", "you are there")
	says(0, "arrived", "you are there")
	says(0, "busy", "You are off")
	says(0, "off", "You are off")
	says(0, "done "+strings.ToLower(r.Code), "finished")
	says(0, "done", "no such ride")
	says(0, "available", "You are on")
}

// With several offers a plain answer is asked about; with a ride in hand no other is taken.
func TestSeveralOffers(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(2)
	first := c.requested()
	other := newCorner(t)
	other.market, other.clock, other.Store = c.market, c.clock, c.Store
	second := other.requested()
	for _, text := range []string{"yes", "no", "yes " + first.Code + " " + second.Code} {
		if got := c.says(0, text); !strings.Contains(got, first.Code) || !strings.Contains(got, second.Code) || !strings.Contains(got, "Several") {
			t.Errorf("%s: %s", text, got)
		}
	}
	dynamotest.Lapse(t, dynamotest.TableName("records"), c.market.ID, c.clock.Now().Add(time.Hour))
	if got := c.says(0, "yes "+second.Code); !strings.Contains(got, "is yours") {
		t.Error(got)
	}
	if got := c.says(0, "yes "+first.Code); !strings.Contains(got, "still have ride "+second.Code) {
		t.Error(got)
	}
	if got := c.says(1, "yes"); !strings.Contains(got, first.Code+" is yours") {
		t.Error(got)
	}
}

// A plain YES that was written before an offer is none to it; one that waited for the turn is.
func TestAnEarlierYesIsNone(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(1)
	at := c.clock.Now()
	c.clock.Add(time.Second)
	r := c.requested()
	say := func(text string) string {
		a := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone(0)}
		s, ok, err := (&taxi.Commands{Store: c.Store}).Command(context.Background(), c.of(a), thread.Message{Text: text, At: at})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		return s.Text
	}
	if got := say("yes"); !strings.Contains(got, "No ride waits") {
		t.Error(got)
	}
	at = c.clock.Now()
	if got := say("yes"); !strings.Contains(got, r.Code+" is yours") {
		t.Error(got)
	}
}

// Only a driver's WhatsApp number is a driver, and only while the market lets them drive.
func TestWhoIsADriver(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	d := c.driver(0, "Kyrenia")
	heard := func(a actor.Actor, m thread.Message) bool {
		_, ok, err := (&taxi.Commands{Store: c.Store}).Command(ctx, c.of(a), m)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	on := thread.Message{Text: "ON"}
	for name, tt := range map[string]struct {
		who  actor.Actor
		want bool
	}{
		"by number":          {actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone(0)}, true},
		"by user id":         {actor.Actor{Kind: actor.Person, ID: "whatsapp:US.77", Phone: phone(0)}, true},
		"without a number":   {actor.Actor{Kind: actor.Person, ID: "whatsapp:US.77"}, false},
		"on another channel": {actor.Actor{Kind: actor.Person, ID: "messenger:77", Phone: phone(0)}, false},
		"signed in":          {actor.Actor{Kind: actor.User, ID: "whatsapp:" + phone(0), Phone: phone(0)}, false},
		"a stranger":         {actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone(7)}, false},
	} {
		if got := heard(tt.who, on); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	self := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone(0)}
	if !heard(self, thread.Message{Text: "Ready", Button: "ON"}) || !heard(self, thread.Message{Text: "on", Button: "x:y"}) {
		t.Error("a button is not heard")
	}
	d.Enabled = false
	if _, err := c.Drivers.Put(ctx, d); err != nil {
		t.Fatal(err)
	}
	if heard(self, on) {
		t.Error("one who may not drive is heard")
	}
}

// Who may not drive any more ends the ride that they have, and is given none.
func TestTakenOffOnTheWay(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	d := c.driver(0)
	mayDrive := func(may bool) {
		t.Helper()
		d.Enabled, d.Version = may, 0
		if _, err := c.Drivers.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []string{"done", "cancel"} {
		mayDrive(true)
		r := c.assigned(0)
		mayDrive(false)
		if got := c.says(0, "arrived"); !strings.Contains(got, "you are there") {
			t.Error(got)
		}
		for _, text := range []string{"yes", "no", "on", "done K3K3", r.Code} {
			if got := c.says(0, text); got != "no command" {
				t.Errorf("%s: %s", text, got)
			}
		}
		c.says(0, end)
		if now := c.get(r.ID); now.Status == taxi.Assigned || now.Status == taxi.Arrived {
			t.Errorf("%s: still %s", end, now.Status)
		}
		if got := c.says(0, "done"); got != "no command" {
			t.Errorf("after %s: %s", end, got)
		}
	}
}

// A driver who is taken off between their YES and the reply does not get the ride.
func TestTakenOffInBetween(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	d := c.driver(0, "Kyrenia")
	r := c.requested()
	settled, ok, err := c.hears(c.Store, 0, "yes")
	d.Enabled = false
	if _, err := c.Drivers.Put(ctx, d); err != nil {
		t.Fatal(err)
	}
	if text, err := settle(c.Store, settled, err); err != nil || !ok || !strings.Contains(text, "nothing was done") {
		t.Errorf("%s, %v", text, err)
	}
	if got := c.get(r.ID); got.Status != taxi.Requested || len(c.holds(1)) != 2 {
		t.Errorf("%+v", got)
	}
}

// An error of the store is none of the driver's.
func TestCommandFails(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(1)
	c.requested()
	settled, _, err := c.hears(c.Store, 0, "yes")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := settled.Refused(errors.New("away")); ok {
		t.Error("an unknown error is worded")
	}
}
