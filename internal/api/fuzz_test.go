package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"merve/internal/api/apitest"
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

// saved puts a body to an address of the admin API; it is refused as the document says, or
// saved, and what was saved can be saved again and stays as it is.
func saved(t *testing.T, s *apitest.Service, target, body string, want []string) {
	t.Helper()
	put := func(body string) (answer, map[string]any) {
		a := s.CallTo(t, s.Front, "PUT", target, body, apitest.Staff()...)
		if a.Status >= 500 {
			t.Errorf("status %d: %s", a.Status, a.Body)
		}
		if a.Status != http.StatusOK {
			return a, nil
		}
		d := json.NewDecoder(bytes.NewReader(a.Body))
		d.UseNumber()
		var got map[string]any
		if err := d.Decode(&got); err != nil {
			t.Error(err)
		}
		return a, got
	}
	first, got := put(body)
	if got == nil {
		return
	}
	again, same := put(string(first.Body))
	for _, name := range want {
		delete(got, name)
		delete(same, name)
	}
	if diff := cmp.Diff(got, same); again.Status != http.StatusOK || diff != "" {
		t.Errorf("%s saved again: status %d: %s\n%s", first.Body, again.Status, again.Body, diff)
	}
	if !utf8.Valid(first.Body) {
		t.Errorf("not UTF-8: %q", first.Body)
	}
}

func FuzzMarketBody(f *testing.F) {
	s, _ := apitest.Fuzzed(f)
	for _, body := range []string{
		`{}`, `{"name":"New","languages":["en","tr"],"language":"tr","currency":"TRY","timeZone":"Europe/Istanbul"}`,
		`{"safety":{"maxRounds":3,"requireConfirmFor":["searchMarketplace"]},"tools":{"cancelBooking":{"enabled":false,"allowedTags":["a"]}}}`,
		`{"templates":{"booking_confirmed":"{code}"},"whatsapp":{"from":"+15550100","templates":{"merchant":{"contentSid":"HX1","params":["code"]}}}}`,
		`{"gate":null,"quietMs":1e9}`, `{"version":9223372036854775808}`, `{"updatedAt":"9999-99-99"}`, `{"id":"demo"}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		saved(t, s, "/admin/api/markets/fuzz", body, []string{"version", "updatedAt"})
	})
}

func FuzzListingBody(f *testing.F) {
	s, _ := apitest.Fuzzed(f)
	for _, body := range []string{
		`{"businessId":"b","domain":"d","category":"c","names":{"en":"x"}}`,
		`{"businessId":"b","domain":"d","category":"c","names":{"en":"x"},"location":{"lat":5e-324,"lng":-180},"tags":["a",""],"image":"https://example.com/a"}`,
		`{"businessId":"b","domain":"d","category":"c","names":{"en":"x"},"offerings":[{"id":"o","timeZone":"Asia/Nicosia","capacity":2,"horizonDays":30,"unit":"slot","slotMinutes":30,"durationMinutes":60,"minParty":1,"maxParty":4,"currency":"EUR","per":"person","hours":{"mon":[{"from":"09:00","to":"24:00"}]},"closed":["2026-12-25"]}]}`,
		`{"businessId":"b#c","domain":"d","category":"c","names":{"xx":"x"},"merve":{"enabled":true,"whatsappE164":"+15550100","actions":[{"type":"book","enabled":true,"templates":{"merchant":"{code"}}]}}`,
		`{"names":{"en":null},"location":{}}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		saved(t, s, "/admin/api/markets/fuzz/listings/l1", body, []string{"version", "updatedAt"})
	})
}

// A cursor is taken exactly when the document says so, in each list.
func FuzzHistoryCursor(f *testing.F) {
	s, _ := apitest.Fuzzed(f)
	for _, c := range []string{"", "0.0", "12345678.9999", "01.0", "1.00", "1.", ".1", "-1.0", "1.0.0", "+1.0", "1e1.0", "99999999999999999999.1", "\u0661.0", "1.0\n", "eyJwayI6IngifQ", "e30", "latest", "\xff", "%00"} {
		f.Add(c)
	}
	shape := regexp.MustCompile(`^((0|[1-9][0-9]{0,7})\.(0|[1-9][0-9]{0,3}))?$`)
	f.Fuzz(func(t *testing.T, cursor string) {
		query := "?after=" + url.QueryEscape(cursor)
		if len(query) > 900 {
			return
		}
		a := s.CallTo(t, s.Front, "GET", "/admin/api/threads/th_x/messages"+query, nil, apitest.Staff()...)
		if ok := a.Status == http.StatusNotFound; ok != shape.MatchString(cursor) || !ok && a.Status != http.StatusBadRequest { // there is no such thread
			t.Errorf("%q: status %d: %s", cursor, a.Status, a.Body)
		}
		for _, target := range []string{"/admin/api/alerts", "/admin/api/transactions", "/admin/api/audit"} {
			a := s.CallTo(t, s.Front, "GET", target+query+"&businessId=b&threadId=x", nil, apitest.Staff()...)
			if a.Status != http.StatusOK && a.Status != http.StatusBadRequest {
				t.Errorf("%s: %q: status %d: %s", target, cursor, a.Status, a.Body)
			}
		}
	})
}
