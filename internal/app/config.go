// Package app puts Merve together: configuration from the environment, and one
// constructor for each function. Nothing here decides anything, and nothing goes over
// the network before the first event.
package app

import (
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"merve/internal/base/pattern"
	"merve/internal/edge/api"
	"merve/internal/plan/worker/kind"
)

// Config is everything that the environment says. It is read once and checked before use.
type Config struct {
	Version       string // the release; it is no part of the binary, which stays as it is from one to the next
	PublicURL     string // what providers see
	SiteURL       string // what the links that customers get begin with: PublicURL where there is one
	LogLevel      slog.Level
	DefaultMarket string
	Patience      time.Duration // how long a chat request waits for its reply
	LivePatience  time.Duration // how long a caller waits for a word of any kind

	TableConversations, TableLedger, TableAlerts, TableCatalog, TableRecords string
	MediaBucket                                                              string
	QueueURLs                                                                map[string]string // by the queue's name in the wiring
	BusNames                                                                 map[string]string // real names, by the bus's name in the wiring
	SecretID                                                                 string

	LiveEndpoint string // where sockets are written to
	LiveURL      string // where pages connect theirs

	RealtimeKitAccount, RealtimeKitApp, RealtimeKitPreset, RealtimeKitBaseURL string

	OpenAIBaseURL, OpenAIModel, SaraModel, GuardModel   string
	EmbeddingModel                                      string // of the model provider; "" embeds in the process
	MiniLMDir                                           string // the weights of the model in the process
	OpenMeteoBaseURL, OpenMeteoGeocodingBaseURL         string
	TwilioAccountSID, TwilioFrom, TwilioBaseURL         string
	MetaBaseURL, MapboxBaseURL, TypesenseURL            string
	StripeBaseURL, StripePublishableKey                 string
	AuthIssuer, AuthAudience, AuthJWKSURL, AuthClientID string
	AdminToken                                          string
	AllowedOrigins                                      []string // sites that may embed the web chat
	AddressMessages                                     int      // of sessions at one address in an hour; 0 is no bound
	ExternalDiscovery, SocialDiscovery, MapsEnrichment  bool
	DiscoveryCalls, MapsCalls                           int // for one post
	GeminiBaseURL, GeminiModel, GooglePlacesBaseURL     string
	BoundLoopback                                       bool     // the bounds of addresses hold for this machine itself too
	SignInOrigins                                       []string // where the issuer's endpoints are, besides its own origin

	OCREngine string // reads pictures: tesseract, textract or none

	PrivateMedia bool // photos are fetched from private addresses too

	// The local runner's: the model is a stand-in, which searches no web.
	NoWebSearch bool

	// The local runner's: unsigned webhooks come in from this machine while there is no key.
	UnsignedFromLoopback, UnsignedMetaFromLoopback, UnsignedStripeFromLoopback bool
}

// addressMessages are ten a minute, all hour long: more than the people of an office or a hotel say
// who share an address, and too few for one caller to use up a market's day before somebody looks.
const addressMessages = 600

// queueURLs are the variables with the addresses of queues, by the names that the wiring gives the queues. Those of workers
// follow from their kinds.
var queueURLs = map[string]string{
	turns:               "TURN_QUEUE_URL",
	liveTurns:           "LIVE_QUEUE_URL",
	pictures:            "OCR_QUEUE_URL",
	"user-commands":     "USER_COMMANDS_QUEUE_URL",
	"plan-events":       "PLAN_EVENTS_QUEUE_URL",
	"plan-answers":      "PLAN_ANSWERS_QUEUE_URL",
	"dead-letter-queue": "DEAD_LETTER_QUEUE_URL",
}

// busNames are the variables with the real names of buses, by the names that the wiring gives the buses.
var busNames = map[string]string{
	"conversation-events":      "BUS_CONVERSATION_EVENTS",
	"tool-invocation-requests": "BUS_TOOL_INVOCATION_REQUESTS",
	"bot_output_events":        "BUS_BOT_OUTPUT_EVENTS",
}

// turns is the queue of turns.
const turns = "turns"

