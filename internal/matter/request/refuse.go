package request

import (
	"context"
	"slices"

	"merve/internal/agent/tool"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/callconsent"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Refusals takes back the consents to be called of a client who says that they do not want to be, whatever a model makes of it.
type Refusals struct{ Broker *Broker }

// Asks implements the turn's interface.
func (Refusals) Asks() string { return ConsentKind }

// Refuse takes back all consents of a client that stand, and reports whether one of their messages has. The question of the request
// that asks is left alone: the turn on whose thread it waits lets go of it. Refuse may be called again for the same message.
//
// Requests as [Store.Mine], and 1 for each open request.
func (r Refusals) Refuse(ctx context.Context, tc tool.Context, m thread.Message, asks string) (refused bool, err error) {
	mine, err := r.Broker.Store.Mine(ctx, tc.Actor, tc.Market.ID)
	if err != nil {
		return false, err
	}
	for _, one := range mine {
		if !one.State.Open() {
			continue
		}
		did, err := r.Broker.consents().takeBack(ctx, tc, one.ID, m.ID, asks)
		if err != nil {
			return false, err
		}
		refused = refused || did
	}
	return refused, nil
}

// takeBack takes back the consents of one request for a message of its client.
func (x consents) takeBack(ctx context.Context, tc tool.Context, request, message, asks string) (bool, error) {
	return dynamo.Retry(ctx, x.b.Store.Table.DB(), ErrChanged, func() (refused bool, err error) {
		v, err := x.b.Store.View(ctx, request)
		if err != nil {
			return false, err
		}
		by := callconsent.ByMessage(message)
		c := &call{
			Call: Call{
				Tool: RevokeCallConsent, Meta: Meta{Request: v.ID, Key: Key(v.ID, ident.Digest(message)), Actor: System},
				Input: mustJSON(RevokeInput{Request: v.ID, Consent: new(string)}),
			},
			view: v, market: tc.Market, trace: tc.TraceID, now: x.b.Store.now(),
		}
		ws, out := x.revokes(c, by, func(k *callconsent.Consent) bool {
			refused = refused || k.EndedBy == by // by this message, before the process died that was to say so
			return v.Offer == nil || v.Offer.Consent != k.ID || asks != v.ID
		})
		if len(ws) == 0 {
			return refused, nil
		}
		ws = append(ws, x.b.keyed().Record(c.once(), mustJSON(out), 0)...)
		err = x.b.Store.Table.DB().Commit(ctx, ws...)
		return err == nil, err
	})
}

// revokes are the writes that take consents back which stand, and which they are.
func (x consents) revokes(c *call, by string, which func(k *callconsent.Consent) bool) ([]dynamo.Write, Withdrawn) {
	out := Withdrawn{Success: true, Revoked: []string{}}
	var ws []dynamo.Write
	for i := range c.view.Consents {
		k := &c.view.Consents[i]
		if !which(k) || !k.State.Stands() {
			continue
		}
		k.State, k.EndedBy = callconsent.Revoked, by
		ws = append(ws, x.b.Store.keeps(k, c.Meta.Actor, c.trace)...)
		out.Revoked = append(out.Revoked, k.ID)
	}
	if o := c.view.Offer; o != nil && slices.Contains(out.Revoked, o.Consent) {
		c.view.Offer = nil
		ws = append(ws, x.b.Store.changes(&c.view, c.event(ChangedEvent))...)
	}
	return ws, out
}

// proven is the number of a request's client that their thread proves: it is the thread's own on WhatsApp, or that of a conversation on
// WhatsApp which they have linked with this one. "" proves none: what somebody has typed is no proof.
func (r Request) proven(head thread.Head) string {
	if head.ID == "" { // of somebody who has never written the thread's name tells
		if r.Client.Phone != "" && r.Thread == thread.ID(r.Market, channel.General, "", channel.OfNumber(r.Client.Phone).Key()) {
			return r.Client.Phone
		}
		return ""
	}
	if phone := head.Customer().Phone; phone != "" {
		return phone
	}
	for _, key := range head.Linked {
		if phone := channel.NumberOf(key); phone != "" {
			return phone
		}
	}
	return ""
}
