package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"merve/internal/words/language"
)

// words is what the pages that are made here say, in one language. The pages that are made
// in the browser bring their own.
type words struct {
	Tag, Name string // the language's tag, and its own name for itself

	// The report page.
	Report, Status, Pending, Completed, Resolved string
	Address, NoAddress, Coordinates              string
	Map, Sketch, OpenMap                         string
	Photos, Photo, NoPhotos                      string
	Created, Updated, Expires, Shared            string
	Gone, GoneText, Missing, MissingText         string

	// The page of the damage report assistant.
	Sara, Lead, How, Begin, Computer, Device, NoScript, Languages string
	Steps                                                         [4]string
}

// Dir is the direction in which the language runs.
func (w words) Dir() string {
	if language.RTL(w.Tag) {
		return "rtl"
	}
	return "ltr"
}

// StatusOf words a report's status; one that is not known stands as it is.
func (w words) StatusOf(status string) string {
	switch status {
	case "pending":
		return w.Pending
	case "completed":
		return w.Completed
	case "resolved":
		return w.Resolved
	}
	return status
}

// wordsFor returns the words of the wanted language, or of the best that a browser accepts, or
// English.
func wordsFor(wanted, accept string) words {
	for _, tag := range append([]string{wanted}, accepted(accept)...) {
		if known, ok := language.Normalize(tag); ok {
			return wordsIn(known)
		}
	}
	return wordsIn("en")
}

func wordsIn(tag string) words {
	all := allWords()
	return all[max(0, slices.IndexFunc(all, func(w words) bool { return w.Tag == tag }))]
}

// mostAccepted is how many languages of a header are looked at: browsers send a handful.
const mostAccepted = 20

// accepted returns the tags of an Accept-Language header, the best first (RFC 9110 §12.5.4).
func accepted(header string) []string {
	type choice struct {
		tag     string
		quality float64
	}
	var choices []choice
	for _, part := range strings.SplitN(header, ",", mostAccepted+1)[:min(mostAccepted, strings.Count(header, ",")+1)] {
		tag, weight, weighted := strings.Cut(part, ";")
		c := choice{strings.TrimSpace(tag), 1}
		if weighted {
			var err error
			q, _ := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			if c.quality, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		if c.quality > 0 {
			choices = append(choices, c)
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.quality, a.quality) })
	tags := make([]string, len(choices))
	for i, c := range choices {
		tags[i] = c.tag
	}
	return tags
}

