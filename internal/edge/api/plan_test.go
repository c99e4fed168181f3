package api_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"merve/internal/app"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/words/claim"
	"merve/internal/words/standing"
)

const (
	planPath  = "/api/chat"
	resetPath = "/api/chat/reset"
)

func tracePath(conversation string) string { return "/api/chat/" + conversation + "/trace" }

// question is a body of POST /api/chat.
func question(conversation, prompt string) map[string]any {
	return map[string]any{"prompt": prompt, "conversationId": conversation}
}

// planAnswer is what POST /api/chat answers.
type planAnswer struct {
	ID, Message string
	Standing    *standing.Standing
}

// planTrace is what a trace holds.
type planTrace struct {
	Events []struct {
		ID, EventType, CorrelationID string
		Timestamp                    int64
		Payload                      map[string]any
	}
}

// has reports whether the trace has an event of a type.
func (tr planTrace) has(eventType string) bool {
	for _, e := range tr.Events {
		if e.EventType == eventType {
			return true
		}
	}
	return false
}

// trace reads the trace of a conversation.
func (s *service) trace(t *testing.T, conversation string, header ...string) (tr planTrace) {
	t.Helper()
	s.Call(t, "GET", tracePath(conversation), nil, header...).Wants(t, http.StatusOK, &tr)
	return tr
}

// own are the header of a new session, and a name for a conversation that nobody else has.
func own() (header []string, conversation string) {
	return []string{"x-session-id", apitest.SessionID()}, dynamotest.ID("errands")
}

var answerID = regexp.MustCompile(`^msg_[0-9]{13}_[a-z0-9]{6}$`)

// A question is answered, the trace tells how in the order of what causes what, and a reset leaves nothing of it.
func TestQuestionTraceReset(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, conversation := own()
	var a planAnswer
	s.Call(t, "POST", planPath, question(conversation, "What is 15 % of 340?"), mine...).Wants(t, http.StatusOK, &a)
	if !answerID.MatchString(a.ID) || !strings.Contains(a.Message, "51") {
		t.Errorf("%+v", a)
	}
	tr := s.trace(t, conversation, mine...)
	var order []string
	for _, e := range tr.Events {
		order = append(order, e.EventType)
		if e.CorrelationID != tr.Events[0].CorrelationID || e.Timestamp < tr.Events[0].Timestamp || e.ID == "" {
			t.Errorf("%+v", e)
		}
	}
	want := "UserQueryReceived PlanGenerated ToolInvocationRequested ToolInvocationResulted PlanCompleted SynthesizeFinalAnswerRequested FinalAnswerSynthesized"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if user := tr.Events[0].Payload["userId"]; user == "anonymous" || user == mine[1] {
		t.Errorf("asked by %v", user)
	}
	s.Call(t, "DELETE", resetPath, map[string]any{"conversationId": conversation}, mine...).Wants(t, http.StatusNoContent, nil)
	if tr := s.trace(t, conversation, mine...); len(tr.Events) > 0 {
		t.Errorf("after the reset: %+v", tr)
	}
}

// A conversation that a session or a user began is theirs; to all others it is not there. One that was begun with
// neither belongs to whoever knows its id.
func TestWhoseConversation(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, _ := own()
	other, _ := own()
	user, stranger := s.Issuer.Token(t, dynamotest.ID("ann")), s.Issuer.Token(t, dynamotest.ID("bob"))
	for name, tt := range map[string]struct {
		begins        []string
		reads, cannot [][]string
	}{
		"a session": {mine, [][]string{mine}, [][]string{nil, other, user}},
		"a user":    {user, [][]string{user, append([]string{"x-session-id", mine[1]}, user...)}, [][]string{nil, mine, stranger}},
		"nobody":    {nil, [][]string{nil, mine, user}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conversation := uuid.NewString()
			reset := map[string]any{"conversationId": conversation}
			s.Call(t, "POST", planPath, question(conversation, "What is 2 + 2?"), tt.begins...).Wants(t, http.StatusOK, nil)
			for _, who := range tt.cannot {
				s.Call(t, "GET", tracePath(conversation), nil, who...).Refuses(t, http.StatusNotFound, "")
				s.Call(t, "POST", planPath, question(conversation, "What is 2 + 3?"), who...).Refuses(t, http.StatusNotFound, "")
				s.Call(t, "DELETE", resetPath, reset, who...).Refuses(t, http.StatusNotFound, "")
			}
			for _, who := range tt.reads {
				if !s.trace(t, conversation, who...).has("FinalAnswerSynthesized") {
					t.Errorf("%v reads no answer", who)
				}
			}
			last := tt.reads[len(tt.reads)-1]
			s.Call(t, "POST", planPath, question(conversation, "What is 2 + 3?"), last...).Wants(t, http.StatusOK, nil)
			s.Call(t, "DELETE", resetPath, reset, last...).Wants(t, http.StatusNoContent, nil)
		})
	}
	nowhere := uuid.NewString()
	s.Call(t, "GET", tracePath(nowhere), nil, mine...).Refuses(t, http.StatusNotFound, "")
	s.Call(t, "DELETE", resetPath, map[string]any{"conversationId": nowhere}, mine...).Refuses(t, http.StatusNotFound, "")
}

