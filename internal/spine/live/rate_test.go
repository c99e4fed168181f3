package live

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/limit"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// host is who takes in what a scene's sockets send.
func (s *scene) host() *Host {
	return &Host{Stage: s.Stage, Rate: &limit.Counter{Table: s.Table, Now: s.time}, NewID: func() string { return dynamotest.ID("") }}
}

// caller is one of a conversation of its own.
func newCaller() Caller {
	return Caller{Inbound: channel.Inbound{Market: "demo", ThreadType: channel.General, From: actor.Actor{Kind: actor.Session, ID: dynamotest.ID("s")}}}
}

// connects makes a socket known.
func (s *scene) connects(t *testing.T, c Caller) (id string) {
	t.Helper()
	id = dynamotest.ID("socket")
	ttl := s.time().Add(socketFor).Unix()
	err := s.Table.DB().Commit(t.Context(), s.Table.Put(connectionKey(id), connection{Caller: c, TTL: ttl}),
		s.Table.Put(socketKey(thread.Of(c.Inbound), id), Socket{At: s.time(), TTL: ttl}))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// A socket sends so many frames within a while. One more is refused, and one beyond twice as many hangs it up; a while later
// all is as before. Another socket is not concerned.
func TestFramesOfASocketAreBounded(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	h := s.host()
	id := s.connects(t, newCaller())
	send := func(from, to int, want error) {
		t.Helper()
		for n := from; n <= to; n++ {
			data := []string{`{"type":"ping"}`, `{"type":"dance"}`, `[`}[n%3]
			_, err := h.Receive(t.Context(), id, []byte(data))
			if want == nil && (errors.Is(err, errTooFast) || errors.Is(err, ErrGone)) || want != nil && !errors.Is(err, want) {
				t.Fatalf("frame %d: %v, want %v", n, err, want)
			}
		}
	}
	for range 2 {
		send(1, mostFrames, nil)
		send(mostFrames+1, 2*mostFrames, errTooFast)
		if s.hungUp(id) {
			t.Fatal("hung up too early")
		}
		s.pass(rateFor)
	}
	send(1, mostFrames, nil)
	send(mostFrames+1, 2*mostFrames, errTooFast)
	send(2*mostFrames+1, 2*mostFrames+2, ErrGone)
	if _, err := h.caller(t.Context(), id); !s.hungUp(id) || !errors.Is(err, ErrGone) {
		t.Errorf("it is still known: %v", err)
	}
	id = s.connects(t, newCaller())
	send(1, mostFrames, nil)
}

// Frames of one socket that are taken in at once, by whichever processes, are counted as well.
func TestFramesAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	h := s.host()
	id := s.connects(t, newCaller())
	var mu sync.Mutex
	var all sync.WaitGroup
	taken, refused := 0, 0
	for range mostFrames + 5 {
		all.Go(func() {
			_, err := h.Receive(t.Context(), id, []byte(`{"type":"ping"}`))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				taken++
			case errors.Is(err, errTooFast):
				refused++
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if taken != mostFrames || refused != 5 {
		t.Errorf("%d taken and %d refused, want %d and 5", taken, refused, mostFrames)
	}
}

// A conversation is told so many messages within a while, by however many sockets.
func TestMessagesOfAConversationAreBounded(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	h := s.host()
	c := newCaller()
	sockets := []string{s.connects(t, c), s.connects(t, c)}
	for n := range mostMessages {
		if err := h.admit(t.Context(), c); err != nil {
			t.Fatalf("message %d: %v", n+1, err)
		}
	}
	for n, id := range sockets {
		message := fmt.Appendf(nil, `{"type":"message","text":"hello","id":"m%d"}`, n)
		if _, err := h.Receive(t.Context(), id, message); !errors.Is(err, errTooFast) {
			t.Errorf("message %d: %v", mostMessages+1, err)
		}
		if _, err := h.Receive(t.Context(), id, []byte(`{"type":"ping"}`)); err != nil {
			t.Errorf("what is no message: %v", err)
		}
	}
	if err := h.admit(t.Context(), newCaller()); err != nil {
		t.Errorf("another conversation: %v", err)
	}
	s.pass(rateFor)
	if err := h.admit(t.Context(), c); err != nil {
		t.Errorf("a while later: %v", err)
	}
}
