package customer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
)

// Verifier finds out whether callers are the customers they claim to be.
type Verifier struct {
	Customers *Store
	Sessions  dynamo.Table // conversations
	Now       func() time.Time
}

// Answer is the result of a ZIP code that a caller said.
type Answer struct {
	Customer string // the id of who they are; "" is not verified
	Failures int    // of this call session so far, including words that were no ZIP code
	Locked   bool   // nobody is verified in this conversation, by this number from there, or from this address, for now
	Person   bool   // for now this number verifies only callers who have proven that it is theirs: others need a person
}

// bound limits wrong answers over a time.
type bound struct {
	most int
	over time.Duration // from the first that counts; as long it is locked after the last
}

var (
	pairBound    = bound{5, 24 * time.Hour}  // a number, from one place
	threadBound  = bound{5, 24 * time.Hour}  // a conversation, whatever numbers it claims
	phoneBound   = bound{20, 24 * time.Hour} // a number, wherever from: then a person looks
	addressBound = bound{20, time.Hour}
)

// failures are how often something was wrong, and until when that counts.
type failures struct {
	N     int       `dynamodbav:"n"`
	Until time.Time `dynamodbav:"until"`
	TTL   int64     `dynamodbav:"ttl"`
}

// locked reports whether the bound has been reached.
func (f failures) locked(b bound, now time.Time) bool { return f.N >= b.most && now.Before(f.Until) }

// more is f with one more.
func (f failures) more(b bound, now time.Time) failures {
	if !now.Before(f.Until) {
		f = failures{}
	}
	if f.N++; f.N == 1 || f.N == b.most {
		f.Until = now.Add(b.over)
	}
	f.TTL = f.Until.Add(time.Hour).Unix()
	return f
}

// account is the proof that a call session has given.
type account struct {
	Customer string    `dynamodbav:"customer,omitempty"`
	Turn     int       `dynamodbav:"turn,omitempty"` // in which that was proven
	Failures int       `dynamodbav:"failures,omitempty"`
	Until    time.Time `dynamodbav:"until"`           // after this nothing is proven
	Tries    []try     `dynamodbav:"tries,omitempty"` // the latest
	Version  int       `dynamodbav:"version"`
	TTL      int64     `dynamodbav:"ttl"`
}

// try is an attempt by its idempotency key, with the answer that it was given.
type try struct {
	Key    string `dynamodbav:"key"`
	Answer Answer `dynamodbav:"answer"`
}

const (
	provenFor = 24 * time.Hour // no call is longer
	maxTries  = 16             // remembered of a session
)

// The keys. They are part of the data model.

func accountKey(thread, session string) dynamo.Key {
	return dynamo.Key{PK: thread, SK: "account#" + ident.New("", "session", thread, session)}
}

func failedPhoneKey(market, phone string) dynamo.Key {
	return dynamo.Key{PK: "failed#" + market, SK: "phone#" + ident.New("", "phone", market, phone)}
}

func failedAddressKey(market, address string) dynamo.Key {
	return dynamo.Key{PK: "failed#" + market, SK: address}
}

func failedPairKey(market, phone, place string) dynamo.Key {
	return dynamo.Key{PK: "failed#" + market, SK: "pair#" + ident.New("", market, phone, place)}
}

func failedThreadKey(market, thread string) dynamo.Key {
	return dynamo.Key{PK: "failed#" + market, SK: "thread#" + ident.New("", "thread", market, thread)}
}

// errMeanwhile says that another attempt was faster: look again.
var errMeanwhile = errors.New("another attempt was faster")

// ErrNoCall is the answer outside of a call session, where no caller can prove anything.
var ErrNoCall = fault.New(fault.Conflict, "there is no call in which somebody could be verified")

