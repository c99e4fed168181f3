package outbox

import (
	"strings"
	"testing"
	"unicode/utf8"

	"merve/internal/market"
)

// FuzzApproved checks that the parameters of an approved template are as WhatsApp takes
// them, whatever a customer wrote, that none of their words is lost, and that none is
// taken for a template itself.
func FuzzApproved(f *testing.F) {
	f.Add("merchant_booking_confirmed", "Deniz")
	f.Fuzz(func(t *testing.T, typ, value string) {
		m := market.Default("demo")
		m.WhatsApp.Templates = map[string]market.Approved{typ: {ContentSID: "HX1", Params: []string{"customer", "nobody", "customer"}}}
		a := Approved(m, typ, map[string]string{"customer": value})
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
		if other := Approved(m, typ+"x", nil); other != nil {
			t.Errorf("a template of another type: %+v", other)
		}
	})
}
