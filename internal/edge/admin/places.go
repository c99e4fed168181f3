package admin

import (
	"cmp"
	"encoding/json"
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/ident"
	"merve/internal/edge/httpapi"
	curated "merve/internal/record/place"
)

// places are the curated places of a market.
type places struct {
	tenants
	Places *curated.Store
}

func (h places) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/places":            h.list,
		"PUT /admin/api/markets/{market}/places/{place}":    h.save,
		"DELETE /admin/api/markets/{market}/places/{place}": h.remove,
		"POST /admin/api/markets/{market}/places/import":    h.importAll,
	}
}

func (h places) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "places", h.Places.Page)
}

// located reads the location out of an item's JSON.
type located struct {
	Location *geo.Input `json:"location"`
}

// put sets a place's location, which is required.
func (l located) put(p *curated.Place) error {
	at, err := l.Location.Read()
	switch {
	case err != nil:
		return err
	case at == nil:
		return fault.Field("location", "missing")
	}
	p.Location = *at
	return nil
}

func (h places) save(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	p := &curated.Place{}
	var where located
	if err := httpapi.ReadJSON(w, r, p, &where); err != nil {
		return err
	}
	if err := where.put(p); err != nil {
		return err
	}
	p.Market, p.ID = r.PathValue("market"), r.PathValue("place")
	if err := h.inMarket(r, "place"); err != nil {
		return err
	}
	if err := h.Places.Put(r.Context(), p); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, p)
}

func (h places) remove(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "place", found(h.Places.Get), h.Places.Delete)
}

func (h places) importAll(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return importLines(h.tenants, w, r, readPlace, h.Places.Import)
}

func readPlace(line []byte) (lined[*curated.Place], error) {
	p, where := &curated.Place{}, located{}
	if err := cmp.Or(json.Unmarshal(line, p), json.Unmarshal(line, &where)); err != nil {
		return lined[*curated.Place]{}, fault.WrongForm(err)
	}
	if !ident.Legal.MatchString(p.ID) {
		return lined[*curated.Place]{}, fault.Field("id", ident.WantLegal)
	}
	return lined[*curated.Place]{p.ID, p.Market, func(market string) (*curated.Place, error) {
		p.Market, p.Version = market, 0 // without a version it replaces what is stored
		if err := where.put(p); err != nil {
			return nil, err
		}
		return p, p.Check()
	}}, nil
}
