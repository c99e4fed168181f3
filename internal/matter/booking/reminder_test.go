package booking_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
)

// told counts what threads are told, and keeps which was told last, and what.
type told struct {
	head thread.Head // of any other chat
	n    int
	last string
	text string
}

func (t *told) Tell(_ context.Context, id, _ string, n thread.Notice) error {
	t.n++
	t.last, t.text = id, n.Text
	return nil
}

func (t *told) Head(context.Context, string) (thread.Head, error) {
	if t.head.Owner == "" {
		return thread.Head{}, thread.ErrNoThread
	}
	return t.head, nil
}

// A customer who wishes for another moment while they are reminded is reminded then, too.
func TestAReminderIsSetAgainWhileItIsSent(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), context.Background()
	tx, _ := d.booked()
	key := dynamo.Key{PK: "reminder#" + tx.ID, SK: "reminder"}
	wish := func(at time.Time) {
		if err := d.Table.DB().Commit(ctx, d.Table.Put(key, map[string]any{"transaction": tx.ID, "at": at, "dueShard": dynamotest.ID("due")})); err != nil {
			t.Fatal(err)
		}
	}
	wish(d.now)
	late, says := *d.Ledger, &told{}
	late.Table = dynamotest.Open(t, dynamotest.Before("UpdateItem", func() { wish(d.now.Add(time.Hour)) })).Table(dynamotest.TableName("ledger"))
	reminders := &booking.Reminders{Ledger: &late, Threads: says}
	for n, want := range []int{1, 1, 2, 2} {
		if _, err := reminders.Remind(ctx, key, d.now); err != nil {
			t.Fatal(err)
		}
		if says.n != want {
			t.Errorf("at look %d: told %d times, want %d", n, says.n, want)
		}
		if n == 1 {
			d.now = d.now.Add(time.Hour)
		}
	}
}

// Who was reminded and wishes for another reminder, later that day, is told of both, each once.
func TestAReminderIsSetAgainAfterItWasSaid(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.thread("ann")
	tx := i.booked("ann", "22 18:00")
	stands := "ann: confirmed 22 18:00"
	for _, hours := range []int{4, 1} {
		if _, err := i.call("ann", "setReminder", fmt.Sprintf(`{"transactionId":%q,"hoursBefore":%d}`, tx.ID, hours), fmt.Sprint(hours)); err != nil {
			t.Fatal(err)
		}
		i.now = tx.Start.Add(-time.Duration(hours) * time.Hour)
		for range 2 {
			if _, err := i.reminders.Remind(t.Context(), reminderOf(tx), i.now); err != nil {
				t.Fatal(err)
			}
		}
		stands += ", told booking_reminder"
		i.expect(stands)
	}
}

