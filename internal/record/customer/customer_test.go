package customer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/record/customer"
	"merve/internal/tenant/market"
)

const phone = "+14155550100"

// line is a telephone exchange in a market of its own, whose clock stands until a test moves it. Two of its
// customers have one number.
type line struct {
	*customer.Verifier
	market string
	now    time.Time
	keys   int
}

func newLine(t testing.TB) *line {
	t.Helper()
	l := &line{market: dynamotest.ID("market"), now: time.Date(2026, 11, 23, 18, 0, 0, 0, time.UTC)}
	l.Verifier = l.over(dynamotest.Open(t))
	for id, zip := range map[string]string{"ann": "94107", "bob": "94110"} {
		c := customer.Customer{Market: l.market, ID: l.id(id), Name: id, Phones: []string{phone}, ZIP: zip, Address: "12 Oak Street"}
		if _, err := l.Customers.Put(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// id is that of a customer of this market.
func (l *line) id(name string) string { return name + "-" + l.market }

// name is the customer's of an id; "" is nobody's.
func (l *line) name(id string) string { return strings.TrimSuffix(id, "-"+l.market) }

func (l *line) over(db *dynamo.DB) *customer.Verifier {
	return &customer.Verifier{
		Customers: &customer.Store{Table: db.Table(dynamotest.TableName("catalog"))}, Sessions: db.Table(dynamotest.TableName("conversations")),
		Now: func() time.Time { return l.now },
	}
}

// call is a call session on a thread of its own.
func (l *line) call(from, address string) tool.Context {
	thread := dynamotest.ID("th")
	return tool.Context{
		Market: market.Default(l.market), Thread: thread, Actor: actor.Actor{Kind: actor.Session, ID: thread},
		Session: tool.Session{ID: "call", Phone: from}, Address: address, Now: l.now,
	}
}

// says has the caller say something that was never said before.
func (l *line) says(ctx context.Context, tc tool.Context, zip string) (customer.Answer, error) {
	l.keys++
	tc.Key = fmt.Sprint("key", l.keys)
	return l.Verify(ctx, tc, zip)
}

func (l *line) must(t testing.TB, tc tool.Context, zip string) customer.Answer {
	t.Helper()
	a, err := l.says(t.Context(), tc, zip)
	if err != nil {
		t.Fatalf("%s: %v", zip, err)
	}
	a.Customer = l.name(a.Customer)
	return a
}

// Number and ZIP code together say who somebody is, for one call session.
func TestVerify(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	first, second := l.call("(415) 555-0100", ""), l.call(phone, "")
	if a := l.must(t, first, "nine four one oh seven"); a.Customer != "ann" {
		t.Errorf("got %+v", a)
	}
	if a := l.must(t, second, "94110-1234"); a.Customer != "bob" {
		t.Errorf("the other of the number: %+v", a)
	}
	if c, err := l.Caller(t.Context(), first); err != nil || c.ID != l.id("ann") || c.Actor().Key() != "customer:"+l.id("ann") {
		t.Errorf("the call is with %+v, %v", c, err)
	}
	if s, err := l.State(t.Context(), first); err != nil || !s.Verified || s.Customer != l.id("ann") {
		t.Errorf("the state is %+v, %v", s, err)
	}
	if a := l.must(t, first, "94110"); a.Customer != "ann" {
		t.Errorf("somebody else in the same call: %+v", a)
	}
	later := first
	later.Session.ID = "another call"
	if _, err := l.Caller(t.Context(), later); !errors.Is(err, customer.ErrUnverified) {
		t.Errorf("in the next call: %v", err)
	}
	foreign := first
	foreign.Thread = second.Thread
	if c, err := l.Caller(t.Context(), foreign); err != nil || c.ID != l.id("bob") {
		t.Errorf("a call of the same name on another thread is with %+v, %v", c, err)
	}
	l.now = l.now.Add(25 * time.Hour)
	if _, err := l.Caller(t.Context(), first); !errors.Is(err, customer.ErrUnverified) {
		t.Errorf("a day later: %v", err)
	}
	none := l.call(phone, "")
	none.Session = tool.Session{}
	if _, err := l.says(t.Context(), none, "94107"); !errors.Is(err, customer.ErrNoCall) {
		t.Errorf("without a call: %v", err)
	}
}

// Nobody is verified by a number and a ZIP code that two customers have.
func TestTwoOfOneAddress(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	if _, err := l.Customers.Put(t.Context(), customer.Customer{Market: l.market, ID: l.id("eve"), Name: "Eve", Phones: []string{phone}, ZIP: "94107", Address: "12 Oak Street"}); err != nil {
		t.Fatal(err)
	}
	if a := l.must(t, l.call(phone, ""), "94107"); a.Customer != "" || a.Failures != 1 {
		t.Errorf("got %+v", a)
	}
}

// What does not fit has one answer and one cost, whether the number is known or not.
func TestNothingIsGivenAway(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	cost := func(from, zip string) (customer.Answer, int) {
		ctx, meter := telemetry.WithMeter(t.Context())
		a, err := l.says(ctx, l.call(from, "address:a"), zip)
		if err != nil {
			t.Fatal(err)
		}
		return a, meter.Cost().Requests
	}
	known, knownCost := cost(phone, "94109")
	unknown, unknownCost := cost("+14155550199", "94109")
	right, rightCost := cost(phone, "94107")
	if fmt.Sprint(known) != fmt.Sprint(unknown) || known.Failures != 1 || right.Customer == "" {
		t.Errorf("known %+v, unknown %+v, right %+v", known, unknown, right)
	}
	if knownCost != 3 || unknownCost != 3 || rightCost != 3 {
		t.Errorf("requests: known %d, unknown %d, right %d; want 3", knownCost, unknownCost, rightCost)
	}
}

// wrong has the caller say n ZIP codes that are wrong, each in a call session of its own, and wants each to be answered.
func (l *line) wrong(t testing.TB, tc tool.Context, n int) {
	t.Helper()
	for n := range n {
		tc.Session.ID = fmt.Sprint("wrong ", n)
		if a := l.must(t, tc, fmt.Sprint(10000+n)); a.Customer != "" || a.Locked || a.Person {
			t.Fatalf("attempt %d: %+v", n, a)
		}
	}
}

// Five failures lock the conversation in which they were, whatever numbers it claims, and their number for who is at the same
// address, for a day. They lock nobody else, however the number is written.
func TestField81_AStrangerLocksNobodyOut(t *testing.T) {
	t.Parallel()
	for _, spelt := range []string{phone, "415 555 0100", "001-415-555-0100"} {
		l := newLine(t)
		stranger := l.call(phone, "address:a")
		l.wrong(t, stranger, 3)
		l.must(t, l.call(phone, "address:a"), "94107") // takes nothing back: who has one account may be after another
		l.wrong(t, l.call(phone, "address:a"), 2)
		other := l.call("+14155550177", "address:c")
		l.wrong(t, other, 5)
		other.Session = tool.Session{ID: "call", Phone: phone}
		locked := map[string]tool.Context{"the address": l.call(spelt, "address:a"), "a conversation": other}
		for name, tc := range locked {
			if a := l.must(t, tc, "94107"); a.Customer != "" || !a.Locked {
				t.Errorf("%s: %s after five: %+v", spelt, name, a)
			}
		}
		for name, tc := range map[string]tool.Context{"from elsewhere": l.call(spelt, "address:b"), "signed in": l.call(spelt, "")} {
			if a := l.must(t, tc, "94107"); a.Customer != "ann" {
				t.Errorf("%s: %s: %+v", spelt, name, a)
			}
		}
		for after, want := range map[time.Duration]string{24*time.Hour - time.Second: "", 24 * time.Hour: "ann"} {
			at := l.now
			l.now = at.Add(after)
			for name, tc := range locked {
				tc.Session.ID = fmt.Sprint("later ", after)
				if a := l.must(t, tc, "94107"); a.Customer != want {
					t.Errorf("%s: %s after %v: %+v", spelt, name, after, a)
				}
			}
			l.now = at
		}
	}
}

// However many try from wherever they are, twenty guesses at a number are answered in a day. Then who claims it is handed to a
// person, whether anybody has the number or not; whose channel proves that it is theirs is verified as ever.
func TestField81_TwentyGuessesThenAPerson(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	for _, number := range []string{phone, "+14155550199"} { // which nobody has
		for n := range 20 {
			l.wrong(t, l.call(number, fmt.Sprint("address:", number, n)), 1)
		}
		for _, zip := range []string{"94107", "94109"} {
			if a := l.must(t, l.call(number, "address:z"), zip); a != (customer.Answer{Person: true, Failures: 1}) {
				t.Errorf("%s: the next, %s: %+v", number, zip, a)
			}
		}
	}
	proven := func() tool.Context {
		tc := l.call(phone, "address:z")
		tc.Actor = actor.Actor{Kind: actor.Person, ID: "whatsapp:ann", Phone: phone}
		return tc
	}
	if a := l.must(t, proven(), "94107"); a.Customer != "ann" {
		t.Errorf("proven by the channel: %+v", a)
	}
	l.wrong(t, proven(), 5)
	if a := l.must(t, proven(), "94107"); !a.Locked {
		t.Errorf("proven, after five of their own: %+v", a)
	}
	another := proven()
	another.Actor.Phone = "+14155550188"
	if a := l.must(t, another, "94107"); !a.Person {
		t.Errorf("another number is proven: %+v", a)
	}
	l.now = l.now.Add(24 * time.Hour)
	if a := l.must(t, l.call(phone, "address:z"), "94107"); a.Customer != "ann" {
		t.Errorf("a day later: %+v", a)
	}
}

// Twenty failures of an address, of whichever numbers, lock it for an hour.
func TestAnAddressIsLocked(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	for n := range 20 {
		if a := l.must(t, l.call(fmt.Sprint("+1415555", 1000+n), "address:a"), "10000"); a.Locked {
			t.Fatalf("attempt %d: %+v", n, a)
		}
	}
	if a := l.must(t, l.call(phone, "address:a"), "94107"); !a.Locked {
		t.Errorf("after twenty: %+v", a)
	}
	if a := l.must(t, l.call(phone, "address:b"), "94107"); a.Customer != "ann" {
		t.Errorf("from elsewhere: %+v", a)
	}
	l.now = l.now.Add(time.Hour)
	if a := l.must(t, l.call(phone, "address:a"), "94110"); a.Customer != "bob" {
		t.Errorf("an hour later: %+v", a)
	}
}

// What is no ZIP code counts in its call and is no guess.
func TestWhatIsNoZIPCode(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	tc := l.call(phone, "")
	for n := range 8 {
		if a := l.must(t, tc, "what?"); a.Failures != n+1 || a.Locked {
			t.Errorf("attempt %d: %+v", n, a)
		}
	}
	if a := l.must(t, tc, "94107"); a.Customer != "ann" {
		t.Errorf("then: %+v", a)
	}
}

// Of those who try at once, twenty get an answer and nobody gets in with what they learn from more.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	var mu sync.Mutex
	var all sync.WaitGroup
	answers := 0
	for n := range 24 {
		tc := l.call(phone, "")
		tc.Key = fmt.Sprint("at once ", n)
		all.Go(func() {
			for {
				a, err := l.Verify(t.Context(), tc, fmt.Sprint(20000+n))
				if fault.Retryable(err) {
					continue
				}
				mu.Lock()
				defer mu.Unlock()
				if err != nil || a.Customer != "" {
					t.Errorf("%+v, %v", a, err)
				}
				if !a.Person {
					answers++
				}
				return
			}
		})
	}
	all.Wait()
	if answers != 20 {
		t.Errorf("%d guesses were answered, want 20", answers)
	}
}

// A customer who moves, or has another number, is known by what is so now.
func TestPut(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	c, err := l.Customers.Get(t.Context(), l.market, l.id("ann"))
	if err != nil || c.Version != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	c.ZIP, c.Phones = "10001", []string{"+12125550100", phone, "1 415 555 0100"}
	if c, err = l.Customers.Put(t.Context(), c); err != nil || c.Version != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if a := l.must(t, l.call(phone, ""), "94107"); a.Customer != "" {
		t.Errorf("by the former ZIP code: %+v", a)
	}
	for _, from := range c.Phones {
		if a := l.must(t, l.call(from, ""), "10001"); a.Customer != "ann" {
			t.Errorf("%s: %+v", from, a)
		}
	}
	if _, err := l.Customers.Get(t.Context(), "elsewhere", c.ID); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("in another market: %v", err)
	}
	elsewhere := c
	elsewhere.Market = "elsewhere"
	if _, err := l.Customers.Put(t.Context(), elsewhere); !fault.Is(err, fault.Conflict) {
		t.Errorf("the same id in another market: %v", err)
	}
	if _, err := l.Customers.Get(t.Context(), l.market, "nobody"); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("nobody: %v", err)
	}
	for field, change := range map[string]func(*customer.Customer){
		"id": func(c *customer.Customer) { c.ID = "a b" }, "name": func(c *customer.Customer) { c.Name = " " }, "zip": func(c *customer.Customer) { c.ZIP = "9410" },
		"address": func(c *customer.Customer) { c.Address = "" }, "phones": func(c *customer.Customer) { c.Phones = []string{"12"} },
	} {
		bad := c
		change(&bad)
		_, err := l.Customers.Put(t.Context(), bad)
		if _, at := fault.Public(err); at != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// Whatever call fails, in every way: an attempt counts once and has one answer, and a customer is known by their number.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	for name, zip := range map[string]string{"wrong": "94109", "right": "94107", "unheard": "what?"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) customer.Answer {
				l := newLine(t)
				broken := l.over(dynamotest.Once(t, calls))
				tc := l.call(phone, "address:a")
				tc.Key = "key"
				var answer customer.Answer
				for range 2 {
					calls.Deliver(t, nil, func() (err error) {
						answer, err = broken.Verify(t.Context(), tc, zip)
						return err
					})
				}
				if answer.Customer == "" && answer.Failures != 1 {
					t.Errorf("%+v", answer)
				}
				left := 0
				for n := range 6 { // until the conversation is locked
					tc.Session.ID = fmt.Sprint("next ", n)
					if a := l.must(t, tc, fmt.Sprint(30000+n)); !a.Locked {
						left++
					}
				}
				if want := map[string]int{"wrong": 4, "right": 5, "unheard": 5}[name]; left != want {
					t.Errorf("%d more failures until it is locked, want %d", left, want)
				}
				answer.Customer = l.name(answer.Customer)
				return answer
			})
		})
	}
	for name, do := range map[string]func(*customer.Store, customer.Customer) error{
		"put": func(s *customer.Store, c customer.Customer) error {
			_, err := s.Put(t.Context(), c)
			return err
		},
		"import": func(s *customer.Store, c customer.Customer) error {
			return s.Import(t.Context(), []customer.Customer{c})
		},
		"delete": func(s *customer.Store, c customer.Customer) error { return s.Delete(t.Context(), c.Market, c.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
				l := newLine(t)
				c, err := l.Customers.Get(t.Context(), l.market, l.id("ann"))
				if err != nil {
					t.Fatal(err)
				}
				broken := l.over(dynamotest.Once(t, calls))
				c.ZIP, c.Version = "10001", 0
				calls.Deliver(t, nil, func() error { return do(broken.Customers, c) })
				left, _, err := l.Customers.Page(t.Context(), l.market, "", 10)
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(l.must(t, l.call(phone, ""), "10001").Customer, l.must(t, l.call(phone, ""), "94107").Customer, len(left))
			})
		})
	}
}

