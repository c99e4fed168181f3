package relay

import (
	"context"
	"testing"
	"time"

	"merve/internal/actor"
	"merve/internal/ledger"
	"merve/internal/order"
)

// records are the orders and bookings of a business.
type records struct {
	orders   []order.Order
	bookings []ledger.Transaction
}

func (r records) ByCode(_ context.Context, business, code string) (order.Order, error) {
	for _, o := range r.orders {
		if o.Business == business && o.Code == code {
			return o, nil
		}
	}
	return order.Order{}, actor.ErrNotFound
}

func (r records) OpenOf(context.Context, string) ([]order.Order, error) { return r.orders, nil }

func (r records) ByBusiness(context.Context, actor.Actor, string, int, string) ([]ledger.Transaction, string, error) {
	return r.bookings, "", nil
}

// A code leads to what a business has with a customer in this market, and to nothing else.
func TestFind(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	booking := func(code, market string, confirmed bool) ledger.Transaction {
		tx := ledger.Transaction{Code: code, State: ledger.Confirmed, Terms: ledger.Terms{Market: market, Thread: "th_" + code, Start: now.Add(time.Hour), End: now.Add(2 * time.Hour)}}
		if confirmed {
			tx.ConfirmedAt = now.Add(-time.Hour)
		}
		return tx
	}
	over := booking("OVER77", "demo", true)
	over.Terms.Start, over.Terms.End = now.Add(-3*visitFor), now.Add(-2*visitFor)
	begun := booking("BEGUN7", "demo", true)
	begun.Terms.Start = now
	kept := records{
		orders: []order.Order{
			{Code: "K7P2", Business: "biz", Market: "demo", Thread: "th_K7P2", Status: order.Placed},
			{Code: "K7P3", Business: "biz", Market: "elsewhere", Thread: "th_K7P3", Status: order.Placed},
			{Code: "K7P4", Business: "biz", Market: "demo", Thread: "th_K7P4", Status: order.Done},
			{Code: "K7P5", Business: "other", Market: "demo", Thread: "th_K7P5", Status: order.Placed},
		},
		bookings: []ledger.Transaction{booking("AAAA77", "demo", true), booking("BBBB77", "elsewhere", true), booking("CCCC77", "demo", false), over, begun},
	}
	p := &Post{Orders: kept, Ledger: kept, Now: func() time.Time { return now }}
	for code, want := range map[string]string{
		"K7P2": "th_K7P2", " k7p2 ": "th_K7P2", "K7P3": "", "K7P4": "th_K7P4, closed", "K7P5": "", "K7P6": "",
		"AAAA77": "th_AAAA77", "BBBB77": "", "CCCC77": "", "DDDD77": "", "OVER77": "th_OVER77, closed, begun", "BEGUN7": "th_BEGUN7, begun",
	} {
		m, err := p.find(t.Context(), "demo", []string{"none", "biz"}, code)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m != nil {
			got = m.Thread
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
