package rulemodel

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	currencies = `(?:€|eur(?:os?)?|£|gbp|pounds?|sterlin|tl|try|liras?|₺|\$|usd|dollars?|dolar)`
	amount     = `(\d+(?:[.,]\d+)*)`
	cases      = `(?:'?(?:l[iu]k|y?[aeiu]|d[ae]n|n?[iu]n))?`
)

var (
	greeting  = regexp.MustCompile(`^(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|day)|merhaba(?:lar)?|selam(?:lar|un aleykum)?|gunaydin|iyi (?:gunler|aksamlar|sabahlar)|slm|mrb)\b`)
	whoAre    = regexp.MustCompile(`\b(?:who|what|wat) (?:exactly )?(?:are|r) (?:you|u)\b|\bwhat is this\b|\bare you (?:an? )?(?:real|human|bot|robot|ai|person|machine|chatgpt|gpt|llm|language model)|\b(?:sen|siz) (?:kim|ne)\w*|\bkimsin|\bnesin|\b(?:bot|robot|insan|yapay zeka|gercek)\w* (?:mi|misin|misiniz|musun|musunuz)\b|\b(?:which|what|hangi) (?:ai |language )?model`)
	wantHelp  = regexp.MustCompile(`\bhelp\b|\bwhat can (?:you|i) do\b|\bhow (?:does|do) (?:this|it|you) work|\byardim|\bne(?:ler)? yapabilir|\bnasil calis`)
	thanking  = regexp.MustCompile(`^(?:🙏|❤|😊|🙂|😀|🥰|🎉)|\b(?:thanks|thank you|thx|cheers|tesekkur\w*|sag ?ol\w*|eyvallah)\b`)
	parting   = regexp.MustCompile(`^(?:ok |okay |thanks |thank you )?(?:good ?bye|bye|bye bye|see you|good night|gorusuruz|hosca ?kal\w*|iyi geceler|gule gule)\b`)
	pointing  = regexp.MustCompile(`\b(?:it|this|that|this one|that one|there|them|onu|bunu|orayi|burayi)\b`)
	howAreYou = regexp.MustCompile(`\bhow (?:are|r) (?:you|u)\b|\bhow's it going\b|\bwhat's up\b|\bnasilsin\w*|\bne haber\b|\bnaber\b`)
	toPerson  = regexp.MustCompile(`\b(?:speak|talk|chat|connect)\w* (?:to|with) (?:an? )?(?:real |live )?(?:human|person|agent|operator|someone|somebody|staff)|\b(?:insan|temsilci|yetkili|operator|biri)\w* (?:ile |le |la )?(?:gorus|konus|bagla)`)
	ofMine    = regexp.MustCompile(`\b(?:my|our) (?:\w+ )?(?:bookings?|reservations?|appointments?)\b|\b(?:is|are|was|when is|when's|what time is) (?:my|our) (?:table|room|trip|tour|stay|massage|booking)\b|` +
		`\b(?:what|which|how many|any) (?:\w+ )?(?:bookings?|reservations?|appointments?) (?:do|did|have|are)\b|\b(?:do|did) (?:i|we) (?:have|make) (?:an?y? |any )?(?:\w+ )?(?:bookings?|reservations?|appointments?)\b|` +
		`\b(?:list|show|see|view|check|display) (?:me )?(?:all |the )*(?:my )?(?:\w+ )?(?:bookings|reservations|appointments)\b|\b(?:have|did) (?:i|we) (?:book|reserve)|\b(?:i|we) (?:have )?(?:booked|reserved)\b|^(?:bookings|reservations|appointments)$|\b(?:rezervasyon|randevu)(?:l[ae]r)?[iu]m\w*|\bwhat (?:have|did) i (?:book|reserve)`)
	aBooking  = regexp.MustCompile(`\b(?:bookings?|reservations?|appointments?|rezervasyon\w*|randevu\w*)\b`)
	toCancel  = regexp.MustCompile(`\bcancel\w*|\biptal\b|\b(?:can't|cannot|can not|won't be able to) (?:come|make it)\b|\bgelemiyor\w*|\bgelemeye\w*`)
	toDrop    = regexp.MustCompile(`\b(?:never ?mind|forget it|start over|vazgec\w*|bos ?ver\w*|bastan basla\w*)\b`)
	yesOnly   = regexp.MustCompile(`^(?:👍|👌|✅|🆗)|^(?:yes|yeah|yep|yup|ok|okay|sure|fine|great|perfect|evet|tamam|olur|peki|onayliyorum|kabul)(?: (?:please|lutfen|evet|yes|olur|thanks))*$`)
	noOnly    = regexp.MustCompile(`^(?:👎|❌|🚫)|^(?:no|nope|nah|hayir|yok|olmaz|istemiyorum)(?: (?:thanks|thank you|please|tesekkurler|sagol|istemiyorum))*$`)
	toSearch  = regexp.MustCompile(`\b(?:find|search\w*|look(?:ing)? for|show|recommend\w*|suggest\w*|where|any|is there|are there|i need|we need|i want|we want|i'd like|i would like|we'd like|ariyor\w*|ara|bul\w*|goster\w*|oner\w*|istiyor\w*|isterim|isteriz|lazim|var mi|nerede)\b`)
	toBook    = regexp.MustCompile(`\b(?:book|reserve|rezerv\w*|ayirt\w*|yer ayir\w*|randevu)\b`)
	toDetail  = regexp.MustCompile(`\b(?:more (?:about|info\w*|detail\w*)|details?|tell me about|opening hours|hours|when (?:is|are|do) .*(?:free|open)|availab\w*|free slots?|detay\w*|bilgi\w*|calisma saat\w*|kacta aciliyor|musait\w*|bos (?:saat|yer)\w*|how much|prices?|ne kadar|fiyat\w*|kac para|ucret\w*|address|where is|adres\w*)\b`)
	cheapest  = regexp.MustCompile(`\b(?:the )?cheapest(?: one)?\b|\ben ucuz\w*`)
	openNow   = regexp.MustCompile(`\b(?:(?:that|which) (?:is|are) )?(?:still |currently )?open (?:right |just )?(?:now|at the moment)\b|\b(?:now|still|currently) open\b|\b(?:su ?an(?:da)?|simdi|hala) acik\w*(?: olan)?\b`)
	different = regexp.MustCompile(`^(?:(?:show|give|tell) (?:me |us )?)?(?:something else|others?|(?:some )?more(?: options| places)?|another(?: one)?|anything else|what else|none of (?:them|these)|baska(?: bir sey)?|baska (?:ne )?var mi|daha fazla)$`)
	onMyData  = regexp.MustCompile(`\bmy (?:\w+ )?(?:data|account|information)\b|\bwhat do you know about me\b|\bgdpr\b|\bverilerimi\b|\bhesabimi\b`)
	offTopic  = regexp.MustCompile(`\b(?:weather|forecast|news|a joke|translate|recipe|what time is it|hava (?:durumu|nasil)|saat kac|fikra anlat|haberler)\b`)
	special   = regexp.MustCompile(`\b(?:allerg\w*|birthday|anniversary|window|wheelchair|high ?chair|alerji\w*|dogum gun\w*|yil donum\w*|cam kenari|tekerlekli|mama sandalyesi|bebek sandalyesi)\b`)

	priceUp = regexp.MustCompile(`\b(?:under|below|less than|up to|max(?:imum)?|at most|within|cheaper than|(?:no|not) more than|budget(?: of| is)?|en fazla|en cok|maksimum|butcem) ?` + currencies + `? ?` + amount + ` ?` + currencies + `?` + cases + `(?:\b|$)`)
	priceTo = regexp.MustCompile(`(?:` + currencies + ` ?` + amount + `|` + amount + ` ?` + currencies + cases + `) (?:alti\w*|daha ucuz\w*|ucuz\w*|az\w*|kadar|gecmesin|asagi|or less|or under|max)(?:\b|$)`)

	stayFor = regexp.MustCompile(`\b(?:for )?(` + numbers + `)[ -]?(?:nights?|gece(?:lik|ligine|yi)?)\b`)
	daysFor = regexp.MustCompile(`\bfor (` + numbers + `) days\b|\b(` + numbers + `) gun(?:lugune|luk)\b`)
	aWeek   = regexp.MustCompile(`\bfor (?:a|one|1) week\b|\b(?:bir|1) hafta(?:ligina|lik)\b`)

	adults   = regexp.MustCompile(`\b(?:for )?(` + numbers + `|an?) (?:adults?|yetiskin\w*)\b`)
	children = regexp.MustCompile(`\b(?:and |ve |plus |with )?(` + numbers + `|an?) (?:(?:small|young|little) )?(?:children|child|kids?|cocuk\w*|bebek|baby|babies|infants?|toddlers?)\b`)
	people   = regexp.MustCompile(`\b(?:for )?(` + numbers + `) ?(?:people|persons?|ppl|pax|guests?|seats?|tickets?|friends|of us|kisi(?:lik|yiz|yle|ye)?|misafir|bilet)\b`)
	groupOf  = regexp.MustCompile(`\b(?:party|group|family|table|seats|reservation|booking) (?:of|for) (` + numbers + `)\b`)
	weAre    = regexp.MustCompile(`\b(?:we are|we're|there (?:are|will be)|biz) (` + numbers + `)\b`)
	forSome  = regexp.MustCompile(`\bfor (` + numbers + `)\b`)
	alone    = regexp.MustCompile(`\b(?:just me|only me|by myself|alone|tek kisi\w*|tek basima|yalniz(?:im)?)\b`)
	couple   = regexp.MustCompile(`\b(?:for a couple|a couple of people|the two of us|both of us|ikimiz\w*|me and my (?:wife|husband|partner|girlfriend|boyfriend|friend)|my (?:wife|husband|partner|girlfriend|boyfriend|friend) and (?:me|i|myself))\b`)

	ordinals = regexp.MustCompile(`\b(?:the )?(first|second|third|fourth|fifth|sixth|1st|2nd|3rd|4th|5th|6th|last)(?: one| option| place)?\b|\b(ilk|birinci|ikinci|ucuncu|dorduncu|besinci|altinci|sonuncu)(?:s[iu]n?[iu]?|[ny]?[iu]|d[ae]n)?\b(?: olan\w*)?`)
	numbered = regexp.MustCompile(`\b(?:option|number|numara|secenek|no) (\d{1,2})\b|\b(\d{1,2}) numara\w*|\b(\d{1,2})'?[.]?(?:s[iu]n?[iu]?|y[iu])\b`)
)

