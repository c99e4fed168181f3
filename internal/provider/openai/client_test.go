package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/model/llm"
	"merve/internal/provider/openai"
	"merve/internal/provider/openai/openaitest"
)

var _ llm.Model = (*openai.Client)(nil)

// naps records the waits between attempts in the place of sleeping.
type naps struct {
	mu sync.Mutex
	d  []time.Duration
}

func (n *naps) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.d = append(n.d, d)
	return ctx.Err()
}

func client(t *testing.T, s *openaitest.Server, change func(*openai.Config)) (*openai.Client, *naps) {
	t.Helper()
	n := new(naps)
	conf := openai.Config{BaseURL: s.URL(), Key: openaitest.Key, Model: "gpt-4o-mini", HTTP: s.Client(),
		Retry: llm.Retry{Sleep: n.sleep, Backoff: func(n int) time.Duration { return 300 * time.Millisecond << (n - 1) }}}
	if change != nil {
		change(&conf)
	}
	c, err := openai.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	return c, n
}

const searchSchema = `{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":["integer","null"]}},
	"required":["query","limit"],"additionalProperties":false}`

func hello() llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.System, Text: "be kind"}, {Role: llm.User, Text: "hello"}}}
}

// full is a request that uses everything: images, several calls, results, an illegal
// name and arguments that are no JSON in its history, tools with and without properties.
func full() llm.Request {
	return llm.Request{
		Model: "gpt-other", MaxTokens: 300, ParallelCalls: true, Seed: "whatsapp:+15550100",
		Messages: []llm.Message{
			{Role: llm.System, Text: "be kind"},
			{Role: llm.User, Text: "what is this?", Images: []string{"https://img.test/a.png", "data:image/png;base64,AAAA"}},
			{Role: llm.User, Images: []string{"https://img.test/b.png"}},
			{Role: llm.Assistant, Calls: []llm.Call{
				{ID: "a", Name: "search", Args: []byte(` {"query":"x","limit":null} `)},
				{ID: "b", Name: "functions.search\n" + strings.Repeat("x", 80), Args: []byte(`{"query":`)},
				{ID: "c", Name: ""}}},
			{Role: llm.ToolRole, CallID: "b", Text: `{"error":"not JSON"}`},
			{Role: llm.ToolRole, CallID: "a", Text: `{"listings":[]}`},
			{Role: llm.ToolRole, CallID: "c"},
			{Role: llm.Assistant, Text: "let me look again", Calls: []llm.Call{{ID: "a", Name: "bookings", Args: []byte("{}")}}},
			{Role: llm.ToolRole, CallID: "a", Text: "{}"},
			{Role: llm.Assistant, Text: "nothing"},
			{Role: llm.User, Text: "thanks"},
		},
		Tools: []llm.Spec{
			{Name: "search", Description: "Finds things.", Schema: json.RawMessage(searchSchema)},
			{Name: "bookings", Description: "Lists bookings.", Schema: json.RawMessage(`{"type":"object","additionalProperties":false}`)},
			{Name: "ping", Description: "Nothing at all."},
		},
	}
}

func TestRequestOnTheWire(t *testing.T) {
	t.Parallel()
	s := openaitest.New(t)
	c, _ := client(t, s, nil)
	if _, err := c.Complete(context.Background(), full()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Complete(context.Background(), hello()); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(s.Requests()[0].Body, &got); err != nil {
		t.Fatal(err)
	}
	messages := got["messages"].([]any)
	calls := messages[3].(map[string]any)["tool_calls"].([]any)
	function := func(i int) map[string]any { return calls[i].(map[string]any)["function"].(map[string]any) }
	tests := []struct {
		what      string
		got, want any
	}{
		{"model", got["model"], "gpt-other"},
		{"max_completion_tokens", got["max_completion_tokens"], 300.0},
		{"parallel_tool_calls", got["parallel_tool_calls"], true},
		{"stream", got["stream"], false},
		{"seed stays here", strings.Contains(string(s.Requests()[0].Body), "5550100"), false},
		{"user is a hash", len(got["user"].(string)), 32},
		{"content beside calls only", messages[3].(map[string]any)["content"], nil},
		{"arguments as sent", function(0)["arguments"], `{"query":"x","limit":null}`},
		{"arguments that are no JSON", function(1)["arguments"], "{}"},
		{"invented name", function(1)["name"], ("functions_search_" + strings.Repeat("x", 80))[:64]},
		{"no name", function(2)["name"], "unnamed"},
		{"empty result", messages[6].(map[string]any)["content"], "{}"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.what, diff)
		}
	}
	other := full()
	other.Seed += "1"
	var third struct{ User string }
	if _, err := c.Complete(context.Background(), other); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(s.Requests()[2].Body, &third); err != nil || third.User == got["user"] {
		t.Errorf("%v: somebody else is %q, too", err, third.User)
	}
	plain := string(s.Requests()[1].Body)
	for _, absent := range []string{"parallel_tool_calls", "tools", "max_completion_tokens", `"user":`, "reasoning_effort", "stream_options"} {
		if strings.Contains(plain, absent) {
			t.Errorf("a plain request holds %s: %s", absent, plain)
		}
	}
}

