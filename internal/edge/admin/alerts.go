package admin

import (
	"context"
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/edge/httpapi"
	"merve/internal/record/ledger"
	"merve/internal/record/stock"
)

// alerts are the findings of the checks, and the checks themselves.
type alerts struct {
	Alerts *alert.Store
	Ledger *ledger.Ledger
	Counts func(context.Context) (stock.Checked, error)
}

func (h alerts) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/alerts":                      h.list,
		"POST /admin/api/alerts/{alert}/acknowledge": h.acknowledge,
		"POST /admin/api/alerts/check":               h.check,
	}
}

func (h alerts) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "after")
	if err != nil {
		return err
	}
	alerts, next, err := h.Alerts.List(r.Context(), limit, q["after"])
	if err != nil {
		return err
	}
	return writeList(w, "alerts", alerts, next)
}

// check runs the ledger's invariant checkers, which also repair what they can, and those of the stock.
func (h alerts) check(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	found, err := h.Ledger.CheckInvariants(r.Context(), dynamo.Budget{})
	if err != nil {
		return err
	}
	if h.Counts != nil {
		counts, err := h.Counts(r.Context())
		if err != nil {
			return err
		}
		found.Looked, found.Error = found.Looked+counts.Looked, found.Error+counts.Drifted
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]int{
		"looked": found.Looked, "critical": found.Critical, "error": found.Error, "warning": found.Warning, "healed": found.Healed,
	})
}

func (h alerts) acknowledge(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if err := h.Alerts.Acknowledge(r.Context(), r.PathValue("alert"), who.Key()); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
