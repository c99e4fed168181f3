package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
)

// Forget takes what a customer has said of themselves out of their transactions, and from where: name, note and
// the names of tokens,
// as they are now, as events tell of them and as the key of the draft gives them again. They
// are the business's records too, and stay, with the hash of the offer, of which the note was a
// part. What is held or still expected is marked, and forgotten by [Ledger.CheckInvariants] once it
// is over; its codes are returned. It may be called any number of times, and one that fails keeps
// no other. 3 requests for each, 2 where nothing is left, 2 to mark one, 1 where it is.
func (l *Ledger) Forget(ctx context.Context, txs []Transaction) (stay []string, err error) {
	var errs []error
	for _, tx := range txs {
		stays, err := l.forget(ctx, tx.ID)
		if err != nil && !errors.Is(err, actor.ErrNotFound) { // gone by itself meanwhile
			errs = append(errs, fmt.Errorf("ledger: forget %s: %w", tx.ID, err))
		}
		if stays {
			stay = append(stay, tx.Code)
		}
	}
	return stay, errors.Join(errs...)
}

// forgetTries bounds how often a transaction that changes meanwhile is looked at again.
const forgetTries = 4

func (l *Ledger) forget(ctx context.Context, txID string) (stays bool, err error) {
	for range forgetTries {
		if stays, err = l.tryForget(ctx, txID); !errors.Is(err, ErrChanged) {
			break
		}
	}
	return stays, err
}

func (l *Ledger) tryForget(ctx context.Context, txID string) (stays bool, err error) {
	h, err := l.history(ctx, txID)
	if err != nil {
		return false, err
	}
	if tx := h.Transaction; tx.Stands(l.now()) {
		return tx.Seen(l.now()) != Expired, l.forgetLater(ctx, tx)
	}
	ws, err := l.forgetting(ctx, h)
	if err != nil {
		return false, err
	}
	return false, l.Table.DB().Commit(ctx, ws...)
}

// Stands reports whether a transaction is held, or booked and somebody is still expected.
func (tx Transaction) Stands(now time.Time) bool {
	return tx.State == Hold || tx.State == Confirmed && now.Before(tx.End)
}

// forgetLater marks a transaction that stands. A booking comes to the checkers with that, what is
// held does when it ends. The version counts, so that nobody writes it back without the mark.
func (l *Ledger) forgetLater(ctx context.Context, tx Transaction) error {
	if tx.Forget {
		return nil
	}
	set, vals := "SET forget = :yes, version = :next", dynamo.V{":yes": true, ":next": tx.Version + 1}
	if tx.State == Confirmed {
		set += ", dueShard = :shard, dueAt = :now"
		vals[":shard"], vals[":now"] = dynamo.DueShard(dueAudit, tx.ID), l.now()
	}
	return l.Table.DB().Commit(ctx, l.Table.Update(txKey(tx.ID), set, vals).
		If("version = :version", dynamo.V{":version": tx.Version}).Else(ErrChanged))
}

// forgetMarked forgets a transaction that was marked while it stood, and what others keep of it.
func (l *Ledger) forgetMarked(ctx context.Context, tx Transaction) error {
	if l.AlsoForget != nil {
		if err := l.AlsoForget(ctx, tx); err != nil {
			return err
		}
	}
	_, err := l.forget(ctx, tx.ID)
	return err
}

// forgetting takes name and note out of all that has them, whatever an erasure that was cut short has
// left, and the mark off. The version counts, so that who has read them does not write them back.
func (l *Ledger) forgetting(ctx context.Context, h History) ([]dynamo.Write, error) {
	var ws []dynamo.Write
	if tx := h.Transaction; tx.personal() || tx.Forget || len(tx.Bounds) > 0 {
		ws = append(ws, l.Table.Update(txKey(tx.ID), "REMOVE customerName, customerPhone, note, place, forget, bounds SET version = :next", dynamo.V{":next": tx.Version + 1}).
			If("version = :version", dynamo.V{":version": tx.Version}).Else(ErrChanged))
	}
	for _, e := range h.Events {
		if e.Transaction.personal() {
			ws = append(ws, l.Table.Update(eventKey(h.Transaction.ID, e.ID), "REMOVE tx.customerName, tx.customerPhone, tx.note, tx.place", nil))
		}
		if !strings.HasPrefix(e.Key, draftPrefix) {
			continue
		}
		it, err := l.Table.Get(ctx, idemKey(e.Key))
		if err != nil {
			return nil, err
		}
		var d done
		if err := it.Decode(&d); err != nil {
			return nil, err
		}
		if d.Result.ID == h.Transaction.ID && d.Result.personal() { // else gone, or another's by now
			ws = append(ws, l.Table.Update(it.Key(), "REMOVE #result.customerName, #result.customerPhone, #result.note, #result.place", nil).
				If("#result.id = :id", dynamo.V{":id": h.Transaction.ID}).Else(ErrChanged))
		}
	}
	return ws, nil
}

// personal reports whether the terms say something of the customer that is theirs alone.
func (t Terms) personal() bool {
	return t.CustomerName != "" || t.CustomerPhone != "" || t.Note != "" || t.Place != ""
}
