package request_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/callconsent"
	. "merve/internal/matter/request"
	"merve/internal/spine/thread"
)

func contains(s, words string) bool { return strings.Contains(s, words) }

// The client is asked on their thread, with what the call is for. YES grants one call, which rings the desk first and
// connects it with the number that was shown.
func TestACallByConsent(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	x := y.switchboard()
	r := y.callable("ann")
	id := y.askedToCall(r.ID, "ask")
	y.stream(y.teller, r.ID, map[string]bool{}, func(f func() error) {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	})
	head, err := y.Threads.Head(t.Context(), r.Thread)
	if err != nil || len(head.Inbox) != 2 {
		t.Fatalf("%v, told %+v", err, head.Inbox)
	}
	for _, want := range []string{"“concierge”", "“the access road is narrow”", clientPhone} {
		if asked := head.Inbox[1].Notice.Offer.Summary; !strings.Contains(asked, want) {
			t.Errorf("%s is not in the question %q", want, asked)
		}
	}
	wants(t, "before the YES", y.start(r.ID, "early", id), false, "the consent is requested")
	if err := y.answers(y.Broker, r.ID, true); err != nil {
		t.Fatal(err)
	}
	if c := y.consent(r.ID, id); c.State != callconsent.Granted || c.Receipt == nil || !c.Until.Equal(y.now.Add(24*time.Hour)) {
		t.Errorf("granted: %+v", c)
	}
	got := y.start(r.ID, "call", id)
	wants(t, "after the YES", got, true, "")
	if rang := x.rang(); len(rang) != 1 || rang[0].To != deskPhone || rang[0].From != y.market.WhatsApp.From || got["provider_call_id"] != x.id(1) {
		t.Fatalf("rang %+v for %v", rang, got)
	}
	if diff := cmp.Diff(got, y.start(r.ID, "call", id)); diff != "" {
		t.Errorf("the same key again: %s", diff)
	}
	wants(t, "while the desk rings", y.start(r.ID, "other", id), false, "is being made")
	at := y.place(r.ID, id, 1)
	if to, ok := y.connect(at, x.id(1)); !ok || to.To != clientPhone || to.From != y.market.WhatsApp.From {
		t.Errorf("connected with %+v, %v", to, ok)
	}
	if _, ok := y.connect(at, x.id(9)); ok {
		t.Error("another call is connected for the same attempt")
	}
	y.heard(at, callconsent.Report{CallID: x.id(1), Leg: callconsent.LegRinging, Client: true})
	if _, ok := y.connect(at, x.id(1)); ok {
		t.Error("the client is dialled again while their telephone rings")
	}
	y.heard(at, callconsent.Report{CallID: x.id(1), Leg: callconsent.LegAnswered, Client: true})
	y.heard(at, callconsent.Report{CallID: x.id(1), Leg: callconsent.LegCompleted, Client: true})
	s, err := y.Snapshot(t.Context(), r.ID)
	if err != nil || len(s.Consents) != 1 || !s.Consents[0].Used || s.Consents[0].Attempts[0].State != callconsent.AttemptCompleted {
		t.Errorf("%v, snapshot %+v", err, s.Consents)
	}
	wants(t, "a second call", y.start(r.ID, "again", id), false, "the consent was used")
	if n := len(x.rang()); n != 1 {
		t.Errorf("rang %d times", n)
	}
	want := []string{"create_request ok", "request_call_consent ok", "start_call ok", "start_call refused"}
	if diff := cmp.Diff(want, y.audit(r.ID)); diff != "" {
		t.Error(diff)
	}
}

