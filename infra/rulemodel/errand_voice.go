package rulemodel

import (
	"maps"
	"strings"
	"sync"
	"time"
)

// errandVoice is how the rules speak one language on errands. It never says that something
// is ordered: that is for whoever ordered it.
type errandVoice struct {
	standIn                                         string // what this is; it tells, too, that it was said before
	hello, canDo, also, thanks, dropped             string
	cannot, away, gone, tooMany, notThere, proposed string

	// Questions; each is known by its words when it stands in an earlier reply.
	which, whatFood, items, option, delivery, noDelivery, address, phone, when string
	whatService, problem, place, cancelWhich, whereFrom, whatPlace             string
	pickup, dropoff                                                            string

	found, similar, nothing                               string // of a search
	menu, soldOutMark, soldOut, noSuch, noMenu, options   string
	onlyDelivery, tooFar, closed, opens, badTime, minimum string
	services                                              string
	orders, noOrders, tooLate, cancelAsked, expected      string
	nearby, pharmacies, noPlaces, callFirst               string
	open, notOpen, onDuty                                 string
	yourRide, noRide                                      string
	statuses, rides                                       map[string]string
	date                                                  func(t time.Time) string
	care                                                  *careVoice
}

// errandQuestion is what a customer is asked on an errand.
type errandQuestion int

const (
	asksNothing errandQuestion = iota
	asksWhich                  // of the listings
	asksWhat                   // is looked for
	asksItems
	asksOption
	asksDelivery
	asksPickupOnly
	asksAddress
	asksPhone
	asksWhen
	asksProblem   // what is to be done
	asksWorkplace // where
	asksCancelWhich
	asksNear // from where
	asksWhatPlace
	asksPickup
	asksDropoff
	asksMoveWhich
	asksNewTime
	asksNewSlot
	asksWaiting
	asksRemindWhich
	asksHoursBefore
	asksWhom
	asksMessage
	asksOtherwise // nothing: what was offered shall be different
)

// place reports whether the answer is a place.
func (q errandQuestion) place() bool {
	return q == asksAddress || q == asksWorkplace || q == asksNear || q == asksPickup || q == asksDropoff
}

// free reports whether the answer may be any words.
func (q errandQuestion) free() bool {
	return q.place() || q == asksProblem || q == asksItems || q == asksWhat || q == asksWhatPlace || q == asksMessage || q == asksWhom
}

// questions are the phrases by which questions are known.
func (v *errandVoice) questions() map[string]errandQuestion {
	all := map[string]errandQuestion{
		v.which: asksWhich, v.whatFood: asksWhat, v.whatService: asksWhat, v.items: asksItems, v.option: asksOption, v.delivery: asksDelivery,
		v.noDelivery: asksPickupOnly, v.address: asksAddress, v.phone: asksPhone, v.when: asksWhen, v.problem: asksProblem, v.place: asksWorkplace,
		v.cancelWhich: asksCancelWhich, v.whereFrom: asksNear, v.whatPlace: asksWhatPlace, v.pickup: asksPickup, v.dropoff: asksDropoff,
	}
	maps.Copy(all, v.care.questions())
	return all
}

// errandAsked returns what a text of ours asked, whatever its language.
func errandAsked(said string) errandQuestion {
	said = strings.TrimSpace(said)
	for phrase, q := range errandPhrases() {
		if strings.HasSuffix(said, phrase) {
			return q
		}
	}
	return asksNothing
}

// errandPhrases are the questions of all languages.
var errandPhrases = sync.OnceValue(func() map[string]errandQuestion {
	all := map[string]errandQuestion{}
	for _, v := range errandVoices() {
		maps.Copy(all, v.questions())
	}
	return all
})

// stamp writes a time of a result as one reads it.
func (v *errandVoice) stamp(s string) string {
	t, err := time.Parse("2006-01-02T15:04", s)
	if err != nil {
		return ""
	}
	return v.moment(t)
}

func (v *errandVoice) moment(t time.Time) string {
	if v.date == nil {
		return t.Format("02.01. 15:04")
	}
	return v.date(t) + " " + t.Format("15:04")
}