func TestReasoningEffort(t *testing.T) {
	t.Parallel()
	tests := []struct {
		model string
		asked llm.Effort
		tools bool
		want  any
	}{
		{"gpt-5.6-luna", "", true, "none"}, {"gpt-6-luna", "", true, "none"}, {"gpt-6.1-terra", "", true, "none"},
		{"gpt-6-luna", "", false, nil}, {"gpt-5-mini", "", true, nil}, {"gpt-4o-mini", "", true, nil},
		{"gpt-5-mini", llm.LowEffort, true, "low"}, {"gpt-6-luna", "high", false, "high"}, {"gpt-6-luna", "high", true, "none"},
		{"somebody-elses", llm.LowEffort, false, "low"}, {"gpt-4o-mini", llm.LowEffort, false, nil}, {"openai/gpt-4.1", llm.LowEffort, true, nil},
	}
	for _, tt := range tests {
		s := openaitest.New(t)
		c, _ := client(t, s, nil)
		req := hello()
		req.Model, req.Effort = tt.model, tt.asked
		if tt.tools {
			req.Tools = full().Tools
		}
		if _, err := c.Complete(context.Background(), req); err != nil {
			t.Errorf("%s: %v", tt.model, err)
			continue
		}
		var got map[string]any
		if err := json.Unmarshal(s.Requests()[0].Body, &got); err != nil {
			t.Fatal(err)
		}
		if got["reasoning_effort"] != tt.want {
			t.Errorf("%s with tools %v, asked for %q: got %v, want %v", tt.model, tt.tools, tt.asked, got["reasoning_effort"], tt.want)
		}
	}
}

const verdictSchema = `{"type":"object","properties":{"yes":{"type":"boolean"},"why":{"type":["string","null"]}},
	"required":["yes","why"],"additionalProperties":false}`

