package payment

import (
	"merve/internal/agent/tool"
	"merve/internal/record/ledger"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// Ask returns how to put an offer with an amount due to the customer: the kind of pending action
// whose YES gives the link, and its summary with the amount to pay now and the part the business keeps on cancellation.
func (*Store) Ask(language, summary string, offer ledger.Transaction) (kind, text string) {
	return Kind, toPay(language, summary, offer)
}

func toPay(language, summary string, tx ledger.Transaction) string {
	return wording.Say(language, wording.PaymentSummary, wording.Vars{"summary": summary, "amount": wording.Money(language, Due(tx), tx.Currency)}) +
		" · " + rule(language, tx)
}

// rule says what happens to the money after a cancellation, under the terms at the time of the offer.
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

// CardOf describes a payment for clients to show. Money on its way back counts as given back.
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
