package meta

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"merve/internal/cloud/exchange"
	"merve/internal/spine/outbox"
)

// Codes that callers act on.
const (
	codeToken = 190 // the access token is wrong, has expired or was revoked
)

// SendError is a send that failed.
type SendError struct {
	Status     int            // of the HTTP answer; 0 when there was none
	Code       int            // Meta's; 0 when it gave none
	Subcode    int            // narrows Code down; 0 when Meta gave none
	Message    string         // the code's meaning, in our words: no personal data
	Outcome    outbox.Outcome //
	RetryAfter time.Duration  // how long to wait; 0 when Meta does not say
	Alert      bool           // somebody must look: token, app or page is not in order
	Err        error          // cause, when the exchange itself broke
}

func (e *SendError) Error() string {
	s := fmt.Sprintf("meta: %s: %s", e.Outcome, e.Reason())
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
	switch {
	case e.Code == 0:
		return e.Message
	case e.Subcode == 0:
		return fmt.Sprintf("%d: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%d/%d: %s", e.Code, e.Subcode, e.Message)
}

// outsideWindow reports whether the message was refused because the person wrote too long ago.
func (e *SendError) outsideWindow() bool {
	return e.Code == 10 && (e.Subcode == 2018278 || e.Subcode == 2018065 || e.Subcode == 2534022)
}

// meaning is the consequence of one of Meta's error codes for a send.
type meaning struct {
	outcome outbox.Outcome
	text    string
	alert   bool
	wait    time.Duration
}

// code is an error code with its subcode; the subcode 0 covers all subcodes not listed.
type code struct{ code, subcode int }

// meanings are the codes that a message can meet. Any other code of a refused request is
// permanent.
//
// Codes 1 and 2 are Meta's own failures. Its page says of one of them that the messages
// were sent although the answer is an error, so that nobody knows.
// https://developers.facebook.com/documentation/business-messaging/messenger-platform/error-codes
// https://developers.facebook.com/docs/graph-api/guides/error-handling
// https://developers.facebook.com/docs/graph-api/overview/rate-limiting
var meanings = map[code]meaning{
	{1, 0}:    {outbox.Unclear, "Meta failed", false, 0},
	{2, 0}:    {outbox.Unclear, "Meta failed", false, 0},
	{1200, 0}: {outbox.Retry, "Meta could not send it for now", false, 0},

	// Rates. Usage is counted over an hour, sends to one person over less.
	{4, 0}:       {outbox.Retry, "the app has reached its limit of requests", false, 5 * time.Minute},
	{17, 0}:      {outbox.Retry, "the account has reached its limit of requests", false, 5 * time.Minute},
	{32, 0}:      {outbox.Retry, "the page has reached its limit of requests", false, 5 * time.Minute},
	{613, 0}:     {outbox.Retry, "too many requests at once", false, time.Minute},
	{80001, 0}:   {outbox.Retry, "the page has reached its limit of requests", false, 5 * time.Minute},
	{80006, 0}:   {outbox.Retry, "the page has reached its limit of messages", false, 5 * time.Minute},
	{4, 2018354}: {outbox.Permanent, "too soon after the last notification of its kind", false, 0},

	// Token, app and page.
	{190, 0}:       {outbox.Permanent, "the page's access token is wrong, has expired or was revoked", true, 0},
	{3, 0}:         {outbox.Permanent, "the app may not do this", true, 0},
	{10, 0}:        {outbox.Permanent, "the app may not send messages", true, 0},
	{100, 0}:       {outbox.Permanent, "a parameter is not valid", true, 0},
	{100, 33}:      {outbox.Permanent, "the page cannot write to this person", false, 0},
	{200, 0}:       {outbox.Permanent, "the app or its token lacks a permission", true, 0},
	{200, 2018028}: {outbox.Permanent, "the app is in development: it writes to its own testers only", true, 0},
	{230, 0}:       {outbox.Permanent, "the token lacks the permission pages_messaging", true, 0},
	{368, 0}:       {outbox.Permanent, "Meta has blocked this for breaking its policies", true, 0},
	{2022, 0}:      {outbox.Permanent, "Meta has blocked this for breaking its policies", true, 0},
	{10904, 0}:     {outbox.Permanent, "the page has switched messages off", true, 0},

	// The person.
	{10, 2018278}:  {outbox.Permanent, "outside the 24-hour window", false, 0},
	{10, 2018065}:  {outbox.Permanent, "outside the 24-hour window", false, 0},
	{10, 2534022}:  {outbox.Permanent, "outside the 24-hour window", false, 0},
	{10, 2018108}:  {outbox.Permanent, "the person does not take messages from the page", false, 0},
	{100, 2018001}: {outbox.Permanent, "the page knows no such person", false, 0},
	{200, 1545041}: {outbox.Permanent, "the person is not available", false, 0},
	{551, 0}:       {outbox.Permanent, "the person is not available", false, 0},
	{10903, 0}:     {outbox.Permanent, "the person cannot be answered", false, 0},
}

// meaningOf returns the meaning of a code with its subcode.
func meaningOf(c code) (m meaning, known bool) {
	if m, known = meanings[c]; !known {
		m, known = meanings[code{code: c.code}]
	}
	if !known && c.code > 200 && c.code < 300 {
		return meanings[code{code: 200}], true // one for each permission
	}
	return m, known
}

// refused is an error that is known before Meta is asked.
func refused(text string) *SendError { return &SendError{Message: text, Outcome: outbox.Permanent} }

// graphError is an error in the form of the Graph API.
type graphError struct {
	Code      int  `json:"code"`
	Subcode   int  `json:"error_subcode"`
	Transient bool `json:"is_transient"`
}

// refusal turns an HTTP answer that is not a message into an error.
func refusal(status int, g graphError, header http.Header, now time.Time) *SendError {
	m, known := meaningOf(code{g.Code, g.Subcode})
	e := &SendError{Status: status, Code: g.Code, Subcode: g.Subcode, Message: m.text, Outcome: m.outcome, Alert: m.alert, RetryAfter: m.wait}
	if e.Outcome == outbox.Retry || status == http.StatusTooManyRequests {
		e.RetryAfter = cmp.Or(max(exchange.RetryAfter(header, now), regain(header)), m.wait)
	}
	if known && status != http.StatusTooManyRequests {
		return e
	}
	if !known {
		e.Message = cmp.Or(http.StatusText(status), "unknown status")
	}
	switch {
	case status == http.StatusTooManyRequests:
		e.Outcome = outbox.Retry
	case status >= 500, status == http.StatusRequestTimeout:
		e.Outcome = outbox.Unclear // a gateway says so of requests that got through, too
	case g.Transient:
		e.Outcome = outbox.Retry
	case status < 400 && g.Code == 0:
		e.Outcome, e.Alert = outbox.Permanent, true // a redirect: the base address is wrong
	default:
		e.Outcome = outbox.Permanent
		e.Alert = status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound
	}
	return e
}

// regain is when Meta expects a page that is over its limit to be let in again.
// https://developers.facebook.com/docs/graph-api/overview/rate-limiting#headers-2
func regain(header http.Header) time.Duration {
	var usage map[string][]struct {
		Minutes float64 `json:"estimated_time_to_regain_access"`
	}
	if json.Unmarshal([]byte(header.Get("X-Business-Use-Case-Usage")), &usage) != nil {
		return 0
	}
	var longest float64
	for _, uses := range usage {
		for _, use := range uses {
			longest = max(longest, use.Minutes)
		}
	}
	return time.Duration(min(longest, exchange.MaxWait.Minutes()) * float64(time.Minute))
}
