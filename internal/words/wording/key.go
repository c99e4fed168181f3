package wording

// Key names one text of the catalogue. Its comment says when it is said and which
// variables it takes.
type Key string

// The words and buttons of an answer.
const (
	YesWord   Key = "yes_word"   // the literal word that confirms, "YES"
	NoWord    Key = "no_word"    // the literal word that declines, "NO"
	YesButton Key = "yes_button" // the title of a button that confirms
	NoButton  Key = "no_button"  // the title of a button that declines
)

// A booking, from its proposal to its end.
const (
	BookingSummary          Key = "booking_summary"           // one line: listing, offering, when, party, price, note; what is empty is left out
	ConfirmPrompt           Key = "confirm_prompt"            // a hold waits for its YES: summary, until
	BookingConfirmed        Key = "booking_confirmed"         // after the YES: summary, code
	BookingAlreadyConfirmed Key = "booking_already_confirmed" // a second YES: summary, code
	BookingReleased         Key = "booking_released"          // NO to a hold
	CancelPrompt            Key = "cancel_prompt"             // an existing booking is to be cancelled: summary
	BookingCancelled        Key = "booking_cancelled"         // after the YES to that: summary
	BookingAlreadyCancelled Key = "booking_already_cancelled" // a second YES to that: summary
	CancelKept              Key = "cancel_kept"               // NO to that: summary
	CancelRefused           Key = "cancel_refused"            // a YES to that which comes too late, or the booking has changed: summary
	MoveSummary             Key = "move_summary"              // one line: summary (of the new time), before (the old one)
	MovePrompt              Key = "move_prompt"               // a booking is to be moved: summary, until
	BookingMoved            Key = "booking_moved"             // after the YES to that: summary, code
	BookingUnmoved          Key = "booking_unmoved"           // NO to that
	MoveRefused             Key = "move_refused"              // a YES to that which comes too late, or the booking has changed
	WaitlistOffer           Key = "waitlist_offer"            // unasked, before the question: what was waited for is free
	BookingReminder         Key = "booking_reminder"          // unasked, before a booking, as the customer wished: summary, code
	CustomerReference       Key = "customer_reference"        // the booking's code alone: code
)

// A pending action that did not go the straight way.
const (
	HoldGone          Key = "hold_gone"           // a YES within 30 s of expiry, or later
	HoldExpiredNotice Key = "hold_expired_notice" // unasked, when a hold has expired: summary
	StillWaiting      Key = "still_waiting"       // a reminder, whatever is pending: details (the question once more)
	Replaced          Key = "replaced"            // a new proposal has released this one: summary
	WhichOffer        Key = "which_offer"         // a YES that may mean another offer; this one is pending: details (its question)
	NoLongerWaits     Key = "no_longer_waits"     // let go of, since a person has the thread: summary, details (what became of it)
	AnswerNotAwaited  Key = "answer_not_awaited"  // a YES or NO after that
	OldButton         Key = "old_button"          // a tap on an offer that is no longer pending
	OfferChanged      Key = "offer_changed"       // price or terms are no longer those that were shown
	OfferOff          Key = "offer_off"           // a YES to what the market or the business offers no more
	NothingPending    Key = "nothing_pending"     // a bare YES or NO, and nothing waits
)

// A time that cannot be had.
const (
	SlotTaken   Key = "slot_taken"   // someone was faster: alternatives, may be empty
	SlotInvalid Key = "slot_invalid" // reason (one of those below), alternatives, may be empty
	SlotClosed  Key = "slot_closed"  // reason: outside opening hours
)

// Any other tool whose call was frozen for confirmation.
const (
	ActionPrompt   Key = "action_prompt"   // action, details (may have several lines)
	ActionDone     Key = "action_done"     // after the YES: action
	ActionFailed   Key = "action_failed"   // the YES came, the tool failed: action
	ActionDeclined Key = "action_declined" // NO: action
	LookUp         Key = "look_up"         // an action that only reads: text (what it looks for, may be empty)
)

