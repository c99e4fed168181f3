package request

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/quote"
	"merve/internal/matter/quote/price"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
	"merve/internal/words/claim"
)

// FoundVendor is a vendor as callers see them.
type FoundVendor struct {
	ID         string   `json:"vendor_id"`
	Name       string   `json:"name"`
	Phone      string   `json:"phone" model:"-"`
	DistanceKM *float64 `json:"distance_km,omitempty"`
	Rating     *float64 `json:"rating,omitempty"`
	Tags       []string `json:"tags,omitempty"`
}

// FoundVendors is what a search gives.
type FoundVendors struct {
	Vendors []FoundVendor `json:"vendors"`
	Total   int           `json:"total_available"`
}

// searchVendors finds vendors, who are the shortlist from then on.
func (b *Broker) searchVendors(ctx context.Context, c *call) (outcome, error) {
	in, err := read[SearchInput](c)
	if err != nil {
		return outcome{}, err
	}
	q := vendor.Search{Market: c.view.Market, Category: in.Category, Near: c.view.Requirements.Location(), Tags: in.Filters.Tags, Limit: usualVendors}
	if in.Filters.RadiusKM != nil {
		q.RadiusKM = *in.Filters.RadiusKM
	}
	if in.Filters.MinRating != nil {
		q.MinRating = *in.Filters.MinRating
	}
	if in.Limit != nil {
		q.Limit = *in.Limit
	}
	hits, total, err := b.Vendors.Find(ctx, q)
	if err != nil {
		return outcome{}, err
	}
	found := FoundVendors{Vendors: []FoundVendor{}, Total: total}
	var shortlist []Candidate
	for _, h := range hits {
		km := rounded(h.KM)
		found.Vendors = append(found.Vendors, FoundVendor{h.ID, h.Name, h.Phone, km, h.Rating, h.Tags})
		shortlist = append(shortlist, Candidate{h.ID, h.Name, km, h.Rating})
	}
	out := outcome{output: found}
	same := slices.EqualFunc(shortlist, c.view.Shortlist, func(a, b Candidate) bool { return a.Vendor == b.Vendor })
	if len(shortlist) > 0 && c.view.State.Open() && !same {
		c.view.Shortlist = shortlist
		out.writes = b.Store.changes(&c.view, c.event(ChangedEvent))
	}
	return out, nil
}

// rounded is a distance to a tenth of a kilometre.
func rounded(km *float64) *float64 {
	if km == nil {
		return nil
	}
	r := float64(int(*km*10+0.5)) / 10
	return &r
}

// event is what a call has brought about.
func (c *call) event(typ EventType) Event {
	return Event{Type: typ, By: c.Meta.Actor, Trace: c.trace}
}

// Said tells what became of a message.
type Said struct {
	Success    bool   `json:"success"`
	ProviderID string `json:"provider_message_id,omitempty"`
	Outreach   string `json:"outreach_id,omitempty"`
	Error      string `json:"error,omitempty"`
}

// unsaid is the answer to a message that is not sent.
func unsaid(format string, args ...any) outcome {
	why := fmt.Sprintf(format, args...)
	return outcome{output: Said{Error: why}, failed: why}
}

// clientEvent is the event of a message to a client, whose approved template it uses.
const clientEvent = "request_message"

// sendClientMessage has the client told something. The stream puts it on their thread.
func (x letters) sendClientMessage(ctx context.Context, c *call) (outcome, error) {
	in, err := read[ClientMessage](c)
	if err != nil {
		return outcome{}, err
	}
	if c.view.Thread == "" {
		return unsaid("the request has no client to write to"), nil
	}
	if claims := claim.Unsupported(in.Message, c.view.facts()); len(claims) > 0 {
		return unsaid("the message says that something was done (%s) which was not", claims[0].Kind), nil
	}
	head, err := x.b.Threads.Head(ctx, c.view.Thread)
	switch {
	case errors.Is(err, thread.ErrNoThread):
		return unsaid("the client has no conversation yet"), nil
	case err != nil:
		return outcome{}, err
	case head.OptedOut:
		return unsaid("the client has opted out of messages"), nil
	case head.Handler == thread.ByPerson:
		return unsaid("a person has the conversation"), nil
	case !head.Reachable(c.market, clientEvent, false, c.now):
		return unsaid("the client has not written for 24 hours, and the market has no approved template for %s", clientEvent), nil
	}
	e := c.event(WrittenEvent)
	e.ID, e.Text, e.Options = "written-"+ident.Digest(c.Meta.Key), strings.TrimSpace(in.Message), in.Options
	return outcome{output: Said{Success: true}, writes: []dynamo.Write{x.b.Store.happened(c.view.Request, e)}}, nil
}

