package ledger

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
)

// Whatever stands against writes that the ledger has prepared is told apart from a failure.
func TestWhatRefuses(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		ErrHoldGone, ErrNotHeld, errAlreadyConfirmed, &AlreadyConfirmed{}, ErrCancelled, ErrSlotTaken, ErrOfferChanged, ErrKeyReused, ErrUnpaid, ErrChanged, ErrNoShow,
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
	if markFor != 7*24*time.Hour || TakeBackFor != 24*time.Hour { // see errMarkedLate and errStands
		t.Errorf("a booking can be marked for %v, and that taken back for %v", markFor, TakeBackFor)
	}
}
