package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"merve/internal/app"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api"
	"merve/internal/edge/api/apitest"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/live"
	"merve/internal/tenant/channel"
)

// liveAt is the address of a route of a conversation with Merve.
func liveAt(conversation, route string, more ...string) string {
	return "/api/conversations/" + url.PathEscape(conversation) + "/" + route + "?agentId=merve" + strings.Join(more, "")
}

func sayLive(id, text string) map[string]any { return map[string]any{"id": id, "text": text} }

// A message is answered with its turn, a repeat of it gets the first answer again, and state, summary and frames tell
// of it; after a reset they begin anew.
func TestLiveByRequest(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, base := range []string{"/api/conversations/", "/api/v2/conversations/"} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			mine, talk := own()
			at := func(route string) string { return base + talk + "/" + route + "?agentId=merve" }
			var first, again, next api.LiveAnswer
			s.Call(t, "POST", at("message"), sayLive("m1", "sushi in Kyrenia"), mine...).Wants(t, http.StatusOK, &first)
			s.Call(t, "POST", at("message"), sayLive("m1", "sushi in Kyrenia"), mine...).Wants(t, http.StatusOK, &again)
			if first.TurnID != 1 || first.Reply == "" || first.Standing == nil || first.ToolCallCount == 0 || first.FirstTokenMS == nil {
				t.Errorf("first: %+v", first)
			}
			if again.TurnID != first.TurnID || again.Reply != first.Reply || again.ToolCallCount != first.ToolCallCount {
				t.Errorf("again: %+v", again)
			}
			s.Call(t, "POST", at("message"), sayLive("", "and pizza?"), mine...).Wants(t, http.StatusOK, &next)
			if next.TurnID != 2 {
				t.Errorf("next: %+v", next)
			}
			var health api.LiveHealth
			s.Call(t, "GET", at("health"), nil, mine...).Wants(t, http.StatusOK, &health)
			if health != (api.LiveHealth{Connections: 0, TurnID: 2}) {
				t.Errorf("health: %+v", health)
			}
			var state live.State
			s.Call(t, "GET", at("state"), nil, mine...).Wants(t, http.StatusOK, &state)
			if len(state.History) != 4 || state.History[0].Content != "sushi in Kyrenia" || state.History[3].Content != next.Reply || state.Speaking {
				t.Errorf("state: %+v", state)
			}
			var summary api.LiveSummary
			s.Call(t, "GET", at("summary"), nil, mine...).Wants(t, http.StatusOK, &summary)
			if summary.Text == "" {
				t.Errorf("summary: %+v", summary)
			}
			s.Call(t, "POST", at("reset"), nil, mine...).Wants(t, http.StatusNoContent, nil)
			pausetest.Until(t, "the reset", func() bool {
				var after live.State
				s.Call(t, "GET", at("state"), nil, mine...).Wants(t, http.StatusOK, &after)
				return after.Turn == 0
			})
			s.Call(t, "POST", at("message"), sayLive("m3", "sushi in Kyrenia"), mine...).Wants(t, http.StatusOK, &next)
			if next.TurnID != 1 {
				t.Errorf("after the reset: %+v", next)
			}
		})
	}
}

