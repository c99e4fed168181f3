package taxi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/matter/taxi"
	"merve/internal/tenant/market"
	"merve/internal/words/standing"
)

// call runs a tool as a turn does.
func call(ctx context.Context, c *taxi.Caller, tc tool.Context, name, args string) (tool.Result, error) {
	for _, t := range c.Tools() {
		if t.Name != name {
			continue
		}
		canonical, err := t.Canonical(json.RawMessage(args))
		if err != nil {
			return tool.Result{}, err
		}
		return t.Run(ctx, tc, canonical)
	}
	return tool.Result{}, fmt.Errorf("no tool %s", name)
}

func publicOf(err error) (message, field string) {
	if err == nil {
		return "", ""
	}
	return fault.Public(err)
}

type geocoder map[string][]geo.Found

func (g geocoder) Geocode(_ context.Context, q geo.Query) ([]geo.Found, error) {
	if q.Text == "away" {
		return nil, fault.New(fault.Unavailable, "away")
	}
	return g[q.Text], nil
}

func (c *corner) caller() *taxi.Caller {
	return &taxi.Caller{
		Store: c.Store,
		Geocoder: geocoder{
			"Dome Hotel":    {{Location: geo.Location{Address: "Dome Hotel, Kordonboyu, Girne", Lat: 35.34, Lng: 33.32}, Sure: true}},
			"Market Street": {{Location: geo.Location{Address: "Market Street, A", Lat: 1, Lng: 1}}, {Location: geo.Location{Address: "Market Street, B", Lat: 2, Lng: 2}}},
		},
	}
}

func TestToolsAreStrict(t *testing.T) {
	t.Parallel()
	if _, err := tool.NewRegistry((&taxi.Caller{}).Tools()...); err != nil {
		t.Fatal(err)
	}
	for _, tl := range (&taxi.Caller{}).Tools() {
		if want := map[string]tool.Effect{"requestTaxi": tool.Propose, "getTaxiStatus": tool.Read, "cancelTaxi": tool.Propose}[tl.Name]; tl.Effect != want {
			t.Errorf("%s: %s", tl.Name, tl.Effect)
		}
	}
}

// What is asked for becomes a proposal with exactly that, and nobody is told.
func TestRequestTaxi(t *testing.T) {
	t.Parallel()
	here := &geo.Location{Lat: 35.335, Lng: 33.31}
	for name, tt := range map[string]struct {
		args     string
		location *geo.Location
		want     func(r taxi.Ride) bool
	}{
		"an address": {`{"pickup":"Dome Hotel","usePickupLocation":false,"dropoff":"airport","passengers":3}`, nil, func(r taxi.Ride) bool {
			at := r.Pickup.Location()
			return at != nil && at.Lat == 35.34 && at.Lng == 33.32 && r.Pickup.Address == "Dome Hotel" && r.Dropoff.Address == "airport" && r.Passengers == 3 && r.District == "Kyrenia" && r.When.IsZero()
		}},
		"the shared location": {`{"pickup":null,"usePickupLocation":true,"note":" a dog "}`, here, func(r taxi.Ride) bool {
			at := r.Pickup.Location()
			return at != nil && at.Lat == here.Lat && r.Pickup.Address == "" && r.Pickup.String() == "35.33500, 33.31000" && r.Dropoff == nil && r.Passengers == 1 && r.Note == "a dog"
		}},
		"a location and words": {`{"pickup":"at the gate","usePickupLocation":true,"district":"Nicosia"}`, here, func(r taxi.Ride) bool {
			at := r.Pickup.Location()
			return at != nil && at.Lat == here.Lat && r.Pickup.Address == "at the gate" && r.District == "Nicosia"
		}},
		"an address in doubt": {`{"pickup":"Market Street","usePickupLocation":false}`, nil, func(r taxi.Ride) bool {
			return r.Pickup.Location() == nil && r.Pickup.Address == "Market Street" && r.District == ""
		}},
		"no geocoding": {`{"pickup":"away","usePickupLocation":false,"phone":"+1 555 0102 777"}`, nil, func(r taxi.Ride) bool {
			return r.Pickup.Address == "away" && r.CustomerPhone == "+15550102777"
		}},
		"later": {`{"pickup":"Dome Hotel","usePickupLocation":false,"when":"2030-06-03T19:30"}`, nil, func(r taxi.Ride) bool {
			return r.When.Equal(time.Date(2030, 6, 3, 16, 30, 0, 0, time.UTC)) && strings.Contains(taxi.Summary("en", r), "19:30")
		}},
		"in a moment": {`{"pickup":"Dome Hotel","usePickupLocation":false,"when":"2030-06-03 15:02"}`, nil, func(r taxi.Ride) bool {
			return r.When.IsZero()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			c.drivers(2)
			c.market.Districts = []market.District{{Name: "Kyrenia", Center: &geo.Location{Lat: 35.34, Lng: 33.32}}}
			tc := c.tc()
			tc.Location = tt.location
			for range 2 { // the same key
				res, err := call(t.Context(), c.caller(), tc, "requestTaxi", tt.args)
				if err != nil {
					t.Fatal(err)
				}
				p := res.Proposal
				r := c.get(p.Ref)
				if !tt.want(r) || p.Kind != taxi.ConfirmKind || p.Hash != r.Hash || !p.ExpiresAt.Equal(noon.Add(10*time.Minute)) || p.Summary != taxi.Summary("en", r) {
					t.Errorf("%+v\n%+v", p, r)
				}
				if len(res.Facts) != 0 || len(res.Cards) != 0 || r.Status != taxi.Proposed || r.CustomerName != "Deniz" || r.Thread != "th_"+c.market.ID {
					t.Errorf("%+v\n%+v", res, r)
				}
				if diff := c.events(r); len(diff) != 1 {
					t.Errorf("%v", diff)
				}
			}
		})
	}
}

