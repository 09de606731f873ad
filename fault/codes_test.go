package fault

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestCodes requires of every constant of codes.go one line of the table, with
// the data that its comment names, and a remedy that this data is enough for.
func TestCodes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	capital := regexp.MustCompile(`(.)([A-Z])`)
	parenthesis := regexp.MustCompile(` \([^)]*\)`)
	sentence := regexp.MustCompile(`^(Did you mean .*\?|[A-Z][^{}]*[A-Za-z0-9]\.)$`)
	seen := map[Code]bool{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			name, code := v.Names[0].Name, Code(text)
			if want := strings.ToLower(capital.ReplaceAllString(name, "${1}_$2")); text != want {
				t.Errorf("%s is %q, want %q", name, text, want)
			}
			if seen[code] {
				t.Errorf("%s stands twice", name)
			}
			seen[code] = true
			if code.Kind() == Internal {
				t.Errorf("%s has no line in the table", name)
			}
			when, list, _ := strings.Cut(strings.TrimSpace(parenthesis.ReplaceAllString(v.Comment.Text(), "")), ". Data: ")
			if when == "" {
				t.Errorf("%s does not say when it happens", name)
			}
			data := Data{}
			for _, n := range code.Names() {
				data[n] = "x"
			}
			if want := strings.Join(code.Names(), ", "); list != want {
				t.Errorf("%s: the comment names the data %q, the table %q", name, list, want)
			}
			for _, n := range table[code].remedy.Names() {
				if data[n] == "" {
					t.Errorf("%s: the remedy needs %q, which is not among its data", name, n)
				}
			}
			if remedy := code.Remedy(data); remedy != "" && !sentence.MatchString(remedy) {
				t.Errorf("%s: the remedy is no sentence: %q", name, remedy)
			}
			if coded := Coded(code, data, "it failed"); coded.Kind != code.Kind() || coded.Code != code || coded.Remedy != code.Remedy(data) {
				t.Errorf("%s: made as %+v", name, coded)
			}
		}
	}
	for _, code := range Codes() {
		if !seen[code] {
			t.Errorf("the table has a line for %q, which is no constant of codes.go", code)
		}
	}
}
