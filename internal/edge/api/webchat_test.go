package api_test

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/infra/local/demo"
	"merve/internal/app"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/limit"
	"merve/internal/edge/api"
	"merve/internal/edge/api/apitest"
	"merve/internal/matter/report"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/media/mediatest"
	"merve/internal/words/standing"
)

const (
	webChatPath  = "/web-chat-api"
	webListPath  = "/web-chat-api/messages"
	webPhotoPath = "/web-chat-api/photos"
	webDataPath  = "/web-chat-api/me"
)

// leave is leave to put a photo into the bucket.
type leave struct {
	UploadURL string `json:"uploadUrl"`
	Method    string
	Headers   map[string]string
	MediaURL  string `json:"mediaUrl"`
	ExpiresAt time.Time
}

// uploads puts a file into the bucket as the widget does, and returns its name.
func (s *service) uploads(t *testing.T, session string, file []byte) string {
	t.Helper()
	return s.uploadsTo(t, session, "", file)
}

// uploadsTo is [service.uploads] for the conversation in a market.
func (s *service) uploadsTo(t *testing.T, session, market string, file []byte) string {
	t.Helper()
	var up leave
	body := map[string]any{"sessionId": session, "marketId": market, "contentType": "image/jpeg", "size": len(file)}
	s.Call(t, "POST", webPhotoPath, body, "Origin", apitest.Shop).Wants(t, http.StatusOK, &up)
	r, err := http.NewRequestWithContext(t.Context(), up.Method, up.UploadURL, bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range up.Headers {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !up.ExpiresAt.After(apitest.Now()) {
		t.Fatalf("the bucket answers with %d until %v", resp.StatusCode, up.ExpiresAt)
	}
	return up.MediaURL
}

// sees is what is at an address of a photo.
func sees(t *testing.T, address string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, status %d", err, resp.StatusCode)
	}
	return body
}

func TestWebChat(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	var got api.WebChatResponse
	a := s.Call(t, "POST", webChatPath, map[string]any{"sessionId": id, "text": "hello", "name": "Ann", "language": "en"}).Wants(t, http.StatusOK, &got)
	if got.ReplyText == "" || got.ThreadID == "" || got.TraceID != a.Header.Get("x-trace-id") {
		t.Errorf("answer: %s", a.Body)
	}
	l := s.WebLines(t, id)
	if len(l.Messages) != 2 || l.Messages[0].ID != got.MessageID || l.Messages[0].Text != "hello" || l.State != thread.Idle {
		t.Fatalf("messages: %+v", l)
	}
	if said := l.Messages[1]; said.Standing == nil || got.Standing.Kind != standing.Nothing || got.Standing.Text != said.Standing.Text || got.ReplyText != said.Text+"\n\n"+said.Standing.Text {
		t.Errorf("%q stands as %+v, listed %+v", got.ReplyText, got.Standing, said)
	}
	head, err := s.Base.Threads().Head(t.Context(), got.ThreadID)
	if err != nil || head.Name != "Ann" || head.Assistant != "sara" || head.Channel != channel.Web || head.Market != demo.Market || strings.Contains(head.Owner, id) {
		t.Errorf("%v: %+v", err, head)
	}
	for _, other := range []string{apitest.SessionID(), id + "x", strings.ToUpper(id)} { // sees nothing
		if l := s.WebLines(t, other); len(l.Messages) != 0 || l.State != thread.Idle {
			t.Errorf("another session: %+v", l)
		}
	}
}

func TestWebChatPageByPage(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	s.WritesWeb(t, id, "hello")
	s.WritesWeb(t, id, "what can you do?")
	var texts []string
	for after := ""; ; {
		var l apitest.List
		s.Call(t, "GET", webListPath+"?limit=1&after="+after, nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
		for _, m := range l.Messages {
			texts = append(texts, m.Text)
		}
		if after = l.Next; after == "" {
			break
		}
	}
	if len(texts) != 4 || texts[0] != "hello" || texts[2] != "what can you do?" {
		t.Errorf("%q", texts)
	}
	var l apitest.List
	s.Call(t, "GET", webListPath+"?before=latest&limit=1", nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
	if len(l.Messages) != 1 || l.Messages[0].Text != texts[3] {
		t.Errorf("from the end: %+v", l)
	}
}

func TestWrongWebChats(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	with := func(name string, value any) map[string]any {
		body := map[string]any{"sessionId": id, "text": "hello"}
		if body[name] = value; value == nil {
			delete(body, name)
		}
		return body
	}
	for name, tt := range map[string]struct {
		body   any
		status int
		field  string
	}{
		"nothing":               {"", 400, ""},
		"an array":              {`["hello"]`, 400, ""},
		"no text":               {with("text", nil), 400, "text"},
		"empty text":            {with("text", ""), 400, "text"},
		"empty text, no photos": {`{"sessionId":"` + id + `","text":"","mediaUrls":[]}`, 400, "text"},
		"text a number":         {with("text", 7), 400, "text"},
		"text too long":         {with("text", strings.Repeat("ç", 4097)), 400, "text"},
		"photos without text":   {`{"sessionId":"` + id + `","mediaUrls":["https://example.com/a.jpg"]}`, 400, "text"},
		"body too large":        {with("text", strings.Repeat("a", 65<<10)), 413, ""},
		"no session":            {with("sessionId", nil), 400, "sessionId"},
		"empty session":         {with("sessionId", ""), 400, "sessionId"},
		"short session":         {with("sessionId", strings.Repeat("a", 21)), 400, "sessionId"},
		"long session":          {with("sessionId", strings.Repeat("a", 129)), 400, "sessionId"},
		"session with spaces":   {with("sessionId", "0123456789 0123456789 0123"), 400, "sessionId"},
		"session with a line":   {with("sessionId", "0123456789\n0123456789-0123"), 400, "sessionId"},
		"session with bytes":    {with("sessionId", "0123456789ç0123456789ç0123"), 400, "sessionId"},
		"long name":             {with("name", strings.Repeat("ç", 81)), 400, "name"},
		"name an object":        {with("name", map[string]any{"first": "Ann"}), 400, "name"},
		"long language":         {with("language", strings.Repeat("a", 36)), 400, "language"},
		"unknown market":        {with("marketId", "nowhere"), 400, "marketId"},
		"market of all bytes":   {with("marketId", strings.Repeat("m", 3000)), 400, "marketId"},
		"long client id":        {with("clientMessageId", strings.Repeat("a", 129)), 400, "clientMessageId"},
		"long replyTo":          {with("replyTo", strings.Repeat("a", 201)), 400, "replyTo"},
		"photos no list":        {with("mediaUrls", "https://example.com/a"), 400, "mediaUrls"},
		"photos objects":        {with("mediaUrls", []any{map[string]any{"url": "https://example.com/a"}}), 400, "mediaUrls"},
		"too many photos":       {with("mediaUrls", many(11, "https://example.com/a")), 400, "mediaUrls"},
		"photo null":            {with("mediaUrls", []any{nil}), 400, "mediaUrls"},
		"photo empty":           {with("mediaUrls", []any{""}), 400, "mediaUrls"},
		"photo javascript":      {with("mediaUrls", []any{"javascript:alert(1)"}), 400, "mediaUrls"},
		"photo data":            {with("mediaUrls", []any{"data:image/png;base64,AAAA"}), 400, "mediaUrls"},
		"photo file":            {with("mediaUrls", []any{"file:///etc/passwd"}), 400, "mediaUrls"},
		"photo no host":         {with("mediaUrls", []any{"https:///a"}), 400, "mediaUrls"},
		"photo long":            {with("mediaUrls", []any{"https://example.com/" + strings.Repeat("a", 2048)}), 400, "mediaUrls"},
		"photo stored name":     {with("mediaUrls", []any{"photo:" + strings.Repeat("0", 32) + "/" + strings.Repeat("0", 20)}), 400, "mediaUrls"},
		"photo short name":      {with("mediaUrls", []any{"photo:0"}), 400, "mediaUrls"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "POST", webChatPath, tt.body, "Origin", apitest.Shop).Refuses(t, tt.status, tt.field)
		})
	}
	if l := s.WebLines(t, id); len(l.Messages) != 0 {
		t.Errorf("stored: %+v", l)
	}
}

// A session id of the least length is taken, with every sign that may stand in one.
func TestUnusualWebChats(t *testing.T) {
	t.Parallel()
	s := start(t)
	least := dynamotest.ID("~!@")
	least = (least + strings.Repeat("z", 22))[:22]
	for name, body := range map[string]string{
		"least session":    `{"text":"hello","sessionId":"` + least + `"}`,
		"photo alone":      `{"text":"","mediaUrls":["` + s.Bucket + `/a.jpg"],"sessionId":"` + apitest.SessionID() + `"}`,
		"nulls":            `{"text":"hello","name":null,"mediaUrls":null,"language":null,"marketId":null,"clientMessageId":null,"replyTo":null,"sessionId":"` + apitest.SessionID() + `"}`,
		"unknown fields":   `{"text":"hello","channel":"messenger","userId":"1","assistant":"merve","sessionId":"` + apitest.SessionID() + `"}`,
		"a name of spaces": `{"text":"hello","name":"  \n ","sessionId":"` + apitest.SessionID() + `"}`,
		"control signs":    `{"text":"a\u0000b\u202e\ud800","name":"\u0007\u202e","sessionId":"` + apitest.SessionID() + `"}`,
		"a foreign photo":  `{"text":"look","mediaUrls":["photo:00000000000000000000"],"sessionId":"` + apitest.SessionID() + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "POST", webChatPath, body).Wants(t, http.StatusOK, nil)
		})
	}
}

