package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Vocabulary is the words that names, comments and texts must not use, because nobody
// outside of the project knows what they mean here.
type Vocabulary struct {
	Retired []Retired
	In      []string // the packages where the rule is in force; nil: everywhere
}

// Retired is a group of words, and what to write instead.
type Retired struct {
	Names    []string       // parts of names, in small letters
	Comments *regexp.Regexp // what comments and texts must not say; nil: they may use the words
	Say      string
}

// retire makes a group of words. comments is a regular expression over whole words,
// in which a space also stands for the end of a line; "" leaves comments and texts alone.
func retire(say, names, comments string) Retired {
	r := Retired{Say: say, Names: strings.Fields(names)}
	if comments != "" {
		r.Comments = regexp.MustCompile(`(?i)\b(` + strings.ReplaceAll(comments, " ", `[\s/]+`) + `)\b`)
	}
	return r
}

// vocabulary checks the name of a file, the names that it declares, its comments and,
// unless it is a test, its texts.
func (c *checker) vocabulary(p *pack, s *source) {
	if in := c.rules.Vocabulary.In; in != nil && !anyCovers(in, p.path) {
		return
	}
	c.retiredName(s.name, strings.TrimSuffix(path.Base(s.name), ".go"))
	for _, id := range declared(s.ast) {
		if !c.excepted(p, id.Name) {
			c.retiredName(c.at(id), id.Name)
		}
	}
	for _, group := range s.ast.Comments {
		c.retiredComment(group)
	}
	if !s.test && !c.excepted(p, path.Base(s.name)) {
		c.retiredTexts(s)
	}
}

// retiredTexts checks the string literals of a file. Paths of imports and tags of
// fields are not for people.
func (c *checker) retiredTexts(s *source) {
	tags := map[*ast.BasicLit]bool{}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			tags[n.Tag] = true // seen before the tag itself
		case *ast.BasicLit:
			if n.Kind == token.STRING && !tags[n] {
				c.retiredText(n)
			}
		}
		return true
	})
}

func (c *checker) retiredText(n *ast.BasicLit) {
	text, err := strconv.Unquote(n.Value)
	if err != nil {
		return
	}
	begin := c.fset.Position(n.Pos())
	raw := strings.HasPrefix(n.Value, "`") // only then do the lines of the text follow those of the file
	for _, r := range c.rules.Vocabulary.Retired {
		if r.Comments == nil {
			continue
		}
		for _, at := range r.Comments.FindAllStringIndex(text, -1) {
			line := begin.Line
			if raw {
				line += strings.Count(text[:at[0]], "\n")
			}
			words := strings.Join(strings.Fields(text[at[0]:at[1]]), " ")
			c.report(fmt.Sprintf("%s:%d", begin.Filename, line), "vocabulary", "the text has the retired word %q: say %s", words, r.Say)
		}
	}
}

func (c *checker) retiredName(where, name string) {
	for _, part := range nameParts(name) {
		for _, r := range c.rules.Vocabulary.Retired {
			if slices.Contains(r.Names, part) {
				c.report(where, "vocabulary", "the name %s has the retired word %q: say %s", name, part, r.Say)
			}
		}
	}
}

// retiredComment reports each retired word with its own line: the comments of a
// group follow each other line by line.
func (c *checker) retiredComment(group *ast.CommentGroup) {
	var all []string
	for _, one := range group.List {
		all = append(all, one.Text)
	}
	text := strings.Join(all, "\n")
	begin := c.fset.Position(group.Pos())
	for _, r := range c.rules.Vocabulary.Retired {
		if r.Comments == nil {
			continue
		}
		for _, at := range r.Comments.FindAllStringIndex(text, -1) {
			words := strings.Join(strings.FieldsFunc(text[at[0]:at[1]], func(r rune) bool { return unicode.IsSpace(r) || r == '/' }), " ")
			where := fmt.Sprintf("%s:%d", begin.Filename, begin.Line+strings.Count(text[:at[0]], "\n"))
			c.report(where, "vocabulary", "the comment has the retired word %q: say %s", words, r.Say)
		}
	}
}

// declared returns the identifiers that a file declares.
func declared(f *ast.File) []*ast.Ident {
	out := []*ast.Ident{f.Name}
	add := func(all ...ast.Expr) {
		for _, e := range all {
			if id, ok := e.(*ast.Ident); ok {
				out = append(out, id)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			if n.Name != nil {
				out = append(out, n.Name)
			}
		case *ast.FuncDecl:
			out = append(out, n.Name)
		case *ast.TypeSpec:
			out = append(out, n.Name)
		case *ast.ValueSpec:
			out = append(out, n.Names...)
		case *ast.Field:
			out = append(out, n.Names...)
		case *ast.LabeledStmt:
			out = append(out, n.Label)
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				add(n.Lhs...)
			}
		}
		return true
	})
	return out
}

// nameParts splits a name where its words begin: "maxHTTPNames_test" has the parts
// max, http, names and test.
func nameParts(name string) []string {
	var out []string
	letters, begin := []rune(name), 0
	cut := func(end int) {
		if end > begin {
			out = append(out, strings.ToLower(string(letters[begin:end])))
		}
	}
	for i, r := range letters {
		switch {
		case !unicode.IsLetter(r):
			cut(i)
			begin = i + 1
		case i > begin && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			cut(i)
			begin = i
		}
	}
	cut(len(letters))
	return out
}
