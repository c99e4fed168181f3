package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"merve/internal/app"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
)

const (
	inboundPath = "/webhooks/whatsapp"
	statusPath  = "/webhooks/whatsapp/status"
	emptyTwiML  = `<?xml version="1.0" encoding="UTF-8"?><Response/>`
)

// opsOf is the thread on which a business writes.
func opsOf(number string) string { return thread.ID("demo", "ops", "", "person:whatsapp:"+number) }

// lines are all messages of a person's thread.
func (s *service) lines(t *testing.T, from string) []thread.Line {
	t.Helper()
	var l apitest.List
	s.Reads(t, "threads/"+apitest.ThreadOf(from)+"/messages", &l)
	return l.Messages
}

type threadState struct {
	State         thread.State    `json:"state"`
	PendingAction *thread.Pending `json:"pendingAction"`
	OptedOut      bool            `json:"optedOut"`
	Waiting       int             `json:"waiting"`
}

func (s *service) thread(t *testing.T, from string) threadState {
	t.Helper()
	var h threadState
	s.Reads(t, "threads/"+apitest.ThreadOf(from), &h)
	return h
}

// Twilio waits 15 seconds for its answer. It gets it while the model still thinks.
func TestField07_WebhookAnswersWhileTheModelThinks(t *testing.T) {
	t.Parallel()
	s, from, word := start(t), apitest.Phone(), dynamotest.ID("slowly")
	held := s.Model.Hold(word)
	defer held.LetGo()
	a, err := s.Twilio.Post(t.Context(), s.URL+inboundPath, s.Twilio.Inbound(apitest.MessageSID(), from, "hello "+word))
	if err != nil || a.Status != http.StatusOK || a.Body != emptyTwiML {
		t.Fatalf("%v: %+v", err, a)
	}
	select {
	case <-held.Asked:
	case <-t.Context().Done():
		t.Fatal("the model was never asked")
	}
	if got := s.lines(t, from); len(got) != 1 || got[0].Status != "received" {
		t.Errorf("while the model thinks: %+v", got)
	}
	held.LetGo()
	s.Hears(t, from, 1)
}

// The same message ten times at once is one message, and gets one answer.
func TestField01_DuplicatesAreOneMessage(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	form := s.Twilio.Inbound(apitest.MessageSID(), from, "hello")
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			a, err := s.Twilio.Post(t.Context(), s.URL+inboundPath, form)
			if err != nil || a.Status != http.StatusOK || a.Body != emptyTwiML {
				t.Errorf("%v: %+v", err, a)
			}
		})
	}
	wg.Wait()
	s.Hears(t, from, 1)
	s.Webhook(t, inboundPath, form).Wants(t, http.StatusOK, nil) // and once more when it is answered
	s.Writes(t, from, "what can you do?")
	if got := s.Hears(t, from, 2); len(got) != 2 || !strings.Contains(got[0].Body, "Hello") {
		t.Errorf("%d messages for two", len(got))
	}
	if got := s.lines(t, from); len(got) != 4 {
		t.Errorf("%d lines, want two messages and their answers: %+v", len(got), got)
	}
}

func TestWebhookSignatures(t *testing.T) {
	t.Parallel()
	s := start(t)
	form := s.Twilio.Inbound(apitest.MessageSID(), apitest.Phone(), "hello")
	other := s.Twilio.Inbound(apitest.MessageSID(), apitest.Phone(), "hello")
	status := url.Values{"MessageSid": {"SM1"}, "MessageStatus": {"delivered"}}
	for name, tt := range map[string]struct {
		target, signature string
		form              url.Values
	}{
		"none":                    {inboundPath, "", form},
		"nonsense":                {inboundPath, "AAAA", form},
		"of another form":         {inboundPath, s.Twilio.Sign(s.URL+inboundPath, other), form},
		"of another address":      {inboundPath, s.Twilio.Sign("https://example.com"+inboundPath, form), form},
		"of the other webhook":    {inboundPath, s.Twilio.Sign(s.URL+statusPath, form), form},
		"of a status":             {statusPath + "?message=m&thread=t", "AAAA", status},
		"of another query":        {statusPath + "?message=m&thread=t", s.Twilio.Sign(s.URL+statusPath+"?message=m&thread=u", status), status},
		"of a status, no message": {statusPath, "", status},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "POST", tt.target, tt.form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", tt.signature).
				Refuses(t, http.StatusForbidden, "")
		})
	}
}

