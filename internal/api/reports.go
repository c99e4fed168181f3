package api

import (
	"context"
	"net/http"
	"time"

	"merve/internal/actor"
	"merve/internal/fault"
	"merve/internal/httpapi"
	"merve/internal/market"
	"merve/internal/pattern"
	"merve/internal/report"
	"merve/internal/thread"
	"merve/internal/web"
	"merve/internal/wording"
)

// SharedReports shows a damage report to whoever has a link to it.
type SharedReports struct {
	Reports *report.Store
	Photos  report.Photos
	Markets interface {
		Get(ctx context.Context, id string) (*market.Market, error)
	}
	Origin string // where photos are shown from
}

// Routes are the page's.
func (h *SharedReports) Routes() httpapi.Routes {
	return httpapi.Routes{
		"GET /r/{reportId}/{token}": h.page,
	}
}

func (h *SharedReports) page(w http.ResponseWriter, r *http.Request) error {
	found, until, err := h.Reports.Open(r.Context(), r.PathValue("reportId"), r.PathValue("token"))
	switch {
	case fault.Is(err, fault.NotFound):
		web.ReportMissing(w, r)
		return nil
	case fault.Is(err, fault.Gone):
		web.ReportGone(w, r)
		return nil
	case err != nil:
		return err
	}
	view, err := h.view(r.Context(), found)
	if err != nil {
		return err
	}
	view.ExpiresAt = until
	web.Report(w, r, view)
	return nil
}

func (h *SharedReports) view(ctx context.Context, r report.Report) (web.ReportView, error) {
	v, err := report.ViewOf(ctx, h.Photos, r)
	if err != nil {
		return web.ReportView{}, err
	}
	m, err := h.Markets.Get(ctx, r.Market)
	if err != nil {
		return web.ReportView{}, err
	}
	out := web.ReportView{
		Status: string(r.Status), Address: r.Address, Lat: r.Lat, Lng: r.Lng, Created: r.CreatedAt, Updated: r.UpdatedAt,
		Language: m.Language, Zone: m.Location(), ImageOrigin: h.Origin,
	}
	for _, s := range v.Sections {
		out.Sections = append(out.Sections, web.ReportSection{Name: wording.Section(m.Language, string(s.Name)), Text: s.Content})
	}
	for _, p := range v.Photos {
		if p.URL != "" {
			out.Photos = append(out.Photos, web.ReportPhoto{URL: p.URL, Caption: p.Caption})
		}
	}
	return out, nil
}

// AdminReports is the part of the admin API about damage reports.
type AdminReports struct {
	Reports *report.Store
	Photos  report.Photos
	Threads *thread.Store
	Market  string // whose, when a request names none
}

func (a *AdminReports) routes() map[string]staffHandler {
	return map[string]staffHandler{
		"GET /admin/api/reports":                               a.list,
		"GET /admin/api/reports/{report}":                      a.one,
		"POST /admin/api/reports/{report}/resolve":             a.resolve,
		"POST /admin/api/reports/{report}/links/{link}/revoke": a.revoke,
	}
}

// adminReport is a report as staff see it in a list.
type adminReport struct {
	ID         string        `json:"id"`
	MarketID   string        `json:"marketId"`
	Status     report.Status `json:"status"`
	Address    string        `json:"address,omitempty"`
	Lat        *float64      `json:"lat,omitempty"`
	Lng        *float64      `json:"lng,omitempty"`
	Owner      adminOwner    `json:"owner"`
	ThreadID   string        `json:"threadId"`
	PhotoCount int           `json:"photoCount"`
	NoPhotos   bool          `json:"noPhotos,omitempty"`
	CreatedAt  time.Time     `json:"createdAt"`
	UpdatedAt  time.Time     `json:"updatedAt"`
	ResolvedAt time.Time     `json:"resolvedAt,omitzero"`
}

type adminOwner struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Channel string `json:"channel,omitempty"`
}

// adminReportDetail is a report as staff see it by itself.
type adminReportDetail struct {
	adminReport
	Photos   []report.PhotoView `json:"photos"`
	Sections []adminSection     `json:"sections"`
	Events   []adminEvent       `json:"events"`
	Links    []adminLink        `json:"links"`
}

type adminSection struct {
	Name  report.Section `json:"name"`
	Title string         `json:"title"`
	Text  string         `json:"text"`
}

