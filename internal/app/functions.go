package app

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/bus"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/admin"
	"merve/internal/edge/api"
	"merve/internal/edge/httpapi"
	"merve/internal/edge/web"
	"merve/internal/edge/web/docs"
	"merve/internal/matter/appointment"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/model/llm"
	"merve/internal/people/desk"
	"merve/internal/people/notify"
	"merve/internal/provider/oidc"
	"merve/internal/provider/twilio"
	"merve/internal/record/ledger"
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
	"merve/internal/tenant/roster"
	"merve/internal/tenant/schedule"
)

// Chat answers the app and web channels, and serves the chat page. It has the gateway's default
// route, so it also says which methods the paths elsewhere take, those of other functions.
func Chat(elsewhere map[string][]string) func(*Base) (trigger.Handler, error) {
	return func(b *Base) (trigger.Handler, error) { return b.chat(elsewhere) }
}

func (b *Base) chat(elsewhere map[string][]string) (trigger.Handler, error) {
	r, err := b.runner()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	chat := &api.Chat{
		Who: b.who(), Runner: r, Threads: r.Threads, Assistants: r.Assistants, Market: b.Config.DefaultMarket,
		Patience: b.Config.Patience, Pictures: b.pictures(b.Photos()), Anonymous: b.anonymous(), NewID: b.NewID,
	}
	chat.Pictures.Links = true
	routes := chat.Routes()
	maps.Copy(routes, b.health().Routes())
	maps.Copy(routes, api.OpenAPI())
	routes.Register(mux)
	httpapi.RefuseOthers(mux, elsewhere)
	mux.Handle("/", web.ChatWith(web.ChatConfig{ImageOrigin: b.Photos().Origin(), Sockets: b.Config.LiveURL}))
	return b.http(mux), nil
}

// WhatsApp takes in Twilio's webhooks.
func WhatsApp(b *Base) (trigger.Handler, error) {
	h := &api.WhatsApp{
		Webhook: b.fromTwilio(), Intake: b.intake(), People: b.people(), Outbox: b.Outbox(), Markets: b.Markets(), Market: b.Config.DefaultMarket, Roles: b.roles(),
	}
	mux := http.NewServeMux()
	h.Routes().Register(mux)
	return b.http(mux), nil
}

// fromTwilio checks what Twilio has signed.
func (b *Base) fromTwilio() api.Webhook {
	return api.Webhook{
		AuthToken: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "TWILIO_AUTH_TOKEN") },
		PublicURL: b.Config.PublicURL, UnsignedFromLoopback: b.Config.UnsignedFromLoopback, Log: b.Log,
	}
}

// Turn runs the turns that the queue brings.
func Turn(b *Base) (trigger.Handler, error) {
	r, err := b.runner()
	if err != nil {
		return nil, err
	}
	return trigger.Queue(queue.Retry(b.queueOf(turns), b.Log, func(ctx context.Context, m trigger.Message) error {
		var body turnBody
		if err := json.Unmarshal([]byte(m.Body), &body); err != nil || body.ThreadID == "" {
			b.Log.ErrorContext(ctx, "turn message without a thread", "messageId", m.ID)
			return nil // it will never be right
		}
		return r.Work(ctx, body.ThreadID)
	}), trigger.Log(b.Log)), nil
}

// Notify tells people what happened in the ledger, gives money back for what was cancelled, offers what
// became free to those who wait, and takes reminders along with what was moved.
func Notify(b *Base) (trigger.Handler, error) {
	return b.events(b.ledgerTable(),
		ledger.Events.To(b.Notifier().Tell, b.Payments().Ended, b.waitlist().Freed, b.reminders().Moved),
		payment.Events.To(b.paymentTeller().Tell),
	)
}

// Notifier tells people of ledger events.
func (b *Base) Notifier() *notify.Notifier {
	return &notify.Notifier{
		Markets: b.Markets(), Listings: b.Listings(), Reports: b.Reports(), Orders: b.Orders(), Bookings: b.Ledger(), Threads: b.teller(), Paid: b.Payments().PaidFor, Outbox: b.Outbox(), Alert: b.alertOfMessage,
		SiteURL: b.Config.SiteURL, Log: b.Log,
	}
}

