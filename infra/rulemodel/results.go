package rulemodel

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// listing is what a result says of one listing.
type listing struct {
	id, name, domain, category, place, description string
	from                                           money
	offerings                                      []offering
	actions                                        []string // what can be done there, where it is told
	address                                        string
	open                                           *bool   // now, where it is told
	hours                                          []hours // of the house, not of what it offers
	detailed                                       bool    // told by getListing
	brief                                          bool    // no more than its name is remembered
}

// offering is one thing that a listing offers.
type offering struct {
	id, name, unit, per string
	price               money
	most                int // people; 0 where it is not said
	hours               []hours
	free                []slot
}

// hours are the opening hours of days that follow each other, from Monday on.
type hours struct {
	first, last int // 0 is Monday
	spans       string
}

// stay reports whether the offering is taken by the night or day, not by the hour.
func (o offering) stay() bool { return o.unit == "night" || o.unit == "day" }

// money is an amount in minor units; no currency, no amount.
type money struct {
	minor    int64
	currency string
}

// slot is a time that can be had: a date, and a time of day or a day of departure.
type slot struct{ date, clock, end string }

type booking struct {
	id, code, summary, status string
	listing                   string
	slot                      slot
	party                     int
}

// failure is what went wrong with a call.
type failure struct {
	kind, field, message string
	reason               string // why a time cannot be had
	alternatives         []slot
}

// result is one tool result, in the fields that are known. Everything in it is data.
type result struct {
	tool     string
	args     map[string]any // of the call
	failed   *failure
	status   string
	listings []listing
	similar  bool // listings are not quite what was searched for
	bookings []booking

	data map[string]any // all of it

	report           report // what it is about
	reports          []report
	url, code, until string
}

// bounds on what is taken from a result
const (
	maxListings = 50
	maxSlots    = 12
)

// parseResult reads the JSON of a tool's result. What cannot be read is a failure.
func parseResult(tool, text string) result {
	r := result{tool: tool}
	if inner, ok := blocks(text)[tool]; ok {
		text = inner
	}
	var v any
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&v); err != nil {
		r.failed = &failure{kind: "internal"}
		return r
	}
	m, ok := v.(map[string]any)
	if !ok {
		r.failed = &failure{kind: "internal"}
		return r
	}
	if e, ok := m["error"]; ok {
		r.failed = parseFailure(e)
		return r
	}
	r.status, r.data = str(m, "status"), m
	switch tool {
	case "searchMarketplace":
		for _, v := range list(m, "listings", maxListings) {
			if l := parseListing(v); l.id != "" {
				r.listings = append(r.listings, l)
			}
		}
		r.similar = str(m, "note") != "" && len(r.listings) > 0
	case "getListing":
		if inner, ok := m["listing"].(map[string]any); ok {
			m = inner
		}
		l := parseListing(m)
		l.detailed = !l.brief
		r.listings = []listing{l}
	case "getMyBookings":
		for _, v := range list(m, "bookings", maxListings) {
			r.bookings = append(r.bookings, parseOwn(v))
		}
	default:
		r.readDesk(m)
	}
	return r
}

func parseFailure(v any) *failure {
	m, ok := v.(map[string]any)
	if !ok {
		return &failure{kind: "internal"}
	}
	f := &failure{kind: str(m, "kind"), field: str(m, "field"), message: str(m, "message"), reason: str(m, "reason")}
	for _, v := range list(m, "alternatives", maxSlots) {
		if s, ok := parseSlot(v); ok {
			f.alternatives = append(f.alternatives, s)
		}
	}
	return f
}

// moneyIn is an amount of a result.
func moneyIn(m map[string]any, key string) money {
	p, _ := m[key].(map[string]any)
	return money{num(p, "amount"), str(p, "currency")}
}

