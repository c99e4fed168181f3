package admin

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/record/listing"
)

// listings are the listings of a market, in the catalogue and in the search index.
type listings struct {
	tenants
	Listings *listing.Store
	Reindex  Reindexer
}

func (h listings) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/listings":                    h.list,
		"GET /admin/api/markets/{market}/listings/{listing}":          h.one,
		"PUT /admin/api/markets/{market}/listings/{listing}":          h.save,
		"DELETE /admin/api/markets/{market}/listings/{listing}":       h.remove,
		"GET /admin/api/markets/{market}/listings/{listing}/versions": h.versions,
		"POST /admin/api/markets/{market}/listings/import":            h.importAll,
		"GET /admin/api/markets/{market}/listings/export":             h.export,
		"POST /admin/api/markets/{market}/reindex":                    h.reindex,
	}
}

func (h listings) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "listings", h.Listings.Page)
}

func (h listings) one(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	l, err := h.Listings.Get(r.Context(), r.PathValue("market"), r.PathValue("listing"))
	if err != nil {
		return notFound(err)
	}
	if err := h.Listings.Count(r.Context(), l); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, l)
}

func (h listings) save(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if err := checkIDs(r, "market", "listing"); err != nil {
		return err
	}
	l := &listing.Listing{}
	var where located
	err := httpapi.ReadJSON(w, r, l, &where)
	if err != nil {
		return err
	}
	l.Market, l.ID = r.PathValue("market"), r.PathValue("listing")
	if l.Location, err = where.Location.Read(); err != nil {
		return err
	}
	if err := h.Listings.Put(r.Context(), l, who.Key()); err != nil {
		return err
	}
	if err := h.Listings.Count(r.Context(), l); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, l)
}

func (h listings) remove(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	gone := func(before *listing.Listing) (*listing.Listing, error) {
		if before == nil {
			return nil, actor.ErrNotFound
		}
		return nil, nil
	}
	if _, err := h.Listings.Change(r.Context(), r.PathValue("market"), r.PathValue("listing"), who.Key(), gone); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h listings) versions(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	vs, err := h.Listings.Versions(r.Context(), r.PathValue("market"), r.PathValue("listing"), limit)
	if err != nil {
		return err
	}
	return writeList(w, "versions", vs, "")
}

// importAll stores a catalogue, if every row of it is right.
func (h listings) importAll(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if err := h.inMarket(r); err != nil {
		return err
	}
	body, err := readTable(w, r)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(listing.Formats(), func(f listing.Format) bool { return f.Media == mediaOf(r) })
	if i < 0 {
		return errTable
	}
	all, wrong := listing.Formats()[i].Read(bytes.NewReader(body), r.PathValue("market"))
	if len(wrong) > 0 {
		return writeRows(w, r, wrong)
	}
	done, err := h.Listings.Import(r.Context(), all, who.Key())
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, done)
}

// export answers with a market's catalogue, in a form that can be imported.
func (h listings) export(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	q, err := httpapi.Query(r, "format")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(listing.Formats(), func(f listing.Format) bool { return f.Name == q["format"] || q["format"] == "" })
	if i < 0 {
		return fault.Field("format", "want csv or jsonl")
	}
	f := listing.Formats()[i]
	all, err := h.Listings.Whole(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := f.Write(&out, all); err != nil {
		return fmt.Errorf("export listings: %w", err)
	}
	if out.Len() > maxImport {
		return fault.New(fault.TooLarge, "the catalogue is larger than %d bytes", maxImport)
	}
	w.Header().Set("Content-Type", f.Media+"; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="listings.`+f.Name+`"`)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(out.Bytes()) // a client that has gone cannot be told
	return nil
}
