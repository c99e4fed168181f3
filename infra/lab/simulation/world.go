// Package simulation is all of Merve in one process, for tests that try to break it
// from outside: the functions as package app puts them together, called with the events
// that AWS makes, over a DynamoDB of their own, with Twilio and a model that tests script.
//
// One goroutine does everything, a step at a time, and asks one source of chance which
// step is next: the same seed makes the same steps. In the middle of a step, at a call to
// the store, another step may run, as if the process had been frozen there. Queue and
// streams deliver at least once. Processes die, and calls fail, as package faulttest says.
//
// A run has two phases. First anything may happen. Then the faults end, everything is
// delivered, the clock goes on, and all must come to rest. Then [World.Judge] compares what
// people said and got with what is stored.
package simulation

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	messages "merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/record/listing"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// What a world is set up with.
const (
	Market     = "island"
	adminToken = "test-admin-not-real"
	publicURL  = "https://merve.test"
	number     = "+15005550006" // the market's own on WhatsApp
)

// Options say how hard a world is.
type Options struct {
	Seed   uint64
	Faults bool   // calls fail and processes die
	Frozen bool   // steps run in the middle of others
	Number string // the market's own on WhatsApp; "" is the usual one
	Market func(m *market.Market)

	Configure   func(c *app.Config) // what the functions reach besides Twilio and a model
	Environment map[string]string   // and their secrets for it
}

// World is a running Merve with all the people who use it.
type World struct {
	t       testing.TB
	o       Options
	cfg     aws.Config
	prefix  string // of its tables
	twilio  *twiliotest.Server
	llm     *openaitest.Server
	log     *logged
	shards  shards
	healthy *app.Base // on a store that never fails, for looking

	mu    sync.Mutex // guards what is asked for by goroutines of the functions
	rand  *rand.Rand
	clock time.Time
	ids   int

	processes map[string][]*process
	stack     []*invocation // the invocations that are at work, the innermost last
	calm      bool          // no more faults
	still     bool          // nothing runs in the middle of anything
	queue     queue
	pictures  queue // that are to be read
	notify    stream
	outbox    stream
	records   stream
	index     stream // flows only where a search engine is
	trace     []string

	Customers []*Customer
	Others    []*Customer        // businesses and drivers; none where there is no town
	Shops     []*listing.Listing // that take orders
	vendors   *vendors           // nil where there are none
	versions  []int              // of the shops, as they were opened
	seen      []string           // ids of what was stored in table records
	before    func()             // done in the middle of a function, once
	at        func(function, body string) bool
	Model     Model
	Listings  []*listing.Listing
	froze     int // sends during which a claim ran out
	deaths    int
	faults    int
	freezes   int
	speaker   *Customer                         // the customer who spoke last
	rounds    int                               // that the adversary was asked for
	talk      func(w *World, c *Customer) *Said // what a customer says next; nil is utter
	poisoned  bool                              // what people say freely, and call themselves, are instructions
}

// Model answers what the product asks a model.
type Model func(w *World, req openaitest.Request) openaitest.Answer

// start is a Monday at ten in the morning in Nicosia.
var start = time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)

// New makes a world with tables of its own, so that ids and times are those of its seed.
func New(t testing.TB, o Options) *World {
	t.Helper()
	w := &World{
		t: t, o: o, prefix: dynamotest.ID("sim") + "-", rand: rand.New(rand.NewPCG(o.Seed, o.Seed)), clock: start,
		processes: map[string][]*process{}, log: &logged{}, cfg: dynamotest.Config(t),
	}
	w.createTables()
	texts := map[string]string{}
	for _, a := range slices.Concat(approved, approvedToVendors) {
		texts[a.sid] = a.text
	}
	w.twilio = twiliotest.New(t, twiliotest.Config{From: w.number(), Now: w.Now, Templates: texts})
	w.llm = openaitest.New(t)
	w.llm.Answer = func(r openaitest.Request) openaitest.Answer { return w.Model(w, r) }
	w.Model = func(*World, openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "How can I help?"} }
	w.healthy = w.base(nil)
	w.stock()
	return w
}

func (w *World) createTables() {
	w.t.Helper()
	if err := dynamotest.OwnTables(w.t.Context(), w.cfg, w.prefix); err != nil {
		w.t.Fatal(err)
	}
	client := sdk.NewFromConfig(w.cfg)
	w.t.Cleanup(func() {
		for _, table := range wiring.Tables() {
			if _, err := client.DeleteTable(context.Background(), &sdk.DeleteTableInput{TableName: aws.String(w.prefix + table.Name)}); err != nil {
				w.t.Errorf("delete table %s: %v", table.Name, err)
			}
		}
	})
}

