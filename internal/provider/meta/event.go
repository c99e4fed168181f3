package meta

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/cloud/exchange"
)

// Kind is the kind of an event between a page and a person.
type Kind string

const (
	Message  Kind = "message"  // the person wrote
	Postback Kind = "postback" // the person tapped a button
	Echo     Kind = "echo"     // the page wrote: this app, another one, or somebody in the page's inbox
	Delivery Kind = "delivery" // the person's device has the page's messages
	Read     Kind = "read"     // the person saw them
	Reaction Kind = "reaction" // the person reacted to a message
	Referral Kind = "referral" // the person came back by a link or an advertisement
	OptIn    Kind = "optin"    // the person agreed to something
)

// Event is one thing that a webhook tells of. Fields that a kind has no use for are zero.
type Event struct {
	Kind    Kind
	Standby bool      // another app answers this person for now
	ID      string    // of a message, postback or echo: equal ids are one
	PSID    string    // the person, also when the page wrote
	Page    string    // the page's id
	At      time.Time // UTC, whole milliseconds; zero when Meta does not say

	Text     string
	Media    []Media
	Location *Location
	Button   Button
	ReplyTo  string // the id of the message that this one answers
	Sticker  string // the id of a sticker, which is no picture of anything

	App      string // of an echo: the app that sent it; "" when somebody wrote it by hand
	Metadata string // of an echo: what the app sent with it

	Delivered []string  // ids of messages; may be empty
	Before    time.Time // of a delivery or read: all that was sent before this was, too
}

// Media is a reference to an attachment. Its address ends to work after some days.
type Media struct {
	URL  string
	Type string // image, audio, video or file
}

// Location is a shared place, in degrees (WGS 84).
type Location struct {
	Lat, Lng float64
	Title    string
}

// Button is a tapped button or quick reply.
type Button struct{ Payload, Title string }

const (
	maxID      = 1024 // bytes of a message's id
	maxPayload = 4000 // bytes of a button's payload: Meta's 1,000 characters
	maxURL     = 4096 // bytes of an attachment's address
	maxMillis  = 253402300799999
)

// Parse reads the body of a webhook. It skips anything it does not know: kinds of events
// newer than this package, and attachments that are neither a file nor a place. It also skips
// edited and deleted messages, because an edit is not a new message.
//
// An event that cannot be read is skipped as well, and the error names its field; the
// other events in the body are still returned. A body that is no notification of a page's
// messages gives an error and no events.
// https://developers.facebook.com/documentation/business-messaging/messenger-platform/webhooks/webhook-events
func Parse(body []byte) ([]Event, error) {
	if !utf8.Valid(body) {
		return nil, fault.New(fault.Invalid, "the body must be UTF-8")
	}
	var n notification
	if err := json.Unmarshal(body, &n); err != nil {
		return nil, wrongForm("", err)
	}
	switch {
	case n.Object != "page":
		return nil, fault.Field("object", "want page")
	case n.Entry == nil:
		return nil, fault.Field("entry", "missing")
	}
	var events []Event
	var failed []error
	for i, e := range n.Entry {
		for _, list := range []struct {
			name  string
			items []json.RawMessage
		}{{"messaging", e.Messaging}, {"standby", e.Standby}} {
			for j, raw := range list.items {
				event, err := e.event(raw, fmt.Sprintf("entry[%d].%s[%d]", i, list.name, j))
				if err != nil {
					failed = append(failed, err)
				} else if event.Kind != "" {
					event.Standby = list.name == "standby"
					events = append(events, event)
				}
			}
		}
	}
	return events, errors.Join(failed...)
}

// wrongForm names the field of a value that has the wrong form, below a place.
func wrongForm(place string, err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if field := strings.Trim(place+"."+wrong.Field, "."); field != "" {
			return fault.Field(field, "not of the form that Meta documents")
		}
		return fault.New(fault.Invalid, "the body must be one JSON object")
	}
	if place != "" {
		return fault.Field(place, "not of the form that Meta documents")
	}
	return fault.New(fault.Invalid, "the body must be one JSON object")
}

type notification struct {
	Object string  `json:"object"`
	Entry  []entry `json:"entry"`
}

// entry holds the events of one page. Other subscriptions of the page come as "changes".
type entry struct {
	ID        id                `json:"id"`
	Time      int64             `json:"time"`
	Messaging []json.RawMessage `json:"messaging"`
	Standby   []json.RawMessage `json:"standby"`
}

// id is an id that may be a string or a number; those of apps and stickers are numbers.
type id string

func (v *id) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(v))
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	switch {
	case string(b) == "null":
		*v = ""
	case err != nil:
		return errors.New("an id is a string or a number")
	default:
		*v = id(strconv.FormatUint(n, 10))
	}
	return nil
}

type item struct {
	Sender    struct{ ID id } `json:"sender"`
	Recipient struct{ ID id } `json:"recipient"`
	Timestamp int64           `json:"timestamp"`
	Message   *message        `json:"message"`
	Postback  *struct {
		ID      string `json:"mid"`
		Title   string `json:"title"`
		Payload string `json:"payload"`
	} `json:"postback"`
	Delivery *struct {
		IDs    []string `json:"mids"`
		Before int64    `json:"watermark"`
	} `json:"delivery"`
	Read *struct {
		Before int64 `json:"watermark"`
	} `json:"read"`
	Reaction json.RawMessage `json:"reaction"`
	Referral json.RawMessage `json:"referral"`
	OptIn    json.RawMessage `json:"optin"`
}