// FromEnv reads the configuration through getenv (os.Getenv). An error names the
// variable and what would be right.
func FromEnv(getenv func(string) string) (Config, error) {
	or := func(name, value string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return value
	}
	c := Config{
		Version:                   or("MERVE_VERSION", "dev"),
		PublicURL:                 getenv("PUBLIC_URL"),
		SiteURL:                   strings.TrimSuffix(getenv("PUBLIC_URL"), "/"),
		DefaultMarket:             or("DEFAULT_MARKET", "demo"),
		TableConversations:        or("TABLE_CONVERSATIONS", "merve-conversations"),
		TableLedger:               or("TABLE_LEDGER", "merve-ledger"),
		TableAlerts:               or("TABLE_ALERTS", "merve-alerts"),
		TableCatalog:              or("TABLE_CATALOG", "merve-catalog"),
		TableRecords:              or("TABLE_RECORDS", "merve-records"),
		QueueURLs:                 map[string]string{},
		BusNames:                  map[string]string{},
		SecretID:                  getenv("SECRET_ID"),
		LiveEndpoint:              getenv("LIVE_ENDPOINT"),
		LiveURL:                   getenv("LIVE_URL"),
		RealtimeKitAccount:        getenv("REALTIMEKIT_ACCOUNT_ID"),
		RealtimeKitApp:            getenv("REALTIMEKIT_APP_ID"),
		RealtimeKitPreset:         or("REALTIMEKIT_PRESET", "group_call_participant"),
		RealtimeKitBaseURL:        or("REALTIMEKIT_BASE_URL", addresses["REALTIMEKIT_BASE_URL"]),
		OpenAIBaseURL:             or("OPENAI_BASE_URL", addresses["OPENAI_BASE_URL"]),
		OpenAIModel:               or("OPENAI_MODEL", "gpt-4o-mini"),
		SaraModel:                 or("SARA_MODEL", or("OPENAI_MODEL", "gpt-5-mini")),
		GuardModel:                getenv("GUARD_MODEL"),
		EmbeddingModel:            getenv("OPENAI_EMBEDDING_MODEL"),
		MiniLMDir:                 or("MINILM_DIR", ".cache/minilm"),
		OpenMeteoBaseURL:          or("OPENMETEO_BASE_URL", addresses["OPENMETEO_BASE_URL"]),
		OpenMeteoGeocodingBaseURL: or("OPENMETEO_GEOCODING_BASE_URL", addresses["OPENMETEO_GEOCODING_BASE_URL"]),
		MediaBucket:               or("MEDIA_BUCKET", "merve-media"),
		MetaBaseURL:               or("META_BASE_URL", addresses["META_BASE_URL"]),
		StripeBaseURL:             or("STRIPE_BASE_URL", addresses["STRIPE_BASE_URL"]),
		MapboxBaseURL:             or("MAPBOX_BASE_URL", addresses["MAPBOX_BASE_URL"]),
		TypesenseURL:              getenv("TYPESENSE_URL"),
		StripePublishableKey:      getenv("STRIPE_PUBLISHABLE_KEY"),
		AuthClientID:              getenv("AUTH_CLIENT_ID"),
		TwilioAccountSID:          getenv("TWILIO_ACCOUNT_SID"),
		TwilioFrom:                getenv("TWILIO_WHATSAPP_FROM"),
		TwilioBaseURL:             or("TWILIO_BASE_URL", addresses["TWILIO_BASE_URL"]),
		AuthIssuer:                getenv("AUTH_ISSUER"),
		AuthAudience:              getenv("AUTH_AUDIENCE"),
		AuthJWKSURL:               getenv("AUTH_JWKS_URL"),
		AdminToken:                strings.TrimSpace(getenv("ADMIN_TOKEN")),
		AddressMessages:           addressMessages,
		BoundLoopback:             getenv("BOUND_LOOPBACK") == "1",
		OCREngine:                 or("OCR_ENGINE", "tesseract"),
		PrivateMedia:              getenv("PRIVATE_MEDIA") == "1",
		GeminiBaseURL:             or("GEMINI_BASE_URL", addresses["GEMINI_BASE_URL"]),
		GeminiModel:               or("GEMINI_MODEL", geminiModel),
		GooglePlacesBaseURL:       or("GOOGLE_PLACES_BASE_URL", addresses["GOOGLE_PLACES_BASE_URL"]),
	}
	for name, variable := range queueURLs {
		c.QueueURLs[name] = getenv(variable)
	}
	for _, k := range kind.All() {
		c.QueueURLs[k.Name()] = getenv(k.Env())
	}
	for name, variable := range busNames {
		c.BusNames[name] = or(variable, name)
	}
	var err error
	if c.Patience, err = time.ParseDuration(or("GATEWAY_TIMEOUT", "45s")); err != nil || c.Patience < time.Second {
		return c, fmt.Errorf("GATEWAY_TIMEOUT: want a duration of at least a second, such as 25s")
	}
	if c.LivePatience, err = time.ParseDuration(or("LIVE_PATIENCE", "8s")); err != nil || c.LivePatience < time.Second {
		return c, fmt.Errorf("LIVE_PATIENCE: want a duration of at least a second, such as 8s")
	}
	if !slices.Contains([]string{"tesseract", "textract", "none"}, c.OCREngine) {
		return c, fmt.Errorf("OCR_ENGINE: want tesseract, textract or none")
	}
	if err := c.LogLevel.UnmarshalText([]byte(or("LOG_LEVEL", "info"))); err != nil {
		return c, fmt.Errorf("LOG_LEVEL: want debug, info, warn or error")
	}
	for _, list := range []struct {
		name  string
		to    *[]string
		check func([]string) error
	}{
		{"ALLOWED_ORIGINS", &c.AllowedOrigins, api.CheckOrigins},
		{"AUTH_SIGN_IN_ORIGINS", &c.SignInOrigins, checkSignInOrigins},
	} {
		origins := getenv(list.name)
		if origins == "" {
			continue
		}
		*list.to = strings.Split(strings.ReplaceAll(origins, " ", ""), ",")
		if err := list.check(*list.to); err != nil {
			return c, fmt.Errorf("%s: %w", list.name, err)
		}
	}
	for _, name := range append(slices.Collect(maps.Keys(addresses)), "PUBLIC_URL", "AUTH_JWKS_URL") {
		value := or(name, addresses[name])
		if u, err := url.Parse(value); value != "" && (err != nil || u.Host == "") {
			return c, fmt.Errorf("%s: want an address such as https://example.com", name)
		}
	}
	if err := c.readDiscovery(or); err != nil {
		return c, err
	}
	if c.AuthIssuer != "" && c.AuthAudience == "" {
		return c, fmt.Errorf("AUTH_AUDIENCE: must be set when AUTH_ISSUER is")
	}
	if c.AuthIssuer != "" && c.AuthJWKSURL == "" {
		c.AuthJWKSURL = strings.TrimSuffix(c.AuthIssuer, "/") + "/.well-known/jwks.json" // issuers may end in / (Auth0's do)
	}
	return c, nil
}

