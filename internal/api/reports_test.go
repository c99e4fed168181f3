package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"merve/infra/local/demo"
	"merve/internal/api/apitest"
	"merve/internal/app"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/media/mediatest"
	"merve/internal/pause/pausetest"
	"merve/internal/report"
)

// A link shows the report as a page that no one stores, lists or is told of, to whoever has
// it, until it has expired or was withdrawn, or the report is gone.
func TestSharedReport(t *testing.T) {
	t.Parallel()
	s, session := start(t), apitest.SessionID()
	who, threadID := s.SessionActor(t, session)
	r := s.Reported(t, who, threadID, "Old Harbour 1 <b>")
	photo, err := s.Base.Photos().Kept(t.Context(), threadID, s.uploads(t, session, mediatest.JPEG(t, 8, 8)))
	if err != nil {
		t.Fatal(err)
	}
	by := func(key string) report.By { return report.By{Actor: who, Key: key} }
	reports := s.Base.Reports()
	if _, err := reports.SetPhotos(t.Context(), by("p"), r.ID, []report.Photo{{Ref: photo, Caption: "the <i>roof"}}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := reports.SetSection(t.Context(), by("s"), r.ID, "cause", `<script>alert("x")</script>`); err != nil {
		t.Fatal(err)
	}
	link, target := s.Shared(t, who, r.ID)
	a := s.Call(t, "GET", target, nil).Wants(t, http.StatusOK, nil)
	page := string(a.Body)
	for _, want := range []string{"Old Harbour 1 &lt;b&gt;", "the &lt;i&gt;roof", "&lt;script&gt;alert", s.Bucket} {
		if !strings.Contains(page, want) {
			t.Errorf("the page is without %s", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, who.ID) || strings.Contains(page, threadID) {
		t.Error("the page has a script, or tells whose it is")
	}
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex", "X-Frame-Options": "DENY",
		"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
	} {
		if !strings.Contains(a.Header.Get(name), want) {
			t.Errorf("%s: %q, want %s", name, a.Header.Get(name), want)
		}
	}
	if csp := a.Header.Get("Content-Security-Policy"); strings.Contains(csp, "script-src") || !strings.Contains(csp, "img-src 'self' "+s.Bucket) {
		t.Errorf("Content-Security-Policy: %s", csp)
	}
	s.Call(t, "GET", target, nil, "Origin", "https://evil.example").Wants(t, http.StatusOK, nil)
	d := s.Report(t, r.ID)
	if len(d.Links) != 1 || d.Links[0].ID != link || d.Links[0].Opened != 2 || !d.Happened("link_opened", "") {
		t.Errorf("%+v", d)
	}

	wantsPage(t, s.CallTo(t, s.later(t, 2*time.Hour), "GET", target, nil), http.StatusGone)
	s.Call(t, "POST", "/admin/api/reports/"+r.ID+"/links/"+link+"/revoke", nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	wantsPage(t, s.Call(t, "GET", target, nil), http.StatusGone)
	_, second := s.Shared(t, who, r.ID)
	s.Call(t, "GET", second, nil).Wants(t, http.StatusOK, nil)
	if err := reports.Delete(t.Context(), by("d"), r.ID); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{target, second} {
		wantsPage(t, s.Call(t, "GET", gone, nil), http.StatusNotFound)
	}
}

// wantsPage checks that an answer is a page with this status that nobody stores.
func wantsPage(t *testing.T, a answer, status int) {
	t.Helper()
	a.Wants(t, status, nil)
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") || a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%v: %.200s", a.Header, a.Body)
	}
}

// What is no link of a report leads nowhere, and every such answer is the same one.
func TestWrongLinks(t *testing.T) {
	t.Parallel()
	s, ann, bob := start(t), apitest.Somebody(), apitest.Somebody()
	of, other := s.Reported(t, ann, "th_a", "Harbour 1"), s.Reported(t, bob, "th_b", "Harbour 2")
	_, target := s.Shared(t, ann, of.ID)
	token := target[strings.LastIndex(target, "/")+1:]
	missing := s.Call(t, "GET", "/r/rp_aaaaaaaaaaaaaaaa/"+token, nil)
	wantsPage(t, missing, http.StatusNotFound)
	for name, target := range map[string]string{
		"another report":  "/r/" + other.ID + "/" + token,
		"another token":   "/r/" + of.ID + "/AAAAAAAAAAAAAAAAAAAAAA",
		"half a token":    "/r/" + of.ID + "/" + token[:11],
		"a longer token":  "/r/" + of.ID + "/" + token + "AA",
		"a padded token":  "/r/" + of.ID + "/" + token + "==",
		"another case":    "/r/" + of.ID + "/" + strings.ToUpper(token),
		"a report's name": "/r/" + strings.ToUpper(of.ID) + "/" + token,
		"no report":       "/r/x/" + token,
		"a long token":    "/r/" + of.ID + "/" + strings.Repeat("A", 800),
		"a NUL":           "/r/" + of.ID + "%00/" + token,
		"a number sign":   "/r/" + of.ID + "/" + token + "%23",
	} {
		a := s.Call(t, "GET", target, nil)
		wantsPage(t, a, http.StatusNotFound)
		if string(a.Body) != string(missing.Body) {
			t.Errorf("%s: another page than of a report that is not there", name)
		}
	}
	s.Call(t, "GET", "/r/"+of.ID, nil).Refuses(t, http.StatusNotFound, "")
	s.Call(t, "GET", "/r/"+of.ID+"/"+strings.Repeat("A", 2000), nil).Refuses(t, http.StatusNotFound, "")
}

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
	wantsPage(t, s.Call(t, "GET", target, nil), http.StatusGone)
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
	closed := s.With(t, func(b *app.Base) { b.Config.AuthIssuer, b.Config.AdminToken = "", "" })
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
