package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"merve/infra/lab/mutate/mutant"
)

// Mutant is one change of the code that some test has to notice.
type Mutant struct {
	ID  string // file, function and text, so that it stays when lines move; "#n" is a part
	How string // what is done to it
	Pkg string // import path
}

// site is the id of the place, without the part.
func (m Mutant) site() string {
	site, _, _ := strings.Cut(m.ID, "#")
	return site
}

// edit puts text around the bytes from start to end, or in their place.
type edit struct {
	start, end    int
	before, after string
	replaces      bool
}

// Sites are the mutants of some packages, and the edits that build them all in, by file.
type Sites struct {
	Mutants []Mutant
	edits   map[string][]edit
	tables  tables
	root    string // that file names are relative to
	seen    map[string]int
	used    map[string]bool // names in the tables that were found
	clauses map[string]int  // where the package clause of a file ends

	finders map[types.Object]declared
	naming  []types.Object // functions that make a part of a key, and were not looked at yet
	left    map[ast.Expr]bool
}

// declared is a function with its finder.
type declared struct {
	*finder
	decl *ast.FuncDecl
}

// Find looks for the sites of the packages that the patterns name, below dir. root is
// the folder that file names are relative to.
func Find(t tables, dir, root string, patterns ...string) (*Sites, error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load %v: %w", patterns, err)
	}
	s := &Sites{edits: map[string][]edit{}, tables: t, root: root, seen: map[string]int{}, used: map[string]bool{},
		clauses: map[string]int{}, finders: map[types.Object]declared{}, left: map[ast.Expr]bool{}}
	for _, pkg := range pkgs {
		if strings.HasSuffix(pkg.PkgPath, "test") { // for tests only
			continue
		}
		if len(pkg.Errors) > 0 {
			return nil, fmt.Errorf("load %s: %w", pkg.PkgPath, pkg.Errors[0])
		}
		for _, f := range pkg.Syntax {
			if err := s.file(pkg, f); err != nil {
				return nil, err
			}
		}
		s.makers()
	}
	for path, edits := range s.edits {
		s.edits[path] = append(edits, importing(s.clauses[path]))
	}
	return s, nil
}

const dynamoPath = "merve/internal/cloud/dynamo"

// finder looks through one function.
type finder struct {
	*Sites
	pkg  *packages.Package
	path string // of the file
	src  []byte
	file string // relative
	fn   string
}

func (s *Sites) file(pkg *packages.Package, f *ast.File) error {
	path := pkg.Fset.File(f.FileStart).Name()
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(s.root, path)
	if err != nil {
		return err
	}
	s.clauses[path] = pkg.Fset.Position(f.Name.End()).Offset
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			in := &finder{s, pkg, path, src, filepath.ToSlash(rel), funcName(d)}
			s.finders[pkg.TypesInfo.Defs[d.Name]] = declared{in, d}
			in.function(d)
		}
	}
	return nil
}

// importing imports package mutant at the end of a package clause, so that lines stay what
// they are.
func importing(clause int) edit {
	return edit{start: clause, end: clause, before: `; import mutant "merve/infra/lab/mutate/mutant"`, replaces: true}
}

// funcName is the name of a function, or type and name of a method.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	return strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "." + d.Name.Name
}

func (f *finder) function(d *ast.FuncDecl) {
	weak, names := f.in(f.tables.weakened), f.in(f.tables.keys)
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			f.call(n)
			f.passed(n)
			f.hashed(d, n)
		case *ast.KeyValueExpr:
			if name, ok := n.Key.(*ast.Ident); ok && name.Name == "conds" {
				f.conds(n.Value)
			}
		case *ast.AssignStmt:
			if len(n.Lhs) == 1 && lastName(n.Lhs[0]) == "conds" {
				f.conds(n.Rhs[0])
			}
		case *ast.CompositeLit:
			f.keyField(n)
			f.listed(n)
		case *ast.IfStmt:
			if leaves(n.Body.List) && !f.onlyErrors(n.Cond) {
				f.around("False", "never", n.Cond)
			}
		case *ast.CaseClause:
			if leaves(n.Body) {
				f.clause(n)
			}
		case *ast.BinaryExpr:
			if weak && n.Op == token.LAND {
				f.weaken(n)
			}
		case *ast.ReturnStmt:
			if names {
				f.key(n)
			}
		}
		return true
	})
}

