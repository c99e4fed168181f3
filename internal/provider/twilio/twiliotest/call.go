package twiliotest

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Call is a call that the server took, or one that another was connected with.
type Call struct {
	SID            string
	Parent         string // of the call that was connected with it
	From, To       string // of a child: without "whatsapp:"
	URL            string
	StatusCallback string
	Status         string // queued, then what is reported
	Created        time.Time
	Ended          bool // by a request, and not by who was on the telephone
}

// events are what a call may be reported on.
var events = []string{"initiated", "ringing", "answered", "completed"}

// FailRings makes the next calls go wrong, each as one of faults, in order.
func (s *Server) FailRings(faults ...Fault) { s.rings.Add(faults...) }

// Calls returns the calls so far, oldest first.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *Server) createCall(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		refuse(w, http.StatusBadRequest, 20001, "Bad request")
		return
	}
	f := s.rings.Next()
	c, code, message := s.checkCall(r.PostForm)
	if code != 0 {
		refuse(w, http.StatusBadRequest, code, message)
		return
	}
	if f.Taken || f.Status == 0 && !f.Drop && !f.Cut {
		c = s.keepCall(c)
	}
	if !s.fail(w, r, f) {
		write(w, http.StatusCreated, s.callResource(c))
	}
}

// checkCall reads a call as Twilio does. A code that is not 0 says what is wrong.
// https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource
func (s *Server) checkCall(form url.Values) (c Call, code int, message string) {
	c = Call{From: form.Get("From"), To: form.Get("To"), URL: form.Get("Url"), StatusCallback: form.Get("StatusCallback")}
	switch {
	case c.To == "":
		return c, 21201, "No 'To' number is specified"
	case c.From == "":
		return c, 21213, "'From' phone number is required"
	case !phone.MatchString(c.To):
		return c, 21211, fmt.Sprintf("The phone number you are attempting to call, %s, is not valid.", c.To)
	case c.From != s.config.From:
		return c, 21210, fmt.Sprintf("The source phone number provided, %s, is not yet verified for your account.", c.From)
	case !absolute(c.URL):
		return c, 21205, "Url is not a valid URL: " + c.URL
	case c.StatusCallback != "" && !absolute(c.StatusCallback):
		return c, 21609, fmt.Sprintf("The 'StatusCallback' URL %s is not a valid URL.", c.StatusCallback)
	}
	for _, e := range form["StatusCallbackEvent"] {
		if !slices.Contains(events, e) {
			return c, 21626, "Invalid StatusCallbackEvents: " + e
		}
	}
	return c, 0, ""
}

func (s *Server) keepCall(c Call) Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.SID, c.Status, c.Created = "CA"+s.config.NewID(), "queued", s.config.Now().UTC()
	s.calls = append(s.calls, c)
	return c
}

// callResource is a call in Twilio's JSON. It does not tell the address that the call was made with.
func (s *Server) callResource(c Call) map[string]any {
	out := map[string]any{
		"account_sid": s.config.AccountSID, "api_version": "2010-04-01", "sid": c.SID, "parent_call_sid": nil, "from": c.From, "to": c.To, "status": c.Status,
		"direction": "outbound-api", "date_created": date(c.Created), "date_updated": date(c.Created), "start_time": nil, "end_time": nil, "duration": nil,
		"uri": "/2010-04-01/Accounts/" + s.config.AccountSID + "/Calls/" + c.SID + ".json",
	}
	if c.Parent != "" {
		out["parent_call_sid"], out["direction"] = c.Parent, "outbound-dial"
	}
	if c.Status != "queued" {
		out["start_time"] = date(c.Created)
	}
	return out
}

// listCalls answers with the calls that fit, newest first.
// https://www.twilio.com/docs/voice/api/call-resource#read-multiple-call-resources
func (s *Server) listCalls(w http.ResponseWriter, r *http.Request) {
	if s.fail(w, r, s.lists.Next()) {
		return
	}
	fits := func(name, value string) bool { want := r.URL.Query().Get(name); return want == "" || want == value }
	var found []map[string]any
	for _, c := range slices.Backward(s.Calls()) {
		if fits("To", c.To) && fits("From", c.From) && fits("ParentCallSid", c.Parent) && s.config.Now().Sub(c.Created) >= s.config.ListLag {
			found = append(found, s.callResource(c))
		}
	}
	s.page(w, r, "calls", found)
}

func (s *Server) fetchCall(w http.ResponseWriter, r *http.Request) {
	if c, ok := s.call(strings.TrimSuffix(r.PathValue("file"), ".json")); ok {
		write(w, http.StatusOK, s.callResource(c))
		return
	}
	refuse(w, http.StatusNotFound, 20404, "The requested resource "+r.URL.Path+" was not found")
}

// updateCall ends a call. A call that rings within a Dial is in progress.
// https://www.twilio.com/docs/voice/api/call-resource#update-a-call-resource
func (s *Server) updateCall(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		refuse(w, http.StatusBadRequest, 20001, "Bad request")
		return
	}
	f := s.ends.Next()
	status := r.PostForm.Get("Status")
	if len(r.PostForm) != 1 || status != "completed" && status != "canceled" {
		refuse(w, http.StatusBadRequest, 20001, "Status must be one of: canceled, completed")
		return
	}
	sid := strings.TrimSuffix(r.PathValue("file"), ".json")
	c, ok := s.call(sid)
	if !ok {
		refuse(w, http.StatusNotFound, 20404, "The requested resource "+r.URL.Path+" was not found")
		return
	}
	if f.Taken || f.Status == 0 && !f.Drop && !f.Cut {
		c = s.endCall(c, status == "completed")
	}
	if !s.fail(w, r, f) {
		write(w, http.StatusOK, s.callResource(c))
	}
}

