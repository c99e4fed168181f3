package place

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
)

// Maps is a map service. An error of any kind has the tools do without it.
type Maps interface {
	// Find returns points of interest, the likeliest first.
	Find(ctx context.Context, q geo.Query) ([]geo.Found, error)

	// Geocode returns what an address or the name of a place may mean, the likeliest first.
	Geocode(ctx context.Context, q geo.Query) ([]geo.Found, error)
}

// inWords asks for the category by its name.
func inWords(q geo.Query) geo.Query {
	q.Text, q.Category = strings.TrimSpace(q.Text+" "+strings.ReplaceAll(q.Category, "_", " ")), ""
	return q
}

// origin is where a search begins, and what that is called.
type origin struct {
	at     *geo.Location // nil: nobody knows
	called string
	note   string
}

const shared = "the customer's shared location"

// errNoOrigin asks for a starting point.
var errNoOrigin = fault.Field("near", "where from is not known: ask the customer to share their location, or to name a place, and give that as near")

// origin returns the place that the model names, or else where the customer is. A name that nobody
// knows falls back to that too, and the note says so; if the customer's place is unknown, it is an error.
func (f *Finder) origin(ctx context.Context, tc tool.Context, near *string) (origin, error) {
	text := line(tool.Value(near), maxAsked)
	if text == "" || isHere(text) {
		if tc.Location == nil {
			return origin{}, nil
		}
		return origin{at: tc.Location, called: shared}, nil
	}
	at, called, err := f.locate(ctx, tc, text)
	switch {
	case err != nil:
		return origin{}, err
	case at != nil:
		return origin{at: at, called: called}, nil
	case tc.Location != nil:
		return origin{at: tc.Location, called: shared, note: "where near is was not found; distances are from " + shared}, nil
	}
	return origin{}, fault.Field("near", "was not found on the map: ask the customer for a town, a street or a well-known place near it, or to share their location")
}

// isHere reports whether text says nothing but "where I am".
func isHere(text string) bool {
	switch strings.ToLower(text) {
	case "me", "here", "near me", "nearby", "my location", "current location", "my current location", "null", "none":
		return true
	}
	return false
}

// locate asks the map, and the market's own places where that has no answer. Nil is nowhere.
func (f *Finder) locate(ctx context.Context, tc tool.Context, text string) (*geo.Location, string, error) {
	if f.Maps != nil {
		found, err := f.Maps.Geocode(ctx, geo.Query{Text: text, Language: tc.Language, Near: tc.Location, Within: tc.Market.Bounds, Limit: 1})
		if err != nil {
			f.without(ctx, tc, "geocode", err)
		}
		if len(found) > 0 && geo.OnEarth(found[0].Lat, found[0].Lng) {
			return &geo.Location{Lat: found[0].Lat, Lng: found[0].Lng}, line(cmp.Or(found[0].Address, found[0].Name), maxAddress), nil
		}
	}
	d, err := f.Store.directory(ctx, tc.Market.ID)
	if err != nil {
		return nil, "", err
	}
	if at, called, found := d.whereabouts(text, tc.Language); found {
		return &at, line(called, maxAddress), nil
	}
	return nil, "", nil
}

// without logs that a map service gave no answer, if there is a log at all.
func (f *Finder) without(ctx context.Context, tc tool.Context, call string, err error) {
	if f.Log != nil {
		f.Log.WarnContext(ctx, "map not asked", "call", call, "kind", fault.KindOf(err), "market", tc.Market.ID, "trace", tc.TraceID)
	}
}

// line brings foreign text into one line of at most max characters, without what cannot be
// seen: it is shown to a model and to customers.
func line(s string, max int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, s)
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) <= max {
		return string(r)
	}
	return string(r[:max]) + "…"
}
