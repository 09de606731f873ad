// Package archtest keeps the shape of the source: which package may import which,
// which third party may be used where, which words are used, and the budgets of
// size and documentation. It parses the files in the test's own process, so that the
// result is never a cached answer about files that have changed since.
//
// Everything is denied by default: a package that has no line in the table of
// packages (rules.go) is itself a violation, and so is a line without a package.
package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Package is one line of the table: what a package may import besides the
// standard library. Paths are relative to the module. An entry that ends in
// "/..." stands for everything below it.
type Package struct {
	Imports   []string // our packages
	Third     []string // third-party modules or packages
	Tests     []string // our packages, in _test.go files too
	TestThird []string // third parties, in _test.go files too
}

// Rules is all that is checked.
type Rules struct {
	Module     string
	Packages   map[string]Package
	Everywhere []string          // leaves that every package may import
	TestTree   string            // the folder of the packages that only tests may import
	Fuzzed     []string          // packages that decode or parse: each has a fuzz target
	Exceptions map[string]string // "package.Name" or "package.file.go" → why a budget, the rule on variables or the one on words in texts does not hold for it
	Interfaces map[string]int    // "io.Reader" → how many methods it has: what interfaces may embed of other modules
	Writers    []string          // packages that may log, or write to standard error
	Names      []string          // names that no package may have
	Budgets    Budgets
	Words      Words
	Codes      Codes
	Vocabulary Vocabulary
}

// Budgets are the limits of size and documentation.
type Budgets struct {
	FuncLines        int
	FileLines        int
	InterfaceMethods int     // with those of the interfaces that it embeds
	Documented       float64 // share of the exported names that have a comment
}

// Violation is one broken rule.
type Violation struct {
	Where string // file:line, or a package
	Rule  string // "import", "third-party", "package", "doc", "size", "interface", "context", "init", "name", "variable", "unsafe", "fuzz", "stderr", "words", "code", "vocabulary"
	What  string
}

// String returns the violation in one line.
func (v Violation) String() string { return fmt.Sprintf("%s: %s: %s", v.Where, v.Rule, v.What) }

// pack is the files of one folder.
type pack struct {
	path  string // relative to the module
	files []*source
}

type source struct {
	name  string // relative to the module
	test  bool
	ast   *ast.File
	lines int
}

// checker gathers violations over a tree.
type checker struct {
	rules      Rules
	fset       *token.FileSet
	packs      map[string]*pack
	found      []Violation
	used       map[string]bool // what is used of package fault
	exported   int
	documented int
	undoc      []Violation
}

// Check parses every Go file below root and returns what breaks the rules, sorted.
func Check(root string, rules Rules) ([]Violation, error) {
	c := &checker{rules: rules, fset: token.NewFileSet(), packs: map[string]*pack{}, used: map[string]bool{}}
	if err := c.parse(root); err != nil {
		return nil, fmt.Errorf("cannot read the sources: %w", err)
	}
	for _, name := range slices.Sorted(mapKeys(c.packs)) {
		c.pack(c.packs[name])
	}
	c.table()
	c.fuzz()
	c.unused()
	if c.exported > 0 && float64(c.documented) < rules.Budgets.Documented*float64(c.exported) {
		c.found = append(c.found, c.undoc...)
	}
	slices.SortFunc(c.found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Where, b.Where), cmp.Compare(a.What, b.What))
	})
	return c.found, nil
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (c *checker) parse(root string) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if file != root && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		tree, err := parser.ParseFile(c.fset, rel, text, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := path.Dir(rel)
		p := c.packs[dir]
		if p == nil {
			p = &pack{path: dir}
			c.packs[dir] = p
		}
		lines := strings.Count(string(text), "\n")
		p.files = append(p.files, &source{name: rel, test: strings.HasSuffix(base, "_test.go"), ast: tree, lines: lines})
		return nil
	})
}

func (c *checker) report(where, rule, format string, args ...any) {
	c.found = append(c.found, Violation{where, rule, fmt.Sprintf(format, args...)})
}

