package llm

import (
	"context"
	"errors"
	"time"

	"merve/internal/base/pause"
)

// Retry is how long and how often any provider is asked for one answer. The zero value
// has the usual settings.
type Retry struct {
	Attempts int           // 3
	Timeout  time.Duration // of an attempt that shows no sign of life; 30 s

	Now     func() time.Time
	Backoff pause.Backoff                                    // unless the provider asks for longer
	Sleep   func(ctx context.Context, d time.Duration) error // returns early when ctx ends
}

const (
	longestAny = time.Minute // a provider that asks for more gets no further attempt
)

// errSlow ends an attempt that gave nothing for the time-out.
var errSlow = errors.New("no answer within the time-out")

// Do calls ask until it succeeds or no further attempt is worth making: the failure is not [Unavailable], it is
// [Final], or attempts or context run out. An attempt that streams calls alive at each sign of life, which restarts
// its time-out.
func (r Retry) Do(ctx context.Context, ask func(ctx context.Context, alive func()) error) error {
	r = r.filled()
	for attempt := 1; ; attempt++ {
		err := r.attempt(ctx, ask)
		if err == nil {
			return nil
		}
		if MeaningOf(err) != Unavailable || IsFinal(err) || attempt == r.Attempts {
			return plain(err)
		}
		wait := max(r.Backoff(attempt), retryAfter(err))
		if deadline, ok := ctx.Deadline(); wait > longestAny || ok && r.Now().Add(wait).After(deadline) {
			return err // no answer could come in time
		}
		if r.Sleep(ctx, wait) != nil {
			return err
		}
	}
}

func (r Retry) filled() Retry {
	if r.Attempts <= 0 {
		r.Attempts = 3
	}
	if r.Timeout <= 0 {
		r.Timeout = 30 * time.Second
	}
	if r.Now == nil {
		r.Now = time.Now
	}
	if r.Backoff == nil {
		r.Backoff = pause.Exponential(800*time.Millisecond, 8*time.Second)
	}
	if r.Sleep == nil {
		r.Sleep = pause.For
	}
	return r
}

func (r Retry) attempt(ctx context.Context, ask func(ctx context.Context, alive func()) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(r.Timeout, func() { cancel(errSlow) })
	defer watchdog.Stop()
	return ask(ctx, func() { watchdog.Reset(r.Timeout) })
}

func retryAfter(err error) time.Duration {
	var e *Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

// final marks an error after which no further attempt is made, whatever it means.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// Final keeps [Retry.Do] from trying again after err: part of the answer is out already.
func Final(err error) error { return final{err} }

// IsFinal reports whether err was marked by [Final].
func IsFinal(err error) bool {
	var f final
	return errors.As(err, &f)
}

// plain takes the mark of [Final] off.
func plain(err error) error {
	if f, ok := err.(final); ok {
		return f.error
	}
	return err
}
