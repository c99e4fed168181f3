package web_test

import (
	"bytes"
	"context"
	"fmt"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"merve/internal/base/fault"
	"merve/internal/edge/web"
	"merve/internal/edge/web/webtest"
	"merve/internal/spine/gate"
)

// TestSaraWidget holds the widget to what it promises, on a page of another origin that allows
// no style, no inline script, no trusted type and nothing from elsewhere but the widget's own.
func TestSaraWidget(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	tests := map[string]func(*testing.T, context.Context){
		"ReportWithPhoto":  reportWithPhoto,
		"KeyboardOnly":     widgetByKeyboard,
		"AfterReload":      afterReload,
		"UnsentIsKept":     unsentIsKept,
		"OldUnsent":        oldUnsent,
		"AnswerBreaksOff":  answerBreaksOff,
		"Offline":          widgetOffline,
		"LateReply":        widgetLateReply,
		"OneMarketOfTwo":   oneMarketOfTwo,
		"YesInTurkish":     yesInTurkish,
		"TapNamesQuestion": tapNamesQuestion,
		"Refusals":         widgetRefusals,
		"NewsComes":        newsComesToWidget,
		"AnsweredAfterAll": answeredAfterAll,
		"QuestionIsOver":   questionIsOver,
		"QuestionInTime":   questionInTime,
		"PhotoTrouble":     photoTrouble,
		"PastedAndDropped": pastedAndDropped,
		"StorageDenied":    storageDenied,
		"TextStaysText":    widgetTextStaysText,
		"Phone":            widgetOnPhone,
		"Standing":         widgetShowsStanding,
		"WordsArrive":      widgetWordsArrive,
		"Choices":          widgetChoices,
		"ChoicesByRequest": widgetChoicesByRequest,
		"DropInTheMiddle":  widgetDrop,
		"HostPage":         hostPage,
		"Accessible":       widgetAccessible,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, browser)
		})
	}
}

// A widget is on a page of a site of its own.
type widget struct {
	*tab
	sara *webtest.Sara
}

// embed opens a page with the widget's tag, which has the given attributes, and waits for its button.
func embed(t *testing.T, browser context.Context, answer func(webtest.SaraMessage) webtest.SaraAnswer, window size, attributes string) *widget {
	t.Helper()
	p, _ := embedWith(t, browser, answer, window, attributes, false)
	return p
}

// embedWith is embed where there may be sockets, which the page's policy allows.
func embedWith(t *testing.T, browser context.Context, answer func(webtest.SaraMessage) webtest.SaraAnswer, window size, attributes string, sockets bool) (*widget, *webtest.Live) {
	t.Helper()
	var api, bucket, page http.Handler
	serve := func(h *http.Handler) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*h).ServeHTTP(w, r) }))
		t.Cleanup(server.Close)
		return server
	}
	apiServer, bucketServer, site := serve(&api), serve(&bucket), serve(&page)
	sara := webtest.NewSara(site.URL, bucketServer.URL, answer)
	cfg, connect := web.SaraConfig{ImageOrigin: bucketServer.URL}, bucketServer.URL
	var live *webtest.Live
	if sockets {
		live, cfg.Sockets, connect = sara.Live(), "/live", connect+" "+strings.Replace(apiServer.URL, "http", "ws", 1)
	}
	api, bucket, page = sara.Handler(web.Sara(cfg)), sara.Bucket(), host(apiServer.URL, bucketServer.URL, connect, attributes)

	p := &widget{newTab(t, browser, site.URL+"/", in(`s.querySelector('.launch')`), window), sara}
	t.Cleanup(func() {
		for _, f := range sara.Faults() {
			t.Errorf("the widget: %s", f)
		}
	})
	p.visit()
	return p, live
}

