package request

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"merve/internal/agent/once"
	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/audit"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/callconsent"
	"merve/internal/matter/discovery"
	"merve/internal/matter/quote"
	"merve/internal/matter/vendor"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
)

// Broker carries out what is asked of it about requests, by models, programs and the desk. Safe for concurrent use.
type Broker struct {
	Store   *Store
	Vendors *vendor.Store
	Markets interface {
		Get(ctx context.Context, id string) (*market.Market, error)
	}
	Threads interface {
		Head(ctx context.Context, id string) (thread.Head, error)
		Heads(ctx context.Context, ids ...string) ([]thread.Head, error)
		Said(ctx context.Context, id, message string) (m thread.Message, ok bool, err error)
		LinesBefore(ctx context.Context, id, before string, limit int) ([]thread.Line, string, error)
		MayWrite(id string, r thread.Reach, refused func(thread.Why) error) dynamo.Write
		HeadWith(ctx context.Context, id, message string) (thread.Head, bool, error)
	}
	Outbox *outbox.Box
	Roster *roster.Book
	Bounds *bound.Book       // on what one client may send; nil sets no bound
	Parser *quote.Parser     // reads vendors' answers; nil leaves them as they are
	Finder *discovery.Finder // looks outside of the catalogue; nil does not
	Phone  callconsent.Phone // calls clients; nil calls nobody
	Sender string            // WhatsApp number of the account, for markets without one of their own
	Alerts interface {
		Raise(ctx context.Context, a alert.Alert, ws ...dynamo.Write) error
	}
	NewID func() string
	Log   *slog.Logger
}

// Meta is what comes with every call.
type Meta struct {
	Request   string `json:"request_id"`
	Key       string `json:"idempotency_key"`
	Actor     string `json:"actor"`
	Timestamp string `json:"timestamp"`
}

// Who makes a call, by what they say.
const (
	Moltbot = "moltbot" // a model
	System  = "system"  // one of our programs
	Admin   = "admin"   // a person at the desk
)

// Clock is how far a caller's clock may be off.
const Clock = 5 * time.Minute

// keyForm is "request:{id}:hash:{content hash}". The hash is the caller's: to say the same twice, a caller puts
// something else into it.
var keyForm = pattern.New(`^request:([a-z0-9_]+):hash:[A-Za-z0-9_.-]{1,128}$`)

// Key is the key of a call about a request, made of what tells it from others.
func Key(request, hash string) string { return "request:" + request + ":hash:" + hash }

// check holds a call's meta to its form.
func (m Meta) check(now time.Time) error {
	form := keyForm.Regexp().FindStringSubmatch(m.Key)
	at, err := time.Parse(time.RFC3339, m.Timestamp)
	switch {
	case m.Request == "":
		return fault.Field("meta.request_id", "missing")
	case form == nil:
		return fault.Field("meta.idempotency_key", "want request:{id}:hash:{content_hash}")
	case form[1] != m.Request:
		return fault.Field("meta.idempotency_key", "is the key of another request")
	case m.Actor != Moltbot && m.Actor != System && m.Actor != Admin:
		return fault.Field("meta.actor", "want moltbot, system or admin")
	case err != nil:
		return fault.Field("meta.timestamp", "want a time as in RFC 3339")
	case at.Sub(now).Abs() > Clock:
		return fault.Field("meta.timestamp", "more than %d minutes off: it is %s here", int(Clock.Minutes()), now.UTC().Format(time.RFC3339))
	}
	return nil
}

// Call is one call of a tool.
type Call struct {
	Tool  string
	Meta  Meta
	Input json.RawMessage // without the meta
	By    actor.Actor     // the caller
	Owner *actor.Actor    // whose the request has to be; nil is anybody's

	// InTurn is set for a call of a model in a turn of the client's thread, which puts questions itself.
	InTurn *InTurn
}

// InTurn is where a model calls.
type InTurn struct {
	Thread  string
	Channel channel.Channel
}