// Whatever stands against a call, nobody is rung, and the answer says what it is.
func TestNoCallWithoutConsent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(y *yard, r Request, id string)
		input  string // "" names the consent alone
		want   string
	}{
		"denied": {func(y *yard, r Request, _ string) { y.fail(y.answers(y.Broker, r.ID, false)) }, "", "the consent is denied"},
		"expired": {func(y *yard, r Request, _ string) {
			y.fail(y.answers(y.Broker, r.ID, true))
			y.now = y.now.Add(24*time.Hour + time.Second)
		}, "", "has expired"},
		"just expired": {func(y *yard, r Request, _ string) {
			y.fail(y.answers(y.Broker, r.ID, true))
			y.now = y.now.Add(24 * time.Hour)
		}, "", "has expired"},
		"unanswered":    {func(y *yard, _ Request, _ string) { y.now = y.now.Add(25 * time.Hour) }, "", "has expired"},
		"another scope": {func(y *yard, r Request, _ string) { y.fail(y.answers(y.Broker, r.ID, true)) }, `{"consent_id":"{consent}","scope":"sales"}`, "for another scope: concierge"},
		"no telephone": {func(y *yard, r Request, _ string) {
			y.fail(y.answers(y.Broker, r.ID, true))
			y.market.Desk.Phone = ""
		}, "", "no telephone of its desk"},
		"no Twilio": {func(y *yard, r Request, _ string) { y.fail(y.answers(y.Broker, r.ID, true)); y.Phone = nil }, "", "Twilio is not configured"},
		"cancelled": {func(y *yard, r Request, _ string) {
			y.fail(y.answers(y.Broker, r.ID, true))
			y.do(UpdateRequestState, r.ID, "off", `{"request_id":"{id}","new_state":"cancelled"}`)
		}, "", "the request is cancelled"},
		"stopped": {func(y *yard, r Request, _ string) {
			y.fail(y.answers(y.Broker, r.ID, true))
			y.stops(r.ID, false)
		}, "", "opted out"},
		"stopped, began": {func(y *yard, r Request, _ string) {
			y.fail(y.answers(y.Broker, r.ID, true))
			y.now = y.now.Add(time.Second)
			y.stops(r.ID, true)
		}, "", "opted out"},
		"revoked": {func(y *yard, r Request, _ string) {
			y.fail(y.answers(y.Broker, r.ID, true))
			y.do(RevokeCallConsent, r.ID, "revoke", `{"request_id":"{id}"}`)
		}, "", "the consent is revoked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			x := y.switchboard()
			r := y.callable("ann")
			id := y.askedToCall(r.ID, "ask")
			tt.change(y, r, id)
			input := tt.input
			if input == "" {
				input = `{"consent_id":"{consent}"}`
			}
			wants(t, name, y.do(StartCall, r.ID, "call", strings.ReplaceAll(input, "{consent}", id)), false, tt.want)
			if n := len(x.rang()); n != 0 {
				t.Errorf("rang %d times", n)
			}
			if strings.HasPrefix(name, "stopped") && y.consent(r.ID, id).State != callconsent.Revoked {
				t.Errorf("after STOP: %s", y.consent(r.ID, id).State)
			}
		})
	}
}

func (y *yard) fail(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
}

// A consent is of its request: with another's, and with one that there is not, the answer is the same.
func TestConsentOfAnotherRequest(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	x := y.switchboard()
	mine, other := y.callable("ann"), y.callable("bob")
	id := y.granted(mine.ID)
	for _, tool := range []string{StartCall, RevokeCallConsent} {
		var said []string
		for _, consent := range []string{id, "cc_aaaaaaaaaaaaaaaa"} {
			_, err := y.Do(t.Context(), y.call(tool, other.ID, consent, `{"request_id":"{id}","consent_id":"`+consent+`"}`))
			if !fault.Is(err, fault.NotFound) || field(err) != "consent_id" {
				t.Errorf("%s: %v", tool, err)
			}
			said = append(said, fmt.Sprint(err))
		}
		if said[0] != said[1] {
			t.Errorf("%s tells another's consent from none: %v", tool, said)
		}
	}
	if n := len(x.rang()); n != 0 || y.consent(mine.ID, id).State != callconsent.Granted {
		t.Errorf("rang %d times, %s", n, y.consent(mine.ID, id).State)
	}
}

