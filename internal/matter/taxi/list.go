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

// Rides are found for the people who run a market in three ways, of which only the first two
// are written for that, one index entry each:
//
//	listed {market}#ride            rides, since when they are ordered
//	listed {market}#ride#unserved   the events that tell that nobody took one
//	codes#{market}                  the codes, which only open rides and proposals have
const listedIndex = "listed" // on (listed, listedAt); keys only

func listed(market string) string         { return market + "#ride" }
func listedUnserved(market string) string { return market + "#ride#unserved" }

// MaxPage is the most rides of one page.
const MaxPage = 100

// Listing says which rides of a market are wanted.
type Listing struct {
	Unserved bool      // only those that nobody took, by when that was plain
	From, To time.Time // ordered (or unserved) from then on, and before then; zero is no bound
	Limit    int       // 1 to [MaxPage]
	After    string    // a cursor of an earlier page
}

// List returns rides of a market that were ordered, the newest first, and where the next page
// begins ("" when there is none). The index is read eventually, the rides as they are.
// 2 requests.
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

// rideOf is the key of the ride that an entry of the index stands for: the ride itself, or what
// happened to it.
func rideOf(k dynamo.Key) dynamo.Key {
	if of, ok := strings.CutPrefix(k.SK, event.Prefix); ok {
		id, _, _ := strings.Cut(of, "#")
		k.SK = "ride#" + id
	}
	return k
}

// some reads rides, in the order of their keys; those that have gone are left out. A request
// for each hundred.
func (s *Store) some(ctx context.Context, keys []dynamo.Key) ([]Ride, error) {
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("taxi: rides: %w", err)
	}
	return dynamo.Decode[Ride](items)
}

// Open returns the open rides of a market that were ordered first, at most limit: what stands
// open too long is on top. They are found by their codes, so that nothing is written for it. A
// request for each megabyte of codes (some 8,000 rides), and one for each hundred rides.
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

// CancelByStaff cancels an open ride of an owner's in a market, as the customer's own YES would:
// its driver and its customer are told. One that is cancelled is given as it is, [ErrOver] when
// it is over in another way. 2 requests, 2 more each time that it moves meanwhile.
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
