// Package pause waits: for a time, no longer than a context lasts, and for longer after each attempt that fails.
package pause

import (
	"context"
	"math/rand/v2"
	"time"
)

// For returns after d, or with ctx's error when that ends first.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Backoff is how long to wait after attempt n (1, 2, …) has failed.
type Backoff func(n int) time.Duration

// Exponential waits at most first after the first attempt, at most twice as long after each further one, and never longer than
// longest. Chance decides how long within that ("full jitter"), so that those who failed together do not come back together.
// https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
func Exponential(first, longest time.Duration) Backoff {
	return func(n int) time.Duration {
		ceiling := first
		for range n - 1 {
			ceiling = min(2*ceiling, longest)
		}
		return time.Millisecond + rand.N(ceiling)
	}
}
