package api_test

import (
	"net/http"
	"strings"
	"testing"

	"merve/internal/edge/api/apitest"
)

// Whatever nobody answers is answered as everything else that is not there.
func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, request := range []string{
		"GET /nowhere", "POST /nowhere", "OPTIONS /nowhere", "DELETE /nowhere/at/all", "GET /static/nothing.js", "GET //", "GET /%2e%2e",
		"GET /chat/threads", "POST /sara", "GET /webhooks", "GET /dev/outbox", "POST /admin", "GET /admin/api",
	} {
		method, path, _ := strings.Cut(request, " ")
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			a := s.Call(t, method, path, nil, apitest.Staff()...)
			a.Refuses(t, http.StatusNotFound, "")
			if kind := a.Header.Get("Content-Type"); kind != "application/problem+json" {
				t.Errorf("Content-Type %q", kind)
			}
		})
	}
}
