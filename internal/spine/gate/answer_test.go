package gate

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"merve/internal/base/seedtest"
	"merve/internal/words/language"
)

// message is one row of testdata/answers.
type message struct {
	text  string
	want  Answer
	books bool // a yes to what makes a booking only
}

// readOffer reads an answer to what makes a booking.
func readOffer(text string) Answer { return readAs(text, Books) }

// messages reads testdata/answers/<name>.txt: messages, one a line, under what they answer.
func messages(t *testing.T, name string) []message {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "answers", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []message
	var under message
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); line {
		case "[yes]":
			under = message{want: Yes}
		case "[yes booking]":
			under = message{want: Yes, books: true}
		case "[no]":
			under = message{want: No}
		case "[unclear]":
			under = message{want: Unclear}
		default:
			if line != "" && !strings.HasPrefix(line, "#") {
				under.text = line
				out = append(out, under)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, name := range append(language.Supported(), "mixed") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := messages(t, name)
			for _, m := range rows {
				if got := readOffer(m.text); got != m.want {
					t.Errorf("%q to an offer of a booking is %v, want %v", m.text, got, m.want)
				}
				want := m.want
				if m.books {
					want = Unclear
				}
				if got := Read(m.text); got != want {
					t.Errorf("Read(%q) = %v, want %v", m.text, got, want)
				}
			}
			if len(rows) < 40 {
				t.Errorf("only %d messages", len(rows))
			}
		})
	}
}

// TestReadOddities are messages that a text file cannot show.
func TestReadOddities(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want Answer
	}{
		{"", Unclear},
		{"   ", Unclear},
		{"\x00", Unclear},
		{"\xff\xfe", Unclear},
		{"yes\x00", Unclear},
		{"yes\xff", Unclear},
		{"yes\n", Yes},
		{"yes\nplease", Yes},
		{"yes\n\nno", Unclear},
		{"yes\nbut at 8", Unclear},
		{"\ufeffyes", Yes},
		{"y\u200be\u200bs", Yes},
		{"yes\u200bno", Unclear},
		{"\u202eyes\u202c", Yes},
		{"I\u0307PTAL", No},
		{"si\u0301", Yes},
		{"d\u2019accord", Yes},
		{"👍\U0001F3FD\u200d", Yes},
		{"👍\u20e0", Unclear},           // inside a prohibition sign
		{"y\u0338e\u0338s", Unclear},   // struck out
		{"ναι\u037e", Unclear},         // the Greek question mark
		{"نعم\u061f", Unclear},         // the Arabic one
		{"yes\u203d", Unclear},         // interrobang
		{"yes\u2047", Unclear},         // double question mark
		{"yes ❓", Unclear},             // as an emoji
		{"\u2460 yes", Unclear},        // a circled one
		{"yes \u0661", Unclear},        // an Arabic one
		{"yes \U0001F1FA", Unclear},    // half a flag
		{"₿yes", Unclear},              // currency
		{"уes", Unclear},               // Cyrillic у in a Latin word
		{"yes" + "!!!!!!!!!!!!", Yes},  // emphasis
		{"yes " + "...yes... ok", Yes}, // pauses
		{"👍, 👍 👍!", Yes},
	}
	for _, tt := range tests {
		if got := Read(tt.text); got != tt.want {
			t.Errorf("Read(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

// A user who does not answer YES but says something else never confirms the offer.
func TestField20_SomethingElseInsteadOfYes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"yes but 8 pm", "evet ama saat 8", "ναι αλλά στις 8", "да, но в 8", "כן אבל ב-8", "نعم ولكن الساعة ٨",
		"ja, aber um 8", "sí, pero a las 8", "oui mais à 20h", "ndiyo lakini saa mbili",
		"ok thanks, what about parking?", "yes for 3 instead of 2", "make it two rooms", "what is the price?",
		"", // a voice note, photo or location comes without text
		"❤️", "🤷‍♀️", "😂", "hello", "taxi to the airport", "YES 4F2K", "12:30",
	} {
		if got := readOffer(text); got != Unclear {
			t.Errorf("Read(%q) = %v, want unclear", text, got)
		}
	}
}

func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"yes ", "no ", "👍", "e\u0301", "\u0301", "ﷺ", "\xff", "a", ","} {
		long := strings.Repeat(unit, 1<<20/len(unit))
		if got := Read(long); got != Unclear {
			t.Errorf("Read(1 MB of %q) = %v, want unclear", unit, got)
		}
	}
}

