package notify_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/order"
	"merve/internal/matter/report"
	deskpkg "merve/internal/people/desk"
	"merve/internal/people/notify"
	"merve/internal/people/relay"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// told is what came of an event: the outbox of the business, the notices that wait on the
// customer's thread, and the turns that were queued for them, each name once.
type told struct{ Business, Customer, Turns []string }

// over makes a notifier anew, over calls and without the SDK's own retries.
func (p *place) over(calls *faulttest.Calls) *notify.Notifier {
	p.t.Helper()
	now := func() time.Time { return noon }
	db := dynamotest.Once(p.t, calls)
	catalog, records, conversations := db.Table(dynamotest.TableName("catalog")), db.Table(dynamotest.TableName("records")), db.Table(dynamotest.TableName("conversations"))
	return &notify.Notifier{
		Markets: &market.Store{Table: catalog, Now: now}, Listings: &listing.Store{Table: catalog, Now: now},
		Reports: &report.Store{Table: records, Now: now}, Orders: &order.Store{Table: records, Now: now},
		Threads:  thread.Teller{Queue: faulttest.NewQueue(p.t, calls, p.Queue), Store: &thread.Store{Table: conversations, Now: now, NewID: func() string { return dynamotest.ID("lease") }}},
		Bookings: p, Alert: p.alert, Outbox: &outbox.Box{Table: conversations, Now: now, Log: slog.New(slog.DiscardHandler)},
	}
}

// outcome is what stands of all that is told of something, without its id and code.
func (p *place) outcome(id, code, threadID string) told {
	p.t.Helper()
	out := p.onThread(threadID)
	sent, err := p.Outbox.List(p.t.Context(), p.merchantThread(), 1000)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, m := range sent {
		if rest, mine := strings.CutPrefix(m.ID, id); mine {
			out.Business = append(out.Business, fmt.Sprintf("%s to %s as %v: %s", rest, m.To, m.Template, m.Text))
		}
	}
	names := []string{id, "ID"}
	if code != "" {
		names = append(names, code, "CODE")
	}
	for _, lines := range [][]string{out.Business, out.Customer} {
		for i := range lines {
			lines[i] = strings.NewReplacer(names...).Replace(lines[i])
		}
	}
	return out
}

// onThread is what a customer is told on their own thread.
func (p *place) onThread(id string) (out told) {
	p.t.Helper()
	if id == "" {
		return out
	}
	h, err := p.threads.Head(p.t.Context(), id)
	if err != nil && !fault.Is(err, fault.NotFound) {
		p.t.Fatal(err)
	}
	for _, m := range h.Inbox {
		if m.Notice != nil {
			out.Customer = append(out.Customer, m.Notice.Kind+": "+m.Notice.Text)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range slices.Compact(slices.Sorted(slices.Values(p.queued))) {
		if strings.HasPrefix(q, id+" ") {
			out.Turns = append(out.Turns, "a turn")
		}
	}
	return out
}

// writes makes a customer's thread.
func (p *place) writes() string {
	p.t.Helper()
	a, err := p.threads.Append(p.t.Context(), channel.Inbound{
		Market: p.market.ID, Channel: channel.App, ThreadType: channel.General,
		From: actor.Actor{Kind: actor.Session, ID: dynamotest.ID("who")}, MessageID: "1", Text: "hi",
	}, false)
	if err != nil {
		p.t.Fatal(err)
	}
	return a.Thread
}

// Every event that somebody is told of, for each recipient, with every fault at every
// call: it is told once.
func TestField25_EveryFaultOfANotification(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.market.WhatsApp.Templates = map[string]market.Approved{
		"merchant_booking_cancelled": {ContentSID: "HX00000000000000000000000000000001", Params: []string{"code", "customer"}},
	}
	p.save()
	for _, tt := range []struct {
		name      string
		typ, from ledger.State
		change    func(tx *ledger.Transaction)
	}{
		{"confirmed, to the business", ledger.Confirmed, ledger.Hold, nil},
		{"cancelled, to the business by a template", ledger.Cancelled, ledger.Confirmed, nil},
		{"of a listing that has gone", ledger.Confirmed, ledger.Hold, func(tx *ledger.Transaction) { tx.Listing = "gone" }},
		{"expired, to the customer", ledger.Expired, ledger.Hold, func(tx *ledger.Transaction) { tx.Thread = p.writes() }},
		{"nobody came, to the customer", ledger.NoShow, ledger.Confirmed, func(tx *ledger.Transaction) { tx.Thread = p.writes() }},
		{"expired, on a thread that has gone", ledger.Expired, ledger.Hold, func(tx *ledger.Transaction) { tx.Thread = dynamotest.ID("gone") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			scenario := func(t *testing.T, calls *faulttest.Calls) told {
				e := p.event(tt.typ, tt.from)
				if tt.change != nil {
					tt.change(&e.Transaction)
				}
				n := p.over(calls)
				for range 2 { // the stream is read again
					calls.Deliver(t, nil, func() error { return n.Tell(t.Context(), e) })
				}
				return p.outcome(e.Transaction.ID, e.Transaction.Code, e.Transaction.Thread)
			}
			faulttest.Everywhere(t, nil, scenario)
		})
	}
}

// Every event of an order that somebody is told of, with every fault at every call: each is told
// once.
func TestField25_EveryFaultOfTellingOfAnOrder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.save()
	for _, tt := range []struct {
		name               string
		by                 actor.Actor
		events             []order.EventType
		business, customer int // how many of them
	}{
		{"placed", customer, []order.EventType{order.PlacedEvent}, 1, 0},
		{"taken back by its customer", customer, []order.EventType{order.PlacedEvent, order.CancelledEvent}, 1, 0},
		{"cancelled by its business", business, []order.EventType{order.PlacedEvent, order.CancelledEvent}, 0, 1},
		{"accepted", business, []order.EventType{order.PlacedEvent, order.AcceptedEvent}, 0, 1},
		{"refused", business, []order.EventType{order.PlacedEvent, order.RefusedEvent}, 0, 1},
		{"done", business, []order.EventType{order.PlacedEvent, order.AcceptedEvent, order.DoneEvent}, 0, 1},
		{"unanswered", nobody, []order.EventType{order.PlacedEvent, order.UnansweredEvent}, 1, 1},
		{"expired", nobody, []order.EventType{order.ExpiredEvent}, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) told {
				e := p.ordered(tt.by, tt.events...)
				o, err := p.orders.Get(t.Context(), customer, e.Market, e.Order)
				if err != nil {
					t.Fatal(err)
				}
				n := p.over(calls)
				for range 2 { // the stream is read again
					calls.Deliver(t, nil, func() error { return n.TellOrder(t.Context(), e) })
				}
				out := p.outcome(o.ID, o.Code, o.Thread)
				if len(out.Business) != tt.business || len(out.Customer) != tt.customer || len(out.Turns) != tt.customer {
					t.Errorf("told %+v", out)
				}
				return out
			})
		})
	}
}

