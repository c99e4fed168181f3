// Package demo is the demo market of the local runner: a small island's restaurants,
// tours, stays, homes and services, its places, its taxi drivers and its vendors, and the customers and technicians of
// a pest control company far away. The businesses and people are made up, their numbers are not real.
package demo

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"merve/internal/base/geo"
	"merve/internal/matter/appointment"
	"merve/internal/matter/taxi"
	"merve/internal/matter/vendor"
	"merve/internal/record/customer"
	"merve/internal/record/listing"
	"merve/internal/record/place"
	"merve/internal/tenant/market"
)

//go:embed listings.json
var listings []byte

//go:embed places.json
var places []byte

//go:embed drivers.json
var drivers []byte

//go:embed customers.json
var customers []byte

//go:embed visits.json
var visits []byte

//go:embed vendors.json
var vendors []byte

// Market is the id of the demo market.
const Market = "demo"

// Load stores the demo market and its listings, and runs also to add more, unless the
// market is already there. The market comes last, so that an interrupted load is repeated the next time.
func Load(ctx context.Context, markets *market.Store, store *listing.Store, also ...func(context.Context) error) error {
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
	for _, load := range also {
		if err := load(ctx); err != nil {
			return err
		}
	}
	_, err = markets.Save(ctx, *policy(), "demo")
	return err
}

func policy() *market.Market {
	m := market.Default(Market)
	m.Name = "Island Concierge"
	m.Languages = []string{"en", "tr", "el", "ru", "he", "ar", "de", "es", "fr", "sw"}
	m.TimeZone = "Asia/Nicosia"
	m.Bounds = &geo.Box{West: 32.2, South: 34.5, East: 34.7, North: 35.8}
	m.Districts = []market.District{
		{Name: "Kyrenia", Also: []string{"Girne"}, Center: &geo.Location{Lat: 35.3364, Lng: 33.3182}, Neighbours: []string{"Lapithos", "Nicosia"}},
		{Name: "Nicosia", Also: []string{"Lefkoşa", "Lefkosia"}, Center: &geo.Location{Lat: 35.1856, Lng: 33.3823}, Neighbours: []string{"Kyrenia", "Famagusta", "Morphou"}},
		{Name: "Famagusta", Also: []string{"Gazimağusa", "Mağusa"}, Center: &geo.Location{Lat: 35.1174, Lng: 33.9420}, Neighbours: []string{"Nicosia", "Iskele"}},
		{Name: "Lapithos", Also: []string{"Lapta", "Alsancak"}, Center: &geo.Location{Lat: 35.3353, Lng: 33.1744}, Neighbours: []string{"Kyrenia"}},
		{Name: "Morphou", Also: []string{"Güzelyurt"}, Center: &geo.Location{Lat: 35.1978, Lng: 32.9938}, Neighbours: []string{"Nicosia"}},
		{Name: "Iskele", Also: []string{"Trikomo", "Karpaz", "Bafra"}, Center: &geo.Location{Lat: 35.2877, Lng: 33.8841}, Neighbours: []string{"Famagusta"}},
	}
	m.WhatsApp.Templates = map[string]market.Approved{}
	for i, event := range slices.Sorted(maps.Keys(market.Events())) {
		m.WhatsApp.Templates[event] = market.Approved{ContentSID: fmt.Sprintf("HX%032d", i+1), Params: market.Events()[event]}
	}
	return m
}

// LoadPlaces stores the market's places.
func LoadPlaces(store *place.Store) func(context.Context) error {
	return func(ctx context.Context) error {
		all, err := Places()
		if err != nil {
			return err
		}
		return store.Import(ctx, Market, all)
	}
}

// LoadDrivers stores the market's taxi drivers.
func LoadDrivers(store *taxi.Drivers) func(context.Context) error {
	return func(ctx context.Context) error {
		all, err := Drivers()
		if err != nil {
			return err
		}
		for _, d := range all {
			if _, err := store.Put(ctx, d); err != nil {
				return err
			}
		}
		return nil
	}
}

// LoadCustomers stores the customers whom calls are about.
func LoadCustomers(store *customer.Store) func(context.Context) error {
	return func(ctx context.Context) error {
		all, err := Customers()
		if err != nil {
			return err
		}
		for _, c := range all {
			if _, err := store.Put(ctx, c); err != nil {
				return err
			}
		}
		return nil
	}
}

// LoadVisits stores the services and technicians of calls.
func LoadVisits(catalog *appointment.Catalog) func(context.Context) error {
	return func(ctx context.Context) error {
		all, err := Visits()
		if err != nil {
			return err
		}
		for _, s := range all.Services {
			if _, err := catalog.PutService(ctx, s); err != nil {
				return err
			}
		}
		for _, t := range all.Technicians {
			if _, err := catalog.PutTechnician(ctx, t); err != nil {
				return err
			}
		}
		return nil
	}
}

// LoadVendors stores the market's vendors.
func LoadVendors(store *vendor.Store) func(context.Context) error {
	return func(ctx context.Context) error {
		all, err := Vendors()
		if err != nil {
			return err
		}
		return store.Import(ctx, all)
	}
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

// Places returns the demo market's places.
func Places() ([]*place.Place, error) {
	var all []*place.Place
	if err := json.Unmarshal(places, &all); err != nil {
		return nil, fmt.Errorf("demo places: %w", err)
	}
	for _, p := range all {
		p.Market = Market
	}
	return all, nil
}

// Vendors returns the demo market's vendors.
func Vendors() ([]vendor.Vendor, error) {
	var all []vendor.Vendor
	if err := json.Unmarshal(vendors, &all); err != nil {
		return nil, fmt.Errorf("demo vendors: %w", err)
	}
	for i := range all {
		all[i].Market = Market
	}
	return all, nil
}

// Drivers returns the demo market's taxi drivers.
func Drivers() ([]taxi.Driver, error) {
	var all []taxi.Driver
	if err := json.Unmarshal(drivers, &all); err != nil {
		return nil, fmt.Errorf("demo drivers: %w", err)
	}
	for i := range all {
		all[i].Market = Market
	}
	return all, nil
}

// Customers returns the customers whom calls are about.
func Customers() ([]customer.Customer, error) {
	var all []customer.Customer
	if err := json.Unmarshal(customers, &all); err != nil {
		return nil, fmt.Errorf("demo customers: %w", err)
	}
	for i := range all {
		all[i].Market = Market
	}
	return all, nil
}

// Visits returns the services and technicians of calls.
func Visits() (all appointment.Company, err error) {
	if err := json.Unmarshal(visits, &all); err != nil {
		return all, fmt.Errorf("demo visits: %w", err)
	}
	for i := range all.Services {
		all.Services[i].Market = Market
	}
	for i := range all.Technicians {
		all.Technicians[i].Market = Market
	}
	return all, nil
}
