package trigger

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"merve/internal/base/fault"
)

// Sockets takes what happens on the connections of a WebSocket API.
type Sockets interface {
	// Connect decides whether a client may connect, by its request. Nothing can be sent to the connection before
	// that has been answered.
	Connect(ctx context.Context, connection string, r *http.Request) error
	Receive(ctx context.Context, connection string, data []byte) error
	Disconnect(ctx context.Context, connection string) error
}

// Socket serves s behind an API Gateway WebSocket API. A client that may not connect is told by the status of its
// request.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-route-keys-connect-disconnect.html
func Socket(s Sockets, opts ...Option) Handler {
	o := with(opts)
	return handlerFunc(func(ctx context.Context, payload []byte) ([]byte, error) {
		var e events.APIGatewayWebsocketProxyRequest
		if err := json.Unmarshal(payload, &e); err != nil {
			return nil, fmt.Errorf("trigger: socket event: %w", err)
		}
		r := connecting(&e)
		ctx = context.WithValue(o.trace(ctx, traceOf(r.Header)), infoKey{}, RequestInfo{
			Stage: e.RequestContext.Stage, SourceIP: e.RequestContext.Identity.SourceIP, RequestID: e.RequestContext.RequestID,
		})
		id := e.RequestContext.ConnectionID
		err := o.guard(ctx, func() error {
			switch e.RequestContext.EventType {
			case "CONNECT":
				return s.Connect(ctx, id, r.WithContext(ctx))
			case "DISCONNECT":
				return s.Disconnect(ctx, id)
			}
			data := []byte(e.Body)
			if e.IsBase64Encoded {
				var err error
				if data, err = base64.StdEncoding.DecodeString(e.Body); err != nil {
					return fault.New(fault.Invalid, "a frame that cannot be read")
				}
			}
			return s.Receive(ctx, id, data)
		})
		answer := events.APIGatewayProxyResponse{StatusCode: http.StatusOK}
		if err != nil {
			message, _ := fault.Public(err)
			answer.StatusCode, answer.Body = fault.HTTPStatus(err), message
			o.log.InfoContext(ctx, "socket", slog.String("event", e.RequestContext.EventType), slog.Any("error", err))
		}
		return json.Marshal(answer)
	})
}

// connecting is the request of a client that connects; of other events it has no more than what is known.
func connecting(e *events.APIGatewayWebsocketProxyRequest) *http.Request {
	query := url.Values{}
	for name, values := range e.MultiValueQueryStringParameters {
		query[name] = values
	}
	for name, v := range e.QueryStringParameters {
		if query[name] == nil {
			query.Set(name, v)
		}
	}
	header := http.Header{}
	for name, values := range e.MultiValueHeaders {
		header[http.CanonicalHeaderKey(name)] = values
	}
	for name, v := range e.Headers {
		if header.Get(name) == "" {
			header.Set(name, v)
		}
	}
	path := "/" + strings.Trim(e.Path, "/")
	return &http.Request{
		Method: http.MethodGet, URL: &url.URL{Path: path, RawQuery: query.Encode()}, Header: header, Body: http.NoBody,
		Host: e.RequestContext.DomainName, RemoteAddr: e.RequestContext.Identity.SourceIP + ":0", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
}
