package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/cloud/limit"
	"merve/internal/cloud/queue"
	"merve/internal/edge/admin"
	"merve/internal/edge/api"
	"merve/internal/matter/appointment"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/payment"
	"merve/internal/matter/quote"
	"merve/internal/matter/report"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/matter/vendor"
	"merve/internal/model/llm"
	"merve/internal/people/account"
	"merve/internal/people/desk"
	"merve/internal/people/notify"
	"merve/internal/people/ops"
	"merve/internal/people/relay"
	"merve/internal/plan"
	"merve/internal/plan/product"
	"merve/internal/plan/weather"
	"merve/internal/plan/worker"
	"merve/internal/record/customer"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/record/place"
	"merve/internal/record/stock"
	"merve/internal/spine/assistant"
	"merve/internal/spine/gate"
	"merve/internal/spine/live"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/media"
	"merve/internal/tenant/person"
	"merve/internal/tenant/roster"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// matters are the facets of what customers come for, of the plans, and of the people around a conversation, one list
// each. Package matter says what each facet is for. The code that acts on stored data is below, in services.
type matters struct{ *services }

// Tools are what assistants may be given.
func (b *matters) Tools() (*tool.Registry, error) {
	plans, err := b.planEngine(nil)
	if err != nil {
		return nil, err
	}
	letters := notify.Writer{Notifier: b.Notifier(), Talks: b.post(), Bounds: b.bounds()}
	return tool.NewRegistry(slices.Concat(
		b.Listings().Tools(availability{b.Ledger(), b.Now}), b.placeFinder().Tools(),
		b.booker().Tools(), b.reminders().Tools(), b.payer().Tools(),
		b.visits().Tools(), b.verification().Tools(),
		b.orderDesk().Tools(), b.caller().Tools(), b.reporter(b.Photos()).Tools(), b.searcher(nil).Tools(),
		b.account().Tools(), desk.Tools(), b.office().Tools(), letters.Tools(), b.post().Tools(), []tool.Tool{plans.Planner()},
	)...)
}

// commitments settle the questions that wait for a YES, by kind.
func (b *matters) commitments(tools *tool.Registry) map[string]gate.Commitment {
	return joined(
		b.booker().Commitments(), b.payer().Commitments(), b.visits().Commitments(), b.orderDesk().Commitments(), b.caller().Commitments(),
		b.broker(nil).Commitments(), desk.Commitments(), turn.Commitments(tools),
	)
}

// looks read, by kind, the current state behind a question before its YES is taken.
func (b *matters) looks() map[string]gate.Look {
	return joined(b.booker().Looks(), b.payer().Looks(), b.visits().Looks(), b.orderDesk().Looks(), b.broker(nil).Looks())
}

// joined is one map of all. The kinds of different matters have different names.
func joined[V any](all ...map[string]V) map[string]V {
	sum := map[string]V{}
	for _, one := range all {
		maps.Copy(sum, one)
	}
	return sum
}

// standing reads what stands of a conversation, by kind.
func (b *matters) standing() map[string]turn.Matter {
	return map[string]turn.Matter{
		ledger.StandingKind:     booking.Standing{Ledger: b.Ledger()},
		ledger.AppointmentsKind: appointment.Standing{Ledger: b.Ledger(), Callers: b.callers()},
		order.StandingKind:      order.Standing{Store: b.Orders()},
		taxi.StandingKind:       taxi.Standing{Store: b.Rides()},
		report.StandingKind:     report.Standing{Store: b.Reports()},
		request.StandingKind:    request.Standing{Store: b.Requests()},
	}
}

// held are all who keep something of a person. A running turn writes what was said, and what its calls did, until the
// threads are erased; then it begins again without them. So threads go first and what a turn writes elsewhere goes after.
func (b *matters) held() []account.Holder {
	return []account.Holder{
		live.Held{Stage: &live.Stage{Table: b.conversations(), Now: b.Now}}, thread.Held{Store: b.Threads(), Photos: b.Photos()}, turn.Held{Audit: b.audit()},
		report.Held{Store: b.Reports(), Photos: b.Photos()}, ledger.HeldBookings{Ledger: b.Ledger()}, booking.HeldWishes{Wishes: booking.Wishes{Ledger: b.Ledger()}},
		payment.Held{Store: b.Payments(), Bookings: b.Ledger()}, order.Held{Store: b.Orders()}, taxi.Held{Store: b.Rides()},
		relay.Held{Post: b.post()}, desk.Held{Desk: b.handovers()}, outbox.Held{Box: b.Outbox()}, plan.Held{Store: b.Plans(), Market: b.Config.DefaultMarket},
		request.Held{Store: b.Requests(), Files: b.files()},
	}
}

