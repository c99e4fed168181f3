package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/coder/websocket"

	"merve/internal/base/pause/pausetest"
	"merve/internal/spine/live"
)

// hall is a WebSocket API with a function that keeps what it is told.
type hall struct {
	*Sockets
	url string

	mu     sync.Mutex
	events []events.APIGatewayWebsocketProxyRequest
	raw    [][]byte
	answer func(e events.APIGatewayWebsocketProxyRequest) (int, error)
}

func newHall(t *testing.T) *hall {
	t.Helper()
	n := 0
	var mu sync.Mutex
	h := &hall{Sockets: &Sockets{Log: quiet, Now: time.Now, NewID: func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprint("id", n)
	}}}
	h.Function = function(h.invoked)
	server := httptest.NewServer(h.Sockets)
	t.Cleanup(server.Close)
	h.url = "ws" + strings.TrimPrefix(server.URL, "http") + "/live"
	return h
}

func (h *hall) invoked(_ context.Context, payload []byte) ([]byte, error) {
	var e events.APIGatewayWebsocketProxyRequest
	if err := json.Unmarshal(payload, &e); err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.events, h.raw = append(h.events, e), append(h.raw, bytes.Clone(payload))
	answer := h.answer
	h.mu.Unlock()
	status := http.StatusOK
	if answer != nil {
		var err error
		if status, err = answer(e); err != nil {
			return nil, err
		}
	}
	return json.Marshal(events.APIGatewayProxyResponse{StatusCode: status, Body: "why"})
}

// told waits until the function was told of n events, and returns them.
func (h *hall) told(t *testing.T, n int) []events.APIGatewayWebsocketProxyRequest {
	t.Helper()
	pausetest.Until(t, "events", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.events) >= n
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.events) != n {
		t.Fatalf("%d events, want %d", len(h.events), n)
	}
	return h.events
}

func (h *hall) dial(t *testing.T, query string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), h.url+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

// A client connects, says something, is written to, and is hung up; the function is told of all that.
func TestSocketsLife(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	c := h.dial(t, "?conversationId=a&conversationId=b")
	if err := c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	told := h.told(t, 2)
	id := told[0].RequestContext.ConnectionID
	if e := told[0]; e.RequestContext.EventType != "CONNECT" || e.RequestContext.RouteKey != "$connect" || e.QueryStringParameters["conversationId"] != "b" ||
		len(e.MultiValueQueryStringParameters["conversationId"]) != 2 || e.RequestContext.Identity.SourceIP != "127.0.0.1" ||
		e.Headers["X-Forwarded-For"] != "127.0.0.1" {
		t.Errorf("connect: %+v", e)
	}
	if e := told[1]; e.RequestContext.EventType != "MESSAGE" || e.RequestContext.RouteKey != "$default" || e.Body != `{"type":"ping"}` || e.RequestContext.ConnectionID != id {
		t.Errorf("message: %+v", e)
	}
	if err := h.Post(t.Context(), id, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, data, err := c.Read(t.Context()); err != nil || string(data) != "hello" {
		t.Errorf("read %q, %v", data, err)
	}
	hung := make(chan error)
	go func() { _, _, err := c.Read(t.Context()); hung <- err }()
	if err := h.Hangup(t.Context(), id); err != nil {
		t.Errorf("hang up: %v", err)
	}
	if err := <-hung; websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("after hanging up: %v", err)
	}
	if e := h.told(t, 3)[2]; e.RequestContext.EventType != "DISCONNECT" || e.RequestContext.RouteKey != "$disconnect" || e.RequestContext.ConnectionID != id {
		t.Errorf("disconnect: %+v", e)
	}
	if err := h.Post(t.Context(), id, []byte("x")); !errors.Is(err, live.ErrGone) {
		t.Errorf("post to nobody: %v", err)
	}
	if err := h.Hangup(t.Context(), id); !errors.Is(err, live.ErrGone) {
		t.Errorf("hang up nobody: %v", err)
	}
}

// The function decides who may connect. Nobody is told of the end of a connection that never was.
func TestSocketsRefuse(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	for status, want := range map[int]int{http.StatusUnauthorized: http.StatusUnauthorized, http.StatusTooManyRequests: http.StatusTooManyRequests, 0: http.StatusInternalServerError} {
		h.answer = func(events.APIGatewayWebsocketProxyRequest) (int, error) {
			if status == 0 {
				return 0, errors.New("killed")
			}
			return status, nil
		}
		_, resp, err := websocket.Dial(t.Context(), h.url, nil)
		if err == nil || resp == nil || resp.StatusCode != want {
			t.Errorf("status %d: %v, %+v", status, err, resp)
		}
	}
	h.told(t, 3)
}

// What a function fails at does not end a connection; a client that vanishes does.
func TestSocketsOutlastFailures(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	c := h.dial(t, "")
	h.mu.Lock()
	h.answer = func(events.APIGatewayWebsocketProxyRequest) (int, error) { return http.StatusInternalServerError, nil }
	h.mu.Unlock()
	for range 2 {
		if err := c.Write(t.Context(), websocket.MessageText, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	h.told(t, 3)
	if err := c.CloseNow(); err != nil {
		t.Fatal(err)
	}
	if e := h.told(t, 4)[3]; e.RequestContext.EventType != "DISCONNECT" {
		t.Errorf("%+v", e)
	}
}

// Events have no field that the gateway's own have not, but for the path, which is this machine's.
func TestSocketEventsAreTheGateways(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	c := h.dial(t, "?token=x")
	if err := c.Write(t.Context(), websocket.MessageText, []byte("x")); err != nil {
		t.Fatal(err)
	}
	h.told(t, 2)
	if err := c.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	h.told(t, 3)
	for i, name := range []string{"live", "live-message", "live-disconnect"} {
		sample, err := os.ReadFile(filepath.Join("..", "..", "..", "events", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		real := fieldsOf(t, sample)
		for field := range fieldsOf(t, h.raw[i]) {
			if !real[field] && field != "path" {
				t.Errorf("%s: the gateway tells no %s", name, field)
			}
		}
	}
}

// fieldsOf are the fields of an event that have a value, and those of its context.
func fieldsOf(t *testing.T, event []byte) map[string]bool {
	t.Helper()
	var e map[string]any
	if err := json.Unmarshal(event, &e); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	add := func(prefix string, of map[string]any) {
		for name, v := range of {
			if text := fmt.Sprint(v); v != nil && text != "" && text != "false" && text != "map[]" && text != "0" && name != "identity" && name != "authorizer" {
				found[prefix+name] = true
			}
		}
	}
	add("", e)
	add("requestContext.", e["requestContext"].(map[string]any))
	return found
}
