package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/coder/websocket"

	"merve/internal/base/telemetry"
	"merve/internal/spine/live"
)

// The gateway's bounds.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
const (
	longestMessage    = 128 << 10
	longestConnection = 2 * time.Hour
	longestSilence    = 10 * time.Minute
)

// Sockets is an API Gateway WebSocket API on one machine: the function is asked whether a client may connect, told
// of each message, one at a time for each connection, and of the end. It implements [live.Poster].
type Sockets struct {
	Function Function // takes the events; set before the first connection
	Now      func() time.Time
	NewID    func() string
	Log      *slog.Logger

	mu   sync.Mutex
	open map[string]*websocket.Conn
}

// ServeHTTP connects a client.
func (s *Sockets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := s.NewID()
	if status, body, err := s.invoke(r.Context(), r, id, "CONNECT", nil); err != nil || status != http.StatusOK {
		if err != nil {
			status, body = http.StatusInternalServerError, err.Error()
		}
		http.Error(w, body, status)
		return
	}
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{OriginPatterns: []string{"*"}}) // as the gateway, which asks for no origin
	if err != nil {
		s.end(r, id)
		return
	}
	c.SetReadLimit(longestMessage)
	s.mu.Lock()
	if s.open == nil {
		s.open = map[string]*websocket.Conn{}
	}
	s.open[id] = c
	s.mu.Unlock()
	defer s.end(r, id)
	ctx, cancel := context.WithTimeout(r.Context(), longestConnection)
	defer cancel()
	for {
		data, err := s.read(ctx, c)
		if err != nil {
			return
		}
		if status, _, err := s.invoke(ctx, r, id, "MESSAGE", data); err != nil || status >= http.StatusInternalServerError {
			s.Log.WarnContext(ctx, "socket", "status", status, "error", fmt.Sprint(err))
		}
	}
}

func (s *Sockets) read(ctx context.Context, c *websocket.Conn) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, longestSilence)
	defer cancel()
	_, data, err := c.Read(ctx)
	return data, err
}

func (s *Sockets) end(r *http.Request, id string) {
	s.mu.Lock()
	c := s.open[id]
	delete(s.open, id)
	s.mu.Unlock()
	if c != nil {
		_ = c.CloseNow() // it may be closed already
	}
	ctx := context.WithoutCancel(r.Context())
	if _, _, err := s.invoke(ctx, r, id, "DISCONNECT", nil); err != nil {
		s.Log.WarnContext(ctx, "socket", "error", err.Error())
	}
}

// invoke tells the function of an event as the gateway words it.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-mapping-template-reference.html
func (s *Sockets) invoke(ctx context.Context, r *http.Request, id, what string, data []byte) (status int, body string, err error) {
	now := s.Now().UTC()
	route := map[string]string{"CONNECT": "$connect", "DISCONNECT": "$disconnect", "MESSAGE": "$default"}[what]
	e := events.APIGatewayWebsocketProxyRequest{
		Body: string(data),
		RequestContext: events.APIGatewayWebsocketProxyRequestContext{
			ConnectionID: id, EventType: what, RouteKey: route, Stage: "live", APIID: "local", DomainName: r.Host, RequestID: s.NewID(),
			RequestTime: now.Format("02/Jan/2006:15:04:05 -0700"), RequestTimeEpoch: now.UnixMilli(), MessageDirection: "IN",
			Identity: events.APIGatewayRequestIdentity{SourceIP: sourceIP(r), UserAgent: r.UserAgent()},
		},
	}
	if what == "CONNECT" {
		e.Path = r.URL.Path // the gateway tells none: a conversation named by the path is this machine's own
		e.MultiValueHeaders, e.Headers = r.Header.Clone(), map[string]string{}
		e.MultiValueHeaders["X-Forwarded-For"] = []string{forwardedFor(r)}
		for name, values := range e.MultiValueHeaders {
			e.Headers[name] = strings.Join(values, ",")
		}
		e.MultiValueQueryStringParameters, e.QueryStringParameters = r.URL.Query(), map[string]string{}
		for name, values := range r.URL.Query() {
			e.QueryStringParameters[name] = values[len(values)-1]
		}
	}
	payload, err := json.Marshal(e)
	if err != nil {
		return 0, "", err
	}
	out, err := s.Function.Invoke(telemetry.WithTrace(ctx, s.NewID()), payload)
	if err != nil {
		return 0, "", err
	}
	var answer events.APIGatewayProxyResponse
	err = json.Unmarshal(out, &answer)
	return answer.StatusCode, answer.Body, err
}

// Post implements [live.Poster].
func (s *Sockets) Post(ctx context.Context, id string, data []byte) error {
	s.mu.Lock()
	c := s.open[id]
	s.mu.Unlock()
	if c == nil || c.Write(ctx, websocket.MessageText, data) != nil {
		return live.ErrGone
	}
	return nil
}

// Hangup implements [live.Poster].
func (s *Sockets) Hangup(_ context.Context, id string) error {
	s.mu.Lock()
	c := s.open[id]
	s.mu.Unlock()
	if c == nil {
		return live.ErrGone
	}
	return c.Close(websocket.StatusGoingAway, "hung up")
}
