package booking

import (
	"context"
	"time"

	"merve/internal/ledger"
	"merve/internal/schedule"
	"merve/internal/wording"
)

// Money says what becomes of what was paid for a booking that its customer cancels.
type Money struct {
	// Paid is how much was paid for a transaction, in minor units, and is not on its way back. Nil
	// is nothing.
	Paid func(ctx context.Context, tx ledger.Transaction) (int64, error)
}

// Cancelled words what becomes of it when tx is cancelled at a time; "" when nothing was paid.
func (m Money) Cancelled(ctx context.Context, lang string, tx ledger.Transaction, at time.Time) (string, error) {
	if m.Paid == nil || tx.PriceMinor == 0 && tx.DueMinor == 0 {
		return "", nil
	}
	paid, err := m.Paid(ctx, tx)
	if err != nil || paid == 0 {
		return "", err
	}
	back := tx.Back(paid, at)
	key := wording.MoneyPart
	switch back {
	case paid:
		key = wording.MoneyBack
	case 0:
		key = wording.MoneyKept
	}
	return wording.Say(lang, key, wording.Vars{
		"amount": wording.Money(lang, paid, tx.Currency), "back": wording.Money(lang, back, tx.Currency), "kept": wording.Money(lang, paid-back, tx.Currency),
		"until": FreeUntil(lang, tx, at),
	}), nil
}

// FreeUntil is until when a booking is cancelled for nothing, in its own zone, as it is said at a
// time.
func FreeUntil(lang string, tx ledger.Transaction, at time.Time) string {
	loc := schedule.Zone(tx.TimeZone)
	return wording.Until(lang, tx.FreeUntil().In(loc), at.In(loc))
}