// A repeat gets the first answer again, however often and at once, and is stored once.
func TestRepeatedWebChat(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	body := map[string]any{"text": "hello", "sessionId": id, "clientMessageId": dynamotest.ID("m")}
	answers := make([]answer, 6)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			var err error
			if answers[i], err = s.Send(t.Context(), nil, "POST", webChatPath, body); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s.WritesWeb(t, id, "what can you do?")
	answers = append(answers, s.Call(t, "POST", webChatPath, body))
	var first api.WebChatResponse
	for i, a := range answers {
		apitest.OpenAPI(t).Check(t, "POST", webChatPath, a)
		var got api.WebChatResponse
		a.Wants(t, http.StatusOK, &got)
		if got.TraceID = ""; i == 0 {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("answer %d differs:\n%s", i+1, diff)
		}
	}
	if l := s.WebLines(t, id); len(l.Messages) != 4 {
		t.Errorf("%d messages, want two and their answers", len(l.Messages))
	}
}

func TestSlowWebChatComesLater(t *testing.T) {
	t.Parallel()
	s, id, word := start(t), apitest.SessionID(), dynamotest.ID("slowly")
	held := s.Model.Hold(word)
	defer held.LetGo()
	hasty := s.With(t, func(b *app.Process) { b.Config.Patience = 200 * time.Millisecond })
	var got api.WebChatResponse
	a := s.CallTo(t, hasty, "POST", webChatPath, map[string]any{"text": "hello " + word, "sessionId": id}, "Origin", apitest.Shop).Wants(t, http.StatusAccepted, &got)
	where := a.Header.Get("Location")
	if got.ReplyText != "" || !strings.HasPrefix(where, webListPath+"?after=") || !strings.HasSuffix(where, "&marketId="+demo.Market) || !strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), "location") {
		t.Fatalf("Location %q: %v %s", where, a.Header, a.Body)
	}
	lines := func() (l apitest.List) {
		s.Call(t, "GET", where, nil, "x-session-id", id, "Origin", apitest.Shop).Wants(t, http.StatusOK, &l)
		return l
	}
	if l := lines(); l.State != thread.Executing {
		t.Errorf("before the model has answered: %+v", l)
	}
	held.LetGo()
	pausetest.Until(t, "the reply at Location", func() bool {
		l := lines()
		return len(l.Messages) == 2 && l.Messages[1].Direction == "outbound" && l.Messages[1].Text != "" && l.State == thread.Idle
	})
	var other apitest.List
	s.Call(t, "GET", where, nil, "x-session-id", apitest.SessionID()).Wants(t, http.StatusOK, &other)
	if len(other.Messages) != 0 {
		t.Errorf("Location shows another session %+v", other)
	}
}

