package market

import (
	"slices"

	"merve/internal/base/fault"
	"merve/internal/words/language"
)

// ToolBounds are what a market lets a tool look for, or touch. What is zero has no bound.
type ToolBounds struct {
	Categories      []string `dynamodbav:"categories,omitempty" json:"categories,omitempty"` // of listings or places
	MaxPriceMinor   int64    `dynamodbav:"maxPrice,omitempty" json:"maxPriceMinor,omitempty"`
	MaxRadiusMeters int      `dynamodbav:"maxRadius,omitempty" json:"maxRadiusMeters,omitempty"` // from the customer, where that is known
	MaxPeople       int      `dynamodbav:"maxPeople,omitempty" json:"maxPeople,omitempty"`
}

// Touched is a listing as a tool's policy looks at it.
type Touched struct {
	Tags   []string
	Kinds  []string // its category and sub-category
	Price  int64    // the least that something of it costs, in minor units; 0 is not known
	Meters float64  // from the customer; 0 is not known
}

// Allows reports whether the policy lets a tool touch a listing.
func (p ToolPolicy) Allows(x Touched) bool {
	tagged := func(tag string) bool { return slices.Contains(x.Tags, tag) }
	if len(p.AllowedTags) > 0 && !slices.ContainsFunc(p.AllowedTags, tagged) {
		return false
	}
	b := p.bounds()
	switch {
	case len(b.Categories) > 0 && !slices.ContainsFunc(x.Kinds, b.HasCategory):
		return false
	case b.MaxPriceMinor > 0 && x.Price > b.MaxPriceMinor:
		return false
	}
	return b.MaxRadiusMeters == 0 || x.Meters <= float64(b.MaxRadiusMeters)
}

func (p ToolPolicy) bounds() ToolBounds {
	if p.Bounds == nil {
		return ToolBounds{}
	}
	return *p.Bounds
}

// HasCategory reports whether a category is one of those allowed, in whichever case.
func (b ToolBounds) HasCategory(category string) bool {
	return slices.ContainsFunc(b.Categories, func(c string) bool { return language.Fold(c) == language.Fold(category) })
}

// check names what is wrong by its path below at.
func (b *ToolBounds) check(at string) error {
	switch {
	case b == nil:
		return nil
	case slices.Contains(b.Categories, ""):
		return fault.Field(at+".categories", "want names of categories")
	case b.MaxPriceMinor < 0:
		return fault.Field(at+".maxPriceMinor", "want minor units, or 0 for any price")
	case b.MaxRadiusMeters < 0:
		return fault.Field(at+".maxRadiusMeters", "want metres, or 0 for any distance")
	case b.MaxPeople < 0:
		return fault.Field(at+".maxPeople", "want a number of people, or 0 for any")
	}
	return nil
}
