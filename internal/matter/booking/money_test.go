package booking

import (
	"errors"
	"strings"
	"testing"

	"merve/internal/base/fault"
	"merve/internal/record/ledger"
	"merve/internal/words/wording"
)

// What a customer is told of their money when they cancel.
func TestMoneyOfACancellation(t *testing.T) {
	t.Parallel()
	away := fault.New(fault.Unavailable, "away")
	tests := []struct {
		name string
		paid int64
		err  error
		want wording.Key // "" is none
	}{
		{"paid and free until later", 6500, nil, wording.MoneyBack},
		{"nothing paid", 0, nil, ""},
		{"nobody knows", 6500, away, ""},
	}
	for _, tt := range tests {
		tx := ledger.Transaction{Terms: ledger.Terms{
			Start: noon.AddDate(0, 0, 2), TimeZone: "Europe/Nicosia", PriceMinor: 6500, DueMinor: 6500, RefundUntil: noon.AddDate(0, 0, 1), Currency: "EUR",
		}}
		text, err := refund(t.Context(), &till{paid: tt.paid, away: tt.err}, "en", tx, noon)
		want := wording.Say("en", tt.want, wording.Vars{
			"amount": "€65.00", "back": "€65.00", "kept": "€0.00", "until": freeUntil("en", tx, noon),
		})
		if !errors.Is(err, tt.err) || text != want {
			t.Errorf("%s: %q, %v; want %q", tt.name, text, err, want)
		}
	}
}

// What has to be paid ahead is asked for by a payment, whether it is new or takes the place of another
// booking. What was paid for that one is said to come back.
func TestQuestions(t *testing.T) {
	t.Parallel()
	old := ledger.Transaction{State: ledger.Confirmed, Terms: ledger.Terms{ListingName: "Harbour Grill", PriceMinor: 6500, Currency: "EUR"}}
	for name, tt := range map[string]struct {
		due, paid        int64
		kind, move       string
		toPay, comesBack bool
	}{
		"nothing due":      {0, 0, ConfirmKind, RescheduleKind, false, false},
		"due":              {3000, 0, "pay", "pay", true, false},
		"due, and paid":    {3000, 6500, "pay", "pay", true, true},
		"not due but paid": {0, 6500, ConfirmKind, RescheduleKind, false, true},
	} {
		offer := ledger.Transaction{State: ledger.Hold, Terms: ledger.Terms{ListingName: "Harbour Grill", PriceMinor: 6500, DueMinor: tt.due, Currency: "EUR"}}
		p := &till{paid: tt.paid}
		want := Summary("en", offer)
		if tt.toPay {
			want += ", to be paid"
		}
		if q := Question(p, "en", offer); q.Kind != tt.kind || q.Summary != want {
			t.Errorf("%s: %s, %q", name, q.Kind, q.Summary)
		}
		q, err := MoveQuestion(t.Context(), p, "en", old, offer)
		if err != nil || q.Kind != tt.move || !strings.HasPrefix(q.Summary, moved("en", old, offer)) ||
			strings.Contains(q.Summary, "to be paid") != tt.toPay || strings.Contains(q.Summary, "€65.00 paid for the earlier time") != tt.comesBack {
			t.Errorf("%s, moved: %s, %q, %v", name, q.Kind, q.Summary, err)
		}
		booked := offer
		booked.State = ledger.Confirmed
		if text := (&Booker{Payments: p}).summary("en", booked); text != Summary("en", booked) {
			t.Errorf("%s, booked: %q", name, text)
		}
	}
	if _, err := MoveQuestion(t.Context(), &till{away: fault.New(fault.Unavailable, "away")}, "en", old, old); !fault.Is(err, fault.Unavailable) {
		t.Errorf("nobody knows what was paid: %v", err)
	}
}
