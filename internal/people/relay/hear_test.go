package relay

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/order"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
)

// counter is a business with a number, whose customers ann and bob have written to it.
type counter struct {
	*Post
	business string
	tc       tool.Context      // of the business's number
	codes    map[string]string // of the talks
}

func newCounter(t *testing.T) counter {
	t.Helper()
	p, now := newPost(t)
	db := p.Table.DB()
	conversations, catalog := db.Table(dynamotest.TableName("conversations")), db.Table(dynamotest.TableName("catalog"))
	threads := &thread.Store{Table: conversations, Now: p.Now, NewID: func() string { return dynamotest.ID("lease") }}
	p.Roster = &roster.Book{Table: catalog, Now: p.Now}
	p.Threads = thread.Teller{Store: threads}
	p.Outbox = &outbox.Box{Table: conversations, Now: p.Now}
	p.Orders, p.Ledger = records{}, records{}
	c := counter{Post: p, business: dynamotest.ID("biz"), codes: map[string]string{}}
	c.tc = tool.Context{
		Actor: actor.Actor{Kind: actor.Person, ID: "whatsapp:+15550100", Phone: "+15550100"}, Market: market.Default(dynamotest.ID("demo")),
		Thread: dynamotest.ID("th_biz"), Language: "en",
	}
	if err := db.Commit(t.Context(), roster.Join(catalog, c.tc.Market.ID, c.tc.Actor.Phone, roster.Entry{Role: roster.Business, ID: "grill", Name: c.business})); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"Ann", "Bob"} {
		*now = now.Add(1)
		a, err := threads.Append(t.Context(), channel.Inbound{
			Market: c.tc.Market.ID, Channel: channel.App, ThreadType: channel.General, From: actor.Actor{Kind: actor.Session, ID: who}, MessageID: who, Text: "hi",
		}, false)
		if err != nil {
			t.Fatal(err)
		}
		talk := Talk{Market: c.tc.Market.ID, Business: c.business, Thread: a.Thread, Customer: who, Listing: "grill", ListingName: "Grill"}
		err = p.Begin(t.Context(), talk, func(code string) []dynamo.Write {
			c.codes[who] = code
			return []dynamo.Write{p.Outbox.Put(outbox.Message{Thread: c.tc.Thread, ID: who, About: code, ProviderID: "SM_" + who})}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// What a business writes is passed on when it is clear for whom, asked about when it is not, and
// left to others when it is for nobody; what says nothing costs nothing.
func TestWhatIsHeard(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	ann, photo := c.codes["Ann"], []channel.Media{{URL: "https://example.com/photo"}}
	if err := c.Table.DB().Commit(t.Context(), c.Outbox.Put(outbox.Message{Thread: c.tc.Thread, ID: "Eve", About: "MK7P2", ProviderID: "SM_Eve"})); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		by       string // another number
		m        thread.Message
		ok       bool
		said     []string
		passed   bool
		requests int
	}{
		"nothing":                  {},
		"a customer's":             {by: "+15550199", m: thread.Message{Text: ann + " yes", ReplyTo: "SM_Ann"}, requests: 1},
		"for whom is not said":     {m: thread.Message{Text: "yes, we do"}, ok: true, said: []string{"Which customer", c.codes["Ann"] + " (“Ann”, Grill)", c.codes["Bob"] + " (“Bob”, Grill)"}, requests: 3},
		"about somebody else":      {m: thread.Message{Text: "K7P9 yes"}, requests: 1},
		"a code alone":             {m: thread.Message{Text: ann}, requests: 2},
		"a photo with a code":      {m: thread.Message{Text: ann, Media: photo}, ok: true, said: []string{"Only text"}, requests: 2},
		"a code with words":        {m: thread.Message{Text: ann + " yes, we do"}, ok: true, said: []string{"Passed on: " + ann}, passed: true, requests: 3},
		"words and a photo":        {m: thread.Message{Text: ann + " like this", Media: photo}, ok: true, said: []string{"Passed on: " + ann, "Only text"}, passed: true, requests: 3},
		"below words of the gone":  {m: thread.Message{Text: "no, we do not", ReplyTo: "SM_Eve"}, ok: true, said: []string{"MK7P2 is over"}, requests: 3},
		"below a customer's words": {m: thread.Message{Text: "yes, we do", ReplyTo: "SM_Ann"}, ok: true, said: []string{"Passed on: " + ann}, passed: true, requests: 4},
	} {
		tc, m := c.tc, tt.m
		if tt.by != "" {
			tc.Actor.Phone = tt.by
		}
		m.ID, m.At = name, c.Now()
		ctx, meter := telemetry.WithMeter(t.Context())
		s, ok, err := c.Command(ctx, tc, m)
		if err != nil || ok != tt.ok || len(s.Writes) > 0 != tt.passed {
			t.Errorf("%s: %v with %d writes, %v; want %v", name, ok, len(s.Writes), err, tt.ok)
		}
		for _, said := range tt.said {
			if !strings.Contains(s.Text, said) {
				t.Errorf("%s: %q lacks %q", name, s.Text, said)
			}
		}
		if n := meter.Cost().Requests; n != tt.requests {
			t.Errorf("%s: %d requests, want %d", name, n, tt.requests)
		}
	}
}

// A business that names nobody means the only customer who waits, but for words from before that one asked
// and words below a message that nobody knows: whom those are for is asked.
func TestWhoWaitsMayNotBeMeant(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	bob, err := c.find(t.Context(), c.tc.Market.ID, []string{c.business}, c.codes["Bob"])
	if err != nil || len(bob) != 1 {
		t.Fatal(bob, err)
	}
	if err := c.Erase(t.Context(), bob[0].Thread); err != nil {
		t.Fatal(err)
	}
	ann, asked := c.codes["Ann"], c.now()
	later := *c.Post
	later.Now = func() time.Time { return asked.Add(time.Hour) }
	for name, tt := range map[string]struct {
		m      thread.Message
		passed bool
	}{
		"since":                  {thread.Message{Text: "yes", At: asked.Add(time.Second)}, true},
		"before":                 {thread.Message{Text: "yes", At: asked}, false},
		"written before":         {thread.Message{Text: "yes", At: asked.Add(time.Second), Wrote: asked.Add(-time.Second)}, false},
		"below what is unknown":  {thread.Message{Text: "yes", At: asked.Add(time.Second), ReplyTo: "SM_unknown"}, false},
		"before, with the code":  {thread.Message{Text: ann + " yes", At: asked}, true},
		"unknown, with the code": {thread.Message{Text: ann + " yes", At: asked.Add(time.Second), ReplyTo: "SM_unknown"}, true},
	} {
		s, ok, err := later.Command(t.Context(), c.tc, tt.m)
		if err != nil || !ok || len(s.Writes) > 0 != tt.passed || !tt.passed && !strings.Contains(s.Text, ann+" (“Ann”, Grill)") {
			t.Errorf("%s: %q, %v with %d writes, %v", name, s.Text, ok, len(s.Writes), err)
		}
	}
}

// Before a business's answers to orders are read, what quotes nothing costs nothing.
func TestWhatQuotesNothingCostsNothing(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	ctx, meter := telemetry.WithMeter(t.Context())
	if _, ok, err := (Quotes{c.Post}).Command(ctx, c.tc, thread.Message{ID: "m", Text: "accept"}); ok || err != nil || meter.Cost().Requests != 0 {
		t.Errorf("%v, %v, %d requests", ok, err, meter.Cost().Requests)
	}
	if s, ok, err := (Quotes{c.Post}).Command(ctx, c.tc, thread.Message{ID: "m", Text: "yes", ReplyTo: "SM_Ann"}); !ok || err != nil || len(s.Writes) == 0 {
		t.Errorf("what quotes: %v, %v, %q", ok, err, s.Text)
	}
}

// Before its YES a business sees what is passed on to whom; what can never be passed on is
// refused, with the field that is wrong and what would be right.
func TestWhatIsAskedBeforeItIsPassedOn(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	of := func(code string, status order.Status) order.Order {
		return order.Order{Code: code, Business: c.business, Market: c.tc.Market.ID, Thread: "th_" + code, CustomerName: "Eve", Status: status}
	}
	bistro := of("K7P3", order.Accepted)
	bistro.Business, bistro.ListingName = dynamotest.ID("biz"), "Bistro"
	join := roster.Join(c.Roster.(*roster.Book).Table, c.tc.Market.ID, c.tc.Actor.Phone, roster.Entry{Role: roster.Business, ID: "bistro", Name: bistro.Business})
	if err := c.Table.DB().Commit(t.Context(), join); err != nil {
		t.Fatal(err)
	}
	kept := records{orders: []order.Order{of("K7P2", order.Placed), of("K7P3", order.Placed), bistro, of("K7P4", order.Done)}}
	c.Orders = kept
	idle := *c.Post // when nobody waits any more
	idle.Orders, idle.Now = records{}, func() time.Time { return c.now().Add(waitFor + time.Second) }
	for name, tt := range map[string]struct {
		by         string // another number
		post       *Post
		code, text string
		want       string // the summary, or what the error says
		kind       fault.Kind
		field      string
	}{
		"an order":             {code: "k7p2", text: "  at the\n\ngate ", want: "Pass on to the customer of K7P2 · “Eve” · “at the gate”"},
		"a talk":               {code: c.codes["Bob"], text: "yes", want: "Pass on to the customer of " + c.codes["Bob"] + " · “Bob” · “yes”"},
		"no words":             {code: "K7P2", text: " \n ", want: "want 1 to 1000 characters", kind: fault.Invalid, field: "text"},
		"all the words":        {code: "K7P2", text: strings.Repeat("é", MaxText), want: "Pass on to"},
		"too many words":       {code: "K7P2", text: strings.Repeat("é", MaxText+1), want: "want 1 to 1000 characters", kind: fault.Invalid, field: "text"},
		"not a business":       {by: "+15550199", code: "K7P2", text: "yes", want: "no business", kind: fault.Forbidden},
		"a code of two":        {code: "K7P3", text: "yes", want: "K7P3 (“Eve”, Bistro)", kind: fault.Invalid, field: "code"},
		"what is over":         {code: "K7P4", text: "yes", want: "K7P4 is over", kind: fault.Conflict},
		"a code that is wrong": {code: "K7P9", text: "yes", want: c.codes["Ann"] + " (“Ann”, Grill)", kind: fault.Invalid, field: "code"},
		"nothing open":         {post: &idle, code: "K7P9", text: "yes", want: "take a code from getBusinessDay", kind: fault.Invalid, field: "code"},
	} {
		post, tc := c.Post, c.tc
		if tt.post != nil {
			post = tt.post
		}
		if tt.by != "" {
			tc.Actor.Phone = tt.by
		}
		args, err := json.Marshal(writeArgs{tt.code, tt.text})
		if err != nil {
			t.Fatal(err)
		}
		said, err := post.Tools()[0].Describe(t.Context(), tc, args)
		var e *fault.Error
		if errors.As(err, &e) {
			said = e.Message
		} else {
			e = &fault.Error{}
		}
		if !strings.Contains(said, tt.want) || e.Kind != tt.kind || e.Field != tt.field {
			t.Errorf("%s: %q, %s on %q; want %q, %s on %q", name, said, e.Kind, e.Field, tt.want, tt.kind, tt.field)
		}
	}
}
