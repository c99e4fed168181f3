package wording

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/words/language"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestSay(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, lang string
		key        Key
		vars       Vars
		want       string
	}{
		{"plain", "en", BookingReleased, nil,
			"All right, nothing has been booked and the slot is free again."},
		{"locale", "tr-TR", NothingPending, nil,
			"Şu anda yanıtınızı bekleyen bir şey yok. Size nasıl yardımcı olabilirim?"},
		{"language of nobody here", "pt", TooLong, Vars{"max": "4000"},
			"That message is too long for me. Please keep it to 4000 characters."},
		{"no language", "", CustomerReference, Vars{"code": "X12"}, "Your booking reference: X12"},
		{"missing variable", "en", TooLong, nil, "That message is too long for me. Please keep it to  characters."},
		{"unknown key", "en", Key("nonsense"), nil, ""},
		{"braces in a value", "en", ActionDone, Vars{"action": "{code} {{yes}} {yes}", "code": "X"}, "Done: {code} {{yes}} {yes}"},
		{"empty parts left out", "en", BookingSummary, Vars{"listing": "Rotana", "when": "today"}, "Rotana · today"},
		{"empty line left out", "en", SlotTaken, nil, "Sorry, this time has just been taken; nothing was booked."},
		{"first line stays", "en", SlotInvalid, Vars{"alternatives": "19:00"}, "\nFree times nearby: 19:00"},
		{"a name is one line", "en", ActionDone, Vars{"action": "tea\n\nDone: cake\u2028Paid"}, "Done: tea Done: cake Paid"},
		{"details are lines", "en", ActionPrompt, Vars{"action": "Order", "details": "1 tea\n2 cake"},
			"Order\n1 tea\n2 cake\n\nReply YES to have this done or NO to leave it."},
		{"overrides dropped, isolates closed", "en", ActionDone, Vars{"action": "a\u202eb\u2067c\u2069\u2069\u2068d\x00"},
			"Done: ab\u2067c\u2069\u2068d \u2069"},
		{"Hebrew name in English", "en", ActionDone, Vars{"action": "רוטנה 19:00"}, "Done: \u2068רוטנה 19:00\u2069"},
		{"quotation in another script", "en", BusinessMessage, Vars{"listing": "Rotana", "lines": "> שלום\n> We are open"},
			"Message from Rotana\n> \u2068שלום\u2069\n> We are open\nThis is quoted from the business. Only what I confirm to you myself is booked, ordered or changed."},
		{"name in a younger script in English", "en", ActionDone, Vars{"action": "\U0001e900\U0001e901"}, "Done: \u2068\U0001e900\U0001e901\u2069"},
		{"Latin name in Hebrew", "he", ActionDone, Vars{"action": "Rotana 19:00"}, "בוצע: \u2068Rotana 19:00\u2069"},
		{"Hebrew name in Hebrew", "he", ActionDone, Vars{"action": "רוטנה"}, "בוצע: רוטנה"},
		{"a number stays as it is", "ar", TooLong, Vars{"max": "4000"}, "هذه الرسالة طويلة جدًا. الحد الأقصى لعدد الأحرف: 4000."},
		{"right-to-left line that begins with a name", "he", BookingSummary, Vars{"listing": "Rotana", "price": "45.00 €"},
			"\u200f\u2068Rotana\u2069 · מחיר: \u206845.00 €\u2069"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Say(tt.lang, tt.key, tt.vars)); diff != "" {
				t.Errorf("Say (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSection(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"occurredAt": Say("de", SectionOccurredAt, nil), "of nobody": "of nobody"} {
		if got := Section("de", name); got != want {
			t.Errorf("%s is called %q, want %q", name, got, want)
		}
	}
}

// A summary made by Say is a value of the next text, and is not wrapped a second time.
func TestSummaryInsideAPrompt(t *testing.T) {
	t.Parallel()
	summary := Say("ar", BookingSummary, Vars{"listing": "Rotana", "offering": "Dinner", "party": "4"})
	got := Say("ar", CancelKept, Vars{"summary": summary})
	want := "حسنًا، يبقى حجزكم كما هو.\n" + summary
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	items := []string{"19:00", "Rotana\n20:00"}
	for lang, want := range map[string]string{
		"en": "19:00 · Rotana 20:00",
		"ar": "\u206819:00\u2069 · \u2068Rotana 20:00\u2069",
	} {
		if got := List(lang, items); got != want {
			t.Errorf("List(%s) = %q, want %q", lang, got, want)
		}
	}
}

// conversation is one booking from the first message to its cancellation, too late for all of the deposit
// to come back, as both sides read it; and what its customer would read had nobody come.
func conversation(lang string) string {
	nicosia := time.FixedZone("EET", 2*60*60)
	start := time.Date(2026, 11, 21, 19, 0, 0, 0, nicosia)
	now := time.Date(2026, 11, 20, 10, 15, 0, 0, nicosia)
	summary := Say(lang, BookingSummary, Vars{
		"listing": "Rotana", "offering": "Harbour Table",
		"when": When(lang, start, start.Add(90*time.Minute)), "party": "4", "price": Money(lang, 125000, "EUR"),
	})
	code, booked := "MRV-7Q2K", Vars{
		"code": "MRV-7Q2K", "listing": "Rotana", "offering": "Harbour Table",
		"when": When(lang, start, start.Add(90*time.Minute)), "party": "4", "customer": "Ayşe Yılmaz",
	}
	money := Vars{
		"summary": summary, "amount": Money(lang, 12500, "EUR"), "back": Money(lang, 8000, "EUR"), "kept": Money(lang, 4500, "EUR"),
		"until": Until(lang, now.Add(-time.Hour), now),
	}
	late := summary + " · " + Say(lang, MoneyPart, money)
	reason := Say(lang, SlotClosed, nil)
	alternatives := List(lang, []string{When(lang, start, time.Time{}), When(lang, start.AddDate(0, 0, 1), time.Time{})})
	question := Say(lang, ConfirmPrompt, Vars{"summary": summary, "until": Until(lang, now.Add(10*time.Minute), now)})
	turns := []string{
		Say(lang, Greeting, nil),
		Say(lang, SlotInvalid, Vars{"reason": reason, "alternatives": alternatives}),
		question,
		Say(lang, StillWaiting, Vars{"details": question}),
		Say(lang, NoLongerWaits, Vars{"summary": summary, "details": Say(lang, BookingReleased, nil)}) + "\n\n" + Say(lang, PersonWillAnswer, nil),
		Say(lang, AnswerNotAwaited, nil) + " " + Say(lang, PersonWillAnswer, nil),
		Say(lang, BookingConfirmed, Vars{"summary": summary, "code": code}),
		Say(lang, MerchantBookingConfirmed, booked),
		Say(lang, BookingAlreadyConfirmed, Vars{"summary": summary, "code": code}),
		Say(lang, CancelPrompt, Vars{"summary": late}),
		Say(lang, CancelKept, Vars{"summary": summary}),
		Say(lang, BookingCancelled, Vars{"summary": late}),
		Say(lang, PaymentReturningPart, money),
		Say(lang, MerchantBookingCancelled, booked),
		Say(lang, NothingPending, nil),
		Say(lang, Replaced, Vars{"summary": summary}),
		Say(lang, HoldExpiredNotice, Vars{"summary": summary}),
		Say(lang, HoldGone, nil),
		Say(lang, NoShowPart, money),
	}
	return strings.Join(turns, "\n--\n") + "\n"
}

func TestConversation(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			golden := filepath.Join("testdata", "conversation", lang+".txt")
			got := conversation(lang)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s differs; if the new wording is meant, run the test with -update (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// Whatever a value holds, the rest of the text is as it would be with any other value.
func FuzzSay(f *testing.F) {
	for _, hostile := range []string{"{code}", "{{", "}}", "{", "\u202eabc", "a\nb", "\u2068", "رוטنه", "%s", "\xff", " · ", strings.Repeat("{yes}", 9)} {
		f.Add("en", hostile)
		f.Add("he", hostile)
	}
	marks := strings.NewReplacer("\u2068", "", "\u2069", "", "\u200f", "")
	f.Fuzz(func(t *testing.T, lang, value string) {
		const stand = "\ue000"
		vars := func(v string) Vars { return Vars{"action": v, "code": "never", "yes": "never"} }
		got := marks.Replace(Say(lang, ActionFailed, vars(value)))
		want := strings.ReplaceAll(Say(lang, ActionFailed, vars(stand)), stand, oneLine(value))
		if got != marks.Replace(want) {
			t.Errorf("Say with %q = %q, want %q", value, got, want)
		}
		if strings.Contains(got, "\n") {
			t.Errorf("a value made a line: %q", got)
		}
		if opens, closes := strings.Count(Say(lang, ActionDone, vars(value)), "\u2068"), strings.Count(Say(lang, ActionDone, vars(value)), "\u2069"); closes < opens {
			t.Errorf("an isolate is left open for %q", value)
		}
	})
}
