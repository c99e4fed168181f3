package schedule

import "merve/internal/fault"

// Deposit is what has to be paid before a booking counts.
type Deposit struct {
	PercentOfPrice   int   `dynamodbav:"percentOfPrice" json:"percentOfPrice"` // 0 to 100; 100 is prepayment
	MinMinor         int64 `dynamodbav:"minMinor" json:"minMinor"`             // at least this much, but never more than the price
	RefundUntilHours int   `dynamodbav:"refundUntilHours,omitempty" json:"refundUntilHours,omitempty"`
}

// maxRefundHours is how long before its start a booking may stop being refunded.
const maxRefundHours = 365 * 24

func (d *Deposit) check() error {
	switch {
	case d == nil:
		return nil
	case d.PercentOfPrice < 0 || d.PercentOfPrice > 100:
		return fault.Field("offering.deposit.percentOfPrice", "want 0 to 100")
	case d.MinMinor < 0:
		return fault.Field("offering.deposit.minMinor", "want minor units, at least 0")
	case d.PercentOfPrice == 0 && d.MinMinor == 0:
		return fault.Field("offering.deposit", "want a percentage or a least amount; leave it out where nothing is paid ahead")
	case d.RefundUntilHours < 0 || d.RefundUntilHours > maxRefundHours:
		return fault.Field("offering.deposit.refundUntilHours", "want 0 to %d hours before the start", maxRefundHours)
	}
	return nil
}

// Due returns how much of a price is to be paid ahead, in minor units: the percentage,
// rounded up, or the least amount where that is more; 0 when nothing is.
func (o Offering) Due(priceMinor int64) int64 {
	if o.Deposit == nil || priceMinor <= 0 {
		return 0
	}
	whole, rest := priceMinor/100, priceMinor%100 // so that no price overflows
	share := whole*int64(o.Deposit.PercentOfPrice) + (rest*int64(o.Deposit.PercentOfPrice)+99)/100
	return min(max(share, o.Deposit.MinMinor), priceMinor)
}
