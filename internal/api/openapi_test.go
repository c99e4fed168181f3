package api_test

import (
	"bytes"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"merve/infra/wiring"
	"merve/internal/api"
	"merve/internal/httpapi"
)

// described is the OpenAPI document, to check answers against.
type described struct {
	root     map[string]any
	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

const documentURL = "file:///openapi.yaml"

var readDocument = sync.OnceValues(func() (*described, error) {
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	d := &described{compiler: jsonschema.NewCompiler()}
	if err := yaml.Unmarshal(text, &d.root); err != nil {
		return nil, err
	}
	closeObjects(d.root)
	d.compiler.AssertFormat()
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	return d, d.compiler.AddResource(documentURL, d.root)
})

func document(t *testing.T) *described {
	t.Helper()
	d, err := readDocument()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// closeObjects forbids properties that are not described, so that an answer cannot hold
// what the document does not tell.
func closeObjects(node any) {
	switch n := node.(type) {
	case map[string]any:
		_, isObject := n["properties"].(map[string]any)
		if _, said := n["additionalProperties"]; isObject && n["type"] != nil && !said {
			n["additionalProperties"] = false
		}
		for _, child := range n {
			closeObjects(child)
		}
	case []any:
		for _, child := range n {
			closeObjects(child)
		}
	}
}

// at returns what stands at a path of keys, with its place as a JSON pointer. References
// are followed.
func (d *described) at(keys ...string) (node map[string]any, pointer string, ok bool) {
	node, pointer = d.root, "#"
	for _, k := range keys {
		if node, ok = node[k].(map[string]any); !ok {
			return nil, "", false
		}
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(k)
		if ref, is := node["$ref"].(string); is {
			if node, pointer, ok = d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...); !ok {
				return nil, "", false
			}
		}
	}
	return node, pointer, true
}

// template finds the path of the document that an address belongs to.
func (d *described) template(target string) string {
	target, _, _ = strings.Cut(target, "?")
	got := strings.Split(target, "/")
	best := ""
	for path := range d.root["paths"].(map[string]any) {
		want := strings.Split(path, "/")
		fits := len(want) == len(got)
		for i := 0; fits && i < len(want); i++ {
			fits = want[i] == got[i] || strings.HasPrefix(want[i], "{") && got[i] != ""
		}
		if fits && (best == "" || strings.Count(path, "{") < strings.Count(best, "{")) {
			best = path
		}
	}
	return best
}

// check checks that the document describes the answer: status, headers and body.
func (d *described) check(t *testing.T, method, target string, a answer) {
	t.Helper()
	if a.header.Get("x-trace-id") == "" {
		t.Errorf("%s %s: no x-trace-id", method, target)
	}
	path := d.template(target)
	if _, _, ok := d.at("paths", path, strings.ToLower(method)); !ok {
		if a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed {
			t.Errorf("%s %s is not described, and answered with %d", method, target, a.status)
		}
		d.validate(t, a, "components", "schemas", "Problem")
		return
	}
	response := []string{"paths", path, strings.ToLower(method), "responses", fmt.Sprint(a.status)}
	node, _, ok := d.at(response...)
	if !ok {
		t.Errorf("%s %s: status %d is not described: %s", method, target, a.status, a.body)
		return
	}
	for name := range node["headers"].(map[string]any) {
		if h, _, _ := d.at(append(response, "headers", name)...); h["required"] == true && a.header.Get(name) == "" {
			t.Errorf("%s %s: status %d without %s", method, target, a.status, name)
		}
	}
	if node["content"] == nil {
		if len(a.body) > 0 {
			t.Errorf("%s %s: status %d with a body: %s", method, target, a.status, a.body)
		}
		return
	}
	media, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil {
		t.Errorf("%s %s: Content-Type: %v", method, target, err)
	}
	if _, _, ok := d.at(append(response, "content", media)...); !ok {
		t.Errorf("%s %s: status %d: content of type %q is not described", method, target, a.status, media)
		return
	}
	if strings.HasSuffix(media, "json") {
		d.validate(t, a, append(response, "content", media, "schema")...)
	}
}

// validate checks a body against the schema at a path of keys.
func (d *described) validate(t *testing.T, a answer, keys ...string) {
	t.Helper()
	_, pointer, ok := d.at(keys...)
	if !ok {
		t.Fatalf("the document has no %v", keys)
	}
	d.mu.Lock()
	schema, err := d.compiler.Compile(documentURL + (&url.URL{Fragment: pointer[1:]}).String())
	d.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		t.Errorf("%v in %s", err, a.body)
		return
	}
	if err := schema.Validate(body); err != nil {
		t.Errorf("not as %s says: %v\n%s", pointer, err, a.body)
	}
}

