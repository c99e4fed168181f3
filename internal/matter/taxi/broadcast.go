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
	Until   time.Time `dynamodbav:"until"` // certainly over by then
	TTL     int64     `dynamodbav:"ttl"`
}

// dispatch finds drivers for rides.
type dispatch struct{ *Store }

// broadcast prepares the next attempt of r: it sets the drivers to ask and the time limit, and adds the ride's changed
// attributes to f. The ride waits even if there is nobody to ask, as drivers come on. 2 requests, 1 for each neighbouring
// district, and 1 for each hundred drivers who are driving.
func (d dispatch) broadcast(ctx context.Context, r *Ride, f fields) ([]dynamo.Write, error) {
	r.Attempt++
	ids, err := d.audience(ctx, *r)
	if err != nil {
		return nil, err
	}
	now, wait := r.UpdatedAt, d.offerFor(r.Market)
	r.Offered, r.DueAt = ids, now.Add(wait)
	f["attempt"], f["offered"] = r.Attempt, nil
	if len(ids) > 0 {
		f["offered"] = ids
	}
	e := happened(ctx, OfferedEvent, *r)
	e.Driver, e.Drivers = "", ids
	ws := []dynamo.Write{d.put(e)}
	for _, id := range ids {
		ws = append(ws, d.Table.Put(offerKey(r.Market, id, r.Code), offered{
			Owner: r.Owner, Ride: r.ID, Code: r.Code, Attempt: r.Attempt, At: now, Until: now.Add(wait + slack), TTL: now.Add(wait + offerTTL).Unix(),
		}))
	}
	return ws, nil
}

// audience lists the drivers to ask: first those of the ride's district, then those of the districts around it as well. A
// district without drivers to ask is skipped at once.
func (d dispatch) audience(ctx context.Context, r Ride) ([]string, error) {
	if r.Attempt == 1 && r.District != "" {
		ids, err := d.ready(ctx, r, []string{r.District})
		if err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	districts := []string{""}
	if d.Neighbours != nil && r.District != "" {
		around, err := d.Neighbours(ctx, r.Market, r.District)
		if err != nil {
			return nil, err
		}
		districts = append([]string{r.District}, around...)
	}
	return d.ready(ctx, r, districts)
}

// maxLooked is how many drivers are checked together for being free: as many as one batch reads.
const maxLooked = 100

// ready finds drivers in districts who can take a ride: they are on, have the seats, are not excluded and have no other
// ride. When there are too many to ask, a hash of the ride and the attempt picks: the choice can be repeated, and does not
// always fall on the same drivers.
func (d dispatch) ready(ctx context.Context, r Ride, districts []string) ([]string, error) {
	var ids []string
	for _, name := range districts {
		on, err := d.Drivers.available(ctx, r.Market, name)
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
		these, err := d.free(ctx, r.Market, some)
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
func (d dispatch) free(ctx context.Context, market string, ids []string) ([]string, error) {
	var keys []dynamo.Key
	for _, id := range ids {
		keys = append(keys, activeKey(market, id))
	}
	items, err := d.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("taxi: who is free: %w", err)
	}
	busy := map[dynamo.Key]bool{}
	for _, it := range items {
		busy[it.Key()] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return busy[activeKey(market, id)] }), nil
}

// again prepares the next attempt of a ride, or its end after the last one. before is a requested ride, or one whose driver
// has cancelled. The write of the ride has no conditions yet.
func (d dispatch) again(ctx context.Context, before Ride, f fields) (after Ride, ride dynamo.Write, rest []dynamo.Write, err error) {
	after = before
	after.Status, after.UpdatedAt = Requested, d.now()
	after.Version++
	if before.Attempt >= MaxAttempts {
		after.Status, after.EndedAt, after.DueAt = Unserved, after.UpdatedAt, time.Time{}
		f["endedAt"] = after.EndedAt
		e := happened(ctx, UnservedEvent, after)
		e.Driver = "" // another event tells who had it
		return after, d.update(after, f), append([]dynamo.Write{d.putUnserved(e)}, d.ends(before)...), nil
	}
	rest, err = d.broadcast(ctx, &after, f)
	return after, d.update(after, f), rest, err
}
