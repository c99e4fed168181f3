package runner_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"

	"merve/infra/local/runner"
	"merve/internal/live"
	"merve/internal/pause/pausetest"
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

// Whoever opens a page where nobody has said anything yet is told so at once, and leaves nothing that fails.
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
