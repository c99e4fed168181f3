package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Provider sends messages of one channel.
type Provider interface {
	// Send sends m and returns the provider's id. Errors are *[SendError].
	Send(ctx context.Context, m Message) (providerID string, err error)

	// Find lists the messages that the provider has accepted for m's recipient since a time, newest
	// first, to settle a send whose answer was lost.
	Find(ctx context.Context, m Message, since time.Time) ([]Found, error)
}

// Found is a message as the provider knows it.
type Found struct {
	ProviderID string
	Text       string
	Status     Status
}

// Outcome is the consequence of a failed send.
type Outcome string

const (
	Permanent Outcome = "permanent" // will never go
	Retry     Outcome = "retry"     // nothing was sent; later it may
	Unclear   Outcome = "unclear"   // it may have been sent
)

// SendError is a failed send.
type SendError struct {
	Outcome Outcome
	Reason  string        // code and meaning, no personal data
	After   time.Duration // how long the provider asks to wait, if it does
	Err     error
}

func (e *SendError) Error() string { return fmt.Sprintf("%s: %s", e.Outcome, e.Reason) }
func (e *SendError) Unwrap() error { return e.Err }

// Sender is the one place from which messages go out.
type Sender struct {
	Box       *Box
	Providers map[channel.Channel]Provider
	Threads   Threads
	People    People
	// Alert tells the operators of a message that was given up.
	Alert func(ctx context.Context, m Message) error
	// TellUntold tells a customer that a business has not got a message about them.
	TellUntold func(ctx context.Context, m Message) error
	Log        *slog.Logger
}

const (
	claimFor    = 60 * time.Second // longer than a provider call can take, and than its list lags behind
	maxAttempts = 6
	skew        = 10 * time.Second // how far a provider's clock may be behind ours
)

// waits is how long to wait after the n-th failed attempt.
var waits = [maxAttempts]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour}

// Deliver takes m, as last seen, one step further: it sends a queued message, settles
// one claimed by a sender that never reported the outcome, and tells the operators of
// a failed one. It may be called any number of times, by any number of senders.
func (s *Sender) Deliver(ctx context.Context, m Message) error {
	switch {
	case m.Status == Queued:
		return s.send(ctx, m)
	case m.Status == Sending && !m.ClaimUntil.After(s.Box.Now()):
		return s.settle(ctx, m)
	case m.Status == Failed && m.DueShard == dynamo.DueShard(dueKind, m.Thread):
		return s.bury(ctx, m)
	}
	return nil // at work elsewhere, or done
}

// errTaken means that m is no longer as the sender knows it: somebody else has gone on.
var errTaken = errors.New("another sender has it")

// change is a write that holds only while m is as the sender knows it: in the same
// status, attempt and claim. So a sender that comes back late changes nothing.
func (s *Sender) change(m Message, update string, vals dynamo.V) dynamo.Write {
	w := s.Box.Table.Update(key(m.Thread, m.ID), update, vals).
		If("#status = :was AND attempts = :n", dynamo.V{":was": m.Status, ":n": m.Attempts}).Else(errTaken)
	if m.Status == Sending {
		w = w.If("claimUntil = :claim", dynamo.V{":claim": m.ClaimUntil})
	}
	return w
}

// commit makes a change, and reports whether m was still as known.
func (s *Sender) commit(ctx context.Context, what string, m Message, ws ...dynamo.Write) (done bool, err error) {
	err = s.Box.Table.DB().Commit(ctx, ws...)
	if errors.Is(err, errTaken) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s %s of %s: %w", what, m.ID, m.Thread, err)
	}
	return true, nil
}

// errUnasked means that what m asks waits for no answer.
var errUnasked = errors.New("what it asks waits for no answer")

// lost makes a change to m, which nobody got, and with it the doubt about what m asks.
func (s *Sender) lost(ctx context.Context, what string, m Message, w dynamo.Write) (done bool, err error) {
	if m.Pending != "" {
		if done, err = s.commit(ctx, what, m, w, s.Threads.Doubt(m.Thread, m.Pending).Else(errUnasked)); !errors.Is(err, errUnasked) {
			return done, err
		}
	}
	return s.commit(ctx, what, m, w)
}

