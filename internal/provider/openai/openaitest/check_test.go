package openaitest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// right is a request that uses most of what is checked.
const right = `{"model":"gpt-5-mini","stream":true,"stream_options":{"include_usage":true},"user":"u","temperature":null,
"max_completion_tokens":100,"parallel_tool_calls":false,"tool_choice":{"type":"function","function":{"name":"search"}},
"tools":[{"type":"function","function":{"name":"search","description":"d","strict":true,"parameters":PARAMETERS}},
 {"type":"function","function":{"name":"loose","parameters":{"type":"object","properties":{"a":{}}}}}],
"messages":[{"role":"system","content":"be kind","name":"merve"},
 {"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"https://x.test/a.png","detail":"low"}}]},
 {"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"search","arguments":"{"}},
  {"id":"b","type":"function","function":{"name":"search","arguments":""}}]},
 {"role":"tool","tool_call_id":"b","content":""},{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"}]},
 {"role":"assistant","content":"done"},{"role":"user","content":"thanks"}]}`

const parameters = `{"type":"object","additionalProperties":false,"required":["a","b","c","d"],"$defs":{"n":{"type":"null"}},
"properties":{"a":{"type":["string","null"],"enum":["x",null]},"b":{"anyOf":[{"type":"integer","minimum":1},{"$ref":"#/$defs/n"}]},
"c":{"type":"array","maxItems":3,"items":{"type":"object","properties":{},"required":[],"additionalProperties":false}},
"d":{"type":"string","format":"date","description":"a day"}}}`

