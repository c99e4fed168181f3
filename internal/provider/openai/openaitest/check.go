package openaitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Check reports the first way in which a request body breaks OpenAI's published schema
// of chat completions, or a rule that the endpoint holds beyond it. The error names the
// parameter as OpenAI's own does.
//
// The checks are written from https://github.com/openai/openai-openapi
// (CreateChatCompletionRequest) and https://platform.openai.com/docs/guides/structured-outputs,
// not from the client's code.
func Check(body []byte) error { return checkBody(body, (*checker).request) }

func checkBody(body []byte, check func(*checker, any)) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("body: not JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("body: more than one JSON value")
	}
	c := &checker{}
	check(c, v)
	return c.err
}

// checker keeps the first fault it comes upon.
type checker struct{ err error }

func (c *checker) fault(path, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
	}
}

// object returns v as an object with all of required, and nothing but them and optional.
func (c *checker) object(path string, v any, required, optional []string) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		c.fault(path, "want an object, got %s", kind(v))
		return map[string]any{}
	}
	for _, name := range required {
		if _, ok := m[name]; !ok {
			c.fault(path, "missing required parameter %s", name)
		}
	}
	for name := range m {
		if !slices.Contains(required, name) && !slices.Contains(optional, name) {
			c.fault(path, "unknown parameter %s", name)
		}
	}
	return m
}

func (c *checker) array(path string, v any, least, most int) []any {
	a, ok := v.([]any)
	if !ok {
		c.fault(path, "want an array, got %s", kind(v))
	} else if len(a) < least || len(a) > most {
		c.fault(path, "want %d to %d items, got %d", least, most, len(a))
	}
	return a
}

func (c *checker) text(path string, v any) string {
	s, ok := v.(string)
	if !ok {
		c.fault(path, "want a string, got %s", kind(v))
	}
	return s
}

func (c *checker) oneOf(path string, v any, values ...string) string {
	s := c.text(path, v)
	if !slices.Contains(values, s) {
		c.fault(path, "want one of %s, got %q", strings.Join(values, ", "), s)
	}
	return s
}

func (c *checker) boolean(path string, v any) bool {
	b, ok := v.(bool)
	if !ok {
		c.fault(path, "want a boolean, got %s", kind(v))
	}
	return b
}

func (c *checker) integer(path string, v any, least, most int64) {
	n, ok := v.(json.Number)
	if !ok {
		c.fault(path, "want an integer, got %s", kind(v))
		return
	}
	if i, err := n.Int64(); err != nil || i < least || i > most {
		c.fault(path, "want an integer from %d to %d, got %s", least, most, n)
	}
}

func (c *checker) number(path string, v any, least, most float64) {
	n, ok := v.(json.Number)
	if !ok {
		c.fault(path, "want a number, got %s", kind(v))
		return
	}
	if f, err := n.Float64(); err != nil || f < least || f > most {
		c.fault(path, "want a number from %g to %g, got %s", least, most, n)
	}
}

func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}

// nullable are the parameters whose schema takes null.
var nullable = []string{"frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "metadata",
	"modalities", "n", "prediction", "presence_penalty", "reasoning_effort", "seed", "service_tier", "stop", "store",
	"stream", "stream_options", "temperature", "top_logprobs", "top_p", "verbosity", "audio"}

// elsewhere are parameters of the schema that this project has no use for: taken as they come.
var elsewhere = []string{"audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "metadata",
	"modalities", "n", "prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_retention",
	"seed", "service_tier", "stop", "store", "top_logprobs", "verbosity", "web_search_options"}

var ours = []string{"max_completion_tokens", "max_tokens", "parallel_tool_calls", "reasoning_effort", "response_format", "safety_identifier",
	"stream", "stream_options", "temperature", "tool_choice", "tools", "top_p", "user"}

func (c *checker) request(v any) {
	m := c.object("body", v, []string{"model", "messages"}, slices.Concat(elsewhere, ours))
	for name, value := range m {
		if value == nil && slices.Contains(nullable, name) {
			delete(m, name)
		}
	}
	if c.err == nil && c.text("model", m["model"]) == "" {
		c.fault("model", "you must provide a model parameter")
	}
	c.tools(m)
	c.scalars(m)
	if format, ok := m["response_format"]; ok {
		c.format(format)
	}
	if c.err == nil {
		c.messages(m["messages"])
	}
}

