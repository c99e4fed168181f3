package simulation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/edge/api"
	"merve/internal/edge/threadapi"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Customer is a person who writes to Merve, and what they have said and been told.
type Customer struct {
	Name    string
	Profile string          // how they call themselves on WhatsApp; "" is by their name
	Channel channel.Channel // App or WhatsApp
	Agent   string          // the assistant that is written to in the app; "" is the concierge
	Session string          // of the app
	Phone   string          // on WhatsApp
	Canary  string          // a word that only this customer's data holds
	Said    []*Said
	Told    []Told
	Thread  string
	Owner   string // actor key
	Role    Role   // "" is a customer

	held     []span      // when a person had their thread for certain
	returned []time.Time // when staff began to give it back
}

// Said is something that a customer has sent, any number of times.
type Said struct {
	ID      string // the channel's
	Text    string
	Button  string
	ReplyTo string
	Means   Meaning
	Answer  string    // of a business or driver: what they said of an order or ride
	Of      string    // of a vendor: the code of the outreach that is meant, by its code or below what asked
	Photo   int       // of a vendor: the price in a picture that comes with it; 0 without a picture
	First   time.Time // of the first time that it was sent
	Taken   time.Time // when it was first acknowledged; zero: not yet
	Refused bool      // for good: it was wrong
	Times   int
}

// Meaning is what a customer meant to say to what is pending.
type Meaning int

// What customers mean.
const (
	Neither Meaning = iota
	Yes
	No
)

// Told is something that a customer has read.
type Told struct {
	Text    string
	Pending string // id of the pending action shown with it
	Expires time.Time
	SID     string // Twilio's
	At      time.Time
}

// Join adds a customer to the world.
func (w *World) Join(ch channel.Channel) *Customer {
	n := len(w.Customers) + 1
	c := &Customer{Name: fmt.Sprintf("Customer%d", n), Channel: ch, Canary: fmt.Sprintf("canary%04dq", n)}
	if ch == channel.WhatsApp {
		c.Phone = fmt.Sprintf("+155502%05d", n)
		c.Owner = actor.Actor{Kind: actor.Person, ID: "whatsapp:" + c.Phone}.Key()
	} else {
		c.Session = fmt.Sprintf("session-of-customer-%06d-not-real", n)
	}
	w.Customers = append(w.Customers, c)
	if ch == channel.WhatsApp {
		c.Thread = thread.ID(Market, channel.General, "", c.Owner)
	}
	return c
}

// Say has a customer send something new, once.
func (w *World) Say(c *Customer, s *Said) Answer {
	w.t.Helper()
	s.ID = fmt.Sprintf("SM%032x", w.newNumber())
	s.First = w.Now()
	c.Said = append(c.Said, s)
	return w.Send(c, s)
}

func (w *World) newNumber() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return w.ids
}

// Send sends what a customer has said, for the first time or again.
func (w *World) Send(c *Customer, s *Said) Answer {
	w.t.Helper()
	s.Times++
	w.speaker = c
	var a Answer
	if c.Channel == channel.WhatsApp {
		a = w.Webhook(inboundPath, w.form(c, s))
	} else {
		a = w.Request("chat", http.MethodPost, "/chat/message", map[string]string{"Content-Type": "application/json"}, w.marshal(map[string]any{
			"message": s.Text, "sessionId": c.Session, "clientMessageId": s.ID, "button": s.Button, "replyTo": s.ReplyTo, "agentId": c.Agent,
		}))
		w.read(c, a)
	}
	switch {
	case a.Status >= 200 && a.Status < 300 && s.Taken.IsZero():
		s.Taken = w.Now()
	case a.Status >= 400 && a.Status < 500 && a.Status != http.StatusTooManyRequests:
		s.Refused = true
	}
	w.note("%s says %q (%d. time): %d", c.Name, s.Text+s.Button, s.Times, a.Status)
	return a
}

const inboundPath = "/webhooks/whatsapp"

// form is what Twilio makes of a message on WhatsApp.
func (w *World) form(c *Customer, s *Said) url.Values {
	form := w.twilio.Inbound(s.ID, c.Phone, s.Text)
	form.Set("ProfileName", cmp.Or(c.Profile, strings.TrimSpace(c.Name+" "+c.Canary)))
	if s.Button != "" {
		form.Set("ButtonPayload", s.Button)
		form.Set("ButtonText", s.Text)
	}
	if s.Photo > 0 {
		form.Set("NumMedia", "1")
		form.Set("MediaUrl0", fmt.Sprintf("https://api.twilio.com/%s/%d", s.ID, s.Photo))
		form.Set("MediaContentType0", "image/png")
	}
	if s.ReplyTo != "" {
		form.Set("OriginalRepliedMessageSid", s.ReplyTo)
	}
	return form
}

