package telemetry

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Counts adds up what happens during an invocation, so that each number is one line of it. The zero value counts. Safe
// for concurrent use.
type Counts struct {
	mu  sync.Mutex
	all map[count]float64
}

// count is a metric with its dimensions, as "name=value" with commas between them.
type count struct{ metric, dims string }

// Add counts n more of a metric with dimensions, each a name and a value.
func (c *Counts) Add(metric string, n float64, dims ...string) {
	var pairs []string
	for pair := range slices.Chunk(dims, 2) {
		pairs = append(pairs, strings.Join(pair, "="))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[count]float64{}
	}
	c.all[count{metric, strings.Join(pairs, ",")}] += n
}

// Emit writes what was counted since the last time. Alarms look at some of it, so it is as loud as an error.
func (c *Counts) Emit(ctx context.Context, log *slog.Logger, at time.Time) {
	c.mu.Lock()
	all := c.all
	c.all = nil
	c.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(all), func(a, b count) int { return strings.Compare(a.metric+a.dims, b.metric+b.dims) }) {
		dims := map[string]string{}
		for pair := range strings.SplitSeq(k.dims, ",") {
			if name, value, ok := strings.Cut(pair, "="); ok {
				dims[name] = value
			}
		}
		Emit(ctx, log, slog.LevelError, at, dims, Metric{Name: k.metric, Unit: "Count", Value: all[k]})
	}
}
