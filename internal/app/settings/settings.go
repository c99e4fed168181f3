// Package settings declares each environment variable once, as a field of [Config]: what it is called, what it is for, and what
// holds where it is not set. The program reads its configuration by it, the functions are given their variables by it, and the
// table in infra/README.md is held to it. It needs nothing but the standard library, as infra/wiring does.
package settings

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config is everything that the environment says. It is read once and checked before use.
//
// A field with the tag env is read from that variable. Its further tags: default holds where the variable is not set, and cloud in
// the cloud; want is what it has to be, an address or one of some words; doc says what it is for to those who may set it. A
// variable without doc is set by the deployment. Those of scope "every" are for every function, those of scope "machine" for a
// single machine only.
type Config struct {
	PublicURL      string        `env:"PUBLIC_URL" scope:"every" want:"address" doc:"address that providers and customers see; signatures and links are made with it"`
	LogLevel       slog.Level    `env:"LOG_LEVEL" scope:"every" default:"info" cloud:"info" doc:"debug, info, warn or error"`
	Version        string        `env:"MERVE_VERSION" default:"dev" doc:"the release that /healthz names"` // no part of the binary, which stays as it is from one to the next
	DefaultMarket  string        `env:"DEFAULT_MARKET" scope:"every" default:"demo" doc:"market of messages that name none"`
	Patience       time.Duration `env:"GATEWAY_TIMEOUT" default:"45s" cloud:"25s" doc:"how long a request of the chat, of a live conversation or of the plan engine waits for the reply before it answers 202"`
	LivePatience   time.Duration `env:"LIVE_PATIENCE" default:"8s" doc:"how long a caller waits for a word of any kind, until they are told that their turn is at work"`
	LiveURL        string        `env:"LIVE_URL" doc:"where pages connect to live conversations, when not at the address that the deployment knows"`
	AllowedOrigins []string      `env:"ALLOWED_ORIGINS" doc:"sites that may embed the web chat, such as https://example.com, with commas between them"`

	OpenAIBaseURL  string `env:"OPENAI_BASE_URL" want:"address" doc:"model endpoint, ending in /v1"`
	OpenAIModel    string `env:"OPENAI_MODEL" default:"gpt-4o-mini" doc:"model that answers"`
	SaraModel      string `env:"SARA_MODEL" doc:"model of the assistant sara; else that of OPENAI_MODEL, else gpt-5-mini"`
	GuardModel     string `env:"GUARD_MODEL" doc:"model that judges what assistants say; without it only the patterns do"`
	EmbeddingModel string `env:"OPENAI_EMBEDDING_MODEL" doc:"model of the endpoint that embeds products and questions about them; without it a small one does that in the process"`
	MiniLMDir      string `env:"MINILM_DIR" default:".cache/minilm" cloud:"minilm" doc:"where the weights of the small model are"`
	OCREngine      string `env:"OCR_ENGINE" default:"tesseract" cloud:"none" want:"tesseract textract none" doc:"reads pictures of quotations: tesseract (on the PATH, as poppler for PDF), textract (Latin letters) or none"`

	OpenMeteoBaseURL          string `env:"OPENMETEO_BASE_URL" want:"address" doc:"in the place of Open-Meteo's forecast address"`
	OpenMeteoGeocodingBaseURL string `env:"OPENMETEO_GEOCODING_BASE_URL" want:"address" doc:"in the place of Open-Meteo's geocoding address"`
	TwilioAccountSID          string `env:"TWILIO_ACCOUNT_SID" doc:"Twilio account"`
	TwilioFrom                string `env:"TWILIO_WHATSAPP_FROM" doc:"WhatsApp sender, E.164"`
	TwilioBaseURL             string `env:"TWILIO_BASE_URL" want:"address" doc:"in the place of Twilio's own address"`
	MetaBaseURL               string `env:"META_BASE_URL" want:"address" doc:"in the place of the Graph API's own address"`
	MapboxBaseURL             string `env:"MAPBOX_BASE_URL" want:"address" doc:"in the place of Mapbox's own address"`
	TypesenseURL              string `env:"TYPESENSE_URL" doc:"search engine; without it listings are searched in memory"`
	StripeBaseURL             string `env:"STRIPE_BASE_URL" want:"address" doc:"in the place of Stripe's own address"`
	StripePublishableKey      string `env:"STRIPE_PUBLISHABLE_KEY" doc:"Stripe's key for pages, which is no secret; without it the pages say that cards are off"`

	AuthIssuer    string   `env:"AUTH_ISSUER" doc:"OpenID Connect issuer of users and staff"`
	AuthAudience  string   `env:"AUTH_AUDIENCE" doc:"audience that a token must name"`
	AuthJWKSURL   string   `env:"AUTH_JWKS_URL" want:"address" doc:"keys of the issuer, when not at its /.well-known/jwks.json"`
	AuthClientID  string   `env:"AUTH_CLIENT_ID" doc:"client of the issuer as which the admin page signs people in"`
	SignInOrigins []string `env:"AUTH_SIGN_IN_ORIGINS" doc:"where the issuer's endpoints are, when not at its own origin: the domain of a Cognito user pool; with commas between them"`

	RealtimeKitAccount string `env:"REALTIMEKIT_ACCOUNT_ID" doc:"Cloudflare account whose meetings callers are heard in"`
	RealtimeKitApp     string `env:"REALTIMEKIT_APP_ID" doc:"RealtimeKit app of the account"`
	RealtimeKitPreset  string `env:"REALTIMEKIT_PRESET" default:"group_call_participant" doc:"what a caller may do in a meeting"`
	RealtimeKitBaseURL string `env:"REALTIMEKIT_BASE_URL" want:"address" doc:"in the place of Cloudflare's own address"`

	ExternalDiscovery   bool   `env:"EXTERNAL_DISCOVERY_ENABLED" doc:"true lets requests be searched for on the web"`
	SocialDiscovery     bool   `env:"SOCIAL_DISCOVERY_ENABLED" doc:"true lets profiles of social networks be searched too"`
	MapsEnrichment      bool   `env:"MAPS_ENRICHMENT_ENABLED" doc:"true lets places be searched on Google's map"`
	DiscoveryCalls      int    `env:"DISCOVERY_MAX_CALLS_PER_REQUEST" default:"2" doc:"searches of web and profiles for one post, 2 at most"`
	MapsCalls           int    `env:"MAPS_MAX_CALLS_PER_REQUEST" default:"2" doc:"searches on the map for one post"`
	GeminiBaseURL       string `env:"GEMINI_BASE_URL" want:"address" doc:"in the place of Gemini's own address"`
	GeminiModel         string `env:"GEMINI_MODEL" doc:"model of Gemini that searches"`
	GooglePlacesBaseURL string `env:"GOOGLE_PLACES_BASE_URL" want:"address" doc:"in the place of Google Places' own address"`

	AdminToken    string `env:"ADMIN_TOKEN" scope:"machine" doc:"bearer token of the admin API; made up and printed when not set"`
	BoundLoopback bool   `env:"BOUND_LOOPBACK" scope:"machine" doc:"1 makes the bounds of network addresses hold for this machine too"`
	PrivateMedia  bool   `env:"PRIVATE_MEDIA" scope:"machine" doc:"1 lets photos be fetched from private addresses too, and without TLS"`

	TableConversations string `env:"TABLE_CONVERSATIONS" default:"merve-conversations"`
	TableLedger        string `env:"TABLE_LEDGER" default:"merve-ledger"`
	TableAlerts        string `env:"TABLE_ALERTS" default:"merve-alerts"`
	TableCatalog       string `env:"TABLE_CATALOG" default:"merve-catalog"`
	TableRecords       string `env:"TABLE_RECORDS" default:"merve-records"`
	MediaBucket        string `env:"MEDIA_BUCKET" default:"merve-media"`
	SecretID           string `env:"SECRET_ID"`
	LiveEndpoint       string `env:"LIVE_ENDPOINT"` // where sockets are written to

	QueueURLs       map[string]string // by the queue's name in the wiring
	BusNames        map[string]string // real names, by the bus's name in the wiring
	SiteURL         string            // what the links that customers get begin with: PublicURL where there is one
	AddressMessages int               // of sessions at one address in an hour; 0 is no bound

	NoWebSearch bool // the local runner's: the model is a stand-in, which searches no web

	// The local runner's: unsigned webhooks come in from this machine while there is no key.
	UnsignedFromLoopback, UnsignedMetaFromLoopback, UnsignedStripeFromLoopback bool
}

