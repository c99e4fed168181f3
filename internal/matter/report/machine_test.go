package report_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/base/seedtest"
	"merve/internal/matter/report"
)

// modelled is what the model believes of a report: the rules, in few words.
type modelled struct {
	address string
	photos  int
	none    bool
	status  report.Status
	told    map[report.Section]string
	gone    bool
}

func (m modelled) whole() bool { return m.address != "" && (m.photos > 0 || m.none) }

// change is what the rules say of a change, which leads to next.
func (m *modelled) change(next modelled) error {
	switch {
	case m.gone:
		return actor.ErrNotFound
	case m.status == report.Resolved:
		return report.ErrResolved
	case m.status == report.Completed && !next.whole():
		return report.ErrIncomplete
	case m.status == report.Pending && next.whole():
		next.status = report.Completed
	}
	*m = next
	return nil
}

func (m *modelled) resolve() error {
	switch {
	case m.gone:
		return actor.ErrNotFound
	case m.status == report.Resolved:
		return report.ErrResolved
	case m.status == report.Pending:
		return report.ErrNotComplete
	}
	m.status = report.Resolved
	return nil
}

// Random changes by owner, staff and strangers, against a model that is the rules: every
// answer is the model's, and what is stored is what it believes.
func TestChangesFollowTheModel(t *testing.T) {
	t.Parallel()
	most := seedtest.Times(t, 4) // runs
	seedtest.Check(t, func(rt *rapid.T) {
		if most--; most < 0 {
			return
		}
		runModel(rt, newCorner(t))
	})
}

func runModel(t *rapid.T, c *corner) {
	ctx := context.Background()
	var m modelled
	var id string
	want := func(t *rapid.T, err, want error) {
		if want == nil && err != nil || !errors.Is(err, want) {
			t.Fatalf("%v, want %v", err, want)
		}
	}
	drafted := rapid.SampledFrom([]string{"", "a"}).Draw(t, "start")
	r, err := c.Start(ctx, c.by(), c.draft(drafted))
	want(t, err, nil)
	id, m = r.ID, modelled{address: drafted, status: report.Pending, told: map[report.Section]string{}}
	t.Repeat(map[string]func(*rapid.T){
		"address": func(t *rapid.T) {
			next := m
			next.address = rapid.SampledFrom([]string{"", "b"}).Draw(t, "address")
			_, err := c.SetAddress(ctx, c.by(), id, geo.Spot{Address: next.address})
			want(t, err, m.change(next))
		},
		"photos": func(t *rapid.T) {
			next := m
			next.photos = rapid.IntRange(0, 2).Draw(t, "photos")
			next.none = next.photos == 0 && rapid.Bool().Draw(t, "none")
			_, err := c.SetPhotos(ctx, c.by(), id, crack[:next.photos], next.none)
			want(t, err, m.change(next))
		},
		"section": func(t *rapid.T) {
			next, name := m, rapid.SampledFrom(report.Sections()).Draw(t, "section")
			next.told = map[report.Section]string{}
			for k, v := range m.told {
				next.told[k] = v
			}
			if next.told[name] = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "content"); next.told[name] == "" {
				delete(next.told, name)
			}
			_, err := c.SetSection(ctx, c.by(), id, name, next.told[name])
			want(t, err, m.change(next))
		},
		"resolve": func(t *rapid.T) {
			by := c.by()
			if rapid.Bool().Draw(t, "staff") {
				by.Actor = staff()
			}
			_, err := c.Resolve(ctx, by, id)
			want(t, err, m.resolve())
		},
		"delete": func(t *rapid.T) {
			if rapid.IntRange(0, 5).Draw(t, "really") > 0 {
				return
			}
			err := c.Delete(ctx, c.by(), id)
			if m.gone {
				want(t, err, actor.ErrNotFound)
				return
			}
			want(t, err, nil)
			m.gone = true
		},
		"stranger": func(t *rapid.T) {
			probe := rapid.SampledFrom([]string{"section", "address", "photos", "resolve", "delete", "share", "revoke"}).Draw(t, "probe")
			want(t, probes(c.Store)[probe](ctx, report.By{Actor: someone(), Key: "k"}, id), actor.ErrNotFound)
		},
		"": func(t *rapid.T) { c.agrees(t, id, m) },
	})
}

// agrees holds what is stored against the model: the report and the owner's list.
func (c *corner) agrees(t *rapid.T, id string, m modelled) {
	ctx := context.Background()
	r, err := c.Get(ctx, report.By{Actor: c.owner}, id)
	briefs, err2 := c.Profile(ctx, c.market, []string{c.owner.Key()})
	if m.gone {
		if !errors.Is(err, actor.ErrNotFound) || err2 != nil || len(briefs) != 0 {
			t.Fatalf("deleted, and there is %+v, %+v, %v, %v", r, briefs, err, err2)
		}
		return
	}
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	got := modelled{r.Address, len(r.Photos), r.NoPhotos, r.Status, r.Sections, false}
	if diff := cmp.Diff(m, got, cmp.AllowUnexported(modelled{}), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-model +stored):\n%s", diff)
	}
	if want := fmt.Sprint([]report.Brief{{ID: id, Market: c.market, Status: m.status, Address: m.address, CreatedAt: noon}}); fmt.Sprint(briefs) != want {
		t.Fatalf("briefs %v, want %s", briefs, want)
	}
}
