package taxi_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/taxi"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// station is a market whose events are told.
type station struct {
	*corner
	*taxi.Teller
	threads *thread.Store
	box     *outbox.Box
	logged  *bytes.Buffer

	mu     sync.Mutex
	queued []string
}

func (s *station) Get(context.Context, string) (*market.Market, error) { return s.market, nil }

func (s *station) Queue(_ context.Context, threadID, dedupe string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued = append(s.queued, threadID+" "+dedupe)
	return nil
}

func newStation(t testing.TB) *station {
	t.Helper()
	s := &station{corner: newCorner(t), logged: &bytes.Buffer{}}
	s.Teller = s.teller(nil, s)
	s.threads, s.box = s.Teller.Threads.(thread.Teller).Store, s.Teller.Outbox
	return s
}

// teller makes one over calls, without the SDK's own retries where there are any.
func (s *station) teller(calls *faulttest.Calls, q interface {
	Queue(ctx context.Context, threadID, dedupe string) error
}) *taxi.Teller {
	var transport http.RoundTripper
	attempts := 4
	if calls != nil {
		transport, attempts = calls, 1
	}
	db := dynamo.Open(dynamotest.Config(s.t), func(o *dynamodb.Options) {
		o.RetryMaxAttempts = attempts
		if transport != nil {
			o.HTTPClient = &http.Client{Transport: transport}
		}
	})
	db.Backoff = func(int) time.Duration { return time.Millisecond }
	conversations := db.Table(dynamotest.TableName("conversations"))
	return &taxi.Teller{
		Rides: s.over(transport, attempts), Markets: s,
		Threads: thread.Teller{Queue: q, Store: &thread.Store{Table: conversations, Now: s.clock.Now, NewID: func() string { return dynamotest.ID("lease") }}},
		Roster:  &roster.Book{Table: db.Table(dynamotest.TableName("catalog")), Now: s.clock.Now},
		Outbox:  &outbox.Box{Table: conversations, Now: s.clock.Now, Log: slog.New(slog.NewTextHandler(s.logged, nil))},
	}
}

// writes makes the customer's thread.
func (s *station) writes() string {
	s.t.Helper()
	a, err := s.threads.Append(context.Background(), channel.Inbound{
		Market: s.market.ID, Channel: channel.App, ThreadType: channel.General, From: s.customer, MessageID: "1", Text: "a taxi please",
	}, false)
	if err != nil {
		s.t.Fatal(err)
	}
	return a.Thread
}

// ordered is a ride of a customer with a thread.
func (s *station) ordered() taxi.Ride {
	s.t.Helper()
	id := s.writes()
	return s.requested(func(o *taxi.Order) { o.Thread = id })
}