// hearing is what one message says, as well as rules can tell.
type hearing struct {
	greeting, who, help, thanks, person  bool
	mine, cancel, booking, drop, yes, no bool
	search, book, detail, cheapest, open bool
	it, bye, fine, other, data, off      bool
	fact                                 bool // something is asked of a listing

	pick     int   // "the second", "number 2": from 1; -1 is the last; 0 none
	number   int   // the message is a bare number, or nearly; 0 none
	party    int   // people
	nights   int   // or days
	maxPrice int64 // minor units
	when     when
	note     string   // a special wish
	words    []string // what was not understood, as written, without filler
	plain    []string // the same, folded and without case endings
	near     bool     // words are only a place: "in Famagusta", "Girne'de"
	all      string   // all of it, folded
}

// hear reads a message. expect is what was asked last: it tells what a lone number is.
func hear(text string, c calendar, expect question) hearing {
	l := newLine(westernDigits(text))
	h := hearing{all: l.whole}
	if isForeign(text) {
		l = newLine(forMarket(text))
		h.all += " " + l.whole
	}
	for flag, re := range map[*bool]*regexp.Regexp{
		&h.greeting: greeting, &h.who: whoAre, &h.help: wantHelp, &h.thanks: thanking, &h.person: toPerson,
		&h.mine: ofMine, &h.cancel: toCancel, &h.booking: aBooking, &h.drop: toDrop, &h.yes: yesOnly, &h.no: noOnly,
		&h.search: toSearch, &h.book: toBook, &h.detail: toDetail, &h.cheapest: cheapest, &h.it: pointing, &h.bye: parting, &h.fine: howAreYou, &h.other: different, &h.data: onMyData, &h.off: offTopic,
	} {
		*flag = l.says(re)
	}
	h.greeting = h.greeting || isForeign(text) && heard("greeting", h.all) && len(strings.Fields(text)) <= 4
	h.open = wantsOpen(l.whole)
	h.fact = (asksFact(l.whole) || l.says(whetherHave)) && !h.open
	h.detail = h.detail || h.fact
	if l.says(special) {
		h.note = clean(text, 200)
	}
	l.take(greeting)
	l.take(cheapest)
	l.take(openNow)
	h.party = takeParty(l)
	h.maxPrice = takePrice(l)
	h.nights = takeNights(l)
	h.when = c.read(l, expect == askDate)
	if h.party == 0 {
		if g, _ := l.take(forSome); g != nil {
			h.party = number(g[1])
		}
	}
	h.takePick(l)
	h.takeNumber(l, expect)
	h.rest(l)
	return h
}

