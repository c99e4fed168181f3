package web_test

import (
	"fmt"
	"os"
	"testing"
	"strings"

	"github.com/chromedp/chromedp"
	"merve/infra/local/demo"
	"merve/internal/market"
	"merve/internal/ledger"
	"merve/internal/channel"
	"merve/internal/actor"
	"merve/internal/taxi"
	"merve/internal/dynamo"
)

func TestZZShots(t *testing.T) {
	browser, ok := browse(t)
	if !ok { t.Fatal("no") }
	c := control(t, browser, "overview", size{1280, 900})
	ls, err := demo.Listings()
	if err != nil { t.Fatal(err) }
	for _, l := range ls[:8] { l.Market = c.market.ID; c.put(l) }
	c.base.Drivers().Put(t.Context(), taxi.Driver{ID: "dina", Market: c.market.ID, Name: "Dina Demir", Phone: "+15550142", Districts: []string{"Kyrenia"}, Seats: 4, Enabled: true, Available: true, Vehicle: "White Skoda", Plate: "AB 123"})
	c.base.Ledger().RaiseAlert(t.Context(), ledger.Alert{Check: "single_hold", Severity: ledger.Critical, Subject: "tx1", Message: "hold, but 1 of its 2 locks are not its own or not hold"})
	for i, n := range []int{12, 30, 7, 44, 61, 20, 33} {
		r, _ := c.base.Runner(nil)
		day := r.Now().UTC().AddDate(0,0,-i).Format("2006-01-02")
		r.Records.DB().Commit(t.Context(), r.Records.Put(dynamo.Key{PK:"spend#"+c.market.ID, SK: day}, map[string]any{"microUsd": n*1700, "turns": n, "inbound": n, "outbound": n+3}))
	}
	a, err := c.base.Threads().Append(t.Context(), channel.Inbound{Market: c.market.ID, Channel: channel.WhatsApp, ThreadType: channel.General, From: actor.Actor{Kind: actor.Person, ID: "whatsapp:+15550177", Name: "Ayşe"}, MessageID: "1", Text: "Is there a table for 4 tonight?", Language: "en", ReplyTo: "" }, false)
	fmt.Println(a, err)
	m := c.now(); m.Templates = map[string]string{"taxi_taken": "Too late for {code} {wrong}"}; m.Templates = map[string]string{"taxi_taken": "Too late for {code}"}
	m.Safety.MaxRounds = 6; m.Districts=[]market.District{{Name:"Kyrenia", Also: []string{"Girne"}}}
	if _, err := c.base.Markets().Save(t.Context(), *m, "staff:ayse"); err != nil { t.Fatal(err) }
	script, _ := axe(t)
	os.MkdirAll("/tmp/controller/shots", 0o755)
	pages := []string{"overview", "market", "tools", "messages", "listings", "listings?listing="+ls[0].ID, "listings?listing=", "drivers", "drivers?driver=dina", "orders", "bookings?business="+ls[0].Business, "alerts", "outbox", "threads", "threads?owner=%2B15550177", "threads?thread="+a.Thread, "history", "audit?thread="+a.Thread}
	only := os.Getenv("ONLY")
	for i, p := range pages {
		if only != "" && !strings.Contains(p, only) { continue }
		for _, mode := range []string{"light", "dark", "phone"} {
			if mode == "phone" { c.do(chromedp.EmulateViewport(375, 740)) } else { c.do(chromedp.EmulateViewport(1280, 900)) }
			scheme := map[bool]string{true: "dark", false: "light"}[mode == "dark"]
			c.prefer(scheme)
			c.open(p)
			c.do(chromedp.Evaluate[chromedp.Void](script))
			c.inspect(p+" "+mode)
			if wide := eval[[]string](c.tab, `[...document.querySelectorAll('body *')].filter((n) => n.checkVisibility() && !n.closest('.unseen, .skip, option, .scroll, svg, pre') && (n.getBoundingClientRect().right > innerWidth + 1 || n.getBoundingClientRect().left < -1)).map((n) => n.tagName + '.' + n.className)`); len(wide) > 0 { t.Errorf("%s %s wide: %v", p, mode, wide) }
			png, err := chromedp.Run(c.ctx, chromedp.FullScreenshot(90))
			if err != nil { t.Fatal(err) }
			os.WriteFile(fmt.Sprintf("/tmp/controller/shots/%02d-%s.png", i, mode), png, 0o644)
		}
	}
}