// send claims m and sends it.
func (s *Sender) send(ctx context.Context, m Message) error {
	provider := s.Providers[m.Channel]
	if provider == nil {
		return s.fail(ctx, m, "no provider is configured for "+string(m.Channel))
	}
	now := s.Box.Now()
	until := now.Add(claimFor)
	// It stays due where it is: moving it in the index would cost as much as the claim.
	claim := s.change(m, "SET #status = :sending, claimUntil = :until, attempts = :next, firstTry = if_not_exists(firstTry, :now) REMOVE #error, asked",
		dynamo.V{":sending": Sending, ":until": until, ":now": now, ":next": m.Attempts + 1})
	ws := append([]dynamo.Write{claim}, s.mayGoOut(m)...)
	if m.After != "" {
		ws = append(ws, s.itsTurn(m))
	}
	err := s.Box.Table.DB().Commit(ctx, ws...)
	var refused *refusal
	switch {
	case errors.Is(err, errTaken):
		return nil
	case errors.Is(err, errEarly):
		return s.wait(ctx, m)
	case errors.As(err, &refused) && refused.why == thread.Unasked && m.Rest > 0:
		return s.withoutQuestion(ctx, m)
	case errors.As(err, &refused) && refused.why == thread.Undoubted:
		return s.afterDoubt(ctx, m)
	case errors.As(err, &refused):
		return s.giveUp(ctx, m, refused.reason, !refused.why.Wanted())
	case err != nil:
		return fmt.Errorf("claim %s of %s: %w", m.ID, m.Thread, err)
	}
	if s.Box.Now().Sub(now) > claimFor/2 {
		return nil // too slow: the claim may run out during the send, and the sweep settles it
	}
	m.Status, m.Attempts, m.ClaimUntil = Sending, m.Attempts+1, until
	return s.sent(ctx, m, provider)
}

// withoutQuestion removes from m the question that no longer waits for an answer, and sends the rest.
func (s *Sender) withoutQuestion(ctx context.Context, m Message) error {
	rest := m.Text[:m.Rest]
	done, err := s.commit(ctx, "take the question from", m,
		s.change(m, "SET #text = :rest REMOVE pending, buttons, #rest", dynamo.V{":rest": rest}))
	if err != nil || !done {
		return err
	}
	m.Text, m.Pending, m.Buttons, m.Rest = rest, "", nil, 0
	return s.send(ctx, m)
}

// afterDoubt sends m once it is in doubt what waits for an answer: the next one may be meant for m.
func (s *Sender) afterDoubt(ctx context.Context, m Message) error {
	err := s.Box.Table.DB().Commit(ctx, s.Threads.Doubt(m.Thread, m.Pending).Else(errUnasked))
	if err != nil && !errors.Is(err, errUnasked) {
		return fmt.Errorf("doubt before %s of %s: %w", m.ID, m.Thread, err)
	}
	return s.send(ctx, m)
}

// errEarly means that the message before m may still go out.
var errEarly = errors.New("another message goes first")

// itsTurn is the condition that the message before m has gone, or never will.
func (s *Sender) itsTurn(m Message) dynamo.Write {
	return s.Box.Table.Check(key(m.Thread, m.After), "attribute_not_exists(pk) OR NOT #status IN (:queued, :sending)",
		dynamo.V{":queued": Queued, ":sending": Sending}).Else(errEarly)
}

// wait leaves m, which is early, to a later sweep. It moves m back in the due index: m must not stay there forever
// ahead of the message that it waits for, whose retries come ever later.
func (s *Sender) wait(ctx context.Context, m Message) error {
	now := s.Box.Now()
	if m.DueAt.After(now) {
		return nil
	}
	_, err := s.commit(ctx, "put off", m, s.change(m, "SET dueAt = :due", dynamo.V{":due": now.Add(claimFor)}))
	return err
}

// sent calls the provider and records what came of it.
func (s *Sender) sent(ctx context.Context, m Message, provider Provider) error {
	start := time.Now()
	id, err := provider.Send(ctx, m)
	telemetry.CountTime(ctx, "provider", time.Since(start))
	var failed *SendError
	switch {
	case err == nil:
		s.log(ctx, m, "sent", "")
		return s.record(ctx, m, id)
	case !errors.As(err, &failed):
		s.log(ctx, m, "unclear", "no answer")
		return nil // the claim runs out, and the sweep asks the provider
	case failed.Outcome == Unclear:
		s.log(ctx, m, "unclear", failed.Reason)
		return nil
	case failed.Outcome == Permanent:
		return s.fail(ctx, m, failed.Reason)
	case m.Attempts >= maxAttempts:
		return s.fail(ctx, m, fmt.Sprintf("given up after %d attempts: %s", m.Attempts, failed.Reason))
	}
	s.log(ctx, m, "retry", failed.Reason)
	_, err = s.queueAgain(ctx, m, max(failed.After, waits[m.Attempts-1]), failed.Reason)
	return err
}

