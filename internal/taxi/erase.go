package taxi

import (
	"context"
	"fmt"

	"merve/internal/dynamo"
)

// Erase deletes what is kept of an owner's rides, events and all, but for those that are open:
// somebody is driving. It returns the codes of those, and may be called again.
func (s *Store) Erase(ctx context.Context, owner string) (open []string, err error) {
	rides, err := s.All(ctx, owner)
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
		if r.Status.Open() {
			continue
		}
		if err := s.erase(ctx, r); err != nil {
			return open, fmt.Errorf("taxi: erase %s: %w", r.ID, err)
		}
	}
	return open, nil
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
	return s.Table.DB().CommitAll(ctx, ws...)
}
