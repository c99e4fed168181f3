package apitest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/thread"
)

// Phones counts the numbers that were given out.
var Phones atomic.Int32

// Phone returns a number that no other test has.
func Phone() string { return fmt.Sprintf("+1555%07d", 2_000_000+Phones.Add(1)) }

// MessageSID makes an id as Twilio gives messages.
func MessageSID() string { return "SM" + strings.Repeat("0", 15) + dynamotest.ID("")[1:] }

// Webhook sends a form as Twilio does.
func (s *Service) Webhook(t *testing.T, target string, form url.Values) Answer {
	t.Helper()
	return s.Call(t, "POST", target, form.Encode(),
		"Content-Type", "application/x-www-form-urlencoded; charset=UTF-8", "X-Twilio-Signature", s.Twilio.Sign(s.URL+target, form))
}

// Writes sends a message of a person on WhatsApp. Changes are names and values of parameters.
func (s *Service) Writes(t *testing.T, from, text string, changes ...string) {
	t.Helper()
	form := s.Twilio.Inbound(MessageSID(), from, text)
	for i := 0; i < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	a := s.Webhook(t, "/webhooks/whatsapp", form).Wants(t, http.StatusOK, nil)
	if string(a.Body) != `<?xml version="1.0" encoding="UTF-8"?><Response/>` {
		t.Errorf("answered with %s", a.Body)
	}
}

// Hears waits until a person has got n messages on WhatsApp.
func (s *Service) Hears(t *testing.T, to string, n int) []twiliotest.Message {
	t.Helper()
	var got []twiliotest.Message
	pausetest.Until(t, fmt.Sprintf("message %d to somebody", n), func() bool {
		got = nil
		for _, m := range s.Twilio.Messages() {
			if m.To == to {
				got = append(got, m)
			}
		}
		return len(got) >= n
	})
	return got
}

// ThreadOf returns the thread of a person on WhatsApp.
func ThreadOf(from string) string {
	return thread.ID("demo", "general", "", "person:whatsapp:"+from)
}

// Reads reads from the admin API as staff.
func (s *Service) Reads(t *testing.T, target string, out any) {
	t.Helper()
	s.Call(t, "GET", "/admin/api/"+target, nil, Staff()...).Wants(t, http.StatusOK, out)
}
