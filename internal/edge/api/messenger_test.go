package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/infra/local/gateway"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/base/pause/pausetest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/api"
	"merve/internal/edge/api/apitest"
	"merve/internal/edge/httpapi"
	"merve/internal/provider/meta"
	"merve/internal/provider/meta/metatest"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
)

const (
	messengerPath = "/webhooks/messenger"
	taken         = "EVENT_RECEIVED"
	picture       = "https://scontent.xx.fbcdn.net/v/t1.15752-9/1_n.jpg"
)

// page is a Messenger webhook behind the gateway, with a page at Meta, the real store, and
// a queue whose turns nobody runs.
type page struct {
	*metatest.Server
	url     string
	front   http.Handler
	threads *thread.Store
	box     *outbox.Box
	log     *syncBuffer

	mu     sync.Mutex
	queued []string // threads
	fail   error    // of the queue
}

func (p *page) Queue(_ context.Context, threadID, _ string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return p.fail
	}
	p.queued = append(p.queued, threadID)
	return nil
}

func (p *page) failQueue(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = err
}

// turns counts the times that a person's turn was queued.
func (p *page) turns(psid string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range p.queued {
		if id == messengerThread(psid) {
			n++
		}
	}
	return n
}

// syncBuffer is a log.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// newPage starts a webhook. A transport sits between it and the store; change may change
// the handler.
func newPage(t *testing.T, change func(*api.Messenger), transport ...http.RoundTripper) *page {
	t.Helper()
	p := &page{Server: metatest.New(t, metatest.Config{Now: apitest.Now}), log: &syncBuffer{}}
	table := dynamotest.Open(t, transport...).Table(dynamotest.TableName("conversations"))
	plain := dynamotest.Open(t).Table(dynamotest.TableName("conversations"))
	p.threads, p.box = &thread.Store{Table: plain, Now: apitest.Now, NewID: apitest.NewID}, &outbox.Box{Table: plain, Now: apitest.Now}
	log := telemetry.NewLogger(p.log, slog.LevelInfo)
	secret := func(value string) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return value, nil }
	}
	h := &api.Messenger{
		Intake:    turn.Intake{Threads: &thread.Store{Table: table, Now: apitest.Now, NewID: apitest.NewID}, Queue: p},
		Outbox:    &outbox.Box{Table: table, Now: apitest.Now},
		AppSecret: secret(metatest.AppSecret), VerifyToken: secret(apitest.VerifyToken),
		Market: "demo", Assistant: "sara", Typing: p.client().Typing, Log: log,
	}
	if change != nil {
		change(h)
	}
	mux := http.NewServeMux()
	h.Routes().Register(mux)
	f := trigger.HTTP(httpapi.Traced(mux, log))
	var err error
	p.front, err = gateway.New([]gateway.Route{
		{Method: "GET", Path: messengerPath, Function: f}, {Method: "POST", Path: messengerPath, Function: f},
	}, gateway.Options{Timeout: time.Minute, Now: apitest.Now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p.front)
	t.Cleanup(server.Close)
	p.url = server.URL + messengerPath
	return p
}

func (p *page) client() *meta.Client {
	return &meta.Client{BaseURL: p.URL(), Token: metatest.Token, Secret: metatest.AppSecret, HTTP: p.Client(), Now: apitest.Now}
}

func messengerThread(psid string) string {
	return thread.ID("demo", channel.General, "sara", "person:messenger:"+psid)
}

// newPSID is the id of a person that no other test has.
func newPSID() string { return dynamotest.ID("7")[2:] }