// host is the page of a strict site.
func host(api, bucket, connect, attributes string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Set-Cookie", "site=secret-not-real; Path=/")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; script-src "+api+
			"; connect-src "+api+" "+connect+"; img-src "+bucket+"; require-trusted-types-for 'script'; trusted-types 'none'")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width, initial-scale=1"><title>A site</title></head>
			<body><main><h1>A site</h1><button id="before">Before</button></main>
			<script src="%s/sara.js" async %s></script></body></html>`, api, attributes)
	})
}

// in returns a condition on the widget's shadow root s; it is false while there is none.
func in(condition string) string {
	return fmt.Sprintf(`((s) => s && (%s))(document.querySelector('sara-chat')?.shadowRoot)`, condition)
}

func (p *widget) has(condition string) { p.Helper(); p.wait(in(condition)) }

// says waits until something that selector finds is seen and contains text.
func (p *widget) says(selector, text string) {
	p.Helper()
	p.has(fmt.Sprintf(`[...s.querySelectorAll(%s)].some((n) => n.checkVisibility() && n.textContent.includes(%s))`, quote(selector), quote(text)))
}

func (p *widget) tap(selector string) {
	p.Helper()
	p.has(fmt.Sprintf(`s.querySelector(%s)?.checkVisibility()`, quote(selector)))
	eval[bool](p.tab, in(fmt.Sprintf(`(s.querySelector(%s).click(), true)`, quote(selector))))
}

// unfold opens the panel.
func (p *widget) unfold() {
	p.Helper()
	p.tap(".launch")
	p.has(`s.querySelector('dialog').open`)
}

// lost has something sent whose answer never comes, and loads the page anew.
func (p *widget) lost(send func()) {
	p.Helper()
	p.sara.Drop(true)
	send()
	p.says(".bad", "No answer.")
	p.sara.Drop(false)
	p.visit()
	p.unfold()
}

// tell writes a message and presses Enter.
func (p *widget) tell(text string) {
	p.Helper()
	eval[bool](p.tab, in(`(s.querySelector('textarea').focus(), true)`))
	p.write(text)
	p.press('\r')
}

// bubbles are the texts of the conversation without Sara's greeting.
func (p *widget) bubbles() []string {
	p.Helper()
	return eval[[]string](p.tab, in(`[...s.querySelectorAll('.entry .bubble')].slice(1).map((n) => n.textContent)`))
}

// photo is a JavaScript promise of a file of that many pixels.
func photo(name, kind string, width, height int) string {
	return fmt.Sprintf(`new Promise((done) => {
		const c = Object.assign(document.createElement('canvas'), { width: %d, height: %d });
		const pen = c.getContext('2d');
		pen.fillStyle = '#888'; pen.fillRect(0, 0, c.width, c.height);
		pen.fillStyle = '#a33520'; pen.fillRect(c.width / 3, c.height / 3, c.width / 3, c.height / 3);
		c.toBlob((blob) => done(new File([blob], %s, { type: %s })), %s);
	})`, width, height, quote(name), quote(kind), quote(kind))
}

// attach gives the widget files, promises of them in JavaScript, by its button.
func (p *widget) attach(files ...string) {
	p.Helper()
	p.pass(`const input = s.querySelector('input'); input.files = data.files; input.dispatchEvent(new Event('change'));`, files...)
}

// pass runs a statement with a DataTransfer that holds files.
func (p *widget) pass(statement string, files ...string) {
	p.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](fmt.Sprintf(`Promise.all([%s]).then((files) => {
		const data = new DataTransfer();
		for (const file of files) data.items.add(file);
		const s = document.querySelector('sara-chat').shadowRoot;
		%s
		return true;
	})`, strings.Join(files, ","), statement), chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("files: %v", err)
	}
}

// sara answers as the assistant might.
func sara(m webtest.SaraMessage) webtest.SaraAnswer {
	switch {
	case strings.HasPrefix(m.Text, "delete"):
		return webtest.SaraAnswer{Reply: "Shall I delete it?", PendingAction: &webtest.Pending{
			ID: "pa1", Kind: "delete_report", Summary: "Delete the report on Kordonboyu 12", ExpiresAt: time.Now().Add(time.Hour)}}
	case gate.Read(m.Text) == gate.Yes:
		return webtest.SaraAnswer{Reply: "It is deleted."}
	case gate.Read(m.Text) == gate.No:
		return webtest.SaraAnswer{Reply: "It stays."}
	case len(m.MediaURLs) > 0:
		return webtest.SaraAnswer{Reply: fmt.Sprintf("Thank you for %d photos.", len(m.MediaURLs))}
	}
	return webtest.SaraAnswer{Reply: "You said: " + m.Text}
}

func reportWithPhoto(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, `data-title="Report a broken thing" data-market="girne"`)
	same(p.tab, "kept before it is opened", eval[int](p.tab, `localStorage.length`), 0)
	p.says(".launch", "Report a broken thing")
	p.unfold()
	p.says("h2", "Report a broken thing")
	p.says(".bubble", "Hello, I’m Sara, an AI assistant.")
	same(p.tab, "requests before something is said", len(p.sara.Reads()), 0)
	p.tell("The roof leaks")
	p.says(".bubble", "You said: The roof leaks")

	// The message waits for its photos.
	release := p.sara.Hold()
	defer release()
	p.attach(photo("roof.jpg", "image/jpeg", 4000, 1000), photo("wall.webp", "image/webp", 300, 200))
	p.has(`s.querySelectorAll('form li canvas').length === 2`)
	p.tell("Here it is")
	p.says(".status", "Sending…")
	release()
	p.says(".bubble", "Thank you for 2 photos.")
	p.has(`s.querySelectorAll('.own canvas').length === 2 && s.querySelectorAll('form li').length === 0`)

	messages, photos := p.sara.Deliveries(), p.sara.Photos()
	first, second := messages[0], messages[1]
	same(p.tab, "first message", first, webtest.SaraMessage{
		SessionID: first.SessionID, Text: "The roof leaks", Language: "en", ClientMessageID: first.ClientMessageID, MarketID: "girne", MediaURLs: []string{}})
	if len(messages) != 2 || len(second.MediaURLs) != 2 {
		t.Fatalf("messages: %+v, want two, the second with two photos", messages)
	}
	if got, err := jpeg.DecodeConfig(bytes.NewReader(photos[second.MediaURLs[0]].Body)); err != nil || got.Width != 2048 || got.Height != 512 {
		t.Errorf("the large photo came as %dx%d (%v), want 2048x512", got.Width, got.Height, err)
	}
	same(p.tab, "the small photo", photos[second.MediaURLs[1]].ContentType, "image/webp")
}

func widgetByKeyboard(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	on := func(what, condition string) {
		p.Helper()
		p.has(fmt.Sprintf(`((e) => e && (%s))(s.activeElement)`, condition))
		if !eval[bool](p.tab, in(`((style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2)(getComputedStyle(s.activeElement))`)) {
			p.Errorf("the focus on %s is not to be seen", what)
		}
	}
	const tabKey = '\t'
	back := func() { p.press(tabKey, chromedp.ModifierShift) }

	p.do(chromedp.Focus(chromedp.ID("before")))
	p.press(tabKey)
	on("the button", `e.className.includes('launch')`)
	p.press('\r')
	on("the message", `e.matches('textarea')`)
	p.write("delete")
	p.press('\r', chromedp.ModifierShift)
	p.write("it")
	p.press('\r')
	p.says(".own .bubble", "delete\nit")
	p.says(".ask", "Delete the report on Kordonboyu 12")
	on("the message again", `e.matches('textarea') && e.value === ''`)
	back()
	on("photos", `e.getAttribute('aria-label') === 'Add photos'`)
	back()
	on("No", `e.textContent === 'No'`)
	back()
	on("Yes", `e.textContent === 'Yes'`)
	p.press(' ')
	p.says(".bubble", "It is deleted.")
	p.has(`s.querySelector('.ask').hidden`)
	on("the message after the answer", `e.matches('textarea')`)
	p.press(tabKey)
	on("Send", `e.getAttribute('aria-label') === 'Send'`)
	p.press([]rune(kb.Escape)[0])
	on("the button after Escape", `e.className.includes('launch')`)
	p.has(`!s.querySelector('dialog').open`)
	p.press(' ')
	on("the message after opening again", `e.matches('textarea')`)
	same(p.tab, "texts", []string{p.sara.Deliveries()[0].Text, p.sara.Deliveries()[1].Text}, []string{"delete\nit", "Yes"})
}

func afterReload(t *testing.T, browser context.Context) {
	p := embed(t, browser, func(m webtest.SaraMessage) webtest.SaraAnswer {
		a := sara(m)
		a.Reply += "\n\nAnything else?" // listed as two messages
		return a
	}, desktop, "")
	p.unfold()
	p.tell("one")
	p.says(".bubble", "Anything else?")
	p.attach(photo("a.png", "image/png", 20, 20))
	p.has(`s.querySelector('form li canvas') && s.querySelector('form progress').hidden`)
	p.tell("")
	p.says(".bubble", "Thank you for 1 photos.")
	// What was shown as it came is not shown again as it is listed.
	want := p.bubbles()
	p.sara.Say("Done.")
	p.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event('visibilitychange'))`))
	p.says(".bubble", "Done.")
	same(p.tab, "bubbles after reading again", p.bubbles(), append(want, "Done."))

	for i := range 120 {
		p.sara.Say(fmt.Sprintf("news %03d", i))
	}
	p.visit()
	p.unfold()
	p.says(".bubble", "news 119")
	listed := []string{"one", "You said: one", "Anything else?", "Thank you for 1 photos.", "Anything else?", "Done."}
	same(p.tab, "bubbles after a reload", p.bubbles()[:6], listed)
	same(p.tab, "number of bubbles", len(p.bubbles()), 126)
	p.has(`(s.querySelector('.own img').scrollIntoView(), s.querySelector('.own img').naturalWidth === 20)`)
	same(p.tab, "messages", len(p.sara.Deliveries()), 2)

	// What is new comes with the last page only.
	before := len(p.sara.Reads())
	p.sara.Say("Your report is resolved.")
	p.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event('visibilitychange'))`))
	p.says(".bubble", "Your report is resolved.")
	same(p.tab, "reads for what is new", p.sara.Reads()[before:], []string{"limit=50&marketId=&after=100"})
}

// What got no answer is sent again as the same message, over a reload too, and stands there once.
func unsentIsKept(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.hurry()
	p.unfold()
	p.tell("first")
	p.says(".bubble", "You said: first")
	p.lost(func() { p.tell("second") })
	p.says(".bubble", "You said: second")
	p.has(`!s.querySelector('.entry .bad') && s.querySelector('.status').textContent === '' && s.querySelectorAll('.entry .bubble').length >= 5`)
	same(p.tab, "bubbles", p.bubbles(), []string{"first", "You said: first", "second", "You said: second"})
	same(p.tab, "taken", p.sara.Taken(), 2)
	var ids []string
	for _, m := range p.sara.Deliveries() {
		ids = append(ids, m.ClientMessageID)
	}
	if slices.Sort(ids); len(ids) < 4 || len(slices.Compact(ids)) != 2 {
		t.Errorf("delivered under %v, want several under two", ids)
	}
}

// An answer of which not all came is none: the message is sent again, as the same.
func answerBreaksOff(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.hurry()
	p.unfold()
	p.away(true)
	p.sara.Cut()
	p.tell("hello")
	p.says(".bubble", "You said: hello")
	same(p.tab, "taken", p.sara.Taken(), 1)
}

// A message that has waited for long is not sent unasked, though the same was said before.
func oldUnsent(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.hurry()
	p.unfold()
	p.tell("come today")
	p.says(".bubble", "You said: come today")
	p.sara.Drop(true)
	p.tell("come today")
	p.says(".bad", "No answer.")
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const key = Object.keys(localStorage).find((key) => key.startsWith('sara.out.'));
		const kept = JSON.parse(localStorage.getItem(key));
		const old = { ...kept, clientMessageId: 'an-old-one-of-128-bits', at: kept.at - 61 * 60_000 };
		localStorage.removeItem(key);
		localStorage.setItem('sara.out.an-old-one-of-128-bits', JSON.stringify(old));
	}`))
	p.sara.Drop(false)
	before := len(p.sara.Deliveries())
	p.visit()
	p.unfold()
	p.says(".bad", "No answer.")
	p.says(".bubble", "You said: come today")
	disconnect(p.tab, true)
	p.says(".status", "You are offline.")
	disconnect(p.tab, false)
	p.tell("new")
	p.says(".bubble", "You said: new")
	same(p.tab, "sent unasked", len(p.sara.Deliveries())-before, 1)
	p.tap(".entry .bad button")
	p.has(`!s.querySelector('.entry .bad') && [...s.querySelectorAll('.foot')].every((n) => !n.textContent.includes('Sending'))`)
	same(p.tab, "sent when asked to", p.sara.Deliveries()[before+1].ClientMessageID, "an-old-one-of-128-bits")
}