// A conversation is that of who began it: to all others it is not there. Without a token it belongs to whoever knows
// its name, which has to be a UUID.
func TestWhoseLiveConversation(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, _ := own()
	other, _ := own()
	user := s.Issuer.Token(t, dynamotest.ID("ann"))
	for name, tt := range map[string]struct {
		begins        []string
		reads, cannot [][]string
	}{
		"a session": {mine, [][]string{mine}, [][]string{nil, other, user}},
		"a user":    {user, [][]string{user}, [][]string{nil, mine}},
		"nobody":    {nil, [][]string{nil}, [][]string{mine, user}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			talk := uuid.NewString()
			s.Call(t, "POST", liveAt(talk, "message"), sayLive("m1", "hello"), tt.begins...).Wants(t, http.StatusOK, nil)
			for _, who := range tt.cannot {
				for _, route := range []string{"health", "state", "summary"} {
					s.Call(t, "GET", liveAt(talk, route), nil, who...).Refuses(t, http.StatusNotFound, "")
				}
				s.Call(t, "POST", liveAt(talk, "resync"), map[string]any{"lastEventId": 1}, who...).Refuses(t, http.StatusNotFound, "")
				s.Call(t, "POST", liveAt(talk, "reset"), nil, who...).Refuses(t, http.StatusNotFound, "")
			}
			for _, who := range tt.reads {
				s.Call(t, "GET", liveAt(talk, "state"), nil, who...).Wants(t, http.StatusOK, nil)
			}
		})
	}
	var state live.State // a token may stand in the address
	talk := dynamotest.ID("errands")
	s.Call(t, "POST", liveAt(talk, "message"), sayLive("m1", "hello"), mine...).Wants(t, http.StatusOK, nil)
	s.Call(t, "GET", liveAt(talk, "state", "&token="+url.QueryEscape(mine[1])), nil).Wants(t, http.StatusOK, &state)
	if len(state.History) != 2 {
		t.Errorf("state: %+v", state)
	}
}

// What is wrong with a request is said by its field.
func TestWrongLiveRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, talk := own()
	good := sayLive("m1", "hello")
	with := func(field string, value any) map[string]any {
		return map[string]any{"text": "hello", "id": "m1", field: value}
	}
	for name, tt := range map[string]struct {
		method, target string
		body           any
		header         []string
		status         int
		field          string
	}{
		"no token and no UUID":     {"POST", liveAt("trip", "message"), good, nil, http.StatusBadRequest, "conversationId"},
		"no token and no UUID, v2": {"GET", "/api/v2/conversations/trip/state", nil, nil, http.StatusBadRequest, "conversationId"},
		"a short session":          {"POST", liveAt(talk, "message"), good, []string{"x-session-id", "short"}, http.StatusBadRequest, "sessionId"},
		"a token that is none":     {"POST", liveAt(talk, "message"), good, []string{"Authorization", "Bearer no-such"}, http.StatusUnauthorized, ""},
		"a long name":              {"GET", liveAt(strings.Repeat("n", 129), "state"), nil, mine, http.StatusBadRequest, "conversationId"},
		"nobody of that name":      {"POST", "/api/conversations/x/message?agentId=nobody", good, mine, http.StatusBadRequest, "agentId"},
		"two agents":               {"GET", liveAt(talk, "state", "&agentId=sara"), nil, mine, http.StatusBadRequest, "agentId"},
		"no text":                  {"POST", liveAt(talk, "message"), map[string]any{"id": "m1"}, mine, http.StatusBadRequest, "text"},
		"null":                     {"POST", liveAt(talk, "message"), with("text", nil), mine, http.StatusBadRequest, "text"},
		"white space":              {"POST", liveAt(talk, "message"), with("text", " \n"), mine, http.StatusBadRequest, "text"},
		"text of another type":     {"POST", liveAt(talk, "message"), with("text", 1), mine, http.StatusBadRequest, "text"},
		"a long text":              {"POST", liveAt(talk, "message"), with("text", strings.Repeat("é", channel.MaxText+1)), mine, http.StatusBadRequest, "text"},
		"a long id":                {"POST", liveAt(talk, "message"), with("id", strings.Repeat("i", 129)), mine, http.StatusBadRequest, "id"},
		"a bad phone":              {"POST", liveAt(talk, "message"), with("phone", "12"), mine, http.StatusBadRequest, "phone"},
		"a long language":          {"POST", liveAt(talk, "message"), with("language", strings.Repeat("e", 36)), mine, http.StatusBadRequest, "language"},
		"a long call session":      {"POST", liveAt(talk, "message"), with("callSessionId", strings.Repeat("c", 129)), mine, http.StatusBadRequest, "callSessionId"},
		"a call session of signs":  {"POST", liveAt(talk, "message"), with("callSessionId", "a\x00b"), mine, http.StatusBadRequest, "callSessionId"},
		"half a body":              {"POST", liveAt(talk, "message"), `{"text":`, mine, http.StatusBadRequest, ""},
		"a list":                   {"POST", liveAt(talk, "resync"), `[]`, mine, http.StatusBadRequest, ""},
		"too large":                {"POST", liveAt(talk, "message"), with("x", strings.Repeat("x", 64<<10)), mine, http.StatusRequestEntityTooLarge, ""},
		"never begun":              {"GET", liveAt(talk+"-2", "state"), nil, mine, http.StatusNotFound, ""},
		"reset, never begun":       {"POST", liveAt(talk+"-2", "reset"), nil, mine, http.StatusNotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, tt.method, tt.target, tt.body, tt.header...).Refuses(t, tt.status, tt.field)
		})
	}
	// Clients may be newer than the service is.
	s.Call(t, "POST", liveAt(talk+"-3", "message"), with("mood", "curious"), mine...).Wants(t, http.StatusOK, nil)
}

