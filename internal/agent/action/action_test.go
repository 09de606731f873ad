package action_test

import (
	"reflect"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/agent/action"
	"praxis/internal/language"
	"praxis/internal/language/python"
	"praxis/internal/llm"
	"praxis/internal/test/tally"
)

// py is the language of the code in these tests.
var py = language.Table{python.Language()}

func TestText(t *testing.T) {
	run, answer := action.Run, action.Answer
	tests := []struct {
		name    string
		text    string
		cut     bool
		kind    action.Kind
		want    string
		thought string
		note    string // in the notes; "" : no notes
	}{
		{"fence", "I look.\n'''python\nprint(1)\n'''\nThen I go on.", false, run, "print(1)", "I look.\nThen I go on.", ""},
		{"py", "'''py\nprint(1)\n'''", false, run, "print(1)", "", ""},
		{"Python3", "'''Python3\nprint(1)\n'''", false, run, "print(1)", "", ""},
		{"version", "'''python3.14\nprint(1)\n'''", false, run, "print(1)", "", ""},
		{"attributes", "'''{.python .numberLines}\nprint(1)\n'''", false, run, "print(1)", "", ""},
		{"title", "'''python title=\"a\"\nprint(1)\n'''", false, run, "print(1)", "", ""},
		{"no tag", "'''\nprint(1)\n'''", false, run, "print(1)", "", ""},
		{"tildes", "~~~python\nprint(1)\n~~~", false, run, "print(1)", "", ""},
		{"longer fence", "````python\ns = \"\"\"\n```\n\"\"\"\n````", false, run, "s = \"\"\"\n```\n\"\"\"", "", ""},
		{"indented", "1. First:\n   '''python\n   if x:\n       print(1)\n   '''", false, run, "if x:\n    print(1)", "1. First:", ""},
		{"indented code", "'''python\n    a = 1\n\n    b = 2\n'''", false, run, "a = 1\n\nb = 2", "", ""},
		{"carriage returns", "'''python\r\na = 1\r\nb = 2\r\n'''\r\n", false, run, "a = 1\nb = 2", "", ""},
		{"unclosed", "'''python\nprint(1)\n", false, run, "print(1)", "", ""},
		{"whole and cut", "'''python\nprint(1)\n'''\n'''python\npri", true, run, "print(1)", "", "What was cut was not taken"},
		{"any element", "So:\n<execute>\nprint(1)\n</execute>", false, run, "print(1)", "So:", ""},
		{"element code", "<code>\nx = 1\nprint(x)\n</code>", false, run, "x = 1\nprint(x)", "", ""},
		{"element of the language", "<python>print(1)</python>", false, run, "print(1)", "", ""},
		{"element with a fence in it", "<tool_code>\n'''py\nprint(1)\n'''\n</tool_code>", false, run, "print(1)", "", ""},
		{"element of HTML", "FINAL ANSWER: see\n<code>the total</code>\nend", false, answer, "see\n<code>the total</code>\nend", "", ""},
		{"any fence", "'''jupyter\nimport math\nmath.pi\n'''", false, run, "import math\nmath.pi", "", ""},
		{"a tool's fence", "'''tool\nprint(1)\n'''", false, run, "print(1)", "", ""},
		{"bare code", "import math\n\nprint(math.pi)", false, run, "import math\n\nprint(math.pi)", "", ""},
		{"bare code and prose", "I load it.\n\nx = 2\n\ndef f():\n    a = 1\n\n    return a\n\nprint(f())\n\nThen I see.", false, run, "x = 2\n\ndef f():\n    a = 1\n\n    return a\n\nprint(f())", "I load it.\nThen I see.", ""},
		{"function of a template", "<tool_call>\n<function=execute_python>\n<parameter=code>\nprint(1)\n</parameter>\n</function>\n</tool_call>", false, run, "print(1)", "", ""},
		{"function with JSON", "<function=execute_python>{\"code\": \"print(1)\"}</function>", false, run, "print(1)", "", ""},
		{"invocation", "<invoke name=\"execute_python\">\n<parameter name=\"code\">print(1)</parameter>\n</invoke>", false, run, "print(1)", "", ""},
		{"python tag", "<|python_tag|>print(1)<|eom_id|>", false, run, "print(1)", "", ""},
		{"list of calls", "[TOOL_CALLS] [{\"name\": \"execute_python\", \"arguments\": {\"code\": \"print(1)\"}}]", false, run, "print(1)", "", ""},
		{"written call with bad escapes", `{"name": "execute_python", "arguments": {"code": "re.findall('\d+', s)",}}`, false, run, `re.findall('\d+', s)`, "", ""},
		{"full-width colon", "FINAL ANSWER：42", false, answer, "42", "", ""},
		{"answer as an element", "<answer>42</answer>", false, answer, "42", "", ""},
		{"closed and cut", "'''python\nprint(1)\n'''\nand th", true, run, "print(1)", "and th", ""},
		{"element", "So: <execute_python>\nprint(1)\n</execute_python> good", false, run, "print(1)", "So:\ngood", ""},
		{"element on a line", "<EXECUTE_PYTHON>print(1)</EXECUTE_PYTHON>", false, run, "print(1)", "", ""},
		{"element with a fence", "<execute_python>\n'''python\nprint(1)\n'''\n</execute_python>", false, run, "print(1)", "", ""},
		{"element unclosed", "<execute_python>\nprint(1)", false, run, "print(1)", "", ""},
		{"element talked about", "I use `<execute_python>` now.\n'''python\nprint(1)\n'''", false, run, "print(1)", "I use `<execute_python>` now.", ""},
		{"two blocks", "'''python\na\n'''\n'''python\nb\n'''", false, run, "a\n\nb", "", ""},
		{"bash before", "'''bash\nls\n'''\n'''python\na\n'''", false, run, "a", "", ""},
		{"bare beside tagged", "It printed\n'''\n42\n'''\n'''python\na\n'''", false, run, "a", "It printed", ""},
		{"code and answer", "'''python\na\n'''\nFINAL ANSWER: 42", false, run, "a", "", ""},
		{"answer and code", "FINAL ANSWER: 42\n'''python\na\n'''", false, run, "a", "", ""},
		{"answer inside code", "'''python\nprint('FINAL ANSWER: 42')\n'''", false, run, "print('FINAL ANSWER: 42')", "", ""},
		{"written call", `{"name": "execute_python", "arguments": {"code": "a = 1\nb"}}`, false, run, "a = 1\nb", "", ""},
		{"written call, arguments as text", `{"name": "execute_python", "arguments": "{\"code\": \"a\"}"}`, false, run, "a", "", ""},
		{"written call in a fence", "'''json\n{\"tool\": \"python\", \"code\": \"a\"}\n'''", false, run, "a", "", ""},
		{"written call in an element", "<tool_call>\n{\"name\": \"execute_python\", \"arguments\": {\"code\": \"a\"}}\n</tool_call>", false, run, "a", "", ""},
		{"written function", `{"type":"function","function":{"name":"execute_python","parameters":{"code":"a"}}}`, false, run, "a", "", ""},
		{"bare input", `{"code": "a"}`, false, run, "a", "", ""},
		{"written answer", `{"name": "final_answer", "arguments": {"text": "42"}}`, false, answer, "42", "", ""},
		{"thinking", "<think>\n'''python\nwrong\n'''\n</think>\n'''python\nright\n'''", false, run, "right", "'''python\nwrong\n'''", ""},
		{"thinking without a beginning", "FINAL ANSWER: 1?\nno\n</think>\nFINAL ANSWER: 2", false, answer, "2", "FINAL ANSWER: 1?\nno", ""},
		{"thinking without an end", "<think>hm\nFINAL ANSWER: 2", false, answer, "2", "hm", ""},
		{"think in code", "'''python\nprint('<think>')\n'''", false, run, "print('<think>')", "", ""},

		{"line", "Good.\nFINAL ANSWER: It is {{ total:.2f }}.", false, answer, "It is {{ total:.2f }}.", "Good.", ""},
		{"line below", "Final answer:\n\nIt is 42.\n\nMore.", false, answer, "It is 42.\n\nMore.", "", ""},
		{"bold", "**Final Answer:** It is **42**.", false, answer, "It is **42**.", "", ""},
		{"bold line", "**Final answer: 42**", false, answer, "42", "", ""},
		{"heading", "### Final Answer: 42", false, answer, "42", "", ""},
		{"is", "Final answer is: 42", false, answer, "42", "", ""},
		{"last of two", "FINAL ANSWER: 1\nFINAL ANSWER: 2", false, answer, "2", "", ""},
		{"answer with a table", "FINAL ANSWER: see\n'''\na | b\n'''\nend", false, answer, "see\n```\na | b\n```\nend", "", ""},
		{"answer in a fence", "'''\nFINAL ANSWER: 42\n'''", false, answer, "42", "", ""},
		{"answer element", "x <final_answer>\nIt is 42.\n'''python\nnot run\n'''\n</final_answer> y", false, answer, "It is 42.\n```python\nnot run\n```", "x\ny", ""},
		{"answer element unclosed", "<final_answer>42", false, answer, "42", "", ""},
		{"final answer in a sentence", "I give the final answer: soon.\n'''python\na\n'''", false, run, "a", "I give the final answer: soon.", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := action.Parse(llm.Reply{Text: fences(tt.text), Cut: tt.cut}, py)
			if err != nil {
				t.Fatal(err)
			}
			if got.Action.Kind != tt.kind || got.Action.Text != fences(tt.want) || got.Action.Call != -1 {
				t.Errorf("action = %+v, want %d %q", got.Action, tt.kind, fences(tt.want))
			}
			if got.Thought != fences(tt.thought) {
				t.Errorf("thought = %q, want %q", got.Thought, fences(tt.thought))
			}
			notes := strings.Join(got.Action.Notes, " ")
			if !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("notes = %q, want %q", notes, tt.note)
			}
		})
	}
}

