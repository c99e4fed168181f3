package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"merve/infra/local/runner"
)

// memory is what a process of Merve's had at a moment: in memory, on the heap after a
// collection, and of goroutines.
type memory struct {
	pid, kB int
	runner.Memory
}

func (m memory) heap() float64     { return float64(m.Heap) }
func (m memory) many() float64     { return float64(m.Goroutines) }
func (m memory) resident() float64 { return float64(m.kB) }

// measure looks at the process; one that is being started is left out.
func (w *world) measure(ctx context.Context) {
	w.mu.Lock()
	m := memory{pid: w.process.Process.Pid}
	w.mu.Unlock()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.pid))
	if err != nil {
		return
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	if _, err := fmt.Sscan(rest, &m.kB); err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if status, err := w.call(ctx, http.MethodGet, "/dev/memory", nil, "", &m.Memory); err != nil || status != http.StatusOK {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.memory = append(w.memory, m)
}

// processes splits the measurements by process, because a process that has restarted has little in memory.
func processes(all []memory) [][]memory {
	var parts [][]memory
	for i, m := range all {
		if i == 0 || m.pid != all[i-1].pid {
			parts = append(parts, nil)
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], m)
	}
	return parts
}

// What a process may have more of in the last quarter of its life than in the second and the
// third, when it has long been warm: what leaks at a constant rate grows by a quarter of all that
// it leaks.
const (
	mayGrow    = 0.05
	heapNoise  = 1 << 20 // bytes more that need no reason, of a heap that is small
	manyNoise  = 20      // goroutines: of what is under way at the moment
	fewSamples = 24      // in less time nothing can be said
)

// leaks says what of a process has grown. The calmest moments of a quarter each are compared:
// what is under way is no leak, and what leaks is there then, too. After a calm quarter there may
// be as much to do as before it.
func leaks(life []memory) (wrong []string) {
	if len(life) < fewSamples {
		return nil
	}
	for _, of := range []struct {
		what  string
		noise float64
		get   func(memory) float64
	}{
		{"bytes of heap", heapNoise, memory.heap},
		{"goroutines", manyNoise, memory.many},
	} {
		second, third, last := least(quarter(life, 1), of.get), least(quarter(life, 2), of.get), least(quarter(life, 3), of.get)
		if last > max(second, third)*(1+mayGrow)+of.noise {
			wrong = append(wrong, fmt.Sprintf("process %d had %.0f and %.0f %s at least in the second and third quarter of its time and %.0f in the last", life[0].pid, second, third, of.what, last))
		}
	}
	return wrong
}

func tooShort(life []memory) string {
	if len(life) < fewSamples {
		return ": too short to be judged"
	}
	return ""
}

// quarter is the n-th quarter of a life, from 0.
func quarter(life []memory, n int) []memory { return life[len(life)*n/4 : len(life)*(n+1)/4] }

func least(all []memory, of func(memory) float64) float64 {
	return of(slices.MinFunc(all, func(a, b memory) int { return cmp.Compare(of(a), of(b)) }))
}

func median(all []memory, of func(memory) float64) float64 {
	if len(all) == 0 {
		return 0
	}
	values := make([]float64, len(all))
	for i, m := range all {
		values[i] = of(m)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
