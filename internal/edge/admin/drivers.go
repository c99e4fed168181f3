package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/matter/taxi"
)

// drivers are the taxi drivers of a market.
type drivers struct {
	tenants
	Drivers *taxi.Drivers
}

func (h drivers) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/drivers":             h.list,
		"PUT /admin/api/markets/{market}/drivers/{driver}":    h.save,
		"DELETE /admin/api/markets/{market}/drivers/{driver}": h.remove,
	}
}

func (h drivers) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	all, err := h.Drivers.List(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	return writeList(w, "drivers", all, "")
}

func (h drivers) save(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(d *taxi.Driver, market, id string) { d.Market, d.ID = market, id }
	return saveItem(h.tenants, w, r, "driver", under, h.Drivers.Put)
}

func (h drivers) remove(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "driver", found(h.Drivers.Get), h.Drivers.Delete)
}
