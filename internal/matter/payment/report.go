package payment

import (
	"context"
	"errors"
	"fmt"

	"merve/internal/base/actor"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
)

// Happened is an event that a provider reports about a payment.
type Happened string

const (
	Succeeded Happened = "succeeded" // all of it was paid
	Declined  Happened = "declined"  // it was tried, and not paid
	GivenBack Happened = "given_back"
	Bounced   Happened = "bounced" // a refund came to nothing that had been taken
)

// Notification is a provider's word on a payment.
type Notification struct {
	Happened    Happened
	Transaction string
	Intent      string
	AmountMinor int64
	Currency    string
	All         bool   // of money given back: nothing is left
	Refund      string // the provider's id of the refund that bounced
}

// Take does what a report calls for, once, however often it comes. A report that nothing
// bears out changes nothing and raises an alert. An error means: tell again.
func (s *Store) Take(ctx context.Context, r Notification) error {
	return s.again(ctx, func() error { return s.take(ctx, r) })
}

// again does what begins by reading a payment, until the payment has not changed meanwhile.
func (s *Store) again(ctx context.Context, do func() error) error {
	_, err := dynamo.Retry(ctx, s.Table.DB(), errMoved, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

func (s *Store) take(ctx context.Context, r Notification) error {
	p, err := s.Get(ctx, system(), r.Transaction)
	switch {
	case errors.Is(err, actor.ErrNotFound) && r.Happened == Succeeded:
		return s.alert(ctx, alert.Critical, r.Transaction, r.Intent, "a payment was made that nobody was asked for: "+r.Intent)
	case errors.Is(err, actor.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	switch {
	case r.Intent != p.Intent:
		return s.alert(ctx, alert.Critical, r.Transaction, r.Intent, "a payment was told of by another intent than the stored one: "+r.Intent)
	case r.Happened == Declined:
		return s.declined(ctx, p)
	case r.Happened == GivenBack:
		return s.givenBack(ctx, p, r)
	case r.Happened == Bounced:
		return s.alert(ctx, alert.Critical, r.Transaction, r.Refund, fmt.Sprintf("refund %s of %d %s failed at the provider after it was taken: it has to be given back in another way", r.Refund, r.AmountMinor, r.Currency))
	case !p.Open():
		return nil
	case r.Currency != p.Currency || r.AmountMinor != p.AmountMinor:
		other := fmt.Sprintf("%d %s", r.AmountMinor, r.Currency)
		return s.alert(ctx, alert.Critical, r.Transaction, other, fmt.Sprintf("%s were paid in the place of %d %s", other, p.AmountMinor, p.Currency))
	}
	return s.paid(ctx, p)
}

// paid confirms the booking that was paid for, and gives up the booking that it replaces, in one transaction
// with the payment. If the hold is gone, or the booking to replace, the money goes back.
func (s *Store) paid(ctx context.Context, p Payment) error {
	receipt := p.Receipt
	receipt.Payment = p.Intent
	ws, tx, err := s.Ledger.ConfirmWrites(ctx, actor.OfKey(p.Owner), p.Transaction, receipt.OfferHash, receipt, receipt.PendingID)
	if err == nil && tx.Replaces != "" {
		var instead []dynamo.Write
		// The offer of the move already checked that the old booking is the payer's, possibly by another chat.
		instead, _, err = s.Ledger.ReplaceWrites(ctx, system(), tx, receipt.PendingID)
		ws = append(ws, instead...)
	}
	var before *ledger.AlreadyConfirmed
	if errors.As(err, &before) { // without a payment: it is paid now, as long as it stays booked
		ws, err = []dynamo.Write{s.Ledger.Unchanged(before.Transaction)}, nil
	}
	switch {
	case err == nil:
		own, _ := s.change(ctx, p, Paid, "")
		err = s.Table.DB().Commit(ctx, append(own, ws...)...)
		if ledger.Refused(err) { // it has gone just now
			return errMoved
		}
		if err != nil {
			return fmt.Errorf("payment of %s: %w", p.Transaction, err)
		}
		return nil
	case ledger.Refused(err), errors.Is(err, actor.ErrNotFound):
		return s.late(ctx, p)
	}
	return fmt.Errorf("payment of %s: %w", p.Transaction, err)
}

// late gives back money that came after the hold was gone. If that fails, [Store.Sweep]
// tries again.
func (s *Store) late(ctx context.Context, p Payment) error {
	ws, after := s.change(ctx, p, Refunding, ReasonHoldGone)
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("payment of %s: %w", p.Transaction, err)
	}
	if _, err := s.refund(ctx, after); err != nil {
		s.Log.WarnContext(ctx, "refund waits", "transaction", p.Transaction, "error", err.Error())
	}
	return nil
}

func (s *Store) declined(ctx context.Context, p Payment) error {
	if p.Status != Waiting {
		return nil
	}
	ws, _ := s.change(ctx, p, Failed, "")
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("payment of %s: %w", p.Transaction, err)
	}
	return nil
}

// givenBack records a provider's report of a refund, which may be one of ours. This report
// may arrive before the report of the payment.
func (s *Store) givenBack(ctx context.Context, p Payment, r Notification) error {
	if p.Status == Refunded || !r.All {
		return nil // a part is between the customer and the business
	}
	reason := p.Reason
	if p.Status != Refunding {
		reason = ReasonStaff
	}
	ws, _ := s.change(ctx, p, Refunded, reason)
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("payment of %s: %w", p.Transaction, err)
	}
	return nil
}

// alert raises one for each thing of a transaction that is wrong.
func (s *Store) alert(ctx context.Context, severity alert.Severity, tx, of, message string) error {
	s.Log.WarnContext(ctx, "payment", "transaction", tx, "alert", message)
	if s.Alerted != nil {
		s.Alerted(ctx)
	}
	return s.Alerts.Raise(ctx, alert.Alert{Check: "payment", Severity: severity, Subject: tx, Of: of, Message: message})
}
