package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPraxis checks this module itself.
func TestPraxis(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatalf("the module's root is not where it is looked for: %v", err)
	}
	found, err := Check(root, PraxisRules())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		t.Error(v)
	}
}

// plantedRules are small enough for a violation to be the only one.
func plantedRules() Rules {
	return Rules{
		Module: "m",
		Packages: map[string]Package{
			"a":   {Imports: []string{"b", "fault", "tree/..."}, Third: []string{"x.org/mod"}, Tests: []string{"t"}, TestThird: []string{"x.org/test"}},
			"b":   {},
			"cmd": {},
		},
		Exceptions: map[string]string{"a.Excused": "planted", "a.excusedFunc": "planted", "a.words.go": "planted"},
		TestTree:   "tree/test",
		Writers:    []string{"a"},
		Interfaces: map[string]int{"io.ReadCloser": 2},
		Names:      []string{"utils"},
		Budgets:    Budgets{FuncLines: 10, FileLines: 40, InterfaceMethods: 2, Documented: 1},
		Words: Words{
			Command:  []string{"cmd/..."},
			Options:  map[string]string{"a": "planted"},
			Literals: map[string]string{"praxis root 1\n": "planted"},
		},
		Codes: Codes{"Lost": {"name"}},
		Vocabulary: Vocabulary{Retired: []Retired{
			retire("bridge", "desk", `desks?`), retire("execute", "", `carr(y|ies)( \w+){0,2} out`), retire("stored", "kept", ``),
		}},
	}
}

