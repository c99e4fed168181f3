package twilio

import (
	"context"
	"errors"
	"time"

	"merve/internal/spine/outbox"
)

// Provider sends the outbox's WhatsApp messages with a [Client].
type Provider struct {
	Client    *Client
	StatusURL func(outbox.Message) string // where Twilio reports on a message; nil for nowhere
}

var _ outbox.Provider = (*Provider)(nil)

// Send sends m. Buttons are part of a template; a free text goes without.
func (p *Provider) Send(ctx context.Context, m outbox.Message) (providerID string, err error) {
	out := Outbound{To: m.To, Body: m.Text}
	if m.Template != nil {
		out = Outbound{To: m.To, ContentSID: m.Template.ContentSID, ContentVariables: m.Template.Vars}
	}
	if p.StatusURL != nil {
		out.StatusCallback = p.StatusURL(m)
	}
	sid, err := p.Client.Send(ctx, out)
	var failed *SendError
	switch {
	case err == nil:
		return sid, nil
	case !errors.As(err, &failed):
		return "", &outbox.SendError{Outcome: outbox.Unclear, Reason: "no answer", Err: err}
	}
	return "", &outbox.SendError{Outcome: outbox.Outcome(failed.Outcome), Reason: failed.Reason(), After: failed.RetryAfter, Err: failed}
}

// Find lists what Twilio has taken for m's recipient since a time, newest first. A text
// that differs in the space around it only is m's own, and returned as such; a
// template's text is not known here, so that every message is listed.
func (p *Provider) Find(ctx context.Context, m outbox.Message, since time.Time) ([]outbox.Found, error) {
	q := Query{To: m.To, Since: since}
	if m.Template == nil {
		q.Body = m.Text
	}
	taken, err := p.Client.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	found := make([]outbox.Found, len(taken))
	for i, f := range taken {
		found[i] = outbox.Found{ProviderID: f.SID, Text: f.Body, Status: outbox.Status(f.State)}
		if m.Template == nil {
			found[i].Text = m.Text
		}
	}
	return found, nil
}
