package rulemodel

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// errandCue is something that a message about an errand may hold. They are listened for in
// all languages at once, whatever the conversation is in.
type errandCue int

const (
	ofGreeting errandCue = iota
	ofGratitude
	ofAssistance
	ofWhoAreYou
	ofDropping
	ofConsent // yes
	ofRefusal // no, nothing more
	ofRevoking
	ofOrders
	ofMyOrders
	ofProgress // how far is it
	ofOrdering
	ofMenu
	ofAlso
	ofDelivering
	ofPickingUp
	ofHere // where I am
	ofPhoneNumber
	ofTable
	ofReserving
	ofViewing
	ofViewingItself
	ofArranging // a viewing
	ofHome
	ofLease
	ofHelper // somebody who does something
	ofComing // I come to them
	ofAnytime
	ofNearest
	ofWhereabouts
	ofPharmacy
	ofOnDuty
	ofNow
	ofTaxi
	ofDriverKnows // I tell the driver
)

// errandWords are the words and phrases of each cue, between commas. A star stands for the
// rest of a word.
var errandWords = map[errandCue]string{
	ofGreeting: `hello, hi, hey, merhaba, selam, γεια*, καλημέρα*, καλησπέρα*, привет*, здравствуй*, добрый день, добрый вечер, доброе утро, שלום, היי, בוקר טוב, ערב טוב,
		مرحبا*, السلام عليكم, أهلا, صباح الخير, مساء الخير`,
	ofGratitude:  `ευχαριστώ*, спасибо*, תודה*, شكرا*, thanks, thank you, teşekkür*`,
	ofAssistance: `help, βοήθεια, τι μπορείς*, помощь, помоги*, что ты умеешь, что вы умеете, עזרה, מה אתה יודע*, مساعدة, ساعدني, ماذا تستطيع*`,
	ofWhoAreYou:  `ποιος είσαι, τι είσαι, είσαι ρομπότ, кто ты, кто вы, ты бот, вы бот, ты робот, מי אתה, מי את, אתה בוט, أنت بوت, من أنت, هل أنت روبوت`,
	ofDropping: `never mind, nevermind, forget it, cancel, stop, vazgeç*, boş ver*, iptal, iptal et, άφησ* το, άστο, ακύρωσ*, άκυρο, забудь*, не надо, отмена, отмени*, стоп,
		עזוב*, לא משנה, בטל, ביטול, انس الأمر, إلغاء, ألغ, توقف, egal, vergiss es, olvídalo, laisse tomber, acha`,
	ofConsent: `yes, yeah, ok, okay, sure, evet, tamam, olur, ναι, εντάξει, да, хорошо, ладно, כן, בסדר, אוקיי, نعم, أجل, حسنا, ja, si, oui, ndiyo`,
	ofRefusal: `no, nope, nothing, nothing else, that's all, that's it, hayır, yok, bu kadar, hepsi bu, όχι, τίποτα, αυτά, αυτό είναι όλο, нет, ничего, это всё, всё, לא, זהו, זה הכל, כלום,
		لا, لا شيء, هذا كل شيء, فقط, nein, nada, non, hapana`,
	ofRevoking: `cancel*, iptal*, ακύρ*, отмен*, לבטל, בטל*, תבטל*, ביטול, إلغاء, ألغ*, الغ*, stornier*, cancela*, annul*, ghairi*`,
	ofOrders: `order, orders, sipariş*, παραγγελ*, заказ*, *הזמנה, *הזמנות, *הזמנתי, طلب*, *طلبات*, *طلب, bestellung*, pedido*, commande*, request, requests, talebi*, talep*, αίτημ*, заявк*, *בקשה,
		viewing, agizo`,
	ofMyOrders: `my orders, my order, my requests, my request, my viewings, my viewing, orders do i, orders have i, i ordered, i order, have i ordered, any orders, list orders, show orders, orders i, siparişlerim*, siparişim*, taleplerim*, οι παραγγελίες μου, παραγγελίες μου, η παραγγελία μου, мои заказы, мой заказ, *הזמנות שלי, *הזמנה שלי, ההזמנות,
		طلباتي, طلبي, meine bestellung*, mis pedidos, mes commandes`,
	ofProgress: `status, how long, how far, when does, when will, is it coming, what happened, durum*, ne zaman gelir, ne zaman gelecek, ne oldu, κατάσταση, πότε έρχεται, πότε θα*, статус, когда приедет,
		когда будет, сколько ждать, מתי, מה עם, סטטוס, متى, حالة, ما حال, wann, cuando, quand`,
	ofOrdering: `order, ordering, hungry, sipariş*, ısmarla*, acıktım, παραγγείλω, παραγγελία, παράγγειλ*, πεινάω, заказать, закажи*, хочу заказать, заказ, голоден, להזמין, תזמין, תזמיני, הזמנה, רעב, רעבה,
		أطلب, اطلب, طلب, أن أطلب, جائع, bestellen, pedir, commander, kuagiza, agiza, deliver*, delivery, paket servis, παράδοση, доставк*, доставить, *משלוח, توصيل, *التوصيل, lieferung, livraison`,
	ofMenu: `menu, menus, menüsü*, menü*, menuyu, menude, μενού, меню, תפריט, *תפריט, قائمة الطعام, *قائمة, *المنيو, منيو, speisekarte, carta, carte, menyu`,
	ofAlso: `also, add, and also, ayrıca, ekle*, bir de, και ένα, πρόσθεσ*, επίσης, ещё, также, добавь*, גם, תוסיף*, أيضا, أضف, auch, también, aussi`,
	ofDelivering: `deliver*, delivered, bring, brought, gönder*, getir*, adrese, adresime, teslim*, paket servis, παράδοση*, φέρ*, διεύθυνση, доставк*, доставить, доставьте, привез*, משלוח, *משלוח, תביאו, להביא, لתوصيل, توصيل,
		*توصيل, أحضر*, liefer*, entrega*, domicilio, livr*`,
	ofPickingUp: `pick up, pick-up, pickup, picked up, pick it up, collect, takeaway, take away, take-away, gel al, gelip al*, kendim al*, ben alırım, alacağım, oradan al*, παραλαβή, θα το πάρω, θα περάσω, самовывоз*, заберу, сам заберу,
		איסוף, אאסוף, אקח, לקחת, استلام, سأستلم*, أستلم*, abhol*, recoger, recojo, emporter`,
	ofHere: `here, my location, my place, where i am, current location, shared location, buraya, burada, buradan, konumum*, konumuma, εδώ, η τοποθεσία μου, τοποθεσία μου, στην τοποθεσία μου, сюда, отсюда, здесь, моё местоположение,
		локация, моя геолокация, לכאן, מכאן, כאן, למיקום שלי, *מיקום שלי, هنا, إلى هنا, من هنا, موقعي, hierher, hier, aquí, ici, hapa`,
	ofPhoneNumber:   `phone*, tel, number, telefon*, numaram, τηλέφωνο*, телефон*, номер*, טלפון*, *טלפון, הטלפון, هاتف*, *هاتفي, رقمي, teléfono, téléphone, simu`,
	ofTable:         `table, tables, masa*, τραπέζι*, стол, столик*, שולחן, *מקום, طاولة, tisch, mesa`,
	ofReserving:     `book, booking, reserve, reservation, rezerv*, ayırt*, κράτηση, κρατήσ*, κλείσ*, заброниров*, бронь, לשמור, להזמין, أحجز, احجز, حجز, buchen, reservar, réserver`,
	ofViewing:       `see, view, visit, look at, viewing, show me around, gör*, gez*, bak*, δω, δούμε, επισκεφ*, επίσκεψη, посмотреть, осмотреть, просмотр*, показ, לראות, לבקר, סיור, أرى, أشاهد, زيارة, معاينة, besichtig*, visitar, ver, visiter`,
	ofViewingItself: `viewing, a viewing, visit the property, besichtig*, просмотр*, معاينة, ev gezme, yer gösterme`,
	ofArranging:     `schedule, arrange, organise, organize, set up, plan, make an appointment, make, the viewing, a viewing, viewing, ayarla*, planla*, κανόνισ*, κλείσε, договор*, назнач*, запиши*, לקבוע, תקבע*, לתאם, رتب, رتّب, حدد, vereinbar*, concertar, organiser`,
	ofHome: `flat, flats, apartment, apartments, house, houses, home, villa, studio, property, properties, real estate, daire*, ev, evi, evler, eve, konut*, villa*, stüdyo, emlak*, mülk*, διαμέρισμα*, διαμερίσματα, σπίτι*, σπίτια, βίλα, βίλες, ακίνητ*,
		квартир*, дом, дома, вилл*, студи*, недвижимост*, *דירה, *דירות, *בית, *בתים, *וילה, *נכס, *نכסים, *شقة, شقق, *بيت, *منزل, *فيلا, *عقار, wohnung*, haus, häuser, piso*, casa*, appartement*, maison*, nyumba`,
	ofLease: `rent, to rent, for rent, rental, buy, for sale, sale, lease, kiralık, kirala*, satılık, satın al*, ενοίκιο, ενοικί*, νοικιάσω, αγορά*, αγοράσω, πώληση*, πωλείται, снять, аренд*, купить, продаж*, להשכרה, לשכור, לקנות, למכירה,
		للإيجار, إيجار, أستأجر, استئجار, للبيع, شراء, أشتري, mieten, kaufen, alquil*, comprar, louer, acheter`,
	ofHelper:      `someone to fix, somebody to fix, someone to repair, somebody to repair, technician, handyman, repairman, a service, tamirci, usta, tekniker, servis çağır*, τεχνίτη*, μάστορα*, мастер*, ремонт*, טכנאי, בעל מקצוע, فني, حرفي, handwerker, técnico, fundi`,
	ofComing:      `come to you, come to them, i'll come, at your place, at theirs, at their place, ben gelirim, size gelirim, orada, εκεί, θα έρθω, приеду, приду, сам приеду, אבוא, אצלם, سآتي, عندهم, ich komme`,
	ofAnytime:     `any time, anytime, whenever, no matter, doesn't matter, as soon as possible, asap, fark etmez, ne zaman olursa, en kısa zamanda, οποτεδήποτε, όποτε, το συντομότερο, в любое время, всё равно, как можно скорее, когда угодно, מתי שנוח, לא משנה מתי, בהקדם, بأسرع وقت, أي وقت, في أي وقت`,
	ofNearest:     `nearest, closest, near me, nearby, around here, close by, near here, close to me, en yakın*, yakınım*, yakınlarda, civarda, κοντιν*, πλησιέστερ*, κοντά μου, εδώ κοντά, ближайш*, рядом, поблизости, недалеко, *קרוב, *קרובה, *קרובים, לידי, בסביבה, *أقرب, قريب, قريبة, *القريب, *القريبة, بالقرب*, nächste*, in der nähe, más cercan*, cerca, plus proche*, près d'ici, karibu nami, iliyo karibu`,
	ofPharmacy:    `pharmac*, chemist*, drugstore*, eczane*, φαρμακεί*, аптек*, *בית מרקחת, בתי מרקחת, *صيدلية, *صيدليات, apotheke*, farmacia*, duka la dawa`,
	ofOnDuty:      `tonight, night, on duty, duty, nöbetçi*, gece, bu gece, διανυκτερε*, εφημερε*, απόψε, νύχτα, ночн*, ночью, дежурн*, תורן, תורנית, תורני*, הלילה, בלילה, مناوب*, *مناوبة, *المناوبة, الليلة, ليلا, notdienst, nacht, guardia, garde, nuit`,
	ofNow:         `now, right now, open now, şimdi, şu an*, τώρα, сейчас, עכשיו, الآن, jetzt, ahora, maintenant`,
	ofTaxi:        `a ride to, a ride from, a lift to, a lift from, need a ride, need a lift, drive me, drive us, pick me up at, pick me up from, pick us up from, take me from, take us from, take me to the airport, take us to the airport, taxi, taxis, cab, a cab, taksi*, ταξί, такси, *מונית, *מוניות, *תקסי, تاكسي, *التاكسي, تكسي, teksi`,
	ofWhereabouts: `where is, where are, where's, where can i find, where can i, where do i find, is there a, nerede*, var mı, πού, που είναι, πού είναι, πού έχει, где, איפה, היכן, أين, وين, wo ist, wo finde, dónde, où est, où, wapi`,
	ofDriverKnows: `i'll tell the driver, tell the driver, don't know, not sure, şoföre söyler*, bilmiyorum, θα πω στον οδηγό, δεν ξέρω, скажу водителю, не знаю, אגיד לנהג, לא יודע*, سأخبر السائق, لا أعرف`,
}

