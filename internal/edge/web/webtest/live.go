package webtest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"merve/internal/base/pause/pausetest"
)

// Sent is what a page sends by its socket.
type Sent struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Button  string          `json:"button"`
	ReplyTo string          `json:"replyTo"`
	Stream  string          `json:"streamId"`
	After   json.RawMessage `json:"lastEventId"`
}

// A Frame is what a page is told by its socket.
type Frame map[string]any

// Live is the sockets' side of one conversation. It keeps what it tells and tells a socket that comes back what came
// after the frame that it names: finals of finished turns, and the frames of the one that runs. Use [NewLive].
type Live struct {
	heard func(q url.Values, s Sent) // of messages

	mu       sync.Mutex
	changed  *sync.Cond
	rows     []Frame
	sockets  map[*websocket.Conn]bool
	received []Sent
	connects []url.Values
	state    Frame
	closed   bool // to who connects
	mute     bool // takes what is sent, and answers nothing
	holds    bool // what it tells, until all of it is told
	held     []Frame
}

// NewLive returns a conversation whose messages heard is told of.
func NewLive(heard func(q url.Values, s Sent)) *Live {
	l := &Live{heard: heard, sockets: map[*websocket.Conn]bool{}, state: Frame{"history": []any{}, "domainState": Frame{}, "turnId": 0, "speaking": false}}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// ServeHTTP connects a page.
func (l *Live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	l.mu.Lock()
	refuses := l.closed
	l.mu.Unlock()
	if refuses {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{OriginPatterns: []string{"*"}})
	if err != nil {
		return
	}
	defer func() {
		l.mu.Lock()
		delete(l.sockets, c)
		l.mu.Unlock()
		_ = c.CloseNow() // it may be closed already
	}()
	l.mu.Lock()
	l.sockets[c] = true
	l.connects = append(l.connects, q)
	l.replay(c, q.Get("lastEventId"))
	l.changed.Broadcast()
	l.mu.Unlock()
	for {
		_, data, err := c.Read(r.Context())
		if err != nil {
			return
		}
		var s Sent
		if json.Unmarshal(data, &s) == nil {
			l.hear(c, q, s)
		}
	}
}

func (l *Live) hear(c *websocket.Conn, q url.Values, s Sent) {
	if s.Type == "message" {
		l.heard(q, s)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.received = append(l.received, s)
	defer l.changed.Broadcast()
	if l.mute {
		return
	}
	switch s.Type {
	case "ping":
		l.post(c, Frame{"type": "pong"})
	case "resync":
		l.replay(c, string(s.After))
	case "message":
		l.tell(Frame{"type": "message", "id": s.ID, "text": s.Text, "at": time.Now().UTC()}, c)
	}
}

// replay tells a socket what came after a frame.
func (l *Live) replay(c *websocket.Conn, after string) {
	known, err := strconv.Atoi(after)
	gap := err == nil && known > len(l.rows)
	if gap {
		known = 0
	}
	finished := 0
	for _, f := range l.rows {
		if f["type"] == "final" {
			finished = f["seq"].(int)
		}
	}
	l.post(c, Frame{"type": "resync", "from": known + 1, "to": len(l.rows), "gap": gap, "state": l.state})
	for _, f := range l.rows {
		if seq := f["seq"].(int); seq > known && (seq > finished || f["type"] == "final") {
			l.post(c, f)
		}
	}
}

// Tell tells all pages of a frame, which gets the next number.
func (l *Live) Tell(f Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell(f, nil)
}

func (l *Live) tell(f Frame, but *websocket.Conn) {
	f = maps.Clone(f)
	f["seq"] = len(l.rows) + 1
	f["eventId"] = f["seq"]
	l.rows = append(l.rows, f)
	if l.holds {
		l.held = append(l.held, f)
		return
	}
	for c := range l.sockets {
		if c != but {
			l.post(c, f)
		}
	}
}

func (l *Live) post(c *websocket.Conn, f Frame) {
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // the test's own frame
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = c.Write(ctx, websocket.MessageText, data) // the page has gone: it comes again
}

// Word says a piece of a turn's reply, in its stream; the first begins it.
func (l *Live) Word(turn int, piece string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	begun := slices.ContainsFunc(l.rows, func(f Frame) bool { return f["type"] == "speaking" && f["turnId"] == turn })
	if !begun {
		l.tell(Frame{"type": "speaking", "turnId": turn, "streamId": "s" + strconv.Itoa(turn), "speaking": true}, nil)
	}
	l.tell(Frame{"type": "token", "turnId": turn, "streamId": "s" + strconv.Itoa(turn), "text": piece}, nil)
}

// Final ends a turn; more goes with the frame.
func (l *Live) Final(turn int, text string, more Frame) {
	l.Tell(Frame{"type": "speaking", "turnId": turn, "speaking": false})
	f := Frame{"type": "final", "turnId": turn, "text": text}
	maps.Copy(f, more)
	l.Tell(f)
}

// Crosswise tells all pages what is told meanwhile, newest first.
func (l *Live) Crosswise(tell func()) {
	l.hold(true)
	tell()
	l.hold(false)
}

func (l *Live) hold(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holds = on
	for _, f := range slices.Backward(l.held) {
		for c := range l.sockets {
			l.post(c, f)
		}
	}
	l.held = nil
}

// Again tells all pages once more what they were told, newest first.
func (l *Live) Again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range slices.Backward(l.rows) {
		for c := range l.sockets {
			l.post(c, f)
		}
	}
}

// Drop cuts all connections.
func (l *Live) Drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.sockets {
		_ = c.CloseNow() // it may be closed already
	}
	clear(l.sockets)
}

// Refuse sets whether pages may not connect.
func (l *Live) Refuse(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = on
}

// Mute sets whether what pages send is answered by nothing, as where a connection is dead and nobody knows.
func (l *Live) Mute(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mute = on
}

// So returns how many frames of each type have come so far, and how often pages have connected.
func (l *Live) So() (received map[string]int, connects int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	received = map[string]int{}
	for _, s := range l.received {
		received[s.Type]++
	}
	return received, len(l.connects)
}

// Forget begins the log anew, as a server does that lost it.
func (l *Live) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = nil
}

// Stands sets how the conversation stands.
func (l *Live) Stands(state Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = state
}

// Connects waits until pages have connected n times, and returns what they named.
func (l *Live) Connects(t testing.TB, n int) []url.Values {
	t.Helper()
	return wait(t, l, n, func() []url.Values { return slices.Clone(l.connects) })
}

// Received waits until n frames of a type have come, and returns them.
func (l *Live) Received(t testing.TB, kind string, n int) []Sent {
	t.Helper()
	return wait(t, l, n, func() []Sent {
		var of []Sent
		for _, s := range l.received {
			if s.Type == kind {
				of = append(of, s)
			}
		}
		return of
	})
}

func wait[T any](t testing.TB, l *Live, n int, all func() []T) []T {
	t.Helper()
	end := time.Now().Add(pausetest.Patience)
	defer time.AfterFunc(pausetest.Patience, l.changed.Broadcast).Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		got := all()
		if len(got) >= n {
			return got
		}
		if time.Now().After(end) {
			t.Fatalf("got %d, want %d: %+v", len(got), n, got)
		}
		l.changed.Wait()
	}
}
