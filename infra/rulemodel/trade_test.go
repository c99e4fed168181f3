package rulemodel

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A vendor's answer is read with the price that it names, in the digits and with the separators that it is written in. What
// is a price is no day.
func TestVendorReply(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]map[string]any{
		"1.250,00":               {"price": 1250.0},
		"1,250.00 EUR":           {"price": 1250.0, "has_stock": true},
		"١٢٥٠ يورو":              {"price": 1250.0, "has_stock": true},
		"۲۸۰":                    {"price": 280.0},
		"280 EUR, from 28.11":    {"price": 280.0, "has_stock": true, "availability": "28.11"},
		"250 on Saturday":        {"price": 250.0, "availability": "on Saturday"},
		"12.50":                  {"price": 12.5},
		"no, all are out":        {"has_stock": false},
		"two hundred fifty":      {},
		"we have a 60 kVA for 9": {"price": 9.0, "has_stock": true},
	} {
		body, err := json.Marshal(map[string]string{"need": "60 kVA generator", "currency": "EUR", "answer": answer})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := vendorReply(request{Messages: []message{{Role: "user", Content: content(body)}}}, time.Time{}).(map[string]any)
		for name, v := range got {
			if v == nil {
				delete(got, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", answer, diff)
		}
	}
}

// A listing that shares no more than the town with what is needed is not what is needed; one of that kind is.
func TestWhatNoListingOffers(t *testing.T) {
	t.Parallel()
	walk := listing{name: "Kyrenia Castle Walk", category: "tour", place: "Kyrenia", description: "A walk through the castle of Kyrenia."}
	bright := listing{name: "Bright Home", category: "cleaning", place: "Kyrenia"}
	for _, tt := range []struct {
		text  string
		found []listing
		want  bool
	}{
		{"i need a 60 kva generator rented in kyrenia for saturday", []listing{walk, bright}, true},
		{"i need a generator", nil, true},
		{"i need a generator", []listing{walk, {name: "Harbour Generators"}}, false},
		{"villa cleaning in kyrenia", []listing{walk, bright}, false},
		{"a walk in kyrenia", []listing{walk}, false},
		{"something that nobody has", nil, false},
	} {
		if got := forVendors(tt.text, tt.found); got != tt.want {
			t.Errorf("%q with %d listings: %v", tt.text, len(tt.found), got)
		}
	}
}
