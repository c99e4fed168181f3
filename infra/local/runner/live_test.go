package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
	"github.com/google/uuid"

	"merve/infra/local/runner"
	"merve/internal/base/pause/pausetest"
	"merve/internal/spine/live"
)

// socket is a socket as a page opens it.
type socket struct {
	*testing.T
	*websocket.Conn
}

func dial(t *testing.T, r *runner.Runner, fields map[string]string) socket {
	t.Helper()
	query := url.Values{}
	for name, value := range fields {
		query.Set(name, value)
	}
	c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(r.URL, "http")+"/live?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	return socket{t, c}
}

// hears gives the next frame of a type, and what came before it.
func (s socket) hears(want live.Type) (got live.Frame, before []live.Frame) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), pausetest.Patience)
	defer cancel()
	for {
		_, data, err := s.Read(ctx)
		if err != nil {
			s.Fatalf("no %s: %v", want, err)
		}
		var f live.Frame
		if err := json.Unmarshal(data, &f); err != nil {
			s.Fatalf("%v: %s", err, data)
		}
		if f.Type == want {
			return f, before
		}
		before = append(before, f)
	}
}

// state is how a resync says that the conversation stands.
func (s socket) state(f live.Frame) (state live.State) {
	s.Helper()
	data, err := json.Marshal(f.State)
	if err == nil {
		err = json.Unmarshal(data, &state)
	}
	if err != nil || f.State == nil {
		s.Errorf("a resync without the state: %+v, %v", f, err)
	}
	return state
}

// says says something, and gives what is answered.
func (s socket) says(text string) live.Frame {
	s.Helper()
	if err := s.Write(s.Context(), websocket.MessageText, fmt.Appendf(nil, `{"type":"message","text":%q}`, text)); err != nil {
		s.Fatal(err)
	}
	f, _ := s.hears(live.Final)
	return f
}

