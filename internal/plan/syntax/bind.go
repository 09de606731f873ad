package syntax

import "strings"

// Bindings returns the names that a node itself binds, not those that nodes in it bind.
func Bindings(n Node) []string {
	switch n := n.(type) {
	case *Name:
		if n.Ctx != Load {
			return []string{n.ID}
		}
	case *NamedExpr:
		return []string{n.Target.ID}
	case *FunctionDef:
		return []string{n.Name}
	case *ClassDef:
		return []string{n.Name}
	case *Arg:
		return []string{n.Arg}
	case *Alias:
		return []string{n.Bound()}
	case *ExceptHandler:
		return []string{n.Name}
	case *MatchAs:
		return []string{n.Name}
	case *MatchStar:
		return []string{n.Name}
	}
	return nil
}

// Bound returns the name that an import binds: that behind as, or the part before the first dot.
func (a *Alias) Bound() string {
	if a.AsName != "" {
		return a.AsName
	}
	name, _, _ := strings.Cut(a.Name, ".")
	return name
}

// AttrName returns the name of the attribute that e reads, or "" when it reads none.
func AttrName(e Expr) string {
	if a, ok := e.(*Attribute); ok {
		return a.Attr
	}
	return ""
}

// Singleton says whether c is None, True or False.
func (c *Constant) Singleton() bool { return c.Kind <= False }

// Docstring returns the string that body begins with.
func Docstring(body []Stmt) (string, bool) {
	if len(body) > 0 {
		if e, ok := body[0].(*ExprStmt); ok {
			if c, ok := e.Value.(*Constant); ok && c.Kind == Str {
				return c.Str, true
			}
		}
	}
	return "", false
}
