package request_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	. "merve/internal/matter/request"
	"merve/internal/spine/thread"
)

// deal is a request of a client who has accepted what v1 quotes, and the letters to vendors until then.
func (y *yard) deal(name string) (Request, []string) {
	y.t.Helper()
	y.vendor("v1", nil)
	y.vendor("v2", nil)
	r := y.request(name, y.client(name))
	y.asks(r, "v1", "v2")
	y.quotes(r.ID, "1", "280")
	y.do(ProposeAcceptance, r.ID, "accept", `{"request_id":"{id}","outreach_id":"`+outreachOf(y.view(r.ID), "v1")+`"}`)
	y.fail(y.answers(y.Broker, r.ID, true))
	if v := y.view(r.ID); v.State != Accepted {
		y.t.Fatalf("the request is %s", v.State)
	}
	y.stream(y.teller, r.ID, map[string]bool{}, func(f func() error) { y.fail(f()) })
	y.now = y.now.Add(time.Minute)
	return r, y.sent(y.view(r.ID))
}

// What a client has accepted ends at their own YES, or at the word of a person at the desk, and by nobody else's.
func TestPromise1_AnAcceptedQuoteIsLeftByAYesOnly(t *testing.T) {
	t.Parallel()
	to := func(s State) string { return fmt.Sprintf(`{"request_id":"{id}","new_state":%q}`, s) }
	t.Run("nobody else", func(t *testing.T) {
		t.Parallel()
		y := newYard(t)
		r, sent := y.deal("ann")
		for _, who := range []string{Moltbot, System, Admin} { // the last is a program that says so
			for _, s := range States() {
				a := y.as(who, r, UpdateRequestState, who+string(s), to(s))
				if out := decoded(t, a.Output); a.Success || out["success"] != false || out["error"] == "" || out["current_state"] != "accepted" {
					t.Errorf("%s takes it to %s: %s", who, s, a.Output)
				}
			}
		}
		if _, err := y.Do(t.Context(), y.call(UpdateRequestState, r.ID, "desk", `{"request_id":"{id}","new_state":"error","fallback_message":"We are sorry."}`)); err != nil {
			t.Error(err)
		}
		y.now = y.now.Add(48 * time.Hour)
		if _, err := y.teller.Attend(t.Context(), r.ID); err != nil {
			t.Error(err)
		}
		if v := y.view(r.ID); v.State != Accepted {
			t.Errorf("the request is %s", v.State)
		}
		err := y.Store.Table.DB().Commit(t.Context(), y.Store.Changes(y.view(r.ID), Cancelled, Event{Type: CancelledEvent, By: Moltbot})...)
		if !errors.Is(err, ErrChanged) {
			t.Errorf("the store leaves it without a receipt: %v", err)
		}
		y.stream(y.teller, r.ID, map[string]bool{}, func(f func() error) { y.fail(f()) })
		if got := y.sent(y.view(r.ID)); !slices.Equal(got, sent) {
			t.Errorf("sent %q, before %q", got, sent)
		}
	})
	for _, s := range []State{Cancelled, Fulfilled} {
		thanks := map[State]string{Cancelled: "has been cancelled. Your quote, which had been accepted, is no longer needed.", Fulfilled: "is over"}[s]
		t.Run("the client, "+string(s), func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			r, _ := y.deal("ann")
			a := y.as(inTurn, r, UpdateRequestState, "no", to(s))
			if !a.Success || a.Offer == nil || !strings.Contains(a.Offer.Summary, "Vendor v1 · €280.00 (they named no currency; we asked in EUR) · “280”") || y.view(r.ID).State != Accepted {
				t.Fatalf("asked %+v by %s", a.Offer, a.Output)
			}
			y.fail(y.answers(y.Broker, r.ID, false))
			if v := y.view(r.ID); v.State != Accepted || v.Offer != nil {
				t.Fatalf("after NO: %s, %+v", v.State, v.Offer)
			}
			y.as(inTurn, r, UpdateRequestState, "yes", to(s))
			y.fail(y.answers(y.Broker, r.ID, true))
			y.ended(r, s, r.Owner, thanks)
		})
		t.Run("the desk, "+string(s), func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			r, _ := y.deal("ann")
			if got := y.do(UpdateRequestState, r.ID, "off", to(s)); got["success"] != true || got["previous_state"] != "accepted" || got["current_state"] != string(s) {
				t.Errorf("the desk is answered %v", got)
			}
			y.ended(r, s, "staff:dana Dana", thanks)
		})
	}
}

