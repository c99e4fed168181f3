package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// Every parser of foreign input is fuzzed from what providers and customers do send, and from
// what broke it once: each target has its seeds in testdata/fuzz.
func TestEveryFuzzTargetHasSeeds(t *testing.T) {
	t.Parallel()
	targets := 0
	for _, root := range []string{".", "../infra"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range fuzzTarget.FindAllSubmatch(file, -1) {
				targets++
				if seeds, err := os.ReadDir(filepath.Join(filepath.Dir(path), "testdata/fuzz", string(m[1]))); len(seeds) == 0 {
					t.Errorf("%s: %s has no seeds: %v", path, m[1], err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if targets < 50 {
		t.Errorf("%d targets", targets)
	}
}
