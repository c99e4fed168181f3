// Package webtest has backends for the pages that run in memory and do as they are told:
// they answer, are slow, drop their answer, refuse, or answer late. [Backend] is the chat page's,
// [Sara] the chat widget's, [Admin] the controller's pages'.
//
// They are strict where the real ones are: an unknown field, a short session id or a foreign thread
// is an error, a clientMessageId counts once, and a turn answers all that is unanswered.
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
)

// A Message is what the page posts.
type Message struct {
	Message         string `json:"message"`
	SessionID       string `json:"sessionId"`
	Language        string `json:"language"`
	ClientMessageID string `json:"clientMessageId"`
	Button          string `json:"button"`
	ReplyTo         string `json:"replyTo"`

	Location    *Location    `json:"location"`
	Attachments []Attachment `json:"attachments"`
}

// A Location is a place that the customer shares, in degrees (WGS 84).
type Location struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// An Attachment is a photo of a message.
type Attachment struct {
	URL         string `json:"url"`
	ContentType string `json:"contentType"`
}

// A Pending action as the page gets it.
type Pending struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Summary   string    `json:"summary"`
	ExpiresAt time.Time `json:"expiresAt"`
	AnswerBy  time.Time `json:"answerBy,omitzero"` // when a yes must have come, if that is sooner
}

// An Answer is what the assistant says. Cards and MapLocation are any JSON, so that a test
// may send what no backend should.
type Answer struct {
	Reply         string   `json:"reply"`
	PendingAction *Pending `json:"pendingAction,omitempty"`
	Cards         []any    `json:"cards"`
	Choices       any      `json:"choices,omitempty"`
	MapLocation   any      `json:"mapLocation,omitempty"`
	Standing      any      `json:"standing,omitempty"`
}

// Backend is one conversation's server side. Use [New].
type Backend struct {
	now      func() time.Time
	answer   func(Message) Answer
	arrivals chan struct{}

	mu         sync.Mutex
	model      string
	session    string // whose thread it is
	lines      []*line
	pending    *Pending
	taken      map[string]*inbound // by clientMessageId
	waiting    []*inbound          // what the next turn answers
	deliveries []Message
	reads      []string

	photos []Upload
	doing  []string
	tiles  []byte

	live *Live

	hold       chan struct{}
	late       int
	drop       bool
	unreadable bool
	backward   bool
	refusals   []fault.Problem
}

