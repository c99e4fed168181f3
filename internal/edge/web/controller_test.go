package web_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/chromedp/chromedp"

	"merve/infra/local/gateway"
	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/queue/queuetest"
	"merve/internal/edge/web"
	"merve/internal/edge/web/webtest"
	"merve/internal/record/listing"
	"merve/internal/tenant/market"
)

// A controller is a tab with the controller's pages on the real admin API, and a market of its own.
type controller struct {
	*tab
	base   *app.Base
	market *market.Market
}

// control signs in at a page of the controller, which is given the market's id behind it.
func control(t *testing.T, browser context.Context, page string, window size) *controller {
	t.Helper()
	c := newController(t)
	server := httptest.NewServer(c.front(t))
	t.Cleanup(server.Close)
	c.tab = newTab(t, browser, server.URL+c.at(page), `document.querySelector('h1')`, window)
	c.visit()
	c.do(chromedp.Focus(chromedp.ID("token")))
	c.write(webtest.AdminToken)
	c.press('\r')
	c.wait(`!document.querySelector('#out').hidden && document.querySelector('h1') && !document.querySelector('.loading')`)
	return c
}

func (c *controller) at(page string) string {
	path, query, _ := strings.Cut(page, "?")
	if query != "" {
		query = "&" + query
	}
	return "/admin/" + path + "?marketId=" + c.market.ID + query
}

func (c *controller) open(page string) {
	c.Helper()
	c.url = c.url[:strings.Index(c.url, "/admin/")] + c.at(page)
	c.visit()
	c.wait(`!document.querySelector('.loading')`)
}

// tables makes the tables of these tests, once: a market more in the tables of others would be one
// more to choose from here.
var tables struct {
	once   sync.Once
	prefix string
	err    error
}

func prefixed(cfg aws.Config) (string, error) {
	tables.once.Do(func() {
		tables.prefix = dynamotest.ID("web") + "-"
		tables.err = dynamotest.OwnTables(context.Background(), cfg, tables.prefix)
	})
	return tables.prefix, tables.err
}

func newController(t *testing.T) *controller {
	t.Helper()
	cfg := dynamotest.Config(t)
	prefix, err := prefixed(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := app.NewBase(app.Process{
		Config: app.Config{
			PublicURL: "http://localhost", SiteURL: "http://localhost", DefaultMarket: "demo", AdminToken: webtest.AdminToken, MediaBucket: "photos",
			TableConversations: prefix + "conversations", TableLedger: prefix + "ledger", TableAlerts: prefix + "alerts",
			TableCatalog: prefix + "catalog", TableRecords: prefix + "records",
		},
		AWS: cfg, Now: time.Now, NewID: func() string { return dynamotest.ID("id") }, Queues: func(string) queue.Queue { return &queuetest.Kept{} },
		Log: telemetry.NewLogger(io.Discard, slog.LevelInfo), Getenv: func(string) string { return "" },
	})
	m := market.Default(dynamotest.ID("m"))
	m.Name = "Girne"
	saved, err := b.Markets().Save(t.Context(), *m, "staff:seed")
	if err != nil {
		t.Fatal(err)
	}
	return &controller{base: b, market: saved}
}

func (c *controller) front(t *testing.T) http.Handler {
	t.Helper()
	var routes []gateway.Route
	for _, f := range wiring.Functions() {
		if f.Name != "admin" && f.Name != "marketplace" { // whose tools the desk uses
			continue
		}
		function, err := app.Constructors(wiring.Elsewhere())[f.Name](c.base)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Routes {
			routes = append(routes, gateway.Route{Method: r.Method, Path: r.Path, Function: function})
		}
	}
	front, err := gateway.New(routes, gateway.Options{Timeout: time.Minute, Now: time.Now, Log: telemetry.NewLogger(io.Discard, slog.LevelInfo)})
	if err != nil {
		t.Fatal(err)
	}
	return front
}

// now reads the market as it is stored.
func (c *controller) now() *market.Market {
	c.Helper()
	m, err := c.base.Markets().Read(c.ctx, c.market.ID)
	if err != nil {
		c.Fatal(err)
	}
	return m
}

// put stores a listing in the market.
func (c *controller) put(l *listing.Listing) {
	c.Helper()
	l.Market, l.Business = c.market.ID, "biz-"+c.market.ID
	if err := c.base.Listings().Put(context.Background(), l, "staff:seed"); err != nil {
		c.Fatal(err)
	}
}

// The controller's pages are small, however much there is to set.
func TestControllerIsSmall(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("admin")
	if err != nil {
		t.Fatal(err)
	}
	pages, size := web.Admin(web.AdminConfig{}), 0
	size += fetched(t, pages, "/admin")
	for _, f := range files {
		size += fetched(t, pages, "/admin/static/"+f.Name())
	}
	if size >= 185_000 {
		t.Errorf("the pages have %d bytes, want less than 185,000", size)
	}
}

// fetched is how long what stands at an address is.
func fetched(t *testing.T, h http.Handler, target string) int {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	if w.Code != http.StatusOK {
		t.Errorf("%s: status %d", target, w.Code)
	}
	return w.Body.Len()
}
