package twilio

import (
	"cmp"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/cloud/exchange"
)

// Inbound is a message that a person sent by WhatsApp.
// https://www.twilio.com/docs/messaging/guides/webhook-request
type Inbound struct {
	SID         string // equal SIDs are one message
	Type        string // what Twilio calls it: text, image, audio, reaction, …; may be empty
	From        string // where an answer goes: a phone number, or the user id of who hides it
	Phone       string // E.164; "" when the person hides it
	UserID      string // business-scoped; "" when Twilio does not tell it
	To          string // the sender that was written to
	Body        string
	Media       []Media
	Location    *Location
	Button      Button
	ReplyTo     string // SID of the message that this one answers
	ProfileName string // freely chosen by the person
	WaID        string // WhatsApp's own id; not a phone number for certain
}

// Media is a reference to an attachment.
type Media struct{ URL, ContentType string }

// Location is a shared place, in degrees (WGS 84).
type Location struct {
	Lat, Lng       float64
	Address, Label string
}

// Button is a tapped quick reply or row of a list.
type Button struct{ Payload, Text string }

const (
	maxMedia = 10   // attachments of one message, in either direction
	maxID    = 1024 // bytes of an id or payload
	maxURL   = 2048 // bytes of an attachment's address
	maxName  = 512  // bytes of a profile's name
)

// ParseInbound reads the form of an inbound message. Its errors name the parameter.
// It repairs text that is not UTF-8, but refuses such bytes in a key or an address.
func ParseInbound(form url.Values) (Inbound, error) {
	p := &parser{form: form}
	in := Inbound{
		SID:         p.required("MessageSid", "SmsMessageSid", "SmsSid"),
		To:          p.address("To"),
		Type:        cut(p.text("MessageType"), maxName),
		Body:        p.text("Body"),
		Button:      Button{Payload: cmp.Or(p.id("ButtonPayload"), p.id("ListId")), Text: cmp.Or(p.text("ButtonText"), p.text("ListTitle"))},
		ReplyTo:     p.id("OriginalRepliedMessageSid"),
		ProfileName: cut(p.text("ProfileName"), maxName),
		WaID:        p.id("WaId"),
	}
	in.UserID = p.userID("ExternalUserId", "ExternalUserIdentifier")
	if in.From = in.UserID; in.UserID == "" || form.Get("From") != "" {
		in.From = p.address("From")
	}
	if IsPhone(in.From) {
		in.Phone = in.From
	} else {
		in.UserID = cmp.Or(in.UserID, in.From)
	}
	in.Media = p.media()
	in.Location = p.location()
	if p.err != nil {
		return Inbound{}, p.err
	}
	return in, nil
}

// IsSaid reports whether the person has said something: a reaction to a message, or WhatsApp's
// own word that a number has changed, wants no answer.
func (in Inbound) IsSaid() bool { return in.Type != "reaction" && in.Type != "system" }

// parser reads a form and keeps the first error.
type parser struct {
	form url.Values
	err  error
}

func (p *parser) fail(field, format string, args ...any) {
	if p.err == nil {
		p.err = fault.Field(field, format, args...)
	}
}

// name is the first of a parameter's names, newest first, that is given.
func (p *parser) name(names ...string) string {
	for _, n := range names {
		if p.form.Get(n) != "" {
			return n
		}
	}
	return names[0]
}

func (p *parser) text(field string) string {
	return strings.ToValidUTF8(p.form.Get(field), "\uFFFD")
}

func (p *parser) id(field string) string {
	value := p.form.Get(field)
	if len(value) > maxID || !utf8.ValidString(value) {
		p.fail(field, "want at most %d bytes of UTF-8", maxID)
	}
	return value
}

// required reads an id that has had several names. An error has the newest.
func (p *parser) required(names ...string) string {
	value := p.id(p.name(names...))
	if value == "" {
		p.fail(names[0], "missing")
	}
	return value
}

// address reads a WhatsApp address.
func (p *parser) address(field string) string {
	value := p.form.Get(field)
	id, found := strings.CutPrefix(value, channelPrefix)
	switch {
	case value == "":
		p.fail(field, "missing")
	case !found || !isAddress(id):
		p.fail(field, "want %s and a number in E.164, such as +15005550006, or a user id", channelPrefix)
	}
	return id
}

func (p *parser) userID(names ...string) string {
	field := p.name(names...)
	id := bare(p.form.Get(field))
	if id != "" && !userPattern.MatchString(id) {
		p.fail(field, "want a user id such as US.13491208655302741918")
	}
	return id
}

func (p *parser) media() []Media {
	n, err := strconv.Atoi(cmp.Or(p.form.Get("NumMedia"), "0"))
	if err != nil || n < 0 || n > maxMedia {
		p.fail("NumMedia", "want a number from 0 to %d", maxMedia)
		return nil
	}
	var all []Media
	for i := range n {
		field := "MediaUrl" + strconv.Itoa(i)
		m := Media{URL: p.form.Get(field), ContentType: p.text("MediaContentType" + strconv.Itoa(i))}
		if len(m.URL) > maxURL || !utf8.ValidString(m.URL) || !exchange.IsURL(m.URL) {
			p.fail(field, "want an http address of at most %d bytes", maxURL)
		}
		all = append(all, m)
	}
	return all
}

func (p *parser) location() *Location {
	if p.form.Get("Latitude") == "" && p.form.Get("Longitude") == "" {
		return nil
	}
	return &Location{
		Lat: p.degrees("Latitude", 90), Lng: p.degrees("Longitude", 180),
		Address: p.text("Address"), Label: p.text("Label"),
	}
}

func (p *parser) degrees(field string, limit float64) float64 {
	d, err := strconv.ParseFloat(p.form.Get(field), 64)
	if err != nil || math.IsNaN(d) || math.Abs(d) > limit {
		p.fail(field, "want degrees within ±%v", limit)
	}
	return d
}

// cut shortens s to at most size bytes of whole characters.
func cut(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for !utf8.RuneStart(s[size]) {
		size--
	}
	return s[:size]
}
