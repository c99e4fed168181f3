package twilio_test

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
)

const (
	deskPhone = "+35722000001"
	answered  = "https://merve.test/webhooks/whatsapp/calls/answered?attempt=a&consent=c&request=r"
)

func ring() twilio.Ring {
	return twilio.Ring{To: deskPhone, URL: answered, StatusCallback: callback}
}

func TestRing(t *testing.T) {
	t.Parallel()
	s := twiliotest.New(t, twiliotest.Config{Now: func() time.Time { return noon }})
	sid, err := client(s).Ring(t.Context(), ring())
	if err != nil {
		t.Fatal(err)
	}
	want := []twiliotest.Call{{SID: sid, From: twiliotest.From, To: deskPhone, URL: answered, StatusCallback: callback, Status: "queued", Created: noon}}
	if diff := cmp.Diff(want, s.Calls()); diff != "" {
		t.Errorf("taken (-want +got):\n%s", diff)
	}
	if c, err := client(s).Call(t.Context(), sid); err != nil || c.State != twilio.CallInitiated || !c.DateCreated.Equal(noon) {
		t.Errorf("%v, read %+v", err, c)
	}
	if _, err := client(s).Call(t.Context(), "CA0"); err == nil {
		t.Error("a call that there is not is read")
	}
}

// What Twilio would refuse costs no request, and of every failure it is known whether the call can have been made.
func TestRingFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(r *twilio.Ring)
		code   int
	}{
		"nobody":      {func(r *twilio.Ring) { r.To = "" }, 21211},
		"no number":   {func(r *twilio.Ring) { r.To = "whatsapp:" + deskPhone }, 21211},
		"no address":  {func(r *twilio.Ring) { r.URL = "/calls" }, 21205},
		"no callback": {func(r *twilio.Ring) { r.StatusCallback = "" }, 21609},
	} {
		s := twiliotest.New(t, twiliotest.Config{})
		r := ring()
		tt.change(&r)
		_, err := client(s).Ring(t.Context(), r)
		if failed := sendError(t, err); failed.Code != tt.code || failed.Outcome != twilio.Permanent || s.Requests() != 0 {
			t.Errorf("%s: %v after %d requests", name, err, s.Requests())
		}
	}
	for name, tt := range map[string]struct {
		fault twiliotest.Fault
		want  twilio.Outcome
	}{
		"too many":  {twiliotest.TooMany(time.Second), twilio.Retry},
		"refused":   {twiliotest.Refusal(37004), twilio.Permanent},
		"cut":       {twiliotest.Fault{Taken: true, Cut: true}, twilio.Unclear},
		"lost":      {twiliotest.After(), twilio.Unclear},
		"not taken": {twiliotest.Before(), twilio.Unclear},
		"broken":    {twiliotest.Broken(true), twilio.Unclear},
	} {
		s := twiliotest.New(t, twiliotest.Config{})
		s.FailRings(tt.fault)
		_, err := client(s).Ring(t.Context(), ring())
		if failed := sendError(t, err); failed.Outcome != tt.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Calls are found by who was called since when, over all pages, and by the call that they were connected with.
func TestCalls(t *testing.T) {
	t.Parallel()
	now := &clock{now: noon}
	s := twiliotest.New(t, twiliotest.Config{Now: now.Now, MaxPage: 2})
	c := client(s)
	var all []string
	for range 5 {
		sid, err := c.Ring(t.Context(), ring())
		if err != nil {
			t.Fatal(err)
		}
		all = append([]string{sid}, all...)
		now.Forward(time.Minute)
	}
	other := ring()
	other.To = "+35722000002"
	if _, err := c.Ring(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	for since, want := range map[time.Duration][]string{0: all, 3 * time.Minute: all[:2], time.Hour: nil} {
		found, err := c.Calls(t.Context(), twilio.CallQuery{To: deskPhone, Since: noon.Add(since)})
		var got []string
		for _, f := range found {
			got = append(got, f.SID)
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("since %s: %v\n%s", since, err, diff)
		}
	}
	if children, err := c.Calls(t.Context(), twilio.CallQuery{Parent: all[0]}); err != nil || len(children) != 0 {
		t.Errorf("%v, connected with %v", err, children)
	}
	s.FailLists(twiliotest.Fault{Status: 500, Code: 20500})
	if _, err := c.Calls(t.Context(), twilio.CallQuery{To: deskPhone}); err == nil {
		t.Error("a list that failed is taken for empty")
	}
}

func TestParseCallStatus(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]twilio.CallState{
		"queued": twilio.CallInitiated, "initiated": twilio.CallInitiated, "ringing": twilio.CallRinging, "in-progress": twilio.CallAnswered,
		"completed": twilio.CallCompleted, "busy": twilio.CallBusy, "failed": twilio.CallFailed, "no-answer": twilio.CallNoAnswer, "canceled": twilio.CallNoAnswer,
	} {
		got, err := twilio.ParseCallStatus(url.Values{"CallSid": {"CA2"}, "ParentCallSid": {"CA1"}, "CallStatus": {status}, "ErrorCode": {"37006"}})
		if err != nil || got != (twilio.CallStatus{SID: "CA2", Parent: "CA1", State: want, ErrorCode: 37006}) {
			t.Errorf("%s: %v, %+v", status, err, got)
		}
	}
	for want, form := range map[string]url.Values{
		"CallSid": {"CallStatus": {"ringing"}}, "CallStatus": {"CallSid": {"CA1"}, "CallStatus": {"humming"}},
	} {
		_, err := twilio.ParseCallStatus(form)
		if _, field := fault.Public(err); !fault.Is(err, fault.Invalid) || field != want {
			t.Errorf("%v: %v", form, err)
		}
	}
	if twilio.CallRefused(37006) == "" || twilio.CallRefused(21215) != "" || !strings.Contains(twilio.CallRefused(37004), "37004") {
		t.Error("what says something of the person, and what does not")
	}
}

// The TwiML is XML whatever the address holds.
func TestConnect(t *testing.T) {
	t.Parallel()
	var got struct {
		Dial twiliotest.Dial `xml:"Dial"`
	}
	if err := xml.Unmarshal([]byte(twilio.Connect(twiliotest.From, recipient, answered+"&leg=client")), &got); err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprint(got.Dial.CallerID, " ", got.Dial.WhatsApp.To, " ", got.Dial.WhatsApp.Callback, " ", got.Dial.WhatsApp.Events)
	if want := "whatsapp:" + twiliotest.From + " " + recipient + " " + answered + "&leg=client initiated ringing answered completed"; said != want {
		t.Errorf("%s, want %s", said, want)
	}
	if err := xml.Unmarshal([]byte(twilio.HangUp), &struct{}{}); err != nil {
		t.Error(err)
	}
}

// A call is ended wherever it is, with the one that it was connected with. One that has ended stays as it is.
func TestEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		desk, child string // before; "" is no child
		want        []string
	}{
		"queued":      {"queued", "", []string{"canceled"}},
		"ringing":     {"ringing", "", []string{"canceled"}},
		"dialling":    {"in-progress", "ringing", []string{"completed", "canceled"}},
		"talking":     {"in-progress", "in-progress", []string{"completed", "completed"}},
		"ended":       {"busy", "", []string{"busy"}},
		"nobody came": {"completed", "no-answer", []string{"completed", "no-answer"}},
	} {
		s := twiliotest.New(t, twiliotest.Config{})
		sid, err := client(s).Ring(t.Context(), ring())
		if err != nil {
			t.Fatal(err)
		}
		if tt.child != "" {
			child, err := s.Told(sid, twiliotest.Answer{Status: 200, Body: twilio.Connect(twiliotest.From, "+35799000001", callback)})
			if err == nil {
				err = s.EndCall(child.SID, tt.child)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.EndCall(sid, tt.desk); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := client(s).End(t.Context(), sid); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		var got []string
		for _, c := range s.Calls() {
			got = append(got, c.Status)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	s := twiliotest.New(t, twiliotest.Config{})
	if err := client(s).End(t.Context(), "CA0"); err == nil {
		t.Error("a call that there is not is ended")
	}
	s.FailEnds(twiliotest.Broken(true))
	if err := client(s).End(t.Context(), "CA0"); err == nil {
		t.Error("a failure is no error")
	}
}
