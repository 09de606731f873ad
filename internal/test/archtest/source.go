package archtest

import (
	"cmp"
	"go/ast"
	"go/token"
	"strings"
)

// source checks the declarations of one file that is not a test.
func (c *checker) source(p *pack, s *source) {
	for _, d := range s.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.function(p, s, d)
		case *ast.GenDecl:
			c.general(p, s, d)
		}
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if t, ok := n.(*ast.StructType); ok {
			c.contextFields(s, t)
		}
		return true
	})
}

func (c *checker) function(p *pack, s *source, f *ast.FuncDecl) {
	name := f.Name.Name
	if recv := receiver(f); recv != "" {
		name = recv + "." + name
	}
	if f.Recv == nil && name == "init" && s.ast.Name.Name != "main" {
		c.report(c.at(f), "init", "init() runs behind the caller's back")
	}
	lines := c.fset.Position(f.End()).Line - c.fset.Position(f.Pos()).Line + 1
	if lines > c.rules.Budgets.FuncLines && !c.excepted(p, name) {
		c.report(c.at(f), "size", "%s has %d lines, at most %d are allowed", name, lines, c.rules.Budgets.FuncLines)
	}
	recv, _, method := strings.Cut(name, ".")
	if f.Name.IsExported() && (!method || ast.IsExported(recv)) && s.ast.Name.Name != "main" {
		c.doc(f, name, f.Doc != nil)
	}
}

// receiver returns the name of a method's type, or "".
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// general checks types, constants and variables. A comment over a group speaks
// for the group's constants and variables, never for its types.
func (c *checker) general(p *pack, s *source, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				c.doc(spec, spec.Name.Name, spec.Doc != nil || (d.Doc != nil && len(d.Specs) == 1))
			}
			if _, ok := spec.Type.(*ast.InterfaceType); ok && !c.excepted(p, spec.Name.Name) {
				c.wide(p, s, spec)
			}
		case *ast.ValueSpec:
			for _, n := range spec.Names {
				if n.IsExported() {
					c.doc(n, n.Name, spec.Doc != nil || spec.Comment != nil || d.Doc != nil)
				}
			}
		}
	}
}

func (c *checker) doc(n ast.Node, name string, has bool) {
	c.exported++
	if has {
		c.documented++
		return
	}
	c.undoc = append(c.undoc, Violation{c.at(n), "doc", name + " has no comment"})
}

// wide checks the size of an interface, with all that it embeds.
func (c *checker) wide(p *pack, s *source, spec *ast.TypeSpec) {
	if n := c.methods(p, s, spec.Type); n > c.rules.Budgets.InterfaceMethods {
		c.report(c.at(spec), "interface", "%s has %d methods, at most %d are allowed", spec.Name.Name, n, c.rules.Budgets.InterfaceMethods)
	}
}

// methods counts the methods of a type that stands in a file, 0 for one that is no
// interface. Go allows no interface to embed itself.
func (c *checker) methods(p *pack, s *source, e ast.Expr) int {
	switch t := e.(type) {
	case *ast.InterfaceType:
		n := 0
		for _, m := range t.Methods.List {
			if _, ok := m.Type.(*ast.FuncType); ok {
				n += len(m.Names)
			} else {
				n += c.methods(p, s, m.Type)
			}
		}
		return n
	case *ast.IndexExpr:
		return c.methods(p, s, t.X)
	case *ast.IndexListExpr:
		return c.methods(p, s, t.X)
	case *ast.Ident:
		if t.Name == "error" {
			return 1
		}
		return c.methodsOf(p, t.Name)
	case *ast.SelectorExpr:
		pkg, ok := t.X.(*ast.Ident)
		if !ok {
			return 0
		}
		imp := importPath(s, pkg.Name)
		if imp == c.rules.Module || strings.HasPrefix(imp, c.rules.Module+"/") {
			return c.methodsOf(c.packs[cmp.Or(strings.TrimPrefix(strings.TrimPrefix(imp, c.rules.Module), "/"), ".")], t.Sel.Name)
		}
		n, known := c.rules.Interfaces[imp+"."+t.Sel.Name]
		if !known {
			c.report(c.at(t), "interface", "it embeds %s.%s, and the table of other modules' interfaces does not say how many methods that has", imp, t.Sel.Name)
		}
		return n
	}
	return 0
}

// methodsOf counts the methods of a type of a package by its name.
func (c *checker) methodsOf(p *pack, name string) int {
	if p == nil {
		return 0
	}
	for _, s := range p.files {
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
					return c.methods(p, s, t.Type)
				}
			}
		}
	}
	return 0
}

// importPath returns the path of the package that a file uses under a name, or "".
func importPath(s *source, name string) string {
	for _, imp := range s.ast.Imports {
		if p := strings.Trim(imp.Path.Value, `"`); importedAs(s, p) == name {
			return p
		}
	}
	return ""
}

