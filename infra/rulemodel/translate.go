package rulemodel

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// marketWords say in English what customers say of bookings in languages that the booking
// rules do not read.
var marketWords = []kindWords{
	{"my bookings", `οι κρατήσεις μου, τις κρατήσεις μου, κρατήσεις μου, η κράτησή μου, мои брони, моя бронь, мои бронирования, мое бронирование, моё бронирование, что я забронировал*, מה הזמנתי, התורים שלי, השולחן שלי, حجوزاتي, حجزي, ما هي حجوزاتي`},
	{"cancel my booking", `ακύρωσ* την κράτησ*, ακυρώσω την κράτησ*, отмени* бронь, отмени* мою бронь, отменить бронирование, отмени* бронирование, בטל* את השולחן, לבטל את השולחן, إلغاء الحجز, ألغ* الحجز, ألغ* حجزي, إلغاء حجزي`},
	{"never mind", `άφησ* το, άσ* το, άστο, ξέχασέ το, забудь*, не надо, неважно, עזוב*, לא משנה, انس الأمر`},
	{"yes", `ναι, да, כן, نعم`},
	{"no", `όχι, нет, לא, لا`},
	{"for 2 people", `για δύο άτομα, για δυο άτομα, για δύο, για δυο, на двоих, двое, вдвоём, вдвоем, לשניים, לשני אנשים, לשתיים, לזוג, לשני, لشخصين, شخصين, لاثنين`},
	{"for 3 people", `για τρεις, για τρία άτομα, на троих, трое, втроём, לשלושה, לשלושה אנשים, לשלוש, لثلاثة أشخاص, لثلاثة`},
	{"for 4 people", `για τέσσερις, για τέσσερα άτομα, на четверых, четверо, לארבעה, לארבעה אנשים, לארבע, لأربعة أشخاص, لأربعة`},
	{"for 5 people", `για πέντε, για πέντε άτομα, на пятерых, לחמישה, לחמישה אנשים, لخمسة أشخاص, لخمسة`},
	{"the first", `το πρώτο, πρώτο, την πρώτη, первый, первая, первое, первую, הראשון, הראשונה, الأول, الأولى`},
	{"the second", `το δεύτερο, δεύτερο, второй, вторая, второе, вторую, השני, השנייה, الثاني, الثانية`},
	{"the third", `το τρίτο, τρίτο, третий, третья, третье, третью, השלישי, השלישית, الثالث, الثالثة`},
	{"the last", `το τελευταίο, τελευταίο, последний, последняя, последнее, האחרון, האחרונה, الأخير, الأخيرة`},
	{"open now", `ανοιχτό τώρα, ανοιχτά τώρα, открыто сейчас, открыт сейчас, открыты сейчас, сейчас открыто, сейчас открыт, сейчас открыты, פתוח עכשיו, שפתוח עכשיו, שפתוחה עכשיו, פתוחה עכשיו, مفتوح الآن, مفتوحة الآن`},
	{"table", `τραπέζι*, столик*, стол, *שולחן, طاولة, *الطاولة`},
	{"book", `κράτηση, κάνω κράτηση, κλείσω, κλείσε, κλείσουμε, κράτησε, забронировать, забронируй*, бронь, להזמין, תזמין, תזמיני, לשריין, أحجز, احجز, حجز, نحجز`},
	{"sushi", `σούσι, суши, *סושי, سوشي, *السوشي`}, {"pizza", `πίτσα*, пицц*, *פיצה, بيتزا`}, {"fish", `ψάρι*, ψαροταβέρνα*, рыб*, *דגים, *דג, سمك, *السمك, أسماك`}, {"meze", `μεζέ*, мезе, *מזה, مازة`},
	{"breakfast", `πρωινό, завтрак*, *ארוחת בוקר, إفطار, فطور`}, {"dinner", `βραδινό, δείπνο, ужин*, поужинать, *ארוחת ערב, عشاء, *العشاء`}, {"lunch", `μεσημεριανό, обед*, пообедать, *ארוחת צהריים, غداء, *الغداء`},
	{"coffee", `καφέ*, кофе*, *קפה, قهوة, مقهى`}, {"restaurant", `εστιατόρι*, ταβέρν*, ресторан*, *מסעדה, *מסעדת, *מסעדות, مطعم, *المطعم, مطاعم`}, {"hotel", `ξενοδοχεί*, отель*, отел*, гостиниц*, *מלון, *מלונות, فندق, *الفندق, فنادق`},
	{"room", `δωμάτι*, комнат*, номер в отел*, *חדר, *חדרים, غرفة, غرف`}, {"boat trip", `βόλτα με σκάφος, εκδρομή με σκάφος, κρουαζιέρ*, σκάφος, морская прогулка, морскую прогулку, прогулк* на яхте, прогулк* на лодке, яхт*, *שיט, *הפלגה, رحلة بحرية, جولة بحرية, قارب`},
	{"tour", `εκδρομή, ξενάγηση, экскурси*, *טיול, *סיור, جولة, رحلة`}, {"massage", `μασάζ, массаж*, *עיסוי, *מסאז', تدليك, مساج`}, {"spa", `σπα, спа, *ספא, سبا`}, {"hairdresser", `κομμωτήρι*, парикмахер*, *מספרה, حلاق, صالون`},
	{"concert", `συναυλί*, концерт*, *הופעה, *קונצרט, حفلة`}, {"cinema", `σινεμά, κινηματογράφο*, кино, кинотеатр*, *קולנוע, سينما`}, {"car rental", `ενοικίαση αυτοκινήτου, прокат авто*, аренд* авто*, *השכרת רכב, تأجير سيارات, استئجار سيارة`},
}