// From a number whose country's businesses may not call, nobody is called, and the desk is told to.
func TestNumbersThatMayNotCall(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]bool{
		"+905331234567": false, "+14155550100": false, "+16135550100": false, "+201001234567": false, "+84912345678": false, "+2348012345678": false,
		"+35799123456": true, "+447700900123": true, "+18765550100": true, "+2112345678": true,
	} {
		if got := callconsent.MayCall(number); got != want {
			t.Errorf("%s: %v", number, got)
		}
	}
	y := newYard(t)
	x := y.switchboard()
	r := y.callable("ann")
	id := y.granted(r.ID)
	y.market.WhatsApp.From = "+905331234567"
	wants(t, "from Turkey", y.start(r.ID, "call", id), false, "the desk has been told")
	if alerts := y.Alerts.(*raised).all; len(x.rang()) != 0 || len(alerts) != 1 || alerts[0] != "call "+r.ID {
		t.Errorf("rang %d times, alerts %v", len(x.rang()), alerts)
	}
}

// Why a client cannot be asked is said, and what is not asked is never granted.
func TestConsentThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.switchboard()
	input := `{"request_id":"{id}","scope":"concierge","reason":"a word"}`
	desk := y.request("desk", nil)
	client := y.client("eve")
	unknown := y.request("unknown", client)
	waits := y.callable("ann")
	y.askedToCall(waits.ID, "first")
	stopped := y.callable("bob")
	y.stops(stopped.ID, false)
	for request, want := range map[string]string{
		desk.ID: "no client", unknown.ID: "no number", waits.ID: "another question to answer first (request_call)", stopped.ID: "opted out",
	} {
		got := y.do(RequestCallConsent, request, "k", input)
		if said, _ := got["error"].(string); got["message_sent"] != false || got["state"] != "requested" || !strings.Contains(said, want) {
			t.Errorf("want %q: %v", want, got)
		}
		wants(t, "a call", y.start(request, "call", got["consent_id"].(string)), false, "")
	}
	y.stops(stopped.ID, true)
	if got := y.do(RequestCallConsent, stopped.ID, "k", input); got["message_sent"] != true { // a refusal is not kept under its key
		t.Errorf("after START: %v", got)
	}
}

