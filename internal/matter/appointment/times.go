package appointment

import (
	"cmp"
	"context"
	"slices"
	"time"

	"merve/internal/record/ledger"
	"merve/internal/tenant/schedule"
)

// freeTime is when a technician can come.
type freeTime struct {
	visits
	schedule.Booking
}

// How many free times are shown at once, and on how many days they are looked for.
const (
	maxTimes = 5
	maxDays  = 7
)

// free finds the first times, from a local date on, when one of the given technicians is free. If several are free at the
// same time, it picks the first. One request per technician and UTC day.
func (d *Desk) free(ctx context.Context, now time.Time, from time.Time, who []visits) ([]freeTime, error) {
	var found []freeTime
	for day := range maxDays {
		for _, v := range who {
			more, err := d.freeOn(ctx, now, from.AddDate(0, 0, day), v)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
		slices.SortStableFunc(found, func(a, b freeTime) int { return a.Start.Compare(b.Start) })
		found = slices.CompactFunc(found, func(a, b freeTime) bool { return a.Start.Equal(b.Start) })
		if len(found) >= maxTimes {
			return found[:maxTimes], nil
		}
	}
	return found, nil
}

// freeOn finds the times on a local date when a technician is free.
func (d *Desk) freeOn(ctx context.Context, now, date time.Time, v visits) ([]freeTime, error) {
	o := v.offering()
	var open []schedule.Booking
	loc := schedule.Zone(o.TimeZone)
	for _, s := range o.Slots(date) {
		local := s.Start.In(loc)
		if b, err := o.Find(now, local.Format(time.DateOnly), local.Format("15:04"), ""); err == nil && b.Start.Equal(s.Start) {
			open = append(open, b)
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	first, last := open[0].Start.Add(-schedule.Reach(0, longestVisit)), open[len(open)-1].End
	taken, err := d.Ledger.Taken(ctx, v.technician.Business, v.technician.ID, first, last, now)
	if err != nil {
		return nil, err
	}
	var free []freeTime
	for _, b := range open {
		if !slices.ContainsFunc(b.Slots, func(slot time.Time) bool { return !o.Free(taken, slot) }) {
			free = append(free, freeTime{v, b})
		}
	}
	return free, nil
}

// longestVisit is for how long a visit ever took one of a technician's slots.
const longestVisit = 8 * time.Hour

// offering is the technician's calendar for the service.
func (v visits) offering() schedule.Offering { return v.technician.offering(v.service) }

// at returns the visit of a technician that begins at a time, if there is one.
func (v visits) at(now, start time.Time) (schedule.Booking, error) {
	local := start.In(schedule.Zone(v.technician.TimeZone))
	return v.offering().Find(now, local.Format(time.DateOnly), local.Format("15:04"), "")
}

// firstDay is the local date from which times are looked for, as the technicians have it: the one given, or today.
func firstDay(now time.Time, date string, who []visits) (time.Time, error) {
	if date != "" {
		return schedule.ParseDate(date)
	}
	zone := cmp.Or(who[0].technician.TimeZone, "UTC")
	return schedule.ParseDate(now.In(schedule.Zone(zone)).Format(time.DateOnly))
}

// makes reports whether an offer of the visit made now would equal the one that was made.
func (v visits) makes(tx ledger.Transaction) bool {
	b, err := v.at(tx.CreatedAt, tx.Start)
	return err == nil && b.Start.Equal(tx.Start) && b.End.Equal(tx.End) && v.technician.Business == tx.Business &&
		v.service.Name == tx.ListingName && v.technician.Name == tx.OfferingName &&
		v.service.PriceMinor == tx.PriceMinor && v.service.Currency == tx.Currency
}
