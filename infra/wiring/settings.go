package wiring

// SecretEnv is the variable that names the one secret: a JSON object whose keys are
// the Secrets of the functions. Only its name is ever part of a deployment. On one
// machine the same keys are environment variables.
const SecretEnv = "SECRET_ID"

// Setting is an environment variable that an operator of Merve may set.
type Setting struct {
	Name   string
	Doc    string
	Cloud  string // its value in the cloud, when not set; "" leaves it to the function's own default
	Always bool   // every function reads it
}

// Settings lists every setting that is no secret.
func Settings() []Setting {
	return []Setting{
		{Name: "PUBLIC_URL", Always: true, Doc: "address that providers and customers see; signatures and links are made with it"},
		{Name: "LOG_LEVEL", Always: true, Cloud: "info", Doc: "debug, info, warn or error"},
		{Name: "MERVE_VERSION", Doc: "the release that /healthz names"},
		{Name: "DEFAULT_MARKET", Always: true, Doc: "market of messages that name none"},
		{Name: "OPENAI_BASE_URL", Doc: "model endpoint, ending in /v1"},
		{Name: "OPENAI_MODEL", Doc: "model that answers"},
		{Name: "OPENAI_EMBEDDING_MODEL", Doc: "model of the endpoint that embeds products and questions about them; without it a small one does that in the process"},
		{Name: "MINILM_DIR", Cloud: "minilm", Doc: "where the weights of the small model are"},
		{Name: "OPENMETEO_BASE_URL", Doc: "in the place of Open-Meteo's forecast address"},
		{Name: "OPENMETEO_GEOCODING_BASE_URL", Doc: "in the place of Open-Meteo's geocoding address"},
		{Name: "TWILIO_ACCOUNT_SID", Doc: "Twilio account"},
		{Name: "TWILIO_WHATSAPP_FROM", Doc: "WhatsApp sender, E.164"},
		{Name: "TWILIO_BASE_URL", Doc: "in the place of Twilio's own address"},
		{Name: "AUTH_ISSUER", Doc: "OpenID Connect issuer of users and staff"},
		{Name: "AUTH_AUDIENCE", Doc: "audience that a token must name"},
		{Name: "AUTH_JWKS_URL", Doc: "keys of the issuer, when not at its /.well-known/jwks.json"},
		{Name: "AUTH_CLIENT_ID", Doc: "client of the issuer as which the admin page signs people in"},
		{Name: "AUTH_SIGN_IN_ORIGINS", Doc: "where the issuer's endpoints are, when not at its own origin: the domain of a Cognito user pool; with commas between them"},
		{Name: "SARA_MODEL", Doc: "model of the assistant sara"},
		{Name: "REALTIMEKIT_ACCOUNT_ID", Doc: "Cloudflare account whose meetings callers are heard in"},
		{Name: "REALTIMEKIT_APP_ID", Doc: "RealtimeKit app of the account"},
		{Name: "REALTIMEKIT_PRESET", Doc: "what a caller may do in a meeting; group_call_participant when not set"},
		{Name: "REALTIMEKIT_BASE_URL", Doc: "in the place of Cloudflare's own address"},
		{Name: "LIVE_URL", Doc: "where pages connect to live conversations, when not at the address that the deployment knows"},
		{Name: "LIVE_PATIENCE", Doc: "how long a caller waits for a word of any kind, until they are told that their turn is at work; 8s when not set"},
		{Name: "GUARD_MODEL", Doc: "model that judges what assistants say; without it only the patterns do"},
		{Name: "META_BASE_URL", Doc: "in the place of the Graph API's own address"},
		{Name: "MAPBOX_BASE_URL", Doc: "in the place of Mapbox's own address"},
		{Name: "TYPESENSE_URL", Doc: "search engine; without it listings are searched in memory"},
		{Name: "OCR_ENGINE", Cloud: "none", Doc: "reads pictures of quotations: tesseract (on the PATH, as poppler for PDF), textract (Latin letters) or none"},
		{Name: "STRIPE_BASE_URL", Doc: "in the place of Stripe's own address"},
		{Name: "STRIPE_PUBLISHABLE_KEY", Doc: "Stripe's key for pages, which is no secret; without it the pages say that cards are off"},
		{Name: "EXTERNAL_DISCOVERY_ENABLED", Doc: "true lets requests be searched for on the web"},
		{Name: "SOCIAL_DISCOVERY_ENABLED", Doc: "true lets profiles of social networks be searched too"},
		{Name: "MAPS_ENRICHMENT_ENABLED", Doc: "true lets places be searched on Google's map"},
		{Name: "DISCOVERY_MAX_CALLS_PER_REQUEST", Doc: "searches of web and profiles for one post, 2 at most; 2 when not set"},
		{Name: "MAPS_MAX_CALLS_PER_REQUEST", Doc: "searches on the map for one post; 2 when not set"},
		{Name: "GEMINI_BASE_URL", Doc: "in the place of Gemini's own address"},
		{Name: "GEMINI_MODEL", Doc: "model of Gemini that searches"},
		{Name: "GOOGLE_PLACES_BASE_URL", Doc: "in the place of Google Places' own address"},
		{Name: "ALLOWED_ORIGINS", Doc: "sites that may embed the web chat, such as https://example.com, with commas between them"},
		{Name: "GATEWAY_TIMEOUT", Cloud: "25s", Doc: "how long a request of the chat, of a live conversation or of the plan engine waits for the reply before it answers 202"},
	}
}

func model() []string {
	return []string{"OPENAI_BASE_URL", "OPENAI_MODEL", "SARA_MODEL", "GUARD_MODEL"}
}

// tools returns the settings of the services that a turn's tools call. Photos from WhatsApp are fetched from
// Twilio.
func tools() []string {
	return join([]string{"MAPBOX_BASE_URL", "TYPESENSE_URL", "TWILIO_ACCOUNT_SID", "TWILIO_BASE_URL", "STRIPE_BASE_URL"}, searches())
}

// searches returns the settings of searches outside of the catalogue.
func searches() []string {
	return []string{
		"EXTERNAL_DISCOVERY_ENABLED", "SOCIAL_DISCOVERY_ENABLED", "MAPS_ENRICHMENT_ENABLED", "DISCOVERY_MAX_CALLS_PER_REQUEST", "MAPS_MAX_CALLS_PER_REQUEST",
		"GEMINI_BASE_URL", "GEMINI_MODEL", "GOOGLE_PLACES_BASE_URL",
	}
}

// live are the settings of turns that speak while they think.
func live() []string { return []string{"LIVE_PATIENCE"} }

func weather() []string { return []string{"OPENMETEO_BASE_URL", "OPENMETEO_GEOCODING_BASE_URL"} }

func meta() []string { return []string{"META_BASE_URL"} }

// metaSecrets are synonyms of one another, except for the first.
func metaSecrets() []string {
	return []string{"META_APP_SECRET", "META_PAGE_ACCESS_TOKEN", "FACEBOOK_PAGE_ACCESS_TOKEN", "FB_PAGE_ACCESS_TOKEN"}
}

func auth() []string { return []string{"AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL"} }

func twilio() []string {
	return []string{"TWILIO_ACCOUNT_SID", "TWILIO_WHATSAPP_FROM", "TWILIO_BASE_URL"}
}
