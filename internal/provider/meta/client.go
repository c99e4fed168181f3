package meta

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/cloud/exchange"
	"merve/internal/spine/outbox"
)

const (
	// DefaultBaseURL is Meta.
	DefaultBaseURL = "https://graph.facebook.com"

	// Version is the version of the Graph API that this package is written for. Meta keeps
	// a version for two years at least.
	// https://developers.facebook.com/docs/graph-api/changelog
	Version = "v25.0"

	// MaxText is the longest text of one message, in characters.
	// https://developers.facebook.com/docs/messenger-platform/reference/send-api
	MaxText = 2000

	// Bounds of quick replies: how many, and the characters of title and payload.
	// https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages/quick-replies
	MaxQuickReplies    = 13
	MaxQuickReplyTitle = 20
	MaxQuickReply      = 1000

	maxMetadata    = 1000
	defaultTimeout = 10 * time.Second
	maxAnswer      = 8 << 20 // bytes of an answer that are read
)

// Client writes as one page. Its methods may be called at the same time. Requests are
// tried once: whether to try again is for the caller to decide.
type Client struct {
	BaseURL string           // "" is [DefaultBaseURL]
	Token   string           // the page's access token
	Secret  string           // the app's; "" sends no proof that we know it
	HTTP    *http.Client     // nil is one with Go's defaults
	Now     func() time.Time // nil is time.Now
	Timeout time.Duration    // of one call; 0 is 10 s
}

// Outbound is a message to send.
type Outbound struct {
	To           string // PSID
	Text         string // at most [MaxText] characters
	QuickReplies []QuickReply

	// HumanAgent sends outside the 24-hour window, up to seven days after the person wrote.
	// Meta allows it for messages by a human, and to apps with the permission for it.
	// https://developers.facebook.com/docs/messenger-platform/send-messages/message-tags
	HumanAgent bool

	// Metadata comes back with the echo of the message: at most 1,000 characters.
	Metadata string
}

// QuickReply is a button below a message, gone once the person has answered.
type QuickReply struct {
	Title   string // at most [MaxQuickReplyTitle] characters
	Payload string // at most [MaxQuickReply] characters
}

type recipient struct {
	ID string `json:"id"`
}

// send is a request to the Send API: a message, or an action.
// https://developers.facebook.com/docs/messenger-platform/reference/send-api
type send struct {
	Recipient recipient `json:"recipient"`
	Type      string    `json:"messaging_type,omitempty"`
	Tag       string    `json:"tag,omitempty"`
	Message   *content  `json:"message,omitempty"`
	Action    string    `json:"sender_action,omitempty"`
}

type content struct {
	Text         string       `json:"text"`
	QuickReplies []quickReply `json:"quick_replies,omitempty"`
	Metadata     string       `json:"metadata,omitempty"`
}

type quickReply struct {
	Type    string `json:"content_type"`
	Title   string `json:"title"`
	Payload string `json:"payload"`
}

// Send hands m to Meta and returns the id of the message. Errors are *[SendError].
func (c *Client) Send(ctx context.Context, m Outbound) (mid string, err error) {
	if failed := c.check(m); failed != nil {
		return "", failed
	}
	s := send{Recipient: recipient{m.To}, Type: "RESPONSE", Message: &content{Text: m.Text, Metadata: m.Metadata}}
	if m.HumanAgent {
		s.Type, s.Tag = "MESSAGE_TAG", "HUMAN_AGENT"
	}
	for _, q := range m.QuickReplies {
		s.Message.QuickReplies = append(s.Message.QuickReplies, quickReply{"text", q.Title, q.Payload})
	}
	told, failed := c.post(ctx, s)
	switch {
	case failed != nil:
		return "", failed
	case told.MessageID == "":
		return "", &SendError{Status: http.StatusOK, Message: "the answer names no message", Outcome: outbox.Unclear}
	}
	return told.MessageID, nil
}

