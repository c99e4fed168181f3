package taxi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
)

// Driver is a person who is offered rides.
type Driver struct {
	ID        string    `dynamodbav:"id" json:"id"`
	Market    string    `dynamodbav:"market" json:"marketId"`
	Name      string    `dynamodbav:"name" json:"name"`
	Phone     string    `dynamodbav:"phone" json:"phone"`                   // E.164, on WhatsApp
	Language  string    `dynamodbav:"language,omitempty" json:"language"`   // "" is the market's
	Districts []string  `dynamodbav:"districts,omitempty" json:"districts"` // served
	Vehicle   string    `dynamodbav:"vehicle,omitempty" json:"vehicle"`
	Plate     string    `dynamodbav:"plate,omitempty" json:"plate"`
	Seats     int       `dynamodbav:"seats" json:"seats"`         // for passengers
	Available bool      `dynamodbav:"available" json:"available"` // the driver's own word: on or off
	Enabled   bool      `dynamodbav:"enabled" json:"enabled"`     // the market's
	UpdatedAt time.Time `dynamodbav:"updatedAt" json:"updatedAt"`
	Version   int       `dynamodbav:"version" json:"version"` // counts changes
}

// MaxDistricts is how many districts one driver can serve.
const MaxDistricts = 20

var (
	legalID = pattern.New(`^[a-zA-Z0-9][a-zA-Z0-9_-]{0,39}$`)

	// ErrPhoneTaken says that another driver has the number.
	ErrPhoneTaken = &fault.Error{Kind: fault.Conflict, Field: "phone", Message: "another driver of the market has this number"}
)

// Check returns an error that names the first wrong field.
func (d Driver) Check() error {
	switch {
	case !legalID.MatchString(d.ID):
		return fault.Field("id", "want letters, digits, dashes and underscores, at most 40")
	case d.Market == "":
		return fault.Field("marketId", "missing")
	case strings.TrimSpace(d.Name) == "" || tooLong(d.Name, maxName):
		return fault.Field("name", "want 1 to %d characters", maxName)
	case !market.IsE164(d.Phone):
		return fault.Field("phone", "want E.164, such as +15550100")
	case d.Language != "" && !slices.Contains(language.Supported(), d.Language):
		return fault.Field("language", "want one of %v", language.Supported())
	case tooLong(d.Vehicle, maxName):
		return fault.Field("vehicle", "want at most %d characters", maxName)
	case tooLong(d.Plate, maxName):
		return fault.Field("plate", "want at most %d characters", maxName)
	case d.Seats < 1 || d.Seats > maxPassengers:
		return fault.Field("seats", "want 1 to %d", maxPassengers)
	case len(d.Districts) == 0 || len(d.Districts) > MaxDistricts:
		return fault.Field("districts", "want 1 to %d", MaxDistricts)
	}
	for i, name := range d.Districts {
		if district(name) == "" || tooLong(name, maxDistrict) || strings.Contains(name, "#") {
			return fault.Field(fmt.Sprintf("districts[%d]", i), "want 1 to %d characters without #", maxDistrict)
		}
	}
	return nil
}

func tooLong(s string, max int) bool { return !utf8.ValidString(s) || utf8.RuneCountInString(s) > max }

// district is a district's name in the form for comparing.
func district(name string) string { return language.Fold(name) }

// Drivers keeps the drivers of markets. Safe for concurrent use.
type Drivers struct {
	Table dynamo.Table // catalog
	Rides dynamo.Table // records: whether a driver is on a ride
	Now   func() time.Time

	// Roster knows whose number is whose; nil knows nothing.
	Roster interface {
		// Writes joins the transaction that changes a driver; before or after is nil for no driver.
		Writes(before, after *Driver) []dynamo.Write
	}
}

func driverKey(market, id string) dynamo.Key {
	return dynamo.Key{PK: "drivers#" + market, SK: "driver#" + id}
}
func phoneKey(market, phone string) dynamo.Key {
	return dynamo.Key{PK: "drivers#" + market, SK: "phone#" + phone}
}
func availableKey(market, name, id string) dynamo.Key {
	return dynamo.Key{PK: "available#" + market, SK: district(name) + "#driver#" + id}
}

// Get reads a driver; [actor.ErrNotFound] when the market has no such driver. 1 request.
func (s *Drivers) Get(ctx context.Context, market, id string) (Driver, error) {
	it, err := s.Table.Get(ctx, driverKey(market, id))
	switch {
	case err != nil:
		return Driver{}, fmt.Errorf("taxi: driver %s: %w", id, err)
	case it == nil:
		return Driver{}, actor.ErrNotFound
	}
	var d Driver
	return d, it.Decode(&d)
}

// ByPhone finds the driver with a number. 2 requests, or 1 if no driver has it.
func (s *Drivers) ByPhone(ctx context.Context, market, phone string) (Driver, error) {
	it, err := s.Table.Get(ctx, phoneKey(market, phone))
	switch {
	case err != nil:
		return Driver{}, fmt.Errorf("taxi: driver by number: %w", err)
	case it == nil:
		return Driver{}, actor.ErrNotFound
	}
	return s.Get(ctx, market, it.String("id"))
}

