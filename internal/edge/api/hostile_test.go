package api_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"merve/infra/wiring"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/pause/pausetest"
	"merve/internal/edge/api/apitest"
	"merve/internal/provider/meta"
	"merve/internal/provider/meta/metatest"
	"merve/internal/provider/stripe"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/provider/twilio/twiliotest"
)

// surface is a quiet service that is reached by TCP.
type surface struct {
	*service
	calls  *faulttest.Calls
	addr   string
	secret string // a session's id
	thread string // that session's
}

func newSurface(t *testing.T) *surface {
	t.Helper()
	calls := faulttest.With()
	s := &surface{service: &service{apitest.Quiet(t, calls)}, calls: calls, secret: apitest.SessionID()}
	s.addr = strings.TrimPrefix(s.URL, "http://")
	s.thread = s.Say(t, s.secret, "hello").ThreadID
	return s
}

// attempt is a request, as it goes over the wire.
type attempt struct {
	method, target string
	header         []string // lines
	body           string
	chunked        bool
	host           string // "" is the service's own
}

func (a attempt) with(lines ...string) attempt {
	a.header = append(slices.Clone(a.header), lines...)
	return a
}

// without takes the lines of a header away.
func (a attempt) without(name string) attempt {
	a.header = slices.DeleteFunc(slices.Clone(a.header), func(l string) bool { return strings.HasPrefix(l, name+":") })
	return a
}

func (a attempt) at(target string) attempt   { a.target = target; return a }
func (a attempt) as(method string) attempt   { a.method = method; return a }
func (a attempt) saying(body string) attempt { a.body = body; return a }

func (a attempt) raw(host string) string {
	if a.host != "" {
		host = a.host
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", a.method, a.target, host)
	for _, line := range a.header {
		b.WriteString(line + "\r\n")
	}
	switch {
	case a.chunked:
		fmt.Fprintf(&b, "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(a.body), a.body)
	case a.body != "":
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(a.body), a.body)
	default:
		b.WriteString("\r\n")
	}
	return b.String()
}

// exchange sends raw bytes and reads one answer.
func (s *surface) exchange(t *testing.T, method, raw string) answer {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(pausetest.Patience)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(conn, raw) }() // the server may hang up before it has all
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{Status: resp.StatusCode, Header: resp.Header, Body: body}
}

// An attack is an attempt, and the statuses of which its answer must have one.
type attack struct {
	name string
	attempt
	want []int
}

// What an attack may cost.
const (
	mostTime  = 10 * time.Second // on a busy machine; alone it is a hundredth
	mostBytes = 16 << 20         // beside a few copies of what was sent
	mostCalls = 3
	ofAll     = 32 // calls that look through all shards of two indexes, or at all that is kept of a person
)

// withstand sends the attack and holds the answer to what every answer promises.
func (s *surface) withstand(t *testing.T, a attack) answer {
	t.Helper()
	before, began := len(s.calls.Names()), time.Now()
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	got := s.exchange(t, a.method, a.raw(s.addr))
	runtime.ReadMemStats(&end)
	if took := time.Since(began); took > mostTime {
		t.Errorf("took %v", took)
	}
	if grew := end.TotalAlloc - start.TotalAlloc; grew > mostBytes+10*uint64(len(a.body)) {
		t.Errorf("took %d bytes of memory", grew)
	}
	made := s.calls.Names()[before:]
	if writes := slices.DeleteFunc(slices.Clone(made), isRead); len(writes) > 0 {
		t.Errorf("stored something: %v", writes)
	}
	if most := map[bool]int{false: mostCalls, true: ofAll}[looksAtMuch(a.target)]; len(made) > most {
		t.Errorf("made %d calls: %v", len(made), made)
	}
	if !slices.Contains(a.want, got.Status) {
		t.Errorf("%s %.80s: status %d, want one of %v: %.300s", a.method, a.target, got.Status, a.want, got.Body)
	}
	s.isClean(t, a, got)
	return got
}

// looksAtMuch reports whether what is at an address takes many calls, for staff only.
func looksAtMuch(target string) bool {
	return strings.HasPrefix(target, "/admin/api/outbox") || strings.HasPrefix(target, "/admin/api/alerts/check") || strings.HasPrefix(target, "/admin/api/threads?") || strings.HasPrefix(target, "/admin/api/threads/") && strings.Contains(target, "/data")
}

func isRead(call string) bool { return call == "GetItem" || call == "Query" || call == "BatchGetItem" }

// isClean checks what must be so of any answer: one shape of error, the headers, nothing
// from inside, no secret.
func (s *surface) isClean(t *testing.T, a attack, got answer) {
	t.Helper()
	if got.Header.Get("X-Trace-Id") == "" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers: %v", got.Header)
	}
	for _, name := range []string{"Set-Cookie", "Server", "X-Powered-By", "Access-Control-Allow-Origin", "X-Injected"} {
		if v := got.Header.Get(name); v != "" {
			t.Errorf("the answer has %s: %s", name, v)
		}
	}
	media, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if page := (strings.HasPrefix(a.target, "/r/") || strings.HasPrefix(a.target, "/pay/")) && media == "text/html"; got.Status >= 400 && got.Status != 412 && a.method != "HEAD" && !page {
		var p fault.Problem
		if err := json.Unmarshal(got.Body, &p); err != nil || media != "application/problem+json" {
			t.Errorf("status %d as %s: %v in %.200s", got.Status, media, err, got.Body)
		} else if p.Status != got.Status || p.Title == "" || p.TraceID != got.Header.Get("X-Trace-Id") {
			t.Errorf("status %d, but the document says %+v", got.Status, p)
		}
	}
	text := string(got.Body)
	for _, secret := range []string{
		apitest.AdminToken, s.secret, "test-key-not-real", twiliotest.AuthToken, metatest.AppSecret, metatest.Token, stripetest.Key, stripetest.WebhookSecret, apitest.VerifyToken, canary, base64.StdEncoding.EncodeToString([]byte(canary)),
		"goroutine ", ".go:", "panic", "runtime error", "dynamodb", "DynamoDB", "ValidationException", "hostile-", "amzn", "RequestID",
	} {
		if strings.Contains(text, secret) || strings.Contains(fmt.Sprint(got.Header), secret) {
			t.Errorf("the answer holds %q: %.300s", secret, text)
		}
	}
}

// canary stands where a client's secrets are.
const canary = "canary-secret-not-real-0123456789"

// refusals are the statuses of what is wrong with a request.
var refusals = []int{400, 404, 405, 413}

