package web_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"merve/internal/edge/web/webtest"
)

var (
	castle = map[string]any{
		"type": "place", "id": "p1", "title": "Kyrenia Castle", "subtitle": "Museum", "address": "Kordonboyu", "phone": "+90 (392) 815 21 42",
		"distanceMeters": 1234, "open": true, "location": map[string]any{"lat": 35.3417, "lng": 33.3223},
	}
	abbey = map[string]any{"type": "place", "id": "p2", "title": "Bellapais Abbey", "open": false, "location": map[string]any{"lat": 35.3065, "lng": 33.3548}}
	kebab = map[string]any{
		"type": "order", "id": "o1", "code": "ORD-4F", "kind": "food", "title": "Niazi’s", "status": "accepted",
		"lines": []any{
			map[string]any{"name": "Full kebab", "quantity": 2, "options": []any{"no onion", "extra lemon"}, "total": euro(3600)},
			map[string]any{"name": "Ayran", "quantity": 1, "total": euro(200)},
		},
		"total": euro(3800), "delivery": map[string]any{"address": "Kordonboyu 12"}, "eta": "2026-11-21T19:45:00+02:00",
	}
	viewing = map[string]any{"type": "order", "id": "v1", "kind": "viewing", "title": "Sea view flat", "status": "placed", "when": "2026-11-23T11:00:00+02:00"}
	hire    = map[string]any{
		"type": "found", "id": "fi_1", "title": "Hire <b>", "url": "https://hire.example/a", "subtitle": "They hire", "note": "Found on the web, not checked by us", "source": "openai_web_search",
	}
	lure = map[string]any{"type": "found", "id": "fi_2", "title": "Lure", "url": "javascript:alert(1)", "note": "Found on the web, not checked by us"}
	more = map[string]any{"type": "searches", "id": "s", "title": "Google", "links": []any{
		map[string]any{"title": "generator hire", "url": "https://www.google.com/search?q=generator"}, map[string]any{"title": "bad", "url": "javascript:alert(1)"},
	}}
	deposit = map[string]any{"type": "payment", "id": "pay1", "title": "Deposit", "price": euro(2000), "url": "https://pay.example/pay1", "status": "waiting"}
)

// ride is the card of a taxi, changed n minutes after it was asked for.
func ride(id, status string, n int) map[string]any {
	card := map[string]any{
		"type": "taxi", "id": id, "code": "K7Q2", "title": "Taxi to the harbour", "status": status,
		"pickup": map[string]any{"address": "Kordonboyu 12", "lat": 35.34, "lng": 33.319}, "updatedAt": time.Date(2026, 11, 21, 10, n, 0, 0, time.UTC),
	}
	if status == "assigned" || status == "arrived" {
		card["driver"] = map[string]any{"name": "Ali", "vehicle": "White Toyota", "plate": "GK 482", "phone": "+905338000000"}
	}
	return card
}

// shows answers every message with cards.
func shows(cards ...any) func(webtest.Message) webtest.Answer {
	return func(webtest.Message) webtest.Answer { return webtest.Answer{Reply: "Here.", Cards: cards} }
}

func cardsChangeInPlace(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, shows(ride("t1", "requested", 0))), phone)
	p.hurry()
	p.send("a taxi please")
	p.waitText(".taxi .status", "Looking for a driver")
	same(p, "steps", eval[int](p, `document.querySelectorAll('.taxi .past').length`), 1)

	p.backend.Say("outbound", "Ali is on the way.", skewed(), ride("t1", "assigned", 1))
	p.waitText(".bubble", "Ali is on the way.")
	p.waitText(".taxi .status", "On the way to you")
	same(p, "cards of the taxi", len(p.texts(".taxi")), 1)
	same(p, "it stands where it stood", eval[bool](p, `document.querySelector('.taxi').closest('.entry').textContent.includes('Here.')`), true)
	same(p, "step", eval[string](p, `document.querySelector('.taxi [aria-current=step]').textContent`), "On the way to you")
	p.waitText(".taxi dd", "White Toyota")
	same(p, "call", eval[string](p, `document.querySelector('.taxi .actions a').href`), "tel:+905338000000")
	same(p, "said", p.texts("#say"), []string{"Taxi to the harbour: On the way to you"})
	same(p, "mention", p.texts(".mention"), []string{"Taxi to the harbour" + "On the way to you"})
	p.again(".mention")
	p.wait(`document.activeElement.matches('.taxi')`)

	p.backend.Say("outbound", "An old word, late.", skewed(), ride("t1", "requested", 0)) // what is newer stays
	p.backend.Say("outbound", "He is there.", skewed(), ride("t1", "arrived", 2))
	p.waitText(".taxi .status", "Waiting for you")
	p.wait(`document.activeElement.matches('.taxi')`) // the card has kept the focus
	p.visit()
	p.waitText(".taxi .status", "Waiting for you")
	same(p, "cards after a reload", [2]int{len(p.texts(".taxi")), len(p.texts(".mention"))}, [2]int{1, 3})
	same(p, "nothing is said of it again", p.texts("#say"), []string{""})
	// Far up it is out of sight, and is shown where it is spoken of.
	for range 12 {
		p.backend.Say("outbound", "By the way.", skewed())
	}
	p.backend.Say("outbound", "You are there.", skewed(), ride("t1", "done", 3))
	p.waitText(".bubble", "You are there.")
	p.wait(`document.querySelectorAll('.taxi').length === 2 && [...document.querySelectorAll('.taxi .status')].every((n) => n.textContent === 'Done')`)
}

