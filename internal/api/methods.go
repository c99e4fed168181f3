package api

import (
	"net/http"
	"slices"
	"strings"

	"merve/internal/fault"
	"merve/internal/telemetry"
)

// methods are those that paths take, by path. It is the [Router] that only lists.
type methods map[string][]string

func (m methods) Handle(pattern string, _ http.Handler) {
	method, path, _ := strings.Cut(pattern, " ")
	m[path] = append(m[path], method)
}

// OtherMethods adds what answers the methods that a path does not take, for each path of this
// package but the admin API's, which does so itself. It is for the function of the gateway's default
// route, where such requests arrive: those of other functions', too.
func OtherMethods(mux Router) {
	taken := methods{"/openapi.yaml": {http.MethodGet}}
	for _, of := range []interface{ Routes(Router) }{&Chat{}, &WebChat{}, &WhatsApp{}, &Messenger{}, &Stripe{}, &SharedReports{}, Health{}} {
		of.Routes(taken)
	}
	for path, allowed := range taken {
		mux.Handle(path, otherMethods(allowed))
	}
}

// otherMethods answers what a path does not take.
func otherMethods(allowed []string) http.Handler {
	slices.Sort(allowed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, fault.Problem{
			Type: "about:blank", Title: "method_not_allowed", Status: http.StatusMethodNotAllowed,
			Detail: "this path takes " + strings.Join(allowed, ", "), TraceID: telemetry.TraceID(r.Context()),
		})
	})
}
