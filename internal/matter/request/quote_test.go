package request_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/matter/quote/price"
	. "merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// writesOn has a vendor write a message on their thread, which no turn has answered yet.
func (y *yard) writesOn(o vendor.Outreach, id, text string) {
	y.t.Helper()
	in := channel.Inbound{
		Market: y.market.ID, Channel: channel.WhatsApp, ThreadType: channel.Vendor, From: channel.OfNumber(o.Number), MessageID: id, Text: text,
	}
	a, err := y.Threads.(*thread.Store).Append(y.t.Context(), in, false)
	if err != nil || a.Thread != o.Thread {
		y.t.Fatalf("on thread %s, want %s: %v", a.Thread, o.Thread, err)
	}
}

// records is a call of a model that records a vendor's answer.
func (y *yard) records(o vendor.Outreach, key, id, text, parsed string) map[string]any {
	y.t.Helper()
	c := y.call(RecordVendorReply, o.Request, key, fmt.Sprintf(
		`{"request_id":"{id}","vendor_id":%q,"message":%q,"provider_message_id":%q,"parsed_data":%s}`, o.Vendor, text, id, parsed))
	c.Meta.Actor, c.By = Moltbot, actor.Actor{Kind: actor.System}
	a, err := y.Do(y.t.Context(), c)
	if err != nil {
		y.t.Fatal(err)
	}
	return decoded(y.t, a.Output)
}

// What a model reads in an answer is never its price: that stands in the vendor's words, in their currency, or there is none.
func TestField33_APriceIsTheVendors(t *testing.T) {
	t.Parallel()
	for text, tt := range map[string]struct{ model, price, shown string }{
		"Yes, 280 dollars":                         {`{"has_stock":true,"price":280,"currency":null}`, "280 USD", "$280.00"},
		"Yes, 300 tl":                              {`{"has_stock":true,"price":300,"currency":"EUR"}`, "300 TRY", "₺300.00"},
		"4500 EUR for 5 days":                      {`{"has_stock":true,"price":5,"currency":"EUR"}`, "4500 EUR", "€4,500.00"},
		"Yes, 1\u202f250,00 EUR":                   {`{"has_stock":true,"price":1250,"currency":"EUR"}`, "1250 EUR", "€1,250.00"},
		"Yes, 280":                                 {`{"has_stock":true,"price":1}`, "280 EUR", "€280.00 (they named no currency; we asked in EUR)"},
		"Yes, 1.500 with delivery":                 {`{"has_stock":true,"price":1.5}`, "", ""},
		"Yes, we have model 350, price on request": {`{"has_stock":true,"price":350}`, "", ""},
		"Yes, between 250-300":                     {`{"has_stock":true,"price":250}`, "", ""},
		"Yes, we have one":                         {`{"has_stock":true,"price":0}`, "", "no price named"},
	} {
		y := newYard(t)
		y.vendor("v1", nil)
		r := y.request("1", y.client("ann"))
		o := y.clientAsks(r, "v1")[0]
		y.model = func(string) string { return tt.model }
		y.hears(o, thread.Message{ID: "SM1", Text: text})
		y.notices(r)
		s, err := y.Snapshot(t.Context(), r.ID)
		y.fail(err)
		q := s.Outreach.Outreach[0].Quote
		if got := strings.TrimSpace(q.Price.String() + " " + q.Currency); got != tt.price || q.Acceptable != (tt.shown != "") || q.Text != text {
			t.Errorf("%q is %q, acceptable %v: %q", text, got, q.Acceptable, q.Text)
		}
		offered := y.do(ProposeAcceptance, r.ID, "take", `{"request_id":"{id}","outreach_id":"`+o.ID+`"}`)
		question, _ := offered["question"].(string)
		why, _ := offered["error"].(string)
		if tt.shown == "" && (offered["success"] != false || !strings.Contains(why, "not clear")) ||
			tt.shown != "" && (!strings.Contains(question, tt.shown) || !strings.Contains(question, wording.Quote("en", text))) {
			t.Errorf("%q is asked about as %v", text, offered)
		}
	}
}

