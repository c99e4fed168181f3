package request

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/quote"
	"merve/internal/matter/quote/price"
	"merve/internal/matter/vendor"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/words/contact"
	"merve/internal/words/language"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// sendVendorMessage writes to a vendor who was asked. Nobody but the client speaks for the client: a vendor gets a whole
// message that the client wrote, quoted as theirs, or words that they have said YES to. A person at the desk signs what they write.
func (x letters) sendVendorMessage(ctx context.Context, c *call) (outcome, error) {
	in, err := read[VendorMessage](c)
	if err != nil {
		return outcome{}, err
	}
	o := c.view.of(in.Vendor)
	if o == nil {
		if _, err := x.b.Vendors.Get(ctx, c.view.Market, in.Vendor); err != nil {
			return outcome{}, vendorErr(err)
		}
		return unsaid("no YES of the client covers this vendor: use propose_outreach"), nil
	}
	if why, err := x.deaf(ctx, c.view, c.market, *o); why != "" || err != nil {
		return unsaid("%s", why), err
	}
	words := clip(in.Message, MaxText)
	if c.Meta.Actor == Admin && c.By.IsStaff() {
		return x.passes(ctx, c, *o, wording.VendorFromDesk, wording.Vars{
			"name": deskName(c.By), "market": c.market.Name, "words": wording.Quote(o.Language, words),
		})
	}
	whole, err := x.whole(ctx, c.view, words)
	switch {
	case err != nil:
		return outcome{}, err
	case whole:
		return x.passes(ctx, c, *o, wording.VendorFromCustomer, wording.Vars{"words": wording.Quote(o.Language, words)})
	case c.InTurn == nil:
		return unsaid("nobody but the client speaks for the client: only a whole message of theirs is passed on, without money, contacts or links"), nil
	}
	c.view.Offer = &Offer{Kind: LetterKind, Letter: &Letter{Outreach: o.ID, Text: words}}
	head, err := x.b.clientHead(ctx, c)
	if err != nil {
		return outcome{}, err
	}
	return x.b.offers().propose(c, head, nil)
}

// speaks are the writes that send a vendor words, with whose they are.
func (x letters) speaks(
	ctx context.Context, m *market.Market, r Request, o vendor.Outreach, from wording.Key, vars wording.Vars, trace string,
) []dynamo.Write {
	ws, after := x.b.mail().Speaks(ctx, m, r.Thread, o, from, vars, trace)
	return append(ws, x.b.Store.saves(o, after))
}

// deaf says why a vendor cannot be written to about a request; "" is no reason. 1 request.
func (x letters) deaf(ctx context.Context, v View, m *market.Market, o vendor.Outreach) (why string, err error) {
	if !v.State.Open() {
		return fmt.Sprintf("the request is %s", v.State), nil
	}
	return x.b.mail().Deaf(ctx, m, o, x.b.Store.now())
}

// passes sends a vendor words, with whose they are.
func (x letters) passes(ctx context.Context, c *call, o vendor.Outreach, from wording.Key, vars wording.Vars) (outcome, error) {
	return outcome{output: Said{Success: true, Outreach: o.ID}, writes: x.speaks(ctx, c.market, c.view.Request, o, from, vars, c.trace)}, nil
}

// deskName is how a person at the desk signs.
func deskName(by actor.Actor) string {
	if name := strings.TrimSpace(by.Name); name != "" {
		return name
	}
	return by.ID
}

// looksBack is how many messages of a conversation are looked through for one of the client's.
const looksBack = 40

// whole reports whether words are a whole message of the client's that may be passed on as theirs. 1 request, 1 more where
// long messages are kept apart.
func (x letters) whole(ctx context.Context, v View, words string) (bool, error) {
	if v.Thread == "" || !v.passable(words) {
		return false, nil
	}
	lines, _, err := x.b.Threads.LinesBefore(ctx, v.Thread, thread.Latest, looksBack)
	if err != nil {
		return false, fmt.Errorf("messages of request %s: %w", v.ID, err)
	}
	return slices.ContainsFunc(lines, func(l thread.Line) bool {
		theirs := l.Direction == thread.Inbound && len(l.Media) == 0 && l.Location == nil
		return theirs && slices.Equal(strings.Fields(l.Text), strings.Fields(words))
	}), nil
}

