package report_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/report"
)

func token(l report.Shared) string { return l.URL[strings.LastIndex(l.URL, "/")+1:] }

func (c *corner) share(id string, ttl time.Duration) report.Shared {
	c.t.Helper()
	l, err := c.Share(context.Background(), c.by(), id, ttl)
	if err != nil {
		c.t.Fatal(err)
	}
	return l
}

func (c *corner) opens(id, token string, want error) {
	c.t.Helper()
	r, until, err := c.Open(context.Background(), id, token)
	if want != nil && !errors.Is(err, want) || want == nil && (err != nil || r.ID != id || !until.After(c.clock.Now())) {
		c.t.Errorf("opened %s, until %v, %v; want %v", r.ID, until, err, want)
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.in(report.Completed)
	l := c.share(r.ID, 2*time.Hour)
	raw, err := base64.RawURLEncoding.DecodeString(token(l))
	if err != nil || len(raw) != 16 || l.URL != "https://merve.test/r/"+r.ID+"/"+token(l) || !l.ExpiresAt.Equal(noon.Add(2*time.Hour)) {
		t.Fatalf("%+v, %v", l, err)
	}
	for range 3 {
		c.opens(r.ID, token(l), nil)
	}
	links, err := c.Links(ctx, report.By{Actor: c.owner}, r.ID)
	if err != nil || len(links) != 1 || links[0].Opened != 3 || links[0].ID != l.ID {
		t.Errorf("%+v, %v", links, err)
	}
	events, err := c.Events(ctx, report.By{Actor: c.owner}, r.ID)
	opened := 0
	for _, e := range events {
		if e.Type == report.LinkOpenedEvent {
			opened++
			if e.Actor != "" || e.Staff || e.Detail != l.ID || e.Thread != r.Thread {
				t.Errorf("%+v", e)
			}
		}
	}
	if opened != 1 || err != nil {
		t.Errorf("%d times first opened, %v", opened, err)
	}
	for _, it := range c.all(r.ID) { // nothing that is stored opens it
		for name, v := range it {
			if text := fmt.Sprintf("%s %+v", name, v); strings.Contains(text, token(l)) || strings.Contains(text, fmt.Sprint(raw)) {
				t.Errorf("%v has the token in %s", it.Key(), name)
			}
		}
	}
}

// When a link stops being good it says so for a while, and is unknown later.
func TestEndOfALink(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	r := c.in(report.Completed)
	l := c.share(r.ID, time.Hour)
	c.clock.Add(time.Hour - time.Millisecond)
	c.opens(r.ID, token(l), nil)
	c.clock.Add(time.Millisecond)
	c.opens(r.ID, token(l), report.ErrExpired)
	if !fault.Is(report.ErrExpired, fault.Gone) || !fault.Is(report.ErrRevoked, fault.Gone) {
		t.Error("want 410")
	}
	c.clock.Add(90*24*time.Hour - time.Second)
	dynamotest.Lapse(t, dynamotest.TableName("records"), r.ID, c.clock.Now())
	c.opens(r.ID, token(l), report.ErrExpired)
	c.clock.Add(time.Second)
	c.opens(r.ID, token(l), actor.ErrNotFound)
	if links, err := c.Links(context.Background(), report.By{Actor: c.owner}, r.ID); err != nil || len(links) != 0 {
		t.Errorf("%+v, %v", links, err)
	}
}

// What is no token of the report costs at most one request and is told nothing.
func TestWrongTokens(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	r, other := c.in(report.Completed), c.in(report.Completed)
	good := token(c.share(r.ID, time.Hour))
	last := good[:21]
	for _, tt := range []struct {
		id, token string
		requests  int
	}{
		{r.ID, token(c.share(other.ID, time.Hour)), 1},
		{other.ID, good, 1},
		{r.ID, base64.RawURLEncoding.EncodeToString(make([]byte, 16)), 1},
		{r.ID, "", 0}, {r.ID, good + "A", 0}, {r.ID, good[:21], 0}, {r.ID, good + "==", 0}, {r.ID, last + "_", 0}, {r.ID, last + "/", 0},
		{r.ID, strings.Repeat("A", 5000), 0}, {strings.Repeat("x", 5000), good, 0}, {"", good, 0}, {r.ID + "#", good, 0},
	} {
		ctx, meter := telemetry.WithMeter(context.Background())
		_, _, err := c.Open(ctx, tt.id, tt.token)
		if n := meter.Cost().Requests; !errors.Is(err, actor.ErrNotFound) || n != tt.requests {
			t.Errorf("%.30s %.30s: %v, %d requests", tt.id, tt.token, err, n)
		}
	}
	c.opens(r.ID, good, nil)
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.in(report.Completed)
	a, b, d := c.share(r.ID, time.Hour), c.share(r.ID, time.Hour), c.share(r.ID, time.Hour)
	if err := c.Revoke(ctx, c.by(), r.ID, a.ID); err != nil {
		t.Fatal(err)
	}
	c.opens(r.ID, token(a), report.ErrRevoked)
	c.opens(r.ID, token(b), nil)
	if err := c.Revoke(ctx, c.by(), r.ID, "no such link"); !errors.Is(err, actor.ErrNotFound) {
		t.Errorf("%v", err)
	}
	if err := c.Revoke(ctx, report.By{Actor: staff(), Key: "k"}, r.ID, ""); err != nil {
		t.Fatal(err)
	}
	c.opens(r.ID, token(b), report.ErrRevoked)
	c.opens(r.ID, token(d), report.ErrRevoked)
	c.opens(r.ID, token(c.share(r.ID, time.Hour)), nil) // a later one is good
	c.clock.Add(time.Hour)
	c.opens(r.ID, token(a), report.ErrRevoked)
}

// A link to a report that is gone is unknown, whatever it was before.
func TestLinksOfADeletedReport(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.in(report.Resolved) // may be shared, too
	good, revoked := c.share(r.ID, 2*time.Hour), c.share(r.ID, 2*time.Hour)
	if err := c.Revoke(ctx, c.by(), r.ID, revoked.ID); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(ctx, c.by(), r.ID); err != nil {
		t.Fatal(err)
	}
	c.opens(r.ID, token(good), actor.ErrNotFound)
	c.opens(r.ID, token(revoked), actor.ErrNotFound)
	c.clock.Add(3 * time.Hour)
	c.opens(r.ID, token(good), actor.ErrNotFound)
}

// forget deletes a link as DynamoDB does when its time is over.
func (c *corner) forget(id string, l report.Shared) error {
	return c.Table.DB().Commit(context.Background(), c.Table.Delete(dynamo.Key{PK: "report#" + id, SK: "link#" + l.ID}))
}

// A link that DynamoDB deletes while it is being withdrawn does not come back.
func TestForgottenWhileRevoked(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.in(report.Completed)
	l, stays := c.share(r.ID, time.Hour), c.share(r.ID, time.Hour)
	late := c.over(dynamotest.Before("TransactWriteItems", func() {
		if err := c.forget(r.ID, l); err != nil {
			t.Error(err)
		}
	}), 4)
	if err := late.Revoke(ctx, c.by(), r.ID, ""); err != nil {
		t.Fatal(err)
	}
	c.opens(r.ID, token(l), actor.ErrNotFound)
	c.opens(r.ID, token(stays), report.ErrRevoked)
	for _, it := range c.all(r.ID) {
		if it.Key().SK == "link#"+l.ID {
			t.Error("the link is back")
		}
	}
}

// What happens while a link is opened, right before the opening is counted.
func TestWhileALinkIsOpened(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, tt := range map[string]struct {
		between func(c *corner, r report.Report, l report.Shared) error
		want    error
		opened  int
	}{
		"deleted":   {func(c *corner, r report.Report, _ report.Shared) error { return c.Delete(ctx, c.by(), r.ID) }, actor.ErrNotFound, 0},
		"revoked":   {func(c *corner, r report.Report, _ report.Shared) error { return c.Revoke(ctx, c.by(), r.ID, "") }, report.ErrRevoked, 0},
		"forgotten": {func(c *corner, r report.Report, l report.Shared) error { return c.forget(r.ID, l) }, actor.ErrNotFound, 0},
		"opened": {func(c *corner, r report.Report, l report.Shared) error {
			_, _, err := c.Open(ctx, r.ID, token(l))
			return err
		}, nil, 2},
	} {
		for _, before := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s after %d openings", name, before), func(t *testing.T) {
				t.Parallel()
				c := newCorner(t)
				r := c.in(report.Completed)
				l := c.share(r.ID, time.Hour)
				for range before {
					if _, _, err := c.Open(ctx, r.ID, token(l)); err != nil {
						t.Fatal(err)
					}
				}
				late := c.over(dynamotest.Before("TransactWriteItems", func() {
					if err := tt.between(c, r, l); err != nil {
						t.Error(err)
					}
				}), 4)
				if _, _, err := late.Open(ctx, r.ID, token(l)); !errors.Is(err, tt.want) || tt.want == nil && err != nil {
					t.Errorf("%v, want %v", err, tt.want)
				}
				for _, it := range c.all(r.ID) {
					if strings.HasPrefix(it.Key().SK, "link#") && it.Int("opened") != int64(before+tt.opened) {
						t.Errorf("opened %d times, want %d", it.Int("opened"), before+tt.opened)
					}
				}
			})
		}
	}
}

