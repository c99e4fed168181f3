package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"merve/internal/base/pause/pausetest"
	"merve/internal/edge/web"
	"merve/internal/edge/web/webtest"
)

// browse starts one browser for all of a test's tabs; without one the test is skipped.
func browse(t *testing.T) context.Context {
	t.Helper()
	path := webtest.Chromium()
	if path == "" {
		t.Skip("NO CHROMIUM IN PATH: THE BROWSER TESTS OF THE PAGES WERE LEFT OUT (apt-get install chromium-headless-shell)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-GB"), chromedp.Flag("accept-lang", "en-GB,en"),
		// A machine without a mouse would be taken for one to be touched.
		chromedp.Flag("blink-settings", "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return ctx
}

// A tab shows a page in a browser context of its own.
type tab struct {
	*testing.T
	ctx     context.Context
	url     string
	ready   string           // the JavaScript condition under which the page can be used
	backend *webtest.Backend // of the chat page

	mu       sync.Mutex
	failures []string // exceptions and policy violations of the page
}

// a size of the window, in CSS pixels.
type size struct{ width, height int64 }

var (
	desktop = size{1200, 800}
	phone   = size{360, 740}
)

// open shows the chat page of a backend and waits until it is ready.
func open(t *testing.T, browser context.Context, backend *webtest.Backend, window size) *tab {
	t.Helper()
	server := httptest.NewServer(backend.Handler(web.ChatWith(web.ChatConfig{Tiles: "/tiles/{z}/{x}/{y}"})))
	t.Cleanup(server.Close)
	p := newTab(t, browser, server.URL+"/", `document.querySelector('#model')?.textContent !== ''`, window)
	p.backend = backend
	p.visit()
	return p
}

// newTab returns a tab in a fresh browser context, for the page at url.
func newTab(t *testing.T, browser context.Context, url, ready string, window size) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{T: t, ctx: ctx, url: url, ready: ready}
	p.watch()
	var options []chromedp.EmulateViewportOption
	if window.width < 600 {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(2))
	}
	p.do(chromedp.EmulateViewport(window.width, window.height, options...))
	return p
}

// watch collects what a page without faults never does.
func (p *tab) watch() {
	keep := func(format string, args ...any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.failures = append(p.failures, fmt.Sprintf(format, args...))
	}
	err := chromedp.Listen(p.ctx, func(event any) {
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			what := event.ExceptionDetails.Text
			if thrown := event.ExceptionDetails.Exception; thrown != nil {
				what += " " + thrown.Description
			}
			keep("exception: %s (%s:%d)", what, event.ExceptionDetails.URL, event.ExceptionDetails.LineNumber)
		case *log.EventEntryAdded:
			if event.Entry.Source == log.EntrySourceSecurity || strings.Contains(event.Entry.Text, "Content Security Policy") {
				keep("policy: %s", event.Entry.Text)
			}
		}
	})
	if err != nil {
		p.Fatalf("listen: %v", err)
	}
	p.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, failure := range p.failures {
			p.Errorf("the page: %s", failure)
		}
	})
}

// visit loads the page, or loads it again.
func (p *tab) visit() {
	p.Helper()
	p.do(chromedp.Navigate(p.url))
	p.wait(p.ready)
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, pausetest.Patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.Fatalf("%v\n%s", err, p.seen())
	}
}

// eval returns the value of a JavaScript expression.
func eval[T any](p *tab, expression string) T {
	p.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return value
}

// wait returns when the JavaScript condition holds, and fails the test when it does not in time.
func (p *tab) wait(condition string) {
	p.Helper()
	poll := func() error {
		_, err := chromedp.Run(p.ctx, chromedp.Poll[bool]("!!("+condition+")", chromedp.WithPollingInterval(30*time.Millisecond), chromedp.WithPollingTimeout(pausetest.Patience)))
		return err
	}
	err := poll()
	for end := time.Now().Add(pausetest.Patience); err != nil && navigated(err) && time.Now().Before(end); {
		err = poll() // the page has gone to another, on which it may hold
	}
	if err != nil {
		p.Fatalf("waited for %s: %v\n%s", condition, err, p.seen())
	}
}

