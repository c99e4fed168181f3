package request

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/matter/callconsent"
	"merve/internal/matter/quote"
	"merve/internal/matter/vendor"
)

// All that a YES is bound to stands in the words of the question: names of vendors for their ids, and the requirements
// as the client has them.
func TestAYesIsToWhatWasShown(t *testing.T) {
	t.Parallel()
	price := int64(12345)
	v := View{Request: Request{ID: "req", Category: "generator", Currency: "EUR", Language: "en", Client: Contact{Name: "Ann Archer", Phone: "+15550100"}}}
	v.Requirements = `{"what":"60 kVA generator","area":"Kyrenia"}`
	v.Offer = &Offer{Kind: AcceptanceKind, Outreach: "out", ExpiresAt: time.Unix(0, 0)}
	v.Outreach = []vendor.Outreach{{ID: "out", Name: "Kyrenia Power", Quote: &quote.Quote{PriceMinor: &price, Availability: "Saturday from 8", Notes: "fuel is extra", Text: "yes we can"}}}
	unworded := map[string]bool{"request": true, "kind": true, "until": true, "outreach": true, "requirements": true, "category": true, "vendors": true, "client": true, "price": true}
	words := v.question().Summary
	for name, term := range v.terms() {
		if text := fmt.Sprint(term); !unworded[name] && !strings.Contains(words, text) {
			t.Errorf("%s: %q is bound, and not in %q", name, text, words)
		}
	}
	for _, want := range []string{"123.45", "Ann Archer", "+15550100"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is bound, and not in %q", want, words)
		}
	}
	v.Offer = &Offer{Kind: ConsentKind, Consent: "consent", ExpiresAt: time.Unix(0, 0)}
	v.Consents = []callconsent.Consent{{ID: "consent", Scope: "concierge", Reason: "the access road is narrow", Number: "+15550101"}}
	unworded["consent"] = true
	words = v.question().Summary
	for name, term := range v.terms() {
		if text := fmt.Sprint(term); !unworded[name] && !strings.Contains(words, text) {
			t.Errorf("%s: %q is bound, and not in %q", name, text, words)
		}
	}
	v.Offer = &Offer{Kind: LetterKind, Letter: &Letter{Outreach: "out", Text: "come at noon, please"}}
	words = v.question().Summary
	for name, term := range v.terms() {
		if text := fmt.Sprint(term); !unworded[name] && !strings.Contains(words, text) {
			t.Errorf("%s: %q is bound, and not in %q", name, text, words)
		}
	}
	v.State, v.Accepted, v.Quote = Accepted, "out", v.Outreach[0].Quote
	for _, kind := range []string{DropKind, DoneKind} {
		v.Offer = &Offer{Kind: kind}
		words = v.question().Summary
		for name, term := range v.terms() {
			if text := fmt.Sprint(term); !unworded[name] && !strings.Contains(words, text) {
				t.Errorf("%s: %q is bound, and not in %q", name, text, words)
			}
		}
		if !strings.Contains(words, "123.45") {
			t.Errorf("the price is bound, and not in %q", words)
		}
	}
	v.Offer = &Offer{Kind: OutreachKind, Vendors: []Named{{"v1", "Kyrenia Power"}, {"v2", "Five Finger"}}}
	if words := v.question().Summary; !strings.Contains(words, "Kyrenia Power") || !strings.Contains(words, "Five Finger") {
		t.Errorf("vendors are not in %q", words)
	}
}
