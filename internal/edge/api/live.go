package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/assistant"
	"merve/internal/spine/live"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/words/standing"
)

// Live is where live conversations are held: by sockets, and by requests to /api/conversations/{id}. A conversation
// is that of an actor with an assistant, by a name that the client gives it.
type Live struct {
	Who        httpapi.Who
	Host       *live.Host
	Runner     *turn.Runner // nil where only sockets are served
	Assistants *assistant.Set
	Assistant  string // who answers, when the client does not say
	Widget     string // market of the conversations from the widget of other sites
	Market     string
	Summarize  Summarizer
	Patience   time.Duration
	Anonymous  Anonymous
	NewID      func() string
}

// Routes are the API's.
func (l *Live) Routes() httpapi.Routes {
	routes := httpapi.Routes{}
	for _, base := range []string{"/api/conversations/{id}", "/api/v2/conversations/{id}"} {
		for path, handle := range map[string]func(http.ResponseWriter, *http.Request) error{
			"GET /health": l.health, "GET /state": l.state, "GET /summary": l.summary, "GET /debug": l.debug,
			"POST /message": l.message, "POST /resync": l.resync, "POST /reset": l.reset, "POST /rtk-token": l.room,
		} {
			method, rest, _ := strings.Cut(path, " ")
			routes[method+" "+base+rest] = handle
		}
	}
	return routes
}

// asked is how a client names a conversation.
type asked struct {
	talk, agent, session, phone, token, language, market string
}

// ofQuery reads it from a socket's address.
func ofQuery(q url.Values) asked {
	return asked{
		q.Get("conversationId"), q.Get("agentId"), q.Get("callSessionId"), q.Get("phone"), q.Get("token"), q.Get("language"), q.Get("marketId"),
	}
}

// caller finds who asks, and for which conversation. Without a token, anybody who knows a conversation's name
// has access to it, so that name must be hard to guess.
func (l *Live) caller(r *http.Request, a asked) (live.Caller, error) {
	var none live.Caller
	if err := live.CheckName("conversationId", a.talk); err != nil {
		return none, err
	}
	if err := live.CheckName("callSessionId", a.session); err != nil {
		return none, err
	}
	if len(a.language) > 35 { // RFC 5646 §4.4.1
		return none, fault.Field("language", "at most 35 bytes")
	}
	if err := httpapi.CheckMarketID(a.market); err != nil {
		return none, err
	}
	who, err := l.who(r, a)
	if err != nil {
		return none, err
	}
	name := cmp.Or(a.agent, l.Assistant)
	if own, err := l.Assistants.For(channel.General, ""); err == nil && name == own.Name {
		name = ""
	} else if _, err := l.Assistants.For(channel.General, name); err != nil {
		return none, err
	}
	phone := ""
	if a.phone != "" {
		if phone, err = tool.ParsePhone(a.phone); err != nil {
			return none, fault.Field("phone", "want a phone number of 6 to 15 digits")
		}
	}
	in := channel.Inbound{
		Market: cmp.Or(a.market, l.Market), Channel: channel.Live, ThreadType: channel.General, Assistant: name, From: who, Talk: a.talk,
		MessageID: l.NewID(), Language: a.language, Contact: phone,
	}
	if a.talk == "" { // a page whose socket broke sends again by request
		in.Twin = channel.App
		if name == l.Widget {
			in.Twin = channel.Web
		}
	}
	if l.Anonymous.bounds(r, who) {
		in.Address = bound.Address(trigger.Info(r.Context()).SourceIP)
	}
	return live.Caller{Inbound: in, Session: thread.Session{ID: a.session, Phone: phone}}, nil
}

func (l *Live) who(r *http.Request, a asked) (actor.Actor, error) {
	session := cmp.Or(a.token, r.Header.Get("x-session-id"))
	if strings.Count(session, ".") == 2 { // a token of sign-in; session ids need no dots
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+session)
	}
	if _, signed := httpapi.Bearer(r); signed || session != "" {
		return l.Who.Customer(r, session)
	}
	if uuid.Validate(a.talk) != nil {
		return actor.Actor{}, fault.Field("conversationId", "want a UUID, or sign in, or a session id as token")
	}
	return httpapi.Session(a.talk)
}

