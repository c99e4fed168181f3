package appointment

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/customer"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// Desk has the tools a model calls to serve a verified caller. None of them commits: they propose, and the caller's
// YES settles it.
type Desk struct {
	Ledger   *ledger.Ledger
	Catalog  *Catalog
	Callers  Callers
	Sessions dynamo.Table // conversations

	// OfferPerson offers to hand over to a person, who is told the reason.
	OfferPerson func(tc tool.Context, reason string) *tool.Proposal
}

// Commitments settle held times, and the moving and cancelling of appointments.
func (d *Desk) Commitments() map[string]gate.Commitment {
	return map[string]gate.Commitment{
		ConfirmKind: Confirm{Ledger: d.Ledger, Callers: d.Callers},
		MoveKind:    Move{Ledger: d.Ledger, Callers: d.Callers},
		CancelKind:  Cancel{Ledger: d.Ledger, Callers: d.Callers},
	}
}

// Looks returns the checks that reread what a held time depends on. A cancellation depends only on the appointment.
func (d *Desk) Looks() map[string]gate.Look {
	return map[string]gate.Look{ConfirmKind: d.Look, MoveKind: d.Look}
}

// Tools returns the declarations with their resolvers. The listing tools change nothing but the record of what the call was shown.
func (d *Desk) Tools() []tool.Tool {
	return []tool.Tool{
		saying("say that you are looking up their appointments", tool.New("crm.listAppointments",
			"List the caller's upcoming appointments, numbered. Call it before one is moved or cancelled, and read the options out "+
				"with their numbers.",
			tool.Read, d.list)),
		saying("say that you are looking at what is on offer", tool.New("crm.listServices",
			"List the services that a technician comes for, with prices. Call it when the caller wants an appointment and the service "+
				"is not clear.",
			tool.Read, d.services)),
		saying("say that you are looking at free times", tool.New("crm.findTimes",
			"Find the next free times, numbered: for a service when the caller wants a new appointment, or for one of their "+
				"appointments when they want to move it. Give one of the two. Read the options out with their numbers, and let the caller choose before you go on.",
			tool.Read, d.times)),
		saying("say that you are reserving that time", tool.New("crm.scheduleAppointment",
			"Hold one of the free times that the caller was shown, for a new appointment, and ask them to confirm. Name the "+
				"option's number only. Nothing is booked until they say YES.", tool.Propose, d.schedule)),
		saying("say that you are reserving the new time", tool.New("crm.rescheduleAppointment",
			"Hold one of the free times that the caller was shown for one of their appointments, and ask them to confirm the move. "+
				"Name the option's number only. The appointment stays as it is until they say YES, and then both change at once.", tool.Propose, d.reschedule)),
		saying("say that you are looking up the appointment", tool.New("crm.cancelAppointment",
			"Ask the caller to confirm that one of the appointments that they were shown is to be cancelled. Name the option's "+
				"number only. Nothing is cancelled until they say YES.", tool.Propose, d.cancel)),
		d.talkTool(),
	}
}

// saying returns a tool with the words that a caller hears while it runs.
func saying(what string, t tool.Tool) tool.Tool {
	t.Acknowledgement = what
	return t
}

type noArgs struct{}

// maxListed is how many appointments are listed.
const maxListed = 10

