package admin

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"

	"merve/internal/actor"
	"merve/internal/fault"
	"merve/internal/geo"
	"merve/internal/httpapi"
	"merve/internal/ident"
	"merve/internal/listing"
	curated "merve/internal/place"
)

func (a *API) places(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "places", a.Places.Page)
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

func (a *API) savePlace(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	p := &curated.Place{}
	var where located
	if err := httpapi.ReadJSON(w, r, p, &where); err != nil {
		return err
	}
	if err := where.put(p); err != nil {
		return err
	}
	p.Market, p.ID = r.PathValue("market"), r.PathValue("place")
	if err := a.inMarket(r, "place"); err != nil {
		return err
	}
	if err := a.Places.Put(r.Context(), p); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, p)
}

func (a *API) deletePlace(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	market, id := r.PathValue("market"), r.PathValue("place")
	if _, err := a.Places.Get(r.Context(), market, id); err != nil {
		return notFound(err)
	}
	if err := a.Places.Delete(r.Context(), market, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// importPlaces stores places, one JSON object a line, if every one of them is right.
func (a *API) importPlaces(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	if err := a.inMarket(r); err != nil {
		return err
	}
	body, err := readTable(w, r)
	if err != nil {
		return err
	}
	if mediaOf(r) != "application/x-ndjson" {
		return errTable
	}
	all, wrong := readPlaces(body, r.PathValue("market"))
	if len(wrong) > 0 {
		return writeRows(w, r, wrong)
	}
	if err := a.Places.Import(r.Context(), r.PathValue("market"), all); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"rows": len(all)})
}

// readPlaces reads a place from each line, and says what is wrong with the lines that hold none.
func readPlaces(body []byte, market string) (all []*curated.Place, wrong []listing.RowError) {
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, maxImport+1)
	seen := map[string]bool{}
	for row := 1; lines.Scan() && len(wrong) < usualLimit; row++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		p, where := &curated.Place{}, located{}
		err := cmp.Or(json.Unmarshal(lines.Bytes(), p), json.Unmarshal(lines.Bytes(), &where))
		switch {
		case err != nil:
			err = fault.WrongForm(err)
		case !ident.Legal.MatchString(p.ID):
			err = fault.Field("id", ident.WantLegal)
		case p.Market != "" && p.Market != market:
			err = fault.Field("marketId", "want %s, or nothing", market)
		case seen[p.ID]:
			err = fault.Field("id", "a row above has it already")
		default:
			p.Market, p.Version, seen[p.ID] = market, 0, true // without a version it replaces what is stored
			if err = where.put(p); err == nil {
				err = p.Check()
			}
		}
		if err != nil {
			detail, field := fault.Public(err)
			wrong = append(wrong, listing.RowError{Row: row, Field: field, Detail: detail})
			continue
		}
		all = append(all, p)
	}
	return all, wrong
}
