package meta_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/provider/meta"
	"merve/internal/provider/meta/metatest"
	"merve/internal/spine/outbox"
)

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

func client(s *metatest.Server) *meta.Client {
	return &meta.Client{BaseURL: s.URL(), Token: metatest.Token, Secret: metatest.AppSecret, HTTP: s.Client(), Now: func() time.Time { return noon }}
}

// sendError is the error of a send, which must have failed, and says nothing that is private.
func sendError(t *testing.T, err error) *meta.SendError {
	t.Helper()
	var failed *meta.SendError
	if !errors.As(err, &failed) {
		t.Fatalf("error is %v, want a *meta.SendError", err)
	}
	keepsQuiet(t, err)
	return failed
}

// keepsQuiet checks that an error can be logged.
func keepsQuiet(t *testing.T, err error) {
	t.Helper()
	for _, private := range []string{psid, metatest.Token, metatest.AppSecret, "very private words", "appsecret_proof"} {
		if strings.Contains(err.Error(), private) {
			t.Errorf("the error tells %q: %v", private, err)
		}
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{RequireProof: true})
	s.Heard(psid, "m_in", "hello")
	long := strings.Repeat("ş", meta.MaxText)
	replies := make([]meta.QuickReply, meta.MaxQuickReplies)
	for i := range replies {
		replies[i] = meta.QuickReply{Title: strings.Repeat("ş", meta.MaxQuickReplyTitle), Payload: strings.Repeat("ş", meta.MaxQuickReply)}
	}
	for _, m := range []meta.Outbound{
		{To: psid, Text: "merhaba & <b>👋</b>\n"},
		{To: psid, Text: long, QuickReplies: replies, Metadata: "th_1/turn00000001-0"},
		{To: psid, Text: "by a person", HumanAgent: true},
	} {
		mid, err := client(s).Send(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		want := metatest.Message{ID: mid, To: psid, Text: m.Text, Type: "RESPONSE", Metadata: m.Metadata, Created: noon}
		if m.HumanAgent {
			want.Type, want.Tag = "MESSAGE_TAG", "HUMAN_AGENT"
		}
		for _, q := range m.QuickReplies {
			want.QuickReplies = append(want.QuickReplies, metatest.QuickReply{Type: "text", Title: q.Title, Payload: q.Payload})
		}
		taken := s.Messages()
		if diff := cmp.Diff(want, taken[len(taken)-1]); diff != "" || !strings.HasPrefix(mid, "m_") {
			t.Errorf("id %q, taken (-want +got):\n%s", mid, diff)
		}
	}
}

// What Meta would refuse costs no request.
func TestSendChecksBeforeAsking(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	reply := func(title, payload string) meta.Outbound {
		return meta.Outbound{To: psid, Text: "x", QuickReplies: []meta.QuickReply{{Title: title, Payload: payload}}}
	}
	for name, m := range map[string]meta.Outbound{
		"no recipient":         {Text: "x"},
		"a recipient of words": {To: "some body", Text: "x"},
		"nothing to say":       {To: psid, Text: " \n"},
		"too long":             {To: psid, Text: strings.Repeat("ş", meta.MaxText+1)},
		"not UTF-8":            {To: psid, Text: "\xff"},
		"long metadata":        {To: psid, Text: "x", Metadata: strings.Repeat("x", 1001)},
		"many quick replies":   {To: psid, Text: "x", QuickReplies: slices.Repeat(reply("Yes", "p").QuickReplies, meta.MaxQuickReplies+1)},
		"no title":             reply("", "p"),
		"a long title":         reply(strings.Repeat("x", meta.MaxQuickReplyTitle+1), "p"),
		"no payload":           reply("Yes", ""),
		"a long payload":       reply("Yes", strings.Repeat("x", meta.MaxQuickReply+1)),
	} {
		_, err := client(s).Send(t.Context(), m)
		if failed := sendError(t, err); failed.Outcome != outbox.Permanent {
			t.Errorf("%s: %v", name, failed)
		}
	}
	without := client(s)
	without.Token = ""
	_, send := without.Send(t.Context(), meta.Outbound{To: psid, Text: "x"})
	_, find := without.Find(t.Context(), psid, noon)
	for name, err := range map[string]error{"send": send, "find": find, "typing": without.Typing(t.Context(), psid)} {
		if failed := sendError(t, err); !failed.Alert || !strings.Contains(failed.Message, "META_PAGE_ACCESS_TOKEN") {
			t.Errorf("%s without a token: %v", name, failed)
		}
	}
	if s.Requests() != 0 {
		t.Errorf("%d requests", s.Requests())
	}
}

// Each of Meta's codes says whether the message may go again.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	const permanent, retry, unclear = outbox.Permanent, outbox.Retry, outbox.Unclear
	refusal := metatest.Refusal
	for _, tt := range []struct {
		name  string
		fault metatest.Fault
		want  outbox.Outcome
		after time.Duration
		alert bool
		taken int
	}{
		{"broken before it was taken", metatest.Before(), unclear, 0, false, 0},
		{"broken after it was taken", metatest.After(), unclear, 0, false, 1},
		{"broken within the answer", metatest.Fault{Taken: true, Cut: true}, unclear, 0, false, 1},
		{"Meta failed", metatest.Broken(false), unclear, 0, false, 0},
		{"Meta failed, and took it", metatest.Broken(true), unclear, 0, false, 1},
		{"taken, but the answer is an error", metatest.Fault{Taken: true, Status: 400, Code: 1, Subcode: 1357046}, unclear, 0, false, 1},
		{"a gateway failed", metatest.Fault{Status: 502}, unclear, 0, false, 0},
		{"a gateway is away", metatest.Fault{Status: 503, RetryAfter: time.Second}, unclear, 0, false, 0},
		{"a gateway gave up", metatest.Fault{Status: 504, Taken: true}, unclear, 0, false, 1},
		{"a gateway says too many", metatest.Fault{Status: 429, RetryAfter: 7 * time.Second}, retry, 7 * time.Second, false, 0},
		{"too many of the app", refusal(4, 0), retry, 5 * time.Minute, false, 0},
		{"too many of the page", refusal(32, 0), retry, 5 * time.Minute, false, 0},
		{"too many at once", refusal(613, 1893016), retry, time.Minute, false, 0},
		{"too many until", metatest.TooMany(19), retry, 19 * time.Minute, false, 0},
		{"too many with status 429", metatest.Fault{Status: 429, Code: 4}, retry, 5 * time.Minute, false, 0},
		{"for now", refusal(1200, 0), retry, 0, false, 0},
		{"outside the window", refusal(10, 2018278), permanent, 0, false, 0},
		{"the person does not take messages", refusal(10, 2018108), permanent, 0, false, 0},
		{"no permission", refusal(10, 0), permanent, 0, true, 0},
		{"no such person", refusal(100, 2018001), permanent, 0, false, 0},
		{"a parameter", refusal(100, 0), permanent, 0, true, 0},
		{"not available", refusal(551, 1545041), permanent, 0, false, 0},
		{"the token", metatest.Fault{Status: 401, Code: 190, Subcode: 463}, permanent, 0, true, 0},
		{"a permission of many", refusal(210, 0), permanent, 0, true, 0},
		{"blocked", refusal(368, 0), permanent, 0, true, 0},
		{"not known", refusal(987654, 0), permanent, 0, false, 0},
		{"a page of a firewall", metatest.Fault{Status: 403}, permanent, 0, true, 0},
		{"a redirect", metatest.Fault{Status: 302}, permanent, 0, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := server(t, metatest.Config{})
			s.Heard(psid, "m_in", "hello")
			s.FailSends(tt.fault)
			_, err := client(s).Send(t.Context(), meta.Outbound{To: psid, Text: "very private words"})
			failed := sendError(t, err)
			if failed.Outcome != tt.want || failed.RetryAfter != tt.after || failed.Alert != tt.alert || len(s.Messages()) != tt.taken || s.Requests() != 1 {
				t.Errorf("%v, after %s, alert %v, %d taken, %d requests", failed, failed.RetryAfter, failed.Alert, len(s.Messages()), s.Requests())
			}
			if failed.Message == "" || tt.fault.Code != 0 && !strings.HasPrefix(failed.Reason(), fmt.Sprint(tt.fault.Code)) {
				t.Errorf("reason %q", failed.Reason())
			}
		})
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	for want, failed := range map[string]meta.SendError{
		"no connection":                          {Message: "no connection"},
		"551: the person is not available":       {Code: 551, Message: "the person is not available"},
		"10/2018278: outside the 24-hour window": {Code: 10, Subcode: 2018278, Message: "outside the 24-hour window"},
	} {
		if got := failed.Reason(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The stand-in refuses by itself what Meta would refuse.
func TestRefusals(t *testing.T) {
	t.Parallel()
	c := &clock{now: noon}
	s := metatest.New(t, metatest.Config{Now: c.Now})
	s.Heard(psid, "m_in", "hello")
	send := func(cl *meta.Client, m meta.Outbound) error { _, err := cl.Send(t.Context(), m); return err }
	hello, byHand := meta.Outbound{To: psid, Text: "hi"}, meta.Outbound{To: psid, Text: "hi", HumanAgent: true}
	wrongToken, wrongSecret := client(s), client(s)
	wrongToken.Token, wrongSecret.Secret = "another-token-not-real", "another-secret-not-real"
	wants := func(name string, err error, code, subcode int) {
		t.Helper()
		if failed := sendError(t, err); failed.Code != code || failed.Subcode != subcode {
			t.Errorf("%s: %v", name, failed)
		}
	}
	wants("another token", send(wrongToken, hello), 190, 0)
	wants("another secret", send(wrongSecret, hello), 100, 0)
	wants("a stranger", send(client(s), meta.Outbound{To: "999", Text: "hi"}), 100, 2018001)
	c.Forward(24*time.Hour + time.Second)
	wants("a day later", send(client(s), hello), 10, 2018278)
	if err := send(client(s), byHand); err != nil {
		t.Errorf("a day later, by hand: %v", err)
	}
	c.Forward(6 * 24 * time.Hour)
	wants("a week later, by hand", send(client(s), byHand), 10, 2018278)
}

func TestTyping(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	s.Heard(psid, "m_in", "hello")
	if err := client(s).Typing(t.Context(), psid); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]metatest.Action{{To: psid, Name: "typing_on"}}, s.Actions()); diff != "" || len(s.Messages()) != 0 {
		t.Errorf("%d messages, actions (-want +got):\n%s", len(s.Messages()), diff)
	}
	sendError(t, client(s).Typing(t.Context(), "999"))
	sendError(t, client(s).Typing(t.Context(), ""))
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c := &meta.Client{BaseURL: "http://" + l.Addr().String(), Token: metatest.Token, Secret: metatest.AppSecret}
	_, err = c.Send(t.Context(), meta.Outbound{To: psid, Text: "very private words"})
	if failed := sendError(t, err); failed.Outcome != outbox.Retry {
		t.Errorf("%v, want retry", failed)
	}
	_, err = c.Find(t.Context(), psid, noon)
	keepsQuiet(t, err)
	c.BaseURL = "graph.facebook.com"
	_, err = c.Send(t.Context(), meta.Outbound{To: psid, Text: "very private words"})
	if failed := sendError(t, err); failed.Outcome != outbox.Permanent || !strings.Contains(failed.Message, "META_BASE_URL") {
		t.Errorf("%v", failed)
	}
}

func TestSlowIsUnclear(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	s.Heard(psid, "m_in", "hello")
	s.FailSends(metatest.Slow(nil))
	c := client(s)
	c.Timeout = 200 * time.Millisecond
	_, err := c.Send(t.Context(), meta.Outbound{To: psid, Text: "hi"})
	if failed := sendError(t, err); failed.Outcome != outbox.Unclear {
		t.Errorf("%v, want unclear", failed)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Send(over, meta.Outbound{To: psid, Text: "hi"})
	if failed := sendError(t, err); failed.Outcome != outbox.Retry {
		t.Errorf("with no time left: %v, want retry", failed)
	}
}

// An answer that is not Meta's, and one that names no message, leave it open.
func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]outbox.Outcome{
		`{}`: outbox.Unclear, `{"recipient_id":"1"}`: outbox.Unclear, `<html>`: outbox.Unclear, `[]`: outbox.Unclear,
		`{"error":{"code":551}}`: outbox.Permanent,
	} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("access_token") != metatest.Token {
				t.Error("the token is not where Meta looks for it")
			}
			_, _ = io.WriteString(w, body)
		}))
		c := &meta.Client{BaseURL: h.URL + "/", Token: metatest.Token, HTTP: h.Client()}
		_, err := c.Send(t.Context(), meta.Outbound{To: psid, Text: "hi"})
		if failed := sendError(t, err); failed.Outcome != want {
			t.Errorf("%s: %v", body, failed)
		}
		if found, err := c.Find(t.Context(), psid, noon); err == nil {
			t.Errorf("%s is a list of %d messages", body, len(found))
		}
		h.Close()
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	c := &clock{now: noon}
	s := metatest.New(t, metatest.Config{Now: c.Now})
	cl := client(s)
	if found, err := cl.Find(t.Context(), psid, noon); err != nil || len(found) != 0 {
		t.Errorf("with a stranger: %v, %+v", err, found)
	}
	s.Heard(psid, "m_in", "same words")
	var ids []string
	for i := range 3 {
		mid, err := cl.Send(t.Context(), meta.Outbound{To: psid, Text: fmt.Sprint("text ", i)})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, mid)
		c.Forward(time.Minute)
	}
	found, err := cl.Find(t.Context(), psid, noon.Add(time.Minute))
	want := []meta.Found{
		{ID: ids[2], Text: "text 2", Created: noon.Add(2 * time.Minute).Truncate(time.Second)},
		{ID: ids[1], Text: "text 1", Created: noon.Add(time.Minute).Truncate(time.Second)},
	}
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	// Meta tells the latest 20 only: if they are all newer, nobody knows.
	for i := range 20 {
		s.Heard(psid, fmt.Sprint("m_in", i), "more")
	}
	if found, err := cl.Find(t.Context(), psid, noon); err == nil {
		t.Errorf("%+v of a conversation that is not told to its end", found)
	} else {
		keepsQuiet(t, err)
	}
	if found, err := cl.Find(t.Context(), psid, c.Now().Add(time.Second)); err != nil || len(found) != 0 {
		t.Errorf("since now: %v, %+v", err, found)
	}
	s.FailLists(metatest.Refusal(190, 0), metatest.Before(), metatest.Fault{Status: 500})
	for range 3 {
		if _, err := cl.Find(t.Context(), psid, noon); err == nil {
			t.Error("a list that failed is no list")
		} else {
			keepsQuiet(t, err)
		}
	}
}

