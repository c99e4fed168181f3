package app

import (
	"context"
	"net/http"
	"strings"
	"time"

	"merve/internal/cloud/trigger"
	"merve/internal/edge/api"
	"merve/internal/matter/callconsent"
	"merve/internal/matter/quote"
	"merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/model/llm"
	"merve/internal/provider/twilio/voice"
)

// Marketplace takes calls of programs and of the desk about requests.
func Marketplace(b *Base) (trigger.Handler, error) {
	broker := b.searcher(&lazyModel{b: b})
	b.calls(broker)
	mux := http.NewServeMux()
	(&api.Requests{Who: b.who(), Broker: broker}).Routes().Register(mux)
	(&api.Calls{Webhook: b.fromTwilio(), Calls: broker.Calls()}).Routes().Register(mux)
	return b.http(mux), nil
}

// calls has a broker call clients, and end such calls, where Twilio is configured and knows where to ask what to do.
func (b *Base) calls(broker *request.Broker) {
	broker.Alerts, broker.Sender = b.Alerts(), b.Config.TwilioFrom
	base := strings.TrimSuffix(b.Config.PublicURL, "/")
	if base == "" || !b.writesToWhatsApp() {
		return
	}
	broker.Phone = &voice.Phone{
		Client:   (&lazyTwilio{b: b}).client,
		Answered: func(at callconsent.Place) string { return api.AnsweredURL(base, at) },
		Status:   func(at callconsent.Place) string { return api.CallStatusURL(base, at) },
	}
}

// Outreach reminds vendors who have not answered, and gives up those who do not. It lets consents expire, and asks Twilio
// what became of calls. Pictures that nobody reads it has read.
func Outreach(b *Base) (trigger.Handler, error) {
	t, p := b.requestTeller(), b.darkroom(nil)
	return trigger.Schedule(func(ctx context.Context, _ time.Time) error {
		return inShares(ctx, func(ctx context.Context) error {
			swept, err := t.Sweep(ctx, sweepLimit)
			b.Log.InfoContext(ctx, "outreach", "report", swept)
			return err
		}, func(ctx context.Context) error {
			closed, err := t.Broker.CloseCalls(ctx, sweepLimit)
			b.Log.InfoContext(ctx, "calls", "unclear", closed)
			return err
		}, func(ctx context.Context) error {
			done, err := t.Broker.Calls().Sweep(ctx, sweepLimit)
			b.Log.InfoContext(ctx, "consents", "done", done)
			return err
		}, func(ctx context.Context) error {
			queued, err := p.Sweep(ctx, sweepLimit)
			b.Log.InfoContext(ctx, "pictures", "queued", queued)
			return err
		})
	}, trigger.Log(b.Log)), nil
}

// Requests returns the store of marketplace requests.
func (b *Base) Requests() *request.Store {
	return &request.Store{Table: b.records(), Now: b.Now, Rows: b.rows()}
}

// Vendors returns the store of vendors.
func (b *Base) Vendors() *vendor.Store {
	return b.shared.vendors.get(func() *vendor.Store { return &vendor.Store{Table: b.catalog(), Now: b.Now} })
}

// broker carries out what is asked about requests. Nil is no model to read what vendors answer.
func (b *Base) broker(model llm.Model) *request.Broker {
	broker := &request.Broker{
		Store: b.Requests(), Vendors: b.Vendors(), Markets: b.Markets(), Threads: b.Threads(), Outbox: b.Outbox(), Roster: b.roster(),
		Bounds: b.bounds(), NewID: b.NewID, Log: b.Log,
	}
	if model != nil {
		broker.Parser = &quote.Parser{Model: model, Now: b.Now, Log: b.Log}
	}
	return broker
}

// searcher is a broker that looks outside of the catalogue too.
func (b *Base) searcher(model llm.Model) *request.Broker {
	broker := b.broker(model)
	broker.Finder = b.finder()
	return broker
}

func (b *Base) requestTeller() *request.Teller {
	broker := b.broker(nil)
	b.calls(broker)
	return &request.Teller{Broker: broker, Threads: b.teller(), Read: b.queuePicture}
}
