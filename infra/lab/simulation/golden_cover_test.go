package simulation

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"merve/internal/base/faulttest"
)

// The dump is complete: it has an item for each form of key in the code, each attribute that a stored type
// names, and each status, state and type of event. The source says which there are, so that what a later
// release adds fails here until the story has it.
func TestGolden_EveryKindIsInTheDump(t *testing.T) {
	t.Parallel()
	var keys []string
	names, words := map[string]bool{}, map[string]bool{}
	dumps, err := filepath.Glob("testdata/golden/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range dumps {
		for _, l := range readDump(t, name).Items {
			var it map[string]any
			if err := json.Unmarshal(l.Item, &it); err != nil {
				t.Fatal(err)
			}
			of := func(name string) string { s, _ := it[name].(map[string]any)["S"].(string); return s }
			keys = append(keys, of("pk")+"\n"+of("sk"))
			addNames(names, words, it)
		}
	}
	forms, attributes, codes := 0, 0, 0
	for _, p := range packages(t) {
		for where, form := range p.keys() {
			forms++
			if is := regexp.MustCompile("^" + form + "$"); !slices.ContainsFunc(keys, is.MatchString) && !slices.Contains(laterKeys, strings.ReplaceAll(form, "\n", `\n`)) {
				t.Errorf("%s: no item of the dump has a key of the form %q", where, form)
			}
		}
		for where, name := range p.attributes() {
			attributes++
			if !names[name] && missing[name] == "" && !slices.Contains(laterAttributes, name) {
				t.Errorf("%s: no item of the dump has an attribute %q", where, name)
			}
		}
		for where, word := range p.words() {
			codes++
			if !words[word] && missing[word] == "" && !slices.Contains(laterCodes, word) {
				t.Errorf("%s: no item of the dump says %q", where, word)
			}
		}
	}
	for name := range missing {
		if names[name] || words[name] {
			t.Errorf("the dump has %q, which is said to be missing", name)
		}
	}
	for _, name := range laterAttributes {
		if names[name] {
			t.Errorf("the dump has the attribute %q, which is said to be later", name)
		}
	}
	for _, word := range laterCodes {
		if words[word] {
			t.Errorf("the dump says %q, which is said to be later", word)
		}
	}
	if forms < 50 || attributes < 300 || codes < 50 {
		t.Errorf("found %d forms of keys, %d attributes, %d codes", forms, attributes, codes)
	}
	faulttest.Tried(t, forms+attributes+codes)
}

// missing are attributes and codes that no item of the dump has, and why.
var missing = map[string]string{
	"brief":     "what is decoded has the name of a report",
	"idle":      "a thread with nothing pending has no state",
	"executing": "a thread is that while it has an inbox",
	"denied":    "nobody in the story asks for what they may not have",
}

// laterAttributes and laterCodes are those that a release has added which came after the one that wrote the dump.
var (
	laterAttributes = strings.Fields(`a acceptedId addr addressTimes again areas availability bears begun c caller chat
	client confidence consent contact correlation cut dialled endedBy extracted failure failures fallback first frames
	frame generation grantedAt greeting guessed hasStock holder how i identifiedPercent input k km label late letGo letter lookAt matter maxBookings
	maxMessagesDay maxOrdersDay maxRidesDay meeting moves needsCheck notedBy number optIn output outreach over participant phones
	picture post prev provider q questions r rating recent refs refused remindAt reminders repliedAt request
	requireContact requirements s scope searches seq serviceId serviceIds session shortlist single snippet source sp
	spoken standing stands stream success t technician tone v vacant vendor vendors voices window x zip`)
	laterCodes = strings.Fields(`asked assumed changed clarifying clear consent dispatched error found fulfilled granted letter new none outreach picture
	presented quoted replied revoked searching silent skipped unclear written`)
)

// laterKeys are the forms of such keys.
var laterKeys = []string{
	`(request#.*)\n.*.*`,
	`request#.*\nbudget#.*#.*`,
	`.*.*\ncall#.*`,
	`request#.*\nfeed#.*`,
	`request#.*\nreply#.*`,
	`(request#.*)\n~`,
	`request#.*\n~consent#.*`,
	`request#.*\n~ocr#.*`,
	`request#.*\n~outreach#.*`,
	`(.*.*)\nbody#.*`,
	`(talks#.*#.*)\n.*`,
	`.*\nlive#~.*`,
	`.*\nroom`,
	`asked#.*#.*\n.*`,
	`requests#.*\n.*`,
	`socket#.*\nsocket`,
	`vendors#.*\nvendor#.*`,
	`customers#.*\n.*`,
	`customer#.*\ncustomer`, `(caller#.*)\n(.*)#.*`, `.*\naccount#.*`, `failed#.*\nphone#.*`, `failed#.*\npair#.*`, `failed#.*\nthread#.*`, `failed#.*\n.*`,
	`.*\nst#.*#(.*:.*)`,
	`(visits#.*)\nservice#.*`, `(visits#.*)\ntechnician#.*`, `.*\nshown#.*#.*`,
	`bound#.*\n.*#.*`, `(plan#.*#.*)\n.*`, `(plan#.*#.*)\nclaim#.*#.*`, `plan-of#.*\n~`, `plans#.*\nconversation#.*`, `plan#.*\n~`,
}