// Sender sends what is put on the outbox.
func Sender(b *Base) (trigger.Handler, error) {
	s := b.sender()
	return b.stream(func(ctx context.Context, r trigger.Record) error {
		m, err := outbox.FromStream(dynamo.Item(r.New))
		if err != nil {
			return err
		}
		return s.Deliver(ctx, m)
	}), nil
}

// Expiry expires the holds and proposals whose time has passed.
func Expiry(b *Base) (trigger.Handler, error) {
	l, orders, rides, reminders := b.Ledger(), b.Orders(), b.Rides(), b.reminders()
	payments := b.Payments()
	return trigger.Schedule(func(ctx context.Context, _ time.Time) error {
		return inShares(ctx, func(ctx context.Context) error {
			report, err := l.Sweep(ctx, dynamo.Budget{})
			b.Log.InfoContext(ctx, "expiry", "looked", report.Looked, "expired", report.Expired, "raced", report.Raced, "lagMs", report.Lag.Milliseconds(), "left", report.Left)
			return err
		}, func(ctx context.Context) error {
			swept, err := orders.Sweep(ctx, sweepLimit)
			b.Log.InfoContext(ctx, "orders", "looked", swept.Looked, "expired", swept.Expired, "unanswered", swept.Unanswered, "done", swept.Done)
			return err
		}, func(ctx context.Context) error {
			reminded, err := reminders.Sweep(ctx, b.Now(), sweepLimit)
			b.Log.InfoContext(ctx, "reminders", "sent", reminded)
			return err
		}, func(ctx context.Context) error {
			driven, err := rides.Sweep(ctx, dynamo.Budget{})
			b.Log.InfoContext(ctx, "rides", "report", driven)
			return err
		}, func(ctx context.Context) error {
			returned, err := payments.Sweep(ctx, sweepLimit)
			b.Log.InfoContext(ctx, "refunds", "looked", returned.Looked, "refunded", returned.Refunded)
			return err
		})
	}, trigger.Log(b.Log)), nil
}

// inShares does the parts of a function's work one after the other, each in its share of the time
// that is left: one with much to do, or whose provider is slow, leaves the others theirs. An error
// keeps no other part from its work.
func inShares(ctx context.Context, parts ...func(context.Context) error) error {
	errs := make([]error, len(parts))
	for i, part := range parts {
		ctx, cancel := ctx, func() {}
		if end, ok := ctx.Deadline(); ok {
			ctx, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(len(parts)-i))
		}
		errs[i] = part(ctx)
		cancel()
	}
	return errors.Join(errs...)
}

// Invariants checks what must always hold in the ledger and of what is counted, and that somebody was told of each
// event.
func Invariants(b *Base) (trigger.Handler, error) {
	l := b.checkedLedger()
	return trigger.Schedule(func(ctx context.Context, _ time.Time) error {
		var audit ledger.Audit
		var counts stock.Checked
		var again int
		err := inShares(ctx, func(ctx context.Context) (err error) {
			audit, err = l.CheckInvariants(ctx, dynamo.Budget{})
			return err
		}, func(ctx context.Context) (err error) {
			counts, err = b.checkStock(ctx)
			return err
		}, func(ctx context.Context) error {
			var errs []error
			for name, t := range map[string]dynamo.Table{"ledger": b.ledgerTable(), "records": b.records()} {
				n, err := b.resend(ctx, name, t)
				again, errs = again+n, append(errs, err)
			}
			return errors.Join(errs...)
		})
		b.countAlerts(ctx, audit.Critical+audit.Error+audit.Warning+counts.Drifted)
		b.Log.InfoContext(ctx, "invariants", "report", audit, "stock", counts, "untold", again)
		return err
	}, trigger.Log(b.Log)), nil
}

// sweepLimit is how many threads, messages or orders a sweep does something about: 500 of each shard.
const sweepLimit = 500 * dynamo.DueShards

// Sweep finds what was appended and never answered, stored and never sent.
func Sweep(b *Base) (trigger.Handler, error) {
	threads, sender, q := b.Threads(), b.sender(), b.queue()
	return trigger.Schedule(func(ctx context.Context, at time.Time) error {
		var found thread.Swept
		var sent int
		err := inShares(ctx, func(ctx context.Context) (err error) {
			found, err = threads.Sweep(ctx, sweepLimit, func(ctx context.Context, id string) error {
				return q.Queue(ctx, id, fmt.Sprintf("sweep-%s-%d", id, at.Unix()/60))
			})
			return err
		}, func(ctx context.Context) (err error) {
			sent, err = sender.Sweep(ctx, sweepLimit)
			return err
		})
		b.Log.InfoContext(ctx, "sweep", "threads", found.Looked, "queued", found.Queued, "quiet", found.Quiet, "messages", sent)
		return err
	}, trigger.Log(b.Log)), nil
}

