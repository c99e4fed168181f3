package rulemodel

// officeVoice is how the rules speak one language with the people of a business. It never
// says that something was changed or answered: that is for whoever did it.
type officeVoice struct {
	help, proposed, noPerson          string
	day, bookings, orders, nothing    string
	noListings, noItem, noHours, gone string
	noneWaiting, past                 string

	// Questions; each is known by its words when it stands in an earlier reply.
	whichListing, whichItem, whichDay, whichHours, whichOrder string

	errand *errandVoice // of the same language
}

// officeQuestion is what the people of a business are asked.
type officeQuestion int

const (
	officeAsksNothing officeQuestion = iota
	officeAsksListing
	officeAsksItem
	officeAsksDay
	officeAsksHours
	officeAsksOrder
)

func (v *officeVoice) questions() map[string]officeQuestion {
	return map[string]officeQuestion{v.whichListing: officeAsksListing, v.whichItem: officeAsksItem, v.whichDay: officeAsksDay,
		v.whichHours: officeAsksHours, v.whichOrder: officeAsksOrder}
}

// officeVoices are the languages of businesses, by tag.
func officeVoices() map[string]*officeVoice {
	return map[string]*officeVoice{"en": &officeEnglish, "tr": &officeTurkish, "el": &officeGreek, "ru": &officeRussian, "he": &officeHebrew, "ar": &officeArabic}
}

var officeEnglish = officeVoice{
	errand:   &errandEnglish,
	help:     "I follow simple rules. Ask what there is today or tomorrow, answer an order (“ok, in 20 minutes”, “we cannot take it, no bread”), tell me what is sold out or to be had again (“we are out of ayran”), when you are closed (“closed tomorrow”) and your hours (“on Mondays we open 10 to 18”). For anything else write “a real person”.",
	proposed: "Please check this.", noPerson: "That can't be done from here.",
	day: "For %s:", bookings: "Bookings:", orders: "Orders and requests:", nothing: "nothing so far.",
	noListings: "I find no listing of yours.", noItem: "I can't find that among your items.", noHours: "Those hours are kept by the team of the market. Write “a real person” to reach them.", gone: "I can't find that any more.",
	noneWaiting: "No order fits that at the moment.", past: "That day has passed.",
	whichListing: "Which of your listings? Answer with its number or name.", whichItem: "Which item? Answer with its number or name.", whichDay: "On which day?",
	whichHours: "On which weekday, from when to when? For example “Monday 10:00 to 18:00”.", whichOrder: "Which one? Answer with its code.",
}

var officeTurkish = officeVoice{
	errand:   &errandTurkish,
	help:     "Basit kurallarla çalışıyorum. Bugün veya yarın ne olduğunu sorun, bir siparişi yanıtlayın (“tamam, 20 dakika”, “alamıyoruz, ekmek yok”), neyin tükendiğini veya yine olduğunu (“ayran bitti”), ne zaman kapalı olduğunuzu (“yarın kapalıyız”) ve saatlerinizi (“pazartesileri 10-18 açığız”) yazın. Başka her şey için “temsilci” yazın.",
	proposed: "Lütfen kontrol edin.", noPerson: "Bu buradan yapılamıyor.",
	day: "%s:", bookings: "Rezervasyonlar:", orders: "Siparişler ve talepler:", nothing: "şimdilik bir şey yok.",
	noListings: "Size ait bir kayıt bulamadım.", noItem: "Bunu ürünleriniz arasında bulamadım.", noHours: "O saatleri pazar yerinin ekibi tutuyor. Onlara ulaşmak için “temsilci” yazın.", gone: "Onu artık bulamıyorum.",
	noneWaiting: "Şu anda buna uyan bir sipariş yok.", past: "O gün geçti.",
	whichListing: "Hangi işletmeniz? Numarasını veya adını yazın.", whichItem: "Hangi ürün? Numarasını veya adını yazın.", whichDay: "Hangi gün?",
	whichHours: "Hangi gün, kaçtan kaça? Örneğin “pazartesi 10:00-18:00”.", whichOrder: "Hangisi? Kodunu yazın.",
}

var officeGreek = officeVoice{
	errand:   &errandGreek,
	help:     "Ακολουθώ απλούς κανόνες. Ρωτήστε τι υπάρχει σήμερα ή αύριο, απαντήστε σε παραγγελία («εντάξει, σε 20 λεπτά», «δεν μπορούμε, δεν έχουμε ψωμί»), γράψτε τι τελείωσε ή υπάρχει ξανά («τελείωσε το αριάνι»), πότε είστε κλειστά («αύριο κλειστά») και το ωράριό σας («κάθε Δευτέρα 10 έως 18»). Για οτιδήποτε άλλο γράψτε «υπάλληλο».",
	proposed: "Ελέγξτε το, παρακαλώ.", noPerson: "Αυτό δεν γίνεται από εδώ.",
	day: "%s:", bookings: "Κρατήσεις:", orders: "Παραγγελίες και αιτήματα:", nothing: "τίποτα ως τώρα.",
	noListings: "Δεν βρίσκω δική σας καταχώριση.", noItem: "Δεν το βρίσκω στα είδη σας.", noHours: "Αυτό το ωράριο το κρατά η ομάδα της αγοράς. Γράψτε «υπάλληλο» για να τους βρείτε.", gone: "Δεν το βρίσκω πια.",
	noneWaiting: "Δεν υπάρχει τώρα παραγγελία που να ταιριάζει.", past: "Εκείνη η μέρα πέρασε.",
	whichListing: "Ποια από τις επιχειρήσεις σας; Απαντήστε με τον αριθμό ή το όνομα.", whichItem: "Ποιο είδος; Απαντήστε με τον αριθμό ή το όνομα.", whichDay: "Ποια μέρα;",
	whichHours: "Ποια μέρα, από πότε ως πότε; Για παράδειγμα «Δευτέρα 10:00 έως 18:00».", whichOrder: "Ποια; Απαντήστε με τον κωδικό.",
}

