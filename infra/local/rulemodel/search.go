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
}

// found is what came of a search.
type found struct {
	listings []listing
	query    string // that found them
	other    bool   // it leaves out part of what the customer asked for
}

// find searches for what the customer asked, in other words too where nothing comes of
// the first. It returns what was found, or what to do next.
func (c *conversation) find(v *voice, asked *search) (found, *reply) {
	if len(c.called("searchMarketplace")) > maxSearches {
		away := say(v.away)
		return found{}, &away
	}
	for _, q := range asked.queries() {
		values := map[string]any{"query": q.text, "limit": shownListings}
		if asked.maxPrice > 0 {
			values["maxPrice"] = asked.maxPrice
		}
		if domain := asked.domain(); domain != "" && strings.Contains(string(c.offered["searchMarketplace"]), domain) {
			values["domain"] = domain
		}
		r, done := c.searchedFor(q.text)
		switch {
		case done && r.failed != nil:
			away := say(v.away)
			return found{}, &away
		case done && len(r.listings) > 0:
			return found{r.listings, q.text, q.other}, nil
		case done:
			continue
		}
		if next := c.call("searchMarketplace", values); next != nil {
			return found{}, next
		}
		cannot := say(v.cannot)
		return found{}, &cannot
	}
	return found{}, nil
}

// searchedFor returns what a query gave in this turn.
func (c *conversation) searchedFor(query string) (result, bool) {
	for _, r := range c.called("searchMarketplace") {
		if r.args["query"] == query {
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
