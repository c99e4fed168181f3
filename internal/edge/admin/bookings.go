package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
)

func (a *API) transactions(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "businessId", "after")
	if err != nil {
		return err
	}
	if q["businessId"] == "" {
		return fault.Field("businessId", "missing")
	}
	txs, next, err := a.Ledger.ByBusiness(r.Context(), who, q["businessId"], limit, q["after"])
	if err != nil {
		return err
	}
	return writeList(w, "transactions", txs, next)
}

func (a *API) transaction(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	h, err := a.Ledger.History(r.Context(), who, r.PathValue("transaction"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, h)
}

// noShowKey is the idempotency key of marking a booking and of taking the mark back.
const noShowKey = "staff"

// markNoShow records that nobody came to a booking.
func (a *API) markNoShow(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	tx, err := a.Ledger.Mark(r.Context(), who, r.PathValue("transaction"), noShowKey)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, tx)
}

// takeBackNoShow records that somebody came after all.
func (a *API) takeBackNoShow(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	tx, err := a.Ledger.TakeBack(r.Context(), who, r.PathValue("transaction"), noShowKey)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, tx)
}
