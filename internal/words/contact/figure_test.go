package contact

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"merve/internal/words/wording"
)

var languages = []string{"en", "tr", "el", "ru", "he", "ar", "de", "es", "fr", "sw"}

// freeTimes are times as a tool gives them, in a language.
func freeTimes(lang string, starts ...time.Time) string {
	var all []map[string]string
	for _, at := range starts {
		all = append(all, map[string]string{
			"date": at.Format(time.DateOnly), "time": at.Format("15:04"), "when": wording.When(lang, at, at.Add(90*time.Minute)), "stay": wording.When(lang, at, at.AddDate(0, 0, 3)),
		})
	}
	b, err := json.Marshal(map[string]any{"alternatives": all, "code": "48291377", "totalMinor": 1250500, "listing": "K7P2"})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Free times are read in every language as the backend words them and as a model lists them, whether or not a tool gave
// them; so is what a tool gave in whatever form it is told.
func TestWhatToolsGaveSurvives(t *testing.T) {
	t.Parallel()
	starts := []time.Time{
		time.Date(2026, 11, 29, 18, 30, 0, 0, time.UTC), time.Date(2026, 12, 1, 9, 5, 0, 0, time.UTC), time.Date(2027, 1, 31, 23, 0, 0, 0, time.UTC),
	}
	for _, lang := range languages {
		var lines []string
		for _, form := range []func(time.Time) string{
			func(at time.Time) string { return wording.When(lang, at, at) },
			func(at time.Time) string { return wording.When(lang, at, at.Add(90*time.Minute)) },
			func(at time.Time) string { return wording.When(lang, at, at.AddDate(0, 0, 3)) },
			func(at time.Time) string { return wording.WhenZone(lang, at, at) },
			func(at time.Time) string { return at.Format("02.01. 15:04") },
			func(at time.Time) string { return at.Format("2.1. 15.04") },
			func(at time.Time) string { return at.Format("2/1 15:04") },
			func(at time.Time) string { return at.Format("1/2/2006 15:04") },
			func(at time.Time) string { return at.Format("02.01.2006 15:04-") + at.Add(time.Hour).Format("15:04") },
		} {
			for i, at := range starts {
				lines = append(lines, fmt.Sprintf("%d. %s", i+1, form(at)))
			}
		}
		for _, text := range []string{strings.Join(lines, "\n"), strings.Join(lines, ", ")} {
			if got := new(Known).Clean(text); text != got {
				t.Errorf("%s: Clean(%q) = %q", lang, text, got)
			}
		}
		k := Of("")
		k.Learn(freeTimes(lang, starts...), `{"phone":"0533 111 22 33"}`)
		for _, text := range []string{
			strings.Join(lines, " "), "PIN 4829, 29–30 Nov 2026",
			"29 11 18 30", "11 29 2026 18 30", "1. 29 11 18 30", "29-11 18-30", "2026 11 29 1830", "48291377", "4829 1377", "1.250.500", "1 250 500", "29.11.26 18 30",
		} {
			if got := k.Clean(text); got != text {
				t.Errorf("%s: of a tool's: Clean(%q) = %q", lang, text, got)
			}
		}
		for _, text := range []string{"30 11 18 30", "48291378", "1.250.501", "0533 111 22 33", "05 33 11 12 23 33", "0533, then 111, then 22 33"} {
			if got := k.Clean(text); got == text {
				t.Errorf("%s: of nobody's: Clean(%q) = %q", lang, text, got)
			}
		}
	}
}

// What was given in a link leaves the link whole; the same digits apart from it are a number.
func TestNumbersOfALink(t *testing.T) {
	t.Parallel()
	k := Of("https://merve.test")
	k.Learn(`{"link":"https://maps.example/place/12345678-9"}`, "")
	if got, want := k.Clean("See https://maps.example/place/12345678-9, merve.test/0533111-2233"), "See https://maps.example/place/12345678-9, merve.test/[…]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// honestText draws a text without a telephone number: words, ids, dates, times, prices and lists in any order.
func honestText(t *rapid.T) string {
	at := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(1.6e9, 2.4e9).Draw(t, "time"), 0).UTC()
	})
	word := rapid.SampledFrom([]string{"at", "on", "для", "για", "um", "למחר", "يوم", "席", "2 people", "room 101", "10 %", "K7P2", "€", "and", "№ 5", "4.7", "(2)", "a-b", "№12/3"})
	item := rapid.OneOf(
		word, word,
		rapid.Custom(func(t *rapid.T) string {
			return rapid.StringMatching(`[a-zа-яα-ω]{1,6}[0-9]{1,16}([a-z][0-9]{0,12}){0,2}`).Draw(t, "id")
		}),
		rapid.Custom(func(t *rapid.T) string {
			return rapid.StringMatching(`[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}`).Draw(t, "uuid")
		}),
		rapid.Custom(func(t *rapid.T) string { return rapid.StringMatching(`[A-Z]{3}-[0-9]{4,9}`).Draw(t, "code") }),
		rapid.Custom(func(t *rapid.T) string {
			return rapid.StringMatching(`€[1-9][0-9]{0,8}|[1-9][0-9]{0,6} TL|[1-9][0-9]{0,2}(,[0-9]{3}){1,3}`).Draw(t, "price")
		}),
		rapid.Custom(func(t *rapid.T) string {
			return at.Draw(t, "at").Format(rapid.SampledFrom([]string{
				"2006-01-02", "02.01.2006", "15:04", "15:04:05", "2006-01-02T15:04", "02.01. 15:04", "2/1 15:04", "1/2/2006 15:04", "02.01.2006 15:04", "Mon 2 Jan, 15:04", "2.1. 15.04",
			}).Draw(t, "form"))
		}),
		rapid.Custom(func(t *rapid.T) string {
			lang, start := rapid.SampledFrom(languages).Draw(t, "language"), at.Draw(t, "at")
			return wording.When(lang, start, start.Add(time.Duration(rapid.IntRange(0, 100).Draw(t, "hours"))*time.Hour))
		}),
	)
	line := rapid.Custom(func(t *rapid.T) string {
		number := ""
		if rapid.Bool().Draw(t, "listed") {
			number = fmt.Sprintf("%d%s ", rapid.IntRange(1, 99).Draw(t, "number"), rapid.SampledFrom([]string{".", ")", ":"}).Draw(t, "behind"))
		}
		return number + strings.Join(rapid.SliceOfN(item, 1, 6).Draw(t, "items"), rapid.SampledFrom([]string{", ", " – a ", "; "}).Draw(t, "between"))
	})
	return strings.Join(rapid.SliceOfN(line, 1, 4).Draw(t, "lines"), "\n")
}

