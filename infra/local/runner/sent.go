package runner

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"merve/internal/spine/outbox"
	"merve/internal/tenant/channel"
)

// sentLog lists sent messages, and stands in for a provider that is not configured: it
// accepts every message and sends none.
type sentLog struct {
	mu       sync.Mutex
	messages []sentMessage
}

type sentMessage struct {
	outbox.Message
	Provider string `json:"provider"` // "local" when nothing left this machine
}

const keepSent = 1000

func (l *sentLog) wrap(_ channel.Channel, p outbox.Provider) outbox.Provider {
	return &loggedProvider{log: l, next: p}
}

type loggedProvider struct {
	log  *sentLog
	next outbox.Provider // nil: local
}

func (p *loggedProvider) Send(ctx context.Context, m outbox.Message) (string, error) {
	id, provider := "local-"+m.ID, "local"
	if p.next != nil {
		var err error
		if id, err = p.next.Send(ctx, m); err != nil {
			return "", err
		}
		provider = string(m.Channel)
	}
	m.ProviderID, m.Status = id, outbox.Sent
	p.log.add(sentMessage{m, provider})
	return id, nil
}

func (p *loggedProvider) Find(ctx context.Context, m outbox.Message, since time.Time) ([]outbox.Found, error) {
	if p.next != nil {
		return p.next.Find(ctx, m, since)
	}
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	var found []outbox.Found
	for _, s := range p.log.messages {
		if s.To == m.To && s.Created.After(since) {
			found = append(found, outbox.Found{ProviderID: s.ProviderID, Text: s.Text, Status: s.Status})
		}
	}
	return found, nil
}

func (l *sentLog) add(m sentMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages = append(l.messages, m)
	if len(l.messages) > keepSent {
		l.messages = l.messages[len(l.messages)-keepSent:]
	}
}

// ServeHTTP lists the messages, oldest first.
func (l *sentLog) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	messages := append([]sentMessage{}, l.messages...)
	l.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"messages": messages}) // a reader that has gone cannot be told
}
