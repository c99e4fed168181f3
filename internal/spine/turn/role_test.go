package turn_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/people/desk"
	"merve/internal/record/listing"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

// ofNumber is a message of a number, as the webhook makes it.
func (w *world) ofNumber(number, id, text string) channel.Inbound {
	return channel.Inbound{
		Market: w.market, Channel: channel.WhatsApp, ReplyAddr: number, Text: text, MessageID: id,
		From: actor.Actor{Kind: actor.Person, ID: "whatsapp:" + number, Phone: number},
	}
}

// routed takes a message in and gives the thread types that have it then, and what finding them
// has cost.
func (w *world) routed(in channel.Inbound) (types []channel.ThreadType, requests int) {
	w.t.Helper()
	ctx, meter := telemetry.WithMeter(w.t.Context())
	all, err := w.roles().Route(ctx, in)
	if err != nil {
		w.t.Fatal(err)
	}
	requests = meter.Cost().Requests
	for _, in := range all {
		a, err := w.runner.ProcessInbound(w.t.Context(), in)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, typ := range []channel.ThreadType{channel.General, channel.Ops, channel.Dispatch} {
			if in.ThreadType = typ; threadOf(in) == a.Thread {
				types = append(types, typ)
			}
		}
	}
	w.work()
	return types, requests
}

// wantsStopped wants that nothing more goes, or that again something does, to some threads of who wrote.
func (w *world) wantsStopped(in channel.Inbound, stopped bool, types ...channel.ThreadType) {
	w.t.Helper()
	for _, in.ThreadType = range types {
		if h := w.head(threadOf(in)); h.OptedOut != stopped {
			w.t.Errorf("%s on %s: opted out %v", in.Text, in.ThreadType, h.OptedOut)
		}
	}
}

// Who has no role is a customer, and finding that out costs nothing once it is known; who has one
// costs one request.
func TestRoutingCost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "kebab")
	w.model = says("Hello.")
	customer, business := "+15550309001", w.numbers[0]
	for n, tt := range []struct {
		number, text string
		typ          channel.ThreadType
		requests     int
	}{
		{customer, "hello", channel.General, 1}, // the roster, once a minute
		{customer, "customer", channel.General, 0},
		{customer, "ACCEPT K7P2", channel.General, 1}, // it may have been told of that when it had a role
		{business, "hello", channel.Ops, 2},
		{business, "customer", channel.Ops, 1},
		{business, "hello", channel.General, 1},
		{business, "accept K7P2", channel.Ops, 1},
		{business, "MK7P2 we do", channel.Ops, 1},
		{business, "accept", channel.General, 1},
		{business, "iş", channel.Ops, 1},
		{business, "hello", channel.Ops, 1},
	} {
		types, requests := w.routed(w.ofNumber(tt.number, fmt.Sprint(n), tt.text))
		if len(types) != 1 || types[0] != tt.typ || requests != tt.requests {
			t.Errorf("%d, %q: %v for %d requests, want %s for %d", n, tt.text, types, requests, tt.typ, tt.requests)
		}
	}
}

// A message that is brought again is on one thread, in whatever role its sender is by then, and
// also when two look at the role at once and find it different.
func TestField01_RoutedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "kebab")
	w.model = says("Hello.")
	number := w.numbers[0]
	w.routed(w.ofNumber(number, "1", "customer"))
	yes := w.ofNumber(number, "2", "yes")
	early, err := w.roles().Route(t.Context(), yes)
	if err != nil {
		t.Fatal(err)
	}
	w.routed(w.ofNumber(number, "3", "work"))
	late, _ := w.routed(yes)
	again, err := w.runner.ProcessInbound(t.Context(), early[0])
	if err != nil || !again.Duplicate || len(late) != 1 || late[0] != channel.Ops || early[0].ThreadType != channel.General {
		t.Errorf("%v: %+v after %v and %v", err, again, late, early)
	}
	if in := early[0]; len(w.turnsOf(threadOf(in))) != 0 {
		t.Error("it was heard in both roles")
	}
	if types, _ := w.routed(w.ofNumber(number, "4", "STOP")); !slices.Equal(types, []channel.ThreadType{channel.Ops, channel.Dispatch}) {
		t.Errorf("STOP of who was never a customer: %v", types)
	}
}

