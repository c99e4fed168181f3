package ledger

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/fault"
	"merve/internal/tool"
)

// What may have been paid, due or not, is moved only while it comes back: the new time is held no
// longer than that, however long the model took to ask for it.
func TestAMoveIsAnsweredWhileItIsForNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, old := s.offered()
	var err error
	if old, err = s.Confirm(t.Context(), s.owner, old.ID, receiptFor(old), "c"); err != nil {
		t.Fatal(err)
	}
	move, _ := s.tools.Get("rescheduleBooking")
	args, err := move.Canonical(json.RawMessage(fmt.Sprintf(`{"transactionId":%q,"date":"2030-06-04","time":"21:00","endDate":null,"partySize":null}`, old.ID)))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(left, latency time.Duration) (tool.Result, error) {
		s.clock.Set(old.Start.Add(-left))
		tc := s.tc
		tc.Key, tc.Now = fmt.Sprint("m", left), s.Now().Add(-latency)
		return move.Run(t.Context(), tc, args)
	}
	if res, err := ask(5*time.Minute, 20*time.Second); err != nil || !res.Proposal.ExpiresAt.Equal(old.Start) {
		t.Errorf("%+v, %v", res.Proposal, err)
	}
	for left, want := range map[time.Duration]string{30 * time.Second: "too soon", 0: "comes back no more", -time.Minute: "comes back no more"} {
		if _, err := ask(left, 2*time.Minute); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v before the start: %v", left, err)
		}
	}
}

// What costs nothing is moved until it begins.
func TestAMoveOfWhatIsFree(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.offering.PriceMinor = 0
	_, old := s.offered()
	if _, err := s.confirm(old, "c"); err != nil {
		t.Fatal(err)
	}
	s.clock.Set(old.Start.Add(-30 * time.Second))
	moved, err := s.call("rescheduleBooking", fmt.Sprintf(`{"transactionId":%q,"date":"2030-06-04","time":"21:00","endDate":null,"partySize":null}`, old.ID), "m")
	if err != nil || moved.Proposal == nil || !moved.Proposal.ExpiresAt.After(old.Start) {
		t.Errorf("%+v, %v", moved.Proposal, err)
	}
}
