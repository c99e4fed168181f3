package turn_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/appointment"
	"merve/internal/model/llm"
	"merve/internal/people/desk"
	"merve/internal/record/customer"
	"merve/internal/record/ledger"
	"merve/internal/spine/assistant"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// exchange is what worlds have beside the concierge in which calls are answered.
type exchange struct {
	callers *customer.Verifier
	visits  *appointment.Desk
}

// startExchange puts its part of a process together, on a database.
func (w *world) startExchange(db *dynamo.DB) ([]tool.Tool, assistant.Assistant) {
	catalog, conversations := db.Table(dynamotest.TableName("catalog")), db.Table(dynamotest.TableName("conversations"))
	w.callers = &customer.Verifier{Customers: &customer.Store{Table: catalog}, Sessions: conversations, Now: w.clock.now}
	w.exchange.visits = &appointment.Desk{
		Ledger: w.ledger, Catalog: &appointment.Catalog{Table: catalog}, Callers: w.callers, Sessions: conversations, OfferPerson: desk.Offering,
	}
	a := assistant.PestCall()
	a.Access = w.callers.Access(a.Tools)
	return append(customer.Desk{Verifier: w.callers, OfferPerson: desk.Offering}.Tools(), w.exchange.visits.Tools()...), a
}

// answersCalls adds what settles the questions of calls.
func (w *world) answersCalls(r *turn.Runner) {
	for kind, c := range w.noting(map[string]gate.Commitment{
		appointment.ConfirmKind: appointment.Confirm{Ledger: w.ledger, Callers: w.callers},
		appointment.MoveKind:    appointment.Move{Ledger: w.ledger, Callers: w.callers},
		appointment.CancelKind:  appointment.Cancel{Ledger: w.ledger, Callers: w.callers},
		desk.OfferKind:          desk.Offer{},
	}) {
		r.Commitments[kind] = c
	}
	r.Looks[appointment.ConfirmKind], r.Looks[appointment.MoveKind] = w.exchange.visits.Look, w.exchange.visits.Look
	r.Matters[ledger.AppointmentsKind] = appointment.Standing{Ledger: w.ledger, Callers: w.callers}
}

