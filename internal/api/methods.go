package api

import (
	"net/http"
	"strings"

	"merve/internal/fault"
	"merve/internal/telemetry"
)

// taken are the methods of each path but the admin API's. It is a list, and not what the handlers
// route, so that the function that has it is not made of all others, too.
var taken = map[string][]string{
	"/chat/message":                     {"POST"},
	"/chat/threads/{threadId}/messages": {"GET"},
	"/chat/threads/{threadId}/activity": {"GET"},
	"/chat/photos":                      {"POST"},
	"/web-chat-api":                     {"OPTIONS", "POST"},
	"/web-chat-api/messages":            {"GET", "OPTIONS"},
	"/web-chat-api/photos":              {"OPTIONS", "POST"},
	"/web-chat-api/me":                  {"DELETE", "GET", "OPTIONS"},
	"/r/{reportId}/{token}":             {"GET"},
	"/healthz":                          {"GET"},
	"/openapi.yaml":                     {"GET"},
	"/webhooks/whatsapp":                {"POST"},
	"/webhooks/whatsapp/status":         {"POST"},
	"/webhooks/messenger":               {"GET", "POST"},
	"/webhooks/stripe":                  {"POST"},
	"/pay/{transaction}/{token}":        {"GET"},
	"/pay/{transaction}/{token}/intent": {"GET"},
}

// OtherMethods adds what answers the methods that a path does not take, but for those of the admin
// API, which does so itself. It is for the function of the gateway's default route, where such requests
// arrive: those of other functions, too.
func OtherMethods(mux Router) {
	for path, allowed := range taken {
		mux.Handle(path, otherMethods(allowed))
	}
}

// otherMethods answers what a path does not take; allowed are in order.
func otherMethods(allowed []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, fault.Problem{
			Type: "about:blank", Title: "method_not_allowed", Status: http.StatusMethodNotAllowed,
			Detail: "this path takes " + strings.Join(allowed, ", "), TraceID: telemetry.TraceID(r.Context()),
		})
	})
}
