package request

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/audit"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/quote"
	"merve/internal/matter/quote/price"
	"merve/internal/matter/vendor"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// The kinds of pending actions about requests.
const (
	OutreachKind   = "request_outreach"
	AcceptanceKind = "request_acceptance"
	ConsentKind    = "request_call"
	LetterKind     = "request_letter" // words to a vendor
	DropKind       = "request_drop"   // what was accepted is cancelled
	DoneKind       = "request_done"   // what was accepted is done
)

// Proposed tells what became of a proposal.
type Proposed struct {
	Success   bool   `json:"success"`
	Waits     bool   `json:"waits_for_client,omitempty"` // for the client's YES or NO
	Question  string `json:"question,omitempty"`
	ExpiresAt string `json:"expires_at,omitempty"`
	State     State  `json:"state"`
	Error     string `json:"error,omitempty"`
}

// Question is what the turn in which a call was made has to ask.
type Question struct {
	Kind, Ref, Summary, Hash string
	ExpiresAt                time.Time
}

// proposal is how a turn puts the question.
func (q *Question) proposal() *tool.Proposal {
	if q == nil {
		return nil
	}
	return &tool.Proposal{Kind: q.Kind, Ref: q.Ref, Summary: q.Summary, Hash: q.Hash, ExpiresAt: q.ExpiresAt}
}

// pending is how a notice puts it.
func (q *Question) pending(m *market.Market) *thread.Pending {
	return &thread.Pending{Kind: q.Kind, Ref: q.Ref, Summary: q.Summary, Hash: q.Hash, ExpiresAt: q.ExpiresAt, Policy: m.Version}
}

// unproposed is the answer to a proposal that is not made.
func (c *call) unproposed(format string, args ...any) outcome {
	why := fmt.Sprintf(format, args...)
	return outcome{output: Proposed{State: c.view.State, Error: why}, failed: why}
}

// proposeOutreach asks the client whether vendors shall be asked.
func (x offers) proposeOutreach(ctx context.Context, c *call) (outcome, error) {
	in, err := read[OutreachInput](c)
	if err != nil {
		return outcome{}, err
	}
	vendors, err := x.b.Vendors.Some(ctx, c.view.Market, in.Vendors)
	if err != nil {
		return outcome{}, err
	}
	for _, id := range in.Vendors {
		v, ok := vendors[id]
		switch {
		case !ok:
			return outcome{}, &fault.Error{Kind: fault.NotFound, Field: "vendor_ids", Message: "not found"}
		case !v.MayBeAsked():
			return c.unproposed("%s may not be written to: no opt-in is recorded", v.ID), nil
		case c.view.of(id) != nil:
			return c.unproposed("%s was asked already: use send_vendor_message", v.ID), nil
		}
	}
	these := ordered(in.Vendors, vendors)
	threads, err := x.b.mail().ThreadsOf(ctx, c.view.Market, these)
	if err != nil {
		return outcome{}, err
	}
	heads, err := x.heads(ctx, c, threads)
	if err != nil {
		return outcome{}, err
	}
	if far := vendor.Unreachable(c.market, these, threads, heads, c.now); far != "" {
		return c.unproposed("%s cannot be written to: they have opted out, or have not written for 24 hours and "+
			"the market has no approved template for %s", far, vendor.AskedEvent), nil
	}
	if missing := c.view.Requirements.Missing(); len(missing) > 0 {
		return c.unproposed("ask the client first for: %s", strings.Join(missing, ", ")), nil
	}
	if c.view.State == New || c.view.State == Clarifying {
		c.view.State = Searching
	}
	switch {
	case !c.view.State.May(Asking):
		return c.unproposed("from %s only to: %s", c.view.State, names(c.view.State.Next())), nil
	case len(c.view.Outreach)+len(in.Vendors) > MaxVendors:
		return c.unproposed("at most %d vendors are asked about one request, and %d were", MaxVendors, len(c.view.Outreach)), nil
	}
	c.view.Offer = &Offer{Kind: OutreachKind}
	for _, v := range these {
		c.view.Offer.Vendors = append(c.view.Offer.Vendors, Named{v.ID, v.Name})
	}
	return x.propose(c, thread.HeadOf(heads, c.view.Thread), func(receipt gate.Receipt) ([]dynamo.Write, error) {
		return x.asks(ctx, &c.view, c.market, these, threads, receipt, c.trace), nil
	})
}