// Admin serves the admin API.
func Admin(b *Base) (trigger.Handler, error) {
	photos := b.Photos()
	tools, err := b.Tools()
	if err != nil {
		return nil, err
	}
	assistants, err := b.assistants(tools)
	if err != nil {
		return nil, err
	}
	alerts := b.Alerts()
	alerts.Former = b.ledgerTable()
	a := &admin.API{
		Who: b.who(), Markets: b.Markets(), Listings: b.Listings(), Ledger: b.checkedLedger(), Alerts: alerts, Outbox: b.Outbox(), Threads: b.Threads(), Book: b.people(),
		Tools: tools, Assistants: assistants, Audit: b.audit(), Figures: b.figures(), Now: b.Now,
		Reports: &admin.Reports{Reports: b.Reports(), Photos: photos, Threads: b.Threads(), Market: b.Config.DefaultMarket},
		People:  b.desk(),
		Orders:  b.Orders(), Drivers: b.Drivers(), Rides: b.Rides(), Places: b.Places(), Vendors: b.Vendors(), Customers: b.Customers(), Visits: b.Visits(),
		Handover: b.handovers(), Reindex: b.reindexer(), Counts: b.checkStock, Broker: b.broker(nil),
		Voice: b.tryVoice, Files: b.files(),
	}
	mux := http.NewServeMux()
	a.Routes().Register(mux)
	mux.HandleFunc("/admin/api/", httpapi.NotFound)
	written := web.Docs(docs.Files, docs.Shape(api.Document))
	mux.Handle("/docs", written)
	mux.Handle("/docs/", written)
	mux.Handle("/", web.Admin(web.AdminConfig{
		Issuer: b.Config.AuthIssuer, ClientID: b.Config.AuthClientID, SignInOrigins: b.Config.SignInOrigins, Local: b.Config.AdminToken != "", ImageOrigin: photos.Origin(),
	}))
	return b.http(mux), nil
}

// tryVoice lets the model answer a message with an assistant's prompt, at the market's cost.
func (b *Base) tryVoice(ctx context.Context, m *market.Market, prompt, message string) (string, error) {
	text, cost, err := agent.Once(ctx, agent.Task{
		Model: &lazyModel{b: b}, Now: b.Now, Log: b.Log,
		Messages: []llm.Message{{Role: llm.System, Text: prompt}, {Role: llm.User, Text: message}},
	})
	b.figures().Spend(ctx, m, cost)
	return text, err
}

func (b *Base) runner() (*turn.Runner, error) { return b.Runner(&lazyModel{b: b}) }

// Runner puts together what a turn needs, with the model that answers.
func (b *Base) Runner(model llm.Model) (*turn.Runner, error) {
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
		Commitments: b.commitments(b.Ledger(), tools), Looks: b.looks(), Commands: b.commands(model), Refusals: request.Refusals{Broker: b.broker(nil)}, Works: works(), Matters: b.matters(),
		Model: model, Guard: b.guard(model), Outbox: b.Outbox(), Audit: b.audit(), Figures: b.figures(), Photos: b.Photos(), Desk: b.handovers(), Live: b.stage(),
		Site: b.Config.SiteURL, Now: b.Now, Wait: b.Wait, Log: b.Log,
	}, nil
}

// guard judges what the assistants say, where a model is set for it.
func (b *Base) guard(model llm.Model) *agent.Guard {
	if b.Config.GuardModel == "" {
		return nil
	}
	return &agent.Guard{Model: model, Name: b.Config.GuardModel, Log: b.Log}
}

// intake takes messages in, which needs the store and the queue only.
func (b *Base) intake() turn.Intake { return turn.Intake{Threads: b.Threads(), Queue: b.queue()} }

func (b *Base) audit() turn.Audit { return turn.Audit{Records: b.records()} }

func (b *Base) figures() *turn.Figures {
	return &turn.Figures{Records: b.records(), Now: b.Now, Log: b.Log}
}

