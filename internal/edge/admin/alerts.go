package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/edge/httpapi"
)

func (a *API) alerts(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "after")
	if err != nil {
		return err
	}
	alerts, next, err := a.Alerts.List(r.Context(), limit, q["after"])
	if err != nil {
		return err
	}
	return writeList(w, "alerts", alerts, next)
}

// check runs the ledger's invariant checkers, which also repair what they can, and those of the stock.
func (a *API) check(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	found, err := a.Ledger.CheckInvariants(r.Context(), dynamo.Budget{})
	if err != nil {
		return err
	}
	if a.Counts != nil {
		counts, err := a.Counts(r.Context())
		if err != nil {
			return err
		}
		found.Looked, found.Error = found.Looked+counts.Looked, found.Error+counts.Drifted
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]int{
		"looked": found.Looked, "critical": found.Critical, "error": found.Error, "warning": found.Warning, "healed": found.Healed,
	})
}

func (a *API) acknowledge(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if err := a.Alerts.Acknowledge(r.Context(), r.PathValue("alert"), who.Key()); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
