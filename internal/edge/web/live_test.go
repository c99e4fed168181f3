package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"merve/internal/edge/web"
	"merve/internal/edge/web/webtest"
)

// TestLiveChat holds the chat page to what it promises where there are sockets.
func TestLiveChat(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	tests := map[string]func(*testing.T, context.Context){
		"WordsArrive":      wordsArrive,
		"Stop":             stopsAReply,
		"DropInTheMiddle":  dropInTheMiddle,
		"MessageIsLost":    messageLostBySocket,
		"TwoTabs":          twoTabs,
		"WithoutSocket":    withoutSocket,
		"OfferOnce":        offerOnce,
		"Choices":          choicesAsButtons,
		"CardAndMapOnce":   cardAndMapOnce,
		"SpeaksAccessible": speaksAccessible,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, browser)
		})
	}
}

// times are what can be chosen.
var times = []webtest.Choice{{Label: "Mon 09:00"}, {Label: "Mon 10:00", Detail: "Sam"}}

// What can be chosen is a button each below the latest reply: it says its label. It is there after a reload, and gone once
// something was said. What a card has buttons for is not there twice.
func choicesAsButtons(t *testing.T, browser context.Context) {
	p := speaks(t, browser, phone)
	p.reply.Store(webtest.Answer{Reply: "When?", Cards: []any{garden}, Choices: append([]webtest.Choice{{Label: "Garden House"}}, times...)})
	p.send("a table")
	p.live.Received(t, "message", 1)
	p.live.Word(1, "When?")
	p.waitText(".bubble", "When?")
	same(p.tab, "before the reply is over", p.texts("#choices button"), []string{})
	p.backend.Finish(1, nil)
	want := []string{"Mon 09:00", "Mon 10:00 · Sam"}
	p.wait(`document.querySelectorAll('#choices button').length === 2`)
	same(p.tab, "choices", p.texts("#choices button"), want)
	p.visit()
	p.live.Connects(t, 2)
	p.wait(`document.querySelectorAll('#choices button').length === 2`)
	p.do(chromedp.Focus(chromedp.CSS("#choices button:last-child")))
	p.backend.Say("outbound", "By the way.", skewed()) // and news takes nobody's focus from the page
	p.wait(`document.querySelector('#choices').hidden && document.activeElement !== document.body`)
	p.reply.Store(webtest.Answer{Reply: "And now?", Choices: times})
	p.send("again")
	p.live.Received(t, "message", 2)
	p.backend.Finish(2, nil)
	p.wait(`document.querySelectorAll('#choices button').length === 2`)
	p.answers("Here it is.")
	p.do(chromedp.Focus(chromedp.CSS("#choices button:last-child")))
	p.press('\r')
	sent := p.live.Received(t, "message", 3)[2]
	same(p.tab, "what is said", [3]string{sent.Text, sent.Button, sent.ReplyTo}, [3]string{"Mon 10:00", "", ""})
	p.wait(`document.querySelector('#choices').hidden`)
	p.backend.Finish(3, nil)
	p.waitText(".bubble", "Here it is.")
	same(p.tab, "afterwards", p.texts("#choices button"), []string{})
}

// The widget has them, too, where there are sockets.
func widgetChoices(t *testing.T, browser context.Context) {
	p, live := embedWith(t, browser, func(m webtest.SaraMessage) webtest.SaraAnswer {
		if m.Text == "Mon 10:00" {
			return webtest.SaraAnswer{Reply: "Noted."}
		}
		return webtest.SaraAnswer{Reply: "When was it?", Choices: times}
	}, phone, `data-language="he"`, true)
	connected := func(n int) {
		t.Helper()
		word := fmt.Sprintf("Connected %d times", n)
		live.Connects(t, n)
		live.Tell(webtest.Frame{"type": "status", "text": word})
		p.says(".status", word)
	}
	p.unfold()
	connected(1)
	p.tell("The roof leaks")
	live.Received(t, "message", 1)
	p.sara.Finish(1)
	p.says(".choose button", "Mon 10:00 · Sam")
	p.visit()
	p.unfold()
	connected(2)
	p.says(".choose button", "Mon 10:00 · Sam")
	p.wait(`document.scrollingElement.scrollWidth <= innerWidth`)
	p.inspectApart("the widget's choices")
	p.tap(".choose button:last-child")
	p.has(`!s.querySelector('.choose button') && s.activeElement.matches('textarea')`)
	live.Received(t, "message", 2)
	p.sara.Finish(2)
	p.says(".bubble", "Noted.")
	p.has(`!s.querySelector('[aria-live=off]')`)
	same(p.tab, "bubbles", p.bubbles(), []string{"The roof leaks", "When was it?", "Mon 10:00", "Noted."})
	p.has(`!s.querySelector('.choose button')`)
}