func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	all := map[string]string{
		"a/a.go":      "// Package a is planted.\npackage a\n",
		"b/b.go":      "// Package b is planted.\npackage b\n\ntype two interface {\n\tA()\n\tB()\n}\n",
		"cmd/main.go": "// Command cmd is planted.\npackage main\n",
		"a/lost.go":   "package a\n\nimport \"m/fault\"\n\nvar errOfData = fault.New(fault.Lost)\n",
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if text == "" {
			continue
		}
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestPlanted(t *testing.T) {
	long := "package a\n\nfunc f() {\n" + strings.Repeat("\t_ = 0\n", 10) + "}\n"
	for _, c := range []struct {
		name  string
		file  string
		text  string
		rule  string // "" when it is allowed
		where string
	}{
		{"allowed edge", "a/x.go", "package a\n\nimport _ \"m/b\"\n", "", ""},
		{"allowed tree", "a/x.go", "package a\n\nimport _ \"m/tree/deep/er\"\n", "", ""},
		{"forbidden edge", "b/x.go", "package b\n\nimport _ \"m/a\"\n", "import", "b/x.go:3"},
		{"name that only begins alike", "a/x.go", "package a\n\nimport _ \"m/bb\"\n", "import", "a/x.go:3"},
		{"edge for tests only", "a/x.go", "package a\n\nimport _ \"m/t\"\n", "import", "a/x.go:3"},
		{"edge for tests, in a test", "a/x_test.go", "package a\n\nimport _ \"m/t\"\n", "", ""},
		{"package under test from outside", "a/x_test.go", "package a_test\n\nimport _ \"m/a\"\n", "", ""},
		{"forbidden edge in a test", "b/x_test.go", "package b\n\nimport _ \"m/a\"\n", "import", "b/x_test.go:3"},
		{"allowed third party", "a/x.go", "package a\n\nimport _ \"x.org/mod/sub\"\n", "", ""},
		{"third party in the wrong package", "b/x.go", "package b\n\nimport _ \"x.org/mod/sub\"\n", "third-party", "b/x.go:3"},
		{"third party that only begins alike", "a/x.go", "package a\n\nimport _ \"x.org/modern\"\n", "third-party", "a/x.go:3"},
		{"third party for tests only", "a/x.go", "package a\n\nimport _ \"x.org/test\"\n", "third-party", "a/x.go:3"},
		{"third party for tests, in a test", "a/x_test.go", "package a\n\nimport _ \"x.org/test\"\n", "", ""},
		{"package log", "b/x.go", "package b\n\nimport \"log\"\n\nfunc f() { log.Print() }\n", "stderr", "b/x.go:3"},
		{"package log in a test", "b/x_test.go", "package b\n\nimport \"log\"\n\nfunc f() { log.Print() }\n", "", ""},
		{"standard error", "b/x.go", "package b\n\nimport \"os\"\n\nfunc f() { _ = os.Stderr }\n", "stderr", "b/x.go:5"},
		{"standard error where it belongs", "a/x.go", "package a\n\nimport \"os\"\n\nfunc f() { _ = os.Stderr }\n", "", ""},
		{"standard library", "b/x.go", "package b\n\nimport _ \"net/http\"\n", "", ""},
		{"file behind a build tag", "b/x.go", "//go:build never\n\npackage b\n\nimport _ \"m/a\"\n", "import", "b/x.go:5"},
		{"package without a line", "c/c.go", "// Package c is planted.\npackage c\n", "package", "c"},
		{"line without a package", "b/b.go", "", "package", "b"},
		{"name", "utils/u.go", "// Package utils is planted.\npackage utils\n", "name", "utils"},
		{"no package comment", "b/b.go", "package b\n", "doc", "b"},
		{"no comment on a function", "b/x.go", "package b\n\nfunc F() {}\n", "doc", "b/x.go:3"},
		{"no comment on a method", "b/x.go", "package b\n\n// T is planted.\ntype T int\n\nfunc (t *T) M() {}\n", "doc", "b/x.go:6"},
		{"no comment on a type of a group", "b/x.go", "package b\n\n// Two.\ntype (\n\tA int\n\t// B is.\n\tB int\n)\n", "doc", "b/x.go:5"},
		{"comment on a group of constants", "b/x.go", "package b\n\n// Two.\nconst (\n\tA = 1\n\tB = 2\n)\n", "", ""},
		{"method of a hidden type", "b/x.go", "package b\n\ntype t int\n\nfunc (t) M() {}\n", "", ""},
		{"long function", "a/x.go", long, "size", "a/x.go:3"},
		{"excused long function", "a/x.go", strings.Replace(long, "func f", "func excusedFunc", 1), "", ""},
		{"long function in a test", "a/x_test.go", long, "", ""},
		{"long file", "a/x.go", "package a\n" + strings.Repeat("\n", 40), "size", "a/x.go"},
		{"wide interface", "b/x.go", "package b\n\n// I is planted.\ntype I interface {\n\tA()\n\tB()\n\tC()\n}\n", "interface", "b/x.go:4"},
		{"wide hidden interface", "b/x.go", "package b\n\ntype i interface {\n\tA()\n\tB()\n\tC()\n}\n", "interface", "b/x.go:3"},
		{"interface that is wide by another", "b/x.go", "package b\n\ntype i interface {\n\tA()\n\tj\n}\n\ntype j interface {\n\tB()\n\tC()\n}\n", "interface", "b/x.go:3"},
		{"interface that is wide by the standard library", "b/x.go", "package b\n\nimport \"io\"\n\ntype i interface {\n\tA()\n\tio.ReadCloser\n}\n", "interface", "b/x.go:5"},
		{"interface that is wide by a renamed import", "b/x.go", "package b\n\nimport std \"io\"\n\ntype i interface {\n\terror\n\tstd.ReadCloser\n}\n", "interface", "b/x.go:5"},
		{"interface with one of the standard library", "b/x.go", "package b\n\nimport \"io\"\n\ntype i interface{ io.ReadCloser }\n", "", ""},
		{"interface that embeds what is not counted", "b/x.go", "package b\n\nimport \"io\"\n\ntype i interface {\n\tio.Seeker\n}\n", "interface", "b/x.go:6"},
		{"interface that is wide by its own module", "a/x.go", "package a\n\nimport \"m/b\"\n\ntype i interface {\n\tC()\n\tb.two\n}\n", "interface", "a/x.go:5"},
		{"constraint", "b/x.go", "package b\n\ntype number interface{ ~int | ~float64 }\n", "", ""},
		{"tests in the product", "a/x.go", "package a\n\nimport _ \"m/tree/test/x\"\n", "import", "a/x.go:3"},
		{"tests in a test", "a/x_test.go", "package a\n\nimport _ \"m/tree/test/x\"\n", "", ""},
		{"stored context", "b/x.go", "package b\n\nimport \"context\"\n\ntype s struct {\n\tctx context.Context\n}\n", "context", "b/x.go:6"},
		{"stored context, renamed and embedded", "b/x.go", "package b\n\nimport c \"context\"\n\nfunc f() {\n\ttype s struct{ c.Context }\n}\n", "context", "b/x.go:6"},
		{"init", "b/x.go", "package b\n\nfunc init() {}\n", "init", "b/x.go:3"},
		{"init in main", "cmd/x.go", "package main\n\nfunc init() {}\n", "", ""},
		{"method called init", "b/x.go", "package b\n\ntype t int\n\nfunc (t) init() {}\n", "", ""},
		{"variable", "b/x.go", "package b\n\nvar n int\n", "variable", "b/x.go:3"},
		{"variable with a value", "b/x.go", "package b\n\nvar n = 1\n", "variable", "b/x.go:3"},
		{"variable from a call", "b/x.go", "package b\n\nimport \"os\"\n\nvar n = os.Getpid()\n", "variable", "b/x.go:5"},
		{"excused variable", "a/x.go", "package a\n\n// Excused is.\nvar Excused = 1\n", "", ""},
		{"error, pattern, pin", "b/x.go", "package b\n\nvar e = errors.New(\"\")\n\nvar p = regexp.MustCompile(\"\")\n\nvar q = lazyregexp.New(\"\")\n\nvar _ I = x\n", "", ""},
		{"table made when it is needed", "b/x.go", "package b\n\nvar t = sync.OnceValue(table)\n", "", ""},
		{"embed", "b/x.go", "package b\n\nimport _ \"embed\"\n\n//go:embed x.go\nvar text string\n", "", ""},
		{"variable of another package", "b/x.go", "package b\n\nimport _ \"embed\"\n\n//go:linkname text other.text\nvar text string\n", "", ""},
		{"error of a type of its own", "b/x.go", "package b\n\nvar errGone = &failure{}\n", "", ""},
		{"error that is written to", "b/x.go", "package b\n\nvar errGone = &failure{}\n\nfunc f() { errGone.n++ }\n", "variable", "b/x.go:5"},
		{"pointer", "b/x.go", "package b\n\nvar state = &failure{}\n", "variable", "b/x.go:3"},
		{"table", "b/x.go", "package b\n\nvar t = map[string]int{\"a\": 1}\n\nfunc f() { t := t; t[\"b\"] = 2 }\n", "", ""},
		{"table written to", "b/x.go", "package b\n\nvar t = map[string]int{}\n\nfunc f() { t[\"b\"] = 2 }\n", "variable", "b/x.go:5"},
		{"table deleted from", "b/x.go", "package b\n\nvar t = map[string]int{}\n\nfunc f() { delete(t, \"b\") }\n", "variable", "b/x.go:5"},
		{"command in a text", "b/x.go", "package b\n\nconst c = \"Remove it with praxis session rm.\"\n", "words", "b/x.go:3"},
		{"command at the end of a text", "b/x.go", "package b\n\nfunc f(s string) string { return `See \"praxis ` + s }\n", "words", "b/x.go:3"},
		{"command where commands are", "cmd/x.go", "package main\n\nconst c = \"praxis session rm --all\"\n", "", ""},
		{"command in a test", "b/x_test.go", "package b\n\nconst c = \"praxis session rm --all\"\n", "", ""},
		{"command in a comment", "b/x.go", "package b\n\nconst c = \"\" // praxis session rm --all\n", "", ""},
		{"the program's name", "b/x.go", "package b\n\nconst a, b, c = \"Praxis wrote it\", \"praxis\", \"a .praxis or .jsonl file\"\n", "", ""},
		{"first line of a format", "b/x.go", "package b\n\nconst c = \"praxis root 1\\n\"\n", "", ""},
		{"flag in a text", "b/x.go", "package b\n\nconst c = \"Allow more (--max-steps).\"\n", "words", "b/x.go:3"},
		{"flag in an argument of a call", "b/x.go", "package b\n\nfunc f() { g(1, \"Ask with --mode tools.\") }\n", "words", "b/x.go:3"},
		{"flag in a field", "b/x.go", "package b\n\nfunc f() { g(t{Remedy: \"--mode tools\"}) }\n", "words", "b/x.go:3"},
		{"options of another program", "a/x.go", "package a\n\nconst c = \"--hash=\"\n", "", ""},
		{"command beside options of another program", "a/x.go", "package a\n\nconst c = \"praxis image rm\"\n", "words", "a/x.go:3"},
		{"dashes that are no flag", "b/x.go", "package b\n\nconst c = \"a -- b, a--b, -----BEGIN\"\n", "", ""},
		{"variable in a text", "b/x.go", "package b\n\nconst c = \"Set PRAXIS_HOME.\"\n", "words", "b/x.go:3"},
		{"variable that is read", "b/x.go", "package b\n\nconst c = \"PRAXIS_HOME\"\n", "", ""},
		{"coded fault", "a/x.go", "package a\n\nimport \"m/fault\"\n\nvar errLost = fault.New(fault.Coded(fault.Lost, fault.Data{\"name\": n}, \"\"))\n", "", ""},
		{"coded fault without its data", "a/x.go", "package a\n\nimport f \"m/fault\"\n\nfunc g() { f.Coded(f.Lost, nil, \"\") }\n", "code", "a/x.go:5"},
		{"coded fault with other data", "a/x.go", "package a\n\nimport \"m/fault\"\n\nfunc g() { fault.Coded(fault.Lost, fault.Data{\"nam\": n}, \"\") }\n", "code", "a/x.go:5"},
		{"coded fault of a wrapper", "a/x.go", "package a\n\nimport \"m/fault\"\n\nfunc g(c fault.Code, d fault.Data) { fault.Coded(c, d, \"\") }\n", "", ""},
		{"retired word as a function", "b/x.go", "package b\n\nfunc openDesk() {}\n", "vocabulary", "b/x.go:3"},
		{"retired word as a method", "b/x.go", "package b\n\ntype t int\n\nfunc (t) HTTPDesk() {}\n", "vocabulary", "b/x.go:5"},
		{"retired word as a type", "b/x.go", "package b\n\ntype desk int\n", "vocabulary", "b/x.go:3"},
		{"retired word as a field", "b/x.go", "package b\n\ntype t struct {\n\tn, kept int\n}\n", "vocabulary", "b/x.go:4"},
		{"retired word as a parameter", "b/x.go", "package b\n\nfunc f(n int, kept_2 bool) {}\n", "vocabulary", "b/x.go:3"},
		{"retired word as a constant", "b/x.go", "package b\n\nconst maxKept = 1\n", "vocabulary", "b/x.go:3"},
		{"retired word as a local variable", "b/x.go", "package b\n\nfunc f() {\n\tn, kept := 1, 2\n}\n", "vocabulary", "b/x.go:4"},
		{"retired word as a variable of a loop", "b/x.go", "package b\n\nfunc f() {\n\tfor _, kept := range x {\n\t}\n}\n", "vocabulary", "b/x.go:4"},
		{"retired word as a label", "b/x.go", "package b\n\nfunc f() {\nkept:\n\tfor {\n\t\tbreak kept\n\t}\n}\n", "vocabulary", "b/x.go:4"},
		{"retired word as a file", "b/open_desk.go", "package b\n", "vocabulary", "b/open_desk.go"},
		{"retired word in a test", "b/x_test.go", "package b\n\nfunc TestDesk(t *testing.T) {}\n", "vocabulary", "b/x_test.go:3"},
		{"retired word in a comment", "b/x.go", "package b\n\n// f opens\n// two Desks.\nfunc f() {}\n", "vocabulary", "b/x.go:4"},
		{"retired word in a text", "b/x.go", "package b\n\nvar errDesktop = errors.New(\"two\\nDesks\")\n", "vocabulary", "b/x.go:3"},
		{"retired word in a raw text", "b/x.go", "package b\n\nconst c = `two\ndesks`\n", "vocabulary", "b/x.go:4"},
		{"retired phrase in a text", "b/x.go", "package b\n\nconst c = `It carries the\ncall out.`\n", "vocabulary", "b/x.go:3"},
		{"retired word in a text of a test", "b/x_test.go", "package b\n\nconst c = \"desk\"\n", "", ""},
		{"retired word in a text of an excused file", "a/words.go", "package a\n\nconst c = \"desk\"\n", "", ""},
		{"retired word in a tag and an import", "b/x.go", "package b\n\nimport \"image/desk\"\n\ntype t struct {\n\tn int `json:\"desk\"`\n}\n", "", ""},
		{"retired word behind code", "b/x.go", "package b\n\nconst c = 1 // desk\n", "vocabulary", "b/x.go:3"},
		{"retired word in a general comment", "b/x.go", "package b\n\n/*\nThe\ndesk.\n*/\n", "vocabulary", "b/x.go:5"},
		{"retired phrase over two lines", "b/x.go", "package b\n\n// f carries the\n// call out.\nfunc f() {}\n", "vocabulary", "b/x.go:3"},
		{"part of a retired phrase", "b/x.go", "package b\n\n// f carries a label. The call is out.\nfunc f() {}\n", "", ""},
		{"word that only begins alike", "b/x.go", "package b\n\n// A desktop is kept.\nvar errDesktop = errors.New(\"desktop\")\n", "", ""},
		{"use of another package's word", "b/x.go", "package b\n\nvar errUsed = errors.New(x.Desk)\n", "", ""},
		{"unsafe", "b/x.go", "package b\n\nimport _ \"unsafe\"\n", "unsafe", "b/x.go:3"},
		{"unsafe in its place", "b/x_unsafe.go", "package b\n\nimport _ \"unsafe\"\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := plantedRules()
			if c.rule == "name" {
				rules.Packages["utils"] = Package{}
			}
			found, err := Check(plant(t, map[string]string{c.file: c.text}), rules)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if c.rule != "" {
				want = c.where + ": " + c.rule
			}
			got := ""
			for _, v := range found {
				got += v.Where + ": " + v.Rule
			}
			if got != want {
				t.Errorf("got %v, want %q", found, want)
			}
		})
	}
}

