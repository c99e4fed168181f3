package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"merve/internal/model/llm"
)

// Throughput is how fast turns run, one at a time and eight at a time, and how fast many book one
// slot.
type Throughput struct {
	Runs       []Pace       `json:"runs"`
	Contention []Contention `json:"contention"`
}

// Pace is one run of many turns through the chat function's handler.
type Pace struct {
	Name      string  `json:"name"`
	Workers   int     `json:"workers"`
	Turns     int     `json:"turns"`
	PerSecond float64 `json:"turnsPerSecond"`
	P50       float64 `json:"p50ms"`
	P99       float64 `json:"p99ms"`
	CPU       float64 `json:"cpuMs"` // of this process, for each turn
}

func (b *bench) throughput(ctx context.Context, r *Report) error {
	r.Throughput = &Throughput{}
	for _, run := range []struct {
		name    string
		workers int
		rounds  [][]llm.Call
	}{
		{"plain turn", 1, nil}, {"turn with one tool", 1, [][]llm.Call{{search("c1", "sushi")}}}, {"plain turn", 8, nil},
	} {
		b.model.play(run.rounds...)
		turns := b.Turns / 2
		if run.workers > 1 {
			turns = b.Turns
		}
		p, err := b.pace(ctx, run.workers, turns)
		if err != nil {
			return fmt.Errorf("%s, %d workers: %w", run.name, run.workers, err)
		}
		p.Name = run.name
		r.Throughput.Runs = append(r.Throughput.Runs, p)
	}
	var err error
	r.Throughput.Contention, err = b.contention(ctx)
	return err
}

// pace runs turns, each worker on a thread of its own.
func (b *bench) pace(ctx context.Context, workers, turns int) (Pace, error) {
	took := make([]time.Duration, turns)
	sessions := make([]string, workers)
	for w := range sessions {
		sessions[w] = newSession()
	}
	cpu, start := cpuTime(), time.Now()
	err := together(workers, turns, func(worker, i int) error {
		begun := time.Now()
		_, err := b.say(ctx, sessions[worker], plainQuestion)
		took[i] = time.Since(begun)
		return err
	})
	all := time.Since(start)
	cpu = cpuTime() - cpu
	if err != nil {
		return Pace{}, err
	}
	at := percentile(took)
	return Pace{
		Workers: workers, Turns: turns, PerSecond: float64(turns) / all.Seconds(),
		P50: milliseconds(at(0.5)), P99: milliseconds(at(0.99)), CPU: milliseconds(cpu) / float64(turns),
	}, nil
}

// together has do run n times by so many workers, each with the next number that is left. Who
// fails ends.
func together(workers, n int, do func(worker, i int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[w] == nil; i = int(next.Add(1)) - 1 {
				errs[w] = do(w, i)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// cpuTime is what this process has used of the processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