type message struct {
	ID         string `json:"mid"`
	Text       string `json:"text"`
	IsEcho     bool   `json:"is_echo"`
	IsDeleted  bool   `json:"is_deleted"`
	App        id     `json:"app_id"`
	Metadata   string `json:"metadata"`
	Sticker    id     `json:"sticker_id"`
	QuickReply struct {
		Payload string `json:"payload"`
	} `json:"quick_reply"`
	ReplyTo struct {
		ID string `json:"mid"`
	} `json:"reply_to"`
	Attachments []json.RawMessage `json:"attachments"`
}

// reader reads one item and keeps the first error.
type reader struct {
	place string
	err   error
}

func (r *reader) fail(field, format string, args ...any) {
	if r.err == nil {
		r.err = fault.Field(r.place+"."+field, format, args...)
	}
}

// event reads an item. An event without a kind is one that is left out.
func (e entry) event(raw json.RawMessage, place string) (Event, error) {
	var it item
	if err := json.Unmarshal(raw, &it); err != nil {
		return Event{}, wrongForm(place, err)
	}
	r := &reader{place: place}
	out := Event{At: r.millis("timestamp", cmp.Or(it.Timestamp, e.Time))}
	switch m := it.Message; {
	case m != nil && m.IsDeleted:
		return Event{}, nil
	case m != nil:
		r.message(&out, m)
	case it.Postback != nil:
		out.Kind, out.Button = Postback, Button{it.Postback.Payload, it.Postback.Title}
	case it.Delivery != nil:
		out.Kind, out.Delivered, out.Before = Delivery, it.Delivery.IDs, r.millis("delivery.watermark", it.Delivery.Before)
	case it.Read != nil:
		out.Kind, out.Before = Read, r.millis("read.watermark", it.Read.Before)
	case it.Reaction != nil:
		out.Kind = Reaction
	case it.Referral != nil:
		out.Kind = Referral
	case it.OptIn != nil:
		out.Kind = OptIn
	default:
		return Event{}, nil
	}
	r.people(&out, it, e)
	if out.Kind == Postback {
		r.postback(&out, it)
	}
	if len(out.Button.Payload) > maxPayload {
		r.fail("payload", "at most %d bytes", maxPayload)
	}
	return out, r.err
}

// people says who the person is and which the page: an echo goes from the page to the person.
func (r *reader) people(out *Event, it item, e entry) {
	person, page := it.Sender.ID, it.Recipient.ID
	field := "sender.id"
	if out.Kind == Echo {
		person, page, field = page, person, "recipient.id"
	}
	out.PSID, out.Page = string(person), string(cmp.Or(page, e.ID))
	stranger := out.Kind == OptIn && person == "" // who ticked a box on a site and has not written yet
	if !stranger && !IsID(out.PSID) {
		r.fail(field, "want the id of a person")
	}
	if !IsID(out.Page) {
		r.fail("recipient.id", "want the id of a page")
	}
}

func (r *reader) message(out *Event, m *message) {
	out.Kind, out.ID, out.Text, out.ReplyTo = Message, m.ID, m.Text, m.ReplyTo.ID
	if m.IsEcho {
		out.Kind, out.App, out.Metadata = Echo, string(m.App), m.Metadata
	}
	switch {
	case m.ID == "":
		r.fail("message.mid", "missing")
	case len(m.ID) > maxID:
		r.fail("message.mid", "at most %d bytes", maxID)
	case len(m.ReplyTo.ID) > maxID:
		r.fail("message.reply_to.mid", "at most %d bytes", maxID)
	}
	if m.QuickReply.Payload != "" {
		out.Button = Button{m.QuickReply.Payload, m.Text}
	}
	out.Sticker = string(m.Sticker)
	for _, raw := range m.Attachments {
		out.attach(raw)
	}
	if out.Sticker != "" { // it may come as an image besides; it is sent by itself
		out.Media = nil
	}
}

// postback gives a postback that has no id of its own one that a repeat has, too.
func (r *reader) postback(out *Event, it item) {
	if out.ID = it.Postback.ID; out.ID == "" {
		sum := sha256.Sum256([]byte(strings.Join([]string{out.PSID, strconv.FormatInt(it.Timestamp, 10), out.Button.Payload, out.Button.Title}, "\x00")))
		out.ID = "postback-" + hex.EncodeToString(sum[:16])
	}
	if len(out.ID) > maxID {
		r.fail("postback.mid", "at most %d bytes", maxID)
	}
}

func (r *reader) millis(field string, ms int64) time.Time {
	switch {
	case ms == 0:
		return time.Time{}
	case ms < 0 || ms > maxMillis:
		r.fail(field, "want milliseconds since 1970")
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// attach adds an attachment if it is a file, a place or a sticker. A message is still valid
// without other attachments.
func (out *Event) attach(raw json.RawMessage) {
	var a struct {
		Type    string `json:"type"`
		Title   string `json:"title"`
		Payload struct {
			URL         string `json:"url"`
			Sticker     id     `json:"sticker_id"`
			Coordinates *struct {
				Lat *float64 `json:"lat"`
				Lng *float64 `json:"long"`
			} `json:"coordinates"`
		} `json:"payload"`
	}
	if json.Unmarshal(raw, &a) != nil {
		return
	}
	if s := a.Payload.Sticker; s != "" {
		out.Sticker = string(s)
	}
	switch a.Type {
	case "image", "audio", "video", "file":
		if exchange.IsURL(a.Payload.URL) && len(a.Payload.URL) <= maxURL {
			out.Media = append(out.Media, Media{a.Payload.URL, a.Type})
		}
	case "location":
		c := a.Payload.Coordinates
		if c != nil && c.Lat != nil && c.Lng != nil && *c.Lat >= -90 && *c.Lat <= 90 && *c.Lng >= -180 && *c.Lng <= 180 {
			out.Location = &Location{*c.Lat, *c.Lng, a.Title}
		}
	case "sticker":
		out.Sticker = cmp.Or(out.Sticker, "unknown")
	}
}
