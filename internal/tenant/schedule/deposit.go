package schedule

import (
	"math"

	"merve/internal/base/fault"
	"merve/internal/words/wording"
)

// Deposit is what has to be paid before a booking counts, and what happens to it. Customers who cancel in time get it
// back. For those who cancel later or do not come, the business keeps all or part of it.
type Deposit struct {
	PercentOfPrice    int   `dynamodbav:"percentOfPrice" json:"percentOfPrice"`                           // 0 to 100; 100 is prepayment
	MinMinor          int64 `dynamodbav:"minMinor" json:"minMinor"`                                       // at least this much, but never more than the price
	RefundUntilHours  int   `dynamodbav:"refundUntilHours,omitempty" json:"refundUntilHours,omitempty"`   // so long before the start it may be cancelled or moved for nothing
	LateRefundPercent int   `dynamodbav:"lateRefundPercent,omitempty" json:"lateRefundPercent,omitempty"` // of the deposit, given back all the same later than that; 0: all of it is kept
}

// maxRefundHours is how long before its start a booking may stop being refunded.
const maxRefundHours = 365 * 24

func (d *Deposit) check(field string) error {
	switch {
	case d == nil:
		return nil
	case d.PercentOfPrice < 0 || d.PercentOfPrice > 100:
		return fault.Field(field+".percentOfPrice", "want 0 to 100")
	case !IsPrice(d.MinMinor):
		return NoPrice(field + ".minMinor")
	case d.PercentOfPrice == 0 && d.MinMinor == 0:
		return fault.Field(field, "want a percentage or a least amount; leave it out where nothing is paid ahead")
	case d.RefundUntilHours < 0 || d.RefundUntilHours > maxRefundHours:
		return fault.Field(field+".refundUntilHours", "want 0 to %d hours before the start", maxRefundHours)
	case d.LateRefundPercent < 0 || d.LateRefundPercent > 99:
		return fault.Field(field+".lateRefundPercent", "want 0 to 99 percent of the deposit; 0 keeps all of it")
	}
	return nil
}

// Due returns how much of a price in a currency is to be paid ahead, in minor units: the
// percentage, or the least amount where that is more, rounded up to what can be paid; 0 when
// nothing is.
func (d *Deposit) Due(priceMinor int64, currency string) int64 {
	if d == nil || priceMinor <= 0 {
		return 0
	}
	due := max(share(priceMinor, d.PercentOfPrice, 99), d.MinMinor)
	if step := payable(currency); due%step != 0 && due < math.MaxInt64-step {
		due += step - due%step
	}
	return min(due, priceMinor)
}

// Late returns how much of dueMinor goes back to a customer who cancels late or does not come. It is in minor units,
// rounded down to a payable amount, so that something is always kept.
func (d *Deposit) Late(dueMinor int64, currency string) int64 {
	if d == nil {
		return 0
	}
	late := share(dueMinor, d.LateRefundPercent, 0)
	return late - late%payable(currency)
}

// payable is what amounts that are paid by card are multiples of, in minor units: cards know two
// decimals where there are three, and no parts of an ariary.
func payable(currency string) int64 {
	switch {
	case wording.Decimals(currency) == 3:
		return 10
	case currency == "MGA":
		return 100
	}
	return 1
}

// share is a percentage of an amount, without an overflow.
func share(amount int64, percent, rounding int) int64 {
	whole, rest := amount/100, amount%100
	return whole*int64(percent) + (rest*int64(percent)+int64(rounding))/100
}

// NoShows is what an offering asks of people who did not come to earlier bookings at its
// business.
type NoShows struct {
	Count   int      `dynamodbav:"count" json:"count"`                         // so many bookings that they did not come to,
	Days    int      `dynamodbav:"days" json:"days"`                           // of the last so many days
	Deposit *Deposit `dynamodbav:"deposit,omitempty" json:"deposit,omitempty"` // what they pay ahead, where it is more than everybody's; nil: only a person books them
}

// check wants a price where something is to be paid ahead of it.
func (n *NoShows) check(priceMinor int64) error {
	switch {
	case n == nil:
		return nil
	case n.Count < 1 || n.Count > 20:
		return fault.Field("offering.noShows.count", "want 1 to 20")
	case n.Days < 1 || n.Days > 730:
		return fault.Field("offering.noShows.days", "want 1 to 730")
	case n.Deposit != nil && priceMinor == 0:
		return fault.Field("offering.noShows.deposit", "it costs nothing, so that nothing can be paid ahead: leave it out, and a person books for them")
	}
	return n.Deposit.check("offering.noShows.deposit")
}