// heads are those of the client's thread and of some vendors', of the threads that there are. 1 request.
func (x offers) heads(ctx context.Context, c *call, threads []string) ([]thread.Head, error) {
	if c.view.Thread != "" {
		threads = append(slices.Clone(threads), c.view.Thread)
	}
	heads, err := x.b.Threads.Heads(ctx, threads...)
	if err != nil {
		return nil, fmt.Errorf("client and vendors of request %s: %w", c.view.ID, err)
	}
	return heads, nil
}

// ordered are vendors in the order of their ids.
func ordered(ids []string, by map[string]vendor.Vendor) []vendor.Vendor {
	var all []vendor.Vendor
	for _, id := range ids {
		if v, ok := by[id]; ok {
			all = append(all, v)
		}
	}
	return all
}

// proposeAcceptance asks the client whether a quote shall be accepted.
func (x offers) proposeAcceptance(ctx context.Context, c *call) (outcome, error) {
	in, err := read[AcceptanceInput](c)
	if err != nil {
		return outcome{}, err
	}
	o := c.view.outreach(in.Outreach)
	if o == nil {
		return outcome{}, &fault.Error{Kind: fault.NotFound, Field: "outreach_id", Message: "not found"}
	}
	if c.view.State == Quoted {
		c.view.State = Presented // by the question, which shows the quote
	}
	switch {
	case o.Quote != nil && o.Quote.Status == price.Unclear:
		return c.unproposed("the price of %s is not clear, so it cannot be accepted: %q", o.Name, o.Quote.Text), nil
	case !c.view.State.May(Accepted):
		return c.unproposed("from %s only to: %s", c.view.State, names(c.view.State.Next())), nil
	case o.Quote == nil:
		return c.unproposed("%s has quoted nothing", o.Name), nil
	case !c.now.Before(o.Quote.Until):
		return c.unproposed("the quote of %s has expired: ask again", o.Name), nil
	case !o.Quote.Offers(c.now):
		return c.unproposed("%s does not have it", o.Name), nil
	}
	c.view.Offer = &Offer{Kind: AcceptanceKind, Outreach: o.ID}
	head, err := x.b.clientHead(ctx, c)
	if err != nil {
		return outcome{}, err
	}
	return x.propose(c, head, func(receipt gate.Receipt) ([]dynamo.Write, error) {
		stands := x.b.Store.Book().StillQuotes(*o).Else(ErrChanged)
		ws, err := x.accepts(ctx, &c.view, c.market, receipt, c.trace)
		return append(ws, stands), err
	})
}

// propose puts the offer of a request to the one who has to answer it: to the client in this turn, or as a notice
// after whatever else waits on their thread. Of a request without a client the person at the desk who calls
// has answered it by the call. head is the head of the client's thread.
func (x offers) propose(c *call, head thread.Head, commit func(gate.Receipt) ([]dynamo.Write, error)) (outcome, error) {
	if c.view.Thread == "" {
		return x.atDesk(c, commit)
	}
	c.view.Offer.ExpiresAt = c.now.Add(offerFor)
	if o := c.view.outreach(c.view.Offer.Outreach); o != nil && o.Quote.Until.Before(c.view.Offer.ExpiresAt) {
		c.view.Offer.ExpiresAt = o.Quote.Until
	}
	if head.OptedOut {
		return c.unproposed("the client has opted out of messages"), nil
	}
	out := x.put(c, head)
	q := c.view.question()
	out.output = Proposed{Success: true, Waits: true, Question: q.Summary, ExpiresAt: q.ExpiresAt.UTC().Format(time.RFC3339), State: c.view.State}
	return out, nil
}

// clientHead is the head of the client's thread; of a client who has never written, and of none, it is empty.
func (b *Broker) clientHead(ctx context.Context, c *call) (thread.Head, error) {
	if c.view.Thread == "" {
		return thread.Head{}, nil
	}
	head, err := b.Threads.Head(ctx, c.view.Thread)
	if errors.Is(err, thread.ErrNoThread) {
		return thread.Head{}, nil
	}
	return head, err
}

