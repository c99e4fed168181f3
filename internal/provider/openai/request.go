package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"merve/internal/base/pattern"
	"merve/internal/model/llm"
)

// request puts req into the wire format. It refuses a history that the endpoint would refuse.
func (e *endpoint) request(req llm.Request) (openai.ChatCompletionRequest, error) {
	if err := llm.Check(req.Messages); err != nil {
		return openai.ChatCompletionRequest{}, llm.Fail(llm.Refused, "%w", err)
	}
	out := openai.ChatCompletionRequest{
		Model:               req.Model,
		MaxCompletionTokens: max(req.MaxTokens, 0), // max_tokens is refused by reasoning models
		User:                hashed(req.Seed),
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, message(m))
	}
	for _, spec := range req.Tools {
		tool, err := function(spec)
		if err != nil {
			return openai.ChatCompletionRequest{}, err
		}
		out.Tools = append(out.Tools, tool)
	}
	if len(out.Tools) > 0 {
		out.ParallelToolCalls = req.ParallelCalls // refused without tools
	}
	var err error
	if out.ToolChoice, err = toolChoice(req); err != nil {
		return openai.ChatCompletionRequest{}, err
	}
	if out.ResponseFormat, err = responseFormat(req.Schema); err != nil {
		return openai.ChatCompletionRequest{}, err
	}
	out.ReasoningEffort = effort(req.Effort, out)
	return out, nil
}

// toolChoice is left out where there is nothing to choose from: the endpoint refuses it there.
func toolChoice(req llm.Request) (any, error) {
	switch choice := req.ToolChoice; {
	case choice == llm.ToolAuto, choice == llm.ToolNone && len(req.Tools) == 0:
		return nil, nil
	case choice == llm.ToolNone, choice == llm.ToolRequired && len(req.Tools) > 0:
		return string(choice), nil
	case slices.ContainsFunc(req.Tools, func(s llm.Spec) bool { return s.Name == string(choice) }):
		return openai.ToolChoice{Type: openai.ToolTypeFunction, Function: openai.ToolFunction{Name: string(choice)}}, nil
	default:
		return nil, llm.Fail(llm.Refused, "tool choice %q: no such tool in the request", choice)
	}
}

func responseFormat(s *llm.Schema) (*openai.ChatCompletionResponseFormat, error) {
	if s == nil {
		return nil, nil
	}
	if s.Name == "" || s.Name != legalName(s.Name) {
		return nil, llm.Fail(llm.Refused, "schema %q: want a name of at most 64 letters, digits, - and _", s.Name)
	}
	var root any
	if err := json.Unmarshal(s.JSON, &root); err != nil {
		return nil, llm.Fail(llm.Refused, "schema %s: %w", s.Name, err)
	}
	if deep := depth(root); deep > llm.MaxDepth {
		return nil, llm.Fail(llm.Refused, "schema %s: objects nest %d levels deep, want at most %d", s.Name, deep, llm.MaxDepth)
	}
	return &openai.ChatCompletionResponseFormat{
		Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
		JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: s.Name, Schema: s.JSON, Strict: true},
	}, nil
}

// depth counts the levels of objects that a schema lets nest.
func depth(schema any) int {
	deepest := 0
	switch s := schema.(type) {
	case []any:
		for _, v := range s {
			deepest = max(deepest, depth(v))
		}
	case map[string]any:
		for _, v := range s {
			deepest = max(deepest, depth(v))
		}
		if _, isObject := s["properties"].(map[string]any); isObject {
			deepest++
		}
	}
	return deepest
}

// silent are the model families that take function tools here only while they do not
// reason. https://platform.openai.com/docs/guides/latest-model
var silent = []string{"gpt-5.6", "gpt-6-sol", "gpt-6-luna", "gpt-6.1-terra"}

// unreasoning are the model families that refuse a reasoning effort.
var unreasoning = []string{"gpt-3.5", "gpt-4", "chatgpt-4o"}

// effort returns the effort to send. Most requests set none and
// leave it to the model.
func effort(asked llm.Effort, req openai.ChatCompletionRequest) string {
	switch {
	case len(req.Tools) > 0 && isOf(silent, req.Model):
		return openai.ReasoningEffortNone
	case isOf(unreasoning, req.Model):
		return ""
	}
	return string(asked)
}

// isOf reports whether a model belongs to one of the families, no matter which provider offers it:
// "openai/gpt-4o-mini" is of "gpt-4".
func isOf(families []string, model string) bool {
	model = model[strings.LastIndexByte(model, '/')+1:]
	return slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(model, family) })
}

// message converts m to the wire format. It omits the content only where the schema allows
// that: together with tool calls.
func message(m llm.Message) openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Text, ToolCallID: m.CallID}
	if m.Role == llm.ToolRole && m.Text == "" {
		out.Content = "{}"
	}
	if len(m.Images) > 0 {
		out.Content, out.MultiContent = "", parts(m)
	}
	for _, call := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID:       call.ID,
			Type:     openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: legalName(call.Name), Arguments: arguments(call.Args)},
		})
	}
	return out
}

func parts(m llm.Message) []openai.ChatMessagePart {
	var out []openai.ChatMessagePart
	if m.Text != "" {
		out = append(out, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: m.Text})
	}
	for _, address := range m.Images {
		out = append(out, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL,
			ImageURL: &openai.ChatMessageImageURL{URL: address}})
	}
	return out
}

var illegal = pattern.New(`[^a-zA-Z0-9_-]`)

// legalName makes a name that a model invented ("functions.search") one that the
// endpoint takes back.
func legalName(name string) string {
	name = illegal.Regexp().ReplaceAllString(name, "_")
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), 64)]
}

// arguments returns args in the form to send back. Several endpoints parse them and fail
// on invalid JSON; the call's result says what was wrong.
func arguments(args json.RawMessage) string {
	if args = bytes.TrimSpace(args); len(args) == 0 || !json.Valid(args) {
		return "{}"
	}
	return string(args)
}

// function declares spec as a strict function. An object schema must list its
// properties even when it has none.
func function(spec llm.Spec) (openai.Tool, error) {
	if spec.Name == "" || spec.Name != legalName(spec.Name) {
		return openai.Tool{}, llm.Fail(llm.Refused, "tool %q: want a name of at most 64 letters, digits, - and _", spec.Name)
	}
	schema := spec.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","additionalProperties":false}`)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema, &fields); err != nil {
		return openai.Tool{}, llm.Fail(llm.Refused, "tool %s: schema: %w", spec.Name, err)
	}
	if _, ok := fields["properties"]; !ok {
		fields["properties"], fields["required"] = json.RawMessage("{}"), json.RawMessage("[]")
		schema, _ = json.Marshal(fields) // raw JSON that was just parsed
	}
	return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name: spec.Name, Description: spec.Description, Strict: true, Parameters: schema}}, nil
}

// hashed keeps who asks from the provider, and within the 64 characters that it takes.
func hashed(seed string) string {
	if seed == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("merve user " + seed))
	return hex.EncodeToString(sum[:16])
}
