package twilio

import (
	"cmp"
	"net/url"
	"strconv"
)

// State is how far a message has come.
type State string

const (
	Queued    State = "queued"
	Sent      State = "sent" // on its way, out of our hands
	Failed    State = "failed"
	Delivered State = "delivered"
	Read      State = "read"
)

// states are Twilio's words for outbound messages.
// https://www.twilio.com/docs/messaging/api/message-resource#message-status-values
var states = map[string]State{
	"accepted": Queued, "scheduled": Queued, "queued": Queued,
	"sending": Sent, "sent": Sent, "partially_delivered": Sent,
	"delivered": Delivered, "read": Read,
	"failed": Failed, "undelivered": Failed, "canceled": Failed,
}

// Status is Twilio's word on a message that was sent.
// https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
type Status struct {
	SID          string
	State        State
	ErrorCode    int    // 0 if there is no error
	ErrorMessage string // Twilio's words, which may hold personal data
}

// Reason is why the message failed, fit for logs and for the desk; "" when it did not.
func (s Status) Reason() string {
	if s.State != Failed {
		return ""
	}
	return reason(s.ErrorCode)
}

// ParseStatus reads the form of a status callback. Its errors name the parameter.
func ParseStatus(form url.Values) (Status, error) {
	p := &parser{form: form}
	field := p.name("MessageStatus", "SmsStatus")
	s := Status{
		SID:          p.required("MessageSid", "SmsSid"),
		State:        states[form.Get(field)],
		ErrorMessage: cmp.Or(p.text("ErrorMessage"), p.text("ChannelStatusMessage")),
	}
	if s.State == "" {
		p.fail(field, "want queued, sent, delivered, read, failed or undelivered")
	}
	if code, err := strconv.Atoi(form.Get("ErrorCode")); err == nil {
		s.ErrorCode = code // a failure counts whether or not its cause can be read
	}
	if p.err != nil {
		return Status{}, p.err
	}
	return s, nil
}
