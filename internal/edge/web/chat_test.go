package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/edge/web/webtest"
)

// TestChatPage holds the page to what it promises a customer, in one real browser.
func TestChatPage(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	tests := map[string]func(*testing.T, context.Context){
		"SendAndReceive":         sendAndReceive,
		"YesIsOneTap":            yesIsOneTap,
		"NoInTurkish":            noInTurkish,
		"YesIsSentOnce":          yesIsSentOnce,
		"PendingExpires":         pendingExpires,
		"LateAnswerKeepsPending": lateAnswerKeepsPending,
		"DroppedAnswer":          droppedAnswer,
		"ReloadWhileUnanswered":  reloadWhileUnanswered,
		"OldUnsent":              oldUnsentInChat,
		"ClockAhead":             clockAhead,
		"History":                history,
		"PendingAfterReload":     pendingAfterReload,
		"HistoryTriedAgain":      historyTriedAgain,
		"NewsOnReturn":           newsOnReturn,
		"QuickMessagesKeepOrder": quickMessagesKeepOrder,
		"ReplyInParts":           replyInParts,
		"Offline":                offline,
		"MindChangedOffline":     mindChangedOffline,
		"Refusals":               refusals,
		"LateReply":              lateReply,
		"RightToLeft":            rightToLeft,
		"KeyboardOnly":           keyboardOnly,
		"TextStaysText":          textStaysText,
		"Phone":                  onPhone,
		"Standing":               showsStanding,
		"NewConversation":        newConversation,
		"AnotherWindow":          anotherWindow,
		"NamesWhatAnswers":       namesWhatAnswers,
		"Limit":                  limit,
		"Words":                  words,
		"Accessible":             accessible,
		"CardsChangeInPlace":     cardsChangeInPlace,
		"Cards":                  cardsOfAllKinds,
		"MapWithoutTiles":        mapWithoutTiles,
		"MapWithTiles":           mapWithTiles,
		"Photos":                 photosGoWithAMessage,
		"PhotoTrouble":           photoThatFails,
		"ReceivedMedia":          receivedMedia,
		"Location":               locationIsShared,
		"LocationComesLate":      locationComesLate,
		"LocationDenied":         locationDenied,
		"News":                   newsComesByItself,
		"WhatMerveDoes":          whatMerveDoes,
		"TriedAgain":             triedAgain,
		"AnsweredMeanwhile":      answeredMeanwhile,
		"Suggestions":            suggestions,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, browser)
		})
	}
}

// skewed is the server's clock: an hour ahead of the browser's.
func skewed() time.Time { return time.Now().Add(time.Hour) }

func euro(minor int) map[string]any { return map[string]any{"amount": minor, "currency": "EUR"} }

var (
	garden = map[string]any{
		"type": "listing", "id": "l1", "title": "Garden House", "subtitle": "Grill since 1949", "place": "Girne", "price": euro(2250),
		"offerings": []any{map[string]any{"id": "o1", "name": "Garden table", "price": euro(4500)}, map[string]any{"id": "o2", "name": "Indoor table", "price": euro(3900)}},
	}
	harbour = map[string]any{
		"type": "listing", "id": "l2", "title": "Harbour Fish", "place": "Girne", "price": euro(3400),
		"offerings": []any{map[string]any{"id": "o3", "name": "Terrace", "price": euro(3400)}},
	}
	booked = map[string]any{
		"type": "booking", "transactionId": "t1", "code": "MRV-7K2Q", "title": "Garden House", "subtitle": "Garden table",
		"when": "2026-11-21T19:30:00+02:00", "party": 2, "price": euro(4500), "status": "confirmed",
	}
	offer = &webtest.Pending{ID: "pa1", Kind: "confirm_transaction", Summary: "Garden table, Saturday 19:30, 2 people, €45"}
)

// merve answers as the assistant might: a booking to a yes, an offer to Book, cards to find, else an echo.
func merve(m webtest.Message) webtest.Answer {
	lower := strings.ToLower(m.Message)
	switch {
	case strings.HasPrefix(m.Button, "yes:"):
		return webtest.Answer{Reply: "Your booking is confirmed.", Cards: []any{booked}, MapLocation: map[string]any{"lat": 35.338, "lng": 33.317, "label": "Kordonboyu 12"}}
	case strings.HasPrefix(m.Button, "no:"):
		return webtest.Answer{Reply: "Released."}
	case strings.HasPrefix(lower, "book"):
		pending := *offer
		pending.ExpiresAt = skewed().Add(10 * time.Minute)
		return webtest.Answer{Reply: "Shall I book it?", PendingAction: &pending}
	case strings.HasPrefix(lower, "find"):
		return webtest.Answer{Reply: "Two places.", Cards: []any{garden, harbour}}
	}
	return webtest.Answer{Reply: "You said: " + m.Message}
}

func only(t *testing.T, deliveries []webtest.Message) webtest.Message {
	t.Helper()
	if len(deliveries) != 1 {
		t.Fatalf("got %d deliveries, want 1: %+v", len(deliveries), deliveries)
	}
	return deliveries[0]
}

