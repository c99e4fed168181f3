package booking

import (
	"context"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/record/ledger"
	"merve/internal/tenant/schedule"
)

// owed adds to the terms what the offering asks to be paid ahead: how much, until when it is given back and
// how much of it later. A customer who did not come before may owe more; where the rule takes no deposit
// from them, only a person may book for them: [fault.Forbidden].
func owed(ctx context.Context, l *ledger.Ledger, t ledger.Terms, o schedule.Offering, owners []string) (ledger.Terms, error) {
	t = due(t, o.Deposit)
	rule := o.NoShows
	if rule == nil {
		return t, nil
	}
	n, err := l.Missed(ctx, t.Business, owners, now(l).Add(-time.Duration(rule.Days)*24*time.Hour), rule.Count)
	switch {
	case err != nil || n < rule.Count:
		return t, err
	case rule.Deposit == nil:
		return t, fault.New(fault.Forbidden, "the customer did not come to %d bookings here in the last %d days: only the people of %s book for them now; say so and offer askForPerson", rule.Count, rule.Days, t.ListingName)
	}
	t.Missed = n
	if more := due(t, rule.Deposit); more.DueMinor > t.DueMinor {
		return more, nil
	}
	return t, nil
}

// due sets what a deposit asks for; nil asks for nothing.
func due(t ledger.Terms, d *schedule.Deposit) ledger.Terms {
	t.DueMinor, t.RefundUntil, t.LateRefundMinor = d.Due(t.PriceMinor, t.Currency), time.Time{}, 0
	if t.DueMinor > 0 {
		t.RefundUntil = t.Start.Add(-time.Duration(d.RefundUntilHours) * time.Hour)
		t.LateRefundMinor = d.Late(t.DueMinor, t.Currency)
	}
	return t
}

// answerBy is until when the customer may say YES to giving up a booking. It is not after the booking is
// over, nor after the moment from which less money would come back than the question says.
func answerBy(tc tool.Context, t ledger.Terms) time.Time {
	by := tc.Now.Add(time.Duration(tc.Market.Safety.HoldSeconds) * time.Second)
	if free := t.FreeUntil(); t.PriceMinor > 0 && tc.Now.Before(free) && free.Before(by) {
		return free
	}
	if t.End.Before(by) {
		return t.End
	}
	return by
}
