package twiliotest

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Answer is what a webhook answered.
type Answer struct {
	Status int
	Body   string
}

// Sign returns the X-Twilio-Signature of form sent to address.
func (s *Server) Sign(address string, form url.Values) string {
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	sort.Strings(names)
	signed := address
	for _, name := range names {
		values := slices.Clone(form[name])
		sort.Strings(values)
		for _, value := range slices.Compact(values) {
			signed += name + value
		}
	}
	mac := hmac.New(sha1.New, []byte(s.config.AuthToken))
	io.WriteString(mac, signed)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Post calls a webhook as Twilio does: form sent to address, signed.
func (s *Server) Post(ctx context.Context, address string, form url.Values) (Answer, error) {
	return s.PostSigned(ctx, address, form, s.Sign(address, form))
}

// PostSigned is [Server.Post] with a signature of the caller's, such as one for the
// address that a gateway has.
func (s *Server) PostSigned(ctx context.Context, address string, form url.Values, signature string) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second) // Twilio's own
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return Answer{}, fmt.Errorf("webhook %s: %w", address, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
	req.Header.Set("User-Agent", "TwilioProxy/1.1")
	req.Header.Set("X-Twilio-Signature", signature)
	s.mu.Lock()
	s.posts++
	req.Header.Set("I-Twilio-Idempotency-Token", fmt.Sprintf("00000000-0000-4000-8000-%012x", s.posts)) // of this delivery
	s.mu.Unlock()
	resp, err := s.Client().Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("webhook %s: %w", address, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return Answer{}, fmt.Errorf("webhook %s: %w", address, err)
	}
	return Answer{Status: resp.StatusCode, Body: string(body)}, nil
}

// Inbound is the form of a text that from (E.164 or a business-scoped id) sends to the
// account's sender. Tests add what else they need.
func (s *Server) Inbound(sid, from, text string) url.Values {
	form := url.Values{
		"MessageSid": {sid}, "SmsMessageSid": {sid}, "SmsSid": {sid}, "AccountSid": {s.config.AccountSID},
		"From": {"whatsapp:" + from}, "To": {"whatsapp:" + s.config.From}, "Body": {text},
		"NumMedia": {"0"}, "NumSegments": {"1"}, "ReferralNumMedia": {"0"}, "SmsStatus": {"received"},
		"MessageType": {"text"}, "ProfileName": {"Test"}, "ApiVersion": {"2010-04-01"},
	}
	if digits, isPhone := strings.CutPrefix(from, "+"); isPhone {
		form.Set("WaId", digits)
	}
	return form
}

// Deliver reports a status of a message to the callback that was given with it, and
// keeps it as the message's. It may be called in any order and again. A message without
// a callback, and an answer that is not 2xx, are errors.
func (s *Server) Deliver(ctx context.Context, sid, status string) error {
	return s.DeliverError(ctx, sid, status, 0)
}

// DeliverError is [Server.Deliver] of a failure with one of Twilio's codes.
func (s *Server) DeliverError(ctx context.Context, sid, status string, code int) error {
	m, err := s.advance(sid, status, code)
	if err != nil {
		return err
	}
	if m.StatusCallback == "" {
		return fmt.Errorf("message %s has no status callback", sid)
	}
	answer, err := s.Post(ctx, m.StatusCallback, s.statusForm(m))
	if err != nil {
		return err
	}
	if answer.Status < 200 || answer.Status > 299 {
		return fmt.Errorf("status callback of %s was answered with %d: %s", sid, answer.Status, answer.Body)
	}
	return nil
}

// advance notes a status.
func (s *Server) advance(sid, status string, code int) (Message, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.messages {
		m := &s.messages[i]
		if m.SID != sid {
			continue
		}
		m.Status, m.ErrorCode = status, code
		if m.Sent.IsZero() && status != "queued" && status != "accepted" {
			m.Sent = s.config.Now().UTC()
		}
		return *m, nil
	}
	return Message{}, fmt.Errorf("no message %s", sid)
}

// statusForm is what Twilio sends to a status callback of a WhatsApp message.
// https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
func (s *Server) statusForm(m Message) url.Values {
	form := url.Values{
		"MessageSid": {m.SID}, "SmsSid": {m.SID}, "MessageStatus": {m.Status}, "SmsStatus": {m.Status},
		"AccountSid": {s.config.AccountSID}, "ApiVersion": {"2010-04-01"}, "ChannelPrefix": {"whatsapp"},
		"From": {"whatsapp:" + m.From}, "To": {"whatsapp:" + m.To}, "ChannelToAddress": {m.To},
	}
	if m.Status == "delivered" || m.Status == "read" {
		form.Set("EventType", strings.ToUpper(m.Status))
	}
	if m.ErrorCode != 0 {
		form.Set("ErrorCode", strconv.Itoa(m.ErrorCode))
		form.Set("ErrorMessage", "Twilio's words on "+m.To)
	}
	return form
}
