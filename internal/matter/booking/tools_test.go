package booking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/record/ledger"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
	"merve/internal/words/standing"
)

func TestAnOfferIsHeldAndNotBooked(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first, tx := s.offered()
	want := tool.Proposal{Kind: ConfirmKind, Ref: tx.ID, Summary: Summary("en", tx), Hash: tx.OfferHash, ExpiresAt: s.Now().Add(10 * time.Minute)}
	if d := cmp.Diff(want, *first.Proposal); d != "" {
		t.Error(d)
	}
	if tx.State != ledger.Hold || tx.PriceMinor != 1000 || tx.Policy != 4 || tx.Merchant != "+15550100" || tx.Owner != s.owner.Key() || len(first.Facts) != 0 {
		t.Errorf("%+v", tx)
	}
	s.clock.Add(time.Minute) // the same call, made again after a crash
	again, err := s.call("initiateBooking", at("2030-06-04", "19:00"), "k")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(first, again); d != "" {
		t.Error(d)
	}
}

func TestARefusalOffersTheNearestFreeTimes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	other := actor.Actor{Kind: actor.User, ID: "other"}
	mine, myThread := s.tc.Actor, s.tc.Thread
	s.tc.Actor, s.tc.Thread = other, "another"
	for _, clock := range []string{"19:00", "20:00"} {
		if r, err := s.call("initiateBooking", at("2030-06-04", clock), clock); err != nil || r.Proposal == nil {
			t.Fatal(r, err)
		}
	}
	s.tc.Actor, s.tc.Thread = mine, myThread
	for _, tt := range []struct{ date, clock, reason, first string }{
		{"2030-06-04", "19:00", "taken", "2030-06-04 18:00"},
		{"2030-06-04", "20:30", "between_slots", "2030-06-04 21:00"},
		{"2030-06-04", "23:00", "outside_hours", "2030-06-04 21:00"},
		{"2030-06-02", "19:00", "past", "2030-06-03 16:00"},
		{"2031-06-02", "19:00", "too_far", "2030-07-03 21:00"},
	} {
		r, err := s.call("initiateBooking", at(tt.date, tt.clock), tt.date+tt.clock)
		if err != nil || r.Proposal != nil {
			t.Fatalf("%+v: %v", tt, err)
		}
		var body struct {
			Error struct {
				Kind, Message, Reason string
				Alternatives          []struct{ Date, Time string }
			}
		}
		raw, _ := json.Marshal(r.Data)
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Fatal(err)
		}
		e := body.Error
		if e.Reason != tt.reason || e.Kind == "" || e.Message == "" || len(e.Alternatives) != alternatives {
			t.Errorf("%+v: %s", tt, raw)
			continue
		}
		if got := e.Alternatives[0].Date + " " + e.Alternatives[0].Time; got != tt.first {
			t.Errorf("%+v: nearest is %s", tt, got)
		}
		for _, a := range e.Alternatives { // each of them can be had
			if _, err := s.offering.Find(s.Now(), a.Date, a.Time, ""); err != nil || a.Date == "2030-06-04" && (a.Time == "19:00" || a.Time == "20:00") {
				t.Errorf("%+v: offers %v: %v", tt, a, err)
			}
		}
	}
}

