package payment

import (
	"context"
	"errors"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// LetGoKind is the kind of pending action that lets go of an offer waiting for its payment.
const LetGoKind = "let_go_transaction"

// LetGoOf returns the kind of pending action that lets go of a held offer, or "" when the offer still waits
// for the answer to its own question. 1 request.
func (s *Store) LetGoOf(ctx context.Context, tx ledger.Transaction) (string, error) {
	p, err := s.Get(ctx, system(), tx.ID)
	switch {
	case errors.Is(err, actor.ErrNotFound):
		return "", nil
	case err != nil || !p.Open():
		return "", err
	}
	return LetGoKind, nil
}

// LetGo settles proposals to let go of an offer whose link the customer has. YES lets it go, after
// which it can no longer be paid; NO gives the link again.
type LetGo struct{ Store *Store }

// Describe asks for the YES.
func (c LetGo) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.PaymentLetGo, wording.Vars{
		"summary": p.Summary, "until": wording.Until(tc.Language, p.ExpiresAt.In(tc.TimeZone), tc.Now.In(tc.TimeZone)),
	})
}

// Does implements [gate.Commitment].
func (LetGo) Does() gate.Deed { return gate.Cancels }

// Commit prepares to let the offer go, unless it is booked by now: paid, or confirmed in a linked chat.
func (c LetGo) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	return c.Store.Release(ctx, tc, consent.Pending)
}

// Release keeps the offer, and says where it is paid.
func (c LetGo) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	s := c.Store
	tx, err := s.Ledger.Get(ctx, tc.Actor, p.Ref)
	if err == nil && tx.State == ledger.Confirmed {
		text := s.stands(tc, tx)
		return gate.Settled{Text: text, Late: text}, nil
	}
	var open Payment
	if err == nil {
		open, err = s.Get(ctx, tc.Actor, p.Ref)
	}
	switch {
	case err != nil && !fault.Is(err, fault.NotFound): // or it was deleted meanwhile
		return gate.Settled{}, err
	case err != nil || !held(tx, s.now()) || !open.Open():
		return said(tc, wording.HoldGone), nil
	}
	return Pay{Store: s}.link(tc, open, tx, []dynamo.Write{}), nil
}

// stands says of an offer that it is booked.
func (s *Store) stands(tc tool.Context, tx ledger.Transaction) string {
	return wording.Say(tc.Language, wording.BookingAlreadyConfirmed, wording.Vars{"summary": s.Summary(tc.Language, tx), "code": tx.Code})
}
