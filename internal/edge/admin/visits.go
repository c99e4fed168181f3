package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/appointment"
)

// visits answers with all services and technicians of a market.
func (a *API) visits(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	co, err := a.Visits.Company(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, co)
}

func (a *API) saveService(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(s *appointment.Service, market, id string) { s.Market, s.ID = market, id }
	return saveItem(a, w, r, "service", under, a.Visits.PutService)
}

func (a *API) deleteService(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "service", found(a.Visits.Service), a.Visits.DeleteService)
}

func (a *API) saveTechnician(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(t *appointment.Technician, market, id string) { t.Market, t.ID = market, id }
	return saveItem(a, w, r, "technician", under, a.Visits.PutTechnician)
}

func (a *API) deleteTechnician(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "technician", found(a.Visits.Technician), a.Visits.DeleteTechnician)
}
