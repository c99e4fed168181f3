package twiliotest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/provider/twilio/twiliotest"
)

const to = "+905325550142"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func start(t *testing.T) *twiliotest.Server {
	return twiliotest.New(t, twiliotest.Config{
		Templates: map[string]string{"HX" + strings.Repeat("a", 32): "Hi {{1}}"},
		Now:       func() time.Time { return noon },
	})
}

// call makes a request with the account's key and reads the answer.
func call(t *testing.T, s *twiliotest.Server, method, path string, form url.Values) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(twiliotest.AccountSID, twiliotest.AuthToken)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return do(t, s, req)
}

func do(t *testing.T, s *twiliotest.Server, req *http.Request) (int, map[string]any) {
	t.Helper()
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

const messages = "/2010-04-01/Accounts/" + twiliotest.AccountSID + "/Messages.json"

// valid is a form that is taken, with pairs set over it; an empty value takes a
// parameter away.
func valid(pairs ...string) url.Values {
	form := url.Values{"To": {"whatsapp:" + to}, "From": {"whatsapp:" + twiliotest.From}, "Body": {"merhaba"}}
	for i := 0; i < len(pairs); i += 2 {
		if form.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			form.Del(pairs[i])
		}
	}
	return form
}

// The resource has the fields of Twilio's, with its types: numbers as strings, times
// as in RFC 2822, null for what is not known yet.
func TestMessageResource(t *testing.T) {
	t.Parallel()
	s := start(t)
	status, got := call(t, s, "POST", messages, valid("StatusCallback", "http://127.0.0.1:1/s"))
	sid, _ := got["sid"].(string)
	if status != http.StatusCreated || !regexp.MustCompile(`^SM[0-9a-f]{32}$`).MatchString(sid) {
		t.Fatalf("status %d, sid %q", status, sid)
	}
	path := "/2010-04-01/Accounts/" + twiliotest.AccountSID + "/Messages/" + sid
	want := map[string]any{
		"account_sid": twiliotest.AccountSID, "api_version": "2010-04-01", "sid": sid, "body": "merhaba",
		"from": "whatsapp:" + twiliotest.From, "to": "whatsapp:" + to, "direction": "outbound-api", "status": "queued",
		"num_media": "0", "num_segments": "1", "date_created": "Sat, 21 Nov 2026 12:00:00 +0000",
		"date_updated": "Sat, 21 Nov 2026 12:00:00 +0000", "date_sent": nil, "error_code": nil, "error_message": nil,
		"messaging_service_sid": nil, "price": nil, "price_unit": nil, "uri": path + ".json",
		"subresource_uris": map[string]any{"media": path + "/Media.json"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if status, again := call(t, s, "GET", path+".json", nil); status != http.StatusOK || cmp.Diff(want, again) != "" {
		t.Errorf("fetched: %d %v", status, again)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := start(t)
	sid := "HX" + strings.Repeat("a", 32)
	tests := []struct {
		name string
		form url.Values
		code float64
	}{
		{"no recipient", valid("To", ""), 21604},
		{"no sender", valid("From", ""), 21603},
		{"bad recipient", valid("To", "whatsapp:905325550142"), 21211},
		{"bad id", valid("To", "whatsapp:TR13491208655302741918"), 21211},
		{"recipient of another channel", valid("To", to), 21910},
		{"another account's sender", valid("From", "whatsapp:+15005550001"), 63007},
		{"to itself", valid("To", "whatsapp:"+twiliotest.From), 63031},
		{"nothing to say", valid("Body", ""), 21602},
		{"too long", valid("Body", strings.Repeat("ş", 1601)), 21617},
		{"text and template", valid("ContentSid", sid), 20001},
		{"template of nobody", valid("Body", "", "ContentSid", "HX"+strings.Repeat("b", 32)), 21655},
		{"template that is none", valid("Body", "", "ContentSid", "HX1"), 21655},
		{"parameters without template", valid("ContentVariables", "{}"), 21654},
		{"parameters that are no object", valid("Body", "", "ContentSid", sid, "ContentVariables", "[]"), 21656},
		{"parameter empty", valid("Body", "", "ContentSid", sid, "ContentVariables", `{"1":""}`), 21656},
		{"parameter missing", valid("Body", "", "ContentSid", sid, "ContentVariables", `{"2":"x"}`), 21656},
		{"callback that is no address", valid("StatusCallback", "/status"), 21609},
		{"media that is no address", valid("MediaUrl", "a.jpg"), 21620},
	}
	for _, tt := range tests {
		status, got := call(t, s, "POST", messages, tt.form)
		if status != http.StatusBadRequest || got["code"] != tt.code || got["status"] != float64(status) || got["message"] == "" || got["more_info"] == "" {
			t.Errorf("%s: %d %v, want code %v", tt.name, status, got, tt.code)
		}
	}
	if n := len(s.Messages()); n != 0 {
		t.Errorf("%d messages were taken", n)
	}
}

func TestKeyAndAccount(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, tt := range map[string]struct {
		user, password, path string
		status               int
		code                 float64
	}{
		"no key":          {"", "", messages, 401, 20003},
		"wrong key":       {twiliotest.AccountSID, "x", messages, 401, 20003},
		"another account": {twiliotest.AccountSID, twiliotest.AuthToken, "/2010-04-01/Accounts/AC1/Messages.json", 404, 20404},
		"no such thing":   {twiliotest.AccountSID, twiliotest.AuthToken, "/2010-04-01/Accounts", 404, 20404},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+tt.path, strings.NewReader(valid().Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if tt.user != "" {
			req.SetBasicAuth(tt.user, tt.password)
		}
		if status, got := do(t, s, req); status != tt.status || got["code"] != tt.code {
			t.Errorf("%s: %d %v", name, status, got)
		}
	}
}

// The list is newest first, filtered and paged; a message that waits has no date_sent
// and is in no list by date.
func TestList(t *testing.T) {
	t.Parallel()
	now := noon
	s := twiliotest.New(t, twiliotest.Config{Now: func() time.Time { return now }})
	var sids []string
	for i := range 5 {
		now = noon.Add(time.Duration(i) * time.Hour)
		_, got := call(t, s, "POST", messages, valid("StatusCallback", "http://127.0.0.1:1/"))
		sids = append(sids, got["sid"].(string))
		if i < 4 { // refused by the callback, but sent
			if err := s.Deliver(t.Context(), sids[i], "sent"); err == nil {
				t.Fatal("nobody answered, and yet the callback went well")
			}
		}
	}
	list := func(query string) []string {
		var all []string
		for next := messages + "?" + query; next != ""; {
			status, page := call(t, s, "GET", next, nil)
			if status != http.StatusOK {
				t.Fatalf("%s: %d %v", next, status, page)
			}
			for _, m := range page["messages"].([]any) {
				all = append(all, m.(map[string]any)["sid"].(string))
			}
			next, _ = page["next_page_uri"].(string)
		}
		slices.Reverse(all)
		return all
	}
	for query, want := range map[string][]string{
		"":                                    sids,
		"PageSize=2":                          sids,
		"To=whatsapp%3A%2B905325550142":       sids,
		"To=whatsapp%3A%2B905325550143":       nil,
		"From=whatsapp%3A%2B15005550006":      sids,
		"DateSent=2026-11-21":                 sids[:4],
		"DateSent%3E=2026-11-21T14:00:00Z":    sids[2:4],
		"DateSent%3C=2026-11-21T13:00:00Z":    sids[:2],
		"DateSent%3E=2026-11-22&PageSize=1":   nil,
		"DateSent%3E=2026-11-21&PageSize=3":   sids[:4],
		"PageSize=1000&DateSent%3C=2026-11-1": nil,
	} {
		if strings.HasSuffix(query, "11-1") { // not a date
			if status, got := call(t, s, "GET", messages+"?"+query, nil); status != 400 || got["code"] != float64(20001) {
				t.Errorf("%s: %d %v", query, status, got)
			}
			continue
		}
		if diff := cmp.Diff(want, list(query)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

func TestListLag(t *testing.T) {
	t.Parallel()
	now := noon
	s := twiliotest.New(t, twiliotest.Config{ListLag: 5 * time.Second, Now: func() time.Time { return now }})
	call(t, s, "POST", messages, valid())
	for after, want := range map[time.Duration]int{0: 0, 4 * time.Second: 0, 5 * time.Second: 1} {
		now = noon.Add(after)
		if _, page := call(t, s, "GET", messages, nil); len(page["messages"].([]any)) != want {
			t.Errorf("after %v: %v, want %d messages", after, page["messages"], want)
		}
	}
}

func TestFaultsTakeOrLeave(t *testing.T) {
	t.Parallel()
	until := make(chan struct{})
	for name, tt := range map[string]struct {
		fault  twiliotest.Fault
		status int // 0 is no answer
		taken  int
	}{
		"before":          {twiliotest.Before(), 0, 0},
		"after":           {twiliotest.After(), 0, 1},
		"too many":        {twiliotest.TooMany(3 * time.Second), 429, 0},
		"broken":          {twiliotest.Broken(false), 500, 0},
		"broken, taken":   {twiliotest.Broken(true), 500, 1},
		"refusal":         {twiliotest.Refusal(63016), 400, 0},
		"page of a proxy": {twiliotest.Fault{Status: 502}, 502, 0},
		"slow":            {twiliotest.Slow(until), 201, 1},
		"none":            {twiliotest.Fault{}, 201, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.FailSends(tt.fault)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+messages, strings.NewReader(valid().Encode()))
			if err != nil {
				t.Fatal(err)
			}
			req.SetBasicAuth(twiliotest.AccountSID, twiliotest.AuthToken)
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if name == "slow" {
				go func() { // it is taken before the answer is due
					if _, err := s.Wait(t.Context(), 1); err != nil {
						t.Error(err)
					}
					close(until)
				}()
			}
			resp, err := s.Client().Do(req)
			if (err != nil) != (tt.status == 0) {
				t.Fatalf("answer %v, %v", resp, err)
			}
			if err == nil {
				defer resp.Body.Close()
				if resp.StatusCode != tt.status {
					t.Errorf("status %d, want %d", resp.StatusCode, tt.status)
				}
				if want := map[bool]string{true: "3"}[name == "too many"]; resp.Header.Get("Retry-After") != want {
					t.Errorf("Retry-After %q, want %q", resp.Header.Get("Retry-After"), want)
				}
			}
			if n := len(s.Messages()); n != tt.taken {
				t.Errorf("%d taken, want %d", n, tt.taken)
			}
			if status, _ := call(t, s, "POST", messages, valid()); status != http.StatusCreated {
				t.Errorf("the next send: %d", status)
			}
		})
	}
}

// Twilio's own vectors (https://www.twilio.com/docs/usage/security).
func TestSign(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{AuthToken: "12345"})
	for from, want := range map[string]string{
		"+14158675309": "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
		"+14158675310": "GvWf1cFY/Q7PnoempGyD5oXAezc=",
	} {
		form := url.Values{"Digits": {"1234"}, "CallSid": {"CA1234567890ABCDE"}, "To": {"+18005551212"}, "Caller": {from}, "From": {from}}
		if got := s.Sign("https://mycompany.com/myapp.php?foo=1&bar=2", form); got != want {
			t.Errorf("signature for %s is %s, want %s", from, got, want)
		}
	}
}

func TestDeliver(t *testing.T) {
	t.Parallel()
	s := start(t)
	type callback struct {
		form      url.Values
		signature string
	}
	got := make(chan callback, 10)
	answer := make(chan int, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		form, err := url.ParseQuery(string(body))
		if err != nil {
			t.Error(err)
		}
		got <- callback{form, r.Header.Get("X-Twilio-Signature")}
		w.WriteHeader(<-answer)
	}))
	defer hook.Close()
	address := hook.URL + "/status?id=m1"
	_, message := call(t, s, "POST", messages, valid("StatusCallback", address))
	sid := message["sid"].(string)

	answer <- http.StatusNoContent
	if err := s.DeliverError(t.Context(), sid, "undelivered", 63016); err != nil {
		t.Fatal(err)
	}
	c := <-got
	if c.signature != s.Sign(address, c.form) {
		t.Error("the callback is not signed for its address")
	}
	for name, want := range map[string]string{"MessageSid": sid, "MessageStatus": "undelivered", "ErrorCode": "63016", "To": "whatsapp:" + to} {
		if c.form.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, c.form.Get(name), want)
		}
	}
	if m := s.Messages()[0]; m.Status != "undelivered" || m.ErrorCode != 63016 {
		t.Errorf("kept as %+v", m)
	}

	answer <- http.StatusForbidden
	if err := s.Deliver(t.Context(), sid, "delivered"); err == nil {
		t.Error("a callback that was refused went well")
	}
	if c := <-got; c.form.Get("EventType") != "DELIVERED" || c.form.Has("ErrorCode") {
		t.Errorf("delivered as %v", c.form)
	}
	if err := s.Deliver(t.Context(), "SM1", "delivered"); err == nil {
		t.Error("a message that is not there was delivered")
	}
	_, message = call(t, s, "POST", messages, valid())
	if err := s.Deliver(t.Context(), message["sid"].(string), "sent"); err == nil {
		t.Error("a message without a callback was reported on")
	}
}

