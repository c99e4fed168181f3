package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"merve/internal/base/fault"
)

// arguments say what a tool takes.
type arguments struct {
	schema   json.RawMessage
	resolved func() (*jsonschema.Resolved, error) // made ready at the first call: most processes call few tools
	null     []string                             // properties that may be null
	late     []string                             // of these, which the tool has had only since a later release
}

// derived are the arguments by the struct that they were derived from. A struct does not change while a process runs,
// and to derive a schema from it costs more than all else of making a tool.
var derived sync.Map

// argumentsOf derives from the struct A what a tool takes.
func argumentsOf[A any]() (*arguments, error) {
	t := reflect.TypeFor[A]()
	if known, ok := derived.Load(t); ok {
		return known.(*arguments), nil
	}
	s, err := schemaOf(t)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	a := &arguments{resolved: sync.OnceValues(func() (*jsonschema.Resolved, error) { return s.Resolve(nil) })}
	for name := range s.Properties {
		if !slices.Contains(s.Required, name) {
			a.late = append(a.late, name)
		}
	}
	strict(s)
	for name, p := range s.Properties {
		if slices.Contains(p.Types, "null") {
			a.null = append(a.null, name)
		}
	}
	if a.schema, err = json.Marshal(s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	derived.Store(t, a)
	return a, nil
}

// schemaOf is the schema of what a model gives for an argument struct.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	if f := formOf(t); f != nil {
		return f.schema()
	}
	return jsonschema.ForType(t, nil)
}

// strict makes every property required and allows no others, as OpenAI's strict mode
// demands. https://platform.openai.com/docs/guides/structured-outputs
func strict(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Properties != nil {
		s.Required = append([]string{}, s.PropertyOrder...)
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		for _, p := range s.Properties {
			strict(p)
		}
	} else if s.Type == "object" {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
	strict(s.Items)
}

// MaxArgs is the most bytes of arguments that a call may bring.
const MaxArgs = 16 << 10

// Canonical checks raw arguments against the schema and returns them in the one form
// that equal arguments share. What may be null may be left out too: not every model keeps
// to a strict schema. The error names what is wrong, for the model to mend.
func (t Tool) Canonical(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	if len(raw) > MaxArgs {
		return nil, fault.Field("arguments", "at most %d bytes", MaxArgs)
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&v); err != nil || d.More() {
		return nil, fault.Field("arguments", "want one JSON object")
	}
	if o, ok := v.(map[string]any); ok {
		for _, name := range t.arguments.null {
			if _, given := o[name]; !given {
				o[name] = nil
			}
		}
	}
	schema, err := t.arguments.resolved()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", t.Name, err)
	}
	if err := schema.Validate(v); err != nil {
		return nil, fault.Field("arguments", "do not fit the schema: %v", err)
	}
	if o, ok := v.(map[string]any); ok {
		for _, name := range t.arguments.late {
			if o[name] == nil {
				delete(o, name)
			}
		}
	}
	out, err := json.Marshal(v) // maps marshal with sorted keys
	if err != nil {
		return nil, fault.Field("arguments", "want one JSON object")
	}
	return out, nil
}
