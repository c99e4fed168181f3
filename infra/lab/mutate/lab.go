package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"merve/infra/lab/mutate/mutant"
	"merve/infra/local/dynamodb"
)

// lab builds test binaries that hold all mutants, and runs tests with one of them.
type lab struct {
	module  string // folder
	work    string // folder of the overlay and the binaries
	overlay string
	server  *dynamodb.Server // nil when the environment names one
	graph   graph

	building sync.Mutex
	bins     map[string]string
	looking  sync.Mutex
	tests    map[string][]reach // what the tests of a package reach, once that is known

	jobs       int           // at once
	patience   time.Duration // with a test that is run to find out what it reaches
	out        io.Writer
	complaints atomic.Int64
}

// reach is a test or a part of one ("TestX/part"), how long it takes, and the sites that it
// comes by.
type reach struct {
	name  string
	took  time.Duration
	sites map[string]bool
}

func newLab(module string, s *Sites, o options, out io.Writer) (*lab, error) {
	l := &lab{module: module, tests: map[string][]reach{}, bins: map[string]string{}, jobs: o.jobs, patience: o.patience, out: out}
	var err error
	if l.graph, err = readGraph(module); err != nil {
		return nil, err
	}
	if l.work, err = os.MkdirTemp("", "mutate-"); err != nil {
		return nil, err
	}
	if l.overlay, err = s.writeOverlay(l.work, module); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// freshServer starts a DynamoDB Local that replaces the running one, so that
// leftovers of mutants do not pile up. A server given by the environment stays.
func (l *lab) freshServer() error {
	if os.Getenv("MERVE_TEST_DYNAMODB") != "" {
		return nil
	}
	l.stop()
	var err error
	l.server, err = dynamodb.Start(context.Background(), dynamodb.Options{CacheDir: filepath.Join(l.module, ".cache"), Log: os.Stderr})
	return err
}

// close stops the server and removes what was built.
func (l *lab) close() {
	l.stop()
	if err := os.RemoveAll(l.work); err != nil {
		l.complain("%v", err)
	}
}

func (l *lab) stop() {
	if l.server != nil {
		l.server.Stop()
		l.server = nil
	}
}

// binary builds the tests of a package, with all mutants.
func (l *lab) binary(pkg string) (string, error) {
	l.building.Lock()
	defer l.building.Unlock()
	if bin, ok := l.bins[pkg]; ok {
		return bin, nil
	}
	bin := filepath.Join(l.work, strings.ReplaceAll(pkg, "/", "_")+".test")
	cmd := exec.Command("go", "test", "-c", "-overlay", l.overlay, "-vet=off", "-ldflags=-s -w", "-o", bin, pkg)
	cmd.Dir = l.module
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the tests of %s with the mutants in them: %w\n%s", pkg, err, out)
	}
	l.bins[pkg] = bin
	return bin, nil
}

// outcome is what came of running tests.
type outcome struct {
	failed string // the first test that failed; "" when none did
	took   time.Duration
	output []byte
}

