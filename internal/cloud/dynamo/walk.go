package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

// Budget bounds one walk over what is due. Its context bounds it, too: nothing is begun when
// that is [Closing].
type Budget struct {
	Count   int           // ends it when so much was done; 0 is 10,000
	Time    time.Duration // begins nothing more after this long; 0 is no bound of its own
	Workers int           // shards at a time, each in a goroutine; 0 is one after the other
}

const defaultCount = 10_000

// Walked is what a walk came past.
type Walked struct {
	Looked int           // handed over
	Done   int           // and something was done about it
	Failed int           // or could not be
	Lag    time.Duration // of what was overdue longest of all handed over
	Left   bool          // the budget was spent before the end
}

// keysPage is how many keys of a shard one request reads.
const keysPage = 500

// EachDue calls do for the keys of a kind that are due at or before now: each shard's, page by page and oldest first,
// those of one page of 500 in the order of their keys. do reports whether it did, or tried to do, something. Only
// that counts against the budget, so that many keys that need nothing yet do not hold up the keys behind them. An
// error does not stop the others; EachDue joins all errors, up to the number that anybody would read. 16 requests,
// and 1 more for each further page.
func (t Table) EachDue(ctx context.Context, kind string, now time.Time, b Budget, do func(Key) (did bool, err error)) (Walked, error) {
	return t.walk(ctx, kind, now, b, keysPage, func(w *walk, page Page) error {
		slices.SortFunc(page.Items, func(a, b Item) int {
			x, y := a.Key(), b.Key()
			return cmp.Or(strings.Compare(x.PK, y.PK), strings.Compare(x.SK, y.SK))
		})
		w.each(ctx, page.Items, func(it Item) (bool, error) { return do(it.Key()) })
		return nil
	})
}

// EachDueItem is [Table.EachDue] for those who need the items: it reads them, strongly consistent, 1 request
// for each [maxReads]. Those of a page come oldest first; one that is gone is left out. One that the
// index is behind on comes: do decides on the item.
func (t Table) EachDueItem(ctx context.Context, kind string, now time.Time, b Budget, do func(Item) (did bool, err error)) (Walked, error) {
	return t.walk(ctx, kind, now, b, maxReads, func(w *walk, page Page) error {
		items, err := t.BatchGet(ctx, page.Keys()...)
		w.each(ctx, items, do)
		return err
	})
}

// EachDuePage is [Table.EachDueItem] for those who do something about many at once: do is handed
// the items of a page and ranges over them, which ends when the budget is spent. Each one that
// it came to counts as done.
func (t Table) EachDuePage(ctx context.Context, kind string, now time.Time, b Budget, do func(page iter.Seq[Item]) error) (Walked, error) {
	return t.walk(ctx, kind, now, b, maxReads, func(w *walk, page Page) error {
		items, err := t.BatchGet(ctx, page.Keys()...)
		if err != nil {
			return err
		}
		w.failed(do(func(yield func(Item) bool) {
			for _, it := range items {
				if !w.begin(ctx) {
					return
				}
				more := yield(it)
				w.end(it, true, nil)
				if !more {
					return
				}
			}
		}))
		return nil
	})
}

// walk is one in progress. It is safe for concurrent use.
type walk struct {
	kind  string
	now   time.Time
	until time.Time // zero is no bound

	mu    sync.Mutex
	next  int // shards begun
	count int // what may still be done
	sum   Walked
	errs  []error
	more  int // errors that were left out
}

// walk goes through the shards. An error of page ends its shard. Each minute begins with a different shard, so that
// every shard gets its turn.
func (t Table) walk(ctx context.Context, kind string, now time.Time, b Budget, size int, page func(*walk, Page) error) (Walked, error) {
	w := &walk{kind: kind, now: now, count: cmp.Or(b.Count, defaultCount)}
	if b.Time > 0 {
		w.until = time.Now().Add(b.Time) // wall time passes, whatever now says
	}
	first := int(now.Unix() / 60 % DueShards)
	var wg sync.WaitGroup
	for range max(b.Workers, 1) {
		wg.Go(func() {
			for n, ok := w.shard(ctx); ok; n, ok = w.shard(ctx) {
				if err := t.walkShard(ctx, w, (first+n)%DueShards, size, page); err != nil {
					w.failed(fmt.Errorf("due %s: %w", kind, err))
				}
			}
		})
	}
	wg.Wait()
	return w.sum, w.err(ctx)
}

func (t Table) walkShard(ctx context.Context, w *walk, shard, size int, page func(*walk, Page) error) error {
	for after := ""; ; {
		found, err := t.duePage(ctx, w.kind, shard, w.now, size, after)
		if err != nil {
			return err
		}
		if err := page(w, found); err != nil {
			return err
		}
		if after = found.Next; after == "" || w.spent(ctx) {
			return nil
		}
	}
}

// shard gives the next shard to a free worker; ok is false if no shard or no budget is left.
func (w *walk) shard(ctx context.Context) (n int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == DueShards || w.over(ctx) {
		return 0, false
	}
	w.next++
	return w.next - 1, true
}

func (w *walk) spent(ctx context.Context) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over(ctx)
}

// over reports whether a bound is reached, with something left.
func (w *walk) over(ctx context.Context) bool {
	over := w.count == 0 || !w.until.IsZero() && !time.Now().Before(w.until) || Closing(ctx)
	w.sum.Left = w.sum.Left || over
	return over
}

// begin reports whether one more may be handed over, and reserves its place in the count.
func (w *walk) begin(ctx context.Context) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over(ctx) {
		return false
	}
	w.count--
	return true
}

// end records the outcome of one, and gives its place back if nothing was to be done.
func (w *walk) end(it Item, did bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sum.Looked++
	if !did {
		w.count++
	}
	switch {
	case err != nil:
		w.sum.Failed++
	case did:
		w.sum.Done++
	}
	if due := it.Time("dueAt"); !due.IsZero() {
		w.sum.Lag = max(w.sum.Lag, w.now.Sub(due))
	}
}

func (w *walk) each(ctx context.Context, items []Item, do func(Item) (bool, error)) {
	for _, it := range items {
		if !w.begin(ctx) {
			return
		}
		did, err := do(it)
		w.end(it, did, err)
		if err != nil {
			w.failed(fmt.Errorf("due %s %s: %w", w.kind, it.Key(), err))
		}
	}
}

// maxErrors is how many errors of a walk are kept: when a provider is away, all are the same.
const maxErrors = 20

func (w *walk) failed(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil:
	case len(w.errs) == maxErrors:
		w.more++
	default:
		w.errs = append(w.errs, err)
	}
}

func (w *walk) err(ctx context.Context) error {
	errs := w.errs
	if w.more > 0 {
		errs = append(errs, fmt.Errorf("due %s: %d more errors", w.kind, w.more))
	}
	if ctx.Err() != nil {
		errs = append(errs, fmt.Errorf("due %s: %w", w.kind, ctx.Err()))
	}
	return errors.Join(errs...)
}

// lastCall is how long before the end of its time nothing new is begun: what is under way may
// take as long.
const lastCall = 5 * time.Second

// Closing reports whether so little of ctx's time is left that what is due is for the next time.
func Closing(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && time.Until(end) < lastCall
}
