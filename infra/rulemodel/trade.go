package rulemodel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"merve/internal/words/language"
)

// The tools by which vendors are found for what no listing offers.
const (
	createRequest     = "marketplace_create_request"
	updateRequest     = "marketplace_update_requirements"
	searchVendors     = "marketplace_search_vendors"
	requestSnapshot   = "marketplace_get_request_snapshot"
	proposeOutreach   = "marketplace_propose_outreach"
	proposeAcceptance = "marketplace_propose_acceptance"
	updateState       = "marketplace_update_request_state"
	requestConsent    = "marketplace_request_call_consent"
	revokeConsent     = "marketplace_revoke_call_consent"
)

// ofTrade are the tools whose results are read, in the order in which a turn calls them.
var ofTrade = []string{createRequest, updateRequest, searchVendors, requestSnapshot, proposeOutreach, proposeAcceptance, updateState,
	requestConsent, revokeConsent}

// trade is what is known of the request that a conversation is about.
type trade struct {
	turn
	id       string
	category string
	missing  []string
}

// atMarket reports whether the conversation is about nothing else, or goes on about a request.
func (c *conversation) atMarket() bool {
	if c.offered[createRequest] == nil {
		return false
	}
	if c.offered["searchMarketplace"] == nil || len(c.called(createRequest)) > 0 || len(c.called(updateRequest)) > 0 {
		return true
	}
	t := c.trade()
	h := newLine(c.text).whole
	return t.id != "" && (len(t.missing) > 0 || chooses.MatchString(h) || asksNews.MatchString(h) || callsMe.MatchString(h))
}

// trade reads what is known of the latest request.
func (c *conversation) trade() trade {
	t := trade{turn: turn{conversation: c, v: voiceIn("trade", c.tongue), absent: "canDo"}}
	all := slices.Clone(c.results)
	for _, e := range slices.Backward(c.past) {
		if e.result != nil {
			all = append([]result{*e.result}, all...)
		}
	}
	for _, r := range all {
		if r.failed == nil && (r.tool == createRequest || r.tool == updateRequest) {
			t.id, t.category, t.missing = cmp.Or(str(r.data, "requestId"), str(r.data, "request_id")), str(r.data, "category"), strs(r.data, "missing")
		}
	}
	return t
}

var (
	chooses  = regexp.MustCompile(`\b(first|second|third|fourth|fifth|accept|take|cheapest|kabul|birinci|ikinci|ucuncu|ilki|ilk|en ucuz)\b|^(no\.? ?|number )?[1-9]$`)
	asksNews = regexp.MustCompile(`\b(news|quotes?|offers?|answers?|answered|status|haber|teklifler|teklif|yanit)\b`)
	callsMe  = regexp.MustCompile(`\b(call|calls|phone|ring) me\b|\bbeni (aray|arama)`)
	callsNot = regexp.MustCompile(`\b(not|don.?t|never|nobody|no one|stop)\b|\baramayin\b`)
	revokes  = regexp.MustCompile(`\b(cancel|forget it|not any more|iptal|vazgectim)\b`)
	wants    = regexp.MustCompile(`\b(need|looking for|rent|hire|find me|want|lazim|ariyorum|istiyorum|kiralamak|gerek)\b`)
	budgetOf = regexp.MustCompile(`(?i)(?:budget|butce|bütçe|bütçem|max(?:imum)?|at most|up to|under|en fazla)[^0-9]{0,12}([0-9]{1,7}(?:\.[0-9]{1,2})?)`)
	whenOf   = regexp.MustCompile(`(?i)\b((?:(?:for|on|by|this|next) )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tonight|tomorrow|weekend|pazartesi|salı|çarşamba|perşembe|cuma|cumartesi|pazar|bugün|yarın)\b[^,.;]{0,24}|[0-9]{1,2}[./][0-9]{1,2}(?:[./][0-9]{2,4})?)`)
)

