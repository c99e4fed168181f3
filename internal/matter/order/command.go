package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/ident"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/roster"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Commands obeys what businesses answer to orders: no model has a say in it.
type Commands struct {
	Store  *Store
	Roster interface {
		Read(ctx context.Context, market, number string) (roster.Roles, error)
	}
	// Outbox knows what the messages that are quoted were about.
	Outbox interface {
		AboutOf(ctx context.Context, thread, providerID string) (code string, err error)
	}
}

// Command reads a message from a business and prepares the change it asks for; the writes belong in the
// transaction of the reply. ok is false for a message that answers no order, or does not come from a
// business. An answer without a code is about the order of the message that it quotes. 1 request, 2 for
// each business that the number speaks for (without a code, 2 for each hundred of its open orders),
// plus a lookup in the outbox if the message quotes another.
func (c *Commands) Command(ctx context.Context, tc tool.Context, m thread.Message) (gate.Settled, bool, error) {
	s, ok := read(m.Text)
	if !ok {
		return gate.Settled{}, false, nil
	}
	roles, err := c.Roster.Read(ctx, tc.Market.ID, tc.Actor.Phone)
	if err != nil {
		return gate.Settled{}, false, err
	}
	if s.code == "" && m.ReplyTo != "" {
		about, err := c.Outbox.AboutOf(ctx, tc.Thread, m.ReplyTo)
		if err != nil || about != "" && len(about) != ident.Order.Length { // of a booking or a talk
			return gate.Settled{}, false, err
		}
		s.code, s.vague = about, about == ""
	}
	if len(roles.Businesses()) == 0 {
		return c.former(ctx, tc, s, m)
	}
	all, more, err := c.known(ctx, tc.Market.ID, roles.Businesses(), s.code)
	if err != nil {
		return gate.Settled{}, false, err
	}
	s.vague = s.vague || more
	return c.obey(tc, s, all, m.At), true, nil
}

// former carries out an answer to an order that the number was told of, though it is no longer a business's number:
// whoever was asked may answer.
func (c *Commands) former(ctx context.Context, tc tool.Context, s said, m thread.Message) (gate.Settled, bool, error) {
	o, err := c.Store.ToldOf(ctx, tc.Market.ID, tc.Actor.Phone, s.code)
	if errors.Is(err, actor.ErrNotFound) {
		return gate.Settled{}, false, nil
	}
	if err != nil {
		return gate.Settled{}, false, err
	}
	return c.obey(tc, s, []Order{o}, m.At), true, nil
}

// Owed reports whether a message answers an open order that the sender's number was told about. Such an answer
// counts even if the business's number has changed since. No requests for a message that is no answer; otherwise
// 2, plus a lookup in the outbox if the message quotes another.
func (c *Commands) Owed(ctx context.Context, in channel.Inbound) (bool, error) {
	s, ok := read(in.Text)
	if !ok || in.From.Phone == "" {
		return false, nil
	}
	if s.code == "" && in.ReplyTo != "" {
		var err error
		told := thread.ID(in.Market, channel.Ops, "", channel.OfNumber(in.From.Phone).Key())
		if s.code, err = c.Outbox.AboutOf(ctx, told, in.ReplyTo); err != nil {
			return false, err
		}
	}
	o, err := c.Store.ToldOf(ctx, in.Market, in.From.Phone, s.code)
	if errors.Is(err, actor.ErrNotFound) {
		return false, nil
	}
	return err == nil && o.Stands(), err
}

// known returns the orders of a market's businesses that an answer may be about: those with the given code,
// however long ago they were placed, or else those that are open. more says that there are others.
// 2 requests for each business, and for each hundred of its orders.
func (c *Commands) known(ctx context.Context, market string, businesses []string, code string) (all []Order, more bool, err error) {
	if code != "" {
		all, err = c.Store.Meant(ctx, market, businesses, code)
		return all, false, err
	}
	for _, b := range businesses {
		open, others, err := c.Store.OpenOf(ctx, market, b)
		if err != nil {
			return nil, false, err
		}
		all, more = append(all, open...), more || others
	}
	return all, more, nil
}

