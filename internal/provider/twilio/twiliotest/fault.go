package twiliotest

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
	Code       int             // of the error; 0 is a page that no Twilio wrote
	RetryAfter time.Duration   // header of the error, whole seconds
}

// Before is a connection that breaks before anything is taken.
func Before() Fault { return Fault{Drop: true} }

// After is a connection that breaks when the message was taken.
func After() Fault { return Fault{Taken: true, Drop: true} }

// TooMany is status 429.
func TooMany(retryAfter time.Duration) Fault {
	return Fault{Status: http.StatusTooManyRequests, Code: 20429, RetryAfter: retryAfter}
}

// Broken is status 500, after the message was taken or before.
func Broken(taken bool) Fault {
	return Fault{Taken: taken, Status: http.StatusInternalServerError, Code: 20500}
}

// Slow takes the message and answers when until is closed; nil is never.
func Slow(until <-chan struct{}) Fault {
	if until == nil {
		until = make(chan struct{})
	}
	return Fault{Taken: true, Until: until}
}

// Refusal is a refusal with one of Twilio's codes.
func Refusal(code int) Fault { return Fault{Status: http.StatusBadRequest, Code: code} }

// FailSends makes the next sends go wrong, each as one of faults, in order. The zero
// Fault is a send that goes well.
func (s *Server) FailSends(faults ...Fault) {
	s.sends.Add(faults...)
}

// FailLists does so for requests to the list.
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
		providertest.Cut(w, http.StatusCreated, `{"sid": "`)
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
	if f.Code == 0 {
		providertest.Page(w, f.Status)
		return
	}
	refuse(w, f.Status, f.Code, http.StatusText(f.Status))
}
