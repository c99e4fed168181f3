// Package listing keeps the catalogue: what businesses offer, which actions each listing
// takes and where they are dispatched, and the search over it.
//
//	market#{market}   listing#{id}   (table catalog)
//
// Search runs on an index of the market's listings in memory, made from one query (one
// request for each megabyte) and kept for a minute; GetListing is 1 request.
package listing

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/fault"
	"merve/internal/language"
	"merve/internal/market"
	"merve/internal/schedule"
	"merve/internal/wording"
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
	Location     *channel.Location   `dynamodbav:"location,omitempty" json:"location,omitempty"`
	Tags         []string            `dynamodbav:"tags,omitempty" json:"tags,omitempty"`
	Image        string              `dynamodbav:"image,omitempty" json:"image,omitempty"`
	Offerings    []schedule.Offering `dynamodbav:"offerings" json:"offerings"`
	Merve        Integration         `dynamodbav:"merve" json:"merve"`
}

// Integration says what Merve may do with a listing, and where its messages go.
type Integration struct {
	Enabled  bool     `dynamodbav:"enabled" json:"enabled"`
	WhatsApp string   `dynamodbav:"whatsapp,omitempty" json:"whatsappE164,omitempty"` // E.164; where an action names no other
	Language string   `dynamodbav:"language,omitempty" json:"language,omitempty"`     // the business's own
	Actions  []Action `dynamodbav:"actions,omitempty" json:"actions,omitempty"`
}

// Action is one thing that can be done with a listing.
type Action struct {
	Type     string            `dynamodbav:"type" json:"type"` // book
	Enabled  bool              `dynamodbav:"enabled" json:"enabled"`
	ToE164   string            `dynamodbav:"to,omitempty" json:"toE164,omitempty"`
	Template map[string]string `dynamodbav:"templates,omitempty" json:"templates,omitempty"` // by event; wins over the market's
	Tags     []string          `dynamodbav:"tags,omitempty" json:"tags,omitempty"`
	Notes    string            `dynamodbav:"notes,omitempty" json:"notes,omitempty"`
}

// BookAction is the action type of bookings.
const BookAction = "book"

// Name returns the listing's name in a language, else in whatever it has.
func (l *Listing) Name(lang string) string { return inLanguage(l.Names, lang) }

// Description likewise.
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

// Action returns the enabled action of a type.
func (l *Listing) Action(typ string) (Action, bool) {
	if !l.Merve.Enabled {
		return Action{}, false
	}
	for _, a := range l.Merve.Actions {
		if a.Type == typ && a.Enabled {
			return a, true
		}
	}
	return Action{}, false
}

// Dispatch returns where messages of an action go: its own number, else the listing's.
func (l *Listing) Dispatch(a Action) string {
	if a.ToE164 != "" {
		return a.ToE164
	}
	return l.Merve.WhatsApp
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
	for _, f := range []struct{ name, value string }{
		{"id", l.ID}, {"marketId", l.Market}, {"businessId", l.Business}, {"domain", l.Domain}, {"category", l.Category},
	} {
		if f.value == "" || len(f.value) > 80 || strings.ContainsAny(f.value, "#\x00") {
			return fault.Field(f.name, "want 1 to 80 characters without #")
		}
	}
	if l.Name("en") == "" {
		return fault.Field("names", "want a name in at least one language")
	}
	if err := checkTexts(l.Names, l.Descriptions); err != nil {
		return err
	}
	for i, a := range l.Merve.Actions {
		if err := a.check(); err != nil {
			return fmt.Errorf("merve.actions[%d]: %w", i, err)
		}
	}
	seen := map[string]bool{}
	for i, o := range l.Offerings {
		if err := o.Check(); err != nil {
			return fmt.Errorf("offerings[%d]: %w", i, err)
		}
		if seen[o.ID] {
			return fault.Field(fmt.Sprintf("offerings[%d].id", i), "is used twice")
		}
		seen[o.ID] = true
	}
	return nil
}

// check holds an action's templates to the events there are and to their variables.
func (a Action) check() error {
	for event, text := range a.Template {
		vars, known := market.Events()[event]
		if !known {
			return fault.Field("templates", "no such event as %q", event)
		}
		if err := wording.Validate(text, vars); err != nil {
			return fault.Field("templates."+event, "%v", err)
		}
	}
	return nil
}

// checkTexts holds texts to the languages there are.
func checkTexts(names, descriptions map[string]string) error {
	for field, texts := range map[string]map[string]string{"names": names, "descriptions": descriptions} {
		for lang := range texts {
			if tag, ok := language.Normalize(lang); !ok || tag != lang {
				return fault.Field(field, "want languages out of %v, not %q", language.Supported(), lang)
			}
		}
	}
	return nil
}

// Store reads and writes listings.
type Store struct {
	Table dynamo.Table // catalog
	Now   func() time.Time

	mu      sync.Mutex
	indexes map[string]*index // by market
}

// ErrNotFound is the answer for a listing that does not exist in the market.
var ErrNotFound = fault.Field("listingId", "no such listing: search first and use an id from there")

func key(market, id string) dynamo.Key {
	return dynamo.Key{PK: "market#" + market, SK: "listing#" + id}
}

// Get reads one listing as it is stored now.
func (s *Store) Get(ctx context.Context, market, id string) (*Listing, error) {
	it, err := s.Table.Get(ctx, key(market, id))
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", id, err)
	}
	if it == nil {
		return nil, ErrNotFound
	}
	l := &Listing{}
	return l, it.Decode(l)
}

// Put stores a listing after checking it.
func (s *Store) Put(ctx context.Context, l *Listing) error {
	if err := l.Check(); err != nil {
		return err
	}
	if err := s.Table.DB().Commit(ctx, s.Table.Put(key(l.Market, l.ID), l)); err != nil {
		return fmt.Errorf("put listing %s: %w", l.ID, err)
	}
	return nil
}

// All reads every listing of a market.
func (s *Store) All(ctx context.Context, market string) ([]*Listing, error) {
	q := dynamo.Query{
		Where:  "pk = :pk AND begins_with(sk, :prefix)",
		Values: dynamo.V{":pk": "market#" + market, ":prefix": "listing#"},
	}
	var all []*Listing
	for {
		page, err := s.Table.Query(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("listings of %s: %w", market, err)
		}
		for _, it := range page.Items {
			l := &Listing{}
			if err := it.Decode(l); err != nil {
				return nil, err
			}
			all = append(all, l)
		}
		if q.After = page.Next; q.After == "" {
			return all, nil
		}
	}
}
