package webtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/words/language"
)

// A SaraMessage is what the widget posts.
type SaraMessage struct {
	SessionID       string   `json:"sessionId"`
	Text            string   `json:"text"`
	Name            string   `json:"name"`
	MediaURLs       []string `json:"mediaUrls"`
	Language        string   `json:"language"`
	ClientMessageID string   `json:"clientMessageId"`
	MarketID        string   `json:"marketId"`
	ReplyTo         string   `json:"replyTo"`
}

// A SaraAnswer is what the assistant says.
type SaraAnswer struct {
	Reply         string
	PendingAction *Pending
	Standing      *Standing
	Choices       []Choice
}

// Choice is something that the customer may say by a tap.
type Choice struct {
	Label  string `json:"label"`
	Detail string `json:"detail,omitempty"`
}

// Standing is how a conversation stands. Its text is the last line of the reply, too.
type Standing struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// Sara is the server side of one widget's conversation, and the bucket its photos go to. It takes
// requests of one other origin only, and none with a cookie. Use [NewSara].
//
// What the widget must never do is kept in [Sara.Faults].
type Sara struct {
	allowed string
	answer  func(SaraMessage) SaraAnswer

	live *Live

	mu         sync.Mutex
	bucket     string // its origin
	session    string
	market     *string // that the requests name; nil before the first
	lines      []saraLine
	said       map[string]*SaraAnswer // by clientMessageId; nil while nobody has answered it
	waiting    []SaraMessage
	deliveries []SaraMessage
	reads      []string
	pending    *Pending
	ahead      time.Duration
	leaves     map[string]*Photo // by media address
	faults     []string

	drop, noPhotos bool
	cut            bool
	late           int
	refusals       []fault.Problem
	hold           chan struct{}
}

// A Photo is an upload that was allowed, and what came of it.
type Photo struct {
	ContentType string
	Size        int
	Body        []byte // nil until it was put
}

type saraLine struct {
	ID        string      `json:"id"`
	Direction string      `json:"direction"`
	Text      string      `json:"text"`
	CreatedAt time.Time   `json:"createdAt"`
	Media     []saraMedia `json:"media,omitempty"`
	Standing  *Standing   `json:"standing,omitempty"`
	Choices   []Choice    `json:"choices,omitempty"`
}

type saraMedia struct {
	URL         string `json:"url"`
	ContentType string `json:"contentType"`
}

// NewSara returns a backend for pages of the allowed origin, whose bucket is at that other one.
func NewSara(allowed, bucket string, answer func(SaraMessage) SaraAnswer) *Sara {
	return &Sara{allowed: allowed, bucket: bucket, answer: answer, said: map[string]*SaraAnswer{}, leaves: map[string]*Photo{}}
}

// Drop sets whether messages are taken in and answered, and the connection cut instead of saying so.
func (s *Sara) Drop(on bool) { s.do(func() { s.drop = on }) }

// Cut breaks the answer to the next message off, within its body.
func (s *Sara) Cut() { s.do(func() { s.cut = true }) }

// NoPhotos sets whether the bucket refuses what is put there.
func (s *Sara) NoPhotos(on bool) { s.do(func() { s.noPhotos = on }) }

// Late answers the next messages with 202 and takes their turn when the listing has been read n times.
func (s *Sara) Late(n int) { s.do(func() { s.late = n }) }

// Refuse answers the next messages with these problems, and takes none of them in.
func (s *Sara) Refuse(problems ...fault.Problem) { s.do(func() { s.refusals = problems }) }

// Hold keeps uploads back until release is called.
func (s *Sara) Hold() (release func()) {
	gate := make(chan struct{})
	s.do(func() { s.hold = gate })
	return sync.OnceFunc(func() { s.do(func() { s.hold = nil }); close(gate) })
}

// Say stores a message of Sara's own.
func (s *Sara) Say(text string) { s.do(func() { s.store("outbound", text, nil) }) }

// Ask sets what waits for an answer; nil is nothing.
func (s *Sara) Ask(p *Pending) { s.do(func() { s.pending = p }) }

