package booking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/actor"
	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/fault"
	"merve/internal/ident"
	"merve/internal/ledger"
	"merve/internal/market"
	"merve/internal/schedule"
	"merve/internal/tool"
)

// Waiting is a customer who waits for a time that is taken:
//
//	wait#{business}:{offering}   {start}#{since}#{id}   (table ledger)
//	waiting#{owner}              {start}#{id}           the same, by whose it is
//
// so that those who want the same time are found together.
type Waiting struct {
	ID    string       `dynamodbav:"id" json:"waitingId"`
	Terms ledger.Terms `dynamodbav:"terms" json:"terms"` // of the booking that is wished for
	Since time.Time    `dynamodbav:"since" json:"since"`
	TTL   int64        `dynamodbav:"ttl" json:"-"`
}

// Wishes keeps who waits for what.
type Wishes struct{ Ledger *ledger.Ledger }

func (b *Booker) wishes() Wishes { return Wishes{b.Ledger} }

// now is the time as it is stored.
func now(l *ledger.Ledger) time.Time { return l.Now().UTC().Truncate(time.Millisecond) }

func waitPK(t ledger.Terms) string { return "wait#" + t.Business + ":" + t.Offering }

func waitStart(start time.Time) string { return start.UTC().Format("2006-01-02T15:04Z") }

func waitKey(w Waiting) dynamo.Key {
	return dynamo.Key{PK: waitPK(w.Terms), SK: waitStart(w.Terms.Start) + "#" + dynamo.Stamp(w.Since) + "#" + w.ID}
}

// ownWaitKey is under which a customer's wish is known to be there.
func ownWaitKey(w Waiting) dynamo.Key {
	return dynamo.Key{PK: "waiting#" + w.Terms.Owner, SK: waitStart(w.Terms.Start) + "#" + w.ID}
}

// waitID names a customer's wish for a time: who wishes for it again has the same.
func waitID(t ledger.Terms) string {
	return ident.Hash("wait", t.Owner, t.Business, t.Offering, t.Start.UnixMilli(), t.End.UnixMilli())[:20]
}

// offerKey is the key of the offer that is made for a wish. Who joins again wishes anew.
func offerKey(w Waiting) string { return "wait." + w.ID + "." + fmt.Sprint(w.Since.UnixMilli()) }

// Waits lists what the owners, who are one customer by each of their keys, wait for in a market, the
// soonest first. 1 request for each key.
func (l Wishes) Waits(ctx context.Context, market string, owners ...string) ([]Waiting, error) {
	all := []Waiting{}
	for _, owner := range owners {
		some, err := dynamo.Collect[Waiting](ctx, l.Ledger.Table, dynamo.Under("waiting#"+owner, ""))
		if err != nil {
			return nil, fmt.Errorf("ledger: what somebody waits for: %w", err)
		}
		for _, w := range some {
			if w.Terms.Market == market && w.Terms.Start.After(now(l.Ledger)) { // a passed ttl counts as deleted
				all = append(all, w)
			}
		}
	}
	return all, nil
}

// waits is what a model sees of the customer's wishes in this market.
func (b *Booker) waits(ctx context.Context, tc tool.Context) ([]map[string]any, []Waiting, error) {
	all, err := b.wishes().Waits(ctx, tc.Market.ID, tc.Actor.Keys()...)
	if err != nil {
		return nil, nil, err
	}
	views := []map[string]any{}
	for _, w := range all {
		v := map[string]any{"waitingId": w.ID, "listing": w.Terms.ListingName, "offering": w.Terms.OfferingName, "partySize": w.Terms.Party}
		for name, value := range localTimes(w.Terms.TimeZone, w.Terms.Start, w.Terms.End, w.Terms.Nights) {
			v[name] = value
		}
		views = append(views, v)
	}
	return views, all, nil
}

func (b *Booker) leaveTool() tool.Tool {
	t := tool.New("leaveWaitlist",
		"Take the customer off the waiting list for a time, when they do not want it any more. Take the waitingId from getMyBookings. Bookings and offers are not touched.", tool.Propose, b.leave)
	t.Draft = true
	return t
}

type leaveArgs struct {
	WaitingID string `json:"waitingId" jsonschema:"id of the wish, as getMyBookings gave it"`
}