// cast are all who answer; the first for a thread type is the type's own.
func (b *Base) cast() []assistant.Assistant {
	return []assistant.Assistant{b.searching(assistant.Merve()), b.sara(b.Reports()), b.pestcall(), b.searching(assistant.Moltbot()), assistant.Ops(), assistant.Dispatch(), assistant.Vendor()}
}

// assistants are the cast, of whom each has the tools that it lists.
func (b *Base) assistants(tools *tool.Registry) (*assistant.Set, error) {
	s, err := assistant.NewSet(b.cast()...)
	if err != nil {
		return nil, err
	}
	return s, s.CheckTools(tools)
}

// Tools are all that an assistant may have.
func (b *Base) Tools() (*tool.Registry, error) {
	plans, err := b.planEngine(nil)
	if err != nil {
		return nil, err
	}
	l, listings, booker := b.Ledger(), b.Listings(), b.booker()
	return tool.NewRegistry(slices.Concat(listings.Tools(availability{l, b.Now}), booker.Tools(), b.reporter(b.Photos()).Tools(), b.desk().Tools(),
		b.orderDesk().Tools(), b.placeFinder().Tools(), b.caller().Tools(), desk.Tools(), b.office().Tools(), b.reminders().Tools(), b.payer().Tools(), notify.Writer{Notifier: b.Notifier(), Talks: b.post(), Bounds: b.bounds()}.Tools(), b.post().Tools(),
		b.visits().Tools(), b.verification().Tools(), b.searcher(nil).Tools(), []tool.Tool{plans.Planner()})...)
}

func (b *Base) booker() *booking.Booker {
	return &booking.Booker{Ledger: b.Ledger(), Catalog: catalog{b.Listings()}, Payments: b.Payments()}
}

// looks are how what an offer rests on is looked at again before its YES, by kind of pending action.
func (b *Base) looks() map[string]gate.Look {
	booker := b.booker()
	all := map[string]gate.Look{booking.ConfirmKind: booker.Look, booking.RescheduleKind: booker.Look, payment.Kind: booker.Look}
	visits := b.visits()
	all[appointment.ConfirmKind], all[appointment.MoveKind] = visits.Look, visits.Look
	maps.Copy(all, b.orderDesk().Looks())
	maps.Copy(all, b.broker(nil).Looks())
	return all
}

// commitments are what a YES or NO does, by kind of pending action.
func (b *Base) commitments(l *ledger.Ledger, tools *tool.Registry) map[string]gate.Commitment {
	all := map[string]gate.Commitment{
		booking.ConfirmKind:    booking.Confirm{Ledger: l},
		booking.CancelKind:     booking.Cancel{Ledger: l, Payments: b.Payments()},
		booking.RescheduleKind: booking.Move{Ledger: l, Payments: b.Payments()},
		turn.FrozenCall:        turn.Frozen{Tools: tools},
		payment.Kind:           payment.Pay{Store: b.Payments()},
		payment.LetGoKind:      payment.LetGo{Store: b.Payments()},
	}
	maps.Copy(all, b.Orders().Commitments(b.Notifier()))
	callers := b.callers()
	all[appointment.ConfirmKind] = appointment.Confirm{Ledger: l, Callers: callers}
	all[appointment.MoveKind] = appointment.Move{Ledger: l, Callers: callers}
	all[appointment.CancelKind] = appointment.Cancel{Ledger: l, Callers: callers}
	all[desk.OfferKind] = desk.Offer{}
	all[taxi.ConfirmKind], all[taxi.CancelKind] = taxi.Confirm{Store: b.Rides()}, taxi.CancelRide{Store: b.Rides()}
	maps.Copy(all, b.broker(nil).Commitments())
	return all
}

// Threads, Markets, Listings, Ledger and Outbox are the stores, for functions and for
// whoever loads data.

// Threads returns the store of threads.
func (b *Base) Threads() *thread.Store {
	return &thread.Store{Table: b.conversations(), Now: b.Now, NewID: b.NewID}
}

// Markets returns the store of markets.
func (b *Base) Markets() *market.Store {
	return b.shared.markets.get(func() *market.Store { return &market.Store{Table: b.catalog(), Now: b.Now} })
}

func (b *Base) roster() *roster.Book {
	return b.shared.roster.get(func() *roster.Book { return &roster.Book{Table: b.catalog(), Now: b.Now} })
}

