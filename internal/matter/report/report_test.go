package report_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/report"
	"merve/internal/spine/thread"
)

var noon = time.Date(2030, 6, 3, 12, 0, 0, 0, time.UTC)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// corner is a customer of whom nobody else knows.
type corner struct {
	t testing.TB
	*report.Store
	clock  *clock
	market string
	owner  actor.Actor

	mu   sync.Mutex
	keys int
}

func newCorner(t testing.TB) *corner {
	t.Helper()
	c := &corner{t: t, clock: &clock{now: noon}, market: dynamotest.ID("m"), owner: someone()}
	c.Store = c.over(nil, 4)
	return c
}

func someone() actor.Actor {
	return actor.Actor{Kind: actor.Person, ID: "messenger:" + dynamotest.ID("p")}
}

func staff() actor.Actor {
	return actor.Actor{Kind: actor.Staff, ID: dynamotest.ID("s"), Groups: []string{"admin"}}
}

// over is a store of another process, behind a transport, through an SDK that tries so often.
func (c *corner) over(transport http.RoundTripper, attempts int) *report.Store {
	db := dynamo.Open(dynamotest.Config(c.t), func(o *dynamodb.Options) {
		o.RetryMaxAttempts = attempts
		if transport != nil {
			o.HTTPClient = &http.Client{Transport: transport}
		}
	})
	db.Backoff = func(int) time.Duration { return time.Millisecond }
	return &report.Store{
		Table: db.Table(dynamotest.TableName("records")), Secrets: db.Table(dynamotest.TableName("conversations")),
		Now: c.clock.Now, Random: rand.Reader, PublicURL: "https://merve.test/",
		Rows: &thread.Rows{Table: db.Table(dynamotest.TableName("conversations"))},
	}
}

// by is the owner with a key of its own.
func (c *corner) by() report.By {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys++
	return report.By{Actor: c.owner, Key: fmt.Sprint("key", c.keys)}
}

func (c *corner) draft(address string) report.Draft {
	return report.Draft{Market: c.market, Thread: c.thread(), Spot: geo.Spot{Address: address}}
}

func (c *corner) thread() string { return "th_" + c.owner.ID }

func (c *corner) start(address string) report.Report {
	c.t.Helper()
	return c.must(c.Start(context.Background(), c.by(), c.draft(address)))
}

