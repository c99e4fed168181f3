package rulemodel

import (
	"regexp"
	"strings"
	"sync"
)

// callWords are how people say what they want of a call.
var callWords = map[callWish]string{
	wantsCancel: `cancel*, call off, iptal*, ακύρ*, отмен*, לבטל, בטל*, תבטל*, ביטול, إلغاء, ألغ*, الغ*, absag*, stornier*, cancel*, anul*, annul*, futa, kufuta, ghairi*`,
	wantsMove:   `move*, reschedul*, another time, different time, change my, postpone, taşı*, ertele*, değiştir*, αλλάξ*, μεταφέρ*, μετακιν*, перенес*, перенос*, להזיז, להעביר, לדחות, *העבר*, نقل*, تغيير, تأجيل, أجل, verleg*, verschieb*, mover, cambiar, aplazar, déplacer, reporter, changer, hamisha, kuhamisha, badilisha`,
	wantsList:   `my appointment, my appointments, my visit, my visits, what do i have, do i have, coming up, upcoming, next appointment, next visit, when are you coming, when is, list, randevularım*, randevum*, ne zaman geliyor*, τα ραντεβού μου, το ραντεβού μου, ποια ραντεβού, мои визиты, мой визит, какие визиты, когда приед*, הביקורים שלי, הביקור שלי, אילו ביקורים, מתי, مواعيدي, موعدي, ما هي مواعيد*, meine termine, mein termin, welche termine, mis citas, mi cita, qué citas, mes rendez-vous, mon rendez-vous, quels rendez-vous, miadi yangu, miadi zangu`,
	wantsVisit:  `appointment*, book, schedule, visit, come over, somebody come, someone come, send somebody, send someone, treatment, inspection, ant, ants, termite*, roach*, cockroach*, mouse, mice, rat, rats, rodent*, wasp*, bee, bees, spider*, bed bugs, bugs, pest*, randevu*, karınca*, böcek*, fare*, ραντεβού, μυρμήγκι*, κατσαρίδ*, ποντίκι*, записать*, запиш*, визит*, мурав*, таракан*, мыш*, לקבוע, תור, ביקור, נמל*, מקק*, עכבר*, موعد*, حجز, نمل*, صراصير, فئران, termin*, ameise*, schabe*, maus, mäuse, cita*, hormiga*, cucaracha*, ratón*, ratones, rendez-vous, fourmi*, cafard*, souris, miadi, mchwa, sisimizi, mende, panya`,
}

// placeWords are how people pick the first, second, … of a list.
var placeWords = []string{
	`first, 1st, ilk*, birinci*, πρώτ*, перв*, ראשון, *ראשון, ראשונה, *ראשונה, *الأول*, أول, erste*, primer*, premier*, première, wa kwanza, ya kwanza`,
	`second, 2nd, ikinci*, δεύτερ*, втор*, שני, *שני, שנייה, *שנייה, *الثاني*, zweite*, segund*, deuxième*, wa pili, ya pili`,
	`third, 3rd, üçüncü*, τρίτ*, трет*, שלישי, *שלישי, שלישית, *שלישית, *الثالث*, dritte*, tercer*, troisième*, wa tatu, ya tatu`,
	`fourth, 4th, dördüncü*, τέταρτ*, четверт*, רביעי, *רביעי, רביעית, *רביעית, *الرابع*, vierte*, cuart*, quatrième*, wa nne, ya nne`,
	`fifth, 5th, beşinci*, πέμπτ*, пято*, пятый, пятая, חמישי, *חמישי, חמישית, *חמישית, *الخامس*, fünfte*, quint*, cinquième*, wa tano, ya tano`,
}

// numberWords are the numbers by which people pick.
var numberWords = []string{
	`1, one, bir, ένα, один, אחת, אחד, واحد, eins, uno, un, moja`,
	`2, two, iki, δύο, два, שתיים, اثنان, zwei, dos, deux, mbili`,
	`3, three, üç, τρία, три, שלוש, ثلاثة, drei, tres, trois, tatu`,
	`4, four, dört, τέσσερα, четыре, ארבע, أربعة, vier, cuatro, quatre, nne`,
	`5, five, beş, πέντε, пять, חמש, خمسة, fünf, cinco, cinq, tano`,
}

// callPatterns are the wishes as patterns for folded text.
var callPatterns = sync.OnceValue(func() map[callWish]*regexp.Regexp {
	all := map[callWish]*regexp.Regexp{}
	for w, words := range callWords {
		all[w] = regexp.MustCompile(cuePattern(ofHello, words))
	}
	return all
})

