package marketplace

import (
	"context"
	"errors"
	"time"

	"merve/internal/provider/twilio"
)

// Twilio is the [Phone] that Twilio is.
type Twilio struct {
	Client func(ctx context.Context, from string) (*twilio.Client, error)

	// Answered is where Twilio asks what to do once the desk has answered, Status where it reports on the desk's half.
	Answered, Status func(Place) string
}

var _ Phone = (*Twilio)(nil)

// Ring rings the desk's telephone.
func (t *Twilio) Ring(ctx context.Context, r Ring) (id string, err error) {
	c, err := t.Client(ctx, r.From)
	if err != nil {
		return "", &RingError{Reason: "the key of the provider cannot be read", Err: err}
	}
	id, err = c.Ring(ctx, twilio.Ring{To: r.To, URL: t.Answered(r.Place), StatusCallback: t.Status(r.Place)})
	var failed *twilio.SendError
	switch {
	case err == nil:
		return id, nil
	case !errors.As(err, &failed):
		return "", &RingError{Unclear: true, Reason: "no answer", Err: err}
	}
	return "", &RingError{
		Unclear: failed.Outcome == twilio.Unclear, Refused: twilio.CallRefused(failed.Code), Reason: failed.Reason(), Err: failed,
	}
}

// Find lists the calls from one number to another.
func (t *Twilio) Find(ctx context.Context, from, to string, since time.Time) (ids []string, err error) {
	c, err := t.Client(ctx, from)
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
func (t *Twilio) HangUp(ctx context.Context, from, id string) error {
	c, err := t.Client(ctx, from)
	if err != nil {
		return err
	}
	return c.End(ctx, id)
}

// Legs reads the call, and those that it was connected with, of which there is at most one.
func (t *Twilio) Legs(ctx context.Context, from, id string) (desk, client Leg, err error) {
	c, err := t.Client(ctx, from)
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
		client = client.then(Leg(child.State))
	}
	return Leg(call.State), client, nil
}
