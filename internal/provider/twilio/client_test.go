package twilio_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
)

const (
	recipient = "+905325550142"
	recipID   = "TR.13491208655302741918"
	template  = "HX00000000000000000000000000000001"
	callback  = "https://merve.test/webhooks/whatsapp/status?id=m1"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func client(s *twiliotest.Server) *twilio.Client {
	return &twilio.Client{
		BaseURL: s.URL(), AccountSID: twiliotest.AccountSID, AuthToken: twiliotest.AuthToken, From: twiliotest.From,
		HTTP: s.Client(), Now: func() time.Time { return noon },
	}
}

func hello() twilio.Outbound { return twilio.Outbound{To: recipient, Body: "merhaba"} }

// sendError is the error of a send, which must have failed.
func sendError(t *testing.T, err error) *twilio.SendError {
	t.Helper()
	var failed *twilio.SendError
	if !errors.As(err, &failed) {
		t.Fatalf("error is %v, want a *twilio.SendError", err)
	}
	return failed
}

func TestSend(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ş", twilio.MaxBody)
	tests := []struct {
		name string
		out  twilio.Outbound
		want twiliotest.Message
	}{
		{"text", twilio.Outbound{To: recipient, Body: "merhaba & <b>👋</b>\n"}, twiliotest.Message{To: recipient, Body: "merhaba & <b>👋</b>\n"}},
		{"address with its channel", twilio.Outbound{To: "whatsapp:" + recipient, Body: "x"}, twiliotest.Message{To: recipient, Body: "x"}},
		{"business-scoped id, to the letter", twilio.Outbound{To: recipID, Body: "x"}, twiliotest.Message{To: recipID, Body: "x"}},
		{"longest text", twilio.Outbound{To: recipient, Body: long}, twiliotest.Message{To: recipient, Body: long}},
		{"callback", twilio.Outbound{To: recipient, Body: "x", StatusCallback: callback}, twiliotest.Message{To: recipient, Body: "x", StatusCallback: callback}},
		{"media", twilio.Outbound{To: recipient, MediaURLs: []string{"https://merve.test/a.jpg"}},
			twiliotest.Message{To: recipient, MediaURLs: []string{"https://merve.test/a.jpg"}}},
		{"template", twilio.Outbound{To: recipient, ContentSID: template, ContentVariables: map[string]string{"1": "Deniz & \"co\"", "2": "20:00"}},
			twiliotest.Message{To: recipient, Body: "Deniz & \"co\": 20:00", ContentSID: template, Variables: map[string]string{"1": "Deniz & \"co\"", "2": "20:00"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := twiliotest.New(t, twiliotest.Config{Templates: map[string]string{template: "{{1}}: {{2}}"}, Now: func() time.Time { return noon }})
			sid, err := client(s).Send(t.Context(), tt.out)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.SID, tt.want.From, tt.want.Status, tt.want.Created = sid, twiliotest.From, "queued", noon
			if diff := cmp.Diff([]twiliotest.Message{tt.want}, s.Messages()); diff != "" || len(sid) != 34 {
				t.Errorf("sid %q, taken (-want +got):\n%s", sid, diff)
			}
		})
	}
}

// What a message has not is not sent, not even as nothing.
func TestSendLeavesOut(t *testing.T) {
	t.Parallel()
	from, to := []string{"whatsapp:" + twiliotest.From}, []string{"whatsapp:" + recipient}
	for name, tt := range map[string]struct {
		out  twilio.Outbound
		want url.Values
	}{
		"a text":                        {hello(), url.Values{"From": from, "To": to, "Body": {"merhaba"}}},
		"a template without parameters": {twilio.Outbound{To: recipient, ContentSID: template}, url.Values{"From": from, "To": to, "ContentSid": {template}}},
	} {
		var got url.Values
		c := twilio.Client{AccountSID: "AC1", AuthToken: "x", From: twiliotest.From, HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			err := r.ParseForm()
			got = r.PostForm
			w := httptest.NewRecorder()
			fmt.Fprint(w, `{"sid":"SM1"}`)
			return w.Result(), err
		})}}
		_, err := c.Send(t.Context(), tt.out)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// What Twilio would refuse costs no request.
func TestSendChecksBeforeAsking(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{})
	tests := []struct {
		name string
		out  twilio.Outbound
		code int
	}{
		{"no recipient", twilio.Outbound{Body: "x"}, 21604},
		{"number without plus", twilio.Outbound{To: "905325550142", Body: "x"}, 21211},
		{"number with spaces", twilio.Outbound{To: "+90 532 555 01 42", Body: "x"}, 21211},
		{"number too long", twilio.Outbound{To: "+1234567890123456", Body: "x"}, 21211},
		{"channel only", twilio.Outbound{To: "whatsapp:", Body: "x"}, 21211},
		{"another channel", twilio.Outbound{To: "messenger:1", Body: "x"}, 21211},
		{"nothing to say", twilio.Outbound{To: recipient}, 21602},
		{"too long by one", twilio.Outbound{To: recipient, Body: strings.Repeat("ş", twilio.MaxBody+1)}, 21617},
		{"text and template", twilio.Outbound{To: recipient, Body: "x", ContentSID: template}, 0},
		{"media and template", twilio.Outbound{To: recipient, MediaURLs: []string{"https://merve.test/a"}, ContentSID: template}, 0},
		{"parameters without template", twilio.Outbound{To: recipient, Body: "x", ContentVariables: map[string]string{"1": "a"}}, 21654},
		{"media without address", twilio.Outbound{To: recipient, MediaURLs: []string{"/a.jpg"}}, 21620},
		{"too much media", twilio.Outbound{To: recipient, MediaURLs: slices.Repeat([]string{"https://merve.test/a"}, 11)}, 21623},
		{"callback without address", twilio.Outbound{To: recipient, Body: "x", StatusCallback: "/status"}, 21609},
	}
	for _, tt := range tests {
		_, err := client(s).Send(t.Context(), tt.out)
		if failed := sendError(t, err); failed.Outcome != twilio.Permanent || failed.Code != tt.code || failed.Message == "" {
			t.Errorf("%s: %v, want permanent with code %d", tt.name, err, tt.code)
		}
	}
	if n := s.Requests(); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}

