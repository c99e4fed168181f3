package api

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/callconsent"
	"merve/internal/provider/twilio"
)

// Calls handles Twilio's requests and reports about calls to clients.
type Calls struct {
	Webhook
	Calls interface {
		Connect(ctx context.Context, at callconsent.Place, callID string) (to callconsent.Connection, ok bool, err error)
		Heard(ctx context.Context, at callconsent.Place, r callconsent.Report) error
	}
}

const (
	callAnsweredPath = "/webhooks/whatsapp/calls/answered"
	callStatusPath   = "/webhooks/whatsapp/calls/status"
)

// Routes are the webhooks'.
func (h *Calls) Routes() httpapi.Routes {
	return httpapi.Routes{"POST " + callAnsweredPath: h.answered, "POST " + callStatusPath: h.status}
}

// answered says with whom the desk, which has answered, is connected.
func (h *Calls) answered(w http.ResponseWriter, r *http.Request) error {
	form, at, err := h.about(w, r)
	if err != nil {
		return err
	}
	s, err := twilio.ParseCallStatus(form)
	if err != nil {
		return err
	}
	to, ok, err := h.Calls.Connect(r.Context(), at, s.SID)
	if err != nil {
		return err
	}
	what := twilio.HangUp
	if ok {
		what = twilio.Connect(to.From, to.To, callURL(h.PublicURL, callStatusPath, at, clientLeg))
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = io.WriteString(w, what) // a provider that has gone cannot be told
	return nil
}

// clientLeg marks the callback address of the client's half of a call.
const clientLeg = "client"

// status handles a progress report of one half of a call. The callback's address says which call it is.
func (h *Calls) status(w http.ResponseWriter, r *http.Request) error {
	form, at, err := h.about(w, r)
	if err != nil {
		return err
	}
	s, err := twilio.ParseCallStatus(form)
	if err != nil {
		return err
	}
	report := callconsent.Report{CallID: s.SID, Leg: callconsent.Leg(s.State), Refused: twilio.CallRefused(s.ErrorCode)}
	if r.URL.Query().Get("leg") == clientLeg {
		report.Client, report.CallID = true, s.Parent
	}
	if err := h.Calls.Heard(r.Context(), at, report); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// about reads the form of a webhook whose signature is right, and finds the attempt that its address names.
func (h *Calls) about(w http.ResponseWriter, r *http.Request) (url.Values, callconsent.Place, error) {
	form, err := h.signed(w, r)
	if err != nil {
		return nil, callconsent.Place{}, err
	}
	q, err := httpapi.Query(r, "attempt", "consent", "leg", "request")
	at := callconsent.Place{Request: q["request"], Consent: q["consent"], Attempt: q["attempt"]}
	switch {
	case err != nil:
		return nil, at, err
	case at.Request == "" || at.Consent == "" || at.Attempt == "":
		return nil, at, fault.Field("attempt", "the address names no attempt to call")
	}
	return form, at, nil
}

// AnsweredURL is where Twilio asks what to do once the desk has answered, below publicURL.
func AnsweredURL(publicURL string, at callconsent.Place) string {
	return callURL(publicURL, callAnsweredPath, at, "")
}

// CallStatusURL is where Twilio reports on the desk's half of a call, below publicURL.
func CallStatusURL(publicURL string, at callconsent.Place) string {
	return callURL(publicURL, callStatusPath, at, "")
}

func callURL(publicURL, path string, at callconsent.Place, leg string) string {
	q := url.Values{"attempt": {at.Attempt}, "consent": {at.Consent}, "request": {at.Request}}
	if leg != "" {
		q.Set("leg", leg)
	}
	return publicURL + path + "?" + q.Encode()
}
