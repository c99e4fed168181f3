package marketplace

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"time"
	"unicode"

	"merve/internal/agent"
	"merve/internal/fault"
	"merve/internal/language"
	"merve/internal/llm"
	"merve/internal/pattern"
	"merve/internal/schedule"
	"merve/internal/wording"
)

// Parsed is what an answer says, as a model or a person has read it.
type Parsed struct {
	HasStock     *bool       `json:"has_stock"`
	Price        json.Number `json:"price"` // a decimal in the request's currency
	Availability string      `json:"availability"`
	Notes        string      `json:"notes"`
}

// maxPart is the longest availability or note, in characters.
const maxPart = 500

// check holds what somebody has read to its form.
func (p *Parsed) check(currency string) error {
	switch {
	case p == nil:
		return nil
	case p.HasStock == nil:
		return fault.Field("parsed_data.has_stock", "missing")
	case len([]rune(p.Availability)) > maxPart:
		return fault.Field("parsed_data.availability", "at most %d characters", maxPart)
	case len([]rune(p.Notes)) > maxPart:
		return fault.Field("parsed_data.notes", "at most %d characters", maxPart)
	}
	if _, err := minor(p.Price, currency); err != nil {
		return fault.Field("parsed_data.price", "%v", err)
	}
	return nil
}

// minor is a decimal in the minor units of a currency; nil is none.
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

// Parser has a model read what vendors answer.
type Parser struct {
	Model llm.Model
	Now   func() time.Time
	Log   *slog.Logger
}

//go:embed parser.md
var parserPrompt string

// replySchema is the form in which an answer is read.
var replySchema = &llm.Schema{Name: "vendor_reply", JSON: json.RawMessage(`{"type":"object","additionalProperties":false,
"required":["has_stock","price","currency","availability","notes"],"properties":{
"has_stock":{"type":["boolean","null"]},"price":{"type":["number","null"]},"currency":{"type":["string","null"]},
"availability":{"type":["string","null"]},"notes":{"type":["string","null"]}}}`)}

// Parse reads an answer to a need. Nil is that it cannot be read now: the words stand for themselves then.
func (p *Parser) Parse(ctx context.Context, r Request, text string) *Parsed {
	if p == nil {
		return nil
	}
	said := mustJSON(map[string]string{"need": r.Need("en"), "currency": r.Currency, "answer": text})
	raw, _, err := agent.Once(ctx, agent.Task{
		Model: p.Model, Seed: r.ID, Schema: replySchema, Now: p.Now, Log: p.Log,
		Messages: []llm.Message{{Role: llm.System, Text: parserPrompt}, {Role: llm.User, Text: string(said)}},
	})
	if err != nil {
		p.Log.WarnContext(ctx, "answer of a vendor not read", "request", r.ID, "error", err.Error())
		return nil
	}
	var read struct {
		HasStock     *bool        `json:"has_stock"`
		Price        *json.Number `json:"price"`
		Currency     *string      `json:"currency"`
		Availability *string      `json:"availability"`
		Notes        *string      `json:"notes"`
	}
	if err := json.Unmarshal([]byte(raw), &read); err != nil {
		p.Log.WarnContext(ctx, "answer of a vendor not read", "request", r.ID, "error", err.Error())
		return nil
	}
	out := &Parsed{HasStock: read.HasStock}
	if read.Price != nil && (read.Currency == nil || strings.EqualFold(*read.Currency, r.Currency)) && stands(*read.Price, text) {
		out.Price = *read.Price
	}
	if read.Availability != nil {
		out.Availability = clip(*read.Availability, maxPart)
	}
	if read.Notes != nil {
		out.Notes = clip(*read.Notes, maxPart)
	}
	return out
}

// stands reports whether a figure stands in a text: a price that a model has come up with is none.
func stands(price json.Number, text string) bool {
	r, ok := rat(price)
	if !ok {
		return false
	}
	for _, figure := range figures(text) {
		if n, ok := rat(json.Number(figure)); ok && n.Cmp(r) == 0 {
			return true
		}
	}
	return false
}

// figures are the numbers of a text, each in the ways in which it can be read: "1.500" is one and a half, and
// one thousand five hundred.
func figures(text string) []string {
	var all []string
	words := strings.FieldsFunc(language.Digits(text), func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' && r != '\'' && r != '’' })
	for _, w := range words {
		w = strings.Trim(w, ".,'’")
		if w == "" {
			continue
		}
		all = append(all, separators.Replace(w))
		if i := strings.LastIndexAny(w, ".,"); i >= 0 {
			all = append(all, separators.Replace(w[:i])+"."+w[i+1:])
		}
	}
	return all
}

var separators = strings.NewReplacer(".", "", ",", "", "'", "", "’", "")

// quote is what a vendor's answer says.
func (b *Broker) quote(ctx context.Context, v View, text, message string, p *Parsed, now time.Time) Quote {
	q := Quote{Text: clip(text, 4*MaxText), Message: message, At: now, Until: now.Add(quoteFor)}
	if p == nil {
		p = b.Parser.Parse(ctx, v.Request, text)
	}
	if p == nil {
		return q
	}
	q.HasStock, q.Availability, q.Notes = p.HasStock, p.Availability, p.Notes
	q.PriceMinor, _ = minor(p.Price, v.Currency) // more decimals than the currency has are no price
	return q
}