var failLine, runLine = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`), regexp.MustCompile(`(?m)^=== RUN\s+(\S+)$`)

// run runs tests of a package, or parts of one test, with a mutant ("" for none). A test that
// does not end has failed.
func (l *lab) run(pkg, id string, limit time.Duration, tests []string, env ...string) (outcome, error) {
	bin, err := l.binary(pkg)
	if err != nil {
		return outcome{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "-test.run", pattern(tests), "-test.v", "-test.failfast", "-test.count=1")
	cmd.Dir = l.graph[pkg].Dir
	cmd.Env = append(append(os.Environ(), mutant.Env+"="+id), env...)
	if l.server != nil {
		cmd.Env = append(cmd.Env, "MERVE_TEST_DYNAMODB="+l.server.URL)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // with its children
	cmd.WaitDelay = time.Second
	start := time.Now()
	err = cmd.Run()
	o := outcome{took: time.Since(start), output: out.Bytes()}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return o, nil
	case ctx.Err() != nil, errors.Is(err, exec.ErrWaitDelay): // it did not end
	case !errors.As(err, &exit), !exit.Exited(): // somebody else has ended it, which says nothing about the mutant
		return o, fmt.Errorf("run the tests of %s: %w", pkg, err)
	}
	if o.failed = "?"; len(tests) == 1 {
		o.failed = tests[0]
	}
	for _, m := range failLine.FindAllSubmatch(out.Bytes(), -1) {
		if slices.Contains(tests, string(m[1])) {
			o.failed = string(m[1])
			break
		}
	}
	return o, nil
}

// pattern is what -test.run wants for tests, or for parts of one test.
func pattern(tests []string) string {
	var whole, parts []string
	for _, t := range tests {
		name, part, ok := strings.Cut(t, "/")
		whole = append(whole, name)
		if ok {
			parts = append(parts, regexp.QuoteMeta(part))
		}
	}
	p := "^(" + strings.Join(slices.Compact(whole), "|") + ")$"
	if len(parts) > 0 {
		p += "/^(" + strings.Join(parts, "|") + ")$"
	}
	return p
}

// together puts into groups, in their order, what one run can take: whole tests, or parts of the
// same.
func together(tests []reach) [][]reach {
	var groups [][]reach
	place := map[string]int{}
	for _, r := range tests {
		whole, _, part := strings.Cut(r.name, "/")
		if !part {
			whole = ""
		}
		i, ok := place[whole]
		if !ok {
			i, groups = len(groups), append(groups, nil)
			place[whole] = i
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// reaches runs each test of a package by itself, without a mutant, and finds out what it
// reaches. Tests that fail are told of and left out; of one that takes longer than patience,
// its parts are run by themselves. A package that cannot be built has none.
func (l *lab) reaches(pkg string) ([]reach, error) {
	l.looking.Lock()
	defer l.looking.Unlock()
	if known, ok := l.tests[pkg]; ok {
		return known, nil
	}
	names, err := l.list(pkg)
	if err != nil {
		l.complain("%v", err)
	}
	var all []reach
	for len(names) > 0 {
		found := make([]reach, len(names))
		parts := make([][]string, len(names))
		err = each(l.jobs, len(names), func(i int) error {
			var err error
			found[i], parts[i], err = l.reach(pkg, names[i])
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		names = slices.Concat(parts...)
	}
	all = slices.DeleteFunc(all, func(r reach) bool { return r.name == "" })
	slices.SortFunc(all, func(a, b reach) int { return int(a.took - b.took) })
	l.tests[pkg] = all
	return all, nil
}

// reach runs one test. It is the zero reach for a test that is of no use by itself, which may
// have parts that are.
func (l *lab) reach(pkg, name string) (r reach, parts []string, err error) {
	f, err := os.CreateTemp(l.work, "reached-")
	if err != nil {
		return reach{}, nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	o, err := l.run(pkg, "", l.patience, []string{name}, mutant.ReachedEnv+"="+f.Name())
	switch {
	case err != nil:
		return reach{}, nil, err
	case o.took >= l.patience:
		parts = partsOf(name, o.output)
		fmt.Fprintf(l.out, "too slow to be tried\t%s %s, but for %d parts\n", pkg, name, len(parts))
		return reach{}, parts, nil
	case o.failed != "":
		l.complain("red without a mutant: %s %s", pkg, name)
		return reach{}, nil, nil
	}
	r = reach{name: name, took: o.took, sites: map[string]bool{}}
	lines, err := io.ReadAll(f)
	for site := range strings.Lines(string(lines)) {
		r.sites[strings.TrimSuffix(site, "\n")] = true
	}
	return r, nil, err
}

// partsOf are the parts of a test that have begun, by its output.
func partsOf(name string, output []byte) []string {
	var parts []string
	for _, m := range runLine.FindAllSubmatch(output, -1) {
		if of, part, ok := strings.Cut(string(m[1]), "/"); ok && of == name && !strings.Contains(part, "/") {
			parts = append(parts, string(m[1]))
		}
	}
	return parts
}

// complain tells of what has to be mended before a result counts.
func (l *lab) complain(format string, args ...any) {
	fmt.Fprintf(l.out, strings.ToUpper(format[:1])+format[1:]+"\n", args...)
	l.complaints.Add(1)
}

func (l *lab) list(pkg string) ([]string, error) {
	bin, err := l.binary(pkg)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(bin, "-test.list", "^(Test|Fuzz)")
	cmd.Dir = l.graph[pkg].Dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests of %s: %w", pkg, err)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool { return !testName.MatchString(name) }), nil
}

var testName = regexp.MustCompile(`^(Test|Fuzz)\w*$`)

// graph is which package imports which.
type graph map[string]listed

type listed struct {
	ImportPath, Dir                                               string
	Imports, TestImports, XTestImports, TestGoFiles, XTestGoFiles []string
}

func readGraph(module string) (graph, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,Imports,TestImports,XTestImports,TestGoFiles,XTestGoFiles", "./internal/...", "./infra/local/...", "./infra/lab/...", "./infra/rulemodel/...")
	cmd.Dir = module
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	g := graph{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return g, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		g[p.ImportPath] = p
	}
}

// testers are the packages whose tests can reach a package: its own, then those nearest.
func (g graph) testers(pkg string) []string {
	near := map[string]int{pkg: 0} // steps over imports
	for again := true; again; {
		again = false
		for path, p := range g {
			again = nearer(near, near, path, p.Imports) || again
		}
	}
	total := map[string]int{} // the same with the imports of tests
	for path, p := range g {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		if n, ok := near[path]; ok {
			total[path] = n
		}
		nearer(total, near, path, slices.Concat(p.TestImports, p.XTestImports))
	}
	paths := make([]string, 0, len(total))
	for path := range total {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int {
		if total[a] != total[b] {
			return total[a] - total[b]
		}
		return strings.Compare(a, b)
	})
	return paths
}

// nearer notes in to that path is one step further than the nearest of its imports, and
// reports whether that is news.
func nearer(to, near map[string]int, path string, imports []string) bool {
	news := false
	for _, in := range imports {
		n, ok := near[in]
		if old, had := to[path]; ok && (!had || n+1 < old) {
			to[path], news = n+1, true
		}
	}
	return news
}

// each does something n times, a few at once.
func each(jobs, n int, do func(i int) error) error {
	next := make(chan int)
	errs := make([]error, max(1, jobs))
	var wg sync.WaitGroup
	for worker := range errs {
		wg.Go(func() {
			for i := range next {
				errs[worker] = errors.Join(errs[worker], do(i))
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}
