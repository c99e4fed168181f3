package twilio

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"merve/internal/cloud/exchange"
)

// Outcome is the consequence of a failed send.
type Outcome string

const (
	Permanent Outcome = "permanent" // will never go
	Retry     Outcome = "retry"     // nothing was sent; later it may
	Unclear   Outcome = "unclear"   // it may have been sent: ask with [Client.Find] first
)

// Codes that callers act on.
const (
	CodeAuthenticate  = 20003 // the key is wrong
	CodeTooMany       = 20429
	CodeOptedOut      = 21610 // the recipient wrote STOP to Twilio
	CodeOutsideWindow = 63016 // only a template can go now
	CodeNotPermitted  = 37000 // the person has not permitted the business to call on WhatsApp
	CodeCallsLimited  = 37004 // the sender has made as many calls as WhatsApp allows it
	CodeCalledEnough  = 37006 // this person was called as often as their permission allows
)

// SendError is a send that failed.
type SendError struct {
	Status     int           // of the HTTP answer; 0 when there was none
	Code       int           // Twilio's; 0 when it gave none
	Message    string        // the code's meaning, in our words: no personal data
	Outcome    Outcome       //
	RetryAfter time.Duration // how long Twilio asks to wait; 0 when it does not say
	Alert      bool          // somebody must look: key, account or sender is not in order
	Err        error         // cause, when the exchange itself broke
}

func (e *SendError) Error() string {
	s := fmt.Sprintf("twilio: %s: %s", e.Outcome, e.Reason())
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *SendError) Unwrap() error { return e.Err }

// Reason is code and meaning, fit for logs and for the desk.
func (e *SendError) Reason() string {
	if e.Code == 0 {
		return e.Message
	}
	return fmt.Sprintf("%d: %s", e.Code, e.Message)
}

// meaning is the consequence of one of Twilio's error codes for a send.
type meaning struct {
	outcome Outcome
	text    string
	alert   bool
	wait    time.Duration
}