// items are all that a table keeps.
func (w *World) items(table string) (all []dynamo.Item) {
	w.t.Helper()
	pages := sdk.NewScanPaginator(sdk.NewFromConfig(w.cfg), &sdk.ScanInput{TableName: aws.String(w.prefix + table)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range page.Items {
			all = append(all, it)
		}
	}
	return all
}

// base is the base of a process whose calls to the store go through calls; nil are calls
// that nothing happens to.
func (w *World) base(calls *faulttest.Calls) *app.Base {
	cfg := w.cfg.Copy()
	cfg.HTTPClient = &http.Client{Transport: &w.shards}
	if calls != nil {
		cfg.HTTPClient = calls
		if w.chance(0.5) {
			cfg.RetryMaxAttempts = 1 // every fault is felt
		}
	}
	config := app.Config{
		PublicURL: publicURL, SiteURL: publicURL, DefaultMarket: Market, Patience: time.Minute, LivePatience: 8 * time.Second, AdminToken: adminToken,
		TableConversations: w.prefix + "conversations", TableLedger: w.prefix + "ledger", TableAlerts: w.prefix + "alerts",
		TableCatalog: w.prefix + "catalog", TableRecords: w.prefix + "records",
		OpenAIBaseURL: w.llm.URL(), OpenAIModel: "gpt-4o-mini", SaraModel: "gpt-4o-mini", MediaBucket: "merve-media",
		TwilioAccountSID: twiliotest.AccountSID, TwilioFrom: w.number(), TwilioBaseURL: w.twilio.URL(),
		ExternalDiscovery: true, SocialDiscovery: true, MapsEnrichment: true, NoWebSearch: true, // switched on, and without keys
	}
	env := map[string]string{
		"OPENAI_API_KEY": openaitest.Key, "TWILIO_AUTH_TOKEN": twiliotest.AuthToken,
		"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1", // nobody sends photos here
	}
	maps.Copy(env, w.o.Environment)
	if w.o.Configure != nil {
		w.o.Configure(&config)
	}
	return app.NewBase(app.Process{
		Config: config, AWS: cfg, Now: w.Now, NewID: w.newID, Wait: w.wait, Backoff: func(int) time.Duration { return 0 }, Queues: w.queueOf,
		Log: telemetry.NewLogger(w.log, slog.LevelInfo), Sockets: everybody{},
		Provider: func(_ channel.Channel, p outbox.Provider) outbox.Provider { return mortal{p, calls, w} },
		Getenv:   func(name string) string { return env[name] },
	})
}

// number is the market's own on WhatsApp.
func (w *World) number() string { return cmp.Or(w.o.Number, number) }

// queueOf is a queue of the wiring. Turns are delivered here, and pictures where there are vendors: what plans leave to
// timers is the sweep's.
func (w *World) queueOf(name string) messages.Queue {
	switch {
	case name == "turns":
		return &w.queue
	case name == "ocr" && w.vendors != nil:
		return &w.pictures
	}
	return undelivered{}
}

// undelivered is a queue that nobody reads.
type undelivered struct{}

func (undelivered) Send(context.Context, messages.Message) error { return nil }

func (undelivered) Hide(context.Context, string, time.Duration) error { return nil }

// everybody receives what is said in live conversations. It is a Poster of package live.
type everybody struct{}

func (everybody) Post(context.Context, string, []byte) error { return nil }
func (everybody) Hangup(context.Context, string) error       { return nil }

// mortal is a provider that a dead process cannot reach.
type mortal struct {
	outbox.Provider
	calls *faulttest.Calls
	world *World
}

func (m mortal) Send(ctx context.Context, msg outbox.Message) (string, error) {
	if m.calls != nil && m.calls.Dead() {
		return "", faulttest.ErrDied
	}
	m.world.goesOut(msg)
	return m.Provider.Send(ctx, msg)
}

func (m mortal) Find(ctx context.Context, msg outbox.Message, since time.Time) ([]outbox.Found, error) {
	if m.calls != nil && m.calls.Dead() {
		return nil, faulttest.ErrDied
	}
	return m.Provider.Find(ctx, msg, since)
}

// Now is the time in this world.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

// Pass lets time pass. When a day has gone by, so has what is to be kept no longer.
func (w *World) Pass(d time.Duration) {
	w.mu.Lock()
	before := w.clock
	w.clock = w.clock.Add(d)
	now := w.clock
	w.mu.Unlock()
	if now.YearDay() != before.YearDay() {
		for _, table := range wiring.Tables() {
			dynamotest.Lapse(w.t, w.prefix+table.Name, "", now)
		}
	}
}

func (w *World) newID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return fmt.Sprintf("id-%06d", w.ids)
}

