package wiring

// SecretEnv is the variable that names the one secret: a JSON object whose keys are
// the Secrets of the functions. Only its name is ever part of a deployment. On one
// machine the same keys are environment variables.
const SecretEnv = "SECRET_ID"

// Setting is an environment variable that whoever runs Merve may set.
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
		{Name: "DEFAULT_MARKET", Always: true, Doc: "market of messages that name none"},
		{Name: "OPENAI_BASE_URL", Doc: "model endpoint, ending in /v1"},
		{Name: "OPENAI_MODEL", Doc: "model that answers"},
		{Name: "TWILIO_ACCOUNT_SID", Doc: "Twilio account"},
		{Name: "TWILIO_WHATSAPP_FROM", Doc: "WhatsApp sender, E.164"},
		{Name: "TWILIO_BASE_URL", Doc: "in the place of Twilio's own address"},
		{Name: "AUTH_ISSUER", Doc: "OpenID Connect issuer of users and staff"},
		{Name: "AUTH_AUDIENCE", Doc: "audience that a token must name"},
		{Name: "AUTH_JWKS_URL", Doc: "keys of the issuer, when not found by discovery"},
		{Name: "GATEWAY_TIMEOUT", Cloud: "25s", Doc: "how long POST /chat/message waits for the reply before it answers 202"},
	}
}

func model() []string { return []string{"OPENAI_BASE_URL", "OPENAI_MODEL"} }

func auth() []string { return []string{"AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL"} }

func twilio() []string {
	return []string{"TWILIO_ACCOUNT_SID", "TWILIO_WHATSAPP_FROM", "TWILIO_BASE_URL"}
}
