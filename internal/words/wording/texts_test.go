package wording

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"merve/internal/words/language"
)

// sampleVars has a value for every variable of every text, so that a reader of the golden
// files sees whole sentences.
func sampleVars(lang string) Vars {
	zone := time.FixedZone("EET", 2*60*60)
	now := time.Date(2026, 11, 20, 10, 15, 0, 0, zone)
	start := time.Date(2026, 11, 21, 19, 0, 0, 0, zone)
	when := When(lang, start, start.Add(90*time.Minute))
	return Vars{
		"accept": Say(lang, OrderWordAccept, nil), "refuse": Say(lang, OrderWordRefuse, nil), "done": Say(lang, OrderWordDone, nil),
		"arrived": Say(lang, TaxiWordArrived, nil), "cancel": Say(lang, TaxiWordCancel, nil), "on": Say(lang, TaxiWordOn, nil),
		"customer": Quote(lang, "Ayşe Yılmaz"), "part": "15% of 340", "work": Say(lang, RoleWordWork, nil),
		"action": "Rotana 4412", "words": "Second floor", "scope": "concierge", "alternatives": List(lang, []string{"MRV-7Q2K", "MRV-3H8D"}), "details": "2 × Pide\n1 × Ayran",
		"summary": "Rotana · Harbour Table", "before": Date(lang, now), "text": Quote(lang, "Terrace, please"), "reason": Quote(lang, "Closed for repairs"),
		"service": "Ant treatment", "technician": "Maria Lopez", "place": Quote(lang, "12 Oak Street"),
		"name": "Dana", "currency": "EUR", "vendor": "Kyrenia Power Hire", "vendors": "Kyrenia Power Hire, Five Finger Generators", "need": Quote(lang, "60 kVA generator") + " · " + Quote(lang, "Kyrenia"), "market": "Island Concierge", "number": "2",
		"availability": Quote(lang, "Saturday from 8"), "notes": Quote(lang, "Fuel is extra"),
		"listing": "Rotana", "offering": "Harbour Table", "item": "Ayran", "lines": "2 × Pide\n1 × Ayran", "left": "3", "hours": "10:00–22:00",
		"code": "MRV-7Q2K", "codes": "MRV-7Q2K, MRV-3H8D", "link": "https://example.test/p/7Q2K", "map": "https://example.test/m/1", "max": "800",
		"address": Quote(lang, "Girne Cd. 12"), "phone": "+90 555 000 11 22", "note": Quote(lang, "Second floor"), "party": "4",
		"pickup": Quote(lang, "Girne Marina"), "pickupMap": "https://example.test/m/2", "dropoff": Quote(lang, "Ercan"), "passengers": "3", "minutes": "20",
		"attempt": "2", "district": Quote(lang, "Kyrenia"), "dropoffMap": "https://example.test/m/3", "driver": "Mehmet", "vehicle": "Toyota Corolla", "plate": "TX 417",
		"price": Money(lang, 125000, "EUR"), "total": Money(lang, 4550, "EUR"), "fee": Money(lang, 300, "EUR"),
		"amount": Money(lang, 12500, "EUR"), "back": Money(lang, 8000, "EUR"), "kept": Money(lang, 4500, "EUR"),
		"when": when, "eta": "19:30", "until": Until(lang, now.Add(10*time.Minute), now), "count": "3", "days": "90",
		"date": Date(lang, start), "weekday": in(lang).plain(keySaturday), "day": "21", "month": in(lang).plain(keyNovember), "year": "2026",
		"end_date": Date(lang, start.AddDate(0, 0, 3)), "end_day": "24", "end_month": in(lang).plain(keyDecember), "end_year": "2027",
		"nights": in(lang).nights(3), "from": "19:00", "to": "20:30", "time": "19:00", "zone": "EET", "symbol": "€",
	}
}

