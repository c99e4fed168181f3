package booking

import (
	"context"
	"time"

	"merve/internal/ledger"
	"merve/internal/schedule"
	"merve/internal/wording"
)

// Payments is what booking has to ask about money. Package payment answers it; app joins the two, as
// neither imports the other.
type Payments interface {
	// Ask returns how an offer is put to the customer of which something is due: the kind of pending
	// action whose YES leads to the payment, and the offer's summary with how much is due and what
	// is kept of it when it is cancelled late.
	Ask(language, summary string, offer ledger.Transaction) (kind, text string)

	// LetGoOf returns the kind of pending action that lets an offer go whose customer has been given
	// the link to pay; "" while the offer's own question waits for its answer.
	LetGoOf(ctx context.Context, offer ledger.Transaction) (kind string, err error)

	// PaidFor returns how much was paid for a transaction, in minor units, and is not on its way back.
	PaidFor(ctx context.Context, tx ledger.Transaction) (int64, error)
}

// question returns how an offer is put to the customer: the kind of pending action, and its summary.
// What has to be paid ahead is not confirmed by a YES alone, so payments ask for it.
func question(p Payments, lang, summary string, offer ledger.Transaction) (kind, text string) {
	if offer.DueMinor == 0 {
		return ConfirmKind, summary
	}
	return p.Ask(lang, summary, offer)
}

// moveQuestion is question for a new time of a booking. What was paid for the old time comes back,
// and the customer is told so before they say YES.
func moveQuestion(ctx context.Context, p Payments, lang string, old, offer ledger.Transaction) (kind, text string, err error) {
	paid, err := paidFor(ctx, p, old)
	if err != nil {
		return "", "", err
	}
	kind, text = question(p, lang, moved(lang, old, offer), offer)
	if offer.DueMinor == 0 { // else the payment moves it
		kind = RescheduleKind
	}
	if paid > 0 {
		text += " · " + wording.Say(lang, wording.MoveMoneyBack, wording.Vars{"amount": wording.Money(lang, paid, old.Currency)})
	}
	return kind, text, nil
}

// paidFor asks what was paid, unless there was nothing to pay.
func paidFor(ctx context.Context, p Payments, tx ledger.Transaction) (int64, error) {
	if tx.PriceMinor == 0 && tx.DueMinor == 0 {
		return 0, nil
	}
	return p.PaidFor(ctx, tx)
}

// refund words what becomes of what was paid for a booking that is cancelled at a time; "" when
// nothing was paid.
func refund(ctx context.Context, p Payments, lang string, tx ledger.Transaction, at time.Time) (string, error) {
	paid, err := paidFor(ctx, p, tx)
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
		"until": freeUntil(lang, tx, at),
	}), nil
}

// freeUntil words until when a booking can be cancelled for nothing, in its own zone, as one says it
// at a time.
func freeUntil(lang string, tx ledger.Transaction, at time.Time) string {
	loc := schedule.Zone(tx.TimeZone)
	return wording.Until(lang, tx.FreeUntil().In(loc), at.In(loc))
}
