package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/event"
)

// stage is a corner whose every write is known, so that all that is stored can be told.
type stage struct {
	*corner
	thread string
	calls  *faulttest.Calls

	mu   sync.Mutex
	keys []dynamo.Key // that a request has named
	ids  []string     // of transactions, in the order they were given
}

// newStage returns a stage with a ledger that meets no fault.
func newStage(t *testing.T, calls *faulttest.Calls) *stage {
	t.Helper()
	s := &stage{corner: newCorner(t), calls: calls}
	calls.Next = dynamotest.Look{See: s.see, Next: s.aside()}
	s.owner.ID, s.thread = s.business+"-owner", s.business+"-thread"
	s.use(calls.Next, 1)
	return s
}

// meet has the ledger meet the faults from here on, through an SDK that tries so often.
func (s *stage) meet(tries int) { s.use(s.calls, tries) }

func (s *stage) use(transport http.RoundTripper, tries int) {
	l := s.over(transport, tries)
	l.Table.DB().Backoff = func(int) time.Duration { return time.Microsecond }
	l.NewID, l.Rand = s.newID, func(int) int { return 0 }
	l.Bounds = bounded20(l)
	*s.Ledger = *l
}

// newID gives ids of one shard, so that every run looks at the same ones.
func (s *stage) newID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := dynamotest.SameShard()
	s.ids = append(s.ids, id)
	return id
}

// see remembers what a request writes.
func (s *stage) see(_ string, body []byte) ([]byte, error) {
	var request any
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(request)
	return body, nil
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

// items are all that is stored.
func (s *stage) items() []dynamo.Item {
	s.t.Helper()
	s.use(s.calls.Next, 4)
	slices.SortFunc(s.keys, func(a, b dynamo.Key) int { return strings.Compare(a.PK+" "+a.SK, b.PK+" "+b.SK) })
	keys := slices.Compact(s.keys)
	items, err := s.Table.BatchGet(context.Background(), keys...)
	if err != nil {
		s.t.Fatal(err)
	}
	raised, err := s.Alerts.Table.BatchGet(context.Background(), keys...)
	if err != nil {
		s.t.Fatal(err)
	}
	rows, err := s.Rows.Table.BatchGet(context.Background(), keys...)
	if err != nil {
		s.t.Fatal(err)
	}
	alerts, err := s.Alerts.Table.Query(context.Background(), dynamo.Under("alerts", "")) // whose keys are others aside
	if err != nil {
		s.t.Fatal(err)
	}
	return slices.Concat(items, rows, raised, alerts.Items)
}

// things say of what kinds items are, and how many of each.
func things(items []dynamo.Item) string {
	n := map[string]int{}
	for _, it := range items {
		k := it.Key()
		kind, _, _ := strings.Cut(k.PK, "#")
		switch {
		case k.SK == "tx":
			kind = it.String("state")
		case strings.HasPrefix(k.SK, event.Prefix), k.SK == receiptSK, k.SK == "reply":
			kind = k.SK
		case strings.Contains(k.SK, ":token:"):
			kind = it.String("state") + " lock"
		case k.SK == "~":
			kind = "head"
		case strings.HasPrefix(k.SK, "st#"):
			kind = "row"
		case strings.HasPrefix(k.PK, "alerts"):
			kind = strings.TrimSpace("alert " + it.String("acknowledgedBy"))
		case k.SK == "open":
			kind = "open"
		}
		n[kind]++
	}
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(n)) {
		all = append(all, strings.TrimPrefix(fmt.Sprint(n[kind], " ", kind), "1 "))
	}
	return strings.Join(all, ", ")
}

// stored tells all items, without ids, and times to the minute.
func (s *stage) stored(items []dynamo.Item) []string {
	s.t.Helper()
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
	hashed  = regexp.MustCompile(`[0-9a-f]{20,}`)
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
	if strings.HasPrefix(it.Key().SK, event.Prefix) {
		delete(plain, "dueShard") // is made of ids, which differ from run to run
	}
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
	want    string // what it answers, and of what kinds are the things that there are then
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
	items := s.items()
	if got := out.Answers[0] + ": " + things(items); got != sc.want {
		t.Errorf("it comes to\n%s, want\n%s", got, sc.want)
	}
	out.Stored = s.stored(items)
	return out
}