// ledgerEvents say who hears about events in the ledger.
func (b *matters) ledgerEvents() []event.Route {
	return []event.Route{
		ledger.Events.To(b.Notifier().Tell, b.Payments().Ended, b.waitlist().Freed, b.reminders().Moved),
		payment.Events.To(b.paymentTeller().Tell),
	}
}

// recordEvents say who hears about events in records.
func (b *matters) recordEvents() []event.Route {
	n := b.Notifier()
	return []event.Route{
		order.Events.To(n.TellOrder),
		taxi.Events.To(b.rideTeller().Tell),
		report.Events.To(n.TellReport),
		desk.Events.To(n.TellDesk),
		relay.Events.To(b.post().Tell),
		request.Events.To(b.requestTeller().Tell),
		request.Records.To(b.Requests().Log().Seal),
	}
}

// lapses do what time does to each matter.
func (b *matters) lapses() []sweep {
	return []sweep{
		within("expiry", dynamo.Budget{}, b.Ledger().Sweep),
		within("orders", most, b.Orders().Sweep),
		within("reminders", most, b.reminders().Sweep),
		within("rides", dynamo.Budget{}, b.Rides().Sweep),
		within("refunds", most, b.Payments().Sweep),
	}
}

// outreach does what time does to requests: it reminds vendors and gives up on them, lets consents lapse, asks about
// calls whose end nobody reported, and has unread pictures read.
func (b *matters) outreach() []sweep {
	t, p := b.requestTeller(), b.darkroom(nil)
	return []sweep{
		within("outreach", most, t.Sweep),
		within("calls", most, t.Broker.CloseCalls),
		within("consents", most, t.Broker.Calls().Sweep),
		within("pictures", most, p.Sweep),
	}
}

// unanswered finds what was appended and never answered, and what was stored and never sent.
func (b *matters) unanswered() []sweep {
	threads, q := b.Threads(), b.queue()
	return []sweep{
		{"threads", func(ctx context.Context, at time.Time) (any, error) {
			return threads.Sweep(ctx, most.Count, func(ctx context.Context, id string) error {
				return q.Queue(ctx, id, fmt.Sprintf("sweep-%s-%d", id, at.Unix()/60))
			})
		}},
		within("messages", most, b.sender().Sweep),
	}
}

// checks look at what must always hold, and count what an operator must know.
func (b *matters) checks() []sweep {
	l := b.checkedLedger()
	return []sweep{
		within("invariants", dynamo.Budget{}, func(ctx context.Context, limit dynamo.Budget) (ledger.Audit, error) {
			audit, err := l.CheckInvariants(ctx, limit)
			b.countAlerts(ctx, audit.Critical+audit.Error+audit.Warning)
			return audit, err
		}),
		within("stock", most, func(ctx context.Context, _ dynamo.Budget) (stock.Checked, error) {
			counts, err := b.checkStock(ctx)
			b.countAlerts(ctx, counts.Drifted)
			return counts, err
		}),
		within("untold", most, func(ctx context.Context, _ dynamo.Budget) (again int, err error) {
			for name, t := range map[string]dynamo.Table{"ledger": b.ledgerTable(), "records": b.records()} {
				n, failed := b.resend(ctx, name, t)
				again, err = again+n, errors.Join(err, failed)
			}
			return again, err
		}),
	}
}

// commands are obeyed on threads of people who are no customers.
func (b *matters) commands(model llm.Model) map[channel.ThreadType]turn.Command {
	post, broker := b.post(), b.broker(model)
	fixed := turn.Either{&taxi.Commands{Store: b.Rides(), Outbox: b.Outbox()}, b.orderCommands()}
	all := turn.Commands{relay.Quotes{Post: post}, broker.Answers(true), fixed, b.office(), post, broker.Answers(false)}
	return map[channel.ThreadType]turn.Command{channel.Ops: all, channel.Dispatch: all, channel.Vendor: broker.Answers(false)}
}

// roles finds the thread of those who are more than customers.
func (b *matters) roles() *turn.Roles {
	return &turn.Roles{Threads: b.Threads(), Markets: b.Markets(), Outbox: b.Outbox(), Roster: b.roster(), Works: works(), Owed: b.orderCommands().Owed, Now: b.Now}
}

