package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"merve/infra/local/demo"
	"merve/internal/app"
	"merve/internal/base/faulttest"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// later is a front of the service whose clock is ahead, on the same data.
func (s *service) later(t *testing.T, by time.Duration) http.Handler {
	t.Helper()
	return s.With(t, func(b *app.Process) { b.Now = func() time.Time { return apitest.Now().Add(by) } })
}

// signedForm is a webhook as Twilio sends it, to any front.
func (s *service) signedForm(t *testing.T, front http.Handler, target string, form url.Values) answer {
	t.Helper()
	return s.CallTo(t, front, "POST", target, form.Encode(),
		"Content-Type", "application/x-www-form-urlencoded; charset=UTF-8", "X-Twilio-Signature", s.Twilio.Sign(s.URL+target, form))
}

// A signed webhook that somebody has recorded and plays 50 times at once, and again after
// it was answered, a day and six days later, is the one message that it was: same
// signature, same answer, nothing more stored, nothing more sent.
func TestReplayedWebhook(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	form := s.Twilio.Inbound(apitest.MessageSID(), from, "hello")
	var taken atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			a, err := s.Twilio.Post(t.Context(), s.URL+inboundPath, form)
			switch {
			case errors.Is(err, context.DeadlineExceeded): // Twilio gives up waiting, and tries again
			case err != nil:
				t.Error(err)
			case a.Status == http.StatusOK && a.Body == emptyTwiML:
				taken.Add(1)
			case a.Status != http.StatusServiceUnavailable: // contended: Twilio tries again
				t.Errorf("%+v", a)
			}
		})
	}
	wg.Wait()
	if taken.Load() == 0 {
		t.Fatal("none of 50 was taken")
	}
	s.Hears(t, from, 1)
	for _, by := range []time.Duration{0, 6 * time.Minute, 24 * time.Hour, 6 * 24 * time.Hour} {
		s.signedForm(t, s.later(t, by), inboundPath, form).Wants(t, http.StatusOK, nil)
	}
	s.Writes(t, from, "what can you do?") // behind all of them
	if got := s.Hears(t, from, 2); len(got) != 2 {
		t.Errorf("%d messages went out for two", len(got))
	}
	if got := s.lines(t, from); len(got) != 4 {
		t.Errorf("%d lines for two messages and their answers", len(got))
	}
	faulttest.Tried(t, 54)
}

// A YES that was recorded does nothing when it is played at a later offer.
func TestReplayedYes(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	s.offeredTo(t, from, "sushi in Kyrenia", "1", "in 3 days at 19:00 for 2")
	yes := s.Twilio.Inbound(apitest.MessageSID(), from, "yes")
	s.Webhook(t, inboundPath, yes).Wants(t, http.StatusOK, nil)
	s.Hears(t, from, 4)
	n := 4
	for _, text := range []string{"sushi in Kyrenia", "1", "in 4 days at 19:00 for 2"} {
		s.Writes(t, from, text)
		n++
		s.Hears(t, from, n)
	}
	offer := s.thread(t, from).PendingAction
	if offer == nil {
		t.Fatalf("no second offer: %+v", s.lines(t, from))
	}
	for range 5 {
		s.Webhook(t, inboundPath, yes).Wants(t, http.StatusOK, nil)
	}
	s.Writes(t, from, "maybe") // behind all of them
	s.Hears(t, from, n+1)
	if got := s.thread(t, from).PendingAction; got == nil || got.ID != offer.ID {
		t.Errorf("the old YES settled the new offer: %+v", got)
	}
	var h struct{ Transaction struct{ State string } }
	if s.Reads(t, "transactions/"+offer.Ref, &h); h.Transaction.State != "hold" {
		t.Errorf("the new offer is %s", h.Transaction.State)
	}
}