// errandVoices are the languages of errands, by tag.
func errandVoices() map[string]*errandVoice {
	return map[string]*errandVoice{"en": &errandEnglish, "tr": &errandTurkish, "el": &errandGreek, "ru": &errandRussian, "he": &errandHebrew, "ar": &errandArabic}
}

var errandEnglish = errandVoice{
	care:    &careEnglish,
	standIn: english.standIn, hello: english.hello, thanks: english.thanks, dropped: english.dropped, proposed: english.proposed,
	canDo:  "I can find and book places, prepare an order of food, a request for a service or a viewing, a taxi, and show what is near you.",
	also:   "I also prepare orders of food, requests for services, viewings of homes and taxis, and find what is near you. Try “order a pizza”, “I need a plumber”, “nearest beach” or “pharmacy on duty”.",
	cannot: english.cannot, away: english.away, gone: english.gone,
	tooMany: "You have too many of these open; one has to be finished first.", notThere: "That can't be had there at the moment. Please try another one.",
	which: "Which of them do you mean? Answer with its number or name.", whatFood: "What would you like to eat, or from which restaurant?",
	items: "What would you like? Write names or numbers, for example “2 x 3” for two of number 3.", option: "Which of these? Answer with the number or the name.",
	delivery: "Shall it be brought to you?\n1. Delivery\n2. I pick it up", noDelivery: "They don't deliver. Will you pick it up? (yes or no)",
	address: "Where shall it be brought? Write the address, or share your location.", phone: "On which phone number can you be reached?",
	when:        "For which day and time? For example “tomorrow at 10:00”.",
	whatService: "What kind of help do you need? For example a plumber, an electrician or cleaning.", problem: "What is to be done? A few words or a number are enough.",
	place: "At which address? Write it, share your location, or answer “I'll come to you”.", cancelWhich: "Which of them shall I cancel? Answer with its number.",
	whereFrom: "Where are you? Share your location, or name a town or a place.", whatPlace: "What shall I look for near you? For example a beach or a cash machine.",
	pickup: "Where shall the taxi pick you up? Write the address, or share your location.", dropoff: "Where would you like to go? You can also answer “I'll tell the driver”.",
	found: "For “%s” there is:", similar: "Nothing fits “%s” exactly. Similar:", nothing: "Nothing came up for “%s”. Please try other words.",
	menu: "%s has:", soldOutMark: "sold out", soldOut: "Sold out: %s.", noSuch: "I can't find that on the menu.", noMenu: "There is no menu to order from there.",
	options: "%s – %s:", onlyDelivery: "They only deliver.", tooFar: "That is too far for them.", closed: "They are closed then.", opens: "Next opening: %s.",
	badTime: "That time doesn't work.", minimum: "That is not enough for delivery yet; it starts at %s. You can also pick it up.", services: "%s does:",
	orders: "Your orders and requests:", noOrders: "You have no orders or requests.", tooLate: "That can't be cancelled here any more. Please ask the business.",
	cancelAsked: english.cancelAsked, expected: "expected %s",
	nearby: "Nearest first:", pharmacies: "Pharmacies:", noPlaces: "I found no such place.", callFirst: "None is known to be open then. Please call before you go.",
	open: "open now", notOpen: "closed now", onDuty: "on duty until %s", yourRide: "Your taxi: %s", noRide: "You have no taxi ride.",
	statuses: map[string]string{"placed": "waiting for the business", "accepted": "accepted", "refused": "refused", "unanswered": "not answered", "done": "done", "cancelled": "cancelled"},
	rides: map[string]string{"proposed": "waiting for your answer", "requested": "drivers are being asked", "assigned": "a driver is on the way", "arrived": "the driver is there",
		"done": "done", "cancelled": "cancelled", "unserved": "no driver was free"},
	date: func(t time.Time) string { return t.Format("Mon 2 Jan") },
}