// contextFields reports a context that is kept: it outlives the call that it bounds.
func (c *checker) contextFields(s *source, t *ast.StructType) {
	name := ""
	for _, imp := range s.ast.Imports {
		if imp.Path.Value == `"context"` {
			name = "context"
			if imp.Name != nil {
				name = imp.Name.Name
			}
		}
	}
	for _, f := range t.Fields.List {
		sel, ok := f.Type.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Context" {
			continue
		}
		if x, ok := sel.X.(*ast.Ident); ok && name != "" && x.Name == name {
			c.report(c.at(f), "context", "a struct keeps a context")
		}
	}
}

// stderr reports what writes to standard error beside the ways that there are for
// it: it is neither redacted nor in its place on a screen.
func (c *checker) stderr(p *pack, s *source) {
	if anyCovers(c.rules.Writers, p.path) || c.forTests(p.path) {
		return
	}
	for _, spec := range s.ast.Imports {
		if imp := strings.Trim(spec.Path.Value, `"`); imp == "log" || imp == "log/slog" {
			c.report(c.at(spec), "stderr", "%s may not import %s: what happens is an event, what goes wrong an error", p.path, imp)
		}
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Stderr" {
			if pkg, ok := sel.X.(*ast.Ident); ok && importPath(s, pkg.Name) == "os" {
				c.report(c.at(n), "stderr", "%s may not use os.Stderr", p.path)
			}
		}
		return true
	})
}

// variables checks the package-level variables of a package: sentinel errors,
// embeds, compiled regular expressions, tables that are made when they are first
// needed (sync.OnceValue), pins of an interface, other packages' variables
// (go:linkname), and tables that nothing writes to.
func (c *checker) variables(p *pack) {
	tables := map[string]*ast.ValueSpec{}
	for _, s := range p.files {
		if s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				c.variable(p, g, spec.(*ast.ValueSpec), tables)
			}
		}
	}
	for _, s := range p.files {
		if !s.test {
			c.writes(s, tables)
		}
	}
}

func (c *checker) variable(p *pack, g *ast.GenDecl, v *ast.ValueSpec, tables map[string]*ast.ValueSpec) {
	if elsewhere(g.Doc) || elsewhere(v.Doc) {
		return
	}
	for i, n := range v.Names {
		if n.Name == "_" || c.excepted(p, n.Name) {
			continue
		}
		if i >= len(v.Values) {
			c.report(c.at(n), "variable", "%s is a variable of the package without a value", n.Name)
			continue
		}
		switch x := v.Values[i].(type) {
		case *ast.CompositeLit:
			tables[n.Name] = v
		case *ast.UnaryExpr:
			// A sentinel of an error type of the package's own.
			if _, lit := x.X.(*ast.CompositeLit); !lit || !strings.HasPrefix(strings.ToLower(n.Name), "err") {
				c.report(c.at(n), "variable", "%s is neither an error, an embed, a regular expression nor a table", n.Name)
				continue
			}
			tables[n.Name] = v
		case *ast.CallExpr:
			if !constantCall(x) {
				c.report(c.at(n), "variable", "%s is neither an error, an embed, a regular expression nor a table", n.Name)
			}
		default:
			c.report(c.at(n), "variable", "%s is neither an error, an embed, a regular expression nor a table", n.Name)
		}
	}
}

// elsewhere says whether the value is not made here: an embedded file, or a
// variable of another package.
func elsewhere(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, line := range doc.List {
		if strings.HasPrefix(line.Text, "//go:embed ") || strings.HasPrefix(line.Text, "//go:linkname ") {
			return true
		}
	}
	return false
}

// constantCall says whether a call makes a value that never changes.
func constantCall(x *ast.CallExpr) bool {
	sel, ok := x.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	switch pkg.Name + "." + sel.Sel.Name {
	case "errors.New", "fmt.Errorf", "fault.New", "regexp.MustCompile", "lazyregexp.New", "strings.NewReplacer", "sync.OnceValue":
		return true
	}
	return false
}

// writes reports assignments to a table. A local variable of the same name is
// recognised by the parser's own resolution of names.
func (c *checker) writes(s *source, tables map[string]*ast.ValueSpec) {
	check := func(target ast.Expr) {
		id := root(target)
		if id == nil {
			return
		}
		spec := tables[id.Name]
		if spec != nil && (id.Obj == nil || id.Obj.Decl == any(spec)) {
			c.report(c.at(target), "variable", "the table %s is written to", id.Name)
		}
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, l := range n.Lhs {
					check(l)
				}
			}
		case *ast.IncDecStmt:
			check(n.X)
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "delete" || f.Name == "clear") && f.Obj == nil && len(n.Args) > 0 {
				check(n.Args[0])
			}
		}
		return true
	})
}

// root returns the variable at the bottom of x[i].f.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}
