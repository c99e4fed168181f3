// Package openaitest is a stand-in for OpenAI's chat completions and embeddings over HTTP. A [Server]
// refuses what the real endpoint would refuse ([Check]), answers as it is told, and can
// fail in the ways that real endpoints do.
package openaitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Key is the bearer token that a server takes.
const Key = "test-key-not-real"

// Answer is what a server gives for one request. The zero value is the text "ok".
type Answer struct {
	Text    string
	Calls   []Call
	Refusal string
	Thought string // in a field of its own, as some endpoints send it
	Finish  string // "" is stop, or tool_calls
	Model   string // "" is the one asked for
	Usage   Usage  // zero is 20 prompt tokens, 8 of them cached, and 5 completion tokens

	Status     int    // not 0: an error with this status
	Code       string // of the error
	RetryAfter string // header of the error
	Plain      bool   // the error's body is a proxy's page, not OpenAI's JSON
	Raw        string // this body, as it is

	Vectors [][]float32 // of an embedding, in the place of those made of the texts
	Shuffle bool        // of an embedding: last vector first

	Empty   bool // no choices
	NoUsage bool // no usage
	Drop    bool // take the request, then close the connection
	Hang    bool // take the request, then say nothing until the client goes away

	Pieces   int    // of a stream: how many pieces text and arguments come in; 0 is 3
	NoIndex  bool   // of a stream: tool deltas without index
	Repeat   bool   // of a stream: id and name in every tool delta
	Cut      int    // of a stream: close the connection after so many chunks
	Early    int    // of a stream: end without [DONE] after so many chunks, as if all were said
	HangAt   int    // of a stream: say nothing more after so many chunks
	MidError string // of a stream: an error of this type after the first piece
}

// Call is a tool call in an answer. Args is sent as it is, JSON or not.
type Call struct{ ID, Name, Args string }

// Usage is what an answer says it cost.
type Usage struct{ Prompt, Cached, Completion int }

// Request is a request that was taken.
type Request struct {
	Header http.Header
	Body   json.RawMessage
}

// Server is the stand-in. Its address ends in /v1.
type Server struct {
	// Answer, when set, is asked for the answer to each valid request, in the place of
	// the answers given to [New].
	Answer func(Request) Answer

	t        testing.TB
	http     *httptest.Server
	mu       sync.Mutex
	answers  []Answer
	requests []Request
}

// New starts a server that gives answers in order, then "ok" for ever. The test fails
// when a request is not valid. The server ends with the test.
func New(t testing.TB, answers ...Answer) *Server {
	s := &Server{t: t, answers: answers}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.http.Close)
	return s
}

// URL is the address for OPENAI_BASE_URL.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Client returns an HTTP client of the server's own, so that its connections end with it.
func (s *Server) Client() *http.Client { return s.http.Client() }

// Requests returns what was asked so far, failed attempts included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

const maxBody = 16 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	check := map[string]func([]byte) error{"/v1/chat/completions": Check, "/v1/embeddings": CheckEmbedding}[r.URL.Path]
	switch {
	case check == nil:
		s.refuse(w, http.StatusNotFound, "", fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path))
		return
	case r.Method != http.MethodPost:
		s.refuse(w, http.StatusMethodNotAllowed, "", "Not allowed to "+r.Method)
		return
	case r.Header.Get("Authorization") != "Bearer "+Key:
		s.refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.t.Errorf("openaitest: reading a request: %v", err)
		return
	}
	if media := r.Header.Get("Content-Type"); !strings.HasPrefix(media, "application/json") {
		s.t.Errorf("openaitest: Content-Type is %q, want application/json", media)
	}
	if err := check(body); err != nil {
		s.t.Errorf("openaitest: invalid request: %v", err)
		s.refuse(w, http.StatusBadRequest, "", err.Error())
		return
	}
	s.give(w, r, body)
}

// next records a request and picks its answer.
func (s *Server) next(req Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	if s.Answer != nil {
		return s.Answer(req)
	}
	if len(s.answers) == 0 {
		return Answer{}
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	return a
}

// asked is the part of a request that shapes its answer.
type asked struct {
	Input         any    `json:"input"` // of an embedding
	Dimensions    int    `json:"dimensions"`
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

func (s *Server) give(w http.ResponseWriter, r *http.Request, body []byte) {
	a := s.next(Request{Header: r.Header.Clone(), Body: body}).filled()
	var req asked
	if err := json.Unmarshal(body, &req); err != nil {
		s.t.Errorf("openaitest: %v", err)
		return
	}
	if a.Model == "" {
		a.Model = req.Model
	}
	switch {
	case a.Drop:
		panic(http.ErrAbortHandler) // the server closes the connection without an answer
	case a.Hang:
		<-r.Context().Done()
	case a.Status != 0:
		s.fail(w, a)
	case a.Raw != "":
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, a.Raw)
	case req.Input != nil:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(a.embeddings(req))
	case req.Stream:
		stream{a: a, w: w, gone: r.Context().Done(), usage: req.StreamOptions.IncludeUsage}.send()
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(a.completion())
	}
}

func (s *Server) fail(w http.ResponseWriter, a Answer) {
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	if a.Plain {
		w.WriteHeader(a.Status)
		io.WriteString(w, "<html>upstream failed</html>")
		return
	}
	s.refuse(w, a.Status, a.Code, "scripted failure")
}

func (s *Server) refuse(w http.ResponseWriter, status int, code, message string) {
	kind := "invalid_request_error"
	switch {
	case code == "insufficient_quota":
		kind = code
	case status == http.StatusTooManyRequests:
		kind = "requests"
	case status >= 500:
		kind = "server_error"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": message, "type": kind, "param": nil, "code": orNull(code)}})
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (a Answer) filled() Answer {
	if a.Text == "" && len(a.Calls) == 0 && a.Refusal == "" && !a.Empty {
		a.Text = "ok"
	}
	if a.Usage == (Usage{}) {
		a.Usage = Usage{Prompt: 20, Cached: 8, Completion: 5}
	}
	if a.Finish == "" {
		a.Finish = "stop"
		if len(a.Calls) > 0 {
			a.Finish = "tool_calls"
		}
	}
	if a.Pieces == 0 {
		a.Pieces = 3
	}
	return a
}

const created = 1_795_000_000

func (a Answer) completion() map[string]any {
	choices := []any{}
	if !a.Empty {
		message := map[string]any{"role": "assistant", "content": orNull(a.Text), "refusal": orNull(a.Refusal)}
		if a.Thought != "" {
			message["reasoning_content"] = a.Thought
		}
		if len(a.Calls) > 0 {
			message["tool_calls"] = a.toolCalls()
		}
		choices = append(choices, map[string]any{
			"index": 0, "message": message, "logprobs": nil, "finish_reason": a.Finish})
	}
	out := map[string]any{"id": "chatcmpl-test", "object": "chat.completion", "created": created,
		"model": a.Model, "choices": choices}
	if !a.NoUsage {
		out["usage"] = a.usage()
	}
	return out
}

func (a Answer) toolCalls() []any {
	var out []any
	for _, c := range a.Calls {
		out = append(out, map[string]any{"id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": c.Args}})
	}
	return out
}

func (a Answer) usage() map[string]any {
	return map[string]any{
		"prompt_tokens": a.Usage.Prompt, "completion_tokens": a.Usage.Completion,
		"total_tokens":          a.Usage.Prompt + a.Usage.Completion,
		"prompt_tokens_details": map[string]any{"cached_tokens": a.Usage.Cached},
	}
}
