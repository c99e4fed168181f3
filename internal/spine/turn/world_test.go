package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/pause"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/matter/request"
	"merve/internal/model/llm"
	"merve/internal/people/notify"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/record/listing"
	"merve/internal/record/stock"
	"merve/internal/spine/assistant"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
	"merve/internal/tenant/schedule"
	"merve/internal/words/standing"
)

// clock is a time that tests move: Monday, 10 in the morning in Nicosia.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	moved chan struct{} // closed when the time moves
	waits atomic.Int32  // how many wait for it
}

func newClock() *clock {
	return &clock{at: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC), moved: make(chan struct{})}
}

// set moves the clock, before anything else happens.
func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	close(c.moved)
	c.moved = make(chan struct{})
}

// wait is over when the clock has been moved by d. A look at what somebody else does
// (anything below two seconds) is repeated after a moment of real time instead, because
// nobody moves the clock for it.
func (c *clock) wait(ctx context.Context, d time.Duration) error {
	if d < 2*time.Second {
		if ctx.Value(impatience{}) != nil {
			return errImpatient
		}
		return pause.For(ctx, 3*time.Millisecond)
	}
	return c.moves(ctx, d)
}

// moves is over when the clock has been moved by d.
func (c *clock) moves(ctx context.Context, d time.Duration) error {
	until := c.now().Add(d)
	c.waits.Add(1)
	defer c.waits.Add(-1)
	for c.now().Before(until) {
		c.mu.Lock()
		moved := c.moved
		c.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// impatiently makes a worker wait for nobody: it ends with errImpatient.
func impatiently(ctx context.Context) context.Context {
	return context.WithValue(ctx, impatience{}, true)
}

type impatience struct{}

var errImpatient = errors.New("somebody else is at work on it")

// wire carries the calls of all worlds, so that each has not to connect anew.
var wire = &http.Transport{MaxIdleConnsPerHost: 32}

// world is a market of its own with everything that its conversations need.
type world struct {
	t       *testing.T
	clock   *clock
	market  string
	suffix  string // of its businesses and people, which nobody else has
	branch  string // of the businesses of a market that it shares
	model   llm.Model
	numbers []string // of its businesses

	transport http.RoundTripper         // of the process, to providers
	last      channel.Inbound           // where the turn under test takes place
	meanwhile func(ctx context.Context) // happens while a tool looks up what it is to book; nil is nothing
	sara      *sara                     // nil in Merve's worlds
	calls     bool                      // PestCall answers everybody
	answers   string                    // who answers customers, in the place of Merve
	concierge
	exchange
	cashier

	db       *dynamo.DB
	markets  *market.Store
	bounds   *bound.Book
	listings *listing.Store
	threads  *thread.Store
	ledger   *ledger.Ledger
	outbox   *outbox.Box
	runner   *turn.Runner
	notifier *notify.Notifier
	alerts   []string // of messages that nobody gets
	sender   *outbox.Sender

	mu     sync.Mutex
	queued []string        // threads
	ids    []string        // given to transactions, whether they came to be or not
	told   map[string]bool // events
	met    []string        // threads
	sent   []outbox.Message
	desk   *httptest.Server // takes the notes of the tool leaveNote
	notes  map[string]bool  // keys of those
	left   []string         // what they say, in order

	owned   map[string]string // whose each thread is
	brought map[string]bool   // by the turn under test: see effects
}

func newWorld(t *testing.T, change func(m *market.Market)) *world {
	t.Helper()
	w := emptyWorld(t, dynamotest.ID("market"), "")
	m := market.Default(w.market)
	m.Name, m.TimeZone, m.Languages = "Test Island", "Europe/Nicosia", []string{"en", "tr"}
	m.WhatsApp.Templates = map[string]market.Approved{
		"merchant_booking_confirmed": {ContentSID: "HX00000000000000000000000000000001", Params: []string{"code", "when", "party"}},
		"merchant_booking_cancelled": {ContentSID: "HX00000000000000000000000000000002", Params: []string{"code", "when", "party"}},
	}
	for i, event := range []string{"merchant_order_placed", "merchant_service_placed", "merchant_viewing_placed", "merchant_order_cancelled", "merchant_order_unanswered", "taxi_offer", "taxi_pickup", "taxi_taken", "taxi_cancelled", "vendor_asked", "vendor_reminder"} {
		m.WhatsApp.Templates[event] = market.Approved{ContentSID: fmt.Sprintf("HX0000000000000000000000000000001%d", i), Params: []string{"code"}}
	}
	m.WhatsApp.Templates["merchant_message"] = market.Approved{ContentSID: "HX00000000000000000000000000000030", Params: []string{"listing", "text"}}
	if change != nil {
		change(m)
	}
	if _, err := w.markets.Save(t.Context(), *m, "test"); err != nil {
		t.Fatal(err)
	}
	return w
}

// emptyWorld is a market that is, or will be, stored.
func emptyWorld(t *testing.T, market, branch string) *world {
	t.Helper()
	w := &world{
		t: t, clock: newClock(), market: market, suffix: dynamotest.ID(""), branch: branch, told: map[string]bool{}, notes: map[string]bool{},
		owned: map[string]string{}, brought: map[string]bool{},
	}
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		t.Error("the model was asked, and nobody expected that")
		return llm.Response{}, llm.Fail(llm.Malformed, "not expected")
	})
	w.desk = httptest.NewServer(http.HandlerFunc(w.takeNote))
	t.Cleanup(w.desk.Close)
	w.restart()
	return w
}

