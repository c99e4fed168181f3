// Package quote reads what vendors quote. A [Parser] asks a model to read their words. [Jobs] keeps the pictures that wait to be
// read, and the results.
//
//	request#{id}   ~ocr#{job}   a picture to be read, with what was read; in index due until it ends
//
// (table records).
//
// Promises: a vendor's words are quoted, and never obeyed. A price is read in them by package price, never by a model, and one
// that is not clear is accepted by nobody. Of a picture, only figures that need no check make a price.
package quote

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"merve/internal/base/pattern"
	"merve/internal/matter/quote/price"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// Quote is what a vendor answered.
type Quote struct {
	HasStock     *bool        `dynamodbav:"hasStock,omitempty"` // nil is not said
	PriceMinor   *int64       `dynamodbav:"price,omitempty"`    // nil has no clear price
	Currency     string       `dynamodbav:"currency,omitempty"` // of the price; "" is the request's
	Status       price.Status `dynamodbav:"status,omitempty"`   // of the price; "" was taken in before prices had one
	NotedBy      string       `dynamodbav:"notedBy,omitempty"`  // who at the desk has heard it by telephone
	Availability string       `dynamodbav:"availability,omitempty"`
	Notes        string       `dynamodbav:"notes,omitempty"`
	Text         string       `dynamodbav:"text"` // the vendor's own words
	Message      string       `dynamodbav:"message"`
	At           time.Time    `dynamodbav:"at"`
	Until        time.Time    `dynamodbav:"until"` // it can be accepted so long
}

// Offers reports whether a quote can be accepted at a time. One whose price is not clear cannot be.
func (q *Quote) Offers(at time.Time) bool {
	return q != nil && q.Status != price.Unclear && (q.HasStock == nil && q.PriceMinor != nil || q.HasStock != nil && *q.HasStock) && at.Before(q.Until)
}

// names sets the price of a quote.
func (q *Quote) names(p price.Price) {
	q.Status, q.Currency, q.PriceMinor = p.Status, p.Currency, nil
	if p.Currency != "" {
		q.PriceMinor = &p.Minor
	}
}

// In is the currency of a quote of a request that has one of its own.
func (q *Quote) In(currency string) string { return cmp.Or(q.Currency, currency) }

// Declines reports whether a quote says that there is nothing.
func (q *Quote) Declines() bool { return q.HasStock != nil && !*q.HasStock }

// Keeps reports whether an earlier quote stands after an answer: one without a price changes no price.
func (q *Quote) Keeps(before *Quote) bool {
	return before != nil && q.Status == price.None && !q.Declines() && !before.Declines() && q.At.Before(before.Until) &&
		(before.PriceMinor != nil || before.Status == price.Unclear)
}

// Worded are all that a vendor said.
func (q *Quote) Worded(lang string) string {
	words := wording.Quote(lang, q.Text)
	if q.NotedBy == "" {
		return words
	}
	return wording.Say(lang, wording.RequestNotedBy, wording.Vars{"words": words, "name": q.NotedBy})
}

// Shown is a quote as callers see it. What the vendor wrote is data.
type Shown struct {
	HasStock     *bool        `json:"has_stock,omitempty"`
	Price        json.Number  `json:"price,omitempty"` // in its own currency
	Currency     string       `json:"currency,omitempty"`
	PriceStatus  price.Status `json:"price_status,omitempty"`
	NotedBy      string       `json:"noted_by,omitempty"` // who at the desk has heard it by telephone
	Availability string       `json:"availability,omitempty"`
	Notes        string       `json:"notes,omitempty"`
	Text         string       `json:"text"`
	ExpiresAt    string       `json:"expires_at"`
	Acceptable   bool         `json:"acceptable"` // it can be accepted now
}

func (q *Quote) Shown(currency string, now time.Time) *Shown {
	if q == nil {
		return nil
	}
	s := &Shown{
		PriceStatus: q.Status, NotedBy: q.NotedBy,
		HasStock: q.HasStock, Availability: q.Availability, Notes: q.Notes, Text: q.Text,
		ExpiresAt: q.Until.UTC().Format(time.RFC3339), Acceptable: q.Offers(now),
	}
	if q.PriceMinor != nil {
		s.Currency = q.In(currency)
		s.Price = Decimal(*q.PriceMinor, s.Currency)
	}
	return s
}

// Decimal is an amount of minor units as a decimal of its currency.
func Decimal(minor int64, currency string) json.Number {
	places := wording.Decimals(currency)
	digits := strconv.FormatInt(minor, 10)
	if places == 0 {
		return json.Number(digits)
	}
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, part := digits[:len(digits)-places], strings.TrimRight(digits[len(digits)-places:], "0")
	if part == "" {
		return json.Number(whole)
	}
	return json.Number(whole + "." + part)
}

// minor is a decimal in the minor units of a currency; nil for no decimal.
func minor(price json.Number, currency string) (*int64, error) {
	if price == "" {
		return nil, nil
	}
	r, ok := rat(price)
	if !ok {
		return nil, fmt.Errorf("want a decimal that is not negative")
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(wording.Decimals(currency))), nil)
	r.Mul(r, new(big.Rat).SetInt(scale))
	if !r.IsInt() {
		return nil, fmt.Errorf("has more decimals than %s has", currency)
	}
	n := r.Num()
	if !n.IsInt64() || !schedule.IsPrice(n.Int64()) {
		return nil, fmt.Errorf("want 0 or more, and no more than can be paid")
	}
	v := n.Int64()
	return &v, nil
}

// plain is a decimal without an exponent, which could make a number of any size.
var plain = pattern.New(`^[0-9]{1,15}(\.[0-9]{1,15})?$`)

func rat(price json.Number) (*big.Rat, bool) {
	if !plain.MatchString(price.String()) {
		return nil, false
	}
	return new(big.Rat).SetString(price.String())
}
