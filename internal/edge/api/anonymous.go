package api

import (
	"cmp"
	"context"
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/limit"
	"merve/internal/cloud/trigger"
	"merve/internal/spine/live"
	"merve/internal/tenant/channel"
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
	if !a.bounds(r, in.From) {
		return nil
	}
	in.Address = bound.Address(trigger.Info(r.Context()).SourceIP)
	return a.count(r, in.From)
}

func (a Anonymous) bounds(r *http.Request, who actor.Actor) bool {
	return who.Kind == actor.Session && (a.Loopback || !fromLoopback(r))
}

// count counts one more message or question of somebody at an address. 1 request, of sessions only.
func (a Anonymous) count(r *http.Request, who actor.Actor) error {
	if !a.bounds(r, who) {
		return nil
	}
	return a.one(r.Context())
}

// Heard counts one more message that came by a socket. Whether the bound holds for its client was found when they
// connected. 1 request, of sessions only.
func (a Anonymous) Heard(ctx context.Context, c live.Caller) error {
	if c.Address == "" {
		return nil
	}
	return a.one(ctx)
}

// one counts one more message from the network address of the current request.
func (a Anonymous) one(ctx context.Context) error {
	if a.Most == 0 {
		return nil
	}
	ip := trigger.Info(ctx).SourceIP
	return a.Limits.Take(ctx, "message", cmp.Or(bound.Network(ip), ip), a.Most)
}
