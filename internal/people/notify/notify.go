// Package notify turns events into messages. It tells the business what was confirmed, ordered or cancelled. It tells
// the customer when a hold has run out, when nobody came to a booking, what a business answered, and when staff have
// resolved a damage report.
//
// It uses the listing's own template, else the market's, else the product's text. Each notification exists once, by
// transaction, event, type and recipient, however often the event comes. A message to a business goes to the number
// that its listing has at that time, on the thread that receives the messages of that number, so that its STOP
// counts.
//
// Messages to others about a customer can be found by the customer's thread, so that they can be forgotten.
//
// Cost: to a business 1 request, however long the text, 1 for the listing, and 1 for what was moved; to a customer 1,
// of a report 3, of a no-show 1 for the listing and 1 for what was paid too, and the turn that tells it; of an order
// 1 more.
package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/appointment"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/report"
	"merve/internal/people/relay"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// Notifier tells people what happened to transactions.
type Notifier struct {
	Markets interface {
		Get(ctx context.Context, id string) (*market.Market, error)
	}
	Listings interface {
		Get(ctx context.Context, market, id string) (*listing.Listing, error)
	}
	// Reports finds damage reports, for [Notifier.TellReport].
	Reports interface {
		Get(ctx context.Context, by report.By, id string) (report.Report, error)
	}
	// Orders finds orders, for [Notifier.TellOrder].
	Orders interface {
		Get(ctx context.Context, a actor.Actor, market, id string) (order.Order, error)
	}
	Threads interface {
		Head(ctx context.Context, threadID string) (thread.Head, error)
		MayWrite(id string, r thread.Reach, refused func(thread.Why) error) dynamo.Write
		Tell(ctx context.Context, threadID, key string, n thread.Notice) error
	}
	// Bookings finds what a booking was before it was moved.
	Bookings interface {
		Get(ctx context.Context, a actor.Actor, txID string) (ledger.Transaction, error)
	}
	// Paid is how much was paid for a booking, in minor units, and is not on its way back. Nil is
	// nothing.
	Paid func(ctx context.Context, tx ledger.Transaction) (int64, error)
	// Alert tells the operators of a message to a business that nobody gets.
	Alert   func(ctx context.Context, m outbox.Message) error
	Outbox  *outbox.Box
	SiteURL string // with which the links for staff begin
}

// Event types, as templates name them.
const (
	merchantConfirmed = "merchant_booking_confirmed"
	merchantMoved     = "merchant_booking_moved"
	merchantCancelled = "merchant_booking_cancelled"
	holdExpired       = "hold_expired"
	noShow            = "booking_no_show"
	came              = "booking_came"
)

// Tell sends what an event calls for. It may be called any number of times. What is no
// event is [fault.Invalid].
func (n *Notifier) Tell(ctx context.Context, e ledger.Event) error {
	switch {
	case e.ID == "" || e.Type == "" || e.Transaction.ID == "":
		return fault.Field("event", "want id, type and transaction")
	case e.Type == ledger.Expired:
		return n.expired(ctx, e)
	case e.Transaction.Matter == ledger.Appointment: // its technician's calendar is the ledger
		return nil
	case e.Type == ledger.Confirmed && e.Transaction.Replaces != "":
		return n.moved(ctx, e)
	case e.Type == ledger.Confirmed:
		return n.merchant(ctx, e, merchantConfirmed, wording.MerchantBookingConfirmed, booking.Vars)
	case e.Type == ledger.Cancelled && e.From == ledger.Confirmed && e.Reason != ledger.ReasonMoved:
		return n.merchant(ctx, e, merchantCancelled, wording.MerchantBookingCancelled, booking.Vars)
	case e.Type == ledger.NoShow, e.Type == ledger.Came:
		return n.missed(ctx, e)
	}
	return nil
}

// expired tells the customer that what was held for them is held no more.
func (n *Notifier) expired(ctx context.Context, e ledger.Event) error {
	tx, summary := e.Transaction, booking.Summary
	if tx.Matter == ledger.Appointment {
		summary = appointment.Summary
	}
	return n.customer(ctx, e, thread.Notice{
		Kind: holdExpired, Ref: tx.ID,
		Text: wording.Say(tx.Language, wording.HoldExpiredNotice, wording.Vars{"summary": summary(tx.Language, tx)}),
	})
}

// moved tells the business, once, that a booking is another now, and what it was.
func (n *Notifier) moved(ctx context.Context, e ledger.Event) error {
	old, err := n.Bookings.Get(ctx, actor.Actor{Kind: actor.System, ID: "notify"}, e.Transaction.Replaces)
	if errors.Is(err, actor.ErrNotFound) { // erased since: the new one is news all the same
		return n.merchant(ctx, e, merchantConfirmed, wording.MerchantBookingConfirmed, booking.Vars)
	}
	if err != nil {
		return fmt.Errorf("notify %s: %w", e.Transaction.ID, err)
	}
	return n.merchant(ctx, e, merchantMoved, wording.MerchantBookingMoved, func(lang string, tx ledger.Transaction) wording.Vars {
		return booking.MoveVars(lang, old, tx)
	})
}

