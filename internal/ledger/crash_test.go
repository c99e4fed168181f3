package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"merve/internal/actor"
	"merve/internal/dynamo"
	"merve/internal/dynamo/dynamotest"
	"merve/internal/fault"
	"merve/internal/faulttest"
	"merve/internal/seedtest"
)

// stage is a corner whose every write is known, so that all that is stored can be told.
type stage struct {
	*shop
	calls *faulttest.Calls

	mu   sync.Mutex
	keys []dynamo.Key // that a request has named
	ids  []string     // of transactions, in the order they were given
}

// newStage returns a stage with a ledger that meets no fault.
func newStage(t *testing.T, calls *faulttest.Calls) *stage {
	t.Helper()
	s := &stage{shop: newShop(t), calls: calls}
	calls.Next = s
	s.owner.ID, s.tc.Actor.ID, s.tc.Thread = s.business+"-owner", s.business+"-owner", s.business+"-thread"
	s.use(s, 1)
	return s
}

// meet has the ledger meet the faults from here on, through an SDK that tries so often.
func (s *stage) meet(tries int) { s.use(s.calls, tries) }

func (s *stage) use(transport http.RoundTripper, tries int) {
	l := s.over(transport, tries)
	l.Table.DB().Backoff = func(int) time.Duration { return time.Microsecond }
	l.NewID, l.Rand = s.newID, func(int) int { return 0 }
	*s.Ledger = *l
}

// newID gives ids of one shard, so that every run looks at the same ones.
func (s *stage) newID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		id := dynamotest.ID("t")
		if dynamo.DueShard("", id) == dynamo.DueShard("", "the same") {
			s.ids = append(s.ids, id)
			return id
		}
	}
}

// RoundTrip passes a request on and remembers what it writes.
func (s *stage) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var request any
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.note(request)
	s.mu.Unlock()
	there := r.Clone(r.Context())
	there.Body = io.NopCloser(bytes.NewReader(body))
	return aside{s.business}.RoundTrip(there)
}

// note remembers the keys of items in a request.
func (s *stage) note(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			s.note(e)
		}
	case map[string]any:
		pk, _ := v["pk"].(map[string]any)
		sk, _ := v["sk"].(map[string]any)
		if pk != nil && sk != nil {
			s.keys = append(s.keys, dynamo.Key{PK: fmt.Sprint(pk["S"]), SK: fmt.Sprint(sk["S"])})
			return
		}
		for _, e := range v {
			s.note(e)
		}
	}
}

// again is what happens before something is delivered again: time passes.
func (s *stage) again() { s.clock.Add(time.Second) }

// outcome is what an operation answered each time, and all that is stored.
type outcome struct{ Answers, Stored []string }

// stored tells all items, without ids, and times to the minute.
func (s *stage) stored() []string {
	s.t.Helper()
	s.use(s, 4)
	slices.SortFunc(s.keys, func(a, b dynamo.Key) int { return strings.Compare(a.PK+" "+a.SK, b.PK+" "+b.SK) })
	items, err := s.Table.BatchGet(context.Background(), slices.Compact(s.keys)...)
	if err != nil {
		s.t.Fatal(err)
	}
	names := []string{s.business, "BIZ"}
	for _, id := range s.ids {
		if slices.ContainsFunc(items, func(it dynamo.Item) bool { return it.Key() == txKey(id) }) {
			names = append(names, id, fmt.Sprintf("TX%d", len(names)/2), codeOf(id), "CODE")
		}
	}
	var lines []string
	for _, it := range items {
		lines = append(lines, s.line(it, strings.NewReplacer(names...)))
	}
	slices.Sort(lines)
	return lines
}

var (
	hashed  = regexp.MustCompile(`[0-9a-f]{32}`)
	seconds = regexp.MustCompile(`(T\d\d:\d\d):\d\d\.\d{3}Z`)
)

func (s *stage) line(it dynamo.Item, names *strings.Replacer) string {
	var tx Transaction
	if it.Key().SK == "tx" {
		if err := it.Decode(&tx); err != nil || tx.OfferHash != "" && tx.OfferHash != OfferHash(tx) {
			s.t.Errorf("%v makes another offer than its hash says: %v", it.Key(), err)
		}
	}
	var plain map[string]any
	if err := attributevalue.UnmarshalMap(it, &plain); err != nil {
		s.t.Fatal(err)
	}
	delete(plain, "seen") // an alert may have been seen more often
	b, err := json.Marshal(toMinutes(plain))
	if err != nil {
		s.t.Fatal(err)
	}
	return seconds.ReplaceAllString(hashed.ReplaceAllString(names.Replace(string(b)), "HASH"), "$1")
}

