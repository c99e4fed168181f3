package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/actor"
	"merve/internal/api/apitest"
	"merve/internal/app"
	"merve/internal/channel"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/fault"
	"merve/internal/listing"
	"merve/internal/market"
	"merve/internal/order"
	"merve/internal/pause/pausetest"
	"merve/internal/person"
	"merve/internal/place"
	"merve/internal/taxi"
	"merve/internal/thread"
	"merve/internal/turn"
)

// newMarket stores a market of its own, and returns its id and where it is.
func (s *service) newMarket(t *testing.T) (id, target string) {
	t.Helper()
	id = dynamotest.ID("m")
	if _, err := s.Base.Markets().Save(t.Context(), *market.Default(id), "staff:seed"); err != nil {
		t.Fatal(err)
	}
	return id, "/admin/api/markets/" + id
}

// A catalogue of any size can be listed: page by page, each listing once. So can places.
func TestListingsPageByPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.newMarket(t)
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
	market, target := s.newMarket(t)
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
	id, target := s.newMarket(t)
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
	_, target := s.newMarket(t)
	s.Call(t, "POST", target+"/reindex", nil, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
}

func TestListingComesAndGoes(t *testing.T) {
	t.Parallel()
	s := start(t)
	market, target := s.newMarket(t)
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

type previewed struct {
	Text, From, Problem string
	Variables, Unknown  []string
	Actions             []listing.Action
}

func TestPreviews(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.newMarket(t)
	for name, tt := range map[string]struct {
		body string
		want previewed
	}{
		"own words":            {`{"event":"taxi_taken","template":"Gone: {code}"}`, previewed{Text: "Gone: K7QF", From: "market", Variables: []string{"code"}, Unknown: []string{}}},
		"none":                 {`{"event":"taxi_taken"}`, previewed{Text: "Ride K7QF has been taken by another driver. Thank you.", From: "default", Variables: []string{"code"}, Unknown: []string{}}},
		"in another":           {`{"event":"taxi_cancelled","language":"de"}`, previewed{From: "default", Variables: []string{"code"}, Unknown: []string{}}},
		"unknown variables":    {`{"event":"taxi_taken","template":"{who} {code} {who} {Where}"}`, previewed{From: "market", Variables: []string{"code"}, Unknown: []string{"who", "Where"}}},
		"a brace out of place": {`{"event":"taxi_taken","template":"{code"}`, previewed{From: "market", Variables: []string{"code"}, Unknown: []string{}}},
	} {
		var got previewed
		s.Call(t, "POST", target+"/preview", tt.body, apitest.Staff()...).Wants(t, http.StatusOK, &got)
		if wrong := len(tt.want.Unknown) > 0 || strings.Contains(name, "brace"); wrong != (got.Problem != "") || got.Text == "" {
			t.Errorf("%s: %+v", name, got)
		}
		if tt.want.Text == "" {
			tt.want.Text = got.Text
		}
		tt.want.Problem = got.Problem
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	s.Call(t, "POST", target+"/preview", `{"event":"birthday"}`, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "event")
	s.Call(t, "POST", target+"/preview", `{"event":"taxi_taken","template":"`+strings.Repeat("a", 9000)+`"}`, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "template")

	// A listing in the older form is shown as what it becomes.
	var got previewed
	s.Call(t, "POST", target+"/listings/preview", `{"event":"merchant_order_placed","action":"order_food",
		"listing":{"names":{"en":"Alpha"},"merve":{"toolType":"restaurant","dispatchTemplate":"{listing}: {code}"}}}`, apitest.Staff()...).Wants(t, http.StatusOK, &got)
	if got.Text != "Alpha: K7QF" || got.From != "listing" || len(got.Actions) != 2 || got.Actions[0].Type != listing.FoodAction {
		t.Errorf("previewed %+v", got)
	}
	s.Call(t, "POST", target+"/listings/preview", `{"event":"merchant_order_placed","action":"dance"}`, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "action")
	s.Call(t, "POST", target+"/listings/preview", `{"event":"birthday","action":"order_food"}`, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "event")
}

func TestEffectiveTools(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.newMarket(t)
	m, err := s.Base.Markets().Read(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	off, on := false, true
	m.Tools = map[string]market.ToolPolicy{"getListing": {Enabled: &off}, "getMenu": {RequireConfirmation: &on}}
	m.Safety.RequireConfirmFor = []string{"findPharmacy", "orderFood"}
	if _, err := s.Base.Markets().Save(t.Context(), *m, "staff:seed"); err != nil {
		t.Fatal(err)
	}
	type setting struct {
		Value bool
		From  string
	}
	type tool struct {
		Name                  string
		Enabled, Confirmation setting
		ConfirmationFixed     bool
		Assistants            []string
		Event                 string
	}
	var answer struct{ Tools []tool }
	s.Call(t, "GET", target+"/tools", nil, apitest.Staff()...).Wants(t, http.StatusOK, &answer)
	byName := map[string]tool{}
	for _, t := range answer.Tools {
		byName[t.Name] = t
	}
	for name, want := range map[string]tool{
		"searchMarketplace": {Enabled: setting{true, "effect"}, Confirmation: setting{false, "effect"}},
		"getListing":        {Enabled: setting{false, "market"}, Confirmation: setting{false, "effect"}},
		"getMenu":           {Enabled: setting{true, "effect"}, Confirmation: setting{true, "market"}},
		"findPharmacy":      {Enabled: setting{true, "effect"}, Confirmation: setting{true, "requireConfirmFor"}},
		"orderFood":         {Enabled: setting{true, "effect"}, Confirmation: setting{true, "effect"}, ConfirmationFixed: true, Event: "merchant_order_placed"},
	} {
		want.Name, want.Assistants = name, []string{"merve"}
		if diff := cmp.Diff(want, byName[name]); diff != "" {
			t.Error(diff)
		}
	}
	for name, event := range market.ToolEvents() {
		if byName[name].Event != event || market.Events()[event] == nil {
			t.Errorf("%s has %q, want %q", name, byName[name].Event, event)
		}
	}
	s.Call(t, "GET", "/admin/api/markets/nowhere/tools", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	var words struct {
		Defaults market.Market
		Events   map[string][]string
	}
	s.Call(t, "GET", "/admin/api/vocabulary", nil, apitest.Staff()...).Wants(t, http.StatusOK, &words)
	if words.Defaults.Safety.MaxRounds != 8 || len(words.Events) != len(market.Events()) {
		t.Errorf("vocabulary %+v", words)
	}
}

// Every event has words of its own and a sample of each of its variables.
func TestEveryEventIsPreviewed(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.newMarket(t)
	for event, variables := range market.Events() {
		var got, sample previewed
		s.Call(t, "POST", target+"/preview", map[string]string{"event": event}, apitest.Staff()...).Wants(t, http.StatusOK, &got)
		if got.From != "default" || got.Text == "" || strings.ContainsAny(got.Text, "{}") {
			t.Errorf("%s: %+v", event, got)
		}
		for _, v := range variables {
			s.Call(t, "POST", target+"/preview", map[string]string{"event": event, "template": "{" + v + "}"}, apitest.Staff()...).Wants(t, http.StatusOK, &sample)
			if strings.TrimSpace(sample.Text) == "" {
				t.Errorf("%s: no sample of {%s}", event, v)
			}
		}
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, offer := s.Offered(t, "hotel in Kyrenia", "1", "from 4 to 6 December for 2")
	if id == "" || offer.ThreadID == "" {
		t.Fatal("no offer")
	}
	dynamotest.Lapse(t, s.Base.Config.TableRecords, "spend#demo", apitest.Now().AddDate(1, 0, 0))
	var answer struct{ Days []turn.Day }
	s.Reads(t, "markets/demo/days?days=7", &answer)
	today := answer.Days[len(answer.Days)-1]
	if len(answer.Days) != 7 || today.Day != apitest.Now().UTC().Format(time.DateOnly) || today.Turns < 1 || today.Inbound < 1 || today.Outbound < 1 {
		t.Errorf("days %+v", answer.Days)
	}
	for _, days := range []string{"0", "366", "x", "", "1&days=2"} {
		s.Call(t, "GET", "/admin/api/markets/demo/days?days="+days, nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "days")
	}
}

func TestDrivers(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.newMarket(t)
	one := map[string]any{"name": "Dina", "phone": "+15550142", "districts": []string{"Kyrenia"}, "seats": 4, "enabled": true}
	var d taxi.Driver
	s.Call(t, "PUT", target+"/drivers/dina", one, apitest.Staff()...).Wants(t, http.StatusOK, &d)
	one["seats"], one["version"] = 6, d.Version
	s.Call(t, "PUT", target+"/drivers/dina", one, apitest.Staff()...).Wants(t, http.StatusOK, &d)
	s.Call(t, "PUT", target+"/drivers/dina", one, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	delete(one, "version")
	s.Call(t, "PUT", target+"/drivers/other", one, apitest.Staff()...).Refuses(t, http.StatusConflict, "phone")
	one["phone"] = "0533"
	s.Call(t, "PUT", target+"/drivers/dina", one, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "phone")
	var all struct{ Drivers []taxi.Driver }
	s.Call(t, "GET", target+"/drivers", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if len(all.Drivers) != 1 || all.Drivers[0].Seats != 6 {
		t.Errorf("drivers %+v", all)
	}
	s.Call(t, "DELETE", target+"/drivers/dina", nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "DELETE", target+"/drivers/dina", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.newMarket(t)
	one := map[string]any{"names": map[string]string{"en": "Alagadi"}, "category": "beach", "location": map[string]float64{"lat": 35.33, "lng": 33.49}}
	var p place.Place
	s.Call(t, "PUT", target+"/places/alagadi", one, apitest.Staff()...).Wants(t, http.StatusOK, &p)
	one["version"] = p.Version
	s.Call(t, "PUT", target+"/places/alagadi", one, apitest.Staff()...).Wants(t, http.StatusOK, &p)
	s.Call(t, "PUT", target+"/places/alagadi", one, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	if p.Version != 2 {
		t.Errorf("version %d", p.Version)
	}
	delete(one, "location")
	s.Call(t, "PUT", target+"/places/alagadi", one, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "location")
	s.Call(t, "POST", target+"/places/import", "id\na\n", append(apitest.Staff(), "Content-Type", "text/csv")...).Refuses(t, http.StatusUnsupportedMediaType, "")
	send := func(body string) answer {
		return s.Call(t, "POST", target+"/places/import", body, append(apitest.Staff(), "Content-Type", "application/x-ndjson")...)
	}
	const line = `{"id":"castle","category":"sight","names":{"en":"Castle"},"location":{"lat":35.34,"lng":33.32}}`
	var wrong struct{ Errors []listing.RowError }
	send(line+"\n\n"+line+"\n{}\n").Wants(t, http.StatusBadRequest, &wrong)
	if len(wrong.Errors) != 2 || wrong.Errors[0].Row != 3 || wrong.Errors[1].Row != 4 {
		t.Errorf("answered %+v", wrong)
	}
	for where, field := range map[string]string{``: "location", `,"location":null`: "location", `,"location":{"lng":33.3}`: "location.lat", `,"location":{"lat":35.3,"lon":33.3}`: "location.lng"} {
		row := `{"id":"castle","category":"sight","names":{"en":"Castle"}` + where + `}`
		if send(row).Wants(t, http.StatusBadRequest, &wrong); len(wrong.Errors) != 1 || wrong.Errors[0].Field != field {
			t.Errorf("%s: answered %+v", row, wrong)
		}
	}
	send(line).Wants(t, http.StatusOK, nil)
	var all struct{ Places []place.Place }
	s.Call(t, "GET", target+"/places", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if len(all.Places) != 2 {
		t.Errorf("places %+v", all)
	}
	s.Call(t, "DELETE", target+"/places/castle", nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "DELETE", target+"/places/castle", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}

func TestOrders(t *testing.T) {
	t.Parallel()
	s := start(t)
	business, owner := dynamotest.ID("biz"), "session:"+dynamotest.ID("s")
	orders := s.Base.Orders()
	o, err := orders.Propose(t.Context(), order.Order{
		Kind: order.Food, Owner: owner, Market: "demo", Language: "en", Business: business, Listing: "meze", ListingName: "Meze", TimeZone: "UTC", Currency: "EUR",
		TotalMinor: 100, ExpiresAt: apitest.Now().Add(time.Hour), Lines: []order.Line{{Item: "soup", Name: "Soup", Quantity: 1, TotalMinor: 100}},
	}, "key")
	if err == nil {
		o, err = orders.Apply(t.Context(), o, order.PlacedEvent, order.By{Actor: actor.OfKey(owner), Receipt: &order.Receipt{Answer: "yes"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	var one struct {
		Order  order.Order
		Events []struct{ Type string }
	}
	s.Reads(t, "orders/"+url.PathEscape(business)+"/"+o.Code, &one)
	if one.Order.ID != o.ID || len(one.Events) != 2 || one.Events[1].Type != string(order.PlacedEvent) {
		t.Errorf("order %+v", one)
	}
	pausetest.Until(t, "the order in the business's list", func() bool {
		var all struct{ Orders []order.Order }
		s.Reads(t, "orders?businessId="+url.QueryEscape(business), &all)
		return len(all.Orders) == 1
	})
	s.Call(t, "GET", "/admin/api/orders", nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "businessId")
	s.Call(t, "GET", "/admin/api/orders/"+business+"/NONE", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}

func TestHandover(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	s.Writes(t, from, "hello")
	s.Hears(t, from, 1)
	var found struct {
		Threads []struct{ ThreadID, Handler, Owner string }
	}
	s.Reads(t, "threads?marketId=demo&owner="+url.QueryEscape(from), &found)
	if len(found.Threads) != 1 || found.Threads[0].ThreadID != apitest.ThreadOf(from) || found.Threads[0].Handler != "assistant" {
		t.Fatalf("found %+v", found)
	}
	target := "/admin/api/threads/" + apitest.ThreadOf(from)
	reply := map[string]string{"text": "Good morning, this is Sam.", "clientMessageId": "1"}
	s.Call(t, "POST", target+"/messages", reply, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	var taken struct{ Handler string }
	s.Call(t, "POST", target+"/take", nil, apitest.Staff()...).Wants(t, http.StatusOK, &taken)
	if taken.Handler != "person" {
		t.Errorf("taken: %+v", taken)
	}
	s.Reads(t, "threads?marketId=demo&state=person&limit=100", &found)
	if !slices.ContainsFunc(found.Threads, func(f struct{ ThreadID, Handler, Owner string }) bool { return f.ThreadID == apitest.ThreadOf(from) }) {
		t.Errorf("with a person: %+v", found)
	}
	s.Hears(t, from, 2) // that somebody has it now
	for range 2 {
		s.Call(t, "POST", target+"/messages", reply, apitest.Staff()...).Wants(t, http.StatusAccepted, nil)
	}
	heard := s.Hears(t, from, 3)
	if body := heard[2].Body; body != reply["text"] {
		t.Errorf("heard %q", body)
	}
	var waiting struct {
		Threads []struct{ ThreadID, TakenBy string }
	}
	s.Reads(t, "markets/demo/waiting", &waiting)
	if len(waiting.Threads) == 0 {
		t.Error("nobody has the thread")
	}
	s.Call(t, "POST", target+"/return", nil, apitest.Staff()...).Wants(t, http.StatusOK, &taken)
	if taken.Handler != "assistant" {
		t.Errorf("returned: %+v", taken)
	}
	for field, body := range map[string]map[string]string{
		"text": {"text": " \n", "clientMessageId": "2"}, "clientMessageId": {"text": "Good morning"},
	} {
		s.Call(t, "POST", target+"/messages", body, apitest.Staff()...).Refuses(t, http.StatusBadRequest, field)
	}
	s.Call(t, "POST", "/admin/api/alerts/check", nil, apitest.Staff()...).Wants(t, http.StatusOK, nil)
}

// Threads are found by where they stand, by channel and by person, in the market alone.
func TestFindThreads(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.newMarket(t)
	other, _ := s.newMarket(t)
	threads, ctx := s.Base.Threads(), t.Context()
	writes := func(market string, ch channel.Channel, from actor.Actor) thread.Appended {
		t.Helper()
		a, err := threads.Append(ctx, channel.Inbound{Market: market, Channel: ch, ThreadType: channel.General, MessageID: dynamotest.ID("m"), Text: "hello", From: from}, true)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	answered := func(a thread.Appended, pending *thread.Pending) string {
		t.Helper()
		th, err := threads.Open(ctx, a.Lease)
		if err == nil {
			err = threads.Commit(ctx, a.Lease, th, thread.Outcome{Turn: thread.Turn{N: th.Number(), In: th.Inbox, At: apitest.Now()}, Pending: pending})
		}
		if err != nil {
			t.Fatal(err)
		}
		return a.Thread
	}
	number, user := apitest.Phone(), "u-"+dynamotest.ID("u")
	onPhone, inApp := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + number}, actor.Actor{Kind: actor.User, ID: user}
	byName := actor.Actor{Kind: actor.Person, ID: "whatsapp:US.13491208655302741918"}
	named := answered(writes(id, channel.WhatsApp, byName), nil)
	idle := answered(writes(id, channel.WhatsApp, onPhone), nil)
	waits := answered(writes(id, channel.App, inApp), &thread.Pending{ID: "p", Kind: "x", Hash: "h", Summary: "s", CreatedAt: apitest.Now(), ExpiresAt: apitest.Now().Add(time.Hour)})
	runs := writes(id, channel.Messenger, actor.Actor{Kind: actor.Person, ID: "messenger:" + dynamotest.ID("p")}).Thread
	answered(writes(other, channel.WhatsApp, onPhone), nil)

	var got struct {
		Threads []struct{ ThreadID string }
		Next    string
	}
	finds := func(query string) []string {
		t.Helper()
		got.Next = ""
		s.Reads(t, "threads?marketId="+id+query, &got)
		ids := []string{}
		for _, f := range got.Threads {
			ids = append(ids, f.ThreadID)
		}
		return ids
	}
	for query, want := range map[string][]string{
		"":                                      {runs, waits, idle, named},
		"&state=idle":                           {idle, named},
		"&state=awaiting_confirmation":          {waits},
		"&state=executing":                      {runs},
		"&state=person":                         {},
		"&channel=whatsapp":                     {idle, named},
		"&channel=messenger&state=executing":    {runs},
		"&channel=messenger&state=idle":         {},
		"&owner=" + url.QueryEscape(number):     {idle},
		"&owner=00" + number[1:]:                {idle},
		"&owner=US.13491208655302741918":        {named},
		"&owner=" + user:                        {waits},
		"&owner=user:" + user:                   {waits},
		"&owner=" + user + "&state=idle":        {},
		"&owner=" + user + "&channel=app":       {waits},
		"&owner=" + url.QueryEscape("nobody~x"): {},
	} {
		if diff := cmp.Diff(want, finds(query)); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
	first := finds("&limit=2")
	if diff := cmp.Diff([]string{runs, waits, idle, named}, append(first, finds("&limit=2&after="+got.Next)...)); diff != "" {
		t.Error(diff)
	}

	// Those that a person has come in one page, however long.
	for _, th := range []string{waits, idle} {
		s.Call(t, "POST", "/admin/api/threads/"+th+"/take", nil, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	}
	if found := finds("&state=person&limit=1"); len(found) != 2 || got.Next != "" {
		t.Errorf("%v, next %q", found, got.Next)
	}

	// The threads of one person who has linked them are found by either.
	code, _, err := threads.LinkCode(ctx, waits)
	if err == nil {
		err = threads.Link(ctx, idle, code)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{waits, idle}, finds("&owner="+user)); diff != "" {
		t.Error(diff)
	}
	for query, field := range map[string]string{
		"marketId=": "marketId", "marketId=" + id + "&state=busy": "state", "marketId=" + id + "&channel=fax": "channel", "marketId=" + id + "&owner=x&after=y": "after",
		"marketId=" + id + "&state=person&after=y": "after", "marketId=" + id + "&after=y": "after", "marketId=" + id + "&owner=" + strings.Repeat("x", 201): "owner",
	} {
		s.Call(t, "GET", "/admin/api/threads?"+query, nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, field)
	}
}

// Whoever has had a number, or is known by another of the channel's ids, is found by it.
func TestFindThreadsByWhatAPersonIsKnownBy(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.newMarket(t)
	book, number := &person.Book{Table: dynamotest.Open(t).Table(s.Base.Config.TableConversations)}, apitest.Phone()
	writes := func(userID, number string) string {
		t.Helper()
		from, err := book.Identify(t.Context(), person.Sender{Channel: channel.WhatsApp, UserID: userID, Phone: number})
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Base.Threads().Append(t.Context(), channel.Inbound{
			Market: id, Channel: channel.WhatsApp, ThreadType: channel.General, MessageID: dynamotest.ID("m"), Text: "hello", From: from,
		}, false)
		if err != nil {
			t.Fatal(err)
		}
		return a.Thread
	}
	first, second := dynamotest.ID("US.1"), dynamotest.ID("US.2")
	before := writes(first, "")
	if again := writes(first, number); again != before {
		t.Fatalf("two threads: %s, %s", before, again)
	}
	now := writes(second, number)
	late := writes("", number) // as one of whom no id came
	for query, want := range map[string][]string{number: {late, before, now}, first: {before}, second: {now}} {
		var got struct{ Threads []struct{ ThreadID string } }
		s.Reads(t, "threads?marketId="+id+"&owner="+url.QueryEscape(query), &got)
		ids := []string{}
		for _, f := range got.Threads {
			ids = append(ids, f.ThreadID)
		}
		if slices.Sort(ids); !slices.Equal(ids, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: %v, want %v", query, ids, want)
		}
	}
}

type rideAnswer struct {
	RideID, Code, ThreadID, Status, District, CancelledBy string
	Pickup                                                struct{ Address string }
	Offers                                                int
}

// ride has a new customer order a taxi in a market, and returns it with its thread.
func (s *service) ride(t *testing.T, market string) (r taxi.Ride, threadID string) {
	t.Helper()
	from, r, threadID := s.proposedRide(t, market)
	rides := s.Base.Rides()
	_, ws, err := rides.Request(t.Context(), from, market, r.ID, r.Hash, taxi.Receipt{PendingID: "p", Answer: "yes", At: apitest.Now()})
	if err == nil {
		err = rides.Table.DB().Commit(t.Context(), ws...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, threadID
}

// proposedRide is one that its customer has not said YES to.
func (s *service) proposedRide(t *testing.T, market string) (from actor.Actor, r taxi.Ride, threadID string) {
	t.Helper()
	from = actor.Actor{Kind: actor.Person, ID: "whatsapp:" + apitest.Phone(), Name: "Deniz"}
	a, err := s.Base.Threads().Append(t.Context(), channel.Inbound{
		Market: market, Channel: channel.WhatsApp, ThreadType: channel.General, MessageID: dynamotest.ID("m"), Text: "a taxi", From: from,
	}, false)
	if err == nil {
		r, err = s.Base.Rides().Propose(t.Context(), from, "key", taxi.Order{
			Market: market, Thread: a.Thread, Pickup: taxi.Place{Address: "Harbour Road 5"}, District: "Kyrenia", Passengers: 1, TimeZone: "UTC", Language: "en", Hold: time.Hour,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return from, r, a.Thread
}

// The day of a list of rides ends at the next local midnight, also when it has 25 or 23 hours.
func TestRidesOfADayOfAChangeOfClocks(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := market.Default(dynamotest.ID("m"))
	m.TimeZone = "Asia/Nicosia"
	if _, err := s.Base.Markets().Save(t.Context(), *m, "staff:seed"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ordered time.Time
		day     string
	}{
		{time.Date(2027, 3, 28, 20, 30, 0, 0, time.UTC), "2027-03-28"},
		{time.Date(2027, 3, 28, 21, 30, 0, 0, time.UTC), "2027-03-29"},
		{time.Date(2027, 10, 31, 21, 30, 0, 0, time.UTC), "2027-10-31"},
		{time.Date(2027, 10, 31, 22, 30, 0, 0, time.UTC), "2027-11-01"},
	} {
		then, b := *s.Service, *s.Base
		b.Now = func() time.Time { return tt.ordered }
		then.Base = app.NewBase(b)
		r, _ := (&service{&then}).ride(t, m.ID)
		var all struct{ Rides []rideAnswer }
		pausetest.Until(t, "the ride in the list", func() bool {
			s.Call(t, "GET", "/admin/api/markets/"+m.ID+"/rides", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
			return len(all.Rides) > 0 && all.Rides[0].RideID == r.ID
		})
		for _, day := range []string{"2027-03-28", "2027-03-29", "2027-10-31", "2027-11-01"} {
			s.Call(t, "GET", "/admin/api/markets/"+m.ID+"/rides?day="+day, nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
			if of := slices.ContainsFunc(all.Rides, func(a rideAnswer) bool { return a.RideID == r.ID }); of != (day == tt.day) {
				t.Errorf("ordered at %s: among those of %s is %v", tt.ordered, day, of)
			}
		}
	}
}

func TestRides(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.newMarket(t)
	_, other := s.newMarket(t)
	target += "/rides"
	r, threadID := s.ride(t, id)
	var all struct {
		Rides []rideAnswer
		Next  string
	}
	reads := func(query string) []rideAnswer {
		t.Helper()
		s.Call(t, "GET", target+query, nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
		return all.Rides
	}
	today := apitest.Now().UTC().Format(time.DateOnly)
	for _, query := range []string{"", "?status=open", "?limit=1", "?day=" + today} {
		pausetest.Until(t, "the ride in the list "+query, func() bool {
			found := reads(query)
			return len(found) == 1 && found[0].RideID == r.ID && found[0].ThreadID == threadID && found[0].Pickup.Address == "Harbour Road 5" && found[0].Offers == 1
		})
	}
	for _, query := range []string{"?status=unserved", "?day=2020-01-01"} {
		if found := reads(query); len(found) != 0 {
			t.Errorf("%s: %+v", query, found)
		}
	}
	for query, field := range map[string]string{
		"?status=done": "status", "?status=open&day=" + today: "status", "?status=open&after=x": "status", "?day=x": "day", "?day=2026-02-30": "day", "?day=9999-12-31": "day", "?after=x": "after", "?day=" + today + "&day=" + today: "day",
	} {
		s.Call(t, "GET", target+query, nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, field)
	}

	at := "/rides/" + threadID + "/" + r.ID
	var one struct {
		Ride   rideAnswer
		Events []struct {
			Type, By string
			Drivers  int
		}
	}
	s.Call(t, "GET", strings.TrimSuffix(target, "/rides")+at, nil, apitest.Staff()...).Wants(t, http.StatusOK, &one)
	if one.Ride.Code != r.Code || one.Ride.Status != "requested" || len(one.Events) != 3 || one.Events[1].Type != "requested" || one.Events[1].By != r.Owner {
		t.Errorf("ride %+v", one)
	}
	_, strange := s.ride(t, id)
	_, proposed, unasked := s.proposedRide(t, id)
	s.Call(t, "GET", target+"/"+unasked+"/"+proposed.ID, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	for _, path := range []string{other + at, target + "/" + strange + "/" + r.ID, target + "/th_00000000000000000000000000000000/" + r.ID, target + "/" + threadID + "/rd_aaaaaaaaaaaaaaaa"} {
		s.Call(t, "GET", path, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
		s.Call(t, "POST", path+"/cancel", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	}
	for range 2 {
		var after rideAnswer
		s.Call(t, "POST", strings.TrimSuffix(target, "/rides")+at+"/cancel", nil, apitest.Staff()...).Wants(t, http.StatusOK, &after)
		if after.Status != "cancelled" || after.CancelledBy != "staff:local" {
			t.Errorf("cancelled %+v", after)
		}
	}
}