func TestWrongWebhooks(t *testing.T) {
	t.Parallel()
	s := start(t)
	form := func(changes ...string) url.Values {
		f := s.Twilio.Inbound(apitest.MessageSID(), apitest.Phone(), "hello")
		for i := 0; i < len(changes); i += 2 {
			f.Set(changes[i], changes[i+1])
		}
		return f
	}
	for name, tt := range map[string]struct {
		target string
		form   url.Values
		status int
		field  string
	}{
		"no sender":         {inboundPath, form("From", ""), 400, "From"},
		"no WhatsApp":       {inboundPath, form("From", "+15550100"), 400, "From"},
		"no id":             {inboundPath, form("MessageSid", "", "SmsSid", "", "SmsMessageSid", ""), 400, "MessageSid"},
		"media":             {inboundPath, form("NumMedia", "11"), 400, "NumMedia"},
		"no media":          {inboundPath, form("NumMedia", "1"), 400, "MediaUrl0"},
		"latitude":          {inboundPath, form("Latitude", "91", "Longitude", "0"), 400, "Latitude"},
		"too large":         {inboundPath, form("Body", strings.Repeat("a", 65<<10)), 413, ""},
		"status of nothing": {statusPath, url.Values{"MessageSid": {"SM1"}, "MessageStatus": {"sent"}}, 400, "message"},
		"unknown status":    {statusPath + "?message=m&thread=t", url.Values{"MessageSid": {"SM1"}, "MessageStatus": {"lost"}}, 400, "MessageStatus"},
		"status without id": {statusPath + "?message=m&thread=t", url.Values{"MessageStatus": {"sent"}}, 400, "MessageSid"},
		"long thread":       {statusPath + "?message=m&thread=" + strings.Repeat("t", 3000), url.Values{"MessageSid": {"SM1"}, "MessageStatus": {"sent"}}, 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Webhook(t, tt.target, tt.form).Refuses(t, tt.status, tt.field)
		})
	}
}

// What is unusual but Twilio's is stored.
func TestUnusualWebhooks(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, changes := range map[string][]string{
		"no text":       {"Body", ""},
		"long text":     {"Body", strings.Repeat("ç", 5000)},
		"broken text":   {"Body", "caf\xe9\x00"},
		"tiny degrees":  {"Latitude", "5e-324", "Longitude", "-1e-200"},
		"long address":  {"Latitude", "1", "Longitude", "1", "Address", strings.Repeat("ç", 5000)},
		"long profile":  {"ProfileName", strings.Repeat("ç", 5000)},
		"long type":     {"NumMedia", "1", "MediaUrl0", "https://example.com/a", "MediaContentType0", strings.Repeat("a", 5000)},
		"unknown field": {"NewField", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Writes(t, apitest.Phone(), "hello", changes...)
		})
	}
	s.Webhook(t, statusPath+"?message=m&thread=nobody", url.Values{"MessageSid": {"SM1"}, "MessageStatus": {"read"}}).Wants(t, http.StatusNoContent, nil)
}

