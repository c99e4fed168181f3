// Package exchange makes requests of providers as all of them need it: each is tried once,
// follows no redirect, which would take keys and messages elsewhere, reads no more of the
// answer than was asked for, and has errors that name no address, since addresses hold keys
// and phone numbers.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes one exchange by a copy of client, nil being one with Go's defaults. An answer
// whose body cannot be read, or is longer than most bytes, is an error that leaves its
// status.
func Do(client *http.Client, req *http.Request, most int64) (Answer, error) {
	hc := http.Client{}
	if client != nil {
		hc = *client
	}
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := hc.Do(req)
	if err != nil {
		return Answer{}, WithoutURL(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("the answer is longer than %d bytes", most)
	}
	if err != nil {
		return Answer{Status: resp.StatusCode}, err
	}
	return Answer{resp.StatusCode, resp.Header, body}, nil
}

// WithoutURL takes off what net/http puts around errors.
func WithoutURL(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}

// Departure records whether a request can have reached anybody.
type Departure struct{ began, wrote atomic.Bool }

// Watch returns a context for the request that is watched. A transport that does not trace
// is not seen.
func (d *Departure) Watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { d.began.Store(true) },
		WroteHeaders: func() { d.wrote.Store(true) },
	})
}

// Never reports whether the request was seen not to leave: there was no connection.
func (d *Departure) Never() bool { return d.began.Load() && !d.wrote.Load() }

// MaxWait bounds what a server may ask for.
const MaxWait = 24 * time.Hour

// RetryAfter reads the header in both of its forms (RFC 9110 §10.2.3), and in the fractions of a second that some servers send.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if !(seconds > 0) { // NaN neither
			return 0
		}
		return time.Duration(min(seconds, MaxWait.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), MaxWait)
	}
	return 0
}

// IsURL reports whether address is an absolute http address.
func IsURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