// Openings at once are all counted, and one of them is the first.
func TestManyOpenAtOnce(t *testing.T) {
	t.Parallel()
	c := newCorner(t)
	r := c.in(report.Completed)
	l := c.share(r.ID, time.Hour)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { c.opens(r.ID, token(l), nil) })
	}
	all.Wait()
	links, err := c.Links(context.Background(), report.By{Actor: c.owner}, r.ID)
	if err != nil || len(links) != 1 || links[0].Opened != 6 {
		t.Errorf("%+v, %v", links, err)
	}
}

// The links of one report are bounded.
func TestLinksAreBounded(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.in(report.Completed)
	for range report.MaxLinks {
		c.share(r.ID, time.Hour)
	}
	if _, err := c.Share(ctx, c.by(), r.ID, time.Hour); !fault.Is(err, fault.Conflict) {
		t.Errorf("one more: %v", err)
	}
	if err := c.Revoke(ctx, c.by(), r.ID, ""); err != nil { // all in one transaction
		t.Fatal(err)
	}
	links, err := c.Links(ctx, report.By{Actor: c.owner}, r.ID)
	if err != nil || len(links) != report.MaxLinks {
		t.Errorf("%d links, %v", len(links), err)
	}
	for _, l := range links {
		if l.RevokedAt.IsZero() {
			t.Errorf("%s is still good", l.ID)
		}
	}
}