// list shows the caller's appointments that are still to come, the next first.
func (d *Desk) list(ctx context.Context, tc tool.Context, _ noArgs) (tool.Result, error) {
	c, err := d.Callers.Caller(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	txs, err := d.Ledger.Latest(ctx, c.Actor(), tc.Market.ID, maxListed, func(tx ledger.Transaction) bool {
		return tx.Matter == ledger.Appointment && tx.State == ledger.Confirmed && tx.End.After(tc.Now)
	})
	if err != nil {
		return tool.Result{}, err
	}
	slices.SortStableFunc(txs, func(a, b ledger.Transaction) int { return a.Start.Compare(b.Start) })
	var s shown
	r := tool.Result{}
	lines := []map[string]any{}
	for i, tx := range txs {
		s.Options = append(s.Options, option{Transaction: tx.ID, Service: tx.Listing, Technician: tx.Offering, Start: tx.Start})
		lines = append(lines, map[string]any{
			"option": i + 1, "code": tx.Code, "service": tx.ListingName, "technician": tx.OfferingName, "when": when(tc.Language, tx.Terms),
		})
		r.Cards = append(r.Cards, Card(tc.Language, tx))
		r.Choices = append(r.Choices, channel.Choice{Label: tx.ListingName + ", " + when(tc.Language, tx.Terms), Detail: tx.OfferingName})
		r.Named = append(r.Named, stands(tc, tx)...)
	}
	r.Data = map[string]any{"appointments": lines}
	r.Memory = r.Data
	return r, d.show(ctx, tc, c, appointmentsList, s)
}

// services shows what a technician comes for to the caller's address.
func (d *Desk) services(ctx context.Context, tc tool.Context, _ noArgs) (tool.Result, error) {
	c, err := d.Callers.Caller(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	co, err := d.Catalog.Company(ctx, tc.Market.ID)
	if err != nil {
		return tool.Result{}, err
	}
	r, lines := tool.Result{}, []map[string]any{}
	for _, s := range co.Services {
		if who, err := co.serving(s.ID, c.ZIP); err == nil && len(who) > 0 {
			price := wording.Money(tc.Language, s.PriceMinor, s.Currency)
			lines = append(lines, map[string]any{"service": s.ID, "name": s.Name, "price": price, "minutes": s.Minutes})
			r.Choices = append(r.Choices, channel.Choice{Label: s.Name, Detail: price})
		}
	}
	r.Data = map[string]any{"services": lines}
	r.Memory = r.Data
	return r, nil
}

type timesArgs struct {
	Service     *string `json:"service" jsonschema:"id of the service for a new appointment, as crm.listServices gave it; null to move an appointment"`
	Appointment *int    `json:"appointment" jsonschema:"number of the appointment to move, as crm.listAppointments gave it; null for a new one"`
	From        *string `json:"from" jsonschema:"first local date to look at, YYYY-MM-DD; null for the next free times"`
}

// times shows when somebody can come.
func (d *Desk) times(ctx context.Context, tc tool.Context, a timesArgs) (tool.Result, error) {
	c, err := d.Callers.Caller(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	service, moves := tool.Value(a.Service), ""
	switch {
	case (a.Service == nil) == (a.Appointment == nil):
		return tool.Result{}, fault.Field("service", "give either the service of a new appointment or the number of the appointment to move")
	case a.Appointment != nil:
		o, _, err := d.picked(ctx, tc, c, appointmentsList, *a.Appointment)
		if err != nil {
			return tool.Result{}, err
		}
		service, moves = o.Service, o.Transaction
	}
	return d.showTimes(ctx, tc, c, service, moves, tool.Value(a.From))
}

// showTimes shows the next times for a service from a date on, "" is today, for a new appointment or for one to be moved.
func (d *Desk) showTimes(ctx context.Context, tc tool.Context, c customer.Customer, service, moves, date string) (tool.Result, error) {
	co, err := d.Catalog.Company(ctx, tc.Market.ID)
	if err != nil {
		return tool.Result{}, err
	}
	who, err := co.serving(service, c.ZIP)
	switch {
	case err != nil:
		return tool.Result{}, err
	case len(who) == 0:
		return tool.Result{}, fault.New(fault.NotFound, "no technician comes to the caller's ZIP code for that: offer askForPerson")
	}
	from, err := firstDay(tc.Now, date, who)
	if err != nil {
		return tool.Result{}, err
	}
	free, err := d.free(ctx, tc.Now, from, who)
	if err != nil {
		return tool.Result{}, err
	}
	s := shown{Moves: moves}
	r := tool.Result{}
	lines := []map[string]any{}
	for i, f := range free {
		t := ledger.Terms{Start: f.Start, End: f.End, TimeZone: f.technician.TimeZone}
		s.Options = append(s.Options, option{Service: service, Technician: f.technician.ID, Start: f.Start})
		lines = append(lines, map[string]any{"option": i + 1, "when": when(tc.Language, t), "technician": f.technician.Name})
		r.Choices = append(r.Choices, channel.Choice{Label: when(tc.Language, t), Detail: f.technician.Name})
	}
	purpose := "a new appointment"
	if moves != "" {
		purpose = "an appointment to be moved"
	}
	r.Data = map[string]any{"times": lines, "for": purpose}
	r.Memory = r.Data
	return r, d.show(ctx, tc, c, timesList, s)
}

// What a caller picks from a list of times of the other kind.
var (
	errTimesOfMove = fault.New(fault.Conflict, "the times shown last are for moving an appointment: "+
		"use crm.rescheduleAppointment, or find times for a service first")
	errTimesOfNew = fault.New(fault.Conflict, "the times shown last are for a new appointment: "+
		"list the appointments, and find times for the one to move first")
)

type scheduleArgs struct {
	Option int     `json:"option" jsonschema:"number of the time on the list that the caller was shown last"`
	Note   *string `json:"note" jsonschema:"what the caller wants the technician to know, in their words; null for nothing"`
}

// schedule holds a time under the call's own key, so that a call made again after a crash gives the same proposal.
func (d *Desk) schedule(ctx context.Context, tc tool.Context, a scheduleArgs) (tool.Result, error) {
	c, o, s, err := d.chosenTime(ctx, tc, a.Option)
	if err != nil {
		return tool.Result{}, err
	}
	if s.Moves != "" {
		return tool.Result{}, errTimesOfMove
	}
	terms, err := d.termsOf(ctx, tc, c, o)
	if err != nil {
		return d.taken(ctx, tc, c, o, s, err)
	}
	terms.Note = strings.TrimSpace(tool.Value(a.Note))
	held, err := d.Ledger.Offer(ctx, terms, 1, holdFor(tc), tc.Key)
	if err != nil {
		return d.taken(ctx, tc, c, o, s, err)
	}
	return asked(tc, held, Question(tc.Language, held)), nil
}

type optionArgs struct {
	Option int `json:"option" jsonschema:"number of the option on the list that the caller was shown last"`
}

// reschedule holds another time for an appointment.
func (d *Desk) reschedule(ctx context.Context, tc tool.Context, a optionArgs) (tool.Result, error) {
	c, o, s, err := d.chosenTime(ctx, tc, a.Option)
	if err != nil {
		return tool.Result{}, err
	}
	if s.Moves == "" {
		return tool.Result{}, errTimesOfNew
	}
	old, err := d.standing(ctx, tc, c, s.Moves)
	if err != nil {
		return tool.Result{}, err
	}
	terms, err := d.termsOf(ctx, tc, c, o)
	if err != nil {
		return d.taken(ctx, tc, c, o, s, err)
	}
	if terms.Start.Equal(old.Start) && terms.Offering == old.Offering {
		return tool.Result{}, fault.New(fault.Conflict, "the appointment is at just that time: there is nothing to change")
	}
	terms.Replaces, terms.Note = old.ID, old.Note
	offer := ledger.Transaction{Terms: terms, Code: old.Code, Forget: old.Forget}
	held, err := d.Ledger.OfferUntil(ctx, offer, 1, holdFor(tc), old.Start, tc.Key)
	if err != nil {
		return d.taken(ctx, tc, c, o, s, err)
	}
	return asked(tc, held, MoveQuestion(tc.Language, old, held)), nil
}

// chosenTime returns the time that the caller has chosen from a list that they have seen.
func (d *Desk) chosenTime(ctx context.Context, tc tool.Context, number int) (customer.Customer, option, shown, error) {
	c, err := d.Callers.Caller(ctx, tc)
	if err != nil {
		return customer.Customer{}, option{}, shown{}, err
	}
	o, s, err := d.picked(ctx, tc, c, timesList, number)
	if err == nil {
		err = s.seen(tc)
	}
	return c, o, s, err
}

// termsOf are the terms of a visit at a chosen time, as things are now.
func (d *Desk) termsOf(ctx context.Context, tc tool.Context, c customer.Customer, o option) (ledger.Terms, error) {
	co, err := d.Catalog.Company(ctx, tc.Market.ID)
	if err != nil {
		return ledger.Terms{}, err
	}
	v, err := co.find(o.Service, o.Technician)
	if err != nil {
		return ledger.Terms{}, err
	}
	b, err := v.at(tc.Now, o.Start)
	if err != nil {
		return ledger.Terms{}, err
	}
	return ledger.Terms{
		Matter: ledger.Appointment, Business: v.technician.Business, Listing: v.service.ID, ListingName: v.service.Name,
		Offering: v.technician.ID, OfferingName: v.technician.Name,
		Market: tc.Market.ID, Owner: c.Actor().Key(), Address: tc.Address, Thread: tc.Thread, Channel: string(tc.Channel),
		Start: b.Start, End: b.End, Slots: b.Slots, Longest: longestVisit, TimeZone: v.technician.TimeZone,
		Party: 1, PriceMinor: v.service.PriceMinor, Currency: v.service.Currency,
		Place: c.Address, CustomerName: c.Name, CustomerPhone: tc.Session.Phone, Language: tc.Language, Policy: tc.Market.Version,
	}, nil
}

// holdFor is how long a time is held for its answer.
func holdFor(tc tool.Context) time.Duration {
	return time.Duration(tc.Market.Safety.HoldSeconds) * time.Second
}

// asked asks the caller about a held time, and describes it to the model.
func asked(tc tool.Context, tx ledger.Transaction, q tool.Proposal) tool.Result {
	data := map[string]any{
		"status": "awaiting_confirmation", "note": "held, not booked: the caller is being asked for YES or NO",
		"code": tx.Code, "summary": Summary(tc.Language, tx),
	}
	return tool.Result{Data: data, Memory: data, Cards: []tool.Card{Card(tc.Language, tx)}, Proposal: &q}
}

// taken shows the free times that replace one no longer available. Other errors are passed on.
func (d *Desk) taken(ctx context.Context, tc tool.Context, c customer.Customer, o option, s shown, err error) (tool.Result, error) {
	if !errors.Is(err, ledger.ErrSlotTaken) && !errors.Is(err, errNotOffered) && schedule.ReasonOf(err) == "" {
		return tool.Result{}, err
	}
	r, err := d.showTimes(ctx, tc, c, o.Service, s.Moves, "")
	if err != nil {
		return tool.Result{}, err
	}
	data := r.Data.(map[string]any)
	data["error"] = "that time cannot be had any more, and nothing was held or changed: say so, read these out, let the caller choose"
	return r, nil
}

// cancel asks whether an appointment is to be cancelled.
func (d *Desk) cancel(ctx context.Context, tc tool.Context, a optionArgs) (tool.Result, error) {
	c, err := d.Callers.Caller(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	o, s, err := d.picked(ctx, tc, c, appointmentsList, a.Option)
	if err == nil && len(s.Options) > 1 { // of one there is nothing to choose
		err = s.seen(tc)
	}
	if err != nil {
		return tool.Result{}, err
	}
	tx, err := d.standing(ctx, tc, c, o.Transaction)
	if err != nil {
		return tool.Result{}, err
	}
	by := tc.Now.Add(holdFor(tc))
	if tx.End.Before(by) {
		by = tx.End
	}
	data := map[string]any{
		"status": "awaiting_confirmation", "note": "not cancelled: the caller is being asked for YES or NO",
		"code": tx.Code, "summary": Summary(tc.Language, tx),
	}
	q := CancelQuestion(tc.Language, tx, tc.Now, by)
	return tool.Result{Data: data, Memory: data, Cards: []tool.Card{Card(tc.Language, tx)}, Proposal: &q}, nil
}

// standing returns an appointment of the caller's that is still to come.
func (d *Desk) standing(ctx context.Context, tc tool.Context, c customer.Customer, id string) (ledger.Transaction, error) {
	tx, err := d.Ledger.Get(ctx, c.Actor(), id)
	switch {
	case err != nil:
		return ledger.Transaction{}, err
	case tx.Market != tc.Market.ID || tx.State != ledger.Confirmed || !tx.End.After(tc.Now):
		return ledger.Transaction{}, fault.New(fault.Conflict, "that appointment does not stand any more: list the appointments again")
	}
	return tx, nil
}

// Look rereads what a held time depends on (see [gate.Look]): the technician still comes for the service at that time, to
// that ZIP code, under the same names and at the same price. 4 requests.
func (d *Desk) Look(ctx context.Context, tc tool.Context, p thread.Pending) ([]dynamo.Write, error) {
	c, err := d.Callers.Caller(ctx, tc)
	if errors.Is(err, customer.ErrUnverified) {
		return nil, &gate.Refusal{Text: wording.Say(tc.Language, wording.OfferOff, nil)}
	}
	if err != nil {
		return nil, err
	}
	tx, err := d.Ledger.Get(ctx, c.Actor(), p.Ref)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && tx.Seen(tc.Now) != ledger.Hold:
		return nil, nil
	case err != nil:
		return nil, err
	}
	co, err := d.Catalog.Company(ctx, tc.Market.ID)
	if err != nil {
		return nil, err
	}
	v, err := co.find(tx.Listing, tx.Offering)
	switch {
	case err != nil || !v.technician.covers(c.ZIP, tx.Listing):
		return nil, &gate.Refusal{Text: wording.Say(tc.Language, wording.OfferOff, nil)}
	case !v.makes(tx) || c.Address != tx.Place:
		return nil, &gate.Refusal{Text: wording.Say(tc.Language, wording.OfferChanged, nil)}
	}
	return d.Catalog.unchanged(v), nil
}
