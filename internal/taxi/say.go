package taxi

import (
	"fmt"
	"strconv"
	"time"

	"merve/internal/schedule"
	"merve/internal/tool"
	"merve/internal/wording"
)

// String is the place in words, else its coordinates.
func (p Place) String() string {
	if lat, lng, ok := p.Point(); ok && p.Address == "" {
		return fmt.Sprintf("%.5f, %.5f", lat, lng)
	}
	return p.Address
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
	return wording.Say(lang, wording.TaxiSummary, wording.Vars{
		"pickup": r.Pickup.String(), "dropoff": dropoff(r), "when": When(lang, r), "passengers": strconv.Itoa(r.Passengers), "note": r.Note,
	})
}

// When is a ride's time, in its market's zone.
func When(lang string, r Ride) string {
	if r.When.IsZero() {
		return wording.Say(lang, wording.TaxiNow, nil)
	}
	at := r.When.In(schedule.Zone(r.TimeZone))
	return wording.When(lang, at, at)
}

func dropoff(r Ride) string {
	if r.Dropoff == nil {
		return ""
	}
	return r.Dropoff.String()
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
