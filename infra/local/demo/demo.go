// Package demo is the demo market of the local runner: a small island's restaurants,
// tours, stays and services. The businesses are made up, their numbers are not real.
package demo

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"merve/internal/listing"
	"merve/internal/market"
)

//go:embed listings.json
var listings []byte

// Market is the id of the demo market.
const Market = "demo"

// Load stores the demo market and its listings, unless the market is there already.
func Load(ctx context.Context, markets *market.Store, store *listing.Store) error {
	_, err := markets.Read(ctx, Market)
	if err == nil {
		return nil
	}
	if !errors.Is(err, market.ErrUnknown) {
		return err
	}
	all, err := Listings()
	if err != nil {
		return err
	}
	for _, l := range all {
		if err := store.Put(ctx, l, "system:demo"); err != nil {
			return err
		}
	}
	m := market.Default(Market)
	m.Name = "Island Concierge"
	m.Languages = []string{"en", "tr", "el", "ru", "he", "ar", "de", "es", "fr", "sw"}
	m.TimeZone = "Asia/Nicosia"
	m.WhatsApp.Templates = map[string]market.Approved{
		"merchant_booking_confirmed": {ContentSID: "HX00000000000000000000000000000001", Params: []string{"code", "listing", "offering", "when", "party", "customer"}},
		"merchant_booking_cancelled": {ContentSID: "HX00000000000000000000000000000002", Params: []string{"code", "listing", "offering", "when", "party", "customer"}},
	}
	_, err = markets.Save(ctx, *m, "demo")
	return err
}

// Listings returns the demo market's listings.
func Listings() ([]*listing.Listing, error) {
	var all []*listing.Listing
	if err := json.Unmarshal(listings, &all); err != nil {
		return nil, fmt.Errorf("demo listings: %w", err)
	}
	for _, l := range all {
		l.Market = Market
	}
	return all, nil
}
