package standing

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"merve/internal/words/claim"
	"merve/internal/words/lang"
	"merve/internal/words/language"
)

var booked = Item{
	Kind: "booking", Ref: "tx1", Code: "V3GM2D", State: "confirmed", Summary: "Meze House · Table · Tue 24 Nov 2026 · Booked: V3GM2D", Word: Booked,
	Figures: "2026-11-24 19:00 · 2",
}

var ordered = Item{Kind: "order", Ref: "or1", Code: "K7P2", State: "placed", Summary: "Kebab · 2 × Adana · Ordered: K7P2", Word: Ordered, Figures: "2"}

// Each language has every sentence, short enough for a line with code, date and numbers, and the
// patterns read a claim in none of those that deny one.
func TestSentences(t *testing.T) {
	t.Parallel()
	if n := len(sentences()); n != 30 {
		t.Fatalf("%d languages", n)
	}
	for _, tag := range language.Supported() {
		if sentences()[tag] == nil {
			t.Errorf("no %s", tag)
		}
	}
	for tag, all := range sentences() {
		if len(all) != len(sentences()[fallback]) {
			t.Errorf("%s has %d sentences", tag, len(all))
		}
		for w := range sentences()[fallback] {
			if all[w] == "" {
				t.Errorf("%s lacks %s", tag, w)
			}
		}
		if found := claim.Find(all[Empty]); len(found) > 0 {
			t.Errorf("%s: %q claims %v", tag, all[Empty], found)
		}
		for _, w := range []Word{Booked, Unpaid, Ordered, Requested, Accepted, Refused, Cancelled, Expired} {
			i := booked
			i.Word, i.Figures = w, "2026-11-24 19:00 · 12"
			if s := (Now{Language: tag, Items: []Item{i}}).Standing(); strings.Contains(s.Text, "…") {
				t.Errorf("%s: no room in %q", tag, s.Text)
			}
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	offer := Offer("p1", "Meze House · Table · Tue 24 Nov 2026, 19:00–20:00 · People: 2")
	for _, tt := range []struct {
		now  Now
		kind Kind
		text string
		line string
	}{
		{Now{Language: "en"}, Nothing, "○ Nothing is booked or ordered in this conversation.", "○ Nothing is booked or ordered in this conversation."},
		{Now{Language: "nl"}, Nothing, "○ In dit gesprek is niets geboekt of besteld.", "○ In dit gesprek is niets geboekt of besteld."},
		{Now{Language: "xx"}, Nothing, "○ Nothing is booked or ordered in this conversation.", "○ Nothing is booked or ordered in this conversation."},
		{Now{Language: "en", Items: []Item{booked}}, Done, "● Booked: V3GM2D · 2026-11-24 19:00 · 2", "● Booked: V3GM2D · 2026-11-24 19:00 · 2"},
		{Now{Language: "en", Items: []Item{ordered, booked}}, Done, "● Ordered: K7P2 · 2 · +1", "● Ordered: K7P2 · 2 · +1"},
		{Now{Language: "de", Items: []Item{ordered, booked}, More: true}, Done, "● Bestellt: K7P2 · 2 · +1 und mehr", "● Bestellt: K7P2 · 2 · +1 und mehr"},
		{Now{Language: "he", Items: []Item{booked}}, Done, "● הוזמן: \u2068V3GM2D · 2026-11-24 19:00 · 2\u2069", "● הוזמן: \u2068V3GM2D · 2026-11-24 19:00 · 2\u2069"},
		{Now{Language: "en", Waits: &offer, Question: "Shall I?\nYES or NO"}, Waiting, "", ""},
		{
			Now{Language: "en", Waits: &offer, Items: []Item{booked}}, Waiting,
			"◐ Waiting for your YES or NO: Meze House · Table · Tue 24 N…", "◐ Waiting for your YES or NO: Meze House · Table · Tue 24 N…",
		},
		{Now{Language: "en", Items: []Item{Action("p2", "Sent to Meze House:\n“Do you have a terrace with a view of the sea?”", nil)}}, Done,
			"● Done: Sent to Meze House: “Do you have a terrace with a v…", "● Done: Sent to Meze House: “Do you have a terrace with a v…"},
	} {
		s := tt.now.Standing()
		if s.Kind != tt.kind || s.Text != tt.text || s.Line() != tt.line || s.Items == nil {
			t.Errorf("%+v: %s %q, line %q", tt.now, s.Kind, s.Text, s.Line())
		}
		if shown := strings.NewReplacer("\u2068", "", "\u2069", "").Replace(s.Line()); utf8.RuneCountInString(shown) > maxLine {
			t.Errorf("%q has %d characters", shown, utf8.RuneCountInString(shown))
		}
	}
	var none *Standing
	if none.Line() != "" || none.In("Hello.") != nil {
		t.Error("a line of nothing")
	}
	asked := Now{Language: "en", Waits: &offer, Question: "Shall I?\nYES or NO"}.Standing()
	if got := asked.In("Here it is.\n\nShall I?\nYES or NO"); got.Text != "◐ Shall I?\nYES or NO" || asked.Text != "" || got.Line() != "" {
		t.Errorf("asked: %+v", got)
	}
}

// The same line twice running is its sign and codes.
func TestAgain(t *testing.T) {
	t.Parallel()
	first := Now{Language: "en", Items: []Item{booked, ordered}}.Standing()
	first.Follows(nil)
	again := Now{Language: "en", Items: []Item{booked, ordered}}.Standing()
	again.Follows(&first)
	other := Now{Language: "en", Items: []Item{booked}}.Standing()
	other.Follows(&again)
	empty := Now{Language: "tr"}.Standing()
	empty.Follows(&Standing{Text: empty.Text})
	if first.Again || again.Line() != "● V3GM2D K7P2" || other.Again || empty.Line() != "○" {
		t.Errorf("%q, %q, %q, %q", first.Line(), again.Line(), other.Line(), empty.Line())
	}
}

func TestMergedAndRefs(t *testing.T) {
	t.Parallel()
	moved := Item{Kind: "booking", Ref: "tx2", Replaces: "tx1"}
	gone := Item{Kind: "order", Ref: "or1", Over: true}
	all := Merged([]Item{moved, gone, Action("p", "Sent", nil)}, []Item{booked, ordered, {Kind: "ride", Ref: "r1"}})
	if got := Refs(all); !slices.Equal(got, []string{"booking:tx2", "ride:r1"}) {
		t.Errorf("keeps %q", got)
	}
	if many := make([]Item, 9); len(Refs(many)) != 9 {
		t.Errorf("keeps %q", Refs(many))
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 19, 0, 0, 0, time.UTC)
	items := []Item{{Ref: "some time"}, {Ref: "later", At: at.Add(time.Hour)}, {Ref: "next", At: at}, {Ref: "over", At: at.Add(2 * time.Hour), Over: true}}
	slices.SortStableFunc(items, Next)
	if got := Refs(items); items[0].Ref != "over" || !slices.Equal(got, []string{":next", ":later", ":some time"}) {
		t.Errorf("%q", got)
	}
}

// A text in a language that the product does not speak is contradicted in its own.
func TestSpoken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Il tuo tavolo è stato prenotato per domani alle 19.":           "it",
		"A sua mesa está reservada para amanhã às 19h.":                 "pt",
		"Uw tafel is geboekt voor morgen om 19.00 uur.":                 "nl",
		"Twój stolik jest zarezerwowany na jutro na 19.":                "pl",
		"Ваш столик заброньовано на завтра, і його підтверджено.":       "uk",
		"Masa dumneavoastră este rezervată pentru mâine la ora 19.":     "ro",
		"Вашата маса е резервирана за утре в 19 часа.":                  "bg",
		"Váš stůl je rezervován na zítra v 19 hodin.":                   "cs",
		"Az asztal foglalása megerősítve holnap 19 órára.":              "hu",
		"Ditt bord är bokat till imorgon klockan 19.":                   "sv",
		"Dit bord er booket til i morgen klokken 19, det er bekræftet.": "da",
		"Bordet ditt er reservert til i morgen, det er bekreftet.":      "nb",
		"Pöytäsi on varattu huomenna kello 19, varaus on vahvistettu.":  "fi",
		"میز شما برای فردا ساعت ۱۹ رزرو شد و تأیید گردید.":              "fa",
		"आपकी मेज़ कल शाम सात बजे के लिए बुक हो गई है।":                 "hi",
		"您的餐桌已预订，明天晚上七点。":                                               "zh",
		"明日の19時にテーブルを予約しました。":                                           "ja",
		"내일 저녁 7시 테이블이 예약되었습니다.":                                        "ko",
		"Meja Anda sudah dipesan untuk besok pukul 19.":                 "id",
		"Bàn của bạn đã được đặt vào lúc 19 giờ ngày mai.":              "vi",
		"Your table at Meze House is booked for tomorrow.":              "en",
		"Ihr Tisch ist für morgen reserviert.":                          "en",
		"Ваш столик забронирован на завтра.":                            "en",
		"Το τραπέζι σας κρατήθηκε.":                                     "en",
		"OK": "en",
	} {
		if got := Spoken(text, "en"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestSmallTalk(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Hi!", "hello there", "Thanks a lot 🙏", "You're welcome! 😊", "Merhaba, nasılsın?", "Γεια σας!", "Спасибо большое!", "תודה רבה", "شكراً جزيلاً!", "Guten Tag, wie geht es Ihnen?",
		"¡Hola! ¿En qué puedo ayudarte?", "Bonjour, comment allez-vous ?", "Habari yako?", "Hello! How can I help you today?", "", "Hallo, merhaba",
	} {
		if !SmallTalk(text) {
			t.Errorf("%q is small talk", text)
		}
	}
	for _, text := range []string{
		"Yes", "Yes, I did.", "Done!", "All set", "✅", "👍", "Hi, book a table", "Thanks, see you tomorrow at 7", "V3GM2D", "Thanks! 1", "Hallo, is it booked?", "Evet", "Tamam",
		"Welcome, your table is waiting", strings.Repeat("hi ", 100), "Tack så mycket",
	} {
		if SmallTalk(text) {
			t.Errorf("%q is no small talk", text)
		}
	}
}

// No phrase of small talk claims anything, alone or before and after any other.
func TestSmallTalkClaimsNothing(t *testing.T) {
	t.Parallel()
	for _, name := range language.Supported() {
		n := 0
		for line := range strings.Lines(lang.SmallTalk().In(name)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			for phrase := range strings.SplitSeq(line, ",") {
				if n++; !SmallTalk(phrase) {
					t.Errorf("%s: %q is not read", name, phrase)
				}
				if found := claim.Find(phrase); len(found) > 0 {
					t.Errorf("%s: %q claims %v", name, phrase, found)
				}
			}
		}
		if n < 20 {
			t.Errorf("%s has %d phrases", name, n)
		}
	}
}
