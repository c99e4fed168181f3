package wording_test

import (
	"maps"
	"strings"
	"testing"

	"merve/internal/words/wording"
)

// FuzzWord checks that the nearest template that there is words a message, that a value
// is never taken for a template, and that text comes out even where one is broken.
func FuzzWord(f *testing.F) {
	f.Add("L {code}", "M {code}", "KX72B4")
	f.Fuzz(func(t *testing.T, own, markets, code string) {
		vars := wording.Vars{"code": code, "secret": "never shown"}
		got, err := wording.Word("en", wording.MerchantBookingConfirmed, vars, own, markets)
		nearest := own
		if nearest == "" {
			nearest = markets
		}
		if nearest == "" {
			if err != nil || got != wording.Say("en", wording.MerchantBookingConfirmed, vars) {
				t.Errorf("without a template: %q, %v", got, err)
			}
			return
		}
		if want, wantErr := wording.Render(nearest, vars); got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("%q, %v; the nearest gives %q, %v", got, err, want, wantErr)
		}
		if strings.Contains(got, "never shown") && !strings.Contains(nearest, "secret") && !strings.Contains(nearest+code, "never shown") {
			t.Errorf("%q with %q expanded a value: %q", nearest, code, got)
		}
	})
}

// What a template leaves out of what a business has to know is said after it.
func TestWhole(t *testing.T) {
	t.Parallel()
	vars := wording.Vars{
		"code": "K7P2", "listing": "Grill", "offering": "Table", "when": "Sat 19:00", "party": "4", "price": "€40.00",
		"customer": "“Ann”", "note": "“nut allergy”",
	}
	without := maps.Clone(vars)
	delete(without, "note")
	for _, c := range []struct {
		name, lang, template string
		vars                 wording.Vars
		want                 string
	}{
		{"no template", "en", "", vars, wording.Say("en", wording.MerchantBookingConfirmed, vars)},
		{"all", "en", "{code} {listing} {offering} {when} {party} {price} {customer} {note}", vars, "K7P2 Grill Table Sat 19:00 4 €40.00 “Ann” “nut allergy”"},
		{"no note", "en", "{code} {listing} {offering} {when} {party} {price} {customer}", vars, "K7P2 Grill Table Sat 19:00 4 €40.00 “Ann”\nNote: “nut allergy”"},
		{"no note, and none is there", "en", "{code} {listing} {offering} {when} {party} {price} {customer}", without, "K7P2 Grill Table Sat 19:00 4 €40.00 “Ann”"},
		{"nothing", "en", "New!", vars, "New!\n" + wording.Say("en", wording.MerchantBookingConfirmed, vars)},
		{"a part of a line", "de", "{code} {listing} {offering} {when} {price} {customer} {note}", vars, "K7P2 Grill Table Sat 19:00 €40.00 “Ann” “nut allergy”\nPersonen: 4"},
		{"another spelling", "en", "{code} {listing} {offering} {when} {party} {price} {customer} {note} {no_such}", vars, "K7P2 Grill Table Sat 19:00 4 €40.00 “Ann” “nut allergy” "},
	} {
		if got, err := wording.Whole(c.lang, wording.MerchantBookingConfirmed, c.vars, "", c.template); err != nil || got != c.want {
			t.Errorf("%s: got %q, want %q: %v", c.name, got, c.want, err)
		}
	}
	if got, err := wording.Whole("en", wording.MerchantBookingConfirmed, vars, "{code"); err == nil || !strings.Contains(got, "nut allergy") {
		t.Errorf("a brace out of place: %q, %v", got, err)
	}
}