// A photo that was put into the bucket is in the history, at an address where anybody who
// is told sees it, without what it told of the place. Another session cannot use its name.
func TestWebChatPhotos(t *testing.T) {
	t.Parallel()
	s, ann, bob := start(t), apitest.SessionID(), apitest.SessionID()
	name := s.uploads(t, ann, mediatest.Located(mediatest.JPEG(t, 40, 30), 6))
	s.WritesWeb(t, bob, "look", name) // Ann has not used it yet
	s.WritesWeb(t, ann, "", name)
	s.WritesWeb(t, bob, "look again", name)
	l := s.WebLines(t, ann)
	if len(l.Messages) != 2 || len(l.Messages[0].Media) != 1 || strings.HasPrefix(l.Messages[0].Media[0].URL, "photo:") {
		t.Fatalf("%+v", l.Messages)
	}
	if got := sees(t, l.Messages[0].Media[0].URL); !bytes.HasPrefix(got, []byte("\xff\xd8")) || bytes.Contains(got, []byte(mediatest.Secret)) {
		t.Errorf("%d bytes that are no photo, or tell the place", len(got))
	}
	for _, m := range s.WebLines(t, bob).Messages {
		if len(m.Media) > 0 {
			t.Errorf("Bob sees %+v", m.Media)
		}
	}
}

