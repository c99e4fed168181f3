// Package alert keeps what a person must look at. Equal findings that nobody has acknowledged are one alert, with the
// number of times that it was found.
//
//	alerts            {time}#{finding}   an alert
//	alert#{finding}   open               leads to it until somebody has acknowledged it
//
// in table alerts. Raising an alert takes rights on this table and on no other. Alerts of a former
// release stand under the same keys in table ledger ([Store.Former]).
package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
)

// Severity says how bad a finding is.
type Severity string

const (
	Critical Severity = "CRITICAL" // somebody may be promised what is not theirs
	Error    Severity = "ERROR"    // the record is wrong
	Warning  Severity = "WARNING"  // untidy, and mended
)

// Alert is something that an operator must know.
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

// pointer leads from a finding to its alert, while nobody has acknowledged it.
type pointer struct {
	Alert string `dynamodbav:"alert"`
	TTL   int64  `dynamodbav:"ttl"`
}

const (
	listPK  = "alerts"
	keptFor = 90 * 24 * time.Hour
)

// finding names what an alert is about.
func (a Alert) finding() string { return ident.Hash(a.Check, a.Severity, a.Subject, a.Of) }

func alertKey(id string) dynamo.Key     { return dynamo.Key{PK: listPK, SK: id} }
func openKey(finding string) dynamo.Key { return dynamo.Key{PK: "alert#" + finding, SK: "open"} }

// errOpen carries the id of the alert that a finding already has.
type errOpen struct{ id string }

func (*errOpen) Error() string { return "raised before" }

// Store keeps alerts. Safe for concurrent use.
type Store struct {
	Table dynamo.Table // alerts
	Now   func() time.Time

	// Former is the table of earlier alerts. They are listed and acknowledged there until they disappear, 90 days
	// after the last was raised. Zero means no such table.
	Former dynamo.Table
}

// Raise stores a finding: a new alert, or one more sighting of the open one. It commits ws, the writes that the
// finding is about, with the alert. If a condition of ws fails, Raise returns its error. 1 request, 2 for a sighting.
func (s *Store) Raise(ctx context.Context, a Alert, ws ...dynamo.Write) error {
	now := s.Now().UTC().Truncate(time.Millisecond)
	a.At, a.LastAt, a.Seen, a.TTL = now, now, 1, now.Add(keptFor).Unix()
	a.ID = dynamo.Stamp(now) + "#" + a.finding()
	open := s.Table.Put(openKey(a.finding()), pointer{a.ID, a.TTL}).
		If("attribute_not_exists(pk) OR #ttl <= :seconds", dynamo.V{":seconds": now.Unix()}).
		ElseOld(func(old dynamo.Item) error { return &errOpen{old.String("alert")} })
	err := s.Table.DB().Commit(ctx, append(slices.Clone(ws), open, s.Table.Put(alertKey(a.ID), a))...)
	var before *errOpen
	if errors.As(err, &before) {
		err = s.Table.DB().Commit(ctx, append(slices.Clone(ws), s.Table.Update(alertKey(before.id), "SET lastAt = :now, #message = :message ADD seen :one",
			dynamo.V{":now": now, ":message": a.Message, ":one": 1}).If("attribute_exists(pk)", nil))...)
	}
	if err != nil {
		return fmt.Errorf("alert: raise %s on %s: %w", a.Check, a.Subject, err)
	}
	return nil
}

// Open returns the open alert of a finding, if there is one. 2 requests, or 1 if no alert is open.
func (s *Store) Open(ctx context.Context, a Alert) (found Alert, open bool, err error) {
	it, err := s.Table.Get(ctx, openKey(a.finding()))
	if err != nil || it == nil || it.Expired(s.Now()) {
		return Alert{}, false, err
	}
	if it, err = s.Table.Get(ctx, alertKey(it.String("alert"))); err != nil || it == nil {
		return Alert{}, false, err
	}
	err = it.Decode(&found)
	return found, err == nil, err
}

// ofFormer begins the cursors of the former table. Others have no full stop.
const ofFormer = "former."

// List lists alerts, newest first and those of the former table after all others, and where to go
// on. 1 request for each table that it comes to.
func (s *Store) List(ctx context.Context, limit int, after string) ([]Alert, string, error) {
	rest, former := strings.CutPrefix(after, ofFormer)
	if former && s.hasFormer() {
		older, next, err := list(ctx, s.Former, limit, rest)
		return older, inFormer(next), err
	}
	alerts, next, err := list(ctx, s.Table, limit, after)
	switch {
	case err != nil || next != "" || !s.hasFormer():
		return alerts, next, err
	case len(alerts) == limit:
		return alerts, ofFormer, nil
	}
	older, next, err := list(ctx, s.Former, limit-len(alerts), "")
	return append(alerts, older...), inFormer(next), err
}

func (s *Store) hasFormer() bool { return s.Former != dynamo.Table{} }

func inFormer(next string) string {
	if next == "" {
		return ""
	}
	return ofFormer + next
}

func list(ctx context.Context, t dynamo.Table, limit int, after string) ([]Alert, string, error) {
	page, err := t.Query(ctx, dynamo.Query{
		Where: "pk = :pk", Values: dynamo.V{":pk": listPK}, Backward: true, Limit: limit, After: after,
	})
	if err != nil {
		return nil, "", fmt.Errorf("alert: list: %w", err)
	}
	alerts, err := dynamo.Decode[Alert](page.Items)
	if err != nil {
		return nil, "", err
	}
	return alerts, page.Next, nil
}

// Acknowledge closes an alert in somebody's name, where it is kept; if the same is found again, that is a
// new one. 2 requests, 1 more for one of the former table.
func (s *Store) Acknowledge(ctx context.Context, id, by string) error {
	table := s.Table
	it, err := table.Get(ctx, alertKey(id))
	if err == nil && it == nil && s.hasFormer() {
		table = s.Former
		it, err = table.Get(ctx, alertKey(id))
	}
	switch {
	case err != nil:
		return fmt.Errorf("alert: acknowledge %s: %w", id, err)
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
	if err := table.DB().Commit(ctx, acknowledging(table, a, by)...); err != nil {
		return fmt.Errorf("alert: acknowledge %s: %w", id, err)
	}
	return nil
}

// acknowledging closes an alert of a table, as read.
func acknowledging(t dynamo.Table, a Alert, by string) []dynamo.Write {
	meanwhile := fault.New(fault.Conflict, "acknowledged meanwhile")
	return []dynamo.Write{
		t.Update(alertKey(a.ID), "SET acknowledgedBy = :by", dynamo.V{":by": by}).
			If("attribute_exists(pk) AND attribute_not_exists(acknowledgedBy)", nil).Else(meanwhile),
		t.Delete(openKey(a.finding())).If("attribute_not_exists(pk) OR alert = :id", dynamo.V{":id": a.ID}).Else(meanwhile),
	}
}