// ids returns the distinct clientMessageIds of deliveries.
func ids(deliveries []webtest.Message) []string {
	var ids []string
	for _, m := range deliveries {
		ids = append(ids, m.ClientMessageID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func same[T any](p *tab, what string, got, want T) {
	p.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func sendAndReceive(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.waitText("#welcome", "Hello, I’m Merve")
	release := p.backend.Hold()
	defer release()
	p.write("hello")
	p.press('\r', chromedp.ModifierShift)
	p.write("there")
	same(p, "text after Shift+Enter", eval[string](p, `document.querySelector('#text').value`), "hello\nthere")
	p.press('\r')
	p.waitText(".own .bubble", "hello\nthere")
	p.waitText("#working", "Merve is writing…")
	same(p, "composer after sending", eval[string](p, `document.querySelector('#text').value`), "")
	release()
	p.waitText(".entry:not(.own) .bubble", "You said: hello\nthere")
	p.wait(`document.querySelector('#working').textContent === ''`)
	p.wait(`document.querySelector('#welcome').hidden`)
	same(p, "days", p.texts(".day"), []string{"today"})
	same(p, "focus", eval[string](p, `document.activeElement.id`), "text")

	sent := only(t, p.backend.Deliveries())
	if len(sent.SessionID) < 22 || len(sent.ClientMessageID) < 22 {
		t.Errorf("session id %q and client message id %q must each hold 128 bits", sent.SessionID, sent.ClientMessageID)
	}
	same(p, "what was sent", sent, webtest.Message{
		Message: "hello\nthere", Language: "en", SessionID: sent.SessionID, ClientMessageID: sent.ClientMessageID,
	})
}

func yesIsOneTap(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.send("find a table")
	p.waitText(".listing", "Garden House")
	p.waitText(".listing .price", "€22.50")
	p.click(".listing summary")
	p.click(".listing .offering button")
	p.waitText("#pending", "Garden table, Saturday 19:30, 2 people, €45")
	// Ten minutes by the server's clock, which the browser's does not share.
	if left := p.texts("#left")[0]; !strings.HasPrefix(left, "9:") && !strings.HasPrefix(left, "10:0") {
		t.Errorf("time left: %q, want about ten minutes", left)
	}
	release := p.backend.Hold()
	defer release()
	p.click("#yes")
	p.wait(`document.querySelector('#yes').disabled && document.querySelector('#no').disabled`)
	release()
	p.waitText(".booking", "MRV-7K2Q")
	p.wait(`document.querySelector('#pending').hidden`)
	p.waitText(".booking", "Confirmed")
	p.waitText(".booking .soft", "Garden table")
	p.waitText(".booking", "Saturday 21 November at 19:30") // the place's time, whatever the reader's zone
	same(p, "map", eval[string](p, `document.querySelector('.map').href`), "https://www.openstreetmap.org/?mlat=35.338&mlon=33.317#map=16/35.338/33.317")

	deliveries := p.backend.Deliveries()
	same(p, "book", deliveries[1].Message, "Book: Garden House – Garden table")
	yes := deliveries[len(deliveries)-1]
	same(p, "yes", [3]string{yes.Message, yes.Button, yes.ReplyTo}, [3]string{"Yes", "yes:pa1", "pa1"})
}

func noInTurkish(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), phone)
	p.choose("tr")
	p.send("book")
	p.waitText("#pending", "Yanıtınız bekleniyor")
	p.click("#no")
	p.waitText(".bubble", "Released.")
	p.wait(`document.querySelector('#pending').hidden`)
	deliveries := p.backend.Deliveries()
	no := deliveries[len(deliveries)-1]
	same(p, "no", [4]string{no.Message, no.Button, no.ReplyTo, no.Language}, [4]string{"Hayır", "no:pa1", "pa1", "tr"})
}

func yesIsSentOnce(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	p.send("book")
	p.wait(`!document.querySelector('#pending').hidden`)
	p.backend.Drop(true)
	p.click("#yes")
	p.waitText(".trouble", "Try again")
	p.wait(`!document.querySelector('#yes').disabled`)
	p.backend.Drop(false)
	p.again("#pending:not([hidden]) #yes:enabled") // the offer is asked again, and the same yes goes out
	p.waitText(".booking", "MRV-7K2Q")
	same(p, "taken", p.backend.Taken(), 2)
	same(p, "own messages", p.texts(".own .bubble"), []string{"book", "Yes"})
}

func pendingExpires(t *testing.T, browser context.Context) {
	soon := func() time.Time { return skewed().Add(4 * time.Second) }
	outlasts := []func(){
		expires(t, browser, func(p *webtest.Pending) { p.ExpiresAt = soon() }),
		expires(t, browser, func(p *webtest.Pending) { p.AnswerBy, p.ExpiresAt = soon(), soon().Add(time.Hour) }),
	}
	for _, outlast := range outlasts {
		outlast()
	}
}

// expires gets an offer that set limits, and returns what waits for its end.
func expires(t *testing.T, browser context.Context, set func(*webtest.Pending)) (outlast func()) {
	p := open(t, browser, webtest.New(skewed, func(m webtest.Message) webtest.Answer {
		if m.Message != "book" {
			return merve(m)
		}
		pending := *offer
		set(&pending)
		return webtest.Answer{Reply: "Quick!", PendingAction: &pending}
	}), desktop)
	// A busy machine may look only when the offer has gone: the page itself keeps that it was there.
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const [pending, left] = ['#pending', '#left'].map((s) => document.querySelector(s));
		new MutationObserver(() => { window.offered ||= !pending.hidden && left.classList.contains('soon'); })
			.observe(pending, { attributes: true, subtree: true, childList: true });
	}`))
	p.send("book")
	return func() {
		p.waitText(".note", "The offer has expired.")
		p.wait(`document.querySelector('#pending').hidden`)
		same(p, "it was offered, as soon to end", eval[bool](p, `window.offered === true`), true)
		// The thread still lists the offer; the page does not take it up again.
		p.send("hello")
		p.waitText(".bubble", "You said: hello")
		same(p, "notes", p.texts(".note"), []string{"The offer has expired."})
	}
}

// A message from before the offer, answered after it, does not make the offer go away.
func lateAnswerKeepsPending(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	p.backend.Drop(true)
	p.send("hello")
	p.waitText(".trouble", "Try again")
	p.backend.Drop(false)
	p.send("book")
	p.wait(`!document.querySelector('#pending').hidden`)
	p.again(".trouble button")
	p.waitText(".entry:not(.own) .bubble", "You said: hello")
	same(p, "the offer is hidden", eval[bool](p, `document.querySelector('#pending').hidden`), false)
}

func droppedAnswer(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	p.backend.Drop(true)
	p.send("hello")
	p.waitText(".trouble", "No answer from Merve.")
	p.backend.Drop(false)
	p.again(".trouble button")
	p.waitText(".entry:not(.own) .bubble", "You said: hello")
	p.wait(`!document.querySelector('.trouble')`)
	same(p, "entries", p.texts(".bubble"), []string{"hello", "You said: hello"})
	same(p, "taken", p.backend.Taken(), 1)
	if deliveries := p.backend.Deliveries(); len(deliveries) < 3 || len(ids(deliveries)) != 1 {
		t.Errorf("got %d deliveries under ids %v, want several under one", len(deliveries), ids(deliveries))
	}
	same(p, "focus", eval[string](p, `document.activeElement.id`), "text")
}

// What the server took in and this device saw no answer to is sent again after a reload, as the same
// message, and stands there once.
func reloadWhileUnanswered(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	p.send("first")
	p.waitText(".bubble", "You said: first")
	p.backend.Drop(true)
	p.send("second")
	p.waitText(".trouble", "Try again")
	p.backend.Drop(false)
	p.visit()
	p.waitText(".bubble", "You said: second")
	p.wait(`!document.querySelector('.trouble') && document.querySelector('#working').textContent === ''`)
	same(p, "entries", p.texts(".bubble"), []string{"first", "You said: first", "second", "You said: second"})
	same(p, "taken", p.backend.Taken(), 2)
}

// A message that has waited for long is not sent unasked, though the same was said since.
func oldUnsentInChat(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	p.send("yes")
	p.waitText(".bubble", "You said: yes")
	p.backend.Drop(true)
	p.send("later")
	p.waitText(".trouble", "Try again")
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const key = Object.keys(localStorage).find((key) => key.startsWith('merve.out.'));
		const kept = JSON.parse(localStorage.getItem(key));
		localStorage.removeItem(key);
		localStorage.setItem('merve.out.an-old-one', JSON.stringify({ ...kept, text: 'yes', clientMessageId: 'an-old-one', written: kept.written - 61 * 60_000 }));
	}`))
	p.backend.Drop(false)
	p.visit()
	p.waitText(".trouble", "Try again")
	p.waitText(".bubble", "You said: yes")
	p.send("new")
	p.waitText(".bubble", "You said: new")
	for _, m := range p.backend.Deliveries() {
		if m.ClientMessageID == "an-old-one" {
			t.Error("was sent unasked")
		}
	}
}

