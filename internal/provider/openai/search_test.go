package openai_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/matter/discovery"
	"merve/internal/provider/openai"
	"merve/internal/provider/openai/openaitest"
)

var _ discovery.Engine = (*openai.Searcher)(nil)

func searcher(w *openaitest.Web, key string) *openai.Searcher {
	return &openai.Searcher{BaseURL: w.URL() + "/v1", Model: "gpt-4o-mini", HTTP: w.Client(), Key: func(context.Context) (string, error) { return key, nil }}
}

// Addresses and titles are those of the citations, and the snippet is the line that is cited.
func TestWebSearch(t *testing.T) {
	t.Parallel()
	w := openaitest.NewWeb(t, openaitest.Page{Title: "Kyrenia Power", URL: "https://power.example/?utm_source=openai", Says: "Ενοικίαση γεννητριών"}, openaitest.Page{Title: "Gen", URL: "https://gen.example/", Says: "Hire"})
	found, err := searcher(w, openaitest.Key).Search(t.Context(), discovery.Query{Need: "60 kVA generator", Category: "rental", Place: "Kyrenia", Language: "el", Max: 5})
	want := []discovery.Item{
		{Title: "Kyrenia Power", URL: "https://power.example/?utm_source=openai", Snippet: "Ενοικίαση γεννητριών"}, {Title: "Gen", URL: "https://gen.example/", Snippet: "Hire"},
	}
	if diff := cmp.Diff(want, found.Items); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if asked := w.Asked()[0]; !strings.Contains(asked, `"input":"rental, 60 kVA generator, Kyrenia"`) || !strings.Contains(asked, `"city":"Kyrenia"`) || strings.Contains(asked, "allowed_domains") {
		t.Errorf("asked %s", asked)
	}
	if _, err := searcher(w, openaitest.Key).Search(t.Context(), discovery.Query{Need: "x", Social: true, Max: 1}); err != nil || !strings.Contains(w.Asked()[1], `"linkedin.com"`) || strings.Contains(w.Asked()[1], "user_location") {
		t.Errorf("%v, asked %s", err, w.Asked()[1])
	}
}

func TestWebSearchFails(t *testing.T) {
	t.Parallel()
	w := openaitest.NewWeb(t)
	for status, want := range map[int]fault.Kind{500: fault.Unavailable, 429: fault.Limited, 400: fault.Internal, 401: fault.Internal, 302: fault.Unavailable, -1: fault.Invalid} {
		w.Faults.Add(status)
		_, err := searcher(w, openaitest.Key).Search(t.Context(), discovery.Query{Need: "x", Max: 1})
		if !fault.Is(err, want) || strings.Contains(err.Error(), openaitest.Key) {
			t.Errorf("status %d: %v, want %s", status, err, want)
		}
	}
	if found, err := searcher(w, openaitest.Key).Search(t.Context(), discovery.Query{Need: "x", Max: 1}); err != nil || len(found.Items) != 0 {
		t.Errorf("nothing was found: %+v, %v", found, err)
	}
	w.Hold = make(chan struct{})
	s := searcher(w, openaitest.Key)
	s.Timeout = 20 * time.Millisecond
	if _, err := s.Search(t.Context(), discovery.Query{Need: "x", Max: 1}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("no answer: %v", err)
	}
	if ready, err := searcher(w, "").Ready(t.Context()); ready || err != nil {
		t.Errorf("without a key: %v, %v", ready, err)
	}
}
