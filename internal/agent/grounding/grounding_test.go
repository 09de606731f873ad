package grounding_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/agent/grounding"
	"praxis/internal/language/python"
)

func TestExpressions(t *testing.T) {
	tests := []struct {
		name, answer string
		want         []string
	}{
		{"none", "It is 42.", nil},
		{"one", "It is {{ total:.2f }}.", []string{"total:.2f"}},
		{"tight", "{{a}}{{b}}", []string{"a", "b"}},
		{"twice", "{{ a }} and {{a}}", []string{"a"}},
		{"dictionary", "{{ {'a': {1: 2}}['a'][1] }}", []string{"{'a': {1: 2}}['a'][1]"}},
		{"dictionary at the end", "{{ {'a': {1: 2}}}}", []string{"{'a': {1: 2}}"}},
		{"conversion", "{{ x != y }} {{ s!r:>8 }}", []string{"x != y", "s!r:>8"}},
		{"slice", "{{ rows[1:2] }}{{ {k: v for k, v in d}}}", []string{"rows[1:2]", "{k: v for k, v in d}"}},
		{"date", "{{ day:%d. %B %Y }}", []string{"day:%d. %B %Y"}},
		{"long text", `{{ """a "b" }} ' """[0] }}`, []string{`"""a "b" }} ' """[0]`}},
		{"braces in a string", `{{ d["}}"] }}`, []string{`d["}}"]`}},
		{"escaped quote", `{{ d['\'}}'] }}`, []string{`d['\'}}']`}},
		{"lines", "{{ sum(\n  rows\n) }}", []string{"sum(\n  rows\n)"}},
		{"nested f-string", `{{ f"{d["a"]:{w}}}" }} {{ f'{"}}"}' }}`, []string{`f"{d["a"]:{w}}}"`, `f'{"}}"}'`}},
		{"format with an expression", "{{ x:{'>' + str({1: w}[1])}.2f }}{{ x:{w}}}", []string{"x:{'>' + str({1: w}[1])}.2f", "x:{w}"}},
		{"quote in a format", "{{ day:%d '%y }}'", []string{"day:%d '%y"}},
		{"raw f-string", `{{ rf"\{d['}}']}" }}`, []string{`rf"\{d['}}']}"`}},
		{"braces of an f-string", `{{ f"{{{x}}}" }}`, []string{`f"{{{x}}}"`}},
		{"template", "{{ `${d[\"}}\"]} \\` {` }}", []string{"`${d[\"}}\"]} \\` {`"}},
		{"escaped", `\{{ a }} {{ b }}`, []string{"b"}},
		{"sets in the text", `f{a} and {x}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tpl, err := grounding.Parse(tt.answer)
			if err != nil {
				t.Fatal(err)
			}
			if got := tpl.Expressions(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("expressions = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBadTemplates(t *testing.T) {
	tests := []struct{ name, answer, want string }{
		{"unclosed", "It is {{ total", `"{{ total" is never closed`},
		{"empty", "It is {{  }}", "a placeholder is empty"},
		{"single braces", "It is {total:,.2f}.", `"{total:,.2f}" has single braces`},
		{"single braces, percent", "It is {100*a/b:.1%}", ""},
		{"single braces, name", "It is {share:.1%}", "single braces"},
		{"breaks out", "It is {{ ''}42{'' }}.", "do not balance"},
		{"breaks out of a string", `It is {{ ""}42{"" }}.`, "do not balance"},
		{"breaks out by triple quotes", `It is {{ x}""", f"""42{x }}.`, "do not balance"},
		{"breaks out of an f-string", `It is {{ f"{x}}" }} 42 {{ y" }}.`, "do not balance"},
		{"f-string that is open", `It is {{ f"{x }}.`, "do not balance"},
		{"closes what it did not open", "It is {{ a) + (b }}.", "do not balance"},
		{"closes another bracket", "It is {{ (a] }}.", "do not balance"},
		{"apostrophe", "It is {{ user's }} it's.", "do not balance"},
		{"quote over a line", "It is {{ 'a\n' }}.", "do not balance"},
		{"too many", manyPlaceholders(), "more than 64 placeholders"},
		{"too long", "{{ " + strings.Repeat("x", 3000) + " }}", "longer than 2000 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := grounding.Parse(tt.answer)
			if tt.want == "" {
				if err != nil {
					t.Errorf("error = %v, want none", err)
				}
				return
			}
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tt.want) || fault.RemedyOf(err) == "" {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func manyPlaceholders() string {
	var b strings.Builder
	for i := range grounding.MaxPlaceholders + 1 {
		b.WriteString("{{ x" + strconv.Itoa(i) + " }}")
	}
	return b.String()
}

func TestSnippet(t *testing.T) {
	const want = `
__figures__(
    "total:.2f",
    "{1: 2}[1]",
    'd["a"]!r:>8',
    "f\"{'}'}\"",
    "'\\n\\u202e\u202e'",
    "''}42{''",
)`
	got := python.Language().Model.Fill([]string{"total:.2f", "{1: 2}[1]", `d["a"]!r:>8`, `f"{'}'}"`, `'\n\u202e'`[:9] + "\u202e'", "''}42{''"})
	if !strings.HasPrefix(got, "# the figures of the answer") || !strings.HasSuffix(got, want) {
		t.Errorf("snippet = %s, want the end %s", got, want)
	}
}

const session = "import datetime, math\nx = 3.14159; w = 8; d = {'a': 1}; s = \"it's\"; n = 1234567; day = datetime.date(2024, 3, 5)\n"

// inPython runs the code of some placeholders after a session, as the kernel does.
func inPython(t *testing.T, placeholders ...string) (string, error) {
	t.Helper()
	const run = `import sys, types
figures = types.ModuleType("figures")
exec(sys.stdin.read(), vars(figures))
space = {"__name__": "__main__", "__builtins__": __builtins__}
exec(compile(sys.argv[1], "cell", "exec"), space)
before = set(space)
assert sys.argv[2].startswith(figures.BEGINS)
print(repr(figures.fill(space, sys.argv[2])))
assert set(space) == before, "a name is left"`
	source, err := os.ReadFile("../../language/python/figures.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), anyPython(t), "-I", "-c", run, session, python.Language().Model.Fill(placeholders))
	cmd.Stdin = bytes.NewReader(source)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The snippet must mean in Python what the placeholders promise.
func TestSnippetInPython(t *testing.T) {
	tests := []struct {
		placeholder, want string
		computed          bool
	}{
		{`f"{d['a'] + x:.{w - 7}f}"`, "4.1", true},
		{"x:{w}.{w // 4}f", "    3.14", true},
		{"x:{'^' + str(w)}.1f", "  3.1   ", true},
		{"{1: x}[1]!r:>8.4", "    3.14", true},
		{"x if w else {'a': 1}:.1f", "3.1", true},
		{"x:05.1f", "003.1", true},
		{"w:4>3", "448", false},
		{"w:<06", "800000", false},
		{"(lambda: w)()", "8", true},
		{"x:.2f", "3.14", true},
		{"x:>8.1f", "     3.1", true},
		{`d["a"]`, "1", true},
		{"s", "it's", true},
		{"s!r", `"it's"`, true},
		{"n:,", "1,234,567", true},
		{"x != w", "True", true},
		{"(lambda v: v * n)(2)", "2469134", true},
		{"max(\n  3,\n  w\n)  # the greater", "8", true},
		{"n\n+ 1", "1234568", true},
		{"day:%d. %B", "05. March", true},
		{"day!s:>12", "  2024-03-05", true},
		{"abs(-42)", "42", false},
		{"sum([42])", "42", false},
		{"max(42, 1)", "42", false},
		{"int(\"42\")", "42", false},
		{"round(42.2)", "42", false},
		{"math.floor(42.2)", "42", false},
		{"math.sqrt(w + 1)", "3.0", true},
		{"datetime.date.today().year > 2000", "True", true},
		{"17 * 23", "391", true},
		{"round(2 / 3, 2)", "0.67", true},
		{"42", "42", false},
		{"-42:.1f", "-42.0", false},
		{"'42'", "42", false},
		{"'4' '2'", "42", false},
		{"'4' + '2'", "42", false},
		{"('42')", "42", false},
		{"{'k': 'v'}['k']", "v", false},
		{"[1,\n 2]", "[1, 2]", false},
		{`f"{42}"`, "42", false},
		{`f'{"42"}'`, "42", false},
		{"''.join(['4', '2'])", "42", false},
		{"(lambda: 42)()", "42", false},
		{"[x for x in [42]][0]", "42", false},
		{"str(42)", "42", false},
		{"int('42') + 0", "42", false},
		{"42 if True else 0", "42", false},
		{`'€ "q" \'\\ \n'`, "€ \"q\" '\\ \n", false},
	}
	var placeholders []string
	for _, tt := range tests {
		placeholders = append(placeholders, tt.placeholder)
	}
	out, err := inPython(t, placeholders...)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := grounding.Values(python.Language(), out, len(tests))
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, tt := range tests {
		if got[i].Typed, got[i].Operands = "", ""; got[i] != (grounding.Value{Text: tt.want, Computed: tt.computed}) {
			want := tt
			t.Errorf("%s: got %+v, want %+v", tt.placeholder, got[i], want)
		}
	}
}

// TestSnippetRefuses checks that what is more than one expression does not run.
func TestSnippetRefuses(t *testing.T) {
	for placeholder, want := range map[string]string{
		"''}42{''":          "SyntaxError",
		"x = ":              "SyntaxError",
		"x; print(42)":      "SyntaxError",
		"x)\nprint(42)\n(x": "SyntaxError",
		"import os":         "SyntaxError",
		"(x := 42)":         "ValueError: a placeholder must not assign",
		"x:{(y := 42)}d":    "ValueError: a placeholder must not assign",
		"x:{42}}{d":         "SyntaxError",
		"x!42":              "SyntaxError",
		"x!rs":              "SyntaxError",
		":.2f":              "SyntaxError: a placeholder is empty",
		"nothing":           "NameError",
	} {
		if out, err := inPython(t, placeholder); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: got %v, %s, want %s", placeholder, err, out, want)
		}
	}
}

func anyPython(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no Python is installed here")
	}
	return path
}

// A person's number words are sources, and JSON in a block is an answer like any other.
func TestWordsAndBlocks(t *testing.T) {
	var s grounding.Sources
	s.AddQuestion(grounding.InQuestion, "What is the pace of the last ten years?")
	for text, source := range map[string]string{
		"Over the last ten years it rose.": grounding.Question, "Over the last 10 years it rose.": grounding.Question,
		"Over the last twelve years it rose.": grounding.Unverified, "```json\n{\"n\": 4711}\n```": grounding.Unverified,
	} {
		got := s.Trace(text)
		if len(got) != 1 || got[0].Source != source {
			t.Errorf("%q: got %+v, want one figure, %s", text, got, source)
		}
	}
}

func TestValues(t *testing.T) {
	got, err := grounding.Values(python.Language(), `'[["1.50", true], ["it\'s", true], ["a\\n\\u20ac\\\\", false], ["\\"", true, "5", "6"]]'`, 4)
	if want := []grounding.Value{{Text: "1.50", Computed: true}, {Text: "it's", Computed: true}, {Text: "a\n€\\", Computed: false}, {Text: `"`, Computed: true, Typed: "5", Operands: "6"}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("values = %+v, %v, want %+v", got, err, want)
	}
	for _, bad := range []string{"", "'", "42", `'[["1", true]`, `'[["1", true], ["2", true]]'`, `'["1"]'`, `'[[1, true]]'`, `'[["1"]]'`, `'[["1", "true"]]'`, `'{"a": 1}'`, `"[[\"1\", true]]'`} {
		if _, err := grounding.Values(python.Language(), bad, 1); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Values(%q): error = %v, want invalid", bad, err)
		}
	}
}

func TestFill(t *testing.T) {
	var s grounding.Sources
	s.AddOutput(grounding.Origin{}, "rows 12")
	s.AddQuestion(grounding.InQuestion, "How much in 2024?")
	tpl, err := grounding.Parse("In 2024, 12 rows gave {{ total:,.2f }} € ({{ 99 }} %, {{ share:.1%}}, 77 left), again {{ total:,.2f }}; {{ '5' }}, {{ ['66'][0] }}, {{ f'{x} of 2024, 55 or {n}' }} \\{{ x")
	if err != nil {
		t.Fatal(err)
	}
	got, err := tpl.Fill([]grounding.Value{{Text: "1,234.50", Computed: true}, {Text: "99", Computed: false}, {Text: "8.5%", Computed: true}, {Text: "5", Computed: false}, {Text: "66", Computed: false}, {Text: "7.5 of 2024, 55 or 7", Computed: true, Typed: "2024 of\n55"}}, &s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Figures { // what they were found as, TestMatch checks
		got.Figures[i].Match, got.Figures[i].Nearest = nil, nil
	}
	want := grounding.Filled{
		Text: "In 2024, 12 rows gave 1,234.50 € (99 % (unverified), 8.5%, 77 (unverified) left), again 1,234.50; 5 (unverified), 66 (unverified), 7.5 of 2024, 55 (unverified) or 7 {{ x",
		Figures: []event.Figure{
			{Text: "2024", Source: "question"},
			{Text: "12", Source: "output"},
			{Text: "1,234.50", Expression: "total:,.2f", Source: "computed"},
			{Text: "99 %", Source: "unverified"},
			{Text: "8.5%", Expression: "share:.1%", Source: "computed"},
			{Text: "77", Source: "unverified"},
			{Text: "1,234.50", Expression: "total:,.2f", Source: "computed"},
			{Text: "5", Source: "unverified"},
			{Text: "66", Source: "unverified"},
			{Text: "7.5", Expression: "f'{x} of 2024, 55 or {n}'", Source: "computed"},
			{Text: "2024", Source: "question"},
			{Text: "55", Source: "unverified"},
			{Text: "7", Expression: "f'{x} of 2024, 55 or {n}'", Source: "computed"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if n := len(event.Untraced(got.Figures)); n != 5 {
		t.Errorf("%d doubtful figures, want 5", n)
	}
	if _, err := tpl.Fill([]grounding.Value{{Text: "1", Computed: true}}, &s); err == nil {
		t.Error("too few values were taken")
	}
	if _, err := tpl.Fill([]grounding.Value{{Text: strings.Repeat("x", grounding.MaxValue+1), Computed: true}, {}, {}, {}, {}, {}}, &s); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a value without bound: error = %v", err)
	}
}

// TestTrace reads testdata/trace.txt: the table of what is found where.
func TestTrace(t *testing.T) {
	raw, err := os.ReadFile("testdata/trace.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, line := range strings.Split(string(raw), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		cols := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		for k := range cols {
			cols[k] = strings.ReplaceAll(cols[k], "\x00", "|")
		}
		if len(cols) != 3 {
			t.Fatalf("line %d: %d columns, want 3: output | answer | figures", i+1, len(cols))
		}
		var s grounding.Sources
		output, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.TrimSpace(cols[0]), `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		s.AddOutput(grounding.Origin{}, output)
		var got []string
		for _, f := range s.Trace(strings.ReplaceAll(strings.TrimSpace(cols[1]), `\n`, "\n")) {
			mark := "+"
			if f.Source == grounding.Unverified {
				mark = "-"
			}
			got = append(got, mark+strings.ReplaceAll(f.Text, " ", "_"))
		}
		want := strings.Fields(cols[2])
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("line %d: %s: got %q, want %q", i+1, line, got, want)
		}
	}
	if n < 80 {
		t.Errorf("%d cases in the table, want at least 80", n)
	}
}

func TestManyNumbers(t *testing.T) {
	var s grounding.Sources
	var b strings.Builder
	for i := range 150_000 {
		b.WriteString(strconv.Itoa(i) + " ")
		if i%10_000 == 0 {
			s.AddOutput(grounding.Origin{}, b.String())
			b.Reset()
		}
	}
	s.AddOutput(grounding.Origin{}, strings.Repeat("x", 4<<20)+" 123456789.5")
	if got := s.Trace("4321 and 123,456,789.5 and 987654321"); got[0].Source != "output" || got[1].Source != "output" || got[2].Source != "unverified" {
		t.Errorf("figures = %+v", got)
	}
}

func FuzzTrace(f *testing.F) {
	f.Add("total 1234.5 on 2024-03-05 12:30", "About 1,200 € (12.5 %) on March 5, 2024 at 12:30; 3.4 million, 1.2.3, −5, 2×10^6, .5, 1e999", 1234.5678)
	f.Add("[1,2,3] 0x1F 1_000 9.99e-12", "1. a\n2. b\n**Q3** 3rd 10/12/2024 12'345 1 234,5", -1e-9)
	f.Fuzz(func(t *testing.T, output, answer string, v float64) {
		var s grounding.Sources
		s.AddOutput(grounding.Origin{}, output)
		for _, fig := range s.Trace(answer) {
			if fig.Text == "" || !strings.Contains(answer, fig.Text) {
				t.Errorf("the figure %q does not stand in %q", fig.Text, answer)
			}
		}
		if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e300 {
			return
		}
		// Whatever is printed can be said again, at any precision.
		var printed grounding.Sources
		printed.AddOutput(grounding.Origin{}, output+"\n"+strconv.FormatFloat(v, 'g', -1, 64)+"\n")
		for _, say := range []string{strconv.FormatFloat(v, 'g', -1, 64), strconv.FormatFloat(v, 'f', 2, 64), strconv.FormatFloat(v, 'e', 4, 64), strconv.FormatFloat(100*v, 'f', 1, 64) + "%"} {
			if math.Abs(v) > 1e12 && !strings.Contains(say, "e") {
				continue // digits that no float64 has
			}
			for _, fig := range printed.Trace("It is " + say + ".") {
				if fig.Source != grounding.Output {
					t.Errorf("%q, said as %q, is not found", fig.Text, say)
				}
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("It is {{ total:.2f }} and {{ d['}}'] }} \\{{ x }}")
	f.Add("{{ {1:{2:3}}}} {{ a) }} {{ 'x }}")
	f.Fuzz(func(t *testing.T, answer string) {
		tpl, err := grounding.Parse(answer)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "\n") {
				t.Errorf("error = %q", err)
			}
			return
		}
		values := make([]grounding.Value, len(tpl.Expressions()))
		pairs := make([][2]any, len(values))
		for i := range values {
			values[i] = grounding.Value{Text: strconv.Itoa(i), Computed: true}
			pairs[i] = [2]any{values[i].Text, true}
		}
		encoded, err := json.Marshal(pairs)
		if err != nil {
			t.Fatal(err)
		}
		if len(values) > 0 {
			if back, err := grounding.Values(python.Language(), "'"+string(encoded)+"'", len(values)); err != nil || !reflect.DeepEqual(back, values) {
				t.Errorf("values = %+v, %v", back, err)
			}
		}
		if _, err := tpl.Fill(values, &grounding.Sources{}); err != nil {
			t.Errorf("cannot fill %q: %v", answer, err)
		}
	})
}

// TestMatch says what figures are found as.
func TestMatch(t *testing.T) {
	var s grounding.Sources
	s.AddQuestion(grounding.InQuestion, "How much in 2024?")
	s.AddCode(2, python.Language(), "limit = 98.25\nprint('mean', m, m > limit)\nprint(limit)")
	s.AddOutput(grounding.Origin{Step: 2, In: grounding.InStdout}, "rows 120\n\n\nmean 716.8 €\n98.25\n15 units")
	s.AddOutput(grounding.Origin{Step: 3, In: grounding.InResult}, "0.1413")
	want := []event.Figure{
		{Text: "2024", Source: "question", Match: &event.Match{Text: "2024", In: "question", Line: 1}},
		{Text: "717.8", Source: "unverified", Nearest: &event.Match{Text: "716.8 €", Step: 2, In: "stdout", Line: 4}},
		{Text: "14.1 %", Source: "output", Match: &event.Match{Text: "0.1413", Step: 3, In: "result", Line: 1}},
		{Text: "98.25", Source: "output", Match: &event.Match{Text: "98.25", Step: 2, In: "stdout", Line: 5, Stated: true}},
		{Text: "15 %", Source: "unverified", Nearest: &event.Match{Text: "15 units", Step: 2, In: "stdout", Line: 6}},
		{Text: "9999", Source: "unverified"},
	}
	got := s.Trace("In 2024 it was 717.8, 14.1 % of it 98.25, 15 % and 9999.")
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("figures = %s\nwant %s", a, b)
	}
	const list = `"717.8": nearest is 716.8 €, step 2, line 4; "15 %": nearest is 15 units, step 2, line 6; "9999"`
	if got := grounding.List(event.Untraced(got)); got != list {
		t.Errorf("list = %s, want %s", got, list)
	}
}

// TestMarks says how an answer is marked: in its text, but for a document that would not
// be one any more.
func TestMarks(t *testing.T) {
	for answer, want := range map[string]string{
		"It is 42 of 12.":                "It is 42 (unverified) of 12.",
		"**42 %** and 43":                "**42 % (unverified)** and 43 (unverified)",
		`{"n": 42}`:                      `{"n": 42}`,
		"[12, 42]":                       "[12, 42]",
		"४२ und zwölf":                   "४२ (unverified) und zwölf",
		"| a |\n|---|\n| 42 |":           "| a |\n|---|\n| 42 (unverified) |",
		"\uFFFC and 42 and {{ 42 + 1 }}": "  and 42 (unverified) and 43",
	} {
		var s grounding.Sources
		s.AddOutput(grounding.Origin{Step: 1, In: grounding.InStdout}, "12")
		tpl, err := grounding.Parse(answer)
		if err != nil {
			t.Fatal(err)
		}
		var values []grounding.Value
		for range tpl.Expressions() {
			values = append(values, grounding.Value{Text: "43", Computed: true})
		}
		got, err := tpl.Fill(values, &s)
		if err != nil || got.Text != want {
			t.Errorf("%q became %q, %v, want %q", answer, got.Text, err, want)
		}
	}
}

// FuzzFill marks any answer over any output: the text is the answer with marks in it, and
// every untraced figure has one.
func FuzzFill(f *testing.F) {
	f.Add("   a  share_pct\n0  7  0.5\n1  8  0.25\nFile \"a.py\", line 3\npandas==2.3.1 15 units €3", "About three of the 12–15 % (doubled, a third of ４２) | a |\n|---|\n| 5 MB |")
	f.Add("1. a\n2. b\nstd mean\n25%  3", "half a million, two-thirds, twenty-one, `f(3)`, 1 234 567,89 and \xff9\uFFFC")
	f.Add("0", "\x80 0４ 2\xff½ ⁴⁷")
	f.Fuzz(func(t *testing.T, output, answer string) {
		var s grounding.Sources
		s.AddCode(1, python.Language(), output)
		s.AddQuestion(grounding.InFile, output)
		s.AddOutput(grounding.Origin{Step: 1, In: grounding.InStdout}, output)
		tpl, err := grounding.Parse(answer)
		if err != nil || len(tpl.Expressions()) > 0 {
			return
		}
		filled, err := tpl.Fill(nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		n := strings.Count(filled.Text, grounding.Mark) - strings.Count(answer, grounding.Mark)
		if doubtful := len(event.Untraced(filled.Figures)); n != doubtful && n != 0 {
			t.Errorf("%q has %d marks for %d untraced figures", filled.Text, n, doubtful)
		}
		_ = grounding.List(filled.Figures)
	})
}
