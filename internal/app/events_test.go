package app_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/infra/local/demo"
	"merve/infra/rulemodel"
	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/event"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/queue/queuetest"
	"merve/internal/cloud/trigger"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/payment"
	"merve/internal/matter/report"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/people/desk"
	"merve/internal/people/relay"
	"merve/internal/plan"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/spine/live"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// story is a Merve of the morning that the samples tell of, with tables of its own.
type story struct {
	base   *app.Base
	queue  *queuetest.Kept // of turns
	twilio *twiliotest.Server
	posted posted // to sockets
	now    time.Time
	log    *strings.Builder

	refused refusals // by the roles of functions
}

func newStory(t *testing.T) *story {
	t.Helper()
	cfg, prefix := dynamotest.Config(t), dynamotest.ID("app")+"-"
	if err := dynamotest.OwnTables(t.Context(), cfg, prefix); err != nil {
		t.Fatal(err)
	}
	s := &story{now: time.Date(2026, 11, 23, 9, 15, 30, 0, time.UTC), queue: &queuetest.Kept{}, log: &strings.Builder{}}
	clock := func() time.Time { return s.now }
	s.twilio = twiliotest.New(t, twiliotest.Config{AccountSID: "AC00000000000001", From: "+15551230000", Now: clock})
	model := httptest.NewServer(rulemodel.New(clock))
	t.Cleanup(model.Close)
	n := 0
	s.base = app.NewBase(app.Process{
		Config: app.Config{
			DefaultMarket: demo.Market, Patience: time.Minute, LivePatience: 8 * time.Second, AdminToken: "test-token-not-real",
			TableConversations: prefix + "conversations", TableLedger: prefix + "ledger", TableAlerts: prefix + "alerts", TableCatalog: prefix + "catalog", TableRecords: prefix + "records",
			OpenAIBaseURL: model.URL + "/v1", OpenAIModel: rulemodel.Model, SaraModel: rulemodel.Model,
			AllowedOrigins: []string{"https://shop.example"}, MediaBucket: "merve-media",
			TwilioAccountSID: "AC00000000000001", TwilioFrom: "+15551230000", TwilioBaseURL: s.twilio.URL(),
		},
		AWS: cfg, Now: clock, NewID: func() string { n++; return fmt.Sprintf("id-%06d", n) }, Queues: only(s.queue),
		Wait: func(ctx context.Context, d time.Duration) error {
			if d > 2*time.Second { // until a lease is renewed: nothing here takes so long
				<-ctx.Done()
			}
			return ctx.Err()
		},
		Log: telemetry.NewLogger(s.log, slog.LevelError), Sockets: &s.posted,
		Getenv: func(name string) string {
			return map[string]string{
				"OPENAI_API_KEY": "test-key-not-real", "TWILIO_AUTH_TOKEN": "test-token-not-real",
				"META_APP_SECRET": "test-token-not-real", "META_VERIFY_TOKEN": "test-token-not-real", "STRIPE_WEBHOOK_SECRET": "test-token-not-real",
				"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1", // no photos here
			}[name]
		},
	})
	if err := demo.Load(t.Context(), s.base.Markets(), s.base.Listings()); err != nil {
		t.Fatal(err)
	}
	return s
}

// posted are the frames that sockets were sent.
type posted struct {
	mu     sync.Mutex
	frames []live.Frame
}

// Post implements [live.Poster].
func (p *posted) Post(_ context.Context, _ string, data []byte) error {
	var f live.Frame
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames = append(p.frames, f)
	return nil
}

// Hangup implements [live.Poster].
func (*posted) Hangup(context.Context, string) error { return nil }

// finals counts the finished turns that sockets were told of.
func (p *posted) finals() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.frames {
		if f.Type == live.Final && f.Text != "" {
			n++
		}
	}
	return n
}

// only is the turns' queue and no other.
func only(turns queue.Queue) func(string) queue.Queue {
	return func(name string) queue.Queue {
		if name != "turns" {
			return nil
		}
		return turns
	}
}

