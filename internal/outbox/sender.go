package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/fault"
	"merve/internal/telemetry"
)

// Provider sends messages of one channel.
type Provider interface {
	// Send sends m and returns the provider's id. Errors are *[SendError].
	Send(ctx context.Context, m Message) (providerID string, err error)

	// Find lists what the provider has taken for m's recipient since a time, newest
	// first, to settle a send whose answer was lost.
	Find(ctx context.Context, m Message, since time.Time) ([]Found, error)
}

// Found is a message as the provider knows it.
type Found struct {
	ProviderID string
	Text       string
	Status     Status
}

// Outcome is what a failed send means.
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
	// MayWrite is the condition, on the recipient's thread, that m may go out now:
	// not opted out, not taken over by a person, within the provider's window.
	MayWrite func(m Message) dynamo.Write
	// Alert tells the operators of a message that was given up.
	Alert func(ctx context.Context, m Message) error
	Log   *slog.Logger
}

const (
	claimFor    = 60 * time.Second // longer than a provider call can take
	maxAttempts = 6
	askAfter    = 10 * time.Second // a provider's list lags behind its sends
)

// waits is how long to wait after the n-th failed attempt.
var waits = [maxAttempts]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour}

// Deliver brings m, as last seen, one step further: it sends what is queued, and settles
// what was claimed by a sender that never told the outcome. It may be called any number
// of times, by any number of senders.
func (s *Sender) Deliver(ctx context.Context, m Message) error {
	switch {
	case m.Status == Queued:
		return s.send(ctx, m)
	case m.Status == Sending && !m.ClaimUntil.After(s.Box.Now()):
		return s.settle(ctx, m)
	}
	return nil // at work elsewhere, or done
}

var errTaken = errors.New("another sender has it")

// send claims m and sends it.
func (s *Sender) send(ctx context.Context, m Message) error {
	provider := s.Providers[m.Channel]
	if provider == nil {
		return s.fail(ctx, m, "no provider is configured for "+string(m.Channel))
	}
	now := s.Box.Now()
	claim := s.Box.Table.Update(key(m.Thread, m.ID),
		`SET #status = :sending, claimUntil = :until, dueShard = :shard, dueAt = :until,
			attempts = :n, firstTry = if_not_exists(firstTry, :now)`,
		dynamo.V{":sending": Sending, ":until": now.Add(claimFor), ":now": now, ":n": m.Attempts + 1, ":shard": dynamo.DueShard(dueKind, m.Thread)}).
		If("#status = :queued AND attempts = :before", dynamo.V{":queued": Queued, ":before": m.Attempts}).
		Else(errTaken)
	err := s.Box.Table.DB().Commit(ctx, claim, s.MayWrite(m))
	var refused *Refused
	switch {
	case errors.Is(err, errTaken):
		return nil
	case errors.As(err, &refused):
		return s.giveUp(ctx, m, refused.Reason, !refused.Wanted)
	case err != nil:
		return fmt.Errorf("claim %s of %s: %w", m.ID, m.Thread, err)
	}
	m.Attempts++
	m.Status = Sending
	return s.sent(ctx, m, provider)
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
	case !errors.As(err, &failed) || failed.Outcome == Unclear:
		s.log(ctx, m, "unclear", err.Error())
		return nil // the claim runs out, and the sweep asks the provider
	case failed.Outcome == Permanent:
		return s.fail(ctx, m, failed.Reason)
	case m.Attempts >= maxAttempts:
		return s.fail(ctx, m, fmt.Sprintf("given up after %d attempts: %s", m.Attempts, failed.Reason))
	}
	s.log(ctx, m, "retry", failed.Reason)
	return s.queueAgain(ctx, m, max(failed.After, waits[m.Attempts-1]), failed.Reason)
}

