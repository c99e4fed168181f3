package rulemodel

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A vendor's answer is read for whether they have it, and when. What is a price is no day.
func TestVendorReply(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]map[string]any{
		"1.250,00":               {},
		"1,250.00 EUR":           {"has_stock": true},
		"١٢٥٠ يورو":              {"has_stock": true},
		"۲۸۰":                    {},
		"280 EUR, from 28.11":    {"has_stock": true, "availability": "28.11"},
		"250 on Saturday":        {"availability": "on Saturday"},
		"12.50":                  {},
		"no, all are out":        {"has_stock": false},
		"two hundred fifty":      {},
		"we have a 60 kVA for 9": {"has_stock": true},
	} {
		body, err := json.Marshal(map[string]string{"need": "60 kVA generator", "answer": answer})
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