// meanings are the codes that a WhatsApp message or a call can meet, as Twilio's dictionary has
// them at https://www.twilio.com/docs/api/errors/{code}. Any other code of a refused
// request is permanent.
var meanings = map[int]meaning{
	// Account and API.
	10001: {Permanent, "the account is not active", true, 0},
	20001: {Permanent, "a parameter is not valid", false, 0},
	20003: {Permanent, "account SID or auth token is wrong", true, 0},
	20005: {Permanent, "the account is not active", true, 0},
	20403: {Permanent, "the account may not do this", true, 0},
	20404: {Permanent, "no such account", true, 0},
	20429: {Retry, "too many requests at once", false, 0}, // "never processed and always safe to retry"
	20500: {Unclear, "Twilio failed", false, 0},           // "possible for a customer to receive multiple messages"
	20503: {Retry, "Twilio is away", false, 0},            // "try again … with exponential back-off"

	// The request.
	21211: {Permanent, "the recipient is not a valid number", false, 0},
	21212: {Permanent, "the sender is not a valid number", true, 0},
	21408: {Permanent, "the account may not send to that region", true, 0},
	21602: {Permanent, "the text is missing", false, 0},
	21603: {Permanent, "the sender is missing", true, 0},
	21604: {Permanent, "the recipient is missing", false, 0},
	21606: {Permanent, "the sender cannot send messages", true, 0},
	21608: {Permanent, "a trial account sends to verified numbers only", true, 0},
	21609: {Permanent, "the address for status callbacks is not valid", true, 0},
	21610: {Permanent, "the recipient has opted out", false, 0},
	21611: {Retry, "the sender's queue is full", false, 0},
	21612: {Permanent, "the recipient cannot be reached from this sender", false, 0},
	21614: {Permanent, "the recipient is not a mobile number", false, 0},
	21617: {Permanent, "the text is longer than 1,600 characters", false, 0},
	21619: {Permanent, "text, media or template is missing", false, 0},
	21620: {Permanent, "the address of an attachment is not valid", false, 0},
	21623: {Permanent, "too many attachments", false, 0},
	21654: {Permanent, "the template is missing", false, 0},
	21655: {Permanent, "the account has no such template", true, 0},
	21656: {Permanent, "the template's parameters are not valid", false, 0},
	21659: {Permanent, "the sender is not a number at Twilio", true, 0},
	21660: {Permanent, "the sender belongs to another account", true, 0},
	21910: {Permanent, "sender and recipient are of different channels", true, 0},

	// Calls.
	21205: {Permanent, "the address that says what to do is not valid", true, 0},
	21210: {Permanent, "the caller's number is not verified", true, 0},
	21215: {Permanent, "the account may not call that region", true, 0},
	37000: {Permanent, "the person has not permitted calls on WhatsApp", false, 0},
	37004: {Permanent, "the sender has made as many calls as WhatsApp allows it", false, 0},
	37006: {Permanent, "the person was called as often as their permission on WhatsApp allows", false, 0},
	37007: {Permanent, "businesses of the sender's country may not call on WhatsApp", true, 0},
	37008: {Permanent, "the caller is no WhatsApp sender of the account", true, 0},

	// Queues and loops.
	14107: {Retry, "too many messages between two numbers", false, 30 * time.Second}, // 30 in 30 seconds
	30001: {Retry, "the queue is full", false, 0},
	30002: {Permanent, "the account is suspended", true, 0},

	// WhatsApp.
	63001: {Permanent, "WhatsApp does not accept the sender's credentials", true, 0},
	63002: {Permanent, "WhatsApp does not know the sender", true, 0},
	63003: {Permanent, "WhatsApp does not know the recipient", false, 0},
	63005: {Permanent, "WhatsApp did not accept the content", false, 0},
	63006: {Permanent, "the content could not be put into WhatsApp's form", false, 0},
	63007: {Permanent, "the account has no such WhatsApp sender", true, 0},
	63008: {Permanent, "the WhatsApp sender is not configured", true, 0},
	63012: {Retry, "WhatsApp failed", false, 0},
	63013: {Permanent, "the content is against WhatsApp's policy", false, 0},
	63014: {Permanent, "the recipient has blocked the sender", false, 0},
	63015: {Permanent, "the recipient has not joined the sandbox", false, 0},
	63016: {Permanent, "outside the 24-hour window: only an approved template can go", false, 0},
	63017: {Retry, "the account sends too fast", false, 0},
	63018: {Retry, "the WhatsApp sender has reached its limit", false, 0},
	63019: {Permanent, "an attachment could not be fetched", false, 0},
	63020: {Permanent, "the business account at Meta is not in order", true, 0},
	63021: {Permanent, "WhatsApp does not support the content", false, 0},
	63022: {Permanent, "the sender's name is not certified", true, 0},
	63024: {Permanent, "the recipient is not a WhatsApp user", false, 0},
	63027: {Permanent, "the template does not exist in that language", false, 0},
	63028: {Permanent, "the template has another number of parameters", false, 0},
	63030: {Permanent, "a parameter is not supported for this message", false, 0},
	63031: {Permanent, "sender and recipient are the same", false, 0},
	63032: {Permanent, "WhatsApp does not deliver to this recipient at present", false, 0},
	63033: {Permanent, "the recipient is blocked from receiving", false, 0},
	63038: {Retry, "the account has reached its daily limit", false, time.Hour},
	63049: {Permanent, "Meta chose not to deliver this marketing message", false, 0},
	63051: {Permanent, "Meta has locked the WhatsApp sender", true, 0},
	63112: {Permanent, "Meta has disabled the account or the sender", true, 0},
}

// reason is a code and its meaning, for a message that failed after it was taken.
func reason(code int) string {
	m, known := meanings[code]
	switch {
	case code == 0:
		return "Twilio gives no reason"
	case !known:
		m.text = "see Twilio's error dictionary"
	}
	return fmt.Sprintf("%d: %s", code, m.text)
}

// CallRefused returns what the code of a failed call says about the person's permission at WhatsApp; "" says nothing.
func CallRefused(code int) string {
	switch code {
	case CodeNotPermitted, CodeCallsLimited, CodeCalledEnough:
		return reason(code)
	}
	return ""
}

// refused is an error for a code that is known before Twilio is asked.
func refused(code int) *SendError {
	m := meanings[code]
	return &SendError{Code: code, Message: m.text, Outcome: Permanent, Alert: m.alert}
}

// refusal turns an HTTP answer that is not a message into an error.
func refusal(status, code int, header http.Header, now time.Time) *SendError {
	m, known := meanings[code]
	e := &SendError{Status: status, Code: code, Message: m.text, Outcome: m.outcome, Alert: m.alert, RetryAfter: m.wait}
	if wait := exchange.RetryAfter(header, now); wait > 0 {
		e.RetryAfter = wait
	}
	if !known {
		e.Message = cmp.Or(http.StatusText(status), "unknown status")
	}
	switch {
	case status == http.StatusTooManyRequests:
		e.Outcome = Retry
	case status == http.StatusServiceUnavailable && (code == 20503 || e.RetryAfter > 0):
		e.Outcome = Retry // Twilio, or a gateway before it, turned the request away
	case status >= 500, status == http.StatusRequestTimeout:
		e.Outcome = Unclear // a gateway also says 502, 503 or 504 of requests that got through
	case status < 400:
		e.Outcome, e.Alert = Permanent, true // a redirect: the base address is wrong
	case !known:
		e.Outcome = Permanent
		e.Alert = status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound
	}
	return e
}
