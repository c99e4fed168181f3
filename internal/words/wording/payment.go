package wording

// Payments, to the customer.
const (
	PaymentSummary   Key = "payment_summary"   // one line about an offer that is to be paid: summary, amount
	PaymentPrompt    Key = "payment_prompt"    // an offer waits for the YES to pay it: summary, until
	PaymentLink      Key = "payment_link"      // after the YES, which books nothing: summary, amount, link, until
	PaymentLetGo     Key = "payment_let_go"    // what waits for its payment is to be let go: summary, until
	PaymentAway      Key = "payment_away"      // a YES while payments cannot be taken: until
	PaymentPaid      Key = "payment_paid"      // it is paid and booked: summary, code, amount
	PaymentFailed    Key = "payment_failed"    // the bank has said no: amount, link, until
	PaymentTooLate   Key = "payment_too_late"  // paid when it was not held any more: summary, amount
	PaymentReturning Key = "payment_returning" // after a cancellation: summary, amount
	PaymentReturned  Key = "payment_returned"  // by the business or by staff: summary, amount

	PaymentReturningPart Key = "payment_returning_part" // after a late cancellation, or when nobody came: summary, amount, back, kept
)

// What becomes of what is paid for a booking.
const (
	DepositRule    Key = "deposit_rule"     // below an offer that is to be paid: until, kept
	DepositRuleNow Key = "deposit_rule_now" // the same, too late to be cancelled for nothing: kept
	MoveMoneyBack  Key = "move_money_back"  // below a new time, the one before being paid: amount
	MoneyBack      Key = "money_back"       // of a cancellation, before and after the YES: amount, until
	MoneyKept      Key = "money_kept"       // the same, too late: amount, until
	MoneyPart      Key = "money_part"       // the same, and a part of it is kept: amount, back, kept, until
)

// A booking to which nobody came, to the customer, unasked.
const (
	BookingNoShow     Key = "booking_no_show"      // until when it can be taken back: listing, summary, until
	NoShowKept        Key = "no_show_kept"         // below it: amount
	NoShowPart        Key = "no_show_part"         // below it, a part is kept: amount, kept, back
	NoShowRuleDeposit Key = "no_show_rule_deposit" // below it, what more of them lead to: count, days
	NoShowRulePerson  Key = "no_show_rule_person"  // the same: count, days, listing
	BookingCame       Key = "booking_came"         // it was taken back: listing, summary
)

// The page on which payments are made.
const (
	PayTitle      Key = "pay_title"
	PayAmount     Key = "pay_amount"      // heads the amount
	PayHeld       Key = "pay_held"        // until when it is held: until
	PayButton     Key = "pay_button"      // amount
	PayOff        Key = "pay_off"         // cards cannot be taken
	PayChecking   Key = "pay_checking"    // paid, and not yet confirmed
	PayDone       Key = "pay_done"        // paid and confirmed
	PayGaveBack   Key = "pay_gave_back"   // the money is or was given back
	PayGone       Key = "pay_gone"        // not held any more
	PayMissing    Key = "pay_missing"     // no such link
	PayNotThrough Key = "pay_not_through" // it did not work, and can be tried again
	PayNoScript   Key = "pay_no_script"   // the browser runs no scripts
)
