package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/app"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api"
	"merve/internal/edge/api/apitest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

func messagesOf(id string) string { return "/chat/threads/" + id + "/messages" }

// fromAddress is a front as those at an address reach it.
func fromAddress(address string, front http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = address
		front.ServeHTTP(w, r)
	})
}

// New sessions do not let one caller say more; whoever is signed in, or elsewhere, is heard.
func TestSessionsOfAnAddressAreLimited(t *testing.T) {
	t.Parallel()
	s := start(t)
	here := dynamotest.ID("address")
	limited := s.With(t, func(b *app.Process) { b.Config.AddressMessages = 2 })
	chat, widget := map[string]any{"message": "hello"}, map[string]any{"text": "hello"}
	for n, step := range []struct {
		path   string
		body   map[string]any
		at     string
		header []string
		want   int
	}{
		{"/chat/message", chat, here, nil, http.StatusOK},
		{webChatPath, widget, here, nil, http.StatusOK},
		{"/chat/message", chat, here, nil, http.StatusTooManyRequests},
		{webChatPath, widget, here, nil, http.StatusTooManyRequests},
		{"/chat/message", chat, here, s.Issuer.Token(t, dynamotest.ID("user")), http.StatusOK},
		{"/chat/message", chat, dynamotest.ID("elsewhere"), nil, http.StatusOK},
	} {
		step.body["sessionId"] = apitest.SessionID()
		if a := s.CallTo(t, fromAddress(step.at, limited), "POST", step.path, step.body, step.header...); a.Status != step.want {
			t.Errorf("%d: %s: status %d, want %d: %s", n, step.path, a.Status, step.want, a.Body)
		}
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	var got api.ChatResponse
	a := s.Call(t, "POST", "/chat/message", map[string]any{
		"message": "hello", "sessionId": id, "agentId": "merve", "language": "en", "marketId": "demo", "clientMessageId": "1",
		"location": map[string]any{"lat": 35.33, "lng": 33.31}, "attachments": []any{map[string]string{"url": "https://example.com/a.jpg", "contentType": "image/jpeg"}},
	}).Wants(t, http.StatusOK, &got)
	if got.Reply == "" || got.State != thread.Idle || got.PendingAction != nil || got.TraceID != a.Header.Get("x-trace-id") {
		t.Errorf("answer: %s", a.Body)
	}
	var l apitest.List
	s.Call(t, "GET", messagesOf(got.ThreadID), nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
	if len(l.Messages) != 2 || l.Messages[0].ID != got.MessageID || l.Messages[0].Direction != "inbound" || l.Messages[0].Text != "hello" ||
		l.Messages[1].Direction != "outbound" || l.Messages[1].Text != got.Reply || l.Next != "" {
		t.Errorf("messages: %+v", l)
	}
	if m := l.Messages[0].Media; len(m) != 1 || m[0].URL != "https://example.com/a.jpg" || m[0].Type != "image/jpeg" {
		t.Errorf("attachments: %+v", m)
	}
	if head, err := s.Base.Threads().Head(t.Context(), got.ThreadID); err != nil || head.ID != thread.ID("demo", channel.General, "", head.Owner) {
		t.Errorf("%v: not the thread of the app's own assistant: %+v", err, head)
	}
}

func TestMessagesPageByPage(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	got := s.Say(t, id, "hello")
	s.Say(t, id, "what can you do?")
	var texts []string
	for after := ""; ; {
		var l apitest.List
		s.Call(t, "GET", messagesOf(got.ThreadID)+"?limit=1&after="+url.QueryEscape(after), nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
		for _, m := range l.Messages {
			texts = append(texts, m.Text)
		}
		if after = l.Next; after == "" {
			break
		}
	}
	if len(texts) != 4 || texts[0] != "hello" || texts[2] != "what can you do?" {
		t.Errorf("%q", texts)
	}
}

func TestWrongMessages(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	with := func(changes ...any) map[string]any {
		body := map[string]any{"message": "hello", "sessionId": id}
		for i := 0; i < len(changes); i += 2 {
			if body[changes[i].(string)] = changes[i+1]; changes[i+1] == nil {
				delete(body, changes[i].(string))
			}
		}
		return body
	}
	attachment := func(address string) any { return []any{map[string]string{"url": address}} }
	for name, tt := range map[string]struct {
		body   any
		status int
		field  string
	}{
		"no JSON":               {`{"message":`, 400, ""},
		"nothing":               {"", 400, ""},
		"null":                  {"null", 400, ""},
		"an array":              {`["hello"]`, 400, ""},
		"two objects":           {`{"message":"a"} {}`, 400, ""},
		"not UTF-8":             {"{\"message\":\"caf\xe9\",\"sessionId\":\"" + id + "\"}", 400, ""},
		"deep":                  {strings.Repeat(`{"a":`, 20_000), 413, ""},
		"nested":                {with("nobody reads it", json.RawMessage(strings.Repeat("[", 32)+strings.Repeat("]", 32))), 400, ""},
		"no message":            {with("message", nil), 400, "message"},
		"empty message":         {with("message", ""), 400, "message"},
		"message a number":      {with("message", 7), 400, "message"},
		"message too long":      {with("message", strings.Repeat("ç", 4097)), 400, "message"},
		"body too large":        {with("message", strings.Repeat("a", 65<<10)), 413, ""},
		"no session":            {with("sessionId", nil), 400, "sessionId"},
		"short session":         {with("sessionId", "0123456789"), 400, "sessionId"},
		"long session":          {with("sessionId", strings.Repeat("a", 129)), 400, "sessionId"},
		"session with spaces":   {with("sessionId", "0123456789 0123456789 0123"), 400, "sessionId"},
		"session with bytes":    {with("sessionId", "0123456789ç0123456789ç0123"), 400, "sessionId"},
		"unknown agent":         {with("agentId", "nobody"), 400, "agentId"},
		"agent a number":        {with("agentId", 7), 400, "agentId"},
		"unknown market":        {with("marketId", "nowhere"), 400, "marketId"},
		"market of all bytes":   {with("marketId", strings.Repeat("m", 3000)), 400, "marketId"},
		"long language":         {with("language", strings.Repeat("a", 36)), 400, "language"},
		"long address":          {with("location", map[string]any{"lat": 1, "lng": 1, "address": strings.Repeat("a", 513)}), 400, "location.address"},
		"long content type":     {with("attachments", []any{map[string]string{"url": "https://example.com/a", "contentType": strings.Repeat("a", 256)}}), 400, "attachments.contentType"},
		"long client id":        {with("clientMessageId", strings.Repeat("a", 129)), 400, "clientMessageId"},
		"long button":           {with("button", strings.Repeat("a", 201)), 400, "button"},
		"long replyTo":          {with("replyTo", strings.Repeat("a", 201)), 400, "replyTo"},
		"attachments no list":   {with("attachments", "https://example.com/a"), 400, "attachments"},
		"attachment no URL":     {with("attachments", attachment("")), 400, "attachments.url"},
		"attachment javascript": {with("attachments", attachment("javascript:alert(1)")), 400, "attachments.url"},
		"attachment data":       {with("attachments", attachment("data:text/html,x")), 400, "attachments.url"},
		"attachment file":       {with("attachments", attachment("file:///etc/passwd")), 400, "attachments.url"},
		"attachment no host":    {with("attachments", attachment("https:///a")), 400, "attachments.url"},
		"attachment long URL":   {with("attachments", attachment("https://example.com/"+strings.Repeat("a", 2048))), 400, "attachments.url"},
		"attachment null":       {with("attachments", []any{nil}), 400, "attachments.url"},
		"attachments too many":  {with("attachments", many(11, map[string]string{"url": "https://example.com/a"})), 400, "attachments"},
		"latitude":              {with("location", map[string]any{"lat": 91, "lng": 0}), 400, "location"},
		"longitude":             {with("location", map[string]any{"lat": 0, "lng": -181}), 400, "location"},
		"half a location":       {with("location", map[string]any{"lat": 35.3}), 400, "location.lng"},
		"no location":           {with("location", map[string]any{}), 400, "location.lat"},
		"location a string":     {with("location", map[string]any{"lat": "north", "lng": 0}), 400, "location.lat"},
		"location infinite":     {`{"message":"a","sessionId":"` + id + `","location":{"lat":1e999,"lng":0}}`, 400, "location.lat"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "POST", "/chat/message", tt.body).Refuses(t, tt.status, tt.field)
		})
	}
}

// A body that is not sent as plain JSON is not read, whatever it holds.
func TestMessageOfAnotherMedia(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, header := range [][]string{{"Content-Type", "text/plain"}, {"Content-Type", ""}, {"Content-Encoding", "gzip"}} {
		a := s.Call(t, "POST", "/chat/message", map[string]any{"message": "hello", "sessionId": apitest.SessionID()}, header...)
		a.Refuses(t, http.StatusUnsupportedMediaType, "")
		if accept := a.Header.Get("Accept"); accept != "application/json" {
			t.Errorf("%v: accepts %q", header, accept)
		}
	}
}

func TestUploadOfNobody(t *testing.T) {
	t.Parallel()
	start(t).Call(t, "POST", "/chat/photos", `{"contentType":"image/png","size":7}`).Refuses(t, http.StatusBadRequest, "sessionId")
}

func many(n int, v any) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = v
	}
	return all
}

