// Package listing keeps the catalogue: what businesses offer, which actions each listing
// takes and where they are dispatched, and the search over it.
//
//	market#{market}         listing#{id}    a listing
//	market#{market}         items#{id}      its menu, services, tickets, types of room
//	listing#{market}#{id}   version#{n}     its content at that version, who changed it and when
//	business#{business}     market          in which market it is: its calendars and orders are named by it alone
//	business#{business}     calendars       of its offerings, which all of its listings share
//	contact#…                               whose number its messages go to (package roster)
//
// Package stock counts how many are left of a counted item, in a record of its own: a listing's
// version holds what the business has said, and sales write no version. Reading the counts costs a listing
// with counted items 1 request more (Count), a search that finds such listings 1 in all, and a
// Put that states another count 1; items that are not counted cost nothing.
//
// (table catalog). A change is one transaction, on condition of the version that was read.
//
// Search asks an [Engine], and without one, or when it fails, an index of the market's listings
// in memory, made from one query (one request for each megabyte) and kept for a minute. Get is
// 1 request; Put 2, repeated 1, 4 with the id of a listing that was deleted; Delete 2. Offerings
// cost Put and Delete 1 more, 2 with such an id.
package listing

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/ident"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
)

// Listing is something that a business offers.
type Listing struct {
	ID           string              `dynamodbav:"id" json:"id"`
	Market       string              `dynamodbav:"market" json:"marketId"`
	Business     string              `dynamodbav:"business" json:"businessId"`
	Names        map[string]string   `dynamodbav:"names" json:"names"` // by language
	Descriptions map[string]string   `dynamodbav:"descriptions" json:"descriptions"`
	Domain       string              `dynamodbav:"domain" json:"domain"`
	Category     string              `dynamodbav:"category" json:"category"`
	SubCategory  string              `dynamodbav:"subCategory,omitempty" json:"subCategory,omitempty"`
	Place        string              `dynamodbav:"place" json:"place"`
	Location     *geo.Location       `dynamodbav:"location,omitempty" json:"location,omitempty"`
	Tags         []string            `dynamodbav:"tags,omitempty" json:"tags,omitempty"`
	Address      string              `dynamodbav:"address,omitempty" json:"address,omitempty"`
	Hours        *schedule.Hours     `dynamodbav:"hours,omitempty" json:"hours,omitempty"` // nil leaves it to the offerings
	Image        string              `dynamodbav:"image,omitempty" json:"image,omitempty"`
	Media        []Media             `dynamodbav:"media,omitempty" json:"media,omitempty"`
	Price        *Price              `dynamodbav:"price,omitempty" json:"price,omitempty"` // where no offering has one, such as a rent
	Offerings    []schedule.Offering `dynamodbav:"offerings" json:"offerings"`
	Delivery     *Delivery           `dynamodbav:"delivery,omitempty" json:"delivery,omitempty"` // nil: orders are picked up
	Merve        Integration         `dynamodbav:"merve" json:"merve"`

	// Items are what the actions order or book: a menu, services, tickets, types of room. They are
	// stored apart, and only Get reads them.
	Items []Item `dynamodbav:"-" json:"items,omitempty"`

	// Left says how many are left of the items that are counted, by their ids, once it was
	// read ([Store.Count]). It is never stored here.
	Left map[string]int `dynamodbav:"-" json:"left,omitempty"`

	// Counted are the ids of the first counted items, for lists, which do not read items.
	Counted []string `dynamodbav:"counted,omitempty" json:"-"`
	Others  bool     `dynamodbav:"others,omitempty" json:"-"` // there are items for sale besides those

	// Longest is, for each offering, the longest time that a booking of one of its slots ever
	// took: bookings by a former calendar are still valid. Only the store sets it.
	Longest map[string]time.Duration `dynamodbav:"longest,omitempty" json:"-"`

	Version   int       `dynamodbav:"version" json:"version"` // counts changes
	UpdatedAt time.Time `dynamodbav:"updatedAt" json:"updatedAt"`
	UpdatedBy string    `dynamodbav:"updatedBy,omitempty" json:"updatedBy,omitempty"` // actor key
}

