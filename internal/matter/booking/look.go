package booking

import (
	"cmp"
	"context"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// Look rereads what a held offer depends on before YES confirms it (see [gate.Look]): the listing can still
// be booked here, its staff get notices at the same number, and time, name and price are those we
// showed. A changed number counts too, because the old one may belong to anybody by now.
// 2 requests.
func (b *Booker) Look(ctx context.Context, tc tool.Context, p thread.Pending) ([]dynamo.Write, error) {
	tx, err := b.Ledger.Get(ctx, tc.Actor, p.Ref)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && tx.Seen(tc.Now) != ledger.Hold:
		return nil, nil
	case err != nil:
		return nil, err
	}
	item, err := find(ctx, b.Catalog, tc, cmp.Or(p.By, bookTool), initiateArgs{ListingID: tx.Listing, OfferingID: &tx.Offering, PartySize: &tx.Party})
	switch {
	case fault.Retryable(err):
		return nil, err
	case err != nil || tx.Merchant != "" && item.Merchant == "":
		return nil, &gate.Refusal{Text: wording.Say(tc.Language, wording.OfferOff, nil)}
	case !item.makes(tx):
		return nil, &gate.Refusal{Text: wording.Say(tc.Language, wording.OfferChanged, nil)}
	}
	return item.Unchanged, nil
}

// makes reports whether an offer made now would equal the one that was made, in all terms
// that come from the listing.
func (k Bookable) makes(tx ledger.Transaction) bool {
	o := k.Offering
	at := localTimes(tx.TimeZone, tx.Start, tx.End, tx.Nights)
	when, err := o.Find(tx.CreatedAt, at["date"], at["time"], at["endDate"])
	switch {
	case err != nil || o.CheckParty(tx.Party) != nil:
		return false
	case !when.Start.Equal(tx.Start) || !when.End.Equal(tx.End) || when.Nights != tx.Nights:
		return false
	case due(tx.Terms, o.Deposit).DueMinor > tx.DueMinor:
		return false
	}
	return k.Business == tx.Business && k.ListingName == tx.ListingName && o.Name == tx.OfferingName && k.Merchant == tx.Merchant &&
		o.Price(tx.Party, tx.Nights) == tx.PriceMinor && o.Currency == tx.Currency
}
