package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"merve/internal/edge/web"
	"merve/internal/words/wording"
)

// stripeStandIn takes the place of the provider's script: it shows a field, declines the first
// time, and then has the payment made.
const stripeStandIn = `Object.defineProperty(window, 'Stripe', { value: (key, options) => ({
	elements: ({ clientSecret }) => ({ create: () => ({ mount: (at) => {
		const field = document.createElement('input');
		field.setAttribute('aria-label', [key, options.locale, clientSecret].join(' '));
		document.querySelector(at).append(field);
	} }) }),
	confirmPayment: async ({ redirect, confirmParams }) => {
		if (redirect !== 'if_required' || confirmParams.return_url !== location.href) throw new Error('called otherwise');
		window.tries = (window.tries || 0) + 1;
		if (window.tries === 1) return { error: { message: 'Your card was declined.' } };
		await fetch('/paid');
		return {};
	},
}) })`

// payPage shows every state of the page of a payment, and pays on it.
func payPage(t *testing.T, browser context.Context) {
	var paid, looks atomic.Int32
	views := map[string]web.PayView{
		"/pay/open/x": {State: web.PayOpen, PublishableKey: "pk_test_not_real", Language: "en"}, "/pay/off/x": {State: web.PayOpen, Language: "ar"},
		"/pay/away/x": {State: web.PayOpen, PublishableKey: "pk_test_not_real", Language: "en"},
		"/pay/paid/x": {State: web.PayPaid, PublishableKey: "pk_test_not_real", Language: "tr"}, "/pay/returned/x": {State: web.PayReturned, Language: "he"},
	}
	files := web.PayFiles()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		view, ok := views[r.URL.Path]
		switch {
		case ok:
			if r.URL.Path == "/pay/open/x" && paid.Load() > 0 && looks.Load() > 2 {
				view.State = web.PayPaid
			}
			view.Summary, view.Amount, view.Until = "Reef Divers · Dive · Tue 24 Nov 2026, 19:00–20:00 · People: 2 · Price: €90.00", "€27.00", "14:30"
			web.Pay(w, r, view)
		case r.URL.Path == "/pay/open/x/intent":
			answer := map[string]any{"status": "waiting", "paid": paid.Load() > 0, "clientSecret": "pi_1_secret_not_real"}
			if looks.Add(1); paid.Load() > 0 && looks.Load() > 2 { // the word on it takes a moment
				answer["status"] = "paid"
			}
			_ = json.NewEncoder(w).Encode(answer)
		case r.URL.Path == "/pay/away/x/intent":
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/paid":
			paid.Add(1)
		case r.URL.Path == "/pay/gone/x":
			web.PayGone(w, r)
		case r.URL.Path == "/pay/none/x":
			web.PayMissing(w, r)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	p := newTab(t, browser, server.URL+"/pay/off/x", `document.querySelector('h1')`, size{320, 640})
	for _, path := range []string{"off", "paid", "returned", "gone", "none"} {
		p.url = server.URL + "/pay/" + path + "/x"
		p.visit()
		p.wait(`document.scrollingElement.scrollWidth <= innerWidth`)
		p.prefer(map[bool]string{true: "light", false: "dark"}[path == "off" || path == "paid"])
		p.inspectApart(path)
	}
	if _, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: stripeStandIn}); err != nil {
		t.Fatal(err)
	}
	p.url = server.URL + "/pay/away/x"
	p.visit()
	p.waitText("#said", wording.Say("en", wording.WentWrong, nil)) // and nothing of money, of which it knows nothing
	p.url = server.URL + "/pay/open/x"
	p.visit()
	p.wait(`document.querySelector('#card input[aria-label="pk_test_not_real en pi_1_secret_not_real"]')`)
	p.inspectApart("to be paid")
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#pay').click()`))
	p.waitText("#said", "Your card was declined.")
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#pay').click()`))
	p.waitText("#said", "The payment was made.")
	p.wait(`document.querySelector('.notice.good')`)
}
