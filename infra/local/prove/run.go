package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// result is what became of one test, in all rounds.
type result struct {
	runs, failures int
	schedules      int
}

// results are by package and test, such as internal/gate.TestYes.
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

// test runs the tests once, prints what fails, and adds to what was found.
func test(ctx context.Context, o options, seed uint64, found results) error {
	flags := "-json -count=1 -timeout=120m"
	if o.run != "" {
		flags += " -run=" + o.run
	}
	cmd := exec.CommandContext(ctx, "bash", ".ci/test.sh")
	cmd.Env = append(os.Environ(), fmt.Sprint("SEED=", seed), fmt.Sprint("TIMES=", o.times), "TESTFLAGS="+flags)
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
		return fmt.Errorf("a test failed: repeat with SEED=%d TIMES=%d make prove", seed, o.times)
	}
	return errors.Join(err, lines.Err())
}

// add notes an event. Output is kept until it is known whether it is wanted.
func (r results) add(e event, printed map[string][]string) {
	name := strings.TrimPrefix(e.Package, "merve/") + "." + e.Test
	switch e.Action {
	case "output":
		printed[name] = append(printed[name], e.Output)
	case "attr":
		if n, err := strconv.Atoi(e.Value); err == nil && e.Key == "schedules" {
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

func (r results) of(name string) *result {
	if r[name] == nil {
		r[name] = &result{}
	}
	return r[name]
}