var errandTurkish = errandVoice{
	care:    &careTurkish,
	standIn: turkish.standIn, hello: turkish.hello, thanks: turkish.thanks, dropped: turkish.dropped, proposed: turkish.proposed,
	canDo:  "Mekân bulup rezervasyon hazırlayabilir; yemek siparişi, hizmet veya ev gezme talebi ve taksi hazırlayabilir, yakınınızdakileri gösterebilirim.",
	also:   "Yemek siparişi, hizmet talebi, ev gezme ve taksi de hazırlarım; yakınınızdakileri bulurum. Örneğin “pizza sipariş et”, “tesisatçı lazım”, “en yakın plaj” veya “nöbetçi eczane” yazın.",
	cannot: turkish.cannot, away: turkish.away, gone: turkish.gone,
	tooMany: "Bunlardan çok fazla açık var; önce birinin bitmesi gerekiyor.", notThere: "Orada şu anda olmuyor. Lütfen başka birini deneyin.",
	which: "Hangisini kastediyorsunuz? Numarasını veya adını yazın.", whatFood: "Ne yemek istersiniz ya da hangi restorandan?",
	items: "Ne istersiniz? Ad veya numara yazın; örneğin 3 numaradan iki tane için “2 x 3”.", option: "Bunlardan hangisi? Numarasını veya adını yazın.",
	delivery: "Size getirilsin mi?\n1. Adrese teslim\n2. Kendim alırım", noDelivery: "Adrese teslim etmiyorlar. Kendiniz alır mısınız? (evet veya hayır)",
	address: "Nereye getirilsin? Adresi yazın veya konumunuzu paylaşın.", phone: "Size hangi telefon numarasından ulaşılabilir?",
	when:        "Hangi gün ve saat için? Örneğin “yarın saat 10:00”.",
	whatService: "Ne tür bir yardım lazım? Örneğin tesisatçı, elektrikçi veya temizlik.", problem: "Ne yapılacak? Birkaç sözcük veya bir numara yeter.",
	place: "Hangi adreste? Yazın, konumunuzu paylaşın veya “ben gelirim” deyin.", cancelWhich: "Bunlardan hangisini iptal edeyim? Numarasını yazın.",
	whereFrom: "Neredesiniz? Konumunuzu paylaşın ya da bir şehir veya yer adı yazın.", whatPlace: "Yakınınızda ne arayayım? Örneğin plaj veya bankamatik.",
	pickup: "Taksi sizi nereden alsın? Adresi yazın veya konumunuzu paylaşın.", dropoff: "Nereye gitmek istersiniz? “Şoföre söylerim” de diyebilirsiniz.",
	found: "“%s” için şunlar var:", similar: "“%s” için tam uyan yok. Benzerleri:", nothing: "“%s” için bir şey çıkmadı. Başka sözcüklerle deneyin.",
	menu: "%s menüsü:", soldOutMark: "tükendi", soldOut: "Tükendi: %s.", noSuch: "Bunu menüde bulamadım.", noMenu: "Orada sipariş verilecek bir menü yok.",
	options: "%s – %s:", onlyDelivery: "Yalnızca adrese teslim ediyorlar.", tooFar: "Orası onlar için çok uzak.", closed: "O saatte kapalılar.", opens: "Bir sonraki açılış: %s.",
	badTime: "O zaman olmuyor.", minimum: "Adrese teslim için henüz yeterli değil; en az %s gerekiyor. Kendiniz de alabilirsiniz.", services: "%s şunları yapar:",
	orders: "Siparişleriniz ve talepleriniz:", noOrders: "Siparişiniz veya talebiniz yok.", tooLate: "Bu artık buradan iptal edilemiyor. Lütfen işletmeye sorun.",
	cancelAsked: turkish.cancelAsked, expected: "tahmini %s",
	nearby: "En yakından başlayarak:", pharmacies: "Eczaneler:", noPlaces: "Böyle bir yer bulamadım.", callFirst: "O saatte açık olduğu bilinen yok. Gitmeden önce arayın.",
	open: "şu an açık", notOpen: "şu an kapalı", onDuty: "nöbetçi, bitiş %s", yourRide: "Taksiniz: %s", noRide: "Bir taksi yolculuğunuz yok.",
	statuses: map[string]string{"placed": "işletmenin yanıtı bekleniyor", "accepted": "kabul edildi", "refused": "kabul edilmedi", "unanswered": "yanıt gelmedi", "done": "tamamlandı", "cancelled": "iptal edildi"},
	rides: map[string]string{"proposed": "yanıtınızı bekliyor", "requested": "şoförlere soruluyor", "assigned": "şoför yolda", "arrived": "şoför geldi",
		"done": "tamamlandı", "cancelled": "iptal edildi", "unserved": "boş şoför bulunamadı"},
	date: turkish.date,
}