func TestLongMessagesAreNotLookedAt(t *testing.T) { // not parallel: it counts allocations
	long := strings.Repeat("yes ", 1<<18)
	Read(long)
	if n := testing.AllocsPerRun(10, func() { Read(long); OptOut(long) }); n > 0 {
		t.Errorf("a message of 1 MB costs %v allocations, want none", n)
	}
}

// TestSpellingsOfOneMessage: a spelling that folds alike gets the same answer.
func TestSpellingsOfOneMessage(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, name := range append(language.Supported(), "mixed") {
		for _, m := range messages(t, name) {
			texts = append(texts, m.text)
		}
	}
	spellings := []func(string) string{
		strings.ToUpper, strings.ToLower, language.Fold, norm.NFD.String, norm.NFKC.String, norm.NFKD.String,
		func(s string) string { return strings.ToUpperSpecial(unicode.TurkishCase, s) },
		func(s string) string { return "\u2068 " + strings.ReplaceAll(s, " ", "\u00a0\n") + "\u2069" },
		func(s string) string { return strings.ReplaceAll(s, "'", "’") },
		func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b") },
	}
	seedtest.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		spelt := rapid.SampledFrom(spellings).Draw(t, "spelling")(text)
		if len(spelt) > maxMessage || strings.ContainsRune(text, '´') { // NFKD of the message itself makes a space of ´
			return
		}
		if got, want := readOffer(spelt), readOffer(text); got != want {
			t.Fatalf("%q is %v, but %q is %v", spelt, got, text, want)
		}
	})
}

// TestYesWithAnotherWordIsNoYes puts a word that no list has into a message of
// listed phrases.
func TestYesWithAnotherWordIsNoYes(t *testing.T) {
	t.Parallel()
	listed := listedPhrases(t, yes|besideYes|polite)
	other := unlistedWord(t)
	seedtest.Check(t, func(t *rapid.T) {
		said := rapid.SliceOfN(rapid.SampledFrom(listed), 1, 5).Draw(t, "phrases")
		at := rapid.IntRange(0, len(said)).Draw(t, "at")
		between := rapid.SampledFrom([]string{" ", ", ", "! ", "\n"}).Draw(t, "between")
		text := strings.Join(slices.Insert(slices.Clone(said), at, other.Draw(t, "word")), between)
		if got := readOffer(text); got != Unclear {
			t.Fatalf("Read(%q) = %v, want unclear", text, got)
		}
	})
}

// TestYesAndNoTogether puts each yes beside the plainest no of each language, and each no
// beside the plainest yes.
func TestYesAndNoTogether(t *testing.T) {
	t.Parallel()
	check := func(y, n string) {
		for _, text := range []string{y + ", " + n, n + "! " + y} {
			if got := readOffer(text); got != Unclear {
				t.Errorf("Read(%q) = %v, want unclear", text, got)
			}
		}
		for _, text := range []string{y + " " + n, n + " " + y} { // may be a no of its own: "no confirmo"
			if readOffer(text) == Yes {
				t.Errorf("Read(%q) = yes", text)
			}
		}
	}
	var yeses, noes []string
	for _, name := range append(language.Supported(), "signs") {
		entries := fileEntries(t, name)
		plainest := func(k kind) string {
			return entries[slices.IndexFunc(entries, func(e entry) bool { return e.kind == k })].phrase
		}
		yeses, noes = append(yeses, plainest(yes)), append(noes, plainest(no))
	}
	for _, y := range listedPhrases(t, yes) {
		for _, n := range noes {
			check(y, n)
		}
	}
	for _, n := range listedPhrases(t, no|cancels) {
		for _, y := range yeses {
			check(y, n)
		}
	}
}

