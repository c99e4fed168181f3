package rulemodel

import (
	"regexp"
	"slices"
	"strings"
)

// What is asked of one listing, in folded text of English and Turkish.
var (
	whetherOpen = regexp.MustCompile(`\b(?:is|are) (?:it|they|this|that|he|she|[\w' ]{2,40}) (?:still |already |also )?(?:open|closed)\b|\bopening (?:hours|times)\b|\bworking hours\b|\b(?:when|what time) (?:do|does|is|are) [\w' ]{2,40} (?:open|close)\w*|\bhow (?:late|long) (?:is|are) [\w' ]{2,40} open\b|\bacik mi\w*|\bkapali mi\w*|\bkac(?:ta|a kadar) (?:acil|kapan|acik)\w*|\bcalisma saat\w*`)
	whatPrice   = regexp.MustCompile(`\bhow (?:much|expensive)\b|\bwhat (?:does|do|would|will|did) [\w' ]{2,40} cost\b|\b(?:the )?(?:price|cost)s?\b|\bne kadar\b|\bkac (?:para|lira|euro)\b|\bfiyat\w*|\bucret\w*`)
	whereabouts = regexp.MustCompile(`\bwhere (?:is|are) (?:it|they|this|that|the|[\w']+ [\w' ]{2,40})\b|\bwhere's (?:it|that|the)\b|\baddress\b|\bdirections?\b|\bhow (?:do|can|would) (?:i|we) (?:get|go) (?:there|to)\b|\bhow far is\b|\bon (?:the|a) map\b|\blocated\b|\bneresi\b|\bnerede\b|\badres\w*|\byol tarifi\b|\bnasil gid\w*|\bkonumu\b`)
	whatNumber  = regexp.MustCompile(`\b(?:phone|telephone|contact)(?: number| details)?\b|\b(?:call|ring|phone) (?:them|it|the|there)\b|\btelefon\w*|\bonlari ara\w*`)
	whetherHave = regexp.MustCompile(`^(?:do|does|did|can|could|will|would) (?:they|it|there)\b|^(?:is|are) (?:there|they|it)\b|\b(?:allowed|welcome there)\b|^can (?:i|we) (?:bring|pay|park|smoke|come)\b`)
)

// asksFact reports whether a folded message asks something of one listing.
func asksFact(h string) bool {
	return slices.ContainsFunc([]*regexp.Regexp{whetherOpen, whatPrice, whereabouts, whatNumber}, func(re *regexp.Regexp) bool { return re.MatchString(h) })
}

// anyOpen tells that what is open is looked for, rather than whether something is.
var anyOpen = regexp.MustCompile(`\b(?:any\w*|there|some\w*|what|which|find|show|var mi)\b`)

// wantsOpen reports whether only what is open now is looked for.
func wantsOpen(h string) bool {
	return openNow.MatchString(h) && (!whetherOpen.MatchString(h) || anyOpen.MatchString(h))
}

// facts answers, line by line, what a folded message asks of a listing; what it cannot know,
// the business can be asked.
func (v voice) facts(l listing, h string) []string {
	var out []string
	if whetherOpen.MatchString(h) {
		state := v["notOpen"]
		if l.open != nil && *l.open {
			state = v["open"]
		}
		if hours := v.week(l.hours); l.open != nil && hours != "" {
			out = append(out, state+" · "+hours)
		} else if l.open != nil {
			out = append(out, state)
		}
	}
	if whatPrice.MatchString(h) {
		priced := 0
		for _, o := range l.offerings[:min(len(l.offerings), shownListings)] {
			if price := o.price.String(); price != "" {
				out, priced = append(out, "• "+clean(o.name, maxName)+" · "+price), priced+1
			}
		}
		if priced == 0 && l.from.String() == "" {
			out = append(out, v["noPrice"])
		}
	}
	if where := l.address; whereabouts.MatchString(h) && where != "" {
		out = append(out, clean(where, maxAddress))
	} else if whereabouts.MatchString(h) && l.place != "" {
		out = append(out, l.place)
	}
	if whatNumber.MatchString(h) || whetherHave.MatchString(h) && len(out) == 0 {
		out = append(out, v["askThem"])
	}
	return out
}

// week puts opening hours into one line, "" for none or where the days have no names.
func (v voice) week(all []hours) string {
	days := strings.Fields(v["weekdays"])
	var open []string
	for _, h := range all {
		if len(days) < 7 {
			return ""
		}
		name := days[h.first]
		if h.last > h.first {
			name += "–" + days[h.last]
		}
		open = append(open, name+" "+h.spans)
	}
	return strings.Join(open, "; ")
}

// fact answers what is asked in the middle of an errand, and asks again what was open.
func (a *agent) fact() reply {
	l := a.spokenOf(a.aside)
	r, done := a.done("getListing")
	switch {
	case !done:
		return a.must("getListing", map[string]any{"listingId": l.id})
	case r.failed != nil:
		return a.wrong(r.failed)
	}
	h := newLine(a.aside.text).whole
	lines := append([]string{a.v.brief(r.listings[0])}, a.v.facts(r.listings[0], h)...)
	if q, phrase := a.v.asks("errand", a.aside.shown); q != asksNothing {
		lines = append(lines, phrase)
	}
	return say(strings.Join(lines, "\n"))
}

// spokenOf is the listing that a question in the middle of an errand is about, nil for none.
func (e *errand) spokenOf(t *told) *listing {
	if len(e.shops) > 0 {
		if l := e.pick(*t); l != nil {
			return l
		}
	}
	for _, said := range slices.Backward(e.said) {
		if l := e.pick(said); said.asked == asksWhich && l != nil {
			return l
		}
	}
	if len(e.shops) == 1 && e.near == nil {
		return &e.shops[0]
	}
	return e.near
}
