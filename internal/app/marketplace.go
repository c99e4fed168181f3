package app

import (
	"net/http"

	"merve/internal/cloud/trigger"
	"merve/internal/edge/api"
)

// Marketplace takes calls of programs and of the desk about requests.
func Marketplace(b *Base) (trigger.Handler, error) {
	broker := b.searcher(b.model())
	b.calls(broker)
	mux := http.NewServeMux()
	(&api.Requests{Who: b.who(), Broker: broker}).Routes().Register(mux)
	(&api.Calls{Webhook: b.fromTwilio(), Calls: broker.Calls()}).Routes().Register(mux)
	return b.http(mux), nil
}

// Outreach reminds vendors who have not answered, and gives up on those who do not. It lets consents expire, and asks
// Twilio how calls ended. It has pictures read that nobody is reading.
func Outreach(b *Base) (trigger.Handler, error) { return b.scheduled(b.outreach()), nil }
