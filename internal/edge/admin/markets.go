package admin

import (
	"net/http"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/assistant"
	"merve/internal/tenant/market"
)

// markets are the markets of the tenant, with their versions.
type markets struct {
	tenants
	Tools      *tool.Registry
	Assistants *assistant.Set
}

func (h markets) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets":                   h.list,
		"GET /admin/api/markets/{market}":          h.one,
		"PUT /admin/api/markets/{market}":          h.save,
		"GET /admin/api/markets/{market}/versions": h.versions,
	}
}

func (h markets) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	ids, err := h.Markets.List(r.Context())
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"markets": ids})
}

func (h markets) one(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	m, err := h.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	return httpapi.WriteJSON(w, http.StatusOK, m)
}

// save stores a market's configuration. Its version must be the stored one.
func (h markets) save(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	m := market.Default(r.PathValue("market"))
	if err := httpapi.ReadJSON(w, r, m); err != nil {
		return err
	}
	if m.ID != r.PathValue("market") {
		return fault.Field("id", "must be the one in the address")
	}
	for name := range m.Tools {
		if _, known := h.Tools.Get(name); !known {
			return fault.Field("tools."+name, "no such tool: want some of %v", h.Tools.Names())
		}
	}
	for name := range m.Voices {
		if h.Assistants.Named(name) == nil {
			return fault.Field("voices."+name, "no such assistant")
		}
	}
	if err := h.Tools.CheckPolicies(m); err != nil {
		return err
	}
	for _, name := range m.Safety.RequireConfirmFor {
		if _, known := h.Tools.Get(name); !known { // a misspelt name would leave the tool it means without a confirmation
			return fault.Field("safety.requireConfirmFor", "no such tool as %q: want some of %v", name, h.Tools.Names())
		}
	}
	saved, err := h.Markets.Save(r.Context(), *m, who.Key())
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, saved)
}

func (h markets) versions(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	vs, err := h.Markets.Versions(r.Context(), r.PathValue("market"), limit)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"versions": vs})
}
