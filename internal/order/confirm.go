package order

import (
	"context"
	"errors"
	"strconv"

	"merve/internal/dynamo"
	"merve/internal/fault"
	"merve/internal/gate"
	"merve/internal/stock"
	"merve/internal/thread"
	"merve/internal/tool"
	"merve/internal/wording"
)

// The kinds of pending actions about orders.
const (
	ConfirmFood    = "confirm_order"
	ConfirmService = "confirm_service"
	ConfirmViewing = "confirm_viewing"
	CancelKind     = "cancel_order" // of food

	CancelRequestKind = "cancel_request" // of a service or viewing
)

// ConfirmKind is the kind of pending action that a kind of order waits for.
func ConfirmKind(k Kind) string {
	return map[Kind]string{Food: ConfirmFood, Service: ConfirmService, Viewing: ConfirmViewing}[k]
}

// Commitments are what a YES or NO does, by kind of pending action.
func (s *Store) Commitments() map[string]gate.Commitment {
	return map[string]gate.Commitment{ConfirmFood: Confirm{s}, ConfirmService: Confirm{s}, ConfirmViewing: Confirm{s}, CancelKind: Cancel{s}, CancelRequestKind: Cancel{s}}
}

// Confirm settles proposed orders.
type Confirm struct{ Store *Store }

// Describe asks for the YES.
func (c Confirm) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.OrderPrompt, wording.Vars{
		"summary": p.Summary, "until": wording.Until(tc.Language, gate.AnswerBy(p).In(tc.TimeZone), tc.Now.In(tc.TimeZone)),
	})
}

// Does implements [gate.Commitment].
func (Confirm) Does() gate.Deed { return gate.Other }

// Commit places the order.
func (c Confirm) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	p := consent.Pending
	o, err := c.Store.Get(ctx, tc.Actor, tc.Market.ID, p.Ref)
	if err == nil && o.Hash() != p.Hash {
		return gate.Settled{Text: wording.Say(tc.Language, wording.OfferChanged, nil)}, nil
	}
	var ws []dynamo.Write
	var after Order
	if err == nil {
		receipt := consent.Receipt(tc.TraceID)
		ws, after, err = c.Store.Writes(o, PlacedEvent, By{Actor: tc.Actor, Trace: tc.TraceID, Receipt: &receipt})
	}
	if err != nil {
		text, ok := refusal(tc.Language, o, err)
		if !ok {
			return gate.Settled{}, err
		}
		return gate.Settled{Text: text}, nil
	}
	return gate.Settled{
		Text:  wording.Say(tc.Language, placedKey(o.Kind), wording.Vars{"summary": Summary(tc.Language, after), "code": after.Code, "listing": after.ListingName}),
		Cards: []tool.Card{CardOf(after)}, Writes: ws, Stands: stands(tc, after),
		Refused: func(err error) (string, bool) { return refusal(tc.Language, o, err) },
		Instead: c.instead(tc, o),
	}, nil
}

// instead lets an order go of which too few were left, so that nobody is told later that its
// time is over.
func (c Confirm) instead(tc tool.Context, o Order) *gate.Settled {
	ws, _, err := c.Store.Writes(o, ReleasedEvent, By{Actor: tc.Actor, Trace: tc.TraceID})
	if err != nil || len(o.Counted) == 0 {
		return nil
	}
	return &gate.Settled{Writes: ws, Refused: func(err error) (string, bool) { return "", errors.Is(err, ErrChanged) }}
}

// Release lets a proposed order go.
func (c Confirm) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	s := gate.Settled{
		Text: wording.Say(tc.Language, wording.OrderReleased, nil), Late: wording.Say(tc.Language, wording.OrderLate, nil),
		Refused: func(err error) (string, bool) { return "", errors.Is(err, ErrChanged) }, // it has gone by itself
	}
	o, err := c.Store.Get(ctx, tc.Actor, tc.Market.ID, p.Ref)
	if fault.Is(err, fault.NotFound) {
		return s, nil
	}
	if err != nil {
		return gate.Settled{}, err
	}
	var gone *Refusal
	s.Writes, _, err = c.Store.Writes(o, ReleasedEvent, By{Actor: tc.Actor, Trace: tc.TraceID})
	if errors.As(err, &gone) {
		return s, nil
	}
	return s, err
}

// refusal words why a YES was not carried out.
func refusal(lang string, o Order, err error) (string, bool) {
	var r *Refusal
	var few *stock.Short
	switch {
	case errors.As(err, &few) && few.Left > 0:
		return wording.Say(lang, wording.OrderTooFew, wording.Vars{"item": o.name(few.Item), "left": strconv.Itoa(few.Left)}), true
	case errors.As(err, &few):
		return wording.Say(lang, wording.OrderSoldOut, wording.Vars{"item": o.name(few.Item)}), true
	case errors.As(err, &r) && r.Order.Receipt != nil:
		return wording.Say(lang, wording.OrderAlreadyPlaced, wording.Vars{"summary": Summary(lang, r.Order), "code": r.Order.Code}), true
	case errors.As(err, &r), errors.Is(err, ErrLate), errors.Is(err, ErrChanged), fault.Is(err, fault.NotFound):
		return wording.Say(lang, wording.OrderLate, nil), true
	}
	return "", false
}

// name is what an item is called in an order.
func (o Order) name(item string) string {
	for _, l := range o.Lines {
		if l.Item == item {
			return l.Name
		}
	}
	return item
}

// Cancel settles cancellations of orders that were placed.
type Cancel struct{ Store *Store }

// Describe asks for the YES.
func (c Cancel) Describe(tc tool.Context, p thread.Pending) string {
	if p.Kind == CancelRequestKind {
		return wording.Say(tc.Language, wording.RequestCancelPrompt, wording.Vars{"summary": p.Summary})
	}
	return wording.Say(tc.Language, wording.OrderCancelPrompt, wording.Vars{"summary": p.Summary})
}

// Does implements [gate.Commitment].
func (Cancel) Does() gate.Deed { return gate.Cancels }

// Commit cancels the order.
func (c Cancel) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	p := consent.Pending
	refused := gate.Settled{Text: wording.Say(tc.Language, wording.OrderCancelRefused, wording.Vars{"summary": p.Summary})}
	o, err := c.Store.Get(ctx, tc.Actor, tc.Market.ID, p.Ref)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && (!o.MayCancel() || cancelHash(o) != p.Hash):
		return refused, nil
	case err != nil:
		return gate.Settled{}, err
	}
	ws, after, err := c.Store.Writes(o, CancelledEvent, By{Actor: tc.Actor, Trace: tc.TraceID})
	if err != nil {
		return refused, nil
	}
	done := wording.OrderCancelled
	if after.Kind != Food {
		done = wording.RequestCancelled
	}
	return gate.Settled{
		Text:  wording.Say(tc.Language, done, wording.Vars{"summary": Summary(tc.Language, after), "code": after.Code}),
		Cards: []tool.Card{CardOf(after)}, Writes: ws, Stands: stands(tc, after),
		Refused: func(err error) (string, bool) { return refused.Text, errors.Is(err, ErrChanged) },
	}, nil
}

// Release keeps the order.
func (c Cancel) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	about := wording.Vars{"summary": p.Summary}
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.OrderKept, about), Late: wording.Say(tc.Language, wording.OrderCancelRefused, about), Writes: []dynamo.Write{},
	}, nil
}