func TestSchemaAndToolChoiceOnTheWire(t *testing.T) {
	t.Parallel()
	s := openaitest.New(t)
	c, _ := client(t, s, nil)
	tools := full().Tools
	tests := []struct {
		name   string
		change func(*llm.Request)
		choice any
	}{
		{"auto", func(r *llm.Request) { r.Tools = tools }, nil},
		{"none", func(r *llm.Request) { r.Tools, r.ToolChoice = tools, llm.ToolNone }, "none"},
		{"none of no tools", func(r *llm.Request) { r.ToolChoice = llm.ToolNone }, nil},
		{"required", func(r *llm.Request) { r.Tools, r.ToolChoice = tools, llm.ToolRequired }, "required"},
		{"named", func(r *llm.Request) { r.Tools, r.ToolChoice = tools, "search" },
			map[string]any{"type": "function", "function": map[string]any{"name": "search"}}},
	}
	for _, tt := range tests {
		req := hello()
		tt.change(&req)
		req.Schema = &llm.Schema{Name: "verdict", JSON: json.RawMessage(verdictSchema)}
		s.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: `{"yes":true,"why":null}`} }
		if r, err := c.Complete(t.Context(), req); err != nil || r.Text != `{"yes":true,"why":null}` {
			t.Errorf("%s: %q, %v", tt.name, r.Text, err)
			continue
		}
		var got struct {
			Choice any `json:"tool_choice"`
			Format struct {
				Type   string
				Schema struct {
					Name   string
					Strict bool
					Schema json.RawMessage
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.Unmarshal(s.Requests()[len(s.Requests())-1].Body, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.choice, got.Choice); diff != "" {
			t.Errorf("%s: tool_choice (-want +got):\n%s", tt.name, diff)
		}
		if f := got.Format; f.Type != "json_schema" || f.Schema.Name != "verdict" || !f.Schema.Strict || len(f.Schema.Schema) < 100 {
			t.Errorf("%s: response_format is %+v", tt.name, f)
		}
	}
}

func TestModelThatTakesNoToolsHere(t *testing.T) {
	t.Parallel()
	s := openaitest.New(t)
	c, _ := client(t, s, nil)
	req := full()
	req.Model = "gpt-6-astra"
	if _, err := c.Complete(context.Background(), req); llm.MeaningOf(err) != llm.Refused || !strings.Contains(err.Error(), "Responses API") {
		t.Errorf("got %v, want a refusal that names the reason", err)
	}
	if len(s.Requests()) != 0 {
		t.Error("asked all the same")
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	def := llm.Usage{Input: 20, Cached: 8, Output: 5}
	call := func(id, name, args string) llm.Call { return llm.Call{ID: id, Name: name, Args: []byte(args)} }
	two := []openaitest.Call{{ID: "a", Name: "search", Args: `{"query":"sushi","limit":null}`}, {ID: "b", Name: "bookings", Args: `{}`}}
	tests := []struct {
		name   string
		answer openaitest.Answer
		want   llm.Response
	}{
		{"text", openaitest.Answer{Text: "Merhaba, nasılsın?"}, llm.Response{Text: "Merhaba, nasılsın?", Finish: "stop"}},
		{"calls", openaitest.Answer{Calls: two}, llm.Response{Finish: "tool_calls",
			Calls: []llm.Call{call("a", "search", two[0].Args), call("b", "bookings", "{}")}}},
		{"text and call", openaitest.Answer{Text: "Looking.", Calls: two[:1]}, llm.Response{Text: "Looking.", Finish: "tool_calls",
			Calls: []llm.Call{call("a", "search", two[0].Args)}}},
		{"arguments that are no JSON", openaitest.Answer{Calls: []openaitest.Call{{ID: "a", Name: "search", Args: `{"query":`}}},
			llm.Response{Finish: "tool_calls", Calls: []llm.Call{call("a", "search", `{"query":`)}}},
		{"calls without ids", openaitest.Answer{Calls: []openaitest.Call{{Name: "x", Args: "{}"}, {Name: "y", Args: "{}"}}},
			llm.Response{Finish: "tool_calls", Calls: []llm.Call{call("call_0", "x", "{}"), call("call_1", "y", "{}")}}},
		{"ids that clash", openaitest.Answer{Calls: []openaitest.Call{{ID: "call_1", Name: "x", Args: "{}"}, {Name: "y", Args: "{}"}, {ID: "call_1", Name: "z", Args: "{}"}}},
			llm.Response{Finish: "tool_calls", Calls: []llm.Call{call("call_1", "x", "{}"), call("call_2", "y", "{}"), call("call_3", "z", "{}")}}},
		{"refusal", openaitest.Answer{Refusal: "I can't help with that."}, llm.Response{Text: "I can't help with that.", Finish: "stop"}},
		{"its own name", openaitest.Answer{Text: "x", Model: "gpt-test-2026-01-02"}, llm.Response{Text: "x", Finish: "stop", Model: "gpt-test-2026-01-02"}},
	}
	for _, tt := range tests {
		if tt.want.Model == "" {
			tt.want.Model = "gpt-4o-mini"
		}
		tt.want.Usage = def
		s := openaitest.New(t, tt.answer, tt.answer)
		c, _ := client(t, s, nil)
		got, err := c.Complete(context.Background(), hello())
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
		var said strings.Builder
		got, err = c.Stream(context.Background(), hello(), write(&said))
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s, streamed: %v (-want +got):\n%s", tt.name, err, diff)
		}
		if said.String() != tt.want.Text {
			t.Errorf("%s, streamed: said %q, want %q", tt.name, said.String(), tt.want.Text)
		}
	}
}

func TestField44_ThoughtsOnTheWire(t *testing.T) {
	t.Parallel()
	for _, a := range []openaitest.Answer{
		{Text: "Hello!", Thought: "They greet."},
		{Text: "<think>They greet.</think>Hello!", Pieces: 20},
	} {
		for _, way := range []string{"complete", "stream"} {
			c, _ := client(t, openaitest.New(t, a), nil)
			if got, err := ask(c, way); err != nil || got.Text != "Hello!" {
				t.Errorf("%+v, %s: %q, %v", a, way, got.Text, err)
			}
		}
	}
}

func TestField45_AskedAgainWithRoom(t *testing.T) {
	t.Parallel()
	const nothing = `{"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":1200}}`
	s := openaitest.New(t, openaitest.Answer{Raw: nothing}, openaitest.Answer{Text: "Hello!"})
	c, _ := client(t, s, nil)
	req := hello()
	req.Model, req.MaxTokens = "gpt-5-mini", 1200
	if got, err := c.Complete(t.Context(), req); err != nil || got.Text != "Hello!" || got.Usage.Output != 1205 {
		t.Errorf("%+v, %v", got, err)
	}
	var again struct {
		Room   int    `json:"max_completion_tokens"`
		Effort string `json:"reasoning_effort"`
	}
	if err := json.Unmarshal(s.Requests()[1].Body, &again); err != nil || again.Room <= 1200 || again.Effort != "low" {
		t.Errorf("asked again with %+v, %v", again, err)
	}
}

func TestStreamedCallsOfSloppyEndpoints(t *testing.T) {
	t.Parallel()
	calls := []openaitest.Call{{ID: "a", Name: "search", Args: `{"query":"sushi","limit":3}`}, {ID: "b", Name: "bookings", Args: `{ }`}}
	want := []llm.Call{{ID: "a", Name: "search", Args: []byte(calls[0].Args)}, {ID: "b", Name: "bookings", Args: []byte(calls[1].Args)}}
	for _, a := range []openaitest.Answer{
		{Calls: calls, Pieces: 100},
		{Calls: calls, Repeat: true},
		{Calls: calls, NoIndex: true},
		{Calls: calls, NoIndex: true, Repeat: true},
		{Calls: calls, NoUsage: true},
	} {
		s := openaitest.New(t, a)
		c, _ := client(t, s, nil)
		got, err := c.Stream(context.Background(), hello(), silent)
		if diff := cmp.Diff(want, got.Calls); diff != "" || err != nil {
			t.Errorf("%+v: %v (-want +got):\n%s", a, err, diff)
		}
		if got.Usage.Output == 0 || got.Usage.Input == 0 {
			t.Errorf("%+v: usage %+v counts nothing", a, got.Usage)
		}
	}
}

// An answer that streams calls without end is not kept in memory.
func TestStreamOfTooManyCalls(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]llm.Meaning{128: "", 129: llm.Malformed} {
		s := openaitest.New(t, openaitest.Answer{Calls: slices.Repeat([]openaitest.Call{{Name: "search", Args: "{}"}}, n)})
		c, _ := client(t, s, nil)
		if _, err := c.Stream(context.Background(), hello(), silent); want == "" && err != nil || want != "" && llm.MeaningOf(err) != want {
			t.Errorf("%d calls: %v, want %q", n, err, want)
		}
	}
}