// read is a customer of the app reading an answer.
func (w *World) read(c *Customer, a Answer) {
	w.t.Helper()
	if a.Status != http.StatusOK && a.Status != http.StatusAccepted {
		return
	}
	var res api.ChatResponse
	if err := json.Unmarshal([]byte(a.Body), &res); err != nil {
		w.t.Fatalf("no answer of the chat: %s", a.Body)
	}
	if c.Thread == "" {
		c.Thread = res.ThreadID
	}
	told := Told{Text: a.Body, At: w.Now()}
	if p := res.PendingAction; p != nil {
		told.Pending, told.Expires = p.ID, p.ExpiresAt
	}
	c.Told = append(c.Told, told)
}

// Look has a customer of the app fetch the messages of their thread.
func (w *World) Look(c *Customer) Answer {
	w.t.Helper()
	if c.Channel == channel.WhatsApp || c.Thread == "" {
		return Answer{}
	}
	a := w.Request("chat", http.MethodGet, "/chat/threads/"+c.Thread+"/messages?before=latest", map[string]string{"X-Session-Id": c.Session}, nil)
	if a.Status == http.StatusOK {
		var page struct {
			PendingAction *threadapi.PendingAction `json:"pendingAction"`
		}
		if err := json.Unmarshal([]byte(a.Body), &page); err != nil {
			w.t.Fatalf("no list of messages: %s", a.Body)
		}
		told := Told{Text: a.Body, At: w.Now()}
		if p := page.PendingAction; p != nil {
			told.Pending, told.Expires = p.ID, p.ExpiresAt
		}
		c.Told = append(c.Told, told)
	}
	w.note("%s looks: %d", c.Name, a.Status)
	return a
}

// offers are the ids of the pending actions that a customer was shown, in order.
func (c *Customer) offers() []string {
	var ids []string
	for _, t := range c.Told {
		if t.Pending != "" && (len(ids) == 0 || ids[len(ids)-1] != t.Pending) {
			ids = append(ids, t.Pending)
		}
	}
	return ids
}

// who names a thread for the trace.
func (w *World) who(threadID string) string {
	for _, c := range w.people() {
		if c.Thread == threadID {
			return c.Name
		}
	}
	return "somebody"
}

// words that mean YES or NO in some of the languages; every customer says what they mean.
var (
	yeses = []string{"yes", "YES", "Yes!", "ok", "evet", "да", "ναι", "כן", "نعم", "ja", "sí", "oui", "ndiyo", "👍"}
	noes  = []string{"no", "NO", "hayır", "нет", "όχι", "לא", "لا", "nein", "non", "hapana"}
	other = []string{"hello", "what do you have?", "how much is it?", "yes, but at eight", "is there parking?", "maybe", "my bookings", "can I cancel a booking?"}
)

// utter makes up what a customer says next.
func (w *World) utter(c *Customer) *Said {
	offers := c.offers()
	switch n := w.pick(100); {
	case n < 34:
		l := oneOf(w, w.Listings)
		return &Said{Text: fmt.Sprintf("book %s 2026-11-%02d %02d:00 for %d %s", l.ID, 24+w.pick(2), 18+w.pick(2), 1+w.pick(3), c.Canary)}
	case n < 60:
		return &Said{Text: oneOf(w, yeses), Means: Yes}
	case n < 66:
		return &Said{Text: oneOf(w, noes), Means: No}
	case n < 78 && len(offers) > 0: // a tap, maybe on an old offer
		id := oneOf(w, offers)
		if w.chance(0.2) {
			return &Said{Text: "No", Button: "no:" + id, Means: No}
		}
		return &Said{Text: "Yes", Button: "yes:" + id, Means: Yes}
	case n < 84 && len(offers) > 0 && c.Channel != channel.WhatsApp:
		return &Said{Text: oneOf(w, yeses), ReplyTo: oneOf(w, offers), Means: Yes}
	case n < 84 && c.Channel == channel.WhatsApp:
		if sids := w.sentTo(c); len(sids) > 0 {
			return &Said{Text: oneOf(w, yeses), ReplyTo: oneOf(w, sids), Means: Yes}
		}
	case n < 87 && c.Channel == channel.WhatsApp:
		return &Said{Text: oneOf(w, []string{"STOP", "START"})}
	}
	return &Said{Text: oneOf(w, other)}
}

// sentTo are the ids of what Twilio took for a customer.
func (w *World) sentTo(c *Customer) []string {
	var sids []string
	for _, m := range w.twilio.Messages() {
		if m.To == c.Phone {
			sids = append(sids, m.SID)
		}
	}
	return sids
}

// callback reports a status of a message as Twilio does, in any order.
func (w *World) callback() {
	ms := w.twilio.Messages()
	if len(ms) == 0 {
		return
	}
	m := oneOf(w, ms)
	_, target, ok := strings.Cut(m.StatusCallback, publicURL)
	if !ok {
		w.t.Errorf("message %s has the callback %q", m.SID, m.StatusCallback)
		return
	}
	status := oneOf(w, []string{"queued", "sent", "delivered", "read"})
	a := w.Webhook(target, url.Values{"MessageSid": {m.SID}, "MessageStatus": {status}, "AccountSid": {"AC0"}, "To": {"whatsapp:" + m.To}, "From": {"whatsapp:" + m.From}})
	w.note("%s is %s: %d", m.SID[len(m.SID)-6:], status, a.Status)
}
