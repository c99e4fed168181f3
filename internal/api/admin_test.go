package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/api/apitest"
	"merve/internal/channel"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/ledger"
	"merve/internal/listing"
	"merve/internal/market"
	"merve/internal/outbox"
	"merve/internal/pause/pausetest"
)

// adminRoutes are the operations of the document that are for staff.
func adminRoutes(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, o := range apitest.OpenAPI(t).Operations() {
		if strings.Contains(o, " /admin/") {
			all = append(all, o)
		}
	}
	return all
}

// filled puts a value into every parameter of a path.
func filled(path, value string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			segments[i] = value
		}
	}
	return strings.Join(segments, "/")
}

// Every route of the admin API is for staff, whatever else is wrong with a request.
func TestAdminIsForStaff(t *testing.T) {
	t.Parallel()
	s := start(t)
	customer, colleague := s.Issuer.Token(t, "ann", "customers"), s.Issuer.Token(t, "bea", "staff")
	staff := s.Issuer.Token(t, "sam", "admin")
	for _, o := range adminRoutes(t) {
		method, path, _ := strings.Cut(o, " ")
		for _, value := range []string{"demo", "no-such", "x%20y"} {
			target := filled(path, value)
			s.Call(t, method, target, nil).Refuses(t, http.StatusUnauthorized, "")
			s.Call(t, method, target, nil, "x-session-id", apitest.SessionID()).Refuses(t, http.StatusUnauthorized, "")
			s.Call(t, method, target, nil, "Authorization", "Bearer "+apitest.AdminToken+"x").Refuses(t, http.StatusUnauthorized, "")
			s.Call(t, method, target, nil, customer...).Refuses(t, http.StatusForbidden, "")
			s.Call(t, method, target, nil, colleague...).Refuses(t, http.StatusForbidden, "")
		}
		if a := s.Call(t, method, filled(path, "no-such"), nil, staff...); a.Status == 401 || a.Status == 403 {
			t.Errorf("%s: staff are answered with %d", o, a.Status)
		}
	}
}

// Whatever stands in addresses and queries is answered as the document says, and never
// by a failure.
func TestAdminTakesAnyAddress(t *testing.T) {
	t.Parallel()
	s := start(t)
	values := []string{"no-such", "a%20b", "%00", "%FF%FE", "%E2%80%AE", "%2E%2E", "%2E", "a%2Fb", "a%23b", "%27%22%3C", strings.Repeat("a", 1200), strings.Repeat("%C3%A7", 700)}
	queries := []string{"", "limit=1", "limit=0", "limit=1e9", "limit=a", "after=a", "after=e30", "after=%00", "threadId=%00%FF", "threadId=x", "businessId=x", "businessId=%FF", "%zz", ";", "a=" + strings.Repeat("b", 2000)}
	for _, o := range adminRoutes(t) {
		t.Run(o, func(t *testing.T) {
			t.Parallel()
			method, path, _ := strings.Cut(o, " ")
			for _, v := range values {
				s.Call(t, method, filled(path, v), nil, apitest.Staff()...)
				if !strings.Contains(path, "{") {
					break
				}
			}
			for _, q := range queries {
				s.Call(t, method, filled(path, "no-such")+"?"+q, nil, apitest.Staff()...)
			}
		})
	}
}

