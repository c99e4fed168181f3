package report_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/report"
)

var (
	ids    = regexp.MustCompile(`rp_[a-z2-7]{16}`)
	hashes = regexp.MustCompile(`[0-9a-f]{64}`)
	tokens = regexp.MustCompile(`/[\w-]{22}$`)
)

// told is everything that is stored of a corner with one report, without names and without
// how often a link was opened, which a visitor who comes again counts again.
func (c *corner) told(id string) []string {
	c.t.Helper()
	var lines []string
	rows, err := c.Rows.Table.Query(context.Background(), dynamo.Under(c.thread(), ""))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, it := range append(c.all(id), rows.Items...) {
		var plain map[string]any
		if err := attributevalue.UnmarshalMap(it, &plain); err != nil {
			c.t.Fatal(err)
		}
		for name, v := range plain { // of the briefs, in the order of their names
			if ids.MatchString(name) {
				delete(plain, name)
				plain[named(name, id)] = v
			}
		}
		delete(plain, "dueShard") // is made of ids, which differ from run to run
		delete(plain, "payload")  // and this of the thread's id; a repeat with another one is refused
		if plain["opened"] != nil && plain["opened"] != 0.0 {
			plain["opened"] = "often"
		}
		b, err := json.Marshal(plain)
		if err != nil {
			c.t.Fatal(err)
		}
		line := ids.ReplaceAllStringFunc(string(b), func(other string) string { return named(other, id) }) // first: an id may have a market's name in it
		line = strings.NewReplacer(c.owner.Key(), "OWNER", c.thread(), "THREAD", c.market, "MARKET").Replace(line)
		lines = append(lines, hashes.ReplaceAllString(line, "LINK"))
	}
	slices.Sort(lines)
	return lines
}

// named is what an id is called in a test's answer.
func named(id, first string) string {
	if id == first {
		return "REPORT"
	}
	return "OTHER"
}

type outcome struct{ Answers, Stored []string }

// scene is a change under test: where it begins, and what it does and answers.
type scene struct {
	begin func(c *corner) report.Report
	do    func(c *corner, s *report.Store, by report.By, r report.Report) (string, error)
}

// Whatever call of an operation fails, in every way, and however often it comes again: what
// is stored and answered is as without.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	c := newCorner(t) // the secret of links is made once in the life of the tables
	if _, err := c.Share(t.Context(), c.by(), c.in(report.Completed).ID, time.Hour); err != nil {
		t.Fatal(err)
	}
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) outcome { return s.play(t, calls) })
		})
	}
}

// play does the scene twice with one key, as a turn that crashed goes on, the first time
// through calls that fail.
func (s scene) play(t *testing.T, calls *faulttest.Calls) outcome {
	c := newCorner(t)
	c.market = "crash" // part of what a key stands for
	var r report.Report
	if s.begin != nil {
		r = s.begin(c)
	}
	var out outcome
	by := report.By{Actor: c.owner, Key: "the key"}
	step := func(over *report.Store) (string, error) {
		answer, err := s.do(c, over, by, r)
		var known *fault.Error
		if errors.As(err, &known) && !fault.Retryable(err) {
			return known.Message, nil
		}
		return answer, err
	}
	told := func(over *report.Store) error {
		answer, err := step(over)
		if err == nil && !calls.Dead() {
			out.Answers = append(out.Answers, tokens.ReplaceAllString(ids.ReplaceAllString(answer, "REPORT"), "/TOKEN"))
		}
		return err
	}
	calls.Deliver(t, nil, func() error { return told(c.over(calls, 1)) })
	if err := told(c.Store); err != nil {
		t.Error(err)
	}
	all, err := c.Store.All(t.Context(), c.market, c.owner.Key())
	if err != nil || len(all) > 1 {
		t.Errorf("%d reports, %v", len(all), err)
	}
	if len(all) == 1 {
		r = all[0]
	}
	out.Stored = c.told(r.ID)
	return out
}

func scenes() map[string]scene {
	ctx := context.Background()
	in := func(s report.Status) func(c *corner) report.Report {
		return func(c *corner) report.Report { return c.in(s) }
	}
	said := func(r report.Report, err error) (string, error) {
		return r.ID + " " + string(r.Status) + " " + r.Address + " " + strings.Join(r.Missing(), ","), err
	}
	return map[string]scene{
		"start": {nil, func(c *corner, s *report.Store, by report.By, _ report.Report) (string, error) {
			return said(s.Start(ctx, by, c.draft("a")))
		}},
		"section": {in(report.Completed), func(_ *corner, s *report.Store, by report.By, r report.Report) (string, error) {
			return said(s.SetSection(ctx, by, r.ID, "cause", "x"))
		}},
		"address that completes": {func(c *corner) report.Report {
			return c.must(c.SetPhotos(ctx, c.by(), c.start("").ID, crack, false))
		}, func(_ *corner, s *report.Store, by report.By, r report.Report) (string, error) {
			return said(s.SetAddress(ctx, by, r.ID, geo.Spot{Address: "b"}))
		}},
		"photos that complete": {in(report.Pending), func(_ *corner, s *report.Store, by report.By, r report.Report) (string, error) {
			return said(s.SetPhotos(ctx, by, r.ID, crack, false))
		}},
		"photos refused": {in(report.Completed), func(_ *corner, s *report.Store, by report.By, r report.Report) (string, error) {
			return said(s.SetPhotos(ctx, by, r.ID, nil, false))
		}},
		"resolve": {in(report.Completed), func(_ *corner, s *report.Store, by report.By, r report.Report) (string, error) {
			return said(s.Resolve(ctx, by, r.ID))
		}},
		"delete": {in(report.Completed), func(_ *corner, s *report.Store, by report.By, r report.Report) (string, error) {
			return "", s.Delete(ctx, by, r.ID)
		}},
		"share": {in(report.Completed), func(_ *corner, s *report.Store, by report.By, r report.Report) (string, error) {
			l, err := s.Share(ctx, by, r.ID, time.Hour)
			return l.URL, err
		}},
		"revoke": {func(c *corner) report.Report {
			r := c.in(report.Completed)
			c.share(r.ID, time.Hour)
			c.share(r.ID, time.Hour)
			return r
		}, func(_ *corner, s *report.Store, by report.By, r report.Report) (string, error) {
			return "", s.Revoke(ctx, by, r.ID, "")
		}},
		"open": {in(report.Completed), func(c *corner, s *report.Store, _ report.By, r report.Report) (string, error) {
			l, err := c.Share(ctx, report.By{Actor: c.owner, Key: "shared"}, r.ID, time.Hour)
			if err != nil {
				return "", err
			}
			opened, until, err := s.Open(ctx, r.ID, token(l))
			return opened.ID + until.String(), err
		}},
	}
}