// Of any number of calls at once, with one key or with many, one rings the desk.
func TestOneCallAtATime(t *testing.T) {
	t.Parallel()
	for _, keys := range []int{1, 12} {
		y := newYard(t)
		x := y.switchboard()
		r := y.callable("ann")
		id := y.granted(r.ID)
		var all sync.WaitGroup
		var mu sync.Mutex
		made := 0
		for n := range 12 {
			all.Go(func() {
				a, err := y.Do(t.Context(), y.call(StartCall, r.ID, fmt.Sprint("k", n%keys), `{"consent_id":"`+id+`"}`))
				if err != nil && !fault.Is(err, fault.Unavailable) {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if a.Success && !a.Cached {
					made++
				}
			})
		}
		all.Wait()
		if n := len(x.rang()); n != 1 || made != 1 {
			t.Errorf("%d keys: rang %d times, %d say so", keys, n, made)
		}
	}
}

// A revocation that commits after the consent was looked at, and before the attempt is written down or the client's
// number given out, wins: nobody is rung, or the desk is connected with nobody.
func TestARevocationIsNeverFollowedByACall(t *testing.T) {
	t.Parallel()
	for name, revoke := range map[string]func(y *yard, r Request){
		"revoked": func(y *yard, r Request) {
			y.do(RevokeCallConsent, r.ID, "revoke", `{"request_id":"{id}"}`)
		},
		"STOP":            func(y *yard, r Request) { y.stops(r.ID, false) },
		"STOP, and START": func(y *yard, r Request) { y.stops(r.ID, true) },
		"cancelled": func(y *yard, r Request) {
			y.do(UpdateRequestState, r.ID, "off", `{"request_id":"{id}","new_state":"cancelled"}`)
		},
	} {
		for _, moment := range []string{"attempt", "connection", "before the connection"} {
			t.Run(name+", "+moment, func(t *testing.T) {
				t.Parallel()
				y := newYard(t)
				x := y.switchboard()
				r := y.callable("ann")
				id := y.granted(r.ID)
				y.now = y.now.Add(time.Minute)
				late, _ := y.over(dynamotest.Open(t, nil))
				late.Phone, late.Alerts = y.Phone, y.Alerts
				late.Threads = between{late.Threads.(*thread.Store), sync.OnceFunc(func() { revoke(y, r) })}
				if moment == "attempt" {
					a, err := late.Do(t.Context(), y.call(StartCall, r.ID, "call", `{"consent_id":"`+id+`"}`))
					if err != nil || a.Success || len(x.rang()) != 0 {
						t.Errorf("%v %s, rang %d times", err, a.Output, len(x.rang()))
					}
					return
				}
				wants(t, "the call", y.start(r.ID, "call", id), true, "")
				if moment != "connection" {
					revoke(y, r)
				}
				to, ok, err := late.Calls().Connect(t.Context(), y.place(r.ID, id, 1), x.id(1))
				if err != nil || ok {
					t.Errorf("%v: connected with %+v", err, to)
				}
				if _, ok := y.connect(y.place(r.ID, id, 1), x.id(1)); ok {
					t.Error("connected the next time")
				}
			})
		}
	}
}

// Revocations, calls and the desk's answer at once, in whatever order: a desk that is connected was so before the
// revocation committed, and nobody is connected after it.
func TestRevokeRaces(t *testing.T) {
	t.Parallel()
	for n := range 12 {
		y := newYard(t)
		x := y.switchboard()
		r := y.callable("ann")
		id := y.granted(r.ID)
		wants(t, "the call", y.start(r.ID, "call", id), true, "")
		at := y.place(r.ID, id, 1)
		var all sync.WaitGroup
		var ok bool
		var err error
		all.Go(func() { _, ok, err = y.Calls().Connect(t.Context(), at, x.id(1)) })
		all.Go(func() { y.do(RevokeCallConsent, r.ID, "revoke", `{"request_id":"{id}"}`) })
		all.Wait()
		c := y.consent(r.ID, id)
		if err != nil || c.State != callconsent.Revoked || ok != c.Attempts[0].Dialled {
			t.Fatalf("run %d: %v, %s, connected %v, dialled %v", n, err, c.State, ok, c.Attempts[0].Dialled)
		}
		if _, again := y.connect(at, x.id(1)); again {
			t.Fatalf("run %d: connected after the revocation", n)
		}
	}
}

// Reports come late, twice and in any order: what becomes of the attempt is the same. A call that connected has used
// the consent up; one that did not has not.
func TestReportsInAnyOrder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		desk, client []callconsent.Leg
		want         callconsent.AttemptState
		used         bool
	}{
		"talked":       {[]callconsent.Leg{callconsent.LegInitiated, callconsent.LegRinging, callconsent.LegAnswered, callconsent.LegCompleted}, []callconsent.Leg{callconsent.LegInitiated, callconsent.LegRinging, callconsent.LegAnswered, callconsent.LegCompleted}, callconsent.AttemptCompleted, true},
		"not answered": {[]callconsent.Leg{callconsent.LegInitiated, callconsent.LegRinging, callconsent.LegAnswered, callconsent.LegCompleted}, []callconsent.Leg{callconsent.LegInitiated, callconsent.LegRinging, callconsent.LegUnanswered}, callconsent.AttemptUnanswered, false},
		"busy":         {[]callconsent.Leg{callconsent.LegInitiated, callconsent.LegRinging, callconsent.LegAnswered, callconsent.LegCompleted}, []callconsent.Leg{callconsent.LegInitiated, callconsent.LegBusy}, callconsent.AttemptBusy, false},
		"failed":       {[]callconsent.Leg{callconsent.LegRinging, callconsent.LegAnswered, callconsent.LegCompleted}, []callconsent.Leg{callconsent.LegFailed}, callconsent.AttemptFailed, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			x := y.switchboard()
			for seed := range uint64(6) {
				r := y.callable(fmt.Sprint("ann", seed))
				id := y.granted(r.ID)
				wants(t, "the call", y.start(r.ID, "call", id), true, "")
				call, at := x.id(len(x.rang())), y.place(r.ID, id, 1)
				if _, ok := y.connect(at, call); !ok {
					t.Fatal("not connected")
				}
				var reports []callconsent.Report
				for range 2 {
					for _, l := range tt.desk {
						reports = append(reports, callconsent.Report{CallID: call, Leg: l})
					}
					for _, l := range tt.client {
						reports = append(reports, callconsent.Report{CallID: call, Leg: l, Client: true})
					}
				}
				random := rand.New(rand.NewPCG(seed, 1))
				random.Shuffle(len(reports), func(i, j int) { reports[i], reports[j] = reports[j], reports[i] })
				for _, report := range reports {
					y.heard(at, report)
				}
				c := y.consent(r.ID, id)
				if a := c.Attempts[0]; a.State() != tt.want || !a.Over {
					t.Errorf("seed %d: %s, over %v", seed, a.State(), a.Over)
				}
				wants(t, "another call", y.start(r.ID, "again", id), !tt.used, map[bool]string{true: "was used"}[tt.used])
			}
		})
	}
}

