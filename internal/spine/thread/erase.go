package thread

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// Erase deletes what was said on a thread: finished turns, sent messages, what waits for YES or NO, and the customer's
// name, number and location. The thread is on no list until the customer writes again.
//
// The head remains, so that the customer can go on or stays opted out, and so do the ids of messages, so that none is
// answered twice. A running turn keeps its lease and what it may be settling, and waiting messages are answered; but what
// the turn has read is gone, and its commit meets [ErrNewer] and a new epoch. Called again, Erase goes on where it
// stopped.
func (s *Store) Erase(ctx context.Context, id string) error {
	head, err := s.Head(ctx, id)
	if err != nil {
		return err
	}
	if err := s.Links().unlink(ctx, head); err != nil {
		return err
	}
	for now := head; ; { // a turn that ends meanwhile may repeat what it has read
		if err = (eraser{s: s, head: now, began: s.Now()}).all(ctx); !errors.Is(err, errEnded) {
			break
		}
		if now, err = s.Head(ctx, id); err != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("erase thread %s: %w", id, err)
	}
	if head.Pending == nil {
		return nil
	}
	// A turn has messages to answer until it ends, and then it counts.
	err = s.Table.DB().Commit(ctx, s.Table.Update(headKey(id), "REMOVE pending, #state", nil).
		If("attribute_not_exists(inbox) AND turns = :seen", dynamo.V{":seen": head.Turns}).Else(ErrBusy))
	if err != nil && !errors.Is(err, ErrBusy) {
		return fmt.Errorf("erase thread %s: %w", id, err)
	}
	return nil
}

var errEnded = errors.New("a turn has ended")

// eraser deletes what was said on a thread, as of its head.
type eraser struct {
	s     *Store
	head  Head
	began time.Time
}

// all deletes the items of a thread and what its head knows about the customer. [errEnded] when a turn has ended since
// the head was read.
func (e eraser) all(ctx context.Context) error {
	for after := ""; ; {
		var err error
		if after, err = e.page(ctx, after); err != nil {
			return err
		}
		if after == "" {
			break
		}
	}
	return e.s.Table.DB().Commit(ctx, e.s.Table.Update(headKey(e.head.ID), "REMOVE #name, phone, contact, addr, loc, locAt, lang, listed, letGo ADD epoch :one", dynamo.V{":one": 1}).
		If("attribute_not_exists(turns) OR turns = :seen", dynamo.V{":seen": e.head.Turns}).Else(errEnded))
}

// page erases a hundred items, and returns the cursor to go on, or "" at the end.
func (e eraser) page(ctx context.Context, after string) (next string, err error) {
	page, err := e.s.Table.Query(ctx, dynamo.Query{
		Where: "pk = :pk AND sk < :head", Values: dynamo.V{":pk": e.head.ID, ":head": headSK}, Limit: dynamo.MaxWrites, After: after,
	})
	if err != nil {
		return "", err
	}
	var ws []dynamo.Write
	for _, it := range page.Items {
		if w, ok := e.erased(it); ok {
			ws = append(ws, w)
		}
	}
	return page.Next, e.s.Table.DB().Commit(ctx, ws...)
}

// erased is the write that erases an item of a thread; ok is false for an item that stays.
func (e eraser) erased(it dynamo.Item) (dynamo.Write, bool) {
	k := it.Key()
	seen, isSeen := strings.CutPrefix(k.SK, "seen#")
	switch {
	case strings.HasPrefix(k.SK, "journal#") && k.SK > journalOf(e.head.Turns+1):
		return dynamo.Write{}, false // of the turn that runs, or of later ones
	case !isSeen:
		return e.s.Table.Delete(k), true
	case it["text"] == nil && it["media"] == nil:
		return dynamo.Write{}, false
	case has(e.head.Inbox, seen) || it.Time("at").After(e.began):
		return dynamo.Write{}, false // it waits for an answer, which needs the words
	}
	return e.s.Table.Update(k, "REMOVE #text, media", nil), true
}
