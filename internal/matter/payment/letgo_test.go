package payment_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
)

// asked is the question whether an offer is to be let go.
func (d *till) asked(tx ledger.Transaction) thread.Pending {
	p := d.pending(tx)
	p.ID, p.Kind = "let_"+tx.ID, payment.LetGoKind
	return p
}

// Whoever has the link, and has not paid, can let the time go; what still waits for its YES has a
// NO of its own.
func TestWhatCanBeLetGo(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx := d.offer(nil)
	is := func(when, want string) {
		t.Helper()
		if got, err := d.LetGoOf(t.Context(), tx); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", when, got, err, want)
		}
	}
	is("offered", "")
	p := d.yes(tx)
	is("with its link", payment.LetGoKind)
	d.take(d.report(d.stripe.Decline(p.Intent)))
	is("declined", payment.LetGoKind)
	d.take(d.report(d.stripe.Pay(p.Intent)))
	is("paid", "")
}

// Who is asked whether to let the time go, and says to confirm it or to cancel it, is asked again.
func TestWordsToLetGo(t *testing.T) {
	t.Parallel()
	p := &thread.Pending{ID: "p1", Kind: payment.LetGoKind, CreatedAt: noon, ExpiresAt: noon.Add(booking.PayFor)}
	for text, want := range map[string]gate.Ruling{
		"yes": gate.Confirmed, "no": gate.Declined, "Confirm my booking": gate.Waiting, "Cancel my booking": gate.Waiting, "cancel it": gate.Waiting,
	} {
		msgs := []thread.Message{{ID: "m1", Text: text, At: noon.Add(time.Second)}}
		if got := gate.Decide(p, payment.LetGo{}.Does(), msgs, nil, noon.Add(time.Minute)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A YES lets the time go, which can be paid no more then; a NO gives the link again. What was paid
// meanwhile stays booked, whenever it is.
func TestLetGo(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before, between func(d *till, tx ledger.Transaction)
		want            string
		state           ledger.State
	}{
		"yes":              {want: "the slot is free again", state: ledger.Cancelled},
		"paid before":      {before: (*till).paid, want: "already confirmed", state: ledger.Confirmed},
		"paid meanwhile":   {between: (*till).paid, want: "already confirmed", state: ledger.Confirmed},
		"let go before":    {before: (*till).release, want: "the slot is free again", state: ledger.Cancelled},
		"let go meanwhile": {between: (*till).release, want: "the slot is free again", state: ledger.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTill(t)
			tx := d.offer(nil)
			d.yes(tx)
			if tt.before != nil {
				tt.before(d, tx)
			}
			p := d.asked(tx)
			s, err := payment.LetGo{Store: d.Store}.Commit(t.Context(), d.tc, d.consent(p))
			if err != nil {
				t.Fatal(err)
			}
			if tt.between != nil {
				tt.between(d, tx)
			}
			said := s.Text
			if err := d.Table.DB().Commit(t.Context(), s.Writes...); err != nil {
				text, ok := s.Refused(err)
				if !ok {
					t.Fatal(err)
				}
				said = cmp.Or(text, said)
			}
			if !strings.Contains(strings.ToLower(said), strings.ToLower(tt.want)) || d.state(tx) != tt.state {
				t.Errorf("%s: %q; want %s: %q", d.state(tx), said, tt.state, tt.want)
			}
		})
	}
}

// A NO keeps the time, and so do words that the question was not answered in time.
func TestNotLetGo(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before func(d *till, tx ledger.Transaction)
		ref    string
		want   string
		late   string
		state  ledger.State
	}{
		"no":                 {want: "/pay/", state: ledger.Hold},
		"paid before":        {before: (*till).paid, want: "already confirmed", late: "already confirmed", state: ledger.Confirmed},
		"too late":           {before: func(d *till, _ ledger.Transaction) { d.pass(booking.PayFor) }, want: "the hold has gone", state: ledger.Hold},
		"let go before":      {before: (*till).release, want: "the hold has gone", state: ledger.Cancelled},
		"of what was erased": {ref: "tx_none", want: "the hold has gone", state: ledger.Hold},
	} {
		d := newTill(t)
		tx := d.offer(nil)
		d.yes(tx)
		if tt.before != nil {
			tt.before(d, tx)
		}
		p := d.asked(tx)
		p.Ref = cmp.Or(tt.ref, p.Ref)
		s, err := payment.LetGo{Store: d.Store}.Release(t.Context(), d.tc, p)
		if err != nil || len(s.Writes) > 0 || !strings.Contains(strings.ToLower(s.Text), tt.want) || d.state(tx) != tt.state {
			t.Errorf("%s: %s, %v, %q", name, d.state(tx), err, s.Text)
		}
		if (s.Late != "") != (tt.late != "") || !strings.Contains(s.Late, tt.late) {
			t.Errorf("%s, too late: %q", name, s.Late)
		}
	}
	d := newTill(t)
	tx := d.offer(nil)
	d.yes(tx)
	away := d.through(faulttest.With(faulttest.At{N: 1, Fault: faulttest.ServerError}))
	if s, err := (payment.LetGo{Store: away}).Release(t.Context(), d.tc, d.asked(tx)); err == nil {
		t.Errorf("not known: %+v", s)
	}
}
