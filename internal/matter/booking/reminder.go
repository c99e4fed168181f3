package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// Reminders reminds customers of bookings at their wish. A reminder waits for its time in table ledger,
// in the index of due items:
//
//	reminder#{id}   reminder   when, and in which chat
//
// When the time has come, the reminder is checked against the booking. A cancelled booking gets no reminder, and
// a moved one is mentioned with its new time, whenever it was moved. If the owner has unlinked or deleted
// the chat since, the reminder goes to the chat in which the time was booked.
type Reminders struct {
	Ledger  *ledger.Ledger
	Threads interface {
		Head(ctx context.Context, threadID string) (thread.Head, error)
		Tell(ctx context.Context, threadID, key string, n thread.Notice) error
	}
}

// Tools returns the tool that sets a reminder for a customer.
func (r *Reminders) Tools() []tool.Tool {
	t := tool.New("setReminder", "Remind the customer of one of their confirmed bookings, in this chat. Only when they asked for it or said yes to it; "+
		"a later call takes the place of an earlier one.", tool.Propose, r.set)
	t.Draft = true
	return []tool.Tool{t}
}

type reminderArgs struct {
	TransactionID string `json:"transactionId" jsonschema:"id of the booking, as getMyBookings gave it"`
	HoursBefore   *int   `json:"hoursBefore" jsonschema:"how many hours before, 1 to 168; null for 3; 0 for no reminder after all"`
}

type reminder struct {
	Transaction string    `dynamodbav:"transaction"`
	Thread      string    `dynamodbav:"thread,omitempty"` // where it was asked for; a former release has not kept it
	Language    string    `dynamodbav:"lang,omitempty"`
	At          time.Time `dynamodbav:"at"`
	DueShard    string    `dynamodbav:"dueShard,omitempty"` // until its time has come
	DueAt       time.Time `dynamodbav:"dueAt"`
	TTL         int64     `dynamodbav:"ttl"`
}

const dueReminder = "reminder"

func reminderKey(txID string) dynamo.Key { return dynamo.Key{PK: "reminder#" + txID, SK: "reminder"} }

func (r *Reminders) set(ctx context.Context, tc tool.Context, a reminderArgs) (tool.Result, error) {
	hours := 3
	if a.HoursBefore != nil {
		hours = *a.HoursBefore
	}
	if hours < 0 || hours > 168 {
		return tool.Result{}, fault.Field("hoursBefore", "want 1 to 168, or 0 for none")
	}
	tx, err := r.Ledger.Get(ctx, tc.Actor, a.TransactionID)
	switch {
	case errors.Is(err, actor.ErrNotFound), err == nil && (tx.Market != tc.Market.ID || tx.State != ledger.Confirmed):
		return tool.Result{}, &fault.Error{Kind: fault.NotFound, Field: "transactionId", Message: "the customer has no such booking"}
	case err != nil:
		return tool.Result{}, err
	}
	t := r.Ledger.Table
	at := tx.Start.Add(-time.Duration(hours) * time.Hour)
	ws := []dynamo.Write{t.Delete(reminderKey(tx.ID))}
	if tx.Replaces != "" { // it may be on its way from there
		ws = append(ws, t.Delete(reminderKey(tx.Replaces)))
	}
	data := map[string]any{"code": tx.Code, "reminder": "none"}
	if hours > 0 {
		if !at.After(tc.Now) {
			return tool.Result{}, fault.Field("hoursBefore", "that moment has passed: it begins at %s", tx.Start.In(tc.TimeZone).Format("2006-01-02T15:04"))
		}
		ws = []dynamo.Write{r.put(reminder{Thread: tc.Thread, Language: tc.Language}, tx, at, tc.Now)}
		data["reminder"] = at.In(tc.TimeZone).Format("2006-01-02T15:04")
	}
	if err := t.DB().Commit(ctx, ws...); err != nil {
		return tool.Result{}, fmt.Errorf("reminder of %s: %w", tx.ID, err)
	}
	return tool.Result{Data: data}, nil
}

// put is the write of a reminder of a booking, at a time that is to come after now: one that has passed
// is kept for another time that the booking is moved to.
func (r *Reminders) put(m reminder, tx ledger.Transaction, at, now time.Time) dynamo.Write {
	m.Transaction, m.At, m.DueAt, m.DueShard, m.TTL = tx.ID, at, time.Time{}, "", tx.End.Add(24*time.Hour).Unix()
	if at.After(now) {
		m.DueAt, m.DueShard = at, dynamo.DueShard(dueReminder, tx.ID)
	}
	return r.Ledger.Table.Put(reminderKey(tx.ID), m)
}

