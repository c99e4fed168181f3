package taxi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
)

// The people who run a market find rides in three ways. The first two are index entries, written for that; the third is
// there anyway:
//
//	listed {market}#ride            rides, from their order on
//	listed {market}#ride#unserved   the events of rides that nobody took
//	codes#{market}                  the codes, which only open rides and proposals have
const listedIndex = "listed" // on (listed, listedAt); keys only

func listed(market string) string         { return market + "#ride" }
func listedUnserved(market string) string { return market + "#ride#unserved" }

// MaxPage is the most rides of one page.
const MaxPage = 100

// Listing says which rides of a market are wanted.
type Listing struct {
	Unserved bool      // only those that nobody took, in the order of that event
	From, To time.Time // ordered (or unserved) from then on, and before then; zero is no bound
	Limit    int       // 1 to [MaxPage]
	After    string    // a cursor of an earlier page
}

// List returns the ordered rides of a market, the newest first, and the cursor of the next page ("" if there is none). The
// index is eventually consistent, the rides are current. 2 requests.
func (s *Store) List(ctx context.Context, market string, l Listing) ([]Ride, string, error) {
	if l.Limit < 1 || l.Limit > MaxPage {
		return nil, "", fault.Field("limit", "want 1 to %d", MaxPage)
	}
	q := dynamo.Query{
		Index: listedIndex, Where: "listed = :listed", Values: dynamo.V{":listed": listed(market)}, Backward: true, Limit: l.Limit, After: l.After,
	}
	if l.Unserved {
		q.Values[":listed"] = listedUnserved(market)
	}
	if !l.From.IsZero() || !l.To.IsZero() {
		q.Where += " AND listedAt BETWEEN :from AND :to"
		q.Values[":from"], q.Values[":to"] = dynamo.Stamp(l.From), "9"
		if !l.To.IsZero() {
			q.Values[":to"] = dynamo.Stamp(l.To.Add(-time.Millisecond))
		}
	}
	page, err := s.Table.Query(ctx, q)
	if err != nil {
		return nil, "", fmt.Errorf("taxi: rides of %s: %w", market, err)
	}
	var keys []dynamo.Key
	for _, it := range page.Items {
		if key := rideOf(it.Key()); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	rides, err := s.some(ctx, keys)
	return rides, page.Next, err
}

// rideOf is the key of the ride that an index entry stands for, which is the ride's own or an event's.
func rideOf(k dynamo.Key) dynamo.Key {
	if of, ok := strings.CutPrefix(k.SK, event.Prefix); ok {
		id, _, _ := strings.Cut(of, "#")
		k.SK = "ride#" + id
	}
	return k
}

// some reads rides, in the order of their keys, without those that are gone. A request for each hundred.
func (s *Store) some(ctx context.Context, keys []dynamo.Key) ([]Ride, error) {
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("taxi: rides: %w", err)
	}
	return dynamo.Decode[Ride](items)
}

// Open returns the open rides of a market, the oldest first, at most limit, so that those that stay open too long come
// first. It finds them by their codes, so nothing is written for it. A request for each megabyte of codes (some 8,000
// rides), and one for each hundred rides.
func (s *Store) Open(ctx context.Context, market string, limit int) ([]Ride, error) {
	if limit < 1 || limit > MaxPage {
		return nil, fault.Field("limit", "want 1 to %d", MaxPage)
	}
	pointers, err := dynamo.Collect[pointer](ctx, s.Table, dynamo.Under("codes#"+market, "code#"))
	if err != nil {
		return nil, fmt.Errorf("taxi: open rides: %w", err)
	}
	keys := make([]dynamo.Key, len(pointers))
	for i, p := range pointers {
		keys[i] = rideKey(p.Owner, p.Ride)
	}
	rides, err := s.some(ctx, keys)
	if err != nil {
		return nil, err
	}
	rides = slices.DeleteFunc(rides, func(r Ride) bool { return !r.Status.Open() })
	slices.SortStableFunc(rides, func(a, b Ride) int { return a.RequestedAt.Compare(b.RequestedAt) })
	return rides[:min(len(rides), limit)], nil
}

// CancelByStaff cancels an owner's open ride in a market as the customer's own YES would, and its driver and customer hear
// of it. A cancelled ride is returned as it is; [ErrOver] if it ended in another way. 2 requests, and 2 more each time that
// it changes meanwhile.
func (s *Store) CancelByStaff(ctx context.Context, staff actor.Actor, market, owner, id string) (Ride, error) {
	if !staff.IsStaff() {
		return Ride{}, actor.ErrNotFound
	}
	const tries = 3
	for range tries {
		r, err := s.Get(ctx, actor.OfKey(owner), market, id)
		switch {
		case err != nil:
			return Ride{}, err
		case r.Status == Proposed:
			return Ride{}, actor.ErrNotFound // nobody else knows of it
		case r.Status == Cancelled:
			return r, nil
		case !r.Status.Open():
			return r, ErrOver
		}
		r.CancelledBy = staff.Key()
		after, ws := s.end(ctx, r, Cancelled, CancelledEvent)
		switch err := s.Table.DB().Commit(ctx, ws...); {
		case err == nil:
			return after, nil
		case !fault.Is(err, fault.Conflict):
			return Ride{}, fmt.Errorf("taxi: cancel %s: %w", id, err)
		}
	}
	return Ride{}, ErrChanged
}
