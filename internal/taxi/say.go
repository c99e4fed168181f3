package taxi

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"merve/internal/schedule"
	"merve/internal/tool"
	"merve/internal/wording"
)

// String is the place as it was said, else its coordinates.
func (p Place) String() string { return cmp.Or(p.Address, p.point()) }

// point is where the place is, "" when that is not known.
func (p Place) point() string {
	lat, lng, ok := p.Point()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.5f, %.5f", lat, lng)
}

// said is the place as it was said, quoted, else its coordinates.
func (p Place) said(lang string) string { return cmp.Or(wording.Quote(lang, p.Address), p.point()) }

// shown is all that is known of a place: what was said, and where that was found to be.
func (p Place) shown(lang string) string {
	if at := p.point(); at != "" && p.Address != "" {
		return p.said(lang) + " (" + at + ")"
	}
	return p.said(lang)
}

// mapLink is an address at which a map shows the place, "" when it is not known where it is.
// https://developers.google.com/maps/documentation/urls/get-started#search-action
func (p Place) mapLink() string {
	lat, lng, ok := p.Point()
	if !ok {
		return ""
	}
	return fmt.Sprintf("https://www.google.com/maps/search/?api=1&query=%.6f,%.6f", lat, lng)
}

// Summary is one line about a ride for its customer.
func Summary(lang string, r Ride) string {
	vars := RideVars(lang, r)
	vars["pickup"] = r.Pickup.shown(lang)
	if r.Dropoff != nil {
		vars["dropoff"] = r.Dropoff.shown(lang)
	}
	return wording.Say(lang, wording.TaxiSummary, vars)
}

// RideVars are what a template for the driver of a ride can say of it.
func RideVars(lang string, r Ride) wording.Vars {
	v := wording.Vars{
		"pickup": r.Pickup.said(lang), "pickupMap": r.Pickup.mapLink(), "district": wording.Quote(lang, r.District), "when": When(lang, r),
		"passengers": strconv.Itoa(r.Passengers), "customer": wording.Quote(lang, r.CustomerName), "phone": r.CustomerPhone, "note": wording.Quote(lang, r.Note),
	}
	if r.Dropoff != nil {
		v["dropoff"], v["dropoffMap"] = r.Dropoff.said(lang), r.Dropoff.mapLink()
	}
	return v
}

// Proposal is how a ride is put to its customer: in the words and with the hash of the same ride.
func (r Ride) Proposal(lang string) *tool.Proposal {
	return &tool.Proposal{Kind: ConfirmKind, Ref: r.ID, Summary: Summary(lang, r), Hash: r.Hash, ExpiresAt: r.ExpiresAt}
}

// Cancellation is how the end of a ride is put to its customer, until a time.
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

// Card is what a client shows of an ordered ride. A later one takes the place of an earlier.
func Card(lang string, r Ride) tool.Card {
	c := tool.Card{
		"type": "taxi", "id": r.ID, "code": r.Code, "title": wording.Say(lang, wording.TaxiTitle, nil), "status": string(r.Status),
		"pickup": r.Pickup.card(), "updatedAt": r.UpdatedAt.Format(time.RFC3339),
	}
	if r.Dropoff != nil {
		c["dropoff"] = r.Dropoff.card()
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

func (p Place) card() map[string]any {
	c := map[string]any{}
	if p.Address != "" {
		c["address"] = p.Address
	}
	if lat, lng, ok := p.Point(); ok {
		c["lat"], c["lng"] = lat, lng
	}
	return c
}
