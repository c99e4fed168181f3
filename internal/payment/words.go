package payment

import (
	"context"

	"merve/internal/ledger"
	"merve/internal/schedule"
	"merve/internal/tool"
	"merve/internal/wording"
)

// Offered words an offer as summary does, how much of it is to be paid now, and what is kept of
// that.
func Offered(summary func(language string, tx ledger.Transaction) string) func(language string, tx ledger.Transaction) string {
	return func(language string, tx ledger.Transaction) string {
		if tx.State != ledger.Hold || tx.DueMinor == 0 {
			return summary(language, tx)
		}
		return toPay(language, summary(language, tx), tx)
	}
}

// OfferedMove words a new time for a booking as moved does, and what is to be paid for it and
// comes back of what was paid for the earlier one. [Store.PaidFor] and no more.
func (s *Store) OfferedMove(moved func(language string, old, held ledger.Transaction) string) func(ctx context.Context, language string, old, held ledger.Transaction) (string, error) {
	return func(ctx context.Context, language string, old, held ledger.Transaction) (string, error) {
		paid, err := s.PaidFor(ctx, old)
		if err != nil {
			return "", err
		}
		text := moved(language, old, held)
		if held.DueMinor > 0 {
			text = toPay(language, text, held)
		}
		if paid > 0 {
			text += " · " + wording.Say(language, wording.MoveMoneyBack, wording.Vars{"amount": wording.Money(language, paid, old.Currency)})
		}
		return text, nil
	}
}

func toPay(language, summary string, tx ledger.Transaction) string {
	return wording.Say(language, wording.PaymentSummary, wording.Vars{"summary": summary, "amount": wording.Money(language, Due(tx), tx.Currency)}) +
		" · " + rule(language, tx)
}

// rule words what becomes of what is paid, as it is when the offer is made.
func rule(language string, tx ledger.Transaction) string {
	loc := schedule.Zone(tx.TimeZone)
	vars := wording.Vars{
		"kept":  wording.Money(language, Due(tx)-min(tx.LateRefundMinor, Due(tx)), tx.Currency),
		"until": wording.Until(language, tx.FreeUntil().In(loc), tx.CreatedAt.In(loc)),
	}
	if !tx.CreatedAt.Before(tx.FreeUntil()) {
		return wording.Say(language, wording.DepositRuleNow, vars)
	}
	return wording.Say(language, wording.DepositRule, vars)
}

// CardOf is what a client shows of a payment. Money on its way back is shown as given back.
func (s *Store) CardOf(p Payment) tool.Card {
	status, amount := p.Status, p.AmountMinor
	if status == Refunding || status == Refunded {
		status, amount = Refunded, p.Back()
	}
	return tool.Card{
		"type": "payment", "id": p.Transaction, "title": p.Title, "price": map[string]any{"amount": amount, "currency": p.Currency},
		"url": s.Link(p), "status": string(status),
	}
}
