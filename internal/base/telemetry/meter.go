package telemetry

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Cost is what a piece of work has used.
type Cost struct {
	Requests   int     // DynamoDB requests, retries included
	WriteUnits float64 // DynamoDB write units
	ReadUnits  float64 // DynamoDB read units
	Bytes      int64   // DynamoDB request bodies
	Puts       int     // requests to event buses, retries included
	Time       map[string]time.Duration
}

// Meter adds up the cost of one piece of work, such as a turn. Safe for parallel use.
type Meter struct {
	mu   sync.Mutex
	cost Cost
}

type meterKey struct{}

// WithMeter returns a context under which work is counted, and its meter.
// A meter further up keeps counting too: [Meter.Cost] of the inner one is the share.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{}
	outer, _ := ctx.Value(meterKey{}).([]*Meter)
	return context.WithValue(ctx, meterKey{}, append(outer[:len(outer):len(outer)], m)), m
}

// CountRequest adds one DynamoDB request to the meters in ctx.
func CountRequest(ctx context.Context, bytes int64) {
	each(ctx, func(c *Cost) { c.Requests++; c.Bytes += bytes })
}

// CountPut adds one request to an event bus to the meters in ctx.
func CountPut(ctx context.Context) { each(ctx, func(c *Cost) { c.Puts++ }) }

// CountUnits adds consumed capacity to the meters in ctx.
func CountUnits(ctx context.Context, read, write float64) {
	each(ctx, func(c *Cost) { c.ReadUnits += read; c.WriteUnits += write })
}

// CountTime adds d to the time spent in part ("model", "tools", "dynamo").
func CountTime(ctx context.Context, part string, d time.Duration) {
	each(ctx, func(c *Cost) {
		if c.Time == nil {
			c.Time = map[string]time.Duration{}
		}
		c.Time[part] += d
	})
}

// Cost returns what has been counted so far.
func (m *Meter) Cost() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.cost
	c.Time = maps.Clone(c.Time)
	return c
}

func each(ctx context.Context, f func(*Cost)) {
	ms, _ := ctx.Value(meterKey{}).([]*Meter)
	for _, m := range ms {
		m.mu.Lock()
		f(&m.cost)
		m.mu.Unlock()
	}
}
