package request_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	. "merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// writes is where a vendor who was asked writes.
func (y *yard) writes(o vendor.Outreach) tool.Context {
	return tool.Context{
		Market: y.market, ThreadType: channel.Vendor, Thread: o.Thread, Language: "en",
		Actor: actor.Actor{Phone: o.Number}, Now: y.now, TimeZone: time.UTC,
	}
}

// hears has a broker take in what a vendor writes. It gives what that does and what they are answered; ok is false where it
// is no answer to anything.
func (y *yard) hears(o vendor.Outreach, m thread.Message) (settled gate.Settled, ok bool) {
	y.t.Helper()
	settled, ok, err := y.Answers(false).Command(y.t.Context(), y.writes(o), m)
	if err != nil {
		y.t.Fatal(err)
	}
	if err := y.Store.Table.DB().Commit(y.t.Context(), settled.Writes...); err != nil && !errors.Is(err, ErrChanged) {
		y.t.Fatal(err)
	}
	return settled, ok
}

// outreach asks vendors about a new request, and gives them in the order of their names.
func (y *yard) outreach(key string, vendors ...string) []vendor.Outreach {
	y.t.Helper()
	r := y.request(key, nil)
	y.do(ProposeOutreach, r.ID, "ask", `{"request_id":"{id}","vendor_ids":["`+strings.Join(vendors, `","`)+`"]}`)
	return y.view(r.ID).Outreach
}

// An answer is late when the time of its outreach is over by the time that the answer is recorded, even if it was not when
// the answer was read.
func TestATimeOutWhileAnAnswerIsRead(t *testing.T) {
	t.Parallel()
	const vague = `{"has_stock":null,"price":null,"currency":null,"availability":null,"notes":null}`
	for name, answer := range map[string]func(y *yard, o vendor.Outreach){
		"on WhatsApp": func(y *yard, o vendor.Outreach) { y.hears(o, thread.Message{ID: "SM1", Text: "we will see"}) },
		"by a call": func(y *yard, o vendor.Outreach) {
			y.do(RecordVendorReply, o.Request, "reply",
				`{"request_id":"{id}","vendor_id":"v1","message":"we will see","provider_message_id":"SM1"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			y.vendor("v1", nil)
			o := y.outreach("1", "v1")[0]
			y.model = func(string) string {
				for range 2 { // the first reminds
					y.now = y.now.Add(25 * time.Hour)
					if _, err := y.teller.Attend(t.Context(), o.Request); err != nil {
						t.Error(err)
					}
				}
				if got := y.view(o.Request).Outreach[0].State; got != vendor.TimedOut {
					t.Errorf("while the answer is read: %s", got)
				}
				return vague
			}
			answer(y, o)
			if got := y.view(o.Request).Outreach[0]; got.State != vendor.Replied || !got.Late || got.Quote == nil {
				t.Errorf("%s, late %v, quote %v", got.State, got.Late, got.Quote)
			}
		})
	}
}

// START is no answer, also from a vendor who has never written STOP.
func TestStartIsNoAnswer(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	o := y.outreach("1", "v1")[0]
	for _, words := range []string{"START", "start please!", "старт", "abone ol"} {
		if settled, ok := y.hears(o, thread.Message{ID: words, Text: words}); !ok || !strings.Contains(settled.Text, "again") {
			t.Errorf("%q: %q, %v", words, settled.Text, ok)
		}
	}
	if got := y.view(o.Request).Outreach[0]; got.State != vendor.Pending || got.Quote != nil || y.asked != 0 {
		t.Errorf("%s, quote %v, and a model was asked %d times", got.State, got.Quote, y.asked)
	}
}

// An answer that quotes a message of which nothing is known may be meant for any outreach: the vendor is asked, also where
// only one is open. One that quotes what the vendor was asked belongs to that.
func TestAnUnknownQuotation(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	first, second := y.outreach("1", "v1")[0], y.outreach("2", "v1")[0]
	y.do(RecordVendorReply, second.Request, "no",
		`{"request_id":"{id}","vendor_id":"v1","message":"no","provider_message_id":"SM0","parsed_data":{"has_stock":false}}`)
	settled, ok := y.hears(first, thread.Message{ID: "SM1", Text: "280", ReplyTo: "SMunknown"})
	if !ok || len(settled.Writes) != 0 || !strings.Contains(settled.Text, first.Code) || !strings.Contains(settled.Text, second.Code) {
		t.Errorf("an unknown message is quoted: %q, %d writes", settled.Text, len(settled.Writes))
	}
	if got := y.view(first.Request).Outreach[0]; got.State != vendor.Pending {
		t.Errorf("it is %s", got.State)
	}
	table := y.Outbox.Table
	sent := table.Update(dynamo.Key{PK: second.Thread, SK: "outbox#" + second.Message}, "SET providerId = :id", dynamo.V{":id": "SMasked"})
	y.fail(table.DB().Commit(t.Context(), sent))
	y.hears(first, thread.Message{ID: "SM2", Text: "300", ReplyTo: "SMasked"})
	a, b := y.view(first.Request).Outreach[0], y.view(second.Request).Outreach[0]
	if a.State != vendor.Pending || b.State != vendor.Replied || b.Quote.Message != "SM2" {
		t.Errorf("what was asked is quoted: %s and %s", a.State, b.State)
	}
}

// The desk accepts the quote that it was shown: an answer that takes its place meanwhile is not accepted for it.
func TestTheDeskAcceptsTheStandingQuote(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	o := y.outreach("1", "v1")[0]
	y.quotes(o.Request, "1", "280")
	late, _ := y.over(dynamotest.Open(t, nil))
	none := false
	late.Threads = between{late.Threads.(*thread.Store), sync.OnceFunc(func() {
		y.do(RecordVendorReply, o.Request, "gone",
			`{"request_id":"{id}","vendor_id":"v1","message":"sold","provider_message_id":"SM2","parsed_data":{"has_stock":false}}`)
		none = true
	})}
	a, err := late.Do(t.Context(), y.call(ProposeAcceptance, o.Request, "accept", `{"request_id":"{id}","outreach_id":"`+o.ID+`"}`))
	if err != nil || a.Success || !none {
		t.Errorf("%v %s, the quote was taken back: %v", err, a.Output, none)
	}
	if v := y.view(o.Request); v.State == Accepted || v.Accepted != "" || v.Quote != nil {
		t.Errorf("%s, accepted %q", v.State, v.Accepted)
	}
	if got := y.sent(y.view(o.Request)); len(got) != 1 {
		t.Errorf("sent %v", got)
	}
}
