package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"merve/internal/cloud/dynamo"
)

// Socket is a connection that listens to a conversation.
type Socket struct {
	ID      string    `dynamodbav:"-"`
	Thread  string    `dynamodbav:"-"`
	Session string    `dynamodbav:"session,omitempty"` // the call session that it names; "" is whichever there is
	At      time.Time `dynamodbav:"at"`                // when it connected
	TTL     int64     `dynamodbav:"ttl"`
}

// hears reports whether the socket gets the words of a call session with this name; "" means outside any session.
func (k Socket) hears(session string) bool { return k.Session == "" || k.Session == session }

// Poster brings data to a socket.
type Poster interface {
	// Post sends data to a connection. It fails with [ErrGone] if the connection does not exist, or no longer.
	Post(ctx context.Context, connection string, data []byte) error

	// Hangup closes a connection.
	Hangup(ctx context.Context, connection string) error
}

// ErrGone says that a connection is not there.
var ErrGone = errors.New("the connection is gone")

const (
	// maxFrame is the most bytes of one WebSocket frame at the gateway.
	// https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
	maxFrame = 32 << 10

	behind      = 64               // frames that wait for one socket, before it counts as too slow
	postWithin  = 3 * time.Second  // one frame
	closeWithin = 2 * time.Second  // all that is on its way when a turn is over
	settling    = 10 * time.Second // a connection answers "gone" until it is wholly open
	tryAgain    = 200 * time.Millisecond
)

// fan pushes frames to the sockets of a conversation, to each in order. A slow socket delays nobody: fan hangs it
// up, and its client reads what it missed when it comes back.
type fan struct {
	s      *Stage
	thread string

	mu     sync.Mutex
	to     map[string]*line
	recent []said // since the sockets were last looked up
	wg     sync.WaitGroup
}

// said is a frame, and the call session that it belongs to.
type said struct {
	session string
	data    []byte
}

// line is the queue of one socket.
type line struct {
	socket Socket
	frames chan []byte
	over   bool // it is too slow: nothing more is sent
}

func (s *Stage) fan(thread string) *fan { return &fan{s: s, thread: thread, to: map[string]*line{}} }

// listen adds sockets that get everything pushed from now on. A socket that has come since the last look also gets what
// was written meanwhile, which may not have been written yet when it was told what it missed. Clients ignore doubles.
func (f *fan) listen(ctx context.Context, sockets []Socket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ctx = context.WithoutCancel(ctx) // frames still go out when the turn is over
	for _, k := range sockets {
		if f.to[k.ID] != nil {
			continue
		}
		l := &line{socket: k, frames: make(chan []byte, behind)}
		f.to[k.ID] = l
		for _, d := range f.recent {
			l.push(d)
		}
		f.wg.Go(func() { f.send(ctx, l) })
	}
	f.recent = nil
}

// push queues a frame, unless it belongs to another call session or too many frames wait.
func (l *line) push(d said) {
	if l.over || !l.socket.hears(d.session) {
		return
	}
	select {
	case l.frames <- d.data:
	default:
		l.over = true
	}
}

// written notes a frame that somebody else has pushed to those who listened then.
func (f *fan) written(session string, w Frame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent = append(f.recent, said{session, encode(w)})
}

// frame pushes one frame of a call session to all but one.
func (f *fan) frame(session string, w Frame, but string) {
	d := said{session, encode(w)}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent = append(f.recent, d)
	for _, l := range f.to {
		if l.socket.ID != but {
			l.push(d)
		}
	}
}

// encode returns a frame in its wire form. If a text is too long for one frame, its tokens have already carried it.
func encode(w Frame) []byte {
	data, err := json.Marshal(w)
	if err == nil && len(data) > maxFrame {
		w.Cards, w.Choices = nil, nil
		if data, err = json.Marshal(w); err == nil && len(data) > maxFrame {
			w.Text, w.State = "", nil
			data, err = json.Marshal(w)
		}
	}
	if err != nil { // what a tool has put on a card
		data = fmt.Appendf(nil, `{"type":%q,"seq":%d,"eventId":%d,"turnId":%d}`, w.Type, w.Seq, w.Seq, w.Turn)
	}
	return data
}

func (f *fan) send(ctx context.Context, l *line) {
	for data := range l.frames {
		if f.dropped(l) || !f.post(ctx, l.socket, data) {
			f.s.forget(ctx, l.socket)
			return
		}
	}
}

func (f *fan) dropped(l *line) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return l.over
}

// post brings one frame to a socket, and reports whether more is worth sending.
func (f *fan) post(ctx context.Context, k Socket, data []byte) bool {
	for {
		within, cancel := context.WithTimeout(ctx, postWithin)
		err := f.s.Posts.Post(within, k.ID, data)
		cancel()
		switch {
		case err == nil:
			return true
		case !errors.Is(err, ErrGone):
			f.s.Log.InfoContext(ctx, "socket not reached", "thread", f.thread, "error", err.Error())
			return false
		case f.s.Now().Sub(k.At) > settling || f.s.Wait(ctx, tryAgain) != nil:
			return false
		}
	}
}

// close ends all lines, and waits a while until they have sent what waits.
func (f *fan) close(ctx context.Context) {
	f.mu.Lock()
	for _, l := range f.to {
		close(l.frames)
	}
	f.to = map[string]*line{}
	f.mu.Unlock()
	sent := make(chan struct{})
	go func() { f.wg.Wait(); close(sent) }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	select {
	case <-sent:
	case <-ctx.Done():
	}
}

// forget takes a socket off its conversation and hangs up: it does not answer, or too slowly.
func (s *Stage) forget(ctx context.Context, k Socket) {
	err := s.Table.DB().Commit(ctx, s.Table.Delete(socketKey(k.Thread, k.ID)), s.Table.Delete(connectionKey(k.ID)))
	if err == nil {
		err = s.Posts.Hangup(ctx, k.ID)
	}
	if err != nil && !errors.Is(err, ErrGone) {
		s.Log.InfoContext(ctx, "socket not forgotten", "thread", k.Thread, "error", err.Error())
	}
}

func socketKey(thread, connection string) dynamo.Key {
	return dynamo.Key{PK: thread, SK: socketPrefix + connection}
}

func connectionKey(connection string) dynamo.Key {
	return dynamo.Key{PK: "socket#" + connection, SK: "socket"}
}
