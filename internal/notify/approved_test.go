package notify

import (
	"strings"
	"testing"
	"unicode/utf8"

	"merve/internal/market"
	"merve/internal/wording"
)

// FuzzApproved checks that the parameters of an approved template are as WhatsApp takes
// them, whatever a customer wrote, that none of their words is lost, and that none is
// taken for a template itself.
func FuzzApproved(f *testing.F) {
	f.Add("merchant_booking_confirmed", "Deniz")
	f.Fuzz(func(t *testing.T, typ, value string) {
		m := market.Default("demo")
		m.WhatsApp.Templates = map[string]market.Approved{typ: {ContentSID: "HX1", Params: []string{"customer", "nobody", "customer"}}}
		a := approved(m, typ, wording.Vars{"customer": value})
		if a == nil || len(a.Vars) != 3 || a.Vars["1"] != a.Vars["3"] || a.Vars["2"] != "-" {
			t.Fatalf("%q: %+v", typ, a)
		}
		got := a.Vars["1"]
		switch {
		case got == "" || got != strings.TrimSpace(got) || strings.ContainsAny(got, "\n\r\t") || strings.Contains(got, "     "):
			t.Errorf("%q became %q, which WhatsApp refuses", value, got)
		case got != "-" && strings.Join(strings.Fields(value), "") != strings.Join(strings.Fields(got), ""):
			t.Errorf("%q became %q", value, got)
		case parameter(got) != got:
			t.Errorf("%q becomes another one the second time: %q", got, parameter(got))
		case utf8.ValidString(value) && !utf8.ValidString(got):
			t.Errorf("%q broke the encoding: %q", value, got)
		}
		if other := approved(m, typ+"x", nil); other != nil {
			t.Errorf("a template of another type: %+v", other)
		}
	})
}

// FuzzRender checks that the nearest template that there is words a message, that a value
// is never taken for a template, and that text comes out even where one is broken.
func FuzzRender(f *testing.F) {
	f.Add("L {code}", "M {code}", "KX72B4")
	f.Fuzz(func(t *testing.T, own, markets, code string) {
		vars := wording.Vars{"code": code, "secret": "never shown"}
		got, err := render("en", wording.MerchantBookingConfirmed, vars, own, markets)
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