// checkSignInOrigins refuses what would open the admin pages' policy wider than to single sites.
func checkSignInOrigins(all []string) error {
	for _, o := range all {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "https" || !host.MatchString(u.Host) || "https://"+u.Host != o {
			return fmt.Errorf("want origins such as https://pool.auth.eu-west-1.amazoncognito.com, without a path, not %q", o)
		}
	}
	return nil
}

// host is a name and perhaps a port, without what means something in a policy, such as * or ;.
var host = pattern.New(`^[A-Za-z0-9.-]+(:[0-9]+)?$`)

// mostDiscoveryCalls is the most that one post may cost in searches of the web.
const mostDiscoveryCalls = 2

// readDiscovery reads what may be looked for outside of the catalogue. All of it is off unless it is switched on.
func (c *Config) readDiscovery(or func(name, value string) string) error {
	for name, to := range map[string]*bool{
		"EXTERNAL_DISCOVERY_ENABLED": &c.ExternalDiscovery, "SOCIAL_DISCOVERY_ENABLED": &c.SocialDiscovery,
		"MAPS_ENRICHMENT_ENABLED": &c.MapsEnrichment,
	} {
		on, err := strconv.ParseBool(or(name, "false"))
		if err != nil {
			return fmt.Errorf("%s: want true or false", name)
		}
		*to = on
	}
	for name, to := range map[string]*int{"DISCOVERY_MAX_CALLS_PER_REQUEST": &c.DiscoveryCalls, "MAPS_MAX_CALLS_PER_REQUEST": &c.MapsCalls} {
		n, err := strconv.Atoi(or(name, "2"))
		if err != nil || n < 0 {
			return fmt.Errorf("%s: want a number that is not negative", name)
		}
		*to = n
	}
	c.DiscoveryCalls = min(c.DiscoveryCalls, mostDiscoveryCalls)
	return nil
}
