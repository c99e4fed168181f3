// Package ledger keeps commitments: transactions, their locks on slots, their events, and the receipts of the
// YES that confirmed them. It knows neither tools nor questions. Packages booking and payment ask the customer,
// and commit what the ledger prepares (settle.go) together with their answer.
//
// rules.go has all rules in one table, from which both the checks and the conditions of the writes come. Each
// operation (draft, hold, confirm, release, expire, mark, take back) is one TransactWriteItems: the change of
// state on condition of the old one, the locks on condition of their owner, and the event, which exists once and
// carries the operation's idempotency key and result. The key of a draft or an offer has a record of its own that
// leads to what it made. So a slot never has more holds or confirmations than tokens. An operation that is
// repeated, or whose answer was lost, happens once and gives the same result. And a stored time counts, not
// whether the row is still there.
//
// [Ledger] is what others call. It works with smaller objects on the same table: slots (the locks of offerings),
// changes (what an operation changes), writer (each change written once), reader (transactions as stored), audit
// (the invariants) and [HeldBookings] (a person's data).
//
// Table ledger:
//
//	tx#{id}                        tx                     the transaction
//	tx#{id}                        event#{state}          what happened to it, once; key, payload hash and result
//	tx#{id}                        receipt                the YES that confirmed it
//	idem#tx_draft:{business}:{key} idem                   what the key made: payload hash, result, ttl
//	{business}:offering:{offering}:{YYYY-MM-DD}   {HH:MM}:token:{NNN}   a lock (UTC; of a night its local date, 00:00): one query reads a day
//	noshow#{business}#{owner}      {start}#{transaction}  a booking to which nobody came
//
// A booking, and a hold that waits to be paid, has a row in its conversation (package thread). Both have tokens of
// their customer's bounds (package bound). Rows and tokens change in the same transaction as the booking.
//
// A transaction that has been held is in the indexes owner and business, by creation time. In the sparse index
// due it has the kind "hold" while it is held, and is due when the hold ends. After each change it has the kind
// "audit" until the checkers have seen it, or, when its customer has had everything deleted, until it is over
// and forgotten.
//
// The keys of operations are tx_draft:{business}:{key} and tx_hold:, tx_confirm:,
// tx_release:, tx_noshow:, tx_came:{transaction}:{key}.
package ledger

import (
	"context"
	"crypto/sha256"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/spine/thread"
)

// Ledger reads and writes the table ledger. Safe for concurrent use.
type Ledger struct {
	Table dynamo.Table
	Now   func() time.Time
	NewID func() string // of transactions: letters, digits, dashes

	Alerts *alert.Store // what the checkers find
	Bounds *bound.Book  // on what one customer may hold and have booked; nil sets none
	Rows   *thread.Rows // of what stands in conversations; nil writes none

	// AlsoForget, if not nil, forgets what others keep of a transaction that was marked to be forgotten. It may be
	// called any number of times.
	AlsoForget func(ctx context.Context, tx Transaction) error

	// Rand returns a number below n; it spreads contenders over tokens. Nil is math/rand.
	Rand func(n int) int
}

// State is where a transaction stands.
type State string

const (
	Draft     State = "draft"     // worded, nothing taken
	Hold      State = "hold"      // its slots are taken until HoldExpiresAt
	Confirmed State = "confirmed" // its owner said YES
	Cancelled State = "cancelled" // let go, before or after the YES
	Expired   State = "expired"   // no YES came in time
	NoShow    State = "no_show"   // confirmed, and nobody came

	// Came is the type of an event, not a state: the mark that nobody came was taken back, and the transaction is
	// confirmed again.
	Came State = "came"
)

// Terms are what a transaction is about. They never change.
type Terms struct {
	Business        string      `dynamodbav:"business" json:"business"`
	Listing         string      `dynamodbav:"listing" json:"listing"`
	ListingName     string      `dynamodbav:"listingName" json:"listingName"`
	Offering        string      `dynamodbav:"offering" json:"offering"`
	OfferingName    string      `dynamodbav:"offeringName" json:"offeringName"`
	Merchant        string      `dynamodbav:"merchant,omitempty" json:"-"` // whom to tell: WhatsApp number, E.164
	Market          string      `dynamodbav:"market" json:"market"`
	Owner           string      `dynamodbav:"owner" json:"-"` // actor key
	Thread          string      `dynamodbav:"thread,omitempty" json:"thread,omitempty"`
	Channel         string      `dynamodbav:"channel,omitempty" json:"channel,omitempty"`
	Start           time.Time   `dynamodbav:"start" json:"start"`
	End             time.Time   `dynamodbav:"end" json:"end"`
	Slots           []time.Time `dynamodbav:"slots" json:"slots"` // starts, whole minutes in UTC; the local dates of nights, as midnight UTC
	Nights          int         `dynamodbav:"nights,omitempty" json:"nights,omitempty"`
	TimeZone        string      `dynamodbav:"timeZone" json:"timeZone"`
	Party           int         `dynamodbav:"party" json:"party"`
	PriceMinor      int64       `dynamodbav:"priceMinor" json:"priceMinor"`
	DueMinor        int64       `dynamodbav:"due,omitempty" json:"dueMinor,omitempty"`               // of the price, to be paid before it can be confirmed
	RefundUntil     time.Time   `dynamodbav:"refundUntil" json:"refundUntil,omitzero"`               // what was paid is given back when it is cancelled before
	LateRefundMinor int64       `dynamodbav:"lateRefund,omitempty" json:"lateRefundMinor,omitempty"` // of what is due, given back when it is cancelled later, or nobody comes
	Missed          int         `dynamodbav:"missed,omitempty" json:"missed,omitempty"`              // bookings there that the owner did not come to, which is why this much is due
	Currency        string      `dynamodbav:"currency" json:"currency"`
	Replaces        string      `dynamodbav:"replaces,omitempty" json:"replaces,omitempty"` // the booking that is given up for this one
	Note            string      `dynamodbav:"note,omitempty" json:"note,omitempty"`
	CustomerName    string      `dynamodbav:"customerName,omitempty" json:"customerName,omitempty"`
	CustomerPhone   string      `dynamodbav:"customerPhone,omitempty" json:"customerPhone,omitempty"` // where the business wants one
	Language        string      `dynamodbav:"lang,omitempty" json:"language,omitempty"`
	Policy          int         `dynamodbav:"policy" json:"policyVersion"` // version of the market it was offered under
	Matter          Matter      `dynamodbav:"matter,omitempty" json:"matter,omitempty"`
	Place           string      `dynamodbav:"place,omitempty" json:"place,omitempty"` // of an appointment: where the technician comes to

	// Address stands for the customer's network address in bounds (see [bound.Address]). It is not one of the terms,
	// and not kept.
	Address string `dynamodbav:"-" json:"-"`

	// Longest is the longest that a booking ever took one of the offering's slots. Locks of an earlier calendar are
	// looked for that far back.
	Longest time.Duration `dynamodbav:"longest,omitempty" json:"-"`
}

