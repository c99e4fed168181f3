package taxi

import (
	"context"
	"slices"
	"strconv"
	"time"

	"merve/internal/cloud/dynamo"
)

// What drivers do with a ride. Each method returns the ride as it will be, and the writes, which require that the ride is
// still as it was read.

// accept gives the ride to a driver to whom it is offered.
func (s *Store) accept(ctx context.Context, r Ride, d Driver) (Ride, []dynamo.Write) {
	after := r
	after.Status, after.AssignedAt, after.UpdatedAt = Assigned, s.now(), s.now()
	after.Driver = &Taker{ID: d.ID, Name: d.Name, Phone: d.Phone, Vehicle: d.Vehicle, Plate: d.Plate}
	after.DueAt = s.closing(after)
	after.Version++
	e := happened(ctx, AssignedEvent, after)
	for _, id := range r.Offered {
		if id != d.ID && !slices.Contains(r.Excluded, id) {
			e.Drivers = append(e.Drivers, id)
		}
	}
	return after, []dynamo.Write{
		while(s.update(after, fields{"driver": after.Driver, "assignedAt": after.AssignedAt}), r),
		s.Table.Put(activeKey(r.Market, d.ID), pointer{Owner: r.Owner, Ride: r.ID, Code: r.Code}).IfAbsent().Else(ErrDriving),
		s.Drivers.Table.Check(driverKey(d.Market, d.ID), "enabled = :yes", dynamo.V{":yes": true}).Else(ErrChanged),
		s.put(e),
	}
}

// decline takes the offer of a ride back from a driver, for good.
func (s *Store) decline(ctx context.Context, r Ride, d Driver) []dynamo.Write {
	after := r
	after.UpdatedAt = s.now()
	e := happened(ctx, DeclinedEvent, after)
	e.ID, e.Driver = e.ID+"#"+d.ID, d.ID
	expr := "SET excluded = list_append(if_not_exists(excluded, :none), :me), updatedAt = :now, #version = #version + :one"
	ride := s.Table.Update(rideKey(r.Owner, r.ID), expr, dynamo.V{":none": []string{}, ":me": []string{d.ID}, ":now": after.UpdatedAt, ":one": 1})
	return []dynamo.Write{while(ride, r).ElseOld(movedTo), s.Table.Delete(offerKey(r.Market, d.ID, r.Code)), s.put(e)}
}

// arrive notes that the driver is there.
func (s *Store) arrive(ctx context.Context, r Ride) (Ride, []dynamo.Write) {
	after := r
	after.Status, after.ArrivedAt, after.UpdatedAt = Arrived, s.now(), s.now()
	after.Version++
	return after, []dynamo.Write{while(s.update(after, fields{"arrivedAt": after.ArrivedAt}), r), s.put(happened(ctx, ArrivedEvent, after))}
}

// withdraw takes the ride from its driver, who is not asked again, and asks others.
func (s *Store) withdraw(ctx context.Context, r Ride) (Ride, []dynamo.Write, error) {
	before, who := r, r.Driver.ID
	before.Excluded = append(slices.Clone(r.Excluded), who)
	f := fields{"driver": nil, "assignedAt": nil, "arrivedAt": nil, "excluded": before.Excluded}
	after, ride, rest, err := dispatch{s}.again(ctx, before, f)
	if err != nil {
		return Ride{}, nil, err
	}
	after.Driver, after.AssignedAt, after.ArrivedAt = nil, time.Time{}, time.Time{}
	e := happened(ctx, WithdrawnEvent, after)
	e.Attempt, e.Driver, e.ID = r.Attempt, who, string(WithdrawnEvent)+"#"+strconv.Itoa(r.Attempt)
	ws := append([]dynamo.Write{while(ride, r), s.put(e)}, rest...)
	if after.Status.Open() { // its end frees the driver by itself
		ws = append(ws, s.Table.Delete(activeKey(r.Market, who)))
	}
	return after, ws, nil
}