// STOP and START are for both roles, and for one that comes; one thread answers.
func TestField35_StopInEveryRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "kebab")
	w.model = says("Hello.")
	number := w.numbers[0]
	w.routed(w.ofNumber(number, "1", "customer"))
	w.routed(w.ofNumber(number, "2", "hello"))
	for n, text := range []string{"STOP", "START"} {
		in := w.ofNumber(number, fmt.Sprint("stop", n), text)
		types, _ := w.routed(in)
		if !slices.Equal(types, []channel.ThreadType{channel.Ops, channel.Dispatch, channel.General}) {
			t.Errorf("%s: %v", text, types)
		}
		w.wantsStopped(in, text == "STOP", types...)
		for _, in.ThreadType = range types {
			turns := w.turnsOf(threadOf(in))
			if said := len(turns[len(turns)-1].Out); (said == 1) != (in.ThreadType == channel.General) {
				t.Errorf("%s on %s: %d answers", text, in.ThreadType, said)
			}
		}
	}
}

// STOP is also for the thread of a work that a number has no longer, and START takes it back there. On
// a thread that has not stopped, START is a word like any other, and not one of its past work.
func TestField35_StopOfAWorkThatIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "kebab")
	w.model = says("Hello.")
	number := w.numbers[0]
	w.routed(w.ofNumber(number, "1", "hello"))
	_, err := w.listings.Change(t.Context(), w.market, "kebab", "staff:test", func(l *listing.Listing) (*listing.Listing, error) {
		l.Merve.WhatsApp = "+15550309007"
		return l, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.add(time.Minute)
	for n, tt := range []struct {
		text  string
		types []channel.ThreadType
	}{
		{"START", []channel.ThreadType{channel.General}},
		{"STOP", []channel.ThreadType{channel.Ops, channel.General}},
		{"START", []channel.ThreadType{channel.Ops, channel.General}},
		{"hello", []channel.ThreadType{channel.General}},
	} {
		in := w.ofNumber(number, fmt.Sprint("now", n), tt.text)
		types, requests := w.routed(in)
		if !slices.Equal(types, tt.types) || n == 2 && requests != 1 {
			t.Errorf("%s: %v for %d requests, want %v", tt.text, types, requests, tt.types)
		}
		w.wantsStopped(in, tt.text == "STOP", types...)
	}
}

// Who is told that customers wait for a person writes as a customer; their STOP is for both, in their own
// market.
func TestField35_StopOfTheDesk(t *testing.T) {
	t.Parallel()
	number := "+15550309009"
	w := newWorld(t, func(m *market.Market) { m.Desk.Numbers = []string{number} })
	w.model = says("Hello.")
	if types, _ := w.routed(w.ofNumber(number, "1", "START")); !slices.Equal(types, []channel.ThreadType{channel.General}) {
		t.Errorf("START: %v", types)
	}
	other := w.ofNumber("+15550309008", "1", "STOP")
	if types, _ := w.routed(other); !slices.Equal(types, []channel.ThreadType{channel.General}) {
		t.Errorf("STOP of a customer: %v", types)
	}
	if types, _ := w.routed(w.ofNumber(number, "2", "STOP")); !slices.Equal(types, []channel.ThreadType{channel.Ops, channel.General}) {
		t.Errorf("STOP: %v", types)
	}
	w.settle()
	before := len(w.sent)
	if err := w.notifier.TellDesk(t.Context(), desk.Event{Thread: "th_ann", Market: w.market, Reason: "A person, please", Turn: 1, At: w.clock.now()}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if len(w.sent) != before {
		t.Errorf("written to after its STOP: %+v", w.sent[before:])
	}
}

// STOP of who has a role is for the thread of any that they are given later, too. A START that comes while
// the STOP waits takes back as much.
func TestField35_StopBeforeAnotherRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(m *market.Market) { m.Desk.Numbers = []string{"+15550309009"} })
	w.model = says("Hello.")
	w.employ([]byte(`- {id: d1, name: Deniz, districts: [Kyrenia], seats: 4, phone: "+15550309008"}`))
	driver, staff := w.ofNumber("+15550309008", "1", "STOP"), w.ofNumber("+15550309009", "1", "STOP")
	if types, _ := w.routed(driver); !slices.Equal(types, []channel.ThreadType{channel.Ops, channel.Dispatch}) {
		t.Errorf("STOP of a driver: %v", types)
	}
	for _, text := range []string{"STOP", "START"} { // the queue has not come to the first when the second is there
		staff.MessageID, staff.Text = text, text
		all, err := w.roles().Route(t.Context(), staff)
		if err != nil || len(all) != 2 {
			t.Fatalf("%s: %+v, %v", text, all, err)
		}
		for _, in := range all {
			w.comes(in)
		}
		w.clock.add(time.Second)
	}
	w.work()
	w.wantsStopped(staff, false, channel.Ops, channel.General)
}