// Connect lets a socket listen to its conversation.
func (l *Live) Connect(ctx context.Context, id string, r *http.Request) error {
	q := r.URL.Query()
	a := ofQuery(q)
	if talk, ok := strings.CutSuffix(r.URL.Path, "/socket"); ok && a.talk == "" {
		a.talk = talk[strings.LastIndex(talk, "/")+1:]
	}
	c, err := l.caller(r, a)
	if err != nil {
		return err
	}
	if err := l.Anonymous.count(r, c.From); err != nil {
		return err
	}
	return l.Host.Connect(ctx, id, c, q.Get("lastEventId"))
}

// Receive handles data that a client sends. Errors are answered on the socket. If the connection is unknown
// by now, Receive closes it, and the client has to connect again.
func (l *Live) Receive(ctx context.Context, id string, data []byte) error {
	answer, err := l.Host.Receive(ctx, id, data)
	if errors.Is(err, live.ErrGone) {
		return notGone(l.Host.Posts.Hangup(ctx, id))
	}
	if err != nil {
		message, field := fault.Public(err)
		answer = map[string]any{"type": live.Error, "text": message, "field": field, "at": l.Host.Now().UTC()}
		if fault.HTTPStatus(err) >= http.StatusInternalServerError {
			l.Host.Log.ErrorContext(ctx, "socket", "error", err.Error())
		}
	}
	if answer == nil {
		return nil
	}
	out, err := json.Marshal(answer)
	if err == nil {
		err = l.Host.Posts.Post(ctx, id, out)
	}
	return notGone(err)
}

// notGone is an error, unless it says that the client has gone.
func notGone(err error) error {
	if errors.Is(err, live.ErrGone) {
		return nil
	}
	return err
}

// Disconnect forgets a socket.
func (l *Live) Disconnect(ctx context.Context, id string) error { return l.Host.Disconnect(ctx, id) }

// ofRequest finds the conversation of a request, and its thread.
func (l *Live) ofRequest(r *http.Request, body asked) (live.Caller, string, error) {
	q, err := httpapi.Query(r, "agentId", "callSessionId", "token")
	if err != nil {
		return live.Caller{}, "", err
	}
	a := asked{
		r.PathValue("id"), cmp.Or(body.agent, q["agentId"]), cmp.Or(body.session, q["callSessionId"]), body.phone, q["token"], body.language, "",
	}
	c, err := l.caller(r, a)
	return c, thread.Of(c.Inbound), err
}

// LiveHealth is the answer to GET …/health.
type LiveHealth struct {
	Connections int `json:"connections"`
	TurnID      int `json:"turnId"`
}

func (l *Live) health(w http.ResponseWriter, r *http.Request) error {
	s, err := l.stands(r)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, LiveHealth{s.Connections, s.Turn})
}

func (l *Live) stands(r *http.Request) (live.State, error) {
	c, threadID, err := l.ofRequest(r, asked{})
	if err != nil {
		return live.State{}, err
	}
	return l.Host.Stands(r.Context(), threadID, c.Session.ID)
}

func (l *Live) state(w http.ResponseWriter, r *http.Request) error {
	s, err := l.stands(r)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, s)
}

// Summarizer summarizes a conversation in a few sentences.
type Summarizer func(ctx context.Context, s live.State) (string, error)

// LiveSummary is the answer to GET …/summary.
type LiveSummary struct {
	Text        string         `json:"text"`
	DomainState map[string]any `json:"domainState"`
}

func (l *Live) summary(w http.ResponseWriter, r *http.Request) error {
	s, err := l.stands(r)
	if err != nil {
		return err
	}
	text, err := l.Summarize(r.Context(), s)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, LiveSummary{text, s.Domain})
}

// LiveDebug is the answer to GET …/debug.
type LiveDebug struct {
	State  live.State   `json:"state"`
	Events []live.Frame `json:"events"`
}

// debug shows staff anybody's conversation: the last used one with the name, or, if a call session is given, the last
// used one of those that the session was in.
func (l *Live) debug(w http.ResponseWriter, r *http.Request) error {
	if _, err := l.Who.Staff(r); err != nil {
		return err
	}
	q, err := httpapi.Query(r, "callSessionId")
	if err != nil {
		return err
	}
	find, name := l.Host.Threads.Called, r.PathValue("id")
	if q["callSessionId"] != "" {
		find, name = l.Host.Threads.InCall, q["callSessionId"]
	}
	found, err := find(r.Context(), l.Market, name)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return thread.ErrNoThread
	}
	m, err := l.Host.Missed(r.Context(), found[0].ID, "", "")
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, LiveDebug{m.State, events(m)})
}

