// Package audit keeps the record of each call about a request, and chains the records of one request by their hashes, so that
// one that was changed, taken away or put elsewhere is found out:
//
//	{kind}{request}   event#{record}   the record of a call, with its place in the chain once it is sealed
//	{kind}{request}   body#{record}    what was asked and answered, which may be erased: the record keeps its hashes
//	{kind}{request}   ~                the end of the chain
//
// A record is an event, so the stream brings it to where it is sealed. A reader of the chain seals first what the stream has
// not brought yet.
package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
)

// Log keeps the records of calls. Safe for concurrent use.
type Log struct {
	Table dynamo.Table
	Kind  event.Kind[Sealed] // of the records as events; the partition of each chain begins as Earlier says
	Now   func() time.Time
	Keep  time.Duration // how long what was asked and answered is kept
}

// Record is the audit record of one call.
type Record struct {
	ID         string `dynamodbav:"id" json:"id"`
	Request    string `dynamodbav:"request" json:"request_id"`
	Tool       string `dynamodbav:"tool" json:"tool_name"`
	Actor      string `dynamodbav:"actor" json:"actor"`
	Key        string `dynamodbav:"key" json:"idempotency_key"`
	InputHash  string `dynamodbav:"in" json:"input_hash"`
	OutputHash string `dynamodbav:"out" json:"output_hash"`
	Success    bool   `dynamodbav:"success" json:"success"`
	DurationMS int64  `dynamodbav:"ms" json:"duration_ms"`
	Error      string `dynamodbav:"error,omitempty" json:"error,omitempty"`
	CreatedAt  string `dynamodbav:"createdAt" json:"created_at"`
}

// Unclear is the error of a call that began and of whose end nothing is known.
const Unclear = "unclear"

// Sealed is a record in its place in the chain of its request.
type Sealed struct {
	Record
	PrevHash string `dynamodbav:"prev,omitempty" json:"prev_hash"`
	Hash     string `dynamodbav:"hash,omitempty" json:"hash,omitempty"`
	Seq      int    `dynamodbav:"seq,omitempty" json:"-"` // its place, from 1
}

// Genesis is the hash before the first record.
var Genesis = strings.Repeat("0", 64)

// sum is the hash of a sealed record: of all that it says but the hash.
func (s Sealed) sum() (string, error) {
	s.Hash = ""
	return Hash(s)
}

// Body is what was asked and answered.
type Body struct {
	Input  string `dynamodbav:"input" json:"input"`
	Output string `dynamodbav:"output" json:"output"`
	TTL    int64  `dynamodbav:"ttl" json:"-"`
}

const (
	bodyPrefix = "body#"
	headSK     = "~"
)

func (l Log) partition(request string) string { return l.Kind.Earlier.PK + request }

func (l Log) recordKey(r Record) dynamo.Key {
	return dynamo.Key{PK: l.partition(r.Request), SK: event.Prefix + r.ID}
}

func (l Log) chainKey(request string) dynamo.Key {
	return dynamo.Key{PK: l.partition(request), SK: headSK}
}

// Writes are the writes of a record, which join the transaction of the call.
func (l Log) Writes(r Record, b Body) []dynamo.Write {
	b.TTL = l.Now().UTC().Add(l.Keep).Unix()
	return []dynamo.Write{
		l.Kind.Put(l.Table, l.recordKey(r), Sealed{Record: r}).IfAbsent(),
		l.Table.Put(dynamo.Key{PK: l.partition(r.Request), SK: bodyPrefix + r.ID}, b),
	}
}

// chain is the end of a request's chain.
type chain struct {
	Count int    `dynamodbav:"count" json:"count"`
	Hash  string `dynamodbav:"hash" json:"hash"`
}

// errSealed says that somebody else has sealed meanwhile.
var errSealed = errors.New("the chain has grown meanwhile")

// Seal puts a record at the end of its request's chain, once. The stream brings the records of a request in the
// order of their transactions. 2 requests.
func (l Log) Seal(ctx context.Context, r Sealed) error {
	for {
		items, err := l.Table.BatchGet(ctx, l.chainKey(r.Request), l.recordKey(r.Record))
		if err != nil {
			return fmt.Errorf("seal %s: %w", r.ID, err)
		}
		end := chain{Hash: Genesis}
		var stands Sealed
		for _, it := range items {
			var into any = &stands
			if it.Key().SK == headSK {
				into = &end
			}
			if err := it.Decode(into); err != nil {
				return err
			}
		}
		if stands.ID == "" || stands.Seq > 0 {
			return nil
		}
		if err = l.seal(ctx, end, stands); !errors.Is(err, errSealed) {
			return err
		}
	}
}

