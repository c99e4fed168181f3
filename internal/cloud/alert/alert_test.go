package alert

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// desk is a store with a table of its own.
type desk struct {
	*Store
	t     *testing.T
	now   time.Time
	table string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, now: time.Date(2030, 6, 3, 12, 0, 0, 0, time.UTC), table: dynamotest.OwnTable(t, "alerts")}
	d.Store = d.on(dynamotest.Open(t))
	return d
}

func (d *desk) on(db *dynamo.DB) *Store {
	return &Store{Table: db.Table(d.table), Now: func() time.Time { return d.now }}
}

var look = Alert{Check: "test", Severity: Error, Subject: "tx", Message: "look"}

func (d *desk) raise() Alert {
	d.t.Helper()
	if err := d.Raise(d.t.Context(), look); err != nil {
		d.t.Fatal(err)
	}
	return d.all()[0]
}

func (d *desk) all() []Alert {
	d.t.Helper()
	var all []Alert
	for after := ""; ; {
		some, next, err := d.List(d.t.Context(), 2, after)
		if err != nil {
			d.t.Fatal(err)
		}
		all = append(all, some...)
		if after = next; after == "" {
			return all
		}
	}
}

// The name of a finding leads to its open alert, for as long as that is kept.
func TestFindingsKeepTheirNames(t *testing.T) {
	t.Parallel()
	for a, want := range map[Alert]string{
		look: "3560509fa055e670738df7b07637abe4", {Check: "payment", Severity: Critical, Subject: "tx_1", Of: "refund"}: "9dda97f1b2de1d94ced365260efee73c",
	} {
		if got := a.finding(); got != want {
			t.Errorf("%+v is named %s, want %s", a, got, want)
		}
	}
}

// An alert is closed once, and closing an old one does not open the way for doubles of the
// one that has come since.
func TestAnAlertIsClosedByOne(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), context.Background()
	first := d.raise()
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			if err := d.Acknowledge(ctx, first.ID, fmt.Sprint("op", n)); err != nil && !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	by := d.all()[0].Acknowledged
	if err := d.Table.DB().Commit(ctx, acknowledging(d.Table, first, "late")...); !fault.Is(err, fault.Conflict) {
		t.Errorf("closed twice: %v", err)
	}
	gone := first
	gone.ID = "2030-01-01T00:00:00.000Z#gone"
	if err := d.Table.DB().Commit(ctx, acknowledging(d.Table, gone, "late")[0]); !fault.Is(err, fault.Conflict) {
		t.Errorf("closed what is not there any more: %v", err)
	}
	if now := d.all()[0]; now.Acknowledged != by {
		t.Errorf("closed by %s, and then by %s", by, now.Acknowledged)
	}
	d.now = d.now.Add(time.Minute)
	second := d.raise()
	if err := d.Table.DB().Commit(ctx, d.Table.Update(alertKey(first.ID), "REMOVE acknowledgedBy", nil)); err != nil {
		t.Fatal(err)
	}
	if err := d.Acknowledge(ctx, first.ID, "op"); err == nil {
		t.Error("an alert was closed whose finding belongs to a newer one")
	}
	if d.raise(); len(d.all()) != 2 || d.all()[0].ID != second.ID {
		t.Errorf("%+v", d.all())
	}
	d.now = d.now.Add(keptFor)
	if third := d.raise(); third.ID == second.ID || len(d.all()) != 3 {
		t.Errorf("a finding that nobody has closed is forgotten with its alert: %+v", third)
	}
	if err := d.Table.DB().Commit(ctx, d.Table.Delete(alertKey(d.all()[0].ID))); err != nil {
		t.Fatal(err)
	}
	if err := d.Raise(ctx, look); err == nil {
		t.Error("a sighting made an alert of nothing")
	}
	if err := d.Acknowledge(ctx, "missing", "op"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an alert that does not exist: %v", err)
	}
}