func (c *corner) must(r report.Report, err error) report.Report {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

var crack = []report.Photo{{Ref: "photo:1", Caption: "the crack"}, {Ref: "photo:2"}}

// in makes a report with a status.
func (c *corner) in(s report.Status) report.Report {
	c.t.Helper()
	ctx := context.Background()
	r := c.start("Harbour Street 21, Kyrenia")
	if s != report.Pending {
		r = c.must(c.SetPhotos(ctx, c.by(), r.ID, crack, false))
	}
	if s == report.Resolved {
		r = c.must(c.Resolve(ctx, c.by(), r.ID))
	}
	if r.Status != s {
		c.t.Fatalf("%s, want %s", r.Status, s)
	}
	return r
}

func (c *corner) get(id string) report.Report {
	c.t.Helper()
	return c.must(c.Get(context.Background(), report.By{Actor: c.owner}, id))
}

// all tells every item of the owner and of the reports, for comparing.
func (c *corner) all(ids ...string) []dynamo.Item {
	c.t.Helper()
	var items []dynamo.Item
	pks := []string{"reports#" + c.owner.Key()}
	for _, id := range ids {
		pks = append(pks, "report#"+id)
	}
	for _, pk := range pks {
		page, err := c.Table.Query(context.Background(), dynamo.Under(pk, ""))
		if err != nil || page.Next != "" {
			c.t.Fatal(err)
		}
		items = append(items, page.Items...)
	}
	return items
}

func TestFromPendingToResolved(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	lat, lng := 35.34, 33.32
	r := c.must(c.Start(ctx, c.by(), report.Draft{Market: c.market, Thread: "th_1", Spot: geo.Spot{Address: " Harbour Street 21 ", Lat: &lat, Lng: &lng}}))
	want := report.Report{
		ID: r.ID, Owner: c.owner.Key(), Market: c.market, Thread: "th_1", Status: report.Pending, Address: "Harbour Street 21", Lat: &lat, Lng: &lng,
		Sections: map[report.Section]string{}, CreatedAt: noon, UpdatedAt: noon, Version: 1,
	}
	same := func(got report.Report) {
		t.Helper()
		for _, r := range []report.Report{got, c.get(r.ID)} { // returned and stored
			if diff := cmp.Diff(want, r); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
	same(r)

	c.clock.Add(time.Minute)
	want.Sections["cause"], want.UpdatedAt, want.Version = "a storm", noon.Add(time.Minute), 2
	same(c.must(c.SetSection(ctx, c.by(), r.ID, "cause", " a storm\n")))

	want.Address, want.Lat, want.Lng, want.Version = "Harbour Street 22", nil, nil, 3
	same(c.must(c.SetAddress(ctx, c.by(), r.ID, geo.Spot{Address: "Harbour Street 22"})))

	want.Photos, want.Status, want.Version = crack, report.Completed, 4
	same(c.must(c.SetPhotos(ctx, c.by(), r.ID, crack, false)))

	want.Photos, want.NoPhotos, want.Version = nil, true, 5
	same(c.must(c.SetPhotos(ctx, c.by(), r.ID, nil, true)))

	delete(want.Sections, "cause")
	want.Version = 6
	same(c.must(c.SetSection(ctx, c.by(), r.ID, "cause", "")))

	c.clock.Add(time.Minute)
	want.Status, want.ResolvedAt, want.UpdatedAt, want.Version = report.Resolved, noon.Add(2*time.Minute), noon.Add(2*time.Minute), 7
	same(c.must(c.Resolve(ctx, c.by(), r.ID)))

	events, err := c.Events(ctx, report.By{Actor: c.owner}, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	count := map[report.EventType]int{}
	for _, e := range events {
		count[e.Type]++
		if e.Report != r.ID || e.Market != c.market || e.Thread != "th_1" || e.Owner != c.owner.Key() || e.Actor != c.owner.Key() || e.Staff {
			t.Errorf("%+v", e)
		}
	}
	wantCount := map[report.EventType]int{
		report.CreatedEvent: 1, report.SectionEvent: 2, report.AddressEvent: 1, report.PhotosEvent: 2, report.CompletedEvent: 1, report.ResolvedEvent: 1,
	}
	if diff := cmp.Diff(wantCount, count); diff != "" || events[0].Type != report.CreatedEvent || events[len(events)-1].Status != report.Resolved {
		t.Errorf("%+v\n%s", events, diff)
	}
}

// A report is completed by the write that makes it whole, whichever that is.
func TestCompletion(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	type step = func(c *corner, id string) (report.Report, error)
	address := func(a string) step {
		return func(c *corner, id string) (report.Report, error) {
			return c.SetAddress(ctx, c.by(), id, geo.Spot{Address: a})
		}
	}
	photos := func(none bool, ps ...report.Photo) step {
		return func(c *corner, id string) (report.Report, error) { return c.SetPhotos(ctx, c.by(), id, ps, none) }
	}
	for name, tt := range map[string]struct {
		start   string
		steps   []step
		status  report.Status
		missing []string
	}{
		"nothing":                       {"", nil, report.Pending, []string{"address", "photos"}},
		"address":                       {"a", nil, report.Pending, []string{"photos"}},
		"photos":                        {"", []step{photos(false, crack...)}, report.Pending, []string{"address"}},
		"no photos to be had":           {"", []step{photos(true)}, report.Pending, []string{"address"}},
		"address, photos":               {"a", []step{photos(false, crack...)}, report.Completed, []string{}},
		"photos, address":               {"", []step{photos(false, crack...), address("a")}, report.Completed, []string{}},
		"none, address":                 {"", []step{photos(true), address("a")}, report.Completed, []string{}},
		"address off again, photos":     {"a", []step{address(""), photos(false, crack...)}, report.Pending, []string{"address"}},
		"photos off again, address":     {"", []step{photos(false, crack...), photos(false), address("a")}, report.Pending, []string{"photos"}},
		"none taken back, address":      {"", []step{photos(true), photos(false), address("a")}, report.Pending, []string{"photos"}},
		"completed, then none":          {"a", []step{photos(false, crack...), photos(true)}, report.Completed, []string{}},
		"completed, then other address": {"a", []step{photos(true), address("b")}, report.Completed, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCorner(t)
			r := c.start(tt.start)
			for _, step := range tt.steps {
				r = c.must(step(c, r.ID))
			}
			stored := c.get(r.ID)
			if diff := cmp.Diff(tt.missing, stored.Missing()); r.Status != tt.status || stored.Status != tt.status || diff != "" {
				t.Errorf("%s, stored %s, missing %v", r.Status, stored.Status, stored.Missing())
			}
			briefs, err := c.Profile(ctx, c.market, []string{c.owner.Key()})
			if err != nil || len(briefs) != 1 || briefs[0] != (report.Brief{ID: r.ID, Market: c.market, Status: tt.status, Address: stored.Address, CreatedAt: noon}) {
				t.Errorf("profile %+v, %v", briefs, err)
			}
			listed, _, err := c.List(ctx, staff(), c.market, tt.status, 10, "")
			if err != nil || len(listed) != 1 || listed[0].ID != r.ID {
				t.Errorf("listed %+v, %v", listed, err)
			}
		})
	}
}

// Every change in every status either happens as the rules say or changes nothing.
func TestEveryChangeInEveryStatus(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	changes := map[string]func(c *corner, id string) error{
		"section": func(c *corner, id string) error { _, err := c.SetSection(ctx, c.by(), id, "other", "x"); return err },
		"address": func(c *corner, id string) error {
			_, err := c.SetAddress(ctx, c.by(), id, geo.Spot{Address: "x"})
			return err
		},
		"no address": func(c *corner, id string) error { _, err := c.SetAddress(ctx, c.by(), id, geo.Spot{}); return err },
		"photos":     func(c *corner, id string) error { _, err := c.SetPhotos(ctx, c.by(), id, crack[:1], false); return err },
		"no photos":  func(c *corner, id string) error { _, err := c.SetPhotos(ctx, c.by(), id, nil, false); return err },
		"resolve":    func(c *corner, id string) error { _, err := c.Resolve(ctx, c.by(), id); return err },
		"staff resolves": func(c *corner, id string) error {
			_, err := c.Resolve(ctx, report.By{Actor: staff(), Key: "k"}, id)
			return err
		},
		"share":  func(c *corner, id string) error { _, err := c.Share(ctx, c.by(), id, time.Hour); return err },
		"delete": func(c *corner, id string) error { return c.Delete(ctx, c.by(), id) },
	}
	incomplete, notComplete, resolved := report.ErrIncomplete, report.ErrNotComplete, report.ErrResolved
	for _, tt := range []struct {
		change                       string
		pending, completed, resolved error
	}{
		{"section", nil, nil, resolved},
		{"address", nil, nil, resolved},
		{"no address", nil, incomplete, resolved},
		{"photos", nil, nil, resolved},
		{"no photos", nil, incomplete, resolved},
		{"resolve", notComplete, nil, resolved},
		{"staff resolves", notComplete, nil, resolved},
		{"share", nil, nil, nil},
		{"delete", nil, nil, nil},
	} {
		for status, want := range map[report.Status]error{report.Pending: tt.pending, report.Completed: tt.completed, report.Resolved: tt.resolved} {
			t.Run(tt.change+" of "+string(status), func(t *testing.T) {
				t.Parallel()
				c := newCorner(t)
				r := c.in(status)
				before := c.all(r.ID)
				err := changes[tt.change](c, r.ID)
				if !errors.Is(err, want) || want == nil && err != nil {
					t.Errorf("%v, want %v", err, want)
				}
				if same := cmp.Equal(before, c.all(r.ID), cmp.Exporter(exportAll)); same != (want != nil) {
					t.Errorf("refused with %v, unchanged %v", err, same)
				}
			})
		}
	}
}

// Bad input is refused with the field that is wrong, and changes nothing.
func TestInput(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.start("a")
	lat, far := 1.0, 91.0
	long := func(n int) string { return strings.Repeat("ş", n) }
	start := func(p geo.Spot) func(by report.By) error {
		return func(by report.By) error {
			_, err := c.Start(ctx, by, report.Draft{Market: c.market, Spot: p})
			return err
		}
	}
	section := func(s report.Section, content string) func(by report.By) error {
		return func(by report.By) error { _, err := c.SetSection(ctx, by, r.ID, s, content); return err }
	}
	photos := func(none bool, ps ...report.Photo) func(by report.By) error {
		return func(by report.By) error { _, err := c.SetPhotos(ctx, by, r.ID, ps, none); return err }
	}
	share := func(ttl time.Duration) func(by report.By) error {
		return func(by report.By) error { _, err := c.Share(ctx, by, r.ID, ttl); return err }
	}
	before := c.all(r.ID)
	for name, tt := range map[string]struct {
		do    func(by report.By) error
		field string
	}{
		"no market":           {func(by report.By) error { _, err := c.Start(ctx, by, report.Draft{}); return err }, "market"},
		"long address":        {start(geo.Spot{Address: long(report.MaxAddress + 1)}), "address"},
		"broken address":      {start(geo.Spot{Address: "a\xff"}), "address"},
		"half a place":        {start(geo.Spot{Address: "a", Lat: &lat}), "address"},
		"place without words": {start(geo.Spot{Lat: &lat, Lng: &lat}), "address"},
		"beyond the pole":     {start(geo.Spot{Address: "a", Lat: &far, Lng: &lat}), "address"},
		"unknown section":     {section("status", "x"), "section"},
		"long section":        {section("cause", long(report.MaxContent+1)), "content"},
		"photo without ref":   {photos(false, report.Photo{}), "photoUrls[0]"},
		"long ref":            {photos(false, report.Photo{Ref: long(300)}), "photoUrls[0]"},
		"a photo twice":       {photos(false, crack[0], crack[0]), "photoUrls[1]"},
		"long caption":        {photos(false, crack[1], report.Photo{Ref: "x", Caption: long(report.MaxCaption + 1)}), "captions[1]"},
		"too many photos":     {photos(false, make([]report.Photo, report.MaxPhotos+1)...), "photoUrls"},
		"photos and none":     {photos(true, crack...), "noPhotos"},
		"short link":          {share(59 * time.Minute), "ttlHours"},
		"long link":           {share(169 * time.Hour), "ttlHours"},
		"many owners": {func(by report.By) error {
			by.Owners = strings.Split(strings.Repeat("x", 21)+"y", "")
			for i := range by.Owners {
				by.Owners[i] = fmt.Sprint("user:", i)
			}
			return c.Delete(ctx, by, r.ID)
		}, "owners"},
	} {
		err := tt.do(c.by())
		if _, field := fault.Public(err); !fault.Is(err, fault.Invalid) || field != tt.field {
			t.Errorf("%s: %v, want %s", name, err, tt.field)
		}
	}
	for name, do := range map[string]func(by report.By) error{
		"start": start(geo.Spot{}), "section": section("cause", "x"), "share": share(time.Hour),
		"delete": func(by report.By) error { return c.Delete(ctx, by, r.ID) },
	} {
		for _, key := range []string{"", strings.Repeat("k", 256)} {
			if err := do(report.By{Actor: c.owner, Key: key}); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s with a key of %d bytes: %v", name, len(key), err)
			}
		}
	}
	if !cmp.Equal(before, c.all(r.ID), cmp.Exporter(exportAll)) {
		t.Error("something has changed")
	}
	most := long(report.MaxContent)
	for _, s := range report.Sections() {
		c.must(c.SetSection(ctx, c.by(), r.ID, s, most))
	}
	if got := c.get(r.ID); len(got.Sections) != len(report.Sections()) {
		t.Errorf("the longest report: %d sections", len(got.Sections))
	}
}

// Somebody has a bounded number of reports; one that is deleted makes room.
func TestReportsOfAnOwnerAreBounded(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	var last report.Report
	for range report.MaxReports {
		c.clock.Add(time.Second)
		last = c.start("a")
	}
	if _, err := c.Start(ctx, c.by(), c.draft("a")); !errors.Is(err, report.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	briefs, err := c.Profile(ctx, c.market, []string{c.owner.Key()})
	if err != nil || len(briefs) != report.MaxReports || briefs[0].ID != last.ID {
		t.Errorf("%d reports, %v", len(briefs), err)
	}
	if err := c.Delete(ctx, c.by(), last.ID); err != nil {
		t.Fatal(err)
	}
	c.start("a")
	all, err := c.Store.All(ctx, c.market, c.owner.Key())
	if err != nil || len(all) != report.MaxReports {
		t.Errorf("%d in full, %v", len(all), err)
	}
}
