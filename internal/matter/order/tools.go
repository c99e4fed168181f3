package order

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/listing"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// Taker has the tools a model calls to order, list and cancel for a customer. None of them
// commits: they propose, and the customer's YES settles it.
type Taker struct {
	Store    *Store
	Listings interface {
		Get(ctx context.Context, market, id string) (*listing.Listing, error)
		Count(ctx context.Context, l *listing.Listing) error
		Unchanged(l *listing.Listing) dynamo.Write
	}
	Places   Places // nil: addresses are kept as text
	Business Business
	Log      *slog.Logger
}

// Places finds where an address is.
type Places interface {
	// Geocode returns what the text may mean, the likeliest first, none when there is nothing.
	Geocode(ctx context.Context, q geo.Query) ([]geo.Found, error)
}

// Tools returns the declarations with their resolvers.
func (d *Taker) Tools() []tool.Tool {
	all := []tool.Tool{
		tool.New("orderFood",
			"Put together an order of food from a listing's menu and ask the customer to confirm it. Take item and option ids from getMenu. "+
				"The system computes all prices. Nothing is ordered until the customer says YES. "+
				"Where an option has to be chosen, the answer says which there are and the customer gets them as buttons: "+
				"call it as soon as they have named the dishes. "+
				"Ask for the address when it is to be delivered, and for a phone number when the tool wants one.",
			tool.Propose, d.food),
		tool.New("bookService",
			"Put together a request for a service at a listing (repair, cleaning, beauty, transfer …) and ask the customer to confirm it. "+
				"The business then accepts it or not. Nothing is sent until the customer says YES.",
			tool.Propose, d.service),
		tool.New("scheduleViewing",
			"Put together a request to view a property and ask the customer to confirm it; the agent then answers. "+
				"Nothing is sent until the customer says YES.",
			tool.Propose, d.viewing),
		tool.New("getMyOrders", "List the customer's own orders of food, requests for services and viewings, those that stand first, with their status. "+
			"Name an order's code whenever you say that it is placed, accepted or cancelled.", tool.Read, d.list),
		tool.New("cancelOrder", "Ask the customer to confirm that one of their orders, requests or viewings is to be cancelled. "+
			"Nothing is cancelled until the customer says YES.", tool.Propose, d.cancel),
	}
	for i, t := range all {
		all[i].Listings = slices.Contains([]string{"orderFood", "bookService", "scheduleViewing"}, t.Name)
	}
	return all
}

type foodArgs struct {
	ListingID string   `json:"listingId" jsonschema:"id of the listing, as a search gave it"`
	Items     []wanted `json:"items" jsonschema:"what is ordered"`
	Delivery  bool     `json:"delivery" jsonschema:"true: it is brought; false: the customer picks it up"`
	Address   *string  `json:"address" jsonschema:"where to, in the customer's words; null when picked up or when their shared location is meant"`
	When      *string  `json:"when" jsonschema:"local date and time for which it is ordered, YYYY-MM-DDTHH:MM; null for as soon as can be"`
	Name      *string  `json:"name,omitempty" jsonschema:"the customer's name, as they gave it; null when not said"`
	Phone     *string  `json:"phone" jsonschema:"the customer's phone number for questions, as they gave it; null when not said"`
	Note      *string  `json:"note" jsonschema:"a wish of the customer for the whole order; null for none"`
}

type wanted struct {
	ItemID   string   `json:"itemId" jsonschema:"id of the item, as getMenu gave it"`
	Quantity int      `json:"quantity" jsonschema:"how many"`
	Options  []string `json:"options" jsonschema:"ids of the chosen options; empty for none"`
	Note     *string  `json:"note" jsonschema:"a wish for this item, such as: no onions; null for none"`
}

func (d *Taker) food(ctx context.Context, tc tool.Context, a foodArgs) (tool.Result, error) {
	l, action, err := d.listing(ctx, tc, a.ListingID, Food)
	if err != nil {
		return tool.Result{}, err
	}
	if err := d.Listings.Count(ctx, l); err != nil {
		return tool.Result{}, err
	}
	o := draft(tc, Food, l, action)
	asked := make([]Wanted, len(a.Items))
	for i, w := range a.Items {
		asked[i] = Wanted{w.ItemID, w.Quantity, w.Options, tool.Value(w.Note)}
	}
	var goods int64
	if o.Lines, goods, err = Price(l, action, tc.Language, asked); err != nil {
		return tool.Result{Choices: toChoose(err, tc.Language, o.Currency)}, err
	}
	o.Counted = counted(l, o.Lines)
	if err := d.finish(&o, tc, l, told{a.When, a.Name, a.Phone, a.Note}); err != nil {
		return tool.Result{}, err
	}
	if err := d.deliver(ctx, tc, &o, l, goods, a); err != nil {
		return tool.Result{}, err
	}
	o.TotalMinor = goods + o.FeeMinor
	return d.propose(ctx, tc, o)
}

