package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
)

// mapping is one of AWS's event source mappings on a shard: it gives batches to a
// function, starts again at the lowest sequence number that failed, halves a batch that
// failed as a whole, and takes aside what failed too often.
// https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html
type mapping struct {
	t       testing.TB
	handler Handler
	batch   int
	retries int
	aside   []string // sequence numbers on the failure destination
}

// run delivers a shard.
func (m *mapping) run(shard []Record) {
	m.t.Helper()
	for batch := range slices.Chunk(shard, m.batch) {
		m.deliver(batch)
	}
}

// deliver comes to the end of a batch, whatever fails.
func (m *mapping) deliver(batch []Record) {
	m.t.Helper()
	for tries := 0; len(batch) > 0; {
		done, named := m.invoke(batch)
		switch {
		case done == len(batch):
			return
		case !named && len(batch) > 1:
			m.deliver(batch[:len(batch)/2])
			m.deliver(batch[len(batch)/2:])
			return
		case done > 0:
			batch, tries = batch[done:], 0
		}
		if tries++; tries > m.retries {
			m.aside = append(m.aside, batch[0].Sequence)
			batch, tries = batch[1:], 0
		}
	}
}

// invoke returns how many of a batch are done, and whether the failed one was named.
func (m *mapping) invoke(batch []Record) (done int, named bool) {
	m.t.Helper()
	payload, err := StreamEvent(batch)
	if err != nil {
		m.t.Fatal(err)
	}
	out, err := m.handler.Invoke(m.t.Context(), payload)
	if err != nil {
		return 0, false
	}
	failed, err := Failures(out)
	switch {
	case err != nil:
		return 0, false
	case len(failed) == 0:
		return len(batch), true
	}
	lowest := slices.IndexFunc(batch, func(r Record) bool { return slices.Contains(failed, r.Sequence) })
	if lowest < 0 {
		m.t.Fatalf("%v failed, none of the batch", failed)
	}
	return lowest, true
}

// shardOf makes the changes first…last of four keys that take turns.
func shardOf(first, last int) []Record {
	var rs []Record
	for i := first; i <= last; i++ {
		key := Item{"pk": s(fmt.Sprint("key-", i%4)), "sk": n(strconv.Itoa(i))}
		rs = append(rs, Record{EventID: fmt.Sprint("event-", i), Kind: Insert, Keys: key, New: key, Sequence: strconv.Itoa(i), TableName: "ledger"})
	}
	return rs
}

// effects is a consumer that does each change once, however often it comes, as a
// conditional write does, and fails for ever on one of them.
type effects struct {
	poison string
	fail   func() error
	done   map[string]int
	keys   map[string][]int // sequence numbers, in the order in which they were done
}

func (e *effects) consume(_ context.Context, r Record) error {
	if r.Sequence == e.poison {
		return e.fail()
	}
	if e.done[r.Sequence]++; e.done[r.Sequence] > 1 {
		return nil
	}
	sequence, err := strconv.Atoi(r.Sequence)
	key := r.Keys["pk"].(*types.AttributeValueMemberS).Value
	e.keys[key] = append(e.keys[key], sequence)
	return err
}

func newEffects(poison int, fail func() error) *effects {
	return &effects{strconv.Itoa(poison), fail, map[string]int{}, map[string][]int{}}
}

// want fails unless all of a shard has been done, each key's changes in their order, but
// for the poison, which is aside.
func (e *effects) want(t *testing.T, m *mapping, shard []Record, times int) {
	t.Helper()
	for _, r := range shard {
		if (e.done[r.Sequence] > 0) == (r.Sequence == e.poison) {
			t.Errorf("%s was done %d times, poison is %s", r.Sequence, e.done[r.Sequence], e.poison)
		}
	}
	for key, done := range e.keys {
		if !slices.IsSorted(done) {
			t.Errorf("%s was done in the order %v", key, done)
		}
	}
	if diff := cmp.Diff(slices.Repeat([]string{e.poison}, times), m.aside, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("on the failure destination (-want +got):\n%s", diff)
	}
}