func TestPostInbound(t *testing.T) {
	t.Parallel()
	s := start(t)
	var ids []string
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ids = append(ids, r.Header.Get("I-Twilio-Idempotency-Token"))
		if r.FormValue("Body") != "evet" || r.FormValue("From") != "whatsapp:"+to || r.FormValue("WaId") != to[1:] {
			t.Errorf("form %v", r.Form)
		}
		w.Write([]byte("<Response/>"))
	}))
	defer hook.Close()
	form := s.Inbound("SM1", to, "evet")
	for range 2 {
		answer, err := s.Post(t.Context(), hook.URL, form)
		if err != nil || answer != (twiliotest.Answer{Status: 200, Body: "<Response/>"}) {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	if len(ids) != 2 || ids[0] == ids[1] || ids[0] == "" {
		t.Errorf("ids of the deliveries are %q, want two", ids)
	}
	if s.Inbound("SM1", "TR.1", "x").Has("WaId") {
		t.Error("an id has no WaId")
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if got, err := s.Wait(ctx, 1); err == nil {
		t.Errorf("waited for %v", got)
	}
	call(t, s, "POST", messages, valid())
	if got, err := s.Wait(t.Context(), 1); err != nil || len(got) != 1 {
		t.Errorf("%v, %v, want one message", got, err)
	}
}

// A server that ends answers what it holds back, and ends once.
func TestClose(t *testing.T) {
	t.Parallel()
	s := twiliotest.Start(twiliotest.Config{})
	s.FailSends(twiliotest.Slow(nil))
	done := make(chan struct{})
	go func() {
		defer close(done)
		req, err := http.NewRequest(http.MethodPost, s.URL()+messages, strings.NewReader(valid().Encode()))
		if err != nil {
			t.Error(err)
			return
		}
		req.SetBasicAuth(twiliotest.AccountSID, twiliotest.AuthToken)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if resp, err := s.Client().Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	if _, err := s.Wait(t.Context(), 1); err != nil {
		t.Error(err)
	}
	s.Close()
	s.Close()
	<-done
}