// TestSiBeforeAnotherLanguage: "si" is yes in Spanish, not in Swahili and if in French.
func TestSiBeforeAnotherLanguage(t *testing.T) {
	t.Parallel()
	spanish := make(map[string]bool)
	for _, e := range fileEntries(t, "es") {
		spanish[e.phrase] = true
	}
	for _, name := range language.Supported() {
		for _, e := range fileEntries(t, name) {
			if text := "si " + e.phrase; !spanish[e.phrase] && readOffer(text) == Yes {
				t.Errorf("Read(%q) = yes (%v)", text, e)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		got := Read(text)
		folded := language.Fold(text)
		if again := Read(folded); again != got && len(text) <= maxMessage && len(folded) <= maxMessage {
			t.Errorf("Read(%q) = %v, but folded %v", text, got, again)
		}
		if got == Unclear {
			return
		}
		for _, more := range []string{" but 8 pm", "?", " ;", " 2", " yes no", " \"", " 4F2K"} {
			if after := Read(text + more); after != Unclear {
				t.Errorf("Read(%q) = %v, want unclear", text+more, after)
			}
		}
	})
}

func TestButtons(t *testing.T) {
	t.Parallel()
	type parsed struct {
		Answer Answer
		ID     string
		OK     bool
	}
	tests := []struct {
		payload string
		want    parsed
	}{
		{"yes:01JD3ZK8Q4", parsed{Yes, "01JD3ZK8Q4", true}},
		{"no:01JD3ZK8Q4", parsed{No, "01JD3ZK8Q4", true}},
		{"yes:a:b", parsed{Yes, "a:b", true}},
		{"yes:" + strings.Repeat("x", maxPendingID), parsed{Yes, strings.Repeat("x", maxPendingID), true}},
		{"yes:" + strings.Repeat("x", maxPendingID+1), parsed{}},
		{"", parsed{}},
		{"yes", parsed{}},
		{"yes:", parsed{}},
		{":x", parsed{}},
		{"YES:x", parsed{}},
		{" yes:x", parsed{}},
		{"yes: x", parsed{}},
		{"yes:x\n", parsed{}},
		{"yes:é", parsed{}},
		{"unclear:x", parsed{}},
		{"maybe:x", parsed{}},
		{"evet:x", parsed{}},
	}
	for _, tt := range tests {
		var got parsed
		got.Answer, got.ID, got.OK = ParseButton(tt.payload)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("ParseButton(%q) (-want +got):\n%s", tt.payload, diff)
		}
		if tt.want.OK && ButtonPayload(got.Answer, got.ID) != tt.payload {
			t.Errorf("ButtonPayload(%v, %q) is not %q", got.Answer, got.ID, tt.payload)
		}
	}
	for _, id := range []string{"", " ", "a b", strings.Repeat("x", maxPendingID+1)} {
		if got := ButtonPayload(Yes, id); got != "" {
			t.Errorf("ButtonPayload(yes, %q) = %q, want none", id, got)
		}
	}
	if got := ButtonPayload(Unclear, "x"); got != "" {
		t.Errorf("ButtonPayload(unclear, x) = %q, want none", got)
	}
}

func FuzzParseButton(f *testing.F) {
	f.Fuzz(func(t *testing.T, payload string) {
		answer, id, ok := ParseButton(payload)
		if ok && ButtonPayload(answer, id) != payload {
			t.Errorf("ParseButton(%q) = %v, %q, which makes %q", payload, answer, id, ButtonPayload(answer, id))
		}
		if !ok && (answer != Unclear || id != "") {
			t.Errorf("ParseButton(%q) = %v, %q, though it is not ok", payload, answer, id)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		Read("Evet, onaylıyorum, teşekkür ederim 👍🏽")
	}
}

// Courtesy is a yes, praise and politeness in any language, and nothing else.
func TestCourtesy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "Yes, please": true, "evet, teşekkürler!": true, "👍": true, "danke": true,
		"no": false, "yes, but later": false, "yes?": false, "we have one": false, "cancel": false,
	} {
		if got := Courtesy(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