// pick returns a number below n.
func (w *World) pick(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rand.IntN(n)
}

func (w *World) chance(p float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rand.Float64() < p
}

// oneOf picks one of several.
func oneOf[T any](w *World, of []T) T { return of[w.pick(len(of))] }

// slow is how much longer a short wait takes than it was meant to.
const slow = 8

// wait makes functions wait: time passes, and a function that waits too long is cut off. The
// keeper of a lease never wakes: a frozen process renews nothing.
func (w *World) wait(ctx context.Context, d time.Duration) error {
	if d >= thread.LeaseFor/3 {
		<-ctx.Done()
		return ctx.Err()
	}
	w.Pass(slow * d)
	if i := w.inner(); i != nil && w.Now().After(i.until) {
		i.cancel()
	}
	return ctx.Err()
}

// inner is the innermost invocation at work.
func (w *World) inner() *invocation {
	if len(w.stack) == 0 {
		return nil
	}
	return w.stack[len(w.stack)-1]
}

// process is one instance of a function.
type process struct {
	calls   *faulttest.Calls
	handler trigger.Handler
	busy    bool
}

// invocation is a function at work.
type invocation struct {
	function string
	until    time.Time // when it is cut off
	cancel   context.CancelFunc
	since    time.Time
	frozen   bool // a step may run in the middle of it
}

// process finds an instance that is free, or starts one.
func (w *World) process(function string) *process {
	w.t.Helper()
	for _, p := range w.processes[function] {
		if !p.busy {
			return p
		}
	}
	calls := faulttest.With(w.misfortunes()...)
	calls.Next = &store{w: w, function: function}
	h, err := w.constructor(function)(w.base(calls))
	if err != nil {
		w.t.Fatal(err)
	}
	p := &process{calls: calls, handler: h}
	w.processes[function] = append(w.processes[function], p)
	return p
}

// constructor is what puts a function together.
func (w *World) constructor(function string) func(*app.Base) (trigger.Handler, error) {
	if function == "ocr" && w.vendors != nil {
		return w.vendors.reads
	}
	return app.Constructors(wiring.Elsewhere())[function]
}

// misfortunes are the faults that a process will meet in its life.
func (w *World) misfortunes() []faulttest.At {
	if !w.o.Faults || w.calm {
		return nil
	}
	var at []faulttest.At
	for n := 0; n < 400; {
		n += 1 + w.pick(45)
		f := oneOf(w, faulttest.Faults)
		if w.chance(0.3) {
			f = oneOf(w, faulttest.Deaths)
		}
		at = append(at, faulttest.At{N: n, Fault: f})
	}
	return at
}

// end takes processes away: all of a function, or only those that died.
func (w *World) end(function string, all bool) {
	var alive []*process
	for _, p := range w.processes[function] {
		if p.busy || !all && !p.calls.Dead() {
			alive = append(alive, p)
		}
	}
	w.processes[function] = alive
}

// patience is how long an invocation may take, as its clients and AWS see it.
const patience = 25 * time.Second

// invoke calls a function with an event. A process that dies gives no answer.
func (w *World) invoke(function string, event []byte) ([]byte, error) {
	w.t.Helper()
	p := w.process(function)
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	i := &invocation{function: function, since: w.Now(), until: w.Now().Add(patience), cancel: cancel}
	w.stack, p.busy = append(w.stack, i), true
	met := len(p.calls.Met())
	out, err := p.handler.Invoke(ctx, event)
	w.faults += len(p.calls.Met()) - met
	w.stack, p.busy = w.stack[:len(w.stack)-1], false
	if p.calls.Dead() {
		w.deaths++
		w.end(function, false)
		return nil, faulttest.ErrDied
	}
	return out, err
}

// store is the way to DynamoDB. It tells streams what was written, and lets a step run in
// the middle of a call.
type store struct {
	w        *World
	function string
}

// alone are the functions that make several calls at a time: nothing runs inside them.
func alone(function string) bool { return function == "expiry" || function == "invariants" }

func (s *store) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := replay(r)
	if err != nil {
		return nil, err
	}
	s.w.beforeCall(s.function, body)
	s.freeze()
	resp, err := s.w.shards.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusOK {
		s.w.written(r.Header.Get("X-Amz-Target"), body)
	}
	s.freeze()
	return resp, err
}