func TestCheck(t *testing.T) {
	t.Parallel()
	base := strings.Replace(right, "PARAMETERS", parameters, 1)
	if err := Check([]byte(base)); err != nil {
		t.Fatalf("a right request: %v", err)
	}
	const thanks = `{"role":"user","content":"thanks"}`
	tests := []struct{ old, new, want string }{
		{`"stream":true,`, `"stream":true,"strem":true,`, "body: unknown parameter strem"},
		{`"model":"gpt-5-mini",`, ``, "missing required parameter model"},
		{`"model":"gpt-5-mini"`, `"model":""`, "you must provide a model"},
		{`"stream":true`, `"stream":"yes"`, "stream: want a boolean"},
		{`"stream":true`, `"stream":false`, "stream_options: is only allowed when stream is true"},
		{`"include_usage":true`, `"include_usage":1`, "stream_options.include_usage: want a boolean"},
		{`"max_completion_tokens":100`, `"max_completion_tokens":0`, "max_completion_tokens: want an integer from 1"},
		{`"max_completion_tokens":100`, `"max_tokens":100`, "use max_completion_tokens instead"},
		{`"temperature":null`, `"temperature":3`, "temperature: want a number from 0 to 2"},
		{`"temperature":null`, `"reasoning_effort":"vast"`, "reasoning_effort: want one of"},
		{`"user":"u"`, `"user":null`, "user: want a string"},
		{`"user":"u"`, `"safety_identifier":"` + strings.Repeat("u", 65) + `"`, "at most 64"},
		{`"parallel_tool_calls":false`, `"parallel_tool_calls":null`, "parallel_tool_calls: want a boolean"},
		{`"tool_choice":{"type":"function","function":{"name":"search"}}`, `"tool_choice":"always"`, "tool_choice: want one of"},
		{`"function":{"name":"search"}}`, `"function":{"name":"other"}}`, `"other" is not among the tools`},
		{`"name":"loose"`, `"name":"search"`, `"search" is declared twice`},
		{`"name":"loose"`, `"name":"so loose"`, "tools[1].function.name: want a string that matches"},
		{`"type":"function","function":{"name":"loose"`, `"function":{"name":"loose"`, "tools[1]: missing required parameter type"},
		{`"properties":{"a":{}}`, `"description":"none"`, "object schema missing properties"},
		{`"strict":true`, `"strict":"very"`, "strict: want a boolean"},
		{thanks, `{"role":"user","content":null}`, "messages[6].content: want an array, got null"},
		{thanks, `{"role":"user","content":[]}`, "want 1 to"},
		{thanks, `{"role":"user"}`, "missing required parameter content"},
		{thanks, `{"role":"narrator","content":"x"}`, "messages[6].role: want one of"},
		{thanks, `{"role":"user","content":"x","tool_call_id":"a"}`, "unknown parameter tool_call_id"},
		{thanks, `{"role":"user","content":"x","name":"A B"}`, "messages[6].name"},
		{thanks, `{"role":"assistant","content":null}`, "required unless tool_calls is specified"},
		{thanks, `{"role":"assistant","content":"x","tool_calls":[]}`, "tool_calls: want 1 to 128 items"},
		{thanks, `{"role":"tool","tool_call_id":"a","content":"x"}`, `"a" answers no tool call`},
		{thanks, `{"role":"assistant","tool_calls":[{"id":"z","type":"function","function":{"name":"f","arguments":"{}"}}]}`, "the last tool calls have no tool messages"},
		{`{"role":"tool","tool_call_id":"b","content":""},`, ``, "must be followed by tool messages"},
		{`"id":"b","type":"function"`, `"id":"a","type":"function"`, "want an id of its own"},
		{`"id":"b","type":"function"`, `"id":"b"`, "missing required parameter type"},
		{`"id":"b","type":"function"`, `"id":"b","index":1,"type":"function"`, "unknown parameter index"},
		{`"arguments":""`, `"arguments":{}`, "arguments: want a string"},
		{`,"arguments":""`, ``, "missing required parameter arguments"},
		{`"url":"https://x.test/a.png"`, `"url":"a.png"`, "want an address"},
		{`"detail":"low"`, `"detail":"tiny"`, "image_url.detail"},
		{`{"type":"text","text":"look"}`, `{"type":"text"}`, "missing required parameter text"},
		// strict schemas
		{`"additionalProperties":false,"required":["a"`, `"required":["a"`, "'additionalProperties' is required"},
		{`"required":["a","b","c","d"]`, `"required":["a","b","c"]`, "missing 'd'"},
		{`"required":["a","b","c","d"]`, `"required":["a","b","c","d","e"]`, "extra required key e"},
		{`"required":["a","b","c","d"],`, ``, "'required' is required to be supplied"},
		{`"required":[],"additionalProperties":false`, `"additionalProperties":false`, "properties.c.items: 'required'"},
		{`"description":"a day"`, `"default":"today"`, "'default' is not permitted"},
		{`"description":"a day"`, `"minLength":1`, "'minLength' is not permitted"},
		{`"format":"date"`, `"format":"birthday"`, "format: want one of"},
		{`"#/$defs/n"`, `"#/$defs/m"`, "points nowhere"},
		{`{"type":"integer","minimum":1}`, `{"minimum":1}`, "schema must have a 'type' key"},
		{`"type":["string","null"]`, `"type":["text","null"]`, "type: want one of"},
		{`,"items":{"type":"object","properties":{},"required":[],"additionalProperties":false}`, ``, "array schema missing items"},
		{`"enum":["x",null]`, `"enum":[]`, "enum: want 1 to"},
	}
	for _, tt := range tests {
		body := strings.Replace(base, tt.old, tt.new, 1)
		if body == base {
			t.Errorf("%q is not in the request", tt.old)
			continue
		}
		if err := Check([]byte(body)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q for %q: got %v, want %q", tt.new, tt.old, err, tt.want)
		}
	}
}