// Whoever comes back gets what came after the frame that they name; what is no frame of the conversation gives all of
// it, with a gap.
func TestLiveResync(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, talk := own()
	for _, id := range []string{"m1", "m2"} {
		s.Call(t, "POST", liveAt(talk, "message"), sayLive(id, "hello"), mine...).Wants(t, http.StatusOK, nil)
	}
	resync := func(t *testing.T, after string) (got api.LiveResync) {
		t.Helper()
		s.Call(t, "POST", liveAt(talk, "resync"), `{"lastEventId":`+after+`}`, mine...).Wants(t, http.StatusOK, &got)
		return got
	}
	all := resync(t, "null")
	if len(all.Events) != 2 || all.Events[0].Type != live.Final || all.State.Turn != 2 {
		t.Fatalf("all: %+v", all)
	}
	first, last := all.Events[0].Seq, all.Events[1].Seq
	for after, want := range map[string]struct {
		events int
		gap    bool
	}{
		fmt.Sprint(first): {1, false}, fmt.Sprintf("%q", fmt.Sprint(first)): {1, false}, fmt.Sprint(last): {0, false},
		"0": {2, true}, "-1": {2, true}, fmt.Sprint(last + 1): {2, true}, `"NaN"`: {2, true}, "1.5": {2, true}, "1e999": {2, true}, "{}": {2, true},
		"null": {2, false}, `""`: {2, false},
	} {
		if got := resync(t, after); len(got.Events) != want.events || got.Gap != want.gap {
			t.Errorf("after %s: %d events, gap %v; want %+v", after, len(got.Events), got.Gap, want)
		}
	}
}

