package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// kind is a kind of turn: what was said before it without faults, and what it answers.
type kind struct {
	name    string
	want    string          // in its reply
	sara    bool            // she answers, on her channels
	call    bool            // PestCall answers, in a call session
	seeks   bool            // moltbot answers, in a market with vendors
	photo   bool            // comes with what is said
	only    channel.Channel // "" is the app and WhatsApp
	common  bool            // meets every fault in every run
	alone   bool            // in a market of its own: whoever takes part is known by a fixed number
	also    string          // a listing that is there, too
	market  func(m *market.Market)
	model   func(w *world) llm.Model // nil is clerk
	before  []string
	unsent  bool                          // what was answered to that has not gone out
	later   time.Duration                 // passes before
	prepare func(w *world, thread string) // what else is so before
	said    []string                      // in one burst

	// elsewhere is what happens in its place and is told on the thread: what staff do, or a
	// stream or schedule brings. It is prepared while all is well.
	elsewhere func(w *world, thread string) func(ctx context.Context) error
}

// kinds are the kinds of turn that there are.
func kinds() []kind {
	booked := []string{"book"}
	return append([]kind{
		{name: "plain", want: "You said hi.", common: true, said: []string{"hi"}},
		{name: "proposal", want: "Reply YES to confirm", common: true, said: []string{"book"}},
		{name: "yes", want: "Your booking is confirmed.", common: true, before: booked, said: []string{"yes"}},
		{name: "no", want: "the slot is free again", common: true, before: booked, said: []string{"no"}},
		{name: "search", want: "You said search.", said: []string{"search"}},
		{name: "three tools and one more", want: "You said look around.", said: []string{"look around"}},
		{name: "two proposals", want: "The earlier offer no longer stands", said: []string{"book twice"}},
		{name: "a lot of proposals", alone: true, want: "The earlier offer no longer stands", prepare: (*world).hall, said: []string{"all week"}},
		{name: "lapsed and a new proposal", want: "the hold has gone", before: booked, later: 11 * time.Minute, said: []string{"book again"}},
		{name: "remind", want: "still waiting", market: func(m *market.Market) { m.Gate = market.Remind }, before: booked, said: []string{"is it by the sea?"}},
		{name: "converse", want: "still waiting", before: booked, said: []string{"search"}},
		{name: "converse and a new proposal", want: "The earlier offer no longer stands", before: booked, said: []string{"book again"}},
		{name: "no and a new proposal", want: "the slot is free again", before: booked, said: []string{"no", "book again"}},
		{name: "no and a note", want: "the slot is free again", before: booked, said: []string{"no", "note"}},
		{name: "no and more", want: "You said no, is it by the sea?", before: booked, said: []string{"no", "is it by the sea?"}},
		{name: "yes to what was changed", want: "Which offer do you mean?", before: []string{"book", "at nine, please"}, said: []string{"yes"}},
		{name: "yes after expiry", want: "Nothing was booked", before: booked, later: 11 * time.Minute, said: []string{"yes"}},
		{name: "yes in the last seconds", want: "Nothing was booked", before: booked, later: 9*time.Minute + 31*time.Second, said: []string{"yes"}},
		{name: "yes to what has not gone out", want: "still waiting", only: channel.WhatsApp, before: booked, unsent: true, said: []string{"yes"}},
		{name: "cancellation", want: "Shall this booking be cancelled?", before: []string{"book", "yes"}, said: []string{"cancel it"}},
		{name: "cancellation, yes", want: "has been cancelled", before: []string{"book", "yes", "cancel it"}, said: []string{"yes"}},
		{name: "cancellation, no", want: "stays as it is", before: []string{"book", "yes", "cancel it"}, said: []string{"no"}},
		{name: "frozen call", want: "Reply YES", said: []string{"note"}},
		{name: "frozen call, yes", want: "Done: leaveNote", before: []string{"note"}, said: []string{"yes"}},
		{name: "frozen call that has not gone out, yes", want: "still waiting", only: channel.WhatsApp, before: []string{"note"}, unsent: true, said: []string{"yes"}},
		{name: "look-up, yes", want: "You said yes.", market: asksFirst, before: []string{"search"}, said: []string{"yes"}},
		{name: "look-up, yes and a proposal", want: "Reply YES to confirm", market: asksFirst, before: []string{"search"}, said: []string{"yes"}, model: booking19},
		{name: "look-up, no", want: "I will leave it", market: asksFirst, before: []string{"search"}, said: []string{"no"}},
		{name: "frozen call, no", want: "I will leave it", before: []string{"note"}, said: []string{"no"}},
		{name: "stop", want: "no more messages", only: channel.WhatsApp, before: booked, said: []string{"STOP"}},
		{name: "start", want: "messages from us here again", only: channel.WhatsApp, before: []string{"book", "STOP"}, said: []string{"START"}},
		{name: "burst", want: "You said one, two, three.", said: []string{"one", "two", "three"}},
		{name: "message meanwhile", want: "You said one, two.", model: func(w *world) llm.Model { return w.interrupted("two") }, said: []string{"one"}},
		{name: "message while proposing", want: "Reply YES to confirm", model: func(w *world) llm.Model { return w.interrupted("thanks") }, said: []string{"book"}},
		{name: "stop while proposing", want: "no more messages", only: channel.WhatsApp, prepare: func(w *world, _ string) { w.meanwhile = w.comingIn("STOP") }, said: []string{"book"}},
		{name: "yes while proposing", want: "Reply YES to confirm", model: func(w *world) llm.Model { return w.interrupted("yes") }, said: []string{"book"}},
		{name: "model unreachable", want: "cannot answer properly", model: failing(llm.Unavailable), said: []string{"hi"}},
		{name: "model malformed", want: "cannot answer properly", model: failing(llm.Malformed), said: []string{"hi"}},
		{name: "claim withheld", want: "have not booked", model: func(*world) llm.Model { return says("I have booked the table for you.") }, said: []string{"hi"}},
		{name: "rounds used up", want: "more steps", market: bounded(func(s *market.Safety) { s.MaxRounds = 2 }), model: looping, said: []string{"hi"}},
		{name: "calls used up", want: "more steps", market: bounded(func(s *market.Safety) { s.MaxCalls = 2 }), model: looping, said: []string{"hi"}},
		{name: "the same call", want: "more steps", market: bounded(func(s *market.Safety) { s.MaxSameCall = 1 }), model: looping, said: []string{"hi"}},
		{name: "turn's money", want: "more steps", market: bounded(func(s *market.Safety) { s.TurnMicroUSD = 1000 }), model: looping, said: []string{"hi"}},
		{name: "thread's day", want: "limit for today", market: bounded(func(s *market.Safety) { s.ThreadDayMicroUSD = 1000 }), model: looping, before: []string{"hi"}, said: []string{"hi"}},
		{name: "handed over", want: `["are you there?"] ""`, prepare: (*world).handOver, before: []string{"hi"}, said: []string{"are you there?"}},
		{name: "handed over meanwhile", want: `["one"] ""`, model: (*world).overtaken, said: []string{"one"}},
		{name: "handed over while proposing", want: `["book"] ""`, prepare: func(w *world, _ string) { w.meanwhile = w.takingOver() }, said: []string{"book"}},
		{name: "notice", prepare: (*world).notice, before: booked, later: 10 * time.Minute, said: []string{"hi"}},
	}, slices.Concat(bookingKinds(), conciergeKinds(), requestKinds(), saraKinds(), callKinds())...)
}

