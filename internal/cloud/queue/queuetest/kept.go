package queuetest

import (
	"context"
	"slices"
	"sync"
	"time"

	"merve/internal/cloud/queue"
)

// Kept is a queue that keeps what is sent and gives nothing out. The zero value is empty.
type Kept struct {
	mu     sync.Mutex
	sent   []queue.Message
	hidden []string
}

// Send implements [queue.Queue].
func (k *Kept) Send(_ context.Context, m queue.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sent = append(k.sent, m)
	return nil
}

// Hide implements [queue.Queue].
func (k *Kept) Hide(_ context.Context, receipt string, after time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hidden = append(k.hidden, receipt+" "+after.String())
	return nil
}

// Sent is what was sent, in order.
func (k *Kept) Sent() []queue.Message {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.sent)
}

// Hidden tells what was hidden for how long, such as "receipt 5s", in order.
func (k *Kept) Hidden() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.hidden)
}
