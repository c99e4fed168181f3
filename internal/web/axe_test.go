package web_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"merve/internal/web/webtest"
)

// accessible runs axe-core over everything the page can show, in light and dark.
func accessible(t *testing.T, browser context.Context) {
	axe, err := os.ReadFile("../../.cache/npm/node_modules/axe-core/axe.min.js")
	if errors.Is(err, fs.ErrNotExist) {
		t.Log("NO AXE-CORE IN .cache/npm: THE ACCESSIBILITY TEST OF THE CHAT PAGE WAS LEFT OUT (.ci/install-axe.sh)")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, language := range []string{"en", "ar"} {
			p := open(t, browser, webtest.New(skewed, func(m webtest.Message) webtest.Answer {
				pending := *offer
				pending.ExpiresAt = skewed().Add(50 * time.Second)
				cards := []any{garden, harbour, booked, map[string]any{"type": "x", "title": "Something new"}}
				for _, status := range []string{"hold", "cancelled", "draft"} {
					cards = append(cards, map[string]any{"type": "booking", "title": "Table", "status": status})
				}
				return webtest.Answer{Reply: "See https://example.com/menu", Cards: cards, PendingAction: &pending, MapLocation: map[string]any{"lat": 1, "lng": 2, "label": "Girne"}}
			}), phone)
			p.do(chromedp.Evaluate[chromedp.Void](string(axe)))
			p.prefer(scheme)
			p.choose(language)
			check := func(state string) {
				t.Helper()
				found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](
					`axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then((r) =>
						r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.target + ' ' + n.failureSummary)))`, chromedp.EvalAwaitPromise))
				if err != nil {
					t.Fatalf("axe, %s: %v", state, err)
				}
				if len(found) > 0 {
					t.Errorf("%s, %s, %s:\n%s", scheme, language, state, strings.Join(found, "\n"))
				}
			}
			check("nothing said")
			p.send("find")
			p.wait(`!document.querySelector('#pending').hidden`)
			p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.listing').open = true`))
			check("an answer with everything")
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
}
