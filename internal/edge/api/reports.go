package api

import (
	"context"
	"net/http"

	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/edge/web"
	"merve/internal/matter/report"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// SharedReports shows a damage report to anybody who has a link to it.
type SharedReports struct {
	Reports *report.Store
	Photos  report.Photos
	Markets *market.Store
	Origin  string // where photos are shown from
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
