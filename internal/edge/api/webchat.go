package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/exchange"
	"merve/internal/edge/httpapi"
	"merve/internal/edge/threadapi"
	"merve/internal/people/account"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/media"
	"merve/internal/words/standing"
)

// WebChat is the API of the widget that other sites embed. A session is known by a secret
// that the widget has made; there are no cookies, so that a site can only ask in the name
// of its own visitors.
type WebChat struct {
	Runner    *turn.Runner
	Threads   *thread.Store
	Pictures  Pictures
	Anonymous Anonymous
	People    *account.Keeper
	Market    string // the market of a request that names none
	Assistant string // who answers
	Origins   Origins
	Patience  time.Duration // how long a request waits for its reply
	NewID     func() string
}

// Routes are the API's, for pages of [WebChat.Origins] only.
func (c *WebChat) Routes() httpapi.Routes {
	return c.Origins.share(httpapi.Routes{
		"POST /web-chat-api":         c.message,
		"GET /web-chat-api/messages": c.messages,
		"POST /web-chat-api/photos":  c.upload,
		"GET /web-chat-api/me":       c.export,
		"DELETE /web-chat-api/me":    c.erase,
	})
}

// webChatRequest is the body of POST /web-chat-api.
type webChatRequest struct {
	SessionID       string   `json:"sessionId"`
	Text            *string  `json:"text"`
	Name            string   `json:"name"`
	MediaURLs       []string `json:"mediaUrls"`
	Language        string   `json:"language"`
	MarketID        string   `json:"marketId"`
	ClientMessageID string   `json:"clientMessageId"`
	ReplyTo         string   `json:"replyTo"`
}

// WebChatResponse is the answer to POST /web-chat-api.
type WebChatResponse struct {
	ReplyText     string                   `json:"replyText"` // ends with the standing line, as on every channel of text
	Standing      standing.Standing        `json:"standing"`
	ThreadID      string                   `json:"threadId"`
	MessageID     string                   `json:"messageId"`
	PendingAction *threadapi.PendingAction `json:"pendingAction,omitempty"`
	Choices       []channel.Choice         `json:"choices,omitempty"` // what the customer may choose from
	MapLocation   *geo.Location            `json:"mapLocation,omitempty"`
	TraceID       string                   `json:"traceId"`
}

func (c *WebChat) message(w http.ResponseWriter, r *http.Request) error {
	var req webChatRequest
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	in, err := c.inbound(r.Context(), req)
	if err != nil {
		return err
	}
	if err := c.Anonymous.take(r, &in); err != nil {
		return err
	}
	status, full, err := converse(w, r, c.Runner, c.Patience, in, func(a turn.Answer) string {
		return "/web-chat-api/messages?" + url.Values{"after": {a.After}, "marketId": {in.Market}}.Encode()
	})
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, status, WebChatResponse{
		ReplyText: replyText(full), Standing: full.Standing, ThreadID: full.ThreadID, MessageID: full.MessageID,
		PendingAction: full.PendingAction, Choices: full.Choices, MapLocation: full.MapLocation, TraceID: full.TraceID,
	})
}

// replyText is a reply as channels of text show it.
func replyText(full ChatResponse) string {
	return thread.Reply{Text: full.Reply, Standing: &full.Standing}.Whole()
}

// maxName is the longest name of a customer, in characters.
const maxName = 80

