package request

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/callconsent"
	"merve/internal/matter/vendor"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// Commitments are what a YES or NO does, by kind of pending action.
func (b *Broker) Commitments() map[string]gate.Commitment {
	return map[string]gate.Commitment{
		OutreachKind: Outreaching{b}, AcceptanceKind: Accepting{b}, ConsentKind: Consenting{b},
		LetterKind: Sending{b}, DropKind: Leaving{b, Cancelled}, DoneKind: Leaving{b, Fulfilled},
	}
}

// Looks are how what an offer rests on is looked at again, by kind of pending action.
func (b *Broker) Looks() map[string]gate.Look {
	return map[string]gate.Look{OutreachKind: b.offers().lookAtVendors, AcceptanceKind: b.offers().lookAtQuote}
}

// Outreaching settles whether vendors are asked.
type Outreaching struct{ Broker *Broker }

// Describe asks for the YES.
func (Outreaching) Describe(tc tool.Context, p thread.Pending) string {
	return prompt(tc, p, wording.RequestOutreachPrompt)
}

func prompt(tc tool.Context, p thread.Pending, key wording.Key) string {
	return wording.Say(tc.Language, key, wording.Vars{
		"summary": p.Summary, "until": wording.Until(tc.Language, gate.AnswerBy(p).In(tc.TimeZone), tc.Now.In(tc.TimeZone)),
	})
}

// Does implements [gate.Commitment].
func (Outreaching) Does() gate.Deed { return gate.Other }

// Commit asks the vendors.
func (o Outreaching) Commit(ctx context.Context, tc tool.Context, c gate.Consent) (gate.Settled, error) {
	b := o.Broker
	v, ok, err := b.offers().offered(ctx, tc, c.Pending)
	if err != nil || !ok {
		return changed(tc), err
	}
	vendors, err := b.Vendors.Some(ctx, v.Market, v.Offer.ids())
	if err != nil {
		return gate.Settled{}, err
	}
	these := ordered(v.Offer.ids(), vendors)
	tokens, err := b.Bounds.Take(ctx, bound.Claim{
		Matter: bound.Message, Market: v.Market, Owner: tc.Actor.Key(), Address: tc.Address, ID: c.Pending.ID, Until: tc.Now.Add(bound.Day),
	})
	var most *bound.Refusal
	switch {
	case errors.As(err, &most):
		return gate.Settled{Text: wording.Say(tc.Language, wording.RequestBounded, wording.Vars{"count": strconv.Itoa(most.Most)})}, nil
	case err != nil:
		return gate.Settled{}, err
	}
	threads, err := b.mail().ThreadsOf(ctx, v.Market, these)
	if err != nil {
		return gate.Settled{}, err
	}
	ws := b.offers().asks(ctx, &v, tc.Market, these, threads, c.Receipt(tc.TraceID), tc.TraceID)
	return gate.Settled{
		Text:   wording.Say(tc.Language, wording.RequestAsked, wording.Vars{"count": strconv.Itoa(len(these)), "code": v.Code}),
		Writes: append(ws, tokens.Writes...), Stands: standing.Only(Item(tc.Language, v)), Refused: meanwhile(tc),
	}, nil
}

// Release asks nobody.
func (o Outreaching) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	return o.Broker.offers().release(tc, p, wording.RequestAskedNot), nil
}

// Accepting settles whether a quote is accepted.
type Accepting struct{ Broker *Broker }

// Describe asks for the YES.
func (Accepting) Describe(tc tool.Context, p thread.Pending) string {
	return prompt(tc, p, wording.RequestAcceptPrompt)
}

// Does implements [gate.Commitment].
func (Accepting) Does() gate.Deed { return gate.Other }

