package marketplace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
)

// ConsentState is how far a consent to be called has come.
type ConsentState string

const (
	ConsentRequested ConsentState = "requested"
	ConsentGranted   ConsentState = "granted"
	ConsentDenied    ConsentState = "denied"
	ConsentExpired   ConsentState = "expired"
	ConsentRevoked   ConsentState = "revoked"
)

// Stands reports whether a consent may still lead to a call.
func (s ConsentState) Stands() bool { return s == ConsentRequested || s == ConsentGranted }

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

	State     ConsentState  `dynamodbav:"state"`
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

// open is the attempt of which something may still come; nil is none.
func (c *Consent) open() *Attempt {
	for i := range c.Attempts {
		if !c.Attempts[i].Over {
			return &c.Attempts[i]
		}
	}
	return nil
}

// rung is the attempt of a call that the provider has taken, whatever has become of it; nil is none.
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
	case c.State == ConsentExpired, c.State.Stands() && !now.Before(c.Until):
		return "the consent has expired: ask the client again"
	case c.State != ConsentGranted:
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
	consentFor = 24 * time.Hour // after the YES
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
	consentPrefix = "cc_"
	attemptPrefix = "ca_"
	consentSK     = "~consent#"
	consentKind   = "requestconsent" // what the due index knows consents by
)

func consentKey(request, consent string) dynamo.Key {
	return dynamo.Key{PK: partition(request), SK: consentSK + consent}
}

// consent finds one by its id.
func (v *View) consent(id string) *Consent {
	for i := range v.Consents {
		if v.Consents[i].ID == id {
			return &v.Consents[i]
		}
	}
	return nil
}

// storedConsent is what an item holds beside the consent.
type storedConsent struct {
	Consent
	DueShard string    `dynamodbav:"dueShard,omitempty"`
	DueAt    time.Time `dynamodbav:"dueAt"`
}

// keeps are the writes that make a consent what c says, on condition that it still is of the version that c was read
// as. They fail with [ErrChanged].
func (s *Store) keeps(c *Consent, by, trace string) []dynamo.Write {
	read := c.Version
	c.Version++
	st := storedConsent{Consent: *c}
	if due := c.due(); !due.IsZero() {
		st.DueShard, st.DueAt = dynamo.DueShard(consentKind, c.ID), due
	}
	w := s.Table.Put(consentKey(c.Request, c.ID), st)
	if read == 0 {
		w = w.IfAbsent()
	} else {
		w = w.If("#version = :read", dynamo.V{":read": read})
	}
	e := Event{ID: fmt.Sprintf("%s-%06d", c.ID, c.Version), Type: ConsentEvent, Consent: c.ID, Text: string(c.State), By: by, Trace: trace}
	if n := len(c.Attempts); n > 0 {
		e.Attempt = string(c.Attempts[n-1].State())
	}
	return []dynamo.Write{w.Else(ErrChanged), s.happened(Request{ID: c.Request}, e)}
}

// consent reads one. [actor.ErrNotFound] when there is none. 1 request.
func (s *Store) consent(ctx context.Context, request, id string) (c Consent, err error) {
	if !IsID(request) || !ident.Is(consentPrefix, id) {
		return c, errNoConsent
	}
	it, err := s.Table.Get(ctx, consentKey(request, id))
	switch {
	case err != nil:
		return c, fmt.Errorf("consent %s: %w", id, err)
	case it == nil:
		return c, errNoConsent
	}
	return c, it.Decode(&c)
}

var errNoConsent = &fault.Error{Kind: fault.NotFound, Field: "consent_id", Message: "not found"}

// ConsentInput asks for a client's consent to be called.
type ConsentInput struct {
	Request string `json:"request_id"`
	Scope   string `json:"scope"`
	Reason  string `json:"reason"`
}

// Limits of what a client is asked.
const (
	maxScope      = 40
	maxCallReason = 300
)

func (in ConsentInput) check(c *call) error {
	if err := c.same(in.Request, ""); err != nil {
		return err
	}
	if err := text("scope", in.Scope, maxScope); err != nil {
		return err
	}
	return text("reason", in.Reason, maxCallReason)
}

// ConsentAnswer tells what became of the question.
type ConsentAnswer struct {
	ID    string       `json:"consent_id"`
	State ConsentState `json:"state"`
	Sent  bool         `json:"message_sent"`
	Error string       `json:"error,omitempty"`
}