// tellAll tells every event of a ride, twice each, as a stream that is read again.
func (s *station) tellAll(r taxi.Ride) {
	s.t.Helper()
	es, err := s.Events(context.Background(), r.Owner, r.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range es {
		for range 2 {
			if err := s.Tell(context.Background(), e); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// to is what the n-th driver was sent, by type, in the order of attempts.
func (s *station) to(n int) map[string]outbox.Message {
	s.t.Helper()
	ms, err := s.box.List(context.Background(), taxi.DriverThread(s.market.ID, phone(n), nil), 100)
	if err != nil {
		s.t.Fatal(err)
	}
	all := map[string]outbox.Message{}
	for _, m := range ms {
		_, rest, _ := strings.Cut(m.ID, ".")
		event, rest, _ := strings.Cut(rest, ".")
		typ, _, _ := strings.Cut(rest, ".")
		if _, twice := all[event+" "+typ]; twice {
			s.t.Errorf("driver %d is told of %s twice", n, event)
		}
		all[event+" "+typ] = m
	}
	return all
}

func (s *station) names(n int) []string {
	var all []string
	for name := range s.to(n) {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// notices are what waits on the customer's thread.
func (s *station) notices(id string) []thread.Notice {
	s.t.Helper()
	h, err := s.threads.Head(context.Background(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	var all []thread.Notice
	for _, m := range h.Inbox {
		if m.Notice != nil {
			all = append(all, *m.Notice)
			s.sayableLater(*m.Notice)
		}
	}
	return all
}

// sayableLater fails unless an approved template can say a notice in the place of its text.
func (s *station) sayableLater(n thread.Notice) {
	s.t.Helper()
	vars, known := market.Events()[n.Kind]
	for _, name := range vars {
		if n.Vars[name] == "" {
			s.t.Errorf("%s has no %s", n.Kind, name)
		}
	}
	if !known {
		s.t.Errorf("%s is no event", n.Kind)
	}
}

func kinds(ns []thread.Notice) []string {
	var all []string
	for _, n := range ns {
		all = append(all, n.Kind)
	}
	return all
}

// Everybody is told, once, what is theirs to know: the customer's number is the winner's
// alone, and those who did not get it are told so.
func TestEverybodyIsTold(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	s.drivers(4)
	s.driver(4, "Nicosia")
	r := s.ordered()
	s.tellAll(r)
	for n := range 4 {
		m, ok := s.to(n)["offered-1 taxi_offer"]
		if !ok || m.To != phone(n) || m.Channel != channel.WhatsApp || m.Kind != outbox.ToDriver || m.Market != s.market.ID || m.Template != nil {
			t.Fatalf("%d: %+v", n, m)
		}
		for _, part := range []string{r.Code, "offer 1", "Harbour Street 21", "query=35.341700,33.319200", "Ercan airport", "Passengers: 2", "YES " + r.Code, "NO " + r.Code, "now"} {
			if !strings.Contains(m.Text, part) {
				t.Errorf("no %q in %s", part, m.Text)
			}
		}
		if strings.Contains(m.Text, "+15550102001") || strings.Contains(m.Text, "Deniz") || strings.Contains(m.Text, "suitcases") || strings.Contains(m.ID, "15550") {
			t.Errorf("%s %s", m.ID, m.Text)
		}
	}
	if got := s.names(4); got != nil {
		t.Errorf("who was not asked is told %v", got)
	}
	s.says(3, "no")
	s.says(0, "yes")
	s.says(1, "yes") // too late
	s.tellAll(r)
	for n, want := range [][]string{
		{"assigned-1 taxi_pickup", "offered-1 taxi_offer"}, {"assigned-1 taxi_taken", "offered-1 taxi_offer"}, {"assigned-1 taxi_taken", "offered-1 taxi_offer"}, {"offered-1 taxi_offer"},
	} {
		if diff := cmp.Diff(want, s.names(n)); diff != "" {
			t.Errorf("%d: %s", n, diff)
		}
	}
	pickup := s.to(0)["assigned-1 taxi_pickup"].Text
	for _, part := range []string{r.Code, "Harbour Street 21", "Deniz", "+15550102001", "two suitcases", "ARRIVED " + r.Code, "DONE " + r.Code, "CANCEL " + r.Code} {
		if !strings.Contains(pickup, part) {
			t.Errorf("no %q in %s", part, pickup)
		}
	}
	for n := 1; n < 3; n++ {
		if text := s.to(n)["assigned-1 taxi_taken"].Text; strings.Contains(text, "Deniz") || strings.Contains(text, "+1555") || !strings.Contains(text, r.Code) {
			t.Error(text)
		}
	}
	s.says(0, "arrived")
	s.tellAll(r)
	s.says(0, "done")
	s.tellAll(r)
	ns := s.notices(r.Thread)
	if diff := cmp.Diff([]string{"taxi_assigned", "taxi_arrived", "taxi_done"}, kinds(ns)); diff != "" {
		t.Fatal(diff)
	}
	for i, status := range []string{"assigned", "arrived", "done"} {
		card := ns[i].Cards[0]
		driver, _ := card["driver"].(map[string]any)
		if card["type"] != "taxi" || card["id"] != r.ID || card["code"] != r.Code || card["status"] != status || driver["phone"] != phone(0) || driver["plate"] != "TX 000" {
			t.Errorf("%v", card)
		}
		if byDriver := status != "done"; ns[i].ByPerson != byDriver { // goes out whoever has the thread
			t.Errorf("%s: by a person %v, want %v", status, ns[i].ByPerson, byDriver)
		}
	}
	for _, part := range []string{"Driver 0", "white Skoda", "TX 000", phone(0), r.Code} {
		if !strings.Contains(ns[0].Text, part) {
			t.Errorf("no %q in %s", part, ns[0].Text)
		}
	}
	if ns[0].Ref != "" || ns[1].Ref != "" || ns[2].Ref != r.ID {
		t.Errorf("%+v", ns)
	}
	if s.logged.Len() > 0 {
		t.Error(s.logged)
	}
}

// A driver who cancels: the customer is told that others are asked, and those get a new offer
// with its number; at last nobody comes.
func TestTellingOfWithdrawalAndEnd(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	s.drivers(2)
	r := s.ordered()
	s.tellAll(r)
	s.says(0, "yes")
	s.tellAll(r)
	s.says(0, "cancel")
	s.tellAll(r)
	if diff := cmp.Diff([]string{"assigned-1 taxi_pickup", "offered-1 taxi_offer"}, s.names(0)); diff != "" {
		t.Error(diff)
	}
	if m := s.to(1)["offered-2 taxi_offer"]; !strings.Contains(m.Text, "offer 2") {
		t.Errorf("%+v", m)
	}
	for range 2 {
		s.clock.Add(time.Minute)
		s.sweep()
	}
	s.tellAll(r)
	ns := s.notices(r.Thread)
	if diff := cmp.Diff([]string{"taxi_assigned", "taxi_searching", "taxi_unserved"}, kinds(ns)); diff != "" {
		t.Fatal(diff)
	}
	if ns[1].Cards[0]["status"] != "requested" || ns[1].Cards[0]["driver"] != nil || ns[2].Cards[0]["status"] != "unserved" || ns[2].Ref != r.ID {
		t.Errorf("%+v", ns)
	}
	for i, byDriver := range []bool{true, true, false} { // that nobody came is nobody's doing
		if ns[i].ByPerson != byDriver {
			t.Errorf("%s: by a person %v, want %v", ns[i].Kind, ns[i].ByPerson, byDriver)
		}
	}
}

// Nobody is told that another driver was faster when the ride is offered again by then.
func TestTellingOfAnAssignmentThatIsOver(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	s.drivers(2)
	r := s.ordered()
	s.says(0, "yes")
	s.says(0, "cancel")
	s.says(1, "yes")
	s.tellAll(r) // all of it only now
	for n, want := range [][]string{nil, {"assigned-2 taxi_pickup", "offered-2 taxi_offer"}} {
		if diff := cmp.Diff(want, s.names(n)); diff != "" {
			t.Errorf("%d: %s", n, diff)
		}
	}
}

// The customer cancels: the driver who has it is told; nobody else, nor the customer again.
func TestTellingOfCancellation(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	s.drivers(2)
	r := s.ordered()
	s.says(0, "yes")
	if _, err := s.cancel(s.Store, r); err != nil {
		t.Fatal(err)
	}
	s.tellAll(r) // all of it only now: what is over is not offered any more
	if diff := cmp.Diff([]string{"cancelled-1 taxi_cancelled"}, s.names(0)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"assigned-1 taxi_taken"}, s.names(1)); diff != "" {
		t.Error(diff)
	}
	if ns := s.notices(r.Thread); len(ns) != 0 {
		t.Errorf("%+v", ns)
	}
}

// The customer cancels and has all deleted before anybody is told: the driver who has it is told
// all the same.
func TestTellingOfWhatWasDeleted(t *testing.T) {
	t.Parallel()
	s, ctx := newStation(t), context.Background()
	s.drivers(1)
	r := s.ordered()
	s.says(0, "yes")
	if _, err := s.cancel(s.Store, r); err != nil {
		t.Fatal(err)
	}
	events, err := s.Events(ctx, r.Owner, r.ID) // as the stream has them
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := s.Erase(ctx, r.Market, r.Owner); err != nil || len(kept) != 0 {
		t.Fatal(kept, err)
	}
	for _, e := range events {
		if err := s.Tell(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"cancelled-1 taxi_cancelled"}, s.names(0)); diff != "" {
		t.Error(diff)
	}
	s.clock.Add(time.Hour)
	s.sweep()
	if left, err := s.All(ctx, r.Market, r.Owner); err != nil || len(left) != 0 {
		t.Errorf("an hour later: %v, %v", left, err)
	}
}

// A proposal that has run out is told, without a card: there was no ride.
func TestTellingOfExpiry(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	id := s.writes()
	r := s.proposed(func(o *taxi.Order) { o.Thread = id })
	s.clock.Add(10 * time.Minute)
	s.sweep()
	s.tellAll(r)
	ns := s.notices(id)
	if len(ns) != 1 || ns[0].Kind != "taxi_expired" || ns[0].Ref != r.ID || ns[0].Cards != nil {
		t.Errorf("%+v", ns)
	}
}

// A market's own words, its approved template, and each driver's language.
func TestTemplates(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	d := s.driver(0)
	s.driver(1)
	d.Language = "tr"
	if _, err := s.Drivers.Put(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	s.tellAll(s.ordered())
	if text := s.to(0)["offered-1 taxi_offer"].Text; !strings.Contains(text, "EVET") || !strings.Contains(text, "Alınacak") {
		t.Error(text)
	}
	s = newStation(t)
	s.driver(0)
	s.market.Templates["taxi_offer"] = "Ride {code} from {pickup} to {dropoff}, {passengers}, try {attempt}"
	s.market.WhatsApp.Templates = map[string]market.Approved{"taxi_offer": {ContentSID: "HX00000000000000000000000000000001", Params: []string{"code", "pickup"}}}
	s.market.WhatsApp.From = "+15550100"
	r := s.ordered()
	s.tellAll(r)
	m := s.to(0)["offered-1 taxi_offer"]
	if m.Text != "Ride "+r.Code+" from “Harbour Street 21” to “Ercan airport”, 2, try 1" || m.From != "+15550100" || m.Template == nil || m.Template.Vars["1"] != r.Code || m.Template.Vars["2"] != "“Harbour Street 21”" {
		t.Errorf("%+v", m)
	}
	s = newStation(t)
	s.driver(0)
	s.market.Tools["requestTaxi"] = market.ToolPolicy{Template: "From {pickup}, please"}
	r = s.ordered()
	s.tellAll(r)
	if text := s.to(0)["offered-1 taxi_offer"].Text; !strings.HasPrefix(text, "From “Harbour Street 21”, please\n") || !strings.Contains(text, "YES "+r.Code) {
		t.Error(text)
	}
	s = newStation(t)
	s.driver(0)
	id := s.writes()
	s.tellAll(s.requested(func(o *taxi.Order) { o.Thread, o.Pickup = id, geo.Spot{Address: "Old Harbour"} }))
	if text := s.to(0)["offered-1 taxi_offer"].Text; !strings.Contains(text, "Old Harbour") || strings.Contains(text, "maps") {
		t.Errorf("where nobody knows the place on a map: %q", text)
	}
	s = newStation(t)
	s.driver(0)
	s.market.Templates["taxi_offer"] = strings.Repeat("Ride {code} from {pickup}. ", 60)
	s.tellAll(s.ordered())
	ms, err := s.box.List(context.Background(), taxi.DriverThread(s.market.ID, phone(0), nil), 100)
	if err != nil || len(ms) != 2 || utf8.RuneCountInString(ms[0].Text) > 1600 || utf8.RuneCountInString(ms[1].Text) > 1600 || ms[0].After != ms[1].ID {
		t.Errorf("longer than WhatsApp takes: %+v, %v", ms, err)
	}
	for event, vars := range taxi.Vars() {
		if len(vars) == 0 || !slices.Contains(vars, "code") || !strings.HasPrefix(event, "taxi_") {
			t.Errorf("%s: %v", event, vars)
		}
	}
}

// Every text is whole in every language: no hole, no brace, the code and the words to answer.
func TestOffersInEveryLanguage(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	for n, lang := range language.Supported() {
		d := s.driver(n)
		d.Language = lang
		if _, err := s.Drivers.Put(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	r := s.ordered()
	s.tellAll(r)
	for n, lang := range language.Supported() {
		text := s.to(n)["offered-1 taxi_offer"].Text
		if strings.ContainsAny(text, "{}") || !strings.Contains(text, r.Code) || !strings.Contains(text, wording.Say(lang, wording.YesWord, nil)) || len(text) > 1500 {
			t.Errorf("%s: %s", lang, text)
		}
	}
}

// What is no event is refused for good; an event of a ride or a thread that has gone is told
// to nobody.
func TestTellingOfNothing(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	ctx := context.Background()
	if err := s.Tell(ctx, taxi.Event{}); !fault.Is(err, fault.Invalid) || fault.Retryable(err) {
		t.Error(err)
	}
	spent(t, 0, func(ctx context.Context) error { // nobody is told of a proposal
		return s.Tell(ctx, taxi.Event{ID: "proposed#0", Type: taxi.ProposedEvent, Ride: "rd_aaaaaaaaaaaaaaaa", Owner: s.customer.Key(), Market: s.market.ID})
	})
	gone := taxi.Event{ID: "done#1", Type: taxi.DoneEvent, Ride: "rd_aaaaaaaaaaaaaaaa", Owner: s.customer.Key(), Market: s.market.ID}
	if err := s.Tell(ctx, gone); err != nil {
		t.Error(err)
	}
	s.drivers(1)
	r := s.requested(func(o *taxi.Order) { o.Thread = dynamotest.ID("gone") })
	s.says(0, "yes")
	s.tellAll(r)
}

// Telling, with every fault at every call: each is told once.
func TestCrashAnywhereInTelling(t *testing.T) {
	t.Parallel()
	says := func(words ...string) func(s *station) taxi.Ride {
		return func(s *station) taxi.Ride {
			r := s.ordered()
			for _, w := range words {
				s.says(0, w)
			}
			return r
		}
	}
	for name, tt := range map[string]struct {
		typ     taxi.EventType
		arrange func(s *station) taxi.Ride
		want    map[string][]string // who is told what
	}{
		"offered":   {taxi.OfferedEvent, says(), map[string][]string{"d00": {"offered-1 taxi_offer"}, "d01": {"offered-1 taxi_offer"}}},
		"assigned":  {taxi.AssignedEvent, says("yes"), map[string][]string{"d00": {"assigned-1 taxi_pickup"}, "d01": {"assigned-1 taxi_taken"}, "customer": {"taxi_assigned"}, "turns": {"1"}}},
		"arrived":   {taxi.ArrivedEvent, says("yes", "arrived"), map[string][]string{"customer": {"taxi_arrived"}, "turns": {"1"}}},
		"done":      {taxi.DoneEvent, says("yes", "done"), map[string][]string{"customer": {"taxi_done"}, "turns": {"1"}}},
		"withdrawn": {taxi.WithdrawnEvent, says("yes", "cancel"), map[string][]string{"customer": {"taxi_searching"}, "turns": {"1"}}},
		"cancelled": {taxi.CancelledEvent, func(s *station) taxi.Ride {
			r := says("yes")(s)
			if _, err := s.cancel(s.Store, r); err != nil {
				s.t.Fatal(err)
			}
			return r
		}, map[string][]string{"d00": {"cancelled-1 taxi_cancelled"}}},
		"cancelled by staff": {taxi.CancelledEvent, func(s *station) taxi.Ride {
			r := says("yes")(s)
			return s.must(s.CancelByStaff(context.Background(), staff, s.market.ID, r.Owner, r.ID))
		}, map[string][]string{"d00": {"cancelled-1 taxi_cancelled"}, "customer": {"taxi_called_off"}, "turns": {"1"}}},
		"unserved": {taxi.UnservedEvent, func(s *station) taxi.Ride {
			r := s.ordered()
			for range taxi.MaxAttempts {
				s.clock.Add(time.Minute)
				s.sweep()
			}
			return r
		}, map[string][]string{"customer": {"taxi_unserved"}, "turns": {"1"}}},
		"expired": {taxi.ExpiredEvent, func(s *station) taxi.Ride {
			th := s.writes()
			r := s.proposed(func(o *taxi.Order) { o.Thread = th })
			s.clock.Add(10 * time.Minute)
			s.sweep()
			return r
		}, map[string][]string{"customer": {"taxi_expired"}, "turns": {"1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) map[string][]string {
				s := newStation(t)
				s.drivers(2)
				r := tt.arrange(s)
				es, err := s.Events(t.Context(), r.Owner, r.ID)
				if err != nil {
					t.Fatal(err)
				}
				teller := s.teller(calls, faulttest.NewQueue(t, calls, s.Queue))
				for _, e := range es {
					if e.Type == tt.typ {
						calls.Deliver(t, nil, func() error { return teller.Tell(t.Context(), e) })
						if err := s.Tell(t.Context(), e); err != nil { // the stream is read again
							t.Error(err)
						}
					}
				}
				told := map[string][]string{"d00": s.names(0), "d01": s.names(1), "customer": kinds(s.notices(r.Thread))}
				if turns := slices.Compact(slices.Sorted(slices.Values(s.queued))); len(turns) > 0 {
					told["turns"] = []string{fmt.Sprint(len(turns))}
				}
				maps.DeleteFunc(told, func(_ string, what []string) bool { return len(what) == 0 })
				if diff := cmp.Diff(tt.want, told); diff != "" {
					t.Errorf("wanted (-), and told (+):\n%s", diff)
				}
				return told
			})
		})
	}
}

// AboutOf finds what the n-th driver was told, by its id in the place of the provider's.
func (s *station) AboutOf(_ context.Context, _, id string) (string, error) {
	for n := range 2 {
		for _, m := range s.to(n) {
			if m.ID == id {
				return m.About, nil
			}
		}
	}
	return map[string]string{"booking": "X7X9X9"}[id], nil
}

// A word below a message is about its ride, and about no other that waits for it.
func TestField21_AYesBelowAnotherOffer(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	s.drivers(2)
	over := s.ordered()
	s.tellAll(over)
	s.says(1, "yes "+over.Code)
	s.tellAll(over)
	below := s.to(0)["offered-1 taxi_offer"].ID
	s.customer = someone()
	open := s.ordered()
	say := func(text, below string) (string, bool) {
		a := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone(0)}
		m := thread.Message{Text: text, ReplyTo: below, At: s.clock.Now()}
		settled, ok, err := (&taxi.Commands{Store: s.Store, Outbox: s}).Command(t.Context(), s.of(a), m)
		text, err = settle(s.Store, settled, err)
		if err != nil {
			t.Fatal(err)
		}
		return text, ok
	}
	for _, tt := range []struct{ text, below, want string }{
		{"yes", below, "another driver was faster"},
		{"yes", "elsewhere", "Write YES " + open.Code},
		{"no", below, "not be asked about ride " + over.Code},
		{"off", below, "You are off"},
		{"on", below, "You are on"},
		{"yes " + open.Code, below, open.Code + " is yours"},
		{"done", below, "no such ride"},
		{"arrived", "elsewhere", "you are there"},
	} {
		if got, ok := say(tt.text, tt.below); !ok || !strings.Contains(got, tt.want) {
			t.Errorf("%q below %q: %q, want %q", tt.text, tt.below, got, tt.want)
		}
	}
	if got, ok := say("done", "booking"); ok {
		t.Errorf("below what is no ride's: %q", got)
	}
}

// Staff cancel a ride: its driver and its customer are told, neither that the other did it.
func TestTellingOfACallOff(t *testing.T) {
	t.Parallel()
	s := newStation(t)
	s.drivers(2)
	r := s.ordered()
	s.says(0, "yes")
	if _, err := s.CancelByStaff(context.Background(), staff, s.market.ID, r.Owner, r.ID); err != nil {
		t.Fatal(err)
	}
	s.tellAll(r)
	if text := s.to(0)["cancelled-1 taxi_cancelled"].Text; !strings.Contains(text, r.Code) || strings.Contains(text, "customer") {
		t.Errorf("the driver is told %q", text)
	}
	var told []thread.Notice
	for _, n := range s.notices(r.Thread) {
		if n.Kind == "taxi_called_off" {
			told = append(told, n)
		}
	}
	if len(told) != 1 || !told[0].ByPerson || told[0].Ref != r.ID || !strings.Contains(told[0].Text, r.Code) || told[0].Cards[0]["status"] != "cancelled" {
		t.Errorf("the customer is told %+v", told)
	}
	if text := s.says(1, "YES "+r.Code); strings.Contains(text, "customer") {
		t.Errorf("who answers late is told %q", text)
	}
}
