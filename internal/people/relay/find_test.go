package relay

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/matter/order"
	"merve/internal/record/ledger"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
)

// records are the orders and bookings of a business.
type records struct {
	orders   []order.Order
	bookings []ledger.Transaction
}

func (r records) ByCode(_ context.Context, market, business, code string) (order.Order, error) {
	for _, o := range r.orders {
		if o.Market == market && o.Business == business && o.Code == code {
			return o, nil
		}
	}
	return order.Order{}, actor.ErrNotFound
}

func (r records) OpenOf(context.Context, string, string) ([]order.Order, bool, error) {
	return r.orders, false, nil
}

func (r records) Booked(_ context.Context, market, business string) iter.Seq2[ledger.Transaction, error] {
	return func(yield func(ledger.Transaction, error) bool) {
		for _, tx := range r.bookings {
			if tx.Market == market && tx.Business == business && !yield(tx, nil) {
				return
			}
		}
	}
}

// runs is the roster of a number that runs some businesses.
type runs []string

func (r runs) Read(context.Context, string, string) (roster.Roles, error) {
	var roles roster.Roles
	for _, business := range r {
		roles = append(roles, roster.Entry{Role: roster.Business, Name: business})
	}
	return roles, nil
}

// A code leads to what a business has with a customer in this market, and to nothing else.
func TestFind(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	booking := func(code, market string) ledger.Transaction {
		return ledger.Transaction{Code: code, State: ledger.Confirmed, Terms: ledger.Terms{Business: "biz", Market: market, Thread: "th_" + code, Start: now.Add(time.Hour), End: now.Add(2 * time.Hour)}}
	}
	over := booking("OVER77", "demo")
	over.Terms.Start, over.Terms.End = now.Add(-3*visitFor), now.Add(-2*visitFor)
	stay := booking("STAY77", "demo") // of several nights, whose guest left a day ago
	stay.Terms.Start, stay.Terms.End = now.Add(-3*visitFor), now.Add(-visitFor)
	begun := booking("BEGUN7", "demo")
	begun.Terms.Start = now
	kept := records{
		orders: []order.Order{
			{Code: "K7P2", Business: "biz", Market: "demo", Thread: "th_K7P2", Status: order.Placed},
			{Code: "K7P3", Business: "biz", Market: "elsewhere", Thread: "th_K7P3", Status: order.Placed},
			{Code: "K7P4", Business: "biz", Market: "demo", Thread: "th_K7P4", Status: order.Done},
			{Code: "K7P5", Business: "other", Market: "demo", Thread: "th_K7P5", Status: order.Placed},
		},
		bookings: []ledger.Transaction{booking("AAAA77", "demo"), booking("BBBB77", "elsewhere"), over, stay, begun},
	}
	p := &Post{Orders: kept, Ledger: kept, Now: func() time.Time { return now }}
	for code, want := range map[string]string{
		"K7P2": "th_K7P2", " k7p2 ": "th_K7P2", "K7P3": "", "K7P4": "th_K7P4, closed", "K7P5": "", "K7P6": "",
		"AAAA77": "th_AAAA77", "BBBB77": "", "DDDD77": "", "OVER77": "th_OVER77, closed, begun", "STAY77": "th_STAY77, begun", "BEGUN7": "th_BEGUN7, begun",
	} {
		these, err := p.find(t.Context(), "demo", []string{"none", "biz"}, code)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, m := range these {
			got += m.Thread
			if m.closed {
				got += ", closed"
			}
			if m.begun {
				got += ", begun"
			}
		}
		if got != want {
			t.Errorf("%q leads to %q, want %q", code, got, want)
		}
	}
}

// A code that two businesses of a number have given means what is not over; both are given of two
// that stand, and one of two that are over.
func TestFindAtTwoBusinesses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		a, b order.Status
		want []string
	}{
		"the first is over":  {order.Done, order.Placed, []string{"th_b"}},
		"the second is over": {order.Accepted, order.Refused, []string{"th_a"}},
		"both stand":         {order.Accepted, order.Placed, []string{"th_a", "th_b"}},
		"both are over":      {order.Done, order.Refused, []string{"th_a"}},
	} {
		kept := records{orders: []order.Order{
			{Code: "K7P2", Business: "a", Market: "demo", Thread: "th_a", Status: tt.a}, {Code: "K7P2", Business: "b", Market: "demo", Thread: "th_b", Status: tt.b},
		}}
		these, err := (&Post{Orders: kept, Ledger: kept}).find(t.Context(), "demo", []string{"a", "b"}, "K7P2")
		var got []string
		for _, m := range these {
			got = append(got, m.Thread)
		}
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// Who writes about a code that two of their businesses have given is told of which.
func TestNothingIsWrittenToOneOfTwo(t *testing.T) {
	t.Parallel()
	kept := records{orders: []order.Order{
		{Code: "K7P2", Business: "a", ListingName: "Grill", Market: "demo", Status: order.Accepted}, {Code: "K7P2", Business: "b", ListingName: "Kebab", Market: "demo", Status: order.Placed},
	}}
	p := &Post{Orders: kept, Ledger: kept, Roster: runs{"a", "b"}}
	_, err := p.matter(t.Context(), tool.Context{Market: market.Default("demo")}, writeArgs{Code: "K7P2", Text: "At the gate"})
	if err == nil || !strings.Contains(err.Error(), "code: is that of several") || !strings.Contains(err.Error(), "Grill") || !strings.Contains(err.Error(), "Kebab") {
		t.Error(err)
	}
}
