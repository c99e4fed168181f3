package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// letters are the ways to ask for a message to a business: to whom, what connects it with what is
// to be said, and what that is. A link that opens a question stays with it.
var letters = []*regexp.Regexp{
	// English
	regexp.MustCompile(`(?is)^(?:.*?\b(?:please|could you|can you|would you|want to|like to)\s+)?(?:ask|tell|write(?: to)?|message|text|contact)\s+(?P<whom>[^:,]+?)\s+(?P<link>whether|if|that|when|what|how|where|which|who|about)\s+(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\b(?:please|could you|can you|would you|want to|like to)\s+)?(?:ask|tell|write(?: to)?|message|text|contact|send (?:a |the )?(?:whatsapp |text )?(?:message|note) to)\s+(?P<whom>[^:]{2,60}?)\s*(?::|,\s*(?:please\s+)?|\s+(?:that|saying)\s+)\s*(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\b(?:please|could you|can you|would you|want to|like to)\s+)?(?:tell|let)\s+(?P<whom>[^:]{2,60}?)\s+(?:know\s+)?(?:that\s+)?(?P<text>(?:we|i)(?:['’](?:ll|re|m|ve|d)| will| are| am| have| would| need| can| come| arrive)\b.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\b(?:please|could you|can you|would you|want to|like to)\s+)?send\s+(?P<whom>.+?)\s+a\s+(?:whatsapp\s+|text\s+)?(?:message|note)(?:\s*:|\s+that|\s+saying)?\s*(?P<text>.*)$`),
	regexp.MustCompile(`(?is)^(?:.*?\b(?:please|could you|can you|would you|want to|like to)\s+)?(?:ask|tell|write(?: to)?|message|text)\s+(?P<whom>them|the (?:restaurant|hotel|place|business|owner|shop))\s+(?:to\s+)?(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\b(?:please|could you|can you|would you|want to|like to)\s+)?(?:write to|send (?:a |the )?(?:whatsapp |text )?(?:message|note) to|message|contact)\s+(?P<whom>[^:]{2,60})$`),
	// Turkish
	regexp.MustCompile(`(?is)^(?P<whom>[^:]{2,60}?)(?:['’]y?[ea]|['’]n[ea])\s+(?:(?:sor|yaz|ilet|söyle)\p{L}*|mesaj\s+\p{L}+)\s*:\s*(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?P<whom>[^:]{2,60}?)(?:['’]y?[ea]|['’]n[ea])\s+(?P<text>.+?)\s+(?P<link>diye)\s+(?:sor|yaz|ilet|söyle|mesaj)\p{L}*.*$`),
	regexp.MustCompile(`(?is)^(?P<whom>[^:]{2,60}?)(?:['’]y?[ea]|['’]n[ea])\s+(?P<text>.+?(?:n[iıuü]|d[iıuü]ğ[iıuü]n[iıuü]))\s+(?P<link>sor)\p{L}*[.!?]*$`),
	regexp.MustCompile(`(?is)^(?P<whom>onlara|restorana|otele|işletmeye|oraya)\s+(?:(?:sor|yaz)\p{L}*\s*:\s*)?(?P<text>.+?)(?:\s+(?P<link>diye)\s+(?:sor|yaz|ilet|mesaj)\p{L}*.*)$`),
	regexp.MustCompile(`(?is)^(?P<whom>[^:]{2,60}?)(?:['’]y?[ea]|['’]n[ea])\s+(?:mesaj\s+(?:at|gönder|yaz)|yaz)\p{L}*(?P<text>)[.!?]*$`),
	// Greek
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:ρώτ[αάηή]\p{L}*|ρωτήσ\p{L}*|γράψ\p{L}*|στείλ\p{L}*(?:\s+μήνυμα)?|πες|πείτε)\s+(?:στους|στην|στον|στη|στο|τους|την|τον|τη|το)?\s*(?P<whom>[^:]{2,60}?)\s+(?P<link>αν|εάν|πότε|πόσο|τι|πώς|ότι|πως|να)\s+(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:γράψ\p{L}*|στείλ\p{L}*(?:\s+μήνυμα)?)\s+(?:στους|στην|στον|στη|στο)\s+(?P<whom>[^:]{2,60}?)(?:\s*:\s*(?P<text>.+))?$`),
	// Russian
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:спроси(?:те)?|спросить|узнай(?:те)?|узнать|напиши(?:те)?|написать|передай(?:те)?|сообщи(?:те)?)\s+(?:у\s+|в\s+|для\s+)?(?P<whom>[^:,]{2,60}?)\s*(?:,|:)\s*(?P<link>можно|есть|могут|что|когда|сколько|как|ли)?\s*(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:напиши(?:те)?|написать)\s+(?:в\s+|для\s+)?(?P<whom>[^:,]{2,60})(?P<text>)$`),
	// Hebrew
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:תשאל[יו]?|שאל[יו]?|לשאול|תכתו?ב[יו]?|כתו?ב[יו]?|לכתוב|תגיד[יו]?|תשלח[יו]?(?:\s+הודעה)?)\s+(?:את\s+|אל\s+|ל-?)?(?P<whom>[^:]{2,60}?)(?:\s*:\s*|\s+(?P<link>אם|האם|מתי|כמה|איך|ש-?)\s*)(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:תכתו?ב[יו]?|כתו?ב[יו]?|לכתוב|תשלח[יו]?\s+הודעה)\s+(?:אל\s+|ל-?)(?P<whom>[^:]{2,60})(?P<text>)$`),
	// Arabic
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:اسأل(?:وا|ي)?|إسأل|أسأل|اكتب(?:ي|وا)?|أكتب|أرسل(?:\s+رسالة)?|ارسل(?:\s+رسالة)?|أخبر)\s+(?:إلى\s+|الى\s+)?(?P<whom>[^:]{2,60}?)(?:\s*:\s*|\s+(?P<link>هل|إذا|اذا|إن|متى|كم|ما|بأن|أن)\s+)(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:اكتب(?:ي|وا)?|أكتب|(?:أرسل|ارسل)\s+رسالة)\s+(?:إلى|الى)\s+(?P<whom>[^:]{2,60})(?P<text>)$`),
	// German, Spanish, French
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:frag(?:e|en sie)?|schreib(?:e|en sie)?(?:\s+an)?)\s+(?P<whom>[^:]{2,60}?)\s*,?\s+(?P<link>ob|wann|wie|was|dass)\s+(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:pregunta(?:le|r)?|escribe(?:le)?|escribir)\s+(?:al?\s+)(?:l[aoe]s?\s+)?(?P<whom>[^:]{2,60}?)\s+(?P<link>si|cuándo|cómo|que)\s+(?P<text>.+)$`),
	regexp.MustCompile(`(?is)^(?:.*?\s)?(?:demande[zr]?|écri[st]|écrivez|écrire)\s+(?:à|au|aux)\s+(?P<whom>[^:]{2,60}?)\s+(?P<link>si|quand|comment|que)\s+(?P<text>.+)$`),
}

// plainLinks are connecting words that are no part of the message.
var plainLinks = strings.Fields(`that ότι πως να что בש ש ש- أن بأن dass que diye`)

// letter is a message that a customer asks to write, possibly not all of it yet.
type letter struct {
	whom, text string
	question   bool // put in words that somebody is asked, not those to say
}

// letterIn reads whom to write to, and what.
func letterIn(text string) (letter, bool) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > maxText || !heard("writing", newLine(text).whole) {
		return letter{}, false
	}
	for _, re := range letters {
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		var l letter
		link := ""
		for i, name := range re.SubexpNames() {
			switch name {
			case "whom":
				l.whom = clean(strings.Trim(m[i], " ,"), maxName)
			case "text":
				l.text = strings.TrimSpace(m[i])
			case "link":
				link = strings.ToLower(m[i])
			}
		}
		if !l.addressed() {
			continue
		}
		switch {
		case link == "", slices.Contains(plainLinks, link):
		case link == "sor":
			l.question = true
		default:
			l.text, l.question = m[re.SubexpIndex("link")]+" "+l.text, true
		}
		return l, true
	}
	return letter{}, false
}

// nobody are first words that begin no name of a business, folded.
var nobody = strings.Fields(`me us you myself him her for about if whether when what how where why which who that to a an it my your our menyu
	the-driver bana bize sana мне нам меня нас тебя вас μου μας μένα εμένα לי לנו אותי לך أن لي لنا mir uns mich dir me nos moi nous`)

// addressed reports whether a letter has somebody to go to who may be a business.
func (l letter) addressed() bool {
	words := newLine(l.whom).plain
	if len(words) == 0 || len(words) > 8 || slices.Contains(nobody, words[0]) {
		return false
	}
	h := strings.Join(words, " ")
	return !heard("taxi", h) && !isForPerson(h) && !strings.Contains(h, "driver")
}

// words are the message as it goes out.
func (l letter) words(v voice) string {
	text := strings.TrimSpace(l.text)
	if text == "" {
		return ""
	}
	if l.question {
		if v["tag"] == "en" {
			text = toThem.Replace(" " + text + " ")
		}
		text = fmt.Sprintf(v["wantToKnow"], strings.TrimRight(strings.TrimSpace(text), "?.!؟ "))
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if last, _ := utf8.DecodeLastRuneInString(text); asksInTurkish.MatchString(text) && unicode.IsLetter(last) {
		text += "?"
	} else if unicode.IsLetter(last) || unicode.IsDigit(last) {
		text += "."
	}
	if r := []rune(text); len(r) > maxLetter {
		text = string(r[:maxLetter])
	}
	return text
}

// asksInTurkish is the particle that makes a question.
var asksInTurkish = regexp.MustCompile(`(?i) m[iıuü](?:y|s|d)?\p{L}{0,6}$`)

// maxLetter is the longest message to a business, in characters.
const maxLetter = 1000

// toThem speaks to those of whom was spoken.
var toThem = strings.NewReplacer(" they are ", " you are ", " they have ", " you have ", " they ", " you ", " their ", " your ", " them ", " you ")

// letterText is what is to be said.
func letterText(a *agent, values map[string]any) *reply {
	note, _ := letterIn(a.said[0].text)
	if t, ok := a.answer(asksMessage); ok {
		note.text, note.question = clean(t.text, maxLetter), false
	}
	text := note.words(a.v)
	if text == "" {
		return a.ask("message")
	}
	values["text"] = text
	return nil
}

// addressee is the listing that a name stands for.
func addressee(a *agent, values map[string]any) *reply {
	note, _ := letterIn(a.said[0].text)
	whom := note.whom
	if t, ok := a.answer(asksWhom); ok {
		whom = clean(t.text, maxName)
	}
	l, next := a.named(whom)
	if next == nil {
		values["listingId"] = l.id
	}
	return next
}

// named is the listing that a name stands for, or the reply that finds it or asks.
func (a *agent) named(whom string) (*listing, *reply) {
	h := newLine(whom)
	if t, ok := a.answer(asksWhich); ok {
		if l := a.pick(t); l != nil {
			return l, nil
		}
	}
	for _, l := range slices.Concat(a.shown, a.shops) {
		if name := newLine(l.name).whole; len(name) > 3 && strings.Contains(" "+h.whole+" ", " "+name+" ") {
			return &l, nil
		}
	}
	if i, ok := index(pickOf(h), len(a.shown)); ok {
		return &a.shown[i], nil
	}
	if onlyHeard("them", h.whole) {
		if a.near != nil {
			return a.near, nil
		}
		return nil, a.ask("whom")
	}
	if len(a.shops) == 0 {
		r, next := a.got("searchMarketplace", map[string]any{"query": clean(whom, maxQuery), "limit": shownListings})
		if next != nil {
			return nil, next
		}
		a.shops = r.listings
	}
	return a.among(a.v["found"], whom)
}
