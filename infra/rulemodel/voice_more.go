package rulemodel

import "time"

// voices are the languages in which the rules speak of bookings, by tag. What they say of
// other errands in the same language stands in errandVoices.
func voices() map[string]*voice {
	return map[string]*voice{"en": &english, "tr": &turkish, "el": &greek, "ru": &russian, "he": &hebrew, "ar": &arabic}
}

// inAnyVoice reports whether something holds in one of the languages.
func inAnyVoice(holds func(v *voice) bool) bool {
	for _, v := range voices() {
		if holds(v) {
			return true
		}
	}
	return false
}

// inFigures is a day as the calendar reads it in every language.
func inFigures(d time.Time) string { return d.Format("02.01.2006") }

var greek = voice{
	standIn: errandGreek.standIn, hello: errandGreek.hello, thanks: errandGreek.thanks, dropped: errandGreek.dropped, proposed: errandGreek.proposed,
	cannot: errandGreek.cannot, away: errandGreek.away, gone: errandGreek.gone, cancelAsked: errandGreek.cancelAsked,
	instead: "Οι πιο κοντινές ελεύθερες ώρες είναι:",
	canDo:   "Βρίσκω μέρη και δραστηριότητες και ετοιμάζω κρατήσεις για να τις επιβεβαιώσετε. Δοκιμάστε «σούσι στην Κερύνεια» ή «οι κρατήσεις μου».",
	person:  "Από εδώ δεν μπορώ να σας συνδέσω με άνθρωπο.", declined: "Εντάξει. Πείτε μου άλλη μέρα, ώρα ή μέρος, ή τι άλλο ψάχνετε.",
	unclear: "Συγγνώμη, δεν το κατάλαβα· ακολουθώ μόνο απλούς κανόνες.",
	bye:     "Γεια σας! Γράψτε όποτε χρειαστείτε κάτι.", wellAndYou: "Καλά, ευχαριστώ! Τι μπορώ να κάνω για εσάς;",
	nothingOpen: "Εντάξει. Τίποτα δεν περιμένει την απάντησή σας. Τι μπορώ να κάνω για εσάς;",
	found:       "Βρήκα για «%s»:", foundOne: "Βρήκα αυτό: %s.", nothing: "Δεν βρήκα κάτι για «%s».", which: "Ποιο θα θέλατε; Απαντήστε με τον αριθμό ή το όνομα.",
	similar: errandGreek.similar, noneOpen: "Τίποτα από όσα ταιριάζουν δεν είναι ανοιχτό τώρα.", noneSoCheap: "Τίποτα από όσα ταιριάζουν δεν είναι τόσο φθηνό.",
	tryThis:       "Δοκιμάστε άλλες λέξεις, για παράδειγμα «εστιατόριο στην Κερύνεια».",
	whichOffering: "%s προσφέρει:", whichOf: "Ποιο από αυτά να είναι;", whichTime: "Ποια ώρα να είναι;", arrive: "Από ποια μέρα; Για παράδειγμα «24.11.».",
	when: "Πότε θα θέλατε να έρθετε; Για παράδειγμα «αύριο στις 19:00».", time: "Τι ώρα στις %s;", nights: "Για πόσες νύχτες;", days: "Για πόσες μέρες;", party: "Για πόσα άτομα;",
	from: "από %s", taken: "Αυτή η ώρα δεν γίνεται.", refused: "Δεν έγινε: %s",
	contact: "Η επιχείρηση θέλει να ξέρει ποιος έρχεται: ποιο είναι το όνομα και το τηλέφωνό σας;",
	free:    "Επόμενες ελεύθερες ώρες:", what: "Τι ψάχνετε, και πού;",
	per: map[string]string{"person": "το άτομο", "night": "τη νύχτα"}, weekdays: []string{"Δευ", "Τρί", "Τετ", "Πέμ", "Παρ", "Σάβ", "Κυρ"},
	mine: careGreek.mine, noneOfMine: "Δεν έχετε κρατήσεις ακόμη.", cancelWhich: "Ποια να ακυρωθεί; Απαντήστε με τον αριθμό της.", cancelled: "Η ακύρωση έγινε.",
	statuses: map[string]string{"hold": "περιμένει την απάντησή σας", "confirmed": "επιβεβαιωμένη"}, date: inFigures,
}