// A status that is played again, late, or in the wrong order moves nothing back; one for a
// message of another thread, or with a changed query, is not taken.
func TestReplayedStatus(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	s.Writes(t, from, "hello")
	sent := s.Hears(t, from, 1)[0]
	for _, status := range []string{"delivered", "read"} {
		if err := s.Twilio.Deliver(t.Context(), sent.SID, status); err != nil {
			t.Fatal(err)
		}
	}
	m := s.sent(t, apitest.ThreadOf(from), sent.SID)
	target := statusPath + "?" + url.Values{"message": {m.ID}, "thread": {m.Thread}}.Encode()
	form := url.Values{"MessageSid": {sent.SID}, "MessageStatus": {"sent"}}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			a, err := s.Twilio.Post(t.Context(), s.URL+target, form)
			if errors.Is(err, context.DeadlineExceeded) {
				return // Twilio gives up waiting, and tries again
			}
			if err != nil || a.Status != http.StatusNoContent && a.Status != http.StatusServiceUnavailable {
				t.Errorf("%v: %+v", err, a)
			}
		})
	}
	wg.Wait()
	s.signedForm(t, s.later(t, 7*24*time.Hour), target, form).Wants(t, http.StatusNoContent, nil)
	other := url.Values{"MessageSid": {"SM-of-somebody-else"}, "MessageStatus": {"failed"}, "ErrorCode": {"63016"}}
	s.signedForm(t, s.Front, target, other)
	if got := s.sent(t, apitest.ThreadOf(from), sent.SID); got.Status != m.Status || got.ProviderID != m.ProviderID || got.Error != "" {
		t.Errorf("was %s, and is %s (%s, %s)", m.Status, got.Status, got.ProviderID, got.Error)
	}
	for _, query := range []string{target + "&message=x", target + "&thread=" + m.Thread} {
		s.signedForm(t, s.Front, query, form).Wants(t, http.StatusBadRequest, nil) // signed, and still not clear
	}
}

