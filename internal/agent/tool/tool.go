// Package tool holds what a model may ask for: a tool is a declaration (name,
// description, strict JSON schema, effect) and its resolver, registered together.
//
// The model sees declarations only. Arguments are checked against the schema before
// a resolver runs, and [May] decides in one place, for every channel, whether it runs
// at all. Tools whose effect is [Commit] have no way in from a model.
package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/standing"
)

// Effect is what a tool may do.
type Effect string

const (
	Read    Effect = "read"    // looks, changes nothing
	Propose Effect = "propose" // creates a pending action that waits for YES, or changes a draft of the customer's own
	Commit  Effect = "commit"  // touches the world: only behind a confirmation
)

// Tool is a declaration and its resolver.
type Tool struct {
	Name        string
	Description string // written for a model
	Effect      Effect
	Schema      json.RawMessage // strict: every property required, no others
	Listings    bool            // touches listings: a market may allow those of some tags, kinds and prices only
	Draft       bool            // of a Propose: changes what is the customer's own and tells nobody; a market may want it confirmed

	// Acknowledgement tells a model what to say to a caller while the tool runs, such as "say that you are looking
	// up their appointments". A tool with none is run in silence.
	Acknowledgement string

	// Summary says in plain words what a call would do, for a customer asked to
	// confirm it, and refuses what can never be done. Nil tells what is given, see [Tool.Describe].
	Summary func(ctx context.Context, tc Context, args json.RawMessage) (string, error)

	resolve func(ctx context.Context, tc Context, args json.RawMessage) (Result, error)

	arguments *arguments
	err       error
}

// Context is everything that a resolver may know about who asks. None of it comes
// from the model.
type Context struct {
	Actor      actor.Actor
	Market     *market.Market
	Thread     string
	ThreadType channel.ThreadType
	Channel    channel.Channel
	Language   string
	Address    string        // what bounds know the customer's network address by ([bound.Address]); "" if unknown
	Contact    Contact       // as the customer has given it
	Session    Session       // that a live conversation is in
	Turn       int           // number of the turn on its thread
	Location   *geo.Location // shared by the customer
	TimeZone   *time.Location
	Now        time.Time
	TraceID    string
	Key        string // idempotency key: the same effect has the same key, however often it is asked for
}

// Session is a call session of a live conversation. What holds for one holds for no other.
type Session struct {
	ID    string // "" outside a session
	Phone string // the caller's, as they claim it: proof of nothing
}

// Result is what a resolver gives back.
type Result struct {
	Data     any       // what the model sees, as JSON
	Memory   any       // what later turns remember of it; nil remembers nothing
	Proposal *Proposal // put to the customer for YES or NO
	Cards    []Card
	Choices  []channel.Choice // what the customer may choose from, even with an error; if several calls return lists, the last is shown
	Map      *geo.Location

	HandOver *HandOver // gives the thread to a person

	// Done says what a call that waited for a YES has done, as a fact; "" names the action.
	Done string

	// Facts are what the backend knows to be true after this call: kinds of package claim. "sent:Meze House"
	// bears out only that Meze House was told.
	Facts []string

	// Named are things of the customer's own that the call has shown. Where the model names them, the backend
	// words them.
	Named []standing.Item
}

// HandOver is a customer's wish for a person.
type HandOver struct {
	Reason string // for the person
}

// Proposal is a pending action in the making: the turn puts it on the thread.
type Proposal struct {
	Kind      string    // which commitment settles it
	Ref       string    // what it is about: a transaction id
	Summary   string    // shown to the customer, from stored state
	Note      string    // said after the summary while the question stands; may be empty
	Hash      string    // of the exact offer: what, when, price, hold, policy version
	ExpiresAt time.Time // after this nothing can be confirmed
}

// Card is something a client shows next to the text. Type and title are always there.
type Card map[string]any

// New makes a tool from a resolver whose arguments are the struct A. Each field of A
// is required; a pointer may be null. Tags: json names it, jsonschema describes it. A pointer
// with omitempty was added by a later release: while it is null, the canonical arguments are
// as they were without it, so that a call which an earlier release has kept is still the same call.
// An A that programs fill in as well says by the tag model what a model sees of it, see [form].
// An A that makes no schema is reported by [NewRegistry].
func New[A any](name, description string, effect Effect, resolve func(ctx context.Context, tc Context, args A) (Result, error)) Tool {
	t := Tool{Name: name, Description: description, Effect: effect, resolve: of(resolve)}
	if t.arguments, t.err = argumentsOf[A](); t.err != nil {
		t.err = fmt.Errorf("tool %s: %w", name, t.err)
		return t
	}
	t.Schema = t.arguments.schema
	return t
}

// Drafts is the tool as one that changes what is the customer's own and tells nobody, or nobody whom no YES covers.
func (t Tool) Drafts() Tool {
	t.Draft = true
	return t
}

// SummaryOf makes a tool's Summary of a function of its arguments.
func SummaryOf[A any](f func(ctx context.Context, tc Context, args A) (string, error)) func(context.Context, Context, json.RawMessage) (string, error) {
	return of(f)
}

// of makes a function of arguments one of their canonical form.
func of[A, R any](f func(context.Context, Context, A) (R, error)) func(context.Context, Context, json.RawMessage) (R, error) {
	return func(ctx context.Context, tc Context, raw json.RawMessage) (R, error) {
		var args A
		if err := argumentsIn(raw, &args); err != nil {
			var none R
			return none, fault.Field("arguments", "%v", err)
		}
		return f(ctx, tc, args)
	}
}

// argumentsIn reads canonical arguments into a struct.
func argumentsIn[A any](raw json.RawMessage, args *A) error {
	if f := formOf(reflect.TypeFor[A]()); f != nil {
		return f.read(raw, args)
	}
	return json.Unmarshal(raw, args)
}

// Run resolves a call with canonical arguments.
func (t Tool) Run(ctx context.Context, tc Context, args json.RawMessage) (Result, error) {
	return t.resolve(ctx, tc, args)
}

// Key is the idempotency key of a call. It is made of everything that decides the effect: the turn, the tool, the
// arguments, and which occurrence of the same call in this turn it is.
func Key(turn, name string, args json.RawMessage, occurrence int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", turn, name, args, occurrence))
	return hex.EncodeToString(sum[:16])
}

// Value is an optional argument, or its type's zero value when it was not given.
func Value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
