package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/exchange"
	"merve/internal/edge/httpapi"
	"merve/internal/edge/threadapi"
	"merve/internal/spine/assistant"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/media"
	"merve/internal/words/standing"
)

// Chat is the conversation API of the app and web channels.
type Chat struct {
	Who        httpapi.Who
	Runner     *turn.Runner
	Threads    *thread.Store
	Assistants *assistant.Set
	Market     string        // the market of a request that names none
	Patience   time.Duration // how long a request waits for its reply
	Pictures   Pictures
	Anonymous  Anonymous
	NewID      func() string
}

// Routes are the API's.
func (c *Chat) Routes() httpapi.Routes {
	return httpapi.Routes{
		"POST /chat/message":                    c.message,
		"GET /chat/threads/{threadId}/messages": c.messages,
		"GET /chat/threads/{threadId}/activity": c.activity,
		"POST /chat/photos":                     c.upload,
	}
}

// maxType is the longest media type taken, in bytes (RFC 6838 §4.2).
const maxType = 255

// chatRequest is the body of POST /chat/message.
type chatRequest struct {
	Message         *string         `json:"message"`
	SessionID       string          `json:"sessionId"`
	AgentID         string          `json:"agentId"`
	Language        string          `json:"language"`
	MarketID        string          `json:"marketId"`
	ClientMessageID string          `json:"clientMessageId"`
	Location        *geo.Input      `json:"location"`
	Attachments     []channel.Media `json:"attachments"`
	Button          string          `json:"button"`
	ReplyTo         string          `json:"replyTo"`
	Customer        customer        `json:"customer"`
}

// customer is how somebody says that they are called and reached.
type customer struct {
	Name  string `json:"name"`
	Phone string `json:"phone"`
}

// read checks the name and the phone number; the number may be written in any usual form.
func (c customer) read() (name, phone string, err error) {
	if name = strings.TrimSpace(c.Name); utf8.RuneCountInString(name) > maxName {
		return "", "", fault.Field("customer.name", "at most %d characters", maxName)
	}
	if c.Phone == "" {
		return name, "", nil
	}
	if phone, err = tool.ParsePhone(c.Phone); err != nil {
		return "", "", fault.Field("customer.phone", "want a phone number of 6 to 15 digits")
	}
	return name, phone, nil
}

// ChatResponse is the answer to POST /chat/message.
type ChatResponse struct {
	ThreadID      string                   `json:"threadId"`
	MessageID     string                   `json:"messageId"`
	Reply         string                   `json:"reply"`
	State         thread.State             `json:"state"`
	PendingAction *threadapi.PendingAction `json:"pendingAction,omitempty"`
	Cards         []map[string]any         `json:"cards"`
	Choices       []channel.Choice         `json:"choices,omitempty"` // what the customer may choose from
	MapLocation   *geo.Location            `json:"mapLocation,omitempty"`
	Standing      standing.Standing        `json:"standing"` // without a text where nothing is to be said of it
	ToolCalls     []thread.Call            `json:"toolCalls"`
	Messages      []thread.Line            `json:"messages"` // the turn's, as a listing gives them
	TraceID       string                   `json:"traceId"`
}

func (c *Chat) message(w http.ResponseWriter, r *http.Request) error {
	var req chatRequest
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	in, err := c.inbound(r, req)
	if err != nil {
		return err
	}
	if err := c.Anonymous.take(r, &in); err != nil {
		return err
	}
	status, body, err := converse(w, r, c.Runner, c.Patience, in, func(a turn.Answer) string {
		return "/chat/threads/" + a.Thread + "/messages?after=" + url.QueryEscape(a.After)
	})
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, status, body)
}

// converse has a message answered. When that takes longer than patience, the answer is 202,
// and the header says where the reply will be.
func converse(w http.ResponseWriter, r *http.Request, runner *turn.Runner, patience time.Duration, in channel.Inbound, later func(turn.Answer) string) (status int, body ChatResponse, err error) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	a, err := runner.Converse(ctx, in)
	if err != nil {
		return 0, body, err
	}
	status = http.StatusOK
	if a.Later {
		w.Header().Set("Location", later(a))
		status = http.StatusAccepted
	}
	return status, chatResponse(a, telemetry.TraceID(r.Context())), nil
}