// The device's clock is an hour ahead: what it wrote itself keeps its place all the same.
func clockAhead(t *testing.T, browser context.Context) {
	behind := func() time.Time { return time.Now().Add(-time.Hour) }
	p := open(t, browser, webtest.New(behind, func(m webtest.Message) webtest.Answer {
		pending := *offer
		pending.ExpiresAt = behind().Add(5 * time.Minute)
		return webtest.Answer{Reply: "You said: " + m.Message, PendingAction: &pending}
	}), desktop)
	want := []string{}
	for _, text := range []string{"one", "two"} {
		p.send(text)
		p.waitText(".bubble", "You said: "+text)
		want = append(want, text, "You said: "+text)
	}
	for range 2 {
		p.waitText("#left", "4:")
		same(p, "entries", p.texts(".bubble"), want)
		p.visit()
		p.waitText(".bubble", "You said: two")
	}
}

func history(t *testing.T, browser context.Context) {
	for _, backward := range []bool{true, false} {
		historyRead(t, browser, backward)
	}
}

// historyRead reads a long thread: page by page from the newest where the server can, else all of it.
func historyRead(t *testing.T, browser context.Context, backward bool) {
	backend := webtest.New(skewed, merve)
	backend.Backward(backward)
	session := strings.Repeat("s", 32)
	backend.Belongs(session)
	start := skewed().Add(-48 * time.Hour)
	var want []string
	for i := range 120 {
		direction, text := []string{"inbound", "outbound"}[i%2], fmt.Sprintf("message %03d", i)
		want = append(want, text)
		backend.Say(direction, text, start.Add(time.Duration(i)*time.Minute))
	}
	backend.Say("outbound", "Two places.", skewed(), garden)
	want = append(want, "Two places.")

	p := open(t, browser, backend, desktop)
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
		`localStorage.setItem('merve.session', JSON.stringify({id: %s, threadId: %s}))`, quote(session), quote(webtest.ThreadID))))
	p.visit()
	p.waitText(".listing", "Garden House")
	seen := 0
	if backward {
		seen = len(want) - 50
	}
	same(p, "first page", p.texts(".bubble"), want[seen:])
	p.wait(`(({scrollTop, clientHeight, scrollHeight}) => scrollTop + clientHeight > scrollHeight - 20)(document.querySelector('#scroll'))`)
	for asks := p.again; seen > 0; seen = max(0, seen-50) {
		asks("#earlier")
		p.waitText(".bubble", want[max(0, seen-50)])
		// From then on, who gets to the top of the list need not ask.
		asks = func(string) {
			p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#scroll').scrollTop = 0`))
		}
	}
	p.wait(`document.querySelector('#earlier').hidden`)
	same(p, "all pages", p.texts(".bubble"), want)
	days := p.texts(".day")
	if len(days) < 2 || days[len(days)-1] != "today" {
		t.Errorf("days: %q, want at least two, the last of them today", days)
	}
	same(p, "welcome is hidden", eval[bool](p, `document.querySelector('#welcome').hidden`), true)
	same(p, "POSTs", len(backend.Deliveries()), 0)

	// What is new is one page away, however long the thread.
	before := backend.Reads()
	backend.Say("outbound", "Your table was moved.", skewed())
	p.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event('visibilitychange'))`))
	p.waitText(".bubble", "Your table was moved.")
	query := "limit=50&after=100"
	if backward {
		query = "limit=8&before=latest"
	}
	same(p, "reads for what is new", slices.Compact(backend.Reads()[len(before):]), []string{query})
}

func pendingAfterReload(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.send("book")
	p.wait(`!document.querySelector('#pending').hidden`)
	p.visit()
	p.waitText("#pending", offer.Summary)
	p.waitText("#left", "9:")
	p.click("#no")
	p.waitText(".bubble", "Released.")
	p.visit()
	p.waitText(".bubble", "Released.")
	same(p, "the offer is hidden", eval[bool](p, `document.querySelector('#pending').hidden`), true)
}

func historyTriedAgain(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.send("hello")
	p.waitText(".bubble", "You said: hello")
	p.backend.Unreadable(true)
	p.visit()
	p.waitText("#earlier", "Earlier messages could not be loaded. Try again")
	same(p, "welcome is hidden", eval[bool](p, `document.querySelector('#welcome').hidden`), true)
	p.backend.Unreadable(false)
	p.click("#earlier")
	p.waitText(".bubble", "You said: hello")
	p.wait(`document.querySelector('#earlier').hidden`)
}

// What came while the customer looked elsewhere is there on return, and nothing is there twice.
func newsOnReturn(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), phone)
	for _, text := range []string{"one", "two", "three"} {
		p.send(text)
		p.waitText(".bubble", "You said: "+text)
	}
	p.send("find")
	p.waitText(".bubble", "Two places.")
	before := p.texts(".bubble")
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#scroll').scrollTop = 0`))
	p.backend.Say("outbound", "Your table was moved.", skewed())
	p.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event('visibilitychange'))`))
	p.waitText("#newest", "Newest messages")
	same(p, "place of who reads further up", eval[float64](p, `document.querySelector('#scroll').scrollTop`), 0)
	same(p, "entries", p.texts(".bubble"), append(before, "Your table was moved."))
	p.click("#newest")
	p.wait(`(({scrollTop, clientHeight, scrollHeight}) => scrollTop + clientHeight > scrollHeight - 20)(document.querySelector('#scroll'))`)
	p.wait(`document.querySelector('#newest').hidden`)
	p.send("find")
	p.wait(fmt.Sprintf(`document.querySelectorAll('.bubble').length === %d`, len(before)+3))
}

func quickMessagesKeepOrder(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	release := p.backend.Hold()
	defer release()
	for _, text := range []string{"one", "two", "three"} {
		p.send(text)
	}
	p.waitText(".own .bubble", "three")
	p.arrived(3)
	release()
	p.waitText(".bubble", "You said: one two three") // one turn answers all three, and its reply stands there once
	p.wait(`document.querySelector('#working').textContent === ''`)
	var order []string
	for _, m := range p.backend.Deliveries() {
		order = append(order, m.Message)
	}
	same(p, "order of arrival", order, []string{"one", "two", "three"})
	// The first had no answer yet, but had long been taken in when the next left. When they left, only
	// the page knows: on a busy machine they may be long under way.
	const left = `performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/chat/message')).map((e) => e.startTime)`
	p.wait(left + `.length === 3`)
	if at := eval[[]float64](p, left); at[1]-at[0] < 1000 {
		t.Errorf("the second message left %v ms after the first, which was not answered, want a second or more", at[1]-at[0])
	}
	same(p, "entries", p.texts(".bubble"), []string{"one", "two", "three", "You said: one two three"})
}