// post sends a signed body and checks the answer's status.
func (p *page) post(t *testing.T, status int, body []byte) metatest.Answer {
	t.Helper()
	a, err := p.Server.Post(t.Context(), p.url, body)
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != status || a.Header.Get("x-trace-id") == "" || status == http.StatusOK && a.Body != taken {
		t.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	return a
}

// inbox is what waits for an answer on a person's thread.
func (p *page) inbox(t *testing.T, psid string) []thread.Message {
	t.Helper()
	head, err := p.threads.Head(t.Context(), messengerThread(psid))
	if errors.Is(err, thread.ErrNoThread) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	if head.Assistant != "sara" || head.Channel != channel.Messenger || head.ReplyAddr != psid || head.Market != "demo" {
		t.Errorf("%+v", head)
	}
	return head.Inbox
}

func (p *page) texts(t *testing.T, psid string) []string {
	t.Helper()
	var texts []string
	for _, m := range p.inbox(t, psid) {
		texts = append(texts, m.Text)
	}
	return texts
}

func TestMessengerVerification(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	a, err := p.Verify(t.Context(), p.url, apitest.VerifyToken, "1158201444")
	if err != nil || a.Status != http.StatusOK || a.Body != "1158201444" || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("%v: %+v", err, a)
	}
	for query, status := range map[string]int{
		"":                        http.StatusForbidden,
		"?hub.challenge=<script>": http.StatusForbidden,
		"?hub.mode=subscribe&hub.verify_token=x&hub.challenge=1":                                                      http.StatusForbidden,
		"?hub.mode=unsubscribe&hub.verify_token=" + apitest.VerifyToken + "&hub.challenge=1":                          http.StatusForbidden,
		"?hub.mode=subscribe&hub.verify_token=" + apitest.VerifyToken:                                                 http.StatusBadRequest,
		"?hub.mode=subscribe&hub.verify_token=x&hub.verify_token=" + apitest.VerifyToken + "&hub.challenge=1":         http.StatusBadRequest,
		"?hub.mode=subscribe&hub.verify_token=" + apitest.VerifyToken + "&hub.challenge=" + strings.Repeat("1", 1025): http.StatusBadRequest,
	} {
		resp, err := http.Get(p.url + query)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		var problem fault.Problem
		if err != nil || resp.StatusCode != status || json.Unmarshal(body, &problem) != nil || problem.TraceID == "" {
			t.Errorf("%s: %v, status %d: %s", query, err, resp.StatusCode, body)
		}
	}
	without := newPage(t, func(h *api.Messenger) {
		h.VerifyToken = func(context.Context) (string, error) { return "", nil }
	})
	if a, err := without.Verify(t.Context(), without.url, "", "1"); err != nil || a.Status != http.StatusForbidden {
		t.Errorf("without a token of ours: %v, %+v", err, a)
	}
}

// A batch brings each person's messages onto their thread, in their order, and nothing of
// what is no message.
func TestMessengerBatch(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	ann, bob, eve := newPSID(), newPSID(), newPSID()
	reply := p.Message(bob, apitest.NewID(), "this one")
	reply["message"].(map[string]any)["reply_to"] = map[string]any{"mid": "m_before"}
	edit := p.Read(bob)
	delete(edit, "read")
	body := metatest.Body(map[string]any{"object": "page", "entry": []any{
		p.Entry("messaging", p.Message(ann, apitest.NewID(), "Çatı akıyor 👋", metatest.Attachment("image", picture), metatest.Attachment("file", picture)),
			reply, p.Delivery(ann, "m_x"), p.Read(ann), p.QuickReply(bob, apitest.NewID(), "Yes", "yes:p1"),
			p.Echo(metatest.Message{ID: apitest.NewID(), To: eve, Text: "by hand"}, ""),
			edit.With("message_edit", map[string]any{"mid": "m_1", "text": "edited"}), edit.With("reaction", map[string]any{"mid": "m_1"})),
		p.Entry("standby", p.Message(eve, apitest.NewID(), "for another app")),
		p.Entry("messaging", p.Message(ann, apitest.NewID(), "", metatest.Place("Old Harbour", 35.33640000004, 33.3182)), p.Postback(bob, "", "Get started", "START")),
	}})
	p.post(t, http.StatusOK, body)
	type row struct {
		Text, Button, ReplyTo string
		Media                 []channel.Media
		Location              *geo.Location
	}
	rows := func(psid string) (rs []row) {
		for _, m := range p.inbox(t, psid) {
			rs = append(rs, row{m.Text, m.Button, m.ReplyTo, m.Media, m.Location})
		}
		return rs
	}
	if diff := cmp.Diff([]row{
		{Text: "Çatı akıyor 👋", Media: []channel.Media{{URL: picture, Type: "image"}, {URL: picture, Type: "file"}}},
		{Location: &geo.Location{Lat: 35.3364, Lng: 33.3182, Address: "Old Harbour"}},
	}, rows(ann)); diff != "" {
		t.Errorf("of Ann (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]row{
		{Text: "this one", ReplyTo: "m_before"}, {Text: "Yes", Button: "yes:p1"}, {Text: "Get started", Button: "START"},
	}, rows(bob)); diff != "" {
		t.Errorf("of Bob (-want +got):\n%s", diff)
	}
	if got := p.inbox(t, eve); got != nil {
		t.Errorf("what is another app's, or the page's own: %+v", got)
	}
	if p.turns(ann) != 2 || p.turns(bob) != 3 || p.turns(eve) != 0 {
		t.Errorf("queued: %v", p.queued)
	}
	typing := map[metatest.Action]int{}
	for _, a := range p.Actions() {
		typing[a]++
	}
	if diff := cmp.Diff(map[metatest.Action]int{{To: ann, Name: "typing_on"}: 1, {To: bob, Name: "typing_on"}: 1}, typing); diff != "" {
		t.Errorf("typing (-want +got):\n%s", diff)
	}
}

