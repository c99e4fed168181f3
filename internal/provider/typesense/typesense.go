// Package typesense finds listings with a Typesense server and keeps that server's index of them, using
// Typesense's own client. https://typesense.org/docs/
//
// A market has one collection, reached by the alias {prefix}{market}. [Client.Find] searches it and
// replaces the index in memory. [Indexer.Changed] copies a changed listing
// into it, and [Indexer.Reindex] rebuilds it while searches go on.
//
// Words are compared in the form that package listing gives them, with synonyms, so
// Typesense needs to know no language. A customer's text reaches it without any character
// that could be an operator, in the body of a request, and filters are quoted.
//
// Without address or key every call is [ErrOff]. Every request here is safe to repeat, and is
// repeated if there is no answer, or only a 5xx or 429. The key travels in a
// header, and errors contain neither the key nor searches.
//
// A search costs 1 request to Typesense, 2 if no listing has all of its words, and none to
// DynamoDB. A change costs 1 for the aliases and 1 for each collection that the market has (one,
// two during a re-index), and 2 reads of the listing. A re-index reads the market's listings
// twice (one request for each megabyte), and sends Typesense 11 requests, 1 more for each 200
// listings, and those of a change for each listing that changes meanwhile.
package typesense

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	library "github.com/typesense/typesense-go/v3/typesense"
	"github.com/typesense/typesense-go/v3/typesense/api"

	"merve/internal/base/fault"
	"merve/internal/base/pause"
	"merve/internal/cloud/exchange"
)

const (
	defaultTimeout = 3 * time.Second
	maxAnswer      = 16 << 20 // bytes of an answer that are read

	findTries  = 2 // somebody waits, and there is an index in memory to do without
	writeTries = 4
	writeTime  = 5 // times the time-out of a search
)

var (
	// ErrOff is every call's error while there is no server.
	ErrOff = fault.New(fault.Unavailable, "the search engine is off: TYPESENSE_URL or TYPESENSE_API_KEY is not set")

	// ErrNoIndex is the error of a search in a market that has not been indexed.
	ErrNoIndex = fault.New(fault.Unavailable, "the search engine has no index of the market: re-index it")
)

// Client asks a Typesense server. Its methods may be called at the same time.
type Client struct {
	URL     string                                    // such as https://x.a1.typesense.net; "" is [ErrOff]
	Key     func(ctx context.Context) (string, error) // an API key; "" or nil is [ErrOff]
	Prefix  string                                    // of the names of aliases and collections, for a server with other guests
	HTTP    *http.Client                              // nil is one with Go's defaults
	Timeout time.Duration                             // of one attempt at a search; 0 is 3 s. Writes have five times as much
	Backoff pause.Backoff                             // nil: at most 200 ms after the first attempt, 2 s after later ones
}

// alias returns the alias that searches of a market use.
func (c *Client) alias(market string) string { return c.Prefix + market }

// reader and writer return the library's client: reader for requests that somebody waits for, writer for the index.
func (c *Client) reader(ctx context.Context) (*library.Client, error) {
	return c.open(ctx, attempts{c, findTries, cmp.Or(c.Timeout, defaultTimeout)})
}

func (c *Client) writer(ctx context.Context) (*library.Client, error) {
	return c.open(ctx, attempts{c, writeTries, writeTime * cmp.Or(c.Timeout, defaultTimeout)})
}

func (c *Client) open(ctx context.Context, a attempts) (*library.Client, error) {
	key := ""
	if c.Key != nil {
		var err error
		if key, err = c.Key(ctx); err != nil {
			return nil, fmt.Errorf("typesense: the key: %w", err)
		}
	}
	switch {
	case c.URL == "" || key == "":
		return nil, ErrOff
	case !exchange.IsURL(c.URL):
		return nil, errors.New("typesense: TYPESENSE_URL is not an address")
	}
	raw, err := api.NewClientWithResponses(c.URL, api.WithAPIKey(key), api.WithHTTPClient(a))
	if err != nil {
		return nil, errors.New("typesense: TYPESENSE_URL is not an address") // the cause quotes it
	}
	return library.NewClient(library.WithAPIClient(raw)), nil
}

// attempts makes the library's requests.
type attempts struct {
	client  *Client
	tries   int
	timeout time.Duration // of each
}

// Do tries a request until there is an answer that is one.
func (a attempts) Do(req *http.Request) (*http.Response, error) {
	backoff := a.client.Backoff
	if backoff == nil {
		backoff = pause.Exponential(200*time.Millisecond, 2*time.Second)
	}
	for n := 1; ; n++ {
		got, err := a.once(req)
		if n == a.tries || err == nil && got.Status < 500 && got.Status != http.StatusTooManyRequests {
			return response(req, got), err
		}
		if err := pause.For(req.Context(), backoff(n)); err != nil {
			return nil, err
		}
	}
}

func (a attempts) once(req *http.Request) (exchange.Answer, error) {
	ctx, cancel := context.WithTimeout(req.Context(), a.timeout)
	defer cancel()
	again := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return exchange.Answer{}, err
		}
		again.Body = body
	}
	return exchange.Do(a.client.HTTP, again, maxAnswer)
}

func response(req *http.Request, got exchange.Answer) *http.Response {
	return &http.Response{
		Status: http.StatusText(got.Status), StatusCode: got.Status, Header: got.Header,
		Body: io.NopCloser(bytes.NewReader(got.Body)), Request: req,
	}
}

// status returns the HTTP status of a refusal; 0 if err is not one.
func status(err error) int {
	var refused *library.HTTPError
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// missing reports whether the requested resource does not exist.
func missing(err error) bool { return status(err) == http.StatusNotFound }

// failure turns an error of the library into our own. It leaves out Typesense's words: they may
// quote the request. https://typesense.org/docs/latest/api/api-errors.html
func failure(err error, format string, args ...any) error {
	doing := "typesense: " + fmt.Sprintf(format, args...)
	switch code := status(err); {
	case err == nil:
		return nil
	case errors.Is(err, ErrNoIndex):
		return fmt.Errorf("%s: %w", doing, err)
	case code == 0:
		return fmt.Errorf("%s: %w", doing, fault.Wrap(err, fault.Unavailable, "the search engine gave no answer"))
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return fmt.Errorf("%s: HTTP %d: %w", doing, code, fault.New(fault.Internal, "the search engine refuses the key"))
	case code == http.StatusTooManyRequests:
		return fmt.Errorf("%s: HTTP %d: %w", doing, code, fault.New(fault.Limited, "the search engine is asked too often"))
	case code >= 400 && code < 500:
		return fmt.Errorf("%s: HTTP %d: %w", doing, code, fault.New(fault.Internal, "the search engine refuses the request"))
	default: // 5xx, or the page of a proxy with any status
		return fmt.Errorf("%s: HTTP %d: %w", doing, code, fault.New(fault.Unavailable, "the search engine is away"))
	}
}