// works are what drivers and businesses do by chat.
func works() turn.Works {
	drives := func(roles roster.Roles) bool { _, ok := roles.Drives(); return ok }
	trades := func(roles roster.Roles) bool { return len(roles.Businesses()) > 0 }
	return turn.Works{{Of: drives, Coded: taxi.Coded}, {Of: trades, Coded: order.Coded}, {Of: trades, Coded: relay.Coded}, {Of: roster.Roles.Sells, Coded: vendor.Coded}}
}

// account has the tools that let people get, link and delete their own data.
func (b *matters) account() *account.Keeper {
	return &account.Keeper{Threads: b.Threads(), Kinds: assistant.Kinds(b.cast()...), Holders: b.held()}
}

// pestcall is the assistant of calls, whose tools are opened by the caller's account.
func (b *matters) pestcall() assistant.Assistant {
	a := assistant.PestCall()
	callers, visits := b.callers(), b.visits()
	a.Access = callers.Access(a.Tools)
	a.State = func(ctx context.Context, h thread.Head) (map[string]any, error) {
		return visits.CallState(ctx, callers, h)
	}
	return a
}

// sara is the assistant of damage reports.
func (b *matters) sara() assistant.Assistant {
	a := assistant.Sara()
	a.Model, a.Sees = b.Config.SaraModel, llm.Sees(b.Config.SaraModel)
	a.Profile = b.Reports().Known
	return a
}

// cast are all who answer; the first for a thread type is the type's own.
func (b *matters) cast() []assistant.Assistant {
	return []assistant.Assistant{b.searching(assistant.Merve()), b.sara(), b.pestcall(), b.searching(assistant.Moltbot()), assistant.Ops(), assistant.Dispatch(), assistant.Vendor()}
}

// searching is an assistant with the searches that are switched on.
func (b *matters) searching(a assistant.Assistant) assistant.Assistant {
	c := b.Config
	return a.With(assistant.Discovering(c.ExternalDiscovery, c.MapsEnrichment, c.SocialDiscovery)...)
}

// speakers are the cast, by thread type and name.
func (b *matters) speakers() (*assistant.Set, error) { return assistant.NewSet(b.cast()...) }

// assistants are the speakers. Each of them has the tools that it lists.
func (b *matters) assistants(tools *tool.Registry) (*assistant.Set, error) {
	s, err := b.speakers()
	if err != nil {
		return nil, err
	}
	return s, s.CheckTools(tools)
}

func (b *matters) runner() (*turn.Runner, error) { return b.Runner(b.model()) }

// Runner puts together what a turn needs, with the model that answers.
func (b *matters) Runner(model llm.Model) (*turn.Runner, error) {
	tools, err := b.Tools()
	if err != nil {
		return nil, err
	}
	assistants, err := b.assistants(tools)
	if err != nil {
		return nil, err
	}
	return &turn.Runner{
		Intake: b.intake(), Markets: b.Markets(), Assistants: assistants, Tools: tools,
		Commitments: b.commitments(tools), Looks: b.looks(), Commands: b.commands(model), Refusals: request.Refusals{Broker: b.broker(nil)}, Works: works(), Matters: b.standing(),
		Model: model, Guard: b.guard(model), Outbox: b.Outbox(), Audit: b.audit(), Figures: b.figures(), Photos: b.Photos(), Desk: b.handovers(), Live: b.stage(),
		Site: b.Config.SiteURL, Now: b.Now, Wait: b.Wait, Log: b.Log,
	}, nil
}

// host receives what clients of live conversations send.
func (b *matters) host(assistants *assistant.Set) (*live.Host, error) {
	stage := b.stage()
	if stage == nil {
		return nil, fmt.Errorf("LIVE_ENDPOINT is not set: no socket can be reached")
	}
	markets := b.Markets()
	return &live.Host{
		Stage: stage, Threads: b.Threads(), Queue: live.Queued{To: b.queueOf(liveTurns)}, NewID: b.NewID,
		State: func(ctx context.Context, h thread.Head) (map[string]any, error) {
			a, err := assistants.For(h.Type, h.Assistant)
			if err != nil || a.State == nil {
				return nil, err
			}
			return a.State(ctx, h)
		},
		Greeting: func(ctx context.Context, in channel.Inbound) (string, bool, error) {
			a, err := assistants.For(in.ThreadType, in.Assistant)
			if err != nil {
				return "", false, err
			}
			m, err := markets.Get(ctx, in.Market)
			if err != nil {
				return "", false, err
			}
			return a.Greets(m, cmp.Or(in.Language, m.Language)), a.Name == defaultCallee, nil
		},
	}, nil
}

