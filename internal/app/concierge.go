package app

import (
	"context"

	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/trigger"
	"merve/internal/matter/appointment"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/report"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/matter/vendor"
	"merve/internal/model/llm"
	"merve/internal/people/desk"
	"merve/internal/people/ops"
	"merve/internal/people/relay"
	"merve/internal/record/ledger"
	"merve/internal/record/place"
	"merve/internal/record/stock"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/roster"
)

// Records tells people what happened to reports, orders and rides.
func Records(b *Base) (trigger.Handler, error) {
	n := b.Notifier()
	return b.events(b.records(),
		order.Events.To(n.TellOrder),
		taxi.Events.To(b.rideTeller().Tell),
		report.Events.To(n.TellReport),
		desk.Events.To(n.TellDesk),
		relay.Events.To(b.post().Tell),
		request.Events.To(b.requestTeller().Tell),
		request.Records.To(b.Requests().Log().Seal),
	)
}

// Orders returns the store of orders.
func (b *Base) Orders() *order.Store {
	return &order.Store{Table: b.records(), Stock: b.stock(), Bounds: b.bounds(), Rows: b.rows(), Now: b.Now, AlsoErase: func(ctx context.Context, o order.Order) error {
		return b.Outbox().Forget(ctx, o.Thread)
	}}
}

// stock keeps the counts of what is counted.
func (b *Base) stock() *stock.Store { return &stock.Store{Table: b.records(), Now: b.Now} }

// checkStock looks whether the counts are what the orders say, and raises alerts.
func (b *Base) checkStock(ctx context.Context) (stock.Checked, error) {
	alerts := b.Alerts()
	return b.stock().Check(ctx, sweepLimit, b.Orders(), func(ctx context.Context, d stock.Drift) error {
		return alerts.Raise(ctx, alert.Alert{Check: "stock", Severity: alert.Error, Subject: d.Subject, Message: d.Message})
	})
}

// orderDesk has the tools by which customers order.
func (b *Base) orderDesk() *order.Taker {
	return &order.Taker{Store: b.Orders(), Listings: b.Listings(), Places: b.geocoder(), Log: b.Log}
}

// commands are obeyed on threads of people who are no customers.
func (b *Base) commands(model llm.Model) map[channel.ThreadType]turn.Command {
	post, broker := b.post(), b.broker(model)
	fixed := turn.Either{&taxi.Commands{Store: b.Rides(), Outbox: b.Outbox()}, b.orderCommands()}
	all := turn.Commands{relay.Quotes{Post: post}, broker.Answers(true), fixed, b.office(), post, broker.Answers(false)}
	return map[channel.ThreadType]turn.Command{channel.Ops: all, channel.Dispatch: all, channel.Vendor: broker.Answers(false)}
}

// orderCommands are what businesses answer to orders.
func (b *Base) orderCommands() *order.Commands {
	return &order.Commands{Store: b.Orders(), Roster: b.roster(), Outbox: b.Outbox()}
}

// roles finds the thread of those who are more than customers.
func (b *Base) roles() *turn.Roles {
	return &turn.Roles{Threads: b.Threads(), Markets: b.Markets(), Outbox: b.Outbox(), Roster: b.roster(), Works: works(), Owed: b.orderCommands().Owed, Now: b.Now}
}

// works are what drivers and businesses do by chat.
func works() turn.Works {
	drives := func(roles roster.Roles) bool { _, ok := roles.Drives(); return ok }
	trades := func(roles roster.Roles) bool { return len(roles.Businesses()) > 0 }
	return turn.Works{{Of: drives, Coded: taxi.Coded}, {Of: trades, Coded: order.Coded}, {Of: trades, Coded: relay.Coded}, {Of: roster.Roles.Sells, Coded: vendor.Coded}}
}

