package web

import (
	"io/fs"
	"net/http"
	"strings"
)

// Docs returns the handler of the documents: "/docs", "/docs/{name}" and their stylesheet. files has a document for each
// name, in Markdown, which shape makes a page.
func Docs(files fs.FS, shape func(file string, body []byte) ([]byte, error)) http.Handler {
	return &site{
		files:  files,
		policy: policy(),
		file: func(path string) string {
			name := strings.TrimPrefix(strings.TrimPrefix(path, "/docs"), "/")
			switch {
			case path == "/docs":
				return "index.md"
			case name == "docs.css":
				return name
			case strings.Contains(name, "."), name == "", name == "index":
				return ""
			}
			return name + ".md"
		},
		shape: shape,
	}
}