// deal comes to the next step of a turn about a request: a call, or words.
func (c *conversation) deal() reply {
	t := c.trade()
	h := newLine(c.text).whole
	of := map[string]any{"request_id": t.id}
	for _, tool := range slices.Backward(ofTrade) {
		if r, called := t.done(tool); called {
			return t.goOn(r)
		}
	}
	switch {
	case t.id == "" && (wants.MatchString(h) || categoryOf(h) != ""):
		return t.must(createRequest, t.wanted())
	case t.id == "":
		return say(t.v["canDo"])
	case len(t.missing) > 0:
		return t.must(updateRequest, t.answered())
	case callsMe.MatchString(h) && callsNot.MatchString(h):
		return t.must(revokeConsent, of)
	case callsMe.MatchString(h):
		return t.must(requestConsent, map[string]any{"request_id": t.id, "scope": "concierge", "reason": clean(t.text, 200)})
	case revokes.MatchString(h):
		return t.must(updateState, map[string]any{"request_id": t.id, "new_state": "cancelled"})
	case chooses.MatchString(h), asksNews.MatchString(h):
		return t.must(requestSnapshot, of)
	case wants.MatchString(h) || categoryOf(h) != "":
		return t.must(createRequest, t.wanted())
	case c.text != "":
		return t.must(requestSnapshot, of)
	}
	return say(t.v["canDo"])
}

// goOn follows what the latest call of this turn gave.
func (t trade) goOn(r result) reply {
	switch {
	case r.failed != nil:
		return say(fmt.Sprintf(t.v["refused"], clean(r.failed.message, 200)))
	case r.data["success"] == false || r.data["message_sent"] == false:
		return say(fmt.Sprintf(t.v["refused"], clean(str(r.data, "error"), 200)))
	case r.tool == proposeOutreach:
		found, _ := t.done(searchVendors)
		return say(fmt.Sprintf(t.v["found"], len(list(found.data, "vendors", maxListings))))
	case r.tool == proposeAcceptance, r.tool == updateState && r.data["waits_for_client"] == true:
		return say(t.v["proposed"])
	case r.tool == requestSnapshot:
		return t.choose(r)
	case r.tool == searchVendors:
		var ids []any
		for _, v := range list(r.data, "vendors", maxListings) {
			ids = append(ids, str(v, "vendor_id"))
		}
		if len(ids) == 0 {
			return say(t.v["nobody"])
		}
		return t.must(proposeOutreach, map[string]any{"request_id": t.id, "vendor_ids": ids})
	case len(t.missing) > 0 && (r.tool == createRequest || r.tool == updateRequest):
		return say(t.v[map[string]string{"place": "place", "when": "when", "need": "need"}[t.missing[0]]])
	case r.tool == createRequest, r.tool == updateRequest:
		return t.must(searchVendors, map[string]any{"request_id": t.id, "category": t.category, "limit": 5})
	}
	return say(t.v[map[string]string{updateState: "dropped", requestConsent: "callAsked", revokeConsent: "callOff"}[r.tool]])
}

// choose proposes the quote that is meant, or says how the request stands.
func (t trade) choose(r result) reply {
	summary, _ := r.data["vendor_outreach_summary"].(map[string]any)
	asked := list(summary, "outreach", maxListings)
	var quotes []map[string]any
	answered := 0
	for _, o := range asked {
		q, ok := o["quote"].(map[string]any)
		if ok {
			answered++
		}
		if q["acceptable"] == true {
			quotes = append(quotes, o)
		}
	}
	h := newLine(t.text).whole
	switch {
	case !chooses.MatchString(h):
		return say(fmt.Sprintf(t.v["status"], len(asked), answered))
	case len(quotes) == 0:
		return say(t.v["none"])
	}
	n := meant(h, quotes)
	if n < 0 {
		return say(t.v["which"])
	}
	return t.must(proposeAcceptance, map[string]any{"request_id": t.id, "outreach_id": str(quotes[n], "outreach_id")})
}

// meant is which of several quotes a text means; -1 stands for no quote.
func meant(h string, quotes []map[string]any) int {
	for i, o := range quotes {
		if name := newLine(str(o, "vendor_name")).whole; name != "" && strings.Contains(h, name) {
			return i
		}
	}
	ordinals := [][]string{{"first", "1", "birinci", "ilki", "ilk"}, {"second", "2", "ikinci"}, {"third", "3", "ucuncu"}, {"fourth", "4"}, {"fifth", "5"}}
	words := strings.Fields(h)
	for n, names := range ordinals[:min(len(ordinals), len(quotes))] {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) }) {
			return n
		}
	}
	if strings.Contains(h, "cheapest") || strings.Contains(h, "ucuz") {
		return leastPriced(quotes)
	}
	if len(quotes) == 1 {
		return 0
	}
	return -1
}