func bounded(change func(*market.Safety)) func(*market.Market) {
	return func(m *market.Market) { change(&m.Safety) }
}

// asksFirst has the customer asked before a search.
func asksFirst(m *market.Market) { m.Safety.RequireConfirmFor = []string{"searchMarketplace"} }

// booking19 searches for who asks, and books when it has been told what was found.
func booking19(*world) llm.Model {
	return modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		last := req.Messages[len(req.Messages)-1]
		switch {
		case last.Role == llm.User && last.Text == "search":
			return llm.Response{Calls: calls(search("meze")), Finish: "tool_calls"}, nil
		case last.Role == llm.ToolRole && strings.Contains(last.Text, "listings"):
			return llm.Response{Calls: calls(bookAt("meze", 19)), Finish: "tool_calls"}, nil
		}
		return llm.Response{Text: "One moment.", Finish: "stop"}, nil
	})
}

func failing(meaning llm.Meaning) func(*world) llm.Model {
	return func(*world) llm.Model {
		return modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
			return llm.Response{}, llm.Fail(meaning, "as ever")
		})
	}
}

func says(text string) llm.Model {
	return modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Text: text, Finish: "stop"}, nil
	})
}

// looping asks for the same again and again, and costs money.
func looping(*world) llm.Model {
	return modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Calls: calls(search("meze")), Finish: "tool_calls", Model: "gpt-4o", Usage: llm.Usage{Input: 1000, Output: 1000}}, nil
	})
}