var errandGreek = errandVoice{
	care:    &careGreek,
	standIn: "Είμαι η ενσωματωμένη αναπλήρωση της Merve που λειτουργεί με κανόνες, όχι μεγάλο γλωσσικό μοντέλο",
	hello:   "Γεια σας!", thanks: "Παρακαλώ. Γράψτε μου όταν χρειαστείτε κάτι.", dropped: "Εντάξει, το αφήνω. Τι άλλο να βρω;", proposed: "Αυτή είναι η πρόταση· ελέγξτε την, παρακαλώ.",
	canDo:  "Ετοιμάζω παραγγελίες φαγητού, αιτήματα για υπηρεσίες, επισκέψεις σε ακίνητα και ταξί, και βρίσκω τι είναι κοντά σας. Δοκιμάστε «θέλω να παραγγείλω πίτσα», «χρειάζομαι υδραυλικό», «η πιο κοντινή παραλία» ή «εφημερεύον φαρμακείο».",
	cannot: "Αυτό δεν μπορώ να το κάνω εδώ τώρα.", away: "Δεν μπορώ να το δω αυτή τη στιγμή. Δοκιμάστε ξανά σε λίγο.", gone: "Δεν το βρίσκω πια.",
	tooMany: "Έχετε πολλά τέτοια ανοιχτά· πρέπει πρώτα να τελειώσει ένα.", notThere: "Εκεί δεν γίνεται αυτή τη στιγμή. Δοκιμάστε κάποιο άλλο.",
	which: "Ποιο από αυτά εννοείτε; Απαντήστε με τον αριθμό ή το όνομα.", whatFood: "Τι θα θέλατε να φάτε, ή από ποιο εστιατόριο;",
	items: "Τι θα θέλατε; Γράψτε ονόματα ή αριθμούς, π.χ. «2 x 3» για δύο από το νούμερο 3.", option: "Ποιο από αυτά; Απαντήστε με τον αριθμό ή το όνομα.",
	delivery: "Να σας το φέρουν;\n1. Παράδοση\n2. Θα το πάρω εγώ", noDelivery: "Δεν κάνουν παράδοση. Θα το πάρετε εσείς; (ναι ή όχι)",
	address: "Πού να το φέρουν; Γράψτε τη διεύθυνση ή μοιραστείτε την τοποθεσία σας.", phone: "Σε ποιο τηλέφωνο μπορούν να σας βρουν;",
	when:        "Για ποια ημέρα και ώρα; Για παράδειγμα «αύριο στις 10:00».",
	whatService: "Τι είδους βοήθεια χρειάζεστε; Για παράδειγμα υδραυλικό, ηλεκτρολόγο ή καθάρισμα.", problem: "Τι πρέπει να γίνει; Αρκούν λίγες λέξεις ή ένας αριθμός.",
	place: "Σε ποια διεύθυνση; Γράψτε την, μοιραστείτε την τοποθεσία σας ή απαντήστε «θα έρθω».", cancelWhich: "Ποιο από αυτά να ακυρωθεί; Απαντήστε με τον αριθμό.",
	whereFrom: "Πού βρίσκεστε; Μοιραστείτε την τοποθεσία σας ή γράψτε μια πόλη ή ένα μέρος.", whatPlace: "Τι να ψάξω κοντά σας; Για παράδειγμα παραλία ή μηχάνημα ανάληψης.",
	pickup: "Από πού να σας πάρει το ταξί; Γράψτε τη διεύθυνση ή μοιραστείτε την τοποθεσία σας.", dropoff: "Πού θέλετε να πάτε; Μπορείτε να απαντήσετε και «θα πω στον οδηγό».",
	found: "Για «%s» υπάρχουν:", similar: "Τίποτα δεν ταιριάζει ακριβώς με «%s». Παρόμοια:", nothing: "Δεν βρέθηκε τίποτα για «%s». Δοκιμάστε άλλες λέξεις.",
	menu: "%s έχει:", soldOutMark: "εξαντλήθηκε", soldOut: "Εξαντλήθηκε: %s.", noSuch: "Δεν το βρίσκω στο μενού.", noMenu: "Δεν υπάρχει εκεί μενού για παραγγελία.",
	options: "%s – %s:", onlyDelivery: "Κάνουν μόνο παράδοση.", tooFar: "Είναι πολύ μακριά για αυτούς.", closed: "Τότε είναι κλειστά.", opens: "Ανοίγουν ξανά: %s.",
	badTime: "Αυτή η ώρα δεν γίνεται.", minimum: "Δεν φτάνει ακόμη για παράδοση· ξεκινά από %s. Μπορείτε και να το πάρετε εσείς.", services: "%s κάνει:",
	orders: "Οι παραγγελίες και τα αιτήματά σας:", noOrders: "Δεν έχετε παραγγελίες ή αιτήματα.", tooLate: "Αυτό δεν ακυρώνεται πια από εδώ. Ρωτήστε την επιχείρηση.",
	cancelAsked: "Ελέγξτε, παρακαλώ, ότι αυτό εννοείτε.", expected: "αναμένεται %s",
	nearby: "Από το πιο κοντινό:", pharmacies: "Φαρμακεία:", noPlaces: "Δεν βρήκα τέτοιο μέρος.", callFirst: "Δεν είναι γνωστό ότι κάποιο είναι ανοιχτό τότε. Τηλεφωνήστε πριν πάτε.",
	open: "ανοιχτό τώρα", notOpen: "κλειστό τώρα", onDuty: "εφημερεύει μέχρι %s", yourRide: "Το ταξί σας: %s", noRide: "Δεν έχετε διαδρομή με ταξί.",
	statuses: map[string]string{"placed": "περιμένει την επιχείρηση", "accepted": "έγινε δεκτό", "refused": "δεν έγινε δεκτό", "unanswered": "χωρίς απάντηση", "done": "ολοκληρώθηκε", "cancelled": "ακυρώθηκε"},
	rides: map[string]string{"proposed": "περιμένει την απάντησή σας", "requested": "ρωτώνται οι οδηγοί", "assigned": "ο οδηγός έρχεται", "arrived": "ο οδηγός έφτασε",
		"done": "ολοκληρώθηκε", "cancelled": "ακυρώθηκε", "unserved": "δεν υπήρχε ελεύθερος οδηγός"},
}

