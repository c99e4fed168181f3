// Package taxi is a small dispatch platform. Customers order rides; all drivers of the district are asked at once; the first
// to answer YES with the ride's code gets it; and everybody hears what becomes of it.
//
// A ride is proposed until its customer says YES, which requests it: it is offered to up to [MaxOffers] drivers who are on,
// free and have the seats. When nobody takes it for a minute, more districts are asked, [MaxAttempts] times in all; then
// it is unserved. A driver who cancels makes it requested again, and is not asked again. The conditions of the writes hold
// all of this for every caller: a ride has one driver, a driver has one ride, a customer has one open ride in a market, and
// a code stands for one open ride of a market.
//
// Nobody sees or changes the rides of others: the owner is part of a ride's key, so a foreign id does not exist.
//
// In table records:
//
//	rides#{owner}             ride#{id}                       the ride; in index due while time changes it,
//	                                                          in index listed once it is ordered
//	rides#{owner}             event#{id}#{type}#{attempt}     what was done with it, once each; unserved in listed
//	rides#{owner}             open#{market}                   the latest ordered ride, and whether it is open
//	rides#{owner}             forget#{id}                     marks it to be deleted once it is over, in index due
//	codes#{market}            code#{code}                     which ride has the code; goes with its end
//	driver#{market}#{driver}  offer#{code}                    offered to the driver, in which attempt
//	driver#{market}#{driver}  active                          the ride that the driver has
//
// and in table catalog:
//
//	drivers#{market}          driver#{id}                     the driver
//	drivers#{market}          phone#{E.164}                   whose number it is
//	available#{market}        {district}#driver#{id}          for each district, while the driver is on
//
// Each change is one transaction with an event under a key that lets it exist once.
//
// A proposal takes a token of its customer's bounds (package bound), which its YES keeps for a day.
//
// Requests, without that of the turn which a YES or a driver's word joins:
//
//	customer   propose 3, 1 more with an address, and 1 more when repeated; YES 3, for a later time 1; NO 1; cancel 1;
//	           status 2, by id 1
//	driver     an answer 4; ON and OFF 2; a CANCEL after which others are asked 6
//	sweep      16, 1 for each hundred rides due, 1 for each ride, and 2 more for each that is offered; to delete one 5,
//	           and 1 for each message about it
//	staff      a list 2; the open rides 1, and 1 for each hundred; the events of one 1; to cancel it 2
//
// Each further district that is asked takes 1 more.
//
// Facets of the contract that it does without:
//
//   - No looks: a proposed ride rests on nothing that may change before its YES.
package taxi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/ident"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
)

// Status is the state of a ride.
type Status string

const (
	Proposed  Status = "proposed"  // waits for its customer's YES; nobody else knows of it
	Requested Status = "requested" // ordered, and offered to drivers or going to be
	Assigned  Status = "assigned"  // a driver is on the way
	Arrived   Status = "arrived"   // the driver is there
	Done      Status = "done"      // the driver says so, or says nothing for hours
	Cancelled Status = "cancelled" // by the customer, or by staff
	Unserved  Status = "unserved"  // nobody took it
	Released  Status = "released"  // a proposal that got NO
	Expired   Status = "expired"   // a proposal that ran out
)

// Open reports whether a ride that was ordered is not over yet.
func (s Status) Open() bool { return s == Requested || s == Assigned || s == Arrived }

// Bounds of dispatching.
const (
	MaxOffers   = 25               // drivers asked in one attempt
	MaxAttempts = 3                // broadcasts of a ride
	OfferFor    = time.Minute      // how long drivers have to answer, unless the market says otherwise
	Ahead       = 20 * time.Minute // how long before a later ride its drivers are asked

	closeAfter = 6 * time.Hour   // a ride whose driver never says DONE counts as done
	slack      = 2 * time.Minute // how long an offer may stay open after its time: until the sweep's next minute, and a little more
	offerTTL   = 2 * time.Hour
)

// Limits of an order. Lengths are in characters.
const (
	MaxAddress    = 256
	MaxNote       = 300
	maxPassengers = 16
	maxName       = 60
	maxDistrict   = 60
	maxAhead      = 30 * 24 * time.Hour
	soon          = 5 * time.Minute // an earlier time is now

	maxKey = 255 // bytes of an idempotency key
)

// Taker is a ride's driver, as of when they took it.
type Taker struct {
	ID      string `dynamodbav:"id"`
	Name    string `dynamodbav:"name"`
	Phone   string `dynamodbav:"phone"` // E.164
	Vehicle string `dynamodbav:"vehicle,omitempty"`
	Plate   string `dynamodbav:"plate,omitempty"`
}