// errandPatterns are the cues as patterns for folded text.
var errandPatterns = sync.OnceValue(func() map[errandCue]*regexp.Regexp {
	all := map[errandCue]*regexp.Regexp{}
	for _, words := range []map[errandCue]string{errandWords, careWords, officeWords} {
		for c, list := range words {
			all[c] = regexp.MustCompile(cuePattern(ofHello, list))
		}
	}
	return all
})

// heardAny reports whether a folded text holds the cue.
func heardAny(c errandCue, folded string) bool { return errandPatterns()[c].MatchString(folded) }

// onlyHeard reports whether a folded text says the cue and hardly anything else.
func onlyHeard(c errandCue, folded string) bool {
	m := errandPatterns()[c].FindString(folded)
	return m != "" && len(strings.Fields(folded))-len(strings.Fields(m)) <= 2
}

// named things, by what a catalogue or a map calls them
type kindWords struct{ name, words string }

// serviceKinds are what people hire somebody for.
var serviceKinds = []kindWords{
	{"plumber", `plumb*, leak, leaks, leaking, tap, burst pipe, blocked drain, sink, toilet is, toilet, no hot water, no water, drain is, tesisatçı*, tesisat*, musluk*, su kaçağı*, υδραυλικ*, сантехник*, שרברב, אינסטלטור, *אינסטלטור, سباك*, *السباك, klempner, fontanero, plombier, fundi bomba`},
	{"electrician", `electrician*, electrical, fuse, no power, no electricity, power is out, light switch, power socket, elektrikçi*, sigorta attı, ηλεκτρολόγο*, электрик*, חשמלאי*, *חשמלאי, كهربائي, elektriker, electricista, électricien`},
	{"air conditioning", `the ac, my ac, ac unit, a/c, air con, air-con, aircon, air conditioning, air conditioner, klima*, κλιματιστικ*, кондиционер*, מזגן*, *מזגן, مكيف*, *المكيف, klimaanlage, aire acondicionado, climatisation`},
	{"cleaning", `cleaning, cleaner, cleaners, temizlik*, temizliğ*, καθάρισμα, καθαρίστρια, καθαρισμ*, уборк*, уборщиц*, клининг, ניקיון, *ניקיון, מנקה, تنظيف, *التنظيف, putzfrau, reinigung, limpieza, ménage, usafi`},
	{"airport transfer", `transfer, transfers, airport transfer, havaalanı transfer*, transfer*, μεταφορά, трансфер*, הסעה, הסעות, نقل, توصيل المطار, flughafentransfer, traslado`},
	{"vet", `vet, vets, veterinar*, veteriner*, κτηνίατρο*, ветеринар*, וטרינר*, *וטרינר, بيطري, *البيطري, tierarzt, veterinario, vétérinaire`},
	{"computer repair", `computer repair, fix my computer, laptop, bilgisayar*, υπολογιστή*, επισκευή υπολογιστή, компьютер*, ноутбук*, מחשב*, *מחשב, كمبيوتر, حاسوب*, لابتوب, computer`},
	{"locksmith", `locksmith, locked out, çilingir*, κλειδαρά*, слесар*, замок, מנעולן, *מנעולן, أقفال, قفل, schlüsseldienst, cerrajero, serrurier`},
	{"gardener", `gardener, gardening, bahçıvan*, κηπουρό*, садовник*, גנן, *גנן, بستاني, gärtner, jardinero, jardinier`},
	{"photographer", `photographer, fotoğrafçı*, φωτογράφο*, фотограф*, צלם, *צלם, مصور, fotograf, fotógrafo, photographe`},
}