// A photo is one of the market that it was left in, however a message of another names it.
func TestWebChatPhotosOfAnotherMarket(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	other, _ := s.NewMarket(t)
	here, there := s.uploads(t, id, mediatest.JPEG(t, 8, 8)), s.uploadsTo(t, id, other, mediatest.JPEG(t, 9, 9))
	s.Call(t, "POST", webChatPath, map[string]any{"sessionId": id, "text": "look", "marketId": other, "mediaUrls": []string{here, there}}).Wants(t, http.StatusOK, nil)
	var l apitest.List
	s.Call(t, "GET", webListPath+"?marketId="+other, nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
	if len(l.Messages) != 2 || len(l.Messages[0].Media) != 1 {
		t.Fatalf("%+v, want the one photo that was left there", l.Messages)
	}
	if got, err := jpeg.DecodeConfig(bytes.NewReader(sees(t, l.Messages[0].Media[0].URL))); err != nil || got.Width != 9 {
		t.Errorf("%v: %+v", err, got)
	}
}

// What is no photo is shown to nobody, whatever it was said to be.
func TestWebChatWithoutAPhoto(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	script := s.uploads(t, id, []byte("<script>alert(1)</script>"))
	var never leave
	s.Call(t, "POST", webPhotoPath, map[string]any{"sessionId": id, "contentType": "image/png", "size": 3}).Wants(t, http.StatusOK, &never)
	s.WritesWeb(t, id, "look", script, never.MediaURL, s.Bucket+"/nothing.jpg")
	if l := s.WebLines(t, id); len(l.Messages) != 2 || len(l.Messages[0].Media) != 0 || l.Messages[1].Text == "" {
		t.Errorf("%+v", l.Messages)
	}
}

// Messages are listed while the bucket is away, without their photos.
func TestWebChatWhileTheBucketIsAway(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	s.WritesWeb(t, id, "look", s.uploads(t, id, mediatest.JPEG(t, 8, 8)))
	away := s.With(t, func(b *app.Process) {
		getenv := b.Getenv
		b.Getenv = func(name string) string {
			if name == "AWS_ENDPOINT_URL_S3" {
				return "http://127.0.0.1:1"
			}
			return getenv(name)
		}
	})
	var l apitest.List
	s.CallTo(t, away, "GET", webListPath, nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
	if len(l.Messages) != 2 || l.Messages[0].Text != "look" || len(l.Messages[0].Media) != 0 {
		t.Errorf("%+v", l.Messages)
	}
}

func TestWrongUploads(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	for name, tt := range map[string]struct {
		body   any
		status int
		field  string
	}{
		"nothing":            {"{}", 400, "sessionId"},
		"short session":      {map[string]any{"sessionId": "short", "contentType": "image/png", "size": 1}, 400, "sessionId"},
		"unknown market":     {map[string]any{"sessionId": id, "marketId": "nowhere", "contentType": "image/png", "size": 1}, 400, "marketId"},
		"no type":            {map[string]any{"sessionId": id, "size": 1}, 400, "contentType"},
		"a page":             {map[string]any{"sessionId": id, "contentType": "text/html", "size": 1}, 400, "contentType"},
		"SVG":                {map[string]any{"sessionId": id, "contentType": "image/svg+xml", "size": 1}, 400, "contentType"},
		"a type with more":   {map[string]any{"sessionId": id, "contentType": "image/png; a=b", "size": 1}, 400, "contentType"},
		"a type with a line": {map[string]any{"sessionId": id, "contentType": "image/png\r\nx-amz-acl: public-read", "size": 1}, 400, "contentType"},
		"no size":            {map[string]any{"sessionId": id, "contentType": "image/png"}, 400, "size"},
		"nothing in it":      {map[string]any{"sessionId": id, "contentType": "image/png", "size": 0}, 400, "size"},
		"below nothing":      {map[string]any{"sessionId": id, "contentType": "image/png", "size": -1}, 400, "size"},
		"half a byte":        {map[string]any{"sessionId": id, "contentType": "image/png", "size": 1.5}, 400, "size"},
		"size in letters":    {map[string]any{"sessionId": id, "contentType": "image/png", "size": "many"}, 400, "size"},
		"too large":          {map[string]any{"sessionId": id, "contentType": "image/png", "size": 10<<20 + 1}, 413, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "POST", webPhotoPath, tt.body, "Origin", apitest.Shop).Refuses(t, tt.status, tt.field)
		})
	}
	s.Call(t, "POST", webPhotoPath, map[string]any{"sessionId": id, "contentType": "image/heic", "size": 10 << 20}).Wants(t, http.StatusOK, nil)
}

