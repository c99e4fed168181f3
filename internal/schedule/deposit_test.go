package schedule

import (
	"math"
	"testing"

	"merve/internal/fault"
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
		if got := (Offering{Deposit: tt.deposit}).Due(tt.price); got != tt.want {
			t.Errorf("%+v of %d: %d, want %d", tt.deposit, tt.price, got, tt.want)
		}
	}
}

func TestDepositChecked(t *testing.T) {
	t.Parallel()
	for field, d := range map[string]*Deposit{
		"": {PercentOfPrice: 100, RefundUntilHours: 48}, "offering.deposit": {},
		"offering.deposit.percentOfPrice": {PercentOfPrice: 101}, "offering.deposit.minMinor": {MinMinor: -1},
		"offering.deposit.refundUntilHours": {PercentOfPrice: 1, RefundUntilHours: -1},
	} {
		err := d.check()
		if _, got := fault.Public(err); got != field && field != "" || (err != nil) != (field != "") {
			t.Errorf("%+v: %v, want an error of %q", *d, err, field)
		}
	}
}
