package check_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"praxis/internal/plan/check"
	"praxis/internal/plan/syntax"
)

const usual = `def summary(event):
    return f"{event['title']} with {len(event['guests'])} guests"

events = []
for day in ["2026-01-01", "2026-01-02", today]:
    e = calendar.read(day)
    if e["title"]:
        events.append(e)

lines = [summary(e) for e in events]
total = sum(len(e["guests"]) for e in events)
text = "\n".join(sorted(lines))
address = contacts.find("Bob")
if total > 3:
    text += f"\n{total} guests in all"
else:
    text = text.upper()
parts = {"body": text, "n": total}
email.write(address, parts["body"])
print(total)
`

// BenchmarkCheck checks a plan of 20 lines; parsing is not counted.
func BenchmarkCheck(b *testing.B) {
	w := newWorld(b)
	m, bad := syntax.Parse([]byte(usual), syntax.Options{})
	if len(bad) > 0 {
		b.Fatal(bad[0])
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := check.Check(b.Context(), check.Input{Name: "plan.py", Source: []byte(usual), Module: m, Tools: w.tools, Policy: w.policy})
		if err != nil || !r.Accepted {
			b.Fatal(err, r.Text())
		}
	}
}

// TestBounds checks that programs that are hard to follow end soon, with a result that is wide.
func TestBounds(t *testing.T) {
	w := newWorld(t)
	chain := strings.Builder{}
	chain.WriteString("def f0(x):\n    return x\n")
	for i := 1; i <= 60; i++ {
		fmt.Fprintf(&chain, "def f%d(x):\n    return f%d(x) + f%d(x)\n", i, i-1, i-1)
	}
	chain.WriteString("e = calendar.read('x')['title']\nemail.write('bob', f60(e))\nemail.write(f60(e), 'x')\n")
	many := strings.Builder{}
	for i := range 3000 {
		fmt.Fprintf(&many, "a%d = calendar.read('x')['title']\n", i)
	}
	many.WriteString("t = ''\n")
	for i := range 3000 {
		fmt.Fprintf(&many, "t += a%d\n", i)
	}
	many.WriteString("email.write(t, t)\n")
	nested := strings.Builder{}
	for i := range 18 {
		fmt.Fprintf(&nested, "%sfor x%d in calendar.read('x')['guests']:\n", strings.Repeat(" ", i), i)
	}
	for i := range 18 {
		fmt.Fprintf(&nested, "%sx%d = x%d\n", strings.Repeat(" ", 18), i, (i+1)%18)
	}
	nested.WriteString("email.write(x3, 'x')\n")
	branches := strings.Builder{}
	branches.WriteString("v = 'bob'\n")
	for i := range 15000 {
		fmt.Fprintf(&branches, "if len(today) > %d:\n    a%d = %d\nelse:\n    v = 'ann'\n", i, i, i)
	}
	branches.WriteString("email.write(v, 'x')\n")
	table := "rows = [" + strings.Repeat("{'name': 'x', 'price': 3, 'tags': ['a', 'b']},", 5000) + "]\nemail.write(rows[3]['name'], 'x')\n"
	for _, c := range []struct{ name, src string }{
		{"calls", chain.String()}, {"sources", many.String()}, {"loops", nested.String()}, {"branches", branches.String()}, {"table", table},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				began := time.Now()
				r := w.check(t, c.src, strict)
				lost := ""
				if r.Lost != nil {
					lost = r.Lost.Reason
				}
				t.Logf("strict %v: %v %s", strict, time.Since(began), lost)
				last := r.Flows[len(r.Flows)-1]
				if tainted := c.name == "calls" || c.name == "sources" || c.name == "loops"; tainted && last.Verdict == check.Safe {
					t.Errorf("got %s", brief(r))
				}
				if c.name == "table" && r.Lost == nil && !strings.Contains(brief(r), "2 email.write safe") {
					t.Errorf("got %s", brief(r))
				}
			}
		})
	}
}

// TestCheckEndsWithItsCaller checks that the analysis stops when nobody waits for it any more.
func TestCheckEndsWithItsCaller(t *testing.T) {
	w := newWorld(t)
	src := strings.Repeat("def f(x):\n    return [f(x), f([x])]\nf(calendar.read('x'))\n", 300)
	m, bad := syntax.Parse([]byte(src), syntax.Options{})
	if len(bad) > 0 {
		t.Fatal(bad[0])
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("over")
	cancel(over)
	if _, err := check.Check(ctx, check.Input{Module: m, Source: []byte(src), Tools: w.tools, Policy: w.policy}); !errors.Is(err, over) {
		t.Errorf("got %v", err)
	}
}

// TestRefusedFirst checks that the flows of a program with a feature that the
// language leaves out are not followed.
func TestRefusedFirst(t *testing.T) {
	w := newWorld(t)
	src := "email.write(calendar.read('x')['title'], 'x')\n"
	m, _ := syntax.Parse([]byte(src), syntax.Options{})
	r, err := check.Check(t.Context(), check.Input{Module: m, Source: []byte(src), Tools: w.tools, Policy: w.policy,
		Refused: []syntax.Refusal{{Feature: "the module os", Remedy: "Use a tool."}}})
	if err != nil || r.Accepted || len(r.Flows) > 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}