// Media is a picture or film of a listing.
type Media struct {
	URL  string `dynamodbav:"url" json:"url"`
	Kind string `dynamodbav:"kind,omitempty" json:"kind,omitempty"` // image (also when empty) or video
	Alt  string `dynamodbav:"alt,omitempty" json:"alt,omitempty"`   // description of the picture, in words
}

// Price is the price of a listing as a whole.
type Price struct {
	Minor    int64  `dynamodbav:"minor" json:"minor"`                 // minor units
	Currency string `dynamodbav:"currency" json:"currency"`           // ISO 4217
	Per      string `dynamodbav:"per,omitempty" json:"per,omitempty"` // night, month or hour; empty is once
}

// How large a listing may be. An item, with all that is stored with it, may have at most 400 KB.
// A transaction may have [dynamo.MaxWrites] writes, one of them for each number that an action has.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const (
	maxSize      = 380_000 // bytes
	maxActions   = 20
	maxOfferings = 100
)

// maxRadius of a delivery, in metres, is the other side of the earth.
const maxRadius = 20_100_000

// Delivery says how orders are brought.
type Delivery struct {
	FeeMinor     int64   `dynamodbav:"fee" json:"feeMinor"`
	MinimumMinor int64   `dynamodbav:"minimum" json:"minimumMinor"`                    // of the order, without the fee
	RadiusMeters float64 `dynamodbav:"radius,omitempty" json:"radiusMeters,omitempty"` // 0 is anywhere
	Minutes      int     `dynamodbav:"minutes,omitempty" json:"minutes,omitempty"`     // as a rule
	NoPickup     bool    `dynamodbav:"noPickup,omitempty" json:"noPickup,omitempty"`
}

// Allowed reports whether a market lets a tool touch the listing for a customer near some place; near is nil
// if that is unknown. An action's tags count for that action only; typ "" means any of the actions.
func (l *Listing) Allowed(p market.ToolPolicy, typ string, near *geo.Location) bool {
	x := market.Touched{Tags: slices.Clone(l.Tags), Kinds: []string{l.Category, l.SubCategory}}
	for _, a := range l.Merve.Actions {
		if a.Enabled && (typ == "" || a.Type == typ) {
			x.Tags = append(x.Tags, a.Tags...)
		}
	}
	for _, price := range l.prices() {
		if price > 0 && (x.Price == 0 || price < x.Price) {
			x.Price = price
		}
	}
	if near != nil && l.Location != nil {
		x.Meters = l.Location.Meters(*near)
	}
	return p.Allows(x)
}

// ErrNotAllowed is the answer for a listing that a market does not let a tool touch.
var ErrNotAllowed = fault.New(fault.Forbidden, "listings of this kind cannot be used for this here")

// Covers reports whether the listing serves a district of a market: by its coverage, and everywhere without
// one, or where the district is not known.
func (l *Listing) Covers(m *market.Market, district string) bool {
	if len(l.Merve.Coverage) == 0 || district == "" {
		return true
	}
	return slices.ContainsFunc(l.Merve.Coverage, func(served string) bool {
		return language.Fold(served) == language.Fold(district) || m.DistrictOf(served, nil) == district
	})
}

// Name returns the listing's name in a language, or in another language if it has none in that one.
func (l *Listing) Name(lang string) string { return inLanguage(l.Names, lang) }

// Description returns the listing's description, choosing the language as Name does.
func (l *Listing) Description(lang string) string { return inLanguage(l.Descriptions, lang) }

