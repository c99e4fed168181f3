package thread_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
)

// crash is a thread on which something is done behind calls that fail.
type crash struct {
	*testing.T
	calls   *faulttest.Calls
	clock   *clock
	who, id string
	store   *thread.Store // that fails
	sound   *thread.Store // that does not
	names   []string      // pairs of ids and what stands for them
}

func newCrash(t *testing.T, calls *faulttest.Calls, table string) *crash {
	c := newClock()
	x := &crash{T: t, calls: calls, clock: c, who: dynamotest.ID("who"), sound: newStore(t, c), store: newStore(t, c)}
	db := dynamotest.Once(t, calls)
	x.store.Table = db.Table(table)
	x.sound.Table = dynamotest.Open(t).Table(table)
	in := message(x.who, "", "")
	x.id = thread.Of(in)
	x.names = []string{x.id, "the thread", in.From.Key(), "the owner", dynamo.DueShard("thread", x.id), "the shard"}
	for _, id := range []string{"0", "1", "2", "stop", "start", "long"} {
		x.names = append(x.names, thread.MessageID(x.id, in.Channel, id), "message "+id)
	}
	x.names = append(x.names, thread.MessageID(x.id, "notice", "event-1"), "notice 1")
	return x
}

// deliver does something until it is done; in between, the lease of whoever died runs out.
func (x *crash) deliver(step func(ctx context.Context) error) {
	x.Helper()
	x.calls.Deliver(x.T, func() { x.clock.add(thread.LeaseFor + time.Second) }, func() error { return step(x.Context()) })
}

// converse is what a client's message brings about: it is appended, and its turn is run by
// whoever has the lease. Come again, it is answered already.
func (x *crash) converse(s *thread.Store, id string, o thread.Outcome) func(context.Context) error {
	return func(ctx context.Context) error {
		a, err := s.Append(ctx, message(x.who, id, "text of "+id), true)
		if err != nil {
			return err
		}
		return x.work(s, a.Lease, o)(ctx)
	}
}

// work runs a turn, under a lease or under one that it takes: it decides, which it finds in
// the journal when somebody has before, and commits with an effect that joins.
func (x *crash) work(s *thread.Store, given *thread.Lease, o thread.Outcome) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		l := given
		if l == nil {
			l, _, err = s.Take(ctx, x.id)
			if errors.Is(err, thread.ErrNothing) {
				return nil
			}
		}
		if err != nil {
			return err
		}
		th, err := s.Open(ctx, l)
		if err != nil {
			return err
		}
		e, err := s.Record(ctx, x.id, th.Number(), thread.Entry{Kind: "decision", Data: fmt.Sprintf("turn %d", th.Number())}, x.effect(s, "decided"))
		if err != nil {
			return err
		}
		o.Turn = thread.Turn{N: th.Number(), In: th.Inbox, Out: []thread.Reply{{Text: e.Data}}, At: s.Now()}
		return s.Commit(ctx, l, th, o, x.effect(s, "done"))
	}
}

// effect counts how often something has happened.
func (x *crash) effect(s *thread.Store, name string) dynamo.Write {
	return s.Table.Update(dynamo.Key{PK: x.id, SK: "test#effect#" + name}, "ADD #times :one", dynamo.V{":one": 1})
}

func (x *crash) must(err error) {
	x.Helper()
	if err != nil {
		x.Fatal(err)
	}
}

// partition is everything that is stored under the thread, without times and leases: how
// many there were is the one thing that a crash may change.
func (x *crash) partition() map[string]map[string]any {
	x.Helper()
	page, err := x.sound.Table.Query(x.Context(), dynamo.Under(x.id, ""))
	x.must(err)
	all, anonymous := map[string]map[string]any{}, strings.NewReplacer(x.names...)
	for _, it := range page.Items {
		if it.Int("epoch") != it.Int("done") && it["inbox"] == nil {
			x.Errorf("all is answered, and the last of %d leases to commit was the %d.", it.Int("epoch"), it.Int("done"))
		}
		var plain map[string]any
		x.must(attributevalue.UnmarshalMap(it, &plain))
		all[anonymous.Replace(it.Key().SK)] = timeless(plain, anonymous)
	}
	return all
}

