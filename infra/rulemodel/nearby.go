package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// places finds what is near: of the market's own list, else on the map.
func (a *agent) places() reply {
	kind, query := a.sought()
	if kind == "" && query == "" {
		return say(a.v["place"])
	}
	of := tasks[toFind]
	if r, done := a.done(of.tool); kind == "" || done && r.failed != nil && r.failed.field == "category" || a.offered[of.tool] == nil {
		of.tool = "searchLocalPlaces"
	}
	return perform(a, a.turn, of, errandFillers)
}

// soughtKind and soughtWords are the kind of place that is looked for, and its words.
func soughtKind(a *agent, values map[string]any) *reply {
	if kind, _ := a.sought(); kind != "" {
		values["category"] = kind
	}
	return nil
}

func soughtWords(a *agent, values map[string]any) *reply {
	_, values["query"] = a.sought()
	return nil
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

// duty is whether a pharmacy is to serve now, or tonight.
func duty(a *agent, values map[string]any) *reply {
	values["when"] = "now"
	for _, t := range a.said {
		if h := newLine(t.text).whole; heard("on duty", h) && !heard("now", h) {
			values["when"] = "tonight"
		}
	}
	return nil
}

// tellPlaces shows the places that a tool found, or asks from where to look.
func tellPlaces(a *agent, r result) reply {
	all := list(r.data, "places", maxListings)
	if len(all) == 0 {
		return say(a.v["noPlaces"])
	}
	_, far := all[0]["distanceMeters"].(float64)
	head, tail := "nearby", ""
	switch {
	case r.tool != "findPharmacy":
	case !far:
		head, tail = "pharmacies", "near"
	case !slices.ContainsFunc(all, func(m map[string]any) bool { return m["onDuty"] == true || m["open"] == true }):
		head, tail = "pharmacies", "callFirst"
	default:
		head = "pharmacies"
	}
	return say(strings.TrimSpace(enumerate(a.v[head], min(len(all), shownListings), func(i int) string { return a.v.place(all[i]) }, a.v[tail])))
}

// place is one line about a place, as a result tells of it.
func (v voice) place(m map[string]any) string {
	away, open := "", ""
	if _, far := m["distanceMeters"].(float64); far {
		away = distance(num(m, "distanceMeters"))
	}
	switch until := str(m, "dutyUntil"); {
	case m["onDuty"] == true && until != "":
		open = fmt.Sprintf(v["onDuty"], clean(until, 20))
	case m["open"] == true:
		open = v["open"]
	case m["open"] == false:
		open = v["notOpen"]
	}
	parts := beside(away, clean(str(m, "address"), maxName), open, clean(str(m, "phone"), 40))
	return strings.TrimSuffix(clean(str(m, "name"), maxName)+" · "+parts, " · ")
}

func distance(meters int64) string {
	if meters < 1000 {
		return fmt.Sprintf("%d m", meters)
	}
	return fmt.Sprintf("%.1f km", float64(meters)/1000)
}
