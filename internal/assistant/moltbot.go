package assistant

import (
	"merve/internal/channel"
	"merve/internal/wording"
)

// finding are the tools by which somebody is found who has what no listing offers.
func finding() []string {
	return []string{
		"marketplace.create_request", "marketplace.update_requirements", "marketplace.search_vendors", "marketplace.get_request_snapshot",
		"marketplace.propose_outreach", "marketplace.send_vendor_message", "marketplace.propose_acceptance", "marketplace.update_request_state",
		"marketplace.request_call_consent", "marketplace.revoke_call_consent",
	}
}

// Moltbot finds vendors for what no listing offers, and has them asked.
func Moltbot() Assistant {
	return Assistant{
		Name:     "moltbot",
		Types:    []channel.ThreadType{channel.General},
		Greeting: wording.Greeting,
		Tools:    append(finding(), "askForPerson"),
	}
}
