package order_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/matter/order"
	"merve/internal/spine/gate"
)

// statuses are all that an order can have, each with the events that lead to it.
var statuses = []struct {
	status order.Status
	path   []order.EventType
}{
	{order.Proposed, nil},
	{order.Placed, []order.EventType{order.PlacedEvent}},
	{order.Accepted, []order.EventType{order.PlacedEvent, order.AcceptedEvent}},
	{order.Refused, []order.EventType{order.PlacedEvent, order.RefusedEvent}},
	{order.Unanswered, []order.EventType{order.PlacedEvent, order.UnansweredEvent}},
	{order.Done, []order.EventType{order.PlacedEvent, order.AcceptedEvent, order.DoneEvent}},
	{order.Cancelled, []order.EventType{order.PlacedEvent, order.CancelledEvent}},
	{order.Released, []order.EventType{order.ReleasedEvent}},
	{order.Expired, []order.EventType{order.ExpiredEvent}},
}

var events = []order.EventType{
	order.ProposedEvent, order.PlacedEvent, order.ReleasedEvent, order.ExpiredEvent, order.AcceptedEvent, order.RefusedEvent,
	order.UnansweredEvent, order.DoneEvent, order.CancelledEvent,
}

// leads is where each event leads from each status; from what is not there it leads nowhere.
var leads = map[order.Status]map[order.EventType]order.Status{
	order.Proposed: {order.PlacedEvent: order.Placed, order.ReleasedEvent: order.Released, order.ExpiredEvent: order.Expired},
	order.Placed: {
		order.AcceptedEvent: order.Accepted, order.RefusedEvent: order.Refused, order.UnansweredEvent: order.Unanswered,
		order.CancelledEvent: order.Cancelled,
	},
	order.Accepted: {order.DoneEvent: order.Done, order.CancelledEvent: order.Cancelled},
}

// Every event is tried of an order in every status, as it is read now and as it was read in each
// status before: what leads on happens, once, and everything else is refused and changes nothing.
func TestEveryEventInEveryStatus(t *testing.T) {
	t.Parallel()
	for _, of := range statuses {
		for _, typ := range events {
			t.Run(fmt.Sprintf("%s of %s", typ, of.status), func(t *testing.T) {
				t.Parallel()
				for seen := range len(of.path) + 1 {
					c := newCounter(t)
					o := c.propose("1")
					readings, want := []order.Order{o}, []order.EventType{order.ProposedEvent}
					for _, before := range of.path {
						o = c.apply(o, before)
						readings, want = append(readings, o), append(want, before)
					}
					from := readings[seen]
					to, legal := leads[from.Status][typ]
					after, err := c.store.Apply(t.Context(), from, typ, order.By{Actor: c.owner, Receipt: &gate.Receipt{Answer: "yes"}})
					var refused *order.Refusal
					switch {
					case legal && seen == len(of.path):
						if want = append(want, typ); err != nil || after.Status != to {
							t.Errorf("it is %s, want %s: %v", after.Status, to, err)
						}
						o = after
					case legal && !errors.Is(err, order.ErrChanged):
						t.Errorf("read as %s: %v, want that it has changed", from.Status, err)
					case !legal && (!errors.As(err, &refused) || from.May(typ) == nil):
						t.Errorf("read as %s: %v, want a refusal", from.Status, err)
					}
					got, err := c.store.Get(t.Context(), c.owner, o.Market, o.ID)
					if err != nil || got.Status != o.Status {
						t.Errorf("read as %s: stored as %s, want %s: %v", from.Status, got.Status, o.Status, err)
					}
					if d := cmp.Diff(want, c.happened(o)); d != "" {
						t.Errorf("read as %s: events (-want +got):\n%s", from.Status, d)
					}
				}
			})
		}
	}
}

// happened are the events of an order, in the order of their time.
func (c *counter) happened(o order.Order) (types []order.EventType) {
	c.t.Helper()
	told, err := c.store.Events(c.t.Context(), o)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, e := range told {
		types = append(types, e.Type)
	}
	slices.SortFunc(types, func(a, b order.EventType) int { return slices.Index(events, a) - slices.Index(events, b) })
	return types
}

// What each status means is said of all of them: whether a business has the order, whether its customer
// may cancel it, and what time does to it.
func TestEveryStatusMeansWhatItSays(t *testing.T) {
	t.Parallel()
	type means struct {
		stands     bool
		mayCancel  bool // what is not food
		cancelFood bool
		lapses     order.EventType
	}
	want := map[order.Status]means{
		order.Proposed: {lapses: order.ExpiredEvent},
		order.Placed:   {stands: true, mayCancel: true, cancelFood: true, lapses: order.UnansweredEvent},
		order.Accepted: {stands: true, mayCancel: true, lapses: order.DoneEvent},
	}
	for _, kind := range []order.Kind{order.Food, order.Service, order.Viewing} {
		for _, of := range statuses {
			t.Run(fmt.Sprintf("%s %s", of.status, kind), func(t *testing.T) {
				t.Parallel()
				c := newCounter(t)
				d := c.draft()
				d.Kind = kind
				o, err := c.store.Propose(t.Context(), d, "1")
				if err != nil {
					t.Fatal(err)
				}
				for _, before := range of.path {
					o = c.apply(o, before)
				}
				m := want[of.status]
				mayCancel := m.mayCancel
				if kind == order.Food {
					mayCancel = m.cancelFood
				}
				if o.Stands() != m.stands || o.MayCancel() != mayCancel {
					t.Errorf("stands %v, may be cancelled %v; want %v, %v", o.Stands(), o.MayCancel(), m.stands, mayCancel)
				}
				c.now = c.now.Add(31 * 24 * time.Hour)
				typ, err := c.store.Lapse(t.Context(), o)
				if err != nil || typ != m.lapses {
					t.Errorf("a month later it is %q, want %q: %v", typ, m.lapses, err)
				}
			})
		}
	}
}

// Every word of a business is tried on an order in every status, by its code: it does what it says, or
// changes nothing.
func TestEveryWordInEveryStatus(t *testing.T) {
	t.Parallel()
	obeyed := map[order.Status]map[string]order.Status{
		order.Placed: {"accept": order.Accepted, "refuse": order.Refused, "cancel": order.Cancelled},
		// Who refuses what they have accepted takes it back.
		order.Accepted: {"done": order.Done, "refuse": order.Cancelled, "cancel": order.Cancelled},
	}
	for _, of := range statuses {
		for _, word := range []string{"accept", "refuse", "done", "cancel"} {
			t.Run(fmt.Sprintf("%s of %s", word, of.status), func(t *testing.T) {
				t.Parallel()
				c := newCounter(t)
				o := c.propose("1")
				for _, before := range of.path {
					o = c.apply(o, before)
				}
				want, does := obeyed[of.status][word]
				if !does {
					want = of.status
				}
				s := c.says(word + " " + o.Code)
				if got := c.obeyed(o, s); got != want || does != (len(s.Writes) > 0) {
					t.Errorf("it is %s, want %s; %d writes, %q", got, want, len(s.Writes), s.Text)
				}
			})
		}
	}
}
