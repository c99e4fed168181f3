package meta

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/spine/outbox"
)

// Provider sends the outbox's Messenger messages with a [Client].
type Provider struct {
	Client *Client
}

var _ outbox.Provider = (*Provider)(nil)

// newToken is how long a token that was replaced takes to be known here.
const newToken = 6 * time.Minute

// Send sends m. A message by a human is sent once more, under the tag for such messages, if the
// 24-hour window turns out to be closed; Meta decides whether seven days have passed.
//
// If Meta does not accept a token, Send tries once more after the time in which a new one
// becomes known; after that the operators must hear of it.
func (p *Provider) Send(ctx context.Context, m outbox.Message) (providerID string, err error) {
	if m.Template != nil {
		return "", &outbox.SendError{Outcome: outbox.Permanent, Reason: "Messenger has no approved templates"}
	}
	out := outbound(m)
	mid, err := p.Client.Send(ctx, out)
	var failed *SendError
	if errors.As(err, &failed) && failed.outsideWindow() && m.ByPerson {
		out.HumanAgent = true
		mid, err = p.Client.Send(ctx, out)
	}
	switch {
	case err == nil:
		return mid, nil
	case !errors.As(err, &failed):
		return "", &outbox.SendError{Outcome: outbox.Unclear, Reason: "no answer", Err: err}
	}
	told := &outbox.SendError{Outcome: failed.Outcome, Reason: failed.Reason(), After: failed.RetryAfter, Err: failed}
	if failed.Code == codeToken && m.Attempts < 2 {
		told.Outcome, told.After = outbox.Retry, newToken
	}
	return "", told
}

// outbound is m as Meta takes it. Buttons that do not fit are left out, since a message is
// worth more than its buttons: an answer in words does as well.
func outbound(m outbox.Message) Outbound {
	out := Outbound{To: m.To, Text: m.Text, Metadata: metadata(m)}
	for _, b := range m.Buttons {
		title := []rune(strings.TrimSpace(b.Title))
		title = title[:min(len(title), MaxQuickReplyTitle)]
		fits := len(title) > 0 && b.Payload != "" && utf8.RuneCountInString(b.Payload) <= MaxQuickReply
		if fits && len(out.QuickReplies) < MaxQuickReplies {
			out.QuickReplies = append(out.QuickReplies, QuickReply{string(title), b.Payload})
		}
	}
	return out
}

// metadata names m, for the echo of it.
func metadata(m outbox.Message) string {
	name := m.Thread + "/" + m.ID
	if m.Thread == "" || len(name) > maxMetadata {
		return ""
	}
	return name
}

// Sent says which message of the outbox e is the echo of: proof that Meta took it, and
// under which id.
func (e Event) Sent() (thread, id string, ok bool) {
	thread, id, ok = strings.Cut(e.Metadata, "/")
	ok = ok && e.Kind == Echo && thread != "" && id != "" && len(e.Metadata) <= maxMetadata
	return thread, id, ok
}

// Find lists what Meta has taken for m's recipient since a time, newest first. A text that
// differs in the space around it only is m's own, and returned as such.
func (p *Provider) Find(ctx context.Context, m outbox.Message, since time.Time) ([]outbox.Found, error) {
	taken, err := p.Client.Find(ctx, m.To, since)
	if err != nil {
		return nil, err
	}
	found := make([]outbox.Found, 0, len(taken))
	for _, f := range taken {
		if strings.TrimSpace(f.Text) == strings.TrimSpace(m.Text) {
			found = append(found, outbox.Found{ProviderID: f.ID, Text: m.Text, Status: outbox.Sent})
		}
	}
	return found, nil
}
