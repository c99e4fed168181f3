package metatest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Message is a message that the server took.
type Message struct {
	ID           string // m_…
	To           string // PSID
	Text         string
	Type         string // RESPONSE, UPDATE or MESSAGE_TAG
	Tag          string
	QuickReplies []QuickReply
	Metadata     string
	Created      time.Time
}

// QuickReply is a button of a message.
type QuickReply struct {
	Type    string `json:"content_type"`
	Title   string `json:"title"`
	Payload string `json:"payload"`
}

// Action is a sender action that the server took.
type Action struct {
	To   string
	Name string // typing_on, typing_off or mark_seen
}

// line is one message of a conversation.
type line struct {
	id, from, text string
	at             time.Time
}

// request is what the Send API takes.
// https://developers.facebook.com/docs/messenger-platform/reference/send-api
type request struct {
	Recipient *struct {
		ID string `json:"id"`
	} `json:"recipient"`
	Type    string `json:"messaging_type"`
	Tag     string `json:"tag"`
	Action  string `json:"sender_action"`
	Message *struct {
		Text         *string      `json:"text"`
		QuickReplies []QuickReply `json:"quick_replies"`
		Metadata     string       `json:"metadata"`
	} `json:"message"`
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	f := s.sends.Next()
	var req request
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields() // stricter than Meta, which ignores them
	if err := d.Decode(&req); err != nil || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		refuse(w, http.StatusBadRequest, 100, 0, "Invalid parameter")
		return
	}
	if wrong := s.check(req); wrong != nil {
		refuse(w, http.StatusBadRequest, wrong.code, wrong.subcode, wrong.message)
		return
	}
	answer := map[string]any{"recipient_id": req.Recipient.ID}
	if f.Taken || f.Status == 0 && !f.Drop && !f.Cut {
		if req.Action != "" {
			s.act(Action{req.Recipient.ID, req.Action})
		} else {
			answer["message_id"] = s.keep(req)
		}
	}
	if !s.fail(w, r, f) {
		write(w, http.StatusOK, answer)
	}
}

// wrong is why Meta refuses a request.
type wrong struct {
	code, subcode int
	message       string
}

// check reads a request as Meta does.
func (s *Server) check(req request) *wrong {
	parameter := func(message string) *wrong { return &wrong{100, 0, message} }
	switch {
	case req.Recipient == nil || req.Recipient.ID == "":
		return parameter("The parameter recipient is required")
	case req.Action != "" && req.Message != nil:
		return &wrong{100, 2018007, "Cannot send both message and state at the same time."}
	case req.Action != "" && !slices.Contains([]string{"typing_on", "typing_off", "mark_seen"}, req.Action):
		return parameter("Param sender_action must be one of {TYPING_ON, TYPING_OFF, MARK_SEEN}")
	case req.Action == "" && req.Message == nil:
		return parameter("Param message must be set")
	}
	s.mu.Lock()
	heard, known := s.heard[req.Recipient.ID]
	s.mu.Unlock()
	if !known {
		return &wrong{100, 2018001, "No matching user found"}
	}
	if req.Action != "" {
		return nil
	}
	if w := content(req); w != nil {
		return w
	}
	return s.window(req, s.config.Now().Sub(heard))
}

// content checks a message against Meta's bounds.
func content(req request) *wrong {
	parameter := func(message string) *wrong { return &wrong{100, 0, message} }
	m := req.Message
	switch {
	case m.Text == nil || strings.TrimSpace(*m.Text) == "":
		return parameter("Message cannot be empty, must provide valid attachment or text")
	case utf8.RuneCountInString(*m.Text) > 2000:
		return parameter("Length of param message[text] must be less than or equal to 2000")
	case utf8.RuneCountInString(m.Metadata) > 1000:
		return parameter("Length of param message[metadata] must be less than or equal to 1000")
	case m.QuickReplies != nil && (len(m.QuickReplies) == 0 || len(m.QuickReplies) > 13):
		return parameter("Param message[quick_replies] must have between 1 and 13 elements")
	}
	for _, q := range m.QuickReplies {
		title, payload := utf8.RuneCountInString(q.Title), utf8.RuneCountInString(q.Payload)
		if q.Type != "text" || title < 1 || title > 20 || payload < 1 || payload > 1000 {
			return parameter("Param message[quick_replies] has an invalid element")
		}
	}
	return nil
}

