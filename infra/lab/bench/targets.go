package main

import (
	"fmt"
	"math"
	"strings"
)

// Target is a figure that Merve promises, and what was measured.
type Target struct {
	Name     string `json:"name"`
	Want     string `json:"want"`
	Measured string `json:"measured"`
	Met      bool   `json:"met"`
	Counted  bool   `json:"counted"` // not a matter of time: the same on every machine
}

// targets holds what was measured against what is promised. What was not measured is
// left out.
func targets(r *Report) []Target {
	t := &tally{}
	t.costs(r)
	t.growth(r)
	t.paces(r)
	t.plans(r)
	t.live(r)
	t.requests(r)
	t.beside(r)
	t.starting(r)
	return t.all
}

type tally struct{ all []Target }

// atMost adds targets that bound figures from above.
func (t *tally) atMost(counted bool, name, unit string, got, most float64) {
	t.all = append(t.all, Target{name, "≤ " + figure(most) + unit, figure(got) + unit, got <= most, counted})
}

func (t *tally) atLeast(counted bool, name, unit string, got, least float64) {
	t.all = append(t.all, Target{name, "≥ " + figure(least) + unit, figure(got) + unit, got >= least, counted})
}

func figure(x float64) string { return fmt.Sprintf("%.4g", x) }

// worst is the highest of a figure over the histories of an operation, but for the very
// first turn of a thread.
func worst(rows []Row, name string, of func(Row) float64) (highest float64, found bool) {
	highest = math.Inf(-1)
	for _, r := range rows {
		if r.Name == name && r.History != 0 {
			highest, found = max(highest, of(r)), true
		}
	}
	return highest, found
}

// costs are requests, capacity and dollars, whatever the length of the thread.
func (t *tally) costs(r *Report) {
	requests := func(r Row) float64 { return float64(r.Count.Requests) }
	writes := func(r Row) float64 { return r.Count.BilledWrites }
	reads := func(r Row) float64 { return r.Count.BilledReads }
	dollars := func(r Row) float64 { return r.Dollars.Whole }
	for _, w := range []struct {
		op   string
		unit string
		of   func(Row) float64
		most float64
	}{
		{plainApp, " requests", requests, 4},
		{plainWeb, " requests", requests, 4},
		{plainPush, " requests", requests, 6},
		{plainPage, " requests", requests, 6},
		{repeated, " requests", requests, 1},
		{oneTool, " requests", requests, 6},
		{plainApp, " WU", writes, 8},
		{plainApp, " RU", reads, 3},
		{plainPush, " WU", writes, 8},
		{plainPush, " RU", reads, 3},
		{plainPage, " WU", writes, 8},
		{plainPage, " RU", reads, 3},
		{oneTool, " WU", writes, 15},
		{oneTool, " RU", reads, 4},
		{plainApp, " $", dollars, 15},
		{plainPush, " $", dollars, 15},
		{plainPage, " $", dollars, 15},
		{oneTool, " $", dollars, 20},
	} {
		counted, name := true, w.op
		if w.unit == " $" {
			counted, name = false, name+", a million"
		}
		if got, ok := worst(r.Rows, w.op, w.of); ok {
			t.atMost(counted, name, w.unit, got, w.most)
		}
		for _, row := range r.Rows { // the first turn of a thread puts it into indexes
			if row.Name == w.op && row.History == 0 && w.of(row) > w.most {
				t.atMost(counted, name+", first on its thread", w.unit, w.of(row), w.most)
			}
		}
	}
}

// growth compares the longest thread with the shortest one that has a history.
func (t *tally) growth(r *Report) {
	for _, name := range []string{plainApp, plainPush, plainPage, oneTool} {
		var short, long *Row
		for i, row := range r.Rows {
			if row.Name == name && row.History > 0 {
				if short == nil {
					short = &r.Rows[i]
				}
				long = &r.Rows[i]
			}
		}
		if short == nil || short == long {
			continue
		}
		what := fmt.Sprintf("%s, at history %d against %d", name, long.History, short.History)
		t.all = append(t.all, Target{what, "the same requests and WU",
			fmt.Sprintf("%d and %s against %d and %s", long.Count.Requests, figure(long.Count.BilledWrites), short.Count.Requests, figure(short.Count.BilledWrites)),
			long.Count.Requests == short.Count.Requests && long.Count.BilledWrites == short.Count.BilledWrites, true})
		t.atMost(true, what+", bytes off", " %", 100*math.Abs(float64(long.Count.Bytes)/float64(short.Count.Bytes)-1), 5)
		t.atMost(false, what+", p50", " times", long.P50/short.P50, 1.5)
	}
}

