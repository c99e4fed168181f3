package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Routes are the handlers of an API by method and path, such as "GET /healthz". Paths are
// patterns of [http.ServeMux].
type Routes map[string]Handler

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
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { RefuseMethod(w, r, allowed) })
	}
}

// methods are the handlers of one path. The path is registered without a method, because a mux
// that knows methods would send "GET /listings/import" to "GET /listings/{listing}" when only a
// POST can import.
type methods map[string]Handler

func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead { // a GET without the body, as for ServeMux
		method = http.MethodGet
	}
	h, ok := m[method]
	if !ok {
		RefuseMethod(w, r, slices.Sorted(maps.Keys(m)))
		return
	}
	r.Pattern = method + " " + r.Pattern // for the log
	h.ServeHTTP(w, r)
}
