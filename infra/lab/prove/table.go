package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// rows reads a table of "a | b | c" lines. A line that begins with # is for its reader.
func rows(file string) ([][]string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all [][]string
	for i, line := range strings.Split(string(b), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.SplitN(line, "|", 3)
		if len(cells) != 3 {
			return nil, fmt.Errorf("%s:%d: want three columns with | between them", file, i+1)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		all = append(all, cells)
	}
	return all, nil
}

// printPromises returns the rows that no test stands for, as printFailures does.
func printPromises(w io.Writer, promises [][]string, found results) (bare []string) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "\npromise\t\ttests\tschedules\tresult\n")
	for _, row := range promises {
		sum := found.sum(testsOf(row))
		if len(sum.tests) == 0 {
			bare = append(bare, "promise "+row[0])
		}
		sum.print(t, row)
	}
	_ = t.Flush() // of an output that is gone
	return bare
}

// absent begins the last column of failures that nothing is built for.
const absent = "no such part"

func printFailures(w io.Writer, failures [][]string, found results) (bare []string) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "\nrow\tfailure in the field\ttests\tschedules\tresult\n")
	for _, row := range failures {
		if strings.HasPrefix(row[2], absent) {
			fmt.Fprintf(t, "%s\t%s\t-\t-\t%s\n", row[0], row[1], row[2])
			continue
		}
		sum := found.sum(namedAfter(row[0]))
		if len(sum.tests) == 0 {
			bare = append(bare, "failure "+row[0])
		}
		sum.print(t, row)
	}
	_ = t.Flush() // of an output that is gone
	return bare
}

// testsOf matches the tests of a promise, by package and name.
func testsOf(row []string) *regexp.Regexp {
	return regexp.MustCompile(`\.TestPromise` + row[0] + `_|` + row[2])
}

// namedAfter matches the tests and conversations that are named after a failure in the field.
func namedAfter(row string) *regexp.Regexp {
	return regexp.MustCompile(`TestField` + row + `_|/field` + row + `_`)
}

// tested is one test with its parts: the schedules that they tried, and how often it failed.
type tested struct {
	name                string
	schedules, failures int
}

func (t tested) result() string {
	if t.failures > 0 {
		return fmt.Sprintf("FAILED %d times", t.failures)
	}
	return "ok"
}

// tally is what tests did, each and all together.
type tally struct {
	tests []tested
	all   tested
}

// print writes the row of a table, and below it a line for each test.
func (t tally) print(w io.Writer, row []string) {
	result := t.all.result()
	if len(t.tests) == 0 {
		result = "NO TEST"
	}
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", row[0], row[1], len(t.tests), t.all.schedules, result)
	for _, one := range t.tests {
		fmt.Fprintf(w, "\t  %s\t\t%d\t%s\n", one.name, one.schedules, one.result())
	}
}

// sum tells of the tests that match. A test that does not say how many schedules it tried is
// one a run. What runs below a test that matches is its part.
func (r results) sum(match *regexp.Regexp) (t tally) {
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if n := len(t.tests); n > 0 && strings.HasPrefix(name, t.tests[n-1].name+"/") {
			t.tests[n-1].schedules += r[name].schedules
		} else if match.MatchString(name) && r[name].runs > 0 {
			t.tests = append(t.tests, tested{name, max(r[name].schedules, r[name].runs), r[name].failures})
		}
	}
	for _, one := range t.tests {
		t.all.schedules += one.schedules
		t.all.failures += one.failures
	}
	return t
}