// Where the desk does not answer, nobody was called, and the consent is as good as before, five times.
func TestTheDeskDoesNotAnswer(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	x := y.switchboard()
	r := y.callable("ann")
	id := y.granted(r.ID)
	for n := 1; n <= callconsent.MaxAttempts; n++ {
		wants(t, "a call", y.start(r.ID, fmt.Sprint(n), id), true, "")
		at := y.place(r.ID, id, n)
		y.heard(at, callconsent.Report{CallID: x.id(n), Leg: callconsent.LegUnanswered})
		if a := y.consent(r.ID, id).Attempts[n-1]; a.State() != callconsent.AttemptUnanswered || !a.Over {
			t.Errorf("%+v", a)
		}
		if _, ok := y.connect(at, x.id(n)); ok {
			t.Error("an attempt that is over is connected")
		}
	}
	wants(t, "one more", y.start(r.ID, "more", id), false, "which is the most")
	y.heard(callconsent.Place{Request: r.ID, Consent: id, Attempt: "ca_none"}, callconsent.Report{Leg: callconsent.LegRinging})
	y.heard(callconsent.Place{Request: "none", Consent: "none", Attempt: "none"}, callconsent.Report{Leg: callconsent.LegRinging})
}

// What the provider's refusal says of the client is kept with the consent, whenever it comes.
func TestTheProviderRefuses(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	x := y.switchboard()
	at, later := y.callable("ann"), y.callable("bob")
	x.fails = []func(func()) error{func(func()) error { return &callconsent.RingError{Refused: "37006: enough", Reason: "37006: enough"} }}
	id := y.granted(at.ID)
	wants(t, "refused", y.start(at.ID, "1", id), false, "37006: enough")
	wants(t, "again", y.start(at.ID, "2", id), false, "the provider does not call this client (37006: enough)")
	id = y.granted(later.ID)
	wants(t, "taken", y.start(later.ID, "1", id), true, "")
	place := y.place(later.ID, id, 1)
	y.connect(place, x.id(1))
	y.heard(place, callconsent.Report{CallID: x.id(1), Leg: callconsent.LegFailed, Client: true, Refused: "37004: limited"})
	wants(t, "refused later", y.start(later.ID, "2", id), false, "37004: limited")
	x.fails = []func(func()) error{func(func()) error { return &callconsent.RingError{Reason: "20429: too many"} }}
	other := y.callable("eve")
	id = y.granted(other.ID)
	wants(t, "away", y.start(other.ID, "1", id), false, "20429")
	wants(t, "back", y.start(other.ID, "1", id), true, "") // a refusal is not kept under its key
}

