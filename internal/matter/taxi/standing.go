package taxi

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/schedule"
	"merve/internal/words/claim"
	"merve/internal/words/standing"
)

// StandingKind is the kind of rides among the standing items of a conversation.
const StandingKind = "ride"

// Item is a ride as a standing item of its conversation; ok is false for one that was never ordered. It bears out nothing
// before a driver has taken it, as no taxi is on its way.
func Item(lang string, r Ride) (i standing.Item, ok bool) {
	i = standing.Item{Kind: StandingKind, Ref: r.ID, Code: r.Code, State: string(r.Status), Figures: figures(r), At: r.start()}
	switch r.Status {
	case Requested:
		i.Word = standing.Requested
	case Assigned, Arrived, Done:
		i.Word, i.Bears = standing.Accepted, []string{string(claim.Ordered), string(claim.Booked)}
		if r.Driver != nil {
			i.Bears = append(i.Bears, string(claim.Sent)+":"+r.Driver.Name)
		}
		if r.Status == Done {
			i.Word, i.Over = standing.Completed, true
		}
	case Cancelled:
		i.Word, i.Over, i.Bears = standing.Cancelled, true, []string{string(claim.Cancelled)}
	case Unserved:
		i.Word, i.Over = standing.Refused, true
	default:
		return standing.Item{}, false
	}
	i.Summary = standing.Described(lang, Summary(lang, r), i.Word, r.Code)
	return i, true
}

// stand is the row of a ride in its conversation, or nil. Only a state ends it.
func (r Ride) stand() *thread.Stand {
	if !r.Status.Open() {
		return nil
	}
	return &thread.Stand{Thread: r.Thread, Kind: StandingKind, ID: r.ID, Start: r.start()}
}

// start is the time of a ride, or of its order if it is for now.
func (r Ride) start() time.Time {
	if r.When.IsZero() {
		return r.CreatedAt
	}
	return r.When
}

// figures say when a ride is, unless that is now, and for how many people.
func figures(r Ride) string {
	n := strconv.Itoa(r.Passengers)
	if r.When.IsZero() {
		return n
	}
	return r.When.In(schedule.Zone(r.TimeZone)).Format("2006-01-02 15:04") + " · " + n
}

// stands is a ride as a list of standing items.
func stands(tc tool.Context, r Ride) []standing.Item {
	return standing.Only(Item(tc.Language, r))
}

// Standing finds the rides of a conversation.
type Standing struct{ Store *Store }

// At is where the ride with an id is stored.
func (s Standing) At(h thread.Head, id string) dynamo.Place {
	return dynamo.Place{Table: s.Store.Table, Key: rideKey(h.Owner, id)}
}

// Read is the ride found there.
func (s Standing) Read(tc tool.Context, it dynamo.Item) (standing.Item, bool, error) {
	var r Ride
	if err := it.Decode(&r); err != nil {
		return standing.Item{}, false, fmt.Errorf("ride that stands: %w", err)
	}
	i, ok := Item(tc.Language, r)
	return i, ok, nil
}

// Coded finds the customer's latest ride if it has the code. 2 requests.
func (s Standing) Coded(ctx context.Context, tc tool.Context, code string) (standing.Item, bool, error) {
	r, err := s.Store.Latest(ctx, tc.Actor, tc.Market.ID)
	switch {
	case errors.Is(err, actor.ErrNotFound):
		return standing.Item{}, false, nil
	case err != nil:
		return standing.Item{}, false, err
	case r.Code != code:
		return standing.Item{}, false, nil
	}
	i, ok := Item(tc.Language, r)
	return i, ok, nil
}
