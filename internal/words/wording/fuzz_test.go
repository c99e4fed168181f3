package wording

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A template that is valid renders to the same whatever the order and the spelling of its
// names, shows each value as often as it is named and not once more, and leaves no
// direction of writing open.
func FuzzTemplateValues(f *testing.F) {
	for _, template := range []string{"{code}", "{bookingCode} {booking_code}", "{{code}}", "שלום {code}!", "{code}\n{code}", "a {code} · b", "\u202e{code}", "{code}{{{code}}}"} {
		for _, value := range []string{"K7", "{code}", "}}{{", "\u202eabc", "a\nb", "\u2068x", "\u2069", "", "\xff"} {
			f.Add(template, value)
		}
	}
	f.Fuzz(func(t *testing.T, template, value string) {
		if Validate(template, []string{"code", "bookingCode"}) != nil || !utf8.ValidString(template) {
			return
		}
		with := func(v string) string {
			got, err := Render(template, Vars{"code": v, "bookingCode": v})
			if err != nil {
				t.Errorf("Render(%q): %v", template, err)
			}
			return got
		}
		const stand = "\ue000"
		named := strings.Count(with(stand), stand)
		if shown := strings.Count(with("\ue001"+value), "\ue001"); shown != named && !strings.ContainsAny(template+value, "\ue000\ue001") {
			t.Errorf("Render(%q) shows %q %d times, and not %d", template, value, shown, named)
		}
		if camel := strings.ReplaceAll(template, "{booking_code}", "{bookingCode}"); !strings.Contains(template, "{{") && !strings.Contains(template, "}}") {
			if got, err := Render(camel, Vars{"code": value, "bookingCode": value}); err != nil || got != with(value) {
				t.Errorf("Render(%q) = %q, %v, and %q with the other spelling", template, with(value), err, got)
			}
		}
		if strings.ContainsFunc(template, opensIsolate) || strings.ContainsRune(template, popIsolate) {
			return // an administrator may isolate on his own
		}
		opened := func(s string) (n int) {
			for _, r := range s {
				if opensIsolate(r) {
					n++
				}
			}
			return n
		}
		if got := with(value); opened(got) != strings.Count(got, string(popIsolate)) {
			t.Errorf("Render(%q) with %q leaves an isolate open or closes one too many: %q", template, value, got)
		}
	})
}
