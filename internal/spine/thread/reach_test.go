package thread_test

import (
	"testing"
	"time"

	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// Somebody can be told while there is time to send it within the window of their channel, later by an
// approved template, which only WhatsApp has, and never when they want no messages.
func TestReachable(t *testing.T) {
	t.Parallel()
	const window, day = 24*time.Hour - 5*time.Minute, 24 * time.Hour
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	m := market.Default("demo")
	m.WhatsApp.Templates = map[string]market.Approved{"news": {ContentSID: "HX1"}}
	for name, tt := range map[string]struct {
		by       channel.Channel
		silent   time.Duration
		event    string
		byPerson bool
		optedOut bool
		want     bool
	}{
		"in the window":                       {channel.WhatsApp, window - 1, "other", false, false, true},
		"as it closes":                        {channel.WhatsApp, window, "other", false, false, false},
		"after it, by a template":             {channel.WhatsApp, 30 * day, "news", false, false, true},
		"opted out, in the window":            {channel.WhatsApp, 0, "other", false, true, false},
		"opted out, with a template":          {channel.WhatsApp, 0, "news", false, true, false},
		"a template of another channel":       {channel.Messenger, window, "news", false, false, false},
		"by a person, who has longer":         {channel.Messenger, window, "other", true, false, true},
		"by a person, as their window closes": {channel.Messenger, 7*day - 5*time.Minute, "other", true, false, false},
		"where there is no window":            {channel.App, 30 * day, "other", false, false, true},
	} {
		h := thread.Head{Channel: tt.by, LastIn: now.Add(-tt.silent), OptedOut: tt.optedOut}
		if got := h.Reachable(m, tt.event, tt.byPerson, now); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