// in reports whether the function is in a table, by itself or with its file or package.
func (f *finder) in(table []string) bool {
	for _, name := range []string{path.Dir(f.file), f.file, f.file + " " + f.fn} {
		if slices.Contains(table, name) {
			f.used[name] = true
			return true
		}
	}
	return false
}

// call mutates the conditions of writes, and the calls of the tables.
func (f *finder) call(c *ast.CallExpr) {
	name := f.callee(c)
	switch name {
	case "(" + dynamoPath + ".Write).If":
		f.cond(c.Args[0])
	case "(" + dynamoPath + ".Table).Check":
		f.cond(c.Args[1])
	case "(" + dynamoPath + ".Write).IfAbsent":
		f.ifAbsent(c)
	case "(" + dynamoPath + ".Write).AtVersion", "(" + dynamoPath + ".Write).AtVersionOrGone":
		f.atVersion(c)
	}
	if by, ok := f.tables.calls[name]; ok {
		f.used[name] = true
		f.around(by, map[string]string{"Nil": "passes", "One": "passes", "True": "always", "False": "never", "Option": "left out"}[by], c)
	}
	if name == "(time.Time).Unix" {
		if d := kept(c); d != nil {
			f.around("Past", "forgotten too soon", d, f.text(c))
		}
	}
	if strings.HasSuffix(name, ".Queue).Queue") || strings.HasSuffix(name, "(interface).Queue") {
		f.around("Unique", "another each time", c.Args[2])
		f.leaveOut(c.Args[2])
	}
}

// listed mutates a list of writes: each of them is left out.
func (f *finder) listed(list *ast.CompositeLit) {
	if len(list.Elts) == 0 || !isWrites(f.pkg.TypesInfo.TypeOf(list)) {
		return
	}
	of := "" // the type stays, since it may be all that the file needs the package of writes for
	if array, ok := list.Type.(*ast.ArrayType); ok {
		of = "[" + f.text(array.Elt) + "]"
	}
	f.edit(edit{start: f.offset(list.Pos()), end: f.offset(list.Lbrace) + 1, replaces: true, before: "mutant.Writes" + of + "(" + f.leftOut(list.Elts) + ", "})
	f.edit(edit{start: f.offset(list.Rbrace), end: f.offset(list.Rbrace) + 1, replaces: true, before: ")"})
}

// passed mutates the writes that a call takes, any number of them, in the same way.
func (f *finder) passed(c *ast.CallExpr) {
	sig, ok := f.pkg.TypesInfo.TypeOf(c.Fun).(*types.Signature)
	if !ok || !sig.Variadic() || len(c.Args) < sig.Params().Len() {
		return
	}
	last := sig.Params().Len() - 1
	if !isWrites(sig.Params().At(last).Type()) {
		return
	}
	args := c.Args[last:]
	if !c.Ellipsis.IsValid() {
		f.edit(edit{start: f.offset(args[0].Pos()), end: f.offset(args[len(args)-1].End()), before: "mutant.Writes(" + f.leftOut(args) + ", ", after: ")..."})
		return
	}
	if inner, ok := args[0].(*ast.CallExpr); !ok || f.callee(inner) != "" { // what append adds is looked at by itself
		f.wrap("None", f.leave(args[0]), args[0])
	}
}

// leftOut is Go's text of the ids of writes.
func (f *finder) leftOut(ws []ast.Expr) string {
	ids := make([]string, len(ws))
	for i, w := range ws {
		if !strings.Contains(f.text(w), ".Check(") { // that one is mutated as the condition that it is
			ids[i] = f.leave(w)
		}
	}
	return fmt.Sprintf("%#v", ids)
}

func (f *finder) leave(e ast.Expr) string { return f.add(f.id("write "+f.text(e)), "left out") }

func isWrites(t types.Type) bool {
	return t != nil && t.Underlying().String() == "[]"+dynamoPath+".Write"
}

// kept is for how long something is remembered, where a call makes a ttl: the d of t.Add(d).Unix().
func kept(c *ast.CallExpr) ast.Expr {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	add, ok := sel.X.(*ast.CallExpr)
	if !ok || lastName(add.Fun) != "Add" || len(add.Args) != 1 {
		return nil
	}
	return add.Args[0]
}

