package internal_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A test that needs what this machine does not have is skipped, which is counted and shown; one that
// logs it and returns has passed.
func TestWhatIsLeftOutIsSkipped(t *testing.T) {
	t.Parallel()
	told := regexp.MustCompile(`\.(Log|Logf|Skip|Skipf)\("[^"]*LEFT OUT`)
	found := 0
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "test.go"):
			return nil
		}
		source, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		for _, by := range told.FindAllStringSubmatch(string(source), -1) {
			if found++; strings.HasPrefix(by[1], "Log") {
				t.Errorf("%s: %s says what is left out, want Skip", path, by[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 5 {
		t.Errorf("found %d places where something is left out; are they called something else now?", found)
	}
}