// Ride is a taxi ride, from its proposal to its end.
type Ride struct {
	ID            string        `dynamodbav:"id"`
	Owner         string        `dynamodbav:"owner"` // actor key
	Market        string        `dynamodbav:"market"`
	Thread        string        `dynamodbav:"thread"` // the customer's
	Code          string        `dynamodbav:"code"`   // how drivers name it
	Status        Status        `dynamodbav:"status"`
	Pickup        geo.Spot      `dynamodbav:"pickup"`
	Dropoff       *geo.Spot     `dynamodbav:"dropoff,omitempty"`
	District      string        `dynamodbav:"district,omitempty"` // of the pickup; "" is not known
	Passengers    int           `dynamodbav:"passengers"`
	When          time.Time     `dynamodbav:"when"` // zero is now
	TimeZone      string        `dynamodbav:"timeZone"`
	Note          string        `dynamodbav:"note,omitempty"` // for the driver
	Language      string        `dynamodbav:"language"`       // the customer's
	CustomerName  string        `dynamodbav:"customerName,omitempty"`
	CustomerPhone string        `dynamodbav:"customerPhone,omitempty"` // E.164
	Policy        int           `dynamodbav:"policy"`                  // market version it was proposed under
	Bounds        []string      `dynamodbav:"bounds,omitempty"`        // tokens of bounds (package bound), while it is proposed
	Hash          string        `dynamodbav:"hash"`                    // of what the customer is asked
	ExpiresAt     time.Time     `dynamodbav:"expiresAt"`               // of the proposal
	Receipt       *gate.Receipt `dynamodbav:"receipt,omitempty"`

	Driver   *Taker   `dynamodbav:"driver,omitempty"`
	Attempt  int      `dynamodbav:"attempt"`            // broadcasts so far
	Offered  []string `dynamodbav:"offered,omitempty"`  // drivers asked in this attempt
	Excluded []string `dynamodbav:"excluded,omitempty"` // drivers not to be asked again: they said NO or cancelled

	CreatedAt   time.Time `dynamodbav:"createdAt"`
	RequestedAt time.Time `dynamodbav:"requestedAt"`
	AssignedAt  time.Time `dynamodbav:"assignedAt"`
	ArrivedAt   time.Time `dynamodbav:"arrivedAt"`
	EndedAt     time.Time `dynamodbav:"endedAt"`
	CancelledBy string    `dynamodbav:"cancelledBy,omitempty" json:"-"` // actor key of staff; "" is the customer
	UpdatedAt   time.Time `dynamodbav:"updatedAt"`
	DueAt       time.Time `dynamodbav:"dueAt"` // when the sweep looks at it
	Version     int       `dynamodbav:"version"`
}

// Errors that callers tell apart. What is not there, or not the caller's, is
// [actor.ErrNotFound].
var (
	ErrOpen        = fault.New(fault.Conflict, "the customer has an open taxi ride already: ask for its status, or cancel it first")
	errNotProposed = fault.New(fault.Conflict, "the proposal of this ride is over")
	ErrChanged     = fault.New(fault.Conflict, "the ride has changed meanwhile")
	ErrOver        = fault.New(fault.Conflict, "the ride is over")
	ErrDriving     = fault.New(fault.Conflict, "the driver has a ride that is not finished yet")
)

// Store keeps rides. Safe for concurrent use.
type Store struct {
	Table   dynamo.Table // records
	Drivers *Drivers
	Bounds  *bound.Book  // on how many rides one customer may order; nil sets none
	Rows    *thread.Rows // of what stands in conversations; nil writes none
	Now     func() time.Time

	// OfferFor says how long the drivers of a market have to answer; nil is [OfferFor].
	OfferFor func(market string) time.Duration
	// Neighbours are the districts that are asked together with one where nobody answered; nil asks all districts of
	// the market.
	Neighbours func(ctx context.Context, market, district string) ([]string, error)
	// AlsoErase, if not nil, erases what others keep of a ride that is deleted after its end. It may be called any number
	// of times.
	AlsoErase func(ctx context.Context, r Ride) error

	due string // kind of due work; tests set it to sweep only their own
}

const dueKind = "ride"

func (s *Store) dueKind() string {
	if s.due == "" {
		return dueKind
	}
	return s.due
}

func (s *Store) offerFor(market string) time.Duration {
	if s.OfferFor == nil {
		return OfferFor
	}
	return s.OfferFor(market)
}

// now is the time with the precision of the table.
func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// The keys. They are part of the data model.

const (
	ownerPrefix  = "rides#"
	forgetPrefix = "forget#"
)

func rideKey(owner, id string) dynamo.Key {
	return dynamo.Key{PK: ownerPrefix + owner, SK: "ride#" + id}
}
func openKey(owner, market string) dynamo.Key {
	return dynamo.Key{PK: ownerPrefix + owner, SK: "open#" + market}
}
func forgetKey(owner, id string) dynamo.Key {
	return dynamo.Key{PK: ownerPrefix + owner, SK: forgetPrefix + id}
}
func codeKey(market, code string) dynamo.Key {
	return dynamo.Key{PK: "codes#" + market, SK: "code#" + code}
}
func deskPK(market, driver string) string { return "driver#" + market + "#" + driver }
func offerKey(market, driver, code string) dynamo.Key {
	return dynamo.Key{PK: deskPK(market, driver), SK: "offer#" + code}
}
func activeKey(market, driver string) dynamo.Key {
	return dynamo.Key{PK: deskPK(market, driver), SK: "active"}
}

// idPrefix begins the id of every ride.
const idPrefix = "rd_"

// newID is the id of the ride that an owner's key makes: the same key makes the same ride.
func newID(owner, key string) string { return ident.New(idPrefix, "ride", owner, key) }

// isID reports whether id has the form of a ride's. Others are not looked up.
func isID(id string) bool { return ident.Is(idPrefix, id) }

// OfferHash is the hash of what a customer is asked to confirm.
func OfferHash(r Ride) (string, error) {
	b, err := json.Marshal([]any{
		r.ID, r.Owner, r.Market, r.Pickup, r.Dropoff, r.District, r.Passengers, r.When.UnixMilli(), r.Note, r.CustomerPhone, r.Policy, r.ExpiresAt.UnixMilli(),
	})
	if err != nil {
		return "", fmt.Errorf("taxi: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// mine checks that a ride found under one of the owner's keys is of the market.
func mine(r *Ride, market string) error {
	if r == nil || market != "" && r.Market != market {
		return actor.ErrNotFound
	}
	return nil
}