func TestWrongWebListings(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	s.WritesWeb(t, id, "hello")
	for name, tt := range map[string]struct {
		query, session, field string
	}{
		"nobody":           {"", "", "sessionId"},
		"short session":    {"", "short", "sessionId"},
		"unknown market":   {"?marketId=nowhere", id, "marketId"},
		"long market":      {"?marketId=" + strings.Repeat("m", 41), id, "marketId"},
		"market twice":     {"?marketId=demo&marketId=demo", id, "marketId"},
		"limit 0":          {"?limit=0", id, "limit"},
		"limit 101":        {"?limit=101", id, "limit"},
		"after":            {"?after=x", id, "after"},
		"before":           {"?before=first", id, "before"},
		"percent garbage":  {"?after=%zz", id, ""},
		"after, long":      {"?after=" + strings.Repeat("1", 3000), id, ""},
		"a number too big": {"?after=123456789.0", id, "after"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "GET", webListPath+tt.query, nil, "x-session-id", tt.session, "Origin", apitest.Shop).Refuses(t, http.StatusBadRequest, tt.field)
		})
	}
}

// data is what is kept of a person.
type data struct {
	Profile  struct{ ID, Name string }
	Reports  []report.View
	Messages []thread.Line
}

// A session gets all that is kept of it and nothing of another's, and can have it deleted;
// it may go on afterwards, and what it deletes twice is gone all the same.
func TestDataOfASession(t *testing.T) {
	t.Parallel()
	s, ann, bob := start(t), apitest.SessionID(), apitest.SessionID()
	for _, path := range []string{webDataPath, webDataPath + "?marketId=demo"} { // has never written
		s.Call(t, "GET", path, nil, "x-session-id", ann, "Origin", apitest.Shop).Refuses(t, http.StatusNotFound, "")
		s.Call(t, "DELETE", path, nil, "x-session-id", ann, "Origin", apitest.Shop).Refuses(t, http.StatusNotFound, "")
	}
	who, threadID := s.SessionActor(t, ann)
	s.SessionActor(t, bob)
	photo := s.uploads(t, ann, mediatest.JPEG(t, 8, 8))
	s.WritesWeb(t, ann, "look", photo)
	r := s.Reported(t, who, threadID, "Old Harbour 1")
	var d data
	a := s.Call(t, "GET", webDataPath, nil, "x-session-id", ann).Wants(t, http.StatusOK, &d)
	if d.Profile.ID != who.Key() || len(d.Messages) != 4 || !slices.ContainsFunc(d.Reports, func(v report.View) bool { return v.ID == r.ID }) || strings.Contains(string(a.Body), ann) ||
		!strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v: %s", a.Header, a.Body)
	}
	sees(t, d.Messages[2].Media[0].URL)
	seen := s.WebLines(t, ann).Messages[2].Media[0].URL
	sees(t, seen)
	a = s.Call(t, "GET", webDataPath, nil, "x-session-id", bob).Wants(t, http.StatusOK, &d)
	if strings.Contains(string(a.Body), r.ID) || strings.Contains(string(a.Body), who.ID) {
		t.Errorf("Bob is told %s", a.Body)
	}

	for range 2 {
		s.Call(t, "DELETE", webDataPath, nil, "x-session-id", ann, "Origin", apitest.Shop).Wants(t, http.StatusNoContent, nil)
	}
	d = data{}
	s.Call(t, "GET", webDataPath, nil, "x-session-id", ann).Wants(t, http.StatusOK, &d)
	if len(d.Messages) != 0 || len(d.Reports) != 0 || d.Profile.Name != "" {
		t.Errorf("deleted, and still kept: %+v", d)
	}
	s.Call(t, "GET", "/admin/api/reports/"+r.ID, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	resp, err := http.Get(seen)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("the photo is still there: %s", resp.Status)
	}
	if l := s.WebLines(t, bob); len(l.Messages) != 2 {
		t.Errorf("Bob has %d messages", len(l.Messages))
	}
	s.WritesWeb(t, ann, "hello again")
	if l := s.WebLines(t, ann); len(l.Messages) != 2 || l.Messages[0].Text != "hello again" {
		t.Errorf("%+v", l.Messages)
	}
}

