// Package place keeps a market's curated places (pharmacies, beaches, sights …), finds the
// nearest of them, and has the tools a model calls to look for places, on the map too.
//
//	market#{market}              place#{id}          the place  (table catalog)
//	places#{market}              {geohash}#{id}      a copy, to be found by where it is
//	places#{market}#{category}   {geohash}#{id}      the same among places of its category
//
// The copies change in the same transaction as the place. Put and Delete cost 2 requests, Get
// costs 1; Import as many as it says. Nearest costs 1 to 4 while there are no more than a hundred
// of a kind within its radius, and [maxRequests] at most. The search by words runs on the market's
// places in memory, made from one query (one request for each megabyte) and kept for a minute.
package place

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/pattern"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
)

// Place is a place to find; it cannot be booked here.
type Place struct {
	ID           string                     `dynamodbav:"id" json:"id"`
	Market       string                     `dynamodbav:"market" json:"marketId"`
	Names        map[string]string          `dynamodbav:"names" json:"names"` // by language
	Descriptions map[string]string          `dynamodbav:"descriptions,omitempty" json:"descriptions,omitempty"`
	Category     string                     `dynamodbav:"category" json:"category"` // pharmacy, gas_station: Mapbox's canonical id, if it has one
	Address      string                     `dynamodbav:"address,omitempty" json:"address,omitempty"`
	District     string                     `dynamodbav:"district,omitempty" json:"district,omitempty"` // a town or a part of one
	Phone        string                     `dynamodbav:"phone,omitempty" json:"phone,omitempty"`       // E.164
	Location     geo.Location               `dynamodbav:"location" json:"location"`
	Hours        map[string][]schedule.Span `dynamodbav:"hours,omitempty" json:"hours,omitempty"` // by weekday: mon, tue, …; unknown when empty
	OnDuty       []string                   `dynamodbav:"onDuty,omitempty" json:"onDuty,omitempty"`
	DutyWeekdays []string                   `dynamodbav:"dutyWeekdays,omitempty" json:"dutyWeekdays,omitempty"`
	Duty         *schedule.Span             `dynamodbav:"duty,omitempty" json:"duty,omitempty"`
	Tags         []string                   `dynamodbav:"tags,omitempty" json:"tags,omitempty"`
	Image        string                     `dynamodbav:"image,omitempty" json:"image,omitempty"`
	Version      int                        `dynamodbav:"version,omitempty" json:"version,omitempty"` // counts its changes
}

// Pharmacy is the category of places that take turns at night: OnDuty are the dates
// (YYYY-MM-DD) and DutyWeekdays the weekdays of a place's turns, and Duty their time of day,
// 08:00 to 08:00 of the next day when nil. All are in the market's time zone.
const Pharmacy = "pharmacy"

// Name returns the place's name in a language, else in whatever it has.
func (p *Place) Name(lang string) string { return inLanguage(p.Names, lang) }

// Description returns the place's description, choosing the language as Name does.
func (p *Place) Description(lang string) string { return inLanguage(p.Descriptions, lang) }

func inLanguage(texts map[string]string, lang string) string {
	for _, tag := range append([]string{lang, "en"}, slices.Sorted(maps.Keys(texts))...) {
		if t := texts[tag]; t != "" {
			return t
		}
	}
	return ""
}

// How long a place's texts may be, in characters.
const (
	maxName        = 120
	maxDescription = 600
	maxAddress     = 200
	maxTags        = 20
	maxTag         = 40
	maxDates       = 400 // a year of duties, and the rest of the previous one
)

var (
	legalCategory = pattern.New(`^[a-z][a-z0-9_]{0,39}$`)
	legalPhone    = pattern.New(`^\+[1-9][0-9]{5,14}$`)
)