// fixed are terms that are the same in every run.
func (s *stage) fixed(n int, more ...int) Terms {
	t := s.terms(n)
	t.Owner, t.Thread = s.owner.Key(), s.thread
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

// The things that an offer is made of, and a booking.
const (
	anOffer  = "bound, event#draft, event#hold, held lock, hold, idem"
	aBooking = "bound, confirmed, confirmed lock, event#confirmed, event#draft, event#hold, head, idem, receipt, row"
)

// The operations of a plain booking.
var (
	holdOne = scenario{name: "hold", want: "hold2: " + anOffer, prepare: func(s *stage) step { return s.holding(s.drafted(s.fixed(24)), 1) }}
	offer   = scenario{name: "offer", want: "hold2: " + anOffer, prepare: func(s *stage) step {
		return func() (string, error) {
			return answer(s.Offer(context.Background(), s.fixed(24), 1, 10*time.Minute, "k"))
		}
	}}
	confirm = scenario{name: "confirm, with the answer that tells of it", want: "confirmed3: " + strings.Replace(aBooking, "row", "reply, row", 1), prepare: func(s *stage) step {
		tx := s.promised(s.fixed(24), "offer")
		return func() (string, error) { return s.yes(tx) }
	}}
	release = scenario{name: "release a hold", want: "cancelled3: cancelled, event#cancelled, event#draft, event#hold, idem", prepare: func(s *stage) step { return s.releasing(s.promised(s.fixed(24), "offer")) }}
	expire  = scenario{name: "expire", want: "expired3: bound, event#draft, event#expired, event#hold, expired, idem", prepare: func(s *stage) step {
		tx := s.promised(s.fixed(24), "offer")
		s.clock.Add(10 * time.Minute)
		return func() (string, error) { return answer(s.Expire(context.Background(), tx.ID)) }
	}}
)

// yes confirms as a turn does: the ledger's writes with its own.
func (s *stage) yes(tx Transaction) (string, error) {
	ws, after, err := s.Ledger.ConfirmWrites(context.Background(), s.owner, tx.ID, tx.OfferHash, receiptFor(tx), "k")
	return s.settle(tx, ws, after, err)
}

// settle commits what was prepared for an answer, with the reply that tells of it.
func (s *stage) settle(tx Transaction, ws []dynamo.Write, after Transaction, err error) (string, error) {
	if err == nil {
		reply := s.Table.Put(dynamo.Key{PK: "test#" + tx.ID, SK: "reply"}, struct{ Says State }{after.State})
		err = s.Table.DB().Commit(context.Background(), append(ws, reply)...)
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
		{name: "draft", want: "draft1: draft, event#draft, idem", prepare: func(s *stage) step {
			return func() (string, error) { return answer(s.Draft(ctx, s.fixed(24), "k")) }
		}},
		holdOne, offer, confirm, release, expire,
		{name: "hold several slots", want: "hold2: bound, event#draft, event#hold, 3 held lock, hold, idem", prepare: func(s *stage) step { return s.holding(s.drafted(s.fixed(24, 25, 26)), 1) }},
		{name: "hold several nights", want: "hold2: bound, event#draft, event#hold, 2 held lock, hold, idem", prepare: func(s *stage) step { return s.holding(s.drafted(s.fixed(24, 48)), 2) }},
		{name: "hold the second of three", want: "hold2: 2 bound, 2 event#draft, 2 event#hold, 2 held lock, 2 hold, 2 idem", prepare: func(s *stage) step {
			s.promised(s.another(s.fixed(24)), "another")
			return s.holding(s.drafted(s.fixed(24)), 3)
		}},
		{name: "take over an expired hold", want: "hold2: 2 bound, 2 event#draft, event#expired, 2 event#hold, expired, held lock, hold, 2 idem", prepare: func(s *stage) step {
			s.promised(s.another(s.fixed(24, 25)), "another")
			s.clock.Add(10 * time.Minute)
			return s.holding(s.drafted(s.fixed(24)), 1)
		}},
		{name: "replace the thread's own offer", want: "hold2: bound, cancelled, event#cancelled, 2 event#draft, 2 event#hold, 2 held lock, hold, 2 idem", prepare: func(s *stage) step {
			s.promised(s.fixed(24, 25), "first")
			return func() (string, error) {
				return answer(s.Offer(ctx, s.fixed(25, 26), 1, 10*time.Minute, "k"))
			}
		}},
		{name: "hold what is taken", want: "this time is taken: bound, confirmed, confirmed lock, draft, event#confirmed, 2 event#draft, event#hold, head, 2 idem, receipt, row", prepare: func(s *stage) step {
			s.booked(s.fixed(24), "offer")
			return s.holding(s.drafted(s.another(s.fixed(24))), 1)
		}},
		{name: "offer what is taken", want: "this time is taken: " + aBooking, prepare: func(s *stage) step {
			s.booked(s.fixed(24), "offer")
			return func() (string, error) { return answer(s.Offer(ctx, s.another(s.fixed(24)), 1, time.Minute, "k")) }
		}},
		{name: "confirm", want: "confirmed3: " + aBooking, prepare: func(s *stage) step {
			tx := s.promised(s.fixed(24), "offer")
			return func() (string, error) { return answer(s.confirm(tx, "k")) }
		}},
		{name: "confirm too late", want: "the hold has expired: " + anOffer, prepare: func(s *stage) step {
			tx := s.promised(s.fixed(24), "offer")
			s.clock.Add(10 * time.Minute)
			return func() (string, error) { return s.yes(tx) }
		}},
		{name: "release a draft", want: "cancelled2: cancelled, event#cancelled, event#draft, idem", prepare: func(s *stage) step { return s.releasing(s.drafted(s.fixed(24))) }},
		{name: "release a booking", want: "cancelled4: cancelled, event#cancelled, event#confirmed, event#draft, event#hold, head, idem, receipt", prepare: func(s *stage) step { return s.releasing(s.booked(s.fixed(24, 25), "offer")) }},
		{name: "mark a no-show", want: "no_show4: bound, confirmed lock, event#confirmed, event#draft, event#hold, event#no_show, head, idem, no_show, noshow, receipt", prepare: func(s *stage) step {
			tx := s.begunAt(s.fixed(24))
			return func() (string, error) { return answer(s.Mark(ctx, clerk, tx.ID, "k")) }
		}},
		{name: "take a no-show back", want: "confirmed5: bound, confirmed, confirmed lock, event#came, event#confirmed, event#draft, event#hold, event#no_show, head, idem, receipt, row", prepare: func(s *stage) step {
			tx := s.begunAt(s.fixed(24))
			if _, err := s.Mark(ctx, clerk, tx.ID, "m"); err != nil {
				s.t.Fatal(err)
			}
			return func() (string, error) { return answer(s.TakeBack(ctx, clerk, tx.ID, "k")) }
		}},
		{name: "say NO to an offer", want: "cancelled3: cancelled, event#cancelled, event#draft, event#hold, idem, reply", prepare: func(s *stage) step {
			tx := s.promised(s.fixed(24), "offer")
			return func() (string, error) {
				ws, after, err := s.Ledger.ReleaseWrites(ctx, s.owner, tx.ID, "no", "k")
				return s.settle(tx, ws, after, err)
			}
		}},
		{name: "offer no longer than until a time", want: "hold2 until 12:05: " + anOffer, prepare: func(s *stage) step {
			by := s.Now().Add(5 * time.Minute)
			return func() (string, error) {
				tx, err := s.OfferUntil(ctx, Transaction{Terms: s.fixed(24)}, 1, 10*time.Minute, by, "k")
				said, err := answer(tx, err)
				return said + tx.HoldExpiresAt.Format(" until 15:04"), err
			}
		}},
		{name: "move a booking", want: "confirmed3: bound, cancelled, confirmed, confirmed lock, event#cancelled, 2 event#confirmed, 2 event#draft, 2 event#hold, head, 2 idem, 2 receipt, reply, row", prepare: func(s *stage) step {
			t := s.fixed(30)
			t.Replaces = s.booked(s.fixed(24, 25), "old").ID
			tx := s.promised(t, "new")
			return func() (string, error) {
				ws, moved, _, err := s.Ledger.MoveWrites(ctx, s.owner, tx.ID, tx.OfferHash, receiptFor(tx), "k")
				return s.settle(tx, ws, moved, err)
			}
		}},
		{name: "move a booking into its own place", want: "confirmed3: bound, cancelled, confirmed, confirmed lock, event#cancelled, 2 event#confirmed, 2 event#draft, 2 event#hold, head, 2 idem, 2 receipt, reply, row", prepare: func(s *stage) step {
			t := s.fixed(24)
			t.Replaces, t.Party = s.booked(t, "old").ID, 4
			tx := s.promised(t, "new")
			return func() (string, error) {
				ws, moved, _, err := s.Ledger.MoveWrites(ctx, s.owner, tx.ID, tx.OfferHash, receiptFor(tx), "k")
				return s.settle(tx, ws, moved, err)
			}
		}},
		{name: "forget", want: ": " + aBooking, prepare: func(s *stage) step {
			terms := s.fixed(24)
			terms.CustomerName = "Ann"
			tx := s.booked(terms, "offer")
			s.clock.Set(tx.End)
			return func() (string, error) {
				if _, err := (HeldBookings{s.Ledger}).Forget(ctx, []Transaction{tx}); err != nil {
					return "", err
				}
				return strings.Join(s.said(tx.ID), " "), nil
			}
		}},
		{name: "forget once it is over", want: ": " + aBooking, long: true, prepare: func(s *stage) step {
			terms := s.fixed(24)
			terms.CustomerName = "Ann"
			tx := s.booked(terms, "offer")
			if _, err := (HeldBookings{s.Ledger}).Forget(ctx, []Transaction{tx}); err != nil {
				s.t.Fatal(err)
			}
			s.clock.Set(tx.End)
			return func() (string, error) {
				if _, err := s.CheckInvariants(ctx, dynamo.Budget{Workers: 1}); err != nil {
					return "", err
				}
				return strings.Join(s.said(tx.ID), " "), nil
			}
		}},
		{name: "cancel a booking", want: "cancelled4: cancelled, event#cancelled, event#confirmed, event#draft, event#hold, head, idem, receipt", prepare: func(s *stage) step {
			tx := s.booked(s.fixed(24), "offer")
			return func() (string, error) {
				ws, after, err := s.Ledger.CancelWrites(ctx, s.owner, tx.ID, CancelHash(tx, s.Now()), "k")
				if err == nil {
					err = s.Table.DB().Commit(ctx, ws...)
				}
				if errors.Is(err, ErrCancelled) {
					return answer(Transaction{State: Cancelled, Version: tx.Version + 1}, nil)
				}
				return answer(after, err)
			}
		}},
		{name: "sweep", want: ": 3 bound, 3 event#draft, 3 event#expired, 3 event#hold, 3 expired, 3 idem", long: true, prepare: func(s *stage) step {
			for n := range 3 {
				s.promised(s.fixed(24+2*n, 25+2*n), fmt.Sprint("offer", n))
			}
			s.clock.Add(10 * time.Minute)
			return func() (string, error) {
				_, err := s.Sweep(ctx, dynamo.Budget{Workers: 1})
				return "", err
			}
		}},
		{name: "check the invariants", want: ": 3 alert, bound, confirmed, confirmed lock, event#draft, event#hold, head, idem, 3 open, receipt, row", long: true, prepare: func(s *stage) step {
			tx := s.booked(s.fixed(24), "offer")
			for _, broken := range []dynamo.Write{
				s.Table.Put(lockKey{s.business, "table", noon.Add(25 * time.Hour), 0}.item(), lock{Name: s.business + ":offering:table:2030-06-04T13:00", Tx: "gone", State: lockConfirmed}),
				s.Table.Delete(eventKey(tx.ID, string(Confirmed))),
				s.Rows.Moved(tx.stand(), nil)[0],
			} {
				if err := s.Table.DB().Commit(ctx, broken); err != nil {
					s.t.Fatal(err)
				}
			}
			s.clock.Add(2 * auditAfter)
			return func() (string, error) {
				_, err := s.CheckInvariants(ctx, dynamo.Budget{Workers: 1})
				return "", err
			}
		}},
	}
}

// Every call of every operation meets every fault that it can, the operation is delivered
// again, and once more for no reason: it answers, and leaves, what it does without.
func TestField16_EveryOperationMeetsEveryFault(t *testing.T) {
	t.Parallel()
	for _, sc := range operations() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			faults := faulttest.Faults
			if sc.long && seedtest.Times(t, 1) == 1 { // what has very many schedules
				faults = kinds
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

// kinds are one fault of each kind that a ledger can tell apart.
var kinds = []faulttest.Fault{faulttest.DiesBefore, faulttest.AnswerLost, faulttest.Conflict, faulttest.InProgress}

// Every two faults in a row, at every two calls of an operation and of what comes again. The long
// form tries all faults of a plain booking, one of each kind of the others, and deaths of those
// that look at all shards, which are too many for the short one.
func TestField16_EveryTwoFaults(t *testing.T) {
	t.Parallel()
	plain := map[string]bool{holdOne.name: true, offer.name: true, confirm.name: true, release.name: true, expire.name: true}
	for _, sc := range operations() {
		faults := kinds
		switch {
		case sc.long && seedtest.Times(t, 1) == 1:
			continue
		case sc.long:
			faults = []faulttest.Fault{faulttest.DiesAfter}
		case plain[sc.name]:
			faults = faulttest.Faults
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			faulttest.Pairs(t, faults, func(t *testing.T, calls *faulttest.Calls) outcome { return sc.run(t, calls, 1) })
		})
	}
}
