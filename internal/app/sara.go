package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/cloud/limit"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/api"
	"merve/internal/edge/web"
	"merve/internal/matter/report"
	"merve/internal/model/llm"
	"merve/internal/provider/mapbox"
	"merve/internal/provider/meta"
	"merve/internal/spine/assistant"
	"merve/internal/spine/outbox"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/media"
	"merve/internal/words/wording"
)

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
		Runner: r, Threads: r.Threads, Pictures: b.pictures(photos), People: b.desk(), Market: b.Config.DefaultMarket, Assistant: saraName,
		Anonymous: b.anonymous(), Origins: b.Config.AllowedOrigins, Patience: b.Config.Patience, NewID: b.NewID,
	}
	chat.Routes().Register(mux)
	shared := &api.SharedReports{Reports: b.Reports(), Photos: photos, Markets: b.Markets(), Origin: photos.Origin()}
	shared.Routes().Register(mux)
	mux.Handle("/", web.Sara(web.SaraConfig{ImageOrigin: photos.Origin(), Sockets: cmp.Or(b.Config.LiveURL, "/live")}))
	return b.http(mux), nil
}

// pictures lets the people of a chat send and see photos.
func (b *Base) pictures(photos *media.Store) api.Pictures {
	return api.Pictures{Photos: photos, Limits: b.limits()}
}

// anonymous bounds what sessions say.
func (b *Base) anonymous() api.Anonymous {
	return api.Anonymous{Limits: b.limits(), Most: b.Config.AddressMessages, Loopback: b.Config.BoundLoopback}
}

// limits counts what the people of a chat do.
func (b *Base) limits() *limit.Counter {
	return &limit.Counter{Table: b.conversations(), Now: b.Now}
}

// Messenger takes in Meta's webhooks.
func Messenger(b *Base) (trigger.Handler, error) {
	m := &lazyMeta{b: b}
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

// Reports returns the store of damage reports.
func (b *Base) Reports() *report.Store {
	return &report.Store{
		Table: b.records(), Secrets: b.conversations(), Now: b.Now, Random: rand.Reader, PublicURL: b.Config.SiteURL, Rows: b.rows(),
	}
}

// Photos returns the store of photos.
func (b *Base) Photos() *media.Store {
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
func (b *Base) mediaBucket() media.Bucket {
	at := media.Bucket{Name: b.Config.MediaBucket, Region: b.AWS.Region, Credentials: b.AWS.Credentials}
	if b.Getenv != nil {
		at.Endpoint = cmp.Or(b.Getenv("AWS_ENDPOINT_URL_S3"), b.Getenv("AWS_ENDPOINT_URL"))
	}
	return at
}

// asTwilioWants gives Twilio the credentials for the photos that it keeps.
func (b *Base) asTwilioWants(r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/2010-04-01/Accounts/"+b.Config.TwilioAccountSID+"/Messages/") {
		return // the address is whatever somebody sent us
	}
	if token, err := b.secrets.get(r.Context(), "TWILIO_AUTH_TOKEN"); err == nil && token != "" {
		r.SetBasicAuth(b.Config.TwilioAccountSID, token)
	}
}

func (b *Base) reporter(photos *media.Store) *report.Reporter {
	return &report.Reporter{
		Store: b.Reports(), Photos: photos, Places: b.geocoder(), Log: b.Log,
		AskDelete: func(lang string, r report.Report) string {
			return wording.Say(lang, wording.DeleteReport, wording.Vars{"address": cmp.Or(wording.Quote(lang, r.Address), r.ID)})
		},
	}
}

func (b *Base) geocoder() *mapbox.Client {
	return &mapbox.Client{
		HTTP: b.client("mapbox"), BaseURL: b.Config.MapboxBaseURL,
		Token: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "MAPBOX_TOKEN") },
	}
}

// sara is the assistant, with what it is told of the customer.
func (b *Base) sara(reports *report.Store) assistant.Assistant {
	a := assistant.Sara()
	a.Model, a.Sees = b.Config.SaraModel, llm.Sees(b.Config.SaraModel)
	a.Profile = func(ctx context.Context, tc tool.Context) (any, error) {
		briefs, err := reports.Profile(ctx, tc.Market.ID, tc.Actor.Keys())
		if err != nil {
			return nil, err
		}
		return profile{tc.Actor.Key(), tc.Actor.Name, tc.Channel, briefs}, nil
	}
	return a
}

// profile is what a model is told of a customer who reports damage.
type profile struct {
	ID      string          `json:"id"`
	Name    string          `json:"name,omitempty"`
	Channel channel.Channel `json:"channel"`
	Reports []report.Brief  `json:"reportIdsWithStatus"`
}

// messengerProvider is Meta, when there is a key or somewhere to ask for one.
func (b *Base) messengerProvider() outbox.Provider {
	if !b.secrets.has(pageTokens...) {
		return b.provider(channel.Messenger, nil)
	}
	return b.provider(channel.Messenger, &lazyMeta{b: b})
}

// pageTokens are the names of the page's access token.
var pageTokens = []string{"META_PAGE_ACCESS_TOKEN", "FACEBOOK_PAGE_ACCESS_TOKEN", "FB_PAGE_ACCESS_TOKEN"}

// lazyMeta makes Meta's client when it is needed, because its keys may have to be fetched.
type lazyMeta struct{ b *Base }

func (l *lazyMeta) client(ctx context.Context) (*meta.Client, error) {
	token, err := l.b.secrets.get(ctx, pageTokens...)
	if err != nil {
		return nil, err
	}
	secret, err := l.b.secrets.get(ctx, "META_APP_SECRET")
	if err != nil {
		return nil, err
	}
	return &meta.Client{HTTP: l.b.client("meta"), BaseURL: l.b.Config.MetaBaseURL, Token: token, Secret: secret, Now: l.b.Now}, nil
}

func (l *lazyMeta) Send(ctx context.Context, m outbox.Message) (string, error) {
	c, err := l.client(ctx)
	if err != nil {
		return "", &outbox.SendError{Outcome: outbox.Retry, Reason: "the secret store is away", Err: err}
	}
	return (&meta.Provider{Client: c}).Send(ctx, m)
}

func (l *lazyMeta) Find(ctx context.Context, m outbox.Message, since time.Time) ([]outbox.Found, error) {
	c, err := l.client(ctx)
	if err != nil {
		return nil, err
	}
	return (&meta.Provider{Client: c}).Find(ctx, m, since)
}

func (l *lazyMeta) typing(ctx context.Context, psid string) error {
	c, err := l.client(ctx)
	if err != nil {
		return err
	}
	return c.Typing(ctx, psid)
}
