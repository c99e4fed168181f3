package appointment

import (
	"cmp"
	"context"
	"errors"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/customer"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// Callers knows whom a call is with.
type Callers interface {
	// Caller returns the customer of the call, or [customer.ErrUnverified] before the caller has proven who they are.
	Caller(ctx context.Context, tc tool.Context) (customer.Customer, error)
}

// Confirm settles held times (kind [ConfirmKind]): YES makes the appointment, NO lets the time go.
type Confirm struct {
	Ledger  *ledger.Ledger
	Callers Callers
}

// Describe asks for the YES.
func (Confirm) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.ConfirmPrompt, prompt(tc, p))
}

func prompt(tc tool.Context, p thread.Pending) wording.Vars {
	return wording.Vars{
		"summary": p.Summary, "until": wording.Until(tc.Language, gate.AnswerBy(p).In(tc.TimeZone), tc.Now.In(tc.TimeZone)),
	}
}

// Does implements [gate.Commitment].
func (Confirm) Does() gate.Deed { return gate.Books }

// Commit prepares the confirmation.
func (c Confirm) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	caller, err := callerOf(ctx, c.Callers, tc)
	if err != nil {
		return gate.Settled{}, err
	}
	p := consent.Pending
	ws, tx, err := c.Ledger.ConfirmWrites(ctx, caller, p.Ref, p.Hash, consent.Receipt(tc.TraceID), p.ID)
	if err != nil {
		return refusedAtOnce(tc, err, confirmRefusal)
	}
	return made(tc, tx, wording.AppointmentConfirmed, ws, confirmRefusal), nil
}

// callerOf returns the owner of the appointments that a call is about. A caller who has proven nothing has none.
func callerOf(ctx context.Context, callers Callers, tc tool.Context) (actor.Actor, error) {
	c, err := callers.Caller(ctx, tc)
	if errors.Is(err, customer.ErrUnverified) {
		return actor.Actor{Kind: actor.Caller}, nil
	}
	return c.Actor(), err
}

// made returns the result of a YES to an appointment.
func made(
	tc tool.Context, tx ledger.Transaction, say wording.Key, ws []dynamo.Write, refusal func(string, error) (string, bool),
) gate.Settled {
	return gate.Settled{
		Text:   wording.Say(tc.Language, say, wording.Vars{"summary": Summary(tc.Language, tx), "code": tx.Code}),
		Cards:  []tool.Card{Card(tc.Language, tx)},
		Writes: ws, Stands: stands(tc, tx),
		Refused: func(err error) (string, bool) { return refusal(tc.Language, err) },
	}
}

func refusedAtOnce(tc tool.Context, err error, refusal func(string, error) (string, bool)) (gate.Settled, error) {
	text, ok := refusal(tc.Language, err)
	if !ok {
		return gate.Settled{}, err
	}
	return gate.Settled{Text: text}, nil
}

// confirmRefusal words why a YES made no appointment; ok is false for errors that are no refusal.
func confirmRefusal(lang string, err error) (text string, ok bool) {
	switch stands := standsAlready(lang, err); {
	case stands != "":
		return stands, true
	case errors.Is(err, ledger.ErrOfferChanged), errors.Is(err, ledger.ErrKeyReused):
		return wording.Say(lang, wording.OfferChanged, nil), true
	case gone(err):
		return wording.Say(lang, wording.HoldGone, nil), true
	}
	return "", false
}

// Release lets the time go. The call may be over by then: what a thread holds may be let go of by the thread itself.
func (c Confirm) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	return letGo(ctx, c.Ledger, tc, p, wording.BookingReleased)
}

// letGo prepares to let a held time go that this thread has asked about, and to say so.
func letGo(ctx context.Context, l *ledger.Ledger, tc tool.Context, p thread.Pending, say wording.Key) (gate.Settled, error) {
	ws, _, err := l.ReleaseWrites(ctx, actor.Actor{Kind: actor.System, ID: "appointment"}, p.Ref, ledger.ReasonCustomer, p.ID)
	if text := standsAlready(tc.Language, err); text != "" {
		return gate.Settled{Text: text, Late: text}, nil
	}
	if err != nil && !gone(err) {
		return gate.Settled{}, err
	}
	return gate.Settled{
		Text: wording.Say(tc.Language, say, nil), Writes: ws,
		Refused: func(err error) (string, bool) { return standsAlready(tc.Language, err), ledger.Refused(err) }, // or it is gone already
	}, nil
}

// Move settles proposals to move an appointment (kind [MoveKind]): YES moves it, NO keeps it.
type Move struct {
	Ledger  *ledger.Ledger
	Callers Callers
}

// Describe asks for the YES.
func (Move) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.AppointmentMovePrompt, prompt(tc, p))
}

// Does implements [gate.Commitment].
func (Move) Does() gate.Deed { return gate.Keeps }

// Commit prepares the new appointment and the end of the old one, in one transaction.
func (m Move) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	caller, err := callerOf(ctx, m.Callers, tc)
	if err != nil {
		return gate.Settled{}, err
	}
	p := consent.Pending
	ws, after, _, err := m.Ledger.MoveWrites(ctx, caller, p.Ref, p.Hash, consent.Receipt(tc.TraceID), p.ID)
	switch {
	case err == nil:
		return made(tc, after, wording.AppointmentMoved, ws, moveRefusal), nil
	case !gone(err):
		return gate.Settled{}, err
	}
	s, err := m.Release(ctx, tc, p) // nobody needs the new time any more
	s.Text = s.Late
	return s, err
}

// Release keeps the appointment as it is.
func (m Move) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	s, err := letGo(ctx, m.Ledger, tc, p, wording.AppointmentKept)
	s.Late = cmp.Or(s.Late, wording.Say(tc.Language, wording.AppointmentMoveRefused, nil))
	return s, err
}

func moveRefusal(lang string, err error) (string, bool) {
	return wording.Say(lang, wording.AppointmentMoveRefused, nil), gone(err)
}

// Cancel settles proposals to cancel an appointment (kind [CancelKind]): YES cancels it, NO keeps it.
type Cancel struct {
	Ledger  *ledger.Ledger
	Callers Callers
}

// Describe asks for the YES.
func (Cancel) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.AppointmentCancelPrompt, wording.Vars{"summary": p.Summary})
}

// Does implements [gate.Commitment].
func (Cancel) Does() gate.Deed { return gate.Cancels }

// Commit prepares the cancellation.
func (c Cancel) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	caller, err := callerOf(ctx, c.Callers, tc)
	if err != nil {
		return gate.Settled{}, err
	}
	p := consent.Pending
	refusal := func(lang string, err error) (string, bool) { return cancelRefusal(lang, p, err) }
	ws, tx, err := c.Ledger.CancelWrites(ctx, caller, p.Ref, p.Hash, p.ID)
	if err != nil {
		return refusedAtOnce(tc, err, refusal)
	}
	return made(tc, tx, wording.AppointmentCancelled, ws, refusal), nil
}

func cancelRefusal(lang string, p thread.Pending, err error) (string, bool) {
	about := wording.Vars{"summary": p.Summary}
	switch {
	case errors.Is(err, ledger.ErrCancelled):
		return wording.Say(lang, wording.AppointmentAlreadyCancelled, about), true
	case gone(err):
		return wording.Say(lang, wording.AppointmentCancelRefused, about), true
	}
	return "", false
}

// Release keeps the appointment.
func (Cancel) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.AppointmentKept, nil),
		Late: wording.Say(tc.Language, wording.AppointmentCancelRefused, wording.Vars{"summary": p.Summary}), Writes: []dynamo.Write{},
	}, nil
}
