package ledger

import (
	"slices"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
)

// change is an operation about to be written.
type change struct {
	op      op
	key     string      // idempotency: the operation's full key
	payload string      // and the hash of what was asked
	read    Transaction // as it was read; zero for a draft
	after   Transaction
	locks   []dynamo.Write // and what else goes with it
	event   Event
	now     time.Time
	draft   *change // of an offer: the draft, written with it under this change's key
}

// writer writes each change once: the transaction, its event, its locks, its row in the conversation and the record of
// its key.
type writer struct {
	table dynamo.Table
	rows  *thread.Rows
	now   func() time.Time
}

func (l *Ledger) writer() writer { return writer{l.Table, l.Rows, l.now} }

// writes are the writes of an operation, for one TransactWriteItems. The proof that it was done comes first, which is
// the record of a draft's key or else the event: when several conditions fail, the first names the error.
func (w writer) writes(c change) []dynamo.Write {
	put := w.table.Put(txKey(c.after.ID), itemOf(c.after))
	switch {
	case c.op == opDraft:
		return []dynamo.Write{w.once(c), opDraft.guard(put, c.read, c.now), w.happened(c)}
	case c.draft != nil:
		ws := []dynamo.Write{w.once(c), opDraft.guard(put, c.read, c.now), w.happened(*c.draft), w.happened(c)}
		return append(ws, c.locks...)
	}
	return slices.Concat([]dynamo.Write{w.happened(c), c.op.guard(put, c.read, c.now)}, c.locks, w.moved(c))
}

// happened writes the event of an operation, which exists once. It is what a repeat finds.
func (w writer) happened(c change) dynamo.Write {
	e := c.event
	e.ID, e.Type, e.From, e.At = string(c.op.tells()), c.op.tells(), c.read.State, c.now
	e.Transaction, e.Key, e.Payload = c.after, c.key, c.payload
	e.Transaction.Bounds = nil // no use to those who are told
	return Events.Put(w.table, eventKey(c.after.ID, e.ID), e).IfAbsent().ElseOld(func(old dynamo.Item) error {
		if old == nil {
			return ErrChanged
		}
		return repeatOf(old, c)
	})
}

// next is tx after the operation.
func (o op) next(tx Transaction, now time.Time) Transaction {
	tx.State, tx.UpdatedAt = o.to(), now
	tx.Version++
	if o == opRelease || o == opExpire {
		tx.Bounds = nil
	}
	return tx
}

// txItem is a transaction as stored.
type txItem struct {
	Transaction
	Created  string    `dynamodbav:"created,omitempty"` // puts it into the indexes owner and business
	DueShard string    `dynamodbav:"dueShard,omitempty"`
	DueAt    time.Time `dynamodbav:"dueAt"`
	TTL      int64     `dynamodbav:"ttl,omitempty"`
}

const (
	dueHold  = "hold"
	dueAudit = "audit"

	auditAfter = time.Minute        // until then what a change leaves behind may not have settled
	draftFor   = 7 * 24 * time.Hour // a draft that was never held is deleted then
)

func itemOf(tx Transaction) txItem {
	it := txItem{Transaction: tx}
	if tx.HoldExpiresAt.IsZero() { // never held
		it.TTL = tx.CreatedAt.Add(draftFor).Unix()
		return it
	}
	it.Created = dynamo.Stamp(tx.CreatedAt) + "#" + tx.ID
	if it.DueShard, it.DueAt = dynamo.DueShard(dueAudit, tx.ID), tx.UpdatedAt.Add(auditAfter); tx.State == Hold {
		it.DueShard, it.DueAt = dynamo.DueShard(dueHold, tx.ID), tx.HoldExpiresAt
	}
	return it
}

// moved moves the transaction's row in its conversation. A hold has none from its change: it gets one when its
// customer says YES and has to pay ([Ledger.Owed]).
func (w writer) moved(c change) []dynamo.Write {
	after := c.after.stand()
	if c.after.State == Hold {
		after = nil
	}
	return w.rows.Moved(c.read.stand(), after)
}
