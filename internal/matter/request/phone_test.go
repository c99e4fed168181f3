package request_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/callconsent"
	. "merve/internal/matter/request"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

const (
	deskPhone   = "+35722000001"
	clientPhone = "+35799000001"
)

// exchange is a provider of calls that does what it is told to.
type exchange struct {
	mu    sync.Mutex
	now   func() time.Time
	rings []callconsent.Ring
	at    []time.Time
	legs  map[string][2]callconsent.Leg
	ended []string                   // calls that were hung up
	fails []func(taken func()) error // how the next rings go wrong
	lag   time.Duration              // how long a call is missing from the list
}

func (x *exchange) Ring(_ context.Context, r callconsent.Ring) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	take := func() {
		x.rings, x.at = append(x.rings, r), append(x.at, x.now())
	}
	if len(x.fails) > 0 {
		fail := x.fails[0]
		x.fails = x.fails[1:]
		if err := fail(take); err != nil {
			return "", err
		}
	}
	take()
	return x.id(len(x.rings)), nil
}

func (*exchange) id(n int) string { return fmt.Sprintf("CA%032d", n) }

func (x *exchange) Find(_ context.Context, from, to string, since time.Time) (ids []string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, r := range x.rings {
		if r.From == from && r.To == to && !x.at[i].Before(since) && x.now().Sub(x.at[i]) >= x.lag {
			ids = append(ids, x.id(i+1))
		}
	}
	return ids, nil
}

func (x *exchange) Legs(_ context.Context, _, id string) (desk, client callconsent.Leg, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	legs := x.legs[id]
	return legs[0], legs[1], nil
}

func (x *exchange) HangUp(_ context.Context, _, id string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = append(x.ended, id)
	legs := x.legs[id]
	legs[0] = callconsent.LegCompleted
	if legs[1] == callconsent.LegRinging {
		legs[1] = callconsent.LegUnanswered
	}
	x.legs[id] = legs
	return nil
}

// leg is how far the halves of a call are.
func (x *exchange) leg(id string) [2]callconsent.Leg {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.legs[id]
}

// becomes moves the halves of a call on.
func (x *exchange) becomes(id string, desk, client callconsent.Leg) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.legs[id] = [2]callconsent.Leg{desk, client}
}

// rang are the calls so far.
func (x *exchange) rang() []callconsent.Ring {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.rings)
}

// unclear is a ring of which nobody knows whether it was taken.
func unclear(taken bool) func(func()) error {
	return func(take func()) error {
		if taken {
			take()
		}
		return &callconsent.RingError{Unclear: true, Reason: "no answer"}
	}
}

// raised are the alerts of a yard.
type raised struct {
	mu  sync.Mutex
	all []string
}

func (r *raised) Raise(_ context.Context, a alert.Alert, _ ...dynamo.Write) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, a.Check+" "+a.Subject)
	return nil
}

// callable is a request of a client with a number, in a market whose desk has a telephone.
func (y *yard) callable(name string) Request {
	y.t.Helper()
	y.market.WhatsApp.From, y.market.Desk.Phone = "+35722000000", deskPhone
	return y.request(name, y.onWhatsApp(phoneOf(name)))
}

// phoneOf is the number of a client.
func phoneOf(name string) string {
	if name == "ann" {
		return clientPhone
	}
	return fmt.Sprintf("+35799%06d", crc32.ChecksumIEEE([]byte(name))%1e6)
}

// onWhatsApp begins a conversation of a client on WhatsApp of whom a request is.
func (y *yard) onWhatsApp(phone string) func(r *Request) {
	y.t.Helper()
	in := y.writtenBy(phone, "1", "hi")
	a, err := y.Threads.(*thread.Store).Append(y.t.Context(), in, false)
	if err != nil {
		y.t.Fatal(err)
	}
	return func(r *Request) { r.Owner, r.Thread = in.From.Key(), a.Thread }
}

// writtenBy is what somebody writes from a number.
func (y *yard) writtenBy(phone, id, text string) channel.Inbound {
	return channel.Inbound{
		Market: y.market.ID, Channel: channel.WhatsApp, ThreadType: channel.General, From: channel.OfNumber(phone), ReplyAddr: phone, MessageID: id, Text: text,
	}
}

// switchboard gives a yard's broker a provider of calls.
func (y *yard) switchboard() *exchange {
	x := &exchange{now: func() time.Time { return y.now }, legs: map[string][2]callconsent.Leg{}}
	y.Phone, y.Alerts = x, &raised{}
	return x
}

