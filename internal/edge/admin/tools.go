package admin

import (
	"net/http"
	"slices"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/edge/httpapi"
	"merve/internal/record/listing"
	"merve/internal/spine/assistant"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
)

// tools are the tools of a market with their policies, and the vocabulary of the settings.
type tools struct {
	tenants
	Tools      *tool.Registry
	Assistants *assistant.Set
}

func (h tools) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/tools": h.list,
		"GET /admin/api/vocabulary":             h.vocabulary,
	}
}

// setting is a value in force and where it comes from: effect (the default of the tool's effect),
// market (the market's setting of the tool) or requireConfirmFor.
type setting struct {
	Value bool   `json:"value"`
	From  string `json:"from"`
}

// toolPolicy is a tool and its policy in a market.
type toolPolicy struct {
	Name         string      `json:"name"`
	Description  string      `json:"description"` // for the model
	Effect       tool.Effect `json:"effect"`
	Assistants   []string    `json:"assistants"`
	Listings     bool        `json:"listings"` // touches listings, which have tags
	Bounds       []string    `json:"bounds"`   // settings by which it can be bounded
	Enabled      setting     `json:"enabled"`
	Confirmation setting     `json:"confirmation"`
	Fixed        bool        `json:"confirmationFixed"` // no setting turns it off
	AllowedTags  []string    `json:"allowedTags"`
	Event        string      `json:"event,omitempty"` // that its template words; absent if it has no template
	Template     string      `json:"template,omitempty"`
}

// list lists the policy in force for every tool in a market.
func (h tools) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	m, err := h.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	all := []toolPolicy{}
	for _, name := range h.Tools.Names() {
		t, _ := h.Tools.Get(name)
		all = append(all, policyOf(t, m, h.Assistants))
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"tools": all, "version": m.Version})
}

func policyOf(t tool.Tool, m *market.Market, assistants *assistant.Set) toolPolicy {
	own := m.Tools[t.Name]
	p := toolPolicy{
		Name: t.Name, Description: t.Description, Effect: t.Effect, Assistants: answering(t.Name, assistants), Listings: t.Listings, Bounds: orNone(t.Bounds()),
		Enabled: setting{true, "effect"}, Confirmation: setting{asks(t, m), "effect"}, AllowedTags: orNone(own.AllowedTags),
		Event: market.ToolEvents()[t.Name], Template: own.Template,
	}
	if own.Enabled != nil {
		p.Enabled = setting{*own.Enabled, "market"}
	}
	bare := market.Default(m.ID)
	switch p.Fixed = asks(t, bare); {
	case p.Fixed:
	case slices.Contains(m.Safety.RequireConfirmFor, t.Name):
		p.Confirmation.From = "requireConfirmFor"
	case own.RequireConfirmation != nil:
		p.Confirmation.From = "market"
	}
	return p
}

// answering returns the names of the assistants that have a tool.
func answering(name string, assistants *assistant.Set) []string {
	all := []string{}
	for _, kind := range assistants.Kinds() {
		a, err := assistants.For(kind.Type, kind.Assistant)
		if err == nil && slices.Contains(a.Tools, name) && !slices.Contains(all, a.Name) {
			all = append(all, a.Name)
		}
	}
	return all
}

// asks reports whether the customer is asked before the tool has an effect. A tool that proposes asks
// by itself.
func asks(t tool.Tool, m *market.Market) bool {
	if t.Effect == tool.Propose && !t.Draft {
		return true
	}
	open := *m
	open.Enabled, open.Tools = true, map[string]market.ToolPolicy{t.Name: {RequireConfirmation: m.Tools[t.Name].RequireConfirmation}}
	verdict, _ := tool.May(t, tool.Situation{Set: []string{t.Name}, Market: &open})
	return verdict == tool.Confirm
}

func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// vocabulary lists the values that settings can have, and the defaults.
func (h tools) vocabulary(w http.ResponseWriter, _ *http.Request, _ actor.Actor) error {
	type spoken struct {
		Tag  string `json:"tag"`
		Name string `json:"name"`
	}
	var languages []spoken
	for _, tag := range language.Supported() {
		languages = append(languages, spoken{tag, language.Name(tag)})
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{
		"languages": languages, "events": market.Events(), "actionTypes": listing.ActionTypes(), "dataKinds": listing.DataKinds(),
		"defaults": market.Default("default"),
	})
}