// operations lists "METHOD /path" of the document.
func (d *described) operations() []string {
	var all []string
	for path, item := range d.root["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			all = append(all, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(all)
	return all
}

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
	if diff := cmp.Diff(registered, document(t).operations()); diff != "" {
		t.Errorf("registered (-) and described (+):\n%s", diff)
	}

	var handled, expected []string
	for _, rs := range []httpapi.Routes{
		(&api.Chat{}).Routes(), (&api.WebChat{}).Routes(), (&api.SharedReports{}).Routes(), (&api.WhatsApp{}).Routes(),
		(&api.Messenger{}).Routes(), (&api.Stripe{}).Routes(), api.Health{}.Routes(), api.OpenAPI(),
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
func inside() httpapi.Routes { return (&api.Admin{Reports: &api.AdminReports{}}).Routes() }

// The document is one that tools can read: references lead somewhere, parameters of
// paths are declared, operations have names of their own, every schema compiles, and
// every error is a problem document, or a page where a page was asked for.
func TestDocumentIsSound(t *testing.T) {
	t.Parallel()
	d := document(t)
	if d.root["openapi"] != "3.1.0" {
		t.Errorf("openapi: %v", d.root["openapi"])
	}
	d.references(t, d.root)
	seen := map[string]bool{}
	for _, o := range d.operations() {
		method, path, _ := strings.Cut(o, " ")
		op, _, _ := d.at("paths", path, strings.ToLower(method))
		id, _ := op["operationId"].(string)
		if id == "" || seen[id] {
			t.Errorf("%s: operationId %q is missing or used twice", o, id)
		}
		seen[id] = true
		if diff := cmp.Diff(inBraces(path), d.declared(op)); diff != "" {
			t.Errorf("%s: parameters in the path (-) and declared (+): %s", o, diff)
		}
		for status := range op["responses"].(map[string]any) {
			content := []string{"paths", path, strings.ToLower(method), "responses", status, "content"}
			_, _, ok := d.at(append(content, "application/problem+json")...)
			_, _, page := d.at(append(content, "text/html")...)
			if isError := status >= "400"; ok != isError && !page {
				t.Errorf("%s: status %s is a problem document: %v", o, status, ok)
			}
		}
	}
	schemas, _, _ := d.at("components", "schemas")
	for name := range schemas {
		d.mu.Lock()
		_, err := d.compiler.Compile(documentURL + "#/components/schemas/" + name)
		d.mu.Unlock()
		if err != nil {
			t.Errorf("schema %s: %v", name, err)
		}
	}
}

func (d *described) references(t *testing.T, node any) {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			if _, _, found := d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...); !found {
				t.Errorf("%s leads nowhere", ref)
			}
		}
		for _, child := range n {
			d.references(t, child)
		}
	case []any:
		for _, child := range n {
			d.references(t, child)
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

// declared names an operation's parameters in the path.
func (d *described) declared(op map[string]any) map[string]bool {
	names := map[string]bool{}
	list, _ := op["parameters"].([]any)
	for _, p := range list {
		parameter := p.(map[string]any)
		if ref, ok := parameter["$ref"].(string); ok {
			parameter, _, _ = d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
		if parameter["in"] == "path" {
			names[parameter["name"].(string)] = true
		}
	}
	return names
}

func TestDocumentIsServed(t *testing.T) {
	t.Parallel()
	a := start(t).call(t, "GET", "/openapi.yaml", nil).wants(t, http.StatusOK, nil)
	want, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.body, want) {
		t.Error("another document is served")
	}
	var root map[string]any
	if err := yaml.Unmarshal(a.body, &root); err != nil || len(slices.Collect(maps.Keys(root))) == 0 {
		t.Errorf("not YAML: %v", err)
	}
}
