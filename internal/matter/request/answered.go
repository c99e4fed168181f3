package request

import (
	"context"
	"errors"
	"fmt"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/quote"
	"merve/internal/matter/quote/price"
	"merve/internal/matter/vendor"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// Answers reads what vendors write, see [vendor.Answers]. With named, only what quotes a message or names a code.
func (b *Broker) Answers(named bool) vendor.Answers {
	return vendor.Answers{Mail: b.mail(), Requests: b, Named: named}
}

// mail is what is written to vendors.
func (b *Broker) mail() vendor.Mail {
	return vendor.Mail{Book: b.Store.Book(), Outbox: b.Outbox, Threads: b.Threads, Roster: b.Roster}
}

// Category is that of a request, for a vendor who was asked about several.
func (b *Broker) Category(ctx context.Context, request string) (string, error) {
	v, err := b.Store.View(ctx, request)
	return v.Category, err
}

// Answered implements what [vendor.Answers] needs.
func (b *Broker) Answered(ctx context.Context, tc tool.Context, o vendor.Outreach, m thread.Message, said string) (gate.Settled, bool, error) {
	v, err := b.Store.View(ctx, o.Request)
	if errors.Is(err, actor.ErrNotFound) {
		return gate.Settled{Text: wording.Say(tc.Language, wording.VendorClosed, wording.Vars{"code": o.Code})}, true, nil
	}
	if err != nil {
		return gate.Settled{}, false, fmt.Errorf("answer to outreach %s: %w", o.ID, err)
	}
	c := &call{
		Call: Call{
			Tool: RecordVendorReply, Meta: Meta{Request: v.ID, Key: Key(v.ID, ident.Digest(m.ID)), Actor: System},
			Input: mustJSON(VendorReply{Request: v.ID, Vendor: o.Vendor, Message: said, ID: m.ID}),
		},
		view: v, market: tc.Market, trace: tc.TraceID, now: b.Store.now(),
	}
	pictures := b.replies().pictures(v, o, m, tc.TraceID)
	if said == "" {
		return look(tc, v, o, pictures)
	}
	q := b.Parser.Quote(ctx, v.about(o), quote.Words{Text: said, Message: m.ID}, nil, c.now)
	ws, state := b.replies().takes(&v, o, q, System, tc.TraceID, false)
	output := mustJSON(recorded(o.ID, state, q))
	ws = append(ws, b.keyed().Record(c.once(), output, b.Store.now().Sub(c.now))...)
	return noted(tc, v, o, q.Status, append(ws, pictures...))
}

// look has the pictures of a message without words read. A message without any is answered with a request for words.
func look(tc tool.Context, v View, o vendor.Outreach, pictures []dynamo.Write) (gate.Settled, bool, error) {
	if len(pictures) == 0 || v.won(o) { // there is nothing left to quote
		return gate.Settled{Text: wording.Say(tc.Language, wording.VendorTextOnly, nil)}, true, nil
	}
	return noted(tc, v, o, price.None, pictures)
}

// noted tells a vendor that an answer was taken in, and asks for a price that is clear if its own is not.
func noted(tc tool.Context, v View, o vendor.Outreach, status price.Status, ws []dynamo.Write) (gate.Settled, bool, error) {
	key := wording.VendorNoted
	switch {
	case v.won(o):
		key = wording.VendorPassedOn
	case !v.State.Open() || v.State == Accepted:
		key = wording.VendorClosed
	case status == price.Unclear:
		key = wording.VendorUnclear
	}
	text := wording.Say(tc.Language, key, wording.Vars{"code": o.Code, "currency": v.Currency})
	return gate.Settled{Text: text, Writes: ws, Refused: func(err error) (string, bool) {
		return text, errors.Is(err, vendor.ErrRecorded) || errors.Is(err, ErrChanged)
	}}, true, nil
}