func TestUsageIsEstimatedWhereNoneIsCounted(t *testing.T) {
	t.Parallel()
	s := openaitest.New(t, openaitest.Answer{Text: strings.Repeat("word ", 80), NoUsage: true})
	c, _ := client(t, s, nil)
	got, err := c.Complete(context.Background(), full())
	if err != nil || got.Usage.Output < 90 || got.Usage.Output > 110 || got.Usage.Input < 50 || got.Usage.Cached != 0 {
		t.Errorf("got %+v, %v, want about 100 tokens out and some in", got.Usage, err)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	ok := openaitest.Answer{Text: "at last"}
	status := func(n int) openaitest.Answer { return openaitest.Answer{Status: n} }
	tests := []struct {
		name    string
		answers []openaitest.Answer
		meaning llm.Meaning // "" for success
		asked   int
		waits   []time.Duration
	}{
		{"overloaded once", []openaitest.Answer{status(503), ok}, "", 2, []time.Duration{300 * time.Millisecond}},
		{"limited twice", []openaitest.Answer{status(429), status(429), ok}, "", 3, []time.Duration{300 * time.Millisecond, 600 * time.Millisecond}},
		{"a time-out", []openaitest.Answer{status(408), ok}, "", 2, []time.Duration{300 * time.Millisecond}},
		{"a conflict", []openaitest.Answer{status(409), ok}, "", 2, []time.Duration{300 * time.Millisecond}},
		{"a proxy's page", []openaitest.Answer{{Status: 502, Plain: true}, ok}, "", 2, []time.Duration{300 * time.Millisecond}},
		{"dropped", []openaitest.Answer{{Drop: true}, ok}, "", 2, []time.Duration{300 * time.Millisecond}},
		{"told when", []openaitest.Answer{{Status: 429, RetryAfter: "7"}, ok}, "", 2, []time.Duration{7 * time.Second}},
		{"told at what time", []openaitest.Answer{{Status: 429, RetryAfter: "Sat, 21 Nov 2026 10:00:09 GMT"}, ok}, "", 2, []time.Duration{9 * time.Second}},
		{"told nonsense", []openaitest.Answer{{Status: 429, RetryAfter: "soon"}, ok}, "", 2, []time.Duration{300 * time.Millisecond}},
		{"told to come back much later", []openaitest.Answer{{Status: 429, RetryAfter: "3600"}, ok}, llm.Unavailable, 1, nil},
		{"never up", []openaitest.Answer{status(500), status(500), status(500), ok}, llm.Unavailable, 3, []time.Duration{300 * time.Millisecond, 600 * time.Millisecond}},
		{"bad request", []openaitest.Answer{status(400), ok}, llm.Refused, 1, nil},
		{"bad request of a proxy", []openaitest.Answer{{Status: 403, Plain: true}, ok}, llm.Refused, 1, nil},
		{"no such model", []openaitest.Answer{{Status: 404, Code: "model_not_found"}, ok}, llm.Refused, 1, nil},
		{"no money", []openaitest.Answer{{Status: 429, Code: "insufficient_quota"}, ok}, llm.Refused, 1, nil},
	}
	for _, tt := range tests {
		for _, way := range []string{"complete", "stream"} {
			s := openaitest.New(t, tt.answers...)
			c, naps := client(t, s, func(conf *openai.Config) {
				conf.Retry.Now = func() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }
			})
			got, err := ask(c, way)
			if tt.meaning == "" && (err != nil || got.Text != "at last") {
				t.Errorf("%s, %s: got %q, %v", tt.name, way, got.Text, err)
			}
			if tt.meaning != "" && llm.MeaningOf(err) != tt.meaning {
				t.Errorf("%s, %s: got %v, want %s", tt.name, way, err, tt.meaning)
			}
			if n := len(s.Requests()); n != tt.asked {
				t.Errorf("%s, %s: asked %d times, want %d", tt.name, way, n, tt.asked)
			}
			if diff := cmp.Diff(tt.waits, naps.d); diff != "" {
				t.Errorf("%s, %s: waits (-want +got):\n%s", tt.name, way, diff)
			}
		}
	}
}

