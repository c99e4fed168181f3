package taxi

import (
	"fmt"
	"strconv"
	"time"

	"merve/internal/geo"
	"merve/internal/schedule"
	"merve/internal/tool"
	"merve/internal/wording"
)

// mapLink is an address at which a map shows the place, "" when it is not known where it is.
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
