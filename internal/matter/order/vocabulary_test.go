package order

import (
	"fmt"
	"strings"
	"testing"

	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// What a business writes is an answer only as a whole.
func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ACCEPT K7P2":             "accept K7P2",
		"accept k7p2 30":          "accept K7P2 30",
		"yes K7P2 in 30 minutes":  "accept K7P2 30",
		"K7P2 ok 25min":           "accept K7P2 25",
		"Kabul K7P2 45 dk":        "accept K7P2 45",
		"tamam":                   "accept",
		"ok 20":                   "accept 20",
		"accept ABCD 19:30":       "accept ABCD 19:30",
		"קבל K7P2":                "",
		"מאשר K7P2 בעוד 30 דקות":  "accept K7P2 30",
		"قبول K7P2 خلال ٣٠ دقيقة": "accept K7P2 30",
		"принято K7P2 через 40 мин": "accept K7P2 40",
		"REFUSE K7P2":            "refuse K7P2",
		"no K7P2 out of lamb":    "refuse K7P2 out of lamb",
		"hayır":                  "refuse",
		"DONE K7P2":              "done K7P2",
		"ready":                  "done",
		"cancel K7P2 oven broke": "cancel K7P2 oven broke",

		"ok, who comes today?":            "",
		"ok what bookings do I have":      "",
		"accept only cash today please":   "",
		"no lamb today":                   "",
		"no beef today":                   "",
		"no K7P2 is it raining?":          "",
		"we are done with lunch":          "",
		"done K7P2 with the starters":     "",
		"K7P2":                            "",
		"yes or no K7P2":                  "",
		"accept K7P2 30 40":               "",
		"accept K7P2 99999":               "",
		"accept K7P2 99999min":            "",
		"yes K7P2 but without the onions": "",
		"":                                "",
		strings.Repeat("yes ", 100):       "",
	} {
		if got := show(read(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func show(s said, ok bool) string {
	if !ok {
		return ""
	}
	parts := []string{string(s.verb), s.code}
	if s.minutes > 0 {
		parts = append(parts, fmt.Sprint(s.minutes))
	}
	if !s.clock.IsZero() {
		parts = append(parts, s.clock.Format("15:04"))
	}
	return strings.Join(strings.Fields(strings.Join(append(parts, s.reason), " ")), " ")
}

// The words that a business is told to use are understood, in every language.
func TestOwnWords(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		for key, verb := range ownWords {
			word := wording.Say(lang, key, nil)
			if s, ok := read(word + " K7P2"); !ok || s.verb != verb || s.code != "K7P2" {
				t.Errorf("%s: %q is read as %+v, %v", lang, word, s, ok)
			}
		}
	}
}

// A business can answer with the code that it is told, whatever the code is.
func TestEveryCodeIsRead(t *testing.T) {
	t.Parallel()
	for i := range 5000 {
		code := newCode(fmt.Sprint("or_", i), i%maxCodes)
		if s, ok := read("ACCEPT " + code + " 30"); !ok || s.verb != sayAccept || s.code != code || s.minutes != 30 {
			t.Fatalf("%s: %+v %v", code, s, ok)
		}
	}
}
