package archtest

import (
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
			c.general(p, d)
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
func (c *checker) general(p *pack, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				c.doc(spec, spec.Name.Name, spec.Doc != nil || (d.Doc != nil && len(d.Specs) == 1))
			}
			if i, ok := spec.Type.(*ast.InterfaceType); ok && !c.excepted(p, spec.Name.Name) {
				c.methods(p, spec, i)
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

// methods checks the size of an interface, with what it embeds of its package.
func (c *checker) methods(p *pack, spec *ast.TypeSpec, i *ast.InterfaceType) {
	if n := p.methods(i); n > c.rules.Budgets.InterfaceMethods {
		c.report(c.at(spec), "interface", "%s has %d methods, at most %d are allowed", spec.Name.Name, n, c.rules.Budgets.InterfaceMethods)
	}
}

// methods counts the methods of an interface. Go allows no interface to embed itself.
func (p *pack) methods(i *ast.InterfaceType) int {
	n := 0
	for _, m := range i.Methods.List {
		switch t := m.Type.(type) {
		case *ast.FuncType:
			n += max(1, len(m.Names))
		case *ast.Ident:
			if embedded := p.interfaceNamed(t.Name); embedded != nil {
				n += p.methods(embedded)
			}
		}
	}
	return n
}

// interfaceNamed returns the interface of a name, or nil.
func (p *pack) interfaceNamed(name string) *ast.InterfaceType {
	for _, s := range p.files {
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
					i, _ := t.Type.(*ast.InterfaceType)
					return i
				}
			}
		}
	}
	return nil
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
	case "errors.New", "fmt.Errorf", "fault.New", "regexp.MustCompile", "strings.NewReplacer", "sync.OnceValue":
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
