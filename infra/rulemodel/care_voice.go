package rulemodel

// careVoice is how the rules speak one language of what a customer has already: bookings,
// payments, messages to a business. It never says that something is done that a YES does.
type careVoice struct {
	handed string // a person takes over

	// Questions; each is known by its words when it stands in an earlier reply.
	moveWhich, newTime, newSlot, waiting, remindWhich, hoursBefore, whom, message string

	mine, noBookings                    string
	instead, cannotMove                 string // of a booking
	waits, waitFirst                    string // of the waiting list
	reminds, noReminder, passed         string
	wantToKnow, noWriting, toPerson     string // of messages to a business
	askThem, noPrice                    string // what is not known here
	next                                string // of several wishes
	pay, nothingToPay, payLink, payment string
	payments                            map[string]string
}

// questions are the phrases by which questions are known.
func (v *careVoice) questions() map[string]errandQuestion {
	return map[string]errandQuestion{
		v.moveWhich: asksMoveWhich, v.newTime: asksNewTime, v.newSlot: asksNewSlot, v.waiting: asksWaiting,
		v.remindWhich: asksRemindWhich, v.hoursBefore: asksHoursBefore, v.whom: asksWhom, v.message: asksMessage,
	}
}

var careEnglish = careVoice{
	handed:    "A person of the team takes over.",
	moveWhich: "Which of them shall be moved? Answer with its number.", newTime: "To which day or time, or for how many people? For example “Friday at 20:00” or “for 4”.", newSlot: "Which of these times suits you?",
	waiting:     "Or shall I put you on the waiting list for the time you asked for, and write to you if it becomes free?",
	remindWhich: "Of which of them shall I remind you? Answer with its number.", hoursBefore: "How many hours before shall I remind you? For example “2 hours before”.",
	whom: "To which business shall I write?", message: "What shall I write to them?",
	mine: "Your bookings:", noBookings: "You have no booking ahead of you.",
	instead: "That can't be had. The nearest free times are:", cannotMove: "That booking can't be moved from here. Write “a real person” to reach somebody of the team.",
	waits: "I'll write to you here if it becomes free: %s. Nothing is held for you until then.", waitFirst: "Tell me place, day, time and number of people first. If that is taken, I can note you for it.",
	reminds: "I'll remind you on %s (%s).", noReminder: "There will be no reminder (%s).", passed: "That moment has passed already.",
	wantToKnow: "I would like to know %s", askThem: "That I can't tell, but I can write to them: “ask them whether …”.", noPrice: "No price is listed.", next: "One after the other: “%s” comes next.", noWriting: "They can't be written to from here.", toPerson: "Write “a real person” to reach somebody of the team.",
	pay: "Here you can pay: %s", nothingToPay: "There is nothing to pay at the moment.", payLink: "link: %s", payment: "Payment: %s",
	payments: map[string]string{"waiting": "not arrived yet", "failed": "it did not go through", "paid": "arrived", "refunding": "on its way back to you", "refunded": "back on your card", "none": "none was asked for"},
}

var careTurkish = careVoice{
	handed:    "Ekipten bir kişi devralıyor.",
	moveWhich: "Bunlardan hangisi değişsin? Numarasını yazın.", newTime: "Hangi gün veya saate, ya da kaç kişiye? Örneğin “cuma 20:00” veya “4 kişi”.", newSlot: "Bu saatlerden hangisi uygun?",
	waiting:     "Yoksa istediğiniz saat için sizi bekleme listesine yazıp boşalırsa haber vereyim mi?",
	remindWhich: "Bunlardan hangisini hatırlatayım? Numarasını yazın.", hoursBefore: "Kaç saat önce hatırlatayım? Örneğin “2 saat önce”.",
	whom: "Hangi işletmeye yazayım?", message: "Onlara ne yazayım?",
	mine: "Rezervasyonlarınız:", noBookings: "Önünüzde bir rezervasyonunuz yok.",
	instead: "O olmuyor. En yakın boş saatler:", cannotMove: "Bu rezervasyon buradan değiştirilemiyor. Ekipten birine ulaşmak için “temsilci” yazın.",
	waits: "Boşalırsa size buradan yazarım: %s. O zamana kadar sizin için ayrılan bir şey yok.", waitFirst: "Önce yeri, günü, saati ve kişi sayısını yazın. Doluysa sizi not edebilirim.",
	reminds: "Size hatırlatacağım: %s (%s).", noReminder: "Hatırlatma olmayacak (%s).", passed: "O an çoktan geçti.",
	wantToKnow: "%s öğrenmek istiyorum", askThem: "Bunu ben bilmiyorum ama onlara yazabilirim: “onlara … diye sor”.", noPrice: "Fiyat belirtilmemiş.", next: "Sırayla gidelim: “%s” bundan sonra.", noWriting: "Onlara buradan yazılamıyor.", toPerson: "Ekipten birine ulaşmak için “temsilci” yazın.",
	pay: "Buradan ödeyebilirsiniz: %s", nothingToPay: "Şu anda ödenecek bir şey yok.", payLink: "bağlantı: %s", payment: "Ödeme: %s",
	payments: map[string]string{"waiting": "henüz gelmedi", "failed": "geçmedi", "paid": "geldi", "refunding": "size geri dönüyor", "refunded": "kartınıza döndü", "none": "istenmedi"},
}