// liveAPI serves live conversations. Runner may be nil where only sockets are served.
func (b *matters) liveAPI(runner *turn.Runner, assistants *assistant.Set) (*api.Live, error) {
	host, err := b.host(assistants)
	if err != nil {
		return nil, err
	}
	host.Rooms, host.Admit, host.Rate = b.rooms(), b.anonymous().Heard, b.limits()
	return &api.Live{
		Who: b.who(), Host: host, Runner: runner, Assistants: assistants, Assistant: defaultCallee, Widget: saraName, Market: b.Config.DefaultMarket,
		Summarize: b.summarize, Patience: b.Config.Patience, Anonymous: b.anonymous(), NewID: b.NewID,
	}, nil
}

// services act on the stores: they have the tools, tell people, and look after what has become due.
type services struct{ *stores }

// orderDesk has the tools for ordering.
func (b *services) orderDesk() *order.Taker {
	return &order.Taker{Store: b.Orders(), Listings: b.Listings(), Places: b.geocoder(), Business: b.Notifier(), Log: b.Log}
}

// payer has the tools for paying.
func (b *services) payer() *payment.Payer {
	return &payment.Payer{Store: b.Payments(), Look: b.booker().Look}
}

// pictureQueue has pictures read.
func (b *services) pictureQueue() quote.Queued { return quote.Queued{To: b.queueOf(pictures)} }

// publisher publishes what happens to plans.
func (b *services) publisher() *plan.Publisher {
	return &plan.Publisher{Questions: b.queueOf(userCommands), Events: b.bus(conversationEvents), Requests: b.bus(toolInvocationRequests), Answers: b.bus(botOutputEvents)}
}

func (b *services) booker() *booking.Booker {
	return &booking.Booker{Ledger: b.Ledger(), Catalog: booking.Listings{Store: b.Listings()}, Payments: b.Payments()}
}

// reminders reminds customers of bookings.
func (b *services) reminders() *booking.Reminders {
	return &booking.Reminders{Ledger: b.Ledger(), Threads: b.teller()}
}

// waitlist offers what has become free to those who wait.
func (b *services) waitlist() *booking.Waitlist {
	return &booking.Waitlist{
		Ledger: b.Ledger(), Catalog: booking.Listings{Store: b.Listings()}, Markets: b.Markets(), Threads: b.teller(), Payments: b.Payments(),
	}
}

func (b *services) paymentTeller() *payment.Teller {
	return &payment.Teller{Store: b.Payments(), Markets: b.Markets(), Threads: b.teller()}
}

// visits has the tools that callers use to arrange visits of technicians.
func (b *services) visits() *appointment.Desk {
	return &appointment.Desk{
		Ledger: b.Ledger(), Catalog: b.Visits(), Callers: b.callers(), Sessions: b.conversations(), OfferPerson: desk.Offering,
	}
}

// verification has the tool that verifies callers.
func (b *services) verification() customer.Desk {
	return customer.Desk{Verifier: b.callers(), OfferPerson: desk.Offering}
}

// caller has the tools for calling a taxi.
func (b *services) caller() *taxi.Caller {
	return &taxi.Caller{Store: b.Rides(), Geocoder: b.geocoder(), Log: b.Log}
}

func (b *services) rideTeller() *taxi.Teller {
	return &taxi.Teller{
		Rides: b.Rides(), Markets: b.Markets(), Threads: b.teller(), Roster: b.roster(), Outbox: b.Outbox(),
	}
}

// orderCommands are what businesses answer to orders.
func (b *services) orderCommands() *order.Commands {
	return &order.Commands{Store: b.Orders(), Roster: b.roster(), Outbox: b.Outbox()}
}

func (b *services) reporter(photos *media.Store) *report.Reporter {
	return &report.Reporter{
		Store: b.Reports(), Photos: photos, Places: b.geocoder(), Log: b.Log,
		AskDelete: func(lang string, r report.Report) string {
			return wording.Say(lang, wording.DeleteReport, wording.Vars{"address": cmp.Or(wording.Quote(lang, r.Address), r.ID)})
		},
	}
}

