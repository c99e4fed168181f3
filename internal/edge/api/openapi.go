package api

import (
	_ "embed"
	"net/http"

	"merve/internal/edge/httpapi"
)

// Document describes this API, in YAML (OpenAPI 3.1).
//
//go:embed openapi.yaml
var Document []byte

// OpenAPI is the route of the document that describes this API.
func OpenAPI() httpapi.Routes {
	return httpapi.Routes{"GET /openapi.yaml": func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(Document) // a client that has gone cannot be told
		return nil
	}}
}