func takePrice(l *line) int64 {
	g, _ := l.take(priceUp)
	if g == nil {
		if g, _ = l.take(priceTo); g == nil {
			return 0
		}
		g[1] += g[2]
	}
	return minor(g[1])
}

var thousands = regexp.MustCompile(`^\d{1,3}(?:[.,]\d{3})+$`)

// minor reads an amount in minor units: "1.500" is 1,500 and "12,5" twelve and a half.
func minor(s string) int64 {
	whole, cents := s, ""
	if thousands.MatchString(s) {
		whole = strings.NewReplacer(".", "", ",", "").Replace(s)
	} else if i := strings.LastIndexAny(s, ".,"); i >= 0 {
		whole, cents = strings.NewReplacer(".", "", ",", "").Replace(s[:i]), (s[i+1:] + "00")[:2]
	}
	if len(whole) > 9 {
		return 0
	}
	return int64(atoi(whole))*100 + int64(atoi(cents))
}

// most people and nights that are taken for what they say
const (
	maxParty  = 500
	maxNights = 365
)

func takeParty(l *line) int {
	total := 0
	for _, re := range []*regexp.Regexp{adults, children} {
		if g, _ := l.take(re); g != nil {
			total += max(number(g[1]), 1) // "a child"
		}
	}
	if total > 0 {
		return min(total, maxParty)
	}
	for _, re := range []*regexp.Regexp{people, groupOf, weAre} {
		if g, _ := l.take(re); g != nil {
			return min(number(g[1]), maxParty)
		}
	}
	if g, _ := l.take(alone); g != nil {
		return 1
	}
	if g, _ := l.take(couple); g != nil {
		return 2
	}
	return 0
}

