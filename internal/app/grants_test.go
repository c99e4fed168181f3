package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/infra/local/demo"
	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/alert"
	"merve/internal/matter/booking"
	"merve/internal/record/ledger"
	"merve/internal/tenant/channel"
)

// granted lets a function do to the tables what the wiring grants it; the rest it refuses as IAM does.
type granted struct {
	function wiring.Function
	prefix   string // of the tables' names
	refused  *refusals
}

// refusals are what roles have refused.
type refusals struct {
	mu  sync.Mutex
	all []string
}

func (r *refusals) add(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, what)
}

// take returns them, each once.
func (r *refusals) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

func (g granted) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	for table, actions := range actionsOf(operation, body) {
		for _, a := range actions {
			if g.allows(a, table) {
				continue
			}
			g.refused.add(string(a) + " on " + table)
			denied := `{"__type":"com.amazon.coral.service#AccessDeniedException","Message":"` + g.function.Name + ` is not authorized to perform dynamodb:` + string(a) + ` on ` + table + `"}`
			return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(denied)), Request: r}, nil
		}
	}
	return faulttest.Transport.RoundTrip(r)
}

func (g granted) allows(a wiring.Action, table string) bool {
	return slices.ContainsFunc(g.function.Tables, func(x wiring.Grant) bool {
		return g.prefix+x.Table == table && slices.Contains(x.Actions, a)
	})
}

// actionsOf are those that a call needs, by table: a transaction needs those of its parts.
func actionsOf(operation string, body []byte) map[string][]wiring.Action {
	var call struct {
		TableName     string
		RequestItems  map[string]any
		TransactItems []map[string]struct{ TableName string }
	}
	_ = json.Unmarshal(body, &call)
	need := map[string][]wiring.Action{}
	if call.TableName != "" {
		need[call.TableName] = []wiring.Action{wiring.Action(operation)}
	}
	for table := range call.RequestItems {
		need[table] = []wiring.Action{wiring.Action(operation)}
	}
	for _, part := range call.TransactItems {
		for kind, of := range part { // Put, Update, Delete, ConditionCheck
			need[of.TableName] = append(need[of.TableName], wiring.Action(kind+"Item"))
		}
	}
	return need
}

// as is the story's base under the role of a function.
func (s *story) as(function string) *app.Base {
	b := *s.base.Process
	for _, f := range wiring.Functions() {
		if f.Name == function {
			b.AWS.HTTPClient = granted{f, strings.TrimSuffix(b.Config.TableLedger, "ledger"), &s.refused}
		}
	}
	return app.NewBase(b)
}

// What is freed is offered to whoever waits for it.
func TestWhoWaitsIsAsked(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	a, err := s.base.Threads().Append(ctx, channel.Inbound{
		Market: demo.Market, Channel: channel.App, ThreadType: channel.General, From: saraOwner, MessageID: "1", Text: "hi",
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	tx := bookedIn(t)
	tx.State = ledger.Cancelled
	wish := tx.Terms
	wish.Owner, wish.Thread = saraOwner.Key(), a.Thread
	if err := (booking.Wishes{Ledger: s.base.Ledger()}).Put(ctx, booking.Wish{ID: "w1", Terms: wish, Since: s.now, TTL: wish.Start.Add(time.Hour).Unix()}); err != nil {
		t.Fatal(err)
	}
	s.written(t, "notify", "tx#"+tx.ID, "event#cancelled", ledger.Event{ID: "cancelled", Type: ledger.Cancelled, From: ledger.Confirmed, At: s.now, Transaction: tx})
	if head, err := s.base.Threads().Head(ctx, a.Thread); err != nil || len(head.Inbox) != 2 || head.Inbox[1].Notice == nil {
		t.Errorf("%v: nobody was asked: %+v", err, head.Inbox)
	}
}

// What a role does not allow is refused.
func TestWhatIsNotGrantedIsRefused(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	if _, err := s.as("stripe").Threads().Head(ctx, "th_0"); err == nil || !strings.Contains(err.Error(), "AccessDenied") {
		t.Errorf("another table: %v", err)
	}
	err := s.as("whatsapp").Alerts().Raise(ctx, alert.Alert{Check: "c", Severity: alert.Warning, Subject: "s"})
	if err == nil || !strings.Contains(err.Error(), "AccessDenied") {
		t.Errorf("a transaction: %v", err)
	}
}

// Whoever only raises alerts can raise them, twice, and change nothing in the ledger.
func TestRaisingAlertsNeedsNoLedger(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	for _, function := range []string{"sender", "sweep", "index", "records"} {
		b := s.as(function)
		for range 2 {
			if err := b.Alerts().Raise(ctx, alert.Alert{Check: "c", Severity: alert.Warning, Subject: function}); err != nil {
				t.Error(err)
			}
		}
		if _, err := b.Ledger().Get(ctx, saraOwner, "t1"); err == nil || !strings.Contains(err.Error(), "AccessDenied") {
			t.Errorf("%s reads the ledger: %v", function, err)
		}
		for _, f := range wiring.Functions() {
			if f.Name == function && slices.ContainsFunc(f.Tables, func(g wiring.Grant) bool { return g.Table == "ledger" }) {
				t.Errorf("%s has rights on the ledger", function)
			}
		}
	}
}
