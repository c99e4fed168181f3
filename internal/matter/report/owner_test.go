package report_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/report"
)

func exportAll(reflect.Type) bool { return true }

// probes are all ways to reach a report by its id.
func probes(s *report.Store) map[string]func(ctx context.Context, by report.By, id string) error {
	return map[string]func(ctx context.Context, by report.By, id string) error{
		"get": func(ctx context.Context, by report.By, id string) error { _, err := s.Get(ctx, by, id); return err },
		"section": func(ctx context.Context, by report.By, id string) error {
			_, err := s.SetSection(ctx, by, id, "cause", "x")
			return err
		},
		"address": func(ctx context.Context, by report.By, id string) error {
			_, err := s.SetAddress(ctx, by, id, geo.Spot{Address: "x"})
			return err
		},
		"photos": func(ctx context.Context, by report.By, id string) error {
			_, err := s.SetPhotos(ctx, by, id, nil, true)
			return err
		},
		"resolve": func(ctx context.Context, by report.By, id string) error { _, err := s.Resolve(ctx, by, id); return err },
		"delete":  func(ctx context.Context, by report.By, id string) error { return s.Delete(ctx, by, id) },
		"share": func(ctx context.Context, by report.By, id string) error {
			_, err := s.Share(ctx, by, id, time.Hour)
			return err
		},
		"links":  func(ctx context.Context, by report.By, id string) error { _, err := s.Links(ctx, by, id); return err },
		"revoke": func(ctx context.Context, by report.By, id string) error { return s.Revoke(ctx, by, id, "") },
		"events": func(ctx context.Context, by report.By, id string) error { _, err := s.Events(ctx, by, id); return err },
	}
}

// A foreign report is one that does not exist, in the answer and in what it costs; an id
// that can be none is not even looked up.
func TestForeignReportsDoNotExist(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.in(report.Completed)
	if _, err := c.Share(ctx, c.by(), r.ID, time.Hour); err != nil {
		t.Fatal(err)
	}
	before := c.all(r.ID)
	stranger, plain := someone(), actor.Actor{Kind: actor.User, ID: dynamotest.ID("u"), Groups: []string{"admin"}}
	other := newCorner(t)
	nobodys := other.start("a").ID
	if err := other.Delete(ctx, other.by(), nobodys); err != nil {
		t.Fatal(err)
	}
	for name, probe := range probes(c.Store) {
		for _, by := range []report.By{{Actor: stranger}, {Actor: plain}, {}, {Actor: c.owner, Market: other.market}} {
			cost := map[string]int{}
			for _, id := range []string{r.ID, nobodys, "rp_", "rp_x", r.ID + "x", strings.ToUpper(r.ID), "", strings.Repeat("x", 3000), r.ID + "#", "report#" + r.ID} {
				ctx, meter := telemetry.WithMeter(ctx)
				by.Key = "k"
				if err := probe(ctx, by, id); !errors.Is(err, actor.ErrNotFound) {
					t.Errorf("%s of %.20q by %s in %q: %v", name, id, by.Actor.Kind, by.Market, err)
				}
				cost[id] = meter.Cost().Requests
			}
			if cost[r.ID] != cost[nobodys] || cost[""] > 1 || cost["rp_x"] > 1 && name != "share" {
				t.Errorf("%s by %s in %q: requests %v", name, by.Actor.Kind, by.Market, cost)
			}
		}
	}
	if diff := cmp.Diff(before, c.all(r.ID), cmp.Exporter(exportAll)); diff != "" {
		t.Errorf("a probe has changed something:\n%s", diff)
	}
}

