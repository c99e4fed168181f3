// Package report keeps damage reports: what was damaged, where, with photos. A customer tells us
// piece by piece in a conversation, and can share a report with others through links.
//
// A report is pending until it has an address and either a photo or its owner's statement that there
// is none; the write that adds the last of these completes it. A completed report may be corrected and
// never becomes pending again. The owner or staff resolve it, and then nothing changes any more. The
// conditions of the writes enforce all of this, for every caller.
//
// Nobody sees or changes another owner's report: the owner is part of a report's key, so
// somebody else's id does not exist. In the same way a customer does not see, in one market, the reports
// they have in another, which belongs to another tenant.
//
// All in table records:
//
//	reports#{owner}   report#{id}            the report; by status in index listed
//	reports#{owner}   event#{id}#{key}       what was done with it, once for each key
//	reports#{owner}   event#{id}#completed   once for each report
//	reports#{owner}   event#{id}#opened#{hash}   once for each link
//	reports#{owner}   briefs                 id, market, status and address of each, and their count
//	report#{id}       owner                  whose it is
//	report#{id}       link#{hash}            a link, by the SHA-256 of its token
//
// Each change is one transaction with an event that carries the caller's key and so records
// that the key was used: the same change again does nothing and returns the report as it is. Sections
// change independently of each other. Other changes require the version they read,
// and are retried when it has changed.
//
// An event outlives its report. It says what was done and when, but nothing the customer told us. A link
// outlives it too, until some time after the link has expired: it answers 404 then.
//
// The token of a link is derived from the caller's key and a random secret, so that the same
// key gives the same link after a crash, and we store nothing that opens a link. The secret
// is kept apart from the hashes, in table conversations: secret#links key.
//
// Requests: start 1, repeated 2; section, address, photos, resolve, delete 2, repeated 1,
// refused 2, by staff 1 more. Get 1 (staff 2), Profile 1 (2 when an earlier version has listed
// some), List 2, Events 2, Links 2 (staff 3). Share 2, and 1 for the secret in a new process (3 in
// the first one); Revoke 3; Open 3.
//
// Facets of the contract that it does without:
//
//   - No commitments: the one question about a report, whether it is deleted, is a frozen call of a tool.
//   - No looks: a report rests on nothing that may change before a YES.
//   - No sweep: time does nothing to a report.
//   - No commands: nobody but its owner and the desk works on a report.
//   - No codes: nobody but its owner and the desk works on a report.
package report

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/spine/thread"
)

// Status is how far a report has come.
type Status string

const (
	Pending   Status = "pending"   // being told
	Completed Status = "completed" // all there that must be; staff look at it
	Resolved  Status = "resolved"  // dealt with; it no longer changes
)

// statuses are all there are, in their order.
func statuses() []Status { return []Status{Pending, Completed, Resolved} }

// Section names a part of the customer's description.
type Section string

// Sections are all there are, in the order in which a report shows them.
func Sections() []Section {
	return []Section{
		"description", "property", "location", "cause", "occurredAt", "severity", "safety", "injuries",
		"access", "contact", "insurance", "other",
	}
}

// Limits of a report's content. Lengths are in characters.
const (
	MaxReports = 30 // of one owner, in all markets
	MaxAddress = 256
	MaxContent = 2000 // of a section
	MaxPhotos  = 20
	MaxCaption = 300
	MaxLinks   = 50 // ever made of one report

	maxRef    = 512 // bytes of a photo's reference
	maxKey    = 255 // bytes of an idempotency key
	maxOwners = 20  // keys of one person
)

// Report is a damage report.
type Report struct {
	ID         string             `dynamodbav:"id"`
	Owner      string             `dynamodbav:"owner"` // actor key
	Market     string             `dynamodbav:"market"`
	Thread     string             `dynamodbav:"thread"` // on which it was made
	Status     Status             `dynamodbav:"status"`
	Address    string             `dynamodbav:"address,omitempty"` // in the customer's words
	Lat        *float64           `dynamodbav:"lat,omitempty"`     // degrees; nil when the place was not found
	Lng        *float64           `dynamodbav:"lng,omitempty"`
	Sections   map[Section]string `dynamodbav:"sections"` // those with content
	Photos     []Photo            `dynamodbav:"photos,omitempty"`
	NoPhotos   bool               `dynamodbav:"noPhotos,omitempty"` // the customer says that there are none
	CreatedAt  time.Time          `dynamodbav:"createdAt"`
	UpdatedAt  time.Time          `dynamodbav:"updatedAt"`
	ResolvedAt time.Time          `dynamodbav:"resolvedAt"`
	Version    int                `dynamodbav:"version"` // counts changes
}

// Photo is a picture of the damage.
type Photo struct {
	Ref     string `dynamodbav:"ref" json:"ref"` // "photo:…"
	Caption string `dynamodbav:"caption,omitempty" json:"caption,omitempty"`
}

// What a report may lack before it is complete.
const (
	MissingAddress = "address"
	MissingPhotos  = "photos"
)

