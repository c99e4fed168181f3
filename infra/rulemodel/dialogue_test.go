package rulemodel_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step is one turn: what the customer says, the calls that it must lead to, and what
// the reply must hold. A bar separates messages that are sent at once.
type step struct {
	say   string
	calls []string
	reply []string
}

const (
	findSushi = `searchMarketplace {"domain":"food","query":"sushi Kyrenia"}`
	seeNiazi  = `getListing {"listingId":"l-niazi"}`
)

var dialogues = []struct {
	name  string
	full  []string
	steps []step
}{
	{"a first booking", nil, []step{
		{"Hello", nil, []string{"not a large language model", "“sushi in Kyrenia”"}},
		{"sushi in Kyrenia", []string{findSushi}, []string{"1. Koi Sushi · Kyrenia · from €30", "2. Niazi's Sushi Bar", "Which one"}},
		{"the second one", []string{seeNiazi}, []string{"Niazi's", "Next free: Sat 21 Nov 19:00", "When would you like to come?"}},
		{"tomorrow at 7pm", nil, []string{"For how many people?"}},
		{"4", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-niazi","offeringId":"o-niazi","partySize":4,"time":"19:00"}`},
			[]string{"please check it"}},
		{"YES", nil, []string{"Booked"}},
		{"my bookings", []string{`getMyBookings {}`}, []string{"1. Niazi's Sushi Bar, Table, 2026-11-22 19:00 for 4 · MRV-100 · confirmed"}},
		{"please cancel my booking", []string{`getMyBookings {}`, `cancelBooking {"transactionId":"tx-1"}`}, []string{"the one you mean"}},
		{"yes", nil, []string{"Cancelled"}},
		{"my bookings", []string{`getMyBookings {}`}, []string{"no bookings"}},
		{"thanks!", nil, []string{"welcome"}},
	}},
	{"ilk rezervasyon", nil, []step{
		{"merhaba", nil, []string{"büyük bir dil modeli değilim", "rezervasyonlarım"}},
		{"Girne'de suşi", []string{`searchMarketplace {"domain":"food","query":"Kyrenia sushi"}`}, []string{"1. Koi Sushi", "başlangıç fiyatı €30", "Hangisini"}},
		{"ikincisi", []string{seeNiazi}, []string{"Sıradaki boş saatler: 21 Kasım Cumartesi 19:00", "Ne zaman"}},
		{"yarın akşam 8'de", nil, []string{"Kaç kişisiniz?"}},
		{"4 kişi", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-niazi","offeringId":"o-niazi","partySize":4,"time":"20:00"}`},
			[]string{"kontrol edin"}},
		{"evet", nil, []string{"Booked"}},
		{"rezervasyonlarım", []string{`getMyBookings {}`}, []string{"Rezervasyonlarınız:", "MRV-100 · onaylı"}},
		{"rezervasyonumu iptal et", []string{`getMyBookings {}`, `cancelBooking {"transactionId":"tx-1"}`}, []string{"kastettiğinizin"}},
		{"hayır", nil, []string{"nothing was changed"}},
		{"teşekkürler", nil, []string{"Rica ederim"}},
	}},
	{"everything at once", nil, []step{
		{"I'd like to book a table at Niazi's Sushi Bar tomorrow at 8 for 4 people", []string{
			`searchMarketplace {"domain":"food","query":"Niazi's Sushi Bar"}`,
			`initiateBooking {"date":"2026-11-22","listingId":"l-niazi","offeringId":"o-niazi","partySize":4,"time":"20:00"}`}, []string{"please check it"}},
	}},
	{"hepsi bir arada", nil, []step{
		{"Koi Sushi için cumartesi 19:30'da iki kişilik masa istiyorum", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`,
			`initiateBooking {"date":"2026-11-21","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"19:30"}`}, []string{"kontrol edin"}},
	}},
	{"messages sent at once", nil, []step{
		{"hi|sushi in kyrenia|for 2 tonight at 7:30", []string{`searchMarketplace {"domain":"food","query":"sushi kyrenia"}`}, []string{"Which one"}},
		{"2", []string{`initiateBooking {"date":"2026-11-21","listingId":"l-niazi","offeringId":"o-niazi","partySize":2,"time":"19:30"}`}, []string{"check"}},
	}},
	{"a boat, with a choice of offerings", nil, []step{
		{"boat trip under 100 euros", []string{`searchMarketplace {"domain":"tours","maxPrice":10000,"query":"boat trip"}`,
			`getListing {"listingId":"l-sea"}`}, []string{"Blue Lagoon Boats offers:", "1. Half day · €45 per person", "2. Full day · €80 per person"}},
		{"full day", nil, []string{"When would you like"}},
		{"next Saturday", nil, []string{"At what time on Sat 28 Nov?"}},
		{"9:30", nil, []string{"how many people"}},
		{"2 adults and 2 kids", []string{`initiateBooking {"date":"2026-11-28","listingId":"l-sea","offeringId":"o-full","partySize":4,"time":"09:30"}`}, []string{"check"}},
	}},
	{"tekne turu", nil, []step{
		{"100 euro altında tekne turu", []string{`searchMarketplace {"domain":"tours","maxPrice":10000,"query":"boat tour"}`,
			`searchMarketplace {"domain":"tours","maxPrice":10000,"query":"tekne turu"}`, `searchMarketplace {"domain":"tours","maxPrice":10000,"query":"boat"}`},
			[]string{"“tekne turu” için sonuç çıkmadı. “boat” için bulduklarım:", "1. Blue Lagoon Boats"}},
		{"tekne gezisi", []string{`searchMarketplace {"domain":"tours","query":"boat trip"}`}, []string{"1. Blue Lagoon Boats", "2. Royal Yacht"}},
		{"en ucuzu", []string{`getListing {"listingId":"l-sea"}`}, []string{"1. Half day"}},
		{"ilki", nil, []string{"Ne zaman"}},
		{"28 Kasım saat 10'da 3 kişi", []string{`initiateBooking {"date":"2026-11-28","listingId":"l-sea","offeringId":"o-half","partySize":3,"time":"10:00"}`}, []string{"kontrol"}},
	}},
	{"a stay", nil, []step{
		{"hotel in Kyrenia", []string{`searchMarketplace {"domain":"stays","query":"hotel Kyrenia"}`, `getListing {"listingId":"l-hotel"}`},
			[]string{"I found Harbour Hotel", "1. Suite · €180 per night", "2. Double room · €90 per night"}},
		{"double", nil, []string{"From which day?"}},
		{"from 24 November", nil, []string{"how many nights"}},
		{"3", nil, []string{"how many people"}},
		{"two", []string{`initiateBooking {"date":"2026-11-24","endDate":"2026-11-27","listingId":"l-hotel","offeringId":"o-double","partySize":2}`}, []string{"check"}},
	}},
	{"konaklama", nil, []step{
		{"Alsancak'ta 25 Kasım'dan 3 gece villa arıyorum, 2 kişiyiz", []string{`searchMarketplace {"domain":"stays","query":"Alsancak villa"}`,
			`initiateBooking {"date":"2026-11-25","endDate":"2026-11-28","listingId":"l-villa","offeringId":"o-villa","partySize":2}`}, []string{"kontrol"}},
	}},
	{"çift kişilik oda", nil, []step{
		{"Girne'de otel", []string{`searchMarketplace {"domain":"stays","query":"Kyrenia hotel"}`, `getListing {"listingId":"l-hotel"}`}, []string{"2. Double room · €90 gecelik"}},
		{"çift kişilik", nil, []string{"Hangi günden"}},
		{"1", nil, []string{"Hangi günden"}},
		{"24 Kasım", nil, []string{"Kaç gece"}},
		{"2 gece", nil, []string{"Kaç kişi"}},
		{"2", []string{`initiateBooking {"date":"2026-11-24","endDate":"2026-11-26","listingId":"l-hotel","offeringId":"o-double","partySize":2}`}, []string{"kontrol"}},
	}},
	{"a stay from day to day", nil, []step{
		{"a room for 2 from 1 to 5 December at the Harbour Hotel", []string{`searchMarketplace {"domain":"stays","query":"room Harbour Hotel"}`,
			`searchMarketplace {"domain":"stays","query":"room"}`}, []string{"Nothing came up"}},
		{"Harbour Hotel", []string{`searchMarketplace {"domain":"stays","query":"Harbour Hotel"}`, `getListing {"listingId":"l-hotel"}`}, []string{"2. Double room"}},
		{"the double", []string{`initiateBooking {"date":"2026-12-01","endDate":"2026-12-05","listingId":"l-hotel","offeringId":"o-double","partySize":2}`}, []string{"check"}},
	}},
	{"taken nights", []string{"2026-12-01 to 2026-12-05"}, []step{
		{"villa in Alsancak, 1-5 December, for 4", []string{`searchMarketplace {"domain":"stays","query":"villa Alsancak"}`,
			`initiateBooking {"date":"2026-12-01","endDate":"2026-12-05","listingId":"l-villa","offeringId":"o-villa","partySize":4}`},
			[]string{"1. Tue 1 Dec – Fri 4 Dec", "2. Tue 8 Dec – Fri 11 Dec"}},
		{"the second one please", []string{`initiateBooking {"date":"2026-12-08","endDate":"2026-12-11","listingId":"l-villa","offeringId":"o-villa","partySize":4}`}, []string{"check"}},
	}},
	{"too many at the table", nil, []step{
		{"Koi Sushi tonight at 8 for 9", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`,
			`initiateBooking {"date":"2026-11-21","listingId":"l-koi","offeringId":"o-koi","partySize":9,"time":"20:00"}`}, []string{"want 1 to 6", "how many people"}},
		{"6", []string{`initiateBooking {"date":"2026-11-21","listingId":"l-koi","offeringId":"o-koi","partySize":6,"time":"20:00"}`}, []string{"check"}},
	}},
	{"a full table", []string{"2026-11-22 19:00"}, []step{
		{"sushi in Kyrenia", []string{findSushi}, nil},
		{"Koi", []string{`getListing {"listingId":"l-koi"}`}, []string{"When"}},
		{"tomorrow 7pm for 2", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"19:00"}`},
			[]string{"nearest free times", "1. Sun 22 Nov 18:30", "2. Sun 22 Nov 20:30"}},
		{"the second", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"20:30"}`}, []string{"check"}},
	}},
	{"dolu masa", []string{"2026-11-22 19:00"}, []step{
		{"suşi restoranı", []string{`searchMarketplace {"domain":"food","query":"sushi restaurant"}`}, []string{"1. Koi Sushi"}},
		{"1", []string{`getListing {"listingId":"l-koi"}`}, []string{"Ne zaman"}},
		{"yarın 19:00, iki kişi", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"19:00"}`},
			[]string{"En yakın boş saatler", "1. 22 Kasım Pazar 18:30"}},
		{"18:30 olsun", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"18:30"}`}, []string{"kontrol"}},
	}},
	{"a change of mind after NO", nil, []step{
		{"sushi in Kyrenia", []string{findSushi}, nil},
		{"number 2 please", []string{seeNiazi}, nil},
		{"tonight at 8 for two people", []string{`initiateBooking {"date":"2026-11-21","listingId":"l-niazi","offeringId":"o-niazi","partySize":2,"time":"20:00"}`}, nil},
		{"NO", nil, []string{"nothing was changed"}},
		{"make it 9pm", []string{`initiateBooking {"date":"2026-11-21","listingId":"l-niazi","offeringId":"o-niazi","partySize":2,"time":"21:00"}`}, []string{"check"}},
		{"no", nil, []string{"nothing was changed"}},
		{"what about Bellapais?", []string{`searchMarketplace {"domain":"food","query":"sushi Bellapais"}`, `searchMarketplace {"domain":"food","query":"sushi"}`},
			[]string{"Nothing came up for “sushi Bellapais”. Here is what I found for “sushi”:", "1. Koi Sushi"}},
		{"meze then", []string{`searchMarketplace {"domain":"food","query":"meze"}`, `getListing {"listingId":"l-trap"}`}, []string{"Trap Tavern"}},
	}},
	{"dropped half-way", nil, []step{
		{"sushi in Kyrenia", []string{findSushi}, nil},
		{"the first one", []string{`getListing {"listingId":"l-koi"}`}, nil},
		{"never mind", nil, []string{"dropped"}},
		{"haircut", []string{`searchMarketplace {"domain":"wellness","query":"haircut"}`}, []string{"Nothing came up"}},
		{"hairdresser in Nicosia", []string{`searchMarketplace {"domain":"wellness","query":"hairdresser Nicosia"}`, `getListing {"listingId":"l-hair"}`}, []string{"Studio Kuaför Ayşe", "₺600"}},
		{"Monday 10", []string{`initiateBooking {"date":"2026-11-23","listingId":"l-hair","offeringId":"o-cut","time":"10:00"}`}, []string{"check"}},
	}},
	{"details first", nil, []step{
		{"sushi in Kyrenia", []string{findSushi}, nil},
		{"tell me more about Koi", []string{`getListing {"listingId":"l-koi"}`}, []string{"“sushi restaurant in Kyrenia.”", "• Table · €30 per person · Mon–Wed 12:00–15:00, 18:00–23:00; Sat 18:00–01:00", "When"}},
		{"what are you?", nil, []string{"rule-based stand-in"}},
		{"on 2 December at half past seven in the evening, party of 6, it's a birthday", []string{
			`initiateBooking {"date":"2026-12-02","listingId":"l-koi","note":"on 2 December at half past seven in the evening, party of 6, it's a birthday","offeringId":"o-koi","partySize":6,"time":"19:30"}`}, []string{"check"}},
	}},
	{"one of two to cancel", nil, []step{
		{"Koi Sushi tonight at 7 for 2", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`, `initiateBooking {"date":"2026-11-21","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"19:00"}`}, nil},
		{"yes", nil, nil},
		{"Niazi's tomorrow at 1pm for 3", []string{`searchMarketplace {"query":"Niazi's"}`, `initiateBooking {"date":"2026-11-22","listingId":"l-niazi","offeringId":"o-niazi","partySize":3,"time":"13:00"}`}, nil},
		{"yes", nil, nil},
		{"cancel my reservation", []string{`getMyBookings {}`}, []string{"1. Koi Sushi", "2. Niazi's", "Which one shall I cancel?"}},
		{"2", []string{`getMyBookings {}`, `cancelBooking {"transactionId":"tx-2"}`}, []string{"the one you mean"}},
		{"yes", nil, []string{"Cancelled: Niazi's"}},
		{"cancel booking MRV-100", []string{`getMyBookings {}`, `cancelBooking {"transactionId":"tx-1"}`}, nil},
		{"YES", nil, []string{"Cancelled: Koi"}},
		{"cancel my booking", []string{`getMyBookings {}`}, []string{"no bookings"}},
	}},
	{"a customer who says little", nil, []step{
		{"???", nil, []string{"didn't get that"}},
		{"2", nil, []string{"didn't get that"}},
		{"help", nil, []string{"I can find places"}},
		{"tomorrow at 8", nil, []string{"What are you looking for"}},
		{"sushi", []string{`searchMarketplace {"domain":"food","query":"sushi"}`}, []string{"Which one"}},
		{"Koi Sushi", []string{`getListing {"listingId":"l-koi"}`}, nil},
		{"hmm", nil, []string{"didn't get that", "how many people"}},
		{"just me", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":1,"time":"20:00"}`}, nil},
	}},
	{"a merchant who gives orders", nil, []step{
		{"meze in Bellapais", []string{`searchMarketplace {"domain":"food","query":"meze Bellapais"}`, `getListing {"listingId":"l-trap"}`}, []string{"Trap Tavern", "When"}},
		{"more details", []string{`getListing {"listingId":"l-trap"}`}, []string{"Trap Tavern"}},
		{"tomorrow at 8pm for 2", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-trap","offeringId":"o-trap","partySize":2,"time":"20:00"}`}, nil},
	}},
}

// TestDialogues plays each conversation with the earlier results kept in different ways.
func TestDialogues(t *testing.T) {
	t.Parallel()
	others := [][]history{{inFull, nowhere}, {inFront, asTools}, {nowhere, asTools}, {inFull, inFront}} // two of the other ways for each
	for i, d := range dialogues {
		for _, keep := range append([]history{inPlace}, others[i%len(others)]...) {
			t.Run(d.name+", "+string(keep), func(t *testing.T) {
				t.Parallel()
				c := newChat(t, keep)
				c.backend.full = d.full
				for _, s := range d.steps {
					reply, calls := c.turn(strings.Split(s.say, "|")...)
					if keep == inFull || keep == asTools {
						if diff := cmp.Diff(s.calls, calls); diff != "" {
							t.Fatalf("%q: calls (-want +got):\n%s\nreply: %s", s.say, diff, reply)
						}
					} else if !amount(calls, s.calls) {
						t.Fatalf("%q: calls %q, want %q and at most what was forgotten; reply: %s", s.say, calls, s.calls, reply)
					}
					for _, want := range s.reply {
						if !strings.Contains(reply, want) {
							t.Errorf("%q: reply %q, want %q in it", s.say, reply, want)
						}
					}
				}
			})
		}
	}
}

// amount reports whether calls come to want: besides it they only fetch again what is
// no longer at hand.
func amount(calls, want []string) bool {
	for _, c := range calls {
		switch {
		case len(want) > 0 && c == want[0]:
			want = want[1:]
		case !strings.HasPrefix(c, "searchMarketplace ") && !strings.HasPrefix(c, "getListing "):
			return false
		}
	}
	return len(want) == 0
}
