package taxi

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// Geocoder finds where an address is.
type Geocoder interface {
	// Geocode returns the places that the text may mean, the likeliest first.
	Geocode(ctx context.Context, q geo.Query) ([]geo.Found, error)
}

// Caller has the tools that a model uses to order a taxi for a customer. They only propose; the customer's YES commits.
type Caller struct {
	Store    *Store
	Geocoder Geocoder // nil: addresses are kept as text
	Log      *slog.Logger
}

// requestTool is the tool whose template in a market's settings words offers to drivers.
const requestTool = "requestTaxi"

// Tools returns the declarations with their resolvers.
func (c *Caller) Tools() []tool.Tool {
	return []tool.Tool{
		tool.New(requestTool,
			"Prepare a taxi ride for the customer and ask them to confirm it. No driver is asked until the customer says YES; then all free drivers nearby are, "+
				"and the customer is told here who comes. Needs a pickup: an address that a driver finds, or the location that the customer has shared. "+
				"Ask for the pickup when you do not know it, never guess one; \"here\" or \"my place\" is none.",
			tool.Propose, c.request),
		tool.New("getTaxiStatus",
			"Tell how far the customer's taxi is: requested (no driver has taken it; driversAsked says whether any was asked yet), assigned (a driver is on the way), arrived, done, cancelled or unserved "+
				"(nobody could come). Name the ride's code whenever you say that a taxi is ordered, on its way or cancelled.",
			tool.Read, c.status),
		tool.New("cancelTaxi",
			"Ask the customer to confirm that their taxi is to be cancelled. Nothing is cancelled until the customer says YES.",
			tool.Propose, c.cancel),
	}
}

type requestArgs struct {
	Pickup            *string `json:"pickup" jsonschema:"where to be picked up, in the customer's words with street, number and town or the name of the place; null when it is the shared location alone"`
	UsePickupLocation bool    `json:"usePickupLocation" jsonschema:"true to be picked up at the location that the customer has shared; pickup may then say more about it"`
	Dropoff           *string `json:"dropoff" jsonschema:"where to go; null when the customer will tell the driver"`
	Passengers        *int    `json:"passengers" jsonschema:"number of people, 1 to 16; null when not said, for 1"`
	When              *string `json:"when" jsonschema:"local date and time of the pickup, YYYY-MM-DDTHH:MM; null for now"`
	District          *string `json:"district" jsonschema:"district or town of the pickup, such as Kyrenia; null when not known"`
	Note              *string `json:"note" jsonschema:"something for the driver, such as luggage or a child seat; null for none"`
	Phone             *string `json:"phone" jsonschema:"number at which the driver can call the customer, E.164, if the customer gave one for that; else null"`
}

// request makes a proposal under the call's key, so that a repeated call returns the same one.
func (c *Caller) request(ctx context.Context, tc tool.Context, a requestArgs) (tool.Result, error) {
	pickup, note, err := c.pickup(ctx, tc, a)
	if err != nil {
		return tool.Result{}, err
	}
	when, err := timeOf(tc, tool.Value(a.When))
	if err != nil {
		return tool.Result{}, err
	}
	o := Order{
		Market: tc.Market.ID, Thread: tc.Thread, Pickup: pickup, District: strings.TrimSpace(tool.Value(a.District)), Passengers: 1, When: when,
		TimeZone: tc.Market.TimeZone, Note: strings.TrimSpace(tool.Value(a.Note)), Language: tc.Language, CustomerName: tc.Actor.Name, Address: tc.Address,
		CustomerPhone: phoneOf(tc.Actor, tool.Value(a.Phone)), Policy: tc.Market.Version, Hold: time.Duration(tc.Market.Safety.HoldSeconds) * time.Second,
	}
	if a.Passengers != nil {
		o.Passengers = *a.Passengers
	}
	if text := strings.TrimSpace(tool.Value(a.Dropoff)); text != "" {
		place, _ := c.find(ctx, tc, text) // the driver is told the text in any case
		o.Dropoff = &place
	}
	in := pickup
	if o.District != "" { // by whichever of its names
		in = geo.Spot{Address: o.District}
	}
	o.District = cmp.Or(tc.Market.DistrictOf(in.Address, in.Location()), o.District)
	r, err := c.Store.Propose(ctx, tc.Actor, tc.Key, o)
	if err != nil {
		return tool.Result{}, err
	}
	return proposal(tc, r, note), nil
}