// Check returns an error that names the first field that is wrong.
func (p *Place) Check() error {
	for _, f := range []struct{ name, value string }{{"id", p.ID}, {"marketId", p.Market}} {
		if f.value == "" || len(f.value) > 80 || strings.ContainsAny(f.value, "#\x00") {
			return fault.Field(f.name, "want 1 to 80 characters without #")
		}
	}
	switch {
	case p.Name("en") == "":
		return fault.Field("names", "want a name in at least one language")
	case !legalCategory.MatchString(p.Category):
		return fault.Field("category", "want small letters, digits and _, such as gas_station")
	case p.Phone != "" && !legalPhone.MatchString(p.Phone):
		return fault.Field("phone", "want E.164, such as +15550100123")
	case !geo.OnEarth(p.Location.Lat, p.Location.Lng):
		return fault.Field("location", "want lat within ±90 and lng within ±180 degrees")
	case p.Image != "" && !isURL(p.Image):
		return fault.Field("image", "want an address that begins with https://")
	}
	if err := p.checkTexts(); err != nil {
		return err
	}
	return p.checkTimes()
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && len(s) <= 1000 && u.Scheme == "https" && u.Host != ""
}

func (p *Place) checkTexts() error {
	for _, f := range []struct {
		name  string
		texts map[string]string
		max   int
	}{{"names", p.Names, maxName}, {"descriptions", p.Descriptions, maxDescription}} {
		for lang, text := range f.texts {
			if tag, ok := language.Normalize(lang); !ok || tag != lang {
				return fault.Field(f.name, "want languages out of %v, not %q", language.Supported(), lang)
			}
			if !short(text, f.max) {
				return fault.Field(f.name+"."+lang, "at most %d characters", f.max)
			}
		}
	}
	for _, f := range []struct {
		name, text string
		max        int
	}{{"address", p.Address, maxAddress}, {"district", p.District, maxName}, {"location.address", p.Location.Address, maxAddress}} {
		if !short(f.text, f.max) {
			return fault.Field(f.name, "at most %d characters", f.max)
		}
	}
	if len(p.Tags) > maxTags || slices.ContainsFunc(p.Tags, func(t string) bool { return t == "" || !short(t, maxTag) }) {
		return fault.Field("tags", "at most %d, of 1 to %d characters", maxTags, maxTag)
	}
	return nil
}

func short(s string, max int) bool { return utf8.ValidString(s) && utf8.RuneCountInString(s) <= max }

func (p *Place) checkTimes() error {
	for day, spans := range p.Hours {
		if !slices.Contains(weekdays(), day) {
			return fault.Field("hours", "want one of %v, not %q", weekdays(), day)
		}
		for _, s := range spans {
			if _, _, ok := minutes(s); !ok || s.From == s.To {
				return fault.Field("hours."+day, "want spans of HH:MM, not %q to %q", s.From, s.To)
			}
		}
		if len(spans) > 10 {
			return fault.Field("hours."+day, "at most 10 spans")
		}
	}
	if p.Category != Pharmacy && (len(p.OnDuty) > 0 || len(p.DutyWeekdays) > 0 || p.Duty != nil) {
		return fault.Field("onDuty", "is for the category %s", Pharmacy)
	}
	if len(p.OnDuty) > maxDates {
		return fault.Field("onDuty", "at most %d dates", maxDates)
	}
	for _, d := range p.OnDuty {
		if _, err := time.Parse(time.DateOnly, d); err != nil {
			return fault.Field("onDuty", "want dates as YYYY-MM-DD, not %q", d)
		}
	}
	for _, d := range p.DutyWeekdays {
		if !slices.Contains(weekdays(), d) {
			return fault.Field("dutyWeekdays", "want some of %v, not %q", weekdays(), d)
		}
	}
	if _, _, ok := minutes(p.duty()); !ok {
		return fault.Field("duty", "want HH:MM to HH:MM, not %q to %q", p.Duty.From, p.Duty.To)
	}
	return nil
}

// CheckAll checks places that are to be stored together. The error says which of them is
// wrong, and where.
func CheckAll(market string, all []*Place) error {
	seen := map[string]bool{}
	for i, p := range all {
		err := p.Check()
		switch {
		case err != nil:
		case p.Market != market:
			err = fault.Field("marketId", "want %s", market)
		case seen[p.ID]:
			err = fault.Field("id", "%q is used twice", p.ID)
		}
		if err != nil {
			return fmt.Errorf("places[%d]: %w", i, err)
		}
		seen[p.ID] = true
	}
	return nil
}
