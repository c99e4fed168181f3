package simulation

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/tenant/channel"
)

// A slot has no more holders than places, however many customers want it at the same time,
// and of these each one who says YES has it.
func TestPromise4_TheLastPlacesGoToAsManyAsThereAre(t *testing.T) {
	t.Parallel()
	const contenders, rounds = 8, 3
	seedtest.Of(t)
	worlds := seedtest.Times(t, 1)
	for n := range worlds {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			w := New(t, Options{Seed: uint64(n)})
			w.Model = Waiter
			for range contenders {
				w.Join(channel.App)
			}
			w.Begin()
			for round := range rounds {
				for _, l := range w.Listings {
					(&offered{World: w}).contend(l, round)
				}
			}
		})
	}
	faulttest.Tried(t, worlds*2*rounds*contenders)
}

// contend has everybody want the same slot of a listing, one more in each round.
func (o *offered) contend(l *listing.Listing, round int) {
	o.t.Helper()
	room := l.Offerings[0].Capacity
	o.all(fmt.Sprintf("book %s 2026-11-%d 20:00 for 1", l.ID, 24+round))
	if got := len(o.in(l.ID, ledger.Hold)); got != room {
		o.t.Errorf("%s has room for %d, and %d hold it", l.ID, room, got)
	}
	o.Pass(time.Second)
	o.all("yes")
	if got := len(o.in(l.ID, ledger.Confirmed)); got != room*(round+1) {
		o.t.Errorf("%s has room for %d, and after %d slots %d are booked", l.ID, room, round+1, got)
	}
	o.Pass(time.Hour) // nobody's offer is left
	o.must("expiry")
}

// all has every customer say something at the same time.
func (o *offered) all(text string) {
	var all sync.WaitGroup
	for _, c := range o.Customers {
		all.Go(func() { o.post(c, map[string]any{"message": text}) })
	}
	all.Wait()
}