// placeFinder has the tools that look for places.
func (b *services) placeFinder() *place.Finder {
	return &place.Finder{Store: b.Places(), Maps: b.geocoder(), Log: b.Log}
}

// broker carries out what is asked about requests. Nil is no model to read what vendors answer.
func (b *services) broker(model llm.Model) *request.Broker {
	broker := &request.Broker{
		Store: b.Requests(), Vendors: b.Vendors(), Markets: b.Markets(), Threads: b.Threads(), Outbox: b.Outbox(), Roster: b.roster(), Bounds: b.bounds(), NewID: b.NewID, Log: b.Log,
	}
	if model != nil {
		broker.Parser = &quote.Parser{Model: model, Now: b.Now, Log: b.Log}
	}
	return broker
}

// searcher is a broker that looks outside of the catalogue too.
func (b *services) searcher(model llm.Model) *request.Broker {
	broker := b.broker(model)
	broker.Finder = b.finder()
	return broker
}

// calls has a broker call clients.
func (b *services) calls(broker *request.Broker) {
	broker.Alerts, broker.Sender, broker.Phone = b.Alerts(), b.Config.TwilioFrom, b.phone()
}

func (b *services) requestTeller() *request.Teller {
	broker := b.broker(nil)
	b.calls(broker)
	return &request.Teller{Broker: broker, Threads: b.teller(), Read: b.pictureQueue().Read}
}

// darkroom reads the pictures of requests.
func (b *services) darkroom(split Splitter) *quote.Pictures {
	return &quote.Pictures{
		Jobs: b.Requests().Jobs(), Requests: b.broker(nil), Reader: b.reader(split), Files: b.files(), Fetch: b.Photos().Fetch, Alerts: b.Alerts(), Queue: b.pictureQueue().Read,
	}
}

// office has what businesses can do by writing to us.
func (b *services) office() *ops.Office {
	return &ops.Office{Roster: b.roster(), Listings: b.Listings(), Orders: b.Orders(), Ledger: b.Ledger()}
}

// post passes on to customers what businesses write to them.
func (b *services) post() *relay.Post {
	return &relay.Post{
		Table: b.records(), Roster: b.roster(), Orders: b.Orders(), Ledger: b.Ledger(), Threads: b.teller(), Outbox: b.Outbox(), Now: b.Now,
	}
}

// handovers gives threads to people and back.
func (b *services) handovers() *desk.Desk {
	return &desk.Desk{Table: b.records(), Threads: b.teller(), Now: b.Now}
}

// Notifier tells people of ledger events.
func (b *services) Notifier() *notify.Notifier {
	return &notify.Notifier{
		Markets: b.Markets(), Listings: b.Listings(), Reports: b.Reports(), Orders: b.Orders(), Bookings: b.Ledger(), Threads: b.teller(), Paid: b.Payments().PaidFor, Outbox: b.Outbox(), Alert: b.alertOfMessage,
		SiteURL: b.Config.SiteURL,
	}
}

func (b *services) sender() *outbox.Sender {
	return &outbox.Sender{
		Box: b.Outbox(), Threads: b.Threads(), People: b.people(), Log: b.Log,
		Providers: map[channel.Channel]outbox.Provider{channel.WhatsApp: b.whatsAppProvider(), channel.Messenger: b.messengerProvider()},
		Alert:     b.alertOfMessage, TellUntold: b.Notifier().TellUntold,
	}
}

// reindexer rebuilds the index of a market; nil without a search engine.
func (b *services) reindexer() admin.Reindexer {
	indexer := b.indexer(b.unsearched())
	if indexer == nil {
		return nil
	}
	return func(ctx context.Context, market string) (admin.Reindexed, error) {
		report, err := indexer.Reindex(ctx, market)
		done := admin.Reindexed{Collection: report.Collection, Listings: report.Listings}
		for _, f := range report.Failed {
			done.Failed = append(done.Failed, admin.Unindexed(f))
		}
		return done, err
	}
}

// pictures lets the people of a chat send and see photos.
func (b *services) pictures(photos *media.Store) api.Pictures {
	return api.Pictures{Photos: photos, Limits: b.limits()}
}

// products opens the index of products.
type products = func(context.Context) (worker.Products, error)

