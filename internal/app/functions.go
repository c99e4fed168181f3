package app

import (
	"cmp"
	"context"
	"maps"
	"net/http"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/admin"
	"merve/internal/edge/api"
	"merve/internal/edge/httpapi"
	"merve/internal/edge/web"
	"merve/internal/edge/web/docs"
	"merve/internal/spine/outbox"
	"merve/internal/spine/turn"
)

// Records tells people what happened to reports, orders and rides.
func Records(b *Base) (trigger.Handler, error) { return b.events(b.records(), b.recordEvents()...) }

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

// WhatsApp receives Twilio's webhooks.
func WhatsApp(b *Base) (trigger.Handler, error) {
	h := &api.WhatsApp{
		Webhook: b.fromTwilio(), Intake: b.intake(), People: b.people(), Outbox: b.Outbox(), Markets: b.Markets(), Market: b.Config.DefaultMarket, Roles: b.roles(),
	}
	mux := http.NewServeMux()
	h.Routes().Register(mux)
	return b.http(mux), nil
}

// Turn runs the turns that the queue brings.
func Turn(b *Base) (trigger.Handler, error) {
	r, err := b.runner()
	if err != nil {
		return nil, err
	}
	return trigger.Queue(queue.Retry(b.queueOf(turns), b.Log, func(ctx context.Context, m trigger.Message) error {
		thread, ok := turn.ReadQueued(m.Body)
		if !ok {
			b.Log.ErrorContext(ctx, "turn message without a thread", "messageId", m.ID)
			return nil // it will never be right
		}
		return r.Work(ctx, thread)
	}), trigger.Log(b.Log)), nil
}

// Notify handles events of the ledger: it tells people, gives back the money for cancelled bookings, offers free
// times to those who wait, and moves reminders along with their bookings.
func Notify(b *Base) (trigger.Handler, error) { return b.events(b.ledgerTable(), b.ledgerEvents()...) }

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

// Expiry ends what nobody answered in time, and reminds, refunds and closes what has become due.
func Expiry(b *Base) (trigger.Handler, error) { return b.scheduled(b.lapses()), nil }

// Invariants checks what must always hold in the ledger and in the counts, and that somebody was told of each event.
func Invariants(b *Base) (trigger.Handler, error) { return b.scheduled(b.checks()), nil }

// Sweep finds what was appended and never answered, and what was stored and never sent.
func Sweep(b *Base) (trigger.Handler, error) { return b.scheduled(b.unanswered()), nil }

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
		People:  b.account(),
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

// Stripe receives Stripe's webhooks, and serves the pages for payments.
func Stripe(b *Base) (trigger.Handler, error) {
	h := &api.Stripe{
		Payments: b.Payments(), Intents: b.stripe(), Markets: b.Markets(), PublishableKey: b.Config.StripePublishableKey,
		WebhookSecret:        func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "STRIPE_WEBHOOK_SECRET") },
		UnsignedFromLoopback: b.Config.UnsignedStripeFromLoopback, Now: b.Now, Log: b.Log,
	}
	mux := http.NewServeMux()
	h.Routes().Register(mux)
	mux.Handle("GET /pay/static/{file}", web.PayFiles())
	return b.http(mux), nil
}

// saraName is the assistant of the widget and of Messenger.
const saraName = "sara"

// Sara answers the widget that other sites embed, and shows what its reports' links lead to.
func Sara(b *Base) (trigger.Handler, error) {
	r, err := b.runner()
	if err != nil {
		return nil, err
	}
	photos := b.Photos()
	mux := http.NewServeMux()
	chat := &api.WebChat{
		Runner: r, Threads: r.Threads, Pictures: b.pictures(photos), People: b.account(), Market: b.Config.DefaultMarket, Assistant: saraName,
		Anonymous: b.anonymous(), Origins: b.Config.AllowedOrigins, Patience: b.Config.Patience, NewID: b.NewID,
	}
	chat.Routes().Register(mux)
	shared := &api.SharedReports{Reports: b.Reports(), Photos: photos, Markets: b.Markets(), Origin: photos.Origin()}
	shared.Routes().Register(mux)
	mux.Handle("/", web.Sara(web.SaraConfig{ImageOrigin: photos.Origin(), Sockets: cmp.Or(b.Config.LiveURL, "/live")}))
	return b.http(mux), nil
}

// Messenger receives Meta's webhooks.
func Messenger(b *Base) (trigger.Handler, error) {
	m := &lazyMeta{b: b.providers}
	h := &api.Messenger{
		Intake: b.intake(), Outbox: b.Outbox(),
		AppSecret: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "META_APP_SECRET") },
		VerifyToken: func(ctx context.Context) (string, error) {
			return b.secrets.get(ctx, "META_VERIFY_TOKEN", "FACEBOOK_VERIFY_TOKEN", "FB_VERIFY_TOKEN")
		},
		Market: b.Config.DefaultMarket, Assistant: saraName, Typing: m.typing,
		UnsignedFromLoopback: b.Config.UnsignedMetaFromLoopback, Log: b.Log,
	}
	mux := http.NewServeMux()
	h.Routes().Register(mux)
	return b.http(mux), nil
}

// Index keeps the search engine to the listings. Without one there is nothing to do.
func Index(b *Base) (trigger.Handler, error) {
	indexer := b.indexer(b.unsearched())
	return b.stream(func(ctx context.Context, r trigger.Record) error {
		if indexer == nil {
			return nil
		}
		return indexer.See(ctx, dynamo.Item(r.Keys).Key())
	}), nil
}
