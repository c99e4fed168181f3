package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"merve/internal/app"
	"merve/internal/cloud/dynamo"
	"merve/internal/edge/api/apitest"
	"merve/internal/matter/callconsent"
	"merve/internal/matter/request"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/tenant/market"
)

const (
	callSender = "+35722000000"
	callDesk   = "+35722000001"
	callClient = "+35799000001"
)

// caller is a service whose Twilio may call.
type caller struct {
	*service
	t      *testing.T
	front  http.Handler
	twilio *twiliotest.Server
	market string
	n      int
}

func startCaller(t *testing.T) *caller {
	t.Helper()
	c := &caller{service: start(t), t: t, twilio: twiliotest.New(t, twiliotest.Config{From: callSender, Now: apitest.Now})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.front.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	c.front = c.With(t, func(b *app.Process) {
		b.Config.PublicURL, b.Config.TwilioBaseURL, b.Config.TwilioFrom = server.URL, c.twilio.URL(), callSender
	})
	c.market, _ = c.NewMarket(t)
	m, err := c.Base.Markets().Read(t.Context(), c.market)
	if err == nil {
		m.Desk = market.DeskPolicy{Phone: callDesk}
		_, err = c.Base.Markets().Save(t.Context(), *m, "test")
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// granted is a request whose client has agreed to a call.
func (c *caller) granted() (id, consent string) {
	c.t.Helper()
	c.n++
	now := apitest.Now()
	r := request.Request{
		ID: request.NewID(c.market, fmt.Sprint(c.n)), Market: c.market, Language: "en", State: request.Searching, Category: "generator", Currency: "EUR", CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	k := callconsent.Consent{
		ID: "cc_aaaaaaaaaaaaaaaa", Request: r.ID, Market: c.market, Thread: "th_" + r.ID, N: 1, Scope: "concierge", Reason: "a word", Number: callClient,
		State: callconsent.Granted, AskedAt: now, GrantedAt: now, Until: now.Add(time.Hour), Version: 1,
	}
	table := c.Base.Requests().Table
	pk := "request#" + r.ID
	if err := table.DB().Commit(c.t.Context(), table.Put(dynamo.Key{PK: pk, SK: "~"}, r), table.Put(dynamo.Key{PK: pk, SK: "~consent#" + k.ID}, k)); err != nil {
		c.t.Fatal(err)
	}
	return r.ID, k.ID
}

// does calls a tool, and gives its output.
func (c *caller) does(tool, id, key string, input map[string]any) map[string]any {
	c.t.Helper()
	input["meta"] = request.Meta{Request: id, Key: request.Key(id, key), Actor: request.Admin, Timestamp: apitest.Now().Format(time.RFC3339)}
	out := map[string]any{}
	c.CallTo(c.t, c.front, "POST", "/marketplace/tools/"+tool, input, apitest.Staff()...).Wants(c.t, http.StatusOK, &out)
	return out
}

// consent is the request's as the API shows it.
func (c *caller) consent(id string) callconsent.Shown {
	c.t.Helper()
	var s request.Snapshot
	c.CallTo(c.t, c.front, "GET", "/marketplace/requests/"+id, nil, apitest.Staff()...).Wants(c.t, http.StatusOK, &s)
	return s.Consents[0]
}

func (c *caller) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// latest is the call that Twilio took last.
func (c *caller) latest() twiliotest.Call {
	c.t.Helper()
	all := c.twilio.Calls()
	if len(all) == 0 {
		c.t.Fatal("Twilio was asked for no call")
	}
	return all[len(all)-1]
}

// A call over Twilio's own forms: the desk is rung, its answer dials the client, and what Twilio reports shows how far it
// has come, in whatever order.
func TestCallOverTwilio(t *testing.T) {
	t.Parallel()
	c := startCaller(t)
	request, consent := c.granted()
	got := c.does("marketplace.start_call", request, "1", map[string]any{"consent_id": consent})
	ring := c.latest()
	if got["success"] != true || got["provider_call_id"] != ring.SID || ring.To != callDesk || ring.From != callSender {
		t.Fatalf("%v, rang %+v", got, ring)
	}
	c.must(c.twilio.ReportCall(t.Context(), ring.SID, "ringing", 0))
	if state := c.consent(request).Attempts[0].State; state != callconsent.AttemptRinging {
		t.Errorf("while the desk rings: %s", state)
	}
	child, err := c.twilio.PickUp(t.Context(), ring.SID)
	c.must(err)
	if child.To != callClient || child.Parent != ring.SID {
		t.Fatalf("dialled %+v", child)
	}
	for _, status := range []string{"in-progress", "initiated", "completed", "ringing", "completed"} {
		c.must(c.twilio.ReportCall(t.Context(), child.SID, status, 0))
	}
	c.must(c.twilio.ReportCall(t.Context(), ring.SID, "completed", 0))
	if k := c.consent(request); !k.Used || k.Attempts[0].State != callconsent.AttemptCompleted {
		t.Errorf("afterwards: %+v", k)
	}
	if got := c.does("marketplace.start_call", request, "2", map[string]any{"consent_id": consent}); got["success"] != false || len(c.twilio.Calls()) != 2 {
		t.Errorf("a second call: %v", got)
	}
}

// A client who takes their consent back while the desk's telephone rings is not called: the desk hears the call end.
func TestRevokedWhileTheDeskRings(t *testing.T) {
	t.Parallel()
	c := startCaller(t)
	request, consent := c.granted()
	c.does("marketplace.start_call", request, "1", map[string]any{"consent_id": consent})
	if got := c.does("marketplace.revoke_call_consent", request, "2", map[string]any{"request_id": request}); got["success"] != true {
		t.Fatalf("revoked: %v", got)
	}
	ring := c.latest()
	if child, err := c.twilio.PickUp(t.Context(), ring.SID); err != nil || child.SID != "" {
		t.Errorf("%v: dialled %+v", err, child)
	}
	if k := c.consent(request); k.State != callconsent.Revoked || k.Attempts[0].State != callconsent.AttemptFailed {
		t.Errorf("afterwards: %+v", k)
	}
}

// Twilio's refusals are told in words, and what they say of the client is kept. A lost answer is looked for.
func TestTwilioRefusesACall(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault   twiliotest.Fault
		success bool
		says    string
	}{
		"too many":     {twiliotest.TooMany(time.Second), false, "20429"},
		"no region":    {twiliotest.Refusal(21215), false, "21215: the account may not call that region"},
		"no permit":    {twiliotest.Refusal(37004), false, "ask again, or use the desk"},
		"called a lot": {twiliotest.Refusal(37006), false, "ask again, or use the desk"},
		"lost answer":  {twiliotest.After(), true, ""},
		"broken":       {twiliotest.Broken(true), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startCaller(t)
			c.twilio.FailRings(tt.fault)
			request, consent := c.granted()
			got := c.does("marketplace.start_call", request, "1", map[string]any{"consent_id": consent})
			if said, _ := got["error"].(string); got["success"] != tt.success || !strings.Contains(said, tt.says) {
				t.Errorf("%v", got)
			}
			if n := len(c.twilio.Calls()); (n == 1) != tt.success {
				t.Errorf("Twilio took %d calls", n)
			}
			if refused := c.consent(request).Refused; (refused != "") != strings.HasPrefix(tt.says, "ask again") {
				t.Errorf("kept of the client: %q", refused)
			}
		})
	}
	t.Run("of the client's half", func(t *testing.T) {
		t.Parallel()
		c := startCaller(t)
		request, consent := c.granted()
		c.does("marketplace.start_call", request, "1", map[string]any{"consent_id": consent})
		child, err := c.twilio.PickUp(t.Context(), c.latest().SID)
		c.must(err)
		c.must(c.twilio.ReportCall(t.Context(), child.SID, "failed", 37006))
		raw, _ := json.Marshal(c.does("marketplace.start_call", request, "2", map[string]any{"consent_id": consent}))
		if !strings.Contains(string(raw), "37006") {
			t.Errorf("%s", raw)
		}
	})
}
