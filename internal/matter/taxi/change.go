package taxi

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// fields are attributes to set, by name; nil removes one.
type fields map[string]any

// expression is an update that sets them and counts up the version.
func (f fields) expression() (string, dynamo.V) {
	set, remove, vals := []string{"#version = #version + :one"}, []string{}, dynamo.V{":one": 1}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if f[name] == nil {
			remove = append(remove, "#"+name)
			continue
		}
		set, vals[":"+name] = append(set, "#"+name+" = :"+name), f[name]
	}
	expr := "SET " + strings.Join(set, ", ")
	if len(remove) > 0 {
		expr += " REMOVE " + strings.Join(remove, ", ")
	}
	return expr, vals
}

// Moved says that a ride had changed before a change of it was written.
type Moved struct{ Ride *Ride } // as it is now; nil if it is gone

func (*Moved) Error() string { return ErrChanged.Error() }

// Unwrap makes it [ErrChanged].
func (*Moved) Unwrap() error { return ErrChanged }

// movedTo is the error of a condition that failed.
func movedTo(old dynamo.Item) error {
	if old == nil {
		return &Moved{}
	}
	var r Ride
	if err := old.Decode(&r); err != nil {
		return err
	}
	return &Moved{&r}
}

// update is the write that changes a ride to after: it sets f, and the attributes that every change sets. The caller adds
// the conditions.
func (s *Store) update(after Ride, f fields) dynamo.Write {
	f["status"], f["updatedAt"], f["dueShard"], f["dueAt"] = after.Status, after.UpdatedAt, nil, nil
	f["bounds"] = nil // only proposals have bounds
	if !after.DueAt.IsZero() {
		f["dueShard"], f["dueAt"] = dynamo.DueShard(s.dueKind(), after.ID), after.DueAt
	}
	expr, vals := f.expression()
	return s.Table.Update(rideKey(after.Owner, after.ID), expr, vals).ElseOld(movedTo)
}

// while is the condition that a ride has not moved on. The same status in the same attempt means that it is offered to the
// same drivers, and has the same driver if any. A driver's NO in between does not count.
func while(w dynamo.Write, before Ride) dynamo.Write {
	return w.If("#status = :was AND attempt = :nth", dynamo.V{":was": before.Status, ":nth": before.Attempt})
}

// ends are the writes that go with the end of a ride: they free its code, its driver and its customer, and delete its row
// in the conversation.
func (s *Store) ends(before Ride) []dynamo.Write {
	ws := []dynamo.Write{s.Table.Delete(codeKey(before.Market, before.Code))}
	if before.Driver != nil {
		ws = append(ws, s.Table.Delete(activeKey(before.Market, before.Driver.ID)))
	}
	if before.Status.Open() {
		ws = append(ws, s.Table.Update(openKey(before.Owner, before.Market), "SET #open = :no", dynamo.V{":no": false}))
	}
	return append(ws, s.Rows.Moved(before.stand(), nil)...)
}

// end prepares the end of a ride.
func (s *Store) end(ctx context.Context, before Ride, to Status, typ EventType) (Ride, []dynamo.Write) {
	after := before
	after.Status, after.EndedAt, after.UpdatedAt, after.DueAt = to, s.now(), s.now(), time.Time{}
	after.Version++
	f := fields{"endedAt": after.EndedAt}
	if after.CancelledBy != "" {
		f["cancelledBy"] = after.CancelledBy
	}
	ws := []dynamo.Write{while(s.update(after, f), before), s.put(happened(ctx, typ, after))}
	return after, append(ws, s.ends(before)...)
}