var careGreek = careVoice{
	handed:    "Αναλαμβάνει ένας άνθρωπος της ομάδας.",
	moveWhich: "Ποια από αυτές να αλλάξει; Απαντήστε με τον αριθμό.", newTime: "Σε ποια μέρα ή ώρα, ή για πόσα άτομα; Για παράδειγμα «αύριο στις 20:00».", newSlot: "Ποια από αυτές τις ώρες σας βολεύει;",
	waiting:     "Ή να σας βάλω στη λίστα αναμονής για την ώρα που ζητήσατε και να σας γράψω αν ελευθερωθεί;",
	remindWhich: "Για ποια από αυτές να σας θυμίσω; Απαντήστε με τον αριθμό.", hoursBefore: "Πόσες ώρες πριν να σας θυμίσω; Για παράδειγμα «2 ώρες πριν».",
	whom: "Σε ποια επιχείρηση να γράψω;", message: "Τι να τους γράψω;",
	mine: "Οι κρατήσεις σας:", noBookings: "Δεν έχετε κράτηση μπροστά σας.",
	instead: "Αυτό δεν γίνεται. Οι πιο κοντινές ελεύθερες ώρες:", cannotMove: "Αυτή η κράτηση δεν αλλάζει από εδώ. Γράψτε «υπάλληλο» για να βρείτε κάποιον της ομάδας.",
	waits: "Θα σας γράψω εδώ αν ελευθερωθεί: %s. Ως τότε δεν κρατιέται τίποτα για εσάς.", waitFirst: "Γράψτε πρώτα το μέρος, την ημέρα, την ώρα και τα άτομα. Αν είναι πιασμένο, μπορώ να σας σημειώσω.",
	reminds: "Θα σας θυμίσω: %s (%s).", noReminder: "Δεν θα υπάρξει υπενθύμιση (%s).", passed: "Εκείνη η στιγμή πέρασε ήδη.",
	wantToKnow: "Θα ήθελα να μάθω %s", askThem: "Αυτό δεν το ξέρω, αλλά μπορώ να τους γράψω: «ρώτησέ τους αν …».", noPrice: "Δεν αναφέρεται τιμή.", next: "Ένα ένα: «%s» μετά από αυτό.", noWriting: "Δεν μπορώ να τους γράψω από εδώ.", toPerson: "Γράψτε «υπάλληλο» για να βρείτε κάποιον της ομάδας.",
	pay: "Εδώ μπορείτε να πληρώσετε: %s", nothingToPay: "Δεν υπάρχει κάτι για πληρωμή αυτή τη στιγμή.", payLink: "σύνδεσμος: %s", payment: "Πληρωμή: %s",
	payments: map[string]string{"waiting": "δεν ήρθε ακόμη", "failed": "δεν πέρασε", "paid": "ήρθε", "refunding": "γυρίζει σε εσάς", "refunded": "γύρισε στην κάρτα σας", "none": "δεν ζητήθηκε"},
}

var careRussian = careVoice{
	handed:    "Дальше отвечает человек из команды.",
	moveWhich: "Какую из них изменить? Ответьте номером.", newTime: "На какой день, на какое время или на сколько человек? Например, «пятница в 20:00» или «4 человека».", newSlot: "Какое время из этих подходит?",
	waiting:     "Или записать вас в лист ожидания на то время, которое вы хотели, и написать, если оно освободится?",
	remindWhich: "О какой из них напомнить? Ответьте номером.", hoursBefore: "За сколько часов напомнить? Например, «за 2 часа».",
	whom: "В какое заведение написать?", message: "Что им написать?",
	mine: "Ваши брони:", noBookings: "Предстоящих броней у вас нет.",
	instead: "Так не получится. Ближайшее свободное время:", cannotMove: "Эту бронь отсюда не изменить. Напишите «оператор», чтобы ответил человек из команды.",
	waits: "Напишу вам здесь, если освободится: %s. До тех пор за вами ничего не закреплено.", waitFirst: "Сначала напишите место, день, время и число людей. Если занято, я смогу отметить ваше пожелание.",
	reminds: "Напомню вам: %s (%s).", noReminder: "Напоминания не будет (%s).", passed: "Этот момент уже прошёл.",
	wantToKnow: "Подскажите, пожалуйста, %s", askThem: "Этого я не знаю, но могу им написать: «спроси у них, можно ли …».", noPrice: "Цена не указана.", next: "По порядку: «%s» после этого.", noWriting: "Отсюда им написать нельзя.", toPerson: "Напишите «оператор», чтобы ответил человек из команды.",
	pay: "Оплатить можно здесь: %s", nothingToPay: "Сейчас платить не за что.", payLink: "ссылка: %s", payment: "Платёж: %s",
	payments: map[string]string{"waiting": "ещё не поступил", "failed": "не прошёл", "paid": "у нас", "refunding": "возвращается к вам", "refunded": "вернулся на карту", "none": "не запрашивался"},
}