// scalars checks the parameters that stand alone.
func (c *checker) scalars(m map[string]any) {
	stream := false
	for name, v := range m {
		switch name {
		case "stream":
			stream = c.boolean(name, v)
		case "parallel_tool_calls":
			c.boolean(name, v)
			if _, ok := m["tools"]; !ok {
				c.fault(name, "is only allowed when tools are specified")
			}
		case "max_completion_tokens":
			c.integer(name, v, 1, 1<<31)
		case "max_tokens":
			c.integer(name, v, 1, 1<<31)
			if model, _ := m["model"].(string); reasoning.MatchString(model) {
				c.fault(name, "is not supported with this model, use max_completion_tokens instead")
			}
		case "temperature":
			c.number(name, v, 0, 2)
		case "top_p":
			c.number(name, v, 0, 1)
		case "reasoning_effort":
			c.oneOf(name, v, "none", "minimal", "low", "medium", "high", "xhigh", "max")
		case "user":
			c.text(name, v)
		case "safety_identifier":
			if len(c.text(name, v)) > 64 {
				c.fault(name, "want at most 64 characters")
			}
		}
	}
	if v, ok := m["stream_options"]; ok {
		options := c.object("stream_options", v, nil, []string{"include_usage", "include_obfuscation"})
		for name, v := range options {
			c.boolean("stream_options."+name, v)
		}
		if !stream {
			c.fault("stream_options", "is only allowed when stream is true")
		}
	}
}

// reasoning are the models that refuse max_tokens.
var reasoning = regexp.MustCompile(`^(o\d|gpt-[5-9])`)

// messages checks each message and that every call has exactly one tool message right after it.
func (c *checker) messages(v any) {
	open := map[string]bool{}
	for i, v := range c.array("messages", v, 1, 1<<20) {
		path := fmt.Sprintf("messages[%d]", i)
		m, _ := v.(map[string]any)
		role := c.oneOf(path+".role", m["role"], "system", "developer", "user", "assistant", "tool")
		if role != "tool" && len(open) > 0 {
			c.fault(path, "an assistant message with tool_calls must be followed by tool messages responding to each tool_call_id")
		}
		switch role {
		case "system", "developer":
			c.object(path, v, []string{"role", "content"}, []string{"name"})
			c.content(path, m["content"], "text")
		case "user":
			c.object(path, v, []string{"role", "content"}, []string{"name"})
			c.content(path, m["content"], "text", "image_url", "input_audio", "file")
		case "assistant":
			c.assistant(path, v, open)
		case "tool":
			c.object(path, v, []string{"role", "content", "tool_call_id"}, nil)
			c.content(path, m["content"], "text")
			id := c.text(path+".tool_call_id", m["tool_call_id"])
			if !open[id] {
				c.fault(path+".tool_call_id", "%q answers no tool call of the preceding assistant message", id)
			}
			delete(open, id)
		}
		if name, ok := m["name"]; ok && !messageName.MatchString(c.text(path+".name", name)) {
			c.fault(path+".name", "want a string that matches %s", messageName)
		}
	}
	if len(open) > 0 {
		c.fault("messages", "the last tool calls have no tool messages")
	}
}

var messageName = regexp.MustCompile(`^[^\s<|\\/>]{1,64}$`)

func (c *checker) content(path string, v any, kinds ...string) {
	if _, ok := v.(string); ok {
		return
	}
	for i, part := range c.array(path+".content", v, 1, 1<<16) {
		path := fmt.Sprintf("%s.content[%d]", path, i)
		m, _ := part.(map[string]any)
		switch c.oneOf(path+".type", m["type"], kinds...) {
		case "text":
			c.object(path, part, []string{"type", "text"}, nil)
			c.text(path+".text", m["text"])
		case "image_url":
			c.object(path, part, []string{"type", "image_url"}, nil)
			image := c.object(path+".image_url", m["image_url"], []string{"url"}, []string{"detail"})
			if address := c.text(path+".image_url.url", image["url"]); !strings.HasPrefix(address, "https://") &&
				!strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "data:image/") {
				c.fault(path+".image_url.url", "want an address or a data: URL")
			}
			if v, ok := image["detail"]; ok {
				c.oneOf(path+".image_url.detail", v, "auto", "low", "high")
			}
		}
	}
}

