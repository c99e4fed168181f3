package wording

// Orders, requests for services and viewings, to the customer.
const (
	OrderSummary        Key = "order_summary"         // one line: listing, lines, address, when, phone, note, fee, total; what is empty is left out
	OrderPrompt         Key = "order_prompt"          // food waits for its YES: summary, until
	ServicePrompt       Key = "service_prompt"        // a request for a service does: summary, until
	ViewingPrompt       Key = "viewing_prompt"        // a request for a viewing does: summary, until
	OrderPlaced         Key = "order_placed"          // after the YES to food: summary, code, listing
	ServicePlaced       Key = "service_placed"        // after the YES to a service: summary, code, listing
	ViewingPlaced       Key = "viewing_placed"        // after the YES to a viewing: summary, code, listing
	OrderAlreadyPlaced  Key = "order_already_placed"  // a second YES: summary, code
	OrderReleased       Key = "order_released"        // NO
	OrderLate           Key = "order_late"            // a YES that comes too late
	OrderTooFew         Key = "order_too_few"         // a YES, and fewer are left by now: item, left
	OrderSoldOut        Key = "order_sold_out"        // a YES, and none is left by now: item
	OrderUnreachable    Key = "order_unreachable"     // a YES, and the business cannot be told of it by now: listing
	OrderExpired        Key = "order_expired"         // unasked, when a proposal has run out: summary
	OrderCancelPrompt   Key = "order_cancel_prompt"   // an order is to be cancelled: summary
	OrderCancelled      Key = "order_cancelled"       // after the YES to that: summary, code
	RequestCancelPrompt Key = "request_cancel_prompt" // a service or viewing is to be cancelled: summary
	RequestCancelled    Key = "request_cancelled"     // after the YES to that: summary, code
	OrderKept           Key = "order_kept"            // NO to that: summary
	OrderCancelRefused  Key = "order_cancel_refused"  // a YES to that which comes too late: summary

	MessageTo   Key = "message_to"   // the action that a YES is asked for: listing, text
	MessageSent Key = "message_sent" // after the YES: listing, text

	OrderAccepted            Key = "order_accepted"              // the business has said yes: listing, code, eta
	OrderRefused             Key = "order_refused"               // the business has said no: listing, code, reason
	OrderUnanswered          Key = "order_unanswered"            // the business has said nothing: listing, code
	OrderDone                Key = "order_done"                  // delivered, carried out: listing, code
	BusinessUntold           Key = "business_untold"             // what a business was to be told did not arrive: code, may be empty
	OrderCancelledByBusiness Key = "order_cancelled_by_business" // listing, code, reason
)

// Orders, to the business. The words are what it answers with.
const (
	OrderWordAccept Key = "order_word_accept"
	OrderWordRefuse Key = "order_word_refuse"
	OrderWordDone   Key = "order_word_done"

	MerchantOrderPlaced      Key = "merchant_order_placed"       // code, listing, lines, total, fee, address, map, when, customer, phone, note
	MerchantServicePlaced    Key = "merchant_service_placed"     // the same, without fee
	MerchantViewingPlaced    Key = "merchant_viewing_placed"     // code, listing, when, customer, phone, note
	MerchantMessage          Key = "merchant_message"            // a customer writes: listing, customer, phone, text
	MerchantOrderAnswer      Key = "merchant_order_answer"       // how to answer: code, accept, refuse
	MerchantOrderAnswerTimed Key = "merchant_order_answer_timed" // how to answer what is for a time: code, accept, refuse
	MerchantOrderCancelled   Key = "merchant_order_cancelled"    // code, listing
	MerchantOrderUnanswered  Key = "merchant_order_unanswered"   // code, listing

	OrderYouAccepted Key = "order_you_accepted" // after ACCEPT: code, eta, done
	OrderYouRefused  Key = "order_you_refused"  // after REFUSE: code
	OrderYouDone     Key = "order_you_done"     // after DONE: code
	OrderNoSuch      Key = "order_no_such"      // the code belongs to none of their orders: code
	OrderWhich       Key = "order_which"        // an answer that may mean several: alternatives
	OrderNoneOpen    Key = "order_none_open"    // an answer, and nothing waits for one
	OrderClosed      Key = "order_closed"       // an answer to an order that is past it: code
)

// People who are no customers.
const (
	DispatchHelp Key = "dispatch_help" // to a driver
)