func widgetOffline(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, phone, "")
	p.unfold()
	disconnect(p.tab, true)
	p.says(".status", "You are offline.")
	p.tell("one")
	p.tell("two")
	same(p.tab, "messages while offline", len(p.sara.Deliveries()), 0)
	disconnect(p.tab, false)
	p.says(".bubble", "You said: one")
	p.says(".bubble", "You said: two")
	same(p.tab, "bubbles", p.bubbles(), []string{"one", "You said: one", "two", "You said: two"})
	same(p.tab, "taken", p.sara.Taken(), 2)
	p.has(`s.querySelector('.status').textContent === ''`)
}

func widgetLateReply(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, `data-market="girne"`)
	p.unfold()
	p.sara.Late(2)
	p.tell("hello")
	p.says(".status", "Sara is writing…")
	p.says(".bubble", "You said: hello")
	p.has(`s.querySelector('.status').textContent === ''`)
	same(p.tab, "bubbles", p.bubbles(), []string{"hello", "You said: hello"})
	same(p.tab, "reads", p.sara.Reads()[:2], []string{"limit=50&marketId=girne&after=1", "limit=50&marketId=girne&after=1"})
	same(p.tab, "messages", len(p.sara.Deliveries()), 1)
}

// What waits here in one market is neither shown nor sent in another one, and still waits.
func oneMarketOfTwo(t *testing.T, browser context.Context) {
	var handler atomic.Pointer[http.Handler]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	p := &widget{tab: newTab(t, browser, "", in(`s.querySelector('.launch')`), desktop)}
	enter := func(to *webtest.Sara, path string) {
		h := to.Handler(web.Sara(web.SaraConfig{}))
		handler.Store(&h)
		p.sara, p.url = to, server.URL+path
		p.visit()
		p.hurry()
		p.unfold()
	}
	here, there := webtest.NewSara(server.URL, "", sara), webtest.NewSara(server.URL, "", sara)

	enter(here, "/sara")
	p.tell("delete")
	p.says(".ask", "Delete the report on Kordonboyu 12")
	here.Drop(true)
	p.tell("second")
	p.says(".bad", "No answer.")

	enter(there, "/sara?market=girne")
	p.tell("hello")
	p.says(".bubble", "You said: hello")
	p.has(`s.querySelector('.ask').hidden`)
	same(p.tab, "there", p.bubbles(), []string{"hello", "You said: hello"})
	same(p.tab, "taken there", there.Taken(), 1)

	here.Drop(false)
	enter(here, "/sara")
	p.says(".bubble", "You said: second")
	for _, s := range []*webtest.Sara{here, there} {
		same(p.tab, "faults", len(s.Faults()), 0)
	}
}