// deliver says where an order is brought and what that costs, or that it is picked up.
func (d *Taker) deliver(ctx context.Context, tc tool.Context, o *Order, l *listing.Listing, goods int64, a foodArgs) error {
	t := l.Delivery
	switch {
	case !a.Delivery && t != nil && t.NoPickup:
		return fault.Field("delivery", "this listing delivers only: ask for the address and use true")
	case !a.Delivery:
		return nil
	case t == nil:
		return fault.Field("delivery", "this listing does not deliver: offer to have it picked up and use false")
	case goods < t.MinimumMinor:
		return fault.Field("items", "delivery starts at %d minor units of %s, and this comes to %d: suggest something more, or picking it up", t.MinimumMinor, o.Currency, goods)
	case o.CustomerPhone == "":
		return fault.Field("phone", "the courier needs a phone number: ask the customer for it")
	}
	spot, err := d.spot(ctx, tc, a.Address)
	if err != nil {
		return err
	}
	if spot == nil {
		return fault.Field("address", "ask the customer where it is to be brought, or to share their location")
	}
	if far, known := distance(l, spot); known && t.RadiusMeters > 0 && far > t.RadiusMeters {
		return fault.Field("address", "is %.1f km away, and this listing delivers within %.1f km: offer to have it picked up, or another place", far/1000, t.RadiusMeters/1000)
	}
	if err := covers(tc, l, spot); err != nil {
		return err
	}
	o.Delivery, o.FeeMinor = spot, t.FeeMinor
	return nil
}

// covers refuses a place in a district that the listing does not serve.
func covers(tc tool.Context, l *listing.Listing, s *geo.Spot) error {
	if s == nil {
		return nil
	}
	if district := tc.Market.DistrictOf(s.Address, s.Location()); !l.Covers(tc.Market, district) {
		return fault.Field("address", "is in %s, and this listing serves %s only: suggest another listing, or another place", district, strings.Join(l.Merve.Coverage, ", "))
	}
	return nil
}

func distance(l *listing.Listing, s *geo.Spot) (meters float64, known bool) {
	at := s.Location()
	if l.Location == nil || at == nil {
		return 0, false
	}
	return l.Location.Meters(*at), true
}

// spot is where a text means, else the customer's shared location; nil for neither.
func (d *Taker) spot(ctx context.Context, tc tool.Context, address *string) (*geo.Spot, error) {
	text := strings.TrimSpace(tool.Value(address))
	if utf8.RuneCountInString(text) > MaxAddress {
		return nil, fault.Field("address", "at most %d characters", MaxAddress)
	}
	at := tc.Location
	switch {
	case text == "" && at == nil:
		return nil, nil
	case text == "":
		return &geo.Spot{Address: at.Address, Lat: &at.Lat, Lng: &at.Lng}, nil
	case d.Places == nil:
		return &geo.Spot{Address: text}, nil
	}
	found, err := d.Places.Geocode(ctx, geo.Query{Text: text, Language: tc.Language, Within: tc.Market.Bounds, Limit: 1, Stored: true})
	if err != nil && d.Log != nil { // better an order without a pin than none
		d.Log.WarnContext(ctx, "address not looked up", "error", err.Error())
	}
	if err != nil || len(found) == 0 || !found[0].Sure {
		return &geo.Spot{Address: text}, nil
	}
	return &geo.Spot{Address: text, Lat: &found[0].Lat, Lng: &found[0].Lng}, nil
}

type serviceArgs struct {
	ListingID   string  `json:"listingId" jsonschema:"id of the listing, as a search gave it"`
	ServiceID   *string `json:"serviceId" jsonschema:"id of one of its services, as getMenu gave it; null when none fits or it has none"`
	Description string  `json:"description" jsonschema:"what is wanted, in the customer's words"`
	Address     *string `json:"address" jsonschema:"where, in the customer's words; null when at the business or when their shared location is meant"`
	When        *string `json:"when" jsonschema:"local date and time that the customer would like, YYYY-MM-DDTHH:MM; null when not said"`
	Name        *string `json:"name,omitempty" jsonschema:"the customer's name, as they gave it; null when not said"`
	Phone       *string `json:"phone" jsonschema:"the customer's phone number, as they gave it; null when not said"`
}