// A webhook for another market's number is that market's, and stays out of everybody
// else's; one for a number that is nobody's goes to the default market.
func TestWebhookOfAnotherMarket(t *testing.T) {
	t.Parallel()
	s, from, number, id := start(t), apitest.Phone(), apitest.Phone(), dynamotest.ID("m")
	s.Call(t, "PUT", "/admin/api/markets/"+id, map[string]any{"name": "Other", "whatsapp": map[string]any{"from": number}}, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	front := s.With(t, func(*app.Process) {}) // has not read the numbers yet
	form := s.Twilio.Inbound(apitest.MessageSID(), from, "hello")
	form.Set("To", "whatsapp:"+number)
	s.signedForm(t, front, inboundPath, form).Wants(t, http.StatusOK, nil)
	if a := s.Call(t, "GET", "/admin/api/threads/"+apitest.ThreadOf(from), nil, apitest.Staff()...); a.Status != http.StatusNotFound {
		t.Errorf("the message is on the thread of market %s: %s", demo.Market, a.Body)
	}
	again := s.Twilio.Inbound(form.Get("MessageSid"), from, "hello") // the same id, to the default number
	s.signedForm(t, front, inboundPath, again).Wants(t, http.StatusOK, nil)
	if got := s.lines(t, from); len(got) == 0 || got[0].Text != "hello" {
		t.Errorf("in market %s: %+v", demo.Market, got)
	}
	// With the first signature over another number it is nobody's.
	changed := url.Values{}
	for name, v := range form {
		changed[name] = v
	}
	changed.Set("To", "whatsapp:"+apitest.Phone())
	s.CallTo(t, front, "POST", inboundPath, changed.Encode(), "Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", s.Twilio.Sign(s.URL+inboundPath, form)).
		Refuses(t, http.StatusForbidden, "")
}

// Who writes to a market's own number has there the role that they have in that market, whatever they
// are in the default one.
func TestRoleInTheMarketOfANumber(t *testing.T) {
	t.Parallel()
	s, driver, number, id := start(t), apitest.Phone(), apitest.Phone(), dynamotest.ID("m")
	s.Call(t, "PUT", "/admin/api/markets/"+id, map[string]any{"name": "Other", "whatsapp": map[string]any{"from": number}}, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	s.Call(t, "PUT", "/admin/api/markets/"+id+"/drivers/dina", map[string]any{"name": "Dina", "phone": driver, "districts": []string{"Kyrenia"}, "seats": 4, "enabled": true}, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	front := s.With(t, func(*app.Process) {}) // has not read the numbers yet
	for from, has := range map[string]channel.ThreadType{
		driver: channel.Dispatch, "+15550101047": channel.General, // a business in the default market
	} {
		form := s.Twilio.Inbound(apitest.MessageSID(), from, "hello")
		form.Set("To", "whatsapp:"+number)
		s.signedForm(t, front, inboundPath, form).Wants(t, http.StatusOK, nil)
		for _, typ := range []channel.ThreadType{channel.General, channel.Ops, channel.Dispatch} {
			want := http.StatusNotFound
			if typ == has {
				want = http.StatusOK
			}
			if a := s.Call(t, "GET", "/admin/api/threads/"+thread.ID(id, typ, "", "person:whatsapp:"+from), nil, apitest.Staff()...); a.Status != want {
				t.Errorf("%s has a thread as %s: %d, want %d", from, typ, a.Status, want)
			}
		}
	}
}

// The cursor of one thread, or none that was ever given out, shows nothing of another's.
func TestCursorOfAnotherThread(t *testing.T) {
	t.Parallel()
	s, ann, bob := start(t), apitest.SessionID(), apitest.SessionID()
	of := s.Say(t, ann, "hello, my name is Ann").ThreadID
	s.Say(t, ann, "what can you do?")
	mine := s.Say(t, bob, "hello").ThreadID
	var l apitest.List
	s.Call(t, "GET", messagesOf(of)+"?limit=1", nil, "x-session-id", ann).Wants(t, http.StatusOK, &l)
	for _, query := range []string{"?after=" + l.Next, "?before=" + l.Next, "?after=" + of + "." + l.Next, "?after=1.0%23" + of, "?before=99999999.9999", "?after=0.0&before=latest"} {
		a := s.Call(t, "GET", messagesOf(mine)+query, nil, "x-session-id", bob)
		if strings.Contains(string(a.Body), "Ann") {
			t.Errorf("%s: %s", query, a.Body)
		}
		foreign := s.Call(t, "GET", messagesOf(of)+query, nil, "x-session-id", bob)
		missing := s.Call(t, "GET", messagesOf("th_00000000000000000000000000000000")+query, nil, "x-session-id", bob)
		if foreign.Status != missing.Status || foreign.Status < 400 {
			t.Errorf("%s: status %d, but %d of a thread that is not there", query, foreign.Status, missing.Status)
		}
	}
}

// A flood of one session is bounded by what its thread may have waiting: the rest is
// refused at once, costs no model, and the next message is answered when it is over.
func TestFloodOfOneSession(t *testing.T) {
	t.Parallel()
	s, id, word := start(t), apitest.SessionID(), dynamotest.ID("slowly")
	held := s.Model.Hold(word)
	defer held.LetGo()
	hasty := s.With(t, func(b *app.Process) { b.Config.Patience = 100 * time.Millisecond })
	const n = 300 // more than may wait
	var mu sync.Mutex
	status := map[int]int{}
	var wg sync.WaitGroup
	slots := make(chan struct{}, 12)
	for i := range n {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			a, err := s.Send(t.Context(), hasty, "POST", "/chat/message", map[string]any{"message": fmt.Sprint("flood ", i, " ", word), "sessionId": id})
			if err != nil {
				t.Error(err)
				return
			}
			apitest.OpenAPI(t).Check(t, "POST", "/chat/message", a)
			mu.Lock()
			defer mu.Unlock()
			status[a.Status]++
		})
	}
	wg.Wait()
	if taken := status[http.StatusOK] + status[http.StatusAccepted]; taken == 0 || taken > 220 || taken+status[http.StatusTooManyRequests]+status[http.StatusServiceUnavailable] != n {
		t.Errorf("of %d with at most 200 waiting: %v", n, status)
	}
	held.LetGo()
	pausetest.Until(t, "the answer after the flood", func() bool {
		a, err := s.Send(t.Context(), s.Front, "POST", "/chat/message", map[string]any{"message": "hello", "sessionId": id})
		return err == nil && a.Status == http.StatusOK
	})
}

// What is too long is refused before anything is kept or asked of a model, by chat; a
// provider's message is cut to what a message may be.
func TestTenThousandCharacters(t *testing.T) {
	t.Parallel()
	s, id, from, word := start(t), apitest.SessionID(), apitest.Phone(), dynamotest.ID("word")
	held := s.Model.Hold(word) // tells whether a model was asked
	defer held.LetGo()
	for _, letter := range []string{"a", "ç", "😀"} {
		text := word + strings.Repeat(letter, 10_000)
		s.Call(t, "POST", "/chat/message", map[string]any{"message": text, "sessionId": id}).Refuses(t, http.StatusBadRequest, "message")
	}
	select {
	case <-held.Asked:
		t.Error("a model was asked")
	default:
	}
	s.Writes(t, from, strings.Repeat("ç", 10_000))
	s.Hears(t, from, 1)
	if got := s.lines(t, from); len(got) != 2 || len([]rune(got[0].Text)) != 4096 {
		t.Errorf("%d lines, the first of %d characters", len(got), len([]rune(got[0].Text)))
	}
	for _, size := range []int{1 << 20, 9 << 20} {
		s.Call(t, "POST", "/chat/message", map[string]any{"message": strings.Repeat("a", size), "sessionId": id}).Refuses(t, http.StatusRequestEntityTooLarge, "")
	}
}
