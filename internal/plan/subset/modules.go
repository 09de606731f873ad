package subset

import (
	"cmp"
	"strings"
	"sync"

	"praxis/internal/plan/library"
	"praxis/internal/plan/library/native"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// Known says whether a program can import a module.
func Known(name string) bool {
	if strings.HasPrefix(name, "_") && name != "__future__" || name == "builtins" {
		return false
	}
	if _, ok := library.Source(name); ok || native.Values(name) != nil {
		return true
	}
	return native.ByModule()[name] != nil || name == "__future__"
}

// moduleNames are the names that a module binds, found in the text of its
// source without running it: a test compares them with what an import binds.
func moduleNames(name string) []string {
	var out []string
	for _, n := range native.ByModule()[name] {
		out = append(out, n.Short())
	}
	out = append(out, native.ValueNames(name)...)
	source, _ := library.Source(name)
	for line := range strings.Lines(source) {
		out = append(out, boundByLine(strings.TrimRight(line, "\n"))...)
	}
	return out
}

// boundByLine are the names that a line at the outer level of a library module binds.
func boundByLine(line string) []string {
	if line == "" || line[0] == ' ' || line[0] == '#' || line[0] == '@' {
		return nil
	}
	word, rest, _ := strings.Cut(strings.TrimPrefix(line, "async "), " ")
	switch word {
	case "def", "class":
		return []string{rest[:strings.IndexAny(rest+":", "(:")]}
	case "import":
		return importedNames(rest)
	case "from":
		_, names, _ := strings.Cut(rest, " import ")
		return importedNames(names)
	}
	var out []string
	for {
		targets, value, ok := strings.Cut(line, " = ")
		if !ok {
			return out
		}
		for t := range strings.SplitSeq(targets, ", ") {
			if identifier(t) {
				out = append(out, t)
			}
		}
		line = value
	}
}

func importedNames(list string) []string {
	var out []string
	for part := range strings.SplitSeq(list, ", ") {
		name, as, renamed := strings.Cut(part, " as ")
		if !renamed {
			as, _, _ = strings.Cut(name, ".")
		}
		out = append(out, as)
	}
	return out
}

// identifier says whether text is a plain name of ASCII letters, digits and underscores.
func identifier(text string) bool {
	for i := range len(text) {
		c := text[i] | 0x20
		if (c < 'a' || c > 'z') && text[i] != '_' && (i == 0 || text[i] < '0' || text[i] > '9') {
			return false
		}
	}
	return text != ""
}

// Exported are the names that "from module import *" binds: those that the
// module lists in __all__, else those that do not begin with an underscore.
func Exported(name string) []string {
	if source, _ := library.Source(name); source != "" {
		if _, list, ok := strings.Cut(source, "\n__all__ = ["); ok {
			list, _, _ = strings.Cut(list, "]")
			var out []string
			for word := range strings.SplitSeq(list, ",") {
				out = append(out, strings.Trim(word, " \n'\""))
			}
			return out
		}
	}
	var out []string
	seen := map[string]bool{}
	for _, n := range moduleNames(name) {
		if !strings.HasPrefix(n, "_") && !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// writeStars replaces the star of "from module import *" by the names that it
// stands for, in place, so that all that follows knows what the program binds.
func writeStars(m *syntax.Module) {
	for _, s := range m.Body {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.FunctionDef, *syntax.ClassDef, *syntax.Lambda:
				return false
			case *syntax.ImportFrom:
				if len(n.Names) != 1 || n.Names[0].Name != "*" || n.Level > 0 || !Known(n.Module) {
					return false
				}
				star := *n.Names[0]
				n.Names = nil
				for _, name := range Exported(n.Module) {
					al := star
					al.Name = name
					n.Names = append(n.Names, &al)
				}
				return false
			}
			return true
		})
	}
}

