package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"merve/internal/base/fault"
	"merve/internal/edge/web"
	"merve/internal/edge/web/webtest"
)

// TestStaffPages holds the report page and the controller's pages to what they promise.
func TestStaffPages(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	tests := map[string]func(*testing.T, context.Context){
		"ReportPage":      reportPage,
		"PayPage":         payPage,
		"TokenSignIn":     tokenSignIn,
		"IssuerSignIn":    issuerSignIn,
		"ForgedSignIn":    forgedSignIn,
		"Reports":         reportList,
		"Resolve":         resolveReport,
		"Trouble":         adminTrouble,
		"AdminOnPhone":    adminOnPhone,
		"AdminAccessible": adminAccessible,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, browser)
		})
	}
}

// --- the report page ---

var seen = time.Date(2026, 3, 10, 9, 30, 0, 0, time.UTC)

func reportView(image string) web.ReportView {
	lat, lng := 35.33812, 33.31734
	return web.ReportView{
		Title: "Kordonboyu 12, Girne", Status: "completed", Address: "Kordonboyu 12, Girne", Lat: &lat, Lng: &lng,
		Sections: []web.ReportSection{{Name: "Damage", Text: "The roof leaks above the kitchen.\nIt began on Monday."}, {Name: "Cause", Text: "A storm."}},
		Photos:   []web.ReportPhoto{{URL: image + "/a.svg", Caption: "The roof"}, {URL: image + "/b.svg"}},
		Created:  seen, Updated: seen.Add(time.Hour), ExpiresAt: seen.Add(24 * time.Hour), Language: "en", ImageOrigin: image,
	}
}