// Commit accepts the quote and has its vendor told.
func (a Accepting) Commit(ctx context.Context, tc tool.Context, c gate.Consent) (gate.Settled, error) {
	b := a.Broker
	v, ok, err := b.offers().offered(ctx, tc, c.Pending)
	if err != nil || !ok {
		return changed(tc), err
	}
	o := *v.outreach(v.Offer.Outreach)
	ws, err := b.offers().accepts(ctx, &v, tc.Market, c.Receipt(tc.TraceID), tc.TraceID)
	if err != nil {
		return gate.Settled{}, err
	}
	vars := v.acceptVars(tc.Language, o)
	vars["code"] = v.Code
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.RequestAccepted, vars), Writes: ws, Stands: standing.Only(Item(tc.Language, v)),
		Refused: func(err error) (string, bool) {
			if errors.Is(err, errUnreachable) {
				return wording.Say(tc.Language, wording.RequestUnreachable, wording.Vars{"vendor": o.Name}), true
			}
			return meanwhile(tc)(err)
		},
	}, nil
}

// Release accepts nothing.
func (a Accepting) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	return a.Broker.offers().release(tc, p, wording.RequestAcceptedNot), nil
}

// Consenting settles whether the client may be called.
type Consenting struct{ Broker *Broker }

// Describe asks for the YES.
func (Consenting) Describe(tc tool.Context, p thread.Pending) string {
	return prompt(tc, p, wording.RequestCallPrompt)
}

// Does implements [gate.Commitment].
func (Consenting) Does() gate.Deed { return gate.Other }

// Commit grants the consent. Nobody is called by it.
func (c Consenting) Commit(ctx context.Context, tc tool.Context, yes gate.Consent) (gate.Settled, error) {
	b := c.Broker
	v, ok, err := b.offers().offered(ctx, tc, yes.Pending)
	if err != nil || !ok {
		return changed(tc), err
	}
	now, receipt := b.Store.now(), yes.Receipt(tc.TraceID)
	k := v.consent(v.Offer.Consent)
	k.State, k.GrantedAt, k.Until, k.Receipt = callconsent.Granted, now, now.Add(callconsent.GrantFor), &receipt
	v.Offer = nil
	ws := append(b.Store.keeps(k, receipt.Actor, tc.TraceID), b.Store.changes(&v, Event{Type: ChangedEvent, By: receipt.Actor, Trace: tc.TraceID})...)
	vars := wording.Vars{"phone": k.Number, "code": v.Code, "until": wording.Until(tc.Language, k.Until.In(tc.TimeZone), tc.Now.In(tc.TimeZone))}
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.RequestCallGranted, vars), Writes: ws, Stands: standing.Only(Item(tc.Language, v)), Refused: meanwhile(tc),
	}, nil
}

// Release denies the consent, or lets it expire.
func (c Consenting) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	b := c.Broker
	settled := b.offers().release(tc, p, wording.RequestCallDenied)
	v, err := b.Store.Of(ctx, tc.Actor, tc.Market.ID, p.Ref)
	if errors.Is(err, actor.ErrNotFound) {
		return settled, nil
	}
	if err != nil {
		return gate.Settled{}, err
	}
	if v.Offer == nil || v.Offer.Kind != p.Kind || !v.Offer.ExpiresAt.Equal(p.ExpiresAt) {
		return settled, nil // it is another by now, and so nothing is let go of
	}
	if k := v.consent(v.Offer.Consent); k != nil && k.State == callconsent.Requested {
		k.State = callconsent.Denied
		if gate.Gone(&p, tc.Now) {
			k.State = callconsent.Expired
		}
		settled.Writes = append(settled.Writes, b.Store.keeps(k, tc.Actor.Key(), tc.TraceID)...)
	}
	return settled, nil
}

// offered is the request whose offer is pending; ok is false when its offer is another by now.
func (x offers) offered(ctx context.Context, tc tool.Context, p thread.Pending) (v View, ok bool, err error) {
	v, err = x.b.Store.Of(ctx, tc.Actor, tc.Market.ID, p.Ref)
	if errors.Is(err, actor.ErrNotFound) {
		return View{}, false, nil
	}
	if err != nil {
		return View{}, false, err
	}
	if v.Offer == nil || v.Offer.Kind != p.Kind || !v.Offer.ExpiresAt.Equal(p.ExpiresAt) {
		return v, false, nil
	}
	if o := v.outreach(v.Offer.Outreach); p.Kind == AcceptanceKind && (o == nil || !o.Quote.Offers(x.b.Store.now())) {
		return v, false, nil
	}
	return v, v.question().Hash == p.Hash && v.mayAgree(p.Kind), nil
}