// A parameter of a template that is empty is refused here: Twilio would take the message
// and let it fail later, or refuse it.
func TestField11_TemplateParameters(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{Templates: map[string]string{template: "{{1}}: {{2}}"}})
	for _, empty := range []string{"", " ", "\n"} {
		_, err := client(s).Send(t.Context(), twilio.Outbound{To: recipient, ContentSID: template, ContentVariables: map[string]string{"1": "a", "2": empty}})
		if failed := sendError(t, err); failed.Code != 21656 || failed.Outcome != twilio.Permanent {
			t.Errorf("parameter %q: %v", empty, err)
		}
	}
	if n := s.Requests(); n != 0 {
		t.Errorf("%d requests for empty parameters, want none", n)
	}
	for name, tt := range map[string]struct {
		out  twilio.Outbound
		code int
	}{
		"a parameter is missing": {twilio.Outbound{To: recipient, ContentSID: template, ContentVariables: map[string]string{"1": "a"}}, 21656},
		"no such template":       {twilio.Outbound{To: recipient, ContentSID: "HX00000000000000000000000000000002"}, 21655},
	} {
		_, err := client(s).Send(t.Context(), tt.out)
		if failed := sendError(t, err); failed.Code != tt.code || failed.Outcome != twilio.Permanent {
			t.Errorf("%s: %v, want permanent with code %d", name, err, tt.code)
		}
	}
	s.FailSends(twiliotest.Refusal(twilio.CodeOutsideWindow))
	_, err := client(s).Send(t.Context(), hello())
	if failed := sendError(t, err); failed.Outcome != twilio.Permanent || !strings.Contains(failed.Reason(), "template") {
		t.Errorf("outside the window: %v", err)
	}
}