// lacking refuses what a program imports and the language does not have. An
// import in a try statement is let through: the program may do without it.
func (f *features) lacking(m *syntax.Module) {
	modules := map[string]string{} // by the name that the program has for them
	syntax.Walk(m, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.TryStmt:
			f.tries(n)
		case *syntax.Import:
			for _, al := range n.Names {
				if !f.fine[n] && !Known(al.Name) {
					f.refuse(al.Span, "the module "+al.Name, moduleRemedy(al.Name))
				} else if al.AsName != "" || !strings.Contains(al.Name, ".") {
					modules[al.Bound()] = al.Name
				}
			}
		case *syntax.ImportFrom:
			if n.Level == 0 && !f.fine[n] {
				f.importFrom(n)
			}
		}
		return len(f.list) < maxRefusals
	})
	if len(modules) == 0 {
		return
	}
	bound := map[string]int{}
	syntax.Walk(m, func(n syntax.Node) bool {
		for _, name := range syntax.Bindings(n) {
			bound[name]++
		}
		return true
	})
	syntax.Walk(m, func(n syntax.Node) bool {
		a, ok := n.(*syntax.Attribute)
		if !ok || f.fine[a] {
			return len(f.list) < maxRefusals
		}
		of, ok := a.Value.(*syntax.Name)
		if !ok || a.Ctx != syntax.Load || modules[of.ID] == "" || bound[of.ID] != 1 || strings.HasPrefix(a.Attr, "__") {
			return true
		}
		module := modules[of.ID]
		if !Names(module)[a.Attr] && !Known(module+"."+a.Attr) {
			f.refuse(a.Span, module+"."+a.Attr, nameRemedy(module, a.Attr))
		}
		return true
	})
}

// tries lets everything through in the body of a try statement: imports
// that may fail, and attributes that may be missing.
func (f *features) tries(n *syntax.TryStmt) {
	for _, s := range n.Body {
		syntax.Walk(s, func(c syntax.Node) bool {
			switch c := c.(type) {
			case *syntax.Import, *syntax.ImportFrom:
				f.allow(c)
			case *syntax.Attribute:
				if _, ok := c.Value.(*syntax.Name); ok && !value.Reflective(c.Attr) {
					f.allow(c)
				}
			}
			return true
		})
	}
}

// Names holds the names of a module. It must not be changed.
func Names(module string) map[string]bool {
	if set, ok := nameSets.Load(module); ok {
		return set.(map[string]bool)
	}
	set := map[string]bool{}
	for _, n := range moduleNames(module) {
		set[n] = true
	}
	nameSets.Store(module, set)
	return set
}

var nameSets sync.Map // by module: map[string]bool

func (f *features) importFrom(n *syntax.ImportFrom) {
	if !Known(n.Module) {
		f.refuse(n.Span, "the module "+n.Module, moduleRemedy(n.Module))
		return
	}
	if n.Module == "__future__" {
		return
	}
	names := Names(n.Module)
	for _, al := range n.Names {
		if al.Name != "*" && !names[al.Name] && !Known(n.Module+"."+al.Name) {
			f.refuse(al.Span, n.Module+"."+al.Name, nameRemedy(n.Module, al.Name))
		}
		if n.Module == "enum" {
			if f.enums == nil {
				f.enums = map[string]bool{}
			}
			f.enums[al.Bound()] = true
		}
		if n.Module == "collections.abc" || n.Module == "typing" {
			f.container(al)
		}
	}
}

// container remembers the import of a kind of containers that asks what a value
// is, and that has no methods for classes which would derive from it.
func (f *features) container(al *syntax.Alias) {
	switch al.Name {
	case "Sequence", "MutableSequence", "Set", "MutableSet", "Mapping", "MutableMapping":
		if f.kinds == nil {
			f.kinds = map[string]bool{}
		}
		f.kinds[al.Bound()] = true
	}
}

// moduleRemedy says what to do without a module.
func moduleRemedy(name string) string {
	top, _, _ := strings.Cut(name, ".")
	return cmp.Or(remedy("module", top), "Do without it; docs/plan-language.md lists the modules that there are.")
}

// nameRemedy says what to do without a name that a module of the language leaves out.
func nameRemedy(module, name string) string {
	if text := cmp.Or(remedy("of", module+"."+name), remedy("of", module)); text != "" {
		return text
	}
	if Names(module)[module] {
		return module + " is the module here; the class is " + module + "." + module + "."
	}
	return "The language's " + module + " lacks it; do without it."
}
