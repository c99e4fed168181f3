package booking

import (
	"cmp"
	"context"

	"merve/internal/fault"
	"merve/internal/gate"
	"merve/internal/ledger"
	"merve/internal/thread"
	"merve/internal/tool"
	"merve/internal/wording"
)

// Moved is one line about a booking that is to be moved: as it would be, and as it is.
func Moved(lang string, old, held ledger.Transaction) string {
	return wording.Say(lang, wording.MoveSummary, wording.Vars{"summary": Summary(lang, held), "before": When(lang, old)})
}

// Move settles new times for bookings (kind [ledger.RescheduleKind]).
type Move struct {
	Ledger *ledger.Ledger
	Money  Money
}

// Describe asks for the YES.
func (m Move) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.MovePrompt, wording.Vars{
		"summary": p.Summary, "until": wording.Until(tc.Language, p.ExpiresAt.Add(-gate.Buffer).In(tc.TimeZone), tc.Now.In(tc.TimeZone)),
	})
}

// Does implements [gate.Commitment].
func (Move) Does() gate.Deed { return gate.Keeps }

// Commit prepares the new booking and the end of the old one.
func (m Move) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	p := consent.Pending
	ws, moved, old, err := ledger.Mover{Ledger: m.Ledger}.Writes(ctx, tc.Actor, p.Ref, p.Hash, consent.Receipt(tc.TraceID), p.ID)
	if err != nil {
		if _, ok := m.refusal(tc.Language, p, err); !ok {
			return gate.Settled{}, err
		}
		return m.unmoved(ctx, tc, p)
	}
	money, err := m.Money.Cancelled(ctx, tc.Language, old, moved.UpdatedAt)
	if err != nil {
		return gate.Settled{}, err
	}
	return gate.Settled{
		Text:    wording.Say(tc.Language, wording.BookingMoved, wording.Vars{"summary": and(Summary(tc.Language, moved), money), "code": moved.Code}),
		Cards:   []tool.Card{Card(tc.Language, moved)},
		Writes:  ws,
		Refused: func(err error) (string, bool) { return m.refusal(tc.Language, p, err) },
	}, nil
}

// unmoved lets the new time go, when the booking cannot be moved to it.
func (m Move) unmoved(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	s, err := m.Release(ctx, tc, p)
	s.Text = s.Late
	return s, err
}

// Release keeps the booking as it is.
func (m Move) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	s, err := letGo(ctx, m.Ledger, tc, p, wording.BookingUnmoved)
	s.Late = cmp.Or(s.Late, wording.Say(tc.Language, wording.MoveRefused, nil))
	return s, err
}

func (m Move) refusal(lang string, _ thread.Pending, err error) (string, bool) {
	if ledger.Refused(err) || fault.Is(err, fault.NotFound) {
		return wording.Say(lang, wording.MoveRefused, nil), true
	}
	return "", false
}
