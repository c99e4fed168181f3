package twilio

import (
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
)

const (
	// DefaultBaseURL is Twilio.
	DefaultBaseURL = "https://api.twilio.com"

	// MaxBody is the longest text of one message, in characters.
	// https://www.twilio.com/docs/api/errors/21617
	MaxBody = 1600

	defaultTimeout = 10 * time.Second
	maxAnswer      = 8 << 20 // bytes of an answer that are read
)

// Client sends as one WhatsApp sender of one account. Its methods may be called at the
// same time. Requests are tried once: whether to try again is for the caller to decide.
type Client struct {
	BaseURL    string           // "" is [DefaultBaseURL]
	AccountSID string           // AC…
	AuthToken  string           //
	From       string           // the sender, E.164
	HTTP       *http.Client     // nil is one with Go's defaults
	Now        func() time.Time // nil is time.Now
	Timeout    time.Duration    // of one call, all pages of a list included; 0 is 10 s
}

// Outbound is a message to send: text and media, or a template.
type Outbound struct {
	To               string            // E.164 or a business-scoped user id
	Body             string            // at most [MaxBody] characters
	ContentSID       string            // an approved template, HX…
	ContentVariables map[string]string // its parameters: "1", "2", …; none may be empty
	MediaURLs        []string          //

	// StatusCallback is called with each change of status; "" for none. Twilio is not
	// exact with queries when it signs: keep to letters, digits, '-', '_', '.', and to the
	// order of the alphabet.
	StatusCallback string
}

// Send hands m to Twilio and returns the SID of the message. Errors are *[SendError].
func (c *Client) Send(ctx context.Context, m Outbound) (sid string, err error) {
	form, failed := c.form(m)
	if failed != nil {
		return "", failed
	}
	return c.create(ctx, c.messages(), form, "the answer names no message")
}

// create posts form and returns the SID of the resource that Twilio created or changed. Errors are *[SendError].
func (c *Client) create(ctx context.Context, path string, form url.Values, nameless string) (sid string, err error) {
	got, failed := c.post(ctx, path, form)
	if failed != nil {
		return "", failed
	}
	var told struct {
		SID  string `json:"sid"`
		Code int    `json:"code"`
	}
	malformed := json.Unmarshal(got.Body, &told) // as the page of a proxy is
	if got.Status < 200 || got.Status > 299 {
		return "", refusal(got.Status, told.Code, got.Header, c.now())
	}
	if malformed != nil || told.SID == "" {
		return "", &SendError{Status: got.Status, Message: nameless, Outcome: Unclear, Err: malformed}
	}
	return told.SID, nil
}

// form checks m by Twilio's rules, so that a message it would refuse costs no request.
func (c *Client) form(m Outbound) (url.Values, *SendError) {
	if failed := c.configured(); failed != nil {
		return nil, failed
	}
	form := url.Values{"From": {channelPrefix + bare(c.From)}, "To": {channelPrefix + bare(m.To)}}
	switch {
	case m.To == "":
		return nil, refused(21604)
	case !isAddress(bare(m.To)):
		return nil, refused(21211)
	case m.ContentSID != "" && (m.Body != "" || len(m.MediaURLs) > 0):
		return nil, &SendError{Message: "a template goes without text and media", Outcome: Permanent}
	case m.ContentSID == "" && len(m.ContentVariables) > 0:
		return nil, refused(21654)
	case m.ContentSID == "" && m.Body == "" && len(m.MediaURLs) == 0:
		return nil, refused(21602)
	case utf8.RuneCountInString(m.Body) > MaxBody:
		return nil, refused(21617)
	case len(m.MediaURLs) > maxMedia:
		return nil, refused(21623)
	case m.StatusCallback != "" && !exchange.IsURL(m.StatusCallback):
		return nil, refused(21609)
	}
	for _, address := range m.MediaURLs {
		if !exchange.IsURL(address) {
			return nil, refused(21620)
		}
		form.Add("MediaUrl", address)
	}
	set(form, "Body", m.Body)
	set(form, "StatusCallback", m.StatusCallback)
	return form, template(form, m)
}

