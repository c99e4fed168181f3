package wording

// What businesses write to customers.
const (
	BusinessMessage Key = "business_message" // to the customer, quoted: listing, code (may be empty), lines

	MerchantMessageAnswer Key = "merchant_message_answer" // to the business, below a customer's message: code
	RelayPassed           Key = "relay_passed"            // code, customer
	RelayTo               Key = "relay_to"                // the action that a YES is asked for: code, customer, text
	RelayWhich            Key = "relay_which"             // it may be for several customers: alternatives
	RelayClosed           Key = "relay_closed"            // code
	RelayTooLong          Key = "relay_too_long"          // max
	RelayEnough           Key = "relay_enough"            // the limit of the day: code
	RelayUnreachable      Key = "relay_unreachable"       // opted out, or outside the window: code
	RelayUndelivered      Key = "relay_undelivered"       // found out later: code
	RelayTextOnly         Key = "relay_text_only"         // something else than text was attached
)

// A number with a role that is a customer's, too.
const (
	RoleWordCustomer Key = "role_word_customer" // the word to write as a customer
	RoleWordWork     Key = "role_word_work"     // the word to write for one's work again
	RoleCustomer     Key = "role_customer"      // after the one: work
	RoleWork         Key = "role_work"          // after the other: customer
	RoleLapsed       Key = "role_lapsed"        // the time as a customer has run out, and the message was not obeyed: customer
)
