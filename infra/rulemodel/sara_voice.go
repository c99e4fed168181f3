package rulemodel

import (
	"fmt"
	"strings"
	"time"
)

// deskVoice is how the rules speak one language at the damage desk.
type deskVoice struct {
	standIn string // what this is; it tells, too, that it was said before

	hello, canDo, thanks, person, unclear, declined string
	sorry, danger                                   string

	// Questions; each is known by its words when it stands in an earlier reply.
	where, address, place, photos, what, when, which string

	places, asText, orNew, more                             string
	started, moved, noted, photosOn, noneOn, complete, done string // of what a tool returned
	mine, none, noAddress, thisOne                          string
	statuses                                                map[string]string
	check, link, hours                                      string
	code, unlinked, badCode                                 string
	notComplete, closed, tooMany, refused, away             string
	cannot, gone, photoLost                                 string
}

// deskVoices are the languages of the desk, by tag.
func deskVoices() map[string]*deskVoice {
	return map[string]*deskVoice{"en": &deskEnglish, "tr": &deskTurkish, "de": &deskGerman, "es": &deskSpanish, "fr": &deskFrench,
		"sw": &deskSwahili, "el": &deskGreek, "ru": &deskRussian, "he": &deskHebrew, "ar": &deskArabic}
}

var deskEnglish = deskVoice{
	standIn: "I'm Sara's built-in rule-based stand-in, not a large language model",
	hello:   "Hello!", canDo: "I take damage reports: tell me what is damaged and where, and send photos. I also show “my reports”, make a link to share one, mark one as resolved or delete one.",
	thanks: "You're welcome. Write whenever something is to be added.", person: "I can't hand you over to a person from here, but I can take your report.",
	unclear: "Sorry, I didn't get that; I only follow simple rules.", declined: "All right. Write when you want to go on.",
	sorry: "I'm sorry to hear that.", danger: "If anybody may be in danger, get to safety first and call the emergency number.",
	where: "Where is the damage? Please write street, number and town.", address: "What is the right address, with street, number and town?",
	place: "Which of these places is right? Answer with its number.", photos: "Please send photos of the damage, or write “no photos”.",
	what: "What happened? A few words are enough.", when: "When did it happen?", which: "Which report do you mean? Answer with its number or its address.",
	places: "The address may mean several places:", asText: "The address has no place on the map yet; it is kept as you wrote it.",
	orNew: "If it is about something else, write “new”.", more: "You can add details or photos at any time.",
	started: "There is a report now for this place: %s.", moved: "The address of the report is now: %s.", noted: "I have written that down.",
	photosOn: "Photos on the report: %d.", noneOn: "It is noted that there are no photos.", complete: "The report is complete.",
	done: "The report is now marked as resolved: %s.", mine: "Your reports:", none: "You have no reports yet.", noAddress: "no address yet", thisOne: "the one we are at",
	statuses: map[string]string{"pending": "open", "completed": "complete", "resolved": "resolved"},
	check:    "Please read what comes next before you answer.",
	link:     "Anybody who has this link can see the report until %s:", hours: "A link can work for 1 to 168 hours.",
	code: "Write this code in your other chat before %[2]s: %[1]s", unlinked: "This chat is not linked with any other.",
	badCode:     "That code is wrong, used or too old, or it was made in this very chat. Make a new one in the other chat.",
	notComplete: "Only a complete report can be marked as resolved. First it needs an address, and a photo or your word that there is none.",
	closed:      "That report is resolved and stays as it is.", tooMany: "There is no room for one more report. Delete one that you don't need.",
	refused: "That didn't work: %s", away: "I can't reach that right now. Please try again in a moment.", cannot: "I can't do that here right now.",
	gone: "I can't find that report any more.", photoLost: "A photo could not be taken: %s.",
}

