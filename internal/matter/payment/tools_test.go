package payment_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/record/ledger"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// run runs one of the tools as the customer of the till, about a transaction or, with "", the latest.
func (d *till) run(name, tx string, change func(tc *tool.Context)) (tool.Result, error) {
	d.t.Helper()
	tc := d.tc
	if change != nil {
		change(&tc)
	}
	tools, err := tool.NewRegistry((&payment.Payer{Store: d.Store}).Tools()...)
	if err != nil {
		d.t.Fatal(err)
	}
	t, ok := tools.Get(name)
	if !ok {
		d.t.Fatalf("no tool %s", name)
	}
	id := any(tx)
	if tx == "" {
		id = nil
	}
	args, err := json.Marshal(map[string]any{"transactionId": id})
	if err != nil {
		d.t.Fatal(err)
	}
	return t.Run(context.Background(), tc, args)
}

// Who has had all deleted is told that what they still come to is paid, and when it is over the
// payment is nobody's.
func TestPaidIsPaidWhileItStands(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), t.Context()
	tx := d.offer(nil)
	d.take(d.report(d.stripe.Pay(d.yes(tx).Intent)))
	forget := func() {
		t.Helper()
		booked, err := d.Ledger.Get(ctx, d.tc.Actor, tx.ID)
		if err := errors.Join(err, d.Forget(ctx, []ledger.Transaction{booked})); err != nil {
			t.Fatal(err)
		}
	}
	forget()
	res, err := d.run("getPaymentStatus", tx.ID, nil)
	if got, _ := res.Data.(map[string]any); err != nil || got["status"] != payment.Paid {
		t.Errorf("%+v, %v", res.Data, err)
	}
	d.pass(tx.End.Sub(d.now()))
	forget()
	if _, err := d.Get(ctx, d.tc.Actor, tx.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("it is still theirs: %v", err)
	}
}

