package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/report"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/standing"
)

// stander is a conversation of which is told what stands.
type stander struct {
	*world
	id   string
	said int
}

// newStander is a customer who has written once. Their model books a table of the listing at "day hour", moves the
// booking of a code by "code to day hour", and talks else.
func newStander(t *testing.T, change func(*market.Market)) *stander {
	t.Helper()
	s := &stander{world: newWorld(t, change)}
	s.stock(nil, "meze")
	s.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		last := req.Messages[len(req.Messages)-1]
		var code string
		var day, hour int
		switch {
		case last.Role != llm.User:
		case scanned(last.Text, "book %d %d", &day, &hour):
			return llm.Response{Calls: calls(llm.Call{Name: "initiateBooking", Args: json.RawMessage(fmt.Sprintf(
				`{"listingId":"meze","offeringId":null,"date":"2026-11-%d","time":"%d:00","endDate":null,"partySize":2,"note":null}`, day, hour))}), Finish: "tool_calls"}, nil
		case scanned(last.Text, "move %s %d %d", &code, &day, &hour):
			return llm.Response{Calls: calls(llm.Call{Name: "rescheduleBooking", Args: json.RawMessage(fmt.Sprintf(
				`{"transactionId":%q,"date":"2026-11-%d","time":"%d:00","endDate":null,"partySize":null}`, code, day, hour))}), Finish: "tool_calls"}, nil
		}
		return llm.Response{Text: "Small plates by the sea.", Finish: "stop"}, nil
	})
	s.id = threadOf(s.from("ann", channel.App, "", ""))
	s.says("what is there?")
	return s
}

func scanned(text, form string, into ...any) bool {
	n, err := fmt.Sscanf(text, form, into...)
	return err == nil && n == len(into)
}

// says has the customer say something, and returns how the conversation stands then.
func (s *stander) says(text string) *standing.Standing {
	s.t.Helper()
	s.said++
	s.say(s.from("ann", channel.App, fmt.Sprint("m", s.said), text))
	turns := s.turnsOf(s.id)
	return turns[len(turns)-1].Out[0].Standing
}

// stands is the line when the customer says something plain.
func (s *stander) stands() string {
	s.t.Helper()
	st := s.says("what is there?")
	if st == nil {
		return ""
	}
	return st.Text
}

func (s *stander) books(day, hour int) ledger.Transaction {
	s.t.Helper()
	s.says(fmt.Sprintf("book %d %d", day, hour))
	s.says("yes")
	txs := s.transactions()
	tx := txs[len(txs)-1]
	if tx.State != ledger.Confirmed {
		s.t.Fatalf("%d %d: %s", day, hour, tx.State)
	}
	return tx
}

// elsewhere books outside of any turn, as a payment does.
func (s *stander) elsewhere(start, end time.Time) ledger.Transaction {
	s.t.Helper()
	ctx, owner := s.t.Context(), actor.OfKey(s.head(s.id).Owner)
	tx, err := s.ledger.Offer(ctx, ledger.Terms{
		Business: dynamotest.ID("biz"), Listing: "hotel", ListingName: "Hotel", Offering: "room", OfferingName: "Room", Market: s.market, Owner: owner.Key(), Thread: s.id,
		Start: start, End: end, Slots: []time.Time{start.Truncate(24 * time.Hour)}, Nights: 1, TimeZone: "Europe/Nicosia", Party: 2, Currency: "EUR", Policy: 1,
	}, 1, time.Minute, dynamotest.ID("key"))
	if err != nil {
		s.t.Fatal(err)
	}
	ws, tx, err := s.ledger.ConfirmWrites(ctx, owner, tx.ID, tx.OfferHash, gate.Receipt{PendingID: "p"}, "yes")
	if err = errors.Join(err, s.ledger.Table.DB().Commit(ctx, ws...)); err != nil {
		s.t.Fatal(err)
	}
	return tx
}

// businessCancels cancels outside of any turn.
func (s *stander) businessCancels(tx ledger.Transaction) {
	s.t.Helper()
	if _, err := s.ledger.Release(s.t.Context(), actor.Actor{Kind: actor.System, ID: "business"}, tx.ID, "closed", "cancel"); err != nil {
		s.t.Fatal(err)
	}
}