// teller tells threads of what happens elsewhere.
func (w *world) teller() thread.Teller { return thread.Teller{Store: w.threads, Queue: w} }

// like is a world of the same market, whose people, and the places and numbers of whose
// businesses, are others.
func (w *world) like(t *testing.T) *world {
	t.Helper()
	other := emptyWorld(t, w.market, dynamotest.ID(""))
	other.numbers = []string{other.numberOf("")}
	if w.sara != nil {
		other.sara = &sara{surroundings: w.sara.surroundings}
		other.restart()
	}
	return other
}

// numberOf is the number of a business in this world.
func (w *world) numberOf(number string) string {
	if w.branch == "" {
		return number
	}
	n, err := strconv.ParseUint(w.branch[1:], 16, 64)
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("+1555%010d", n%1e10)
}

type modelFunc = llm.Whole

// complete asks whichever model the world has now.
func (w *world) complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	if calls, ok := w.transport.(*faulttest.Calls); ok && calls.Dead() { // it asks nobody, so nothing happens meanwhile
		return llm.Response{}, faulttest.ErrDied
	}
	return w.model.Complete(ctx, req)
}

// start puts a process together, as after a cold start, on a database.
func (w *world) start(db *dynamo.DB) {
	w.t.Helper()
	now := w.clock.now
	log := slog.New(slog.NewTextHandler(w.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	table := func(name string) dynamo.Table { return db.Table(dynamotest.TableName(name)) }
	w.db = db
	w.markets = &market.Store{Table: table("catalog"), Now: now}
	w.listings = &listing.Store{Table: table("catalog"), Stock: &stock.Store{Table: table("records"), Now: now}, Now: now}
	w.threads = &thread.Store{Table: table("conversations"), Now: now, NewID: func() string { return dynamotest.ID("lease") }}
	w.bounds = &bound.Book{Table: table("ledger"), Now: now, Limits: func(ctx context.Context, id string) (bound.Limits, error) {
		m, err := w.markets.Get(ctx, id)
		if err != nil {
			return bound.Limits{}, err
		}
		return m.Safety.Limits(), nil
	}}
	w.ledger = &ledger.Ledger{Table: table("ledger"), Now: now, NewID: w.newTransaction, Bounds: w.bounds, Rows: &thread.Rows{Table: table("conversations")}}
	w.outbox = &outbox.Box{Table: table("conversations"), Now: now, Log: log}
	cashier := w.startCashier(db, log)
	booker := &booking.Booker{Ledger: w.ledger, Catalog: catalog{w}, Payments: w.payments}
	all := append(append(w.listings.Tools(availability{w.ledger, now, w.branch}), booker.Tools()...), w.noteTool(), codeTool())
	all = append(append(all, w.startConcierge(db, log)...), cashier...)
	merve := assistant.Merve()
	merve.Tools = append(merve.Tools, "leaveNote", "bookingCode")
	answering := append([]assistant.Assistant{merve}, otherAssistants()...)
	if w.sara != nil {
		more, a := w.startSara(db, log)
		all, answering = append(all, more...), append(answering, a)
	}
	more, pestcall := w.startExchange(db)
	all, answering = append(all, more...), append(answering, pestcall)
	tools, err := tool.NewRegistry(all...)
	if err != nil {
		w.t.Fatal(err)
	}
	assistants, err := assistant.NewSet(answering...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.notifier = &notify.Notifier{
		Markets: w.markets, Listings: w.listings, Orders: w.orders, Bookings: w.ledger, Threads: w.teller(), Paid: w.payments.PaidFor, Outbox: w.outbox,
		Alert: w.alertOf,
	}
	w.runner = &turn.Runner{
		Intake: turn.Intake{Threads: w.threads, Queue: w}, Markets: w.markets, Assistants: assistants, Tools: tools,
		Commitments: w.noting(map[string]gate.Commitment{
			booking.ConfirmKind:    booking.Confirm{Ledger: w.ledger},
			booking.CancelKind:     booking.Cancel{Ledger: w.ledger, Payments: w.payments},
			booking.RescheduleKind: booking.Move{Ledger: w.ledger, Payments: w.payments},
			turn.FrozenCall:        turn.Frozen{Tools: tools},
			payment.Kind:           payment.Pay{Store: w.payments},
			payment.LetGoKind:      payment.LetGo{Store: w.payments},
		}),
		Looks:    w.looks(booker),
		Commands: w.commands(), Refusals: request.Refusals{Broker: w.vendors.broker}, Works: works(), Matters: w.matters(), Desk: w.concierge.people,
		Model: llm.Whole(w.complete), Outbox: w.outbox, Audit: turn.Audit{Records: table("records")}, Figures: &turn.Figures{Records: table("records"), Now: now, Log: log},
		Site: "https://merve.test", Now: now, Wait: w.clock.wait, Log: log,
	}
	w.answersCalls(w.runner)
	if w.sara != nil {
		w.runner.Photos, w.notifier.Reports = w.sara.photos, w.sara.reports
	}
	w.sender = &outbox.Sender{
		Box: w.outbox, Providers: map[channel.Channel]outbox.Provider{channel.WhatsApp: w, channel.Messenger: w}, Log: log,
		Threads: w.threads, People: &person.Book{Table: w.threads.Table},
		Alert: w.alertOf, TellUntold: w.notifier.TellUntold,
	}
}

// restart is a new process on a healthy database.
func (w *world) restart() {
	w.transport = wire
	w.start(dynamotest.Open(w.t, wire))
}

// over is a new process whose calls, to the database and to providers, meet faults. The SDK
// does not try again, so that each fault reaches us.
func (w *world) over(calls *faulttest.Calls) {
	if calls.Next == nil {
		calls.Next = wire
	}
	db := dynamotest.Once(w.t, calls)
	w.transport = calls
	w.start(db)
}

func (w *world) newTransaction() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := dynamotest.ID("tx")
	w.ids = append(w.ids, id)
	return id
}

// noteTool touches the world, at a provider that takes a key, so that it never runs without
// a YES.
func (w *world) noteTool() tool.Tool {
	type args struct {
		Text string `json:"text" jsonschema:"what the note says"`
	}
	return tool.New("leaveNote", "Leaves a note at the desk.", tool.Commit, func(ctx context.Context, tc tool.Context, a args) (tool.Result, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, w.desk.URL+"/notes/"+tc.Key, strings.NewReader(a.Text))
		if err != nil {
			return tool.Result{}, err
		}
		resp, err := w.transport.RoundTrip(req)
		if err != nil {
			return tool.Result{}, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return tool.Result{}, fault.New(fault.Unavailable, "the desk says %d", resp.StatusCode)
		}
		return tool.Result{Data: map[string]string{"status": "left"}}, nil
	})
}

// codeTool reads what was booked before.
func codeTool() tool.Tool {
	return tool.New("bookingCode", "Gives the code of the latest booking.", tool.Read, func(context.Context, tool.Context, struct{}) (tool.Result, error) {
		return tool.Result{Data: "X12", Named: []standing.Item{{
			Kind: "booking", Ref: "tx", Code: "X12", Summary: "Meze House · Booked: X12", Word: standing.Booked, Bears: []string{"booked"},
		}}}, nil
	})
}

// takeNote is the desk's side. A note that comes again was left before.
func (w *world) takeNote(_ http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	w.mu.Lock()
	defer w.mu.Unlock()
	note := r.Method == http.MethodPut && strings.HasPrefix(r.URL.Path, "/notes/") // not who thinks that the port is another's
	if err == nil && note && !w.notes[r.URL.Path] {
		w.notes[r.URL.Path] = true
		w.left = append(w.left, string(text))
	}
}

// Queue has a thread's turns run by the next [world.work].
func (w *world) Queue(_ context.Context, threadID, _ string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queued = append(w.queued, threadID)
	return nil
}

// work runs what is queued.
func (w *world) work() {
	w.t.Helper()
	for {
		w.mu.Lock()
		queued := w.queued
		w.queued = nil
		w.mu.Unlock()
		if len(queued) == 0 {
			return
		}
		for _, id := range queued {
			if err := w.runner.Work(w.t.Context(), id); err != nil {
				w.t.Fatalf("work: %v", err)
			}
		}
	}
}

// settle does what streams bring about: turns, notifications, deliveries.
func (w *world) settle() {
	w.t.Helper()
	w.work()
	for _, id := range w.given() {
		for _, e := range w.events(id) {
			if name := id + e.ID; !w.told[name] {
				w.told[name] = true
				if err := errors.Join(w.notifier.Tell(w.t.Context(), e), w.waitlist().Freed(w.t.Context(), e), w.reminders().Moved(w.t.Context(), e), w.payments.Ended(w.t.Context(), e)); err != nil {
					w.t.Fatalf("notify: %v", err)
				}
			}
		}
	}
	if w.sara != nil {
		w.tellReports()
	} else {
		w.tellOrders()
		w.tellRides()
		w.tellRequests()
		w.tellRelayed()
		w.tellPayments()
	}
	w.work()
	w.sendAll()
	w.work() // what could not be delivered is told
}

// sendAll sends all that is on the outbox.
func (w *world) sendAll() {
	w.t.Helper()
	for _, m := range w.outgoing() {
		if err := w.sender.Deliver(w.t.Context(), m); err != nil {
			w.t.Fatalf("deliver: %v", err)
		}
	}
}

// transactions are those that came to be, in order.
func (w *world) transactions() []ledger.Transaction {
	w.t.Helper()
	var txs []ledger.Transaction
	for _, id := range w.given() {
		tx, err := w.ledger.Get(w.t.Context(), actor.Actor{Kind: actor.System}, id)
		if err == nil {
			txs = append(txs, tx)
		}
	}
	return txs
}

// given are the ids that were given to transactions, whether they came to be or not.
func (w *world) given() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.ids)
}