// TestPlantedInTable checks that a write to a table from another file of the package is seen.
func TestPlantedInTable(t *testing.T) {
	root := plant(t, map[string]string{
		"b/x.go": "package b\n\nvar t = map[string]int{}\n",
		"b/y.go": "package b\n\nfunc f() { t[\"b\"]++ }\n",
	})
	found, err := Check(root, plantedRules())
	if err != nil || len(found) != 1 || found[0].Where != "b/y.go:3" {
		t.Errorf("got %v, %v, want one violation at b/y.go:3", found, err)
	}
}

// TestVocabulary checks what a violation names, and that packages where the rule is
// not in force are left alone.
func TestVocabulary(t *testing.T) {
	root := plant(t, map[string]string{"a/x.go": "package a\n\nconst maxDesks = 1 // of a desk\n", "b/x.go": "package b\n\nconst desk = 1\n"})
	rules := plantedRules()
	rules.Vocabulary.Retired[0].Names = []string{"desks"}
	rules.Vocabulary.In = []string{"a"}
	found, err := Check(root, rules)
	var got strings.Builder
	for _, v := range found {
		got.WriteString(v.String() + "\n")
	}
	want := `a/x.go:3: vocabulary: the comment has the retired word "desk": say bridge
a/x.go:3: vocabulary: the name maxDesks has the retired word "desks": say bridge
`
	if err != nil || got.String() != want {
		t.Errorf("got %s%v, want %s", got.String(), err, want)
	}
}

