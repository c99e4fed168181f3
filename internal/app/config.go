// Package app puts Merve together: configuration from the environment, and one
// constructor for each function. Nothing here decides anything, and nothing goes over
// the network before the first event.
package app

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"merve/internal/app/settings"
	"merve/internal/base/pattern"
	"merve/internal/edge/api"
	"merve/internal/plan/worker/kind"
)

// Config is everything that the environment says. It is read once and checked before use.
type Config = settings.Config

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
	c, err := settings.Read(getenv, defaults)
	if err != nil {
		return c, err
	}
	c.SiteURL = strings.TrimSuffix(c.PublicURL, "/")
	c.SaraModel = cmp.Or(c.SaraModel, getenv("OPENAI_MODEL"), "gpt-5-mini")
	c.AddressMessages, c.DiscoveryCalls = addressMessages, min(c.DiscoveryCalls, mostDiscoveryCalls)
	c.QueueURLs, c.BusNames = map[string]string{}, map[string]string{}
	for name, variable := range queueURLs {
		c.QueueURLs[name] = getenv(variable)
	}
	for _, k := range kind.All() {
		c.QueueURLs[k.Name()] = getenv(k.Env())
	}
	for name, variable := range busNames {
		c.BusNames[name] = cmp.Or(getenv(variable), name)
	}
	if err := api.CheckOrigins(c.AllowedOrigins); err != nil {
		return c, fmt.Errorf("ALLOWED_ORIGINS: %w", err)
	}
	if err := checkSignInOrigins(c.SignInOrigins); err != nil {
		return c, fmt.Errorf("AUTH_SIGN_IN_ORIGINS: %w", err)
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
