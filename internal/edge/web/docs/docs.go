// Package docs renders the documents that the product serves at /docs: the tour, what it promises, and its HTTP API.
//
// A document is Markdown in this folder. The page of the API is api.md and, after it, every operation of the OpenAPI
// document. Markup in a document is left out, so that nothing but Markdown reaches a page.
package docs

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"gopkg.in/yaml.v3"
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// Files are the documents and their stylesheet.
//
//go:embed *.md docs.css
var Files embed.FS

// pages are the documents by the name of their address, in the order of the pages' menu.
var pages = []struct{ name, title string }{{"index", "About"}, {"tour", "Tour"}, {"promises", "Promises"}, {"api", "API"}}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// Shape returns how a file of [Files] is sent: a document as a page, others as they are. spec is the OpenAPI document, in
// YAML.
func Shape(spec []byte) func(file string, body []byte) ([]byte, error) {
	return func(file string, body []byte) ([]byte, error) {
		name, document := strings.CutSuffix(path.Base(file), ".md")
		if !document {
			return body, nil
		}
		if name == "api" {
			operations, err := operations(spec)
			if err != nil {
				return nil, err
			}
			body = slices.Concat(body, operations)
		}
		var text bytes.Buffer
		if err := markdown.Convert(body, &text); err != nil {
			return nil, fmt.Errorf("document %s: %w", name, err)
		}
		var page bytes.Buffer
		err := layout(name, text.String()).Render(&page)
		return page.Bytes(), err
	}
}

func layout(name, text string) g.Node {
	title := "Merve"
	var menu []g.Node
	for _, p := range pages {
		address := "/docs/" + p.name
		if p.name == "index" {
			address = "/docs"
		}
		here := g.Node(nil)
		if p.name == name {
			title, here = p.title+" · Merve", h.Aria("current", "page")
		}
		menu = append(menu, h.Li(h.A(h.Href(address), here, g.Text(p.title))))
	}
	return h.Doctype(h.HTML(h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")), h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")), h.TitleEl(g.Text(title)),
			h.Link(h.Rel("stylesheet"), h.Href("/docs/docs.css")),
		),
		h.Body(h.Header(h.Nav(h.Aria("label", "Documents"), h.Ul(menu...))), h.Main(g.Raw(text))),
	))
}

// openAPI is the part of an OpenAPI document that the page shows. https://spec.openapis.org/oas/v3.1.0
type openAPI struct {
	Info struct{ Description string }
	Tags []struct{ Name, Description string }
	// Paths are the operations by path and method; parameters of a path stand among its methods.
	Paths map[string]map[string]yaml.Node
}

type operation struct {
	path, method string

	Tags        []string
	Summary     string
	Description string
	Responses   map[string]struct{ Description string }
}

var methods = []string{"get", "post", "put", "patch", "delete", "options"}

// operations writes the operations of an OpenAPI document in Markdown, under its tags.
func operations(spec []byte) ([]byte, error) {
	var api openAPI
	if err := yaml.Unmarshal(spec, &api); err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	tagged := map[string][]operation{}
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		for _, method := range methods {
			node, ok := api.Paths[path][method]
			if !ok {
				continue
			}
			o := operation{path: path, method: strings.ToUpper(method)}
			if err := node.Decode(&o); err != nil {
				return nil, fmt.Errorf("OpenAPI document: %s %s: %w", method, path, err)
			}
			tag := append(o.Tags, "")[0]
			tagged[tag] = append(tagged[tag], o)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n%s\n", api.Info.Description)
	for _, t := range api.Tags {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", upper(t.Name), t.Description)
		for _, o := range tagged[t.Name] {
			o.write(&b)
		}
	}
	return b.Bytes(), nil
}

func (o operation) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n### `%s %s`\n\n%s\n\n%s\n", o.method, o.path, o.Summary, o.Description)
	var answers []string
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		means := cmp.Or(strings.TrimSpace(o.Responses[status].Description), "see the document")
		answers = append(answers, fmt.Sprintf("- `%s`: %s", status, means))
	}
	fmt.Fprintf(b, "\n%s\n", strings.Join(answers, "\n"))
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