// Frames and state of anybody's conversation are for staff, who name it or a call session that was in it.
func TestLiveDebug(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, talk := own()
	call := dynamotest.ID("call")
	body := sayLive("m1", "hello")
	body["callSessionId"] = call
	s.Call(t, "POST", liveAt(talk, "message"), body, mine...).Wants(t, http.StatusOK, nil)
	for _, target := range []string{liveAt(talk, "debug"), liveAt("any", "debug", "&callSessionId="+call), "/api/v2/conversations/" + talk + "/debug"} {
		var got api.LiveDebug
		s.Call(t, "GET", target, nil, apitest.Staff()...).Wants(t, http.StatusOK, &got)
		if got.State.CallSession != call || len(got.Events) == 0 {
			t.Errorf("%s: %+v", target, got)
		}
		s.Call(t, "GET", target, nil, mine...).Refuses(t, http.StatusUnauthorized, "")
		s.Call(t, "GET", target, nil, s.Issuer.Token(t, "ann")...).Refuses(t, http.StatusForbidden, "")
		s.Call(t, "GET", target, nil, s.Issuer.Token(t, "desk", "admin")...).Wants(t, http.StatusOK, nil)
	}
	s.Call(t, "GET", liveAt(talk+"-2", "debug"), nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	s.Call(t, "GET", liveAt(talk, "debug", "&callSessionId="+call+"-2"), nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}

// By a socket a client hears what it said by request while the reply is made, and is told what is wrong with what it
// sends.
func TestLiveBySocket(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, talk := own()
	query := url.Values{"agentId": {"merve"}, "conversationId": {talk}, "token": {mine[1]}, "callSessionId": {"c1"}}
	c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/live?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	hears := func(until func(live.Frame) bool) (texts string) {
		t.Helper()
		for {
			_, data, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var f live.Frame
			if err := json.Unmarshal(data, &f); err != nil {
				t.Fatalf("%v: %s", err, data)
			}
			if f.Type == live.Token {
				texts += f.Text
			}
			if until(f) {
				return texts
			}
		}
	}
	final := func(turn int) func(live.Frame) bool {
		return func(f live.Frame) bool { return f.Type == live.Final && f.Turn == turn }
	}
	hears(final(0)) // the greeting
	var a api.LiveAnswer
	s.Call(t, "POST", liveAt(talk, "message"), sayLive("m1", "sushi in Kyrenia"), mine...).Wants(t, http.StatusOK, &a)
	if said := hears(final(1)); said != a.Reply {
		t.Errorf("heard %q, answered %q", said, a.Reply)
	}
	for _, wrong := range []string{`{"type":"dance"}`, `{"type":"message"}`, `[]`, `{`} {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(wrong)); err != nil {
			t.Fatal(err)
		}
		hears(func(f live.Frame) bool { return f.Type == live.Error })
	}
	if err := c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	hears(func(f live.Frame) bool { return f.Type == "pong" })
	if err := c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"message","text":"and pizza?","id":"m2"}`)); err != nil {
		t.Fatal(err)
	}
	hears(final(2))
	var health api.LiveHealth
	s.Call(t, "GET", liveAt(talk, "health"), nil, mine...).Wants(t, http.StatusOK, &health)
	if health != (api.LiveHealth{Connections: 1, TurnID: 2}) {
		t.Errorf("health: %+v", health)
	}
	for _, bad := range []string{"conversationId=trip", "token=short", "phone=12&" + query.Encode(), "agentId=nobody&token=" + mine[1]} {
		_, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/live?"+bad, nil)
		if err == nil || resp == nil || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %v, %+v", bad, err, resp)
		}
	}
}

// Who has their data deleted is exported and erased with all conversations that they have named, and their sockets
// hear nothing more: what they send by them hangs them up.
func TestLiveConversationsAreExportedAndErased(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, talk := own()
	for _, name := range []string{talk, talk + "-2"} {
		s.Call(t, "POST", liveAt(name, "message"), sayLive("m1", "hello from "+name), mine...).Wants(t, http.StatusOK, nil)
	}
	query := url.Values{"agentId": {"merve"}, "conversationId": {talk}, "token": {mine[1]}}
	c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/live?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	owner, err := httpapi.Session(mine[1])
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Threads []struct {
			ThreadID string `json:"threadId"`
		} `json:"threads"`
	}
	s.Call(t, "GET", "/admin/api/threads?marketId=demo&owner="+url.QueryEscape(owner.Key()), nil, apitest.Staff()...).Wants(t, http.StatusOK, &found)
	if len(found.Threads) != 2 {
		t.Fatalf("staff find %+v", found)
	}
	data := "/admin/api/threads/" + found.Threads[0].ThreadID + "/data"
	export := s.Call(t, "GET", data, nil, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	for _, name := range []string{talk, talk + "-2"} {
		if !strings.Contains(string(export.Body), "hello from "+name) {
			t.Errorf("%s is not in the export: %s", name, export.Body)
		}
	}
	s.Call(t, "DELETE", data, nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	for _, name := range []string{talk, talk + "-2"} {
		var state live.State
		s.Call(t, "GET", liveAt(name, "state"), nil, mine...).Wants(t, http.StatusOK, &state)
		if len(state.History) > 0 || state.Connections > 0 {
			t.Errorf("%s: %+v", name, state)
		}
	}
	if err := c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = c.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("not hung up: %v", err)
	}
}

// Who sends more by a socket than anybody types is told so, and hung up when they go on.
func TestASocketThatSendsTooMuch(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, talk := own()
	query := url.Values{"agentId": {"merve"}, "conversationId": {talk}, "token": {mine[1]}}
	c, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/live?"+query.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	go func() {
		for c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"ping"}`)) == nil {
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), pausetest.Patience)
	defer cancel()
	refused := 0
	for {
		_, data, err := c.Read(ctx)
		if err != nil {
			if websocket.CloseStatus(err) != websocket.StatusGoingAway || refused == 0 {
				t.Errorf("hung up with %v, after %d refusals", err, refused)
			}
			return
		}
		if strings.Contains(string(data), "too much at once") {
			refused++
		}
	}
}