// Every answer that is not a message, and what it means for sending again.
func TestSendOutcomes(t *testing.T) {
	t.Parallel()
	const p, r, u = twilio.Permanent, twilio.Retry, twilio.Unclear
	type want struct {
		Outcome twilio.Outcome
		After   time.Duration
		Alert   bool
	}
	refused := func(status, code int) twiliotest.Fault { return twiliotest.Fault{Status: status, Code: code} }
	after := func(f twiliotest.Fault, d time.Duration) twiliotest.Fault { f.RetryAfter = d; return f }
	tests := []struct {
		name  string
		fault twiliotest.Fault
		want  want
	}{
		{"authentication", refused(401, 20003), want{p, 0, true}},
		{"forbidden", refused(403, 0), want{p, 0, true}},
		{"no such account", refused(404, 20404), want{p, 0, true}},
		{"invalid recipient", refused(400, 21211), want{p, 0, false}},
		{"not a mobile number", refused(400, 21614), want{p, 0, false}},
		{"region", refused(403, 21408), want{p, 0, true}},
		{"opted out", refused(400, 21610), want{p, 0, false}},
		{"not on WhatsApp", refused(400, 63003), want{p, 0, false}},
		{"against policy", refused(400, 63013), want{p, 0, false}},
		{"outside the window", refused(400, 63016), want{p, 0, false}},
		{"no such sender", refused(400, 63007), want{p, 0, true}},
		{"invalid WhatsApp recipient", refused(400, 63024), want{p, 0, false}},
		{"WhatsApp does not deliver", refused(400, 63032), want{p, 0, false}},
		{"sender locked", refused(400, 63051), want{p, 0, true}},
		{"unknown code", refused(400, 29999), want{p, 0, false}},
		{"page of a proxy", refused(400, 0), want{p, 0, false}},
		{"redirect", refused(307, 0), want{p, 0, true}},

		{"too many requests", twiliotest.TooMany(0), want{r, 0, false}},
		{"too many requests, wait", twiliotest.TooMany(7 * time.Second), want{r, 7 * time.Second, false}},
		{"too many requests, says a proxy", after(refused(429, 0), 2*time.Second), want{r, 2 * time.Second, false}},
		{"too many requests, odd code", refused(429, 21211), want{r, 0, false}},
		{"a wait without end", after(refused(429, 20429), 1e6*time.Hour), want{r, 24 * time.Hour, false}},
		{"channel's rate", refused(400, 63018), want{r, 0, false}},
		{"loop of messages", refused(400, 14107), want{r, 30 * time.Second, false}},
		{"queue full", refused(400, 21611), want{r, 0, false}},
		{"Twilio is away", refused(503, 20503), want{r, 0, false}},
		{"a gateway turns away", after(refused(503, 0), time.Second), want{r, time.Second, false}},

		{"server error", twiliotest.Broken(false), want{u, 0, false}},
		{"server error, taken", twiliotest.Broken(true), want{u, 0, false}},
		{"server error with a code for the request", refused(500, 21211), want{u, 0, false}},
		{"bad gateway", refused(502, 0), want{u, 0, false}},
		{"unavailable, says somebody", refused(503, 0), want{u, 0, false}},
		{"gateway time-out", refused(504, 0), want{u, 0, false}},
		{"request time-out", refused(408, 0), want{u, 0, false}},
		{"connection broken, nothing taken", twiliotest.Before(), want{u, 0, false}},
		{"connection broken, taken", twiliotest.After(), want{u, 0, false}},
		{"answer broken", twiliotest.Fault{Taken: true, Cut: true}, want{u, 0, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := twiliotest.New(t, twiliotest.Config{})
			s.FailSends(tt.fault)
			_, err := client(s).Send(t.Context(), hello())
			failed := sendError(t, err)
			got := want{failed.Outcome, failed.RetryAfter, failed.Alert}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if failed.Code != tt.fault.Code || !tt.fault.Drop && !tt.fault.Cut && failed.Status != tt.fault.Status {
				t.Errorf("status %d code %d, want %d, %d", failed.Status, failed.Code, tt.fault.Status, tt.fault.Code)
			}
			if n := s.Requests(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

// An answer of Twilio's that is no message leaves open whether there is one.
func TestSendUnreadableAnswer(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{}", "null", "[]", `{"sid":""}`, `{"sid":7}`, "<html>", `{"sid":"SM1"`} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, body)
		}))
		c := twilio.Client{BaseURL: s.URL, AccountSID: "AC1", AuthToken: "x", From: twiliotest.From, HTTP: s.Client()}
		_, err := c.Send(t.Context(), hello())
		if failed := sendError(t, err); failed.Outcome != twilio.Unclear {
			t.Errorf("answer %q: %v, want unclear", body, err)
		}
		s.Close()
	}
}

func TestRetryAfterAsDate(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		noon.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		noon.Add(-time.Hour).Format(http.TimeFormat):       0,
		noon.AddDate(1, 0, 0).Format(http.TimeFormat):      24 * time.Hour,
		"-5":   0,
		"soon": 0,
		"":     0,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", value)
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		c := twilio.Client{BaseURL: s.URL, AccountSID: "AC1", AuthToken: "x", From: twiliotest.From, HTTP: s.Client(), Now: func() time.Time { return noon }}
		_, err := c.Send(t.Context(), hello())
		if failed := sendError(t, err); failed.Outcome != twilio.Retry || failed.RetryAfter != want {
			t.Errorf("Retry-After %q: wait %v, want %v", value, failed.RetryAfter, want)
		}
		s.Close()
	}
}