// The same key gives the same link in every process; another key, report or person another.
func TestTheSameLinkAgain(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r, other := c.in(report.Completed), c.in(report.Completed)
	seen := map[string]string{}
	for _, k := range []struct{ id, key string }{{r.ID, "a"}, {r.ID, "b"}, {other.ID, "a"}} {
		by := report.By{Actor: c.owner, Key: k.key}
		first, err := c.Share(ctx, by, k.id, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		c.clock.Add(time.Minute)
		again, err := c.over(nil, 4).Share(ctx, by, k.id, time.Hour)
		if err != nil || again != first {
			t.Errorf("%+v, again %+v, %v", first, again, err)
		}
		if before, twice := seen[token(first)]; twice {
			t.Errorf("%v has the link of %s", k, before)
		}
		seen[token(first)] = k.id + k.key
	}
}

// noLuck is a source of chance that has run out.
type noLuck struct{}

func (noLuck) Read([]byte) (int, error) { return 0, errors.New("no entropy") }

// The secret is made once, whoever comes first, and whatever call fails; without chance there
// is no link, nor by a secret that is too short.
func TestSecretOfLinks(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), context.Background()
	r := c.in(report.Completed)
	name := dynamotest.OwnTable(t, "conversations")
	own := func(s *report.Store) *report.Store {
		s.Secrets = s.Secrets.DB().Table(name)
		return s
	}
	broke := own(c.over(nil, 4))
	broke.Random = noLuck{}
	if _, err := broke.Share(ctx, c.by(), r.ID, time.Hour); err == nil {
		t.Error("a link without a secret")
	}
	tried := 0
	for call := 1; call <= 3; call++ {
		for _, f := range faulttest.Few {
			tried++
			calls := faulttest.With(faulttest.At{N: call, Fault: f})
			by, got := c.by(), report.Shared{}
			calls.Deliver(t, nil, func() (err error) { got, err = own(c.over(calls, 1)).Share(ctx, by, r.ID, time.Hour); return })
			again, err := own(c.over(nil, 4)).Share(ctx, by, r.ID, time.Hour)
			if err != nil || again != got {
				t.Errorf("%d %s: %+v and %+v, %v", call, f, got, again, err)
			}
			secrets := own(c.over(nil, 4)).Secrets
			if err := secrets.DB().Commit(ctx, secrets.Delete(dynamo.Key{PK: "secret#links", SK: "key"})); err != nil {
				t.Fatal(err)
			}
		}
	}
	faulttest.Tried(t, tried)
	var all sync.WaitGroup
	urls := make([]string, 6)
	for i := range urls {
		s, by := own(c.over(nil, 4)), report.By{Actor: c.owner, Key: "the same"}
		all.Go(func() {
			l, err := s.Share(ctx, by, r.ID, time.Hour)
			if err != nil {
				t.Error(err)
			}
			urls[i] = l.URL
		})
	}
	all.Wait()
	for _, u := range urls {
		if u != urls[0] {
			t.Errorf("two secrets: %v", urls)
		}
	}
	secrets := own(c.over(nil, 4)).Secrets
	if err := secrets.DB().Commit(ctx, secrets.Put(dynamo.Key{PK: "secret#links", SK: "key"}, map[string][]byte{"secret": make([]byte, 31)})); err != nil {
		t.Fatal(err)
	}
	if _, err := own(c.over(nil, 4)).Share(ctx, c.by(), r.ID, time.Hour); err == nil {
		t.Error("a link by a secret that may be guessed")
	}
}
