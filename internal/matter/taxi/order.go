package taxi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
)

// Order is what a customer wants.
type Order struct {
	Market        string
	Thread        string
	Pickup        geo.Spot
	Dropoff       *geo.Spot // nil: said to the driver
	District      string    // of the pickup; "" asks all drivers of the market
	Passengers    int
	When          time.Time // zero is now
	TimeZone      string    // IANA name
	Note          string
	Language      string
	CustomerName  string
	CustomerPhone string        // E.164, or ""
	Address       string        // stands for the customer's network address in bounds, or ""
	Policy        int           // market version
	Hold          time.Duration // how long the customer has to say YES
}

// check returns an error that names the first wrong field, by the name that tools use.
func (o Order) check(now time.Time) error {
	if err := o.Pickup.Check("pickup", MaxAddress); err != nil {
		return err
	}
	if o.Dropoff != nil {
		if err := o.Dropoff.Check("dropoff", MaxAddress); err != nil {
			return err
		}
	}
	switch {
	case o.Market == "":
		return fault.Field("market", "missing")
	case o.Passengers < 1 || o.Passengers > maxPassengers:
		return fault.Field("passengers", "want 1 to %d", maxPassengers)
	case tooLong(o.Note, MaxNote):
		return fault.Field("note", "want at most %d characters", MaxNote)
	case tooLong(o.District, maxDistrict) || strings.Contains(o.District, "#"):
		return fault.Field("district", "want at most %d characters without #", maxDistrict)
	case !o.When.IsZero() && o.When.Before(now):
		return fault.Field("when", "is over: want a time to come, or null for now")
	case o.When.After(now.Add(maxAhead)):
		return fault.Field("when", "want a time within %d days", maxAhead/(24*time.Hour))
	case o.CustomerPhone != "" && !market.IsE164(o.CustomerPhone):
		return fault.Field("phone", "want E.164, such as +15550100, or null")
	case o.Hold <= 0:
		return fault.Field("hold", "want more than nothing")
	}
	return nil
}

// open is the customer's last order.
type open struct {
	Ride string    `dynamodbav:"ride"`
	Code string    `dynamodbav:"code"`
	Open bool      `dynamodbav:"open"`
	At   time.Time `dynamodbav:"at"`
}

// errCodeTaken says that another open ride of the market has the code.
var errCodeTaken = errors.New("the code is taken")

// errRepeated says that the key has made a ride before.
var errRepeated = errors.New("proposed before")

// Propose makes a ride that waits for its customer's YES, once for each key: the same key returns the same ride. [ErrOpen]
// when the customer has an open one already, [bound.Refusal] when they have ordered too many.
func (s *Store) Propose(ctx context.Context, a actor.Actor, key string, o Order) (Ride, error) {
	if key == "" || len(key) > maxKey {
		return Ride{}, fault.Field("key", "want an idempotency key of 1 to %d bytes", maxKey)
	}
	if err := o.check(s.now()); err != nil {
		return Ride{}, err
	}
	owner := a.Key()
	r, err := s.draft(owner, newID(owner, key), o)
	if err != nil {
		return Ride{}, err
	}
	if last, err := s.last(ctx, a, o.Market); err != nil || last.Open {
		return s.instead(ctx, r, err)
	}
	for _, code := range codesOf(r.ID) {
		r.Code = code
		tokens, err := s.Bounds.Take(ctx, bound.Claim{
			Matter: bound.Ride, Market: r.Market, Owner: owner, Address: o.Address, ID: r.ID, Until: r.ExpiresAt, Chat: r.Thread,
		})
		if err != nil {
			return s.proposed(ctx, r, err)
		}
		r.Bounds = tokens.Tokens
		err = s.Table.DB().Commit(ctx, append(s.proposal(ctx, r), tokens.Writes...)...)
		switch {
		case errors.Is(err, errRepeated):
			return s.proposed(ctx, r, actor.ErrNotFound)
		case err == nil:
			return r, nil
		case !errors.Is(err, errCodeTaken) && !errors.Is(err, bound.ErrLost):
			return Ride{}, fmt.Errorf("taxi: propose: %w", err)
		}
	}
	return Ride{}, fault.New(fault.Unavailable, "too many rides are open, try again")
}