func (c *checker) assistant(path string, v any, open map[string]bool) {
	m := c.object(path, v, []string{"role"}, []string{"content", "refusal", "name", "audio", "tool_calls", "function_call"})
	calls, calling := m["tool_calls"]
	if content := m["content"]; content != nil {
		c.content(path, content, "text", "refusal")
	} else if !calling && m["refusal"] == nil {
		c.fault(path+".content", "required unless tool_calls is specified")
	}
	if !calling {
		return
	}
	for i, call := range c.array(path+".tool_calls", calls, 1, 128) {
		path := fmt.Sprintf("%s.tool_calls[%d]", path, i)
		m := c.object(path, call, []string{"id", "type", "function"}, nil)
		c.oneOf(path+".type", m["type"], "function")
		f := c.object(path+".function", m["function"], []string{"name", "arguments"}, nil)
		c.name(path+".function.name", f["name"])
		c.text(path+".function.arguments", f["arguments"])
		id := c.text(path+".id", m["id"])
		if id == "" || open[id] {
			c.fault(path+".id", "want an id of its own, got %q", id)
		}
		open[id] = true
	}
}

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func (c *checker) name(path string, v any) string {
	s := c.text(path, v)
	if !functionName.MatchString(s) {
		c.fault(path, "want a string that matches %s, got %q", functionName, s)
	}
	return s
}

func (c *checker) tools(m map[string]any) {
	list, ok := m["tools"]
	if !ok {
		if v, ok := m["tool_choice"]; ok && v != "none" {
			c.fault("tool_choice", "is only allowed when tools are specified")
		}
		return
	}
	var names []string
	for i, v := range c.array("tools", list, 1, 128) {
		path := fmt.Sprintf("tools[%d]", i)
		tool := c.object(path, v, []string{"type", "function"}, nil)
		c.oneOf(path+".type", tool["type"], "function")
		path += ".function"
		f := c.object(path, tool["function"], []string{"name"}, []string{"description", "parameters", "strict"})
		name := c.name(path+".name", f["name"])
		if slices.Contains(names, name) {
			c.fault(path+".name", "%q is declared twice", name)
		}
		names = append(names, name)
		if v, ok := f["description"]; ok {
			c.text(path+".description", v)
		}
		c.strictly(path, "parameters", f)
	}
	if choice, ok := m["tool_choice"]; ok {
		c.choice(choice, names)
	}
}

// strictly checks the JSON schema in a field, and where strict is set holds it to the subset.
func (c *checker) strictly(path, field string, f map[string]any) {
	strict := false
	if v := f["strict"]; v != nil {
		strict = c.boolean(path+".strict", v)
	}
	v, ok := f[field]
	if !ok {
		return
	}
	path += "." + field
	root, ok := v.(map[string]any)
	if !ok {
		c.fault(path, "want a JSON schema, got %s", kind(v))
		return
	}
	if root["type"] != "object" {
		c.fault(path, `schema must be of type "object", got %v`, root["type"])
	}
	if _, ok := root["properties"]; !ok {
		c.fault(path, "object schema missing properties")
	}
	if strict && c.err == nil {
		s := strictness{checker: c, root: root}
		s.schema(path, root, 1)
	}
}

// format checks the form that an answer is to have.
func (c *checker) format(v any) {
	m, _ := v.(map[string]any)
	if c.oneOf("response_format.type", m["type"], "text", "json_object", "json_schema") != "json_schema" {
		c.object("response_format", v, []string{"type"}, nil)
		return
	}
	c.object("response_format", v, []string{"type", "json_schema"}, nil)
	const path = "response_format.json_schema"
	f := c.object(path, m["json_schema"], []string{"name"}, []string{"description", "schema", "strict"})
	c.name(path+".name", f["name"])
	if v, ok := f["description"]; ok {
		c.text(path+".description", v)
	}
	c.strictly(path, "schema", f)
}

func (c *checker) choice(v any, names []string) {
	if _, ok := v.(string); ok {
		c.oneOf("tool_choice", v, "none", "auto", "required")
		return
	}
	m := c.object("tool_choice", v, []string{"type", "function"}, nil)
	c.oneOf("tool_choice.type", m["type"], "function")
	f := c.object("tool_choice.function", m["function"], []string{"name"}, nil)
	if name := c.name("tool_choice.function.name", f["name"]); !slices.Contains(names, name) {
		c.fault("tool_choice.function.name", "%q is not among the tools", name)
	}
}