// Verify takes the ZIP code that a caller said, and gives the answer to it. It has to be called with the idempotency
// key of the attempt.
func (v *Verifier) Verify(ctx context.Context, tc tool.Context, said string) (Answer, error) {
	if tc.Session.ID == "" {
		return Answer{}, ErrNoCall
	}
	a := attempt{v: v, tc: tc, phone: phoneOf(tc.Session.Phone)}
	zip, err := ParseZIP(said)
	if a.legible = err == nil; a.legible {
		if a.found, err = v.Customers.find(ctx, tc.Market.ID, a.phone, zip); err != nil {
			return Answer{}, err
		}
	}
	return dynamo.Retry(ctx, v.Sessions.DB(), errMeanwhile, func() (Answer, error) { return a.settle(ctx) })
}

// attempt is one ZIP code that a caller said.
type attempt struct {
	v       *Verifier
	tc      tool.Context
	phone   string
	legible bool   // it was a ZIP code
	found   string // the customer that matches the number and ZIP code; "" if nobody does
}

// settle counts the attempt, or records what it has proven, provided that no other attempt has been counted
// since it read the tallies. 2 requests.
func (a attempt) settle(ctx context.Context) (Answer, error) {
	now := a.v.Now()
	session, tallies, err := a.read(ctx)
	if err != nil {
		return Answer{}, err
	}
	if i := slices.IndexFunc(session.Tries, func(t try) bool { return t.Key == a.tc.Key }); i >= 0 {
		return session.Tries[i].Answer, nil
	}
	answer := Answer{Customer: session.proven(now), Failures: session.Failures}
	if answer.Customer != "" {
		return answer, nil
	}
	for _, t := range tallies {
		if t.locked(t.bound, now) {
			answer.Locked, answer.Person = answer.Locked || !t.person, answer.Person || t.person
		}
	}
	var ws []dynamo.Write
	switch {
	case answer.Locked, answer.Person, !a.legible:
		answer.Failures++
	case a.found == "":
		answer.Failures++
		for _, t := range tallies {
			ws = append(ws, a.v.counts(t, now))
		}
	default:
		answer.Customer = a.found
		for _, t := range tallies {
			ws = append(ws, a.v.allows(t, now))
		}
	}
	ws = append(ws, a.keeps(session, answer, now))
	if err := a.v.Sessions.DB().Commit(ctx, ws...); err != nil {
		return Answer{}, fmt.Errorf("verify account: %w", err)
	}
	return answer, nil
}

// tally is one of the counts that an attempt adds to.
type tally struct {
	failures
	bound
	key    dynamo.Key
	person bool // who meets the bound is not locked out: a person looks
}

// counted returns the counts that the attempt adds to. If the channel proves the number, nothing that somebody else does
// counts: the caller's identity replaces the place.
func (a attempt) counted() []tally {
	market, who := a.tc.Market.ID, a.tc.Actor.Key()
	own := tally{bound: threadBound, key: failedThreadKey(market, a.tc.Thread)}
	if a.phone != "" && a.phone == phoneOf(a.tc.Actor.Phone) {
		return []tally{own, {bound: pairBound, key: failedPairKey(market, a.phone, who)}}
	}
	all := []tally{
		own, {bound: pairBound, key: failedPairKey(market, a.phone, cmp.Or(a.tc.Address, who))},
		{bound: phoneBound, key: failedPhoneKey(market, a.phone), person: true},
	}
	if a.tc.Address != "" {
		all = append(all, tally{bound: addressBound, key: failedAddressKey(market, a.tc.Address)})
	}
	return all
}

// read reads what the session has proven, and what stands against it. 1 request.
func (a attempt) read(ctx context.Context) (session account, tallies []tally, err error) {
	tallies = a.counted()
	places := []dynamo.Place{{Table: a.v.Sessions, Key: accountKey(a.tc.Thread, a.tc.Session.ID)}}
	for _, t := range tallies {
		places = append(places, dynamo.Place{Table: a.v.Sessions, Key: t.key})
	}
	items, err := a.v.Sessions.DB().BatchGet(ctx, places...)
	if err != nil {
		return account{}, nil, fmt.Errorf("verify account: %w", err)
	}
	errs := []error{items[0].Decode(&session)}
	for i := range tallies {
		errs = append(errs, items[i+1].Decode(&tallies[i].failures))
	}
	return session, tallies, errors.Join(errs...)
}