func (d *Taker) service(ctx context.Context, tc tool.Context, a serviceArgs) (tool.Result, error) {
	l, action, err := d.listing(ctx, tc, a.ListingID, Service)
	if err != nil {
		return tool.Result{}, err
	}
	o := draft(tc, Service, l, action)
	if id := tool.Value(a.ServiceID); id != "" {
		if err := d.Listings.Count(ctx, l); err != nil {
			return tool.Result{}, err
		}
		if o.Lines, o.TotalMinor, err = Price(l, action, tc.Language, []Wanted{{Item: id}}); err != nil {
			return tool.Result{}, err
		}
		o.Counted = counted(l, o.Lines)
	} else if strings.TrimSpace(a.Description) == "" {
		return tool.Result{}, fault.Field("description", "say what is wanted")
	}
	if o.Delivery, err = d.spot(ctx, tc, a.Address); err != nil {
		return tool.Result{}, err
	}
	if err := covers(tc, l, o.Delivery); err != nil {
		return tool.Result{}, err
	}
	if err := d.finish(&o, tc, l, told{a.When, a.Name, a.Phone, &a.Description}); err != nil {
		return tool.Result{}, err
	}
	return d.propose(ctx, tc, o)
}

type viewingArgs struct {
	ListingID string  `json:"listingId" jsonschema:"id of the property, as a search gave it"`
	When      *string `json:"when" jsonschema:"local date and time that the customer would like, YYYY-MM-DDTHH:MM; null when not said"`
	Name      *string `json:"name,omitempty" jsonschema:"the customer's name, as they gave it; null when not said"`
	Phone     *string `json:"phone" jsonschema:"the customer's phone number, as they gave it; null when not said"`
	Note      *string `json:"note" jsonschema:"a question or wish for the agent; null for none"`
}

func (d *Taker) viewing(ctx context.Context, tc tool.Context, a viewingArgs) (tool.Result, error) {
	l, action, err := d.listing(ctx, tc, a.ListingID, Viewing)
	if err != nil {
		return tool.Result{}, err
	}
	o := draft(tc, Viewing, l, action)
	if err := d.finish(&o, tc, l, told{a.When, a.Name, a.Phone, a.Note}); err != nil {
		return tool.Result{}, err
	}
	if o.CustomerPhone == "" {
		return tool.Result{}, fault.Field("phone", "the agent needs a phone number: ask the customer for it")
	}
	return d.propose(ctx, tc, o)
}

// made returns the listing action and the tool that make this kind of order.
func (k Kind) made() (action, tool string) {
	switch k {
	case Service:
		return listing.ServiceAction, "bookService"
	case Viewing:
		return listing.ViewingAction, "scheduleViewing"
	}
	return listing.FoodAction, "orderFood"
}

// listing is one that takes such orders, within what the market allows.
func (d *Taker) listing(ctx context.Context, tc tool.Context, id string, kind Kind) (*listing.Listing, listing.Action, error) {
	typ, name := kind.made()
	l, err := d.Listings.Get(ctx, tc.Market.ID, id)
	if err != nil {
		return nil, listing.Action{}, err
	}
	if !l.Merve.Enabled {
		return nil, listing.Action{}, listing.ErrNotFound
	}
	action, ok := l.Action(typ)
	if !ok {
		return nil, listing.Action{}, fault.New(fault.Conflict, "this listing does not take that here (%s); search with action %s", typ, typ)
	}
	if !l.Allowed(tc.Market.Tools[name], typ, tc.Location) {
		return nil, listing.Action{}, listing.ErrNotAllowed
	}
	if l.Dispatch(action) == "" {
		return nil, listing.Action{}, ErrUnreachable
	}
	return l, action, nil
}

func draft(tc tool.Context, kind Kind, l *listing.Listing, a listing.Action) Order {
	return Order{
		Kind: kind, Owner: tc.Actor.Key(), Market: tc.Market.ID, Thread: tc.Thread, Language: tc.Language,
		Business: l.Business, Listing: l.ID, ListingName: l.Name(tc.Language), Merchant: l.Dispatch(a),
		Currency: l.Currency(tc.Market.Currency), TimeZone: zoneOf(l, tc.Market), Address: tc.Address,
		ExpiresAt: tc.Now.Add(time.Duration(tc.Market.Safety.HoldSeconds) * time.Second).UTC().Truncate(time.Millisecond), Policy: tc.Market.Version,
	}
}

