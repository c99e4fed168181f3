// Package payment lets customers pay for held bookings. A YES gives them a link. When the payment provider
// reports that they have paid, the booking is confirmed, with the receipt
// of that YES and in the same transaction as the payment. A payment that comes after the
// hold is gone is given back.
//
// The amount to pay comes from the ledger, never from a model or a provider. Whatever the
// provider reports any number of times, in any order, happens once. An amount, a currency or an
// intent that differs from the stored one confirms nothing and raises an alert.
//
//	waiting    → paid       the hold stands: it is confirmed with it
//	waiting    → failed     a bank has said no; it can still be paid
//	waiting    → refunding  paid when nothing was held any more
//	paid       → refunding  the booking was cancelled in time, or, for a part of it, too late, or
//	                        nobody came and that stands
//	refunding  → refunded   the provider has taken it
//	any        → refunded   somebody has given it back at the provider's own pages
//
// A payment that was not made during the hold is closed at the provider a little later, so that a page
// that is still open can no longer pay it. If it turns out to have been paid without a report to us,
// it counts as if we had had the report, with an alert.
//
// A refund that the provider has taken and that fails later stays refunded here, and an alert
// leaves it to people: the bank that could not take the money back will not take it again.
//
// Table ledger, apart from the transactions, because nothing else may be in their histories:
//
//	pay#{transaction}  payment          the payment; in the index due, of the kind "payment", until it is closed, while it is refunding, or paid for what nobody came to
//	pay#{transaction}  event#{status}   what happened to it, once
//
// When a customer's data is deleted, the books stay without them: [Store.Forget] says what.
//
// Requests to the store: a YES 2 and those of the turn's transaction, a webhook 2 to 4, a repeated
// one 1; a page 2; a refund 2, and 1 to the provider; a payment that was not made in time 2,
// and 2 to the provider. Asking whether to let go 1, a YES to that 1, a NO 2.
//
// Facets of the contract that it does without:
//
//   - No standing: what is paid for stands, with what was paid.
//   - No commands: only the payment provider says what was paid.
//   - No codes: only the payment provider says what was paid.
package payment

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
)

// Status is where a payment stands.
type Status string

const (
	Waiting   Status = "waiting"   // the customer has the link
	Failed    Status = "failed"    // so far: it can be tried again
	Paid      Status = "paid"      // and the booking is confirmed
	Refunding Status = "refunding" // to be given back
	Refunded  Status = "refunded"  // given back
)

// Why money is given back.
const (
	ReasonHoldGone  = "hold_gone"
	ReasonCancelled = "cancelled"
	ReasonNoShow    = "no_show"
	ReasonStaff     = "staff" // at the provider's own pages
)

// Payment is the payment that one transaction asks its customer for.
type Payment struct {
	Transaction string       `dynamodbav:"transaction" json:"transactionId"`
	Owner       string       `dynamodbav:"owner,omitempty" json:"-"` // actor key; "" when their data was deleted
	Market      string       `dynamodbav:"market" json:"market"`
	Thread      string       `dynamodbav:"thread,omitempty" json:"thread,omitempty"`
	Language    string       `dynamodbav:"lang,omitempty" json:"language,omitempty"`
	Title       string       `dynamodbav:"title" json:"title"` // the listing's name
	AmountMinor int64        `dynamodbav:"amount" json:"amountMinor"`
	Currency    string       `dynamodbav:"currency" json:"currency"`
	Intent      string       `dynamodbav:"intent" json:"intent"` // the provider's id
	Token       string       `dynamodbav:"token" json:"-"`       // of the link
	Status      Status       `dynamodbav:"status" json:"status"`
	Reason      string       `dynamodbav:"reason,omitempty" json:"reason,omitempty"`  // of a refund
	BackMinor   int64        `dynamodbav:"back,omitempty" json:"backMinor,omitempty"` // the part that is given back; 0: all of it
	Receipt     gate.Receipt `dynamodbav:"receipt" json:"receipt"`                    // of the YES
	Tries       int          `dynamodbav:"tries,omitempty" json:"tries,omitempty"`    // to give it back
	Looks       int          `dynamodbav:"looks,omitempty" json:"-"`                  // that failed to close it
	CloseAt     time.Time    `dynamodbav:"closeAt" json:"-"`                          // unless it is paid before
	Version     int          `dynamodbav:"version" json:"version"`
	CreatedAt   time.Time    `dynamodbav:"createdAt" json:"createdAt"`
	UpdatedAt   time.Time    `dynamodbav:"updatedAt" json:"updatedAt"`
}