// Answer is what a call is answered with.
type Answer struct {
	Output  json.RawMessage
	Success bool
	Cached  bool
	Offer   *Question // to be put to the client by the turn in which the call was made
}

// outcome is what an operation comes to.
type outcome struct {
	output any
	keeps  any            // what is kept of the output; nil is all of it
	failed string         // why a gate refuses; "" is success
	writes []dynamo.Write // the effect
	offer  *Question
}

// operation is what a tool does.
type operation struct {
	effect  tool.Effect // a call that only reads is not cached, and done each time
	outside bool        // asks somebody outside before it commits: its intent is written first, and it is done once
	run     func(ctx context.Context, c *call) (outcome, error)

	// reserve are the writes with which the intent is written, for an operation that asks outside. An [unbegun], as an
	// error or as that of a write, ends the call before it has begun.
	reserve func(ctx context.Context, c *call) ([]dynamo.Write, error)
	// show fills in what is not kept of an answer that is given again.
	show func(ctx context.Context, c *call, kept json.RawMessage) (json.RawMessage, error)
}

// reads reports whether an operation may be done any number of times.
func (o operation) reads() bool { return o.effect == tool.Read && !o.outside }

// call is a call that is carried out.
type call struct {
	Call
	view   View
	market *market.Market
	trace  string
	now    time.Time
	reads  bool // see [once.Call]
	open   bool

	search *searching // what is looked for, read before the call begins
	mapped *mapping
}

// ErrNoTool is the answer for a tool that there is not.
var ErrNoTool = fault.New(fault.NotFound, "no such tool")

// Do carries out a call. A refusal of a gate is an answer without success; bad input and foreign ids are
// errors. Both are audited, if the request exists and is the caller's to see.
func (b *Broker) Do(ctx context.Context, in Call) (Answer, error) {
	name, op, ok := b.find(in.Tool)
	if !ok {
		return Answer{}, ErrNoTool
	}
	in.Tool = name
	if err := in.Meta.check(b.Store.now()); err != nil {
		return Answer{}, err
	}
	return dynamo.Retry(ctx, b.Store.Table.DB(), once.ErrAnswered, func() (Answer, error) { return b.try(ctx, in, op) })
}

// keyed are what calls of tools were answered under their keys.
func (b *Broker) keyed() once.Book {
	s := b.Store
	return once.Book{Table: s.Table, Subject: partition(""), Kind: callKind, Log: s.Log(), NewID: b.NewID, Now: s.now, Keep: keepFor}
}

// once is the call as its key knows it.
func (c *call) once() once.Call {
	return once.Call{
		Subject: c.view.ID, Version: c.view.Version, Tool: c.Tool, Actor: c.Meta.Actor, Key: c.Meta.Key, Input: c.Input, At: c.now,
		Reads: c.reads, Open: c.open,
	}
}

// try carries out a call whose key was not used before. [once.ErrAnswered] says that it has been meanwhile.
func (b *Broker) try(ctx context.Context, in Call, op operation) (Answer, error) {
	c, err := b.open(ctx, in)
	if err != nil {
		return Answer{}, err
	}
	if c.Input, err = audit.Canonical(in.Input); err != nil {
		return Answer{}, err
	}
	if c.reads = op.reads(); !c.reads {
		before, err := b.before(ctx, c, op)
		switch {
		case errors.Is(err, once.ErrKey):
			return Answer{}, b.keyed().Fail(ctx, c.once(), err, c.trace)
		case err != nil:
			return Answer{}, err
		case before != nil:
			return *before, nil
		}
		if op.outside {
			refused, err := b.begin(ctx, c, op)
			switch {
			case refused != nil:
				return b.finish(ctx, c, refused.outcome)
			case errors.Is(err, once.ErrAnswered) || fault.Retryable(err):
				return Answer{}, err
			case err != nil:
				return Answer{}, b.keyed().Fail(ctx, c.once(), err, c.trace)
			}
		}
	}
	return latest(ctx, b.Store, &c.view, func() (Answer, error) {
		a, err := b.carryOut(ctx, c, op)
		if errors.Is(err, vendor.ErrAsked) {
			err = fmt.Errorf("%w: %w", ErrChanged, err)
		}
		return a, err
	})
}

