package rulemodel

// Cues of what customers want beside bookings and errands: of a booking that they have, of
// a business, of money, or a person.
const (
	ofAskingPerson errandCue = iota + 100
	ofRescheduling           // says by itself that a booking is to be moved
	ofChanging               // may mean a booking, or anything else
	ofBookings               // the thing itself
	ofWaitlist
	ofTheList // once the waiting list was offered
	ofReminding
	ofNoReminder
	ofHalf
	ofHourWords // a number goes before these three, or none for one
	ofDayWords
	ofWeekWords
	ofLaterOn
	ofEarlier
	ofPaying
	ofPaid // has it come?
	ofPeople
	ofWriting
	ofThem // a business that was spoken of
)

// careWords are the words of these cues.
var careWords = map[errandCue]string{
	ofAskingPerson: `a human, human being, real human, real person, human agent, live agent, an operator, customer service, customer support, call center, call centre, the staff, speak to a person, talk to a person, talk to someone,
		speak to someone, talk to somebody, speak to somebody, talk with a person, speak with a person, to a manager, the manager, somebody real, someone real,
		müşteri hizmet*, müşteri temsilci*, temsilci*, yetkili*, operatör*, canlı destek*, gerçek bir insan*, gerçek insan*, gerçek kişi*, bir insanla, insanla, insana bağla*, birine bağla*, biriyle görüş*, biriyle konuş*, bir kişiyle görüş*,
		με άνθρωπο, σε άνθρωπο, έναν άνθρωπο, εκπρόσωπο*, υπάλληλο*, εξυπηρέτηση πελατών, με κάποιον, υπεύθυνο*,
		с человеком, живого человека, живым человеком, живой человек, оператор*, сотрудник*, менеджер*, представител*, поддержк*,
		בן אדם, *אדם אמיתי, *נציג, *נציגה, *נציג אנושי, שירות לקוחות, עם אדם, עם מישהו, מנהל,
		شخص حقيقي, *إنسان, إنسان حقيقي, موظف, *موظف, *الموظف, خدمة العملاء, ممثل, مع شخص, إلى شخص, *المدير,
		mit einem menschen, einen menschen, mitarbeiter*, kundendienst, kundenservice, una persona real, con una persona, hablar con alguien, un humano, agente humano, atención al cliente,
		un humain, un être humain, un conseiller, une vraie personne, parler à quelqu'un, mtu halisi, na mtu, mhudumu`,
	ofRescheduling: `reschedule*, postpone*, put it off, put off, push it back, push back, bring forward, another time for my booking, ertele*, öne al*, ileri al*, αναβολή, αναβάλ*, μετακίν*, μεταφέρ*, μεταφορά της κράτησης, перенес*, перенос*, перенести, передвин*, להזיז, תזיז*, לדחות, תדח*, להקדים, תקדימ*,
		أجل, أجّل, تأجيل, أؤجل, نؤجل, تقديم الموعد, verschieb*, verschoben, verleg*, umbuchen, aplaza*, posponer, reprogramar, reporter, décaler, déplacer, ahirisha, sogeza`,
	ofChanging: `move, change, changed, make it, instead, instead of, shift, rather, değiştir*, taşı*, yerine, al, alalım, alır mısın*, olsun, yap, yapalım, άλλαξ*, αλλάξ*, αλλαγή, κάνε το, κάν* την, καλύτερα, αντί, изменить, измени*, поменя*, сделай*, сделаем, лучше, вместо, давай*,
		לשנות, שנה, תשנ*, שינוי, במקום, עדיף, تغيير, غير, غيّر, أغير, نغير, بدلا من, بدل, اجعله, خليها, ändern, ändere, lieber, statt, stattdessen, mover, mueve, cambiar, cambia, mejor, en vez de, en lugar de, changer, change, plutôt, au lieu de, badilisha`,
	ofBookings: `booking*, reservation*, appointment*, rezervasyon*, randevu*, κράτησ*, ραντεβού, брон*, запис*, *הזמנה, *הזמנת*, *הזמנות, *תור, *תורים, *השולחן, حجز*, *الحجز, *حجزي, *موعد, *موعدي, *الموعد, buchung*, reservierung*, termin, reserva*, cita, réservation*, rendez-vous, nafasi yangu,
		table, masam*, masay*, τραπέζι*, столик*`,
	ofWaitlist: `waiting list, waitlist, wait list, waiting-list, wait-list, bekleme liste*, yedek liste*, λίστα αναμονής, лист ожидания, листе ожидания, список ожидания, списке ожидания, *רשימת המתנה, *רשימת ההמתנה, قائمة الانتظار, *قائمة انتظار,
		warteliste, lista de espera, liste d'attente, orodha ya kusubiri`,
	ofTheList:   `the list, on the list, list, waitlist, wait, let me know, liste*, listeye, bekle*, haber ver*, λίστα, περιμένω, ειδοποί*, список, в список, листе, подожду, сообщи*, *רשימה, אחכה, תודיע*, *القائمة, قائمة, سأنتظر, أخبرني, liste, lista, orodha`,
	ofReminding: `remind, reminds, reminder, reminders, reminding, hatırlat*, υπενθύμι*, θύμισέ, θύμισε, θυμίσ*, να μου θυμίσ*, напомн*, напоминан*, תזכיר*, *תזכורת, להזכיר, ذكرني, ذكّرني, تذكير, *التذكير, تذكرني, erinner*, recuérda*, recordatorio, rappel*, nikumbushe, kumbusha`,
	ofNoReminder: `don't, do not, no reminder, no more, without, not, stop, cancel, remove, istemiyorum, gerek yok, gerekmez, hatırlatma yapma*, hatırlatmayın, hatırlatmana gerek, kaldır*, iptal*, μη, μην, όχι, χωρίς, δεν, не, без, отмен*, убери*, אל, בלי, לא, בטל*, לבטל, لا, بدون, إلغاء, ألغ*, nicht,
		keine, kein, no me, sin, pas, sans, usi*`,
	ofHalf:      `half an hour, half hour, yarım saat, μισή ώρα, полчаса, חצי שעה, نصف ساعة, halbe stunde, media hora, une demi-heure, nusu saa`,
	ofHourWords: `hour, hours, hr, hrs, saat, ώρα, ώρες, час, часа, часов, שעה, שעות, ساعة, ساعات, ساعتين, שעתיים, stunde, stunden, hora, horas, heure, heures, saa`,
	ofDayWords:  `day, days, gün, μέρα, μέρες, ημέρα, ημέρες, день, дня, дней, יום, ימים, יומיים, يوم, أيام, يومين, tag, tage, tagen, día, días, jour, jours, siku`,
	ofWeekWords: `week, weeks, hafta, εβδομάδα, неделю, неделя, שבוע, أسبوع, woche, semana, semaine, wiki`,
	ofLaterOn:   `later, after, sonra, sonraya, geç, daha geç, ileri, αργότερα, μετά, позже, попозже, מאוחר יותר, יותר מאוחר, لاحقا, بعد, später, más tarde, plus tard, baadaye`,
	ofEarlier:   `earlier, before, beforehand, vorher, davor, vor, avant, önce, erken, daha erken, öne, νωρίτερα, πριν, раньше, пораньше, מוקדם יותר, יותר מוקדם, قبل, أبكر, früher, más temprano, antes, plus tôt, mapema`,
	ofPaying: `i want to pay, i'd like to pay, i would like to pay, we want to pay, like to pay, can i pay, let me pay, how do i pay, how can i pay, pay now, pay for it, pay for my booking, pay for the booking, pay by card, pay with card, pay with my card, pay online, pay it now, to pay,
		payment link, link to pay, ödemek, öde, ödeyebilir*, ödeyeyim, ödeme yap*, ödeme linki*, ödeme bağlantı*, ödeyeceğim, να πληρώσω, πληρώσω, θέλω να πληρώσω, πώς πληρώνω, σύνδεσμο πληρωμής, оплатить, заплатить, оплачу, ссылку на оплату, ссылка на оплату, как оплатить,
		לשלם, אשלם, קישור לתשלום, أدفع, ادفع, أن أدفع, *الدفع, رابط الدفع, سأدفع, bezahlen, zahlen, zahlungslink, pagar, enlace de pago, payer, lien de paiement, kulipa, nilipe`,
	ofPaid: `my payment, payment status, has the payment, did the payment, payment arrived, payment received, get my payment, got my payment, payment gone through, payment go through, payment went through, is it paid, have i paid, was it paid, my refund, refund status, the refund,
		ödemem*, ödememi, ödeme durumu*, ödeme geldi*, ödendi mi, param geldi*, para geldi*, iadem*, para iadesi*, η πληρωμή μου, πληρωμή μου, έφτασε η πληρωμή, πέρασε η πληρωμή, επιστροφή χρημάτων, моя оплата, мой платеж, мой платёж, оплата прошла, прошла оплата, оплата дошла, дошла оплата,
		оплата пришла, пришла оплата, платеж прош*, платёж прош*, прошел платеж, прошёл платёж, возврат денег, *תשלום שלי, התשלום עבר, התשלום הגיע, עבר התשלום, הגיע התשלום, ההחזר שלי, دفعتي, *الدفعة, وصل الدفع, وصلت الدفعة, هل وصل المبلغ, استرداد المبلغ, meine zahlung, zahlung angekommen,
		zahlung eingegangen, mi pago, ha llegado el pago, mon paiement, malipo yangu`,
	ofPeople: `people, persons, person, guests, adults, of us, pax, kişi, kişilik, kişiye, kişiyiz, άτομα, άτομο, ατόμων, человек, человека, персон, персоны, гостей, אנשים, סועדים, איש, أشخاص, شخص, أفراد, personen, leute, personas, personnes, watu`,
	ofWriting: `ask, tell, let, write, message, text, contact, send, sor*, yaz*, ilet*, söyle*, mesaj*, ρώτ*, ρωτ*, γράψ*, γράψτε, στείλ*, πες, πείτε, спрос*, узна*, напиш*, написать, переда*, сообщи*, תשאל*, שאל*, לשאול, תכתוב*, תכתב*, כתוב, כתבו, כתבי, לכתוב, תגיד*, תשלח*,
		اسأل*, إسأل, أسأل, اكتب*, أكتب, أرسل, ارسل, أخبر, frag*, schreib*, pregunt*, escrib*, demande*, écri*`,
	ofThem: `them, they, the restaurant, the hotel, the place, the business, the owner, the shop, onlara, restorana, otele, işletmeye, mekana, oraya, τους, στο εστιατόριο, στο ξενοδοχείο, у них, им, в ресторан, ресторану, в отель, отелю, אותם, להם, *מסעדה, *מלון, هم, لهم, إليهم, *المطعم, *الفندق, sie, ihnen, les`,
}