// What each language says, whole, in a file for its readers: a text that says the opposite of
// what it should is seen in review, whatever the code makes of it.
func TestTexts(t *testing.T) {
	t.Parallel()
	keys := declaredKeys(t)
	for _, lang := range language.Supported() {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			var said []string
			for _, key := range keys {
				said = append(said, fmt.Sprintf("[%s]\n%s\n", key, Say(lang, key, sampleVars(lang))))
			}
			got := strings.Join(said, "\n")
			golden := filepath.Join("testdata", "texts", lang+".txt")
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

// A text with a hole in it shows nothing of what it should say.
func TestEveryVariableHasASample(t *testing.T) {
	t.Parallel()
	samples := sampleVars("en")
	for key, text := range in("en").texts {
		for _, name := range text.variables() {
			if samples[name] == "" && name != "yes" && name != "no" {
				t.Errorf("%s: no sample for {%s}", key, name)
			}
		}
	}
}

// Every question in every language names the YES, and what it does, before the NO.
func TestYesStandsBeforeNo(t *testing.T) {
	t.Parallel()
	answer := regexp.MustCompile(`\{(yes|no)\}`)
	questions := 0
	for _, lang := range language.Supported() {
		for key, s := range sentences(t, lang) {
			asked := answer.FindAllString(s, -1)
			if len(asked) == 0 || key == Greeting || key == PaymentAway { // these ask for a YES only
				continue
			}
			questions++
			if !slices.Equal(asked, []string{"{yes}", "{no}"}) {
				t.Errorf("%s: %s asks for %v, want the YES and then the NO: %s", lang, key, asked, s)
			}
		}
	}
	if want := 25 * len(language.Supported()); questions != want {
		t.Errorf("looked at %d questions, want %d", questions, want)
	}
}

// mayShare are texts that a language may word alike: each line's keys mean the same where they
// are read.
var mayShare = [][]Key{
	{YesWord, YesButton},
	{NoWord, NoButton},
	{OrderWordDone, TaxiWordDone},
	{CancelPrompt, OrderCancelPrompt, RequestCancelPrompt},
	{CancelKept, OrderKept},
	{CancelRefused, OrderCancelRefused},
}

// share reports whether two keys may have the same text.
func share(a, b Key) bool {
	counted := func(k Key) bool { return strings.HasPrefix(string(k), "nights_") }
	dated := func(k Key) bool {
		return strings.HasPrefix(string(k), "weekday_") || strings.HasPrefix(string(k), "month_")
	}
	same := func(keys []Key) bool { return slices.Contains(keys, a) && slices.Contains(keys, b) }
	return counted(a) && counted(b) || dated(a) && dated(b) && string(a)[:5] != string(b)[:5] || slices.ContainsFunc(mayShare, same)
}

func TestTextsDiffer(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		of := map[string][]Key{}
		texts := sentences(t, lang)
		for _, key := range declaredKeys(t) {
			for _, other := range of[texts[key]] {
				if !share(key, other) {
					t.Errorf("%s: %s and %s are the same text: %s", lang, key, other, texts[key])
				}
			}
			of[texts[key]] = append(of[texts[key]], key)
		}
	}
}

// opposites are pairs of texts of which the one denies what the other says.
var opposites = [][2]Key{
	{YesWord, NoWord},
	{YesButton, NoButton},
	{BookingConfirmed, BookingCancelled},
	{BookingConfirmed, BookingReleased},
	{BookingConfirmed, HoldGone},
	{BookingConfirmed, HoldExpiredNotice},
	{BookingCancelled, CancelKept},
	{BookingCancelled, CancelRefused},
	{BookingAlreadyConfirmed, BookingAlreadyCancelled},
	{BookingMoved, BookingUnmoved},
	{BookingMoved, MoveRefused},
	{BookingNoShow, BookingCame},
	{MerchantBookingConfirmed, MerchantBookingCancelled},
	{MerchantBookingConfirmed, MerchantBookingMoved},
	{MerchantBookingMoved, MerchantBookingCancelled},
	{ActionDone, ActionFailed},
	{ActionDone, ActionDeclined},
	{OptedIn, OptedOut},
	{HandedOver, HandedBack},
	{OrderPlaced, OrderReleased},
	{OrderPlaced, OrderLate},
	{OrderPlaced, OrderUnreachable},
	{OrderPlaced, BusinessUntold},
	{OrderPlaced, OrderExpired},
	{OrderPlaced, OrderCancelled},
	{OrderCancelled, OrderKept},
	{OrderCancelled, OrderCancelRefused},
	{OrderAccepted, OrderRefused},
	{OrderAccepted, OrderUnanswered},
	{OrderAccepted, OrderCancelledByBusiness},
	{OrderDone, OrderCancelledByBusiness},
	{OrderYouAccepted, OrderYouRefused},
	{OrderWordAccept, OrderWordRefuse},
	{OrderWordAccept, OrderWordDone},
	{OrderWordRefuse, OrderWordDone},
	{MerchantOrderPlaced, MerchantOrderCancelled},
	{OpsSoldOut, OpsBack},
	{OpsLeft, OpsUncounted},
	{OpsClosed, OpsOpenAfterAll},
	{OpsNoShow, OpsCame},
	{RelayPassed, RelayUndelivered},
	{RelayPassed, RelayUnreachable},
	{RoleWordCustomer, RoleWordWork},
	{RoleCustomer, RoleWork},
	{TaxiRequested, TaxiReleased},
	{TaxiRequested, TaxiCancelled},
	{TaxiScheduled, TaxiCancelled},
	{TaxiAlready, TaxiCancelled},
	{TaxiCancelled, TaxiKept},
	{TaxiCancelled, TaxiNotCancelled},
	{TaxiCalledOff, TaxiKept},
	{TaxiAssigned, TaxiUnserved},
	{TaxiArrived, TaxiDone},
	{TaxiYours, TaxiTooLate},
	{TaxiYours, TaxiDeclined},
	{TaxiYoursAlready, TaxiWithdrawn},
	{TaxiArrivedNoted, TaxiWithdrawn},
	{TaxiOn, TaxiOff},
	{TaxiWordOn, TaxiWordOff},
	{TaxiWordDone, TaxiWordCancel},
	{PaymentPaid, PaymentFailed},
	{PaymentPaid, PaymentTooLate},
	{PaymentPaid, PaymentAway},
	{MoneyBack, MoneyKept},
	{PayDone, PayGone},
	{PayDone, PayNotThrough},
	{PayGaveBack, PayChecking},
}

// opening is the first sentence of a text that says something itself, without its variables.
func opening(s string) string {
	said := regexp.MustCompile(`\{[a-zA-Z_]+\}`).ReplaceAllString(s, "")
	for _, sentence := range regexp.MustCompile(`[\n.!?؟]`).Split(said, -1) {
		if strings.ContainsFunc(sentence, unicode.IsLetter) {
			return strings.TrimFunc(sentence, func(r rune) bool { return !unicode.IsLetter(r) })
		}
	}
	return said
}

// saysAlso reports whether a is b, with or without a lead such as "All right,".
func saysAlso(a, b string) bool {
	return a == b || strings.HasSuffix(a, ", "+b) || strings.HasSuffix(a, "، "+b)
}

// A text that was copied from its opposite and changed further down opens like it.
func TestOppositesOpenDifferently(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		texts := sentences(t, lang)
		for _, pair := range opposites {
			a, b := opening(texts[pair[0]]), opening(texts[pair[1]])
			if saysAlso(a, b) || saysAlso(b, a) {
				t.Errorf("%s: %s opens with %q, and %s with %q", lang, pair[0], a, pair[1], b)
			}
		}
	}
}
