package order

import (
	"context"
	"errors"
	"strconv"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/stock"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
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

// Commitments settle proposed orders, and the cancelling of placed ones.
func (d *Taker) Commitments() map[string]gate.Commitment {
	confirm, cancel := Confirm{d.Store, d.Business}, Cancel{d.Store}
	return map[string]gate.Commitment{ConfirmFood: confirm, ConfirmService: confirm, ConfirmViewing: confirm, CancelKind: cancel, CancelRequestKind: cancel}
}

// Business is who carries an order out.
type Business interface {
	// TellPlaced returns the writes that tell the business about an order, to be committed in the transaction that
	// places it, and the number they go to. It fails with [ErrUnreachable] when there is nobody to tell; so may
	// the writes.
	TellPlaced(ctx context.Context, o Order, trace string) (ws []dynamo.Write, number string, err error)
}

// Confirm settles proposed orders. An order is placed and its business told in one transaction, or neither.
type Confirm struct {
	Store    *Store
	Business Business
}

// Describe asks for the YES.
func (c Confirm) Describe(tc tool.Context, p thread.Pending) string {
	prompt := map[string]wording.Key{ConfirmFood: wording.OrderPrompt, ConfirmService: wording.ServicePrompt, ConfirmViewing: wording.ViewingPrompt}[p.Kind]
	return wording.Say(tc.Language, prompt, wording.Vars{
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
		ws, after, err = c.place(ctx, tc, o, consent.Receipt(tc.TraceID))
	}
	if errors.Is(err, ErrUnreachable) {
		s, err := c.Release(ctx, tc, p)
		s.Text, _ = refusal(tc.Language, o, ErrUnreachable)
		return s, err
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

// place prepares to place an order and to tell the business of it.
func (c Confirm) place(ctx context.Context, tc tool.Context, o Order, receipt gate.Receipt) ([]dynamo.Write, Order, error) {
	if err := o.May(PlacedEvent); err != nil {
		return nil, Order{}, err
	}
	told, number, err := c.Business.TellPlaced(ctx, o, tc.TraceID)
	if err != nil {
		return nil, Order{}, err
	}
	ws, after, err := c.Store.Writes(o, PlacedEvent, By{Actor: tc.Actor, Trace: tc.TraceID, Receipt: &receipt, Told: number})
	return append(ws, told...), after, err
}

// instead lets an order go that could not be placed, as too few were left or the business cannot be told, so that
// nobody is told later that its time is over.
func (c Confirm) instead(tc tool.Context, o Order) *gate.Settled {
	ws, _, err := c.Store.Writes(o, ReleasedEvent, By{Actor: tc.Actor, Trace: tc.TraceID})
	if err != nil {
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
	case errors.Is(err, ErrUnreachable):
		return wording.Say(lang, wording.OrderUnreachable, wording.Vars{"listing": o.ListingName}), true
	case errors.As(err, &few) && few.Left > 0:
		return wording.Say(lang, wording.OrderTooFew, wording.Vars{"item": o.name(few.Item), "left": strconv.Itoa(few.Left)}), true
	case errors.As(err, &few):
		return wording.Say(lang, wording.OrderSoldOut, wording.Vars{"item": o.name(few.Item)}), true
	case errors.As(err, &r) && r.Order.Receipt != nil:
		return wording.Say(lang, wording.OrderAlreadyPlaced, wording.Vars{"summary": Summary(lang, r.Order), "code": r.Order.Code}), true
	case errors.As(err, &r), errors.Is(err, errLate), errors.Is(err, ErrChanged), fault.Is(err, fault.NotFound):
		return wording.Say(lang, wording.OrderLate, nil), true
	}
	return "", false
}

// name returns the name of an item in an order.
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
