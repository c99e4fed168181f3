package order

import (
	"context"
	"slices"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/listing"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// Looks are how what a proposed order rests on is looked at again, by kind of pending action.
func (d *Taker) Looks() map[string]gate.Look {
	return map[string]gate.Look{ConfirmFood: d.look, ConfirmService: d.look, ConfirmViewing: d.look}
}

// look rereads the listing of a proposed order before YES places it (see [gate.Look]). The listing must still take
// such orders here, be open, deliver to the address and have the same number, and names and prices must be those we
// showed. How many counted items are left is checked by the commit's own condition. 2 requests.
func (d *Taker) look(ctx context.Context, tc tool.Context, p thread.Pending) ([]dynamo.Write, error) {
	o, err := d.Store.Get(ctx, tc.Actor, tc.Market.ID, p.Ref)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && o.Status != Proposed:
		return nil, nil
	case err != nil:
		return nil, err
	}
	l, action, err := d.listing(ctx, tc, o.Listing, o.Kind)
	switch {
	case fault.Retryable(err):
		return nil, err
	case err != nil || openFor(l, o, tc.Now) != nil || !brings(l, o) || covers(tc, l, o.Delivery) != nil:
		return nil, refused(tc, wording.OfferOff, nil)
	}
	for _, line := range o.Lines {
		if item, ok := l.Item(line.Item); !ok || l.Gone(item) {
			return nil, refused(tc, wording.OrderSoldOut, wording.Vars{"item": line.Name})
		}
	}
	if !o.sameAs(l, action) {
		return nil, refused(tc, wording.OfferChanged, nil)
	}
	return []dynamo.Write{d.Listings.Unchanged(l).Else(gate.ErrMeanwhile)}, nil
}

func refused(tc tool.Context, key wording.Key, vars wording.Vars) error {
	return &gate.Refusal{Text: wording.Say(tc.Language, key, vars)}
}

// brings reports whether a listing would hand an order over as it was proposed: where to, or not at all.
func brings(l *listing.Listing, o Order) bool {
	t := l.Delivery
	switch {
	case o.Kind != Food:
		return true
	case o.Delivery == nil:
		return t == nil || !t.NoPickup
	case t == nil || o.goodsMinor() < t.MinimumMinor:
		return false
	}
	far, known := distance(l, o.Delivery)
	return !known || t.RadiusMeters == 0 || far <= t.RadiusMeters
}

// sameAs reports whether an order for the same, made of the listing as it is, would be this one.
func (o Order) sameAs(l *listing.Listing, action listing.Action) bool {
	if o.Business != l.Business || o.ListingName != l.Name(o.Language) || o.Merchant != l.Dispatch(action) {
		return false
	}
	if o.Delivery != nil && o.Kind == Food && l.Delivery.FeeMinor != o.FeeMinor {
		return false
	}
	if len(o.Lines) == 0 {
		return true
	}
	asked := make([]Wanted, len(o.Lines))
	for i, line := range o.Lines {
		asked[i] = Wanted{line.Item, line.Quantity, line.Options, line.Note}
	}
	lines, _, err := Price(l, action, o.Language, asked)
	return err == nil && slices.EqualFunc(lines, o.Lines, same)
}

// same reports whether two lines have the same items at the same price.
func same(a, b Line) bool {
	return a.Item == b.Item && a.Name == b.Name && a.Quantity == b.Quantity && a.TotalMinor == b.TotalMinor && slices.Equal(a.Options, b.Options)
}

// goodsMinor is the order's total without its delivery.
func (o Order) goodsMinor() int64 { return o.TotalMinor - o.FeeMinor }
