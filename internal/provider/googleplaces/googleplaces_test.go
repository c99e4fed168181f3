package googleplaces_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/matter/discovery"
	"merve/internal/provider/googleplaces"
	"merve/internal/provider/googleplaces/googleplacestest"
)

var _ discovery.Map = (*googleplaces.Client)(nil)

func client(s *googleplacestest.Server, key string) *googleplaces.Client {
	return &googleplaces.Client{BaseURL: s.URL(), HTTP: s.Client(), Key: func(context.Context) (string, error) { return key, nil }}
}

var hire = googleplacestest.Place{ID: "ChIJ_1", Name: "Kyrenia Hire", Address: "Girne", Phone: "+90 392 815 00 00", Lat: 35.33, Lng: 33.32}

func TestFind(t *testing.T) {
	t.Parallel()
	s := googleplacestest.New(t, hire)
	c := client(s, googleplacestest.Key)
	found, err := c.Find(t.Context(), discovery.MapQuery{Text: "generator", Language: "tr", Near: &geo.Location{Lat: 35.3, Lng: 33.3}, RadiusKM: 100, Max: 50})
	want := []discovery.Place{{ID: "ChIJ_1", Name: "Kyrenia Hire", Address: "Girne", Phone: "+90 392 815 00 00", At: &geo.Location{Lat: 35.33, Lng: 33.32}}}
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if p, err := c.Place(t.Context(), "ChIJ_1", "tr"); err != nil || cmp.Diff(want[0], p) != "" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, id := range []string{"none", "../secrets", "", "a/b", "a?b"} {
		if _, err := c.Place(t.Context(), id, "en"); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	empty := googleplacestest.New(t)
	if found, err := client(empty, googleplacestest.Key).Find(t.Context(), discovery.MapQuery{Text: "generator", Max: 1}); err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestFails(t *testing.T) {
	t.Parallel()
	s := googleplacestest.New(t)
	for status, want := range map[int]fault.Kind{500: fault.Unavailable, 429: fault.Limited, 400: fault.Internal, 403: fault.Internal} {
		s.Faults.Add(status)
		if _, err := client(s, googleplacestest.Key).Find(t.Context(), discovery.MapQuery{Text: "x", Max: 1}); !fault.Is(err, want) || strings.Contains(err.Error(), googleplacestest.Key) {
			t.Errorf("status %d: %v, want %s", status, err, want)
		}
	}
	if ready, err := client(s, "").Ready(t.Context()); ready || err != nil {
		t.Errorf("without a key: %v, %v", ready, err)
	}
}