// Without sockets the widget has them by its requests: of an answer, of one that takes longer, and of what it reads.
func widgetChoicesByRequest(t *testing.T, browser context.Context) {
	p := embed(t, browser, func(m webtest.SaraMessage) webtest.SaraAnswer {
		switch m.Text {
		case "Mon 10:00":
			return webtest.SaraAnswer{Reply: "Noted."}
		case "And the wall":
			return webtest.SaraAnswer{Reply: "When was that?", Choices: times[:1]}
		}
		return webtest.SaraAnswer{Reply: "When was it?", Choices: times}
	}, phone, "")
	p.unfold()
	p.tell("The roof leaks")
	p.says(".choose button", "Mon 10:00 · Sam")
	p.inspectApart("the widget's choices by request")
	p.visit()
	p.unfold()
	p.says(".choose button", "Mon 10:00 · Sam")
	p.tap(".choose button:last-child")
	p.says(".bubble", "Noted.")
	p.has(`!s.querySelector('.choose button') && s.activeElement.matches('textarea')`)
	p.sara.Late(2)
	p.tell("And the wall")
	p.says(".bubble", "When was that?")
	p.says(".choose button", "Mon 09:00")
}

// A spoken tab shows the chat page of a backend with sockets, which says what the test has it say.
type spoken struct {
	*tab
	live  *webtest.Live
	reply *atomic.Value // webtest.Answer: the next
}

func speaks(t *testing.T, browser context.Context, window size) *spoken {
	t.Helper()
	reply := &atomic.Value{}
	backend := webtest.New(skewed, func(webtest.Message) webtest.Answer { return reply.Load().(webtest.Answer) })
	backend.Backward(true)
	live := backend.Live()
	p := &spoken{open(t, browser, backend, window), live, reply}
	p.hears(1)
	p.hurry()
	return p
}

// hears waits until the page has connected n times and hears what it is told.
func (p *spoken) hears(n int) {
	p.Helper()
	p.live.Connects(p, n)
	word := fmt.Sprintf("Connected %d times", n)
	p.live.Tell(webtest.Frame{"type": "status", "text": word})
	p.waitText("#working", word)
}

func (p *spoken) answers(text string) { p.reply.Store(webtest.Answer{Reply: text}) }

// settled waits until nothing is being said, and wants the bubbles to be these.
func (p *spoken) settled(want ...string) {
	p.Helper()
	p.wait(`!document.querySelector('.entry[aria-live=off], .state') && document.querySelector('#working').textContent === ''`)
	same(p.tab, "entries", p.texts(".bubble"), want)
}

