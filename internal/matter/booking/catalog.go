package booking

import (
	"context"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/listing"
	"merve/internal/spine/gate"
)

// Listings is the catalog of everything the listings offer.
type Listings struct{ Store *listing.Store }

// Bookable implements [Catalog].
func (c Listings) Bookable(ctx context.Context, market, listingID, offeringID string) (Bookable, error) {
	l, err := c.Store.Get(ctx, market, listingID)
	if err != nil {
		return Bookable{}, err
	}
	action, ok := l.Action(listing.BookAction)
	if !ok {
		return Bookable{}, fault.New(fault.Conflict, "this listing takes no bookings here")
	}
	if offeringID == "" && len(l.Offerings) > 0 {
		offeringID = l.Offerings[0].ID
	}
	o, err := l.Offering(offeringID)
	if err != nil {
		return Bookable{}, err
	}
	return Bookable{
		Business: l.Business, Listing: l.ID, ListingName: l.Name("en"), Offering: o, Longest: l.Longest[o.ID],
		Merchant: l.Dispatch(action), Tags: append(l.Tags, action.Tags...), Kinds: []string{l.Category, l.SubCategory}, Location: l.Location,
		Unchanged: []dynamo.Write{c.Store.Unchanged(l).Else(gate.ErrMeanwhile)},
		Contact:   l.Merve.Contact,
	}, nil
}