// goods are requests that would be served, by operation: what attacks are made from. A
// route that is not here has no attacks, and fails the test.
func (s *surface) goods(t *testing.T) map[string]attempt {
	t.Helper()
	staff, json := "Authorization: Bearer "+apitest.AdminToken, "Content-Type: application/json"
	get := func(target string) attempt {
		return attempt{method: "GET", target: "/admin/api" + target, header: []string{staff}}
	}
	change := func(method, target, body string) attempt {
		a := attempt{method: method, target: "/admin/api" + target, header: []string{staff}, body: body}
		if body != "" {
			a = a.with(json)
		}
		return a
	}
	table := func(target, media, body string) attempt {
		return attempt{method: "POST", target: "/admin/api" + target, header: []string{staff, "Content-Type: " + media}, body: body}
	}
	listing := `{"businessId":"b","domain":"d","category":"c","names":{"en":"x"}}`
	mine, report := "x-session-id: "+s.secret, "rp_aaaaaaaaaaaaaaaa"
	return map[string]attempt{
		"GET /sara":                             {method: "GET", target: "/sara"},
		"GET /sara.js":                          {method: "GET", target: "/sara.js"},
		"GET /sara/{file+}":                     {method: "GET", target: "/sara/page.css"},
		"GET /r/{reportId}/{token}":             {method: "GET", target: "/r/" + report + "/AAAAAAAAAAAAAAAAAAAAAA"},
		"POST /web-chat-api":                    {method: "POST", target: webChatPath, header: []string{json}, body: `{"text":"hello","sessionId":"` + s.secret + `"}`},
		"OPTIONS /web-chat-api":                 {method: "OPTIONS", target: webChatPath},
		"GET /web-chat-api/messages":            {method: "GET", target: webListPath, header: []string{mine}},
		"OPTIONS /web-chat-api/messages":        {method: "OPTIONS", target: webListPath},
		"POST /chat/photos":                     {method: "POST", target: "/chat/photos", header: []string{json}, body: `{"contentType":"image/png","size":7,"sessionId":"` + s.secret + `"}`},
		"POST /web-chat-api/photos":             {method: "POST", target: webPhotoPath, header: []string{json}, body: `{"contentType":"image/png","size":7,"sessionId":"` + s.secret + `"}`},
		"OPTIONS /web-chat-api/photos":          {method: "OPTIONS", target: webPhotoPath},
		"GET /web-chat-api/me":                  {method: "GET", target: webDataPath, header: []string{mine}},
		"DELETE /web-chat-api/me":               {method: "DELETE", target: webDataPath, header: []string{mine}},
		"OPTIONS /web-chat-api/me":              {method: "OPTIONS", target: webDataPath},
		"GET /webhooks/messenger":               {method: "GET", target: messengerPath + "?hub.mode=subscribe&hub.challenge=1&hub.verify_token=" + apitest.VerifyToken},
		"POST /webhooks/messenger":              s.fromMeta(s.Meta.Batch(s.Meta.Message("7", "m_hostile", "hello"))),
		"POST /webhooks/stripe":                 fromStripe(stripetest.Event("evt_hostile", "payment_intent.payment_failed", map[string]any{"object": "payment_intent", "id": "pi_1", "currency": "eur", "metadata": map[string]string{"transaction": "no-such"}})),
		"GET /trace/static/{file}":              {method: "GET", target: "/trace/static/trace.js"},
		"GET /live":                             {method: "GET", target: "/live"},
		"GET /live/static/{file}":               {method: "GET", target: "/live/static/live.js"},
		"GET /trace/{conversationId}":           {method: "GET", target: "/trace/none-such"},
		"GET /pay/static/{file}":                {method: "GET", target: "/pay/static/pay.css"},
		"GET /pay/{transaction}/{token}":        {method: "GET", target: "/pay/no-such/" + strings.Repeat("A", 32)},
		"GET /pay/{transaction}/{token}/intent": {method: "GET", target: "/pay/no-such/" + strings.Repeat("A", 32) + "/intent"},
		"GET /admin":                            {method: "GET", target: "/admin"},
		"GET /admin/config.json":                {method: "GET", target: "/admin/config.json"},
		"GET /admin/static/{file+}":             {method: "GET", target: "/admin/static/admin.css"},
		"GET /admin/signed-in":                  {method: "GET", target: "/admin/signed-in"},
		"GET /admin/reports":                    {method: "GET", target: "/admin/reports"},
		"GET /admin/reports/{reportId}":         {method: "GET", target: "/admin/reports/" + report},

		"GET /admin/api/reports":                               get("/reports"),
		"GET /admin/api/reports/{report}":                      get("/reports/" + report),
		"POST /admin/api/reports/{report}/resolve":             change("POST", "/reports/"+report+"/resolve", ""),
		"POST /admin/api/reports/{report}/links/{link}/revoke": change("POST", "/reports/"+report+"/links/"+strings.Repeat("0", 64)+"/revoke", ""),
		"GET /admin/api/threads/{thread}/data":                 get("/threads/" + s.thread + "/data"),
		"DELETE /admin/api/threads/{thread}/data":              change("DELETE", "/threads/no-such/data", ""),

		"GET /":               {method: "GET", target: "/"},
		"GET /static/{file+}": {method: "GET", target: "/static/chat.js"},
		"GET /healthz":        {method: "GET", target: "/healthz"},
		"GET /readyz":         {method: "GET", target: "/readyz"},
		"GET /openapi.yaml":   {method: "GET", target: "/openapi.yaml"},
		"GET /docs":           {method: "GET", target: "/docs"},
		"GET /docs/{page}":    {method: "GET", target: "/docs/tour"},

		"POST /api/chat":                       {method: "POST", target: "/api/chat", header: []string{json, mine}, body: `{"conversationId":"errands","prompt":"hello"}`},
		"DELETE /api/chat/reset":               {method: "DELETE", target: "/api/chat/reset", header: []string{json, mine}, body: `{"conversationId":"errands"}`},
		"GET /marketplace/states":              {method: "GET", target: "/marketplace/states"},
		"GET /marketplace/requests/{id}":       {method: "GET", target: "/marketplace/requests/rq_aaaaaaaaaaaaaaaa", header: []string{staff}},
		"GET /marketplace/requests/{id}/audit": {method: "GET", target: "/marketplace/requests/rq_aaaaaaaaaaaaaaaa/audit", header: []string{staff}},
		"GET /marketplace/requests/{id}/feed":  {method: "GET", target: "/marketplace/requests/rq_aaaaaaaaaaaaaaaa/feed", header: []string{staff}},
		"POST /marketplace/tools/{tool}":       {method: "POST", target: "/marketplace/tools/marketplace.search_vendors", header: []string{staff, json}, body: `{"request_id":"rq_aaaaaaaaaaaaaaaa","category":"x","meta":{"request_id":"rq_aaaaaaaaaaaaaaaa","idempotency_key":"request:rq_aaaaaaaaaaaaaaaa:hash:1","actor":"admin","timestamp":"2026-11-23T10:00:00Z"}}`},

		"GET /api/chat/{conversationId}/trace": {method: "GET", target: "/api/chat/errands/trace", header: []string{mine}},

		"GET /api/conversations/{id}/health":        {method: "GET", target: "/api/conversations/trip/health?agentId=merve", header: []string{mine}},
		"GET /api/conversations/{id}/state":         {method: "GET", target: "/api/conversations/trip/state?agentId=merve", header: []string{mine}},
		"GET /api/conversations/{id}/summary":       {method: "GET", target: "/api/conversations/trip/summary?agentId=merve", header: []string{mine}},
		"GET /api/conversations/{id}/debug":         {method: "GET", target: "/api/conversations/trip/debug", header: []string{staff}},
		"POST /api/conversations/{id}/message":      {method: "POST", target: "/api/conversations/trip/message", header: []string{json, mine}, body: `{"agentId":"merve","text":"hello"}`},
		"POST /api/conversations/{id}/resync":       {method: "POST", target: "/api/conversations/trip/resync", header: []string{json, mine}, body: `{"agentId":"merve","lastEventId":"1"}`},
		"POST /api/conversations/{id}/rtk-token":    {method: "POST", target: "/api/conversations/trip/rtk-token?agentId=merve", header: []string{json, mine}, body: `{"callSessionId":"call-1"}`},
		"POST /api/v2/conversations/{id}/rtk-token": {method: "POST", target: "/api/v2/conversations/trip/rtk-token?agentId=merve", header: []string{json, mine}, body: `{"callSessionId":"call-1"}`},
		"POST /api/conversations/{id}/reset":        {method: "POST", target: "/api/conversations/trip/reset?agentId=merve", header: []string{mine}},
		"GET /api/v2/conversations/{id}/health":     {method: "GET", target: "/api/v2/conversations/trip/health?agentId=merve", header: []string{mine}},
		"GET /api/v2/conversations/{id}/state":      {method: "GET", target: "/api/v2/conversations/trip/state?agentId=merve", header: []string{mine}},
		"GET /api/v2/conversations/{id}/summary":    {method: "GET", target: "/api/v2/conversations/trip/summary?agentId=merve", header: []string{mine}},
		"GET /api/v2/conversations/{id}/debug":      {method: "GET", target: "/api/v2/conversations/trip/debug", header: []string{staff}},
		"POST /api/v2/conversations/{id}/message":   {method: "POST", target: "/api/v2/conversations/trip/message", header: []string{json, mine}, body: `{"agentId":"merve","text":"hello"}`},
		"POST /api/v2/conversations/{id}/resync":    {method: "POST", target: "/api/v2/conversations/trip/resync", header: []string{json, mine}, body: `{"agentId":"merve","lastEventId":"1"}`},
		"POST /api/v2/conversations/{id}/reset":     {method: "POST", target: "/api/v2/conversations/trip/reset?agentId=merve", header: []string{mine}},

		"POST /chat/message":                     {method: "POST", target: "/chat/message", header: []string{json}, body: `{"message":"hello","sessionId":"` + s.secret + `"}`},
		"GET /chat/threads/{threadId}/activity":  {method: "GET", target: "/chat/threads/" + s.thread + "/activity", header: []string{"x-session-id: " + s.secret}},
		"GET /chat/threads/{threadId}/messages":  {method: "GET", target: messagesOf(s.thread), header: []string{"x-session-id: " + s.secret}},
		"POST /webhooks/whatsapp":                s.form(inboundPath, s.Twilio.Inbound("SM-hostile", "+15550100", "hello")),
		"POST /webhooks/whatsapp/calls/answered": s.form("/webhooks/whatsapp/calls/answered?attempt=ca_aaaaaaaaaaaaaaaa&consent=cc_aaaaaaaaaaaaaaaa&request=rq_aaaaaaaaaaaaaaaa", url.Values{"CallSid": {"CA1"}, "CallStatus": {"in-progress"}}),
		"POST /webhooks/whatsapp/calls/status":   s.form("/webhooks/whatsapp/calls/status?attempt=ca_aaaaaaaaaaaaaaaa&consent=cc_aaaaaaaaaaaaaaaa&request=rq_aaaaaaaaaaaaaaaa", url.Values{"CallSid": {"CA1"}, "CallStatus": {"ringing"}}),
		"POST /webhooks/whatsapp/status":         s.form(statusPath+"?message=m&thread=t", url.Values{"MessageSid": {"SM1"}, "MessageStatus": {"read"}}),

		"GET /admin/api/markets":                                          get("/markets"),
		"GET /admin/api/markets/{market}":                                 get("/markets/demo"),
		"PUT /admin/api/markets/{market}":                                 change("PUT", "/markets/hostile", `{"name":"x"}`),
		"POST /admin/api/markets/{market}/reindex":                        change("POST", "/markets/no-such/reindex", ""),
		"GET /admin/api/markets/{market}/versions":                        get("/markets/demo/versions"),
		"GET /admin/api/markets/{market}/listings":                        get("/markets/demo/listings"),
		"GET /admin/api/markets/{market}/listings/{listing}":              get("/markets/demo/listings/no-such"),
		"PUT /admin/api/markets/{market}/listings/{listing}":              change("PUT", "/markets/demo/listings/x", listing),
		"DELETE /admin/api/markets/{market}/listings/{listing}":           change("DELETE", "/markets/demo/listings/no-such", ""),
		"GET /admin/api/markets/{market}/listings/{listing}/versions":     get("/markets/demo/listings/no-such/versions"),
		"POST /admin/api/markets/{market}/listings/preview":               change("POST", "/markets/demo/listings/preview", `{"event":"merchant_order_placed","action":"order_food"}`),
		"POST /admin/api/markets/{market}/listings/import":                table("/markets/demo/listings/import", "text/csv", "id,businessId,domain,category\nx,b,d,c\n"),
		"GET /admin/api/markets/{market}/listings/export":                 get("/markets/nowhere/listings/export"),
		"POST /admin/api/markets/{market}/preview":                        change("POST", "/markets/demo/preview", `{"event":"taxi_taken","template":"{code}"}`),
		"GET /admin/api/markets/{market}/requests/{request}":              get("/markets/demo/requests/rq_aaaaaaaaaaaaaaaa"),
		"GET /admin/api/markets/{market}/assistants":                      get("/markets/demo/assistants"),
		"POST /admin/api/markets/{market}/assistants/{assistant}/preview": change("POST", "/markets/demo/assistants/pestcall/preview", `{"language":"en"}`),
		"GET /admin/api/markets/{market}/tools":                           get("/markets/demo/tools"),
		"GET /admin/api/markets/{market}/days":                            get("/markets/demo/days"),
		"GET /admin/api/markets/{market}/drivers":                         get("/markets/demo/drivers"),
		"PUT /admin/api/markets/{market}/drivers/{driver}":                change("PUT", "/markets/demo/drivers/x", `{"name":"x","phone":"+15550100","districts":["d"],"seats":4}`),
		"DELETE /admin/api/markets/{market}/drivers/{driver}":             change("DELETE", "/markets/demo/drivers/no-such", ""),
		"GET /admin/api/markets/{market}/rides":                           get("/markets/demo/rides"),
		"GET /admin/api/markets/{market}/rides/{thread}/{ride}":           get("/markets/demo/rides/" + s.thread + "/no-such"),
		"POST /admin/api/markets/{market}/rides/{thread}/{ride}/cancel":   change("POST", "/markets/demo/rides/"+s.thread+"/no-such/cancel", ""),
		"GET /admin/api/markets/{market}/places":                          get("/markets/demo/places"),
		"PUT /admin/api/markets/{market}/places/{place}":                  change("PUT", "/markets/demo/places/x", `{"category":"beach","names":{"en":"x"},"location":{"lat":1,"lng":1}}`),
		"DELETE /admin/api/markets/{market}/places/{place}":               change("DELETE", "/markets/demo/places/no-such", ""),
		"GET /admin/api/markets/{market}/vendors":                         get("/markets/demo/vendors"),
		"PUT /admin/api/markets/{market}/vendors/{vendor}":                change("PUT", "/markets/demo/vendors/x", `{"name":"x","category":"c","phone":"+15550100"}`),
		"DELETE /admin/api/markets/{market}/vendors/{vendor}":             change("DELETE", "/markets/demo/vendors/no-such", ""),
		"POST /admin/api/markets/{market}/vendors/import":                 table("/markets/demo/vendors/import", "application/x-ndjson", `{"id":"x"}`),
		"GET /admin/api/markets/{market}/customers":                       get("/markets/demo/customers"),
		"GET /admin/api/markets/{market}/customers/{customer}":            get("/markets/demo/customers/no-such"),
		"PUT /admin/api/markets/{market}/customers/{customer}":            change("PUT", "/markets/demo/customers/x", `{"name":"x","phones":["+15550100000"],"zip":"94107","address":"a"}`),
		"DELETE /admin/api/markets/{market}/customers/{customer}":         change("DELETE", "/markets/demo/customers/no-such", ""),
		"POST /admin/api/markets/{market}/customers/import":               table("/markets/demo/customers/import", "application/x-ndjson", `{"id":"x"}`),
		"GET /admin/api/markets/{market}/visits":                          get("/markets/demo/visits"),
		"PUT /admin/api/markets/{market}/services/{service}":              change("PUT", "/markets/demo/services/x", `{"name":"x","minutes":60,"priceMinor":0,"currency":"USD"}`),
		"DELETE /admin/api/markets/{market}/services/{service}":           change("DELETE", "/markets/demo/services/no-such", ""),
		"PUT /admin/api/markets/{market}/technicians/{technician}":        change("PUT", "/markets/demo/technicians/x", `{"business":"b","name":"x","areas":["9"],"services":["no-such"],"timeZone":"UTC","slotMinutes":60}`),
		"DELETE /admin/api/markets/{market}/technicians/{technician}":     change("DELETE", "/markets/demo/technicians/no-such", ""),
		"GET /admin/api/markets/{market}/requests":                        get("/markets/demo/requests"),
		"POST /admin/api/markets/{market}/requests":                       change("POST", "/markets/demo/requests", `{"category":"c"}`),
		"POST /admin/api/markets/{market}/places/import":                  table("/markets/demo/places/import", "application/x-ndjson", `{"id":"x"}`),
		"GET /admin/api/markets/{market}/waiting":                         get("/markets/demo/waiting"),
		"POST /admin/api/alerts/check":                                    change("POST", "/alerts/check", ""),
		"GET /admin/api/vocabulary":                                       get("/vocabulary"),
		"GET /admin/api/orders":                                           get("/orders?businessId=b"),
		"GET /admin/api/orders/{business}/{code}":                         get("/orders/b/NONE"),
		"GET /admin/api/threads":                                          get("/threads?marketId=demo"),
		"POST /admin/api/threads/{thread}/take":                           change("POST", "/threads/no-such/take", ""),
		"POST /admin/api/threads/{thread}/return":                         change("POST", "/threads/no-such/return", ""),
		"POST /admin/api/threads/{thread}/messages":                       change("POST", "/threads/no-such/messages", `{"text":"x","clientMessageId":"y"}`),
		"GET /admin/{page}":                                               {method: "GET", target: "/admin/overview"},

		"GET /admin/api/transactions":                          get("/transactions?businessId=b"),
		"GET /admin/api/transactions/{transaction}":            get("/transactions/no-such"),
		"PUT /admin/api/transactions/{transaction}/no-show":    change("PUT", "/transactions/no-such/no-show", ""),
		"DELETE /admin/api/transactions/{transaction}/no-show": change("DELETE", "/transactions/no-such/no-show", ""),
		"GET /admin/api/alerts":                                get("/alerts"),
		"POST /admin/api/alerts/{alert}/acknowledge":           change("POST", "/alerts/no-such/acknowledge", ""),
		"GET /admin/api/outbox":                                get("/outbox"),
		"POST /admin/api/outbox/{thread}/{message}/send":       change("POST", "/outbox/no-such/no-such/send", ""),
		"GET /admin/api/audit":                                 get("/audit?threadId=" + s.thread),
		"GET /admin/api/threads/{thread}":                      get("/threads/" + s.thread),
		"GET /admin/api/threads/{thread}/messages":             get("/threads/" + s.thread + "/messages"),
	}
}