func (c *checker) at(n ast.Node) string {
	p := c.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// excepted says whether a name of a package is excused, and why is on record.
func (c *checker) excepted(p *pack, name string) bool {
	return c.rules.Exceptions[p.path+"."+name] != ""
}

func (c *checker) pack(p *pack) {
	rule, known := c.rules.Packages[p.path]
	if !known {
		c.report(p.path, "package", "it has no line in the table of packages")
	}
	if slices.Contains(c.rules.Names, path.Base(p.path)) {
		c.report(p.path, "name", "%q says nothing about what the package is for", path.Base(p.path))
	}
	commented, code := false, false
	for _, s := range p.files {
		code = code || !s.test
		commented = commented || (!s.test && s.ast.Doc != nil)
		if known {
			c.imports(p, rule, s)
		}
		if s.lines > c.rules.Budgets.FileLines && !c.excepted(p, path.Base(s.name)) {
			c.report(s.name, "size", "file has %d lines, at most %d are allowed", s.lines, c.rules.Budgets.FileLines)
		}
		c.vocabulary(p, s)
		if !s.test {
			c.source(p, s)
			c.stderr(p, s)
			c.words(p, s)
			c.codes(p, s)
		}
	}
	if code && !commented {
		c.report(p.path, "doc", "package has no comment")
	}
	c.variables(p)
}

// imports checks the edges of one file.
func (c *checker) imports(p *pack, rule Package, s *source) {
	for _, spec := range s.ast.Imports {
		imp := strings.Trim(spec.Path.Value, `"`)
		switch {
		case imp == "unsafe":
			if !strings.HasSuffix(s.name, "_unsafe.go") {
				c.report(c.at(spec), "unsafe", "unsafe is imported outside a *_unsafe.go file")
			}
		case imp == c.rules.Module || strings.HasPrefix(imp, c.rules.Module+"/"):
			rel := cmp.Or(strings.TrimPrefix(strings.TrimPrefix(imp, c.rules.Module), "/"), ".")
			allowed := rel == p.path || slices.Contains(c.rules.Everywhere, rel) || anyCovers(rule.Imports, rel) || (s.test && anyCovers(rule.Tests, rel))
			if c.forTests(rel) && !c.forTests(p.path) && !s.test {
				allowed = false // "/..." in a line does not let tests into the product
			}
			if !allowed {
				c.report(c.at(spec), "import", "%s may not import %s", p.path, rel)
			}
		case strings.Contains(strings.SplitN(imp, "/", 2)[0], "."):
			if !anyBelow(rule.Third, imp) && !(s.test && anyBelow(rule.TestThird, imp)) {
				c.report(c.at(spec), "third-party", "%s may not import %s", p.path, imp)
			}
		}
	}
}

// forTests says whether a package is there for tests alone.
func (c *checker) forTests(pkg string) bool {
	return c.rules.TestTree != "" && strings.HasPrefix(pkg, c.rules.TestTree+"/")
}

// anyCovers says whether one of the patterns names the package: exactly, or by "/...".
func anyCovers(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
			return pkg == tree || strings.HasPrefix(pkg, tree+"/")
		}
		return pkg == pattern
	})
}

// anyBelow says whether the package belongs to one of the modules.
func anyBelow(modules []string, pkg string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return pkg == m || strings.HasPrefix(pkg, m+"/") })
}

// table reports lines that name no package.
func (c *checker) table() {
	for name := range c.rules.Packages {
		if c.packs[name] == nil {
			c.report(name, "package", "the table has a line for a package that does not exist")
		}
	}
}

// fuzz reports packages that promise a fuzz target and have none.
func (c *checker) fuzz() {
	for _, name := range c.rules.Fuzzed {
		p, has := c.packs[name], false
		if p != nil {
			for _, s := range p.files {
				for _, d := range s.ast.Decls {
					f, ok := d.(*ast.FuncDecl)
					has = has || (ok && s.test && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz"))
				}
			}
		}
		if !has {
			c.report(name, "fuzz", "package parses what others wrote and has no fuzz target")
		}
	}
}
