package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

// told is what a Sockets was told.
type told struct {
	What, Connection string
	Query            string
	Header           string // Origin's
	Address          string
	Data             string
	Trace            string
}

// listener keeps what it is told, and answers with an error or a panic.
type listener struct {
	told   []told
	err    error
	panics bool
}

func (l *listener) note(ctx context.Context, what told) error {
	what.Trace, what.Address = telemetry.TraceID(ctx), Info(ctx).SourceIP
	l.told = append(l.told, what)
	if l.panics {
		panic("a secret")
	}
	return l.err
}

func (l *listener) Connect(ctx context.Context, id string, r *http.Request) error {
	if r.Context() != ctx {
		return errors.New("the request has another context")
	}
	return l.note(ctx, told{What: "connect", Connection: id, Query: r.URL.RawQuery, Header: r.Header.Get("Origin")})
}

func (l *listener) Receive(ctx context.Context, id string, data []byte) error {
	return l.note(ctx, told{What: "receive", Connection: id, Data: string(data)})
}

func (l *listener) Disconnect(ctx context.Context, id string) error {
	return l.note(ctx, told{What: "disconnect", Connection: id})
}

// event gives a socket handler an event, and returns its answer.
func (l *listener) event(t *testing.T, payload []byte) events.APIGatewayProxyResponse {
	t.Helper()
	h := Socket(l, Log(slog.New(slog.DiscardHandler)), traceIDs(func() string { return "made" }))
	out, err := h.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	var a events.APIGatewayProxyResponse
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func socketSample(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "events", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The events of a connection's life reach who listens, with the address that it is at and the trace of its request.
func TestSocketEvents(t *testing.T) {
	t.Parallel()
	const id, address = "UJtestLiveConn=", "198.51.100.7"
	for name, want := range map[string]told{
		"live": {
			What: "connect", Connection: id, Header: "https://shop.example", Address: address, Trace: "6b040432000000000000000000000041",
			Query: "agentId=merve&callSessionId=call-1&conversationId=7b1f6e0a-3c52-4d8e-9a41-5f0c2d7e8b13&token=session-not-real-0000000005",
		},
		"live-message":    {What: "receive", Connection: id, Address: address, Trace: "made", Data: `{"type": "message", "text": "sushi in Kyrenia", "id": "m-1"}`},
		"live-disconnect": {What: "disconnect", Connection: id, Address: address, Trace: "made"},
	} {
		l := &listener{}
		if a := l.event(t, socketSample(t, name)); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %+v", name, a)
		}
		if diff := cmp.Diff([]told{want}, l.told); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A client that may not connect is told so by the status of its request. What went wrong inside is not told.
func TestSocketRefusals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		l      listener
		status int
		body   string
	}{
		"who":      {listener{err: fault.New(fault.Unauthenticated, "sign in")}, http.StatusUnauthorized, "sign in"},
		"field":    {listener{err: fault.Field("phone", "want a number")}, http.StatusBadRequest, "want a number"},
		"too many": {listener{err: fault.New(fault.Limited, "at most 20")}, http.StatusTooManyRequests, "at most 20"},
		"inside":   {listener{err: errors.New("a secret")}, http.StatusInternalServerError, ""},
		"a panic":  {listener{panics: true}, http.StatusInternalServerError, ""},
	} {
		for _, event := range []string{"live", "live-message", "live-disconnect"} {
			a := tt.l.event(t, socketSample(t, event))
			if a.StatusCode != tt.status || !strings.Contains(a.Body, tt.body) || strings.Contains(a.Body, "secret") {
				t.Errorf("%s: %s: %+v", name, event, a)
			}
		}
	}
}

// A frame may come in base64; one that cannot be read is refused, and what is no event is an error.
func TestSocketFrames(t *testing.T) {
	t.Parallel()
	frame := func(body string) []byte {
		e := events.APIGatewayWebsocketProxyRequest{Body: body, IsBase64Encoded: true}
		e.RequestContext.EventType, e.RequestContext.ConnectionID = "MESSAGE", "c"
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	l := &listener{}
	if a := l.event(t, frame("eyJ0eXBlIjoicGluZyJ9")); a.StatusCode != http.StatusOK || l.told[0].Data != `{"type":"ping"}` {
		t.Errorf("%+v, told %+v", a, l.told)
	}
	if a := l.event(t, frame("%")); a.StatusCode != http.StatusBadRequest || len(l.told) != 1 {
		t.Errorf("%+v, told %+v", a, l.told)
	}
	if _, err := Socket(l).Invoke(t.Context(), []byte("[")); err == nil {
		t.Error("what is no event was taken")
	}
}