func TestCheckBodies(t *testing.T) {
	t.Parallel()
	const message = `"messages":[{"role":"user","content":"x"}]`
	tests := []struct{ body, want string }{
		{``, "not JSON"}, {`{`, "not JSON"}, {`[]`, "body: want an object"}, {`{} {}`, "more than one"},
		{`{"model":"m","messages":[]}`, "messages: want 1 to"},
		{`{"model":"m","messages":"hello"}`, "messages: want an array"},
		{`{"model":"m",` + message + `,"parallel_tool_calls":true}`, "is only allowed when tools are specified"},
		{`{"model":"m",` + message + `,"tool_choice":"auto"}`, "is only allowed when tools are specified"},
		{`{"model":"m",` + message + `,"tools":[]}`, "tools: want 1 to 128"},
		{`{"model":"m",` + message + `}`, ""},
		{`{"model":"gpt-4o","max_tokens":5,` + message + `}`, ""},
		{`{"model":"m","response_format":{"type":"text"},` + message + `}`, ""},
		{`{"model":"m","response_format":{"type":"yaml"},` + message + `}`, "response_format.type"},
		{`{"model":"m","response_format":{"type":"json_schema"},` + message + `}`, "missing required parameter json_schema"},
		{`{"model":"m","response_format":{"type":"json_schema","json_schema":{"name":"a b"}},` + message + `}`, "json_schema.name"},
		{`{"model":"m","response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}}},` + message + `}`, "missing 'a'"},
	}
	for _, tt := range tests {
		err := Check([]byte(tt.body))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", tt.body, err, tt.want)
		}
	}
}

func TestCheckEmbedding(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"model":"m","input":["a","b"],"dimensions":3,"encoding_format":"float"}`: "",
		`{"model":"m","input":"a"}`:                                     "",
		`{"model":"m"}`:                                                 "missing required parameter input",
		`{"input":"a"}`:                                                 "missing required parameter model",
		`{"model":"m","input":[]}`:                                      "want 1 to 2048",
		`{"model":"m","input":["a",""]}`:                                "cannot be an empty string",
		`{"model":"m","input":[1]}`:                                     "want a string",
		`{"model":"m","input":"a","stream":true}`:                       "unknown parameter stream",
		`{"model":"m","input":"a","dimensions":0}`:                      "want an integer from 1",
		`{"model":"text-embedding-ada-002","input":"a","dimensions":5}`: "does not support",
	} {
		if err := CheckEmbedding([]byte(body)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", body, err, want)
		}
	}
}

func TestStrictLimits(t *testing.T) {
	t.Parallel()
	object := func(properties map[string]any) map[string]any {
		required := []any{}
		for name := range properties {
			required = append(required, name)
		}
		return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	deep := object(map[string]any{})
	for range maxDepth {
		deep = object(map[string]any{"in": deep})
	}
	wide, many := map[string]any{}, []any{}
	for i := range maxProperties + 1 {
		wide[fmt.Sprint("p", i)] = map[string]any{"type": "string"}
	}
	for i := range maxValues + 1 {
		many = append(many, fmt.Sprint(i))
	}
	long := map[string]any{"type": "string", "enum": []any{strings.Repeat("x", maxCharacters)}}
	tests := []struct {
		name   string
		schema map[string]any
		want   string
	}{
		{"depth", deep, "levels of nesting"},
		{"width", object(wide), "more than 5000 properties"},
		{"values", object(map[string]any{"a": map[string]any{"type": "string", "enum": many}}), "want 1 to 1000 items"},
		{"length", object(map[string]any{"a": long}), "more than 120000 characters"},
	}
	for _, tt := range tests {
		schema, err := json.Marshal(tt.schema)
		if err != nil {
			t.Fatal(err)
		}
		body := strings.Replace(right, "PARAMETERS", string(schema), 1)
		if err := Check([]byte(body)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(strings.Replace(right, "PARAMETERS", parameters, 1)))
	f.Add([]byte(`{"model":1,"messages":[{"role":null}],"tools":[{"function":{"parameters":{"type":"object","properties":{"a":{"$ref":"#/a/b"}}}}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if err := Check(body); err == nil && !json.Valid(body) {
			t.Errorf("took what is no JSON")
		}
	})
}
