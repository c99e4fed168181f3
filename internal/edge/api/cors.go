package api

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
)

// Origins are the sites whose pages may use an API (https://fetch.spec.whatwg.org/#http-cors-protocol):
// each is an origin such as "https://example.com", "*" for any, or "loopback" for any of this
// machine. Merve's own origin is always allowed, and so is a request that comes from no page.
type Origins []string

// CheckOrigins returns an error that names the first entry that is not usable.
func CheckOrigins(all []string) error {
	for _, o := range all {
		if o == "*" || o == "loopback" {
			continue
		}
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Scheme+"://"+u.Host != o {
			return fault.New(fault.Invalid, "want origins such as https://example.com, without a path, not %q", o)
		}
	}
	return nil
}

// allows reports whether pages of an origin may ask host.
func (o Origins) allows(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	return u.Host == host || slices.Contains(o, "*") || slices.Contains(o, origin) || slices.Contains(o, "loopback") && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

var errOrigin = fault.New(fault.Forbidden, "this site may not use the chat")

// share makes routes answer pages of allowed origins only, and adds what a browser asks of their
// paths before it sends a page's request.
func (o Origins) share(rs httpapi.Routes) httpapi.Routes {
	shared := httpapi.Routes{}
	methods := map[string][]string{} // by path
	for route, h := range rs {
		method, path, _ := strings.Cut(route, " ")
		shared[route] = o.permit(h)
		methods[path] = append(methods[path], method)
	}
	for path, names := range methods {
		slices.Sort(names)
		shared["OPTIONS "+path] = o.permit(preflight(names))
	}
	return shared
}

// permit answers pages of allowed origins only.
func (o Origins) permit(h httpapi.Handler) httpapi.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := o.welcome(w, r); err != nil {
			return err
		}
		return h(w, r)
	}
}

// welcome lets a page read the answer.
func (o Origins) welcome(w http.ResponseWriter, r *http.Request) error {
	header := w.Header()
	header.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	switch {
	case origin == "":
		return nil
	case !o.allows(origin, r.Host):
		return errOrigin
	}
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", "date, location, x-trace-id")
	return nil
}

// preflight tells a browser what a page may send.
func preflight(methods []string) httpapi.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		header := w.Header()
		header.Set("Access-Control-Allow-Methods", strings.Join(methods, ", "))
		header.Set("Access-Control-Allow-Headers", "content-type, x-session-id, x-trace-id")
		header.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}