// wantNothingGivenUp waits until every queue is empty, and wants nothing to have failed on the way.
func wantNothingGivenUp(t *testing.T, r *runner.Runner, log *lines) {
	t.Helper()
	pausetest.Until(t, "the queues", func() bool {
		var on struct{ Queues []runner.QueueState }
		if err := look(t, r.URL+"/dev/queues", &on); err != nil {
			t.Fatal(err)
		}
		for _, q := range on.Queues {
			if len(q.Dead) > 0 {
				t.Errorf("given up: %+v", q)
			}
		}
		return !slices.ContainsFunc(on.Queues, func(q runner.QueueState) bool { return q.Waiting > 0 })
	})
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"msg":"message failed"`) {
			t.Errorf("failed on the way: %s", line)
		}
	}
}

// lines is a log that is read while it is written.
type lines struct {
	mu  sync.Mutex
	all strings.Builder
}

// Write implements [io.Writer].
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// A client that opens a page where nobody has said anything yet is told so at once, and leaves nothing that fails.
func TestField79_OpeningAPage(t *testing.T) {
	t.Parallel()
	log := &lines{}
	r := startLogging(t, nil, log)
	for name, fields := range map[string]map[string]string{
		"chat":  {"agentId": "merve", "language": "en"},
		"sara":  {"agentId": "sara"},
		"named": {"agentId": "merve", "conversationId": "an errand"},
		"call":  {"callSessionId": "call-1", "phone": "+14155550100"},
		"calls": {},
	} {
		fields["token"] = "session-not-real-of-the-page-" + name
		s := dial(t, r, fields)
		f, before := s.hears(live.Resync)
		if state := s.state(f); state.Thread == "" || f.Turn != 0 || f.Gap {
			t.Errorf("%s: told %+v", name, f)
		}
		for _, b := range before {
			if b.Type != live.Token && b.Type != live.Final { // of the greeting
				t.Errorf("%s: told before: %+v", name, b)
			}
		}
	}
	wantNothingGivenUp(t, r, log)
}

// So it is with the session page itself. The chat page's is [TestABookingThroughThePage].
func TestField79_OpeningTheSessionPage(t *testing.T) {
	t.Parallel()
	page, log := browse(t), &lines{}
	r := startLogging(t, nil, log)
	for path, shown := range map[string]string{
		"/live":               `document.querySelector('#log').innerText.includes('ZIP code')`,
		"/live?agentId=merve": `document.querySelector('#link').innerText === 'Connected' && document.querySelector('#s-event').innerText !== '–'`,
	} {
		page(chromedp.Navigate(r.URL + path))
		page(chromedp.Poll[chromedp.Void](shown))
	}
	wantNothingGivenUp(t, r, log)
}

// visit is what a caller says until a visit is booked, and what the last answer has in it.
var visit = []string{"can somebody come for ants?", "94107", "the second one", "YES"}

const visitBooked = "Your appointment is confirmed"

// A client that begins a new call session in the conversation of a caller who has proven who they are and booked is told nothing of
// it, by the socket and by requests.
func TestField80_TheNextCallSession(t *testing.T) {
	t.Parallel()
	log := &lines{}
	r := startLogging(t, nil, log)
	talk := uuid.NewString()
	calls := func(session string) socket {
		return dial(t, r, map[string]string{"conversationId": talk, "callSessionId": session, "phone": "+14155550100"})
	}
	first := calls("call-a")
	first.hears(live.Final)
	var last live.Frame
	for _, text := range visit {
		last = first.says(text)
	}
	if !strings.Contains(last.Text, visitBooked) {
		t.Fatalf("booked: %+v", last)
	}
	told := regexp.MustCompile(`cust-ann|"verified":true|confirmed|Oak Street|the second one|Ant treatment`)
	second := calls("call-b")
	resync, heard := second.hears(live.Resync)
	heard = append(heard, resync)
	if !slices.ContainsFunc(heard, func(f live.Frame) bool { return f.Type == live.Final }) { // it comes before or after
		greeting, before := second.hears(live.Final)
		heard = append(append(heard, before...), greeting)
	}
	for _, f := range heard {
		if data, err := json.Marshal(f); err != nil || told.Match(data) || f.Turn != 0 {
			t.Errorf("the second call hears %s, %v", data, err)
		}
	}
	for _, base := range []string{"/api/conversations/", "/api/v2/conversations/"} {
		for _, session := range []string{"call-b", "call-a", "call-c"} { // the one that there is, was and never began
			query := "?callSessionId=" + session
			for _, route := range []string{"state", "summary", "health"} {
				if got := fmt.Sprint(get(t, r.URL+base+talk+"/"+route+query)); told.MatchString(got) {
					t.Errorf("%s of %s tells %s", route, session, got)
				}
			}
			got, err := json.Marshal(post(t, r.URL+base+talk+"/resync"+query, `{"lastEventId":1}`))
			if err != nil || told.Match(got) || !strings.Contains(string(got), `"verified":false`) {
				t.Errorf("resync of %s tells %s, %v", session, got, err)
			}
		}
		over := strings.NewReader(`{"text":"cancel my visit","callSessionId":"call-a"}`)
		resp, err := http.Post(r.URL+base+talk+"/message", "application/json", over)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusConflict {
			t.Errorf("said in a call session that is over: %s", resp.Status)
		}
	}
	if f := second.says("what have I booked?"); told.MatchString(f.Text) || f.Standing != nil && len(f.Standing.Items) > 0 {
		t.Errorf("the second call is told %+v", f)
	}
	if err := first.Write(t.Context(), websocket.MessageText, []byte(`{"type":"message","text":"cancel my visit"}`)); err != nil {
		t.Fatal(err)
	}
	if f, before := first.hears(live.Error); len(before) > 0 || !strings.Contains(f.Text, "over") {
		t.Errorf("the first call hears %+v, and before %+v", f, before)
	}
	second.says("94107")
	if f := second.says("what do I have coming up?"); !strings.Contains(f.Text, "Ant") {
		t.Errorf("who has proven to be the same is told %+v", f)
	}
	wantNothingGivenUp(t, r, log)
}

// So it is by the button of the session page.
func TestField80_NewCallSessionOnThePage(t *testing.T) {
	t.Parallel()
	page := browse(t)
	r := start(t, nil)
	page(chromedp.Navigate(r.URL + "/live?phone=%2B14155550100&callSessionId=call-a"))
	is := func(condition string, values ...any) {
		page(chromedp.Poll[chromedp.Void](fmt.Sprintf(condition, values...)))
	}
	const says, turn = `document.querySelector('#log').innerText.includes(%q)`, `document.querySelector('#s-turn').innerText === '%d'`
	is(says, "ZIP code")
	for i, answer := range []string{"ZIP", "free", "Reply YES to confirm", visitBooked} {
		page(chromedp.SendKeys("#text", visit[i]))
		page(chromedp.Click("#send"))
		is(turn+" && "+says, i+1, answer)
	}
	is(`document.querySelector('#domain').innerText.includes('cust-ann')`)
	page(chromedp.Click("#another"))
	is(turn+" && "+says+` && document.querySelector('#domain').innerText.includes('"verified": false')`, 0, "ZIP code")
	is(`![%q, 'cust-ann', 'Oak Street', %q].some((words) => document.body.innerText.includes(words))`, visitBooked, visit[2])
}
