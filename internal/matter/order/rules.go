package order

import (
	"slices"
	"time"

	"merve/internal/base/fault"
)

// EventType says what happened to an order. Each happens to it once at most.
type EventType string

const (
	ProposedEvent   EventType = "proposed"
	PlacedEvent     EventType = "placed"
	ReleasedEvent   EventType = "released"
	ExpiredEvent    EventType = "expired"
	AcceptedEvent   EventType = "accepted"
	RefusedEvent    EventType = "refused"
	UnansweredEvent EventType = "unanswered"
	DoneEvent       EventType = "done"
	CancelledEvent  EventType = "cancelled"
)

// arrow is one change of status: the statuses it may start from, and the one it ends in.
type arrow struct {
	from []Status
	to   Status
}

var arrows = map[EventType]arrow{
	PlacedEvent:     {[]Status{Proposed}, Placed},
	ReleasedEvent:   {[]Status{Proposed}, Released},
	ExpiredEvent:    {[]Status{Proposed}, Expired},
	AcceptedEvent:   {[]Status{Placed}, Accepted},
	RefusedEvent:    {[]Status{Placed}, Refused},
	UnansweredEvent: {[]Status{Placed}, Unanswered},
	DoneEvent:       {[]Status{Accepted}, Done},
	CancelledEvent:  {[]Status{Placed, Accepted}, Cancelled},
}

// May is nil when an event can happen to an order as it is, else a [Refusal].
func (o Order) May(typ EventType) error {
	if !slices.Contains(arrows[typ].from, o.Status) {
		return &Refusal{Event: typ, Order: o}
	}
	return nil
}

// take applies an event to an order as it was read, or says why it may not be.
func take(o Order, typ EventType, now time.Time) (Order, error) {
	if err := o.May(typ); err != nil {
		return Order{}, err
	}
	if typ == PlacedEvent && !now.Before(o.ExpiresAt) {
		return Order{}, errLate
	}
	o.Status, o.UpdatedAt = arrows[typ].to, now
	return o, nil
}

// Refusal says that an event cannot happen to an order as it is.
type Refusal struct {
	Event EventType
	Order Order
}

func (r *Refusal) Error() string {
	return "order: " + string(r.Event) + " of an order that is " + string(r.Order.Status)
}

// Unwrap makes it a conflict.
func (r *Refusal) Unwrap() error { return fault.New(fault.Conflict, "the order is %s", r.Order.Status) }

// Ready is when to expect an order that a business, at a time, says will take so many minutes. An order
// for later is not ready before its time.
func (o Order) Ready(at time.Time, minutes int) time.Time {
	ready := at.Add(time.Duration(minutes) * time.Minute).Truncate(time.Minute)
	if ready.Before(o.When) {
		return o.When
	}
	return ready
}

// MayCancel reports whether the customer may still cancel: food not once it is being made.
func (o Order) MayCancel() bool {
	return o.Status == Placed || o.Status == Accepted && o.Kind != Food
}

// Stands reports whether a business still has to answer or carry out the order. As long as that is so,
// the order holds its counted items.
func (o Order) Stands() bool { return o.Status == Placed || o.Status == Accepted }

// answerWithin is how long a business has to answer an order.
func answerWithin(k Kind) time.Duration {
	if k == Food {
		return 15 * time.Minute
	}
	return 24 * time.Hour
}

// If the business says nothing more about an accepted order, the order counts as done after this time.
// Otherwise it would hold its stock and its customer's place forever.
const (
	closeFood = 24 * time.Hour     // nobody waits for a meal of yesterday
	closeRest = 7 * 24 * time.Hour // a service or viewing is put off for days, or agreed on without a time
)

func closeAfter(k Kind) time.Duration {
	if k == Food {
		return closeFood
	}
	return closeRest
}

// waits returns when the time to answer an order begins: when its business
// opens, and for an order for later, after half the time that it can wait.
func (o Order) waits(at time.Time) time.Time {
	if o.AnswerFrom.After(at) {
		at = o.AnswerFrom
	}
	if o.Kind == Food && o.When.After(at) {
		at = at.Add(min(o.When.Sub(at)/2, 24*time.Hour))
	}
	return at
}

// due is when a sweep ends an order, by [lapses]; zero is never, of one that has ended.
func (o Order) due() time.Time {
	switch o.Status {
	case Proposed:
		return o.ExpiresAt
	case Placed:
		return o.waits(o.UpdatedAt).Add(answerWithin(o.Kind))
	case Accepted:
		return slices.MaxFunc([]time.Time{o.UpdatedAt, o.When, o.ETA}, time.Time.Compare).Add(closeAfter(o.Kind))
	}
	return time.Time{}
}

// lapses are what happens to orders when they are due.
var lapses = map[Status]EventType{Proposed: ExpiredEvent, Placed: UnansweredEvent, Accepted: DoneEvent}
