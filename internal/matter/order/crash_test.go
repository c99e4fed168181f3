package order_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/order"
	"merve/internal/spine/thread"
)

// failing is the store of a process whose calls fail, on a corner of what is due.
func (c *counter) failing(calls *faulttest.Calls) *order.Store {
	db := dynamotest.Once(c.t, calls)
	return &order.Store{
		Table: db.Table(dynamotest.TableName("records")), Rows: &thread.Rows{Table: db.Table(dynamotest.TableName("conversations"))}, Now: func() time.Time { return c.now },
	}
}

// kept are a customer's orders by their states, what happened to them, the codes that lead to them, and the rows of
// what stands of their conversation.
func (c *counter) kept() string {
	c.t.Helper()
	n := map[string]int{}
	for _, pk := range []string{"orders#" + c.owner.Key(), "code#" + c.biz} {
		page, err := c.store.Table.Query(c.t.Context(), dynamo.Under(pk, ""))
		if err != nil {
			c.t.Fatal(err)
		}
		for _, it := range page.Items {
			switch {
			case it.String("type") != "":
				n["was "+it.String("type")]++
			case strings.HasPrefix(it.Key().SK, "forget#"):
				n["mark"]++
			case it.String("status") == "":
				n["code"]++
			case it.String("dueShard") != "":
				n[it.String("status")+" and due"]++
			default:
				n[it.String("status")]++
			}
		}
	}
	rows, err := c.store.Rows.Table.Query(c.t.Context(), dynamo.Under("th_"+c.biz, "st#"))
	if err != nil {
		c.t.Fatal(err)
	}
	if len(rows.Items) > 0 {
		n["row"] = len(rows.Items)
	}
	var all []string
	for _, what := range slices.Sorted(maps.Keys(n)) {
		all = append(all, strings.TrimPrefix(fmt.Sprint(n[what], " ", what), "1 "))
	}
	return strings.Join(all, ", ")
}

// first is the n-th order of those that a sweep looks at first, so that it always makes the same
// calls, brought so far.
func (c *counter) first(n int, events ...order.EventType) order.Order {
	c.t.Helper()
	key := 0
	for ; n >= 0; key++ {
		if dynamo.DueShard("order", order.NewID(c.owner.Key(), fmt.Sprint(key))) == "order#00" {
			n--
		}
	}
	o := c.propose(fmt.Sprint(key - 1))
	for _, typ := range events {
		o = c.apply(o, typ)
	}
	return o
}

// What time, the business and who deletes it do with an order, with every fault at every call,
// delivered again and once more for no reason: it is done once.
func TestField16_CrashOfWhatOthersDo(t *testing.T) {
	t.Parallel()
	proposed := func(c *counter) { c.first(0) }
	placed := func(c *counter) { c.first(0, order.PlacedEvent) }
	accepted := func(c *counter) { c.first(0, order.PlacedEvent, order.AcceptedEvent) }
	says := func(text string) func(c *counter, s *order.Store) error {
		return func(c *counter, s *order.Store) error {
			settled, _, err := c.tells(c.t.Context(), s, speaksFor{c.biz}, text)
			if err == nil {
				err = s.Table.DB().Commit(c.t.Context(), settled.Writes...)
			}
			if settled.Refused != nil {
				if _, refused := settled.Refused(err); refused {
					return nil // the turn says so
				}
			}
			return err
		}
	}
	erase := func(c *counter, s *order.Store) error {
		_, err := s.Erase(c.t.Context(), "demo", c.owner.Key())
		return err
	}
	sweep := func(c *counter, s *order.Store) error {
		_, err := s.Sweep(c.t.Context(), dynamo.Budget{Count: 10})
		return err
	}
	for name, tt := range map[string]struct {
		begin func(c *counter)
		after time.Duration
		do    func(c *counter, s *order.Store) error
		want  string
	}{
		"time passes": {func(c *counter) {
			c.first(0)
			c.first(1, order.PlacedEvent)
			c.first(2, order.PlacedEvent, order.AcceptedEvent)
		}, 24 * time.Hour, sweep,
			"3 code, done, expired, unanswered, was accepted, was done, was expired, 2 was placed, 3 was proposed, was unanswered"},
		"the business accepts":         {placed, 0, says("accept"), "accepted and due, code, row, was accepted, was placed, was proposed"},
		"the business refuses":         {placed, 0, says("refuse"), "code, refused, was placed, was proposed, was refused"},
		"the business takes it back":   {accepted, 0, says("cancel"), "cancelled, code, was accepted, was cancelled, was placed, was proposed"},
		"the business is done":         {accepted, 0, says("done"), "code, done, was accepted, was done, was placed, was proposed"},
		"its owner deletes it":         {proposed, 0, erase, ""},
		"its owner cannot, it is open": {placed, 0, erase, "code, mark, placed and due, row, was placed, was proposed"},
		"it is over, and goes": {func(c *counter) {
			o := c.first(0, order.PlacedEvent)
			if _, err := c.store.Erase(c.t.Context(), "demo", c.owner.Key()); err != nil {
				c.t.Fatal(err)
			}
			c.apply(o, order.CancelledEvent)
		}, time.Hour, sweep, ""},
		"it is over and gone, but for its mark": {func(c *counter) {
			o := c.first(0, order.PlacedEvent)
			mark := map[string]any{"dueShard": dynamo.DueShard("order", o.ID), "dueAt": c.now}
			at := dynamo.Key{PK: "orders#" + c.owner.Key(), SK: "forget#" + order.NewID(c.owner.Key(), "gone")}
			if err := c.store.Table.DB().Commit(c.t.Context(), c.store.Table.Put(at, mark)); err != nil {
				c.t.Fatal(err)
			}
		}, 0, sweep, "code, placed and due, row, was placed, was proposed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
				c, aside := newCounter(t), dynamotest.Aside(dynamotest.ID(""), `order#\d\d`)
				c.store.Table = dynamotest.Open(t, aside).Table(dynamotest.TableName("records"))
				tt.begin(c)
				c.now = c.now.Add(tt.after)
				calls.Next = aside
				s := c.failing(calls)
				calls.Deliver(t, nil, func() error { return tt.do(c, s) })
				if err := tt.do(c, c.store); err != nil { // and once more
					t.Error(err)
				}
				got := c.kept()
				if got != tt.want {
					t.Errorf("left %s, want %s", got, tt.want)
				}
				return got
			})
		})
	}
}