// line is a message of the thread as the page reads it.
type line struct {
	ID          string    `json:"id"`
	Direction   string    `json:"direction"`
	Text        string    `json:"text"`
	Media       any       `json:"media,omitempty"`
	Cards       []any     `json:"cards"`
	Choices     any       `json:"choices,omitempty"`
	MapLocation any       `json:"mapLocation,omitempty"`
	Standing    any       `json:"standing,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
	Status      string    `json:"status"`
}

// inbound is a message that was taken in, and its answer once there is one.
type inbound struct {
	Message
	line   *line
	answer *Answer
}

// ThreadID is the id of the one thread.
const ThreadID = "general:demo:1"

const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

// New returns a backend that answers with answer. Its clock is now's: the page must go by it.
func New(now func() time.Time, answer func(Message) Answer) *Backend {
	return &Backend{
		model: "test-model-1", now: now, answer: answer,
		arrivals: make(chan struct{}, 100), taken: map[string]*inbound{},
	}
}

// Named sets the model that GET /healthz names.
func (b *Backend) Named(model string) { b.do(func() { b.model = model }) }

// Drop sets whether messages are taken in and the connection is cut instead of answering. There is no
// number to it: browsers themselves send again on a connection that breaks while it is kept alive.
func (b *Backend) Drop(on bool) { b.do(func() { b.drop = on }) }

// Refuse answers the next messages with these problems, and takes none of them in.
func (b *Backend) Refuse(problems ...fault.Problem) { b.do(func() { b.refusals = problems }) }

// Unreadable sets whether the thread's messages cannot be read.
func (b *Backend) Unreadable(on bool) { b.do(func() { b.unreadable = on }) }

// Backward sets whether the thread's messages can be read from the newest back (before, previous);
// from the oldest on (after, next) they always can.
func (b *Backend) Backward(on bool) { b.do(func() { b.backward = on }) }

// Late answers messages with 202 and takes their turn when the listing has been read n times more.
func (b *Backend) Late(n int) { b.do(func() { b.late = n }) }

// Hold takes messages in and keeps the turn back until release is called: it answers all of them.
func (b *Backend) Hold() (release func()) {
	gate := make(chan struct{})
	b.do(func() { b.hold = gate })
	return sync.OnceFunc(func() { b.do(func() { b.hold = nil }); close(gate) })
}

// Belongs gives the thread, so far without an owner, to session.
func (b *Backend) Belongs(session string) { b.do(func() { b.session = session }) }

// Doing names the tools that are at work while a turn is; before it is called, the server does
// not say.
func (b *Backend) Doing(tools ...string) { b.do(func() { b.doing = append([]string{}, tools...) }) }

// Tiles serves image, a PNG, as every map tile; before it is called, there are none.
func (b *Backend) Tiles(image []byte) { b.do(func() { b.tiles = image }) }

// Show stores a message with media (any JSON) as if it had come at that time.
func (b *Backend) Show(direction string, media any, at time.Time) {
	b.do(func() { b.store(line{Direction: direction, Media: media, CreatedAt: at, Status: "sent"}) })
}

// Say stores a message of the thread, inbound or outbound, as if it had come at that time.
func (b *Backend) Say(direction, text string, at time.Time, cards ...any) {
	b.do(func() { b.store(line{Direction: direction, Text: text, Cards: cards, CreatedAt: at, Status: "sent"}) })
}

// Deliveries returns every POST that arrived, repeats included.
func (b *Backend) Deliveries() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.deliveries)
}

// An Upload is a photo that was put up.
type Upload struct {
	ContentType string
	Body        []byte
}

// Uploads returns the photos that were put up.
func (b *Backend) Uploads() []Upload {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.photos)
}

// Live gives the conversation sockets, before it is served. What comes by them is taken in, and answered by
// [Backend.Finish].
func (b *Backend) Live() *Live {
	b.live = NewLive(func(q url.Values, s Sent) {
		b.take(Message{
			Message: s.Text, SessionID: q.Get("token"), Language: q.Get("language"), ClientMessageID: s.ID, Button: s.Button, ReplyTo: s.ReplyTo,
		})
	})
	b.live.Stands(Frame{"threadId": ThreadID, "turnId": 0})
	return b.live
}

// Finish answers what waits, and tells the sockets of the turn's end. What was said of it comes to the same text.
func (b *Backend) Finish(turn int, more Frame) {
	b.mu.Lock()
	b.turn()
	last := b.lines[len(b.lines)-1]
	b.mu.Unlock()
	b.live.Final(turn, last.Text, more)
}

// Arrivals has a value for each POST that has arrived.
func (b *Backend) Arrivals() <-chan struct{} { return b.arrivals }

// Reads returns the query of every listing of the thread that was asked for.
func (b *Backend) Reads() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.reads)
}

// Taken returns how many messages counted.
func (b *Backend) Taken() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.taken)
}

// Handler serves the backend, and page for everything else.
func (b *Backend) Handler(page http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", page)
	if b.live != nil {
		mux.Handle("GET /live", b.live)
	}
	mux.HandleFunc("GET /healthz", b.health)
	mux.HandleFunc("POST /chat/message", b.post)
	mux.HandleFunc("GET /chat/threads/{threadId}/messages", b.list)
	mux.HandleFunc("GET /chat/threads/{threadId}/activity", b.activity)
	mux.HandleFunc("POST /chat/photos", b.permit)
	mux.HandleFunc("PUT /bucket/{n}", b.put)
	mux.HandleFunc("GET /bucket/{n}", b.get)
	mux.HandleFunc("GET /tiles/{z}/{x}/{y}", b.tile)
	return mux
}

func (b *Backend) health(w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	health := map[string]any{"status": "ok", "version": "test", "model": b.model, "parts": map[string]string{}}
	if b.live != nil {
		health["live"] = "/live"
	}
	b.send(w, http.StatusOK, health)
}

// --- POST /chat/message ---

func (b *Backend) post(w http.ResponseWriter, r *http.Request) {
	m, err := b.receive(w, r)
	if err != nil {
		b.fail(w, fault.ProblemOf(err, traceID))
		return
	}
	if problem, ok := b.refusal(); ok {
		b.fail(w, problem)
		return
	}
	in, gate := b.take(m)
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.late > 0 {
		w.Header().Set("Location", fmt.Sprintf("/chat/threads/%s/messages?after=%d", ThreadID, slices.Index(b.lines, in.line)))
		b.send(w, http.StatusAccepted, b.response(in))
		return
	}
	b.turn()
	if b.drop {
		panic(http.ErrAbortHandler) // net/http's way to cut the connection
	}
	b.send(w, http.StatusOK, b.response(in))
}

func (b *Backend) receive(w http.ResponseWriter, r *http.Request) (Message, error) {
	var m Message
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&m)
	b.do(func() { b.deliveries = append(b.deliveries, m) })
	select {
	case b.arrivals <- struct{}{}:
	default: // nobody counts so many
	}
	switch {
	case err != nil:
		return m, fault.New(fault.Invalid, "%v", err)
	case m.Message == "" && m.Location == nil && len(m.Attachments) == 0:
		return m, fault.Field("message", "missing")
	case m.ClientMessageID == "":
		return m, fault.Field("clientMessageId", "missing")
	case len(m.SessionID) < 22:
		return m, fault.Field("sessionId", "at least 128 bits")
	}
	for _, a := range m.Attachments {
		if !strings.HasPrefix(a.URL, "photo:") || a.ContentType != "image/jpeg" {
			return m, fault.Field("attachments", "want what POST /chat/photos gave")
		}
	}
	return m, nil
}

func (b *Backend) refusal() (fault.Problem, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.refusals) == 0 {
		return fault.Problem{}, false
	}
	next := b.refusals[0]
	b.refusals = b.refusals[1:]
	return next, true
}

// take stores m once, and returns what holds its turn back, if anything does.
func (b *Backend) take(m Message) (*inbound, chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m.SessionID != b.session { // another customer: another thread
		b.session, b.lines, b.waiting, b.pending = m.SessionID, nil, nil, nil
	}
	in, ok := b.taken[m.ClientMessageID]
	if !ok {
		in = &inbound{Message: m}
		in.line = b.store(line{Direction: "inbound", Text: m.Message, CreatedAt: b.now(), Status: "received"})
		if len(m.Attachments) > 0 {
			shown := make([]Attachment, len(m.Attachments))
			for i, a := range m.Attachments {
				shown[i] = Attachment{"/bucket/" + strings.TrimPrefix(a.URL, "photo:"), a.ContentType}
			}
			in.line.Media = shown
		}
		b.taken[m.ClientMessageID] = in
		b.waiting = append(b.waiting, in)
	}
	return in, b.hold
}

// turn answers all that waits at once.
func (b *Backend) turn() {
	if len(b.waiting) == 0 {
		return
	}
	all := b.waiting[len(b.waiting)-1].Message
	texts := make([]string, len(b.waiting))
	for i, in := range b.waiting {
		texts[i] = in.Message.Message
	}
	all.Message = strings.Join(texts, " ")
	answer := b.answer(all)
	if answer.Cards == nil {
		answer.Cards = []any{}
	}
	for _, in := range b.waiting {
		in.answer, in.line.Status = &answer, "answered"
	}
	b.waiting, b.pending = nil, answer.PendingAction
	// The parts of a reply are listed one by one.
	parts := strings.Split(answer.Reply, "\n\n")
	for i, part := range parts {
		said := line{Direction: "outbound", Text: part, CreatedAt: b.now(), Status: "sent"}
		if i == 0 {
			said.Cards, said.MapLocation = answer.Cards, answer.MapLocation
		}
		if i == len(parts)-1 {
			said.Standing, said.Choices = answer.Standing, answer.Choices
		}
		b.store(said)
	}
}

func (b *Backend) response(in *inbound) any {
	answer := Answer{Cards: []any{}}
	if in.answer != nil {
		answer = *in.answer
	}
	return struct {
		ThreadID  string `json:"threadId"`
		MessageID string `json:"messageId"`
		State     string `json:"state"`
		Answer
		ToolCalls []any  `json:"toolCalls"`
		TraceID   string `json:"traceId"`
	}{ThreadID, in.line.ID, b.state(), answer, []any{}, traceID}
}

func (b *Backend) state() string {
	switch {
	case len(b.waiting) > 0:
		return "executing"
	case b.pending != nil:
		return "awaiting_confirmation"
	}
	return "idle"
}

func (b *Backend) store(l line) *line {
	l.ID = fmt.Sprintf("m%04d", len(b.lines)+1)
	l.CreatedAt = l.CreatedAt.UTC()
	if l.Cards == nil {
		l.Cards = []any{}
	}
	b.lines = append(b.lines, &l)
	return &l
}

// --- GET /chat/threads/{threadId}/messages ---

func (b *Backend) list(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reads = append(b.reads, r.URL.RawQuery)
	if r.PathValue("threadId") != ThreadID || r.Header.Get("x-session-id") != b.session {
		b.fail(w, fault.ProblemOf(fault.New(fault.NotFound, "no such thread"), traceID))
		return
	}
	if b.unreadable {
		b.fail(w, fault.ProblemOf(fault.New(fault.Internal, "on purpose"), traceID))
		return
	}
	if len(b.waiting) > 0 && b.late > 0 {
		if b.late--; b.late == 0 {
			b.turn()
		}
	}
	body, err := b.page(r)
	if err != nil {
		b.fail(w, fault.ProblemOf(err, traceID))
		return
	}
	body["state"] = b.state()
	if b.pending != nil {
		body["pendingAction"] = b.pending
	}
	b.send(w, http.StatusOK, body)
}

// page cuts out what r asks for; cursors are places in the list.
func (b *Backend) page(r *http.Request) (map[string]any, error) {
	limit, err := number(r, "limit", 100)
	if err != nil || limit < 1 || limit > 100 {
		return nil, fault.Field("limit", "want 1 to 100")
	}
	if b.backward && r.FormValue("before") != "" {
		end := len(b.lines)
		if r.FormValue("before") != "latest" {
			if end, err = number(r, "before", 0); err != nil || end < 0 || end > len(b.lines) {
				return nil, fault.Field("before", "not a cursor")
			}
		}
		start := max(0, end-limit)
		body := map[string]any{"messages": b.lines[start:end]}
		if start > 0 {
			body["previous"] = strconv.Itoa(start)
		}
		return body, nil
	}
	start, err := number(r, "after", 0)
	if err != nil || start < 0 || start > len(b.lines) {
		return nil, fault.Field("after", "not a cursor")
	}
	end := min(start+limit, len(b.lines))
	body := map[string]any{"messages": b.lines[start:end]}
	if end < len(b.lines) {
		body["next"] = strconv.Itoa(end)
	}
	return body, nil
}

func number(r *http.Request, name string, absent int) (int, error) {
	if s := r.FormValue(name); s != "" {
		return strconv.Atoi(s)
	}
	return absent, nil
}

// --- what a turn does, photos and tiles ---

func (b *Backend) activity(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.doing == nil || r.PathValue("threadId") != ThreadID || r.Header.Get("x-session-id") != b.session {
		b.fail(w, fault.ProblemOf(fault.New(fault.NotFound, "no such thread"), traceID))
		return
	}
	b.send(w, http.StatusOK, map[string]any{"state": b.state(), "doing": b.doing})
}

func (b *Backend) permit(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var request struct {
		SessionID   string `json:"sessionId"`
		ContentType string `json:"contentType"`
		Size        int64  `json:"size"`
	}
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil || len(request.SessionID) < 22 || request.Size < 1 || request.SessionID != r.Header.Get("x-session-id") {
		b.fail(w, fault.ProblemOf(fault.New(fault.Invalid, "want sessionId, contentType and size"), traceID))
		return
	}
	n := strconv.Itoa(len(b.photos))
	b.photos = append(b.photos, Upload{ContentType: request.ContentType})
	b.send(w, http.StatusOK, map[string]any{
		"uploadUrl": "/bucket/" + n, "method": http.MethodPut, "headers": map[string]string{"Content-Type": request.ContentType},
		"mediaUrl": "photo:" + n, "expiresAt": b.now().Add(time.Minute),
	})
}

func (b *Backend) put(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	n, bad := strconv.Atoi(r.PathValue("n"))
	if err != nil || bad != nil || n >= len(b.photos) || r.Header.Get("Content-Type") != b.photos[n].ContentType {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	b.photos[n].Body = body
}

func (b *Backend) get(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n >= len(b.photos) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", b.photos[n].ContentType)
	_, _ = w.Write(b.photos[n].Body) // the page has gone: nobody to tell
}

func (b *Backend) tile(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tiles == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(b.tiles) // the page has gone: nobody to tell
}

// --- answering ---

func (b *Backend) fail(w http.ResponseWriter, problem fault.Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	b.write(w, problem.Status, problem)
}

func (b *Backend) send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	b.write(w, status, body)
}

func (b *Backend) write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Date", b.now().UTC().Format(http.TimeFormat))
	w.Header().Set("x-trace-id", traceID)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the page has gone: nobody to tell
}

func (b *Backend) do(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}
