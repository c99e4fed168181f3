package admin_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/edge/api/apitest"
	"merve/internal/tenant/market"
)

func TestEffectiveTools(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.NewMarket(t)
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
