package rulemodel

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/words/claim"
)

func TestCareTopics(t *testing.T) {
	t.Parallel()
	for want, all := range map[topic][]string{
		toHandOver: {"I want to talk to a human", "can I speak to someone", "customer service please", "müşteri temsilcisi", "yetkili biriyle görüşmek istiyorum", "θέλω εκπρόσωπο", "соедините с оператором", "תן לי נציג", "أريد التحدث إلى شخص حقيقي",
			"Kundendienst bitte", "quiero hablar con alguien", "je veux parler à quelqu'un", "nataka kuongea na mtu halisi"},
		toMove: {"move my booking to 8 pm", "put it off to Saturday", "reschedule my appointment", "change my reservation to 4 people", "can we postpone?", "rezervasyonumu değiştir", "randevumu ertele", "άλλαξε την κράτησή μου", "перенести бронь", "להזיז את ההזמנה", "تأجيل الحجز",
			"Reservierung verschieben", "cambiar mi reserva", "décaler ma réservation", "ahirisha"},
		toWait:    {"put me on the waiting list", "waitlist please", "bekleme listesi", "λίστα αναμονής", "лист ожидания", "רשימת המתנה", "قائمة الانتظار", "Warteliste", "lista de espera"},
		toRemind:  {"remind me two hours before", "hatırlatır mısın", "θύμισέ μου", "напомни за час", "תזכיר לי", "ذكرني", "erinnere mich", "recuérdame", "nikumbushe"},
		toPay:     {"I want to pay", "ödemek istiyorum", "θέλω να πληρώσω", "хочу оплатить", "רוצה לשלם", "أريد أن أدفع", "ich möchte bezahlen"},
		payStatus: {"has my payment arrived?", "ödemem geldi mi", "моя оплата дошла?", "התשלום עבר?", "هل وصلت الدفعة"},
		noErrand:  {"are you a human?", "table for two persons", "make it 9pm", "book a table for 4", "rezervasyon yapmak istiyorum", "my bookings", "cancel my booking", "change the subject", "for 2 instead of 4"},
	} {
		for _, said := range all {
			if got := topicOf(newLine(said).whole); got != want {
				t.Errorf("%q is about %d, want %d", said, got, want)
			}
		}
	}
}

