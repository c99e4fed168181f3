package api_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"merve/internal/edge/api/apitest"
	"merve/internal/matter/appointment"
	"merve/internal/matter/taxi"
	"merve/internal/matter/vendor"
	"merve/internal/record/customer"
	"merve/internal/record/listing"
	"merve/internal/record/place"
	"merve/internal/tenant/market"
)

// What staff keep is declared once, as a type of Go. The document describes each of its fields, as it is read and as it is
// saved, and the pages of staff show each: a field that is added to the type alone fails here.
func TestEveryFieldIsToldAndShown(t *testing.T) {
	t.Parallel()
	d := apitest.OpenAPI(t)
	served := []string{"id", "marketId", "version", "updatedAt", "updatedBy", "left"} // by the service: nobody saves them, and pages need not show them
	for _, tt := range []struct {
		kept          any
		read, changed string   // schemas
		pages         []string // scripts of the pages
	}{
		{market.Market{}, "Market", "MarketChange", []string{"*"}},
		{listing.Listing{}, "Listing", "ListingChange", []string{"*"}},
		{vendor.Vendor{}, "Vendor", "VendorChange", []string{"vendors", "position"}},
		{customer.Customer{}, "Customer", "CustomerChange", []string{"customers"}},
		{appointment.Service{}, "Service", "ServiceChange", []string{"visits"}},
		{appointment.Technician{}, "Technician", "TechnicianChange", []string{"visits", "hours"}},
		{taxi.Driver{}, "Driver", "DriverChange", []string{"drivers"}},
		{place.Place{}, "CuratedPlace", "PlaceChange", []string{"places", "position", "hours"}},
	} {
		kind := reflect.TypeOf(tt.kept)
		var shown strings.Builder
		for _, page := range tt.pages {
			files, err := filepath.Glob("../web/admin/" + page + ".js")
			if err != nil || len(files) == 0 {
				t.Fatalf("%v: no page %s", err, page)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				shown.Write(text)
			}
		}
		for _, f := range reflect.VisibleFields(kind) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			told := func(schema string) bool {
				_, _, there := d.At("components", "schemas", schema, "properties", name)
				return there
			}
			own := slices.Contains(served, name)
			if !told(tt.read) || !own && !told(tt.changed) {
				t.Errorf("%s: %s is not in schema %s or %s", kind, name, tt.read, tt.changed)
			}
			word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
			if !own && !word.MatchString(shown.String()) {
				t.Errorf("%s: no page of %v shows %s", kind, tt.pages, name)
			}
		}
	}
}
