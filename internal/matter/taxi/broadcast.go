package taxi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"merve/internal/cloud/dynamo"
)

// offered is what a driver was asked.
type offered struct {
	Owner   string    `dynamodbav:"owner"`
	Ride    string    `dynamodbav:"ride"`
	Code    string    `dynamodbav:"code"`
	Attempt int       `dynamodbav:"attempt"`
	At      time.Time `dynamodbav:"at"`
	Until   time.Time `dynamodbav:"until"` // surely over by then
	TTL     int64     `dynamodbav:"ttl"`
}

// broadcast prepares the next attempt of r: it sets who is asked, until when, and adds to f
// what that writes of the ride. When nobody is there to be asked the ride waits all the same:
// drivers come on. 2 requests, 1 for each neighbouring district, and 1 for each hundred drivers who are
// driving.
func (s *Store) broadcast(ctx context.Context, r *Ride, f fields) ([]dynamo.Write, error) {
	r.Attempt++
	ids, err := s.audience(ctx, *r)
	if err != nil {
		return nil, err
	}
	now, wait := r.UpdatedAt, s.offerFor(r.Market)
	r.Offered, r.DueAt = ids, now.Add(wait)
	f["attempt"], f["offered"] = r.Attempt, nil
	if len(ids) > 0 {
		f["offered"] = ids
	}
	e := happened(ctx, OfferedEvent, *r)
	e.Driver, e.Drivers = "", ids
	ws := []dynamo.Write{s.put(e)}
	for _, id := range ids {
		ws = append(ws, s.Table.Put(offerKey(r.Market, id, r.Code), offered{
			Owner: r.Owner, Ride: r.ID, Code: r.Code, Attempt: r.Attempt, At: now, Until: now.Add(wait + slack), TTL: now.Add(wait + offerTTL).Unix(),
		}))
	}
	return ws, nil
}

// audience are the drivers to be asked: of the ride's district first, then of those around
// it, too. A district in which nobody can be asked is not waited for.
func (s *Store) audience(ctx context.Context, r Ride) ([]string, error) {
	if r.Attempt == 1 && r.District != "" {
		ids, err := s.ready(ctx, r, []string{r.District})
		if err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	districts := []string{""}
	if s.Neighbours != nil && r.District != "" {
		around, err := s.Neighbours(ctx, r.Market, r.District)
		if err != nil {
			return nil, err
		}
		districts = append([]string{r.District}, around...)
	}
	return s.ready(ctx, r, districts)
}

// maxLooked is how many drivers are looked at together to find some who are free: what one batch reads.
const maxLooked = 100

// ready finds drivers of districts who may have a ride: on, with the seats, not excluded and
// without another ride. When there are more than can be asked, chance decides, by the ride and
// the attempt: always the same, and not always the same drivers.
func (s *Store) ready(ctx context.Context, r Ride, districts []string) ([]string, error) {
	var ids []string
	for _, name := range districts {
		on, err := s.Drivers.available(ctx, r.Market, name)
		if err != nil {
			return nil, err
		}
		for _, w := range on {
			if w.Seats >= r.Passengers && !slices.Contains(r.Excluded, w.ID) {
				ids = append(ids, w.ID)
			}
		}
	}
	lot := func(id string) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s", r.ID, r.Attempt, id))
		return string(sum[:])
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(lot(a), lot(b)) })
	var free []string
	for some := range slices.Chunk(slices.Compact(ids), maxLooked) {
		these, err := s.free(ctx, r.Market, some)
		if err != nil {
			return nil, err
		}
		if free = append(free, these...); len(free) >= MaxOffers {
			break
		}
	}
	free = free[:min(len(free), MaxOffers)]
	slices.Sort(free)
	return free, nil
}

// free leaves out the drivers who have a ride. 1 request.
func (s *Store) free(ctx context.Context, market string, ids []string) ([]string, error) {
	var keys []dynamo.Key
	for _, id := range ids {
		keys = append(keys, activeKey(market, id))
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("taxi: who is free: %w", err)
	}
	busy := map[dynamo.Key]bool{}
	for _, it := range items {
		busy[it.Key()] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return busy[activeKey(market, id)] }), nil
}

// again prepares the next attempt of a ride, or its end when that was the last. before is a
// requested ride, or one whose driver has cancelled; of the write of the ride the conditions
// are missing.
func (s *Store) again(ctx context.Context, before Ride, f fields) (after Ride, ride dynamo.Write, rest []dynamo.Write, err error) {
	after = before
	after.Status, after.UpdatedAt = Requested, s.now()
	after.Version++
	if before.Attempt >= MaxAttempts {
		after.Status, after.EndedAt, after.DueAt = Unserved, after.UpdatedAt, time.Time{}
		f["endedAt"] = after.EndedAt
		e := happened(ctx, UnservedEvent, after)
		e.Driver = "" // who had it is told of by another
		return after, s.update(after, f), append([]dynamo.Write{s.putUnserved(e)}, s.ends(before)...), nil
	}
	rest, err = s.broadcast(ctx, &after, f)
	return after, s.update(after, f), rest, err
}
