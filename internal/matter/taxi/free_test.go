package taxi_test

import (
	"strings"
	"testing"

	"merve/internal/cloud/dynamo"
	"merve/internal/matter/taxi"
)

// However many drivers are driving, one who is free is asked.
func TestTheOneWhoIsFree(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	const on = 300 // far more than are looked at together
	var ws []dynamo.Write
	for n := range on {
		ws = append(ws, c.Drivers.Table.Put(dynamo.Key{PK: "available#" + c.market.ID, SK: "kyrenia#driver#" + id(n)}, map[string]any{"id": id(n), "seats": 4}))
		if n > 0 {
			ws = append(ws, c.Table.Put(dynamo.Key{PK: "driver#" + c.market.ID + "#" + id(n), SK: "active"}, map[string]any{"ride": "another"}))
		}
	}
	if err := c.Table.DB().CommitAll(t.Context(), ws...); err != nil {
		t.Fatal(err)
	}
	for range 8 { // by lot
		r := c.requested()
		if len(r.Offered) != 1 || r.Offered[0] != id(0) {
			t.Fatalf("asked %v", r.Offered)
		}
		if _, err := c.cancel(c.Store, r); err != nil {
			t.Fatal(err)
		}
	}
}

// Where nobody is there to be asked, nobody is said to be.
func TestNobodyIsSaidToBeAsked(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	if text, err := c.yes(c.Store, c.proposed()); err != nil || strings.Contains(text, "ask") || !strings.Contains(text, "looking for a driver") {
		t.Errorf("%s, %v", text, err)
	}
}

// Of a ride that is closed because its driver said nothing more, which may never have begun, its
// customer is not told that it is over.
func TestWhatNobodySaidIsNotTold(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	s.driver(0)
	r := s.ordered()
	s.says(0, "yes")
	s.clock.Add(s.get(r.ID).DueAt.Sub(s.clock.Now()))
	if s.sweep(); s.get(r.ID).Status != taxi.Done {
		t.Fatalf("%+v", s.get(r.ID))
	}
	events, err := s.Events(t.Context(), r.Owner, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := s.Tell(t.Context(), e); err != nil {
			t.Error(err)
		}
	}
	for _, kind := range kinds(s.notices(r.Thread)) {
		if kind == "taxi_done" {
			t.Error("told that it is over")
		}
	}
}
