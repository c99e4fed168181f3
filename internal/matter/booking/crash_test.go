package booking_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
)

// aside keeps an inn's reminders apart from everybody else's, in the index of what is due.
func (i *inn) aside() http.RoundTripper { return dynamotest.Aside(i.name, `reminder#\d\d`) }

// left is what an operation leaves: how each customer stands, which reminders wait for their time, and
// by how many names turns were queued.
type left struct {
	Customers []string
	Reminder  bool
	Turns     int
}

func (i *inn) left(tx ledger.Transaction) (l left) {
	i.t.Helper()
	i.over(i.aside())
	for _, who := range []string{"ann", "bob", "eve", "joe"} {
		if how := i.standing(who); how != "" {
			l.Customers = append(l.Customers, who+": "+how)
		}
	}
	it, err := i.ledger.Table.Get(i.t.Context(), reminderOf(tx))
	if err != nil {
		i.t.Fatal(err)
	}
	_, waits := it["dueShard"]
	l.Reminder, l.Turns = waits, len(slices.Compact(slices.Sorted(slices.Values(i.queued))))
	return l
}

func reminderOf(tx ledger.Transaction) dynamo.Key {
	return dynamo.Key{PK: "reminder#" + tx.ID, SK: "reminder"}
}

// booked is a confirmed booking of a customer's.
func (i *inn) booked(who, when string) ledger.Transaction {
	i.t.Helper()
	tx := i.holds(who, when)
	r := gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, MessageID: "m", Answer: "yes", Actor: tx.Owner, At: i.now}
	tx, err := ledgertest.Confirm(i.t.Context(), i.ledger, i.actor(who), tx.ID, r, "yes")
	if err != nil {
		i.t.Fatal(err)
	}
	return tx
}

// reminds has a customer wish to be reminded two hours before.
func (i *inn) reminds(who string, tx ledger.Transaction) error {
	_, err := i.call(who, "setReminder", fmt.Sprintf(`{"transactionId":%q,"hoursBefore":2}`, tx.ID), "k")
	return err
}

