package main

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"time"
)

// Row is what one operation takes, for one of it.
type Row struct {
	Name    string  `json:"name"`
	History int     `json:"history"` // messages of the thread before it; -1 where that makes no difference
	Count   Count   `json:"store"`
	Used    Used    `json:"used"`
	P50     float64 `json:"p50ms"`
	P99     float64 `json:"p99ms"`
	Own     float64 `json:"ownP50ms"`  // without store and SDK, model and provider
	Work    float64 `json:"workP50ms"` // with the SDK: encoding, signing, reading answers
	Alloc   float64 `json:"allocatedBytes"`
	Allocs  float64 `json:"allocations"`
	Runs    int     `json:"runs"`
	Dollars Dollars `json:"dollarsPerMillion"`
}

// sample is one run of an operation.
type sample struct {
	count         Count
	used          Used
	took          time.Duration
	own, work     time.Duration // without the SDK, and with it
	alloc, allocs uint64
}

// started is what starts a function.
type started string

const (
	byHTTP     started = "http"
	byQueue    started = "queue"
	byStream   started = "stream"
	bySchedule started = "schedule"
	byCall     started = "call" // a library call: part of somebody's function
)

// meter measures one run of an operation, step by step; what happens between its steps
// is not counted.
type meter struct {
	b *bench
	sample
}

// step runs and measures a step.
func (m *meter) step(by started, f func() error) error {
	switch by {
	case byHTTP:
		m.used.HTTP++
	case bySchedule:
		m.used.Ticks++
	}
	if by != byCall {
		m.used.Invocations++
	}
	var before, after runtime.MemStats
	queued, asked, quiet := m.b.queue.sum(), m.b.model.sum(), m.b.quiet.Load()
	counted, called, sent := m.b.traffic.sum(), m.b.traffic.call.sum(), m.b.traffic.wire.sum()
	runtime.ReadMemStats(&before)
	start := time.Now()
	err := f()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	c := m.b.traffic.sum().minus(counted)
	m.count = m.count.minus(Count{}.minus(c))
	m.used.Messages += m.b.queue.sum() - queued
	m.used.Asked += m.b.model.sum() - asked
	m.used.Quiet += time.Duration(m.b.quiet.Load() - quiet)
	m.took += took
	m.own += took - (m.b.traffic.call.sum() - called)
	m.work += took - (m.b.traffic.wire.sum() - sent)
	m.alloc += after.TotalAlloc - before.TotalAlloc
	m.allocs += after.Mallocs - before.Mallocs
	return err
}

// scenario is a run of one operation or of several that follow from each other; record
// gives it a meter for each, by name.
type scenario struct {
	history int
	runs    int // of the times; 0 is the bench's own
	run     func(ctx context.Context, record func(name string) *meter) error
}

// measure runs a scenario: once to warm up, some times for what it takes, and many for
// its times. The rows come in the order of their first record.
func (b *bench) measure(ctx context.Context, s scenario) ([]Row, error) {
	var names []string
	counted, timed := map[string][]sample{}, map[string][]sample{}
	into := func(all map[string][]sample) error {
		meters := map[string]*meter{}
		err := s.run(ctx, func(name string) *meter {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			meters[name] = &meter{b: b}
			return meters[name]
		})
		for name, m := range meters {
			all[name] = append(all[name], m.sample)
		}
		return err
	}
	if err := into(map[string][]sample{}); err != nil {
		return nil, err
	}
	b.traffic.auditing.Store(true)
	for range b.Audits {
		if err := into(counted); err != nil {
			return nil, err
		}
	}
	b.traffic.auditing.Store(false)
	for range cmp.Or(s.runs, b.Runs) {
		if err := into(timed); err != nil {
			return nil, err
		}
	}
	var rows []Row
	for _, name := range names {
		rows = append(rows, rowOf(name, s.history, counted[name], timed[name], 1))
	}
	return rows, nil
}

// rowOf sums up runs that each did of things.
func rowOf(name string, history int, counted, timed []sample, of float64) Row {
	c := least(counted)
	took := percentiles(timed, func(s sample) time.Duration { return s.took })
	own := percentiles(timed, func(s sample) time.Duration { return s.own })
	work := percentiles(timed, func(s sample) time.Duration { return s.work })
	r := Row{
		Name: name, History: history, Count: c.count, Used: c.used, Runs: len(timed),
		P50: milliseconds(took(0.5)), P99: milliseconds(took(0.99)), Own: milliseconds(own(0.5)), Work: milliseconds(work(0.5)),
	}
	for _, s := range timed {
		r.Alloc += float64(s.alloc) / float64(len(timed))
		r.Allocs += float64(s.allocs) / float64(len(timed))
	}
	r.Used.Writes, r.Used.Reads, r.Used.Requests, r.Used.Work = c.count.BilledWrites, c.count.BilledReads, c.count.Requests, work(0.5)
	d := dollarsOf(r.Used)
	r.Dollars = Dollars{d.Store / of, d.Whole / of, d.Waiting / of}
	return r
}

// least is the run with the fewest requests. What a process asks for once in half a
// minute, and remembers, is in some runs and not in this one.
func least(all []sample) sample {
	return slices.MinFunc(all, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.count.Requests, b.count.Requests), cmp.Compare(a.count.BilledWrites, b.count.BilledWrites))
	})
}

// percentiles gives the value that a part of all runs does not exceed.
func percentiles(all []sample, of func(sample) time.Duration) func(part float64) time.Duration {
	ds := make([]time.Duration, len(all))
	for i, s := range all {
		ds[i] = of(s)
	}
	return percentile(ds)
}

func percentile(ds []time.Duration) func(part float64) time.Duration {
	sorted := slices.Sorted(slices.Values(ds))
	return func(part float64) time.Duration {
		return sorted[max(int(math.Ceil(part*float64(len(sorted))))-1, 0)]
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
