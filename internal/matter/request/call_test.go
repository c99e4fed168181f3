package request_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/audit"
	"merve/internal/cloud/dynamo"
	. "merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
)

func cut(s, old, now string) string { return strings.ReplaceAll(s, old, now) }

func outreachOf(v View, vendor string) string {
	for _, o := range v.Outreach {
		if o.Vendor == vendor {
			return o.ID
		}
	}
	return "none"
}

// A request without a client goes from its search to a quote that the desk accepts, by calls alone. The receipt has
// the name of the person.
func TestARequestOfTheDesk(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	y.vendor("v2", nil)
	r := y.request("1", nil)
	found := y.do(SearchVendors, r.ID, "search", `{"request_id":"{id}","category":"generator rental","limit":1}`)
	if found["total_available"] != 2.0 || len(found["vendors"].([]any)) != 1 {
		t.Errorf("found %v", found)
	}
	if got := y.do(SendVendorMessage, r.ID, "early", `{"request_id":"{id}","vendor_id":"v1","message":"hi","idempotency_key":"`+Key(r.ID, "early")+`"}`); got["success"] != false {
		t.Errorf("told before the YES: %v", got)
	}
	if got := y.do("propose_outreach", r.ID, "ask", `{"request_id":"{id}","vendor_ids":["v1","v2"]}`); got["success"] != true || got["state"] != "outreach" {
		t.Errorf("asked: %v", got)
	}
	reply := y.do(RecordVendorReply, r.ID, "reply", `{"request_id":"{id}","vendor_id":"v1","message":"280.50","provider_message_id":"SM1","parsed_data":{"has_stock":true,"price":280.5,"availability":"Saturday"}}`)
	again := y.do(RecordVendorReply, r.ID, "again", `{"request_id":"{id}","vendor_id":"v1","message":"280.50","provider_message_id":"SM1"}`)
	if reply["state"] != "replied" || cmp.Diff(reply, again) != "" {
		t.Errorf("reply %v, and again %v", reply, again)
	}
	for _, to := range []string{"presented"} {
		if got := y.do(UpdateRequestState, r.ID, to, `{"request_id":"{id}","new_state":"`+to+`"}`); got["success"] != true || got["previous_state"] != "quoted" || got["current_state"] != to {
			t.Errorf("%s: %v", to, got)
		}
	}
	refused := y.do(UpdateRequestState, r.ID, "accepted", `{"request_id":"{id}","new_state":"accepted"}`)
	if refused["success"] != false || !strings.Contains(refused["error"].(string), "YES") {
		t.Errorf("accepted without a YES: %v", refused)
	}
	invalid := y.do(UpdateRequestState, r.ID, "new", `{"request_id":"{id}","new_state":"new"}`)
	if invalid["error"] != "from presented only to: accepted, outreach, searching, cancelled, error" {
		t.Errorf("invalid: %v", invalid)
	}
	y.do(ProposeAcceptance, r.ID, "accept", `{"request_id":"{id}","outreach_id":"`+outreachOf(y.view(r.ID), "v1")+`"}`)
	v := y.view(r.ID)
	if v.State != Accepted || v.Receipt == nil || !strings.Contains(v.Receipt.Actor, "Dana") {
		t.Errorf("%s with %+v", v.State, v.Receipt)
	}
	s, err := y.Snapshot(t.Context(), r.ID)
	if err != nil || s.Outreach.Replied != 1 || s.Outreach.Pending != 1 || s.Outreach.Outreach[0].Quote.Price != "280.5" {
		t.Errorf("%v, snapshot %+v", err, s)
	}
	want := []string{"create_request ok", "propose_acceptance ok", "propose_outreach ok", "record_vendor_reply ok", "search_vendors ok", "send_vendor_message refused", "update_request_state ok", "update_request_state refused"}
	if diff := cmp.Diff(want, y.audit(r.ID)); diff != "" {
		t.Error(diff)
	}
}

