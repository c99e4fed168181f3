package app

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"merve/internal/cloud/exchange"
	"merve/internal/matter/discovery"
	"merve/internal/provider/gemini"
	"merve/internal/provider/googleplaces"
	"merve/internal/provider/openai"
	"merve/internal/spine/assistant"
)

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

const (
	geminiKey = "GEMINI_API_KEY"
	placesKey = "GOOGLE_PLACES_API_KEY"

	redirectTimeout = 3 * time.Second
)

// finder looks outside of the catalogue.
func (b *Base) finder() *discovery.Finder {
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

// searching is an assistant with the searches that are switched on.
func (b *Base) searching(a assistant.Assistant) assistant.Assistant {
	c := b.Config
	return a.With(assistant.Discovering(c.ExternalDiscovery, c.MapsEnrichment, c.SocialDiscovery)...)
}