// alsoSaid are cues of errands that booking rules read, too.
var alsoSaid = []struct {
	english string
	cue     errandCue
}{{"hello", ofGreeting}, {"thanks", ofGratitude}, {"help", ofAssistance}, {"who are you", ofWhoAreYou}}

var marketPatterns = sync.OnceValue(func() (all []kindPattern) {
	for _, w := range marketWords {
		all = append(all, kindPattern{w.name, regexp.MustCompile(cuePattern(ofHello, w.words))})
	}
	for _, w := range alsoSaid {
		all = append(all, kindPattern{w.english, errandPatterns()[w.cue]})
	}
	return append(all, kindPatterns().towns...)
})

var (
	// forFew is a number of people behind a preposition.
	forFew = regexp.MustCompile(`(^| )(?:για|на|ל-?|ل) ?(\d{1,2})( |$)`)
	// nightsOf is the length of a stay.
	nightsOf = regexp.MustCompile(`(^| )(?:(?:για|на|ל-?|ل) ?)?(\d{1,2}) (?:νύχτες|νυχτες|βραδια|ночи|ночеи|ночей|לילות|ليال|ليالي)( |$)`)
)

// isForeign reports whether a text is written in letters that English and Turkish do not have.
func isForeign(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) && unicode.In(r, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic)
	})
}

// forMarket folds a text and puts into English what the booking rules read.
func forMarket(text string) string {
	folded := inEnglish(text)
	folded = nightsOf.ReplaceAllString(folded, "$1 for $2 nights$3")
	if n, rest := peopleIn(folded); n > 0 {
		folded = rest + " for " + strconv.Itoa(n) + " people"
	}
	for _, p := range marketPatterns() {
		folded = strings.TrimSpace(p.re.ReplaceAllString(folded+" ", " "+p.name+" "))
	}
	return forFew.ReplaceAllString(folded, "$1 for $2$3")
}

// emptyAbroad reports whether a folded word of such letters says nothing of what is looked for.
func emptyAbroad(plain string) bool {
	return isForeign(plain) && (len([]rune(plain)) == 1 || slices.Contains(otherFillers(), plain) || slices.Contains(smallTalk(), plain))
}

// smallTalk are further words without meaning for a search.
var smallTalk = sync.OnceValue(func() []string {
	return newLine(`βρες βρείτε δείξε δείξτε κοντά ψάχνω ψάχνουμε ώρα άτομα άτομο βράδυ πρωί γεια σας σου καλημέρα καλησπέρα είμαστε μας κάποιο κανένα υπάρχει στις για στους
		найди найдите ищу ищем покажи покажите во со около здравствуйте привет нас какой какие какая где есть ли время часов человек человека людей будем забронировать пожалуйста хотел хотела хотели хотелось бы
		מצא מחפשים תמצא תמצאי חפש תראה שלום היי אנחנו יש איזה איזו בשעה אנשים איש בערב בבוקר על אל
		ابحث أين مرحبا السلام عليكم في الساعة أشخاص شخص مساء صباحا عن على أريد نريد`).plain
})