type adminEvent struct {
	At   time.Time        `json:"at"`
	Type report.EventType `json:"type"`
	By   string           `json:"by,omitempty"` // owner or staff; absent is whoever has a link
}

type adminLink struct {
	ID        string    `json:"id"`
	ExpiresAt time.Time `json:"expiresAt"`
	Opened    int       `json:"opened"`
	Revoked   bool      `json:"revoked"`
}

func listed(r report.Report) adminReport {
	return adminReport{
		ID: r.ID, MarketID: r.Market, Status: r.Status, Address: r.Address, Lat: r.Lat, Lng: r.Lng, Owner: adminOwner{ID: r.Owner},
		ThreadID: r.Thread, PhotoCount: len(r.Photos), NoPhotos: r.NoPhotos, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, ResolvedAt: r.ResolvedAt,
	}
}

func (a *AdminReports) list(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	limit, err := httpapi.Limit(r, report.MaxPage)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "marketId", "status", "after")
	if err != nil {
		return err
	}
	if err := httpapi.CheckMarketID(q["marketId"]); err != nil {
		return err
	}
	if q["marketId"] == "" {
		q["marketId"] = a.Market
	}
	status := report.Status(q["status"])
	if status == "" {
		status = report.Completed
	}
	found, next, err := a.Reports.List(r.Context(), who, q["marketId"], status, limit, q["after"])
	if err != nil {
		return err
	}
	all := make([]adminReport, len(found))
	for i, f := range found {
		all[i] = listed(f)
	}
	return writeList(w, "reports", all, next)
}

func (a *AdminReports) one(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	found, err := a.Reports.Get(r.Context(), report.By{Actor: who}, r.PathValue("report"))
	if err != nil {
		return err
	}
	return a.write(w, r, who, found)
}

func (a *AdminReports) write(w http.ResponseWriter, r *http.Request, who actor.Actor, found report.Report) error {
	d, err := a.detail(r.Context(), who, found)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, d)
}

func (a *AdminReports) detail(ctx context.Context, who actor.Actor, found report.Report) (adminReportDetail, error) {
	by := report.By{Actor: who}
	d := adminReportDetail{adminReport: listed(found), Sections: []adminSection{}, Events: []adminEvent{}, Links: []adminLink{}}
	v, err := report.ViewOf(ctx, a.Photos, found)
	if err != nil {
		return d, err
	}
	d.Photos = append([]report.PhotoView{}, v.Photos...)
	for _, s := range v.Sections {
		d.Sections = append(d.Sections, adminSection{s.Name, wording.Section("en", string(s.Name)), s.Content})
	}
	events, err := a.Reports.Events(ctx, by, found.ID)
	if err != nil {
		return d, err
	}
	for _, e := range events {
		name := "owner"
		switch {
		case e.Staff:
			name = "staff"
		case e.Actor == "":
			name = ""
		}
		d.Events = append(d.Events, adminEvent{e.At, e.Type, name})
	}
	links, err := a.Reports.Links(ctx, by, found.ID)
	if err != nil {
		return d, err
	}
	for _, l := range links {
		d.Links = append(d.Links, adminLink{l.ID, l.ExpiresAt, l.Opened, !l.RevokedAt.IsZero()})
	}
	if head, err := a.Threads.Head(ctx, found.Thread); err == nil { // else nobody knows any more
		d.Owner.Name, d.Owner.Channel = head.Name, string(head.Channel)
	}
	return d, nil
}

// resolve ends a completed report; its owner is told by the event.
func (a *AdminReports) resolve(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	found, err := a.Reports.Resolve(r.Context(), report.By{Actor: who, Key: "resolve"}, r.PathValue("report"))
	if err != nil {
		return err
	}
	return a.write(w, r, who, found)
}

// linkID is what ids of links look like. What cannot be one is not looked up.
var linkID = pattern.New(`^[0-9a-f]{64}$`)

func (a *AdminReports) revoke(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if !linkID.MatchString(r.PathValue("link")) {
		return actor.ErrNotFound
	}
	by := report.By{Actor: who, Key: "revoke." + r.PathValue("link")}
	if err := a.Reports.Revoke(r.Context(), by, r.PathValue("report"), r.PathValue("link")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
