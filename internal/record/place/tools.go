package place

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
)

// Finder has the tools a model calls to look for places.
type Finder struct {
	Store *Store
	Maps  Maps         // nil: only the market's own places are found
	Log   *slog.Logger // nil logs nothing
}

// Tools returns the declarations with their resolvers.
func (f *Finder) Tools() []tool.Tool {
	return []tool.Tool{
		tool.New("searchLocalPlaces",
			"Finds shops, sights, services and other points of interest on the map, by what they are called or what they are. "+
				"Not for what can be booked or ordered (searchMarketplace), nor for pharmacies on duty (findPharmacy).", tool.Read, f.search),
		tool.New("getNearbyPlaces",
			"Lists the places of our own list (beaches, sights, hospitals, cash machines …) that are nearest to the customer or to a named place, with distances in metres. "+
				"For anything that is not on the list use searchLocalPlaces.", tool.Read, f.nearby),
		tool.New("findPharmacy",
			"Finds pharmacies: open now, or on night duty tonight; nearest first when it is known where from. Use it whenever a pharmacy is asked for.",
			tool.Read, f.pharmacies),
	}
}

const (
	maxAsked   = 200 // characters of a model's query
	maxResults = 10
)

type searchArgs struct {
	Query    string  `json:"query" jsonschema:"what to look for, in few words, such as: dry cleaner; Golden Sands Beach. Without towns: those belong in near"`
	Near     *string `json:"near" jsonschema:"town, street or place to look around, if the customer named one; null for where the customer is"`
	Category *string `json:"category" jsonschema:"kind of place, if only that one fits: pharmacy, atm, bank, beach, museum, hospital, supermarket, gas_station …; null for any"`
	Limit    *int    `json:"limit" jsonschema:"at most this many, 1 to 10; null for 5"`
}

func limited(limit *int) int {
	if n := tool.Value(limit); n > 0 {
		return min(n, maxResults)
	}
	return 5
}

func (f *Finder) search(ctx context.Context, tc tool.Context, a searchArgs) (tool.Result, error) {
	text, category := line(a.Query, maxAsked+1), canonical(tool.Value(a.Category))
	switch {
	case text == "" && category == "":
		return tool.Result{}, fault.Field("query", "want what to look for, or a category")
	case len([]rune(text)) > maxAsked:
		return tool.Result{}, fault.Field("query", "at most %d characters: a name or a kind of place", maxAsked)
	}
	from, err := f.origin(ctx, tc, a.Near)
	if err != nil {
		return tool.Result{}, err
	}
	q := geo.Query{Text: text, Category: category, Language: tc.Language, Near: from.at, Within: tc.Market.Bounds, Limit: limited(a.Limit)}
	entries, why := f.onMap(ctx, tc, q, from)
	if why != "" {
		if entries, err = f.ownByWords(ctx, tc, q, from); err != nil {
			return tool.Result{}, err
		}
	}
	return answer{Places: entries, Origin: from.called, Note: notes(from.note, why)}.result(), nil
}

// onMap asks the map service. why says why it returned nothing.
func (f *Finder) onMap(ctx context.Context, tc tool.Context, q geo.Query, from origin) (entries []shown, why string) {
	switch {
	case f.Maps == nil:
		return nil, "the map is not available here: only our own list was searched"
	case q.Within == nil && q.Near == nil:
		return nil, "it is not known where to look on the map: only our own list was searched"
	case q.Category != "" && !legalCategory.MatchString(q.Category):
		q = inWords(q)
	}
	spots, err := f.Maps.Find(ctx, q)
	if q.Category != "" && (err == nil && len(spots) == 0 || fault.Is(err, fault.Invalid)) { // the map need not know the category
		spots, err = f.Maps.Find(ctx, inWords(q))
	}
	if err != nil {
		f.without(ctx, tc, "find", err)
		return nil, "the map does not answer now: only our own list was searched"
	}
	for _, p := range spots[:min(len(spots), q.Limit)] {
		if e := fromMap(p, from); e.Name != "" && geo.OnEarth(p.Lat, p.Lng) {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return nil, "nothing on the map fits; our own list was searched"
	}
	return entries, ""
}

// ownByWords finds the market's own places.
func (f *Finder) ownByWords(ctx context.Context, tc tool.Context, q geo.Query, from origin) ([]shown, error) {
	d, err := f.Store.directory(ctx, tc.Market.ID)
	if err != nil {
		return nil, err
	}
	var entries []shown
	for _, p := range d.search(strings.TrimSpace(q.Text+" "+q.Category), d.category(q.Category), q.Limit) {
		entries = append(entries, fromPlace(tc, p, from))
	}
	return entries, nil
}

type nearbyArgs struct {
	Category     *string `json:"category" jsonschema:"kind of place: beach, museum, viewpoint, hospital, atm, gas_station, pharmacy …; null for any"`
	Near         *string `json:"near" jsonschema:"town, street or place to look around, if the customer named one; null for where the customer is"`
	RadiusMeters *int    `json:"radiusMeters" jsonschema:"no farther than this, up to 50000; null for the nearest, however far"`
	Limit        *int    `json:"limit" jsonschema:"at most this many, 1 to 10; null for 5"`
}

func (f *Finder) nearby(ctx context.Context, tc tool.Context, a nearbyArgs) (tool.Result, error) {
	if r := tool.Value(a.RadiusMeters); r < 0 || a.RadiusMeters != nil && r == 0 || r > maxRadius {
		return tool.Result{}, fault.Field("radiusMeters", "want 1 to %d, or null", maxRadius)
	}
	category, err := f.kind(ctx, tc, a.Category)
	if err != nil {
		return tool.Result{}, err
	}
	from, err := f.origin(ctx, tc, a.Near)
	if err != nil {
		return tool.Result{}, err
	}
	if from.at == nil {
		return tool.Result{}, errNoOrigin
	}
	n := Near{At: *from.at, Category: category, Radius: float64(tool.Value(a.RadiusMeters)), Limit: limited(a.Limit)}
	found, err := f.Store.Nearest(ctx, tc.Market.ID, n)
	note := from.note
	if err == nil && len(found) == 0 && a.RadiusMeters != nil {
		n.Radius = maxRadius
		found, err = f.Store.Nearest(ctx, tc.Market.ID, n)
		note = notes(note, "nothing is within the radius; these are the nearest beyond it")
	}
	if err != nil {
		return tool.Result{}, err
	}
	return answer{Places: fromHits(tc, found, from), Origin: from.called, Note: note}.result(), nil
}

// kind is the market's category that the model means.
func (f *Finder) kind(ctx context.Context, tc tool.Context, name *string) (string, error) {
	if tool.Value(name) == "" {
		return "", nil
	}
	d, err := f.Store.directory(ctx, tc.Market.ID)
	if err != nil {
		return "", err
	}
	if c := d.category(*name); c != "" {
		return c, nil
	}
	return "", fault.Field("category", "our list has no such places, only: %s. Use one of these, or searchLocalPlaces", strings.Join(d.categories(), ", "))
}

func notes(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, "; ")
}