// Who drives and has a business is told of rides where they are heard: their STOP counts there, and
// so does that they have just written to us.
func TestField35_StopOfWhoDrivesAndHasABusiness(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"STOP": 0, "hello": 1} {
		w := newWorld(t, func(m *market.Market) {
			if text != "STOP" {
				m.WhatsApp.Templates = nil
			}
		})
		w.stock(nil, "kebab")
		w.model = clerkModel()
		number := w.numbers[0]
		w.employ(fmt.Appendf(nil, "- {id: d1, name: Deniz, districts: [Kyrenia], seats: 4, phone: %q}", number))
		w.routed(w.ofNumber(number, "said", text))
		w.settle()
		w.sent = nil
		for _, said := range []string{"taxi", "yes"} {
			w.clock.add(time.Second)
			w.arrive(nil, w.spoken(channel.App, said, said))
		}
		w.settle()
		got := 0
		for _, m := range w.sent {
			if m.To == number && m.Kind == outbox.ToDriver {
				got++
			}
		}
		if rides := w.allRides(); got != want || len(rides) != 1 || len(rides[0].Offered) != 1 {
			t.Errorf("after %s they are sent %d offers, want %d, of %+v", text, got, want, rides)
		}
	}
}

// The work of a number is the number's: who writes from it now, known by an id of their own, is heard
// on the thread on which it is written to, and their STOP counts. As a customer they are themselves.
func TestField36_TheWorkOfANumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "kebab")
	w.model = clerkModel()
	number, book := w.numbers[0], &person.Book{Table: w.threads.Table}
	var general []string
	for n, user := range []string{dynamotest.ID("US.1"), dynamotest.ID("US.2")} {
		who, err := book.Identify(t.Context(), person.Sender{Channel: channel.WhatsApp, UserID: user, Phone: number})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"customer", "hello", "work", "STOP"} {
			in := w.ofNumber(number, fmt.Sprint(n, text), text)
			in.From = who
			all, err := w.roles().Route(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // brought again
				for _, in := range all {
					if _, err := w.runner.ProcessInbound(t.Context(), in); err != nil {
						t.Fatal(err)
					}
				}
			}
			w.work()
			if text == "hello" {
				general = append(general, threadOf(all[0]))
			}
		}
	}
	work := w.ofNumber(number, "", "")
	work.ThreadType = channel.Ops
	if len(w.turnsOf(threadOf(work))) != 6 || !w.head(threadOf(work)).OptedOut || general[0] == general[1] || len(w.turnsOf(general[1])) != 2 {
		t.Errorf("%d turns of the number's work, and of its people's %v", len(w.turnsOf(threadOf(work))), general)
	}
	w.settle()
	before := len(w.sent)
	for n, text := range []string{"order", "yes"} {
		w.clock.add(time.Second)
		w.arrive(nil, w.spoken(channel.App, fmt.Sprint("order", n), text))
		w.settle()
	}
	for _, m := range w.sent[before:] {
		if m.To == number {
			t.Errorf("written to after its STOP: %q", m.Text)
		}
	}
}