// toMinutes cuts the seconds off times, which are large numbers: of seconds, or
// milliseconds.
func toMinutes(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = toMinutes(v[name])
		}
	case []any:
		for i := range v {
			v[i] = toMinutes(v[i])
		}
	case float64:
		switch {
		case v > 1e12:
			return time.UnixMilli(int64(v)).UTC().Truncate(time.Minute)
		case v > 1e9:
			return time.Unix(int64(v), 0).UTC().Truncate(time.Minute)
		}
	}
	return v
}

// step is an operation under test. What it answers, refusals too, is final; an error is not.
type step func() (string, error)

// answer tells a transaction, or the ledger's refusal, and passes other errors on.
func answer(tx Transaction, err error) (string, error) {
	var known *fault.Error
	switch {
	case errors.As(err, &known) && known.Kind != fault.Unavailable && known.Kind != fault.Internal:
		return known.Message, nil
	case err != nil:
		return "", err
	}
	return fmt.Sprint(tx.State, tx.Version), nil
}

// scenario prepares a stage without faults, and returns the step that meets them.
type scenario struct {
	name    string
	prepare func(s *stage) step
	long    bool // looks at all shards: does not come again when all went well
}

func (sc scenario) run(t *testing.T, calls *faulttest.Calls, tries int) outcome {
	t.Helper()
	s := newStage(t, calls)
	do := sc.prepare(s)
	s.meet(tries)
	var out outcome
	for range 2 {
		said := ""
		calls.Deliver(t, s.again, func() (err error) { said, err = do(); return err })
		out.Answers = append(out.Answers, said)
		if s.again(); sc.long {
			break
		}
	}
	out.Stored = s.stored()
	return out
}

// fixed are terms that are the same in every run.
func (s *stage) fixed(n int, more ...int) Terms {
	t := s.terms(n)
	t.Owner, t.Thread = s.owner.Key(), s.tc.Thread
	for _, m := range more {
		start := noon.Add(time.Duration(m) * time.Hour)
		t.Slots, t.End = append(t.Slots, start), start.Add(time.Hour)
	}
	return t
}

func (s *stage) another(t Terms) Terms {
	t.Owner, t.Thread = actor.Actor{Kind: actor.User, ID: s.business + "-other"}.Key(), s.business+"-other-thread"
	return t
}

// drafted, promised and booked: without faults.
func (s *stage) drafted(t Terms) Transaction {
	s.t.Helper()
	tx, err := s.Draft(context.Background(), t, "draft")
	if err != nil {
		s.t.Fatal(err)
	}
	return tx
}

func (s *stage) promised(t Terms, key string) Transaction {
	s.t.Helper()
	tx, err := s.Offer(context.Background(), t, 1, 10*time.Minute, key)
	if err != nil {
		s.t.Fatal(err)
	}
	return tx
}

func (s *stage) booked(t Terms, key string) Transaction {
	s.t.Helper()
	tx, err := s.confirm(s.promised(t, key), "yes")
	if err != nil {
		s.t.Fatal(err)
	}
	return tx
}

// begunAt is a booking whose start has passed.
func (s *stage) begunAt(t Terms) Transaction {
	s.t.Helper()
	tx := s.booked(t, "offer")
	s.clock.Set(tx.Start)
	return tx
}

func (s *stage) holding(tx Transaction, capacity int) step {
	until := s.Now().Add(20 * time.Minute)
	return func() (string, error) { return answer(s.Hold(context.Background(), tx.ID, capacity, until, "k")) }
}

func (s *stage) releasing(tx Transaction) step {
	return func() (string, error) {
		return answer(s.Release(context.Background(), s.owner, tx.ID, "why", "k"))
	}
}

func (s *stage) using(name, args string) step {
	return func() (string, error) {
		r, err := s.call(name, args, "k")
		if err != nil {
			return answer(Transaction{}, err)
		}
		return fmt.Sprint(r.Proposal != nil, codes.ReplaceAllString(fmt.Sprint(r.Facts), ":CODE")), nil
	}
}

// The operations whose every two faults are tried too.
var (
	holdOne = scenario{name: "hold", prepare: func(s *stage) step { return s.holding(s.drafted(s.fixed(24)), 1) }}
	offer   = scenario{name: "offer", prepare: func(s *stage) step {
		return func() (string, error) {
			return answer(s.Offer(context.Background(), s.fixed(24), 1, 10*time.Minute, "k"))
		}
	}}
	confirm = scenario{name: "confirm, with the answer that tells of it", prepare: func(s *stage) step {
		tx := s.promised(s.fixed(24), "offer")
		return func() (string, error) { return s.yes(tx) }
	}}
	release = scenario{name: "release a hold", prepare: func(s *stage) step { return s.releasing(s.promised(s.fixed(24), "offer")) }}
	expire  = scenario{name: "expire", prepare: func(s *stage) step {
		tx := s.promised(s.fixed(24), "offer")
		s.clock.Add(10 * time.Minute)
		return func() (string, error) { return answer(s.Expire(context.Background(), tx.ID)) }
	}}
)

