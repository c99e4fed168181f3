package request_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/quote"
	. "merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/model/llm"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
)

// yard is a market of its own with what its requests need.
type yard struct {
	t      *testing.T
	market *market.Market
	now    time.Time
	model  func(answer string) string // what a model reads in an answer; nil reads nothing
	asked  int                        // how often it was asked
	jobs   []string                   // pictures that were queued
	told   []string                   // threads that were told
	*Broker
	teller *Teller
}

var clerk = actor.Actor{Kind: actor.Staff, ID: "dana", Name: "Dana", Groups: []string{"admin"}}

func newYard(t *testing.T) *yard {
	t.Helper()
	m := market.Default(dynamotest.ID("yard"))
	m.TimeZone, m.Currency = "Asia/Nicosia", "EUR"
	m.WhatsApp.Templates = map[string]market.Approved{
		"vendor_asked":    {ContentSID: "HX00000000000000000000000000000001", Params: []string{"code"}},
		"vendor_question": {ContentSID: "HX00000000000000000000000000000003", Params: []string{"text"}},
		"vendor_reminder": {ContentSID: "HX00000000000000000000000000000002", Params: []string{"code"}},
	}
	y := &yard{t: t, market: m, now: time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)}
	y.Broker, y.teller = y.over(dynamotest.Open(t, nil))
	return y
}

