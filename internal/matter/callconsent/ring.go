package callconsent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
)

// Calls rings the desk and connects it with clients who have consented. Safe for concurrent use.
type Calls struct {
	Store   *Store
	Phone   Phone // nil calls nobody
	Threads interface {
		MayWrite(id string, r thread.Reach, refused func(thread.Why) error) dynamo.Write
	}
	Requests interface {
		// Consent reads a consent with the request that it is about; [fault.NotFound] when there is none.
		Consent(ctx context.Context, request, consent string) (Consent, About, error)
		// StillOpen is the condition that a request is open.
		StillOpen(request string) dynamo.Write
	}
	Alerts interface {
		Raise(ctx context.Context, a alert.Alert, ws ...dynamo.Write) error
	}
}

// Phone is the provider of calls. It has no idempotency key: after an unclear Ring, Find tells whether it has the call.
type Phone interface {
	// Ring rings the desk's telephone. What is to be done once somebody has answered there, the provider asks
	// [Calls.Connect]. Errors are *[RingError].
	Ring(ctx context.Context, r Ring) (id string, err error)

	// Find lists the calls from one number to another that were made since a time.
	Find(ctx context.Context, from, to string, since time.Time) (ids []string, err error)

	// Legs reports how far the two halves of a call of a number have come.
	Legs(ctx context.Context, from, id string) (desk, client Leg, err error)

	// HangUp ends both halves of a call of a number, however far they have come.
	HangUp(ctx context.Context, from, id string) error
}

// Place is where an attempt is kept. The provider gives it back with whatever it says of the call.
type Place struct{ Request, Consent, Attempt string }

// Ring is a telephone to be rung.
type Ring struct {
	Place
	From string // the market's WhatsApp number
	To   string // the desk's telephone
}

// RingError is a call that the provider has not made, or that it may have made.
type RingError struct {
	Unclear bool   // it may have been made
	Refused string // why the provider will not call this client; "" is another reason
	Reason  string // in our words
	Err     error
}

func (e *RingError) Error() string { return "ring: " + e.Reason }

func (e *RingError) Unwrap() error { return e.Err }

// Rung tells what became of a call.
type Rung struct {
	Success  bool   `json:"success"`
	Attempt  string `json:"call_attempt_id,omitempty"`
	Provider string `json:"provider_call_id,omitempty"`
	Error    string `json:"error,omitempty"`
}

// unrung is the answer to a call that is not made.
func unrung(format string, args ...any) Rung { return Rung{Error: fmt.Sprintf(format, args...)} }

// errUnknown says that nobody knows yet whether the desk was rung.
var errUnknown = fault.New(fault.Unavailable,
	"the provider has not said whether it makes the call: try again with the same key in a minute")

// uncalling are the country codes whose business numbers may not call on WhatsApp: of the USA and Canada, Turkey, Egypt,
// Vietnam and Nigeria.
// https://www.infobip.com/docs/whatsapp/whatsapp-business-calling/business-initiated-calling#availability
var uncalling = []string{"+1", "+90", "+20", "+84", "+234"}

// caribbean are the area codes below +1 that are of neither the USA nor Canada.
// https://nationalnanpa.com/area_codes
var caribbean = []string{
	"242", "246", "264", "268", "284", "345", "441", "473", "649", "658", "664", "721", "758", "767", "784", "809", "829", "849", "868", "869",
	"876",
}

// MayCall reports whether a business may call people on WhatsApp from a number, by the number's country.
func MayCall(number string) bool {
	of := func(codes []string, rest string) bool {
		return slices.ContainsFunc(codes, func(code string) bool { return strings.HasPrefix(rest, code) })
	}
	if rest, ok := strings.CutPrefix(number, "+1"); ok && of(caribbean, rest) {
		return true
	}
	return !of(uncalling, number)
}

// system is who changes a consent of itself.
const system = "system"

// errStopped says that the client wants to hear nothing more.
var errStopped = errors.New("the client has opted out")

// Start asks for a call.
type Start struct {
	About      About
	Key        string // of the call of the tool
	Scope      string // what it is for; "" is what the consent is for
	From, Desk string // the market's WhatsApp number, and its desk's telephone; "" if there is no such number
	By, Trace  string
	Now        time.Time
}

