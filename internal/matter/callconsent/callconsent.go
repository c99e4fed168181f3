// Package callconsent calls clients who have said that they may be called. A consent is a client's leave to be called once about
// a request. The desk's telephone rings first, and is connected with the client once somebody has answered there.
//
//	request#{id}   ~consent#{consent}   whether the client may be called, with the attempts; in index due until nothing can come of it
//
// (table records).
//
// Promises: nobody is called without a consent, which is the client's YES to one call, whose scope, reason and number were
// shown. It is looked at in the transaction that writes the attempt down, and again in the one that gives the client's number to
// the provider. A revocation that committed before is never followed by a call. Words of refusal and STOP revoke by themselves,
// from when they have come in.
//
// Of a request it knows what [About] says. A call costs 3 requests, and 2 for each report of the provider.
package callconsent

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
)

// State is how far a consent to be called has come.
type State string

const (
	Requested State = "requested"
	Granted   State = "granted"
	Denied    State = "denied"
	Expired   State = "expired"
	Revoked   State = "revoked"
)

// Stands reports whether a consent may still lead to a call.
func (s State) Stands() bool { return s == Requested || s == Granted }

// Consent is a client's leave to be called once about a request. It is kept apart from the request, so that a
// revocation and a call are one after the other, whatever else becomes of the request.
type Consent struct {
	ID      string `dynamodbav:"id"`
	Request string `dynamodbav:"request"`
	Market  string `dynamodbav:"market"`
	Thread  string `dynamodbav:"thread"` // on which the client was asked
	N       int    `dynamodbav:"n"`      // its place among those of the request
	Scope   string `dynamodbav:"scope"`
	Reason  string `dynamodbav:"reason"` // as the client was shown it
	Number  string `dynamodbav:"number"` // E.164; no model sees it

	State     State         `dynamodbav:"state"`
	AskedAt   time.Time     `dynamodbav:"askedAt"`
	GrantedAt time.Time     `dynamodbav:"grantedAt"`
	Until     time.Time     `dynamodbav:"until"` // of the question, and after the YES of the grant
	Receipt   *gate.Receipt `dynamodbav:"receipt,omitempty"`
	EndedBy   string        `dynamodbav:"endedBy,omitempty"` // who revoked it
	Refused   string        `dynamodbav:"refused,omitempty"` // why the provider will not call the client

	Attempts []Attempt `dynamodbav:"attempts,omitempty"`
	Version  int       `dynamodbav:"version"` // counts changes
}

// AttemptState is how far an attempt to call a client has come.
type AttemptState string

const (
	AttemptCreated    AttemptState = "created"
	AttemptRinging    AttemptState = "ringing"
	AttemptAnswered   AttemptState = "answered" // by the client
	AttemptCompleted  AttemptState = "completed"
	AttemptFailed     AttemptState = "failed"
	AttemptBusy       AttemptState = "busy"
	AttemptUnanswered AttemptState = "no-answer"
)

// Leg is how far one half of a call has come. "" has not begun.
type Leg string

const (
	LegInitiated  Leg = "initiated"
	LegRinging    Leg = "ringing"
	LegAnswered   Leg = "answered"
	LegCompleted  Leg = "completed" // after it was answered
	LegBusy       Leg = "busy"
	LegFailed     Leg = "failed"
	LegUnanswered Leg = "no-answer"
)

// ranks order the legs. What has ended has one rank, so that the first end stands.
var ranks = map[Leg]int{LegInitiated: 1, LegRinging: 2, LegAnswered: 3, LegCompleted: 4, LegBusy: 4, LegFailed: 4, LegUnanswered: 4}

// Then is a leg after one more report of it, which may be old.
func (l Leg) Then(next Leg) Leg {
	if ranks[next] > ranks[l] {
		return next
	}
	return l
}

func (l Leg) ended() bool { return ranks[l] == ranks[LegCompleted] }

func (l Leg) connected() bool { return l == LegAnswered || l == LegCompleted }

