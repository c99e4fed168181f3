// Package internal_test holds the packages to their direction.
package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors are the groups of packages from the ground up. A group may import those on lower floors; groups on one floor know
// nothing of each other.
var floors = [][]string{
	{"base"}, {"cloud", "model", "words"}, {"tenant"}, {"agent"}, {"plan", "spine"}, {"record"}, {"matter"},
	{"people", "provider"}, {"edge"}, {"app"},
}

// rooms are the packages of the one matter that has several, which is a request to vendors, from the ground up. A room may
// import those on lower floors. Other matters do not import each other: where one needs another, it declares an interface, and
// app joins the two.
var rooms = [][]string{
	{"matter/quote/price"}, {"matter/quote/ocr"}, {"matter/quote", "matter/quote/pdf"},
	{"matter/callconsent", "matter/discovery", "matter/vendor"}, {"matter/request"},
}

// wireTypes are modules that only a few packages may know.
var wireTypes = map[string][]string{
	"github.com/aws/aws-lambda-go":                        {"internal/cloud/trigger", "infra/local", "infra/lab"},
	"github.com/aws/aws-sdk-go-v2/service/dynamodb":       {"internal/cloud/dynamo", "internal/cloud/trigger", "internal/base/faulttest", "infra/local", "infra/lab"},
	"github.com/aws/aws-sdk-go-v2/service/sqs":            {"internal/cloud/queue", "infra/redrive"},
	"github.com/aws/aws-sdk-go-v2/service/eventbridge":    {"internal/cloud/bus"},
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager": {"internal/app"},
	"github.com/aws/aws-sdk-go-v2/service/textract":       {"internal/provider/textract"},
	"github.com/sashabaranov/go-openai":                   {"internal/provider/openai"},
	"github.com/golang-jwt/jwt":                           {"internal/provider/oidc", "internal/edge/api/apitest"},
	"github.com/stripe/stripe-go":                         {"internal/provider/stripe"},
	"github.com/typesense/typesense-go":                   {"internal/provider/typesense"},
	"github.com/MicahParks/keyfunc":                       {"internal/provider/oidc"},
	"gonum.org/v1/gonum":                                  {"internal/model/minilm"},
	"github.com/pdfcpu/pdfcpu":                            {"internal/matter/quote/pdf"},
	"github.com/tdewolff/minify":                          {"internal/edge/web"},
	"github.com/aws/aws-cdk-go":                           {"infra/cdk"},
	"github.com/aws/jsii-runtime-go":                      {"infra/cdk"},
}

// carried is what one function is built with and no other, because of its size.
var carried = map[string][]string{"functions/ocr": {"matter/quote/pdf"}}

func TestImports(t *testing.T) {
	t.Parallel()
	floor := map[string]int{}
	for n, groups := range floors {
		for _, g := range groups {
			floor[g] = n
		}
	}
	for dir, imports := range importsBelow(t, "..") {
		pkg, inside := strings.CutPrefix(dir, "internal/")
		group, _, _ := strings.Cut(pkg, "/")
		own, known := floor[group]
		if inside && !known {
			t.Errorf("internal/%s is in no group", pkg)
			continue
		}
		for _, imp := range imports {
			for module, may := range wireTypes {
				if strings.HasPrefix(imp, module) && !slices.ContainsFunc(may, func(m string) bool { return strings.HasPrefix(dir, m) }) {
					t.Errorf("%s imports %s, which is for %v only", dir, imp, may)
				}
			}
			dep, ours := strings.CutPrefix(imp, "merve/internal/")
			to, _, _ := strings.Cut(dep, "/")
			switch {
			case strings.HasPrefix(imp, "merve/functions"):
				t.Errorf("%s imports a function", dir)
			case strings.HasPrefix(dir, "functions/") && strings.HasPrefix(imp, "merve/") && dep != "app" && imp != "merve/infra/wiring" && !slices.Contains(carried[dir], dep):
				t.Errorf("%s imports %s: a function is wiring only", dir, imp)
			case !inside || forTests(pkg):
			case strings.HasPrefix(imp, "merve/infra"):
				t.Errorf("%s imports %s: the product does not know where it runs", dir, imp)
			case !ours:
			case forTests(dep):
				t.Errorf("internal/%s imports %s, which is for tests", pkg, dep)
			case group != to && floor[to] >= own:
				t.Errorf("internal/%s imports %s: %s may not import %s", pkg, dep, group, to)
			case group == "matter" && to == "matter" && !below(dep, pkg):
				t.Errorf("internal/%s imports %s: matters do not import each other, and a room only those below it", pkg, dep)
			}
		}
	}
}

// below reports whether both packages are rooms of one matter, the first on a lower floor than the second.
func below(pkg, other string) bool {
	at := func(pkg string) int {
		return slices.IndexFunc(rooms, func(floor []string) bool { return slices.Contains(floor, pkg) })
	}
	return at(pkg) >= 0 && at(pkg) < at(other)
}

// forTests reports whether a package is what tests share.
func forTests(pkg string) bool { return strings.HasSuffix(pkg, "test") }

// importsBelow lists the imports of every package below root, tests left out.
func importsBelow(t *testing.T, root string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[filepath.ToSlash(rel)] = append(found[filepath.ToSlash(rel)], imp)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
