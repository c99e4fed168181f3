package streams_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	local "merve/infra/local/dynamodb"
	"merve/infra/local/streams"
	"merve/infra/wiring"
	"merve/internal/base/pause"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/trigger"
)

func TestMain(m *testing.M) {
	dynamotest.TakeAnything()
	m.Run()
}

// stream is a table of its own with a follower, whose function is answered by the test.
type stream struct {
	t        testing.TB
	table    dynamo.Table
	follower *streams.Follower
	end      context.CancelFunc
	ended    chan error

	mu    sync.Mutex
	now   time.Time       // passes while it waits
	waits []time.Duration // between tries
	calls [][]string      // "INSERT sk" of each change, by invocation
	gone  []string        // given up
	seen  chan struct{}
	fails func(call int, batch []trigger.Record) ([]string, error) // sequences
}

func newStream(t testing.TB, w wiring.StreamTrigger) *stream {
	t.Helper()
	cfg, name := dynamotest.Config(t), dynamotest.ID("stream")
	tables := []wiring.Table{{Name: name, Stream: true}}
	if err := local.CreateTables(context.Background(), cfg, tables, func(name string) string { return name }); err != nil {
		t.Fatal(err)
	}
	s := &stream{t: t, table: dynamotest.Open(t).Table(name), seen: make(chan struct{}), ended: make(chan error, 1)}
	s.follower = &streams.Follower{
		Config: cfg, Table: name, Trigger: w, Invoke: s.invoke, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now: func() time.Time { s.mu.Lock(); defer s.mu.Unlock(); return s.now },
		Wait: func(ctx context.Context, d time.Duration) error {
			s.note(func() { s.now, s.waits = s.now.Add(d), append(s.waits, d) })
			return ctx.Err()
		},
		GivenUp: func(r trigger.Record, _ error) {
			s.note(func() { s.gone = append(s.gone, word(r)) })
		},
	}
	return s
}

// run follows the stream until the test ends.
func (s *stream) run() {
	ctx, cancel := context.WithCancel(context.Background())
	s.end = cancel
	go func() { s.ended <- s.follower.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-s.ended; err != nil {
			s.t.Error(err)
		}
	})
}

// note changes what was seen, and wakes whoever waits for it.
func (s *stream) note(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	close(s.seen)
	s.seen = make(chan struct{})
}

func word(r trigger.Record) string {
	return fmt.Sprint(r.Kind, " ", dynamo.Item(r.Keys).String("sk"))
}

// invoke is the function: real trigger code takes the payload.
func (s *stream) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var batch []trigger.Record
	all := trigger.Stream(func(_ context.Context, r trigger.Record) error {
		batch = append(batch, r)
		return nil
	})
	if _, err := all.Invoke(ctx, payload); err != nil {
		return nil, err
	}
	var call int
	s.note(func() {
		call = len(s.calls)
		var words []string
		for _, r := range batch {
			words = append(words, word(r))
		}
		s.calls = append(s.calls, words)
	})
	var failed []string
	if s.fails != nil {
		var err error
		if failed, err = s.fails(call, batch); err != nil {
			return nil, err
		}
	}
	failures := []map[string]string{}
	for _, sequence := range failed {
		failures = append(failures, map[string]string{"itemIdentifier": sequence})
	}
	return json.Marshal(map[string]any{"batchItemFailures": failures})
}

// until waits for a condition on what was seen, and returns the calls.
func (s *stream) until(what string, ok func() bool) [][]string {
	s.t.Helper()
	deadline := time.After(pausetest.Patience)
	for {
		s.mu.Lock()
		done, calls, seen := ok(), s.calls, s.seen
		s.mu.Unlock()
		if done {
			return calls
		}
		select {
		case <-seen:
		case <-deadline:
			s.t.Fatalf("%s did not come; calls %v, given up %v", what, calls, s.gone)
		}
	}
}

func (s *stream) put(sks ...string) {
	s.t.Helper()
	for _, sk := range sks {
		item := struct {
			Text string `dynamodbav:"text"`
		}{"of " + sk}
		if err := s.table.DB().Commit(context.Background(), s.table.Put(dynamo.Key{PK: "p", SK: sk}, item)); err != nil {
			s.t.Fatal(err)
		}
	}
}

func flat(calls [][]string) []string {
	var all []string
	for _, c := range calls {
		all = append(all, c...)
	}
	return all
}

// changes waits for n changes in all and returns them in the order they came.
func (s *stream) changes(n int) []string {
	s.t.Helper()
	return flat(s.until(fmt.Sprint(n, " changes"), func() bool { return len(flat(s.calls)) >= n }))
}

