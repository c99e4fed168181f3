package twilio_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/provider/twilio"
)

// Every word of Twilio's for an outbound message has a state, failures of all kinds the
// same one, so that none of them is hidden.
func TestField10_EveryStatusHasAState(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]twilio.State{
		"accepted": twilio.Queued, "scheduled": twilio.Queued, "queued": twilio.Queued,
		"sending": twilio.Sent, "sent": twilio.Sent, "partially_delivered": twilio.Sent,
		"delivered": twilio.Delivered, "read": twilio.Read,
		"failed": twilio.Failed, "undelivered": twilio.Failed, "canceled": twilio.Failed,
	} {
		got, err := twilio.ParseStatus(url.Values{"MessageSid": {sid}, "MessageStatus": {word}})
		if err != nil || got.State != want || got.SID != sid {
			t.Errorf("%s: %+v, %v, want state %s", word, got, err, want)
		}
		if failed := want == twilio.Failed; (got.Reason() != "") != failed {
			t.Errorf("%s: reason %q", word, got.Reason())
		}
	}
}

func TestParseStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		form   url.Values
		want   twilio.Status
		reason string
	}{
		{"outside the window", url.Values{"MessageSid": {sid}, "MessageStatus": {"undelivered"}, "ErrorCode": {"63016"}, "ErrorMessage": {"Failed to send"}},
			twilio.Status{SID: sid, State: twilio.Failed, ErrorCode: 63016, ErrorMessage: "Failed to send"},
			"63016: outside the 24-hour window: only an approved template can go"},
		{"older names", url.Values{"SmsSid": {sid}, "SmsStatus": {"failed"}, "ErrorCode": {"63003"}, "ChannelStatusMessage": {"no such user"}},
			twilio.Status{SID: sid, State: twilio.Failed, ErrorCode: 63003, ErrorMessage: "no such user"},
			"63003: WhatsApp does not know the recipient"},
		{"unknown code", url.Values{"MessageSid": {sid}, "MessageStatus": {"failed"}, "ErrorCode": {"65432"}},
			twilio.Status{SID: sid, State: twilio.Failed, ErrorCode: 65432}, "65432: see Twilio's error dictionary"},
		{"failed without a code", url.Values{"MessageSid": {sid}, "MessageStatus": {"failed"}, "ErrorCode": {"none"}},
			twilio.Status{SID: sid, State: twilio.Failed}, "Twilio gives no reason"},
		{"read", url.Values{"MessageSid": {sid}, "MessageStatus": {"read"}, "EventType": {"READ"}},
			twilio.Status{SID: sid, State: twilio.Read}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := twilio.ParseStatus(tt.form)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || got.Reason() != tt.reason {
				t.Errorf("reason %q, want %q (-want +got):\n%s", got.Reason(), tt.reason, diff)
			}
		})
	}
}

func TestParseStatusErrorsNameTheField(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		form  url.Values
		field string
	}{
		{url.Values{"MessageStatus": {"sent"}}, "MessageSid"},
		{url.Values{"MessageSid": {sid}}, "MessageStatus"},
		{url.Values{"MessageSid": {sid}, "MessageStatus": {"received"}}, "MessageStatus"},
		{url.Values{"MessageSid": {sid}, "MessageStatus": {"SENT"}}, "MessageStatus"},
		{url.Values{"MessageSid": {sid}, "SmsStatus": {"odd"}}, "SmsStatus"},
	} {
		_, err := twilio.ParseStatus(tt.form)
		var f *fault.Error
		if !errors.As(err, &f) || f.Field != tt.field {
			t.Errorf("%v: %v, want an error on %s", tt.form, err, tt.field)
		}
	}
}