// Ahead sets how much Sara's clock is ahead of the browser's.
func (s *Sara) Ahead(by time.Duration) { s.do(func() { s.ahead = by }) }

// Live gives the conversation sockets, before it is served. What comes by them is taken in, and answered by
// [Sara.Finish].
func (s *Sara) Live() *Live {
	s.live = NewLive(func(q url.Values, sent Sent) {
		m := SaraMessage{SessionID: q.Get("token"), Text: sent.Text, Language: q.Get("language"), ClientMessageID: sent.ID, ReplyTo: sent.ReplyTo, MarketID: q.Get("marketId")}
		if err := s.check(m); err != nil || q.Get("agentId") != "sara" {
			s.blame("by the socket %v %+v: %v", q, m, err)
			return
		}
		s.do(func() { s.take(m) })
	})
	return s.live
}

// Finish answers what waits, and tells the sockets of the turn's end.
func (s *Sara) Finish(turn int) {
	var f Frame
	var text string
	s.do(func() {
		s.turn()
		last := s.lines[len(s.lines)-1]
		text, f = last.Text, Frame{"standing": last.Standing, "choices": last.Choices}
	})
	s.live.Final(turn, text, f)
}

// Deliveries returns every message that arrived, repeats included.
func (s *Sara) Deliveries() []SaraMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.deliveries)
}

// Taken returns how many messages counted.
func (s *Sara) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.said)
}

// Reads returns the query of every listing.
func (s *Sara) Reads() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.reads)
}

// Photos returns the uploads that were allowed, by media address.
func (s *Sara) Photos() map[string]Photo {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]Photo{}
	for address, p := range s.leaves {
		all[address] = *p
	}
	return all
}

// Faults returns what was asked that no widget may ask.
func (s *Sara) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

