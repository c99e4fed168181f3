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

// A booking to which nobody came is marked by its business or by staff, once, and that can be
// taken back, once, for a while. Its locks stay, so that whoever comes late finds their place.
// What was paid for it is settled when it can be taken back no more.
//
//	noshow#{business}#{owner}   {start}#{transaction}   that its owner did not come (table ledger)

const (
	MarkFor     = 7 * 24 * time.Hour // after its end a booking can be marked
	TakeBackFor = 24 * time.Hour     // after that it was marked
)

// What marking a booking and taking that back may meet.
var (
	ErrNoShow     = fault.New(fault.Conflict, "it was marked already: nobody came")
	ErrNotNoShow  = fault.New(fault.Conflict, "it is not marked: there is nothing to take back")
	ErrCame       = fault.New(fault.Conflict, "it was marked and that was taken back, which stands")
	ErrNotBooked  = fault.New(fault.Conflict, "it is no confirmed booking")
	ErrNotBegun   = fault.New(fault.Conflict, "it has not begun yet")
	ErrMarkedLate = fault.New(fault.Conflict, "it was over more than 7 days ago, which is too long to mark it")
	ErrStands     = fault.New(fault.Conflict, "it was marked more than 24 hours ago, and that stands now")
)

// MayMark says whether a booking can be marked at a time as one to which nobody came, and if
// not, why.
func (tx Transaction) MayMark(now time.Time) error { return opMark.check(tx, now) }

// MayTakeBack says whether a mark can be taken back at a time, and if not, why.
func (tx Transaction) MayTakeBack(now time.Time) error { return opTakeBack.check(tx, now) }

// missed is the record that counts against an owner at a business.
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

// Mark says that nobody came to a booking (state [NoShow]), for staff or the system; whoever
// acts as the system has looked whose booking it is. 2 requests.
func (l *Ledger) Mark(ctx context.Context, a actor.Actor, txID, key string) (Transaction, error) {
	return l.mark(ctx, a, opMark, txID, key)
}

// TakeBack says that somebody came after all: the booking is confirmed as before. 2 requests.
func (l *Ledger) TakeBack(ctx context.Context, a actor.Actor, txID, key string) (Transaction, error) {
	return l.mark(ctx, a, opTakeBack, txID, key)
}

func (l *Ledger) mark(ctx context.Context, a actor.Actor, o op, txID, key string) (Transaction, error) {
	if a.Kind != actor.System && !a.IsStaff() {
		return Transaction{}, actor.ErrNotFound // its owner cannot say so
	}
	if err := checkKey(key); err != nil {
		return Transaction{}, err
	}
	tx, err := l.tryMark(ctx, a, o, txID, key)
	if errors.Is(err, ErrChanged) { // its customer's data was deleted meanwhile, it may be
		return l.tryMark(ctx, a, o, txID, key)
	}
	return tx, err
}

func (l *Ledger) tryMark(ctx context.Context, a actor.Actor, o op, txID, key string) (Transaction, error) {
	tx, err := l.read(ctx, txID)
	if err != nil {
		return Transaction{}, err
	}
	now := l.now()
	c := change{op: o, key: opKey(o, tx.ID, key), payload: ident.Hash(tx.ID), read: tx, after: o.next(tx, now), now: now, event: Event{Actor: a.Key(), Trace: telemetry.TraceID(ctx)}}
	if err := o.check(tx, now); err != nil {
		return l.replayed(ctx, c, err)
	}
	if counts := missedKey(tx); o == opMark {
		c.after.NoShowAt = now
		c.locks = []dynamo.Write{l.Table.Put(counts, missed{tx.ID, tx.Start.Add(missedFor).Unix()})}
	} else {
		c.locks = []dynamo.Write{l.Table.Delete(counts)}
	}
	return l.commit(ctx, c)
}

// Missed counts the bookings of a business to which an owner, known by any of these keys, did
// not come, that began at a time or later; it stops counting at most. 1 request for each key.
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

// FreeUntil is until when a booking is cancelled for nothing: until its start, where no rule
// says otherwise.
func (t Terms) FreeUntil() time.Time {
	if t.RefundUntil.IsZero() {
		return t.Start
	}
	return t.RefundUntil
}

// KeptMinor is how much of what is due is kept of who cancels late or does not come.
func (t Terms) KeptMinor() int64 { return t.DueMinor - t.LateRefundMinor }

// Back is how much of what was paid a customer gets back who cancels, or did not come, at a time.
func (t Terms) Back(paidMinor int64, at time.Time) int64 {
	if at.Before(t.FreeUntil()) {
		return paidMinor
	}
	return min(t.LateRefundMinor, paidMinor)
}
