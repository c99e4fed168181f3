// Package marketplace looks for somebody who has what no listing offers. A client says what is needed. The
// backend finds vendors, asks them on WhatsApp after the client's YES, reads what they answer, and shows the
// quotes side by side. The client's YES accepts one.
//
//	request#{id}              ~                     the request; by market in index listed, in index due while there is something to do
//	request#{id}              ~outreach#{outreach}  a vendor who is asked, with the quote
//	request#{id}              ~consent#{consent}    whether the client may be called, with the attempts; in index due until nothing can come of it
//	request#{id}              ~ocr#{job}            a picture to be read, with what was read; in index due until it ends
//	request#{id}              reply#{message}       a vendor's answer, word for word
//	request#{id}              call#{key}            what a call was answered under its key, or that it has begun; in index due until it ends
//	request#{id}              event#{version}       what happened
//	request#{id}              feed#{item}           what was found outside of the catalogue for a post, by source and page
//	request#{id}              budget#{kind}#{post}  how many searches were made for a post
//	requests#{owner}          {id}                  a client's request
//	asked#{market}#{number}   {code}                the outreach that a vendor's number knows by a code
//	requestaudit#{id}         event#{record}        a call's audit record, with its place in the chain once it is sealed
//	requestaudit#{id}         body#{record}         what was asked and answered, which may be erased
//	requestaudit#{id}         ~                     the end of the chain
//
// (table records). The request, its outreach and its consents sort last, so that one query reads them.
//
//	vendors#{market}          vendor#{id}           a vendor (table catalog)
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
//   - No post costs more searches than it has, and no search is told who asks. What is found is nobody's whom we
//     know, and of a place on the map only its id is kept.
//   - Nobody is called without a consent: the client's YES to one call, of which scope, reason and number were shown. It
//     is looked at in the transaction that writes the attempt down, and again in the one that gives the client's number
//     to the provider. A revocation that committed before is never followed by a call. Words of refusal and STOP revoke by
//     themselves, from when they have come in, and the number is one that the client's conversation proves.
//   - A vendor's words are quoted, and never obeyed. A price is read in them by package price, never by a model, and one
//     that is not clear is accepted by nobody. No vendor's number reaches a model.
//
// Requests: a call 2 to 6 with its meta and audit; a snapshot 3; an answer of a vendor 3, and what the turn needs
// that takes it in. The vendors of a market are read once a minute, a request for each megabyte.
package marketplace

import (
	"encoding/json"
	"time"

	"merve/internal/matter/callconsent"

	"merve/internal/matter/vendor"

	"merve/internal/matter/quote"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
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
	callPrefix    = "call#"
)

func partition(request string) string   { return "request#" + request }
func headKey(request string) dynamo.Key { return dynamo.Key{PK: partition(request), SK: headSK} }

func callKey(request, key string) dynamo.Key {
	return dynamo.Key{PK: partition(request), SK: callPrefix + ident.Digest(key)}
}

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
