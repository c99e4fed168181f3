package web_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"merve/internal/base/fault"
	"merve/internal/edge/web/webtest"
)

// away says whether the page is out of sight.
func (p *tab) away(hidden bool) {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		Object.defineProperty(document, 'hidden', { value: %t, configurable: true });
		document.dispatchEvent(new Event('visibilitychange'));
	}`, hidden)))
}

func newsComesByItself(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), phone)
	p.hurry()
	p.send("hello")
	p.waitText(".bubble", "You said: hello")
	p.backend.Say("outbound", "Your table was moved.", skewed())
	p.waitText(".bubble", "Your table was moved.")
	same(p, "who listens hears it", eval[string](p, `document.querySelector('#log').getAttribute('aria-live')`), "polite")
	same(p, "entries", p.texts(".bubble"), []string{"hello", "You said: hello", "Your table was moved."})

	p.away(true)
	p.backend.Say("outbound", "Your taxi is there.", skewed())
	// A page out of sight does not ask. What it had asked for before may still come.
	const asked = `performance.getEntriesByType('resource').filter((e) => e.name.includes('/messages')).length`
	p.do(chromedp.Evaluate[chromedp.Void](`new Promise((done) => setTimeout(done, 400))`, chromedp.EvalAwaitPromise))
	before := eval[int](p, asked)
	p.do(chromedp.Evaluate[chromedp.Void](`new Promise((done) => setTimeout(done, 499))`, chromedp.EvalAwaitPromise))
	same(p, "asked while out of sight", eval[int](p, asked), before)
	p.away(false)
	p.waitText(".bubble", "Your taxi is there.")
	same(p, "news", len(p.texts(".bubble")), 4)
}

func whatMerveDoes(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	p.send("hello")
	p.waitText(".bubble", "You said: hello")
	for tool, want := range map[string]string{
		"searchMarketplace": "Looking through the listings…", "getListing": "Checking free times…", "searchLocalPlaces": "Looking for places…",
		"requestTaxi": "Asking for a taxi…", "orderFood": "Preparing your order…", "initiateBooking": "Preparing your booking…",
		"getMyBookings": "Looking up your bookings…", "createPaymentIntent": "Preparing the payment…", "sendWhatsAppMessage": "Preparing a message…",
	} {
		p.backend.Doing("getListing", tool)
		release := p.backend.Hold()
		p.send("please")
		p.waitText("#working", want)
		release()
		p.wait(`document.querySelector('#working').textContent === ''`)
	}
	p.choose("tr")
	p.backend.Doing("requestTaxi")
	release := p.backend.Hold()
	defer release()
	p.send("taksi")
	p.waitText("#working", "Taksi soruluyor…")
}

// What the server could not take is tried again by the page, after a while, as the same message.
func triedAgain(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	broken := fault.ProblemOf(fault.New(fault.Internal, "on purpose"), "trace-42")
	p.backend.Refuse(broken, broken)
	p.send("hello")
	p.waitText(".trouble", "It is tried again by itself.")
	p.waitText(".bubble", "You said: hello")
	p.wait(`!document.querySelector('.trouble')`)
	same(p, "taken", p.backend.Taken(), 1)
	if deliveries := p.backend.Deliveries(); len(deliveries) != 3 || len(ids(deliveries)) != 1 {
		t.Errorf("got %d deliveries under ids %v, want 3 under one", len(deliveries), ids(deliveries))
	}
}

// The answer was lost on its way; the page sees in the thread that there is one, and gets it.
func answeredMeanwhile(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	p.send("first")
	p.waitText(".bubble", "You said: first")
	p.away(true)
	p.backend.Drop(true)
	p.send("second")
	p.waitText(".trouble", "No answer from Merve.")
	p.backend.Drop(false)
	p.away(false)
	p.waitText(".bubble", "You said: second")
	p.wait(`!document.querySelector('.trouble, .state')`)
	same(p, "entries", p.texts(".bubble"), []string{"first", "You said: first", "second", "You said: second"})
	same(p, "taken", p.backend.Taken(), 2)
}