func (w *world) events(tx string) []ledger.Event {
	w.t.Helper()
	es, err := ledgertest.Events(w.t.Context(), w.ledger, tx)
	if err != nil && !fault.Is(err, fault.NotFound) {
		w.t.Fatal(err)
	}
	return es
}

// outgoing is the outbox of all threads that were met, and of the businesses.
func (w *world) outgoing() []outbox.Message {
	w.t.Helper()
	return w.outboxesOf(slices.Concat(w.threadsMet(), w.businesses(), w.driverThreads(), w.vendorThreads()))
}

// businesses are the threads of the businesses' numbers.
func (w *world) businesses() []string {
	var threads []string
	for _, number := range w.numbers {
		who := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + number}
		threads = append(threads, thread.ID(w.market, channel.Ops, "", who.Key()))
	}
	return threads
}

func (w *world) outboxesOf(threads []string) []outbox.Message {
	w.t.Helper()
	var all []outbox.Message
	for _, id := range threads {
		ms, err := w.outbox.List(w.t.Context(), id, 100)
		if err != nil {
			w.t.Fatal(err)
		}
		slices.Reverse(ms)
		all = append(all, ms...)
	}
	return all
}

// Send and Find make the world its own provider, which takes everything.
// alertOf notes that the operators were told of a message that nobody gets.
func (w *world) alertOf(_ context.Context, m outbox.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.alerts = append(w.alerts, m.About+": "+m.Error)
	return nil
}