// A customer who asks for a person, with every fault at every call: each of the desk is told once.
func TestField25_EveryFaultOfTellingTheDesk(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.market.Desk.Numbers = []string{"+15550101002", merchantPhone}
	p.save()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) told {
		e := deskpkg.Event{Thread: dynamotest.ID("th"), Market: p.market.ID, Name: "Deniz", Reason: "angry", Turn: 3}
		n := p.over(calls)
		for range 2 { // the stream is read again
			calls.Deliver(t, nil, func() error { return n.TellDesk(t.Context(), e) })
		}
		out := p.outcome(e.Thread, "", "")
		if len(out.Business) != 1 {
			t.Errorf("told %+v", out)
		}
		return out
	})
}

// What a customer writes to a business, with every fault at every call of the YES: it is on the
// outbox once, and the talk has begun.
func TestField25_EveryFaultOfWritingToABusiness(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.save()
	p.wroteToday()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) told {
		n, key, th := p.over(calls), dynamotest.ID("key"), dynamotest.ID("th")
		post := &relay.Post{Table: n.Outbox.Table.DB().Table(dynamotest.TableName("records")), Now: func() time.Time { return noon }}
		send := notify.Writer{Notifier: n, Talks: post}.Tools()[0]
		tc := tool.Context{Market: p.market, Thread: th, Language: "en", Key: key, Now: noon}
		for range 2 {
			calls.Deliver(t, nil, func() error {
				_, err := send.Run(t.Context(), tc, []byte(`{"listingId":"grill","text":"Are you open?"}`))
				return err
			})
		}
		talks, err := (&relay.Post{Table: p.orders.Table, Now: post.Now}).Talks(t.Context(), th)
		if err != nil || len(talks) != 1 {
			t.Fatalf("%d talks, %v", len(talks), err)
		}
		m, err := p.Outbox.Get(t.Context(), p.merchantThread(), "message."+key)
		if err != nil {
			t.Fatal(err)
		}
		out := p.outcome(m.ID, m.About, "")
		if len(out.Business) != 1 {
			t.Errorf("told %+v", out)
		}
		return out
	})
}

// A report that staff have resolved, with every fault at every call: its owner is told once.
func TestField25_EveryFaultOfTellingOfAReport(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) told {
		f := p.filed(t)
		e := f.resolved(t, desk)
		n := p.over(calls)
		for range 2 { // the stream is read again
			calls.Deliver(t, nil, func() error { return n.TellReport(t.Context(), e) })
		}
		return p.onThread(e.Thread)
	})
}

// A customer is told once that a business does not hear of them, however often that fails or is found out.
func TestField25_EveryFaultOfTellingThatABusinessWasNotTold(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) told {
		lost := outbox.Message{ID: dynamotest.ID("m"), About: "K7P2", Customer: p.writes()}
		n := p.over(calls)
		for range 2 {
			calls.Deliver(t, nil, func() error { return n.TellUntold(t.Context(), lost) })
		}
		return p.onThread(lost.Customer)
	})
}

// Every two faults of telling a customer.
func TestField25_EveryTwoFaultsOfANotification(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.save()
	kinds := []faulttest.Fault{faulttest.DiesBefore, faulttest.DiesAfter, faulttest.AnswerLost}
	faulttest.Pairs(t, kinds, func(t *testing.T, calls *faulttest.Calls) told {
		e := p.event(ledger.Expired, ledger.Hold)
		e.Transaction.Thread = p.writes()
		n := p.over(calls)
		calls.Deliver(t, nil, func() error { return n.Tell(t.Context(), e) })
		return p.outcome(e.Transaction.ID, e.Transaction.Code, e.Transaction.Thread)
	})
}
