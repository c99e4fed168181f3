package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"merve/internal/fault"
	"merve/internal/telemetry"
)

// Routes are the handlers of an API by method and path, such as "GET /healthz". Paths are
// patterns of [http.ServeMux].
type Routes map[string]handler

// Register adds the routes to mux. Other methods of their paths are refused.
func (rs Routes) Register(mux *http.ServeMux) {
	paths := map[string]methods{}
	for route, h := range rs {
		method, path, _ := strings.Cut(route, " ")
		if paths[path] == nil {
			paths[path] = methods{}
		}
		paths[path][method] = h
	}
	for path, m := range paths {
		mux.Handle(path, m)
	}
}

// RefuseOthers has mux refuse whatever comes for paths that are answered elsewhere: methods are those
// that each takes there.
func RefuseOthers(mux *http.ServeMux, methods map[string][]string) {
	for path, allowed := range methods {
		allowed = slices.Sorted(slices.Values(allowed))
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { refuseMethod(w, r, allowed) })
	}
}

// methods are the handlers of one path. The path is registered without a method, because a mux
// that knows methods would send "GET /listings/import" to "GET /listings/{listing}" when only a
// POST can import.
type methods map[string]handler

func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead { // a GET without the body, as for ServeMux
		method = http.MethodGet
	}
	h, ok := m[method]
	if !ok {
		refuseMethod(w, r, slices.Sorted(maps.Keys(m)))
		return
	}
	r.Pattern = method + " " + r.Pattern // for the log
	h.ServeHTTP(w, r)
}

// refuseMethod answers that a path does not take the request's method, but those in allowed.
func refuseMethod(w http.ResponseWriter, r *http.Request, allowed []string) {
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	writeProblem(w, fault.Problem{
		Type: "about:blank", Title: "method_not_allowed", Status: http.StatusMethodNotAllowed,
		Detail: "this path takes " + list, TraceID: telemetry.TraceID(r.Context()),
	})
}
