package twilio

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"merve/internal/cloud/exchange"
)

// CallState is how far one leg of a call has come.
type CallState string

const (
	CallInitiated CallState = "initiated"
	CallRinging   CallState = "ringing"
	CallAnswered  CallState = "answered"
	CallCompleted CallState = "completed" // after it was answered
	CallBusy      CallState = "busy"
	CallFailed    CallState = "failed"
	CallNoAnswer  CallState = "no-answer"
)

// callStates are Twilio's words for calls.
// https://www.twilio.com/docs/voice/api/call-resource#call-status-values
var callStates = map[string]CallState{
	"queued": CallInitiated, "initiated": CallInitiated, "ringing": CallRinging, "in-progress": CallAnswered, "answered": CallAnswered,
	"completed": CallCompleted, "busy": CallBusy, "failed": CallFailed, "no-answer": CallNoAnswer, "canceled": CallNoAnswer,
}

// Ring asks for a call to somebody's telephone.
type Ring struct {
	To             string // E.164
	URL            string // where Twilio asks what to do once somebody has answered
	StatusCallback string // called with each change of status
}

// Ring has Twilio ring a telephone, and returns the SID of the call. Errors are *[SendError]. There is no
// idempotency key: after an unclear one, [Client.Calls] tells whether Twilio has the call.
// https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource
func (c *Client) Ring(ctx context.Context, r Ring) (sid string, err error) {
	if failed := c.ringable(r); failed != nil {
		return "", failed
	}
	form := url.Values{
		"From": {bare(c.From)}, "To": {r.To}, "Url": {r.URL}, "Method": {http.MethodPost},
		"StatusCallback": {r.StatusCallback}, "StatusCallbackMethod": {http.MethodPost},
		"StatusCallbackEvent": {"initiated", "ringing", "answered", "completed"},
	}
	return c.create(ctx, c.calls(), form, "the answer names no call")
}

// ringable checks a call by Twilio's rules, so that a call it would refuse costs no request.
func (c *Client) ringable(r Ring) *SendError {
	if failed := c.configured(); failed != nil {
		return failed
	}
	switch {
	case !IsPhone(r.To):
		return refused(21211)
	case !exchange.IsURL(r.URL):
		return refused(21205)
	case !exchange.IsURL(r.StatusCallback):
		return refused(21609)
	}
	return nil
}

func (c *Client) call(sid string) string {
	return "/2010-04-01/Accounts/" + url.PathEscape(c.AccountSID) + "/Calls/" + url.PathEscape(sid) + ".json"
}

func (c *Client) calls() string {
	return "/2010-04-01/Accounts/" + url.PathEscape(c.AccountSID) + "/Calls.json"
}

// Call is a call as Twilio keeps it.
type Call struct {
	SID         string
	State       CallState
	DateCreated time.Time // whole seconds
}

// CallQuery asks for calls: those from this sender to somebody, or those that another call was connected with.
type CallQuery struct {
	To     string
	Parent string
	Since  time.Time // calls created before, by Twilio's clock, are left out
}

