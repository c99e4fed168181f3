package report_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/report"
)

// operations are all changes, and what a repeat with other arguments asks for.
func operations(c *corner) map[string]struct {
	do, other func(s *report.Store, by report.By, id string) error
} {
	ctx := context.Background()
	type op = func(s *report.Store, by report.By, id string) error
	section := func(name report.Section, content string) op {
		return func(s *report.Store, by report.By, id string) error {
			_, err := s.SetSection(ctx, by, id, name, content)
			return err
		}
	}
	address := func(a string) op {
		return func(s *report.Store, by report.By, id string) error {
			_, err := s.SetAddress(ctx, by, id, geo.Spot{Address: a})
			return err
		}
	}
	photos := func(ps []report.Photo) op {
		return func(s *report.Store, by report.By, id string) error {
			_, err := s.SetPhotos(ctx, by, id, ps, ps == nil)
			return err
		}
	}
	start := func(a string) op {
		return func(s *report.Store, by report.By, _ string) error {
			_, err := s.Start(ctx, by, c.draft(a))
			return err
		}
	}
	share := func(ttl time.Duration) op {
		return func(s *report.Store, by report.By, id string) error { _, err := s.Share(ctx, by, id, ttl); return err }
	}
	return map[string]struct{ do, other op }{
		"start":   {start("a"), start("b")},
		"section": {section("cause", "x"), section("cause", "y")},
		"heading": {section("cause", "x"), section("other", "x")},
		"address": {address("x"), address("y")},
		"photos":  {photos(crack), photos(nil)},
		"share":   {share(time.Hour), share(2 * time.Hour)},
		"resolve": {func(s *report.Store, by report.By, id string) error { _, err := s.Resolve(ctx, by, id); return err }, nil},
		"revoke": {func(s *report.Store, by report.By, id string) error { return s.Revoke(ctx, by, id, "") },
			func(s *report.Store, by report.By, id string) error { return s.Revoke(ctx, by, id, "x") }},
		"delete": {func(s *report.Store, by report.By, id string) error { return s.Delete(ctx, by, id) }, nil},
	}
}

// The same key again does nothing more: at the same time, between the read and the write of
// the first, and later, always from another process. With other arguments it is refused.
func TestOncePerKey(t *testing.T) {
	t.Parallel()
	for name := range operations(newCorner(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once := func(repeats func(c *corner, do func(s *report.Store))) []string {
				c := newCorner(t)
				c.market = "once" // part of what a key stands for
				r := c.in(report.Completed)
				c.share(r.ID, time.Hour)
				op, by := operations(c)[name], report.By{Actor: c.owner, Key: "the key"}
				do := func(s *report.Store) {
					if err := op.do(s, by, r.ID); err != nil {
						t.Error(err)
					}
				}
				repeats(c, do)
				if op.other != nil {
					if err := op.other(c.Store, by, r.ID); !errors.Is(err, report.ErrKeyReused) {
						t.Errorf("with other arguments: %v", err)
					}
				}
				return c.told(r.ID)
			}
			want := once(func(c *corner, do func(*report.Store)) { do(c.Store) })
			for when, repeats := range map[string]func(c *corner, do func(*report.Store)){
				"later": func(c *corner, do func(*report.Store)) {
					do(c.Store)
					c.clock.Add(time.Minute)
					do(c.over(nil, 4))
				},
				"between": func(c *corner, do func(*report.Store)) {
					do(c.over(dynamotest.Before("TransactWriteItems", func() { do(c.Store) }), 4))
				},
				"at once": func(c *corner, do func(*report.Store)) {
					var all sync.WaitGroup
					for range 3 {
						s := c.over(nil, 4)
						all.Go(func() { do(s) })
					}
					all.Wait()
				},
			} {
				if diff := cmp.Diff(want, once(repeats)); diff != "" {
					t.Errorf("%s (-once +repeated):\n%s", when, diff)
				}
			}
		})
	}
}

// What was made with a key stays deleted when the key comes again.
func TestNothingComesBack(t *testing.T) {
	t.Parallel()
	for name := range operations(newCorner(t)) {
		if name == "delete" || name == "revoke" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			by := report.By{Actor: c.owner, Key: "the key"}
			r := c.must(c.Start(context.Background(), by, c.draft("a")))
			c.must(c.SetPhotos(context.Background(), c.by(), r.ID, crack, false))
			op := operations(c)[name]
			if err := op.do(c.Store, by, r.ID); err != nil {
				t.Fatal(err)
			}
			if err := c.Delete(context.Background(), c.by(), r.ID); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"the key", "another"} {
				err := op.do(c.Store, report.By{Actor: c.owner, Key: key}, r.ID)
				if made := name == "start" && key == "another"; made != (err == nil) || err != nil && !errors.Is(err, actor.ErrNotFound) {
					t.Errorf("%s: %v", key, err)
				}
			}
			if _, err := c.Get(context.Background(), by, r.ID); !errors.Is(err, actor.ErrNotFound) {
				t.Errorf("it is back: %v", err)
			}
		})
	}
}