// callee is the full name of what a call calls.
func (f *finder) callee(c *ast.CallExpr) string {
	var id *ast.Ident
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return ""
	}
	if fn, ok := f.pkg.TypesInfo.Uses[id].(*types.Func); ok {
		return fn.FullName()
	}
	return ""
}

// cond mutates a condition: without all of it, and without each part.
func (f *finder) cond(e ast.Expr) {
	text := f.render(e)
	id := f.around("Cond", "without the condition", e, text)
	parts := mutant.Parts(text)
	for i, part := range parts {
		if len(parts) > 1 {
			f.add(id+"#"+strconv.Itoa(i+1), "without "+part)
		}
	}
}

// render is the text of a condition; what is only known at run time is "…".
func (f *finder) render(e ast.Expr) string {
	if v := f.pkg.TypesInfo.Types[e].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		return f.render(b.X) + f.render(b.Y)
	}
	if _, ok := e.(*ast.CallExpr); ok {
		return "…"
	}
	return f.text(e)
}

func (f *finder) ifAbsent(c *ast.CallExpr) {
	sel := c.Fun.(*ast.SelectorExpr).Sel
	const cond = "attribute_not_exists(pk)"
	id := f.add(f.id(f.text(c.Fun.(*ast.SelectorExpr).X)+" IfAbsent"), "without the condition")
	f.edit(edit{start: f.offset(sel.Pos()), end: f.offset(c.End()), replaces: true,
		before: fmt.Sprintf("If(mutant.Cond(%q, %q), nil)", id, cond)})
}

// atVersion mutates the condition on the version that was read: X.AtVersion(n) becomes mutant.AtVersion(id, X, n).
func (f *finder) atVersion(c *ast.CallExpr) {
	fun := c.Fun.(*ast.SelectorExpr)
	id := f.add(f.id(f.text(fun.X)+" "+fun.Sel.Name), "without the condition")
	f.edit(edit{start: f.offset(fun.X.Pos()), end: f.offset(fun.X.End()), before: fmt.Sprintf("mutant.%s(%q, ", fun.Sel.Name, id), after: ","})
	f.edit(edit{start: f.offset(fun.X.End()), end: f.offset(c.Args[0].Pos()), before: " ", replaces: true})
}

// conds mutates the conditions of a list that is joined later.
func (f *finder) conds(e ast.Expr) {
	var items []ast.Expr
	switch e := e.(type) {
	case *ast.CompositeLit:
		items = e.Elts
	case *ast.CallExpr:
		if fun, ok := e.Fun.(*ast.Ident); ok && fun.Name == "append" {
			items = e.Args[1:]
		}
	}
	for _, item := range items {
		f.around("Cond", "without the condition", item, f.render(item))
	}
}

func (f *finder) keyField(lit *ast.CompositeLit) {
	t := f.pkg.TypesInfo.TypeOf(lit)
	if fmt.Sprint(t) == dynamoPath+".Key" {
		for _, e := range lit.Elts {
			f.leaveOut(e)
		}
	}
	field, ok := f.tables.keyFields[fmt.Sprint(t)]
	if !ok {
		return
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == field {
			f.used[fmt.Sprint(t)] = true
			f.around("Unique", "another each time", kv.Value)
			f.leaveOut(kv.Value)
		}
	}
}

// key mutates the string that a function returns, or the sort key of the key.
func (f *finder) key(r *ast.ReturnStmt) {
	e := r.Results[0]
	if lit, ok := e.(*ast.CompositeLit); ok {
		e = lit.Elts[1].(*ast.KeyValueExpr).Value
	}
	f.around("Unique", "another each time", e)
	f.leaveOut(e)
}

// hashed leaves out each field of what is hashed; of a list that was put together before, in the
// function.
func (f *finder) hashed(d *ast.FuncDecl, c *ast.CallExpr) {
	name := f.callee(c)
	if !slices.Contains(f.tables.hashes, name) {
		return
	}
	f.used[name] = true
	known := true
	for _, arg := range c.Args {
		f.leaveOut(arg)
		_, isName := ast.Unparen(arg).(*ast.Ident)
		known = known && !isName
	}
	if known {
		return
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if t := f.pkg.TypesInfo.TypeOf(n); t.String() == "[]any" || isNameless(t) {
				f.leaveOut(n)
			}
		case *ast.CallExpr:
			if fun, ok := n.Fun.(*ast.Ident); ok && fun.Name == "append" && f.pkg.TypesInfo.TypeOf(n).String() == "[]any" {
				for _, arg := range n.Args[1:] {
					f.leaveOut(arg)
				}
			}
		}
		return true
	})
}