// A success is answered again, another body under the same key is refused, and a refusal may be tried again.
func TestOneEffectForAKey(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	r := y.request("1", y.client("ann"))
	input := `{"request_id":"{id}","message":"Any news?","idempotency_key":"` + Key(r.ID, "k") + `"}`
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for {
				a, err := y.Do(t.Context(), y.call(SendClientMessage, r.ID, "k", input))
				if fault.Is(err, fault.Unavailable) {
					continue
				}
				if err != nil || !a.Success {
					t.Errorf("%v %s", err, a.Output)
				}
				return
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	y.stream(y.teller, r.ID, seen, func(f func() error) {
		if err := errors.Join(f(), f()); err != nil {
			t.Fatal(err)
		}
	})
	head, err := y.Threads.Head(t.Context(), r.Thread)
	if err != nil || len(head.Inbox) != 2 || head.Inbox[1].Notice.Text != "Any news?" {
		t.Errorf("%v, told %+v", err, head.Inbox)
	}
	_, err = y.Do(t.Context(), y.call(SendClientMessage, r.ID, "k", strings.Replace(input, "Any news?", "No news.", 1)))
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("another body: %v", err)
	}
	if _, err := y.Do(t.Context(), y.call(UpdateRequestState, r.ID, "k", `{"request_id":"{id}","new_state":"clarifying"}`)); !fault.Is(err, fault.Conflict) {
		t.Errorf("another tool: %v", err)
	}
}