// settle finds out whether an unclear send happened, and sends again only if not. It
// claims m first, so that nobody else settles it, or another like it, meanwhile.
func (s *Sender) settle(ctx context.Context, m Message) error {
	provider := s.Providers[m.Channel]
	if provider == nil {
		return s.fail(ctx, m, "no provider is configured for "+string(m.Channel))
	}
	until := s.Box.Now().Add(claimFor)
	mine, err := s.commit(ctx, "claim", m, s.change(m, "SET claimUntil = :until", dynamo.V{":until": until}))
	if err != nil || !mine {
		return err
	}
	m.ClaimUntil = until
	found, err := provider.Find(ctx, m, m.FirstTry.Add(-skew))
	if err != nil {
		return s.notTold(ctx, m, err)
	}
	o, err := s.others(ctx, m) // after the answer, so that every send in it is either known or still at work
	if err != nil || o.wait {
		return err
	}
	var fits []Found
	for _, f := range found {
		if !o.known[f.ProviderID] && m.mayBe(f) && (m.Template == nil || !o.texts[f.Text]) {
			fits = append(fits, f)
		}
	}
	switch n := len(fits); {
	case n > o.rivals(fits):
		s.log(ctx, m, "settled", "")
		return s.Box.Note(ctx, fits[n-1].report(m)) // a newer one may be that of a later message, for which the oldest is too old
	case m.Attempts >= maxAttempts:
		return s.fail(ctx, m, fmt.Sprintf("given up after %d attempts with no answer", m.Attempts))
	}
	reason := "no answer, and the provider does not have it"
	for _, f := range fits { // one of several went out: it comes twice, rather than another never
		reason = "no answer, and what the provider has may be another message"
		m.Former = append(m.Former, f.ProviderID)
	}
	queued, err := s.queueAgain(ctx, m, 0, reason)
	if err != nil || !queued {
		return err
	}
	m.Status = Queued
	return s.send(ctx, m)
}

// notTold asks again later, ever more rarely. A provider that cannot be asked for too long must
// not hold up the messages behind m forever: m may have gone out, so a person decides.
func (s *Sender) notTold(ctx context.Context, m Message, cause error) error {
	if m.Asked++; m.Asked >= maxAttempts {
		return s.fail(ctx, m, "unclear: the provider cannot be asked")
	}
	due := s.Box.Now().Add(max(claimFor, waits[m.Asked-1]))
	_, err := s.commit(ctx, "put off", m, s.change(m, "SET asked = :asked, dueAt = :due", dynamo.V{":asked": m.Asked, ":due": due}))
	return errors.Join(fault.Wrap(cause, fault.Unavailable, "asking the provider about %s", m.ID), err)
}

// mayBe reports whether what the provider has can be m. The provider words a template,
// so all that is known of its text are the parameters in it.
func (m Message) mayBe(f Found) bool {
	if m.Template == nil {
		return f.Text == m.Text
	}
	if f.Text == "" {
		return true // as Twilio, of what a messaging service sends: github.com/twilio/twilio-node/issues/1081
	}
	for _, value := range m.Template.Vars {
		if !strings.Contains(f.Text, value) {
			return false
		}
	}
	return true
}

// looks returns the trait by which the provider may show two messages alike: their text, or that
// the provider words them.
func (m Message) looks() string {
	if m.Template != nil {
		return "template"
	}
	return "text " + m.Text
}

func (f Found) report(m Message) StatusReport {
	r := StatusReport{Thread: m.Thread, ID: m.ID, ProviderID: f.ProviderID, Status: f.Status}
	if f.Status == Failed {
		r.Error = "the provider could not deliver it"
	}
	return r
}

// others are the other messages of a thread that matter to one whose send is unclear.
type others struct {
	known   map[string]bool // the provider's ids that are theirs
	texts   map[string]bool // of those without such an id: a message with these words is not one of a template
	wait    bool            // one that looks alike is at work, and an id that is not known may be its
	unclear []Message       // as well, and worded by the provider
}

func (s *Sender) others(ctx context.Context, m Message) (others, error) {
	all, err := s.Box.all(ctx, m.Thread)
	if err != nil {
		return others{}, err
	}
	found := others{known: map[string]bool{}, texts: map[string]bool{}}
	for _, o := range all {
		for _, id := range o.Former {
			found.known[id] = true
		}
		if o.ID == m.ID {
			continue
		}
		switch {
		case o.ProviderID != "":
			found.known[o.ProviderID] = true
		case o.Template == nil:
			found.texts[o.Text] = true
		}
		switch alike := o.looks() == m.looks(); {
		case alike && o.ClaimUntil.After(s.Box.Now()):
			found.wait = true
		case alike && o.Status == Sending && !reflect.DeepEqual(o.Template, m.Template):
			found.unclear = append(found.unclear, o)
		}
	}
	delete(found.texts, "") // those forgotten have none
	return found, nil
}