// shown is a place as the model sees it.
type shown struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Category    string `json:"category,omitempty"`
	Address     string `json:"address,omitempty"`
	District    string `json:"district,omitempty"`
	Phone       string `json:"phone,omitempty"`
	Meters      *int   `json:"distanceMeters,omitempty"`
	Open        *bool  `json:"open,omitempty"` // now, if that is known
	HoursToday  string `json:"hoursToday,omitempty"`
	OnDuty      bool   `json:"onDuty,omitempty"` // at the time asked for
	DutyUntil   string `json:"dutyUntil,omitempty"`
	Description string `json:"description,omitempty"`

	at geo.Location
}

func fromPlace(tc tool.Context, p *Place, from origin) shown {
	zone := tc.Market.Location()
	e := shown{
		ID: p.ID, Name: line(p.Name(tc.Language), maxName), Category: p.Category, Address: line(p.Address, maxAddress),
		District: line(p.District, maxName), Phone: p.Phone, HoursToday: p.hoursOn(tc.Now, zone),
		Description: line(p.Description(tc.Language), 160), Meters: meters(from.at, p.Location), at: p.Location,
	}
	if open, _, known := p.Open(tc.Now, zone); known {
		e.Open = &open
	}
	return e
}

func fromHits(tc tool.Context, found []Hit, from origin) []shown {
	var entries []shown
	for _, h := range found {
		entries = append(entries, fromPlace(tc, h.Place, from))
	}
	return entries
}

func fromMap(p geo.Found, from origin) shown {
	return shown{
		ID: line(p.ID, 200), Name: line(p.Name, maxName), Category: line(p.Category, maxTag), Address: line(p.Address, maxAddress),
		Phone: line(p.Phone, maxTag), Meters: meters(from.at, p.Location), at: p.Location,
	}
}

// meters returns the distance, or nil if the starting point is unknown.
func meters(from *geo.Location, to geo.Location) *int {
	if from == nil {
		return nil
	}
	d := int(math.Round(from.Meters(to)))
	return &d
}

// answer is a tool's answer as the model sees it.
type answer struct {
	Places []shown `json:"places"`
	Origin string  `json:"distancesFrom,omitempty"`
	Note   string  `json:"note,omitempty"`
}

// result adds what clients show, the first place on the map, and what later turns remember.
func (a answer) result() tool.Result {
	if len(a.Places) == 0 {
		a.Places, a.Note = []shown{}, notes("nothing was found", a.Note)
		return tool.Result{Data: a}
	}
	type remembered struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	var memory struct {
		Places []remembered `json:"places"`
	}
	res := tool.Result{Data: a}
	for _, e := range a.Places {
		res.Cards = append(res.Cards, e.card())
		memory.Places = append(memory.Places, remembered{e.ID, e.Name})
	}
	res.Memory = memory
	first := a.Places[0]
	res.Map = &geo.Location{Lat: first.at.Lat, Lng: first.at.Lng, Address: cmp.Or(first.Address, first.Name)}
	return res
}

// card describes a place for clients to show.
func (e shown) card() tool.Card {
	c := tool.Card{
		"type": "place", "id": e.ID, "title": e.Name,
		"location": map[string]any{"lat": e.at.Lat, "lng": e.at.Lng},
	}
	subtitle := strings.ReplaceAll(e.Category, "_", " ")
	if e.District != "" {
		subtitle = strings.TrimPrefix(subtitle+", "+e.District, ", ")
	}
	for name, text := range map[string]string{"subtitle": subtitle, "address": e.Address, "phone": e.Phone} {
		if text != "" {
			c[name] = text
		}
	}
	if e.Meters != nil {
		c["distanceMeters"] = *e.Meters
	}
	if e.Open != nil {
		c["open"] = *e.Open
	}
	return c
}
