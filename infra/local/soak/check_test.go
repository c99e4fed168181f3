package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
		{"a kill too few", result{Said: 9, Confirmed: 1, Injected: 1, Killed: 1}, options{faults: 0.1, kills: 2}, 1},
	}
	for _, tt := range tests {
		if tt.r.happened(tt.o); len(tt.r.Wrong) != tt.want {
			t.Errorf("%s: %q, want %d", tt.name, tt.r.Wrong, tt.want)
		}
	}
}

func TestMemoryByProcess(t *testing.T) {
	t.Parallel()
	var sizes []int
	for _, p := range processes([]memory{{pid: 1}, {pid: 1}, {pid: 2}, {pid: 3}, {pid: 3}}) {
		sizes = append(sizes, len(p))
	}
	if diff := cmp.Diff([]int{2, 1, 2}, sizes); diff != "" || processes(nil) != nil {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}
