package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"merve/infra/local/demo"
	"merve/internal/app"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/matter/report"
)

// Staff list a market's reports by status, page by page.
func TestReportsForStaff(t *testing.T) {
	t.Parallel()
	s, who, id := start(t), apitest.Somebody(), dynamotest.ID("m")
	s.Call(t, "PUT", "/admin/api/markets/"+id, map[string]any{"name": "Reports"}, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	var made []string
	for range 3 {
		made = append(made, s.Begun(t, who, "th_a", id, "Harbour 1").ID)
	}
	if _, err := s.Base.Reports().SetPhotos(t.Context(), report.By{Actor: who, Key: "p"}, made[2], nil, true); err != nil {
		t.Fatal(err)
	}
	listed := func(query string, limit int) (ids []string) {
		for after := ""; ; {
			var l struct {
				Reports []apitest.Report
				Next    string
			}
			target := "/admin/api/reports?marketId=" + id + query + "&after=" + url.QueryEscape(after)
			s.Call(t, "GET", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &l)
			for _, r := range l.Reports {
				ids = append(ids, r.ID)
			}
			if limit > 0 && len(l.Reports) > limit {
				t.Errorf("%d on a page of %d", len(l.Reports), limit)
			}
			if after = l.Next; after == "" {
				return ids
			}
		}
	}
	pausetest.Until(t, "the reports on the list", func() bool {
		pending, completed := listed("&status=pending&limit=1", 1), listed("", 0)
		return len(pending) == 2 && pending[0] == made[1] && pending[1] == made[0] && len(completed) == 1 && completed[0] == made[2]
	})
	if got := listed("&status=resolved", 0); len(got) != 0 {
		t.Errorf("resolved: %v", got)
	}
	for query, field := range map[string]string{
		"status=open": "status", "status=completed&status=pending": "status", "limit=51": "limit", "limit=0": "limit",
		"marketId=a&marketId=b": "marketId", "marketId=" + strings.Repeat("m", 41): "marketId", "after=%00": "after", "after=e30": "after",
	} {
		s.Call(t, "GET", "/admin/api/reports?"+query, nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, field)
	}
	s.Call(t, "GET", "/admin/api/reports?marketId=nowhere", nil, apitest.Staff()...).Wants(t, http.StatusOK, nil)
}

// Staff resolve what is completed, once, and its owner is told on the thread it came from.
func TestResolveReport(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	who, threadID := s.SessionActor(t, id)
	pending := s.Begun(t, who, threadID, demo.Market, "Harbour 7")
	resolve := func(id string) answer {
		return s.Call(t, "POST", "/admin/api/reports/"+id+"/resolve", nil, apitest.Staff()...)
	}
	resolve(pending.ID).Refuses(t, http.StatusConflict, "")
	resolve("rp_aaaaaaaaaaaaaaaa").Refuses(t, http.StatusNotFound, "")
	r := s.Reported(t, who, threadID, "Harbour 8")
	for range 2 {
		var d apitest.Report
		resolve(r.ID).Wants(t, http.StatusOK, &d)
		if d.Status != "resolved" || !d.Happened("resolved", "staff") || !d.Happened("completed", "owner") || d.Owner.ID != who.Key() || d.Owner.Channel != "web" {
			t.Errorf("%+v", d)
		}
	}
	told := func() (n int) {
		for _, m := range s.WebLines(t, id).Messages {
			if m.Direction == "outbound" && strings.Contains(m.Text, "Harbour 8") {
				n++
			}
		}
		return n
	}
	pausetest.Until(t, "the owner is told", func() bool { return told() > 0 })
	s.WritesWeb(t, id, "thank you") // behind it
	if n := told(); n != 1 {
		t.Errorf("told %d times", n)
	}
	if d := s.Report(t, pending.ID); d.Status != "pending" {
		t.Errorf("%+v", d)
	}
}

// A link is withdrawn once and for all; one that is none of the report's is not there.
func TestRevokeLink(t *testing.T) {
	t.Parallel()
	s, ann, bob := start(t), apitest.Somebody(), apitest.Somebody()
	r, other := s.Reported(t, ann, "th_a", "Harbour 1"), s.Reported(t, bob, "th_b", "Harbour 2")
	link, target := s.Shared(t, ann, r.ID)
	_, stays := s.Shared(t, ann, r.ID)
	revoke := func(report, link string) answer {
		return s.Call(t, "POST", "/admin/api/reports/"+report+"/links/"+link+"/revoke", nil, apitest.Staff()...)
	}
	for _, wrong := range [][2]string{
		{other.ID, link}, {"rp_aaaaaaaaaaaaaaaa", link}, {r.ID, strings.Repeat("0", 64)}, {r.ID, "x"}, {r.ID, strings.Repeat("x", 300)}, {"x", link}, {r.ID, link + "%00"},
	} {
		revoke(wrong[0], wrong[1]).Refuses(t, http.StatusNotFound, "")
	}
	s.Call(t, "GET", target, nil).Wants(t, http.StatusOK, nil)
	for range 2 {
		revoke(r.ID, link).Wants(t, http.StatusNoContent, nil)
	}
	s.Call(t, "GET", target, nil).Wants(t, http.StatusGone, nil)
	s.Call(t, "GET", stays, nil).Wants(t, http.StatusOK, nil)
	revoked := 0
	d := s.Report(t, r.ID)
	for _, l := range d.Links {
		if l.Revoked {
			revoked++
		}
	}
	if revoked != 1 || len(d.Links) != 2 || !d.Happened("link_revoked", "staff") {
		t.Errorf("%+v", d)
	}
}

// Nobody but staff sees a report by the admin API, its owner neither, and what is not theirs
// is answered before it is looked whether it is there.
func TestReportsAreForStaff(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	who, threadID := s.SessionActor(t, id)
	r := s.Reported(t, who, threadID, "Harbour 1")
	link, _ := s.Shared(t, who, r.ID)
	closed := s.With(t, func(b *app.Process) { b.Config.AuthIssuer, b.Config.AdminToken = "", "" })
	for target, method := range map[string]string{
		"/admin/api/reports": "GET", "/admin/api/reports/" + r.ID: "GET", "/admin/api/reports/" + r.ID + "/resolve": "POST",
		"/admin/api/reports/" + r.ID + "/links/" + link + "/revoke": "POST",
	} {
		s.Call(t, method, target, nil, "x-session-id", id).Refuses(t, http.StatusUnauthorized, "")
		s.Call(t, method, target, nil, s.Issuer.Token(t, "ann", "customers")...).Refuses(t, http.StatusForbidden, "")
		s.CallTo(t, closed, method, target, nil, apitest.Staff()...).Refuses(t, http.StatusUnauthorized, "")
	}
	if d := s.Report(t, r.ID); d.Status != "completed" || d.Links[0].Revoked {
		t.Errorf("%+v", d)
	}
}