// planEngine makes plans. Without an index of products it leaves the steps that need one to the function that has it.
func (b *services) planEngine(find products) (*plan.Engine, error) {
	figures := b.figures()
	e := &plan.Engine{
		Store: b.Plans(), Model: b.model(), Market: b.marketOrHome, Purse: figures, Timers: b.queueOf(planEvents),
		Guard: b.guard(b.model()), Site: b.Config.SiteURL,
		Holder: rand.Text(), NewID: func() string { return uuid.Must(uuid.NewV7()).String() }, Now: b.Now, Log: b.Log,
	}
	tools := &worker.Tools{
		Model: e.Model, Weather: &weather.Teller{Source: b.weather()},
		Products: find, Now: b.Now, Log: b.Log,
		Spent: figures.Spend, Guard: e.Guard, Site: e.Site,
	}
	if find == nil {
		e.Remote = map[string]queue.Queue{ragTool: b.queueOf(workerRag)}
	}
	var err error
	e.Tools, err = tool.NewRegistry(tools.All()...)
	return e, err
}

// guard judges what the assistants say, where a model is set for it.
func (b *services) guard(model llm.Model) *agent.Guard {
	if b.Config.GuardModel == "" {
		return nil
	}
	return &agent.Guard{Model: model, Name: b.Config.GuardModel, Log: b.Log}
}

// intake takes messages in, which needs the store and the queue only.
func (b *services) intake() turn.Intake { return turn.Intake{Threads: b.Threads(), Queue: b.queue()} }

// summarize has a model say what a call was about, which the home market pays.
func (b *services) summarize(ctx context.Context, s live.State) (string, error) {
	text, cost, err := live.Summarize(ctx, agent.Task{Model: b.model(), Now: b.Now, Log: b.Log}, s)
	if m, wrong := b.marketOrHome(ctx, ""); wrong == nil && cost > 0 {
		b.figures().Spend(ctx, m, cost)
	}
	return text, err
}

// tryVoice lets the model answer a message with an assistant's prompt, at the market's cost.
func (b *services) tryVoice(ctx context.Context, m *market.Market, prompt, message string) (string, error) {
	text, cost, err := agent.Once(ctx, agent.Task{
		Model: b.model(), Now: b.Now, Log: b.Log,
		Messages: []llm.Message{{Role: llm.System, Text: prompt}, {Role: llm.User, Text: message}},
	})
	b.figures().Spend(ctx, m, cost)
	return text, err
}

// stores are the stores of kept data, built on the providers that they ask. All parts of a function share a store
// that caches what it has read. Such a store is made on first use, so that a function carries no more than it uses.
type stores struct {
	*providers

	markets  once[*market.Store]
	listings once[*listing.Store]
	places   once[*place.Store]
	entries  once[*roster.Book]
	vendors  once[*vendor.Store]
}

type once[T any] struct {
	sync.Once
	made T
}

func (o *once[T]) get(make func() T) T {
	o.Do(func() { o.made = make() })
	return o.made
}

// Markets returns the store of markets.
func (b *stores) Markets() *market.Store {
	return b.markets.get(func() *market.Store { return &market.Store{Table: b.catalog(), Now: b.Now} })
}

// Listings returns the store of listings, searched by Typesense where there is one.
func (b *stores) Listings() *listing.Store {
	return b.listings.get(func() *listing.Store {
		s := b.unsearched()
		s.Engine = b.engine()
		return s
	})
}

// unsearched returns the store of listings without the search engine, for code that updates the engine from the
// store.
func (b *stores) unsearched() *listing.Store {
	return &listing.Store{Table: b.catalog(), Stock: b.stock(), Now: b.Now, Log: b.Log}
}

// Places returns the store of curated places.
func (b *stores) Places() *place.Store {
	return b.places.get(func() *place.Store { return &place.Store{Table: b.catalog(), Now: b.Now} })
}

func (b *stores) roster() *roster.Book {
	return b.entries.get(func() *roster.Book { return &roster.Book{Table: b.catalog(), Now: b.Now} })
}

// Vendors returns the store of vendors.
func (b *stores) Vendors() *vendor.Store {
	return b.vendors.get(func() *vendor.Store { return &vendor.Store{Table: b.catalog(), Now: b.Now} })
}

// Threads returns the store of threads.
func (b *stores) Threads() *thread.Store {
	return &thread.Store{Table: b.conversations(), Now: b.Now, NewID: b.NewID}
}

