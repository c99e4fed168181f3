package app

import (
	"context"
	"strings"

	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/fault"
	"merve/internal/market"
	"merve/internal/order"
	"merve/internal/place"
	"merve/internal/provider/mapbox"
	"merve/internal/report"
	"merve/internal/trigger"
	"merve/internal/turn"
)

// Records tells people what happened to reports, orders and rides.
func Records(b *Base) (trigger.Handler, error) {
	n := b.Notifier()
	return trigger.Stream(func(ctx context.Context, r trigger.Record) error {
		return tellRecord(ctx, n, dynamo.Item(r.New))
	}, trigger.Log(b.Log)), nil
}

// tellers is who tells of events in the table of records.
type tellers interface {
	TellReport(ctx context.Context, e report.Event) error
	TellOrder(ctx context.Context, e order.Event) error
}

func tellRecord(ctx context.Context, t tellers, it dynamo.Item) error {
	if e, ok, err := report.EventOf(it); ok || err != nil {
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "not an event")
		}
		return t.TellReport(ctx, e)
	}
	if e, ok, err := order.EventOf(it); ok || err != nil {
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "not an event")
		}
		return t.TellOrder(ctx, e)
	}
	return nil
}

// Orders returns the store of orders.
func (b *Base) Orders() *order.Store { return &order.Store{Table: b.records(), Now: b.Now} }

// orderDesk has the tools by which customers order.
func (b *Base) orderDesk() *order.Desk {
	return &order.Desk{Store: b.Orders(), Listings: b.Listings(), Places: located{b.geocoder()}, Log: b.Log}
}

// commands are obeyed on threads of people who are no customers.
func (b *Base) commands() map[channel.ThreadType]turn.Command {
	all := turn.Commands{&order.Commands{Store: b.Orders(), Roster: b.roster()}}
	return map[channel.ThreadType]turn.Command{channel.Ops: all, channel.Dispatch: all}
}

// Places returns the store of curated places.
func (b *Base) Places() *place.Store { return &place.Store{Table: b.catalog(), Now: b.Now} }

// placeFinder has the tools that look for places.
func (b *Base) placeFinder() *place.Finder {
	return &place.Finder{Store: b.Places(), Maps: mapped{b.geocoder()}, Bounds: func(m *market.Market) (place.Box, bool) {
		if m.Bounds == nil {
			return place.Box{}, false
		}
		return place.Box(*m.Bounds), true
	}, Log: b.Log}
}

// mapped is Mapbox as the map on which places are found.
type mapped struct{ client *mapbox.Client }

func (m mapped) Find(ctx context.Context, w place.Wanted) ([]place.Spot, error) {
	found, err := m.client.Find(ctx, mapbox.Search{
		Text: w.Text, Category: w.Category, Language: w.Language, Near: w.Near, Within: (*mapbox.Box)(w.Within), Limit: w.Limit,
	})
	spots := make([]place.Spot, len(found))
	for i, p := range found {
		spots[i] = place.Spot{
			ID: p.ID, Name: p.Name, Category: strings.Join(p.Categories[:min(len(p.Categories), 1)], ""), Address: p.Address, Phone: p.Phone,
			Location: channel.Location{Lat: p.Lat, Lng: p.Lng},
		}
	}
	return spots, err
}

func (m mapped) Geocode(ctx context.Context, w place.Wanted) ([]place.Spot, error) {
	found, err := m.client.Geocode(ctx, mapbox.Query{Text: w.Text, Language: w.Language, Near: w.Near, Within: (*mapbox.Box)(w.Within), Limit: w.Limit})
	spots := make([]place.Spot, len(found))
	for i, p := range found {
		spots[i] = place.Spot{ID: p.ID, Name: p.Name, Category: p.Type, Address: p.Address, Location: channel.Location{Lat: p.Lat, Lng: p.Lng}}
	}
	return spots, err
}

// located finds where orders are brought, by Mapbox.
type located struct{ client *mapbox.Client }

func (l located) Locate(ctx context.Context, m *market.Market, text, language string) (*channel.Location, error) {
	found, err := l.client.Geocode(ctx, mapbox.Query{Text: text, Language: language, Within: (*mapbox.Box)(m.Bounds), Limit: 1, Stored: true})
	if err != nil || len(found) == 0 || !found[0].Sure() {
		return nil, err
	}
	return &channel.Location{Lat: found[0].Lat, Lng: found[0].Lng, Address: found[0].Address}, nil
}
