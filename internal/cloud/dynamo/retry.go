package dynamo

import (
	"context"
	"errors"

	"merve/internal/base/fault"
	"merve/internal/base/pause"
)

// MaxTries bounds how often something is tried that others keep being faster with.
const MaxTries = 12

// Retry makes attempts until one ends in something else than lost, which says that another writer was faster: what the attempt
// had read is out of date, and nothing was written. After [MaxTries] attempts it gives up with lost as [fault.Unavailable].
func Retry[T any](ctx context.Context, db *DB, lost error, attempt func() (T, error)) (T, error) {
	for n := 1; ; n++ {
		result, err := attempt()
		switch {
		case !errors.Is(err, lost):
			return result, err
		case n == MaxTries:
			return result, fault.Wrap(err, fault.Unavailable, "too many changes at once, try again")
		}
		if err := pause.For(ctx, db.Backoff(n)); err != nil {
			return result, err
		}
	}
}
