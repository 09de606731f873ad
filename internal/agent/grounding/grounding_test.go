package grounding_test

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"praxis/internal/agent/grounding"
	"praxis/internal/event"
	"praxis/internal/fault"
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
		{"nested width", "{{ x:{w}.{p}f}}", []string{"x:{w}.{p}f"}},
		{"braces in a string", `{{ d["}}"] }}`, []string{`d["}}"]`}},
		{"escaped quote", `{{ d['\'}}'] }}`, []string{`d['\'}}']`}},
		{"apostrophe", "{{ user's }} it's", []string{"user's"}},
		{"stray bracket", "{{ a) }}", []string{"a)"}},
		{"lines", "{{ sum(\n  rows\n) }}", []string{"sum(\n  rows\n)"}},
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
	const want = `# the figures of the answer
__import__("json").dumps([
    f"""{total:.2f}""",
    f"""{ {1: 2}[1]}""",
])`
	if got := grounding.Snippet("total:.2f", "{1: 2}[1]"); got != want {
		t.Errorf("snippet = %s, want %s", got, want)
	}
}

// The snippet must mean in Python what the placeholders promise. Any Python from
// 3.12 on reads it.
func TestSnippetInPython(t *testing.T) {
	python := python312(t)
	exprs := []string{"x:.2f", "x:>{w}.1f", `d["a"]`, "{'k': 'v'}['k']", `s`, `'€ "q" \'\\ \n'`, "x = :.1f", "s!r", "n:,", "[1,\n 2]"}
	code := "x = 3.14159; w = 8; d = {'a': 1}; s = \"it's\"; n = 1234567\nprint(repr(" + grounding.Snippet(exprs...) + "))"
	out, err := exec.CommandContext(t.Context(), python, "-I", "-c", code).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := grounding.Values(string(out), len(exprs))
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := []string{"3.14", "     3.1", "1", "v", "it's", "€ \"q\" '\\ \n", "x = 3.1", `"it's"`, "1,234,567", "[1, 2]"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("values = %q, want %q", got, want)
	}
}

func python312(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3.14", "python3.13", "python3.12", "python3"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err := exec.CommandContext(t.Context(), path, "-c", "import sys; sys.exit(sys.version_info < (3, 12))").Run(); err == nil {
			return path
		}
	}
	t.Skip("no Python from 3.12 on is installed here")
	return ""
}

func TestValues(t *testing.T) {
	got, err := grounding.Values(`'["1.50", "it\'s", "a\\n\\u20ac\\\\", "\\""]'`, 4)
	if want := []string{"1.50", "it's", "a\n€\\", `"`}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("values = %q, %v, want %q", got, err, want)
	}
	for _, bad := range []string{"", "'", "42", `'["1"`, `'["1", "2"]'`, `'[1]'`, `'{"a": 1}'`, `"[\"1\"]'`} {
		if _, err := grounding.Values(bad, 1); fault.KindOf(err) != fault.Invalid {
			t.Errorf("Values(%q): error = %v, want invalid", bad, err)
		}
	}
}

func TestFill(t *testing.T) {
	var s grounding.Sources
	s.AddOutput("rows 12")
	s.AddQuestion("How much in 2024?")
	tpl, err := grounding.Parse("In 2024, 12 rows gave {{ total:,.2f }} € ({{ 99 }} %, {{ share:.1%}}, 77 left), again {{ total:,.2f }}; {{ '5' }} \\{{ x")
	if err != nil {
		t.Fatal(err)
	}
	got, err := tpl.Fill([]string{"1,234.50", "99", "8.5%", "5"}, &s)
	if err != nil {
		t.Fatal(err)
	}
	want := grounding.Filled{
		Text: "In 2024, 12 rows gave 1,234.50 € (99 %, 8.5%, 77 left), again 1,234.50; 5 {{ x",
		Figures: []event.Figure{
			{Text: "2024", Source: "question"},
			{Text: "12", Source: "output"},
			{Text: "1,234.50", Expression: "total:,.2f", Source: "computed"},
			{Text: "99 %", Source: "unverified"},
			{Text: "8.5%", Expression: "share:.1%", Source: "computed"},
			{Text: "77", Source: "unverified"},
			{Text: "1,234.50", Expression: "total:,.2f", Source: "computed"},
			{Text: "5", Source: "unverified"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if n := len(grounding.Doubtful(got.Figures)); n != 3 {
		t.Errorf("%d doubtful figures, want 3", n)
	}
	if _, err := tpl.Fill([]string{"1"}, &s); err == nil {
		t.Error("too few values were taken")
	}
	if _, err := tpl.Fill([]string{strings.Repeat("x", grounding.MaxValue+1), "1", "1", "1"}, &s); fault.KindOf(err) != fault.Invalid {
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
		cols := strings.Split(line, "|")
		if len(cols) != 3 {
			t.Fatalf("line %d: %d columns, want 3: output | answer | figures", i+1, len(cols))
		}
		var s grounding.Sources
		output, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.TrimSpace(cols[0]), `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		s.AddOutput(output)
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
			s.AddOutput(b.String())
			b.Reset()
		}
	}
	s.AddOutput(strings.Repeat("x", 4<<20) + " 123456789.5")
	if got := s.Trace("4321 and 123,456,789.5 and 987654321"); got[0].Source != "output" || got[1].Source != "output" || got[2].Source != "unverified" {
		t.Errorf("figures = %+v", got)
	}
}

func FuzzTrace(f *testing.F) {
	f.Add("total 1234.5 on 2024-03-05 12:30", "About 1,200 € (12.5 %) on March 5, 2024 at 12:30; 3.4 million, 1.2.3, −5, 2×10^6, .5, 1e999", 1234.5678)
	f.Add("[1,2,3] 0x1F 1_000 9.99e-12", "1. a\n2. b\n**Q3** 3rd 10/12/2024 12'345 1 234,5", -1e-9)
	f.Fuzz(func(t *testing.T, output, answer string, v float64) {
		var s grounding.Sources
		s.AddOutput(output)
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
		printed.AddOutput(output + "\n" + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
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
		values := make([]string, len(tpl.Expressions()))
		for i := range values {
			values[i] = strconv.Itoa(i)
		}
		encoded, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		if len(values) > 0 {
			if back, err := grounding.Values("'"+string(encoded)+"'", len(values)); err != nil || !reflect.DeepEqual(back, values) {
				t.Errorf("values = %q, %v", back, err)
			}
		}
		if _, err := tpl.Fill(values, &grounding.Sources{}); err != nil {
			t.Errorf("cannot fill %q: %v", answer, err)
		}
	})
}