// put makes the offer of the request the question of this turn, or a notice on the client's thread. The answer to the
// call is still to be filled in.
func (x offers) put(c *call, head thread.Head) (out outcome) {
	inTurn := c.InTurn != nil && c.InTurn.Thread == c.view.Thread && (head.Pending == nil || head.Pending.Ref == c.view.ID)
	e := c.event(OfferedEvent)
	if inTurn {
		e.Type = ChangedEvent
	}
	c.view.Offer.Asked, c.view.Offer.AskedAt = 1, c.now
	out.writes = x.b.Store.changes(&c.view, e)
	if inTurn {
		out.offer = c.view.question()
	}
	return out
}

// atDesk carries out what is proposed for a request that belongs to the desk.
func (x offers) atDesk(c *call, commit func(gate.Receipt) ([]dynamo.Write, error)) (outcome, error) {
	if c.Meta.Actor != Admin || !c.By.IsStaff() {
		return c.unproposed("the request has no client: a person at the desk has to answer"), nil
	}
	q := c.view.question()
	ws, err := commit(gate.Receipt{
		PendingID: q.Ref, OfferHash: q.Hash, MessageID: c.Meta.Key, Answer: gate.Yes.String(), Actor: c.By.Key() + " " + c.By.Name,
		At: c.now, PolicyVersion: c.market.Version, Trace: c.trace,
	})
	if err != nil {
		return outcome{}, err
	}
	return outcome{output: Proposed{Success: true, State: c.view.State}, writes: ws}, nil
}

// question is the offer of a request in words, with the hash of all that the words say.
func (v View) question() *Question {
	q := &Question{Kind: v.Offer.Kind, Ref: v.ID, Summary: v.summaryOf(v.Language), ExpiresAt: v.Offer.ExpiresAt}
	q.Hash, _ = audit.Hash(v.terms()) // strings always have a canonical form
	return q
}

// terms are all that the client says YES to.
func (v View) terms() map[string]any {
	terms := map[string]any{
		"request": v.ID, "kind": v.Offer.Kind, "category": v.Category, "requirements": string(v.Requirements), "until": v.Offer.ExpiresAt.UnixMilli(),
		"vendors": v.Offer.Vendors,
	}
	if o := v.outreach(v.Offer.Outreach); o != nil && o.Quote != nil {
		terms["outreach"], terms["vendor"] = o.ID, o.Name
		terms["price"], terms["availability"], terms["notes"], terms["text"] = v.priced(o.Quote), o.Quote.Availability, o.Quote.Notes, o.Quote.Text
		terms["noted"], terms["client"] = o.Quote.NotedBy, []string{v.Client.Name, v.Client.Phone}
	}
	if l := v.Offer.Letter; l != nil {
		terms["outreach"], terms["vendor"], terms["text"] = l.Outreach, v.outreach(l.Outreach).Name, l.Text
	}
	if o := v.outreach(v.Accepted); o != nil && v.Quote != nil && v.Offer.ends() {
		terms["outreach"], terms["vendor"], terms["price"], terms["text"] = o.ID, o.Name, v.priced(v.Quote), v.Quote.Text
	}
	if k := v.consent(v.Offer.Consent); k != nil {
		terms["consent"], terms["scope"], terms["reason"], terms["number"] = k.ID, k.Scope, k.Reason, k.Number
	}
	return terms
}

func (v View) priced(q *quote.Quote) string {
	if q.PriceMinor == nil {
		return ""
	}
	return strconv.FormatInt(*q.PriceMinor, 10) + " " + q.In(v.Currency) + " " + string(q.Status)
}

// summaryOf words the offer of a request.
func (v View) summaryOf(lang string) string {
	switch {
	case v.Offer.Kind == AcceptanceKind:
		o := v.outreach(v.Offer.Outreach)
		return wording.Say(lang, wording.RequestAcceptSummary, v.acceptVars(lang, *o))
	case v.Offer.Letter != nil:
		return wording.Say(lang, wording.RequestLetterSummary, wording.Vars{
			"vendor": v.outreach(v.Offer.Letter.Outreach).Name, "words": wording.Quote(lang, v.Offer.Letter.Text), "need": v.Need(lang),
		})
	case v.Offer.ends():
		return wording.Say(lang, wording.RequestDealSummary, wording.Vars{
			"vendor": v.outreach(v.Accepted).Name, "price": v.price(lang, v.Quote), "words": wording.Quote(lang, v.Quote.Text), "need": v.Need(lang),
		})
	}
	if k := v.consent(v.Offer.Consent); k != nil {
		return wording.Say(lang, wording.RequestCallSummary, wording.Vars{
			"need": v.Need(lang), "phone": k.Number, "scope": wording.Quote(lang, k.Scope), "words": wording.Quote(lang, k.Reason),
		})
	}
	var all []string
	for _, n := range v.Offer.Vendors {
		all = append(all, n.Name)
	}
	return wording.Say(lang, wording.RequestOutreachSummary, wording.Vars{
		"need": v.Need(lang), "count": strconv.Itoa(len(all)), "vendors": strings.Join(all, ", "),
	})
}