func yesInTurkish(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, phone, `data-language="tr-TR"`)
	p.unfold()
	p.tell("delete")
	p.says(".ask", "Yanıtınız bekleniyor")
	p.says(".ask", "Delete the report on Kordonboyu 12")
	p.visit() // it is still to be answered
	p.unfold()
	p.says(".ask", "Delete the report on Kordonboyu 12")
	p.tap(".ask .plain")
	p.says(".bubble", "It stays.")
	p.has(`s.querySelector('.ask').hidden`)
	no := p.sara.Deliveries()[1]
	same(p.tab, "no", []string{no.Text, no.Language}, []string{"Hayır", "tr"})
}

// A tap answers the question it stands below, whatever is asked by the time it arrives; so does
// what is sent again after a reload.
func tapNamesQuestion(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.hurry()
	p.unfold()
	p.tell("delete")
	p.says(".ask", "Delete the report on Kordonboyu 12")
	p.lost(func() { p.tap(".ask .fill") })
	p.says(".bubble", "It is deleted.")
	answers := p.sara.Deliveries()[1:]
	for _, m := range answers {
		same(p.tab, "answer", []string{m.Text, m.ReplyTo}, []string{"Yes", "pa1"})
	}
	if len(answers) < 2 {
		t.Errorf("%d answers, want one of each page", len(answers))
	}
}