func takeNights(l *line) int {
	for _, re := range []*regexp.Regexp{stayFor, daysFor} {
		if g, _ := l.take(re); g != nil {
			return min(number(strings.Join(g[1:], "")), maxNights)
		}
	}
	if g, _ := l.take(aWeek); g != nil {
		return 7
	}
	return 0
}

func (h *hearing) takePick(l *line) {
	if g, _ := l.take(numbered); g != nil {
		h.pick = atoi(g[1] + g[2] + g[3])
		return
	}
	if g, _ := l.take(ordinals); g != nil {
		word := g[1] + g[2]
		switch word {
		case "last", "sonuncu":
			h.pick = -1
		case "ilk":
			h.pick = 1
		default:
			h.pick = max(placeIn("ordinals", word), atoi(word[:1]))
		}
	}
}

var loneNumber = regexp.MustCompile(`^(` + numbers + `)$`)

// takeNumber reads a lone number: an hour next to a date or when a time was asked for,
// else whatever it answers.
func (h *hearing) takeNumber(l *line, expect question) {
	plain := l.whole
	if left := contentWords(l); !loneNumber.MatchString(plain) {
		if len(left) != 1 {
			return
		}
		_, plain = l.stem(left[0])
	}
	if !loneNumber.MatchString(plain) {
		return
	}
	l.take(regexp.MustCompile(`\b` + plain + `\b`))
	n, dated := number(plain), !h.when.date.IsZero() || h.when.part != anyTime
	if h.when.clock == nil && n < 24 && expect != askParty && (expect == askTime || dated) {
		h.when.clock = &clock{hour: n, exact: n > 12}
		return
	}
	h.number = n
}

// isWritten tells letters and digits from signs and pictures.
func isWritten(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// contentWords returns the words that are left and mean something.
func contentWords(l *line) []int {
	var out []int
	left := l.left()
	for n, i := range left {
		_, plain := l.stem(i)
		next := ""
		if n+1 < len(left) {
			next = l.plain[left[n+1]]
		}
		if !isFiller(plain, next) && !emptyAbroad(plain) && strings.ContainsFunc(plain, isWritten) {
			out = append(out, i)
		}
	}
	return out
}

// rest keeps the words that say what is looked for.
func (h *hearing) rest(l *line) {
	words := contentWords(l)
	for _, i := range words {
		word, plain := l.stem(i)
		h.words, h.plain = append(h.words, word), append(h.plain, plain)
	}
	if len(words) == 0 {
		return
	}
	if slices.ContainsFunc(h.plain, isThing) {
		return
	}
	first := words[0]
	h.near = first > 0 && slices.Contains([]string{"in", "near", "around", "about"}, l.plain[first-1]) ||
		len(words) == 1 && suffix.MatchString(l.plain[first])
}
