package ledger

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"merve/internal/base/actor"
)

var (
	everyOp    = []op{opDraft, opHold, opConfirm, opRelease, opExpire, opMark, opTakeBack}
	everyState = []State{Draft, Hold, Confirmed, Cancelled, Expired, NoShow}
)

// Whatever the operation, the state and the time, one rule says what happens.
func TestOneRuleForEachOperationInEachState(t *testing.T) {
	t.Parallel()
	for _, o := range everyOp[1:] {
		for _, tx := range everyCase() {
			for _, now := range moments(tx) {
				var found []rule
				for _, r := range rules {
					if r.op == o && r.holds(tx, now) {
						found = append(found, r)
					}
				}
				if len(found) != 1 || (found[0].to == none) == (found[0].err == nil) {
					t.Errorf("%s of what is %s at %s: %+v, want one rule, with a state or an error", o, tx.State, now, found)
				}
			}
		}
	}
}

// A state that no rule knows, as a later release may write it, allows nothing.
func TestAnUnknownStateAllowsNothing(t *testing.T) {
	t.Parallel()
	for _, o := range everyOp {
		if err := o.check(Transaction{State: "unknown"}, noon); !errors.Is(err, ErrNotHeld) {
			t.Errorf("%s: %v, want %v", o, err, ErrNotHeld)
		}
	}
}

// An operation leads to one state, whatever it comes from.
func TestAnOperationLeadsToOneState(t *testing.T) {
	t.Parallel()
	for _, r := range rules {
		if r.to != none && r.to != r.op.to() {
			t.Errorf("%s leads to %s and to %s", r.op, r.to, r.op.to())
		}
	}
}

// The check of what was read and the condition on what is stored agree, for each operation, each state that is stored,
// each state that was read and each side of each time. DynamoDB says what the condition is worth.
func TestTheStoreJudgesAsTheCheckDoes(t *testing.T) {
	t.Parallel()
	for _, o := range everyOp[1:] {
		t.Run(string(o), func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			for _, stored := range everyCase() {
				stored.ID = c.NewID()
				c.put(txKey(stored.ID), stored)
				for _, from := range everyState {
					if o.allowed(from).from != from {
						continue // nobody writes what the check refused
					}
					read := stored
					read.State = from
					for _, now := range moments(stored) {
						checked := o.check(stored, now)
						err := c.Table.DB().Commit(t.Context(), o.guard(c.Table.Delete(txKey(read.ID)), read, now))
						did := fmt.Sprintf("%s of what was %s and is %s, marked %v, at %s", o, from, stored.State, !stored.NoShowAt.IsZero(), now.Format(time.DateTime))
						switch may := checked == nil && from == stored.State; {
						case (err == nil) != may:
							t.Errorf("%s: the store says %v, the check %v", did, err, checked)
						case checked != nil && !sameRefusal(err, checked):
							t.Errorf("%s: refused with %v, want %v", did, err, checked)
						}
						if err == nil {
							c.put(txKey(stored.ID), stored)
						}
					}
				}
			}
		})
	}
}

// A draft is the only thing that needs nothing to be there.
func TestOnlyADraftIsOfNothing(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	for _, o := range everyOp {
		missing := Transaction{ID: c.NewID(), State: o.allowed(none).from}
		err := c.Table.DB().Commit(t.Context(), o.guard(c.Table.Delete(txKey(missing.ID)), missing, noon))
		if want := map[bool]error{true: nil, false: actor.ErrNotFound}[o == opDraft]; !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", o, err, want)
		}
	}
}

// everyCase has a transaction in each state, and each that was booked with a mark and without. Its times are far from
// each other.
func everyCase() []Transaction {
	var txs []Transaction
	for _, state := range everyState {
		tx := Transaction{State: state, Version: 3, HoldExpiresAt: noon.Add(time.Hour)}
		tx.Owner, tx.Business = "user:u", "biz"
		tx.Start, tx.End = noon.Add(100*time.Hour), noon.Add(102*time.Hour)
		if state != NoShow {
			txs = append(txs, tx)
		}
		if tx.NoShowAt = noon.Add(150 * time.Hour); state == Confirmed || state == Cancelled || state == NoShow {
			txs = append(txs, tx)
		}
	}
	return txs
}

// moments are on each side of all that may change what can be done with a transaction.
func moments(tx Transaction) []time.Time {
	var all []time.Time
	for _, at := range []time.Time{tx.HoldExpiresAt, tx.Start, tx.End.Add(markFor), tx.NoShowAt.Add(TakeBackFor)} {
		if at.After(noon) {
			all = append(all, at.Add(-time.Millisecond), at)
		}
	}
	return all
}

func sameRefusal(got, want error) bool {
	var already *AlreadyConfirmed
	if errors.As(want, &already) {
		return errors.As(got, &already)
	}
	return errors.Is(got, want)
}
