package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/infra/lab/mutate/mutant"
)

func moduleDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// sampleTables names the functions of the sample.
func sampleTables() tables {
	t := productTables()
	t.weakened, t.keys = []string{"sample.go store.refuse"}, []string{"sample.go key"}
	return t
}

func findSample(t *testing.T) *Sites {
	t.Helper()
	dir := filepath.Join(moduleDir(t), tool, "testdata", "sample")
	s, err := Find(sampleTables(), dir, dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFindsEachKindOfSite(t *testing.T) {
	t.Parallel()
	var got []string
	for _, m := range findSample(t).Mutants {
		got = append(got, strings.TrimPrefix(m.String(), "sample.go "))
	}
	slices.Sort(got)
	want := []string{
		`hash: field n | left out of what it names`,
		`hash: field owner | left out of what it names`,
		`hash: field raw | left out of what it names`,
		`item: field n | left out of what it names`,
		`item: field partition(owner) | left out of what it names`,
		`key: "key:" + owner | another each time`,
		`key: field owner | left out of what it names`,
		`message: "m-" + owner | another each time`,
		`message: field owner | left out of what it names`,
		`partition: field owner | left out of what it names`,
		`queue: "once" | another each time`,
		`store.commit: write more | left out`,
		`store.commit: write s.table.Delete(k) | left out`,
		`store.refuse: a.Owns(owner) | passes`,
		`store.refuse: case n < 0, n == 3 && owner != "" | never`,
		`store.refuse: case n == 4 | never`,
		`store.refuse: n == 3 | always`,
		`store.refuse: n > 10 || owner == "nobody" | never`,
		`store.refuse: owner != "" | always`,
		`store.writes: a = :b AND (b = :b OR c = :b) | without the condition`,
		`store.writes: a = :b AND (b = :b OR c = :b)#1 | without a = :b`,
		`store.writes: a = :b AND (b = :b OR c = :b)#2 | without (b = :b OR c = :b)`,
		`store.writes: attribute_exists(pk) | without the condition`,
		`store.writes: attribute_not_exists(until) OR until <= :now | without the condition`,
		`store.writes: s.table.Delete(k) AtVersionOrGone | without the condition`,
		`store.writes: s.table.Put(k, k) AtVersion | without the condition`,
		`store.writes: s.table.Put(k, k) IfAbsent | without the condition`,
		`store.writes: write s.table.Delete(k).AtVersionOrGone(2) | left out`,
		`store.writes: write s.table.Put(k, k).AtVersion(2) | left out`,
		`store.writes: write s.table.Put(k, k).IfAbsent() | left out`,
		`store.writes: write s.table.Update(k, "SET a = :a", dynamo.V{":a": 1}). If("a = :b AND (b = :b OR c = :b)", dynamo.V{":b": 2… | left out`,
		`store.writes: … | without the condition`,
		`ttl: now.Add(time.Hour).Unix() | forgotten too soon`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mutants (-want +got):\n%s", diff)
	}
}

// What is built is the sample with every mutation in it, on the lines where it was.
func TestTheOverlayBuilds(t *testing.T) {
	t.Parallel()
	s, module := findSample(t), moduleDir(t)
	work := t.TempDir()
	overlay, err := s.writeOverlay(work, module)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", filepath.Join(work, "t"), "./"+tool+"/testdata/sample")
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	file := tool + "/testdata/sample/sample.go"
	before, err := os.ReadFile(filepath.Join(module, file))
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(work, file))
	if err != nil {
		t.Fatal(err)
	}
	if b, a := strings.Count(string(before), "\n"), strings.Count(string(after), "\n"); a != b {
		t.Errorf("%d lines became %d", b, a)
	}
	for _, m := range s.Mutants {
		if !strings.Contains(string(after), fmt.Sprintf("%q", m.site())) {
			t.Errorf("not in the code: %s", m)
		}
	}
}

func TestApplyNests(t *testing.T) {
	t.Parallel()
	got := string(apply([]byte("f(a+b) || c"), []edit{
		{start: 2, end: 5, before: "X(", after: ")"},
		{start: 2, end: 3, before: "Y(", after: ")"},
		{start: 0, end: 11, before: "Z(", after: ")"},
		{start: 10, end: 11, before: "d", replaces: true},
	}))
	if want := "Z(f(X(Y(a)+b)) || d)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func productSites(t *testing.T) *Sites {
	t.Helper()
	module := moduleDir(t)
	s, err := Find(productTables(), module, filepath.Join(module, "internal"), "./internal/...")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGuardsNameWhatExists(t *testing.T) {
	t.Parallel()
	if stale := productSites(t).Stale(); len(stale) > 0 {
		t.Errorf("guards.go names what is no longer there: %q", stale)
	}
}

// What is known of mutants is known of those that there are: a test that there is, or why it changes nothing, and not
// both. Mutants are named by file and function, so every move of code changes the table: make prove looks at it, and
// not every change. Those that nothing is known of are counted: make mutate looks for their tests.
func TestEveryMutantIsKnown(t *testing.T) {
	t.Parallel()
	if os.Getenv("MUTANTS") != "known" {
		t.Skip("make prove checks killers.txt (MUTANTS=known)")
	}
	module, s := moduleDir(t), productSites(t)
	k, err := readKnowledge("testdata")
	if err != nil {
		t.Fatal(err)
	}
	known, unknown := map[string]bool{}, 0
	for _, m := range s.Mutants {
		known[m.ID] = true
		if !k.knows(m) {
			unknown++
		}
	}
	if unknown > 0 {
		t.Logf("nothing is known to notice %d of %d mutants: find it with\n\tgo run ./infra/local/dynamodb/with go run ./infra/lab/mutate -unknown -update",
			unknown, len(s.Mutants))
	}
	tests := map[string]string{} // of a package's directory, the text of its tests
	for id, killer := range k.killers {
		if !known[id] {
			t.Errorf("killers.txt: %q: no such mutant", id)
		}
		dir := strings.TrimPrefix(killer.pkg, "merve/")
		if _, read := tests[dir]; !read {
			tests[dir] = testsIn(t, filepath.Join(module, dir))
		}
		if name, _, _ := strings.Cut(killer.test, "/"); !strings.Contains(tests[dir], "func "+name+"(") {
			t.Errorf("killers.txt: %q dies of %s, which %s has not", id, killer.test, killer.pkg)
		}
	}
	for id, why := range k.same {
		if !known[id] || len(why) < 20 {
			t.Errorf("equivalent.txt: %q: no such mutant, or no reason", id)
		}
		if killer, ok := k.killers[id]; ok {
			t.Errorf("equivalent.txt: %q changes nothing, and dies of %s", id, killer.test)
		}
	}
}

func testsIn(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func TestTestersAreNearestFirst(t *testing.T) {
	t.Parallel()
	g := graph{
		"store":   {ImportPath: "store", TestGoFiles: []string{"x"}},
		"turn":    {ImportPath: "turn", Imports: []string{"store"}, TestGoFiles: []string{"x"}},
		"api":     {ImportPath: "api", Imports: []string{"turn"}, TestGoFiles: []string{"x"}},
		"journey": {ImportPath: "journey", XTestImports: []string{"turn"}, XTestGoFiles: []string{"x"}},
		"other":   {ImportPath: "other", TestGoFiles: []string{"x"}},
		"bare":    {ImportPath: "bare", Imports: []string{"store"}},
	}
	if diff := cmp.Diff([]string{"store", "turn", "api", "journey"}, g.testers("store")); diff != "" {
		t.Errorf("testers (-want +got):\n%s", diff)
	}
}

func TestPartsOfTests(t *testing.T) {
	t.Parallel()
	all := []reach{{name: "TestA"}, {name: "TestC/x"}, {name: "TestB"}, {name: "TestD/x"}, {name: "TestC/y.z"}}
	var got []string
	for _, some := range together(all) {
		got = append(got, pattern(namesOf(some)))
	}
	if diff := cmp.Diff([]string{"^(TestA|TestB)$", `^(TestC)$/^(x|y\.z)$`, "^(TestD)$/^(x)$"}, got); diff != "" {
		t.Errorf("patterns (-want +got):\n%s", diff)
	}
	output := "=== RUN   TestC\n=== RUN   TestC/x\n=== PAUSE TestC/x\n=== RUN   TestC/x/deep\n=== RUN   TestCD/x\n=== RUN   TestC/y.z\n"
	if diff := cmp.Diff([]string{"TestC/x", "TestC/y.z"}, partsOf("TestC", []byte(output))); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestSharesAreAllThereIs(t *testing.T) {
	t.Parallel()
	var all, got []Mutant
	for i := range 10 {
		all = append(all, Mutant{ID: fmt.Sprintf("m%d", i)})
	}
	for k := 1; k <= 3; k++ {
		share, err := choose(all, options{share: fmt.Sprintf("%d/3", k)}, knowledge{})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, share...)
	}
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("shares together (-want +got):\n%s", diff)
	}
	for _, share := range []string{"", "0/3", "4/3", "x"} {
		if _, err := choose(all, options{share: share}, knowledge{}); err == nil {
			t.Errorf("share %q is taken", share)
		}
	}
}

func TestUnknownMutants(t *testing.T) {
	t.Parallel()
	all := []Mutant{{ID: "a.go f: x"}, {ID: "a.go f: y"}, {ID: "a.go f: z"}, {ID: "b.go g: x"}}
	got, err := choose(all, options{share: "1/1", unknown: true, only: "^a"}, knowledge{
		killers: map[string]killer{"a.go f: x": {"p", "TestA"}}, same: map[string]string{"a.go f: z": "it saves time only"},
	})
	if diff := cmp.Diff([]Mutant{all[1]}, got); err != nil || diff != "" {
		t.Errorf("%v, of which nothing is known (-want +got):\n%s", err, diff)
	}
}

func TestKillersAreKept(t *testing.T) {
	t.Parallel()
	k, err := readKnowledge(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	k.killers["a.go f: x = :y AND z#2"], k.killers["a.go f: b"] = killer{"p", "TestA"}, killer{"p", "TestB"}
	k.killers["a.go gone: c"] = killer{"p", "TestC"}
	if err := k.write([]Mutant{{ID: "a.go f: b"}, {ID: "a.go f: x = :y AND z#2"}}); err != nil {
		t.Fatal(err)
	}
	got, err := readKnowledge(k.dir)
	if err != nil {
		t.Fatal(err)
	}
	delete(k.killers, "a.go gone: c")
	if diff := cmp.Diff(k.killers, got.killers, cmp.AllowUnexported(killer{})); diff != "" {
		t.Errorf("killers (-want +got):\n%s", diff)
	}
}

// A mutant lives in a process of its own: this test runs itself again with each.
func TestAMutantIsWhatItsProcessSays(t *testing.T) {
	t.Parallel()
	if os.Getenv("MUTATE_PRINTS") != "" {
		err := mutant.Nil("nil", errors.New("refused"))
		values := mutant.Used(map[string]int{":n": 1, ":now": 2}, "a = :now")
		one, two := mutant.Unique("key", "k"), mutant.Unique("key", "k")
		fmt.Println("=>", mutant.Cond("c", "a = :a AND (b OR c)"), err, mutant.False("false", true), mutant.True("true", false),
			mutant.One("one", 0), one == "k" && two == "k", one == two, len(values), mutant.Zero("zero", 7))
		return
	}
	for id, want := range map[string]string{
		"":      "a = :a AND (b OR c) refused true false 0 true true 2 7",
		"c":     mutant.Always + " refused true false 0 true true 1 7",
		"c#1":   mutant.Always + " AND (b OR c) refused true false 0 true true 1 7",
		"c#2":   "a = :a AND " + mutant.Always + " refused true false 0 true true 1 7",
		"nil":   "a = :a AND (b OR c) <nil> true false 0 true true 1 7",
		"false": "a = :a AND (b OR c) refused false false 0 true true 1 7",
		"true":  "a = :a AND (b OR c) refused true true 0 true true 1 7",
		"one":   "a = :a AND (b OR c) refused true false 1 true true 1 7",
		"key":   "a = :a AND (b OR c) refused true false 0 false false 1 7",
		"zero":  "a = :a AND (b OR c) refused true false 0 true true 1 0",
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAMutantIsWhatItsProcessSays$")
		cmd.Env = append(os.Environ(), "MUTATE_PRINTS=1", mutant.Env+"="+id)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if !strings.Contains(string(out), "=> "+want+"\n") {
			t.Errorf("mutant %q: got %swant %s", id, out, want)
		}
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	for cond, want := range map[string][]string{
		"a = :a":                           {"a = :a"},
		"a = :a AND b":                     {"a = :a", "b"},
		"a AND (b OR c AND d) AND f(x, y)": {"a", "(b OR c AND d)", "f(x, y)"},
		"a AND b OR c":                     {"a AND b OR c"},
	} {
		if diff := cmp.Diff(want, mutant.Parts(cond)); diff != "" {
			t.Errorf("Parts(%q) (-want +got):\n%s", cond, diff)
		}
	}
}