// settle finds out whether an unclear send happened, and sends again only if not.
func (s *Sender) settle(ctx context.Context, m Message) error {
	provider := s.Providers[m.Channel]
	if provider == nil {
		return s.fail(ctx, m, "no provider is configured for "+string(m.Channel))
	}
	if m.ProviderID != "" { // a status callback told
		return s.record(ctx, m, m.ProviderID)
	}
	found, err := provider.Find(ctx, m, m.FirstTry.Add(-askAfter))
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "asking the provider about %s", m.ID)
	}
	known, err := s.knownIDs(ctx, m)
	if err != nil {
		return err
	}
	for _, f := range found {
		if !known[f.ProviderID] && (m.Template != nil || f.Text == m.Text) {
			s.log(ctx, m, "settled", "")
			return s.record(ctx, m, f.ProviderID)
		}
	}
	if m.Attempts >= maxAttempts {
		return s.fail(ctx, m, fmt.Sprintf("given up after %d attempts with no answer", m.Attempts))
	}
	if err := s.queueAgain(ctx, m, 0, "no answer, and the provider does not have it"); err != nil {
		return err
	}
	m.Status = Queued
	return s.send(ctx, m)
}

// knownIDs are the provider's ids that belong to other messages of the thread.
func (s *Sender) knownIDs(ctx context.Context, m Message) (map[string]bool, error) {
	others, err := s.Box.List(ctx, m.Thread, 100)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, o := range others {
		if o.ID != m.ID && o.ProviderID != "" {
			known[o.ProviderID] = true
		}
	}
	return known, nil
}

// record notes the provider's id. A callback that was faster is left as it is.
func (s *Sender) record(ctx context.Context, m Message, providerID string) error {
	w := s.Box.Table.Update(key(m.Thread, m.ID),
		"SET #status = :sent, providerId = :id, sentAt = :now REMOVE dueShard, dueAt, claimUntil",
		dynamo.V{":sent": Sent, ":id": providerID, ":now": s.Box.Now()}).
		If("#status = :sending AND attempts = :n", dynamo.V{":sending": Sending, ":n": m.Attempts}).Else(errTaken)
	if err := s.Box.Table.DB().Commit(ctx, w); err != nil && !errors.Is(err, errTaken) {
		return fmt.Errorf("record %s of %s: %w", m.ID, m.Thread, err)
	}
	return nil
}

func (s *Sender) queueAgain(ctx context.Context, m Message, wait time.Duration, reason string) error {
	w := s.Box.Table.Update(key(m.Thread, m.ID),
		"SET #status = :queued, #error = :why, dueAt = :due REMOVE claimUntil",
		dynamo.V{":queued": Queued, ":why": reason, ":due": s.Box.Now().Add(wait)}).
		If("#status = :sending AND attempts = :n", dynamo.V{":sending": Sending, ":n": m.Attempts}).Else(errTaken)
	if err := s.Box.Table.DB().Commit(ctx, w); err != nil && !errors.Is(err, errTaken) {
		return fmt.Errorf("queue %s of %s again: %w", m.ID, m.Thread, err)
	}
	return nil
}

// fail gives m up: a dead letter with an alert, which an operator can send again.
func (s *Sender) fail(ctx context.Context, m Message, reason string) error {
	return s.giveUp(ctx, m, reason, true)
}

func (s *Sender) giveUp(ctx context.Context, m Message, reason string, alert bool) error {
	s.log(ctx, m, "failed", reason)
	m.Error = reason
	w := s.Box.Table.Update(key(m.Thread, m.ID),
		"SET #status = :failed, #error = :why, dueShard = :shard, dueAt = :now REMOVE claimUntil",
		dynamo.V{":failed": Failed, ":why": reason, ":now": s.Box.Now(), ":shard": dynamo.DueShard(deadKind, m.Thread)}).
		If("#status = :queued OR #status = :sending", dynamo.V{":queued": Queued, ":sending": Sending}).Else(errTaken)
	err := s.Box.Table.DB().Commit(ctx, w)
	if errors.Is(err, errTaken) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("give up %s of %s: %w", m.ID, m.Thread, err)
	}
	if !alert {
		return nil
	}
	return s.Alert(ctx, m)
}

func (s *Sender) log(ctx context.Context, m Message, what, reason string) {
	s.Log.InfoContext(telemetry.WithTrace(ctx, m.Trace), "outbox", "message", m.ID, "thread", m.Thread,
		"channel", m.Channel, "kind", m.Kind, "outcome", what, "attempt", m.Attempts, "reason", reason)
}

// Refused means that a recipient may not be written to now.
type Refused struct {
	Reason string
	Wanted bool // by the recipient or the desk: nobody need be alerted
}

func (r *Refused) Error() string { return r.Reason }
