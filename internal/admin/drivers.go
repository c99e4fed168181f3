package admin

import (
	"net/http"

	"merve/internal/actor"
	"merve/internal/httpapi"
	"merve/internal/taxi"
)

func (a *API) drivers(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	all, err := a.Drivers.List(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	return writeList(w, "drivers", all, "")
}

// saveDriver creates or changes a driver. A version, if the request has one, must be the stored one.
func (a *API) saveDriver(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	var d taxi.Driver
	if err := httpapi.ReadJSON(w, r, &d); err != nil {
		return err
	}
	d.Market, d.ID = r.PathValue("market"), r.PathValue("driver")
	if err := d.Check(); err != nil {
		return err
	}
	if err := a.inMarket(r, "driver"); err != nil {
		return err
	}
	saved, err := a.Drivers.Put(r.Context(), d)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, saved)
}

func (a *API) deleteDriver(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	market, id := r.PathValue("market"), r.PathValue("driver")
	if _, err := a.Drivers.Get(r.Context(), market, id); err != nil {
		return err
	}
	if err := a.Drivers.Delete(r.Context(), market, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
