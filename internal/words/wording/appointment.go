package wording

// Appointments with a technician, from the proposal to the end. A hold that waits for its YES is asked about and let
// go of in the words of a booking.
const (
	AppointmentSummary          Key = "appointment_summary"           // one line: service, technician, when, place, price, note
	AppointmentConfirmed        Key = "appointment_confirmed"         // after the YES: summary, code
	AppointmentCancelPrompt     Key = "appointment_cancel_prompt"     // it is to be cancelled: summary
	AppointmentCancelled        Key = "appointment_cancelled"         // after the YES to that: summary
	AppointmentAlreadyCancelled Key = "appointment_already_cancelled" // a second YES to that: summary
	AppointmentCancelRefused    Key = "appointment_cancel_refused"    // a YES to that which comes too late, or it has changed: summary
	AppointmentKept             Key = "appointment_kept"              // NO to that, or to a move
	AppointmentMovePrompt       Key = "appointment_move_prompt"       // it is to be moved: summary, until
	AppointmentMoved            Key = "appointment_moved"             // after the YES to that: summary, code
	AppointmentMoveRefused      Key = "appointment_move_refused"      // a YES to that which comes too late, or something has changed
)

// Calls.
const (
	PersonOffer      Key = "person_offer"      // the action that a YES is asked for: a person takes over
	GreetingPestCall Key = "greeting_pestcall" // the assistant pestcall begins a call
)
