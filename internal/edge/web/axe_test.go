package web_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"merve/internal/edge/web/webtest"
)

// axe returns axe-core; without it the test is skipped.
func axe(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("../../../.cache/npm/node_modules/axe-core/axe.min.js")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("NO AXE-CORE IN .cache/npm: THE ACCESSIBILITY TESTS OF THE PAGES WERE LEFT OUT (.ci/install-axe.sh)")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// inspectApart runs axe-core over what is shown now, as a test of its own: without axe-core that is
// skipped, and the rest of the page's test is not.
func (p *tab) inspectApart(state string) {
	p.Run(state+" is accessible", func(t *testing.T) {
		script := axe(t)
		shown := &tab{T: t, ctx: p.ctx}
		shown.do(chromedp.Evaluate[chromedp.Void](script))
		shown.inspect(state)
	})
}

// inspect runs axe-core, which the page has loaded, over all that is shown in a state of it.
func (p *tab) inspect(state string) {
	p.Helper()
	p.find(state, `['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']`)
}

// contrast looks only at what a colour scheme changes.
func (p *tab) contrast(state string) {
	p.Helper()
	p.find(state, `{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }`)
}

// find fails the test with whatever those of axe-core's rules find.
func (p *tab) find(state, rules string) {
	p.Helper()
	found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](fmt.Sprintf(
		`axe.run(document, { resultTypes: ['violations'], runOnly: %s }).then((r) =>
			r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.target + ' ' + n.failureSummary)))`, rules), chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("axe, %s: %v", state, err)
	}
	if len(found) > 0 {
		p.Errorf("%s:\n%s", state, strings.Join(found, "\n"))
	}
}

// accessible runs axe-core over everything the chat page can show, in light and dark. Colours do not
// hang on the language, so each has its scheme.
func accessible(t *testing.T, browser context.Context) {
	script := axe(t)
	for scheme, language := range map[string]string{"light": "en", "dark": "ar"} {
		p := open(t, browser, webtest.New(skewed, func(m webtest.Message) webtest.Answer {
			pending := *offer
			pending.ExpiresAt = skewed().Add(50 * time.Second)
			cards := []any{garden, harbour, booked, map[string]any{"type": "x", "title": "Something new", "subtitle": "Of a new kind"}, castle, abbey, kebab, deposit}
			for _, status := range []string{"requested", "assigned", "arrived", "done", "cancelled", "unserved"} {
				cards = append(cards, ride(status, status, 1))
			}
			for _, status := range []string{"hold", "cancelled", "draft"} {
				cards = append(cards, map[string]any{"type": "booking", "title": "Table", "status": status})
			}
			return webtest.Answer{Reply: "See https://example.com/menu", Cards: cards, Choices: times, PendingAction: &pending, MapLocation: map[string]any{"lat": 1, "lng": 2, "label": "Girne"}}
		}), phone)
		p.hurry()
		if scheme == "dark" {
			p.backend.Tiles(tilePNG(t))
		}
		p.do(chromedp.Evaluate[chromedp.Void](script))
		p.prefer(scheme)
		p.choose(language)
		check := func(state string) { p.inspect(scheme + ", " + language + ", " + state) }
		check("nothing said")
		p.send("find")
		p.wait(`!document.querySelector('#pending').hidden`)
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.listing').open = true`))
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.chart').scrollIntoView()`))
		p.wait(`document.querySelector('.chart .pin')`)
		if scheme == "dark" {
			p.wait(`document.querySelector('.chart.tiled')`)
		}
		p.backend.Say("outbound", "The driver is there.", skewed(), ride("requested", "arrived", 2))
		p.wait(`document.querySelector('.mention')`)
		p.pick("image/png", 800, 600)
		p.wait(`document.querySelector('#photos .done')`)
		check("an answer with everything")
		p.again("#photos button:last-child")
		p.do(chromedp.Evaluate[chromedp.Void](`navigator.geolocation.getCurrentPosition = (_, fail) => fail({ code: 1 })`))
		p.click("#here")
		p.wait(`document.querySelector('#remark').textContent !== ''`)
		p.backend.Drop(true)
		p.send("again")
		p.wait(`document.querySelector('.trouble')`)
		check("trouble")
		disconnect(p, true)
		p.wait(`document.querySelector('#offline').textContent !== ''`)
		check("offline")
		p.click("#new")
		p.wait(`document.querySelector('#sure').open`)
		check("the question")
	}
}
