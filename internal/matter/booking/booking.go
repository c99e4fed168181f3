// Package booking lets customers use the ledger: it holds the tools a model calls to book, move and cancel
// for them, the waiting list, reminders, and the wording of all these.
//
// Tools only propose. A [gate.Commitment] of this package settles the customer's answer, one for
// each kind of question: [Confirm], [Move] and [Cancel]. Each prepares ledger writes, which the turn
// commits together with its answer. [Payments] asks for what is due and settles it.
//
// This package also keeps these items in table ledger:
//
//	wait#{business}:{offering}   {start}#{since}#{id}   a [Wish], by what is wished for
//	waiting#{owner}              {start}#{id}           the same, by whose it is
//	reminder#{transaction}       reminder               when to remind, and in which chat (see [Reminders])
//
// Facets of the contract that it does without:
//
//   - No events: the ledger tells of bookings.
//   - No commands: a business is told of a booking and not asked to take it.
//   - No codes: a business is told of a booking and not asked to take it.
package booking

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// The kinds of pending action that this package settles. They are stored with the question.
const (
	ConfirmKind    = "confirm_transaction"    // an offer that is held
	CancelKind     = "cancel_transaction"     // a booking that is to be cancelled
	RescheduleKind = "reschedule_transaction" // an offer that is held for a booking, which it replaces
)

// Summary is one line about a transaction: what, when, for how many, at what price and with which wish.
func Summary(lang string, tx ledger.Transaction) string {
	return wording.Say(lang, wording.BookingSummary, Vars(lang, tx))
}

// When words a transaction's time, in its own zone.
func When(lang string, tx ledger.Transaction) string {
	loc := schedule.Zone(tx.TimeZone)
	return wording.When(lang, tx.Start.In(loc), tx.End.In(loc))
}

func party(tx ledger.Transaction) string { return strconv.Itoa(tx.Party) }

// customer returns the name of the person who comes and the number to reach them.
func customer(lang string, tx ledger.Transaction) string {
	return strings.Trim(wording.Quote(lang, tx.CustomerName)+" · "+tx.CustomerPhone, " ·")
}

func price(lang string, tx ledger.Transaction) string {
	if tx.PriceMinor == 0 {
		return ""
	}
	return wording.Money(lang, tx.PriceMinor, tx.Currency)
}

// Vars are the variables of templates about a transaction.
func Vars(lang string, tx ledger.Transaction) wording.Vars {
	return wording.Vars{
		"code": tx.Code, "listing": tx.ListingName, "offering": tx.OfferingName, "when": When(lang, tx),
		"party": party(tx), "customer": customer(lang, tx), "price": price(lang, tx), "note": wording.Quote(lang, tx.Note),
	}
}

// Card describes a transaction for clients to show.
func Card(lang string, tx ledger.Transaction) tool.Card {
	c := tool.Card{
		"type": "booking", "transactionId": tx.ID, "code": tx.Code, "title": tx.ListingName, "subtitle": tx.OfferingName,
		"when": When(lang, tx), "party": tx.Party, "status": string(tx.State),
	}
	if tx.PriceMinor != 0 {
		c["price"] = map[string]any{"amount": tx.PriceMinor, "currency": tx.Currency}
	}
	return c
}

// Confirm settles offers (kind [ConfirmKind]): YES books, NO lets the offer go.
type Confirm struct{ Ledger *ledger.Ledger }

// Describe asks for the YES.
func (c Confirm) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.ConfirmPrompt, wording.Vars{
		"summary": p.Summary, "until": wording.Until(tc.Language, gate.AnswerBy(p).In(tc.TimeZone), tc.Now.In(tc.TimeZone)),
	})
}

// Does implements [gate.Commitment].
func (Confirm) Does() gate.Deed { return gate.Books }

// Commit prepares the confirmation.
func (c Confirm) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	p := consent.Pending
	ws, tx, err := c.Ledger.ConfirmWrites(ctx, tc.Actor, p.Ref, p.Hash, consent.Receipt(tc.TraceID), p.ID)
	if err != nil {
		return c.refusedAtOnce(tc.Language, err)
	}
	return gate.Settled{
		Text:    wording.Say(tc.Language, wording.BookingConfirmed, wording.Vars{"summary": Summary(tc.Language, tx), "code": tx.Code}),
		Cards:   []tool.Card{Card(tc.Language, tx)},
		Writes:  ws,
		Stands:  stands(tc, tx),
		Refused: func(err error) (string, bool) { return refusal(tc.Language, err) },
	}, nil
}

