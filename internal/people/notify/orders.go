package notify

import (
	"context"
	"errors"
	"fmt"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/order"
	"merve/internal/record/listing"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// orderKinds say, for each kind of order, which action of a listing dispatches it, which tool makes it, and what the
// business is told.
var orderKinds = map[order.Kind]struct {
	action, tool, event string
	key                 wording.Key
}{
	order.Food:    {listing.FoodAction, "orderFood", "merchant_order_placed", wording.MerchantOrderPlaced},
	order.Service: {listing.ServiceAction, "bookService", "merchant_service_placed", wording.MerchantServicePlaced},
	order.Viewing: {listing.ViewingAction, "scheduleViewing", "merchant_viewing_placed", wording.MerchantViewingPlaced},
}

// TellOrder tells the business what it has to answer and what the customer took back, and the
// customer what the business said.
func (n *Notifier) TellOrder(ctx context.Context, e order.Event) error {
	var business, customer wording.Key
	switch e.Type {
	case order.PlacedEvent:
		business = wording.MerchantOrderPlaced
	case order.CancelledEvent:
		if e.Customer {
			business = wording.MerchantOrderCancelled
		} else {
			customer = wording.OrderCancelledByBusiness
		}
	case order.UnansweredEvent:
		business, customer = wording.MerchantOrderUnanswered, wording.OrderUnanswered
	case order.AcceptedEvent:
		customer = wording.OrderAccepted
	case order.RefusedEvent:
		customer = wording.OrderRefused
	case order.DoneEvent:
		if e.Lapsed() {
			return nil // nobody said so, days ago it may be: no news to anybody
		}
		customer = wording.OrderDone
	case order.ExpiredEvent:
		customer = wording.OrderExpired
	default:
		return nil
	}
	o, err := n.Orders.Get(ctx, actor.OfKey(e.Owner), e.Market, e.Order)
	if fault.Is(err, fault.NotFound) {
		return nil // its owner has deleted it
	}
	if err != nil {
		return fmt.Errorf("notify order %s: %w", e.Order, err)
	}
	errs := []error{nil, nil}
	if business != "" {
		errs[0] = n.tellBusiness(ctx, e, o, business)
	}
	if customer != "" {
		errs[1] = n.tellCustomer(ctx, e, o, customer)
	}
	return errors.Join(errs...)
}

// TellPlaced implements [order.Business]. The message joins the outbox in the same transaction that places the order.
// A business that has opted out cannot be told, and so no order is placed with it. 1 request.
func (n *Notifier) TellPlaced(ctx context.Context, o order.Order, trace string) (ws []dynamo.Write, number string, err error) {
	m, err := n.Markets.Get(ctx, o.Market)
	if err != nil {
		return nil, "", fmt.Errorf("notify order %s: %w", o.ID, err)
	}
	to, err := n.reached(ctx, m, o)
	if err != nil {
		return nil, "", err
	}
	l := letterOf(to, o, order.PlacedEvent, wording.MerchantOrderPlaced, trace)
	reach := n.Threads.MayWrite(businessThread(m, to.number), thread.Reach{Beside: true}, func(thread.Why) error { return order.ErrUnreachable })
	return append(n.Outbox.PutPieces(n.message(ctx, m, l)), reach), to.number, nil
}

// reached is how the business of an order about to be placed is told; [order.ErrUnreachable] when it cannot be.
func (n *Notifier) reached(ctx context.Context, m *market.Market, o order.Order) (contact, error) {
	to, err := n.contact(ctx, m, o.Listing, orderKinds[o.Kind].action, "")
	switch {
	case err != nil:
		return contact{}, fmt.Errorf("notify order %s: %w", o.ID, err)
	case to.number == "":
		return contact{}, order.ErrUnreachable
	}
	return to, nil
}

// tellBusiness tells the business what happened to an order. The YES itself has already told it that the order was
// placed, except for orders of a former release.
func (n *Notifier) tellBusiness(ctx context.Context, e order.Event, o order.Order, key wording.Key) error {
	if e.Type == order.PlacedEvent && o.Told != "" {
		return nil
	}
	m, err := n.Markets.Get(ctx, o.Market)
	if err != nil {
		return fmt.Errorf("notify order %s: %w", o.ID, err)
	}
	to, err := n.contact(ctx, m, o.Listing, orderKinds[o.Kind].action, o.Merchant)
	if err != nil {
		return fmt.Errorf("notify order %s: %w", o.ID, err)
	}
	return n.toBusiness(ctx, m, letterOf(to, o, e.Type, key, e.Trace))
}

// letterOf is what a business hears about an order, once for each event and number.
func letterOf(to contact, o order.Order, typ order.EventType, key wording.Key, trace string) outbox.Letter {
	l := outbox.Letter{
		To: to.number, Language: to.language, Key: key, Vars: order.Vars(to.language, o), Event: string(key),
		About: o.Code, Customer: o.Thread, Trace: trace,
	}
	if typ == order.PlacedEvent {
		kind := orderKinds[o.Kind]
		l.Event, l.Key, l.Tool, l.Below = kind.event, kind.key, kind.tool, order.HowToAnswer(to.language, o)
	}
	l.Own = to.action.Template(l.Event)
	l.ID = outbox.LetterID(to.number, o.ID, string(typ), l.Event)
	return l
}

func (n *Notifier) tellCustomer(ctx context.Context, e order.Event, o order.Order, key wording.Key) error {
	vars := wording.Vars{
		"listing": o.ListingName, "code": o.Code, "eta": order.ETA(o.Language, o), "reason": wording.Quote(o.Language, o.Reason), "summary": order.Summary(o.Language, o),
	}
	text := wording.Say(o.Language, key, vars)
	return n.Threads.Tell(ctx, o.Thread, o.ID+"."+string(e.Type), thread.Notice{
		Kind: string(key), Ref: o.ID, Text: text, Cards: []map[string]any{order.CardOf(o)}, Vars: vars, ByPerson: e.Type != order.ExpiredEvent && e.Type != order.UnansweredEvent,
	})
}
