package booking

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// Catalog finds what can be booked.
type Catalog interface {
	// Bookable returns an offering of a listing in a market; offeringID "" is the
	// listing's only or first one. If there is none, it returns a [fault.NotFound].
	Bookable(ctx context.Context, market, listingID, offeringID string) (Bookable, error)
}

// Bookable is an offering of a listing, with the details that a booking copies from the listing.
type Bookable struct {
	Business    string
	Listing     string
	ListingName string
	Offering    schedule.Offering
	Longest     time.Duration // how long a booking ever took one of its slots, under any calendar it has had
	Merchant    string        // WhatsApp number of the business, E.164
	Tags        []string      // of the listing; a market may allow only some
	Kinds       []string      // the listing's category and sub-category; a market may allow only some
	Location    *geo.Location
	Contact     bool // it takes only people whose name and number are known

	Unchanged []dynamo.Write // conditions that hold as long as this is what the catalog says
}

// Booker has the tools a model calls to book, list, move and cancel for a customer, and to put them
// on the waiting list. None of them commits: they propose, and the customer's YES settles it.
type Booker struct {
	Ledger   *ledger.Ledger
	Catalog  Catalog
	Payments Payments
}

// Commitments settle held bookings, and the cancelling and moving of confirmed ones.
func (b *Booker) Commitments() map[string]gate.Commitment {
	return map[string]gate.Commitment{
		ConfirmKind:    Confirm{Ledger: b.Ledger},
		CancelKind:     Cancel{Ledger: b.Ledger, Payments: b.Payments},
		RescheduleKind: Move{Ledger: b.Ledger, Payments: b.Payments},
	}
}

// Looks returns the checks that reread what a held booking depends on. A cancellation depends only on the booking.
func (b *Booker) Looks() map[string]gate.Look {
	return map[string]gate.Look{ConfirmKind: b.Look, RescheduleKind: b.Look}
}

// The tools that touch listings.
const (
	bookTool = "initiateBooking"
	moveTool = "rescheduleBooking"
	waitTool = "joinWaitlist"
)

// PayFor is how long an offer is held that has to be paid for. People have to find their cards.
const PayFor = 30 * time.Minute

// Tools returns the declarations with their resolvers.
func (b *Booker) Tools() []tool.Tool {
	all := []tool.Tool{
		tool.New(bookTool,
			"Reserve a time at a listing for the customer and ask them to confirm. Holds the time for a few minutes; "+
				"nothing is booked until the customer says YES. Dates and times are local to the listing. "+
				"When the time cannot be had, the error lists the nearest free ones: offer those.",
			tool.Propose, b.initiate),
		tool.New("getMyBookings", "List the customer's own bookings, those that still stand first, of each kind the newest first, and the times on whose waiting list they are. "+
			"Name a booking's code whenever you say that it is booked or cancelled.", tool.Read, b.list),
		tool.New("cancelBooking",
			"Ask the customer to confirm that one of their confirmed bookings is to be cancelled, or a time let go that is held until they pay. "+
				"Nothing is cancelled until the customer says YES.",
			tool.Propose, b.cancel),
		b.rescheduleTool(),
		b.waitlistTool(), b.leaveTool(),
	}
	for i, t := range all {
		all[i].Listings = slices.Contains([]string{bookTool, moveTool, waitTool}, t.Name)
	}
	return all
}

type initiateArgs struct {
	ListingID  string  `json:"listingId" jsonschema:"id of the listing, as a search gave it"`
	OfferingID *string `json:"offeringId" jsonschema:"id of one of the listing's offerings; null when it has only one"`
	Date       string  `json:"date" jsonschema:"local date, YYYY-MM-DD; for a stay the day of arrival"`
	Time       *string `json:"time" jsonschema:"local time, HH:MM; null for a stay"`
	EndDate    *string `json:"endDate" jsonschema:"day of departure of a stay, YYYY-MM-DD; null otherwise"`
	PartySize  *int    `json:"partySize" jsonschema:"number of people; null when not said"`
	Note       *string `json:"note" jsonschema:"a wish of the customer for the business; null for none"`
	Name       *string `json:"name,omitempty" jsonschema:"the customer's name, as they gave it; null when not said"`
	Phone      *string `json:"phone,omitempty" jsonschema:"the customer's phone number, as they gave it; null when not said"`
}