// seal puts a record behind the end of a chain. errSealed when that is not its end any more.
func (l Log) seal(ctx context.Context, end chain, r Sealed) error {
	r.Seq, r.PrevHash = end.Count+1, end.Hash
	var err error
	if r.Hash, err = r.sum(); err != nil {
		return fmt.Errorf("seal %s: %w", r.ID, err)
	}
	last := l.Table.Put(l.chainKey(r.Request), chain{r.Seq, r.Hash})
	if end.Count == 0 {
		last = last.IfAbsent()
	} else {
		last = last.If("#count = :count AND #hash = :hash", dynamo.V{":count": end.Count, ":hash": end.Hash})
	}
	err = l.Table.DB().Commit(ctx, last.Else(errSealed),
		l.Table.Update(l.recordKey(r.Record), "SET seq = :seq, prev = :prev, #hash = :hash", dynamo.V{":seq": r.Seq, ":prev": r.PrevHash, ":hash": r.Hash}).
			If("attribute_exists(pk) AND attribute_not_exists(seq)", nil).Else(errSealed))
	if err != nil && !errors.Is(err, errSealed) {
		return fmt.Errorf("seal %s: %w", r.ID, err)
	}
	return err
}

// Trail is the audit of a request.
type Trail struct {
	Records []Sealed `json:"records"`
	Head    chain    `json:"head"` // how many there are, and the hash of the last
}

// Trail returns all records of a request in the order of the chain. What the stream has not sealed yet is sealed
// first. A request for each megabyte, and 2 for each record that was not.
func (l Log) Trail(ctx context.Context, request string) (Trail, error) {
	for {
		t, open, err := l.trail(ctx, request)
		if err != nil || len(open) == 0 {
			return t, err
		}
		for _, r := range open {
			if err := l.Seal(ctx, r); err != nil {
				return Trail{}, err
			}
		}
	}
}

func (l Log) trail(ctx context.Context, request string) (t Trail, open []Sealed, err error) {
	t = Trail{Records: []Sealed{}, Head: chain{Hash: Genesis}}
	err = l.Table.Each(ctx, dynamo.Under(l.partition(request), ""), func(it dynamo.Item) error {
		switch sk := it.Key().SK; {
		case sk == headSK:
			return it.Decode(&t.Head)
		case !strings.HasPrefix(sk, event.Prefix):
			return nil
		}
		var r Sealed
		if err := it.Decode(&r); err != nil {
			return err
		}
		if r.Seq == 0 {
			open = append(open, r)
			return nil
		}
		t.Records = append(t.Records, r)
		return nil
	})
	if err != nil {
		return Trail{}, nil, fmt.Errorf("audit of %s: %w", request, err)
	}
	slices.SortFunc(t.Records, func(a, b Sealed) int { return a.Seq - b.Seq })
	return t, open, nil
}

// Verify returns an error that names the first record that was changed, is missing or stands elsewhere.
func (t Trail) Verify() error {
	prev := Genesis
	for i, r := range t.Records {
		sum, err := r.sum()
		switch {
		case err != nil:
			return fmt.Errorf("record %d (%s): %w", i+1, r.ID, err)
		case r.PrevHash != prev:
			return fmt.Errorf("record %d (%s): the record before it is missing, or another", i+1, r.ID)
		case sum != r.Hash:
			return fmt.Errorf("record %d (%s): it was changed", i+1, r.ID)
		}
		prev = r.Hash
	}
	if len(t.Records) != t.Head.Count || prev != t.Head.Hash {
		return fmt.Errorf("record %d: it is missing at the end of the chain", t.Head.Count)
	}
	return nil
}

// Bodies are the writes that delete what was asked and answered about a request. A request for each megabyte.
func (l Log) Bodies(ctx context.Context, request string) ([]dynamo.Write, error) {
	var ws []dynamo.Write
	err := l.Table.Each(ctx, dynamo.Under(l.partition(request), bodyPrefix), func(it dynamo.Item) error {
		ws = append(ws, l.Table.Delete(it.Key()))
		return nil
	})
	return ws, err
}

// Stamp is a time as records have it.
func Stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// ID names a record, so that records of one request sort by their time, and those of one moment by the version that the
// request had then.
func ID(at time.Time, version int, id string) string {
	return fmt.Sprintf("au_%013d_%06d_%s", at.UnixMilli(), version, strings.ReplaceAll(id, "#", ""))
}
