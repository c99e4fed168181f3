package order

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/record/listing"
	"merve/internal/tenant/channel"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Wanted is one position as it was asked for.
type Wanted struct {
	Item     string   // id, or its name
	Quantity int      // 0 is 1
	Options  []string // ids of choices, or their names
	Note     string
}

// Price makes the lines of an order from the customer's wishes and the items that a listing's action is
// about: names, options and prices are the listing's. Errors name the position, and the choices
// there are. They also report an item whose positions together exceed the number left, if the listing's counts
// were read.
func Price(l *listing.Listing, action listing.Action, lang string, wanted []Wanted) (lines []Line, totalMinor int64, err error) {
	if len(wanted) == 0 || len(wanted) > MaxLines {
		return nil, 0, fault.Field("items", "want 1 to %d", MaxLines)
	}
	of := map[string]int{} // how many of each item, over all positions
	for n, w := range wanted {
		line, err := price(l, action, lang, w, fmt.Sprintf("items[%d]", n))
		if err != nil {
			return nil, 0, err
		}
		of[line.Item] += line.Quantity
		switch left, counted := l.Left[line.Item]; {
		case of[line.Item] > maxQuantity:
			return nil, 0, fault.Field(fmt.Sprintf("items[%d].quantity", n), "at most %d of %s in all", maxQuantity, line.Name)
		case counted && of[line.Item] > left:
			return nil, 0, fault.Field(fmt.Sprintf("items[%d].quantity", n), "only %d of %s left: ask the customer whether to take fewer, or something else", left, line.Name)
		}
		lines = append(lines, line)
		totalMinor += line.TotalMinor
	}
	return lines, totalMinor, nil
}

func price(l *listing.Listing, action listing.Action, lang string, w Wanted, at string) (Line, error) {
	item, ok := find(l, w.Item)
	quantity := max(w.Quantity, 1)
	switch {
	case !ok:
		return Line{}, fault.Field(at+".itemId", "no such item on the menu; there is: %s", menu(l, action, lang))
	case !orderable(action, item):
		return Line{}, fault.Field(at+".itemId", "%s is not ordered like this, and booked where it has an offeringId; there is: %s", item.Name(lang), menu(l, action, lang))
	case l.Gone(item):
		return Line{}, fault.Field(at+".itemId", "%s is sold out; there is: %s", item.Name(lang), menu(l, action, lang))
	case w.Quantity < 0 || quantity > maxQuantity:
		return Line{}, fault.Field(at+".quantity", "want 1 to %d", maxQuantity)
	case utf8.RuneCountInString(w.Note) > MaxNote:
		return Line{}, fault.Field(at+".note", "at most %d characters", MaxNote)
	}
	options, extra, err := choose(item, lang, w.Options, at)
	if err != nil {
		return Line{}, err
	}
	return Line{
		Item: item.ID, Name: item.Name(lang), Options: options, Quantity: quantity,
		TotalMinor: int64(quantity) * (item.PriceMinor + extra), Note: strings.TrimSpace(w.Note),
	}, nil
}

// orderable reports whether the action takes orders of an item. One with an offering is held in the
// ledger, which says how many there are.
func orderable(action listing.Action, item listing.Item) bool {
	return item.OfferingID == "" && (action.DataKind == "" || action.DataKind == item.Kind)
}

// counted is how many lines take of the items that are counted.
func counted(l *listing.Listing, lines []Line) map[string]int {
	var of map[string]int
	for _, line := range lines {
		if _, counted := l.Left[line.Item]; counted {
			if of == nil {
				of = map[string]int{}
			}
			of[line.Item] += line.Quantity
		}
	}
	return of
}

// find takes an item by its id, else by a name that is one item's only.
func find(l *listing.Listing, asked string) (listing.Item, bool) {
	if item, ok := l.Item(asked); ok {
		return item, true
	}
	var found []listing.Item
	for _, i := range l.Items {
		if named(i.Names, asked) {
			found = append(found, i)
		}
	}
	if len(found) != 1 {
		return listing.Item{}, false
	}
	return found[0], true
}

func named(names map[string]string, asked string) bool {
	for _, name := range names {
		if asked != "" && language.Fold(name) == language.Fold(asked) {
			return true
		}
	}
	return false
}

// choose finds the asked options in their groups, and holds each group to its numbers.
func choose(item listing.Item, lang string, asked []string, at string) (names []string, extraMinor int64, err error) {
	taken := map[string]bool{}
	for _, g := range item.Options {
		n := 0
		var left []listing.Choice
		for _, c := range g.Choices {
			i := slices.IndexFunc(asked, func(a string) bool { return !taken[a] && (a == c.ID || named(c.Names, a)) })
			if i < 0 {
				left = append(left, c)
				continue
			}
			if c.SoldOut {
				return nil, 0, fault.Field(at+".options", "%s is sold out; %s: %s", c.Name(lang), g.Name(lang), choices(g, lang))
			}
			taken[asked[i]] = true
			names, extraMinor, n = append(names, c.Name(lang)), extraMinor+c.PriceMinor, n+1
		}
		if n < g.Min || n > g.Max {
			err := fault.Field(at+".options", "%s: want %s of: %s", g.Name(lang), span(g.Min, g.Max), choices(g, lang))
			if n < g.Min {
				err = &unchosen{err, slices.DeleteFunc(left, func(c listing.Choice) bool { return c.SoldOut })}
			}
			return nil, 0, err
		}
	}
	for _, a := range asked {
		if !taken[a] {
			return nil, 0, fault.Field(at+".options", "%s has no option %q", item.Name(lang), a)
		}
	}
	return names, extraMinor, nil
}

// unchosen says that something is still to be chosen of an item.
type unchosen struct {
	error
	left []listing.Choice
}

func (u *unchosen) Unwrap() error { return u.error }

// toChoose are the options that an error of [Price] asks for.
func toChoose(err error, lang, currency string) (all []channel.Choice) {
	var u *unchosen
	if !errors.As(err, &u) {
		return nil
	}
	for _, c := range u.left {
		o := channel.Choice{Label: c.Name(lang)}
		if c.PriceMinor > 0 {
			o.Detail = "+" + wording.Money(lang, c.PriceMinor, currency)
		}
		all = append(all, o)
	}
	return all
}

func span(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

func choices(g listing.OptionGroup, lang string) string {
	var all []string
	for _, c := range g.Choices {
		if !c.SoldOut {
			all = append(all, c.Name(lang)+" ("+c.ID+")")
		}
	}
	return strings.Join(all, ", ")
}

// menu names what can be had, for somebody who asked for something else.
func menu(l *listing.Listing, action listing.Action, lang string) string {
	var all []string
	for _, i := range l.Items {
		if orderable(action, i) && !l.Gone(i) && len(all) < 20 {
			all = append(all, i.Name(lang)+" ("+i.ID+")")
		}
	}
	if len(all) == 0 {
		return "nothing at the moment"
	}
	return strings.Join(all, ", ")
}