func leastPriced(quotes []map[string]any) int {
	best, least := -1, 0.0
	first, _ := quotes[0]["quote"].(map[string]any)
	for i, o := range quotes {
		q, _ := o["quote"].(map[string]any)
		if q["currency"] != first["currency"] { // nobody knows which is less
			return -1
		}
		if price, ok := q["price"].(float64); ok && (best < 0 || price < least) {
			best, least = i, price
		}
	}
	return best
}

// wanted is what a new request says.
func (t trade) wanted() map[string]any {
	h := newLine(t.text).whole
	category := categoryOf(h)
	if category == "" {
		words := gist(t.text)
		category = strings.Join(words[:min(len(words), 2)], " ")
	}
	values := t.details(t.text)
	values["category"], values["need"] = clean(category, 80), clean(strings.Trim(budgetOf.ReplaceAllString(t.text, ""), " ,.;\n"), 400) // the budget is no vendor's business
	if category == "" {
		values["category"] = "other"
	}
	return values
}

// answered is what the customer has said to the open question, and besides.
func (t trade) answered() map[string]any {
	values := t.details(t.text)
	if values[t.missing[0]] == nil {
		values[t.missing[0]] = clean(t.text, 200)
	}
	values["request_id"] = t.id
	return values
}

// details are place, time and budget in a text.
func (t trade) details(text string) map[string]any {
	values := map[string]any{}
	if town := townOf(newLine(text).whole); town != "" {
		values["place"] = town
	}
	if m := whenOf.FindStringSubmatch(text); m != nil {
		values["when"] = strings.TrimSpace(m[1])
	}
	if m := budgetOf.FindStringSubmatch(text); m != nil {
		if n, err := strconv.ParseFloat(m[1], 64); err == nil {
			values["budget"] = n
		}
	}
	return values
}

// categoryOf is the kind of vendor that a text asks for; "" for an unknown kind.
func categoryOf(h string) string {
	name, _ := kindOf("vendor", h)
	return name
}

// forVendors reports whether a text asks for a kind of vendor that no listing found is of: what was found shares no
// more than the place with it.
func forVendors(h string, found []listing) bool {
	for _, k := range lexica().heard["vendor"] {
		if k.re.MatchString(h) {
			return !slices.ContainsFunc(found, func(l listing) bool {
				of := newLine(l.name + " " + l.category + " " + l.description).whole
				return k.re.MatchString(of) || strings.Contains(of, k.name)
			})
		}
	}
	return false
}

var (
	priced  = regexp.MustCompile(`(?i)(?:[€$£₺₪]\s?([0-9][0-9.,']*)|([0-9][0-9.,']*)\s?(?:€|\$|£|₺|₪|يورو|ευρώ|евро|eur\b|euros?\b|usd\b|gbp\b|try\b|tl\b|lira\b))`)
	haveNot = regexp.MustCompile(`(?i)\b(sorry|no stock|not available|don'?t have|do not have|cannot|can'?t|unfortunately|yok|maalesef|hayır|dolu|нет|לא|nein|leider|lo siento|désolé|hapana)\b|^\s*(no|لا|όχι)\b`)
	haveIt  = regexp.MustCompile(`(?i)\b(yes|yep|sure|ok|available|have|can do|evet|var|tamam|да|есть|ja|sí|oui|ndiyo)\b|כן|نعم|ναι`)
)

// vendorReply reads a vendor's answer as rules can.
func vendorReply(req request, _ time.Time) any {
	var said struct{ Answer string }
	for _, m := range req.Messages {
		if m.Role == "user" && json.Unmarshal([]byte(m.Content), &said) != nil {
			return nil
		}
	}
	out := map[string]any{"has_stock": nil, "availability": nil, "notes": nil}
	said.Answer = language.Digits(said.Answer)
	switch {
	case haveNot.MatchString(said.Answer):
		out["has_stock"] = false
	case haveIt.MatchString(said.Answer) || priced.MatchString(said.Answer):
		out["has_stock"] = true
	}
	priceless := priced.ReplaceAllString(said.Answer, " ")                                                 // 1.250,00 EUR is no day
	if m := whenOf.FindString(priceless); m != "" && strings.ContainsFunc(said.Answer, unicode.IsLetter) { // 12.50 alone is not a day
		out["availability"] = strings.TrimSpace(m)
	}
	return out
}