// addNames adds the names of all attributes in a value in DynamoDB's JSON, and all texts.
func addNames(names, words map[string]bool, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, one := range v {
			names[name] = true
			addNames(names, words, one)
		}
	case []any:
		for _, one := range v {
			addNames(names, words, one)
		}
	case string:
		words[v] = true
	}
}

// source is the code of a package.
type source struct {
	files  map[string]*ast.File
	fset   *token.FileSet
	values map[string]ast.Expr      // of constants and variables
	funcs  map[string]*ast.FuncDecl // by name; of methods the last
}

// packages are those under internal that store something: no tests, and no providers.
func packages(t *testing.T) map[string]*source {
	t.Helper()
	root, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Dir(root)
	}
	all := map[string]*source{}
	err = filepath.WalkDir(filepath.Join(root, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if strings.HasSuffix(filepath.Dir(path), "test") || strings.Contains(path, "/internal/provider/") {
			return nil
		}
		p := all[filepath.Dir(path)]
		if p == nil {
			p = &source{files: map[string]*ast.File{}, fset: token.NewFileSet(), values: map[string]ast.Expr{}, funcs: map[string]*ast.FuncDecl{}}
			all[filepath.Dir(path)] = p
		}
		f, err := parser.ParseFile(p.fset, path, nil, parser.SkipObjectResolution)
		if err == nil {
			p.files[path] = f
			p.declare(f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (p *source) declare(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p.funcs[d.Name.Name] = d
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
					for i, name := range v.Names {
						p.values[name.Name] = v.Values[i]
					}
				}
			}
		}
	}
}

// keys are the forms of the keys that the package makes, as regular expressions of both parts with a
// newline between, by where that is.
func (p *source) keys() map[string]string {
	all := map[string]string{}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				if name, ok := kv.Key.(*ast.Ident); ok && name.Name == "Earlier" {
					return false // how keys of an earlier release begin: see package event
				}
			}
			c, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			parts := map[string]string{}
			for _, e := range c.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if name, ok := kv.Key.(*ast.Ident); ok {
						parts[name.Name] = p.form(kv.Value, 0)
					}
				}
			}
			if parts["PK"] != "" && parts["SK"] != "" && len(parts) == 2 {
				all[p.fset.Position(c.Pos()).String()] = parts["PK"] + "\n" + parts["SK"]
			}
			return true
		})
	}
	return all
}

const anything = ".*"

// form is a regular expression of what an expression may be: what is not written in the code can be
// anything.
func (p *source) form(e ast.Expr, depth int) string {
	if depth > 10 {
		return anything
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return regexp.QuoteMeta(s)
		}
	case *ast.Ident:
		if v := p.values[e.Name]; v != nil {
			return p.form(v, depth+1)
		}
	case *ast.ParenExpr:
		return p.form(e.X, depth+1)
	case *ast.BinaryExpr:
		return p.form(e.X, depth+1) + p.form(e.Y, depth+1)
	case *ast.CallExpr:
		return p.called(e, depth)
	}
	return anything
}

var verb = regexp.MustCompile(`%[0-9]*[a-z]`)

// called is the form of what a call returns: of Sprintf, and of the package's own functions.
func (p *source) called(e *ast.CallExpr, depth int) string {
	name := ""
	switch f := e.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if name == "Sprintf" {
		if lit, ok := e.Args[0].(*ast.BasicLit); ok {
			s, err := strconv.Unquote(lit.Value)
			if err == nil {
				return verb.ReplaceAllString(regexp.QuoteMeta(s), anything)
			}
		}
		return anything
	}
	f := p.funcs[name]
	if f == nil || f.Body == nil {
		return anything
	}
	var forms []string
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			forms = append(forms, p.form(r.Results[0], depth+1))
		}
		return true
	})
	if len(forms) == 0 {
		return anything
	}
	return "(" + strings.Join(forms, "|") + ")"
}

// attributes are the names that the package's stored types give theirs, by where that is.
func (p *source) attributes() map[string]string {
	all := map[string]string{}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				tag, _, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("dynamodbav"), ",")
				if tag != "" && tag != "-" {
					all[p.fset.Position(field.Pos()).String()] = tag
				}
			}
			return true
		})
	}
	return all
}

// words are the statuses, states and types of events that the package knows, by where that is.
func (p *source) words() map[string]string {
	all := map[string]string{}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			typ, _ := v.Type.(*ast.Ident)
			if lit, is := v.Values[0].(*ast.BasicLit); is && typ != nil && slices.Contains([]string{"EventType", "Status", "State"}, typ.Name) {
				if word, err := strconv.Unquote(lit.Value); err == nil {
					all[p.fset.Position(v.Pos()).String()] = word
				}
			}
			return true
		})
	}
	return all
}