func inLanguage(texts map[string]string, lang string) string {
	for _, tag := range []string{lang, "en"} {
		if t := texts[tag]; t != "" {
			return t
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(texts)) {
		if t := texts[tag]; t != "" {
			return t
		}
	}
	return ""
}

// Offering returns the offering with an id; the only one when id is "".
func (l *Listing) Offering(id string) (schedule.Offering, error) {
	if id == "" && len(l.Offerings) == 1 {
		return l.Offerings[0], nil
	}
	var ids []string
	for _, o := range l.Offerings {
		if o.ID == id {
			return o, nil
		}
		ids = append(ids, o.ID+" ("+o.Name+")")
	}
	return schedule.Offering{}, fault.Field("offeringId", "want one of %s", strings.Join(ids, ", "))
}

// Check returns an error that names the first field that is wrong.
func (l *Listing) Check() error {
	for _, f := range []struct{ name, value string }{{"id", l.ID}, {"marketId", l.Market}, {"businessId", l.Business}} {
		if !ident.Legal.MatchString(f.value) {
			return fault.Field(f.name, ident.WantLegal)
		}
	}
	for _, f := range []struct{ name, value string }{{"domain", l.Domain}, {"category", l.Category}} {
		if f.value == "" || len(f.value) > 80 || strings.ContainsAny(f.value, "#\x00") {
			return fault.Field(f.name, "want 1 to 80 characters without #")
		}
	}
	if l.Name("en") == "" {
		return fault.Field("names", "want a name in at least one language")
	}
	if err := checkTexts("", l.Names, l.Descriptions); err != nil {
		return err
	}
	if err := l.Merve.check(); err != nil {
		return err
	}
	if err := l.checkTerms(); err != nil {
		return err
	}
	if err := checkItems(l.Items); err != nil {
		return err
	}
	if len(l.Offerings) > maxOfferings {
		return fault.Field("offerings", "at most %d", maxOfferings)
	}
	seen := map[string]bool{}
	for i, o := range l.Offerings {
		if err := o.Check(); err != nil {
			return fault.Under(err, "offering", fmt.Sprintf("offerings[%d]", i))
		}
		if seen[o.ID] {
			return fault.Field(fmt.Sprintf("offerings[%d].id", i), "is used twice")
		}
		seen[o.ID] = true
	}
	for i, item := range l.Items {
		if item.OfferingID != "" && !seen[item.OfferingID] {
			return fault.Field(fmt.Sprintf("items[%d].offeringId", i), "no such offering of the listing")
		}
	}
	return l.checkSize()
}

// checkSize holds the listing, with its items, to what fits into one stored item, which is less
// than its JSON.
func (l *Listing) checkSize() error {
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if len(raw) > maxSize {
		return fault.Field("listing", "is %d bytes as JSON, and at most %d are stored", len(raw), maxSize)
	}
	return nil
}

// checkTerms checks place, hours, prices and pictures.
func (l *Listing) checkTerms() error {
	if p := l.Location; p != nil && !geo.OnEarth(p.Lat, p.Lng) {
		return fault.Field("location", "lat within ±90 and lng within ±180 degrees")
	}
	if l.Hours != nil {
		if err := l.Hours.Check(); err != nil {
			return err
		}
	}
	if err := l.Price.check(); err != nil {
		return err
	}
	if err := l.Delivery.check(); err != nil {
		return err
	}
	for i, m := range l.Media {
		if u, err := url.Parse(m.URL); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || !slices.Contains([]string{"", "image", "video"}, m.Kind) {
			return fault.Field(fmt.Sprintf("media[%d]", i), "want an address that begins with https://, and kind image or video")
		}
	}
	return nil
}

func (p *Price) check() error {
	switch {
	case p == nil:
		return nil
	case !schedule.IsCurrency(p.Currency):
		return fault.Field("price.currency", "want ISO 4217 in capitals, such as EUR")
	case !schedule.IsPrice(p.Minor):
		return schedule.NoPrice("price.minor")
	case !slices.Contains([]string{"", "night", "month", "hour"}, p.Per):
		return fault.Field("price.per", "want night, month, hour or nothing")
	}
	return nil
}

func (d *Delivery) check() error {
	switch {
	case d == nil:
		return nil
	case !schedule.IsPrice(d.FeeMinor):
		return schedule.NoPrice("delivery.feeMinor")
	case !schedule.IsPrice(d.MinimumMinor):
		return schedule.NoPrice("delivery.minimumMinor")
	case d.RadiusMeters != 0 && (d.RadiusMeters < 1 || d.RadiusMeters > maxRadius):
		return fault.Field("delivery.radiusMeters", "want 1 to %d metres, or 0 for anywhere", maxRadius)
	case d.Minutes < 0:
		return fault.Field("delivery.minutes", "want at least 0")
	}
	return nil
}

// checkTexts holds texts to the languages there are.
func checkTexts(at string, names, descriptions map[string]string) error {
	for field, texts := range map[string]map[string]string{"names": names, "descriptions": descriptions} {
		for lang := range texts {
			if tag, ok := language.Normalize(lang); !ok || tag != lang {
				return fault.Field(at+field, "want languages out of %v, not %q", language.Supported(), lang)
			}
		}
	}
	return nil
}
