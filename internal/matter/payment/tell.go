package payment

import (
	"context"
	"fmt"

	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// Teller tells customers the outcome of their payments, by turns on their own threads.
type Teller struct {
	Store   *Store
	Markets interface {
		Get(ctx context.Context, id string) (*market.Market, error)
	}
	Threads interface {
		Tell(ctx context.Context, threadID, key string, n thread.Notice) error
	}
}

// Tell says what an event calls for, once, however often it is called.
func (t *Teller) Tell(ctx context.Context, e Event) error {
	say, ok := words(e)
	if !ok || e.Thread == "" {
		return nil
	}
	p, err := t.Store.Get(ctx, system(), e.Transaction)
	if err != nil {
		return fmt.Errorf("tell of the payment of %s: %w", e.Transaction, err)
	}
	tx, err := t.Store.Ledger.Get(ctx, system(), e.Transaction)
	if err != nil {
		return fmt.Errorf("tell of the payment of %s: %w", e.Transaction, err)
	}
	switch {
	case e.Type == Failed && !(p.Open() && held(tx, t.Store.now())):
		return nil // it can be paid no more, or has been
	case say == wording.PaymentReturning && p.BackMinor > 0:
		say = wording.PaymentReturningPart
	}
	n, err := t.notice(ctx, e, p, tx, say)
	if err != nil {
		return fmt.Errorf("tell of the payment of %s: %w", e.Transaction, err)
	}
	return t.Threads.Tell(ctx, e.Thread, fmt.Sprintf("%s.payment.%s", e.Transaction, e.Type), n)
}

// words returns the wording of an event. When we give money back, the customer is told at the beginning
// of the refund.
func words(e Event) (key wording.Key, ok bool) {
	switch {
	case e.Type == Paid:
		return wording.PaymentPaid, true
	case e.Type == Failed:
		return wording.PaymentFailed, true
	case e.Type == Refunding && e.Reason == ReasonHoldGone:
		return wording.PaymentTooLate, true
	case e.Type == Refunding:
		return wording.PaymentReturning, true
	case e.Type == Refunded && e.From != Refunding:
		return wording.PaymentReturned, true
	}
	return "", false
}

func (t *Teller) notice(ctx context.Context, e Event, p Payment, tx ledger.Transaction, say wording.Key) (thread.Notice, error) {
	s := t.Store
	m, err := t.Markets.Get(ctx, p.Market)
	if err != nil {
		return thread.Notice{}, err
	}
	p.Status = e.Type // the status the message is about, whatever has happened since
	vars := wording.Vars{
		"summary": s.Summary(p.Language, tx), "code": tx.Code, "amount": wording.Money(p.Language, p.AmountMinor, p.Currency), "link": s.Link(p),
		"back": wording.Money(p.Language, p.Back(), p.Currency), "kept": wording.Money(p.Language, p.AmountMinor-p.Back(), p.Currency),
		"until": wording.Until(p.Language, tx.HoldExpiresAt.In(m.Location()), e.At.In(m.Location())),
	}
	n := thread.Notice{Kind: string(say), Text: wording.Say(p.Language, say, vars), Vars: vars, Cards: []map[string]any{s.CardOf(p)}}
	if e.Type == Paid {
		n.Cards = []map[string]any{s.Card(p.Language, tx), s.CardOf(p)}
	}
	if e.Type != Failed {
		n.Ref = tx.ID
	}
	return n, nil
}