// What is wrong with a question is said by its field.
func TestWrongQuestions(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, conversation := own()
	id := uuid.NewString()
	for name, tt := range map[string]struct {
		body   map[string]any
		header []string
		field  string
	}{
		"no prompt":                  {map[string]any{"conversationId": conversation}, mine, "prompt"},
		"null":                       {map[string]any{"conversationId": conversation, "prompt": nil}, mine, "prompt"},
		"white space":                {question(conversation, " \n\t"), mine, "prompt"},
		"too long":                   {question(conversation, strings.Repeat("é", 4001)), mine, "prompt"},
		"no conversation":            {map[string]any{"prompt": "hello"}, mine, "conversationId"},
		"no name of a conversation":  {question("a b", "hello"), mine, "conversationId"},
		"a name that all may guess":  {question("errands", "hello"), nil, "conversationId"},
		"nearly a UUID":              {question(id+"0", "hello"), nil, "conversationId"},
		"a short session":            {question(conversation, "hello"), []string{"x-session-id", "short"}, "sessionId"},
		"another standing":           {map[string]any{"conversationId": conversation, "prompt": "hello", "standing": "below"}, mine, "standing"},
		"a prompt that is no string": {map[string]any{"conversationId": conversation, "prompt": 7}, mine, "prompt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.Call(t, "POST", planPath, tt.body, tt.header...).Refuses(t, http.StatusBadRequest, tt.field)
		})
	}
	s.Call(t, "POST", planPath, question(conversation, "hello"), "Authorization", "Bearer x").Refuses(t, http.StatusUnauthorized, "")
	s.Call(t, "DELETE", resetPath, map[string]any{}, mine...).Refuses(t, http.StatusBadRequest, "conversationId")
	s.Call(t, "POST", planPath, question(conversation, strings.Repeat("7", 3998)+"+1"), mine...).Wants(t, http.StatusOK, nil)
	s.Call(t, "GET", tracePath(conversation)+"?unknown=1", nil, mine...).Wants(t, http.StatusOK, nil)
	s.Call(t, "GET", tracePath(conversation)+"?limit=%zz", nil, mine...).Refuses(t, http.StatusBadRequest, "")
}

// An answer that takes longer than the gateway waits comes later, to the trace.
func TestAnswerComesLater(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, conversation := own()
	word := dynamotest.ID("slow")
	held := s.Model.Hold(word)
	defer held.LetGo()
	front := s.With(t, func(b *app.Process) { b.Config.Patience = 3 * time.Second }) // the question is stored by then, on a busy machine too
	var a planAnswer
	r := s.CallTo(t, front, "POST", planPath, question(conversation, "What do you think of "+word+"?"), mine...).Wants(t, http.StatusAccepted, &a)
	if at := r.Header.Get("Location"); at != tracePath(conversation) || !answerID.MatchString(a.ID) || a.Message != "" {
		t.Errorf("Location %q, %+v", at, a)
	}
	if tr := s.trace(t, conversation, mine...); !tr.has("UserQueryReceived") || tr.has("FinalAnswerSynthesized") {
		t.Errorf("meanwhile: %+v", tr)
	}
	held.LetGo()
	s.Call(t, "POST", planPath, question(conversation, "What is 2 + 2?"), mine...).Wants(t, http.StatusOK, nil) // answered in order
	if tr := s.trace(t, conversation, mine...); !strings.Contains(tr.answers(), "4") || strings.Count(tr.answers(), "\n") != 2 {
		t.Errorf("answers: %q", tr.answers())
	}
}

