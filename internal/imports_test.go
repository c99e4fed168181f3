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

// layers says which packages of this module each package may import: those that stand in lines above its
// own. On one line nobody imports a neighbour unless it is named in also. The levels are those in which one
// learns the house: each knows only what is above it.
var layers = []struct {
	level    string
	packages []string
	also     []string // neighbours that the others of the line may import
}{
	{"ground", []string{"pattern", "pause"}, nil},
	{"ground", []string{"fault", "ident", "telemetry", "llm", "language"}, nil},
	{"ground", []string{"dynamo", "trigger", "provider/exchange"}, nil},
	{"speech", []string{"wording", "claim", "rank", "contact"}, nil},
	{"speech", []string{"standing"}, nil},
	{"words", []string{"geo", "event", "alert", "actor", "queue", "bus", "schedule", "limit", "bound", "stock"}, nil},
	{"words", []string{"discovery"}, nil},
	{"words", []string{"channel", "market", "person", "roster", "media", "provider/openai", "provider/oidc", "provider/mapbox", "provider/stripe", "provider/realtimekit", "provider/gemini", "provider/googleplaces"}, []string{"channel"}},
	{"words", []string{"tool", "calc", "weather", "minilm", "product", "ocr"}, nil},
	{"words", []string{"provider/openmeteo", "provider/textract", "pdf"}, nil},
	{"agent", []string{"agent"}, nil},
	{"agent", []string{"plan", "worker"}, nil},
	{"spine", []string{"thread"}, nil},
	{"spine", []string{"outbox", "gate", "live"}, nil},
	{"spine", []string{"assistant", "provider/twilio", "provider/meta"}, nil},
	{"spine", []string{"turn"}, nil},
	{"matters", []string{"ledger", "listing", "place", "report", "customer", "price"}, nil},
	{"matters", []string{"booking", "order", "taxi", "payment", "appointment", "marketplace", "provider/typesense"}, nil},
	{"people", []string{"account", "desk"}, nil},
	{"people", []string{"relay"}, nil},
	{"people", []string{"notify", "ops"}, nil},
	{"edges", []string{"httpapi"}, nil},
	{"edges", []string{"web", "threadapi"}, nil},
	{"edges", []string{"api", "admin"}, nil},
	{"edges", []string{"app"}, nil},
	// What tests share. Nothing of the product imports it.
	{"proof", proofs, proofs},
}

var proofs = []string{
	"faulttest", "fieldtest", "seedtest", "dynamo/dynamotest", "pause/pausetest", "llm/llmtest", "queue/queuetest",
	"bus/bustest", "media/mediatest", "ledger/ledgertest",
	"api/apitest", "web/webtest", "provider/providertest", "provider/twilio/twiliotest", "provider/meta/metatest", "provider/stripe/stripetest",
	"provider/mapbox/mapboxtest", "provider/openai/openaitest", "provider/typesense/typesensetest", "provider/openmeteo/openmeteotest", "provider/realtimekit/realtimekittest",
	"pdf/pdftest", "provider/gemini/geminitest", "provider/googleplaces/googleplacestest",
}

// startsMachine are the proofs that start parts of the machine on which the product runs.
var startsMachine = []string{"dynamo/dynamotest", "media/mediatest", "bus/bustest", "api/apitest"}

// wireTypes are modules that only a few packages may know.
var wireTypes = map[string][]string{
	"github.com/aws/aws-lambda-go":                        {"internal/trigger", "infra/local", "infra/lab"},
	"github.com/aws/aws-sdk-go-v2/service/dynamodb":       {"internal/dynamo", "internal/trigger", "internal/faulttest", "infra/local", "infra/lab"},
	"github.com/aws/aws-sdk-go-v2/service/sqs":            {"internal/queue", "infra/redrive"},
	"github.com/aws/aws-sdk-go-v2/service/eventbridge":    {"internal/bus"},
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager": {"internal/app"},
	"github.com/aws/aws-sdk-go-v2/service/textract":       {"internal/provider/textract"},
	"github.com/sashabaranov/go-openai":                   {"internal/provider/openai"},
	"github.com/golang-jwt/jwt":                           {"internal/provider/oidc", "internal/api/apitest"},
	"github.com/stripe/stripe-go":                         {"internal/provider/stripe"},
	"github.com/typesense/typesense-go":                   {"internal/provider/typesense"},
	"github.com/MicahParks/keyfunc":                       {"internal/provider/oidc"},
	"gonum.org/v1/gonum":                                  {"internal/minilm"},
	"github.com/pdfcpu/pdfcpu":                            {"internal/pdf"},
	"github.com/tdewolff/minify":                          {"internal/web"},
	"github.com/aws/aws-cdk-go":                           {"infra/cdk"},
	"github.com/aws/jsii-runtime-go":                      {"infra/cdk"},
}

// carried is what one function is built with and no other, because of its size.
var carried = map[string][]string{"functions/ocr": {"pdf"}}

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
		if inside && !known {
			t.Errorf("internal/%s stands in no layer", pkg)
			continue
		}
		for _, imp := range imports {
			for module, may := range wireTypes {
				if strings.HasPrefix(imp, module) && !slices.ContainsFunc(may, func(m string) bool { return strings.HasPrefix(dir, m) }) {
					t.Errorf("%s imports %s, which is for %v only", dir, imp, may)
				}
			}
			dep, ours := strings.CutPrefix(imp, "merve/internal/")
			switch {
			case strings.HasPrefix(imp, "merve/functions"):
				t.Errorf("%s imports a function", dir)
			case inside && strings.HasPrefix(imp, "merve/infra") && !slices.Contains(startsMachine, pkg):
				t.Errorf("%s imports %s: the product does not know where it runs", dir, imp)
			case strings.HasPrefix(dir, "functions/") && strings.HasPrefix(imp, "merve/") && dep != "app" && imp != "merve/infra/wiring" && !slices.Contains(carried[dir], dep):
				t.Errorf("%s imports %s: a function is wiring only", dir, imp)
			case inside && ours && level[dep] >= own && !slices.Contains(also[pkg], dep):
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