// asked asks the client of a request whether they may be called, and returns the consent's id.
func (y *yard) askedToCall(request, key string) string {
	y.t.Helper()
	got := y.do(RequestCallConsent, request, key, `{"request_id":"{id}","scope":"concierge","reason":"the access road is narrow"}`)
	if got["message_sent"] != true || got["state"] != "requested" {
		y.t.Fatalf("asked: %v", got)
	}
	return got["consent_id"].(string)
}

// answers has the client of a request answer what waits there, YES or NO.
func (y *yard) answers(b *Broker, request string, yes bool) error {
	y.t.Helper()
	return y.answersTo(b, y.view(request), yes)
}

// answersTo has the client answer what waited when the request was read.
func (y *yard) answersTo(b *Broker, v View, yes bool) error {
	y.t.Helper()
	p := PendingOf(v, y.market)
	p.ID = "p_1"
	owner := actor.OfKey(v.Owner)
	tc := tool.Context{Actor: owner, Market: y.market, Thread: v.Thread, Channel: channel.App, Language: "en", TimeZone: time.UTC, Now: y.now, TraceID: "t"}
	c := b.Commitments()[p.Kind]
	var settled gate.Settled
	var err error
	if yes {
		settled, err = c.Commit(y.t.Context(), tc, gate.Consent{Pending: p, MessageID: "m1", Actor: owner.Key(), At: y.now})
	} else {
		settled, err = c.Release(y.t.Context(), tc, p)
	}
	if err != nil {
		return err
	}
	if len(settled.Writes) == 0 {
		return fmt.Errorf("%w: %s", errNothing, settled.Text)
	}
	return b.Store.Table.DB().Commit(y.t.Context(), settled.Writes...)
}

// errNothing says that an answer does nothing.
var errNothing = errors.New("nothing was settled")

// granted is a consent that the client of a request has given.
func (y *yard) granted(request string) string {
	y.t.Helper()
	id := y.askedToCall(request, "ask")
	if err := y.answers(y.Broker, request, true); err != nil {
		y.t.Fatal(err)
	}
	return id
}

// start asks for a call, and gives the output.
func (y *yard) start(request, key, consent string) map[string]any {
	y.t.Helper()
	return y.do(StartCall, request, key, `{"consent_id":"`+consent+`"}`)
}

// consent is one of a request as it is now.
func (y *yard) consent(request, id string) callconsent.Consent {
	y.t.Helper()
	for _, c := range y.view(request).Consents {
		if c.ID == id {
			return c
		}
	}
	y.t.Fatalf("no consent %s", id)
	return callconsent.Consent{}
}

// place is where the n-th attempt of a consent is kept, counted from 1.
func (y *yard) place(request, consent string, n int) callconsent.Place {
	y.t.Helper()
	return callconsent.Place{Request: request, Consent: consent, Attempt: y.consent(request, consent).Attempts[n-1].ID}
}

// connect has the desk answer.
func (y *yard) connect(at callconsent.Place, call string) (callconsent.Connection, bool) {
	y.t.Helper()
	to, ok, err := y.Calls().Connect(y.t.Context(), at, call)
	if err != nil {
		y.t.Fatal(err)
	}
	return to, ok
}

// heard has the provider report.
func (y *yard) heard(at callconsent.Place, r callconsent.Report) {
	y.t.Helper()
	if err := y.Calls().Heard(y.t.Context(), at, r); err != nil {
		y.t.Fatal(err)
	}
}

// stops has the client of a request write STOP, and START after it.
func (y *yard) stops(request string, andStarts bool) {
	y.t.Helper()
	v := y.view(request)
	table := y.Threads.(*thread.Store).Table
	update := "SET optOut = :yes, stopAt = :now"
	vals := dynamo.V{":yes": true, ":now": y.now}
	if andStarts {
		update, vals = "SET stopAt = :now REMOVE optOut", dynamo.V{":now": y.now}
	}
	if err := table.DB().Commit(y.t.Context(), table.Update(dynamo.Key{PK: v.Thread, SK: "~"}, update, vals)); err != nil {
		y.t.Fatal(err)
	}
}

// between has something happen each time that a process has read what it is about to rely on, before it commits.
type between struct {
	*thread.Store
	do func()
}

func (b between) MayWrite(id string, r thread.Reach, refused func(thread.Why) error) dynamo.Write {
	b.do()
	return b.Store.MayWrite(id, r, refused)
}

// wants holds an answer to what it has to be.
func wants(t *testing.T, what string, got map[string]any, success bool, words string) {
	t.Helper()
	said, _ := got["error"].(string)
	if got["success"] != success || words != "" && !contains(said, words) {
		t.Errorf("%s: %v, want success %v and %q", what, got, success, words)
	}
}
