package thread

import (
	"context"
	"fmt"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// Stand is a thing that stands in a conversation: a booking, an order, a report. Its row is an index and has no words.
// What the thing is by now is read where it is stored.
type Stand struct {
	Thread, Kind, ID string

	Start time.Time // zero has none
	Until time.Time // its end by the clock; zero where only a state ends it
}

// Rows writes rows of what stands into the partitions of conversations, in the transactions that make, move and end the
// things. Nil writes nothing.
type Rows struct{ Table dynamo.Table } // conversations

const (
	rowPrefix = "st#"
	noEnd     = "9999"             // sorts after every time
	rowFor    = 7 * 24 * time.Hour // after its end; until then a row is ignored
)

// MaxStanding is how many standing things are read at once. That there are more is noticed.
const MaxStanding = 20

// row is a row as stored.
type row struct {
	Start time.Time `dynamodbav:"start"`
	TTL   int64     `dynamodbav:"ttl,omitempty"`
}

func rowKey(s Stand) dynamo.Key {
	until := noEnd
	if !s.Until.IsZero() {
		until = dynamo.Stamp(s.Until)
	}
	return dynamo.Key{PK: s.Thread, SK: rowPrefix + until + "#" + refOf(s)}
}

func refOf(s Stand) string { return s.Kind + ":" + s.ID }

// Moved writes a thing's row after one change, from what it was before and is after; nil does not stand. A row that is
// written makes the thread's next turn ask what stands.
func (r *Rows) Moved(before, after *Stand) []dynamo.Write {
	if r == nil {
		return nil
	}
	before, after = ofThread(before), ofThread(after)
	var ws []dynamo.Write
	if before != nil && (after == nil || rowKey(*before) != rowKey(*after)) {
		ws = append(ws, r.Table.Delete(rowKey(*before)))
	}
	if after == nil || before != nil && *before == *after {
		return ws
	}
	it := row{Start: after.Start}
	if !after.Until.IsZero() {
		it.TTL = after.Until.Add(rowFor).Unix()
	}
	return append(ws, r.Table.Put(rowKey(*after), it), r.Table.Update(headKey(after.Thread), "ADD stands :one", dynamo.V{":one": 1}))
}

// ofThread leaves out what belongs to no conversation.
func ofThread(s *Stand) *Stand {
	if s == nil || s.Thread == "" {
		return nil
	}
	return s
}

// Has reports whether a thing has its row. 1 request.
func (r *Rows) Has(ctx context.Context, s Stand) (bool, error) {
	it, err := r.Table.Get(ctx, rowKey(s))
	return it != nil, err
}

// Standing lists what stands in a thread at a time, as kind and id, in the order of their ends, and one more than
// [MaxStanding] if there are many. 1 request.
func (s *Store) Standing(ctx context.Context, id string, now time.Time) ([]string, error) {
	page, err := s.Table.Query(ctx, dynamo.Query{
		Where:  "pk = :pk AND sk BETWEEN :now AND :end",
		Values: dynamo.V{":pk": id, ":now": rowPrefix + dynamo.Stamp(now), ":end": rowPrefix + "~"},
		Limit:  MaxStanding + 1,
	})
	if err != nil {
		return nil, fmt.Errorf("what stands of thread %s: %w", id, err)
	}
	refs := make([]string, len(page.Items))
	for i, k := range page.Keys() {
		_, refs[i], _ = strings.Cut(k.SK[len(rowPrefix):], "#")
	}
	return refs, nil
}

// Asks reports whether rows have been written since the thread was last asked what stands.
func (h Head) Asks() bool { return h.Stands != h.Asked }

// Forgot reports whether more may stand in a thread than is known. An earlier release kept the five newest things, and
// the one before it none, so nobody may say that nothing stands.
func (h Head) Forgot() bool { return h.Refs != nil || h.Known == nil && h.Turns > 0 }

// Stood is what a turn has found standing in its thread.
type Stood struct {
	Refs  []string // kind and id, one more than [MaxStanding] if there are many
	AsOf  int      // the head's count of rows when it was asked
	Whole bool     // there is nothing else
}

// unasked is not a count of rows, so the next turn asks.
const unasked = -1

// with adds the rows of the turn's own writes, and returns the count as of which the result is complete.
func (k Stood) with(rows []string) (refs []string, asked int) {
	refs, asked = []string{}, k.AsOf
	seen := map[string]bool{}
	for _, ref := range append(k.Refs[:len(k.Refs):len(k.Refs)], rows...) {
		if !seen[ref] && len(refs) <= MaxStanding {
			seen[ref], refs = true, append(refs, ref)
		}
	}
	if !k.Whole {
		asked = unasked
	}
	return refs, asked
}

// ownRows splits what joins a turn's commit: it lists the rows written in its own thread, and drops the hints to that
// thread, whose head the commit writes itself.
func ownRows(table dynamo.Table, id string, join []dynamo.Write) (others []dynamo.Write, rows []string) {
	for _, w := range join {
		key, ok := w.In(table)
		if ok && key == headKey(id) {
			continue
		}
		others = append(others, w)
		if sk, is := strings.CutPrefix(key.SK, rowPrefix); ok && is && key.PK == id && w.Puts() {
			_, ref, _ := strings.Cut(sk, "#")
			rows = append(rows, ref)
		}
	}
	return others, rows
}