// placeKinds are what people look for on the map, by the map's name of the kind.
var placeKinds = []kindWords{
	{"beach", `beach, beaches, plaj*, kumsal*, παραλία*, παραλίες, пляж*, חוף, *חוף, חופים, شاطئ, *الشاطئ, شواطئ, strand, playa*, plage*, ufuo`},
	{"atm", `atm, atms, get cash, withdraw*, cash from, cash machine, cash point, cashpoint, bankamatik*, para çek*, μηχάνημα ανάληψης, банкомат*, כספומט, *כספומט, صراف, صراف آلي, *الصراف, geldautomat, cajero, distributeur`},
	{"hospital", `hospital*, emergency room, hastane*, acil servis, νοσοκομεί*, больниц*, госпитал*, בית חולים, *בית חולים, مستشفى, *المستشفى, مشفى, krankenhaus, hôpital, hospitali`},
	{"gas_station", `gas station, petrol station, petrol, fuel, benzin*, akaryakıt*, βενζινάδικο, βενζινάδικα, заправк*, бензин*, תחנת דלק, *תחנת דלק, محطة وقود, محطة بنزين, بنزين, tankstelle, gasolinera, station-service`},
	{"supermarket", `supermarket*, grocery, süpermarket*, market nerede, bakkal, σουπερμάρκετ, супермаркет*, סופר, סופרמרקט, سوبرماركت, بقالة, supermarkt, supermercado, supermarché`},
	{"museum", `museum*, müze*, μουσεί*, музе*, מוזיאון, *מוזיאון, متحف, *المتحف, museo*, musée*, makumbusho`},
	{"historic_site", `castle, castles, ruins, historic site*, kale, kalesi, harabe*, κάστρο, αρχαία, замок, крепость, руины, מצודה, טירה, قلعة, *القلعة, آثار, burg, castillo, château`},
	{"viewpoint", `viewpoint*, view point, manzara*, θέα, смотров*, תצפית, מطل, إطلالة, aussichtspunkt, mirador, point de vue`},
	{"police_station", `police, police station, polis*, karakol*, αστυνομία, αστυνομικό*, полици*, משטרה, *משטרה, شرطة, *الشرطة, polizei, policía, polisi`},
	{"currency_exchange", `exchange, exchange office, money exchange, currency exchange, döviz*, συνάλλαγμα, ανταλλακτήριο, обмен*, обменник*, צ'יינג', חלפן, صرافة, *الصرافة, wechselstube, cambio`},
	{"tourist_information", `tourist info*, tourist information, turizm danışma, turist*bilgi*, τουριστικ* πληροφορίες, туристическ*, מידע תיירותי, معلومات سياحية`},
	{"dentist", `dentist*, dişçi*, diş hekimi*, οδοντίατρο*, стоматолог*, зубной*, רופא שיניים, طبيب أسنان, zahnarzt, dentista`},
	{"veterinarian", `vet, veterinarian, veteriner*, κτηνίατρο*, ветеринар*, וטרינר*, بيطري`},
	{"bank", `bank, banks, banka*, τράπεζα, банк, בנק, *בנק, بنك, مصرف, banco, banque, benki`},
	{"parking", `parking, car park, otopark*, πάρκινγκ, парковк*, חניה, חניון, موقف سيارات, موقف, parkplatz`},
}