// fences writes three or four quotes as backquotes, and leaves single ones.
func fences(s string) string { return strings.ReplaceAll(s, "'''", "```") }

func TestTextRejected(t *testing.T) {
	tests := []struct {
		name, text string
		cut        bool
		want       string
	}{
		{"empty", " \n", false, "it is empty"},
		{"prose", "I would compute the sum.", false, "neither code nor a final answer"},
		{"bash", "'''bash\nls\n'''", false, `a block of "bash", and only Python is run`},
		{"data", "'''json\n{\"a\": 1}\n'''", false, "neither code nor a final answer"},
		{"a table", "It is so:\n'''\na | b\n1 | 2\n'''", false, "neither code nor a final answer"},
		{"another language", "'''cobol\nn = 1\n'''", false, `a block of "cobol"`},
		{"cut code", "'''python\nprint(1)\npri", true, "it was cut"},
		{"cut element", "<execute_python>\nprint(1)", true, "it was cut"},
		{"cut bare block", "'''\nprint(1)\n", true, "it was cut"},
		{"cut bare code", "import math\nprint(math.pi)", true, "it was cut"},
		{"cut prose", "I look at the", true, "it was cut"},
		{"cut written call", "<tool_call>{\"name\": \"execute_python\", \"arguments\": {\"code\": \"a", true, "it was cut"},
		{"unreadable call", "<tool_call>{\"name\": \"browse\"}</tool_call>", false, "it holds a call that cannot be read"},
		{"empty block", "'''python\n\n'''", false, "code block is empty"},
		{"empty answer", "FINAL ANSWER:  \n", false, "final answer is empty"},
		{"cut answer", "FINAL ANSWER: It is 4", true, "it was cut"},
		{"only thought", "<think>hm</think>", false, "it is empty"},
		{"written call without code", `{"name": "execute_python", "arguments": {"a": 1, "b": 2}}`, false, `lacks the argument "code"`},
		{"too long", "'''python\n" + strings.Repeat("x", action.MaxCode+1) + "\n'''", false, "the bound is 262144"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := action.Parse(llm.Reply{Text: fences(tt.text), Cut: tt.cut}, py)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
			if fault.RemedyOf(err) != action.Accepted(py) {
				t.Errorf("remedy = %q, want what is accepted", fault.RemedyOf(err))
			}
		})
	}
}