// initiate makes an offer under the call's own key, so that a call made again after a crash gives the same
// proposal and takes nothing twice.
func (b *Booker) initiate(ctx context.Context, tc tool.Context, args initiateArgs) (tool.Result, error) {
	item, party, err := b.sought(ctx, tc, bookTool, args)
	if err != nil {
		return tool.Result{}, err
	}
	if tc, err = withContact(tc, item, args); err != nil {
		return tool.Result{}, err
	}
	o := item.Offering
	booking, err := o.Find(tc.Now, args.Date, tool.Value(args.Time), tool.Value(args.EndDate))
	if err != nil {
		return b.refusal(ctx, tc, item, args, err)
	}
	terms, err := owed(ctx, b.Ledger, termsOf(tc, item, booking, party, tool.Value(args.Note)), o, tc.Actor.Keys())
	if err != nil {
		return tool.Result{}, err
	}
	held, err := b.Ledger.Offer(ctx, terms, o.Capacity, holdFor(tc, terms), tc.Key)
	if err != nil {
		return b.refusal(ctx, tc, item, args, err)
	}
	return b.proposal(tc, held, Question(b.Payments, tc.Language, held)), nil
}

// withContact is tc with the customer's name and number, where the business wants to know them. One that does
// not is told a number only if the customer gave it for this.
func withContact(tc tool.Context, item Bookable, args initiateArgs) (tool.Context, error) {
	required := tc.Market.Contact || item.Contact
	tc, err := tc.WithContact(args.Name, args.Phone, required)
	if !required && args.Phone == nil {
		tc.Contact.Phone = ""
	}
	return tc, err
}

// sought finds what the customer wants, and for how many people. If nobody said how many, it takes the offering's
// minimum.
func (b *Booker) sought(ctx context.Context, tc tool.Context, name string, args initiateArgs) (item Bookable, party int, err error) {
	if item, err = find(ctx, b.Catalog, tc, name, args); err != nil {
		return Bookable{}, 0, err
	}
	if party = item.Offering.MinParty; args.PartySize != nil {
		party = *args.PartySize
	}
	return item, party, item.Offering.CheckParty(party)
}

// errUnreachable is the answer about a listing whose business has no number.
var errUnreachable = fault.New(fault.Conflict, "this listing cannot be reached at the moment: suggest another")

// find asks the catalog for the offering, and the market whether a tool may touch listings of its kind for so
// many people.
func find(ctx context.Context, c Catalog, tc tool.Context, name string, args initiateArgs) (Bookable, error) {
	item, err := c.Bookable(ctx, tc.Market.ID, args.ListingID, tool.Value(args.OfferingID))
	if err != nil {
		return Bookable{}, err
	}
	if err := item.Offering.Check(); err != nil {
		return Bookable{}, fault.Wrap(err, fault.Internal, "offering %s of %s", item.Offering.ID, item.Listing)
	}
	if item.Merchant == "" { // nobody would hear of the booking
		return Bookable{}, errUnreachable
	}
	policy := tc.Market.Tools[name]
	if !policy.Allows(item.touched(tc.Location)) {
		return Bookable{}, fault.New(fault.Forbidden, "listings of this kind cannot be booked here")
	}
	if b := policy.Bounds; b != nil && b.MaxPeople > 0 && tool.Value(args.PartySize) > b.MaxPeople {
		return Bookable{}, fault.Field("partySize", "want at most %d here", b.MaxPeople)
	}
	return item, nil
}

// touched describes the listing for the check of a tool's policy, for a customer at a place; nil if that is unknown.
func (k Bookable) touched(near *geo.Location) market.Touched {
	x := market.Touched{Tags: k.Tags, Kinds: k.Kinds, Price: k.Offering.PriceMinor}
	if near != nil && k.Location != nil {
		x.Meters = k.Location.Meters(*near)
	}
	return x
}

// holdFor is how long an offer of the terms is held.
func holdFor(tc tool.Context, t ledger.Terms) time.Duration {
	length := time.Duration(tc.Market.Safety.HoldSeconds) * time.Second
	if t.DueMinor > 0 {
		return max(length, PayFor)
	}
	return length
}