var careHebrew = careVoice{
	handed:    "אדם מהצוות ממשיך מכאן.",
	moveWhich: "איזו מהן לשנות? ענו במספר.", newTime: "לאיזה יום או שעה, או לכמה אנשים? למשל «יום שישי בשעה 20:00» או «4 אנשים».", newSlot: "איזו מהשעות האלה מתאימה?",
	waiting:     "או לרשום אתכם לרשימת ההמתנה לשעה שביקשתם, ולכתוב אם היא תתפנה?",
	remindWhich: "על איזו מהן להזכיר? ענו במספר.", hoursBefore: "כמה שעות לפני להזכיר? למשל «2 שעות לפני».",
	whom: "לאיזה עסק לכתוב?", message: "מה לכתוב להם?",
	mine: "ההזמנות שלכם:", noBookings: "אין לכם הזמנה קרובה.",
	instead: "זה לא אפשרי. הזמנים הפנויים הקרובים:", cannotMove: "את ההזמנה הזאת אי אפשר לשנות מכאן. כתבו «נציג» כדי להגיע לאדם מהצוות.",
	waits: "אכתוב לכם כאן אם יתפנה: %s. עד אז שום דבר לא שמור לכם.", waitFirst: "כתבו קודם מקום, יום, שעה וכמה אנשים. אם תפוס, אפשר לרשום בקשה.",
	reminds: "אזכיר לכם: %s (%s).", noReminder: "לא תהיה תזכורת (%s).", passed: "הרגע הזה כבר עבר.",
	wantToKnow: "רציתי לדעת %s", askThem: "את זה אני לא יודע, אבל אפשר לכתוב להם: «תשאל אותם אם …».", noPrice: "לא צוין מחיר.", next: "אחד אחד: «%s» אחרי זה.", noWriting: "אי אפשר לכתוב להם מכאן.", toPerson: "כתבו «נציג» כדי להגיע לאדם מהצוות.",
	pay: "כאן אפשר לשלם: %s", nothingToPay: "אין כרגע מה לשלם.", payLink: "קישור: %s", payment: "תשלום: %s",
	payments: map[string]string{"waiting": "עוד לא הגיע", "failed": "לא עבר", "paid": "הגיע", "refunding": "בדרך חזרה אליכם", "refunded": "חזר לכרטיס", "none": "לא התבקש"},
}

var careArabic = careVoice{
	handed:    "سيتابع معك شخص من الفريق.",
	moveWhich: "أيها تريد تغييره؟ أجب بالرقم.", newTime: "إلى أي يوم أو ساعة، أو لكم شخصا؟ مثلا «الجمعة الساعة 20:00» أو «4 أشخاص».", newSlot: "أي من هذه الأوقات يناسبك؟",
	waiting:     "أم أضعك في قائمة الانتظار للوقت الذي أردته وأكتب لك إذا أصبح متاحا؟",
	remindWhich: "بأيها أذكرك؟ أجب بالرقم.", hoursBefore: "قبل كم ساعة أذكرك؟ مثلا «قبل 2 ساعة».",
	whom: "إلى أي محل أكتب؟", message: "ماذا أكتب لهم؟",
	mine: "حجوزاتك:", noBookings: "ليس لديك حجز قادم.",
	instead: "هذا غير ممكن. أقرب الأوقات المتاحة:", cannotMove: "لا يمكن تغيير هذا الحجز من هنا. اكتب «موظف» للوصول إلى شخص من الفريق.",
	waits: "سأكتب لك هنا إذا أصبح متاحا: %s. وحتى ذلك الحين لا شيء محفوظ لك.", waitFirst: "اكتب أولا المكان واليوم والساعة وعدد الأشخاص. إن كان الوقت مشغولا فيمكنني تدوين رغبتك.",
	reminds: "سأذكرك: %s (%s).", noReminder: "لن يكون هناك تذكير (%s).", passed: "لقد مضى ذلك الوقت.",
	wantToKnow: "أود أن أعرف %s", askThem: "لا أعرف ذلك، لكن يمكنني أن أكتب لهم: «اسألهم هل …».", noPrice: "لم يُذكر سعر.", next: "واحدا بعد الآخر: «%s» بعد ذلك.", noWriting: "لا يمكن الكتابة إليهم من هنا.", toPerson: "اكتب «موظف» للوصول إلى شخص من الفريق.",
	pay: "يمكنك الدفع هنا: %s", nothingToPay: "لا يوجد ما يُدفع الآن.", payLink: "الرابط: %s", payment: "الدفعة: %s",
	payments: map[string]string{"waiting": "لم تصل بعد", "failed": "لم تنجح", "paid": "وصلت", "refunding": "في طريقها إليك", "refunded": "عادت إلى بطاقتك", "none": "لم تُطلب"},
}