// A reply of several parts comes as one, is listed as several, and is never shown as both.
func replyInParts(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, func(m webtest.Message) webtest.Answer {
		return webtest.Answer{Reply: "To " + m.Message + ".\n\nAnything else?"}
	}), desktop)
	p.hurry()
	p.send("one")
	p.waitText(".bubble", "To one.\n\nAnything else?")
	p.do(chromedp.Evaluate[chromedp.Void](`document.dispatchEvent(new Event('visibilitychange'))`))
	p.wait(`document.querySelectorAll('.bubble').length === 3`)
	same(p, "entries", p.texts(".bubble"), []string{"one", "To one.", "Anything else?"})

	p.backend.Drop(true)
	p.send("two")
	p.waitText(".trouble", "Try again")
	p.backend.Drop(false)
	p.visit()
	p.waitText(".bubble", "To two.")
	p.wait(`!document.querySelector('.trouble, .state') && document.querySelector('#working').textContent === ''`)
	same(p, "entries after a reload", p.texts(".bubble"), []string{"one", "To one.", "Anything else?", "two", "To two.", "Anything else?"})
}

// disconnect takes the browser context off the network, or puts it back.
func disconnect(p *tab, offline bool) {
	p.Helper()
	rules := []*network.Conditions{{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}}
	if _, err := chromedp.Call(p.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: rules}); err != nil {
		p.Fatalf("network: %v", err)
	}
	if _, err := chromedp.Call(p.ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}); err != nil {
		p.Fatalf("network state: %v", err)
	}
}