// What is meant for who had a number before does not go to who has it now; what is meant for the number's
// work does.
func TestField36_ANumberThatIsAnothersNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "kebab")
	w.model = says("Hello.")
	book, customers, business := &person.Book{Table: w.threads.Table}, w.like(t).numbers[0], w.numbers[0]
	writes := func(user, number string) string {
		w.clock.add(time.Second)
		in, err := w.ofNumber(number, dynamotest.ID("m"), "hello"), error(nil)
		if in.From, err = book.Identify(t.Context(), person.Sender{Channel: channel.WhatsApp, UserID: user, Phone: number}); err != nil {
			t.Fatal(err)
		}
		w.routed(in)
		if in.ThreadType = channel.General; number == business {
			in.From, in.ThreadType = channel.OfNumber(number), channel.Ops
		}
		w.met = append(w.met, threadOf(in))
		return threadOf(in)
	}
	ann, bob := dynamotest.ID("US.1"), dynamotest.ID("US.2")
	anns, works := writes(ann, customers), writes(ann, business)
	bobs := writes(bob, customers)
	writes(bob, business)
	told := func(id string) (to string) {
		w.settle()
		for _, m := range w.sent {
			if m.Person != "" {
				t.Errorf("to check who has %s costs more than to answer there needs", m.To)
			}
		}
		w.sent = nil
		if err := w.teller().Tell(t.Context(), id, dynamotest.ID("n"), thread.Notice{Kind: "note", Text: "Your table waits at eight."}); err != nil {
			t.Fatal(err)
		}
		w.settle()
		for _, m := range w.sent {
			to += m.To
		}
		w.sent = nil
		return to
	}
	if got := []string{told(anns), told(bobs), told(works)}; !slices.Equal(got, []string{"", customers, business}) {
		t.Errorf("told at %q", got)
	}
	elsewhere := customers + "1"
	writes(ann, elsewhere)
	if got := []string{told(anns), told(bobs)}; !slices.Equal(got, []string{elsewhere, customers}) {
		t.Errorf("told at %q with a number each", got)
	}
}

// STOP is a word like any other where nothing is sent to who does not look; where it is, nothing more
// goes out until START, not even to be refused.
func TestField35_StopWhereWePush(t *testing.T) {
	t.Parallel()
	for _, ch := range []channel.Channel{channel.App, channel.WhatsApp} {
		w := newWorld(t, nil)
		w.model = says("Stop what?")
		in := w.from("ann", ch, "1", "STOP")
		w.comes(in)
		w.work()
		turns := w.turnsOf(threadOf(in))
		if stopped := textOf(turns[0]) != "Stop what?"; stopped != ch.Pushes() || w.head(threadOf(in)).OptedOut != stopped {
			t.Errorf("%s: %q", ch, textOf(turns[0]))
		}
		before := len(w.outgoing())
		if err := w.teller().Tell(t.Context(), threadOf(in), "1", thread.Notice{Kind: "note", Text: "We open at nine."}); err != nil {
			t.Fatal(err)
		}
		if w.work(); len(w.turnsOf(threadOf(in))) != 2 || len(w.outgoing()) != before {
			t.Errorf("%s: after STOP %d messages more", ch, len(w.outgoing())-before)
		}
	}
}

// The time as a customer ends when nothing was written as one for long enough, and no sooner.
func TestTimeAsACustomer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "kebab")
	w.model = says("Hello.")
	number := w.numbers[0]
	w.routed(w.ofNumber(number, "1", "customer"))
	for n, tt := range []struct {
		after time.Duration
		typ   channel.ThreadType
	}{{turn.CustomerFor - time.Second, channel.General}, {turn.CustomerFor - time.Second, channel.General}, {turn.CustomerFor + time.Second, channel.Ops}, {0, channel.Ops}} {
		w.clock.add(tt.after)
		if types, _ := w.routed(w.ofNumber(number, fmt.Sprint("later", n), "hello")); len(types) != 1 || types[0] != tt.typ {
			t.Errorf("%d: %v, want %s", n, types, tt.typ)
		}
	}
}