// A webhook that comes again, ten times at once and later, is the one that it was.
func TestMessengerReplay(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	ann := newPSID()
	body := p.Batch(p.Message(ann, apitest.NewID(), "hello"), p.Postback(ann, "", "Get started", "START"))
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			a, err := p.Server.Post(t.Context(), p.url, body)
			if err != nil || a.Status != http.StatusOK && a.Status != http.StatusServiceUnavailable { // contended: Meta tries again
				t.Errorf("%v: %+v", err, a)
			}
		})
	}
	wg.Wait()
	before := len(p.Actions())
	p.post(t, http.StatusOK, body)
	if diff := cmp.Diff([]string{"hello", "Get started"}, p.texts(t, ann)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := p.turns(ann); got < 4 {
		t.Errorf("queued %d times: a repeat may be of what was never queued", got)
	}
	if len(p.Actions()) != before {
		t.Error("a repeat showed the typing indicator again")
	}
}

// What says that it is older than a day is a copy, however well it is signed: it is taken, and nothing comes of it.
func TestAnOldWebhookIsARepeat(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	ann := newPSID()
	for text, age := range map[string]time.Duration{"kept for long": 25 * time.Hour, "late": 23 * time.Hour} {
		p.post(t, http.StatusOK, p.Batch(p.Message(ann, apitest.NewID(), text).With("timestamp", apitest.Now().Add(-age).UnixMilli())))
	}
	if diff := cmp.Diff([]string{"late"}, p.texts(t, ann)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMessengerSignatures(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	ann := newPSID()
	body := p.Batch(p.Message(ann, apitest.NewID(), "hello"))
	signature := p.Sign(body)
	for name, tt := range map[string]struct {
		body      []byte
		signature string
	}{
		"none":            {body, ""},
		"nonsense":        {body, "sha256=zz"},
		"older scheme":    {body, "sha1=" + signature[7:]},
		"of another body": {body, p.Sign([]byte("{}"))},
		"a changed body":  {bytes.Replace(body, []byte("hello"), []byte("hallo"), 1), signature},
	} {
		a, err := p.PostSigned(t.Context(), p.url, tt.body, tt.signature)
		if err != nil || a.Status != http.StatusForbidden || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %v, %+v", name, err, a)
		}
	}
	if got := p.inbox(t, ann); got != nil || p.turns(ann) != 0 {
		t.Errorf("stored: %+v", got)
	}
}

// Without a secret nothing is taken, but from this machine where that is allowed.
func TestMessengerWithoutASecret(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{true, false} {
		p := newPage(t, func(h *api.Messenger) {
			h.AppSecret = func(context.Context) (string, error) { return "", nil }
			h.UnsignedFromLoopback = allowed
		})
		want := map[bool]int{true: http.StatusOK, false: http.StatusServiceUnavailable}[allowed]
		body := p.Batch(p.Message(newPSID(), apitest.NewID(), "hello"))
		if a, err := p.PostSigned(t.Context(), p.url, body, ""); err != nil || a.Status != want {
			t.Errorf("allowed %v: %v, %+v", allowed, err, a)
		}
		r := httptest.NewRequestWithContext(t.Context(), "POST", messengerPath, bytes.NewReader(body))
		r.RemoteAddr = "198.51.100.7:4711"
		w := httptest.NewRecorder()
		if p.front.ServeHTTP(w, r); w.Code != http.StatusServiceUnavailable {
			t.Errorf("allowed %v, from elsewhere: status %d", allowed, w.Code)
		}
	}
}

// Bodies that Meta would not send are refused, though they are signed, and leave nothing
// private in the log.
func TestHostileMessengerBodies(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	ann := newPSID()
	for name, tt := range map[string]struct {
		body   string
		status int
		field  string
	}{
		"nothing":       {"", http.StatusBadRequest, ""},
		"a form":        {"object=page&entry=very+private+words", http.StatusBadRequest, ""},
		"a list":        {"[]", http.StatusBadRequest, ""},
		"cut off":       {`{"object":"page","entry":[{"messaging":[{"sender":`, http.StatusBadRequest, ""},
		"not UTF-8":     {"{\"object\":\"page\",\"entry\":[],\"x\":\"\xff\xfe\"}", http.StatusBadRequest, ""},
		"nested":        {`{"object":"page","entry":` + strings.Repeat("[", 20_000), http.StatusBadRequest, ""},
		"other object":  {`{"object":"user","entry":[]}`, http.StatusBadRequest, "object"},
		"no sender":     {`{"object":"page","entry":[{"id":"1","messaging":[{"message":{"mid":"m","text":"very private words"}}]}]}`, http.StatusBadRequest, "entry[0].messaging[0].sender.id"},
		"sender a path": {`{"object":"page","entry":[{"id":"1","messaging":[{"sender":{"id":"../` + ann + `"},"message":{"mid":"m","text":"x"}}]}]}`, http.StatusBadRequest, "entry[0].messaging[0].sender.id"},
		"oversized":     {`{"object":"page","entry":[],"x":"` + strings.Repeat("x", meta.MaxWebhook) + `"}`, http.StatusRequestEntityTooLarge, ""},
		"nothing in it": {`{"object":"page","entry":[]}`, http.StatusOK, ""},
	} {
		a := p.post(t, tt.status, []byte(tt.body))
		var problem fault.Problem
		if tt.status != http.StatusOK && (json.Unmarshal([]byte(a.Body), &problem) != nil || problem.Field != tt.field) {
			t.Errorf("%s: names the field %q, want %q: %s", name, problem.Field, tt.field, a.Body)
		}
	}
	if log := p.log.String(); strings.Contains(log, "very private") || strings.Contains(log, ann) {
		t.Errorf("logged: %s", log)
	}
	long := p.Message(ann, apitest.NewID(), strings.Repeat("ç", 10_000))
	p.post(t, http.StatusOK, p.Batch(long, p.Message(ann, apitest.NewID(), "\u202e\x00 </script>")))
	if got := p.inbox(t, ann); len(got) != 2 || !got[0].Long || got[1].Text != "\u202e\x00 </script>" {
		t.Errorf("%+v", got)
	}
}

// What Meta brings late was written when it says, and not when it came.
func TestALateMessageOnMessenger(t *testing.T) {
	t.Parallel()
	p, ann := newPage(t, nil), newPSID()
	wrote := apitest.Now().Add(-time.Hour).Truncate(time.Millisecond)
	p.post(t, http.StatusOK, p.Batch(p.Message(ann, apitest.NewID(), "ok").With("timestamp", wrote.UnixMilli())))
	if m := p.inbox(t, ann)[0]; !m.Written().Equal(wrote) || !m.At.After(wrote.Add(time.Minute)) {
		t.Errorf("written at %s, came at %s", m.Written(), m.At)
	}
}

// One item that cannot be read loses none of the others.
func TestMessengerWithABadItem(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	ann, bob := newPSID(), newPSID()
	bad := p.Message(ann, apitest.NewID(), "very private words").With("timestamp", "noon")
	p.post(t, http.StatusOK, p.Batch(p.Message(ann, apitest.NewID(), "one"), bad, p.Message(bob, apitest.NewID(), "two"), p.Message(ann, apitest.NewID(), "three")))
	if got := strings.Join(append(p.texts(t, ann), p.texts(t, bob)...), " "); got != "one three two" {
		t.Errorf("stored: %s", got)
	}
	if log := p.log.String(); !strings.Contains(log, "entry[0].messaging[1].timestamp") || strings.Contains(log, "private") || strings.Contains(log, ann) {
		t.Errorf("logged: %s", log)
	}
}

// outage fails requests to the store that hold a word, while it lasts.
type outage struct {
	mu   sync.Mutex
	word string
}

func (o *outage) set(word string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.word = word
}

func (o *outage) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	word := o.word
	o.mu.Unlock()
	if word != "" && bytes.Contains(body, []byte(word)) {
		refusal := `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","message":"outage"}` // never tried again by the SDK
		return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(strings.NewReader(refusal)), Request: r}, nil
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return faulttest.Transport.RoundTrip(r)
}

