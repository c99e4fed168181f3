package wiring

import "merve/internal/app/settings"

// SecretEnv is the variable that names the one secret: a JSON object whose keys are
// the Secrets of the functions. Only its name is ever part of a deployment. On one
// machine the same keys are environment variables.
const SecretEnv = "SECRET_ID"

// Settings lists the settings of the cloud.
func Settings() []settings.Setting {
	var all []settings.Setting
	for _, s := range settings.All() {
		if !s.Machine {
			all = append(all, s)
		}
	}
	return all
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
