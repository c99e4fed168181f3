package place

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/seedtest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// noon is a Saturday; 14:00 in Nicosia.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// corner is the store of a market of its own.
type corner struct {
	t testing.TB
	*Store
	market string
}

func newCorner(t testing.TB, all ...*Place) *corner {
	t.Helper()
	c := &corner{t: t, market: dynamotest.ID("m")}
	c.Store = &Store{Table: dynamotest.Open(t).Table(dynamotest.TableName("catalog")), Now: func() time.Time { return noon }}
	for _, p := range all {
		c.put(p)
	}
	return c
}

func (c *corner) put(p *Place) {
	c.t.Helper()
	p.Market = c.market
	if err := c.Put(context.Background(), p); err != nil {
		c.t.Fatal(err)
	}
}

// fill stores places fast, as they are when all of them were put.
func (c *corner) fill(all []*Place) {
	c.t.Helper()
	var writes []dynamo.Write
	for _, p := range all {
		p.Market = c.market
		writes = append(writes, c.change(key(c.market, p.ID), nil, &stored{*p, geohash(p.Location)})...)
	}
	if err := c.Table.DB().CommitAll(context.Background(), writes...); err != nil {
		c.t.Fatal(err)
	}
}

func at(id, category string, where geo.Location) *Place {
	return &Place{ID: id, Names: map[string]string{"en": "Place " + id}, Category: category, Location: where}
}

// nearest counts the requests, too.
func (c *corner) nearest(n Near) (found []Hit, requests int) {
	c.t.Helper()
	ctx, meter := telemetry.WithMeter(context.Background())
	found, err := c.Nearest(ctx, c.market, n)
	if err != nil {
		c.t.Fatal(err)
	}
	return found, meter.Cost().Requests
}

// brute looks at everything.
func brute(all []*Place, n Near) []Hit {
	var found []Hit
	for _, p := range all {
		d := n.At.Meters(p.Location)
		if (n.Category == "" || n.Category == p.Category) && d <= n.Radius && (n.Keep == nil || n.Keep(p)) {
			found = append(found, Hit{p, d})
		}
	}
	slices.SortFunc(found, compare)
	return found[:min(len(found), n.Limit)]
}

func ids(found []Hit) (all []string) {
	for _, h := range found {
		all = append(all, h.ID)
	}
	return all
}

// Whatever lies where, the answer is that of looking at everything: at the poles, on both
// sides of the 180th meridian, in heaps on one spot, and where nothing is near. The few searches
// for which there are not requests enough have found some of it.
func TestNearestIsNearest(t *testing.T) {
	t.Parallel()
	searches, cut := 0, 0
	for name, centre := range map[string]geo.Location{
		"an island":          {Lat: 35.3364, Lng: 33.3182},
		"the 180th meridian": {Lat: -16.8, Lng: 180},
		"the north pole":     {Lat: 89.9, Lng: 77},
		"the south pole":     {Lat: -90, Lng: 0},
		"the equator":        {Lat: 0, Lng: 0},
		"where both end":     {Lat: 89.8, Lng: -180},
	} {
		r := seedtest.Rand(t)
		c := newCorner(t)
		c.page = 10
		var all []*Place
		for i := range 60 {
			where := beside(r, centre, math.Pow(10, 1+4*r.Float64()))
			if i%5 == 0 && i > 0 {
				where = all[r.IntN(i)].Location // on one spot
			}
			all = append(all, at(fmt.Sprintf("p%03d", i), []string{"beach", "atm"}[r.IntN(2)], where))
		}
		c.fill(all)
		for range seedtest.Times(t, 12) {
			n := Near{At: beside(r, centre, 60_000), Category: []string{"", "beach", "museum"}[r.IntN(3)], Radius: math.Pow(10, 1+3.69*r.Float64()), Limit: 1 + r.IntN(10)}
			if r.IntN(3) == 0 {
				n.Keep = func(p *Place) bool { return p.ID[3]%2 == 0 }
			}
			got, requests := c.nearest(n)
			want := ids(brute(all, n))
			searches++
			switch right := slices.Equal(ids(got), want); {
			case requests > maxRequests:
				t.Errorf("%s: %d requests", name, requests)
			case !right && requests < maxRequests:
				t.Errorf("%s: %+v: %v, want %v, after %d requests", name, n, ids(got), want, requests)
			case !right:
				cut++
				n.Limit = len(all)
				within := ids(brute(all, n))
				if slices.ContainsFunc(got, func(h Hit) bool { return !slices.Contains(within, h.ID) }) || !slices.IsSortedFunc(got, compare) {
					t.Errorf("%s: %+v: %v, of %v", name, n, ids(got), within)
				}
			}
		}
	}
	if t.Logf("%d of %d needed more than %d requests, with pages of 10", cut, searches, maxRequests); 20*cut > searches {
		t.Error("that is too many")
	}
}

