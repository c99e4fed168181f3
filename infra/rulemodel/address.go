package rulemodel

import (
	"regexp"
	"strings"
)

var (
	// addressCue goes before an address.
	addressCue = regexp.MustCompile(`(?i)(?:^|[\s,.])(?:(?:deliver(?:y|ed)?|bring)(?: it| them)?(?: from [^,.\n]{2,40}?)? to|to my (?:address|home|flat|hotel|villa)|my address is|address is|address|adresim|adres|στη διεύθυνση|η διεύθυνσή μου είναι|διεύθυνση|παράδοση στ(?:ην|ο|η)|по адресу|мой адрес|адрес|с доставкой на|доставка на|доставить на|לכתובת|הכתובת שלי|כתובת|משלוח ל|إلى العنوان|إلى عنوان|العنوان|عنواني|توصيل إلى|التوصيل إلى|an die adresse|die adresse ist|adresse|a la dirección|dirección|à l'adresse|kwa anwani)[:,]?\s+(.+)`)

	// streetNamed is an address that is known by the word for a street.
	streetNamed = regexp.MustCompile(`(?i)(?:^|[\s,])at\s+((?:\d{1,4}[a-z]?\s+)?(?:[\p{L}'.]+\s+){1,4}?(?:road|street|avenue|lane|boulevard|court|square|caddesi|cad|sokak|sok)(?:\s+\d{1,4}[a-z]?)?(?:,\s*(?-i:\p{Lu}\p{L}+))?)(?:[\s,.]|$)`)

	// addressBefore stands behind an address, as in Turkish.
	addressBefore = regexp.MustCompile(`(?i)(?:^|[,.\n])\s*([^,.\n]+(?:,[^,.\n]+)?)\s+adresine`)

	// addressEnd is where what comes behind an address begins.
	addressEnd = regexp.MustCompile(`(?i)\n|[.!?](?:\s|$)|,?\s+(?:and\s+)?(?:my\s+)?(?:phone|tel|telephone|number|telefon|telefonum|numaram|τηλέφωνο|тел|телефон|טלפון|הטלפון|هاتف|هاتفي)\b|,?\s+(?:phone|telefon|τηλέφωνο|телефон|טלפון|هاتف)|,?\s+(?:at|saat|στις|в|בשעה|الساعة)\s+\d{1,2}(?:[:.]\d\d|\s?[ap]m)|,?\s+(?:(?:on |this |next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|the day after|tomorrow|today|tonight|now|yarın|bugün|αύριο|σήμερα|завтра|сегодня|מחר|היום|غدا|اليوم)(?:\s|$|[,.!?])|\s+please\b|,?\s+\+\d`)
)

// addressIn is the address that a text names behind a word that says so, "" for none.
func addressIn(text string) string {
	if from, to := addressSpan(text); from < to {
		return strings.Trim(text[from:to], " ,.;:")
	}
	return ""
}

func addressSpan(text string) (from, to int) {
	if m := addressBefore.FindStringSubmatchIndex(text); m != nil {
		return m[2], m[3]
	}
	m := addressCue.FindStringSubmatchIndex(text)
	if m == nil {
		if m = streetNamed.FindStringSubmatchIndex(text); m == nil {
			return 0, 0
		}
		from, to = m[2], m[3]
		if again := strings.LastIndex(text[from:to], " at "); again >= 0 {
			from += again + len(" at ") // "at 10 at Harbour Road 5"
		}
		return from, to
	}
	from, to = m[2], m[3]
	if end := addressEnd.FindStringIndex(text[from:to]); end != nil {
		to = from + end[0]
	}
	if heard("here", newLine(text[from:to]).whole) {
		return 0, 0 // a place that only the map knows
	}
	return from, to
}

// withoutAddress is a text without the address that it names: a house has a number, too.
func withoutAddress(text string) string {
	from, to := addressSpan(text)
	return text[:from] + " " + text[to:]
}

// where is a place that was told: in words, or the location that was shared.
type where struct {
	text string
	here bool
}

func (w where) known() bool { return w.text != "" || w.here }

// place is where something is to be done, as told in answer to q or unasked.
func (e *errand) place(q question) where {
	var w where
	for _, t := range e.said {
		h := newLine(t.text).whole
		address := addressIn(t.text)
		unasked := t.asked == asksNothing || t.asked == asksDelivery || t.asked == asksOtherwise
		switch {
		case t.asked == q && t.pin && h == "", t.asked == q && onlyHeard("here", h), e.pinned && address == "" && unasked && heard("here", h):
			w = where{here: true}
		case address != "":
			w = where{text: clean(address, maxAddress)}
		case (t.asked == q || t.asked == asksDelivery && looksPlace(h)) && h != "" && lone(t.text) == 0 && !bareAnswer(h):
			if text := strings.Trim(phoneTail.ReplaceAllString(t.text, ""), " ,.;:"); text != "" {
				w = where{text: clean(text, maxAddress)}
			}
		}
	}
	return w
}

// bareAnswer reports whether a folded text is a yes or no alone.
func bareAnswer(h string) bool {
	return !strings.Contains(h, " ") && (heard("refusal", h) || heard("consent", h))
}

// looksPlace reports whether a folded text may be an address: words with a number.
func looksPlace(h string) bool {
	return len(strings.Fields(h)) > 1 && strings.ContainsAny(h, digits) && !heard("picking up", h)
}

// phoneTail is a number behind an address.
var phoneTail = regexp.MustCompile(`(?i)[,;\s]*(?:and\s+)?(?:my\s+)?(?:phone|tel|telefon|number|numaram|τηλέφωνο|телефон|טלפון|هاتف)?[:\s]*\+?\d[\d ()-]{7,}\d\s*$`)
