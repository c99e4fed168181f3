package rulemodel

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTopics(t *testing.T) {
	t.Parallel()
	for want, all := range map[topic][]string{
		toOrder: {"I'd like to order a pizza", "can you deliver sushi?", "what's on the menu?", "show me the menu of Castle Grill House", "2 lahmacun sipariş edeceğim", "menüyü görebilir miyim",
			"θέλω να παραγγείλω σουβλάκια", "хочу заказать суши", "אני רוצה להזמין פלאפל", "أريد أن أطلب شاورما", "ich möchte eine Pizza bestellen", "quiero pedir una pizza", "je voudrais commander une pizza"},
		toHire: {"I need a plumber", "my sink is blocked", "someone to fix the AC", "there is no power in the kitchen", "book an electrician for Monday", "my tap is leaking", "elektrikçi lazım", "klima bozuldu", "ev temizliği istiyorum", "χρειάζομαι υδραυλικό", "нужен электрик", "צריך חשמלאי",
			"أحتاج كهربائي", "ich brauche einen Klempner", "necesito un fontanero", "il me faut un plombier", "airport transfer please", "can someone clean my pool? I need a gardener"},
		toView: {"can I see the flat?", "I'd like to view an apartment", "houses for sale in Kyrenia", "kiralık daire arıyorum", "evi görebilir miyim", "διαμέρισμα για ενοικίαση", "хочу посмотреть квартиру", "снять квартиру",
			"דירה להשכרה", "أريد معاينة الشقة", "Wohnung mieten"},
		myOrders:     {"my orders", "list my orders", "show me what I ordered", "has the plumber confirmed?", "do I have any orders?", "where's my order", "order status", "siparişlerim nerede", "siparişim ne zaman gelir", "η παραγγελία μου", "мои заказы", "где мой заказ", "ההזמנות שלי", "طلباتي"},
		toRevoke:     {"cancel my order", "please cancel the viewing", "siparişimi iptal et", "ακύρωσε την παραγγελία", "отмени заказ", "בטל את ההזמנה", "إلغاء الطلب"},
		toFind:       {"nearest beach", "beaches near Kyrenia", "is there an ATM near the harbour", "where can I get cash?", "where is an ATM?", "en yakın hastane", "bankamatik nerede", "πού είναι η πιο κοντινή παραλία", "ближайший банкомат", "где музей", "איפה יש חוף", "أين أقرب مستشفى", "nearest dry dock", "police"},
		toPharmacy:   {"pharmacy on duty tonight", "chemist", "nöbetçi eczane", "εφημερεύον φαρμακείο", "аптека рядом", "בית מרקחת תורן", "أقرب صيدلية", "Apotheke", "farmacia de guardia"},
		toRide:       {"I need a taxi", "I need a ride to Bellapais", "take me from Kyrenia harbour to Bellapais", "order a cab to the airport", "taksi çağır", "θέλω ταξί", "закажи такси", "אני צריך מונית", "أريد تاكسي", "taxi bitte"},
		rideStatus:   {"where is my taxi?", "taksim nerede", "πού είναι το ταξί μου", "где такси", "איפה המונית", "أين التاكسي"},
		toRevokeRide: {"cancel the taxi", "taksiyi iptal et", "отмени такси", "ακύρωσε το ταξί", "בטל את המונית", "إلغاء التاكسي"},
		noErrand: {"", "hello", "sushi in Kyrenia", "I want to book a table for two", "dinner tomorrow at 8", "boat trip under 100 euros", "my bookings", "cancel my booking", "rezervasyonlarım", "Girne'de akşam yemeği",
			"masa ayırtmak istiyorum", "hotel in Nicosia for 3 nights", "I need a haircut", "massage", "хочу заказать столик", "להזמין שולחן", "book a room", "who are you", "the second one", "4 people", "nearest free time",
			"museum tour", "jazz"},
	} {
		for _, said := range all {
			if got := topicOf(newLine(said).whole); got != want {
				t.Errorf("%q is about %d, want %d", said, got, want)
			}
		}
	}
}