// Outbox returns the outbox.
func (b *stores) Outbox() *outbox.Box {
	return &outbox.Box{Table: b.conversations(), Now: b.Now, Log: b.Log}
}

// Ledger returns the ledger.
func (b *stores) Ledger() *ledger.Ledger {
	return &ledger.Ledger{Table: b.ledgerTable(), Now: b.Now, NewID: b.NewID, Alerts: b.Alerts(), Bounds: b.bounds(), Rows: b.rows()}
}

// checkedLedger returns the ledger for code that runs its checks. Those checks also forget payments and the messages
// to businesses.
func (b *stores) checkedLedger() *ledger.Ledger {
	l, payments := b.Ledger(), b.Payments()
	l.AlsoForget = func(ctx context.Context, tx ledger.Transaction) error {
		return errors.Join(payments.Forget(ctx, []ledger.Transaction{tx}), b.Outbox().Forget(ctx, tx.Thread))
	}
	return l
}

// Payments returns the store of payments.
func (b *stores) Payments() *payment.Store {
	return &payment.Store{
		Table: b.ledgerTable(), Ledger: b.Ledger(), Alerts: b.Alerts(), Provider: b.payments(), PublicURL: b.Config.SiteURL, Now: b.Now, Random: rand.Reader, Log: b.Log,
		Alerted: func(ctx context.Context) { b.countAlerts(ctx, 1) }, Release: booking.Confirm{Ledger: b.Ledger()}.Release, Summary: booking.Summary, Card: booking.Card,
	}
}

// Orders returns the store of orders.
func (b *stores) Orders() *order.Store {
	return &order.Store{Table: b.records(), Stock: b.stock(), Bounds: b.bounds(), Rows: b.rows(), Now: b.Now, AlsoErase: func(ctx context.Context, o order.Order) error {
		return b.Outbox().Forget(ctx, o.Thread)
	}}
}

// stock keeps the counts of what is counted.
func (b *stores) stock() *stock.Store { return &stock.Store{Table: b.records(), Now: b.Now} }

// checkStock looks whether the counts are what the orders say, and raises alerts.
func (b *stores) checkStock(ctx context.Context) (stock.Checked, error) {
	alerts := b.Alerts()
	return b.stock().Check(ctx, most.Count, b.Orders(), func(ctx context.Context, d stock.Drift) error {
		return alerts.Raise(ctx, alert.Alert{Check: "stock", Severity: alert.Error, Subject: d.Subject, Message: d.Message})
	})
}

// Rides returns the store of taxi rides.
func (b *stores) Rides() *taxi.Store {
	markets, alsoErase := b.Markets(), func(ctx context.Context, r taxi.Ride) error { return b.Outbox().Forget(ctx, r.Thread) }
	return &taxi.Store{Table: b.records(), Drivers: b.Drivers(), Bounds: b.bounds(), Rows: b.rows(), Now: b.Now, AlsoErase: alsoErase, Neighbours: func(ctx context.Context, id, district string) ([]string, error) {
		m, err := markets.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		return m.Neighbours(district), nil
	}}
}

// Drivers returns the store of drivers.
func (b *stores) Drivers() *taxi.Drivers {
	return &taxi.Drivers{Table: b.catalog(), Rides: b.records(), Now: b.Now, Roster: taxi.OnRoster{Table: b.catalog()}}
}

// Reports returns the store of damage reports.
func (b *stores) Reports() *report.Store {
	return &report.Store{
		Table: b.records(), Secrets: b.conversations(), Now: b.Now, Random: rand.Reader, PublicURL: b.Config.SiteURL, Rows: b.rows(),
	}
}

// Requests returns the store of marketplace requests.
func (b *stores) Requests() *request.Store {
	return &request.Store{Table: b.records(), Now: b.Now, Rows: b.rows()}
}

// Plans returns the store of plans.
func (b *stores) Plans() *plan.Store {
	return &plan.Store{Table: b.conversations(), Now: b.Now, Results: media.NewFiles(b.mediaBucket(), b.Now)}
}

// Customers returns the store of customers whom calls are about.
func (b *stores) Customers() *customer.Store { return &customer.Store{Table: b.catalog()} }

// Visits returns the store of services and technicians.
func (b *stores) Visits() *appointment.Catalog { return &appointment.Catalog{Table: b.catalog()} }

// callers knows whom a call is with.
func (b *stores) callers() *customer.Verifier {
	return &customer.Verifier{Customers: b.Customers(), Sessions: b.conversations(), Now: b.Now}
}