// poisons are the ways in which a change fails for ever.
var poisons = map[string]func() error{
	"error": func() error { return errors.New("poison") },
	"panic": func() error { panic("poison") },
}

// One poisoned change of 100, at each place, and the shard given five times over: the
// other 99 take effect once and in order, and the poison is put aside each time. In one
// reading none of them comes twice.
func TestPoisonAtEachPlace(t *testing.T) {
	t.Parallel()
	const size, replays = 100, 5
	shard := shardOf(1, size)
	for bad := 1; bad <= size; bad++ {
		e := newEffects(bad, poisons["error"])
		if bad%2 == 0 {
			e.fail = poisons["panic"]
		}
		m := &mapping{t: t, handler: Stream(e.consume, quiet()), batch: size, retries: 1}
		for replay := 1; replay <= replays; replay++ {
			m.run(shard)
			for _, r := range shard {
				if r.Sequence != e.poison && e.done[r.Sequence] != replay {
					t.Errorf("poison at %d: %s came %d times in %d readings", bad, r.Sequence, e.done[r.Sequence], replay)
				}
			}
		}
		e.want(t, m, shard, replays)
	}
	faulttest.Tried(t, size*replays)
}

// A batch that is cut in half at each place, because the function died there without an
// answer, comes again as a whole and in parts: nothing is left out.
func TestABatchCutAtEachPlace(t *testing.T) {
	t.Parallel()
	const size = 100
	shard := shardOf(1, size)
	for cut := range size {
		e := newEffects(0, nil)
		handler := Stream(e.consume, quiet())
		payload, err := StreamEvent(shard[:cut])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := handler.Invoke(t.Context(), payload); err != nil { // its answer never arrives
			t.Fatal(err)
		}
		m := &mapping{t: t, handler: handler, batch: size, retries: 5}
		m.deliver(shard[:cut])
		m.deliver(shard[cut:])
		e.want(t, m, shard, 0)
	}
	faulttest.Tried(t, size)
}

// A change that cannot be read or named among the others: the batch fails as a whole,
// is halved until the change is alone, and the others take effect.
func TestAnUnnamedPoisonAtEachPlace(t *testing.T) {
	t.Parallel()
	const size = 32
	for bad := range size {
		shard := shardOf(1, size)
		shard[bad].Sequence = "no number"
		e := newEffects(0, nil)
		e.poison, e.fail = "no number", poisons["error"]
		m := &mapping{t: t, handler: Stream(e.consume, quiet()), batch: size, retries: 2}
		m.run(shard)
		e.want(t, m, shard, 1)
	}
	faulttest.Tried(t, size)
}

// Shards are read in any order and at the same pace or not: each key lives on one shard,
// and its changes take effect in their order, once.
func TestShardsInAnyOrder(t *testing.T) {
	t.Parallel()
	chance, times := seedtest.Rand(t), seedtest.Times(t, 200)
	for range times {
		all := shardOf(1, 60)
		shards := map[string][]Record{}
		for _, r := range all {
			key := r.Keys["pk"].(*types.AttributeValueMemberS).Value
			shards[key] = append(shards[key], r)
		}
		keys := []string{"key-0", "key-1", "key-2", "key-3"}
		e := newEffects(1+chance.IntN(60), poisons["error"])
		m := &mapping{t: t, handler: Stream(e.consume, quiet()), batch: 100, retries: 1}
		for len(shards) > 0 {
			key := keys[chance.IntN(len(keys))]
			size := min(1+chance.IntN(10), len(shards[key]))
			m.deliver(shards[key][:size])
			if chance.IntN(4) > 0 { // else the checkpoint is lost, and the same comes again
				shards[key] = shards[key][size:]
			}
			if len(shards[key]) == 0 {
				delete(shards, key)
			}
		}
		m.aside = slices.Compact(m.aside)
		e.want(t, m, all, 1)
	}
	faulttest.Tried(t, times)
}

