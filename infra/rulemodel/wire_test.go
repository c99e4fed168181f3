package rulemodel_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// answerSchemas are OpenAI's schemas of a completion and of a streamed chunk, without
// room for anything else. https://github.com/openai/openai-openapi
const answerSchemas = `{
"$defs": {
 "usage": {"type":"object","required":["prompt_tokens","completion_tokens","total_tokens"],"additionalProperties":false,"properties":{
  "prompt_tokens":{"type":"integer","minimum":1},"completion_tokens":{"type":"integer","minimum":1},"total_tokens":{"type":"integer","minimum":2},
  "prompt_tokens_details":{"type":"object"},"completion_tokens_details":{"type":"object"}}},
 "function": {"type":"object","additionalProperties":false,"required":["name","arguments"],"properties":{
  "name":{"type":"string","pattern":"^[a-zA-Z0-9_-]{1,64}$"},"arguments":{"type":"string"}}},
 "completion": {"type":"object","additionalProperties":false,"required":["id","object","created","model","choices","usage"],"properties":{
  "id":{"type":"string","minLength":1},"object":{"const":"chat.completion"},"created":{"type":"integer"},"model":{"type":"string","minLength":1},
  "usage":{"$ref":"#/$defs/usage"},
  "choices":{"type":"array","minItems":1,"maxItems":1,"items":{"type":"object","additionalProperties":false,
   "required":["index","message","logprobs","finish_reason"],"properties":{
   "index":{"const":0},"logprobs":{"type":"null"},"finish_reason":{"enum":["stop","length","tool_calls"]},
   "message":{"type":"object","additionalProperties":false,"required":["role","content","refusal"],"properties":{
    "role":{"const":"assistant"},"content":{"type":["string","null"],"minLength":1},"refusal":{"type":"null"},
    "tool_calls":{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false,"required":["id","type","function"],
     "properties":{"id":{"type":"string","minLength":1},"type":{"const":"function"},"function":{"$ref":"#/$defs/function"}}}}}}}}}}},
 "chunk": {"type":"object","additionalProperties":false,"required":["id","object","created","model","choices"],"properties":{
  "id":{"type":"string","minLength":1},"object":{"const":"chat.completion.chunk"},"created":{"type":"integer"},"model":{"type":"string","minLength":1},
  "usage":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/usage"}]},
  "choices":{"type":"array","maxItems":1,"items":{"type":"object","additionalProperties":false,
   "required":["index","delta","finish_reason"],"properties":{
   "index":{"const":0},"logprobs":{"type":"null"},"finish_reason":{"enum":["stop","length","tool_calls",null]},
   "delta":{"type":"object","additionalProperties":false,"properties":{
    "role":{"const":"assistant"},"content":{"type":["string","null"]},"refusal":{"type":["string","null"]},
    "tool_calls":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["index"],"properties":{
     "index":{"type":"integer"},"id":{"type":"string"},"type":{"const":"function"},
     "function":{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string"},"arguments":{"type":"string"}}}}}}}}}}}}}
}}`

var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(answerSchemas))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("answers.json", doc); err != nil {
		return nil, err
	}
	out := map[string]*jsonschema.Schema{}
	for _, name := range []string{"completion", "chunk"} {
		if out[name], err = c.Compile("answers.json#/$defs/" + name); err != nil {
			return nil, err
		}
	}
	return out, nil
})

func valid(t *testing.T, name string, body []byte) {
	t.Helper()
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	if err := all[name].Validate(v); err != nil {
		t.Errorf("%s is no %s: %v", body, name, err)
	}
}

// checkAnswer holds an answer, whole or streamed, against OpenAI's schema.
func checkAnswer(t *testing.T, media string, body []byte) {
	t.Helper()
	if !strings.HasPrefix(media, "text/event-stream") {
		valid(t, "completion", body)
		return
	}
	events := strings.Split(strings.TrimSuffix(string(body), "\n\n"), "\n\n")
	for i, e := range events {
		data, ok := strings.CutPrefix(e, "data: ")
		if !ok {
			t.Errorf("event %q does not begin with data:", e)
		}
		if i == len(events)-1 {
			if data != "[DONE]" {
				t.Errorf("the last event is %q, want [DONE]", data)
			}
			continue
		}
		valid(t, "chunk", []byte(data))
	}
}

// checkArguments holds the arguments of a call against the schema of its tool.
func checkArguments(t *testing.T, schema, arguments json.RawMessage) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tool.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("tool.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		t.Errorf("arguments %s: %v", arguments, err)
		return
	}
	if err := compiled.Validate(v); err != nil {
		t.Errorf("arguments %s: %v", arguments, err)
	}
}
