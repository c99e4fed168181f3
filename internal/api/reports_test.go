package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"merve/infra/local/demo"
	"merve/internal/actor"
	"merve/internal/app"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/media/mediatest"
	"merve/internal/pause/pausetest"
	"merve/internal/report"
)

// reported makes a completed report of somebody, without photos.
func (s *service) reported(t *testing.T, who actor.Actor, threadID, address string) report.Report {
	t.Helper()
	r := s.begun(t, who, threadID, demo.Market, address)
	r, err := s.base.Reports().SetPhotos(t.Context(), report.By{Actor: who, Key: "photos"}, r.ID, nil, true)
	if err != nil || r.Status != report.Completed {
		t.Fatalf("%v: %+v", err, r)
	}
	return r
}

// begun makes a pending report.
func (s *service) begun(t *testing.T, who actor.Actor, threadID, market, address string) report.Report {
	t.Helper()
	lat, lng := 35.3364, 33.3182
	r, err := s.base.Reports().Start(t.Context(), report.By{Actor: who, Key: newID()},
		report.Draft{Market: market, Thread: threadID, Spot: report.Spot{Address: address, Lat: &lat, Lng: &lng}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shared makes a link to a report and returns its id and its address on the service.
func (s *service) shared(t *testing.T, who actor.Actor, id string) (linkID, target string) {
	t.Helper()
	l, err := s.base.Reports().Share(t.Context(), report.By{Actor: who, Key: newID()}, id, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	target, ok := strings.CutPrefix(l.URL, s.url)
	if !ok {
		t.Fatalf("the link leads to %s", l.URL)
	}
	return l.ID, target
}

// detail is a report as staff see it.
type detail struct {
	ID, Status, Address, ThreadID string
	PhotoCount                    int
	Owner                         struct{ ID, Name, Channel string }
	Photos                        []struct{ URL, Caption string }
	Sections                      []struct{ Name, Text string }
	Events                        []struct{ Type, By string }
	Links                         []struct {
		ID      string
		Opened  int
		Revoked bool
	}
}

func (d detail) happened(event, by string) bool {
	for _, e := range d.Events {
		if e.Type == event && e.By == by {
			return true
		}
	}
	return false
}

func (s *service) report(t *testing.T, id string) (d detail) {
	t.Helper()
	s.reads(t, "reports/"+id, &d)
	return d
}

func somebody() actor.Actor { return actor.Actor{Kind: actor.Session, ID: dynamotest.ID("s")} }

// A link shows the report as a page that no one stores, lists or is told of, to whoever has
// it, until it has expired or was withdrawn, or the report is gone.
func TestSharedReport(t *testing.T) {
	t.Parallel()
	s, session := start(t), session()
	who, threadID := sessionActor(t, s, session)
	r := s.reported(t, who, threadID, "Old Harbour 1 <b>")
	photo, err := s.base.Photos().Kept(t.Context(), threadID, s.uploads(t, session, mediatest.JPEG(t, 8, 8)))
	if err != nil {
		t.Fatal(err)
	}
	by := func(key string) report.By { return report.By{Actor: who, Key: key} }
	reports := s.base.Reports()
	if _, err := reports.SetPhotos(t.Context(), by("p"), r.ID, []report.Photo{{Ref: photo, Caption: "the <i>roof"}}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := reports.SetSection(t.Context(), by("s"), r.ID, "cause", `<script>alert("x")</script>`); err != nil {
		t.Fatal(err)
	}
	link, target := s.shared(t, who, r.ID)
	a := s.call(t, "GET", target, nil).wants(t, http.StatusOK, nil)
	page := string(a.body)
	for _, want := range []string{"Old Harbour 1 &lt;b&gt;", "the &lt;i&gt;roof", "&lt;script&gt;alert", s.bucket} {
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
		if !strings.Contains(a.header.Get(name), want) {
			t.Errorf("%s: %q, want %s", name, a.header.Get(name), want)
		}
	}
	if csp := a.header.Get("Content-Security-Policy"); strings.Contains(csp, "script-src") || !strings.Contains(csp, "img-src 'self' "+s.bucket) {
		t.Errorf("Content-Security-Policy: %s", csp)
	}
	s.call(t, "GET", target, nil, "Origin", "https://evil.example").wants(t, http.StatusOK, nil)
	d := s.report(t, r.ID)
	if len(d.Links) != 1 || d.Links[0].ID != link || d.Links[0].Opened != 2 || !d.happened("link_opened", "") {
		t.Errorf("%+v", d)
	}

	s.callTo(t, s.later(t, 2*time.Hour), "GET", target, nil).isPage(t, http.StatusGone)
	s.call(t, "POST", "/admin/api/reports/"+r.ID+"/links/"+link+"/revoke", nil, admin()...).wants(t, http.StatusNoContent, nil)
	s.call(t, "GET", target, nil).isPage(t, http.StatusGone)
	_, second := s.shared(t, who, r.ID)
	s.call(t, "GET", second, nil).wants(t, http.StatusOK, nil)
	if err := reports.Delete(t.Context(), by("d"), r.ID); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{target, second} {
		s.call(t, "GET", gone, nil).isPage(t, http.StatusNotFound)
	}
}

// isPage checks that the answer is a page with this status that nobody stores.
func (a answer) isPage(t *testing.T, status int) {
	t.Helper()
	a.wants(t, status, nil)
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || a.header.Get("Cache-Control") != "no-store" || a.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%v: %.200s", a.header, a.body)
	}
}

// What is no link of a report leads nowhere, and every such answer is the same one.
func TestWrongLinks(t *testing.T) {
	t.Parallel()
	s, ann, bob := start(t), somebody(), somebody()
	of, other := s.reported(t, ann, "th_a", "Harbour 1"), s.reported(t, bob, "th_b", "Harbour 2")
	_, target := s.shared(t, ann, of.ID)
	token := target[strings.LastIndex(target, "/")+1:]
	missing := s.call(t, "GET", "/r/rp_aaaaaaaaaaaaaaaa/"+token, nil)
	missing.isPage(t, http.StatusNotFound)
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
		a := s.call(t, "GET", target, nil)
		a.isPage(t, http.StatusNotFound)
		if string(a.body) != string(missing.body) {
			t.Errorf("%s: another page than of a report that is not there", name)
		}
	}
	s.call(t, "GET", "/r/"+of.ID, nil).refuses(t, http.StatusNotFound, "")
	s.call(t, "GET", "/r/"+of.ID+"/"+strings.Repeat("A", 2000), nil).refuses(t, http.StatusNotFound, "")
}

// Staff list a market's reports by status, page by page.
func TestReportsForStaff(t *testing.T) {
	t.Parallel()
	s, who, id := start(t), somebody(), dynamotest.ID("m")
	s.call(t, "PUT", "/admin/api/markets/"+id, map[string]any{"name": "Reports"}, admin()...).wants(t, http.StatusOK, nil)
	var made []string
	for range 3 {
		made = append(made, s.begun(t, who, "th_a", id, "Harbour 1").ID)
	}
	if _, err := s.base.Reports().SetPhotos(t.Context(), report.By{Actor: who, Key: "p"}, made[2], nil, true); err != nil {
		t.Fatal(err)
	}
	listed := func(query string, limit int) (ids []string) {
		for after := ""; ; {
			var l struct {
				Reports []detail
				Next    string
			}
			target := "/admin/api/reports?marketId=" + id + query + "&after=" + url.QueryEscape(after)
			s.call(t, "GET", target, nil, admin()...).wants(t, http.StatusOK, &l)
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
		s.call(t, "GET", "/admin/api/reports?"+query, nil, admin()...).refuses(t, http.StatusBadRequest, field)
	}
	s.call(t, "GET", "/admin/api/reports?marketId=nowhere", nil, admin()...).wants(t, http.StatusOK, nil)
}

// Staff resolve what is completed, once, and its owner is told on the thread it came from.
func TestResolveReport(t *testing.T) {
	t.Parallel()
	s, id := start(t), session()
	who, threadID := sessionActor(t, s, id)
	pending := s.begun(t, who, threadID, demo.Market, "Harbour 7")
	resolve := func(id string) answer {
		return s.call(t, "POST", "/admin/api/reports/"+id+"/resolve", nil, admin()...)
	}
	resolve(pending.ID).refuses(t, http.StatusConflict, "")
	resolve("rp_aaaaaaaaaaaaaaaa").refuses(t, http.StatusNotFound, "")
	r := s.reported(t, who, threadID, "Harbour 8")
	for range 2 {
		var d detail
		resolve(r.ID).wants(t, http.StatusOK, &d)
		if d.Status != "resolved" || !d.happened("resolved", "staff") || !d.happened("completed", "owner") || d.Owner.ID != who.Key() || d.Owner.Channel != "web" {
			t.Errorf("%+v", d)
		}
	}
	told := func() (n int) {
		for _, m := range s.webLines(t, id).Messages {
			if m.Direction == "outbound" && strings.Contains(m.Text, "Harbour 8") {
				n++
			}
		}
		return n
	}
	pausetest.Until(t, "the owner is told", func() bool { return told() > 0 })
	s.writesWeb(t, id, "thank you") // behind it
	if n := told(); n != 1 {
		t.Errorf("told %d times", n)
	}
	if d := s.report(t, pending.ID); d.Status != "pending" {
		t.Errorf("%+v", d)
	}
}

// A link is withdrawn once and for all; one that is none of the report's is not there.
func TestRevokeLink(t *testing.T) {
	t.Parallel()
	s, ann, bob := start(t), somebody(), somebody()
	r, other := s.reported(t, ann, "th_a", "Harbour 1"), s.reported(t, bob, "th_b", "Harbour 2")
	link, target := s.shared(t, ann, r.ID)
	_, stays := s.shared(t, ann, r.ID)
	revoke := func(report, link string) answer {
		return s.call(t, "POST", "/admin/api/reports/"+report+"/links/"+link+"/revoke", nil, admin()...)
	}
	for _, wrong := range [][2]string{
		{other.ID, link}, {"rp_aaaaaaaaaaaaaaaa", link}, {r.ID, strings.Repeat("0", 64)}, {r.ID, "x"}, {r.ID, strings.Repeat("x", 300)}, {"x", link}, {r.ID, link + "%00"},
	} {
		revoke(wrong[0], wrong[1]).refuses(t, http.StatusNotFound, "")
	}
	s.call(t, "GET", target, nil).wants(t, http.StatusOK, nil)
	for range 2 {
		revoke(r.ID, link).wants(t, http.StatusNoContent, nil)
	}
	s.call(t, "GET", target, nil).isPage(t, http.StatusGone)
	s.call(t, "GET", stays, nil).wants(t, http.StatusOK, nil)
	revoked := 0
	d := s.report(t, r.ID)
	for _, l := range d.Links {
		if l.Revoked {
			revoked++
		}
	}
	if revoked != 1 || len(d.Links) != 2 || !d.happened("link_revoked", "staff") {
		t.Errorf("%+v", d)
	}
}

// Nobody but staff sees a report by the admin API, its owner neither, and what is not theirs
// is answered before it is looked whether it is there.
func TestReportsAreForStaff(t *testing.T) {
	t.Parallel()
	s, id := start(t), session()
	who, threadID := sessionActor(t, s, id)
	r := s.reported(t, who, threadID, "Harbour 1")
	link, _ := s.shared(t, who, r.ID)
	closed := s.with(t, func(b *app.Base) { b.Config.AuthIssuer, b.Config.AdminToken = "", "" })
	for target, method := range map[string]string{
		"/admin/api/reports": "GET", "/admin/api/reports/" + r.ID: "GET", "/admin/api/reports/" + r.ID + "/resolve": "POST",
		"/admin/api/reports/" + r.ID + "/links/" + link + "/revoke": "POST",
	} {
		s.call(t, method, target, nil, "x-session-id", id).refuses(t, http.StatusUnauthorized, "")
		s.call(t, method, target, nil, s.issuer.token(t, "ann", "customers")...).refuses(t, http.StatusForbidden, "")
		s.callTo(t, closed, method, target, nil, admin()...).refuses(t, http.StatusUnauthorized, "")
	}
	if d := s.report(t, r.ID); d.Status != "completed" || d.Links[0].Revoked {
		t.Errorf("%+v", d)
	}
}