// A deletion leaves the facts, with nothing that was told.
func TestDeletionLeavesTheFacts(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.in(report.Completed)
	c.must(c.SetSection(ctx, c.by(), r.ID, "cause", "a secret cause"))
	c.must(c.Resolve(ctx, c.by(), r.ID))
	if err := c.Delete(ctx, c.by(), r.ID); err != nil {
		t.Fatal(err)
	}
	deleted := 0
	for _, it := range c.all(r.ID) {
		text := fmt.Sprintf("%#v", it)
		for name, v := range it {
			text += fmt.Sprintf("%s %#v", name, v)
		}
		for _, told := range []string{"Harbour", "secret cause", "photo:1", "the crack"} {
			if strings.Contains(text, told) {
				t.Errorf("%v still has %q", it.Key(), told)
			}
		}
		if it.String("type") == string(report.DeletedEvent) {
			deleted++
		}
	}
	briefs, err := c.Profile(ctx, c.market, []string{c.owner.Key()})
	listed, _, err2 := c.List(ctx, staff(), c.market, report.Resolved, 50, "")
	if deleted != 1 || len(briefs)+len(listed) != 0 || err != nil || err2 != nil {
		t.Errorf("%d facts, profile %v, list %v, %v, %v", deleted, briefs, listed, err, err2)
	}
}

// Sections, address and photos that are changed at once by different processes all stay, and
// the report is completed once.
func TestManyEditorsAtOnce(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.start("")
	var all sync.WaitGroup
	do := func(f func(s *report.Store, by report.By) error) {
		s, by := c.over(nil, 4), c.by()
		all.Go(func() {
			if err := f(s, by); err != nil {
				t.Error(err)
			}
		})
	}
	for i, name := range report.Sections() {
		do(func(s *report.Store, by report.By) error {
			_, err := s.SetSection(ctx, by, r.ID, name, fmt.Sprint("content ", i))
			return err
		})
	}
	for i := range 2 {
		do(func(s *report.Store, by report.By) error {
			_, err := s.SetAddress(ctx, by, r.ID, geo.Spot{Address: fmt.Sprint("address ", i)})
			return err
		})
		do(func(s *report.Store, by report.By) error {
			_, err := s.SetPhotos(ctx, by, r.ID, crack[i:], false)
			return err
		})
	}
	all.Wait()
	got := c.get(r.ID)
	want := map[report.Section]string{}
	for i, name := range report.Sections() {
		want[name] = fmt.Sprint("content ", i)
	}
	if diff := cmp.Diff(want, got.Sections); diff != "" || got.Status != report.Completed || got.Version != 1+len(want)+4 || got.Address == "" || len(got.Photos) == 0 {
		t.Errorf("%+v\n%s", got, diff)
	}
	events, err := c.Events(ctx, report.By{Actor: c.owner}, r.ID)
	completed := 0
	for _, e := range events {
		if e.Type == report.CompletedEvent {
			completed++
		}
	}
	if err != nil || completed != 1 || len(events) != 1+len(want)+4+1 {
		t.Errorf("%d events, %d times completed, %v", len(events), completed, err)
	}
}

// Another section that is changed meanwhile makes nobody look again.
func TestSectionsKeepOutOfEachOthersWay(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.start("")
	late := c.over(dynamotest.Before("TransactWriteItems", func() { c.must(c.SetSection(ctx, c.by(), r.ID, "cause", "a storm")) }), 4)
	metered, meter := telemetry.WithMeter(ctx)
	c.must(late.SetSection(metered, c.by(), r.ID, "other", "x"))
	if n := meter.Cost().Requests; n != 2 {
		t.Errorf("%d requests", n)
	}
	if diff := cmp.Diff(map[report.Section]string{"cause": "a storm", "other": "x"}, c.get(r.ID).Sections); diff != "" {
		t.Error(diff)
	}
}

// A change that is seen in the report before its event is seen is not refused for its own work.
func TestAReportIsReadAheadOfItsEvent(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r, by := c.in(report.Completed), c.by()
	c.must(c.Resolve(ctx, by, r.ID))
	var first sync.Once
	ahead := dynamotest.Look{See: func(op string, body []byte) ([]byte, error) {
		if op == "BatchGetItem" {
			first.Do(func() { body = bytes.ReplaceAll(body, []byte("event#"), []byte("later#")) })
		}
		return body, nil
	}}
	if got := c.must(c.over(ahead, 4).Resolve(ctx, by, r.ID)); got.Status != report.Resolved {
		t.Errorf("%s", got.Status)
	}
}

