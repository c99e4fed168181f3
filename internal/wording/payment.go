package wording

// Payments, to the customer.
const (
	PaymentSummary   Key = "payment_summary"   // one line about an offer that is to be paid: summary, amount
	PaymentPrompt    Key = "payment_prompt"    // an offer waits for the YES to pay it: summary, until
	PaymentLink      Key = "payment_link"      // after the YES, which books nothing: summary, amount, link, until
	PaymentAway      Key = "payment_away"      // a YES while payments cannot be taken: until
	PaymentPaid      Key = "payment_paid"      // it is paid and booked: summary, code, amount
	PaymentFailed    Key = "payment_failed"    // the bank has said no: amount, link, until
	PaymentTooLate   Key = "payment_too_late"  // paid when it was not held any more: summary, amount
	PaymentReturning Key = "payment_returning" // after a cancellation: summary, amount
	PaymentReturned  Key = "payment_returned"  // by the business or by staff: summary, amount
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