// paces are times. They depend on the machine and on who else is at work on it.
func (t *tally) paces(r *Report) {
	const many = 10_000
	for _, row := range r.Rows {
		if strings.HasPrefix(row.Name, expiryOf) {
			t.atMost(false, "10,000 holds at that pace of expiry", " s", row.P50/1000*many/float64(r.Due), 30)
		}
	}
	if r.Throughput == nil {
		return
	}
	for _, p := range r.Throughput.Runs {
		name := fmt.Sprintf("%s, %d at a time", p.Name, p.Workers)
		switch {
		case p.Workers > 1:
			t.atLeast(false, name, " turns/s", p.PerSecond, 190)
		case p.Name == "plain turn":
			t.atMost(false, name+", p50", " ms", p.P50, 7)
			t.atMost(false, name+", p99", " ms", p.P99, 20)
		default:
			t.atMost(false, name+", p50", " ms", p.P50, 11)
			t.atMost(false, name+", p99", " ms", p.P99, 30)
		}
	}
	for _, c := range r.Throughput.Contention {
		least := map[string]map[int]float64{hotSlot: {64: 1000}, churn: {8: 250, 64: 40}}[c.Name][c.Workers]
		t.atLeast(false, fmt.Sprintf("%s, %d at a time", c.Name, c.Workers), " a second", c.PerSecond, least)
	}
	if got, ok := worst(r.Rows, plainApp, func(r Row) float64 { return r.Own }); ok {
		t.atMost(false, plainApp+", own time p50", " ms", got, 0.5)
	}
}

// beside compares Merve with its peers at the end of the conversation.
func (t *tally) beside(r *Report) {
	last := func(name string) (PeerTurn, *Crowd, bool) {
		for _, p := range r.Peers {
			if p.Name == name && p.Kind == "plain" {
				return p.Turns[len(p.Turns)-1], p.Crowd, true
			}
		}
		return PeerTurn{}, nil, false
	}
	ours, crowd, ok := last(merve)
	if !ok {
		return
	}
	if crowd != nil {
		t.atLeast(true, "of 20 messages at once, kept", "", float64(crowd.Kept), crowdOf)
		t.atMost(true, "rows after the same 20 again", "", float64(crowd.Rows), crowdOf)
	}
	const long = 200 // turns, before which comparing makes no sense
	for _, p := range r.Peers {
		if p.Name == merve && p.Kind == "plain" && len(p.Turns) < long {
			return
		}
	}
	if theirs, _, ok := last("langgraph, as it comes"); ok {
		t.atMost(true, "write units of turn 200 against langgraph as it comes", " times", ours.WCU/theirs.WCU, 0.1)
	}
	if theirs, _, ok := last("langgraph, exit+gzip"); ok {
		t.atMost(true, "write units of turn 200 against langgraph exit+gzip", " times", ours.WCU/theirs.WCU, 1)
	}
}

// starting are sizes and times of start.
func (t *tally) starting(r *Report) {
	var ms, times, zip, binary float64
	before := 0
	for _, s := range r.Starts {
		if s.Name == empty {
			continue
		}
		if s.Calls == 0 { // otherwise it waited for others, too
			ms, times = max(ms, s.MS), max(times, s.Against)
		}
		zip, binary, before = max(zip, float64(s.Zip)/1e6), max(binary, float64(s.Binary)/1e6), before+s.Before
	}
	if len(r.Starts) == 0 {
		return
	}
	if zip > 0 {
		t.atMost(true, "largest zip", " MB", zip, 5)
		t.atMost(true, "largest binary", " MB", binary, 13)
	}
	t.atMost(false, "slowest start to first answer", " ms", ms, 12)
	t.atMost(false, "slowest start against an empty handler", " times", times, 4)
	t.atMost(true, "requests before the first event", "", float64(before), 0)
}
