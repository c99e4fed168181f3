package admin

import (
	"context"
	"net/http"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/pattern"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/report"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// Reports is the part of the API about damage reports.
type Reports struct {
	Reports *report.Store
	Photos  report.Photos
	Threads *thread.Store
	Market  string // the one listed if a request names none
}

func (a *Reports) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/reports":                               a.list,
		"GET /admin/api/reports/{report}":                      a.one,
		"POST /admin/api/reports/{report}/resolve":             a.resolve,
		"POST /admin/api/reports/{report}/links/{link}/revoke": a.revoke,
	}
}

// reportView is a report in a list.
type reportView struct {
	ID         string        `json:"id"`
	MarketID   string        `json:"marketId"`
	Status     report.Status `json:"status"`
	Address    string        `json:"address,omitempty"`
	Lat        *float64      `json:"lat,omitempty"`
	Lng        *float64      `json:"lng,omitempty"`
	Owner      reportOwner   `json:"owner"`
	ThreadID   string        `json:"threadId"`
	PhotoCount int           `json:"photoCount"`
	NoPhotos   bool          `json:"noPhotos,omitempty"`
	CreatedAt  time.Time     `json:"createdAt"`
	UpdatedAt  time.Time     `json:"updatedAt"`
	ResolvedAt time.Time     `json:"resolvedAt,omitzero"`
}

type reportOwner struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Channel string `json:"channel,omitempty"`
}

// reportDetail is a report by itself.
type reportDetail struct {
	reportView
	Photos   []report.PhotoView `json:"photos"`
	Sections []reportSection    `json:"sections"`
	Events   []reportEvent      `json:"events"`
	Links    []reportLink       `json:"links"`
}

type reportSection struct {
	Name  report.Section `json:"name"`
	Title string         `json:"title"`
	Text  string         `json:"text"`
}

type reportEvent struct {
	At   time.Time        `json:"at"`
	Type report.EventType `json:"type"`
	By   string           `json:"by,omitempty"` // owner or staff; absent for somebody with a link
}

type reportLink struct {
	ID        string    `json:"id"`
	ExpiresAt time.Time `json:"expiresAt"`
	Opened    int       `json:"opened"`
	Revoked   bool      `json:"revoked"`
}

func reportViewOf(r report.Report) reportView {
	return reportView{
		ID: r.ID, MarketID: r.Market, Status: r.Status, Address: r.Address, Lat: r.Lat, Lng: r.Lng, Owner: reportOwner{ID: r.Owner},
		ThreadID: r.Thread, PhotoCount: len(r.Photos), NoPhotos: r.NoPhotos,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, ResolvedAt: r.ResolvedAt,
	}
}

func (a *Reports) list(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
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
	all := make([]reportView, len(found))
	for i, f := range found {
		all[i] = reportViewOf(f)
	}
	return writeList(w, "reports", all, next)
}

func (a *Reports) one(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	found, err := a.Reports.Get(r.Context(), report.By{Actor: who}, r.PathValue("report"))
	if err != nil {
		return err
	}
	return a.write(w, r, who, found)
}

func (a *Reports) write(w http.ResponseWriter, r *http.Request, who actor.Actor, found report.Report) error {
	d, err := a.detail(r.Context(), who, found)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, d)
}

func (a *Reports) detail(ctx context.Context, who actor.Actor, found report.Report) (reportDetail, error) {
	by := report.By{Actor: who}
	d := reportDetail{reportView: reportViewOf(found), Sections: []reportSection{}, Events: []reportEvent{}, Links: []reportLink{}}
	v, err := report.ViewOf(ctx, a.Photos, found)
	if err != nil {
		return d, err
	}
	d.Photos = append([]report.PhotoView{}, v.Photos...)
	for _, s := range v.Sections {
		d.Sections = append(d.Sections, reportSection{s.Name, wording.Section("en", string(s.Name)), s.Content})
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
		d.Events = append(d.Events, reportEvent{e.At, e.Type, name})
	}
	links, err := a.Reports.Links(ctx, by, found.ID)
	if err != nil {
		return d, err
	}
	for _, l := range links {
		d.Links = append(d.Links, reportLink{l.ID, l.ExpiresAt, l.Opened, !l.RevokedAt.IsZero()})
	}
	if head, err := a.Threads.Head(ctx, found.Thread); err == nil { // a thread that is gone tells no more of its owner
		d.Owner.Name, d.Owner.Channel = head.Name, string(head.Channel)
	}
	return d, nil
}

// resolve ends a completed report. The event tells its owner.
func (a *Reports) resolve(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	found, err := a.Reports.Resolve(r.Context(), report.By{Actor: who, Key: "resolve"}, r.PathValue("report"))
	if err != nil {
		return err
	}
	return a.write(w, r, who, found)
}

// linkID is the form of a link's id. Nothing else is looked up.
var linkID = pattern.New(`^[0-9a-f]{64}$`)

func (a *Reports) revoke(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
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
