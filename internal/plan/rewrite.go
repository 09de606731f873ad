package plan

import (
	"slices"
	"strings"

	"praxis/internal/plan/syntax"
)

// bodies are the lists of statements that a node has.
func bodies(n syntax.Node) []*[]syntax.Stmt {
	switch n := n.(type) {
	case *syntax.Module:
		return []*[]syntax.Stmt{&n.Body}
	case *syntax.FunctionDef:
		return []*[]syntax.Stmt{&n.Body}
	case *syntax.ClassDef:
		return []*[]syntax.Stmt{&n.Body}
	case *syntax.If:
		return []*[]syntax.Stmt{&n.Body, &n.OrElse}
	case *syntax.While:
		return []*[]syntax.Stmt{&n.Body, &n.OrElse}
	case *syntax.For:
		return []*[]syntax.Stmt{&n.Body, &n.OrElse}
	case *syntax.With:
		return []*[]syntax.Stmt{&n.Body}
	case *syntax.MatchCase:
		return []*[]syntax.Stmt{&n.Body}
	case *syntax.TryStmt:
		return []*[]syntax.Stmt{&n.Body, &n.OrElse, &n.FinalBody}
	case *syntax.ExceptHandler:
		return []*[]syntax.Stmt{&n.Body}
	}
	return nil
}

// importTools replaces "from tools import a, b.c as d", which code in sessions
// writes, by what it means here, where the names of tools are there already: the
// statements a and d = b.c.
func importTools(m *syntax.Module) {
	syntax.Walk(m, func(n syntax.Node) bool {
		for _, body := range bodies(n) {
			for i := 0; i < len(*body); i++ {
				if s, ok := (*body)[i].(*syntax.ImportFrom); ok && s.Level == 0 && (s.Module == "tools" || strings.HasPrefix(s.Module, "tools.")) {
					named := toolNames(s)
					*body = slices.Replace(*body, i, i+1, named...)
					i += len(named) - 1
				}
			}
		}
		return true
	})
}

func toolNames(s *syntax.ImportFrom) []syntax.Stmt {
	_, space, below := strings.Cut(s.Module, ".")
	var out []syntax.Stmt
	for _, al := range s.Names {
		if al.Name == "*" {
			return []syntax.Stmt{&syntax.Pass{Span: s.Span}}
		}
		parts := []string{al.Name}
		if below {
			parts = append(strings.Split(space, "."), al.Name)
		}
		var e syntax.Expr = &syntax.Name{Span: al.Span, ID: parts[0], Ctx: syntax.Load}
		for _, p := range parts[1:] {
			e = &syntax.Attribute{Span: al.Span, Value: e, Attr: p, Ctx: syntax.Load}
		}
		if al.Bound() == parts[0] {
			out = append(out, &syntax.ExprStmt{Span: al.Span, Value: e})
		} else {
			target := &syntax.Name{Span: al.Span, ID: al.Bound(), Ctx: syntax.Store}
			out = append(out, &syntax.Assign{Span: al.Span, Targets: []syntax.Expr{target}, Value: e})
		}
	}
	return out
}
