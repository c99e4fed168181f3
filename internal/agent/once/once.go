// Package once has a call of a tool take effect once under its key, no matter whether a model, a program or a person makes it.
// What a call was answered is stored in the transaction of its effect, and the same call is answered the same again. Each call
// has a record in the audit.
//
//	{subject}   call#{key}   what a call was answered under its key, or that it has begun; in index due until it ends
//
// A call that only reads is done each time. One that asks somebody outside writes first that it begins, because it may die
// before it can store the answer: what has begun and never ended is closed as [audit.Unclear], and may be tried again.
package once

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/audit"
	"merve/internal/cloud/dynamo"
)

// Book keeps what calls were answered. Safe for concurrent use.
type Book struct {
	Table   dynamo.Table
	Subject string    // how the partition of what calls are about begins
	Kind    string    // of calls in the index due
	Log     audit.Log // of the same subjects
	NewID   func() string
	Now     func() time.Time
	Keep    time.Duration // how long an answer is given again
}

// Call is a call of a tool.
type Call struct {
	Subject string // id of what it is about
	Version int    // of that
	Tool    string
	Actor   string
	Key     string
	Input   []byte
	At      time.Time
	Reads   bool // it is done each time
	Open    bool // it has begun, see [Book.Begin]
}

// isMine is the condition that a call which has begun is still the same one.
const isMine = "#open = :open AND begun = :mine"

func (c Call) mine() dynamo.V { return dynamo.V{":open": true, ":mine": c.At} }

func (c Call) hash() string { return audit.HashOf(c.Input) }

// Kept is a call as it is stored: what it was answered, or that it has begun.
type Kept struct {
	Key       string    `dynamodbav:"key"`
	Tool      string    `dynamodbav:"tool"`
	Actor     string    `dynamodbav:"actor"`
	InputHash string    `dynamodbav:"in"`
	Input     string    `dynamodbav:"input,omitempty"` // of one that has begun
	Output    string    `dynamodbav:"output,omitempty"`
	Offer     string    `dynamodbav:"offer,omitempty"` // hash of the question that the turn was left to put
	Begun     time.Time `dynamodbav:"begun"`
	Open      bool      `dynamodbav:"open,omitempty"`
	DueShard  string    `dynamodbav:"dueShard,omitempty"`
	DueAt     time.Time `dynamodbav:"dueAt"`
	TTL       int64     `dynamodbav:"ttl"`
}

const (
	claimFor   = time.Minute // longer than a call may take
	callPrefix = "call#"
)

// What a call may meet under its key.
var (
	ErrKey      = fault.New(fault.Conflict, "this idempotency key was used for another call: a key is for one tool and one body")
	ErrAnswered = errors.New("the call was answered meanwhile")

	errBegun = fault.New(fault.Unavailable, "a call with this key is being carried out")
)

func (b Book) key(subject, key string) dynamo.Key {
	return dynamo.Key{PK: b.Subject + subject, SK: callPrefix + ident.Digest(key)}
}

// Before is what the key of a call was answered before; nil is nothing. A call that has begun and was never finished is closed
// as unclear, and may then be tried again. [ErrKey] says that the key is another call's.
func (b Book) Before(ctx context.Context, c Call) (*Kept, error) {
	it, err := b.Table.Get(ctx, b.key(c.Subject, c.Key))
	if err != nil || it == nil {
		return nil, err
	}
	var k Kept
	if err := it.Decode(&k); err != nil {
		return nil, err
	}
	switch {
	case k.Tool != c.Tool || k.InputHash != c.hash():
		return nil, ErrKey
	case k.Open && c.At.Sub(k.Begun) < claimFor:
		return nil, errBegun
	case k.Open:
		return nil, b.close(ctx, c.Subject, k)
	}
	return &k, nil
}

// Again records that a call was answered what it had been answered before: output, as it is shown now.
func (b Book) Again(ctx context.Context, c Call, k Kept, output []byte) error {
	if err := b.Table.DB().Commit(ctx, b.writes(c, output, []byte(k.Output), "", 0)...); err != nil {
		return fmt.Errorf("audit of %s: %w", c.Tool, err)
	}
	return nil
}

// Begin writes down that a call is about to do something outside, with what it reserves. From then on it is open. [ErrAnswered]
// says that somebody else was faster.
func (b Book) Begin(ctx context.Context, c Call, reserved ...dynamo.Write) error {
	k := Kept{
		Key: c.Key, Tool: c.Tool, Actor: c.Actor, InputHash: c.hash(), Input: string(c.Input), Begun: c.At, Open: true,
		DueShard: dynamo.DueShard(b.Kind, c.Subject), DueAt: c.At.Add(claimFor), TTL: c.At.Add(b.Keep).Unix(),
	}
	ws := append([]dynamo.Write{b.Table.Put(b.key(c.Subject, c.Key), k).IfAbsent().Else(ErrAnswered)}, reserved...)
	err := b.Table.DB().Commit(ctx, ws...)
	if err != nil && !errors.Is(err, ErrAnswered) {
		return fmt.Errorf("begin %s: %w", c.Tool, err)
	}
	return err
}

// Underway is the condition that a call which has begun is still this one.
func (b Book) Underway(c Call) dynamo.Write {
	return b.Table.Check(b.key(c.Subject, c.Key), isMine, c.mine()).Else(ErrAnswered)
}

