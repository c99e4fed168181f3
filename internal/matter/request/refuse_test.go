package request_test

import (
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/matter/callconsent"
	. "merve/internal/matter/request"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// refuses has a client write something that their turn takes for a refusal of calls.
func (y *yard) refuses(b *Broker, r Request, id string) (bool, error) {
	tc := tool.Context{Actor: actor.OfKey(r.Owner), Market: y.market, Thread: r.Thread, Channel: channel.WhatsApp, Language: "en", TimeZone: time.UTC, Now: y.now}
	return Refusals{Broker: b}.Refuse(y.t.Context(), tc, thread.Message{ID: id, Text: "Please do not call me"}, "")
}

// A client who does not want to be called is not, whatever has come of their consent: no call begins, one that rings is ended, and
// the desk that answers is connected with nobody. It is audited, once.
func TestPromise1_NobodyIsCalledWhoRefusesIt(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"asked", "granted", "rings"} {
		y := newYard(t)
		x := y.switchboard()
		r := y.callable("ann")
		id := y.askedToCall(r.ID, "ask")
		if stage != "asked" {
			y.fail(y.answers(y.Broker, r.ID, true))
		}
		if stage == "rings" {
			wants(t, "the call", y.start(r.ID, "call", id), true, "")
			x.legs[x.id(1)] = [2]callconsent.Leg{callconsent.LegRinging}
		}
		for range 2 {
			if did, err := y.refuses(y.Broker, r, "m1"); !did || err != nil {
				t.Errorf("%s: taken back %v, %v", stage, did, err)
			}
		}
		y.twice(y.teller, r.ID, map[string]bool{})
		k := y.consent(r.ID, id)
		if v := y.view(r.ID); k.State != callconsent.Revoked || v.Offer != nil {
			t.Errorf("%s: %s, %+v waits", stage, k.State, v.Offer)
		}
		wants(t, stage, y.start(r.ID, "again", id), false, "")
		if stage == "rings" {
			if to, ok := y.connect(y.place(r.ID, id, 1), x.id(1)); ok || len(x.ended) != 1 {
				t.Errorf("connected with %v, ended %v", to, x.ended)
			}
		}
		if all := strings.Join(y.audit(r.ID), ", "); strings.Count(all, "revoke_call_consent ok") != 1 {
			t.Errorf("%s: audited %s", stage, all)
		}
		if did, err := y.refuses(y.Broker, r, "m2"); did || err != nil {
			t.Errorf("%s: taken back again %v, %v", stage, did, err)
		}
	}
}

// What a client has written counts before any turn has read it: no call begins, the desk that answers is connected with nobody,
// and nobody asks them just then.
func TestPromise8_ARefusalCountsBeforeItIsRead(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	x := y.switchboard()
	r := y.callable("ann")
	id := y.granted(r.ID)
	wants(t, "the call", y.start(r.ID, "call", id), true, "")
	if _, err := y.Threads.(*thread.Store).Append(t.Context(), y.writtenBy(clientPhone, "2", "Beni aramayın"), false); err != nil {
		t.Fatal(err)
	}
	if to, ok := y.connect(y.place(r.ID, id, 1), x.id(1)); ok {
		t.Errorf("connected with %v", to)
	}
	wants(t, "another call", y.start(r.ID, "again", id), false, "")
	if k := y.consent(r.ID, id); k.State != callconsent.Revoked {
		t.Errorf("it is %s", k.State)
	}
	got := y.do(RequestCallConsent, r.ID, "ask2", `{"request_id":"{id}","scope":"concierge","reason":"again"}`)
	if got["message_sent"] != false {
		t.Errorf("asked: %v", got)
	}
}

// The number that is called is the one that the client's conversation proves. What somebody has typed is never called.
func TestPromise6_TheNumberCalledIsProven(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.switchboard()
	y.market.WhatsApp.From, y.market.Desk.Phone = "+35722000000", deskPhone
	const typed = "+35799000666"
	client := y.client("eve")
	r := y.request("1", func(r *Request) { client(r); r.Client.Phone = typed })
	if got := y.do(RequestCallConsent, r.ID, "ask", `{"request_id":"{id}","scope":"concierge","reason":"x"}`); got["message_sent"] != false || !strings.Contains(got["error"].(string), "proven") {
		t.Errorf("a typed number: %v", got)
	}
	own := y.onWhatsApp(clientPhone)
	r = y.request("2", func(r *Request) { own(r); r.Client.Phone = typed })
	if k := y.consent(r.ID, y.granted(r.ID)); k.Number != clientPhone {
		t.Errorf("%s would be called", k.Number)
	}
	from := channel.OfNumber(typed)
	r = y.request("3", func(r *Request) { // of the desk's, for somebody who has never written
		r.Owner, r.Thread, r.Client.Phone = from.Key(), thread.ID(y.market.ID, channel.General, "", from.Key()), typed
	})
	y.market.WhatsApp.Templates["request_news"] = y.market.WhatsApp.Templates["vendor_asked"]
	if k := y.consent(r.ID, y.askedToCall(r.ID, "ask")); k.Number != typed {
		t.Errorf("%s would be called", k.Number)
	}
}