func (c Confirm) refusedAtOnce(lang string, err error) (gate.Settled, error) {
	text, ok := refusal(lang, err)
	if !ok {
		return gate.Settled{}, err
	}
	return gate.Settled{Text: text}, nil
}

// Release lets an offer go.
func (c Confirm) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	return letGo(ctx, c.Ledger, tc, p, wording.BookingReleased)
}

// letGo prepares to let an offer go and to say so, unless it has been booked meanwhile, as a payment does.
func letGo(ctx context.Context, l *ledger.Ledger, tc tool.Context, p thread.Pending, say wording.Key) (gate.Settled, error) {
	ws, _, err := l.ReleaseWrites(ctx, tc.Actor, p.Ref, ledger.ReasonCustomer, p.ID)
	if text := standsAlready(tc.Language, err); text != "" {
		return gate.Settled{Text: text, Late: text}, nil
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return gate.Settled{}, err
	}
	return gate.Settled{
		Text: wording.Say(tc.Language, say, nil), Writes: ws,
		Refused: func(err error) (string, bool) { return standsAlready(tc.Language, err), ledger.Refused(err) }, // or it is gone already
	}, nil
}

// standsAlready words the error that an offer is booked already; "" is any other error, or none.
func standsAlready(lang string, err error) string {
	var done *ledger.AlreadyConfirmed
	if !errors.As(err, &done) {
		return ""
	}
	return wording.Say(lang, wording.BookingAlreadyConfirmed, wording.Vars{"summary": Summary(lang, done.Transaction), "code": done.Transaction.Code})
}

// refusal words why a YES was not carried out; ok is false for errors that are no refusal. Only where the
// offer had been booked before does a booking stand.
func refusal(lang string, err error) (text string, ok bool) {
	switch booked := standsAlready(lang, err); {
	case booked != "":
		return booked, true
	case errors.Is(err, ledger.ErrOfferChanged), errors.Is(err, ledger.ErrKeyReused):
		return wording.Say(lang, wording.OfferChanged, nil), true
	case ledger.Refused(err), fault.Is(err, fault.NotFound):
		return wording.Say(lang, wording.HoldGone, nil), true
	}
	return "", false
}

// Cancel settles proposals to cancel a booking (kind [CancelKind]): YES cancels it, NO keeps it.
type Cancel struct {
	Ledger   *ledger.Ledger
	Payments Payments
}

// Describe asks for the YES, and says what happens to the money already paid.
func (c Cancel) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.CancelPrompt, wording.Vars{"summary": p.Question()})
}

// and puts a sentence after a summary, if there is one.
func and(summary, sentence string) string {
	if sentence == "" {
		return summary
	}
	return summary + " · " + sentence
}

// Does implements [gate.Commitment].
func (Cancel) Does() gate.Deed { return gate.Cancels }

// Commit prepares the cancellation.
func (c Cancel) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	p := consent.Pending
	ws, tx, err := c.Ledger.CancelWrites(ctx, tc.Actor, p.Ref, p.Hash, p.ID)
	if err != nil {
		text, ok := cancelRefusal(tc.Language, p, err)
		if !ok {
			return gate.Settled{}, err
		}
		return gate.Settled{Text: text}, nil
	}
	money, err := refund(ctx, c.Payments, tc.Language, tx, tx.UpdatedAt)
	if err != nil {
		return gate.Settled{}, err
	}
	return gate.Settled{
		Text:    wording.Say(tc.Language, wording.BookingCancelled, wording.Vars{"summary": and(Summary(tc.Language, tx), money)}),
		Cards:   []tool.Card{Card(tc.Language, tx)},
		Writes:  ws,
		Stands:  stands(tc, tx),
		Refused: func(err error) (string, bool) { return cancelRefusal(tc.Language, p, err) },
	}, nil
}

// Release keeps the booking.
func (c Cancel) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	about := wording.Vars{"summary": p.Summary}
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.CancelKept, about), Late: wording.Say(tc.Language, wording.CancelRefused, about), Writes: []dynamo.Write{},
	}, nil
}

func cancelRefusal(lang string, p thread.Pending, err error) (string, bool) {
	switch {
	case errors.Is(err, ledger.ErrCancelled):
		return wording.Say(lang, wording.BookingAlreadyCancelled, wording.Vars{"summary": p.Summary}), true
	case ledger.Refused(err), fault.Is(err, fault.NotFound):
		return wording.Say(lang, wording.CancelRefused, wording.Vars{"summary": p.Summary}), true
	}
	return "", false
}
