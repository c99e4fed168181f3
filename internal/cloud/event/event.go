// Package event is the one form in which stores tell what has happened, and the one way from there to
// whoever must know.
//
// An event is an item whose facts never change. It is written in the transaction of the change that it tells
// of, in the partition of what has changed, and the table's stream brings it to a [Router]:
//
//	{pk}   event#{id}   kind, at, trace, and beside them the facts of the kind
//
// That is the [Envelope]. The id is unique in its partition. kind names the [Kind] that wrote the event,
// and only that kind knows how to read its facts. An item is an event only if its sort key begins with
// [Prefix]: elsewhere an attribute called kind means something else.
//
// A stream forgets what it could not bring anybody for a day, and long before that it goes on without what keeps
// failing. So an event is due ([dynamo.DueIndex]) until it is told: [Router.Tell] takes it out of the index, and
// [Resend] changes those that are overdue, by which the stream brings them once more. Whoever is told may therefore
// be told again.
//
// Earlier releases wrote the same attributes without kind. Their events are told apart by how their keys
// begin ([Kind.Earlier]). Those releases can read the events of this one: they ignore kind.
//
// Cost: an event is one item more in the index due, and once it is told one request takes it out.
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

	ReadersCatchUp bool // readers do what whoever is told does, so that an event of which nobody was told is no loss, and not due
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

// Route says who is told of one kind of event.
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

// Tell passes an item of a stream on to whoever is told of its kind. An item that is no event, and one
// without a kind whose keys no kind knows, is nobody's business. A kind without a route is an error for good:
// somebody was to be told, and is not.
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

// Settle ends that an event is due: somebody was told of it, or it can never be told.
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