// towns are the places of the island that people name.
var towns = []kindWords{
	{"Kyrenia", `kyrenia, girne*, κερύνεια*, κερυνεια*, кирени*, гирне*, קירניה, *קירניה, גירנה, كيرينيا, جيرنه, غيرنه`},
	{"Nicosia", `nicosia, lefkoşa*, λευκωσία*, никоси*, лефкош*, ניקוסיה, *ניקוסיה, نيقوسيا, *نيقوسيا`},
	{"Famagusta", `famagusta, mağusa*, gazimağusa*, αμμόχωστο*, фамагуст*, פמגוסטה, *פמגוסטה, فاماغوستا, *فاماغوستا`},
	{"Bellapais", `bellapais, beylerbeyi*, μπελαπάις, беллапаис*, בלאפאיס, بيلابايس`},
	{"Alsancak", `alsancak*, αλσάντζακ, καραβά*, алсанджак*, אלסנצ'ק, ألسانجاك`},
	{"Iskele", `iskele*, τρίκωμο*, искеле*, איסקלה, إسكله`},
	{"Guzelyurt", `guzelyurt*, güzelyurt*, μόρφου*, гюзельюрт*, גוזליורט, غوزليورت`},
	{"Lapta", `lapta*, λάπηθο*, лапт*, לפטה, لابتا`},
	{"Karpaz", `karpaz*, karpas*, καρπασία*, карпас*, קרפס, كارباس`},
	{"Larnaca", `larnaca, larnaka*, λάρνακα*, ларнак*, לרנקה, لارنكا`},
	{"Limassol", `limassol, limasol*, λεμεσό*, лимасол*, לימסול, ليماسول`},
	{"Paphos", `paphos, baf, πάφο*, пафос*, פאפוס, بافوس`},
}

