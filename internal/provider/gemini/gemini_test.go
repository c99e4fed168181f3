package gemini_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/cloud/exchange"
	"merve/internal/matter/discovery"
	"merve/internal/provider/gemini"
	"merve/internal/provider/gemini/geminitest"
)

var _ discovery.Engine = (*gemini.Client)(nil)

func client(s *geminitest.Server, key string) *gemini.Client {
	return &gemini.Client{BaseURL: s.URL(), HTTP: s.Client(), Key: func(context.Context) (string, error) { return key, nil }}
}

// Redirects are resolved and not followed, and of what has to be shown the links to Google are left.
func TestSearch(t *testing.T) {
	t.Parallel()
	s := geminitest.New(t, geminitest.Page{Title: "power.example", URL: "https://power.example/hire?utm_source=g", Says: "They hire out generators.", Confidence: 0.9},
		geminitest.Page{Title: "gen.example", URL: "/on", Says: "Leads on here."})
	found, err := client(s, geminitest.Key).Search(t.Context(), discovery.Query{Need: "60 kVA generator", Place: "Kyrenia", Language: "en", Max: 5})
	confidence, none := 0.9, 0.0
	want := discovery.Found{
		Items: []discovery.Item{
			{Title: "power.example", URL: "https://power.example/hire?utm_source=g", Snippet: "They hire out generators.", Confidence: &confidence},
			{Title: "gen.example", URL: s.URL() + "/on", Snippet: "Leads on here.", Confidence: &none}, // an address of a machine, which no item may have
		},
		Searches: []discovery.Link{{Title: "generator hire", URL: "https://www.google.com/search?q=generator&hl=en"}},
	}
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	s.Pages = nil
	if found, err := client(s, geminitest.Key).Search(t.Context(), discovery.Query{Need: "x", Max: 5}); err != nil || len(found.Items)+len(found.Searches) != 0 {
		t.Errorf("it did not search: %+v, %v", found, err)
	}
}

func TestSearchFails(t *testing.T) {
	t.Parallel()
	s := geminitest.New(t)
	for status, want := range map[int]fault.Kind{500: fault.Unavailable, 429: fault.Limited, 400: fault.Internal, 403: fault.Internal, -1: fault.Invalid} {
		s.Faults.Add(status)
		if _, err := client(s, geminitest.Key).Search(t.Context(), discovery.Query{Need: "x", Max: 1}); !fault.Is(err, want) || strings.Contains(err.Error(), geminitest.Key) {
			t.Errorf("status %d: %v, want %s", status, err, want)
		}
	}
	if ready, err := client(s, "").Ready(t.Context()); ready || err != nil {
		t.Errorf("without a key: %v, %v", ready, err)
	}
}

// A redirect is asked for at Google's host by HTTPS and a public address, or at the configured one, and nowhere else.
func TestRedirectsAreGoogles(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"http://vertexaisearch.cloud.google.com/grounding-api-redirect/a", "https://vertexaisearch.cloud.google.com:8443/a", "https://u:p@vertexaisearch.cloud.google.com/a",
		"https://vertexaisearch.cloud.google.com.evil.example/a", "http://169.254.169.254/latest",
	} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"candidates":[{"groundingMetadata":{"groundingChunks":[{"web":{"uri":"` + uri + `","title":"t"}}]}}]}`))
		}))
		c := &gemini.Client{BaseURL: api.URL, Key: func(context.Context) (string, error) { return "k", nil }, Public: &http.Client{Transport: untouched{t}}}
		if found, err := c.Search(t.Context(), discovery.Query{Need: "x", Max: 1}); err != nil || len(found.Items) != 1 || found.Items[0].URL != uri {
			t.Errorf("%s: %+v, %v", uri, found, err)
		}
		api.Close()
	}
	if _, err := exchange.Public(0).Get("https://127.0.0.1/"); err == nil {
		t.Error("a private address was asked")
	}
}

// untouched is a network that nobody may use.
type untouched struct{ t *testing.T }

func (u untouched) RoundTrip(r *http.Request) (*http.Response, error) {
	u.t.Errorf("asked %s", r.URL)
	return nil, http.ErrNotSupported
}