func timeless(item map[string]any, anonymous *strings.Replacer) map[string]any {
	for name, v := range item {
		switch v := v.(type) {
		case string:
			item[name] = anonymous.Replace(v)
		case map[string]any:
			timeless(v, anonymous)
		case []any:
			for _, e := range v {
				if m, ok := e.(map[string]any); ok {
					timeless(m, anonymous)
				}
			}
		}
		switch name {
		case "at", "ttl", "until", "lastIn", "created", "dueAt", "listedAt", "since":
			item[name] = "some"
		case "leaseBy", "leaseUntil", "epoch", "done", "linked": // crash.linked counts those
			delete(item, name)
		}
	}
	return item
}

// another is a thread of somebody else.
func (x *crash) another() string {
	x.Helper()
	return mustAppend(x.T, x.sound, message(x.who+"-other", "1", "hi"), false).Thread
}

// linked is who is linked with the thread and with another one.
func (x *crash) linked(other string) [2]int {
	x.Helper()
	var n [2]int
	for i, id := range []string{x.id, other} {
		h, err := x.sound.Head(x.Context(), id)
		x.must(err)
		n[i] = len(h.Linked)
	}
	return n
}

func pending(id string) *thread.Pending {
	return &thread.Pending{ID: id, Kind: "booking", Ref: "tx-" + id, Hash: "h", Summary: "a table for two"}
}