// FailEnds makes the next requests to end a call go wrong, each as one of faults, in order.
func (s *Server) FailEnds(faults ...Fault) { s.ends.Add(faults...) }

func (s *Server) call(sid string) (Call, bool) {
	all := s.Calls()
	at := slices.IndexFunc(all, func(c Call) bool { return c.SID == sid })
	if at < 0 {
		return Call{}, false
	}
	return all[at], true
}

// ending is the status of a call that is ended in a status. Others have ended already.
var ending = map[string]string{"queued": "canceled", "ringing": "canceled", "in-progress": "completed"}

// endCall ends a call, and the one that it was connected with. One in progress is only ended by force.
func (s *Server) endCall(c Call, force bool) Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.calls {
		leg := &s.calls[i]
		if end := ending[leg.Status]; (leg.SID == c.SID || leg.Parent == c.SID) && end != "" && (force || end == "canceled") {
			leg.Status, leg.Ended = end, true
			if leg.SID == c.SID {
				c = *leg
			}
		}
	}
	return c
}

// Dial is what a webhook has a call do.
type Dial struct {
	CallerID string `xml:"callerId,attr"`
	WhatsApp struct {
		To       string `xml:",chardata"`
		Callback string `xml:"statusCallback,attr"`
		Events   string `xml:"statusCallbackEvent,attr"`
	} `xml:"WhatsApp"`
}

// PickUp has whoever a call rings answer it: the address that the call was made with is asked what to do. A child that
// it is connected with begins to ring; the zero Call is a call that has ended.
func (s *Server) PickUp(ctx context.Context, sid string) (child Call, err error) {
	address, form, err := s.Answers(sid)
	if err != nil {
		return Call{}, err
	}
	answer, err := s.Post(ctx, address, form)
	if err != nil {
		return Call{}, err
	}
	return s.Told(sid, answer)
}

// Answers has whoever a call rings answer it, and gives the address that is to be asked what to do, and with what.
func (s *Server) Answers(sid string) (address string, form url.Values, err error) {
	c, err := s.advanceCall(sid, "in-progress")
	return c.URL, s.callForm(c), err
}

// Told does with a call what a webhook has answered, see [Server.PickUp].
func (s *Server) Told(sid string, answer Answer) (child Call, err error) {
	var twiml struct {
		XMLName xml.Name  `xml:"Response"`
		Hangup  *struct{} `xml:"Hangup"`
		Dial    *Dial     `xml:"Dial"`
	}
	if err := xml.Unmarshal([]byte(answer.Body), &twiml); err != nil || answer.Status != http.StatusOK {
		return Call{}, fmt.Errorf("the webhook answers with %d, %s: no TwiML (%w)", answer.Status, answer.Body, err)
	}
	switch d := twiml.Dial; {
	case d == nil && twiml.Hangup != nil:
		_, err := s.advanceCall(sid, "completed")
		return Call{}, err
	case d == nil:
		return Call{}, fmt.Errorf("the TwiML neither dials nor hangs up: %s", answer.Body)
	case d.CallerID != "whatsapp:"+s.config.From:
		return Call{}, fmt.Errorf("37008: %s is no sender of the account", d.CallerID)
	case !phone.MatchString(d.WhatsApp.To) || !absolute(d.WhatsApp.Callback) || d.WhatsApp.Events != strings.Join(events, " "):
		return Call{}, fmt.Errorf("the TwiML is not as Twilio wants it: %s", answer.Body)
	default:
		return s.keepCall(Call{Parent: sid, From: s.config.From, To: d.WhatsApp.To, StatusCallback: d.WhatsApp.Callback}), nil
	}
}

// Reports keeps a status of a call, and gives the callback that is to be told of it, and with what.
func (s *Server) Reports(sid, status string) (address string, form url.Values, err error) {
	c, err := s.advanceCall(sid, status)
	return c.StatusCallback, s.callForm(c), err
}

// ReportCall reports a status of a call to the callback that was given with it, and keeps it as the call's. It may be
// called in any order and again. code is one of Twilio's; 0 is none.
func (s *Server) ReportCall(ctx context.Context, sid, status string, code int) error {
	address, form, err := s.Reports(sid, status)
	if err != nil {
		return err
	}
	if code != 0 {
		form.Set("ErrorCode", fmt.Sprint(code))
	}
	answer, err := s.Post(ctx, address, form)
	if err != nil {
		return err
	}
	if answer.Status < 200 || answer.Status > 299 {
		return fmt.Errorf("status callback of %s was answered with %d: %s", sid, answer.Status, answer.Body)
	}
	return nil
}

// EndCall keeps a status of a call without reporting it.
func (s *Server) EndCall(sid, status string) error {
	_, err := s.advanceCall(sid, status)
	return err
}

func (s *Server) advanceCall(sid, status string) (Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.calls {
		if s.calls[i].SID == sid {
			s.calls[i].Status = status
			return s.calls[i], nil
		}
	}
	return Call{}, fmt.Errorf("no call %s", sid)
}

// callForm is what Twilio sends of a call to webhooks.
func (s *Server) callForm(c Call) url.Values {
	form := url.Values{
		"CallSid": {c.SID}, "AccountSid": {s.config.AccountSID}, "From": {c.From}, "To": {c.To}, "CallStatus": {c.Status}, "ApiVersion": {"2010-04-01"},
		"Direction": {"outbound-api"},
	}
	if c.Parent != "" {
		form.Set("ParentCallSid", c.Parent)
		form.Set("Direction", "outbound-dial")
		form.Set("From", "whatsapp:"+c.From)
		form.Set("To", "whatsapp:"+c.To)
	}
	return form
}