// over is the broker of a process with its own connection.
func (y *yard) over(db *dynamo.DB) (*Broker, *Teller) {
	now := func() time.Time { return y.now }
	table := func(name string) dynamo.Table { return db.Table(dynamotest.TableName(name)) }
	threads := &thread.Store{Table: table("conversations"), Now: now, NewID: func() string { return dynamotest.ID("lease") }}
	log := slog.New(slog.NewTextHandler(y.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	b := &Broker{
		Store: &Store{Table: table("records"), Now: now, Rows: &thread.Rows{Table: table("conversations")}}, Vendors: &vendor.Store{Table: table("catalog"), Now: now}, Markets: y, Threads: threads,
		Outbox: &outbox.Box{Table: table("conversations"), Now: now, Log: log}, Roster: &roster.Book{Table: table("catalog"), Now: now},
		Parser: &quote.Parser{Model: llm.Whole(y.read), Now: now, Log: log}, NewID: func() string { return dynamotest.ID("") }, Log: log,
		Alerts: &alert.Store{Table: table("alerts"), Now: now},
	}
	return b, &Teller{Broker: b, Threads: thread.Teller{Store: threads, Queue: y}, Read: y.queue}
}

// Get is the market.
func (y *yard) Get(context.Context, string) (*market.Market, error) { return y.market, nil }

// Queue notes which threads have something to say.
func (y *yard) Queue(_ context.Context, threadID, _ string) error {
	if !slices.Contains(y.told, threadID) {
		y.told = append(y.told, threadID)
	}
	return nil
}

// queue notes which pictures are to be read.
func (y *yard) queue(_ context.Context, _, job string) error {
	y.jobs = append(y.jobs, job)
	return nil
}

// read is the model that reads answers.
func (y *yard) read(_ context.Context, req llm.Request) (llm.Response, error) {
	y.asked++
	var said struct{ Answer string }
	if err := json.Unmarshal([]byte(req.Messages[len(req.Messages)-1].Text), &said); err != nil || y.model == nil {
		return llm.Response{}, llm.Fail(llm.Unavailable, "no model here")
	}
	return llm.Response{Text: y.model(said.Answer), Finish: "stop"}, nil
}

// vendor stores a vendor who may be asked.
func (y *yard) vendor(id string, change func(v *vendor.Vendor)) {
	y.t.Helper()
	v := y.newVendor(id)
	if change != nil {
		change(&v)
	}
	if _, err := y.Vendors.Put(y.t.Context(), v); err != nil {
		y.t.Fatal(err)
	}
}

func (y *yard) newVendor(id string) vendor.Vendor {
	return vendor.Vendor{
		ID: id, Market: y.market.ID, Name: "Vendor " + id, Category: "generator rental", Phone: "+155503" + fmt.Sprintf("%06d", len(id)*1000+int(id[len(id)-1])),
		OptIn: &vendor.OptIn{At: y.now, How: "form"}, Enabled: true,
	}
}

const need = `{"need":"60 kVA generator","place":"Kyrenia","when":"Saturday","budget":300,"location":{"lat":35.336,"lng":33.318}}`

// request makes a request of the desk.
func (y *yard) request(key string, change func(r *Request)) Request {
	y.t.Helper()
	r := Request{ID: NewID(y.market.ID, key), Market: y.market.ID, Language: "en", Category: "generator rental", Currency: "EUR"}
	if change != nil {
		change(&r)
	}
	r, err := y.Create(y.t.Context(), r, json.RawMessage(need), Admin, false)
	if err != nil {
		y.t.Fatal(err)
	}
	return r
}

// client begins a conversation of a client of whom a request is.
func (y *yard) client(name string) func(r *Request) {
	y.t.Helper()
	in := channel.Inbound{
		Market: y.market.ID, Channel: channel.App, ThreadType: channel.General, From: actor.Actor{Kind: actor.Session, ID: name + y.market.ID}, MessageID: "1", Text: "hi",
	}
	a, err := y.Threads.(*thread.Store).Append(y.t.Context(), in, false)
	if err != nil {
		y.t.Fatal(err)
	}
	return func(r *Request) { r.Owner, r.Thread = in.From.Key(), a.Thread }
}

// call is a call of the desk.
func (y *yard) call(tool, request, key, input string) Call {
	return Call{
		Tool: tool, By: clerk, Input: json.RawMessage(strings.ReplaceAll(input, "{id}", request)),
		Meta: Meta{Request: request, Key: Key(request, key), Actor: Admin, Timestamp: y.now.Format(time.RFC3339)},
	}
}

// do carries out a call, and gives its output.
func (y *yard) do(tool, request, key, input string) map[string]any {
	y.t.Helper()
	a, err := y.Do(y.t.Context(), y.call(tool, request, key, input))
	if err != nil {
		y.t.Fatalf("%s: %v", tool, err)
	}
	return decoded(y.t, a.Output)
}

func decoded(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// quotes has vendor v1 answer that they have one for a price, with a message of their own for each key.
func (y *yard) quotes(request, key, price string) {
	y.t.Helper()
	y.do(RecordVendorReply, request, "reply"+key, `{"request_id":"{id}","vendor_id":"v1","message":"`+price+`",`+
		`"provider_message_id":"SM`+key+`","parsed_data":{"has_stock":true,"price":`+price+`}}`)
}

func (y *yard) view(id string) View {
	y.t.Helper()
	v, err := y.Store.View(y.t.Context(), id)
	if err != nil {
		y.t.Fatal(err)
	}
	return v
}

// stream brings every event and audit record of a request, until nothing follows from it.
func (y *yard) stream(t *Teller, request string, seen map[string]bool, deliver func(func() error)) {
	y.t.Helper()
	for again := true; again; {
		again = false
		for _, pk := range []string{"request#", "requestaudit#"} {
			page, err := y.Store.Table.Query(y.t.Context(), dynamo.Under(pk+request, "event#"))
			if err != nil {
				y.t.Fatal(err)
			}
			for _, it := range page.Items {
				if name := it.Key().String(); !seen[name] {
					seen[name], again = true, true
					deliver(func() error { return y.told1(t, it) })
				}
			}
		}
	}
}

func (y *yard) told1(t *Teller, it dynamo.Item) error {
	if e, ok, err := Events.Read(it); ok || err != nil {
		return cmpErr(err, func() error { return t.Tell(y.t.Context(), e) })
	}
	r, _, err := Records.Read(it)
	return cmpErr(err, func() error { return t.Broker.Store.Log().Seal(y.t.Context(), r) })
}

func cmpErr(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}

// sent are the messages to vendors, by what they are.
func (y *yard) sent(v View) []string {
	y.t.Helper()
	var all []string
	for _, o := range v.Outreach {
		ms, err := y.Outbox.List(y.t.Context(), o.Thread, 100)
		if err != nil {
			y.t.Fatal(err)
		}
		for _, m := range ms {
			if name, ours := strings.CutPrefix(m.ID, o.ID+"."); ours {
				all = append(all, o.Vendor+" "+name)
			}
		}
	}
	slices.Sort(all)
	return all
}

// audit is what the audit of a request has, each kind of record once: "tool ok" or "tool refused".
func (y *yard) audit(id string) []string {
	y.t.Helper()
	t, err := y.Store.Log().Trail(y.t.Context(), id)
	if err == nil {
		err = t.Verify()
	}
	if err != nil {
		y.t.Fatal(err)
	}
	var all []string
	for _, r := range t.Records {
		all = append(all, strings.TrimPrefix(r.Tool, "marketplace.")+map[bool]string{true: " ok", false: " refused"}[r.Success])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// fields of errors that are not about a field.
func field(err error) string {
	if err == nil {
		return "no error"
	}
	_, f := fault.Public(err)
	return f
}
