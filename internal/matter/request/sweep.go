package request

import (
	"context"
	"errors"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/vendor"
	"merve/internal/spine/outbox"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// Swept is what a sweep did.
type Swept struct {
	Looked, Reminded, TimedOut, Failed, Asked int
}

// Sweep reminds vendors who have not answered, gives up those who do not, and asks clients again whose questions had
// to wait. Any number of sweeps may run at once. 16 requests, 4 for each request that is due and 2 for each vendor of it.
func (t *Teller) Sweep(ctx context.Context, b dynamo.Budget) (Swept, error) {
	var did Swept
	s := t.Broker.Store
	walked, err := s.Table.EachDue(ctx, dueKind, s.now(), b, func(k dynamo.Key) (bool, error) {
		return t.attend(ctx, strings.TrimPrefix(k.PK, partition("")), &did)
	})
	did.Looked = walked.Looked
	return did, err
}

// CloseCalls closes calls of whose end nothing is known, and returns how many. 16 requests, 2 for each.
func (b *Broker) CloseCalls(ctx context.Context, most dynamo.Budget) (int, error) {
	return b.keyed().Close(ctx, most)
}

// Attend looks after one request, if something of it is due.
func (t *Teller) Attend(ctx context.Context, id string) (Swept, error) {
	var did Swept
	_, err := t.attend(ctx, id, &did)
	return did, err
}

func (t *Teller) attend(ctx context.Context, id string, did *Swept) (bool, error) {
	s := t.Broker.Store
	v, err := s.View(ctx, id)
	if errors.Is(err, actor.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	m, err := t.Broker.Markets.Get(ctx, v.Market)
	if err != nil {
		return false, err
	}
	if due := v.due(); !due.IsZero() && s.now().Before(due) {
		return false, nil // the index was behind
	}
	ws, err := t.vendors(ctx, &v, m, did)
	if err != nil {
		return false, err
	}
	again, err := t.offer(ctx, &v)
	if err != nil {
		return false, err
	}
	e := Event{Type: ChangedEvent, From: v.State, To: v.State, By: System}
	if v.State == Asking && !v.waits() && !v.quoted() {
		e.Type, e.To = SilentEvent, Searching
		v.State = Searching
	}
	err = s.Table.DB().Commit(ctx, append(ws, s.changes(&v, e)...)...)
	switch {
	case errors.Is(err, ErrChanged) || errors.Is(err, outbox.ErrDuplicate):
		return false, nil // somebody was faster; the next sweep looks again
	case err != nil:
		return false, err
	}
	if again {
		did.Asked++
		return true, t.Ask(ctx, v, m)
	}
	return true, nil
}

// vendors are the writes about the vendors of a request who have not answered yet.
func (t *Teller) vendors(ctx context.Context, v *View, m *market.Market, did *Swept) ([]dynamo.Write, error) {
	b := t.Broker
	now := b.Store.now()
	sent := *v
	sent.Outreach = append([]vendor.Outreach{}, v.Outreach...)
	if err := b.mail().Delivered(ctx, sent.Outreach); err != nil {
		return nil, err
	}
	var ws []dynamo.Write
	for i, o := range v.Outreach {
		if !o.State.Open() || now.Before(o.Next()) {
			continue
		}
		head, err := b.mail().Head(ctx, o.Thread)
		if err != nil {
			return nil, err
		}
		after := o
		switch {
		case head.OptedOut || sent.Outreach[i].State == vendor.Failed:
			after.State = vendor.Failed
			did.Failed++
		case !now.Before(o.Until):
			after.State = vendor.TimedOut
			did.TimedOut++
		case o.Reminders < vendor.MaxReminders:
			after.Reminders++
			did.Reminded++
			if head.Reachable(m, vendor.ReminderEvent, false, now) {
				again := vendor.Letter{Name: "reminder", Event: vendor.ReminderEvent, Key: wording.VendorReminder, Vars: v.askVars(m, o)}
				ws = append(ws, b.mail().Letter(ctx, m, v.Thread, o, again, "")...)
			}
		}
		ws = append(ws, b.Store.saves(o, after))
		v.Outreach[i] = after
	}
	return ws, nil
}

// offer lets go of an offer whose time is over, and reports whether one that had to wait for its turn can be asked
// about now.
func (t *Teller) offer(ctx context.Context, v *View) (again bool, err error) {
	now := t.Broker.Store.now()
	switch {
	case v.Offer == nil:
		return false, nil
	case !now.Before(v.Offer.ExpiresAt):
		v.Offer = nil
		return false, nil
	}
	head, err := t.Threads.Head(ctx, v.Thread)
	if err != nil {
		return false, err
	}
	o := *v.Offer
	o.AskedAt = now
	if head.Pending == nil && !head.OptedOut {
		o.Asked++
		again = true
	}
	v.Offer = &o
	return again, nil
}
