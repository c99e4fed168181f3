package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"merve/internal/edge/api/apitest"
	"merve/internal/matter/report"
	"merve/internal/tenant/media/mediatest"
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