var deskTurkish = deskVoice{
	standIn: "Ben Sara'nın yerleşik, kurallarla çalışan yedeğiyim; büyük bir dil modeli değilim",
	hello:   "Merhaba!", canDo: "Hasar bildirimlerini alırım: neyin nerede hasar gördüğünü yazın ve fotoğraf gönderin. “Raporlarım” yazarsanız gösteririm; paylaşma bağlantısı yapabilir, bir raporu giderildi olarak işaretleyebilir veya silebilirim.",
	thanks: "Rica ederim. Eklenecek bir şey olursa yazın.", person: "Sizi buradan bir kişiye bağlayamıyorum ama bildiriminizi alabilirim.",
	unclear: "Üzgünüm, anlayamadım; yalnızca basit kurallarla çalışıyorum.", declined: "Peki. Devam etmek istediğinizde yazın.",
	sorry: "Bunu duyduğuma üzüldüm.", danger: "Tehlikede olan varsa önce güvenli bir yere geçin ve acil numarayı arayın.",
	where: "Hasar nerede? Lütfen sokak, numara ve şehir yazın.", address: "Doğru adres nedir? Sokak, numara ve şehir yazın.",
	place: "Bu yerlerden hangisi doğru? Numarasını yazın.", photos: "Lütfen hasarın fotoğraflarını gönderin ya da “fotoğraf yok” yazın.",
	what: "Ne oldu? Birkaç sözcük yeter.", when: "Ne zaman oldu?", which: "Hangi raporu kastediyorsunuz? Numarasını veya adresini yazın.",
	places: "Adres birkaç yer olabilir:", asText: "Adresin haritada henüz yeri yok; yazdığınız gibi duruyor.",
	orNew: "Başka bir şeyse “yeni” yazın.", more: "İstediğiniz zaman ayrıntı veya fotoğraf ekleyebilirsiniz.",
	started: "Şu yer için artık bir rapor var: %s.", moved: "Raporun adresi artık: %s.", noted: "Bunu yazdım.",
	photosOn: "Rapordaki fotoğraflar: %d.", noneOn: "Fotoğraf olmadığı not edildi.", complete: "Rapor tamam.",
	done: "Rapor giderildi olarak işaretlendi: %s.", mine: "Raporlarınız:", none: "Henüz bir raporunuz yok.", noAddress: "henüz adres yok", thisOne: "üzerinde olduğumuz",
	statuses: map[string]string{"pending": "açık", "completed": "tamam", "resolved": "giderildi"},
	check:    "Lütfen yanıtlamadan önce aşağıdakini okuyun.",
	link:     "Bu bağlantıyı bilen herkes raporu şu zamana kadar görebilir: %s", hours: "Bir bağlantı 1 ile 168 saat arasında geçerli olabilir.",
	code: "Bu kodu %[2]s zamanından önce öteki sohbetinize yazın: %[1]s", unlinked: "Bu sohbet başka bir sohbete bağlı değil.",
	badCode:     "Kod yanlış, kullanılmış, eski ya da bu sohbette yapılmış. Öteki sohbette yeni bir kod yapın.",
	notComplete: "Yalnızca tamam olan bir rapor giderildi diye işaretlenebilir. Önce adres ve bir fotoğraf ya da olmadığına dair sözünüz gerekir.",
	closed:      "O rapor giderildi; artık değişmez.", tooMany: "Yeni rapor için yer yok. Gerekmeyen birini silin.",
	refused: "Olmadı: %s", away: "Şu anda ulaşamıyorum. Lütfen biraz sonra yeniden deneyin.", cannot: "Bunu şu anda burada yapamıyorum.",
	gone: "O raporu artık bulamıyorum.", photoLost: "Bir fotoğraf alınamadı: %s.",
}

var deskGerman = deskVoice{
	standIn: "Ich bin Saras eingebaute Vertretung nach festen Regeln, kein großes Sprachmodell",
	hello:   "Hallo!", canDo: "Ich nehme Schadensmeldungen auf: Schreiben Sie, was wo beschädigt ist, und schicken Sie Fotos. Ich zeige auch „meine Meldungen“, mache einen Link zum Teilen, vermerke eine Meldung als behoben oder lösche sie.",
	thanks: "Gern. Schreiben Sie, wenn etwas dazukommt.", person: "Ich kann Sie von hier nicht mit einem Menschen verbinden, aber Ihre Meldung aufnehmen.",
	unclear: "Das habe ich nicht verstanden; ich folge nur einfachen Regeln.", declined: "Gut. Schreiben Sie, wenn es weitergehen soll.",
	sorry: "Das tut mir leid.", danger: "Wenn jemand in Gefahr sein kann: zuerst in Sicherheit bringen und den Notruf wählen.",
	where: "Wo ist der Schaden? Bitte Straße, Hausnummer und Ort.", address: "Wie lautet die richtige Adresse, mit Straße, Hausnummer und Ort?",
	place: "Welcher dieser Orte stimmt? Antworten Sie mit der Nummer.", photos: "Bitte schicken Sie Fotos des Schadens oder schreiben Sie „keine Fotos“.",
	what: "Was ist passiert? Ein paar Worte genügen.", when: "Wann ist es passiert?", which: "Welche Meldung meinen Sie? Antworten Sie mit Nummer oder Adresse.",
	places: "Die Adresse kann mehrere Orte meinen:", asText: "Die Adresse hat noch keinen Ort auf der Karte; sie bleibt, wie Sie sie geschrieben haben.",
	orNew: "Wenn es um etwas anderes geht, schreiben Sie „neu“.", more: "Sie können jederzeit Einzelheiten oder Fotos nachreichen.",
	started: "Zu diesem Ort gibt es jetzt eine Meldung: %s.", moved: "Die Adresse der Meldung ist jetzt: %s.", noted: "Das habe ich aufgeschrieben.",
	photosOn: "Fotos in der Meldung: %d.", noneOn: "Es ist vermerkt, dass es keine Fotos gibt.", complete: "Die Meldung ist vollständig.",
	done: "Die Meldung ist jetzt als behoben vermerkt: %s.", mine: "Ihre Meldungen:", none: "Sie haben noch keine Meldungen.", noAddress: "noch keine Adresse", thisOne: "die, an der wir sind",
	statuses: map[string]string{"pending": "offen", "completed": "vollständig", "resolved": "behoben"},
	check:    "Bitte lesen Sie das Folgende, bevor Sie antworten.",
	link:     "Wer diesen Link hat, kann die Meldung sehen, und zwar bis %s:", hours: "Ein Link kann 1 bis 168 Stunden gelten.",
	code: "Schreiben Sie diesen Code vor %[2]s in Ihren anderen Chat: %[1]s", unlinked: "Dieser Chat ist mit keinem anderen verknüpft.",
	badCode:     "Der Code ist falsch, verbraucht, zu alt oder aus diesem Chat. Machen Sie im anderen Chat einen neuen.",
	notComplete: "Nur eine vollständige Meldung kann als behoben vermerkt werden. Zuerst fehlt noch die Adresse, oder ein Foto, oder Ihr Wort, dass es keines gibt.",
	closed:      "Diese Meldung ist behoben und bleibt, wie sie ist.", tooMany: "Für eine weitere Meldung ist kein Platz. Löschen Sie eine, die Sie nicht brauchen.",
	refused: "Das ging nicht: %s", away: "Das erreiche ich gerade nicht. Bitte gleich noch einmal versuchen.", cannot: "Das kann ich hier gerade nicht.",
	gone: "Diese Meldung finde ich nicht mehr.", photoLost: "Ein Foto konnte nicht angenommen werden: %s.",
}