// termsOf returns the terms of an offer, apart from the amount due ahead (see [owed]).
func termsOf(tc tool.Context, item Bookable, k schedule.Booking, party int, note string) ledger.Terms {
	o := item.Offering
	return ledger.Terms{
		Business: item.Business, Listing: item.Listing, ListingName: item.ListingName,
		Offering: o.ID, OfferingName: o.Name, Longest: item.Longest, Merchant: item.Merchant,
		Market: tc.Market.ID, Owner: tc.Actor.Key(), Address: tc.Address, Thread: tc.Thread, Channel: string(tc.Channel),
		Start: k.Start, End: k.End, Slots: k.Slots, Nights: k.Nights, TimeZone: o.TimeZone,
		Party: party, PriceMinor: o.Price(party, k.Nights), Currency: o.Currency,
		Note: note, CustomerName: language.Clip(cmp.Or(tc.Contact.Name, tc.Actor.Name), ledger.MaxName), CustomerPhone: tc.Contact.Phone, Language: tc.Language, Policy: tc.Market.Version,
	}
}

// proposal asks the customer about an offer, and describes the offer to the model.
func (b *Booker) proposal(tc tool.Context, tx ledger.Transaction, q tool.Proposal) tool.Result {
	data := b.view(tc, tx)
	data["status"] = "awaiting_confirmation"
	data["note"] = "held, not booked: the customer is being asked for YES or NO"
	if tx.DueMinor > 0 {
		data["note"] = "held, not booked: the customer is being asked for YES or NO; YES gives a link, and it is booked when what is due is paid there"
	}
	if tx.Missed > 0 {
		data["deposit"] = fmt.Sprintf("due because the customer did not come to %d bookings here: say so kindly", tx.Missed)
	}
	return tool.Result{
		Data:     data,
		Memory:   data,
		Cards:    []tool.Card{Card(tc.Language, tx)},
		Proposal: &q,
	}
}

// refusal tells the model why a time was refused and which free ones are nearest, so that it has
// something to offer. Other errors are passed on.
func (b *Booker) refusal(ctx context.Context, tc tool.Context, item Bookable, args initiateArgs, err error) (tool.Result, error) {
	if schedule.ReasonOf(err) == "" && !errors.Is(err, ledger.ErrSlotTaken) {
		return tool.Result{}, err
	}
	nearest, busy := b.nearest(ctx, tc, item, args)
	if busy != nil {
		return tool.Result{}, busy
	}
	var body struct {
		Error map[string]any `json:"error"`
	}
	if bad := json.Unmarshal(fault.ForModel(err), &body); bad != nil {
		return tool.Result{}, fmt.Errorf("refusal: %w", bad)
	}
	body.Error["reason"] = "taken"
	if r := schedule.ReasonOf(err); r != "" {
		body.Error["reason"] = string(r)
	}
	body.Error["alternatives"] = nearest
	res := tool.Result{Data: body}
	for _, t := range nearest {
		res.Choices = append(res.Choices, channel.Choice{Label: t["when"]})
	}
	return res, nil
}

// alternatives is how many free times a refusal offers.
const alternatives = 3

// nearest finds the free times nearest to the one asked for.
func (b *Booker) nearest(ctx context.Context, tc tool.Context, item Bookable, args initiateArgs) ([]map[string]string, error) {
	o := item.Offering
	want, nights, err := o.Wanted(args.Date, tool.Value(args.Time), tool.Value(args.EndDate))
	if err != nil {
		return nil, err
	}
	free, err := o.NearestFree(tc.Now, want, nights, alternatives, item.Longest, func(from, to time.Time) (schedule.Taken, error) {
		return b.Ledger.Taken(ctx, item.Business, o.ID, from, to, tc.Now)
	})
	found := []map[string]string{}
	for _, k := range free {
		t := localTimes(o.TimeZone, k.Start, k.End, k.Nights)
		t["when"] = whenOf(tc.Language, o.TimeZone, k)
		found = append(found, t)
	}
	return found, err
}

// whenOf words a time as it is shown to choose from: of a stay all of it, of others when they begin.
func whenOf(lang, zone string, k schedule.Booking) string {
	loc := schedule.Zone(zone)
	start, end := k.Start.In(loc), k.End.In(loc)
	if k.Nights == 0 {
		end = start
	}
	return wording.When(lang, start, end)
}

// localTimes words times as the tools' arguments: date and time, or the dates of arrival and departure.
func localTimes(zone string, start, end time.Time, nights int) map[string]string {
	loc := schedule.Zone(zone)
	start, end = start.In(loc), end.In(loc)
	if nights > 0 {
		return map[string]string{"date": start.Format(time.DateOnly), "endDate": end.Format(time.DateOnly)}
	}
	return map[string]string{"date": start.Format(time.DateOnly), "time": start.Format("15:04")}
}

// local words a time for a model.
func local(t time.Time, zone string) string {
	return t.In(schedule.Zone(zone)).Format("2006-01-02T15:04")
}

type noArgs struct{}