// acceptVars word a quote, with what its vendor is told.
func (v View) acceptVars(lang string, o vendor.Outreach) wording.Vars {
	return wording.Vars{
		"vendor": o.Name, "need": v.Need(lang), "price": v.price(lang, o.Quote), "availability": wording.Quote(lang, o.Quote.Availability),
		"notes": wording.Quote(lang, o.Quote.Notes), "words": o.Quote.Worded(lang), "customer": wording.Quote(lang, v.Client.Name), "phone": v.Client.Phone,
	}
}

// price words what a quote asks for, to the client: also that it names no price, or no currency.
func (v View) price(lang string, q *quote.Quote) string {
	if q.PriceMinor == nil {
		return wording.Say(lang, wording.RequestNoPrice, nil)
	}
	amount := wording.Money(lang, *q.PriceMinor, q.In(v.Currency))
	if q.Status == price.Assumed {
		return wording.Say(lang, wording.RequestPriceAssumed, wording.Vars{"price": amount, "currency": q.In(v.Currency)})
	}
	return amount
}

// asks are the writes that ask vendors on their threads, after the YES that the receipt proves.
func (x offers) asks(
	ctx context.Context, v *View, m *market.Market, vendors []vendor.Vendor, threads []string, receipt gate.Receipt, trace string,
) []dynamo.Write {
	now := x.b.Store.now()
	var ws []dynamo.Write
	for i, one := range vendors {
		o := one.Ask(m, v.ID, threads[i], len(v.Outreach)+1, receipt, now)
		ws = append(ws, x.b.Store.Book().Puts(o)...)
		ask := vendor.Letter{Name: "asked", Event: vendor.AskedEvent, Key: wording.VendorAsked, Vars: v.askVars(m, o)}
		ws = append(ws, x.b.mail().Letter(ctx, m, v.Thread, o, ask, trace)...)
		v.Outreach = append(v.Outreach, o)
	}
	e := Event{Type: AskedEvent, From: v.State, To: Asking, By: receipt.Actor, Trace: trace}
	v.State, v.Offer = Asking, nil
	return append(ws, x.b.Store.changes(v, e)...)
}

// askVars word what a vendor is asked.
func (v View) askVars(m *market.Market, o vendor.Outreach) wording.Vars {
	return wording.Vars{"market": m.Name, "need": v.Need(o.Language), "currency": v.Currency, "code": o.Code}
}

// errUnreachable says that the vendor whose quote is accepted cannot be told.
var errUnreachable = fault.New(fault.Conflict, "the vendor cannot be reached any more")

// accepts are the writes that accept the quote of the offer and tell its vendor, in one transaction.
func (x offers) accepts(ctx context.Context, v *View, m *market.Market, receipt gate.Receipt, trace string) ([]dynamo.Write, error) {
	o := v.outreach(v.Offer.Outreach)
	vars := v.acceptVars(o.Language, *o)
	vars["code"], vars["price"] = o.Code, ""
	if p := o.Quote.PriceMinor; p != nil { // the vendor knows what they have named, and hears how it was taken
		vars["price"] = wording.Money(o.Language, *p, o.Quote.In(v.Currency))
	}
	told := vendor.Letter{Name: "accepted", Event: "vendor_accepted", Key: wording.VendorAccepted, Vars: vars}
	ws := x.b.mail().Letter(ctx, m, v.Thread, *o, told, trace)
	ws = append(ws, x.b.Threads.MayWrite(o.Thread, thread.Reach{Beside: true}, func(thread.Why) error { return errUnreachable }))
	e := Event{Type: AcceptedEvent, From: v.State, To: Accepted, Outreach: o.ID, By: receipt.Actor, Trace: trace}
	v.State, v.Accepted, v.Quote, v.Receipt, v.Offer = Accepted, o.ID, o.Quote, &receipt, nil
	return append(ws, x.b.Store.changes(v, e)...), nil
}