// merchant tells the business, on WhatsApp, what the variables say of a booking.
func (n *Notifier) merchant(
	ctx context.Context, e ledger.Event, typ string, fallback wording.Key, varsOf func(lang string, tx ledger.Transaction) wording.Vars,
) error {
	tx := e.Transaction
	m, err := n.Markets.Get(ctx, tx.Market)
	if err != nil {
		return fmt.Errorf("notify %s: %w", tx.ID, err)
	}
	to, err := n.contact(ctx, m, tx.Listing, listing.BookAction, tx.Merchant)
	if err != nil {
		return fmt.Errorf("notify %s: %w", tx.ID, err)
	}
	l := outbox.Letter{
		To: to.number, ID: key(e, idOf(typ), to.number), Language: to.language, Key: fallback, Vars: varsOf(to.language, tx),
		Event: typ, Own: to.action.Template(typ), About: tx.Code, Customer: tx.Thread, Trace: e.Trace,
	}
	if typ == merchantMoved { // better told as a new booking than not at all
		l.Like = merchantConfirmed
	}
	return n.toBusiness(ctx, m, l)
}

// idOf distinguishes messages to a business about a booking that come from the same event. A former release reported
// a move as a new booking, and its events may come again.
func idOf(typ string) string {
	if typ == merchantMoved {
		return merchantConfirmed
	}
	return typ
}

// contact is how the business of a listing is told.
type contact struct {
	number, language string
	action           listing.Action // none when it is off
}

// contact finds how to reach the business of a listing about an action, even if the action is off. It uses the
// present number, because a number that the business had before may belong to somebody else. For a deleted listing it
// has only that earlier number, and the market's language.
func (n *Notifier) contact(ctx context.Context, m *market.Market, listingID, typ, before string) (contact, error) {
	l, err := n.Listings.Get(ctx, m.ID, listingID)
	if errors.Is(err, listing.ErrNotFound) {
		return contact{number: before, language: m.Language}, nil
	}
	if err != nil {
		return contact{}, err
	}
	c := contact{number: l.Merve.WhatsApp, language: cmp.Or(l.Merve.Language, m.Language)}
	if i := slices.IndexFunc(l.Merve.Actions, func(a listing.Action) bool { return a.Type == typ }); i >= 0 {
		c.number = l.Dispatch(l.Merve.Actions[i])
	}
	c.action, _ = l.Action(typ)
	return c, nil
}

// toBusiness sends a letter to a business once. A business that has no number by now is not told, and the customer and the
// operators are.
func (n *Notifier) toBusiness(ctx context.Context, m *market.Market, l outbox.Letter) error {
	msg := n.message(ctx, m, l)
	if msg.To == "" {
		msg.Error = "the business has no number"
		return errors.Join(n.Alert(ctx, msg), n.TellUntold(ctx, msg))
	}
	if err := n.Outbox.PutOnce(ctx, msg); err != nil {
		return fmt.Errorf("notify %s: %w", l.ID, err)
	}
	return nil
}

// message is a letter to the business with its number.
func (n *Notifier) message(ctx context.Context, m *market.Market, l outbox.Letter) outbox.Message {
	l.Kind, l.Thread = outbox.ToBusiness, businessThread(m, l.To)
	return n.Outbox.Letter(ctx, m, l)
}

// businessUntold is the kind of the notice that a business could not be told.
const businessUntold = "business_untold"

// TellUntold tells a customer that a message about them did not reach the business. It does so once for each message,
// however many pieces the message had.
func (n *Notifier) TellUntold(ctx context.Context, m outbox.Message) error {
	if m.Customer == "" {
		return nil
	}
	head, err := n.Threads.Head(ctx, m.Customer)
	if errors.Is(err, thread.ErrNoThread) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("notify of %s: %w", m.ID, err)
	}
	vars := wording.Vars{"code": m.About}
	if relay.IsTalk(m.About) { // the customer knows no code of a talk
		vars["code"] = ""
	}
	err = n.Threads.Tell(ctx, m.Customer, "untold."+m.Whole(), thread.Notice{
		Kind: businessUntold, Text: wording.Say(head.Language, wording.BusinessUntold, vars), Vars: vars,
	})
	if err != nil {
		return fmt.Errorf("notify of %s: %w", m.ID, err)
	}
	return nil
}

// businessThread is the thread on which the messages of a business's number arrive.
func businessThread(m *market.Market, number string) string {
	return thread.ID(m.ID, channel.Ops, "", channel.OfNumber(number).Key())
}

// customer tells the customer on their own thread, by a turn of it.
func (n *Notifier) customer(ctx context.Context, e ledger.Event, notice thread.Notice) error {
	tx := e.Transaction
	if tx.Thread == "" {
		return nil
	}
	return n.Threads.Tell(ctx, tx.Thread, key(e, notice.Kind, tx.Owner), notice)
}

// key lets a notification exist once.
func key(e ledger.Event, typ, recipient string) string {
	return outbox.LetterID(recipient, e.Transaction.ID, e.ID, typ)
}
