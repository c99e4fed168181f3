package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// file is how comments and documents name a file of the tree, and docLink how they name a package.
var (
	file    = regexp.MustCompile(`[A-Za-z0-9_./{}-]*[A-Za-z0-9_]\.(?:go|md|txt|json|yaml|sh)\b`)
	outside = regexp.MustCompile(`//|^\.cache/|^/\.well-known/`) // of an address, or made by a command
	docLink = regexp.MustCompile(`\[?\bmerve/(internal|infra|functions)(/[a-z0-9_]+)+`)
)

// What comments and documents say of a file or a package is there: whoever follows them to add something arrives.
func TestDocsNameWhatExists(t *testing.T) {
	t.Parallel()
	const root = ".."
	var names []string
	texts := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (name == ".git" || name == ".cache" || name == "bin" || name == "node_modules"):
			return filepath.SkipDir
		case d.IsDir():
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, c := range f.Comments {
				texts[path] += c.Text() + "\n"
			}
		case strings.HasSuffix(name, ".md"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			texts[path] = string(text)
		}
		names = append(names, "/"+filepath.ToSlash(strings.TrimPrefix(path, root+"/")))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(names, "\n") + "\n"
	for path, text := range texts {
		for _, name := range file.FindAllString(text, -1) {
			if !outside.MatchString(name) && !strings.Contains(all, "/"+strings.TrimPrefix(strings.TrimPrefix(name, "./"), "/")+"\n") {
				t.Errorf("%s names %s, which is not there", path, name)
			}
		}
		for _, link := range docLink.FindAllString(text, -1) {
			if pkg := strings.TrimPrefix(strings.TrimPrefix(link, "["), "merve"); !strings.Contains(all, pkg+"\n") {
				t.Errorf("%s names %s, which is not there", path, link)
			}
		}
	}
}
