package turn_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/booking"
	"merve/internal/record/ledger"
)

// bookingKinds are the kinds of turn by which bookings are waited for, reminded of, paid and
// moved.
func bookingKinds() []kind {
	booked, paying, yes := []string{"book", "yes"}, []string{"dive", "yes"}, []string{"yes"}
	waits := []string{"bob: book", "bob: yes", "wait for it"}
	freed := then(waits, "bob: cancel it", "bob: yes")
	return []kind{
		{name: "waiting list", want: "joinWaitlist ok", before: waits[:2], said: waits[2:]},
		{name: "waiting list left", want: "leaveWaitlist ok", before: waits, said: []string{"wait no more"}},
		{name: "waiting list's offer", want: "has become free", before: freed, elsewhere: (*world).freed},
		{name: "waiting list's offer, yes", want: "Your booking is confirmed.", before: freed, prepare: (*world).allIsTold, said: yes},
		{name: "reminder", want: "setReminder ok", before: booked, said: []string{"remind me"}},
		{name: "reminder told", want: "A reminder, as you wished", before: then(booked, "remind me"), later: 23 * time.Hour, elsewhere: (*world).reminded},
		{name: "booking to be moved", want: "Shall your booking be moved?", before: booked, said: []string{"move it"}},
		{name: "booking moved, yes", want: "Your booking has been moved", before: then(booked, "move it"), said: yes},
		{name: "booking moved, no", want: "stays as it is", before: then(booked, "move it"), said: []string{"no"}},
		{name: "payment asked for", want: "createPaymentIntent proposed", also: "cruise", said: []string{"by card"}},
		{name: "payment, yes", want: "Please pay €27.00 here", before: paying[:1], said: yes},
		{name: "payment, no", want: "the slot is free again", before: paying[:1], said: []string{"no"}},
		{name: "what is to be paid is let go", want: "Shall I let it go?", before: paying, said: []string{"cancel it"}},
		{name: "what is to be paid is let go, yes", want: "the slot is free again", before: then(paying, "cancel it"), said: yes},
		{name: "what is to be paid is let go, no", want: "Please pay €27.00 here", before: then(paying, "cancel it"), said: []string{"no"}},
		{name: "paid", want: "Your payment of €27.00 has arrived", before: paying, elsewhere: (*world).paid},
		{name: "paid booking moved, yes", want: "Please pay €27.00 here", before: paying, prepare: paidThen("move it"), said: yes},
		{name: "paid booking moved, paid", want: "Your payment of €27.00 has arrived", before: paying, prepare: paidThen("move it", "yes"), elsewhere: (*world).paid},
		{name: "paid booking cancelled, yes", want: "has been cancelled", before: paying, prepare: paidThen("cancel it"), said: yes},
	}
}

// allIsTold has everything brought about that streams bring.
func (w *world) allIsTold(string) {
	w.t.Helper()
	w.settle()
	w.clock.add(time.Second)
}

// freed has the stream of the ledger bring the cancellation of what somebody waits for.
func (w *world) freed(string) func(context.Context) error {
	w.t.Helper()
	var all []ledger.Event
	for _, id := range w.given() {
		all = append(all, w.events(id)...)
	}
	return func(ctx context.Context) error {
		var errs []error
		for _, e := range all {
			errs = append(errs, w.waitlist().Freed(ctx, e))
		}
		return errors.Join(errs...)
	}
}

// reminded has the schedule look at the reminders that there are.
func (w *world) reminded(string) func(context.Context) error {
	ids := w.given()
	return func(ctx context.Context) error {
		var errs []error
		for _, id := range ids {
			_, err := w.reminders().Remind(ctx, reminderOf(id), w.clock.now())
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	}
}

func reminderOf(tx string) dynamo.Key { return dynamo.Key{PK: "reminder#" + tx, SK: "reminder"} }

// paid has the customer pay what was last asked for, Stripe say so, and the stream of the ledger
// bring what came of it.
func (w *world) paid(string) func(context.Context) error {
	w.t.Helper()
	healthy, all := w.payments, w.stripe.Intents()
	told := w.reportOf(w.stripe.Pay(all[len(all)-1].ID))
	return func(ctx context.Context) error {
		errs := []error{w.payments.Take(ctx, told)}
		for _, e := range w.paymentEvents(healthy, told.Transaction) {
			errs = append(errs, w.payer.Tell(ctx, e))
		}
		return errors.Join(errs...)
	}
}

// paidThen has ann pay what she was asked for, and then say more.
func paidThen(more ...string) func(w *world, thread string) {
	return func(w *world, id string) {
		w.t.Helper()
		if err := w.paid(id)(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		w.allIsTold(id)
		for i, text := range more {
			w.arrive(nil, w.from("ann", w.last.Channel, fmt.Sprint("paid", i), text))
			w.clock.add(time.Second)
		}
	}
}

// stateOfBookings is what is left of waiting lists, reminders and payments.
func (w *world) stateOfBookings(s *state) {
	w.t.Helper()
	waits, err := booking.Wishes{Ledger: w.ledger}.Of(w.t.Context(), w.market, w.owners()...)
	for _, one := range waits {
		s.Waits = append(s.Waits, fmt.Sprintf("%s at %s, %d people", one.Terms.CustomerName, one.Terms.Start.Format(time.DateTime), one.Terms.Party))
	}
	for _, id := range w.given() {
		it, missing := w.ledger.Table.Get(w.t.Context(), reminderOf(id))
		if err = errors.Join(err, missing); it.String("dueShard") != "" {
			s.Reminders = append(s.Reminders, it.String("at"))
		}
		p, none := w.payments.Get(w.t.Context(), actor.Actor{Kind: actor.System}, id)
		if none == nil {
			s.Payments = append(s.Payments, fmt.Sprintf("%s %d, back %d, receipt %v", p.Status, p.AmountMinor, p.Back(), p.Receipt.OfferHash != ""))
		} else if !fault.Is(none, fault.NotFound) {
			err = errors.Join(err, none)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	s.Payments = append(s.Payments, w.asked())
}