func silent(string) error { return nil }

// write keeps what is said.
func write(said *strings.Builder) func(string) error {
	return func(delta string) error { said.WriteString(delta); return nil }
}

func ask(c *openai.Client, way string) (llm.Response, error) {
	if way == "stream" {
		return c.Stream(context.Background(), hello(), silent)
	}
	return c.Complete(context.Background(), hello())
}

func TestRetryAfterIsPassedOn(t *testing.T) {
	t.Parallel()
	s := openaitest.New(t, openaitest.Answer{Status: 429, RetryAfter: "120"})
	c, _ := client(t, s, nil)
	_, err := c.Complete(context.Background(), hello())
	var e *llm.Error
	if !errors.As(err, &e) || e.RetryAfter != 2*time.Minute {
		t.Errorf("got %v, want to be told of two minutes", err)
	}
}

// OpenAI says it in milliseconds, too, and those are nearer the truth.
func TestRetryAfterInMilliseconds(t *testing.T) {
	t.Parallel()
	for ms, want := range map[string]time.Duration{"1500": 1500 * time.Millisecond, "soon": 9 * time.Second, "-1": 9 * time.Second, "1e9": 9 * time.Second} {
		c, err := openai.New(openai.Config{BaseURL: "http://llm.test/v1", Retry: llm.Retry{Attempts: 1}, HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusTooManyRequests, Body: http.NoBody, Request: r,
				Header: http.Header{"Retry-After-Ms": {ms}, "Retry-After": {"9"}}}, nil
		})}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Complete(context.Background(), hello())
		var e *llm.Error
		if !errors.As(err, &e) || e.RetryAfter != want {
			t.Errorf("%s ms: got %v, want to be told of %s", ms, err, want)
		}
	}
}

