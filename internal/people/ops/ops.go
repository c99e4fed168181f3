// Package ops has what the people of a business can do by writing to us. They see today's bookings and orders, and
// answer orders in their own words. They report no-shows, what is sold out, how many are left, and when they are
// closed or open. Looking needs no YES. A change is put to them for a YES, with exactly what will change.
//
// We know them by the number that their messages come from (package roster); listings and orders of others do not
// exist for them.
//
// Requests: 1 for the roster; the day 3 for each business, 1 more for each further 200 bookings up to
// [ledger.MaxBooked], 2 for each further 100 orders up to [order.MaxLooked]; a change 3 more, 4 if it says how many
// are left.
package ops

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/record/stock"
	"merve/internal/tenant/roster"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Office has the tools of businesses.
type Office struct {
	Roster interface {
		Read(ctx context.Context, market, number string) (roster.Roles, error)
	}
	Listings *listing.Store
	Orders   *order.Store
	Ledger   interface {
		Booked(ctx context.Context, market, business string) iter.Seq2[ledger.Transaction, error]
		Mark(ctx context.Context, a actor.Actor, txID, key string) (ledger.Transaction, error)
		TakeBack(ctx context.Context, a actor.Actor, txID, key string) (ledger.Transaction, error)
	}
}

// Tools returns the declarations with their resolvers.
func (o *Office) Tools() []tool.Tool {
	answer := tool.New("answerOrder",
		"Accept or refuse one of the business's orders, requests or viewings that wait for an answer, or say that one is done. Take the code from getBusinessDay.",
		tool.Commit, o.answer)
	answer.Summary = tool.SummaryOf(o.answerSummary)
	soldOut := tool.New("setSoldOut", "Say that an item of the business's menu or a service is sold out, or to be had again. Take ids from getMyListings.", tool.Commit, o.soldOut)
	soldOut.Summary = tool.SummaryOf(o.soldOutSummary)
	left := tool.New("setStock", "Say how many of an item of the business's menu, of a service or ticket are left to be ordered from now on, such as portions of a dish of the day; "+
		"or that they are not counted any more. Take ids from getMyListings.", tool.Commit, o.stock)
	left.Summary = tool.SummaryOf(o.stockSummary)
	closed := tool.New("setClosed", "Say that a listing of the business is closed on a day, or open after all: no bookings or orders are taken for it then.", tool.Commit, o.closed)
	closed.Summary = tool.SummaryOf(o.closedSummary)
	hours := tool.New("setOpeningHours", "Set the opening hours of a listing on a weekday: several spans for a break, none when it is closed.", tool.Commit, o.hours)
	hours.Summary = tool.SummaryOf(o.hoursSummary)
	return []tool.Tool{
		tool.New("getBusinessDay", "Give the business's bookings of a day, and the orders, requests and viewings that wait for its answer or are being carried out.", tool.Read, o.day),
		tool.New("getMyListings", "Give the business's own listings with opening hours, closed days, what is sold out and how many are left of what is counted.", tool.Read, o.listings),
		answer, soldOut, left, closed, hours, o.noShowTool(),
	}
}

// errNobody is the answer to somebody who speaks for no business.
var errNobody = fault.New(fault.Forbidden, "this number belongs to no business here")

func (o *Office) roles(ctx context.Context, tc tool.Context) (roster.Roles, error) {
	roles, err := o.Roster.Read(ctx, tc.Market.ID, tc.Actor.Phone)
	if err == nil && len(roles.Businesses()) == 0 {
		return nil, errNobody
	}
	return roles, err
}

type dayArgs struct {
	Date *string `json:"date" jsonschema:"local date, YYYY-MM-DD; null for today"`
}