// How many bookings a model is shown, and how many lapsed offers at most are among them. Offers that came to
// nothing soon interest nobody, and many of them may be newer than the booking that is asked about.
const (
	maxListed = 20
	maxLapsed = 5
)

func (b *Booker) list(ctx context.Context, tc tool.Context, _ noArgs) (tool.Result, error) {
	var others []ledger.Transaction
	lapsed := 0
	txs, err := b.Ledger.Latest(ctx, tc.Actor, tc.Market.ID, maxListed, func(tx ledger.Transaction) bool {
		switch seen := tx.Seen(tc.Now); {
		case seen != ledger.Expired && tx.Stands(tc.Now):
			return true
		case seen == ledger.Expired || tx.State == ledger.Cancelled && tx.ConfirmedAt.IsZero():
			if lapsed++; lapsed > maxLapsed {
				return false
			}
		}
		others = append(others, tx)
		return false
	})
	if err != nil {
		return tool.Result{}, err
	}
	txs = unmoved(append(txs, others[:min(len(others), maxListed-len(txs))]...))
	views, named := []map[string]any{}, []standing.Item{}
	for _, tx := range txs {
		views = append(views, b.view(tc, tx))
		if tx.State != ledger.Hold {
			named = append(named, stands(tc, tx)...)
		}
	}
	waits, _, err := b.waits(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	data := map[string]any{"bookings": views}
	if len(waits) > 0 {
		data["waiting"] = waits
	}
	return tool.Result{Data: data, Memory: data, Named: named}, nil
}

// unmoved leaves out what a booking was before it was moved: it has the same code.
func unmoved(txs []ledger.Transaction) []ledger.Transaction {
	former := map[string]bool{}
	for _, tx := range txs {
		former[tx.Replaces] = former[tx.Replaces] || !tx.ConfirmedAt.IsZero()
	}
	return slices.DeleteFunc(txs, func(tx ledger.Transaction) bool { return former[tx.ID] })
}

type cancelArgs struct {
	TransactionID string `json:"transactionId" jsonschema:"transactionId of the booking, as getMyBookings gave it"`
}

func (b *Booker) cancel(ctx context.Context, tc tool.Context, args cancelArgs) (tool.Result, error) {
	tx, err := b.booked(ctx, tc, args.TransactionID)
	if errors.Is(err, errHeldOnly) {
		return b.letGo(ctx, tc, tx)
	}
	if err != nil {
		return tool.Result{}, err
	}
	data := b.view(tc, tx)
	data["status"] = "awaiting_confirmation"
	data["note"] = "still booked: the customer is being asked for YES or NO"
	q, err := CancelQuestion(ctx, b.Payments, tc.Language, tx, tc.Now, answerBy(tc, tx.Terms))
	if err != nil {
		return tool.Result{}, err
	}
	if q.Note != "" {
		data["money"] = q.Note
	}
	return tool.Result{Data: data, Memory: data, Proposal: &q}, nil
}

// letGo proposes to let go of an offer whose customer has said YES and got the payment link.
func (b *Booker) letGo(ctx context.Context, tc tool.Context, tx ledger.Transaction) (tool.Result, error) {
	kind, err := b.Payments.LetGoOf(ctx, tx)
	if err != nil {
		return tool.Result{}, err
	}
	if kind == "" {
		return tool.Result{}, errHeldOnly
	}
	data := b.view(tc, tx)
	data["status"] = "awaiting_confirmation"
	data["note"] = "still held, not booked: the customer is being asked for YES or NO"
	q := Question(b.Payments, tc.Language, tx)
	q.Kind = kind
	return tool.Result{Data: data, Memory: data, Proposal: &q}, nil
}

var errHeldOnly = fault.New(fault.Conflict, "it is not booked yet: the customer can answer the offer with NO")

// booked returns a booking of the customer's that can still be changed. An offer that is only held comes
// back with [errHeldOnly].
func (b *Booker) booked(ctx context.Context, tc tool.Context, id string) (ledger.Transaction, error) {
	tx, err := b.Ledger.Get(ctx, tc.Actor, id)
	switch {
	case errors.Is(err, actor.ErrNotFound), err == nil && tx.Market != tc.Market.ID:
		return ledger.Transaction{}, &fault.Error{Kind: fault.NotFound, Field: "transactionId", Message: "the customer has no such booking"}
	case err != nil:
		return ledger.Transaction{}, err
	case tx.State == ledger.Cancelled:
		return ledger.Transaction{}, ledger.ErrCancelled
	case tx.State == ledger.NoShow:
		return ledger.Transaction{}, fault.New(fault.Conflict, "the business has noted that nobody came: it cannot be changed; offer askForPerson if that is wrong")
	case tx.Seen(tc.Now) == ledger.Hold:
		return tx, errHeldOnly
	case tx.State != ledger.Confirmed:
		return ledger.Transaction{}, ledger.ErrNotHeld
	case !tx.End.After(tc.Now):
		return ledger.Transaction{}, fault.New(fault.Conflict, "it is over and cannot be changed")
	}
	return tx, nil
}

// summary describes a transaction in one line. For an offer the line includes the amount to pay.
func (b *Booker) summary(lang string, tx ledger.Transaction) string {
	if tx.State == ledger.Hold {
		return Question(b.Payments, lang, tx).Summary
	}
	return Summary(lang, tx)
}

// view returns the fields of a transaction that a model sees.
func (b *Booker) view(tc tool.Context, tx ledger.Transaction) map[string]any {
	v := map[string]any{
		"transactionId": tx.ID, "code": tx.Code, "state": tx.Seen(tc.Now), "listingId": tx.Listing, "listing": tx.ListingName,
		"offering": tx.OfferingName, "partySize": tx.Party, "priceMinor": tx.PriceMinor, "currency": tx.Currency,
		"summary": b.summary(tc.Language, tx),
	}
	for name, value := range localTimes(tx.TimeZone, tx.Start, tx.End, tx.Nights) {
		v[name] = value
	}
	if tx.DueMinor > 0 {
		v["dueMinor"], v["freeUntil"], v["keptMinor"] = tx.DueMinor, local(tx.FreeUntil(), tx.TimeZone), tx.KeptMinor()
	}
	if tx.State == ledger.Hold {
		v["holdExpiresAt"] = tx.HoldExpiresAt.Format(time.RFC3339)
	}
	return v
}

// waits returns the customer's wishes in this market, and the form in which a model sees them.
func (b *Booker) waits(ctx context.Context, tc tool.Context) ([]map[string]any, []Wish, error) {
	all, err := Wishes{b.Ledger}.Of(ctx, tc.Market.ID, tc.Actor.Keys()...)
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

func (b *Booker) waitlistTool() tool.Tool {
	t := tool.New(waitTool,
		"Put the customer on the waiting list for a time that initiateBooking said is taken, when they want that. When it becomes free, it is held for them and they are asked "+
			"in this chat, one customer at a time. Nothing is booked without their YES then.", tool.Propose, b.join)
	t.Draft = true
	return t
}

// join puts the customer on the waiting list, once for each time.
func (b *Booker) join(ctx context.Context, tc tool.Context, a initiateArgs) (tool.Result, error) {
	item, party, err := b.sought(ctx, tc, waitTool, a)
	if err != nil {
		return tool.Result{}, err
	}
	if tc, err = withContact(tc, item, a); err != nil {
		return tool.Result{}, err
	}
	o := item.Offering
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
	if terms, err = owed(ctx, b.Ledger, terms, o, tc.Actor.Keys()); err != nil {
		return tool.Result{}, err
	}
	w := Wish{ID: waitID(terms), Terms: terms, Since: now(b.Ledger), TTL: terms.Start.Unix()}
	if err := (Wishes{b.Ledger}).Put(ctx, w, tc.Actor.Also...); err != nil {
		return tool.Result{}, err
	}
	data := map[string]any{"status": "on the waiting list", "waitingId": w.ID, "listing": item.ListingName, "note": "nothing is booked: say only that you will write when it becomes free"}
	for name, v := range localTimes(w.Terms.TimeZone, w.Terms.Start, w.Terms.End, w.Terms.Nights) {
		data[name] = v
	}
	return tool.Result{Data: data}, nil
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

// leave takes the customer off the waiting list. A wish that is not there, or is somebody else's, is no
// error, so that a repeated call gives the same answer.
func (b *Booker) leave(ctx context.Context, tc tool.Context, a leaveArgs) (tool.Result, error) {
	views, all, err := b.waits(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	if i := slices.IndexFunc(all, func(w Wish) bool { return w.ID == a.WaitingID }); i >= 0 {
		if err := (Wishes{b.Ledger}).Remove(ctx, all[i]); err != nil {
			return tool.Result{}, err
		}
		views = slices.Delete(views, i, i+1)
	}
	return tool.Result{Data: map[string]any{"status": "the customer does not wait for that", "waiting": views}}, nil
}