// Attempt is one attempt to call a client: the desk's telephone rings first, and once somebody has answered there,
// the client's does.
type Attempt struct {
	ID         string    `dynamodbav:"id"`
	Key        string    `dynamodbav:"key"` // of the call of the tool
	From       string    `dynamodbav:"from"`
	Phone      string    `dynamodbav:"phone"`              // the desk's
	ProviderID string    `dynamodbav:"provider,omitempty"` // "" until it is known that the provider has it
	Guessed    bool      `dynamodbav:"guessed,omitempty"`  // the provider's id was found by number and time: it may be another's call
	Desk       Leg       `dynamodbav:"desk,omitempty"`
	Client     Leg       `dynamodbav:"client,omitempty"`
	Dialled    bool      `dynamodbav:"dialled,omitempty"` // the provider was told the client's number
	Over       bool      `dynamodbav:"over,omitempty"`    // nothing more can come of it
	Failure    string    `dynamodbav:"failure,omitempty"`
	At         time.Time `dynamodbav:"at"`
	LookAt     time.Time `dynamodbav:"lookAt"` // when the provider is asked what has become of it
}

// State is how far the attempt has come, which is how far the client's half has.
func (a Attempt) State() AttemptState {
	switch {
	case a.Client.ended(), a.Client == LegRinging, a.Client == LegAnswered:
		return AttemptState(a.Client)
	case a.Over && a.Failure == "" && (a.Desk == LegBusy || a.Desk == LegUnanswered):
		return AttemptState(a.Desk)
	case a.Over:
		return AttemptFailed
	case a.Desk == LegRinging || a.Desk == LegAnswered:
		return AttemptRinging
	}
	return AttemptCreated
}

// settled ends the attempt when no call to the client can come of it any more: the client's half has ended, or the
// desk's has without the client's number having been given out. Reports may come in any order, so the end of the desk's
// half alone is not the end of the client's.
func (a *Attempt) settled() {
	a.Over = a.Over || a.Client.ended() || a.Desk.ended() && !a.Dialled
}

// open is the attempt that is not over yet, or nil.
func (c *Consent) open() *Attempt {
	for i := range c.Attempts {
		if !c.Attempts[i].Over {
			return &c.Attempts[i]
		}
	}
	return nil
}

// rung is the attempt of a call that the provider has taken, whatever became of it, or nil.
func (c *Consent) rung(key string) *Attempt {
	for i := range c.Attempts {
		if a := &c.Attempts[i]; a.Key == key && a.ProviderID != "" {
			return a
		}
	}
	return nil
}

func (c *Consent) attempt(id string) *Attempt {
	for i := range c.Attempts {
		if c.Attempts[i].ID == id {
			return &c.Attempts[i]
		}
	}
	return nil
}

// used reports whether a call has connected, which is all that a grant allows.
func (c *Consent) used() bool {
	return slices.ContainsFunc(c.Attempts, func(a Attempt) bool { return a.Client.connected() })
}

// refusal says why the client may not be called at a time; "" is no reason.
func (c *Consent) refusal(now time.Time) string {
	switch {
	case c.State == Expired, c.State.Stands() && !now.Before(c.Until):
		return "the consent has expired: ask the client again"
	case c.State != Granted:
		return fmt.Sprintf("the consent is %s: only one that is granted allows a call", c.State)
	case c.Refused != "":
		return fmt.Sprintf("the provider does not call this client (%s): ask again, or use the desk", c.Refused)
	case c.used():
		return "the consent was used: it allows one call, which was made"
	}
	return ""
}

// due is when a sweep has to look at the consent; zero is never.
func (c *Consent) due() time.Time {
	if a := c.open(); a != nil {
		return a.LookAt
	}
	if c.State.Stands() && !c.used() {
		return c.Until
	}
	return time.Time{}
}

// How long consents and attempts last.
const (
	GrantFor   = 24 * time.Hour // after the YES
	lookAfter  = 2 * time.Minute
	foundAfter = time.Minute // what the provider's list has not by then, the provider has not
	giveUp     = 4 * time.Hour
)

// Limits of calls.
const (
	MaxAttempts = 5  // to reach the client with one consent
	MaxConsents = 20 // of one request
)

const (
	ofRequests    = "request#"
	consentPrefix = "cc_"
	attemptPrefix = "ca_"
	ConsentSK     = "~consent#"
	consentKind   = "requestconsent" // what the due index knows consents by
)

func consentKey(request, consent string) dynamo.Key {
	return dynamo.Key{PK: ofRequests + request, SK: ConsentSK + consent}
}