func (o *Office) day(ctx context.Context, tc tool.Context, a dayArgs) (tool.Result, error) {
	roles, err := o.roles(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	day := tc.Now.In(tc.TimeZone).Format(time.DateOnly)
	if a.Date != nil {
		if _, err := schedule.ParseDate(*a.Date); err != nil {
			return tool.Result{}, fault.Field("date", "want YYYY-MM-DD, or null for today")
		}
		day = *a.Date
	}
	bookings, orders, incomplete := []map[string]any{}, []map[string]any{}, false
	for _, business := range roles.Businesses() {
		txs, more, err := o.bookings(ctx, tc.Market.ID, business, day)
		if err != nil {
			return tool.Result{}, err
		}
		incomplete = incomplete || more
		for _, tx := range txs {
			bookings = append(bookings, map[string]any{
				"code": tx.Code, "listing": tx.ListingName, "offering": tx.OfferingName, "when": booking.When(tc.Language, tx), "party": tx.Party,
				"customer": tx.CustomerName, "note": tx.Note, "noShow": tx.State == ledger.NoShow,
			})
		}
		open, more, err := o.open(ctx, tc.Market.ID, business)
		if err != nil {
			return tool.Result{}, err
		}
		incomplete = incomplete || more
		for _, one := range open {
			orders = append(orders, map[string]any{
				"code": one.Code, "kind": one.Kind, "status": one.Status, "listing": one.ListingName, "lines": order.Lines(tc.Language, one), "when": order.When(tc.Language, one),
				"customer": one.CustomerName, "note": one.Note, "expected": order.ETA(tc.Language, one),
			})
		}
	}
	data := map[string]any{"date": day, "bookings": bookings, "orders": orders}
	if incomplete {
		data["incomplete"] = wording.Say(tc.Language, wording.OpsMore, nil)
	}
	return tool.Result{Data: data}, nil
}

// bookings are a business's of a local day, confirmed or marked as no-shows, in order; more says that
// there may be others, which were made long ago.
func (o *Office) bookings(ctx context.Context, market, business, day string) (all []ledger.Transaction, more bool, err error) {
	for tx, err := range o.Ledger.Booked(ctx, market, business) {
		if errors.Is(err, ledger.ErrMore) {
			more = true
			break
		}
		if err != nil {
			return nil, false, err
		}
		loc := schedule.Zone(tx.TimeZone)
		on := tx.Start.In(loc).Format(time.DateOnly) <= day && day <= tx.End.Add(-time.Nanosecond).In(loc).Format(time.DateOnly)
		if on && (tx.State == ledger.Confirmed || tx.State == ledger.NoShow) {
			all = append(all, tx)
		}
	}
	slices.SortFunc(all, func(a, b ledger.Transaction) int { return a.Start.Compare(b.Start) })
	return all, more, nil
}

// open are a business's orders that something is still to happen to, in order; more is as of bookings.
func (o *Office) open(ctx context.Context, market, business string) (all []order.Order, more bool, err error) {
	all, more, err = o.Orders.OpenOf(ctx, market, business)
	slices.Reverse(all)
	return all, more, err
}

func (o *Office) listings(ctx context.Context, tc tool.Context, _ struct{}) (tool.Result, error) {
	roles, err := o.roles(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	views := []map[string]any{}
	for _, id := range roles.Listings() {
		l, err := o.Listings.Get(ctx, tc.Market.ID, id)
		if errors.Is(err, listing.ErrNotFound) {
			continue
		}
		if err != nil {
			return tool.Result{}, err
		}
		if err := o.Listings.Count(ctx, l); err != nil {
			return tool.Result{}, err
		}
		view := map[string]any{"listingId": l.ID, "name": l.Name(tc.Language)}
		if l.Hours != nil {
			view["openingHours"], view["closedDays"] = l.Hours.Days, l.Hours.Closed
		}
		var items []map[string]any
		for _, i := range l.Items {
			item := map[string]any{"itemId": i.ID, "name": i.Name(tc.Language), "soldOut": l.Gone(i)}
			if left, counted := l.Left[i.ID]; counted {
				item["left"] = left
			}
			items = append(items, item)
		}
		view["items"] = items
		views = append(views, view)
	}
	return tool.Result{Data: map[string]any{"listings": views}}, nil
}

type answerArgs struct {
	Code    string  `json:"code" jsonschema:"code of the order"`
	Answer  string  `json:"answer" jsonschema:"accept, refuse or done"`
	Minutes *int    `json:"minutes" jsonschema:"of an acceptance: in how many minutes; null when not said"`
	Reason  *string `json:"reason" jsonschema:"of a refusal: why, for the customer; null when not said"`
}

var answers = map[string]struct {
	event order.EventType
	word  wording.Key
	then  order.Status
}{
	"accept": {order.AcceptedEvent, wording.OrderWordAccept, order.Accepted},
	"refuse": {order.RefusedEvent, wording.OrderWordRefuse, order.Refused},
	"done":   {order.DoneEvent, wording.OrderWordDone, order.Done},
}

// find is one of the business's orders, by its code: one that stands, of several businesses.
func (o *Office) find(ctx context.Context, tc tool.Context, code string) (order.Order, error) {
	roles, err := o.roles(ctx, tc)
	if err != nil {
		return order.Order{}, err
	}
	switch these, err := o.Orders.Meant(ctx, tc.Market.ID, roles.Businesses(), strings.TrimSpace(code)); {
	case err != nil:
		return order.Order{}, err
	case len(these) > 1:
		return order.Order{}, fault.Field("code", "is that of orders at %s and %s, which it cannot tell apart", these[0].ListingName, these[1].ListingName)
	case len(these) == 1:
		return these[0], nil
	}
	return order.Order{}, fault.Field("code", "no such order: take a code from getBusinessDay")
}

func (o *Office) answerSummary(ctx context.Context, tc tool.Context, a answerArgs) (string, error) {
	kind, known := answers[a.Answer]
	switch {
	case !known:
		return "", fault.Field("answer", "want accept, refuse or done")
	case a.Minutes != nil && (*a.Minutes < 1 || *a.Minutes > 24*60):
		return "", fault.Field("minutes", "want 1 to 1440, or null")
	case utf8.RuneCountInString(value(a.Reason)) > order.MaxNote:
		return "", fault.Field("reason", "want at most %d characters, or null", order.MaxNote)
	}
	one, err := o.find(ctx, tc, a.Code)
	if err != nil {
		return "", err
	}
	if err := one.May(kind.event); err != nil {
		return "", err
	}
	said := wording.Say(tc.Language, kind.word, nil) + " " + one.Code
	if a.Minutes != nil && a.Answer == "accept" {
		said += fmt.Sprintf(" %d min", *a.Minutes)
	}
	if reason := value(a.Reason); reason != "" && a.Answer == "refuse" {
		said += ": " + wording.Quote(tc.Language, reason)
	}
	return said + " · " + one.ListingName + " · " + strings.ReplaceAll(order.Lines(tc.Language, one), "\n", "; "), nil
}

func (o *Office) answer(ctx context.Context, tc tool.Context, a answerArgs) (tool.Result, error) {
	kind := answers[a.Answer]
	one, err := o.find(ctx, tc, a.Code)
	if err != nil {
		return tool.Result{}, err
	}
	by := order.By{Actor: tc.Actor, Trace: tc.TraceID}
	if a.Answer == "accept" && a.Minutes != nil {
		by.ETA = one.Ready(tc.Now, *a.Minutes)
	}
	if a.Answer == "refuse" {
		by.Reason = value(a.Reason)
	}
	after, err := o.Orders.Apply(ctx, one, kind.event, by)
	var refused *order.Refusal
	if errors.As(err, &refused) && refused.Order.Status == kind.then && a.saidOf(refused.Order) {
		return tool.Result{Data: map[string]any{"code": one.Code, "status": one.Status}}, nil // done before
	}
	return tool.Result{Data: map[string]any{"code": after.Code, "status": after.Status}}, err
}

// saidOf reports whether o, which already has the answer, also holds the minutes or the reason that came with it. A
// repeat that began a moment before the answer was stored counts its minutes from then.
func (a answerArgs) saidOf(o order.Order) bool {
	switch {
	case a.Answer == "accept" && a.Minutes != nil:
		return o.ETA.Sub(o.Ready(o.UpdatedAt, *a.Minutes)).Abs() <= time.Minute
	case a.Answer == "refuse" && value(a.Reason) != "":
		return o.Reason == value(a.Reason)
	}
	return true
}

// own is one of the business's listings; the business's word for it may be its name.
func (o *Office) own(ctx context.Context, tc tool.Context, id string) (*listing.Listing, error) {
	roles, err := o.roles(ctx, tc)
	if err != nil {
		return nil, err
	}
	for _, own := range roles.Listings() {
		if own != id {
			continue
		}
		l, err := o.Listings.Get(ctx, tc.Market.ID, id)
		if errors.Is(err, listing.ErrNotFound) {
			break
		}
		return l, err
	}
	return nil, fault.Field("listingId", "no such listing of yours: take an id from getMyListings")
}

type soldOutArgs struct {
	ListingID string `json:"listingId" jsonschema:"id of the listing, as getMyListings gave it"`
	ItemID    string `json:"itemId" jsonschema:"id of the item, as getMyListings gave it"`
	SoldOut   bool   `json:"soldOut" jsonschema:"true: sold out; false: to be had again"`
}

func (o *Office) soldOutSummary(ctx context.Context, tc tool.Context, a soldOutArgs) (string, error) {
	l, err := o.own(ctx, tc, a.ListingID)
	if err != nil {
		return "", err
	}
	item, ok := l.Item(a.ItemID)
	if !ok {
		return "", fault.Field("itemId", "no such item: take an id from getMyListings")
	}
	if err := o.Listings.Count(ctx, l); err != nil {
		return "", err
	}
	key := wording.OpsBack
	switch left, counted := l.Left[item.ID]; {
	case a.SoldOut:
		key = wording.OpsSoldOut
	case counted && left == 0:
		return "", fault.Field("itemId", "is counted, and none is left: ask how many there are now, and use setStock")
	}
	return wording.Say(tc.Language, key, wording.Vars{"item": item.Name(tc.Language), "listing": l.Name(tc.Language)}), nil
}

func (o *Office) soldOut(ctx context.Context, tc tool.Context, a soldOutArgs) (tool.Result, error) {
	return o.change(ctx, tc, a.ListingID, func(l *listing.Listing) error {
		i := slices.IndexFunc(l.Items, func(i listing.Item) bool { return i.ID == a.ItemID })
		if i < 0 {
			return fault.Field("itemId", "no such item: take an id from getMyListings")
		}
		l.Items[i].SoldOut = a.SoldOut
		return nil
	})
}

type stockArgs struct {
	ListingID string `json:"listingId" jsonschema:"id of the listing, as getMyListings gave it"`
	ItemID    string `json:"itemId" jsonschema:"id of the item, as getMyListings gave it"`
	Left      *int   `json:"left" jsonschema:"how many can be ordered from now on, beside the orders that there are; null: not counted any more, there is enough"`
}

func (o *Office) stockSummary(ctx context.Context, tc tool.Context, a stockArgs) (string, error) {
	if a.Left != nil && (*a.Left < 0 || *a.Left > stock.MaxCount) {
		return "", fault.Field("left", "want 0 to %d, or null", stock.MaxCount)
	}
	l, err := o.own(ctx, tc, a.ListingID)
	if err != nil {
		return "", err
	}
	if err := a.apply(l, "asked"); err != nil {
		return "", err
	}
	if err := l.Check(); err != nil {
		return "", err
	}
	item, _ := l.Item(a.ItemID)
	about := wording.Vars{"item": item.Name(tc.Language), "listing": l.Name(tc.Language)}
	if a.Left == nil {
		return wording.Say(tc.Language, wording.OpsUncounted, about), nil
	}
	about["left"] = strconv.Itoa(*a.Left)
	return wording.Say(tc.Language, wording.OpsLeft, about), nil
}

// apply sets how many are left in the listing. The batch belongs to the YES: if the same YES is carried out again, it
// does not put back what was sold in between.
func (a stockArgs) apply(l *listing.Listing, batch string) error {
	i := slices.IndexFunc(l.Items, func(i listing.Item) bool { return i.ID == a.ItemID })
	if i < 0 {
		return fault.Field("itemId", "no such item: take an id from getMyListings")
	}
	l.Items[i].Stock = nil
	if a.Left != nil {
		l.Items[i].Stock = &listing.Stock{Count: *a.Left, Batch: batch}
	}
	if a.Left == nil || *a.Left > 0 {
		l.Items[i].SoldOut = false
	}
	return nil
}

func (o *Office) stock(ctx context.Context, tc tool.Context, a stockArgs) (tool.Result, error) {
	return o.change(ctx, tc, a.ListingID, func(l *listing.Listing) error { return a.apply(l, tc.Key) })
}

type closedArgs struct {
	ListingID string `json:"listingId" jsonschema:"id of the listing, as getMyListings gave it"`
	Date      string `json:"date" jsonschema:"local date, YYYY-MM-DD"`
	Closed    bool   `json:"closed" jsonschema:"true: closed on that day; false: open as usual"`
}

func (o *Office) closedSummary(ctx context.Context, tc tool.Context, a closedArgs) (string, error) {
	day, err := schedule.ParseDate(a.Date)
	if err != nil || a.Date < tc.Now.In(tc.TimeZone).Format(time.DateOnly) {
		return "", fault.Field("date", "want a date that has not passed, YYYY-MM-DD")
	}
	l, err := o.own(ctx, tc, a.ListingID)
	if err != nil {
		return "", err
	}
	if err := a.apply(l); err != nil {
		return "", err
	}
	key := wording.OpsOpenAfterAll
	if a.Closed {
		key = wording.OpsClosed
	}
	return wording.Say(tc.Language, key, wording.Vars{"listing": l.Name(tc.Language), "date": wording.Date(tc.Language, day)}), nil
}

// apply closes a listing on the day, or opens it again.
func (a closedArgs) apply(l *listing.Listing) error {
	if l.Hours == nil && len(l.Offerings) == 0 {
		return fault.New(fault.Conflict, "this listing has no opening hours, so that none of its days can be closed: staff of the market set them, or take it off")
	}
	set := func(days []string) []string {
		days = slices.DeleteFunc(slices.Clone(days), func(d string) bool { return d == a.Date })
		if a.Closed {
			days = append(days, a.Date)
			slices.Sort(days)
		}
		return days
	}
	if l.Hours != nil {
		l.Hours.Closed = set(l.Hours.Closed)
	}
	for i := range l.Offerings {
		l.Offerings[i].Closed = set(l.Offerings[i].Closed)
	}
	return nil
}

func (o *Office) closed(ctx context.Context, tc tool.Context, a closedArgs) (tool.Result, error) {
	return o.change(ctx, tc, a.ListingID, a.apply)
}

type hoursArgs struct {
	ListingID string `json:"listingId" jsonschema:"id of the listing, as getMyListings gave it"`
	Weekday   string `json:"weekday" jsonschema:"mon, tue, wed, thu, fri, sat or sun"`
	Spans     []span `json:"spans" jsonschema:"when it is open that day, in order; empty for closed"`
}

type span struct {
	From string `json:"from" jsonschema:"HH:MM"`
	To   string `json:"to" jsonschema:"HH:MM; before from for past midnight"`
}

func (o *Office) hoursSummary(ctx context.Context, tc tool.Context, a hoursArgs) (string, error) {
	l, err := o.own(ctx, tc, a.ListingID)
	if err != nil {
		return "", err
	}
	if l.Hours == nil {
		return "", fault.New(fault.Conflict, "this listing has no opening hours of its own: its hours are those of its offerings, which staff of the market change")
	}
	if err := a.apply(l); err != nil {
		return "", err
	}
	if err := l.Check(); err != nil {
		return "", err
	}
	open := []string{}
	if len(a.Spans) == 0 {
		open = append(open, "–")
	}
	for _, s := range a.Spans {
		open = append(open, s.From+"–"+s.To)
	}
	return wording.Say(tc.Language, wording.OpsHours, wording.Vars{
		"listing": l.Name(tc.Language), "weekday": wording.Weekday(tc.Language, a.day()), "hours": strings.Join(open, ", "),
	}), nil
}

func (a hoursArgs) apply(l *listing.Listing) error {
	if l.Hours == nil {
		return fault.New(fault.Conflict, "this listing has no opening hours of its own")
	}
	spans := []schedule.Span{}
	for _, s := range a.Spans {
		spans = append(spans, schedule.Span(s))
	}
	hours := *l.Hours
	hours.Days = map[string][]schedule.Span{}
	for day, was := range l.Hours.Days {
		hours.Days[day] = was
	}
	hours.Days[a.day()] = spans
	l.Hours = &hours
	return nil
}

// day is the weekday as listings have it, however it was written.
func (a hoursArgs) day() string { return language.Fold(a.Weekday) }

func (o *Office) hours(ctx context.Context, tc tool.Context, a hoursArgs) (tool.Result, error) {
	return o.change(ctx, tc, a.ListingID, a.apply)
}

// change changes a listing of the business's own.
func (o *Office) change(ctx context.Context, tc tool.Context, id string, f func(l *listing.Listing) error) (tool.Result, error) {
	if _, err := o.own(ctx, tc, id); err != nil {
		return tool.Result{}, err
	}
	l, err := o.Listings.Change(ctx, tc.Market.ID, id, tc.Actor.Key(), func(l *listing.Listing) (*listing.Listing, error) {
		if l == nil {
			return nil, listing.ErrNotFound
		}
		return l, f(l)
	})
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Data: map[string]any{"listingId": l.ID, "version": l.Version}}, nil
}

func value(p *string) string {
	if p == nil {
		return ""
	}
	return strings.TrimSpace(*p)
}
