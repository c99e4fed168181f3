package main

import (
	"testing"
	"time"
)

// A soak in which nothing went on has proved nothing.
func TestWhatHasToHappen(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		r    result
		o    options
		want int
	}{
		{"all of it", result{Said: 9, Confirmed: 1, Injected: 1, Killed: 2}, options{faults: 0.1, kills: 2}, 0},
		{"nothing that was not asked for", result{Said: 9, Confirmed: 1}, options{}, 0},
		{"nothing", result{}, options{faults: 0.1, kills: 2}, 4},
		{"too few in the time", result{Said: 9, Confirmed: 1, Time: time.Second}, options{rate: 10}, 1},
		{"as many as wanted", result{Said: 10, Confirmed: 1, Time: time.Second}, options{rate: 10}, 0},
		{"a kill too few", result{Said: 9, Confirmed: 1, Injected: 1, Killed: 1}, options{faults: 0.1, kills: 2}, 1},
	}
	for _, tt := range tests {
		if tt.r.happened(tt.o); len(tt.r.Wrong) != tt.want {
			t.Errorf("%s: %q, want %d", tt.name, tt.r.Wrong, tt.want)
		}
	}
}

// What is missing is lost, and what is too much came twice.
func TestWhatCameIsCounted(t *testing.T) {
	t.Parallel()
	var r result
	for _, got := range []int{1, 2, 3, 5} {
		r.came(got, 2, 3, "%d", got)
	}
	if r.Lost != 1 || r.Doubled != 2 || len(r.Wrong) != 2 {
		t.Errorf("%+v", r)
	}
}
