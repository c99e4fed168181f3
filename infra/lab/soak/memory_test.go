package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/infra/local/runner"
	"merve/internal/base/seedtest"
)

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

// A quarter in which there is less to do is no measure of what follows it.
func TestACalmWhileIsNoLeak(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		goroutines [4]int // by quarters
		leaks      int
	}{
		{[4]int{587, 342, 205, 245}, 0},
		{[4]int{587, 205, 205, 245}, 1},
		{[4]int{100, 205, 342, 480}, 1},
	} {
		var life []memory
		for i, n := range tt.goroutines {
			for range fewSamples/4 - 1 {
				life = append(life, memory{pid: 7, Memory: runner.Memory{Goroutines: n + 100*i}}) // ever busier
			}
			life = append(life, memory{pid: 7, Memory: runner.Memory{Goroutines: n}})
		}
		if got := leaks(life); len(got) != tt.leaks {
			t.Errorf("%v: %q", tt.goroutines, got)
		}
	}
}

// A life is judged by what stays, not by what is under way: warm-up, busy moments and single
// peaks are no leak, and what is never given back is one, from whatever seed.
func TestLeaksAreFound(t *testing.T) {
	t.Parallel()
	chance := seedtest.Rand(t)
	const heap, many = 60 << 20, 900
	life := func(samples int, heapLeak, goroutineLeak float64) []memory {
		all := make([]memory, samples)
		for i := range all {
			part := float64(i) / float64(samples)
			warm := 1 - math.Exp(-12*part)
			peak := 1.0
			if chance.IntN(10) == 0 {
				peak = 1.5 // a burst
			}
			noise := func() float64 { return peak * (1 + 0.06*(chance.Float64()-0.5)) }
			all[i] = memory{pid: 7, Memory: runner.Memory{
				Heap:       uint64(heap * (warm*noise() + heapLeak*part)),
				Goroutines: int(many * (warm*noise() + goroutineLeak*part)),
			}}
		}
		return all
	}
	for _, tt := range []struct {
		name                    string
		samples                 int
		heapLeak, goroutineLeak float64 // by the end, as a part of what a warm process has
		want                    string
	}{
		{"nothing", 60, 0, 0, ""},
		{"nothing, for a long time", 600, 0, 0, ""},
		{"too short to say", fewSamples - 1, 3, 3, ""},
		{"as much heap again", 60, 1, 0, "bytes of heap"},
		{"as many goroutines again", 60, 0, 1, "goroutines"},
		{"both, and less of it, for a long time", 600, 0.6, 0.6, "bytes of heap goroutines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range seedtest.Times(t, 100) {
				got := leaks(life(tt.samples, tt.heapLeak, tt.goroutineLeak))
				var what []string
				for _, s := range got {
					for _, w := range []string{"bytes of heap", "goroutines"} {
						if strings.Contains(s, " "+w+" ") {
							what = append(what, w)
						}
					}
				}
				if strings.Join(what, " ") != tt.want {
					t.Fatalf("found %q, want %q", fmt.Sprint(got), tt.want)
				}
			}
		})
	}
}
