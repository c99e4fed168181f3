package runner

import (
	"net"
	"net/http"
	"net/netip"

	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
)

var errElsewhere = fault.New(fault.Forbidden, "only for this machine itself, by its own name")

// ownMachine keeps pages that show other people's messages for programs on this machine that call it by its own
// name: a page of another site may have its name resolve to here, and a tunnel brings strangers.
func ownMachine(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOwn(r.RemoteAddr) || !isOwn(r.Host) || r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
			httpapi.Problem(w, r, errElsewhere)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// isOwn reports whether a host, with a port or without, is this machine as only itself can call it.
func isOwn(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