// Missing lists what the report still lacks.
func (r Report) Missing() []string {
	missing := []string{}
	if r.Address == "" {
		missing = append(missing, MissingAddress)
	}
	if len(r.Photos) == 0 && !r.NoPhotos {
		missing = append(missing, MissingPhotos)
	}
	return missing
}

// Brief is a report in a list.
type Brief struct {
	ID        string    `dynamodbav:"-" json:"id"`
	Market    string    `dynamodbav:"market" json:"-"`
	Status    Status    `dynamodbav:"status" json:"status"`
	Address   string    `dynamodbav:"address,omitempty" json:"address,omitempty"`
	CreatedAt time.Time `dynamodbav:"createdAt" json:"createdAt"`
}

func (r Report) brief() Brief { return Brief{r.ID, r.Market, r.Status, r.Address, r.CreatedAt} }

// Errors that callers tell apart. A report that does not exist, or is not the caller's, is
// [actor.ErrNotFound].
var (
	ErrResolved    = fault.New(fault.Conflict, "the report is resolved and cannot be changed any more")
	ErrIncomplete  = fault.New(fault.Conflict, "a completed report keeps its address, and a photo or the customer's word that there is none")
	ErrNotComplete = fault.New(fault.Conflict, "only a completed report can be resolved: first its address, and a photo or the customer's word that there is none")
	ErrTooMany     = fault.New(fault.Conflict, "there are %d reports already, which is the most: delete one that is not needed any more", MaxReports)
	ErrKeyReused   = fault.New(fault.Conflict, "this idempotency key was used for something else")
)

// Store keeps reports. Safe for concurrent use.
type Store struct {
	Table     dynamo.Table // records
	Secrets   dynamo.Table // conversations: the secret of links
	Now       func() time.Time
	Random    io.Reader // 32 bytes are read once in the life of the tables
	PublicURL string    // links begin with it

	Rows *thread.Rows // of the open matters of conversations; nil writes none

	mu     sync.Mutex
	secret []byte
}

// By says who acts, and for which call.
type By struct {
	Actor  actor.Actor
	Owners []string // the keys under which the caller has reports; nil is the actor's own and linked ones
	Market string   // the market of the reports; "" is any market, as for staff
	Key    string   // idempotency: the same change has the same key, however often it is asked for
}

// owners returns the keys under which the caller has reports.
func (by By) owners() []string {
	owners := slices.Clone(by.Owners)
	if len(owners) == 0 {
		owners = by.Actor.Keys()
	}
	slices.Sort(owners)
	return slices.Compact(owners)
}

// stored is a report as its item holds it, with the attributes of its index.
type stored struct {
	Report
	Links    int    `dynamodbav:"links"`    // ever made
	Listed   string `dynamodbav:"listed"`   // index listed: market and status
	ListedAt string `dynamodbav:"listedAt"` // since when it has the status
}

// listedIndex is the index on (listed, listedAt). It finds the reports of a market by
// their status. It projects keys only, so that edits do not touch it.
const listedIndex = "listed"

func listed(market string, status Status) string { return market + "#report#" + string(status) }

// The keys. They are part of the data model.

func reportKey(owner, id string) dynamo.Key {
	return dynamo.Key{PK: "reports#" + owner, SK: "report#" + id}
}
func briefsKey(owner string) dynamo.Key  { return dynamo.Key{PK: "reports#" + owner, SK: "briefs"} }
func ownerKey(id string) dynamo.Key      { return dynamo.Key{PK: "report#" + id, SK: "owner"} }
func linkKey(id, hash string) dynamo.Key { return dynamo.Key{PK: "report#" + id, SK: "link#" + hash} }
func eventKey(owner, id, ref string) dynamo.Key {
	return dynamo.Key{PK: "reports#" + owner, SK: event.Prefix + id + "#" + ref}
}

// idPrefix begins the id of every report, and the name of its attribute among the briefs.
const idPrefix = "rp_"

// newID is the id of the report that a key of an owner makes: the same key makes the same
// report.
func newID(owner, key string) string { return ident.New(idPrefix, "report", owner, key) }

// isID reports whether id has the form of a report's id. Anything else is not looked up, because it
// may be any text.
func isID(id string) bool { return ident.Is(idPrefix, id) }

// now is the time as it is stored.
func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// line checks a text of the customer's and takes the space around it off.
func line(field, text string, max int) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case !utf8.ValidString(text):
		return "", fault.Field(field, "must be UTF-8")
	case utf8.RuneCountInString(text) > max:
		return "", fault.Field(field, "at most %d characters", max)
	}
	return text, nil
}

// ownersFor are the keys under which a caller may find a report; allStaff lets staff find
// everybody's.
func (s *Store) ownersFor(ctx context.Context, by By, id string, allStaff bool) ([]string, error) {
	if !isID(id) {
		return nil, actor.ErrNotFound
	}
	if !allStaff || !by.Actor.IsStaff() {
		owners := by.owners()
		if len(owners) > maxOwners {
			return nil, fault.Field("owners", "at most %d", maxOwners)
		}
		return owners, nil
	}
	it, err := s.Table.Get(ctx, ownerKey(id))
	if err != nil {
		return nil, err
	}
	if it == nil {
		return nil, actor.ErrNotFound
	}
	return []string{it.String("owner")}, nil
}
