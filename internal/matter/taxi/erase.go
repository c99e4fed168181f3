package taxi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// Erase deletes what is kept of an owner's rides in a market, events and all, but for those that are
// open, as somebody is driving, and those of whose end people may yet be told: [Store.Sweep] deletes
// these later. It returns the codes of those that are open, and may be called again.
func (s *Store) Erase(ctx context.Context, market, owner string) (open []string, err error) {
	rides, err := s.All(ctx, market, owner)
	if err != nil {
		return nil, err
	}
	markets := map[string]bool{} // whether some ride of one is open
	for _, r := range rides {
		markets[r.Market] = markets[r.Market] || r.Status.Open()
		if r.Status.Open() {
			open = append(open, r.Code)
		}
	}
	for market, some := range markets { // while there are rides by which to find it
		if some {
			continue
		}
		last := s.Table.Delete(openKey(owner, market)).If("attribute_not_exists(pk) OR #open = :no", dynamo.V{":no": false}).Else(ErrChanged)
		if err := s.Table.DB().Commit(ctx, last); err != nil {
			return open, fmt.Errorf("taxi: erase: %w", err)
		}
	}
	for _, r := range rides {
		do := s.erase
		if s.stays(r) {
			do = s.eraseLater
		}
		if err := do(ctx, r); err != nil {
			return open, fmt.Errorf("taxi: erase %s: %w", r.ID, err)
		}
	}
	return open, nil
}

// erase deletes a ride that is not open, itself and its mark at last.
func (s *Store) erase(ctx context.Context, r Ride) error {
	events, err := s.Events(ctx, r.Owner, r.ID)
	if err != nil {
		return err
	}
	ws := []dynamo.Write{}
	for _, e := range events {
		ws = append(ws, s.Table.Delete(eventKey(e)))
	}
	if r.Status == Proposed {
		ws = append(ws, s.Table.Delete(codeKey(r.Market, r.Code)))
	}
	ws = append(ws, s.Table.Delete(rideKey(r.Owner, r.ID)).
		If("attribute_not_exists(pk) OR #status = :was", dynamo.V{":was": r.Status}).Else(ErrChanged),
		s.Table.Delete(forgetKey(r.Owner, r.ID)))
	return s.Table.DB().CommitAll(ctx, ws...)
}

// forgetAfter is how long a ride that is to be deleted stays when it is over: so long people may
// yet be told of its end, and read it for that. It is looked at as often until then.
const forgetAfter = time.Hour

// stays reports whether a ride that is to be deleted has to wait. What nobody said YES to has not:
// nobody else hears of it.
func (s *Store) stays(r Ride) bool {
	return r.Status.Open() || r.Receipt != nil && s.now().Before(r.UpdatedAt.Add(forgetAfter))
}

// eraseLater marks a ride to be deleted once it is over, or puts it off. The mark is an item of its
// own, so that nobody who changes the ride meanwhile has to know of it.
func (s *Store) eraseLater(ctx context.Context, r Ride) error {
	return s.Table.DB().Commit(ctx, s.Table.PutDue(forgetKey(r.Owner, r.ID), s.dueKind(), r.ID, s.now().Add(forgetAfter)))
}

var errLater = errors.New("a later ride was ordered")

// eraseMarked deletes the ride of a mark if it is over.
func (s *Store) eraseMarked(ctx context.Context, mark dynamo.Key) error {
	owner, id := strings.TrimPrefix(mark.PK, ownerPrefix), strings.TrimPrefix(mark.SK, forgetPrefix)
	it, err := s.Table.Get(ctx, rideKey(owner, id))
	switch {
	case err != nil:
		return err
	case it == nil:
		return s.Table.DB().Commit(ctx, s.Table.Delete(mark))
	}
	var r Ride
	if err := it.Decode(&r); err != nil {
		return err
	}
	if s.stays(r) {
		return s.eraseLater(ctx, r)
	}
	if s.AlsoErase != nil {
		if err := s.AlsoErase(ctx, r); err != nil {
			return err
		}
	}
	last := s.Table.Delete(openKey(owner, r.Market)).If("attribute_not_exists(pk) OR ride = :ride", dynamo.V{":ride": id}).Else(errLater)
	if err := s.Table.DB().Commit(ctx, last); err != nil && !errors.Is(err, errLater) {
		return err
	}
	return s.erase(ctx, r)
}
