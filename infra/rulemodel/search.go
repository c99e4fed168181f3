package rulemodel

import (
	"slices"
	"strings"
)

// search is what to look for.
type search struct {
	said         string // the whole message, folded
	words, plain []string
	maxPrice     int64
	open         bool // now
	detail       bool // more is to be told of it
}

// found is what came of a search.
type found struct {
	listings []listing
	query    string // that found them
	other    bool   // they are not quite what the customer asked for
	beyond   bool   // they are not within the price, or not open now
}

// find searches for what the customer asked, in other words too where nothing comes of
// the first, then without regard to price and hours; what is no more than similar comes last.
// It returns what was found, or what to do next.
func (b booker) find(asked *search) (found, *reply) {
	if len(b.called("searchMarketplace")) > maxSearches {
		return found{}, put(b.v["away"])
	}
	var similar *found
	limited := asked.limited(string(b.offered["searchMarketplace"]))
	for _, beyond := range []bool{false, true} {
		if beyond && !limited {
			break
		}
		for _, q := range asked.queries() {
			values := asked.arguments(q.text, beyond)
			if domain := asked.domain(); domain != "" && strings.Contains(string(b.offered["searchMarketplace"]), domain) {
				values["domain"] = domain
			}
			r, done := b.searchedFor(q.text, beyond || !limited)
			switch {
			case done && r.failed != nil:
				return found{}, put(b.v["away"])
			case done && r.similar && similar == nil:
				similar = &found{r.listings, q.text, true, beyond}
				continue
			case done && len(r.listings) > 0 && !r.similar:
				return found{r.listings, q.text, q.other || elsewhere(asked, r.listings), beyond}, nil
			case done:
				continue
			}
			if next := b.call("searchMarketplace", values); next != nil {
				return found{}, next
			}
			return found{}, put(b.v["cannot"])
		}
	}
	if similar != nil {
		return *similar, nil
	}
	return found{}, nil
}

// elsewhere reports whether a town was asked for that none of the listings is known to be in.
func elsewhere(asked *search, ls []listing) bool {
	town := townOf(newLine(asked.wanted()).whole)
	return town != "" && !slices.ContainsFunc(ls, func(l listing) bool { return l.place == "" || townOf(newLine(l.place).whole) == town })
}

// limited reports whether price or hours matter to a search with that schema.
func (s *search) limited(schema string) bool {
	return s.maxPrice > 0 && strings.Contains(schema, "maxPrice") || s.open && strings.Contains(schema, "openNow")
}

// arguments are those of searchMarketplace; beyond leaves out the limits.
func (s *search) arguments(query string, beyond bool) map[string]any {
	values := map[string]any{"query": query, "limit": shownListings}
	if s.maxPrice > 0 && !beyond {
		values["maxPrice"] = s.maxPrice
	}
	if s.open && !beyond {
		values["openNow"] = true
	}
	return values
}

// searchedFor returns what a query gave in this turn, with or without limits.
func (b booker) searchedFor(query string, free bool) (result, bool) {
	for _, r := range b.called("searchMarketplace") {
		if r.args["query"] == query && free == (r.args["maxPrice"] == nil && r.args["openNow"] == nil) {
			return r, true
		}
	}
	return result{}, false
}

const (
	maxQuery    = 120 // characters of a query
	maxSearches = 8   // of one turn
)

// query is one way to say what is looked for. An other one leaves something out.
type query struct {
	text  string
	other bool
}

// queries are the ways to say what is looked for: in the catalogue's words, in the
// customer's own, and the thing alone, wherever it is.
func (s *search) queries() []query {
	out := add(nil, query{translated(s.words, s.plain), false})
	out = add(out, query{s.wanted(), false})
	for i, p := range s.plain {
		if isThing(p) {
			return add(out, query{translated(s.words[i:i+1], s.plain[i:i+1]), true})
		}
	}
	return out
}

// domain is the marketplace's word for the kind of thing looked for; "" if it may be of
// several.
func (s *search) domain() string {
	domain := ""
	for _, p := range s.plain {
		switch d := domainOf(p); {
		case d == "":
		case domain != "" && d != domain:
			return ""
		default:
			domain = d
		}
	}
	return domain
}

func add(queries []query, q query) []query {
	q.text = clean(q.text, maxQuery)
	if q.text == "" || slices.ContainsFunc(queries, func(o query) bool { return o.text == q.text }) {
		return queries
	}
	return append(queries, q)
}

// wanted is what is looked for, in the customer's words.
func (s *search) wanted() string { return clean(strings.Join(s.words, " "), maxQuery) }
