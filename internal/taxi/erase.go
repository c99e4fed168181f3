package taxi

import (
	"context"
	"fmt"
	"slices"

	"merve/internal/dynamo"
)

// Erase deletes what is kept of an owner's rides, events and all, but for those that are open:
// somebody is driving. It returns how many stayed, and may be called again.
func (s *Store) Erase(ctx context.Context, owner string) (kept int, err error) {
	rides, err := s.All(ctx, owner)
	if err != nil {
		return 0, err
	}
	open := map[string]bool{} // whether some ride of a market is
	for _, r := range rides {
		open[r.Market] = open[r.Market] || r.Status.Open()
		if r.Status.Open() {
			kept++
		}
	}
	for market, some := range open { // while there are rides by which to find it
		if some {
			continue
		}
		last := s.Table.Delete(openKey(owner, market)).If("attribute_not_exists(pk) OR #open = :no", dynamo.V{":no": false}).Else(ErrChanged)
		if err := s.Table.DB().Commit(ctx, last); err != nil {
			return kept, fmt.Errorf("taxi: erase: %w", err)
		}
	}
	for _, r := range rides {
		if r.Status.Open() {
			continue
		}
		if err := s.erase(ctx, r); err != nil {
			return kept, fmt.Errorf("taxi: erase %s: %w", r.ID, err)
		}
	}
	return kept, nil
}

// erase deletes a ride that is not open, itself at last.
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
		If("attribute_not_exists(pk) OR #status = :was", dynamo.V{":was": r.Status}).Else(ErrChanged))
	for chunk := range slices.Chunk(ws, dynamo.MaxWrites) {
		if err := s.Table.DB().Commit(ctx, chunk...); err != nil {
			return err
		}
	}
	return nil
}