// facts are what a request bears out of what may be said of it.
func (v View) facts() []string {
	var facts []string
	for _, o := range v.Outreach {
		facts = append(facts, string(claim.Sent)+":"+o.Name)
	}
	if v.State == Accepted || v.State == Fulfilled {
		facts = append(facts, string(claim.Ordered), string(claim.Booked))
	}
	if v.State == Cancelled {
		facts = append(facts, string(claim.Cancelled))
	}
	return facts
}

// Recorded tells what became of a vendor's answer.
type Recorded struct {
	Success  bool                 `json:"success"`
	Outreach string               `json:"outreach_id"`
	State    vendor.OutreachState `json:"state"`

	// What the backend has read in the answer.
	PriceStatus price.Status `json:"price_status,omitempty"`
	Price       json.Number  `json:"price,omitempty"`
	Currency    string       `json:"currency,omitempty"`

	Error string `json:"error,omitempty"`
}

// recorded tells of an answer that is taken in as a quote.
func recorded(outreach string, state vendor.OutreachState, q quote.Quote) Recorded {
	r := Recorded{Success: true, Outreach: outreach, State: state, PriceStatus: q.Status}
	if q.PriceMinor != nil {
		r.Price, r.Currency = quote.Decimal(*q.PriceMinor, q.Currency), q.Currency
	}
	return r
}

// recordVendorReply records a vendor's answer, once for its message, and reads what it says.
func (x replies) recordVendorReply(ctx context.Context, c *call) (outcome, error) {
	in, err := read[VendorReply](c)
	if err != nil {
		return outcome{}, err
	}
	o := c.view.of(in.Vendor)
	if o == nil {
		if _, err := x.b.Vendors.Get(ctx, c.view.Market, in.Vendor); err != nil {
			return outcome{}, vendorErr(err)
		}
		return outcome{}, fault.New(fault.Conflict, "the vendor was not asked, so this is no answer")
	}
	onThread, heard := o.MessageIDs(in.ID)
	if r, ok, err := x.b.Store.Book().Replied(ctx, c.view.ID, onThread, heard); ok || err != nil {
		again := Recorded{Success: true, Outreach: o.ID, State: o.State}
		if o.Quote != nil && o.Quote.Message == r.Message {
			again = recorded(o.ID, o.State, *o.Quote)
		}
		return outcome{output: again}, err
	}
	said, why, err := x.answered(ctx, c, *o, in)
	if why != "" || err != nil {
		return outcome{output: Recorded{Outreach: o.ID, State: o.State, Error: why}, failed: why}, err
	}
	q := x.b.Parser.Quote(ctx, c.view.about(*o), said, in.Parsed, c.now)
	ws, state := x.takes(&c.view, *o, q, c.Meta.Actor, c.trace, true)
	return outcome{output: recorded(o.ID, state, q), writes: ws}, nil
}

// takes are the writes that take a vendor's answer in, and the state that the outreach is in then. With the
// first quote the request itself is quoted, if the caller can commit again when others change it meanwhile;
// otherwise the stream sees to that.
func (x replies) takes(v *View, o vendor.Outreach, q quote.Quote, by, trace string, again bool) ([]dynamo.Write, vendor.OutreachState) {
	ws := x.b.Store.replies(*v, o, q, by, trace, again)
	state := vendor.AnsweredBy(q)
	if again && v.State == Asking && q.Offers(q.At) {
		ws = append(ws, x.b.Store.changes(v.to(Quoted), Event{Type: ChangedEvent, From: Asking, To: Quoted, By: by, Trace: trace})...)
	}
	return ws, state
}