// look makes the page as if somebody looked at it again.
func (p *widget) look() {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event('visibilitychange'))`))
}

// A question that was answered elsewhere, or taken back, goes; another one comes.
func questionIsOver(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.unfold()
	p.tell("delete")
	p.says(".ask", "Delete the report on Kordonboyu 12")
	eval[bool](p.tab, in(`(s.querySelector('.ask .fill').focus(), true)`))
	p.sara.Ask(nil)
	p.look()
	p.has(`s.querySelector('.ask').hidden && s.activeElement.matches('textarea')`)
	p.sara.Ask(&webtest.Pending{ID: "pa2", Kind: "share_report", Summary: "Show the report to Ali", ExpiresAt: time.Now().Add(time.Hour)})
	p.look()
	p.says(".ask", "Show the report to Ali")
	p.tap(".ask .fill")
	p.says(".bubble", "It is deleted.")
	p.has(`s.querySelector('.ask').hidden`)
	same(p.tab, "the question answered", p.sara.Deliveries()[1].ReplyTo, "pa2")
}

// A question is there until an answer would come too late, by the server's clock, though the server is not asked.
func questionInTime(t *testing.T, browser context.Context) {
	for _, ahead := range []time.Duration{-time.Hour, 0, time.Hour} {
		now := func() time.Time { return time.Now().Add(ahead) }
		p := embed(t, browser, func(webtest.SaraMessage) webtest.SaraAnswer {
			return webtest.SaraAnswer{Reply: "Shall I?", PendingAction: &webtest.Pending{
				ID: "pa1", Kind: "delete_report", Summary: "Delete it", ExpiresAt: now().Add(time.Hour), AnswerBy: now().Add(10 * time.Minute)}}
		}, desktop, "")
		p.sara.Ahead(ahead)
		p.do(chromedp.Evaluate[chromedp.Void](`{ const wait = window.setTimeout; window.setTimeout = (act, ms, ...rest) => wait(act, ms === 60_000 ? 60 : ms, ...rest); }`))
		p.unfold()
		p.away(true)
		p.tell("delete")
		p.says(".ask", "Delete it")
		later := func(minutes int) {
			p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const now = Date.now; Date.now = () => now() + %d * 60_000; }`, minutes)))
		}
		later(8)
		p.do(chromedp.Evaluate[chromedp.Void](`new Promise((done) => setTimeout(done, 120))`, chromedp.EvalAwaitPromise))
		p.says(".ask", "Delete it")
		later(2)
		p.has(`s.querySelector('.ask').hidden`)
	}
}

