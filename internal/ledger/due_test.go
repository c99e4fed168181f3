package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"merve/internal/gate"
	"merve/internal/schedule"
	"merve/internal/tool"
)

// What takes a deposit is held for longer, and waits for another kind of YES; how much is due,
// and until when it is given back, is part of the offer.
func TestAnOfferThatIsToBePaid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.offering.Deposit = &schedule.Deposit{PercentOfPrice: 25, RefundUntilHours: 6}
	b := &Booker{
		Ledger: s.Ledger, Catalog: s, Summary: func(string, Transaction) string { return "S" }, Card: func(string, Transaction) tool.Card { return nil },
		Kind: func(tx Transaction) string {
			if tx.DueMinor > 0 {
				return "pay"
			}
			return ConfirmKind
		},
	}
	var err error
	if s.tools, err = tool.NewRegistry(b.Tools()...); err != nil {
		t.Fatal(err)
	}
	res, tx := s.offered()
	if res.Proposal.Kind != "pay" || !res.Proposal.ExpiresAt.Equal(s.Now().Add(PayFor)) || !tx.HoldExpiresAt.Equal(res.Proposal.ExpiresAt) {
		t.Errorf("%+v", res.Proposal)
	}
	if tx.DueMinor != 250 || !tx.RefundUntil.Equal(tx.Start.Add(-6*time.Hour)) {
		t.Errorf("due %d, refunded until %v", tx.DueMinor, tx.RefundUntil)
	}
	for name, spoil := range map[string]func(*Transaction){"due": func(t *Transaction) { t.DueMinor++ }, "rule": func(t *Transaction) { t.RefundUntil = t.Start }} {
		other := tx
		spoil(&other)
		if OfferHash(other) == tx.OfferHash {
			t.Errorf("%s is not part of the offer", name)
		}
	}
	if data, err := json.Marshal(res.Data); err != nil || !json.Valid(data) {
		t.Errorf("%s, %v", data, err)
	}
	_, err = s.Confirm(context.Background(), s.owner, tx.ID, gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, Answer: "yes"}, "c")
	if !errors.Is(err, ErrUnpaid) {
		t.Errorf("confirmed without a payment: %v", err)
	}
	paid, err := s.Confirm(context.Background(), s.owner, tx.ID, gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, Answer: "yes", Payment: "pi_1"}, "c")
	if err != nil || paid.State != Confirmed {
		t.Errorf("%s, %v", paid.State, err)
	}
}