// scenarios are the operations of a thread, each with what has to be there before.
func scenarios() map[string]func(x *crash) any {
	return map[string]func(x *crash) any{
		"first contact": func(x *crash) any {
			x.deliver(func(ctx context.Context) error {
				_, err := x.store.Append(ctx, message(x.who, "1", "hi"), false)
				return err
			})
			return nil
		},
		"another message, long": func(x *crash) any {
			mustAppend(x.T, x.sound, message(x.who, "1", "hi"), false)
			x.deliver(func(ctx context.Context) error {
				_, err := x.store.Append(ctx, message(x.who, "2", strings.Repeat("long ", 300)), false)
				return err
			})
			return nil
		},
		"duplicate": func(x *crash) any {
			mustAppend(x.T, x.sound, message(x.who, "1", "hi"), false)
			x.deliver(func(ctx context.Context) error {
				a, err := x.store.Append(ctx, message(x.who, "1", "hi"), true)
				if err == nil && (!a.Duplicate || a.Lease != nil) {
					x.Errorf("appended again: %+v", a)
				}
				return err
			})
			return nil
		},
		"message while a turn runs": func(x *crash) any {
			mustAppend(x.T, x.sound, message(x.who, "1", "hi"), true)
			x.deliver(func(ctx context.Context) error {
				_, err := x.store.Append(ctx, message(x.who, "2", "and"), true)
				return err
			})
			x.clock.add(thread.LeaseFor + time.Second)
			x.must(x.work(x.sound, nil, thread.Outcome{})(x.Context()))
			return nil
		},
		"turn of a client": func(x *crash) any {
			x.deliver(x.converse(x.store, "1", thread.Outcome{Language: "en"}))
			return nil
		},
		"turn of the queue": func(x *crash) any {
			mustAppend(x.T, x.sound, message(x.who, "1", "hi"), false)
			x.deliver(x.work(x.store, nil, thread.Outcome{Language: "tr"}))
			return nil
		},
		"proposal": func(x *crash) any {
			x.must(x.converse(x.sound, "1", thread.Outcome{Pending: pending("old")})(x.Context()))
			x.deliver(x.converse(x.store, "2", thread.Outcome{Pending: pending("new")}))
			return nil
		},
		"pending action consumed": func(x *crash) any {
			x.must(x.converse(x.sound, "1", thread.Outcome{Pending: pending("old")})(x.Context()))
			x.deliver(x.converse(x.store, "2", thread.Outcome{}))
			return nil
		},
		"STOP and START": func(x *crash) any {
			x.must(x.converse(x.sound, "1", thread.Outcome{})(x.Context()))
			x.deliver(x.converse(x.store, "stop", thread.Outcome{OptedOut: true}))
			mayWrite := func() error {
				return x.sound.Table.DB().Commit(x.Context(), x.sound.MayWrite(x.id, thread.Reach{}, func(why thread.Why) error { return errors.New(string(why)) }))
			}
			stopped := mayWrite()
			x.deliver(x.converse(x.store, "start", thread.Outcome{}))
			return []string{fmt.Sprint(stopped), fmt.Sprint(mayWrite())}
		},
		"handed to a person": func(x *crash) any {
			x.must(x.converse(x.sound, "1", thread.Outcome{})(x.Context()))
			x.deliver(func(ctx context.Context) error { return assign(ctx, x.store, x.id, thread.ByPerson) })
			x.deliver(x.converse(x.store, "2", thread.Outcome{}))
			x.deliver(func(ctx context.Context) error { return assign(ctx, x.store, x.id, thread.ByAssistant) })
			return nil
		},
		"notice": func(x *crash) any {
			x.must(x.converse(x.sound, "1", thread.Outcome{Pending: pending("gone")})(x.Context()))
			x.deliver(func(ctx context.Context) error {
				_, err := x.store.Notify(ctx, x.id, "event-1", thread.Notice{Kind: "expired", Ref: "tx-gone", Text: "It has gone."})
				return err
			})
			x.deliver(x.work(x.store, nil, thread.Outcome{}))
			return nil
		},
		"what it is doing": func(x *crash) any {
			x.must(x.converse(x.sound, "1", thread.Outcome{})(x.Context()))
			x.deliver(func(ctx context.Context) error { return x.store.Doing(ctx, x.id, []string{"search"}) })
			a, _, err := x.sound.Activity(x.Context(), x.id)
			x.must(err)
			return a.Doing
		},
		"code to link": func(x *crash) any {
			x.must(x.converse(x.sound, "1", thread.Outcome{})(x.Context()))
			other := x.another()
			var code string
			x.deliver(func(ctx context.Context) (err error) {
				code, _, err = x.store.Links().Code(ctx, x.id)
				return err
			})
			x.must(x.sound.Links().Link(x.Context(), other, code))
			return x.linked(other)
		},
		"linked, and undone": func(x *crash) any {
			x.must(x.converse(x.sound, "1", thread.Outcome{})(x.Context()))
			other := x.another()
			code, _, err := x.sound.Links().Code(x.Context(), other)
			x.must(err)
			x.deliver(func(ctx context.Context) error { return x.store.Links().Link(ctx, x.id, code) })
			x.clock.add(thread.CodeFor)
			x.deliver(func(ctx context.Context) error { return x.store.Links().Link(ctx, x.id, code) }) // who died after it comes late
			both := x.linked(other)
			x.deliver(func(ctx context.Context) error { return x.store.Links().Unlink(ctx, x.id) })
			again := x.sound.Links().Link(x.Context(), x.id, code)
			return []any{both, x.linked(other), errors.Is(again, thread.ErrNoCode)}
		},
		"erased": func(x *crash) any {
			x.must(x.converse(x.sound, "1", thread.Outcome{Language: "tr", Pending: pending("old")})(x.Context()))
			x.must(x.converse(x.sound, "long", thread.Outcome{Language: "tr"})(x.Context()))
			other := x.another()
			code, _, err := x.sound.Links().Code(x.Context(), other)
			x.must(err)
			x.must(x.sound.Links().Link(x.Context(), x.id, code))
			x.deliver(func(ctx context.Context) error { return x.store.Erase(ctx, x.id) })
			x.must(x.converse(x.sound, "2", thread.Outcome{})(x.Context())) // in an epoch that no lease had
			return x.linked(other)
		},
		"lists": func(x *crash) any {
			for i := range 3 {
				x.must(x.converse(x.sound, fmt.Sprint(i), thread.Outcome{})(x.Context()))
			}
			mustAppend(x.T, x.sound, message(x.who, "long", strings.Repeat("long ", 300)), false)
			var said []string
			x.deliver(func(ctx context.Context) error {
				forward, _, err := x.store.Lines(ctx, x.id, "", 100)
				if err != nil {
					return err
				}
				backward, _, err := x.store.LinesBefore(ctx, x.id, thread.Latest, 100)
				if err != nil {
					return err
				}
				turn, _, ok, err := x.store.Answer(ctx, x.id, thread.MessageID(x.id, "app", "1"))
				said = nil
				for _, l := range append(forward, backward...) {
					said = append(said, l.Text)
				}
				said = append(said, fmt.Sprint(turn.N, ok))
				return err
			})
			return said
		},
		"renewed and given back": func(x *crash) any {
			a := mustAppend(x.T, x.sound, message(x.who, "1", "hi"), true)
			lost := func(err error) error { // given back already
				if errors.Is(err, thread.ErrLeaseLost) {
					return nil
				}
				return err
			}
			x.deliver(func(ctx context.Context) error { return x.store.Renew(ctx, a.Lease) })
			x.deliver(func(ctx context.Context) error { return lost(x.store.Release(ctx, a.Lease)) })
			_, _, err := x.sound.Take(x.Context(), x.id)
			x.must(err)
			return nil
		},
	}
}

