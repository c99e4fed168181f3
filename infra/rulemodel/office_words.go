package rulemodel

import (
	"regexp"
	"sync"
)

// Cues of what the people of a business say.
const (
	ofSoldOut errandCue = iota + 200
	ofBack              // to be had again
	ofClosed
	ofOpen
	ofWeekly
	ofOurHours
	ofDay // what is on
	ofAccepting
	ofRefusing
	ofDone
	ofMinuteWords
	ofLeft   // so many of something
	ofAbsent // nobody came
	ofCame   // after all
)

// officeWords are the words of these cues.
var officeWords = map[errandCue]string{
	ofSoldOut: `sold out, out of, ran out, run out, no more, none left, don't have any, have no, is finished, are finished, finished for today, bitti, tükendi, kalmadı, bitmiş, yok artık, artık yok, elimizde yok, τελείωσ*, εξαντλήθηκ*, μας τέλειωσ*, δεν έχουμε άλλ*, закончил*, кончил*, больше нет, нет в наличии, распродан*,
		אזל, אזלה, אזלו, נגמר, נגמרה, נגמרו, אין יותר, נפד, نفد, نفدت, انتهى, خلص, خلصت, لم يعد لدينا, لا يوجد, ausverkauft, alle, ist aus, agotad*, se acabó, se acabaron, épuisé*, plus de, imekwisha, zimekwisha`,
	ofBack: `is back, are back, back again, available again, have again, again, back in stock, in stock, tekrar var, yine var, yeniden var, geldi, tekrar geldi, tekrar mevcut, ξανά, πάλι, ήρθε, ξαναήρθ*, снова, опять, появил*, есть в наличии, חזר, חזרה, חזרו, שוב, יש שוב, عاد, عادت, متوفر, متوفرة, مجددا, من جديد,
		wieder, otra vez, de nuevo, de retour, à nouveau, tena, imerudi`,
	ofClosed: `closed, close, closing, shut, not open, kapalı*, kapatı*, kapat, kapalıyız, açık değil*, açmıyor*, κλειστ*, κλείνουμε, θα κλείσουμε, закрыт*, закрыва*, закроем*, не работаем, סגור, סגורים, סגורה, נסגור, לא פתוח, לא עובדים, مغلق, مغلقون, نغلق, سنغلق, لا نعمل, geschlossen, zu, schließen, cerrad*, cerramos, fermé*, fermons, tumefunga, fungwa`,
	ofOpen:   `open, opened, opening, açık, açığız, açıyor*, açacağ*, açık olacağ*, ανοιχτ*, ανοίγουμε, θα ανοίξουμε, открыт*, открыва*, откроем*, работаем, פתוח, פתוחים, פתוחה, נפתח, עובדים, مفتوح, مفتوحون, نفتح, سنفتح, نعمل, offen, geöffnet, öffnen, abiert*, abrimos, ouvert*, ouvrons, wazi, tunafungua`,
	ofWeekly: `every, each, always, mondays, tuesdays, wednesdays, thursdays, fridays, saturdays, sundays, her, pazartesileri, salıları, çarşambaları, perşembeleri, cumaları, cumartesileri, pazarları, κάθε, по понедельникам, по вторникам, по средам, по четвергам, по пятницам, по субботам, по воскресеньям, каждый, каждую, каждое,
		כל, בימי, كل, أيام, jeden, montags, dienstags, mittwochs, donnerstags, freitags, samstags, sonntags, cada, los lunes, los martes, los miércoles, los jueves, los viernes, los sábados, los domingos, tous les, chaque, kila`,
	ofOurHours: `opening hours, our hours, hours are, çalışma saat*, açılış saat*, ωράριο, ωράρια, часы работы, график, שעות פתיחה, שעות הפתיחה, ساعات العمل, مواعيد العمل, öffnungszeiten, horario*, horaires`,
	ofDay: `today, tomorrow, tonight, what do we have, what is there, what's on, bookings, booking, reservations, reservation, orders, order, schedule, appointments, requests, bugün*, yarın*, bu akşam, neler var, ne var, rezervasyon*, sipariş*, randevu*, program, σήμερα, αύριο, απόψε, κρατήσεις, κράτηση, παραγγελίες, παραγγελία, τι έχουμε, ραντεβού,
		сегодня, завтра, вечером, что у нас, брони, бронь, заказы, заказ, записи, היום, מחר, הערב, מה יש, *הזמנות, *הזמנה, תורים, اليوم, غدا, الليلة, ماذا لدينا, *الحجوزات, حجوزات, *الطلبات, طلبات, heute, morgen, buchungen, reservierungen, bestellungen, was haben wir, hoy, mañana, reservas, pedidos,
		aujourd'hui, demain, réservations, commandes, leo, kesho, maagizo`,
	ofAccepting: `ok, okay, accept, accepted, we accept, we take it, we'll take it, we can do it, yes, yes we can, sure, will do, fine, on it, preparing, confirm, kabul*, tamam, olur, alıyoruz, yapıyoruz, hazırlıyoruz, evet, δεκτ*, εντάξει, ναι, το δεχόμαστε, το αναλαμβάνουμε, οκ, принимаем, принято, хорошо, да, берём, берем, ок, сделаем, готовим,
		מקבלים, בסדר, אוקיי, כן, מאשרים, נכין, مقبول, نقبل, حسنا, نعم, موافق, موافقون, تمام, nehmen wir, geht klar, ja, in ordnung, aceptamos, vale, de acuerdo, sí, d'accord, nous acceptons, oui, sawa, tunakubali`,
	ofRefusing: `cannot take, can't take, cannot do it, can't do it, cannot do this, can't do this, cannot accept, can't accept, cannot make, can't make, not possible, impossible, refuse, decline, reject, we have to refuse, no we can't, no we cannot, unable to, reddet*, ret, alamıyoruz, alamayız, kabul edemiyoruz, kabul edemeyiz, yapamıyoruz, yapamayız, hazırlayamıyoruz, mümkün değil,
		δεν μπορούμε, αδύνατο, απορρίπτ*, αρνούμαστε, δεν το δεχόμαστε, не можем, не получится, отказ*, отклон*, не принимаем, невозможно, לא יכולים, לא נוכל, אי אפשר, דוחים, מסרבים, לא מקבלים, لا نستطيع, لا يمكننا, غير ممكن, نرفض, مرفوض, نعتذر, können wir nicht, geht nicht, ablehnen, lehnen ab,
		no podemos, rechaz*, on ne peut pas, nous ne pouvons pas, refus*, hatuwezi`,
	ofDone: `is done, it's done, done, finished with, is ready, it's ready, ready, delivered, picked up, completed, hazır, teslim edildi, teslim ettik, tamamlandı, έτοιμ*, παραδόθηκε, ολοκληρώθηκε, готово, готов, готова, доставлен*, выполнен*, מוכן, מוכנה, נמסר, נמסרה, סיימנו, جاهز, جاهزة, تم التسليم, سلمنا, اكتمل,
		fertig, geliefert, erledigt, listo, entregado, prêt, livré, tayari`,
	ofLeft: `left, remaining, more to sell, kaldı, kalan, απομένουν, απομένει, έμειναν, μένουν, έχουν μείνει, осталось, осталась, остался, остались, נשארו, נשאר, נשארה, נותרו, بقي, بقيت, تبقى, تبقت, متبقية, متبقي, noch da, übrig, quedan, queda, restent, reste, zimebaki, imebaki`,
	ofAbsent: `did not come, didn't come, did not show up, didn't show up, did not turn up, didn't turn up, never came, nobody came, no show, no-show, gelmedi*, δεν ήρθ*, δεν εμφανίστηκ*, не пришл*, не пришел, не пришёл, не явил*, לא הגיע, לא הגיעה, לא הגיעו, לא בא, לא באו, لم يأت, لم يأتوا, لم يحضر*,
		nicht gekommen, nicht erschienen, no vino, no vinieron, no se present*, pas venu*, hakuja, hawakuja`,
	ofCame: `came after all, did come, turned up after all, showed up after all, yine de geldi*, sonradan geldi*, ήρθε τελικά, ήρθαν τελικά, τελικά ήρθ*, всё-таки пришл*, все-таки пришл*, всё же пришл*, הגיע בסוף, הגיעו בסוף, בסוף הגיע*, جاء في النهاية, حضر في النهاية, حضروا في النهاية,
		doch gekommen, doch noch gekommen, sí vino, sí vinieron, finalement venu*`,
	ofMinuteWords: `minutes, minute, mins, min, dakika*, dk, λεπτά, λεπτό, λεπτα, минут, минуты, минуту, мин, דקות, דקה, דק, دقيقة, دقائق, دقايق, minuten, minutos, dakika`,
}

