package admin

import (
	"net/http"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
)

// ordersFor is the age up to which a business's orders are listed.
const ordersFor = 90 * 24 * time.Hour

// orders lists the latest orders of a business.
func (a *API) orders(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	q, err := httpapi.Query(r, "businessId")
	if err != nil {
		return err
	}
	if q["businessId"] == "" {
		return fault.Field("businessId", "missing")
	}
	all, err := a.Orders.OfBusiness(r.Context(), q["businessId"], a.Orders.Now().Add(-ordersFor))
	if err != nil {
		return err
	}
	return writeList(w, "orders", all, "")
}

// order answers with an order, by the code that its business knows, and its events.
func (a *API) order(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	o, err := a.Orders.Find(r.Context(), r.PathValue("business"), r.PathValue("code"))
	if err != nil {
		return err
	}
	events, err := a.Orders.Events(r.Context(), o)
	if err != nil {
		return err
	}
	type event struct {
		Type string    `json:"type"`
		By   string    `json:"by"`
		At   time.Time `json:"at"`
	}
	all := make([]event, len(events))
	for i, e := range events {
		all[i] = event{string(e.Type), e.By, e.At}
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"order": o, "events": all})
}
