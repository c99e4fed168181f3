package api

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/edge/httpapi"
	"merve/internal/provider/twilio"
	"merve/internal/spine/outbox"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

// WhatsApp handles Twilio's webhooks: messages and delivery statuses.
type WhatsApp struct {
	Webhook
	Intake  turn.Intake
	People  *person.Book
	Outbox  *outbox.Box
	Markets *market.Store
	Market  string // the market for numbers that belong to no market
	Roles   *turn.Roles
}

// Routes are the webhooks'.
func (h *WhatsApp) Routes() httpapi.Routes {
	return httpapi.Routes{
		"POST /webhooks/whatsapp":        h.message,
		"POST /webhooks/whatsapp/status": h.status,
	}
}

// emptyTwiML tells Twilio that there is no immediate reply.
const emptyTwiML = `<?xml version="1.0" encoding="UTF-8"?><Response/>`

// message stores an inbound message and queues its turn. It answers at once, however
// slow the model is.
func (h *WhatsApp) message(w http.ResponseWriter, r *http.Request) error {
	form, err := h.signed(w, r)
	if err != nil {
		return err
	}
	m, err := twilio.ParseInbound(form)
	if err != nil {
		return err
	}
	if !m.IsSaid() {
		return accepted(w)
	}
	who, err := h.People.Identify(r.Context(), person.Sender{Channel: channel.WhatsApp, UserID: m.UserID, Phone: m.Phone, Name: m.ProfileName})
	if err != nil {
		return err
	}
	in := h.inbound(m, who)
	if own, err := h.Markets.ByNumber(r.Context(), m.To); err != nil {
		return err
	} else if own != "" {
		in.Market = own
	}
	all, err := h.Roles.Route(r.Context(), in)
	if err != nil {
		return err
	}
	for _, in := range all {
		if _, err := h.Intake.ProcessInbound(r.Context(), in); err != nil {
			return err
		}
	}
	return accepted(w)
}

// accepted tells Twilio that a message was taken.
func accepted(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = io.WriteString(w, emptyTwiML) // a provider that has gone cannot be told
	return nil
}

func (h *WhatsApp) inbound(m twilio.Inbound, who actor.Actor) channel.Inbound {
	in := channel.Inbound{
		Market: h.Market, Channel: channel.WhatsApp, ThreadType: channel.General, From: who, ReplyAddr: m.From,
		MessageID: m.SID, Text: m.Body, Button: m.Button.Payload, ReplyTo: m.ReplyTo,
	}
	if in.Text == "" {
		in.Text = m.Button.Text
	}
	if r := []rune(in.Text); len(r) > channel.MaxText {
		in.Text = string(r[:channel.MaxText])
	}
	for _, a := range m.Media {
		in.Media = append(in.Media, channel.Media{URL: a.URL, Type: clip(a.ContentType, maxType)})
	}
	if l := m.Location; l != nil {
		in.Location = geo.Location{Lat: l.Lat, Lng: l.Lng, Address: clip(l.Address, geo.MaxAddress)}.Kept()
	}
	return in
}

// clip shortens s to at most size bytes of whole characters.
func clip(s string, size int) string {
	if len(s) <= size {
		return s
	}
	return strings.ToValidUTF8(s[:size], "")
}

// status handles a delivery status from Twilio. The callback's address says which
// message it is about.
func (h *WhatsApp) status(w http.ResponseWriter, r *http.Request) error {
	form, err := h.signed(w, r)
	if err != nil {
		return err
	}
	s, err := twilio.ParseStatus(form)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "thread", "message")
	if err != nil {
		return err
	}
	report := outbox.StatusReport{
		Thread: q["thread"], ID: q["message"], ProviderID: s.SID, Status: outbox.Status(s.State), Error: s.Reason(),
	}
	if report.Thread == "" || report.ID == "" {
		return fault.Field("message", "the callback's address names no message")
	}
	err = h.Outbox.Note(r.Context(), report)
	if err != nil && !fault.Is(err, fault.NotFound) { // not ours, or older than our outbox goes back
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// StatusURL is where Twilio reports on a message, below publicURL.
func StatusURL(publicURL string, m outbox.Message) string {
	return publicURL + "/webhooks/whatsapp/status?" + url.Values{"message": {m.ID}, "thread": {m.Thread}}.Encode()
}