// form is a webhook as Twilio signs it.
func (s *surface) form(target string, form url.Values) attempt {
	return attempt{method: "POST", target: target, body: form.Encode(), header: []string{
		"Content-Type: application/x-www-form-urlencoded", "X-Twilio-Signature: " + s.Twilio.Sign(s.URL+target, form),
	}}
}

// fromMeta is a webhook as Meta signs it.
func (s *surface) fromMeta(body []byte) attempt {
	return attempt{method: "POST", target: messengerPath, body: string(body), header: []string{
		"Content-Type: application/json", meta.SignatureHeader + ": " + s.Meta.Sign(body),
	}}
}

// fromStripe is a webhook as Stripe signs it.
func fromStripe(body string) attempt {
	return attempt{method: "POST", target: "/webhooks/stripe", body: body, header: []string{
		"Content-Type: application/json; charset=utf-8", stripe.SignatureHeader + ": " + stripetest.Sign(body, apitest.Now()),
	}}
}

// onStripeSignature are webhooks that Stripe did not sign, or not lately.
func onStripeSignature(good attempt) (all []attack) {
	header := func(value string) attempt {
		return good.without(stripe.SignatureHeader).with(stripe.SignatureHeader + ": " + value)
	}
	signature := stripetest.Sign(good.body, apitest.Now())
	for name, a := range map[string]attempt{
		"none": good.without(stripe.SignatureHeader), "empty": header(""), "another body": good.saying(good.body + " "),
		"an hour ago": header(stripetest.Sign(good.body, apitest.Now().Add(-time.Hour))), "in an hour": header(stripetest.Sign(good.body, apitest.Now().Add(time.Hour))),
		"no time": header(signature[strings.Index(signature, "v1="):]), "no scheme": header(strings.Replace(signature, "v1=", "v9=", 1)),
		"the old scheme": header(strings.Replace(signature, "v1=", "v0=", 1)), "made up": header("t=1,v1=" + strings.Repeat("0", 64)),
		"long": header("t=1" + strings.Repeat(",v1=00", 1000)), "markup": header("<script>"), "half": header(signature[:len(signature)/2]),
	} {
		all = append(all, attack{"signature: " + name, a, []int{403}})
	}
	return all
}

