// Package request looks for somebody who has what no listing offers. A client says what is needed. The backend finds vendors,
// asks them on WhatsApp after the client's YES, reads what they answer, and shows the quotes side by side. The client's YES
// accepts one.
//
// It is the uppermost of five rooms, and the only one that knows how they work together: vendors, quotes, consents to a call,
// and what is found outside keep items of their own in the partition of a request ([merve/internal/matter/vendor],
// [merve/internal/matter/quote], [merve/internal/matter/callconsent], [merve/internal/matter/discovery]). One query reads those
// that belong to what a request is.
//
//	request#{id}        ~                the request; by market in index listed, in index due while there is something to do
//	request#{id}        call#{key}       what a call was answered under its key, or that it has begun; in index due until it ends
//	request#{id}        event#{version}  what happened
//	requests#{owner}    {id}             a client's request
//	requestaudit#{id}   ...              the audit of calls, see [audit.Log]
//
// (table records).
//
// Promises:
//
//   - A request changes its state only as the table in states.go says. A change is conditional on the version
//     that was read, so two changes at once are one after the other or one of them fails.
//   - No vendor is told anything, and no quote is accepted, without a receipt: the client's YES, or of a request
//     without a client the word of somebody at the desk.
//   - Nobody but the client speaks for the client. A vendor hears our own words, a whole message of the client's quoted as
//     theirs, words that took a YES, or what a person at the desk has signed.
//   - A call under a key has its effect once. What it was answered is stored in the transaction of the effect.
//   - Each call has an audit record, and each record a place in a chain of hashes.
//   - No post costs more searches than it has, and no search is told who asks.
//   - No vendor's number reaches a model.
//
// Requests: a call 2 to 6 with its meta and audit; a snapshot 3; an answer of a vendor 3, and what the turn needs
// that takes it in. The vendors of a market are read once a minute, a request for each megabyte.
//
// Facets of the contract that it does without:
//
//   - No commands: vendors answer by package vendor.
//   - No codes: package vendor knows the codes by which vendors answer.
package request

import (
	"encoding/json"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/matter/callconsent"
	"merve/internal/matter/quote"
	"merve/internal/matter/vendor"
	"merve/internal/spine/gate"
)

// Request is what a client looks for.
type Request struct {
	ID       string `dynamodbav:"id"`
	Code     string `dynamodbav:"code"` // for the client
	Market   string `dynamodbav:"market"`
	Owner    string `dynamodbav:"owner,omitempty"`  // actor key of the client; "" belongs to the desk
	Thread   string `dynamodbav:"thread,omitempty"` // that the client reads
	Language string `dynamodbav:"lang"`
	State    State  `dynamodbav:"state"`

	Category     string       `dynamodbav:"category"`
	Requirements Requirements `dynamodbav:"requirements"`
	Currency     string       `dynamodbav:"currency"`
	Client       Contact      `dynamodbav:"client"` // given to the vendor who is accepted
	Shortlist    []Candidate  `dynamodbav:"shortlist,omitempty"`

	Offer    *Offer        `dynamodbav:"offer,omitempty"`      // waits for its turn to be asked about, or for its answer
	Accepted string        `dynamodbav:"acceptedId,omitempty"` // the outreach whose quote was accepted
	Quote    *quote.Quote  `dynamodbav:"quote,omitempty"`      // as it was accepted, whatever its vendor has answered since
	Receipt  *gate.Receipt `dynamodbav:"receipt,omitempty"`    // of the acceptance
	Fallback string        `dynamodbav:"fallback,omitempty"`   // what the client was told of an error

	CreatedAt time.Time `dynamodbav:"createdAt"`
	UpdatedAt time.Time `dynamodbav:"updatedAt"`
	Version   int       `dynamodbav:"version"` // counts changes
}

// Contact is how a client is called and reached.
type Contact struct {
	Name  string `dynamodbav:"name,omitempty"`
	Phone string `dynamodbav:"phone,omitempty"`
}

