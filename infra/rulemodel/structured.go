package rulemodel

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// responseFormat is the form that a request wants its answer in.
type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

func (f responseFormat) structured() bool { return f.Type == "json_schema" }

// answerers give the objects of the schemas that rules know, by the schema's name. An
// object that does not fit the schema of the request is not sent.
var answerers = map[string]func(req request, now time.Time) any{}

// structured answers with JSON of the schema that req wants: an answerer's, else the
// smallest that fits. It reports false for a schema that it cannot meet.
func structured(req request, now time.Time) (reply, bool) {
	wanted := req.ResponseFormat.JSONSchema
	fits := parseSchema(wanted.Schema)
	var root any
	if fits == nil || json.Unmarshal(wanted.Schema, &root) != nil {
		return reply{}, false
	}
	var candidates []any
	if answer, known := answerers[wanted.Name]; known {
		candidates = append(candidates, answer(req, now))
	}
	if least, ok := (smallest{root}).of(root, 0); ok {
		candidates = append(candidates, least)
	}
	for _, v := range candidates {
		if raw, ok := fits.valid(v); ok {
			return reply{text: string(raw)}, true
		}
	}
	return reply{}, false
}

// smallest builds the smallest values of a schema: null where it may be, no more items
// than there have to be, the first of several values.
type smallest struct{ root any }

// maxNesting ends schemas that want themselves inside themselves for ever.
const maxNesting = 32

func (s smallest) of(schema any, depth int) (any, bool) {
	m, ok := schema.(map[string]any)
	if !ok || depth > maxNesting {
		return nil, false
	}
	if ref, ok := m["$ref"].(string); ok {
		return s.of(s.at(ref), depth+1)
	}
	if v, ok := m["const"]; ok {
		return v, true
	}
	if takesNull(m) {
		return nil, true
	}
	if values, _ := m["enum"].([]any); len(values) > 0 {
		return values[0], true
	}
	alternatives, _ := m["anyOf"].([]any)
	for _, alternative := range alternatives {
		if v, ok := s.of(alternative, depth+1); ok {
			return v, true
		}
	}
	return s.typed(m, depth)
}

func (s smallest) typed(m map[string]any, depth int) (any, bool) {
	t, _ := m["type"].(string)
	if several, _ := m["type"].([]any); len(several) > 0 {
		t, _ = several[0].(string)
	}
	switch t {
	case "object":
		return s.object(m, depth)
	case "array":
		return s.array(m, depth)
	case "string":
		return leastText(m), true
	case "boolean":
		return false, true
	case "integer", "number":
		return leastNumber(m), true
	}
	return nil, false
}

func (s smallest) object(m map[string]any, depth int) (any, bool) {
	properties, _ := m["properties"].(map[string]any)
	required, _ := m["required"].([]any)
	out := map[string]any{}
	for name, property := range properties {
		if !slices.Contains(required, any(name)) {
			continue
		}
		v, ok := s.of(property, depth+1)
		if !ok {
			return nil, false
		}
		out[name] = v
	}
	return out, true
}

func (s smallest) array(m map[string]any, depth int) (any, bool) {
	least, _ := m["minItems"].(float64)
	out := []any{}
	for range int(min(least, maxItems)) {
		v, ok := s.of(m["items"], depth+1)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// maxItems bounds a list that a schema wants long.
const maxItems = 1000

// samples are strings of the formats that strict schemas know.
var samples = map[string]string{"date-time": "2000-01-01T00:00:00Z", "time": "00:00:00Z", "date": "2000-01-01", "duration": "PT0S",
	"email": "nobody@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uuid": "00000000-0000-4000-8000-000000000000"}

func leastText(m map[string]any) string {
	format, _ := m["format"].(string)
	return samples[format]
}

// leastNumber returns 0 where that is allowed, else the whole number nearest to the bound.
func leastNumber(m map[string]any) float64 {
	least, ok := m["minimum"].(float64)
	if above, given := m["exclusiveMinimum"].(float64); given {
		least, ok = above+1, true
	}
	if ok && least > 0 {
		return least
	}
	if most, ok := m["maximum"].(float64); ok && most < 0 {
		return most
	}
	if below, ok := m["exclusiveMaximum"].(float64); ok && below <= 0 {
		return below - 1
	}
	return 0
}

// at finds what a reference such as "#/$defs/step" points to.
func (s smallest) at(ref string) any {
	at := s.root
	for step := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if step == "" {
			continue
		}
		m, _ := at.(map[string]any)
		at = m[step]
	}
	return at
}
