package request

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/callconsent"
	"merve/internal/matter/quote"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
	"merve/internal/tenant/person"
	"merve/internal/words/claim"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// Quotes are the quotes of a request side by side, a line and a card each, the cheapest first as they came.
func (v View) Quotes(lang string, now time.Time) (lines []string, cards []map[string]any) {
	for _, o := range v.Outreach {
		if !o.Quote.Offers(now) {
			continue
		}
		vars := v.acceptVars(lang, o)
		vars["number"] = strconv.Itoa(len(lines) + 1)
		lines = append(lines, wording.Say(lang, wording.RequestQuoteLine, vars))
		card := map[string]any{
			"type": "quote", "id": o.ID, "title": o.Name, "request": v.ID, "text": o.Quote.Text, "expiresAt": o.Quote.Until.UTC().Format(time.RFC3339),
		}
		if o.Quote.PriceMinor != nil {
			card["price"] = map[string]any{"amount": *o.Quote.PriceMinor, "currency": o.Quote.In(v.Currency)}
		}
		if o.Quote.Availability != "" {
			card["availability"] = o.Quote.Availability
		}
		if o.Quote.Notes != "" {
			card["notes"] = o.Quote.Notes
		}
		cards = append(cards, card)
	}
	return lines, cards
}

// StandingKind is the kind of requests among what stands of a conversation.
const StandingKind = "request"

// worded are what has become of a request that stands, as the standing line says it.
var worded = map[State]standing.Word{
	Asking: standing.Requested, Quoted: standing.Requested, Presented: standing.Requested, Accepted: standing.Accepted,
	Fulfilled: standing.Completed, Cancelled: standing.Cancelled,
}

// Item is a request among what stands of a conversation; ok is false while nobody was asked.
func Item(lang string, v View) (i standing.Item, ok bool) {
	word, ok := worded[v.State]
	if !ok {
		return standing.Item{}, false
	}
	i = standing.Item{
		Kind: StandingKind, Ref: v.ID, Code: v.Code, State: string(v.State), Word: word, Figures: v.Category, Over: !v.State.Open(), Bears: v.facts(),
	}
	if v.State == Accepted {
		i.Bears = append(i.Bears, string(claim.Ordered))
	}
	i.Summary = standing.Described(lang, strings.ReplaceAll(v.Need(lang), "\n", " "), word, v.Code)
	return i, true
}

// stand is a request in a state among what stands of its conversation; nil is not: nobody was asked yet, or it is over.
func (r Request) stand(in State) *thread.Stand {
	if _, ok := worded[in]; !ok || !in.Open() {
		return nil
	}
	return &thread.Stand{Thread: r.Thread, Kind: StandingKind, ID: r.ID, Start: r.CreatedAt}
}

// Standing finds the requests of a conversation.
type Standing struct{ Store *Store }

// At is where the one with an id is kept.
func (s Standing) At(_ thread.Head, id string) dynamo.Place {
	return dynamo.Place{Table: s.Store.Table, Key: headKey(id)}
}

// Read is what was found there.
func (s Standing) Read(tc tool.Context, it dynamo.Item) (standing.Item, bool, error) {
	var v View
	if err := it.Decode(&v.Request); err != nil {
		return standing.Item{}, false, fmt.Errorf("request that stands: %w", err)
	}
	i, ok := Item(tc.Language, v)
	return i, ok, nil
}

// Coded finds the one that the client's code names. Requests as [Store.Mine].
func (s Standing) Coded(ctx context.Context, tc tool.Context, code string) (standing.Item, bool, error) {
	if !vendor.IsCode(code) {
		return standing.Item{}, false, nil
	}
	all, err := s.Store.Mine(ctx, tc.Actor, tc.Market.ID)
	if err != nil {
		return standing.Item{}, false, err
	}
	for _, r := range all {
		if i, ok := Item(tc.Language, View{Request: r}); ok && r.Code == code {
			return i, true, nil
		}
	}
	return standing.Item{}, false, nil
}

// Held exports and erases a person's requests.
type Held struct {
	Store *Store
	Files interface { // of pictures; nil keeps no files
		Forget(ctx context.Context, prefix string) error
	}
}

// Holds names the requests in an export.
func (Held) Holds() string { return "marketplaceRequests" }

// Exported is a request as its client is given it: vendors by their names, without their numbers.
type Exported struct {
	ID           string         `json:"id"`
	Code         string         `json:"code"`
	Category     string         `json:"category"`
	Requirements Requirements   `json:"requirements"`
	State        State          `json:"state"`
	CreatedAt    time.Time      `json:"createdAt"`
	Outreach     vendor.Summary `json:"outreach"`

	Consents []callconsent.Shown `json:"callConsents,omitempty"`
}

// Export returns all requests of the person.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	return person.Exported(h.all(ctx, s, func(v View) Exported {
		now := h.Store.now()
		return Exported{
			v.ID, v.Code, v.Category, v.Requirements, v.State, v.CreatedAt, vendor.Summarize(v.Outreach, v.Currency, now), callconsent.ShowAll(v.Consents, now),
		}
	}))
}

// Erase deletes them.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	views, err := h.views(ctx, s)
	for _, v := range views {
		if h.Files != nil && len(v.Jobs) > 0 {
			if err := h.Files.Forget(ctx, quote.FilesOf(v.ID)); err != nil {
				return nil, err
			}
		}
		if err := h.Store.Erase(ctx, v); err != nil {
			return nil, err
		}
	}
	return nil, err
}

func (h Held) all(ctx context.Context, s person.Subject, as func(View) Exported) ([]Exported, error) {
	views, err := h.views(ctx, s)
	all := make([]Exported, len(views))
	for i, v := range views {
		all[i] = as(v)
	}
	return all, err
}

func (h Held) views(ctx context.Context, s person.Subject) ([]View, error) {
	mine, err := h.Store.owned(ctx, s.Owner)
	if err != nil {
		return nil, err
	}
	var all []View
	for _, r := range mine {
		if r.Market != s.Market {
			continue
		}
		v, err := h.Store.View(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