func TestWishes(t *testing.T) {
	t.Parallel()
	m := menu{}
	for _, name := range []string{"Margherita", "Four cheeses", "Tuna pizza", "Garden pizza", "Adana kebab", "Cola", "Маргарита", "Айран", "عيران", "Green tea", "Mint tea"} {
		m.dishes = append(m.dishes, dish{id: name, name: name})
	}
	m.dishes[0].groups = []optionGroup{{name: "Size", low: 1, high: 1, options: []option{{id: "large", name: "Large"}, {id: "small", name: "Small"}}},
		{name: "Extras", high: 3, options: []option{{id: "cheese", name: "Extra cheese"}}}}
	for text, want := range map[string][]any{
		"two margheritas and a cola": {"Margherita", 2, "Cola", 1}, "margherita x3": {"Margherita", 3}, "2x adana": {"Adana kebab", 2}, "a large margherita with extra cheese": {"Margherita", 1, "large", "cheese"},
		"3 small margherita, 1 tuna": {"Margherita", 3, "small", "Tuna pizza", 1}, "pizza": nil, "tea": nil, "green tea and mint tea": {"Green tea", 1, "Mint tea", 1}, "две маргариты и айран": {"Маргарита", 2, "Айран", 1},
		"٣ عيران": {"عيران", 3}, "وعيران": {"عيران", 1}, "nothing of this": nil, "margarita": {"Margherita", 1}, "dört adana kebap": {"Adana kebab", 4}, "": nil,
	} {
		var got []any
		for _, w := range m.wishes(text) {
			got = append(got, m.dishes[w.dish].id, w.quantity)
			for _, o := range w.options {
				got = append(got, o)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"deliver to 5 Harbour Road, Kyrenia please": "5 Harbour Road, Kyrenia", "2 cola delivered to Castle Street 3 at 8:30pm": "Castle Street 3", "for delivery to Palm Court 7, phone 0533123456": "Palm Court 7",
		"Liman Caddesi 5, Girne adresine gönder": "Liman Caddesi 5, Girne", "adresim Arasta Sokak 7": "Arasta Sokak 7", "доставка на улицу Гавани 7": "улицу Гавани 7", "στη διεύθυνση Λιμανιού 5": "Λιμανιού 5",
		"לכתובת רחוב הנמל 5": "רחוב הנמל 5", "إلى العنوان شارع الميناء 5": "شارع الميناء 5", "deliver to my location": "", "two cola": "", "deliver it": "", "rolls delivered from Harbour Sushi to Harbour Road 5": "Harbour Road 5", "an electrician at 10 at Harbour Road 5, the lights are out": "Harbour Road 5",
		"a table at Harbour Sushi": "", "deliver to Harbour Road 5, Kyrenia tomorrow at 19:00": "Harbour Road 5, Kyrenia", "доставка на улицу Гавани 7 завтра": "улицу Гавани 7", "at 22 Castle Street, Kyrenia": "22 Castle Street, Kyrenia",
	} {
		if got := addressIn(text); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	c := &conversation{calendar: saturday, now: time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC)}
	for text, want := range map[string]string{
		"tomorrow morning": "2026-11-22T09:00", "yarın sabah": "2026-11-22T09:00", "αύριο το πρωί": "2026-11-22T09:00", "завтра утром": "2026-11-22T09:00", "מחר בבוקר": "2026-11-22T09:00", "غدا صباحا": "2026-11-22T09:00",
		"morgen um 10": "2026-11-22T10:00", "αύριο στις 11": "2026-11-22T11:00", "завтра в 18:30": "2026-11-22T18:30", "מחר ב-11": "2026-11-22T11:00", "غدا الساعة ١١": "2026-11-22T11:00", "mañana a las 10": "2026-11-22T10:00",
		"в понедельник в 9": "2026-11-23T09:00", "через 2 часа": "2026-11-21T13:00", "σε 30 λεπτά": "2026-11-21T11:30", "בעוד שעתיים": "2026-11-21T13:00", "بعد ساعتين": "2026-11-21T13:00", "in 2 hours": "2026-11-21T13:00",
		"at 10:30": "2026-11-22T10:30", "at 13:00": "2026-11-21T13:00", "tomorrow": "", "two cola": "", "deliver to 5 Harbour Road": "", "Monday 7:30": "2026-11-23T07:30",
	} {
		if got, _ := c.moment([]told{{text: text}}); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
