package apitest

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"merve/internal/edge/api"
)

// Document is the OpenAPI document, to check answers against.
type Document struct {
	Root     map[string]any
	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

const documentURL = "file:///openapi.yaml"

var readDocument = sync.OnceValues(func() (*Document, error) {
	w := httptest.NewRecorder()
	api.OpenAPI()["GET /openapi.yaml"].ServeHTTP(w, httptest.NewRequest("GET", "/openapi.yaml", nil))
	d := &Document{compiler: jsonschema.NewCompiler()}
	if err := yaml.Unmarshal(w.Body.Bytes(), &d.Root); err != nil {
		return nil, err
	}
	closeObjects(d.Root)
	d.compiler.AssertFormat()
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	return d, d.compiler.AddResource(documentURL, d.Root)
})

// OpenAPI returns the document as it is served.
func OpenAPI(t *testing.T) *Document {
	t.Helper()
	d, err := readDocument()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// closeObjects forbids properties that are not described, so that an answer with more than the
// document says fails.
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

// At returns the node at a path of keys, and where it is as a JSON pointer. It follows references.
func (d *Document) At(keys ...string) (node map[string]any, pointer string, ok bool) {
	node, pointer = d.Root, "#"
	for _, k := range keys {
		if node, ok = node[k].(map[string]any); !ok {
			return nil, "", false
		}
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(k)
		if ref, is := node["$ref"].(string); is {
			if node, pointer, ok = d.At(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...); !ok {
				return nil, "", false
			}
		}
	}
	return node, pointer, true
}

// template finds the path of the document that an address belongs to.
func (d *Document) template(target string) string {
	target, _, _ = strings.Cut(target, "?")
	got := strings.Split(target, "/")
	best := ""
	for path := range d.Root["paths"].(map[string]any) {
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

// Check checks that the document describes an answer's status, headers and body.
func (d *Document) Check(t *testing.T, method, target string, a Answer) {
	t.Helper()
	if a.Header.Get("x-trace-id") == "" {
		t.Errorf("%s %s: no x-trace-id", method, target)
	}
	path := d.template(target)
	if _, _, ok := d.At("paths", path, strings.ToLower(method)); !ok {
		if a.Status != http.StatusNotFound && a.Status != http.StatusMethodNotAllowed {
			t.Errorf("%s %s is not described, and answered with %d", method, target, a.Status)
		}
		d.validate(t, a, "components", "schemas", "Problem")
		return
	}
	response := []string{"paths", path, strings.ToLower(method), "responses", fmt.Sprint(a.Status)}
	node, _, ok := d.At(response...)
	if !ok {
		t.Errorf("%s %s: status %d is not described: %s", method, target, a.Status, a.Body)
		return
	}
	for name := range node["headers"].(map[string]any) {
		if h, _, _ := d.At(append(response, "headers", name)...); h["required"] == true && a.Header.Get(name) == "" {
			t.Errorf("%s %s: status %d without %s", method, target, a.Status, name)
		}
	}
	if node["content"] == nil {
		if len(a.Body) > 0 {
			t.Errorf("%s %s: status %d with a body: %s", method, target, a.Status, a.Body)
		}
		return
	}
	media, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		t.Errorf("%s %s: Content-Type: %v", method, target, err)
	}
	if _, _, ok := d.At(append(response, "content", media)...); !ok {
		t.Errorf("%s %s: status %d: content of type %q is not described", method, target, a.Status, media)
		return
	}
	if strings.HasSuffix(media, "json") {
		d.validate(t, a, append(response, "content", media, "schema")...)
	}
}

// Schema compiles the schema at a JSON pointer.
func (d *Document) Schema(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.compiler.Compile(documentURL + (&url.URL{Fragment: pointer[1:]}).String())
}

// validate checks a body against the schema at a path of keys.
func (d *Document) validate(t *testing.T, a Answer, keys ...string) {
	t.Helper()
	_, pointer, ok := d.At(keys...)
	if !ok {
		t.Fatalf("the document has no %v", keys)
	}
	schema, err := d.Schema(pointer)
	if err != nil {
		t.Fatal(err)
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
	if err != nil {
		t.Errorf("%v in %s", err, a.Body)
		return
	}
	if err := schema.Validate(body); err != nil {
		t.Errorf("not as %s says: %v\n%s", pointer, err, a.Body)
	}
}

// Operations lists "METHOD /path" of the document.
func (d *Document) Operations() []string {
	var all []string
	for path, item := range d.Root["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			all = append(all, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(all)
	return all
}

// Filled puts a value into every parameter of a path.
func Filled(path, value string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if strings.HasPrefix(s, "{") {
			segments[i] = value
		}
	}
	return strings.Join(segments, "/")
}