func TestCalls(t *testing.T) {
	in := func(kv ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	tests := []struct {
		name string
		call llm.Call
		kind action.Kind
		want string
	}{
		{"code", llm.Call{Name: "execute_python", Input: in("code", "a")}, action.Run, "a"},
		{"source", llm.Call{Name: "execute_python", Input: in("source", "a", "timeout", 3.0)}, action.Run, "a"},
		{"any name", llm.Call{Name: "execute_python", Input: in("program_text", "a")}, action.Run, "a"},
		{"lines", llm.Call{Name: "execute_python", Input: in("code", []any{"a\n", "b"})}, action.Run, "a\nb"},
		{"other tool name", llm.Call{Name: "functions.Python", Input: in("code", "a")}, action.Run, "a"},
		{"fenced", llm.Call{Name: "execute_python", Input: in("code", "```python\na\n```")}, action.Run, "a"},
		{"twice inside", llm.Call{Name: "execute_python", Input: in("code", `{"code": "a"}`)}, action.Run, "a"},
		{"twice", llm.Call{Name: "execute_python", Raw: `"{\"code\": \"a\\nb\"}"`}, action.Run, "a\nb"},
		{"text for an object", llm.Call{Name: "execute_python", Raw: `"print(1)"`}, action.Run, "print(1)"},
		{"bare code", llm.Call{Name: "execute_python", Raw: "print(1)"}, action.Run, "print(1)"},
		{"fence inside", llm.Call{Name: "execute_python", Raw: "{\"code\": \"```python\na = \\\"x\\\"\n```\"}"}, action.Run, `a = "x"`},
		{"fenced JSON", llm.Call{Name: "execute_python", Raw: "```json\n{\"code\": \"a\"}\n```"}, action.Run, "a"},
		{"bad escapes", llm.Call{Name: "execute_python", Raw: `{"code": "re.sub('\d\.\s', '', s) + 'it\'s \\n'"}`}, action.Run, `re.sub('\d\.\s', '', s) + 'it's \n'`},
		{"a broken unicode escape", llm.Call{Name: "execute_python", Raw: `{"code": "s = 'C:\users'"}`}, action.Run, `s = 'C:\users'`},
		{"line that goes on", llm.Call{Name: "execute_python", Raw: "{\"code\": \"a = 1 + \\\n2\"}"}, action.Run, "a = 1 + \\\n2"},
		{"trailing commas", llm.Call{Name: "execute_python", Raw: `{"code": "x = [1, 2]", }`}, action.Run, "x = [1, 2]"},
		{"quotes without escapes", llm.Call{Name: "execute_python", Raw: `{"code": "print("a, b")\nprint('c')"}`}, action.Run, "print(\"a, b\")\nprint('c')"},
		{"bare line breaks", llm.Call{Name: "execute_python", Raw: "{\"code\": \"a\nif \\\"x\\\":\n\tb\"}"}, action.Run, "a\nif \"x\":\n\tb"},
		{"dictionary in code", llm.Call{Name: "execute_python", Input: in("code", `{"a": 1, "b": 2}`)}, action.Run, `{"a": 1, "b": 2}`},
		{"answer", llm.Call{Name: "final_answer", Input: in("text", " 42 ")}, action.Answer, "42"},
		{"answer under another name", llm.Call{Name: "final-answer", Input: in("answer", "42")}, action.Answer, "42"},
		{"number", llm.Call{Name: "final_answer", Input: in("answer", 42.0)}, action.Answer, "42"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := action.Parse(llm.Reply{Text: "Because.", Calls: []llm.Call{tt.call}}, py)
			if err != nil {
				t.Fatal(err)
			}
			want := action.Parsed{Thought: "Because.", Action: action.Action{Kind: tt.kind, Text: tt.want}, Unused: []string{""}}
			if tt.kind == action.Run {
				want.Action.Language = py[0].Name
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestCallsRejected(t *testing.T) {
	in := func(k string, v any) map[string]any { return map[string]any{k: v} }
	tests := []struct {
		name string
		call llm.Call
		cut  bool
		want string
	}{
		{"unknown tool", llm.Call{Name: "browse", Input: map[string]any{"code": "a"}}, false, `there is no tool "browse"`},
		{"no argument", llm.Call{Name: "execute_python", Input: map[string]any{}}, false, `lacks the argument "code"`},
		{"a number", llm.Call{Name: "execute_python", Input: map[string]any{"code": 1.0}}, false, `lacks the argument "code"`},
		{"empty", llm.Call{Name: "execute_python", Input: map[string]any{"code": " \n"}}, false, `"code" is empty`},
		{"no answer", llm.Call{Name: "final_answer", Input: map[string]any{}}, false, `lacks the argument "text"`},
		{"cut", llm.Call{Name: "execute_python", Raw: `{"code": "pri`}, true, "the call was cut"},
		{"cut and closed by the server", llm.Call{Name: "execute_python", Input: in("code", "print(1)")}, true, "the call was cut"},
		{"without an end", llm.Call{Name: "execute_python", Raw: `{"code": "pri`}, false, "not valid JSON: its end is missing"},
		{"damaged", llm.Call{Name: "execute_python", Raw: `{"code": x}`}, false, `not valid JSON: invalid character 'x' looking for beginning of value at byte 10, after "{\"code\": x"`},
		{"list", llm.Call{Name: "execute_python", Raw: `[1]`}, false, "neither an object nor a text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := action.Parse(llm.Reply{Calls: []llm.Call{tt.call}, Cut: tt.cut}, py)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
			if len(got.Unused) != 1 || got.Unused[0] != err.Error() {
				t.Errorf("unused = %q, want the error", got.Unused)
			}
		})
	}
}

func TestSeveralCalls(t *testing.T) {
	run := func(code string) llm.Call {
		return llm.Call{Name: "execute_python", Input: map[string]any{"code": code}}
	}
	answer := llm.Call{Name: "final_answer", Input: map[string]any{"text": "42"}}
	unknown := llm.Call{Name: "browse"}
	tests := []struct {
		name   string
		calls  []llm.Call
		chosen int
		unused []string // what each begins with
	}{
		{"two runs", []llm.Call{run("a"), run("b")}, 0, []string{"", "Run together with the first call"}},
		{"answer and run", []llm.Call{answer, run("a")}, 1, []string{"Not taken: the code", ""}},
		{"two answers", []llm.Call{answer, answer}, 0, []string{"", "Not taken: the first"}},
		{"unknown first", []llm.Call{unknown, run("a")}, 1, []string{`cannot act on the reply: there is no tool "browse"`, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := action.Parse(llm.Reply{Calls: tt.calls}, py)
			if err != nil {
				t.Fatal(err)
			}
			if got.Action.Call != tt.chosen {
				t.Errorf("chosen = %d, want %d", got.Action.Call, tt.chosen)
			}
			for i, want := range tt.unused {
				if !strings.HasPrefix(got.Unused[i], want) || want == "" && got.Unused[i] != "" {
					t.Errorf("unused[%d] = %q, want %q", i, got.Unused[i], want)
				}
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("I look.\n```python\nprint(1)\n```", "", false)
	f.Add("<think>a</think><execute_python>x</execute_python>FINAL ANSWER: {{ x }}", "", true)
	f.Add("~~~\n{\"code\": \"a\"}\n~~~\n<final_answer>", `"{\"code\": 1}"`, false)
	f.Add("**Final answer: a**\n\t```json\n", "{\"code\": \"a\nb\"}", true)
	f.Fuzz(func(t *testing.T, text, raw string, cut bool) {
		replies := []llm.Reply{{Text: text, Cut: cut}, {Text: text, Cut: cut, Calls: []llm.Call{{Name: "execute_python", Raw: raw}, {Name: "final_answer", Raw: raw}}}}
		for _, r := range replies {
			if u, ok := action.Uses(r, py, func(name string) bool { return name == "final_answer" || strings.HasPrefix(name, "a") }); ok && (len(u.Action.Uses) == 0 || len(u.Unused) != len(r.Calls)) {
				t.Fatalf("a use of no tools: %+v", u)
			}
			p, err := action.Parse(r, py)
			if len(p.Unused) != len(r.Calls) {
				t.Fatalf("%d answers for %d calls", len(p.Unused), len(r.Calls))
			}
			if err != nil {
				if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "\n") {
					t.Errorf("error = %q", err)
				}
				for _, u := range p.Unused {
					if u == "" {
						t.Error("a call without an answer")
					}
				}
				continue
			}
			if r.Cut && len(r.Calls) == 0 && p.Action.Kind == action.Run && !strings.Contains(r.Text, p.Action.Text[:min(3, len(p.Action.Text))]) {
				t.Errorf("code that the reply does not hold: %+v", p.Action)
			}
			if strings.TrimSpace(p.Action.Text) == "" || p.Action.Kind != action.Run && p.Action.Kind != action.Answer {
				t.Errorf("action = %+v", p.Action)
			}
			for i, u := range p.Unused {
				if (u == "") != (i == p.Action.Call) {
					t.Errorf("unused[%d] = %q, chosen %d", i, u, p.Action.Call)
				}
			}
		}
	})
}

func TestLongReply(t *testing.T) {
	got, err := action.Parse(llm.Reply{Text: "```python\nx = 1\n```\n" + strings.Repeat("a\n", 4<<20)}, py)
	if err != nil || got.Action.Text != "x = 1" {
		t.Errorf("action = %+v, %v", got.Action, err)
	}
}

// TestTrimmed checks that a person sees what of a reply was left out.
func TestTrimmed(t *testing.T) {
	run := func(code string) llm.Call {
		return llm.Call{Name: py[0].Tool(), Input: map[string]any{"code": code}}
	}
	answer := llm.Call{Name: action.ToolAnswer, Input: map[string]any{"text": "42"}}
	for _, c := range []struct {
		reply llm.Reply
		want  string
	}{
		{llm.Reply{Text: "'''python\na\n'''"}, ""},
		{llm.Reply{Text: "'''python\na\n'''\n'''python\nb\n'''"}, ""},
		{llm.Reply{Text: "'''python\na\n'''\nFINAL ANSWER: 1"}, ""},
		{llm.Reply{Text: "FINAL ANSWER: 1\nFINAL ANSWER: 2"}, "2 final answers: only the last was taken"},
		{llm.Reply{Calls: []llm.Call{run("a")}}, ""},
		{llm.Reply{Calls: []llm.Call{run("a"), run("b"), run("c")}}, ""},
		{llm.Reply{Calls: []llm.Call{answer, run("a")}}, ""},
		{llm.Reply{Calls: []llm.Call{answer, answer}}, "2 final answers: only the first was taken"},
	} {
		c.reply.Text = fences(c.reply.Text)
		got, err := action.Parse(c.reply, py)
		if err != nil || got.Trimmed != c.want {
			t.Errorf("%+v: trimmed = %q, %v, want %q", c.reply, got.Trimmed, err, c.want)
		}
	}
}

// Blocks say which language they are in. Code in the first language is taken before
// other code; what is not tagged is in the first.
func TestSeveralLanguages(t *testing.T) {
	langs := language.Table{python.Language(), tally.Language()}
	for name, c := range map[string]struct {
		reply      llm.Reply
		lang, text string
		note       string
	}{
		"the second":       {llm.Reply{Text: "```tally\nn = 1\n```"}, "tally", "n = 1", ""},
		"its element":      {llm.Reply{Text: "<execute_tally>n = 1</execute_tally>"}, "tally", "n = 1", ""},
		"its call":         {llm.Reply{Calls: []llm.Call{{Name: "run_tally", Input: map[string]any{"code": "n = 1"}}}}, "tally", "n = 1", ""},
		"its written call": {llm.Reply{Text: `{"name": "execute_tally", "arguments": {"tally": "n = 1"}}`}, "tally", "n = 1", ""},
		"untagged":         {llm.Reply{Text: "```\nn = 1\n```"}, "python", "n = 1", ""},
		"a usual call":     {llm.Reply{Calls: []llm.Call{{Name: "execute_code", Input: map[string]any{"code": "n = 1"}}}}, "python", "n = 1", ""},
		"both":             {llm.Reply{Text: "```tally\nsay hello\n```\n```python\nn = 2\n```"}, "python", "n = 2", "Only that in Python was run"},
		"two of one":       {llm.Reply{Text: "```tally\nsay hello\n```\n```tally\nn = 2\n```"}, "tally", "say hello\n\nn = 2", ""},
	} {
		p, err := action.Parse(c.reply, langs)
		if err != nil || p.Action.Kind != action.Run || p.Action.Language != c.lang || p.Action.Text != c.text || !strings.Contains(strings.Join(p.Action.Notes, " "), c.note) {
			t.Errorf("%s: got %+v, %v", name, p.Action, err)
		}
	}
	_, err := action.Parse(llm.Reply{Text: "```cobol\nn = 1\n```"}, langs)
	if err == nil || !strings.Contains(err.Error(), "only Python and Tally are run") || !strings.Contains(fault.RemedyOf(err), "```python or ```tally") {
		t.Errorf("got %v, %s", err, fault.RemedyOf(err))
	}
}

// TestAfter checks what stands beside code: an answer for the agent to judge.
func TestAfter(t *testing.T) {
	run := llm.Call{Name: py[0].Tool(), Input: map[string]any{"code": "a"}}
	answer := llm.Call{Name: action.ToolAnswer, Input: map[string]any{"text": "42"}}
	for name, tt := range map[string]struct {
		reply llm.Reply
		want  *action.Action
	}{
		"text":          {llm.Reply{Text: "```python\na\n```\nFINAL ANSWER: {{ a }}"}, &action.Action{Kind: action.Answer, Text: "{{ a }}", Call: -1}},
		"before":        {llm.Reply{Text: "FINAL ANSWER: 1\n```python\na\n```"}, &action.Action{Kind: action.Answer, Text: "1", Call: -1}},
		"calls":         {llm.Reply{Calls: []llm.Call{run, answer}}, &action.Action{Kind: action.Answer, Text: "42", Call: 1}},
		"cut":           {llm.Reply{Text: "```python\na\n```\nFINAL ANSWER: {{ a", Cut: true}, nil},
		"nothing to do": {llm.Reply{Text: "```python\na\n```"}, nil},
	} {
		got, err := action.Parse(tt.reply, py)
		if err != nil || got.Action.Kind != action.Run || got.Action.Text != "a" || !reflect.DeepEqual(got.After, tt.want) {
			t.Errorf("%s: got %+v after %+v, %v, want %+v", name, got.After, got.Action, err, tt.want)
		}
	}
}

// TestPlain checks that a reply without an action is given back as a person reads it.
func TestPlain(t *testing.T) {
	for text, want := range map[string]action.Parsed{
		"<think>hm</think>\nThe total is 42.\n": {Plain: "The total is 42."},
		"As a table:\n```\na | b\n```":          {Plain: "As a table:\n```\na | b\n```"},
		"Run this:\n```bash\nls\n```":           {Plain: "Run this:\n```bash\nls\n```", Foreign: true},
		"```python\n\n```":                      {},
		"":                                      {},
	} {
		got, err := action.Parse(llm.Reply{Text: text}, py)
		if err == nil || got.Plain != want.Plain || got.Foreign != want.Foreign || got.Unfinished {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
	if got, err := action.Parse(llm.Reply{Text: "The total", Cut: true}, py); err == nil || !got.Unfinished || got.Plain != "" {
		t.Errorf("cut: got %+v, %v", got, err)
	}
}
