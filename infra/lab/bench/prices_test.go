package main

import (
	"math"
	"testing"
	"time"
)

// Dollars of a million, worked out by hand.
func TestDollars(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		used Used
		want Dollars
	}{
		{"nothing", Used{}, Dollars{}},
		{
			// 8 x 0.625 + 2 x 0.125 = 5.25. And 1.00 for HTTP, 0.20 for the function, which
			// works for 1 ms x 1769/256 and waits 3 x 5 ms: 21.9102 ms x 0.25 GB x 13.3334 = 0.0730.
			// Waiting: 2 s x 0.25 GB x 13.3334 = 6.6667.
			"a turn of the app",
			Used{Writes: 8, Reads: 2, HTTP: 1, Invocations: 1, Requests: 3, Work: time.Millisecond, Asked: 1},
			Dollars{Store: 5.25, Whole: 6.5230, Waiting: 6.6667},
		},
		{
			// 20 x 0.625 + 1 x 0.125 = 12.625. And 1.00, 3 x 0.20, 3 x 0.50, 30 ms x 0.25 x 13.3334 = 0.1000.
			// Waiting: (2 + 1.2) s x 0.25 x 13.3334 = 10.6667.
			"a webhook's turn, through the queue, with its delivery",
			Used{Writes: 20, Reads: 1, HTTP: 1, Invocations: 3, Messages: 1, Requests: 6, Asked: 1, Quiet: 1200 * time.Millisecond},
			Dollars{Store: 12.625, Whole: 15.8250, Waiting: 10.6667},
		},
		{
			// 16 x 0.5 x 0.125 = 1. And 1.00 for the tick, 0.20, 16 x 5 ms x 0.25 x 13.3334 = 0.2667.
			"a tick with nothing to do",
			Used{Reads: 8, Invocations: 1, Ticks: 1, Requests: 16},
			Dollars{Store: 1, Whole: 2.4667},
		},
		{
			// 18 x 0.625 = 11.25. And 2 x 0.20, 3 x 0.40, 12 x 1.00 for messages, 0.5 x 0.25 for the connection,
			// 10 x 5 ms x 0.25 x 13.3334 = 0.1667. Waiting: 2.2 s x 0.25 x 13.3334 = 7.3334.
			"a live turn",
			Used{Writes: 18, Invocations: 2, Standard: 1, Frames: 12, Connected: 30 * time.Second, Requests: 10, Quiet: 2200 * time.Millisecond},
			Dollars{Store: 11.25, Whole: 25.1417, Waiting: 7.3334},
		},
		{"a library call pays for no function", Used{Writes: 2, Requests: 1, Work: time.Second}, Dollars{Store: 1.25, Whole: 1.25}},
	} {
		got := dollarsOf(tt.used)
		if off(got.Store, tt.want.Store) || off(got.Whole, tt.want.Whole) || off(got.Waiting, tt.want.Waiting) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func off(a, b float64) bool { return math.Abs(a-b) > 0.0001 }

func TestPricesHaveTheirSource(t *testing.T) {
	t.Parallel()
	if _, err := time.Parse(time.DateOnly, pricesAsOf); err != nil {
		t.Error(err)
	}
	for _, p := range prices {
		if p.Source == "" || p.Of == "" {
			t.Errorf("%s: no source, or no unit: %+v", p.Name, p)
		}
	}
}