func (w *world) Send(_ context.Context, m outbox.Message) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, m)
	return fmt.Sprintf("SM-%s-%d", m.Thread, len(w.sent)), nil
}

func (w *world) Find(context.Context, outbox.Message, time.Time) ([]outbox.Found, error) {
	return nil, nil
}

// from is a message of a customer, who is one person on WhatsApp and another in the app.
func (w *world) from(who string, ch channel.Channel, id, text string) channel.Inbound {
	in := channel.Inbound{
		Market: w.market, Channel: ch, ThreadType: channel.General, MessageID: id, Text: text,
		From: actor.Actor{Kind: actor.Session, ID: who + w.suffix, Name: who},
	}
	switch ch {
	case channel.WhatsApp:
		in.ReplyAddr = "+1555" + fmt.Sprintf("%07d", len(who))
		in.From = actor.Actor{Kind: actor.Person, ID: "whatsapp:" + who + w.suffix, Name: who, Phone: in.ReplyAddr}
	case channel.Messenger:
		in.ReplyAddr = "page-scoped id of " + who
		in.From = actor.Actor{Kind: actor.Person, ID: "messenger:" + who + w.suffix, Name: who}
	}
	in.Assistant = w.answers
	switch {
	case w.sara != nil:
		in.Assistant = assistant.Sara().Name
	case w.calls:
		in.Assistant = assistant.PestCall().Name
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if id := threadOf(in); !slices.Contains(w.met, id) {
		w.met = append(w.met, id)
	}
	return in
}

func threadOf(in channel.Inbound) string {
	return thread.Of(in)
}

// say has a customer of the app say something and gives the answer.
func (w *world) say(in channel.Inbound) turn.Answer {
	w.t.Helper()
	w.clock.add(time.Second)
	a, err := w.runner.Converse(w.t.Context(), in)
	if err != nil {
		w.t.Fatalf("%q: %v", in.Text, err)
	}
	return a
}

// comes puts a message on its thread and leaves it to the queue.
func (w *world) comes(in channel.Inbound) {
	w.t.Helper()
	if _, err := w.runner.ProcessInbound(w.t.Context(), in); err != nil {
		w.t.Fatal(err)
	}
}

// turnsOf are a thread's turns, oldest first.
func (w *world) turnsOf(id string) []thread.Turn {
	w.t.Helper()
	page, err := w.threads.Table.Query(w.t.Context(), dynamo.Query{
		Where: "pk = :pk AND begins_with(sk, :turn)", Values: dynamo.V{":pk": id, ":turn": "turn#"},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	turns := make([]thread.Turn, len(page.Items))
	for i, it := range page.Items {
		if err := it.Decode(&turns[i]); err != nil {
			w.t.Fatal(err)
		}
	}
	return turns
}

func (w *world) head(id string) thread.Head {
	w.t.Helper()
	h, err := w.threads.Head(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return h
}

// textOf is what a turn said.
func textOf(t thread.Turn) string {
	var texts []string
	for _, r := range t.Out {
		texts = append(texts, r.Text)
	}
	return strings.Join(texts, "\n\n")
}

// conversations is where the scenarios and their listings are.
const conversations = "../../../testdata/conversations"

// stock stores listings, given as YAML; nil are those that the scenarios share. Names choose
// from them.
func (w *world) stock(text []byte, names ...string) {
	w.t.Helper()
	if text == nil {
		var err error
		if text, err = os.ReadFile(filepath.Join(conversations, "listings.yaml")); err != nil {
			w.t.Fatal(err)
		}
	}
	var all []*listing.Listing
	fromYAML(w.t, text, &all)
	for _, l := range all {
		if len(names) > 0 && !slices.Contains(names, l.ID) {
			continue
		}
		l.Market = w.market
		l.Business += w.suffix
		if !slices.Contains(w.firms, l.Business) {
			w.firms = append(w.firms, l.Business)
		}
		w.numbers = append(w.numbers, l.Merve.WhatsApp)
		if err := w.listings.Put(w.t.Context(), l, "test"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// fromYAML fills out by its JSON names.
func fromYAML(t *testing.T, text []byte, out any) {
	t.Helper()
	var plain any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, out); err != nil {
		t.Fatal(err)
	}
}

// catalog finds what can be booked in the listings.
type catalog struct{ w *world }

func (c catalog) Bookable(ctx context.Context, marketID, listingID, offeringID string) (booking.Bookable, error) {
	if c.w.meanwhile != nil {
		c.w.meanwhile(ctx)
	}
	l, err := c.w.listings.Get(ctx, marketID, listingID)
	if err != nil {
		return booking.Bookable{}, err
	}
	var o schedule.Offering
	if o, err = l.Offering(offeringID); err != nil {
		return booking.Bookable{}, err
	}
	if _, ok := l.Action(listing.BookAction); !ok && len(l.Merve.Actions) > 0 {
		return booking.Bookable{}, fault.New(fault.Conflict, "this listing takes no bookings here")
	}
	return booking.Bookable{
		Business: l.Business + c.w.branch, Listing: l.ID, ListingName: l.Name("en"), Offering: o, Longest: l.Longest[o.ID], Merchant: c.w.numberOf(l.Merve.WhatsApp), Tags: l.Tags, Kinds: []string{l.Category, l.SubCategory}, Location: l.Location,
		Unchanged: []dynamo.Write{c.w.listings.Unchanged(l).Else(gate.ErrMeanwhile)},
	}, nil
}

// availability reads what is taken from the ledger.
type availability struct {
	ledger *ledger.Ledger
	now    func() time.Time
	branch string
}

func (a availability) Taken(ctx context.Context, business, offering string, from, to time.Time) (schedule.Taken, error) {
	return a.ledger.Taken(ctx, business+a.branch, offering, from, to, a.now())
}