// inbound checks a request's fields and turns it into the one inbound form.
func (c *Chat) inbound(r *http.Request, req chatRequest) (channel.Inbound, error) {
	var none channel.Inbound
	_, signed := httpapi.Bearer(r)
	switch {
	case req.Message == nil:
		return none, fault.Field("message", "missing")
	case *req.Message == "" && len(req.Attachments) == 0 && req.Location == nil && req.Button == "":
		return none, fault.Field("message", "must not be empty")
	case req.SessionID == "" && !signed:
		return none, fault.Field("sessionId", "missing")
	case len(req.Language) > 35: // RFC 5646 §4.4.1
		return none, fault.Field("language", "at most 35 bytes")
	case len(req.ClientMessageID) > 128:
		return none, fault.Field("clientMessageId", "at most 128 bytes")
	case len(req.Button) > 200:
		return none, fault.Field("button", "at most 200 bytes")
	case len(req.ReplyTo) > 200:
		return none, fault.Field("replyTo", "at most 200 bytes")
	}
	if err := httpapi.CheckMarketID(req.MarketID); err != nil {
		return none, err
	}
	for _, m := range req.Attachments {
		if len(m.URL) > maxMediaURL || media.Ref(m.URL) != m.URL && !exchange.IsURL(m.URL) {
			return none, fault.Field("attachments.url", "want an http or https address of at most %d bytes, or what POST /chat/photos gave", maxMediaURL)
		}
		if len(m.Type) > maxType {
			return none, fault.Field("attachments.contentType", "at most %d bytes", maxType)
		}
	}
	who, err := c.Who.Customer(r, req.SessionID)
	if err != nil {
		return none, err
	}
	where, err := req.Location.Read()
	if err != nil {
		return none, err
	}
	name, err := c.assistant(req.AgentID)
	if err != nil {
		return none, err
	}
	called, phone, err := req.Customer.read()
	if err != nil {
		return none, err
	}
	who.Name = cmp.Or(who.Name, called)
	in := channel.Inbound{
		Market: req.MarketID, Channel: channel.App, ThreadType: channel.General, Assistant: name, From: who,
		MessageID: req.ClientMessageID, Text: *req.Message, Media: req.Attachments, Location: where,
		Button: req.Button, ReplyTo: req.ReplyTo, Language: req.Language, Contact: phone,
	}
	if in.Market == "" {
		in.Market = c.Market
	}
	if in.MessageID == "" {
		in.MessageID = c.NewID()
	}
	if _, err := c.Runner.Markets.Get(r.Context(), in.Market); err != nil {
		return none, err
	}
	return in, in.Check()
}

// assistant returns the stored name of the one asked for: "" for the thread type's own.
func (c *Chat) assistant(asked string) (string, error) {
	own, err := c.Assistants.For(channel.General, "")
	if err != nil {
		return "", err
	}
	if asked == "" || asked == own.Name {
		return "", nil
	}
	a, err := c.Assistants.For(channel.General, asked)
	if err != nil {
		return "", err
	}
	return a.Name, nil
}

func chatResponse(a turn.Answer, traceID string) ChatResponse {
	out := ChatResponse{
		ThreadID: a.Thread, MessageID: a.Message, State: a.State, Cards: []map[string]any{},
		Standing:  standing.Standing{Kind: standing.Nothing, Items: []standing.Item{}},
		ToolCalls: []thread.Call{}, Messages: []thread.Line{}, TraceID: traceID,
	}
	for _, l := range thread.LinesOf(a.Turn) {
		l.CreatedAt = l.CreatedAt.UTC().Truncate(time.Millisecond) // as it is kept, so that a repeat gets the same
		out.Messages = append(out.Messages, l)
	}
	for i, o := range a.Turn.Out {
		if i > 0 {
			out.Reply += "\n\n"
		}
		out.Reply += o.Text
		out.Cards, out.Choices = append(out.Cards, o.Cards...), o.Choices
		if o.Map != nil {
			out.MapLocation = o.Map
		}
		if s := o.Standing.In(o.Text); s != nil {
			out.Standing = *s
		}
	}
	out.ToolCalls = append(out.ToolCalls, a.Turn.Calls...)
	if p := a.Pending; p != nil {
		out.PendingAction = threadapi.Pending(p)
	}
	return out
}

// messages lists a thread's messages for its owner.
func (c *Chat) messages(w http.ResponseWriter, r *http.Request) error {
	who, err := c.Who.Customer(r, r.Header.Get("x-session-id"))
	if err != nil {
		return err
	}
	body, lines, err := threadapi.Messages(r, c.Threads, who, r.PathValue("threadId"))
	if err != nil {
		return err
	}
	c.Pictures.show(r.Context(), r.PathValue("threadId"), lines)
	return httpapi.WriteJSON(w, http.StatusOK, body)
}

// activity tells a thread's owner what its turn is doing.
func (c *Chat) activity(w http.ResponseWriter, r *http.Request) error {
	who, err := c.Who.Customer(r, r.Header.Get("x-session-id"))
	if err != nil {
		return err
	}
	if _, err := httpapi.Query(r); err != nil {
		return err
	}
	a, owner, err := c.Threads.Activity(r.Context(), r.PathValue("threadId"))
	if errors.Is(err, thread.ErrNoThread) {
		return actor.ErrNotFound
	}
	if err != nil {
		return err
	}
	if err := who.MaySee(owner); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, a)
}

// upload lets the page put one photo into the bucket.
func (c *Chat) upload(w http.ResponseWriter, r *http.Request) error {
	var req uploadRequest
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	id := req.SessionID
	if id == "" {
		id = r.Header.Get("x-session-id")
	}
	if _, signed := httpapi.Bearer(r); id == "" && !signed {
		return fault.Field("sessionId", "missing")
	}
	who, err := c.Who.Customer(r, id)
	if err != nil {
		return err
	}
	if err := httpapi.CheckMarketID(req.MarketID); err != nil {
		return err
	}
	if req.MarketID == "" {
		req.MarketID = c.Market
	}
	if _, err := c.Runner.Markets.Get(r.Context(), req.MarketID); err != nil {
		return err
	}
	name, err := c.assistant(req.AgentID)
	if err != nil {
		return err
	}
	return c.Pictures.upload(w, r, who, thread.ID(req.MarketID, channel.General, name, who.Key()), req)
}