type kindPattern struct {
	name string
	re   *regexp.Regexp
}

// kindPatterns are the named things as patterns for folded text.
var kindPatterns = sync.OnceValue(func() (all struct{ services, places, towns []kindPattern }) {
	compile := func(kinds []kindWords) (out []kindPattern) {
		for _, k := range kinds {
			out = append(out, kindPattern{k.name, regexp.MustCompile(cuePattern(ofHello, k.words))})
		}
		return out
	}
	all.services, all.places, all.towns = compile(serviceKinds), compile(placeKinds), compile(towns)
	return all
})

func kindOf(patterns []kindPattern, folded string) (name, words string) {
	for _, k := range patterns {
		if m := k.re.FindString(folded); m != "" {
			return k.name, strings.TrimSpace(m)
		}
	}
	return "", ""
}

func serviceKind(folded string) string {
	name, _ := kindOf(kindPatterns().services, folded)
	return name
}

// placeKind is the kind of place that a folded text names.
func placeKind(folded string) (name string, known bool) {
	name, _ = kindOf(kindPatterns().places, folded)
	return name, name != ""
}

func townOf(folded string) string {
	name, _ := kindOf(kindPatterns().towns, folded)
	return name
}

// otherFillers are filler words of the languages that the booking rules do not know, and of
// ordering, folded.
var otherFillers = sync.OnceValue(func() []string {
	return newLine(`θέλω θα ήθελα να μου μας ένα μία μια και από το τη την τον του της στο στη στην για παρακαλώ κάτι με έχει είναι τι χρειάζομαι χρειαζόμαστε μπορώ μπορούμε μπορείτε θέλουμε θέλετε ψάχνω
		я мы мне нам хочу хотим хотел хотела бы пожалуйста и из в на с у от для один одну одна что есть можно мой ли нужен нужна нужно
		אני אנחנו רוצה רוצים צריך צריכה בבקשה את של עם ל ב מ ו אחד אחת יש לי לנו מה אפשר זה מחפש מחפשת אפשר
		أريد نريد أود من في إلى مع لي لنا واحد واحدة و هل ما هو هي يوجد عندكم لو سمحت فضلك أحتاج أن يمكنني يمكن نحتاج أبحث
		ich mich mir möchte wir ein eine einen und bei von bitte das der die den quiero un una y por favor je voudrais une et s'il vous plaît nataka
		something food eat some get order ordered ordering delivery deliver delivered pickup menu restaurant hungry takeaway sipariş siparişi vermek etmek
		yemek istiyorum söylemek edebilir verebilir miyim misiniz menü menüsü menüyü paket servis getirin gönderin`).plain
})