// Candidate is a vendor that a search found.
type Candidate struct {
	Vendor     string   `dynamodbav:"vendor" json:"vendor_id"`
	Name       string   `dynamodbav:"name" json:"name"`
	DistanceKM *float64 `dynamodbav:"km,omitempty" json:"distance_km,omitempty"`
	Rating     *float64 `dynamodbav:"rating,omitempty" json:"rating,omitempty"`
}

// Offer is a question that the client has to answer, from the time when it is proposed from outside the
// client's own turn until the answer.
type Offer struct {
	Kind      string    `dynamodbav:"kind"`
	Consent   string    `dynamodbav:"consent,omitempty"`  // of a call
	Vendors   []Named   `dynamodbav:"vendors,omitempty"`  // of an outreach
	Outreach  string    `dynamodbav:"outreach,omitempty"` // of an acceptance
	Letter    *Letter   `dynamodbav:"letter,omitempty"`   // to a vendor, word for word
	Asked     int       `dynamodbav:"asked"`              // how often it was put on the thread
	AskedAt   time.Time `dynamodbav:"askedAt"`
	ExpiresAt time.Time `dynamodbav:"until"`
}

// Letter is what the client is asked to say to a vendor.
type Letter struct {
	Outreach string `dynamodbav:"outreach"`
	Text     string `dynamodbav:"text"`
}

// Named is a vendor as the client is shown them.
type Named struct {
	ID   string `dynamodbav:"id" json:"id"`
	Name string `dynamodbav:"name" json:"name"`
}

// ends reports whether a YES ends what was accepted.
func (o *Offer) ends() bool { return o.Kind == DropKind || o.Kind == DoneKind }

// ids are those of the vendors of an offer.
func (o *Offer) ids() []string {
	var all []string
	for _, n := range o.Vendors {
		all = append(all, n.ID)
	}
	return all
}

// Limits.
const (
	MaxVendors = 15 // asked in one outreach, and found by one search
	MaxOpen    = 5  // open requests of one client
	MaxText    = 1000
)

// How long things last.
const (
	offerFor = 24 * time.Hour // a question from outside the client's turn
	askAgain = 2 * time.Minute
	keepFor  = 400 * 24 * time.Hour
)

// What a request may meet.
var (
	ErrChanged = fault.New(fault.Conflict, "the request has changed meanwhile")
)

// View is a request with all vendors that were asked, and what its client has consented to.
type View struct {
	Request
	Outreach []vendor.Outreach
	Consents []callconsent.Consent
	Jobs     []quote.Job

	was State // as it is stored
}

// outreach finds one by its id.
func (v *View) outreach(id string) *vendor.Outreach {
	for i := range v.Outreach {
		if v.Outreach[i].ID == id {
			return &v.Outreach[i]
		}
	}
	return nil
}

// of finds the outreach to a vendor.
func (v *View) of(vendor string) *vendor.Outreach {
	for i := range v.Outreach {
		if v.Outreach[i].Vendor == vendor {
			return &v.Outreach[i]
		}
	}
	return nil
}

// won reports whether an outreach is the one whose quote is accepted.
func (v *View) won(o vendor.Outreach) bool { return v.State == Accepted && v.Accepted == o.ID }

// waits reports whether a vendor has still to answer.
func (v *View) waits() bool {
	for _, o := range v.Outreach {
		if o.State.Open() {
			return true
		}
	}
	return false
}

// The keys. They are part of the data model.

const (
	requestPrefix = "rq_"
	headSK        = "~"
)

func partition(request string) string   { return "request#" + request }
func headKey(request string) dynamo.Key { return dynamo.Key{PK: partition(request), SK: headSK} }

func eventKey(request, id string) dynamo.Key {
	return dynamo.Key{PK: partition(request), SK: event.Prefix + id}
}

func ownedKey(owner, request string) dynamo.Key {
	return dynamo.Key{PK: "requests#" + owner, SK: request}
}

// IsID reports whether an id can be a request's.
func IsID(id string) bool { return ident.Is(requestPrefix, id) }

// NewID is the id of the request that a key of an owner makes.
func NewID(owner, key string) string { return ident.New(requestPrefix, "request", owner, key) }

// mustJSON is the JSON of strings, numbers and times, which always marshal.
func mustJSON(v any) []byte {
	raw, _ := json.Marshal(v)
	return raw
}