func (b *stores) people() *person.Book { return &person.Book{Table: b.conversations()} }

// rows are what stands of conversations.
func (b *stores) rows() *thread.Rows { return &thread.Rows{Table: b.conversations()} }

// bounds are on what customers may hold and set going, as their market says.
func (b *stores) bounds() *bound.Book {
	markets := b.Markets()
	return &bound.Book{Table: b.ledgerTable(), Now: b.Now, Limits: func(ctx context.Context, id string) (bound.Limits, error) {
		m, err := markets.Get(ctx, id)
		if err != nil {
			return bound.Limits{}, err
		}
		return m.Safety.Limits(), nil
	}}
}

// limits counts what the people of a chat do.
func (b *stores) limits() *limit.Counter {
	return &limit.Counter{Table: b.conversations(), Now: b.Now}
}

// anonymous bounds what sessions say.
func (b *stores) anonymous() api.Anonymous {
	return api.Anonymous{Limits: b.limits(), Most: b.Config.AddressMessages, Loopback: b.Config.BoundLoopback}
}

// Photos returns the store of photos.
func (b *stores) Photos() *media.Store {
	c, bucket := b.Config, b.mediaBucket()
	o := media.Options{
		Bucket: bucket, Public: bucket.Endpoint == "", AllowPrivate: c.PrivateMedia, Now: b.Now,
	}
	for _, provider := range []string{c.TwilioBaseURL, c.MetaBaseURL} {
		if at, err := url.Parse(provider); err == nil {
			o.Trusted = append(o.Trusted, at.Scheme+"://"+at.Host)
		}
	}
	if twilio, err := url.Parse(c.TwilioBaseURL); err == nil && c.TwilioAccountSID != "" {
		o.Authorize = map[string]func(*http.Request){twilio.Host: b.asTwilioWants}
	}
	return media.New(o)
}

// mediaBucket is where photos and large results are kept.
func (b *stores) mediaBucket() media.Bucket {
	at := media.Bucket{Name: b.Config.MediaBucket, Region: b.AWS.Region, Credentials: b.AWS.Credentials}
	if b.Getenv != nil {
		at.Endpoint = cmp.Or(b.Getenv("AWS_ENDPOINT_URL_S3"), b.Getenv("AWS_ENDPOINT_URL"))
	}
	return at
}

func (b *stores) files() media.Files { return media.NewFiles(b.mediaBucket(), b.Now) }

// teller tells people by turns of their threads.
func (b *stores) teller() thread.Teller { return thread.Teller{Store: b.Threads(), Queue: b.queue()} }

func (b *stores) audit() turn.Audit { return turn.Audit{Records: b.records()} }

func (b *stores) figures() *turn.Figures {
	return &turn.Figures{Records: b.records(), Now: b.Now, Log: b.Log}
}

// marketOrHome returns the market with an id, or the default market if id is "".
func (b *stores) marketOrHome(ctx context.Context, id string) (*market.Market, error) {
	return b.Markets().Get(ctx, cmp.Or(id, b.Config.DefaultMarket))
}

// productIndex opens the index of products at the first question: by the model in this process where its
// weights are, else by the model provider's embeddings, which the home market pays.
func (b *stores) productIndex(spent func(context.Context, *market.Market, int64)) products {
	var mu sync.Mutex
	var index *product.Index
	return func(ctx context.Context) (worker.Products, error) {
		mu.Lock()
		defer mu.Unlock()
		if index != nil {
			return index, nil
		}
		embedder, err := b.embedder(ctx)
		if err != nil {
			return nil, err
		}
		chunks, err := product.Catalogue(product.Files)
		if err != nil {
			return nil, err
		}
		opened, used, err := product.Open(ctx, chunks, product.Vectors, embedder)
		if cost := llm.Cost(embedder.Space().Model, used); cost > 0 {
			if m, err := b.marketOrHome(ctx, ""); err == nil {
				spent(context.WithoutCancel(ctx), m, cost)
			}
		}
		if err != nil {
			return nil, err
		}
		index = opened
		return index, nil
	}
}

// availability reads what is taken from the ledger.
type availability struct {
	ledger *ledger.Ledger
	now    func() time.Time
}

func (a availability) Taken(ctx context.Context, business, offering string, from, to time.Time) (schedule.Taken, error) {
	return a.ledger.Taken(ctx, business, offering, from, to, a.now())
}
