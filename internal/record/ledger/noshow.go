package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
)

// A booking to which nobody came is marked by its business or by staff, once. The mark can be taken back, once, for a
// while. The locks stay, so that a customer who comes late finds their place. What was paid is settled when the mark
// stands for good.
//
//	noshow#{business}#{owner}   {start}#{transaction}   that its owner did not come (table ledger)

const (
	markFor     = 7 * 24 * time.Hour // after its end a booking can be marked
	TakeBackFor = 24 * time.Hour     // after the mark it can be taken back
)

// What marking a booking and taking that back may meet.
var (
	ErrNoShow     = fault.New(fault.Conflict, "it was marked already: nobody came")
	errNotNoShow  = fault.New(fault.Conflict, "it is not marked: there is nothing to take back")
	ErrCame       = fault.New(fault.Conflict, "it was marked and that was taken back, which stands")
	errNotBooked  = fault.New(fault.Conflict, "it is no confirmed booking")
	errNotBegun   = fault.New(fault.Conflict, "it has not begun yet")
	errMarkedLate = fault.New(fault.Conflict, "it was over more than 7 days ago, which is too long to mark it")
	errStands     = fault.New(fault.Conflict, "it was marked more than 24 hours ago, and that stands now")
)

// MayMark says whether a booking can be marked at a time as one to which nobody came, and if
// not, why.
func (tx Transaction) MayMark(now time.Time) error { return opMark.check(tx, now) }

// MayTakeBack says whether a mark can be taken back at a time, and if not, why.
func (tx Transaction) MayTakeBack(now time.Time) error { return opTakeBack.check(tx, now) }

// missed is the record of one booking that an owner did not come to. A business counts these.
type missed struct {
	Tx  string `dynamodbav:"tx"`
	TTL int64  `dynamodbav:"ttl"`
}

// missedFor is how long it is kept: as long as any rule looks back.
const missedFor = 731 * 24 * time.Hour

func missedPK(business, owner string) string { return "noshow#" + business + "#" + owner }

func missedSK(at time.Time) string { return at.UTC().Format("2006-01-02T15:04Z") }

func missedKey(tx Transaction) dynamo.Key {
	return dynamo.Key{PK: missedPK(tx.Business, tx.Owner), SK: missedSK(tx.Start) + "#" + tx.ID}
}

// Mark says that nobody came to a booking (state [NoShow]), for staff or the system. Who acts as the system has made
// sure whose booking it is. 2 requests.
func (l *Ledger) Mark(ctx context.Context, a actor.Actor, txID, key string) (Transaction, error) {
	return marking{l, opMark, a, txID, key}.do(ctx)
}

// TakeBack says that somebody came after all: the booking is confirmed as before. 2 requests.
func (l *Ledger) TakeBack(ctx context.Context, a actor.Actor, txID, key string) (Transaction, error) {
	return marking{l, opTakeBack, a, txID, key}.do(ctx)
}

// marking is a mark, or its retraction, by staff or the system.
type marking struct {
	*Ledger
	op        op
	by        actor.Actor
	txID, key string
}

func (m marking) do(ctx context.Context) (Transaction, error) {
	if m.by.Kind != actor.System && !m.by.IsStaff() {
		return Transaction{}, actor.ErrNotFound // its owner cannot say so
	}
	if err := checkKey(m.key); err != nil {
		return Transaction{}, err
	}
	tx, err := m.try(ctx)
	if errors.Is(err, ErrChanged) { // perhaps its customer's data was deleted meanwhile
		return m.try(ctx)
	}
	return tx, err
}

func (m marking) try(ctx context.Context) (Transaction, error) {
	tx, err := m.reader().tx(ctx, m.txID)
	if err != nil {
		return Transaction{}, err
	}
	now := m.now()
	c := change{
		op: m.op, key: opKey(m.op, tx.ID, m.key), payload: ident.Hash(tx.ID), read: tx, after: m.op.next(tx, now), now: now,
		event: Event{Actor: m.by.Key(), Trace: telemetry.TraceID(ctx)},
	}
	if err := m.op.check(tx, now); err != nil {
		return m.writer().replayed(ctx, c, err)
	}
	if counts := missedKey(tx); m.op == opMark {
		c.after.NoShowAt = now
		c.locks = []dynamo.Write{m.Table.Put(counts, missed{tx.ID, tx.Start.Add(missedFor).Unix()})}
	} else {
		c.locks = []dynamo.Write{m.Table.Delete(counts)}
	}
	return m.writer().commit(ctx, c)
}

// Missed counts the bookings since a time that an owner, known by any of these keys, did not come to at a business. It
// stops at most. 1 request for each key.
func (l *Ledger) Missed(ctx context.Context, business string, owners []string, since time.Time, most int) (int, error) {
	n := 0
	for _, owner := range owners {
		page, err := l.Table.Query(ctx, dynamo.Query{
			Where: "pk = :pk AND sk >= :since", Values: dynamo.V{":pk": missedPK(business, owner), ":since": missedSK(since)}, Limit: most,
		})
		if err != nil {
			return 0, fmt.Errorf("ledger: missed bookings: %w", err)
		}
		if n += len(page.Items); n >= most {
			return most, nil
		}
	}
	return n, nil
}

// FreeUntil is until when cancelling costs nothing: until the start, unless a rule says otherwise.
func (t Terms) FreeUntil() time.Time {
	if t.RefundUntil.IsZero() {
		return t.Start
	}
	return t.RefundUntil
}

// KeptMinor is how much of what is due the business keeps when the customer cancels late or does not come.
func (t Terms) KeptMinor() int64 { return t.DueMinor - t.LateRefundMinor }

// Back is how much of what was paid a customer gets back by cancelling, or by not coming, at a time.
func (t Terms) Back(paidMinor int64, at time.Time) int64 {
	if at.Before(t.FreeUntil()) {
		return paidMinor
	}
	return min(t.LateRefundMinor, paidMinor)
}
