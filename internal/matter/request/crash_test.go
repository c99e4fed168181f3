package request_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/discovery"
	. "merve/internal/matter/request"
	"merve/internal/matter/vendor"
)

// Whatever call of a request's life fails, in every way, and however often it comes again: the request, its vendors,
// what they were told and what was audited are as without.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
		y := newYard(t)
		ctx := context.Background()
		broken, teller := y.over(dynamotest.Once(t, calls))
		broken.Finder = &discovery.Finder{Web: true, OpenAI: newspaper{}, WebCalls: 2}
		seen := map[string]bool{}
		deliver := func(f func() error) { calls.Deliver(t, func() { y.now = y.now.Add(2 * time.Minute) }, f) }
		once := func(tool, request, key, input string) {
			deliver(func() error {
				_, err := broken.Do(ctx, y.call(tool, request, key, input))
				if fault.Is(err, fault.Conflict) {
					return errors.Join(err, errors.New("a call of ours is in its own way"))
				}
				return err
			})
			y.stream(teller, request, seen, deliver)
		}
		id := NewID(y.market.ID, "crash")
		for _, v := range []string{"v1", "v2"} {
			deliver(func() error { return broken.Vendors.Import(ctx, []vendor.Vendor{y.newVendor(v)}) })
		}
		deliver(func() error {
			_, err := broken.Create(ctx, Request{ID: id, Market: y.market.ID, Language: "en", Category: "generator rental", Currency: "EUR"}, json.RawMessage(need), Admin, false)
			return err
		})
		once(SearchVendors, id, "1", `{"request_id":"{id}","category":"generator rental"}`)
		once(WebSearchItems, id, "1w", `{"post_id":"{id}","need":"60 kVA generator"}`)
		once(ProposeOutreach, id, "2", `{"request_id":"{id}","vendor_ids":["v1","v2"]}`)
		once(SendVendorMessage, id, "3", `{"request_id":"{id}","vendor_id":"v1","message":"With cables?","idempotency_key":"`+Key(id, "3")+`"}`)
		once(RecordVendorReply, id, "4", `{"request_id":"{id}","vendor_id":"v1","message":"280 EUR, with cables","provider_message_id":"SM1","parsed_data":{"has_stock":true,"price":280}}`)
		y.now = y.now.Add(3 * time.Hour)
		deliver(func() error { _, err := teller.Attend(ctx, id); return err })
		y.now = y.now.Add(25 * time.Hour)
		deliver(func() error { _, err := teller.Attend(ctx, id); return err })
		y.stream(teller, id, seen, deliver)
		once(UpdateRequestState, id, "5", `{"request_id":"{id}","new_state":"presented"}`)
		once(ProposeAcceptance, id, "6", `{"request_id":"{id}","outreach_id":"`+outreachOf(y.view(id), "v1")+`"}`)
		once(RecordVendorReply, id, "7", `{"request_id":"{id}","vendor_id":"v1","message":"it broke down","provider_message_id":"SM2","parsed_data":{"has_stock":false}}`)
		once(UpdateRequestState, id, "8", `{"request_id":"{id}","new_state":"cancelled"}`)
		deliver(func() error { return broken.Vendors.Delete(ctx, y.market.ID, "v2") })
		deliver(func() error { _, err := broken.Store.Log().Trail(ctx, id); return err })
		v := y.view(id)
		var outreach []string
		for _, o := range v.Outreach {
			outreach = append(outreach, fmt.Sprint(o.Vendor, " ", o.State, " ", o.Questions))
		}
		feed, err := y.Feed(ctx, id)
		if err != nil {
			t.Error(err)
		}
		got := fmt.Sprintf("%s, %v, %v, %d found, %v", v.State, outreach, y.sent(v), len(feed), y.audit(id))
		want := "cancelled, [v1 declined 1 v2 timed_out 0], [v1 accepted v1 asked v1 question-1 v1 thanks v2 asked v2 reminder], 1 found, " +
			"[create_request ok discovery.web_search_items ok propose_acceptance ok propose_outreach ok record_vendor_reply ok search_vendors ok send_vendor_message ok update_request_state ok]"
		if unclear := "record_vendor_reply ok record_vendor_reply refused"; len(got) > len(want) { // it began, and died
			got = cut(got, unclear, "record_vendor_reply ok")
			got = cut(got, "discovery.web_search_items ok discovery.web_search_items refused", "discovery.web_search_items ok")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return got
	})
}

// newspaper is an engine that always finds the same.
type newspaper struct{}

func (newspaper) Ready(context.Context) (bool, error) { return true, nil }

func (newspaper) Search(context.Context, discovery.Query) (discovery.Found, error) {
	return discovery.Found{Items: []discovery.Item{{Title: "Hire", URL: "https://hire.example/"}}}, nil
}
