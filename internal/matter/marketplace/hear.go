package marketplace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"merve/internal/matter/quote"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/ident"
	"merve/internal/cloud/audit"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/quote/price"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Answers takes in what vendors write. It is a command of their threads: no model has a say in it.
//
// An answer belongs to the outreach of the message that it quotes, else to the one whose code it names, else to the one
// whose code stands in the message that it quotes, else to the only one that is open. Of several the vendor is asked for
// the code; so they are where it is not known what they quote.
type Answers struct {
	Broker *Broker
	Named  bool // only what quotes a message about an outreach, or names its code
}

// Command reads a message of a vendor and prepares what it does; the writes belong in the transaction of the
// reply. ok is false for a message that is no answer. 2 requests, what a look at the outbox takes for a quotation,
// and 1 more for the request, of which a model is asked what the answer says.
func (a Answers) Command(ctx context.Context, tc tool.Context, m thread.Message) (gate.Settled, bool, error) {
	said := strings.TrimSpace(m.Text)
	if said == "" && len(m.Media) == 0 || tc.Actor.Phone == "" || a.Named && m.ReplyTo == "" && !Coded(said) {
		return gate.Settled{}, false, nil
	}
	if tc.ThreadType != channel.Vendor { // of a number that has other work, too
		roles, err := a.Broker.Roster.Of(ctx, tc.Market.ID, tc.Actor.Phone)
		if err != nil || !roles.Sells() {
			return gate.Settled{}, false, err
		}
	}
	all, err := a.Broker.Store.askedOf(ctx, tc.Market.ID, tc.Actor.Phone)
	if err != nil || len(all) == 0 {
		return gate.Settled{}, false, err
	}
	if gate.OptOut(said) == gate.Start { // without a STOP before it, which would have been obeyed
		return gate.Settled{Text: wording.Say(tc.Language, wording.OptedIn, nil)}, true, nil
	}
	these, named, err := a.meant(ctx, tc, m, all)
	switch {
	case err != nil || len(these) == 0 || a.Named && !named:
		return gate.Settled{}, false, err
	case len(these) > 1:
		return gate.Settled{Text: wording.Say(tc.Language, wording.VendorWhich, wording.Vars{"alternatives": wording.List(tc.Language, a.labels(ctx, these))})}, true, nil
	case without(said, these[0].Code) == "" && len(m.Media) == 0:
		return gate.Settled{Text: wording.Say(tc.Language, wording.VendorTextOnly, nil)}, true, nil
	}
	return a.take(ctx, tc, these[0], m, without(said, these[0].Code))
}

// meant are the outreach that a message may belong to, and whether it names one.
func (a Answers) meant(ctx context.Context, tc tool.Context, m thread.Message, all []Outreach) (these []Outreach, named bool, err error) {
	by := func(code string) []Outreach {
		return slices.DeleteFunc(slices.Clone(all), func(o Outreach) bool { return o.Code != code })
	}
	quoted, err := a.Broker.Outbox.Quoted(ctx, tc.Thread, m.ReplyTo)
	if err != nil {
		return nil, false, err
	}
	if quoted.About != "" { // of another matter it is no answer
		these = by(quoted.About)
		return these, len(these) > 0, nil
	}
	for _, text := range []string{m.Text, quoted.Text} { // what we answered a vendor names its codes
		for _, code := range codesIn(text) {
			these = append(these, by(code)...)
		}
		if len(these) > 0 {
			return these, true, nil
		}
	}
	if m.ReplyTo != "" && quoted.ID == "" { // of theirs, or of ours and not known to have gone out
		return all[max(0, len(all)-mostLabels):], false, nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(o Outreach) bool { return !o.awaited() }), false, nil
}

// awaited reports whether an answer that names nothing may be meant for an outreach: it is open, or was answered
// and may be put right.
func (o Outreach) awaited() bool { return o.State.Open() || o.State == Replied }

// take takes an answer in.
func (a Answers) take(ctx context.Context, tc tool.Context, o Outreach, m thread.Message, said string) (gate.Settled, bool, error) {
	b := a.Broker
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
	pictures := b.pictures(v, o, m, tc.TraceID)
	if said == "" {
		return a.look(tc, v, o, pictures)
	}
	q := b.Parser.Quote(ctx, v.about(o), quote.Words{Text: said, Message: m.ID}, nil, c.now)
	ws, state := b.takes(&v, o, q, System, tc.TraceID, false)
	output := mustJSON(recorded(o.ID, state, q))
	r := c.record(b.NewID(), audit.HashOf(c.Input), output, "", b.Store.now().Sub(c.now))
	ws = append(ws, b.Store.Log().Writes(r, audit.Body{Input: string(c.Input), Output: string(output)})...)
	return noted(tc, v, o, q.Status, append(ws, pictures...))
}

// look has the pictures of a message without words read. What is none is asked for in words.
func (a Answers) look(tc tool.Context, v View, o Outreach, pictures []dynamo.Write) (gate.Settled, bool, error) {
	if len(pictures) == 0 || v.won(o) { // there is nothing left to quote
		return gate.Settled{Text: wording.Say(tc.Language, wording.VendorTextOnly, nil)}, true, nil
	}
	return noted(tc, v, o, price.None, pictures)
}

// noted tells a vendor that an answer was taken in, and asks for a price that is clear if its own is not.
func noted(tc tool.Context, v View, o Outreach, status price.Status, ws []dynamo.Write) (gate.Settled, bool, error) {
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
		return text, errors.Is(err, errRecorded) || errors.Is(err, ErrChanged)
	}}, true, nil
}

// mostLabels is how many outreach a vendor is asked about at once.
const mostLabels = 8

// labels name what a vendor was asked several times.
func (a Answers) labels(ctx context.Context, these []Outreach) []string {
	var all []string
	for _, o := range these[:min(len(these), mostLabels)] {
		label := o.Code
		if v, err := a.Broker.Store.View(ctx, o.Request); err == nil {
			label += " (" + language.Clip(v.Category, 40) + ")"
		}
		all = append(all, label)
	}
	return all
}

// Coded reports whether a text names an outreach: it is a vendor's answer, whatever else its number is used for.
func Coded(text string) bool { return len(codesIn(text)) > 0 }

// codesIn are the words of a text that have the form of a code, each once.
func codesIn(text string) []string {
	var all []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if up := strings.ToUpper(w); isCode(up) && !slices.Contains(all, up) {
			all = append(all, up)
		}
	}
	return all
}

func isCode(w string) bool {
	return len(w) == codeLength && codeFront.Is(w[:codeLength-1]) && codeEnd.Is(w[codeLength-1:]) && strings.Trim(w, "23456789") != ""
}

// without takes a code from the beginning or the end of a text.
func without(said, code string) string {
	const around = " \t\n:,.;-–—#()[]"
	s := strings.Trim(said, around)
	if len(s) >= len(code) && strings.EqualFold(s[:len(code)], code) {
		return strings.TrimLeft(s[len(code):], around)
	}
	if len(s) >= len(code) && strings.EqualFold(s[len(s)-len(code):], code) {
		return strings.TrimRight(s[:len(s)-len(code)], around)
	}
	return said
}