// What a figure may be that is no amount of money.
var (
	clockOrDate = pattern.New(`\b(?:\d{1,2}:\d{2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2})\b`)
	figureOf    = pattern.New(`\d+`)
)

// passable reports whether words may go to a vendor as a message of the client's without another YES: they have no money,
// no contacts and no links, and do not answer a question that we asked. A figure of three digits is taken for money unless it says when,
// and one of fewer where it is the client's budget or what a vendor quotes.
func (v View) passable(words string) bool {
	if gate.Read(words) != gate.Unclear || new(contact.Known).Clean(words) != words || price.Named(words) {
		return false
	}
	secret := v.amounts()
	for _, figure := range figureOf.Regexp().FindAllString(clockOrDate.Regexp().ReplaceAllString(language.Digits(words), " "), -1) {
		if len(figure) > 2 || slices.Contains(secret, strings.TrimLeft(figure, "0")) {
			return false
		}
	}
	return true
}

// amounts are the budget and all quotes of a request, in whole units of money.
func (v View) amounts() []string {
	var all []string
	if budget, ok := v.Requirements.values()[BudgetField].(float64); ok {
		all = append(all, strconv.FormatInt(int64(budget), 10))
	}
	for _, o := range v.Outreach {
		if o.Quote != nil && o.Quote.PriceMinor != nil {
			whole, _, _ := strings.Cut(quote.Decimal(*o.Quote.PriceMinor, v.Currency).String(), ".")
			all = append(all, whole)
		}
	}
	return all
}

// Sending settles whether words go to a vendor in the client's name.
type Sending struct{ Broker *Broker }

// Describe asks for the YES.
func (Sending) Describe(tc tool.Context, p thread.Pending) string {
	return prompt(tc, p, wording.RequestLetterPrompt)
}

// Does implements [gate.Commitment].
func (Sending) Does() gate.Deed { return gate.Other }

// Commit sends the words, exactly as they were shown.
func (s Sending) Commit(ctx context.Context, tc tool.Context, c gate.Consent) (gate.Settled, error) {
	b := s.Broker
	v, ok, err := b.offers().offered(ctx, tc, c.Pending)
	if err != nil || !ok {
		return changed(tc), err
	}
	l := *v.Offer.Letter
	o := *v.outreach(l.Outreach)
	why, err := b.letters().deaf(ctx, v, tc.Market, o)
	switch {
	case err != nil:
		return gate.Settled{}, err
	case why != "":
		return gate.Settled{Text: wording.Say(tc.Language, wording.RequestUnreachable, wording.Vars{"vendor": o.Name})}, nil
	}
	receipt, words := c.Receipt(tc.TraceID), wording.Vars{"words": wording.Quote(o.Language, l.Text)}
	ws := b.letters().speaks(ctx, tc.Market, v.Request, o, wording.VendorFromCustomer, words, tc.TraceID)
	v.Offer = nil
	e := Event{Type: LetterEvent, Outreach: o.ID, Text: l.Text, Receipt: &receipt, By: receipt.Actor, Trace: tc.TraceID}
	vars := wording.Vars{"vendor": o.Name, "words": wording.Quote(tc.Language, l.Text), "code": v.Code}
	return gate.Settled{
		Text:    wording.Say(tc.Language, wording.RequestLetterSent, vars),
		Writes:  append(ws, b.Store.changes(&v, e)...),
		Stands:  standing.Only(Item(tc.Language, v)),
		Refused: meanwhile(tc),
	}, nil
}

// Release sends nothing.
func (s Sending) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	return s.Broker.offers().release(tc, p, wording.RequestLetterNot), nil
}

// vendorErr names the field of a vendor that there is not.
func vendorErr(err error) error {
	if errors.Is(err, actor.ErrNotFound) {
		return &fault.Error{Kind: fault.NotFound, Field: "vendor_id", Message: "not found"}
	}
	return err
}
