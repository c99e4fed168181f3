package metatest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
	"unicode/utf16"
)

// Answer is what a webhook answered.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Item is one event of a webhook's body. Tests change and add what they need.
// https://developers.facebook.com/documentation/business-messaging/messenger-platform/webhooks/webhook-events
type Item map[string]any

// With is the item with another value of a field. The item itself stays as it is.
func (it Item) With(field string, value any) Item {
	changed := Item{}
	for name, v := range it {
		changed[name] = v
	}
	changed[field] = value
	return changed
}

// Message is what a person sends: text may be empty beside attachments. The page knows the
// person from now on.
func (s *Server) Message(psid, mid, text string, attachments ...any) Item {
	s.Heard(psid, mid, text)
	m := map[string]any{"mid": mid}
	if text != "" {
		m["text"] = text
	}
	if len(attachments) > 0 {
		m["attachments"] = attachments
	}
	return s.from(psid).With("message", m)
}

// Attachment is a file of a message: image, audio, video or file.
func Attachment(kind, address string) map[string]any {
	return map[string]any{"type": kind, "payload": map[string]any{"url": address}}
}

// Place is a shared location.
func Place(title string, lat, lng float64) map[string]any {
	return map[string]any{"type": "location", "title": title, "url": "https://www.facebook.com/l.php",
		"payload": map[string]any{"coordinates": map[string]any{"lat": lat, "long": lng}}}
}

// QuickReply is a tap on a quick reply: a message whose text is the button's title.
func (s *Server) QuickReply(psid, mid, title, payload string) Item {
	it := s.Message(psid, mid, title)
	it["message"].(map[string]any)["quick_reply"] = map[string]any{"payload": payload}
	return it
}

// Postback is a tap on a button. An empty mid leaves it out, as Meta did once.
func (s *Server) Postback(psid, mid, title, payload string) Item {
	s.Heard(psid, mid, title)
	p := map[string]any{"title": title, "payload": payload}
	if mid != "" {
		p["mid"] = mid
	}
	return s.from(psid).With("postback", p)
}

// Echo is the echo of a message that the server took; of one written by hand with
// app "".
func (s *Server) Echo(m Message, app string) Item {
	e := map[string]any{"mid": m.ID, "text": m.Text, "is_echo": true}
	if app != "" {
		e["app_id"] = json.Number(app)
	}
	if m.Metadata != "" {
		e["metadata"] = m.Metadata
	}
	return Item{
		"sender": map[string]any{"id": s.config.Page}, "recipient": map[string]any{"id": m.To},
		"timestamp": s.config.Now().UnixMilli(), "message": e,
	}
}

// Delivery is the receipt of messages that a person's device has.
func (s *Server) Delivery(psid string, mids ...string) Item {
	d := map[string]any{"watermark": s.config.Now().UnixMilli()}
	if len(mids) > 0 {
		d["mids"] = mids
	}
	it := s.from(psid).With("delivery", d)
	delete(it, "timestamp")
	return it
}

// Read is the receipt of all messages that a person has seen by now.
func (s *Server) Read(psid string) Item {
	return s.from(psid).With("read", map[string]any{"watermark": s.config.Now().UnixMilli()})
}

func (s *Server) from(psid string) Item {
	return Item{
		"sender": map[string]any{"id": psid}, "recipient": map[string]any{"id": s.config.Page},
		"timestamp": s.config.Now().UnixMilli(),
	}
}

// Batch is the body of a webhook with one entry for the page.
func (s *Server) Batch(items ...Item) []byte {
	return Body(map[string]any{"object": "page", "entry": []any{s.Entry("messaging", items...)}})
}

// Entry is one entry of a body: what happened on the page ("messaging"), or would be another
// app's to answer ("standby").
func (s *Server) Entry(list string, items ...Item) map[string]any {
	return map[string]any{"id": s.config.Page, "time": s.config.Now().UnixMilli(), list: items}
}

// Body writes v as Meta writes bodies: what is not ASCII is escaped, and slashes are, too.
func Body(v any) []byte {
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("metatest: %v", err)) // a test's own mistake
	}
	var out bytes.Buffer
	for _, r := range string(bytes.TrimSpace(plain.Bytes())) {
		switch {
		case r == '/':
			out.WriteString(`\/`)
		case r < 0x80:
			out.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04x`, unit)
			}
		}
	}
	return out.Bytes()
}

// Sign returns the X-Hub-Signature-256 of a body.
func (s *Server) Sign(body []byte) string { return "sha256=" + s.mac(body) }

// Post calls a webhook as Meta does: body sent to address, signed.
func (s *Server) Post(ctx context.Context, address string, body []byte) (Answer, error) {
	return s.PostSigned(ctx, address, body, s.Sign(body))
}

// PostSigned is [Server.Post] with a signature of the caller's.
func (s *Server) PostSigned(ctx context.Context, address string, body []byte, signature string) (Answer, error) {
	return s.call(ctx, http.MethodPost, address, body, signature)
}

// Verify asks a webhook to prove that it is ours.
// https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests
func (s *Server) Verify(ctx context.Context, address, verifyToken, challenge string) (Answer, error) {
	query := url.Values{"hub.mode": {"subscribe"}, "hub.verify_token": {verifyToken}, "hub.challenge": {challenge}}
	return s.call(ctx, http.MethodGet, address+"?"+query.Encode(), nil, "")
}

func (s *Server) call(ctx context.Context, method, address string, body []byte, signature string) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return Answer{}, fmt.Errorf("webhook: %w", err)
	}
	req.Header.Set("User-Agent", "facebookexternalua")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if signature != "" {
		req.Header.Set("X-Hub-Signature-256", signature)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("webhook: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return Answer{}, fmt.Errorf("webhook: %w", err)
	}
	return Answer{Status: resp.StatusCode, Header: resp.Header, Body: string(text)}, nil
}