func wordsArrive(t *testing.T, browser context.Context) {
	p := speaks(t, browser, phone)
	p.answers("The sea is warm. Both places are open.")
	p.send("what is there?")
	sent := p.live.Received(t, "message", 1)[0]
	same(p.tab, "what was sent", [2]string{sent.Text, p.live.Connects(t, 1)[0].Get("agentId")}, [2]string{"what is there?", "merve"})
	p.live.Tell(webtest.Frame{"type": "status", "turnId": 1, "text": "Looking at free times …"})
	p.waitText("#working", "Looking at free times …")
	p.live.Word(1, "The sea is ")
	p.waitText(".entry:not(.own) .bubble", "The sea is ")
	p.wait(`document.querySelector('#send').hidden && !document.querySelector('#stop').hidden && document.querySelector('#working').textContent === ''`)
	same(p.tab, "who listens hears it whole", eval[string](p.tab, `document.querySelector('.entry:not(.own)').ariaLive`), "off")
	p.live.Word(1, "warm. ")
	p.live.Again() // doubles, in the wrong order
	p.waitText(".bubble", "The sea is warm. ")
	p.live.Word(1, "Both places are open.")
	p.backend.Finish(1, nil)
	p.settled("what is there?", "The sea is warm. Both places are open.")
	p.wait(`!document.querySelector('#send').hidden && document.querySelector('#stop').hidden`)
	same(p.tab, "requests with messages", len(p.backend.Deliveries()), 0)
	p.visit()
	p.live.Connects(t, 2)
	p.settled("what is there?", "The sea is warm. Both places are open.")
}

func stopsAReply(t *testing.T, browser context.Context) {
	p := speaks(t, browser, desktop)
	p.answers("The sea is ")
	p.send("what is there?")
	p.live.Received(t, "message", 1)
	p.live.Word(1, "The sea is ")
	p.wait(`!document.querySelector('#stop').hidden`)
	p.do(chromedp.Focus(chromedp.ID("text")))
	p.write("x")
	p.wait(`document.querySelector('#stop').hidden`) // what is written can be sent, which stops it too
	p.press('\b')
	p.click("#stop")
	p.live.Received(t, "barge_in", 1)
	p.backend.Finish(1, webtest.Frame{"interrupted": true})
	p.settled("what is there?", "The sea is ")
	same(p.tab, "focus", eval[string](p.tab, `document.activeElement.id`), "text")
}

// The page hears on where it was, and shows what it would have shown without the drop.
func dropInTheMiddle(t *testing.T, browser context.Context) {
	p := speaks(t, browser, desktop)
	p.answers("The sea is warm. Both places are open.")
	p.send("what is there?")
	p.live.Received(t, "message", 1)
	p.live.Word(1, "The sea is ")
	p.waitText(".bubble", "The sea is ")
	release := p.backend.Hold()
	defer release()
	p.live.Drop()
	p.live.Word(1, "warm. ")
	p.arrived(1) // it asks by request, as the same message
	connects := p.live.Connects(t, 2)
	if connects[1].Get("lastEventId") == "" {
		t.Errorf("the page came back without its place: %v", connects[1])
	}
	p.waitText(".bubble", "The sea is warm. ")
	p.live.Word(1, "Both places are open.")
	release()
	p.backend.Finish(1, nil)
	p.settled("what is there?", "The sea is warm. Both places are open.")
	same(p.tab, "taken", p.backend.Taken(), 1)

	// A server that has lost its log says so: nothing is shown twice.
	p.live.Forget()
	p.live.Drop()
	p.hears(3)
	p.answers("Good night.")
	p.send("bye")
	p.live.Received(t, "message", 2)
	p.live.Word(2, "Good night.")
	p.backend.Finish(2, nil)
	p.settled("what is there?", "The sea is warm. Both places are open.", "bye", "Good night.")
}

// A message that the socket has swallowed is sent again by request, once.
func messageLostBySocket(t *testing.T, browser context.Context) {
	p := speaks(t, browser, desktop)
	p.answers("Hello.")
	p.do(chromedp.Evaluate[chromedp.Void](`WebSocket.prototype.send = function () { this.close(); }`))
	p.send("hello")
	p.settled("hello", "Hello.")
	same(p.tab, "requests", len(p.backend.Deliveries()), 1)
}

