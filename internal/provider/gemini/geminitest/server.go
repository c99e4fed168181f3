// Package geminitest is a stand-in for Gemini's API with grounding by Google Search. A [Server] fails the test when a
// request is not as the API takes it, or says what is private. It shares no code with package gemini.
// https://ai.google.dev/api/generate-content
package geminitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"merve/internal/provider/providertest"
)

// Key is the key that a client has to give.
const Key = "gemini-key-not-real"

// Page is a page that a search finds.
type Page struct {
	Title, URL, Says string
	Confidence       float64
}

// Server is the stand-in. Its pages are behind redirects, as Google's are.
type Server struct {
	*providertest.Host
	providertest.Requests
	t        testing.TB
	Pages    []Page
	Rendered string                   // what has to be shown
	Faults   providertest.Faults[int] // statuses; -1 is a refusal
}

// New starts a server that ends with the test.
func New(t testing.TB, pages ...Page) *Server {
	s := &Server{t: t, Pages: pages, Rendered: `<style>a{color:red}</style><div class="chip"><a class="chip" href="https://www.google.com/search?q=generator&amp;hl=en"><b>generator</b> hire</a>` +
		`<a href="https://evil.example/">evil</a><a href="javascript:alert(1)">worse</a><script>alert(1)</script></div>`}
	s.Host = providertest.Strict(t, map[string]http.HandlerFunc{
		"POST /v1beta/models/{call}": s.generate, "HEAD /grounding-api-redirect/{n}": s.redirect,
	})
	return s
}

func (s *Server) redirect(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n >= len(s.Pages) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Location", s.Pages[n].URL)
	w.WriteHeader(http.StatusFound)
}

// request is all that the API takes of what a search needs.
type request struct {
	System *struct {
		Parts []struct{ Text string } `json:"parts"`
	} `json:"systemInstruction"`
	Contents []struct {
		Role  string `json:"role"`
		Parts []struct {
			Text string `json:"text"`
		} `json:"parts"`
	} `json:"contents"`
	Tools []struct {
		Search *struct{} `json:"google_search"`
	} `json:"tools"`
}

func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body request
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	switch {
	case err != nil || d.Decode(&body) != nil:
		s.t.Errorf("gemini: cannot read %s", raw)
	case r.Header.Get("x-goog-api-key") != Key || r.URL.RawQuery != "" || !strings.HasSuffix(r.PathValue("call"), ":generateContent"):
		s.t.Errorf("gemini: %s with %v", r.URL, r.Header)
	case len(body.Contents) != 1 || body.Contents[0].Role != "user" || len(body.Contents[0].Parts) != 1 || len(body.Tools) != 1 || body.Tools[0].Search == nil:
		s.t.Errorf("gemini: %s", raw)
	}
	s.Take(s.t, "gemini", raw)
	switch status := s.Faults.Next(); {
	case status > 0:
		providertest.JSON(w, "application/json", status, map[string]any{"error": map[string]any{"code": status, "message": "key " + Key, "status": "FAILED"}})
	case status < 0:
		providertest.JSON(w, "application/json", http.StatusOK, map[string]any{"promptFeedback": map[string]any{"blockReason": "SAFETY"}})
	default:
		providertest.JSON(w, "application/json", http.StatusOK, map[string]any{"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": "There are some: https://made-up.example/"}}}, "finishReason": "STOP", "groundingMetadata": s.grounding(),
		}}})
	}
}

func (s *Server) grounding() map[string]any {
	if len(s.Pages) == 0 {
		return map[string]any{} // the model did not search
	}
	chunks, supports := []any{}, []any{}
	for i, p := range s.Pages {
		chunks = append(chunks, map[string]any{"web": map[string]any{"uri": fmt.Sprintf("%s/grounding-api-redirect/%d", s.URL(), i), "title": p.Title}})
		supports = append(supports, map[string]any{"segment": map[string]any{"startIndex": 0, "endIndex": 5, "text": p.Says}, "groundingChunkIndices": []int{i}, "confidenceScores": []float64{p.Confidence}})
	}
	return map[string]any{
		"webSearchQueries": []string{"generator hire"}, "searchEntryPoint": map[string]any{"renderedContent": s.Rendered}, "groundingChunks": chunks, "groundingSupports": supports,
	}
}
