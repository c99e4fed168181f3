package app_test

import (
	"testing"
	"time"

	"merve/infra/local/demo"
	"merve/internal/actor"
	"merve/internal/dynamo"
	"merve/internal/ledger"
	"merve/internal/payment"
)

// A customer has all deleted while a link to pay waits for them: once the hold is over, the booking
// is without their name and note, and the payment without them.
func TestErasedOnceTheHoldIsOver(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	l, payments, start := s.base.Ledger(), s.base.Payments(), s.now.Truncate(time.Hour).Add(48*time.Hour)
	owner := actor.Actor{Kind: actor.Session, ID: "ann"}.Key()
	tx, err := l.Offer(ctx, ledger.Terms{
		Business: "harbour", Listing: "harbour", ListingName: "Harbour Grill", Offering: "table", OfferingName: "Table", Market: demo.Market, Owner: owner,
		Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "Europe/Nicosia", Party: 2, PriceMinor: 2000, DueMinor: 500, Currency: "EUR",
		CustomerName: "Ann", Note: "a secret",
	}, 1, time.Hour, "k")
	if err != nil {
		t.Fatal(err)
	}
	asked := payments.Table.Put(dynamo.Key{PK: "pay#" + tx.ID, SK: "payment"}, payment.Payment{
		Transaction: tx.ID, Owner: owner, Market: demo.Market, Title: "Harbour Grill", AmountMinor: 500, Currency: "EUR", Status: payment.Waiting, Version: 1,
	})
	if err := payments.Table.DB().Commit(ctx, asked); err != nil {
		t.Fatal(err)
	}
	txs := []ledger.Transaction{tx}
	stay, err := l.Forget(ctx, txs)
	if err != nil || len(stay) != 1 || stay[0] != tx.Code {
		t.Fatal(stay, err)
	}
	if err := payments.Forget(ctx, txs); err != nil {
		t.Fatal(err)
	}
	kept := func() bool {
		t.Helper()
		h, err := l.History(ctx, actor.Actor{Kind: actor.System}, tx.ID)
		p, err2 := payments.Get(ctx, actor.Actor{Kind: actor.System}, tx.ID)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		named := p.Owner != ""
		for _, e := range h.Events {
			if said := e.Transaction.CustomerName+e.Transaction.Note != ""; said != named {
				t.Errorf("event %s has it: %t, and the payment: %t", e.ID, said, named)
			}
		}
		return named
	}
	tick := func() {
		s.invoke(t, "expiry")
		s.now = s.now.Add(2 * time.Minute)
		s.invoke(t, "invariants")
	}
	if tick(); !kept() {
		t.Error("it went while it is held")
	}
	s.now = tx.HoldExpiresAt
	for range 2 {
		if tick(); kept() {
			t.Error("it stayed when the hold was over")
		}
	}
}
