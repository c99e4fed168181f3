package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
)

// Record is the bookkeeping record of a payment, in the form its customer sees.
type Record struct {
	Transaction string    `json:"transactionId"`
	Title       string    `json:"title"`
	AmountMinor int64     `json:"amountMinor"`
	BackMinor   int64     `json:"backMinor,omitempty"`
	Currency    string    `json:"currency"`
	Status      Status    `json:"status"`
	Reason      string    `json:"reason,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}

// Of returns the payments for transactions, in their order. Free transactions, and those that nobody was
// asked to pay, have none. 1 request for each that costs something.
func (s *Store) Of(ctx context.Context, txs []ledger.Transaction) ([]Record, error) {
	var all []Record
	for _, tx := range txs {
		if Due(tx) == 0 {
			continue
		}
		p, err := s.Get(ctx, system(), tx.ID)
		if errors.Is(err, actor.ErrNotFound) || err == nil && p.Owner == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		r := Record{p.Transaction, p.Title, p.AmountMinor, 0, p.Currency, p.Status, p.Reason, p.CreatedAt, p.UpdatedAt}
		if p.Status == Refunding || p.Status == Refunded {
			r.BackMinor = p.Back()
		}
		all = append(all, r)
	}
	return all, nil
}

// Forget removes the customer from the payments for transactions: their identity, their thread,
// their language, the link, and their name in the receipt. It keeps what was asked, paid and given back,
// when, and the provider's id, because books have to be kept. A payment for a transaction that is held or still
// to come stays complete until that is over: its customer may yet pay it, or ask whether they have. The caller who
// forgets the transaction then asks again. Forget is idempotent. 2 requests for each, 1 if it was done before.
func (s *Store) Forget(ctx context.Context, txs []ledger.Transaction) error {
	var errs []error
	for _, tx := range txs {
		if Due(tx) == 0 || tx.Stands(s.now()) {
			continue
		}
		if err := s.forget(ctx, tx.ID); err != nil {
			errs = append(errs, fmt.Errorf("payment of %s: %w", tx.ID, err))
		}
	}
	return errors.Join(errs...)
}

func (s *Store) forget(ctx context.Context, tx string) error {
	page, err := s.Table.Query(ctx, dynamo.Under(pkPrefix+tx, ""))
	if err != nil {
		return err
	}
	var ws []dynamo.Write
	for _, it := range page.Items {
		if it.Key() != key(tx) {
			ws = append(ws, s.Table.Update(it.Key(), "REMOVE #owner, thread", nil))
			continue
		}
		var p stored
		if err := it.Decode(&p); err != nil {
			return err
		}
		if p.Owner == "" {
			return nil // done before
		}
		after := p.Payment
		after.Owner, after.Thread, after.Language, after.Token, after.Receipt.Actor, after.Receipt.MessageID = "", "", "", "", "", ""
		after.Version++
		ws = append(ws, s.put(after, p.DueAt).AtVersion(p.Version).Else(errMoved))
	}
	return s.Table.DB().Commit(ctx, ws...)
}