// everyRoute lists "METHOD /path" of everything that is behind the gateway.
func everyRoute() []string {
	all := slices.Collect(maps.Keys(inside()))
	for _, f := range wiring.Functions() {
		for _, r := range f.Routes {
			if r.Method != "ANY" {
				all = append(all, r.Method+" "+r.Path)
			}
		}
	}
	slices.Sort(all)
	return all
}

// isPage reports whether a route is of a page, or of a file that pages load.
func isPage(route string) bool {
	return slices.ContainsFunc(wiring.Functions(), func(f wiring.Function) bool {
		return slices.ContainsFunc(f.Routes, func(r wiring.Route) bool { return r.Undocumented && r.Key() == route })
	})
}

// Every route withstands every attack that can be made on a route of its kind: the answer
// is a refusal in the one shape of errors, says nothing from inside and no secret, comes
// within a bound of time and memory, and nothing is stored.
func TestEveryRouteWithstands(t *testing.T) { // alone: what a request allocates is measured
	s := newSurface(t)
	goods, n := s.goods(t), 0
	for _, route := range everyRoute() {
		good, ok := goods[route]
		if !ok {
			t.Errorf("%s has no hostile cases: give it a good request in goods", route)
			continue
		}
		delete(goods, route)
		all := slices.Concat(s.onPath(good), s.onMethod(route, good), s.onHeaders(route, good), s.onQuery(route, good), s.onWho(t, route, good), s.onBody(route, good))
		n += len(all)
		t.Run(route, func(t *testing.T) {
			for _, a := range all {
				t.Run(a.name, func(t *testing.T) { s.withstand(t, a) })
			}
		})
	}
	for route := range goods {
		t.Errorf("%s: a good request to a route that is not there", route)
	}
	faulttest.Tried(t, n)
}

func (s *surface) onPath(good attempt) (all []attack) {
	path, query, _ := strings.Cut(good.target, "?")
	if query != "" {
		query = "?" + query
	}
	for name, target := range map[string]string{
		"double slash":           "/" + path,
		"double slash inside":    strings.Replace(path, "/", "//", 2),
		"dot":                    "/." + path,
		"dots":                   "/x/.." + path,
		"dots, encoded":          "/x/%2e%2e" + path,
		"dots, encoded twice":    "/x/%252e%252e" + path,
		"dots and backslash":     `/x\..` + path,
		"encoded slash in front": "/%2f" + path[1:],
		"NUL behind":             path + "%00",
		"NUL and suffix":         path + "%00.js",
		"CRLF behind":            path + "%0d%0aX-Injected:%201",
		"line behind":            path + "%0a",
		"overlong UTF-8":         path + "%c0%ae",
		"not UTF-8":              path + "%ff",
		"parameter":              path + ";admin=true",
		"matrix in the middle":   "/;a=b" + path,
		"long":                   path + strings.Repeat("a", 8000),
		"deep":                   strings.Repeat("/a", 4000) + path,
		"right to left":          path + "%e2%80%ae",
		"capitals":               strings.ToUpper(path) + "X",
		"below":                  path + "/below",
		"asterisk":               "/*",
	} {
		if path == "/" && (name == "dot" || name == "dots, encoded") {
			target += "/"
		}
		want := refusals
		if strings.HasPrefix(path, "/admin/api/") || strings.HasPrefix(path, "/admin/reports") || strings.HasPrefix(path, "/admin/overview") || path == "/admin" || strings.HasPrefix(path, "/chat/threads/") {
			want = []int{200, 400, 404, 405} // what may stand in an id belongs to nothing
		}
		all = append(all, attack{"path: " + name, good.at(target + query), want})
	}
	return all
}

func (s *surface) onMethod(route string, good attempt) (all []attack) {
	path := strings.SplitN(route, " ", 2)[1]
	for _, method := range []string{"DELETE", "PATCH", "TRACE", "PROPFIND", "OPTIONS", "get", "GETS", strings.Repeat("A", 2000)} {
		if !slices.Contains(everyRoute(), method+" "+path) {
			all = append(all, attack{"method: " + method[:min(8, len(method))], good.as(method), []int{404, 405}})
		}
	}
	other := "PUT"
	if slices.Contains(everyRoute(), "PUT "+path) {
		other = "POST"
	}
	all = append(all, attack{"method: " + other, good.as(other), []int{404, 405}}, attack{"method: HEAD", good.as("HEAD"), []int{200, 404, 405}})
	if good.method == "GET" {
		for _, name := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
			all = append(all, attack{name, good.with(name + ": PUT"), []int{200, 404}})
		}
	}
	return all
}

// onHeaders are headers that somebody between the client and us could believe. They
// change nothing: a good read stays one, and whoever is nobody stays nobody.
func (s *surface) onHeaders(route string, good attempt) (all []attack) {
	many := make([]string, 3000)
	for i := range many {
		many[i] = fmt.Sprintf("X-Many-%d: %s", i, canary)
	}
	base := good
	want := []int{200, 404}
	switch {
	case good.method == "OPTIONS":
		want = []int{204}
	case good.method != "GET":
		base = nobody(good)
		want = []int{400, 401, 403}
	}
	page := isPage(route)
	for name, lines := range map[string][]string{
		"forwarded host":      {"X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https", "X-Forwarded-Port: 1", "X-Forwarded-Prefix: /evil"},
		"forwarded for":       {"X-Forwarded-For: 127.0.0.1, ::1", "X-Real-Ip: 127.0.0.1", "Forwarded: for=127.0.0.1;host=evil.example;proto=https", "True-Client-Ip: 127.0.0.1", "X-Amzn-Source-Ip: 127.0.0.1"},
		"another path":        {"X-Original-Url: /admin/api/markets", "X-Rewrite-Url: /admin/api/markets", "X-Forwarded-Uri: /admin/api/markets", "X-Forwarded-Path: /admin"},
		"what a gateway says": {"X-Amz-Cf-Id: x", "X-Amzn-Oidc-Identity: staff", "X-Apigateway-Event: {}", "X-Amzn-Lambda-Context: {}", "Apigw-Requestid: x"},
		"range":               {"Range: bytes=0-0,1-1,-1", "If-Range: x"},
		"conditions":          {"If-Match: \"nothing\"", "If-None-Match: \"nothing\""},
		"many":                many,
		"long":                {"X-Long: " + strings.Repeat(canary, 10_000)},
		"trace with a line":   {"X-Trace-Id: x%0d%0aX-Injected: 1"},
		"trace with markup":   {`X-Trace-Id: <script>alert("` + canary + `")</script>`},
		"trace, very long":    {"X-Trace-Id: " + strings.Repeat("t", 5000)},
		"traces":              {"X-Trace-Id: one", "X-Trace-Id: two", "X-Amzn-Trace-Id: Root=" + canary, "Traceparent: 00-" + canary},
		"not UTF-8":           {"X-Odd: \xff\xfe"},
		"accept":              {"Accept: text/html;q=x, */*;q=1e9", "Accept-Encoding: gzip;q=1,,;"},
		"upgrade":             {"Upgrade: websocket", "Sec-Websocket-Key: x"},
		"cookies":             {"Cookie: session=" + canary + "; admin=true", "Cookie: ;;;=;"},
		"origin":              {"Origin: https://evil.example", "Access-Control-Request-Method: PUT", "Sec-Fetch-Site: cross-site"},
	} {
		wants := want
		switch {
		case name == "conditions" && page:
			wants = []int{200, 412}
		case name == "range" && page:
			wants = []int{200, 206, 416}
		case name == "upgrade" && good.target == wiring.SocketPath:
			continue // it asks for the socket, which the gateway refuses in words of its own
		case name == "origin" && strings.HasPrefix(good.target, webChatPath):
			wants = []int{403}
		}
		all = append(all, attack{"header: " + name, base.with(lines...), wants})
	}
	odd := base
	odd.host = "evil.example"
	return append(all, attack{"header: another Host", odd, want})
}

// nobody is a request without what says who asks.
func nobody(a attempt) attempt {
	a = a.without("Authorization").without("x-session-id").without("X-Twilio-Signature").without(meta.SignatureHeader).without(stripe.SignatureHeader)
	switch {
	case strings.HasPrefix(a.target, "/chat/message"):
		a.body = `{"message":"hello"}`
	case a.target == webChatPath && a.body != "":
		a.body = `{"text":"hello"}`
	case (a.target == webPhotoPath || a.target == "/chat/photos") && a.body != "":
		a.body = `{"contentType":"image/png","size":7}`
	}
	return a
}