// Ledger returns the ledger.
func (b *Base) Ledger() *ledger.Ledger {
	return &ledger.Ledger{Table: b.ledgerTable(), Now: b.Now, NewID: b.NewID, Alerts: b.Alerts(), Bounds: b.bounds(), Rows: b.rows()}
}

// rows are what stands of conversations.
func (b *Base) rows() *thread.Rows { return &thread.Rows{Table: b.conversations()} }

// bounds are on what customers may hold and set going, as their market says.
func (b *Base) bounds() *bound.Book {
	markets := b.Markets()
	return &bound.Book{Table: b.ledgerTable(), Now: b.Now, Limits: func(ctx context.Context, id string) (bound.Limits, error) {
		m, err := markets.Get(ctx, id)
		if err != nil {
			return bound.Limits{}, err
		}
		return m.Safety.Limits(), nil
	}}
}

// Alerts returns what a person must look at.
func (b *Base) Alerts() *alert.Store {
	return &alert.Store{Table: b.db.Table(b.Config.TableAlerts), Now: b.Now}
}

// checkedLedger is for whoever runs the ledger's checks, which forget payments and what businesses were
// told, too.
func (b *Base) checkedLedger() *ledger.Ledger {
	l, payments := b.Ledger(), b.Payments()
	l.AlsoForget = func(ctx context.Context, tx ledger.Transaction) error {
		return errors.Join(payments.Forget(ctx, []ledger.Transaction{tx}), b.Outbox().Forget(ctx, tx.Thread))
	}
	return l
}

func (b *Base) people() *person.Book { return &person.Book{Table: b.conversations()} }

// Outbox returns the outbox.
func (b *Base) Outbox() *outbox.Box { return &outbox.Box{Table: b.conversations(), Now: b.Now} }

func (b *Base) sender() *outbox.Sender {
	return &outbox.Sender{
		Box: b.Outbox(), Threads: b.Threads(), People: b.people(), Log: b.Log,
		Providers: map[channel.Channel]outbox.Provider{channel.WhatsApp: b.whatsAppProvider(), channel.Messenger: b.messengerProvider()},
		Alert:     b.alertOfMessage, TellUntold: b.Notifier().TellUntold,
	}
}

// alertOfMessage tells the operators of a message that was given up.
func (b *Base) alertOfMessage(ctx context.Context, m outbox.Message) error {
	b.countAlerts(ctx, 1)
	return b.Alerts().Raise(ctx, alert.Alert{
		Check: "outbox", Severity: alert.Warning, Subject: m.Thread + "/" + m.ID, Message: "a message was given up: " + m.Error,
	})
}

// writesToWhatsApp reports whether Twilio is configured.
func (b *Base) writesToWhatsApp() bool {
	return b.Config.TwilioAccountSID != "" && b.secrets.has("TWILIO_AUTH_TOKEN")
}

// whatsAppProvider is Twilio, when it is configured.
func (b *Base) whatsAppProvider() outbox.Provider {
	if !b.writesToWhatsApp() {
		return b.provider(channel.WhatsApp, nil)
	}
	return b.provider(channel.WhatsApp, &lazyTwilio{b: b})
}

// provider is p, unless somebody else takes its place.
func (b *Base) provider(ch channel.Channel, p outbox.Provider) outbox.Provider {
	if b.Provider != nil {
		return b.Provider(ch, p)
	}
	return p
}

// teller tells people by turns of their threads.
func (b *Base) teller() thread.Teller { return thread.Teller{Store: b.Threads(), Queue: b.queue()} }

// queue has turns run.
func (b *Base) queue() turn.Queue { return TurnQueue{b.queueOf(turns)} }

// queueOf is a queue by its name in the wiring.
func (b *Base) queueOf(name string) queue.Queue {
	if b.Queues != nil {
		return b.Queues(name)
	}
	return queue.NewSQS(b.AWS, b.Config.QueueURLs[name])
}

// bus is an event bus by its name in the wiring.
func (b *Base) bus(name string) bus.Bus {
	if b.Buses != nil {
		return b.Buses(name)
	}
	return bus.NewEventBridge(b.AWS, b.Config.BusNames[name])
}

// TurnQueue queues turns, in order for each thread.
type TurnQueue struct{ To queue.Queue }