// yes confirms as a turn does: the ledger's writes with its own.
func (s *stage) yes(tx Transaction) (string, error) {
	ctx := context.Background()
	ws, after, err := (Confirmer{s.Ledger}).Writes(ctx, s.owner, tx.ID, tx.OfferHash, receiptFor(tx), "k")
	if err == nil {
		reply := s.Table.Put(dynamo.Key{PK: "tx#" + tx.ID, SK: "reply"}, struct{ Says State }{after.State})
		err = s.Table.DB().Commit(ctx, append(ws, reply)...)
	}
	var already *AlreadyConfirmed
	if errors.As(err, &already) {
		return answer(already.Transaction, nil)
	}
	return answer(after, err)
}

func operations() []scenario {
	ctx := context.Background()
	return []scenario{
		{name: "draft", prepare: func(s *stage) step {
			return func() (string, error) { return answer(s.Draft(ctx, s.fixed(24), "k")) }
		}},
		holdOne, offer, confirm, release, expire,
		{name: "hold several slots", prepare: func(s *stage) step { return s.holding(s.drafted(s.fixed(24, 25, 26)), 1) }},
		{name: "hold several nights", prepare: func(s *stage) step { return s.holding(s.drafted(s.fixed(24, 48)), 2) }},
		{name: "hold the second of three", prepare: func(s *stage) step {
			s.promised(s.another(s.fixed(24)), "another")
			return s.holding(s.drafted(s.fixed(24)), 3)
		}},
		{name: "take over an expired hold", prepare: func(s *stage) step {
			s.promised(s.another(s.fixed(24, 25)), "another")
			s.clock.Add(10 * time.Minute)
			return s.holding(s.drafted(s.fixed(24)), 1)
		}},
		{name: "replace the thread's own offer", prepare: func(s *stage) step {
			s.promised(s.fixed(24, 25), "first")
			return func() (string, error) {
				return answer(s.Offer(ctx, s.fixed(25, 26), 1, 10*time.Minute, "k"))
			}
		}},
		{name: "hold what is taken", prepare: func(s *stage) step {
			s.booked(s.fixed(24), "offer")
			return s.holding(s.drafted(s.another(s.fixed(24))), 1)
		}},
		{name: "offer what is taken", prepare: func(s *stage) step {
			s.booked(s.fixed(24), "offer")
			return func() (string, error) { return answer(s.Offer(ctx, s.another(s.fixed(24)), 1, time.Minute, "k")) }
		}},
		{name: "confirm", prepare: func(s *stage) step {
			tx := s.promised(s.fixed(24), "offer")
			return func() (string, error) { return answer(s.confirm(tx, "k")) }
		}},
		{name: "confirm too late", prepare: func(s *stage) step {
			tx := s.promised(s.fixed(24), "offer")
			s.clock.Add(10 * time.Minute)
			return func() (string, error) { return s.yes(tx) }
		}},
		{name: "release a draft", prepare: func(s *stage) step { return s.releasing(s.drafted(s.fixed(24))) }},
		{name: "release a booking", prepare: func(s *stage) step { return s.releasing(s.booked(s.fixed(24, 25), "offer")) }},
		{name: "mark a no-show", prepare: func(s *stage) step {
			tx := s.begunAt(s.fixed(24))
			return func() (string, error) { return answer(s.Mark(ctx, clerk, tx.ID, "k")) }
		}},
		{name: "take a no-show back", prepare: func(s *stage) step {
			tx := s.begunAt(s.fixed(24))
			if _, err := s.Mark(ctx, clerk, tx.ID, "m"); err != nil {
				s.t.Fatal(err)
			}
			return func() (string, error) { return answer(s.TakeBack(ctx, clerk, tx.ID, "k")) }
		}},
		{name: "tool leaveWaitlist", prepare: func(s *stage) step {
			t := s.fixed(24)
			if err := s.Wait(ctx, Waiting{ID: "w1", Terms: t, Since: s.Now(), TTL: t.Start.Unix()}); err != nil {
				s.t.Fatal(err)
			}
			return s.using("leaveWaitlist", `{"waitingId":"w1"}`)
		}},
		{name: "raise an alert", prepare: func(s *stage) step {
			return func() (string, error) {
				return "", s.RaiseAlert(ctx, Alert{Check: "test", Severity: Error, Subject: s.business, Message: "look"})
			}
		}},
		{name: "acknowledge an alert", prepare: func(s *stage) step {
			if err := s.RaiseAlert(ctx, Alert{Check: "test", Severity: Error, Subject: s.business, Message: "look"}); err != nil {
				s.t.Fatal(err)
			}
			id := s.alertsOn(s.business)[0].ID
			return func() (string, error) { return "", s.Acknowledge(ctx, id, "op") }
		}},
		{name: "tool initiateBooking", prepare: func(s *stage) step { return s.using("initiateBooking", at("2030-06-04", "19:00")) }},
		{name: "tool initiateBooking, taken", prepare: func(s *stage) step {
			terms := s.another(s.fixed(28))
			terms.Slots = []time.Time{time.Date(2030, 6, 4, 16, 0, 0, 0, time.UTC)}
			s.promised(terms, "another")
			return s.using("initiateBooking", at("2030-06-04", "19:00"))
		}},
		{name: "tool getMyBookings", prepare: func(s *stage) step {
			s.booked(s.fixed(24), "offer")
			return s.using("getMyBookings", `{}`)
		}},
		{name: "tool cancelBooking", prepare: func(s *stage) step {
			return s.using("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, s.booked(s.fixed(24), "offer").ID))
		}},
		{name: "cancel a booking", prepare: func(s *stage) step {
			tx := s.booked(s.fixed(24), "offer")
			return func() (string, error) {
				ws, after, err := (Canceller{s.Ledger}).Writes(ctx, s.owner, tx.ID, CancelHash(tx, s.Now()), "k")
				if err == nil {
					err = s.Table.DB().Commit(ctx, ws...)
				}
				if errors.Is(err, ErrCancelled) {
					return answer(Transaction{State: Cancelled, Version: tx.Version + 1}, nil)
				}
				return answer(after, err)
			}
		}},
		{name: "sweep", long: true, prepare: func(s *stage) step {
			for n := range 3 {
				s.promised(s.fixed(24+2*n, 25+2*n), fmt.Sprint("offer", n))
			}
			s.clock.Add(10 * time.Minute)
			return func() (string, error) {
				_, err := s.Sweep(ctx, Limits{Workers: 1})
				return "", err
			}
		}},
		{name: "check the invariants", long: true, prepare: func(s *stage) step {
			tx := s.booked(s.fixed(24), "offer")
			for _, broken := range []dynamo.Write{
				s.Table.Put(lockKey{s.business, "table", noon.Add(25 * time.Hour), 0}.item(), lock{Name: s.business + ":offering:table:2030-06-04T13:00", Tx: "gone", State: lockConfirmed}),
				s.Table.Delete(eventKey(tx.ID, string(Confirmed))),
			} {
				if err := s.Table.DB().Commit(ctx, broken); err != nil {
					s.t.Fatal(err)
				}
			}
			s.clock.Add(2 * auditAfter)
			return func() (string, error) {
				_, err := s.CheckInvariants(ctx, Limits{Workers: 1})
				return "", err
			}
		}},
	}
}

// codes are those of bookings, which differ from run to run.
var codes = regexp.MustCompile(`:[0-9A-Z]+`)

// Every call of every operation meets every fault that it can, the operation is delivered
// again, and once more for no reason: it answers, and leaves, what it does without.
func TestField16_EveryOperationMeetsEveryFault(t *testing.T) {
	t.Parallel()
	for _, sc := range operations() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			faults := faulttest.Faults
			if sc.long {
				faults = kinds(t)
			}
			faulttest.Everywhere(t, faults, func(t *testing.T, calls *faulttest.Calls) outcome { return sc.run(t, calls, 1) })
		})
	}
}

// The same through an SDK that tries again by itself, as in production.
func TestField16_FaultsBelowAnSDKThatTriesAgain(t *testing.T) {
	t.Parallel()
	for _, sc := range []scenario{holdOne, confirm} {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) outcome { return sc.run(t, calls, 4) })
		})
	}
}

// kinds are one fault of each kind that a ledger can tell apart, for what has very many
// schedules. The long form tries all.
func kinds(t *testing.T) []faulttest.Fault {
	if seedtest.Times(t, 1) > 1 {
		return faulttest.Faults
	}
	return []faulttest.Fault{faulttest.DiesBefore, faulttest.AnswerLost, faulttest.Conflict, faulttest.InProgress}
}

// Every two faults in a row, at every two calls of an operation and of what comes again.
func TestField16_EveryTwoFaults(t *testing.T) {
	t.Parallel()
	for _, sc := range []scenario{holdOne, offer, confirm, release, expire} {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			faulttest.Pairs(t, kinds(t), func(t *testing.T, calls *faulttest.Calls) outcome { return sc.run(t, calls, 1) })
		})
	}
}
