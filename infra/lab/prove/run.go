package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// result is what became of one test, in all rounds.
type result struct {
	runs, failures int
	schedules      int
	seeded         bool // it, or a part of it, tries at random
}

// results are by package and test, such as internal/spine/gate.TestYes.
type results map[string]*result

// event is one line of go test -json. https://pkg.go.dev/cmd/test2json
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Key     string
	Value   string
}

// round is one run of the tests.
type round struct {
	seed, times uint64
	packages    string // with spaces between; "" are all
	run         string // the tests; "" are all
}

// test runs the tests once, prints what fails, and adds to what was found.
func (r round) test(ctx context.Context, found results) error {
	flags := "-json -count=1 -timeout=120m"
	if r.run != "" {
		flags += " -run=" + r.run
	}
	cmd := exec.CommandContext(ctx, "bash", ".ci/test.sh")
	cmd.Env = append(os.Environ(), fmt.Sprint("SEED=", r.seed), fmt.Sprint("TIMES=", r.times), "TESTFLAGS="+flags, "PACKAGES="+r.packages)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	printed := map[string][]string{}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Println(lines.Text()) // of the compiler
			continue
		}
		found.add(e, printed)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("a test failed: repeat with SEED=%d TIMES=%d make prove", r.seed, r.times)
	}
	return errors.Join(err, lines.Err())
}

// add notes an event. Output is kept until it is known whether it is wanted.
func (r results) add(e event, printed map[string][]string) {
	name := strings.TrimPrefix(e.Package, "merve/") + "." + e.Test
	switch e.Action {
	case "output":
		if !strings.HasPrefix(e.Output, "=== ") { // that it runs, waits, has an attribute
			printed[name] = append(printed[name], e.Output)
		}
	case "attr":
		switch n, err := strconv.Atoi(e.Value); {
		case e.Key == "seed":
			whole, _, _ := strings.Cut(e.Test, "/")
			r.of(strings.TrimSuffix(name, e.Test) + whole).seeded = true
		case e.Key == "schedules" && err == nil:
			r.of(name).schedules += n
		}
	case "pass", "fail":
		if e.Test != "" {
			r.of(name).runs++
		}
		if e.Action == "fail" {
			r.of(name).failures++
			fmt.Print(strings.Join(printed[name], ""))
		}
		delete(printed, name)
	}
}

// seeded are the tests that try at random: their packages, and what go test -run wants.
func (r results) seeded() (packages, run string) {
	var in, tests []string
	for name, one := range r {
		if pkg, test, ok := strings.Cut(name, "."); ok && one.seeded {
			in, tests = append(in, "./"+pkg), append(tests, test)
		}
	}
	slices.Sort(in)
	slices.Sort(tests)
	return strings.Join(slices.Compact(in), " "), "^(" + strings.Join(slices.Compact(tests), "|") + ")$"
}

func (r results) of(name string) *result {
	if r[name] == nil {
		r[name] = &result{}
	}
	return r[name]
}
