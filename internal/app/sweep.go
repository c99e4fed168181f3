package app

import (
	"context"
	"errors"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/trigger"
)

// most is what one sweep does something about: 500 of each shard.
var most = dynamo.Budget{Count: 500 * dynamo.DueShards}

// sweep does what has become due of one kind of thing, at the time for which it was scheduled.
type sweep struct {
	name string
	run  func(ctx context.Context, at time.Time) (report any, err error)
}

// within is a sweep that keeps to a budget.
func within[R any](name string, b dynamo.Budget, run func(context.Context, dynamo.Budget) (R, error)) sweep {
	return sweep{name, func(ctx context.Context, _ time.Time) (any, error) { return run(ctx, b) }}
}

// scheduled runs sweeps one after the other, each in its share of the time that is left: one that has much to do, or whose
// provider is slow, leaves the others theirs. An error keeps no other sweep from its work.
func (b *Process) scheduled(sweeps []sweep) trigger.Handler {
	return trigger.Schedule(func(ctx context.Context, at time.Time) error {
		errs := make([]error, len(sweeps))
		for i, s := range sweeps {
			ctx, cancel := ctx, func() {}
			if end, ok := ctx.Deadline(); ok {
				ctx, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(len(sweeps)-i))
			}
			report, err := s.run(ctx, at)
			b.Log.InfoContext(ctx, s.name, "report", report)
			errs[i] = err
			cancel()
		}
		return errors.Join(errs...)
	}, trigger.Log(b.Log))
}