// Every call that a reminder or the waiting list makes, with every fault, delivered again and once
// more for no reason: everybody is told once of what is held for them once.
func TestField25_EveryFaultOfReminderAndWaitingList(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		faults  []faulttest.Fault
		prepare func(i *inn) (tx ledger.Transaction, step func() error)
		want    left
	}{
		{"a reminder is set", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.booked("ann", "22 18:00")
			return tx, func() error { return i.reminds("ann", tx) }
		}, left{Customers: []string{"ann: confirmed 22 18:00"}, Reminder: true}},
		{"a reminder is said", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.reminded("ann")
			return tx, func() error {
				_, err := i.reminders.Remind(i.t.Context(), reminderOf(tx), i.now)
				return err
			}
		}, left{Customers: []string{"ann: confirmed 22 18:00, told booking_reminder"}, Turns: 1}},
		{"reminders are swept", []faulttest.Fault{faulttest.DiesAfter}, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.reminded("ann")
			return tx, func() error {
				_, err := i.reminders.Sweep(i.t.Context(), dynamo.Budget{Count: 10})
				return err
			}
		}, left{Customers: []string{"ann: confirmed 22 18:00, told booking_reminder"}, Turns: 1}},
		{"a reminder goes with its booking", nil, func(i *inn) (ledger.Transaction, func() error) {
			e := i.moved("ann", i.reminded("ann"), "22 21:00")
			return e.Transaction, func() error { return i.reminders.Moved(i.t.Context(), e) }
		}, left{Customers: []string{"ann: confirmed 22 21:00, cancelled 22 18:00"}, Reminder: true}},
		{"a customer waits", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.holds("yan", "22 18:00")
			return tx, func() error {
				_, err := i.call("ann", "joinWaitlist", args("22 18:00"), "k")
				return err
			}
		}, left{Customers: []string{"ann: waits"}}},
		{"a customer waits in another chat", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.holds("yan", "22 18:00")
			i.waits("22 18:00", "ann")
			wishes, err := booking.Wishes{Ledger: i.ledger}.Of(i.t.Context(), i.market.ID, i.actor("ann").Key())
			if err != nil || len(wishes) != 1 {
				i.t.Fatal(wishes, err)
			}
			bob := wishes[0]
			bob.ID, bob.Terms.Owner = "bobs", i.actor("bob").Key()
			return tx, func() error {
				return booking.Wishes{Ledger: i.ledger}.Put(i.t.Context(), bob, i.actor("ann").Key())
			}
		}, left{Customers: []string{"bob: waits"}}},
		{"a customer waits no more", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.holds("yan", "22 18:00")
			i.waits("22 18:00", "ann", "bob")
			wishes, err := booking.Wishes{Ledger: i.ledger}.Of(i.t.Context(), i.market.ID, i.actor("ann").Key())
			if err != nil || len(wishes) != 1 {
				i.t.Fatal(wishes, err)
			}
			return tx, func() error {
				_, err := i.call("ann", "leaveWaitlist", fmt.Sprintf(`{"waitingId":%q}`, wishes[0].ID), "k")
				return err
			}
		}, left{Customers: []string{"bob: waits"}}},
		{"a time is offered", nil, func(i *inn) (ledger.Transaction, func() error) {
			return i.holds("yan", "22 21:00"), func() error { return i.offers("ann", "initiateBooking", args("22 18:00"), true) }
		}, left{Customers: []string{"ann: hold 22 18:00"}}},
		{"a taken time is refused", nil, func(i *inn) (ledger.Transaction, func() error) {
			return i.holds("yan", "22 18:00"), func() error { return i.offers("ann", "initiateBooking", args("22 18:00"), false) }
		}, left{}},
		{"another time is offered", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.booked("ann", "22 18:00")
			i.now = i.now.Add(time.Second) // what is newer is listed first
			move := fmt.Sprintf(`{"transactionId":%q,"date":"2026-11-22","time":"21:00","endDate":null,"partySize":null}`, tx.ID)
			return tx, func() error { return i.offers("ann", "rescheduleBooking", move, true) }
		}, left{Customers: []string{"ann: hold 22 21:00, confirmed 22 18:00"}}},
		{"a booking is asked about", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.booked("ann", "22 18:00")
			return tx, func() error {
				if err := i.offers("ann", "getMyBookings", `{}`, false); err != nil {
					return err
				}
				return i.offers("ann", "cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, tx.ID), true)
			}
		}, left{Customers: []string{"ann: confirmed 22 18:00"}}},
		{"one who waits is offered", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.holds("yan", "22 18:00")
			i.waits("22 18:00", "ann")
			i.letGo(tx)
			all, err := booking.Wishes{Ledger: i.ledger}.Of(i.t.Context(), i.market.ID, i.actor("ann").Key())
			if err != nil || len(all) != 1 {
				i.t.Fatal(all, err)
			}
			return tx, func() error {
				_, _, err := i.waitlist.OfferTo(i.t.Context(), i.market, all[0])
				return err
			}
		}, left{Customers: []string{"ann: hold 22 18:00, waits"}}},
		{"what is freed is offered", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.holds("yan", "22-24")
			i.holds("zoe", "24-25")
			i.waits("22-25", "joe")
			i.waits("22-23", "ann", "eve")
			i.waits("23-24", "bob")
			e := i.letGo(tx)
			return tx, func() error { return i.waitlist.Freed(i.t.Context(), e) }
		}, left{Customers: []string{"ann: hold 22 15:00, told waitlist_offer", "bob: hold 23 15:00, told waitlist_offer", "eve: waits", "joe: waits"}, Turns: 2}},
		{"what is freed shortly before it begins", nil, func(i *inn) (ledger.Transaction, func() error) {
			tx := i.holds("yan", "22 18:00")
			i.waits("22 18:00", "ann", "eve")
			e := i.letGo(tx)
			i.now = tx.Start.Add(-10 * time.Minute)
			return tx, func() error { return i.waitlist.Freed(i.t.Context(), e) }
		}, left{Customers: []string{"ann: hold 22 18:00, told waitlist_offer", "eve: waits"}, Turns: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, tt.faults, func(t *testing.T, calls *faulttest.Calls) left {
				i := newInn(t)
				calls.Next = i.aside()
				i.over(calls.Next)
				i.thread("ann")
				tx, step := tt.prepare(i)
				i.over(calls)
				again := func() { i.now = i.now.Add(time.Second) }
				for range 2 {
					calls.Deliver(t, again, step)
					again()
				}
				got := i.left(tx)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("wanted (-), and left (+):\n%s", diff)
				}
				return got
			})
		})
	}
}

// offers has a tool propose something, or not.
func (i *inn) offers(who, name, args string, proposes bool) error {
	r, err := i.call(who, name, args, "k")
	if err == nil && (r.Proposal != nil) != proposes {
		i.t.Errorf("%s proposes %+v, want that it proposes: %v", name, r.Proposal, proposes)
	}
	return err
}

// reminded is a booking of which its customer is to be reminded now.
func (i *inn) reminded(who string) ledger.Transaction {
	i.t.Helper()
	tx := i.booked(who, "22 18:00")
	if err := i.reminds(who, tx); err != nil {
		i.t.Fatal(err)
	}
	i.now = tx.Start.Add(-2 * time.Hour)
	return tx
}

// moved has a customer move a booking to another time, and returns the event that tells of it.
func (i *inn) moved(who string, old ledger.Transaction, when string) ledger.Event {
	i.t.Helper()
	ctx, terms := i.t.Context(), old.Terms
	start, err := time.Parse("2006-01 02 15:04", "2026-11 "+when)
	if err != nil {
		i.t.Fatal(err)
	}
	shift := start.Sub(old.Start)
	terms.Replaces, terms.Start, terms.End, terms.Slots = old.ID, start, old.End.Add(shift), nil
	for _, s := range old.Slots {
		terms.Slots = append(terms.Slots, s.Add(shift))
	}
	tx, err := i.ledger.Offer(ctx, terms, 1, 10*time.Minute, dynamotest.ID("k"))
	if err != nil {
		i.t.Fatal(err)
	}
	r := gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, MessageID: "m", Answer: "yes", Actor: tx.Owner, At: i.now}
	ws, tx, _, err := i.ledger.MoveWrites(ctx, i.actor(who), tx.ID, tx.OfferHash, r, "yes")
	if err == nil {
		err = i.ledger.Table.DB().Commit(ctx, ws...)
	}
	if err != nil {
		i.t.Fatal(err)
	}
	return ledger.Event{Type: tx.State, Transaction: tx}
}
