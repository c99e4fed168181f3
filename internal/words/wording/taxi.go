package wording

// Taxi rides, to the customer.
const (
	TaxiTitle         Key = "taxi_title"          // heads a ride's card
	TaxiNow           Key = "taxi_now"            // a ride's time: at once
	TaxiSummary       Key = "taxi_summary"        // one line: pickup, district, dropoff, when, passengers, phone, note; what is empty is left out
	TaxiConfirmPrompt Key = "taxi_confirm_prompt" // a proposal waits for its YES: summary, until
	TaxiRequested     Key = "taxi_requested"      // after the YES, drivers are asked: summary, code
	TaxiScheduled     Key = "taxi_scheduled"      // after the YES to a later ride: summary, minutes, code
	TaxiAlready       Key = "taxi_already"        // a second YES: summary, code
	TaxiReleased      Key = "taxi_released"       // NO
	TaxiGone          Key = "taxi_gone"           // a YES that comes too late
	TaxiOpen          Key = "taxi_open"           // a YES while another ride is open
	TaxiExpired       Key = "taxi_expired"        // unasked, when a proposal has run out: summary
	TaxiCancelPrompt  Key = "taxi_cancel_prompt"  // a ride is to be cancelled: summary
	TaxiCancelled     Key = "taxi_cancelled"      // after the YES to that: summary, code
	TaxiCalledOff     Key = "taxi_called_off"     // unasked, when staff have cancelled it: summary, code
	TaxiKept          Key = "taxi_kept"           // NO to that: summary
	TaxiNotCancelled  Key = "taxi_not_cancelled"  // a YES to that which comes too late, or meets a driver's: summary
	TaxiAssigned      Key = "taxi_assigned"       // a driver has taken it: driver, vehicle, plate, phone, code
	TaxiArrived       Key = "taxi_arrived"        // the driver is there: driver, vehicle, plate, code
	TaxiDone          Key = "taxi_done"           // the ride is over: code
	TaxiSearching     Key = "taxi_searching"      // the driver has cancelled, others are asked: code
	TaxiUnserved      Key = "taxi_unserved"       // nobody took it: summary
)

// Taxi rides, to drivers. Each has the code, and those that say so the words for an answer.
const (
	TaxiWordArrived Key = "taxi_word_arrived" // what a driver writes on arrival
	TaxiWordDone    Key = "taxi_word_done"    // at the end of a ride
	TaxiWordCancel  Key = "taxi_word_cancel"  // to give a ride back
	TaxiWordOn      Key = "taxi_word_on"      // to be offered rides
	TaxiWordOff     Key = "taxi_word_off"     // not to be offered any

	TaxiOffer           Key = "taxi_offer"             // code, attempt, pickup, pickupMap, district, dropoff, dropoffMap, when, passengers
	TaxiTaken           Key = "taxi_taken"             // to those who did not get it: code
	TaxiPickup          Key = "taxi_pickup"            // to who got it: the same but for attempt, and customer, phone, note, arrived, done, cancel
	TaxiCancelledDriver Key = "taxi_cancelled_driver"  // the customer has cancelled the driver's ride: code
	TaxiCalledOffDriver Key = "taxi_called_off_driver" // staff have: code

	TaxiYours             Key = "taxi_yours"              // a YES that was the first: code
	TaxiYoursAlready      Key = "taxi_yours_already"      // a YES to a ride that the driver has: code
	TaxiTooLate           Key = "taxi_too_late"           // somebody was faster: code
	TaxiCustomerCancelled Key = "taxi_customer_cancelled" // an answer about a ride that the customer has cancelled: code
	TaxiOfferGone         Key = "taxi_offer_gone"         // an answer to what is no longer offered: code
	TaxiWhich             Key = "taxi_which"              // an answer that may mean several: alternatives
	TaxiWhichWord         Key = "taxi_which_word"         // a code without a word: code
	TaxiNoneOpen          Key = "taxi_none_open"          // an answer, and nothing is offered
	TaxiNoRide            Key = "taxi_no_ride"            // a word about a ride that the driver does not have
	TaxiBusy              Key = "taxi_busy"               // a YES while the driver has another ride: code (of that one), done, cancel
	TaxiDeclined          Key = "taxi_declined"           // after NO: code
	TaxiArrivedNoted      Key = "taxi_arrived_noted"      // code
	TaxiDoneNoted         Key = "taxi_done_noted"         // code
	TaxiWithdrawn         Key = "taxi_withdrawn"          // the driver has given the ride back: code
	TaxiOn                Key = "taxi_on"
	TaxiOff               Key = "taxi_off"       // on
	TaxiTryAgain          Key = "taxi_try_again" // something came between
)