// navigated reports whether err says no more than that the page has gone.
func navigated(err error) bool {
	return strings.Contains(err.Error(), "navigated") || strings.Contains(err.Error(), "Cannot find context")
}

// waitText waits until what selector finds contains text.
func (p *tab) waitText(selector, text string) {
	p.Helper()
	p.wait(fmt.Sprintf(`[...document.querySelectorAll(%s)].some((n) => n.checkVisibility() && n.textContent.includes(%s))`, quote(selector), quote(text)))
}

// arrived waits for n POSTs.
func (p *tab) arrived(n int) {
	p.Helper()
	late := time.After(pausetest.Patience)
	for i := range n {
		select {
		case <-p.backend.Arrivals():
		case <-late:
			p.Fatalf("got %d messages, want %d\n%s", i, n, p.seen())
		}
	}
}

// hurry makes the pauses of the page as it now is, such as those before it tries again, a tenth
// as long. What is waited for longer, such as an answer, stays.
func (p *tab) hurry() {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](
		`{ const wait = window.setTimeout; window.setTimeout = (act, ms, ...rest) => wait(act, ms > 500 && ms < 5_000 ? ms / 10 : ms, ...rest); }`))
}

// texts returns the text of everything that selector finds.
func (p *tab) texts(selector string) []string {
	p.Helper()
	return eval[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%s)].map((n) => n.textContent)`, quote(selector)))
}

func (p *tab) click(selector string) {
	p.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// again presses a button, unless the page has done by itself what it is for.
func (p *tab) again(button string) {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%s)?.click()`, quote(button))))
}

// write puts text where the focus is, as one paste.
func (p *tab) write(text string) {
	p.Helper()
	if _, err := chromedp.Call(p.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		p.Fatalf("write: %v", err)
	}
}

// press presses and releases a key. The character goes with the key's way down, as from a keyboard,
// so that a page that takes the key gets no character after it.
func (p *tab) press(key rune, modifiers ...chromedp.Modifier) {
	p.Helper()
	var down *input.DispatchKeyEventParams
	for _, event := range kb.Encode(key) {
		for _, m := range modifiers {
			event.Modifiers |= int64(m)
		}
		switch event.Type {
		case kb.KeyDown:
			down = event
			continue
		case kb.KeyChar:
			down.Text, down.UnmodifiedText = event.Text, event.UnmodifiedText
			continue
		}
		for _, params := range []*input.DispatchKeyEventParams{down, event} {
			if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, *params); err != nil {
				p.Fatalf("press %q: %v", key, err)
			}
		}
	}
}

// send writes a message and presses Enter.
func (p *tab) send(text string) {
	p.Helper()
	p.do(chromedp.Focus(chromedp.ID("text")))
	p.write(text)
	p.press('\r')
}

// prefer sets the system's colour scheme, and that it keeps still, so that nothing is half faded in.
func (p *tab) prefer(scheme string) {
	p.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	if err != nil {
		p.Fatalf("prefer %s: %v", scheme, err)
	}
}

// choose picks a language.
func (p *tab) choose(language string) {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
		`{ const s = document.querySelector('#language'); s.value = %s; s.dispatchEvent(new Event('change')); }`, quote(language))))
	p.wait(fmt.Sprintf(`document.documentElement.lang === %s`, quote(language)))
}

// seen is what the page shows, for a failure's message.
func (p *tab) seen() string {
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body?.innerText ?? ''`))
	if err != nil {
		return ""
	}
	return "the page shows:\n" + text
}

func quote(s string) string {
	out, _ := json.Marshal(s) // a string always marshals
	return string(out)
}