// writtenNumber draws a telephone number in a usual spelling.
func writtenNumber(t *rapid.T) string {
	digits := rapid.SampledFrom([]string{"0", "+90", "0090", "+44", "8", ""}).Draw(t, "prefix") + rapid.StringMatching(`[2-9][0-9]{2}[2-9][0-9]{6}`).Draw(t, "digits")
	sign := strings.HasPrefix(digits, "+")
	digits = strings.TrimPrefix(digits, "+")
	between := rapid.SampledFrom([]string{"", " ", "-", ".", "/", "\u200b", "\u00a0", " - ", "\u2011", "\u202f"}).Draw(t, "between")
	zero := rapid.SampledFrom([]rune{'0', '0', '٠', '۰', '०', '０'}).Draw(t, "script")
	long := rapid.IntRange(1, 4).Draw(t, "group")
	var b strings.Builder
	for i, r := range digits {
		if i > 0 && i%long == 0 {
			b.WriteString(between)
		}
		b.WriteRune(zero + r - '0')
	}
	if sign {
		return "+" + b.String()
	}
	return b.String()
}

func honestIsKept(t *rapid.T) {
	text := honestText(t)
	if got := new(Known).Clean(text); got != text {
		t.Fatalf("Clean(%q) = %q", text, got)
	}
	number := writtenNumber(t)
	got := new(Known).Clean(text + "\nCall " + number + ", please")
	left, before := strings.CutPrefix(got, text+"\nCall ")
	if left, behind := strings.CutSuffix(left, ", please"); !before || !behind || strings.TrimPrefix(left, "+") != Gap {
		t.Fatalf("Clean(… %q …) = %q", number, got)
	}
}

func TestHonestIsKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, honestIsKept)
}

func FuzzHonestIsKept(f *testing.F) { f.Fuzz(rapid.MakeFuzz(honestIsKept)) }
