package admin

import (
	"net/http"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/taxi"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
)

// rides are the taxi rides of a market.
type rides struct {
	Markets *market.Store
	Threads *thread.Store
	Rides   *taxi.Store
}

func (h rides) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/rides":                         h.list,
		"GET /admin/api/markets/{market}/rides/{thread}/{ride}":         h.one,
		"POST /admin/api/markets/{market}/rides/{thread}/{ride}/cancel": h.cancel,
	}
}

// rideView is a ride in an answer.
type rideView struct {
	ID            string      `json:"rideId"`
	Code          string      `json:"code"`
	Market        string      `json:"marketId"`
	Thread        string      `json:"threadId"`
	Status        taxi.Status `json:"status"`
	District      string      `json:"district,omitempty"`
	Pickup        geo.Spot    `json:"pickup"`
	Dropoff       *geo.Spot   `json:"dropoff,omitempty"`
	Passengers    int         `json:"passengers"`
	When          time.Time   `json:"when,omitzero"` // absent means now
	Note          string      `json:"note,omitempty"`
	CustomerName  string      `json:"customerName,omitempty"`
	CustomerPhone string      `json:"customerPhone,omitempty"`
	Driver        *rideTaker  `json:"driver,omitempty"`
	Offers        int         `json:"offers"` // to drivers, so far
	Asked         int         `json:"asked"`  // drivers of the last offer
	RequestedAt   time.Time   `json:"requestedAt"`
	AssignedAt    time.Time   `json:"assignedAt,omitzero"`
	ArrivedAt     time.Time   `json:"arrivedAt,omitzero"`
	EndedAt       time.Time   `json:"endedAt,omitzero"`
	CancelledBy   string      `json:"cancelledBy,omitempty"` // staff or the customer
}

// rideTaker is the driver who has a ride.
type rideTaker struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Phone   string `json:"phone"`
	Vehicle string `json:"vehicle,omitempty"`
	Plate   string `json:"plate,omitempty"`
}

func rideViewOf(r taxi.Ride) rideView {
	v := rideView{
		ID: r.ID, Code: r.Code, Market: r.Market, Thread: r.Thread, Status: r.Status, District: r.District, Pickup: r.Pickup, Dropoff: r.Dropoff,
		Passengers: r.Passengers, When: r.When, Note: r.Note, CustomerName: r.CustomerName, CustomerPhone: r.CustomerPhone,
		Offers: r.Attempt, Asked: len(r.Offered),
		RequestedAt: r.RequestedAt, AssignedAt: r.AssignedAt, ArrivedAt: r.ArrivedAt, EndedAt: r.EndedAt, CancelledBy: r.CancelledBy,
	}
	if d := r.Driver; d != nil {
		v.Driver = &rideTaker{d.ID, d.Name, d.Phone, d.Vehicle, d.Plate}
	}
	return v
}

// Statuses to list rides by.
const (
	openRides     = "open"     // not over yet, the oldest first
	unservedRides = "unserved" // no driver took them, the newest first
)

// list lists the rides that were ordered in a market. All rides, and the unserved ones, come page by page; if the request
// names a day, only that day's in the market's time zone. The open ones come in one page.
func (h rides) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "status", "day", "after")
	if err != nil {
		return err
	}
	market := r.PathValue("market")
	var found []taxi.Ride
	next := ""
	switch q["status"] {
	case openRides:
		if q["day"] != "" || q["after"] != "" {
			return fault.Field("status", "open rides are listed in one page, whatever their day")
		}
		found, err = h.Rides.Open(r.Context(), market, limit)
	case "", unservedRides:
		l := taxi.Listing{Unserved: q["status"] == unservedRides, Limit: limit, After: q["after"]}
		if l.From, l.To, err = h.dayOf(r, market, q["day"]); err != nil {
			return err
		}
		found, next, err = h.Rides.List(r.Context(), market, l)
	default:
		return fault.Field("status", "want %s, %s, or nothing for all", openRides, unservedRides)
	}
	if err != nil {
		return err
	}
	all := make([]rideView, len(found))
	for i, ride := range found {
		all[i] = rideViewOf(ride)
	}
	return writeList(w, "rides", all, next)
}

// dayOf returns when a day begins and ends in a market's time zone; zero for no day.
func (h rides) dayOf(r *http.Request, market, day string) (from, to time.Time, err error) {
	if day == "" {
		return from, to, nil
	}
	m, err := h.Markets.Get(r.Context(), market)
	if err != nil {
		return from, to, notFound(err)
	}
	from, err = time.ParseInLocation(time.DateOnly, day, m.Location())
	if err != nil || from.Year() < 2000 || from.Year() > 9998 { // keys hold a year of four digits, of the day's end too
		return from, to, fault.Field("day", "want a date as YYYY-MM-DD")
	}
	return from, from.AddDate(0, 0, 1), nil
}

// owner returns the key of the actor whose thread a ride is on.
func (h rides) owner(r *http.Request) (string, error) {
	head, err := h.Threads.Head(r.Context(), r.PathValue("thread"))
	return head.Owner, err
}

// one answers with a ride, found by the thread that it was ordered on, and its events. 3 requests.
func (h rides) one(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	owner, err := h.owner(r)
	if err != nil {
		return err
	}
	found, err := h.Rides.Get(r.Context(), actor.OfKey(owner), r.PathValue("market"), r.PathValue("ride"))
	if err != nil {
		return err
	}
	if found.Receipt == nil {
		return actor.ErrNotFound // without a YES it is a proposal, which only its customer knows
	}
	events, err := h.Rides.Events(r.Context(), owner, found.ID)
	if err != nil {
		return err
	}
	type event struct {
		Type    taxi.EventType `json:"type"`
		Attempt int            `json:"offer,omitempty"`   // counted from 1
		Driver  string         `json:"driver,omitempty"`  // id of the one who took it, had it or said NO
		Drivers int            `json:"drivers,omitempty"` // how many were asked
		By      string         `json:"by,omitempty"`      // actor key of the customer or staff
		At      time.Time      `json:"at"`
	}
	all := make([]event, len(events))
	for i, e := range events {
		all[i] = event{Type: e.Type, Attempt: e.Attempt, Driver: e.Driver, By: e.Actor, At: e.At}
		if e.Type == taxi.OfferedEvent {
			all[i].Drivers = len(e.Drivers)
		}
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"ride": rideViewOf(found), "events": all})
}

// cancel cancels an open ride, and tells its driver and its customer. 3 requests.
func (h rides) cancel(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	owner, err := h.owner(r)
	if err != nil {
		return err
	}
	after, err := h.Rides.CancelByStaff(r.Context(), who, r.PathValue("market"), owner, r.PathValue("ride"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, rideViewOf(after))
}