func twoTabs(t *testing.T, browser context.Context) {
	p := speaks(t, browser, desktop)
	ctx, cancel := chromedp.NewContext(p.ctx)
	t.Cleanup(cancel)
	other := &spoken{&tab{T: t, ctx: ctx, url: p.url, ready: p.ready, backend: p.backend}, p.live, p.reply}
	other.watch()
	other.visit()
	p.live.Connects(t, 2)
	p.answers("The sea is warm.")
	p.send("what is there?")
	p.live.Received(t, "message", 1)
	other.waitText(".own .bubble", "what is there?")
	p.live.Word(1, "The sea ")
	for _, window := range []*spoken{p, other} {
		window.waitText(".entry:not(.own) .bubble", "The sea ")
	}
	other.click("#stop") // one of them barges in
	p.live.Received(t, "barge_in", 1)
	p.live.Word(1, "is warm.")
	p.backend.Finish(1, nil)
	for _, window := range []*spoken{p, other} {
		window.settled("what is there?", "The sea is warm.")
	}
}

// Where no socket can be had, all is as it was.
func withoutSocket(t *testing.T, browser context.Context) {
	backend := webtest.New(skewed, merve)
	backend.Live().Refuse(true)
	p := open(t, browser, backend, desktop)
	p.send("hello")
	p.waitText(".bubble", "You said: hello")
	same(p, "entries", p.texts(".bubble"), []string{"hello", "You said: hello"})
	same(p, "requests", len(p.backend.Deliveries()), 1)
}

// What waits for a yes stands once on the page, beside buttons that say what they do.
func offerOnce(t *testing.T, browser context.Context) {
	p := speaks(t, browser, phone)
	held := map[string]any{}
	for k, v := range booked {
		held[k] = v
	}
	held["status"] = "hold"
	pending := *offer
	pending.ExpiresAt = skewed().Add(10 * time.Minute)
	p.reply.Store(webtest.Answer{Reply: "Here is the offer.\n" + pending.Summary + "\nReply YES or NO.", PendingAction: &pending, Cards: []any{held}})
	p.send("book")
	p.live.Received(t, "message", 1)
	p.backend.Finish(1, nil)
	p.waitText("#yes", "Book · €45")
	p.waitText("#summary", pending.Summary)
	p.wait(`!document.querySelector('#log').textContent.includes('Saturday 19:30') && !document.querySelector('.booking')`)
	p.answers("Released: " + pending.Summary)
	p.click("#no")
	sent := p.live.Received(t, "message", 2)[1]
	same(p.tab, "no", [3]string{sent.Text, sent.Button, sent.ReplyTo}, [3]string{"No", "no:pa1", "pa1"})
	p.backend.Finish(2, nil)
	p.waitText(".bubble", "Released: "+pending.Summary)
	p.waitText(".bubble", "offer.\n"+pending.Summary) // what was offered stays to be read
	p.wait(`document.querySelector('#pending').hidden && document.querySelector('.booking')`)

	pending.Kind = "confirm_order"
	p.reply.Store(webtest.Answer{Reply: "Shall I?", PendingAction: &pending, Cards: []any{
		map[string]any{"type": "order", "id": "o9", "title": "Kebab House", "status": "proposed", "total": euro(790)},
	}})
	p.send("order")
	p.live.Received(t, "message", 3)
	p.backend.Finish(3, nil)
	p.waitText("#yes", "Order · €7.90")
}

func cardAndMapOnce(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, func(m webtest.Message) webtest.Answer {
		place := map[string]any{"lat": 35.338, "lng": 33.317}
		one := map[string]any{"type": "listing", "id": "l1", "title": "Garden House", "location": place}
		return webtest.Answer{Reply: "You said: " + m.Message, Cards: []any{one}}
	}), desktop)
	p.send("find")
	p.waitText(".bubble", "You said: find")
	p.send("tell me more")
	p.waitText(".mention", "Garden House")
	same(p, "maps", len(p.texts(".geo")), 1)
	same(p, "cards", len(p.texts(".listing")), 1)
	p.click(".mention")
	p.wait(`document.querySelector('.listing').open && document.activeElement.matches('.listing summary')`)
}

