package api

import (
	_ "embed"
	"net/http"

	"merve/internal/edge/httpapi"
)

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI is the route of the document that describes this API.
func OpenAPI() httpapi.Routes {
	return httpapi.Routes{"GET /openapi.yaml": func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(openAPI) // a client that has gone cannot be told
		return nil
	}}
}