func TestNoAttemptThatCannotMakeIt(t *testing.T) {
	t.Parallel()
	s := openaitest.New(t, openaitest.Answer{Status: 429, RetryAfter: "30"})
	c, naps := client(t, s, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := c.Complete(ctx, hello()); llm.MeaningOf(err) != llm.Unavailable || len(naps.d) != 0 {
		t.Errorf("got %v after waits %v, want to give up at once", err, naps.d)
	}
}

func TestUnusableAnswers(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]openaitest.Answer{
		"no choices":        {Empty: true},
		"nothing said":      {Raw: `{"choices":[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":9,"completion_tokens":0}}`},
		"not JSON":          {Raw: `<html>hello</html>`},
		"JSON of elsewhere": {Raw: `{"choices":"none"}`},
	} {
		s := openaitest.New(t, a)
		c, _ := client(t, s, nil)
		got, err := c.Complete(context.Background(), hello())
		if llm.MeaningOf(err) != llm.Malformed {
			t.Errorf("%s: got %v, want malformed", name, err)
		}
		if name == "nothing said" && got.Usage.Input != 9 {
			t.Errorf("%s: usage %+v is lost", name, got.Usage)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}

func TestSlowAttemptIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"complete", "stream"} {
		s := openaitest.New(t, openaitest.Answer{Hang: true}, openaitest.Answer{Text: "at last"})
		c, _ := client(t, s, func(conf *openai.Config) { conf.Retry.Timeout = 100 * time.Millisecond })
		if got, err := ask(c, way); err != nil || got.Text != "at last" {
			t.Errorf("%s: got %q, %v", way, got.Text, err)
		}
	}
}

func TestContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	s := openaitest.New(t)
	s.Answer = func(openaitest.Request) openaitest.Answer {
		cancel()
		return openaitest.Answer{Hang: true}
	}
	c, _ := client(t, s, nil)
	_, err := c.Complete(ctx, hello())
	if llm.MeaningOf(err) != llm.Unavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want unavailable with context.Canceled in the chain", err)
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("asked %d times after the context ended", n)
	}
}

func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	text := "one two three four"
	tests := []struct {
		name  string
		first openaitest.Answer
		said  string // what is out before it breaks
	}{
		{"cut before any text", openaitest.Answer{Text: text, Cut: 1}, ""},
		{"cut inside calls", openaitest.Answer{Calls: []openaitest.Call{{ID: "a", Name: "x", Args: `{"a":1}`}}, Cut: 3}, ""},
		{"cut inside the text", openaitest.Answer{Text: text, Cut: 2}, "one tw"},
		{"ended inside the text", openaitest.Answer{Text: text, Early: 2}, "one tw"},
		{"silent inside the text", openaitest.Answer{Text: text, HangAt: 2}, "one tw"},
		{"failed inside the text", openaitest.Answer{Text: text, MidError: "server_error"}, "one tw"},
	}
	for _, tt := range tests {
		s := openaitest.New(t, tt.first, openaitest.Answer{Text: "again"})
		c, _ := client(t, s, func(conf *openai.Config) { conf.Retry.Timeout = 200 * time.Millisecond })
		var said strings.Builder
		got, err := c.Stream(context.Background(), hello(), write(&said))
		if tt.said == "" {
			if err != nil || said.String() != "again" || len(s.Requests()) != 2 {
				t.Errorf("%s: said %q, %v, asked %d times, want a second attempt", tt.name, said.String(), err, len(s.Requests()))
			}
			continue
		}
		if llm.MeaningOf(err) != llm.Unavailable || said.String() != tt.said || got.Text != tt.said || len(s.Requests()) != 1 {
			t.Errorf("%s: said %q, got %q, %v, asked %d times, want %q and no second attempt",
				tt.name, said.String(), got.Text, err, len(s.Requests()), tt.said)
		}
	}
}