func (s *surface) onQuery(route string, good attempt) (all []attack) {
	path, _, _ := strings.Cut(good.target, "?")
	reads := strings.Contains(route, "GET /admin/api/") && route != "GET /admin/api/markets" && !strings.Contains(route, "}/listings") && !strings.HasSuffix(route, "{market}") && !strings.HasSuffix(route, "{transaction}") && !strings.HasSuffix(route, "{thread}") && !strings.HasSuffix(route, "{report}") && !takesNoList(route) && !strings.HasSuffix(route, "/data") ||
		strings.HasPrefix(route, "GET /chat/") && !strings.HasSuffix(route, "/activity") || route == "GET "+webListPath
	if !reads {
		return nil
	}
	for name, query := range map[string]string{
		"percent garbage": "limit=%zz", "semicolon": "limit=1;limit=2", "limit twice": "limit=1&limit=100", "limit 0": "limit=0", "limit negative": "limit=-1",
		"limit huge": "limit=99999999999999999999", "limit as exponent": "limit=1e1", "limit in hex": "limit=0x10", "limit in Arabic digits": "limit=%D9%A1",
		"limit with a space": "limit=+1", "limit empty": "limit=", "long": "x=" + strings.Repeat("a", 5000), "many": strings.Repeat("a&", 2000),
	} {
		all = append(all, attack{"query: " + name, good.at(path + "?" + query), []int{400}})
	}
	if strings.Contains(route, "messages") || strings.Contains(route, "audit") || strings.Contains(route, "alerts") || strings.Contains(route, "transactions") || strings.Contains(route, "reports") || strings.Contains(route, "rides") || route == "GET /admin/api/threads" {
		key := func(item string) string { return base64.RawURLEncoding.EncodeToString([]byte(item)) }
		for name, after := range map[string]string{
			"twice": "1.0&after=2.0", "NUL": "%00", "not base64": "%%%", "a list": key("[]"), "null": key("null"), "empty": key("{}"),
			"another key": key(`{"pk":"thread#` + s.thread + `","sk":"head"}`), "a number": key("7"), "nested": key(`{"pk":{"S":"x"}}`),
			"negative": "-1.-1", "huge": "99999999999999999999.0", "deep": key(strings.Repeat(`{"a":`, 100)), "not UTF-8": "%ff%fe",
		} {
			query := "marketId=demo&businessId=b&threadId=" + s.thread + "&after=" + strings.ReplaceAll(after, "%%%", "%25%25%25")
			all = append(all, attack{"cursor: " + name, good.at(path + "?" + query), []int{400}})
		}
	}
	return all
}

// takesNoList reports whether a route's answer is not cut into pages.
func takesNoList(route string) bool {
	for _, suffix := range []string{"/tools", "/days", "/drivers", "/places", "/waiting", "/vocabulary", "/orders", "{code}", "{ride}", "/assistants", "{request}", "{customer}", "/visits"} {
		if strings.HasSuffix(route, suffix) {
			return true
		}
	}
	return false
}

