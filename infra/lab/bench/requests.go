package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	requests "merve/internal/matter/request"
	"merve/internal/matter/vendor"
)

// Requests is what marketplace requests take.
type Requests struct {
	Vendors     int     `json:"vendors"`          // of the market
	SearchMS    float64 `json:"searchP50ms"`      // among them, of what a process knows
	FirstReads  int     `json:"firstSearchReads"` // requests of a process that knows nothing yet
	SearchReads int     `json:"searchReads"`      // of one that has searched in the last minute
}

func (b *bench) requests(ctx context.Context, r *Report) error {
	vendors := 10_000
	if b.Runs == 1 { // quick
		vendors = 300
	}
	market := "vendors-" + uuid.NewString()
	table := b.store.Table(tableName("catalog"))
	var ws []dynamo.Write
	for i := range vendors {
		rating := float64(i%50) / 10
		v := vendor.Vendor{
			ID: fmt.Sprintf("v%05d", i), Market: market, Name: fmt.Sprintf("Vendor %d", i), Phone: fmt.Sprintf("+1555%07d", i), Rating: &rating,
			Enabled: true, Version: 1,
			Category: []string{"generator rental", "boat rental", "piano tuner", "marquee rental"}[i%4], Tags: []string{"60 kVA", "delivery"},
			Location: &geo.Location{Lat: 35 + float64(i%100)/100, Lng: 33 + float64(i%97)/97},
			OptIn:    &vendor.OptIn{At: time.Now(), How: "form"},
		}
		ws = append(ws, table.Put(dynamo.Key{PK: "vendors#" + market, SK: "vendor#" + v.ID}, v))
	}
	for some := range slices.Chunk(ws, dynamo.MaxWrites) {
		if err := b.store.Commit(ctx, some...); err != nil {
			return err
		}
	}
	store := &vendor.Store{Table: table, Now: time.Now}
	find := func() (float64, int, error) {
		ctx, meter := telemetry.WithMeter(ctx)
		start := time.Now()
		_, total, err := store.Find(ctx, vendor.Search{
			Market: market, Category: "generator rental", Near: &geo.Location{Lat: 35.33, Lng: 33.32}, RadiusKM: 400, MinRating: 1,
			Limit: requests.MaxVendors,
		})
		if err == nil && total == 0 {
			err = fmt.Errorf("no vendor was found")
		}
		return ms(time.Since(start)), meter.Cost().Requests, err
	}
	x := &Requests{Vendors: vendors}
	var err error
	if _, x.FirstReads, err = find(); err != nil {
		return err
	}
	var times []float64
	for range 10 * b.Runs {
		took, reads, err := find()
		if err != nil {
			return err
		}
		times, x.SearchReads = append(times, took), max(x.SearchReads, reads)
	}
	slices.Sort(times)
	x.SearchMS = times[len(times)/2]
	r.Requests = x
	return nil
}

func (r *Report) requestsTable(p *page) {
	if r.Requests == nil {
		return
	}
	x := r.Requests
	p.line("\n## Marketplace requests")
	p.table("what|measured", func(row func(...any)) {
		row(fmt.Sprintf("search over %d vendors, p50", x.Vendors), fmt.Sprintf("%.2f ms", x.SearchMS))
		row("requests of the first search in a minute, and of the others", fmt.Sprintf("%d, %d", x.FirstReads, x.SearchReads))
	})
}

// requests are the figures of marketplace requests.
func (t *tally) requests(r *Report) {
	if r.Requests == nil {
		return
	}
	t.atMost(false, fmt.Sprintf("search over %d vendors, own time p50", r.Requests.Vendors), " ms", r.Requests.SearchMS, 10)
	t.atMost(true, "requests of a search in the minute after another", "", float64(r.Requests.SearchReads), 0)
}