// officeWeekdays are the days of the week, in the forms that go with every week too.
var officeWeekdays = []kindWords{
	{"mon", `monday, mondays, mon, pazartesi*, δευτέρα, δευτέρες, понедельник*, יום שני, ביום שני, ימי שני, בימי שני, الاثنين, الإثنين, اثنين, إثنين, montag, montags, lunes, lundi, lundis, jumatatu`},
	{"tue", `tuesday, tuesdays, tue, salı*, τρίτη, τρίτες, вторник*, יום שלישי, ביום שלישי, ימי שלישי, בימי שלישי, الثلاثاء, ثلاثاء, dienstag, dienstags, martes, mardi, mardis, jumanne`},
	{"wed", `wednesday, wednesdays, wed, çarşamba*, τετάρτη, τετάρτες, среда, среду, среды, средам, יום רביעי, ביום רביעי, ימי רביעי, בימי רביעי, الأربعاء, أربعاء, mittwoch, mittwochs, miércoles, mercredi, mercredis, jumatano`},
	{"thu", `thursday, thursdays, thu, perşembe*, πέμπτη, πέμπτες, четверг*, יום חמישי, ביום חמישי, ימי חמישי, בימי חמישי, الخميس, خميس, donnerstag, donnerstags, jueves, jeudi, jeudis, alhamisi`},
	{"fri", `friday, fridays, fri, cuma, cumaları, cuma günü, cuma günleri, παρασκευή, παρασκευές, пятница, пятницу, пятницы, пятницам, יום שישי, ביום שישי, ימי שישי, בימי שישי, الجمعة, جمعة, freitag, freitags, viernes, vendredi, vendredis, ijumaa`},
	{"sat", `saturday, saturdays, sat, cumartesi*, σάββατο, σάββατα, суббота, субботу, субботы, субботам, שבת, בשבת, שבתות, בשבתות, السبت, سبت, samstag, samstags, sábado, sábados, samedi, samedis, jumamosi`},
	{"sun", `sunday, sundays, sun, pazar, pazarları, pazar günü, pazar günleri, κυριακή, κυριακές, воскресенье, воскресенья, воскресеньям, יום ראשון, ביום ראשון, ימי ראשון, בימי ראשון, الأحد, أحد, sonntag, sonntags, domingo, domingos, dimanche, dimanches, jumapili`},
}

var officeDays = sync.OnceValue(func() (all []kindPattern) {
	for _, k := range officeWeekdays {
		all = append(all, kindPattern{k.name, regexp.MustCompile(cuePattern(ofHello, k.words))})
	}
	return all
})