// A reminder is of a confirmed booking of the customer's, here, and at a moment that is to come.
func TestRemindersThatAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.tc.Market = &market.Market{ID: terms().Market}
	set := (&booking.Reminders{Ledger: d.Ledger}).Tools()[0]
	booked, _ := d.booked()
	held, _ := d.held()
	begins := int(booked.Start.Sub(d.now).Hours())
	tests := []struct {
		name, booking string
		hours         int
		market        string
		want          fault.Kind
	}{
		{"an hour before", booked.ID, 1, "demo", ""},
		{"none after all", booked.ID, 0, "demo", ""},
		{"after it began", booked.ID, -1, "demo", fault.Invalid},
		{"more than a week before", booked.ID, 169, "demo", fault.Invalid},
		{"a moment that has passed", booked.ID, begins + 1, "demo", fault.Invalid},
		{"of what is only held", held.ID, 1, "demo", fault.NotFound},
		{"in another market", booked.ID, 1, "other", fault.NotFound},
		{"of nothing", "tx_none", 1, "demo", fault.NotFound},
	}
	for _, tt := range tests {
		tc := d.tc
		tc.Market = &market.Market{ID: tt.market}
		_, err := set.Run(t.Context(), tc, json.RawMessage(fmt.Sprintf(`{"transactionId":%q,"hoursBefore":%d}`, tt.booking, tt.hours)))
		if tt.want == "" && err != nil || tt.want != "" && !fault.Is(err, tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A reminder is there when its moment has come, however far ahead it was wished for.
func TestAReminderLastsUntilItsMoment(t *testing.T) {
	t.Parallel()
	d, says := newDesk(t), &told{}
	d.tc.Market = &market.Market{ID: terms().Market}
	tx, _ := d.booked()
	reminders := &booking.Reminders{Ledger: d.Ledger, Threads: says}
	if _, err := reminders.Tools()[0].Run(t.Context(), d.tc, json.RawMessage(fmt.Sprintf(`{"transactionId":%q,"hoursBefore":1}`, tx.ID))); err != nil {
		t.Fatal(err)
	}
	d.now = tx.Start.Add(-time.Minute)
	dynamotest.Lapse(t, dynamotest.TableName("ledger"), tx.ID, d.now)
	if _, err := reminders.Remind(t.Context(), dynamo.Key{PK: "reminder#" + tx.ID, SK: "reminder"}, d.now); err != nil || says.n != 1 {
		t.Errorf("told %d times, %v", says.n, err)
	}
}

// A reminder that was said long before its booking is there as long as that: who has the booking moved
// days later is reminded of the new time.
func TestAReminderLastsUntilItsBookingMoves(t *testing.T) {
	t.Parallel()
	i, says := newInn(t), &told{}
	tx := i.booked("ann", "26 18:00")
	if _, err := i.call("ann", "setReminder", fmt.Sprintf(`{"transactionId":%q,"hoursBefore":72}`, tx.ID), "k"); err != nil {
		t.Fatal(err)
	}
	i.reminders.Threads = says
	remind := func(of ledger.Transaction, n int) {
		t.Helper()
		if _, err := i.reminders.Remind(t.Context(), reminderOf(of), i.now); err != nil || says.n != n {
			t.Errorf("at %v: told %d times, want %d; %v", i.now, says.n, n, err)
		}
	}
	i.now = at(23, 18, 0)
	remind(tx, 1)
	i.now = at(26, 17, 0)
	dynamotest.Lapse(t, dynamotest.TableName("ledger"), tx.ID, i.now)
	e := i.moved("ann", tx, "30 18:00")
	if err := i.reminders.Moved(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	i.now = at(27, 18, 0)
	remind(e.Transaction, 2)
}

// A reminder comes in the chat where it was asked for, in the language spoken there; one that was set
// when that was not kept, where it was booked.
func TestAReminderComesWhereItWasAskedFor(t *testing.T) {
	t.Parallel()
	d, says := newDesk(t), &told{}
	d.tc.Market, d.tc.Thread, d.tc.Language = &market.Market{ID: terms().Market}, "there", "de"
	tx, _ := d.booked()
	reminders, key := &booking.Reminders{Ledger: d.Ledger, Threads: says}, dynamo.Key{PK: "reminder#" + tx.ID, SK: "reminder"}
	remind := func() {
		if _, err := reminders.Remind(t.Context(), key, tx.Start.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := reminders.Tools()[0].Run(t.Context(), d.tc, json.RawMessage(fmt.Sprintf(`{"transactionId":%q,"hoursBefore":1}`, tx.ID))); err != nil {
		t.Fatal(err)
	}
	says.head.Owner = tx.Owner
	remind()
	if want := booking.Summary("de", tx); says.n != 1 || says.last != "there" || !strings.Contains(says.text, want) {
		t.Errorf("%s was told %q, want there: %s", says.last, says.text, want)
	}
	if err := d.Table.DB().Commit(t.Context(), d.Table.Put(key, map[string]any{"transaction": tx.ID, "at": tx.Start.Add(-time.Hour), "dueShard": dynamotest.ID("due")})); err != nil {
		t.Fatal(err)
	}
	remind()
	if want := booking.Summary(tx.Language, tx); says.n != 2 || says.last != tx.Thread || !strings.Contains(says.text, want) {
		t.Errorf("%s was told %q, want %s: %s", says.last, says.text, tx.Thread, want)
	}
}

// A chat that is not linked any more with that of the booking hears no more of it; the booking's does.
func TestAReminderLeavesAChatThatWasUnlinked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		head thread.Head
		want string
	}{
		"linked":        {thread.Head{Owner: "session:other", Linked: []string{"session:third", "OWNER"}}, "there"},
		"unlinked":      {thread.Head{Owner: "session:other", Linked: []string{"session:third"}}, "booked"},
		"its own":       {thread.Head{}, "its own"}, // costs no look
		"there no more": {thread.Head{}, "booked"},
	} {
		d := newDesk(t)
		d.tc.Market, d.tc.Thread, d.tc.Language = &market.Market{ID: terms().Market}, "there", "de"
		tx, _ := d.booked()
		if tt.want == "its own" {
			d.tc.Thread = tx.Thread
		}
		says := &told{head: tt.head}
		for i, of := range says.head.Linked {
			if of == "OWNER" {
				says.head.Linked[i] = tx.Owner
			}
		}
		reminders := &booking.Reminders{Ledger: d.Ledger, Threads: says}
		if _, err := reminders.Tools()[0].Run(t.Context(), d.tc, json.RawMessage(fmt.Sprintf(`{"transactionId":%q,"hoursBefore":1}`, tx.ID))); err != nil {
			t.Fatal(err)
		}
		if _, err := reminders.Remind(t.Context(), dynamo.Key{PK: "reminder#" + tx.ID, SK: "reminder"}, tx.Start.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
		want, lang := tx.Thread, tx.Language
		switch tt.want {
		case "there":
			want, lang = "there", "de"
		case "its own":
			lang = "de"
		}
		if says.n != 1 || says.last != want || !strings.Contains(says.text, booking.Summary(lang, tx)) {
			t.Errorf("%s: %s was told %q, want %s", name, says.last, says.text, want)
		}
	}
}

// A reminder goes with a booking that is moved, as long before it, unless that moment has passed or
// another was wished for since; also one that is due before its new time is known, or was said. Where
// none was wished for that costs one look, and where nothing is moved none.
func TestAReminderGoesWithItsBooking(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		to    string
		anew  string // how many hours before, in the end
		heard int    // how often the event was heard of before
		due   string // the old one: before it was moved, or is heard of
		says  []time.Time
		stays bool // the old one is left, which nobody is told of
	}{
		"to a later time":              {to: "22 21:00", says: []time.Time{at(22, 19, 0)}},
		"to an earlier time":           {to: "22 16:00", says: []time.Time{at(22, 14, 0)}},
		"to before long":               {to: "21 14:00"},
		"and another was wished since": {to: "22 21:00", anew: "1", says: []time.Time{at(22, 20, 0)}, stays: true},
		"and none was wished since":    {to: "22 21:00", anew: "0", heard: 1},
		"and none was wished at once":  {to: "22 21:00", anew: "0"},
		"when it is due":               {to: "22 21:00", due: "heard", says: []time.Time{at(22, 19, 0)}},
		"when it was said":             {to: "22 21:00", due: "moved", says: []time.Time{at(22, 16, 0), at(22, 19, 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, says := newInn(t), &told{}
			tx := i.booked("ann", "22 18:00")
			if err := i.reminds("ann", tx); err != nil {
				t.Fatal(err)
			}
			i.reminders.Threads = says
			var said []time.Time
			remind := func(of ledger.Transaction) {
				if told, err := i.reminders.Remind(t.Context(), reminderOf(of), i.now); err != nil {
					t.Fatal(err)
				} else if told {
					said = append(said, i.now)
				}
			}
			if tt.due == "moved" {
				i.now = at(22, 16, 0)
				remind(tx)
			}
			e := i.moved("ann", tx, tt.to)
			if tt.due == "heard" {
				i.now = at(22, 16, 0)
				remind(tx)
			}
			for n := range 3 {
				if tt.anew != "" && n == tt.heard {
					if _, err := i.call("ann", "setReminder", fmt.Sprintf(`{"transactionId":%q,"hoursBefore":%s}`, e.Transaction.ID, tt.anew), "anew"); err != nil {
						t.Fatal(err)
					}
				}
				if err := i.reminders.Moved(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			for i.now.Before(at(23, 0, 0)) {
				remind(tx)
				remind(e.Transaction)
				i.now = i.now.Add(time.Hour)
			}
			if !slices.EqualFunc(said, tt.says, time.Time.Equal) || says.n != len(tt.says) {
				t.Errorf("said at %v, want %v", said, tt.says)
			}
			if left, err := i.ledger.Table.Get(t.Context(), reminderOf(tx)); err != nil || (left != nil) != tt.stays {
				t.Errorf("where it came from is left %v, %v", left, err)
			}
		})
	}
	i := newInn(t)
	moved := i.moved("ann", i.booked("ann", "22 18:00"), "22 21:00")
	held := ledger.Event{Type: ledger.Hold, Transaction: moved.Transaction}
	for _, tt := range []struct {
		event    ledger.Event
		requests int
	}{{moved, 1}, {held, 0}, {ledger.Event{Type: ledger.Confirmed}, 0}} {
		ctx, meter := telemetry.WithMeter(t.Context())
		if err := i.reminders.Moved(ctx, tt.event); err != nil || meter.Cost().Requests != tt.requests {
			t.Errorf("%s: %v, %d requests, want %d", tt.event.Type, err, meter.Cost().Requests, tt.requests)
		}
	}
}

// A booking that is moved to before long, too late to be reminded of, and then to later is reminded of
// as its customer wished at first.
func TestAReminderGoesAlongByASecondMove(t *testing.T) {
	t.Parallel()
	i, says := newInn(t), &told{}
	tx := i.booked("ann", "22 18:00")
	if err := i.reminds("ann", tx); err != nil {
		t.Fatal(err)
	}
	i.reminders.Threads = says
	for _, to := range []string{"21 13:00", "21 13:30", "23 18:00"} {
		e := i.moved("ann", tx, to)
		for range 2 {
			if err := i.reminders.Moved(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		tx = e.Transaction
		if it, err := i.ledger.Table.Get(t.Context(), reminderOf(tx)); err != nil || it == nil || (it.String("dueShard") != "") != (to == "23 18:00") {
			t.Errorf("moved to %s: %v, %v", to, it, err)
		}
	}
	i.now = at(23, 16, 0)
	if told, err := i.reminders.Remind(t.Context(), reminderOf(tx), i.now); err != nil || !told || says.n != 1 {
		t.Errorf("told %v, %d times, %v", told, says.n, err)
	}
}

// Who wants none after all, right when theirs goes along with its booking, hears none.
func TestAReminderIsTakenBackWhileItMoves(t *testing.T) {
	t.Parallel()
	i, says := newInn(t), &told{}
	tx := i.booked("ann", "22 18:00")
	if err := i.reminds("ann", tx); err != nil {
		t.Fatal(err)
	}
	e := i.moved("ann", tx, "22 21:00")
	late := *i.ledger
	late.Table = dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() {
		if _, err := i.call("ann", "setReminder", fmt.Sprintf(`{"transactionId":%q,"hoursBefore":0}`, e.Transaction.ID), "none"); err != nil {
			t.Error(err)
		}
	})).Table(dynamotest.TableName("ledger"))
	reminders := &booking.Reminders{Ledger: &late, Threads: says}
	if err := reminders.Moved(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if told, err := reminders.Remind(t.Context(), reminderOf(e.Transaction), at(22, 19, 0)); err != nil || told {
		t.Errorf("told %v, %v", told, err)
	}
}

// The index may bring a reminder that another sweep was done with: that costs one look.
func TestAReminderThatHasGone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx, meter := telemetry.WithMeter(t.Context())
	told, err := (&booking.Reminders{Ledger: d.Ledger}).Remind(ctx, dynamo.Key{PK: "reminder#" + dynamotest.ID("t"), SK: "reminder"}, d.now)
	if told || err != nil || meter.Cost().Requests != 1 {
		t.Errorf("told %v, %v, for %d requests", told, err, meter.Cost().Requests)
	}
}
