package admin

import (
	"net/http"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/order"
)

// orders are the orders of a business.
type orders struct {
	Orders *order.Store
}

func (h orders) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/orders":                   h.list,
		"GET /admin/api/orders/{business}/{code}": h.one,
	}
}

// ordersFor is the age up to which a business's orders are listed.
const ordersFor = 90 * 24 * time.Hour

// list lists the latest orders of a business.
func (h orders) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	q, err := httpapi.Query(r, "businessId")
	if err != nil {
		return err
	}
	if q["businessId"] == "" {
		return fault.Field("businessId", "missing")
	}
	all, err := h.Orders.OfBusiness(r.Context(), q["businessId"], h.Orders.Now().Add(-ordersFor))
	if err != nil {
		return err
	}
	return writeList(w, "orders", all, "")
}

// one answers with an order, found by the code that its business knows, and its events.
func (h orders) one(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	o, err := h.Orders.Find(r.Context(), r.PathValue("business"), r.PathValue("code"))
	if err != nil {
		return err
	}
	events, err := h.Orders.Events(r.Context(), o)
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
