package listing

import (
	"context"
	"maps"
	"slices"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Availability says what of an offering is taken.
type Availability interface {
	// Taken lists the bookings of an offering's slots between two times.
	Taken(ctx context.Context, business, offering string, from, to time.Time) (schedule.Taken, error)
}

// Tools are the catalogue's tools.
func (s *Store) Tools(a Availability) []tool.Tool {
	all := []tool.Tool{
		tool.New("searchMarketplace",
			"Finds listings (restaurants, tours, stays, wellness, services …) by words and filters. Use few words, without dates or numbers of people. "+
				"Filters narrow: leave them null unless the customer asked for exactly that.", tool.Read, s.search),
		tool.New("getListing",
			"Gives everything about one listing: description, offerings with prices, opening hours, and the next free times. Use the id that searchMarketplace returned.",
			tool.Read, func(ctx context.Context, tc tool.Context, args getArgs) (tool.Result, error) {
				return s.get(ctx, tc, args, a)
			}),
		tool.New("getMenu",
			"Gives what a listing has to order or choose from: menu items, services, tickets or types of room, with ids, prices, options, what is sold out and how many are left of what is counted. "+
				"Use it before orderFood or bookService: they take the ids that it returns.", tool.Read, s.menu),
	}
	for i := range all {
		all[i].Listings = true
	}
	return all
}

// readable returns a listing if a tool may read it for the customer who asks.
func (s *Store) readable(ctx context.Context, tc tool.Context, name, id string) (*Listing, error) {
	l, err := s.Get(ctx, tc.Market.ID, id)
	switch {
	case err != nil:
		return nil, err
	case !l.Merve.Enabled:
		return nil, ErrNotFound
	case !l.Allowed(tc.Market.Tools[name], "", tc.Location):
		return nil, ErrNotAllowed
	}
	return l, nil
}

type searchArgs struct {
	Query       string  `json:"query" jsonschema:"what to look for, such as: sushi; boat trip kyrenia. May be empty when a filter is set"`
	Domain      *string `json:"domain" jsonschema:"food, tours, stays, wellness, services or events; null for any"`
	Category    *string `json:"category" jsonschema:"such as restaurant, boat trip, hotel; null for any"`
	SubCategory *string `json:"subCategory" jsonschema:"such as sushi, meze, diving; null for any"`
	Action      *string `json:"action" jsonschema:"what has to be possible there: book, order_food, book_service or schedule_viewing; null for any"`
	MinPrice    *int64  `json:"minPrice" jsonschema:"lowest price, in minor units of the market's currency (cents); null for any"`
	MaxPrice    *int64  `json:"maxPrice" jsonschema:"highest price, in minor units of the market's currency (cents); null for any"`
	OpenNow     *bool   `json:"openNow" jsonschema:"true for what is open at this moment; null otherwise"`
	NearMe      *bool   `json:"nearMe" jsonschema:"true to put what is nearest to the customer's shared location first; null otherwise"`
	Limit       *int    `json:"limit" jsonschema:"at most this many, 1 to 10; null for 5"`
}

// summary is a listing in a list, as the model sees it.
type summary struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Domain      string     `json:"domain"`
	Category    string     `json:"category"`
	Place       string     `json:"place,omitempty"`
	PriceFrom   *money     `json:"priceFrom,omitempty"`
	Offerings   []offering `json:"offerings"`
	Actions     []string   `json:"actions,omitempty"` // what can be done there
	Open        *bool      `json:"openNow,omitempty"`
	Meters      *int       `json:"distanceMeters,omitempty"`
	Description string     `json:"description,omitempty"`
	SoldOut     bool       `json:"soldOut,omitempty"`      // nothing is left
	Without     []string   `json:"soldOutItems,omitempty"` // ids of counted items that have none left
}

type money struct {
	Amount   int64  `json:"amount"` // minor units
	Currency string `json:"currency"`
}

type offering struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	PriceMinor      int64  `json:"priceMinor"`
	Currency        string `json:"currency"`
	Per             string `json:"per"`
	DurationMinutes int    `json:"durationMinutes,omitempty"`
	Unit            string `json:"unit"`
	MaxParty        int    `json:"maxParty"`
}

