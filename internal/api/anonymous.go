package api

import (
	"net/http"

	"merve/internal/actor"
	"merve/internal/limit"
	"merve/internal/trigger"
)

// Anonymous bounds what people say who have not signed in, by the address they are at: sessions
// cost nothing to make, and what a market may spend in a day is everybody's.
type Anonymous struct {
	Limits *limit.Counter
	Most   int // messages of an address in an hour; 0 is no bound
}

// take counts one more message. 1 request, of sessions only.
func (a Anonymous) take(r *http.Request, who actor.Actor) error {
	if a.Most == 0 || who.Kind != actor.Session {
		return nil
	}
	return a.Limits.Take(r.Context(), "message", trigger.Info(r.Context()).SourceIP, a.Most)
}