// A call whose answer was lost is settled by asking the provider, before it is made again.
func TestUnclearRings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		taken bool
		lag   time.Duration
		first string // what the first call is answered
		rings int    // in the end
	}{
		"taken":              {true, 0, "success", 1},
		"taken, listed late": {true, 30 * time.Second, "unavailable", 1},
		"not taken":          {false, 0, "unavailable", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			x := y.switchboard()
			x.lag, x.fails = tt.lag, []func(func()) error{unclear(tt.taken)}
			r := y.callable("ann")
			id := y.granted(r.ID)
			input := `{"consent_id":"` + id + `"}`
			a, err := y.Do(t.Context(), y.call(StartCall, r.ID, "k", input))
			if got := map[bool]string{true: "success", false: "unavailable"}[err == nil && a.Success]; got != tt.first || err != nil && !fault.Is(err, fault.Unavailable) {
				t.Errorf("first: %v %s", err, a.Output)
			}
			if tt.first != "success" {
				wants(t, "with another key", y.start(r.ID, "other", id), false, "is being made")
			}
			y.now = y.now.Add(61 * time.Second)
			wants(t, "again", y.do(StartCall, r.ID, "k", input), true, "")
			if n := len(x.rang()); n != tt.rings {
				t.Errorf("rang %d times", n)
			}
			if c := y.consent(r.ID, id); tt.taken && len(c.Attempts) != 1 || c.Attempts[len(c.Attempts)-1].ProviderID != x.id(1) {
				t.Errorf("attempts %+v", c.Attempts)
			}
		})
	}
}

// Where reports are lost, the sweep asks the provider. It lets consents expire, and looks again at what has not ended.
func TestSweepOfConsents(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	x := y.switchboard()
	attend := func(r Request, id string) bool {
		did, err := y.Calls().Attend(t.Context(), r.ID, id)
		if err != nil {
			t.Fatal(err)
		}
		return did
	}
	lost := y.callable("ann")
	id := y.granted(lost.ID)
	wants(t, "the call", y.start(lost.ID, "1", id), true, "")
	y.connect(y.place(lost.ID, id, 1), x.id(1))
	if attend(lost, id) {
		t.Error("looked too early")
	}
	y.now = y.now.Add(3 * time.Minute)
	x.legs[x.id(1)] = [2]callconsent.Leg{callconsent.LegAnswered, callconsent.LegAnswered}
	attend(lost, id)
	if a := y.consent(lost.ID, id).Attempts[0]; a.State() != callconsent.AttemptAnswered || a.Over {
		t.Errorf("while they talk: %+v", a)
	}
	y.now = y.now.Add(3 * time.Minute)
	x.legs[x.id(1)] = [2]callconsent.Leg{callconsent.LegCompleted, callconsent.LegCompleted}
	attend(lost, id)
	if c := y.consent(lost.ID, id); c.Attempts[0].State() != callconsent.AttemptCompleted || !c.Attempts[0].Over || attend(lost, id) {
		t.Errorf("afterwards: %+v", c)
	}
	waits := y.callable("bob")
	id = y.askedToCall(waits.ID, "ask")
	y.now = y.now.Add(24*time.Hour - time.Second)
	if attend(waits, id) {
		t.Error("expired a second too early")
	}
	y.now = y.now.Add(time.Second)
	if !attend(waits, id) || y.consent(waits.ID, id).State != callconsent.Expired {
		t.Errorf("%s", y.consent(waits.ID, id).State)
	}
	if err := y.answers(y.Broker, waits.ID, true); err == nil {
		t.Error("a YES to what has expired grants it")
	}
}

// A second consent may be asked for when the first has ended, and one that is revoked takes its question along.
func TestRevokingAQuestion(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.switchboard()
	r := y.callable("ann")
	first := y.askedToCall(r.ID, "ask")
	got := y.do(RevokeCallConsent, r.ID, "revoke", `{"request_id":"{id}"}`)
	if y.view(r.ID).Offer != nil || y.consent(r.ID, first).State != callconsent.Revoked || got["success"] != true {
		t.Errorf("%v, offer %+v", got, y.view(r.ID).Offer)
	}
	wants(t, "nothing stands", y.do(RevokeCallConsent, r.ID, "again", `{"request_id":"{id}"}`), false, "no consent")
	if second := y.askedToCall(r.ID, "second"); second == first {
		t.Error("the second consent is the first")
	}
}