// Nothing left this machine, so the message may go again.
func TestField09_NothingSent(t *testing.T) {
	t.Parallel()
	closed := twiliotest.Start(twiliotest.Config{})
	nobody := client(closed)
	closed.Close()
	nobody.HTTP = &http.Client{Transport: &http.Transport{}}

	unknown := client(closed)
	unknown.HTTP = &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "api.twilio.test", IsNotFound: true}
	}}}

	slow := client(closed)
	slow.Timeout = 10 * time.Millisecond
	slow.HTTP = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}}

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, try := range map[string]struct {
		c   *twilio.Client
		ctx context.Context
	}{
		"nobody listens":         {nobody, t.Context()},
		"no such host":           {unknown, t.Context()},
		"no connection in time":  {slow, t.Context()},
		"caller has given up":    {nobody, gone},
		"no time left to ask in": {nobody, gone},
	} {
		_, err := try.c.Send(try.ctx, hello())
		if failed := sendError(t, err); failed.Outcome != twilio.Retry || failed.Err == nil {
			t.Errorf("%s: %v, want retry", name, err)
		}
	}
}

// A time-out after the request was written says nothing on what became of it.
func TestField09_TimeOut(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{})
	s.FailSends(twiliotest.Slow(nil))
	c := client(s)
	c.Timeout = 500 * time.Millisecond // long enough to connect on a busy machine
	_, err := c.Send(t.Context(), hello())
	if failed := sendError(t, err); failed.Outcome != twilio.Unclear || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want unclear for the deadline", err)
	}
	if n := len(s.Messages()); n != 1 {
		t.Errorf("%d messages taken, want 1", n)
	}
}