var errandRussian = errandVoice{
	care:    &careRussian,
	standIn: "Я встроенная замена Merve, которая работает по правилам, а не большая языковая модель",
	hello:   "Здравствуйте!", thanks: "Пожалуйста. Пишите, когда понадобится что-то ещё.", dropped: "Хорошо, оставим это. Что ещё найти?", proposed: "Вот предложение, проверьте его, пожалуйста.",
	canDo:  "Я готовлю заказы еды, заявки на услуги, просмотры жилья и такси и нахожу, что рядом с вами. Попробуйте «заказать пиццу», «нужен сантехник», «ближайший пляж» или «дежурная аптека».",
	cannot: "Этого я здесь сейчас не могу.", away: "Сейчас не получается это узнать. Попробуйте ещё раз чуть позже.", gone: "Я больше этого не нахожу.",
	tooMany: "Таких у вас открыто слишком много; сначала нужно закончить одно.", notThere: "Там это сейчас невозможно. Попробуйте другое место.",
	which: "Что из этого вы имеете в виду? Ответьте номером или названием.", whatFood: "Что бы вы хотели поесть или из какого ресторана?",
	items: "Что желаете? Пишите названия или номера, например «2 x 3» — две штуки номера 3.", option: "Что из этого? Ответьте номером или названием.",
	delivery: "Привезти вам?\n1. Доставка\n2. Самовывоз", noDelivery: "Они не доставляют. Вы заберёте сами? (да или нет)",
	address: "Куда привезти? Напишите адрес или поделитесь геопозицией.", phone: "По какому телефону с вами можно связаться?",
	when:        "На какой день и время? Например, «завтра в 10:00».",
	whatService: "Какая помощь нужна? Например, сантехник, электрик или уборка.", problem: "Что нужно сделать? Достаточно нескольких слов или номера.",
	place: "По какому адресу? Напишите его, поделитесь геопозицией или ответьте «сам приеду».", cancelWhich: "Что из этого отменить? Ответьте номером.",
	whereFrom: "Где вы? Поделитесь геопозицией или назовите город или место.", whatPlace: "Что поискать рядом с вами? Например, пляж или банкомат.",
	pickup: "Откуда вас забрать на такси? Напишите адрес или поделитесь геопозицией.", dropoff: "Куда поедете? Можно ответить «скажу водителю».",
	found: "По запросу «%s» есть:", similar: "Точно под «%s» ничего нет. Похожее:", nothing: "По запросу «%s» ничего не нашлось. Попробуйте другие слова.",
	menu: "%s, меню:", soldOutMark: "нет в наличии", soldOut: "Нет в наличии: %s.", noSuch: "Этого в меню я не нахожу.", noMenu: "Там нет меню для заказа.",
	options: "%s – %s:", onlyDelivery: "Там только доставка.", tooFar: "Туда слишком далеко.", closed: "В это время закрыто.", opens: "Откроется: %s.",
	badTime: "Это время не подходит.", minimum: "Для доставки пока мало, она начинается с %s. Возможен и самовывоз.", services: "%s предлагает:",
	orders: "Ваши заказы и заявки:", noOrders: "У вас нет заказов и заявок.", tooLate: "Отсюда это уже не отменить. Спросите, пожалуйста, в самом заведении.",
	cancelAsked: "Проверьте, пожалуйста, что вы имели в виду именно это.", expected: "ожидается %s",
	nearby: "Начиная с ближайшего:", pharmacies: "Аптеки:", noPlaces: "Такого места я не нахожу.", callFirst: "Неизвестно, открыта ли в это время хоть одна. Позвоните заранее.",
	open: "сейчас открыто", notOpen: "сейчас закрыто", onDuty: "дежурит до %s", yourRide: "Ваше такси: %s", noRide: "У вас нет поездки на такси.",
	statuses: map[string]string{"placed": "ждёт ответа заведения", "accepted": "принято", "refused": "не принято", "unanswered": "без ответа", "done": "выполнено", "cancelled": "отменено"},
	rides: map[string]string{"proposed": "ждёт вашего ответа", "requested": "опрашиваем водителей", "assigned": "водитель едет", "arrived": "водитель на месте",
		"done": "выполнено", "cancelled": "отменено", "unserved": "свободного водителя не нашлось"},
}

