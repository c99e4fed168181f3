package taxi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// Erase deletes an owner's rides in a market, with their events. Open rides stay, as somebody is driving, and so do those
// whose end people may yet hear about; [Store.Sweep] deletes these later. It returns the codes of the open ones, and may be
// called again.
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
	for market, some := range markets { // before the rides, which lead to it
		if some {
			continue
		}
		last := s.Table.Delete(openKey(owner, market)).If("attribute_not_exists(pk) OR #open = :no", dynamo.V{":no": false}).Else(ErrChanged)
		if err := s.Table.DB().Commit(ctx, last); err != nil {
			return open, fmt.Errorf("taxi: erase: %w", err)
		}
	}
	for _, r := range rides {
		e := eraser{s}
		do := e.erase
		if e.stays(r) {
			do = e.eraseLater
		}
		if err := do(ctx, r); err != nil {
			return open, fmt.Errorf("taxi: erase %s: %w", r.ID, err)
		}
	}
	return open, nil
}

// eraser deletes rides that are over.
type eraser struct{ *Store }

// erase deletes a ride that is not open. The ride and its mark go last.
func (e eraser) erase(ctx context.Context, r Ride) error {
	events, err := e.Events(ctx, r.Owner, r.ID)
	if err != nil {
		return err
	}
	ws := []dynamo.Write{}
	for _, happened := range events {
		ws = append(ws, e.Table.Delete(eventKey(happened)))
	}
	if r.Status == Proposed {
		ws = append(ws, e.Table.Delete(codeKey(r.Market, r.Code)))
	}
	ws = append(ws, e.Table.Delete(rideKey(r.Owner, r.ID)).
		If("attribute_not_exists(pk) OR #status = :was", dynamo.V{":was": r.Status}).Else(ErrChanged),
		e.Table.Delete(forgetKey(r.Owner, r.ID)))
	return e.Table.DB().CommitAll(ctx, ws...)
}

// forgetAfter is how long a ride that is to be deleted stays after its end, as people who hear of that end may still read
// it. Until then it is checked again at this interval.
const forgetAfter = time.Hour

// stays reports whether a ride that is to be deleted has to wait. A ride without a YES does not, as nobody else hears of
// it.
func (e eraser) stays(r Ride) bool {
	return r.Status.Open() || r.Receipt != nil && e.now().Before(r.UpdatedAt.Add(forgetAfter))
}

// eraseLater marks a ride to be deleted once it is over, or postpones that. The mark is an item of its own, so that changes
// of the ride need not know about it.
func (e eraser) eraseLater(ctx context.Context, r Ride) error {
	return e.Table.DB().Commit(ctx, e.Table.PutDue(forgetKey(r.Owner, r.ID), e.dueKind(), r.ID, e.now().Add(forgetAfter)))
}

var errLater = errors.New("a later ride was ordered")

// eraseMarked deletes the ride of a mark if it is over.
func (e eraser) eraseMarked(ctx context.Context, mark dynamo.Key) error {
	owner, id := strings.TrimPrefix(mark.PK, ownerPrefix), strings.TrimPrefix(mark.SK, forgetPrefix)
	it, err := e.Table.Get(ctx, rideKey(owner, id))
	switch {
	case err != nil:
		return err
	case it == nil:
		return e.Table.DB().Commit(ctx, e.Table.Delete(mark))
	}
	var r Ride
	if err := it.Decode(&r); err != nil {
		return err
	}
	if e.stays(r) {
		return e.eraseLater(ctx, r)
	}
	if e.AlsoErase != nil {
		if err := e.AlsoErase(ctx, r); err != nil {
			return err
		}
	}
	last := e.Table.Delete(openKey(owner, r.Market)).If("attribute_not_exists(pk) OR ride = :ride", dynamo.V{":ride": id}).Else(errLater)
	if err := e.Table.DB().Commit(ctx, last); err != nil && !errors.Is(err, errLater) {
		return err
	}
	return e.erase(ctx, r)
}
