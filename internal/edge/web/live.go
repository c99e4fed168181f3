package web

import (
	"embed"
	"net/http"
	"strings"
)

//go:embed live static/dom.js static/socket.js static/store.js
var liveFiles embed.FS

// Live returns the handler of the page of a live session: "/live", and the files that it loads from
// "/live/static/", some of them shared with the chat page. The page asks GET /healthz for the address of the
// sockets and talks there; sockets is that address, "" if it is the page's own origin.
func Live(sockets string) http.Handler {
	return &site{
		files:       liveFiles,
		policy:      policy("script-src 'self'", sources("connect-src 'self'", sockets), "img-src 'self'"),
		permissions: "camera=(), geolocation=(), microphone=(self)",
		file:        liveFile,
	}
}

func liveFile(path string) string {
	name, static := strings.CutPrefix(path, "/live/static/")
	switch {
	case path == "/live":
		return "live/live.html"
	case !static || name == "live.html":
		return ""
	case strings.HasPrefix(name, "live."):
		return "live/" + name
	}
	return "static/" + name
}
