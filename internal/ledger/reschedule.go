package ledger

import (
	"context"
	"time"

	"merve/internal/actor"
	"merve/internal/dynamo"
	"merve/internal/fault"
	"merve/internal/tool"
)

// RescheduleKind is the kind of a pending action that moves a booking: its reference is the new
// transaction, held, which names the one that it replaces.
const RescheduleKind = "reschedule_transaction"

func (b *Booker) rescheduleTool() tool.Tool {
	return tool.New("rescheduleBooking",
		"Move one of the customer's confirmed bookings to another time, or change the number of people, and ask them to confirm. The new time is held first; "+
			"the booking stays as it is until the customer says YES, and then both change at once. "+
			"When the time cannot be had, the error lists the nearest free ones: offer those.", tool.Propose, b.reschedule)
}

type rescheduleArgs struct {
	TransactionID string  `json:"transactionId" jsonschema:"id of the booking, as getMyBookings gave it"`
	Date          string  `json:"date" jsonschema:"new local date, YYYY-MM-DD; for a stay the day of arrival"`
	Time          *string `json:"time" jsonschema:"new local time, HH:MM; null for a stay"`
	EndDate       *string `json:"endDate" jsonschema:"new day of departure of a stay, YYYY-MM-DD; null otherwise"`
	PartySize     *int    `json:"partySize" jsonschema:"number of people; null for as before"`
}

func (b *Booker) reschedule(ctx context.Context, tc tool.Context, a rescheduleArgs) (tool.Result, error) {
	old, err := b.booked(ctx, tc, a.TransactionID)
	if err != nil {
		return tool.Result{}, err
	}
	by, err := b.moveBy(old)
	if err != nil {
		return tool.Result{}, err
	}
	asked := initiateArgs{
		ListingID: old.Listing, OfferingID: &old.Offering, Date: a.Date, Time: a.Time, EndDate: a.EndDate, PartySize: a.PartySize, Note: &old.Note,
	}
	if asked.PartySize == nil {
		asked.PartySize = &old.Party
	}
	item, err := b.find(ctx, tc, asked)
	if err != nil {
		return tool.Result{}, err
	}
	if err := item.Offering.CheckParty(*asked.PartySize); err != nil {
		return tool.Result{}, err
	}
	when, err := item.Offering.Find(tc.Now, asked.Date, tool.Value(asked.Time), tool.Value(asked.EndDate))
	if err != nil {
		return b.refusal(ctx, tc, item, asked, err)
	}
	if when.Start.Equal(old.Start) && when.End.Equal(old.End) && *asked.PartySize == old.Party {
		return tool.Result{}, fault.New(fault.Conflict, "it is booked for just that: there is nothing to change")
	}
	terms, err := b.owed(ctx, termsOf(tc, item, when, *asked.PartySize, old.Note), item.Offering, tc.Actor.Keys())
	if err != nil {
		return tool.Result{}, err
	}
	terms.Replaces = old.ID
	// What stays of who has had all deleted goes once it is over, at its new time, too.
	held, err := b.Ledger.OfferUntil(ctx, Transaction{Terms: terms, Forget: old.Forget}, item.Offering.Capacity, holdFor(tc, terms), by, tc.Key)
	if err != nil {
		return b.refusal(ctx, tc, item, asked, err)
	}
	res := b.proposal(tc, held)
	if held.DueMinor == 0 { // else it is paid, and moved by that
		res.Proposal.Kind = RescheduleKind
	}
	if res.Proposal.Summary, err = b.Moved(ctx, tc.Language, old, held); err != nil {
		return tool.Result{}, err
	}
	return res, nil
}

// minMove is how long a new time is held at least: nobody can answer in less.
const minMove = time.Minute

// moveBy is until when a booking can be given up for another time: until it is over, or while that is
// for nothing, when anything may have been paid for it, due or not.
func (b *Booker) moveBy(old Transaction) (time.Time, error) {
	if old.PriceMinor == 0 {
		return old.End, nil
	}
	free := old.FreeUntil()
	switch left := free.Sub(b.Ledger.now()); {
	case left <= 0:
		return free, fault.New(fault.Conflict, "what is paid for it comes back no more, and it could be moved for nothing until %s: only the business can move it now; offer askForPerson", local(free, old.TimeZone))
	case left < minMove:
		return free, fault.New(fault.Conflict, "it can be moved for nothing until %s, which is too soon: only the business can move it now; offer askForPerson", local(free, old.TimeZone))
	}
	return free, nil
}

// Mover commits what a YES to a new time does: the new booking and the end of the old one, all
// or nothing.
type Mover struct{ Ledger *Ledger }

// Writes prepares to confirm the held transaction on a YES to exactly its offer, and to cancel
// the booking that it replaces. The old one is returned, too, as it was.
func (m Mover) Writes(ctx context.Context, a actor.Actor, txID, offerHash string, r Receipt, key string) (ws []dynamo.Write, moved, old Transaction, err error) {
	ws, moved, err = Confirmer(m).Writes(ctx, a, txID, offerHash, r, key)
	if err != nil {
		return nil, moved, old, err
	}
	more, old, err := m.Instead(ctx, a, moved, key)
	if err != nil {
		return nil, moved, old, err
	}
	return append(ws, more...), moved, old, nil
}

// Instead prepares to cancel the booking that a transaction replaces, at the very moment at which
// that is confirmed: what was in time for the one is for the other. The locks that the new one inherits
// stay. It returns it as it was.
func (m Mover) Instead(ctx context.Context, a actor.Actor, moved Transaction, key string) (ws []dynamo.Write, old Transaction, err error) {
	if old, err = m.Ledger.Get(ctx, a, moved.Replaces); err != nil {
		return nil, old, err
	}
	kept, err := locksOf(moved)
	if err != nil {
		return nil, old, err
	}
	c, err := m.Ledger.releasing(old, Event{Actor: old.Owner, Reason: "customer"}, key, moved.UpdatedAt, kept...)
	if err != nil {
		return nil, old, err
	}
	return m.Ledger.writes(c), old, nil
}
