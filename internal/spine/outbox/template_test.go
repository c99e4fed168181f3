package outbox

import (
	"strings"
	"testing"
	"unicode/utf8"

	"merve/internal/tenant/market"
)

// FuzzApproved checks that the parameters of an approved template are as WhatsApp takes
// them, whatever a customer wrote, that as many of their words are there as fit, and that none is
// taken for a template itself.
func FuzzApproved(f *testing.F) {
	f.Add("merchant_booking_confirmed", "Deniz")
	f.Add("merchant_booking_confirmed", strings.Repeat("ş", 1600))
	f.Add("merchant_booking_confirmed", strings.Repeat("ş", 1601))
	f.Add("merchant_booking_confirmed", strings.Repeat("ş ", 1000))
	f.Fuzz(func(t *testing.T, typ, value string) {
		m := market.Default("demo")
		m.WhatsApp.Templates = map[string]market.Approved{typ: {ContentSID: "HX1", Params: []string{"customer", "nobody", "customer"}}}
		a := Approved(m, typ, map[string]string{"customer": value})
		if a == nil || len(a.Vars) != 3 || a.Vars["1"] != a.Vars["3"] || a.Vars["2"] != "-" {
			t.Fatalf("%.99q: %+v", typ, a)
		}
		got := a.Vars["1"]
		words := func(s string) string { return strings.Join(strings.Fields(s), "") }
		begun, cut := strings.CutSuffix(got, "…")
		switch {
		case got == "" || got != strings.TrimSpace(got) || strings.ContainsAny(got, "\n\r\t") || strings.Contains(got, "     "):
			t.Errorf("%.99q became %.99q, which WhatsApp refuses", value, got)
		case utf8.RuneCountInString(got) > 1600:
			t.Errorf("%d characters, which Twilio refuses", utf8.RuneCountInString(got))
		case got == "-" || words(got) == words(value):
		case utf8.RuneCountInString(value) <= 1600 || !cut || !strings.HasPrefix(words(string([]rune(value))), words(begun)):
			t.Errorf("%.99q became %.99q", value, got)
		}
		switch {
		case parameter(got) != got:
			t.Errorf("%.99q becomes another one the second time: %.99q", got, parameter(got))
		case utf8.ValidString(value) && !utf8.ValidString(got):
			t.Errorf("%.99q broke the encoding: %.99q", value, got)
		}
		if other := Approved(m, typ+"x", nil); other != nil {
			t.Errorf("a template of another type: %+v", other)
		}
	})
}
