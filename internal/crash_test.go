package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each operation that writes to the store has a test that makes its calls fail: every exported
// function that commits, by itself or by another one of its package. testdata/crashes.txt says
// which test that is, or why there is none, so that a new one is not forgotten.
func TestEveryOperationIsCrashed(t *testing.T) {
	t.Parallel()
	tests := tableOf(t, filepath.Join("testdata", "crashes.txt"))
	groups, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	members, err := filepath.Glob("*/*")
	if err != nil {
		t.Fatal(err)
	}
	operations, crashing := map[string]bool{}, map[string]bool{}
	for _, dir := range append(groups, members...) {
		p := read(t, dir)
		maps.Copy(crashing, p.crashing)
		for _, op := range p.writers() {
			operations[filepath.Base(dir)+" "+op] = true
		}
	}
	for _, op := range slices.Sorted(maps.Keys(operations)) {
		switch test := tests[op]; {
		case test == "":
			t.Errorf("%s writes, and testdata/crashes.txt names no test that makes its calls fail", op)
		case !crashing[test] && !strings.HasPrefix(test, "none: "):
			t.Errorf("%s: there is no test %s that makes calls fail everywhere", op, test)
		}
	}
	for op := range tests {
		if !operations[op] {
			t.Errorf("testdata/crashes.txt: %s is no operation that writes", op)
		}
	}
}

// tableOf reads lines of two columns.
func tableOf(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		op, test, _ := strings.Cut(strings.TrimSpace(line), "\t")
		rows[op] = test
	}
	return rows
}

// program is what the functions of a package call, each named Type.Name or Name.
type program struct {
	calls    map[string][]string // ".Name" is a method of no known type; "!" writes
	crashing map[string]bool     // tests, as package.Name
}

func read(t *testing.T, dir string) program {
	t.Helper()
	p := program{map[string][]string{}, map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			self, typ := receiver(f)
			name, calls := typ+f.Name.Name, callsOf(f.Body, self, typ)
			if !strings.HasSuffix(path, "_test.go") {
				p.calls[name] = calls
			} else if slices.ContainsFunc([]string{"faulttest.Everywhere", "faulttest.Quarter", "faulttest.Pairs"}, func(f string) bool { return slices.Contains(calls, f) }) {
				p.crashing[filepath.Base(dir)+"."+name] = true
			}
		}
	}
	return p
}

// receiver is what a method calls what it belongs to, and the type of that with a dot.
func receiver(f *ast.FuncDecl) (self, typ string) {
	if f.Recv == nil {
		return "", ""
	}
	of := f.Recv.List[0]
	x := of.Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	if len(of.Names) > 0 {
		self = of.Names[0].Name
	}
	return self, fmt.Sprint(x) + "."
}

func callsOf(body ast.Node, self, typ string) []string {
	var calls []string
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			calls = append(calls, f.Name)
		case *ast.SelectorExpr:
			x, _ := f.X.(*ast.Ident)
			switch {
			case commits(f):
				calls = append(calls, "!")
			case x != nil && x.Name == self:
				calls = append(calls, typ+f.Sel.Name)
			case x != nil && x.Name == "faulttest":
				calls = append(calls, "faulttest."+f.Sel.Name)
			default:
				calls = append(calls, "."+f.Sel.Name)
			}
		}
		return true
	})
	return calls
}

// commits reports whether a call is one of those by which everything is written: Commit, CommitAll
// and Apply of a DB, and PutOnce of the outbox.
func commits(f *ast.SelectorExpr) bool {
	if f.Sel.Name == "PutOnce" {
		return true
	}
	if !slices.Contains([]string{"Commit", "CommitAll", "Apply"}, f.Sel.Name) {
		return false
	}
	switch x := f.X.(type) {
	case *ast.CallExpr:
		on, ok := x.Fun.(*ast.SelectorExpr)
		return ok && on.Sel.Name == "DB"
	case *ast.SelectorExpr:
		return x.Sel.Name == "db"
	}
	return false
}

// writers are the exported functions that write.
func (p program) writers() []string {
	var all []string
	for name := range p.calls {
		_, plain, method := strings.Cut(name, ".")
		if !method {
			plain = name
		}
		if ast.IsExported(plain) && p.writes(name, map[string]bool{}) {
			all = append(all, name)
		}
	}
	return all
}

func (p program) writes(name string, seen map[string]bool) bool {
	if name == "!" || seen[name] {
		return name == "!"
	}
	seen[name] = true
	if calls, ok := p.calls[name]; ok {
		return slices.ContainsFunc(calls, func(to string) bool { return p.writes(to, seen) })
	}
	_, method, _ := strings.Cut(name, ".") // of what is embedded, or of another type
	for other := range p.calls {
		if strings.HasSuffix(other, "."+method) && method != "" && p.writes(other, seen) {
			return true
		}
	}
	return false
}
