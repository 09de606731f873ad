package syntax

import (
	"slices"
	"strings"
)

// Survey is what a program reaches for: by it code is judged before it runs.
// The lists are in the order of the source.
type Survey struct {
	Imports []ImportUse
	Names   []NameUse
	Calls   []CallUse
}

// ImportUse is one name of an import.
type ImportUse struct {
	Module string // dotted; "" in `from . import name`
	Name   string // "" in `import module`; "*" for all
	As     string // the name it is bound to; "" for `*`
	Level  int    // leading dots
	Pos    Pos
}

// NameUse is a name that the program reads from its module or the builtins.
type NameUse struct {
	Name  string
	Pos   Pos  // where it is read first
	Bound bool // the module binds it somewhere; otherwise it must come from outside
}

// CallUse is one call.
type CallUse struct {
	// Name is the callee as it is written: `a.b.c`; with a dot in front when
	// what stands before is no name, as in `f(x).c`; "" when the callee has
	// no name at all.
	Name string
	// Target is Name with what imports bound replaced by where it came from:
	// `np.array` is `numpy.array` after `import numpy as np`. Of names that
	// are bound in several ways the import counts.
	Target string
	Pos    Pos
	Call   *Call
}

// NewSurvey surveys a program.
func NewSurvey(m *Module) *Survey {
	c := &checker{uses: &uses{imports: map[*scope]map[string]string{}}}
	c.push(moduleScope, "")
	c.block(m.Body)
	s := &Survey{Imports: c.uses.list}
	s.resolveNames(c.uses.names)
	for _, call := range c.uses.calls {
		s.Calls = append(s.Calls, c.uses.resolveCall(call))
	}
	slices.SortStableFunc(s.Imports, func(a, b ImportUse) int { return a.Pos.compare(b.Pos) })
	slices.SortStableFunc(s.Calls, func(a, b CallUse) int { return a.Pos.compare(b.Pos) })
	return s
}

func (p Pos) compare(q Pos) int {
	switch {
	case p.Before(q):
		return -1
	case q.Before(p):
		return 1
	}
	return 0
}

// uses gathers for a survey what the checker comes across.
type uses struct {
	list    []ImportUse
	names   []scopedName
	calls   []scopedCall
	imports map[*scope]map[string]string // what imports bind: name to origin
}

type scopedName struct {
	in   *scope
	name *Name
}

type scopedCall struct {
	in   *scope
	call *Call
}

// surveyImport notes one name of an import, which is bound to name.
func (c *checker) surveyImport(a *Alias, name, from string, level int) {
	use := ImportUse{Module: from, Name: a.Name, As: name, Level: level, Pos: a.Start}
	origin := strings.Repeat(".", level) + from
	switch {
	case from == "" && level == 0:
		use.Module, use.Name = a.Name, ""
		origin = a.Name
		if a.AsName == "" {
			origin = name // `import a.b` binds a
		}
	case from == "":
		origin += a.Name
	default:
		origin += "." + a.Name
	}
	u := c.uses
	if name == "*" {
		use.As = ""
	} else {
		if u.imports[c.scope] == nil {
			u.imports[c.scope] = map[string]string{}
		}
		u.imports[c.scope][name] = origin
	}
	u.list = append(u.list, use)
}

// holder finds the scope whose binding of name a read in s finds, and whether
// there is one; the module's scope when there is none.
func holder(s *scope, name string) (*scope, bool) {
	module := s
	for module.parent != nil {
		module = module.parent
	}
	for at := s; at != nil && at != module; at = at.parent {
		flags := at.symbols[name]
		if flags&defGlobal != 0 {
			break
		}
		if flags&bound != 0 && flags&defNonlocal == 0 && (at == s || at.kind != classScope) {
			return at, true
		}
	}
	return module, module.symbols[name]&bound != 0
}

// resolveNames keeps the first read of each name that is the module's.
func (s *Survey) resolveNames(list []scopedName) {
	seen := map[string]int{}
	for _, use := range list {
		at, known := holder(use.in, use.name.ID)
		if at.parent != nil {
			continue
		}
		n := NameUse{Name: use.name.ID, Pos: use.name.Start, Bound: known}
		i, ok := seen[n.Name]
		switch {
		case !ok:
			seen[n.Name] = len(s.Names)
			s.Names = append(s.Names, n)
		case n.Pos.Before(s.Names[i].Pos):
			s.Names[i] = n
		}
	}
	slices.SortFunc(s.Names, func(a, b NameUse) int { return a.Pos.compare(b.Pos) })
}

func (u *uses) resolveCall(c scopedCall) CallUse {
	name, root := dottedCallee(c.call.Func)
	use := CallUse{Name: name, Target: name, Pos: c.call.Start, Call: c.call}
	if root == "" {
		return use
	}
	at, _ := holder(c.in, root)
	if origin, ok := u.imports[at][root]; ok {
		use.Target = origin + name[len(root):]
	}
	return use
}

// dottedCallee returns the name of a callee and the variable it begins with,
// which is "" when it begins with something else.
func dottedCallee(e Expr) (name, root string) {
	var parts []string
	for {
		switch n := e.(type) {
		case *Attribute:
			parts = append(parts, n.Attr)
			e = n.Value
			continue
		case *Name:
			parts = append(parts, n.ID)
			root = n.ID
		default:
			if len(parts) > 0 {
				parts = append(parts, "")
			}
		}
		break
	}
	slices.Reverse(parts)
	return strings.Join(parts, "."), root
}
