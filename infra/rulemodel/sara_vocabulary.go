package rulemodel

import (
	"regexp"
	"strings"
	"sync"

	"merve/internal/words/language"
)

// cue is something that a message to the damage desk may hold.
type cue int

const (
	ofHello cue = iota
	ofThanks
	ofHelp
	ofWho    // who are you
	ofPerson // a human, please
	ofYes    // and nothing else
	ofNo     // and nothing else
	ofNot    // takes back that something is mended
	ofLater
	ofDamage
	ofDanger
	ofPhoto
	ofNoPhoto
	ofStatus // my reports, how far are they
	ofReport // the thing itself
	ofIt     // that stands for it
	ofNew    // another report
	ofRemove
	ofMyData // all that is kept of me
	ofMended
	ofShare
	ofHours // a number goes before these three
	ofDays
	ofWeeks
	ofAddress
	ofStreet
	ofAt // goes before an address
	ofCause
	ofTime
	ofInjury
	ofInsurer
	ofContact
	ofJoin // link my chats
	ofPart // undo that
	cues   // how many there are
)

// cueWords are the words and phrases of each cue in each language, between commas. A star
// stands for the rest of a word.
var cueWords = map[string]map[cue]string{
	"en": {
		ofHello:   "hello, hi, hey, good morning, good afternoon, good evening",
		ofThanks:  "thanks, thank you, thx, cheers, bye, goodbye",
		ofHelp:    "help, what can you do, how does this work",
		ofWho:     "who are you, what are you, are you a bot, are you human, are you ai, are you real, language model",
		ofPerson:  "a human, a person, an operator, real person, somebody else, staff",
		ofYes:     "yes, yeah, yep, ok, okay, sure, right, correct",
		ofNo:      "no, nope, none, nothing, no thanks, not any, i don't, i have none, i don't have any, don't have",
		ofNot:     "not, isn't, wasn't, hasn't, never, but, again, still, yet, must, should, when",
		ofLater:   "later, not now, never mind, nevermind, forget it, stop",
		ofDamage:  "damag*, leak*, burst*, broke*, crack*, flood*, fire, burn*, smoke*, mold*, mould*, collaps*, fell, fallen, smash*, shatter*, dent*, scratch*, pothole*, hole, water*, storm, hail, graffiti, vandal*, crash*, accident, stolen, not working, doesn't work, torn, sparks, blocked, clogged, overflow*, drip*",
		ofDanger:  "gas, fire, flames, smoke*, sparks, live wire*, bare wire*, electric*, collaps*",
		ofPhoto:   "photo*, picture*, image*, pic, pics",
		ofNoPhoto: "no photo*, no picture*, no pics, no image*, without photo*, without picture*, any photo*, any picture*, have no photo*, can't take photo*",
		ofStatus:  "my reports, my report, reports, status, how far, what happened to, what have i reported",
		ofReport:  "report, reports", ofIt: "it, this, that",
		ofNew:    "new, another, new report, new one, something else, report damage, report something, make a report, start a report, file a report",
		ofRemove: "delete, remove, erase",
		ofMyData: "my data, everything about me, all about me, forget me, my account, delete everything",
		ofMended: "fixed, mended, repaired, resolved, solved, dealt with, sorted out, sorted",
		ofShare:  "share, a link, link to, the link, link for, send it to, pass it on",
		ofHours:  "hours, hour, hrs, h", ofDays: "days, day", ofWeeks: "weeks, week",
		ofAddress: "address is, address to, the address, wrong address, right address, correct address, new address, change the address",
		ofStreet:  "street, st, road, rd, avenue, ave, lane, drive, square, boulevard, way, court, terrace",
		ofAt:      "at, on, in", ofCause: "because, caused, cause, due to, after the, burst*, from the storm",
		ofTime:   "yesterday, today, tonight, last night, this morning, this afternoon, this evening, last week, ago, since, o'clock, midnight, noon, monday, tuesday, wednesday, thursday, friday, saturday, sunday",
		ofInjury: "hurt, injur*, hospital, wounded", ofInsurer: "insur*, policy number",
		ofContact: "call me, phone, my number, reach me, e-mail, email",
		ofJoin:    "link my chats, link this chat, link chats, link my chat, link code, other chat, connect my chats, connect this chat",
		ofPart:    "unlink*, disconnect*",
	},
	"tr": {
		ofHello:   "merhaba*, selam*, günaydın, iyi günler, iyi akşamlar",
		ofThanks:  "teşekkür*, sağ ol*, sağol*, eyvallah, görüşürüz",
		ofHelp:    "yardım*, neler yapabilirsin, ne yapabilirsin, nasıl çalış*",
		ofWho:     "kimsin, kimsiniz, sen kim*, siz kim*, nesin, bot musun, robot musun, insan mısın, yapay zeka mısın, yapay zeka",
		ofPerson:  "bir insanla, temsilci*, yetkili*, operatör*, gerçek kişi*",
		ofYes:     "evet, tamam, olur, doğru, peki",
		ofNo:      "hayır, yok, hiç yok, istemiyorum, hiçbiri",
		ofNot:     "değil, edilmedi, yapılmadı, olmadı, ama, yine, tekrar, hala, henüz, ne zaman",
		ofLater:   "sonra, daha sonra, şimdi değil, vazgeçtim, boş ver*, dur",
		ofDamage:  "hasar*, kaçak*, kaçağ*, sızıntı*, sızıyor, patla*, kırıl*, kırık*, kırdı*, çatla*, su bastı, su bas*, yangın*, yan*dı, duman*, küf*, çök*, düştü, çukur*, çizik*, çizil*, göçük*, bozul*, bozuk*, çalışmıyor, fırtına*, dolu yağdı, kaza*, çalındı, tıkan*, akıyor, damlıyor, su geliyor",
		ofDanger:  "gaz, gaz*kaçağı, gaz kokusu, yangın*, alev*, duman*, kıvılcım*, elektrik*, çök*",
		ofPhoto:   "foto*, resim*, resm*, görsel*",
		ofNoPhoto: "foto* yok, fotoğrafım yok, resim yok, resmim yok, fotoğrafsız, foto* çekemem",
		ofStatus:  "raporlarım*, raporum*, raporlar, bildirimlerim, durum*, ne oldu, ne aşamada",
		ofReport:  "rapor*, bildirim*", ofIt: "onu, bunu, o, bu",
		ofNew:    "yeni, başka, yeni rapor, hasar bildir*, rapor oluştur*, bildirim yap*",
		ofRemove: "sil, silin, siler*, silmek, silebilir*, kaldır*",
		ofMyData: "verilerimi, verilerim, her şeyi sil, hakkımdaki*, hesabımı",
		ofMended: "tamir edildi, onarıldı, düzeltildi, çözüldü, giderildi, halloldu, tamir ettiler, yapıldı",
		ofShare:  "paylaş*, bağlantı*, link*",
		ofHours:  "saatlik, saat, saatliğine", ofDays: "günlük, gün, günlüğüne", ofWeeks: "haftalık, hafta, haftalığına",
		ofAddress: "adresi, adres, adresim, adresi değiştir*, yanlış adres, doğru adres",
		ofStreet:  "sokak*, sokağı*, sok, cadde*, cad, bulvar*, mahalle*, mah", ofAt: "adres",
		ofCause:  "çünkü, yüzünden, nedeniyle, sebebi*, sebep*, nedeni, patladığı*",
		ofTime:   "dün*, bugün*, bu sabah, bu akşam, dün gece, geçen hafta, önce, saat, pazartesi*, salı*, çarşamba*, perşembe*, cuma*, cumartesi*, pazar*",
		ofInjury: "yaralan*, yaralı*, hastane*", ofInsurer: "sigorta*, poliçe*",
		ofContact: "beni ara*, telefon*, numaram, e-posta*",
		ofJoin:    "sohbetlerimi bağla*, sohbetleri bağla*, bu sohbeti bağla*, diğer sohbet*, bağlantı kodu*, eşleştir*",
		ofPart:    "bağlantıyı kaldır*, bağlantıları kaldır*, bağlantısını kaldır*, sohbetleri ayır*",
	},
	"de": {
		ofHello:   "hallo, guten tag, guten morgen, guten abend, servus, moin",
		ofThanks:  "danke*, vielen dank, tschüss, auf wiedersehen",
		ofHelp:    "hilfe, was kannst du, was können sie, wie funktioniert",
		ofWho:     "wer bist du, wer sind sie, was bist du, bist du ein bot, bist du ein mensch, sind sie ein mensch, sprachmodell",
		ofPerson:  "einem menschen, einen menschen, mitarbeiter*, echte person",
		ofYes:     "ja, ok, okay, genau, richtig, stimmt, gerne",
		ofNo:      "nein, nö, nichts, keine, keins, habe keine, nein danke",
		ofNot:     "nicht, noch, aber, wieder, nie, wann, muss, soll*",
		ofLater:   "später, nicht jetzt, egal, vergiss es, lass gut sein, stopp",
		ofDamage:  "schaden, schäden, schad*, *schaden, beschädig*, undicht*, leck*, tropf*, *bruch, geplatzt*, platzt*, gebrochen*, kaputt*, riss, risse, gerissen, überschwemm*, überflut*, feuer, brand, brennt, gebrannt, rauch*, schimmel*, eingestürzt, umgefallen, gefallen, zerbrochen*, eingeschlagen*, delle*, kratzer*, schlagloch*, wasser*, sturm*, hagel*, graffiti, unfall*, gestohlen*, verstopft*, funktioniert nicht, geht nicht",
		ofDanger:  "gas, gasgeruch, feuer, brand, brennt, flammen, rauch*, funken, strom*, elektr*, einsturz*, eingestürzt",
		ofPhoto:   "foto*, bild, bilder",
		ofNoPhoto: "keine foto*, kein foto*, keine bilder, kein bild, ohne foto*, ohne bilder",
		ofStatus:  "meine meldungen, meine meldung, meine berichte, meldungen, berichte, status, stand, wie weit",
		ofReport:  "meldung*, bericht*, schadensmeldung*", ofIt: "es, sie, das",
		ofNew:    "neu, neue, neuer, anderes, neue meldung, schaden melden, etwas melden",
		ofRemove: "lösch*, entfern*, streich*",
		ofMyData: "meine daten, alles über mich, mein konto, alles löschen",
		ofMended: "repariert, behoben, erledigt, gelöst, in ordnung gebracht, instandgesetzt",
		ofShare:  "teilen, teile, link, weitergeben, freigeben",
		ofHours:  "stunden, stunde, std, h", ofDays: "tage, tagen, tag", ofWeeks: "wochen, woche",
		ofAddress: "adresse ist, adresse lautet, die adresse, adresse, falsche adresse, richtige adresse, anschrift*",
		ofStreet:  "straße, *straße, str, *str, weg, *weg, platz, *platz, allee, *allee, gasse, *gasse, ring, ufer", ofAt: "in der, am, an der, im, auf der, in",
		ofCause:  "weil, wegen, verursacht*, ursache, durch, geplatzt*",
		ofTime:   "gestern*, heute*, letzte nacht, heute früh, letzte woche, vorgestern, vor, seit, uhr, mitternacht, mittag, montag*, dienstag*, mittwoch*, donnerstag*, freitag*, samstag*, sonntag*",
		ofInjury: "verletz*, krankenhaus", ofInsurer: "versicher*, police",
		ofContact: "ruf mich an, rufen sie mich, telefon*, meine nummer, erreich*, e-mail",
		ofJoin:    "chats verknüpfen, chat verknüpfen, chats verbinden, chat verbinden, anderer chat, anderen chat, verknüpfungscode",
		ofPart:    "verknüpfung aufheben, verknüpfung lösen, verknüpfungen aufheben, chats trennen, chat trennen",
	},
	"es": {
		ofHello:   "hola, buenos días, buenas tardes, buenas noches, buenas",
		ofThanks:  "gracias, muchas gracias, adiós, hasta luego",
		ofHelp:    "ayuda, ayúdame, qué puedes hacer, cómo funciona",
		ofWho:     "quién eres, qué eres, eres un bot, eres humano, eres humana, eres real, modelo de lenguaje",
		ofPerson:  "una persona, un humano, un agente, un operador, persona real",
		ofYes:     "sí, si, vale, ok, claro, correcto, de acuerdo",
		ofNo:      "no, ninguno, ninguna, nada, no tengo, no gracias",
		ofNot:     "no, todavía, aún, pero, otra vez, nunca, cuándo",
		ofLater:   "luego, más tarde, ahora no, olvídalo, déjalo, para",
		ofDamage:  "daño*, dañad*, fuga*, gotera*, gotea*, rot*, reventó, revent*, grieta*, inund*, incendio*, fuego, quem*, humo, moho, derrumb*, cayó, caído, caída, destroz*, abolladura*, rayad*, bache*, agua, tormenta*, granizo, accidente, choque, robad*, atasc*, avería*, averiad*, no funciona",
		ofDanger:  "gas, incendio*, fuego, llamas, humo, chispas, cable*, eléctric*, electric*, derrumb*",
		ofPhoto:   "foto*, imagen, imágenes",
		ofNoPhoto: "sin foto*, no hay foto*, no tengo foto*, ninguna foto*, sin imágenes, no tengo imágenes",
		ofStatus:  "mis partes, mis informes, mis reportes, mi parte, mi informe, mi reporte, estado, cómo va, cómo van",
		ofReport:  "parte, informe*, reporte*, partes", ofIt: "lo, esto, eso",
		ofNew:    "nuevo, nueva, otro, otra, otra cosa, nuevo informe, nuevo parte, reportar un, informar de",
		ofRemove: "borra*, elimin*, bórra*, quita*",
		ofMyData: "mis datos, todo sobre mí, mi cuenta, borra todo, borrar todo",
		ofMended: "arreglad*, reparad*, solucionad*, resuelt*",
		ofShare:  "compart*, enlace*, link",
		ofHours:  "horas, hora, h", ofDays: "días, día", ofWeeks: "semanas, semana",
		ofAddress: "la dirección es, dirección es, la dirección, dirección*, dirección correcta",
		ofStreet:  "calle, avenida, avda, plaza, paseo, camino, carretera", ofAt: "en, en la, en el",
		ofCause:  "porque, por culpa, debido a, causa*, a causa",
		ofTime:   "ayer, hoy, anoche, esta mañana, esta tarde, esta noche, la semana pasada, hace, desde, medianoche, mediodía, lunes, martes, miércoles, jueves, viernes, sábado, domingo",
		ofInjury: "herid*, lesion*, hospital", ofInsurer: "seguro, seguros, aseguradora*, póliza*",
		ofContact: "llámame, llámenme, teléfono*, mi número, correo*",
		ofJoin:    "vincular mis chats, vincular este chat, vincular chats, vincular, vincula, otro chat, código de vinculación",
		ofPart:    "desvincul*",
	},
	"fr": {
		ofHello:   "bonjour, bonsoir, salut, coucou",
		ofThanks:  "merci, merci beaucoup, au revoir",
		ofHelp:    "aide, aidez-moi, que peux-tu faire, que pouvez-vous faire, comment ça marche",
		ofWho:     "qui es-tu, qui êtes-vous, es-tu un robot, êtes-vous un robot, êtes-vous humain, es-tu humain, tu es qui, modèle de langage",
		ofPerson:  "une personne, un humain, un conseiller, un agent, vraie personne",
		ofYes:     "oui, ok, d'accord, bien sûr, c'est ça, exact",
		ofNo:      "non, aucun, aucune, rien, pas du tout, non merci, je n'en ai pas",
		ofNot:     "pas, encore, mais, toujours, jamais, quand",
		ofLater:   "plus tard, pas maintenant, laisse tomber, laissez tomber, oublie, oubliez, stop",
		ofDamage:  "dégât*, dommage*, endommag*, abîm*, fuite*, fuit, coule, cassé*, casse, fissure*, inond*, incendie*, feu, brûl*, fumée*, moisi*, effondr*, tombé*, brisé*, bris, éclaté*, bosse, rayure*, rayé*, nid-de-poule, nids-de-poule, l'eau, eau, tempête*, grêle, accident*, volé*, bouché*, panne, ne marche pas, ne fonctionne pas",
		ofDanger:  "gaz, incendie*, feu, flammes, fumée*, étincelles, électri*, fil dénudé, effondr*",
		ofPhoto:   "photo*, image*",
		ofNoPhoto: "pas de photo*, sans photo*, aucune photo*, pas d'image*, pas de photos",
		ofStatus:  "mes signalements, mes déclarations, mon signalement, ma déclaration, mes rapports, statut, état, où en est, où en sont",
		ofReport:  "signalement*, déclaration*, rapport*", ofIt: "le, la, ça",
		ofNew:    "nouveau, nouvelle, autre, autre chose, signaler un, déclarer un",
		ofRemove: "supprim*, efface*, enlev*",
		ofMyData: "mes données, tout sur moi, mon compte, supprime tout, supprimez tout",
		ofMended: "réparé*, résolu*, réglé*",
		ofShare:  "partag*, un lien, le lien, lien",
		ofHours:  "heures, heure, h", ofDays: "jours, jour", ofWeeks: "semaines, semaine",
		ofAddress: "l'adresse est, adresse est, l'adresse, adresse, mauvaise adresse, bonne adresse",
		ofStreet:  "rue, avenue, boulevard, place, chemin, allée, impasse, quai, route", ofAt: "au, à, dans la, dans",
		ofCause:  "parce que, à cause, causé*, cause, dû à",
		ofTime:   "hier, aujourd'hui, ce matin, cet après-midi, ce soir, cette nuit, la semaine dernière, il y a une heure, il y a quelques, il y a deux, il y a trois, il y a une semaine, il y a un mois, depuis, minuit, midi, lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche",
		ofInjury: "blessé*, blessure*, hôpital", ofInsurer: "assurance*, assureur*, police d'assurance",
		ofContact: "appelez-moi, appelle-moi, téléphone*, mon numéro, e-mail, courriel",
		ofJoin:    "lier mes chats, lier ce chat, lier mes conversations, lier cette conversation, relier*, autre conversation, autre chat, code de liaison",
		ofPart:    "délier*, dissocier*",
	},
	"sw": {
		ofHello:   "habari, hujambo, jambo, mambo, salamu, shikamoo",
		ofThanks:  "asante, asante sana, ahsante, kwaheri",
		ofHelp:    "msaada, nisaidie, unaweza kufanya nini",
		ofWho:     "wewe ni nani, u nani, wewe ni nini, wewe ni roboti, wewe ni mtu",
		ofPerson:  "mtu halisi, na mtu, mhudumu, binadamu",
		ofYes:     "ndiyo, ndio, sawa, sawasawa, kweli",
		ofNo:      "hapana, hakuna, sina, la",
		ofNot:     "si, haija*, haiku*, bado, lakini, tena, lini",
		ofLater:   "baadaye, si sasa, acha, sahau",
		ofDamage:  "uharibifu, imeharib*, haribi*, inavuja, kuvuja, vuja, uvujaji, limepasuka, umepasuka, imepasuka, pasuk*, imevunjika, limevunjika, kuvunjika, vunjik*, nyufa, ufa, mafuriko, moto, kuungua, imeungua, moshi, ukungu, imeanguka, limeanguka, umeanguka, maji, dhoruba, ajali, imeibiwa, imeziba, shimo, haifanyi kazi",
		ofDanger:  "gesi, moto, moshi, cheche, umeme, imebomoka, kuporomoka",
		ofPhoto:   "picha",
		ofNoPhoto: "sina picha, hakuna picha, bila picha",
		ofStatus:  "ripoti zangu, ripoti yangu, hali, imefika wapi",
		ofReport:  "ripoti, taarifa", ofIt: "hii, hiyo",
		ofNew:    "mpya, nyingine, ripoti mpya, kuripoti",
		ofRemove: "futa, ondoa, kufuta",
		ofMyData: "data yangu, taarifa zangu zote, akaunti yangu, futa kila kitu",
		ofMended: "imetengenezwa, limetengenezwa, umetengenezwa, imerekebishwa, limerekebishwa, imetatuliwa",
		ofShare:  "shiriki, kushiriki, kiungo, tuma kiungo",
		ofHours:  "saa, masaa", ofDays: "siku", ofWeeks: "wiki",
		ofAddress: "anwani ni, anwani",
		ofStreet:  "mtaa, barabara, njia", ofAt: "kwenye, katika",
		ofCause:  "kwa sababu, sababu, kutokana",
		ofTime:   "jana, leo, asubuhi, usiku wa jana, wiki iliyopita, iliyopita, tangu, juzi, jumatatu, jumanne, jumatano, alhamisi, ijumaa, jumamosi, jumapili",
		ofInjury: "jeruhi*, ameumia, hospitali", ofInsurer: "bima",
		ofContact: "nipigie, simu, namba yangu, barua pepe",
		ofJoin:    "unganisha mazungumzo, unganisha, kuunganisha, mazungumzo mengine",
		ofPart:    "tenganisha, ondoa muunganisho",
	},
	"el": {
		ofHello:   "γεια, γεια σας, γεια σου, καλημέρα, καλησπέρα, χαίρετε",
		ofThanks:  "ευχαριστώ, ευχαριστούμε, αντίο",
		ofHelp:    "βοήθεια, τι μπορείς να κάνεις, πώς λειτουργεί",
		ofWho:     "ποιος είσαι, ποια είσαι, ποιος είστε, τι είσαι, είσαι ρομπότ, είσαι άνθρωπος",
		ofPerson:  "έναν άνθρωπο, με άνθρωπο, εκπρόσωπο, υπάλληλο",
		ofYes:     "ναι, εντάξει, σωστά, βεβαίως, οκ",
		ofNo:      "όχι, τίποτα, καμία, κανένα, δεν έχω",
		ofNot:     "δεν, όχι, ακόμα, ακόμη, αλλά, πάλι, ποτέ, πότε",
		ofLater:   "αργότερα, μετά, όχι τώρα, άσε, άστο",
		ofDamage:  "ζημι*, διαρρο*, τρέχει, στάζει, έσπασ*, σπασμέν*, σπάσ*, ρωγμ*, πλημμύρ*, φωτιά*, πυρκαγι*, κάηκ*, καπν*, μούχλα*, κατέρρευσ*, έπεσ*, χαλασμέν*, χάλασ*, λακκούβ*, νερά, νερό, καταιγίδ*, χαλάζι, ατύχημα, τράκαρ*, κλάπηκ*, βουλωμέν*, βούλωσ*, γρατζουν*, δεν λειτουργεί",
		ofDanger:  "αέρι*, γκάζι, φωτιά*, πυρκαγι*, φλόγ*, καπν*, σπίθες, ρεύμα, ηλεκτρ*, κατέρρευσ*",
		ofPhoto:   "φωτογραφί*, φωτο, εικόν*",
		ofNoPhoto: "δεν έχω φωτογραφί*, χωρίς φωτογραφί*, καμία φωτογραφία, δεν υπάρχουν φωτογραφίες",
		ofStatus:  "οι αναφορές μου, αναφορές μου, αναφορά μου, οι αναφορές, κατάσταση, πού βρίσκεται",
		ofReport:  "αναφορ*", ofIt: "το, την, αυτό, αυτή",
		ofNew:    "νέα, νέο, καινούρι*, άλλη, άλλο, νέα αναφορά, να αναφέρω",
		ofRemove: "διαγραφ*, διάγραψ*, διέγραψ*, σβήσ*",
		ofMyData: "τα δεδομένα μου, δεδομένα μου, όλα για μένα, τον λογαριασμό μου",
		ofMended: "επισκευάστηκ*, φτιάχτηκ*, διορθώθηκ*, λύθηκ*, αποκαταστάθηκ*",
		ofShare:  "μοιρ*, κοινοποί*, σύνδεσμο*, λινκ",
		ofHours:  "ώρες, ώρα", ofDays: "ημέρες, μέρες, ημέρα, μέρα", ofWeeks: "εβδομάδες, εβδομάδα",
		ofAddress: "η διεύθυνση είναι, διεύθυνση είναι, διεύθυνση*, λάθος διεύθυνση",
		ofStreet:  "οδός, οδό, οδού, λεωφόρος, λεωφόρο, πλατεία", ofAt: "στην, στον, στο, στη",
		ofCause:  "επειδή, γιατί, λόγω, αιτία, εξαιτίας",
		ofTime:   "χθες, χτες, σήμερα, απόψε, σήμερα το πρωί, την προηγούμενη εβδομάδα, πριν, από χθες, μεσάνυχτα, δευτέρα, τρίτη, τετάρτη, πέμπτη, παρασκευή, σάββατο, κυριακή",
		ofInjury: "τραυματ*, χτύπησ*, νοσοκομείο", ofInsurer: "ασφάλει*, ασφαλιστ*, ασφαλισ*",
		ofContact: "καλέστε με, τηλέφων*, αριθμός μου, email",
		ofJoin:    "σύνδεσε τις συνομιλίες, σύνδεση συνομιλι*, συνδέστε τις συνομιλίες, άλλη συνομιλία, κωδικό σύνδεσης",
		ofPart:    "αποσύνδε*",
	},
	"ru": {
		ofHello:   "привет, здравствуй*, добрый день, доброе утро, добрый вечер",
		ofThanks:  "спасибо, благодарю, пока, до свидания",
		ofHelp:    "помощь, помогите, что ты умеешь, что вы умеете, как это работает",
		ofWho:     "кто ты, кто вы, ты бот, вы бот, ты человек, вы человек, ты робот, вы робот, языковая модель",
		ofPerson:  "с человеком, живым человеком, с оператором, оператор*, сотрудник*",
		ofYes:     "да, ок, хорошо, верно, правильно, конечно",
		ofNo:      "нет, ничего, никаких, не надо, нету",
		ofNot:     "не, ещё, но, опять, снова, никогда, когда",
		ofLater:   "позже, потом, не сейчас, забудь*, неважно, стоп",
		ofDamage:  "поврежд*, ущерб*, протек*, течёт, течь, утечк*, прорва*, лопну*, сломал*, сломан*, разбит*, разбил*, трещин*, затоп*, залил*, потоп*, пожар*, горит, сгорел*, дым*, плесен*, обрушил*, рухнул*, упал*, вмятин*, царапин*, яма, вода, воды, шторм*, град, авари*, украл*, засор*, не работает, капает",
		ofDanger:  "газ, газом, газа, пожар*, огонь, горит, дым*, искр*, провод*, электрич*, обрушил*",
		ofPhoto:   "фото*, снимк*, снимок, картинк*",
		ofNoPhoto: "нет фото*, без фото*, фото нет, фотографий нет, нет снимков, нет фотографий",
		ofStatus:  "мои заявки, моя заявка, мои отчёты, мои обращения, моё обращение, моей заявк*, заявки, статус*, как продвига*",
		ofReport:  "заявк*, отчёт*, обращени*", ofIt: "её, его, это, эту",
		ofNew:    "новая, новую, новое, другое, другая, другую, новая заявка, сообщить о",
		ofRemove: "удали*, удалить, сотри*",
		ofMyData: "мои данные, всё обо мне, мой аккаунт, удалить всё, удалите всё",
		ofMended: "починили, починен*, отремонтир*, исправлен*, исправили, устранили, устранен*, решен*",
		ofShare:  "подели*, ссылк*",
		ofHours:  "часов, часа, час", ofDays: "дней, дня, день", ofWeeks: "недель, недели, неделю, неделя",
		ofAddress: "адрес, адреса, неверный адрес, правильный адрес, измените адрес",
		ofStreet:  "улица, улице, ул, проспект*, пр, площадь, переулок, бульвар*, шоссе", ofAt: "на, в, по адресу",
		ofCause:  "потому что, из-за, причина, вызван*",
		ofTime:   "вчера, сегодня, утром, вечером, ночью, позавчера, назад, с понедельника, на прошлой неделе, полночь, понедельник, вторник, среду, среда, четверг, пятницу, пятница, субботу, суббота, воскресенье",
		ofInjury: "ранен*, травм*, пострадал*, больниц*", ofInsurer: "страхов*, полис*",
		ofContact: "позвоните мне, телефон*, мой номер, почта",
		ofJoin:    "связать чаты, свяжи чаты, свяжите чаты, связать этот чат, другой чат, другом чате, код связи, объединить чаты",
		ofPart:    "отвяз*, разъедин*, отсоедин*",
	},
	"he": {
		ofHello:   "שלום, היי, הי, בוקר טוב, ערב טוב, צהריים טובים",
		ofThanks:  "תודה, תודה רבה, להתראות, ביי",
		ofHelp:    "עזרה, מה אתה יכול לעשות, מה את יכולה לעשות, איך זה עובד",
		ofWho:     "מי את, מי אתה, מה את, מה אתה, את בוט, אתה בוט, את רובוט, את אנושית",
		ofPerson:  "בן אדם, נציג*, אדם אמיתי",
		ofYes:     "כן, בסדר, אוקיי, נכון, בטח",
		ofNo:      "לא, אין, אין לי, כלום, שום דבר",
		ofNot:     "לא, עדיין, אבל, שוב, מתי, עוד",
		ofLater:   "אחר כך, מאוחר יותר, לא עכשיו, עזוב, עזבי, תשכחי",
		ofDamage:  "*נזק, *נזקים, *נזילה, *דליפה, דולף, דולפת, נוזל, נוזלים, *פיצוץ, התפוצץ, נשבר*, שבור*, *סדק, *סדקים, *הצפה, הוצף, הוצפה, *שריפה, *אש, נשרף*, *עשן, *עובש, התמוטט*, קרס*, נפל*, *שריטה, *בור, *מים, *סערה, *ברד, *תאונה, נגנב*, *סתימה, סתום*, לא עובד*, מקולקל*, התקלקל*",
		ofDanger:  "*גז, *שריפה, *אש, *להבות, *עשן, *ניצוצות, *חשמל, קרס*, התמוטט*",
		ofPhoto:   "*תמונה, *תמונות, *צילום, *צילומים, *תמונת",
		ofNoPhoto: "אין תמונות, אין לי תמונות, בלי תמונות, ללא תמונות, אין תמונה",
		ofStatus:  "*דיווחים שלי, *דיווח שלי, הדיווחים, *סטטוס, מה קורה עם, מה המצב",
		ofReport:  "*דיווח, *דיווחים", ofIt: "אותו, אותה, זה",
		ofNew:    "חדש, חדשה, אחר, אחרת, דיווח חדש, משהו אחר, לדווח",
		ofRemove: "מחק, מחקי, למחוק, תמחק*, הסר*, להסיר",
		ofMyData: "*נתונים שלי, *מידע שלי, הכל עליי, החשבון שלי, תמחקי הכל",
		ofMended: "תוקן, תוקנה, תיקנו, טופל, טופלה, נפתר*",
		ofShare:  "*שתף, *שתפי, לשתף, *קישור, *לינק",
		ofHours:  "שעות, שעה", ofDays: "ימים, יום", ofWeeks: "שבועות, שבוע",
		ofAddress: "הכתובת היא, *כתובת, כתובת שגויה",
		ofStreet:  "*רחוב, *שדרות, *כיכר, *דרך", ofAt: "בכתובת, נמצא ב",
		ofCause:  "בגלל, כי, *סיבה, עקב, כתוצאה",
		ofTime:   "אתמול, היום, הבוקר, הערב, הלילה, בשבוע שעבר, לפני, מאז, חצות, שלשום, ביום ראשון, ביום שני, ביום שלישי, ביום רביעי, ביום חמישי, ביום שישי, בשבת",
		ofInjury: "נפצע*, פצוע*, *פציעה, בית חולים", ofInsurer: "*ביטוח, *פוליסה",
		ofContact: "תתקשרו אליי, *טלפון, המספר שלי, מייל",
		ofJoin:    "לקשר את הצ'אטים, לקשר צ'אטים, לקשר את הצ'אט, לחבר את הצ'אטים, צ'אט אחר, קוד קישור",
		ofPart:    "לנתק, נתק, נתקי, בטל קישור, לבטל קישור",
	},
	"ar": {
		ofHello:   "مرحبا, مرحبًا, السلام عليكم, أهلا, صباح الخير, مساء الخير",
		ofThanks:  "شكرا, شكرًا, شكرا جزيلا, مع السلامة",
		ofHelp:    "مساعدة, ساعدني, ساعديني, ماذا يمكنك, كيف يعمل",
		ofWho:     "من أنت, من انت, ما أنت, هل أنت روبوت, هل أنت إنسان",
		ofPerson:  "شخص حقيقي, مع شخص, موظف, مع إنسان",
		ofYes:     "نعم, حسنا, حسنًا, صحيح, أجل, تمام",
		ofNo:      "لا, لا يوجد, ليس لدي, لا شيء, ليس عندي",
		ofNot:     "لم, لا, ليس, بعد, لكن, مرة أخرى, متى",
		ofLater:   "لاحقا, لاحقًا, فيما بعد, ليس الآن, انس الأمر, دعك",
		ofDamage:  "*ضرر, *أضرار, *تلف, *تسرب, *تسريب, يتسرب, تتسرب, انفجر*, *كسر, انكسر*, مكسور*, *شق, *شقوق, تشقق*, *فيضان, غمر*, *حريق, *نار, احترق*, *دخان, *عفن, انهار*, سقط*, *حفرة, *ماء, *مياه, *عاصفة, *برد, *حادث, سرق*, *انسداد, مسدود*, لا يعمل, لا تعمل, معطل*, تعطل*",
		ofDanger:  "*غاز, *حريق, *نار, *لهب, *دخان, *شرر, *كهرباء, كهربائي*, انهار*",
		ofPhoto:   "*صورة, *صور, *صوره",
		ofNoPhoto: "لا صور, لا توجد صور, ليس لدي صور, بدون صور, لا يوجد صور, ليس عندي صور",
		ofStatus:  "بلاغاتي, بلاغي, تقاريري, تقريري, *حالة, أين وصل",
		ofReport:  "*بلاغ, *بلاغات, *تقرير, بلاغي, تقريري", ofIt: "هذا, ذلك",
		ofNew:    "جديد, جديدة, آخر, أخرى, بلاغ جديد, الإبلاغ عن, شيء آخر",
		ofRemove: "احذف*, حذف, امسح*, إزالة, أزل",
		ofMyData: "بياناتي, كل شيء عني, حسابي, احذف كل شيء",
		ofMended: "تم إصلاح*, أصلح*, تم حل*, انحلت, تصلح*",
		ofShare:  "شارك*, مشاركة, *رابط, *رابطا",
		ofHours:  "ساعات, ساعة", ofDays: "أيام, يوم, يوما", ofWeeks: "أسابيع, أسبوع",
		ofAddress: "العنوان هو, *عنوان, عنوان خاطئ",
		ofStreet:  "*شارع, *طريق, *ميدان, *جادة", ofAt: "في, على",
		ofCause:  "لأن, بسبب, *سبب, نتيجة",
		ofTime:   "أمس, امس, اليوم, صباح*, مساء*, الليلة, الأسبوع الماضي, قبل, منذ, منتصف الليل, الاثنين, الثلاثاء, الأربعاء, الخميس, الجمعة, السبت, الأحد",
		ofInjury: "*مصاب, أصيب*, *إصابة, *جرحى, *مستشفى", ofInsurer: "*تأمين, *بوليصة",
		ofContact: "اتصل بي, اتصلوا بي, *هاتف, رقمي, بريدي",
		ofJoin:    "ربط المحادثات, اربط المحادثات, ربط المحادثة, ربط هذه المحادثة, المحادثة الأخرى, رمز الربط",
		ofPart:    "إلغاء الربط, فك الربط, ألغ الربط",
	},
}