// A transport that tells nothing of what it wrote may have written all of it.
func TestField09_TransportThatDoesNotTell(t *testing.T) {
	t.Parallel()
	c := twilio.Client{AccountSID: "AC1", AuthToken: "x", From: twiliotest.From, HTTP: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("broken")
	})}}
	_, err := c.Send(t.Context(), hello())
	if failed := sendError(t, err); failed.Outcome != twilio.Unclear {
		t.Errorf("%v, want unclear", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A kept connection that breaks is not used to send the message again behind our back.
func TestField09_KeptConnectionBreaks(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{})
	c := client(s)
	if _, err := c.Send(t.Context(), hello()); err != nil {
		t.Fatal(err)
	}
	s.FailSends(twiliotest.After())
	_, err := c.Send(t.Context(), hello())
	if failed := sendError(t, err); failed.Outcome != twilio.Unclear {
		t.Errorf("%v, want unclear", err)
	}
	if got, asked := len(s.Messages()), s.Requests(); got != 2 || asked != 2 {
		t.Errorf("%d messages of %d requests, want 2 of 2", got, asked)
	}
}

// A send with an unclear end is settled by asking, and the message goes out once,
// whether the break was before Twilio took it or after.
func TestField09_SettledByAsking(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]twiliotest.Fault{
		"broken before":       twiliotest.Before(),
		"broken after":        twiliotest.After(),
		"answer broken":       {Taken: true, Cut: true},
		"server error before": twiliotest.Broken(false),
		"server error after":  twiliotest.Broken(true),
		"gateway time-out":    {Taken: true, Status: 504},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := &clock{now: noon}
			s := twiliotest.New(t, twiliotest.Config{Now: now.Now})
			c := client(s)
			if _, err := c.Send(t.Context(), hello()); err != nil { // the same text, earlier, is another message
				t.Fatal(err)
			}
			now.Forward(time.Minute)
			start := now.Now()
			s.FailSends(fault)
			_, err := c.Send(t.Context(), hello())
			if failed := sendError(t, err); failed.Outcome != twilio.Unclear {
				t.Fatalf("%v, want unclear", err)
			}
			found, err := c.Find(t.Context(), twilio.Query{To: recipient, Since: start.Add(-10 * time.Second), Body: "merhaba"})
			if err != nil {
				t.Fatal(err)
			}
			if fault.Taken != (len(found) == 1) || len(found) > 1 {
				t.Fatalf("found %+v, want it to be there: %v", found, fault.Taken)
			}
			if len(found) == 0 {
				if _, err := c.Send(t.Context(), hello()); err != nil {
					t.Fatal(err)
				}
			}
			messages := s.Messages()
			if len(messages) != 2 {
				t.Fatalf("%d messages at Twilio, want 2", len(messages))
			}
			if len(found) == 1 && found[0].SID != messages[1].SID {
				t.Errorf("found %s, want %s", found[0].SID, messages[1].SID)
			}
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	now := &clock{now: noon}
	s := twiliotest.New(t, twiliotest.Config{Now: now.Now})
	c := client(s)
	var sids []string
	for _, out := range []twilio.Outbound{
		{To: recipient, Body: "one"}, {To: "+905325550143", Body: "one"}, {To: recipient, Body: "two "}, {To: recipID, Body: "one"}, {To: recipient, Body: "one"},
	} {
		out.StatusCallback = callback
		sid, err := c.Send(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		sids = append(sids, sid)
		now.Forward(1500 * time.Millisecond)
	}
	at := func(n int) time.Time {
		return noon.Add(time.Duration(n) * 1500 * time.Millisecond).Truncate(time.Second)
	}
	zero, two, four := found(sids[0], "one", at(0)), found(sids[2], "two ", at(2)), found(sids[4], "one", at(4))
	tests := []struct {
		name  string
		query twilio.Query
		want  []twilio.Found
	}{
		{"all, newest first", twilio.Query{To: recipient, Since: noon}, []twilio.Found{four, two, zero}},
		{"with its channel", twilio.Query{To: "whatsapp:" + recipient, Since: noon}, []twilio.Found{four, two, zero}},
		{"by text", twilio.Query{To: recipient, Since: noon, Body: "one"}, []twilio.Found{four, zero}},
		{"space around a text", twilio.Query{To: recipient, Since: noon, Body: "two\n"}, []twilio.Found{two}},
		{"since the same second", twilio.Query{To: recipient, Since: at(4).Add(900 * time.Millisecond)}, []twilio.Found{four}},
		{"since the next", twilio.Query{To: recipient, Since: at(4).Add(time.Second)}, nil},
		{"by a business-scoped id", twilio.Query{To: recipID, Since: noon}, []twilio.Found{found(sids[3], "one", at(3))}},
		{"nobody", twilio.Query{To: "+905325550199", Since: noon}, nil},
		{"no text like it", twilio.Query{To: recipient, Since: noon, Body: "onee"}, nil},
	}
	for _, tt := range tests {
		got, err := c.Find(t.Context(), tt.query)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func found(sid, body string, at time.Time) twilio.Found {
	return twilio.Found{SID: sid, Body: body, State: "queued", DateCreated: at}
}

// A busy recipient's list has several pages; one that does not end is no answer.
func TestFindPages(t *testing.T) {
	t.Parallel()
	now := &clock{now: noon}
	s := twiliotest.New(t, twiliotest.Config{MaxPage: 4, Now: now.Now})
	c := client(s)
	send := func(n int) (last string) {
		for range n {
			sid, err := c.Send(t.Context(), hello())
			if err != nil {
				t.Fatal(err)
			}
			last = sid
			now.Forward(time.Second)
		}
		return last
	}
	find := func(since time.Time) (found []twilio.Found, requests int, err error) {
		before := s.Requests()
		found, err = c.Find(t.Context(), twilio.Query{To: recipient, Since: since})
		return found, s.Requests() - before, err
	}
	first := send(1)
	send(19)
	got, asked, err := find(noon)
	if err != nil || len(got) != 20 || got[19].SID != first || asked != 5 {
		t.Fatalf("%d found in %d requests, %v, want 20 down to %s in 5", len(got), asked, err, first)
	}
	if got, asked, err = find(now.Now().Add(-6 * time.Second)); err != nil || len(got) != 6 || asked != 3 {
		t.Errorf("%d found in %d requests, %v, want 6 in 3", len(got), asked, err)
	}
	send(1)
	if got, _, err := find(noon); err == nil {
		t.Errorf("%d found: a list with more pages than are read was taken for all of it", len(got))
	}
}

// An answer that may be incomplete is an error: "not found" lets a message go again.
func TestFindFails(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]twiliotest.Fault{
		"connection broken": twiliotest.Before(),
		"answer broken":     {Cut: true},
		"server error":      twiliotest.Broken(false),
		"too many requests": twiliotest.TooMany(time.Second),
		"key is wrong":      {Status: 401, Code: 20003},
		"redirect":          {Status: 302},
		"no answer":         twiliotest.Slow(nil),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := twiliotest.New(t, twiliotest.Config{})
			s.FailLists(fault)
			c := client(s)
			c.Timeout = time.Second
			if fault.Until != nil {
				c.Timeout = 30 * time.Millisecond
			}
			got, err := c.Find(t.Context(), twilio.Query{To: recipient, Since: noon})
			if err == nil || got != nil {
				t.Errorf("%v, %v, want an error", got, err)
			}
		})
	}
	s := twiliotest.New(t, twiliotest.Config{})
	for _, to := range []string{"", "905325550142"} {
		if _, err := client(s).Find(t.Context(), twilio.Query{To: to}); err == nil {
			t.Errorf("asked for messages to %q", to)
		}
	}
}

func TestFindStrangeLists(t *testing.T) {
	t.Parallel()
	message := func(change map[string]any) map[string]any {
		m := map[string]any{"sid": "SM1", "body": "x", "from": "whatsapp:" + twiliotest.From, "status": "sent", "direction": "outbound-api", "date_created": noon.Format(time.RFC1123Z)}
		for name, v := range change {
			m[name] = v
		}
		return m
	}
	page := func(messages ...map[string]any) map[string]any { return map[string]any{"messages": messages} }
	const fail = -1
	tests := []struct {
		name string
		list any
		want int
	}{
		{"as it should be", page(message(nil)), 1},
		{"nothing", map[string]any{"messages": []any{}, "next_page_uri": nil}, 0},
		{"waiting in the queue", page(message(map[string]any{"status": "queued", "date_sent": nil})), 1},
		{"a status of later days", page(message(map[string]any{"status": "pondering"})), 1},
		{"failed", page(message(map[string]any{"status": "failed", "error_code": 63016})), 1},
		{"no date: it may be ours", page(message(map[string]any{"date_created": nil})), 1},
		{"somebody else's sender", page(message(map[string]any{"from": "whatsapp:+15005550001"})), 0},
		{"one that came in", page(message(map[string]any{"direction": "inbound", "status": "received"})), 0},
		{"date of another kind", page(message(map[string]any{"date_created": "yesterday"})), fail},
		{"no sid", page(message(map[string]any{"sid": nil})), fail},
		{"no messages", map[string]any{}, fail},
		{"no list", "x", fail},
		{"the same page for ever", map[string]any{"messages": []any{message(nil)}, "next_page_uri": "/2010-04-01/Accounts/AC1/Messages.json"}, fail},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if err := json.NewEncoder(w).Encode(tt.list); err != nil {
					t.Error(err)
				}
			}))
			defer s.Close()
			c := twilio.Client{BaseURL: s.URL, AccountSID: "AC1", AuthToken: "x", From: twiliotest.From, HTTP: s.Client()}
			got, err := c.Find(t.Context(), twilio.Query{To: recipient, Since: noon})
			if tt.want == fail {
				if err == nil {
					t.Errorf("found %+v, want an error", got)
				}
				return
			}
			if err != nil || len(got) != tt.want {
				t.Errorf("found %+v, %v, want %d", got, err, tt.want)
			}
		})
	}
}