// allWords returns the words of every language, English first.
func allWords() []words {
	return []words{
		{
			Tag: "en", Name: "English",
			Report: "Damage report", Status: "Status", Pending: "Pending: still being described", Completed: "Completed: all is described", Resolved: "Resolved: taken care of",
			Address: "Address", NoAddress: "No address was given.", Coordinates: "Coordinates",
			Map: "Place", Sketch: "Sketch of the place, north at the top. It shows no streets.", OpenMap: "Open the map on OpenStreetMap",
			Photos: "Photos", Photo: "Photo", NoPhotos: "There are no photos.",
			Created: "Reported", Updated: "Last changed", Expires: "This link works until", Shared: "Whoever has this link can see this page. Share it with care.",
			Gone: "This link has expired", GoneText: "The report itself is not lost. Ask whoever sent you the link for a new one.",
			Missing: "There is no report here", MissingText: "The address may be incomplete. Open the link again as it was sent to you, with all its letters.",
			Sara: "Report damage with Sara", Lead: "Sara is the assistant for damage reports. Tell her in the chat what is damaged, and she writes the report with you.",
			How: "How it works", Begin: "To begin, press the button in the corner of this page.",
			Steps: [4]string{
				"Say in your own words what is damaged, and where.",
				"Add photos, up to five at a time.",
				"Sara asks for what is missing and shows you the report.",
				"Later you can ask what became of it, change or delete it, or share it by a link that expires.",
			},
			Computer: "Sara is a computer program (AI) and may be wrong. Please check what she writes.",
			Device:   "Whoever uses this browser can read the conversation.",
			NoScript: "The chat needs JavaScript, which is switched off in this browser.", Languages: "Languages",
		},
		{
			Tag: "tr", Name: "Türkçe",
			Report: "Hasar raporu", Status: "Durum", Pending: "Beklemede: hâlâ anlatılıyor", Completed: "Tamamlandı: her şey anlatıldı", Resolved: "Çözüldü: gereği yapıldı",
			Address: "Adres", NoAddress: "Adres verilmedi.", Coordinates: "Koordinatlar",
			Map: "Yer", Sketch: "Yerin taslağı, kuzey yukarıda. Sokakları göstermez.", OpenMap: "Haritayı OpenStreetMap’te aç",
			Photos: "Fotoğraflar", Photo: "Fotoğraf", NoPhotos: "Fotoğraf yok.",
			Created: "Bildirildi", Updated: "Son değişiklik", Expires: "Bağlantının geçerli olduğu son zaman", Shared: "Bu bağlantıya sahip olan herkes bu sayfayı görebilir. Dikkatle paylaşın.",
			Gone: "Bu bağlantının süresi doldu", GoneText: "Rapor kaybolmadı. Bağlantıyı size gönderenden yenisini isteyin.",
			Missing: "Burada rapor yok", MissingText: "Adres eksik olabilir. Bağlantıyı size gönderildiği gibi, tüm harfleriyle yeniden açın.",
			Sara: "Hasarı Sara ile bildirin", Lead: "Sara, hasar raporlarının asistanıdır. Sohbette neyin hasarlı olduğunu anlatın, raporu sizinle birlikte yazsın.",
			How: "Nasıl çalışır", Begin: "Başlamak için bu sayfanın köşesindeki düğmeye basın.",
			Steps: [4]string{
				"Neyin, nerede hasarlı olduğunu kendi sözlerinizle anlatın.",
				"Fotoğraf ekleyin, bir kerede en çok beş tane.",
				"Sara eksik olanı sorar ve raporu size gösterir.",
				"Sonra raporun ne durumda olduğunu sorabilir, raporu değiştirebilir, silebilir veya süreli bir bağlantıyla paylaşabilirsiniz.",
			},
			Computer: "Sara bir bilgisayar programıdır (yapay zekâ) ve yanılabilir. Lütfen yazdıklarını kontrol edin.",
			Device:   "Bu tarayıcıyı kullanan herkes konuşmayı okuyabilir.",
			NoScript: "Sohbet için JavaScript gerekir; bu tarayıcıda kapalı.", Languages: "Diller",
		},
		{
			Tag: "el", Name: "Ελληνικά",
			Report: "Αναφορά ζημιάς", Status: "Κατάσταση", Pending: "Σε εξέλιξη: περιγράφεται ακόμη", Completed: "Ολοκληρώθηκε: όλα περιγράφηκαν", Resolved: "Διευθετήθηκε: έγινε ό,τι χρειαζόταν",
			Address: "Διεύθυνση", NoAddress: "Δεν δόθηκε διεύθυνση.", Coordinates: "Συντεταγμένες",
			Map: "Τοποθεσία", Sketch: "Σκίτσο της τοποθεσίας, ο βορράς επάνω. Δεν δείχνει δρόμους.", OpenMap: "Άνοιγμα του χάρτη στο OpenStreetMap",
			Photos: "Φωτογραφίες", Photo: "Φωτογραφία", NoPhotos: "Δεν υπάρχουν φωτογραφίες.",
			Created: "Αναφέρθηκε", Updated: "Τελευταία αλλαγή", Expires: "Ο σύνδεσμος ισχύει έως", Shared: "Όποιος έχει αυτόν τον σύνδεσμο βλέπει αυτή τη σελίδα. Μοιραστείτε τον με προσοχή.",
			Gone: "Ο σύνδεσμος έληξε", GoneText: "Η αναφορά δεν χάθηκε. Ζητήστε νέο σύνδεσμο από όποιον σας τον έστειλε.",
			Missing: "Δεν υπάρχει αναφορά εδώ", MissingText: "Η διεύθυνση ίσως δεν είναι πλήρης. Ανοίξτε ξανά τον σύνδεσμο όπως σας στάλθηκε, με όλα τα γράμματά του.",
			Sara: "Αναφέρετε ζημιά με τη Sara", Lead: "Η Sara είναι η βοηθός για αναφορές ζημιών. Πείτε της στη συνομιλία τι έχει πάθει ζημιά και γράφει την αναφορά μαζί σας.",
			How: "Πώς λειτουργεί", Begin: "Για να αρχίσετε, πατήστε το κουμπί στη γωνία της σελίδας.",
			Steps: [4]string{
				"Πείτε με δικά σας λόγια τι έχει πάθει ζημιά και πού.",
				"Προσθέστε φωτογραφίες, έως πέντε κάθε φορά.",
				"Η Sara ρωτά ό,τι λείπει και σας δείχνει την αναφορά.",
				"Αργότερα μπορείτε να ρωτήσετε τι απέγινε, να την αλλάξετε, να τη διαγράψετε ή να τη μοιραστείτε με σύνδεσμο που λήγει.",
			},
			Computer: "Η Sara είναι πρόγραμμα υπολογιστή (ΤΝ) και μπορεί να κάνει λάθος. Ελέγξτε όσα γράφει.",
			Device:   "Όποιος χρησιμοποιεί αυτό το πρόγραμμα περιήγησης μπορεί να διαβάσει τη συνομιλία.",
			NoScript: "Η συνομιλία χρειάζεται JavaScript, που είναι απενεργοποιημένη σε αυτό το πρόγραμμα περιήγησης.", Languages: "Γλώσσες",
		},
		{
			Tag: "ru", Name: "Русский",
			Report: "Сообщение о повреждении", Status: "Состояние", Pending: "В работе: ещё описывается", Completed: "Заполнено: всё описано", Resolved: "Решено: меры приняты",
			Address: "Адрес", NoAddress: "Адрес не указан.", Coordinates: "Координаты",
			Map: "Место", Sketch: "Схема места, север вверху. Улиц на ней нет.", OpenMap: "Открыть карту на OpenStreetMap",
			Photos: "Фотографии", Photo: "Фото", NoPhotos: "Фотографий нет.",
			Created: "Сообщено", Updated: "Последнее изменение", Expires: "Ссылка действует до", Shared: "Эту страницу видит каждый, у кого есть ссылка. Делитесь ею осторожно.",
			Gone: "Срок действия ссылки истёк", GoneText: "Само сообщение не потеряно. Попросите новую ссылку у того, кто прислал эту.",
			Missing: "Здесь нет сообщения", MissingText: "Возможно, адрес неполный. Откройте ссылку ещё раз так, как её прислали, со всеми буквами.",
			Sara: "Сообщите о повреждении с Sara", Lead: "Sara помогает сообщать о повреждениях. Расскажите ей в чате, что повреждено, и она составит сообщение вместе с вами.",
			How: "Как это работает", Begin: "Чтобы начать, нажмите кнопку в углу страницы.",
			Steps: [4]string{
				"Расскажите своими словами, что и где повреждено.",
				"Добавьте фотографии, до пяти за раз.",
				"Sara спросит о недостающем и покажет вам сообщение.",
				"Потом можно узнать, что с ним стало, изменить или удалить его либо поделиться ссылкой с ограниченным сроком.",
			},
			Computer: "Sara — компьютерная программа (ИИ) и может ошибаться. Проверяйте, что она пишет.",
			Device:   "Каждый, кто пользуется этим браузером, может прочитать разговор.",
			NoScript: "Для чата нужен JavaScript, а в этом браузере он отключён.", Languages: "Языки",
		},
		{
			Tag: "he", Name: "עברית",
			Report: "דיווח על נזק", Status: "מצב", Pending: "ממתין: התיאור עוד לא הושלם", Completed: "הושלם: הכול תואר", Resolved: "טופל: נעשה הדרוש",
			Address: "כתובת", NoAddress: "לא נמסרה כתובת.", Coordinates: "קואורדינטות",
			Map: "מקום", Sketch: "שרטוט של המקום, הצפון למעלה. אין בו רחובות.", OpenMap: "לפתוח את המפה ב‑OpenStreetMap",
			Photos: "תמונות", Photo: "תמונה", NoPhotos: "אין תמונות.",
			Created: "דווח", Updated: "שינוי אחרון", Expires: "הקישור תקף עד", Shared: "כל מי שיש בידו הקישור יכול לראות את הדף. שתפו אותו בזהירות.",
			Gone: "תוקף הקישור פג", GoneText: "הדיווח עצמו לא אבד. בקשו קישור חדש ממי ששלח לכם אותו.",
			Missing: "אין כאן דיווח", MissingText: "ייתכן שהכתובת אינה שלמה. פתחו שוב את הקישור כפי שנשלח אליכם, על כל אותיותיו.",
			Sara: "דיווח על נזק עם Sara", Lead: "\u200fSara היא העוזרת לדיווח על נזקים. ספרו לה בצ׳אט מה ניזוק, והיא תכתוב את הדיווח יחד איתכם.",
			How: "איך זה עובד", Begin: "כדי להתחיל, לחצו על הכפתור בפינת הדף.",
			Steps: [4]string{
				"ספרו במילים שלכם מה ניזוק והיכן.",
				"הוסיפו תמונות, עד חמש בכל פעם.",
				"\u200fSara שואלת על מה שחסר ומראה לכם את הדיווח.",
				"אחר כך אפשר לשאול מה עלה בגורלו, לשנות או למחוק אותו, או לשתף אותו בקישור שתוקפו פג.",
			},
			Computer: "\u200fSara היא תוכנת מחשב (בינה מלאכותית) ועלולה לטעות. בדקו את מה שהיא כותבת.",
			Device:   "כל מי שמשתמש בדפדפן הזה יכול לקרוא את השיחה.",
			NoScript: "הצ׳אט זקוק ל‑JavaScript, והוא כבוי בדפדפן הזה.", Languages: "שפות",
		},
		{
			Tag: "ar", Name: "العربية",
			Report: "بلاغ عن ضرر", Status: "الحالة", Pending: "قيد الانتظار: لم يكتمل الوصف بعد", Completed: "مكتمل: وُصف كل شيء", Resolved: "تمت المعالجة: اتُّخذ اللازم",
			Address: "العنوان", NoAddress: "لم يُذكر عنوان.", Coordinates: "الإحداثيات",
			Map: "المكان", Sketch: "رسم تخطيطي للمكان، الشمال في الأعلى. لا يُظهر الشوارع.", OpenMap: "فتح الخريطة في OpenStreetMap",
			Photos: "الصور", Photo: "صورة", NoPhotos: "لا توجد صور.",
			Created: "تاريخ البلاغ", Updated: "آخر تغيير", Expires: "هذا الرابط صالح حتى", Shared: "كل من لديه هذا الرابط يمكنه رؤية هذه الصفحة. شاركه بحذر.",
			Gone: "انتهت صلاحية هذا الرابط", GoneText: "البلاغ نفسه لم يُفقد. اطلب رابطًا جديدًا ممن أرسله إليك.",
			Missing: "لا يوجد بلاغ هنا", MissingText: "قد يكون العنوان ناقصًا. افتح الرابط مرة أخرى كما أُرسل إليك، بكل حروفه.",
			Sara: "أبلغ عن ضرر مع Sara", Lead: "\u200fSara هي المساعدة في بلاغات الأضرار. أخبرها في المحادثة بما تضرر، فتكتب البلاغ معك.",
			How: "كيف يعمل ذلك", Begin: "للبدء، اضغط الزر في زاوية هذه الصفحة.",
			Steps: [4]string{
				"قل بكلماتك ما الذي تضرر وأين.",
				"أضف صورًا، حتى خمس في كل مرة.",
				"تسأل Sara عما ينقص وتعرض عليك البلاغ.",
				"يمكنك لاحقًا أن تسأل عما آل إليه، أو تغيّره أو تحذفه، أو تشاركه برابط محدود المدة.",
			},
			Computer: "\u200fSara برنامج حاسوب (ذكاء اصطناعي) وقد تخطئ. يُرجى مراجعة ما تكتبه.",
			Device:   "كل من يستخدم هذا المتصفح يمكنه قراءة المحادثة.",
			NoScript: "تحتاج المحادثة إلى JavaScript، وهو معطل في هذا المتصفح.", Languages: "اللغات",
		},
		{
			Tag: "de", Name: "Deutsch",
			Report: "Schadensmeldung", Status: "Stand", Pending: "Offen: wird noch beschrieben", Completed: "Vollständig: alles ist beschrieben", Resolved: "Erledigt: das Nötige ist getan",
			Address: "Adresse", NoAddress: "Es wurde keine Adresse angegeben.", Coordinates: "Koordinaten",
			Map: "Ort", Sketch: "Skizze des Ortes, Norden ist oben. Straßen zeigt sie nicht.", OpenMap: "Karte auf OpenStreetMap öffnen",
			Photos: "Fotos", Photo: "Foto", NoPhotos: "Es gibt keine Fotos.",
			Created: "Gemeldet", Updated: "Zuletzt geändert", Expires: "Dieser Link gilt bis", Shared: "Wer diesen Link hat, kann diese Seite sehen. Geben Sie ihn mit Bedacht weiter.",
			Gone: "Dieser Link ist abgelaufen", GoneText: "Die Meldung selbst ist nicht verloren. Bitten Sie, wer Ihnen den Link geschickt hat, um einen neuen.",
			Missing: "Hier ist keine Meldung", MissingText: "Vielleicht ist die Adresse unvollständig. Öffnen Sie den Link noch einmal so, wie er Ihnen geschickt wurde.",
			Sara: "Schaden melden mit Sara", Lead: "Sara ist die Assistentin für Schadensmeldungen. Sagen Sie ihr im Chat, was beschädigt ist, und sie schreibt die Meldung mit Ihnen.",
			How: "So geht es", Begin: "Zum Anfangen drücken Sie den Knopf in der Ecke dieser Seite.",
			Steps: [4]string{
				"Sagen Sie in Ihren Worten, was wo beschädigt ist.",
				"Fügen Sie Fotos hinzu, bis zu fünf auf einmal.",
				"Sara fragt nach, was fehlt, und zeigt Ihnen die Meldung.",
				"Später können Sie fragen, was daraus wurde, sie ändern oder löschen oder über einen befristeten Link teilen.",
			},
			Computer: "Sara ist ein Computerprogramm (KI) und kann sich irren. Bitte prüfen Sie, was sie schreibt.",
			Device:   "Wer diesen Browser benutzt, kann das Gespräch lesen.",
			NoScript: "Der Chat braucht JavaScript, das in diesem Browser ausgeschaltet ist.", Languages: "Sprachen",
		},
		{
			Tag: "es", Name: "Español",
			Report: "Parte de daños", Status: "Estado", Pending: "Pendiente: aún se está describiendo", Completed: "Completado: todo está descrito", Resolved: "Resuelto: ya se ha atendido",
			Address: "Dirección", NoAddress: "No se indicó ninguna dirección.", Coordinates: "Coordenadas",
			Map: "Lugar", Sketch: "Croquis del lugar, con el norte arriba. No muestra calles.", OpenMap: "Abrir el mapa en OpenStreetMap",
			Photos: "Fotos", Photo: "Foto", NoPhotos: "No hay fotos.",
			Created: "Comunicado", Updated: "Último cambio", Expires: "Este enlace vale hasta", Shared: "Quien tenga este enlace puede ver esta página. Compártalo con cuidado.",
			Gone: "Este enlace ha caducado", GoneText: "El parte no se ha perdido. Pida un enlace nuevo a quien se lo envió.",
			Missing: "Aquí no hay ningún parte", MissingText: "Quizá la dirección esté incompleta. Abra de nuevo el enlace tal como se lo enviaron, con todas sus letras.",
			Sara: "Comunique un daño con Sara", Lead: "Sara es la asistente para partes de daños. Cuéntele en el chat qué está dañado y redactará el parte con usted.",
			How: "Cómo funciona", Begin: "Para empezar, pulse el botón de la esquina de esta página.",
			Steps: [4]string{
				"Diga con sus palabras qué está dañado y dónde.",
				"Añada fotos, hasta cinco cada vez.",
				"Sara pregunta lo que falta y le muestra el parte.",
				"Después puede preguntar en qué quedó, cambiarlo o borrarlo, o compartirlo con un enlace que caduca.",
			},
			Computer: "Sara es un programa de ordenador (IA) y puede equivocarse. Compruebe lo que escribe.",
			Device:   "Quien use este navegador puede leer la conversación.",
			NoScript: "El chat necesita JavaScript, que está desactivado en este navegador.", Languages: "Idiomas",
		},
		{
			Tag: "fr", Name: "Français",
			Report: "Signalement de dégâts", Status: "État", Pending: "En attente : description en cours", Completed: "Complet : tout est décrit", Resolved: "Résolu : le nécessaire est fait",
			Address: "Adresse", NoAddress: "Aucune adresse n’a été donnée.", Coordinates: "Coordonnées",
			Map: "Lieu", Sketch: "Croquis du lieu, le nord en haut. Il ne montre pas les rues.", OpenMap: "Ouvrir la carte sur OpenStreetMap",
			Photos: "Photos", Photo: "Photo", NoPhotos: "Il n’y a pas de photos.",
			Created: "Signalé", Updated: "Dernière modification", Expires: "Ce lien est valable jusqu’au", Shared: "Toute personne qui a ce lien peut voir cette page. Partagez-le avec prudence.",
			Gone: "Ce lien a expiré", GoneText: "Le signalement n’est pas perdu. Demandez un nouveau lien à la personne qui vous l’a envoyé.",
			Missing: "Il n’y a pas de signalement ici", MissingText: "L’adresse est peut-être incomplète. Rouvrez le lien tel qu’il vous a été envoyé, avec toutes ses lettres.",
			Sara: "Signaler des dégâts avec Sara", Lead: "Sara est l’assistante pour les signalements de dégâts. Dites-lui dans le chat ce qui est abîmé, et elle rédige le signalement avec vous.",
			How: "Comment ça marche", Begin: "Pour commencer, appuyez sur le bouton dans le coin de cette page.",
			Steps: [4]string{
				"Dites avec vos mots ce qui est abîmé, et où.",
				"Ajoutez des photos, jusqu’à cinq à la fois.",
				"Sara demande ce qui manque et vous montre le signalement.",
				"Plus tard, vous pouvez demander ce qu’il est devenu, le modifier, le supprimer ou le partager par un lien qui expire.",
			},
			Computer: "Sara est un programme informatique (IA) et peut se tromper. Vérifiez ce qu’elle écrit.",
			Device:   "Toute personne qui utilise ce navigateur peut lire la conversation.",
			NoScript: "Le chat a besoin de JavaScript, qui est désactivé dans ce navigateur.", Languages: "Langues",
		},
		{
			Tag: "sw", Name: "Kiswahili",
			Report: "Ripoti ya uharibifu", Status: "Hali", Pending: "Inasubiri: bado inaelezwa", Completed: "Imekamilika: yote yameelezwa", Resolved: "Imetatuliwa: imeshughulikiwa",
			Address: "Anwani", NoAddress: "Hakuna anwani iliyotolewa.", Coordinates: "Majiranukta",
			Map: "Mahali", Sketch: "Mchoro wa mahali, kaskazini iko juu. Hauonyeshi mitaa.", OpenMap: "Fungua ramani kwenye OpenStreetMap",
			Photos: "Picha", Photo: "Picha", NoPhotos: "Hakuna picha.",
			Created: "Iliripotiwa", Updated: "Badiliko la mwisho", Expires: "Kiungo hiki kinafanya kazi hadi", Shared: "Yeyote aliye na kiungo hiki anaweza kuona ukurasa huu. Kishiriki kwa uangalifu.",
			Gone: "Muda wa kiungo hiki umeisha", GoneText: "Ripoti yenyewe haijapotea. Omba kiungo kipya kwa aliyekutumia.",
			Missing: "Hakuna ripoti hapa", MissingText: "Huenda anwani haijakamilika. Fungua kiungo tena kama ulivyotumiwa, pamoja na herufi zake zote.",
			Sara: "Ripoti uharibifu na Sara", Lead: "Sara ni msaidizi wa ripoti za uharibifu. Mweleze kwenye mazungumzo kilichoharibika, naye ataandika ripoti pamoja nawe.",
			How: "Jinsi inavyofanya kazi", Begin: "Kuanza, bonyeza kitufe kilicho kwenye kona ya ukurasa huu.",
			Steps: [4]string{
				"Eleza kwa maneno yako kilichoharibika na mahali kilipo.",
				"Ongeza picha, hadi tano kwa mara moja.",
				"Sara huuliza kinachokosekana na kukuonyesha ripoti.",
				"Baadaye unaweza kuuliza ilipofikia, kuibadilisha au kuifuta, au kuishiriki kwa kiungo chenye muda.",
			},
			Computer: "Sara ni programu ya kompyuta (AI) na anaweza kukosea. Tafadhali kagua anachoandika.",
			Device:   "Yeyote anayetumia kivinjari hiki anaweza kusoma mazungumzo.",
			NoScript: "Mazungumzo yanahitaji JavaScript, ambayo imezimwa kwenye kivinjari hiki.", Languages: "Lugha",
		},
	}
}