// What is unusual but allowed is stored, whatever the store thinks of it.
func TestUnusualMessages(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, body := range map[string]string{
		"attachment alone":   `{"message":"","attachments":[{"url":"https://example.com/a.jpg"}]%s}`,
		"location alone":     `{"message":"","location":{"lat":35.3,"lng":33.3}%s}`,
		"tiny degrees":       `{"message":"here","location":{"lat":5e-324,"lng":-1e-200}%s}`,
		"many digits":        `{"message":"here","location":{"lat":1.0000000000000000000000000000000000000000001,"lng":0}%s}`,
		"control characters": `{"message":"a\u0000b\u202e\ud800"%s}`,
		"nulls":              `{"message":"hello","agentId":null,"language":null,"location":null,"attachments":null,"clientMessageId":null%s}`,
		"unknown field":      `{"message":"hello","isAdmin":true%s}`,
		"unknown language":   `{"message":"hello","language":"tlh"%s}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "POST", "/chat/message", fmt.Sprintf(body, `,"sessionId":"`+apitest.SessionID()+`"`)).Wants(t, http.StatusOK, nil)
		})
	}
}

// A repeat gets the first answer again, and the model is not asked.
func TestRepeatedMessage(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	body := map[string]any{"message": "hello", "sessionId": id, "clientMessageId": dynamotest.ID("m")}
	var first, again api.ChatResponse
	s.Call(t, "POST", "/chat/message", body).Wants(t, http.StatusOK, &first)
	s.Say(t, id, "what can you do?")
	s.Call(t, "POST", "/chat/message", body).Wants(t, http.StatusOK, &again)
	first.TraceID, again.TraceID = "", ""
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("first answer (-) and second (+):\n%s", diff)
	}
}

func TestRepeatedLongMessage(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	body := map[string]any{"message": "hello " + strings.Repeat("very ", 200), "sessionId": id, "clientMessageId": dynamotest.ID("m")}
	var first, again api.ChatResponse
	s.Call(t, "POST", "/chat/message", body).Wants(t, http.StatusOK, &first)
	s.Call(t, "POST", "/chat/message", body).Wants(t, http.StatusOK, &again)
	var l apitest.List
	s.Call(t, "GET", messagesOf(first.ThreadID), nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
	if diff := cmp.Diff(first.Messages, again.Messages); diff != "" {
		t.Errorf("first answer (-) and second (+):\n%s", diff)
	}
	if diff := cmp.Diff(first.Messages, l.Messages); diff != "" {
		t.Errorf("answered (-) and listed (+):\n%s", diff)
	}
}

func TestRepeatedMessageAtOnce(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	body := map[string]any{"message": "boat trip", "sessionId": id, "clientMessageId": dynamotest.ID("m")}
	answers := make([]answer, 8)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			var err error
			if answers[i], err = s.Send(t.Context(), nil, "POST", "/chat/message", body); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var first api.ChatResponse
	for i, a := range answers {
		apitest.OpenAPI(t).Check(t, "POST", "/chat/message", a)
		var got api.ChatResponse
		a.Wants(t, http.StatusOK, &got)
		if got.TraceID = ""; i == 0 {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("answer %d differs:\n%s", i+1, diff)
		}
	}
	var l apitest.List
	s.Call(t, "GET", messagesOf(first.ThreadID), nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
	if len(l.Messages) != 2 {
		t.Errorf("%d messages, want one and its answer", len(l.Messages))
	}
}

// When the model is slower than the gateway waits, the client is told where the reply
// will be, and there it is once it is there.
func TestSlowReplyComesLater(t *testing.T) {
	t.Parallel()
	s, id, word := start(t), apitest.SessionID(), dynamotest.ID("slowly")
	held := s.Model.Hold(word)
	defer held.LetGo()
	hasty := s.With(t, func(b *app.Process) { b.Config.Patience = 200 * time.Millisecond })
	var got api.ChatResponse
	a := s.CallTo(t, hasty, "POST", "/chat/message", map[string]any{"message": "hello " + word, "sessionId": id}).Wants(t, http.StatusAccepted, &got)
	if got.State != thread.Executing || got.Reply != "" {
		t.Errorf("answer: %s", a.Body)
	}
	where := a.Header.Get("Location")
	if !strings.HasPrefix(where, messagesOf(got.ThreadID)+"?after=") {
		t.Fatalf("Location %q", where)
	}
	var l apitest.List
	s.Call(t, "GET", where, nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
	for _, m := range l.Messages {
		if m.Direction == "outbound" {
			t.Errorf("a reply before the model has answered: %+v", m)
		}
	}
	held.LetGo()
	pausetest.Until(t, "the reply at Location", func() bool {
		var l apitest.List
		s.Call(t, "GET", where, nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
		return len(l.Messages) == 2 && l.Messages[1].Direction == "outbound" && l.Messages[1].Text != "" && l.State == thread.Idle
	})
}

func TestThreadsAreTheirOwners(t *testing.T) {
	t.Parallel()
	s, ann, bob := start(t), apitest.SessionID(), apitest.SessionID()
	user := s.Issuer.Token(t, dynamotest.ID("ann"))
	of := s.Say(t, ann, "hello").ThreadID
	ofUser := s.Say(t, "", "hello", user...).ThreadID

	activityOf := func(thread string) string { return "/chat/threads/" + thread + "/activity" }
	missing := s.Call(t, "GET", messagesOf("th_00000000000000000000000000000000"), nil, "x-session-id", bob).Refuses(t, http.StatusNotFound, "")
	for name, tt := range map[string]struct {
		thread string
		header []string
	}{
		"another session's":                {of, []string{"x-session-id", bob}},
		"a session's, as a user":           {of, user},
		"a user's, as a session":           {ofUser, []string{"x-session-id", ann}},
		"another user's":                   {ofUser, s.Issuer.Token(t, dynamotest.ID("bob"))},
		"an admin's token is no back door": {of, s.Issuer.Token(t, dynamotest.ID("admin"), "admin")},
	} {
		for _, target := range []string{messagesOf(tt.thread), activityOf(tt.thread)} {
			got := s.Call(t, "GET", target, nil, tt.header...).Refuses(t, http.StatusNotFound, "")
			if got.TraceID = missing.TraceID; got != missing {
				t.Errorf("%s, %s: %+v, but a missing one: %+v", name, target, got, missing)
			}
		}
	}
	s.Call(t, "GET", activityOf(of), nil, "x-session-id", ann).Wants(t, http.StatusOK, nil)
	s.Call(t, "GET", messagesOf(ofUser), nil, user...).Wants(t, http.StatusOK, nil)
	s.Call(t, "GET", messagesOf(of), nil, "x-session-id", ann).Wants(t, http.StatusOK, nil)
}

func TestWrongListings(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	of := s.Say(t, id, "hello").ThreadID
	for name, tt := range map[string]struct {
		target string
		header []string
		status int
		field  string
	}{
		"not signed in":    {messagesOf(of), nil, 401, ""},
		"basic":            {messagesOf(of), []string{"Authorization", "Basic YTpi"}, 401, ""},
		"short session":    {messagesOf(of), []string{"x-session-id", "short"}, 400, "sessionId"},
		"limit 0":          {messagesOf(of) + "?limit=0", []string{"x-session-id", id}, 400, "limit"},
		"limit 101":        {messagesOf(of) + "?limit=101", []string{"x-session-id", id}, 400, "limit"},
		"limit many":       {messagesOf(of) + "?limit=many", []string{"x-session-id", id}, 400, "limit"},
		"after":            {messagesOf(of) + "?after=x", []string{"x-session-id", id}, 400, "after"},
		"after below zero": {messagesOf(of) + "?after=-1.0", []string{"x-session-id", id}, 400, "after"},
		"long query":       {messagesOf(of) + "?after=" + strings.Repeat("1", 3000), []string{"x-session-id", id}, 400, ""},
		"long thread":      {messagesOf(strings.Repeat("t", 3000)), []string{"x-session-id", id}, 404, ""},
		"odd thread":       {messagesOf("%00%FF%20"), []string{"x-session-id", id}, 404, ""},
		"dots":             {messagesOf("%2E%2E"), []string{"x-session-id", id}, 404, ""},
		"nowhere":          {"/chat/threads/" + of, []string{"x-session-id", id}, 404, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "GET", tt.target, nil, tt.header...).Refuses(t, tt.status, tt.field)
		})
	}
}

func TestForgedTokens(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, token := range s.Issuer.Forged(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := []string{"Authorization", "Bearer " + token}
			for target, method := range map[string]string{"/chat/message": "POST", messagesOf("th_0"): "GET", "/admin/api/markets": "GET"} {
				var body any
				if method == "POST" {
					body = map[string]any{"message": "hello", "sessionId": apitest.SessionID()}
				}
				s.Call(t, method, target, body, header...).Refuses(t, http.StatusUnauthorized, "")
			}
		})
	}
}

// A token of nobody's issuer lets nobody in where sign-in is not configured.
func TestTokensWithoutSignIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	closed := s.With(t, func(b *app.Process) { b.Config.AuthIssuer, b.Config.AdminToken = "", "" })
	user := s.Issuer.Token(t, "ann", "admin")
	s.CallTo(t, closed, "POST", "/chat/message", map[string]any{"message": "hello"}, user...).Refuses(t, http.StatusUnauthorized, "")
	s.CallTo(t, closed, "GET", "/admin/api/markets", nil, user...).Refuses(t, http.StatusUnauthorized, "")
	s.CallTo(t, closed, "GET", "/admin/api/markets", nil, "Authorization", "Bearer ").Refuses(t, http.StatusUnauthorized, "")
}

// The trace id is the caller's own if it can be used, and there whatever happens.
func TestTraceID(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, target := range []string{"/", "/healthz", "/openapi.yaml", "/nowhere", "/chat/message", "/admin/api/markets", "/admin/api/nowhere", messagesOf("x")} {
		a, err := s.Send(t.Context(), nil, "GET", target, nil, "x-trace-id", "trace-of-mine.1")
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Header.Get("x-trace-id"); got != "trace-of-mine.1" {
			t.Errorf("%s: x-trace-id %q", target, got)
		}
		if a, err = s.Send(t.Context(), nil, "GET", target, nil, "x-trace-id", "<script>"); err != nil {
			t.Fatal(err)
		}
		if got := a.Header.Get("x-trace-id"); got == "" || strings.Contains(got, "<") {
			t.Errorf("%s: x-trace-id %q", target, got)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	var got struct{ Status, Version, Model string }
	a := start(t).Call(t, "GET", "/healthz", nil).Wants(t, http.StatusOK, &got)
	if got.Status != "ok" || got.Version != "test" || got.Model == "" {
		t.Errorf("%s", a.Body)
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	var got struct {
		Status string
		Needs  map[string]string
	}
	start(t).Call(t, "GET", "/readyz", nil).Wants(t, http.StatusOK, &got)
	if got.Status != "ready" || got.Needs["store"] != "ok" || got.Needs["turns queue"] != "ok" {
		t.Errorf("%+v", got)
	}
}

// What waits for YES is listed as it was offered, until its time is over; the YES settles it.
func TestBookingByChat(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, offer := s.Offered(t, "boat trip", "1", "tomorrow at 10 for 2")
	var l apitest.List
	s.Call(t, "GET", messagesOf(offer.ThreadID), nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
	if l.State != thread.AwaitingConfirmation || cmp.Diff(l.PendingAction, offer.PendingAction) != "" {
		t.Errorf("listed as %s with %+v, offered %+v", l.State, l.PendingAction, offer.PendingAction)
	}
	if !offer.PendingAction.ExpiresAt.After(apitest.Now()) || offer.PendingAction.Summary == "" {
		t.Errorf("offer: %+v", offer.PendingAction)
	}
	var over apitest.List
	s.CallTo(t, s.later(t, offer.PendingAction.ExpiresAt.Sub(apitest.Now())), "GET", messagesOf(offer.ThreadID), nil, "x-session-id", id).Wants(t, http.StatusOK, &over)
	if over.State != thread.Idle || over.PendingAction != nil || len(over.Messages) != len(l.Messages) {
		t.Errorf("when its time is over, listed as %s with %+v and %d messages", over.State, over.PendingAction, len(over.Messages))
	}
	if got := s.Say(t, id, "yes"); got.State != thread.Idle || got.PendingAction != nil || got.Reply == "" {
		t.Errorf("after YES: %+v", got)
	}
}

// A YES before the time that is named with an offer settles it; from then on it comes too late.
func TestAnswerBy(t *testing.T) {
	t.Parallel()
	s := start(t)
	for past, want := range map[time.Duration]string{-45 * time.Second: "Your booking is confirmed", 0: "the time to confirm is over"} {
		id, offer := s.Offered(t, "boat trip", "1", "tomorrow at 10 for 2")
		var got api.ChatResponse
		yes := map[string]any{"message": "yes", "sessionId": id}
		s.CallTo(t, s.later(t, offer.PendingAction.AnswerBy.Add(past).Sub(apitest.Now())), "POST", "/chat/message", yes).Wants(t, http.StatusOK, &got)
		if !strings.Contains(got.Reply, want) {
			t.Errorf("%v past it: %s", past, got.Reply)
		}
	}
}

// However many sessions there are at one address, no more tables are held than an address may have, and each
// session that gets none is told so. Who has signed in, or writes from elsewhere, still gets one. This machine's
// own address is exempt unless it is to be bounded.
func TestSessionsOfAnAddressHoldOnlySoMuch(t *testing.T) {
	t.Parallel()
	s := &service{apitest.Quiet(t, http.DefaultClient)}
	m, err := s.Base.Markets().Read(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	m.Safety.MaxBookings = 1
	if _, err := s.Base.Markets().Save(t.Context(), *m, "test"); err != nil {
		t.Fatal(err)
	}
	loopback := s.With(t, func(*app.Process) {})
	bounded := s.With(t, func(b *app.Process) { b.Config.BoundLoopback = true })
	book := func(front http.Handler, n int, header ...string) api.ChatResponse {
		t.Helper()
		day, at := apitest.Now().AddDate(0, 0, 2+n/9), []string{"18:00", "19:30", "21:00"}[n%3]
		ask := fmt.Sprintf("book a table at Harbour Sushi for 2 people on %s at %s", day.Format("2 January 2006"), at)
		var got api.ChatResponse
		s.CallTo(t, front, "POST", "/chat/message", map[string]any{"message": ask, "sessionId": apitest.SessionID()}, header...).Wants(t, http.StatusOK, &got)
		return got
	}
	held, refused := 0, 0
	for n := range 24 {
		switch got := book(fromAddress("127.0.0.1:4711", bounded), n); {
		case got.PendingAction != nil:
			held++
		case strings.Contains(got.Reply, "from one internet connection"):
			refused++
		default:
			t.Fatalf("%d: %q", n, got.Reply)
		}
	}
	if held != 20 || refused != 4 {
		t.Errorf("%d held, %d refused", held, refused)
	}
	for name, got := range map[string]api.ChatResponse{
		"exempt":    book(fromAddress("127.0.0.1:4711", loopback), 30),
		"elsewhere": book(fromAddress("198.51.100.4:4711", bounded), 40),
		"signed in": book(fromAddress("127.0.0.1:4711", bounded), 50, s.Issuer.Token(t, dynamotest.ID("user"))...),
	} {
		if got.PendingAction == nil {
			t.Errorf("%s: %q", name, got.Reply)
		}
	}
}