func offline(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), phone)
	disconnect(p, true)
	p.waitText("#offline", "You are offline.")
	p.send("one")
	p.send("two")
	p.waitText(".own .state", "Will be sent when you are back online")
	same(p, "POSTs while offline", len(p.backend.Deliveries()), 0)
	disconnect(p, false)
	p.waitText(".bubble", "You said: one")
	p.waitText(".bubble", "You said: two")
	p.wait(`document.querySelector('#offline').textContent === ''`)
	same(p, "taken", p.backend.Taken(), 2)
	same(p, "own messages", p.texts(".own .bubble"), []string{"one", "two"})
}

// Of two answers that could not leave yet only the last one is sent, and of the same twice one.
func mindChangedOffline(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.send("book")
	p.wait(`!document.querySelector('#pending').hidden`)
	disconnect(p, true)
	p.waitText("#offline", "You are offline.")
	for _, choice := range []string{"#no", "#yes", "#no", "#no"} {
		p.click(choice)
		p.waitText(".own .state", "Will be sent when you are back online")
	}
	disconnect(p, false)
	p.waitText(".bubble", "Released.")
	p.wait(`!document.querySelector('.state')`)
	var buttons []string
	for _, m := range p.backend.Deliveries()[1:] {
		buttons = append(buttons, m.Button)
	}
	same(p, "answers", buttons, []string{"no:pa1"})
}

func refusals(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.hurry()
	problem := func(err error) fault.Problem { return fault.ProblemOf(err, "trace-42") }

	p.backend.Refuse(problem(fault.Field("message", "at most 3 characters")))
	p.send("too long")
	p.waitText(".trouble", "This message cannot be sent as it is. at most 3 characters")
	p.write("and more")
	p.click(".trouble button")
	p.wait(`document.querySelector('#text').value === 'too long\nand more' && !document.querySelector('.own')`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#text').value = ''`))

	p.backend.Refuse(problem(fault.New(fault.Gone, "it was answered and deleted")))
	p.send("gone")
	p.waitText(".trouble", "This message cannot be sent as it is. it was answered and deleted")
	p.click(".trouble button")
	p.wait(`!document.querySelector('.own')`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#text').value = ''`))

	busy := problem(fault.New(fault.Unavailable, "too many"))
	p.backend.Refuse(busy, busy)
	p.send("hello")
	p.waitText(".trouble", "Too much is going on right now. It is tried again by itself.")
	p.again(".trouble button")
	p.waitText(".bubble", "You said: hello")

	broken := problem(fault.New(fault.Internal, "secret"))
	p.backend.Refuse(broken, broken)
	p.send("again")
	p.waitText(".trouble", "Something went wrong on our side.")
	p.waitText(".trouble", "Reference: trace-42")

	p.backend.Refuse(problem(fault.New(fault.NotFound, "no such thread")))
	p.send("lost")
	p.waitText(".trouble", "This conversation is no longer available.")
	p.waitText(".trouble button", "New conversation")
}

func lateReply(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.backend.Late(2)
	p.send("book")
	p.waitText("#working", "Merve is writing…")
	p.waitText(".bubble", "Shall I book it?")
	p.wait(`!document.querySelector('#pending').hidden`)
	only(t, p.backend.Deliveries())
}

func rightToLeft(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), phone)
	p.send("find")
	for _, language := range []string{"he", "ar"} {
		p.choose(language)
		p.waitText(".listing", "Garden House")
		same(p, "direction", eval[string](p, `getComputedStyle(document.body).direction`), "rtl")
		// One's own messages stand at the end of the line, which is now the left; so does the send button.
		if !eval[bool](p, `(() => {
			const box = (s) => document.querySelector(s).getBoundingClientRect();
			const middle = innerWidth / 2;
			return box('.own .bubble').right < middle && box('.entry:not(.own) .bubble').left > middle
				&& box('#send').left < box('#text').left && box('.mark').left > box('#new').left;
		})()`) {
			t.Errorf("%s is not laid out from right to left", language)
		}
		same(p, "wider than the window", eval[bool](p, `document.scrollingElement.scrollWidth > innerWidth`), false)
		p.visit()
		same(p, "language after a reload", eval[string](p, `document.documentElement.lang + document.documentElement.dir`), language+"rtl")
	}
}

