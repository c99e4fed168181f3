package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// facets are the parts of the contract of package matter: what declares one, and the lists of matters.go that join it.
var facets = []struct {
	name     string
	declares func(d ast.Decl) bool
	joins    []string
}{
	{"tools", method("Tools"), []string{"Tools"}},
	{"commitments", method("Commitments"), []string{"commitments"}},
	{"looks", method("Looks"), []string{"looks"}},
	{"standing", named(token.TYPE, "Standing"), []string{"standing"}},
	{"held", named(token.TYPE, "Held"), []string{"held"}},
	{"events", named(token.VAR, "Events"), []string{"ledgerEvents", "recordEvents"}},
	{"sweep", method("Sweep"), []string{"lapses", "outreach"}},
	{"commands", method("Command"), []string{"commands"}},
	{"codes", func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Recv == nil && f.Name.Name == "Coded"
	}, []string{"works"}},
}

func method(name string) func(ast.Decl) bool {
	return func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Recv != nil && f.Name.Name == name
	}
}

// named finds declarations whose names begin so: a matter may keep several things of a person.
func named(kind token.Token, name string) func(ast.Decl) bool {
	return func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && g.Tok == kind && slices.ContainsFunc(g.Specs, func(s ast.Spec) bool {
			switch s := s.(type) {
			case *ast.TypeSpec:
				return strings.HasPrefix(s.Name.Name, name)
			case *ast.ValueSpec:
				return s.Names[0].Name == name
			}
			return false
		})
	}
}

// Every matter has each facet of the contract, joined to the rest, or says in its package doc why it has none.
func TestEveryMatterKeepsTheContract(t *testing.T) {
	t.Parallel()
	joined := joins(t)
	matters, err := filepath.Glob("../matter/*")
	if err != nil || len(matters) == 0 {
		t.Fatalf("%v, no matters", err)
	}
	held := 0
	for _, dir := range matters {
		pkg, doc, decls := read(t, dir)
		if !slices.ContainsFunc(decls, facets[0].declares) && !slices.ContainsFunc(decls, facets[4].declares) {
			continue // matters share it: it is none itself
		}
		held++
		for _, f := range facets {
			declared := slices.ContainsFunc(decls, f.declares)
			in := slices.ContainsFunc(f.joins, func(list string) bool { return joined[list][pkg] })
			reason := regexp.MustCompile(`(?m)^\s*- No ` + f.name + `: \S`).MatchString(doc)
			switch {
			case declared && !in:
				t.Errorf("%s declares %s, which app joins in none of %v", pkg, f.name, f.joins)
			case declared && reason:
				t.Errorf("%s has %s and says that it has none", pkg, f.name)
			case !declared && !reason:
				t.Errorf("%s has no %s and does not say why: want %q in its package doc", pkg, f.name, "- No "+f.name+": …")
			}
		}
	}
	if held < 7 {
		t.Errorf("%d matters were held to the contract", held)
	}
}

// read returns the declarations of a package and its doc.
func read(t *testing.T, dir string) (pkg, doc string, decls []ast.Decl) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pkg, doc, decls = f.Name.Name, doc+f.Doc.Text(), append(decls, f.Decls...)
	}
	return pkg, doc, decls
}

// joins returns the packages that each list of matters.go names, itself or by a method that returns one of theirs.
func joins(t *testing.T) map[string]map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "matters.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{} // the package of what a method returns
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Type.Results != nil {
			result := f.Type.Results.List[0].Type
			if star, ok := result.(*ast.StarExpr); ok {
				result = star.X
			}
			if s, ok := result.(*ast.SelectorExpr); ok {
				of[f.Name.Name] = s.X.(*ast.Ident).Name
			}
		}
	}
	found := map[string]map[string]bool{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		packages := map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok {
					packages[x.Name], packages[of[s.Sel.Name]] = true, true
				}
			}
			return true
		})
		found[f.Name.Name] = packages
	}
	return found
}
