package meta_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/provider/meta"
	"merve/internal/provider/meta/metatest"
)

const (
	psid  = "9000000000000001"
	photo = "https://scontent.xx.fbcdn.net/v/t1.15752-9/1_n.jpg?oh=00_a&oe=6B0"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 123_000_000, time.UTC)

func server(t testing.TB, c metatest.Config) *metatest.Server {
	t.Helper()
	if c.Now == nil {
		c.Now = func() time.Time { return noon }
	}
	return metatest.New(t, c)
}

func parsed(t *testing.T, body []byte) []meta.Event {
	t.Helper()
	events, err := meta.Parse(body)
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return events
}

// Each kind of event, as Meta's reference shows it, is told from the others.
func TestParse(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	with := func(it metatest.Item, field string, value any) metatest.Item {
		it["message"].(map[string]any)[field] = value
		return it
	}
	base := meta.Event{Kind: meta.Message, ID: "m_1", PSID: psid, Page: metatest.Page, At: noon}
	change := func(f func(*meta.Event)) meta.Event { e := base; f(&e); return e }
	other := metatest.Item{"sender": map[string]any{"id": psid}, "recipient": map[string]any{"id": metatest.Page}, "timestamp": noon.UnixMilli()}
	for name, tt := range map[string]struct {
		item metatest.Item
		want meta.Event
	}{
		"text":  {s.Message(psid, "m_1", "Çatı akıyor 👋"), change(func(e *meta.Event) { e.Text = "Çatı akıyor 👋" })},
		"photo": {s.Message(psid, "m_1", "", metatest.Attachment("image", photo)), change(func(e *meta.Event) { e.Media = []meta.Media{{photo, "image"}} })},
		"text, photos and files": {
			s.Message(psid, "m_1", "look", metatest.Attachment("image", photo), metatest.Attachment("audio", photo), metatest.Attachment("video", photo), metatest.Attachment("file", photo)),
			change(func(e *meta.Event) {
				e.Text, e.Media = "look", []meta.Media{{photo, "image"}, {photo, "audio"}, {photo, "video"}, {photo, "file"}}
			}),
		},
		"place": {s.Message(psid, "m_1", "", metatest.Place("Old Harbour", 35.3364, 33.3182)), change(func(e *meta.Event) { e.Location = &meta.Location{Lat: 35.3364, Lng: 33.3182, Title: "Old Harbour"} })},
		"a link, a template and what is no attachment": {
			s.Message(psid, "m_1", "https://example.com", map[string]any{"type": "fallback", "title": "Example", "payload": map[string]any{"url": "https://example.com"}},
				map[string]any{"type": "template", "payload": nil}, map[string]any{"type": "image"}, metatest.Attachment("image", "javascript:alert(1)"),
				metatest.Place("nowhere", 91, 0), map[string]any{"type": "location", "payload": map[string]any{"coordinates": map[string]any{"lat": "35"}}}, "text", 7, nil),
			change(func(e *meta.Event) { e.Text = "https://example.com" }),
		},
		"a sticker as it was sent": {
			with(s.Message(psid, "m_1", "", map[string]any{"type": "image", "payload": map[string]any{"url": photo, "sticker_id": 369239263222822}}), "sticker_id", 369239263222822),
			change(func(e *meta.Event) { e.Sticker = "369239263222822" }),
		},
		"a sticker as it is sent, beside its image": {
			s.Message(psid, "m_1", "", map[string]any{"type": "sticker", "payload": map[string]any{"url": photo, "sticker_id": "369239263222822"}}, metatest.Attachment("image", photo)),
			change(func(e *meta.Event) { e.Sticker = "369239263222822" }),
		},
		"quick reply": {s.QuickReply(psid, "m_1", "Yes", "yes:p1"), change(func(e *meta.Event) { e.Text, e.Button = "Yes", meta.Button{Payload: "yes:p1", Title: "Yes"} })},
		"answer to a message": {with(s.Message(psid, "m_1", "this one"), "reply_to", map[string]any{"mid": "m_0", "is_self_reply": false}),
			change(func(e *meta.Event) { e.Text, e.ReplyTo = "this one", "m_0" })},
		"button": {s.Postback(psid, "m_1", "Get started", "START"), change(func(e *meta.Event) {
			e.Kind, e.Button = meta.Postback, meta.Button{Payload: "START", Title: "Get started"}
		})},
		"echo of ours": {s.Echo(metatest.Message{ID: "m_1", To: psid, Text: "hi", Metadata: "th_1/turn00000001-0"}, metatest.App),
			change(func(e *meta.Event) {
				e.Kind, e.Text, e.App, e.Metadata = meta.Echo, "hi", metatest.App, "th_1/turn00000001-0"
			})},
		"echo of somebody in the inbox": {s.Echo(metatest.Message{ID: "m_1", To: psid, Text: "hi"}, ""), change(func(e *meta.Event) { e.Kind, e.Text = meta.Echo, "hi" })},
		"delivery":                      {s.Delivery(psid, "m_1", "m_2"), meta.Event{Kind: meta.Delivery, PSID: psid, Page: metatest.Page, At: noon, Delivered: []string{"m_1", "m_2"}, Before: noon}},
		"delivery without ids":          {s.Delivery(psid), meta.Event{Kind: meta.Delivery, PSID: psid, Page: metatest.Page, At: noon, Before: noon}},
		"read":                          {s.Read(psid), meta.Event{Kind: meta.Read, PSID: psid, Page: metatest.Page, At: noon, Before: noon}},
		"reaction":                      {other.With("reaction", map[string]any{"reaction": "like", "action": "react", "mid": "m_0"}), meta.Event{Kind: meta.Reaction, PSID: psid, Page: metatest.Page, At: noon}},
		"referral":                      {other.With("referral", map[string]any{"ref": "r", "source": "SHORTLINK"}), meta.Event{Kind: meta.Referral, PSID: psid, Page: metatest.Page, At: noon}},
		"opt-in by a box on a site": {other.With("optin", map[string]any{"ref": "r", "user_ref": "u"}).With("sender", nil),
			meta.Event{Kind: meta.OptIn, Page: metatest.Page, At: noon}},
	} {
		if diff := cmp.Diff([]meta.Event{tt.want}, parsed(t, s.Batch(tt.item))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What is not known and what changes an earlier message is no message, and no error.
func TestParseLeavesOut(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	other := s.Read(psid)
	delete(other, "read")
	deleted := s.Message(psid, "m_1", "")
	deleted["message"].(map[string]any)["is_deleted"] = true
	for name, body := range map[string][]byte{
		"edit":                 s.Batch(other.With("message_edit", map[string]any{"mid": "m_1", "text": "yes", "num_edit": 1})),
		"deletion":             s.Batch(deleted),
		"handover":             s.Batch(other.With("pass_thread_control", map[string]any{"new_owner_app_id": "1"})),
		"what comes some day":  s.Batch(other.With("telepathy", true)),
		"nothing":              s.Batch(),
		"no entries":           []byte(`{"object":"page","entry":[]}`),
		"another subscription": []byte(`{"object":"page","entry":[{"id":"0","time":1,"changes":[{"field":"feed","value":{"message":"hi"}}]}]}`),
	} {
		if got := parsed(t, body); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// When Meta does not say, nobody makes a date in 1970 of it.
func TestParseWithoutTime(t *testing.T) {
	t.Parallel()
	body := []byte(`{"object":"page","entry":[{"messaging":[{"sender":{"id":"` + psid + `"},"recipient":{"id":"1"},"delivery":{"mids":["m_1"]}}]}]}`)
	want := []meta.Event{{Kind: meta.Delivery, PSID: psid, Page: "1", Delivered: []string{"m_1"}}}
	if diff := cmp.Diff(want, parsed(t, body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseBatch(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	body := metatest.Body(map[string]any{"object": "page", "unknown": 1, "entry": []any{
		s.Entry("messaging", s.Message(psid, "m_1", "one"), s.Message("2", "m_2", "two"), s.Read(psid)),
		s.Entry("standby", s.Message(psid, "m_3", "three")),
		s.Entry("messaging", s.Message(psid, "m_4", "four")),
	}})
	var got []string
	for _, e := range parsed(t, body) {
		got = append(got, strings.Join([]string{string(e.Kind), e.PSID, e.ID, e.Text, map[bool]string{true: "standby"}[e.Standby]}, " "))
	}
	want := []string{"message " + psid + " m_1 one ", "message 2 m_2 two ", "read " + psid + "   ", "message " + psid + " m_3 three standby", "message " + psid + " m_4 four "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A postback from before they had ids is the same when it comes again, and another than
// one that differs.
func TestPostbackWithoutID(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	tap := s.Postback(psid, "", "Yes", "yes:p1")
	first := parsed(t, s.Batch(tap))[0].ID
	if again := parsed(t, s.Batch(s.Read("2"), tap))[1].ID; first == "" || again != first {
		t.Errorf("%q, and again %q", first, again)
	}
	for name, other := range map[string]metatest.Item{
		"title":   s.Postback(psid, "", "No", "yes:p1"),
		"payload": s.Postback(psid, "", "Yes", "yes:p2"),
		"person":  s.Postback("2", "", "Yes", "yes:p1"),
		"time":    tap.With("timestamp", noon.UnixMilli()+1),
	} {
		if got := parsed(t, s.Batch(other))[0].ID; got == first {
			t.Errorf("another %s has the same id", name)
		}
	}
}

// An event that cannot be read does not take those beside it along.
func TestParseNamesTheField(t *testing.T) {
	t.Parallel()
	s := server(t, metatest.Config{})
	good := s.Message(psid, "m_0", "good")
	long := strings.Repeat("x", 4001)
	for name, tt := range map[string]struct {
		bad   any
		field string
	}{
		"no sender":              {s.Message(psid, "m_1", "x").With("sender", nil), "entry[0].messaging[1].sender.id"},
		"a sender that is none":  {s.Message(psid, "m_1", "x").With("sender", map[string]any{"id": "a b"}), "entry[0].messaging[1].sender.id"},
		"a sender of lists":      {s.Message(psid, "m_1", "x").With("sender", map[string]any{"id": []int{1}}), "entry[0].messaging[1]"},
		"no person in an echo":   {s.Echo(metatest.Message{ID: "m_1", Text: "x"}, ""), "entry[0].messaging[1].recipient.id"},
		"no id":                  {s.Message(psid, "", "x"), "entry[0].messaging[1].message.mid"},
		"a long id":              {s.Message(psid, long, "x"), "entry[0].messaging[1].message.mid"},
		"a text that is none":    {s.Message(psid, "m_1", "x").With("message", map[string]any{"mid": "m_1", "text": 7}), "entry[0].messaging[1].message.text"},
		"a message that is none": {s.Message(psid, "m_1", "x").With("message", "x"), "entry[0].messaging[1].message"},
		"a time before time":     {s.Message(psid, "m_1", "x").With("timestamp", -1), "entry[0].messaging[1].timestamp"},
		"a time of words":        {s.Message(psid, "m_1", "x").With("timestamp", "noon"), "entry[0].messaging[1].timestamp"},
		"a long payload":         {s.Postback(psid, "m_1", "x", long), "entry[0].messaging[1].payload"},
		"no item":                {7, "entry[0].messaging[1]"},
	} {
		events, err := meta.Parse(metatest.Body(map[string]any{"object": "page", "entry": []any{
			map[string]any{"messaging": []any{good, tt.bad, good}},
		}}))
		var refused *fault.Error
		if !errors.As(err, &refused) || refused.Kind != fault.Invalid || refused.Field != tt.field {
			t.Errorf("%s: %v, want an error that names %s", name, err, tt.field)
		}
		if len(events) != 2 || events[0].ID != "m_0" || events[1].ID != "m_0" {
			t.Errorf("%s: %+v", name, events)
		}
	}
	for name, body := range map[string]string{
		"nothing":         "",
		"no JSON":         "object=page&entry=1",
		"null":            "null",
		"a list":          "[]",
		"another object":  `{"object":"instagram","entry":[]}`,
		"no entry":        `{"object":"page"}`,
		"an entry of one": `{"object":"page","entry":{"messaging":[]}}`,
		"two bodies":      `{"object":"page","entry":[]}{"object":"page","entry":[]}`,
		"not UTF-8":       "{\"object\":\"page\",\"entry\":[],\"x\":\"\xff\"}",
	} {
		if events, err := meta.Parse([]byte(body)); !fault.Is(err, fault.Invalid) || len(events) != 0 {
			t.Errorf("%s: %v, %+v", name, err, events)
		}
	}
}

// FuzzParse checks that every event is either usable or refused with its field.
func FuzzParse(f *testing.F) {
	s := metatest.Start(metatest.Config{Now: func() time.Time { return noon }})
	f.Cleanup(s.Close)
	f.Add(s.Batch(s.Message(psid, "m_1", "Çatı 👋", metatest.Attachment("image", photo), metatest.Place("x", 1, 2))))
	f.Add(s.Batch(s.Postback(psid, "", "Yes", "yes"), s.QuickReply(psid, "m_2", "No", "no"), s.Delivery(psid, "m_3"), s.Read(psid)))
	f.Add(s.Batch(s.Echo(metatest.Message{ID: "m_4", To: psid, Metadata: "th/1"}, metatest.App)))
	f.Add([]byte(`{"object":"page","entry":[{"messaging":[{"sender":{"id":1},"recipient":{"id":"2"},"timestamp":9e18,"message":{"mid":"m"}}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := meta.Parse(body)
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%v: want a refusal", err)
		}
		for _, e := range events {
			person := meta.IsID(e.PSID) || e.Kind == meta.OptIn && e.PSID == ""
			if e.Kind == "" || !person || !meta.IsID(e.Page) {
				t.Errorf("incomplete: %+v", e)
			}
			if wrote := e.Kind == meta.Message || e.Kind == meta.Postback || e.Kind == meta.Echo; wrote == (e.ID == "") {
				t.Errorf("id %q of a %s", e.ID, e.Kind)
			}
			if !utf8.ValidString(e.Text) || !utf8.ValidString(e.Button.Payload) || len(e.Button.Payload) > 4000 || len(e.ID) > 1024 {
				t.Errorf("unusable: %+v", e)
			}
			if l := e.Location; l != nil && !(l.Lat >= -90 && l.Lat <= 90 && l.Lng >= -180 && l.Lng <= 180) {
				t.Errorf("nowhere: %+v", *l)
			}
			if e.Sticker != "" && len(e.Media) > 0 {
				t.Errorf("a sticker among the photos: %+v", e)
			}
		}
	})
}