// A message that comes again after all was deleted is told to be gone.
func TestARepeatOfWhatWasDeleted(t *testing.T) {
	t.Parallel()
	s, id := start(t), apitest.SessionID()
	once := map[string]any{"sessionId": id, "text": "hello", "clientMessageId": "once"}
	s.Call(t, "POST", webChatPath, once).Wants(t, http.StatusOK, nil)
	s.Call(t, "DELETE", webDataPath, nil, "x-session-id", id).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "POST", webChatPath, once).Refuses(t, http.StatusGone, "")
}

// What is kept in a market is no other market's to give out or to delete.
func TestDataOfAnotherMarket(t *testing.T) {
	t.Parallel()
	s, ann := start(t), apitest.SessionID()
	who, threadID := s.SessionActor(t, ann)
	r := s.Reported(t, who, threadID, "Old Harbour 1")
	other, _ := s.NewMarket(t)
	there := webDataPath + "?marketId=" + other
	s.Call(t, "POST", webChatPath, map[string]any{"sessionId": ann, "text": "hello there", "marketId": other}).Wants(t, http.StatusOK, nil)
	var d data
	s.Call(t, "GET", there, nil, "x-session-id", ann).Wants(t, http.StatusOK, &d)
	if len(d.Reports) != 0 || len(d.Messages) != 2 {
		t.Errorf("given out: %+v", d)
	}
	s.Call(t, "DELETE", there, nil, "x-session-id", ann).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "GET", webDataPath, nil, "x-session-id", ann).Wants(t, http.StatusOK, &d)
	if len(d.Messages) != 2 || len(d.Reports) != 1 || d.Reports[0].ID != r.ID {
		t.Errorf("deleted in another market, and here is %+v", d)
	}
}

// Who has written to both assistants of a market gets and deletes what was said to either.
func TestDataOfBothAssistants(t *testing.T) {
	t.Parallel()
	s, ann := start(t), apitest.SessionID()
	merve := s.Say(t, ann, "hello, I am Ann of Harbour Road 5").ThreadID
	s.SessionActor(t, ann)
	var d data
	s.Call(t, "GET", webDataPath, nil, "x-session-id", ann).Wants(t, http.StatusOK, &d)
	if len(d.Messages) != 4 || d.Messages[0].Text != "hello, I am Ann of Harbour Road 5" {
		t.Errorf("%+v", d.Messages)
	}
	for range 2 {
		s.Call(t, "DELETE", webDataPath, nil, "x-session-id", ann).Wants(t, http.StatusNoContent, nil)
	}
	var l apitest.List
	s.Call(t, "GET", "/chat/threads/"+merve+"/messages", nil, "x-session-id", ann).Wants(t, http.StatusOK, &l)
	if len(l.Messages)+len(s.WebLines(t, ann).Messages) != 0 {
		t.Errorf("still kept: %+v", l.Messages)
	}
}

// What a business expects stays when all else is deleted, and the answer names it.
func TestDataThatStays(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, offer := s.Offered(t, "boat trip", "1", "tomorrow at 10 for 2")
	s.Say(t, id, "yes")
	target := "/admin/api/threads/" + offer.ThreadID + "/data"
	var kept struct {
		Bookings []struct{ Code string }
		Messages []thread.Line
	}
	s.Call(t, "GET", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &kept)
	if len(kept.Bookings) != 1 || len(kept.Messages) == 0 {
		t.Fatalf("%+v", kept)
	}
	for range 2 {
		var got struct{ Stays []string }
		s.Call(t, "DELETE", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &got)
		if diff := cmp.Diff([]string{kept.Bookings[0].Code}, got.Stays); diff != "" {
			t.Error(diff)
		}
	}
	s.Call(t, "GET", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &kept)
	if len(kept.Bookings) != 1 || len(kept.Messages) != 0 {
		t.Errorf("%+v", kept)
	}
}

