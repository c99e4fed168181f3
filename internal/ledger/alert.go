package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/dynamo"
	"merve/internal/fault"
	"merve/internal/ident"
)

// Severity says how bad a finding is.
type Severity string

const (
	Critical Severity = "CRITICAL" // somebody may be promised what is not theirs
	Error    Severity = "ERROR"    // the record is wrong
	Warning  Severity = "WARNING"  // untidy, and mended
)

// Alert is something that an operator must know. Equal findings that nobody has
// acknowledged are one alert.
type Alert struct {
	ID           string    `dynamodbav:"id" json:"id"` // where it is kept
	Check        string    `dynamodbav:"check" json:"check"`
	Severity     Severity  `dynamodbav:"severity" json:"severity"`
	Subject      string    `dynamodbav:"subject" json:"subject"` // the transaction or lock it is about
	Of           string    `dynamodbav:"of,omitempty" json:"-"`  // which thing of the subject, where several may be wrong
	Message      string    `dynamodbav:"message" json:"message"`
	Healed       bool      `dynamodbav:"healed,omitempty" json:"healed,omitempty"` // already mended
	Seen         int       `dynamodbav:"seen" json:"seen"`                         // times found, or more when an answer was lost
	At           time.Time `dynamodbav:"at" json:"at"`
	LastAt       time.Time `dynamodbav:"lastAt" json:"lastAt"`
	Acknowledged string    `dynamodbav:"acknowledgedBy,omitempty" json:"acknowledgedBy,omitempty"`
	TTL          int64     `dynamodbav:"ttl" json:"-"`
}

// openAlert leads from a finding to its alert, while nobody has acknowledged it.
type openAlert struct {
	Alert string `dynamodbav:"alert"`
	TTL   int64  `dynamodbav:"ttl"`
}

const (
	alertsPK = "alerts"
	alertFor = 90 * 24 * time.Hour
)

// finding names what an alert is about.
func (a Alert) finding() string { return ident.Hash(a.Check, a.Severity, a.Subject, a.Of) }

func alertKey(id string) dynamo.Key     { return dynamo.Key{PK: alertsPK, SK: id} }
func openKey(finding string) dynamo.Key { return dynamo.Key{PK: "alert#" + finding, SK: "open"} }

// errAlertOpen carries the id of the alert that a finding already has.
type errAlertOpen struct{ id string }

func (*errAlertOpen) Error() string { return "raised before" }

// RaiseAlert stores a finding: a new alert, or one more sighting of the one that is
// open. 1 request, 2 for a sighting.
func (l *Ledger) RaiseAlert(ctx context.Context, a Alert) error { return l.raiseWith(ctx, a) }

// raiseWith raises an alert together with the writes that it tells of.
func (l *Ledger) raiseWith(ctx context.Context, a Alert, ws ...dynamo.Write) error {
	now := l.now()
	a.At, a.LastAt, a.Seen, a.TTL = now, now, 1, now.Add(alertFor).Unix()
	a.ID = dynamo.Stamp(now) + "#" + a.finding()
	open := l.Table.Put(openKey(a.finding()), openAlert{a.ID, a.TTL}).
		If("attribute_not_exists(pk) OR #ttl <= :seconds", dynamo.V{":seconds": now.Unix()}).
		ElseOld(func(old dynamo.Item) error { return &errAlertOpen{old.String("alert")} })
	err := l.Table.DB().Commit(ctx, append(slices.Clone(ws), open, l.Table.Put(alertKey(a.ID), a))...)
	var before *errAlertOpen
	if errors.As(err, &before) {
		err = l.Table.DB().Commit(ctx, append(slices.Clone(ws), l.Table.Update(alertKey(before.id), "SET lastAt = :now, #message = :message ADD seen :one",
			dynamo.V{":now": now, ":message": a.Message, ":one": 1}).If("attribute_exists(pk)", nil))...)
	}
	if err != nil {
		return fmt.Errorf("ledger: alert %s on %s: %w", a.Check, a.Subject, err)
	}
	return nil
}

// Alerts lists alerts, newest first, and where to go on. 1 request.
func (l *Ledger) Alerts(ctx context.Context, limit int, after string) ([]Alert, string, error) {
	page, err := l.Table.Query(ctx, dynamo.Query{
		Where: "pk = :pk", Values: dynamo.V{":pk": alertsPK}, Backward: true, Limit: limit, After: after,
	})
	if err != nil {
		return nil, "", fmt.Errorf("ledger: alerts: %w", err)
	}
	alerts, err := dynamo.Decode[Alert](page.Items)
	if err != nil {
		return nil, "", err
	}
	return alerts, page.Next, nil
}

// Acknowledge closes an alert in somebody's name; if the same is found again, that is a
// new one. 2 requests.
func (l *Ledger) Acknowledge(ctx context.Context, id, by string) error {
	it, err := l.Table.Get(ctx, alertKey(id))
	switch {
	case err != nil:
		return fmt.Errorf("ledger: acknowledge %s: %w", id, err)
	case it == nil:
		return fault.New(fault.NotFound, "not found")
	}
	var a Alert
	if err := it.Decode(&a); err != nil {
		return err
	}
	if a.Acknowledged != "" {
		return nil
	}
	if err := l.Table.DB().Commit(ctx, l.acknowledging(a, by)...); err != nil {
		return fmt.Errorf("ledger: acknowledge %s: %w", id, err)
	}
	return nil
}

// acknowledging closes an alert, as read.
func (l *Ledger) acknowledging(a Alert, by string) []dynamo.Write {
	meanwhile := fault.New(fault.Conflict, "acknowledged meanwhile")
	return []dynamo.Write{
		l.Table.Update(alertKey(a.ID), "SET acknowledgedBy = :by", dynamo.V{":by": by}).
			If("attribute_exists(pk) AND attribute_not_exists(acknowledgedBy)", nil).Else(meanwhile),
		l.Table.Delete(openKey(a.finding())).If("attribute_not_exists(pk) OR alert = :id", dynamo.V{":id": a.ID}).Else(meanwhile),
	}
}