// TestPraxisVocabulary checks that the table of this module knows phrases and names.
func TestPraxisVocabulary(t *testing.T) {
	for _, c := range []struct {
		text  string
		found int
	}{
		{"// It is held against the rules, and carried out.", 2},
		{"// The enactment asks for leave at the desk, and rings a bell.", 4},
		{"// Legible: what the hush\n// has told.", 3},
		{"// It keeps the values that carry labels, holds a lock and may leave.", 0},
		{"func carryRoom(offered, wants int) {}", 4},
		{"func want(leave, hold int) {}", 0},
	} {
		rules := plantedRules()
		rules.Vocabulary.Retired = retired()
		found, err := Check(plant(t, map[string]string{"b/x.go": "package b\n\n" + c.text + "\n"}), rules)
		if err != nil || len(found) != c.found {
			t.Errorf("%s: got %v, %v, want %d violations", c.text, found, err, c.found)
		}
	}
}

// TestUnusedCode checks that a code which only an edge words is seen.
func TestUnusedCode(t *testing.T) {
	root := plant(t, map[string]string{
		"a/lost.go":  "",
		"cmd/cmd.go": "package main\n\nimport \"m/fault\"\n\nvar words = map[fault.Code]string{fault.Lost: \"praxis find\"}\n",
	})
	rules := plantedRules()
	rules.Packages["cmd"] = Package{Imports: []string{"fault"}}
	found, err := Check(root, rules)
	if err != nil || len(found) != 1 || found[0].Rule != "code" {
		t.Errorf("got %v, %v, want one code violation", found, err)
	}
}