// storedConsent is what an item holds besides the consent.
type storedConsent struct {
	Consent
	DueShard string    `dynamodbav:"dueShard,omitempty"`
	DueAt    time.Time `dynamodbav:"dueAt"`
}

// ErrChanged says that somebody else has changed a consent, or its request.
var ErrChanged = fault.New(fault.Conflict, "the request has changed meanwhile")

// Store keeps consents. Safe for concurrent use.
type Store struct {
	Table dynamo.Table // records
	Now   func() time.Time

	// Happened is the event of a change of a consent, among those of its request.
	Happened func(c Consent, by, trace string) dynamo.Write
}

func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Keeps are the writes that make a consent what c says, on condition that it still is of the version that c was read
// as. They fail with [ErrChanged].
func (s *Store) Keeps(c *Consent, by, trace string) []dynamo.Write {
	read := c.Version
	c.Version++
	st := storedConsent{Consent: *c}
	if due := c.due(); !due.IsZero() {
		st.DueShard, st.DueAt = dynamo.DueShard(consentKind, c.ID), due
	}
	return []dynamo.Write{s.Table.Put(consentKey(c.Request, c.ID), st).AtVersion(read).Else(ErrChanged), s.Happened(*c, by, trace).Else(ErrChanged)}
}

// get reads one. [actor.ErrNotFound] when there is none. 1 request.
func (s *Store) get(ctx context.Context, request, id string) (c Consent, err error) {
	if !ident.Is(consentPrefix, id) {
		return c, ErrNone
	}
	it, err := s.Table.Get(ctx, consentKey(request, id))
	switch {
	case err != nil:
		return c, fmt.Errorf("consent %s: %w", id, err)
	case it == nil:
		return c, ErrNone
	}
	return c, it.Decode(&c)
}

// ErrNone is the answer for a consent that does not exist.
var ErrNone = &fault.Error{Kind: fault.NotFound, Field: "consent_id", Message: "not found"}

// NewID is the id of the consent that a key asks for: the same again for the same key.
func NewID(request, key string) string {
	return ident.New(consentPrefix, "consent", request, key)
}

func newAttemptID(consent string, n int) string {
	return ident.New(attemptPrefix, "attempt", consent, strconv.Itoa(n))
}

// Shown is a consent to be called as callers see it, with the attempts to call. The client's number is left out.
type Shown struct {
	ID        string         `json:"consent_id"`
	Scope     string         `json:"scope"`
	Reason    string         `json:"reason"`
	State     State          `json:"state"`
	Used      bool           `json:"used"` // a call has connected
	ExpiresAt string         `json:"expires_at"`
	Refused   string         `json:"refused,omitempty"` // why the provider does not call this client
	Attempts  []ShownAttempt `json:"attempts"`
}

// ShownAttempt is an attempt to call as callers see it.
type ShownAttempt struct {
	ID        string       `json:"call_attempt_id"`
	Provider  string       `json:"provider_call_id,omitempty"`
	State     AttemptState `json:"state"`
	Failure   string       `json:"failure,omitempty"`
	CreatedAt string       `json:"created_at"`
}

// ShowAll shows the consents of a request at a time. One whose time is over counts as expired even before a sweep.
func ShowAll(of []Consent, now time.Time) []Shown {
	var all []Shown
	for _, c := range of {
		s := Shown{
			ID: c.ID, Scope: c.Scope, Reason: c.Reason, State: c.State, Used: c.used(), ExpiresAt: c.Until.UTC().Format(time.RFC3339), Refused: c.Refused,
			Attempts: []ShownAttempt{},
		}
		if c.State.Stands() && !now.Before(c.Until) {
			s.State = Expired
		}
		for _, a := range c.Attempts {
			s.Attempts = append(s.Attempts, ShownAttempt{a.ID, a.ProviderID, a.State(), a.Failure, a.At.UTC().Format(time.RFC3339)})
		}
		all = append(all, s)
	}
	return all
}

// ByMessage names a message as what ended a consent.
func ByMessage(id string) string { return "message " + id }

// Refusing is the message by which a client refuses calls and that no turn has answered yet, or "".
func Refusing(head thread.Head) string {
	for _, m := range head.Inbox {
		if m.Notice == nil && gate.RefusesCalls(m.Text) {
			return m.ID
		}
	}
	return ""
}