var deskSpanish = deskVoice{
	standIn: "Soy la suplente de Sara, hecha de reglas; no soy un gran modelo de lenguaje",
	hello:   "¡Hola!", canDo: "Tomo partes de daños: diga qué está dañado y dónde, y envíe fotos. También muestro “mis partes”, hago un enlace para compartir uno, lo marco como resuelto o lo borro.",
	thanks: "De nada. Escriba cuando haya algo que añadir.", person: "No puedo pasarle con una persona desde aquí, pero puedo tomar su parte.",
	unclear: "Perdone, no lo he entendido; solo sigo reglas sencillas.", declined: "De acuerdo. Escriba cuando quiera seguir.",
	sorry: "Lo siento mucho.", danger: "Si alguien puede estar en peligro, póngase primero a salvo y marque el número de emergencias.",
	where: "¿Dónde está el daño? Escriba calle, número y ciudad.", address: "¿Cuál es la dirección correcta, con calle, número y ciudad?",
	place: "¿Cuál de estos lugares es? Responda con su número.", photos: "Envíe fotos del daño o escriba “sin fotos”.",
	what: "¿Qué ha pasado? Bastan unas palabras.", when: "¿Cuándo ocurrió?", which: "¿A qué parte se refiere? Responda con su número o su dirección.",
	places: "La dirección puede ser de varios lugares:", asText: "La dirección aún no tiene lugar en el mapa; queda como la escribió.",
	orNew: "Si se trata de otra cosa, escriba “nuevo”.", more: "Puede añadir detalles o fotos cuando quiera.",
	started: "Ya hay un parte de este lugar: %s.", moved: "La dirección del parte es ahora: %s.", noted: "Lo he anotado.",
	photosOn: "Fotos en el parte: %d.", noneOn: "Queda anotado que no hay fotos.", complete: "El parte está completo.",
	done: "El parte queda marcado como resuelto: %s.", mine: "Sus partes:", none: "Todavía no tiene partes.", noAddress: "aún sin dirección", thisOne: "el que tenemos entre manos",
	statuses: map[string]string{"pending": "abierto", "completed": "completo", "resolved": "cerrado"},
	check:    "Lea lo que sigue antes de responder.",
	link:     "Quien tenga este enlace puede ver el parte hasta %s:", hours: "Un enlace puede durar de 1 a 168 horas.",
	code: "Escriba este código en su otro chat antes de %[2]s: %[1]s", unlinked: "Este chat no está vinculado con ningún otro.",
	badCode:     "El código no vale, ya se usó, es viejo o se hizo en este mismo chat. Haga uno nuevo en el otro chat.",
	notComplete: "Solo se puede marcar como resuelto un parte completo. Antes necesita dirección, y una foto o su palabra de que no hay.",
	closed:      "Ese parte está resuelto y se queda como está.", tooMany: "No hay sitio para otro parte. Borre uno que no necesite.",
	refused: "No ha sido posible: %s", away: "Ahora no llego a eso. Inténtelo de nuevo en un momento.", cannot: "Eso no lo puedo hacer aquí ahora.",
	gone: "Ya no encuentro ese parte.", photoLost: "No se pudo tomar una foto: %s.",
}