// leave takes a customer off the list. What is not there, or another's, leaves nothing behind
// either: called again, it gives the same.
func (b *Booker) leave(ctx context.Context, tc tool.Context, a leaveArgs) (tool.Result, error) {
	views, all, err := b.waits(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	if i := slices.IndexFunc(all, func(w Waiting) bool { return w.ID == a.WaitingID }); i >= 0 {
		if err := b.wishes().Served(ctx, all[i]); err != nil {
			return tool.Result{}, err
		}
		views = slices.Delete(views, i, i+1)
	}
	return tool.Result{Data: map[string]any{"status": "the customer does not wait for that", "waiting": views}}, nil
}

func (b *Booker) waitlistTool() tool.Tool {
	t := tool.New("joinWaitlist",
		"Put the customer on the waiting list for a time that initiateBooking said is taken, when they want that. When it becomes free, it is held for them and they are asked "+
			"in this chat, one customer at a time. Nothing is booked without their YES then.", tool.Propose, b.join)
	t.Draft = true
	return t
}

// join puts a customer on the list, once for a time.
func (b *Booker) join(ctx context.Context, tc tool.Context, a initiateArgs) (tool.Result, error) {
	item, err := b.find(ctx, tc, a)
	if err != nil {
		return tool.Result{}, err
	}
	o, party := item.Offering, max(tool.Value(a.PartySize), item.Offering.MinParty)
	if a.PartySize != nil {
		party = *a.PartySize
	}
	if err := o.CheckParty(party); err != nil {
		return tool.Result{}, err
	}
	when, err := o.Find(tc.Now, a.Date, tool.Value(a.Time), tool.Value(a.EndDate))
	if err != nil {
		return b.refusal(ctx, tc, item, a, err)
	}
	terms := termsOf(tc, item, when, party, tool.Value(a.Note))
	free, err := b.Ledger.Free(ctx, terms, o.Capacity)
	if err != nil {
		return tool.Result{}, err
	}
	if free {
		return tool.Result{}, fault.New(fault.Conflict, "this time is free: book it with initiateBooking")
	}
	if when.Start.Sub(now(b.Ledger)) < minMove {
		return tool.Result{}, fault.New(fault.Conflict, "it begins too soon to wait for it")
	}
	if terms, err = b.owed(ctx, terms, o, tc.Actor.Keys()); err != nil {
		return tool.Result{}, err
	}
	w := Waiting{ID: waitID(terms), Terms: terms, Since: now(b.Ledger), TTL: terms.Start.Unix()}
	if err := b.wishes().Wait(ctx, w, tc.Actor.Also...); err != nil {
		return tool.Result{}, err
	}
	data := map[string]any{"status": "on the waiting list", "waitingId": w.ID, "listing": item.ListingName, "note": "nothing is booked: say only that you will write when it becomes free"}
	for name, v := range localTimes(w.Terms.TimeZone, w.Terms.Start, w.Terms.End, w.Terms.Nights) {
		data[name] = v
	}
	return tool.Result{Data: data}, nil
}

// Wait puts somebody on the list, once, by whichever of their keys: linked are those that they have
// beside the wish's owner. Who wishes for the same time again, for more people or in another chat it
// may be, keeps their place. What could not be booked is not waited for. 1 request, 2 for a second wish.
func (l Wishes) Wait(ctx context.Context, w Waiting, linked ...string) error {
	if err := w.Terms.Check(); err != nil {
		return err
	}
	t := l.Ledger.Table
	ws := []dynamo.Write{t.Put(waitKey(w), w), t.Put(ownWaitKey(w), w).IfAbsent().ElseOld(w.waits)}
	for _, owner := range linked {
		other := w
		other.Terms.Owner = owner
		other.ID = waitID(other.Terms)
		ws = append(ws, t.Check(ownWaitKey(other), "attribute_not_exists(pk)", nil).ElseOld(other.waits))
	}
	err := t.DB().Commit(ctx, ws...)
	var before *errWaiting
	if errors.As(err, &before) {
		w.Since = before.Since
		err = t.DB().Commit(ctx, l.instead(w, before.Waiting)...)
	}
	if err != nil {
		return fmt.Errorf("ledger: wait: %w", err)
	}
	return nil
}

// instead puts a wish in the place of one for the same time, of the same customer.
func (l Wishes) instead(w, before Waiting) []dynamo.Write {
	t, same := l.Ledger.Table, dynamo.V{":since": before.Since}
	if w.ID == before.ID {
		return []dynamo.Write{t.Put(waitKey(w), w), t.Put(ownWaitKey(w), w).If("since = :since", same)}
	}
	return []dynamo.Write{
		t.Put(waitKey(w), w), t.Put(ownWaitKey(w), w).IfAbsent(),
		t.Delete(waitKey(before)), t.Delete(ownWaitKey(before)).If("since = :since", same),
	}
}

// errWaiting says that the customer waits for this already.
type errWaiting struct{ Waiting }

func (*errWaiting) Error() string { return "the customer waits for this already" }

// waits is w as it stands on the list.
func (w Waiting) waits(old dynamo.Item) error {
	w.Since = old.Time("since")
	return &errWaiting{w}
}

// WaitingFor lists who waits for what a transaction has freed, or for a part of it, and for later
// than now, who has waited longest first. 1 request for each megabyte.
func (l Wishes) WaitingFor(ctx context.Context, freed ledger.Transaction) ([]Waiting, error) {
	from := freed.Start.Add(-longest(freed.Terms))
	if now := now(l.Ledger); now.After(from) {
		from = now
	}
	if !from.Before(freed.End) {
		return nil, nil // nobody waits for what is over
	}
	all, err := dynamo.Collect[Waiting](ctx, l.Ledger.Table, dynamo.Query{
		Where:  "pk = :pk AND sk BETWEEN :from AND :to",
		Values: dynamo.V{":pk": waitPK(freed.Terms), ":from": waitStart(from), ":to": waitStart(freed.End)},
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: who waits: %w", err)
	}
	all = slices.DeleteFunc(all, func(w Waiting) bool { return !w.Terms.Start.After(now(l.Ledger)) || !w.Wants(freed.Uses()) })
	slices.SortStableFunc(all, func(a, b Waiting) int { return a.Since.Compare(b.Since) })
	return all, nil
}

// longest is how long before a freed time a booking may begin that goes on until then: one of the
// most nights, or, as all of an offering's slots last equally long, a day for good measure.
func longest(freed ledger.Terms) time.Duration {
	if freed.Nights > 0 {
		return (schedule.MaxSlots + 1) * 24 * time.Hour
	}
	return max(24*time.Hour, freed.End.Sub(freed.Start))
}

// Wants reports whether the wish takes one of the places, or a part of its time: its slot may be one
// of an earlier calendar.
func (w Waiting) Wants(places schedule.Taken) bool {
	wanted := ledger.Transaction{Terms: w.Terms}
	return slices.ContainsFunc(wanted.Uses(), func(u schedule.Use) bool { return places.At(u.Slot, u.Ends) > 0 })
}

// Offered is the offer that was made for a wish, as it counts now, if there was one. 1 request,
// and 1 more for what was made.
func (l Wishes) Offered(ctx context.Context, w Waiting) (tx ledger.Transaction, before bool, err error) {
	tx, before, err = l.Ledger.Made(ctx, w.Terms.Business, offerKey(w))
	if before {
		tx.State = tx.Seen(now(l.Ledger))
	}
	return tx, before, err
}

// ErrNotOffered means that what a customer waited for cannot be booked for them any more.
var ErrNotOffered = errors.New("what was waited for is not offered any more")

// OfferTo holds a time for who has waited for it, on today's terms, for so long and not beyond its
// start, and reports whether it has made that offer now, or somebody else for the same wish before.
// [ledger.ErrSlotTaken] when somebody else was faster, [ErrNotOffered] when the calendar, the
// limits or the market have changed, or only a person may book for them by now; linked are the keys
// that they have beside the wish's owner. 2 requests, and those of the catalog and of who did not
// come before.
func (b *Booker) OfferTo(ctx context.Context, m *market.Market, w Waiting, length time.Duration, linked ...string) (held ledger.Transaction, made bool, err error) {
	terms, o, err := b.renewed(ctx, m, w.Terms, linked)
	if err == nil {
		err = terms.Check()
	}
	switch {
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.NotFound), fault.Is(err, fault.Conflict), fault.Is(err, fault.Forbidden):
		return ledger.Transaction{}, false, fmt.Errorf("%w: %w", ErrNotOffered, err)
	case err != nil:
		return ledger.Transaction{}, false, err
	}
	if left := terms.Start.Sub(now(b.Ledger)); left < minMove {
		return ledger.Transaction{}, false, fmt.Errorf("%w: it begins in %v", ErrNotOffered, left)
	}
	id := b.Ledger.NewID()
	held, err = b.Ledger.OfferUntil(ctx, ledger.Transaction{ID: id, Terms: terms}, o.Capacity, length, terms.Start, offerKey(w))
	return held, held.ID == id, err
}

// renewed makes the terms of a wish what they are for who asks for the same time today.
func (b *Booker) renewed(ctx context.Context, m *market.Market, t ledger.Terms, linked []string) (ledger.Terms, schedule.Offering, error) {
	tc := tool.Context{
		Actor: actor.OfKey(t.Owner), Market: m, Thread: t.Thread, Channel: channel.Channel(t.Channel), Language: t.Language, Now: now(b.Ledger),
	}
	tc.Actor.Name, tc.Actor.Also = t.CustomerName, linked
	item, err := b.find(ctx, tc, initiateArgs{ListingID: t.Listing, OfferingID: &t.Offering})
	if err != nil {
		return ledger.Terms{}, schedule.Offering{}, err
	}
	o, local := item.Offering, localTimes(t.TimeZone, t.Start, t.End, t.Nights)
	if err := o.CheckParty(t.Party); err != nil {
		return ledger.Terms{}, o, err
	}
	when, err := o.Find(tc.Now, local["date"], local["time"], local["endDate"])
	if err != nil {
		return ledger.Terms{}, o, err
	}
	terms, err := b.owed(ctx, termsOf(tc, item, when, t.Party, t.Note), o, tc.Actor.Keys())
	return terms, o, err
}

// Served takes a customer off the list, unless they have wished anew since the wish was read. 1 request.
func (l Wishes) Served(ctx context.Context, w Waiting) error {
	own := l.Ledger.Table.Delete(ownWaitKey(w)).If("since = :since", dynamo.V{":since": w.Since}).Else(errServed)
	if err := l.Ledger.Table.DB().Commit(ctx, l.Ledger.Table.Delete(waitKey(w)), own); err != nil && !errors.Is(err, errServed) {
		return fmt.Errorf("ledger: serve: %w", err)
	}
	return nil
}

// errServed says that a wish, as it was read, is not on the list any more.
var errServed = errors.New("served before")