// clientAsks has a client of a request agree that vendors are asked.
func (y *yard) clientAsks(r Request, vendors ...string) []vendor.Outreach {
	y.t.Helper()
	y.do(ProposeOutreach, r.ID, "ask", `{"request_id":"{id}","vendor_ids":["`+strings.Join(vendors, `","`)+`"]}`)
	y.fail(y.answers(y.Broker, r.ID, true))
	return y.view(r.ID).Outreach
}

// notices are what the client of a request was told, the latest last.
func (y *yard) notices(r Request) (all []string) {
	y.t.Helper()
	y.twice(y.teller, r.ID, map[string]bool{})
	head, err := y.Threads.Head(y.t.Context(), r.Thread)
	y.fail(err)
	for _, m := range head.Inbox {
		if m.Notice != nil {
			all = append(all, m.Notice.Text)
		}
	}
	return all
}

// A vendor's reply is a message on their thread, as it stands there; or a person of the desk with a name has heard it, and
// everybody who reads it is told that. Nothing else is recorded.
func TestPromise2_AReplyIsTheVendors(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	y.vendor("v2", nil)
	r := y.request("1", y.client("ann"))
	o := y.clientAsks(r, "v1", "v2")
	other := y.outreach("2", "v1")[0]
	const has = `{"has_stock":true,"price":1}`
	wants(t, "an invented id", y.records(o[0], "1", "SM404", "280 EUR", has), false, "no such message")
	y.writesOn(o[0], "SM1", o[0].Code+" 280 EUR")
	y.writesOn(o[1], "SM2", "300 EUR")
	y.writesOn(o[0], "SM3", other.Code+": 150 EUR")
	wants(t, "other words", y.records(o[0], "2", "SM1", "28 EUR", has), false, "something else")
	wants(t, "another vendor's", y.records(o[0], "3", "SM2", "300 EUR", has), false, "no such message")
	wants(t, "another request's", y.records(o[0], "4", "SM3", other.Code+": 150 EUR", has), false, other.Code)
	if got := y.view(r.ID).Outreach[0]; got.Quote != nil || got.State != vendor.Pending {
		t.Fatalf("recorded: %+v", got)
	}
	wants(t, "the vendor's", y.records(o[0], "2", "SM1", "280 EUR", has), true, "")
	if q := y.view(r.ID).Outreach[0].Quote; q == nil || *q.PriceMinor != 28000 || q.Text != "280 EUR" || q.NotedBy != "" {
		t.Errorf("recorded as %+v", q)
	}
	for n, tt := range map[string]struct {
		actor string
		by    actor.Actor
	}{"a program": {System, clerk}, "nobody with a name": {Admin, actor.Actor{Kind: actor.Staff, ID: "x", Groups: []string{"admin"}}}} {
		c := y.call(RecordVendorReply, r.ID, "t"+tt.actor, `{"request_id":"{id}","vendor_id":"v2","message":"310 EUR","provider_message_id":"call"}`)
		c.Meta.Actor, c.By = tt.actor, tt.by
		if a, err := y.Do(t.Context(), c); err != nil || a.Success {
			t.Errorf("by %s: %v %s", n, err, a.Output)
		}
	}
	y.do(RecordVendorReply, r.ID, "tel", `{"request_id":"{id}","vendor_id":"v2","message":"310 EUR","provider_message_id":"call"}`)
	if told := strings.Join(y.notices(r), "\n"); !strings.Contains(told, "€310.00 · “310 EUR” (by telephone, noted by Dana)") {
		t.Errorf("told %s", told)
	}
	got := y.do(ProposeAcceptance, r.ID, "take", `{"request_id":"{id}","outreach_id":"`+o[1].ID+`"}`)
	if q, _ := got["question"].(string); !strings.Contains(q, "(by telephone, noted by Dana)") {
		t.Errorf("asked %v", got)
	}
}