func search(words string) llm.Call {
	return llm.Call{Name: "searchMarketplace", Args: json.RawMessage(fmt.Sprintf(
		`{"query":%q,"domain":null,"category":null,"subCategory":null,"maxPrice":null,"limit":null}`, words))}
}

func bookAt(listing string, hour int) llm.Call {
	return llm.Call{Name: "initiateBooking", Args: json.RawMessage(fmt.Sprintf(
		`{"listingId":%q,"offeringId":null,"date":"2026-11-24","time":"%d:00","endDate":null,"partySize":2,"note":null}`, listing, hour))}
}

func get(listing string) llm.Call {
	return llm.Call{Name: "getListing", Args: json.RawMessage(fmt.Sprintf(`{"listingId":%q}`, listing))}
}

func calls(cs ...llm.Call) []llm.Call {
	for i := range cs {
		cs[i].ID = fmt.Sprint("call_", i)
	}
	return cs
}

// clerk answers by the last errand that was said, or what was said last, and how many rounds there
// were since, and so the same whenever it is asked.
func clerk(req llm.Request) llm.Response {
	if req.Schema != nil && req.Schema.Name == "vendor_reply" {
		return readReply(req)
	}
	said, rounds, result := "", 0, ""
	for _, m := range req.Messages {
		switch {
		case m.Role == llm.User && isErrand(m.Text):
			said, rounds = m.Text, 0
		case m.Role == llm.User && rounds == 0 && !isErrand(said):
			said = m.Text
		case m.Role == llm.Assistant && len(m.Calls) > 0:
			rounds++
		case m.Role == llm.ToolRole:
			result = m.Text
		case m.Role == llm.Assistant:
			said, rounds = "", 0 // an earlier turn
		}
	}
	if cs := errandOfRequest(said, rounds, req.Messages); cs != nil {
		return llm.Response{Calls: calls(cs...), Finish: "tool_calls"}
	}
	if cs := errand(said, rounds, result); cs != nil {
		return llm.Response{Calls: calls(cs...), Finish: "tool_calls"}
	}
	return llm.Response{Text: "You said " + strings.Join(unanswered(req), ", ") + ".", Finish: "stop"}
}

// isErrand reports whether clerk calls a tool for what was said.
func isErrand(said string) bool {
	return errand(said, 0, "") != nil || errandOfRequest(said, 0, nil) != nil
}

