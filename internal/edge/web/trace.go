package web

import (
	"embed"
	"net/http"
	"strings"

	"merve/internal/plan"
)

//go:embed trace
var traceFiles embed.FS

// Trace returns the handler of the page of a conversation with the plan engine: "/trace/{conversationId}", and the files
// that it loads from "/trace/static/". An address whose last part is not a conversation's name has no page. The page talks to
// GET /api/chat/{conversationId}/trace and POST /api/chat.
func Trace() http.Handler {
	return &site{
		files:  traceFiles,
		policy: policy("script-src 'self'", "connect-src 'self'", "img-src 'self'"),
		file: func(path string) string {
			rest, ok := strings.CutPrefix(path, "/trace/")
			if name, static := strings.CutPrefix(rest, "static/"); static {
				return "trace/" + name
			}
			if !ok || !plan.IsConversation(rest) {
				return ""
			}
			return "trace/trace.html"
		},
	}
}
