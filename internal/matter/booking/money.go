package booking

import (
	"context"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/record/ledger"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// Payments answers booking's questions about money. Package payment implements it; app joins the two, as
// neither imports the other.
type Payments interface {
	// Ask returns how to put an offer with an amount due to the customer: the kind of pending
	// action whose YES leads to the payment, and the offer's summary with the amount due and the part
	// the business keeps after a late cancellation.
	Ask(language, summary string, offer ledger.Transaction) (kind, text string)

	// LetGoOf returns the kind of pending action that lets go of an offer whose customer already has
	// the payment link. It returns "" while the offer's own question waits for its answer.
	LetGoOf(ctx context.Context, offer ledger.Transaction) (kind string, err error)

	// PaidFor returns how much was paid for a transaction, in minor units, and is not being refunded.
	PaidFor(ctx context.Context, tx ledger.Transaction) (int64, error)
}

// Question puts an offer to the customer. A YES alone does not confirm an offer that has to be paid ahead, so
// payments put that one.
func Question(p Payments, lang string, offer ledger.Transaction) tool.Proposal {
	return question(p, lang, Summary(lang, offer), ConfirmKind, offer)
}

// question puts an offer into words, with the hash of the same offer.
func question(p Payments, lang, summary, kind string, offer ledger.Transaction) tool.Proposal {
	if offer.DueMinor > 0 {
		kind, summary = p.Ask(lang, summary, offer)
	}
	return tool.Proposal{Kind: kind, Ref: offer.ID, Summary: summary, Hash: ledger.OfferHash(offer), ExpiresAt: offer.HoldExpiresAt}
}

// MoveQuestion is [Question] for a new time of a booking. The money paid for the old time comes back, and the
// customer reads that before they say YES.
func MoveQuestion(ctx context.Context, p Payments, lang string, old, offer ledger.Transaction) (tool.Proposal, error) {
	paid, err := paidFor(ctx, p, old)
	if err != nil {
		return tool.Proposal{}, err
	}
	q := question(p, lang, moved(lang, old, offer), RescheduleKind, offer) // the payment moves a booking that has to be paid ahead
	if paid > 0 {
		q.Summary += " · " + wording.Say(lang, wording.MoveMoneyBack, wording.Vars{"amount": wording.Money(lang, paid, old.Currency)})
	}
	return q, nil
}

// CancelQuestion asks the customer whether to cancel a booking, and expires at until. It says what happens to the
// money already paid if they say YES now.
func CancelQuestion(ctx context.Context, p Payments, lang string, tx ledger.Transaction, now, until time.Time) (tool.Proposal, error) {
	money, err := refund(ctx, p, lang, tx, now)
	return tool.Proposal{
		Kind: CancelKind, Ref: tx.ID, Summary: Summary(lang, tx), Note: money, Hash: ledger.CancelHash(tx, now), ExpiresAt: until,
	}, err
}

// paidFor asks how much was paid, unless there was nothing to pay.
func paidFor(ctx context.Context, p Payments, tx ledger.Transaction) (int64, error) {
	if tx.PriceMinor == 0 && tx.DueMinor == 0 {
		return 0, nil
	}
	return p.PaidFor(ctx, tx)
}

// refund says what happens to the money paid for a booking that is cancelled at a given time; "" if
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