// A later message without a price leaves the quote and the question about it as they are, and reaches the client. One with another
// price replaces it, one with a price that is not clear does too, and a vendor who has nothing any more says so.
func TestField76_ALaterMessageKeepsTheQuote(t *testing.T) {
	t.Parallel()
	for text, tt := range map[string]struct {
		model, quote, told string
		stands             bool
	}{
		"👍 thanks":                    {`{"has_stock":null}`, "280 EUR", "has written about your request", true},
		"Do you need fuel too?":       {`{"has_stock":null}`, "280 EUR", "Do you need fuel too?", true},
		"Yes, still there":            {`{"has_stock":true}`, "280 EUR", "Yes, still there", true},
		"Now 95 EUR":                  {`{"has_stock":true}`, "Now 95 EUR", "€95.00", false},
		"same as before but 10 % off": {`{"has_stock":true}`, "same as before but 10 % off", "Price not clear", false},
		"sold, sorry":                 {`{"has_stock":false}`, "sold, sorry", "", false},
	} {
		y := newYard(t)
		y.vendor("v1", nil)
		r := y.request("1", y.client("ann"))
		o := y.clientAsks(r, "v1")[0]
		y.model = func(string) string { return `{"has_stock":true}` }
		y.hears(o, thread.Message{ID: "SM1", Text: "280 EUR"})
		y.notices(r)
		y.do(ProposeAcceptance, r.ID, "take", `{"request_id":"{id}","outreach_id":"`+o.ID+`"}`)
		asked := y.view(r.ID)
		y.model = func(string) string { return tt.model }
		y.now = y.now.Add(time.Minute)
		y.hears(o, thread.Message{ID: "SM2", Text: text})
		told := y.notices(r)
		if q := y.view(r.ID).Outreach[0].Quote; q.Text != tt.quote || !strings.Contains(told[len(told)-1], tt.told) {
			t.Errorf("%q: the quote is %q, told %q", text, q.Text, told[len(told)-1])
		}
		if err := y.answersTo(y.Broker, asked, true); (err == nil) != tt.stands || (y.view(r.ID).State == Accepted) != tt.stands {
			t.Errorf("%q: accepted %v", text, err)
		}
	}
}

// Zero is a price only where a word for free stands with it, whatever is said to be read there.
func TestField74_ZeroNeedsAWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]price.Status{"Yes, we have it": price.None, "0 EUR": price.Unclear, "0 EUR, free": price.Clear, "Yes, free of charge": price.Assumed} {
		y := newYard(t)
		y.vendor("v1", nil)
		o := y.outreach("1", "v1")[0]
		y.writesOn(o, "SM1", text)
		wants(t, text, y.records(o, "1", "SM1", text, `{"has_stock":true,"price":0}`), true, "")
		q := y.view(o.Request).Outreach[0].Quote
		if q.Status != want || (q.PriceMinor != nil) != (want == price.Clear || want == price.Assumed) {
			t.Errorf("%q is %+v", text, q)
		}
	}
}

// Vendors are told in which currency they are asked, also by a market's own text and by an approved template without a place for it.
func TestVendorsAreAskedInACurrency(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]string{"ours": "", "the market's": "Wanted: {need}"} {
		y := newYard(t)
		if own != "" {
			y.market.Templates = map[string]string{"vendor_asked": own}
		}
		y.vendor("v1", nil)
		o := y.outreach("1", "v1")[0]
		m, err := y.Outbox.Get(t.Context(), o.Thread, o.Message)
		y.fail(err)
		if !strings.Contains(m.Text, "the price in EUR") || m.Template == nil || !strings.Contains(fmt.Sprint(m.Template.Vars), "the price in EUR") {
			t.Errorf("%s: %q, %+v", name, m.Text, m.Template)
		}
	}
}