// inbound checks a request's fields and turns it into the one inbound form.
func (c *WebChat) inbound(ctx context.Context, req webChatRequest) (channel.Inbound, error) {
	var none channel.Inbound
	switch {
	case req.Text == nil:
		return none, fault.Field("text", "missing")
	case *req.Text == "" && len(req.MediaURLs) == 0:
		return none, fault.Field("text", "must not be empty, unless there are mediaUrls")
	case utf8.RuneCountInString(*req.Text) > channel.MaxText:
		return none, fault.Field("text", "at most %d characters", channel.MaxText)
	case utf8.RuneCountInString(req.Name) > maxName:
		return none, fault.Field("name", "at most %d characters", maxName)
	case len(req.Language) > 35: // RFC 5646 §4.4.1
		return none, fault.Field("language", "at most 35 bytes")
	case len(req.ClientMessageID) > 128:
		return none, fault.Field("clientMessageId", "at most 128 bytes")
	case len(req.ReplyTo) > 200:
		return none, fault.Field("replyTo", "at most 200 bytes")
	case len(req.MediaURLs) > channel.MaxMedia:
		return none, fault.Field("mediaUrls", "at most %d", channel.MaxMedia)
	}
	who, err := httpapi.Session(req.SessionID)
	if err != nil {
		return none, err
	}
	who.Name = strings.TrimSpace(req.Name)
	in := channel.Inbound{
		Channel: channel.Web, ThreadType: channel.General, Assistant: c.Assistant, From: who, MessageID: req.ClientMessageID,
		Text: *req.Text, ReplyTo: req.ReplyTo, Language: req.Language,
	}
	for _, address := range req.MediaURLs {
		if len(address) > maxMediaURL || media.Ref(address) != address && !exchange.IsURL(address) {
			return none, fault.Field("mediaUrls", "want http or https addresses of at most %d bytes, or what POST /web-chat-api/photos gave", maxMediaURL)
		}
		in.Media = append(in.Media, channel.Media{URL: address, Type: "image"})
	}
	if in.Market, err = c.market(ctx, req.MarketID); err != nil {
		return none, err
	}
	if in.MessageID == "" {
		in.MessageID = c.NewID()
	}
	return in, in.Check()
}

// maxMediaURL is the longest address of a photo, in bytes.
const maxMediaURL = 2048

// market is the one asked for, which must exist.
func (c *WebChat) market(ctx context.Context, asked string) (string, error) {
	if err := httpapi.CheckMarketID(asked); err != nil {
		return "", err
	}
	if asked == "" {
		asked = c.Market
	}
	_, err := c.Runner.Markets.Get(ctx, asked)
	return asked, err
}

// messages lists the session's messages with the photos' present addresses. A session that
// has not written yet has none.
func (c *WebChat) messages(w http.ResponseWriter, r *http.Request) error {
	who, id, err := c.asked(r)
	if err != nil {
		return err
	}
	body, lines, err := threadapi.Messages(r, c.Threads, who, id)
	if fault.Is(err, fault.NotFound) {
		return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"messages": []thread.Line{}, "state": thread.Idle})
	}
	if err != nil {
		return err
	}
	c.Pictures.show(r.Context(), id, lines)
	return httpapi.WriteJSON(w, http.StatusOK, body)
}

// asked returns the session that a request without body names, and its thread.
func (c *WebChat) asked(r *http.Request) (who actor.Actor, threadID string, err error) {
	who, err = httpapi.Session(r.Header.Get("x-session-id"))
	if err != nil {
		return who, "", err
	}
	q, err := httpapi.Query(r, "marketId")
	if err != nil {
		return who, "", err
	}
	m, err := c.market(r.Context(), q["marketId"])
	return who, thread.ID(m, channel.General, c.Assistant, who.Key()), err
}

// export returns the data stored about the session.
func (c *WebChat) export(w http.ResponseWriter, r *http.Request) error {
	_, id, err := c.asked(r)
	if err != nil {
		return err
	}
	return threadapi.Export(w, r, c.People, id)
}

// erase deletes the data stored about the session.
func (c *WebChat) erase(w http.ResponseWriter, r *http.Request) error {
	_, id, err := c.asked(r)
	if err != nil {
		return err
	}
	return threadapi.Erase(w, r, c.People, id)
}

// upload lets the widget put one photo into the bucket.
func (c *WebChat) upload(w http.ResponseWriter, r *http.Request) error {
	var req uploadRequest
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	who, err := httpapi.Session(req.SessionID)
	if err != nil {
		return err
	}
	m, err := c.market(r.Context(), req.MarketID)
	if err != nil {
		return err
	}
	return c.Pictures.upload(w, r, who, thread.ID(m, channel.General, c.Assistant, who.Key()), req)
}
