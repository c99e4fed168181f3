package ledger

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/tenant/schedule"
)

// What nobody can be held to becomes no draft, and the field that is wrong is named.
func TestTermsNameTheField(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), t.Context()
	for name, tt := range map[string]struct {
		field  string
		change func(t *Terms)
	}{
		"business":              {"business", func(t *Terms) { t.Business = "a#b" }},
		"listing":               {"listing", func(t *Terms) { t.Listing = "" }},
		"offering":              {"offering", func(t *Terms) { t.Offering = "a:b" }},
		"market":                {"market", func(t *Terms) { t.Market = "" }},
		"nobody's":              {"owner", func(t *Terms) { t.Owner = "" }},
		"no slot":               {"slots", func(t *Terms) { t.Slots = nil }},
		"too many slots":        {"slots", func(t *Terms) { t.Slots = hours(t.Start, schedule.MaxSlots+1) }},
		"half a minute":         {"slots", func(t *Terms) { t.Slots = []time.Time{t.Start.Add(30 * time.Second)} }},
		"a slot twice":          {"slots", func(t *Terms) { t.Slots = []time.Time{t.Start, t.Start} }},
		"slots back to front":   {"slots", func(t *Terms) { t.Slots = []time.Time{t.End, t.Start} }},
		"over at once":          {"end", func(t *Terms) { t.End = t.Start }},
		"over before":           {"end", func(t *Terms) { t.End = t.Start.Add(-time.Hour) }},
		"nobody comes":          {"party", func(t *Terms) { t.Party = 0 }},
		"paid to the customer":  {"priceMinor", func(t *Terms) { t.PriceMinor = -1 }},
		"a long note":           {"note", func(t *Terms) { t.Note = strings.Repeat("é", maxNote+1) }},
		"a long name":           {"customerName", func(t *Terms) { t.CustomerName = strings.Repeat("é", MaxName+1) }},
		"the longest that goes": {"", func(t *Terms) { t.Note, t.CustomerName = strings.Repeat("é", maxNote), strings.Repeat("é", MaxName) }},
		"the most slots":        {"", func(t *Terms) { t.Slots = hours(t.Start, schedule.MaxSlots) }},
		"for nothing":           {"", func(t *Terms) { t.PriceMinor = 0 }},
	} {
		terms := c.terms(24)
		tt.change(&terms)
		_, err := c.Draft(ctx, terms, dynamotest.ID("key"))
		_, err2 := c.Offer(ctx, terms, 1000, time.Minute, dynamotest.ID("key"))
		for _, err := range []error{err, err2} {
			var wrong *fault.Error
			if tt.field == "" && err != nil || tt.field != "" && (!errors.As(err, &wrong) || wrong.Field != tt.field) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// hours are n slots in a row.
func hours(start time.Time, n int) []time.Time {
	var all []time.Time
	for i := range n {
		all = append(all, start.Add(time.Duration(i)*time.Hour))
	}
	return all
}

func TestWantedCapacityAndDays(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), t.Context()
	for capacity, right := range map[int]bool{0: false, 1: true, 1000: true, 1001: false} {
		_, err := c.Hold(ctx, c.draft(c.terms(24+capacity)).ID, capacity, c.Now().Add(time.Minute), "k")
		if _, field := fault.Public(err); (err == nil) != right || !right && field != "capacity" {
			t.Errorf("capacity %d: %v", capacity, err)
		}
	}
	for days, right := range map[int]bool{maxDays: true, maxDays + 1: false} {
		_, err := c.Taken(ctx, c.business, "table", noon, noon.AddDate(0, 0, days), noon)
		if _, field := fault.Public(err); (err == nil) != right || !right && field != "to" {
			t.Errorf("%d days: %v", days, err)
		}
	}
}

// Who loses every token that they choose to somebody else gives up, and holds nothing.
func TestAHoldGivesUp(t *testing.T) {
	t.Parallel()
	c, ctx := newCorner(t), t.Context()
	unlucky, tries := c.over(dynamotest.Look{Next: c.aside(), See: func(op string, body []byte) ([]byte, error) {
		if op == "TransactWriteItems" {
			c.offered(c.terms(24), 1000)
		}
		return body, nil
	}}, 1), 0
	unlucky.Rand = func(int) int { return 0 }
	unlucky.Table.DB().Backoff = func(int) time.Duration { tries++; return time.Microsecond }
	tx, err := unlucky.Offer(ctx, c.terms(24), 1000, time.Minute, "k")
	if !fault.Is(err, fault.Unavailable) || tx.ID != "" || tries != dynamo.MaxTries-1 {
		t.Errorf("%+v, %v after %d waits", tx, err, tries)
	}
	if ls := c.locks(noon.Add(24 * time.Hour)); len(ls) != dynamo.MaxTries {
		t.Errorf("%d locks, of %d others", len(ls), dynamo.MaxTries)
	}
}

func TestNamesOfLocks(t *testing.T) {
	t.Parallel()
	for name, right := range map[string]bool{
		"biz:offering:table:2030-06-04T13:00": true, "biz:offering:table:2030-06-04T13:00:token:3": true,
		"": false, "biz:listing:table:2030-06-04T13:00": false, "biz:offering:table:2030-06-04": false, "biz:offering:table:tomorrow:at:token:1": false,
		"biz:offering:table:2030-06-04T13:00:token": false, "biz:offering:table:2030-06-04T13:00:place:3": false,
		"biz:offering:table:2030-06-04T13:00:token:-1": false, "biz:offering:table:2030-06-04T13:00:token:x": false,
	} {
		if k, err := parseLock(name); (err == nil) != right || err != nil && k != (lockKey{}) {
			t.Errorf("%q: %+v, %v", name, k, err)
		}
	}
}

// A code is told from a number, also where a text is searched for what may be one.
func TestCodesAreNoNumbers(t *testing.T) {
	t.Parallel()
	for n := range 20_000 {
		if code := codeOf(fmt.Sprint("tx", n)); strings.Trim(code, "0123456789") == "" || len(code) != 6 {
			t.Errorf("%q", code)
		}
	}
}