// Open reports whether the payment's own status still allows it to be made.
func (p Payment) Open() bool { return p.Status == Waiting || p.Status == Failed }

// Wanted is what we ask a provider to collect.
type Wanted struct {
	AmountMinor         int64
	Currency            string // ISO 4217
	Description         string
	Transaction, Market string
	Key                 string // equal keys with equal wants are one intent
}

// Provider takes payments. Failures worth a retry are [fault.Unavailable] or [fault.Limited].
type Provider interface {
	// Create asks for a payment and returns its id. It charges nobody.
	Create(ctx context.Context, w Wanted) (id string, err error)

	// Secret returns the secret that the customer's page pays with, and whether the intent has been paid.
	Secret(ctx context.Context, id string) (secret string, paid bool, err error)

	// Refund gives money back, once for each key. Money given back before counts, and
	// is no error.
	Refund(ctx context.Context, b Back) error

	// Close has an intent paid no more, unless it has been; it is an error while a bank has not
	// decided.
	Close(ctx context.Context, id, key string) (Closed, error)
}

// Closed is the outcome of an intent that can no longer be paid.
type Closed struct {
	Paid        bool
	AmountMinor int64 // that was paid
	Currency    string
}

// Back is the refund we ask a provider for.
type Back struct {
	Intent      string
	AmountMinor int64 // 0: all that was paid
	Currency    string
	Transaction string
	Key         string
}

// Store keeps payments. Safe for concurrent use.
type Store struct {
	Table     dynamo.Table // ledger
	Ledger    *ledger.Ledger
	Alerts    *alert.Store
	Provider  Provider
	PublicURL string // links begin with it
	Now       func() time.Time
	Random    io.Reader // of tokens: crypto/rand
	Log       *slog.Logger

	// Alerted is called for every alert that was raised, to count them; nil counts none.
	Alerted func(context.Context)
	// Release lets an offer go, as a NO to it does, and says so, or that it is booked by now.
	Release func(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error)
	// Summary and Card put a transaction into words.
	Summary func(language string, tx ledger.Transaction) string
	Card    func(language string, tx ledger.Transaction) tool.Card
}

// errMoved means that a payment is not as it was read.
var errMoved = errors.New("the payment has changed meanwhile")

// stored is a payment as its item holds it, with the attributes of the due index.
type stored struct {
	Payment
	DueShard string    `dynamodbav:"dueShard,omitempty"`
	DueAt    time.Time `dynamodbav:"dueAt"`
}

// dueKind is what the due index knows payments by.
const dueKind = "payment"

const pkPrefix = "pay#"

func key(tx string) dynamo.Key { return dynamo.Key{PK: pkPrefix + tx, SK: "payment"} }
func eventKey(tx string, s Status) dynamo.Key {
	return dynamo.Key{PK: pkPrefix + tx, SK: event.Prefix + string(s)}
}

// Back is how much of the payment is given back, or would be.
func (p Payment) Back() int64 {
	if p.BackMinor > 0 {
		return p.BackMinor
	}
	return p.AmountMinor
}

func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Due returns the amount that a transaction asks for: the part due ahead, else all of it.
func Due(tx ledger.Transaction) int64 {
	if tx.DueMinor > 0 {
		return tx.DueMinor
	}
	return tx.PriceMinor
}

// PaidFor returns how much was paid for a transaction, in minor units, and is not on its way back.
// 1 request, none for a free transaction.
func (s *Store) PaidFor(ctx context.Context, tx ledger.Transaction) (int64, error) {
	if Due(tx) == 0 {
		return 0, nil
	}
	p, err := s.Get(ctx, system(), tx.ID)
	if errors.Is(err, actor.ErrNotFound) || err == nil && p.Status != Paid {
		return 0, nil
	}
	return p.AmountMinor, err
}

// Get reads the payment of a transaction if the actor may see it. 1 request.
func (s *Store) Get(ctx context.Context, a actor.Actor, tx string) (Payment, error) {
	it, err := s.Table.Get(ctx, key(tx))
	switch {
	case err != nil:
		return Payment{}, fmt.Errorf("payment of %s: %w", tx, err)
	case it == nil:
		return Payment{}, actor.ErrNotFound
	}
	var p Payment
	if err := it.Decode(&p); err != nil {
		return Payment{}, err
	}
	if err := a.MaySee(p.Owner); err != nil {
		return Payment{}, err
	}
	return p, nil
}

