package taxi_test

import (
	"slices"
	"testing"

	"merve/internal/matter/taxi"
)

// A car takes as many as it has seats for passengers, and not one more.
func TestAsManyPassengersAsSeats(t *testing.T) {
	t.Parallel()
	for passengers, want := range map[int][]string{2: {"d02", "d03"}, 3: {"d03"}, 4: nil} {
		c := newCorner(t)
		for _, seats := range []int{1, 2, 3} {
			d := c.aDriver(seats)
			d.Seats = seats
			if _, err := c.Drivers.Put(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		if r := c.requested(func(o *taxi.Order) { o.Passengers = passengers }); !slices.Equal(r.Offered, want) {
			t.Errorf("%d passengers: %v asked, want %v", passengers, r.Offered, want)
		}
	}
}
