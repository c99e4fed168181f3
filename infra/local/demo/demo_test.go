package demo

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/appointment"
	"merve/internal/matter/taxi"
	"merve/internal/record/customer"
	"merve/internal/record/listing"
	"merve/internal/record/place"
	"merve/internal/tenant/market"
)

func TestListingsAreSound(t *testing.T) {
	t.Parallel()
	all, err := Listings()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Errorf("%d listings, want at least 40", len(all))
	}
	domains, capacities, numbers := map[string]bool{}, map[int]bool{}, map[string]string{}
	for _, l := range all {
		if err := l.Check(); err != nil {
			t.Errorf("%s: %v", l.ID, err)
		}
		if l.Names["en"] == "" || l.Names["tr"] == "" || l.Descriptions["en"] == "" || l.Descriptions["tr"] == "" {
			t.Errorf("%s: not in both languages", l.ID)
		}
		if l.Address == "" || l.Location == nil || len(l.Media) == 0 {
			t.Errorf("%s: address %q, location %v, %d pictures: want all", l.ID, l.Address, l.Location, len(l.Media))
		}
		for _, n := range l.Numbers() {
			if other := numbers[n]; other != "" {
				t.Errorf("%s and %s have the same number", other, l.ID)
			}
			numbers[n] = l.ID
		}
		domains[l.Domain] = true
		for _, o := range l.Offerings {
			capacities[o.Capacity] = true
		}
	}
	if len(domains) < 5 || len(capacities) < 8 {
		t.Errorf("%d domains, %d capacities: too much alike", len(domains), len(capacities))
	}
}

// At least eight vendors around Kyrenia can be asked, each at a number of their own.
func TestVendorsAreSound(t *testing.T) {
	t.Parallel()
	all, err := Vendors()
	if err != nil {
		t.Fatal(err)
	}
	numbers, near := map[string]bool{}, 0
	kyrenia := geo.Location{Lat: 35.3364, Lng: 33.3182}
	for _, v := range all {
		if err := v.Check(); err != nil {
			t.Errorf("%s: %v", v.ID, err)
		}
		if v.OptIn == nil || !v.Enabled || numbers[v.Phone] {
			t.Errorf("%s cannot be asked, or not alone", v.ID)
		}
		if numbers[v.Phone] = true; v.Location != nil && kyrenia.Meters(*v.Location) < 15_000 {
			near++
		}
	}
	if near < 8 {
		t.Errorf("%d around Kyrenia", near)
	}
}

// What can be done in the market is enough to try every tool on.
func TestActionsHaveWhatTheyNeed(t *testing.T) {
	t.Parallel()
	all, err := Listings()
	if err != nil {
		t.Fatal(err)
	}
	can := map[string]int{}
	for _, l := range all {
		for typ := range listing.ActionTypes() {
			if _, ok := l.Action(typ); ok {
				can[typ]++
				checkAction(t, l, typ)
			}
		}
		for _, i := range l.Items {
			if _, err := l.Offering(i.OfferingID); i.OfferingID != "" && err != nil {
				t.Errorf("%s: %s is of no offering: %v", l.ID, i.ID, err)
			}
		}
	}
	for typ, least := range map[string]int{listing.BookAction: 40, listing.FoodAction: 8, listing.ServiceAction: 8, listing.ViewingAction: 6} {
		if can[typ] < least {
			t.Errorf("%s at %d listings, want at least %d", typ, can[typ], least)
		}
	}
}

func checkAction(t *testing.T, l *listing.Listing, typ string) {
	t.Helper()
	have := 0
	for _, i := range l.Items {
		if typ == listing.FoodAction && i.Kind == listing.MenuItems || typ == listing.ServiceAction && i.Kind == listing.Services {
			have++
		}
	}
	switch typ {
	case listing.BookAction:
		if len(l.Offerings) == 0 {
			t.Errorf("%s: nothing to book", l.ID)
		}
	case listing.FoodAction:
		if have < 8 || l.Hours == nil {
			t.Errorf("%s: %d on the menu, hours %v", l.ID, have, l.Hours)
		}
	case listing.ServiceAction:
		if have < 3 {
			t.Errorf("%s: %d services", l.ID, have)
		}
	case listing.ViewingAction:
		if l.Price == nil {
			t.Errorf("%s: no price", l.ID)
		}
	}
}

// One listing is kept in the older form, to show what becomes of it.
func TestOlderForm(t *testing.T) {
	t.Parallel()
	var raw []struct {
		ID    string
		Merve struct{ ToolType, DispatchTemplate string }
	}
	if err := json.Unmarshal(listings, &raw); err != nil {
		t.Fatal(err)
	}
	all, err := Listings()
	if err != nil {
		t.Fatal(err)
	}
	older := 0
	for n, r := range raw {
		if r.Merve.ToolType == "" {
			continue
		}
		older++
		a, ok := all[n].Action(listing.FoodAction)
		if !ok || a.Dispatch.Template != r.Merve.DispatchTemplate || a.Dispatch.Template == "" {
			t.Errorf("%s: action %+v, want one to order food with the template %q", r.ID, a, r.Merve.DispatchTemplate)
		}
	}
	if older != 1 {
		t.Errorf("%d listings in the older form, want 1", older)
	}
}