// errand is what clerk calls in a round for what was said, when the last tool has answered so.
func errand(said string, round int, result string) []llm.Call {
	call := func(name, args string, of ...any) []llm.Call {
		return []llm.Call{{Name: name, Args: json.RawMessage(fmt.Sprintf(args, of...))}}
	}
	found := func(name string) string { // the first of that name in the result
		if value := regexp.MustCompile(`"` + name + `":"([^"]+)"`).FindStringSubmatch(result); value != nil {
			return value[1]
		}
		return ""
	}
	switch fmt.Sprint(said, " ", round) {
	case "book 0", "book twice 0":
		return []llm.Call{bookAt("meze", 19)}
	case "book twice 1", "book again 0":
		return []llm.Call{bookAt("meze", 20)}
	case "all week 0": // five times 30 slots
		var days []llm.Call
		for day := 24; day < 29; day++ {
			days = append(days, call("initiateBooking", `{"listingId":"hall","offeringId":null,"date":"2026-11-%d","time":"10:00","endDate":null,"partySize":2,"note":null}`, day)...)
		}
		return days
	case "dive 0":
		return []llm.Call{bookAt("reef", 19)}
	case "cruise 0", "by card 0":
		return []llm.Call{bookAt("cruise", 19)}
	case "by card 1":
		return call("createPaymentIntent", `{"transactionId":null}`)
	case "search 0":
		return []llm.Call{search("meze")}
	case "look around 0":
		return append([]llm.Call{search("meze"), get("meze")}, call("getMyBookings", `{}`)...)
	case "look around 1":
		return []llm.Call{get("meze")}
	case "note 0":
		return call("leaveNote", `{"text":"late"}`)
	case "cancel it 0", "move it 0", "remind me 0", "wait no more 0":
		return call("getMyBookings", `{}`)
	case "cancel it 1":
		return call("cancelBooking", `{"transactionId":%q}`, found("transactionId"))
	case "move it 1":
		return call("rescheduleBooking", `{"transactionId":%q,"date":"2026-11-24","time":"21:00","endDate":null,"partySize":null}`, found("transactionId"))
	case "remind me 1":
		return call("setReminder", `{"transactionId":%q,"hoursBefore":10}`, found("transactionId"))
	case "wait for it 0":
		return []llm.Call{{Name: "joinWaitlist", Args: bookAt("meze", 19).Args}}
	case "wait no more 1":
		return call("leaveWaitlist", `{"waitingId":%q}`, found("waitingId"))
	case "order 0":
		return call("orderFood", `{"listingId":"kebab","items":[{"itemId":"ayran","quantity":2,"options":[],"note":null}],"delivery":false,"address":null,"when":null,"phone":null,"note":null}`)
	case "service 0":
		return call("bookService", `{"listingId":"plumber","serviceId":"leak","description":"the tap","address":"Harbour Road 7","when":null,"phone":"+15550300"}`)
	case "viewing 0":
		return call("scheduleViewing", `{"listingId":"villa","when":"2026-11-24T15:00","phone":"+15550300","note":null}`)
	case "cancel the order 0":
		return call("getMyOrders", `{"kind":null}`)
	case "cancel the order 1":
		return call("cancelOrder", `{"orderId":%q}`, found("orderId"))
	case "taxi 0":
		return call("requestTaxi", `{"pickup":"Harbour Road 5","usePickupLocation":false,"dropoff":null,"passengers":null,"when":null,"district":"Kyrenia","note":null,"phone":"+15550300"}`)
	case "cancel the taxi 0":
		return call("getTaxiStatus", `{"rideId":null}`)
	case "cancel the taxi 1":
		return call("cancelTaxi", `{"rideId":%q}`, found("rideId"))
	case "person 0":
		return call("askForPerson", `{"reason":"wants one"}`)
	case "ask them 0":
		return call("sendWhatsAppMessage", `{"listingId":"kebab","text":"Are you open?"}`)
	case "nobody came 0", "they came 0":
		return call("getBusinessDay", `{"date":"2026-11-24"}`)
	case "nobody came 1", "they came 1":
		return call("markNoShow", `{"code":%q,"noShow":%v}`, found("code"), said == "nobody came")
	case "gate 0", "it will be ready 0":
		return call("getBusinessDay", `{"date":null}`)
	case "gate 1":
		return call("writeToCustomer", `{"code":%q,"text":"At the gate"}`, found("code"))
	case "it will be ready 1":
		return call("answerOrder", `{"code":%q,"answer":"accept","minutes":30,"reason":null}`, found("code"))
	case "left 0":
		return call("setStock", `{"listingId":"kebab","itemId":"ayran","left":2}`)
	case "sold out 0":
		return call("setSoldOut", `{"listingId":"kebab","itemId":"ayran","soldOut":true}`)
	case "closed 0":
		return call("setClosed", `{"listingId":"kebab","date":"2026-11-25","closed":true}`)
	case "zip 0", "zip and a visit 0":
		return call("crm_verifyAccount", `{"zip":"94107"}`)
	case "wrong zip 0":
		return call("crm_verifyAccount", `{"zip":"94109"}`)
	case "zip 1", "thanks for that 0":
		return call("agent_talk", `{"about":"talk"}`)
	case "blub 0":
		return call("agent_talk", `{"about":"unclear"}`)
	case "zip and a visit 1", "a visit 0":
		return call("crm_findTimes", `{"service":"ants","appointment":null,"from":null}`)
	case "the second time 0":
		return call("crm_scheduleAppointment", `{"option":2,"note":null}`)
	case "move the visit 0", "cancel the visit 0":
		return call("crm_listAppointments", `{}`)
	case "move the visit 1":
		return call("crm_findTimes", `{"service":null,"appointment":1,"from":null}`)
	case "the third instead 0":
		return call("crm_rescheduleAppointment", `{"option":3}`)
	case "cancel the visit 1":
		return call("crm_cancelAppointment", `{"option":1}`)
	case "hours 0":
		return call("setOpeningHours", `{"listingId":"kebab","weekday":"sun","spans":[{"from":"12:00","to":"20:00"}]}`)
	}
	return nil
}

// unanswered is what the customer said since the assistant last spoke.
func unanswered(req llm.Request) []string {
	var said []string
	for _, m := range req.Messages {
		switch {
		case m.Role == llm.User:
			said = append(said, m.Text)
		case m.Role == llm.Assistant && m.Text != "":
			said = nil
		}
	}
	return said
}