// Matter is the kind of a transaction: "" is a booking.
type Matter string

// Appointment is a technician's visit: the technician is the offering, the service the listing.
const Appointment Matter = "appointment"

// Transaction is a booking or an appointment.
type Transaction struct {
	Terms
	ID            string    `dynamodbav:"id" json:"transactionId"`
	Code          string    `dynamodbav:"code" json:"code"` // short reference for people
	State         State     `dynamodbav:"state" json:"state"`
	HoldExpiresAt time.Time `dynamodbav:"holdExpiresAt" json:"holdExpiresAt,omitzero"`
	Locks         []string  `dynamodbav:"locks,omitempty" json:"locks,omitempty"`       // of the hold; kept as a record when they are let go
	Inherits      []string  `dynamodbav:"inherits,omitempty" json:"inherits,omitempty"` // while it is held: locks of the booking that it replaces, its own from the YES on
	Bounds        []string  `dynamodbav:"bounds,omitempty" json:"-"`                    // tokens that it has of bounds, while it is held or booked
	OfferHash     string    `dynamodbav:"offerHash,omitempty" json:"offerHash,omitempty"`
	Version       int       `dynamodbav:"version" json:"version"` // counts changes
	CreatedAt     time.Time `dynamodbav:"createdAt" json:"createdAt"`
	UpdatedAt     time.Time `dynamodbav:"updatedAt" json:"updatedAt"`
	ConfirmedAt   time.Time `dynamodbav:"confirmedAt" json:"confirmedAt,omitzero"`
	NoShowAt      time.Time `dynamodbav:"noShowAt" json:"noShowAt,omitzero"` // when it was marked; kept when that is taken back
	Forget        bool      `dynamodbav:"forget,omitempty" json:"-"`         // once it is over: its customer has had all deleted
}

// Seen is the state that counts: a hold whose time is over is expired, even before that has been written.
func (tx Transaction) Seen(now time.Time) State {
	if tx.State == Hold && !tx.HoldExpiresAt.After(now) {
		return Expired
	}
	return tx.State
}

// What an operation may meet.
var (
	ErrHoldGone         = fault.New(fault.Gone, "the hold has expired")
	ErrNotHeld          = fault.New(fault.Conflict, "nothing is held any more")
	errNotDraft         = fault.New(fault.Conflict, "only a draft can be held")
	errAlreadyConfirmed = fault.New(fault.Conflict, "already confirmed")
	ErrCancelled        = fault.New(fault.Conflict, "already cancelled")
	errNotDue           = fault.New(fault.Conflict, "the hold has not expired yet")
	ErrSlotTaken        = fault.New(fault.Conflict, "this time is taken")
	ErrOfferChanged     = fault.New(fault.Conflict, "the offer is not the one that was shown")
	ErrKeyReused        = fault.New(fault.Conflict, "this idempotency key was used with another payload")
	ErrUnpaid           = fault.New(fault.Conflict, "it is to be paid before it can be confirmed")
	ErrChanged          = fault.New(fault.Conflict, "the transaction has changed meanwhile")
)

// AlreadyConfirmed is [errAlreadyConfirmed] with the transaction.
type AlreadyConfirmed struct{ Transaction Transaction }

func (e *AlreadyConfirmed) Error() string { return errAlreadyConfirmed.Error() }
func (e *AlreadyConfirmed) Unwrap() error { return errAlreadyConfirmed }

// now is the time with the precision of the table, so that what is returned equals what is stored.
func (l *Ledger) now() time.Time { return stored(l.Now()) }

func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

func txKey(id string) dynamo.Key { return dynamo.Key{PK: txPrefix + id, SK: "tx"} }
func eventKey(id, e string) dynamo.Key {
	return dynamo.Key{PK: txPrefix + id, SK: event.Prefix + e}
}
func receiptKey(id string) dynamo.Key { return dynamo.Key{PK: txPrefix + id, SK: receiptSK} }
func idemKey(key string) dynamo.Key   { return dynamo.Key{PK: "idem#" + key, SK: "idem"} }

const (
	txPrefix  = "tx#"
	receiptSK = "receipt"
)

// codeOf makes the short reference of a transaction.
func codeOf(id string) string {
	sum := sha256.Sum256([]byte("code:" + id))
	return ident.Booking.Of(sum[:])
}