// leadsTo is the state to which the YES to a kind of offer leads.
var leadsTo = map[string]State{OutreachKind: Asking, AcceptanceKind: Accepted}

// mayAgree reports whether the state of a request has room for the YES to its offer.
func (v View) mayAgree(kind string) bool {
	switch kind {
	case LetterKind:
		return v.State.Open()
	case DropKind, DoneKind:
		return v.State == Accepted
	case OutreachKind, AcceptanceKind:
		return v.State.May(leadsTo[kind])
	}
	k := v.consent(v.Offer.Consent)
	return v.State.Open() && k != nil && k.State == callconsent.Requested
}

// changed is the answer to a YES to what is another offer by now.
func changed(tc tool.Context) gate.Settled {
	return gate.Settled{Text: wording.Say(tc.Language, wording.OfferChanged, nil)}
}

// meanwhile words that a request was changed while the YES to its offer was carried out.
func meanwhile(tc tool.Context) func(error) (string, bool) {
	return func(err error) (string, bool) {
		lost := errors.Is(err, ErrChanged) || errors.Is(err, vendor.ErrAsked) || errors.Is(err, outbox.ErrDuplicate) || errors.Is(err, bound.ErrLost)
		return wording.Say(tc.Language, wording.OfferChanged, nil), lost
	}
}

// release lets go of the offer of a request. It does not matter to it what else becomes of the request meanwhile.
func (x offers) release(tc tool.Context, p thread.Pending, no wording.Key) gate.Settled {
	vals := dynamo.V{":one": 1, ":kind": p.Kind, ":until": p.ExpiresAt}
	gone := x.b.Store.Table.Update(headKey(p.Ref), "REMOVE offer SET #version = #version + :one", vals).
		If("offer.kind = :kind AND offer.#until = :until", nil).Else(ErrChanged)
	return gate.Settled{
		Text: wording.Say(tc.Language, no, nil), Late: wording.Say(tc.Language, wording.RequestLate, nil), Writes: []dynamo.Write{gone},
		Refused: func(err error) (string, bool) { return "", errors.Is(err, ErrChanged) },
	}
}

// lookAtVendors reads the vendors of an offer again, see [gate.Look]: each may still be written to, and wants to be.
func (x offers) lookAtVendors(ctx context.Context, tc tool.Context, p thread.Pending) ([]dynamo.Write, error) {
	v, ok, err := x.offered(ctx, tc, p)
	if err != nil || !ok {
		return nil, err
	}
	vendors, err := x.b.Vendors.Some(ctx, v.Market, v.Offer.ids())
	if err != nil {
		return nil, err
	}
	var stands []dynamo.Write
	for _, n := range v.Offer.Vendors {
		vendor, there := vendors[n.ID]
		if !there || !vendor.MayBeAsked() || vendor.Name != n.Name {
			return nil, refusal(tc)
		}
		stands = append(stands, x.b.Vendors.Unchanged(vendor).Else(gate.ErrMeanwhile))
	}
	threads, err := x.b.mail().ThreadsOf(ctx, v.Market, ordered(v.Offer.ids(), vendors))
	if err != nil {
		return nil, err
	}
	heads, err := x.b.Threads.Heads(ctx, threads...)
	if err != nil {
		return nil, fmt.Errorf("vendors of request %s: %w", v.ID, err)
	}
	for _, h := range heads {
		if h.OptedOut {
			return nil, refusal(tc)
		}
	}
	return stands, nil
}

// lookAtQuote reads the quote of an offer again: it still stands. That it is the same, the commit sees.
func (x offers) lookAtQuote(ctx context.Context, tc tool.Context, p thread.Pending) ([]dynamo.Write, error) {
	v, ok, err := x.offered(ctx, tc, p)
	if err != nil || !ok {
		return nil, err
	}
	return []dynamo.Write{x.b.Store.Book().StillQuotes(*v.outreach(v.Offer.Outreach)).Else(gate.ErrMeanwhile)}, nil
}

func refusal(tc tool.Context) error {
	return &gate.Refusal{Text: wording.Say(tc.Language, wording.OfferChanged, nil)}
}
