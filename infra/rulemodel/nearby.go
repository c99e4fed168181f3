package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// spot is a place, as a result tells of it.
type spot struct {
	name, address, phone, until string
	meters                      int64
	far                         bool // how far it is is known
	open                        *bool
	onDuty                      bool
}

func parseSpots(data map[string]any) []spot {
	var out []spot
	for _, v := range list(data, "places", maxListings) {
		s := spot{name: str(v, "name"), address: str(v, "address"), phone: str(v, "phone"), until: str(v, "dutyUntil"), meters: num(v, "distanceMeters")}
		_, s.far = v["distanceMeters"].(float64)
		if open, told := v["open"].(bool); told {
			s.open = &open
		}
		s.onDuty, _ = v["onDuty"].(bool)
		out = append(out, s)
	}
	return out
}

// spot is one line about a place.
func (v voice) spot(s spot) string {
	parts := []string{clean(s.name, maxName)}
	if s.far {
		parts = append(parts, distance(s.meters))
	}
	if s.address != "" {
		parts = append(parts, clean(s.address, maxName))
	}
	switch {
	case s.onDuty && s.until != "":
		parts = append(parts, fmt.Sprintf(v["onDuty"], clean(s.until, 20)))
	case s.open != nil && *s.open:
		parts = append(parts, v["open"])
	case s.open != nil:
		parts = append(parts, v["notOpen"])
	}
	if s.phone != "" {
		parts = append(parts, clean(s.phone, 40))
	}
	return strings.Join(parts, " · ")
}

func distance(meters int64) string {
	if meters < 1000 {
		return fmt.Sprintf("%d m", meters)
	}
	return fmt.Sprintf("%.1f km", float64(meters)/1000)
}

func (a *agent) spots(head string, all []spot, tail string) reply {
	return say(strings.TrimSpace(enumerate(head, min(len(all), shownListings), func(i int) string { return a.v.spot(all[i]) }, tail)))
}

// places finds what is near: of the market's own list, else on the map.
func (a *agent) places() reply {
	kind, query := a.sought()
	if kind == "" && query == "" {
		return say(a.v["place"])
	}
	tool, values := "getNearbyPlaces", map[string]any{"category": kind, "limit": shownListings}
	if kind == "" || a.failedFor("getNearbyPlaces", "category") || a.offered[tool] == nil {
		tool, values = "searchLocalPlaces", map[string]any{"query": query, "limit": shownListings}
		if kind != "" {
			values["category"] = kind
		}
	}
	if town := a.around(); town != "" {
		values["near"] = town
	}
	r, done := a.done(tool)
	if !done {
		return a.must(tool, values)
	}
	return a.told(r)
}

// told shows the places that a tool found, or asks from where to look.
func (a *agent) told(r result) reply {
	if f := r.failed; f != nil {
		if f.field == "near" {
			return say(a.v["near"])
		}
		return a.wrong(f)
	}
	all := parseSpots(r.data)
	switch {
	case len(all) == 0:
		return say(a.v["noPlaces"])
	case !all[0].far && r.tool == "findPharmacy":
		return a.spots(a.v["pharmacies"], all, a.v["near"])
	case r.tool == "findPharmacy" && !slices.ContainsFunc(all, func(s spot) bool { return s.onDuty || s.open != nil && *s.open }):
		return a.spots(a.v["pharmacies"], all, a.v["callFirst"])
	case r.tool == "findPharmacy":
		return a.spots(a.v["pharmacies"], all, "")
	}
	return a.spots(a.v["nearby"], all, "")
}

func (a *agent) failedFor(tool, field string) bool {
	r, done := a.done(tool)
	return done && r.failed != nil && r.failed.field == field
}

// sought is the kind of place that is looked for, and its words.
func (a *agent) sought() (kind, query string) {
	for _, t := range slices.Backward(a.said) {
		if t.asked == asksNear {
			continue
		}
		h := newLine(t.text).whole
		name, words := kindOf("map", h)
		if name != "" {
			return name, words
		}
		left := gist(t.text, "nearest", "whereabouts", "here")
		if town := townOf(h); town != "" {
			left = slices.DeleteFunc(left, func(w string) bool { return townOf(newLine(w).whole) != "" })
		}
		if len(left) > 0 {
			return "", clean(strings.Join(left, " "), maxQuery)
		}
	}
	return "", ""
}

// nearCue goes before the name of a place.
var nearCue = regexp.MustCompile(`(?i)(?:^|\s)(?:near|close to|next to|around|κοντά στ(?:ην|η|ον|ο)|рядом с|возле|около|ליד|بالقرب من|قرب)\s+(?:the\s+)?([^,.?!\n]+)`)

// around is where to look: a town or place that was named, "" for where the customer is.
func (a *agent) around() string {
	for _, t := range slices.Backward(a.said) {
		h := newLine(t.text).whole
		if town := townOf(h); town != "" {
			return town
		}
		if t.asked == asksNear && h != "" && !onlyHeard("here", h) {
			return clean(t.text, maxAddress)
		}
		if m := nearCue.FindStringSubmatch(t.text); m != nil && !heard("here", newLine(m[1]).whole) && newLine(m[1]).whole != "me" {
			return clean(m[1], maxAddress)
		}
	}
	return ""
}

// pharmacy finds the pharmacies that serve now, or tonight.
func (a *agent) pharmacy() reply {
	r, done := a.done("findPharmacy")
	if done {
		return a.told(r)
	}
	when := "now"
	for _, t := range a.said {
		h := newLine(t.text).whole
		if heard("on duty", h) && !heard("now", h) {
			when = "tonight"
		}
	}
	values := map[string]any{"when": when}
	if town := a.around(); town != "" {
		values["near"] = town
	}
	return a.must("findPharmacy", values)
}
