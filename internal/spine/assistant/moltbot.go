package assistant

import (
	"slices"

	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// finding lists the tools that find people who offer things no listing has.
func finding() []string {
	return []string{
		"marketplace.create_request", "marketplace.update_requirements", "marketplace.search_vendors", "marketplace.get_request_snapshot",
		"marketplace.propose_outreach", "marketplace.send_vendor_message", "marketplace.propose_acceptance", "marketplace.update_request_state",
		"marketplace.request_call_consent", "marketplace.revoke_call_consent",
	}
}

// Discovering returns the tools that search outside of the catalogue. Each call of them costs money, so the caller that
// assembles the assistants says which are available.
func Discovering(web, maps, profiles bool) (tools []string) {
	for name, on := range map[string]bool{
		"discovery.web_search_items": web, "discovery.maps_places_items": maps, "discovery.social_profile_items": web && profiles,
	} {
		if on {
			tools = append(tools, name)
		}
	}
	return slices.Sorted(slices.Values(tools))
}

// With is the assistant with more tools.
func (a Assistant) With(tools ...string) Assistant {
	a.Tools = slices.Concat(a.Tools, tools)
	return a
}

// Moltbot finds vendors for things that no listing offers, and has them asked.
func Moltbot() Assistant {
	return Assistant{
		Name:     "moltbot",
		Types:    []channel.ThreadType{channel.General},
		Greeting: wording.Greeting,
		Tools:    append(finding(), "askForPerson"),
	}
}