func keyboardOnly(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	shows := func(what, condition string) {
		p.Helper()
		p.wait(fmt.Sprintf(`((e) => %s)(document.activeElement)`, condition))
		if !eval[bool](p, `((e) => [e, e.closest('.box')].some((n) => n && ((s) => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2)(getComputedStyle(n))))(document.activeElement)`) {
			p.Errorf("the focus on %s is not to be seen", what)
		}
	}
	const tabKey = '\t'
	back := func() { p.press(tabKey, chromedp.ModifierShift) }

	shows("the message box", `e.id === 'text'`)
	p.write("find a table")
	p.press('\r')
	p.waitText(".listing", "Harbour Fish")
	back()
	shows("the place", `e.id === 'here'`)
	back()
	shows("the photos", `e.id === 'photo'`)
	back()
	shows("the last card", `e.matches('.listing summary')`)
	p.press('\r')
	p.press(tabKey)
	shows("Book", `e.textContent === 'Book'`)
	p.press('\r')
	p.waitText(".own .bubble", "Book: Harbour Fish – Terrace")
	p.wait(`!document.querySelector('#pending').hidden`)
	shows("the message box again", `e.id === 'text'`)
	for range 3 {
		back()
	}
	shows("No", `e.id === 'no'`)
	back()
	shows("Yes", `e.id === 'yes'`)
	p.press(' ')
	p.waitText(".booking", "MRV-7K2Q")
	shows("the message box after the answer", `e.id === 'text'`)

	p.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur(); getSelection().removeAllRanges()`))
	p.do(chromedp.Focus(chromedp.CSS(".skip")))
	shows("the way to the message box", `e.className === 'skip' && e.getBoundingClientRect().top >= 0`)
	p.press(tabKey)
	shows("the language", `e.id === 'language'`)
	p.press(tabKey)
	shows("New conversation", `e.id === 'new'`)
	p.press('\r')
	shows("Keep this one", `e.value === 'no'`)
	p.press([]rune(kb.Escape)[0])
	shows("New conversation again", `e.id === 'new'`)
	p.press(tabKey)
	shows("the conversation", `e.id === 'scroll'`)
}

// Whatever the server, the model or a merchant puts into a field is shown as it is, and does nothing.
func textStaysText(t *testing.T, browser context.Context) {
	const attack = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>"'><b onclick=hit=1>`
	backend := webtest.New(skewed, func(m webtest.Message) webtest.Answer {
		if strings.HasPrefix(m.Message, "links") {
			return webtest.Answer{Reply: `javascript:alert(1) http://plain.example https://user:pw@evil.example/ https://[ https://good.example/a?b=c&d=%22. https://аpple.example data:text/html,x` + "\n> <b>quoted</b> https://quoted.example/\n\u2068> https://quoted.example/\u2069"}
		}
		if strings.HasPrefix(m.Message, "odd") {
			return webtest.Answer{Reply: "odd", Cards: []any{
				nil, 7, "text", []any{}, map[string]any{"type": "listing"}, map[string]any{"type": "booking", "status": map[string]any{"a": 1}},
				map[string]any{"type": "listing", "title": map[string]any{"x": 1}, "price": "free", "offerings": "none", "image": 5},
				map[string]any{"type": "constructor", "title": attack},
				map[string]any{"type": "booking", "title": "T", "status": "__proto__", "when": "2026-99-99T99:99:00Z", "price": map[string]any{"amount": 5, "currency": "no money"}},
			}, MapLocation: map[string]any{"lat": `1"><script>`, "lng": 2}}
		}
		return webtest.Answer{
			Reply: attack,
			PendingAction: &webtest.Pending{
				ID: attack, Kind: attack, Summary: attack, ExpiresAt: skewed().Add(5 * time.Minute),
			},
			Cards: []any{
				map[string]any{"type": "listing", "id": attack, "title": attack, "subtitle": attack, "place": attack, "image": "javascript:hit=1", "price": map[string]any{"amount": 1, "currency": attack},
					"offerings": []any{map[string]any{"id": attack, "name": attack, "price": euro(1)}, map[string]any{"id": attack, "name": attack, "price": euro(1)}}},
				map[string]any{"type": "booking", "transactionId": attack, "code": attack, "title": attack, "when": attack, "party": attack, "status": attack},
				map[string]any{"type": attack, "title": attack, "subtitle": attack},
				map[string]any{"type": "place", "id": attack, "title": attack, "subtitle": attack, "address": attack, "phone": attack, "open": attack, "distanceMeters": attack},
				map[string]any{"type": "order", "id": attack, "title": attack, "status": attack, "kind": attack, "lines": []any{map[string]any{"name": attack, "quantity": attack, "options": []any{attack}}}},
				map[string]any{"type": "taxi", "id": attack, "title": attack, "status": attack, "pickup": map[string]any{"address": attack}, "code": attack,
					"driver": map[string]any{"name": attack, "vehicle": attack, "plate": attack, "phone": attack}},
				map[string]any{"type": "payment", "id": attack, "title": attack, "status": "waiting", "url": "javascript:hit=1"},
			},
			MapLocation: map[string]any{"lat": 1, "lng": 2, "label": attack},
		}
	})
	backend.Named(attack)
	p := open(t, browser, backend, desktop)
	p.send(attack)
	p.wait(`!document.querySelector('#pending').hidden`)
	p.wait(`document.querySelector('.booking')`)
	for selector, n := range map[string]int{
		".own .bubble": 1, ".entry:not(.own) .bubble": 1, "#model": 1, "#summary": 1, ".listing strong": 1, ".listing .lines .soft": 2,
		".offering > span:first-child": 2, ".booking strong": 1, ".booking dd": 3, ".booking .status": 1, ".other strong": 1, ".other .soft": 1, ".map [dir]": 1,
		".order .items li": 1, ".taxi dd": 5, ".place strong": 1, ".place .soft": 2,
	} {
		got := p.texts(selector)
		if len(got) != n {
			t.Errorf("%s: got %d, want %d", selector, len(got), n)
		}
		for _, text := range got {
			if !strings.Contains(text, attack) {
				t.Errorf("%s: got %q, want the text as it is", selector, text)
			}
		}
	}
	p.click(".listing summary")
	p.click(".listing .offering button")
	p.wait(`document.querySelectorAll('.own').length === 2 && document.querySelectorAll('.entry:not(.own)').length === 2`)
	p.backend.Refuse(fault.Problem{Status: 400, Detail: attack, TraceID: attack})
	p.send("refused")
	p.waitText(".trouble", attack)

	p.send("links")
	p.waitText(".bubble", "javascript:alert(1)")
	same(p, "links", eval[[]string](p, `[...document.querySelectorAll('.bubble a')].map((a) => a.href + ' ' + a.rel + ' ' + a.target)`),
		[]string{"https://good.example/a?b=c&d=%22 noopener noreferrer nofollow _blank"})
	p.send("odd things")
	p.waitText(".bubble", "odd")
	same(p, "elements made of text", eval[int](p, `document.querySelectorAll('#scroll script, #scroll b, #scroll [onerror], #scroll [onclick], .entry img:not(.tiles img), .payment a, .entry [href^=tel]').length`), 0)
	same(p, "scripts run", eval[bool](p, `'hit' in window`), false)
}

