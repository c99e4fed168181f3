package taxi

import (
	"strings"
	"sync"
	"unicode/utf8"

	"merve/internal/base/ident"
	"merve/internal/spine/gate"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// verb is what a driver's message asks for.
type verb string

const (
	sayYes     verb = "yes"
	sayNo      verb = "no"
	sayArrived verb = "arrived"
	sayDone    verb = "done"
	sayCancel  verb = "cancel"
	sayOn      verb = "on"
	sayOff     verb = "off"
	sayCode    verb = "code" // a code without a word, or several codes
)

// command is a driver's message, read.
type command struct {
	verb verb
	code string // "" when none was said

	vague bool // it quotes an unknown message, which may have been about any ride
}

// plain reports whether a word is about a ride without saying which.
func (c command) plain() bool {
	return c.code == "" && c.verb != sayOn && c.verb != sayOff && c.verb != sayCode
}

// maxCommand is the longest message that can be a command, in characters.
const maxCommand = 48

// read reads a text that is a command as a whole: a word, perhaps with a code, in any order, with or without a space in
// between. YES and NO are those of package gate.
func read(text string) (command, bool) {
	if utf8.RuneCountInString(text) > maxCommand {
		return command{}, false
	}
	codes, rest := cutCodes(strings.Fields(signs.Replace(language.Fold(text))))
	c := command{}
	if len(codes) == 1 {
		c.code = codes[0]
	}
	phrase := strings.Join(rest, " ")
	c.verb = vocabulary()[phrase]
	if c.verb == "" {
		c.verb = map[gate.Answer]verb{gate.Yes: sayYes, gate.No: sayNo}[gate.Read(phrase)]
	}
	switch {
	case phrase == "" && len(codes) > 0, c.verb != "" && len(codes) > 1:
		return command{verb: sayCode, code: c.code}, true
	case c.verb == "", (c.verb == sayOn || c.verb == sayOff) && len(codes) > 0:
		return command{}, false
	}
	return c, true
}

// Coded reports whether a text is a driver's word about the ride whose code is in it.
func Coded(text string) bool {
	c, ok := read(text)
	return ok && c.code != "" && c.verb != sayCode
}

// signs are what people put between a word and a code. There is no question mark, as a question is not an answer.
var signs = strings.NewReplacer("#", " ", "-", " ", "–", " ", "—", " ", ":", " ", ";", " ", ".", " ", ",", " ", "!", " ",
	"(", " ", ")", " ", "\"", " ", "*", " ", "_", " ", "/", " ", "«", " ", "»", " ", "،", " ")

// cutCodes separates the codes from the other words of a message.
func cutCodes(words []string) (codes, rest []string) {
	for i := 0; i < len(words); i++ {
		code, head := codeIn(words[i])
		if code == "" && i+1 < len(words) { // typed in two halves
			if code, _ = codeIn(words[i] + words[i+1]); code != "" && utf8.RuneCountInString(words[i]+words[i+1]) == ident.Ride.Length {
				i++
				head = ""
			} else {
				code = ""
			}
		}
		if code == "" {
			rest = append(rest, words[i])
			continue
		}
		codes = append(codes, code)
		if head != "" {
			rest = append(rest, head)
		}
	}
	return codes, rest
}

// codeIn finds the code that a word is or ends with.
func codeIn(word string) (code, head string) {
	r := []rune(word)
	if len(r) < ident.Ride.Length {
		return "", ""
	}
	tail := latin.Replace(strings.ToUpper(string(r[len(r)-ident.Ride.Length:])))
	if !isCode(tail) {
		return "", ""
	}
	return tail, string(r[:len(r)-ident.Ride.Length])
}

// ownWords are the words that we tell drivers to use, by their keys in the catalogue.
var ownWords = map[wording.Key]verb{
	wording.TaxiWordArrived: sayArrived, wording.TaxiWordDone: sayDone, wording.TaxiWordCancel: sayCancel,
	wording.TaxiWordOn: sayOn, wording.TaxiWordOff: sayOff,
}

// otherWords are words that drivers use anyway.
var otherWords = map[verb][]string{
	sayArrived: {
		"arrived", "i arrived", "i have arrived", "i am here", "i'm here", "im here", "here", "at pickup",
		"geldim", "vardım", "buradayım", "έφτασα", "έφθασα", "εδώ είμαι", "прибыл", "приехал", "я на месте", "на месте", "הגעתי", "אני כאן",
		"وصلت", "أنا هنا", "angekommen", "ich bin da", "bin da", "llegué", "he llegado", "estoy aquí", "arrivé", "arrivée", "je suis là",
		"nimefika", "niko hapa",
	},
	sayDone: {
		"done", "finished", "completed", "dropped off", "trip done", "ride done",
		"bitti", "bitirdim", "tamamlandı", "τελείωσε", "τελείωσα", "ολοκληρώθηκε", "завершил", "завершено", "закончил", "довёз", "סיימתי", "הסתיים",
		"انتهيت", "انتهت الرحلة", "fertig", "erledigt", "beendet", "terminado", "terminé", "finalizado", "fini", "terminée",
		"nimemaliza", "imekwisha",
	},
	sayCancel: {
		"cancel", "cancel it", "cancel ride", "cancel the ride", "i cancel", "cannot come", "can't come", "cant come",
		"iptal", "iptal et", "gelemiyorum", "ακύρωση", "ακυρώνω", "δεν μπορώ να έρθω", "отмена", "отменяю", "отменить", "не могу приехать", "ביטול", "מבטל",
		"لا أستطيع الحضور", "إلغاء", "stornieren", "absagen", "storno", "cancelar", "cancelo", "annuler", "j'annule", "ghairi", "naghairi",
	},
	sayOn: {
		"on", "available", "i am available", "i'm available", "free", "i am free", "i'm free", "online",
		"müsait", "müsaitim", "boşum", "διαθέσιμος", "διαθέσιμη", "ελεύθερος", "свободен", "свободна", "на линии", "פנוי", "פנויה", "זמין",
		"متاح", "متاحة", "متوفر", "verfügbar", "frei", "disponible", "libre", "estoy libre", "je suis libre", "nipo", "niko huru",
	},
	sayOff: {
		"off", "busy", "i am busy", "i'm busy", "not available", "unavailable", "offline",
		"meşgul", "meşgulüm", "müsait değil", "müsait değilim", "απασχολημένος", "απασχολημένη", "μη διαθέσιμος", "занят", "занята", "не на линии", "עסוק", "עסוקה", "לא פנוי",
		"مشغول", "مشغولة", "غير متاح", "besetzt", "beschäftigt", "nicht verfügbar", "ocupado", "ocupada", "no disponible", "occupé", "occupée", "pas disponible", "nina shughuli", "sipo",
	},
}

// vocabulary is every phrase that is a command, folded.
var vocabulary = sync.OnceValue(func() map[string]verb { return wording.Vocabulary(ownWords, otherWords) })