var russian = voice{
	standIn: errandRussian.standIn, hello: errandRussian.hello, thanks: errandRussian.thanks, dropped: errandRussian.dropped, proposed: errandRussian.proposed,
	cannot: errandRussian.cannot, away: errandRussian.away, gone: errandRussian.gone, cancelAsked: errandRussian.cancelAsked,
	instead: "Ближайшее свободное время такое:",
	canDo:   "Я нахожу места и занятия и готовлю бронь, которую вы подтверждаете. Попробуйте «суши в Кирении» или «мои брони».",
	person:  "Отсюда я не могу соединить вас с человеком.", declined: "Хорошо. Назовите другой день, время или место либо напишите, что ещё вы ищете.",
	unclear: "Простите, я не понял; я следую только простым правилам.",
	bye:     "До свидания! Пишите, если что-нибудь понадобится.", wellAndYou: "Всё хорошо, спасибо! Чем могу помочь?",
	nothingOpen: "Хорошо. Сейчас ничто не ждёт вашего ответа. Чем могу помочь?",
	found:       "Вот что нашлось по запросу «%s»:", foundOne: "Нашлось вот что: %s.", nothing: "По запросу «%s» ничего не нашлось.", which: "Что выберете? Ответьте номером или названием.",
	similar: errandRussian.similar, noneOpen: "Из подходящего сейчас ничего не открыто.", noneSoCheap: "Из подходящего ничего столь дешёвого нет.",
	tryThis:       "Попробуйте другие слова, например «ресторан в Кирении».",
	whichOffering: "%s предлагает:", whichOf: "Что из этого выбрать?", whichTime: "Какое время выбрать?", arrive: "С какого дня? Например, «24.11.».",
	when: "Когда вы хотите прийти? Например, «завтра в 19:00».", time: "Во сколько %s?", nights: "На сколько ночей?", days: "На сколько дней?", party: "На сколько человек?",
	from: "от %s", taken: "На это время нельзя.", refused: "Не получилось: %s",
	contact: "Здесь хотят знать, кто придёт: как вас зовут и какой у вас номер телефона?",
	free:    "Ближайшее свободное время:", what: "Что вы ищете и где?",
	per: map[string]string{"person": "с человека", "night": "за ночь"}, weekdays: []string{"Пн", "Вт", "Ср", "Чт", "Пт", "Сб", "Вс"},
	mine: careRussian.mine, noneOfMine: "Броней у вас пока нет.", cancelWhich: "Какую отменить? Ответьте её номером.", cancelled: "Отмена прошла.",
	statuses: map[string]string{"hold": "ждёт вашего ответа", "confirmed": "подтверждена"}, date: inFigures,
}

var hebrew = voice{
	standIn: errandHebrew.standIn, hello: errandHebrew.hello, thanks: errandHebrew.thanks, dropped: errandHebrew.dropped, proposed: errandHebrew.proposed,
	cannot: errandHebrew.cannot, away: errandHebrew.away, gone: errandHebrew.gone, cancelAsked: errandHebrew.cancelAsked,
	instead: "השעות הפנויות הקרובות הן:",
	canDo:   "אני מוצא מקומות ופעילויות ומכין הזמנת מקום לאישורכם. נסו «סושי בקירניה» או «מה הזמנתי».",
	person:  "מכאן אי אפשר לחבר אתכם לאדם.", declined: "בסדר. כתבו יום, שעה או מקום אחרים, או מה עוד אתם מחפשים.",
	unclear: "סליחה, לא הבנתי; אני פועל רק לפי כללים פשוטים.",
	bye:     "להתראות! כתבו כשתצטרכו משהו.", wellAndYou: "הכול טוב, תודה! במה אפשר לעזור?",
	nothingOpen: "בסדר. שום דבר לא מחכה כרגע לתשובה שלכם. במה אפשר לעזור?",
	found:       "זה מה שמצאתי עבור «%s»:", foundOne: "מצאתי את זה: %s.", nothing: "לא נמצא דבר עבור «%s».", which: "מה תרצו? ענו במספר או בשם.",
	similar: errandHebrew.similar, noneOpen: "שום דבר מתאים לא פתוח עכשיו.", noneSoCheap: "שום דבר מתאים לא זול כל כך.",
	tryThis:       "נסו מילים אחרות, למשל «מסעדה בקירניה».",
	whichOffering: "%s מציע:", whichOf: "מה מאלה לבחור?", whichTime: "איזו שעה לבחור?", arrive: "מאיזה יום? למשל «24.11.».",
	when: "מתי תרצו לבוא? למשל «מחר בשעה 19:00».", time: "באיזו שעה ב-%s?", nights: "לכמה לילות?", days: "לכמה ימים?", party: "לכמה אנשים?",
	from: "החל מ-%s", taken: "השעה הזאת לא אפשרית.", refused: "זה לא הצליח: %s",
	contact: "בית העסק רוצה לדעת מי מגיע: מה השם ומספר הטלפון שלכם?",
	free:    "השעות הפנויות הבאות:", what: "מה אתם מחפשים, ואיפה?",
	per: map[string]string{"person": "לאדם", "night": "ללילה"}, weekdays: []string{"ב׳", "ג׳", "ד׳", "ה׳", "ו׳", "ש׳", "א׳"},
	mine: careHebrew.mine, noneOfMine: "עדיין אין לכם הזמנות מקום.", cancelWhich: "איזו מהן לבטל? ענו במספר שלה.", cancelled: "הביטול בוצע.",
	statuses: map[string]string{"hold": "מחכה לתשובה שלכם", "confirmed": "מאושרת"}, date: inFigures,
}

