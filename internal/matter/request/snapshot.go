package request

import (
	"context"
	"fmt"
	"time"

	"merve/internal/matter/callconsent"
	"merve/internal/matter/quote"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
)

// Snapshot is a request as callers see it.
type Snapshot struct {
	Request      string           `json:"request_id"`
	Conversation string           `json:"conversation_id"`
	State        State            `json:"state"`
	Requirements Requirements     `json:"requirements"`
	Shortlist    []Candidate      `json:"shortlist"`
	Outreach     vendor.Summary   `json:"vendor_outreach_summary"`
	Messages     []LastMessage    `json:"last_messages"`
	OCR          *quote.JobResult `json:"ocr,omitempty"` // of the latest picture

	Code     string `json:"code"`
	Category string `json:"category"`
	Accepted string `json:"accepted_outreach_id,omitempty"`
	Waiting  string `json:"waiting_for,omitempty"` // the question that the client has not answered yet

	Consents []callconsent.Shown `json:"call_consents,omitempty"`
}

// LastMessage is a message of the client's conversation.
type LastMessage struct {
	Direction string  `json:"direction"`
	Body      *string `json:"body"`
	Timestamp string  `json:"timestamp"`
}

// maxLast is how many of a conversation's messages a snapshot has.
const maxLast = 10

// Snapshot reads a request. 3 requests.
func (b *Broker) Snapshot(ctx context.Context, id string) (Snapshot, error) {
	v, err := b.Store.View(ctx, id)
	if err != nil {
		return Snapshot{}, err
	}
	return b.snapshot(ctx, v)
}

func (b *Broker) getSnapshot(ctx context.Context, c *call) (outcome, error) {
	if _, err := read[RequestInput](c); err != nil {
		return outcome{}, err
	}
	s, err := b.snapshot(ctx, c.view)
	return outcome{output: s}, err
}

func (b *Broker) snapshot(ctx context.Context, v View) (Snapshot, error) {
	if err := b.mail().Delivered(ctx, v.Outreach); err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{
		Request: v.ID, Conversation: v.Conversation(), State: v.State, Requirements: v.Requirements, Shortlist: v.Shortlist,
		Outreach: vendor.Summarize(v.Outreach, v.Currency, b.Store.now()), Messages: []LastMessage{}, Code: v.Code, Category: v.Category,
		Accepted: v.Accepted,
		Consents: callconsent.ShowAll(v.Consents, b.Store.now()),
	}
	if n := len(v.Jobs); n > 0 {
		latest := v.Jobs[n-1].Result()
		s.OCR = &latest
	}
	if s.Shortlist == nil {
		s.Shortlist = []Candidate{}
	}
	if v.Offer != nil && b.Store.now().Before(v.Offer.ExpiresAt) {
		s.Waiting = v.Offer.Kind
	}
	if v.Thread == "" {
		return s, nil
	}
	lines, _, err := b.Threads.LinesBefore(ctx, v.Thread, thread.Latest, maxLast)
	if err != nil {
		return Snapshot{}, fmt.Errorf("messages of request %s: %w", v.ID, err)
	}
	for _, l := range lines {
		m := LastMessage{Direction: l.Direction, Timestamp: l.CreatedAt.UTC().Format(time.RFC3339)}
		if l.Text != "" {
			m.Body = &l.Text
		}
		s.Messages = append(s.Messages, m)
	}
	return s, nil
}

// Conversation is the client's, or the request's own where there is no client.
func (r Request) Conversation() string {
	if r.Thread == "" {
		return r.ID
	}
	return r.Thread
}