// Handler serves the API, and page for everything else.
func (s *Sara) Handler(page http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", page)
	if s.live != nil {
		mux.Handle("GET /live", s.live)
	}
	mux.Handle("POST /web-chat-api", s.cors("POST", s.post))
	mux.Handle("GET /web-chat-api/messages", s.cors("GET", s.list))
	mux.Handle("POST /web-chat-api/photos", s.cors("POST", s.leave))
	for _, path := range []string{"/web-chat-api", "/web-chat-api/messages", "/web-chat-api/photos"} {
		mux.Handle("OPTIONS "+path, s.cors("POST, GET", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	}
	return mux
}

// Bucket serves the photos.
func (s *Sara) Bucket() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("PUT /{name}", s.cors("PUT", s.put))
	mux.Handle("OPTIONS /{name}", s.cors("PUT", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	mux.HandleFunc("GET /{name}", s.show)
	return mux
}

// cors is the contract of the Fetch standard for requests without credentials.
func (s *Sara) cors(methods string, h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Cookie", "Authorization"} {
			if r.Header.Get(name) != "" {
				s.blame("%s %s carries %s", r.Method, r.URL.Path, name)
			}
		}
		own := r.Header.Get("Sec-Fetch-Site") == "same-origin" // whose reads have no Origin
		if r.Header.Get("Origin") != s.allowed && !own {
			s.blame("%s %s comes from %q", r.Method, r.URL.Path, r.Header.Get("Origin"))
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", s.allowed)
		w.Header().Set("Access-Control-Allow-Methods", methods)
		w.Header().Set("Access-Control-Allow-Headers", "content-type, x-session-id, x-test-leave")
		w.Header().Set("Access-Control-Expose-Headers", "date, location, x-trace-id")
		w.Header().Set("Vary", "Origin")
		s.do(func() { w.Header().Set("Date", s.now().Format(http.TimeFormat)) })
		h(w, r)
	})
}

// --- messages ---

func (s *Sara) post(w http.ResponseWriter, r *http.Request) {
	var m SaraMessage
	err := strictly(r, &m)
	s.do(func() { s.deliveries = append(s.deliveries, m) })
	s.do(func() { s.about("POST", m.MarketID) })
	if err == nil {
		err = s.check(m)
	}
	if err != nil {
		s.blame("POST %+v: %v", m, err)
		s.fail(w, fault.ProblemOf(err, traceID))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refusals) > 0 {
		s.fail(w, s.refusals[0])
		s.refusals = s.refusals[1:]
		return
	}
	s.take(m)
	if s.late > 0 {
		w.Header().Set("Location", fmt.Sprintf("/web-chat-api/messages?after=%d", len(s.lines)))
		s.send(w, http.StatusAccepted, map[string]any{"threadId": ThreadID, "messageId": "in-" + m.ClientMessageID})
		return
	}
	s.turn()
	if s.drop {
		panic(http.ErrAbortHandler) // net/http's way to cut the connection
	}
	a := s.said[m.ClientMessageID]
	body := map[string]any{"replyText": a.Reply, "threadId": ThreadID, "messageId": "in-" + m.ClientMessageID}
	if a.PendingAction != nil {
		body["pendingAction"] = a.PendingAction
	}
	if a.Standing != nil {
		body["replyText"], body["standing"] = a.Reply+"\n\n"+a.Standing.Text, a.Standing
	}
	if a.Choices != nil {
		body["choices"] = a.Choices
	}
	if s.cut {
		s.cut = false
		w.Header().Set("Content-Length", "1000")
	}
	s.send(w, http.StatusOK, body)
}

// take stores m once.
func (s *Sara) take(m SaraMessage) {
	s.session = m.SessionID
	if _, ok := s.said[m.ClientMessageID]; !ok {
		s.said[m.ClientMessageID] = nil
		s.waiting = append(s.waiting, m)
		s.store("inbound", m.Text, m.MediaURLs)
		s.lines[len(s.lines)-1].ID = "in-" + m.ClientMessageID
	}
}

// about blames a request of another market than the one before it: a session has a conversation
// of its own in each.
func (s *Sara) about(request, market string) {
	if s.market != nil && *s.market != market {
		s.faults = append(s.faults, fmt.Sprintf("%s is about market %q, after one about %q", request, market, *s.market))
	}
	s.market = &market
}

func (s *Sara) check(m SaraMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(m.SessionID) < 43: // 256 bits
		return fault.Field("sessionId", "want 256 bits")
	case s.session != "" && s.session != m.SessionID:
		return fault.Field("sessionId", "not the one from before")
	case len(m.ClientMessageID) < 22:
		return fault.Field("clientMessageId", "want 128 bits")
	case m.Text == "" && len(m.MediaURLs) == 0, strings.TrimSpace(m.Text) != m.Text:
		return fault.Field("text", "want some, without space around it")
	case !slices.Contains(language.Supported(), m.Language):
		return fault.Field("language", "not one of ours")
	}
	for _, address := range m.MediaURLs {
		if p := s.leaves[address]; p == nil || p.Body == nil {
			return fault.Field("mediaUrls", "no such photo: %s", address)
		}
	}
	return nil
}

func (s *Sara) turn() {
	for _, m := range s.waiting {
		a := s.answer(m)
		s.said[m.ClientMessageID] = &a
		s.pending = a.PendingAction
		for _, part := range strings.Split(a.Reply, "\n\n") { // listed in parts, as messages of their own
			s.store("outbound", part, nil)
		}
		if len(s.lines) > 0 {
			s.lines[len(s.lines)-1].Standing, s.lines[len(s.lines)-1].Choices = a.Standing, a.Choices
		}
	}
	s.waiting = nil
}

func (s *Sara) now() time.Time { return time.Now().Add(s.ahead).UTC() }

func (s *Sara) store(direction, text string, media []string) {
	l := saraLine{ID: fmt.Sprintf("l%04d", len(s.lines)), Direction: direction, Text: text, CreatedAt: s.now()}
	for _, address := range media {
		l.Media = append(l.Media, saraMedia{address, s.leaves[address].ContentType})
	}
	s.lines = append(s.lines, l)
}