// What staff say and what is asked comes while the panel is open and looked at, and only then.
func newsComesToWidget(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.hurry()
	p.unfold()
	p.tell("hello")
	p.says(".bubble", "You said: hello")
	p.sara.Say("The plumber comes at ten.")
	p.says(".bubble", "The plumber comes at ten.")
	same(p.tab, "who listens hears it", eval[string](p.tab, in(`s.querySelector('.log').getAttribute('aria-live')`)), "polite")
	p.sara.Ask(&webtest.Pending{ID: "pa2", Kind: "share_report", Summary: "Show the report to Ali", ExpiresAt: time.Now().Add(time.Hour)})
	p.says(".ask", "Show the report to Ali")

	quiet := func(what string) {
		p.Helper()
		// What had been asked for before may still come.
		p.do(chromedp.Evaluate[chromedp.Void](`new Promise((done) => setTimeout(done, 400))`, chromedp.EvalAwaitPromise))
		before := len(p.sara.Reads())
		p.do(chromedp.Evaluate[chromedp.Void](`new Promise((done) => setTimeout(done, 499))`, chromedp.EvalAwaitPromise))
		same(p.tab, "asked while "+what, len(p.sara.Reads()), before)
	}
	p.away(true)
	quiet("out of sight")
	p.sara.Say("He is there.")
	p.away(false)
	p.says(".bubble", "He is there.")

	eval[bool](p.tab, in(`(s.querySelector('dialog').close(), true)`))
	quiet("closed")
	p.sara.Say("It is repaired.")
	p.unfold()
	p.says(".bubble", "It is repaired.")
	same(p.tab, "bubbles", p.bubbles(), []string{"hello", "You said: hello", "The plumber comes at ten.", "He is there.", "It is repaired."})
}

// The answer was lost on its way; the widget sees in the thread that the message arrived, and gets it. One that
// says the same as an older message did not for that.
func answeredAfterAll(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.hurry()
	p.unfold()
	p.tell("first")
	p.says(".bubble", "You said: first")
	p.away(true)
	p.sara.Drop(true)
	p.tell("second")
	p.says(".bad", "No answer.")
	p.sara.Drop(false)
	p.away(false)
	p.says(".bubble", "You said: second")
	p.has(`!s.querySelector('.entry .bad')`)
	same(p.tab, "bubbles", p.bubbles(), []string{"first", "You said: first", "second", "You said: second"})
	same(p.tab, "taken", p.sara.Taken(), 2)
}

func widgetRefusals(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.hurry()
	p.unfold()
	problem := func(err error) fault.Problem { return fault.ProblemOf(err, "trace-42") }
	p.sara.Refuse(problem(fault.Field("text", "at most 3 characters")))
	p.tell("too long")
	p.says(".bad", "This cannot be sent as it is. at most 3 characters")
	p.write("and more")
	p.tap(".entry .bad button")
	p.has(`s.querySelector('textarea').value === 'too long\nand more' && !s.querySelector('.own')`)
	eval[bool](p.tab, in(`(s.querySelector('textarea').value = '', true)`))

	broken := problem(fault.New(fault.Internal, "secret"))
	p.sara.Refuse(broken, broken, broken)
	p.tell("hello")
	p.says(".bad", "Something went wrong on our side. (trace-42)")
	p.tap(".entry .bad button")
	p.says(".bubble", "You said: hello")

	p.sara.Refuse(problem(fault.New(fault.Unavailable, "too many"))) // passes unseen
	p.tell("again")
	p.says(".bubble", "You said: again")
	p.has(`!s.querySelector('.entry .bad')`)
}

func photoTrouble(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.unfold()
	small := photo("a.png", "image/png", 20, 20)
	p.attach(`new File(['%PDF'], 'a.pdf', { type: 'application/pdf' })`)
	p.says(".status", "Up to 5 photos of 10 MB each")
	p.attach(`new File([new Uint8Array(10 * 1024 * 1024 + 1)], 'a.gif', { type: 'image/gif' })`)
	p.says(".status", "Up to 5 photos of 10 MB each")
	same(p.tab, "leaves asked for", len(p.sara.Photos()), 0)

	p.sara.NoPhotos(true)
	p.attach(small, `new File(['heic'], 'IMG_1.HEIC')`)
	p.has(`s.querySelectorAll('li.failed').length === 2`)
	p.says(".status", "A photo could not be sent.")
	p.tell("with photos")
	p.says(".status", "A photo could not be sent.")
	same(p.tab, "messages", len(p.sara.Deliveries()), 0)
	p.sara.NoPhotos(false)
	p.tap(`li.failed button[aria-label="Try again: Photo 3"], li.failed button[aria-label="Try again: Photo 1"]`)
	p.has(`s.querySelectorAll('li.failed').length === 1`)
	p.tap(`li.failed button[aria-label^="Try again"]`)
	p.has(`s.querySelectorAll('li.failed').length === 0`)

	// A cancelled upload is none.
	release := p.sara.Hold()
	defer release()
	p.attach(small)
	p.has(`s.querySelectorAll('form li').length === 3 && !s.querySelector('form li:last-child progress').hidden`)
	p.tap(`form li:last-child button[aria-label^="Remove"]`)
	p.has(`s.querySelectorAll('form li').length === 2`)
	release()
	p.attach(small, small, small, small)
	p.has(`s.querySelectorAll('form li').length === 5 && [...s.querySelectorAll('form progress')].every((n) => n.hidden)`)
	p.says(".status", "Up to 5 photos")
	eval[bool](p.tab, in(`(s.querySelector('textarea').focus(), true)`))
	p.press('\r')
	p.says(".bubble", "Thank you for 5 photos.")
	m := p.sara.Deliveries()[0]
	same(p.tab, "the kind without a name", p.sara.Photos()[m.MediaURLs[1]].ContentType, "image/heic")
}