// What is wrong with a call is said by the field's name, and nothing is done.
func TestWrongCalls(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	r := y.request("1", nil)
	for name, tt := range map[string]struct {
		tool, input, field string
		change             func(c *Call)
	}{
		"limit 0":             {SearchVendors, `{"request_id":"{id}","category":"x","limit":0}`, "limit", nil},
		"limit 16":            {SearchVendors, `{"request_id":"{id}","category":"x","limit":16}`, "limit", nil},
		"limit below":         {SearchVendors, `{"request_id":"{id}","category":"x","limit":-1}`, "limit", nil},
		"limit as text":       {SearchVendors, `{"request_id":"{id}","category":"x","limit":"5"}`, "limit", nil},
		"no category":         {SearchVendors, `{"request_id":"{id}"}`, "category", nil},
		"no radius":           {SearchVendors, `{"request_id":"{id}","category":"x","filters":{"location_radius_km":0}}`, "filters.location_radius_km", nil},
		"rating":              {SearchVendors, `{"request_id":"{id}","category":"x","filters":{"min_rating":6}}`, "filters.min_rating", nil},
		"another request":     {SearchVendors, `{"request_id":"rq_aaaaaaaaaaaaaaaa","category":"x"}`, "request_id", nil},
		"another key":         {SendClientMessage, `{"request_id":"{id}","message":"x","idempotency_key":"request:{id}:hash:other"}`, "idempotency_key", nil},
		"four options":        {SendClientMessage, `{"request_id":"{id}","message":"x","idempotency_key":"request:{id}:hash:k","message_type":"interactive","interactive_options":["1","2","3","4"]}`, "interactive_options", nil},
		"a long option":       {SendClientMessage, `{"request_id":"{id}","message":"x","idempotency_key":"request:{id}:hash:k","message_type":"interactive","interactive_options":["123456789012345678901"]}`, "interactive_options", nil},
		"type":                {SendClientMessage, `{"request_id":"{id}","message":"x","idempotency_key":"request:{id}:hash:k","message_type":"video"}`, "message_type", nil},
		"foreign vendor":      {SendVendorMessage, `{"request_id":"{id}","vendor_id":"nobody","message":"x","idempotency_key":"request:{id}:hash:k"}`, "vendor_id", nil},
		"negative price":      {RecordVendorReply, `{"request_id":"{id}","vendor_id":"v1","message":"x","provider_message_id":"1","parsed_data":{"has_stock":true,"price":-1}}`, "parsed_data.price", nil},
		"a tenth of a cent":   {RecordVendorReply, `{"request_id":"{id}","vendor_id":"v1","message":"x","provider_message_id":"1","parsed_data":{"has_stock":true,"price":1.001}}`, "parsed_data.price", nil},
		"no stock said":       {RecordVendorReply, `{"request_id":"{id}","vendor_id":"v1","message":"x","provider_message_id":"1","parsed_data":{}}`, "parsed_data.has_stock", nil},
		"state":               {UpdateRequestState, `{"request_id":"{id}","new_state":"done"}`, "new_state", nil},
		"fallback":            {UpdateRequestState, `{"request_id":"{id}","new_state":"cancelled","fallback_message":"x"}`, "fallback_message", nil},
		"sixteen vendors":     {ProposeOutreach, `{"request_id":"{id}","vendor_ids":["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16"]}`, "vendor_ids", nil},
		"a vendor of nobody":  {ProposeOutreach, `{"request_id":"{id}","vendor_ids":["nobody"]}`, "vendor_ids", nil},
		"a quote of nobody":   {ProposeAcceptance, `{"request_id":"{id}","outreach_id":"ou_aaaaaaaaaaaaaaaa"}`, "outreach_id", nil},
		"an old clock":        {GetRequestSnapshot, `{"request_id":"{id}"}`, "meta.timestamp", func(c *Call) { c.Meta.Timestamp = y.now.Add(-5*time.Minute - time.Second).Format(time.RFC3339) }},
		"a clock ahead":       {GetRequestSnapshot, `{"request_id":"{id}"}`, "meta.timestamp", func(c *Call) { c.Meta.Timestamp = y.now.Add(5*time.Minute + time.Second).Format(time.RFC3339) }},
		"no clock":            {GetRequestSnapshot, `{"request_id":"{id}"}`, "meta.timestamp", func(c *Call) { c.Meta.Timestamp = "today" }},
		"nobody":              {GetRequestSnapshot, `{"request_id":"{id}"}`, "meta.actor", func(c *Call) { c.Meta.Actor = "root" }},
		"a key of no form":    {GetRequestSnapshot, `{"request_id":"{id}"}`, "meta.idempotency_key", func(c *Call) { c.Meta.Key = "k" }},
		"a key of another":    {GetRequestSnapshot, `{"request_id":"{id}"}`, "meta.idempotency_key", func(c *Call) { c.Meta.Key = Key("rq_aaaaaaaaaaaaaaaa", "k") }},
		"a number too exact":  {UpdateRequirements, `{"request_id":"{id}","requirements":{"n":9007199254740993}}`, "", nil},
		"a budget below zero": {UpdateRequirements, `{"request_id":"{id}","requirements":{"budget":-1}}`, "requirements.budget", nil},
	} {
		c := y.call(tt.tool, r.ID, "k", tt.input)
		if tt.change != nil {
			tt.change(&c)
		}
		_, err := y.Do(t.Context(), c)
		if err == nil || field(err) != tt.field {
			t.Errorf("%s: %v, field %q", name, err, field(err))
		}
	}
	if v := y.view(r.ID); v.State != New || v.Version != r.Version {
		t.Errorf("changed: %+v", v)
	}
	if _, err := y.Do(t.Context(), y.call("marketplace.win", r.ID, "k", "{}")); !errors.Is(err, ErrNoTool) {
		t.Errorf("no tool: %v", err)
	}
	for _, id := range []string{"rq_aaaaaaaaaaaaaaaa", "x", ""} {
		c := y.call(GetRequestSnapshot, r.ID, "k", `{"request_id":"`+id+`"}`)
		c.Meta.Request, c.Meta.Key = id, Key(id, "k")
		if _, err := y.Do(t.Context(), c); err == nil {
			t.Errorf("no request %q", id)
		}
	}
}

// A model sees no numbers, and nothing of somebody else's.
func TestAModelSeesItsOwn(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	ann := y.client("ann")
	r := y.request("1", ann)
	c := y.call(SearchVendors, r.ID, "k", `{"request_id":"{id}","category":"generator"}`)
	c.Meta.Actor = Moltbot
	for key, want := range map[string]bool{r.Owner: true, "session:eve": false} {
		owner := actor.OfKey(key)
		c.Owner = &owner
		a, err := y.Do(t.Context(), c)
		if (err == nil) != want || err != nil && !errors.Is(err, actor.ErrNotFound) {
			t.Errorf("%s: %v", owner.Key(), err)
		}
		if strings.Contains(string(a.Output), "+1555") || want && !strings.Contains(string(a.Output), `"phone":""`) {
			t.Errorf("%s sees %s", owner.Key(), a.Output)
		}
	}
}

