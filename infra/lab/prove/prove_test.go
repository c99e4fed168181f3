package main

import (
	"io"
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

// inTheTree are the tests that there are, by package and name, and the conversations.
func inTheTree(t *testing.T) []string {
	t.Helper()
	const module = "../../.."
	tests := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	var all []string
	for _, root := range []string{"functions", "internal", "infra", "testdata/conversations"} {
		err := filepath.WalkDir(filepath.Join(module, root), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case root == "testdata/conversations":
				all = append(all, "internal/spine/turn.TestConversations/"+strings.TrimSuffix(d.Name(), ".txt"))
			case strings.HasSuffix(path, "_test.go"):
				b, err := os.ReadFile(path)
				dir, _ := filepath.Rel(module, filepath.Dir(path)) // below it
				for _, m := range tests.FindAllSubmatch(b, -1) {
					all = append(all, filepath.ToSlash(dir)+"."+string(m[1]))
				}
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Every failure in the field that a test or a conversation is named after is a row of the
// table, and every row has one, but for those that nothing is built for.
func TestFieldRows(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, name := range inTheTree(t) {
		if m := regexp.MustCompile(`(?:\.TestField|/field)(\d\d)_`).FindStringSubmatch(name); m != nil {
			named[m[1]] = true
		}
	}
	failures, err := rows("failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	last := ""
	for _, row := range failures {
		if len(row[0]) != 2 || row[0] <= last {
			t.Errorf("row %s comes after row %s", row[0], last)
		}
		last = row[0]
		if !strings.HasPrefix(row[2], absent) {
			listed = append(listed, row[0])
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(named)), listed); diff != "" {
		t.Errorf("rows of the table (-named +listed):\n%s", diff)
	}
}

// Each alternative of each pattern stands for a test that there is.
func TestPatternsAreTrue(t *testing.T) {
	t.Parallel()
	promises, err := rows("promises.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := inTheTree(t)
	for _, row := range promises {
		for alternative := range strings.SplitSeq(row[2], "|") {
			if !slices.ContainsFunc(all, regexp.MustCompile(alternative).MatchString) {
				t.Errorf("promise %s: no test is named %s", row[0], alternative)
			}
		}
	}
}

func TestBareRowsAreTold(t *testing.T) {
	t.Parallel()
	found := results{"internal/a.TestField01_Twice": {runs: 1}, "internal/b.TestPromise2_Kept": {runs: 1}}
	bare := printPromises(io.Discard, [][]string{{"1", "one", "TestOne"}, {"2", "two", "TestTwo"}}, found)
	bare = append(bare, printFailures(io.Discard, [][]string{{"01", "", "a #1"}, {"02", "", "b #2"}, {"03", "", absent + ": plans"}}, found)...)
	if diff := cmp.Diff([]string{"promise 1", "failure 02"}, bare); diff != "" {
		t.Errorf("without a test (-want +got):\n%s", diff)
	}
}

// What has tried at random is tried again, with its parts, and nothing else is.
func TestSeeded(t *testing.T) {
	t.Parallel()
	found, printed := results{}, map[string][]string{}
	for _, e := range []event{
		{Action: "attr", Package: "merve/internal/b", Test: "TestPart/one", Key: "seed", Value: "7"},
		{Action: "attr", Package: "merve/internal/b", Test: "TestPart/two", Key: "seed", Value: "7"},
		{Action: "pass", Package: "merve/internal/b", Test: "TestPart/one"},
		{Action: "attr", Package: "merve/internal/a", Test: "TestWhole", Key: "seed", Value: "7"},
		{Action: "attr", Package: "merve/internal/c", Test: "TestCounts", Key: "schedules", Value: "7"},
		{Action: "pass", Package: "merve/internal/c", Test: "TestCounts"},
	} {
		found.add(e, printed)
	}
	if packages, run := found.seeded(); packages != "./internal/a ./internal/b" || run != "^(TestPart|TestWhole)$" {
		t.Errorf("%s %s", packages, run)
	}
}

// Of a test that fails it is printed what it said, and not what go test says of each of its parts.
func TestWhatIsKeptToBePrinted(t *testing.T) {
	t.Parallel()
	printed := map[string][]string{}
	for _, line := range []string{"=== RUN   TestA\n", "=== ATTR  TestA seed 7\n", "    a_test.go:7: wrong\n", "--- FAIL: TestA (0.01s)\n"} {
		results{}.add(event{Action: "output", Package: "merve/internal/a", Test: "TestA", Output: line}, printed)
	}
	if got := strings.Join(printed["internal/a.TestA"], ""); got != "    a_test.go:7: wrong\n--- FAIL: TestA (0.01s)\n" {
		t.Errorf("%q", got)
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	found := results{
		"internal/a.TestField01_Twice": {runs: 2, schedules: 40}, "internal/a.TestField01_Twice/sub": {runs: 2, schedules: 2},
		"internal/b.TestConversations/field01_again": {runs: 1}, "internal/b.TestField02_Lost": {runs: 1, failures: 1},
	}
	for row, want := range map[string]string{
		"01": "01\twhat\t2\t43\tok\n\t  internal/a.TestField01_Twice\t\t42\tok\n\t  internal/b.TestConversations/field01_again\t\t1\tok\n",
		"02": "02\twhat\t1\t1\tFAILED 1 times\n\t  internal/b.TestField02_Lost\t\t1\tFAILED 1 times\n",
		"03": "03\twhat\t0\t0\tNO TEST\n",
	} {
		var got strings.Builder
		found.sum(namedAfter(row)).print(&got, []string{row, "what"})
		if got.String() != want {
			t.Errorf("row %s: %q, want %q", row, got.String(), want)
		}
	}
}
