// Package appointment lets callers use a technician's calendar: they look at their appointments and at free
// times, and make, move and cancel visits. An appointment is a transaction of the ledger: the technician is its
// offering, the service its listing, and the customer of package customer owns it, never the chat that it was made in.
//
// Each workflow has two steps. First a list is shown, and then the model names the number of an option. The
// backend finds that option on the last list that the call session was shown, so that no model can make a time up, and
// nobody picks from a list that they have not seen. Then the gate asks about exactly that option: [Confirm], [Move] and
// [Cancel] prepare the ledger's writes, which the turn commits with its answer.
//
// Table catalog:
//
//	visits#{market}   service#{id}      a [Service]
//	visits#{market}   technician#{id}   a [Technician]
//
// Table conversations:
//
//	{thread}          shown#{hash of call session}#{list}   a list that the session was shown last; gone with the thread
//
// Facets of the contract that it does without:
//
//   - No held: an appointment is a transaction, which the ledger exports and erases.
//   - No events: the ledger tells of appointments.
//   - No sweep: the ledger lets held times go.
//   - No commands: no technician is asked to answer.
//   - No codes: no technician is asked to answer.
package appointment

import (
	"errors"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/record/ledger"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// The kinds of pending action that this package settles. They are stored with the question.
const (
	ConfirmKind = "confirm_appointment" // a time that is held
	MoveKind    = "move_appointment"    // a time that is held for an appointment, which it replaces
	CancelKind  = "cancel_appointment"  // an appointment that is to be cancelled
)

// Summary describes an appointment in one line: the service, who comes, when, where, at what price and with which note.
func Summary(lang string, tx ledger.Transaction) string {
	price := ""
	if tx.PriceMinor > 0 {
		price = wording.Money(lang, tx.PriceMinor, tx.Currency)
	}
	return wording.Say(lang, wording.AppointmentSummary, wording.Vars{
		"service": tx.ListingName, "technician": tx.OfferingName, "when": when(lang, tx.Terms),
		"place": wording.Quote(lang, tx.Place), "price": price, "note": wording.Quote(lang, tx.Note),
	})
}

// when words the time of a visit in the zone of its technician.
func when(lang string, t ledger.Terms) string {
	loc := schedule.Zone(t.TimeZone)
	return wording.When(lang, t.Start.In(loc), t.End.In(loc))
}

// moved describes the move of an appointment in one line: the new terms, and the current time.
func moved(lang string, old, held ledger.Transaction) string {
	return wording.Say(lang, wording.MoveSummary, wording.Vars{"summary": Summary(lang, held), "before": when(lang, old.Terms)})
}

// Card describes an appointment for clients to show.
func Card(lang string, tx ledger.Transaction) tool.Card {
	c := tool.Card{
		"type": "booking", "transactionId": tx.ID, "code": tx.Code, "title": tx.ListingName, "subtitle": tx.OfferingName,
		"when": when(lang, tx.Terms), "status": string(tx.State),
	}
	if tx.PriceMinor > 0 {
		c["price"] = map[string]any{"amount": tx.PriceMinor, "currency": tx.Currency}
	}
	return c
}

// Question puts a held time to the caller.
func Question(lang string, tx ledger.Transaction) tool.Proposal {
	return tool.Proposal{Kind: ConfirmKind, Ref: tx.ID, Hash: tx.OfferHash, Summary: Summary(lang, tx), ExpiresAt: tx.HoldExpiresAt}
}

// MoveQuestion puts a time to the caller that is held for an appointment.
func MoveQuestion(lang string, old, held ledger.Transaction) tool.Proposal {
	q := Question(lang, held)
	q.Kind, q.Summary = MoveKind, moved(lang, old, held)
	return q
}

// CancelQuestion asks whether an appointment is to be cancelled, by a time.
func CancelQuestion(lang string, tx ledger.Transaction, now, by time.Time) tool.Proposal {
	return tool.Proposal{Kind: CancelKind, Ref: tx.ID, Hash: ledger.CancelHash(tx, now), Summary: Summary(lang, tx), ExpiresAt: by}
}

// standsAlready words the error that a held time is an appointment already; "" is any other error, or none.
func standsAlready(lang string, err error) string {
	var done *ledger.AlreadyConfirmed
	if !errors.As(err, &done) {
		return ""
	}
	tx := done.Transaction
	return wording.Say(lang, wording.BookingAlreadyConfirmed, wording.Vars{"summary": Summary(lang, tx), "code": tx.Code})
}

// gone reports whether the ledger refused the prepared writes because the appointment has changed.
func gone(err error) bool { return ledger.Refused(err) || fault.Is(err, fault.NotFound) }