// How the conversation stands is shown apart from what the assistant says, after a reload too; what waits for an
// answer is shown with its buttons only.
func showsStanding(t *testing.T, browser context.Context) {
	const nothing, booked = "○ Nothing is booked or ordered in this conversation.", "● הוזמן: \u2068V3GM2D · 2026-11-24 19:00 · 2\u2069"
	p := open(t, browser, webtest.New(skewed, func(m webtest.Message) webtest.Answer {
		answer := webtest.Answer{Reply: "You said " + m.Message, Cards: []any{}, Standing: map[string]any{"kind": "nothing", "text": nothing, "items": []any{}}}
		switch m.Message {
		case "book":
			pending := *offer
			pending.ExpiresAt = skewed().Add(time.Hour)
			answer.PendingAction = &pending
			answer.Standing = map[string]any{"kind": "waiting", "text": "◐ Shall I?", "items": []any{}}
		case "done":
			answer.Standing = map[string]any{"kind": "done", "text": booked, "items": []any{}}
		case "thanks":
			answer.Standing = nil
		}
		return answer
	}), size{360, 640})
	shows := func(text string) {
		t.Helper()
		p.wait(`document.querySelector('#standing').textContent === ` + quote(text) + ` && document.querySelector('#standing').checkVisibility() === ` + fmt.Sprint(text != ""))
	}
	shows("")
	p.send("hello")
	shows(nothing)
	same(p, "bubbles with it", eval[int](p, `[...document.querySelectorAll('.bubble')].filter((b) => b.textContent.includes('○')).length`), 0)
	p.send("book")
	p.wait(`!document.querySelector('#pending').hidden`)
	shows("")
	p.choose("he")
	p.send("done")
	shows(booked)
	p.visit()
	shows(booked)
	same(p, "direction", eval[string](p, `getComputedStyle(document.querySelector('#standing')).direction`), "rtl")
	p.send("thanks")
	shows("")
}

