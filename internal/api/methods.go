package api

import (
	"net/http"
	"strings"
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
func OtherMethods(mux *http.ServeMux, own Routes) {
	for path, allowed := range taken {
		if !own.takes(path) {
			mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { refuseMethod(w, r, allowed) })
		}
	}
}

// takes reports whether a path has a route.
func (rs Routes) takes(path string) bool {
	for route := range rs {
		if strings.HasSuffix(route, " "+path) {
			return true
		}
	}
	return false
}
