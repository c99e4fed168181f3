package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"merve/internal/dynamo"
)

// Forget takes what a customer has said of themselves out of their transactions: name and note,
// as they are now, as events tell of them and as the key of the draft gives them again. They
// are the business's records too, and stay, with the hash of the offer, of which the note was a
// part; so does all of what is still expected, whose codes are returned. It may be called any
// number of times, and one that fails keeps no other. 3 requests for each, 2 where nothing is left.
func (l *Ledger) Forget(ctx context.Context, txs []Transaction) (expected []string, err error) {
	var errs []error
	for _, tx := range txs {
		stays, err := l.forget(ctx, tx.ID)
		if err != nil {
			errs = append(errs, fmt.Errorf("ledger: forget %s: %w", tx.ID, err))
		}
		if stays {
			expected = append(expected, tx.Code)
		}
	}
	return expected, errors.Join(errs...)
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
	switch tx := h.Transaction; {
	case err != nil:
		return false, err
	case tx.State == Draft, tx.State == Hold:
		return false, nil
	case tx.State == Confirmed && l.now().Before(tx.End):
		return true, nil
	}
	ws, err := l.forgetting(ctx, h)
	if err != nil {
		return false, err
	}
	return false, l.Table.DB().Commit(ctx, ws...)
}

// forgetting takes name and note out of all that has them, whatever an erasure that was cut short has
// left. The version counts, so that who has read them does not write them back.
func (l *Ledger) forgetting(ctx context.Context, h History) ([]dynamo.Write, error) {
	var ws []dynamo.Write
	if tx := h.Transaction; tx.personal() {
		ws = append(ws, l.Table.Update(txKey(tx.ID), "REMOVE customerName, note SET version = :next", dynamo.V{":next": tx.Version + 1}).
			If("version = :version", dynamo.V{":version": tx.Version}).Else(ErrChanged))
	}
	for _, e := range h.Events {
		if e.Transaction.personal() {
			ws = append(ws, l.Table.Update(eventKey(h.Transaction.ID, e.ID), "REMOVE tx.customerName, tx.note", nil))
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
			ws = append(ws, l.Table.Update(it.Key(), "REMOVE #result.customerName, #result.note", nil).
				If("#result.id = :id", dynamo.V{":id": h.Transaction.ID}).Else(ErrChanged))
		}
	}
	return ws, nil
}

// personal reports whether the terms say something of the customer that is theirs alone.
func (t Terms) personal() bool { return t.CustomerName != "" || t.Note != "" }