// rows are those of the thread.
func (s *stander) rows() []string {
	s.t.Helper()
	page, err := s.threads.Table.Query(s.t.Context(), dynamo.Under(s.id, "st#"))
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, k := range page.Keys() {
		all = append(all, k.SK)
	}
	return all
}

// However many were booked and cancelled since, what stands is said: the next of it, and how many more.
func TestPromise2_TheOldestStillStand(t *testing.T) {
	t.Parallel()
	s := newStander(t, nil)
	var all []ledger.Transaction
	for day := 24; day <= 30; day++ {
		all = append(all, s.books(day, 19))
	}
	for _, tx := range slices.Backward(all[2:]) {
		s.businessCancels(tx)
	}
	if got := s.rows(); len(got) != 2 {
		t.Errorf("rows %q", got)
	}
	s.stands() // tells of those that are cancelled, once
	want := "● Booked: " + all[0].Code + " · 2026-11-24 19:00 · 2 · +1"
	if got := s.stands(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, tx := range all[:2] {
		s.businessCancels(tx)
	}
	if got := s.stands(); !strings.HasPrefix(got, "● Cancelled: "+all[0].Code) {
		t.Errorf("%q", got)
	}
	if got := s.stands(); got != "○ Nothing is booked or ordered in this conversation." || len(s.rows()) != 0 {
		t.Errorf("%q, rows %q", got, s.rows())
	}
}

// What has begun stands until it is over.
func TestPromise2_WhatIsUnderWayStands(t *testing.T) {
	t.Parallel()
	s := newStander(t, nil)
	table := s.books(24, 19)
	s.clock.set(table.Start.Add(time.Minute))
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+table.Code) {
		t.Errorf("a minute after its start: %q", got)
	}
	s.clock.set(table.End.Add(time.Minute))
	if got := s.stands(); !strings.HasPrefix(got, "○") {
		t.Errorf("after its end: %q", got)
	}
	stay := s.elsewhere(s.clock.now().Add(-24*time.Hour), s.clock.now().Add(24*time.Hour))
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+stay.Code) {
		t.Errorf("a stay: %q", got)
	}
	s.clock.set(stay.End.Add(-time.Minute))
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+stay.Code) {
		t.Errorf("on its last day: %q", got)
	}
}

// What is booked outside of a turn stands, and what comes to stand again.
func TestPromise2_WhatComesFromElsewhere(t *testing.T) {
	t.Parallel()
	s := newStander(t, nil)
	stay := s.elsewhere(s.clock.now().Add(-time.Hour), s.clock.now().Add(48*time.Hour))
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+stay.Code) {
		t.Errorf("booked: %q", got)
	}
	staff := actor.Actor{Kind: actor.System, ID: "desk"}
	if _, err := s.ledger.Mark(t.Context(), staff, stay.ID, "mark"); err != nil {
		t.Fatal(err)
	}
	if got := s.stands(); !strings.HasPrefix(got, "○") || len(s.rows()) != 0 {
		t.Errorf("nobody came: %q, rows %q", got, s.rows())
	}
	if _, err := s.ledger.TakeBack(t.Context(), staff, stay.ID, "back"); err != nil {
		t.Fatal(err)
	}
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+stay.Code) {
		t.Errorf("they came: %q", got)
	}
	if err := s.threads.Erase(t.Context(), s.id); err != nil {
		t.Fatal(err)
	}
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+stay.Code) || len(s.rows()) != 0 {
		t.Errorf("all is erased but what stands: %q, rows %q", got, s.rows())
	}
}

// A row that is written while a turn runs is not forgotten by its commit.
func TestPromise2_WrittenWhileATurnRuns(t *testing.T) {
	t.Parallel()
	s := newStander(t, nil)
	var stay ledger.Transaction
	s.elsewhere(s.clock.now().Add(-48*time.Hour), s.clock.now().Add(time.Minute)) // has the turn ask
	plain := s.model
	s.model = modelFunc(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		if stay.ID == "" {
			stay = s.elsewhere(s.clock.now().Add(-time.Hour), s.clock.now().Add(48*time.Hour))
		}
		return plain.Complete(ctx, req)
	})
	s.stands()
	s.clock.add(time.Hour)
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+stay.Code) {
		t.Errorf("%q", got)
	}
}

