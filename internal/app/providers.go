package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/apigatewaymanagementapi"
	"github.com/aws/aws-sdk-go-v2/service/apigatewaymanagementapi/types"

	"merve/internal/base/fault"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/exchange"
	"merve/internal/edge/api"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/callconsent"
	"merve/internal/matter/discovery"
	"merve/internal/matter/payment"
	"merve/internal/matter/quote/ocr"
	"merve/internal/model/llm"
	"merve/internal/model/minilm"
	"merve/internal/plan/weather"
	"merve/internal/provider/gemini"
	"merve/internal/provider/googleplaces"
	"merve/internal/provider/mapbox"
	"merve/internal/provider/meta"
	"merve/internal/provider/oidc"
	"merve/internal/provider/openai"
	"merve/internal/provider/openmeteo"
	"merve/internal/provider/realtimekit"
	"merve/internal/provider/stripe"
	"merve/internal/provider/textract"
	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/voice"
	"merve/internal/provider/typesense"
	"merve/internal/record/listing"
	"merve/internal/spine/live"
	"merve/internal/spine/outbox"
	"merve/internal/tenant/channel"
)

// defaults are what the packages of providers know by themselves, by the variable that says something else.
var defaults = map[string]string{
	"GEMINI_BASE_URL":              gemini.DefaultBaseURL,
	"GEMINI_MODEL":                 gemini.DefaultModel,
	"GOOGLE_PLACES_BASE_URL":       googleplaces.DefaultBaseURL,
	"MAPBOX_BASE_URL":              mapbox.DefaultBaseURL,
	"META_BASE_URL":                meta.DefaultBaseURL,
	"OPENAI_BASE_URL":              "https://api.openai.com/v1",
	"OPENMETEO_BASE_URL":           openmeteo.DefaultBaseURL,
	"OPENMETEO_GEOCODING_BASE_URL": openmeteo.DefaultGeocodingBaseURL,
	"REALTIMEKIT_BASE_URL":         realtimekit.DefaultBaseURL,
	"STRIPE_BASE_URL":              stripe.DefaultBaseURL,
	"TWILIO_BASE_URL":              "https://api.twilio.com",
}

// providers are the clients of outside services, which only this file knows. None asks its service for anything before it
// is used.
type providers struct{ *Process }

const (
	geminiKey = "GEMINI_API_KEY"
	placesKey = "GOOGLE_PLACES_API_KEY"

	redirectTimeout = 3 * time.Second
)

// finder looks outside of the catalogue.
func (b *providers) finder() *discovery.Finder {
	c := b.Config
	key := func(name string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return b.secrets.get(ctx, name) }
	}
	f := &discovery.Finder{
		Web: c.ExternalDiscovery, Profiles: c.SocialDiscovery, Places: c.MapsEnrichment, WebCalls: c.DiscoveryCalls, MapCalls: c.MapsCalls,
		Gemini: &gemini.Client{
			BaseURL: c.GeminiBaseURL, Key: key(geminiKey), Model: c.GeminiModel, HTTP: b.client("gemini"), Public: exchange.Public(redirectTimeout),
		},
		Map: &googleplaces.Client{BaseURL: c.GooglePlacesBaseURL, Key: key(placesKey), HTTP: b.client("googleplaces")},
	}
	if !c.NoWebSearch {
		f.OpenAI = &openai.Searcher{BaseURL: c.OpenAIBaseURL, Key: key(modelKey), Model: c.OpenAIModel, HTTP: b.client("openai")}
	}
	return f
}

// fromTwilio checks what Twilio has signed.
func (b *providers) fromTwilio() api.Webhook {
	return api.Webhook{
		AuthToken: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "TWILIO_AUTH_TOKEN") },
		PublicURL: b.Config.PublicURL, UnsignedFromLoopback: b.Config.UnsignedFromLoopback, Log: b.Log,
	}
}

// writesToWhatsApp reports whether Twilio is configured.
func (b *providers) writesToWhatsApp() bool {
	return b.Config.TwilioAccountSID != "" && b.secrets.has("TWILIO_AUTH_TOKEN")
}

// whatsAppProvider is Twilio, when it is configured.
func (b *providers) whatsAppProvider() outbox.Provider {
	if !b.writesToWhatsApp() {
		return b.provider(channel.WhatsApp, nil)
	}
	return b.provider(channel.WhatsApp, &lazyTwilio{b: b})
}

// provider is p, unless somebody else takes its place.
func (b *providers) provider(ch channel.Channel, p outbox.Provider) outbox.Provider {
	if b.Provider != nil {
		return b.Provider(ch, p)
	}
	return p
}

func (b *providers) who() httpapi.Who {
	w := httpapi.Who{AdminToken: b.Config.AdminToken}
	if b.Config.AuthIssuer != "" {
		w.Tokens = &oidc.Verifier{Issuer: b.Config.AuthIssuer, Audience: b.Config.AuthAudience, JWKSURL: b.Config.AuthJWKSURL, Now: b.Now}
	}
	return w
}

