package listing

import (
	"fmt"
	"slices"
	"strings"

	"merve/internal/base/fault"
	"merve/internal/record/stock"
	"merve/internal/tenant/schedule"
)

// DataKind is the kind of a listing's items.
type DataKind string

const (
	MenuItems DataKind = "menuItems"
	Services  DataKind = "services"
	Tickets   DataKind = "tickets"
	RoomTypes DataKind = "roomTypes"
)

// DataKinds lists them.
func DataKinds() []DataKind { return []DataKind{MenuItems, Services, Tickets, RoomTypes} }

// Item is one thing on a listing's menu, or one of its services, tickets or types of room.
type Item struct {
	ID           string            `dynamodbav:"id" json:"id"`
	Kind         DataKind          `dynamodbav:"kind" json:"kind"`
	Section      string            `dynamodbav:"section,omitempty" json:"section,omitempty"` // such as Starters
	Names        map[string]string `dynamodbav:"names" json:"names"`                         // by language
	Descriptions map[string]string `dynamodbav:"descriptions,omitempty" json:"descriptions,omitempty"`
	PriceMinor   int64             `dynamodbav:"priceMinor" json:"priceMinor"` // in the listing's currency; 0 of a service is on request
	Options      []OptionGroup     `dynamodbav:"options,omitempty" json:"options,omitempty"`
	OfferingID   string            `dynamodbav:"offering,omitempty" json:"offeringId,omitempty"` // of a ticket or room: its offering
	SoldOut      bool              `dynamodbav:"soldOut,omitempty" json:"soldOut,omitempty"`
	Stock        *Stock            `dynamodbav:"stock,omitempty" json:"stock,omitempty"` // nil: unlimited
	Tags         []string          `dynamodbav:"tags,omitempty" json:"tags,omitempty"`
	Image        string            `dynamodbav:"image,omitempty" json:"image,omitempty"`
}

// Stock says that an item is counted, and how many were left when the business said so. How many are
// left now is not part of the listing ([Store.Count]), so that a sale makes no new version of it.
type Stock struct {
	Count int    `dynamodbav:"count" json:"count"`                     // left at that time, not counting those that open orders hold
	Batch string `dynamodbav:"batch,omitempty" json:"batch,omitempty"` // any words; another count or batch resets the number left
}

// setting identifies a stated count, so that stating the same one again sets nothing.
func (s Stock) setting() string { return fmt.Sprintf("%d@%s", s.Count, s.Batch) }

// MaxCounted is the most items of a listing that are counted, so that one transaction sets all.
const MaxCounted = 50

// OptionGroup is a choice that an item leaves, such as its size.
type OptionGroup struct {
	ID      string            `dynamodbav:"id" json:"id"`
	Names   map[string]string `dynamodbav:"names" json:"names"`
	Min     int               `dynamodbav:"min" json:"min"` // how many have to be chosen
	Max     int               `dynamodbav:"max" json:"max"` // and may be
	Choices []Choice          `dynamodbav:"choices" json:"choices"`
}

// Choice is one of the options of a group.
type Choice struct {
	ID         string            `dynamodbav:"id" json:"id"`
	Names      map[string]string `dynamodbav:"names" json:"names"`
	PriceMinor int64             `dynamodbav:"priceMinor" json:"priceMinor"` // on top
	SoldOut    bool              `dynamodbav:"soldOut,omitempty" json:"soldOut,omitempty"`
}

// MaxItems is the most items of a listing, so that they fit into one stored item.
const MaxItems = 400

// Name returns the item's name in a language, or in another language if it has none in that one.
func (i Item) Name(lang string) string { return inLanguage(i.Names, lang) }

// Description returns the item's description, choosing the language as Name does.
func (i Item) Description(lang string) string { return inLanguage(i.Descriptions, lang) }

// Name returns the group's name, choosing the language as [Item.Name] does.
func (g OptionGroup) Name(lang string) string { return inLanguage(g.Names, lang) }

// Name returns the choice's name, choosing the language as [Item.Name] does.
func (c Choice) Name(lang string) string { return inLanguage(c.Names, lang) }

// Item returns the item with an id.
func (l *Listing) Item(id string) (Item, bool) {
	i := slices.IndexFunc(l.Items, func(i Item) bool { return i.ID == id })
	if i < 0 {
		return Item{}, false
	}
	return l.Items[i], true
}

func checkItems(items []Item) error {
	if len(items) > MaxItems {
		return fault.Field("items", "at most %d", MaxItems)
	}
	seen, counted := map[string]bool{}, 0
	for n, i := range items {
		at := fmt.Sprintf("items[%d]", n)
		if i.Stock != nil {
			counted++
		}
		if counted > MaxCounted {
			return fault.Field(at+".stock", "at most %d items of a listing are counted", MaxCounted)
		}
		if err := i.check(at); err != nil {
			return err
		}
		if seen[i.ID] {
			return fault.Field(at+".id", "is used twice")
		}
		seen[i.ID] = true
	}
	return nil
}

func (i Item) check(at string) error {
	switch {
	case !isID(i.ID):
		return fault.Field(at+".id", "want 1 to 80 characters without # and :")
	case !slices.Contains(DataKinds(), i.Kind):
		return fault.Field(at+".kind", "want one of %v", DataKinds())
	case i.Name("en") == "":
		return fault.Field(at+".names", "want a name in at least one language")
	case !schedule.IsPrice(i.PriceMinor):
		return schedule.NoPrice(at + ".priceMinor")
	case i.Stock != nil && (i.Stock.Count < 0 || i.Stock.Count > stock.MaxCount):
		return fault.Field(at+".stock.count", "want 0 to %d", stock.MaxCount)
	case i.Stock != nil && len(i.Stock.Batch) > 80:
		return fault.Field(at+".stock.batch", "at most 80 characters")
	case i.Stock != nil && i.OfferingID != "":
		return fault.Field(at+".stock", "is booked: the capacity of its offering says how many there are")
	}
	if err := checkTexts(at+".", i.Names, i.Descriptions); err != nil {
		return err
	}
	seen := map[string]bool{}
	for n, g := range i.Options {
		if err := g.check(fmt.Sprintf("%s.options[%d]", at, n), seen); err != nil {
			return err
		}
	}
	return nil
}

// check also makes sure that a choice's id says which group it belongs to.
func (g OptionGroup) check(at string, seen map[string]bool) error {
	switch {
	case !isID(g.ID):
		return fault.Field(at+".id", "want 1 to 80 characters without # and :")
	case g.Name("en") == "":
		return fault.Field(at+".names", "want a name in at least one language")
	case g.Min < 0 || g.Max < max(g.Min, 1) || g.Min > len(g.Choices):
		return fault.Field(at+".max", "want 0 ≤ min ≤ max, and as many choices")
	}
	for n, c := range g.Choices {
		field := fmt.Sprintf("%s.choices[%d]", at, n)
		switch {
		case !isID(c.ID):
			return fault.Field(field+".id", "want 1 to 80 characters without # and :")
		case seen[c.ID]:
			return fault.Field(field+".id", "is used twice for the item")
		case c.Name("en") == "":
			return fault.Field(field+".names", "want a name in at least one language")
		case !schedule.IsPrice(c.PriceMinor):
			return schedule.NoPrice(field + ".priceMinor")
		}
		seen[c.ID] = true
	}
	return nil
}

func isID(id string) bool { return id != "" && len(id) <= 80 && !strings.ContainsAny(id, "#:\x00") }
