package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/record/ledger"
)

// Contention is how fast many book one slot.
type Contention struct {
	Name      string  `json:"name"`
	Workers   int     `json:"workers"`
	Attempts  int     `json:"attempts"`
	Held      int     `json:"held"` // of them
	Seconds   float64 `json:"seconds"`
	PerSecond float64 `json:"perSecond"` // of what the name says
}

// What contention is measured by.
const (
	hotSlot = "attempts at a slot that is taken"
	churn   = "holds of a slot that is let go at once"
)

// contention measures offers of one slot: when somebody has it, and when everybody lets it go as
// soon as they have it.
func (b *bench) contention(ctx context.Context) ([]Contention, error) {
	var all []Contention
	for _, run := range []struct {
		name     string
		workers  int
		attempts int
	}{
		{hotSlot, 64, b.Turns}, {churn, 8, b.Turns / 2}, {churn, 64, b.Turns},
	} {
		c, err := b.rush(ctx, run.name, run.workers, run.attempts)
		if err != nil {
			return nil, fmt.Errorf("%s, %d at a time: %w", run.name, run.workers, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func (b *bench) rush(ctx context.Context, name string, workers, attempts int) (Contention, error) {
	l, t := b.plain.Ledger(), terms(0)
	t.Business, t.Slots = fmt.Sprint("biz-rush-", workers, "-", len(name)), t.Slots[:1]
	var held atomic.Int64
	try := func(_, i int) error {
		mine := t
		mine.Thread, mine.Owner = fmt.Sprint("rush-", i), fmt.Sprint("session:rush-", i)
		tx, err := l.Offer(ctx, mine, 1, heldFor, fmt.Sprint(i))
		if errors.Is(err, ledger.ErrSlotTaken) || fault.Is(err, fault.Unavailable) {
			return nil // somebody has it, or too many wanted it at once
		}
		if err != nil {
			return err
		}
		if held.Add(1); name == churn {
			_, err = l.Release(ctx, actor.OfKey(mine.Owner), tx.ID, "rush", "k")
		}
		return err
	}
	start := time.Now()
	err := together(workers, attempts, try)
	c := Contention{Name: name, Workers: workers, Attempts: attempts, Held: int(held.Load()), Seconds: time.Since(start).Seconds()}
	c.PerSecond = float64(attempts) / c.Seconds
	if name == churn {
		c.PerSecond = float64(c.Held) / c.Seconds
	}
	return c, err
}