var deskFrench = deskVoice{
	standIn: "Je suis la remplaçante de Sara, faite de règles ; je ne suis pas un grand modèle de langage",
	hello:   "Bonjour !", canDo: "Je prends les signalements de dégâts : dites ce qui est abîmé et où, et envoyez des photos. Je montre aussi « mes signalements », je fais un lien de partage, j'en marque un comme résolu ou je le supprime.",
	thanks: "Je vous en prie. Écrivez s'il y a quelque chose à ajouter.", person: "Je ne peux pas vous passer une personne d'ici, mais je peux prendre votre signalement.",
	unclear: "Désolée, je n'ai pas compris ; je ne suis que des règles simples.", declined: "Très bien. Écrivez quand vous voudrez continuer.",
	sorry: "J'en suis désolée.", danger: "Si quelqu'un peut être en danger, mettez-vous d'abord à l'abri et appelez les secours.",
	where: "Où se trouvent les dégâts ? Écrivez rue, numéro et ville.", address: "Quelle est la bonne adresse, avec rue, numéro et ville ?",
	place: "Lequel de ces lieux est le bon ? Répondez par son numéro.", photos: "Envoyez des photos des dégâts, ou écrivez « pas de photos ».",
	what: "Que s'est-il passé ? Quelques mots suffisent.", when: "Quand est-ce arrivé ?", which: "De quel signalement s'agit-il ? Répondez par son numéro ou son adresse.",
	places: "L'adresse peut désigner plusieurs lieux :", asText: "L'adresse n'a pas encore de place sur la carte ; elle reste comme vous l'avez écrite.",
	orNew: "S'il s'agit d'autre chose, écrivez « nouveau ».", more: "Vous pouvez ajouter des détails ou des photos à tout moment.",
	started: "Il y a maintenant un signalement pour ce lieu : %s.", moved: "L'adresse du signalement est maintenant : %s.", noted: "C'est maintenant dans le signalement.",
	photosOn: "Photos du signalement : %d.", noneOn: "Le signalement dit qu'il n'y a pas de photos.", complete: "Le signalement est complet.",
	done: "Le signalement est maintenant marqué comme résolu : %s.", mine: "Vos signalements :", none: "Vous n'avez pas encore de signalement.", noAddress: "pas encore d'adresse", thisOne: "celui dont nous parlons",
	statuses: map[string]string{"pending": "ouvert", "completed": "complet", "resolved": "résolu"},
	check:    "Lisez ce qui suit avant de répondre.",
	link:     "Toute personne qui a ce lien peut voir le signalement jusqu'au %s :", hours: "Un lien peut durer de 1 à 168 heures.",
	code: "Écrivez ce code dans votre autre conversation avant %[2]s : %[1]s", unlinked: "Cette conversation n'est liée à aucune autre.",
	badCode:     "Le code est faux, déjà utilisé, trop vieux ou fait dans cette conversation même. Faites-en un nouveau dans l'autre.",
	notComplete: "Seul un signalement complet peut être marqué comme résolu. Il lui faut d'abord une adresse, et une photo ou votre parole qu'il n'y en a pas.",
	closed:      "Ce signalement est résolu et reste tel quel.", tooMany: "Il n'y a plus de place pour un signalement. Supprimez-en un dont vous n'avez pas besoin.",
	refused: "Cela n'a pas marché : %s", away: "Je n'y arrive pas pour le moment. Réessayez dans un instant.", cannot: "Je ne peux pas faire cela ici pour le moment.",
	gone: "Je ne trouve plus ce signalement.", photoLost: "Une photo n'a pas pu être prise : %s.",
}

