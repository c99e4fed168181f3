package request

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
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
	Roster interface {
		Of(ctx context.Context, market, number string) (roster.Roles, error)
	}
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

	search *searching // what is looked for, read before the call begins
	mapped *mapping
}

// kept is a call as it is stored: what it was answered, or that it has begun.
type kept struct {
	Key       string    `dynamodbav:"key"`
	Tool      string    `dynamodbav:"tool"`
	Actor     string    `dynamodbav:"actor"`
	InputHash string    `dynamodbav:"in"`
	Input     string    `dynamodbav:"input,omitempty"` // of one that has begun
	Output    string    `dynamodbav:"output,omitempty"`
	Offer     string    `dynamodbav:"offer,omitempty"` // hash of the question that the turn was left to put
	Begun     time.Time `dynamodbav:"begun"`
	Open      bool      `dynamodbav:"open,omitempty"`
	DueShard  string    `dynamodbav:"dueShard,omitempty"`
	DueAt     time.Time `dynamodbav:"dueAt"`
	TTL       int64     `dynamodbav:"ttl"`
}

const (
	claimFor = time.Minute // longer than a call may take
	maxTries = 8
)

var (
	errKey    = fault.New(fault.Conflict, "this idempotency key was used for another call: a key is for one tool and one body")
	errBegun  = fault.New(fault.Unavailable, "a call with this key is being carried out")
	errAnswer = errors.New("the call was answered meanwhile")
)

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
	for n := 1; ; n++ {
		a, err := b.try(ctx, in, op)
		if !errors.Is(err, errAnswer) || n == maxTries {
			return a, err
		}
	}
}