// onWho are those who are not who they should be.
func (s *surface) onWho(t *testing.T, route string, good attempt) (all []attack) {
	t.Helper()
	tokens := func(want ...int) {
		for name, token := range s.badTokens(t) {
			all = append(all, attack{"token: " + name, nobody(good).with("Authorization: Bearer " + token), want})
		}
	}
	switch {
	case strings.Contains(route, " /admin/api/"):
		tokens(401)
		all = append(all,
			attack{"nobody", nobody(good), []int{401}},
			attack{"a session", nobody(good).with("x-session-id: " + s.secret), []int{401}},
			attack{"a customer", nobody(good).with("Authorization: " + s.Issuer.Token(t, "ann", "customers")[1]), []int{403}},
			attack{"a group of a like name", nobody(good).with("Authorization: " + s.Issuer.Token(t, "ann", "Admin", "admin ", "administrators", "staff,admin")[1]), []int{403}},
			attack{"basic", nobody(good).with("Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("admin:"+apitest.AdminToken))), []int{401}},
			attack{"no scheme", nobody(good).with("Authorization: " + apitest.AdminToken), []int{401}},
			attack{"in the query", nobody(good).at(strings.Split(good.target, "?")[0] + "?access_token=" + apitest.AdminToken), []int{401}},
			attack{"half the token", nobody(good).with("Authorization: Bearer " + apitest.AdminToken[:len(apitest.AdminToken)-1]), []int{401}},
			attack{"two tokens", nobody(good).with("Authorization: Bearer "+canary, "Authorization: Bearer "+apitest.AdminToken), []int{401}},
		)
	case strings.HasPrefix(route, "GET /chat/threads/"):
		tokens(401)
		for name, id := range map[string]string{"another session": apitest.SessionID(), "the hash": s.thread, "upper case": strings.ToUpper(s.secret), "a space behind it": s.secret + "x"} {
			all = append(all, attack{name, nobody(good).with("x-session-id: " + id), []int{404}})
		}
		all = append(all,
			attack{"nobody", nobody(good), []int{401}},
			attack{"short", nobody(good).with("x-session-id: " + s.secret[:5]), []int{400}},
			attack{"twice", nobody(good).with("x-session-id: "+s.secret, "x-session-id: "+apitest.SessionID()), []int{400, 404}},
			attack{"staff", nobody(good).with("Authorization: Bearer " + apitest.AdminToken), []int{401}},
			attack{"a user", nobody(good).with("Authorization: " + s.Issuer.Token(t, "ann")[1]), []int{404}},
			attack{"a bad token beside the session", good.with("Authorization: Bearer " + canary), []int{401}},
		)
		for name, id := range oddIDs(s.thread) {
			all = append(all, attack{"thread: " + name, good.at("/chat/threads/" + id + "/messages"), []int{404, 405}})
		}
	case strings.HasSuffix(route, "/debug"):
		tokens(401)
		all = append(all,
			attack{"nobody", nobody(good), []int{401}},
			attack{"a session", nobody(good).with("x-session-id: " + s.secret), []int{401}},
			attack{"a customer", nobody(good).with("Authorization: " + s.Issuer.Token(t, "ann", "customers")[1]), []int{403}},
		)
	case strings.Contains(route, "/conversations/"):
		tokens(401)
	case strings.Contains(route, " /api/chat"):
		tokens(401)
		all = append(all,
			attack{"short", nobody(good).with("x-session-id: " + s.secret[:5]), []int{400}},
			attack{"a bad token beside the session", good.with("Authorization: Bearer " + canary), []int{401}},
		)
		if good.method == "GET" { // what nobody has begun is nobody's
			all = append(all, attack{"nobody", nobody(good), []int{404}})
			for name, id := range oddIDs("errands") {
				all = append(all, attack{"conversation: " + name, good.at("/api/chat/" + id + "/trace"), []int{404, 405}})
			}
			break
		}
		all = append(all, attack{"nobody", nobody(good), []int{400}})
		for name, id := range map[string]string{
			"a key": "errands#0", "of another kind": "plan#errands", "a slash": "a/b", "a space": "a b", "a line": "a\n", "empty": "", "NUL": "a\u0000", "long": strings.Repeat("x", 129), "very long": strings.Repeat("x", 50_000),
			"zero width": "a\u200b", "right to left": "\u202ea", "dots": "../../x", "a dash": "-", "not ASCII": "é",
		} {
			all = append(all, attack{"conversation: " + name, good.saying(strings.Replace(good.body, "errands", id, 1)), []int{400}})
		}
	case route == "POST /chat/message", route == "POST /chat/photos":
		tokens(401)
		all = append(all, attack{"nobody", nobody(good), []int{400}})
	case strings.Contains(route, webChatPath) && good.method != "OPTIONS":
		all = append(all, s.onSession(route, good)...)
	case strings.HasPrefix(route, "GET /r/"):
		for name, id := range oddIDs("rp_aaaaaaaaaaaaaaaa") {
			all = append(all, attack{"link: " + name, good.at("/r/" + id + "/AAAAAAAAAAAAAAAAAAAAAA"), []int{404}}, attack{"token: " + name, good.at("/r/rp_aaaaaaaaaaaaaaaa/" + id), []int{404}})
		}
	case route == "GET "+messengerPath:
		for name, query := range map[string]string{
			"none": "", "no token": "hub.mode=subscribe&hub.challenge=1", "another token": "hub.mode=subscribe&hub.challenge=1&hub.verify_token=" + canary,
			"half the token": "hub.mode=subscribe&hub.challenge=1&hub.verify_token=" + apitest.VerifyToken[1:], "another mode": "hub.mode=x&hub.challenge=1&hub.verify_token=" + apitest.VerifyToken,
			"two tokens": "hub.mode=subscribe&hub.challenge=1&hub.verify_token=x&hub.verify_token=" + apitest.VerifyToken,
			"markup":     "hub.mode=subscribe&hub.challenge=%3Cscript%3E&hub.verify_token=" + canary, "no challenge": "hub.mode=subscribe&hub.verify_token=" + apitest.VerifyToken,
		} {
			all = append(all, attack{"verification: " + name, good.at(messengerPath + "?" + query), []int{400, 403}})
		}
	case route == "POST "+messengerPath:
		all = append(all, s.onMetaSignature(good)...)
	case route == "POST /webhooks/stripe":
		all = append(all, onStripeSignature(good)...)
	case strings.HasPrefix(route, "GET /pay/{"):
		for name, id := range oddIDs("no-such") {
			all = append(all, attack{"payment: " + name, good.at(strings.Replace(good.target, "no-such", id, 1)), []int{404}},
				attack{"token: " + name, good.at(strings.Replace(good.target, strings.Repeat("A", 32), id, 1)), []int{404}})
		}
	case strings.HasPrefix(route, "POST /webhooks/"):
		all = append(all, s.onSignature(good)...)
	}
	if strings.Contains(route, " /admin/api/") && strings.Contains(route, "}") {
		for name, id := range oddIDs(s.thread) {
			template := strings.SplitN(route, " ", 2)[1]
			want := []int{200, 400, 404, 405, 409}
			if good.method != "GET" {
				want = []int{400, 404, 405}
				if name == "a dash" || strings.Contains(template, "{listing}") {
					continue // may be written
				}
			}
			all = append(all, attack{"id: " + name, good.at(apitest.Filled(template, id)), want})
		}
	}
	return all
}

// oddIDs are ids that could become another key than was meant, as they stand in a path.
func oddIDs(thread string) map[string]string {
	return map[string]string{
		"number sign": thread + "%23head", "of another kind": "thread%23" + thread, "tilde": thread + "~", "colon": thread + ":x", "line": thread + "%0a",
		"NUL": thread + "%00", "DEL": "%7f", "not UTF-8": "%ff", "surrogate": "%ed%a0%80", "BOM": "%ef%bb%bf" + thread, "zero width": thread + "%e2%80%8b",
		"space": thread + "%20", "a slash": thread + "%2fx", "a question mark": thread + "%3f", "upper case": strings.ToUpper(thread), "quote": "%27%20OR%201=1",
		"expression": ":pk", "attribute": "%23pk", "path": "..%2f..%2fetc", "long": strings.Repeat("x", 880), "too long": strings.Repeat("x", 2100), "multi-byte": strings.Repeat("%F0%9F%98%80", 200),
		"JSON": "%7b%22S%22:%22x%22%7d", "proto": "__proto__", "script": "%3cscript%3e", "percent": "%25%32%33", "a dash": "-",
	}
}

// badTokens are tokens that let nobody in.
func (s *surface) badTokens(t *testing.T) map[string]string {
	t.Helper()
	all := s.Issuer.Forged(t)
	header := func(change func(map[string]any)) string {
		token := jwt.NewWithClaims(jwt.SigningMethodRS256, s.Issuer.Claims("mallory", "admin"))
		change(token.Header)
		text, err := token.SignedString(s.Issuer.Key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	good := s.Issuer.Token(t, "mallory", "admin")[1][len("Bearer "):]
	parts := strings.Split(good, ".")
	all["of an unknown kid"] = header(func(h map[string]any) { h["kid"] = "k2" })
	all["kid that is a path"] = header(func(h map[string]any) { h["kid"] = "../../dev/null" })
	all["kid that is no string"] = header(func(h map[string]any) { h["kid"] = []string{"k1"} })
	all["with a jku"] = header(func(h map[string]any) { h["kid"], h["jku"] = "k9", "http://127.0.0.1:1/keys" })
	all["alg in other letters"] = header(func(h map[string]any) { h["kid"], h["alg"] = "k1", "rs256" })
	all["no signature"] = parts[0] + "." + parts[1] + "."
	all["two parts"] = parts[0] + "." + parts[1]
	all["four parts"] = good + "." + parts[2]
	all["other claims"] = parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"`+canary+`","groups":["admin"]}`)) + "." + parts[2]
	all["a list"] = base64.RawURLEncoding.EncodeToString([]byte("[]")) + ".W10.AA"
	all["very long"] = strings.Repeat("a", 100_000)
	all["many dots"] = strings.Repeat(".", 50_000)
	all["not base64"] = "%%%." + canary + ".%%%"
	return all
}

// onSession are those who are not the session, or none.
func (s *surface) onSession(route string, good attempt) (all []attack) {
	if good.body != "" { // the session stands in the body
		for name, id := range map[string]string{"short": s.secret[:21], "long": strings.Repeat(canary, 5), "a line": canary + `\n`, "a NUL": canary + `\u0000`, "spaces": canary + " x", "letters": canary + "ç"} {
			all = append(all, attack{"session: " + name, good.saying(strings.Replace(good.body, s.secret, id, 1)), []int{400}})
		}
		return append(all,
			attack{"session: nobody", nobody(good), []int{400}},
			attack{"session: in a header", nobody(good).with("x-session-id: " + s.secret), []int{400}},
			attack{"session: in the query", nobody(good).at(good.target + "?sessionId=" + s.secret), []int{400}},
			attack{"session: a list", good.saying(strings.Replace(good.body, `"`+s.secret+`"`, `["`+s.secret+`"]`, 1)), []int{400}},
		)
	}
	other := map[bool][]int{true: {200}, false: {404}}[route == "GET "+webListPath] // has written nothing
	for name, id := range map[string]string{"another": apitest.SessionID(), "the hash": s.thread, "upper case": strings.ToUpper(s.secret), "a letter more": s.secret + "x"} {
		all = append(all, attack{"session: " + name, nobody(good).with("x-session-id: " + id), other})
	}
	return append(all,
		attack{"session: nobody", nobody(good), []int{400}},
		attack{"session: short", nobody(good).with("x-session-id: " + s.secret[:5]), []int{400}},
		attack{"session: spaces", nobody(good).with("x-session-id: " + canary + " " + canary), []int{400}},
		attack{"session: in the query", nobody(good).at(good.target + "?sessionId=" + s.secret + "&x-session-id=" + s.secret), []int{400}},
		attack{"session: in a cookie", nobody(good).with("Cookie: x-session-id=" + s.secret), []int{400}},
		attack{"session: staff", nobody(good).with("Authorization: Bearer " + apitest.AdminToken), []int{400}},
		attack{"session: twice", nobody(good).with("x-session-id: "+s.secret, "x-session-id: "+apitest.SessionID()), append([]int{400}, other...)},
		attack{"market: another", good.at(good.target + "?marketId=nowhere"), []int{400}},
		attack{"market: twice", good.at(good.target + "?marketId=demo&marketId=demo"), []int{400}},
		attack{"market: a key", good.at(good.target + "?marketId=demo%23head"), []int{400}},
		attack{"market: long", good.at(good.target + "?marketId=" + strings.Repeat("m", 500)), []int{400}},
	)
}

// onMetaSignature are webhooks that Meta has not signed so.
func (s *surface) onMetaSignature(good attempt) (all []attack) {
	valid := s.Meta.Sign([]byte(good.body))
	unsigned := good.without(meta.SignatureHeader)
	signed := func(signature string) attempt { return unsigned.with(meta.SignatureHeader + ": " + signature) }
	for name, a := range map[string]attempt{
		"none":              unsigned,
		"empty":             signed(""),
		"no digits":         signed("sha256="),
		"nonsense":          signed("sha256=zz"),
		"canary":            signed(canary),
		"without a scheme":  signed(valid[7:]),
		"older scheme":      signed("sha1=" + valid[7:]),
		"half":              signed(valid[:40]),
		"with a byte more":  signed(valid + "00"),
		"very long":         signed("sha256=" + strings.Repeat("0", 100_000)),
		"two":               signed("sha256=00").with(meta.SignatureHeader + ": " + valid),
		"of nothing":        signed(s.Meta.Sign(nil)),
		"older header":      unsigned.with("X-Hub-Signature: " + valid),
		"another body":      good.saying(good.body + " "),
		"no body":           good.saying(""),
		"of a changed text": good.saying(strings.Replace(good.body, "hello", "hallo", 1)),
		"from this machine": unsigned.with("X-Forwarded-For: 127.0.0.1"),
	} {
		all = append(all, attack{"signature: " + name, a, []int{403}})
	}
	return all
}

// onSignature are webhooks that Twilio has not signed so.
func (s *surface) onSignature(good attempt) (all []attack) {
	form, err := url.ParseQuery(good.body)
	if err != nil {
		panic(err) // made by Encode
	}
	unsigned := good.without("X-Twilio-Signature")
	valid := s.Twilio.Sign(s.URL+good.target, form)
	signed := func(signature string) attempt { return unsigned.with("X-Twilio-Signature: " + signature) }
	changed := func(change func(url.Values)) string {
		f := url.Values{}
		for name, v := range form {
			f[name] = slices.Clone(v)
		}
		change(f)
		return f.Encode()
	}
	sum := strings.Repeat("0", 64)
	id := "MessageSid"
	if form.Has("CallSid") {
		id = "CallSid"
	}
	for name, a := range map[string]attempt{
		"none":                      unsigned,
		"empty":                     signed(""),
		"nonsense":                  signed("AAAA"),
		"canary":                    signed(canary),
		"lower case":                signed(strings.ToLower(valid)),
		"half":                      signed(valid[:len(valid)/2]),
		"with a byte more":          signed(valid + "A"),
		"hex":                       signed(fmt.Sprintf("%x", valid)),
		"very long":                 signed(strings.Repeat("A", 100_000)),
		"two":                       signed("AAAA").with("X-Twilio-Signature: " + valid),
		"of another host":           signed(s.Twilio.Sign("http://evil.example"+good.target, form)),
		"of https":                  signed(s.Twilio.Sign(strings.Replace(s.URL, "http:", "https:", 1)+good.target, form)),
		"of another path":           signed(s.Twilio.Sign(s.URL+"/", form)),
		"of a query":                signed(s.Twilio.Sign(s.URL+good.target+"&x=1", form)),
		"of a forwarded host":       signed(s.Twilio.Sign("http://evil.example"+good.target, form)).with("X-Forwarded-Host: evil.example", "Host-Override: evil.example"),
		"of the body only":          signed(s.Twilio.Sign("", form)),
		"of an empty form":          signed(s.Twilio.Sign(s.URL+good.target, nil)),
		"a parameter more":          good.saying(good.body + "&Extra=1"),
		"a parameter changed":       good.saying(changed(func(f url.Values) { f.Set(id, "SM-other") })),
		"a parameter less":          good.saying(changed(func(f url.Values) { f.Del(id) })),
		"a parameter in other case": good.saying(strings.Replace(good.body, id, strings.ToLower(id), 1)),
		"a value more":              good.saying(good.body + "&" + id + "=SM-other"),
		"no body":                   good.saying(""),
		"as JSON":                   good.without("Content-Type").with("Content-Type: application/json").saying(`{"MessageSid":"x"}`),
		"as multipart":              good.without("Content-Type").with("Content-Type: multipart/form-data; boundary=x").saying("--x--"),
		"as text":                   good.without("Content-Type").with("Content-Type: text/plain"),
		"another query":             good.at(good.target + "&thread=other"),
		"of a hash of the body":     good.at(good.target + "&bodySHA256=" + sum),
	} {
		if name == "another query" && !strings.Contains(good.target, "?") || name == "of a hash of the body" && !strings.Contains(good.target, "?") {
			a = a.at(strings.Replace(a.target, "&", "?", 1))
		}
		all = append(all, attack{"signature: " + name, a, []int{403}})
	}
	return all
}

func (s *surface) onBody(route string, good attempt) []attack {
	switch {
	case route == "POST "+messengerPath:
		return s.onMetaBody()
	case route == "POST /webhooks/stripe":
		return onStripeBody()
	case strings.HasSuffix(route, "/import"):
		return s.onTable(good)
	case good.method == "OPTIONS":
		return []attack{{"body: of a preflight", good.with("Content-Type: application/json").saying(`{"` + canary + `":[[[`), []int{204}}}
	case strings.Contains(fmt.Sprint(good.header), "application/json"):
		return s.onJSON(route, good)
	case strings.HasPrefix(route, "POST /webhooks/"):
		return s.onForm(good)
	case good.method == "GET": // a body means nothing, and is not read beyond the gateway's limit, which is that of all routes
		all := []attack{{"body: of a read", good.with("Content-Type: application/json").saying(`{"` + canary + `":1}`), []int{200, 404}}}
		if slices.Contains([]string{"GET /", "GET /healthz", "GET " + webListPath, "GET /admin/api/markets"}, route) {
			all = append(all, attack{"body: beyond the gateway", good.saying(strings.Repeat("a", 10<<20+1)), []int{413}})
		}
		return all
	}
	return []attack{
		{"body: where none belongs", good.with("Content-Type: application/json").saying(`{"` + canary + `":[[[`), []int{map[bool]int{false: 404, true: 200}[strings.HasSuffix(route, "/check")]}},
	}
}

// onStripeBody are bodies that nobody but Stripe could sign.
func onStripeBody() (all []attack) {
	object := func(o any) string {
		return fmt.Sprintf(`{"id":"evt_1","object":"event","type":"payment_intent.succeeded","data":{"object":%v}}`, o)
	}
	for name, body := range map[string]string{
		"nothing": "", "a list": "[]", "null": "null", "text": `"x"`, "not JSON": "{", "not UTF-8": "\xff\xfe", "deep": strings.Repeat(`{"a":`, 50_000), "no event": `{"id":"x"}`,
		"numbers": `{"id":7,"object":7,"type":7}`, "no object": object("null"), "an object of numbers": object("7"), "a long id": `{"id":"` + strings.Repeat("x", 1000) + `","object":"event","type":"x"}`,
		"another object": object(`{"object":"charge"}`), "a debt": object(`{"object":"payment_intent","currency":"eur","amount_received":-1}`),
		"too much": object(`{"object":"payment_intent","currency":"eur","amount_received":1e99}`),
	} {
		all = append(all, attack{"body: " + name, fromStripe(body), []int{400}})
	}
	all = append(all, attack{"body: above the limit", fromStripe(strings.Repeat("x", stripe.MaxWebhook+1)), []int{413}})
	return append(all, attack{"body: above the gateway's own", fromStripe(strings.Repeat("a", 10<<20+1)), []int{413}})
}

// onTable are files of rows that nothing is stored of.
func (s *surface) onTable(good attempt) (all []attack) {
	for name, tt := range map[string]struct {
		body string
		want int
	}{
		"not UTF-8": {good.body + "\xff", 400}, "NUL": {"\x00" + good.body, 400}, "a list": {"[[[[", 400}, "a header alone with a quote": {`"id`, 400},
		"wide": {strings.Repeat("id,", 20_000), 400}, "deep": {strings.Repeat(`{"a":`, 100_000), 400}, "a formula": {"=cmd|' /C calc'!A0\n", 400},
		"a good row and a bad one": {good.body + "\nx\n", 400}, "above the gateway's own": {strings.Repeat("a", 10<<20+1), 413},
	} {
		all = append(all, attack{"table: " + name, good.saying(tt.body), []int{tt.want}})
	}
	for _, media := range []string{"application/json", "text/plain", "multipart/form-data; boundary=x", "", "a/b/c;;="} {
		all = append(all, attack{"type: " + media, good.without("Content-Type").with("Content-Type: " + media), []int{415}})
	}
	large := good.without("Content-Type").with("Content-Type: text/csv").saying(strings.Repeat("a", 4<<20+1))
	all = append(all, attack{"table: more than the limit", large, []int{413}})
	return append(all, attack{"coding: gzip", good.with("Content-Encoding: gzip"), []int{415}})
}

// onMetaBody are bodies that nobody but Meta could sign.
func (s *surface) onMetaBody() (all []attack) {
	for name, tt := range map[string]struct {
		body string
		want int
	}{
		"nothing": {"", 400}, "null": {"null", 400}, "a list": {"[]", 400}, "half": {`{"object":"page","entry":[`, 400}, "not UTF-8": {"{\"object\":\"page\xff\"}", 400},
		"of no page": {`{"object":"instagram","entry":[]}`, 400}, "deep": {strings.Repeat(`{"entry":[`, 20_000), 400}, "two": {`{"object":"page","entry":[]}{}`, 400},
	} {
		all = append(all, attack{"body: " + name, s.fromMeta([]byte(tt.body)), []int{tt.want}})
	}
	return all
}

func (s *surface) onJSON(route string, good attempt) (all []attack) {
	field := `"name":`
	switch {
	case strings.HasSuffix(route, "/photos"):
		field = `"contentType":`
	case strings.Contains(route, "/conversations/"):
		field = `"agentId":`
	case strings.Contains(route, " /api/chat"):
		field = `"conversationId":`
	case strings.Contains(route, "/chat/"):
		field = `"message":`
	case strings.HasSuffix(route, "{assistant}/preview"):
		field = `"language":`
	case strings.HasSuffix(route, "/preview"):
		field = `"event":`
	case strings.HasSuffix(route, "}/messages"):
		field = `"text":`
	case strings.HasSuffix(route, "{place}"), strings.HasSuffix(route, "/requests"), strings.Contains(route, "/marketplace/"):
		field = `"category":`
	case strings.Contains(route, "listing"):
		field = `"businessId":`
	case strings.Contains(route, webChatPath):
		field = `"text":`
	}
	more := func(text string) string { return strings.TrimSuffix(good.body, "}") + "," + text + "}" }
	deep := func(n int) string {
		return more(`"x":` + strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	padded := func(size int) string { return good.body[:1] + strings.Repeat(" ", size-len(good.body)) + good.body[1:] }
	first := strings.SplitAfterN(good.body, `":"`, 2)[1]
	for name, tt := range map[string]struct {
		body string
		want int
	}{
		"byte order mark":         {"\ufeff" + good.body, 400},
		"UTF-16":                  {"\xff\xfe{\x00}\x00", 400},
		"UTF-7":                   {"+AHsAfQ-", 400},
		"not UTF-8 in a value":    {more(`"x":"` + "\xff" + `"`), 400},
		"not UTF-8 in a name":     {more(`"` + "\xc3\x28" + `":1`), 400},
		"NUL":                     {good.body[:1] + "\x00" + good.body[1:], 400},
		"a line in a string":      {more("\"x\":\"a\nb\""), 400},
		"deep":                    {deep(100), 400},
		"very deep":               {deep(20_000), 400},
		"deep and open":           {strings.Repeat(`{"a":`, 10_000), 400},
		"a name twice":            {more(field + `"other"`), 400},
		"a name twice, capitals":  {more(strings.ToUpper(field) + `"other"`), 400},
		"a name twice, escaped":   {more(strings.Replace(field, `"`, `"\u00`+fmt.Sprintf("%x", field[1]), 1)[:7] + field[2:] + `"other"`), 400},
		"a name twice, deep":      {more(`"x":[{"a":1,"b":2,"a":3}]`), 400},
		"a huge number":           {strings.Replace(good.body, `"`+first, `1e999999`+first[strings.Index(first, `"`)+1:], 1), 400},
		"many digits":             {strings.Replace(good.body, `"`+first, strings.Repeat("9", 1000)+first[strings.Index(first, `"`)+1:], 1), 400},
		"NaN":                     {more(`"x":NaN`), 400},
		"infinite":                {more(`"x":-Infinity`), 400},
		"hex":                     {more(`"x":0x10`), 400},
		"single quotes":           {`{'a':1}`, 400},
		"a comment":               {good.body + "// x", 400},
		"a comma behind":          {strings.TrimSuffix(good.body, "}") + ",}", 400},
		"data behind":             {good.body + "x", 400},
		"an object behind":        {good.body + good.body, 400},
		"a NUL behind":            {good.body + "\x00", 400},
		"half":                    {good.body[:len(good.body)-1], 400},
		"a string":                {`"` + canary + `"`, 400},
		"a list":                  {"[" + good.body + "]", 400},
		"null":                    {"null", 400},
		"true":                    {"true", 400},
		"white space":             {strings.Repeat(" \n", 1000), 400},
		"the wrong type":          {`{` + field + `{"x":1}}`, 400},
		"the wrong type, a list":  {`{` + field + `[[]]}`, 400},
		"half an escape":          {more(`"x":"\u12"`), 400},
		"an unknown escape":       {more(`"x":"\x41"`), 400},
		"a form":                  {"message=hello&name=x", 400},
		"XML":                     {`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>`, 400},
		"a byte above the limit":  {padded(64<<10 + 1), 413},
		"1 MB":                    {more(`"x":"` + strings.Repeat("a", 1<<20) + `"`), 413},
		"above the gateway's own": {more(`"x":"` + strings.Repeat("a", 10<<20) + `"`), 413},
	} {
		all = append(all, attack{"JSON: " + name, good.saying(tt.body), []int{tt.want}})
	}
	for name, media := range map[string]string{
		"text": "text/plain", "a form": "application/x-www-form-urlencoded", "multipart": "multipart/form-data; boundary=x", "none": "", "nonsense": "a/b/c;;=",
		"patch": "application/json-patch+json", "two": "text/plain, application/json", "like JSON": "application/jsonp", "octets": "application/octet-stream",
	} {
		all = append(all, attack{"type: " + name, good.without("Content-Type").with("Content-Type: " + media), []int{415}})
	}
	for _, coding := range []string{"gzip", "deflate", "br", "gzip, gzip", "x"} {
		all = append(all, attack{"coding: " + coding, good.with("Content-Encoding: " + coding).saying("\x1f\x8b\x08\x00" + strings.Repeat("\x00", 64)), []int{415, 400}})
	}
	chunks := good.saying(padded(64<<10 + 1))
	chunks.chunked = true
	return append(all, attack{"JSON: above the limit, in chunks", chunks, []int{413}})
}

func (s *surface) onForm(good attempt) (all []attack) {
	many := func(n int, pair func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(pair(i) + "&")
		}
		return b.String()
	}
	// Each is signed as well as can be: over what a reader of forms makes of it.
	for name, tt := range map[string]struct {
		body string
		want []int
	}{
		"100,000 parameters":       {many(100_000, func(i int) string { return fmt.Sprintf("p%d=1", i) }), []int{413}},
		"10,000 parameters":        {many(8000, func(i int) string { return fmt.Sprintf("p%d=", i) }), []int{400, 403}},
		"a parameter 10,000 times": {many(10_000, func(int) string { return "a=1" }), []int{400, 403}},
		"separators only":          {strings.Repeat("&", 60<<10), []int{400, 403}},
		"equals only":              {strings.Repeat("=", 60<<10), []int{400, 403}},
		"semicolons":               {"MessageSid=SM1;From=whatsapp:+15550100", []int{400, 403}},
		"percent garbage":          {"MessageSid=%zz&From=%", []int{400, 403}},
		"escapes cut off":          {"MessageSid=SM1&From=%2", []int{400, 403}},
		"NULs":                     {"MessageSid=%00&From=%00&To=%00", []int{400, 403}},
		"a separator in the id":    {"MessageSid=SM1%23head%0a&From=whatsapp:15550100%23", []int{400, 403}},
		"not UTF-8 in an id":       {"MessageSid=%ff%fe&MessageStatus=read", []int{400, 403}},
		"a very long id":           {"MessageSid=" + strings.Repeat("S", 2000) + "&MessageStatus=read", []int{400, 403}},
		"1 MB":                     {"Body=" + strings.Repeat("a", 1<<20), []int{413}},
		"a byte above the limit":   {"Body=" + strings.Repeat("a", 64<<10-4), []int{413}},
		"above the gateway's own":  {"Body=" + strings.Repeat("a", 10<<20), []int{413}},
	} {
		form, err := url.ParseQuery(tt.body)
		if err != nil {
			form = url.Values{}
		}
		a := good.without("X-Twilio-Signature").with("X-Twilio-Signature: " + s.Twilio.Sign(s.URL+good.target, form)).saying(tt.body)
		all = append(all, attack{"form: " + name, a, tt.want})
		if len(tt.body) > 64<<10 {
			a.chunked = true
			all = append(all, attack{"form: " + name + ", in chunks", a, tt.want})
		}
	}
	return append(all, attack{"form: said to be compressed", good.with("Content-Encoding: gzip").saying("\x1f\x8b\x08\x00" + strings.Repeat("\x00", 64)), []int{403}})
}

// A body of exactly the limit is taken, however it is sent.
func TestBodyOfTheLimit(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := apitest.SessionID()
	body := `{"message":"hello","sessionId":"` + id + `"}`
	body += strings.Repeat(" ", 64<<10-len(body))
	s.Call(t, "POST", "/chat/message", body).Wants(t, http.StatusOK, nil)
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/chat/message", io.MultiReader(strings.NewReader(body))) // length unknown
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("in chunks: status %d", resp.StatusCode)
	}
}

// What is no HTTP never reaches a function: it is refused, and the connection is closed.
func TestWhatIsNoRequest(t *testing.T) {
	s := newSurface(t)
	before := len(s.calls.Names())
	post := "POST /chat/message HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
	for name, raw := range map[string]string{
		"unknown transfer coding":    post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"chunked and more":           post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
		"two lengths":                post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"a negative length":          post + "Content-Length: -1\r\n\r\n{}",
		"a length with a sign":       post + "Content-Length: +2\r\n\r\n{}",
		"a header without a name":    post + ": x\r\n\r\n",
		"a space before the colon":   post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
		"a NUL in a header":          post + "X-A: a\x00b\r\n\r\n",
		"a bare CR in a header":      post + "X-A: a\rX-Injected: 1\r\n\r\n",
		"no host":                    "GET / HTTP/1.1\r\n\r\n",
		"two hosts":                  "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"a host with a path":         "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
		"a space in the path":        "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
		"a control sign in the path": "GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n",
		"a method with a bracket":    "G(T / HTTP/1.1\r\nHost: h\r\n\r\n",
		"another protocol":           "GET / HTCPCP/1.0\r\n\r\n",
		"headers of 2 MB":            "GET / HTTP/1.1\r\nHost: h\r\nX-A: " + strings.Repeat("a", 2<<20) + "\r\n\r\n",
		"an expectation":             post + "Expect: the-spanish-inquisition\r\nContent-Length: 2\r\n\r\n{}",
	} {
		a := s.exchange(t, "POST", raw)
		if a.Status < 400 || a.Status > 599 || a.Status == 500 || a.Status == 503 {
			t.Errorf("%s: status %d", name, a.Status)
		}
		if bytes.Contains(a.Body, []byte("goroutine")) || a.Header.Get("X-Injected") != "" {
			t.Errorf("%s: %.200s", name, a.Body)
		}
	}
	if made := s.calls.Names()[before:]; len(made) > 0 {
		t.Errorf("made calls: %v", made)
	}
}

// Pages say what a browser may do with them, and so does every error on them.
func TestPagesSayWhatTheyMayDo(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, target := range []string{"/", "/static/chat.js", "/static/chat.css", "/sara", "/sara/page.css", "/live", "/live/static/live.js", "/admin", "/admin/reports", "/admin/static/admin.css"} {
		a, err := s.Send(t.Context(), nil, "GET", target, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Permissions-Policy": "camera=()",
		} {
			if !strings.Contains(a.Header.Get(name), want) {
				t.Errorf("%s: %s: %q", target, name, a.Header.Get(name))
			}
		}
	}
}
