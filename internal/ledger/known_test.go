package ledger

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"merve/internal/actor"
	"merve/internal/fault"
	"merve/internal/schedule"
)

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
		held, err = s.Confirm(t.Context(), phone, held.ID, receiptFor(held), "yes")
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

// Whatever stands against writes that the ledger has prepared is told apart from a failure.
func TestWhatRefuses(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		ErrHoldGone, ErrNotHeld, ErrAlreadyConfirmed, &AlreadyConfirmed{}, ErrCancelled, ErrSlotTaken, ErrOfferChanged, ErrKeyReused, ErrUnpaid, ErrChanged, ErrNoShow,
	} {
		if !Refused(fmt.Errorf("commit: %w", err)) {
			t.Errorf("%v is taken for a failure", err)
		}
	}
	for _, err := range []error{nil, errors.New("away"), fault.New(fault.Unavailable, "away"), actor.ErrNotFound} {
		if Refused(err) {
			t.Errorf("%v is taken for a refusal", err)
		}
	}
}

// Bounds that people are told.
func TestBounds(t *testing.T) {
	t.Parallel()
	if MarkFor != 7*24*time.Hour || TakeBackFor != 24*time.Hour { // see ErrMarkedLate and ErrStands
		t.Errorf("a booking can be marked for %v, and that taken back for %v", MarkFor, TakeBackFor)
	}
}
