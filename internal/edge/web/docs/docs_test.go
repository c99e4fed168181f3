package docs_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"merve/internal/edge/api"
	"merve/internal/edge/web/docs"
)

// Every document is a page of the menu, and no page names an address of the documents that leads nowhere.
func TestEveryDocumentIsAPage(t *testing.T) {
	t.Parallel()
	shape := docs.Shape(api.Document)
	names, err := fs.Glob(docs.Files, "*.md")
	if err != nil || len(names) < 4 {
		t.Fatal(names, err)
	}
	ids := regexp.MustCompile(`href="(/docs[^"#]*)"`)
	for _, name := range names {
		body, err := fs.ReadFile(docs.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		page, err := shape(name, body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(string(page), `aria-current="page"`) {
			t.Errorf("%s is not in the menu", name)
		}
		for _, link := range ids.FindAllStringSubmatch(string(page), -1) {
			to := strings.TrimPrefix(link[1], "/docs/")
			if to == "/docs" {
				to = "index"
			}
			if _, err := fs.Stat(docs.Files, strings.TrimSuffix(to, ".md")+".md"); err != nil && to != "docs.css" {
				t.Errorf("%s names %s: %v", name, link[1], err)
			}
		}
	}
}

// The page of the API has every operation of the OpenAPI document, with its answers, below its tag.
func TestThePageOfTheAPI(t *testing.T) {
	t.Parallel()
	body, err := fs.ReadFile(docs.Files, "api.md")
	if err != nil {
		t.Fatal(err)
	}
	page, err := docs.Shape(api.Document)("api.md", body)
	if err != nil {
		t.Fatal(err)
	}
	operations := len(regexp.MustCompile(`(?m)^      operationId:`).FindAll(api.Document, -1))
	if got := strings.Count(string(page), "<h3"); got != operations || got < 50 {
		t.Errorf("%d operations, want the %d of the document", got, operations)
	}
	for _, want := range []string{"<h2 id=\"chat\">Chat</h2>", "<code>POST /chat/message</code>", "<code>200</code>:"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %s in the page", want)
		}
	}
	if _, err := docs.Shape([]byte("paths: ["))("api.md", body); err == nil {
		t.Error("a document that is no YAML makes a page")
	}
}
