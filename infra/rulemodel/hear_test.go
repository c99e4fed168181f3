package rulemodel

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// saturday is the day on which all of these messages are written.
var saturday = newCalendar(time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC))

func TestWhen(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{ // "date[..end] time"; times are meant for no meal
		{"today", "2026-11-21"}, {"bugün", "2026-11-21"}, {"tonight at 8", "2026-11-21 20:00"}, {"bu akşam 8'de", "2026-11-21 20:00"},
		{"tomorrow at 7pm", "2026-11-22 19:00"}, {"yarın akşam 8'de", "2026-11-22 20:00"}, {"yarın 20:00", "2026-11-22 20:00"},
		{"tomorrow 8", "2026-11-22 08:00"}, {"yarın sabah 9", "2026-11-22 09:00"}, {"yarin aksam yedi bucukta", "2026-11-22 19:30"},
		{"the day after tomorrow at noon", "2026-11-23 12:00"}, {"öbür gün öğlen", "2026-11-23 12:00"},
		{"Saturday 19:30", "2026-11-21 19:30"}, {"cumartesi 19:30", "2026-11-21 19:30"}, {"next Saturday", "2026-11-28"},
		{"on Monday at 10:15", "2026-11-23 10:15"}, {"pazartesi 10.15'te", "2026-11-23 10:15"}, {"haftaya salı", "2026-11-24"},
		{"haftaya pazar", "2026-11-29"}, {"gelecek cuma saat 14:00", "2026-11-27 14:00"}, {"this sunday", "2026-11-22"}, {"fri 6pm", "2026-11-27 18:00"},
		{"Perşembe günü saat 3'te", "2026-11-26 15:00"}, {"this weekend", "2026-11-21"}, {"hafta sonu", "2026-11-21"},
		{"21 Nov", "2026-11-21"}, {"20 Nov", "2027-11-20"}, {"Nov 30th", "2026-11-30"}, {"the 3rd of December at 9 am", "2026-12-03 09:00"},
		{"3 Aralık'ta", "2026-12-03"}, {"3 aralıkta saat 21'de", "2026-12-03 21:00"}, {"1 Mayıs 2027", "2027-05-01"}, {"29 February", "2028-02-29"},
		{"2026-11-21 14:00", "2026-11-21 14:00"}, {"2026-12-01T18:30:00+02:00", "2026-12-01 18:30"}, {"24.12.2026", "2026-12-24"},
		{"24/12", "2026-12-24"}, {"24.12. 19.30", "2026-12-24 19:30"}, {"31 November", ""}, {"2026-13-45", ""},
		{"in 3 days", "2026-11-24"}, {"3 gün sonra", "2026-11-24"}, {"in a week", "2026-11-28"}, {"haftaya bugün", "2026-11-28"},
		{"from 24 to 27 November", "2026-11-24..2026-11-27"}, {"24-27 Nov", "2026-11-24..2026-11-27"}, {"Dec 1-5", "2026-12-01..2026-12-05"},
		{"24 Kasım'dan 27 Kasım'a", "2026-11-24..2026-11-27"}, {"24 ile 27 kasım", "2026-11-24..2026-11-27"}, {"30 Nov to 2 Dec", "2026-11-30..2026-12-02"},
		{"Saturday 21 November 19:30", "2026-11-21 19:30"}, {"21 Kasım Cumartesi 19:30", "2026-11-21 19:30"}, {"Sun 22 Nov 18:30", "2026-11-22 18:30"},
		{"at 7", " 19:00"}, {"at 9", " 09:00"}, {"7:10 pm", " 19:10"}, {"8 o'clock", " 08:00"}, {"dinner at 8", " 20:00"}, {"19h30", " 19:30"},
		{"saat 19", " 19:00"}, {"19h", " 19:00"}, {"Friday at 8h", "2026-11-27 08:00"}, {"quarter past seven in the evening", " 19:15"}, {"a quarter to 8 tonight", "2026-11-21 19:45"},
		{"in 2 hours", "2026-11-21 13:00"}, {"in half an hour", "2026-11-21 11:30"}, {"in an hour and a half", "2026-11-21 12:30"}, {"in 20 minutes", "2026-11-21 11:20"}, {"2 saat sonra", "2026-11-21 13:00"},
		{"yarım saat içinde", "2026-11-21 11:30"}, {"in fourteen days", ""}, {"tomorrow at midnight", "2026-11-22 00:00"}, {"half past four", " 16:30"}, {"sabah 7'de", " 07:00"}, {"12am", " 00:00"}, {"12:30 p.m.", " 12:30"}, {"00:15", " 00:15"},
		{"satın almak", ""}, {"may I come", ""}, {"sun loungers", ""}, {"a room for two", ""}, {"", ""},
	}
	for _, tt := range tests {
		h := hear(tt.text, saturday, asksNothing)
		got := ""
		if !h.when.date.IsZero() {
			got = h.when.date.Format(time.DateOnly)
		}
		if !h.when.end.IsZero() {
			got += ".." + h.when.end.Format(time.DateOnly)
		}
		if h.when.clock != nil {
			got += " " + h.when.clock.at(h.when.part, false)
		}
		if got != tt.want {
			t.Errorf("%q is %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestMeals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"at 8": "20:00", "at 8 in the morning": "08:00", "at 11": "23:00", "at 12": "12:00", "08:00": "08:00", "saat 9'da": "21:00"} {
		h := hear(text, saturday, asksNothing)
		if h.when.clock == nil {
			t.Errorf("%q: no time", text)
		} else if got := h.when.clock.at(h.when.part, true); got != want {
			t.Errorf("%q at a restaurant is %s, want %s", text, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text          string
		party, nights int
		maxPrice      int64
	}{
		{"for 4", 4, 0, 0}, {"4 kişi", 4, 0, 0}, {"dört kişilik masa", 4, 0, 0}, {"two people", 2, 0, 0}, {"table for two at seven", 2, 0, 0},
		{"party of 12", 12, 0, 0}, {"we are 5", 5, 0, 0}, {"3 of us", 3, 0, 0}, {"2 adults and 1 child", 3, 0, 0}, {"two adults and a child", 3, 0, 0}, {"an adult with two small kids", 3, 0, 0}, {"my wife and me", 2, 0, 0}, {"a family of 5", 5, 0, 0},
		{"in 2 hours for 3", 3, 0, 0}, {"2 yetişkin 2 çocuk", 4, 0, 0},
		{"just me", 1, 0, 0}, {"tek kişiyim", 1, 0, 0}, {"ikimiz", 2, 0, 0}, {"me and my wife", 2, 0, 0}, {"max 4 people", 4, 0, 0},
		{"for 3 nights", 0, 3, 0}, {"3 gece", 0, 3, 0}, {"2 kişi 3 gece", 2, 3, 0}, {"for 2 for three nights", 2, 3, 0}, {"bir haftalığına", 0, 7, 0}, {"for a week", 0, 7, 0},
		{"under 100 euros", 0, 0, 10000}, {"below €50", 0, 0, 5000}, {"max 30", 0, 0, 3000}, {"100 euro altında", 0, 0, 10000}, {"en fazla 1.500 TL", 0, 0, 150000},
		{"250 liradan ucuz", 0, 0, 25000}, {"50 avro", 0, 0, 0}, {"up to 12,50 euro", 0, 0, 1250}, {"€80 or less", 0, 0, 8000}, {"100€ altı", 0, 0, 10000},
		{"for 7pm", 0, 0, 0}, {"for 24 November", 0, 0, 0}, {"for 9999999", 0, 0, 0}, {"saat 8'e kadar", 0, 0, 0},
		{"dinner for 4 under 40 euros for 2 nights", 4, 2, 4000},
	}
	for _, tt := range tests {
		h := hear(tt.text, saturday, asksNothing)
		if h.party != tt.party || h.nights != tt.nights || h.maxPrice != tt.maxPrice {
			t.Errorf("%q: party %d, nights %d, most %d; want %d, %d, %d", tt.text, h.party, h.nights, h.maxPrice, tt.party, tt.nights, tt.maxPrice)
		}
	}
}

func TestPicks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text         string
		pick, number int
	}{
		{"the second one", 2, 0}, {"first", 1, 0}, {"ikincisi", 2, 0}, {"ilki lütfen", 1, 0}, {"üçüncüyü istiyorum", 3, 0}, {"the last one", -1, 0},
		{"sonuncusu", -1, 0}, {"option 3", 3, 0}, {"2 numara", 2, 0}, {"2'si", 2, 0}, {"2nd please", 2, 0},
		{"2", 0, 2}, {"#2", 0, 2}, {"2.", 0, 2}, {"two", 0, 2}, {"iki", 0, 2}, {"on iki", 0, 12}, {"one", 0, 1}, {"2 please", 0, 2}, {"2 lütfen", 0, 2},
		{"on", 0, 10}, {"sushi 2", 0, 0}, {"son dakika", 0, 0},
	}
	for _, tt := range tests {
		h := hear(tt.text, saturday, asksNothing)
		if h.pick != tt.pick || h.number != tt.number {
			t.Errorf("%q: pick %d, number %d; want %d, %d", tt.text, h.pick, h.number, tt.pick, tt.number)
		}
	}
}

func TestWordsToLookFor(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"sushi in Kyrenia", "sushi Kyrenia"}, {"I'm looking for a nice boat trip under 100 euros for 4 people tomorrow", "boat trip"},
		{"Girne'de akşam yemeği", "Girne akşam yemeği"}, {"yarın akşam Girne'de balık restoranı arıyorum, 4 kişiyiz", "Girne balık restoranı"},
		{"Lefkoşa'da kuaför var mı?", "Lefkoşa kuaför"}, {"hello", ""}, {"is there anything available tonight?", ""}, {"table for two at 8", ""},
		{"book a table at Niazi's", "Niazi's"}, {"İstanbul'dan uçuş", "İstanbul uçuş"}, {"rezervasyon yapmak istiyorum", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(hear(tt.text, saturday, asksNothing).words, " "); got != tt.want {
			t.Errorf("%q: looks for %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestMine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"what bookings do I have?": true, "do I have any reservations": true, "my reservations": true, "show me all bookings": true, "is my table confirmed?": true, "when is my booking": true,
		"what have I booked": true, "bookings": true, "rezervasyonum var mı": true, "is booking needed?": false, "I have a booking question": false, "book a table": false, "do you take reservations": false} {
		if h := hear(text, saturday, asksNothing); h.mine != want {
			t.Errorf("%q asks for one's bookings: %v, want %v", text, h.mine, want)
		}
	}
}

// What was spoken of is not asked for again.
func TestOfferingSpokenOf(t *testing.T) {
	t.Parallel()
	place := listing{offerings: []offering{{id: "t", name: "Table"}, {id: "o", name: "Omakase menu"}}}
	for said, want := range map[string]string{"a table for two tonight": "t", "iki kisilik masa": "t", "the omakase menu": "o", "menu": "", "sushi": "", "the omakase menu or a table": ""} {
		m := memory{chosen: &place, said: said}
		got := ""
		if o := m.offering(); o != nil {
			got = o.id
		}
		if got != want {
			t.Errorf("%q speaks of %q, want %q", said, got, want)
		}
	}
}

func TestParseResult(t *testing.T) {
	t.Parallel()
	if r := parseResult("searchMarketplace", `{"listings":[{"id":"","name":"no id"},{"id":"a","name":"A\nB\u202e","place":{"name":"Girne"},"priceFrom":{"amount":-5,"currency":"EUR"},
		"offerings":[{"id":"o","priceMinor":1e300,"slots":["2026-11-21T19:00:00+02:00",{"date":"2026-11-22","time":"20:00"},{"start":"2026-11-23 09:00"},7,"soon"],"openingHours":{"mon":[{"from":"09:00","to":"18:00"}],"tue":[{"from":"09:00","to":"18:00"}],"sun":[{"from":"10:00","to":"12:00"},{"from":"14:00","to":"16:00"}],"wed":7}}]},5]}`); len(r.listings) != 1 {
		t.Errorf("got %d listings, want 1", len(r.listings))
	} else {
		l := r.listings[0]
		free := []slot{{"2026-11-21", "19:00", ""}, {"2026-11-22", "20:00", ""}, {"2026-11-23", "09:00", ""}}
		open := []hours{{0, 1, "09:00–18:00"}, {6, 6, "10:00–12:00, 14:00–16:00"}}
		if l.name != "A B" || l.place != "Girne" || l.from.minor != 0 || l.offerings[0].price.minor != 0 || !cmp.Equal(l.offerings[0].hours, open, cmp.AllowUnexported(hours{})) ||
			!cmp.Equal(l.offerings[0].free, free, cmp.AllowUnexported(slot{})) {
			t.Errorf("got %+v", l)
		}
	}
	for _, text := range []string{"", "null", "[]", "7", `{"error":"no"}`, `{"error":{"kind":7}}`, "<data tool=\"x\">{}</data>"} {
		if r := parseResult("getListing", text); r.failed == nil {
			t.Errorf("%q: taken for a success", text)
		}
	}
	if r := parseResult("getMyBookings", `<data tool="getMyBookings">{"bookings":[{"transactionId":"t"}]}</data>`); len(r.bookings) != 1 {
		t.Errorf("a marked result is not read: %+v", r)
	}
}
