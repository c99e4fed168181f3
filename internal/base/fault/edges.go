package fault

import "encoding/json"

// status is the HTTP edge: one row per kind.
var status = map[Kind]int{
	Invalid:         400,
	Unauthenticated: 401,
	Forbidden:       403,
	NotFound:        404,
	Conflict:        409,
	Gone:            410,
	TooLarge:        413,
	Limited:         429,
	Unavailable:     503,
	Internal:        500,
}

// HTTPStatus returns the status code for err.
func HTTPStatus(err error) int { return status[KindOf(err)] }

// Problem is an RFC 9457 problem document.
type Problem struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Status  int    `json:"status"`
	Detail  string `json:"detail,omitempty"`
	Field   string `json:"field,omitempty"`
	TraceID string `json:"traceId"`
}

// ProblemOf describes err for a client.
func ProblemOf(err error, traceID string) Problem {
	message, field := Public(err)
	return Problem{
		Type:    "about:blank",
		Title:   string(KindOf(err)),
		Status:  HTTPStatus(err),
		Detail:  message,
		Field:   field,
		TraceID: traceID,
	}
}

// ForModel returns err in the form a model can act on: a JSON object with
// kind, message, field, and whether the same call may succeed later.
func ForModel(err error) json.RawMessage {
	message, field := Public(err)
	body := map[string]any{"kind": KindOf(err), "message": message}
	if field != "" {
		body["field"] = field
	}
	if KindOf(err) == Unavailable {
		body["retry"] = true
	}
	out, _ := json.Marshal(map[string]any{"error": body}) // strings and booleans always marshal
	return out
}

// Retryable reports whether a queue or stream should deliver again after err:
// for faults of the surroundings, not for input that will never be right.
func Retryable(err error) bool { return err != nil && KindOf(err).retryable() }

func (k Kind) retryable() bool { return k == Unavailable || k == Internal || k == Limited }

// Permanent reports whether retrying e can never help. It is the opposite of [Retryable], for callers that hold the
// error itself.
func (e *Error) Permanent() bool { return !e.Kind.retryable() }