// A payment is asked for what is held, is to be paid, and waits for no move; of the customer's own, in
// the market that they write in.
func TestWhatMayBePaid(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	paid := d.offer(nil)
	d.take(d.report(d.stripe.Pay(d.yes(paid).Intent)))
	held, gift := d.offer(nil), d.offer(free)
	for name, tt := range map[string]struct {
		tx     ledger.Transaction
		change func(tc *tool.Context)
		want   string
	}{
		"held":                 {held, nil, ""},
		"booked":               {paid, nil, "it is booked"},
		"free":                 {gift, nil, "it costs nothing"},
		"in another market":    {held, func(tc *tool.Context) { tc.Market = market.Default("other") }, "no such booking"},
		"another's":            {held, func(tc *tool.Context) { tc.Actor.ID = "other" }, "no such booking"},
		"not held any more":    {held, func(tc *tool.Context) { tc.Now = held.HoldExpiresAt }, "not held any more"},
		"the latest of nobody": {ledger.Transaction{}, func(tc *tool.Context) { tc.Actor.ID = "other" }, "no such booking"},
		"what there is not":    {ledger.Transaction{ID: "none"}, nil, "no such booking"},
		"named by the code":    {ledger.Transaction{ID: held.Code}, nil, "no such booking"},
		"a moment before that": {held, func(tc *tool.Context) { tc.Now = held.HoldExpiresAt.Add(-time.Minute) }, ""},
	} {
		got, err := d.run("createPaymentIntent", tt.tx.ID, tt.change)
		if tt.want == "" {
			if err != nil || got.Proposal == nil || got.Proposal.Ref != tt.tx.ID || got.Proposal.Kind != payment.Kind {
				t.Errorf("%s: %+v, %v", name, got.Proposal, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || got.Proposal != nil {
			t.Errorf("%s: %+v, %v; want %s", name, got.Proposal, err, tt.want)
		}
	}
	if _, err := d.run("getPaymentStatus", held.ID, func(tc *tool.Context) { tc.Market = market.Default("other") }); !fault.Is(err, fault.NotFound) {
		t.Errorf("its status, in another market: %v", err)
	}
}

// The model is told what is known, and no more: of what was not paid in time the money may still be
// on its way, and what was confirmed without it is booked.
func TestStatusOfWhatWasNotPaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		begin func(d *till, tx ledger.Transaction)
		want  ledger.State
	}{
		"not in time":          {func(*till, ledger.Transaction) {}, ledger.Expired},
		"confirmed without it": {(*till).confirm, ledger.Confirmed},
	} {
		d := newTill(t)
		tx := d.offer(nothingDue)
		p := d.yes(tx)
		tt.begin(d, tx)
		d.pass(booking.PayFor)
		got, err := d.run("getPaymentStatus", tx.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := got.Data.(map[string]any)
		if data["state"] != tt.want || data["status"] != "none" || got.Cards != nil {
			t.Errorf("%s: %+v, %+v", name, data, got.Cards)
		}
		if memory, _ := json.Marshal(got.Memory); strings.Contains(string(memory), d.Link(p)) {
			t.Errorf("%s: a link that leads nowhere is remembered: %s", name, memory)
		}
	}
}

// A move is paid by its own YES.
func TestAMoveIsNotPaidByATool(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	old := d.offer(nil)
	d.take(d.report(d.stripe.Pay(d.yes(old).Intent)))
	moved := d.offer(func(t *ledger.Terms) {
		t.Replaces, t.Start, t.End = old.ID, t.Start.Add(4*time.Hour), t.End.Add(4*time.Hour)
		t.Slots = []time.Time{t.Start}
	})
	if got, err := d.run("createPaymentIntent", moved.ID, nil); err == nil || !strings.Contains(err.Error(), "move a booking") {
		t.Errorf("%+v, %v", got.Proposal, err)
	}
	if paid, err := d.PaidFor(ctx, old); err != nil || paid != 3000 {
		t.Errorf("paid %d, %v", paid, err)
	}
}

// Paid is what has been paid and is not on its way back.
func TestPaidFor(t *testing.T) {
	t.Parallel()
	d, ctx := newTill(t), context.Background()
	tx, gift := d.offer(nil), d.offer(free)
	count := counting()
	s := d.through(count)
	paid := func(when string, tx ledger.Transaction, want int64, requests ...string) {
		t.Helper()
		if got, err := s.PaidFor(ctx, tx); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", when, got, err, want)
		}
		count.want(t, when, requests...)
	}
	paid("for nothing", gift, 0)
	paid("not asked for", tx, 0, "GetItem")
	p := d.yes(tx)
	paid("asked for", tx, 0, "GetItem")
	d.take(d.report(d.stripe.Pay(p.Intent)))
	paid("paid", tx, 3000, "GetItem")
	if _, err := d.Ledger.Release(ctx, d.tc.Actor, tx.ID, "test", "cancel"); err != nil {
		t.Fatal(err)
	}
	d.ended(tx)
	paid("on its way back", tx, 0, "GetItem")
	d.sweep(tx)
	paid("given back", tx, 0, "GetItem")
	if _, err := d.Get(ctx, actor.Actor{Kind: actor.System}, gift.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("of what is free: %v", err)
	}
}

// The question to an offer says what is to be paid now, and what becomes of that.
func TestAsk(t *testing.T) {
	t.Parallel()
	d := newTill(t)
	tx := d.offer(nil)
	words := func(lang string, tx ledger.Transaction) string {
		kind, text := d.Ask(lang, "S", tx)
		if kind != payment.Kind {
			t.Errorf("asked by %s", kind)
		}
		return text
	}
	now, until := wording.Money("en", 3000, "EUR"), "free until"
	if got := words("en", tx); !strings.Contains(got, now) || !strings.Contains(got, until) {
		t.Errorf("%q", got)
	}
	late := tx
	late.RefundUntil = late.CreatedAt // nothing comes back from the first moment on
	if got := words("en", late); !strings.Contains(got, now) || strings.Contains(got, until) || got == words("en", tx) {
		t.Errorf("too late from the start: %q", got)
	}
}