// A market of some hundred places costs few requests, and so does none at all. It is the same
// market whatever SEED is: where places lie changes the cost by one or two.
func TestNearestCost(t *testing.T) {
	t.Parallel()
	r, c := rand.New(rand.NewPCG(1, 1)), newCorner(t)
	kyrenia := geo.Location{Lat: 35.3364, Lng: 33.3182}
	var all []*Place
	for i := range 300 {
		spread, category := 3_000.0, "beach"
		if i%10 == 0 {
			spread, category = 60_000, "atm"
		}
		all = append(all, at(fmt.Sprintf("p%04d", i), category, beside(r, kyrenia, spread)))
	}
	c.fill(all)
	for _, tt := range []struct {
		name string
		n    Near
		most int
	}{
		{"few of a kind", Near{At: kyrenia, Category: "atm"}, 4},
		{"none of a kind", Near{At: kyrenia, Category: "museum"}, 4},
		{"nobody near", Near{At: geo.Location{Lat: -40, Lng: 100}}, 4},
		{"many, in town", Near{At: kyrenia, Limit: 10}, 10},
		{"many, in a small circle", Near{At: kyrenia, Radius: 300, Limit: 10}, 4},
	} {
		got, requests := c.nearest(tt.n)
		tt.n.Radius, tt.n.Limit = min(max(tt.n.Radius, 0), maxRadius), max(tt.n.Limit, 5)
		if tt.n.Radius == 0 {
			tt.n.Radius = maxRadius
		}
		if want := brute(all, tt.n); !slices.Equal(ids(got), ids(want)) || requests > tt.most || requests == 0 {
			t.Errorf("%s: %d requests, %v, want %v", tt.name, requests, ids(got), ids(want))
		}
	}
	for lat := 35.3364; lat < 35.40; lat += 0.02 { // away from the town, where all of it is nearest
		if _, requests := c.nearest(Near{At: geo.Location{Lat: lat, Lng: 33.3182}}); requests > 12 {
			t.Errorf("at %.2f: %d requests", lat, requests)
		}
	}
}

// Even where hundreds share a spot, requests are bounded.
func TestNearestBound(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	c.page = 2
	spot := geo.Location{Lat: 1, Lng: 1}
	var all []*Place
	for i := range 40 {
		all = append(all, at(fmt.Sprintf("p%02d", i), "atm", spot))
	}
	c.fill(all)
	got, requests := c.nearest(Near{At: spot, Limit: 10, Keep: func(p *Place) bool { return p.ID > "p35" }})
	if requests != maxRequests || len(got) > 4 {
		t.Errorf("%d requests, %v", requests, ids(got))
	}
	if got, _ := c.nearest(Near{At: spot, Limit: 3}); !slices.Equal(ids(got), []string{"p00", "p01", "p02"}) {
		t.Errorf("ties: %v", ids(got))
	}
}

func TestNearestRefuses(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	for _, where := range []geo.Location{{Lat: 91}, {Lng: -181}, {Lat: math.NaN()}} {
		_, err := c.Nearest(t.Context(), c.market, Near{At: where})
		if _, field := fault.Public(err); field != "location" {
			t.Errorf("%+v: %v", where, err)
		}
	}
}
