package thread

import (
	"context"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
)

// listedIndex is the index on (listed, listedAt) that lists the threads of a market. It has keys only. A thread enters it
// with its first message and moves up when it becomes lively again, so that a turn in a running conversation does not
// write it.
const listedIndex = "listed"

func listed(market string) string { return market + "#thread" }

// Bounds of [Store.List].
const (
	MaxPage = 100 // threads of one page

	maxLooked = 1000 // threads looked at for one page
)

// Listing says which threads of a market are wanted.
type Listing struct {
	Market string
	Keep   func(Head) bool // nil keeps all
	Limit  int             // 1 to [MaxPage]
	After  string          // a cursor of an earlier page
}

// List returns threads of a market, the last lively ones first, and the cursor of the next page ("" if there is none). It
// reads a thousand threads at most, so a page may have fewer than the limit, or none, and still be followed by others. 2
// requests for each hundred threads read, with one read unit for each and some for the index.
func (s *Store) List(ctx context.Context, l Listing) (found []Head, next string, err error) {
	if l.Limit < 1 || l.Limit > MaxPage {
		return nil, "", fault.Field("limit", "want 1 to %d", MaxPage)
	}
	q := dynamo.Query{
		Index: listedIndex, Where: "listed = :listed", Values: dynamo.V{":listed": listed(l.Market)}, Backward: true, Limit: MaxPage, After: l.After,
	}
	if l.Keep == nil {
		l.Keep, q.Limit = func(Head) bool { return true }, l.Limit
	}
	for looked := 0; looked < maxLooked; {
		page, err := s.Table.Query(ctx, q)
		if err != nil {
			return nil, "", fmt.Errorf("threads of %s: %w", l.Market, err)
		}
		ids := make([]string, len(page.Items))
		for i, it := range page.Items {
			ids[i] = it.Key().PK
		}
		heads, err := s.Heads(ctx, ids...)
		if err != nil {
			return nil, "", err
		}
		for _, h := range heads {
			if !l.Keep(h) {
				continue
			}
			if len(found) == l.Limit { // the last is on this page, as the loop ends with a full one
				return found, dynamo.CursorAt(page.Items[slices.Index(ids, found[l.Limit-1].ID)]), nil
			}
			found = append(found, h)
		}
		looked += len(ids)
		if q.After = page.Next; q.After == "" {
			return found, "", nil
		}
		if len(found) == l.Limit {
			break
		}
	}
	return found, q.After, nil
}

// Heads reads the heads of threads, in the order of their ids, without those that do not exist. A request for each
// hundred.
func (s *Store) Heads(ctx context.Context, ids ...string) ([]Head, error) {
	keys := make([]dynamo.Key, len(ids))
	for i, id := range ids {
		keys[i] = headKey(id)
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("heads of threads: %w", err)
	}
	return dynamo.Decode[Head](items)
}

// HeadOf finds the head of a thread among heads; zero if it is not there.
func HeadOf(heads []Head, id string) Head {
	if i := slices.IndexFunc(heads, func(h Head) bool { return h.ID == id }); i >= 0 {
		return heads[i]
	}
	return Head{}
}

// Wanted keeps the threads of a channel that are in a state at a time; "" is any. A thread that a person has is
// [WithPerson] and in no other state.
func Wanted(ch channel.Channel, state State, now time.Time) func(Head) bool {
	return func(h Head) bool {
		return (ch == "" || h.Channel == ch) && (state == "" || h.stands(now) == state)
	}
}

// WithPerson is, for [Wanted], the state of a thread that a person answers or is to answer.
const WithPerson State = "person"

func (h Head) stands(now time.Time) State {
	if h.Handler == ByPerson {
		return WithPerson
	}
	return h.Standing(now)
}