// Typing shows the person that an answer is being written, until it comes or for 20 seconds.
// https://developers.facebook.com/docs/messenger-platform/send-messages/sender-actions
func (c *Client) Typing(ctx context.Context, psid string) error {
	if failed := c.ready(psid); failed != nil {
		return failed
	}
	if _, failed := c.post(ctx, send{Recipient: recipient{psid}, Action: "typing_on"}); failed != nil {
		return failed
	}
	return nil
}

// check refuses what Meta would refuse, so that it costs no request.
func (c *Client) check(m Outbound) *SendError {
	if failed := c.ready(m.To); failed != nil {
		return failed
	}
	switch {
	case strings.TrimSpace(m.Text) == "":
		return refused("the text is missing")
	case !utf8.ValidString(m.Text):
		return refused("the text is not UTF-8")
	case utf8.RuneCountInString(m.Text) > MaxText:
		return refused("the text is longer than 2,000 characters")
	case len(m.QuickReplies) > MaxQuickReplies:
		return refused("more than 13 quick replies")
	case utf8.RuneCountInString(m.Metadata) > maxMetadata:
		return refused("the metadata are longer than 1,000 characters")
	}
	for _, q := range m.QuickReplies {
		if q.Title == "" || utf8.RuneCountInString(q.Title) > MaxQuickReplyTitle || q.Payload == "" || utf8.RuneCountInString(q.Payload) > MaxQuickReply {
			return refused("a quick reply wants a title of up to 20 characters and a payload of up to 1,000")
		}
	}
	return nil
}

// ready says whether anything can be sent to a person.
func (c *Client) ready(psid string) *SendError {
	switch {
	case c.Token == "":
		return &SendError{Message: "META_PAGE_ACCESS_TOKEN is not set", Outcome: outbox.Permanent, Alert: true}
	case !IsID(psid):
		return refused("the recipient is no id of a person")
	}
	return nil
}

// answer is an answer of the Send API: a message, or an error.
type answer struct {
	MessageID string     `json:"message_id"`
	Error     graphError `json:"error"`
}

