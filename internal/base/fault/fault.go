// Package fault gives errors a kind: a small, stable set that callers branch on
// while people read the message and the log keeps the chain.
//
// An error crosses three edges, each with one mapping: [HTTPStatus] for clients,
// [ForModel] for a model that may act on it, [Retryable] for queues and streams.
// An error without a kind is [Internal]: its text never leaves the process.
package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Kind says what an error means to the caller.
type Kind string

const (
	Invalid         Kind = "invalid"         // the input is wrong; the field says where
	Unauthenticated Kind = "unauthenticated" // nobody is signed in
	Forbidden       Kind = "forbidden"       // signed in or signed, but not allowed
	NotFound        Kind = "not_found"       // does not exist, or is not the actor's: the same answer
	Conflict        Kind = "conflict"        // the state does not allow it now
	Gone            Kind = "gone"            // it existed and has expired
	TooLarge        Kind = "too_large"       // more than the stated limit
	Limited         Kind = "limited"         // a rate, budget or bound is used up
	Unavailable     Kind = "unavailable"     // a part is away for now; the same call may succeed later
	Internal        Kind = "internal"        // anything else
)

// Error is an error with a kind.
type Error struct {
	Kind    Kind
	Field   string // the input field at fault, if one is
	Message string // for people; never holds secrets or foreign data
	Err     error  // cause, for logs only
}

func (e *Error) Error() string {
	s := e.Message
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Is lets errors.Is match sentinels made with [New] by identity, and any *Error by kind
// when the target has a kind only.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Message == "" && t.Field == "" && t.Kind == e.Kind
}

// New returns an error of kind k.
func New(k Kind, format string, args ...any) error {
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...)}
}

// Field returns an [Invalid] error that names the field and says what would be right.
func Field(field, format string, args ...any) error {
	return &Error{Kind: Invalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Under says where in the whole input it is what a field is called that a part's own check
// found wrong: "offering.name" is "offerings[2].name", or "name" where at is empty. Other errors stay as they are.
func Under(err error, part, at string) error {
	var e *Error
	if !errors.As(err, &e) || e.Field != part && !strings.HasPrefix(e.Field, part+".") {
		return err
	}
	named := *e
	named.Field = strings.TrimPrefix(at+strings.TrimPrefix(e.Field, part), ".")
	return &named
}

// WrongForm turns an error of [json.Unmarshal] into one that names the field.
func WrongForm(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return Field(wrong.Field, "want %s, not %s", wrong.Type, wrong.Value)
	}
	return New(Invalid, "the body holds a value of the wrong form")
}

// Wrap gives err a kind and a message; err itself stays in the chain for logs.
func Wrap(err error, k Kind, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: k, Message: fmt.Sprintf(format, args...), Err: err}
}

// KindOf returns the kind of the first error in err's chain that has one.
// A context that ran out is [Unavailable].
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Unavailable
	}
	return Internal
}

// Is reports whether err is of kind k.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }

// Public returns the message and field that may be shown outside.
func Public(err error) (message, field string) {
	var e *Error
	if !errors.As(err, &e) || e.Kind == Internal {
		if KindOf(err) == Unavailable {
			return "temporarily unavailable, try again", ""
		}
		return "internal error", ""
	}
	return e.Message, e.Field
}
