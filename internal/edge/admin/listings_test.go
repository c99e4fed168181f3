package admin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/edge/api/apitest"
	"merve/internal/record/listing"
)

// A catalogue of any size can be listed: page by page, each listing once. So can places.
func TestListingsPageByPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.NewMarket(t)
	var listings, places strings.Builder
	for n := range 101 {
		fmt.Fprintln(&listings, strings.Replace(rowOf("biz-"+id), `"id":"a"`, fmt.Sprintf(`"id":"l%03d"`, n), 1))
		fmt.Fprintf(&places, `{"id":"l%03d","category":"beach","names":{"en":"Beach"},"location":{"lat":35.3,"lng":33.3}}`+"\n", n)
	}
	for kind, rows := range map[string]string{"listings": listings.String(), "places": places.String()} {
		s.Call(t, "POST", target+"/"+kind+"/import", rows, append(apitest.Staff(), "Content-Type", "application/x-ndjson")...).Wants(t, http.StatusOK, nil)
		at := target + "/" + kind
		var ids []string
		var sizes []int
		for after := ""; ; {
			var page struct {
				Listings, Places []struct{ ID string }
				Next             string
			}
			s.Call(t, "GET", at+"?limit=50&after="+url.QueryEscape(after), nil, apitest.Staff()...).Wants(t, http.StatusOK, &page)
			found := append(page.Listings, page.Places...)
			for _, one := range found {
				ids = append(ids, one.ID)
			}
			sizes = append(sizes, len(found))
			if after = page.Next; after == "" {
				break
			}
		}
		if !slices.Equal(sizes, []int{50, 50, 1}) || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 101 {
			t.Errorf("%s: pages of %v, %d of them", kind, sizes, len(ids))
		}
		var whole struct{ Listings, Places []struct{ ID string } }
		s.Call(t, "GET", at, nil, apitest.Staff()...).Wants(t, http.StatusOK, &whole)
		if len(whole.Listings)+len(whole.Places) != 101 {
			t.Errorf("%s: all of them are %d and %d", kind, len(whole.Listings), len(whole.Places))
		}
		s.Call(t, "GET", at+"?after=x", nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "after")
		s.Call(t, "GET", at+"?limit=0", nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "limit")
	}
}

// rowOf is a listing of a business as it is sent.
func rowOf(business string) string {
	return `{"id":"a","businessId":"` + business + `","domain":"food","category":"restaurant","names":{"en":"Alpha"},"merve":{"toolType":"restaurant","enabled":true}}`
}

func TestExchangeOfListings(t *testing.T) {
	t.Parallel()
	s := start(t)
	market, target := s.NewMarket(t)
	row := rowOf(market)
	send := func(body, media string) answer {
		return s.Call(t, "POST", target+"/listings/import", body, append(apitest.Staff(), "Content-Type", media)...)
	}
	var wrong struct {
		fault.Problem
		Errors []listing.RowError
	}
	send(row+"\n"+`{"id":"b"}`+"\n", "application/x-ndjson").Wants(t, http.StatusBadRequest, &wrong)
	if len(wrong.Errors) != 1 || wrong.Errors[0].Row != 2 || wrong.Detail != "1 row is wrong; nothing was stored" {
		t.Errorf("answered %+v", wrong)
	}
	var done, again listing.Imported
	send(row, "application/jsonl").Wants(t, http.StatusOK, &done)
	if diff := cmp.Diff(listing.Imported{Rows: 1, Stored: 1}, done); diff != "" {
		t.Error(diff)
	}
	for _, format := range []string{"csv", "jsonl", ""} {
		media := map[string]string{"csv": "text/csv", "": "text/csv", "jsonl": "application/x-ndjson"}[format]
		out := s.Call(t, "GET", target+"/listings/export?format="+format, nil, apitest.Staff()...).Wants(t, http.StatusOK, nil)
		if !strings.HasPrefix(out.Header.Get("Content-Type"), media) || !strings.Contains(out.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%q: headers %v", format, out.Header)
		}
		send(string(out.Body), media).Wants(t, http.StatusOK, &again)
		if diff := cmp.Diff(listing.Imported{Rows: 1, Unchanged: 1}, again); diff != "" {
			t.Errorf("%q again: %s", format, diff)
		}
	}
	send(row, "application/json").Refuses(t, http.StatusUnsupportedMediaType, "")
	if p := send(strings.Repeat("a", 4<<20+1), "text/csv").Refuses(t, http.StatusRequestEntityTooLarge, ""); !strings.HasPrefix(p.Detail, "the file is") {
		t.Errorf("too large, and read all the same: %s", p.Detail)
	}
	if p := send(strings.Replace(row, "Alpha", "Al\xff", 1), "application/x-ndjson").Refuses(t, http.StatusBadRequest, ""); p.Detail != "the file must be UTF-8" {
		t.Errorf("not UTF-8: %s", p.Detail)
	}
	s.Call(t, "POST", target+"/listings/import", row, append(apitest.Staff(), "Content-Type", "application/x-ndjson", "Content-Encoding", "gzip")...).Refuses(t, http.StatusUnsupportedMediaType, "")
	s.Call(t, "GET", target+"/listings/export?format=xml", nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "format")
	s.Call(t, "POST", "/admin/api/markets/nowhere/listings/import", row, append(apitest.Staff(), "Content-Type", "text/csv")...).Refuses(t, http.StatusNotFound, "")

	// What stands beside listings is no listing.
	s.Call(t, "PUT", target+"/listings/import", row, apitest.Staff()...).Refuses(t, http.StatusMethodNotAllowed, "")
	a := s.Call(t, "DELETE", target+"/listings/export", nil, apitest.Staff()...)
	a.Refuses(t, http.StatusMethodNotAllowed, "")
	if a.Header.Get("Allow") != "GET" {
		t.Errorf("Allow: %q", a.Header.Get("Allow"))
	}
}

