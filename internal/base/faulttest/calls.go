// Package faulttest makes calls to a store or a provider fail: at every place where they
// can, in every way that they do, and wants what happens afterwards to be what happens
// without.
//
// [Calls] stands between the clients of one process and their servers. It counts, and
// makes the calls fail that it was told. [Everywhere] runs a scenario once without
// faults, which gives the calls that there are and the outcome to reach, and then once for
// each call and each fault. [Pairs] does the same for every two faults.
//
// A scenario does what its product does, gives each step to [Calls.Deliver], which comes
// again as SQS, streams, Twilio and a customer's app do, and returns everything that is
// stored and was sent, without ids and times.
package faulttest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// Transport is how calls of tests go out. It is not [http.DefaultTransport], whose idle connections
// every [net/http/httptest.Server] closes as it ends: a call of another test, whose answer is on its
// way, then fails now and then ("http: CloseIdleConnections called"), and a fault that nobody
// arranged shifts all others.
var Transport http.RoundTripper = http.DefaultTransport.(*http.Transport).Clone()

// At is a fault at the n-th call, counted from 1.
type At struct {
	N     int
	Fault Fault
}

func (a At) String() string { return fmt.Sprintf("%d %s", a.N, a.Fault) }

// Calls are the calls of one process, in order. It is an [http.RoundTripper] and the HTTP
// client of AWS's SDK. Safe for concurrent use.
type Calls struct {
	// Next takes the calls that get through; nil is [Transport].
	Next http.RoundTripper
	// Choose, when set, says what happens to each call in place of the faults that were
	// given; the calls are not remembered.
	Choose func(call string) Fault

	mu    sync.Mutex
	at    []At
	names []string
	met   []At
	dead  bool
}

// With returns calls that meet the faults.
func With(at ...At) *Calls { return &Calls{at: at} }

// RoundTrip makes a call, or has it fail.
func (c *Calls) RoundTrip(r *http.Request) (*http.Response, error) {
	fault, err := c.next(nameOf(r))
	if err != nil {
		closeBody(r)
		return nil, err
	}
	if fault != "" && !fault.reaches() {
		closeBody(r)
		return fault.answer(r)
	}
	next := c.Next
	if next == nil {
		next = Transport
	}
	resp, err := next.RoundTrip(r)
	if fault == "" || err != nil {
		return resp, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	return fault.answer(r)
}

// Do is RoundTrip, under the name that AWS's SDK wants.
func (c *Calls) Do(r *http.Request) (*http.Response, error) { return c.RoundTrip(r) }

// next counts a call and says what happens to it.
func (c *Calls) next(name string) (Fault, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return "", ErrDied
	}
	if c.Choose != nil {
		f := c.Choose(name)
		if !f.Can(name) {
			f = ""
		}
		c.dead = f == DiesBefore || f == DiesAfter
		return f, nil
	}
	c.names = append(c.names, name)
	for _, a := range c.at {
		if a.N != len(c.names) || !a.Fault.Can(name) {
			continue
		}
		c.met = append(c.met, a)
		c.dead = a.Fault == DiesBefore || a.Fault == DiesAfter
		return a.Fault, nil
	}
	return "", nil
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
}

// Names are the calls that were made.
func (c *Calls) Names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.names)
}

// Met are the faults that happened.
func (c *Calls) Met() []At {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.met)
}

// Dead reports whether the process has died.
func (c *Calls) Dead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

// Restart is a new process: calls get through again.
func (c *Calls) Restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = false
}

// maxDeliveries bounds how often something comes again: two faults, and some more.
const maxDeliveries = 6

// Deliver runs step as at-least-once delivery does: it comes again until there is no
// error. Between, in a new process if the old one died, it calls again, which may move the
// clock (nil does nothing).
func (c *Calls) Deliver(t testing.TB, again func(), step func() error) {
	t.Helper()
	var err error
	for range maxDeliveries {
		if err = step(); err == nil && !c.Dead() {
			return
		}
		c.Restart()
		if again != nil {
			again()
		}
	}
	t.Fatalf("delivered %d times: %v", maxDeliveries, err)
}