var deskSwahili = deskVoice{
	standIn: "Mimi ni mbadala wa Sara unaofuata kanuni; mimi si modeli kubwa ya lugha",
	hello:   "Habari!", canDo: "Ninapokea ripoti za uharibifu: andika nini kimeharibika na wapi, na utume picha. Pia ninaonyesha “ripoti zangu”, ninatengeneza kiungo cha kushiriki, ninaweka alama kuwa imetatuliwa au ninafuta ripoti.",
	thanks: "Karibu. Andika kukiwa na la kuongeza.", person: "Siwezi kukuunganisha na mtu kutoka hapa, lakini naweza kupokea ripoti yako.",
	unclear: "Samahani, sikuelewa; ninafuata kanuni rahisi tu.", declined: "Sawa. Andika ukitaka kuendelea.",
	sorry: "Pole sana.", danger: "Ikiwa kuna mtu hatarini, kwanza nenda mahali salama na upige namba ya dharura.",
	where: "Uharibifu uko wapi? Andika mtaa, namba na mji.", address: "Anwani sahihi ni ipi? Andika mtaa, namba na mji.",
	place: "Ni sehemu ipi kati ya hizi? Jibu kwa namba yake.", photos: "Tafadhali tuma picha za uharibifu, au andika “sina picha”.",
	what: "Nini kilitokea? Maneno machache yanatosha.", when: "Ilitokea lini?", which: "Unamaanisha ripoti ipi? Jibu kwa namba au anwani yake.",
	places: "Anwani hii inaweza kuwa sehemu kadhaa:", asText: "Anwani bado haina sehemu kwenye ramani; inabaki kama ulivyoiandika.",
	orNew: "Kama ni jambo lingine, andika “mpya”.", more: "Unaweza kuongeza maelezo au picha wakati wowote.",
	started: "Sasa kuna ripoti ya sehemu hii: %s.", moved: "Anwani ya ripoti sasa ni: %s.", noted: "Nimeandika hayo.",
	photosOn: "Picha kwenye ripoti: %d.", noneOn: "Imeandikwa kuwa hakuna picha.", complete: "Ripoti imekamilika.",
	done: "Ripoti sasa ina alama kuwa imetatuliwa: %s.", mine: "Ripoti zako:", none: "Bado huna ripoti.", noAddress: "bado haina anwani", thisOne: "hii tunayozungumzia",
	statuses: map[string]string{"pending": "wazi", "completed": "kamili", "resolved": "imetatuliwa"},
	check:    "Tafadhali soma yafuatayo kabla ya kujibu.",
	link:     "Yeyote mwenye kiungo hiki anaweza kuona ripoti hadi %s:", hours: "Kiungo kinaweza kudumu saa 1 hadi 168.",
	code: "Andika msimbo huu kwenye mazungumzo yako mengine kabla ya %[2]s: %[1]s", unlinked: "Mazungumzo haya hayajaunganishwa na mengine.",
	badCode:     "Msimbo si sahihi, umetumika, ni wa zamani au ulitengenezwa hapa hapa. Tengeneza mpya kwenye mazungumzo mengine.",
	notComplete: "Ripoti kamili tu ndiyo inaweza kuwekwa alama kuwa imetatuliwa. Kwanza inahitaji anwani, na picha au neno lako kuwa hakuna.",
	closed:      "Ripoti hiyo imetatuliwa na inabaki ilivyo.", tooMany: "Hakuna nafasi ya ripoti nyingine. Futa moja usiyoihitaji.",
	refused: "Haikuwezekana: %s", away: "Siwezi kulifikia hilo sasa. Jaribu tena baada ya muda.", cannot: "Siwezi kufanya hilo hapa sasa.",
	gone: "Siipati tena ripoti hiyo.", photoLost: "Picha moja haikuweza kupokelewa: %s.",
}

var deskGreek = deskVoice{
	standIn: "Είμαι η αναπληρώτρια της Σάρα που ακολουθεί κανόνες· δεν είμαι μεγάλο γλωσσικό μοντέλο",
	hello:   "Γεια σας!", canDo: "Παίρνω αναφορές ζημιών: γράψτε τι έπαθε ζημιά και πού, και στείλτε φωτογραφίες. Δείχνω επίσης «οι αναφορές μου», κάνω σύνδεσμο για κοινοποίηση, σημειώνω μια αναφορά ως λυμένη ή τη διαγράφω.",
	thanks: "Παρακαλώ. Γράψτε όποτε υπάρχει κάτι να προστεθεί.", person: "Δεν μπορώ να σας συνδέσω με άνθρωπο από εδώ, αλλά μπορώ να πάρω την αναφορά σας.",
	unclear: "Συγγνώμη, δεν κατάλαβα· ακολουθώ μόνο απλούς κανόνες.", declined: "Εντάξει. Γράψτε όταν θέλετε να συνεχίσουμε.",
	sorry: "Λυπάμαι που το ακούω.", danger: "Αν κάποιος μπορεί να κινδυνεύει, πηγαίνετε πρώτα σε ασφαλές μέρος και καλέστε τον αριθμό έκτακτης ανάγκης.",
	where: "Πού είναι η ζημιά; Γράψτε οδό, αριθμό και πόλη.", address: "Ποια είναι η σωστή διεύθυνση, με οδό, αριθμό και πόλη;",
	place: "Ποιο από αυτά τα μέρη είναι το σωστό; Απαντήστε με τον αριθμό του.", photos: "Στείλτε φωτογραφίες της ζημιάς ή γράψτε «δεν έχω φωτογραφίες».",
	what: "Τι συνέβη; Λίγα λόγια αρκούν.", when: "Πότε συνέβη;", which: "Ποια αναφορά εννοείτε; Απαντήστε με τον αριθμό ή τη διεύθυνσή της.",
	places: "Η διεύθυνση μπορεί να είναι σε πολλά μέρη:", asText: "Η διεύθυνση δεν έχει ακόμη θέση στον χάρτη· μένει όπως τη γράψατε.",
	orNew: "Αν πρόκειται για κάτι άλλο, γράψτε «νέα».", more: "Μπορείτε να προσθέσετε λεπτομέρειες ή φωτογραφίες όποτε θέλετε.",
	started: "Υπάρχει πια αναφορά για αυτό το μέρος: %s.", moved: "Η διεύθυνση της αναφοράς είναι τώρα: %s.", noted: "Το σημείωσα.",
	photosOn: "Φωτογραφίες στην αναφορά: %d.", noneOn: "Σημειώθηκε ότι δεν υπάρχουν φωτογραφίες.", complete: "Η αναφορά είναι πλήρης.",
	done: "Η αναφορά σημειώθηκε ως λυμένη: %s.", mine: "Οι αναφορές σας:", none: "Δεν έχετε ακόμη αναφορές.", noAddress: "χωρίς διεύθυνση ακόμη", thisOne: "αυτή που συζητάμε",
	statuses: map[string]string{"pending": "ανοιχτή", "completed": "πλήρης", "resolved": "λυμένη"},
	check:    "Διαβάστε το παρακάτω πριν απαντήσετε.",
	link:     "Όποιος έχει αυτόν τον σύνδεσμο βλέπει την αναφορά έως %s:", hours: "Ένας σύνδεσμος μπορεί να ισχύει από 1 έως 168 ώρες.",
	code: "Γράψτε αυτόν τον κωδικό στην άλλη συνομιλία σας πριν από %[2]s: %[1]s", unlinked: "Αυτή η συνομιλία δεν είναι συνδεδεμένη με άλλη.",
	badCode:     "Ο κωδικός είναι λάθος, χρησιμοποιημένος, παλιός ή έγινε σε αυτήν εδώ τη συνομιλία. Κάντε νέον στην άλλη.",
	notComplete: "Μόνο πλήρης αναφορά σημειώνεται ως λυμένη. Πρώτα χρειάζεται διεύθυνση, και φωτογραφία ή τον λόγο σας ότι δεν υπάρχει.",
	closed:      "Αυτή η αναφορά είναι λυμένη και μένει όπως είναι.", tooMany: "Δεν χωρά άλλη αναφορά. Διαγράψτε μία που δεν χρειάζεστε.",
	refused: "Δεν έγινε: %s", away: "Δεν μπορώ να το φτάσω τώρα. Δοκιμάστε ξανά σε λίγο.", cannot: "Δεν μπορώ να το κάνω εδώ τώρα.",
	gone: "Δεν βρίσκω πια αυτή την αναφορά.", photoLost: "Μια φωτογραφία δεν μπόρεσε να ληφθεί: %s.",
}

