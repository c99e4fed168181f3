package payment

import (
	"merve/internal/ledger"
	"merve/internal/tool"
	"merve/internal/wording"
)

// Offered words an offer as summary does, and how much of it is to be paid now.
func Offered(summary func(language string, tx ledger.Transaction) string) func(language string, tx ledger.Transaction) string {
	return func(language string, tx ledger.Transaction) string {
		if tx.State != ledger.Hold || tx.DueMinor == 0 {
			return summary(language, tx)
		}
		return toPay(language, summary(language, tx), tx)
	}
}

func toPay(language, summary string, tx ledger.Transaction) string {
	return wording.Say(language, wording.PaymentSummary, wording.Vars{"summary": summary, "amount": wording.Money(language, Due(tx), tx.Currency)})
}

// CardOf is what a client shows of a payment. Money on its way back is shown as given back.
func (s *Store) CardOf(p Payment) tool.Card {
	status := p.Status
	if status == Refunding {
		status = Refunded
	}
	return tool.Card{
		"type": "payment", "id": p.Transaction, "title": p.Title, "price": map[string]any{"amount": p.AmountMinor, "currency": p.Currency},
		"url": s.Link(p), "status": string(status),
	}
}
