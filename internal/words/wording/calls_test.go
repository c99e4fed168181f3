package wording

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every call of Say in the module that names its variables in place gives exactly
// those of the text, so that no sentence goes out with a hole in it.
func TestEveryCallGivesEveryVariable(t *testing.T) {
	t.Parallel()
	keys := constantNames(t)
	root := os.DirFS(filepath.Join("..", "..", ".."))
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(root, path)
		if err != nil || !strings.Contains(string(source), "wording.Say(") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			return err
		}
		for _, problem := range incompleteCalls(file, keys) {
			t.Errorf("%s: %s", path, problem)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestIncompleteCallIsSeen(t *testing.T) {
	t.Parallel()
	source := `package p
var a = wording.Say(lang, wording.TooLong, wording.Vars{"max": "1"})
var b = wording.Say(lang, wording.TooLong, wording.Vars{"maximum": "1"})
var c = wording.Say(lang, wording.TooLong, nil)
var d = wording.Say(lang, wording.TooLong, elsewhere)`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := incompleteCalls(file, constantNames(t)); len(got) != 2 {
		t.Errorf("incompleteCalls = %q, want two", got)
	}
}

// constantNames maps the names of the exported Key constants to their keys.
func constantNames(t *testing.T) map[string]Key {
	t.Helper()
	names := map[string]Key{}
	eachKey(t, func(name string, key Key) { names[name] = key })
	return names
}

func incompleteCalls(file *ast.File, keys map[string]Key) (problems []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 3 || !isWording(call.Fun, "Say") {
			return true
		}
		key, ok := call.Args[1].(*ast.SelectorExpr)
		if !ok {
			return true
		}
		given, known := givenVariables(call.Args[2])
		if !known {
			return true
		}
		var want []string
		for _, name := range in("en").texts[keys[key.Sel.Name]].variables() {
			if name != "yes" && name != "no" {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		if !slices.Equal(want, given) {
			problems = append(problems, "wording."+key.Sel.Name+" takes "+strings.Join(want, ", ")+"; given "+strings.Join(given, ", "))
		}
		return true
	})
	return problems
}

func isWording(e ast.Expr, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "wording"
}

// givenVariables returns the sorted names in a Vars literal or nil; known is false
// for values that are made elsewhere.
func givenVariables(e ast.Expr) (names []string, known bool) {
	if ident, ok := e.(*ast.Ident); ok && ident.Name == "nil" {
		return nil, true
	}
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return nil, false
		}
		name, ok := pair.Key.(*ast.BasicLit)
		if !ok {
			return nil, false
		}
		s, err := strconv.Unquote(name.Value)
		if err != nil {
			return nil, false
		}
		names = append(names, s)
	}
	slices.Sort(names)
	return names, true
}