// window checks that the person wrote recently enough for what is sent.
// https://developers.facebook.com/docs/messenger-platform/send-messages/message-tags
func (s *Server) window(req request, ago time.Duration) *wrong {
	closed := &wrong{10, 2018278, "This message is sent outside of allowed window."}
	switch req.Type {
	case "RESPONSE", "UPDATE":
		if req.Tag != "" {
			return &wrong{100, 0, "A tag needs the messaging type MESSAGE_TAG"}
		}
		if ago > 24*time.Hour {
			return closed
		}
	case "MESSAGE_TAG":
		if req.Tag != "HUMAN_AGENT" {
			return &wrong{100, 0, "Param tag must be one of {HUMAN_AGENT}"}
		}
		if ago > 7*24*time.Hour {
			return closed
		}
	default:
		return &wrong{100, 0, "Param messaging_type must be one of {RESPONSE, UPDATE, MESSAGE_TAG}"}
	}
	return nil
}

func (s *Server) act(a Action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.actions = append(s.actions, a)
}

func (s *Server) keep(req request) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := Message{
		ID: "m_" + s.config.NewID(), To: req.Recipient.ID, Text: *req.Message.Text, Type: req.Type, Tag: req.Tag,
		QuickReplies: req.Message.QuickReplies, Metadata: req.Message.Metadata, Created: s.config.Now().UTC(),
	}
	s.messages = append(s.messages, m)
	s.said[m.To] = append(s.said[m.To], line{m.ID, s.config.Page, m.Text, m.Created})
	close(s.taken)
	s.taken = make(chan struct{})
	return m.ID
}

// Heard notes that a person has written to the page now: the page then knows them and may
// answer for 24 hours.
func (s *Server) Heard(psid, mid, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Now().UTC()
	s.heard[psid] = now
	s.said[psid] = append(s.said[psid], line{mid, psid, text, now})
}

// shown is how many messages of a conversation Meta tells.
const shown = 20

// list answers with the conversation between the page and one person, newest message first.
// https://developers.facebook.com/documentation/business-messaging/messenger-platform/conversations
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if s.fail(w, r, s.lists.Next()) {
		return
	}
	q := r.URL.Query()
	psid := q.Get("user_id")
	if q.Get("platform") != "messenger" || psid == "" || q.Get("fields") != "messages.limit(20){id,message,created_time,from}" {
		refuse(w, http.StatusBadRequest, 100, 0, "Invalid parameter")
		return
	}
	s.mu.Lock()
	said := slices.Clone(s.said[psid])
	s.mu.Unlock()
	data := []map[string]any{}
	if len(said) > 0 {
		data = append(data, map[string]any{"id": "t_" + psid, "messages": s.page(psid, said)})
	}
	write(w, http.StatusOK, map[string]any{"data": data})
}

func (s *Server) page(psid string, said []line) map[string]any {
	data := []map[string]any{}
	paging := map[string]any{"cursors": map[string]any{"before": "b", "after": "a"}}
	for _, l := range slices.Backward(said) {
		if s.config.Now().Sub(l.at) < s.config.ListLag {
			continue
		}
		if len(data) == shown {
			paging["next"] = s.URL() + "/v25.0/t_" + psid + "/messages?access_token=" + s.config.Token + "&after=a"
			break
		}
		data = append(data, map[string]any{
			"id": l.id, "message": l.text, "created_time": l.at.Format("2006-01-02T15:04:05-0700"),
			"from": map[string]any{"id": l.from, "name": "Test", "email": l.from + "@facebook.com"},
		})
	}
	return map[string]any{"data": data, "paging": paging}
}