// A list counts only with the status of one.
func TestFindWantsSuccess(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusAccepted, http.StatusPartialContent, http.StatusInternalServerError} {
		c := twilio.Client{AccountSID: "AC1", AuthToken: "x", From: twiliotest.From, HTTP: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			w.WriteHeader(status)
			fmt.Fprint(w, `{"messages":[]}`)
			return w.Result(), nil
		})}}
		if got, err := c.Find(t.Context(), twilio.Query{To: recipient}); err == nil {
			t.Errorf("HTTP %d: %v, want an error", status, got)
		}
	}
}

// The key goes to nobody whom a list names as its next page.
func TestFindStaysAtTwilio(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"@evil.test/2010-04-01/Accounts/", ".evil.test/", "//evil.test/2010-04-01/Accounts/", "https://evil.test/", "Messages.json"} {
		asked := 0
		c := twilio.Client{AccountSID: "AC1", AuthToken: "x", From: twiliotest.From, HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked++
			w := httptest.NewRecorder()
			fmt.Fprintf(w, `{"messages":[],"next_page_uri":%q}`, next)
			return w.Result(), nil
		})}}
		if got, err := c.Find(t.Context(), twilio.Query{To: recipient}); err == nil || asked != 1 {
			t.Errorf("next page %q: %v, %v after %d requests, want an error after 1", next, got, err, asked)
		}
	}
}

