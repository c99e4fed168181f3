package claim

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"merve/internal/base/seedtest"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// row is one text of testdata/replies; a text that claims nothing has no kind.
type row struct {
	text string
	kind Kind
}

// rows reads testdata/replies/<name>.txt: texts, one a line, under what they claim, or [none].
func rows(t testing.TB, name string) []row {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "replies", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []row
	var kind Kind
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "" || strings.HasPrefix(line, "# "):
		case line == "[none]":
			kind = ""
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			kind = Kind(strings.Trim(line, "[]"))
			if !slices.Contains(kinds(), kind) {
				t.Fatalf("%s: no such kind: %s", name, line)
			}
		default:
			out = append(out, row{strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(line), kind})
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func has(claims []Claim, kind Kind) bool {
	return slices.ContainsFunc(claims, func(c Claim) bool { return c.Kind == kind })
}

// The assistant says "done" and has done nothing: each such sentence is found, and what
// only sounds like one is left alone.
func TestField23_DoneWithoutDoing(t *testing.T) {
	t.Parallel()
	if _, err := readDialects(); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(language.Supported(), "disguise") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claimed, none := 0, 0
			for _, r := range rows(t, name) {
				got := Find(r.text)
				switch {
				case r.kind == "":
					none++
					if len(got) > 0 {
						t.Errorf("%q: found %v, want no claim", r.text, got)
					}
				default:
					claimed++
					if !has(got, r.kind) {
						t.Errorf("%q: found %v, want %s", r.text, got, r.kind)
					}
				}
			}
			if name != "disguise" && (claimed < 15 || none < 12) {
				t.Errorf("%d claims and %d others, want at least 15 and 12", claimed, none)
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text  string
		facts []string
		want  []Claim
	}{
		{"Your table is booked.", nil, []Claim{{Booked, "Your table is booked"}}},
		{"Your table is booked.", []string{"booked"}, nil},
		{"Your table is booked.", []string{"sent", "listing"}, []Claim{{Booked, "Your table is booked"}}},
		{"Your table is booked.\nI have told the *restaurant*!", []string{"booked"}, []Claim{{Sent, "I have told the *restaurant*"}}},
		{"Your order is confirmed.", []string{"ordered"}, nil},
		{"The cancellation of your booking is confirmed.", []string{"cancelled"}, nil},
		{"Done!", nil, []Claim{{Done, "Done"}}},
		{"Done!", []string{"listing"}, []Claim{{Done, "Done"}}},
		{"Done!", []string{"sent"}, nil},
		{"Shall I book it?", nil, nil},
		{"Your booking\nis confirmed!", nil, []Claim{{Booked, "Your booking is confirmed"}}},
		{"", nil, nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, Unsupported(tt.text, tt.facts), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("Unsupported(%q, %q) (-want +got):\n%s", tt.text, tt.facts, diff)
		}
	}
}

// What the product itself says where nothing has happened claims nothing, and what it says
// after the fact is found.
func TestOwnWording(t *testing.T) {
	t.Parallel()
	honest := []wording.Key{
		wording.Greeting, wording.ConfirmPrompt, wording.BookingReleased, wording.CancelPrompt, wording.HoldGone,
		wording.HoldExpiredNotice, wording.StillWaiting, wording.Replaced, wording.WhichOffer, wording.OldButton,
		wording.OfferChanged, wording.NothingPending, wording.SlotTaken, wording.SlotClosed, wording.ActionPrompt, wording.ActionFailed, wording.ActionDeclined,
		wording.ClaimWithheld, wording.ClaimReplaced, wording.ModelUnavailable, wording.WentWrong, wording.BoundReached,
		wording.BudgetThread, wording.MediaUnsupported, wording.NoText, wording.PersonWillAnswer,
	}
	said := map[wording.Key]Kind{
		wording.BookingConfirmed: Booked, wording.BookingAlreadyConfirmed: Booked, wording.BookingCancelled: Cancelled,
	}
	vars := wording.Vars{
		"summary": "Rotana · 19:00–20:30 · 4", "code": "MRV-7Q2K", "action": "Rotana", "until": "19:10", "alternatives": "19:00 · 20:00",
	}
	for _, lang := range language.Supported() {
		for _, key := range honest {
			if text := wording.Say(lang, key, vars); len(Find(text)) > 0 {
				t.Errorf("%s: %s: found %v in %q, want no claim", lang, key, Find(text), text)
			}
		}
		for key, kind := range said {
			if text := wording.Say(lang, key, vars); !has(Find(text), kind) {
				t.Errorf("%s: %s: found %v in %q, want %s", lang, key, Find(text), text, kind)
			}
		}
	}
}

// TestWrappingHidesNothing dresses claims up in ways that leave them readable.
func TestWrappingHidesNothing(t *testing.T) {
	t.Parallel()
	var claims []row
	for _, name := range language.Supported() {
		claims = append(claims, slices.DeleteFunc(rows(t, name), func(r row) bool { return r.kind == "" })...)
	}
	wraps := []func(string) string{
		func(s string) string { return "**" + s + "**" },
		func(s string) string { return "> _" + s + "_" },
		func(s string) string { return "- " + s },
		func(s string) string { return "## " + s },
		func(s string) string { return "<strong>" + s + "</strong>" },
		func(s string) string { return "🎉✨ " + s + " ✅🙏" },
		func(s string) string { return "\u2068" + s + "\u2069" },
		func(s string) string { return "Hi!\n\n" + s + "\n\n🙂" },
		func(s string) string { return s + "\nShall I do anything else?" },
		func(s string) string { return "Hmm? " + s },
		func(s string) string { return strings.ReplaceAll(s, " ", " \u200b\u00a0") },
		func(s string) string { return strings.ReplaceAll(s, " ", " **") },
		func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b") },
		func(s string) string { return strings.Join(strings.Split(s, ""), "\u2060") },
		strings.ToUpper, norm.NFD.String, norm.NFKC.String, foldLines,
	}
	seedtest.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(claims).Draw(t, "claim")
		text := r.text
		for _, wrap := range rapid.SliceOfN(rapid.SampledFrom(wraps), 1, 3).Draw(t, "wraps") {
			text = wrap(text)
		}
		if got := Find(text); !has(got, r.kind) {
			t.Fatalf("%q: found %v, want %s", text, got, r.kind)
		}
	})
}

