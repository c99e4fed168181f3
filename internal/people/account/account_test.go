package account_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/people/account"
	"merve/internal/spine/assistant"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// drawer is a holder that notes what it is asked.
type drawer struct {
	name  string
	kept  any
	err   error
	stays []string
	asked *[]string
}

func (d drawer) Holds() string { return d.name }

func (d drawer) Export(_ context.Context, c person.Subject) (any, error) {
	*d.asked = append(*d.asked, "export "+d.name+of(c))
	return d.kept, d.err
}

func (d drawer) Erase(_ context.Context, c person.Subject) ([]string, error) {
	*d.asked = append(*d.asked, "erase "+d.name+of(c))
	return d.stays, d.err
}

// of says whose things are asked for.
func of(c person.Subject) string {
	return " of " + c.Owner + " in " + c.Market + " on " + strings.Join(c.Threads, ", ")
}

// office is a desk, and the tools that it has.
type office struct {
	*testing.T
	*account.Keeper
	tools *tool.Registry
	asked []string
}

func newOffice(t *testing.T, drawers ...drawer) *office {
	t.Helper()
	o := &office{T: t, Keeper: &account.Keeper{Threads: &thread.Store{
		Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations")),
		Now:   func() time.Time { return noon }, NewID: func() string { return dynamotest.ID("lease") },
	}, Kinds: assistant.Kinds(assistant.Merve(), assistant.Sara(), assistant.Ops(), assistant.Dispatch())}}
	for _, d := range drawers {
		d.asked = &o.asked
		o.Holders = append(o.Holders, d)
	}
	var err error
	if o.tools, err = tool.NewRegistry(o.Tools()...); err != nil {
		t.Fatal(err)
	}
	return o
}

// chat is a customer's thread, as a tool is told of it.
func (o *office) chat(name string) tool.Context {
	o.Helper()
	who := actor.Actor{Kind: actor.Session, ID: dynamotest.ID(name), Name: name}
	return tool.Context{
		Actor: who, Market: market.Default("demo"), Thread: o.writes(who, "demo", channel.General, "sara"), Language: "en", TimeZone: time.FixedZone("", 7200), Now: noon,
	}
}

// writes has somebody write to an assistant, and returns the thread.
func (o *office) writes(who actor.Actor, market string, typ channel.ThreadType, assistant string) string {
	o.Helper()
	a, err := o.Threads.Append(o.Context(), channel.Inbound{
		Market: market, Channel: channel.Web, ThreadType: typ, Assistant: assistant, From: who, MessageID: "1", Text: "hi",
	}, false)
	if err != nil {
		o.Fatal(err)
	}
	return a.Thread
}

// call runs a tool as a turn does, after the YES if it wants one.
func (o *office) call(tc tool.Context, name, args string) (asked string, got map[string]any, err error) {
	o.Helper()
	t, ok := o.tools.Get(name)
	if !ok {
		o.Fatalf("no tool %s", name)
	}
	canonical, err := t.Canonical([]byte(args))
	if err != nil {
		return "", nil, err
	}
	if asked, err = t.Describe(o.Context(), tc, canonical); err != nil {
		return "", nil, err
	}
	r, err := t.Run(o.Context(), tc, canonical)
	if err != nil {
		return asked, nil, err
	}
	if !slices.Contains(r.Facts, "done") {
		o.Errorf("%s: the model may not say that it is done: %q", name, r.Facts)
	}
	data, err := json.Marshal(r.Data)
	if err != nil {
		o.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		o.Fatal(err)
	}
	return asked, got, nil
}

func (o *office) linked(tc tool.Context) []string {
	o.Helper()
	h, err := o.Threads.Head(o.Context(), tc.Thread)
	if err != nil {
		o.Fatal(err)
	}
	return h.Linked
}