var deskRussian = deskVoice{
	standIn: "Я встроенная замена Сары и работаю по правилам; я не большая языковая модель",
	hello:   "Здравствуйте!", canDo: "Я принимаю заявки о повреждениях: напишите, что и где повреждено, и пришлите фото. Ещё я показываю «мои заявки», делаю ссылку, чтобы поделиться, отмечаю заявку решённой или удаляю её.",
	thanks: "Пожалуйста. Пишите, если будет что добавить.", person: "Отсюда я не могу соединить вас с человеком, но могу принять заявку.",
	unclear: "Извините, не поняла; я работаю по простым правилам.", declined: "Хорошо. Напишите, когда захотите продолжить.",
	sorry: "Мне очень жаль.", danger: "Если кому-то грозит опасность, сначала уйдите в безопасное место и позвоните в экстренную службу.",
	where: "Где повреждение? Напишите улицу, дом и город.", address: "Какой адрес правильный? Напишите улицу, дом и город.",
	place: "Какое из этих мест верное? Ответьте его номером.", photos: "Пришлите фото повреждения или напишите «нет фото».",
	what: "Что произошло? Достаточно нескольких слов.", when: "Когда это случилось?", which: "Какую заявку вы имеете в виду? Ответьте её номером или адресом.",
	places: "Адрес может означать несколько мест:", asText: "Для адреса пока нет места на карте; он остаётся таким, как вы написали.",
	orNew: "Если речь о другом, напишите «новая».", more: "Подробности и фото можно добавить в любое время.",
	started: "Теперь есть заявка по этому месту: %s.", moved: "Адрес заявки теперь такой: %s.", noted: "Теперь это есть в заявке.",
	photosOn: "Фото в заявке: %d.", noneOn: "Отмечено, что фото нет.", complete: "В заявке есть всё нужное.",
	done: "Заявка теперь отмечена как решённая: %s.", mine: "Ваши заявки:", none: "У вас пока нет заявок.", noAddress: "пока без адреса", thisOne: "та, о которой речь",
	statuses: map[string]string{"pending": "открыта", "completed": "полная", "resolved": "решена"},
	check:    "Прочтите, что написано ниже, прежде чем ответить.",
	link:     "Любой, у кого есть эта ссылка, может видеть заявку до %s:", hours: "Ссылка может действовать от 1 до 168 часов.",
	code: "Напишите этот код в другом чате до %[2]s: %[1]s", unlinked: "Этот чат не связан ни с каким другим.",
	badCode:     "Код неверный, уже использован, устарел или сделан в этом же чате. Сделайте новый в другом чате.",
	notComplete: "Решённой можно отметить только полную заявку. Сначала нужен адрес и фото или ваше слово, что фото нет.",
	closed:      "Эта заявка решена и остаётся как есть.", tooMany: "Для новой заявки нет места. Удалите ту, что не нужна.",
	refused: "Не получилось: %s", away: "Сейчас это недоступно. Попробуйте ещё раз чуть позже.", cannot: "Сейчас я не могу этого здесь сделать.",
	gone: "Я больше не нахожу этой заявки.", photoLost: "Одно фото не удалось принять: %s.",
}

