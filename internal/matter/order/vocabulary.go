package order

import (
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"merve/internal/base/ident"
	"merve/internal/spine/gate"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// verb is a business's answer to an order.
type verb string

const (
	sayAccept verb = "accept"
	sayRefuse verb = "refuse"
	sayDone   verb = "done"
	sayCancel verb = "cancel"
)

// said is a message of a business, read.
type said struct {
	verb    verb
	code    string    // "" if none was said
	vague   bool      // it quotes a message that we do not know, which may have been about any order
	minutes int       // until the order is ready; 0 if not said
	clock   time.Time // hour and minute when the order is ready; zero if not said
	reason  string    // of a refusal or cancellation, as written
}

// maxSaid bounds the characters of a message that can be an answer.
const maxSaid = 300

// read parses a text that is an answer as a whole: a word, an optional code, then the minutes
// or time of an acceptance, or the reason of a refusal. "OK, who comes today?" is not an answer.
func read(text string) (said, bool) {
	if utf8.RuneCountInString(text) > maxSaid || strings.ContainsAny(text, "?؟;") {
		return said{}, false
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",.!#()\"*«»،", r) })
	s := said{}
	var rest []string
	for _, w := range words {
		switch code := codeOf(w); {
		case s.code == "" && code != "":
			s.code = code
		case s.verb == "" && len(rest) == 0 && verbOf(w) != "":
			s.verb = verbOf(w)
		default:
			rest = append(rest, w)
		}
	}
	switch {
	case s.verb == "":
		return said{}, false
	case s.verb == sayAccept:
		return s, s.expects(rest)
	case s.verb == sayDone:
		return s, len(rest) == 0
	case s.code == "" && len(rest) > 0:
		return said{}, false // a reason without a code may be about anything
	}
	s.reason = strings.Join(rest, " ")
	return s, true
}

// Coded reports whether a text is a business's answer to the order whose code is in it.
func Coded(text string) bool {
	s, ok := read(text)
	return ok && s.code != ""
}

// expects reads when an accepted order will be ready; any other words make the text no answer.
func (s *said) expects(rest []string) bool {
	for _, w := range rest {
		w = strings.TrimRight(language.Fold(w), "'’")
		if n, err := strconv.Atoi(language.Digits(w)); err == nil && n > 0 && n <= 24*60 && s.minutes == 0 && s.clock.IsZero() {
			s.minutes = n
			continue
		}
		if t, err := time.Parse("15:04", language.Digits(w)); err == nil && s.minutes == 0 && s.clock.IsZero() {
			s.clock = t
			continue
		}
		if n, unit := numberIn(w); n > 0 && beside()[unit] && s.minutes == 0 {
			s.minutes = n
			continue
		}
		if !beside()[w] {
			return false
		}
	}
	return true
}

// numberIn takes "30min" apart.
func numberIn(w string) (int, string) {
	w = language.Digits(w)
	i := strings.IndexFunc(w, func(r rune) bool { return r < '0' || r > '9' })
	if i <= 0 {
		return 0, ""
	}
	n, err := strconv.Atoi(w[:i])
	if err != nil || n > 24*60 {
		return 0, ""
	}
	return n, w[i:]
}

// codeOf returns the code that a word is; "" for any other word. A number alone means minutes, and a
// word in small letters is just a word.
func codeOf(w string) string {
	up := strings.ToUpper(w)
	if len(w) != len(up) || !ident.Order.Is(up) || strings.Trim(w, "0123456789") == "" || verbOf(w) != "" {
		return ""
	}
	if w != up && !strings.ContainsAny(w, "23456789") {
		return ""
	}
	return up
}

// verbOf returns the verb of a single word.
func verbOf(w string) verb {
	if v := vocabulary()[language.Fold(w)]; v != "" {
		return v
	}
	switch gate.Read(w) {
	case gate.Yes:
		return sayAccept
	case gate.No:
		return sayRefuse
	}
	return ""
}

// beside returns the folded words that may accompany the minutes of an acceptance.
var beside = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`
		min mins minute minutes m in about at by ca circa thanks thank you please
		dk dakika dakikaya dakikada yaklaşık içinde teşekkürler
		λεπτά λεπτα σε περίπου ευχαριστώ мин минут минуты через около спасибо
		דקות דק דקה בעוד בערך תודה دقيقة دقائق خلال حوالي شكرا
		minuten ungefähr danke minutos en unos gracias dans environ merci kwa baada ya`) {
		all[language.Fold(w)] = true
	}
	return all
})

// ownWords are the words that we tell businesses to use, by their keys in the catalogue.
var ownWords = map[wording.Key]verb{
	wording.OrderWordAccept: sayAccept, wording.OrderWordRefuse: sayRefuse, wording.OrderWordDone: sayDone,
}

// otherWords are words that they use anyway. YES and NO are package gate's.
var otherWords = map[verb][]string{
	sayAccept: {
		"accept", "accepted", "confirm", "confirmed", "kabul", "onay", "onaylandı", "αποδοχή", "αποδέχομαι", "δεκτό", "принято", "принять", "принимаю",
		"подтверждаю", "מאשר", "מאשרת", "מקובל", "قبول", "مقبول", "أقبل", "annehmen", "angenommen", "bestätigt", "acepto", "aceptado", "aceptar", "accepté", "accepter",
		"confirmé", "kubali", "nakubali", "imekubaliwa",
	},
	sayRefuse: {
		"refuse", "refused", "reject", "rejected", "decline", "declined", "ret", "red", "reddet", "reddedildi", "απόρριψη", "απορρίπτω", "отказ", "отказать", "отклонить", "отклонено",
		"דחה", "דוחה", "סירוב", "مرفوض", "رفض", "أرفض", "ablehnen", "abgelehnt", "rechazar", "rechazo", "rechazado", "refuser", "refusé", "kataa", "nakataa",
	},
	sayDone: {
		"done", "ready", "delivered", "finished", "completed", "bitti", "hazır", "teslim", "έτοιμο", "παραδόθηκε", "ολοκληρώθηκε", "готово", "доставлено", "выполнено",
		"מוכן", "נמסר", "הסתיים", "جاهز", "تم", "fertig", "geliefert", "erledigt", "listo", "entregado", "hecho", "prêt", "livré", "terminé", "tayari", "imekamilika",
	},
	sayCancel: {
		"cancel", "cancelled", "iptal", "ακύρωση", "отмена", "отменить", "ביטול", "إلغاء", "stornieren", "storno", "cancelar", "cancelado", "annuler", "annulé", "ghairi",
	},
}

// vocabulary is every word that is an answer, folded.
var vocabulary = sync.OnceValue(func() map[string]verb { return wording.Vocabulary(ownWords, otherWords) })