func clerkModel() llm.Model {
	return modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) { return clerk(req), nil })
}

// interrupted is clerk, with a message that comes in while it thinks.
func (w *world) interrupted(text string) llm.Model { return clerkWhile(w.comingIn(text)) }

// overtaken is clerk, with a person who takes the thread over while it thinks.
func (w *world) overtaken() llm.Model { return clerkWhile(w.takingOver()) }

func clerkWhile(happens func(ctx context.Context)) llm.Model {
	return modelFunc(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		happens(ctx)
		return clerk(req), nil
	})
}

// comingIn is a message that comes in by another process.
func (w *world) comingIn(text string) func(ctx context.Context) {
	healthy := *w.threads
	return func(ctx context.Context) {
		in := w.from("ann", w.last.Channel, "meanwhile", text)
		if _, err := healthy.Append(ctx, in, false); err != nil {
			w.t.Errorf("meanwhile: %v", err)
		}
	}
}

// takingOver is a person who takes the thread over.
func (w *world) takingOver() func(ctx context.Context) {
	healthy := *w.threads
	return func(ctx context.Context) {
		if err := healthy.Table.DB().Commit(ctx, healthy.Assigned(threadOf(w.last), thread.ByPerson)); err != nil {
			w.t.Errorf("meanwhile: %v", err)
		}
	}
}

// hall is let for a day, which has many slots.
func (w *world) hall(string) {
	w.t.Helper()
	w.stock([]byte(`
- id: hall
  businessId: biz-hall
  names: {en: Hall, tr: Salon}
  descriptions: {en: For feasts, tr: Şölenler için}
  domain: food
  category: restaurant
  place: Kyrenia
  offerings:
    - {id: day, name: Day, timeZone: Europe/Nicosia, slotMinutes: 15, durationMinutes: 450, capacity: 1, leadMinutes: 60, horizonDays: 30,
       hours: {tue: &day [{from: "10:00", to: "18:00"}], wed: *day, thu: *day, fri: *day, sat: *day},
       unit: slot, minParty: 1, maxParty: 6, priceMinor: 0, currency: EUR, per: booking}
  merve: {enabled: true, whatsappE164: "+15550100077", actions: [{type: book, enabled: true}]}
`))
}

func (w *world) handOver(id string) {
	w.t.Helper()
	if err := w.threads.Table.DB().Commit(w.t.Context(), w.threads.Assigned(id, thread.ByPerson)); err != nil {
		w.t.Fatal(err)
	}
}

// notice tells the thread that its offer has expired, as the schedule and notify do.
func (w *world) notice(id string) {
	w.t.Helper()
	tx := w.transactions()[0]
	if _, err := w.ledger.Expire(w.t.Context(), tx.ID); err != nil {
		w.t.Fatal(err)
	}
	for _, e := range w.events(tx.ID) {
		if err := w.notifier.Tell(w.t.Context(), e); err != nil {
			w.t.Fatal(err)
		}
		w.told[tx.ID+e.ID] = true
	}
}

// state is everything that a conversation leaves, without ids and times.
type state struct {
	Turns, Ledger, Outbox, Sent, Notes, Audit []string
	Reports, Linked                           []string
	Waits, Reminders, Payments                []string
	Orders, Rides, Desk, Theirs               []string // Theirs are the turns of businesses, drivers and vendors
	Requests                                  []string
	Pending, LetGo                            string
	Waiting                                   int
	Leased, OptedOut, ByPerson                bool
	Spend                                     thread.Spend
}