// Pages of allowed sites may ask and read every answer, problems among them; those of others
// are refused and can read nothing.
func TestOrigins(t *testing.T) {
	t.Parallel()
	s := start(t)
	own := s.URL
	for name, tt := range map[string]struct {
		origins []string
		origin  string
		allowed bool
	}{
		"allowed":              {[]string{"https://a.example", apitest.Shop}, apitest.Shop, true},
		"own":                  {nil, own, true},
		"another site":         {[]string{apitest.Shop}, "https://evil.example", false},
		"none allowed":         {nil, apitest.Shop, false},
		"another scheme":       {[]string{apitest.Shop}, "http://shop.example", false},
		"another port":         {[]string{apitest.Shop}, apitest.Shop + ":8443", false},
		"a site below":         {[]string{apitest.Shop}, "https://evil.shop.example", false},
		"a site behind":        {[]string{apitest.Shop}, apitest.Shop + ".evil.example", false},
		"capitals":             {[]string{apitest.Shop}, "https://SHOP.example", false},
		"with a path":          {[]string{apitest.Shop}, apitest.Shop + "/", false},
		"with a user":          {[]string{apitest.Shop}, "https://shop.example@evil.example", false},
		"null":                 {[]string{apitest.Shop}, "null", false},
		"null of any":          {[]string{"*"}, "null", false},
		"two":                  {[]string{apitest.Shop}, apitest.Shop + ", https://evil.example", false},
		"garbage":              {[]string{"*"}, "https://%zz", false},
		"any":                  {[]string{"*"}, "https://evil.example", true},
		"any, with a port":     {[]string{"*"}, "http://evil.example:81", true},
		"loopback":             {[]string{"loopback"}, "http://localhost:3000", true},
		"loopback by number":   {[]string{"loopback"}, "http://127.0.0.2:80", true},
		"loopback, version 6":  {[]string{"loopback"}, "https://[::1]:1", true},
		"like loopback":        {[]string{"loopback"}, "http://127.0.0.1.evil.example", false},
		"like localhost":       {[]string{"loopback"}, "http://localhost.evil.example", false},
		"loopback not allowed": {[]string{apitest.Shop}, "http://localhost:3000", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			front := s.With(t, func(b *app.Process) { b.Config.AllowedOrigins = tt.origins })
			id := apitest.SessionID()
			for _, one := range []struct {
				method, target string
				body           any
				status         int // of an allowed one
			}{
				{"POST", webChatPath, map[string]any{"sessionId": id, "text": ""}, 400},
				{"GET", webListPath, nil, 200},
				{"GET", webDataPath, nil, 404},
				{"DELETE", webDataPath, nil, 404},
				{"POST", webPhotoPath, map[string]any{"sessionId": id, "contentType": "image/png", "size": 7}, 200},
				{"OPTIONS", webChatPath, nil, 204}, {"OPTIONS", webListPath, nil, 204}, {"OPTIONS", webPhotoPath, nil, 204}, {"OPTIONS", webDataPath, nil, 204},
			} {
				a := s.CallTo(t, front, one.method, one.target, one.body, "Origin", tt.origin, "x-session-id", id)
				if !tt.allowed {
					one.status = http.StatusForbidden
				}
				a.Wants(t, one.status, nil)
				checkCORS(t, one.method+" "+one.target, a, tt.origin, tt.allowed)
			}
		})
	}
}

// checkCORS checks that a page of an origin can read the answer, or cannot.
func checkCORS(t *testing.T, what string, a answer, origin string, allowed bool) {
	t.Helper()
	for name, values := range a.Header {
		if strings.HasPrefix(name, "Access-Control-") && !allowed {
			t.Errorf("%s: %s: %q for another site's page", what, name, values)
		}
	}
	if allowed && (a.Header.Get("Access-Control-Allow-Origin") != origin || a.Header.Get("Access-Control-Expose-Headers") != "date, location, x-trace-id") {
		t.Errorf("%s: not for pages of %s: %v", what, origin, a.Header)
	}
	if !strings.Contains(a.Header.Get("Vary"), "Origin") || a.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%s: %v", what, a.Header)
	}
}

