package market_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/tenant/market"
)

func TestDistricts(t *testing.T) {
	t.Parallel()
	m := market.Default("m")
	m.Districts = []market.District{
		{Name: "Kyrenia", Also: []string{"Girne"}, Center: &geo.Location{Lat: 35.34, Lng: 33.32}, Neighbours: []string{"Nicosia"}},
		{Name: "Nicosia", Also: []string{"Lefkoşa"}, Center: &geo.Location{Lat: 35.18, Lng: 33.36}},
		{Name: "Karpaz"},
		{Name: "North Nicosia"},
	}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		at   *geo.Location
		want string
	}{
		{"Harbour Road 5, Girne", nil, "Kyrenia"},
		{"lefkosa, Dereboyu", &geo.Location{Lat: 35.34, Lng: 33.32}, "Nicosia"},
		{"Girneli Street", nil, ""},
		{"somewhere", &geo.Location{Lat: 35.2, Lng: 33.4}, "Nicosia"},
		{"North Nicosia", nil, "North Nicosia"},
		{"", nil, ""},
	} {
		if got := m.DistrictOf(tt.text, tt.at); got != tt.want {
			t.Errorf("%q at %v is in %q, want %q", tt.text, tt.at, got, tt.want)
		}
	}
	if n := m.Neighbours("kyrenia"); !slices.Equal(n, []string{"Nicosia"}) {
		t.Errorf("next to Kyrenia: %v", n)
	}
	if n := m.Neighbours("Karpaz"); !slices.Equal(n, []string{"Kyrenia", "Nicosia", "North Nicosia"}) {
		t.Errorf("next to Karpaz: %v", n)
	}
	for _, tt := range []struct {
		field string
		spoil func()
	}{
		{"districts.name", func() { m.Districts[1].Name = "KYRENIA" }},
		{"districts.name", func() { m.Districts[2].Name = "" }},
		{"districts.name", func() { m.Districts[2].Name = strings.Repeat("k", 61) }},
		{"districts.name", func() { m.Districts[2].Name = "Karpaz #2" }},
		{"districts", func() {
			for n := range market.MaxDistricts {
				m.Districts = append(m.Districts, market.District{Name: fmt.Sprint("District ", n)})
			}
		}},
		{"districts.neighbours", func() { m.Districts[0].Neighbours = []string{"Atlantis"} }},
		{"districts.center", func() { m.Districts[1].Center = &geo.Location{Lat: 99} }},
	} {
		before := slices.Clone(m.Districts)
		tt.spoil()
		if _, got := fault.Public(m.Check()); got != tt.field {
			t.Errorf("%q, want %q", got, tt.field)
		}
		m.Districts = before
	}
}
