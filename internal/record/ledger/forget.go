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

// Forget removes what customers have said about themselves from their transactions: name, phone, note, place and the
// names of tokens, in the transaction, in its events and in the record of its draft's key. The transactions stay, as
// they are the business's records too, and so does the hash of the offer, which covers the note. One that is held or
// still expected is marked instead, and forgotten by [Ledger.CheckInvariants] once it is over; Forget returns the codes
// of these. It may be called any number of times, and goes on after one that fails. 3 requests for each, 2 where nothing
// is left to remove, 2 to mark one, 1 where it is marked.
func (h HeldBookings) Forget(ctx context.Context, txs []Transaction) (stay []string, err error) {
	var errs []error
	for _, tx := range txs {
		stays, err := h.forget(ctx, tx.ID)
		if err != nil && !errors.Is(err, actor.ErrNotFound) { // gone by itself meanwhile
			errs = append(errs, fmt.Errorf("ledger: forget %s: %w", tx.ID, err))
		}
		if stays {
			stay = append(stay, tx.Code)
		}
	}
	return stay, errors.Join(errs...)
}

// forgetTries bounds how often a transaction that changes meanwhile is read again.
const forgetTries = 4

func (h HeldBookings) forget(ctx context.Context, txID string) (stays bool, err error) {
	for range forgetTries {
		if stays, err = h.tryForget(ctx, txID); !errors.Is(err, ErrChanged) {
			break
		}
	}
	return stays, err
}

func (h HeldBookings) tryForget(ctx context.Context, txID string) (stays bool, err error) {
	all, err := h.reader().history(ctx, txID)
	if err != nil {
		return false, err
	}
	if tx := all.Transaction; tx.Stands(h.now()) {
		return tx.Seen(h.now()) != Expired, h.forgetLater(ctx, tx)
	}
	ws, err := h.forgetting(ctx, all)
	if err != nil {
		return false, err
	}
	return false, h.Table.DB().Commit(ctx, ws...)
}

// forgetLater marks a transaction that stands. The mark puts a booking before the checkers; a hold comes to them when it
// ends. The new version keeps anybody from writing it back without the mark.
func (h HeldBookings) forgetLater(ctx context.Context, tx Transaction) error {
	if tx.Forget {
		return nil
	}
	set, vals := "SET forget = :yes, version = :next", dynamo.V{":yes": true, ":next": tx.Version + 1}
	if tx.State == Confirmed {
		set += ", dueShard = :shard, dueAt = :now"
		vals[":shard"], vals[":now"] = dynamo.DueShard(dueAudit, tx.ID), h.now()
	}
	return h.Table.DB().Commit(ctx, h.Table.Update(txKey(tx.ID), set, vals).
		AtVersion(tx.Version).Else(ErrChanged))
}

// forgetMarked forgets a transaction that was marked while it stood, and what others keep of it.
func (h HeldBookings) forgetMarked(ctx context.Context, tx Transaction) error {
	if h.AlsoForget != nil {
		if err := h.AlsoForget(ctx, tx); err != nil {
			return err
		}
	}
	_, err := h.forget(ctx, tx.ID)
	return err
}

// forgetting removes the mark, and the customer's words from everything that has them; an earlier erasure may have
// stopped half-way. The new version keeps anybody who has read them from writing them back.
func (h HeldBookings) forgetting(ctx context.Context, all History) ([]dynamo.Write, error) {
	var ws []dynamo.Write
	if tx := all.Transaction; tx.personal() || tx.Forget || len(tx.Bounds) > 0 {
		ws = append(ws, h.Table.Update(txKey(tx.ID), "REMOVE customerName, customerPhone, note, place, forget, bounds SET version = :next", dynamo.V{":next": tx.Version + 1}).
			AtVersion(tx.Version).Else(ErrChanged))
	}
	for _, e := range all.Events {
		if e.Transaction.personal() {
			ws = append(ws, h.Table.Update(eventKey(all.Transaction.ID, e.ID), "REMOVE tx.customerName, tx.customerPhone, tx.note, tx.place", nil))
		}
		if !strings.HasPrefix(e.Key, draftPrefix) {
			continue
		}
		it, err := h.Table.Get(ctx, idemKey(e.Key))
		if err != nil {
			return nil, err
		}
		var d done
		if err := it.Decode(&d); err != nil {
			return nil, err
		}
		if d.Result.ID == all.Transaction.ID && d.Result.personal() { // else gone, or another's by now
			ws = append(ws, h.Table.Update(it.Key(), "REMOVE #result.customerName, #result.customerPhone, #result.note, #result.place", nil).
				If("#result.id = :id", dynamo.V{":id": all.Transaction.ID}).Else(ErrChanged))
		}
	}
	return ws, nil
}

// Stands reports whether a transaction is held, or booked and somebody is still expected.
func (tx Transaction) Stands(now time.Time) bool {
	return tx.State == Hold || tx.State == Confirmed && now.Before(tx.End)
}

// personal reports whether the terms have something that a customer said about themselves.
func (t Terms) personal() bool {
	return t.CustomerName != "" || t.CustomerPhone != "" || t.Note != "" || t.Place != ""
}
