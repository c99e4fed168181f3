package appointment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/customer"
)

// shown is the list that a call session was last shown. It is valid for that session and for the customer it was made for.
type shown struct {
	Customer string    `dynamodbav:"customer"`
	Turn     int       `dynamodbav:"turn"`              // in which it was shown
	Moves    string    `dynamodbav:"moves,omitempty"`   // of free times: the appointment that they are for; "" is a new one
	Options  []option  `dynamodbav:"options,omitempty"` // numbered from 1
	Until    time.Time `dynamodbav:"until"`
	TTL      int64     `dynamodbav:"ttl"`
}

// option is one line of a list: an appointment, or a free time.
type option struct {
	Transaction string    `dynamodbav:"tx,omitempty"`
	Service     string    `dynamodbav:"serviceId,omitempty"`
	Technician  string    `dynamodbav:"technician,omitempty"`
	Start       time.Time `dynamodbav:"start"`
}

// The lists.
const (
	appointmentsList = "appointments"
	timesList        = "times"
)

const shownFor = 24 * time.Hour // no call is longer

func shownKey(thread, session, list string) dynamo.Key {
	return dynamo.Key{PK: thread, SK: "shown#" + ident.New("", "session", thread, session) + "#" + list}
}

// show stores a list as the one that the session sees from this turn on. 1 request.
func (d *Desk) show(ctx context.Context, tc tool.Context, c customer.Customer, list string, s shown) error {
	if tc.Session.ID == "" {
		return customer.ErrNoCall
	}
	s.Customer, s.Turn, s.Until = c.ID, tc.Turn, tc.Now.Add(shownFor)
	s.TTL = s.Until.Unix()
	if err := d.Sessions.DB().Commit(ctx, d.Sessions.Put(shownKey(tc.Thread, tc.Session.ID, list), s)); err != nil {
		return fmt.Errorf("show %s: %w", list, err)
	}
	return nil
}

// picked is the option of a number on the list that the session was shown last, and that list. 1 request.
func (d *Desk) picked(ctx context.Context, tc tool.Context, c customer.Customer, list string, number int) (option, shown, error) {
	var s shown
	it, err := d.Sessions.Get(ctx, shownKey(tc.Thread, tc.Session.ID, list))
	if err == nil {
		err = it.Decode(&s)
	}
	switch {
	case err != nil:
		return option{}, shown{}, fmt.Errorf("pick of %s: %w", list, err)
	case s.Customer != c.ID || !tc.Now.Before(s.Until) || len(s.Options) == 0:
		return option{}, shown{}, fault.New(fault.Conflict, "the caller has been shown no %s in this call: list them first", list)
	case number < 1 || number > len(s.Options):
		return option{}, shown{}, fault.Field("option", "want a number of the list that was shown last, 1 to %d", len(s.Options))
	}
	return s.Options[number-1], s, nil
}

// errUnseen is the answer to a choice from a list that the caller has not seen.
var errUnseen = fault.New(fault.Conflict, "the caller has not seen this list: read the options out with their numbers, and let them choose")

// seen refuses a list of this very turn: the caller gets to see it with the reply.
func (s shown) seen(tc tool.Context) error {
	if s.Turn >= tc.Turn {
		return errUnseen
	}
	return nil
}

// State is what a call session was last shown, in the form clients get.
type State struct {
	Appointments []string    // their transactions, in the order of their numbers
	Times        []time.Time // in the order of their numbers
}

// State returns what the call session was last shown. 1 request.
func (d *Desk) State(ctx context.Context, tc tool.Context) (State, error) {
	all := State{Appointments: []string{}, Times: []time.Time{}}
	if tc.Session.ID == "" {
		return all, nil
	}
	var lists [2]shown
	at := func(list string) dynamo.Place {
		return dynamo.Place{Table: d.Sessions, Key: shownKey(tc.Thread, tc.Session.ID, list)}
	}
	items, err := d.Sessions.DB().BatchGet(ctx, at(appointmentsList), at(timesList))
	for i, it := range items {
		err = errors.Join(err, it.Decode(&lists[i]))
	}
	if err != nil {
		return State{}, fmt.Errorf("what a call was shown: %w", err)
	}
	for _, o := range lists[0].Options {
		all.Appointments = append(all.Appointments, o.Transaction)
	}
	for _, o := range lists[1].Options {
		all.Times = append(all.Times, o.Start)
	}
	return all, nil
}