// lazyTwilio makes Twilio's client when the first message goes out, because its key may
// have to be fetched.
type lazyTwilio struct{ b *providers }

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

// stage is where turns of live conversations speak; nil where no sockets can be reached.
func (b *providers) stage() *live.Stage {
	posts := b.Sockets
	if posts == nil && b.Config.LiveEndpoint != "" {
		posts = &connections{apigatewaymanagementapi.NewFromConfig(b.AWS, func(o *apigatewaymanagementapi.Options) {
			o.BaseEndpoint = aws.String(b.Config.LiveEndpoint)
		})}
	}
	if posts == nil {
		return nil
	}
	return &live.Stage{Table: b.conversations(), Posts: posts, Now: b.Now, Wait: b.Wait, Log: b.Log, Patience: b.Config.LivePatience}
}

// connections are those of API Gateway.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html
type connections struct {
	client *apigatewaymanagementapi.Client
}

func (c *connections) Post(ctx context.Context, id string, data []byte) error {
	_, err := c.client.PostToConnection(ctx, &apigatewaymanagementapi.PostToConnectionInput{ConnectionId: &id, Data: data})
	return gone(err)
}

func (c *connections) Hangup(ctx context.Context, id string) error {
	_, err := c.client.DeleteConnection(ctx, &apigatewaymanagementapi.DeleteConnectionInput{ConnectionId: &id})
	return gone(err)
}

func gone(err error) error {
	var g *types.GoneException
	if errors.As(err, &g) {
		return live.ErrGone
	}
	return fault.Wrap(err, fault.Unavailable, "socket")
}

// rooms are where callers are heard; nil without an account for them.
func (b *providers) rooms() live.Rooms {
	c := b.Config
	if c.RealtimeKitAccount == "" || c.RealtimeKitApp == "" {
		return nil
	}
	return &realtimekit.Client{
		BaseURL: c.RealtimeKitBaseURL, Account: c.RealtimeKitAccount, App: c.RealtimeKitApp, Preset: c.RealtimeKitPreset,
		Token: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "REALTIMEKIT_API_TOKEN") },
	}
}

// model is the model that answers everywhere.
func (b *providers) model() llm.Model { return &lazyModel{b: b.Process} }

// lazyModel asks the model with the current key, which may have to be fetched and may change while the process runs.
// A client costs nothing to make; the process shares its connections.
type lazyModel struct {
	b *Process

	mu   sync.Mutex
	told time.Time // when an alert was last raised
}

// attempt is how long one try of a model may take; a turn's own limit is above it.
const attempt = 75 * time.Second

func (l *lazyModel) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	m, err := l.model(ctx)
	if err != nil {
		return llm.Response{}, l.noted(ctx, err)
	}
	answer, err := m.Complete(ctx, req)
	return answer, l.noted(ctx, err)
}

func (l *lazyModel) Stream(ctx context.Context, req llm.Request, say func(delta string) error) (llm.Response, error) {
	m, err := l.model(ctx)
	if err != nil {
		return llm.Response{}, l.noted(ctx, err)
	}
	answer, err := m.Stream(ctx, req, say)
	return answer, l.noted(ctx, err)
}

const (
	alertWithin = 5 * time.Second
	alertEvery  = time.Minute // and process, while the key is refused
)

// noted raises a critical alert when the provider refuses the key: customers are only told to try again, and
// nobody else would know. It returns err.
func (l *lazyModel) noted(ctx context.Context, err error) error {
	if !llm.OfAccount(err) || !l.due() {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), alertWithin)
	defer cancel()
	l.b.countAlerts(ctx, 1)
	a := refusedKey()
	a.Message = "nobody is answered: " + err.Error()
	if raised := l.b.Alerts().Raise(ctx, a); raised != nil {
		l.b.Log.ErrorContext(ctx, "alert not raised", "error", raised.Error())
	}
	return err
}

// due reports whether it is time for another alert.
func (l *lazyModel) due() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.b.Now()
	if now.Sub(l.told) < alertEvery {
		return false
	}
	l.told = now
	return true
}

// refusedKey is the alert that the model's provider does not take our key.
func refusedKey() alert.Alert {
	return alert.Alert{Check: "model", Severity: alert.Critical, Subject: modelKey}
}

const modelKey = "OPENAI_API_KEY"

func (l *lazyModel) model(ctx context.Context) (llm.Model, error) {
	key, err := l.b.secrets.get(ctx, modelKey)
	if err != nil {
		return nil, llm.Fail(llm.Unavailable, "key: %w", err)
	}
	if key == "" {
		return nil, &llm.Error{Meaning: llm.Refused, Account: true, Err: errors.New(modelKey + " is not set")}
	}
	m, err := openai.New(openai.Config{
		BaseURL: l.b.Config.OpenAIBaseURL, Key: key, Model: l.b.Config.OpenAIModel,
		HTTP: l.b.client("openai"), Retry: llm.Retry{Timeout: attempt, Now: l.b.Now},
	})
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
}

func (b *providers) stripe() *stripe.Client {
	return &stripe.Client{
		HTTP: b.client("stripe"), BaseURL: b.Config.StripeBaseURL, Key: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "STRIPE_SECRET_KEY") },
	}
}

