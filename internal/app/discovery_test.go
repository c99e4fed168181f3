package app_test

import (
	"strings"
	"testing"

	"merve/internal/app"
)

// All that looks outside of the catalogue is off unless it is switched on, and no post costs more than two searches of the web.
func TestDiscoverySettings(t *testing.T) {
	t.Parallel()
	read := func(set ...string) (app.Config, error) {
		return app.FromEnv(func(name string) string {
			for i := 0; i < len(set); i += 2 {
				if set[i] == name {
					return set[i+1]
				}
			}
			return ""
		})
	}
	c, err := read()
	if err != nil || c.ExternalDiscovery || c.SocialDiscovery || c.MapsEnrichment || c.DiscoveryCalls != 2 || c.MapsCalls != 2 || c.GeminiBaseURL != "https://generativelanguage.googleapis.com" {
		t.Errorf("nothing set: %+v, %v", c, err)
	}
	c, err = read("EXTERNAL_DISCOVERY_ENABLED", "true", "SOCIAL_DISCOVERY_ENABLED", "1", "MAPS_ENRICHMENT_ENABLED", "TRUE", "DISCOVERY_MAX_CALLS_PER_REQUEST", "5", "MAPS_MAX_CALLS_PER_REQUEST", "0")
	if err != nil || !c.ExternalDiscovery || !c.SocialDiscovery || !c.MapsEnrichment || c.DiscoveryCalls != 2 || c.MapsCalls != 0 {
		t.Errorf("all set: %+v, %v", c, err)
	}
	for name, value := range map[string]string{
		"EXTERNAL_DISCOVERY_ENABLED": "perhaps", "DISCOVERY_MAX_CALLS_PER_REQUEST": "-1", "MAPS_MAX_CALLS_PER_REQUEST": "many", "GEMINI_BASE_URL": "nowhere", "GOOGLE_PLACES_BASE_URL": "/v1",
	} {
		if _, err := read(name, value); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// Moltbot, and Merve who makes requests too, have the searches that are switched on, and nobody else has any.
func TestWhoSearches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config app.Config
		want   string
	}{
		{app.Config{}, ""},
		{app.Config{SocialDiscovery: true}, ""},
		{app.Config{ExternalDiscovery: true, MapsEnrichment: true}, "discovery.maps_places_items discovery.web_search_items"},
		{app.Config{ExternalDiscovery: true, SocialDiscovery: true}, "discovery.social_profile_items discovery.web_search_items"},
	} {
		for _, a := range app.Cast(app.NewBase(app.Process{Config: tt.config, Getenv: func(string) string { return "" }})) {
			var got []string
			for _, name := range a.Tools {
				if strings.HasPrefix(name, "discovery.") {
					got = append(got, name)
				}
			}
			if want := map[bool]string{true: tt.want}[a.Name == "moltbot" || a.Name == "merve"]; strings.Join(got, " ") != want {
				t.Errorf("%+v: %s has %v", tt.config, a.Name, got)
			}
		}
	}
}