// gist are the folded words of a text that say what is wanted: no fillers, no cues.
func gist(text string, cues ...errandCue) []string {
	folded := " " + newLine(text).whole + " "
	for _, c := range cues {
		for range 4 {
			m := errandPatterns()[c].FindStringIndex(folded)
			if m == nil {
				break
			}
			folded = folded[:m[0]] + " " + folded[m[1]:]
		}
	}
	l := newLine(folded)
	var out []string
	for i := range l.words {
		word, plain := l.stem(i)
		if !filler(plain, "") && !slices.Contains(otherFillers(), plain) && !loneNumber.MatchString(plain) && count(plain) == 0 {
			out = append(out, word)
		}
	}
	return out
}

// counts are numbers in words, beside those that dates are read with, folded.
var counts = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for n, words := range []string{
		`a an ένα μία μια έναν один одну одна одно אחד אחת واحد واحدة ein eine einen un una une moja`,
		`couple δύο δυο два две двух שני שתי שתיים שניים اثنين اثنان اثنتين zwei dos deux mbili`,
		`τρία τρεις три שלושה שלוש שלושה ثلاثة ثلاث drei tres trois tatu`,
		`τέσσερα τέσσερις четыре ארבע ארבעה أربعة أربع vier cuatro quatre nne`,
		`πέντε пять חמש חמישה خمسة خمس fünf cinco cinq tano`,
		`έξι шесть שש שישה ستة ست sechs seis six sita`,
	} {
		for _, w := range newLine(words).plain {
			out[w] = n + 1
		}
	}
	return out
})

// count is the number that a folded word is, 0 for none.
func count(plain string) int {
	if n := number(strings.TrimRight(plain, "x×х")); n > 0 {
		return min(n, 99)
	}
	return counts()[plain]
}

// westernDigits writes digits of any script as 0 to 9.
func westernDigits(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '٠' && r <= '٩':
			return '0' + r - '٠'
		case r >= '۰' && r <= '۹':
			return '0' + r - '۰'
		case unicode.Is(unicode.Nd, r) && r >= '०' && r <= '९':
			return '0' + r - '०'
		}
		return r
	}, s)
}