// requestCallConsent asks the client whether they may be called. What cannot be asked is written down all the same, and
// expires.
func (b *Broker) requestCallConsent(ctx context.Context, c *call) (outcome, error) {
	in, err := read[ConsentInput](c)
	if err != nil {
		return outcome{}, err
	}
	v := c.view
	k := Consent{ID: newConsentID(v.ID, c.Meta.Key), Request: v.ID, Market: v.Market, Thread: v.Thread, N: len(v.Consents) + 1}
	if before := c.view.consent(k.ID); before != nil { // the same key, when the client could not be asked
		k = *before
	}
	k.Scope, k.Reason = clip(in.Scope, maxScope), clip(in.Reason, maxCallReason)
	k.State, k.AskedAt, k.Until = ConsentRequested, c.now, c.now.Add(offerFor)
	head, err := b.clientHead(ctx, c)
	if err != nil {
		return outcome{}, err
	}
	k.Number = v.proven(head)
	why := c.unasked(head, k)
	if why != "" && k.N > MaxConsents {
		return outcome{output: ConsentAnswer{ID: k.ID, State: k.State, Error: why}, failed: why}, nil
	}
	kept := b.Store.keeps(&k, c.Meta.Actor, c.trace)
	if why != "" {
		return outcome{output: ConsentAnswer{ID: k.ID, State: k.State, Error: why}, failed: why, writes: kept}, nil
	}
	c.view.hold(k)
	c.view.Offer = &Offer{Kind: ConsentKind, Consent: k.ID, ExpiresAt: k.Until}
	out := b.put(c, head)
	out.output, out.writes = ConsentAnswer{ID: k.ID, State: k.State, Sent: true}, append(out.writes, kept...)
	return out, nil
}

// unasked says why the client cannot be asked whether they may be called; "" is no reason.
func (c *call) unasked(head thread.Head, k Consent) string {
	switch {
	case c.view.Thread == "":
		return "the request has no client who could be asked"
	case !c.view.State.Open():
		return fmt.Sprintf("the request is %s", c.view.State)
	case k.N > MaxConsents:
		return fmt.Sprintf("the client was asked %d times about this request, which is the most", MaxConsents)
	case !market.IsE164(k.Number):
		return "no number of the client is proven: they are called at that of their own conversation on WhatsApp only"
	case refusing(head) != "":
		return "the client has just said that they do not want to be called"
	case head.OptedOut:
		return "the client has opted out of messages"
	case c.view.Offer != nil && c.now.Before(c.view.Offer.ExpiresAt):
		return fmt.Sprintf("the client has another question to answer first (%s)", c.view.Offer.Kind)
	case c.InTurn == nil && head.ID != "" && !head.Reachable(c.market, "request_news", false, c.now):
		return "the client has not written for 24 hours, and the market has no approved template for request_news"
	}
	return ""
}

// hold puts a consent into the view, in the place of what it was before.
func (v *View) hold(k Consent) {
	if before := v.consent(k.ID); before != nil {
		*before = k
		return
	}
	v.Consents = append(v.Consents, k)
}

func newConsentID(request, key string) string {
	return ident.New(consentPrefix, "consent", request, key)
}

func newAttemptID(consent string, n int) string {
	return ident.New(attemptPrefix, "attempt", consent, strconv.Itoa(n))
}

// RevokeInput takes the consents of a request back: one, or all.
type RevokeInput struct {
	Request string `json:"request_id"`
	Consent string `json:"consent_id"`
}

func (in RevokeInput) check(c *call) error { return c.same(in.Request, "") }

// Withdrawn tells which consents were taken back.
type Withdrawn struct {
	Success bool     `json:"success"`
	Revoked []string `json:"revoked"`
	Error   string   `json:"error,omitempty"`
}

// revokeCallConsent takes consents back. A call that was not connected with the client by then never is.
func (b *Broker) revokeCallConsent(_ context.Context, c *call) (outcome, error) {
	in, err := read[RevokeInput](c)
	switch {
	case err != nil:
		return outcome{}, err
	case in.Consent != "" && c.view.consent(in.Consent) == nil:
		return outcome{}, errNoConsent
	}
	ws, out := b.revokes(c, c.Meta.Actor, func(k *Consent) bool { return in.Consent == "" || k.ID == in.Consent })
	if len(out.Revoked) == 0 {
		const why = "no consent to be called stands"
		return outcome{output: Withdrawn{Revoked: []string{}, Error: why}, failed: why}, nil
	}
	return outcome{output: out, writes: ws}, nil
}

// SweepConsents lets consents expire whose time is over, and asks the provider what became of attempts that it has not
// told the end of. 16 requests, 2 for each consent that is due and 3 for an attempt.
func (b *Broker) SweepConsents(ctx context.Context, limit int) (done int, err error) {
	_, err = b.Store.Table.EachDueItem(ctx, consentKind, b.Store.now(), dynamo.Budget{Count: limit}, func(it dynamo.Item) (bool, error) {
		var c Consent
		if err := it.Decode(&c); err != nil {
			return false, err
		}
		did, err := b.attendConsent(ctx, c)
		if did {
			done++
		}
		return did, err
	})
	return done, err
}

// AttendConsent looks after one consent, if something of it is due.
func (b *Broker) AttendConsent(ctx context.Context, request, id string) (bool, error) {
	c, err := b.Store.consent(ctx, request, id)
	if err != nil {
		return false, err
	}
	return b.attendConsent(ctx, c)
}

func (b *Broker) attendConsent(ctx context.Context, c Consent) (bool, error) {
	now := b.Store.now()
	if due := c.due(); due.IsZero() || now.Before(due) {
		return false, nil // the index was behind
	}
	if a := c.open(); a != nil {
		_, err := b.settleAttempt(ctx, c, *a)
		return err == nil, err
	}
	c.State = ConsentExpired
	err := b.Store.Table.DB().Commit(ctx, b.Store.keeps(&c, System, "")...)
	if errors.Is(err, ErrChanged) {
		return false, nil // somebody was faster; the next sweep looks again
	}
	return err == nil, err
}