// try carries out a call whose key was not used before. errAnswer says that it has been meanwhile.
func (b *Broker) try(ctx context.Context, in Call, op operation) (Answer, error) {
	c, err := b.open(ctx, in)
	if err != nil {
		return Answer{}, err
	}
	input, err := audit.Canonical(in.Input)
	if err != nil {
		return Answer{}, err
	}
	c.Input = input
	hash := audit.Sum(input)
	if !op.reads() {
		before, err := b.before(ctx, c, op, hash)
		switch {
		case errors.Is(err, errKey):
			return Answer{}, b.fail(ctx, c, operation{}, hash, err)
		case err != nil:
			return Answer{}, err
		case before != nil:
			return *before, nil
		}
		if op.outside {
			refused, err := b.begin(ctx, c, op, hash)
			if refused != nil || err != nil {
				return b.refuse(ctx, c, hash, refused, err)
			}
		}
	}
	for n := 1; ; n++ {
		a, err := b.carryOut(ctx, c, op, hash)
		if !errors.Is(err, ErrChanged) && !errors.Is(err, vendor.ErrAsked) || n == maxTries {
			return a, err
		}
		if c.view, err = b.Store.View(ctx, c.view.ID); err != nil {
			return Answer{}, err
		}
	}
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

// carryOut does what a call asks for. [ErrChanged] says that the request is another by now.
func (b *Broker) carryOut(ctx context.Context, c *call, op operation, hash string) (Answer, error) {
	out, err := op.run(ctx, c)
	switch {
	case errors.Is(err, ErrChanged), err != nil && fault.Retryable(err):
		return Answer{}, err
	case err != nil:
		return Answer{}, b.fail(ctx, c, op, hash, err)
	}
	if c.Meta.Actor == Moltbot {
		out.output = tool.ForModels(out.output)
	}
	return b.finish(ctx, c, op, hash, out)
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

// before is what the key of a call was answered before; nil is nothing. A call that has begun and was never
// finished is closed as unclear, and may then be tried again.
func (b *Broker) before(ctx context.Context, c *call, op operation, hash string) (*Answer, error) {
	it, err := b.Store.Table.Get(ctx, callKey(c.view.ID, c.Meta.Key))
	if err != nil || it == nil {
		return nil, err
	}
	var k kept
	if err := it.Decode(&k); err != nil {
		return nil, err
	}
	switch {
	case k.Tool != c.Tool || k.InputHash != hash:
		return nil, errKey
	case k.Open && c.now.Sub(k.Begun) < claimFor:
		return nil, errBegun
	case k.Open:
		return nil, b.close(ctx, c.view.ID, k)
	}
	a := Answer{Output: json.RawMessage(k.Output), Success: true, Cached: true, Offer: c.stillToAsk(k)}
	if op.show != nil {
		if a.Output, err = op.show(ctx, c, a.Output); err != nil {
			return nil, err
		}
	}
	r := c.record(b.NewID(), hash, a.Output, "", 0)
	if err := b.Store.Table.DB().Commit(ctx, b.Store.Log().Writes(r, audit.Body{Input: string(c.Input), Output: k.Output})...); err != nil {
		return nil, fmt.Errorf("audit of %s: %w", c.Tool, err)
	}
	return &a, nil
}

// stillToAsk is the question that a call has left to its turn, if the request still waits for the answer. A turn that
// died after the call has not put it.
func (c *call) stillToAsk(k kept) *Question {
	if k.Offer == "" || c.InTurn == nil || c.view.Offer == nil {
		return nil
	}
	if q := c.view.question(); q.Hash == k.Offer {
		return q
	}
	return nil
}

// begin writes down that a call is about to do something outside, with what it reserves. An [unbegun] says that it may not.
func (b *Broker) begin(ctx context.Context, c *call, op operation, hash string) (*unbegun, error) {
	var reserved []dynamo.Write
	var refused unbegun
	if op.reserve != nil {
		var err error
		if reserved, err = op.reserve(ctx, c); err != nil {
			if errors.As(err, &refused) {
				return &refused, nil
			}
			return nil, err
		}
	}
	due := c.now.Add(claimFor)
	k := kept{
		Key: c.Meta.Key, Tool: c.Tool, Actor: c.Meta.Actor, InputHash: hash, Input: string(c.Input), Begun: c.now, Open: true,
		DueShard: dynamo.DueShard(callKind, c.view.ID), DueAt: due, TTL: c.now.Add(keepFor).Unix(),
	}
	ws := append([]dynamo.Write{b.Store.Table.Put(callKey(c.view.ID, c.Meta.Key), k).IfAbsent().Else(errAnswer)}, reserved...)
	err := b.Store.Table.DB().Commit(ctx, ws...)
	switch {
	case errors.As(err, &refused):
		return &refused, nil
	case err != nil && !errors.Is(err, errAnswer):
		return nil, fmt.Errorf("begin %s: %w", c.Tool, err)
	}
	return nil, err
}

// refuse answers a call that has not begun.
func (b *Broker) refuse(ctx context.Context, c *call, hash string, refused *unbegun, err error) (Answer, error) {
	switch {
	case refused != nil:
		return b.finish(ctx, c, operation{}, hash, refused.outcome)
	case errors.Is(err, errAnswer) || fault.Retryable(err):
		return Answer{}, err
	}
	return Answer{}, b.fail(ctx, c, operation{}, hash, err)
}

// close ends a call that has begun and of whose end nothing is known.
func (b *Broker) close(ctx context.Context, request string, k kept) error {
	r := audit.Record{
		ID: audit.ID(k.Begun, 0, ident.Digest(k.Key+audit.Stamp(k.Begun))), Request: request, Tool: k.Tool, Actor: k.Actor, Key: k.Key, InputHash: k.InputHash, OutputHash: audit.Sum([]byte("null")),
		DurationMS: b.Store.now().Sub(k.Begun).Milliseconds(), Error: audit.Unclear, CreatedAt: audit.Stamp(k.Begun),
	}
	ws := append(b.Store.Log().Writes(r, audit.Body{Input: k.Input, Output: "null"}),
		b.Store.Table.Delete(callKey(request, k.Key)).If("#open = :yes AND begun = :begun", dynamo.V{":yes": true, ":begun": k.Begun}).Else(errAnswer))
	err := b.Store.Table.DB().Commit(ctx, ws...)
	if err != nil && !errors.Is(err, errAnswer) {
		return fmt.Errorf("close call of %s: %w", request, err)
	}
	return err
}

// finish commits what a call does, what it is answered and its record, all or nothing.
func (b *Broker) finish(ctx context.Context, c *call, op operation, hash string, out outcome) (Answer, error) {
	raw, err := json.Marshal(out.output)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", c.Tool, err)
	}
	keeps := raw
	if out.keeps != nil {
		if keeps, err = json.Marshal(out.keeps); err != nil {
			return Answer{}, fmt.Errorf("%s: %w", c.Tool, err)
		}
	}
	success := out.failed == ""
	var ws []dynamo.Write // the key comes first: a caller who is too late has to learn that, and not what the effect ran into
	key := callKey(c.view.ID, c.Meta.Key)
	switch {
	case op.reads():
	case success:
		k := kept{Key: c.Meta.Key, Tool: c.Tool, Actor: c.Meta.Actor, InputHash: hash, Output: string(keeps), Begun: c.now, TTL: c.now.Add(keepFor).Unix()}
		if out.offer != nil {
			k.Offer = out.offer.Hash
		}
		ws = append(ws, ended(b.Store.Table.Put(key, k), op, c))
	case op.outside:
		ws = append(ws, ended(b.Store.Table.Delete(key), op, c))
	}
	ws = append(ws, out.writes...)
	r := c.record(b.NewID(), hash, raw, out.failed, b.Store.now().Sub(c.now))
	ws = append(ws, b.Store.Log().Writes(r, audit.Body{Input: string(c.Input), Output: string(keeps)})...)
	if err := b.Store.Table.DB().Commit(ctx, ws...); err != nil {
		return Answer{}, fmt.Errorf("%s of request %s: %w", c.Tool, c.view.ID, err)
	}
	return Answer{Output: raw, Success: success, Offer: out.offer}, nil
}

// ended is the condition of the write that ends a call: nobody else has, and what has begun is still this call.
func ended(w dynamo.Write, op operation, c *call) dynamo.Write {
	if op.outside {
		return w.If("#open = :open AND begun = :mine", dynamo.V{":open": true, ":mine": c.now}).Else(errAnswer)
	}
	return w.IfAbsent().Else(errAnswer)
}

// fail records a call that ends in an error, and returns the error.
func (b *Broker) fail(ctx context.Context, c *call, op operation, hash string, cause error) error {
	p := fault.ProblemOf(cause, c.trace)
	raw := mustJSON(p)
	r := c.record(b.NewID(), hash, raw, p.Detail, b.Store.now().Sub(c.now))
	if r.Error == "" {
		r.Error = p.Title
	}
	ws := b.Store.Log().Writes(r, audit.Body{Input: string(c.Input), Output: string(raw)})
	if op.outside {
		ws = append(ws, ended(b.Store.Table.Delete(callKey(c.view.ID, c.Meta.Key)), op, c))
	}
	if err := b.Store.Table.DB().Commit(ctx, ws...); err != nil {
		return errors.Join(cause, fmt.Errorf("audit of %s: %w", c.Tool, err))
	}
	return cause
}

// record is the audit record of a call.
func (c *call) record(id, inputHash string, output json.RawMessage, failed string, took time.Duration) audit.Record {
	return audit.Record{
		ID: audit.ID(c.now, c.view.Version, id), Request: c.view.ID, Tool: c.Tool, Actor: c.Meta.Actor, Key: c.Meta.Key,
		InputHash: inputHash, OutputHash: audit.HashOf(output), Success: failed == "", DurationMS: took.Milliseconds(), Error: failed, CreatedAt: audit.Stamp(c.now),
	}
}
