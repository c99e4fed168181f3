package admin_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/cloud/alert"
	"merve/internal/edge/api/apitest"
	"merve/internal/record/listing"
	"merve/internal/record/stock"
)

// Staff set counts with a listing and are told what is left; what they save later puts nothing
// back. A count that has drifted becomes an alert.
func TestField15_StaffCount(t *testing.T) {
	t.Parallel()
	s := start(t)
	market, target := s.NewMarket(t)
	target += "/listings/a"
	body := func(item string) string {
		return strings.Replace(rowOf(market), `"id":"a"`, `"left":{"soup":99},"items":[{"id":"soup","kind":"menuItems","names":{"en":"Soup"}`+item+`}]`, 1)
	}
	var got listing.Listing
	wants := func(left int) {
		t.Helper()
		if n, counted := got.Left["soup"]; n != left || counted != (got.Items[0].Stock != nil) {
			t.Errorf("left %v, want %d", got.Left, left)
		}
		got = listing.Listing{}
	}
	s.Call(t, "PUT", target, body(``), apitest.Staff()...).Wants(t, http.StatusOK, &got)
	wants(0)
	s.Call(t, "PUT", target, body(`,"stock":{"count":-1}`), apitest.Staff()...).Refuses(t, http.StatusBadRequest, "items[0].stock.count")
	s.Call(t, "PUT", target, body(`,"stock":{"count":55,"batch":"x"}`), apitest.Staff()...).Wants(t, http.StatusOK, &got)
	wants(55)
	db, early := s.Base.Orders().Table.DB(), *s.Base.Orders().Stock
	early.Now = func() time.Time { return apitest.Now().Add(-time.Hour) } // so that it is looked at now
	hold := func(order string) {
		t.Helper()
		h := stock.Holding{Market: market, Listing: "a", Order: order, Owner: "session:ann", Items: map[string]int{"soup": 2}}
		if err := db.Commit(t.Context(), early.Take(h)...); err != nil {
			t.Fatal(err)
		}
	}
	hold("or_nobodys")
	s.Call(t, "PUT", target, body(`,"stock":{"count":55,"batch":"x"},"priceMinor":100`), apitest.Staff()...).Wants(t, http.StatusOK, &got)
	wants(53)
	s.Call(t, "GET", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &got)
	wants(53)
	var found struct{ Error int }
	for n := 0; found.Error == 0; n++ { // the check of a test beside this one may find it before
		hold(fmt.Sprint("or_nobodys", n))
		s.Call(t, "POST", "/admin/api/alerts/check", nil, apitest.Staff()...).Wants(t, http.StatusOK, &found)
	}
	var page struct{ Alerts []alert.Alert }
	s.Reads(t, "alerts?limit=100", &page)
	if !slices.ContainsFunc(page.Alerts, func(a alert.Alert) bool {
		return a.Check == "stock" && a.Subject == market+"/a/or_nobodys" && a.Message == "holds map[soup:2], and by its order map[]"
	}) {
		t.Errorf("an order that there is none of: alerts %+v", page.Alerts)
	}
}