func proposal(tc tool.Context, r Ride, note string) tool.Result {
	data := view(tc, r)
	data["status"] = "awaiting_confirmation"
	data["note"] = "not ordered: the customer is being asked for YES or NO"
	if note != "" {
		data["pickupNote"] = note
	}
	res := tool.Result{
		Data: data, Memory: data,
		Proposal: r.Proposal(tc.Language),
	}
	res.Map = r.Pickup.Location()
	return res
}

// pickup finds where the customer waits; note tells the model what is uncertain about it.
func (c *Caller) pickup(ctx context.Context, tc tool.Context, a requestArgs) (p geo.Spot, note string, err error) {
	text := strings.TrimSpace(tool.Value(a.Pickup))
	switch {
	case a.UsePickupLocation && tc.Location == nil:
		return geo.Spot{}, "", fault.Field("usePickupLocation", "the customer has shared no location: ask them to share it, or for the address")
	case a.UsePickupLocation:
		p = geo.Spot{Address: text, Lat: &tc.Location.Lat, Lng: &tc.Location.Lng}
		if text == "" {
			p.Address = tc.Location.Address
		}
		return p, "", nil
	case strings.IndexFunc(text, unicode.IsLetter) < 0 || len([]rune(text)) < 3:
		return geo.Spot{}, "", fault.Field("pickup", "ask the customer where to be picked up: an address or the name of a place, or their shared location")
	}
	p, note = c.find(ctx, tc, text)
	return p, note, nil
}

// find looks up an address. Whatever goes wrong, the driver still gets the text.
func (c *Caller) find(ctx context.Context, tc tool.Context, text string) (geo.Spot, string) {
	p := geo.Spot{Address: text}
	if c.Geocoder == nil {
		return p, ""
	}
	found, err := c.Geocoder.Geocode(ctx, geo.Query{Text: text, Language: tc.Language, Near: tc.Location, Within: tc.Market.Bounds, Limit: 3, Stored: true})
	switch {
	case err != nil:
		if !fault.Is(err, fault.Invalid) && c.Log != nil { // that is a text which is no address
			c.Log.WarnContext(ctx, "place not looked up", "kind", fault.KindOf(err))
		}
	case len(found) > 0 && found[0].Sure && (len(found) == 1 || !found[1].Sure):
		p.Lat, p.Lng = &found[0].Lat, &found[0].Lng
		return p, ""
	}
	return p, "the address was not found on the map for certain: the driver is given the customer's words. Ask whether they are precise enough"
}

// timeOf reads a local time; zero is now.
func timeOf(tc tool.Context, text string) (time.Time, error) {
	text = strings.Replace(strings.TrimSpace(text), " ", "T", 1)
	if text == "" {
		return time.Time{}, nil
	}
	const layout = "2006-01-02T15:04"
	if len(text) > len(layout) && strings.HasPrefix(text[len(layout):], ":") { // seconds are of no account
		text = text[:len(layout)]
	}
	at, err := time.ParseInLocation(layout, text, tc.TimeZone)
	switch {
	case err != nil:
		return time.Time{}, fault.Field("when", "want a local time as YYYY-MM-DDTHH:MM, or null for now")
	case at.Format(layout) != text:
		return time.Time{}, fault.Field("when", "there is no such time on that day: the clocks are changed then")
	case at.Before(tc.Now.Add(-soon)):
		return time.Time{}, fault.Field("when", "is over: it is %s now", tc.Now.In(tc.TimeZone).Format(layout))
	case at.Before(tc.Now.Add(soon)):
		return time.Time{}, nil
	}
	return at, nil
}

