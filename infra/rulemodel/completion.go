package rulemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// request is the part of a chat completion request that is read.
// https://platform.openai.com/docs/api-reference/chat/create
type request struct {
	Messages            []message       `json:"messages"`
	Tools               []tool          `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	Stream              bool            `json:"stream"`
	StreamOptions       streamOptions   `json:"stream_options"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role       string   `json:"role"`
	Content    content  `json:"content"`
	ToolCalls  []called `json:"tool_calls"`
	ToolCallID string   `json:"tool_call_id"`
}

type called struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type tool struct {
	Function struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// content is the text of a message, whether it comes as one string or in parts.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	var whole *string
	if json.Unmarshal(data, &whole) == nil {
		if whole != nil {
			*c = content(*whole)
		}
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

// wrong names the parameter that makes the request unusable, and why.
func (r request) wrong() (param, why string) {
	if len(r.Messages) == 0 {
		return "messages", "want at least one message"
	}
	for i, m := range r.Messages {
		switch m.Role {
		case "system", "developer", "user", "assistant", "tool":
		default:
			return fmt.Sprintf("messages[%d].role", i), fmt.Sprintf("unknown role %q", m.Role)
		}
	}
	return "", ""
}

// completion is one answer on the wire.
type completion struct {
	req            request
	reply          reply
	id             string
	created        int64
	cut            bool // the answer met the limit of the request
	prompt, output int  // tokens, about four characters each
}

// limit holds the text to the tokens that the request allows.
func (c *completion) limit() {
	most := c.req.MaxCompletionTokens
	if most <= 0 {
		most = c.req.MaxTokens
	}
	if most <= 0 || most > maxBody || len(c.reply.text) <= 4*most {
		return
	}
	end := 4 * most
	for end > 0 && !utf8.RuneStart(c.reply.text[end]) {
		end--
	}
	c.reply.text, c.cut = c.reply.text[:end], true
}

func (c *completion) count(body int) {
	c.prompt = body/4 + 1
	c.output = (len(c.reply.text)+len(c.reply.tool)+len(c.reply.args))/4 + 1
}

func (c *completion) usage() map[string]any {
	return map[string]any{"prompt_tokens": c.prompt, "completion_tokens": c.output, "total_tokens": c.prompt + c.output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": 0, "audio_tokens": 0},
		"completion_tokens_details": map[string]any{"reasoning_tokens": 0, "audio_tokens": 0}}
}

func (c *completion) finish() string {
	switch {
	case c.reply.tool != "":
		return "tool_calls"
	case c.cut:
		return "length"
	}
	return "stop"
}

func (c *completion) envelope(object string, choices ...any) map[string]any {
	if choices == nil {
		choices = []any{}
	}
	return map[string]any{"id": "chatcmpl-" + c.id, "object": object, "created": c.created, "model": Model, "choices": choices}
}

// whole is the answer as one object.
func (c *completion) whole() map[string]any {
	m := map[string]any{"role": "assistant", "content": c.reply.text, "refusal": nil}
	if c.reply.tool != "" {
		m["content"] = nil
		m["tool_calls"] = []any{map[string]any{"id": "call_" + c.id, "type": "function",
			"function": map[string]any{"name": c.reply.tool, "arguments": string(c.reply.args)}}}
	}
	out := c.envelope("chat.completion", map[string]any{
		"index": 0, "message": m, "logprobs": nil, "finish_reason": c.finish()})
	out["usage"] = c.usage()
	return out
}

// stream sends the answer as server-sent events, a few words at a time.
func (c *completion) stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	c.delta(w, map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, piece := range pieces(c.reply.text) {
		c.delta(w, map[string]any{"content": piece}, nil)
	}
	if c.reply.tool != "" {
		c.delta(w, c.call(map[string]any{"id": "call_" + c.id, "type": "function",
			"function": map[string]any{"name": c.reply.tool, "arguments": ""}}), nil)
		for _, piece := range pieces(string(c.reply.args)) {
			c.delta(w, c.call(map[string]any{"function": map[string]any{"arguments": piece}}), nil)
		}
	}
	c.delta(w, map[string]any{}, c.finish())
	if c.req.StreamOptions.IncludeUsage {
		last := c.envelope("chat.completion.chunk")
		last["usage"] = c.usage()
		event(w, last)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func (c *completion) call(fields map[string]any) map[string]any {
	fields["index"] = 0
	return map[string]any{"tool_calls": []any{fields}}
}

func (c *completion) delta(w http.ResponseWriter, delta map[string]any, finish any) {
	chunk := c.envelope("chat.completion.chunk", map[string]any{
		"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish})
	if c.req.StreamOptions.IncludeUsage {
		chunk["usage"] = nil
	}
	event(w, chunk)
}

func event(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		return // strings and numbers always marshal
	}
	fmt.Fprintf(w, "data: %s\n\n", data)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// pieces cuts text after every third space.
func pieces(text string) []string {
	var out []string
	spaces, from := 0, 0
	for i, r := range text {
		if r == ' ' || r == '\n' {
			if spaces++; spaces%3 == 0 {
				out = append(out, text[from:i+1])
				from = i + 1
			}
		}
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}