// close ends a call that has begun and of whose end nothing is known.
func (b Book) close(ctx context.Context, subject string, k Kept) error {
	r := audit.Record{
		ID: audit.ID(k.Begun, 0, ident.Digest(k.Key+audit.Stamp(k.Begun))), Request: subject, Tool: k.Tool, Actor: k.Actor, Key: k.Key,
		InputHash: k.InputHash, OutputHash: audit.Sum([]byte("null")),
		DurationMS: b.Now().Sub(k.Begun).Milliseconds(), Error: audit.Unclear, CreatedAt: audit.Stamp(k.Begun),
	}
	ws := append(b.Log.Writes(r, audit.Body{Input: k.Input, Output: "null"}),
		b.Table.Delete(b.key(subject, k.Key)).If("#open = :yes AND begun = :begun", dynamo.V{":yes": true, ":begun": k.Begun}).Else(ErrAnswered))
	err := b.Table.DB().Commit(ctx, ws...)
	if err != nil && !errors.Is(err, ErrAnswered) {
		return fmt.Errorf("close call of %s: %w", subject, err)
	}
	return err
}

// Close closes calls of whose end nothing is known, and returns how many. 16 requests, 2 for each.
func (b Book) Close(ctx context.Context, most dynamo.Budget) (closed int, err error) {
	_, err = b.Table.EachDue(ctx, b.Kind, b.Now(), most, func(key dynamo.Key) (bool, error) {
		it, err := b.Table.Get(ctx, key)
		if err != nil || it == nil {
			return false, err
		}
		var k Kept
		if err := it.Decode(&k); err != nil || !k.Open {
			return false, err
		}
		err = b.close(ctx, strings.TrimPrefix(key.PK, b.Subject), k)
		if errors.Is(err, ErrAnswered) {
			return false, nil // its end is known by now
		}
		if err == nil {
			closed++
		}
		return true, err
	})
	return closed, err
}

// Outcome is what a call comes to.
type Outcome struct {
	Output, Keeps []byte         // what is answered, and what of it is stored
	Failed        string         // why a gate refuses; "" is success
	Offer         string         // hash of the question that is left to the turn of the call
	Writes        []dynamo.Write // the effect
}

// Finish commits what a call does, what it is answered and its record, all or nothing. What has failed is not stored under its
// key: it may be tried again.
func (b Book) Finish(ctx context.Context, c Call, o Outcome) error {
	var ws []dynamo.Write // the key comes first: a caller who is too late has to learn that, and not what the effect ran into
	switch key := b.key(c.Subject, c.Key); {
	case c.Reads:
	case o.Failed == "":
		ws = append(ws, ended(b.Table.Put(key, Kept{
			Key: c.Key, Tool: c.Tool, Actor: c.Actor, InputHash: c.hash(), Output: string(o.Keeps), Offer: o.Offer, Begun: c.At, TTL: c.At.Add(b.Keep).Unix(),
		}), c))
	case c.Open:
		ws = append(ws, ended(b.Table.Delete(key), c))
	}
	ws = append(append(ws, o.Writes...), b.writes(c, o.Output, o.Keeps, o.Failed, b.Now().Sub(c.At))...)
	if err := b.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("%s of %s: %w", c.Tool, c.Subject, err)
	}
	return nil
}

// ended is the condition of the write that ends a call: nobody else has, and what has begun is still this call.
func ended(w dynamo.Write, c Call) dynamo.Write {
	if c.Open {
		return w.If(isMine, c.mine()).Else(ErrAnswered)
	}
	return w.IfAbsent().Else(ErrAnswered)
}

// Fail records a call that ends in an error, and returns the error.
func (b Book) Fail(ctx context.Context, c Call, cause error, trace string) error {
	p := fault.ProblemOf(cause, trace)
	raw, _ := json.Marshal(p) // texts and numbers always marshal
	r := b.record(c, raw, p.Detail, b.Now().Sub(c.At))
	if r.Error == "" {
		r.Error = p.Title
	}
	ws := b.Log.Writes(r, audit.Body{Input: string(c.Input), Output: string(raw)})
	if c.Open {
		ws = append(ws, ended(b.Table.Delete(b.key(c.Subject, c.Key)), c))
	}
	if err := b.Table.DB().Commit(ctx, ws...); err != nil {
		return errors.Join(cause, fmt.Errorf("audit of %s: %w", c.Tool, err))
	}
	return cause
}

// Record are the writes of the record of a call that others commit, with its effect.
func (b Book) Record(c Call, output []byte, took time.Duration) []dynamo.Write {
	return b.writes(c, output, output, "", took)
}

func (b Book) writes(c Call, output, keeps []byte, failed string, took time.Duration) []dynamo.Write {
	return b.Log.Writes(b.record(c, output, failed, took), audit.Body{Input: string(c.Input), Output: string(keeps)})
}

// record is the audit record of a call.
func (b Book) record(c Call, output []byte, failed string, took time.Duration) audit.Record {
	return audit.Record{
		ID: audit.ID(c.At, c.Version, b.NewID()), Request: c.Subject, Tool: c.Tool, Actor: c.Actor, Key: c.Key,
		InputHash: c.hash(), OutputHash: audit.HashOf(output), Success: failed == "", DurationMS: took.Milliseconds(), Error: failed,
		CreatedAt: audit.Stamp(c.At),
	}
}