// phoneOf is the number that the driver can call: the one that the customer gave, or else the one that they write with.
func phoneOf(a actor.Actor, given string) string {
	if given = strings.ReplaceAll(given, " ", ""); given != "" {
		return given
	}
	if number, ok := strings.CutPrefix(a.ID, string(channel.WhatsApp)+":"); a.Phone == "" && ok && market.IsE164(number) {
		return number
	}
	return a.Phone
}

type statusArgs struct {
	RideID *string `json:"rideId" jsonschema:"rideId of the ride, as requestTaxi gave it; null for the customer's latest"`
}

func (c *Caller) status(ctx context.Context, tc tool.Context, a statusArgs) (tool.Result, error) {
	r, err := c.ride(ctx, tc, tool.Value(a.RideID))
	if err != nil {
		return tool.Result{}, err
	}
	data := view(tc, r)
	if r.Status == Requested {
		data["driversAsked"] = len(r.Offered) > 0
	}
	res := tool.Result{Data: data, Memory: data}
	if ordered := r.Receipt != nil; ordered {
		res.Cards = []tool.Card{Card(tc.Language, r)}
	}
	res.Named = stands(tc, r)
	return res, nil
}

// ride reads one of the customer's rides; "" is the last that was ordered.
func (c *Caller) ride(ctx context.Context, tc tool.Context, id string) (r Ride, err error) {
	if id == "" {
		r, err = c.Store.Latest(ctx, tc.Actor, tc.Market.ID)
	} else {
		r, err = c.Store.Get(ctx, tc.Actor, tc.Market.ID, id)
	}
	if errors.Is(err, actor.ErrNotFound) {
		return Ride{}, &fault.Error{Kind: fault.NotFound, Field: "rideId", Message: "the customer has no such taxi ride"}
	}
	return r, err
}

type cancelArgs struct {
	RideID string `json:"rideId" jsonschema:"rideId of the ride, as requestTaxi or getTaxiStatus gave it"`
}

func (c *Caller) cancel(ctx context.Context, tc tool.Context, a cancelArgs) (tool.Result, error) {
	if a.RideID == "" {
		return tool.Result{}, fault.Field("rideId", "missing: getTaxiStatus gives that of the latest ride")
	}
	r, err := c.ride(ctx, tc, a.RideID)
	switch {
	case err != nil:
		return tool.Result{}, err
	case r.Status == Proposed:
		return tool.Result{}, fault.New(fault.Conflict, "it is not ordered yet: the customer can answer the proposal with NO")
	case r.Status == Cancelled:
		return tool.Result{}, fault.New(fault.Conflict, "it is cancelled already")
	case !r.Status.Open():
		return tool.Result{}, ErrOver
	}
	data := view(tc, r)
	data["note"] = "still ordered: the customer is being asked for YES or NO"
	until := tc.Now.Add(time.Duration(tc.Market.Safety.HoldSeconds) * time.Second)
	return tool.Result{Data: data, Memory: data, Proposal: r.Cancellation(tc.Language, until)}, nil
}

// view is what a model sees of a ride.
func view(tc tool.Context, r Ride) map[string]any {
	v := map[string]any{
		"rideId": r.ID, "code": r.Code, "status": string(r.Status), "pickup": r.Pickup.String(), "passengers": r.Passengers,
		"when": "now", "summary": Summary(tc.Language, r),
	}
	if !r.When.IsZero() {
		v["when"] = r.When.In(schedule.Zone(r.TimeZone)).Format("2006-01-02T15:04")
	}
	if r.Dropoff != nil {
		v["dropoff"] = r.Dropoff.String()
	}
	if r.District != "" {
		v["district"] = r.District
	}
	if r.Driver != nil {
		v["driver"] = map[string]string{"name": r.Driver.Name, "vehicle": r.Driver.Vehicle, "plate": r.Driver.Plate, "phone": r.Driver.Phone}
	}
	return v
}
