package api_test

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"merve/infra/wiring"
	"merve/internal/edge/admin"
	"merve/internal/edge/api"
	"merve/internal/edge/api/apitest"
	"merve/internal/edge/httpapi"
)

// Every route is in the document and the other way round: those that the gateway knows,
// and those behind the admin API's one. Pages are no API, but for the one whose address is
// given away.
func TestDocumentHasEveryRoute(t *testing.T) {
	t.Parallel()
	var registered []string
	for _, f := range wiring.Functions() {
		for _, r := range f.Routes {
			if !r.Undocumented && r.Method != "ANY" {
				registered = append(registered, r.Method+" "+r.Path)
			}
		}
	}
	registered = slices.AppendSeq(registered, maps.Keys(inside()))
	slices.Sort(registered)
	if diff := cmp.Diff(registered, apitest.OpenAPI(t).Operations()); diff != "" {
		t.Errorf("registered (-) and described (+):\n%s", diff)
	}

	var handled, expected []string
	for _, rs := range []httpapi.Routes{
		(&api.Chat{}).Routes(), (&api.WebChat{}).Routes(), (&api.SharedReports{}).Routes(), (&api.WhatsApp{}).Routes(),
		(&api.Messenger{}).Routes(), (&api.Stripe{}).Routes(), (&api.Plans{}).Routes(), (&api.Live{}).Routes(), (&api.Requests{}).Routes(), (&api.Calls{}).Routes(), api.Health{}.Routes(), api.OpenAPI(),
	} {
		handled = slices.AppendSeq(handled, maps.Keys(rs))
	}
	for _, r := range registered {
		if !strings.Contains(r, "/admin/") {
			expected = append(expected, r)
		}
	}
	slices.Sort(handled)
	if diff := cmp.Diff(expected, handled); diff != "" {
		t.Errorf("behind the gateway (-) and handled (+):\n%s", diff)
	}
}

// inside are the routes behind the gateway's one of the admin API.
func inside() httpapi.Routes { return (&admin.API{Reports: &admin.Reports{}}).Routes() }

// The document is one that tools can read: references lead somewhere, parameters of
// paths are declared, operations have names of their own, every schema compiles, and
// every error is a problem document, or a page where a page was asked for.
func TestDocumentIsSound(t *testing.T) {
	t.Parallel()
	d := apitest.OpenAPI(t)
	if d.Root["openapi"] != "3.1.0" {
		t.Errorf("openapi: %v", d.Root["openapi"])
	}
	checkReferences(t, d, d.Root)
	seen := map[string]bool{}
	for _, o := range d.Operations() {
		method, path, _ := strings.Cut(o, " ")
		op, _, _ := d.At("paths", path, strings.ToLower(method))
		id, _ := op["operationId"].(string)
		if id == "" || seen[id] {
			t.Errorf("%s: operationId %q is missing or used twice", o, id)
		}
		seen[id] = true
		if diff := cmp.Diff(inBraces(path), declaredIn(d, op)); diff != "" {
			t.Errorf("%s: parameters in the path (-) and declared (+): %s", o, diff)
		}
		for status := range op["responses"].(map[string]any) {
			content := []string{"paths", path, strings.ToLower(method), "responses", status, "content"}
			_, _, ok := d.At(append(content, "application/problem+json")...)
			_, _, page := d.At(append(content, "text/html")...)
			if isError := status >= "400"; ok != isError && !page {
				t.Errorf("%s: status %s is a problem document: %v", o, status, ok)
			}
		}
	}
	schemas, _, _ := d.At("components", "schemas")
	for name := range schemas {
		if _, err := d.Schema("#/components/schemas/" + name); err != nil {
			t.Errorf("schema %s: %v", name, err)
		}
	}
}

func checkReferences(t *testing.T, d *apitest.Document, node any) {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			if _, _, found := d.At(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...); !found {
				t.Errorf("%s leads nowhere", ref)
			}
		}
		for _, child := range n {
			checkReferences(t, d, child)
		}
	case []any:
		for _, child := range n {
			checkReferences(t, d, child)
		}
	}
}

func inBraces(path string) map[string]bool {
	names := map[string]bool{}
	for _, segment := range strings.Split(path, "/") {
		if strings.HasPrefix(segment, "{") {
			names[strings.Trim(segment, "{}")] = true
		}
	}
	return names
}

// declaredIn names an operation's parameters in the path.
func declaredIn(d *apitest.Document, op map[string]any) map[string]bool {
	names := map[string]bool{}
	list, _ := op["parameters"].([]any)
	for _, p := range list {
		parameter := p.(map[string]any)
		if ref, ok := parameter["$ref"].(string); ok {
			parameter, _, _ = d.At(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
		if parameter["in"] == "path" {
			names[parameter["name"].(string)] = true
		}
	}
	return names
}

func TestDocumentIsServed(t *testing.T) {
	t.Parallel()
	a := start(t).Call(t, "GET", "/openapi.yaml", nil).Wants(t, http.StatusOK, nil)
	want, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Body, want) {
		t.Error("another document is served")
	}
	var root map[string]any
	if err := yaml.Unmarshal(a.Body, &root); err != nil || len(slices.Collect(maps.Keys(root))) == 0 {
		t.Errorf("not YAML: %v", err)
	}
}

// What a path does not take is answered with what it takes, by whichever function is asked.
func TestOtherMethods(t *testing.T) {
	t.Parallel()
	s := start(t)
	allowed := map[string][]string{}
	for _, o := range apitest.OpenAPI(t).Operations() {
		method, path, _ := strings.Cut(o, " ")
		allowed[path] = append(allowed[path], method)
	}
	for path, methods := range allowed {
		a := s.Call(t, "PATCH", apitest.Filled(path, "no-such"), nil, apitest.Staff()...)
		a.Refuses(t, http.StatusMethodNotAllowed, "")
		slices.Sort(methods)
		if got, want := a.Header.Get("Allow"), strings.Join(methods, ", "); got != want {
			t.Errorf("%s: Allow: %q, want %q", path, got, want)
		}
	}
	s.Call(t, "GET", "/admin/api/nowhere", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}
