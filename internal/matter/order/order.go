// Package order keeps what customers order from businesses: food from a menu, a service, a viewing
// of a property. An order starts as a proposal that nobody else hears about. The customer's YES places it,
// the business is notified and answers, and the customer gets that answer.
//
//	proposed ─YES─► placed ─► accepted ─► done
//	   │ NO: released  │ refused    │ cancelled
//	   └ late: expired └ unanswered └
//
// The arrows are in rules.go, and each is a condition on the write that follows it. No order
// stays open forever: a sweep ends overdue orders, and marks accepted ones as done. Prices and
// totals come from the listing and are computed here (price.go), never by a model.
//
//	orders#{owner}      order#{id}            the order; in index listed by its customer while it is proposed, then by its business, apart once it is over
//	orders#{owner}      event#{id}#{type}     what happened, once for each type; that it was placed by its customer in index listed
//	orders#{owner}      forget#{id}           that it is to be deleted once it is over, in index due
//	code#{business}     {code}                the order that a business knows by its code
//	told#{market}#{number}  {code}            the order that the number of a business was told of
//
// (table records). The owner is part of the key, so somebody else's id does not exist.
//
// A proposal takes a token from its customer's limits (package bound), and its YES keeps the token for a day.
//
// If an item is counted (package stock), the YES takes the ordered quantity from stock in the
// transaction that places the order, with one conditional write per item. If too few are left, the order
// is not placed. A refused, cancelled or unanswered order returns its quantity in the transaction that
// ends it; a completed order has sold it. An offer made before the item was counted stays
// valid as made, and takes nothing from stock.
//
// Requests: propose 2, and 1 more with an address (repeated 1 more), read 1, by code 2, a change 2, a list 3, a list of open orders 2,
// a list of a business 3, of its open orders 2 for each hundred.
// Counted items add no requests to these. They add 1 to a tool's proposal, which reads how many are left.
package order

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/spine/gate"
)

// Kind is the kind of thing ordered.
type Kind string

const (
	Food    Kind = "food"
	Service Kind = "service"
	Viewing Kind = "viewing"
)

// Status is how far an order has come.
type Status string

const (
	Proposed   Status = "proposed"   // waits for the customer's YES; nobody is told
	Placed     Status = "placed"     // the business is told and has to answer
	Accepted   Status = "accepted"   // by the business
	Refused    Status = "refused"    // by the business
	Unanswered Status = "unanswered" // the business did not answer in time
	Done       Status = "done"       // delivered, carried out; or long past its time
	Cancelled  Status = "cancelled"  // by the customer or the business
	Released   Status = "released"   // the customer said NO, or asked for something else
	Expired    Status = "expired"    // the customer did not answer in time
)

// Order is a customer's order from a business.
type Order struct {
	ID       string `dynamodbav:"id" json:"id"`
	Kind     Kind   `dynamodbav:"kind" json:"kind"`
	Code     string `dynamodbav:"code" json:"code"` // for people; unique among the orders of a business
	Status   Status `dynamodbav:"status" json:"status"`
	Owner    string `dynamodbav:"owner" json:"-"` // actor key
	Market   string `dynamodbav:"market" json:"marketId"`
	Thread   string `dynamodbav:"thread" json:"thread"`
	Language string `dynamodbav:"lang" json:"language"` // the customer's

	Business    string `dynamodbav:"business" json:"businessId"`
	Listing     string `dynamodbav:"listing" json:"listingId"`
	ListingName string `dynamodbav:"listingName" json:"listingName"`
	Merchant    string `dynamodbav:"merchant,omitempty" json:"-"` // WhatsApp number of the business, E.164
	Told        string `dynamodbav:"told,omitempty" json:"-"`     // the number that was told, in the transaction that placed the order

	Lines         []Line    `dynamodbav:"lines,omitempty" json:"lines,omitempty"`
	FeeMinor      int64     `dynamodbav:"fee,omitempty" json:"feeMinor,omitempty"` // of the delivery
	TotalMinor    int64     `dynamodbav:"total" json:"totalMinor"`                 // 0 of a service is on request
	Currency      string    `dynamodbav:"currency,omitempty" json:"currency,omitempty"`
	Delivery      *geo.Spot `dynamodbav:"delivery,omitempty" json:"delivery,omitempty"` // nil is picked up, or at the business
	When          time.Time `dynamodbav:"when" json:"when,omitzero"`                    // zero is as soon as can be
	TimeZone      string    `dynamodbav:"zone" json:"timeZone"`
	Note          string    `dynamodbav:"note,omitempty" json:"note,omitempty"`
	CustomerName  string    `dynamodbav:"customer,omitempty" json:"customerName,omitempty"`
	CustomerPhone string    `dynamodbav:"phone,omitempty" json:"customerPhone,omitempty"`

	// Address is the key that stands for the customer's network address in bounds. It is not stored.
	Address string `dynamodbav:"-" json:"-"`
	// Bounds are its tokens of bounds (package bound), while it is proposed.
	Bounds []string `dynamodbav:"bounds,omitempty" json:"-"`

	// Counted is how many it takes of items that were counted when it was proposed, over all
	// lines. It holds them while it is placed or accepted.
	Counted map[string]int `dynamodbav:"counted,omitempty" json:"counted,omitempty"`

	// AnswerFrom is when the business opens that was closed when it was to answer; zero is at once.
	AnswerFrom time.Time `dynamodbav:"answerFrom" json:"-"`

	ETA    time.Time `dynamodbav:"eta" json:"eta,omitzero"`                  // as the business said
	Reason string    `dynamodbav:"reason,omitempty" json:"reason,omitempty"` // of a refusal or cancellation

	Receipt   *gate.Receipt `dynamodbav:"receipt,omitempty" json:"receipt,omitempty"`
	ExpiresAt time.Time     `dynamodbav:"expiresAt" json:"expiresAt"` // of the proposal
	CreatedAt time.Time     `dynamodbav:"createdAt" json:"createdAt"`
	UpdatedAt time.Time     `dynamodbav:"updatedAt" json:"updatedAt"`
	Policy    int           `dynamodbav:"policy" json:"policyVersion"` // market version it was made under
}

