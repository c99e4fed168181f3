package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// done is the record that a key has made a draft or an offer, written with it. The other operations need none: they know
// their transaction, and its event carries their key.
type done struct {
	Payload string      `dynamodbav:"payload"` // hash
	Result  Transaction `dynamodbav:"result"`
	At      time.Time   `dynamodbav:"at"`
	TTL     int64       `dynamodbav:"ttl"`
}

// doneFor is how long a key returns the draft or offer that it made. A passed ttl counts as deleted. An event stays as
// long as its transaction.
const doneFor = 30 * 24 * time.Hour

// maxKey is the longest idempotency key a caller may give, in bytes.
const maxKey = 255

// The full keys. They are part of the data model.

const draftPrefix = "tx_draft:"

func draftKey(business, key string) string { return draftPrefix + business + ":" + key }
func opKey(o op, txID, key string) string  { return "tx_" + string(o) + ":" + txID + ":" + key }

func checkKey(key string) error {
	if key == "" || len(key) > maxKey {
		return fault.Field("key", "want an idempotency key of 1 to %d bytes", maxKey)
	}
	return nil
}

// replay is not a failure: the operation was done before, with this result.
type replay struct{ result Transaction }

func (r *replay) Error() string { return fmt.Sprintf("done before: %s", r.result.State) }

// Unwrap tells callers that join writes in transactions of their own.
func (r *replay) Unwrap() error {
	switch r.result.State {
	case Confirmed:
		return &AlreadyConfirmed{r.result}
	case Cancelled:
		return ErrCancelled
	}
	return ErrChanged
}

func replayOf(stored dynamo.Item, payload string) error {
	var d done
	if err := stored.Decode(&d); err != nil {
		return err
	}
	if d.Payload != payload {
		return ErrKeyReused
	}
	return &replay{d.Result}
}

// repeatOf is the answer to an operation whose event is there already: the same key gets a [replay], another key comes
// too late.
func repeatOf(stored dynamo.Item, c change) error {
	e, _, err := Events.Read(stored)
	switch {
	case err != nil:
		return err
	case e.Key != c.key:
		return cmp.Or(c.op.check(e.Transaction, c.now), ErrChanged)
	case e.Payload != c.payload:
		return ErrKeyReused
	}
	return &replay{e.Transaction}
}

// Made returns the draft or offer that a business's key has made, as it is now. Made is false when it has made none.
func (l *Ledger) Made(ctx context.Context, business, key string) (tx Transaction, made bool, err error) {
	it, err := l.Table.Get(ctx, idemKey(draftKey(business, key)))
	if err != nil || it == nil {
		return Transaction{}, false, err
	}
	var d done
	if err := it.Decode(&d); err != nil {
		return Transaction{}, false, err
	}
	if tx, err = l.reader().tx(ctx, d.Result.ID); err != nil {
		return Transaction{}, false, err
	}
	return tx, true, nil
}

// settle turns a replay into its result.
func settle(after Transaction, err error) (Transaction, error) {
	var before *replay
	switch {
	case err == nil:
		return after, nil
	case errors.As(err, &before):
		return before.result, nil
	}
	return Transaction{}, err
}

// once lets the operation happen once for its key. A used key fails with a [replay] of the stored result, or with
// [ErrKeyReused] when the payload differs.
func (w writer) once(c change) dynamo.Write {
	rec := done{Payload: c.payload, Result: c.after, At: c.now, TTL: c.now.Add(doneFor).Unix()}
	rec.Result.Bounds = nil // its own are the transaction's
	return w.table.Put(idemKey(c.key), rec).
		If("attribute_not_exists(pk) OR #ttl <= :seconds", dynamo.V{":seconds": c.now.Unix()}).
		ElseOld(func(old dynamo.Item) error {
			if old == nil {
				return ErrChanged
			}
			return replayOf(old, c.payload)
		})
}

// replayed looks for the stored result of an operation that is refused. A repeat gets what the first one got, anything
// else gets refusal.
func (w writer) replayed(ctx context.Context, c change, refusal error) (Transaction, error) {
	at := eventKey(c.read.ID, string(c.op.tells()))
	if c.draft != nil {
		at = idemKey(c.key)
	}
	it, err := w.table.Get(ctx, at)
	switch {
	case err != nil:
		return Transaction{}, err
	case it == nil || it.Expired(w.now()):
		return Transaction{}, refusal
	case c.draft != nil:
		return settle(Transaction{}, replayOf(it, c.payload))
	case it.String("key") != c.key:
		return Transaction{}, refusal
	}
	return settle(Transaction{}, repeatOf(it, c))
}

// commit makes the change happen, once.
func (w writer) commit(ctx context.Context, c change) (Transaction, error) {
	tx, err := settle(c.after, w.table.DB().Commit(ctx, w.writes(c)...))
	if err != nil {
		return Transaction{}, fmt.Errorf("ledger: %s %s: %w", c.op, c.after.ID, err)
	}
	return tx, nil
}