// About is what a call depends on of the request that it is about.
type About struct {
	Code   string
	Over   string                                         // its state, where it is over; "" is open
	Client func(ctx context.Context) (thread.Head, error) // head of the client's conversation; of none it is empty
}

// Start rings the desk, which is then connected with the client. The attempt is written down before the provider is asked, in
// a transaction that holds only while the consent stands and no other attempt is open. The writes belong in the transaction of
// the answer.
func (b *Calls) Start(ctx context.Context, k *Consent, in Start) (Rung, []dynamo.Write, error) {
	if a := k.rung(in.Key); a != nil {
		return Rung{Success: true, Attempt: a.ID, Provider: a.ProviderID}, nil, nil
	}
	if a := k.open(); a != nil {
		if goesOn, out, err := b.openAttempt(ctx, in, k, *a); !goesOn || err != nil {
			return out, nil, err
		}
	}
	why, err := b.uncallable(ctx, in, k)
	if err != nil || why != "" {
		return unrung("%s", why), nil, err
	}
	a := Attempt{ID: newAttemptID(k.ID, len(k.Attempts)+1), Key: in.Key, From: in.From, Phone: in.Desk, At: in.Now, LookAt: in.Now.Add(lookAfter)}
	k.Attempts = append(k.Attempts, a)
	stopped, err := b.whileItStands(ctx, k, in.By, in.Trace)
	switch {
	case err != nil:
		return Rung{}, nil, err
	case stopped:
		return unrung(optedOut), nil, nil
	}
	return b.ring(ctx, *k, a)
}

// openAttempt decides about an attempt that is not over yet: of the same call it is the answer, of another
// it stands in the way. Where it is not known whether the provider has it, the provider is asked. goesOn says that
// nothing comes of it any more.
func (b *Calls) openAttempt(ctx context.Context, in Start, k *Consent, a Attempt) (goesOn bool, r Rung, err error) {
	mine := a.Key == in.Key
	if a.ProviderID == "" && b.Phone != nil && (mine || in.Now.Sub(a.At) >= foundAfter) {
		settled, err := b.settleAttempt(ctx, *k, a)
		switch {
		case err == nil:
			*k, a = settled, *settled.attempt(a.ID)
		case mine:
			return false, Rung{}, err
		}
	}
	switch {
	case a.Over:
		return true, Rung{}, nil
	case !mine:
		return false, unrung("a call with this consent is being made"), nil
	case a.ProviderID == "":
		return false, Rung{}, errUnknown
	}
	return false, Rung{Success: true, Attempt: a.ID, Provider: a.ProviderID}, nil
}

// uncallable says why the client may not be called now; "" is no reason.
func (b *Calls) uncallable(ctx context.Context, in Start, k *Consent) (string, error) {
	head, err := in.About.Client(ctx)
	if err != nil {
		return "", err
	}
	if head.OptedOut || !head.StoppedAt.Before(k.AskedAt) {
		return optedOut, b.stop(ctx, k, "STOP")
	}
	if said := Refusing(head); said != "" {
		return refusedCalls, b.stop(ctx, k, ByMessage(said))
	}
	why := k.refusal(in.Now)
	switch {
	case why != "":
	case in.Scope != "" && strings.TrimSpace(in.Scope) != k.Scope:
		why = fmt.Sprintf("the consent is for another scope: %s", k.Scope)
	case in.About.Over != "":
		why = fmt.Sprintf("the request is %s", in.About.Over)
	case len(k.Attempts) >= MaxAttempts:
		why = fmt.Sprintf("%d attempts were made with this consent, which is the most: ask the client again", MaxAttempts)
	case in.Desk == "":
		why = "the market has no telephone of its desk (desk.phone)"
	case b.Phone == nil || in.From == "":
		why = "calls are off: Twilio is not configured"
	case !MayCall(in.From):
		why = "WhatsApp lets no business call from a number of this country (" + in.From + "): the desk has been told to call itself"
		return why, b.Alerts.Raise(ctx, alert.Alert{
			Check: "call", Severity: alert.Warning, Subject: k.Request, Of: k.ID,
			Message: "the client of request " + in.About.Code + " has agreed to a call, which WhatsApp does not let the market's number make: telephone",
		})
	}
	return why, nil
}