func (s *Store) search(ctx context.Context, tc tool.Context, a searchArgs) (tool.Result, error) {
	q := Query{
		Text: a.Query, Domain: tool.Value(a.Domain), Category: tool.Value(a.Category), SubCategory: tool.Value(a.SubCategory), Action: tool.Value(a.Action),
		MinPrice: tool.Value(a.MinPrice), MaxPrice: tool.Value(a.MaxPrice), Limit: tool.Value(a.Limit),
	}
	if _, known := ActionTypes()[q.Action]; q.Action != "" && !known {
		return tool.Result{}, fault.Field("action", "want one of %v, or null", slices.Sorted(maps.Keys(ActionTypes())))
	}
	if tool.Value(a.OpenNow) {
		q.OpenAt = tc.Now
	}
	if tool.Value(a.NearMe) {
		if tc.Location == nil {
			return tool.Result{}, fault.Field("nearMe", "the customer has not shared a location: ask for it, or use null")
		}
		q.Near = tc.Location
	}
	policy, district := tc.Market.Tools["searchMarketplace"], ""
	if tc.Location != nil {
		district = tc.Market.DistrictOf(tc.Location.Address, tc.Location)
	}
	q.May = func(l *Listing) bool {
		return l.Allowed(policy, q.Action, tc.Location) && l.Covers(tc.Market, district)
	}
	found, err := s.Search(ctx, tc.Market.ID, q)
	if err != nil {
		return tool.Result{}, err
	}
	if err := s.countListed(ctx, found.Listings); err != nil {
		return tool.Result{}, err
	}
	var data struct {
		Listings []summary `json:"listings"`
		Note     string    `json:"note,omitempty"`
	}
	data.Listings = []summary{}
	res := tool.Result{}
	type remembered struct {
		ID        string            `json:"id"`
		Name      string            `json:"name"`
		Offerings map[string]string `json:"offerings"`
	}
	var memory struct {
		Listings []remembered `json:"listings"`
	}
	for _, l := range found.Listings {
		data.Listings = append(data.Listings, here(l, tc))
		res.Cards = append(res.Cards, card(l, tc.Language))
		if len(found.Listings) > 1 {
			res.Choices = append(res.Choices, channel.Choice{Label: l.Name(tc.Language), Detail: l.Place})
		}
		r := remembered{ID: l.ID, Name: l.Name(tc.Language), Offerings: map[string]string{}}
		for _, o := range l.Offerings {
			r.Offerings[o.ID] = o.Name
		}
		memory.Listings = append(memory.Listings, r)
	}
	switch {
	case len(found.Listings) == 0:
		data.Note = "nothing was found"
	case found.Relaxed != "":
		data.Note = "nothing fitted with " + found.Relaxed + "; these are similar"
	}
	res.Data = data
	if len(memory.Listings) > 0 {
		res.Memory = memory
	}
	return res, nil
}

// here describes a listing as it is now, for the customer who asks.
func here(l *Listing, tc tool.Context) summary {
	sum := summarize(l, tc.Language)
	if l.Hours != nil {
		open := l.Hours.OpenAt(tc.Now)
		sum.Open = &open
	}
	if tc.Location != nil && l.Location != nil {
		meters := int(l.Location.Meters(*tc.Location))
		sum.Meters = &meters
	}
	return sum
}

func summarize(l *Listing, lang string) summary {
	sum := summary{
		ID: l.ID, Name: l.Name(lang), Domain: l.Domain, Category: l.Category, Place: l.Place,
		Offerings: []offering{}, Description: language.Brief(l.Description(lang), 160),
	}
	sum.Without, sum.SoldOut = l.soldOut()
	for _, a := range l.Merve.Actions {
		if a.Enabled && !slices.Contains(sum.Actions, a.Type) {
			sum.Actions = append(sum.Actions, a.Type)
		}
	}
	if l.Price != nil {
		sum.PriceFrom = &money{l.Price.Minor, l.Price.Currency}
	}
	for _, o := range l.Offerings {
		sum.Offerings = append(sum.Offerings, offering{o.ID, o.Name, o.PriceMinor, o.Currency, string(o.Per), o.DurationMinutes, string(o.Unit), o.MaxParty})
		if o.PriceMinor > 0 && (sum.PriceFrom == nil || o.PriceMinor < sum.PriceFrom.Amount) {
			sum.PriceFrom = &money{o.PriceMinor, o.Currency}
		}
	}
	return sum
}

// card describes a listing for clients to show.
func card(l *Listing, lang string) tool.Card {
	sum := summarize(l, lang)
	c := tool.Card{"type": "listing", "id": l.ID, "title": sum.Name, "subtitle": l.Category, "place": l.Place}
	if sum.PriceFrom != nil {
		c["price"] = map[string]any{"amount": sum.PriceFrom.Amount, "currency": sum.PriceFrom.Currency}
	}
	if image := l.picture(); image != "" {
		c["image"] = image
	}
	if p := l.Location; p != nil {
		c["location"] = map[string]any{"lat": p.Lat, "lng": p.Lng}
	}
	var offers []map[string]any
	for _, o := range l.Offerings {
		offer := map[string]any{"id": o.ID, "name": o.Name}
		if o.PriceMinor > 0 { // a table costs nothing by itself
			offer["price"] = map[string]any{"amount": o.PriceMinor, "currency": o.Currency}
		}
		offers = append(offers, offer)
	}
	c["offerings"] = offers
	return c
}