var arabic = voice{
	standIn: errandArabic.standIn, hello: errandArabic.hello, thanks: errandArabic.thanks, dropped: errandArabic.dropped, proposed: errandArabic.proposed,
	cannot: errandArabic.cannot, away: errandArabic.away, gone: errandArabic.gone, cancelAsked: errandArabic.cancelAsked,
	instead: "أقرب الأوقات المتاحة هي:",
	canDo:   "أجد الأماكن والأنشطة وأحضّر الحجز لتؤكده. جرب «سوشي في كيرينيا» أو «حجوزاتي».",
	person:  "لا يمكنني وصلك بشخص من هنا.", declined: "حسنا. اذكر يوما أو وقتا أو مكانا آخر، أو ما تبحث عنه غير ذلك.",
	unclear: "عذرا، لم أفهم؛ أتبع قواعد بسيطة فقط.",
	bye:     "مع السلامة! اكتب متى احتجت شيئا.", wellAndYou: "بخير، شكرا! كيف أساعدك؟",
	nothingOpen: "حسنا. لا شيء ينتظر ردك الآن. كيف أساعدك؟",
	found:       "هذا ما وجدته عن «%s»:", foundOne: "وجدت هذا: %s.", nothing: "لم أجد شيئا عن «%s».", which: "أيها تريد؟ أجب بالرقم أو الاسم.",
	similar: errandArabic.similar, noneOpen: "لا شيء مناسب مفتوح الآن.", noneSoCheap: "لا شيء مناسب بهذا السعر.",
	tryThis:       "جرب كلمات أخرى، مثلا «مطعم في كيرينيا».",
	whichOffering: "%s يقدم:", whichOf: "أي من هذه تختار؟", whichTime: "أي وقت تختار؟", arrive: "من أي يوم؟ مثلا «24.11.».",
	when: "متى تود الحضور؟ مثلا «غدا الساعة 19:00».", time: "في أي ساعة يوم %s؟", nights: "لكم ليلة؟", days: "لكم يوما؟", party: "لكم شخصا؟",
	from: "ابتداء من %s", taken: "هذا الوقت غير ممكن.", refused: "لم ينجح ذلك: %s",
	contact: "يريد المكان أن يعرف من القادم: ما اسمك ورقم هاتفك؟",
	free:    "الأوقات المتاحة التالية:", what: "عن ماذا تبحث، وأين؟",
	per: map[string]string{"person": "للشخص", "night": "لليلة"}, weekdays: []string{"الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت", "الأحد"},
	mine: careArabic.mine, noneOfMine: "ليس لديك حجوزات بعد.", cancelWhich: "أيها ألغي؟ أجب برقمه.", cancelled: "تم الإلغاء.",
	statuses: map[string]string{"hold": "ينتظر ردك", "confirmed": "مؤكد"}, date: inFigures,
}
