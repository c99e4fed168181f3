package appointment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/tenant/schedule"
)

// Service is a service that technicians come for.
type Service struct {
	Market     string `dynamodbav:"market" json:"-"`
	ID         string `dynamodbav:"id" json:"id"`
	Name       string `dynamodbav:"name" json:"name"`
	Minutes    int    `dynamodbav:"minutes" json:"minutes"` // of a visit
	PriceMinor int64  `dynamodbav:"priceMinor" json:"priceMinor"`
	Currency   string `dynamodbav:"currency" json:"currency"`
	Version    int    `dynamodbav:"version" json:"version"` // counts changes
}

// Technician is somebody who comes.
type Technician struct {
	Market      string                     `dynamodbav:"market" json:"-"`
	ID          string                     `dynamodbav:"id" json:"id"`
	Business    string                     `dynamodbav:"business" json:"business"` // that sends them
	Name        string                     `dynamodbav:"name" json:"name"`
	Areas       []string                   `dynamodbav:"areas" json:"areas"`         // ZIP codes, or prefixes of them
	Services    []string                   `dynamodbav:"serviceIds" json:"services"` // ids
	TimeZone    string                     `dynamodbav:"timeZone" json:"timeZone"`
	Hours       map[string][]schedule.Span `dynamodbav:"hours" json:"hours"` // by weekday
	Closed      []string                   `dynamodbav:"closed,omitempty" json:"closed,omitempty"`
	SlotMinutes int                        `dynamodbav:"slotMinutes" json:"slotMinutes"` // the grid on which visits begin
	Version     int                        `dynamodbav:"version" json:"version"`         // counts changes
}

// How far ahead a visit is arranged.
const (
	leadMinutes = 120
	horizonDays = 60
)

// offering is the technician's calendar for visits of a service.
func (t Technician) offering(s Service) schedule.Offering {
	return schedule.Offering{
		ID: t.ID, Name: t.Name, TimeZone: t.TimeZone, Hours: t.Hours, Closed: t.Closed,
		SlotMinutes: t.SlotMinutes, DurationMinutes: s.Minutes,
		Capacity: 1, LeadMinutes: leadMinutes, HorizonDays: horizonDays, Unit: schedule.BySlot, MinParty: 1, MaxParty: 1,
		PriceMinor: s.PriceMinor, Currency: s.Currency, Per: schedule.PerBooking,
	}
}

// covers reports whether the technician comes to a ZIP code for a service.
func (t Technician) covers(zip, service string) bool {
	near := func(area string) bool { return strings.HasPrefix(zip, area) }
	return slices.Contains(t.Services, service) && slices.ContainsFunc(t.Areas, near)
}

const maxName = 80

// Check returns an error that names the first field that is wrong.
func (s Service) Check() error {
	switch {
	case !ident.Legal.MatchString(s.ID):
		return fault.Field("id", ident.WantLegal)
	case s.Name == "" || utf8.RuneCountInString(s.Name) > maxName:
		return fault.Field("name", "want 1 to %d characters", maxName)
	case s.Minutes < 15 || s.Minutes > 8*60:
		return fault.Field("minutes", "want 15 to %d", 8*60)
	case !schedule.IsPrice(s.PriceMinor):
		return schedule.NoPrice("priceMinor")
	case !schedule.IsCurrency(s.Currency):
		return fault.Field("currency", "want ISO 4217 in capitals, such as USD")
	}
	return nil
}

// Check returns an error that names the first field that is wrong. Whether there are the services is for the store to say.
func (t Technician) Check() error {
	switch {
	case !ident.Legal.MatchString(t.Business):
		return fault.Field("business", ident.WantLegal)
	case t.Name == "" || utf8.RuneCountInString(t.Name) > maxName:
		return fault.Field("name", "want 1 to %d characters", maxName)
	case len(t.Areas) == 0 || slices.Contains(t.Areas, ""):
		return fault.Field("areas", "want ZIP codes, or what they begin with")
	case len(t.Services) == 0:
		return fault.Field("services", "want one or more")
	}
	err := t.offering(Service{Minutes: t.SlotMinutes, Currency: "USD"}).Check()
	return fault.Under(err, "offering", "")
}

// Catalog keeps services and technicians. Safe for concurrent use.
type Catalog struct{ Table dynamo.Table } // catalog

// ErrChanged says that a service or technician was changed by somebody else meanwhile.
var ErrChanged = fault.New(fault.Conflict, "the service or technician has changed meanwhile")

// The keys. They are part of the data model.

const (
	servicePrefix    = "service#"
	technicianPrefix = "technician#"
)

func visitsKey(market string) string { return "visits#" + market }

func serviceKey(market, id string) dynamo.Key {
	return dynamo.Key{PK: visitsKey(market), SK: servicePrefix + id}
}

func technicianKey(market, id string) dynamo.Key {
	return dynamo.Key{PK: visitsKey(market), SK: technicianPrefix + id}
}

// PutService makes a service, or changes one: that of s's version, if it has one. 2 requests.
func (c *Catalog) PutService(ctx context.Context, s Service) (Service, error) {
	if err := s.Check(); err != nil {
		return Service{}, err
	}
	err := c.put(ctx, serviceKey(s.Market, s.ID), &s.Version, func() any { return s })
	return s, err
}