// whileItStands commits a consent on condition that the client may still be called by it: it is as it was read, the
// request is open, and the client has not written STOP since they were asked. stopped says that they have; the consent
// is revoked then.
func (b *Calls) whileItStands(ctx context.Context, k *Consent, by, trace string) (stopped bool, err error) {
	ws := append(b.Store.Keeps(k, by, trace),
		b.Requests.StillOpen(k.Request).Else(ErrChanged),
		b.Threads.MayWrite(k.Thread, thread.Reach{Beside: true, UnstoppedSince: k.AskedAt}, func(thread.Why) error { return errStopped }))
	err = b.Store.Table.DB().Commit(ctx, ws...)
	if errors.Is(err, errStopped) {
		return true, b.stop(ctx, k, "STOP")
	}
	if err != nil && !errors.Is(err, ErrChanged) {
		err = fmt.Errorf("consent %s: %w", k.ID, err)
	}
	return false, err
}

const (
	optedOut     = "the client has opted out of messages"
	refusedCalls = "the client does not want to be called"
)

// stop revokes a consent whose client has written STOP, or that they do not want to be called.
func (b *Calls) stop(ctx context.Context, k *Consent, by string) error {
	_, err := b.change(ctx, k.Request, k.ID, system, func(k *Consent) bool {
		stands := k.State.Stands()
		if stands {
			k.State, k.EndedBy = Revoked, by
		}
		return stands
	})
	return err
}

// ring has the provider ring the desk, and notes what it answers.
func (b *Calls) ring(ctx context.Context, k Consent, a Attempt) (Rung, []dynamo.Write, error) {
	id, err := b.Phone.Ring(ctx, Ring{Place: Place{k.Request, k.ID, a.ID}, From: a.From, To: a.Phone})
	var failed *RingError
	switch {
	case err == nil: // a report that came meanwhile knows the call's id, and the call finds that when it is carried out again
		k.attempt(a.ID).ProviderID = id
		return Rung{Success: true, Attempt: a.ID, Provider: id}, b.Store.Keeps(&k, system, ""), nil
	case !errors.As(err, &failed) || failed.Unclear:
		if k, err = b.settleAttempt(ctx, k, a); err != nil {
			return Rung{}, nil, err
		}
		if found := k.attempt(a.ID); found.ProviderID != "" {
			return Rung{Success: true, Attempt: a.ID, Provider: found.ProviderID}, nil, nil
		}
		return Rung{}, nil, errUnknown
	}
	_, err = b.note(ctx, Place{k.Request, k.ID, a.ID}, func(k *Consent, a *Attempt) bool {
		k.Refused = cmp.Or(k.Refused, failed.Refused)
		a.Over, a.Failure = true, failed.Reason
		return true
	})
	if failed.Refused != "" {
		return unrung("the provider does not call this client (%s): ask again, or use the desk", failed.Refused), nil, err
	}
	return unrung("the provider has not made the call (%s)", failed.Reason), nil, err
}

// settleAttempt asks the provider what became of an attempt, and notes that. One that the provider does not know is over
// once its list would have it. So is one that cannot be told from others: whatever comes of it, the client is not called,
// because [Calls.Connect] connects nobody for what is over.
func (b *Calls) settleAttempt(ctx context.Context, k Consent, a Attempt) (Consent, error) {
	now := b.Store.now()
	at := Place{k.Request, k.ID, a.ID}
	if b.Phone == nil {
		return b.note(ctx, at, func(_ *Consent, a *Attempt) bool { return a.later(now) })
	}
	id, why := a.ProviderID, ""
	if id == "" {
		ids, err := b.Phone.Find(ctx, a.From, a.Phone, a.At)
		if err != nil {
			return k, fault.Wrap(err, fault.Unavailable, "the provider does not say whether it has the call")
		}
		ids = slices.DeleteFunc(ids, func(id string) bool {
			return slices.ContainsFunc(k.Attempts, func(other Attempt) bool { return other.ProviderID == id })
		})
		switch {
		case len(ids) == 1:
			id = ids[0]
		case len(ids) > 1:
			why = "the provider has several calls to the desk, of which this may be one"
		case now.Sub(a.At) >= foundAfter:
			why = "the provider has no such call"
		default:
			return k, nil
		}
	}
	var desk, client Leg
	if id != "" {
		var err error
		if desk, client, err = b.Phone.Legs(ctx, a.From, id); err != nil {
			return k, fault.Wrap(err, fault.Unavailable, "the provider does not say what became of the call")
		}
	}
	return b.note(ctx, at, func(_ *Consent, a *Attempt) bool {
		if id != "" {
			if a.ProviderID == "" {
				a.ProviderID, a.Guessed = id, true
			}
			a.heard(desk, client)
		} else if a.ProviderID == "" {
			a.Over, a.Failure = true, why
		}
		a.later(now)
		return true
	})
}

