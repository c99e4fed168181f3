package twilio_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/outbox"
)

func provider(s *twiliotest.Server) *twilio.Provider {
	return &twilio.Provider{
		Client: &twilio.Client{BaseURL: s.URL(), AccountSID: twiliotest.AccountSID, AuthToken: twiliotest.AuthToken,
			From: twiliotest.From, HTTP: s.Client()},
		StatusURL: func(m outbox.Message) string { return "https://merve.test/webhooks/whatsapp/status?id=" + m.ID },
	}
}

func text(to, body string) outbox.Message { return outbox.Message{ID: "m1", To: to, Text: body} }

func TestProviderSends(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{})
	p := provider(s)
	template := outbox.Message{ID: "m2", To: userID, Text: "not sent beside a template",
		Template: &outbox.Template{ContentSID: "HX00000000000000000000000000000001", Vars: map[string]string{"1": "Deniz"}}}
	for _, m := range []outbox.Message{text(person, "merhaba 👋"), template} {
		id, err := p.Send(t.Context(), m)
		if err != nil || !strings.HasPrefix(id, "SM") {
			t.Fatalf("Send = %q, %v", id, err)
		}
	}
	type sent struct{ To, Body, Content, Var, Callback string }
	var got []sent
	for _, m := range s.Messages() {
		got = append(got, sent{m.To, m.Body, m.ContentSID, m.Variables["1"], m.StatusCallback})
	}
	want := []sent{
		{person, "merhaba 👋", "", "", "https://merve.test/webhooks/whatsapp/status?id=m1"},
		{userID, "Deniz", "HX00000000000000000000000000000001", "Deniz", "https://merve.test/webhooks/whatsapp/status?id=m2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each way in which a send can fail tells the outbox whether it may send again.
func TestField09_Outcomes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault twiliotest.Fault
		want  outbox.Outcome
		after time.Duration
		taken int
	}{
		{"broken before it was taken", twiliotest.Before(), outbox.Unclear, 0, 0},
		{"broken after it was taken", twiliotest.After(), outbox.Unclear, 0, 1},
		{"broken within the answer", twiliotest.Fault{Taken: true, Cut: true}, outbox.Unclear, 0, 1},
		{"500, not taken", twiliotest.Broken(false), outbox.Unclear, 0, 0},
		{"500, taken", twiliotest.Broken(true), outbox.Unclear, 0, 1},
		{"too many", twiliotest.TooMany(7 * time.Second), outbox.Retry, 7 * time.Second, 0},
		{"away", twiliotest.Fault{Status: http.StatusServiceUnavailable, Code: 20503}, outbox.Retry, 0, 0},
		{"opted out", twiliotest.Refusal(twilio.CodeOptedOut), outbox.Permanent, 0, 0},
		{"outside the window", twiliotest.Refusal(twilio.CodeOutsideWindow), outbox.Permanent, 0, 0},
		{"sender's limit", twiliotest.Refusal(63018), outbox.Retry, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := twiliotest.New(t, twiliotest.Config{})
			s.FailSends(tt.fault)
			_, err := provider(s).Send(t.Context(), text(person, "very private words"))
			var failed *outbox.SendError
			if !errors.As(err, &failed) {
				t.Fatalf("Send = %v, want an *outbox.SendError", err)
			}
			if failed.Outcome != tt.want || failed.After != tt.after || len(s.Messages()) != tt.taken || s.Requests() != 1 {
				t.Errorf("%v, after %s, %d taken, %d requests", failed, failed.After, len(s.Messages()), s.Requests())
			}
			keepsQuiet(t, failed)
		})
	}
}

func TestField09_NobodyThere(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	p := &twilio.Provider{Client: &twilio.Client{BaseURL: "http://" + l.Addr().String(), AccountSID: twiliotest.AccountSID,
		AuthToken: twiliotest.AuthToken, From: twiliotest.From}}
	_, err = p.Send(t.Context(), text(person, "very private words"))
	var failed *outbox.SendError
	if !errors.As(err, &failed) || failed.Outcome != outbox.Retry {
		t.Errorf("Send = %v, want retry", err)
	}
	_, err = p.Find(t.Context(), text(person, "very private words"), time.Now())
	keepsQuiet(t, err)
}

func TestField09_SlowIsUnclear(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{})
	s.FailSends(twiliotest.Slow(nil))
	p := provider(s)
	p.Client.Timeout = 200 * time.Millisecond
	_, err := p.Send(t.Context(), text(person, "merhaba"))
	var failed *outbox.SendError
	if !errors.As(err, &failed) || failed.Outcome != outbox.Unclear {
		t.Errorf("Send = %v, want unclear", err)
	}
}

// A send whose answer was lost is found, whatever came of the space around its text,
// and one that was not taken is not.
func TestField09_FindsWhatWasTaken(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{})
	p, since := provider(s), time.Now().Add(-10*time.Second)
	lost, never := text(person, " evet\n"), text(person, "hayır")
	s.FailSends(twiliotest.After(), twiliotest.Before())
	for _, m := range []outbox.Message{lost, never} {
		if _, err := p.Send(t.Context(), m); err == nil {
			t.Fatal("Send did not fail")
		}
	}
	found, err := p.Find(t.Context(), lost, since)
	want := []outbox.Found{{ProviderID: s.Messages()[0].SID, Text: lost.Text, Status: outbox.Queued}}
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Errorf("Find = %v (-want +got):\n%s", err, diff)
	}
	if found, err := p.Find(t.Context(), never, since); err != nil || len(found) != 0 {
		t.Errorf("Find = %v, %v, want nothing", found, err)
	}
	s.FailLists(twiliotest.Broken(false))
	if _, err := p.Find(t.Context(), lost, since); err == nil {
		t.Error("Find took an error for an empty list")
	} else {
		keepsQuiet(t, err)
	}
}

func TestProviderNoTime(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := provider(s).Send(ctx, text(person, "merhaba"))
	var failed *outbox.SendError
	if !errors.As(err, &failed) || failed.Outcome != outbox.Retry || s.Requests() != 0 {
		t.Errorf("Send = %v after %d requests, want retry without any", err, s.Requests())
	}
}

// keepsQuiet checks that an error, its causes included, can be logged.
func keepsQuiet(t *testing.T, err error) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		for _, secret := range []string{strings.TrimPrefix(person, "+"), "private words", twiliotest.AuthToken} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%q holds %q", err, secret)
			}
		}
	}
}