// answers are the answers of a trace, a line each.
func (tr planTrace) answers() string {
	var b strings.Builder
	for _, e := range tr.Events {
		if e.EventType == "FinalAnswerSynthesized" {
			text, _ := e.Payload["finalAnswer"].(string)
			b.WriteString(strings.ReplaceAll(text, "\n", " ") + "\n")
		}
	}
	return b.String()
}

// Whoever waits for an answer when the conversation is reset is told.
func TestResetWhileSomebodyWaits(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, conversation := own()
	word := dynamotest.ID("gone")
	held := s.Model.Hold(word)
	defer held.LetGo()
	got := make(chan answer, 1)
	go func() {
		a, err := s.Send(t.Context(), nil, "POST", planPath, question(conversation, "What do you think of "+word+"?"), mine...)
		if err != nil {
			t.Error(err)
		}
		got <- a
	}()
	<-held.Asked
	s.Call(t, "DELETE", resetPath, map[string]any{"conversationId": conversation}, mine...).Wants(t, http.StatusNoContent, nil)
	held.LetGo()
	select {
	case a := <-got:
		apitest.OpenAPI(t).Check(t, "POST", planPath, a)
		a.Refuses(t, http.StatusConflict, "")
	case <-time.After(pausetest.Patience):
		t.Fatal("no answer")
	}
}

// No more than 20 questions of a conversation wait.
func TestTooManyQuestions(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, conversation := own()
	word := dynamotest.ID("many")
	held := s.Model.Hold(word)
	defer held.LetGo()
	front := s.With(t, func(b *app.Process) { b.Config.Patience = time.Millisecond })
	for range 20 {
		a, err := s.Send(t.Context(), front, "POST", planPath, question(conversation, "What do you think of "+word+"?"), mine...)
		if err != nil {
			t.Fatal(err)
		}
		a.Wants(t, http.StatusAccepted, nil)
	}
	s.Call(t, "POST", planPath, question(conversation, "What is 2 + 2?"), mine...).Refuses(t, http.StatusTooManyRequests, "")
}

// A model that lies in each of its answers is not heard: no claim, link or number of its own goes out, in the message or the trace,
// and the message ends with the line that nothing was done. Who wants the line apart gets it apart.
func TestALyingModelOfPlans(t *testing.T) {
	t.Parallel()
	s := start(t)
	lie := ""
	liar := openaitest.New(t)
	liar.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: lie} } // also where it is to plan
	front := s.With(t, func(b *app.Process) { b.Config.OpenAIBaseURL = liar.URL() })
	line := "○ " + standing.Say("en", standing.Empty)
	for _, lie = range []string{
		"I have booked your table for tomorrow at 19:00.", "Your refund was issued.", "I cancelled your reservation.",
		"Your order is confirmed and has been sent to the restaurant.", "Your payment went through, here is your receipt.",
		"Pay at https://evil.com/pay or call +90 533 111 22 33.",
	} {
		mine, conversation := own()
		ask := question(conversation, "What about my table?")
		for _, apart := range []bool{false, true} {
			if apart {
				ask["standing"] = "apart"
			}
			var a planAnswer
			s.CallTo(t, front, "POST", planPath, ask, mine...).Wants(t, http.StatusOK, &a)
			beside := a.Standing != nil && a.Standing.Text == line && a.Standing.Kind == standing.Nothing
			if beside != apart || !apart && !strings.HasSuffix(a.Message, line) || apart && strings.Contains(a.Message, "\n\n"+line) {
				t.Errorf("%q: %+v, %+v", lie, a, a.Standing)
			}
			said := a.Message + "\n" + s.trace(t, conversation, mine...).answers()
			if found := claim.Find(said); len(found) > 0 || strings.Contains(said, "evil") || strings.Contains(said, "533") {
				t.Errorf("%q: %q goes out, which claims %v", lie, said, found)
			}
		}
	}
}