// What others do between the read and the write of a change.
func TestBetweenReadAndWrite(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	section := func(s *report.Store, by report.By, id string) error {
		_, err := s.SetSection(ctx, by, id, "cause", "x")
		return err
	}
	photos := func(s *report.Store, by report.By, id string) error {
		_, err := s.SetPhotos(ctx, by, id, nil, false)
		return err
	}
	address := func(s *report.Store, by report.By, id string) error {
		_, err := s.SetAddress(ctx, by, id, geo.Spot{Address: "b"})
		return err
	}
	resolve := func(s *report.Store, by report.By, id string) error { _, err := s.Resolve(ctx, by, id); return err }
	remove := func(s *report.Store, by report.By, id string) error { return s.Delete(ctx, by, id) }
	share := func(s *report.Store, by report.By, id string) error {
		_, err := s.Share(ctx, by, id, time.Hour)
		return err
	}
	revoke := func(s *report.Store, by report.By, id string) error { return s.Revoke(ctx, by, id, "") }
	for name, tt := range map[string]struct {
		first, between func(s *report.Store, by report.By, id string) error
		want           error
		status         report.Status // "" is gone
	}{
		"section, deleted":   {section, remove, actor.ErrNotFound, ""},
		"section, resolved":  {section, resolve, report.ErrResolved, report.Resolved},
		"section, section":   {section, section, nil, report.Completed},
		"address, deleted":   {address, remove, actor.ErrNotFound, ""},
		"address, resolved":  {address, resolve, report.ErrResolved, report.Resolved},
		"photos, resolved":   {photos, resolve, report.ErrIncomplete, report.Resolved}, // refused before it is written
		"resolve, deleted":   {resolve, remove, actor.ErrNotFound, ""},
		"resolve, resolved":  {resolve, resolve, report.ErrResolved, report.Resolved},
		"resolve, section":   {resolve, section, nil, report.Resolved},
		"delete, section":    {remove, section, nil, ""},
		"delete, deleted":    {remove, remove, actor.ErrNotFound, ""},
		"share, deleted":     {share, remove, actor.ErrNotFound, ""},
		"share, resolved":    {share, resolve, nil, report.Resolved},
		"revoke, a new link": {revoke, share, nil, report.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			r := c.in(report.Completed)
			late := c.over(dynamotest.Before("TransactWriteItems", func() {
				if err := tt.between(c.Store, c.by(), r.ID); err != nil {
					t.Errorf("between: %v", err)
				}
			}), 4)
			err := tt.first(late, c.by(), r.ID)
			if tt.want == nil && err != nil || !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if name == "photos, resolved" { // nothing was written, so nobody came between
				return
			}
			got, err := c.Get(ctx, report.By{Actor: c.owner}, r.ID)
			if got.Status != tt.status || (tt.status == "") != errors.Is(err, actor.ErrNotFound) {
				t.Errorf("%+v, %v", got, err)
			}
			if tt.status == "" {
				for _, it := range c.all(r.ID) {
					if sk := it.Key().SK; strings.HasPrefix(sk, "report#") || sk == "owner" {
						t.Errorf("%s is left", sk)
					}
				}
				return
			}
			links, err := c.Links(ctx, report.By{Actor: c.owner}, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range links {
				if name == "revoke, a new link" && l.RevokedAt.IsZero() {
					t.Error("a link made in between is still good")
				}
			}
		})
	}
}

// A completion that meets another one: the report has both, and is completed once.
func TestTwoCompletionsMeet(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.start("")
	late := c.over(dynamotest.Before("TransactWriteItems", func() {
		c.must(c.SetPhotos(ctx, c.by(), r.ID, crack, false))
	}), 4)
	got := c.must(late.SetAddress(ctx, c.by(), r.ID, geo.Spot{Address: "a"}))
	if got.Status != report.Completed || len(got.Photos) != 2 || got.Version != 3 {
		t.Errorf("%+v", got)
	}
}

