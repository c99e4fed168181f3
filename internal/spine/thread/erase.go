package thread

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// Erase takes away what was said on a thread: finished turns, messages sent, what waits for YES
// or NO, the customer's name, number and place. It is on no list until the customer writes again.
// What remains is the head, that the customer may go on or has opted out, and which message ids
// were here, so that none is answered twice. A turn that runs keeps its lease and what it may be
// settling, and messages that wait are answered; but what it has read is gone, and it meets
// [ErrNewer] and a new epoch. Repeated, it goes on where it ended.
func (s *Store) Erase(ctx context.Context, id string) error {
	head, err := s.Head(ctx, id)
	if err != nil {
		return err
	}
	if err := s.unlink(ctx, head); err != nil {
		return err
	}
	for now := head; ; { // until no turn ends meanwhile, which may repeat what it has read
		if err = s.eraseSaid(ctx, now); !errors.Is(err, errEnded) {
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

// eraseSaid takes away the items of a thread and what its head knows of the customer. [errEnded]
// when a turn has ended since the head was read.
func (s *Store) eraseSaid(ctx context.Context, head Head) error {
	e := eraser{s: s, head: head, began: s.Now()}
	for after := ""; ; {
		var err error
		if after, err = e.page(ctx, after); err != nil {
			return err
		}
		if after == "" {
			break
		}
	}
	return s.Table.DB().Commit(ctx, s.Table.Update(headKey(head.ID), "REMOVE #name, phone, contact, addr, loc, locAt, lang, listed, letGo ADD epoch :one", dynamo.V{":one": 1}).
		If("attribute_not_exists(turns) OR turns = :seen", dynamo.V{":seen": head.Turns}).Else(errEnded))
}

// eraser takes away the items of a thread.
type eraser struct {
	s     *Store
	head  Head
	began time.Time
}

// page erases a hundred items, and gives where it goes on; "" at the end.
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

// erased is what becomes of an item of a thread.
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
		return dynamo.Write{}, false // waits for its answer, which needs the words
	}
	return e.s.Table.Update(k, "REMOVE #text, media", nil), true
}