// foldLines folds each line by itself: that a line ends is part of what is read.
func foldLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = language.Fold(line)
	}
	return strings.Join(lines, "\n")
}

// A question that follows on a claim without a full stop makes no question of it.
func TestAQuestionThatFollowsHidesNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"your table is booked shall i do anything else?":                   true,
		"your booking is confirmed what else can i do for you today?":      true,
		"ihr tisch ist reserviert kann ich noch etwas für sie tun?":        true,
		"votre table est réservée que puis-je faire d'autre pour vous ?":   true,
		"your table is booked for what time?":                              false,
		"is your table booked for tomorrow evening or for some other day?": false,
	} {
		if got := Find(text); has(got, Booked) != want {
			t.Errorf("%q: found %v", text, got)
		}
	}
}

// A semicolon asks what is said in Greek; what is Greek before or after, or a name in it, makes no
// question of another.
func TestASemicolonAsksInItsOwnSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Your table is booked; the place is Ταβέρνα.":      true,
		"I asked Ταβέρνα. Your table is booked; enjoy it.": true,
		"Το τραπέζι σας κλείστηκε.":                        true,
		"Το τραπέζι σας κλείστηκε; Your table.":            false,
		"Your table. Το τραπέζι σας κλείστηκε\u037e":       false,
		// A name in another script makes no sentence another language's.
		"Your table at Ταβέρνα is booked; enjoy your evening.": true,
		"Ταβέρνα: your table is booked; dinner is at eight.":   true,
		"Your table is booked at Ταβέρνα; the code follows.":   true,
		"Ваш столик в Ταβέρνα забронирован; приятного вечера.": true,
		"Το τραπέζι σας στο Grand Hotel κλείστηκε;":            false,
		// Nor does a long one.
		"Your table is booked at Η Παλιά Ταβέρνα του Λιμανιού; enjoy.":                true,
		"Η Παλιά Ταβέρνα του Μεγάλου Λιμανιού: your table is booked; enjoy.":          true,
		"Κλείστηκε το τραπέζι σας στο The Old Harbour Fish Restaurant and Bar; Πείτε": false,
	} {
		if got := Find(text); has(got, Booked) != want {
			t.Errorf("%q: found %v", text, got)
		}
	}
}

// TestLookalikesHideNothing writes letters of claims with those of another script.
func TestLookalikesHideNothing(t *testing.T) {
	t.Parallel()
	claims := slices.DeleteFunc(rows(t, "en"), func(r row) bool { return r.kind == "" })
	swaps := []string{"o", "о", "a", "а", "e", "е", "c", "с", "p", "р", "i", "і", "o", "0", "i", "1", "l", "I", "e", "3", "d", "ԁ", "s", "ѕ"}
	seedtest.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(claims).Draw(t, "claim")
		at := 2 * rapid.IntRange(0, len(swaps)/2-1).Draw(t, "swap")
		text := strings.ReplaceAll(r.text, swaps[at], swaps[at+1])
		if got := Find(text); !has(got, r.kind) {
			t.Fatalf("%q: found %v, want %s", text, got, r.kind)
		}
	})
}