var errandHebrew = errandVoice{
	care:    &careHebrew,
	standIn: "אני התחליף המובנה של Merve שעובד לפי כללים, לא מודל שפה גדול",
	hello:   "שלום!", thanks: "בשמחה. כתבו כשתצטרכו עוד משהו.", dropped: "בסדר, עזבתי את זה. מה עוד לחפש?", proposed: "זו ההצעה; בדקו אותה בבקשה.",
	canDo:  "אני מכין הזמנות אוכל, בקשות לשירותים, ביקורים בנכסים ומוניות, ומוצא מה קרוב אליכם. נסו «להזמין פיצה», «צריך אינסטלטור», «החוף הקרוב» או «בית מרקחת תורן».",
	cannot: "את זה אני לא יכול לעשות כאן עכשיו.", away: "אני לא מצליח להגיע לזה כרגע. נסו שוב עוד רגע.", gone: "אני לא מוצא את זה יותר.",
	tooMany: "יש לכם יותר מדי כאלה פתוחות; קודם צריך לסיים אחת.", notThere: "שם זה לא אפשרי כרגע. נסו מקום אחר.",
	which: "למה מהם הכוונה? ענו במספר או בשם.", whatFood: "מה תרצו לאכול, או מאיזו מסעדה?",
	items: "מה תרצו? כתבו שמות או מספרים, למשל «2 x 3» לשתיים ממספר 3.", option: "איזו מהאפשרויות? ענו במספר או בשם.",
	delivery: "להביא אליכם?\n1. משלוח\n2. איסוף עצמי", noDelivery: "אין שם משלוחים. תאספו בעצמכם? (כן או לא)",
	address: "לאן להביא? כתבו את הכתובת או שתפו מיקום.", phone: "באיזה טלפון אפשר להשיג אתכם?",
	when:        "לאיזה יום ושעה? למשל «מחר בשעה 10:00».",
	whatService: "איזו עזרה צריך? למשל אינסטלטור, חשמלאי או ניקיון.", problem: "מה צריך לעשות? מספיקות כמה מילים או מספר.",
	place: "באיזו כתובת? כתבו אותה, שתפו מיקום, או ענו «אבוא».", cancelWhich: "מה מהם לבטל? ענו במספר.",
	whereFrom: "איפה אתם? שתפו מיקום או כתבו שם של עיר או מקום.", whatPlace: "מה לחפש קרוב אליכם? למשל חוף או כספומט.",
	pickup: "מאיפה המונית תאסוף אתכם? כתבו את הכתובת או שתפו מיקום.", dropoff: "לאן תרצו לנסוע? אפשר גם לענות «אגיד לנהג».",
	found: "עבור «%s» יש:", similar: "אין התאמה מדויקת ל-«%s». דומים:", nothing: "לא נמצא דבר עבור «%s». נסו מילים אחרות.",
	menu: "התפריט של %s:", soldOutMark: "אזל", soldOut: "אזל: %s.", noSuch: "אני לא מוצא את זה בתפריט.", noMenu: "אין שם תפריט להזמנה.",
	options: "%s – %s:", onlyDelivery: "שם יש רק משלוחים.", tooFar: "זה רחוק מדי בשבילם.", closed: "בשעה הזאת סגור.", opens: "הפתיחה הבאה: %s.",
	badTime: "הזמן הזה לא מתאים.", minimum: "זה עוד לא מספיק למשלוח; הוא מתחיל ב-%s. אפשר גם איסוף עצמי.", services: "%s עושים:",
	orders: "ההזמנות והבקשות שלכם:", noOrders: "אין לכם הזמנות או בקשות.", tooLate: "את זה כבר אי אפשר לבטל כאן. שאלו את העסק.",
	cancelAsked: "בדקו בבקשה שלזה התכוונתם.", expected: "צפוי %s",
	nearby: "מהקרוב ביותר:", pharmacies: "בתי מרקחת:", noPlaces: "לא מצאתי מקום כזה.", callFirst: "לא ידוע על אחד שפתוח אז. התקשרו לפני שהולכים.",
	open: "פתוח עכשיו", notOpen: "סגור עכשיו", onDuty: "תורן עד %s", yourRide: "המונית שלכם: %s", noRide: "אין לכם נסיעה במונית.",
	statuses: map[string]string{"placed": "ממתין לעסק", "accepted": "התקבל", "refused": "נדחה", "unanswered": "ללא מענה", "done": "הושלם", "cancelled": "בוטל"},
	rides: map[string]string{"proposed": "ממתין לתשובתכם", "requested": "שואלים נהגים", "assigned": "הנהג בדרך", "arrived": "הנהג הגיע",
		"done": "הושלם", "cancelled": "בוטל", "unserved": "לא נמצא נהג פנוי"},
}