func (c *Commands) obey(tc tool.Context, s said, all []Order, at time.Time) gate.Settled {
	typ := map[verb]EventType{sayAccept: AcceptedEvent, sayRefuse: RefusedEvent, sayDone: DoneEvent, sayCancel: CancelledEvent}[s.verb]
	waits := func(o Order) bool { return slices.Contains(arrows[typ].from, o.Status) }
	var these []Order
	for _, o := range all {
		if s.code != "" || waits(o) && !at.Before(o.UpdatedAt) {
			these = append(these, o)
		}
	}
	switch {
	case len(these) == 0 && s.code != "":
		return nothing(c.say(tc, wording.OrderNoSuch, Order{Code: s.code}))
	case len(these) == 0:
		return nothing(c.say(tc, wording.OrderNoneOpen, Order{}))
	case len(these) > 1, s.vague:
		return c.which(tc, these)
	}
	o := these[0]
	if typ == RefusedEvent && o.Status == Accepted {
		typ = CancelledEvent // taken back
	}
	return c.settle(tc, s, o, typ, at)
}

// nothing marks an answer about an order that is not there.
func nothing(s gate.Settled) gate.Settled {
	s.Nothing = true
	return s
}

// settle prepares the change of one order.
func (c *Commands) settle(tc tool.Context, s said, o Order, typ EventType, at time.Time) gate.Settled {
	closed := c.say(tc, wording.OrderClosed, o)
	ws, after, err := c.Store.Writes(o, typ, By{Actor: tc.Actor, Trace: tc.TraceID, ETA: s.eta(o, at), Reason: language.Clip(s.reason, MaxNote)})
	switch {
	case err != nil && o.Status == Placed: // done before it is accepted
		return gate.Settled{Text: HowToAnswer(tc.Language, o)}
	case err != nil && o.Status == Accepted: // accepted again
		return c.say(tc, wording.OrderYouAccepted, o)
	case err != nil:
		return closed
	}
	key := map[EventType]wording.Key{
		AcceptedEvent: wording.OrderYouAccepted, RefusedEvent: wording.OrderYouRefused, CancelledEvent: wording.OrderYouRefused, DoneEvent: wording.OrderYouDone,
	}[typ]
	done := c.say(tc, key, after)
	done.Writes = ws
	done.Refused = func(err error) (string, bool) { return closed.Text, errors.Is(err, ErrChanged) }
	return done
}

// eta is when the business expects an order, by what it said at a time. If it said an hour, that means the hour
// nearest to the time the customer ordered for; an hour before that time means that time. An hour that has long
// passed is tomorrow's.
func (s said) eta(o Order, at time.Time) time.Time {
	switch {
	case s.minutes > 0:
		return o.Ready(at, s.minutes)
	case s.clock.IsZero():
		return time.Time{}
	}
	loc := schedule.Zone(o.TimeZone)
	day, passed := at, time.Minute // the present minute may be meant
	if !o.When.IsZero() {
		day, passed = o.When, time.Hour // and who answers late means the time that it was ordered for
	}
	day = day.In(loc)
	t := time.Date(day.Year(), day.Month(), day.Day(), s.clock.Hour(), s.clock.Minute(), 0, 0, loc)
	const halfADay = 12 * time.Hour
	switch d := t.Sub(o.When); {
	case o.When.IsZero():
	case d < -halfADay:
		t = t.AddDate(0, 0, 1)
	case d > halfADay:
		t = t.AddDate(0, 0, -1)
	}
	if at.Sub(t) >= passed {
		t = t.AddDate(0, 0, 1)
	}
	return o.Ready(t, 0).UTC()
}

func (c *Commands) say(tc tool.Context, key wording.Key, o Order) gate.Settled {
	vars := wording.Vars{"code": o.Code, "eta": ETA(tc.Language, o)}
	vars["done"] = wording.Say(tc.Language, wording.OrderWordDone, nil)
	return gate.Settled{Text: wording.Say(tc.Language, key, vars)}
}

// which asks for the code of the order that is meant.
func (c *Commands) which(tc tool.Context, these []Order) gate.Settled {
	var all []string
	for _, o := range these[:min(len(these), 8)] {
		all = append(all, fmt.Sprintf("%s (%s)", o.Code, language.Clip(o.ListingName, 40)))
	}
	return gate.Settled{Text: wording.Say(tc.Language, wording.OrderWhich, wording.Vars{"alternatives": wording.List(tc.Language, all)})}
}