// The sentence of a claim is shown to who looks for it: a number before it is part of it, what
// stands before an empty line is not.
func TestTheSentenceOfAClaim(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello. Your table is booked. Bye.": "Your table is booked",
		"1. Your table is booked":           "1. Your table is booked",
		"Your table is\nbooked":             "Your table is booked",
		"Your table is\n\nbooked":           "booked",
	} {
		if got := Find(text); len(got) != 1 || got[0] != (Claim{Booked, want}) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// No language has words of more than maxWord bytes: they are not looked at, which bounds the time.
func TestLongWords(t *testing.T) {
	t.Parallel()
	all, err := dialects()
	if err != nil {
		t.Fatal(err)
	}
	const stem = "rezervasyon"
	for bytes, want := range map[int]bool{len(stem): true, maxWord: true, maxWord + 1: false} {
		word := stem + strings.Repeat("u", bytes-len(stem))
		if slices.ContainsFunc(all, func(d *dialect) bool { return d.knows(word) }) != want {
			t.Errorf("%d bytes: known is not %v", bytes, want)
		}
	}
}

// Whoever edits a pattern file is told what is wrong with a line, and where.
func TestPatternFilesNameWhatIsWrong(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]string{
		"[booked]\nyour table .. booked":    "",
		"booked":                            `en/claims.txt:1: "booked" is under no heading`,
		"[booked]\nbooked\n[bought]":        "en/claims.txt:3: no such heading: [bought]",
		"[booked]\n@done":                   "en/claims.txt:2: @done is not defined above",
		"[booked]\n.. booked":               `en/claims.txt:2: ".. booked" begins with nothing but optional words, .. or $`,
		"[booked]\n$ booked":                `en/claims.txt:2: "$ booked" begins with nothing but optional words, .. or $`,
		"[booked]\n?now":                    `en/claims.txt:2: "?now" begins with nothing but optional words, .. or $`,
		"[booked]\nb*":                      `en/claims.txt:2: "b*" is too short a stem`,
		"[booked]\n*b":                      `en/claims.txt:2: "*b" is too short a stem`,
		"[booked]\nbook|*":                  `en/claims.txt:2: "*" is no word`,
		"[booked]\nbook-ed":                 `en/claims.txt:2: "book-ed" is no word`,
		"@done = booked\n[booked]\n@done a": "",
	} {
		_, err := readDialect("en", lines)
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %q", lines, err, want)
		}
	}
}

// TestFindIsBounded gives texts of a megabyte, and the worst of those that are read.
func TestFindIsBounded(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"your booking ", "a ", "your ", "not ", "if ", "<", "<b>", "a-", "\u0301", "ﷺ", "\xff", ".", "?", ",", "1 ", "book", "✅", "\n"} {
		if got := len(Find(strings.Repeat(unit, 1<<20/len(unit)))); got != len(kinds()) {
			t.Errorf("1 MB of %q: %d claims, want one of every kind", unit, got)
		}
		start := time.Now()
		Find(strings.Repeat(unit, maxText/len(unit)))
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%d bytes of %q take %v", maxText, unit, took)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, name := range append(language.Supported(), "disguise") {
		for _, r := range rows(f, name) {
			f.Add(r.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := Find(text)
		if again := Find(text); !slices.Equal(found, again) {
			t.Errorf("Find(%q) = %v, and again %v", text, found, again)
		}
		for _, c := range found {
			if !slices.Contains(kinds(), c.Kind) {
				t.Errorf("Find(%q) found kind %q", text, c.Kind)
			}
		}
		if len(text) > maxText-64 {
			return
		}
		if !has(Find(text+"\n\nYour booking is confirmed."), Booked) {
			t.Errorf("%q hides a claim behind it", text)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var all []string
	for _, r := range rows(b, "en")[:20] {
		all = append(all, r.text)
	}
	text := strings.Join(all, "\n")
	for b.Loop() {
		Find(text)
	}
}

func BenchmarkReadDialects(b *testing.B) {
	for b.Loop() {
		if _, err := readDialects(); err != nil {
			b.Fatal(err)
		}
	}
}