// What could not be stored makes Meta come again; the other people's messages are stored
// meanwhile, and the repeat brings what is missing, in its order.
func TestMessengerWhenTheStoreFails(t *testing.T) {
	t.Parallel()
	out := &outage{}
	p := newPage(t, nil, out)
	ann, bob, word := newPSID(), newPSID(), dynamotest.ID("word")
	body := p.Batch(p.Message(ann, apitest.NewID(), "one"), p.Message(ann, apitest.NewID(), "two "+word), p.Message(bob, apitest.NewID(), "for Bob"), p.Message(ann, apitest.NewID(), "three"))
	out.set(word)
	p.post(t, http.StatusInternalServerError, body)
	if diff := cmp.Diff([][]string{{"one"}, {"for Bob"}}, [][]string{p.texts(t, ann), p.texts(t, bob)}); diff != "" {
		t.Errorf("while it lasts (-want +got):\n%s", diff)
	}
	out.set("")
	p.post(t, http.StatusOK, body)
	if diff := cmp.Diff([][]string{{"one", "two " + word, "three"}, {"for Bob"}}, [][]string{p.texts(t, ann), p.texts(t, bob)}); diff != "" {
		t.Errorf("after the repeat (-want +got):\n%s", diff)
	}
}

// What was stored and not queued is queued by the repeat.
func TestMessengerWhenTheQueueFails(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	ann := newPSID()
	body := p.Batch(p.Message(ann, apitest.NewID(), "hello"))
	p.failQueue(errors.New("the queue is away"))
	p.post(t, http.StatusServiceUnavailable, body)
	p.failQueue(nil)
	p.post(t, http.StatusOK, body)
	if diff := cmp.Diff([]string{"hello"}, p.texts(t, ann)); diff != "" || p.turns(ann) != 1 {
		t.Errorf("queued %d times (-want +got):\n%s", p.turns(ann), diff)
	}
}

