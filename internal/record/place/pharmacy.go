package place

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/words/wording"
)

type pharmacyArgs struct {
	Near *string `json:"near" jsonschema:"town, street or place to look around, if the customer named one; null for where the customer is"`
	When string  `json:"when" jsonschema:"now (open or on duty at this moment) or tonight (on night duty)"`
}

const pharmaciesShown = 5

func (f *Finder) pharmacies(ctx context.Context, tc tool.Context, a pharmacyArgs) (tool.Result, error) {
	zone := tc.Market.Location()
	at, tonight := tc.Now, false
	switch a.When {
	case "now":
	case "tonight":
		at, tonight = night(tc.Now, zone), true
	default:
		return tool.Result{}, fault.Field("when", "want now or tonight")
	}
	from, err := f.origin(ctx, tc, a.Near)
	if err != nil {
		return tool.Result{}, err
	}
	d, err := f.Store.directory(ctx, tc.Market.ID)
	if err != nil {
		return tool.Result{}, err
	}
	listed := d.onDuty(at, zone)
	found, note, err := f.choose(ctx, tc, d, from, at, tonight && listed)
	if err != nil {
		return tool.Result{}, err
	}
	if !listed {
		note = notes("there is no duty list for "+at.In(zone).Format(time.DateOnly)+": it is not known which pharmacy is on duty, so none may be called that", note)
	}
	entries := fromHits(tc, found, from)
	for i, h := range found {
		if on, until := h.OnDutyAt(at, zone); on {
			entries[i].OnDuty, entries[i].DutyUntil = true, wording.Weekday(tc.Language, strings.ToLower(until.In(zone).Weekday().String()[:3]))+" "+until.In(zone).Format("15:04")
		}
	}
	if from.at == nil {
		note = notes(note, "where from is not known: they are in no order of distance; ask the customer for their location to find the nearest")
	}
	return answer{Places: entries, Origin: from.called, Note: notes(from.note, note)}.result(), nil
}

// night returns a moment of the night that people mean by tonight: until six in the morning
// the current night, after that the next one.
func night(now time.Time, zone *time.Location) time.Time {
	local := now.In(zone)
	if h := local.Hour(); h < 6 || h >= 22 {
		return now
	}
	y, m, d := local.Date()
	return time.Date(y, m, d, 22, 0, 0, 0, zone)
}

// onDuty reports whether the market's data says of any pharmacy that it is on duty then.
func (d *directory) onDuty(at time.Time, zone *time.Location) bool {
	return slices.ContainsFunc(d.entries, func(e entry) bool { on, _ := e.OnDutyAt(at, zone); return on })
}

// choose finds the pharmacies that serve customers at a time: only those on duty, or the open ones too.
// If there are none, it returns the nearest pharmacies anyway, because the customer can call them.
func (f *Finder) choose(ctx context.Context, tc tool.Context, d *directory, from origin, at time.Time, dutyOnly bool) (found []Hit, note string, err error) {
	zone := tc.Market.Location()
	serves := func(p *Place) bool {
		on, _ := p.OnDutyAt(at, zone)
		open, _, _ := p.Open(at, zone)
		return on || open && !dutyOnly
	}
	if found, err = f.some(ctx, tc, d, from, serves); err != nil || len(found) > 0 {
		return found, "", err
	}
	found, err = f.some(ctx, tc, d, from, nil)
	return found, "none is known to be open then; these may be closed, say so and advise to call first", err
}

// some returns the nearest pharmacies that keep accepts, or the first by name if the starting point is unknown.
func (f *Finder) some(ctx context.Context, tc tool.Context, d *directory, from origin, keep func(*Place) bool) ([]Hit, error) {
	if from.at != nil {
		return f.Store.Nearest(ctx, tc.Market.ID, Near{At: *from.at, Category: Pharmacy, Limit: pharmaciesShown, Keep: keep})
	}
	var found []Hit
	for _, e := range d.entries {
		if e.Category == Pharmacy && (keep == nil || keep(e.Place)) {
			found = append(found, Hit{Place: e.Place})
		}
	}
	slices.SortFunc(found, func(a, b Hit) int {
		return cmp.Or(strings.Compare(a.Name(tc.Language), b.Name(tc.Language)), strings.Compare(a.ID, b.ID))
	})
	return found[:min(len(found), pharmaciesShown)], nil
}