// picture returns the picture that represents the listing.
func (l *Listing) picture() string {
	for _, m := range l.Media {
		if m.Kind != "video" {
			return m.URL
		}
	}
	return l.Image
}

type getArgs struct {
	ListingID string `json:"listingId" jsonschema:"id of a listing, as searchMarketplace returned it"`
}

// detail is a listing in full, as the model sees it.
type detail struct {
	summary
	Tags      []string                   `json:"tags,omitempty"`
	Address   string                     `json:"address,omitempty"`
	Hours     map[string][]schedule.Span `json:"openingHours,omitempty"`
	Closed    []string                   `json:"closedDays,omitempty"`
	Items     int                        `json:"menuItems,omitempty"` // how many getMenu has
	Offerings []offeringDetail           `json:"offerings"`
}

type offeringDetail struct {
	offering
	Hours    map[string][]schedule.Span `json:"openingHours"`
	Closed   []string                   `json:"closedDays,omitempty"`
	NextFree []freeTime                 `json:"nextFree"`
	MinParty int                        `json:"minParty"`
}

type freeTime struct {
	Date string `json:"date"`
	Time string `json:"time,omitempty"`
	When string `json:"when"` // in the customer's language, as it is shown to choose from
}

// nextFree is how many free times of each offering are shown.
const nextFree = 4

func (s *Store) get(ctx context.Context, tc tool.Context, a getArgs, available Availability) (tool.Result, error) {
	l, err := s.readable(ctx, tc, "getListing", a.ListingID)
	if err != nil {
		return tool.Result{}, err
	}
	if err := s.Count(ctx, l); err != nil {
		return tool.Result{}, err
	}
	d := detail{summary: here(l, tc), Tags: l.Tags, Address: l.Address, Items: len(l.Items)}
	if l.Hours != nil {
		d.Hours, d.Closed = l.Hours.Days, closedDays(l.Hours.Closed, l.Hours.TimeZone, tc.Now)
	}
	d.Description = language.Brief(l.Description(tc.Language), 800)
	for _, o := range l.Offerings {
		free, err := s.free(ctx, tc, l, o, available)
		if err != nil {
			return tool.Result{}, err
		}
		d.Offerings = append(d.Offerings, offeringDetail{
			offering{o.ID, o.Name, o.PriceMinor, o.Currency, string(o.Per), o.DurationMinutes, string(o.Unit), o.MaxParty}, o.Hours,
			closedDays(o.Closed, o.TimeZone, tc.Now), free, o.MinParty,
		})
	}
	res := tool.Result{Data: d, Cards: []tool.Card{card(l, tc.Language)}, Choices: d.choices(tc.Language)}
	res.Memory = map[string]any{"id": l.ID, "name": d.Name}
	if l.Location != nil {
		res.Map = l.Location
	}
	return res, nil
}

// choices are the offerings of a listing, or the free times of its only one.
func (d detail) choices(lang string) []channel.Choice {
	var all []channel.Choice
	if len(d.Offerings) == 1 {
		for _, t := range d.Offerings[0].NextFree {
			all = append(all, channel.Choice{Label: t.When})
		}
		return all
	}
	for _, o := range d.Offerings {
		c := channel.Choice{Label: o.Name}
		if o.PriceMinor > 0 {
			c.Detail = wording.Money(lang, o.PriceMinor, o.Currency)
		}
		all = append(all, c)
	}
	return all
}

// maxClosed is how many of the days on which it is closed a model is told.
const maxClosed = 30

// closedDays returns the next days when a listing with hours is closed by exception.
func closedDays(closed []string, zone string, now time.Time) []string {
	today := now.In(schedule.Zone(zone)).Format(time.DateOnly)
	next := slices.DeleteFunc(slices.Sorted(slices.Values(closed)), func(day string) bool { return day < today })
	return next[:min(len(next), maxClosed)]
}

// free finds the next free times of an offering, in its own zone.
func (s *Store) free(ctx context.Context, tc tool.Context, l *Listing, o schedule.Offering, a Availability) ([]freeTime, error) {
	loc, err := time.LoadLocation(o.TimeZone)
	if err != nil {
		return nil, err
	}
	from := tc.Now.Add(time.Duration(o.LeadMinutes) * time.Minute)
	next, err := o.NearestFree(tc.Now, from, 1, nextFree, l.Longest[o.ID], func(from, to time.Time) (schedule.Taken, error) {
		return a.Taken(ctx, l.Business, o.ID, from, to)
	})
	if err != nil {
		return nil, err
	}
	out := []freeTime{}
	for _, b := range next {
		start := b.Start.In(loc)
		t := freeTime{Date: start.Format(time.DateOnly), When: wording.Date(tc.Language, start)}
		if o.Unit == schedule.BySlot {
			t.Time, t.When = start.Format("15:04"), wording.When(tc.Language, start, start)
		}
		out = append(out, t)
	}
	return out, nil
}
