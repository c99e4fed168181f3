package openaitest

import (
	"fmt"
	"slices"
	"strings"
)

// strictness holds one schema to the subset of JSON Schema that strict mode takes, and
// to its limits.
type strictness struct {
	*checker
	root       map[string]any
	properties int
	values     int // of enums
	characters int // of property names, definition names and enum values
}

const (
	maxProperties = 5000
	maxDepth      = 10
	maxValues     = 1000
	maxCharacters = 120_000
)

// keywords of the subset. Whatever else a schema says is refused, as "default",
// "oneOf" and "$schema" are.
var keywords = []string{"type", "description", "title", "enum", "const", "properties", "required", "additionalProperties",
	"items", "anyOf", "$ref", "$defs", "definitions", "pattern", "format", "multipleOf", "maximum", "exclusiveMaximum",
	"minimum", "exclusiveMinimum", "minItems", "maxItems"}

var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

func (s *strictness) schema(path string, v any, depth int) {
	m, ok := v.(map[string]any)
	if !ok {
		s.fault(path, "want a JSON schema, got %s", kind(v))
		return
	}
	for name := range m {
		if !slices.Contains(keywords, name) {
			s.fault(path, "'%s' is not permitted", name)
		}
	}
	types := s.types(path, m)
	if slices.Contains(types, "object") {
		s.object(path, m, depth)
	}
	if slices.Contains(types, "array") {
		items, ok := m["items"]
		if !ok {
			s.fault(path, "array schema missing items")
			return
		}
		s.schema(path+".items", items, depth)
	}
	s.limits(path, m)
	s.nested(path, m, depth)
}

// types returns the types of a schema. A schema without any says anyOf, $ref, enum or const.
func (s *strictness) types(path string, m map[string]any) []string {
	all := []string{"string", "number", "boolean", "integer", "object", "array", "null"}
	switch t := m["type"].(type) {
	case nil:
		for _, other := range []string{"anyOf", "$ref", "enum", "const"} {
			if _, ok := m[other]; ok {
				return nil
			}
		}
		s.fault(path, "schema must have a 'type' key")
	case string:
		return []string{s.oneOf(path+".type", t, all...)}
	case []any:
		var types []string
		for _, v := range t {
			types = append(types, s.oneOf(path+".type", v, all...))
		}
		return types
	default:
		s.fault(path+".type", "want a string or an array of strings")
	}
	return nil
}

func (s *strictness) object(path string, m map[string]any, depth int) {
	if depth > maxDepth {
		s.fault(path, "more than %d levels of nesting", maxDepth)
		return
	}
	if m["additionalProperties"] != false {
		s.fault(path, "'additionalProperties' is required to be supplied and to be false")
	}
	properties, ok := m["properties"].(map[string]any)
	if !ok {
		s.fault(path, "object schema missing properties")
	}
	required, ok := m["required"].([]any)
	if !ok {
		s.fault(path, "'required' is required to be supplied and to be an array including every key in properties")
	}
	for _, name := range required {
		if _, ok := properties[fmt.Sprint(name)]; !ok {
			s.fault(path, "extra required key %v supplied", name)
		}
	}
	for name, v := range properties {
		if !slices.Contains(required, any(name)) {
			s.fault(path, "'required' is required to be an array including every key in properties; missing '%s'", name)
		}
		s.count(path, name)
		s.properties++
		s.schema(path+".properties."+name, v, depth+1)
	}
	if s.properties > maxProperties {
		s.fault(path, "more than %d properties", maxProperties)
	}
}

func (s *strictness) count(path, text string) {
	if s.characters += len([]rune(text)); s.characters > maxCharacters {
		s.fault(path, "names and values of more than %d characters", maxCharacters)
	}
}

// limits checks enum, format and the texts of a schema.
func (s *strictness) limits(path string, m map[string]any) {
	if v, ok := m["enum"]; ok {
		for _, value := range s.array(path+".enum", v, 1, maxValues) {
			s.count(path, fmt.Sprint(value))
			s.values++
		}
	}
	if s.values > maxValues {
		s.fault(path, "more than %d enum values", maxValues)
	}
	if v, ok := m["format"]; ok {
		s.oneOf(path+".format", v, formats...)
	}
	for _, name := range []string{"description", "title", "pattern"} {
		if v, ok := m[name]; ok {
			s.text(path+"."+name, v)
		}
	}
}

// nested walks into alternatives, definitions and references.
func (s *strictness) nested(path string, m map[string]any, depth int) {
	if v, ok := m["anyOf"]; ok {
		if depth == 1 {
			s.fault(path, "root schema must not be anyOf")
		}
		for i, v := range s.array(path+".anyOf", v, 1, 1<<10) {
			s.schema(fmt.Sprintf("%s.anyOf[%d]", path, i), v, depth)
		}
	}
	for _, where := range []string{"$defs", "definitions"} {
		definitions, ok := m[where].(map[string]any)
		if _, given := m[where]; given && !ok {
			s.fault(path+"."+where, "want an object")
		}
		for name, v := range definitions {
			s.count(path, name)
			s.schema(path+"."+where+"."+name, v, depth+1)
		}
	}
	if v, ok := m["$ref"]; ok && !s.resolves(s.text(path+".$ref", v)) {
		s.fault(path+".$ref", "points nowhere: %v", v)
	}
}

func (s *strictness) resolves(ref string) bool {
	if ref == "#" {
		return true
	}
	rest, ok := strings.CutPrefix(ref, "#/")
	var at any = s.root
	for _, step := range strings.Split(rest, "/") {
		m, isObject := at.(map[string]any)
		if at, ok = m[step]; !isObject || !ok {
			return false
		}
	}
	return ok
}
