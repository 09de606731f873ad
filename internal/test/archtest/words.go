package archtest

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Words says who may speak of the command line. Any other package may be used
// by a library, a server or a model, which know no command and no flag.
type Words struct {
	Command  []string          // packages that may; an entry that ends in "/..." stands for everything below it
	Options  map[string]string // package → whose options its literals name
	Literals map[string]string // literal → why it names no command
}

// Codes are the codes of package fault: the name of the constant → the names of
// its data. What fault.Coded is given is compared with them.
type Codes map[string][]string

var (
	commandWord  = regexp.MustCompile(`(^|[^.\w])praxis ([a-z]|$)`)
	flagWord     = regexp.MustCompile("(^|[\\s\"'`(=\\[])--[a-z]")
	variableWord = regexp.MustCompile(`\bPRAXIS_[A-Z]`)
	variableName = regexp.MustCompile(`^PRAXIS_[A-Z_]+$`)
)

// words checks the literals of a file that is no test.
func (c *checker) words(p *pack, s *source) {
	if anyCovers(c.rules.Words.Command, p.path) {
		return
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				c.literal(p, n)
			}
		}
		return true
	})
}

func (c *checker) literal(p *pack, n *ast.BasicLit) {
	text, err := strconv.Unquote(n.Value)
	if err != nil || c.rules.Words.Literals[text] != "" {
		return
	}
	switch {
	case commandWord.MatchString(text):
		c.report(c.at(n), "words", "%s names a command of the command line", n.Value)
	case flagWord.MatchString(text) && c.rules.Words.Options[p.path] == "":
		c.report(c.at(n), "words", "%s names a flag of the command line", n.Value)
	case variableWord.MatchString(text) && !variableName.MatchString(text):
		c.report(c.at(n), "words", "%s names a variable of the environment", n.Value)
	}
}

// codes checks what is made with fault.Coded in a file that is no test, and
// notes which codes are used; to word the remedy of one is no use of it.
func (c *checker) codes(p *pack, s *source) {
	pkg := importedAs(s, c.rules.Module+"/fault")
	if pkg == "" {
		return
	}
	edge := anyCovers(c.rules.Words.Command, p.path)
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if name := member(n, pkg); name != "" && !edge {
			c.used[name] = true
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || member(call.Fun, pkg) != "Coded" || len(call.Args) < 2 {
			return true
		}
		code := member(call.Args[0], pkg)
		want, known := c.rules.Codes[code]
		got, literal := dataNames(call.Args[1])
		slices.Sort(got)
		if want = slices.Sorted(slices.Values(want)); known && literal && !slices.Equal(got, want) {
			c.report(c.at(call), "code", "%s carries the data %q, not %q", code, want, got)
		}
		return true
	})
}

// unused reports codes that no fault is made with.
func (c *checker) unused() {
	for code := range c.rules.Codes {
		if !c.used[code] {
			c.report("fault", "code", "no fault is made with %s", code)
		}
	}
}

// importedAs returns the name under which a file uses a package, or "".
func importedAs(s *source, path string) string {
	for _, imp := range s.ast.Imports {
		if strings.Trim(imp.Path.Value, `"`) != path {
			continue
		}
		if imp.Name != nil {
			return imp.Name.Name
		}
		return path[strings.LastIndex(path, "/")+1:]
	}
	return ""
}

// member returns the name of what n takes from the package pkg, or "".
func member(n ast.Node, pkg string) string {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); !ok || x.Name != pkg {
		return ""
	}
	return sel.Sel.Name
}

// dataNames returns the names in a literal of data, and false for anything else.
func dataNames(e ast.Expr) (names []string, literal bool) {
	if id, ok := e.(*ast.Ident); ok && id.Name == "nil" {
		return nil, true
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return nil, false
		}
		key, ok := kv.Key.(*ast.BasicLit)
		if !ok {
			return nil, false
		}
		name, err := strconv.Unquote(key.Value)
		if err != nil {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}