// before is what the key of a call was answered before, as it is shown now; nil is nothing.
func (b *Broker) before(ctx context.Context, c *call, op operation) (*Answer, error) {
	k, err := b.keyed().Before(ctx, c.once())
	if k == nil || err != nil {
		return nil, err
	}
	a := Answer{Output: json.RawMessage(k.Output), Success: true, Cached: true}
	if k.Offer != "" && c.InTurn != nil && c.view.Offer != nil { // a turn that died after the call has not put its question
		if q := c.view.question(); q.Hash == k.Offer {
			a.Offer = q
		}
	}
	if op.show != nil {
		if a.Output, err = op.show(ctx, c, a.Output); err != nil {
			return nil, err
		}
	}
	return &a, b.keyed().Again(ctx, c.once(), *k, a.Output)
}

// begin writes down that a call is about to do something outside, with what it reserves. An [unbegun] says that it may not.
func (b *Broker) begin(ctx context.Context, c *call, op operation) (*unbegun, error) {
	var reserved []dynamo.Write
	var refused unbegun
	var err error
	if op.reserve != nil {
		reserved, err = op.reserve(ctx, c)
	}
	if err == nil {
		err = b.keyed().Begin(ctx, c.once(), reserved...)
	}
	c.open = err == nil
	if errors.As(err, &refused) {
		return &refused, nil
	}
	return nil, err
}

// carryOut does what a call asks for. [ErrChanged] says that the request is another by now.
func (b *Broker) carryOut(ctx context.Context, c *call, op operation) (Answer, error) {
	out, err := op.run(ctx, c)
	switch {
	case errors.Is(err, ErrChanged), err != nil && fault.Retryable(err):
		return Answer{}, err
	case err != nil:
		return Answer{}, b.keyed().Fail(ctx, c.once(), err, c.trace)
	}
	if c.Meta.Actor == Moltbot {
		out.output = tool.ForModels(out.output)
	}
	return b.finish(ctx, c, out)
}

// finish commits what a call does, what it is answered and its record, all or nothing.
func (b *Broker) finish(ctx context.Context, c *call, out outcome) (Answer, error) {
	raw, err := json.Marshal(out.output)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", c.Tool, err)
	}
	o := once.Outcome{Output: raw, Keeps: raw, Failed: out.failed, Writes: out.writes}
	if out.keeps != nil {
		if o.Keeps, err = json.Marshal(out.keeps); err != nil {
			return Answer{}, fmt.Errorf("%s: %w", c.Tool, err)
		}
	}
	if out.offer != nil {
		o.Offer = out.offer.Hash
	}
	if err := b.keyed().Finish(ctx, c.once(), o); err != nil {
		return Answer{}, err
	}
	return Answer{Output: raw, Success: out.failed == "", Offer: out.offer}, nil
}

// open reads what a call is about.
func (b *Broker) open(ctx context.Context, in Call) (*call, error) {
	view, err := b.view(ctx, in)
	if err != nil {
		return nil, err
	}
	m, err := b.Markets.Get(ctx, view.Market)
	if err != nil {
		return nil, fmt.Errorf("market of request %s: %w", view.ID, err)
	}
	return &call{Call: in, view: view, market: m, trace: telemetry.TraceID(ctx), now: b.Store.now()}, nil
}

func (b *Broker) view(ctx context.Context, in Call) (View, error) {
	v, err := b.Store.View(ctx, in.Meta.Request)
	if err != nil {
		return View{}, err
	}
	if in.Owner != nil {
		return b.Store.Of(ctx, *in.Owner, v.Market, v.ID)
	}
	return v, nil
}