// HangUp ends the call of a consent that was revoked, unless the client has answered it. It may come again. A call that the
// provider does not know by then is left to [Calls.Sweep]: what that finds out is an event, too.
func (b *Calls) HangUp(ctx context.Context, k Consent) error {
	a := k.open()
	if k.State != Revoked || a == nil || a.ProviderID == "" || a.Guessed || b.Phone == nil {
		return nil
	}
	desk, client, err := b.Phone.Legs(ctx, a.From, a.ProviderID)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "the provider does not say what became of the call")
	}
	if a.Dialled && client.connected() {
		return nil
	}
	if !desk.ended() {
		if err := b.Phone.HangUp(ctx, a.From, a.ProviderID); err != nil {
			return fault.Wrap(err, fault.Unavailable, "the provider does not end the call")
		}
	}
	_, err = b.note(ctx, Place{k.Request, k.ID, a.ID}, func(_ *Consent, a *Attempt) bool {
		if a.Over || a.Client.connected() {
			return false
		}
		if a.heard(desk, client); a.Over { // it has ended already
			return true
		}
		if a.Client != "" {
			a.Client = a.Client.Then(LegUnanswered)
		}
		a.Over, a.Failure = true, "the client has taken the consent back"
		return true
	})
	return err
}

// heard notes how far the halves of the call have come. The client's half counts only if the client's number was given
// out for this attempt: what else the desk's telephone is connected with is another's.
func (a *Attempt) heard(desk, client Leg) {
	a.Desk = a.Desk.Then(desk)
	if a.Dialled {
		a.Client = a.Client.Then(client)
		a.Over = a.Over || a.Desk.ended() && client == "" // the desk rang off before the client's telephone rang
	}
	a.settled()
}

// later puts the next look at the attempt off, and gives it up when nothing was heard of it for long.
func (a *Attempt) later(now time.Time) bool {
	a.LookAt = now.Add(lookAfter)
	if now.Sub(a.At) >= giveUp && !a.Over {
		a.Over, a.Failure = true, "nothing was heard of its end"
	}
	return true
}

// change changes a consent, whatever else changes it meanwhile. change reports whether it has.
func (b *Calls) change(ctx context.Context, request, consent, by string, change func(k *Consent) bool) (Consent, error) {
	k, err := dynamo.Retry(ctx, b.Store.Table.DB(), ErrChanged, func() (Consent, error) {
		k, err := b.Store.get(ctx, request, consent)
		if err != nil || !change(&k) {
			return k, err
		}
		return k, b.Store.Table.DB().Commit(ctx, b.Store.Keeps(&k, by, "")...)
	})
	if err != nil {
		return k, fmt.Errorf("consent %s: %w", consent, err)
	}
	return k, nil
}

// note changes an attempt, and ends it when no call can come of it any more.
func (b *Calls) note(ctx context.Context, at Place, change func(k *Consent, a *Attempt) bool) (Consent, error) {
	gone := false
	k, err := b.change(ctx, at.Request, at.Consent, system, func(k *Consent) bool {
		a := k.attempt(at.Attempt)
		if gone = a == nil; gone || !change(k, a) {
			return false
		}
		a.settled()
		return true
	})
	if err == nil && gone {
		err = ErrNone
	}
	return k, err
}

// Connection says whom to connect with the desk.
type Connection struct{ From, To string }

// Connect decides whether the desk, which has answered a call, is connected with the client. It is the last moment at
// which the consent is looked at: the client's number is given out in a transaction that holds only while the consent
// stands, so that a revocation that committed before is never followed by a call. ok is false when nobody is to be called.
func (b *Calls) Connect(ctx context.Context, at Place, callID string) (to Connection, ok bool, err error) {
	to, err = dynamo.Retry(ctx, b.Store.Table.DB(), ErrChanged, func() (to Connection, err error) {
		to, ok, err = b.connect(ctx, at, callID)
		return to, err
	})
	return to, ok, err
}