func parseListing(m map[string]any) listing {
	l := listing{id: str(m, "id"), name: str(m, "name"), domain: str(m, "domain"), category: str(m, "category"),
		place: str(m, "place"), description: str(m, "description"), address: str(m, "address")}
	if open, told := m["openNow"].(bool); told {
		l.open = &open
	}
	week, _ := m["openingHours"].(map[string]any)
	l.hours = parseHours(week)
	l.actions = strs(m, "actions")
	if p, ok := m["place"].(map[string]any); ok {
		l.place = str(p, "name")
	}
	l.from = moneyIn(m, "priceFrom")
	l.brief = l.domain == "" && l.category == ""
	for _, v := range list(m, "offerings", maxListings) {
		l.offerings = append(l.offerings, parseOffering(v))
	}
	if names, ok := m["offerings"].(map[string]any); ok { // as later turns remember them
		for _, id := range slices.Sorted(maps.Keys(names))[:min(len(names), maxListings)] {
			l.offerings = append(l.offerings, offering{id: clean(id, 100), name: str(names, id)})
		}
	}
	return l
}

func parseOffering(m map[string]any) offering {
	o := offering{id: str(m, "id"), name: str(m, "name"), unit: strings.ToLower(str(m, "unit")), per: str(m, "per"),
		price: money{num(m, "priceMinor"), str(m, "currency")}, most: int(min(num(m, "maxParty"), maxParty))}
	week, _ := m["openingHours"].(map[string]any)
	o.hours = parseHours(week)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		lower := strings.ToLower(key)
		if len(o.free) == 0 && (strings.Contains(lower, "free") || strings.Contains(lower, "slot")) {
			o.free = parseSlots(m[key])
		}
	}
	return o
}

func parseSlots(v any) []slot {
	items, ok := v.([]any)
	if !ok {
		return nil
	}
	var out []slot
	for _, item := range items[:min(len(items), maxSlots)] {
		if s, ok := parseSlot(item); ok {
			out = append(out, s)
		}
	}
	return out
}

// parseHours reads opening hours by weekday and puts days together that have the same.
func parseHours(week map[string]any) []hours {
	var out []hours
	for i, day := range []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		var spans []string
		for _, v := range list(week, day, 4) {
			spans = append(spans, clean(str(v, "from"), 5)+"–"+clean(str(v, "to"), 5))
		}
		text := strings.Join(spans, ", ")
		switch last := len(out) - 1; {
		case text == "":
		case last >= 0 && out[last].last == i-1 && out[last].spans == text:
			out[last].last = i
		default:
			out = append(out, hours{i, i, text})
		}
	}
	return out
}

var moment = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?`)

// parseSlot reads {"date","time"}, {"date","endDate"}, or a time such as 2026-11-21T19:30.
func parseSlot(v any) (slot, bool) {
	switch v := v.(type) {
	case string:
		if m := moment.FindStringSubmatch(v); m != nil {
			return slot{date: m[1], clock: m[2]}, true
		}
	case map[string]any:
		date := str(v, "date")
		if date == "" {
			return parseSlot(str(v, "start"))
		}
		s, ok := parseSlot(strings.TrimSpace(date + " " + str(v, "time")))
		if m := moment.FindStringSubmatch(str(v, "endDate")); m != nil {
			s.end = m[1]
		}
		return s, ok
	}
	return slot{}, false
}

func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return clean(s, 400)
}

func num(m map[string]any, key string) int64 {
	f, _ := m[key].(float64)
	if f < 0 || f > 1e12 {
		return 0
	}
	return int64(f)
}

// list returns the objects of an array, at most most.
func list(m map[string]any, key string, most int) []map[string]any {
	items, _ := m[key].([]any)
	var out []map[string]any
	for _, v := range items[:min(len(items), most)] {
		if o, ok := v.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

var (
	dataBlock = regexp.MustCompile(`(?s)<data tool="([A-Za-z0-9_.-]{1,64})"[^>]*>(.*?)</data>`)
	dataTail  = regexp.MustCompile(`(?s)<data tool=".*`) // prompts speak of <data>, too
)

// blocks returns the content of the data blocks in text, by tool; the last of a tool wins.
func blocks(text string) map[string]string {
	out := map[string]string{}
	for _, m := range dataBlock.FindAllStringSubmatch(text, -1) {
		out[strings.ReplaceAll(m[1], ".", "_")] = m[2] // as models call it
	}
	return out
}

// outside returns text without its data blocks, an unfinished one included.
func outside(text string) string {
	return dataTail.ReplaceAllString(dataBlock.ReplaceAllString(text, " "), "")
}
