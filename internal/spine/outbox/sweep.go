package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
)

// Sweep delivers due messages: retries whose time has come, claims that ran out, and
// messages that no stream has brought. Within the budget it takes the oldest first. The pieces of one
// reply come in their order, as they are due at the same time. A message that has to wait for another
// moves back. Sweep also deletes the words of messages that were to be forgotten
// once they had gone. One message that cannot be delivered, or one
// shard that cannot be read, does not keep the others waiting. It ends before ctx does. 16
// requests, and for each message 1 more than its delivery; 3 for one that has to wait, 1 to forget one.
func (s *Sender) Sweep(ctx context.Context, b dynamo.Budget) (delivered int, err error) {
	var mu sync.Mutex
	var oldest time.Duration // of the waiting messages
	done, err := s.Box.Table.EachDue(ctx, dueKind, s.Box.Now(), b, func(k dynamo.Key) (bool, error) {
		if marked, err := s.Box.forgetMarked(ctx, k); marked {
			return false, err
		}
		waits, err := s.look(ctx, k)
		mu.Lock()
		oldest = max(oldest, waits)
		mu.Unlock()
		if fault.Is(err, fault.NotFound) {
			err = nil // the index still has deleted messages
		}
		return true, err
	})
	if err != nil {
		err = fmt.Errorf("sweep outbox: %w", err)
	}
	if done.Looked > 0 { // what waits is measured as loud as an error: an alarm looks at it
		telemetry.Emit(ctx, s.Log, slog.LevelError, s.Box.Now(), nil,
			telemetry.Metric{Name: "OutboxDepth", Unit: "Count", Value: float64(done.Looked)}, telemetry.Metric{Name: "OutboxAge", Unit: "Seconds", Value: oldest.Seconds()})
	}
	return done.Done, err
}

// look brings the message of a key further, and gives how long that has waited.
func (s *Sender) look(ctx context.Context, k dynamo.Key) (waits time.Duration, err error) {
	m, err := s.Box.Get(ctx, k.PK, strings.TrimPrefix(k.SK, prefix))
	if err != nil {
		return 0, err
	}
	return s.Box.Now().Sub(m.Created), s.Deliver(ctx, m)
}

// Dead lists messages that were given up, oldest first within a shard.
func (b *Box) Dead(ctx context.Context, limit int) ([]Message, error) {
	var ms []Message
	for shard := range dynamo.DueShards {
		if len(ms) >= limit {
			break
		}
		keys, _, err := b.Table.Due(ctx, deadKind, shard, b.Now(), limit-len(ms), "")
		if err != nil {
			return nil, fmt.Errorf("dead letters: %w", err)
		}
		for _, k := range keys {
			m, err := b.Get(ctx, k.PK, strings.TrimPrefix(k.SK, prefix))
			if err != nil && !fault.Is(err, fault.NotFound) { // the index still has deleted messages
				return nil, err
			}
			if m.Status == Failed {
				ms = append(ms, m)
			}
		}
	}
	return ms, nil
}

// SendAgain puts a message that was given up back on the outbox. Later reports of the provider
// on the earlier send no longer count. 2 requests.
func (b *Box) SendAgain(ctx context.Context, thread, id string) error {
	m, err := b.Get(ctx, thread, id)
	if err != nil {
		return err
	}
	notFailed := fault.New(fault.Conflict, "only a message that failed can be sent again, with words")
	if m.Status != Failed {
		return notFailed
	}
	set, vals := "", dynamo.V{":queued": Queued, ":none": 0, ":now": b.Now(), ":shard": dynamo.DueShard(dueKind, thread)}
	if m.ProviderID != "" {
		set, vals[":former"] = ", former = :former", append(m.Former, m.ProviderID)
	}
	w := b.Table.Update(key(thread, id), "SET #status = :queued, attempts = :none, dueShard = :shard, dueAt = :now"+set+
		" REMOVE #error, providerId, firstTry, sentAt, claimUntil", vals).
		If("#status = :failed AND attribute_exists(#text)", dynamo.V{":failed": Failed}).Else(notFailed)
	if m.ProviderID != "" {
		w = w.If("providerId = :id", dynamo.V{":id": m.ProviderID})
	} else {
		w = w.If("attribute_not_exists(providerId)", nil)
	}
	if err := b.Table.DB().Commit(ctx, w); err != nil {
		return fmt.Errorf("send %s of %s again: %w", id, thread, err)
	}
	return nil
}
