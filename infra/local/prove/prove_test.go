package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every failure in the field that a test or a conversation is named after is a row of the
// table, and every row has one.
func TestFieldRows(t *testing.T) {
	t.Parallel()
	tests, files, named := regexp.MustCompile(`TestField(\d\d)[_ ]`), regexp.MustCompile(`^field(\d\d)_`), map[string]bool{}
	for _, root := range []string{"../../../internal", "../../../testdata/conversations"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case files.MatchString(d.Name()):
				named[files.FindStringSubmatch(d.Name())[1]] = true
			case strings.HasSuffix(path, "_test.go"):
				b, err := os.ReadFile(path)
				for _, m := range tests.FindAllSubmatch(b, -1) {
					named[string(m[1])] = true
				}
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	failures, err := rows("failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, row := range failures {
		listed = append(listed, row[0])
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(named)), listed); diff != "" {
		t.Errorf("rows of the table (-named +listed):\n%s", diff)
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	found := results{
		"internal/a.TestField01_Twice": {runs: 2, schedules: 40}, "internal/a.TestField01_Twice/sub": {runs: 2, schedules: 2},
		"internal/b.TestConversations/field01_again": {runs: 1}, "internal/b.TestField02_Lost": {runs: 1, failures: 1},
	}
	for row, want := range map[string]string{"01": "2\t43\tok", "02": "1\t1\tFAILED 1 times", "03": "0\t0\tNO TEST"} {
		if got := found.sum(namedAfter(row)); got != want {
			t.Errorf("row %s: %q, want %q", row, got, want)
		}
	}
}
