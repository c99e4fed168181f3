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

// layers says which packages of this module each package may import: those of its own
// line's list and those that stand in lines above, by level. Within a level nobody
// imports a neighbour unless it is named.
var layers = []struct {
	packages []string
	also     []string // neighbours of the same level, or the few exceptions
}{
	{packages: []string{"pattern", "pause"}},
	{packages: []string{"fault", "ident", "telemetry", "llm", "language"}},
	{packages: []string{"dynamo", "trigger", "wording", "claim", "rank", "provider/exchange"}},
	{packages: []string{"event", "alert", "actor", "queue", "schedule", "limit", "stock"}},
	{packages: []string{"channel", "market", "person", "roster", "media", "provider/openai", "provider/oidc", "provider/mapbox", "provider/stripe"}, also: []string{"channel"}},
	{packages: []string{"tool"}},
	{packages: []string{"agent"}},
	{packages: []string{"thread"}},
	{packages: []string{"outbox", "gate"}},
	{packages: []string{"assistant", "ledger", "listing", "place", "report", "provider/twilio", "provider/meta"}},
	{packages: []string{"booking", "account", "turn", "order", "taxi", "desk", "payment", "provider/typesense"}},
	{packages: []string{"relay"}},
	{packages: []string{"notify", "ops"}},
	{packages: []string{"httpapi"}},
	{packages: []string{"web", "threadapi"}},
	{packages: []string{"api", "admin"}},
	{packages: []string{"app"}},
}

// wireTypes are modules that only a few packages may know.
var wireTypes = map[string][]string{
	"github.com/aws/aws-lambda-go":                        {"internal/trigger", "infra/local", "infra/lab"},
	"github.com/aws/aws-sdk-go-v2/service/dynamodb":       {"internal/dynamo", "internal/trigger", "infra/local", "infra/lab"},
	"github.com/aws/aws-sdk-go-v2/service/sqs":            {"internal/queue"},
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager": {"internal/app"},
	"github.com/sashabaranov/go-openai":                   {"internal/provider/openai"},
	"github.com/golang-jwt/jwt":                           {"internal/provider/oidc"},
	"github.com/stripe/stripe-go":                         {"internal/provider/stripe"},
	"github.com/typesense/typesense-go":                   {"internal/provider/typesense"},
	"github.com/MicahParks/keyfunc":                       {"internal/provider/oidc"},
	"github.com/aws/aws-cdk-go":                           {"infra/cdk"},
	"github.com/aws/jsii-runtime-go":                      {"infra/cdk"},
}

func TestImports(t *testing.T) {
	t.Parallel()
	level := map[string]int{}
	also := map[string][]string{}
	for i, l := range layers {
		for _, p := range l.packages {
			level[p], also[p] = i, l.also
		}
	}
	for dir, imports := range importsBelow(t, "..") {
		pkg, inside := strings.CutPrefix(dir, "internal/")
		own, known := level[pkg]
		test := strings.HasSuffix(pkg, "test")
		if inside && !known && !test {
			t.Errorf("internal/%s stands in no layer", pkg)
			continue
		}
		for _, imp := range imports {
			for module, may := range wireTypes {
				if strings.HasPrefix(imp, module) && !test && !slices.ContainsFunc(may, func(m string) bool { return strings.HasPrefix(dir, m) }) {
					t.Errorf("%s imports %s, which is for %v only", dir, imp, may)
				}
			}
			dep, ours := strings.CutPrefix(imp, "merve/internal/")
			switch {
			case strings.HasPrefix(imp, "merve/functions"):
				t.Errorf("%s imports a function", dir)
			case inside && !test && strings.HasPrefix(imp, "merve/infra"):
				t.Errorf("%s imports %s: the product does not know where it runs", dir, imp)
			case strings.HasPrefix(dir, "functions/") && strings.HasPrefix(imp, "merve/") && dep != "app" && imp != "merve/infra/wiring":
				t.Errorf("%s imports %s: a function is wiring only", dir, imp)
			case inside && !test && ours && level[dep] >= own && !slices.Contains(also[pkg], dep):
				t.Errorf("internal/%s imports %s, which stands beside or above it", pkg, dep)
			}
		}
	}
}

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