// Staff see the customers of their market, page by page, and take them away with all that they are known by.
func TestListAndDelete(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	var all []string
	for after := ""; ; {
		some, next, err := l.Customers.Page(t.Context(), l.market, after, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range some {
			all = append(all, l.name(c.ID))
		}
		if after = next; next == "" {
			break
		}
	}
	if fmt.Sprint(all) != "[ann bob]" {
		t.Errorf("listed %v", all)
	}
	for range 2 {
		if err := l.Customers.Delete(t.Context(), l.market, l.id("ann")); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Customers.Delete(t.Context(), "elsewhere", l.id("bob")); err != nil {
		t.Fatal(err)
	}
	if some, _, err := l.Customers.Page(t.Context(), l.market, "", 10); err != nil || len(some) != 1 || some[0].ID != l.id("bob") {
		t.Errorf("left %+v, %v", some, err)
	}
	if a := l.must(t, l.call(phone, ""), "94107"); a.Customer != "" {
		t.Errorf("somebody who is gone is %+v", a)
	}
}

// What somebody else changed meanwhile is not lost, and an import stores nothing where one is wrong.
func TestVersionsAndImport(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	c, err := l.Customers.Get(t.Context(), l.market, l.id("ann"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Customers.Put(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Customers.Put(t.Context(), c); !errors.Is(err, customer.ErrChanged) {
		t.Errorf("a version that is gone: %v", err)
	}
	unknown := c
	unknown.ID = l.id("nobody")
	if _, err := l.Customers.Put(t.Context(), unknown); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("a version of nothing: %v", err)
	}
	good, bad := c, c
	good.Name, bad.ID, bad.ZIP = "Anna", l.id("zed"), "1"
	if err := l.Customers.Import(t.Context(), []customer.Customer{good, bad}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a wrong one: %v", err)
	}
	if c, err = l.Customers.Get(t.Context(), l.market, c.ID); err != nil || c.Name != "ann" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := l.Customers.Import(t.Context(), []customer.Customer{good}); err != nil {
		t.Fatal(err)
	}
	if c, err = l.Customers.Get(t.Context(), l.market, c.ID); err != nil || c.Name != "Anna" || c.Version != 3 {
		t.Errorf("%+v, %v", c, err)
	}
}