func TestPolicyPlacesAndDriversAreSound(t *testing.T) {
	t.Parallel()
	m := policy()
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	all, err := Places()
	if err != nil {
		t.Fatal(err)
	}
	if err := place.CheckAll(Market, all); err != nil {
		t.Error(err)
	}
	for _, p := range all {
		if b := m.Bounds; p.Location.Lng < b.West || p.Location.Lng > b.East || p.Location.Lat < b.South || p.Location.Lat > b.North {
			t.Errorf("%s is not in the market: %v", p.ID, p.Location)
		}
	}
	ds, err := Drivers()
	if err != nil {
		t.Fatal(err)
	}
	if len(ds) != 10 {
		t.Errorf("%d drivers, want 10", len(ds))
	}
	for _, d := range ds {
		if err := d.Check(); err != nil {
			t.Errorf("%s: %v", d.ID, err)
		}
	}
}

// A dozen customers, two of them on one phone, whom a technician can come to.
func TestCustomersAreSound(t *testing.T) {
	t.Parallel()
	all, err := Customers()
	if err != nil {
		t.Fatal(err)
	}
	co, err := Visits()
	if err != nil {
		t.Fatal(err)
	}
	phones, shared := map[string]bool{}, 0
	for _, c := range all {
		for _, p := range c.Phones {
			if phones[p] {
				shared++
			}
			phones[p] = true
		}
		near := func(area string) bool { return strings.HasPrefix(c.ZIP, area) }
		if !slices.ContainsFunc(co.Technicians, func(x appointment.Technician) bool { return slices.ContainsFunc(x.Areas, near) }) {
			t.Errorf("nobody comes to %s in %s", c.Name, c.ZIP)
		}
	}
	if len(all) != 12 || shared != 1 {
		t.Errorf("%d customers, %d phones shared; want 12 and 1", len(all), shared)
	}
}

// stores are those of a market with tables of its own.
type stores struct {
	markets  *market.Store
	listings *listing.Store
	places   *place.Store
	drivers  *taxi.Drivers

	customers *customer.Store
	visits    *appointment.Catalog
}

func storesAt(cfg aws.Config, prefix string) stores {
	db := dynamo.Open(cfg)
	catalog, records := db.Table(prefix+"catalog"), db.Table(prefix+"records")
	return stores{
		&market.Store{Table: catalog, Now: time.Now}, &listing.Store{Table: catalog, Now: time.Now},
		&place.Store{Table: catalog, Now: time.Now}, &taxi.Drivers{Table: catalog, Rides: records, Now: time.Now},
		&customer.Store{Table: catalog}, &appointment.Catalog{Table: catalog},
	}
}

func (s stores) load(ctx context.Context) error {
	return Load(ctx, s.markets, s.listings, LoadPlaces(s.places), LoadDrivers(s.drivers), LoadCustomers(s.customers), LoadVisits(s.visits))
}

// Loading that was cut off is made good by the next, and once it is done loading again changes
// nothing, also where somebody has changed something since.
func TestLoadAgain(t *testing.T) {
	t.Parallel()
	cfg, prefix := dynamotest.Config(t), dynamotest.ID("demo")+"-"
	if err := dynamotest.OwnTables(t.Context(), cfg, prefix); err != nil {
		t.Fatal(err)
	}
	ctx, died := t.Context(), 0
	for ; ; died++ {
		dying := cfg.Copy()
		dying.HTTPClient, dying.RetryMaxAttempts = faulttest.With(faulttest.At{N: 25 * (died + 1), Fault: faulttest.DiesBefore}), 1
		if err := storesAt(dying, prefix).load(ctx); err == nil {
			break
		}
	}
	if died < 3 {
		t.Errorf("died %d times, want some in each of listings, places and drivers", died)
	}
	s := storesAt(cfg, prefix)
	for range 2 {
		listings, err := s.listings.Whole(ctx, Market)
		if err != nil || len(listings) < 40 {
			t.Errorf("%d listings, error %v, want at least 40", len(listings), err)
		}
		if found, err := s.places.All(ctx, Market); err != nil || len(found) != 40 {
			t.Errorf("%d places, error %v, want 40", len(found), err)
		}
		if all, err := s.drivers.List(ctx, Market); err != nil || len(all) != 10 {
			t.Errorf("%d drivers, error %v, want 10", len(all), err)
		}
		if c, err := s.customers.Get(ctx, Market, "cust-lee"); err != nil || c.Version < 1 {
			t.Errorf("customer %+v, error %v", c, err)
		}
		if all, err := s.visits.Company(ctx, Market); err != nil || len(all.Services) != 5 || len(all.Technicians) != 4 {
			t.Errorf("%d services, %d technicians, error %v", len(all.Services), len(all.Technicians), err)
		}
		d, err := s.drivers.Get(ctx, Market, "driver-ahmet")
		if err != nil {
			t.Fatal(err)
		}
		d.Available = false
		if _, err := s.drivers.Put(ctx, d); err != nil {
			t.Fatal(err)
		}
		if err := s.load(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if d, err := s.drivers.Get(ctx, Market, "driver-ahmet"); err != nil || d.Available || d.Name != "Ahmet Deniz" {
		t.Errorf("driver %+v, error %v, want him off still", d, err)
	}
}
