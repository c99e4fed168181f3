package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// stream sends one answer as server-sent events.
type stream struct {
	a     Answer
	w     http.ResponseWriter
	gone  <-chan struct{}
	usage bool
}

func (s stream) send() {
	s.w.Header().Set("Content-Type", "text/event-stream")
	for n, chunk := range s.chunks() {
		switch {
		case s.a.Cut > 0 && n == s.a.Cut:
			panic(http.ErrAbortHandler)
		case s.a.Early > 0 && n == s.a.Early:
			return
		case s.a.HangAt > 0 && n == s.a.HangAt:
			<-s.gone
			return
		case s.a.MidError != "" && n == 2:
			s.event(map[string]any{"error": map[string]any{"message": "scripted failure", "type": s.a.MidError}})
			return
		}
		s.event(chunk)
	}
	fmt.Fprint(s.w, "data: [DONE]\n\n")
}

func (s stream) event(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	http.NewResponseController(s.w).Flush()
}

// chunks are the events of the whole answer but for [DONE].
func (s stream) chunks() []any {
	out := []any{s.chunk(map[string]any{"role": "assistant", "content": ""}, nil)}
	for _, piece := range split(s.a.Thought, s.a.Pieces) {
		out = append(out, s.chunk(map[string]any{"reasoning_content": piece}, nil))
	}
	for _, piece := range split(s.a.Text, s.a.Pieces) {
		out = append(out, s.chunk(map[string]any{"content": piece}, nil))
	}
	for _, piece := range split(s.a.Refusal, s.a.Pieces) {
		out = append(out, s.chunk(map[string]any{"refusal": piece}, nil))
	}
	for i, call := range s.a.Calls {
		out = append(out, s.call(i, call)...)
	}
	if s.a.Empty {
		out = nil
	} else {
		out = append(out, s.chunk(map[string]any{}, s.a.Finish))
	}
	if s.usage && !s.a.NoUsage {
		last := s.envelope([]any{})
		last["usage"] = s.a.usage()
		out = append(out, last)
	}
	return out
}

// call sends a tool call: id and name first, then the arguments in pieces.
func (s stream) call(i int, call Call) []any {
	var out []any
	for n, piece := range append([]string{""}, split(call.Args, s.a.Pieces)...) {
		f := map[string]any{"arguments": piece}
		delta := map[string]any{"index": i, "function": f}
		if n == 0 || s.a.Repeat {
			delta["id"], delta["type"], f["name"] = call.ID, "function", call.Name
		}
		if s.a.NoIndex {
			delete(delta, "index")
		}
		out = append(out, s.chunk(map[string]any{"tool_calls": []any{delta}}, nil))
	}
	return out
}

func (s stream) chunk(delta map[string]any, finish any) map[string]any {
	return s.envelope([]any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}})
}

func (s stream) envelope(choices []any) map[string]any {
	out := map[string]any{"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": created,
		"model": s.a.Model, "choices": choices}
	if s.usage {
		out["usage"] = nil
	}
	return out
}

// split cuts text into at most n pieces, between characters.
func split(text string, n int) []string {
	r := []rune(text)
	size := (len(r) + n - 1) / n
	var out []string
	for len(r) > 0 {
		cut := min(size, len(r))
		out = append(out, string(r[:cut]))
		r = r[cut:]
	}
	return out
}