// What sessions say by sockets counts by the bound that counts their requests, and the answer is the same.
func TestMessagesBySocketAreLimited(t *testing.T) {
	t.Parallel()
	s := start(t)
	here := fmt.Sprintf("2001:db8:%x:%x::1", rand.IntN(1<<16), rand.IntN(1<<16))
	few := func(b *app.Process) { b.Config.AddressMessages = 3 }
	at, limited := s.SocketsWith(t, here, few), fromAddress(here, s.With(t, few))
	mine, talk := own()
	dial := func(token string) *websocket.Conn {
		t.Helper()
		query := url.Values{"agentId": {"merve"}, "conversationId": {talk}, "token": {token}}
		c, _, err := websocket.Dial(t.Context(), at+"/live?"+query.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.CloseNow() })
		return c
	}
	// said sends a message and what is answered at once, and gives the refusal that came before that answer.
	said := func(c *websocket.Conn, id string) (refusal string) {
		t.Helper()
		for _, data := range []string{`{"type":"message","text":"hello","id":"` + id + `"}`, `{"type":"ping"}`} {
			if err := c.Write(t.Context(), websocket.MessageText, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		for {
			_, data, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var f live.Frame
			if err := json.Unmarshal(data, &f); err != nil {
				t.Fatal(err)
			}
			switch f.Type {
			case live.Error:
				refusal = f.Text
			case "pong":
				return refusal
			}
		}
	}
	c := dial(mine[1]) // counts too: it may begin a call session
	if refusal := said(c, "m1"); refusal != "" {
		t.Errorf("the first is refused: %s", refusal)
	}
	s.CallTo(t, limited, "POST", liveAt(talk, "message"), sayLive("m2", "hello"), mine...).Wants(t, http.StatusOK, nil)
	refused := s.CallTo(t, limited, "POST", liveAt(talk, "message"), sayLive("m3", "hello"), mine...)
	refused.Refuses(t, http.StatusTooManyRequests, "")
	if refusal := said(c, "m3"); refusal == "" || !strings.Contains(string(refused.Body), refusal) {
		t.Errorf("by the socket %q, by request %s", refusal, refused.Body)
	}
	var state live.State
	s.Call(t, "GET", liveAt(talk, "state"), nil, mine...).Wants(t, http.StatusOK, &state)
	for _, l := range state.History {
		if l.Role == "user" && l.Content != "hello" || state.Turn > 2 {
			t.Errorf("state: %+v", state)
		}
	}
	user := s.Issuer.Token(t, dynamotest.ID("ann"))
	if refusal := said(dial(strings.TrimPrefix(user[1], "Bearer ")), "m1"); refusal != "" {
		t.Errorf("who is signed in is refused: %s", refusal)
	}
}