// Whatever call to the store fails, and however often everything comes again: the client is asked once, the desk is rung
// once, and the client is connected once.
func TestCrashOfACall(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
		y := newYard(t)
		x := y.switchboard()
		r := y.callable("ann")
		broken, _ := y.over(dynamotest.Once(t, calls))
		broken.Phone, broken.Alerts = x, y.Alerts
		deliver := func(f func() error) { calls.Deliver(t, func() { y.now = y.now.Add(2 * time.Minute) }, f) }
		once := func(tool, key, input string) (out json.RawMessage) {
			deliver(func() error {
				a, err := broken.Do(context.Background(), y.call(tool, r.ID, key, input))
				out = a.Output
				return err
			})
			return out
		}
		id := decoded(t, once(RequestCallConsent, "ask", `{"request_id":"{id}","scope":"concierge","reason":"a word"}`))["consent_id"].(string)
		deliver(func() error {
			if y.consent(r.ID, id).State == callconsent.Granted {
				return nil // the turn's journal knows that the YES was obeyed
			}
			return y.answers(broken, r.ID, true)
		})
		once(StartCall, "call", `{"consent_id":"`+id+`"}`)
		at := y.place(r.ID, id, len(y.consent(r.ID, id).Attempts))
		connected := false
		deliver(func() (err error) {
			_, connected, err = broken.Calls().Connect(context.Background(), at, x.id(1))
			return err
		})
		deliver(func() error {
			return broken.Calls().Heard(context.Background(), at, callconsent.Report{CallID: x.id(1), Leg: callconsent.LegRinging, Client: true})
		})
		deliver(func() error {
			return broken.Calls().Heard(context.Background(), at, callconsent.Report{CallID: x.id(1), Leg: callconsent.LegUnanswered, Client: true})
		})
		deliver(func() error {
			return broken.Calls().Heard(context.Background(), at, callconsent.Report{CallID: x.id(1), Leg: callconsent.LegCompleted})
		})
		once(RevokeCallConsent, "revoke", `{"request_id":"{id}"}`)
		second := decoded(t, once(RequestCallConsent, "ask-again", `{"request_id":"{id}","scope":"concierge","reason":"a word"}`))["consent_id"].(string)
		y.now = y.now.Add(25 * time.Hour)
		deliver(func() error { _, err := broken.Calls().Attend(context.Background(), r.ID, second); return err })
		c := y.consent(r.ID, id)
		last := c.Attempts[len(c.Attempts)-1]
		got := fmt.Sprintf("%s %s %s, then %s, rang %d, connected %v", c.State, last.State(), last.ProviderID, y.consent(r.ID, second).State, len(x.rang()), connected)
		want := "revoked no-answer " + x.id(1) + ", then expired, rang 1, connected true"
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		return got
	})
}

// hasty is a provider that tells of a call before it has answered who made it.
type hasty struct {
	*exchange
	tell func(at callconsent.Place, id string)
}

func (h hasty) Ring(ctx context.Context, r callconsent.Ring) (string, error) {
	id, err := h.exchange.Ring(ctx, r)
	if err == nil {
		h.tell(r.Place, id)
	}
	return id, err
}

// A call whose end is told before it is known to have begun was made, and is not made again.
func TestACallThatHasEndedAlready(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	x := y.switchboard()
	r := y.callable("ann")
	consent := y.granted(r.ID)
	y.Phone = hasty{x, func(at callconsent.Place, id string) {
		y.fail(y.Calls().Heard(t.Context(), at, callconsent.Report{CallID: id, Leg: callconsent.LegBusy}))
	}}
	for range 2 {
		wants(t, "busy", y.start(r.ID, "call", consent), true, "")
	}
	if n, c := len(x.rang()), y.consent(r.ID, consent); n != 1 || len(c.Attempts) != 1 || c.Attempts[0].State() != callconsent.AttemptBusy {
		t.Errorf("rang %d times: %+v", n, c.Attempts)
	}
}