// rivals counts the other messages that may be the ones found. Those with the same words do not count: it makes
// no difference which of them went out.
func (o others) rivals(found []Found) (n int) {
	for _, m := range o.unclear {
		if slices.ContainsFunc(found, m.mayBe) {
			n++
		}
	}
	return n
}

// record notes the provider's id. A callback that was faster is left as it is.
func (s *Sender) record(ctx context.Context, m Message, providerID string) error {
	_, err := s.commit(ctx, "record", m, s.change(m,
		"SET #status = :sent, providerId = :id, sentAt = :now REMOVE dueShard, dueAt, claimUntil",
		dynamo.V{":sent": Sent, ":id": providerID, ":now": s.Box.Now()}))
	return err
}

func (s *Sender) queueAgain(ctx context.Context, m Message, wait time.Duration, reason string) (done bool, err error) {
	set, vals := "SET #status = :queued, #error = :why, dueAt = :due", dynamo.V{":queued": Queued, ":why": reason, ":due": s.Box.Now().Add(wait)}
	if len(m.Former) > 0 {
		set, vals[":former"] = set+", former = :former", m.Former
	}
	return s.commit(ctx, "queue again", m, s.change(m, set+" REMOVE claimUntil", vals))
}

// fail gives m up: a dead letter with an alert, which an operator can send again.
func (s *Sender) fail(ctx context.Context, m Message, reason string) error {
	return s.giveUp(ctx, m, reason, true)
}

func (s *Sender) giveUp(ctx context.Context, m Message, reason string, alert bool) error {
	s.log(ctx, m, "failed", reason)
	kind := deadKind
	if alert = alert || m.Origin != nil || m.tellsOfCustomer(); alert {
		kind = dueKind // until the operators have been told
	}
	done, err := s.lost(ctx, "give up", m, s.change(m,
		"SET #status = :failed, #error = :why, dueShard = :shard, dueAt = :now REMOVE claimUntil",
		dynamo.V{":failed": Failed, ":why": reason, ":now": s.Box.Now(), ":shard": dynamo.DueShard(kind, m.Thread)}))
	if err != nil || !done || !alert {
		return err
	}
	m.Status, m.Error = Failed, reason
	return s.bury(ctx, m)
}

// tellsOfCustomer reports whether m tells a business about a customer's action, which the customer relies on.
func (m Message) tellsOfCustomer() bool {
	return m.Kind == ToBusiness && m.About != "" && m.Customer != ""
}

// bury reports that m will not go out: to the person whose words it passes on, to the customer whom a business does not
// hear about, and to the operators, unless the recipient or the desk wants no message. Then it leaves m to the operators.
// The next sweep does whatever fails on the way.
func (s *Sender) bury(ctx context.Context, m Message) error {
	if m.Origin != nil {
		if err := s.Box.Table.DB().Commit(ctx, s.Box.Put(m.Origin.Undelivered(m))); err != nil && !errors.Is(err, ErrDuplicate) {
			return fmt.Errorf("tell the origin of %s of %s: %w", m.ID, m.Thread, err)
		}
	}
	if m.tellsOfCustomer() {
		if err := s.TellUntold(ctx, m); err != nil {
			return fmt.Errorf("tell the customer of %s of %s: %w", m.ID, m.Thread, err)
		}
	}
	if !thread.Why(m.Error).Wanted() || m.tellsOfCustomer() {
		if err := s.Alert(ctx, m); err != nil {
			return fmt.Errorf("alert of %s of %s: %w", m.ID, m.Thread, err)
		}
	}
	_, err := s.lost(ctx, "bury", m, s.change(m, "SET dueShard = :dead", dynamo.V{":dead": dynamo.DueShard(deadKind, m.Thread)}))
	return err
}

func (s *Sender) log(ctx context.Context, m Message, what, reason string) {
	s.Log.InfoContext(telemetry.WithTrace(ctx, m.Trace), "outbox", "message", m.ID, "thread", m.Thread,
		"channel", m.Channel, "kind", m.Kind, "outcome", what, "attempt", m.Attempts, "reason", reason)
}
