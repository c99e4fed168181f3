package api

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"merve/internal/actor"
	"merve/internal/fault"
	"merve/internal/httpapi"
	"merve/internal/ident"
	"merve/internal/listing"
	"merve/internal/telemetry"
)

func (a *Admin) listings(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "listings", a.Listings.Page)
}

// listPage lists what a market has, page by page: without a limit as much as is read at once, which
// an answer has room for.
func listPage[T any](w http.ResponseWriter, r *http.Request, name string, page func(ctx context.Context, market, after string, limit int) ([]T, string, error)) error {
	limit, err := httpapi.Limit(r, 0)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "after")
	if err != nil {
		return err
	}
	some, next, err := page(r.Context(), r.PathValue("market"), q["after"], limit)
	if err != nil {
		return err
	}
	return writeList(w, name, some, next)
}

func (a *Admin) listing(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	l, err := a.Listings.Get(r.Context(), r.PathValue("market"), r.PathValue("listing"))
	if err != nil {
		return notFound(err)
	}
	if err := a.Listings.Count(r.Context(), l); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, l)
}

func (a *Admin) saveListing(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
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
	if err := a.Listings.Put(r.Context(), l, who.Key()); err != nil {
		return err
	}
	if err := a.Listings.Count(r.Context(), l); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, l)
}

// checkIDs holds what new things are called to [ident.Legal], by name in the path.
func checkIDs(r *http.Request, names ...string) error {
	for _, name := range names {
		if !ident.Legal.MatchString(r.PathValue(name)) {
			return fault.Field(name, ident.WantLegal)
		}
	}
	return nil
}

// inMarket refuses what is to be stored in a market that does not exist, and what cannot be
// called as the path says.
func (a *Admin) inMarket(r *http.Request, names ...string) error {
	if err := checkIDs(r, names...); err != nil {
		return err
	}
	_, err := a.Markets.Read(r.Context(), r.PathValue("market"))
	return notFound(err)
}

func (a *Admin) deleteListing(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	_, err := a.Listings.Change(r.Context(), r.PathValue("market"), r.PathValue("listing"), who.Key(), func(before *listing.Listing) (*listing.Listing, error) {
		if before == nil {
			return nil, actor.ErrNotFound
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *Admin) listingVersions(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, adminLimit)
	if err != nil {
		return err
	}
	vs, err := a.Listings.Versions(r.Context(), r.PathValue("market"), r.PathValue("listing"), limit)
	if err != nil {
		return err
	}
	return writeList(w, "versions", vs, "")
}

// maxImport is the largest catalogue taken at once, in bytes: Lambda takes 6 MB, and the gateway
// gives it base64.
const maxImport = 4 << 20

// errTable says what a catalogue can be sent as.
var errTable = httpapi.WrongMedia("text/csv, application/x-ndjson", "send text/csv or application/x-ndjson, not compressed")

// importListings stores a catalogue, after every row of it has been found right.
func (a *Admin) importListings(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if err := a.inMarket(r); err != nil {
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
	done, err := a.Listings.Import(r.Context(), all, who.Key())
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, done)
}

// readTable reads a file of rows; of one that says that it is too large, nothing.
func readTable(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxImport {
		return nil, fault.New(fault.TooLarge, "the file is larger than %d bytes", maxImport)
	}
	body, err := httpapi.ReadBody(w, r, maxImport)
	coding := r.Header.Get("Content-Encoding")
	switch {
	case err != nil:
		return nil, err
	case coding != "" && !strings.EqualFold(coding, "identity"):
		return nil, errTable
	case !utf8.Valid(body):
		return nil, fault.New(fault.Invalid, "the file must be UTF-8")
	}
	return body, nil
}

// mediaOf is what a body is sent as; JSON Lines go by several names.
func mediaOf(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	if media == "application/jsonl" || media == "application/x-jsonlines" {
		return "application/x-ndjson"
	}
	return media
}

// writeRows answers that nothing was stored, and which rows are wrong.
func writeRows(w http.ResponseWriter, r *http.Request, wrong []listing.RowError) error {
	p := fault.ProblemOf(fault.New(fault.Invalid, "%s; nothing was stored", rowsWrong(len(wrong))), telemetry.TraceID(r.Context()))
	body := struct {
		fault.Problem
		Errors []listing.RowError `json:"errors"`
	}{p, wrong}
	return httpapi.WriteBody(w, p.Status, "application/problem+json", body)
}

func rowsWrong(n int) string {
	if n == 1 {
		return "1 row is wrong"
	}
	return fmt.Sprintf("%d rows are wrong", n)
}

// exportListings gives a market's catalogue as importListings takes it.
func (a *Admin) exportListings(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	q, err := httpapi.Query(r, "format")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(listing.Formats(), func(f listing.Format) bool { return f.Name == q["format"] || q["format"] == "" })
	if i < 0 {
		return fault.Field("format", "want csv or jsonl")
	}
	f := listing.Formats()[i]
	all, err := a.Listings.Whole(r.Context(), r.PathValue("market"))
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