func (w *world) state(id string) state {
	w.t.Helper()
	th := w.stored(id)
	h := th.head
	s := state{
		Waiting: len(h.Inbox), Leased: h.LeaseUntil.After(w.clock.now()), Notes: w.left,
		OptedOut: h.OptedOut, ByPerson: h.Handler == thread.ByPerson, Spend: h.Spend,
	}
	if h.LetGo != nil {
		s.LetGo = h.LetGo.Kind + " " + h.LetGo.Summary
	}
	if h.Pending != nil {
		s.Pending = h.Pending.Kind + " " + h.Pending.Summary
	}
	var ids []string // and what stands for them
	for _, tx := range w.given() {
		tx, events := w.happenedTo(tx)
		if tx.ID == "" {
			continue // it never came to be
		}
		s.Ledger = append(s.Ledger, fmt.Sprintf("%s %s %v", tx.Start.Format(time.DateTime), tx.State, events))
		ids = append(ids, tx.Code, "CODE", tx.ID, "TX")
	}
	if w.sara != nil {
		ids = append(ids, w.stateOfSara(&s)...)
	} else {
		w.stateOfBookings(&s)
		ids = append(ids, w.stateOfConcierge(&s)...)
		ids = append(ids, w.stateOfRequests(&s)...)
	}
	known := hidden{strings.NewReplacer(ids...)}
	for _, t := range th.turns {
		s.Turns = append(s.Turns, known.Replace(describeTurn(t)))
	}
	for _, other := range w.others() {
		for _, t := range w.turnsOf(other) {
			s.Theirs = append(s.Theirs, known.Replace(describeTurn(t)))
		}
	}
	for _, m := range th.outbox {
		s.Outbox = append(s.Outbox, known.Replace(fmt.Sprintf("%s %s %q", m.Kind, m.Status, m.Text)))
	}
	var theirs, toThem []string
	for _, m := range w.outboxesOf(slices.Concat(w.businesses(), w.driverThreads(), w.threadsOfVendors())) {
		theirs = append(theirs, known.Replace(fmt.Sprintf("%s %s %q", m.Kind, m.Status, m.Text)))
	}
	for _, m := range w.sent {
		if m.Thread == id {
			s.Sent = append(s.Sent, known.Replace(m.Text))
		} else {
			toThem = append(toThem, known.Replace(m.Text))
		}
	}
	slices.Sort(theirs) // what is told of one change to several comes in any order
	slices.Sort(toThem)
	s.Outbox, s.Sent = append(s.Outbox, theirs...), append(s.Sent, toThem...)
	for _, c := range w.auditOf(id) {
		s.Audit = append(s.Audit, known.Replace(c))
	}
	return s
}

func describeTurn(t thread.Turn) string {
	var in []string
	for _, m := range t.In {
		in = append(in, m.Text)
	}
	return fmt.Sprintf("%d %q %q %v", t.N, in, textOf(t), t.Calls)
}

func (w *world) auditOf(id string) []string {
	w.t.Helper()
	rounds, _, err := w.runner.Audit.Rounds(w.t.Context(), id, 100, "")
	if err != nil {
		w.t.Fatal(err)
	}
	var all []string
	for _, r := range rounds {
		for _, c := range r.Calls {
			all = append(all, fmt.Sprintf("%d %s %s %s %s", r.Turn, c.Tool, c.Args, c.Verdict, c.Status))
		}
	}
	return all
}

// stored is a thread as it is stored, with its outbox.
type stored struct {
	head   thread.Head
	turns  []thread.Turn
	outbox []outbox.Message
}

func (w *world) stored(id string) stored {
	w.t.Helper()
	var s stored
	page, err := w.threads.Table.Query(context.Background(), dynamo.Under(id, ""))
	for _, it := range page.Items {
		switch sk := it.Key().SK; {
		case sk == "~":
			err = errors.Join(err, it.Decode(&s.head))
		case strings.HasPrefix(sk, "turn#"):
			s.turns = append(s.turns, thread.Turn{})
			err = errors.Join(err, it.Decode(&s.turns[len(s.turns)-1]))
		case strings.HasPrefix(sk, "outbox#"):
			s.outbox = append(s.outbox, outbox.Message{})
			err = errors.Join(err, it.Decode(&s.outbox[len(s.outbox)-1]))
		}
	}
	if err != nil {
		w.t.Fatalf("thread %s: %v", id, err)
	}
	return s
}

// hidden replaces what differs from run to run.
type hidden struct{ *strings.Replacer }

var untilTime, waitingID = regexp.MustCompile(`until \d\d:\d\d`), regexp.MustCompile(`"waitingId":"\w+"`)

func (h hidden) Replace(text string) string {
	return waitingID.ReplaceAllString(untilTime.ReplaceAllString(h.Replacer.Replace(text), "until TIME"), "WAITING")
}

// happenedTo is a transaction, and the names of its events and of the receipt of its YES.
func (w *world) happenedTo(id string) (tx ledger.Transaction, all []string) {
	w.t.Helper()
	page, err := w.ledger.Table.Query(w.t.Context(), dynamo.Under("tx#"+id, ""))
	for _, it := range page.Items {
		if sk := it.Key().SK; sk == "tx" {
			err = errors.Join(err, it.Decode(&tx))
		} else {
			all = append(all, sk)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return tx, all
}
