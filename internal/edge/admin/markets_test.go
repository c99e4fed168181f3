package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/tenant/market"
)

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
		"tags of none":     {"m-tags", `{"tools":{"requestTaxi":{"allowedTags":["sea"]}}}`, 400, "tools.requestTaxi.allowedTags"},
		"bound of none":    {"m-none", `{"tools":{"requestTaxi":{"bounds":{"maxRadiusMeters":5}}}}`, 400, "tools.requestTaxi.bounds.maxRadiusMeters"},
		"bound below 0":    {"m-below", `{"tools":{"requestTaxi":{"bounds":{"maxPeople":-1}}}}`, 400, "tools.requestTaxi.bounds.maxPeople"},
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