func zoneOf(l *listing.Listing, m *market.Market) string {
	switch {
	case l.Hours != nil:
		return l.Hours.TimeZone
	case len(l.Offerings) > 0:
		return l.Offerings[0].TimeZone
	}
	return m.TimeZone
}

// told holds what the customer may add to an order of any kind.
type told struct{ when, name, phone, note *string }

// finish takes what all kinds of orders have.
func (d *Taker) finish(o *Order, tc tool.Context, l *listing.Listing, t told) (err error) {
	if o.When, err = timeOf(tool.Value(t.when), o.TimeZone, tc.Now); err != nil {
		return err
	}
	if tc, err = tc.WithContact(t.name, t.phone, tc.Market.Contact || l.Merve.Contact); err != nil {
		return err
	}
	o.CustomerName, o.CustomerPhone = tc.Contact.Name, tc.Contact.Phone
	if o.Note = strings.TrimSpace(tool.Value(t.note)); utf8.RuneCountInString(o.Note) > MaxNote {
		return fault.Field("note", "at most %d characters", MaxNote)
	}
	if err := openFor(l, *o, tc.Now); err != nil {
		return err
	}
	o.AnswerFrom = answerFrom(l, *o, tc.Now)
	return nil
}

// answerFrom returns when a business opens, if it is closed when the order is made or when its time to answer
// begins. It is zero if the business is open or its hours are unknown. A business with a day to answer is only
// affected by a longer closure.
func answerFrom(l *listing.Listing, o Order, now time.Time) time.Time {
	if l.Hours == nil {
		return time.Time{}
	}
	for _, at := range []time.Time{now, o.waits(now)} {
		opens, known := l.Hours.Opens(at)
		if known && !l.Hours.OpenAt(at) && (o.Kind == Food || opens.After(at.Add(answerWithin(o.Kind)))) {
			return opens.UTC()
		}
	}
	return time.Time{}
}

// maxAhead is how far ahead something can be ordered.
const maxAhead = 60 * 24 * time.Hour

// timeOf reads a local time; "" gives the zero time.
func timeOf(s, zone string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, err
	}
	const layout = "2006-01-02T15:04"
	t, err := time.ParseInLocation(layout, s, loc)
	said, _ := time.Parse(layout, s)
	switch {
	case err != nil:
		return time.Time{}, fault.Field("when", "want YYYY-MM-DDTHH:MM, local, or null")
	case t.Format(layout) != said.Format(layout):
		return time.Time{}, fault.Field("when", "there is no such time on that day: the clocks are changed then")
	case t.Before(now):
		return time.Time{}, fault.Field("when", "has passed: it is %s now", now.In(loc).Format(layout))
	case t.After(now.Add(maxAhead)):
		return time.Time{}, fault.Field("when", "at most 60 days ahead")
	}
	return t.UTC(), nil
}

// openFor holds an order of food to opening hours, and any to the days on which its business is not
// closed: a service or viewing may be at any hour of them, and when is agreed on if it is not said.
func openFor(l *listing.Listing, o Order, now time.Time) error {
	at := o.When
	switch {
	case at.IsZero() && o.Kind != Food:
		return nil
	case at.IsZero():
		at = now
	}
	open := !l.ClosedOn(at)
	if o.Kind == Food && l.Hours != nil {
		open = l.Hours.OpenAt(at)
	}
	switch {
	case open:
		return nil
	case l.Hours == nil:
		return fault.Field("when", "closed on that day: offer another")
	}
	next := ""
	if opens, ok := l.Hours.Opens(at); ok {
		if loc, err := time.LoadLocation(l.Hours.TimeZone); err == nil {
			next = "; it opens next at " + opens.In(loc).Format("2006-01-02T15:04")
		}
	}
	return fault.Field("when", "closed then%s: offer that time", next)
}