// PutTechnician makes a technician who comes for services that there are, or changes one: that of t's version, if it has one.
// 3 requests.
func (c *Catalog) PutTechnician(ctx context.Context, t Technician) (Technician, error) {
	if err := t.Check(); err != nil {
		return Technician{}, err
	}
	co, err := c.Company(ctx, t.Market)
	if err != nil {
		return Technician{}, err
	}
	for _, id := range t.Services {
		if !slices.ContainsFunc(co.Services, func(s Service) bool { return s.ID == id }) {
			return Technician{}, fault.Field("services", "there is no service %q", id)
		}
	}
	err = c.put(ctx, technicianKey(t.Market, t.ID), &t.Version, func() any { return t })
	return t, err
}

// put writes an item, replacing the given version if there is one, and increments the version.
func (c *Catalog) put(ctx context.Context, k dynamo.Key, version *int, it func() any) error {
	stored, err := c.Table.Get(ctx, k)
	if err != nil {
		return fmt.Errorf("put %s: %w", k.SK, err)
	}
	before := int(stored.Int("version"))
	if *version, err = dynamo.NextVersion(*version, before, ErrChanged); err != nil {
		return err
	}
	if err := c.Table.DB().Commit(ctx, c.Table.Put(k, it()).AtVersion(before).Else(ErrChanged)); err != nil {
		return fmt.Errorf("put %s: %w", k.SK, err)
	}
	return nil
}

// Service returns a service of a market. 1 request.
func (c *Catalog) Service(ctx context.Context, market, id string) (s Service, err error) {
	err = c.get(ctx, serviceKey(market, id), &s)
	return s, err
}

// Technician returns a technician of a market. 1 request.
func (c *Catalog) Technician(ctx context.Context, market, id string) (t Technician, err error) {
	err = c.get(ctx, technicianKey(market, id), &t)
	return t, err
}

func (c *Catalog) get(ctx context.Context, k dynamo.Key, to any) error {
	it, err := c.Table.Get(ctx, k)
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", k.SK, err)
	case it == nil:
		return actor.ErrNotFound
	}
	return it.Decode(to)
}

// DeleteService deletes a service: no technician comes for it any more. Existing appointments stay. 1 request.
func (c *Catalog) DeleteService(ctx context.Context, market, id string) error {
	return c.delete(ctx, serviceKey(market, id))
}

// DeleteTechnician takes a technician away. Appointments that were made stay. 1 request.
func (c *Catalog) DeleteTechnician(ctx context.Context, market, id string) error {
	return c.delete(ctx, technicianKey(market, id))
}

func (c *Catalog) delete(ctx context.Context, k dynamo.Key) error {
	if err := c.Table.DB().Commit(ctx, c.Table.Delete(k)); err != nil {
		return fmt.Errorf("delete %s: %w", k.SK, err)
	}
	return nil
}

// Company is all services and technicians of a market.
type Company struct {
	Services    []Service    `json:"services"`
	Technicians []Technician `json:"technicians"`
}

// Company reads all services and technicians of a market, empty lists where there are none. 1 request.
func (c *Catalog) Company(ctx context.Context, market string) (Company, error) {
	co := Company{Services: []Service{}, Technicians: []Technician{}}
	err := c.Table.Each(ctx, dynamo.Under(visitsKey(market), ""), func(it dynamo.Item) error {
		if strings.HasPrefix(it.Key().SK, servicePrefix) {
			var s Service
			err := it.Decode(&s)
			co.Services = append(co.Services, s)
			return err
		}
		var t Technician
		err := it.Decode(&t)
		co.Technicians = append(co.Technicians, t)
		return err
	})
	if err != nil {
		return Company{}, fmt.Errorf("technicians of %s: %w", market, err)
	}
	return co, nil
}

// visits are the visits a technician makes for one service.
type visits struct {
	service    Service
	technician Technician
}

// errNotOffered is the answer to a service that nobody comes for.
var errNotOffered = fault.New(fault.NotFound, "no technician comes for that service")

// errNoService is the answer to the id of no service.
var errNoService = &fault.Error{Kind: fault.NotFound, Field: "service", Message: "there is no such service: take an id from crm.listServices"}

// find returns a service with its technician.
func (co Company) find(service, technician string) (visits, error) {
	s := slices.IndexFunc(co.Services, func(s Service) bool { return s.ID == service })
	t := slices.IndexFunc(co.Technicians, func(t Technician) bool { return t.ID == technician })
	if s < 0 || t < 0 || !slices.Contains(co.Technicians[t].Services, service) {
		return visits{}, errNotOffered
	}
	return visits{co.Services[s], co.Technicians[t]}, nil
}

// serving returns a service with each technician who comes for it to a ZIP code, in the order of their names.
func (co Company) serving(service, zip string) ([]visits, error) {
	s := slices.IndexFunc(co.Services, func(s Service) bool { return s.ID == service })
	if s < 0 {
		return nil, errNoService
	}
	var all []visits
	for _, t := range co.Technicians {
		if t.covers(zip, service) {
			all = append(all, visits{co.Services[s], t})
		}
	}
	slices.SortFunc(all, func(a, b visits) int {
		return cmp.Or(cmp.Compare(a.technician.Name, b.technician.Name), cmp.Compare(a.technician.ID, b.technician.ID))
	})
	return all, nil
}

// unchanged are conditions that hold as long as service and technician are as they were read.
func (c *Catalog) unchanged(v visits) []dynamo.Write {
	is := func(k dynamo.Key, version int) dynamo.Write {
		return c.Table.Unchanged(k, version).Else(gate.ErrMeanwhile)
	}
	return []dynamo.Write{
		is(serviceKey(v.service.Market, v.service.ID), v.service.Version),
		is(technicianKey(v.technician.Market, v.technician.ID), v.technician.Version),
	}
}
