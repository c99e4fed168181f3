// Package voice places the marketplace's calls through Twilio.
package voice

import (
	"context"
	"errors"
	"time"

	"merve/internal/matter/callconsent"
	"merve/internal/provider/twilio"
)

// Phone is Twilio as the marketplace's telephone.
type Phone struct {
	Client func(ctx context.Context, from string) (*twilio.Client, error)

	// Answered is the URL where Twilio gets instructions once the desk has answered; Status gets reports on the desk's leg.
	Answered, Status func(callconsent.Place) string
}

var _ callconsent.Phone = (*Phone)(nil)

// Ring rings the desk's telephone.
func (p *Phone) Ring(ctx context.Context, r callconsent.Ring) (id string, err error) {
	c, err := p.Client(ctx, r.From)
	if err != nil {
		return "", &callconsent.RingError{Reason: "the key of the provider cannot be read", Err: err}
	}
	id, err = c.Ring(ctx, twilio.Ring{To: r.To, URL: p.Answered(r.Place), StatusCallback: p.Status(r.Place)})
	var failed *twilio.SendError
	switch {
	case err == nil:
		return id, nil
	case !errors.As(err, &failed):
		return "", &callconsent.RingError{Unclear: true, Reason: "no answer", Err: err}
	}
	return "", &callconsent.RingError{
		Unclear: failed.Outcome == twilio.Unclear, Refused: twilio.CallRefused(failed.Code), Reason: failed.Reason(), Err: failed,
	}
}

// Find lists the calls from one number to another.
func (p *Phone) Find(ctx context.Context, from, to string, since time.Time) (ids []string, err error) {
	c, err := p.Client(ctx, from)
	if err != nil {
		return nil, err
	}
	all, err := c.Calls(ctx, twilio.CallQuery{To: to, Since: since})
	for _, call := range all {
		ids = append(ids, call.SID)
	}
	return ids, err
}

// HangUp ends the call.
func (p *Phone) HangUp(ctx context.Context, from, id string) error {
	c, err := p.Client(ctx, from)
	if err != nil {
		return err
	}
	return c.End(ctx, id)
}

// Legs reads the call and the call that it was connected with, if there is one.
func (p *Phone) Legs(ctx context.Context, from, id string) (desk, client callconsent.Leg, err error) {
	c, err := p.Client(ctx, from)
	if err != nil {
		return "", "", err
	}
	call, err := c.Call(ctx, id)
	if err != nil {
		return "", "", err
	}
	children, err := c.Calls(ctx, twilio.CallQuery{Parent: id})
	if err != nil {
		return "", "", err
	}
	for _, child := range children {
		client = client.Then(callconsent.Leg(child.State))
	}
	return callconsent.Leg(call.State), client, nil
}