// A message with more photos than one message may have keeps them all.
func TestManyPhotosOnMessenger(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	ann := newPSID()
	var photos []any
	for i := range 2*channel.MaxMedia + 5 {
		photos = append(photos, metatest.Attachment("image", fmt.Sprint(picture, "?n=", i)))
	}
	body := p.Batch(p.Message(ann, apitest.NewID(), "all of it", photos...))
	p.post(t, http.StatusOK, body)
	p.post(t, http.StatusOK, body)
	lines, _, err := p.threads.Lines(t.Context(), messengerThread(ann), "", 100)
	if err != nil || len(lines) != 3 || lines[0].Text != "all of it" || lines[1].Text != "" {
		t.Fatalf("%v: %+v", err, lines)
	}
	n := 0
	for _, l := range lines {
		for _, a := range l.Media {
			if a.URL != fmt.Sprint(picture, "?n=", n) || a.Type != "image" {
				t.Errorf("photo %d is %+v", n, a)
			}
			n++
		}
	}
	if n != len(photos) {
		t.Errorf("%d photos of %d", n, len(photos))
	}
}

// The typing indicator fails and hangs without anybody waiting for it.
func TestTypingOnMessenger(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	p.FailSends(metatest.Broken(false), metatest.Slow(nil))
	began := time.Now()
	for range 2 {
		ann := newPSID()
		p.post(t, http.StatusOK, p.Batch(p.Message(ann, apitest.NewID(), "hello")))
		if p.turns(ann) != 1 {
			t.Error("not queued")
		}
		if strings.Contains(p.log.String(), ann) {
			t.Errorf("logged: %s", p.log)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

// Without an indicator to show, messages are taken in as ever.
func TestMessengerWithoutTyping(t *testing.T) {
	t.Parallel()
	p := newPage(t, func(h *api.Messenger) { h.Typing = nil })
	ann := newPSID()
	p.post(t, http.StatusOK, p.Batch(p.Message(ann, apitest.NewID(), "hello")))
	if p.turns(ann) != 1 {
		t.Error("not queued")
	}
}

// The echo of a message whose answer was lost settles it; another's echo settles nothing.
func TestEchoSettlesASend(t *testing.T) {
	t.Parallel()
	p := newPage(t, nil)
	ann := newPSID()
	p.Heard(ann, apitest.NewID(), "hello")
	m := outbox.Message{Thread: messengerThread(ann), ID: "turn00000001-0", Market: "demo", Channel: channel.Messenger, To: ann, Text: "merhaba", Kind: "reply"}
	if err := p.box.Table.DB().Commit(t.Context(), p.box.Put(m)); err != nil {
		t.Fatal(err)
	}
	p.FailSends(metatest.After())
	if _, err := (&meta.Provider{Client: p.client()}).Send(t.Context(), m); err == nil {
		t.Fatal("the answer was not lost")
	}
	sent := p.Messages()[0]
	stranger := metatest.Message{ID: "m_other", To: ann, Text: "x", Metadata: "th_nobody/1"}
	p.post(t, http.StatusOK, p.Batch(p.Echo(sent, metatest.App), p.Echo(stranger, "3"), p.Echo(metatest.Message{ID: "m_hand", To: ann, Text: "x"}, "")))
	p.post(t, http.StatusOK, p.Batch(p.Echo(metatest.Message{ID: "m_late", To: ann, Metadata: sent.Metadata}, metatest.App)))
	got, err := p.box.Get(t.Context(), m.Thread, m.ID)
	if err != nil || got.Status != outbox.Sent || got.ProviderID != sent.ID {
		t.Errorf("%v: %+v", err, got)
	}
	if waits := p.inbox(t, ann); waits != nil || len(p.Actions()) != 0 {
		t.Errorf("an echo became a message: %+v", waits)
	}
}

// pages are the pages of markets.
type pages map[string]string

func (p pages) ByPage(_ context.Context, page string) (string, error) { return p[page], nil }

func TestPageOfAMarket(t *testing.T) {
	t.Parallel()
	other := dynamotest.ID("market")
	p := newPage(t, func(h *api.Messenger) { h.Markets = pages{"42": other} })
	ann := newPSID()
	there := p.Message(ann, apitest.NewID(), "there").With("recipient", map[string]any{"id": "42"})
	p.post(t, http.StatusOK, p.Batch(there, p.Message(ann, apitest.NewID(), "here")))
	if diff := cmp.Diff([]string{"here"}, p.texts(t, ann)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	head, err := p.threads.Head(t.Context(), thread.ID(other, channel.General, "sara", "person:messenger:"+ann))
	if err != nil || len(head.Inbox) != 1 || head.Inbox[0].Text != "there" {
		t.Errorf("%v: %+v", err, head.Inbox)
	}
}

// A message of Messenger is answered by Sara, once, however often Meta brings it.
func TestMessengerConversation(t *testing.T) {
	t.Parallel()
	s, ann := start(t), newPSID()
	body := s.Meta.Batch(s.Meta.Message(ann, apitest.NewID(), "hello"))
	for range 3 {
		a, err := s.Meta.Post(t.Context(), s.URL+messengerPath, body)
		if err != nil || a.Status != http.StatusOK {
			t.Fatalf("%v: %+v", err, a)
		}
	}
	heard := func() (all []metatest.Message) {
		for _, m := range s.Meta.Messages() {
			if m.To == ann {
				all = append(all, m)
			}
		}
		return all
	}
	pausetest.Until(t, "the reply at Meta", func() bool { return len(heard()) > 0 })
	next := s.Meta.Batch(s.Meta.Message(ann, apitest.NewID(), "what can you do?"))
	if a, err := s.Meta.Post(t.Context(), s.URL+messengerPath, next); err != nil || a.Status != http.StatusOK {
		t.Fatalf("%v: %+v", err, a)
	}
	pausetest.Until(t, "the second reply", func() bool { return len(heard()) > 1 })
	if got := heard(); len(got) != 2 || got[0].Text == "" {
		t.Errorf("%+v", got)
	}
	var d data
	s.Call(t, "GET", "/admin/api/threads/"+messengerThread(ann)+"/data", nil, apitest.Staff()...).Wants(t, http.StatusOK, &d)
	if d.Profile.ID != "person:messenger:"+ann || len(d.Messages) != 4 {
		t.Errorf("%+v", d)
	}
}
