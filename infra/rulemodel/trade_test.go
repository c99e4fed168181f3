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
