package outbox

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// Whose template words a letter, and what is said although a template leaves it out.
func TestWhoWordsALetter(t *testing.T) {
	t.Parallel()
	m := market.Default("demo")
	m.Templates = map[string]string{"taxi_taken": "market {code}", "broken": "half {code"}
	m.Tools = map[string]market.ToolPolicy{"requestTaxi": {Template: "tool {code}"}}
	m.WhatsApp.Templates = map[string]market.Approved{"taxi_taken": {ContentSID: "HX1", Params: []string{"code"}}}
	desk := wording.Vars{"customer": "Deniz", "reason": "a bill", "link": "https://merve.test"}
	for name, tt := range map[string]struct {
		l        Letter
		text     string // how it begins
		holds    string // what is said too
		approved string // the first parameter
		warned   bool
	}{
		"the recipient's":       {l: Letter{Own: "own {code}", Event: "taxi_taken", Tool: "requestTaxi"}, text: "own K7QF", approved: "K7QF"},
		"the market's":          {l: Letter{Event: "taxi_taken", Tool: "requestTaxi"}, text: "market K7QF", approved: "K7QF"},
		"the tool's":            {l: Letter{Tool: "requestTaxi"}, text: "tool K7QF"},
		"the product's":         {l: Letter{}, text: wording.Say("en", wording.TaxiTaken, wording.Vars{"code": "K7QF"})},
		"approved as another":   {l: Letter{Event: "taxi_pickup", Like: "taxi_taken"}, text: wording.Say("en", wording.TaxiTaken, wording.Vars{"code": "K7QF"}), approved: "K7QF"},
		"below any template":    {l: Letter{Event: "taxi_taken", Below: "Answer it"}, text: "market K7QF", holds: "\nAnswer it", approved: "K7QF"},
		"what was left out":     {l: Letter{Own: "for {customer}", Key: wording.DeskWanted, Vars: desk}, text: "for Deniz", holds: "a bill"},
		"brief":                 {l: Letter{Own: "for {customer}", Key: wording.DeskWanted, Vars: desk, Brief: true}, text: "for Deniz"},
		"a template that fails": {l: Letter{Event: "broken"}, text: "half", warned: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &bytes.Buffer{}
			b := &Box{Log: slog.New(slog.NewTextHandler(log, nil))}
			if tt.l.Key == "" {
				tt.l.Key, tt.l.Vars = wording.TaxiTaken, wording.Vars{"code": "K7QF"}
			}
			tt.l.Language, tt.l.To = "en", "+15550100"
			got := b.Letter(t.Context(), m, tt.l)
			if !strings.HasPrefix(got.Text, tt.text) || !strings.Contains(got.Text, tt.holds) || tt.holds == "" && tt.l.Brief && strings.Contains(got.Text, "bill") {
				t.Errorf("got %q", got.Text)
			}
			if (got.Template != nil) != (tt.approved != "") || got.Template != nil && got.Template.Vars["1"] != tt.approved {
				t.Errorf("got %+v", got.Template)
			}
			if tt.warned != (log.Len() > 0) || strings.Contains(log.String(), "15550100") {
				t.Errorf("logged %q", log)
			}
		})
	}
}