// What may run at once, and what is asked for first.
func TestEffects(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	want := map[string]tool.Verdict{
		"create_link_code": tool.Allow, "link_chats": tool.Confirm, "unlink_chats": tool.Allow, "delete_my_data": tool.Confirm,
	}
	got := map[string]tool.Verdict{}
	var all []string
	for _, t := range o.Tools() {
		all = append(all, t.Name)
	}
	for _, t := range o.Tools() {
		got[t.Name], _ = tool.May(t, tool.Situation{Set: all, Market: market.Default("demo")})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Two chats are linked by the code that one makes and the other says, and undone by either.
func TestLinkChats(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	web, messenger := o.chat("web"), o.chat("messenger")
	_, made, err := o.call(web, "create_link_code", `{}`)
	if err != nil || made["goodUntil"] != "2026-11-23T14:10:00+02:00" {
		t.Fatalf("%v, %v", made, err)
	}
	code, _ := made["code"].(string)
	args := `{"code":"` + strings.ToLower(code) + `"}`
	if _, _, err := o.call(web, "link_chats", args); !errors.Is(err, thread.ErrOwnCode) {
		t.Errorf("on the same chat: %v", err)
	}
	asked, got, err := o.call(messenger, "link_chats", args)
	if err != nil || got["status"] != "linked" || asked != "Link this chat with your other one: each will show the reports of both" {
		t.Fatalf("%q, %v, %v", asked, got, err)
	}
	if diff := cmp.Diff([][]string{{messenger.Actor.Key()}, {web.Actor.Key()}}, [][]string{o.linked(web), o.linked(messenger)}); diff != "" {
		t.Error(diff)
	}
	if _, got, err = o.call(web, "unlink_chats", `{}`); err != nil || got["status"] != "not linked with any chat" {
		t.Errorf("%v, %v", got, err)
	}
	if len(o.linked(web))+len(o.linked(messenger)) != 0 {
		t.Error("still linked")
	}
}

// Nobody is asked for a YES to a code that links nothing: the model learns why.
func TestWrongCodeIsNotAskedFor(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	tc := o.chat("web")
	for args, want := range map[string]fault.Kind{
		`{"code":"AAAA-AAAA"}`: fault.NotFound,
		`{"code":""}`:          fault.NotFound,
		`{"code":"x","y":1}`:   fault.Invalid,
		`{}`:                   fault.Invalid,
	} {
		asked, _, err := o.call(tc, "link_chats", args)
		if !fault.Is(err, want) || asked != "" {
			t.Errorf("%s: asked %q, %v", args, asked, err)
		}
	}
}

// All holders are asked to erase, in order, whatever one of them says.
func TestErase(t *testing.T) {
	t.Parallel()
	away := fault.New(fault.Unavailable, "the bucket is away")
	o := newOffice(t, drawer{name: "reports", err: errors.Join(actor.ErrNotFound, away)}, drawer{name: "calls"}, drawer{name: "messages"})
	tc := o.chat("web")
	asked, _, err := o.call(tc, "delete_my_data", `{}`)
	if !errors.Is(err, away) || !strings.Contains(err.Error(), "erase reports") {
		t.Errorf("%v", err)
	}
	if !strings.HasPrefix(asked, "Delete everything that is kept of you here") {
		t.Errorf("asked %q", asked)
	}
	ann := of(person.Subject{Market: "demo", Owner: tc.Actor.Key(), Threads: []string{tc.Thread}})
	if diff := cmp.Diff([]string{"erase reports" + ann, "erase calls" + ann, "erase messages" + ann}, o.asked); diff != "" {
		t.Error(diff)
	}
	again := newOffice(t, drawer{name: "reports"})
	if _, got, err := again.call(again.chat("web"), "delete_my_data", `{}`); err != nil || got["status"] != "deleted" {
		t.Errorf("%v, %v", got, err)
	}
}

// Whatever somebody has said in a market is theirs to have deleted and given out, whoever it was said
// to, the thread that they ask on at last; what they have said to another tenant is not.
func TestAllThreadsOfAMarket(t *testing.T) {
	t.Parallel()
	o := newOffice(t, drawer{name: "messages"})
	who := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + dynamotest.ID("p")}
	merve, sara := o.writes(who, "demo", channel.General, ""), o.writes(who, "demo", channel.General, "sara")
	ops, dispatch := o.writes(who, "demo", channel.Ops, ""), o.writes(who, "demo", channel.Dispatch, "")
	o.writes(who, "elsewhere", channel.General, "")
	var want []string
	for _, threads := range [][]string{{sara, ops, dispatch, merve}, {merve, ops, dispatch, sara}} {
		asked := threads[len(threads)-1]
		_, err := o.Export(t.Context(), asked)
		if err == nil {
			_, err = o.Erase(t.Context(), asked)
		}
		if err != nil {
			t.Fatal(err)
		}
		c := of(person.Subject{Market: "demo", Owner: who.Key(), Threads: threads})
		want = append(want, "export messages"+c, "erase messages"+c)
	}
	if diff := cmp.Diff(want, o.asked); diff != "" {
		t.Error(diff)
	}
}

// Who has all deleted is told what stays, because somebody is at work on it.
func TestEraseTellsWhatStays(t *testing.T) {
	t.Parallel()
	o := newOffice(t, drawer{name: "orders", stays: []string{"K7PR", "W2XY"}}, drawer{name: "reports"}, drawer{name: "rides", stays: []string{"M4TN"}})
	tc := o.chat("web")
	erase, _ := o.tools.Get("delete_my_data")
	r, err := erase.Run(t.Context(), tc, json.RawMessage(`{}`))
	if want := "Everything that was kept of you here is deleted, but for what is still under way: K7PR, W2XY, M4TN. That stays until it is over."; err != nil || r.Done != want {
		t.Errorf("%q, %v", r.Done, err)
	}
}

// The profile has what each of the customer's threads knows of them.
func TestExportOfAllThreads(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	who := actor.Actor{Kind: actor.Person, ID: dynamotest.ID("ann"), Name: "Ann", Phone: "+15550142"}
	in := channel.Inbound{
		Market: "demo", Channel: channel.WhatsApp, ThreadType: channel.General, From: who, ReplyAddr: who.Phone, MessageID: "1",
		Location: &geo.Location{Lat: 35.3, Lng: 33.3, Address: "the harbour"},
	}
	first, err := o.Threads.Append(t.Context(), in, false)
	if err != nil {
		t.Fatal(err)
	}
	sara := o.writes(who, "demo", channel.General, "sara")
	got, err := o.Export(t.Context(), sara)
	if err != nil {
		t.Fatal(err)
	}
	at := noon.Format(time.RFC3339)
	want := map[string]any{
		"id": who.Key(), "linked": nil, "threadId": sara, "name": "Ann", "channel": "web", "language": "", "phone": who.Phone, "lastMessageAt": at,
		"others": []any{map[string]any{
			"threadId": first.Thread, "name": "Ann", "channel": "whatsapp", "language": "", "phone": who.Phone, "address": who.Phone, "lastMessageAt": at,
			"location": map[string]any{"lat": 35.3, "lng": 33.3, "address": "the harbour"}, "locatedAt": at,
		}},
	}
	if diff := cmp.Diff(want, asJSON(t, got)["profile"]); diff != "" {
		t.Error(diff)
	}
	lines, _, err := o.Threads.Lines(t.Context(), first.Thread, "", thread.MaxLines)
	if err != nil || len(lines) != 1 || lines[0].Location == nil || lines[0].Location.Address != "the harbour" {
		t.Errorf("%+v, %v", lines, err)
	}
}

func asJSON(t *testing.T, v any) (out map[string]any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err = errors.Join(err, json.Unmarshal(text, &out)); err != nil {
		t.Fatal(err)
	}
	return out
}

// An export has the profile, and what each holder has that has something.
func TestExport(t *testing.T) {
	t.Parallel()
	o := newOffice(t, drawer{name: "reports", kept: []string{"a report"}}, drawer{name: "bookings"})
	tc := o.chat("web")
	ctx, meter := telemetry.WithMeter(t.Context())
	got, err := o.Export(ctx, tc.Thread)
	if err != nil || meter.Cost().Requests != 3 {
		t.Fatalf("%d requests, %v", meter.Cost().Requests, err)
	}
	profile := map[string]any{
		"id": tc.Actor.Key(), "linked": nil, "threadId": tc.Thread, "name": "web", "channel": "web", "language": "", "lastMessageAt": noon.Format(time.RFC3339),
	}
	if diff := cmp.Diff(map[string]any{"reports": []any{"a report"}, "profile": profile}, asJSON(t, got)); diff != "" {
		t.Error(diff)
	}
	ann := of(person.Subject{Market: "demo", Owner: tc.Actor.Key(), Threads: []string{tc.Thread}})
	if diff := cmp.Diff([]string{"export reports" + ann, "export bookings" + ann}, o.asked); diff != "" {
		t.Error(diff)
	}
	if _, err := o.Export(t.Context(), "th_none"); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("no thread: %v", err)
	}
	broken := newOffice(t, drawer{name: "reports", err: fault.New(fault.Unavailable, "away")})
	if got, err := broken.Export(t.Context(), broken.chat("web").Thread); got != nil || !fault.Is(err, fault.Unavailable) {
		t.Errorf("half of it: %v, %v", got, err)
	}
}