func TestNotConfigured(t *testing.T) {
	t.Parallel()
	full := twilio.Client{AccountSID: "AC1", AuthToken: "x", From: twiliotest.From, HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		t.Errorf("%s was asked", r.URL)
		return nil, errors.New("nobody is to be asked")
	})}}
	for name, take := range map[string]func(*twilio.Client){
		"TWILIO_ACCOUNT_SID":   func(c *twilio.Client) { c.AccountSID = "" },
		"TWILIO_AUTH_TOKEN":    func(c *twilio.Client) { c.AuthToken = "" },
		"TWILIO_WHATSAPP_FROM": func(c *twilio.Client) { c.From = "" },
		"TWILIO_BASE_URL":      func(c *twilio.Client) { c.BaseURL = "api.twilio.com" },
	} {
		c := full
		take(&c)
		_, err := c.Send(t.Context(), hello())
		if failed := sendError(t, err); failed.Outcome != twilio.Permanent || !failed.Alert || !strings.Contains(failed.Message, name) {
			t.Errorf("without %s: %v", name, err)
		}
		if _, err := c.Find(t.Context(), twilio.Query{To: recipient}); err == nil {
			t.Errorf("without %s: found", name)
		}
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	for want, failed := range map[string]twilio.SendError{
		"no connection": {Message: "no connection"},
		"63014: the recipient has blocked the sender": {Code: 63014, Message: "the recipient has blocked the sender"},
	} {
		if got := failed.Reason(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Errors go to logs: nothing of the message, the recipient or the key may be in them.
func TestErrorsHoldNothingPersonal(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{})
	closed := twiliotest.Start(twiliotest.Config{})
	closed.Close()
	var errs []error
	ask := func(c *twilio.Client) {
		_, err := c.Send(t.Context(), twilio.Outbound{To: recipient, Body: "secret words"})
		errs = append(errs, err)
		_, err = c.Find(t.Context(), twilio.Query{To: recipient, Since: noon, Body: "secret words"})
		errs = append(errs, err)
	}
	for _, fault := range []twiliotest.Fault{twiliotest.Before(), twiliotest.Refusal(21211), twiliotest.Broken(false), {Cut: true}} {
		s.FailSends(fault)
		s.FailLists(fault)
		ask(client(s))
	}
	ask(client(closed))
	odd := client(s)
	odd.BaseURL = "http://[::1]:namedport"
	ask(odd)
	for _, err := range errs {
		for _, secret := range []string{recipient, recipient[1:], url.QueryEscape(recipient), "secret", twiliotest.AuthToken} {
			if err == nil || strings.Contains(err.Error(), secret) {
				t.Errorf("error %v, want one without %q", err, secret)
			}
		}
	}
}

// Redirects would carry key and message elsewhere.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := twiliotest.New(t, twiliotest.Config{})
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL()+r.URL.Path, status)
		}))
		c := client(elsewhere)
		c.BaseURL = s.URL
		_, err := c.Send(t.Context(), hello())
		if failed := sendError(t, err); failed.Outcome != twilio.Permanent || !failed.Alert {
			t.Errorf("%d: %v", status, err)
		}
		s.Close()
	}
	if n := elsewhere.Requests(); n != 0 {
		t.Errorf("%d requests followed a redirect", n)
	}
}

