package web_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"merve/internal/base/pause/pausetest"
	"merve/internal/edge/web/webtest"
)

// The gateway closes a socket after two hours, and one on which nothing was said for ten minutes. A page hears of
// neither: it is never that late.
const (
	longestOpen    = 2 * time.Hour
	longestSilence = 10 * time.Minute
	patience       = 20 * time.Second // with what is expected and does not come
)

// heldTimers lets a test pass the time of a page: timers of ten seconds and more run when it says so, in their order.
// Those that are shorter, which wait for the network, run by themselves. Time stands still once the page has sent
// something, so that what it hears of it comes in time.
const heldTimers = `{
	const [set, clear, send, held] = [window.setTimeout, window.clearTimeout, WebSocket.prototype.send, new Map()];
	let [now, last, sent] = [0, 1e9, 0];
	WebSocket.prototype.send = function (data) { sent++; send.call(this, data); };
	window.setTimeout = (act, ms, ...rest) => {
		if (!(ms >= 10_000)) return set(act, ms, ...rest);
		held.set(++last, { at: now + ms, act });
		return last;
	};
	window.clearTimeout = (id) => { if (!held.delete(id)) clear(id); };
	window.pass = (ms) => {
		const [from, before] = [now, sent];
		while (sent === before) {
			const [id, due] = [...held].filter(([, t]) => t.at <= from + ms).sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
			if (!due) {
				now = from + ms;
				break;
			}
			held.delete(id);
			now = due.at;
			due.act();
		}
		return [now - from, sent];
	};
}`

// TestUpkeep holds the pages' sockets to what they promise of time.
func TestUpkeep(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	for name, test := range map[string]func(*testing.T, *kept){
		"PingsBeforeSilence": pingsBeforeSilence,
		"LeavesTheDead":      leavesTheDead,
		"RenewsInTime":       renewsInTime,
		"AsksAfterSilence":   asksAfterSilence,
	} {
		for of, opens := range map[string]func(*testing.T, context.Context) *kept{"chat": keptChat, "session": keptSession} {
			t.Run(name+" "+of, func(t *testing.T) {
				t.Parallel()
				test(t, opens(t, browser))
			})
		}
	}
}

// A kept tab shows a page with a socket, whose time the test passes.
type kept struct {
	*tab
	live   *webtest.Live
	status string // selector of where the page shows a status
	words  int
	before int  // frames that were sent before its time was held
	mute   bool // nothing that it sends is answered
}

func keptChat(t *testing.T, browser context.Context) *kept {
	p := speaks(t, browser, desktop)
	p.answers("The sea is warm.")
	return hold(&kept{tab: p.tab, live: p.live, status: "#working"})
}

func keptSession(t *testing.T, browser context.Context) *kept {
	p := dial(t, browser, "", desktop)
	return hold(&kept{tab: p.tab, live: p.live, status: "#status"})
}

// hold loads the page anew with its timers held.
func hold(p *kept) *kept {
	p.Helper()
	if _, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: heldTimers}); err != nil {
		p.Fatal(err)
	}
	p.before = p.sent()
	p.visit()
	p.live.Connects(p, 2)
	p.hears()
	return p
}

// hears waits until the page has heard all that it was told until now.
func (p *kept) hears() {
	p.Helper()
	p.words++
	word := fmt.Sprintf("Heard %d", p.words)
	p.live.Tell(webtest.Frame{"type": "status", "text": word})
	p.waitText(p.status, word)
}

// pass lets time pass. What the page sends meanwhile has arrived, and it has heard the answer where there is one.
func (p *kept) pass(d time.Duration) {
	p.Helper()
	sent := p.sent() - p.before
	for left := d.Milliseconds(); left > 0; {
		passed := eval[[2]int64](p.tab, fmt.Sprintf(`pass(%d)`, left))
		left -= passed[0]
		if int(passed[1]) == sent {
			continue
		}
		sent = int(passed[1])
		pausetest.Until(p, "what the page has sent", func() bool { return p.sent()-p.before >= sent })
		if !p.mute {
			p.hears()
		}
	}
}

// sent is how many frames have come.
func (p *kept) sent() (n int) {
	all, _ := p.live.So()
	for _, of := range all {
		n += of
	}
	return n
}

// connects is how often the page has connected since its time is held.
func (p *kept) connects() int {
	_, n := p.live.So()
	return n - 1
}

func (p *kept) received(kind string) int {
	all, _ := p.live.So()
	return all[kind]
}

// A page that hears nothing speaks before it is closed for that, again and again, and stays connected.
func pingsBeforeSilence(t *testing.T, p *kept) {
	for n := 1; n <= 3; n++ {
		p.pass(longestSilence - time.Second)
		if got := p.received("ping"); got < n || p.connects() != 1 {
			t.Fatalf("%d pings, connected %d times, after %d times %v", got, p.connects(), n, longestSilence)
		}
	}
}

// A connection that answers nothing is left for another, which goes on behind the last frame that was heard.
func leavesTheDead(t *testing.T, p *kept) {
	p.silent(true)
	for range 20 { // minutes
		if p.pass(time.Minute); p.received("ping") > 0 {
			break
		}
	}
	p.silent(false)
	p.pass(patience)
	if again := p.live.Connects(t, 3)[2]; again.Get("lastEventId") == "" || p.received("ping") != 1 {
		t.Errorf("%d pings, and the page came back at %v", p.received("ping"), again)
	}
	p.hears()
}

// silent sets whether what the page sends is answered.
func (p *kept) silent(on bool) {
	p.mute = on
	p.live.Mute(on)
}

// A page that is used connects anew before the gateway closes it, and not much sooner.
func renewsInTime(t *testing.T, p *kept) {
	p.pass(longestOpen - 20*time.Minute)
	if n := p.connects(); n != 1 {
		t.Errorf("connected %d times long before it has to", n)
	}
	p.pass(20*time.Minute - time.Second)
	if again := p.live.Connects(t, 3)[2]; again.Get("lastEventId") == "" {
		t.Errorf("the page came back without its place: %v", again)
	}
	p.hears()
}

// Where something is expected and nothing comes, the page asks for it, again and again.
func asksAfterSilence(t *testing.T, p *kept) {
	p.send("what is there?")
	p.live.Received(t, "message", 1)
	p.hears()
	asked := p.received("resync")
	p.pass(patience - time.Second)
	if n := p.received("resync"); n != asked {
		t.Errorf("asked %d times before it was late", n-asked)
	}
	p.pass(2 * patience)
	all := p.live.Received(t, "resync", asked+2)
	if string(all[asked].After) == "0" {
		t.Errorf("asked without its place")
	}
}
