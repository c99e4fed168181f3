package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/appointment"
)

// visits are the services that a market's calls arrange, and the technicians who come for them.
type visits struct {
	tenants
	Visits *appointment.Catalog
}

func (h visits) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/visits":                      h.list,
		"PUT /admin/api/markets/{market}/services/{service}":          h.saveService,
		"DELETE /admin/api/markets/{market}/services/{service}":       h.removeService,
		"PUT /admin/api/markets/{market}/technicians/{technician}":    h.saveTechnician,
		"DELETE /admin/api/markets/{market}/technicians/{technician}": h.removeTechnician,
	}
}

// list answers with all services and technicians of a market.
func (h visits) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	co, err := h.Visits.Company(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, co)
}

func (h visits) saveService(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(s *appointment.Service, market, id string) { s.Market, s.ID = market, id }
	return saveItem(h.tenants, w, r, "service", under, h.Visits.PutService)
}

func (h visits) removeService(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "service", found(h.Visits.Service), h.Visits.DeleteService)
}

func (h visits) saveTechnician(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(t *appointment.Technician, market, id string) { t.Market, t.ID = market, id }
	return saveItem(h.tenants, w, r, "technician", under, h.Visits.PutTechnician)
}

func (h visits) removeTechnician(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "technician", found(h.Visits.Technician), h.Visits.DeleteTechnician)
}