func isNameless(t types.Type) bool {
	_, ok := t.(*types.Struct)
	return ok
}

// leaveOut leaves each field out of an expression that names something: each part of it that is
// only known at run time.
func (f *finder) leaveOut(e ast.Expr) {
	if v := f.pkg.TypesInfo.Types[e]; v.Value != nil || v.IsNil() || f.left[e] {
		return
	}
	f.left[e] = true
	switch e := e.(type) {
	case *ast.ParenExpr:
		f.leaveOut(e.X)
		return
	case *ast.KeyValueExpr:
		f.leaveOut(e.Value)
		return
	case *ast.CompositeLit:
		for _, item := range e.Elts {
			f.leaveOut(item)
		}
		return
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			f.leaveOut(e.X)
			f.leaveOut(e.Y)
			return
		}
	case *ast.SliceExpr: // of a hash
		f.leaveOut(e.X)
		return
	case *ast.CallExpr:
		if f.combines(e) {
			for _, arg := range e.Args {
				f.leaveOut(arg)
			}
			return
		}
		if made := f.made(e); made != nil {
			f.naming = append(f.naming, made)
		}
	}
	if t := f.pkg.TypesInfo.TypeOf(e); t != nil && !isArray(t) {
		f.around("Zero", "left out of what it names", e, "field "+f.text(e))
	}
}

// isArray reports whether t is a sum, whose own fields are looked at.
func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// combines reports whether a call makes one name of its arguments, or only turns it into another type.
func (f *finder) combines(c *ast.CallExpr) bool {
	if f.pkg.TypesInfo.Types[c.Fun].IsType() {
		return true
	}
	name := f.callee(c)
	if fun, ok := c.Fun.(*ast.Ident); ok && fun.Name == "append" {
		return true
	}
	return slices.Contains(f.tables.hashes, name) || slices.Contains([]string{"fmt.Sprint", "fmt.Sprintf", "fmt.Appendf", "strings.Join", "encoding/hex.EncodeToString"}, name)
}

// made is the function of this package that a call makes a string with.
func (f *finder) made(c *ast.CallExpr) types.Object {
	var id *ast.Ident
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return nil
	}
	if fn, ok := f.pkg.TypesInfo.Uses[id].(*types.Func); ok && fn.Pkg() == f.pkg.Types && f.pkg.TypesInfo.TypeOf(c).String() == "string" {
		return fn
	}
	return nil
}

// makers leaves the fields out of what functions return that make a part of a key.
func (s *Sites) makers() {
	done := map[types.Object]bool{}
	for len(s.naming) > 0 {
		fn := s.naming[0]
		s.naming = s.naming[1:]
		d, ok := s.finders[fn]
		if !ok || done[fn] {
			continue
		}
		done[fn] = true
		ast.Inspect(d.decl.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
				d.leaveOut(r.Results[0])
			}
			return true
		})
	}
}

// clause makes a case never apply.
func (f *finder) clause(c *ast.CaseClause) {
	if len(c.List) == 0 || !f.isBool(c.List[0]) || !slices.ContainsFunc(c.List, func(e ast.Expr) bool { return !f.onlyErrors(e) }) {
		return
	}
	var texts []string
	for _, e := range c.List {
		texts = append(texts, f.text(e))
	}
	id := f.add(f.id("case "+strings.Join(texts, ", ")), "never")
	for _, e := range c.List {
		f.wrap("False", id, e)
	}
}

// weaken takes each side of a && b for granted.
func (f *finder) weaken(b *ast.BinaryExpr) {
	for _, e := range []ast.Expr{b.X, b.Y} {
		if in, ok := e.(*ast.BinaryExpr); !ok || in.Op != token.LAND {
			f.around("True", "always", e)
		}
	}
}