// A district is known by each of its names; what no district is called is kept as it was said.
func TestADistrictByItsOtherName(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.market.Districts = []market.District{{Name: "Kyrenia", Also: []string{"Girne"}}, {Name: "Famagusta"}}
	caller := c.caller()
	for said, want := range map[string]string{"Girne": "Kyrenia", "famagusta": "Famagusta", "Lapta": "Lapta", "": ""} {
		res, err := call(t.Context(), caller, c.tc(), "requestTaxi", fmt.Sprintf(`{"pickup":"Market Street","usePickupLocation":false,"district":%q}`, said))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.get(res.Proposal.Ref).District; got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}

// What cannot be ordered is told in a form that a model can act on.
func TestRequestTaxiRefuses(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	for name, tt := range map[string]struct{ args, field string }{
		"nowhere":            {`{"pickup":null,"usePickupLocation":false}`, "pickup"},
		"too little":         {`{"pickup":" 7 ","usePickupLocation":false}`, "pickup"},
		"no location shared": {`{"pickup":"Dome Hotel","usePickupLocation":true}`, "usePickupLocation"},
		"a missing flag":     {`{"pickup":"Dome Hotel"}`, "arguments"},
		"an unknown field":   {`{"pickup":"Dome Hotel","usePickupLocation":false,"price":1}`, "arguments"},
		"nobody":             {`{"pickup":"Dome Hotel","usePickupLocation":false,"passengers":0}`, "passengers"},
		"a bus":              {`{"pickup":"Dome Hotel","usePickupLocation":false,"passengers":17}`, "passengers"},
		"yesterday":          {`{"pickup":"Dome Hotel","usePickupLocation":false,"when":"2030-06-02T19:30"}`, "when"},
		"next year":          {`{"pickup":"Dome Hotel","usePickupLocation":false,"when":"2031-06-02T19:30"}`, "when"},
		"no time":            {`{"pickup":"Dome Hotel","usePickupLocation":false,"when":"tonight"}`, "when"},
		"a long address":     {`{"pickup":"` + strings.Repeat("x", 257) + `","usePickupLocation":false}`, "pickup"},
		"a long note":        {`{"pickup":"Dome Hotel","usePickupLocation":false,"note":"` + strings.Repeat("x", 301) + `"}`, "note"},
		"no number":          {`{"pickup":"Dome Hotel","usePickupLocation":false,"phone":"soon"}`, "phone"},
		"no district":        {`{"pickup":"Dome Hotel","usePickupLocation":false,"district":"a#b"}`, "district"},
	} {
		res, err := call(t.Context(), c.caller(), c.tc(), "requestTaxi", tt.args)
		if _, field := publicOf(err); !fault.Is(err, fault.Invalid) || field != tt.field || res.Proposal != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	gap := newCorner(t)
	gap.clock.Add(-80 * 24 * time.Hour) // before the clocks go on, on 31 March 2030 at 3:00
	if _, err := call(t.Context(), gap.caller(), gap.tc(), "requestTaxi", `{"pickup":"Dome Hotel","usePickupLocation":false,"when":"2030-03-31T03:30"}`); !strings.Contains(fmt.Sprint(err), "clocks") {
		t.Errorf("in the gap: %v", err)
	}
}

// The customer's words for how far it is, and facts that name it.
func TestStatusAndCancel(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	c.drivers(1)
	if _, err := call(ctx, c.caller(), c.tc(), "getTaxiStatus", `{"rideId":null}`); !fault.Is(err, fault.NotFound) {
		t.Errorf("none yet: %v", err)
	}
	p := c.proposed()
	cancel := func() (tool.Result, error) {
		return call(ctx, c.caller(), c.tc(), "cancelTaxi", fmt.Sprintf(`{"rideId":%q}`, p.ID))
	}
	refused := func(want string) {
		t.Helper()
		if _, err := cancel(); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("cancel: %v, want %q", err, want)
		}
	}
	refused("not ordered yet")
	if _, err := call(ctx, c.caller(), c.tc(), "cancelTaxi", `{"rideId":""}`); !fault.Is(err, fault.Invalid) {
		t.Errorf("cancel which? %v", err)
	}
	check := func(status taxi.Status, word standing.Word) {
		t.Helper()
		res, err := call(ctx, c.caller(), c.tc(), "getTaxiStatus", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		if card := res.Cards[0]; res.Named[0].Code != p.Code || res.Named[0].Word != word || card["status"] != string(status) || card["type"] != "taxi" || card["id"] != p.ID || card["code"] != p.Code || card["title"] == "" {
			t.Errorf("%s: %v %v", status, res.Named, card)
		}
	}
	if _, err := c.yes(c.Store, p); err != nil {
		t.Fatal(err)
	}
	check(taxi.Requested, standing.Requested)
	c.says(0, "yes")
	check(taxi.Assigned, standing.Accepted)
	res, err := cancel()
	if err != nil || res.Proposal == nil || res.Proposal.Kind != taxi.CancelKind || res.Proposal.Ref != p.ID {
		t.Fatalf("%+v, %v", res, err)
	}
	kept, err := taxi.CancelRide{Store: c.Store}.Release(ctx, c.tc(), pending(taxi.CancelKind, p))
	if err != nil || len(kept.Writes) != 0 || !strings.Contains(kept.Text, "stays") {
		t.Errorf("%+v, %v", kept, err)
	}
	for range 2 { // a second YES says the same
		if text, err := c.cancel(c.Store, p); err != nil || !strings.Contains(text, "has been cancelled") {
			t.Errorf("%s, %v", text, err)
		}
	}
	check(taxi.Cancelled, standing.Cancelled)
	refused("cancelled already")
	if got := c.says(0, "DONE "+p.Code); !strings.Contains(got, "no such ride") {
		t.Errorf("the driver: %s", got)
	}
	for _, ask := range []string{taxi.Confirm{}.Describe(c.tc(), pending(taxi.ConfirmKind, p)), taxi.CancelRide{}.Describe(c.tc(), pending(taxi.CancelKind, p))} {
		if !strings.Contains(ask, "YES") || !strings.Contains(ask, "NO") || !strings.Contains(ask, "Harbour Street") {
			t.Error(ask)
		}
	}
}

// That drivers were told is a fact of a ride once one was asked: of one for later when its time comes,
// and where nobody is there when somebody is.
func TestNobodyIsToldYet(t *testing.T) {
	t.Parallel()
	asked := func(res tool.Result) any { return res.Data.(map[string]any)["driversAsked"] }
	for name, tt := range map[string]struct {
		drivers int
		when    time.Time
		in      time.Duration
	}{
		"for later":    {1, noon.Add(2 * time.Hour), 100 * time.Minute},
		"nobody there": {0, time.Time{}, time.Minute},
	} {
		c := newCorner(t)
		c.drivers(tt.drivers)
		r := c.requested(func(o *taxi.Order) { o.When = tt.when })
		if res, err := call(t.Context(), c.caller(), c.tc(), "getTaxiStatus", `{}`); err != nil || len(res.Facts) != 0 || len(res.Cards) != 1 || asked(res) != false {
			t.Errorf("%s: before: %v, %v, %v", name, res, res.Cards, err)
		}
		c.drivers(1)
		c.clock.Add(tt.in)
		c.sweep()
		if res, err := call(t.Context(), c.caller(), c.tc(), "getTaxiStatus", `{}`); err != nil || len(res.Named) != 1 || res.Named[0].Code != r.Code || asked(res) != true {
			t.Errorf("%s: offered: %v, %v", name, res, err)
		}
	}
}

// What is over is not cancelled, and where there is no map, the customer's words are the address.
func TestARideThatIsDone(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.drivers(1)
	r := c.assigned(0)
	c.says(0, "done")
	if _, err := call(t.Context(), c.caller(), c.tc(), "cancelTaxi", fmt.Sprintf(`{"rideId":%q}`, r.ID)); !errors.Is(err, taxi.ErrOver) {
		t.Errorf("cancelled: %v", err)
	}
	res, err := call(t.Context(), &taxi.Caller{Store: c.Store}, c.tc(), "requestTaxi", `{"pickup":"Dome Hotel","usePickupLocation":false}`)
	if err != nil {
		t.Fatal(err)
	}
	if p := c.get(res.Proposal.Ref).Pickup; p != (geo.Spot{Address: "Dome Hotel"}) {
		t.Errorf("%+v", p)
	}
}

// A customer is called at the number that they write with, where there is one.
func TestCustomersNumber(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	for id, want := range map[string]string{"whatsapp:+15550104444": "+15550104444", "whatsapp:US.1234": "", "messenger:77": ""} {
		a := actor.Actor{Kind: actor.Person, ID: id}
		res, err := call(t.Context(), c.caller(), c.of(a), "requestTaxi", `{"pickup":"Dome Hotel","usePickupLocation":false}`)
		if err != nil && !errors.Is(err, taxi.ErrOpen) {
			t.Fatal(err)
		}
		r, err := c.Get(t.Context(), a, c.market.ID, res.Proposal.Ref)
		if err != nil || r.CustomerPhone != want {
			t.Errorf("%s: %q, %v", id, r.CustomerPhone, err)
		}
	}
}