// What could not be taken back in at once is not given out.
func TestExportIsNotLargerThanAnImport(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.NewMarket(t)
	long := strings.Repeat("x", 370_000)
	for n := range 15 {
		l := &listing.Listing{Market: id, ID: fmt.Sprint(n), Business: id, Domain: "food", Category: "restaurant", Names: map[string]string{"en": "Alpha"}, Descriptions: map[string]string{"en": long}}
		if err := s.Base.Listings().Put(t.Context(), l, "staff:seed"); err != nil {
			t.Fatal(err)
		}
	}
	s.Call(t, "GET", target+"/listings/export?format=jsonl", nil, apitest.Staff()...).Refuses(t, http.StatusRequestEntityTooLarge, "")
}

func TestReindexWithoutAnEngine(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.NewMarket(t)
	s.Call(t, "POST", target+"/reindex", nil, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
}

func TestListingComesAndGoes(t *testing.T) {
	t.Parallel()
	s := start(t)
	market, target := s.NewMarket(t)
	row := rowOf(market)
	target += "/listings/a"
	var first, second listing.Listing
	s.Call(t, "PUT", target, row, apitest.Staff()...).Wants(t, http.StatusOK, &first)
	s.Call(t, "PUT", target+"%20b", row, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "listing")
	s.Call(t, "PUT", target, strings.Replace(row, "Alpha", "Beta", 1), apitest.Staff()...).Wants(t, http.StatusOK, &second)
	s.Call(t, "PUT", target, strings.Replace(row, `"id":"a"`, `"version":1,"place":"Girne"`, 1), apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	s.Call(t, "DELETE", target, nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "DELETE", target, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	var all struct{ Versions []listing.Listing }
	s.Call(t, "GET", target+"/versions", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if len(all.Versions) != 3 || all.Versions[2].Names["en"] != "Alpha" || all.Versions[0].UpdatedBy != "staff:local" {
		t.Fatalf("versions %+v", all.Versions)
	}
	back := all.Versions[2]
	back.Version = 0
	s.Call(t, "PUT", target, back, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	s.Call(t, "GET", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &first)
	if first.Names["en"] != "Alpha" {
		t.Errorf("brought back %+v", first)
	}
}

func TestListings(t *testing.T) {
	t.Parallel()
	s := start(t)
	var all struct{ Listings []*listing.Listing }
	s.Call(t, "GET", "/admin/api/markets/demo/listings", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if len(all.Listings) < 10 {
		t.Fatalf("%d listings", len(all.Listings))
	}
	copied := *all.Listings[0]
	copied.Version, copied.Business, copied.Location = 0, "biz-copy", &geo.Location{Lat: 5e-324, Lng: 1}
	var stored, read listing.Listing
	target := "/admin/api/markets/copies/listings/copy-1"
	s.Call(t, "PUT", target, copied, apitest.Staff()...).Wants(t, http.StatusOK, &stored)
	s.Call(t, "GET", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &read)
	if diff := cmp.Diff(stored, read); diff != "" || read.ID != "copy-1" || read.Market != "copies" {
		t.Errorf("stored (-) and read (+):\n%s", diff)
	}
	s.Call(t, "GET", "/admin/api/markets/copies/listings/copy-2", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	for body, field := range map[string]string{
		"null": "", `{}`: "*", `{"names":7}`: "names", `{"businessId":"b","domain":"d","category":"c"}`: "names",
		`{"businessId":"a#b","domain":"d","category":"c","names":{"en":"x"}}`:                             "businessId",
		`{"businessId":"b","domain":"d","category":"c","names":{"en":"x"},"location":{"lat":91,"lng":0}}`: "location",
		`{"businessId":"b","domain":"d","category":"c","names":{"en":"x"},"location":{}}`:                 "location.lat",
	} {
		a := s.Call(t, "PUT", target, body, apitest.Staff()...)
		if field != "*" { // of several that are missing any may be named
			a.Refuses(t, http.StatusBadRequest, field)
		} else if a.Status != http.StatusBadRequest {
			t.Errorf("%s: status %d", body, a.Status)
		}
	}
}