func TestWhatCannotBeBookedNamesTheField(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for name, tt := range map[string]struct {
		args  string
		kind  fault.Kind
		field string
	}{
		"listing": {`{"listingId":"x","offeringId":null,"date":"2030-06-04","time":"19:00","endDate":null,"partySize":2,"note":null}`, fault.NotFound, ""},
		"date":    {at("tomorrow", "19:00"), fault.Invalid, "date"},
		"time":    {at("2030-06-04", "7pm"), fault.Invalid, "time"},
		"party":   {`{"listingId":"harbour","offeringId":null,"date":"2030-06-04","time":"19:00","endDate":null,"partySize":7,"note":null}`, fault.Invalid, "partySize"},
	} {
		_, err := s.call("initiateBooking", tt.args, "k")
		if _, field := fault.Public(err); !fault.Is(err, tt.kind) || field != tt.field {
			t.Errorf("%s: %v on %q", name, err, field)
		}
	}
	long := fmt.Sprintf(`{"listingId":"harbour","offeringId":null,"date":"2030-06-04","time":"19:00","endDate":null,"partySize":2,"note":%q}`, strings.Repeat("é", 1001))
	_, err := s.call("initiateBooking", long, "k")
	if taken := s.taken(); !fault.Is(err, fault.Invalid) || len(taken) != 0 {
		t.Errorf("a long note: %v, %v", err, taken)
	}
	s.number = ""
	for _, tool := range []string{"initiateBooking", "joinWaitlist"} {
		if _, err := s.call(tool, at("2030-06-04", "19:00"), "k"); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "cannot be reached") || len(s.taken()) != 0 {
			t.Errorf("%s where nobody could be told: %v", tool, err)
		}
	}
	s.number = "+15550100"
	s.tc.Market.Tools = map[string]market.ToolPolicy{"initiateBooking": {AllowedTags: []string{"spa"}}}
	if _, err := s.call("initiateBooking", at("2030-06-04", "19:00"), "k"); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a kind of listing that the market does not allow: %v", err)
	}
}

func TestListAndCancel(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ctx := context.Background()
	_, tx := s.offered()
	cancel := fmt.Sprintf(`{"transactionId":%q}`, tx.ID)
	if _, err := s.call("cancelBooking", cancel, "c"); !fault.Is(err, fault.Conflict) {
		t.Errorf("an offer that is only held: %v", err)
	}
	if _, err := s.confirm(tx, "yes"); err != nil {
		t.Fatal(err)
	}
	r, err := s.call("cancelBooking", cancel, "c")
	if err != nil || r.Proposal == nil || r.Proposal.Kind != CancelKind || r.Proposal.Ref != tx.ID {
		t.Fatalf("%+v, %v", r, err)
	}
	if now, _ := s.Get(ctx, s.owner, tx.ID); now.State != ledger.Confirmed {
		t.Fatalf("proposing to cancel made it %s", now.State)
	}
	listed, err := s.call("getMyBookings", `{}`, "l")
	if err != nil || len(listed.Named) != 1 || listed.Named[0].Code != tx.Code || listed.Named[0].Word != standing.Booked {
		t.Errorf("%+v, %v", listed, err)
	}
	if _, _, err := s.Ledger.CancelWrites(ctx, s.owner, tx.ID, "another", "y"); err == nil {
		t.Error("a YES to another state of the booking cancelled it")
	}
	ws, after, err := s.Ledger.CancelWrites(ctx, s.owner, tx.ID, r.Proposal.Hash, "y")
	if err != nil || after.State != ledger.Cancelled {
		t.Fatal(after.State, err)
	}
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		t.Fatal(err)
	}
	if _, err := s.call("cancelBooking", cancel, "c2"); !fault.Is(err, fault.Conflict) {
		t.Errorf("cancelled before: %v", err)
	}
	own := s.tc.Market
	s.tc.Market = market.Default("elsewhere") // the same customer, with another tenant
	if _, err := s.call("cancelBooking", cancel, "c3"); !fault.Is(err, fault.NotFound) {
		t.Errorf("another market's: %v", err)
	}
	if r, err := s.call("getMyBookings", `{}`, "l2"); err != nil || len(r.Data.(map[string]any)["bookings"].([]map[string]any)) != 0 {
		t.Errorf("another market's bookings are listed: %+v, %v", r.Data, err)
	}
	s.tc.Market = own
	s.tc.Actor = actor.Actor{Kind: actor.User, ID: "foreign"}
	if _, err := s.call("cancelBooking", cancel, "c3"); !fault.Is(err, fault.NotFound) {
		t.Errorf("somebody else's: %v", err)
	}
}

