package ledger

import (
	"cmp"
	"slices"
	"time"

	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
)

// OfferHash identifies the exact offer that a transaction makes: what, when, for how many, at what price, how much of it
// in advance and what becomes of that, held until when, under which policy. A YES is bound to it.
func OfferHash(tx Transaction) string {
	t := tx.Terms
	terms := []any{"offer", tx.ID, t.Business, t.Listing, t.Offering, t.Start.UnixMilli(), t.End.UnixMilli(),
		slices.Concat(tx.Locks, tx.Inherits), t.Party, t.PriceMinor, t.Currency, t.Note, tx.HoldExpiresAt.UnixMilli(), t.Policy}
	if t.DueMinor > 0 {
		terms = append(terms, t.DueMinor, t.RefundUntil.UnixMilli())
	}
	if t.LateRefundMinor > 0 {
		terms = append(terms, "late", t.LateRefundMinor)
	}
	if t.Replaces != "" {
		terms = append(terms, t.Replaces)
	}
	if t.Place != "" {
		terms = append(terms, "place", t.Place)
	}
	return ident.Hash(terms...)
}

// CancelHash identifies the cancellation of a transaction as it stands, with the refund at a time of what was paid, which
// is what was due or the whole price.
func CancelHash(tx Transaction, at time.Time) string {
	terms := []any{"cancel", tx.ID, tx.State, tx.Version, tx.OfferHash}
	if paid := cmp.Or(tx.DueMinor, tx.PriceMinor); paid > 0 {
		terms = append(terms, tx.Back(paid, at))
	}
	return ident.Hash(terms...)
}

// confirmWrites are the writes that confirm tx, as read, on a YES to exactly its offer.
func (l *Ledger) confirmWrites(tx Transaction, r gate.Receipt, key string, now time.Time) ([]dynamo.Write, error) {
	c, err := l.changes().confirmation(tx, r, key, stored(now))
	if err != nil {
		return nil, err
	}
	return append(l.writer().writes(c), l.Table.Put(receiptKey(tx.ID), r).IfAbsent().Else(ErrChanged)), nil
}

func confirmPayload(tx Transaction, r gate.Receipt) string {
	return ident.Hash(tx.ID, r.PendingID, r.OfferHash)
}

// confirmed is a transaction after its YES.
func (tx Transaction) confirmed(now time.Time) Transaction {
	after := opConfirm.next(tx, now)
	after.ConfirmedAt, after.Locks, after.Inherits = now, slices.Concat(tx.Locks, tx.Inherits), nil
	return after
}