// A finding that nobody has closed is one alert, and is not told again.
func TestAnAlertOutlastsItsSightings(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for range 3 {
		d.raise()
		d.now = d.now.Add(29 * 24 * time.Hour)
	}
	if got := d.all(); len(got) != 1 || got[0].Seen != 3 || !got[0].LastAt.After(got[0].At) {
		t.Errorf("%+v", got)
	}
}

// What an alert tells of happens with it, or neither does; a sighting's too.
func TestWhatAnAlertTellsOf(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), context.Background()
	key, taken := dynamo.Key{PK: "test#mended", SK: "1"}, errors.New("taken")
	mend := d.Table.Put(key, struct{}{}).IfAbsent().Else(taken)
	for range 2 {
		if err := d.Raise(ctx, look, mend); err != nil {
			t.Fatal(err)
		}
		if err := d.Raise(ctx, look, mend); !errors.Is(err, taken) {
			t.Errorf("told of what did not happen: %v", err)
		}
		if err := d.Table.DB().Commit(ctx, d.Table.Delete(key)); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.all(); len(got) != 1 || got[0].Seen != 2 {
		t.Errorf("%+v", got)
	}
}

// Every fault at every call of raising an alert and of closing one: there is one, and it is closed.
func TestEveryFaultOfAnAlert(t *testing.T) {
	type state struct{ Alerts, Open int }
	outage := func(t *testing.T, calls *faulttest.Calls) state {
		d, ctx := newDesk(t), context.Background()
		s := d.on(dynamotest.Once(t, calls))
		calls.Deliver(t, nil, func() error { return s.Raise(ctx, look) })
		id := d.all()[0].ID
		calls.Deliver(t, nil, func() error { return s.Acknowledge(ctx, id, "op") })
		found := state{}
		for _, a := range d.all() {
			found.Alerts++
			if a.Acknowledged == "" {
				found.Open++
			}
		}
		return found
	}
	faulttest.Everywhere(t, nil, outage)
}

// Alerts that a former release has raised are listed after all others, page by page, and closed
// where they are.
func TestAlertsOfAFormerRelease(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), context.Background()
	before := &Store{Table: d.Table.DB().Table(dynamotest.OwnTable(t, "ledger")), Now: d.Now}
	raise := func(s *Store, subject string) {
		t.Helper()
		if err := s.Raise(ctx, Alert{Check: "test", Severity: Error, Subject: subject, Message: "look"}); err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(time.Minute)
	}
	for _, subject := range []string{"o1", "o2", "o3"} {
		raise(before, subject)
	}
	subjects := func(page int) (all []string) {
		t.Helper()
		for after, pages := "", 0; pages == 0 || after != ""; pages++ {
			some, next, err := d.List(ctx, page, after)
			if err != nil || len(some) > page || pages > 9 {
				t.Fatalf("%d in page %d, %v", len(some), pages, err)
			}
			for _, a := range some {
				all = append(all, a.Subject)
			}
			after = next
		}
		return all
	}
	if got := subjects(2); got != nil {
		t.Errorf("without a former table %v", got)
	}
	if _, _, err := d.List(ctx, 2, ofFormer); !fault.Is(err, fault.Invalid) {
		t.Errorf("a cursor of none: %v", err)
	}
	d.Former = before.Table
	if got := fmt.Sprint(subjects(2)); got != "[o3 o2 o1]" {
		t.Errorf("only former ones: %s", got)
	}
	raise(d.Store, "n1")
	raise(d.Store, "n2")
	for page := 1; page <= 6; page++ {
		if got := fmt.Sprint(subjects(page)); got != "[n2 n1 o3 o2 o1]" {
			t.Errorf("by %d: %s", page, got)
		}
	}
	old, _, err := before.List(ctx, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := d.Acknowledge(ctx, old[0].ID, "op"); err != nil {
			t.Error(err)
		}
	}
	if old, _, err = before.List(ctx, 1, ""); err != nil || old[0].Acknowledged != "op" {
		t.Errorf("%+v, %v", old, err)
	}
	if err := d.Acknowledge(ctx, "missing", "op"); !fault.Is(err, fault.NotFound) {
		t.Errorf("in neither table: %v", err)
	}
}
