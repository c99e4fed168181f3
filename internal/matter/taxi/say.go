package taxi

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/geo"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// point is a place's coordinates, or "" if they are not known.
func point(s geo.Spot) string {
	at := s.Location()
	if at == nil {
		return ""
	}
	return fmt.Sprintf("%.5f, %.5f", at.Lat, at.Lng)
}

// said quotes a place as the customer gave it, or else gives its coordinates.
func said(lang string, s geo.Spot) string { return cmp.Or(wording.Quote(lang, s.Address), point(s)) }

// shown is everything known about a place: what the customer said, and where that was found to be.
func shown(lang string, s geo.Spot) string {
	if at := point(s); at != "" && s.Address != "" {
		return said(lang, s) + " (" + at + ")"
	}
	return said(lang, s)
}

// mapLink is the address of a map of the place, or "" if its location is not known.
// https://developers.google.com/maps/documentation/urls/get-started#search-action
func mapLink(s geo.Spot) string {
	at := s.Location()
	if at == nil {
		return ""
	}
	return fmt.Sprintf("https://www.google.com/maps/search/?api=1&query=%.6f,%.6f", at.Lat, at.Lng)
}

// Summary is one line about a ride for its customer.
func Summary(lang string, r Ride) string {
	vars := RideVars(lang, r)
	vars["pickup"] = shown(lang, r.Pickup)
	if r.Dropoff != nil {
		vars["dropoff"] = shown(lang, *r.Dropoff)
	}
	return wording.Say(lang, wording.TaxiSummary, vars)
}

// RideVars are what a template for a ride's driver can say about it.
func RideVars(lang string, r Ride) wording.Vars {
	v := wording.Vars{
		"pickup": said(lang, r.Pickup), "pickupMap": mapLink(r.Pickup), "district": wording.Quote(lang, r.District), "when": When(lang, r),
		"passengers": strconv.Itoa(r.Passengers), "customer": wording.Quote(lang, r.CustomerName), "phone": r.CustomerPhone, "note": wording.Quote(lang, r.Note),
	}
	if r.Dropoff != nil {
		v["dropoff"], v["dropoffMap"] = said(lang, *r.Dropoff), mapLink(*r.Dropoff)
	}
	return v
}

// Proposal asks a ride's customer for a YES, with the words and the hash of the same ride.
func (r Ride) Proposal(lang string) *tool.Proposal {
	return &tool.Proposal{Kind: ConfirmKind, Ref: r.ID, Summary: Summary(lang, r), Hash: r.Hash, ExpiresAt: r.ExpiresAt}
}

// Cancellation asks a ride's customer whether to cancel it; the question is open until a time.
func (r Ride) Cancellation(lang string, until time.Time) *tool.Proposal {
	q := r.Proposal(lang)
	q.Kind, q.ExpiresAt = CancelKind, until
	return q
}

// When is a ride's time, in its market's zone.
func When(lang string, r Ride) string {
	if r.When.IsZero() {
		return wording.Say(lang, wording.TaxiNow, nil)
	}
	at := r.When.In(schedule.Zone(r.TimeZone))
	return wording.When(lang, at, at)
}

// Card is what a client shows of an ordered ride. A later card replaces an earlier one.
func Card(lang string, r Ride) tool.Card {
	c := tool.Card{
		"type": "taxi", "id": r.ID, "code": r.Code, "title": wording.Say(lang, wording.TaxiTitle, nil), "status": string(r.Status),
		"pickup": spotCard(r.Pickup), "updatedAt": r.UpdatedAt.Format(time.RFC3339),
	}
	if r.Dropoff != nil {
		c["dropoff"] = spotCard(*r.Dropoff)
	}
	if !r.When.IsZero() {
		c["when"] = When(lang, r)
	}
	if r.Driver != nil {
		driver := map[string]any{"name": r.Driver.Name}
		for name, value := range map[string]string{"vehicle": r.Driver.Vehicle, "plate": r.Driver.Plate, "phone": r.Driver.Phone} {
			if value != "" {
				driver[name] = value
			}
		}
		c["driver"] = driver
	}
	return c
}

func spotCard(s geo.Spot) map[string]any {
	c := map[string]any{}
	if s.Address != "" {
		c["address"] = s.Address
	}
	if at := s.Location(); at != nil {
		c["lat"], c["lng"] = at.Lat, at.Lng
	}
	return c
}
