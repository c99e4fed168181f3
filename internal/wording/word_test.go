package wording_test

import (
	"strings"
	"testing"

	"merve/internal/wording"
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
