package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// writeOverlay writes the mutated files into dir, and the list of them that go build
// -overlay takes, whose name it returns. The tree itself is not touched.
func (s *Sites) writeOverlay(dir, module string) (string, error) {
	replace := map[string]string{}
	put := func(path string, text []byte) error {
		rel, err := filepath.Rel(module, path)
		if err != nil {
			return err
		}
		replace[path] = filepath.Join(dir, rel)
		if err := os.MkdirAll(filepath.Dir(replace[path]), 0o755); err != nil {
			return err
		}
		return os.WriteFile(replace[path], text, 0o644)
	}
	writes := filepath.Join(module, "internal", "cloud", "dynamo", "write.go")
	if len(s.edits[writes]) == 0 {
		s.edits[writes] = []edit{importing(len("package dynamo"))}
	}
	for path, edits := range s.edits {
		src, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		src = apply(src, edits)
		if path == writes {
			if src, err = usedValues(src); err != nil {
				return "", err
			}
		}
		if err := put(path, src); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, list, 0o644)
}

// usedValues has the writes leave out the values that a mutated condition does not use.
func usedValues(src []byte) ([]byte, error) {
	const values = "ExpressionAttributeValues: w.values"
	if !bytes.Contains(src, []byte(values)) {
		return nil, fmt.Errorf("dynamo/write.go is no longer as expected: no %q", values)
	}
	return bytes.ReplaceAll(src, []byte(values), []byte("ExpressionAttributeValues: mutant.Used(w.values, w.update, w.cond)")), nil
}