// The conversation itself.
const (
	Greeting         Key = "greeting"           // the assistant merve introduces itself
	ClaimWithheld    Key = "claim_withheld"     // replaces a reply that claimed something that did not happen
	ClaimReplaced    Key = "claim_replaced"     // the same, where something stands or has been settled: lines (what stands)
	ModelUnavailable Key = "model_unavailable"  // the model cannot be reached; the message is kept
	WorkingOnIt      Key = "working_on_it"      // to a caller, when an answer takes long
	WentWrong        Key = "went_wrong"         // a fault of our own
	BoundReached     Key = "bound_reached"      // too many steps for one message
	MarketOff        Key = "market_off"         // the assistant is switched off in this market
	BudgetThread     Key = "budget_thread"      // the thread's limit for the day is used up
	BudgetMarket     Key = "budget_market"      // the market's limit for the day is used up
	MediaUnsupported Key = "media_unsupported"  // an attachment of a kind that cannot be read
	VoiceUnsupported Key = "voice_unsupported"  // a voice note
	NoText           Key = "no_text"            // an empty message
	TooLong          Key = "too_long"           // a message over the limit: max
	OptedOut         Key = "opted_out"          // after STOP
	OptedIn          Key = "opted_in"           // after START
	HandedOver       Key = "handed_over"        // a person takes the thread
	HandedBack       Key = "handed_back"        // the assistant has it again
	PersonWillAnswer Key = "person_will_answer" // the thread waits for a person
	PersonLater      Key = "person_later"       // ... and nobody is there before: when
)

// Damage reports.
const (
	DeleteReport   Key = "delete_report"   // the action that a YES is asked for: address
	ReportResolved Key = "report_resolved" // staff have resolved a report: address

	SectionDescription Key = "section_description"
	SectionProperty    Key = "section_property"
	SectionLocation    Key = "section_location"
	SectionCause       Key = "section_cause"
	SectionOccurredAt  Key = "section_occurred_at"
	SectionSeverity    Key = "section_severity"
	SectionSafety      Key = "section_safety"
	SectionInjuries    Key = "section_injuries"
	SectionAccess      Key = "section_access"
	SectionContact     Key = "section_contact"
	SectionInsurance   Key = "section_insurance"
	SectionOther       Key = "section_other"
)

// What customers do with their own data: the actions that a YES is asked for.
const (
	LinkChats  Key = "link_chats"
	DeleteData Key = "delete_data"
	DataStays  Key = "data_stays" // it is deleted, but for this: codes
)

// To the business.
const (
	MerchantBookingConfirmed Key = "merchant_booking_confirmed" // code, listing, offering, when, party, price, customer, note
	MerchantBookingMoved     Key = "merchant_booking_moved"     // the same, and before: when it was
	MerchantBookingCancelled Key = "merchant_booking_cancelled" // code, listing, offering, when, party, customer
)

// Quotations, dates, times and money; used by the functions named for them.
const (
	keyQuoted Key = "quoted"

	keyDate          Key = "date"
	keyWhenStart     Key = "when_start"
	keyWhenTimes     Key = "when_times"
	keyWhenOvernight Key = "when_overnight"
	keyWhenZone      Key = "when_zone"
	keyStayMonth     Key = "stay_month"
	keyStayYear      Key = "stay_year"
	keyStayYears     Key = "stay_years"
	keyNightsOne     Key = "nights_one"
	keyNightsTwo     Key = "nights_two"
	keyNightsFew     Key = "nights_few"
	keyNightsMany    Key = "nights_many"
	keyNightsOther   Key = "nights_other"
	keyUntilTime     Key = "until_time"
	keyUntilDate     Key = "until_date"

	keyMoneySymbol  Key = "money_symbol"
	keyMoneyCode    Key = "money_code"
	keyMoneyDecimal Key = "money_decimal"
	keyMoneyGroup   Key = "money_group"

	keySunday    Key = "weekday_sun"
	keyMonday    Key = "weekday_mon"
	keyTuesday   Key = "weekday_tue"
	keyWednesday Key = "weekday_wed"
	keyThursday  Key = "weekday_thu"
	keyFriday    Key = "weekday_fri"
	keySaturday  Key = "weekday_sat"

	keyJanuary   Key = "month_01"
	keyFebruary  Key = "month_02"
	keyMarch     Key = "month_03"
	keyApril     Key = "month_04"
	keyMay       Key = "month_05"
	keyJune      Key = "month_06"
	keyJuly      Key = "month_07"
	keyAugust    Key = "month_08"
	keySeptember Key = "month_09"
	keyOctober   Key = "month_10"
	keyNovember  Key = "month_11"
	keyDecember  Key = "month_12"
)
