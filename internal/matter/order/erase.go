package order

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// Erase deletes an owner's orders in a market with their events. It keeps open orders, because
// somebody is working on them, and orders whose end people may still be told about:
// [Store.Sweep] deletes these later. Erase returns the codes of the open orders, and [ErrChanged] when an order
// was placed meanwhile. 1 request, 2 for each order deleted, 1 for each order kept.
func (s *Store) Erase(ctx context.Context, market, owner string) (open []string, err error) {
	all, err := s.All(ctx, market, owner)
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		if o.Stands() {
			open = append(open, o.Code)
		}
		if s.stays(o) {
			err = s.eraseLater(ctx, o)
		} else {
			err = s.erase(ctx, o)
		}
		if err != nil {
			return open, err
		}
	}
	return open, nil
}

// erase deletes an order that is over, with its events, its code and its mark.
func (s *Store) erase(ctx context.Context, o Order) error {
	events, err := s.Events(ctx, o)
	if err != nil {
		return err
	}
	ws := []dynamo.Write{
		s.Table.Delete(orderKey(o.Owner, o.ID)).If("attribute_not_exists(pk) OR #status = :was", dynamo.V{":was": o.Status}).Else(ErrChanged),
		s.Table.Delete(forgetKey(o.Owner, o.ID)),
	}
	for _, e := range events {
		ws = append(ws, s.Table.Delete(eventKey(o.Owner, o.ID, e.Type)))
	}
	codes := []dynamo.Write{s.Table.Delete(codeKey(o.Business, o.Code))}
	if o.Told != "" {
		codes = append(codes, s.Table.Delete(toldKey(o.Market, o.Told, o.Code)))
	}
	for i, w := range codes {
		codes[i] = w.If("attribute_not_exists(pk) OR #order = :order", dynamo.V{":order": o.ID}).Else(errCodeTaken)
	}
	err = s.Table.DB().Commit(ctx, slices.Concat(ws, codes)...)
	if errors.Is(err, errCodeTaken) { // it had lapsed, and was given again
		err = s.Table.DB().Commit(ctx, ws...)
	}
	return err
}

// forgetAfter is how long an order that is to be deleted stays when it is over: so long people may
// yet be told of its end, and read it for that. It is looked at as often until then.
const forgetAfter = time.Hour

// stays reports whether an order that is to be deleted has to wait. A proposal need not wait, because
// nobody else has heard of it.
func (s *Store) stays(o Order) bool {
	return o.Stands() || o.Receipt != nil && s.now().Before(o.UpdatedAt.Add(forgetAfter))
}

// eraseLater marks an order to be deleted once it is over, or puts it off. The mark is an item of its
// own, so that nobody who changes the order meanwhile has to know of it.
func (s *Store) eraseLater(ctx context.Context, o Order) error {
	return s.Table.DB().Commit(ctx, s.Table.PutDue(forgetKey(o.Owner, o.ID), dueKind, o.ID, s.now().Add(forgetAfter)))
}

// eraseMarked deletes the order of a mark if it is over.
func (s *Store) eraseMarked(ctx context.Context, mark dynamo.Key) error {
	owner, id := strings.TrimPrefix(mark.PK, ownerPrefix), strings.TrimPrefix(mark.SK, forgetPrefix)
	it, err := s.Table.Get(ctx, orderKey(owner, id))
	switch {
	case err != nil:
		return err
	case it == nil:
		return s.Table.DB().Commit(ctx, s.Table.Delete(mark))
	}
	var o Order
	if err := it.Decode(&o); err != nil {
		return err
	}
	if s.stays(o) {
		return s.eraseLater(ctx, o)
	}
	if s.AlsoErase != nil {
		if err := s.AlsoErase(ctx, o); err != nil {
			return err
		}
	}
	return s.erase(ctx, o)
}