// post sends s and returns what Meta says of it. When there is no answer, the error tells
// whether the request can have arrived.
func (c *Client) post(ctx context.Context, s send) (answer, *SendError) {
	body, err := json.Marshal(s)
	if err != nil {
		return answer{}, &SendError{Message: "the message cannot be written", Outcome: outbox.Permanent, Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	defer cancel()
	if err := ctx.Err(); err != nil {
		return answer{}, &SendError{Message: "no time left", Outcome: outbox.Retry, Err: err}
	}
	var left exchange.Departure
	req, err := c.request(left.Watch(ctx), http.MethodPost, "me/messages", url.Values{}, bytes.NewReader(body))
	if err != nil {
		return answer{}, &SendError{Message: "META_BASE_URL is not an address", Outcome: outbox.Permanent, Alert: true}
	}
	req.Header.Set("Content-Type", "application/json")
	got, err := exchange.Do(c.HTTP, req, maxAnswer)
	switch {
	case err != nil && left.Never():
		return answer{}, &SendError{Message: "no connection", Outcome: outbox.Retry, Err: err}
	case err != nil:
		return answer{}, &SendError{Status: got.Status, Message: "no answer", Outcome: outbox.Unclear, Err: err}
	}
	var told answer
	malformed := json.Unmarshal(got.Body, &told) // as the page of a proxy is
	switch {
	case got.Status < 200 || got.Status > 299 || told.Error.Code != 0:
		return answer{}, refusal(got.Status, told.Error, got.Header, c.now())
	case malformed != nil:
		return answer{}, &SendError{Status: got.Status, Message: "the answer cannot be read", Outcome: outbox.Unclear, Err: malformed}
	}
	return told, nil
}

// request builds a request with the page's token in the address, as in Meta's reference
// (errors never quote the address), and with the proof that we know the app's secret, without
// which a stolen token is useless.
// https://developers.facebook.com/docs/messenger-platform/reference/send-api/,
// https://developers.facebook.com/docs/graph-api/guides/secure-requests
func (c *Client) request(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Request, error) {
	base := strings.TrimRight(cmp.Or(c.BaseURL, DefaultBaseURL), "/")
	if !exchange.IsURL(base) {
		return nil, errors.New("the base address must be absolute")
	}
	query.Set("access_token", c.Token)
	if c.Secret != "" {
		query.Set("appsecret_proof", sign(c.Secret, []byte(c.Token)))
	}
	req, err := http.NewRequestWithContext(ctx, method, base+"/"+Version+"/"+path+"?"+query.Encode(), body)
	if err != nil {
		return nil, errors.New("the base address cannot be read") // the cause quotes it, query and all
	}
	req.Header.Set("Accept", "application/json")
	return req, nil
}

func (c *Client) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Found is a message of the page as Meta keeps it.
type Found struct {
	ID      string
	Text    string
	Created time.Time // whole seconds
}

// listed is how many messages of a conversation are asked for: Meta tells the texts of the
// latest 20 only.
// https://developers.facebook.com/documentation/business-messaging/messenger-platform/conversations
const listed = 20

// Find lists the page's messages to a person since a time, by Meta's clock, newest
// first, to settle a send whose answer was lost. It sees the latest 20 messages of both
// sides. An incomplete answer is an error, since "not found" lets a message go again.
func (c *Client) Find(ctx context.Context, psid string, since time.Time) ([]Found, error) {
	if failed := c.ready(psid); failed != nil {
		return nil, failed
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	defer cancel()
	list, err := c.conversation(ctx, psid)
	if err != nil {
		return nil, fmt.Errorf("list messages: %w", err)
	}
	since = since.Truncate(time.Second) // what Meta's dates are cut to
	var found []Found
	older := false
	for _, m := range list.Data {
		created, err := time.Parse(graphTime, m.Created)
		switch {
		case err != nil || m.ID == "":
			return nil, errors.New("list messages: a message has no id or no date")
		case created.Before(since):
			older = true
		case m.From.ID != psid:
			found = append(found, Found{m.ID, m.Text, created.UTC()})
		}
	}
	if !older && (list.Paging.Next != "" || len(list.Data) >= listed) {
		return nil, fmt.Errorf("list messages: more than %d since then", listed)
	}
	slices.SortStableFunc(found, func(a, b Found) int { return b.Created.Compare(a.Created) })
	return found, nil
}

// graphTime is ISO 8601 as the Graph API writes it.
const graphTime = "2006-01-02T15:04:05-0700"

type messages struct {
	Data []struct {
		ID      string    `json:"id"`
		Text    string    `json:"message"`
		Created string    `json:"created_time"`
		From    recipient `json:"from"`
	} `json:"data"`
	Paging struct {
		Next string `json:"next"` // an address with the token in it, never followed
	} `json:"paging"`
}

// conversation reads the latest messages between the page and a person; none when they have
// no conversation.
func (c *Client) conversation(ctx context.Context, psid string) (messages, error) {
	req, err := c.request(ctx, http.MethodGet, "me/conversations", url.Values{
		"platform": {"messenger"}, "user_id": {psid},
		"fields": {fmt.Sprintf("messages.limit(%d){id,message,created_time,from}", listed)},
	}, nil)
	if err != nil {
		return messages{}, err
	}
	got, err := exchange.Do(c.HTTP, req, maxAnswer)
	if err != nil {
		return messages{}, err
	}
	var told struct {
		Data []struct {
			Messages messages `json:"messages"`
		} `json:"data"`
		Error graphError `json:"error"`
	}
	malformed := json.Unmarshal(got.Body, &told)
	switch {
	case got.Status != http.StatusOK || told.Error.Code != 0:
		return messages{}, fmt.Errorf("HTTP %d, code %d", got.Status, told.Error.Code)
	case malformed != nil || told.Data == nil:
		return messages{}, errors.New("the answer is not a list of conversations")
	case len(told.Data) == 0:
		return messages{}, nil
	case told.Data[0].Messages.Data == nil:
		return messages{}, errors.New("the conversation comes without its messages")
	}
	return told.Data[0].Messages, nil
}
