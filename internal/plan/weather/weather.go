// Package weather tells the weather at a place that somebody names in their own words: "Kyrenia", "Girne, Cyprus",
// "how warm will it be in Tel Aviv tomorrow?".
//
// It uses no model. It strips the question of the words that are no part of a name, in the ten languages of
// [merve/internal/words/language], and looks up the rest. If several places share the name, those in the country or
// region named with it come first, and then the one with the most people. All weather comes from the [Source]:
// without an answer there is an error, never a guess.
package weather

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"merve/internal/base/fault"
)

// Location is a place as the source knows it.
type Location struct {
	Name        string
	Region      string // the division of its country
	Country     string
	CountryCode string // ISO 3166-1 alpha-2
	Kind        string // GeoNames feature code: PPL… is a town, PCL… a country, ADM… a region; "" is a town
	Lat, Lng    float64
	Population  int // 0 where nobody knows
}

// Forecast is what the source tells of a location. A figure that it does not have is nil.
type Forecast struct {
	At          time.Time // of the current figures, in the place's own zone; zero where it is not told
	Temperature *float64  // °C
	Wind        *float64  // km/h
	Code        *int      // WMO 4677, as in [Sky]
	Days        []Day     // from today on
}

// Day is the forecast of one day. A figure that the source does not have is nil.
type Day struct {
	Date     string   `json:"date"` // 2006-01-02, at the place
	Min      *float64 `json:"minC,omitempty"`
	Max      *float64 `json:"maxC,omitempty"`
	Rain     *int     `json:"rainPercent,omitempty"` // probability of any
	Code     *int     `json:"code,omitempty"`
	Sky      string   `json:"sky,omitempty"`
	Relation string   `json:"relation,omitempty"` // "today" or "tomorrow", at the place
}

// Source finds places and tells their weather. Its errors have kinds, and say which of the two failed.
type Source interface {
	// Search returns the places of a name, none when there are none. Names are in the language, where they
	// have one in it.
	Search(ctx context.Context, name, language string) ([]Location, error)

	Forecast(ctx context.Context, at Location) (Forecast, error)
}

// Report is the weather at a place: as it is, and on the day that was asked for.
type Report struct {
	Place       string  `json:"place"`
	Region      string  `json:"region,omitempty"`
	Country     string  `json:"country,omitempty"`
	CountryCode string  `json:"countryCode,omitempty"`
	Lat         float64 `json:"lat"`
	Lng         float64 `json:"lng"`

	At          time.Time `json:"at,omitzero"`
	Temperature float64   `json:"temperatureC"`
	Wind        *float64  `json:"windKmh,omitempty"`
	Code        *int      `json:"code,omitempty"`
	Sky         string    `json:"sky,omitempty"`

	Day Day `json:"day"`
}

// Teller answers questions about the weather.
type Teller struct {
	Source  Source
	Timeout time.Duration // of one answer, all its requests together; 0 is 3 s
}

const (
	defaultTimeout = 3 * time.Second

	// MaxQuestion bounds a question, in characters.
	MaxQuestion = 256
)

// Tell answers a question. The language is the asker's: places are looked up in it, and named in it.
//
// A question without a place, or about a day that nobody can tell, is [fault.Invalid]; a place that nobody
// knows is [fault.NotFound]; a source that does not answer in time is [fault.Unavailable].
func (t *Teller) Tell(ctx context.Context, text, language string) (Report, error) {
	q, err := read(text)
	if err != nil {
		return Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(t.Timeout, defaultTimeout))
	defer cancel()
	place, err := t.find(ctx, q, language)
	if err != nil {
		return Report{}, err
	}
	forecast, err := t.Source.Forecast(ctx, place)
	if err != nil {
		return Report{}, fmt.Errorf("forecast of %s: %w", place.Name, err)
	}
	return report(place, forecast, q.day)
}

// report puts together what is known. Without a temperature there is no weather to tell.
func report(place Location, f Forecast, asked day) (Report, error) {
	if f.Temperature == nil {
		return Report{}, fault.New(fault.Unavailable, "the weather service has no temperature for %s", place.Name)
	}
	on, err := asked.of(f)
	if err != nil {
		return Report{}, err
	}
	r := Report{
		Place: place.Name, Region: place.Region, Country: place.Country, CountryCode: place.CountryCode, Lat: place.Lat, Lng: place.Lng,
		At: f.At, Temperature: *f.Temperature, Wind: f.Wind, Code: f.Code, Day: on,
	}
	r.Sky = skyOf(f.Code)
	r.Day.Sky = skyOf(on.Code)
	return r, nil
}

// String is the report as one English sentence.
func (r Report) String() string {
	s := "It is now " + degrees(r.Temperature)
	if r.Sky != "" {
		s += " with " + r.Sky
	}
	if r.Wind != nil {
		s += fmt.Sprintf(" and wind of %s km/h", figure(*r.Wind))
	}
	s += " in " + r.Place
	if r.Country != "" && r.Country != r.Place {
		s += ", " + r.Country
	}
	return s + r.Day.clause() + "."
}

// clause says what is known of a day, "" when it is nothing.
func (d Day) clause() string {
	said := ""
	if d.Sky != "" {
		said = " " + d.Sky + ","
	}
	if d.Min != nil && d.Max != nil {
		said += fmt.Sprintf(" %s to %s,", figure(*d.Min), degrees(*d.Max))
	}
	if d.Rain != nil {
		said += fmt.Sprintf(" %d %% chance of rain,", *d.Rain)
	}
	if said == "" {
		return ""
	}
	return "; " + d.name() + ":" + said[:len(said)-1]
}

// name calls the day what people call it.
func (d Day) name() string {
	name := d.Date
	if date, err := time.Parse(time.DateOnly, d.Date); err == nil {
		name = date.Format("Monday 2 January 2006")
	}
	if d.Relation != "" {
		return d.Relation + ", " + name
	}
	return "on " + name
}

func degrees(celsius float64) string { return figure(celsius) + " °C" }

// figure writes at most one decimal.
func figure(f float64) string {
	f = math.Round(f*10)/10 + 0 // no -0
	return strconv.FormatFloat(f, 'f', -1, 64)
}