// A list that may lack a message is an error: "not found" lets it go again.
func TestFindStrangeLists(t *testing.T) {
	t.Parallel()
	const (
		fail    = -1
		message = `{"id":"m_1","message":"hi","created_time":"2026-11-21T12:00:00+0000","from":{"id":"` + metatest.Page + `"}}`
	)
	listed := func(message string) string { return `{"data":[{"messages":{"data":[` + message + `]}}]}` }
	for name, tt := range map[string]struct {
		status int
		body   string
		want   int
	}{
		"as it should be":        {200, listed(message), 1},
		"nothing was said":       {200, listed(""), 0},
		"no conversation":        {200, `{"data":[]}`, 0},
		"with another status":    {500, listed(""), fail},
		"beside an error":        {200, `{"data":[],"error":{"code":2}}`, fail},
		"without its messages":   {200, `{"data":[{"id":"t_1"}]}`, fail},
		"a message without id":   {200, listed(strings.Replace(message, "m_1", "", 1)), fail},
		"a message without date": {200, listed(strings.Replace(message, "created_time", "x", 1)), fail},
	} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		}))
		c := &meta.Client{BaseURL: h.URL, Token: metatest.Token, HTTP: h.Client()}
		found, err := c.Find(t.Context(), psid, noon)
		if (err != nil) != (tt.want == fail) || err == nil && len(found) != tt.want {
			t.Errorf("%s: %+v, %v, want %d", name, found, err, tt.want)
		}
		h.Close()
	}
}