func reportPage(t *testing.T, browser context.Context) {
	images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "" {
			t.Errorf("the bucket learns %s", r.Header.Get("Referer"))
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#a33520"/></svg>`)
	}))
	t.Cleanup(images.Close)
	files := web.Sara(web.SaraConfig{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		view := reportView(images.URL)
		switch {
		case r.URL.Path == "/r/gone":
			web.ReportGone(w, r)
		case strings.HasPrefix(r.URL.Path, "/r/"):
			view.Language = r.URL.Path[3:]
			web.Report(w, r, view)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	p := newTab(t, browser, server.URL+"/r/en", `document.querySelector('h1')`, size{320, 640})
	for _, path := range []string{"en", "ar", "gone"} {
		p.url = server.URL + "/r/" + path
		p.visit()
		p.wait(`document.scrollingElement.scrollWidth <= innerWidth`)
		if path != "gone" {
			p.wait(`[...document.images].length === 2 && [...document.images].every((n) => n.naturalWidth === 300)`)
		}
		p.prefer(map[bool]string{true: "light", false: "dark"}[path == "en"])
		p.inspectApart(path)
	}
}

// --- the controller's pages ---

func damage(id, status, address string) webtest.Report {
	lat, lng := 35.33812, 33.31734
	return webtest.Report{
		ID: id, Status: status, Address: address, Lat: &lat, Lng: &lng, Owner: webtest.Owner{ID: "messenger:1", Name: "Ayşe Yılmaz", Channel: "messenger"},
		ThreadID: "general:girne:messenger:1", PhotoCount: 1, CreatedAt: seen, UpdatedAt: seen.Add(time.Hour),
		Photos:   []webtest.Captured{{URL: "/admin/static/admin.svg", Caption: "The roof"}},
		Sections: []webtest.Section{{Name: "Damage", Text: "The roof leaks.\nIt began on Monday."}},
		Events:   []webtest.Event{{At: seen, Type: "report_started", By: "Ayşe Yılmaz"}},
		Links:    []webtest.Link{{ID: "link1", ExpiresAt: time.Now().Add(time.Hour), Opened: 2}, {ID: "link2", ExpiresAt: seen, Opened: 1}},
	}
}

// A desk is a tab with the controller's pages.
type desk struct {
	*tab
	admin  *webtest.Admin
	origin string
}

// admin opens a page of the controller.
func admin(t *testing.T, browser context.Context, path string, window size, markets []string, reports ...webtest.Report) *desk {
	t.Helper()
	backend := webtest.NewAdmin(markets, reports...)
	var pages, issuer http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { pages.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { issuer.ServeHTTP(w, r) }))
	t.Cleanup(other.Close)
	for i := range reports {
		for j := range reports[i].Photos {
			reports[i].Photos[j].URL = server.URL + "/admin/static/admin.svg"
		}
	}
	pages = backend.Handler(web.Admin(web.AdminConfig{Issuer: other.URL, ClientID: webtest.ClientID, Local: true}))
	issuer = backend.Issuer(other.URL, server.URL)
	p := &desk{newTab(t, browser, server.URL+path, `document.querySelector('h1')`, window), backend, server.URL}
	t.Cleanup(func() {
		for _, f := range backend.Faults() {
			t.Errorf("the pages: %s", f)
		}
	})
	p.visit()
	return p
}

// enter signs in with the token.
func (p *desk) enter() {
	p.Helper()
	p.do(chromedp.Focus(chromedp.ID("token")))
	p.write(webtest.AdminToken)
	p.press('\r')
	p.wait(`!document.querySelector('#out').hidden`)
}

func tokenSignIn(t *testing.T, browser context.Context) {
	p := admin(t, browser, "/admin/reports/r1", desktop, []string{"girne"}, damage("r1", "completed", "Kordonboyu 12"))
	p.waitText("h1", "Sign in")
	p.waitText("#token-help", "in the window in which Merve was started")
	p.do(chromedp.Focus(chromedp.ID("token")))
	p.write("wrong")
	p.press('\r')
	p.waitText(".trouble", "That is not the token.")
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#token').value = ''`))
	p.enter()
	p.waitText("h1", "Kordonboyu 12") // where one wanted to go
	same(p.tab, "focus", eval[string](p.tab, `document.activeElement.textContent`), "Kordonboyu 12")
	p.visit()
	p.waitText("h1", "Kordonboyu 12")

	p.click("#out")
	p.waitText("h1", "Sign in")
	same(p.tab, "address", eval[string](p.tab, `location.pathname`), "/admin/overview")
	p.visit()
	p.waitText("h1", "Sign in")

	p.enter()
	p.admin.SignOutAll()
	p.visit()
	p.waitText(".trouble", "Your sign-in has ended.")
}

func issuerSignIn(t *testing.T, browser context.Context) {
	p := admin(t, browser, "/admin/reports/r1", desktop, []string{"girne"}, damage("r1", "completed", "Kordonboyu 12"))
	p.click("section .main")
	p.waitText("h1", "Kordonboyu 12")
	same(p.tab, "address", eval[string](p.tab, `location.pathname + location.search`), "/admin/reports/r1")
	p.click("#out")
	p.click("section .main")
	p.waitText("h1", "today")
	same(p.tab, "prompts", p.admin.Prompts(), []string{"", "login"}) // who has signed out is asked again who it is
}

func forgedSignIn(t *testing.T, browser context.Context) {
	p := admin(t, browser, "/admin", desktop, []string{"girne"})
	p.admin.Forge("nonce-of-another")
	p.click("section .main")
	p.waitText(".trouble", "The answer is not for this sign-in.")
	p.url = p.origin + "/admin/signed-in?code=code-not-real&state=of-another"
	p.visit()
	p.waitText(".trouble", "This sign-in was not begun in this tab.")
	same(p.tab, "address", eval[string](p.tab, `location.pathname + location.search`), "/admin/overview")
	same(p.tab, "kept", eval[int](p.tab, `sessionStorage.length`), 0)
}

func reportList(t *testing.T, browser context.Context) {
	var all []webtest.Report
	for i := range 30 {
		all = append(all, damage(fmt.Sprintf("r%d", i), "completed", fmt.Sprintf("Street %d", i)))
	}
	p := admin(t, browser, "/admin/reports", desktop, []string{"girne", "mainz"}, append(all, damage("p1", "pending", ""))...)
	p.enter()
	p.waitText(".row", "Street 0")
	p.waitText(".row", "From Ayşe Yılmaz by Messenger · 1 photo")
	same(p.tab, "rows", len(p.texts(".row")), 25)
	p.click(".rest button")
	p.waitText(".row", "Street 29")
	same(p.tab, "rows after more", len(p.texts(".row")), 30)
	same(p.tab, "focus", eval[string](p.tab, `document.activeElement.textContent`), "Street 25")
	p.wait(`!document.querySelector('.rest button')`)

	p.click(".tabs a")
	p.waitText(".row", "No address yet")
	p.waitText(".tabs [aria-current]", "Pending")
	p.waitText(".help", "The customer is still describing these.")
	same(p.tab, "title", eval[string](p.tab, `document.title`), "Reports – Merve for staff")
	p.url = eval[string](p.tab, `location.href`)
	p.visit() // the address says which list it is
	p.waitText(".row", "No address yet")
	p.do(chromedp.Evaluate[chromedp.Void](`{ const s = document.querySelector('#market'); s.value = 'mainz'; s.dispatchEvent(new Event('change')); }`))
	p.waitText(".empty", "No pending reports")
	p.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
	p.waitText(".row", "No address yet")
	same(p.tab, "market", eval[string](p.tab, `document.querySelector('#market').value`), "girne")
	p.click(".row a")
	p.waitText(".help", "It can be resolved once the customer has completed it.")
}

func resolveReport(t *testing.T, browser context.Context) {
	p := admin(t, browser, "/admin/reports/r1", desktop, []string{"girne"}, damage("r1", "completed", `<b onclick=hit=1>Street</b>`))
	p.enter()
	p.waitText("h1", "<b onclick=hit=1>Street</b>")
	p.waitText(".said", "The roof leaks.")
	p.waitText(".events", "Report started by Ayşe Yılmaz")
	p.waitText(".links", "opened 2 times")
	p.wait(`(document.querySelector('.photos img').scrollIntoView(), document.querySelector('.photos img').naturalWidth > 0)`)
	same(p.tab, "map", eval[string](p.tab, `((a) => a.href + ' ' + a.rel)(document.querySelector('.facts a'))`),
		"https://www.openstreetmap.org/?mlat=35.33812&mlon=33.31734#map=18/35.33812/33.31734 noopener noreferrer nofollow")

	// By keyboard; the question is answered with no unless one says otherwise.
	p.do(chromedp.Focus(chromedp.CSS(".act button")))
	p.press('\r')
	p.waitText("#sure", "We then tell Ayşe Yılmaz by Messenger that it is resolved.")
	same(p.tab, "focus", eval[string](p.tab, `document.activeElement.textContent`), "Cancel")
	p.press([]rune(kb.Escape)[0])
	p.wait(`document.activeElement === document.querySelector('.act button')`)
	same(p.tab, "posts after Escape", len(p.admin.Posts()), 0)
	p.press('\r')
	p.press('\t', chromedp.ModifierShift)
	p.press('\r')
	p.waitText(".status", "Resolved")
	p.wait(`document.querySelector('#say').textContent === 'Resolved. Ayşe Yılmaz is told by Messenger.' && !document.querySelector('.act')`)

	p.click(".links button")
	p.click("#sure-yes")
	p.waitText(".links", "revoked")
	same(p.tab, "posts", p.admin.Posts(), []string{"/admin/api/reports/r1/resolve", "/admin/api/reports/r1/links/link1/revoke"})
}

func adminTrouble(t *testing.T, browser context.Context) {
	p := admin(t, browser, "/admin/reports", desktop, []string{"girne"}, damage("r1", "completed", "Street"))
	p.enter()
	p.waitText(".row", "Street")
	problem := fault.ProblemOf(fault.New(fault.Internal, "secret"), "trace-42")
	p.admin.Refuse(&problem)
	p.visit()
	p.waitText(".trouble", "Something went wrong on our side.")
	p.waitText(".trouble code", "trace-42")
	p.admin.Refuse(nil)
	p.click(".trouble button")
	p.waitText(".row", "Street")

	problem = fault.ProblemOf(fault.New(fault.Forbidden, "not staff"), "trace-43")
	p.admin.Refuse(&problem)
	p.visit()
	p.waitText(".trouble", "not as one of the staff")
	p.admin.Refuse(nil)
	p.url = p.origin + "/admin/reports/none"
	p.visit()
	p.waitText(".trouble", "This is not there, or not any more.")
	p.url = p.origin + "/admin/elsewhere"
	p.visit()
	p.waitText("h1", "There is no such page")
	p.click(".empty a")
	p.waitText("h1", "today")
}

func adminOnPhone(t *testing.T, browser context.Context) {
	long := strings.Repeat("Donaudampfschifffahrt", 15)
	odd := damage("r1", "completed", long)
	odd.Owner.Name, odd.ThreadID, odd.Sections[0].Name, odd.Photos[0].Caption = long, long, long, long
	p := admin(t, browser, "/admin/reports", size{320, 640}, []string{"girne", long}, odd)
	fits := func(what string) {
		t.Helper()
		if wide := eval[[]string](p.tab, `[...document.querySelectorAll('body *')].filter((n) => n.checkVisibility() && !n.closest('.unseen, .skip, option')
			&& (n.getBoundingClientRect().right > innerWidth + 1 || n.getBoundingClientRect().left < -1)).map((n) => n.tagName + '.' + n.className)`); len(wide) > 0 {
			t.Errorf("%s: wider than they should be: %v", what, wide)
		}
		if little := eval[[]string](p.tab, `[...document.querySelectorAll('button, select, input')].filter((n) => n.checkVisibility() && n.getBoundingClientRect().height < 44).map((n) => n.outerHTML)`); len(little) > 0 {
			t.Errorf("%s: too small to tap: %v", what, little)
		}
	}
	fits("signin")
	p.enter()
	p.waitText(".row", long)
	fits("list")
	p.click(".row a")
	p.waitText("h1", long)
	p.wait(`(document.querySelector('.photos img').scrollIntoView(), document.querySelector('.photos img').naturalWidth > 0)`)
	fits("report")
}

func adminAccessible(t *testing.T, browser context.Context) {
	script := axe(t)
	p := admin(t, browser, "/admin/reports", desktop, []string{"girne", "mainz"}, damage("r1", "completed", "Street"))
	p.do(chromedp.Evaluate[chromedp.Void](script))
	check := func(state string) {
		t.Helper()
		p.prefer("light")
		p.inspect(state)
		p.prefer("dark")
		p.contrast(state + ", dark")
	}
	p.do(chromedp.Focus(chromedp.ID("token")))
	p.write("wrong")
	p.press('\r')
	p.wait(`document.querySelector('.trouble')`)
	check("wrong token")
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#token').value = ''`))
	p.enter()
	p.waitText(".row", "Street")
	check("list")
	p.click(".row a")
	p.waitText("h1", "Street")
	check("report")
	p.click(".act button")
	p.wait(`document.querySelector('#sure').open`)
	check("question")
}
