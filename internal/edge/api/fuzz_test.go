package api_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/edge/api/apitest"
)

// ownKeys are the keys that a message of a client is stored under: what the client chose is
// hashed, but for the user id that WhatsApp gives.
var ownKeys = regexp.MustCompile(`^(th_[0-9a-f]{32} (~|seen#m_[0-9a-f]{24})|alias#whatsapp:[A-Za-z]{2}\.[A-Za-z0-9._-]{1,160} person|alias#whatsapp:\+[0-9]{5,15} user)$`)

// checkKeys checks that no text of a client has become part of a key's structure.
func checkKeys(t *testing.T, writes [][]apitest.Stored) (keys []string) {
	t.Helper()
	for _, w := range writes {
		for _, it := range w {
			key := it["pk"].S + " " + it["sk"].S
			if !ownKeys.MatchString(key) {
				t.Errorf("stored under %q", key)
			}
			keys = append(keys, key)
		}
	}
	return keys
}

const fuzzSession = "session-not-real-0123456789"

// A body of POST /chat/message is refused with a problem that the document describes, or
// it is one message of known size under keys of our own making; white space and unknown
// fields change nothing of that, and a field that comes twice is always refused.
func FuzzChatBody(f *testing.F) {
	s, kept := apitest.Fuzzed(f)
	kept.Refuse = true
	id := fuzzSession
	for _, body := range []string{
		`{"message":"hello","sessionId":"` + id + `"}`,
		`{"message":"","sessionId":"` + id + `","location":{"lat":35.3,"lng":33.3,"address":"x"}}`,
		`{"message":"","sessionId":"` + id + `","attachments":[{"url":"https://example.com/a","contentType":"image/png"}]}`,
		`{"message":"yes","sessionId":"` + id + `","button":"yes:p1","replyTo":"p1","clientMessageId":"a#b","language":"tr","agentId":"merve","marketId":"demo"}`,
		`{"message":"\ud800\u0000","sessionId":null}`, `{"MESSAGE":"a","message":"b"}`, `{"a":{"b":[{"c":1,"c":2}]}}`, `{"message":1e999}`, "null", "{}{}", "\ufeff{}",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		oneMessage(t, s, kept, "/chat/message", body, `"Message":"other"`)
	})
}

// The same holds for POST /web-chat-api, from a page of an allowed site and of another one.
func FuzzWebChatBody(f *testing.F) {
	s, kept := apitest.Fuzzed(f)
	kept.Refuse = true
	for _, body := range []string{
		`{"text":"hello","sessionId":"` + fuzzSession + `"}`,
		`{"text":"","sessionId":"` + fuzzSession + `","mediaUrls":["https://example.com/a.jpg","photo:0123456789abcdef0123"]}`,
		`{"text":"yes","sessionId":"` + fuzzSession + `","name":"Ann #1","clientMessageId":"a#b","language":"tr","marketId":"demo","replyTo":"p1"}`,
		`{"text":"\ud800\u0000","sessionId":null}`, `{"TEXT":"a","text":"b"}`, `{"text":"x","sessionId":"short"}`, `{"text":"x","mediaUrls":[null,1,{}]}`, "null", "{}{}", "\ufeff{}",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		oneMessage(t, s, kept, webChatPath, body, `"Text":"other"`)
		kept.Took()
		a := s.CallTo(t, s.Front, "POST", webChatPath, body, "Origin", "https://evil.example")
		if writes := kept.Took(); a.Status != http.StatusForbidden || len(writes) > 0 || a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("of another site: status %d, %d writes, %v", a.Status, len(writes), a.Header)
		}
	})
}

// oneMessage sends a body that may be a message; again is the field of its text, once more.
func oneMessage(t *testing.T, s *apitest.Service, kept *apitest.Shelf, target, body, again string) {
	t.Helper()
	post := func(body string) (int, []string) {
		kept.Took()
		a, err := s.Send(t.Context(), s.Front, "POST", target, body)
		if err != nil {
			t.Fatal(err)
		}
		writes := kept.Took()
		if len(writes) == 0 {
			apitest.OpenAPI(t).Check(t, "POST", target, a)
			if a.Status < 400 || a.Status >= 500 {
				t.Errorf("status %d without a write: %s", a.Status, a.Body)
			}
		}
		if strings.Contains(string(a.Body), fuzzSession) {
			t.Errorf("the answer holds the session id: %s", a.Body)
		}
		return a.Status, checkKeys(t, writes)
	}
	status, keys := post(body)
	if same, more := post(" \n" + body + "\t"); len(body) < 60_000 && (same != status && body != "" || len(more) != len(keys)) {
		t.Errorf("status %d with %v, with white space %d with %v", status, keys, same, more)
	}
	if len(keys) == 0 || len(body) > 60_000 {
		return
	}
	end := strings.LastIndexByte(body, '}')
	if same, more := post(body[:end] + `,"unknownField":[{}]` + body[end:]); (same != status || len(more) != len(keys)) && !strings.Contains(strings.ToLower(body), "unknownfield") {
		t.Errorf("with an unknown field: status %d, not %d", same, status)
	}
	if twice, more := post(body[:end] + "," + again + body[end:]); twice != http.StatusBadRequest || len(more) > 0 {
		t.Errorf("the text twice: status %d", twice)
	}
}

// A signed form is refused, or stored under keys of our own making, the same ones for the
// same form; with another signature it never gets in.
func FuzzWhatsAppForm(f *testing.F) {
	s, kept := apitest.Fuzzed(f)
	good := s.Twilio.Inbound("SM00000000000000000000000000000001", "+15550100", "hello")
	f.Add(good.Encode())
	good.Set("ExternalUserId", "US.123")
	good.Set("ButtonPayload", "yes:p#1~")
	good.Set("Latitude", "1e1")
	good.Set("Longitude", "-0")
	f.Add(good.Encode())
	for _, form := range []string{
		"MessageSid=%23head&From=whatsapp:%2B15550100&To=whatsapp:%2B15550199", "MessageSid=a%00b&From=whatsapp%3A%2B1555010000&To=whatsapp%3A%2B15550199&Body=%ff",
		"a=1;b=2", "%zz", "From=whatsapp:US.a%23b", "NumMedia=1&MediaUrl0=javascript:1", strings.Repeat("a=&", 600),
	} {
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, body string) {
		form, err := url.ParseQuery(body)
		if err != nil {
			form = nil
		}
		post := func(signature string) (answer, []string) {
			kept.Took()
			a := s.CallTo(t, s.Front, "POST", inboundPath, body, "Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", signature)
			return a, checkKeys(t, kept.Took())
		}
		valid := s.Twilio.Sign(s.URL+inboundPath, form)
		a, keys := post(valid)
		switch {
		case a.Status >= 500:
			t.Errorf("status %d: %s", a.Status, a.Body)
		case a.Status != http.StatusOK && len(keys) > 0:
			t.Errorf("status %d, and stored %v", a.Status, keys)
		case a.Status == http.StatusOK:
			b, again := post(valid)
			keys = keys[max(0, len(keys)-len(again)):] // who somebody is, is kept the first time only
			if diff := cmp.Diff(keys, again); b.Status != http.StatusOK || len(again) == 0 || diff != "" {
				t.Errorf("the same form is another message: %s", diff)
			}
		}
		if a, keys := post("A" + valid[1:]); valid[0] != 'A' && (a.Status < 400 || a.Status >= 500 || len(keys) > 0) {
			t.Errorf("with another signature: status %d", a.Status)
		}
	})
}