// ear hears the cues of some languages.
type ear []map[cue]*regexp.Regexp

// earFor hears a language, and English, whose words are everywhere.
func earFor(tag string) ear {
	all := cuePatterns()
	if tag == "en" || all[tag] == nil {
		return ear{all["en"]}
	}
	return ear{all[tag], all["en"]}
}

// hears reports whether a folded text holds the cue.
func (e ear) hears(c cue, folded string) bool {
	for _, patterns := range e {
		if patterns[c].MatchString(folded) {
			return true
		}
	}
	return false
}

// finds returns the first match of the cue in a folded text, with what goes before it: the
// number of a time, and where it begins and ends.
func (e ear) finds(c cue, folded string) (number string, from, to int) {
	for _, patterns := range e {
		if m := patterns[c].FindStringSubmatchIndex(folded); m != nil {
			if len(m) > 2 && m[2] >= 0 {
				number = folded[m[2]:m[3]]
			}
			return number, m[0], m[1]
		}
	}
	return "", -1, -1
}

// only reports whether a folded text says this cue and hardly anything else.
func (e ear) only(c cue, folded string) bool {
	_, from, to := e.finds(c, folded)
	return from >= 0 && len(strings.Fields(folded))-len(strings.Fields(folded[from:to])) <= 2
}

// cuePatterns are the cues as patterns for folded text, by language.
var cuePatterns = sync.OnceValue(func() map[string]map[cue]*regexp.Regexp {
	all := map[string]map[cue]*regexp.Regexp{}
	for tag, lists := range cueWords {
		all[tag] = map[cue]*regexp.Regexp{}
		for c, list := range lists {
			all[tag][c] = regexp.MustCompile(cuePattern(c, list))
		}
	}
	return all
})

func cuePattern(c cue, list string) string {
	var phrases []string
	for phrase := range strings.SplitSeq(list, ",") {
		var words []string
		for word := range strings.FieldsSeq(phrase) {
			parts := strings.Split(word, "*")
			for i, part := range parts {
				parts[i] = regexp.QuoteMeta(language.Fold(part))
			}
			words = append(words, strings.Join(parts, `[^ ]*`))
		}
		phrases = append(phrases, strings.Join(words, " "))
	}
	pattern := `(?:` + strings.Join(phrases, "|") + `)(?: |$)`
	if c == ofHours || c == ofDays || c == ofWeeks {
		return `(?:^| )(\d{1,4}|` + numbers + `|an?) ?` + pattern
	}
	return `(?:^| )` + pattern
}