func (s *Sara) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads = append(s.reads, r.URL.RawQuery)
	s.about("GET messages", r.FormValue("marketId"))
	if s.session == "" || r.Header.Get("x-session-id") != s.session {
		s.fail(w, fault.ProblemOf(fault.New(fault.NotFound, "no such conversation"), traceID))
		return
	}
	if s.drop {
		panic(http.ErrAbortHandler)
	}
	if s.late > 0 {
		if s.late--; s.late == 0 {
			s.turn()
		}
	}
	limit, err := strconv.Atoi(r.FormValue("limit"))
	start, startErr := number(r, "after", 0)
	if err != nil || limit < 1 || limit > 100 || startErr != nil || start < 0 || start > len(s.lines) {
		s.faults = append(s.faults, "GET messages?"+r.URL.RawQuery)
		s.fail(w, fault.ProblemOf(fault.Field("after", "not a cursor, or limit is none"), traceID))
		return
	}
	end := min(start+limit, len(s.lines))
	body := map[string]any{"messages": s.lines[start:end]}
	if s.pending != nil {
		body["pendingAction"] = s.pending
	}
	if end < len(s.lines) {
		body["next"] = strconv.Itoa(end)
	}
	s.send(w, http.StatusOK, body)
}

// --- photos ---

func (s *Sara) leave(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		SessionID   string `json:"sessionId"`
		MarketID    string `json:"marketId"`
		ContentType string `json:"contentType"`
		Size        int    `json:"size"`
	}
	err := strictly(r, &ask)
	types := []string{"image/jpeg", "image/png", "image/webp", "image/heic", "image/gif"}
	if err != nil || len(ask.SessionID) < 43 || !slices.Contains(types, ask.ContentType) || ask.Size < 1 || ask.Size > 10<<20 {
		s.blame("POST photos: %v %+v", err, ask)
		s.fail(w, fault.ProblemOf(fault.Field("contentType", "want a photo"), traceID))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.about("POST photos", ask.MarketID)
	name := fmt.Sprintf("p%d", len(s.leaves)+1)
	address := s.bucket + "/" + name
	s.leaves[address] = &Photo{ContentType: ask.ContentType, Size: ask.Size}
	s.send(w, http.StatusOK, map[string]any{
		"uploadUrl": address + "?signature=test-not-real", "method": "PUT", "mediaUrl": address,
		"headers": map[string]string{"Content-Type": ask.ContentType, "x-test-leave": name}, "expiresAt": s.now().Add(5 * time.Minute),
	})
}

func (s *Sara) put(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.leaves[s.bucket+r.URL.Path]
	switch {
	case err != nil: // it was cancelled
	case s.noPhotos:
		w.WriteHeader(http.StatusForbidden)
	case p == nil || r.URL.RawQuery != "signature=test-not-real" || "/"+r.Header.Get("x-test-leave") != r.URL.Path ||
		r.Header.Get("Content-Type") != p.ContentType || len(body) != p.Size:
		s.faults = append(s.faults, fmt.Sprintf("PUT %s of %d bytes, %v, for %+v", r.URL, len(body), r.Header, p))
		w.WriteHeader(http.StatusForbidden)
	default:
		p.Body = body
		w.WriteHeader(http.StatusOK)
	}
}

func (s *Sara) show(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.leaves[s.bucket+r.URL.Path]
	if p == nil || p.Body == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", p.ContentType)
	_, _ = w.Write(p.Body) // the page has gone: nobody to tell
}

// --- answering ---

// strictly reads a body that has the fields of out and no other.
func strictly(r *http.Request, out any) error {
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		return fault.New(fault.Invalid, "Content-Type %q", got)
	}
	d := json.NewDecoder(io.LimitReader(r.Body, 64<<10))
	d.DisallowUnknownFields()
	return d.Decode(out)
}

func (s *Sara) fail(w http.ResponseWriter, p fault.Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the page has gone: nobody to tell
}

func (s *Sara) send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (s *Sara) blame(format string, args ...any) {
	s.do(func() { s.faults = append(s.faults, fmt.Sprintf(format, args...)) })
}

func (s *Sara) do(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}
