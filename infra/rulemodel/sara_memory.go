package rulemodel

import (
	"slices"
	"strings"

	"merve/internal/words/language"
)

// intake is what the rules know of reports in the making. It is rebuilt for each
// request, by hearing the conversation from its beginning.
type intake struct {
	ear    ear
	asked  question // what the customer was asked last
	places []string // listed with it
	report string   // id of the one that we are at: the last that a call was about

	// What was told and is on no report yet.
	told     []section
	photos   []string
	noPhotos bool
	before   saying // what the question was about
}

// recall replays the past.
func (c *conversation) recall(e ear) *intake {
	i := &intake{ear: e}
	for _, past := range c.past {
		switch {
		case past.result != nil:
			i.learn(*past.result)
		case past.said != "":
			i.overhear(past.said)
		default:
			i.hear(past.user)
		}
	}
	return i
}

// learn reads the result of a call.
func (i *intake) learn(r result) {
	if r.failed != nil || r.report.id == "" || !slices.Contains(ofReports, r.tool) {
		return
	}
	i.report = r.report.id
	switch r.tool {
	case "start_damage_report":
		i.told, i.photos, i.noPhotos = nil, nil, false
	case "update_damage_report_section":
		i.told = nil
	case "update_report_photos":
		i.photos, i.noPhotos = nil, false
	case "delete_report":
		i.report = ""
	}
}

// overhear reads what the assistant itself said: what it asked, and the places it listed.
func (i *intake) overhear(said string) {
	asked := askedFor("desk", said)
	if asked == asksNothing {
		return
	}
	i.asked, i.places = asked, nil
	for _, m := range alternativeLine.FindAllStringSubmatch(said, shownReports) {
		i.places = append(i.places, m[1])
	}
}

// hear reads a message of the customer and tells what it says.
func (i *intake) hear(text string) saying {
	s := i.ear.listen(text, i.asked)
	switch {
	case i.asked == deskAsksWhich && i.resumes(s):
		s = i.resumed(s)
	case i.asked == deskAsksWhere && s.aim == aimTell:
		s = i.located(s)
	case s.aim == aimMove:
		s.place = i.moved(s)
	case s.aim == aimTell && i.asked == deskAsksWhen:
		s.sections = file(s.sections, section{"occurredAt", s.text})
	case s.aim == aimTell && i.asked == deskAsksWhat:
		s.sections = file(s.sections, section{"description", s.text})
	case s.aim == aimTell && i.asked == deskAsksPhotos && s.no:
		s.noPhotos = true
	}
	if s.aim == aimLater {
		i.told, i.photos, i.noPhotos = nil, nil, false
	}
	i.keep(s)
	i.asked = asksNothing
	return s
}

// keep remembers what is to go on a report.
func (i *intake) keep(s saying) {
	i.before = s
	for _, p := range s.photos {
		if !slices.Contains(i.photos, p) {
			i.photos = append(i.photos, p)
		}
	}
	if s.aim == aimTell {
		for _, t := range s.sections {
			i.told = file(i.told, t)
		}
		i.noPhotos = s.noPhotos || i.noPhotos && len(s.photos) == 0
	}
}

// resumes reports whether a message says which report was meant before.
func (i *intake) resumes(s saying) bool {
	return s.pick != 0 || s.fresh && s.aim == aimTell || s.aim == aimUnclear && s.folded != "" && !s.no || s.aim == aimTell && !s.damage && len(s.photos) == 0
}

// resumed is what was said before, with the report that was meant.
func (i *intake) resumed(s saying) saying {
	again := i.before
	again.pick, again.fresh, again.folded, again.photos = s.pick, s.fresh && s.pick == 0, s.folded, nil
	again.sections, again.lost, again.danger = nil, "", false // they are kept already
	return again
}

// located reads a message as the place of the damage, unless it tells more of it.
func (i *intake) located(s saying) saying {
	numbered := strings.ContainsAny(language.Fold(s.text), digits)
	switch {
	case s.place != "":
	case s.text == "", !numbered && (s.damage || len(s.photos) > 0 || s.noPhotos || s.fresh):
	default:
		s.place, s.sections, s.damage = s.text, nil, false
	}
	s.fresh = true
	return s
}

// moved is the address that a report is to have now, "" where it has to be asked.
func (i *intake) moved(s saying) string {
	switch i.asked {
	case deskAsksPlace:
		if n, ok := index(s.pick, len(i.places)); ok {
			return i.places[n]
		}
		for _, p := range i.places {
			if strings.Contains(newLine(p).whole, s.folded) {
				return p
			}
		}
		return s.text
	case deskAsksAddress:
		return s.text
	}
	return i.ear.newPlace(s)
}