func TestChangesComeInOrder(t *testing.T) {
	t.Parallel()
	s := newStream(t, wiring.StreamTrigger{Batch: 2})
	s.put("1", "2", "3")
	s.run()
	s.changes(3)
	s.put("4", "1")
	if err := s.table.DB().Commit(context.Background(), s.table.Delete(dynamo.Key{PK: "p", SK: "2"})); err != nil {
		t.Fatal(err)
	}
	s.put("2")
	got := s.changes(6) // the second put of 1 changes nothing, which is no change
	want := []string{"INSERT 1", "INSERT 2", "INSERT 3", "INSERT 4", "REMOVE 2", "INSERT 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, call := range s.until("nothing", func() bool { return true }) {
		if len(call) > 2 {
			t.Errorf("a batch of %d", len(call))
		}
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	s := newStream(t, wiring.StreamTrigger{Batch: 10, Filters: []wiring.Filter{
		{Events: []string{"INSERT"}, SKPrefix: "event#"}, {Events: []string{"REMOVE"}, SKPrefix: "x"},
	}})
	s.put("event#1", "other", "x", "event", "event#2")
	if err := s.table.DB().Commit(context.Background(),
		s.table.Delete(dynamo.Key{PK: "p", SK: "event#1"}), s.table.Update(dynamo.Key{PK: "p", SK: "event#2"}, "SET a = :a", dynamo.V{":a": 1})); err != nil {
		t.Fatal(err)
	}
	if err := s.table.DB().Commit(context.Background(), s.table.Delete(dynamo.Key{PK: "p", SK: "x"})); err != nil {
		t.Fatal(err)
	}
	s.run()
	if diff := cmp.Diff([]string{"INSERT event#1", "INSERT event#2", "REMOVE x"}, s.changes(3)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A function that names failures is called again from the lowest of them on.
func TestPartialFailure(t *testing.T) {
	t.Parallel()
	s := newStream(t, wiring.StreamTrigger{Batch: 5, MaxAge: 60, PartialFailures: true})
	s.fails = func(call int, batch []trigger.Record) ([]string, error) {
		if call == 0 {
			return []string{batch[3].Sequence, batch[2].Sequence}, nil
		}
		return nil, nil
	}
	s.put("1", "2", "3", "4", "5")
	s.run()
	s.changes(8)
	want := [][]string{{"INSERT 1", "INSERT 2", "INSERT 3", "INSERT 4", "INSERT 5"}, {"INSERT 3", "INSERT 4", "INSERT 5"}}
	if diff := cmp.Diff(want, s.until("nothing", func() bool { return true })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPoisonIsGivenUp(t *testing.T) {
	t.Parallel()
	s := newStream(t, wiring.StreamTrigger{Batch: 3, MaxAge: 60, PartialFailures: true})
	s.fails = func(_ int, batch []trigger.Record) ([]string, error) {
		for _, r := range batch {
			if word(r) == "INSERT 2" {
				return []string{r.Sequence}, nil
			}
		}
		return nil, nil
	}
	s.put("1", "2", "3", "4")
	s.run()
	s.until("the last change", func() bool { all := flat(s.calls); return len(all) > 0 && all[len(all)-1] == "INSERT 4" })
	s.mu.Lock()
	defer s.mu.Unlock()
	var waited time.Duration
	for _, w := range s.waits {
		waited += w
	}
	if diff := cmp.Diff([]string{"INSERT 2"}, s.gone); diff != "" || waited < time.Minute || waited > 90*time.Second {
		t.Errorf("after %v, given up (-want +got):\n%s", waited, diff)
	}
}

// What cannot be written down for a while is written down later, as in the cloud: nobody else
// tells of it. Whoever is away is asked less and less often.
func TestAnOutageLosesNoChange(t *testing.T) {
	t.Parallel()
	var notify wiring.StreamTrigger
	for _, f := range wiring.Functions() {
		if f.Name == "notify" {
			notify = *f.Stream
		}
	}
	s := newStream(t, notify)
	end, done := s.now.Add(30*time.Minute), false
	s.fails = func(int, []trigger.Record) (_ []string, err error) {
		s.note(func() {
			if done = !s.now.Before(end); !done {
				err = errors.New("the store is away")
			}
		})
		return nil, err
	}
	s.put("event#1")
	s.run()
	s.until("the end of it", func() bool { return done || len(s.gone) > 0 })
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.gone) > 0 || !slices.IsSorted(s.waits) || len(s.waits) > 100 {
		t.Errorf("given up %v after %v", s.gone, s.waits)
	}
}

// A function that fails as a whole is given halves, until the change at fault is alone.
func TestBisect(t *testing.T) {
	t.Parallel()
	s := newStream(t, wiring.StreamTrigger{Batch: 4, MaxAge: 1, PartialFailures: true, Bisect: true})
	s.fails = func(_ int, batch []trigger.Record) ([]string, error) {
		for _, r := range batch {
			if word(r) == "INSERT 3" {
				return nil, errors.New("it crashed")
			}
		}
		return nil, nil
	}
	s.put("1", "2", "3", "4")
	s.run()
	s.until("the last change", func() bool { return len(s.gone) > 0 && s.calls[len(s.calls)-1][0] == "INSERT 4" })
	want := [][]string{{"INSERT 1", "INSERT 2", "INSERT 3", "INSERT 4"}, {"INSERT 1", "INSERT 2"}, {"INSERT 3", "INSERT 4"}, {"INSERT 3"}, {"INSERT 3"}, {"INSERT 3"}, {"INSERT 4"}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.calls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"INSERT 3"}, s.gone); diff != "" {
		t.Errorf("given up (-want +got):\n%s", diff)
	}
}

// What is under way when the context ends is not given up.
func TestItStopsWithItsContext(t *testing.T) {
	t.Parallel()
	s := newStream(t, wiring.StreamTrigger{Batch: 1, MaxAge: 3600})
	s.follower.Wait = pause.For
	s.fails = func(int, []trigger.Record) ([]string, error) { return nil, errors.New("always") }
	s.put("1")
	s.run()
	s.changes(1)
	s.end()
	err := <-s.ended
	s.ended <- err
	if err != nil || len(s.gone) != 0 {
		t.Errorf("%v, given up %v", err, s.gone)
	}
}

func TestATableWithoutAStream(t *testing.T) {
	t.Parallel()
	s := newStream(t, wiring.StreamTrigger{Batch: 1})
	s.follower.Table = dynamotest.ID("none")
	if err := s.follower.Run(context.Background()); err == nil {
		t.Error("a table that is not there can be followed")
	}
}
