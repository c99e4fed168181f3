package vendor_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/vendor"
)

// BenchmarkSearch searches 10,000 vendors, of whom 2,500 fit: 10 ms at most.
func BenchmarkSearch(b *testing.B) {
	const vendors = 10_000
	table, market := dynamotest.Open(b, nil).Table(dynamotest.TableName("catalog")), dynamotest.ID("market")
	var ws []dynamo.Write
	for i := range vendors {
		v := vendor.Vendor{
			ID: fmt.Sprintf("v%05d", i), Market: market, Name: fmt.Sprint("Vendor ", i), Phone: fmt.Sprintf("+1555%07d", i), Enabled: true,
			Category: []string{"generator rental", "boat rental", "piano tuner", "marquee rental"}[i%4], Tags: []string{"60 kVA", "delivery"},
			Location: &geo.Location{Lat: 35 + float64(i%100)/100, Lng: 33 + float64(i%97)/97}, OptIn: &vendor.OptIn{At: time.Now(), How: "form"},
		}
		ws = append(ws, table.Put(dynamo.Key{PK: "vendors#" + market, SK: "vendor#" + v.ID}, v))
	}
	for some := range slices.Chunk(ws, dynamo.MaxWrites) {
		if err := table.DB().Commit(b.Context(), some...); err != nil {
			b.Fatal(err)
		}
	}
	store := &vendor.Store{Table: table, Now: time.Now}
	search := vendor.Search{Market: market, Category: "generators", Near: &geo.Location{Lat: 35.33, Lng: 33.32}, RadiusKM: 400,
		Tags: []string{"delivery"}, Limit: 15}
	if _, total, err := store.Find(b.Context(), search); err != nil || total != vendors/4 {
		b.Fatalf("%d found, %v", total, err)
	}
	for b.Loop() {
		if _, _, err := store.Find(b.Context(), search); err != nil {
			b.Fatal(err)
		}
	}
}
