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

func printPromises(w io.Writer, promises [][]string, found results) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "\npromise\t\ttests\tschedules\tresult\n")
	for _, row := range promises {
		own := regexp.MustCompile(`^TestPromise` + row[0] + `_|(` + row[2] + `)`)
		fmt.Fprintf(t, "%s\t%s\t%s\n", row[0], row[1], found.sum(own))
	}
	_ = t.Flush() // of an output that is gone
}

func printFailures(w io.Writer, failures [][]string, found results) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "\nrow\tfailure in the field\ttests\tschedules\tresult\n")
	for _, row := range failures {
		fmt.Fprintf(t, "%s\t%s\t%s\n", row[0], row[1], found.sum(namedAfter(row[0])))
	}
	_ = t.Flush() // of an output that is gone
}

// namedAfter matches the tests and conversations that are named after a failure in the field.
func namedAfter(row string) *regexp.Regexp {
	return regexp.MustCompile(`TestField` + row + `_|/field` + row + `_`)
}

// sum tells of the tests that match: how many, the schedules that they tried (a test that
// does not say is one schedule a run), and how they ended. What runs below a test that
// matches is its part.
func (r results) sum(match *regexp.Regexp) string {
	var tests, schedules, failures int
	names := make([]string, 0, len(r))
	for name := range r {
		names = append(names, name)
	}
	slices.Sort(names)
	top := ""
	for _, name := range names {
		if top != "" && strings.HasPrefix(name, top+"/") {
			schedules += r[name].schedules
			continue
		}
		_, test, _ := strings.Cut(name, ".")
		if !match.MatchString(test) || r[name].runs == 0 {
			continue
		}
		top = name
		tests++
		failures += r[name].failures
		schedules += max(r[name].schedules, r[name].runs)
	}
	switch {
	case tests == 0:
		return "0\t0\tNO TEST"
	case failures > 0:
		return fmt.Sprintf("%d\t%d\tFAILED %d times", tests, schedules, failures)
	}
	return fmt.Sprintf("%d\t%d\tok", tests, schedules)
}