func events(m live.Missed) []live.Frame {
	if m.Events == nil {
		return []live.Frame{}
	}
	return m.Events
}

// liveRequest is the body of a request that a client sends instead of a frame.
type liveRequest struct {
	Text        *string         `json:"text"`
	ID          string          `json:"id"`
	AgentID     string          `json:"agentId"`
	CallSession string          `json:"callSessionId"`
	Phone       string          `json:"phone"`
	Language    string          `json:"language"`
	LastEventID json.RawMessage `json:"lastEventId"`
}

func (q liveRequest) asked() asked {
	return asked{agent: q.AgentID, session: q.CallSession, phone: q.Phone, language: q.Language}
}

// LiveAnswer is the answer to POST …/message.
type LiveAnswer struct {
	TurnID        int                `json:"turnId"`
	Reply         string             `json:"reply"`
	Standing      *standing.Standing `json:"standing"`
	Choices       []channel.Choice   `json:"choices,omitempty"`
	ToolCallCount int                `json:"toolCallCount"`
	FirstTokenMS  *int64             `json:"first_token_ms"`
	StatusMS      *int64             `json:"time_to_status_ms"`
}

func (l *Live) message(w http.ResponseWriter, r *http.Request) error {
	var req liveRequest
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	if req.Text == nil {
		return fault.Field("text", "missing")
	}
	if err := live.CheckMessage(*req.Text, req.ID); err != nil {
		return err
	}
	c, _, err := l.ofRequest(r, req.asked())
	if err != nil {
		return err
	}
	if err := l.Anonymous.take(r, &c.Inbound); err != nil {
		return err
	}
	c.Text, c.MessageID = *req.Text, cmp.Or(req.ID, c.MessageID)
	ctx, cancel := context.WithTimeout(r.Context(), l.Patience)
	defer cancel()
	if err := l.Host.Begin(ctx, c); err != nil && !errors.Is(err, thread.ErrOver) { // a message that was taken in then has its answer
		return err
	}
	appended, err := l.Host.Say(ctx, c, "")
	if err != nil {
		return err
	}
	a, err := l.Runner.Answered(ctx, appended)
	if err != nil {
		return err
	}
	if a.Later {
		w.Header().Set("Location", "/api/conversations/"+url.PathEscape(c.Talk)+"/state")
		return httpapi.WriteJSON(w, http.StatusAccepted, LiveAnswer{})
	}
	answer := LiveAnswer{TurnID: a.Turn.N - a.From, ToolCallCount: len(a.Turn.Calls)}
	if len(a.Turn.Out) > 0 {
		out := a.Turn.Out[len(a.Turn.Out)-1]
		answer.Reply, answer.Choices, answer.Standing = out.Text, out.Choices, out.Standing.In(out.Text)
	}
	if s := a.Turn.Spoken; s != nil {
		answer.FirstTokenMS, answer.StatusMS = s.First, s.Status
	}
	return httpapi.WriteJSON(w, http.StatusOK, answer)
}

// LiveResync is the answer to POST …/resync.
type LiveResync struct {
	Events []live.Frame `json:"events"`
	State  live.State   `json:"state"`
	Gap    bool         `json:"gap"`
}

func (l *Live) resync(w http.ResponseWriter, r *http.Request) error {
	var req liveRequest
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	c, threadID, err := l.ofRequest(r, req.asked())
	if err != nil {
		return err
	}
	m, err := l.Host.Missed(r.Context(), threadID, c.Session.ID, live.LastEvent(req.LastEventID))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, LiveResync{events(m), m.State, m.Gap})
}

// room lets the caller of a call session be heard.
func (l *Live) room(w http.ResponseWriter, r *http.Request) error {
	var req liveRequest
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	c, _, err := l.ofRequest(r, req.asked())
	if err != nil {
		return err
	}
	if err := l.Anonymous.count(r, c.From); err != nil {
		return err
	}
	room, err := l.Host.Room(r.Context(), c)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, room)
}

func (l *Live) reset(w http.ResponseWriter, r *http.Request) error {
	c, _, err := l.ofRequest(r, asked{})
	if err != nil {
		return err
	}
	if err := l.Host.Reset(r.Context(), c); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
