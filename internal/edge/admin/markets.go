package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/tenant/market"
)

func (a *API) markets(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	ids, err := a.Markets.List(r.Context())
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"markets": ids})
}

func (a *API) market(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	m, err := a.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	return httpapi.WriteJSON(w, http.StatusOK, m)
}

// saveMarket stores a market's configuration. Its version must be the stored one.
func (a *API) saveMarket(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	m := market.Default(r.PathValue("market"))
	if err := httpapi.ReadJSON(w, r, m); err != nil {
		return err
	}
	if m.ID != r.PathValue("market") {
		return fault.Field("id", "must be the one in the address")
	}
	for name := range m.Tools {
		if _, known := a.Tools.Get(name); !known {
			return fault.Field("tools."+name, "no such tool: want some of %v", a.Tools.Names())
		}
	}
	for name := range m.Voices {
		if a.Assistants.Named(name) == nil {
			return fault.Field("voices."+name, "no such assistant")
		}
	}
	if err := a.Tools.CheckPolicies(m); err != nil {
		return err
	}
	for _, name := range m.Safety.RequireConfirmFor {
		if _, known := a.Tools.Get(name); !known { // a misspelt name would leave the tool it means without a confirmation
			return fault.Field("safety.requireConfirmFor", "no such tool as %q: want some of %v", name, a.Tools.Names())
		}
	}
	saved, err := a.Markets.Save(r.Context(), *m, who.Key())
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, saved)
}

func (a *API) versions(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	vs, err := a.Markets.Versions(r.Context(), r.PathValue("market"), limit)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"versions": vs})
}
