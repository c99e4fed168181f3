package rulemodel_test

import "testing"

const (
	sushiInKyrenia = `searchMarketplace {"domain":"food","query":"sushi Kyrenia"}`
	flatsToRent    = `searchMarketplace {"action":"schedule_viewing","query":"flats rent"}`
	seeKoi         = `getListing {"listingId":"l-koi"}`
	ridesToAirport = `requestTaxi {"dropoff":"the airport","pickup":"Harbour Road 5","usePickupLocation":false}`
)

// talks are conversations as people lead them who were not told how.
var talks = []struct {
	name  string
	steps []step
}{
	{"another errand before the question is answered", []step{
		{"flats to rent", []string{flatsToRent}, []string{"Which of them"}},
		{"a taxi from Harbour Road 5 to the airport", []string{ridesToAirport}, []string{"please check it"}},
	}},
	{"another errand instead of an address", []step{
		{"I need a taxi", nil, []string{"Where shall the taxi pick you up?"}},
		{"order a pizza", []string{findPizza, pizzaMenu}, []string{"Stone Oven Pizza has:"}},
		{"I need a plumber", []string{`searchMarketplace {"action":"book_service","query":"plumber"}`, `getMenu {"listingId":"l-plumb"}`}, []string{"What is to be done?"}},
		{"Blocked drain", []string{`getMenu {"listingId":"l-plumb"}`}, []string{"At which address?"}},
		{"what bookings do I have?", []string{`getMyBookings {}`}, []string{"no bookings"}},
	}},
	{"a wish behind a greeting", []step{
		{"Здравствуйте, я ищу ресторан", []string{`searchMarketplace {"domain":"food","query":"restaurant"}`}, nil},
	}},
	{"a booking instead of a home", []step{
		{"flats to rent", []string{flatsToRent}, []string{"Which of them"}},
		{"sushi in Kyrenia", []string{sushiInKyrenia}, []string{"1. Koi Sushi"}},
	}},
	{"an offer that shall be different", []step{
		{"a taxi from Harbour Road 5 to the airport", []string{ridesToAirport}, []string{"please check it"}},
		{"NO", nil, nil},
		{"make it 18:00 instead", []string{`requestTaxi {"dropoff":"the airport","pickup":"Harbour Road 5","usePickupLocation":false,"when":"2026-11-21T18:00"}`}, []string{"please check it"}},
		{"no", nil, nil},
		{"for 3 people", []string{`requestTaxi {"dropoff":"the airport","passengers":3,"pickup":"Harbour Road 5","usePickupLocation":false,"when":"2026-11-21T18:00"}`}, []string{"please check it"}},
		{"no", nil, nil},
		{"thanks", nil, []string{"welcome"}},
	}},
	{"a viewing of what was shown", []step{
		{"flats to rent", []string{flatsToRent}, []string{"Which of them"}},
		{"schedule a viewing tomorrow at 15:00", nil, []string{"1. Harbour flat", "Which of them"}},
		{"how much is the second one?", []string{`getListing {"listingId":"l-studio"}`}, []string{"Student studio", "Which of them"}},
		{"the second", []string{`scheduleViewing {"listingId":"l-studio","when":"2026-11-22T15:00"}`}, []string{"phone number"}},
	}},
	{"what is asked of one listing", []step{
		{"sushi in Kyrenia", []string{sushiInKyrenia}, nil},
		{"is the first one open now?", []string{seeKoi}, []string{"closed now"}},
		{"what does it cost?", []string{seeKoi}, []string{"• Table · €30"}},
		{"where is it?", []string{seeKoi}, []string{"Main Street 7, Kyrenia"}},
		{"how do I get there", []string{seeKoi}, []string{"Main Street 7, Kyrenia"}},
		{"call them", []string{seeKoi}, []string{"“ask them whether …”"}},
		{"do they have a terrace?", []string{seeKoi}, []string{"“ask them whether …”", "When would you like to come?"}},
		{"book it for two adults and a child next Friday at 19h", []string{`initiateBooking {"date":"2026-11-27","listingId":"l-koi","offeringId":"o-koi","partySize":3,"time":"19:00"}`}, []string{"please check it"}},
	}},
	{"asked by name", []step{
		{"where is Trap Tavern?", []string{`searchMarketplace {"query":"Trap Tavern"}`, `getListing {"listingId":"l-trap"}`}, []string{"Main Street 7, Bellapais"}},
	}},
	{"nothing is open", []step{
		{"sushi in Kyrenia that is open now", []string{`searchMarketplace {"domain":"food","openNow":true,"query":"sushi Kyrenia"}`, `searchMarketplace {"domain":"food","openNow":true,"query":"sushi"}`, sushiInKyrenia},
			[]string{"Nothing that fits is open right now.", "1. Koi Sushi"}},
	}},
	{"nothing is so cheap", []step{
		{"sushi in Kyrenia under 5 euros", []string{`searchMarketplace {"domain":"food","maxPrice":500,"query":"sushi Kyrenia"}`, `searchMarketplace {"domain":"food","maxPrice":500,"query":"sushi"}`, sushiInKyrenia},
			[]string{"Nothing that fits costs so little.", "1. Koi Sushi"}},
	}},
	{"a booking and a taxi", []step{
		{"book sushi for two tomorrow at 7 and a taxi there", []string{`searchMarketplace {"domain":"food","query":"sushi"}`}, []string{"“a taxi there” comes next.", "Which one"}},
		{"the second", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-niazi","offeringId":"o-niazi","partySize":2,"time":"19:00"}`}, []string{"please check it"}},
		{"no", nil, nil},
		{"now the taxi", nil, []string{"Where shall the taxi pick you up?"}},
	}},
	{"one of several and something else", []step{
		{"order a pizza and a cola", []string{`searchMarketplace {"action":"order_food","query":"pizza cola"}`, pizzaMenu}, []string{"1 × Cola +", "What would you like?"}},
		{"3", []string{pizzaMenu}, []string{"1. Delivery"}},
	}},
	{"them", []step{
		{"sushi in Kyrenia", []string{sushiInKyrenia}, nil},
		{"write to them that we come late", nil, []string{"To which business"}},
		{"the second", []string{`sendWhatsAppMessage {"listingId":"l-niazi","text":"We come late."}`}, []string{"please check it"}},
	}},
	{"what comes after a booking", []step{
		{"Koi Sushi tomorrow at 7pm for 2", []string{`searchMarketplace {"domain":"food","query":"Koi Sushi"}`, `initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"19:00"}`}, nil},
		{"YES", nil, []string{"Booked"}},
		{"can we come an hour later?", []string{`getMyBookings {}`, `rescheduleBooking {"date":"2026-11-22","time":"20:00","transactionId":"tx-1"}`}, []string{"please check it"}},
		{"no", nil, nil},
		{"tell them we'll be 10 minutes late", []string{`sendWhatsAppMessage {"listingId":"l-koi","text":"We'll be 10 minutes late."}`}, nil},
	}},
	{"no address", []step{
		{"I need a taxi", nil, []string{"pick you up?"}}, {"no", nil, []string{"dropped"}},
	}},
	{"Greek", []step{
		{"θέλω ένα τραπέζι για δύο αύριο στις 8", nil, []string{"Τι ψάχνετε, και πού;"}},
		{"σούσι στην Κερύνεια", []string{sushiInKyrenia}, []string{"1. Koi Sushi", "Ποιο θα θέλατε;"}},
		{"το δεύτερο", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-niazi","offeringId":"o-niazi","partySize":2,"time":"20:00"}`}, []string{"πρόταση"}},
		{"όχι", nil, nil},
		{"οι κρατήσεις μου", []string{`getMyBookings {}`}, []string{"Δεν έχετε κρατήσεις"}},
		{"ακύρωσε την κράτησή μου", []string{`getMyBookings {}`}, []string{"Δεν έχετε κρατήσεις"}},
	}},
	{"Russian", []step{
		{"суши в Кирении на двоих завтра в 19:00", []string{sushiInKyrenia}, []string{"2. Niazi's", "Что выберете?"}},
		{"первый", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":2,"time":"19:00"}`}, []string{"предложение"}},
		{"нет", nil, nil},
		{"на 4 человека", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-koi","offeringId":"o-koi","partySize":4,"time":"19:00"}`}, []string{"предложение"}},
	}},
	{"Hebrew", []step{
		{"סושי בקירניה", []string{sushiInKyrenia}, []string{"מה תרצו?"}},
		{"השני", []string{`getListing {"listingId":"l-niazi"}`}, []string{"מתי תרצו לבוא?"}},
		{"מחר בשעה 20:00 לשניים", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-niazi","offeringId":"o-niazi","partySize":2,"time":"20:00"}`}, []string{"ההצעה"}},
		{"לא", nil, nil},
		{"ההזמנות שלי", []string{`getMyOrders {}`, `getMyBookings {}`}, []string{"אין לכם הזמנות"}},
	}},
	{"Arabic", []step{
		{"احجز طاولة لشخصين غدا الساعة ٨ مساء", nil, []string{"عن ماذا تبحث"}},
		{"سوشي في كيرينيا", []string{sushiInKyrenia}, []string{"أيها تريد؟"}},
		{"٢", []string{`initiateBooking {"date":"2026-11-22","listingId":"l-niazi","offeringId":"o-niazi","partySize":2,"time":"20:00"}`}, []string{"العرض"}},
	}},
	{"small talk", []step{
		{"yes", nil, []string{"Nothing is waiting"}}, {"👍", nil, []string{"Nothing is waiting"}}, {"no", nil, []string{"All right"}}, {"how are you?", nil, []string{"fine"}},
		{"what's the weather like?", nil, []string{"can't do that"}}, {"delete my data", nil, []string{"a real person"}}, {"I want to book a table", nil, []string{"What are you looking for"}},
		{"bye", nil, []string{"Goodbye"}}, {"görüşürüz", nil, []string{"Hoşça kalın"}},
	}},
}

func TestTalks(t *testing.T) {
	t.Parallel()
	for _, d := range talks {
		for _, keep := range []history{inPlace, asTools} {
			t.Run(d.name+", "+string(keep), func(t *testing.T) {
				t.Parallel()
				c := newChat(t, keep)
				c.specs, c.tag = careSpecs, "en"
				c.play(d.steps)
			})
		}
	}
}