// A change that never gets through ends, and a wait ends with its caller.
func TestChangesAreTriedABoundedNumberOfTimes(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.start("a")
	tries := 0
	busy := c.over(dynamotest.Look{See: func(op string, body []byte) ([]byte, error) {
		if op == "TransactWriteItems" { // each finds another version
			tries++
			c.must(c.SetSection(ctx, c.by(), r.ID, "cause", fmt.Sprint(tries)))
		}
		return body, nil
	}}, 4)
	if _, err := busy.SetAddress(ctx, c.by(), r.ID, geo.Spot{Address: "b"}); err == nil || tries != 12 {
		t.Errorf("%d tries, %v", tries, err)
	}
	gone, cancel := context.WithCancel(ctx)
	busy.Table.DB().Backoff = func(int) time.Duration { cancel(); return time.Hour }
	if _, err := busy.SetAddress(gone, c.by(), r.ID, geo.Spot{Address: "b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// What operations cost: requests, and units written.
func TestCost(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	by := func(key string) report.By { return report.By{Actor: c.owner, Key: key} }
	var r report.Report
	var l report.Shared
	boss := staff()
	warm := c.start("a")
	if _, err := c.Share(ctx, c.by(), warm.ID, time.Hour); err != nil { // has the secret read
		t.Fatal(err)
	}
	for _, s := range []struct {
		name     string
		requests int
		run      func(ctx context.Context) error
	}{
		{"start", 1, func(ctx context.Context) (err error) { r, err = c.Start(ctx, by("s"), c.draft("")); return }},
		{"start again", 2, func(ctx context.Context) error { _, err := c.Start(ctx, by("s"), c.draft("")); return err }},
		{"section", 2, func(ctx context.Context) error { _, err := c.SetSection(ctx, by("c"), r.ID, "cause", "x"); return err }},
		{"section again", 1, func(ctx context.Context) error { _, err := c.SetSection(ctx, by("c"), r.ID, "cause", "x"); return err }},
		{"address", 2, func(ctx context.Context) error {
			_, err := c.SetAddress(ctx, by("a"), r.ID, geo.Spot{Address: "a"})
			return err
		}},
		{"photos that complete", 2, func(ctx context.Context) error { _, err := c.SetPhotos(ctx, by("p"), r.ID, crack, false); return err }},
		{"share", 2, func(ctx context.Context) (err error) { l, err = c.Share(ctx, by("l"), r.ID, time.Hour); return }},
		{"share again", 2, func(ctx context.Context) error { _, err := c.Share(ctx, by("l"), r.ID, time.Hour); return err }},
		{"open", 3, func(ctx context.Context) error { _, _, err := c.Open(ctx, r.ID, token(l)); return err }},
		{"open again", 3, func(ctx context.Context) error { _, _, err := c.Open(ctx, r.ID, token(l)); return err }},
		{"links", 2, func(ctx context.Context) error { _, err := c.Links(ctx, by(""), r.ID); return err }},
		{"revoke", 3, func(ctx context.Context) error { return c.Revoke(ctx, by("r"), r.ID, "") }},
		{"get", 1, func(ctx context.Context) error { _, err := c.Get(ctx, by(""), r.ID); return err }},
		{"get by staff", 2, func(ctx context.Context) error { _, err := c.Get(ctx, report.By{Actor: boss}, r.ID); return err }},
		{"get by staff of none", 1, func(ctx context.Context) error {
			if _, err := c.Get(ctx, report.By{Actor: boss}, "rp_aaaaaaaaaaaaaaaa"); !errors.Is(err, actor.ErrNotFound) {
				return fmt.Errorf("found: %w", err)
			}
			return nil
		}},
		{"profile", 1, func(ctx context.Context) error {
			_, err := c.Profile(ctx, c.market, []string{c.owner.Key(), someone().Key()})
			return err
		}},
		{"all", 1, func(ctx context.Context) error { _, err := c.Store.All(ctx, c.market, c.owner.Key()); return err }},
		{"events", 2, func(ctx context.Context) error { _, err := c.Events(ctx, by(""), r.ID); return err }},
		{"list", 2, func(ctx context.Context) error {
			_, _, err := c.List(ctx, boss, c.market, report.Completed, 50, "")
			return err
		}},
		{"resolve by staff", 3, func(ctx context.Context) error {
			_, err := c.Resolve(ctx, report.By{Actor: boss, Key: "k"}, r.ID)
			return err
		}},
		{"section refused", 2, func(ctx context.Context) error {
			if _, err := c.SetSection(ctx, by("late"), r.ID, "cause", "x"); !errors.Is(err, report.ErrResolved) {
				return fmt.Errorf("not refused: %w", err)
			}
			return nil
		}},
		{"delete", 2, func(ctx context.Context) error { return c.Delete(ctx, by("d"), r.ID) }},
		{"delete again", 1, func(ctx context.Context) error { return c.Delete(ctx, by("d"), r.ID) }},
	} {
		ctx, meter := telemetry.WithMeter(ctx)
		if err := s.run(ctx); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		cost := meter.Cost()
		if cost.Requests != s.requests {
			t.Errorf("%s: %d requests, want %d", s.name, cost.Requests, s.requests)
		}
		t.Logf("%-20s %d requests, %+v", s.name, cost.Requests, cost)
	}
}
