package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/matter/taxi"
)

func (a *API) drivers(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	all, err := a.Drivers.List(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	return writeList(w, "drivers", all, "")
}

func (a *API) saveDriver(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(d *taxi.Driver, market, id string) { d.Market, d.ID = market, id }
	return saveItem(a, w, r, "driver", under, a.Drivers.Put)
}

func (a *API) deleteDriver(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "driver", found(a.Drivers.Get), a.Drivers.Delete)
}
