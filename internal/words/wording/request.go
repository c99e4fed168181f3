package wording

// Marketplace requests, to the client.
const (
	RequestOutreachSummary Key = "request_outreach_summary" // which vendors the client wants to ask, and for what: need, count, vendors
	RequestOutreachPrompt  Key = "request_outreach_prompt"  // that waits for its YES: summary, until
	RequestAsked           Key = "request_asked"            // after the YES: count, code
	RequestAskedNot        Key = "request_asked_not"        // NO
	RequestAcceptSummary   Key = "request_accept_summary"   // whose quote is to be accepted: vendor, price, availability, notes, words, need, customer, phone
	RequestAcceptPrompt    Key = "request_accept_prompt"    // that waits for its YES: summary, until
	RequestAccepted        Key = "request_accepted"         // after the YES: vendor, price, code
	RequestAcceptedNot     Key = "request_accepted_not"     // NO
	RequestCallSummary     Key = "request_call_summary"     // whether the client may be called: need, phone, scope, words
	RequestCallPrompt      Key = "request_call_prompt"      // that waits for its YES: summary, until
	RequestCallGranted     Key = "request_call_granted"     // after the YES: phone, until, code
	RequestCallDenied      Key = "request_call_denied"      // NO
	RequestCallOff         Key = "request_call_off"         // after words of refusal
	RequestLetterSummary   Key = "request_letter_summary"   // words to a vendor in the client's name: vendor, words, need
	RequestLetterPrompt    Key = "request_letter_prompt"    // that waits for its YES: summary, until
	RequestLetterSent      Key = "request_letter_sent"      // after the YES: vendor, words, code
	RequestLetterNot       Key = "request_letter_not"       // NO
	RequestDealSummary     Key = "request_deal_summary"     // what was accepted, and may end: vendor, price, words, need
	RequestDropPrompt      Key = "request_drop_prompt"      // that waits for the YES to cancel it: summary, until
	RequestDropped         Key = "request_dropped"          // after the YES: vendor, code
	RequestDonePrompt      Key = "request_done_prompt"      // that waits for the YES that it is done: summary, until
	RequestDone            Key = "request_done"             // after the YES: vendor, code
	RequestKept            Key = "request_kept"             // NO to either
	RequestLate            Key = "request_late"             // a YES that comes too late
	RequestBounded         Key = "request_bounded"          // a YES, and no more is sent for one client today: count
	RequestUnreachable     Key = "request_unreachable"      // a YES, and the vendor cannot be told by now: vendor
	RequestNews            Key = "request_news"             // above a question from outside the client's own turn: code
	RequestQuotes          Key = "request_quotes"           // all quotes: code, need, lines
	RequestQuoteLine       Key = "request_quote_line"       // one of them: number, vendor, price, availability, notes, words
	RequestNoPrice         Key = "request_no_price"         // where no price was named
	RequestPriceAssumed    Key = "request_price_assumed"    // a price whose vendor named no currency: price, currency
	RequestNotedBy         Key = "request_noted_by"         // what a vendor said by telephone: words, name
	RequestAnswered        Key = "request_answered"         // a vendor has written, and quotes nothing: vendor, code, words
	RequestUnclear         Key = "request_unclear"          // a vendor has answered, with a price that is not clear: vendor, code, words
	RequestWinner          Key = "request_winner"           // the vendor whose quote was accepted has written since: vendor, code, words
	RequestSilent          Key = "request_silent"           // nobody who was asked has it: code, need
	RequestOff             Key = "request_off"              // it was cancelled: code
	RequestFailed          Key = "request_failed"           // it cannot go on: code
	RequestOptions         Key = "request_options"          // above quick replies
	RequestUnchecked       Key = "request_unchecked"        // shown with each find from outside of the catalogue
	RequestFound           Key = "request_found"            // what was found outside of the catalogue: code, lines
	RequestFoundCards      Key = "request_found_cards"      // above the cards of what was found: code
	RequestMessage         Key = "request_message"          // what a program or the desk writes: lines
)

// Marketplace requests, to vendors.
const (
	VendorAsked        Key = "vendor_asked"     // what is looked for: market, need, currency, code
	VendorHow          Key = "vendor_how"       // how to answer: code
	VendorQuestion     Key = "vendor_question"  // something more: code, text
	VendorReminder     Key = "vendor_reminder"  // need, code
	VendorAccepted     Key = "vendor_accepted"  // their quote is taken: code, price, availability, notes, words, need, customer, phone
	VendorThanks       Key = "vendor_thanks"    // it is over, and another was taken, or none: code
	VendorNoted        Key = "vendor_noted"     // after an answer: code
	VendorUnclear      Key = "vendor_unclear"   // after an answer whose price is not clear: code, currency
	VendorClosed       Key = "vendor_closed"    // an answer to what is over: code
	VendorWhich        Key = "vendor_which"     // an answer that may mean several: alternatives
	VendorTextOnly     Key = "vendor_text_only" // something else than text
	VendorHelp         Key = "vendor_help"
	VendorFromCustomer Key = "vendor_from_customer" // whose words they are: words
	VendorFromDesk     Key = "vendor_from_desk"     // and of a person at the desk: name, market, words
	VendorCancelled    Key = "vendor_cancelled"     // what was accepted is cancelled: code
	VendorPassedOn     Key = "vendor_passed_on"     // after words of the vendor whose quote was accepted: code
)