// A booking that is moved has one row.
func TestPromise2_AMoveHasOneRow(t *testing.T) {
	t.Parallel()
	s := newStander(t, nil)
	first := s.books(24, 19)
	s.says(fmt.Sprintf("move %s %d %d", first.ID, 26, 20))
	s.says("yes")
	txs := s.transactions()
	moved := txs[len(txs)-1]
	want := []string{"st#" + dynamo.Stamp(moved.End) + "#booking:" + moved.ID}
	if got := s.rows(); moved.ID == first.ID || !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+moved.Code+" · 2026-11-26 20:00") || strings.Contains(got, "+") {
		t.Errorf("%q", got)
	}
}

// Of very many the next is said, and that there are more than were counted.
func TestPromise2_VeryMany(t *testing.T) {
	t.Parallel()
	s := newStander(t, func(m *market.Market) { m.Safety.MaxBookings = 100 })
	var all []ledger.Transaction
	for n := range 25 {
		start := s.clock.now().Add(time.Duration(n) * 24 * time.Hour)
		all = append(all, s.elsewhere(start, start.Add(24*time.Hour)))
	}
	for n := range 3 {
		if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+all[0].Code) || !strings.HasSuffix(got, " · +19 and more") {
			t.Errorf("%d: %q", n, got)
		}
	}
	for _, tx := range all[:20] {
		s.businessCancels(tx)
	}
	s.stands() // tells of those that are cancelled
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+all[20].Code) || !strings.HasSuffix(got, " · +4") {
		t.Errorf("then: %q", got)
	}
}

// A thread of a former release, which kept five things, has what it kept, and what was written since; that nothing
// stands it does not say.
func TestPromise2_AThreadThatForgot(t *testing.T) {
	t.Parallel()
	s := newStander(t, nil)
	tx := s.books(24, 19)
	former := func(refs any) {
		err := s.threads.Table.DB().Commit(t.Context(), s.threads.Table.Update(dynamo.Key{PK: s.id, SK: "~"}, "SET refs = :refs REMOVE standing, asked, stands", dynamo.V{":refs": refs}))
		if err != nil {
			t.Fatal(err)
		}
	}
	former([]string{"booking:" + tx.ID})
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+tx.Code) {
		t.Errorf("%q", got)
	}
	stay := s.elsewhere(s.clock.now().Add(-time.Hour), s.clock.now().Add(time.Hour))
	if got := s.stands(); !strings.HasPrefix(got, "● Booked: "+stay.Code) || !strings.HasSuffix(got, " · +1") {
		t.Errorf("%q", got)
	}
	s.businessCancels(tx)
	s.businessCancels(stay)
	s.stands()
	for range 2 {
		if got := s.stands(); got != "" {
			t.Errorf("%q", got)
		}
	}
}

// A report stands until it is resolved, or deleted, wherever that is done.
func TestPromise2_AnOpenReportStands(t *testing.T) {
	t.Parallel()
	w := newSara(t, nil)
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Text: "Small plates by the sea.", Finish: "stop"}, nil
	})
	in := w.from("ann", channel.Web, "1", "what is there?")
	said := 0
	stands := func() string {
		t.Helper()
		said++
		w.say(w.from("ann", channel.Web, fmt.Sprint("m", said), "what is there?"))
		turns := w.turnsOf(threadOf(in))
		return turns[len(turns)-1].Out[0].Standing.Line()
	}
	if got := stands(); !strings.HasPrefix(got, "○") {
		t.Errorf("%q", got)
	}
	owner, ctx := in.From, t.Context()
	by := func(key string) report.By { return report.By{Actor: owner, Key: key} }
	r, err := w.sara.reports.Start(ctx, by("a"), report.Draft{Market: w.market, Thread: threadOf(in), Spot: geo.Spot{Address: "Harbour Road 5"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := stands(); got != "● Open report: Harbour Road 5" {
		t.Errorf("%q", got)
	}
	if _, err = w.sara.reports.SetPhotos(ctx, by("b"), r.ID, nil, true); err == nil {
		_, err = w.sara.reports.Resolve(ctx, by("c"), r.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := stands(); got != "● Done: Harbour Road 5" {
		t.Errorf("resolved: %q", got)
	}
	if got := stands(); !strings.HasPrefix(got, "○") {
		t.Errorf("told of: %q", got)
	}
}