// Staff see everybody's reports, resolve them and withdraw links, and change nothing else.
func TestStaff(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	for name, may := range map[string]bool{
		"get": true, "links": true, "revoke": true, "events": true, "resolve": true,
		"section": false, "address": false, "photos": false, "delete": false, "share": false,
	} {
		r := c.in(report.Completed)
		err := probes(c.Store)[name](ctx, report.By{Actor: staff(), Key: "k" + name}, r.ID)
		if may && err != nil || !may && !errors.Is(err, actor.ErrNotFound) {
			t.Errorf("%s by staff: %v", name, err)
		}
	}
	s, r := staff(), c.in(report.Completed)
	r = c.must(c.Resolve(ctx, report.By{Actor: s, Key: "k"}, r.ID))
	events, err := c.Events(ctx, report.By{Actor: s}, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	told := events[len(events)-1]
	if told.Type != report.ResolvedEvent || !told.Staff || told.Actor != s.Key() || told.Owner != c.owner.Key() || told.Thread != c.thread() || told.Market != c.market {
		t.Errorf("%+v", told)
	}
	for _, it := range c.all(r.ID) {
		e, ok, err := report.Events.Read(it)
		if is := strings.HasPrefix(it.Key().SK, "event#"); err != nil || ok != is || ok && e.Type == "" {
			t.Errorf("%v is an event: %v, %+v, %v", it.Key(), ok, e, err)
		}
	}
}

// Lists are for staff, by status, the latest first, in pages.
func TestList(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	var want []string
	for range 5 {
		c.clock.Add(time.Second)
		want = append([]string{c.in(report.Completed).ID}, want...)
	}
	c.clock.Add(time.Second)
	c.must(c.SetSection(ctx, c.by(), want[3], "cause", "x")) // moves nothing
	resolved := c.in(report.Resolved)
	var got []string
	after, pages := "", 0
	for {
		page, next, err := c.List(ctx, staff(), c.market, report.Completed, 2, after)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page {
			got = append(got, r.ID)
		}
		pages++
		if after = next; next == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || pages < 3 {
		t.Errorf("%d pages (-want +got):\n%s", pages, diff)
	}
	for status, n := range map[report.Status]int{report.Pending: 0, report.Completed: 5, report.Resolved: 1} {
		page, _, err := c.List(ctx, staff(), c.market, status, 50, "")
		if err != nil || len(page) != n {
			t.Errorf("%s: %d, %v", status, len(page), err)
		}
	}
	if page, _, err := c.List(ctx, staff(), c.market, report.Resolved, 50, ""); err != nil || len(page) != 1 || !cmp.Equal(page[0], c.get(resolved.ID)) {
		t.Errorf("%+v, %v", page, err)
	}
	if page, _, err := c.List(ctx, staff(), dynamotest.ID("m"), report.Completed, 50, ""); err != nil || len(page) != 0 {
		t.Errorf("of another market: %v, %v", page, err)
	}
	if _, _, err := c.List(ctx, c.owner, c.market, report.Completed, 50, ""); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("to a customer: %v", err)
	}
	for field, list := range map[string]func() error{
		"status": func() error { _, _, err := c.List(ctx, staff(), c.market, "open", 50, ""); return err },
		"limit":  func() error { _, _, err := c.List(ctx, staff(), c.market, report.Pending, 51, ""); return err },
		"after":  func() error { _, _, err := c.List(ctx, staff(), c.market, report.Pending, 50, "x"); return err },
	} {
		if _, got := fault.Public(list()); got != field {
			t.Errorf("bad %s: %s", field, got)
		}
	}
}

// Somebody who owns by several keys reaches the reports of all of them.
func TestSeveralOwners(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.start("a")
	c.clock.Add(time.Second)
	second := newCorner(t)
	second.clock, second.market = c.clock, c.market
	second.Store = second.over(nil, 4)
	own := second.start("b")
	owners := []string{second.owner.Key(), c.owner.Key(), second.owner.Key()}
	by := report.By{Actor: second.owner, Owners: owners, Key: "k"}
	got := c.must(c.SetPhotos(ctx, by, r.ID, crack, false))
	if got.Status != report.Completed || got.Owner != c.owner.Key() {
		t.Errorf("%+v", got)
	}
	c.must(c.SetPhotos(ctx, by, own.ID, crack, false))
	linked := second.owner
	linked.Also = []string{c.owner.Key()}
	c.must(c.SetSection(ctx, report.By{Actor: linked, Key: "l"}, r.ID, "cause", "x"))
	c.must(c.SetSection(ctx, report.By{Actor: linked, Key: "l"}, own.ID, "cause", "x"))
	briefs, err := c.Profile(ctx, c.market, owners)
	if err != nil || len(briefs) != 2 || briefs[0].ID != own.ID || briefs[1].ID != r.ID {
		t.Errorf("%+v, %v", briefs, err)
	}
	for _, bad := range [][]string{nil, make([]string, 21)} {
		if _, err := c.Profile(ctx, c.market, bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d owners: %v", len(bad), err)
		}
	}
	if briefs, err := c.Profile(ctx, c.market, []string{someone().Key()}); err != nil || len(briefs) != 0 {
		t.Errorf("of nobody: %v, %v", briefs, err)
	}
}

// A profile lists the reports of its market and of no other, those too that an earlier version has
// listed without it.
func TestProfileOfAMarket(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	there := newCorner(t)
	there.owner, there.keys = c.owner, 100 // a key is of one market
	old, elsewhere := c.start("a"), there.start("b")
	for _, r := range []report.Report{old, elsewhere} {
		brief := map[string]any{"status": r.Status, "address": r.Address, "createdAt": r.CreatedAt}
		w := c.Table.Update(dynamo.Key{PK: "reports#" + r.Owner, SK: "briefs"}, "SET #"+r.ID+" = :brief", dynamo.V{":brief": brief})
		if err := c.Table.DB().Commit(ctx, w); err != nil {
			t.Fatal(err)
		}
	}
	c.clock.Add(time.Second)
	there.start("c")
	recent := c.start("d")
	ctx, meter := telemetry.WithMeter(ctx)
	briefs, err := c.Profile(ctx, c.market, []string{c.owner.Key()})
	if err != nil || len(briefs) != 2 || briefs[0].ID != recent.ID || briefs[1].ID != old.ID || briefs[1].Address != "a" || meter.Cost().Requests != 2 {
		t.Errorf("%+v by %d requests, %v", briefs, meter.Cost().Requests, err)
	}
}
