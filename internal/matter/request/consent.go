package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/callconsent"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
)

// consent finds one by its id.
func (v *View) consent(id string) *callconsent.Consent {
	for i := range v.Consents {
		if v.Consents[i].ID == id {
			return &v.Consents[i]
		}
	}
	return nil
}

// ConsentInput asks for a client's consent to be called.
type ConsentInput struct {
	Request string `json:"request_id" jsonschema:"id of the request"`
	Scope   string `json:"scope" jsonschema:"what the call is for, in one or two words, such as: concierge"`
	Reason  string `json:"reason" jsonschema:"why a call is needed, in the customer's language; they are shown it word for word"`
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
	ID    string            `json:"consent_id"`
	State callconsent.State `json:"state"`
	Sent  bool              `json:"message_sent"`
	Error string            `json:"error,omitempty"`
}

// requestCallConsent asks the client whether they may be called. What cannot be asked is written down all the same, and
// expires.
func (x consents) requestCallConsent(ctx context.Context, c *call) (outcome, error) {
	in, err := read[ConsentInput](c)
	if err != nil {
		return outcome{}, err
	}
	v := c.view
	k := callconsent.Consent{ID: callconsent.NewID(v.ID, c.Meta.Key), Request: v.ID, Market: v.Market, Thread: v.Thread, N: len(v.Consents) + 1}
	if before := c.view.consent(k.ID); before != nil { // the same key, when the client could not be asked
		k = *before
	}
	k.Scope, k.Reason = clip(in.Scope, maxScope), clip(in.Reason, maxCallReason)
	k.State, k.AskedAt, k.Until = callconsent.Requested, c.now, c.now.Add(offerFor)
	head, err := x.b.clientHead(ctx, c)
	if err != nil {
		return outcome{}, err
	}
	k.Number = v.proven(head)
	why := c.unasked(head, k)
	if why != "" && k.N > callconsent.MaxConsents {
		return outcome{output: ConsentAnswer{ID: k.ID, State: k.State, Error: why}, failed: why}, nil
	}
	kept := x.b.Store.keeps(&k, c.Meta.Actor, c.trace)
	if why != "" {
		return outcome{output: ConsentAnswer{ID: k.ID, State: k.State, Error: why}, failed: why, writes: kept}, nil
	}
	c.view.hold(k)
	c.view.Offer = &Offer{Kind: ConsentKind, Consent: k.ID, ExpiresAt: k.Until}
	out := x.b.offers().put(c, head)
	out.output, out.writes = ConsentAnswer{ID: k.ID, State: k.State, Sent: true}, append(out.writes, kept...)
	return out, nil
}

// unasked says why the client cannot be asked whether they may be called; "" is no reason.
func (c *call) unasked(head thread.Head, k callconsent.Consent) string {
	switch {
	case c.view.Thread == "":
		return "the request has no client who could be asked"
	case !c.view.State.Open():
		return fmt.Sprintf("the request is %s", c.view.State)
	case k.N > callconsent.MaxConsents:
		return fmt.Sprintf("the client was asked %d times about this request, which is the most", callconsent.MaxConsents)
	case !market.IsE164(k.Number):
		return "no number of the client is proven: they are called at that of their own conversation on WhatsApp only"
	case callconsent.Refusing(head) != "":
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

// hold puts a consent into the view, and replaces its earlier version.
func (v *View) hold(k callconsent.Consent) {
	if before := v.consent(k.ID); before != nil {
		*before = k
		return
	}
	v.Consents = append(v.Consents, k)
}

// RevokeInput takes the consents of a request back: one, or all.
type RevokeInput struct {
	Request string  `json:"request_id" jsonschema:"id of the request"`
	Consent *string `json:"consent_id,omitempty" model:"-"` // none, or "", is all
}

func (in RevokeInput) check(c *call) error { return c.same(in.Request, "") }

// Withdrawn tells which consents were taken back.
type Withdrawn struct {
	Success bool     `json:"success"`
	Revoked []string `json:"revoked"`
	Error   string   `json:"error,omitempty"`
}

// revokeCallConsent takes consents back. A call that was not connected with the client by then never is.
func (x consents) revokeCallConsent(_ context.Context, c *call) (outcome, error) {
	in, err := read[RevokeInput](c)
	one := tool.Value(in.Consent)
	switch {
	case err != nil:
		return outcome{}, err
	case one != "" && c.view.consent(one) == nil:
		return outcome{}, callconsent.ErrNone
	}
	ws, out := x.revokes(c, c.Meta.Actor, func(k *callconsent.Consent) bool { return one == "" || k.ID == one })
	if len(out.Revoked) == 0 {
		const why = "no consent to be called stands"
		return outcome{output: Withdrawn{Revoked: []string{}, Error: why}, failed: why}, nil
	}
	return outcome{output: out, writes: ws}, nil
}

// CallInput asks for a call.
type CallInput struct {
	Consent string `json:"consent_id"`
	Scope   string `json:"scope"` // what it is for; "" is what the consent is for
}

func (in CallInput) check(*call) error {
	if in.Consent == "" {
		return fault.Field("consent_id", "missing")
	}
	return nil
}

// Calls rings the desk, and connects it with clients.
func (b *Broker) Calls() *callconsent.Calls {
	return &callconsent.Calls{Store: b.Store.Consents(), Phone: b.Phone, Threads: b.Threads, Requests: callsOf{b}, Alerts: b.Alerts}
}

// callsOf is what calls need of the requests that they are about.
type callsOf struct{ b *Broker }

// Consent implements what [callconsent.Calls] needs.
func (r callsOf) Consent(ctx context.Context, request, consent string) (callconsent.Consent, callconsent.About, error) {
	v, err := r.b.Store.View(ctx, request)
	if err != nil {
		return callconsent.Consent{}, callconsent.About{}, err
	}
	k := v.consent(consent)
	if k == nil {
		return callconsent.Consent{}, callconsent.About{}, callconsent.ErrNone
	}
	return *k, r.b.calledAbout(&call{view: v}), nil
}

// StillOpen implements what [callconsent.Calls] needs.
func (r callsOf) StillOpen(request string) dynamo.Write {
	return r.b.Store.Table.Check(headKey(request), "#state <> :fulfilled AND #state <> :cancelled",
		dynamo.V{":fulfilled": Fulfilled, ":cancelled": Cancelled})
}

// calledAbout is what a call depends on of the request that it is about.
func (b *Broker) calledAbout(c *call) callconsent.About {
	a := callconsent.About{Code: c.view.Code, Client: func(ctx context.Context) (thread.Head, error) { return b.clientHead(ctx, c) }}
	if !c.view.State.Open() {
		a.Over = string(c.view.State)
	}
	return a
}

// startCall rings the desk, which is then connected with the client.
func (x consents) startCall(ctx context.Context, c *call) (outcome, error) {
	in, err := read[CallInput](c)
	if err != nil {
		return outcome{}, err
	}
	k := c.view.consent(in.Consent)
	if k == nil {
		return outcome{}, callconsent.ErrNone
	}
	rung, ws, err := x.b.Calls().Start(ctx, k, callconsent.Start{
		About: x.b.calledAbout(c), Key: c.Meta.Key, Scope: in.Scope, From: cmp.Or(c.market.WhatsApp.From, x.b.Sender), Desk: c.market.Desk.Phone,
		By: c.Meta.Actor, Trace: c.trace, Now: c.now,
	})
	if errors.Is(err, callconsent.ErrChanged) {
		err = ErrChanged
	}
	return outcome{output: rung, failed: rung.Error, writes: orChanged(ws)}, err
}
