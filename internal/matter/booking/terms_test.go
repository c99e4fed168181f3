package booking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
	"merve/internal/tenant/schedule"
)

// What takes a deposit is held for longer, and waits for another kind of YES; how much is due,
// and until when it is given back, is part of the offer.
func TestAnOfferThatIsToBePaid(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.offering.Deposit = &schedule.Deposit{PercentOfPrice: 25, RefundUntilHours: 6}
	res, tx := s.offered()
	if res.Proposal.Kind != "pay" || res.Proposal.Summary != Summary("en", tx)+", to be paid" || !res.Proposal.ExpiresAt.Equal(s.Now().Add(PayFor)) || !tx.HoldExpiresAt.Equal(res.Proposal.ExpiresAt) {
		t.Errorf("%+v", res.Proposal)
	}
	if tx.DueMinor != 250 || !tx.RefundUntil.Equal(tx.Start.Add(-6*time.Hour)) {
		t.Errorf("due %d, refunded until %v", tx.DueMinor, tx.RefundUntil)
	}
	for name, spoil := range map[string]func(*ledger.Transaction){"due": func(t *ledger.Transaction) { t.DueMinor++ }, "rule": func(t *ledger.Transaction) { t.RefundUntil = t.Start }} {
		other := tx
		spoil(&other)
		if ledger.OfferHash(other) == tx.OfferHash {
			t.Errorf("%s is not part of the offer", name)
		}
	}
	if data, err := json.Marshal(res.Data); err != nil || !json.Valid(data) {
		t.Errorf("%s, %v", data, err)
	}
	_, err := ledgertest.Confirm(context.Background(), s.Ledger, s.owner, tx.ID, gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, Answer: "yes"}, "c")
	if !errors.Is(err, ledger.ErrUnpaid) {
		t.Errorf("confirmed without a payment: %v", err)
	}
	paid, err := ledgertest.Confirm(context.Background(), s.Ledger, s.owner, tx.ID, gate.Receipt{PendingID: "p", OfferHash: tx.OfferHash, Answer: "yes", Payment: "pi_1"}, "c")
	if err != nil || paid.State != ledger.Confirmed {
		t.Errorf("%s, %v", paid.State, err)
	}
}