// Line is one position of an order.
type Line struct {
	Item       string   `dynamodbav:"item" json:"itemId"`
	Name       string   `dynamodbav:"name" json:"name"` // in the customer's language
	Options    []string `dynamodbav:"options,omitempty" json:"options,omitempty"`
	Quantity   int      `dynamodbav:"quantity" json:"quantity"`
	TotalMinor int64    `dynamodbav:"total" json:"totalMinor"`
	Note       string   `dynamodbav:"note,omitempty" json:"note,omitempty"`
}

// Limits of an order's content. Lengths are in characters.
const (
	MaxLines    = 40
	maxQuantity = 50
	MaxNote     = 500
	MaxAddress  = 256
	MaxOpen     = 5 // proposed, placed or accepted orders of one customer and kind that are not overdue
)

// Errors of orders. An order that does not exist, or is not the caller's, is [actor.ErrNotFound].
var (
	ErrChanged = fault.New(fault.Conflict, "the order has changed meanwhile")
	errLate    = fault.New(fault.Conflict, "the time to confirm this order is over")

	// ErrUnreachable means that the business cannot be told of an order, which is then not placed.
	ErrUnreachable = fault.New(fault.Conflict, "this listing cannot be reached at the moment: suggest another")
)

// Hash names the exact offer that an order makes. A YES is bound to it.
func (o Order) Hash() string {
	terms := struct {
		ID, Business, Listing, Merchant string
		Kind                            Kind
		Lines                           []Line
		Fee, Total                      int64
		Currency, Note, Phone           string
		Delivery                        *geo.Spot
		When, Until                     int64
		Policy                          int
	}{
		o.ID, o.Business, o.Listing, o.Merchant, o.Kind, o.Lines, o.FeeMinor, o.TotalMinor, o.Currency, o.Note, o.CustomerPhone, o.Delivery,
		o.When.UnixMilli(), o.ExpiresAt.UnixMilli(), o.Policy,
	}
	raw, _ := json.Marshal(terms) // strings and numbers always marshal
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// The keys. They are part of the data model.

const (
	ownerPrefix  = "orders#"
	forgetPrefix = "forget#"
)

func orderKey(owner, id string) dynamo.Key {
	return dynamo.Key{PK: ownerPrefix + owner, SK: "order#" + id}
}
func eventKey(owner, id string, typ EventType) dynamo.Key {
	return dynamo.Key{PK: ownerPrefix + owner, SK: event.Prefix + id + "#" + string(typ)}
}
func forgetKey(owner, id string) dynamo.Key {
	return dynamo.Key{PK: ownerPrefix + owner, SK: forgetPrefix + id}
}
func codeKey(business, code string) dynamo.Key {
	return dynamo.Key{PK: "code#" + business, SK: code}
}
func toldKey(market, number, code string) dynamo.Key {
	return dynamo.Key{PK: "told#" + market + "#" + number, SK: code}
}

const idPrefix = "or_"

// newID is the id of the order that a key of an owner makes: the same key makes the same order.
func newID(owner, key string) string { return ident.New(idPrefix, "order", owner, key) }

func isID(id string) bool { return ident.Is(idPrefix, id) }

// newCode returns the n-th code that an order tries. The code contains a letter and is no answer word
// itself, so that [read] recognizes it as a code next to any word.
func newCode(id string, n int) string {
	sum := sha256.Sum256([]byte{byte(n)})
	for sum = sha256.Sum256(append(sum[:], id...)); ; sum = sha256.Sum256(sum[:]) {
		if code := ident.Order.Of(sum[:]); codeOf(code) == code {
			return code
		}
	}
}
