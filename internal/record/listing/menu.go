package listing

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
	"merve/internal/words/rank"
)

type menuArgs struct {
	ListingID string  `json:"listingId" jsonschema:"id of a listing, as searchMarketplace returned it"`
	Query     *string `json:"query" jsonschema:"words of what the customer wants, to narrow a long menu; null for all"`
}

// dish is an item as the model sees it.
type dish struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Kind        DataKind `json:"kind"`
	Section     string   `json:"section,omitempty"`
	Description string   `json:"description,omitempty"`
	Price       *money   `json:"price,omitempty"` // absent: on request
	SoldOut     bool     `json:"soldOut,omitempty"`
	Left        *int     `json:"left,omitempty"` // absent: unlimited
	OfferingID  string   `json:"offeringId,omitempty"`
	Options     []group  `json:"options,omitempty"`
}

type group struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Min     int      `json:"min"`
	Max     int      `json:"max"`
	Choices []choice `json:"choices"`
}

type choice struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	PriceMinor int64  `json:"priceMinor,omitempty"` // on top
	SoldOut    bool   `json:"soldOut,omitempty"`
}

// maxDishes is how many items a model is shown at once.
const maxDishes = 60

func (s *Store) menu(ctx context.Context, tc tool.Context, a menuArgs) (tool.Result, error) {
	l, err := s.readable(ctx, tc, "getMenu", a.ListingID)
	if err != nil {
		return tool.Result{}, err
	}
	if err := s.Count(ctx, l); err != nil {
		return tool.Result{}, err
	}
	items := l.like(tool.Value(a.Query))
	data := struct {
		Listing  string                     `json:"listing"`
		Items    []dish                     `json:"items"`
		Delivery *Delivery                  `json:"delivery,omitempty"`
		Currency string                     `json:"currency"`
		Hours    map[string][]schedule.Span `json:"openingHours,omitempty"`
		Closed   []string                   `json:"closedDays,omitempty"`
		Open     *bool                      `json:"openNow,omitempty"`
		Note     string                     `json:"note,omitempty"`
	}{Listing: l.Name(tc.Language), Items: []dish{}, Delivery: l.Delivery, Currency: l.Currency(tc.Market.Currency), Open: here(l, tc).Open}
	if l.Hours != nil {
		data.Hours, data.Closed = l.Hours.Days, closedDays(l.Hours.Closed, l.Hours.TimeZone, tc.Now)
	}
	type remembered struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	memory := struct {
		ListingID string       `json:"listingId"`
		Items     []remembered `json:"items"`
	}{ListingID: l.ID}
	for _, i := range items[:min(len(items), maxDishes)] {
		data.Items = append(data.Items, l.dish(i, tc.Language, data.Currency))
		memory.Items = append(memory.Items, remembered{i.ID, i.Name(tc.Language)})
	}
	switch {
	case len(l.Items) == 0:
		data.Note = "this listing has no menu"
	case len(items) > maxDishes:
		data.Note = "there are more: narrow them with query"
	}
	return tool.Result{Data: data, Memory: memory}, nil
}

// like returns the items that match a query's words, best first. It returns all items if the query has no words
// or nothing matches.
func (l *Listing) like(query string) []Item {
	asked := rank.Asked(query)
	if len(asked) == 0 {
		return l.Items
	}
	type scored struct {
		item  Item
		score float64
	}
	var hits []scored
	for _, i := range l.Items {
		fields := []rank.Field{
			{Weight: 3, Words: rank.Words(inOrder(i.Names))}, {Weight: 2, Words: rank.Words(i.Section, strings.Join(i.Tags, " "))}, {Weight: 1, Words: rank.Words(inOrder(i.Descriptions))},
		}
		if score, _ := rank.Score(fields, asked, alike); score > 0 {
			hits = append(hits, scored{i, score})
		}
	}
	if len(hits) == 0 {
		return l.Items
	}
	slices.SortStableFunc(hits, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(language.Fold(a.item.ID), language.Fold(b.item.ID)))
	})
	out := make([]Item, len(hits))
	for n, h := range hits {
		out[n] = h.item
	}
	return out
}

func (l *Listing) dish(i Item, lang, currency string) dish {
	d := dish{
		ID: i.ID, Name: i.Name(lang), Kind: i.Kind, Section: i.Section, Description: language.Brief(i.Description(lang), 160), SoldOut: l.Gone(i), OfferingID: i.OfferingID,
	}
	if left, counted := l.Left[i.ID]; counted {
		d.Left = &left
	}
	if i.PriceMinor > 0 || i.Kind == MenuItems {
		d.Price = &money{i.PriceMinor, currency}
	}
	for _, g := range i.Options {
		out := group{ID: g.ID, Name: g.Name(lang), Min: g.Min, Max: g.Max}
		for _, c := range g.Choices {
			out.Choices = append(out.Choices, choice{c.ID, c.Name(lang), c.PriceMinor, c.SoldOut})
		}
		d.Options = append(d.Options, out)
	}
	return d
}

// Currency is that of the listing's prices: its own, else the market's.
func (l *Listing) Currency(market string) string {
	if l.Price != nil && l.Price.Currency != "" {
		return l.Price.Currency
	}
	for _, o := range l.Offerings {
		return o.Currency
	}
	return market
}
