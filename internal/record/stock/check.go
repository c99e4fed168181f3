package stock

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// Drift is a count, or a holding, that is wrong.
type Drift struct {
	Subject string // market/listing/item, or market/listing/order
	Message string
}

// Checked is the result of a check.
type Checked struct{ Looked, Drifted int }

// Holders know what orders hold by their own account.
type Holders interface {
	// Holding returns how many items each of the given orders holds, by order id. Orders that hold nothing,
	// or that do not exist, are left out.
	Holding(ctx context.Context, all []Holding) (map[string]map[string]int, error)
}

const (
	dueKind   = "stock"
	settleFor = time.Minute // after a change, until a check looks at it
	lookAgain = time.Hour   // at a count that has drifted
)

// Check looks at the counts that have changed since the last look, a minute after the last
// change: none may be below zero, each must add up to its total, and held must equal what the open orders hold.
// It reports a wrong one to raise, again after an hour. It repairs nothing: a person has to say
// how many there are.
func (s *Store) Check(ctx context.Context, limit int, of Holders, raise func(context.Context, Drift) error) (Checked, error) {
	due := map[string][]dynamo.Key{}
	_, err := s.Table.EachDue(ctx, dueKind, s.now(), dynamo.Budget{Count: limit}, func(k dynamo.Key) (bool, error) {
		due[k.PK] = append(due[k.PK], k)
		return true, nil
	})
	errs := []error{err}
	var did Checked
	for _, pk := range slices.Sorted(maps.Keys(due)) {
		if dynamo.Closing(ctx) {
			break
		}
		drifted, err := s.look(ctx, pk, due[pk], of, raise)
		did.Looked, did.Drifted = did.Looked+len(due[pk]), did.Drifted+drifted
		if err != nil {
			errs = append(errs, fmt.Errorf("check %s: %w", pk, err))
		}
	}
	return did, errors.Join(errs...)
}

// look checks a listing's counts, and removes correct ones from the index. It rereads any that look
// wrong: sales go on between two reads, and each changes a version.
func (s *Store) look(ctx context.Context, pk string, due []dynamo.Key, of Holders, raise func(context.Context, Drift) error) (int, error) {
	counts, found, err := s.drifts(ctx, pk, of)
	if err != nil {
		return 0, err
	}
	if len(found) > 0 {
		after, again, err := s.drifts(ctx, pk, of)
		if err != nil {
			return 0, err
		}
		maps.DeleteFunc(found, func(sk, message string) bool { return again[sk] != message || counts[sk].Version != after[sk].Version })
	}
	for _, sk := range slices.Sorted(maps.Keys(found)) {
		_, name, _ := strings.Cut(sk, "#")
		subject := strings.ReplaceAll(strings.TrimPrefix(pk, "stock#"), "#", "/") + "/" + name
		if err := raise(ctx, Drift{subject, found[sk]}); err != nil {
			return 0, err
		}
	}
	for _, k := range due {
		if err := s.seen(ctx, k, counts[k.SK].Version, len(found) > 0); err != nil {
			return 0, err
		}
	}
	return len(found), nil
}

// drifts reads the counts and holdings of a listing, and says which are wrong and why.
func (s *Store) drifts(ctx context.Context, pk string, of Holders) (map[string]Count, map[string]string, error) {
	counts, rows, err := s.all(ctx, pk)
	if err != nil {
		return nil, nil, err
	}
	hold, err := of.Holding(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	found, sum := map[string]string{}, map[string]int{}
	for _, h := range rows {
		for item, n := range h.Items {
			sum["item#"+item] += n
		}
		if own := hold[h.Order]; !maps.Equal(own, h.Items) {
			found["order#"+h.Order] = fmt.Sprintf("holds %v, and by its order %v", h.Items, own)
		}
	}
	for sk, n := range sum {
		if counts[sk].Item == "" {
			found[sk] = fmt.Sprintf("%d are held, and there is no count", n)
		}
	}
	for sk, c := range counts {
		switch {
		case c.Left < 0 || c.Held < 0 || c.Sold < 0:
			found[sk] = fmt.Sprintf("below zero: %d left, %d held, %d sold", c.Left, c.Held, c.Sold)
		case c.Held != sum[sk]:
			found[sk] = fmt.Sprintf("%d are held, and open orders hold %d", c.Held, sum[sk])
		case c.Total != c.Left+c.Held+c.Sold:
			found[sk] = fmt.Sprintf("%d in all, and %d left, %d held, %d sold", c.Total, c.Left, c.Held, c.Sold)
		}
	}
	return counts, found, nil
}

// all reads the counts of a listing, by sort key, and then its holdings.
func (s *Store) all(ctx context.Context, pk string) (map[string]Count, []Holding, error) {
	counts, rows := map[string]Count{}, []Holding{}
	market, listing, _ := strings.Cut(strings.TrimPrefix(pk, "stock#"), "#")
	err := s.Table.Each(ctx, dynamo.Under(pk, ""), func(it dynamo.Item) error {
		if sk := it.Key().SK; strings.HasPrefix(sk, "item#") {
			var c Count
			if err := it.Decode(&c); err != nil {
				return err
			}
			c.Item = strings.TrimPrefix(sk, "item#")
			counts[sk] = c
			return nil
		}
		var h held
		if err := it.Decode(&h); err != nil {
			return err
		}
		rows = append(rows, Holding{market, listing, h.Order, h.Owner, h.Items})
		return nil
	})
	return counts, rows, err
}

var errChanged = errors.New("the count has changed meanwhile")

// seen removes a count from the index, or postpones it. A count that has changed since is left alone:
// that change has put it back on the index.
func (s *Store) seen(ctx context.Context, k dynamo.Key, version int, again bool) error {
	expr, vals := "REMOVE dueShard, dueAt", dynamo.V(nil)
	if again {
		expr, vals = "SET dueAt = :later", dynamo.V{":later": s.now().Add(lookAgain)}
	}
	err := s.Table.DB().Commit(ctx, s.Table.Update(k, expr, vals).AtVersion(version).Else(errChanged))
	if errors.Is(err, errChanged) {
		return nil
	}
	return err
}