// newPestCall is a world in which a pest control company answers calls. Two of its customers have one number; its technicians
// come from nine to five, Maria to 941 and Sam to all of 94.
func newPestCall(t *testing.T, change func(m *market.Market)) *world {
	t.Helper()
	w := newWorld(t, change)
	w.calls = true
	for _, c := range []customer.Customer{
		{ID: "ann", Name: "Ann Archer", Phones: []string{"+14155550100"}, ZIP: "94107", Address: "12 Oak Street, San Francisco"},
		{ID: "bob", Name: "Bob Archer", Phones: []string{"+14155550100"}, ZIP: "94110", Address: "7 Elm Street, San Francisco"},
		{ID: "eve", Name: "Eve Adams", Phones: []string{"+14155550101"}, ZIP: "94609", Address: "3 Pine Street, Oakland"},
	} {
		c.Market, c.ID = w.market, c.ID+"-"+w.market
		if _, err := w.callers.Customers.Put(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []appointment.Service{
		{ID: "ants", Name: "Ant treatment", Minutes: 60, PriceMinor: 12000, Currency: "USD"},
		{ID: "termites", Name: "Termite inspection", Minutes: 120, PriceMinor: 9000, Currency: "USD"},
	} {
		w.offers(s)
	}
	for _, name := range []string{"maria", "sam"} {
		w.employs(name, nil)
	}
	return w
}

// offers has technicians come for a service.
func (w *world) offers(s appointment.Service) {
	w.t.Helper()
	s.Market = w.market
	if _, err := w.exchange.visits.Catalog.PutService(w.t.Context(), s); err != nil {
		w.t.Fatal(err)
	}
}

// employs has a technician come as set, or as changed.
func (w *world) employs(name string, change func(*appointment.Technician)) {
	w.t.Helper()
	hours := []schedule.Span{{From: "09:00", To: "17:00"}}
	t := map[string]appointment.Technician{
		"maria": {Name: "Maria Lopez", Areas: []string{"941"}, Services: []string{"ants", "termites"}},
		"sam":   {Name: "Sam Reed", Areas: []string{"94"}, Services: []string{"ants"}},
	}[name]
	t.Market, t.ID, t.Business, t.TimeZone, t.SlotMinutes = w.market, name, "pests"+w.suffix, "Europe/Nicosia", 60
	t.Hours = map[string][]schedule.Span{"tue": hours, "wed": hours, "thu": hours, "fri": hours}
	if change != nil {
		change(&t)
	}
	if _, err := w.exchange.visits.Catalog.PutTechnician(w.t.Context(), t); err != nil {
		w.t.Fatal(err)
	}
}

// beginsCall has the next call session begin on a thread, from a number and, if one is named, from an address.
func (w *world) beginsCall(id, session, phone, address string) {
	w.t.Helper()
	set, vals := "SET #session = :session", dynamo.V{":session": thread.Session{ID: session, Phone: phone}}
	if address != "" {
		set, vals[":addr"] = set+", addr = :addr", "address:"+address+w.suffix
	}
	if err := w.db.Commit(w.t.Context(), w.threads.Table.Update(dynamo.Key{PK: id, SK: "~"}, set, vals)); err != nil {
		w.t.Fatal(err)
	}
}

// atTheExchange plays the lines that only calls have.
func (p *play) atTheExchange(l line) bool {
	p.t.Helper()
	switch l.verb {
	case "a call begins": // (by eve, from +1…, at home): s1
		var phone, address string
		for opt := range strings.SplitSeq(l.opts, ",") {
			switch words := strings.Fields(opt); {
			case len(words) == 2 && words[0] == "by":
				p.who = words[1]
			case len(words) == 2 && words[0] == "from":
				phone = words[1]
			case len(words) == 2 && words[0] == "at":
				address = words[1]
			default:
				p.t.Fatalf("%v: unknown option %q", l, opt)
			}
		}
		p.beginsCall(threadOf(p.from(p.who, p.channel, "", "")), l.text, phone, address)
	case "the technician is away": // maria
		p.world.offers(appointment.Service{ID: "elsewhere", Name: "Elsewhere", Minutes: 60, Currency: "USD"})
		p.employs(l.text, func(t *appointment.Technician) { t.Services = []string{"elsewhere"} })
	case "the technician takes": // (maria): 2026-11-24 09:00
		p.occupies(l.opts, l.text)
	default:
		return false
	}
	return true
}

// occupies has somebody else take an hour of a technician's.
func (p *play) occupies(technician, at string) {
	p.t.Helper()
	start, err := time.ParseInLocation("2006-01-02 15:04", at, schedule.Zone("Europe/Nicosia"))
	if err != nil {
		p.t.Fatal(err)
	}
	terms := ledger.Terms{
		Matter: ledger.Appointment, Business: "pests" + p.suffix, Listing: "ants", ListingName: "Ant treatment", Offering: technician, OfferingName: technician,
		Market: p.market, Owner: "customer:somebody" + p.suffix, Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "Europe/Nicosia", Party: 1, Currency: "USD",
	}
	if _, err := p.ledger.Offer(p.t.Context(), terms, 1, 72*time.Hour, dynamotest.ID("key")); err != nil {
		p.t.Fatal(err)
	}
}

// callKinds are the kinds of turn that calls have.
func callKinds() []kind {
	verified := []string{"zip"}
	held := then(verified, "a visit", "the second time")
	made := then(held, "yes")
	moving := then(made, "move the visit", "the third instead")
	yes, no := []string{"yes"}, []string{"no"}
	all := []kind{
		{name: "verified, and on", want: "crm.findTimes ok", said: []string{"zip and a visit"}},
		{name: "verified", want: "crm.verifyAccount ok", said: verified},
		{name: "not verified", want: "crm.verifyAccount ok", said: []string{"wrong zip"}},
		{name: "twice not verified", want: "A person of our team", before: []string{"wrong zip"}, said: []string{"wrong zip"}},
		{name: "person offered, yes", want: "person", before: []string{"wrong zip", "wrong zip"}, said: yes},
		{name: "person offered, no", want: "I will leave it", before: []string{"wrong zip", "wrong zip"}, said: no},
		{name: "denied", want: "crm.findTimes denied", said: []string{"a visit"}},
		{name: "talk", want: "agent.talk ok", before: verified, said: []string{"thanks for that"}},
		{name: "unclear twice", want: "A person of our team", before: then(verified, "blub"), said: []string{"blub"}},
		{name: "time held", want: "Reply YES to confirm", before: held[:2], said: held[2:]},
		{name: "appointment, yes", want: "Your appointment is confirmed.", before: held, said: yes},
		{name: "appointment, no", want: "the slot is free again", before: held, said: no},
		{name: "appointment to be moved", want: "Shall your appointment be moved?", before: moving[:5], said: moving[5:]},
		{name: "appointment moved, yes", want: "Your appointment has been moved.", before: moving, said: yes},
		{name: "appointment moved, no", want: "stays as it is", before: moving, said: no},
		{name: "appointment to be cancelled", want: "Shall this appointment be cancelled?", before: made, said: []string{"cancel the visit"}},
		{name: "appointment cancelled, yes", want: "Your appointment has been cancelled.", before: then(made, "cancel the visit"), said: yes},
		{name: "appointment cancelled, no", want: "stays as it is", before: then(made, "cancel the visit"), said: no},
	}
	for i := range all {
		all[i].name, all[i].call, all[i].alone, all[i].only = "call: "+all[i].name, true, true, channel.App
	}
	return all
}

// What a call has proven, and what it was shown, is gone when its thread is erased.
func TestACallIsErased(t *testing.T) {
	t.Parallel()
	w := newPestCall(t, nil)
	w.model = clerkModel()
	in := w.from("ann", channel.App, "1", "zip and a visit")
	id := threadOf(in)
	w.beginsCall(id, "s1", "+14155550100", "")
	w.say(in)
	call := tool.Context{Market: market.Default(w.market), Thread: id, Session: tool.Session{ID: "s1"}}
	if c, err := w.callers.Caller(t.Context(), call); err != nil || c.Name != "Ann Archer" {
		t.Fatalf("the call is with %+v, %v", c, err)
	}
	if err := w.threads.Erase(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := w.callers.Caller(t.Context(), call); !errors.Is(err, customer.ErrUnverified) {
		t.Errorf("afterwards: %v", err)
	}
	page, err := w.threads.Table.Query(t.Context(), dynamo.Under(id, "shown#"))
	if err != nil || len(page.Items) > 0 {
		t.Errorf("%d lists are left, %v", len(page.Items), err)
	}
}

// A verified caller's model has to call a tool before it speaks, and again in the round after the verification. Before that
// it may just ask.
func TestACallerIsServedByTools(t *testing.T) {
	t.Parallel()
	w := newPestCall(t, nil)
	var choices []llm.ToolChoice
	w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		choices = append(choices, req.ToolChoice)
		return clerk(req), nil
	})
	in := w.from("ann", channel.App, "1", "hello")
	w.beginsCall(threadOf(in), "s1", "+14155550100", "")
	w.say(in)
	w.say(w.from("ann", channel.App, "2", "zip"))
	w.say(w.from("ann", channel.App, "3", "thanks for that"))
	want := []llm.ToolChoice{"", "", llm.ToolRequired, "", llm.ToolRequired, ""}
	if !slices.Equal(choices, want) {
		t.Errorf("choices %q, want %q", choices, want)
	}
}