func onPhone(t *testing.T, browser context.Context) {
	long := strings.Repeat("Donaudampfschifffahrt", 20)
	p := open(t, browser, webtest.New(skewed, func(m webtest.Message) webtest.Answer {
		far := map[string]any{"address": long, "lat": 35.1, "lng": 33.9}
		cards := []any{
			map[string]any{"type": "place", "title": long, "address": long, "phone": "+903928150000", "open": true, "distanceMeters": 1234, "location": map[string]any{"lat": 1, "lng": 3}},
			map[string]any{"type": "taxi", "id": m.ClientMessageID, "title": long, "status": "assigned", "pickup": far, "dropoff": far, "driver": map[string]any{"name": long, "plate": long, "phone": "+903928150000"}},
			map[string]any{"type": "order", "id": m.ClientMessageID, "title": long, "status": long, "lines": []any{map[string]any{"name": long, "quantity": 99, "options": []any{long}, "total": euro(123456789)}}},
			map[string]any{"type": "payment", "id": m.ClientMessageID, "title": long, "status": "waiting", "url": "https://pay.example/", "price": euro(123456789)},
		}
		listing := map[string]any{"type": "listing", "title": long, "subtitle": long, "place": long, "price": euro(123456789), "offerings": []any{
			map[string]any{"name": long, "price": euro(100)}, map[string]any{"name": "b", "price": euro(100)}}}
		booking := map[string]any{"type": "booking", "title": long, "code": long, "when": long, "party": 12, "status": long}
		pending := *offer
		pending.Summary, pending.ExpiresAt = strings.Repeat(long+" ", 5), skewed().Add(time.Minute*90)
		return webtest.Answer{Reply: long, Cards: append(cards, listing, booking, map[string]any{"type": "x", "title": long}), PendingAction: &pending,
			MapLocation: map[string]any{"lat": 1, "lng": 2, "label": long}}
	}), size{320, 640})
	for i, language := range []string{"en", "tr", "el", "ru", "he", "ar"} {
		p.choose(language)
		p.send(long)
		p.wait(fmt.Sprintf(`document.querySelectorAll('.entry:not(.own)').length === %d`, i+1))
		p.wait(`!document.querySelector('#pending').hidden && document.querySelector('#working').textContent === ''`)
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('details').forEach((d) => { d.open = true; })`))
		if wide := eval[[]string](p, `[document.scrollingElement, ...document.querySelectorAll('body *')]
			.filter((n) => n.checkVisibility() && !n.closest('.unseen, .skip, svg, .tiles') && !n.matches('.chart, #photos') && (n.scrollWidth > n.clientWidth + 1 && n.clientWidth > 0 && getComputedStyle(n).display !== 'inline'
				|| n.getBoundingClientRect().right > 321 || n.getBoundingClientRect().left < -1))
			.map((n) => n.tagName + '#' + n.id + '.' + n.className)`); len(wide) > 0 {
			t.Errorf("%s: wider than they should be: %v", language, wide)
		}
		// Everything fits the window, and the composer is on it.
		if !eval[bool](p, `document.scrollingElement.scrollHeight <= innerHeight && document.querySelector('#send').getBoundingClientRect().bottom <= innerHeight`) {
			t.Errorf("%s: the page is longer than the window", language)
		}
		if small := eval[[]string](p, `[...document.querySelectorAll('button, select, summary, a.button, a.map')].filter((n) => n.checkVisibility() && n.getBoundingClientRect().height < 44).map((n) => n.id + n.textContent)`); len(small) > 0 {
			t.Errorf("%s: too small to tap: %v", language, small)
		}
	}
	// Safari enlarges the page when a field with smaller letters gets the focus.
	if px := eval[float64](p, `parseFloat(getComputedStyle(document.querySelector('#text')).fontSize)`); px < 16 {
		t.Errorf("the message box has letters of %v px, want 16 or more", px)
	}
}

func newConversation(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.send("book")
	p.wait(`!document.querySelector('#pending').hidden`)
	p.click("#new")
	p.waitText("#sure", "Start a new conversation?")
	p.click(`#sure [value=no]`)
	p.wait(`!document.querySelector('#sure').open`)
	same(p, "entries after keeping it", len(p.texts(".entry")), 2)
	p.click("#new")
	p.click(`#sure [value=yes]`)
	p.wait(`!document.querySelector('#sure').open && !document.querySelector('.entry') && document.querySelector('#pending').hidden`)
	p.waitText("#welcome", "Hello")
	p.send("fresh")
	p.waitText(".bubble", "You said: fresh")
	deliveries := p.backend.Deliveries()
	if deliveries[0].SessionID == deliveries[1].SessionID {
		t.Error("the new conversation has the old session id")
	}
	p.visit()
	p.waitText(".bubble", "You said: fresh")
	same(p, "entries after a reload", len(p.texts(".entry")), 2)
}

// A conversation begun anew in one window is the other window's too.
func anotherWindow(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	p.send("hello")
	p.waitText(".bubble", "You said: hello")
	p.pick("image/png", 20, 20)
	p.wait(`document.querySelector('#photos .done')`)
	p.do(chromedp.Evaluate[chromedp.Void](`XMLHttpRequest.prototype.send = () => {}`))
	p.pick("image/png", 20, 20)
	p.send("fresh") // waits for the photo
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const frame = document.createElement('iframe'); // a window of the same site
		document.body.append(frame);
		frame.contentWindow.localStorage.removeItem('merve.session');
	}`))
	p.wait(`!document.querySelector('.entry, #photos li')`)
	same(p, "what is written", eval[string](p, `document.querySelector('#text').value`), "fresh")
	p.press('\r')
	p.waitText(".bubble", "You said: fresh")
	deliveries := p.backend.Deliveries()
	if deliveries[0].SessionID == deliveries[1].SessionID {
		t.Error("the window still writes in the old conversation")
	}
	same(p, "photos chosen before", len(deliveries[1].Attachments), 0)
	same(p, "messages", len(deliveries), 2)
}

func namesWhatAnswers(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	for model, want := range map[string]string{
		"gpt-5-mini":  "AI model: gpt-5-mini",
		"local-rules": "Answers by built-in rules, no AI model configured",
	} {
		p.backend.Named(model)
		p.visit()
		same(p, model, p.texts("#model"), []string{want})
	}
}

func limit(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), phone)
	full := strings.Repeat("ß", 3999) + "🙂" // 4,000 characters, more UTF-16 units and bytes
	p.do(chromedp.Focus(chromedp.ID("text")))
	p.write(full + "x")
	p.waitText("#count", "4001 of 4000 characters")
	p.wait(`document.querySelector('#count').className === 'over' && document.querySelector('#send').disabled`)
	p.press('\r')
	p.press([]rune(kb.Backspace)[0])
	p.waitText("#count", "4000 of 4000 characters")
	p.click("#send")
	p.waitText(".own .bubble", full)
	p.waitText(".entry:not(.own) .bubble", full)
	same(p, "sent", only(t, p.backend.Deliveries()).Message, full)
	if height := eval[float64](p, `document.querySelector('#text').offsetHeight`); height > 60 {
		t.Errorf("the message box is still %v px high after sending", height)
	}
}

// Every language says the same things.
func words(t *testing.T, browser context.Context) {
	p := open(t, browser, webtest.New(skewed, merve), desktop)
	problems, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`import('./static/words.js').then(({ words, languages, Speech }) => {
		const places = (text) => [...String(text).matchAll(/\{\w+\}/g)].map(String).sort().join();
		const shape = (w) => JSON.stringify(Object.entries(w).map(([key, text]) => [key, places(text), [text].flat().length, [text].flat().every((t) => t.trim() !== '')]).sort());
		const problems = Object.keys(words).filter((l) => Object.values(words[l]).flat().some((t) => typeof t !== 'string') || shape(words[l]) !== shape(words.en) || !languages[l]);
		for (const language of Object.keys(words)) {
			const speech = new Speech(language);
			const plain = (text) => /\d+(?:[.,]\d+)?/.exec(text)[0].replace(',', '.');
			for (const [amount, currency, want] of [[2250, 'EUR', '22.50'], [2200, 'EUR', '22'], [500, 'JPY', '500'], [1234, 'KWD', '1.234'], [12345, 'RSD', '123.45'], [1250, 'IQD', '1.250'], [1220, 'MGA', '12.20']]) {
				if (plain(speech.money({ amount, currency })) !== want) problems.push(language + ' ' + currency + ' ' + speech.money({ amount, currency }));
			}
			if (!speech.when('2026-07-01T16:30:00Z', 'Asia/Nicosia').includes('7:30') && !speech.when('2026-07-01T16:30:00Z', 'Asia/Nicosia').includes('19:30')) problems.push(language + ' zone');
		}
		return problems;
	})`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) > 0 {
		t.Errorf("not as in English: %v", problems)
	}
}