func TestBadHistoryIsNotSent(t *testing.T) {
	t.Parallel()
	s := openaitest.New(t)
	c, _ := client(t, s, nil)
	req := hello()
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "a", Name: "x"}}})
	bad := hello()
	bad.Tools = []llm.Spec{{Name: "no spaces", Schema: json.RawMessage(searchSchema)}}
	broken := hello()
	broken.Tools = []llm.Spec{{Name: "x", Schema: json.RawMessage(`{`)}}
	nameless, unreadable, deep, choosy := hello(), hello(), hello(), hello()
	nameless.Schema = &llm.Schema{JSON: json.RawMessage(verdictSchema)}
	unreadable.Schema = &llm.Schema{Name: "x", JSON: json.RawMessage(`{`)}
	deep.Schema = &llm.Schema{Name: "x", JSON: nested(llm.MaxDepth + 1)}
	choosy.ToolChoice = llm.ToolRequired
	for _, req := range []llm.Request{req, bad, broken, nameless, unreadable, deep, choosy, {}} {
		if _, err := c.Complete(context.Background(), req); llm.MeaningOf(err) != llm.Refused {
			t.Errorf("got %v, want refused", err)
		}
	}
	if len(s.Requests()) != 0 {
		t.Error("sent all the same")
	}
}

// nested is a schema of objects so deep.
func nested(depth int) json.RawMessage {
	inner := json.RawMessage(`{"type":"string"}`)
	for range depth {
		inner = fmt.Appendf(nil, `{"type":"object","properties":{"x":%s},"required":["x"],"additionalProperties":false}`, inner)
	}
	return inner
}

func TestDeepestSchema(t *testing.T) {
	t.Parallel()
	c, _ := client(t, openaitest.New(t, openaitest.Answer{Text: "{}"}), nil)
	req := hello()
	req.Schema = &llm.Schema{Name: "x", JSON: nested(llm.MaxDepth)}
	if _, err := c.Complete(t.Context(), req); err != nil {
		t.Error(err)
	}
}

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestErrorsHoldNoSecrets: providers quote the request and the key in what they say.
func TestErrorsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	leaky := func(status int, body string) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{},
				Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
	}
	const quoted = `"Incorrect API key test-key-not-real, you said hello"`
	for _, rt := range []http.RoundTripper{
		leaky(401, `{"error":{"message":`+quoted+`,"type":"invalid_request_error","code":"invalid_api_key","param":"messages[1].content"}}`),
		leaky(400, `{"error":{"message":`+quoted+`,"type":`+quoted+`,"code":`+quoted+`,"param":`+quoted+`}}`),
		leaky(400, `test-key-not-real hello`),
		leaky(200, `hello test-key-not-real`),
	} {
		c, err := openai.New(openai.Config{BaseURL: "http://llm.test/v1", Key: openaitest.Key, HTTP: &http.Client{Transport: rt}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Complete(context.Background(), hello())
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), "hello") || strings.Contains(e.Error(), openaitest.Key) {
				t.Errorf("error says too much: %v", e)
			}
		}
	}
}

func TestNewWantsAnAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "api.openai.com/v1", "ftp://x/v1", "http://"} {
		if _, err := openai.New(openai.Config{BaseURL: address}); err == nil || !strings.Contains(err.Error(), "OPENAI_BASE_URL") {
			t.Errorf("%q: got %v, want an error that names the setting", address, err)
		}
	}
}