// Setting is an environment variable that an operator of Merve may set.
type Setting struct {
	Name    string
	Doc     string
	Default string // its value when it is not set; "" is none, or one that a provider's package has
	Cloud   string // its value in the cloud, when not set; "" leaves it to the function's own default
	Always  bool   // every function reads it
	Machine bool   // for a single machine, not for the cloud
}

// All lists the settings in the order of their fields. None is a secret.
func All() []Setting {
	var all []Setting
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if doc := f.Tag.Get("doc"); doc != "" {
			scope := f.Tag.Get("scope")
			all = append(all, Setting{
				Name: f.Tag.Get("env"), Doc: doc, Default: f.Tag.Get("default"), Cloud: f.Tag.Get("cloud"), Always: scope == "every", Machine: scope == "machine",
			})
		}
	}
	return all
}

// Read reads the variables through getenv (os.Getenv). defaults hold for variables, by name, whose fields have no default. An
// error names the variable and what would be right.
func Read(getenv func(string) string, defaults map[string]string) (Config, error) {
	var c Config
	for _, f := range reflect.VisibleFields(reflect.TypeOf(c)) {
		name := f.Tag.Get("env")
		if name == "" {
			continue
		}
		value := cmp.Or(getenv(name), defaults[name], f.Tag.Get("default"))
		if value == "" {
			continue
		}
		if err := set(reflect.ValueOf(&c).Elem().FieldByIndex(f.Index), value, f.Tag.Get("want")); err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
	}
	return c, nil
}

func set(field reflect.Value, value, want string) error {
	switch to := field.Addr().Interface().(type) {
	case *string:
		*to = strings.TrimSpace(value)
		return check(*to, want)
	case *[]string:
		*to = strings.Split(strings.ReplaceAll(value, " ", ""), ",")
	case *bool:
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("want true or false")
		}
		*to = on
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return fmt.Errorf("want a number that is not negative")
		}
		*to = n
	case *time.Duration:
		d, err := time.ParseDuration(value)
		if err != nil || d < time.Second {
			return fmt.Errorf("want a duration of at least a second, such as 25s")
		}
		*to = d
	case *slog.Level:
		if to.UnmarshalText([]byte(value)) != nil {
			return fmt.Errorf("want debug, info, warn or error")
		}
	default:
		return fmt.Errorf("settings cannot be %T", to)
	}
	return nil
}

// check holds a text to what it has to be.
func check(value, want string) error {
	switch words := strings.Fields(want); {
	case want == "address":
		if u, err := url.Parse(value); err != nil || u.Host == "" {
			return fmt.Errorf("want an address such as https://example.com")
		}
	case want != "" && !slices.Contains(words, value):
		return fmt.Errorf("want %s or %s", strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
	}
	return nil
}
