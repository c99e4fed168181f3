package schedule

import (
	"time"

	"merve/internal/base/fault"
)

// Hours says when a business is open, where that is not a question of one offering.
type Hours struct {
	TimeZone string            `dynamodbav:"timeZone" json:"timeZone"`                 // IANA
	Days     map[string][]Span `dynamodbav:"days" json:"days"`                         // by weekday: mon, tue, …
	Closed   []string          `dynamodbav:"closed,omitempty" json:"closed,omitempty"` // dates
}

// offering has the same calendar.
func (h Hours) offering() Offering {
	return Offering{
		ID: "hours", TimeZone: h.TimeZone, Hours: h.Days, Closed: h.Closed, SlotMinutes: 60, DurationMinutes: 60, Capacity: 1,
		HorizonDays: 1, Unit: BySlot, MinParty: 1, MaxParty: 1, Currency: "EUR", Per: PerBooking,
	}
}

// Check returns an error that names what is wrong.
func (h Hours) Check() error {
	if err := h.offering().Check(); err != nil {
		return fault.Field("hours", "%v", err)
	}
	return nil
}

// OpenAt reports whether t is within an opening.
func (h Hours) OpenAt(t time.Time) bool { return h.offering().OpenAt(t) }

// ClosedOn reports whether the local day of t is one on which the business is closed.
func (h Hours) ClosedOn(t time.Time) bool { return h.offering().ClosedOn(t) }

// Opens returns when the next opening begins after t, within a fortnight.
func (h Hours) Opens(t time.Time) (time.Time, bool) {
	o := h.offering()
	loc, err := o.zone()
	if err != nil {
		return time.Time{}, false
	}
	day := dateOf(loc, t)
	for i := range 15 {
		date := day.AddDate(0, 0, i)
		if o.closed(date) {
			continue
		}
		for _, s := range o.Hours[weekday(date)] {
			if open, _ := o.opening(loc, date, s); open.After(t) {
				return open, true
			}
		}
	}
	return time.Time{}, false
}

// OpenAt reports whether t is within an opening of the offering's hours.
func (o Offering) OpenAt(t time.Time) bool {
	loc, err := o.zone()
	if err != nil {
		return false
	}
	day := dateOf(loc, t)
	for _, date := range []time.Time{day.AddDate(0, 0, -1), day} { // one may have begun yesterday
		if o.closed(date) {
			continue
		}
		for _, s := range o.Hours[weekday(date)] {
			if open, shut := o.opening(loc, date, s); !t.Before(open) && t.Before(shut) {
				return true
			}
		}
	}
	return false
}

// ClosedOn reports whether the local day of t is one on which the offering is closed.
func (o Offering) ClosedOn(t time.Time) bool {
	loc, err := o.zone()
	return err == nil && o.closed(dateOf(loc, t))
}
