package toolfile

import (
	"fmt"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// badFiles are files with one thing wrong each. In the text, ▸ marks
// the place that the problem has to name; it is taken out before the file is
// read. A line is the tool's, the input's or the file's as indented.
var badFiles = []struct {
	name, file string
	want       string // part of the problem's text
	remedy     string // part of its remedy
}{
	{"unknown key of the file", "▸tolls: []\n", `unknown key "tolls" in the file`, `Did you mean "tools"?`},
	{"another format", "version: ▸2\n", "version of the format: expected 1, got 2", "version: 1"},
	{"file is a list", "▸- a\n", "the file: expected a mapping, got a list", "version, me"},
	{"empty file", "", "the file is empty", ""},
	{"only a comment", "# nothing\n", "the file is empty", ""},
	{"several documents", "tools: []\n---\ntools: []\n", "several YAML documents", "Split"},
	{"not YAML", "tools: [a,\n▸", "not YAML", ""},
	{"tab", "tools:\n▸\t- name: x\n", "not YAML", ""},
	{"not UTF-8", "tools: []\nme: ▸\xff\n", "not UTF-8", "UTF-8"},
	{"null byte", "tools: []\x00\n", "control characters", ""},
	{"duplicate key", "tools: []\n▸tools: []\n", `the key "tools" stands twice; first on line 1`, "Remove"},
	{"merge key", "tools: []\nx-a: {▸<<: {a: 1}}\n", "merge keys", "alias"},
	{"tag", "tools: ▸!!set {a}\n", "a list", ""},
	{"scalar tag", "me: ▸!!binary aGk=\n", "tags", "Remove the tag"},
	{"unknown alias", "tools: ▸*nope\n", "unknown anchor", ""},
	{"alias inside itself", "tools: &a [▸*a]\n", "stands inside of what it names", ""},
	{"octal", "x-n: ▸0o17\n", "ambiguous", "as in JSON"},
	{"underscores", "x-n: ▸1_000\n", "ambiguous", "quotes"},
	{"infinity", "x-n: ▸.inf\n", "ambiguous", ""},
	{"huge exponent", "x-n: ▸1e999999999\n", "out of bounds", ""},
	{"key is a list", "? ▸[a]\n: 1\n", "plain string", ""},
	{"me is me", "me: ▸me\n", "me", "e-mail"},
	{"me is a number", "me: ▸17\n", "expected a string, got 17", `"17"`},
	{"star inside a principal", "principals: [▸a*b]\n", "star", "*@example.com"},
	{"principal twice", "principals: [a, ▸a]\n", "stands twice", ""},
	{"inputs as a list", "inputs: ▸[a]\n", "inputs: expected a mapping", ""},
	{"input's name", "inputs: {▸my-name: {}}\n", "letters, digits and underscores", "my_name"},
	{"input named by a keyword", "inputs: {▸class: {}}\n", "word of Python", "class_"},
	{"input today", "inputs: {▸today: {}}\n", "given by the host", ""},
	{"input's default", "inputs: {n: {schema: {type: integer}, default: ▸x}}\n", `default of the input "n": expected an integer, got string "x"`, ""},
	{"input's readers from a result", "inputs: {n: {readers: ▸[{from: result, path: /a}]}}\n", "no result", ""},

	{"tool without a name", "tools:\n  - ▸version: 1.0.0\n    effects: pure\n", `lacks the key "name"`, "name:"},
	{"tool without a version", "tools:\n  - ▸name: a.b\n    effects: pure\n", `the tool a.b lacks the key "version"`, "version:"},
	{"tool without effects", "tools:\n  - ▸name: a.b\n    version: 1.0.0\n", `lacks the key "effects"`, "effects:"},
	{"tool is a string", "tools:\n  - ▸email\n", "expected a mapping", "name, version"},
	{"unknown key of a tool", withLines("▸lables: {}"), `unknown key "lables" in the tool a.b`, `"labels"`},
	{"camel case", withLines("▸Idempotent: true"), `unknown key "Idempotent"`, `"idempotent"`},
	{"name with a dash", ofLines("name: ▸send-mail", "version: 1.0.0", "effects: pure"), "letters, digits", "Write send_mail."},
	{"name with an empty part", ofLines("name: ▸a..b", "version: 1.0.0", "effects: pure"), "empty", ""},
	{"name with a keyword", ofLines("name: ▸email.import", "version: 1.0.0", "effects: pure"), "word of Python", "email.import_"},
	{"name with two underscores", ofLines("name: ▸__a.b", "version: 1.0.0", "effects: pure"), "two underscores", "a.b"},
	{"name that begins with a digit", ofLines("name: ▸2fa.check", "version: 1.0.0", "effects: pure"), "digit", "n2fa.check"},
	{"name in another script", ofLines("name: ▸почта", "version: 1.0.0", "effects: pure"), "letters, digits", ""},
	{"name of the module's own", ofLines("name: ▸search.docs", "version: 1.0.0", "effects: pure"), "tools.search is a function of the module itself", ""},
	{"reserved name", ofLines("name: ▸ask_llm", "version: 1.0.0", "effects: pure"), "language's own", ""},
	{"version is a number", ofLines("name: a.b", "version: ▸1.2", "effects: pure"), "semantic version, got 1.2", "Write 1.2.0."},
	{"version with a v", ofLines("name: a.b", "version: ▸v1.2.3", "effects: pure"), "semantic version", "Write 1.2.3."},
	{"version with zeros", ofLines("name: a.b", "version: ▸01.2.3", "effects: pure"), "semantic version", "Write 1.2.3."},
	{"version in words", ofLines("name: a.b", "version: ▸latest", "effects: pure"), "semantic version", "such as 1.0.0"},
	{"effects misspelt", ofLines("name: a.b", "version: 1.0.0", "effects: ▸reed"), "effects: expected one of pure, read, write, external", `"read"`},
	{"effects as a list", ofLines("name: a.b", "version: 1.0.0", "effects: ▸[read]"), "effects: expected one of", ""},
	{"approval in words", withLines("approval: ▸yes"), `approval: expected a boolean, got "yes"`, "Write true."},
	{"tool twice", "tools:\n  - {name: a.b, version: 1.0.0, effects: pure}\n  - ▸{name: a.b, version: 1.0.0, effects: read}\n", "a.b@1.0.0 stands twice; first on line 2", "another version"},

	{"input that is no object", withLines("input: ▸{type: string}"), "expected the schema of an object", "properties"},
	{"input that may be anything", withLines("input: ▸{properties: {a: {}}}"), "it allows any value", "type: object"},
	{"input that is a list", withLines("input: ▸[a]"), "expected a JSON Schema, got a list", "{type: string}"},
	{"default of an argument", withLines("input: {type: object, properties: {n: {type: integer, maximum: 5, default: ▸9}}}"), `default of "n": expected an integer to 5, got integer 9`, "The greatest is 5."},

	{"timeout is a number", withLines("limits: {timeout: ▸10}"), "timeout: expected a time", "Write 10s"},
	{"timeout below zero", withLines("limits: {timeout: ▸-1s}"), "timeout", ""},
	{"timeout of a year", withLines("limits: {timeout: ▸9000h}"), "30 days", ""},
	{"bytes in words", withLines("limits: {bytes: ▸many}"), "bytes: expected a size", "64KiB"},
	{"bytes overflow", withLines("limits: {bytes: ▸99999999999GiB}"), "bytes", ""},
	{"calls below one", withLines("limits: {calls_per_run: ▸0}"), "calls_per_run", ""},
	{"rate without a time", withLines("limits: {rate: ▸\"10\"}"), "rate", "5/second"},
	{"unknown limit", withLines("limits: {▸time_out: 1s}"), `unknown key "time_out" in limits`, `"timeout"`},

	{"labels of an unknown argument", withLines("input: {type: object, properties: {to: {}}}", "labels: {arguments: {▸too: {trusted: true}}}"), `a.b has no argument "too"`, `"to"`},
	{"readable_by an unknown argument", withLines("input: {type: object, properties: {to: {}}}", "labels: {arguments: {to: {readable_by: ▸two}}}"), `readable_by: a.b has no argument "two"`, `"to"`},
	{"camel case of a demand", withLines("input: {type: object, properties: {to: {}}}", "labels: {arguments: {to: {▸readableBy: to}}}"), `unknown key "readableBy"`, `"readable_by"`},
	{"everyone beside others", withLines("labels: {readers: [me, ▸everyone]}"), "everyone cannot stand beside others", ""},
	{"unknown principal", "principals: [ann, bob]\ntools:\n  - {name: a.b, version: 1.0.0, effects: read, labels: {readers: [me, ▸bbo]}}\n", `the principal "bbo" is not known`, `"bob"`},
	{"source without a path", withLines("labels: {readers: ▸{from: result}}"), `lacks the key "path"`, ""},
	{"source from elsewhere", withLines("labels: {readers: {from: ▸results, path: /a}}"), "from: expected result or arguments", `"result"`},
	{"path without a slash", withLines("labels: {readers: {from: result, path: ▸events.who}}"), "JSON pointer", "/events/who"},
	{"path with a bad escape", withLines("labels: {readers: {from: result, path: ▸/a~b}}"), "JSON pointer", ""},
	{"path that the output lacks", withLines("output: {type: object, properties: {participants: {}}}", "labels: {readers: ▸{from: result, path: /participant}}"), `the output schema has no "participant"`, `"participants"`},
	{"path into a list without a star", withLines("output: {type: array, items: {type: object, properties: {who: {}}}}", "labels: {readers: ▸{from: result, path: /who}}"), `has no "who"`, "Write *"},

	{"secret that the input lacks", withLines("input: {type: object, properties: {token: {}}}", "secrets: [▸/tokn]"), `the input schema has no "tokn"`, `"token"`},
	{"secrets as a string", withLines("secrets: ▸/token"), "secrets: expected a mapping", "input, output"},

	{"model without output", withLines("model: ▸true"), "declare its output", "output:"},
	{"model that acts", ofLines("name: a.b", "version: 1.0.0", "effects: write", "model: ▸true", "output: {type: string}"), "no effects", "effects: read"},
	{"model that is trusted", withLines("model: ▸true", "output: {type: string}", "labels: {trusted: true}"), "never trusted", "Remove"},

	{"example that does not fit", withLines("input: {type: object, properties: {n: {type: integer}}}", "examples: [{input: {n: ▸x}}]"), `input of the example "example 1" at /n: expected an integer, got string "x"`, ""},
	{"example's output", withLines("output: {type: array, items: {type: string}}", "examples: [{output: [a, ▸1]}]"), `output of the example "example 1" at /1: expected a string, got integer 1`, `Write "1".`},
	{"example with an undeclared argument", withLines("input: {type: object, properties: {to: {}}}", "examples: [{input: {▸too: 1}}]"), `got the member "too"`, `Did you mean "to"?`},
	{"example without a required argument", withLines("input: {type: object, required: [to], properties: {to: {type: string}}}", "examples: [{name: x, input: ▸{}}]"), `input of the example "x": expected the member "to", got an object without it`, `Add "to", a string.`},
	{"two examples of a name", withLines("examples: [{name: x}, ▸{name: x}]"), `two examples are called "x"`, ""},
	{"unknown key of an example", withLines("examples: [{▸in: {}}]"), `unknown key "in"`, ""},
}

// withLines is a file with one tool a.b of the given lines after name, version and effects.
func withLines(lines ...string) string {
	return ofLines(append([]string{"name: a.b", "version: 1.0.0", "effects: read"}, lines...)...)
}

func ofLines(lines ...string) string {
	return "tools:\n  - " + strings.Join(lines, "\n    ") + "\n"
}

// marked takes the ▸ out of a text and returns its place, 0 and 0 when there is none.
func marked(text string) (plain string, line, col int) {
	before, after, found := strings.Cut(text, "▸")
	if !found {
		return text, 0, 0
	}
	line, col = jsondoc.LineCol([]byte(before), len(before))
	return before + after, line, col
}

func TestBadFiles(t *testing.T) {
	for _, test := range badFiles {
		t.Run(test.name, func(t *testing.T) {
			text, line, col := marked(test.file)
			f, err := Load("t.yaml", []byte(text))
			if err == nil {
				t.Fatalf("it loaded: %+v", f)
			}
			judgeProblem(t, err, jsondoc.Problem{Pos: jsondoc.Position{File: "t.yaml", Line: line, Column: col}, What: test.want, Remedy: test.remedy})
		})
	}
}

// judgeProblem checks the first problem of an error; the texts of want are parts of it.
func judgeProblem(t *testing.T, err error, want jsondoc.Problem) {
	t.Helper()
	ps := asProblems(err)
	if len(ps) == 0 {
		t.Fatalf("the error has no problems: %v", err)
	}
	got := ps[0]
	if want.Pos.Line != 0 && got.Pos != want.Pos {
		t.Errorf("place is %s, want %s (%s)", got.Pos, want.Pos, got)
	}
	if !strings.Contains(got.What, want.What) {
		t.Errorf("problem is %q, want %q", got.What, want.What)
	}
	if want.Remedy != "" && !strings.Contains(got.Remedy, want.Remedy) {
		t.Errorf("remedy is %q, want %q (of %q)", got.Remedy, want.Remedy, got.What)
	}
	if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v: %q", fault.KindOf(err), err)
	}
	if len(ps) == 1 && fault.RemedyOf(err) != got.Remedy {
		t.Errorf("the fault's remedy is %q, want %q", fault.RemedyOf(err), got.Remedy)
	}
}

