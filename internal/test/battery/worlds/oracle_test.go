package worlds_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/internal/plan"
	"praxis/internal/plan/check"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/plan/value"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// seen is what somebody who sees trusted data alone sees of a call.
type seen struct {
	tool string
	line int
	args []string // by name, sorted; the value of an untrusted one is not seen
}

// view is what is seen of a whole run.
type view struct {
	calls   []seen
	printed string
	end     *plan.End
	unsafe  string // a call that the check proved safe, and that was denied
	total   int    // calls, seen or not
}

// oracle compares the two worlds.
type oracle struct{ options plan.Options }

func newOracle(t testing.TB) oracle {
	t.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	file, err := toolfile.Load("tools.yaml", read("testdata/tools.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := plan.Tools(file)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.Load("policy.yaml", read("testdata/policy.yaml"), tools)
	if err != nil {
		t.Fatal(err)
	}
	return oracle{plan.Options{Tools: tools, Policy: rules, Audit: true}}
}

// reply is what a tool returns in one of the worlds.
func reply(c *plan.Call, world int) (any, error) {
	n := (c.Number + world) % 3
	switch c.Tool.Name {
	case "src.num":
		return int64(n), nil
	case "src.key":
		return "abc"[n : n+1], nil
	case "src.data":
		return []any{int64(n), int64(2), int64(1)}[:1+(n+world)%3], nil
	case "src.rec":
		return jsondoc.NewObject(jsondoc.Member{Name: "k", Value: "abc"[n : n+1]}, jsondoc.Member{Name: "n", Value: int64(n)},
			jsondoc.Member{Name: "l", Value: []any{int64(1), int64(n)}}), nil
	case "src.fails":
		if world == 1 {
			return nil, errors.New("it failed")
		}
	}
	return int64(1), nil
}

// run executes a plan in one of the worlds.
func (o oracle) run(p *plan.Plan, world int) (*view, error) {
	r, err := p.Start(plan.Start{Now: time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC), Limits: value.Limits{Steps: 3_000_000, Memory: 64 << 20, Calls: 200}})
	if err != nil {
		return nil, err
	}
	v := &view{}
	for {
		step, err := r.Next()
		if err != nil {
			return nil, err
		}
		printed, _ := r.Output()
		for _, piece := range printed {
			if piece.Label.Trusted() {
				v.printed += piece.Text
			}
		}
		if step.End != nil {
			v.end = step.End
			return v, nil
		}
		c := step.Call
		v.note(c, p.Check)
		if c.Tool.Name == "act" && c.Decision.Verdict != policy.Allow {
			err = r.Refuse(c.Decision.Reason, c.Decision.Remedy)
		} else if result, failed := reply(c, world); failed != nil {
			err = r.Fail(failed.Error())
		} else {
			_, err = r.Reply(result)
		}
		if err != nil {
			return nil, err
		}
	}
}

// note adds a call.
func (v *view) note(c *plan.Call, r *check.Result) {
	v.total++
	if c.Decision.Verdict != policy.Allow && v.unsafe == "" {
		for _, f := range r.Flows {
			if f.Tool == c.Tool.Name && f.Line == c.Line && f.Col == c.Col && (f.Verdict == check.Safe || f.Verdict == check.Dead) {
				v.unsafe = fmt.Sprintf("line %d: the call of %s was said to be %s, and is denied: %s", c.Line, c.Tool.Name, f.Verdict, untrusted(c))
			}
		}
	}
	if !c.Control.Trusted() {
		return
	}
	s := seen{tool: c.Tool.Name, line: c.Line}
	for name, l := range c.Labels {
		text := "?"
		if l.Trusted() {
			value, _ := c.Arguments.Get(name)
			b, err := jsondoc.Canonical(value)
			if err != nil {
				b = []byte(err.Error())
			}
			text = string(b)
		}
		s.args = append(s.args, name+"="+text)
	}
	slices.Sort(s.args)
	v.calls = append(v.calls, s)
}

// untrusted says what of a call is not trusted.
func untrusted(c *plan.Call) string {
	list := map[string]label.Label{"control": c.Control}
	for name, l := range c.Labels {
		list[name] = l
	}
	var out []string
	for name, l := range list {
		if !l.Trusted() {
			out = append(out, fmt.Sprint(name, " has ", l))
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (s seen) String() string {
	return fmt.Sprintf("line %d: %s(%s)", s.line, s.tool, strings.Join(s.args, ", "))
}

// broken says that a run came to its end before the end of the plan, for a reason that
// is not seen: then less is seen of it, too.
func (v *view) broken() bool {
	return v.end.Status == plan.Limit || v.end.Status == plan.Failed && !v.end.Label.Trusted()
}

// differ says what is seen to differ in the two worlds, "" for nothing.
func differ(a, b *view) string {
	for i := range max(len(a.calls), len(b.calls)) {
		switch {
		case i >= len(a.calls):
			if a.broken() {
				return ""
			}
			return fmt.Sprintf("%s: in the second world alone", b.calls[i])
		case i >= len(b.calls):
			if b.broken() {
				return ""
			}
			return fmt.Sprintf("%s: in the first world alone", a.calls[i])
		case a.calls[i].String() != b.calls[i].String():
			return fmt.Sprintf("%s in the first world, %s in the second", a.calls[i], b.calls[i])
		}
	}
	if a.broken() || b.broken() {
		if !strings.HasPrefix(a.printed, b.printed) && !strings.HasPrefix(b.printed, a.printed) {
			return fmt.Sprintf("prints %q in the first world, %q in the second", a.printed, b.printed)
		}
		return ""
	}
	if a.printed != b.printed {
		return fmt.Sprintf("prints %q in the first world, %q in the second", a.printed, b.printed)
	}
	if a.end.Status != b.end.Status || a.end.Error != b.end.Error {
		return fmt.Sprintf("ends by %s %s in the first world, by %s %s in the second", a.end.Status, a.end.Error, b.end.Status, b.end.Error)
	}
	return ""
}

// tried is what came of one plan in one mode.
type tried struct {
	refused string // by the check or the compiler
	leak    string // what differs between the worlds
	unsafe  string // what was proved safe and is denied
	calls   int
	seen    int
	failed  int // of the worlds
}

// like says whether two plans fail in the same way.
func (r tried) like(o tried) bool {
	way := func(leak string) string {
		for _, w := range []string{"panic", "prints", "ends"} {
			if strings.HasPrefix(leak, w) {
				return w
			}
		}
		return ""
	}
	return (r.leak == "") == (o.leak == "") && (r.unsafe == "") == (o.unsafe == "") && way(r.leak) == way(o.leak)
}

// try runs a plan in both worlds.
func (o oracle) try(src string, strict bool) tried {
	opts := o.options
	opts.Strict = strict
	p, err := plan.Prepare(context.Background(), plan.Source{Name: "plan.py", Text: []byte(src)}, opts)
	if err != nil {
		return tried{refused: err.Error()}
	}
	a, err := o.run(p, 0)
	if err != nil {
		return tried{refused: p.Check.Text() + err.Error()}
	}
	b, err := o.run(p, 1)
	if err != nil {
		return tried{refused: err.Error()}
	}
	out := tried{leak: differ(a, b), unsafe: a.unsafe, calls: a.total + b.total, seen: len(a.calls) + len(b.calls)}
	if out.unsafe == "" {
		out.unsafe = b.unsafe
	}
	for _, v := range []*view{a, b} {
		if v.end.Status != plan.OK {
			out.failed++
		}
	}
	return out
}

// safely is try, where a panic is a leak.
func (o oracle) safely(src string, strict bool) (out tried) {
	defer func() {
		if p := recover(); p != nil {
			out = tried{leak: fmt.Sprint("panic: ", p)}
		}
	}()
	return o.try(src, strict)
}

// shrink takes lines out of a plan for as long as it still fails.
func shrink(src string, fails func(string) bool) string {
	lines := strings.Split(strings.TrimRight(src, "\n"), "\n")
	for again := true; again; {
		again = false
		for size := max(1, len(lines)/2); size >= 1; size /= 2 {
			for i := 0; i+size <= len(lines); {
				less := slices.Concat(lines[:i:i], lines[i+size:])
				if fails(strings.Join(less, "\n") + "\n") {
					lines, again = less, true
				} else {
					i++
				}
			}
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func numbered(src string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(src) {
		n++
		fmt.Fprintf(&b, "%3d  %s", n, line)
	}
	return b.String()
}