func pastedAndDropped(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	p.unfold()
	small := photo("a.png", "image/png", 20, 20)
	p.pass(`s.querySelector('textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));`, small)
	p.has(`s.querySelectorAll('form canvas').length === 1`)
	p.pass(`const drag = (type) => s.querySelector('.log').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, composed: true }));
		if (drag('dragover')) throw new Error('the page would open the photo'); drag('drop');`, small)
	p.has(`s.querySelectorAll('form canvas').length === 2 && [...s.querySelectorAll('form progress')].every((n) => n.hidden) && !s.querySelector('.drop')`)
	p.tell("both")
	p.says(".bubble", "Thank you for 2 photos.")
}

func storageDenied(t *testing.T, browser context.Context) {
	p := embed(t, browser, sara, desktop, "")
	if _, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });`}); err != nil {
		t.Fatal(err)
	}
	p.visit()
	p.unfold()
	p.tell("one")
	p.says(".bubble", "You said: one")
	p.tell("two")
	p.says(".bubble", "You said: two")
	same(p.tab, "sessions", p.sara.Deliveries()[0].SessionID, p.sara.Deliveries()[1].SessionID)
}

// Whatever the server says or the tag has is shown as it is, and does nothing.
func widgetTextStaysText(t *testing.T, browser context.Context) {
	const attack = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>`
	p := embed(t, browser, func(m webtest.SaraMessage) webtest.SaraAnswer {
		return webtest.SaraAnswer{
			Reply:         attack + ` javascript:alert(1) http://plain.example https://user:pw@evil.example/ https://merve.example/r/01/ab-c_d. https://[`,
			PendingAction: &webtest.Pending{ID: attack, Kind: attack, Summary: attack, ExpiresAt: time.Now().Add(time.Hour)},
		}
	}, desktop, `data-title="&lt;b&gt;x" data-color="red;} * { display: none" data-language="xx"`)
	p.unfold()
	p.says("h2", "<b>x")
	p.tell(attack)
	p.says(".entry:not(.own) .bubble", attack)
	p.says(".ask p", attack)
	same(p.tab, "links", eval[[]string](p.tab, in(`[...s.querySelectorAll('.bubble a')].map((a) => a.href + ' ' + a.rel + ' ' + a.target)`)),
		[]string{"https://merve.example/r/01/ab-c_d noopener noreferrer _blank"})
	same(p.tab, "elements made of text", eval[int](p.tab, in(`s.querySelectorAll('script, b, [onerror]').length`)), 0)
	same(p.tab, "scripts run", eval[bool](p.tab, `'hit' in window`), false)
}

// How the conversation stands is shown in the widget's frame, not in the bubble of the reply that ends with it.
func widgetShowsStanding(t *testing.T, browser context.Context) {
	line := "○ لا يوجد أي حجز أو طلب في هذه المحادثة."
	p := embed(t, browser, func(m webtest.SaraMessage) webtest.SaraAnswer {
		return webtest.SaraAnswer{Reply: "You said " + m.Text, Standing: &webtest.Standing{Kind: "nothing", Text: line}}
	}, phone, `data-language="ar"`)
	p.unfold()
	p.has(`!s.querySelector('.stands').checkVisibility()`)
	p.tell("hello")
	p.says(".stands", line)
	p.says(".entry:not(.own) .bubble", "You said hello")
	same(p.tab, "bubbles with it", eval[int](p.tab, in(`[...s.querySelectorAll('.bubble')].filter((b) => b.textContent.includes('○')).length`)), 0)
	p.visit()
	p.unfold()
	p.says(".stands", line)
	same(p.tab, "replies", eval[int](p.tab, in(`s.querySelectorAll('.entry:not(.own) .bubble').length`)), 2) // the greeting, too
}

