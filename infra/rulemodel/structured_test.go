package rulemodel

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func asking(schema string) request {
	var req request
	req.Messages = []message{{Role: "user", Content: "hello"}}
	req.ResponseFormat.Type = "json_schema"
	req.ResponseFormat.JSONSchema.Name = "thing"
	req.ResponseFormat.JSONSchema.Schema = json.RawMessage(schema)
	return req
}

const planSchema = `{"type":"object","additionalProperties":false,"required":["steps","note","mood","at","share","kind","many"],
	"$defs":{"step":{"type":"object","additionalProperties":false,"required":["tool","next"],
		"properties":{"tool":{"type":"string","enum":["weather","math"]},"next":{"anyOf":[{"$ref":"#/$defs/step"},{"type":"null"}]}}}},
	"properties":{"steps":{"type":"array","minItems":2,"items":{"$ref":"#/$defs/step"}},"note":{"type":["string","null"]},
		"mood":{"anyOf":[{"type":"integer","minimum":3},{"type":"string"}]},"at":{"type":"string","format":"date-time"},
		"share":{"type":"number","exclusiveMinimum":0,"maximum":1},"kind":{"const":"plan"},"many":{"type":"array","items":{"type":"boolean"}}}}`

// fitsSchema validates with the other library that this repository knows schemas by.
func fitsSchema(t *testing.T, schema, text string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("s.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := compiled.Validate(v); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

func TestStructured(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		planSchema,
		`{"type":"object","properties":{},"required":[],"additionalProperties":false}`,
		`{"type":"object","properties":{"low":{"type":"integer","maximum":-4},"below":{"type":"integer","exclusiveMaximum":0}},"required":["low","below"],"additionalProperties":false}`,
	} {
		r, ok := answer(asking(schema), time.Now())
		if !ok {
			t.Errorf("no answer to %s", schema)
			continue
		}
		fitsSchema(t, schema, r.text)
	}
}

func TestSchemasThatRulesCannotMeet(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		``, `{`, `7`,
		`{"type":"object","properties":{"x":{"type":"string","pattern":"^[a-z]{4}$"}},"required":["x"],"additionalProperties":false}`,
		`{"type":"object","properties":{"x":{"$ref":"#"}},"required":["x"],"additionalProperties":false}`,
	} {
		if r, ok := answer(asking(schema), time.Now()); ok && schema != "" {
			t.Errorf("%s is met by %s", schema, r.text)
		}
	}
}

// An answerer speaks for its schema alone, and only where what it says fits.
func TestAnswerers(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
	t.Cleanup(func() { delete(answerers, "thing") })
	for _, tt := range []struct {
		answer any
		want   string
	}{{map[string]any{"n": 7}, `{"n":7}`}, {map[string]any{"n": "seven"}, `{"n":0}`}} {
		answerers["thing"] = func(request, time.Time) any { return tt.answer }
		if r, ok := answer(asking(schema), time.Now()); !ok || r.text != tt.want {
			t.Errorf("%v: %s, %v, want %s", tt.answer, r.text, ok, tt.want)
		}
		other := asking(schema)
		other.ResponseFormat.JSONSchema.Name = "other"
		if r, _ := answer(other, time.Now()); r.text != `{"n":0}` {
			t.Errorf("of another name: %s", r.text)
		}
	}
}
