package rulemodel

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is the form of what is wanted: the arguments of a tool, or a whole answer.
type schema struct {
	properties map[string]map[string]any
	required   []string
	resolved   *jsonschema.Resolved
}

// offered returns the schemas of the tools that may be called, by name: none when the
// request wants none called.
func offered(req request) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	if string(req.ToolChoice) == `"none"` {
		return out
	}
	for _, t := range req.Tools {
		out[t.Function.Name] = t.Function.Parameters
	}
	return out
}

// parseSchema returns nil for a schema that cannot be read.
func parseSchema(raw json.RawMessage) *schema {
	if len(raw) == 0 {
		raw = json.RawMessage(`{"type":"object"}`)
	}
	s := new(schema)
	var parts struct {
		Properties map[string]map[string]any `json:"properties"`
		Required   []string                  `json:"required"`
	}
	var whole jsonschema.Schema
	if json.Unmarshal(raw, &parts) != nil || json.Unmarshal(raw, &whole) != nil {
		return nil
	}
	resolved, err := whole.Resolve(nil)
	if err != nil {
		return nil
	}
	s.properties, s.required, s.resolved = parts.Properties, parts.Required, resolved
	return s
}

// names are the parameters, those in first before the others.
func (s *schema) names(first []string) []string {
	all := slices.DeleteFunc(slices.Sorted(maps.Keys(s.properties)), func(name string) bool { return slices.Contains(first, name) })
	return append(slices.Clone(first), all...)
}

// arguments puts values into the form that the schema takes: what is not known is null
// where it may be. It reports false where the schema cannot be met.
func (s *schema) arguments(values map[string]any) (json.RawMessage, bool) {
	out := map[string]any{}
	for name, property := range s.properties {
		v, known := values[name]
		switch {
		case known && v != nil:
			out[name] = v
		case takesNull(property):
			out[name] = nil
		case slices.Contains(s.required, name):
			return nil, false
		}
	}
	for _, extra := range append([]string{""}, extras...) {
		if _, ok := out[extra]; ok {
			out[extra] = nil
		}
		if raw, ok := s.valid(out); ok {
			return raw, true
		}
	}
	return nil, false
}

// extras are arguments to do without, in this order, where a schema does not take them.
var extras = []string{"limit", "note", "maxPrice", "partySize"}

func (s *schema) valid(value any) (json.RawMessage, bool) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, false
	}
	var v any
	if json.Unmarshal(raw, &v) != nil || s.resolved.Validate(v) != nil {
		return nil, false
	}
	return raw, true
}

// takesNull reports whether a property may be null.
func takesNull(property map[string]any) bool {
	switch t := property["type"].(type) {
	case string:
		return t == "null"
	case []any:
		return slices.Contains(t, any("null"))
	}
	alternatives, _ := property["anyOf"].([]any)
	return slices.ContainsFunc(alternatives, func(v any) bool {
		m, ok := v.(map[string]any)
		return ok && takesNull(m)
	})
}