var errandArabic = errandVoice{
	care:    &careArabic,
	standIn: "أنا بديل Merve المدمج الذي يعمل بقواعد؛ لست نموذجا لغويا كبيرا",
	hello:   "مرحبا!", thanks: "على الرحب. اكتب لي متى احتجت شيئا.", dropped: "حسنا، تركت ذلك. ماذا أجد لك أيضا؟", proposed: "هذا هو العرض؛ راجعه من فضلك.",
	canDo:  "أحضّر طلبات الطعام وطلبات الخدمات ومعاينة العقارات وسيارات الأجرة، وأجد ما هو قريب منك. جرّب «أريد أن أطلب بيتزا» أو «أحتاج سباكا» أو «أقرب شاطئ» أو «صيدلية مناوبة».",
	cannot: "لا أستطيع فعل ذلك هنا الآن.", away: "لا أستطيع الوصول إلى ذلك الآن. حاول مرة أخرى بعد قليل.", gone: "لم أعد أجد ذلك.",
	tooMany: "لديك الكثير من هذه المفتوحة؛ يجب أن تنتهي واحدة أولا.", notThere: "هذا غير ممكن هناك في الوقت الحالي. جرّب مكانا آخر.",
	which: "أيها تقصد؟ أجب بالرقم أو الاسم.", whatFood: "ماذا تحب أن تأكل، أو من أي مطعم؟",
	items: "ماذا تريد؟ اكتب الأسماء أو الأرقام، مثلا «2 x 3» لاثنين من الرقم 3.", option: "أي من هذه؟ أجب بالرقم أو الاسم.",
	delivery: "هل يُحضر إليك؟\n1. توصيل\n2. استلام من المكان", noDelivery: "لا يوجد توصيل عندهم. هل تستلمه بنفسك؟ (نعم أو لا)",
	address: "إلى أين يُحضر؟ اكتب العنوان أو شارك موقعك.", phone: "على أي رقم هاتف يمكن الاتصال بك؟",
	when:        "لأي يوم وأي ساعة؟ مثلا «غدا الساعة 10:00».",
	whatService: "أي مساعدة تحتاج؟ مثلا سباك أو كهربائي أو تنظيف.", problem: "ما المطلوب عمله؟ تكفي بضع كلمات أو رقم.",
	place: "في أي عنوان؟ اكتبه أو شارك موقعك أو أجب «سآتي».", cancelWhich: "أيها ألغي؟ أجب بالرقم.",
	whereFrom: "أين أنت؟ شارك موقعك أو اكتب اسم مدينة أو مكان.", whatPlace: "عمّ أبحث قريبا منك؟ مثلا شاطئ أو صراف آلي.",
	pickup: "من أين تأخذك سيارة الأجرة؟ اكتب العنوان أو شارك موقعك.", dropoff: "إلى أين تريد الذهاب؟ يمكنك أن تجيب «سأخبر السائق».",
	found: "بالنسبة إلى «%s» يوجد:", similar: "لا شيء يطابق «%s» تماما. مشابه:", nothing: "لم يظهر شيء عن «%s». جرّب كلمات أخرى.",
	menu: "قائمة %s:", soldOutMark: "نفد", soldOut: "نفد: %s.", noSuch: "لا أجد ذلك في القائمة.", noMenu: "لا توجد هناك قائمة للطلب.",
	options: "%s – %s:", onlyDelivery: "عندهم توصيل فقط.", tooFar: "هذا بعيد جدا عنهم.", closed: "يكون مغلقا حينها.", opens: "يفتح من جديد: %s.",
	badTime: "هذا الوقت غير مناسب.", minimum: "هذا لا يكفي للتوصيل بعد؛ يبدأ من %s. ويمكنك أيضا الاستلام بنفسك.", services: "%s يقدم:",
	orders: "طلباتك:", noOrders: "ليست لديك طلبات.", tooLate: "لا يمكن إلغاء هذا من هنا بعد الآن. اسأل المحل من فضلك.",
	cancelAsked: "تأكد من فضلك أن هذا هو ما تقصده.", expected: "متوقع %s",
	nearby: "الأقرب أولا:", pharmacies: "الصيدليات:", noPlaces: "لم أجد مكانا كهذا.", callFirst: "لا يُعرف أن أيا منها مفتوح حينها. اتصل قبل أن تذهب.",
	open: "مفتوح الآن", notOpen: "مغلق الآن", onDuty: "مناوبة حتى %s", yourRide: "سيارة الأجرة: %s", noRide: "ليست لديك رحلة بسيارة أجرة.",
	statuses: map[string]string{"placed": "بانتظار المحل", "accepted": "مقبول", "refused": "مرفوض", "unanswered": "بلا رد", "done": "منته", "cancelled": "ملغى"},
	rides: map[string]string{"proposed": "بانتظار ردك", "requested": "يُسأل السائقون", "assigned": "السائق في الطريق", "arrived": "السائق وصل",
		"done": "منتهية", "cancelled": "ملغاة", "unserved": "لم يوجد سائق متاح"},
}