// template adds m's template to form.
func template(form url.Values, m Outbound) *SendError {
	if m.ContentSID == "" {
		return nil
	}
	form.Set("ContentSid", m.ContentSID)
	if len(m.ContentVariables) == 0 {
		return nil
	}
	for _, value := range m.ContentVariables {
		if strings.TrimSpace(value) == "" {
			return refused(21656)
		}
	}
	vars, err := json.Marshal(m.ContentVariables)
	if err != nil {
		return refused(21656)
	}
	form.Set("ContentVariables", string(vars))
	return nil
}

func set(form url.Values, name, value string) {
	if value != "" {
		form.Set(name, value)
	}
}

func (c *Client) configured() *SendError {
	for _, setting := range []struct{ name, value string }{
		{"TWILIO_ACCOUNT_SID", c.AccountSID}, {"TWILIO_AUTH_TOKEN", c.AuthToken}, {"TWILIO_WHATSAPP_FROM", c.From},
	} {
		if setting.value == "" {
			return &SendError{Message: setting.name + " is not set", Outcome: Permanent, Alert: true}
		}
	}
	return nil
}

// post sends form and returns the whole answer. Without an answer, the error says
// whether the request can have arrived.
func (c *Client) post(ctx context.Context, path string, form url.Values) (exchange.Answer, *SendError) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	if err := ctx.Err(); err != nil {
		return exchange.Answer{}, &SendError{Message: "no time left", Outcome: Retry, Err: err}
	}
	var left exchange.Departure
	req, err := c.request(left.Watch(ctx), http.MethodPost, path, strings.NewReader(form.Encode()))
	if err != nil {
		return exchange.Answer{}, &SendError{Message: "TWILIO_BASE_URL is not an address", Outcome: Permanent, Alert: true}
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	// No Idempotency-Key: Twilio ignores it, and Go's transport would take it as leave
	// to send the request again by itself.
	got, err := exchange.Do(c.HTTP, req, maxAnswer)
	switch {
	case err == nil:
		return got, nil
	case left.Never():
		return exchange.Answer{}, &SendError{Message: "no connection", Outcome: Retry, Err: err}
	}
	return exchange.Answer{}, &SendError{Status: got.Status, Message: "no answer", Outcome: Unclear, Err: err}
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	base := strings.TrimRight(cmp.Or(c.BaseURL, DefaultBaseURL), "/")
	if !exchange.IsURL(base) {
		return nil, errors.New("the base address must be absolute")
	}
	req, err := http.NewRequestWithContext(ctx, method, base+path, body)
	if err != nil {
		return nil, errors.New("the base address cannot be read") // the cause quotes it, query and all
	}
	req.SetBasicAuth(c.AccountSID, c.AuthToken)
	req.Header.Set("Accept", "application/json")
	return req, nil
}

func (c *Client) messages() string {
	return "/2010-04-01/Accounts/" + url.PathEscape(c.AccountSID) + "/Messages.json"
}

func (c *Client) timeout() time.Duration { return cmp.Or(c.Timeout, defaultTimeout) }

func (c *Client) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// Query asks for messages that were sent to somebody.
type Query struct {
	To    string    // E.164 or a business-scoped user id
	Since time.Time // messages created before, by Twilio's clock, are left out
	Body  string    // "" for any text
}

// Found is a message as Twilio keeps it.
type Found struct {
	SID         string
	Body        string // of a template: as rendered
	State       State
	ErrorCode   int
	DateCreated time.Time // whole seconds
}

const (
	pageSize = 200
	maxPages = 5
)