var officeRussian = officeVoice{
	errand:   &errandRussian,
	help:     "Я работаю по простым правилам. Спросите, что есть на сегодня или завтра, ответьте на заказ («хорошо, через 20 минут», «не можем, нет хлеба»), напишите, что закончилось или снова есть («айран закончился»), когда вы закрыты («завтра закрыты») и часы работы («по понедельникам с 10 до 18»). Для остального напишите «оператор».",
	proposed: "Проверьте, пожалуйста.", noPerson: "Отсюда это сделать нельзя.",
	day: "%s:", bookings: "Брони:", orders: "Заказы и заявки:", nothing: "пока ничего.",
	noListings: "Ваших карточек я не нахожу.", noItem: "Среди ваших позиций этого нет.", noHours: "Эти часы ведёт команда площадки. Напишите «оператор», чтобы с ней связаться.", gone: "Я больше этого не нахожу.",
	noneWaiting: "Подходящего заказа сейчас нет.", past: "Этот день уже прошёл.",
	whichListing: "Какое из ваших заведений? Ответьте номером или названием.", whichItem: "Какая позиция? Ответьте номером или названием.", whichDay: "В какой день?",
	whichHours: "В какой день недели, с какого до какого часа? Например, «понедельник с 10:00 до 18:00».", whichOrder: "Какой из них? Ответьте кодом.",
}

var officeHebrew = officeVoice{
	errand:   &errandHebrew,
	help:     "אני עובד לפי כללים פשוטים. שאלו מה יש היום או מחר, ענו על הזמנה («בסדר, עוד 20 דקות», «לא יכולים, אין לחם»), כתבו מה אזל או חזר («נגמר איירן»), מתי סגור («מחר סגור») ומה שעות הפתיחה («בימי שני 10 עד 18»). לכל דבר אחר כתבו «נציג».",
	proposed: "בדקו בבקשה.", noPerson: "את זה אי אפשר לעשות מכאן.",
	day: "%s:", bookings: "הזמנות מקום:", orders: "הזמנות ובקשות:", nothing: "אין כלום עד עכשיו.",
	noListings: "אני לא מוצא עסק שלכם.", noItem: "אני לא מוצא את זה בפריטים שלכם.", noHours: "את השעות האלה מנהל צוות השוק. כתבו «נציג» כדי להגיע אליו.", gone: "אני לא מוצא את זה יותר.",
	noneWaiting: "אין כרגע הזמנה מתאימה.", past: "היום הזה כבר עבר.",
	whichListing: "איזה מהעסקים שלכם? ענו במספר או בשם.", whichItem: "איזה פריט? ענו במספר או בשם.", whichDay: "באיזה יום?",
	whichHours: "באיזה יום בשבוע, ממתי עד מתי? למשל «יום שני 10:00 עד 18:00».", whichOrder: "איזו מהן? ענו בקוד.",
}

var officeArabic = officeVoice{
	errand:   &errandArabic,
	help:     "أعمل بقواعد بسيطة. اسأل ماذا لديكم اليوم أو غدا، أجب عن طلب («حسنا، بعد 20 دقيقة»، «لا نستطيع، لا خبز»)، اكتب ما نفد أو عاد («نفد العيران»)، ومتى تغلقون («غدا مغلق») وساعاتكم («كل اثنين من 10 إلى 18»). لأي شيء آخر اكتب «موظف».",
	proposed: "راجع ذلك من فضلك.", noPerson: "لا يمكن فعل ذلك من هنا.",
	day: "%s:", bookings: "الحجوزات:", orders: "الطلبات:", nothing: "لا شيء حتى الآن.",
	noListings: "لا أجد محلا لكم.", noItem: "لا أجد ذلك بين أصنافكم.", noHours: "هذه الساعات يديرها فريق السوق. اكتب «موظف» للوصول إليهم.", gone: "لم أعد أجد ذلك.",
	noneWaiting: "لا يوجد الآن طلب مناسب.", past: "لقد مضى ذلك اليوم.",
	whichListing: "أي من محلاتكم؟ أجب بالرقم أو الاسم.", whichItem: "أي صنف؟ أجب بالرقم أو الاسم.", whichDay: "في أي يوم؟",
	whichHours: "في أي يوم من الأسبوع، ومن متى إلى متى؟ مثلا «الاثنين 10:00 إلى 18:00».", whichOrder: "أيها؟ أجب بالرمز.",
}
