package api

import (
	"cmp"
	"net/http"

	"merve/internal/actor"
	"merve/internal/bound"
	"merve/internal/channel"
	"merve/internal/limit"
	"merve/internal/trigger"
)

// Anonymous bounds what people do who have not signed in, by the address they are at: sessions
// cost nothing to make, and what a market may spend in a day is everybody's.
type Anonymous struct {
	Limits   *limit.Counter
	Most     int  // messages of an address in an hour; 0 is no bound
	Loopback bool // bounds hold for this machine itself too
}

// take counts one more message, and notes on it from which address it comes. 1 request, of sessions only.
func (a Anonymous) take(r *http.Request, in *channel.Inbound) error {
	if in.From.Kind != actor.Session || fromLoopback(r) && !a.Loopback {
		return nil
	}
	ip := trigger.Info(r.Context()).SourceIP
	in.Address = bound.Address(ip)
	if a.Most == 0 {
		return nil
	}
	return a.Limits.Take(r.Context(), "message", cmp.Or(bound.Network(ip), ip), a.Most)
}