// What a path does not take is answered with what it takes, by whichever function is asked.
func TestOtherMethods(t *testing.T) {
	t.Parallel()
	s := start(t)
	allowed := map[string][]string{}
	for _, o := range apitest.OpenAPI(t).Operations() {
		method, path, _ := strings.Cut(o, " ")
		allowed[path] = append(allowed[path], method)
	}
	for path, methods := range allowed {
		a := s.Call(t, "PATCH", filled(path, "no-such"), nil, apitest.Staff()...)
		a.Refuses(t, http.StatusMethodNotAllowed, "")
		slices.Sort(methods)
		if got, want := a.Header.Get("Allow"), strings.Join(methods, ", "); got != want {
			t.Errorf("%s: Allow: %q, want %q", path, got, want)
		}
	}
	s.Call(t, "GET", "/admin/api/nowhere", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}

func TestMarkets(t *testing.T) {
	t.Parallel()
	s, id := start(t), dynamotest.ID("m")
	target := "/admin/api/markets/" + id
	s.Call(t, "GET", target, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	var first, second market.Market
	s.Call(t, "PUT", target, map[string]any{"name": "New", "tools": map[string]any{"cancelBooking": map[string]any{"enabled": false}}}, apitest.Staff()...).Wants(t, http.StatusOK, &first)
	if first.ID != id || first.Version != 1 || first.Currency != "EUR" || first.Safety.MaxRounds == 0 || first.UpdatedBy == "" {
		t.Errorf("saved: %+v", first)
	}
	s.Call(t, "PUT", target, map[string]any{"name": "Again"}, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	s.Call(t, "PUT", target, map[string]any{"name": "Renamed", "version": 1}, apitest.Staff()...).Wants(t, http.StatusOK, &second)
	var read market.Market
	s.Call(t, "GET", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &read)
	if read.Name != "Renamed" || read.Version != 2 {
		t.Errorf("read: %+v", read)
	}
	var versions struct{ Versions []market.Market }
	s.Call(t, "GET", target+"/versions", nil, apitest.Staff()...).Wants(t, http.StatusOK, &versions)
	if len(versions.Versions) != 2 || versions.Versions[0].Version != 2 || versions.Versions[1].Name != "New" {
		t.Errorf("versions: %+v", versions)
	}
	var all struct{ Markets []string }
	s.Call(t, "GET", "/admin/api/markets", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if !strings.Contains(strings.Join(all.Markets, " "), id) {
		t.Errorf("markets: %v", all.Markets)
	}
}

func TestWrongMarkets(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, tt := range map[string]struct {
		id     string
		body   string
		status int
		field  string
	}{
		"null":             {"m-null", "null", 400, ""},
		"nothing":          {"m-nothing", "", 400, ""},
		"an array":         {"m-array", "[]", 400, ""},
		"another id":       {"m-other", `{"id":"demo"}`, 400, "id"},
		"id in capitals":   {"M", `{}`, 400, "id"},
		"unknown to ask":   {"m-asks", `{"safety":{"requireConfirmFor":["getMenu","launch"]}}`, 400, "safety.requireConfirmFor"},
		"unknown tool":     {"m-tool", `{"tools":{"launch":{}}}`, 400, "tools.launch"},
		"no language":      {"m-lang", `{"languages":[]}`, 400, "languages"},
		"wrong gate":       {"m-gate", `{"gate":"open"}`, 400, "gate"},
		"wrong bound":      {"m-bound", `{"safety":{"maxRounds":0}}`, 400, "safety.maxRounds"},
		"huge number":      {"m-huge", `{"safety":{"maxRounds":1e99}}`, 400, "safety.maxRounds"},
		"version below 0":  {"m-version", `{"version":-1}`, 409, ""},
		"greatest version": {"m-version", `{"version":9223372036854775807}`, 409, ""},
		"wrong zone":       {"m-zone", `{"timeZone":"Mars/Olympus"}`, 400, "timeZone"},
		"wrong event":      {"m-event", `{"templates":{"birthday":"x"}}`, 400, "templates.birthday"},
		"wrong time":       {"m-time", `{"updatedAt":"yesterday"}`, 400, ""},
		"too large":        {"m-large", `{"name":"` + strings.Repeat("a", 65<<10) + `"}`, 413, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "PUT", "/admin/api/markets/"+tt.id, tt.body, apitest.Staff()...).Refuses(t, tt.status, tt.field)
		})
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
	copied.Version, copied.Business, copied.Location = 0, "biz-copy", &channel.Location{Lat: 5e-324, Lng: 1}
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

func TestTransactions(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, offer := s.Offered(t, "hotel in Kyrenia", "1", "from 1 to 3 December for 2")
	s.Say(t, id, "yes")
	var h struct{ PendingAction any }
	s.Reads(t, "threads/"+offer.ThreadID, &h)
	if h.PendingAction != nil {
		t.Errorf("after YES: %v", h.PendingAction)
	}
	var audit struct {
		Rounds []struct{ Calls []struct{ Tool, Args string } }
	}
	s.Reads(t, "audit?threadId="+offer.ThreadID, &audit)
	if b, _ := json.Marshal(audit); !strings.Contains(string(b), "initiateBooking") {
		t.Errorf("audit: %s", b)
	}
	s.Call(t, "GET", "/admin/api/audit", nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "threadId")
	s.Call(t, "GET", "/admin/api/transactions", nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "businessId")
	s.Call(t, "GET", "/admin/api/transactions/no-such", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	var all struct{ Listings []*listing.Listing }
	s.Reads(t, "markets/demo/listings", &all)
	found := 0
	for _, l := range all.Listings {
		var txs struct{ Transactions []ledger.Transaction }
		s.Reads(t, "transactions?businessId="+url.QueryEscape(l.Business), &txs)
		for _, tx := range txs.Transactions {
			if tx.Thread == offer.ThreadID && tx.State == ledger.Confirmed {
				found++
				s.Reads(t, "transactions/"+tx.ID, nil)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d confirmed transactions of the thread", found)
	}
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	s, subject := start(t), dynamotest.ID("tx")
	if err := s.Base.Ledger().RaiseAlert(t.Context(), ledger.Alert{Check: "test", Severity: ledger.Error, Subject: subject, Message: "to be looked at"}); err != nil {
		t.Fatal(err)
	}
	mine := func() *ledger.Alert {
		for after := ""; ; {
			var l struct {
				Alerts []ledger.Alert
				Next   string
			}
			s.Reads(t, "alerts?limit=2&after="+url.QueryEscape(after), &l)
			for _, a := range l.Alerts {
				if a.Subject == subject {
					return &a
				}
			}
			if after = l.Next; after == "" {
				t.Fatal("the alert is not listed")
			}
		}
	}
	target := "/admin/api/alerts/" + url.PathEscape(mine().ID) + "/acknowledge"
	s.Call(t, "POST", target, nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	if by := mine().Acknowledged; by != "staff:local" {
		t.Errorf("acknowledged by %q", by)
	}
	s.Call(t, "POST", target, nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "POST", "/admin/api/alerts/no-such/acknowledge", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}

func TestSendAgain(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	s.Writes(t, from, "hello")
	first := s.Hears(t, from, 1)[0]
	var m outbox.Message
	pausetest.Until(t, "the provider's id on the outbox", func() bool {
		var l struct{ Messages []outbox.Message }
		s.Reads(t, "outbox?threadId="+apitest.ThreadOf(from), &l)
		m = l.Messages[0]
		return m.ProviderID == first.SID
	})
	target := "/admin/api/outbox/" + m.Thread + "/" + url.PathEscape(m.ID) + "/send"
	s.Call(t, "POST", target, nil, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	if err := s.Twilio.DeliverError(t.Context(), first.SID, "undelivered", 63024); err != nil {
		t.Fatal(err)
	}
	s.Reads(t, "outbox", nil)
	s.Call(t, "POST", target, nil, apitest.Staff()...).Wants(t, http.StatusAccepted, nil)
	s.Call(t, "POST", "/admin/api/outbox/no-such/no-such/send", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}
