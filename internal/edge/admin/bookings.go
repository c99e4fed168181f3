package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/record/ledger"
)

// bookings are the transactions of a business in the ledger.
type bookings struct {
	Ledger *ledger.Ledger
}

func (h bookings) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/transactions":                          h.list,
		"GET /admin/api/transactions/{transaction}":            h.one,
		"PUT /admin/api/transactions/{transaction}/no-show":    h.mark,
		"DELETE /admin/api/transactions/{transaction}/no-show": h.takeBack,
	}
}

func (h bookings) list(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
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
	txs, next, err := h.Ledger.ByBusiness(r.Context(), who, q["businessId"], limit, q["after"])
	if err != nil {
		return err
	}
	return writeList(w, "transactions", txs, next)
}

func (h bookings) one(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	history, err := h.Ledger.History(r.Context(), who, r.PathValue("transaction"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, history)
}

// noShowKey is the idempotency key of marking a booking and of taking the mark back.
const noShowKey = "staff"

// mark records that nobody came to a booking.
func (h bookings) mark(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	tx, err := h.Ledger.Mark(r.Context(), who, r.PathValue("transaction"), noShowKey)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, tx)
}

// takeBack records that somebody came after all.
func (h bookings) takeBack(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	tx, err := h.Ledger.TakeBack(r.Context(), who, r.PathValue("transaction"), noShowKey)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, tx)
}