// places are the patterns of ordinals and of numbers, for folded text.
var places = sync.OnceValue(func() (all [2][]*regexp.Regexp) {
	for n, words := range [][]string{placeWords, numberWords} {
		for _, list := range words {
			all[n] = append(all[n], regexp.MustCompile(cuePattern(ofHello, list)))
		}
	}
	return all
})

// placeOf is the place of a list that a folded text names; 0 is none. Numbers mean one in few words only.
func placeOf(folded string) int {
	for n, patterns := range places() {
		if n > 0 && len(strings.Fields(folded)) > fewWords {
			break
		}
		for i, pattern := range patterns {
			if pattern.MatchString(folded) {
				return i + 1
			}
		}
	}
	return 0
}

// callVoice is what the stand-in says on calls.
type callVoice struct {
	askZIP, noMatch, locked, howCan, none, yours, which, times, services, noTimes, taken, unclear, welcome, done, standIn, away string
}

// callVoices are the voices by language.
var callVoices = sync.OnceValue(func() map[string]*callVoice {
	return map[string]*callVoice{
		"en": {
			askZIP:   "Can I get your 5-digit ZIP code to verify your account first?",
			noMatch:  "That does not match an account. Could you say the ZIP code again, digit by digit?",
			locked:   "I cannot verify an account on this call right now.",
			howCan:   "I can list, make, move or cancel visits of our technicians. What would you like?",
			none:     "I see no upcoming visits.",
			yours:    "Here are your upcoming visits:",
			which:    "Which one?",
			times:    "These times are free:",
			services: "We come for these:",
			noTimes:  "I find no free time in the next days.",
			taken:    "That time has just gone.",
			unclear:  "Sorry, I did not get that. I can list, make, move or cancel visits of our technicians.",
			welcome:  "You are welcome.",
			done:     "All right.",
			standIn:  "I am a stand-in that answers by rules.",
			away:     "That does not work at the moment. You can ask for a person.",
		},
		"tr": {
			askZIP:   "Önce hesabınızı doğrulamak için 5 haneli posta kodunuzu alabilir miyim?",
			noMatch:  "Bu bir hesapla eşleşmiyor. Posta kodunu rakam rakam tekrar söyler misiniz?",
			locked:   "Bu aramada şu anda hesap doğrulayamıyorum.",
			howCan:   "Teknisyen ziyaretlerini listeleyebilir, ayarlayabilir, taşıyabilir veya iptal edebilirim. Ne istersiniz?",
			none:     "Yaklaşan bir ziyaret görmüyorum.",
			yours:    "Yaklaşan ziyaretleriniz:",
			which:    "Hangisi?",
			times:    "Şu saatler boş:",
			services: "Şunlar için geliyoruz:",
			noTimes:  "Önümüzdeki günlerde boş saat bulamıyorum.",
			taken:    "O saat az önce doldu.",
			unclear:  "Kusura bakmayın, anlayamadım. Teknisyen ziyaretlerini listeleyebilir, ayarlayabilir, taşıyabilir veya iptal edebilirim.",
			welcome:  "Rica ederim.",
			done:     "Peki.",
			standIn:  "Ben kurallarla yanıt veren bir yedeğim.",
			away:     "Şu anda olmuyor. Bir insan isteyebilirsiniz.",
		},
		"el": {
			askZIP:   "Μπορείτε πρώτα να μου πείτε τον 5ψήφιο ταχυδρομικό σας κώδικα για να επαληθεύσω τον λογαριασμό;",
			noMatch:  "Αυτό δεν ταιριάζει με λογαριασμό. Μου λέτε ξανά τον κώδικα, ψηφίο ψηφίο;",
			locked:   "Δεν μπορώ να επαληθεύσω λογαριασμό σε αυτή την κλήση τώρα.",
			howCan:   "Μπορώ να δείξω, να κλείσω, να μεταφέρω ή να ακυρώσω επισκέψεις τεχνικών. Τι θα θέλατε;",
			none:     "Δεν βλέπω προσεχείς επισκέψεις.",
			yours:    "Οι προσεχείς επισκέψεις σας:",
			which:    "Ποια;",
			times:    "Αυτές οι ώρες είναι ελεύθερες:",
			services: "Ερχόμαστε για αυτά:",
			noTimes:  "Δεν βρίσκω ελεύθερη ώρα τις επόμενες μέρες.",
			taken:    "Αυτή η ώρα μόλις πιάστηκε.",
			unclear:  "Συγγνώμη, δεν κατάλαβα. Μπορώ να δείξω, να κλείσω, να μεταφέρω ή να ακυρώσω επισκέψεις τεχνικών.",
			welcome:  "Παρακαλώ.",
			done:     "Εντάξει.",
			standIn:  "Είμαι ένας αντικαταστάτης που απαντά με κανόνες.",
			away:     "Αυτό δεν γίνεται τώρα. Μπορείτε να ζητήσετε έναν άνθρωπο.",
		},
		"ru": {
			askZIP:   "Назовите сначала ваш пятизначный почтовый индекс, чтобы я подтвердил аккаунт?",
			noMatch:  "Такого аккаунта нет. Повторите индекс по цифрам, пожалуйста?",
			locked:   "Сейчас я не могу подтвердить аккаунт в этом звонке.",
			howCan:   "Я могу показать, назначить, перенести или отменить визиты мастеров. Что вы хотите?",
			none:     "Предстоящих визитов не вижу.",
			yours:    "Ваши предстоящие визиты:",
			which:    "Какой?",
			times:    "Свободно вот это время:",
			services: "Мы приезжаем для этого:",
			noTimes:  "В ближайшие дни свободного времени нет.",
			taken:    "Это время только что заняли.",
			unclear:  "Простите, я не понял. Я могу показать, назначить, перенести или отменить визиты мастеров.",
			welcome:  "Пожалуйста.",
			done:     "Хорошо.",
			standIn:  "Я замена, которая отвечает по правилам.",
			away:     "Сейчас это не получается. Можно попросить человека.",
		},
		"he": {
			askZIP:   "אפשר קודם את המיקוד שלך, 5 ספרות, כדי לאמת את החשבון?",
			noMatch:  "זה לא מתאים לחשבון. אפשר לומר שוב את המיקוד, ספרה אחר ספרה?",
			locked:   "אני לא יכול לאמת חשבון בשיחה הזאת כרגע.",
			howCan:   "אני יכול להציג, לקבוע, להעביר או לבטל ביקורים של הטכנאים. מה תרצו?",
			none:     "אין ביקורים קרובים.",
			yours:    "הביקורים הקרובים שלך:",
			which:    "איזה מהם?",
			times:    "המועדים האלה פנויים:",
			services: "אנחנו מגיעים בשביל אלה:",
			noTimes:  "אין מועד פנוי בימים הקרובים.",
			taken:    "המועד הזה נתפס הרגע.",
			unclear:  "סליחה, לא הבנתי. אני יכול להציג, לקבוע, להעביר או לבטל ביקורים של הטכנאים.",
			welcome:  "בבקשה.",
			done:     "בסדר.",
			standIn:  "אני מחליף שעונה לפי כללים.",
			away:     "זה לא עובד כרגע. אפשר לבקש אדם.",
		},
		"ar": {
			askZIP:   "هل يمكنني أولًا الحصول على رمزك البريدي من 5 أرقام للتحقق من حسابك؟",
			noMatch:  "هذا لا يطابق حسابًا. هل تعيد الرمز رقمًا رقمًا؟",
			locked:   "لا أستطيع التحقق من حساب في هذه المكالمة الآن.",
			howCan:   "أستطيع عرض زيارات الفنيين أو حجزها أو نقلها أو إلغاءها. ماذا تريد؟",
			none:     "لا أرى زيارات قادمة.",
			yours:    "زياراتك القادمة:",
			which:    "أيّها؟",
			times:    "هذه الأوقات متاحة:",
			services: "نأتي من أجل هذه:",
			noTimes:  "لا أجد وقتًا متاحًا في الأيام القادمة.",
			taken:    "هذا الوقت حُجز للتو.",
			unclear:  "عذرًا، لم أفهم. أستطيع عرض زيارات الفنيين أو حجزها أو نقلها أو إلغاءها.",
			welcome:  "على الرحب والسعة.",
			done:     "حسنًا.",
			standIn:  "أنا بديل يجيب وفق قواعد.",
			away:     "هذا لا يعمل الآن. يمكنك طلب شخص.",
		},
		"de": {
			askZIP:   "Nennen Sie mir bitte zuerst Ihre fünfstellige Postleitzahl, damit ich Ihr Konto bestätigen kann?",
			noMatch:  "Das passt zu keinem Konto. Sagen Sie die Postleitzahl bitte noch einmal, Ziffer für Ziffer?",
			locked:   "In diesem Anruf kann ich gerade kein Konto bestätigen.",
			howCan:   "Ich kann Besuche unserer Techniker nennen, vereinbaren, verlegen oder absagen. Was möchten Sie?",
			none:     "Ich sehe keine anstehenden Besuche.",
			yours:    "Ihre anstehenden Besuche:",
			which:    "Welcher?",
			times:    "Diese Zeiten sind frei:",
			services: "Dafür kommen wir:",
			noTimes:  "In den nächsten Tagen finde ich keine freie Zeit.",
			taken:    "Diese Zeit ist gerade weg.",
			unclear:  "Das habe ich leider nicht verstanden. Ich kann Besuche unserer Techniker nennen, vereinbaren, verlegen oder absagen.",
			welcome:  "Gern geschehen.",
			done:     "In Ordnung.",
			standIn:  "Ich bin ein Ersatz, der nach Regeln antwortet.",
			away:     "Das geht gerade nicht. Sie können nach einem Menschen fragen.",
		},
		"es": {
			askZIP:   "¿Me da primero su código postal de 5 cifras para verificar su cuenta?",
			noMatch:  "Eso no coincide con ninguna cuenta. ¿Puede repetir el código cifra por cifra?",
			locked:   "Ahora no puedo verificar una cuenta en esta llamada.",
			howCan:   "Puedo listar, concertar, mover o cancelar visitas de nuestros técnicos. ¿Qué desea?",
			none:     "No veo visitas próximas.",
			yours:    "Sus próximas visitas:",
			which:    "¿Cuál?",
			times:    "Estas horas están libres:",
			services: "Vamos por esto:",
			noTimes:  "No encuentro ninguna hora libre en los próximos días.",
			taken:    "Esa hora se acaba de ocupar.",
			unclear:  "Perdone, no lo he entendido. Puedo listar, concertar, mover o cancelar visitas de nuestros técnicos.",
			welcome:  "De nada.",
			done:     "De acuerdo.",
			standIn:  "Soy un sustituto que responde con reglas.",
			away:     "Ahora no funciona. Puede pedir una persona.",
		},
		"fr": {
			askZIP:   "Puis-je d'abord avoir votre code postal à 5 chiffres pour vérifier votre compte ?",
			noMatch:  "Cela ne correspond à aucun compte. Pouvez-vous redire le code, chiffre par chiffre ?",
			locked:   "Je ne peux pas vérifier de compte pendant cet appel pour le moment.",
			howCan:   "Je peux lister, fixer, déplacer ou annuler des visites de nos techniciens. Que souhaitez-vous ?",
			none:     "Je ne vois aucune visite à venir.",
			yours:    "Vos prochaines visites :",
			which:    "Laquelle ?",
			times:    "Ces horaires sont libres :",
			services: "Nous venons pour ceci :",
			noTimes:  "Je ne trouve aucun horaire libre ces prochains jours.",
			taken:    "Cet horaire vient d'être pris.",
			unclear:  "Désolé, je n'ai pas compris. Je peux lister, fixer, déplacer ou annuler des visites de nos techniciens.",
			welcome:  "Je vous en prie.",
			done:     "Très bien.",
			standIn:  "Je suis un remplaçant qui répond selon des règles.",
			away:     "Cela ne marche pas pour le moment. Vous pouvez demander une personne.",
		},
		"sw": {
			askZIP:   "Naomba kwanza msimbo wako wa posta wa tarakimu 5 ili kuthibitisha akaunti yako?",
			noMatch:  "Hiyo hailingani na akaunti. Tafadhali rudia msimbo, tarakimu moja moja?",
			locked:   "Siwezi kuthibitisha akaunti katika simu hii kwa sasa.",
			howCan:   "Ninaweza kuorodhesha, kupanga, kuhamisha au kufuta ziara za mafundi wetu. Ungependa nini?",
			none:     "Sioni ziara zijazo.",
			yours:    "Ziara zako zijazo:",
			which:    "Ipi?",
			times:    "Muda huu uko wazi:",
			services: "Tunakuja kwa haya:",
			noTimes:  "Sipati muda ulio wazi siku zijazo.",
			taken:    "Muda huo umechukuliwa sasa hivi.",
			unclear:  "Samahani, sikuelewa. Ninaweza kuorodhesha, kupanga, kuhamisha au kufuta ziara za mafundi wetu.",
			welcome:  "Karibu.",
			done:     "Sawa.",
			standIn:  "Mimi ni mbadala anayejibu kwa kanuni.",
			away:     "Hiyo haiwezekani kwa sasa. Unaweza kuomba mtu.",
		},
	}
})