// some reads drivers, without those that are gone. 1 request.
func (s *Drivers) some(ctx context.Context, market string, ids []string) (map[string]Driver, error) {
	var keys []dynamo.Key
	for _, id := range ids {
		keys = append(keys, driverKey(market, id))
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("taxi: drivers: %w", err)
	}
	all, err := dynamo.Decode[Driver](items)
	if err != nil {
		return nil, err
	}
	found := map[string]Driver{}
	for _, d := range all {
		found[d.ID] = d
	}
	return found, nil
}

// List returns the drivers of a market by id. A request for each megabyte.
func (s *Drivers) List(ctx context.Context, market string) ([]Driver, error) {
	all, err := dynamo.Collect[Driver](ctx, s.Table, dynamo.Under("drivers#"+market, "driver#"))
	if err != nil {
		return nil, fmt.Errorf("taxi: drivers: %w", err)
	}
	return all, nil
}

// waiting says that a driver is on in one district.
type waiting struct {
	ID    string `dynamodbav:"id"`
	Seats int    `dynamodbav:"seats"`
}

// available finds the drivers who are on in a district, "" in any. A request for each megabyte.
func (s *Drivers) available(ctx context.Context, market, name string) ([]waiting, error) {
	prefix := ""
	if name != "" {
		prefix = district(name) + "#driver#"
	}
	all, err := dynamo.Collect[waiting](ctx, s.Table, dynamo.Under("available#"+market, prefix))
	if err != nil {
		return nil, fmt.Errorf("taxi: available drivers: %w", err)
	}
	return all, nil
}

// errStale is the answer to a change of an outdated version.
var errStale = fault.New(fault.Conflict, "the driver has changed meanwhile: load them again")

// errMoved says that something else was written between read and write: look again.
var errMoved = errors.New("it has changed meanwhile")

// Put stores a driver. A version, if d has one, must be the stored one. 2 requests.
func (s *Drivers) Put(ctx context.Context, d Driver) (Driver, error) {
	if err := d.Check(); err != nil {
		return Driver{}, err
	}
	after, err := dynamo.Retry(ctx, s.Table.DB(), errMoved, func() (Driver, error) {
		before, err := dynamo.Find[Driver](ctx, s.Table, driverKey(d.Market, d.ID))
		if err != nil {
			return Driver{}, err
		}
		if _, err := dynamo.NextVersion(d.Version, before.version(), errStale); err != nil {
			return Driver{}, err
		}
		after, ws := s.writes(before, d)
		return after, s.Table.DB().Commit(ctx, ws...)
	})
	if err != nil {
		return Driver{}, fmt.Errorf("taxi: change driver %s: %w", d.ID, err)
	}
	return after, nil
}

// version is that of a driver; 0 is no driver.
func (d *Driver) version() int {
	if d == nil {
		return 0
	}
	return d.Version
}

// writes change the driver before, which may be nil, into d.
func (s *Drivers) writes(before *Driver, d Driver) (Driver, []dynamo.Write) {
	d.UpdatedAt, d.Version = s.Now().UTC().Truncate(time.Millisecond), before.version()+1
	ws := []dynamo.Write{s.Table.Put(driverKey(d.Market, d.ID), d).AtVersion(before.version()).Else(errMoved)}
	if before == nil || before.Phone != d.Phone {
		ws = append(ws, s.Table.Put(phoneKey(d.Market, d.Phone), map[string]string{"id": d.ID}).IfAbsent().Else(ErrPhoneTaken))
	}
	if before != nil && before.Phone != d.Phone {
		ws = append(ws, s.Table.Delete(phoneKey(d.Market, before.Phone)))
	}
	ws = append(ws, s.offers(before, &d)...)
	return d, append(ws, s.roster(before, &d)...)
}

// offers keep the districts where a driver is found. Unchanged ones are not written.
func (s *Drivers) offers(before, after *Driver) []dynamo.Write {
	var ws []dynamo.Write
	old, now := before.on(), after.on()
	for _, k := range now {
		if !slices.Contains(old, k) || before.Seats != after.Seats {
			ws = append(ws, s.Table.Put(k, waiting{after.ID, after.Seats}))
		}
	}
	for _, k := range old {
		if !slices.Contains(now, k) {
			ws = append(ws, s.Table.Delete(k))
		}
	}
	return ws
}

// on lists the keys that a driver is found under, which are none while off.
func (d *Driver) on() []dynamo.Key {
	var keys []dynamo.Key
	if d == nil || !d.Enabled || !d.Available {
		return nil
	}
	for _, name := range d.Districts {
		if k := availableKey(d.Market, name, d.ID); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

func (s *Drivers) roster(before, after *Driver) []dynamo.Write {
	if s.Roster == nil {
		return nil
	}
	return s.Roster.Writes(before, after)
}

// Delete deletes a driver who has no ride ([ErrDriving]). It is no error if there is no such driver. 2 requests.
func (s *Drivers) Delete(ctx context.Context, market, id string) error {
	before, err := dynamo.Find[Driver](ctx, s.Table, driverKey(market, id))
	if err != nil || before == nil {
		return err
	}
	ws := []dynamo.Write{
		s.Table.Delete(driverKey(market, id)).AtVersionOrGone(before.Version).Else(ErrChanged),
		s.Rides.Check(activeKey(market, id), "attribute_not_exists(pk)", nil).Else(ErrDriving),
		s.Table.Delete(phoneKey(market, before.Phone)),
	}
	ws = append(append(ws, s.offers(before, nil)...), s.roster(before, nil)...)
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("taxi: delete driver %s: %w", id, err)
	}
	return nil
}
