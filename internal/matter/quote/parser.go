package quote

import (
	"context"
	_ "embed"
	"encoding/json"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"merve/internal/agent"
	"merve/internal/base/fault"
	"merve/internal/matter/quote/price"
	"merve/internal/model/llm"
	"merve/internal/words/language"
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

// Check holds what somebody has read to its form.
func (p *Parsed) Check(currency string) error {
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
func (p *Parser) Parse(ctx context.Context, of About, text string) *Parsed {
	if p == nil {
		return nil
	}
	said, _ := json.Marshal(map[string]string{"need": of.Need, "answer": text}) // strings always marshal
	raw, _, err := agent.Once(ctx, agent.Task{
		Model: p.Model, Seed: of.Request, Schema: replySchema, Now: p.Now, Log: p.Log,
		Messages: []llm.Message{{Role: llm.System, Text: parserPrompt}, {Role: llm.User, Text: string(said)}},
	})
	if err != nil {
		p.Log.WarnContext(ctx, "answer of a vendor not read", "request", of.Request, "error", err.Error())
		return nil
	}
	var read struct {
		HasStock     *bool  `json:"has_stock"`
		Availability string `json:"availability"`
		Notes        string `json:"notes"`
	}
	if err := json.Unmarshal([]byte(raw), &read); err != nil {
		p.Log.WarnContext(ctx, "answer of a vendor not read", "request", of.Request, "error", err.Error())
		return nil
	}
	return &Parsed{HasStock: read.HasStock, Availability: trimmed(read.Availability, maxPart), Notes: trimmed(read.Notes, maxPart)}
}

// maxAnswer is the longest answer that is taken for a quote, in characters: the client is shown all of it.
const maxAnswer = 4000

// quoteFor is how long a quote can be accepted.
const quoteFor = 48 * time.Hour

// trimmed is a text without what surrounds it, no longer than can be shown.
func trimmed(s string, most int) string { return language.Clip(strings.TrimSpace(s), most) }

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

// Words is what a vendor said.
type Words struct {
	Text, Message string
	NotedBy       string // who at the desk has heard it by telephone; "" is written
}

// About is what an answer is an answer to.
type About struct {
	Request  string // its id
	Need     string // in English
	Currency string
	Code     string // that tells the vendor which question it is
}

// Quote is what a vendor's answer says. What somebody has read in it may only point at its words, unless a person at the desk
// has heard it.
func (p *Parser) Quote(ctx context.Context, of About, a Words, read *Parsed, now time.Time) Quote {
	q := Quote{Text: trimmed(a.Text, maxAnswer), Message: a.Message, NotedBy: a.NotedBy, At: now, Until: now.Add(quoteFor)}
	if read == nil {
		read = p.Parse(ctx, of, a.Text)
	}
	if read != nil {
		q.HasStock, q.Availability, q.Notes = read.HasStock, read.Availability, read.Notes
		if q.NotedBy == "" {
			q.Availability, q.Notes = pointed(a.Text, read.Availability), pointed(a.Text, read.Notes)
		}
	}
	q.names(price.Read(uncoded(a.Text, of.Code), of.Currency))
	if q.Text != strings.TrimSpace(a.Text) {
		q.names(price.Price{Status: price.Unclear})
	}
	return q
}