var deskHebrew = deskVoice{
	standIn: "אני המחליפה המובנית של שרה, לפי כללים; אני לא מודל שפה גדול",
	hello:   "שלום!", canDo: "אני רושמת דיווחי נזק: כתבו מה ניזוק ואיפה ושלחו תמונות. אני גם מציגה את „הדיווחים שלי”, מכינה קישור לשיתוף, מסמנת דיווח כפתור או מוחקת אותו.",
	thanks: "בבקשה. כתבו אם יש מה להוסיף.", person: "אני לא יכולה להעביר אתכם לאדם מכאן, אבל אפשר לרשום את הדיווח.",
	unclear: "סליחה, לא הבנתי; אני פועלת לפי כללים פשוטים בלבד.", declined: "טוב. כתבו כשתרצו להמשיך.",
	sorry: "צר לי לשמוע.", danger: "אם מישהו עלול להיות בסכנה, קודם כול היכנסו למקום בטוח והתקשרו למוקד החירום.",
	where: "איפה הנזק? כתבו רחוב, מספר ועיר.", address: "מה הכתובת הנכונה, עם רחוב, מספר ועיר?",
	place: "איזה מהמקומות האלה נכון? ענו במספר שלו.", photos: "שלחו תמונות של הנזק, או כתבו „אין תמונות”.",
	what: "מה קרה? כמה מילים מספיקות.", when: "מתי זה קרה?", which: "לאיזה דיווח הכוונה? ענו במספר או בכתובת.",
	places: "הכתובת יכולה להיות בכמה מקומות:", asText: "לכתובת אין עדיין מקום במפה; היא נשארת כפי שכתבתם.",
	orNew: "אם מדובר בדבר אחר, כתבו „חדש”.", more: "אפשר להוסיף פרטים או תמונות בכל עת.",
	started: "יש עכשיו דיווח על המקום הזה: %s.", moved: "כתובת הדיווח היא עכשיו: %s.", noted: "רשמתי את זה.",
	photosOn: "תמונות בדיווח: %d.", noneOn: "נרשם שאין תמונות.", complete: "יש בדיווח כל מה שצריך.",
	done: "הדיווח מסומן עכשיו כפתור: %s.", mine: "הדיווחים שלכם:", none: "אין לכם עדיין דיווחים.", noAddress: "עדיין בלי כתובת", thisOne: "זה שעליו אנחנו מדברים",
	statuses: map[string]string{"pending": "פתוח", "completed": "שלם", "resolved": "פתור"},
	check:    "קראו את מה שבא עכשיו לפני שתענו.",
	link:     "כל מי שיש לו הקישור הזה יכול לראות את הדיווח עד %s:", hours: "קישור יכול לפעול בין 1 ל-168 שעות.",
	code: "כתבו את הקוד הזה בצ'אט השני שלכם לפני %[2]s: %[1]s", unlinked: "הצ'אט הזה לא מקושר לאף צ'אט אחר.",
	badCode:     "הקוד שגוי, כבר נוצל, ישן מדי או נוצר בצ'אט הזה עצמו. צרו חדש בצ'אט השני.",
	notComplete: "רק דיווח שלם אפשר לסמן כפתור. קודם דרושה כתובת, ותמונה או מילתכם שאין.",
	closed:      "הדיווח הזה פתור ונשאר כפי שהוא.", tooMany: "אין מקום לדיווח נוסף. מחקו אחד שלא נחוץ.",
	refused: "זה לא הצליח: %s", away: "אני לא מצליחה להגיע לזה כרגע. נסו שוב עוד רגע.", cannot: "אני לא יכולה לעשות את זה כאן כרגע.",
	gone: "אני לא מוצאת עוד את הדיווח הזה.", photoLost: "לא היה אפשר לקבל תמונה: %s.",
}