// matters are what stands of conversations.
func (b *Base) matters() map[string]turn.Matter {
	return map[string]turn.Matter{
		ledger.StandingKind: booking.Standing{Ledger: b.Ledger()},
		order.StandingKind:  order.Standing{Store: b.Orders()},
		taxi.StandingKind:   taxi.Standing{Store: b.Rides()},
		report.StandingKind: report.Standing{Store: b.Reports()},

		ledger.AppointmentsKind: appointment.Standing{Ledger: b.Ledger(), Callers: b.callers()},
		request.StandingKind:    request.Standing{Store: b.Requests()},
	}
}

// post passes on to customers what businesses write to them.
func (b *Base) post() *relay.Post {
	return &relay.Post{
		Table: b.records(), Roster: b.roster(), Orders: b.Orders(), Ledger: b.Ledger(), Threads: b.teller(), Outbox: b.Outbox(), Now: b.Now,
	}
}

// Places returns the store of curated places.
func (b *Base) Places() *place.Store {
	return b.shared.places.get(func() *place.Store { return &place.Store{Table: b.catalog(), Now: b.Now} })
}

// placeFinder has the tools that look for places.
func (b *Base) placeFinder() *place.Finder {
	return &place.Finder{Store: b.Places(), Maps: b.geocoder(), Log: b.Log}
}

// Drivers returns the store of drivers.
func (b *Base) Drivers() *taxi.Drivers {
	return &taxi.Drivers{Table: b.catalog(), Rides: b.records(), Now: b.Now, Roster: driverRoster{b.catalog()}}
}

// Rides returns the store of taxi rides.
func (b *Base) Rides() *taxi.Store {
	markets, alsoErase := b.Markets(), func(ctx context.Context, r taxi.Ride) error { return b.Outbox().Forget(ctx, r.Thread) }
	return &taxi.Store{Table: b.records(), Drivers: b.Drivers(), Bounds: b.bounds(), Rows: b.rows(), Now: b.Now, AlsoErase: alsoErase, Neighbours: func(ctx context.Context, id, district string) ([]string, error) {
		m, err := markets.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		return m.Neighbours(district), nil
	}}
}

func (b *Base) rideTeller() *taxi.Teller {
	return &taxi.Teller{
		Rides: b.Rides(), Markets: b.Markets(), Threads: b.teller(), Roster: b.roster(), Outbox: b.Outbox(), Log: b.Log,
	}
}

// caller has the tools by which customers call a taxi.
func (b *Base) caller() *taxi.Caller {
	return &taxi.Caller{Store: b.Rides(), Geocoder: b.geocoder(), Log: b.Log}
}

// driverRoster keeps drivers on the roster by their numbers.
type driverRoster struct{ table dynamo.Table }

func (r driverRoster) Writes(before, after *taxi.Driver) []dynamo.Write {
	var ws []dynamo.Write
	if before != nil && (after == nil || after.Phone != before.Phone) {
		ws = append(ws, roster.Leave(r.table, before.Market, before.Phone, roster.Entry{Role: roster.Driver, ID: before.ID}))
	}
	if after != nil && (before == nil || after.Phone != before.Phone) {
		ws = append(ws, roster.Join(r.table, after.Market, after.Phone, roster.Entry{Role: roster.Driver, ID: after.ID}))
	}
	return ws
}

// handovers gives threads to people and back.
func (b *Base) handovers() *desk.Desk {
	return &desk.Desk{Table: b.records(), Threads: b.teller(), Now: b.Now}
}

// office has what businesses can do by writing to us.
func (b *Base) office() *ops.Office {
	return &ops.Office{Roster: b.roster(), Listings: b.Listings(), Orders: b.Orders(), Ledger: b.Ledger()}
}

// reminders reminds customers of bookings.
func (b *Base) reminders() *booking.Reminders {
	return &booking.Reminders{Ledger: b.Ledger(), Threads: b.teller()}
}

// waitlist offers what has become free to those who wait.
func (b *Base) waitlist() *booking.Waitlist {
	return &booking.Waitlist{
		Ledger: b.Ledger(), Catalog: catalog{b.Listings()}, Markets: b.Markets(), Threads: b.teller(), Payments: b.Payments(),
	}
}