// poll is what AWS does with a queue in order: it gives batches of ten until all messages
// are gone, those that failed again, and one that failed too often to the dead letters.
func poll(t *testing.T, h Handler, words []string, receives int) (dead []string) {
	t.Helper()
	count := map[string]int{}
	for len(words) > 0 {
		batch := words[:min(10, len(words))]
		out, err := h.Invoke(t.Context(), queueEvent(t, strings.Join(batch, " ")))
		if err != nil {
			t.Fatal(err)
		}
		failed, err := Failures(out)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, w := range batch {
			_, id, _ := strings.Cut(w, "/")
			if !slices.Contains(failed, id) {
				continue
			}
			if count[id]++; count[id] == receives {
				dead = append(dead, id)
				continue
			}
			left = append(left, w)
		}
		words = append(left, words[len(batch):]...)
	}
	return dead
}

// One poisoned message of a queue, at each place: the others of all groups take effect,
// each group's in their order, and the poison ends among the dead letters. Messages of its
// own group that were behind it in a batch were received as often, and go with it.
func TestPoisonOfAQueueAtEachPlace(t *testing.T) {
	t.Parallel()
	const size, groups = 30, 3
	var words []string
	for i := range size {
		words = append(words, fmt.Sprintf("g%d/%d", i%groups, i))
	}
	for name, fail := range poisons {
		for bad := range size {
			done := map[string][]int{}
			h := Queue(func(_ context.Context, m Message) error {
				id, err := strconv.Atoi(m.ID)
				if id == bad {
					return fail()
				}
				done[m.Group] = append(done[m.Group], id)
				return err
			}, quiet())
			dead := poll(t, h, words, 5)
			total := len(dead)
			for group, ids := range done {
				if total += len(ids); !slices.IsSorted(ids) || len(slices.Compact(ids)) != len(ids) {
					t.Errorf("%s at %d: %s was done in the order %v", name, bad, group, ids)
				}
			}
			if total != size || len(dead) == 0 || dead[0] != strconv.Itoa(bad) {
				t.Errorf("%s at %d: %d of %d accounted for, dead letters %v", name, bad, total, size, dead)
			}
			for _, id := range dead {
				if i, err := strconv.Atoi(id); err != nil || i%groups != bad%groups {
					t.Errorf("%s at %d: dead letters of other groups: %v", name, bad, dead)
				}
			}
		}
	}
	faulttest.Tried(t, len(poisons)*size)
}

// Each value of each sample, exchanged for each kind of JSON, and each sample cut off at
// each byte: the event is refused, or answered in the form that AWS takes, and nothing
// panics.
func TestMalformedEvents(t *testing.T) {
	t.Parallel()
	handlers := map[string]Handler{
		"stream": Stream(func(context.Context, Record) error { return nil }, quiet()),
		"queue":  Queue(func(context.Context, Message) error { return nil }, quiet()),
	}
	for _, name := range []string{"httpapi", "restapi", "functionurl"} {
		handlers[name] = HTTP(echo(t), quiet())
	}
	tried := 0
	for name, h := range handlers {
		whole := sample(t, name)
		try := func(payload []byte) {
			tried++
			out, err := h.Invoke(t.Context(), payload)
			if err == nil && strings.Contains(name, "api") || err == nil && name == "functionurl" {
				if a := decode(t, out); a.StatusCode >= 500 {
					t.Errorf("%s: status %d for %s", name, a.StatusCode, payload)
				}
			} else if err == nil {
				failures(t, out)
			}
		}
		for i := range whole {
			try(whole[:i])
		}
		for _, payload := range exchanged(t, whole) {
			try(payload)
		}
	}
	faulttest.Tried(t, tried)
}

// exchanged are a JSON text with each of its values exchanged for others, one at a time.
func exchanged(t *testing.T, text []byte) (all [][]byte) {
	t.Helper()
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(v any, put func(any))
	walk = func(v any, put func(any)) {
		for _, other := range []any{nil, true, -1.5, 1e300, "", "x", "\x00\ufffd", []any{}, []any{nil}, map[string]any{}, map[string]any{"": nil}} {
			put(other)
			b, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b)
		}
		put(v)
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				walk(inner, func(x any) { v[name] = x })
			}
		case []any:
			for i, inner := range v {
				walk(inner, func(x any) { v[i] = x })
			}
		}
	}
	walk(root, func(v any) { root = v })
	return all
}