var deskArabic = deskVoice{
	standIn: "أنا بديلة سارة المدمجة التي تعمل بقواعد؛ لست نموذجا لغويا كبيرا",
	hello:   "مرحبا!", canDo: "أتلقى بلاغات الأضرار: اكتب ما الذي تضرر وأين، وأرسل صورا. وأعرض أيضا «بلاغاتي»، وأصنع رابطا للمشاركة، وأضع علامة أن البلاغ محلول أو أحذفه.",
	thanks: "على الرحب. اكتب إن كان هناك ما يضاف.", person: "لا أستطيع تحويلك إلى شخص من هنا، لكن أستطيع تلقي بلاغك.",
	unclear: "عذرا، لم أفهم؛ أتبع قواعد بسيطة فقط.", declined: "حسنا. اكتب عندما تريد المتابعة.",
	sorry: "يؤسفني ذلك.", danger: "إذا كان أحد في خطر فاذهبوا أولا إلى مكان آمن واتصلوا برقم الطوارئ.",
	where: "أين الضرر؟ اكتب الشارع والرقم والمدينة.", address: "ما العنوان الصحيح، مع الشارع والرقم والمدينة؟",
	place: "أي هذه الأماكن هو الصحيح؟ أجب برقمه.", photos: "أرسل صورا للضرر، أو اكتب «لا توجد صور».",
	what: "ماذا حدث؟ تكفي بضع كلمات.", when: "متى حدث ذلك؟", which: "أي بلاغ تقصد؟ أجب برقمه أو بعنوانه.",
	places: "قد يدل العنوان على عدة أماكن:", asText: "ليس للعنوان مكان على الخريطة بعد؛ يبقى كما كتبته.",
	orNew: "إذا كان الأمر عن شيء آخر فاكتب «جديد».", more: "يمكنك إضافة تفاصيل أو صور في أي وقت.",
	started: "يوجد الآن بلاغ عن هذا المكان: %s.", moved: "عنوان البلاغ الآن: %s.", noted: "كتبت ذلك.",
	photosOn: "الصور في البلاغ: %d.", noneOn: "كتبت أنه لا توجد صور.", complete: "البلاغ كامل.",
	done: "على البلاغ الآن علامة أنه محلول: %s.", mine: "بلاغاتك:", none: "ليس لديك بلاغات بعد.", noAddress: "بلا عنوان بعد", thisOne: "الذي نتحدث عنه",
	statuses: map[string]string{"pending": "مفتوح", "completed": "كامل", "resolved": "محلول"},
	check:    "اقرأ ما يلي قبل أن تجيب.",
	link:     "كل من لديه هذا الرابط يستطيع رؤية البلاغ حتى %s:", hours: "يمكن أن يعمل الرابط من ساعة إلى 168 ساعة.",
	code: "اكتب هذا الرمز في محادثتك الأخرى قبل %[2]s: %[1]s", unlinked: "هذه المحادثة غير مربوطة بأخرى.",
	badCode:     "الرمز خاطئ أو مستعمل أو قديم أو صنع في هذه المحادثة نفسها. اصنع رمزا جديدا في المحادثة الأخرى.",
	notComplete: "لا يوضع على البلاغ أنه محلول إلا إذا كان كاملا. يحتاج أولا إلى عنوان، وإلى صورة أو كلمتك أنه لا توجد.",
	closed:      "هذا البلاغ محلول ويبقى كما هو.", tooMany: "لا مكان لبلاغ آخر. احذف بلاغا لا تحتاجه.",
	refused: "لم ينجح ذلك: %s", away: "لا أستطيع الوصول إلى ذلك الآن. حاول مرة أخرى بعد قليل.", cannot: "لا أستطيع فعل ذلك هنا الآن.",
	gone: "لم أعد أجد هذا البلاغ.", photoLost: "تعذر أخذ صورة: %s.",
}

// deskQuestion is what the desk asks a customer.
type deskQuestion int

const (
	deskAsksNothing deskQuestion = iota
	deskAsksWhere                // the damage of a report in the making is
	deskAsksAddress              // in the place of the one that there is
	deskAsksPlace                // of those that an address may mean
	deskAsksPhotos
	deskAsksWhat
	deskAsksWhen
	deskAsksWhich // report is meant
)

// deskAsked returns what a text of ours asked, whatever its language.
func deskAsked(said string) deskQuestion {
	for _, v := range deskVoices() {
		for q, phrase := range map[deskQuestion]string{
			deskAsksWhere: v.where, deskAsksAddress: v.address, deskAsksPlace: v.place, deskAsksPhotos: v.photos,
			deskAsksWhat: v.what, deskAsksWhen: v.when, deskAsksWhich: v.which,
		} {
			if strings.Contains(said, phrase) {
				return q
			}
		}
	}
	return deskAsksNothing
}

// line is a report in a list.
func (v *deskVoice) line(r report) string {
	where := clean(r.address, maxAddress)
	if where == "" {
		where = v.noAddress
	}
	if status := v.statuses[r.status]; status != "" {
		return where + " · " + status
	}
	return where
}

func (v *deskVoice) list(head string, rs []report, tail string) string {
	return strings.TrimSpace(enumerate(head, min(len(rs), shownReports), func(i int) string { return v.line(rs[i]) }, tail))
}

// moment writes a time of a result in figures, as the customer's clock shows it.
func (v *deskVoice) moment(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return clean(stamp, 40)
	}
	return t.Format("2006-01-02 15:04")
}

func (v *deskVoice) hasLink(until, url string) string {
	return fmt.Sprintf(v.link, v.moment(until)) + "\n" + url
}
