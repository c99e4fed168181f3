package taxi

import (
	"context"
	"errors"
	"strconv"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// The kinds of pending action about rides.
const (
	ConfirmKind = "confirm_taxi"
	CancelKind  = "cancel_taxi"
)

// Commitments settle proposed rides, and the cancelling of ordered ones.
func (c *Caller) Commitments() map[string]gate.Commitment {
	return map[string]gate.Commitment{ConfirmKind: Confirm{c.Store}, CancelKind: CancelRide{c.Store}}
}

// Confirm settles proposals of rides (kind [ConfirmKind]).
type Confirm struct{ Store *Store }

// Describe asks for the YES.
func (c Confirm) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.TaxiConfirmPrompt, wording.Vars{
		"summary": p.Summary, "until": wording.Until(tc.Language, gate.AnswerBy(p).In(tc.TimeZone), tc.Now.In(tc.TimeZone)),
	})
}

// Does implements [gate.Commitment].
func (Confirm) Does() gate.Deed { return gate.Other }

// Commit prepares the order. 3 requests, of a later ride 1.
func (c Confirm) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	p := consent.Pending
	r, ws, err := c.Store.Request(ctx, tc.Actor, tc.Market.ID, p.Ref, consent.Receipt(tc.TraceID))
	if err != nil {
		text, ok := orderRefused(tc.Language, err)
		if !ok {
			return gate.Settled{}, err
		}
		return gate.Settled{Text: text}, nil
	}
	vars := wording.Vars{"summary": Summary(tc.Language, r), "code": r.Code, "minutes": strconv.Itoa(int(Ahead / time.Minute))}
	s := gate.Settled{
		Text: wording.Say(tc.Language, wording.TaxiRequested, vars), Cards: []tool.Card{Card(tc.Language, r)}, Writes: ws, Stands: stands(tc, r),
		Refused: func(err error) (string, bool) { return orderRefused(tc.Language, err) },
	}
	switch {
	case len(ws) == 0:
		s.Text = wording.Say(tc.Language, wording.TaxiAlready, vars)
	case r.Attempt == 0:
		s.Text = wording.Say(tc.Language, wording.TaxiScheduled, vars)
	}
	return s, nil
}

// orderRefused words why a YES was not carried out. Nothing was ordered.
func orderRefused(lang string, err error) (string, bool) {
	switch {
	case errors.Is(err, ErrOpen):
		return wording.Say(lang, wording.TaxiOpen, nil), true
	case errors.Is(err, errNotProposed), errors.Is(err, ErrChanged), fault.Is(err, fault.NotFound):
		return wording.Say(lang, wording.TaxiGone, nil), true
	}
	return "", false
}

// Release drops a proposal. 1 request.
func (c Confirm) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	_, ws, err := c.Store.Release(ctx, tc.Actor, tc.Market.ID, p.Ref)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return gate.Settled{}, err
	}
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.TaxiReleased, nil), Late: wording.Say(tc.Language, wording.TaxiGone, nil), Writes: ws,
		Refused: func(err error) (string, bool) { return "", errors.Is(err, ErrChanged) }, // it has gone by itself
	}, nil
}

// CancelRide settles cancellations of rides (kind [CancelKind]).
type CancelRide struct{ Store *Store }

// Describe asks for the YES.
func (c CancelRide) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.TaxiCancelPrompt, wording.Vars{"summary": p.Summary})
}

// Does implements [gate.Commitment].
func (CancelRide) Does() gate.Deed { return gate.Cancels }

// Commit prepares the cancellation of the ride as it is now. 1 request.
func (c CancelRide) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	p := consent.Pending
	refused := func(err error) (string, bool) {
		over := errors.Is(err, ErrOver) || errors.Is(err, ErrChanged) || fault.Is(err, fault.NotFound)
		return wording.Say(tc.Language, wording.TaxiNotCancelled, wording.Vars{"summary": p.Summary}), over
	}
	r, ws, err := c.Store.Cancel(ctx, tc.Actor, tc.Market.ID, p.Ref)
	done := gate.Settled{
		Text:  wording.Say(tc.Language, wording.TaxiCancelled, wording.Vars{"summary": p.Summary, "code": r.Code}),
		Cards: []tool.Card{Card(tc.Language, r)}, Writes: ws, Stands: stands(tc, r), Refused: refused,
	}
	switch {
	case err == nil, r.Status == Cancelled: // by an earlier YES
		return done, nil
	default:
		text, ok := refused(err)
		if !ok {
			return gate.Settled{}, err
		}
		return gate.Settled{Text: text}, nil
	}
}

// Release keeps the ride.
func (c CancelRide) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	about := wording.Vars{"summary": p.Summary}
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.TaxiKept, about), Late: wording.Say(tc.Language, wording.TaxiNotCancelled, about), Writes: []dynamo.Write{},
	}, nil
}
