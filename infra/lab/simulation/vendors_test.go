package simulation

import (
	"fmt"
	"sync"
	"testing"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
)

// Where vendors are asked who answer rightly, wrongly, late, twice, in four languages, by picture and with commands to the
// model, under chance, faults, deaths and repeats, requests keep every promise that can be seen from outside.
func TestPromise3_RequestsKeepTheirPromisesWhateverFails(t *testing.T) {
	t.Parallel()
	base, runs := seedtest.Of(t), seedtest.Times(t, 2) // the first has faults and freezes both
	seen := &bazaar{happened: faulttest.Tally{}}
	t.Cleanup(func() { wantInRuns(t, seen.happened, runs, rarerOfRequests, "deaths", "vendor asked") })
	for n := range uint64(runs) {
		t.Run(fmt.Sprint(base+n), func(t *testing.T) {
			t.Parallel()
			w := Trading(t, Options{Seed: base + n, Faults: n%4 != 3, Frozen: n%3 != 1})
			w.Run(110)
			w.Check()
			seen.add(w)
		})
	}
	faulttest.Tried(t, runs)
}

// rarerOfRequests is what whoever chooses the seed can count on only in so many runs: it happens sixteen times in them on the
// average.
var rarerOfRequests = map[string]int{
	"reply": 2, "picture completed": 4, "price": 8, "search of the map": 8, "event presented": 14, "request cancelled": 32,
	"client called": 40, "event accepted": 160,
}

// bazaar is what happened in runs, so that they cannot be about nothing.
type bazaar struct {
	mu       sync.Mutex
	happened faulttest.Tally
}

func (s *bazaar) add(w *World) {
	j := w.gather()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range j.sought {
		s.happened["request "+string(r.State)]++
		for _, e := range r.events {
			s.happened["event "+string(e.Type)]++
		}
		for _, o := range r.Outreach {
			s.happened["vendor asked"]++
			s.happened["vendor "+string(o.State)]++
			if o.Late && o.Quote != nil {
				s.happened["vendor late"]++
			}
			if o.Quote != nil && o.Quote.PriceMinor != nil {
				s.happened["price"]++
			}
		}
		for _, job := range r.Jobs {
			s.happened["picture "+string(job.Status)]++
		}
		for _, k := range r.Consents {
			s.happened["consent "+string(k.State)]++
			s.happened["attempt"] += len(k.Attempts)
		}
		s.happened["reply"] += len(r.replies)
	}
	for _, c := range w.twilio.Calls() {
		if c.Parent != "" {
			s.happened["client called"]++
		}
	}
	s.happened["search of the web"] += len(w.vendors.web.Asked())
	s.happened["search of the map"] += len(w.vendors.atlas.Asked())
	s.happened["deaths"] += w.deaths
	s.happened["freezes"] += w.freezes
}
