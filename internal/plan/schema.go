package plan

import (
	"embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"merve/internal/base/fault"
)

//go:embed schema/*.json
var schemaFiles embed.FS

// schemas are ready to be checked against, by type. The files are part of the program, so one that
// cannot be read is found by the first test that makes an event.
var schemas = sync.OnceValues(func() (map[Type]*jsonschema.Resolved, error) {
	all := map[Type]*jsonschema.Resolved{}
	for _, t := range Types {
		raw, err := schemaFiles.ReadFile("schema/" + string(t) + ".json")
		if err != nil {
			return nil, err
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", t, err)
		}
		if all[t], err = s.Resolve(nil); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", t, err)
		}
	}
	return all, nil
})

// checkSchema holds a published event to the schema of its type. It is asked before an event is stored
// and after one has been received.
func checkSchema(wire []byte) error {
	all, err := schemas()
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	var v map[string]any
	if err := json.Unmarshal(wire, &v); err != nil {
		return fault.Field("event", "want one JSON object")
	}
	name, _ := v["eventType"].(string)
	s := all[Type(name)]
	if s == nil {
		return fault.Field("eventType", "want one of %v", Types)
	}
	if err := s.Validate(v); err != nil {
		return fault.Field("event", "is no %s: %v", name, err)
	}
	return nil
}