func (b *Calls) connect(ctx context.Context, at Place, callID string) (Connection, bool, error) {
	k, about, err := b.Requests.Consent(ctx, at.Request, at.Consent)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && k.attempt(at.Attempt) == nil:
		return Connection{}, false, nil
	case err != nil:
		return Connection{}, false, err
	}
	a := k.attempt(at.Attempt)
	again := a.Dialled && a.ProviderID == callID && a.Client == "" // the provider has lost the answer
	if a.Over || a.Dialled && !again {
		return Connection{}, false, nil
	}
	head, err := about.Client(ctx)
	if err != nil {
		return Connection{}, false, err
	}
	why := k.refusal(b.Store.now())
	switch {
	case why != "":
	case about.Over != "":
		why = fmt.Sprintf("the request is %s", about.Over)
	case Refusing(head) != "":
		why = refusedCalls
		if err := b.stop(ctx, &k, ByMessage(Refusing(head))); err != nil {
			return Connection{}, false, err
		}
	}
	if why != "" {
		return Connection{}, false, b.drop(ctx, at, why)
	}
	a.ProviderID, a.Guessed, a.Dialled, a.Desk = callID, false, true, a.Desk.Then(LegAnswered)
	stopped, err := b.whileItStands(ctx, &k, system, "")
	if err != nil || stopped {
		return Connection{}, false, err
	}
	return Connection{From: a.From, To: k.Number}, true, nil
}

// drop ends an attempt for which the client may not be called any more.
func (b *Calls) drop(ctx context.Context, at Place, why string) error {
	_, err := b.note(ctx, at, func(_ *Consent, a *Attempt) bool {
		if a.Over || a.Client != "" {
			return false
		}
		a.Over, a.Failure = true, why
		return true
	})
	return err
}

// Report is what the provider says of one half of a call.
type Report struct {
	CallID  string // of the desk's half
	Leg     Leg
	Client  bool   // it is the client's half
	Refused string // why the provider will not call this client; "" is nothing
}

// Heard notes what the provider says of a call. Reports may come late, twice and in any order, and of what is not
// known.
func (b *Calls) Heard(ctx context.Context, at Place, r Report) error {
	_, err := b.note(ctx, at, func(k *Consent, a *Attempt) bool {
		before, refused := *a, k.Refused
		if !a.Dialled && r.CallID != "" {
			a.ProviderID, a.Guessed = r.CallID, false // the place in the report's address is the attempt's own
		}
		if r.Client {
			a.heard("", r.Leg)
		} else {
			a.Desk = a.Desk.Then(r.Leg)
		}
		if r.Refused != "" && !k.used() {
			k.Refused = cmp.Or(k.Refused, r.Refused)
			a.Failure = cmp.Or(a.Failure, r.Refused)
		}
		a.settled()
		return *a != before || k.Refused != refused
	})
	if fault.Is(err, fault.NotFound) {
		return nil // erased, or never ours
	}
	return err
}

// Sweep lets consents expire whose time is over, and asks the provider what became of attempts that it has not
// told the end of. 16 requests, 2 for each consent that is due and 3 for an attempt.
func (b *Calls) Sweep(ctx context.Context, most dynamo.Budget) (done int, err error) {
	_, err = b.Store.Table.EachDueItem(ctx, consentKind, b.Store.now(), most, func(it dynamo.Item) (bool, error) {
		var c Consent
		if err := it.Decode(&c); err != nil {
			return false, err
		}
		did, err := b.attend(ctx, c)
		if did {
			done++
		}
		return did, err
	})
	return done, err
}

// Attend looks after one consent, if something of it is due.
func (b *Calls) Attend(ctx context.Context, request, id string) (bool, error) {
	c, err := b.Store.get(ctx, request, id)
	if err != nil {
		return false, err
	}
	return b.attend(ctx, c)
}

func (b *Calls) attend(ctx context.Context, c Consent) (bool, error) {
	now := b.Store.now()
	if due := c.due(); due.IsZero() || now.Before(due) {
		return false, nil // the index was behind
	}
	if a := c.open(); a != nil {
		_, err := b.settleAttempt(ctx, c, *a)
		return err == nil, err
	}
	c.State = Expired
	err := b.Store.Table.DB().Commit(ctx, b.Store.Keeps(&c, system, "")...)
	if errors.Is(err, ErrChanged) {
		return false, nil // somebody was faster; the next sweep looks again
	}
	return err == nil, err
}