// TestField25_CrashAnywhere fails every call of every operation of a thread in every way,
// delivers again, and wants the partition that is there without faults.
func TestField25_CrashAnywhere(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(scenarios())) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) any {
				x := newCrash(t, calls, dynamotest.TableName("conversations"))
				return []any{scenarios()[name](x), x.partition()}
			})
		})
	}
}

// TestField25_CrashTwice fails two calls of a whole turn.
func TestField25_CrashTwice(t *testing.T) {
	t.Parallel()
	faults := []faulttest.Fault{faulttest.DiesBefore, faulttest.DiesAfter, faulttest.AnswerLost, faulttest.Conflict}
	if seedtest.Times(t, 1) > 1 {
		faults = nil
	}
	faulttest.Pairs(t, faults, func(t *testing.T, calls *faulttest.Calls) any {
		x := newCrash(t, calls, dynamotest.TableName("conversations"))
		return []any{scenarios()["turn of a client"](x), x.partition()}
	})
}

// onShard makes a thread of a certain shard, so that a sweep's calls come in the same order.
func onShard(t *testing.T, calls *faulttest.Calls, table string, shard int) *crash {
	for {
		x := newCrash(t, calls, table)
		if strings.HasSuffix(dynamo.DueShard("thread", x.id), fmt.Sprintf("#%02d", shard)) {
			return x
		}
	}
}

// TestField06_CrashOfASweep fails every call of a sweep over a thread that was never run
// and one that has become quiet: the next sweep finds what is left.
func TestField06_CrashOfASweep(t *testing.T) {
	t.Parallel()
	table := dynamotest.OwnTable(t, "conversations")
	var alone sync.Mutex
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) any {
		alone.Lock()
		defer alone.Unlock()
		x, quiet := onShard(t, calls, table, 3), onShard(t, calls, table, 7)
		quiet.must(quiet.converse(quiet.sound, "1", thread.Outcome{})(t.Context()))
		x.clock.add(time.Hour)
		mustAppend(t, x.sound, message(x.who, "1", "hi"), false)
		x.clock.add(2 * time.Minute)
		queued := map[string]bool{}
		x.deliver(func(ctx context.Context) error {
			_, err := x.store.Sweep(ctx, 10, func(_ context.Context, id string) error { queued[id] = true; return nil })
			return err
		})
		x.must(x.work(x.sound, nil, thread.Outcome{})(t.Context()))
		left := []any{queued[x.id], len(queued), x.partition(), quiet.partition()}
		leave := x.sound.Table.Update(dynamo.Key{PK: x.id, SK: "~"}, "REMOVE dueShard, dueAt", nil) // out of the next one's way
		x.must(x.sound.Table.DB().Commit(t.Context(), leave))
		return left
	})
}

// A write that the SDK repeats, because its answer was lost, does not take its own lease
// for somebody else's.
func TestField02_TheLeaseIsOnesOwn(t *testing.T) {
	t.Parallel()
	lost := []faulttest.Fault{faulttest.AnswerLost, faulttest.TimeOut, faulttest.ErrorAfter}
	for _, f := range lost {
		x := newCrash(t, nil, dynamotest.TableName("conversations"))
		repeating := func(n int) *thread.Store {
			s := newStore(t, x.clock)
			db := dynamo.Open(dynamotest.Config(t), func(o *dynamodb.Options) { o.HTTPClient = faulttest.With(faulttest.At{N: n, Fault: f}) })
			s.Table = db.Table(dynamotest.TableName("conversations"))
			return s
		}
		if a := mustAppend(t, repeating(1), message(x.who, "1", "hi"), true); a.Lease == nil || a.Duplicate {
			t.Fatalf("%s: appended with %+v", f, a)
		}
		x.clock.add(thread.LeaseFor)
		l, head, err := repeating(1).Take(t.Context(), x.id)
		if err != nil || len(head.Inbox) != 1 || head.LeaseBy != l.By || head.Epoch != 2 {
			t.Fatalf("%s: took %+v, %v", f, head, err)
		}
		if err := x.work(repeating(3), l, thread.Outcome{})(t.Context()); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if _, _, err := x.sound.Take(t.Context(), x.id); !errors.Is(err, thread.ErrNothing) || fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: afterwards %v", f, err)
		}
	}
	faulttest.Tried(t, 3*len(lost))
}