// Any record that was changed, taken out or put elsewhere is named.
func TestTheChainTells(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	r := y.request("1", nil)
	for i := range 4 {
		y.do(GetRequestSnapshot, r.ID, fmt.Sprint(i), `{"request_id":"{id}"}`)
		y.now = y.now.Add(time.Second)
	}
	whole, err := y.Store.Log().Trail(t.Context(), r.ID)
	if err != nil || whole.Verify() != nil || len(whole.Records) != 5 || whole.Records[0].PrevHash != audit.Genesis {
		t.Fatalf("%v %v %+v", err, whole.Verify(), whole)
	}
	for name, spoil := range map[string]func(t *audit.Trail){
		"changed":          func(t *audit.Trail) { t.Records[2].DurationMS++ },
		"missing":          func(t *audit.Trail) { t.Records = append(t.Records[:2:2], t.Records[3:]...) },
		"swapped":          func(t *audit.Trail) { t.Records[1], t.Records[2] = t.Records[2], t.Records[1] },
		"the last missing": func(t *audit.Trail) { t.Records = t.Records[:4] },
	} {
		var copied audit.Trail
		if err := json.Unmarshal(mustMarshal(whole), &copied); err != nil {
			t.Fatal(err)
		}
		spoil(&copied)
		if err := copied.Verify(); err == nil || !strings.Contains(err.Error(), "record ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mustMarshal(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// A call that began and never ended is closed as unclear, and may then be made again.
func TestUnclearCalls(t *testing.T) { // alone: it closes calls about all requests
	y := newYard(t)
	y.vendor("v1", nil)
	r := y.request("1", nil)
	y.do(ProposeOutreach, r.ID, "ask", `{"request_id":"{id}","vendor_ids":["v1"]}`)
	c := y.call(RecordVendorReply, r.ID, "k", `{"request_id":"{id}","vendor_id":"v1","message":"yes, 250","provider_message_id":"SM1"}`)
	func() {
		defer func() { recover() }()
		y.model = func(string) string { panic("the process has died") }
		y.Do(t.Context(), c)
	}()
	y.model = func(string) string {
		return `{"has_stock":true,"price":250,"currency":null,"availability":null,"notes":null}`
	}
	if _, err := y.Do(t.Context(), c); err != nil && !fault.Is(err, fault.Unavailable) {
		t.Fatal(err)
	}
	y.now = y.now.Add(2 * time.Minute)
	if _, err := y.CloseCalls(t.Context(), dynamo.Budget{Count: 1000}); err != nil {
		t.Fatal(err)
	}
	c.Meta.Timestamp = y.now.Format(time.RFC3339)
	if a, err := y.Do(t.Context(), c); err != nil || !a.Success {
		t.Fatalf("%v %s", err, a.Output)
	}
	if q := y.view(r.ID).Outreach[0].Quote; q == nil || q.PriceMinor == nil || *q.PriceMinor != 25000 || q.Text != "yes, 250" {
		t.Errorf("quote %+v", q)
	}
	y.audit(r.ID)
}

// A turn that died after it had proposed calls again with the same key. It is given the question that it still has to
// put, as long as the request waits for the answer to that one.
func TestAQuestionIsGivenAgain(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	r := y.request("1", y.client("ann"))
	propose := func(key string) Answer {
		t.Helper()
		c := y.call(ProposeOutreach, r.ID, key, `{"request_id":"{id}","vendor_ids":["v1"]}`)
		c.Meta.Actor, c.InTurn = Moltbot, &InTurn{Thread: r.Thread}
		a, err := y.Do(t.Context(), c)
		if err != nil || !a.Success {
			t.Fatalf("%v: %s", err, a.Output)
		}
		return a
	}
	first, again := propose("k"), propose("k")
	if first.Offer == nil || !again.Cached {
		t.Fatalf("asked %+v, and cached %v", first.Offer, again.Cached)
	}
	if diff := cmp.Diff(first.Offer, again.Offer); diff != "" {
		t.Errorf("the question again: %s", diff)
	}
	y.now = y.now.Add(time.Minute)
	propose("another")
	if again := propose("k"); again.Offer != nil {
		t.Errorf("another question waits, and the call was given %+v", again.Offer)
	}
}

// midway has something happen the first time that a vendor's thread is read.
type midway struct {
	*thread.Store
	once sync.Once
	do   func()
}

func (m *midway) Head(ctx context.Context, id string) (thread.Head, error) {
	m.once.Do(m.do)
	return m.Store.Head(ctx, id)
}

// An answer that comes while something more is asked stands: the question does not bring back the one before.
func TestAnAnswerWhileAsking(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	r := y.request("1", nil)
	y.do(ProposeOutreach, r.ID, "ask", `{"request_id":"{id}","vendor_ids":["v1"]}`)
	y.quotes(r.ID, "1", "280")
	y.Threads = &midway{Store: y.Threads.(*thread.Store), do: func() { y.quotes(r.ID, "2", "290") }}
	y.do(SendVendorMessage, r.ID, "more", `{"request_id":"{id}","vendor_id":"v1","message":"With cables?","idempotency_key":"`+Key(r.ID,
		"more")+`"}`)
	if o := y.view(r.ID).Outreach[0]; o.Questions != 1 || *o.Quote.PriceMinor != 29000 {
		t.Errorf("%d questions, and quoted %d", o.Questions, *o.Quote.PriceMinor)
	}
}

// What a vendor answers after the acceptance changes nothing of what was accepted.
func TestWhatWasAcceptedStands(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	r := y.request("1", nil)
	y.do(ProposeOutreach, r.ID, "ask", `{"request_id":"{id}","vendor_ids":["v1"]}`)
	y.quotes(r.ID, "1", "280")
	y.do(ProposeAcceptance, r.ID, "accept", `{"request_id":"{id}","outreach_id":"`+outreachOf(y.view(r.ID), "v1")+`"}`)
	y.quotes(r.ID, "2", "400")
	if v := y.view(r.ID); v.Quote == nil || *v.Quote.PriceMinor != 28000 || *v.Outreach[0].Quote.PriceMinor != 40000 {
		t.Errorf("accepted %+v, and the latest answer is %+v", v.Quote, v.Outreach[0].Quote)
	}
}

// A call costs 6 requests at most with its meta and audit, and a snapshot 3, however many vendors were asked.
func TestCostOfACall(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.switchboard()
	var ids []string
	for n := range MaxVendors {
		ids = append(ids, fmt.Sprintf("%q", fmt.Sprint("v", n)))
		y.vendor(fmt.Sprint("v", n), func(v *vendor.Vendor) { v.Phone = fmt.Sprintf("+1555031%04d", n) })
	}
	r := y.callable("ann")
	cost := func(c Call) int {
		t.Helper()
		ctx, meter := telemetry.WithMeter(t.Context())
		if _, err := y.Do(ctx, c); err != nil {
			t.Fatalf("%s: %v", c.Tool, err)
		}
		return meter.Cost().Requests
	}
	out := newOutside(t)
	y.Finder = out.Finder
	y.do(SearchVendors, r.ID, "warm", `{"request_id":"{id}","category":"generator rental"}`) // the vendors of a market are read once a minute
	n := 0
	holds := func(tool, input string) {
		t.Helper()
		n++
		key := fmt.Sprint("cost", n)
		c := y.call(tool, r.ID, key, strings.ReplaceAll(input, "{key}", Key(r.ID, key)))
		if got := cost(c); got > 6 {
			t.Errorf("%s costs %d requests, 6 at most", tool, got)
		} else {
			t.Logf("%s: %d requests, and %d again", tool, got, cost(c))
		}
	}
	holds(SearchVendors, `{"request_id":"{id}","category":"generator rental","limit":15}`)
	holds(UpdateRequirements, `{"request_id":"{id}","requirements":{"when":"Sunday"}}`)
	holds(RequestCallConsent, `{"request_id":"{id}","scope":"concierge","reason":"the road is hard to find"}`)
	if err := y.answers(y.Broker, r.ID, true); err != nil {
		t.Fatal(err)
	}
	holds(StartCall, `{"consent_id":"`+y.view(r.ID).Consents[0].ID+`"}`)
	holds(RevokeCallConsent, `{"request_id":"{id}"}`)
	// What else a vendor's number is used for is read once a minute, a request for each number.
	if got := cost(y.call(ProposeOutreach, r.ID, "cold", `{"request_id":"{id}","vendor_ids":[`+strings.Join(ids, ",")+`]}`)); got > 6+MaxVendors {
		t.Errorf("%d vendors who were not written to for a minute cost %d requests", MaxVendors, got)
	}
	head, err := y.Threads.Head(t.Context(), r.Thread)
	if err != nil {
		t.Fatal(err)
	}
	post := head.Inbox[0].ID
	holds(MapsPlacesItems, `{"post_id":"`+post+`","need":"60 kVA generator"}`)
	holds(WebSearchItems, `{"post_id":"{id}","need":"60 kVA generator"}`)
	out.web.Faults.Add(500) // and so the other engine is paid for, too
	y.Finder.WebCalls++
	holds(SocialProfileItems, `{"post_id":"`+post+`","need":"60 kVA generator"}`)
	desk := y.request("desk", nil)
	r = desk
	holds(ProposeOutreach, `{"request_id":"{id}","vendor_ids":[`+strings.Join(ids, ",")+`]}`)
	holds(SendVendorMessage, `{"request_id":"{id}","vendor_id":"v1","message":"With cables?","idempotency_key":"{key}"}`)
	holds(RecordVendorReply, `{"request_id":"{id}","vendor_id":"v1","message":"280","provider_message_id":"SM1","parsed_data":{"has_stock":true,"price":280}}`)
	holds(CreateOCRJob, `{"request_id":"{id}","message_id":"SM1","media_url":"https://files.example/1","media_type":"image/png"}`)
	holds(GetOCRResult, `{"job_id":"`+y.view(desk.ID).Jobs[0].ID+`"}`)
	holds(UpdateRequestState, `{"request_id":"{id}","new_state":"presented"}`)
	holds(GetRequestSnapshot, `{"request_id":"{id}"}`)
	holds(ProposeAcceptance, `{"request_id":"{id}","outreach_id":"`+outreachOf(y.view(desk.ID), "v1")+`"}`)
	ann := y.request("told", y.client("bob"))
	r = ann
	holds(SendClientMessage, `{"request_id":"{id}","message":"Any news?","idempotency_key":"{key}"}`)
	ctx, meter := telemetry.WithMeter(t.Context())
	if _, err := y.Snapshot(ctx, desk.ID); err != nil {
		t.Fatal(err)
	}
	if got := meter.Cost().Requests; got > 3 {
		t.Errorf("a snapshot costs %d requests, 3 at most", got)
	}
}

// A vendor whose quote was accepted hears of it when the request is cancelled after all.
func TestCancelledAfterTheAcceptance(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	y.vendor("v2", nil)
	r := y.request("1", nil)
	y.do(ProposeOutreach, r.ID, "ask", `{"request_id":"{id}","vendor_ids":["v1","v2"]}`)
	y.quotes(r.ID, "1", "280")
	y.do(ProposeAcceptance, r.ID, "accept", `{"request_id":"{id}","outreach_id":"`+outreachOf(y.view(r.ID), "v1")+`"}`)
	seen := map[string]bool{}
	told := func() []string {
		y.stream(y.teller, r.ID, seen, func(f func() error) {
			if err := errors.Join(f(), f()); err != nil {
				t.Fatal(err)
			}
		})
		return y.sent(y.view(r.ID))
	}
	if diff := cmp.Diff([]string{"v1 accepted", "v1 asked", "v2 asked", "v2 thanks"}, told()); diff != "" {
		t.Errorf("accepted: %s", diff)
	}
	y.do(UpdateRequestState, r.ID, "cancel", `{"request_id":"{id}","new_state":"cancelled"}`)
	if diff := cmp.Diff([]string{"v1 accepted", "v1 asked", "v1 thanks", "v2 asked", "v2 thanks"}, told()); diff != "" {
		t.Errorf("cancelled: %s", diff)
	}
}