// to is the request in another state.
func (v *View) to(s State) *View {
	v.State = s
	return v
}

// StateAnswer tells what became of a change of state.
type StateAnswer struct {
	Success  bool   `json:"success"`
	Previous State  `json:"previous_state"`
	Current  State  `json:"current_state"`
	Error    string `json:"error,omitempty"`
}

// updateState takes a request to another state, where no YES is needed for that.
func (x moves) updateState(ctx context.Context, c *call) (outcome, error) {
	in, err := read[StateInput](c)
	if err != nil {
		return outcome{}, err
	}
	from := c.view.State
	refuse := func(why string) (outcome, error) {
		return outcome{output: StateAnswer{Previous: from, Current: from, Error: why}, failed: why}, nil
	}
	switch {
	case !from.May(in.State) && len(from.Next()) == 0:
		return refuse(fmt.Sprintf("the request is %s, and stays so", from))
	case !from.May(in.State):
		return refuse(fmt.Sprintf("from %s only to: %s", from, names(from.Next())))
	case in.State == Asking:
		return refuse("only the client's YES leads to outreach: use propose_outreach")
	case in.State == Accepted:
		return refuse("only the client's YES accepts a quote: use propose_acceptance")
	case from == Accepted:
		return x.leave(ctx, c, in)
	}
	e := c.event(ChangedEvent)
	e.From, e.To, e.Text = from, in.State, clip(in.Reason, maxReason)
	switch in.State {
	case Error:
		c.view.Fallback, e.Type, e.Text = strings.TrimSpace(in.Fallback), ErrorEvent, strings.TrimSpace(in.Fallback)
	case Cancelled:
		c.view.Offer, e.Type = nil, CancelledEvent
	case Presented:
		e.Type = PresentedEvent
	}
	return outcome{output: StateAnswer{Success: true, Previous: from, Current: in.State}, writes: x.b.Store.changes(c.view.to(in.State), e)}, nil
}

// Needed is what is known of a need.
type Needed struct {
	Success      bool         `json:"success"`
	Request      string       `json:"request_id"`
	Code         string       `json:"code"`
	State        State        `json:"state"`
	Category     string       `json:"category"`
	Requirements Requirements `json:"requirements"`
	Missing      []string     `json:"missing"`
	Error        string       `json:"error,omitempty"`
}

// updateRequirements adds what the client has said. Nobody is asked before all is known that vendors ask for.
func (x moves) updateRequirements(_ context.Context, c *call) (outcome, error) {
	in, err := read[RequirementsInput](c)
	if err != nil {
		return outcome{}, err
	}
	if !slices.Contains([]State{New, Clarifying, Searching, Error}, c.view.State) {
		why := fmt.Sprintf("vendors were asked about this already: the request is %s", c.view.State)
		n := c.view.needed()
		n.Success, n.Error = false, why
		return outcome{output: n, failed: why}, nil
	}
	if in.Category != "" {
		if err := text("category", in.Category, vendor.MaxCategory); err != nil {
			return outcome{}, err
		}
		c.view.Category = strings.TrimSpace(in.Category)
	}
	if c.view.Requirements, err = c.view.Requirements.With(in.Requirements); err != nil {
		return outcome{}, err
	}
	e := c.event(ChangedEvent)
	e.From = c.view.State
	c.view.clarify()
	e.To = c.view.State
	ws := x.b.Store.changes(&c.view, e)
	return outcome{output: c.view.needed(), writes: ws}, nil
}

// clarify takes a request in which nothing has been asked yet to the state that its requirements call for.
func (v *View) clarify() {
	to := Searching
	if len(v.Requirements.Missing()) > 0 {
		to = Clarifying
	}
	if v.State.May(to) {
		v.State = to
	}
}

func (v View) needed() Needed {
	return Needed{true, v.ID, v.Code, v.State, v.Category, v.Requirements, v.Requirements.Missing(), ""}
}