func (s *Store) draft(owner, id string, o Order) (Ride, error) {
	now := s.now()
	r := Ride{
		ID: id, Owner: owner, Market: o.Market, Thread: o.Thread, Status: Proposed, Pickup: o.Pickup, Dropoff: o.Dropoff,
		District: strings.TrimSpace(o.District), Passengers: o.Passengers, When: o.When.UTC().Truncate(time.Millisecond), TimeZone: o.TimeZone,
		Note: o.Note, Language: o.Language, CustomerName: language.Clip(o.CustomerName, maxName), CustomerPhone: o.CustomerPhone,
		Policy: o.Policy, ExpiresAt: now.Add(o.Hold), CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if o.When.IsZero() {
		r.When = time.Time{}
	}
	if !r.When.IsZero() && r.When.Before(r.ExpiresAt) {
		r.ExpiresAt = r.When
	}
	r.DueAt = r.ExpiresAt
	var err error
	r.Hash, err = OfferHash(r)
	return r, err
}

func (s *Store) proposal(ctx context.Context, r Ride) []dynamo.Write {
	type stored struct {
		Ride
		DueShard string `dynamodbav:"dueShard"`
	}
	return []dynamo.Write{
		s.put(happened(ctx, ProposedEvent, r)).Else(errRepeated),
		s.Table.Put(codeKey(r.Market, r.Code), pointer{Owner: r.Owner, Ride: r.ID}).IfAbsent().Else(errCodeTaken),
		s.Table.Put(rideKey(r.Owner, r.ID), stored{r, dynamo.DueShard(s.dueKind(), r.ID)}),
	}
}

// instead is the answer to a customer with an open ride: [ErrOpen], or the ride that this very call has proposed before.
func (s *Store) instead(ctx context.Context, r Ride, err error) (Ride, error) {
	if err != nil {
		return Ride{}, err
	}
	return s.proposed(ctx, r, ErrOpen)
}

// proposed reads the ride that a key has made before, or fails with otherwise.
func (s *Store) proposed(ctx context.Context, r Ride, otherwise error) (Ride, error) {
	before, err := s.read(ctx, r.Owner, r.ID)
	switch {
	case err != nil:
		return Ride{}, err
	case before == nil:
		return Ride{}, otherwise
	}
	return *before, nil
}

// pointer names a ride.
type pointer struct {
	Owner string `dynamodbav:"owner"`
	Ride  string `dynamodbav:"ride"`
	Code  string `dynamodbav:"code,omitempty"`
}

// read reads an owner's ride, or nil. 1 request.
func (s *Store) read(ctx context.Context, owner, id string) (*Ride, error) {
	it, err := s.Table.Get(ctx, rideKey(owner, id))
	if err != nil || it == nil {
		return nil, err
	}
	r := &Ride{}
	return r, it.Decode(r)
}

// Get returns one of the actor's own rides in a market. 1 request.
func (s *Store) Get(ctx context.Context, a actor.Actor, market, id string) (Ride, error) {
	if !isID(id) {
		return Ride{}, actor.ErrNotFound
	}
	var keys []dynamo.Key
	for _, owner := range a.Keys() {
		keys = append(keys, rideKey(owner, id))
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return Ride{}, fmt.Errorf("taxi: get %s: %w", id, err)
	}
	if len(items) == 0 {
		return Ride{}, actor.ErrNotFound
	}
	var r Ride
	if err := items[0].Decode(&r); err != nil {
		return Ride{}, err
	}
	return r, mine(&r, market)
}

// last is the actor's latest ordered ride in a market, or zero. 1 request.
func (s *Store) last(ctx context.Context, a actor.Actor, market string) (last open, err error) {
	var keys []dynamo.Key
	for _, owner := range a.Keys() {
		keys = append(keys, openKey(owner, market))
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return open{}, fmt.Errorf("taxi: latest ride: %w", err)
	}
	all, err := dynamo.Decode[open](items)
	if err != nil {
		return open{}, err
	}
	for _, o := range all {
		if o.Open && !last.Open || o.Open == last.Open && o.At.After(last.At) {
			last = o
		}
	}
	return last, nil
}

// All returns every ride of an owner in a market. A request for each megabyte that the owner has in all markets.
func (s *Store) All(ctx context.Context, market, owner string) ([]Ride, error) {
	all, err := dynamo.Collect[Ride](ctx, s.Table, dynamo.Under("rides#"+owner, "ride#"))
	if err != nil {
		return nil, fmt.Errorf("taxi: rides: %w", err)
	}
	return slices.DeleteFunc(all, func(r Ride) bool { return r.Market != market }), nil
}

// Latest returns the last ride that the actor has ordered in a market. 2 requests.
func (s *Store) Latest(ctx context.Context, a actor.Actor, market string) (Ride, error) {
	last, err := s.last(ctx, a, market)
	if err != nil {
		return Ride{}, err
	}
	return s.Get(ctx, a, market, last.Ride) // not found if there is none
}

// Request prepares what the YES to a proposal does: the ride is ordered, and offered to drivers unless it is for later. It
// changes nothing itself. A ride that was ordered before needs no writes.
func (s *Store) Request(ctx context.Context, a actor.Actor, market, id string, receipt gate.Receipt) (Ride, []dynamo.Write, error) {
	r, err := s.Get(ctx, a, market, id)
	switch now := s.now(); {
	case err != nil:
		return Ride{}, nil, err
	case r.Receipt != nil && r.Receipt.PendingID == receipt.PendingID:
		return r, nil, nil
	case r.Status != Proposed || !now.Before(r.ExpiresAt) || r.Hash != receipt.OfferHash:
		return r, nil, errNotProposed
	}
	now := s.now()
	after := r
	after.Status, after.Receipt, after.RequestedAt, after.UpdatedAt = Requested, &receipt, now, now
	after.Version++
	f := fields{"receipt": receipt, "requestedAt": now, "listed": listed(r.Market), "listedAt": dynamo.Stamp(now)}
	var offers []dynamo.Write
	if due := r.When.Add(-Ahead); !r.When.IsZero() && due.After(now) {
		after.DueAt = due
	} else if offers, err = (dispatch{s}).broadcast(ctx, &after, f); err != nil {
		return Ride{}, nil, err
	}
	bounds, err := s.Bounds.Keep(r.Bounds, r.ID, now.Add(bound.Day), errNotProposed)
	if err != nil {
		return Ride{}, nil, err
	}
	requested := happened(ctx, RequestedEvent, after)
	requested.ID, requested.Actor, requested.Attempt = string(RequestedEvent), a.Key(), 0
	was := open{Ride: r.ID, Code: r.Code, Open: true, At: now}
	const noneOpen = "attribute_not_exists(pk) OR #open = :no"
	no := dynamo.V{":no": false}
	ws := []dynamo.Write{while(s.update(after, f), r), s.Table.Put(openKey(r.Owner, r.Market), was).If(noneOpen, no).Else(ErrOpen), s.put(requested)}
	for _, key := range a.Keys() {
		if key != r.Owner { // the same person in another chat
			ws = append(ws, s.Table.Check(openKey(key, r.Market), noneOpen, no).Else(ErrOpen))
		}
	}
	return after, slices.Concat(ws, offers, bounds, s.Rows.Moved(nil, after.stand())), nil
}

// Release prepares what the NO to a proposal does. There is nothing to write when it is no longer a proposal.
func (s *Store) Release(ctx context.Context, a actor.Actor, market, id string) (Ride, []dynamo.Write, error) {
	r, err := s.Get(ctx, a, market, id)
	if err != nil || r.Status != Proposed {
		return r, nil, err
	}
	bounds, err := s.Bounds.Free(r.Bounds, r.ID, r.ExpiresAt, ErrChanged)
	if err != nil {
		return r, nil, err
	}
	r, ws := s.end(ctx, r, Released, ReleasedEvent)
	return r, append(ws, bounds...), nil
}

// Cancel prepares what the customer's YES to a cancellation does; [ErrOver] when the ride is not open.
func (s *Store) Cancel(ctx context.Context, a actor.Actor, market, id string) (Ride, []dynamo.Write, error) {
	r, err := s.Get(ctx, a, market, id)
	switch {
	case err != nil:
		return Ride{}, nil, err
	case !r.Status.Open():
		return r, nil, ErrOver
	}
	r, ws := s.end(ctx, r, Cancelled, CancelledEvent)
	return r, ws, nil
}
