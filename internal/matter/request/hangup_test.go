package request_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/callconsent"
	. "merve/internal/matter/request"
)

// told brings a request's events, each twice.
func (y *yard) twice(t *Teller, request string, seen map[string]bool) {
	y.t.Helper()
	y.stream(t, request, seen, func(f func() error) { y.fail(errors.Join(f(), f())) })
}

// A call that waits or rings is ended at the provider once its consent is revoked, and only once. One that the client has
// answered goes on, and one that is over is left alone.
func TestARevocationHangsUp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		legs    [2]callconsent.Leg // at the provider
		dialled bool               // the desk has answered
		unknown bool               // nobody knows whether the provider has the call
		ended   bool
		state   callconsent.AttemptState
	}{
		"waits":                 {legs: [2]callconsent.Leg{callconsent.LegInitiated}, ended: true, state: callconsent.AttemptFailed},
		"the desk's rings":      {legs: [2]callconsent.Leg{callconsent.LegRinging}, ended: true, state: callconsent.AttemptFailed},
		"the client is dialled": {legs: [2]callconsent.Leg{callconsent.LegAnswered}, dialled: true, ended: true, state: callconsent.AttemptFailed},
		"the client's rings":    {legs: [2]callconsent.Leg{callconsent.LegAnswered, callconsent.LegRinging}, dialled: true, ended: true, state: callconsent.AttemptUnanswered},
		"the client talks":      {legs: [2]callconsent.Leg{callconsent.LegAnswered, callconsent.LegAnswered}, dialled: true, state: callconsent.AttemptAnswered},
		"over":                  {legs: [2]callconsent.Leg{callconsent.LegBusy}, state: callconsent.AttemptBusy},
		"maybe another's":       {legs: [2]callconsent.Leg{callconsent.LegRinging}, unknown: true, state: callconsent.AttemptRinging},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			x := y.switchboard()
			r := y.callable("ann")
			id := y.granted(r.ID)
			seen := map[string]bool{}
			if tt.unknown {
				x.lag, x.fails = time.Minute, append(x.fails, unclear(true))
				if _, err := y.Do(t.Context(), y.call(StartCall, r.ID, "call", `{"consent_id":"`+id+`"}`)); err == nil {
					t.Fatal("it is known whether the desk was rung")
				}
			} else {
				wants(t, "the call", y.start(r.ID, "call", id), true, "")
			}
			if tt.dialled {
				y.connect(y.place(r.ID, id, 1), x.id(1))
			}
			x.legs[x.id(1)] = tt.legs
			if tt.legs[1] != "" {
				y.heard(y.place(r.ID, id, 1), callconsent.Report{CallID: x.id(1), Leg: tt.legs[1], Client: true})
			}
			y.twice(y.teller, r.ID, seen)
			if len(x.ended) != 0 {
				t.Errorf("before the revocation %v was ended", x.ended)
			}
			y.do(RevokeCallConsent, r.ID, "revoke", `{"request_id":"{id}"}`)
			y.twice(y.teller, r.ID, seen)
			y.now = y.now.Add(3 * time.Minute)
			if _, err := y.Calls().Attend(t.Context(), r.ID, id); err != nil {
				t.Fatal(err)
			}
			y.twice(y.teller, r.ID, seen)
			want := map[bool][]string{true: {x.id(1)}}[tt.ended]
			if a := y.consent(r.ID, id).Attempts[0]; !slices.Equal(x.ended, want) || a.State() != tt.state {
				t.Errorf("ended %v, want %v: %+v is %s, want %s", x.ended, want, a, a.State(), tt.state)
			}
		})
	}
}

// Who gives up a call that was never made does not end the one of somebody else, which is all that the provider's list has.
// Its desk, once it answers, is connected with nobody.
func TestARevocationLeavesAnothersCall(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	x := y.switchboard()
	ann, bob := y.callable("ann"), y.callable("bob")
	anns, bobs := y.granted(ann.ID), y.granted(bob.ID)
	x.fails = append(x.fails, unclear(false))
	if _, err := y.Do(t.Context(), y.call(StartCall, ann.ID, "call", `{"consent_id":"`+anns+`"}`)); err == nil {
		t.Fatal("it is known whether the desk was rung")
	}
	wants(t, "the other call", y.start(bob.ID, "call", bobs), true, "")
	x.legs[x.id(1)] = [2]callconsent.Leg{callconsent.LegRinging}
	y.now = y.now.Add(3 * time.Minute)
	if _, err := y.Calls().Attend(t.Context(), ann.ID, anns); err != nil {
		t.Fatal(err)
	}
	if a := y.consent(ann.ID, anns).Attempts[0]; a.ProviderID != x.id(1) {
		t.Fatalf("the list has the other call only, and the attempt is %+v", a)
	}
	y.do(RevokeCallConsent, ann.ID, "revoke", `{"request_id":"{id}"}`)
	y.twice(y.teller, ann.ID, map[string]bool{})
	if len(x.ended) != 0 {
		t.Errorf("%v was ended", x.ended)
	}
	if y.connect(y.place(bob.ID, bobs, 1), x.id(1)); !y.consent(bob.ID, bobs).Attempts[0].Dialled {
		t.Error("the other call has come to nothing")
	}
}

// Whatever call to the store fails while a call is ended, it is ended.
func TestCrashOfAHangUp(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
		y := newYard(t)
		x := y.switchboard()
		r := y.callable("ann")
		id := y.granted(r.ID)
		wants(t, "the call", y.start(r.ID, "call", id), true, "")
		broken, teller := y.over(dynamotest.Once(t, calls))
		broken.Phone, broken.Alerts = x, y.Alerts
		deliver := func(f func() error) { calls.Deliver(t, nil, f) }
		deliver(func() error {
			_, err := broken.Do(context.Background(), y.call(RevokeCallConsent, r.ID, "revoke", `{"request_id":"{id}"}`))
			return err
		})
		y.stream(teller, r.ID, map[string]bool{}, deliver)
		a := y.consent(r.ID, id).Attempts[0]
		return fmt.Sprint(slices.Compact(x.ended), a.Over, a.State())
	})
}