// Splitter makes each page of a PDF a PDF of its own.
type Splitter = func(ctx context.Context, pdf []byte) ([]ocr.Sheet, error)

func (b *providers) embedder(ctx context.Context) (llm.Embedder, error) {
	if _, err := os.Stat(filepath.Join(b.Config.MiniLMDir, minilm.WeightsFile)); err == nil && b.Config.EmbeddingModel == "" {
		return minilm.Load(b.Config.MiniLMDir)
	}
	if b.Config.EmbeddingModel == "" {
		return nil, fmt.Errorf("no weights in MINILM_DIR (%s), and OPENAI_EMBEDDING_MODEL is not set", b.Config.MiniLMDir)
	}
	key, err := b.secrets.get(ctx, "OPENAI_API_KEY")
	if err != nil {
		return nil, err
	}
	c, err := openai.New(openai.Config{
		BaseURL: b.Config.OpenAIBaseURL, Key: key, Model: b.Config.OpenAIModel, HTTP: b.client("openai"), Retry: llm.Retry{Timeout: attempt, Now: b.Now},
	})
	if err != nil {
		return nil, err
	}
	return c.Embedder(b.Config.EmbeddingModel, 0)
}

// asTwilioWants gives Twilio the credentials for the photos that it keeps.
func (b *providers) asTwilioWants(r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/2010-04-01/Accounts/"+b.Config.TwilioAccountSID+"/Messages/") {
		return // the address is whatever somebody sent us
	}
	if token, err := b.secrets.get(r.Context(), "TWILIO_AUTH_TOKEN"); err == nil && token != "" {
		r.SetBasicAuth(b.Config.TwilioAccountSID, token)
	}
}

func (b *providers) geocoder() *mapbox.Client {
	return &mapbox.Client{
		HTTP: b.client("mapbox"), BaseURL: b.Config.MapboxBaseURL,
		Token: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "MAPBOX_TOKEN") },
	}
}

// messengerProvider is Meta, when there is a key or somewhere to ask for one.
func (b *providers) messengerProvider() outbox.Provider {
	if !b.secrets.has(pageTokens...) {
		return b.provider(channel.Messenger, nil)
	}
	return b.provider(channel.Messenger, &lazyMeta{b: b})
}

// pageTokens are the names of the page's access token.
var pageTokens = []string{"META_PAGE_ACCESS_TOKEN", "FACEBOOK_PAGE_ACCESS_TOKEN", "FB_PAGE_ACCESS_TOKEN"}

// lazyMeta makes Meta's client when it is needed, because its keys may have to be fetched.
type lazyMeta struct{ b *providers }

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

func (b *providers) typesense() *typesense.Client {
	return &typesense.Client{
		HTTP: b.client("typesense"), URL: b.Config.TypesenseURL, Prefix: "merve-",
		Key: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "TYPESENSE_API_KEY") },
	}
}

// engine searches listings; nil without Typesense.
func (b *providers) engine() listing.Engine {
	if b.Config.TypesenseURL == "" {
		return nil
	}
	return b.typesense()
}

// indexer keeps Typesense to the listings of a store; nil without Typesense.
func (b *providers) indexer(listings *listing.Store) *typesense.Indexer {
	if b.Config.TypesenseURL == "" {
		return nil
	}
	return &typesense.Indexer{
		Client: b.typesense(), Store: listings, Now: b.Now, NewID: func() string { return strings.ToLower(b.NewID()) },
	}
}

// payments are taken by Stripe.
func (b *providers) payments() payment.Provider { return stripe.Payments{Client: b.stripe()} }

// weather is Open-Meteo's.
func (b *providers) weather() weather.Source {
	return &openmeteo.Client{HTTP: b.client("openmeteo"), BaseURL: b.Config.OpenMeteoBaseURL, GeocodingBaseURL: b.Config.OpenMeteoGeocodingBaseURL}
}

// reader reads pictures; nil if nothing does. Textract takes PDFs of one page, so split takes larger ones apart. If
// split is nil, poppler draws the pages.
func (b *providers) reader(split Splitter) ocr.Reader {
	switch {
	case b.Config.OCREngine == "tesseract":
		return ocr.Tesseract{}
	case b.Config.OCREngine == "textract" && split != nil:
		return textract.PDFReader{Reader: textract.New(b.AWS), Split: split}
	case b.Config.OCREngine == "textract":
		return textract.New(b.AWS)
	}
	return nil
}

// phone calls clients; nil where Twilio is not configured or does not know where to ask what to do.
func (b *providers) phone() callconsent.Phone {
	base := strings.TrimSuffix(b.Config.PublicURL, "/")
	if base == "" || !b.writesToWhatsApp() {
		return nil
	}
	return &voice.Phone{
		Client:   (&lazyTwilio{b: b}).client,
		Answered: func(at callconsent.Place) string { return api.AnsweredURL(base, at) },
		Status:   func(at callconsent.Place) string { return api.CallStatusURL(base, at) },
	}
}
