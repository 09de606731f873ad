package grounding_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/agent/grounding"
	"praxis/internal/language/python"
)

// traced says what became of the figures of an answer: its source, and "typed N" for one that
// the code of step N has.
func traced(s *grounding.Sources, answer string) string {
	var out []string
	for _, f := range s.Trace(answer) {
		text := f.Source
		if f.Typed > 0 {
			text = fmt.Sprintf("typed %d", f.Typed)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// TestTypedOutputs shows that what code only typed is no source, and that parameters are.
func TestTypedOutputs(t *testing.T) {
	var s grounding.Sources
	show := func(step int, in, code, output string) {
		s.AddCode(step, python.Language(), code)
		s.AddOutput(grounding.Origin{Step: step, In: in}, output)
	}
	show(1, grounding.InStdout, "print('the answer is 4711 on 2024-03-05')\nprint(len(rows), 'of 99')", "the answer is 4711 on 2024-03-05\n4711 of 99")
	show(2, grounding.InResult, "x = 4712\nx", "4712")
	show(3, grounding.InVariables, "y = 4713", "new y: int = 4713")
	show(4, grounding.InStdout, "rate = 0.19\nprint(f'at 19 %: {total * rate}', rate)", "at 19 %: 81.5 0.19")
	show(5, grounding.InStdout, "print(2.5, round(98.254, 1))", "2.5 98.3")
	for answer, want := range map[string]string{
		"4711":          "output", // the second one was computed
		"99":            "typed 1",
		"5 March 2024":  "typed 1",
		"4712 and 4713": "typed 2, typed 3",
		"19 % and 81.5": "output, output",
		"98.3":          "typed 5",
		"4714":          "unverified",
	} {
		if got := traced(&s, answer); got != want {
			t.Errorf("%q: %s, want %s", answer, got, want)
		}
	}
	s.AddCode(6, python.Language(), "z = total / y")
	if got := traced(&s, "4713"); got != "output" {
		t.Errorf("a parameter: %s", got)
	}
}

// TestEarlierTyped shows the same of an earlier run of the conversation.
func TestEarlierTyped(t *testing.T) {
	var s grounding.Sources
	s.AddCode(-3, python.Language(), "print('4711', n)")
	s.AddOutput(grounding.Origin{In: grounding.InEarlier, Code: -3}, "4711 4712")
	if got := traced(&s, "4711 4712"); got != "unverified, output" {
		t.Errorf("got %s", got)
	}
}

// TestGeneratedTyping writes a number in every way in which code can only type it, and in
// others that use it, and fills it in or prints it.
func TestGeneratedTyping(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	typed := []string{
		"x = N\nprint(x)", "x = abs(-N)\nprint(x)", "y = N\nx = y\nprint([x])", "d = {'a': N}\nprint(d['a'])", "print('it is N')", "print(f'it is {N}')",
		"x = max(N, 1)\nprint(f'{x:,}')", "l = []\nl.append(N)\nprint(l)", "print('N'.strip())", "x, y = N, 2\nprint(x)", "f = lambda: N\nprint(f())", "x = N if rows else 0\nprint(x)",
		"def f():\n    return N\nprint(f())", "msg = 'it is ' + 'N'\nprint(msg)", "print(\"it is %d\" % N)", "for v in [N]:\n    print(v)", "N", "x = round(N.2)\nx",
	}
	used := []string{
		"x = N\nprint(x, rows[0] * x)", "print(min(len(rows), N), len(rows) > N)", "x = N\nrows = rows[:x]\nprint(x)", "x = len(rows)\nprint(x)", "x = 0\nfor r in rows:\n    x += r\nprint(x)",
		"print(df.query('n > N').n.sum(), 'over N')", "day = date(N, 1, 2)\nprint(day)", "x = 1\nx = sum(r for r in rows)\nprint(x)", "print(int(input()))",
	}
	for i := range 400 {
		n := fmt.Sprint(1000 + random.Intn(9000))
		list, source := typed, "typed 1"
		if i%2 == 1 {
			list, source = used, "output"
		}
		code := strings.ReplaceAll(list[random.Intn(len(list))], "N", n)
		var s grounding.Sources
		s.AddCode(1, python.Language(), code)
		s.AddOutput(grounding.Origin{Step: 1, In: grounding.InStdout}, "it is "+n)
		if strings.Contains(code, "print('"+n) || !strings.Contains(code, "it is ") {
			s = grounding.Sources{}
			s.AddCode(1, python.Language(), code)
			s.AddOutput(grounding.Origin{Step: 1, In: grounding.InStdout}, n)
		}
		if got := traced(&s, "There are "+n+"."); got != source {
			t.Errorf("%s\nprints %s: %s, want %s", code, n, got, source)
		}
	}
}

// TestOperands shows when an expression of literals counts as computed.
func TestOperands(t *testing.T) {
	for _, c := range []struct {
		operands string
		computed bool
	}{{"", true}, {"17\n23", true}, {"17\n24", false}, {"2\n10", true}, {"4711\n0", false}} {
		var s grounding.Sources
		s.AddQuestion(grounding.InQuestion, "What is 17 times 23?")
		tpl, err := grounding.Parse("{{ x }}")
		if err != nil {
			t.Fatal(err)
		}
		got, err := tpl.Fill([]grounding.Value{{Text: "391", Computed: true, Operands: c.operands}}, &s)
		if err != nil || (len(event.Untraced(got.Figures)) == 0) != c.computed {
			t.Errorf("of %q: %+v, %v", c.operands, got, err)
		}
	}
}
