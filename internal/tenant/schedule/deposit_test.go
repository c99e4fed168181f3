package schedule

import (
	"math"
	"testing"

	"merve/internal/base/fault"
)

func TestDue(t *testing.T) {
	t.Parallel()
	tests := []struct {
		deposit *Deposit
		price   int64
		want    int64
	}{
		{nil, 10_000, 0},
		{&Deposit{PercentOfPrice: 30}, 10_000, 3000},
		{&Deposit{PercentOfPrice: 30}, 10_001, 3001}, // a part of a cent is a cent
		{&Deposit{PercentOfPrice: 33}, 1, 1},
		{&Deposit{PercentOfPrice: 100}, 10_000, 10_000},
		{&Deposit{MinMinor: 2000}, 10_000, 2000},
		{&Deposit{PercentOfPrice: 10, MinMinor: 2000}, 10_000, 2000},
		{&Deposit{PercentOfPrice: 30, MinMinor: 2000}, 10_000, 3000},
		{&Deposit{MinMinor: 2000}, 1500, 1500}, // never more than the price
		{&Deposit{PercentOfPrice: 50, MinMinor: 2000}, 0, 0},
		{&Deposit{PercentOfPrice: 100}, math.MaxInt64, math.MaxInt64},
	}
	for _, tt := range tests {
		if got := tt.deposit.Due(tt.price, "EUR"); got != tt.want {
			t.Errorf("%+v of %d: %d, want %d", tt.deposit, tt.price, got, tt.want)
		}
	}
}

// What is asked for can be paid, and what is given back too: of three decimals the last is 0.
func TestWhatCanBePaid(t *testing.T) {
	t.Parallel()
	d := &Deposit{PercentOfPrice: 25, LateRefundPercent: 50}
	for _, tt := range []struct {
		currency         string
		price, due, late int64
	}{
		{"EUR", 12_502, 3126, 1563}, {"JPY", 12_502, 3126, 1563}, {"KWD", 12_500, 3130, 1560}, {"BHD", 4, 4, 0}, {"MGA", 12_500, 3200, 1600},
		{"KWD", math.MaxInt64 / 100 * 100, 2305843009213693950, 1152921504606846970},
	} {
		due := d.Due(tt.price, tt.currency)
		if late := d.Late(due, tt.currency); due != tt.due || late != tt.late {
			t.Errorf("%s %d: due %d, late %d, want %d and %d", tt.currency, tt.price, due, late, tt.due, tt.late)
		}
	}
	o := Offering{
		ID: "table", Name: "Table", TimeZone: "UTC", Capacity: 1, HorizonDays: 1, MaxParty: 1, MinParty: 1, Unit: BySlot, Per: PerBooking,
		SlotMinutes: 30, DurationMinutes: 30, PriceMinor: 1234, Currency: "KWD",
	}
	for _, ahead := range []func(){func() { o.Deposit = d }, func() { o.Deposit, o.NoShows = nil, &NoShows{Count: 1, Days: 1, Deposit: d} }} {
		o.Deposit, o.NoShows = nil, nil
		if err := o.Check(); err != nil {
			t.Fatal(err)
		}
		ahead()
		if _, field := fault.Public(o.Check()); field != "offering.priceMinor" {
			t.Errorf("paid ahead of 1.234: %v", o.Check())
		}
	}
}

func TestDepositChecked(t *testing.T) {
	t.Parallel()
	for field, d := range map[string]*Deposit{
		"": {PercentOfPrice: 100, RefundUntilHours: 48}, "offering.deposit": {},
		"offering.deposit.percentOfPrice": {PercentOfPrice: 101}, "offering.deposit.minMinor": {MinMinor: MaxMinor + 1},
		"offering.deposit.refundUntilHours":  {PercentOfPrice: 1, RefundUntilHours: -1},
		"offering.deposit.lateRefundPercent": {PercentOfPrice: 1, LateRefundPercent: 100},
	} {
		err := d.check("offering.deposit")
		if _, got := fault.Public(err); got != field && field != "" || (err != nil) != (field != "") {
			t.Errorf("%+v: %v, want an error of %q", *d, err, field)
		}
	}
}

func TestLate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		percent   int
		due, want int64
	}{{0, 3000, 0}, {50, 3000, 1500}, {50, 1, 0}, {99, 101, 99}, {99, math.MaxInt64, math.MaxInt64/100*99 + 6}} { // something is always kept
		if got := (&Deposit{LateRefundPercent: tt.percent}).Late(tt.due, "EUR"); got != tt.want {
			t.Errorf("%d%% of %d: %d, want %d", tt.percent, tt.due, got, tt.want)
		}
	}
	if got := (*Deposit)(nil).Late(100, "EUR"); got != 0 {
		t.Errorf("without a deposit %d", got)
	}
}

func TestNoShowsChecked(t *testing.T) {
	t.Parallel()
	for field, n := range map[string]*NoShows{
		"": {Count: 2, Days: 90, Deposit: &Deposit{PercentOfPrice: 20}}, "offering.noShows.count": {Days: 1}, "offering.noShows.days": {Count: 1, Days: 731},
		"offering.noShows.deposit": {Count: 1, Days: 1, Deposit: &Deposit{}},
	} {
		err := n.check(100)
		if _, got := fault.Public(err); got != field && field != "" || (err != nil) != (field != "") {
			t.Errorf("%+v: %v, want an error of %q", *n, err, field)
		}
	}
	free := &NoShows{Count: 1, Days: 1, Deposit: &Deposit{MinMinor: 100}}
	if err := free.check(0); err == nil {
		t.Error("a deposit on what costs nothing")
	}
	if err := (&NoShows{Count: 1, Days: 1}).check(0); err != nil {
		t.Error(err)
	}
}