func system() actor.Actor { return actor.Actor{Kind: actor.System, ID: "payment"} }

const tokenSize = 24 // bytes

func (s *Store) newToken() (string, error) {
	raw := make([]byte, tokenSize)
	if _, err := io.ReadFull(s.Random, raw); err != nil {
		return "", fmt.Errorf("payment: token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(raw), nil
}

// Link is where a payment is made.
func (s *Store) Link(p Payment) string {
	return strings.TrimRight(s.PublicURL, "/") + "/pay/" + p.Transaction + "/" + p.Token
}

// ErrGone means that there was something to pay, and that it is no longer held.
var ErrGone = fault.New(fault.Gone, "it is not held any more and cannot be paid")

// Page is the content of the page behind a link.
type Page struct {
	Payment     Payment
	Transaction ledger.Transaction
}

// Open returns the page that a link leads to. A wrong token is [actor.ErrNotFound]. If the payment can no
// longer be made, and we have not heard that it was, Open returns the page with [ErrGone]. 2 requests, none
// for a string that cannot be a token.
func (s *Store) Open(ctx context.Context, tx, token string) (Page, error) {
	if base64.RawURLEncoding.DecodedLen(len(token)) != tokenSize || len(tx) > 128 {
		return Page{}, actor.ErrNotFound
	}
	p, err := s.Get(ctx, system(), tx)
	if err != nil {
		return Page{}, err
	}
	if subtle.ConstantTimeCompare([]byte(p.Token), []byte(token)) != 1 {
		return Page{}, actor.ErrNotFound
	}
	t, err := s.Ledger.Get(ctx, system(), tx)
	if err != nil {
		return Page{}, err
	}
	if p.Open() && !held(t, s.now()) {
		return Page{p, t}, ErrGone
	}
	return Page{p, t}, nil
}

// held reports whether a hold stands.
func held(tx ledger.Transaction, now time.Time) bool {
	return tx.State == ledger.Hold && tx.HoldExpiresAt.After(now)
}

// Secret is the data that the page behind a link pays with.
type Secret struct {
	Status       Status
	Paid         bool   // it has been paid, though we may not know it yet
	ClientSecret string // while it can be paid
}

// Secret asks the provider for the data that the page behind a link pays with.
func (s *Store) Secret(ctx context.Context, tx, token string) (Secret, error) {
	page, err := s.Open(ctx, tx, token)
	switch {
	case err != nil:
		return Secret{}, err
	case !page.Payment.Open():
		return Secret{Status: page.Payment.Status, Paid: true}, nil
	}
	secret, paid, err := s.Provider.Secret(ctx, page.Payment.Intent)
	if err != nil || paid {
		return Secret{Status: page.Payment.Status, Paid: paid}, err
	}
	return Secret{Status: page.Payment.Status, ClientSecret: secret}, nil
}

// change returns the writes that take a payment, as read, to another status, with the event for it.
func (s *Store) change(ctx context.Context, p Payment, to Status, reason string) ([]dynamo.Write, Payment) {
	after, now := p, s.now()
	after.Status, after.Version, after.UpdatedAt = to, p.Version+1, now
	if reason != "" {
		after.Reason = reason
	}
	e := Event{
		Type: to, From: p.Status, Transaction: p.Transaction, Owner: p.Owner, Market: p.Market, Thread: p.Thread,
		Reason: after.Reason, Trace: telemetry.TraceID(ctx), At: now,
	}
	due := time.Time{}
	switch to {
	case Failed:
		due = p.CloseAt
	case Refunding:
		due = now.Add(firstTry(reason))
	}
	return []dynamo.Write{
		s.put(after, due).AtVersion(p.Version).Else(errMoved),
		Events.Put(s.Table, eventKey(p.Transaction, to), e), // once: no status comes again
	}, after
}

// put writes a payment, which is looked at when it is due, if ever.
func (s *Store) put(p Payment, due time.Time) dynamo.Write {
	st := stored{Payment: p}
	if !due.IsZero() {
		st.DueShard, st.DueAt = dynamo.DueShard(dueKind, p.Transaction), due
	}
	return s.Table.Put(key(p.Transaction), st)
}
