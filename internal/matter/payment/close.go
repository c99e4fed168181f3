package payment

import (
	"context"
	"fmt"
	"time"

	"merve/internal/cloud/alert"
)

// closeAfter is how long after its hold a payment is closed: a payment of the last moment is
// told of by then.
const closeAfter = 5 * time.Minute

// close makes a payment that was not made in time impossible to make later. If it was made after all, it counts as if
// we had been notified. Each try has a key of its own, as refunds have.
func (s *Store) close(ctx context.Context, p Payment) error {
	found, err := s.Provider.Close(ctx, p.Intent, fmt.Sprintf("close.%s.%d", p.Transaction, p.Looks))
	switch {
	case ctx.Err() != nil:
		return err
	case err != nil:
		return s.closeLater(ctx, p, err)
	case found.Paid:
		if err := s.found(ctx, p, found); err != nil {
			return err
		}
	}
	return faster(s.Table.DB().Commit(ctx, s.lookAgain(p, time.Time{})...))
}

// found takes a payment that no webhook has told of. The alert comes first, or would be lost with
// a process that dies: where one webhook does not arrive, others may not.
func (s *Store) found(ctx context.Context, p Payment, c Closed) error {
	if err := s.alert(ctx, alert.Error, p.Transaction, "untold", "it was paid, and no webhook of the provider's told of it: are they refused, or off?"); err != nil {
		return err
	}
	return s.Take(ctx, Notification{Happened: Succeeded, Transaction: p.Transaction, Intent: p.Intent, AmountMinor: c.AmountMinor, Currency: c.Currency})
}

// closeLater tries again to close a payment, or leaves it to people after many times.
func (s *Store) closeLater(ctx context.Context, p Payment, failed error) error {
	p.Looks++
	s.Log.WarnContext(ctx, "payment not closed", "transaction", p.Transaction, "looks", p.Looks, "error", failed.Error())
	due := s.now().Add(nextTry(p.Looks))
	if p.Looks >= maxTries {
		due = time.Time{}
		if err := s.alert(ctx, alert.Critical, p.Transaction, "open", "it is not known whether it was paid, and it could not be closed: look at the provider's own pages"); err != nil {
			return err
		}
	}
	return faster(s.Table.DB().Commit(ctx, s.lookAgain(p, due)...))
}
