// Package event defines the one form in which stores record what has happened, and the one way to pass that on to
// those who must know.
//
// An event is an item whose facts never change. A store writes it in the same transaction as the change it reports,
// in the partition of the item that changed. The table's stream brings it to a [Router]:
//
//	{pk}   event#{id}   kind, at, trace, and next to them the facts of the kind
//
// That is the [Envelope]. The id is unique in its partition. kind names the [Kind] that wrote the event, and only
// that kind knows how to read its facts. An item is an event only if its sort key begins with [Prefix]: elsewhere an
// attribute called kind means something else.
//
// A stream drops a record that it could not deliver for a day, and it skips a record that keeps failing long before
// that. So an event stays in the index due ([dynamo.DueIndex]) until it is told: [Router.Tell] takes it out. [Resend]
// changes overdue events, which makes the stream deliver them again. A receiver may therefore get an event twice.
//
// Earlier releases wrote the same attributes without kind. Their events are told apart by how their keys begin
// ([Kind.Earlier]). Those releases can read the events of this one: they ignore kind.
//
// Cost: an event is one more item in the index due, and one request takes it out once it is told.
package event

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// Prefix is how the sort key of every event begins. Streams are filtered by it.
const Prefix = "event#"

// Envelope is what every event says, whatever its kind.
type Envelope struct {
	Kind  string // "" if an earlier release wrote it
	ID    string // the sort key without Prefix
	At    time.Time
	Trace string
}

// Open reads the envelope of an item. ok is false for an item that is no event.
func Open(it dynamo.Item) (e Envelope, ok bool) {
	id, ok := strings.CutPrefix(it.Key().SK, Prefix)
	if !ok {
		return Envelope{}, false
	}
	return Envelope{Kind: it.String("kind"), ID: id, At: it.Time("at"), Trace: it.String("trace")}, true
}

// Kind is one kind of event, with facts of type E.
type Kind[E any] struct {
	Name    string     // stored with every event, so it is short and never changes
	Earlier dynamo.Key // how both keys begin of such events that were stored without their kind

	ReadersCatchUp bool // readers do the receiver's work themselves, so an event that nobody was told of is no loss, and is never due
}

// Put writes an event. at and trace of the envelope are among its facts.
func (k Kind[E]) Put(t dynamo.Table, key dynamo.Key, facts E) dynamo.Write {
	beside := struct {
		Kind     string    `dynamodbav:"kind"`
		DueShard string    `dynamodbav:"dueShard,omitempty"`
		DueAt    time.Time `dynamodbav:"dueAt"`
	}{Kind: k.Name}
	w := t.Put(key, facts)
	if !k.ReadersCatchUp {
		beside.DueShard, beside.DueAt = dynamo.DueShard(untold, key.PK+key.SK), w.Time("at").Add(Patience)
	}
	return w.Beside(beside)
}

// Read reads an event of this kind. ok is false for any other item.
func (k Kind[E]) Read(it dynamo.Item) (facts E, ok bool, err error) {
	if !k.has(it) {
		return facts, false, nil
	}
	if err := it.Decode(&facts); err != nil {
		return *new(E), true, fault.Wrap(err, fault.Invalid, "an event of kind %s cannot be read", k.Name)
	}
	return facts, true, nil
}

func (k Kind[E]) has(it dynamo.Item) bool {
	e, ok := Open(it)
	if !ok || e.Kind != "" {
		return ok && e.Kind == k.Name
	}
	key := it.Key()
	return strings.HasPrefix(key.PK, k.Earlier.PK) && strings.HasPrefix(key.SK, k.Earlier.SK)
}

// To has all of tell learn of every event of this kind. An error of one keeps it from no other.
func (k Kind[E]) To(tell ...func(context.Context, E) error) Route {
	return Route{k.Name, k.has, func(ctx context.Context, it dynamo.Item) error {
		facts, _, err := k.Read(it)
		if err != nil {
			return err
		}
		errs := make([]error, len(tell))
		for i, f := range tell {
			errs[i] = f(ctx, facts)
		}
		return errors.Join(errs...)
	}}
}

// Route says which functions receive one kind of event.
type Route struct {
	kind string
	has  func(dynamo.Item) bool
	tell func(context.Context, dynamo.Item) error
}

// Router passes the events of a table on by their kind.
type Router struct {
	table  dynamo.Table
	routes []Route
}

// NewRouter returns the router of a table. Every kind stands once among the routes.
func NewRouter(table dynamo.Table, routes ...Route) (*Router, error) {
	seen := map[string]bool{}
	for _, r := range routes {
		if seen[r.kind] {
			return nil, fmt.Errorf("event: kind %q has two routes", r.kind)
		}
		seen[r.kind] = true
	}
	return &Router{table, routes}, nil
}

// Tell passes an item of a stream to the route of its kind. It ignores an item that is not an event, and one without
// a kind whose keys no kind knows. A kind without a route is a permanent error: a receiver was expected, and is
// missing.
func (r *Router) Tell(ctx context.Context, it dynamo.Item) error {
	for _, route := range r.routes {
		if route.has(it) {
			if err := route.tell(ctx, it); err != nil {
				return err
			}
			return r.Settle(ctx, it)
		}
	}
	if e, ok := Open(it); ok && e.Kind != "" {
		return fault.New(fault.Invalid, "nobody is told of events of kind %q", e.Kind)
	}
	return nil
}

// Settle takes an event out of the index due, because it was told or can never be told.
func (r *Router) Settle(ctx context.Context, it dynamo.Item) error {
	if it.String("dueShard") == "" {
		return nil
	}
	err := r.table.DB().Commit(ctx, r.table.Update(it.Key(), "REMOVE dueShard, dueAt", nil).If("attribute_exists(dueShard)", nil).Else(errSettled))
	if err != nil && !errors.Is(err, errSettled) {
		return fmt.Errorf("settle event %s: %w", it.Key(), err)
	}
	return nil
}

var errSettled = errors.New("the event is settled, or it was erased")

// untold is the kind of the events in the index due.
const untold = "untold"

// Patience is how long an event may be on its way before it is sent again.
const Patience = 30 * time.Minute

// Resend sends the events of a table again that are overdue, and returns how many.
func Resend(ctx context.Context, t dynamo.Table, now time.Time, b dynamo.Budget) (int, error) {
	sent := 0
	_, err := t.EachDue(ctx, untold, now, b, func(key dynamo.Key) (bool, error) {
		err := t.DB().Commit(ctx, t.Update(key, "SET dueAt = :next", dynamo.V{":next": now.Add(Patience)}).
			If("attribute_exists(dueShard) AND dueAt <= :now", dynamo.V{":now": now}).Else(errSettled))
		switch {
		case errors.Is(err, errSettled):
			return false, nil
		case err != nil:
			return true, fmt.Errorf("send event %s again: %w", key, err)
		}
		sent++
		return true, nil
	})
	return sent, err
}