// TestSeveralProblems checks that all are reported, in order, and that their number
// is bounded.
func TestSeveralProblems(t *testing.T) {
	_, err := Load("t.yaml", []byte(withLines("approval: 1", "model: 2", "limits: {timeout: 3}")))
	if got, want := len(asProblems(err)), 3; got != want {
		t.Fatalf("%d problems, want %d: %v", got, want, asProblems(err))
	}
	if !strings.HasSuffix(err.Error(), "(and 2 more problems)") {
		t.Errorf("the message is %q", err)
	}
	_, err = Load("t.yaml", []byte("tools:\n"+strings.Repeat("  - 1\n", 5000)))
	if got := len(asProblems(err)); got != jsondoc.MaxProblems {
		t.Errorf("%d problems, want %d", got, jsondoc.MaxProblems)
	}
}

// TestHugeFiles checks that what is built to be expensive is refused soon.
func TestHugeFiles(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("x-a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&bomb, "x-a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1)
	}
	var many strings.Builder
	many.WriteString("tools:\n")
	for i := range tool.MaxTools + 1 {
		fmt.Fprintf(&many, "- {name: a.t%d, version: 1.0.0, effects: pure}\n", i)
	}
	wide := `tools: [{name: a.b, version: 1.0.0, effects: pure, input: {type: object, properties: {` + strings.Repeat("a: {}, ", 100) + "}}}]"
	for _, test := range []struct{ name, file, data, want string }{
		{"alias bomb", "t.yaml", bomb.String(), "more than 500000 values"},
		{"too long", "t.yaml", "x-a: " + strings.Repeat("a", jsondoc.MaxFile), "at most 4194304 are read"},
		{"too deep", "t.yaml", "x-a: " + strings.Repeat("[", 500) + strings.Repeat("]", 500), "deeper than 128"},
		{"crowded", "t.yaml", "x-a: [" + strings.Repeat("1,", 1_000_000) + "1]", "more than 500000 values"},
		{"crowded JSON", "t.json", "[" + strings.Repeat("0,", 600_000) + "1]", "more than 500000 values"},
		{"far too deep", "t.yaml", "x-a: " + strings.Repeat("[", 1_000_000), "depth"},
		{"too deep in blocks", "t.yaml", deepBlocks(300), "deeper than 128"},
		{"JSON too deep", "t.json", strings.Repeat(`{"a":`, 100_000), "deeper than 128"},
		{"too many tools", "t.yaml", many.String(), "at most 10000"},
		{"duplicate properties", "t.yaml", wide, "stands twice"},
		{"long number", "t.yaml", "x-a: " + strings.Repeat("1", jsondoc.MaxDigits+1), "out of bounds"},
		{"JSON with a long number", "t.json", `{"x-a":` + strings.Repeat("1", jsondoc.MaxDigits+1) + "}", "out of bounds"},
		{"JSON cut", "t.json", `{"tools": [`, "too early"},
		{"JSON twice", "t.json", `{"tools": [], "tools": []}`, `the name "tools" stands twice`},
		{"JSON and more", "t.json", `{} {}`, "after the end"},
		{"JSON with a comment", "t.json", "{ // no\n}", "not JSON"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Load(test.file, []byte(test.data))
			if err == nil || !strings.Contains(asProblems(err).Error(), test.want) {
				t.Errorf("got %.300v, want %q", err, test.want)
			}
		})
	}
}

func deepBlocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "x-a:\n")
	}
	return b.String()
}
