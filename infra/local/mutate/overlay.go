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
	for path, edits := range s.edits {
		src, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		if err := put(path, apply(src, edits)); err != nil {
			return "", err
		}
	}
	path := filepath.Join(module, "internal", "dynamo", "write.go")
	src, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	src, err = usedValues(src)
	if err != nil {
		return "", err
	}
	if err := put(path, src); err != nil {
		return "", err
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
	const values, clause = "ExpressionAttributeValues: w.values", "package dynamo\n"
	if !bytes.Contains(src, []byte(values)) || !bytes.Contains(src, []byte(clause)) {
		return nil, fmt.Errorf("dynamo/write.go is no longer as expected: no %q", values)
	}
	src = bytes.ReplaceAll(src, []byte(values), []byte("ExpressionAttributeValues: mutant.Used(w.values, w.update, w.cond)"))
	return bytes.Replace(src, []byte(clause), []byte("package dynamo; import mutant \"merve/infra/local/mutate/mutant\"\n"), 1), nil
}
