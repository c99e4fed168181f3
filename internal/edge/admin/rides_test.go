package admin_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/matter/taxi"
	"merve/internal/spine/gate"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

type rideAnswer struct {
	RideID, Code, ThreadID, Status, District, CancelledBy string
	Pickup                                                struct{ Address string }
	Offers                                                int
}

// ride has a new customer order a taxi in a market, and returns it with its thread.
func (s *service) ride(t *testing.T, market string) (r taxi.Ride, threadID string) {
	t.Helper()
	from, r, threadID := s.proposedRide(t, market)
	rides := s.Base.Rides()
	_, ws, err := rides.Request(t.Context(), from, market, r.ID, gate.Receipt{PendingID: "p", OfferHash: r.Hash, Answer: "yes", At: apitest.Now()})
	if err == nil {
		err = rides.Table.DB().Commit(t.Context(), ws...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, threadID
}

// proposedRide is one that its customer has not said YES to.
func (s *service) proposedRide(t *testing.T, market string) (from actor.Actor, r taxi.Ride, threadID string) {
	t.Helper()
	from = actor.Actor{Kind: actor.Person, ID: "whatsapp:" + apitest.Phone(), Name: "Deniz"}
	a, err := s.Base.Threads().Append(t.Context(), channel.Inbound{
		Market: market, Channel: channel.WhatsApp, ThreadType: channel.General, MessageID: dynamotest.ID("m"), Text: "a taxi", From: from,
	}, false)
	if err == nil {
		r, err = s.Base.Rides().Propose(t.Context(), from, "key", taxi.Order{
			Market: market, Thread: a.Thread, Pickup: geo.Spot{Address: "Harbour Road 5"}, District: "Kyrenia", Passengers: 1, TimeZone: "UTC", Language: "en", Hold: time.Hour,
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return from, r, a.Thread
}

// The day of a list of rides ends at the next local midnight, also when it has 25 or 23 hours.
func TestRidesOfADayOfAChangeOfClocks(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := market.Default(dynamotest.ID("m"))
	m.TimeZone = "Asia/Nicosia"
	if _, err := s.Base.Markets().Save(t.Context(), *m, "staff:seed"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ordered time.Time
		day     string
	}{
		{time.Date(2027, 3, 28, 20, 30, 0, 0, time.UTC), "2027-03-28"},
		{time.Date(2027, 3, 28, 21, 30, 0, 0, time.UTC), "2027-03-29"},
		{time.Date(2027, 10, 31, 21, 30, 0, 0, time.UTC), "2027-10-31"},
		{time.Date(2027, 10, 31, 22, 30, 0, 0, time.UTC), "2027-11-01"},
	} {
		then, b := *s.Service, *s.Base.Process
		b.Now = func() time.Time { return tt.ordered }
		then.Base = app.NewBase(b)
		r, _ := (&service{&then}).ride(t, m.ID)
		var all struct{ Rides []rideAnswer }
		pausetest.Until(t, "the ride in the list", func() bool {
			s.Call(t, "GET", "/admin/api/markets/"+m.ID+"/rides", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
			return len(all.Rides) > 0 && all.Rides[0].RideID == r.ID
		})
		for _, day := range []string{"2027-03-28", "2027-03-29", "2027-10-31", "2027-11-01"} {
			s.Call(t, "GET", "/admin/api/markets/"+m.ID+"/rides?day="+day, nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
			if of := slices.ContainsFunc(all.Rides, func(a rideAnswer) bool { return a.RideID == r.ID }); of != (day == tt.day) {
				t.Errorf("ordered at %s: among those of %s is %v", tt.ordered, day, of)
			}
		}
	}
}

func TestRides(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.NewMarket(t)
	_, other := s.NewMarket(t)
	target += "/rides"
	r, threadID := s.ride(t, id)
	var all struct {
		Rides []rideAnswer
		Next  string
	}
	reads := func(query string) []rideAnswer {
		t.Helper()
		s.Call(t, "GET", target+query, nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
		return all.Rides
	}
	today := apitest.Now().UTC().Format(time.DateOnly)
	for _, query := range []string{"", "?status=open", "?limit=1", "?day=" + today} {
		pausetest.Until(t, "the ride in the list "+query, func() bool {
			found := reads(query)
			return len(found) == 1 && found[0].RideID == r.ID && found[0].ThreadID == threadID && found[0].Pickup.Address == "Harbour Road 5" && found[0].Offers == 1
		})
	}
	for _, query := range []string{"?status=unserved", "?day=2020-01-01"} {
		if found := reads(query); len(found) != 0 {
			t.Errorf("%s: %+v", query, found)
		}
	}
	for query, field := range map[string]string{
		"?status=done": "status", "?status=open&day=" + today: "status", "?status=open&after=x": "status", "?day=x": "day", "?day=2026-02-30": "day", "?day=9999-12-31": "day", "?after=x": "after", "?day=" + today + "&day=" + today: "day",
	} {
		s.Call(t, "GET", target+query, nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, field)
	}

	at := "/rides/" + threadID + "/" + r.ID
	var one struct {
		Ride   rideAnswer
		Events []struct {
			Type, By string
			Drivers  int
		}
	}
	s.Call(t, "GET", strings.TrimSuffix(target, "/rides")+at, nil, apitest.Staff()...).Wants(t, http.StatusOK, &one)
	if one.Ride.Code != r.Code || one.Ride.Status != "requested" || len(one.Events) != 3 || one.Events[1].Type != "requested" || one.Events[1].By != r.Owner {
		t.Errorf("ride %+v", one)
	}
	_, strange := s.ride(t, id)
	_, proposed, unasked := s.proposedRide(t, id)
	s.Call(t, "GET", target+"/"+unasked+"/"+proposed.ID, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	for _, path := range []string{other + at, target + "/" + strange + "/" + r.ID, target + "/th_00000000000000000000000000000000/" + r.ID, target + "/" + threadID + "/rd_aaaaaaaaaaaaaaaa"} {
		s.Call(t, "GET", path, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
		s.Call(t, "POST", path+"/cancel", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	}
	for range 2 {
		var after rideAnswer
		s.Call(t, "POST", strings.TrimSuffix(target, "/rides")+at+"/cancel", nil, apitest.Staff()...).Wants(t, http.StatusOK, &after)
		if after.Status != "cancelled" || after.CancelledBy != "staff:local" {
			t.Errorf("cancelled %+v", after)
		}
	}
}