// A question about a cancellation is answered before the answer means something else.
func TestACancellationIsAskedForWhatItMeans(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.offering.Deposit = &schedule.Deposit{PercentOfPrice: 50, RefundUntilHours: 24}
	_, tx := s.offered()
	r := receiptFor(tx)
	r.Payment = "pi_1"
	var err error
	if tx, err = ledgertest.Confirm(t.Context(), s.Ledger, s.owner, tx.ID, r, "c"); err != nil {
		t.Fatal(err)
	}
	ask := func(now time.Time) (string, time.Time) {
		s.clock.Set(now)
		s.tc.Now = now
		res, err := s.call("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, tx.ID), "x")
		if err != nil {
			t.Fatal(err)
		}
		return res.Proposal.Hash, res.Proposal.ExpiresAt
	}
	early, until := ask(tx.FreeUntil().Add(-2 * time.Minute))
	late, _ := ask(tx.FreeUntil())
	if early == late || !until.Equal(tx.FreeUntil()) {
		t.Errorf("hashes %s and %s, to be answered until %s", early, late, until)
	}
	if _, _, err := s.Ledger.CancelWrites(t.Context(), s.owner, tx.ID, early, "k"); !errors.Is(err, ledger.ErrOfferChanged) {
		t.Errorf("a YES to all of it, too late for that: %v", err)
	}
}

// A YES to all of it, of a price that was paid without being due, is none to nothing of it, either.
func TestACancellationOfWhatWasPaidInFull(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, tx := s.offered()
	if _, err := s.confirm(tx, "c"); err != nil {
		t.Fatal(err)
	}
	s.clock.Set(tx.Start.Add(-2 * time.Minute))
	res, err := s.call("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, tx.ID), "x")
	if err != nil || !res.Proposal.ExpiresAt.Equal(tx.Start) {
		t.Fatalf("%+v, %v", res.Proposal, err)
	}
	yes := func() error {
		_, _, err := s.Ledger.CancelWrites(t.Context(), s.owner, tx.ID, res.Proposal.Hash, "k")
		return err
	}
	if err := yes(); err != nil {
		t.Error(err)
	}
	s.clock.Set(tx.Start)
	if err := yes(); !errors.Is(err, ledger.ErrOfferChanged) {
		t.Errorf("a YES to all of it, too late for that: %v", err)
	}
}

// What is over is neither cancelled nor moved: the question to it waits no longer than that.
func TestWhatIsOverIsNotGivenUp(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.offering.PriceMinor = 0
	_, tx := s.offered()
	if _, err := s.confirm(tx, "c"); err != nil {
		t.Fatal(err)
	}
	s.clock.Set(tx.End.Add(-3 * time.Minute))
	cancel, err := s.call("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, tx.ID), "x")
	if err != nil || !cancel.Proposal.ExpiresAt.Equal(tx.End) {
		t.Errorf("cancelled until %v, over at %v; %v", cancel.Proposal.ExpiresAt, tx.End, err)
	}
	if move, _ := s.move(tx, "2030-06-05", "20:00", "", 2); !move.Proposal.ExpiresAt.Equal(tx.End) {
		t.Errorf("moved until %v, over at %v", move.Proposal.ExpiresAt, tx.End)
	}
}

// Who did not come is asked for more, where the offering says so, and by each of their names, however
// far ahead they book: the rule looks back from today.
func TestOwedByWhoDidNotCome(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	tx := c.begun(24)
	if _, err := c.Mark(ctx, clerk, tx.ID, "k"); err != nil {
		t.Fatal(err)
	}
	next := c.terms(60 * 24)
	next.PriceMinor = 1000
	for _, tt := range []struct {
		name    string
		own     *schedule.Deposit
		rule    *schedule.NoShows
		owners  []string
		due     int64
		missed  int
		refused bool
	}{
		{"no rule", nil, nil, []string{tx.Owner}, 0, 0, false},
		{"not so often", nil, &schedule.NoShows{Count: 2, Days: 30}, []string{tx.Owner}, 0, 0, false},
		{"somebody else", nil, &schedule.NoShows{Count: 1, Days: 30}, []string{"user:other"}, 0, 0, false},
		{"a person", nil, &schedule.NoShows{Count: 1, Days: 30}, []string{tx.Owner}, 0, 0, true},
		{"by another name", nil, &schedule.NoShows{Count: 1, Days: 30}, []string{"user:new", tx.Owner}, 0, 0, true},
		{"a deposit", nil, &schedule.NoShows{Count: 1, Days: 30, Deposit: &schedule.Deposit{PercentOfPrice: 40}}, []string{tx.Owner}, 400, 1, false},
		{"less than everybody's", &schedule.Deposit{PercentOfPrice: 60}, &schedule.NoShows{Count: 1, Days: 30, Deposit: &schedule.Deposit{PercentOfPrice: 40}}, []string{tx.Owner}, 600, 1, false},
	} {
		got, err := owed(ctx, c.Ledger, next, schedule.Offering{Deposit: tt.own, NoShows: tt.rule}, tt.owners)
		if fault.Is(err, fault.Forbidden) != tt.refused || got.DueMinor != tt.due || got.Missed != tt.missed {
			t.Errorf("%s: due %d, missed %d, %v", tt.name, got.DueMinor, got.Missed, err)
		}
	}
}

// Who did not come is known, whichever chat they write on, to each tool that holds something.
func TestWhoDidNotComeIsKnownToEachTool(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	missed := s.begun(24)
	if _, err := s.Mark(t.Context(), clerk, missed.ID, "m"); err != nil {
		t.Fatal(err)
	}
	phone := actor.Actor{Kind: s.owner.Kind, ID: s.owner.ID + "-phone"}
	s.tc.Actor = phone
	res, err := s.call("initiateBooking", at("2030-06-05", "19:00"), "k")
	if err != nil || res.Proposal == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	held, err := s.Get(t.Context(), phone, res.Proposal.Ref)
	if err == nil {
		held, err = ledgertest.Confirm(t.Context(), s.Ledger, phone, held.ID, receiptFor(held), "yes")
	}
	if err != nil {
		t.Fatal(err)
	}
	s.offering.NoShows = &schedule.NoShows{Count: 1, Days: 30}
	move := fmt.Sprintf(`{"transactionId":%q,"date":"2030-06-05","time":"21:00","endDate":null,"partySize":null}`, held.ID)
	for tool, args := range map[string]string{
		"initiateBooking": at("2030-06-05", "20:00"), "joinWaitlist": at("2030-06-05", "19:00"), "rescheduleBooking": move,
	} {
		for who, refused := range map[string]bool{"nobody else": false, "who did not come": true} {
			s.tc.Actor = phone
			if refused {
				s.tc.Actor.Also = []string{s.owner.Key()}
			}
			if _, err := s.call(tool, args, tool+who); fault.Is(err, fault.Forbidden) != refused || err != nil && !refused {
				t.Errorf("%s by %s: %v", tool, who, err)
			}
		}
	}
}

// So long before the start is so long on every clock: when clocks change in between, the moment
// that is said is the one that counts.
func TestFreeUntilOverAChangeOfClocks(t *testing.T) {
	t.Parallel()
	nicosia, err := time.LoadLocation("Europe/Nicosia")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ start, free string }{
		{"2030-03-31T12:00", "2030-03-30T11:00"}, // clocks go forward in between: an hour is not there
		{"2030-10-27T12:00", "2030-10-26T13:00"}, // they go back: an hour is there twice
		{"2030-06-04T12:00", "2030-06-03T12:00"},
	} {
		start, err := time.ParseInLocation("2006-01-02T15:04", tt.start, nicosia)
		if err != nil {
			t.Fatal(err)
		}
		terms := due(ledger.Terms{Start: start.UTC(), TimeZone: "Europe/Nicosia", PriceMinor: 1000}, &schedule.Deposit{PercentOfPrice: 50, RefundUntilHours: 24, LateRefundPercent: 20})
		if got := local(terms.FreeUntil(), terms.TimeZone); got != tt.free || start.Sub(terms.FreeUntil()) != 24*time.Hour {
			t.Errorf("%s: free until %s, want %s", tt.start, got, tt.free)
		}
		free := terms.FreeUntil()
		for at, want := range map[time.Time]int64{free.Add(-time.Millisecond): 500, free: 100, start: 100} {
			if got := terms.Back(500, at); got != want {
				t.Errorf("%s: %d back at %s, want %d", tt.start, got, at, want)
			}
		}
	}
	free := ledger.Terms{Start: noon, PriceMinor: 1000}
	if free.Back(1000, noon.Add(-time.Second)) != 1000 || free.Back(1000, noon) != 0 {
		t.Error("what was paid without having to comes back until the start")
	}
}