// counts counts one more, if nothing was counted since.
func (v *Verifier) counts(t tally, now time.Time) dynamo.Write {
	put := v.Sessions.Put(t.key, t.more(t.bound, now))
	if t.N == 0 {
		return put.IfAbsent().Else(errMeanwhile)
	}
	return put.If("n = :n AND #until = :until", dynamo.V{":n": t.N, ":until": t.Until}).Else(errMeanwhile)
}

// allows returns the condition that a bound has not been reached.
func (v *Verifier) allows(t tally, now time.Time) dynamo.Write {
	const open = "attribute_not_exists(pk) OR n < :most OR #until <= :now"
	return v.Sessions.Check(t.key, open, dynamo.V{":most": t.most, ":now": now}).Else(errMeanwhile)
}

// keeps keeps the answer with the session.
func (a attempt) keeps(session account, answer Answer, now time.Time) dynamo.Write {
	next := account{
		Customer: answer.Customer, Failures: answer.Failures, Version: session.Version + 1,
		Until: now.Add(provenFor), TTL: now.Add(provenFor).Unix(),
		Tries: append(session.Tries[max(0, len(session.Tries)+1-maxTries):len(session.Tries):len(session.Tries)], try{a.tc.Key, answer}),
	}
	if answer.Customer != "" {
		next.Turn = a.tc.Turn
	}
	return a.v.Sessions.Put(accountKey(a.tc.Thread, a.tc.Session.ID), next).AtVersion(session.Version).Else(errMeanwhile)
}

// proven is the id of the customer that the session's caller is; "" is not known.
func (s account) proven(now time.Time) string {
	if !now.Before(s.Until) {
		return ""
	}
	return s.Customer
}

// session reads what a call session has proven. 1 request, none where there is no call.
func (v *Verifier) session(ctx context.Context, tc tool.Context) (s account, err error) {
	if tc.Session.ID == "" {
		return account{}, nil
	}
	it, err := v.Sessions.Get(ctx, accountKey(tc.Thread, tc.Session.ID))
	if err != nil {
		return account{}, fmt.Errorf("account of a call: %w", err)
	}
	return s, it.Decode(&s)
}

// State is what a call session has proven, in the form clients get.
type State struct {
	Verified bool   `json:"verified"`
	Customer string `json:"customerId,omitempty"`
	Failures int    `json:"failures,omitempty"`
}

// State returns what the call session has proven so far. 1 request.
func (v *Verifier) State(ctx context.Context, tc tool.Context) (State, error) {
	s, err := v.session(ctx, tc)
	id := s.proven(v.Now())
	return State{Verified: id != "", Customer: id, Failures: s.Failures}, err
}

// Caller returns the customer on the call, or [ErrUnverified] before that is proven. 2 requests.
func (v *Verifier) Caller(ctx context.Context, tc tool.Context) (Customer, error) {
	s, err := v.session(ctx, tc)
	if err != nil {
		return Customer{}, err
	}
	id := s.proven(v.Now())
	if id == "" {
		return Customer{}, ErrUnverified
	}
	c, err := v.Customers.Get(ctx, tc.Market.ID, id)
	if errors.Is(err, actor.ErrNotFound) {
		return Customer{}, ErrUnverified
	}
	return c, err
}

// ErrUnverified is the answer to callers who have not proven whose account it is.
var ErrUnverified = fault.New(fault.Forbidden, unverified)

const unverified = "the caller's account is not verified: ask for their 5-digit ZIP code and call " + verifyTool + " with what they say"