// Many senders share a client.
func TestSendConcurrently(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{})
	c := client(s)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := c.Send(t.Context(), hello()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	sids := map[string]bool{}
	for _, m := range s.Messages() {
		sids[m.SID] = true
	}
	if len(sids) != 20 {
		t.Errorf("%d messages, want 20", len(sids))
	}
}

// FuzzAnswer feeds whatever may stand at Twilio's address to both calls: the outcome
// is a SID, a list, or an error with a meaning.
func FuzzAnswer(f *testing.F) {
	f.Add(201, `{"sid":"SM1"}`, "")
	f.Add(558, "", "")
	f.Add(400, `{"code":63016,"message":"x","status":400}`, "")
	f.Add(429, `{"code":20429}`, "99999999999999999999")
	f.Add(503, "<html>", "Sat, 21 Nov 2026 12:00:01 GMT")
	f.Add(200, `{"messages":[{"sid":"SM1","date_created":"Sat, 21 Nov 2026 12:00:00 +0000","error_code":null}],"next_page_uri":null}`, "")
	f.Add(200, `{"messages":[],"next_page_uri":"/2010-04-01/Accounts/ %zz"}`, "")
	f.Fuzz(func(t *testing.T, status int, body, retryAfter string) {
		if status < 200 || status > 599 {
			return
		}
		c := twilio.Client{AccountSID: "AC1", AuthToken: "x", From: twiliotest.From, Now: func() time.Time { return noon },
			HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {retryAfter}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
			})}}
		if sid, err := c.Send(t.Context(), hello()); (sid == "") != (err != nil) {
			t.Errorf("sid %q, %v", sid, err)
		} else if err != nil {
			failed := sendError(t, err)
			if failed.RetryAfter < 0 || failed.RetryAfter > 24*time.Hour || failed.Reason() == "" {
				t.Errorf("%+v", failed)
			}
			if status < 300 && failed.Outcome != twilio.Unclear || status >= 500 && failed.Outcome == twilio.Permanent {
				t.Errorf("HTTP %d is %s", status, failed.Outcome)
			}
		}
		if found, err := c.Find(t.Context(), twilio.Query{To: recipient, Since: noon}); err != nil && found != nil {
			t.Errorf("%v beside %v", found, err)
		}
	})
}