// Calls lists calls, newest first. Twilio's list may lag behind by seconds. An incomplete answer is an error, since
// "not found" lets a call be made again. The list is not narrowed by StartTime, which a call in the queue has not.
func (c *Client) Calls(ctx context.Context, q CallQuery) ([]Call, error) {
	if failed := c.configured(); failed != nil {
		return nil, failed
	}
	query := url.Values{"PageSize": {strconv.Itoa(pageSize)}}
	if q.Parent != "" {
		query.Set("ParentCallSid", q.Parent)
	} else {
		query.Set("To", q.To)
		query.Set("From", bare(c.From))
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	since := q.Since.Truncate(time.Second) // what Twilio's dates are cut to
	var all []Call
	path := c.calls() + "?" + query.Encode()
	for range maxPages {
		page, err := c.page(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("list calls: %w", err)
		}
		older := 0
		for _, r := range page.Calls {
			found, err := r.call()
			switch {
			case err != nil:
				return nil, fmt.Errorf("list calls: %w", err)
			case !found.DateCreated.IsZero() && found.DateCreated.Before(since):
				older++
			default:
				all = append(all, found)
			}
		}
		if page.Next == "" || older > 0 && older == len(page.Calls) {
			return all, nil
		}
		path = page.Next
	}
	return nil, fmt.Errorf("list calls: more than %d pages", maxPages)
}

// Call reads one call.
func (c *Client) Call(ctx context.Context, sid string) (Call, error) {
	if failed := c.configured(); failed != nil {
		return Call{}, failed
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	req, err := c.request(ctx, http.MethodGet, c.call(sid), nil)
	if err != nil {
		return Call{}, fmt.Errorf("read call: %w", err)
	}
	got, err := exchange.Do(c.HTTP, req, maxAnswer)
	if err != nil {
		return Call{}, fmt.Errorf("read call: %w", err)
	}
	var r callResource
	if got.Status != http.StatusOK {
		return Call{}, fmt.Errorf("read call: HTTP %d", got.Status)
	}
	if err := json.Unmarshal(got.Body, &r); err != nil {
		return Call{}, fmt.Errorf("read call: the answer is no call: %w", err)
	}
	return r.call()
}

// End ends a call, even if somebody has answered it by then. Status "canceled" would not do that: to Twilio, a call that
// rings within a Dial is in progress.
// https://www.twilio.com/docs/voice/api/call-resource#update-a-call-resource
func (c *Client) End(ctx context.Context, sid string) error {
	if failed := c.configured(); failed != nil {
		return failed
	}
	if _, err := c.create(ctx, c.call(sid), url.Values{"Status": {"completed"}}, "the answer names no call"); err != nil {
		return fmt.Errorf("end call: %w", err)
	}
	return nil
}

// callResource is the part of a call resource that is read.
type callResource struct {
	SID         string `json:"sid"`
	Status      string `json:"status"`
	DateCreated string `json:"date_created"`
}

func (r callResource) call() (Call, error) {
	call := Call{SID: r.SID, State: cmp.Or(callStates[r.Status], CallInitiated)}
	if r.SID == "" {
		return call, fmt.Errorf("a call has no sid")
	}
	at, err := created(r.SID, r.DateCreated)
	call.DateCreated = at
	return call, err
}

// CallStatus is Twilio's word on one leg of a call.
// https://www.twilio.com/docs/voice/api/call-resource#statuscallback
type CallStatus struct {
	SID       string
	Parent    string // of the call that this one was connected with; "" for the first leg
	State     CallState
	ErrorCode int // 0 if there is no error
}

// ParseCallStatus reads the form of a status callback of a call. Its errors name the parameter.
func ParseCallStatus(form url.Values) (CallStatus, error) {
	p := &parser{form: form}
	s := CallStatus{SID: p.required("CallSid"), Parent: form.Get("ParentCallSid"), State: callStates[form.Get("CallStatus")]}
	if s.State == "" {
		p.fail("CallStatus", "want initiated, ringing, in-progress, completed, busy, failed or no-answer")
	}
	if code, err := strconv.Atoi(form.Get("ErrorCode")); err == nil {
		s.ErrorCode = code
	}
	if p.err != nil {
		return CallStatus{}, p.err
	}
	return s, nil
}

// HangUp is the TwiML that ends a call.
const HangUp = `<?xml version="1.0" encoding="UTF-8"?><Response><Hangup/></Response>`

// Connect is the TwiML that connects a call with somebody on WhatsApp.
// https://www.twilio.com/docs/voice/twiml/whatsapp
func Connect(sender, to, statusCallback string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><Response><Dial callerId="` + html.EscapeString(channelPrefix+bare(sender)) +
		`"><WhatsApp statusCallback="` + html.EscapeString(statusCallback) +
		`" statusCallbackEvent="initiated ringing answered completed">` + html.EscapeString(bare(to)) + `</WhatsApp></Dial></Response>`
}
