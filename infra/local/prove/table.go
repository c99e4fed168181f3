package main

import (
	"fmt"
	"io"
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
		if sum.tests == 0 {
			bare = append(bare, "promise "+row[0])
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", row[0], row[1], sum)
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
		if sum.tests == 0 {
			bare = append(bare, "failure "+row[0])
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", row[0], row[1], sum)
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

// tally is how many tests there are, the schedules that they tried, and how often one failed.
type tally struct{ tests, schedules, failures int }

func (t tally) String() string {
	counts := fmt.Sprintf("%d\t%d\t", t.tests, t.schedules)
	switch {
	case t.tests == 0:
		return counts + "NO TEST"
	case t.failures > 0:
		return counts + fmt.Sprintf("FAILED %d times", t.failures)
	}
	return counts + "ok"
}

// sum tells of the tests that match. A test that does not say how many schedules it tried is
// one a run. What runs below a test that matches is its part.
func (r results) sum(match *regexp.Regexp) (t tally) {
	names := make([]string, 0, len(r))
	for name := range r {
		names = append(names, name)
	}
	slices.Sort(names)
	top := ""
	for _, name := range names {
		if top != "" && strings.HasPrefix(name, top+"/") {
			t.schedules += r[name].schedules
			continue
		}
		if !match.MatchString(name) || r[name].runs == 0 {
			continue
		}
		top = name
		t.tests++
		t.failures += r[name].failures
		t.schedules += max(r[name].schedules, r[name].runs)
	}
	return t
}