// Moved moves the reminder of a moved booking: it comes as long before the new time as the customer
// wished for the old one, if that is still in the future. It may be called any number of times for an event.
func (r *Reminders) Moved(ctx context.Context, e ledger.Event) error {
	tx, t := e.Transaction, r.Ledger.Table
	if e.Type != ledger.Confirmed || tx.Replaces == "" {
		return nil
	}
	it, err := t.Get(ctx, reminderKey(tx.Replaces))
	if err != nil || it == nil {
		return err
	}
	var m reminder
	if err := it.Decode(&m); err != nil {
		return err
	}
	old, err := r.Ledger.Get(ctx, actor.Actor{Kind: actor.System, ID: "reminders"}, tx.Replaces)
	if err != nil {
		return err
	}
	at := tx.Start.Add(m.At.Sub(old.Start))
	err = t.DB().Commit(ctx,
		r.put(m, tx, at, r.Ledger.Now()).IfAbsent().Else(errReset),
		t.Delete(reminderKey(old.ID)).If("attribute_exists(pk)", nil).Else(errReset))
	if err != nil && !errors.Is(err, errReset) {
		return fmt.Errorf("reminder of %s: %w", tx.ID, err)
	}
	return nil
}

// Sweep sends the reminders that are due. Any number of sweeps may run at once: each reminder
// goes out once.
func (r *Reminders) Sweep(ctx context.Context, b dynamo.Budget) (sent int, err error) {
	now := r.Ledger.Now()
	_, err = r.Ledger.Table.EachDue(ctx, dueReminder, now, b, func(key dynamo.Key) (bool, error) {
		told, err := r.Remind(ctx, key, now)
		if told {
			sent++
		}
		return told, err
	})
	return sent, err
}

// Remind says one reminder, if it is due and its booking still stands. It is kept, as long as its
// booking is, for another time that the booking is moved to.
func (r *Reminders) Remind(ctx context.Context, key dynamo.Key, now time.Time) (told bool, err error) {
	it, err := r.Ledger.Table.Get(ctx, key)
	if err != nil || it == nil {
		return false, err
	}
	var m reminder
	if err := it.Decode(&m); err != nil {
		return false, err
	}
	if m.DueShard == "" || m.At.After(now) {
		return false, nil // the index was behind
	}
	tx, err := r.Ledger.Get(ctx, actor.Actor{Kind: actor.System, ID: "reminders"}, m.Transaction)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return false, err
	}
	if err == nil && tx.State == ledger.Confirmed && tx.Start.After(now) {
		if err := r.tell(ctx, tx, m); err != nil {
			return false, err
		}
		told = true
	}
	done := r.Ledger.Table.Update(key, "REMOVE dueShard, dueAt", nil).If("#at = :at", dynamo.V{":at": m.At}).Else(errReset)
	if err := r.Ledger.Table.DB().Commit(ctx, done); err != nil && !errors.Is(err, errReset) {
		return told, err
	}
	return told, nil
}

// errReset says that the customer has wished for another moment meanwhile.
var errReset = errors.New("the reminder was set again")

func (r *Reminders) tell(ctx context.Context, tx ledger.Transaction, m reminder) error {
	to, lang := tx.Thread, tx.Language
	if theirs, err := r.theirs(ctx, tx, m.Thread); err != nil {
		return err
	} else if theirs {
		to, lang = m.Thread, cmp.Or(m.Language, lang)
	}
	vars := Vars(lang, tx)
	vars["summary"] = Summary(lang, tx)
	return r.Threads.Tell(ctx, to, remindedKey(tx.ID, m.At), thread.Notice{
		Kind: string(wording.BookingReminder), Cards: []map[string]any{Card(lang, tx)}, Vars: vars,
		Text: wording.Say(lang, wording.BookingReminder, wording.Vars{"summary": vars["summary"], "code": tx.Code}),
	})
}

// theirs reports whether a chat still belongs to the owner of a booking.
func (r *Reminders) theirs(ctx context.Context, tx ledger.Transaction, threadID string) (bool, error) {
	switch threadID {
	case tx.Thread:
		return true, nil
	case "": // a former release has not kept it
		return false, nil
	}
	h, err := r.Threads.Head(ctx, threadID)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && h.Customer().Owns(tx.Owner) == nil, err
}

// remindedKey is the key of the notice that reminds of a booking, once for each moment.
func remindedKey(txID string, at time.Time) string {
	return fmt.Sprintf("%s.reminder.%d", txID, at.Unix())
}