func cardsOfAllKinds(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, shows(castle, abbey, kebab, viewing, deposit, hire, lure, more, map[string]any{"type": "poll", "title": "Which one?", "subtitle": "You choose"})), desktop)
	p.send("all")
	p.waitText(".other", "Which one?You choose")
	for selector, want := range map[string][]string{
		".place:has(a)":                   {"1Kyrenia CastleMuseumKordonboyuOpen now1.2 kmCall"},
		".place:not(:has(a))":             {"2Bellapais AbbeyClosed now"},
		".order .items li":                {"2 ×Full kebabno onion, extra lemon€36", "1 ×Ayran€2"},
		".order:has(.items) header":       {"Niazi’sOrderAccepted"},
		".order:has(.items) dd":           {"€38", "Saturday 21 November at 19:45", "Kordonboyu 12", "ORD-4F"},
		".order:not(:has(.items)) header": {"Sea view flatViewingWaiting for an answer"},
		".payment header":                 {"DepositPaymentTo be paid"},
		".other":                          {"Hire <b>They hireFound on the web, not checked by us", "LureFound on the web, not checked by us", "Googlegenerator hirebad", "Which one?You choose"},
		".other a":                        {"Hire <b>", "generator hire"},
	} {
		same(p, selector, p.texts(selector), want)
	}
	same(p, "pay", eval[string](p, `document.querySelector('.payment a').href`), "https://pay.example/pay1")
	same(p, "call", eval[string](p, `document.querySelector('.place a').href`), "tel:+903928152142")

	paid := map[string]any{"type": "payment", "id": "pay1", "title": "Deposit", "price": euro(2000), "url": "https://pay.example/pay1", "status": "paid"}
	p.backend.Say("outbound", "Thank you.", skewed(), paid)
	p.waitText(".payment .status", "Paid")
	same(p, "links to pay", len(p.texts(".payment a")), 0)
}

func mapWithoutTiles(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, shows(castle, abbey)), desktop)
	p.send("places")
	p.wait(`document.querySelectorAll('.chart .pin').length === 2`)
	p.wait(`[...document.querySelectorAll('.tiles img')].every((n) => n.complete)`)
	same(p, "names", p.texts(".chart .name"), []string{"Kyrenia Castle", "Bellapais Abbey"})
	same(p, "what it is", eval[string](p, `document.querySelector('.chart svg').getAttribute('aria-label')`), "Map: Kyrenia Castle, Bellapais Abbey")
	same(p, "scale", strings.HasSuffix(p.texts(".chart .scale")[0], "km"), true)
	same(p, "tiles", eval[bool](p, `!!document.querySelector('.tiled') || document.querySelector('.chart a').checkVisibility()`), false)
	// The abbey is to the south-east of the castle, and both are on the map.
	if !eval[bool](p, `(() => {
		const [a, b] = [...document.querySelectorAll('.pin path')].map((n) => n.getBoundingClientRect());
		const frame = document.querySelector('.chart').getBoundingClientRect();
		return a.x < b.x && a.y < b.y && [a, b].every((r) => r.left > frame.left && r.right < frame.right && r.top > frame.top && r.bottom < frame.bottom);
	})()`) {
		t.Error("the pins are not where they should be")
	}
	same(p, "links", eval[string](p, `document.querySelector('.map').href`), "https://www.openstreetmap.org/?mlat=35.3417&mlon=33.3223#map=16/35.3417/33.3223")
}

func mapWithTiles(t *testing.T, browser context.Context) {
	backend := webtest.New(skewed, shows(castle))
	backend.Tiles(tilePNG(t))
	p := open(t, browser, backend, desktop)
	p.send("place")
	p.wait(`document.querySelector('.chart.tiled')`)
	p.waitText(".chart a", "© OpenStreetMap contributors")
	same(p, "credit", eval[string](p, `document.querySelector('.chart a').href`), "https://www.openstreetmap.org/copyright")
	// What serves tiles is told which site shows them, and no more.
	same(p, "referrer", eval[string](p, `document.querySelector('.tiles img').referrerPolicy`), "origin")
	// The castle is on tile 15/19417/12941, by the formula of OpenStreetMap's wiki ("Slippy map tilenames").
	const under = `(() => {
		const pin = document.querySelector('.pin path').getBoundingClientRect();
		return [...document.querySelectorAll('.tiles img')].find((n) => {
			const r = n.getBoundingClientRect();
			return r.left <= pin.left + pin.width / 2 && pin.left + pin.width / 2 < r.right && r.top <= pin.bottom - 1 && pin.bottom - 1 < r.bottom;
		})?.src.split('/tiles/')[1];
	})()`
	same(p, "tile under the pin", eval[string](p, under), "15/19417/12941")
	p.again(".zoom button")
	p.wait(under + `?.startsWith('16/')`)
}

func tilePNG(t *testing.T) []byte {
	t.Helper()
	tile := image.NewRGBA(image.Rect(0, 0, 256, 256))
	for i := range tile.Pix {
		tile.Pix[i] = 0xee
	}
	tile.Set(0, 0, color.RGBA{A: 0xff})
	var out bytes.Buffer
	if err := png.Encode(&out, tile); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func suggestions(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), phone)
	for language, first := range map[string]string{"en": "Find a restaurant for tonight", "tr": "Bu akşam için restoran bul"} {
		p.choose(language)
		ideas := p.texts("#ideas button")
		if len(ideas) != 4 || ideas[0] != first {
			t.Errorf("%s: got %q, want four that begin with %q", language, ideas, first)
		}
	}
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#ideas li:last-child button').click()`))
	p.wait(`document.querySelector('.own .bubble')`)
}