// saraOwner has the session of the sample for sara, and saraThread is theirs.
var (
	saraOwner = func() actor.Actor {
		sum := sha256.Sum256([]byte("session:session-not-real-0000000002"))
		return actor.Actor{Kind: actor.Session, ID: hex.EncodeToString(sum[:16])}
	}()
	saraThread = thread.ID(demo.Market, "general", "sara", saraOwner.Key())
)

// report makes the report of which the sample for reports tells.
func (s *story) report(t *testing.T) {
	t.Helper()
	r, err := s.base.Reports().Start(t.Context(), report.By{Actor: saraOwner, Key: "sample"}, report.Draft{
		Market: demo.Market, Thread: saraThread, Spot: geo.Spot{Address: "12 Harbour Road"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("report %s of %s", r.ID, r.Owner)
}

// sample reads a sample of an event.
func sample(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "events", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// functionOf names the function that a sample is for: <function>.json or <function>-<case>.json.
func functionOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	for f := range app.Constructors(wiring.Elsewhere()) {
		if name == f || strings.HasPrefix(name, f+"-") {
			return f
		}
	}
	return ""
}

// invoke gives a sample to its function, which has its own role.
func (s *story) invoke(t *testing.T, name string) []byte {
	t.Helper()
	h, err := app.Constructors(wiring.Elsewhere())[functionOf(name)](s.as(functionOf(name)))
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Invoke(t.Context(), sample(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// The samples tell one story; each is given to its function in turn, and what it should
// bring about is there.
func TestEveryEventReachesItsFunction(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	plans := s.withPlans(t)
	answered := func(status int) func(*testing.T, []byte) {
		return func(t *testing.T, out []byte) {
			var a events.APIGatewayV2HTTPResponse
			if err := json.Unmarshal(out, &a); err != nil || a.StatusCode != status {
				t.Fatalf("status %d, want %d: %v %s", a.StatusCode, status, err, a.Body)
			}
		}
	}
	done := func(t *testing.T, out []byte) {
		var a events.SQSEventResponse // of streams it looks the same
		if err := json.Unmarshal(out, &a); err != nil || len(a.BatchItemFailures) > 0 {
			t.Fatalf("%v: %s", err, out)
		}
	}
	ticked := func(*testing.T, []byte) {}
	told := map[string]bool{}
	for _, step := range []struct {
		sample string
		check  func(*testing.T, []byte)
		then   func(*testing.T)
	}{
		{"chat-message", answered(http.StatusOK), nil},
		{"chat-messages", answered(http.StatusOK), nil},
		{"whatsapp", answered(http.StatusOK), func(t *testing.T) {
			if want := threadOf(t, "turn"); len(s.queue.Sent()) != 1 || s.queue.Sent()[0].Group != want {
				t.Errorf("queued %v, want %s", s.queue.Sent(), want)
			}
		}},
		{"turn", done, func(t *testing.T) {
			if ms, err := s.base.Outbox().List(t.Context(), threadOf(t, "turn"), 10); err != nil || len(ms) != 1 {
				t.Errorf("%v, on the outbox: %+v", err, ms)
			}
		}},
		{"sender", done, func(t *testing.T) {
			if ms := s.twilio.Messages(); len(ms) != 1 || ms[0].To != "+15551230001" {
				t.Errorf("sent: %+v", ms)
			}
		}},
		{"whatsapp-status", answered(http.StatusNoContent), func(t *testing.T) {
			ms, err := s.base.Outbox().List(t.Context(), threadOf(t, "turn"), 10)
			if err != nil || len(ms) != 1 || ms[0].Status != "delivered" {
				t.Errorf("%v, on the outbox: %+v", err, ms)
			}
		}},
		{"notify", done, func(t *testing.T) {
			tx := bookedIn(t)
			to := thread.ID(tx.Market, "ops", "", "person:whatsapp:"+tx.Merchant)
			if ms, err := s.base.Outbox().List(t.Context(), to, 10); err != nil || len(ms) != 1 || !strings.Contains(ms[0].Text, tx.Code) {
				t.Errorf("%v, to the business: %+v", err, ms)
			}
		}},
		{"messenger-verify", answered(http.StatusOK), nil},
		{"messenger", answered(http.StatusOK), func(t *testing.T) {
			to := thread.ID(demo.Market, "general", "sara", "person:messenger:9000000000000001")
			if h, err := s.base.Threads().Head(t.Context(), to); err != nil || len(h.Inbox) != 1 {
				t.Errorf("%v, on the thread: %+v", err, h)
			}
		}},
		{"sara", answered(http.StatusOK), func(t *testing.T) { s.report(t) }},
		{"records", done, func(t *testing.T) {
			if h, err := s.base.Threads().Head(t.Context(), saraThread); err != nil || len(h.Inbox) != 1 || !strings.Contains(h.Inbox[0].Notice.Text, "Harbour Road") {
				t.Errorf("%v, on the thread: %+v", err, h)
			}
		}},
		{"stripe", answered(http.StatusOK), func(t *testing.T) { // of a payment that nobody here was asked for
			if found, _, err := s.base.Alerts().List(t.Context(), 10, ""); err != nil || len(found) != 1 || found[0].Check != "payment" {
				t.Errorf("%v, alerts: %+v", err, found)
			}
			if !strings.Contains(s.log.String(), `"Alerts":1`) {
				t.Errorf("an alert that no alarm hears of at LOG_LEVEL=error: %s", s.log)
			}
			s.log.Reset()
		}},
		{"index", done, nil}, // no search engine here
		{"expiry", ticked, nil},
		{"invariants", ticked, nil},
		{"sweep", ticked, nil},
		{"admin", answered(http.StatusOK), nil},
		{"marketplace", answered(http.StatusNotFound), nil},
		{"outreach", ticked, nil},
		{"ocr", done, nil}, // the request has gone
		{"planapi", answered(http.StatusOK), nil},
		{"planapi-trace", answered(http.StatusOK), nil},
		{"planapi-reset", answered(http.StatusNoContent), nil},
		{"publisher", done, func(t *testing.T) {
			if n := len(plans.queues["user-commands"].Sent()); n != 1 {
				t.Errorf("%d questions for the router", n)
			}
			s.stands(t, until(plan.UserQueryReceived))
		}},
		{"router", done, func(t *testing.T) {
			s.goesOn(t, plan.PlanGenerated)
			s.stands(t, beside("none"))
		}},
		{"orchestrator", done, func(t *testing.T) {
			s.goesOn(t, plan.PlanCompleted)
			s.stands(t, func(e plan.Event) bool { return e.Type != plan.FinalAnswerSynthesized })
		}},
		{"aggregator", done, func(t *testing.T) {
			s.goesOn(t, plan.FinalAnswerSynthesized)
			s.stands(t, beside("#00"))
		}},
		{"worker-math", done, func(t *testing.T) { s.answers(t, 0); s.stands(t, beside("#01")) }},
		{"worker-weather", done, func(t *testing.T) { s.answers(t, 1); s.stands(t, beside("#02")) }},
		{"worker-rag", done, func(t *testing.T) { s.answers(t, 2); s.stands(t, beside("#03")) }},
		{"worker-general-chat", done, func(t *testing.T) { s.answers(t, 3); s.stands(t, until(plan.UserQueryReceived)) }},
		{"live", answered(http.StatusOK), func(t *testing.T) {
			if sent := plans.queues["live"].Sent(); len(sent) != 2 || sent[0].Body != bodyOf(t, "liveturn") {
				t.Errorf("queued %+v, want a turn and what the socket missed", sent)
			}
		}},
		{"live-message", answered(http.StatusOK), func(t *testing.T) {
			if sent := plans.queues["live"].Sent(); len(sent) != 3 || sent[2].Body != bodyOf(t, "liveturn") {
				t.Errorf("queued %+v, want another turn", sent)
			}
		}},
		{"liveturn", done, func(t *testing.T) {
			if n := s.posted.finals(); n == 0 {
				t.Errorf("the socket was told %+v", s.posted.frames)
			}
		}},
		{"liveapi", answered(http.StatusOK), nil},
		{"liveapi-state", answered(http.StatusOK), nil},
		{"live-disconnect", answered(http.StatusOK), nil},
		{"collection", ticked, func(t *testing.T) { s.goesOn(t, plan.PlanGenerated) }},
	} {
		told[step.sample] = true
		step.check(t, s.invoke(t, step.sample))
		if step.then != nil {
			step.then(t)
		}
		if s.log.Len() > 0 {
			t.Errorf("%s: log: %s", step.sample, s.log)
			s.log.Reset()
		}
		for _, denied := range s.refused.take() { // also where the function does without what it cannot have
			t.Errorf("%s: %s", step.sample, denied)
		}
	}
	files, err := filepath.Glob("../../events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".json"); !told[name] {
			t.Errorf("%s is not in the story", f)
		}
	}
}

// written has a function, in its own role, see an item that was written.
func (s *story) written(t *testing.T, function, pk, sk string, what any) {
	t.Helper()
	it, err := dynamo.Encode(what)
	if err != nil {
		t.Fatal(err)
	}
	keys := dynamo.Item{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: sk}}
	maps.Copy(it, keys)
	event, err := trigger.StreamEvent([]trigger.Record{{
		EventID: "1", Kind: trigger.Insert, Keys: trigger.Item(keys), New: trigger.Item(it), Sequence: "1", TableName: "written",
	}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := app.Constructors(wiring.Elsewhere())[function](s.as(function))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := h.Invoke(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	if failed, err := trigger.Failures(answer); err != nil || len(failed) > 0 {
		t.Errorf("%s %s: failed %q, %v: %s", pk, sk, failed, err, s.log)
	}
}

// The desk is told who wants a person, a customer what a business writes; of other items, and of
// a payment that was only asked for, nobody is told.
func TestEventsOfOtherPackages(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	toDesk := s.deskAt(t, "+15550100")
	a, err := s.base.Threads().Append(ctx, channel.Inbound{
		Market: demo.Market, Channel: channel.App, ThreadType: channel.General, From: saraOwner, MessageID: "1", Text: "hi",
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	s.written(t, "records", "desk#demo", "event#1", desk.Event{Thread: a.Thread, Market: demo.Market, Name: "Ann", Reason: "asks", Turn: 1})
	s.written(t, "records", "talk#1", "event#said#1", relay.Event{ID: "1", Market: demo.Market, Code: "K7Q2", Words: "at the gate", Thread: a.Thread, Language: "en"})
	s.written(t, "records", "talk#1", "said#2", relay.Event{ID: "2", Market: demo.Market, Code: "K7Q2", Words: "at the pier", Thread: a.Thread, Language: "en"})
	s.written(t, "notify", "pay#tx_1", "event#1", payment.Event{Type: "open", Transaction: "tx_1", Market: demo.Market, Thread: a.Thread})
	if ms, err := s.base.Outbox().List(ctx, toDesk, 10); err != nil || len(ms) != 1 || !strings.Contains(ms[0].Text, "Ann") {
		t.Errorf("%v, the desk was told %+v", err, ms)
	}
	h, err := s.base.Threads().Head(ctx, a.Thread)
	if err != nil || len(h.Inbox) != 2 || h.Inbox[1].Notice == nil || !strings.Contains(h.Inbox[1].Notice.Text, "at the gate") {
		t.Errorf("%v, the customer's thread has %+v", err, h.Inbox)
	}
}

// What can never be right is an alert, and done: it holds up nothing behind it.
func TestWhatIsNoEventIsAnAlert(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	for i, f := range []string{"notify", "records", "sender"} {
		pk := map[string]string{"notify": "tx#", "records": "desk#", "sender": "th_"}[f]
		s.written(t, f, pk+"+15550100123", "event#"+f, map[string]any{"market": true, "type": true})
		found, _, err := s.base.Alerts().List(t.Context(), 10, "")
		this := slices.IndexFunc(found, func(a alert.Alert) bool { return strings.HasSuffix(a.Subject, "event#"+f) })
		if err != nil || len(found) != i+1 || this < 0 || found[this].Check != "stream" || strings.Contains(found[this].Subject, "15550100123") {
			t.Errorf("%s: %v, alerts: %+v", f, err, found)
		}
	}
	if n := strings.Count(s.log.String(), "given up"); n < 3 || strings.Contains(s.log.String(), "15550100123") {
		t.Errorf("log: %s", s.log)
	}
}

// An event of a kind that nobody is told of is an alert: somebody was to be told.
func TestAKindWithoutARouteIsAnAlert(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	for i, f := range []string{"notify", "records"} {
		s.written(t, f, "quotes#1", "event#"+f, map[string]any{"kind": "quote"})
		found, _, err := s.base.Alerts().List(t.Context(), 10, "")
		if err != nil || len(found) != i+1 || !slices.ContainsFunc(found, func(a alert.Alert) bool {
			return strings.HasSuffix(a.Subject, "event#"+f) && strings.Contains(a.Message, `"quote"`)
		}) {
			t.Errorf("%s: %v, alerts: %+v", f, err, found)
		}
	}
}

// Events are told by their kind, and carry when and under which trace they happened.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 9, 15, 30, 0, time.UTC)
	for kind, facts := range map[string]any{
		order.Events.Name:  order.Event{At: at, Trace: "t"},
		taxi.Events.Name:   taxi.Event{At: at, Trace: "t"},
		report.Events.Name: report.Event{At: at, Trace: "t"},
		desk.Events.Name:   desk.Event{At: at, Trace: "t"},
		relay.Events.Name:  relay.Event{At: at, Trace: "t"},

		request.Events.Name: request.Event{At: at, Trace: "t"},
		ledger.Events.Name:  ledger.Event{At: at, Trace: "t"},
		payment.Events.Name: payment.Event{At: at, Trace: "t"},
	} {
		it, err := dynamo.Encode(facts)
		if err != nil {
			t.Fatal(err)
		}
		if it["kind"] != nil {
			t.Errorf("%s: the facts have a kind of their own", kind)
		}
		it["sk"] = &types.AttributeValueMemberS{Value: "event#1"}
		if e, ok := event.Open(it); !ok || e != (event.Envelope{ID: "1", At: at, Trace: "t"}) {
			t.Errorf("%s: %+v, %v", kind, e, ok)
		}
	}
}

// An offering can be booked where its listing takes bookings.
func TestOnlyWhatTakesBookingsIsBooked(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	books, not := 0, 0
	all, err := s.base.Listings().Whole(t.Context(), demo.Market)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		item, err := (booking.Listings{Store: s.base.Listings()}).Bookable(t.Context(), demo.Market, l.ID, "")
		if _, ok := l.Action(listing.BookAction); ok {
			books++
			if item.Longest != item.Offering.LongestSlot() { // it never had another calendar
				t.Errorf("%s: looks back %v", l.ID, item.Longest)
			}
		} else if not++; !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", l.ID, err)
		}
	}
	if books == 0 || not == 0 {
		t.Errorf("%d take bookings, %d do not", books, not)
	}
}

// What is handed out of somebody has no word of what there is nothing of.
func TestExportHasOnlyWhatThereIs(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.invoke(t, "whatsapp")
	all, err := app.Customers(s.base).Export(t.Context(), threadOf(t, "turn"))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all["profile"] == nil || all["messages"] == nil {
		t.Errorf("%+v", all)
	}
}

func TestEveryFunctionHasItsConstructor(t *testing.T) {
	t.Parallel()
	for _, f := range wiring.Functions() {
		if app.Constructors(wiring.Elsewhere())[f.Name] == nil {
			t.Errorf("%s has none", f.Name)
		}
	}
	if got, want := len(app.Constructors(wiring.Elsewhere())), len(wiring.Functions()); got != want {
		t.Errorf("%d constructors, %d functions", got, want)
	}
}

// A signature that is not Twilio's is refused, whichever of the webhooks it comes to.
func TestSampleWithAnotherTokenIsRefused(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	b := *s.base.Process
	b.Getenv = func(string) string { return "another-token-not-real" }
	h, err := app.WhatsApp(app.NewBase(b))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"whatsapp", "whatsapp-status"} {
		out, err := h.Invoke(t.Context(), sample(t, name))
		var a events.APIGatewayV2HTTPResponse
		if err != nil || json.Unmarshal(out, &a) != nil || a.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %v, status %d", name, err, a.StatusCode)
		}
	}
}