// ended holds a deal that has come to an end to whose word that was, and to what its vendor was told, once.
func (y *yard) ended(r Request, s State, by, thanks string) {
	y.t.Helper()
	y.stream(y.teller, r.ID, map[string]bool{}, func(f func() error) { y.fail(errors.Join(f(), f())) })
	events, err := y.Store.History(y.t.Context(), r.ID)
	y.fail(err)
	last := events[len(events)-1]
	if v := y.view(r.ID); v.State != s || last.Receipt == nil || last.Receipt.Answer != "yes" || last.By != by || last.Receipt.Actor != by {
		y.t.Errorf("%s by %+v", v.State, last)
	}
	if got := y.letters(r); !strings.Contains(got["thanks"], thanks) || len(got) != 3 {
		y.t.Errorf("the vendor was sent %q", got)
	}
	told := 0
	head, err := y.Threads.Head(y.t.Context(), r.Thread)
	y.fail(err)
	for _, m := range head.Inbox {
		if m.Notice != nil && m.Notice.Kind == "request_off" {
			told++
		}
	}
	if want := map[bool]int{true: 1}[s == Cancelled && by != r.Owner]; told != want { // whoever said YES was answered
		y.t.Errorf("the client was told %d times, want %d", told, want)
	}
}

// A vendor whose quote was accepted writes that they cannot deliver: the client and the desk hear it at once, word for word,
// and what was accepted stands until somebody ends it. That is so where no model has understood it, too.
func TestField30_AVendorWithdrawsInWords(t *testing.T) {
	t.Parallel()
	const words = "Sorry, the machine broke down, I cannot deliver on Saturday"
	for name, model := range map[string]func(string) string{
		"read as a no": func(string) string {
			return `{"has_stock":false,"price":null,"currency":null,"availability":null,"notes":null}`
		},
		"not read": nil,
		"read as a yes": func(string) string {
			return `{"has_stock":true,"price":null,"currency":null,"availability":null,"notes":null}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			r, _ := y.deal("ann")
			alerts := &alarms{}
			y.Alerts, y.teller.Broker.Alerts = alerts, alerts
			seen := map[string]bool{}
			tell := func() { y.stream(y.teller, r.ID, seen, func(f func() error) { y.fail(errors.Join(f(), f())) }) }
			tell()
			if len(alerts.all) != 0 || len(y.written(r)) != 0 {
				t.Fatalf("of the quote that was accepted: %v, %q", alerts.all, y.written(r))
			}
			y.model, y.now = model, y.now.Add(time.Hour)
			o := y.view(r.ID).Outreach[0]
			settled, _ := y.hears(o, thread.Message{ID: "SM9", Text: o.Code + " " + words})
			if strings.Contains(settled.Text, "is over") || !strings.Contains(settled.Text, "stands until they answer") {
				t.Errorf("the vendor is answered %q", settled.Text)
			}
			tell()
			if got := y.written(r); len(got) != 1 || !strings.Contains(got[0], "“"+words+"”") || !strings.Contains(got[0], "Vendor v1") {
				t.Errorf("the client was told %q", got)
			}
			if len(alerts.all) == 0 || !strings.Contains(alerts.all[0].Message, words) || alerts.all[0].Subject != r.ID {
				t.Errorf("the desk was told %+v", alerts.all)
			}
			if v := y.view(r.ID); v.State != Accepted || v.Accepted != o.ID || v.Quote.Text != "280" {
				t.Errorf("%s, %+v", v.State, v.Quote)
			}
			if _, told := y.letters(r)["thanks"]; told {
				t.Error("the vendor was told that it is over")
			}
			other := y.view(r.ID).Outreach[1]
			if settled, _ := y.hears(other, thread.Message{ID: "SM10", Text: other.Code + " 250"}); !strings.Contains(settled.Text, "is over") {
				t.Errorf("another vendor is answered %q", settled.Text)
			}
			tell()
			if got := y.written(r); len(got) != 1 {
				t.Errorf("the client was told of another vendor: %q", got)
			}
			y.do(UpdateRequestState, r.ID, "off", `{"request_id":"{id}","new_state":"cancelled"}`)
			tell()
			if got := y.letters(r)["thanks"]; !strings.Contains(got, "cancelled") {
				t.Errorf("after the cancellation the vendor has %q", got)
			}
		})
	}
}

// written is what the client was told of the vendor whose quote they have accepted.
func (y *yard) written(r Request) (all []string) {
	y.t.Helper()
	head, err := y.Threads.Head(y.t.Context(), r.Thread)
	y.fail(err)
	for _, m := range head.Inbox {
		if m.Notice != nil && m.Notice.Kind == "request_winner" {
			all = append(all, m.Notice.Text)
		}
	}
	return all
}

// alarms keeps alerts in memory.
type alarms struct{ all []alert.Alert }

func (r *alarms) Raise(_ context.Context, a alert.Alert, _ ...dynamo.Write) error {
	r.all = append(r.all, a)
	return nil
}