// A reaction to a message is no message.
func TestReactionOnWhatsApp(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	s.Writes(t, from, "👍", "MessageType", "reaction")
	s.Call(t, "GET", "/admin/api/threads/"+apitest.ThreadOf(from), nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}

// Without a token only this machine may write, whatever a request says of itself.
func TestUnsignedWebhooks(t *testing.T) {
	t.Parallel()
	s := start(t)
	noToken := func(unsigned bool) http.Handler {
		return s.With(t, func(b *app.Process) {
			b.Getenv, b.Config.UnsignedFromLoopback = func(string) string { return "" }, unsigned
		})
	}
	open, closed := noToken(true), noToken(false)
	for name, tt := range map[string]struct {
		to     http.Handler
		from   string
		header string
		status int
	}{
		"this machine":                      {open, "127.0.0.1:5000", "", http.StatusOK},
		"this machine, IPv6":                {open, "[::1]:5000", "", http.StatusOK},
		"another":                           {open, "198.51.100.7:5000", "", http.StatusServiceUnavailable},
		"another that says it is this":      {open, "198.51.100.7:5000", "127.0.0.1", http.StatusServiceUnavailable},
		"another, by a tunnel":              {open, "127.0.0.1:5000", "198.51.100.7", http.StatusServiceUnavailable},
		"this machine, but it is the cloud": {closed, "127.0.0.1:5000", "", http.StatusServiceUnavailable},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", s.URL+inboundPath, strings.NewReader(s.Twilio.Inbound(apitest.MessageSID(), apitest.Phone(), "hello").Encode()))
		r.RemoteAddr = tt.from
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if tt.header != "" {
			r.Header.Set("X-Forwarded-For", tt.header)
		}
		w := httptest.NewRecorder()
		tt.to.ServeHTTP(w, r)
		apitest.OpenAPI(t).Check(t, "POST", inboundPath, answer{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()})
		if w.Code != tt.status {
			t.Errorf("%s: status %d, want %d: %s", name, w.Code, tt.status, w.Body)
		}
	}
	if a := s.Call(t, "POST", inboundPath, s.Twilio.Inbound(apitest.MessageSID(), apitest.Phone(), "hello").Encode(), "Content-Type", "application/x-www-form-urlencoded"); a.Status != http.StatusForbidden {
		t.Errorf("with a token, unsigned from this machine: status %d", a.Status)
	}
}

// bookedBy books on WhatsApp up to the offer.
func (s *service) offeredTo(t *testing.T, from string, words ...string) *thread.Pending {
	t.Helper()
	for i, text := range words {
		s.Writes(t, from, text)
		s.Hears(t, from, i+1)
	}
	h := s.thread(t, from)
	if h.PendingAction == nil || h.State != thread.AwaitingConfirmation {
		t.Fatalf("no offer: %+v; %+v", h, s.lines(t, from))
	}
	pausetest.Until(t, "the question noted as sent", func() bool {
		var l struct{ Messages []outbox.Message }
		s.Reads(t, "outbox?threadId="+apitest.ThreadOf(from), &l)
		return slices.ContainsFunc(l.Messages, func(m outbox.Message) bool {
			return m.Pending == h.PendingAction.ID && m.Status == outbox.Sent
		})
	})
	return h.PendingAction
}

// A booking by WhatsApp, from the first word to the ticks below the confirmation, and the
// business told.
func TestBookingByWhatsApp(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	offer := s.offeredTo(t, from, "sushi in Kyrenia", "1", "tomorrow at 19:00 for 2")
	s.Writes(t, from, "yes")
	said := s.Hears(t, from, 4)
	var h struct {
		Transaction struct{ State, Code, Channel string }
		Receipt     *struct{ Answer string }
	}
	s.Reads(t, "transactions/"+offer.Ref, &h)
	if h.Transaction.State != "confirmed" || h.Receipt == nil || h.Receipt.Answer != "yes" || h.Transaction.Channel != "whatsapp" {
		t.Errorf("%+v", h)
	}
	if !strings.Contains(said[3].Body, h.Transaction.Code) {
		t.Errorf("the confirmation has no code %s: %s", h.Transaction.Code, said[3].Body)
	}
	var business []twiliotest.Message
	pausetest.Until(t, "the message to the business", func() bool {
		business = nil
		for _, m := range s.Twilio.Messages() {
			if strings.Contains(fmt.Sprint(m.Variables, m.Body), h.Transaction.Code) && m.To != from {
				business = append(business, m)
			}
		}
		return len(business) > 0
	})
	if len(business) != 1 || business[0].ContentSID == "" {
		t.Errorf("to the business: %+v", business)
	}
	for _, status := range []string{"sent", "delivered", "sent", "read"} {
		if err := s.Twilio.Deliver(t.Context(), said[3].SID, status); err != nil {
			t.Error(err)
		}
	}
	if err := s.Twilio.DeliverError(t.Context(), business[0].SID, "undelivered", 63024); err != nil {
		t.Error(err)
	}
	if m := s.sent(t, apitest.ThreadOf(from), said[3].SID); m.Status != outbox.Read {
		t.Errorf("the confirmation is %s", m.Status)
	}
	if m := s.sent(t, opsOf(business[0].To), business[0].SID); m.Status != outbox.Failed || !strings.Contains(m.Error, "63024") {
		t.Errorf("the message to the business is %s: %s", m.Status, m.Error)
	}
}

// sent is a message on the outbox, by the provider's id.
func (s *service) sent(t *testing.T, thread, providerID string) outbox.Message {
	t.Helper()
	var l struct{ Messages []outbox.Message }
	s.Reads(t, "outbox?threadId="+thread, &l)
	for _, m := range l.Messages {
		if m.ProviderID == providerID {
			return m
		}
	}
	t.Fatalf("%s is not on the outbox: %+v", providerID, l.Messages)
	return outbox.Message{}
}

func TestButtonOnWhatsApp(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	offer := s.offeredTo(t, from, "sushi in Kyrenia", "1", "tomorrow at 20:30 for 2")
	s.Writes(t, from, "", "ButtonPayload", "yes:another-offer", "ButtonText", "Yes", "MessageType", "button")
	s.Hears(t, from, 4)
	if h := s.thread(t, from); h.PendingAction == nil || h.PendingAction.ID != offer.ID {
		t.Fatalf("a button of another offer settled this one: %+v", h)
	}
	s.Writes(t, from, "", "ButtonPayload", "yes:"+offer.ID, "ButtonText", "Yes", "MessageType", "button")
	s.Hears(t, from, 5)
	var h struct{ Transaction struct{ State string } }
	if s.Reads(t, "transactions/"+offer.Ref, &h); h.Transaction.State != "confirmed" {
		t.Errorf("after the button: %+v", h)
	}
}

func TestStopOnWhatsApp(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	offer := s.offeredTo(t, from, "sushi in Kyrenia", "1", "tomorrow at 13:00 for 2")
	s.Writes(t, from, "STOP")
	s.Hears(t, from, 4)
	if h := s.thread(t, from); !h.OptedOut || h.PendingAction != nil {
		t.Errorf("after STOP: %+v", h)
	}
	var tx struct{ Transaction struct{ State string } }
	if s.Reads(t, "transactions/"+offer.Ref, &tx); tx.Transaction.State != "cancelled" {
		t.Errorf("the hold is %+v", tx)
	}
	s.Writes(t, from, "hello")
	pausetest.Until(t, "the turn after STOP", func() bool { return s.thread(t, from).Waiting == 0 })
	s.Writes(t, from, "START")
	if got := s.Hears(t, from, 5); len(got) != 5 {
		t.Errorf("%d messages: something went out after STOP", len(got))
	}
	if s.thread(t, from).OptedOut {
		t.Error("still opted out after START")
	}
}

func TestMediaAndLocationOnWhatsApp(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	media := "https://api.twilio.com/2010-04-01/Accounts/AC0/Messages/MM0/Media/ME0"
	s.Writes(t, from, "what is this?", "NumMedia", "1", "MediaUrl0", media, "MediaContentType0", "image/jpeg")
	s.Hears(t, from, 1)
	s.Writes(t, from, "", "Latitude", "35.3364", "Longitude", "33.3182", "Address", "Old Harbour, Kyrenia", "MessageType", "location")
	s.Hears(t, from, 2)
	got := s.lines(t, from)
	if len(got) != 4 || len(got[0].Media) != 1 || got[0].Media[0].URL != media || got[0].Media[0].Type != "image/jpeg" {
		t.Errorf("%+v", got)
	}
	head, err := s.Base.Threads().Head(t.Context(), apitest.ThreadOf(from))
	if err != nil || head.Location == nil || head.Location.Lat != 35.3364 || head.Location.Lng != 33.3182 || head.Location.Address != "Old Harbour, Kyrenia" {
		t.Errorf("%v: location %+v", err, head.Location)
	}
}

// Somebody who hides their number is answered under the id that they have in its place.
func TestSenderWithoutANumber(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := fmt.Sprintf("US.%020d", apitest.Phones.Add(1))
	form := s.Twilio.Inbound(apitest.MessageSID(), id, "hello")
	form.Set("ExternalUserId", id)
	s.Webhook(t, inboundPath, form).Wants(t, http.StatusOK, nil)
	if got := s.Hears(t, id, 1); got[0].Body == "" {
		t.Errorf("%+v", got)
	}
	number := apitest.Phone()
	later := s.Twilio.Inbound(apitest.MessageSID(), number, "what can you do?")
	later.Set("ExternalUserId", id)
	s.Webhook(t, inboundPath, later).Wants(t, http.StatusOK, nil)
	s.Hears(t, number, 1)
	if got := s.lines(t, id); len(got) != 4 {
		t.Errorf("the number, once it is known, is another person: %+v", got)
	}
}
