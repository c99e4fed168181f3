package listing

import (
	"slices"
	"sync"
)

// alikeWords are words and phrases that people use for the same thing, in the languages they
// write in, one group a line. They are added to the searched text, not to the query, so
// that every engine knows them and a listing's own words count for more.
//
// Words that mean something quite different in another of the languages are left out, such as
// at, Turkish for a horse.
var alikeWords = [][]string{
	// food
	{"restaurant", "restoran", "lokanta", "εστιατόριο", "ταβέρνα", "taverna", "ресторан", "מסעדה", "مطعم", "restaurante", "mgahawa"},
	{"sushi", "suşi", "σούσι", "суши", "סושי", "سوشي"},
	{"fish", "balık", "ψάρι", "ψάρια", "рыба", "דגים", "سمك", "fisch", "pescado", "poisson", "samaki"},
	{"seafood", "deniz ürünleri", "θαλασσινά", "морепродукты", "פירות ים", "مأكولات بحرية", "meeresfrüchte", "mariscos", "fruits de mer"},
	{"kebab", "kebap", "κεμπάπ", "кебаб", "шашлык", "קבב", "كباب"},
	{"grill", "ızgara", "mangal", "ocakbaşı", "barbecue", "bbq", "σχάρα", "гриль", "גריל", "مشاوي", "parrilla"},
	{"meze", "mezze", "μεζέδες", "мезе", "מזה", "مزة"},
	{"pizza", "πίτσα", "пицца", "פיצה", "بيتزا"},
	{"burger", "hamburger", "μπέργκερ", "бургер", "המבורגר", "برغر"},
	{"pasta", "makarna", "spaghetti", "ζυμαρικά", "паста", "פסטה", "معكرونة"},
	{"breakfast", "kahvaltı", "brunch", "πρωινό", "завтрак", "ארוחת בוקר", "فطور", "frühstück", "desayuno", "petit déjeuner", "kifungua kinywa"},
	{"coffee", "kahve", "cafe", "καφές", "καφετέρια", "кофе", "кафе", "קפה", "قهوة", "مقهى", "kaffee", "kahawa"},
	{"vegan", "βίγκαν", "веган", "טבעוני", "نباتي صرف", "végane"},
	{"vegetarian", "vejetaryen", "χορτοφαγικό", "вегетарианский", "צמחוני", "نباتي", "vegetarisch", "vegetariano", "végétarien"},
	{"dessert", "tatlı", "γλυκό", "десерт", "קינוח", "حلويات", "nachtisch", "postre"},
	{"wine", "şarap", "κρασί", "вино", "יין", "نبيذ", "wein", "vino", "divai"},

	// tours and sights
	{"boat", "tekne", "σκάφος", "βάρκα", "лодка", "катер", "סירה", "قارب", "barco", "bateau", "mashua"},
	{"cruise", "κρουαζιέρα", "круиз", "הפלגה", "رحلة بحرية", "kreuzfahrt", "crucero", "croisière"},
	{"sailing", "yelken", "ιστιοπλοΐα", "парус", "яхта", "שיט", "إبحار", "segeln", "vela", "voile"},
	{"diving", "dalış", "scuba", "κατάδυση", "καταδύσεις", "дайвинг", "צלילה", "غوص", "tauchen", "buceo", "plongée"},
	{"paragliding", "yamaç paraşütü", "αλεξίπτωτο πλαγιάς", "параплан", "מצנח רחיפה", "طيران شراعي", "gleitschirm", "parapente"},
	{"turtle", "kaplumbağa", "χελώνα", "черепаха", "צבים", "سلحفاة", "schildkröte", "tortuga", "tortue"},
	{"horse", "horses", "binicilik", "άλογο", "ιππασία", "лошадь", "סוסים", "חוות סוסים", "حصان", "reiten", "caballo", "cheval"},
	{"castle", "κάστρο", "замок", "крепость", "טירה", "מבצר", "قلعة", "schloss", "castillo", "château"},
	{"history", "tarih", "ιστορία", "история", "היסטוריה", "تاريخ", "geschichte", "historia", "histoire"},
	{"museum", "müze", "μουσείο", "музей", "מוזיאון", "متحف", "museo", "musée"},
	{"beach", "plaj", "kumsal", "παραλία", "пляж", "חוף", "شاطئ", "strand", "playa", "plage"},

	// stays
	{"hotel", "otel", "ξενοδοχείο", "отель", "гостиница", "מלון", "فندق", "hôtel", "hoteli"},
	{"guesthouse", "pansiyon", "konukevi", "ξενώνας", "пансион", "בית הארחה", "צימר", "بيت ضيافة"},
	{"villa", "βίλα", "вилла", "וילה", "فيلا"},
	{"hostel", "χόστελ", "хостел", "הוסטל", "نزل"},
	{"pool", "havuz", "πισίνα", "бассейн", "בריכה", "مسبح", "schwimmbad", "piscina", "piscine"},

	// wellness
	{"massage", "masaj", "μασάζ", "массаж", "עיסוי", "מסאז", "تدليك", "مساج", "masaje"},
	{"hammam", "hamam", "χαμάμ", "хаммам", "חמאם", "حمام"},
	{"yoga", "γιόγκα", "йога", "יוגה", "يوغا"},
	{"barber", "berber", "kuaför", "hairdresser", "haircut", "κουρείο", "парикмахер", "ספר גברים", "תספורת", "حلاق", "friseur", "peluquería", "coiffeur", "kinyozi"},
	{"manicure", "manikür", "nails", "μανικιούρ", "маникюр", "מניקור", "مانيكير", "maniküre", "manicura"},

	// services
	{"air conditioning", "air conditioner", "klima", "κλιματισμός", "кондиционер", "מיזוג אוויר", "מזגן", "تكييف", "مكيف", "klimaanlage", "aire acondicionado", "climatisation"},
	{"plumber", "plumbing", "tesisatçı", "υδραυλικός", "сантехник", "שרברב", "אינסטלטור", "سباك", "klempner", "fontanero", "plombier", "fundi bomba"},
	{"cleaning", "temizlik", "καθαρισμός", "καθαριότητα", "уборка", "ניקיון", "تنظيف", "reinigung", "limpieza", "nettoyage", "usafi"},
	{"car rental", "rent a car", "car hire", "araba kiralama", "oto kiralama", "ενοικίαση αυτοκινήτου", "аренда авто", "прокат авто", "השכרת רכב", "تأجير سيارات", "autovermietung", "alquiler de coches", "location de voiture"},
	{"vet", "veterinary", "veterinarian", "veteriner", "κτηνίατρος", "ветеринар", "וטרינר", "بيطري", "tierarzt", "veterinario", "vétérinaire"},
	{"dentist", "dental", "diş hekimi", "dişçi", "οδοντίατρος", "стоматолог", "רופא שיניים", "طبيب أسنان", "zahnarzt", "dentista", "dentiste"},
	{"photographer", "photography", "fotoğrafçı", "φωτογράφος", "фотограф", "צלם", "مصور", "fotograf", "fotógrafo", "photographe"},
	{"repair", "tamir", "onarım", "επισκευή", "ремонт", "תיקון", "تصليح", "reparatur", "reparación", "réparation"},

	// events
	{"concert", "live music", "konser", "canlı müzik", "συναυλία", "концерт", "הופעה חיה", "حفلة موسيقية", "konzert", "concierto"},
	{"jazz", "caz", "τζαζ", "джаз", "جاز"},
	{"cinema", "sinema", "movie", "film", "κινηματογράφος", "σινεμά", "кино", "קולנוע", "سينما", "kino", "cine"},
	{"golf", "γκολφ", "гольф", "גולף", "غولف"},

	// who it is for
	{"kids", "children", "çocuk", "παιδιά", "дети", "ילדים", "أطفال", "kinder", "niños", "enfants", "watoto"},
	{"romantic", "romantik", "ρομαντικό", "романтический", "רומנטי", "رومانسي", "romantisch", "romántico", "romantique"},

	// towns
	{"kyrenia", "girne", "κερύνεια", "кирения", "קירניה", "כיריניה", "كيرينيا"},
	{"nicosia", "lefkoşa", "λευκωσία", "никосия", "ניקוסיה", "نيقوسيا"},
	{"famagusta", "mağusa", "gazimağusa", "αμμόχωστος", "фамагуста", "פמגוסטה", "فاماغوستا"},
	{"iskele", "trikomo", "τρίκωμο", "искеле", "איסקלה"},
	{"guzelyurt", "güzelyurt", "morphou", "μόρφου", "гюзельюрт"},
	{"bellapais", "beylerbeyi", "μπέλλαπαϊς", "беллапаис", "בלפאיס"},
	{"karpaz", "karpas", "karpass", "καρπασία", "карпас", "קרפז"},
}

// sayings is alikeWords in the form in which words are compared: group, phrase, word.
var sayings = sync.OnceValue(func() [][][]string {
	all := make([][][]string, len(alikeWords))
	for i, group := range alikeWords {
		for _, phrase := range group {
			all[i] = append(all[i], Words(phrase))
		}
	}
	return all
})

// minSynonym is the fewest letters of a word that is added: the small words of phrases, such
// as de, stand in too many questions.
const minSynonym = 3

// synonyms returns the other words people use for the words of fields. A phrase counts as present if all of its
// words are.
func synonyms(fields ...[]string) []string {
	has := map[string]bool{}
	for _, f := range fields {
		for _, w := range f {
			has[w] = true
		}
	}
	said := func(phrase []string) bool {
		return !slices.ContainsFunc(phrase, func(w string) bool { return !has[w] })
	}
	var more []string
	for _, group := range sayings() {
		if !slices.ContainsFunc(group, said) {
			continue
		}
		for _, phrase := range group {
			for _, w := range phrase {
				if !has[w] && letters(w) >= minSynonym {
					more = append(more, w)
				}
			}
		}
	}
	slices.Sort(more)
	return slices.Compact(more)
}