func (d *Taker) propose(ctx context.Context, tc tool.Context, o Order) (tool.Result, error) {
	all, err := d.Store.Open(ctx, tc.Actor, tc.Market.ID)
	if err != nil {
		return tool.Result{}, err
	}
	id, n := newID(o.Owner, tc.Key), 0
	for _, other := range all {
		if other.Kind == o.Kind && other.ID != id && tc.Now.Before(other.due()) {
			n++
		}
	}
	if n >= MaxOpen {
		return tool.Result{}, fault.New(fault.Limited, "the customer has %d such orders open, which is the most: one has to be finished or cancelled first", n)
	}
	if o, err = d.Store.Propose(ctx, o, tc.Key); err != nil {
		return tool.Result{}, err
	}
	data := view(o)
	data["status"], data["note"] = "awaiting_confirmation", "not ordered: the customer is being asked for YES or NO"
	return tool.Result{
		Data: data, Memory: map[string]any{"orderId": o.ID, "code": o.Code, "listing": o.ListingName}, Cards: []tool.Card{CardOf(o)}, Map: pin(o),
		Proposal: o.Proposal(tc.Language),
	}, nil
}

func pin(o Order) *geo.Location {
	if o.Delivery == nil {
		return nil
	}
	return o.Delivery.Location()
}

type listArgs struct {
	Kind *string `json:"kind" jsonschema:"food, service or viewing; null for all"`
}

// maxTold is how many orders a model sees.
const maxTold = 10

func (d *Taker) list(ctx context.Context, tc tool.Context, a listArgs) (tool.Result, error) {
	kind := Kind(tool.Value(a.Kind))
	if kind != "" && kind != Food && kind != Service && kind != Viewing {
		return tool.Result{}, fault.Field("kind", "want food, service or viewing, or null")
	}
	all, err := d.Store.Of(ctx, tc.Actor, tc.Market.ID)
	if err != nil {
		return tool.Result{}, err
	}
	res, views, memory := tool.Result{}, []map[string]any{}, []map[string]any{}
	for _, o := range all {
		if o.Receipt == nil || kind != "" && o.Kind != kind || len(views) == maxTold {
			continue
		}
		views = append(views, view(o))
		memory = append(memory, map[string]any{"orderId": o.ID, "code": o.Code, "listing": o.ListingName, "status": o.Status})
		res.Cards = append(res.Cards, CardOf(o))
		res.Named = append(res.Named, stands(tc, o)...)
	}
	res.Data = map[string]any{"orders": views}
	if len(memory) > 0 {
		res.Memory = map[string]any{"orders": memory}
	}
	return res, nil
}

type cancelArgs struct {
	OrderID string `json:"orderId" jsonschema:"id of the order, as getMyOrders gave it"`
}

func (d *Taker) cancel(ctx context.Context, tc tool.Context, a cancelArgs) (tool.Result, error) {
	o, err := d.Store.Get(ctx, tc.Actor, tc.Market.ID, a.OrderID)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && o.Receipt == nil:
		return tool.Result{}, fault.Field("orderId", "no such order: take an id from getMyOrders")
	case err != nil:
		return tool.Result{}, err
	case !o.MayCancel():
		return tool.Result{}, fault.New(fault.Conflict, "the order is %s and cannot be cancelled here any more; the customer may ask the business", o.Status)
	}
	data := view(o)
	data["note"] = "not cancelled: the customer is being asked for YES or NO"
	until := tc.Now.Add(time.Duration(tc.Market.Safety.HoldSeconds) * time.Second)
	return tool.Result{Data: data, Cards: []tool.Card{CardOf(o)}, Proposal: o.Cancellation(tc.Language, until)}, nil
}

func cancelKind(k Kind) string {
	if k == Food {
		return CancelKind
	}
	return CancelRequestKind
}

func cancelHash(o Order) string { return fmt.Sprintf("cancel:%s:%s", o.ID, o.Status) }

// view is an order as the model sees it.
func view(o Order) map[string]any {
	v := map[string]any{"orderId": o.ID, "code": o.Code, "kind": o.Kind, "status": o.Status, "listing": o.ListingName, "listingId": o.Listing}
	loc := schedule.Zone(o.TimeZone)
	if len(o.Lines) > 0 {
		v["lines"] = o.Lines
	}
	if o.TotalMinor > 0 {
		v["total"] = map[string]any{"amount": o.TotalMinor, "currency": o.Currency}
	}
	if o.FeeMinor > 0 {
		v["deliveryFee"] = map[string]any{"amount": o.FeeMinor, "currency": o.Currency}
	}
	if o.Delivery != nil {
		v["address"] = o.Delivery.Address
	}
	for name, t := range map[string]time.Time{"when": o.When, "expectedAt": o.ETA} {
		if !t.IsZero() {
			v[name] = t.In(loc).Format("2006-01-02T15:04")
		}
	}
	if o.Reason != "" {
		v["reason"] = o.Reason
	}
	return v
}