// Find lists the messages that Twilio has accepted from this sender, newest first, to settle a send
// whose answer was lost. Twilio's list may lag behind its sends by seconds.
//
// An incomplete answer is an error, since "not found" lets a message go again. For the
// same reason the list is not narrowed by DateSent: that is null while a message waits in
// Twilio's queue, and such a message has to be found.
func (c *Client) Find(ctx context.Context, q Query) ([]Found, error) {
	if failed := c.configured(); failed != nil {
		return nil, failed
	}
	if !isAddress(bare(q.To)) {
		return nil, refused(21211)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	since := q.Since.Truncate(time.Second) // what Twilio's dates are cut to
	var found []Found
	path := c.messages() + "?" + url.Values{"To": {channelPrefix + bare(q.To)}, "PageSize": {fmt.Sprint(pageSize)}}.Encode()
	for range maxPages {
		page, err := c.page(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("list messages: %w", err)
		}
		older := 0
		for _, m := range page.Messages {
			f, err := m.found()
			switch {
			case err != nil:
				return nil, fmt.Errorf("list messages: %w", err)
			case !f.DateCreated.IsZero() && f.DateCreated.Before(since):
				older++
			case m.by(c.From) && (q.Body == "" || sameText(f.Body, q.Body)):
				found = append(found, f)
			}
		}
		if page.Next == "" || older > 0 && older == len(page.Messages) {
			slices.SortStableFunc(found, func(a, b Found) int { return b.DateCreated.Compare(a.DateCreated) })
			return found, nil
		}
		path = page.Next
	}
	return nil, fmt.Errorf("list messages: more than %d pages", maxPages)
}

// sameText ignores the space around a text, which may be lost on the way.
func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// page is a page of a list resource: of messages or of calls.
// https://www.twilio.com/docs/messaging/api/message-resource#read-multiple-message-resources
type page struct {
	Messages []resource     `json:"messages"`
	Calls    []callResource `json:"calls"`
	Next     string         `json:"next_page_uri"` // path and query; null on the last page
}

func (c *Client) page(ctx context.Context, path string) (page, error) {
	req, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return page{}, err
	}
	got, err := exchange.Do(c.HTTP, req, maxAnswer)
	if err != nil {
		return page{}, err
	}
	var p struct {
		page
		Code int `json:"code"`
	}
	malformed := json.Unmarshal(got.Body, &p)
	switch {
	case got.Status != http.StatusOK:
		return page{}, fmt.Errorf("HTTP %d, code %d", got.Status, p.Code)
	case malformed != nil:
		return page{}, fmt.Errorf("the answer is not a page: %w", malformed)
	case p.Messages == nil && p.Calls == nil:
		return page{}, errors.New("the answer is not a page: nothing is listed")
	case p.Next != "" && !strings.HasPrefix(p.Next, "/2010-04-01/Accounts/"):
		return page{}, errors.New("next_page_uri is not a path of the API") // where the key would go too
	}
	return p.page, nil
}

// resource is the part of a message resource that is read.
type resource struct {
	SID         string `json:"sid"`
	From        string `json:"from"`
	Body        string `json:"body"`
	Status      string `json:"status"`
	Direction   string `json:"direction"`
	DateCreated string `json:"date_created"`
	ErrorCode   *int   `json:"error_code"`
}

// by reports whether sender sent the message. Fields missing from the answer count as a match.
func (m resource) by(sender string) bool {
	return (m.From == "" || bare(m.From) == bare(sender)) && (m.Direction == "" || strings.HasPrefix(m.Direction, "outbound"))
}

func (m resource) found() (Found, error) {
	f := Found{SID: m.SID, Body: m.Body, State: cmp.Or(states[m.Status], Queued)}
	if m.SID == "" {
		return f, errors.New("a message has no sid")
	}
	if m.ErrorCode != nil {
		f.ErrorCode = *m.ErrorCode
	}
	at, err := created(m.SID, m.DateCreated)
	f.DateCreated = at
	return f, err
}

// created reads date_created, which may be left out.
func created(sid, date string) (time.Time, error) {
	if date == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC1123Z, date)
	if err != nil {
		return time.Time{}, fmt.Errorf("date_created of %s is not as in RFC 2822", sid)
	}
	return at.UTC(), nil
}