func widgetOnPhone(t *testing.T, browser context.Context) {
	long := strings.Repeat("Donaudampfschifffahrt", 15)
	p := embed(t, browser, func(webtest.SaraMessage) webtest.SaraAnswer {
		return webtest.SaraAnswer{Reply: long, PendingAction: &webtest.Pending{ID: "p", Kind: "k", Summary: strings.Repeat(long+" ", 5), ExpiresAt: time.Now().Add(time.Hour)}}
	}, size{320, 640}, `data-language="ar" data-title="`+long+`"`)
	p.has(`s.querySelector('.launch').getBoundingClientRect().left >= 0 && s.querySelector('.launch').getBoundingClientRect().right <= innerWidth`)
	p.unfold()
	p.has(`s.querySelector('dialog').matches(':modal')`)
	small := photo("a.png", "image/png", 20, 20)
	p.attach(small, small, small, small, small)
	p.has(`s.querySelectorAll('form canvas').length === 5`)
	p.tell(long)
	p.has(`!s.querySelector('.ask').hidden`)
	p.attach(small, small)
	p.has(`s.querySelectorAll('form canvas').length === 2`)
	if wide := eval[[]string](p.tab, in(`[...s.querySelectorAll('dialog *')].filter((n) => n.checkVisibility() && !n.closest('.unseen, svg')
		&& (n.getBoundingClientRect().right > innerWidth + 1 || n.getBoundingClientRect().left < -1)).map((n) => n.tagName + '.' + n.className)`)); len(wide) > 0 {
		t.Errorf("wider than they should be: %v", wide)
	}
	if little := eval[[]string](p.tab, in(`[...s.querySelectorAll('button, textarea')].filter((n) => n.checkVisibility() && (n.getBoundingClientRect().height < 44 || n.getBoundingClientRect().width < 44)).map((n) => n.outerHTML)`)); len(little) > 0 {
		t.Errorf("too small to tap: %v", little)
	}
	p.has(`s.querySelector('.root').dir === 'rtl' && s.querySelector('dialog').getBoundingClientRect().height === innerHeight`)
	p.has(`s.querySelector('form').getBoundingClientRect().bottom <= innerHeight && s.querySelector('.log').clientHeight > 80`)
	if px := eval[float64](p.tab, in(`parseFloat(getComputedStyle(s.querySelector('textarea')).fontSize)`)); px < 16 {
		t.Errorf("the message has letters of %v px, want 16 or more", px) // Safari would enlarge the page
	}
}

// Sara's own page has the widget by the very tag that other sites use.
func hostPage(t *testing.T, browser context.Context) {
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	backend := webtest.NewSara(server.URL, server.URL, sara)
	handler = backend.Handler(web.Sara(web.SaraConfig{}))
	p := &widget{newTab(t, browser, server.URL+"/sara?language=el&market=girne", in(`s.querySelector('.launch')`), desktop), backend}
	p.visit()
	p.waitText("h1", "Αναφέρετε ζημιά με τη Sara")
	p.waitText("[aria-current]", "Ελληνικά")
	p.unfold()
	p.tell("hello")
	p.says(".bubble", "You said: hello")
	m := backend.Deliveries()[0]
	same(p.tab, "tag", []string{m.Language, m.MarketID}, []string{"el", "girne"})
	p.prefer("dark")
	p.inspectApart("Sara's page")
}

func widgetAccessible(t *testing.T, browser context.Context) {
	script := axe(t)
	for _, attributes := range []string{`data-color="rgb(120, 120, 120)"`, `data-language="he" data-color="#ffe000"`} {
		p := embed(t, browser, func(m webtest.SaraMessage) webtest.SaraAnswer {
			a := sara(m)
			a.Reply += " https://merve.example/r/1/2"
			return a
		}, desktop, attributes)
		p.do(chromedp.Evaluate[chromedp.Void](script))
		p.prefer("light")
		p.inspect(attributes + " closed")
		p.unfold()
		small := photo("a.png", "image/png", 20, 20)
		p.attach(small)
		p.has(`s.querySelector('form progress')?.hidden`)
		p.tell("delete https://merve.example/r/1/2")
		p.has(`!s.querySelector('.ask').hidden`)
		p.sara.NoPhotos(true)
		p.attach(small)
		p.has(`s.querySelector('li.failed')`)
		p.inspect(attributes + " with everything")
		p.tap(`li.failed button[aria-label]:last-child`)
		p.sara.Refuse(fault.Problem{Status: 400, Detail: "too long"})
		p.tell("x")
		p.has(`s.querySelector('.entry .bad')`)
		disconnect(p.tab, true)
		p.has(`s.querySelector('.status').textContent !== ''`)
		p.inspect(attributes + " trouble")
	}
}