// While a reply is being said, in both schemes and both directions.
func speaksAccessible(t *testing.T, browser context.Context) {
	for scheme, language := range map[string]string{"light": "en", "dark": "he"} {
		p := speaks(t, browser, phone)
		p.prefer(scheme)
		p.choose(language)
		if language != "en" {
			p.hears(2) // in the other language
		}
		p.answers("done")
		p.send("hello")
		p.live.Word(1, strings.Repeat("word ", 40))
		p.wait(`!document.querySelector('#stop').hidden`)
		p.wait(`document.scrollingElement.scrollWidth <= innerWidth`)
		p.inspectApart(scheme + ", while Merve speaks")
	}
}

// TestLivePage holds the session page to what it promises.
func TestLivePage(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	tests := map[string]func(*testing.T, context.Context){
		"Session":    liveSession,
		"Drop":       liveDrop,
		"Crosswise":  liveCrosswise,
		"Accessible": liveAccessible,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, browser)
		})
	}
}

// A caller shows the session page.
type caller struct {
	*tab
	live *webtest.Live
}

func dial(t *testing.T, browser context.Context, query string, window size) *caller {
	t.Helper()
	live := webtest.NewLive(func(url.Values, webtest.Sent) {})
	mux := http.NewServeMux()
	mux.Handle("/live/", web.Live(""))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"live": "/live"}`) })
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			live.ServeHTTP(w, r)
			return
		}
		web.Live("").ServeHTTP(w, r)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p := &caller{newTab(t, browser, server.URL+"/live"+query, `document.querySelector('#link').textContent === 'Connected'`, window), live}
	p.visit()
	return p
}

func (p *caller) talk() []string { p.Helper(); return p.texts("#log > p") }

func liveSession(t *testing.T, browser context.Context) {
	p := dial(t, browser, "?phone=%2B15551234567&callSessionId=c1&language=en", desktop)
	named := p.live.Connects(t, 1)[0]
	for name, want := range map[string]string{"phone": "+15551234567", "callSessionId": "c1", "language": "en", "agentId": "", "conversationId": ""} {
		if named.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, named.Get(name), want)
		}
	}
	if len(named.Get("token")) < 22 {
		t.Errorf("the token %q must hold 128 bits", named.Get("token"))
	}
	p.live.Final(0, "Welcome!", nil)
	p.waitText("#log", "Welcome!")
	p.send("move my appointment")
	p.live.Received(t, "message", 1)
	p.live.Tell(webtest.Frame{"type": "status", "turnId": 1, "text": "Looking …"})
	p.waitText("#status", "Looking …")
	p.live.Word(1, "There is ")
	p.waitText("#s-speaking", "yes")
	p.waitText("#log", "There is ")
	p.live.Again()
	p.live.Word(1, "one at nine.")
	p.waitText("#log", "There is one at nine.")
	p.click("#stop")
	p.live.Received(t, "barge_in", 1)
	p.live.Stands(webtest.Frame{
		"callSessionId": "c1", "turnId": 1, "speaking": false, "domainState": webtest.Frame{"verified": true},
		"history":       []any{webtest.Frame{"role": "user", "content": "move my appointment", "turnId": 1}},
		"pendingAction": webtest.Frame{"id": "pa1", "kind": "x", "summary": "Monday 09:00?", "expiresAt": time.Now().Add(time.Hour)},
	})
	p.live.Final(1, "There is one at nine.", webtest.Frame{"interrupted": true, "standing": webtest.Frame{"text": "◐ Monday 09:00?"}})
	p.waitText("#summary", "Monday 09:00?")
	p.waitText("#domain", `"verified": true`)
	p.waitText("#standing", "◐ Monday 09:00?")
	p.waitText("#s-call", "c1")
	same(p.tab, "the talk", p.talk(), []string{"Welcome!", "move my appointment", "There is one at nine."})
	p.click("#yes")
	yes := p.live.Received(t, "message", 2)[1]
	same(p.tab, "yes", [3]string{yes.Text, yes.Button, yes.ReplyTo}, [3]string{"YES", "yes:pa1", "pa1"})
	p.live.Stands(webtest.Frame{"callSessionId": "c1", "turnId": 2, "history": []any{}})
	p.live.Final(2, "It is moved. Another?", webtest.Frame{"choices": times})
	p.wait(`document.querySelector('#pending').hidden`)
	p.live.Drop() // what can be chosen is told again
	p.live.Connects(t, 2)
	p.waitText("#link", "Connected")
	same(p.tab, "choices", p.texts("#log .options button"), []string{"Mon 09:00", "Mon 10:00 · Sam"})
	p.do(chromedp.Focus(chromedp.CSS("#log .options button:last-child")))
	p.press('\r')
	same(p.tab, "the chosen time", p.live.Received(t, "message", 3)[2].Text, "Mon 10:00")
	p.wait(`!document.querySelector('.options') && document.activeElement.id === 'text'`)
	same(p.tab, "its state was asked for", len(p.live.Received(t, "resync", 3)) >= 3, true)
}

// What was said while the page was away comes once, in its place; what is not told again is announced.
func liveDrop(t *testing.T, browser context.Context) {
	p := dial(t, browser, "", desktop)
	p.hurry()
	p.send("hello")
	p.live.Received(t, "message", 1)
	p.live.Word(1, "The sea ")
	p.waitText("#log", "The sea ")
	p.live.Drop()
	p.waitText("#link", "Connected")
	p.live.Word(1, "is ")
	if again := p.live.Connects(t, 2)[1]; again.Get("lastEventId") != "3" {
		t.Errorf("the page came back at %q, want 3", again.Get("lastEventId"))
	}
	p.live.Word(1, "warm.")
	p.waitText("#log", "The sea is warm.")
	p.live.Drop()
	p.live.Stands(webtest.Frame{"turnId": 1, "history": []any{
		webtest.Frame{"role": "user", "content": "hello", "turnId": 1}, webtest.Frame{"role": "user", "content": "from elsewhere", "turnId": 2},
	}})
	p.live.Final(1, "The sea is warm.", nil)
	p.live.Final(2, "Indeed.", nil)
	p.live.Connects(t, 3)
	p.waitText("#log", "Indeed.")
	same(p.tab, "the talk", p.talk(), []string{"hello", "The sea is warm.", "from elsewhere", "Indeed."})
	p.live.Forget()
	p.live.Drop()
	p.waitText("#log .note", "Some of what was said before is not told again.")
}

// The final of a turn that comes after that of the next one still takes the place of its words, once, and changes nothing
// else: what waits and what can be chosen is of the latest turn.
func liveCrosswise(t *testing.T, browser context.Context) {
	p := dial(t, browser, "", desktop)
	p.live.Word(1, "The sea ")
	p.live.Word(1, "is wa")
	p.waitText("#log", "The sea is wa")
	p.live.Crosswise(func() {
		p.live.Final(1, "The sea is warm.", webtest.Frame{"standing": webtest.Frame{"text": "○ old"}, "choices": []any{webtest.Frame{"label": "Swim"}}})
		p.live.Final(2, "The wind is cold.", webtest.Frame{"standing": webtest.Frame{"text": "○ new"}, "choices": times})
		p.live.Word(3, "And ")
	})
	p.waitText("#log", "The sea is warm.")
	p.live.Again()
	p.live.Word(3, "so on.")
	p.waitText("#log", "so on.")
	same(p.tab, "the talk", p.talk(), []string{"The sea is warm.", "The wind is cold.", "And so on."})
	same(p.tab, "choices", p.texts("#log .options button"), []string{"Mon 09:00", "Mon 10:00 · Sam"})
	same(p.tab, "standing", p.texts("#standing"), []string{"○ new"})
}

func liveAccessible(t *testing.T, browser context.Context) {
	for scheme, language := range map[string]string{"light": "en", "dark": "ar"} {
		p := dial(t, browser, "?language="+language, phone)
		p.prefer(scheme)
		p.send("مرحبا")
		p.live.Received(t, "message", 1)
		p.live.Stands(webtest.Frame{
			"callSessionId": "c1", "turnId": 1, "history": []any{}, "domainState": webtest.Frame{"verified": true},
			"pendingAction": webtest.Frame{"id": "pa1", "summary": "الإثنين 09:00؟", "expiresAt": time.Now().Add(time.Hour)},
		})
		p.live.Final(0, "أهلا بك", webtest.Frame{"cards": []any{webtest.Frame{"title": "Garden House"}}, "choices": times})
		p.waitText("#summary", "09:00")
		p.live.Word(1, "نعم، "+strings.Repeat("word ", 40))
		p.waitText("#log", "نعم")
		p.wait(`document.scrollingElement.scrollWidth <= innerWidth`)
		same(p.tab, "direction", eval[string](p.tab, `getComputedStyle(document.querySelector('.own')).direction`), "rtl")
		p.inspectApart(scheme + ", the session page")
	}
}

// The widget shows words as they are said, on a page of another origin.
func widgetWordsArrive(t *testing.T, browser context.Context) {
	p, live := embedWith(t, browser, func(webtest.SaraMessage) webtest.SaraAnswer {
		return webtest.SaraAnswer{Reply: "That sounds bad. Where is it?", Standing: &webtest.Standing{Kind: "nothing", Text: "○ Nothing is reported."}}
	}, phone, "", true)
	p.unfold()
	if named := live.Connects(t, 1)[0]; named.Get("agentId") != "sara" || named.Get("language") != "en" {
		t.Errorf("the widget names %v", named)
	}
	live.Tell(webtest.Frame{"type": "status", "text": "Connected"})
	p.says(".status", "Connected")
	p.tell("The roof leaks")
	live.Received(t, "message", 1)
	live.Tell(webtest.Frame{"type": "status", "turnId": 1, "text": "Looking …"})
	p.says(".status", "Looking …")
	live.Word(1, "That sounds ")
	p.says(".bubble", "That sounds ")
	p.has(`s.querySelector('[type=submit]').hidden`)
	live.Again()
	live.Word(1, "bad. ")
	p.says(".bubble", "That sounds bad. ")
	p.tap(`[title=Stop]`)
	live.Received(t, "barge_in", 1)
	live.Word(1, "Where is it?")
	p.sara.Finish(1)
	p.has(`!s.querySelector('[aria-live=off]') && s.querySelector('.status').textContent === '' && !s.querySelector('[type=submit]').hidden`)
	p.says(".stands", "○ Nothing is reported.")
	same(p.tab, "bubbles", p.bubbles(), []string{"The roof leaks", "That sounds bad. Where is it?"})
	same(p.tab, "requests with messages", len(p.sara.Deliveries()), 0)
	same(p.tab, "kept for later", eval[int](p.tab, `Object.keys(localStorage).filter((k) => k.startsWith('sara.out.')).length`), 0)
}

func widgetDrop(t *testing.T, browser context.Context) {
	p, live := embedWith(t, browser, func(webtest.SaraMessage) webtest.SaraAnswer {
		return webtest.SaraAnswer{Reply: "That sounds bad."}
	}, desktop, "", true)
	p.hurry()
	p.unfold()
	live.Connects(t, 1)
	live.Tell(webtest.Frame{"type": "status", "text": "Connected"})
	p.says(".status", "Connected")
	p.tell("The roof leaks")
	live.Received(t, "message", 1)
	live.Word(1, "That sounds ")
	p.says(".bubble", "That sounds ")
	live.Drop()
	live.Connects(t, 2)
	live.Word(1, "bad.")
	p.sara.Finish(1)
	p.has(`!s.querySelector('[aria-live=off]') && s.querySelector('.status').textContent === ''`)
	same(p.tab, "bubbles", p.bubbles(), []string{"The roof leaks", "That sounds bad."})
	same(p.tab, "taken", p.sara.Taken(), 1)
}