// beforeCall lets a test act in the middle of a function, once: just before a call to the store
// that it waits for.
func (w *World) beforeCall(function string, body []byte) {
	if act := w.before; act != nil && w.at(function, string(body)) {
		w.before = nil
		act()
	}
}

// freeze lets other steps run here, now and then.
func (s *store) freeze() {
	w := s.w
	if !w.o.Frozen || w.calm || w.still || alone(s.function) {
		return
	}
	i := w.inner()
	if i == nil || i.function != s.function || i.frozen || len(w.stack) > 2 || !w.chance(0.03) {
		return
	}
	i.frozen = true
	w.freezes++
	before := w.Now()
	if w.chance(0.4) {
		w.overtake()
	} else if len(w.Others) > 0 && w.chance(0.6) {
		w.meanwhile()
	}
	for range 1 + w.pick(2) {
		w.Step()
	}
	if s.function == "sender" && w.Now().Sub(before) >= time.Minute {
		w.froze++
	}
}

// overtake makes a freeze last so long that the lease and the message are another's, who
// is done before the frozen process goes on; and then there is something new.
func (w *World) overtake() {
	w.jump(thread.LeaseFor + time.Second)
	c := w.speaker
	if c == nil {
		return
	}
	w.Say(c, w.talkOf(c))
	w.queue.forget(c.Thread)
	w.queue.Deliver()
	if w.chance(0.5) {
		w.Say(c, w.talkOf(c))
	}
}

// logged keeps what functions log, to be shown when a test fails.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSpace(string(p)))
	return len(p), nil
}

// note adds a line to the trace.
func (w *World) note(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	w.trace = append(w.trace, fmt.Sprintf("%s%s %s", strings.Repeat("  ", len(w.stack)), w.Now().Sub(start), line))
}

// Trace is what happened, a line for each step.
func (w *World) Trace() []string { return w.trace }

// stock gives the market what can be booked in it.
func (w *World) stock() {
	w.t.Helper()
	evening := []schedule.Span{{From: "18:00", To: "23:00"}}
	hours := map[string][]schedule.Span{"mon": evening, "tue": evening, "wed": evening, "thu": evening, "fri": evening, "sat": evening, "sun": evening}
	offering := func(id string, capacity int, price int64) schedule.Offering {
		return schedule.Offering{
			ID: id, Name: strings.ToUpper(id[:1]) + id[1:], TimeZone: "Europe/Nicosia", Hours: hours, SlotMinutes: 60, DurationMinutes: 60,
			Capacity: capacity, LeadMinutes: 60, HorizonDays: 30, Unit: schedule.BySlot, MinParty: 1, MaxParty: 6,
			PriceMinor: price, Currency: "EUR", Per: schedule.PerBooking,
		}
	}
	for i, l := range []struct {
		id, name string
		o        schedule.Offering
	}{{"meze", "Meze House", offering("table", 1, 0)}, {"cruise", "Sunset Cruise", offering("seat", 2, 4500)}} {
		w.Listings = append(w.Listings, &listing.Listing{
			ID: l.id, Market: Market, Business: "biz-" + l.id, Names: map[string]string{"en": l.name}, Descriptions: map[string]string{"en": "By the sea"},
			Domain: "food", Category: "restaurant", Place: "Kyrenia", Offerings: []schedule.Offering{l.o},
			Merve: listing.Integration{Enabled: true, WhatsApp: fmt.Sprintf("+1555010000%d", i+1), Actions: []listing.Action{{Type: listing.BookAction, Enabled: true}}},
		})
	}
	for _, l := range w.Listings {
		w.Put(l)
	}
	m := market.Default(Market)
	m.TimeZone, m.Languages = "Europe/Nicosia", []string{"en", "tr", "el", "ru", "he", "ar", "de", "es", "fr", "sw"}
	m.WhatsApp = market.WhatsApp{Templates: map[string]market.Approved{}}
	for _, a := range approved {
		m.WhatsApp.Templates[a.event] = market.Approved{ContentSID: a.sid, Params: a.params}
	}
	m.Desk.Numbers = []string{deskNumber}
	if w.o.Market != nil {
		w.o.Market(m)
	}
	if _, err := w.healthy.Markets().Save(w.t.Context(), *m, "test"); err != nil {
		w.t.Fatal(err)
	}
}

// Put stores a listing, as an operator does.
func (w *World) Put(l *listing.Listing) {
	w.t.Helper()
	if err := w.healthy.Listings().Put(w.t.Context(), l, "test"); err != nil {
		w.t.Fatal(err)
	}
}
