package metatest

import (
	"net/http"
	"strconv"
	"time"

	"merve/internal/provider/providertest"
)

// Fault is how one call goes wrong.
type Fault struct {
	Taken      bool            // the message is kept all the same
	Drop       bool            // the connection ends without an answer
	Cut        bool            // the connection ends in the middle of the answer
	Until      <-chan struct{} // the answer waits for this, for the client to go away, or for Close
	Status     int             // not 0: an error with this status
	Code       int             // of the error; 0 is a page that no Graph API wrote
	Subcode    int             //
	RetryAfter time.Duration   // header of the error, whole seconds
	Regain     int             // minutes until the page is let in again, in the header of usage
}

// Before is a connection that breaks before anything is taken.
func Before() Fault { return Fault{Drop: true} }

// After is a connection that breaks when the message was taken.
func After() Fault { return Fault{Taken: true, Drop: true} }

// TooMany is a rate that is exceeded.
func TooMany(regain int) Fault {
	return Fault{Status: http.StatusBadRequest, Code: 80006, Regain: regain}
}

// Broken is a failure of Meta's own, after the message was taken or before.
func Broken(taken bool) Fault {
	return Fault{Taken: taken, Status: http.StatusInternalServerError, Code: 2}
}

// Slow takes the message and answers when until is closed; nil is never.
func Slow(until <-chan struct{}) Fault {
	if until == nil {
		until = make(chan struct{})
	}
	return Fault{Taken: true, Until: until}
}

// Refusal is a refusal with one of Meta's codes.
func Refusal(code, subcode int) Fault {
	return Fault{Status: http.StatusBadRequest, Code: code, Subcode: subcode}
}

// FailSends makes the next sends and sender actions go wrong, each as one of faults, in
// order. The zero Fault is one that goes well.
func (s *Server) FailSends(faults ...Fault) {
	s.sends.Add(faults...)
}

// FailLists does so for requests to the conversations.
func (s *Server) FailLists(faults ...Fault) {
	s.lists.Add(faults...)
}

// fail does what f says, and reports whether that was the answer.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, f Fault) (answered bool) {
	s.Hold(r, f.Until)
	switch {
	case f.Drop:
		providertest.HangUp(w)
	case f.Cut:
		providertest.Cut(w, http.StatusOK, `{"recipient_id": "`)
	case f.Status == 0:
		return false
	default:
		s.answer(w, f)
	}
	return true
}

func (s *Server) answer(w http.ResponseWriter, f Fault) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter/time.Second)))
	}
	if f.Regain > 0 {
		w.Header().Set("X-Business-Use-Case-Usage", `{"`+s.config.Page+`":[{"type":"messenger","call_count":100,"total_cputime":5,"total_time":5,"estimated_time_to_regain_access":`+strconv.Itoa(f.Regain)+`}]}`)
	}
	if f.Code == 0 {
		providertest.Page(w, f.Status)
		return
	}
	refuse(w, f.Status, f.Code, f.Subcode, http.StatusText(f.Status))
}