// isBool reports whether e is a condition, and not the type of that name.
func (f *finder) isBool(e ast.Expr) bool {
	t := f.pkg.TypesInfo.Types[e]
	if !t.IsValue() {
		return false
	}
	b, ok := t.Type.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// onlyErrors reports whether a condition is about errors and nothing else.
func (f *finder) onlyErrors(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return f.onlyErrors(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return f.onlyErrors(e.X) && f.onlyErrors(e.Y)
		}
		return types.Identical(f.pkg.TypesInfo.TypeOf(e.X), types.Universe.Lookup("error").Type())
	case *ast.CallExpr:
		return slices.Contains([]string{"errors.Is", "errors.As", "merve/internal/base/fault.Is"}, f.callee(e))
	}
	return false
}

// around has an expression go through a function of package mutant, and makes that a
// mutant. The text names the site; without one it is the expression's own.
func (f *finder) around(by, how string, e ast.Expr, text ...string) string {
	id := f.add(f.id(append(text, f.text(e))[0]), how)
	f.wrap(by, id, e)
	return id
}

func (f *finder) wrap(by, id string, e ast.Expr) {
	f.edit(edit{start: f.offset(e.Pos()), end: f.offset(e.End()), before: fmt.Sprintf("mutant.%s(%q, ", by, id), after: ")"})
}

func (f *finder) edit(e edit) { f.edits[f.path] = append(f.edits[f.path], e) }

// id names a site. The second one with the same text in a function is number 2.
func (f *finder) id(text string) string {
	id := f.file + " " + f.fn + ": " + strings.ReplaceAll(clip(text), "#", "")
	f.seen[id]++
	if n := f.seen[id]; n > 1 {
		id += " (" + strconv.Itoa(n) + ")"
	}
	return id
}

func (f *finder) add(id, how string) string {
	f.Mutants = append(f.Mutants, Mutant{ID: id, How: how, Pkg: f.pkg.PkgPath})
	return id
}

func (f *finder) offset(p token.Pos) int { return f.pkg.Fset.Position(p).Offset }

var spaces = regexp.MustCompile(`\s+`)

func (f *finder) text(e ast.Expr) string {
	return spaces.ReplaceAllString(string(f.src[f.offset(e.Pos()):f.offset(e.End())]), " ")
}

// clip bounds the text of a site in characters.
func clip(s string) string {
	const most = 110
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// leaves reports whether a body ends by leaving the function, or what it is looking at, or by
// naming the error with which the function is left.
func leaves(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch last := body[len(body)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.CONTINUE
	case *ast.AssignStmt:
		_, sentinel := last.Rhs[0].(*ast.Ident)
		return len(last.Lhs) == 1 && lastName(last.Lhs[0]) == "err" && sentinel
	}
	return false
}

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// Stale are the names in the tables that no code has any more.
func (s *Sites) Stale() []string {
	var stale []string
	t := s.tables
	for _, name := range slices.Concat(t.weakened, t.keys, t.hashes, slices.Collect(maps.Keys(t.calls)), slices.Collect(maps.Keys(t.keyFields))) {
		if !s.used[name] {
			stale = append(stale, name)
		}
	}
	slices.Sort(stale)
	return stale
}

// apply makes the edits of one file. Edits may lie within each other.
func apply(src []byte, edits []edit) []byte {
	type insert struct {
		at, other int // other end of its edit
		text      string
	}
	var ins []insert
	gone := make([]bool, len(src)+1)
	for _, e := range edits {
		ins = append(ins, insert{e.start, e.end, e.before})
		if !e.replaces {
			ins = append(ins, insert{e.end, e.start, e.after})
			continue
		}
		for i := e.start; i < e.end; i++ {
			gone[i] = true
		}
	}
	slices.SortStableFunc(ins, func(a, b insert) int {
		closesA, closesB := a.other < a.at, b.other < b.at
		switch {
		case a.at != b.at:
			return a.at - b.at
		case closesA != closesB: // what ends here comes before what begins here
			if closesA {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.other, a.other) // the wider one outside
	})
	var out []byte
	for i := 0; i <= len(src); i++ {
		for len(ins) > 0 && ins[0].at == i {
			out = append(out, ins[0].text...)
			ins = ins[1:]
		}
		if i < len(src) && !gone[i] {
			out = append(out, src[i])
		}
	}
	return out
}
