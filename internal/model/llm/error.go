package llm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Meaning says what a failure means to the caller.
type Meaning string

const (
	Unavailable Meaning = "unavailable" // overloaded, limited or out of reach: the same request may succeed later
	Refused     Meaning = "refused"     // bad key or bad request: asking again will not help
	Malformed   Meaning = "malformed"   // an answer came that cannot be used
)

// Error is a failed request. Its text never holds what was said or a key.
type Error struct {
	Meaning    Meaning
	RetryAfter time.Duration // how long the provider asks to be left alone; 0 when it does not say
	Account    bool          // the key is not taken, or has no money left: nothing is answered until somebody mends that
	Err        error
}

func (e *Error) Error() string { return fmt.Sprintf("model %s: %v", e.Meaning, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Fail returns an [*Error] with a formatted cause; %w keeps it in the chain.
func Fail(m Meaning, format string, args ...any) error {
	return &Error{Meaning: m, Err: fmt.Errorf(format, args...)}
}

// OfAccount reports whether err is of the key or its money.
func OfAccount(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Account
}

// MeaningOf returns what err means. A context that ran out is [Unavailable], an error
// of unknown kind [Refused]: it is not worth asking again.
func MeaningOf(err error) Meaning {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Meaning
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Unavailable
	}
	return Refused
}