func TestLetters(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]letter{
		"ask Harbour Sushi whether dogs are welcome": {"Harbour Sushi", "whether dogs are welcome", true}, "Could you tell the hotel that we arrive late?": {"the hotel", "we arrive late?", false},
		"write to Koi: a table by the window": {"Koi", "a table by the window", false}, "send them a message saying hello": {"them", "hello", false}, "message Koi Sushi": {"Koi Sushi", "", false},
		"Koi'ye sor: park yeri var mı?": {"Koi", "park yeri var mı?", false}, "Koi'ye park yeri var mı diye sor": {"Koi", "park yeri var mı", false}, "Koi'ye park yeri olup olmadığını sor": {"Koi", "park yeri olup olmadığını", true},
		"γράψε στο Koi ότι θα αργήσουμε": {"Koi", "θα αργήσουμε", false}, "напиши Koi, что опоздаем": {"Koi", "опоздаем", false}, "תכתוב ל-Koi ש נאחר": {"Koi", "נאחר", false}, "اكتب إلى Koi أن نتأخر": {"Koi", "نتأخر", false},
		"frag Koi ob Hunde erlaubt sind": {"Koi", "ob Hunde erlaubt sind", true},
	} {
		got, ok := letterIn(said)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(letter{})); diff != "" || !ok {
			t.Errorf("%q (-want +got):\n%s", said, diff)
		}
	}
	for _, said := range []string{"tell me more about Koi", "ask me later", "write me when it is free", "can I ask when they open", "I want to ask about my order", "tell the driver that I wait", "", "bana yaz", "напиши мне, что там есть", "send me a reminder", "what's the message"} {
		if l, ok := letterIn(said); ok {
			t.Errorf("%q is taken for a letter: %+v", said, l)
		}
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	c := &conversation{calendar: saturday, now: time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)}
	table := booking{id: "t", slot: slot{date: "2026-11-26", clock: "19:00"}}
	for said, want := range map[string]map[string]any{
		"move it to 8 pm": {"time": "20:00"}, "move it to 8": {"time": "20:00"}, "to 8:30 in the morning": {"time": "08:30"}, "make it Friday": {"date": "2026-11-27"}, "for 4 instead of 2": {"partySize": 4}, "from 7 to 9 pm": {"time": "21:00"},
		"from Thursday to Friday": {"date": "2026-11-27"}, "two hours later": {"time": "21:00"}, "an hour earlier": {"time": "18:00"}, "half an hour later": {"time": "20:00"}, "bir saat sonraya": {"time": "20:00"},
		"cumaya al": {"date": "2026-11-27"}, "saat 9'a al": {"time": "21:00"}, "на 4 человека": {"partySize": 4}, "για 4 άτομα": {"partySize": 4}, "ל-4 אנשים": {"partySize": 4}, "لأربعة أشخاص": {"partySize": 4},
	} {
		var to terms
		c.readTerms(told{text: said}, table, &to)
		full := map[string]any{"transactionId": "t", "date": "2026-11-26", "time": "19:00"}
		maps.Copy(full, want)
		if diff := cmp.Diff(full, to.arguments(table)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", said, diff)
		}
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"10 to 18": "10:00-18:00", "10-14 and 18:30-23": "10:00-14:00 18:30-23:00", "9am to 5pm": "09:00-17:00", "10 to 6": "10:00-18:00", "18 to 2": "18:00-02:00", "10'dan 18'e": "10:00-18:00", "с 10 до 18": "10:00-18:00", "25 to 99": "", "ten": "",
		"من ١٠ إلى ١٨": "10:00-18:00",
	} {
		got := ""
		for i, s := range spansIn(said) {
			if i > 0 {
				got += " "
			}
			got += s["from"].(string) + "-" + s["to"].(string)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}

// What these voices say of themselves claims nothing, but for money that was given back.
func TestCareVoicesClaimNothing(t *testing.T) {
	t.Parallel()
	for tag, v := range voices("market") {
		o := voices("office")[tag]
		all := []string{v["handed"], v["cannotMove"], v["waits"], v["waitFirst"], v["reminds"], v["noReminder"], v["passed"], v["noWriting"], v["toPerson"], v["pay"], v["nothingToPay"],
			v["noBookings"], v["instead"], v["askThem"], v["noPrice"], v["next"], o["help"], o["proposed"], o["noPerson"], o["nothing"], o["noListings"], o["noItem"], o["noHours"], o["gone"], o["noneWaiting"], o["past"]}
		all = append(all, v["bye"], v["nothingOpen"], v["noneOpen"], v["noneSoCheap"], v["similar"], v["choose"], v["freeInstead"], v["taken"], v["noneOfMine"], v["unclear"],
			v["declined"], v["canBook"], v["what"], v["cancelBooking"], v["free"], v["foundOne"], v["results"], v["noneFound"], v["tryThis"], v["wellAndYou"])
		for _, section := range []string{"errand", "office"} {
			for _, q := range lexica().asks[section] {
				all = append(all, o[string(q)])
			}
		}
		for _, status := range []string{"waiting", "failed", "paid", "refunding", "refunded", "none"} {
			words := v["payment "+status]
			said := "MRV-7Q2K · €45 · " + words
			if strings.HasPrefix(status, "refund") { // as getPaymentStatus bears out
				if got := claim.Unsupported(said, []string{string(claim.Refunded)}); len(got) > 0 {
					t.Errorf("%s: %q claims %v", tag, said, got)
				}
				continue
			}
			all = append(all, said)
		}
		for _, said := range all {
			if got := claim.Unsupported(said, nil); said == "" || len(got) > 0 {
				t.Errorf("%s: %q claims %v", tag, said, got)
			}
		}
	}
}
