package rulemodel_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/model/llm"
)

// withOwn gives the customer bookings.
func withOwn(all ...map[string]any) func(b *backend) {
	return func(b *backend) { b.own = append([]map[string]any{}, all...) }
}

func paying(status string) func(b *backend) { return func(b *backend) { b.payment = status } }

func full(b *backend) { b.full = []string{"2026-11-22 19:00"} }

// move is a call that moves the table at Koi.
func move(rest string) []string {
	return []string{"getMyBookings {}", `rescheduleBooking {` + rest + `"transactionId":"tx-koi"}`}
}

const bookKoi = `"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"19:00"}`

var cares = []struct {
	name  string
	tag   string
	set   func(b *backend)
	steps []step
}{
	{"a person", "en", nil, []step{
		{"are you a human?", nil, []string{"not a large language model"}},
		{"I want to talk to a human", []string{`askForPerson {"reason":"I want to talk to a human"}`}, []string{"person"}},
		{"order a pizza", []string{findPizza, pizzaMenu}, []string{"What would you like?"}},
		{"can I speak to somebody real please", []string{`askForPerson {"reason":"can I speak to somebody real please"}`}, nil},
	}},
	{"temsilci", "tr", nil, []step{
		{"müşteri temsilcisi istiyorum", []string{`askForPerson {"reason":"müşteri temsilcisi istiyorum"}`}, []string{"kişi"}},
	}},
	{"человек", "ru", nil, []step{
		{"позовите оператора", []string{`askForPerson {"reason":"позовите оператора"}`}, []string{"человек"}},
	}},
	{"persons", "en", nil, []step{
		{"Θέλω να μιλήσω με άνθρωπο", []string{`askForPerson {"reason":"Θέλω να μιλήσω με άνθρωπο"}`}, []string{"άνθρωπος"}},
		{"אני רוצה לדבר עם בן אדם", []string{`askForPerson {"reason":"אני רוצה לדבר עם בן אדם"}`}, []string{"אדם"}},
		{"أريد أن أتحدث مع موظف", []string{`askForPerson {"reason":"أريد أن أتحدث مع موظف"}`}, []string{"شخص"}},
		{"ich möchte mit einem Menschen sprechen", []string{`askForPerson {"reason":"ich möchte mit einem Menschen sprechen"}`}, nil},
		{"quiero hablar con una persona", []string{`askForPerson {"reason":"quiero hablar con una persona"}`}, nil},
	}},

	{"another hour", "en", withOwn(ownTable, ownOver), []step{
		{"move my booking to 8 pm", move(`"date":"2026-11-26","time":"20:00",`), []string{"please check it"}},
		{"make it Friday", move(`"date":"2026-11-27","time":"19:00",`), nil},
	}},
	{"just booked", "en", nil, []step{
		{"Koi Sushi tomorrow at 7pm for 2", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`, "initiateBooking {" + bookKoi}, []string{"please check it"}},
		{"YES", nil, []string{"Booked"}},
		{"make it 8 pm for 4 instead of 2", []string{"getMyBookings {}", `rescheduleBooking {"date":"2026-11-22","partySize":4,"time":"20:00","transactionId":"tx-1"}`}, []string{"please check it"}},
	}},
	{"not booked yet", "en", nil, []step{
		{"Koi Sushi tomorrow at 7pm for 2", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`, "initiateBooking {" + bookKoi}, nil},
		{"NO", nil, nil},
		{"make it 9pm", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"21:00"}`}, nil},
	}},
	{"more people", "en", withOwn(ownTable), []step{
		{"change my booking to 4 people instead of 2", move(`"date":"2026-11-26","partySize":4,"time":"19:00",`), nil},
		{"I want to change my reservation", []string{"getMyBookings {}"}, []string{"Koi Sushi · Table", "To which day or time"}},
		{"9", []string{"getMyBookings {}", `rescheduleBooking {"date":"2026-11-26","time":"21:00","transactionId":"tx-koi"}`}, nil},
		{"my booking for 9 people please, change it", move(`"date":"2026-11-26","partySize":9,"time":"19:00",`), []string{"want 1 to 6"}},
		{"reschedule my booking an hour later", move(`"date":"2026-11-26","time":"20:00",`), nil},
	}},
	{"a full hour", "en", func(b *backend) { withOwn(ownTable)(b); b.full = []string{"2026-11-27 20:00"} }, []step{
		{"reschedule my booking to Friday 8pm", move(`"date":"2026-11-27","time":"20:00",`), []string{"1. Fri 27 Nov 18:30", "2. Fri 27 Nov 21:00", "Which of these times"}},
		{"the second one", move(`"date":"2026-11-27","time":"21:00",`), []string{"please check it"}},
	}},
	{"which of two", "en", withOwn(ownTable, ownStay), []step{
		{"I need to move my booking to Friday", []string{"getMyBookings {}"}, []string{"1. Koi Sushi", "2. Harbour Hotel", "Which of them shall be moved?"}},
		{"2", []string{"getMyBookings {}", `rescheduleBooking {"date":"2026-11-27","endDate":"2026-11-30","transactionId":"tx-hotel"}`}, []string{"please check it"}},
		{"move the Harbour Hotel booking to 24 December", []string{"getMyBookings {}", `rescheduleBooking {"date":"2026-12-24","endDate":"2026-12-27","transactionId":"tx-hotel"}`}, []string{"can't be moved from here"}},
		{"move booking MRV-7Q2K", []string{"getMyBookings {}"}, []string{"Koi Sushi", "To which day"}},
		{"never mind", nil, []string{"dropped"}},
		{"cancel booking MRV-7Q2K", []string{"getMyBookings {}", `cancelBooking {"transactionId":"tx-koi"}`}, nil},
	}},
	{"ertele", "tr", withOwn(ownTable), []step{
		{"rezervasyonumu cuma gününe ertele", move(`"date":"2026-11-27","time":"19:00",`), []string{"kontrol edin"}},
		{"rezervasyonumu saat 8'e al", move(`"date":"2026-11-26","time":"20:00",`), nil},
		{"rezervasyonumu 2 yerine 4 kişi yap", move(`"date":"2026-11-26","partySize":4,"time":"19:00",`), nil},
		{"rezervasyonumu değiştirmek istiyorum", []string{"getMyBookings {}"}, []string{"Hangi gün veya saate"}},
		{"yarın 20:30", move(`"date":"2026-11-22","time":"20:30",`), nil},
	}},
	{"перенести", "ru", func(b *backend) { withOwn(ownTable)(b); b.full = []string{"2026-11-27 20:00"} }, []step{
		{"перенесите мою бронь на пятницу в 20:00", move(`"date":"2026-11-27","time":"20:00",`), []string{"1. 27.11.2026 18:30", "Какое время"}},
		{"2", move(`"date":"2026-11-27","time":"21:00",`), []string{"предложение"}},
		{"измените бронь на 4 человека вместо 2", move(`"date":"2026-11-26","partySize":4,"time":"19:00",`), nil},
		{"перенесите бронь на 8", move(`"date":"2026-11-26","time":"20:00",`), nil},
	}},
	{"moves in other languages", "en", withOwn(ownTable), []step{
		{"Θέλω να μεταφέρω την κράτησή μου για την Παρασκευή στις 21:00", move(`"date":"2026-11-27","time":"21:00",`), []string{"πρόταση"}},
		{"אני רוצה להזיז את ההזמנה ליום שישי בשעה 21:00", move(`"date":"2026-11-27","time":"21:00",`), []string{"ההצעה"}},
		{"أريد تأجيل الحجز إلى الجمعة الساعة ٢١:٠٠", move(`"date":"2026-11-27","time":"21:00",`), []string{"العرض"}},
		{"bitte die Reservierung auf Freitag verschieben", move(`"date":"2026-11-27","time":"19:00",`), nil},
		{"quiero cambiar mi reserva a 4 personas", move(`"date":"2026-11-26","partySize":4,"time":"19:00",`), nil},
	}},

	{"the list", "en", full, []step{
		{"sushi in Kyrenia", []string{findSushi}, nil},
		{"Koi Sushi", []string{`getListing {"listingId":"l-koi"}`}, nil},
		{"tomorrow 7pm for 2", []string{"initiateBooking {" + bookKoi}, []string{"1. Sun 22 Nov 18:30", "Which time shall it be?", "waiting list"}},
		{"put me on the waiting list", []string{"joinWaitlist {" + bookKoi}, []string{"I'll write to you here if it becomes free: Koi Sushi, Sun 22 Nov 19:00", "Nothing is held"}},
		{"thanks", nil, []string{"welcome"}},
	}},
	{"yes, the list", "en", full, []step{
		{"Koi Sushi tomorrow at 7pm for 2", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`, "initiateBooking {" + bookKoi}, []string{"waiting list"}},
		{"yes, the list", []string{"joinWaitlist {" + bookKoi}, []string{"if it becomes free"}},
	}},
	{"not the list", "en", full, []step{
		{"Koi Sushi tomorrow at 7pm for 2", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`, "initiateBooking {" + bookKoi}, nil},
		{"ok the second one", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"20:30"}`}, []string{"please check it"}},
		{"put me on the waiting list", []string{"joinWaitlist {" + strings.Replace(bookKoi, "19:00", "20:30", 1), "initiateBooking {" + strings.Replace(bookKoi, "19:00", "20:30", 1)}, []string{"please check it"}},
	}},
	{"no list without a wish", "en", nil, []step{
		{"put me on the waiting list", nil, []string{"Tell me place, day, time"}},
	}},
	{"bekleme listesi", "tr", full, []step{
		{"Koi Sushi için yarın 19:00, 2 kişi", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`, "initiateBooking {" + bookKoi}, []string{"Hangi saat olsun?", "bekleme listesine"}},
		{"bekleme listesine yaz", []string{"joinWaitlist {" + bookKoi}, []string{"Boşalırsa size buradan yazarım: Koi Sushi, 22 Kasım Pazar 19:00"}},
	}},
	{"λίστα", "en", full, []step{
		{"Koi Sushi tomorrow at 7pm for 2", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`, "initiateBooking {" + bookKoi}, nil},
		{"βάλτε με στη λίστα αναμονής", []string{"joinWaitlist {" + bookKoi}, []string{"αν ελευθερωθεί", "22.11.2026 19:00"}},
		{"запишите меня в лист ожидания", []string{"joinWaitlist {" + bookKoi}, []string{"если освободится"}},
		{"תרשמו אותי לרשימת המתנה", []string{"joinWaitlist {" + bookKoi}, []string{"אם יתפנה"}},
		{"ضعني في قائمة الانتظار", []string{"joinWaitlist {" + bookKoi}, []string{"إذا أصبح متاحا"}},
	}},

	{"remind me", "en", withOwn(ownTable), []step{
		{"remind me two hours before", []string{"getMyBookings {}", `setReminder {"hoursBefore":2,"transactionId":"tx-koi"}`}, []string{"I'll remind you on Thu 26 Nov 16:00 (MRV-7Q2K)"}},
		{"remind me a day before my booking", []string{"getMyBookings {}", `setReminder {"hoursBefore":24,"transactionId":"tx-koi"}`}, nil},
		{"send me a reminder please", []string{"getMyBookings {}", `setReminder {"transactionId":"tx-koi"}`}, nil},
		{"remind me on Thursday at 10:00", []string{"getMyBookings {}", `setReminder {"hoursBefore":9,"transactionId":"tx-koi"}`}, nil},
		{"don't remind me", []string{"getMyBookings {}", `setReminder {"hoursBefore":0,"transactionId":"tx-koi"}`}, []string{"no reminder"}},
		{"remind me a week before", []string{"getMyBookings {}", `setReminder {"hoursBefore":168,"transactionId":"tx-koi"}`}, []string{"passed already", "How many hours"}},
		{"3", []string{"getMyBookings {}", `setReminder {"hoursBefore":3,"transactionId":"tx-koi"}`}, nil},
		{"remind me to buy some milk", []string{"getMyBookings {}"}, []string{"Of which of them"}},
	}},
	{"reminders of two", "en", withOwn(ownTable, ownStay), []step{
		{"remind me 5 hours before", []string{"getMyBookings {}"}, []string{"Of which of them"}},
		{"the second", []string{"getMyBookings {}", `setReminder {"hoursBefore":5,"transactionId":"tx-hotel"}`}, nil},
	}},
	{"nothing to be reminded of", "en", withOwn(ownOver), []step{
		{"remind me", []string{"getMyBookings {}"}, []string{"no booking ahead"}},
	}},
	{"hatırlat", "tr", withOwn(ownTable), []step{
		{"iki saat önce hatırlat", []string{"getMyBookings {}", `setReminder {"hoursBefore":2,"transactionId":"tx-koi"}`}, []string{"26 Kasım Perşembe 16:00"}},
		{"bir gün önce hatırlatır mısın", []string{"getMyBookings {}", `setReminder {"hoursBefore":24,"transactionId":"tx-koi"}`}, nil},
	}},
	{"reminders in other languages", "en", withOwn(ownTable), []step{
		{"Напомните за 2 часа", []string{"getMyBookings {}", `setReminder {"hoursBefore":2,"transactionId":"tx-koi"}`}, []string{"Напомню"}},
		{"Θύμισέ μου δύο ώρες πριν", []string{"getMyBookings {}", `setReminder {"hoursBefore":2,"transactionId":"tx-koi"}`}, []string{"Θα σας θυμίσω"}},
		{"תזכיר לי שעתיים לפני", []string{"getMyBookings {}", `setReminder {"hoursBefore":2,"transactionId":"tx-koi"}`}, []string{"אזכיר"}},
		{"ذكرني قبل ساعتين", []string{"getMyBookings {}", `setReminder {"hoursBefore":2,"transactionId":"tx-koi"}`}, []string{"سأذكرك"}},
		{"erinnere mich 3 Stunden vorher", []string{"getMyBookings {}", `setReminder {"hoursBefore":3,"transactionId":"tx-koi"}`}, nil},
	}},

	{"a question to a business", "en", nil, []step{
		{"ask Koi Sushi whether dogs are welcome", []string{`searchMarketplace {"query":"Koi Sushi"}`, `sendWhatsAppMessage {"listingId":"l-koi","text":"I would like to know whether dogs are welcome."}`}, []string{"please check it"}},
		{"write to Koi Sushi that we are ten minutes late", []string{`sendWhatsAppMessage {"listingId":"l-koi","text":"We are ten minutes late."}`}, nil},
		{"send a message to Harbour Hotel", []string{`searchMarketplace {"query":"Harbour Hotel"}`}, []string{"What shall I write to them?"}},
		{"Is there a lift?", []string{`sendWhatsAppMessage {"listingId":"l-hotel","text":"Is there a lift?"}`}, nil},
		{"ask Studio Kuaför Ayşe if they have parking", []string{`searchMarketplace {"query":"Studio Kuaför Ayşe"}`, `sendWhatsAppMessage {"listingId":"l-hair","text":"I would like to know if you have parking."}`}, []string{"can't be written to"}},
		{"ask Nobody Known whether they are open", []string{`searchMarketplace {"query":"Nobody Known"}`}, []string{"Nothing came up"}},
	}},
	{"them", "en", nil, []step{
		{"tell me more about Koi Sushi", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`, `getListing {"listingId":"l-koi"}`}, nil},
		{"ask them if they have high chairs", []string{`sendWhatsAppMessage {"listingId":"l-koi","text":"I would like to know if you have high chairs."}`}, nil},
	}},
	{"who are they", "en", nil, []step{
		{"ask them whether they are open", nil, []string{"To which business"}},
		{"Koi Sushi", []string{`searchMarketplace {"query":"Koi Sushi"}`, `sendWhatsAppMessage {"listingId":"l-koi","text":"I would like to know whether you are open."}`}, nil},
	}},
	{"yaz", "tr", nil, []step{
		{"Koi Sushi'ye köpek kabul ediyor musunuz diye sor", []string{`searchMarketplace {"query":"Koi Sushi"}`, `sendWhatsAppMessage {"listingId":"l-koi","text":"Köpek kabul ediyor musunuz?"}`}, []string{"kontrol edin"}},
		{"Harbour Hotel'e yaz: geç geleceğiz", []string{`searchMarketplace {"query":"Harbour Hotel"}`, `sendWhatsAppMessage {"listingId":"l-hotel","text":"Geç geleceğiz."}`}, nil},
	}},
	{"messages in other languages", "en", nil, []step{
		{"Спроси у Koi Sushi, можно ли с собакой", []string{`searchMarketplace {"query":"Koi Sushi"}`, `sendWhatsAppMessage {"listingId":"l-koi","text":"Подскажите, пожалуйста, можно ли с собакой."}`}, []string{"предложение"}},
		{"Ρώτησε το Koi Sushi αν επιτρέπονται σκύλοι", []string{`sendWhatsAppMessage {"listingId":"l-koi","text":"Θα ήθελα να μάθω αν επιτρέπονται σκύλοι."}`}, []string{"πρόταση"}},
		{"תשאל את Koi Sushi אם מותר עם כלב", []string{`sendWhatsAppMessage {"listingId":"l-koi","text":"רציתי לדעת אם מותר עם כלב."}`}, []string{"ההצעה"}},
		{"اسأل Koi Sushi هل الكلاب مسموحة عندهم", []string{`sendWhatsAppMessage {"listingId":"l-koi","text":"أود أن أعرف هل الكلاب مسموحة عندهم."}`}, []string{"العرض"}},
	}},

	{"to pay", "en", paying("none"), []step{
		{"I want to pay", []string{"createPaymentIntent {}"}, []string{"please check it"}},
		{"has my payment arrived?", []string{"getPaymentStatus {}"}, []string{"none was asked for"}},
	}},
	{"a link", "en", paying("waiting"), []step{
		{"can I pay now?", []string{"createPaymentIntent {}"}, []string{"https://merve.example/pay/abc"}},
		{"did you get my payment?", []string{"getPaymentStatus {}"}, []string{"MRV-7Q2K · €45 · not arrived yet", "https://merve.example/pay/abc"}},
	}},
	{"nothing to pay", "en", nil, []step{
		{"I'd like to pay by card", []string{"createPaymentIntent {}"}, []string{"nothing to pay"}},
		{"has the payment arrived", []string{"getPaymentStatus {}"}, []string{"nothing to pay"}},
	}},
	{"paid", "en", paying("paid"), []step{
		{"payment status", []string{"getPaymentStatus {}"}, []string{"arrived"}},
		{"ödemem geldi mi?", []string{"getPaymentStatus {}"}, []string{"geldi"}},
		{"ödemek istiyorum", []string{"createPaymentIntent {}"}, []string{"ödenecek bir şey yok"}},
		{"оплата прошла?", []string{"getPaymentStatus {}"}, []string{"у нас"}},
		{"хочу оплатить", []string{"createPaymentIntent {}"}, nil},
		{"Έφτασε η πληρωμή μου;", []string{"getPaymentStatus {}"}, []string{"ήρθε"}},
		{"θέλω να πληρώσω", []string{"createPaymentIntent {}"}, nil},
		{"התשלום הגיע?", []string{"getPaymentStatus {}"}, []string{"הגיע"}},
		{"אני רוצה לשלם", []string{"createPaymentIntent {}"}, nil},
		{"هل وصل الدفع؟", []string{"getPaymentStatus {}"}, []string{"وصلت"}},
		{"أريد أن أدفع", []string{"createPaymentIntent {}"}, nil},
	}},
}

// play holds a conversation to its steps.
func (c *chat) play(steps []step) {
	c.t.Helper()
	for _, s := range steps {
		reply, calls := c.turn(s.say)
		if c.keep == inFull || c.keep == asTools {
			if diff := cmp.Diff(s.calls, calls); diff != "" {
				c.t.Fatalf("%q: calls (-want +got):\n%s\nreply: %s", s.say, diff, reply)
			}
		} else if !amount(calls, s.calls) {
			c.t.Fatalf("%q: calls %q, want %q and at most what was forgotten; reply: %s", s.say, calls, s.calls, reply)
		}
		for _, want := range s.reply {
			if !strings.Contains(reply, want) {
				c.t.Errorf("%q: reply %q, want %q in it", s.say, reply, want)
			}
		}
	}
}

func TestCare(t *testing.T) {
	t.Parallel()
	for i, d := range cares {
		for _, keep := range [][]history{{inPlace, asTools}, {inPlace}}[i%2] {
			t.Run(d.name+", "+string(keep), func(t *testing.T) {
				t.Parallel()
				c := newChat(t, keep)
				c.specs, c.tag = careSpecs, d.tag
				if d.set != nil {
					d.set(c.backend)
				}
				c.play(d.steps)
			})
		}
	}
}

func officeOf(premises, today string) func(b *backend) {
	return func(b *backend) { b.premises, b.today = premises, today }
}

const quiet = `{"date":"2026-11-21","bookings":[],"orders":[]}`

func answer(rest string) []string { return []string{"getBusinessDay {}", "answerOrder {" + rest + "}"} }

func change(tool, rest string) []string {
	return []string{"getMyListings {}", tool + " {" + rest + "}"}
}

var offices = []struct {
	name  string
	tag   string
	set   func(b *backend)
	steps []step
}{
	{"a day", "en", officeOf(twoHouses, busyDay), []step{
		{"hello", nil, []string{"simple rules", "“closed tomorrow”"}},
		{"what do we have today?", []string{"getBusinessDay {}"}, []string{"For Sat 21 Nov:", "• MRV-7Q2K · today 19:00 · Table · 4 · Elena", "• K7Q2 · 2 × Ayran 1 × Lahmacun · Deniz", "• M3PX · accepted"}},
		{"and tomorrow", []string{`getBusinessDay {"date":"2026-11-22"}`}, nil},
		{"what is the meaning of life", []string{"getBusinessDay {}"}, []string{"simple rules"}},
		{"I want to talk to a human", []string{`askForPerson {"reason":"I want to talk to a human"}`}, []string{"person"}},
	}},
	{"words for a customer", "en", officeOf(oneHouse, oneOrder), []step{
		{"the courier is at the gate", []string{"getBusinessDay {}", `writeToCustomer {"code":"K7Q2","text":"the courier is at the gate"}`}, []string{"check"}},
		{"thanks", nil, []string{"simple rules"}},
	}},
	{"who did not come", "en", officeOf(oneHouse, busyDay), []step{
		{"Elena didn't show up", []string{"getBusinessDay {}", `markNoShow {"code":"MRV-7Q2K","noShow":true}`}, []string{"check"}},
		{"they came after all", []string{"getBusinessDay {}", `markNoShow {"code":"MRV-7Q2K","noShow":false}`}, []string{"check"}},
		{"6XF9H8 did not come", []string{`markNoShow {"code":"6XF9H8","noShow":true}`}, []string{"can't find that"}},
	}},
	{"who did not come, in Turkish", "tr", officeOf(oneHouse, busyDay), []step{
		{"misafir gelmedi", []string{"getBusinessDay {}", `markNoShow {"code":"MRV-7Q2K","noShow":true}`}, nil},
	}},
	{"nobody to come", "en", officeOf(oneHouse, quiet), []step{
		{"nobody came", []string{"getBusinessDay {}"}, []string{"nothing so far"}},
	}},
	{"stock", "en", officeOf(twoHouses, quiet), []step{
		{"we are out of lahmacun", change("setSoldOut", `"itemId":"lahmacun","listingId":"h-grill","soldOut":true`), []string{"check"}},
		{"we are out of ayran", []string{"getMyListings {}"}, []string{"1. Ayran · Castle Grill", "2. Ayran · Stone Oven Pizza", "Which item?"}},
		{"2", change("setSoldOut", `"itemId":"ayran2","listingId":"h-pizza","soldOut":true`), nil},
		{"tuna pizza is back", change("setSoldOut", `"itemId":"tuna","listingId":"h-pizza","soldOut":false`), nil},
		{"we are out of unicorn", []string{"getMyListings {}"}, []string{"can't find that", "Which item?"}},
		{"garden pizza", change("setSoldOut", `"itemId":"garden","listingId":"h-pizza","soldOut":true`), nil},
		{"ayran at Castle Grill is sold out", change("setSoldOut", `"itemId":"ayran","listingId":"h-grill","soldOut":true`), nil},
	}},
	{"how many are left", "en", officeOf(twoHouses, quiet), []step{
		{"12 portions of lahmacun left", change("setStock", `"itemId":"lahmacun","left":12,"listingId":"h-grill"`), []string{"check"}},
		{"only 3 ayran left", []string{"getMyListings {}"}, []string{"1. Ayran · Castle Grill", "2. Ayran · Stone Oven Pizza", "Which item?"}},
		{"2", change("setStock", `"itemId":"ayran2","left":3,"listingId":"h-pizza"`), nil},
		{"no ayran left at Castle Grill, sold out", change("setSoldOut", `"itemId":"ayran","listingId":"h-grill","soldOut":true`), nil},
	}},
	{"days", "en", officeOf(twoHouses, quiet), []step{
		{"we close early tomorrow", nil, []string{"simple rules"}},
		{"closed tomorrow", []string{"getMyListings {}"}, []string{"1. Castle Grill", "Which of your listings?"}},
		{"the castle", change("setClosed", `"closed":true,"date":"2026-11-22","listingId":"h-grill"`), []string{"check"}},
		{"Stone Oven Pizza is open on Friday after all", change("setClosed", `"closed":false,"date":"2026-11-27","listingId":"h-pizza"`), nil},
		{"we will be closed", nil, []string{"On which day?"}},
		{"on Monday", []string{"getMyListings {}"}, []string{"Which of your listings?"}},
		{"1", change("setClosed", `"closed":true,"date":"2026-11-23","listingId":"h-grill"`), nil},
		{"what do we have today?", []string{"getBusinessDay {}"}, []string{"nothing so far"}},
	}},
	{"hours", "en", officeOf(oneHouse, quiet), []step{
		{"on Mondays we open 10 to 18", change("setOpeningHours", `"listingId":"h-grill","spans":[{"from":"10:00","to":"18:00"}],"weekday":"mon"`), []string{"check"}},
		{"Tuesday 10-14 and 18-23:30", change("setOpeningHours", `"listingId":"h-grill","spans":[{"from":"10:00","to":"14:00"},{"from":"18:00","to":"23:30"}],"weekday":"tue"`), nil},
		{"closed on Sundays", change("setOpeningHours", `"listingId":"h-grill","spans":[],"weekday":"sun"`), nil},
		{"change our opening hours", nil, []string{"On which weekday"}},
		{"Friday 9am to 5pm", change("setOpeningHours", `"listingId":"h-grill","spans":[{"from":"09:00","to":"17:00"}],"weekday":"fri"`), nil},
		{"on Mondays 18 to 2", change("setOpeningHours", `"listingId":"h-grill","spans":[{"from":"18:00","to":"02:00"}],"weekday":"mon"`), nil},
	}},
	{"hours of others", "en", officeOf(strings.Replace(oneHouse, "h-grill", "h-pizza", 1), quiet), []step{
		{"on Mondays we open 10 to 18", change("setOpeningHours", `"listingId":"h-pizza","spans":[{"from":"10:00","to":"18:00"}],"weekday":"mon"`), []string{"team of the market"}},
	}},
	{"orders", "en", officeOf(oneHouse, busyDay), []step{
		{"ok, in 20 minutes", answer(`"answer":"accept","code":"K7Q2","minutes":20`), []string{"check"}},
		{"we cannot take it, no bread", answer(`"answer":"refuse","code":"K7Q2","reason":"no bread"`), nil},
		{"accept", answer(`"answer":"accept","code":"K7Q2"`), nil},
		{"half an hour", answer(`"answer":"accept","code":"K7Q2","minutes":30`), nil},
		{"it's ready", answer(`"answer":"done","code":"M3PX"`), nil},
		{"M3PX is done", answer(`"answer":"done","code":"M3PX"`), nil},
	}},
	{"two orders", "en", officeOf(oneHouse, strings.Replace(busyDay, `"accepted"`, `"placed"`, 1)), []step{
		{"ok in 15 min", []string{"getBusinessDay {}"}, []string{"1. K7Q2", "2. M3PX", "Which one?"}},
		{"M3PX", answer(`"answer":"accept","code":"M3PX","minutes":15`), nil},
		{"K7Q2 not possible because the oven is cold", answer(`"answer":"refuse","code":"K7Q2","reason":"the oven is cold"`), nil},
		{"it's done", []string{"getBusinessDay {}"}, []string{"No order fits"}},
	}},
	{"işletme", "tr", officeOf(oneHouse, busyDay), []step{
		{"merhaba", nil, []string{"ayran bitti"}},
		{"bugün neler var", []string{"getBusinessDay {}"}, []string{"Rezervasyonlar:", "kabul edildi"}},
		{"ayran bitti", change("setSoldOut", `"itemId":"ayran","listingId":"h-grill","soldOut":true`), []string{"kontrol edin"}},
		{"5 ayran kaldı", change("setStock", `"itemId":"ayran","left":5,"listingId":"h-grill"`), nil},
		{"ayran tekrar var", change("setSoldOut", `"itemId":"ayran","listingId":"h-grill","soldOut":false`), nil},
		{"yarın kapalıyız", change("setClosed", `"closed":true,"date":"2026-11-22","listingId":"h-grill"`), nil},
		{"cuma açığız", change("setClosed", `"closed":false,"date":"2026-11-27","listingId":"h-grill"`), nil},
		{"pazartesileri 10'dan 18'e açığız", change("setOpeningHours", `"listingId":"h-grill","spans":[{"from":"10:00","to":"18:00"}],"weekday":"mon"`), nil},
		{"tamam, 20 dakika", answer(`"answer":"accept","code":"K7Q2","minutes":20`), nil},
		{"alamıyoruz, ekmek yok", answer(`"answer":"refuse","code":"K7Q2","reason":"ekmek yok"`), nil},
	}},
	{"заведение", "ru", officeOf(oneHouse, busyDay), []step{
		{"что у нас сегодня?", []string{"getBusinessDay {}"}, []string{"Брони:"}},
		{"айран закончился", change("setSoldOut", `"itemId":"айран","listingId":"h-grill","soldOut":true`), []string{"Проверьте"}},
		{"айран снова есть", change("setSoldOut", `"itemId":"айран","listingId":"h-grill","soldOut":false`), nil},
		{"завтра закрыты", change("setClosed", `"closed":true,"date":"2026-11-22","listingId":"h-grill"`), nil},
		{"по понедельникам с 10 до 18", change("setOpeningHours", `"listingId":"h-grill","spans":[{"from":"10:00","to":"18:00"}],"weekday":"mon"`), nil},
		{"хорошо, через 20 минут", answer(`"answer":"accept","code":"K7Q2","minutes":20`), nil},
		{"не можем, нет хлеба", answer(`"answer":"refuse","code":"K7Q2","reason":"нет хлеба"`), nil},
	}},
	{"επιχείρηση", "el", officeOf(oneHouse, busyDay), []step{
		{"τι έχουμε αύριο;", []string{`getBusinessDay {"date":"2026-11-22"}`}, []string{"Κρατήσεις:"}},
		{"τελείωσε το αριάνι", change("setSoldOut", `"itemId":"αριάνι","listingId":"h-grill","soldOut":true`), []string{"Ελέγξτε"}},
		{"αύριο κλειστά", change("setClosed", `"closed":true,"date":"2026-11-22","listingId":"h-grill"`), nil},
		{"κάθε Δευτέρα 10 έως 18", change("setOpeningHours", `"listingId":"h-grill","spans":[{"from":"10:00","to":"18:00"}],"weekday":"mon"`), nil},
		{"εντάξει, σε 20 λεπτά", answer(`"answer":"accept","code":"K7Q2","minutes":20`), nil},
		{"δεν μπορούμε, δεν έχουμε ψωμί", answer(`"answer":"refuse","code":"K7Q2","reason":"δεν έχουμε ψωμί"`), nil},
	}},
	{"עסק", "he", officeOf(oneHouse, busyDay), []step{
		{"מה יש היום?", []string{"getBusinessDay {}"}, []string{"הזמנות מקום:"}},
		{"נגמר עיראן", change("setSoldOut", `"itemId":"עיראן","listingId":"h-grill","soldOut":true`), []string{"בדקו"}},
		{"מחר סגור", change("setClosed", `"closed":true,"date":"2026-11-22","listingId":"h-grill"`), nil},
		{"בימי שני 10 עד 18", change("setOpeningHours", `"listingId":"h-grill","spans":[{"from":"10:00","to":"18:00"}],"weekday":"mon"`), nil},
		{"בסדר, עוד 20 דקות", answer(`"answer":"accept","code":"K7Q2","minutes":20`), nil},
		{"לא יכולים, אין לחם", answer(`"answer":"refuse","code":"K7Q2","reason":"אין לחם"`), nil},
	}},
	{"محل", "ar", officeOf(oneHouse, busyDay), []step{
		{"ماذا لدينا اليوم؟", []string{"getBusinessDay {}"}, []string{"الحجوزات:"}},
		{"نفد العيران", change("setSoldOut", `"itemId":"عيران","listingId":"h-grill","soldOut":true`), []string{"راجع"}},
		{"غدا مغلق", change("setClosed", `"closed":true,"date":"2026-11-22","listingId":"h-grill"`), nil},
		{"كل اثنين من 10 إلى 18", change("setOpeningHours", `"listingId":"h-grill","spans":[{"from":"10:00","to":"18:00"}],"weekday":"mon"`), nil},
		{"حسنا، بعد 20 دقيقة", answer(`"answer":"accept","code":"K7Q2","minutes":20`), nil},
		{"لا نستطيع، لا خبز", answer(`"answer":"refuse","code":"K7Q2","reason":"لا خبز"`), nil},
	}},
}

func TestOffice(t *testing.T) {
	t.Parallel()
	for i, d := range offices {
		for _, keep := range [][]history{{nowhere, asTools}, {nowhere}}[i%2] {
			t.Run(d.name+", "+string(keep), func(t *testing.T) {
				t.Parallel()
				c := newChat(t, keep)
				c.specs, c.tag = officeSpecs, d.tag
				d.set(c.backend)
				c.play(d.steps)
			})
		}
	}
}

// Whatever a customer or a business says, in whatever order, there is an answer, and calls fit
// their schemas.
func TestCareBabble(t *testing.T) {
	t.Parallel()
	for name, specs := range map[string][]llm.Spec{"customer": careSpecs, "business": officeSpecs} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			phrases := []string{"1", "2", "yes", "no", "never mind", "the list", "tomorrow", "at 8", "for 4", "Koi Sushi", "Koi Sushi tomorrow at 7pm for 2", "MRV-7Q2K", "K7Q2", "٣", "", "from to", "ask whether",
				"write to : ", "20", "[attachment: image]", "closed", "open", "sold out", "again", "0", "99999 minutes", "10-18", "25 to 99", strings.Repeat("ask them if ", 100)}
			for _, d := range slices.Concat(cares, offices) {
				for _, s := range d.steps {
					phrases = append(phrases, s.say)
				}
			}
			pick := rand.New(rand.NewPCG(13, uint64(len(name))))
			c := newChat(t, asTools)
			c.specs = specs
			withOwn(ownTable, ownStay, ownOver)(c.backend)
			full(c.backend)
			for range 16 {
				c.backend.pending = nil
				c.backend.payment = []string{"", "none", "waiting", "paid"}[pick.IntN(4)]
				c.backend.premises, c.backend.today = []string{oneHouse, twoHouses}[pick.IntN(2)], []string{quiet, busyDay}[pick.IntN(2)]
				said := phrases[pick.IntN(len(phrases))]
				if reply, _ := c.turn(said); strings.TrimSpace(reply) == "" {
					t.Errorf("%q: nothing said", said)
				}
				if len(c.log) > 30 {
					c.log = c.log[:0]
				}
			}
		})
	}
}

// What a tool cannot do is said, and no tool is called that is not offered.
func TestCareThatFails(t *testing.T) {
	t.Parallel()
	for said, tool := range map[string]string{
		"I want to talk to a human": "askForPerson", "move my booking to Friday": "getMyBookings", "remind me": "getMyBookings",
		"ask Koi Sushi whether dogs are welcome": "searchMarketplace", "I want to pay": "createPaymentIntent", "ödemem geldi mi": "getPaymentStatus",
		"what do we have today": "getBusinessDay", "ayran bitti": "getMyListings", "завтра закрыты": "getMyListings", "ok, in 20 minutes": "getBusinessDay",
	} {
		all := careSpecs
		if slices.Contains([]string{"getBusinessDay", "getMyListings"}, tool) {
			all = officeSpecs
		}
		c := newChat(t, inPlace)
		c.specs = all
		c.backend.fails = map[string]string{tool: "unavailable"}
		if reply, calls := c.turn(said); len(calls) != 1 || !strings.HasPrefix(calls[0], tool+" ") || reply == "" {
			t.Errorf("%q when %s is away: reply %q after %q", said, tool, reply, calls)
		}
		c = newChat(t, inPlace)
		c.specs = slices.DeleteFunc(slices.Clone(all), func(s llm.Spec) bool { return s.Name == tool })
		withOwn(ownTable)(c.backend)
		if reply, calls := c.turn(said); slices.ContainsFunc(calls, func(call string) bool { return strings.HasPrefix(call, tool+" ") }) || reply == "" {
			t.Errorf("%q without %s: reply %q after %q", said, tool, reply, calls)
		}
	}
}

// A reply to a business that was sent back is written again without what customers wrote.
func TestOfficeWrittenAgain(t *testing.T) {
	t.Parallel()
	c := newChat(t, inPlace)
	c.specs = officeSpecs
	today := strings.Replace(busyDay, "Deniz", "Your order is confirmed", 1)
	day := []llm.Message{
		{Role: llm.User, Text: "what do we have today"},
		{Role: llm.Assistant, Calls: []llm.Call{{ID: "call_1", Name: "getBusinessDay", Args: json.RawMessage(`{"date":null}`)}}},
		{Role: llm.ToolRole, CallID: "call_1", Text: today},
	}
	prompt := c.prompt()
	r, err := c.complete(llm.Request{Messages: slices.Concat(prompt, day), Tools: c.specs, Seed: "test"})
	if err != nil || !strings.Contains(r.Text, "confirmed") {
		t.Fatalf("reply %q, error %v", r.Text, err)
	}
	back := []llm.Message{{Role: llm.Assistant, Text: r.Text}, {Role: llm.System, Text: "This says what was not done. Write it again."}}
	r, err = c.complete(llm.Request{Messages: slices.Concat(prompt, day, back), Tools: c.specs, Seed: "test"})
	if err != nil || strings.Contains(r.Text, "confirmed") || !strings.Contains(r.Text, "K7Q2") {
		t.Errorf("written again: reply %q, error %v", r.Text, err)
	}
}
