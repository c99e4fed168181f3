// Package channel has the one form that every inbound message takes, whatever channel
// it came by, and what each channel can carry back.
package channel

import (
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
)

// Channel is how messages come and go.
type Channel string

const (
	App       Channel = "app"
	Web       Channel = "web"
	WhatsApp  Channel = "whatsapp"
	Messenger Channel = "messenger"
	Live      Channel = "live"
)

// All are the channels that there are.
func All() []Channel { return []Channel{App, Web, WhatsApp, Messenger, Live} }

// Pushes reports whether replies are sent to a provider by the outbox; on the other
// channels the customer's own request fetches them.
func (c Channel) Pushes() bool { return c == WhatsApp || c == Messenger }

// MaxPiece is the longest message that the channel's provider sends, in characters: longer
// replies go in pieces. 0 is any length.
// https://www.twilio.com/docs/api/errors/21617,
// https://developers.facebook.com/docs/messenger-platform/reference/send-api/
func (c Channel) MaxPiece() int {
	switch c {
	case WhatsApp:
		return 1600
	case Messenger:
		return 2000
	}
	return 0
}

// Window is how long after a person's message free text may be sent to them; later only
// approved templates. On Messenger a human agent has longer. 0 is for ever.
// https://www.twilio.com/docs/whatsapp/key-concepts#the-24-hour-window,
// https://developers.facebook.com/docs/messenger-platform/send-messages/message-tags
func (c Channel) Window(byPerson bool) time.Duration {
	switch {
	case c == Messenger && byPerson:
		return 7 * 24 * time.Hour
	case c.Pushes():
		return 24 * time.Hour
	}
	return 0
}

// ThreadType says who talks to whom.
type ThreadType string

const (
	General  ThreadType = "general"  // consumer and assistant
	Ops      ThreadType = "ops"      // business staff
	Dispatch ThreadType = "dispatch" // driver
	Vendor   ThreadType = "vendor"   // vendor, to be asked for quotes
)

// IsWork reports whether the threads are of numbers in their roles ([OfNumber]) rather than of people.
func (t ThreadType) IsWork() bool { return t == Ops || t == Dispatch || t == Vendor }

// OfNumber is the sender of a WhatsApp number in the number's role, whichever person writes. Roles go by number, and
// so do the messages about such work.
func OfNumber(number string) actor.Actor {
	return actor.Actor{Kind: actor.Person, ID: string(WhatsApp) + ":" + number, Phone: number}
}

// NumberOf is the WhatsApp number that belongs to an actor, by the actor's key; "" if the actor has none.
func NumberOf(key string) string {
	number, ok := strings.CutPrefix(key, OfNumber("").Key())
	if !ok || !strings.HasPrefix(number, "+") {
		return ""
	}
	return number
}

// Switch says in which role a sender with a role writes from now on.
type Switch string

const (
	ToCustomer Switch = "customer" // as a customer
	ToWork     Switch = "work"     // in the role again
	Lapsed     Switch = "lapsed"   // the time as a customer has run out before this message
)

// MaxText is the longest message taken, in characters (WhatsApp's own limit is 4,096).
const MaxText = 4096

// MaxMedia is the most attachments taken with one message.
const MaxMedia = 10

// Inbound is one message as it arrived. Webhooks and chat both become this.
type Inbound struct {
	Market     string
	Channel    Channel
	ThreadType ThreadType
	Assistant  string // who answers; "" is the thread type's own
	From       actor.Actor
	Talk       string  // which of several conversations between the two; "" is the one that they always have
	Contact    string  // number that the sender wants to be reached on; it identifies nobody
	Address    string  // what bounds know the sender's network address by; "" if unknown
	ReplyAddr  string  // where the channel's replies go: "+1555…" or a provider's user id
	MessageID  string  // the channel's own id; equal ids are one message
	Twin       Channel // another channel that may bring the same message under the same id; "" if no other does
	Text       string
	Media      []Media
	Location   *geo.Location
	Button     string    // payload of a tapped button
	ReplyTo    string    // the message or pending action that this one answers
	Language   string    // asked for by the client; "" if not
	Switch     Switch    // of the role in which a number that has one writes
	Beside     string    // the sender's other thread, if such a number writes: this one does not handle what came in there
	Quiet      bool      // another thread answers it as well: this one has nothing to say
	SentAt     time.Time // by the channel's clock; zero where it does not say
}

// Media is a reference to an attachment; its bytes never pass through a turn.
type Media struct {
	URL  string `dynamodbav:"url" json:"url"`
	Type string `dynamodbav:"type,omitempty" json:"contentType,omitempty"`
}

// Choice is one of several that a customer was shown. A tap on it sends its label, as a message like any other.
type Choice struct {
	Label  string `dynamodbav:"label" json:"label"`
	Detail string `dynamodbav:"detail,omitempty" json:"detail,omitempty"` // shown with it and not said, such as a price
}

// MayBePhoto reports whether m may be a photo by its type, which is a content type or, as Meta
// has it, just "image". That it is one is for its bytes to say.
func (m Media) MayBePhoto() bool {
	return m.Type == "" || m.Type == "image" || strings.HasPrefix(m.Type, "image/")
}

// Check returns an error that names the first field that is not usable.
func (in Inbound) Check() error {
	switch {
	case in.Market == "":
		return fault.Field("marketId", "missing")
	case in.From.ID == "":
		return fault.New(fault.Unauthenticated, "no sender")
	case in.MessageID == "":
		return fault.Field("messageId", "missing")
	case !utf8.ValidString(in.Text):
		return fault.Field("message", "must be UTF-8")
	case utf8.RuneCountInString(in.Text) > MaxText:
		return fault.Field("message", "at most %d characters", MaxText)
	case len(in.Media) > MaxMedia:
		return fault.Field("attachments", "at most %d", MaxMedia)
	case in.Location != nil && !geo.OnEarth(in.Location.Lat, in.Location.Lng):
		return fault.Field("location", "lat within ±90 and lng within ±180 degrees")
	}
	return nil
}