// A hold whose time is over is no offer any more, whether or not a sweep has come.
func TestAnOfferThatIsOverIsListedAsExpired(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, tx := s.offered()
	for at, want := range map[time.Time]ledger.State{tx.HoldExpiresAt.Add(-time.Second): ledger.Hold, tx.HoldExpiresAt: ledger.Expired} {
		s.clock.Set(at)
		listed, err := s.call("getMyBookings", `{}`, "l")
		if err != nil {
			t.Fatal(err)
		}
		if all := listed.Data.(map[string]any)["bookings"].([]map[string]any); len(all) != 1 || all[0]["state"] != want {
			t.Errorf("at %s: %+v", at, all)
		}
	}
}

// What is booked here is listed, however much its customer has been offered since, here and by
// another tenant. Of the offers that lapsed the latest are, too.
func TestBookingsBehindOffers(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, tx := s.offered()
	if _, err := s.confirm(tx, "c"); err != nil {
		t.Fatal(err)
	}
	for n := range 2 * maxListed {
		s.clock.Add(time.Second)
		terms := s.terms(30 + n)
		if n%2 == 0 {
			terms.Market = "elsewhere"
		}
		offer, err := s.Offer(t.Context(), terms, 1, time.Minute, fmt.Sprint("d", n))
		if err == nil && n%4 == 1 { // answered with NO
			_, err = s.Release(t.Context(), s.owner, offer.ID, "no", "r")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.clock.Add(time.Minute)
	r, err := s.call("getMyBookings", `{}`, "l")
	if err != nil {
		t.Fatal(err)
	}
	all := r.Data.(map[string]any)["bookings"].([]map[string]any)
	if len(all) != 1+maxLapsed || all[0]["transactionId"] != tx.ID || all[1]["state"] != ledger.Expired || all[2]["state"] != ledger.Cancelled {
		t.Errorf("%+v", all)
	}
}

// What still stands is listed first, however much was booked since that is cancelled or over.
func TestWhatStandsIsListedFirst(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	book := func(hour int) ledger.Transaction {
		s.clock.Add(time.Second)
		tx, err := s.Offer(t.Context(), s.terms(hour), 1, time.Minute, fmt.Sprint("d", hour))
		if err == nil {
			tx, err = s.confirm(tx, "yes")
		}
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	first, second := book(100), book(200)
	var last ledger.Transaction
	for n := range maxListed + 5 {
		if last = book(10 + n); n%2 == 0 {
			if _, err := s.Release(t.Context(), s.owner, last.ID, "customer", "r"); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.clock.Set(last.End)
	third := book(300)
	s.clock.Add(time.Second)
	held, err := s.Offer(t.Context(), s.terms(400), 1, time.Minute, "held")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.call("getMyBookings", `{}`, "l")
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, one := range r.Data.(map[string]any)["bookings"].([]map[string]any) {
		got = append(got, one["transactionId"])
	}
	want := []any{held.ID, third.ID, second.ID, first.ID, last.ID}
	if len(got) != maxListed || !cmp.Equal(got[:len(want)], want) || !slices.ContainsFunc(r.Named, func(i standing.Item) bool { return i.Code == first.Code }) {
		t.Errorf("%d are listed, first %v; want %v; facts %v", len(got), got[:min(len(got), len(want))], want, r.Named)
	}
}

// A tool changes what is booked and not over, and says why it changes nothing else.
func TestWhatCannotBeChanged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state  ledger.State
		change func(s *shop, tx ledger.Transaction)
		want   string
	}{
		"an offer":             {ledger.Hold, nil, "not booked yet"},
		"an offer that is let": {ledger.Expired, nil, ledger.ErrNotHeld.Error()},
		"what was only drawn":  {ledger.Draft, nil, ledger.ErrNotHeld.Error()},
		"what is cancelled":    {ledger.Cancelled, nil, ledger.ErrCancelled.Error()},
		"where nobody came":    {ledger.NoShow, nil, "nobody came"},
		"what is over":         {ledger.Confirmed, func(s *shop, tx ledger.Transaction) { s.clock.Set(tx.End) }, "it is over"},
	} {
		s := newShop(t)
		tx := s.in(tt.state, s.terms(24))
		if tt.change != nil {
			tt.change(s, tx)
		}
		if _, err := s.call("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, tx.ID), "k"); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
}

// An offer whose own question is answered is let go by one of its own, as long as it is held.
func TestAnOfferIsLetGo(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	tx := s.held(s.terms(24), 1)
	ask := func() (tool.Result, error) {
		return s.call("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, tx.ID), "k")
	}
	if r, err := ask(); !errors.Is(err, errHeldOnly) || r.Proposal != nil {
		t.Errorf("still to be answered: %+v, %v", r.Proposal, err)
	}
	s.till.letGo = "let_go"
	r, err := ask()
	want := &tool.Proposal{Kind: "let_go", Ref: tx.ID, Summary: Summary("en", tx), Hash: tx.OfferHash, ExpiresAt: tx.HoldExpiresAt}
	if diff := cmp.Diff(want, r.Proposal); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	away := fault.New(fault.Unavailable, "away")
	s.till.away = away
	if _, err := ask(); !errors.Is(err, away) {
		t.Errorf("not known: %v", err)
	}
	s.till.away = nil
	s.clock.Set(tx.HoldExpiresAt)
	if _, err := ask(); !errors.Is(err, ledger.ErrNotHeld) {
		t.Errorf("its time is over: %v", err)
	}
}

// A customer is one customer on the waiting list in each of their chats.
func TestJoiningTheWaitlistInALinkedChat(t *testing.T) {
	t.Parallel()
	s, ctx := newShop(t), context.Background()
	s.offered()
	phone := s.owner
	phone.ID, phone.Also = phone.ID+"-phone", []string{s.owner.Key()}
	for _, thread := range []string{"app", "phone"} {
		if s.tc.Thread = thread; thread == "phone" {
			s.tc.Actor = phone
		}
		if _, err := s.call("joinWaitlist", at("2030-06-04", "19:00"), thread); err != nil {
			t.Fatal(err)
		}
	}
	if own, err := s.Wishes.Of(ctx, s.tc.Market.ID, phone.Keys()...); err != nil || len(own) != 1 || own[0].Terms.Thread != "phone" {
		t.Errorf("waits for %+v, %v", own, err)
	}
}

// A night is the same night when the hour of arrival is changed: it is sold once, is not
// among the free ones, and who waits for it is asked when it becomes free.
func TestField12_ANightIsSoldOnceWheneverCheckInIs(t *testing.T) {
	t.Parallel()
	s, ctx := newShop(t), context.Background()
	s.offering.Unit, s.offering.Hours, s.offering.CheckIn = schedule.ByNight, nil, "15:00"
	stay := `{"listingId":"harbour","offeringId":null,"date":"2030-06-05","time":null,"endDate":"2030-06-06","partySize":2,"note":null}`
	res, err := s.call("initiateBooking", stay, "first")
	if err != nil || res.Proposal == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	first, err := s.Get(ctx, s.owner, res.Proposal.Ref)
	if err == nil {
		first, err = s.confirm(first, "yes")
	}
	if err != nil {
		t.Fatal(err)
	}
	s.offering.CheckIn, s.tc.Thread = "14:00", "another"
	if res, err = s.call("initiateBooking", stay, "second"); err != nil || res.Proposal != nil {
		t.Fatalf("%+v, %v", res, err)
	}
	told, err := json.Marshal(res.Data)
	if err != nil || !strings.Contains(string(told), `"taken"`) || !strings.Contains(string(told), "2030-06-04") || strings.Contains(string(told), `"date":"2030-06-05"`) {
		t.Errorf("%s, %v", told, err)
	}
	if _, err := s.call("joinWaitlist", stay, "wait"); err != nil {
		t.Fatal(err)
	}
	s.clock.Set(first.Start.Add(-3 * time.Hour)) // on the day, before check-in
	if _, err := s.Release(ctx, s.owner, first.ID, "no", "no"); err != nil {
		t.Fatal(err)
	}
	waiting, err := s.For(ctx, first)
	if err != nil || len(waiting) != 1 || waiting[0].Terms.Nights != 1 {
		t.Fatalf("%+v, %v", waiting, err)
	}
}
