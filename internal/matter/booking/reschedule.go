package booking

import (
	"cmp"
	"context"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// moved describes the move of a booking in one line: the new terms, and the current ones where they differ.
func moved(lang string, old, held ledger.Transaction) string {
	vars := MoveVars(lang, old, held)
	vars["summary"] = wording.Say(lang, wording.BookingSummary, vars)
	return wording.Say(lang, wording.MoveSummary, vars)
}

// MoveVars returns the template variables of a moved booking: those of the new one, and the old time and number
// of people where these change.
func MoveVars(lang string, old, moved ledger.Transaction) wording.Vars {
	vars := Vars(lang, moved)
	if old.Party != moved.Party {
		vars["party"] = party(old) + " → " + party(moved)
	}
	if !old.Start.Equal(moved.Start) || !old.End.Equal(moved.End) {
		vars["before"] = When(lang, old)
	}
	return vars
}

// Move settles proposals to move a booking (kind [RescheduleKind]): YES moves it, NO keeps it.
type Move struct {
	Ledger   *ledger.Ledger
	Payments Payments
}

// Describe asks for the YES.
func (m Move) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.MovePrompt, wording.Vars{
		"summary": p.Summary, "until": wording.Until(tc.Language, gate.AnswerBy(p).In(tc.TimeZone), tc.Now.In(tc.TimeZone)),
	})
}

// Does implements [gate.Commitment].
func (Move) Does() gate.Deed { return gate.Keeps }

// Commit prepares the new booking and the end of the old one.
func (m Move) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	p := consent.Pending
	ws, after, old, err := m.Ledger.MoveWrites(ctx, tc.Actor, p.Ref, p.Hash, consent.Receipt(tc.TraceID), p.ID)
	if err != nil {
		if _, ok := m.refusal(tc.Language, p, err); !ok {
			return gate.Settled{}, err
		}
		return m.letGo(ctx, tc, p)
	}
	money, err := refund(ctx, m.Payments, tc.Language, old, after.UpdatedAt)
	if err != nil {
		return gate.Settled{}, err
	}
	return gate.Settled{
		Text:    wording.Say(tc.Language, wording.BookingMoved, wording.Vars{"summary": and(Summary(tc.Language, after), money), "code": after.Code}),
		Cards:   []tool.Card{Card(tc.Language, after)},
		Writes:  ws,
		Stands:  stands(tc, after),
		Refused: func(err error) (string, bool) { return m.refusal(tc.Language, p, err) },
	}, nil
}

// letGo lets the new time go when the booking cannot be moved to it.
func (m Move) letGo(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	s, err := m.Release(ctx, tc, p)
	s.Text = s.Late
	return s, err
}

// Release keeps the booking as it is.
func (m Move) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	s, err := letGo(ctx, m.Ledger, tc, p, wording.BookingUnmoved)
	s.Late = cmp.Or(s.Late, wording.Say(tc.Language, wording.MoveRefused, nil))
	return s, err
}

func (m Move) refusal(lang string, _ thread.Pending, err error) (string, bool) {
	if ledger.Refused(err) || fault.Is(err, fault.NotFound) {
		return wording.Say(lang, wording.MoveRefused, nil), true
	}
	return "", false
}

func (b *Booker) rescheduleTool() tool.Tool {
	return tool.New(moveTool,
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
		ListingID: old.Listing, OfferingID: &old.Offering, Date: a.Date, Time: a.Time, EndDate: a.EndDate,
		PartySize: a.PartySize, Note: &old.Note,
	}
	if asked.PartySize == nil {
		asked.PartySize = &old.Party
	}
	item, party, err := b.sought(ctx, tc, moveTool, asked)
	if err != nil {
		return tool.Result{}, err
	}
	when, err := item.Offering.Find(tc.Now, asked.Date, tool.Value(asked.Time), tool.Value(asked.EndDate))
	if err != nil {
		return b.refusal(ctx, tc, item, asked, err)
	}
	if when.Start.Equal(old.Start) && when.End.Equal(old.End) && party == old.Party {
		return tool.Result{}, fault.New(fault.Conflict, "it is booked for just that: there is nothing to change")
	}
	tc.Contact.Phone = old.CustomerPhone
	terms, err := owed(ctx, b.Ledger, termsOf(tc, item, when, party, old.Note), item.Offering, tc.Actor.Keys())
	if err != nil {
		return tool.Result{}, err
	}
	terms.Replaces = old.ID
	// If the customer has had everything deleted, we forget them once the booking is over, even if it moves.
	offer := ledger.Transaction{Terms: terms, Code: old.Code, Forget: old.Forget}
	held, err := b.Ledger.OfferUntil(ctx, offer, item.Offering.Capacity, holdFor(tc, terms), by, tc.Key)
	if err != nil {
		return b.refusal(ctx, tc, item, asked, err)
	}
	q, err := MoveQuestion(ctx, b.Payments, tc.Language, old, held)
	if err != nil {
		return tool.Result{}, err
	}
	return b.proposal(tc, held, q), nil
}

// minMove is the least time for which something is held for an answer. Nobody can answer in less.
const minMove = time.Minute

// moveBy returns until when a booking can be given up for another time. A booking with a price can be moved
// only while everything that may have been paid for it, due or not, comes back; one without a price until it
// is over.
func (b *Booker) moveBy(old ledger.Transaction) (time.Time, error) {
	if old.PriceMinor == 0 {
		return old.End, nil
	}
	free := old.FreeUntil()
	switch left := free.Sub(now(b.Ledger)); {
	case left <= 0:
		return free, fault.New(fault.Conflict, "what is paid for it comes back no more, and it could be moved for nothing until %s: only the business can move it now; offer askForPerson", local(free, old.TimeZone))
	case left < minMove:
		return free, fault.New(fault.Conflict, "it can be moved for nothing until %s, which is too soon: only the business can move it now; offer askForPerson", local(free, old.TimeZone))
	}
	return free, nil
}
