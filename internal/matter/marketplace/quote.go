package marketplace

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode"

	"merve/internal/agent"
	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/matter/quote/price"
	"merve/internal/model/llm"
	"merve/internal/spine/thread"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Parsed is what an answer says, as a model or a person has read it. What its price is, the backend reads in the answer itself.
type Parsed struct {
	HasStock     *bool       `json:"has_stock"`
	Price        json.Number `json:"price"` // checked for its form only
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
"required":["has_stock","availability","notes"],"properties":{"has_stock":{"type":["boolean","null"]},
"availability":{"type":["string","null"]},"notes":{"type":["string","null"]}}}`)}

// Parse reads an answer to a need. Nil is that it cannot be read now: the words stand for themselves then.
func (p *Parser) Parse(ctx context.Context, r Request, text string) *Parsed {
	if p == nil {
		return nil
	}
	said := mustJSON(map[string]string{"need": r.Need("en"), "answer": text})
	raw, _, err := agent.Once(ctx, agent.Task{
		Model: p.Model, Seed: r.ID, Schema: replySchema, Now: p.Now, Log: p.Log,
		Messages: []llm.Message{{Role: llm.System, Text: parserPrompt}, {Role: llm.User, Text: string(said)}},
	})
	if err != nil {
		p.Log.WarnContext(ctx, "answer of a vendor not read", "request", r.ID, "error", err.Error())
		return nil
	}
	var read struct {
		HasStock     *bool  `json:"has_stock"`
		Availability string `json:"availability"`
		Notes        string `json:"notes"`
	}
	if err := json.Unmarshal([]byte(raw), &read); err != nil {
		p.Log.WarnContext(ctx, "answer of a vendor not read", "request", r.ID, "error", err.Error())
		return nil
	}
	return &Parsed{HasStock: read.HasStock, Availability: clip(read.Availability, maxPart), Notes: clip(read.Notes, maxPart)}
}

// maxQuoted is the longest answer that is taken for a quote, in characters: the client is shown all of it.
const maxQuoted = 4 * MaxText

// quote is what a vendor's answer says. What somebody has read in it may only point at its words, unless a person at the desk has
// heard it.
func (b *Broker) quote(ctx context.Context, v View, o Outreach, a answer, p *Parsed, now time.Time) Quote {
	q := Quote{Text: clip(a.text, maxQuoted), Message: a.message, NotedBy: a.notedBy, At: now, Until: now.Add(quoteFor)}
	if p == nil {
		p = b.Parser.Parse(ctx, v.Request, a.text)
	}
	if p != nil {
		q.HasStock, q.Availability, q.Notes = p.HasStock, p.Availability, p.Notes
		if q.NotedBy == "" {
			q.Availability, q.Notes = pointed(a.text, p.Availability), pointed(a.text, p.Notes)
		}
	}
	q.names(price.Read(uncoded(a.text, o.Code), v.Currency))
	if q.Text != strings.TrimSpace(a.text) {
		q.names(price.Price{Status: price.Unclear})
	}
	return q
}

// names takes in what a quote says of its price.
func (q *Quote) names(p price.Price) {
	q.Status, q.Currency, q.PriceMinor = p.Status, p.Currency, nil
	if p.Currency != "" {
		q.PriceMinor = &p.Minor
	}
}

// in is the currency of a quote of a request.
func (q *Quote) in(r Request) string { return cmp.Or(q.Currency, r.Currency) }

// declines reports whether a quote says that there is nothing.
func (q *Quote) declines() bool { return q.HasStock != nil && !*q.HasStock }

// keeps reports whether an earlier quote stands after an answer: one without a price changes no price.
func (q *Quote) keeps(before *Quote) bool {
	return before != nil && q.Status == price.None && !q.declines() && !before.declines() && q.At.Before(before.Until) &&
		(before.PriceMinor != nil || before.Status == price.Unclear)
}

// pointed are words of a text, as somebody has read them in it; "" is that they do not stand there.
func pointed(text, words string) string {
	if !strings.Contains(language.Fold(text), language.Fold(words)) {
		return ""
	}
	return words
}

// uncoded is a text without a code.
func uncoded(text, code string) string {
	parts := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, w := range strings.FieldsFunc(text, parts) {
		if strings.EqualFold(w, code) {
			text = strings.Replace(text, w, " ", 1)
		}
	}
	return text
}

// answer is what a vendor said.
type answer struct {
	text, message string
	notedBy       string // who at the desk has heard it by telephone; "" is written
}

// answered finds what a call records: a message on the vendor's thread, as it stands there, or what a named person at the desk has heard.
// why says that it is neither.
func (b *Broker) answered(ctx context.Context, c *call, o Outreach, in VendorReply) (a answer, why string, err error) {
	onThread, _ := o.ids(in.ID)
	m, ok, err := b.Threads.Said(ctx, o.Thread, onThread)
	switch {
	case err != nil:
		return answer{}, "", fmt.Errorf("message of a vendor: %w", err)
	case ok:
		a := answer{text: without(m.Text, o.Code), message: m.ID}
		why, err := b.another(ctx, o, m)
		if said := strings.TrimSpace(in.Message); why == "" && said != strings.TrimSpace(m.Text) && said != a.text {
			why = "the vendor wrote something else in this message: give its text as it stands on their thread"
		}
		return a, why, err
	case c.Meta.Actor == Admin && c.By.IsStaff() && strings.TrimSpace(c.By.Name) != "":
		return answer{text: in.Message, message: in.ID, notedBy: clip(c.By.Name, maxVendorName)}, "", nil
	}
	why = "the vendor has written no such message: only one on their thread is recorded, or what a named person at the desk has heard"
	return answer{}, why, nil
}

// another says that a message on a vendor's thread is no answer to an outreach; "" is that it may be one.
func (b *Broker) another(ctx context.Context, o Outreach, m thread.Message) (why string, err error) {
	if m.At.Before(o.AskedAt) {
		return "the vendor wrote this before they were asked", nil
	}
	quoted, err := b.Outbox.Quoted(ctx, o.Thread, m.ReplyTo)
	if err != nil {
		return "", err
	}
	if quoted.About != "" && quoted.About != o.Code {
		return fmt.Sprintf("the message answers another request (%s)", quoted.About), nil
	}
	codes := codesIn(m.Text)
	if len(codes) == 0 || slices.Contains(codes, o.Code) {
		return "", nil
	}
	all, err := b.Store.askedOf(ctx, o.Market, o.Number)
	for _, other := range all {
		if slices.Contains(codes, other.Code) {
			return fmt.Sprintf("the message names another request (%s)", other.Code), nil
		}
	}
	return "", err
}