func TestFuzzed(t *testing.T) {
	rules := plantedRules()
	rules.Fuzzed = []string{"b"}
	found, err := Check(plant(t, nil), rules)
	if err != nil || len(found) != 1 || found[0].Rule != "fuzz" {
		t.Errorf("no target: got %v, %v, want one fuzz violation", found, err)
	}
	found, err = Check(plant(t, map[string]string{"b/b_test.go": "package b\n\nfunc FuzzB(f *testing.F) {}\n"}), rules)
	if err != nil || len(found) != 0 {
		t.Errorf("with a target: got %v, %v, want none", found, err)
	}
}

// TestDocumentedShare checks that the share is of all names, not of each package.
func TestDocumentedShare(t *testing.T) {
	rules := plantedRules()
	rules.Budgets.Documented = 0.95
	rules.Budgets.FileLines = 400
	var text strings.Builder
	text.WriteString("package b\n")
	for i := range 19 {
		fmt.Fprintf(&text, "\n// F%d is planted.\nfunc F%d() {}\n", i, i)
	}
	one := text.String() + "\nfunc Bare() {}\n"
	if found, err := Check(plant(t, map[string]string{"b/x.go": one}), rules); err != nil || len(found) != 0 {
		t.Errorf("19 of 20: got %v, %v, want none", found, err)
	}
	if found, err := Check(plant(t, map[string]string{"b/x.go": one + "\nfunc Bare2() {}\n"}), rules); err != nil || len(found) != 2 {
		t.Errorf("19 of 21: got %v, %v, want the two bare names", found, err)
	}
}

func TestBroken(t *testing.T) {
	if _, err := Check(plant(t, map[string]string{"b/x.go": "package"}), plantedRules()); err == nil {
		t.Error("a file that does not parse: got no error")
	}
	if _, err := Check(filepath.Join(t.TempDir(), "none"), plantedRules()); err == nil {
		t.Error("a folder that is not there: got no error")
	}
}