type turnBody struct {
	ThreadID string `json:"threadId"`
}

// Queue queues a turn.
func (q TurnQueue) Queue(ctx context.Context, threadID, dedupe string) error {
	body, err := json.Marshal(turnBody{threadID})
	if err != nil {
		return err
	}
	return q.To.Send(ctx, queue.Message{Group: threadID, Dedupe: dedupe, Body: string(body)})
}

func (b *Base) who() httpapi.Who {
	w := httpapi.Who{AdminToken: b.Config.AdminToken}
	if b.Config.AuthIssuer != "" {
		w.Tokens = &oidc.Verifier{Issuer: b.Config.AuthIssuer, Audience: b.Config.AuthAudience, JWKSURL: b.Config.AuthJWKSURL, Now: b.Now}
	}
	return w
}

func (b *Base) http(h http.Handler) trigger.Handler {
	return trigger.HTTP(httpapi.Traced(h, b.Log), trigger.Log(b.Log))
}

// catalog finds what can be booked in the listings.
type catalog struct{ listings *listing.Store }

func (c catalog) Bookable(ctx context.Context, marketID, listingID, offeringID string) (booking.Bookable, error) {
	l, err := c.listings.Get(ctx, marketID, listingID)
	if err != nil {
		return booking.Bookable{}, err
	}
	action, ok := l.Action(listing.BookAction)
	if !ok {
		return booking.Bookable{}, fault.New(fault.Conflict, "this listing takes no bookings here")
	}
	if offeringID == "" && len(l.Offerings) > 0 {
		offeringID = l.Offerings[0].ID
	}
	o, err := l.Offering(offeringID)
	if err != nil {
		return booking.Bookable{}, err
	}
	return booking.Bookable{
		Business: l.Business, Listing: l.ID, ListingName: l.Name("en"), Offering: o, Longest: l.Longest[o.ID], Merchant: l.Dispatch(action), Tags: append(l.Tags, action.Tags...), Kinds: []string{l.Category, l.SubCategory}, Location: l.Location,
		Unchanged: []dynamo.Write{c.listings.Unchanged(l).Else(gate.ErrMeanwhile)},
		Contact:   l.Merve.Contact,
	}, nil
}

// availability reads what is taken from the ledger.
type availability struct {
	ledger *ledger.Ledger
	now    func() time.Time
}

func (a availability) Taken(ctx context.Context, business, offering string, from, to time.Time) (schedule.Taken, error) {
	return a.ledger.Taken(ctx, business, offering, from, to, a.now())
}

// lazyTwilio makes Twilio's client when the first message goes out, because its key may
// have to be fetched.
type lazyTwilio struct{ b *Base }

func (l *lazyTwilio) provider(ctx context.Context, from string) (*twilio.Provider, error) {
	client, err := l.client(ctx, from)
	if err != nil {
		return nil, &outbox.SendError{Outcome: outbox.Retry, Reason: "the secret store is away", Err: err}
	}
	p := &twilio.Provider{Client: client}
	if base := strings.TrimSuffix(l.b.Config.PublicURL, "/"); base != "" {
		p.StatusURL = func(m outbox.Message) string { return api.StatusURL(base, m) }
	}
	return p, nil
}

// client is Twilio's client of a sender; "" is the account's own.
func (l *lazyTwilio) client(ctx context.Context, from string) (*twilio.Client, error) {
	token, err := l.b.secrets.get(ctx, "TWILIO_AUTH_TOKEN")
	if err != nil {
		return nil, err
	}
	c := l.b.Config
	return &twilio.Client{
		BaseURL: c.TwilioBaseURL, AccountSID: c.TwilioAccountSID, AuthToken: token, From: cmp.Or(from, c.TwilioFrom), HTTP: l.b.client("twilio"), Now: l.b.Now,
	}, nil
}

func (l *lazyTwilio) Send(ctx context.Context, m outbox.Message) (string, error) {
	p, err := l.provider(ctx, m.From)
	if err != nil {
		return "", err
	}
	return p.Send(ctx, m)
}

func (l *lazyTwilio) Find(ctx context.Context, m outbox.Message, since time.Time) ([]outbox.Found, error) {
	p, err := l.provider(ctx, m.From)
	if err != nil {
		return nil, err
	}
	return p.Find(ctx, m, since)
}