// A preflight names the methods that the path takes and the headers that the widget sends.
func TestPreflight(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, methods := range map[string]string{webChatPath: "POST", webListPath: "GET", webPhotoPath: "POST", webDataPath: "DELETE, GET"} {
		a := s.Call(t, "OPTIONS", path, nil, "Origin", apitest.Shop, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type, x-session-id")
		a.Wants(t, http.StatusNoContent, nil)
		if got := a.Header.Get("Access-Control-Allow-Methods"); got != methods {
			t.Errorf("%s: methods %q, want %q", path, got, methods)
		}
		for _, name := range []string{"content-type", "x-session-id", "x-trace-id"} {
			if !strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), name) {
				t.Errorf("%s: headers %q, want %s among them", path, a.Header.Get("Access-Control-Allow-Headers"), name)
			}
		}
	}
	a := s.Call(t, "GET", webListPath, nil, "x-session-id", apitest.SessionID()).Wants(t, http.StatusOK, nil) // asked by no page
	if a.Header.Get("Access-Control-Allow-Origin") != "" || a.Header.Get("Vary") != "Origin" {
		t.Errorf("%v", a.Header)
	}
	a = s.Call(t, "GET", "/chat/threads/th_x/messages", nil, "Origin", apitest.Shop, "x-session-id", apitest.SessionID()) // for pages of our own only
	if a.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v", a.Header)
	}
}

func TestCheckOrigins(t *testing.T) {
	t.Parallel()
	if err := api.CheckOrigins([]string{"*", "loopback", apitest.Shop, "http://localhost:3000", "https://[::1]:8"}); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"", "shop.example", "https://", "https://shop.example/", "https://shop.example/a", "https://shop.example?x", "ftp://shop.example", "https://a@shop.example", "https://*.example/", "null", "LOOPBACK", "https://%zz"} {
		err := api.CheckOrigins([]string{apitest.Shop, wrong})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", wrong)) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// A session reads and deletes what is its own in one market, and nothing of the same id in
// another one, nor of the app's chat.
func TestSessionInAnotherMarket(t *testing.T) {
	t.Parallel()
	s, id, other := start(t), apitest.SessionID(), dynamotest.ID("m")
	s.Call(t, "PUT", "/admin/api/markets/"+other, map[string]any{"name": "Other"}, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	s.WritesWeb(t, id, "hello")
	s.Say(t, id, "hello, Merve")
	var there api.WebChatResponse
	s.Call(t, "POST", webChatPath, map[string]any{"sessionId": id, "text": "hello there", "marketId": other}).Wants(t, http.StatusOK, &there)
	s.Call(t, "DELETE", webDataPath+"?marketId="+other, nil, "x-session-id", id).Wants(t, http.StatusNoContent, nil)
	if l := s.WebLines(t, id); len(l.Messages) != 2 || l.Messages[0].Text != "hello" {
		t.Errorf("%+v", l.Messages)
	}
	var l apitest.List
	s.Call(t, "GET", webListPath+"?marketId="+other, nil, "x-session-id", id).Wants(t, http.StatusOK, &l)
	if len(l.Messages) != 0 {
		t.Errorf("%+v", l.Messages)
	}
}

// A session, which costs nothing to make, does not fill the bucket.
func TestUploadsAreLimited(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := apitest.SessionID()
	for n := range 41 {
		a := s.Call(t, http.MethodPost, webPhotoPath, map[string]any{"sessionId": id, "contentType": "image/png", "size": 9})
		if want := map[bool]int{true: http.StatusOK, false: http.StatusTooManyRequests}[n < 40]; a.Status != want {
			t.Fatalf("upload %d: %d %s, want %d", n, a.Status, a.Body, want)
		}
	}
}

// New sessions do not let an address fill it either; elsewhere there is room.
func TestUploadsOfAnAddressAreLimited(t *testing.T) {
	t.Parallel()
	s := start(t)
	here := dynamotest.ID("address")
	limits := &limit.Counter{Table: dynamotest.Open(t).Table(s.Base.Config.TableConversations), Now: apitest.Now}
	for range 399 {
		if err := limits.Take(t.Context(), "upload", here, 400); err != nil {
			t.Fatal(err)
		}
	}
	for n, step := range []struct {
		at   string
		want int
	}{{here, http.StatusOK}, {here, http.StatusTooManyRequests}, {dynamotest.ID("elsewhere"), http.StatusOK}} {
		body := map[string]any{"sessionId": apitest.SessionID(), "contentType": "image/png", "size": 9}
		if a := s.CallTo(t, fromAddress(step.at, s.Front), http.MethodPost, webPhotoPath, body); a.Status != step.want {
			t.Errorf("%d: %d %s, want %d", n, a.Status, a.Body, step.want)
		}
	}
}
