package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"merve/internal/app"
	"merve/internal/cloud/dynamo"
	"merve/internal/edge/api/apitest"
	"merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/tenant/market"
)

// A thousand calls at once under one key send a vendor one message. Whoever was too late gets the answer of who was not. A caller
// who hears that the store is busy calls again, as any caller does.
func TestPromise3_AThousandCallsOfOneKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.NewMarket(t)
	seller := vendor.Vendor{
		ID: "v1", Market: id, Name: "Power Hire", Category: "generator rental", Phone: "+15550304000", Enabled: true,
		OptIn: &vendor.OptIn{At: apitest.Now(), How: "form"},
	}
	if _, err := s.Base.Vendors().Put(t.Context(), seller); err != nil {
		t.Fatal(err)
	}
	m, err := s.Base.Markets().Read(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	m.WhatsApp.Templates = map[string]market.Approved{
		"vendor_asked":    {ContentSID: "HX00000000000000000000000000000001", Params: []string{"code"}},
		"vendor_question": {ContentSID: "HX00000000000000000000000000000002", Params: []string{"text"}},
	}
	if _, err := s.Base.Markets().Save(t.Context(), *m, "test"); err != nil {
		t.Fatal(err)
	}
	var made struct {
		Request string `json:"request_id"`
	}
	s.Call(t, "POST", target+"/requests", map[string]any{
		"category": "generator rental", "requirements": map[string]string{"need": "a generator", "place": "Kyrenia", "when": "Saturday"},
	}, apitest.Staff()...).Wants(t, http.StatusCreated, &made)
	front := s.With(t, func(*app.Process) {})
	call := func(tool, key string, input map[string]any) apitest.Answer {
		input["request_id"] = made.Request
		input["meta"] = request.Meta{Request: made.Request, Key: request.Key(made.Request, key), Actor: request.Admin,
			Timestamp: apitest.Now().Format(time.RFC3339)}
		a, err := s.Send(t.Context(), front, "POST", "/marketplace/tools/"+tool, input, apitest.Staff()...)
		if err != nil {
			t.Error(err)
		}
		return a
	}
	if a := call(request.ProposeOutreach, "ask", map[string]any{"vendor_ids": []string{"v1"}}); a.Status != http.StatusOK ||
		!strings.Contains(string(a.Body), `"success":true`) {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	const calls = 1000
	var all sync.WaitGroup
	var busy atomic.Int64
	answers := make([]apitest.Answer, calls)
	for n := range calls {
		all.Go(func() {
			for t.Context().Err() == nil {
				answers[n] = call(request.SendVendorMessage, "question", map[string]any{
					"vendor_id": "v1", "message": "With cables?", "idempotency_key": request.Key(made.Request, "question"),
				})
				if answers[n].Status != http.StatusServiceUnavailable {
					return
				}
				busy.Add(1)
			}
		})
	}
	all.Wait()
	for _, a := range answers {
		var said request.Said
		if err := json.Unmarshal([]byte(a.Body), &said); err != nil || a.Status != http.StatusOK || !said.Success ||
			string(a.Body) != string(answers[0].Body) {
			t.Fatalf("%d %s, another %s", a.Status, a.Body, answers[0].Body)
		}
	}
	v, err := s.Base.Requests().View(t.Context(), made.Request)
	if err != nil || len(v.Outreach) != 1 || v.Outreach[0].Questions != 1 {
		t.Fatalf("%v: %+v", err, v.Outreach)
	}
	sent, err := s.Base.Outbox().List(t.Context(), v.Outreach[0].Thread, 0)
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, m := range sent {
		if strings.Contains(m.Text, "With cables?") {
			asked = append(asked, m.ID)
		}
	}
	records := 0
	table := s.Base.Requests().Table
	err = table.Each(t.Context(), dynamo.Under("requestaudit#"+made.Request, "event#"), func(it dynamo.Item) error {
		if it.String("tool") == request.SendVendorMessage {
			records++
		}
		return nil
	})
	// A call that heard "busy" may have a record: a busy store may still have done what it was asked.
	if err != nil || len(asked) != 1 || records < calls || records > calls+int(busy.Load()) {
		t.Errorf("%v: the vendor has %q, and %d calls were audited, %d of them busy", err, asked, records, busy.Load())
	}
}

// Over HTTP a model or a program puts no words into anybody's mouth, and ends nothing that was accepted: each is answered 200
// with success false and why. A person at the desk does both in their own name.
func TestPromise1_NoProgramSpeaksOrEndsADeal(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.NewMarket(t)
	seller := vendor.Vendor{
		ID: "v1", Market: id, Name: "Power Hire", Category: "generator rental", Phone: "+15550304001", Enabled: true,
		OptIn: &vendor.OptIn{At: apitest.Now(), How: "form"},
	}
	if _, err := s.Base.Vendors().Put(t.Context(), seller); err != nil {
		t.Fatal(err)
	}
	m, err := s.Base.Markets().Read(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	m.WhatsApp.Templates = map[string]market.Approved{
		"vendor_asked":    {ContentSID: "HX00000000000000000000000000000001", Params: []string{"code"}},
		"vendor_question": {ContentSID: "HX00000000000000000000000000000002", Params: []string{"text"}},
	}
	if _, err := s.Base.Markets().Save(t.Context(), *m, "test"); err != nil {
		t.Fatal(err)
	}
	var made struct {
		Request string `json:"request_id"`
	}
	s.Call(t, "POST", target+"/requests", map[string]any{
		"category": "generator rental", "requirements": map[string]string{"need": "a generator", "place": "Kyrenia", "when": "Saturday"},
	}, apitest.Staff()...).Wants(t, http.StatusCreated, &made)
	call := func(who, tool, key string, input map[string]any) (success bool, why string) {
		t.Helper()
		input["request_id"] = made.Request
		input["meta"] = request.Meta{Request: made.Request, Key: request.Key(made.Request, key), Actor: who, Timestamp: apitest.Now().Format(time.RFC3339)}
		var out struct {
			Success bool
			Error   string
		}
		s.Call(t, "POST", "/marketplace/tools/"+tool, input, apitest.Staff()...).Wants(t, http.StatusOK, &out)
		return out.Success, out.Error
	}
	writes := func(who string) (bool, string) {
		return call(who, request.SendVendorMessage, "write"+who, map[string]any{
			"vendor_id": "v1", "message": "We accept your quote. This is a binding order.", "idempotency_key": request.Key(made.Request, "write"+who),
		})
	}
	done := func(ok bool, why string) {
		t.Helper()
		if !ok {
			t.Fatal(why)
		}
	}
	done(call(request.Admin, request.ProposeOutreach, "ask", map[string]any{"vendor_ids": []string{"v1"}}))
	programs := []string{request.Moltbot, request.System}
	for _, who := range programs {
		if ok, why := writes(who); ok || why == "" {
			t.Errorf("%s writes to a vendor: %v %q", who, ok, why)
		}
	}
	done(writes(request.Admin))
	done(call(request.Admin, request.RecordVendorReply, "reply", map[string]any{
		"vendor_id": "v1", "message": "280", "provider_message_id": "SM1", "parsed_data": map[string]any{"has_stock": true, "price": 280},
	}))
	view := func() request.View {
		t.Helper()
		v, err := s.Base.Requests().View(t.Context(), made.Request)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	done(call(request.Admin, request.ProposeAcceptance, "accept", map[string]any{"outreach_id": view().Outreach[0].ID}))
	for _, who := range programs {
		for _, to := range request.States() {
			if ok, why := call(who, request.UpdateRequestState, who+string(to), map[string]any{"new_state": to}); ok || why == "" {
				t.Errorf("%s takes a deal to %s: %v %q", who, to, ok, why)
			}
		}
	}
	if v := view(); v.State != request.Accepted || v.Outreach[0].Questions != 1 {
		t.Errorf("the request is %s, and its vendor was written to %d times", v.State, v.Outreach[0].Questions)
	}
	done(call(request.Admin, request.UpdateRequestState, "off", map[string]any{"new_state": "cancelled"}))
	events, err := s.Base.Requests().History(t.Context(), made.Request)
	if err != nil {
		t.Fatal(err)
	}
	if last := events[len(events)-1]; last.Receipt == nil || !strings.HasPrefix(last.Receipt.Actor, "staff:") {
		t.Errorf("ended by %+v", last)
	}
}
