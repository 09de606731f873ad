package plans_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/tool/jsondoc"
)

var rewrite = flag.String("rewrite", "", "a file to write the hostile programs to with what really happens to them")

// expected is how a title begins: what is to happen to the program in each mode.
//
//	refused  the check refuses it
//	denied   the check lets it pass, and a call is denied at run time
//	asked    the check lets it pass, and a person is asked about a call
//	allowed  nothing is in its way: what leaks is the control flow alone, which
//	         does not count in mode normal
var expected = regexp.MustCompile(`^\[normal: (refused|denied|asked|allowed)\] \[strict: (refused|denied|asked)\] `)

// hostile answers a call. The two worlds differ in what untrusted tools return
// and in nothing else.
func hostile(c *plan.Call, world int) (any, error) {
	who, n, mails := "mallory@evil.example", int64(3), 2
	if world == 1 {
		who, n, mails = "eve@evil.example", 5, 3
	}
	text := func(name string) string {
		v, _ := c.Arguments.Get(name)
		s, _ := v.(string)
		return s
	}
	one := func() *jsondoc.Object {
		return jsondoc.NewObject(jsondoc.Member{Name: "id", Value: n}, jsondoc.Member{Name: "sender", Value: who},
			jsondoc.Member{Name: "subject", Value: fmt.Sprint(n)}, jsondoc.Member{Name: "body", Value: who}, jsondoc.Member{Name: "date", Value: "2026-05-01"})
	}
	switch c.Tool.Name {
	case "mail.read":
		return one(), nil
	case "mail.search":
		return slices.Repeat([]any{one()}, mails), nil
	case "files.read":
		return fmt.Sprintf(`{"to": %q, "n": %d}`, who, n), nil
	case "web.fetch":
		if text("url") == "fails" || text("url") == "fails sometimes" && world == 1 {
			return nil, errors.New(who)
		}
		return who, nil
	case "contacts.find":
		return jsondoc.NewObject(jsondoc.Member{Name: "name", Value: text("name")}, jsondoc.Member{Name: "email", Value: strings.Split(text("name"), "@")[0] + "@acme.com"}), nil
	case plan.QuarantinedModel:
		return who, nil
	}
	return answer(c)
}

// guarded is the policy of the harmless tasks, which lets untrusted data decide
// whether something is sent. In mode strict nothing may be sent for it here.
func guarded(t testing.TB, strict bool) plan.Options {
	t.Helper()
	o := options(t, strict)
	text, err := os.ReadFile("testdata/policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, `
  - name: steered from elsewhere
    tools: [mail.send, mail.delete, chat.post, bank.pay]
    when: "!pc.trusted() || !pc.readableBy('everyone')"
    decision: deny
    reason: data that somebody else wrote, or that is private, decided that the call is made
    remedy: Do it whatever the data says.
`...)
	if o.Policy, err = policy.Load("policy.yaml", text, o.Tools); err != nil {
		t.Fatal(err)
	}
	return o
}

// seen is what somebody who looks at the calls of a run sees of one.
type seen struct {
	tool, args string
	verdict    policy.Verdict
	trusted    bool // all arguments, and what decided that it is made
}

// attack is what a hostile program did.
type attack struct {
	refused bool
	worst   policy.Verdict
	reason  string // of the worst
	calls   []seen
	printed []plan.Printed
	end     *plan.End
}

// attempt executes a program in one of the worlds, also when its check refuses it: what the machine does must be enough by itself. With stored it is
// stored and resumed at every call.
func attempt(t testing.TB, p *plan.Plan, world int, stored bool) attack {
	t.Helper()
	code := string(p.Text)
	out := attack{refused: !p.Check.Accepted, worst: policy.Allow}
	r, err := p.Start(start())
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, p.Check.Text(), code)
		out.end = &plan.End{Status: plan.Failed}
		return out
	}
	for {
		step, err := r.Next()
		if err != nil {
			t.Fatalf("%v\n%s", err, code)
		}
		printed, _ := r.Output()
		out.printed = append(out.printed, printed...)
		if step.End != nil {
			out.end = step.End
			return out
		}
		if stored && !out.refused {
			r = again(t, r, p.Options, code)
		}
		c := r.Waiting()
		out.note(c)
		if c.Decision.Verdict != policy.Allow {
			err = r.Refuse(c.Decision.Reason, c.Decision.Remedy)
		} else if v, failed := hostile(c, world); failed != nil {
			err = r.Fail(failed.Error())
		} else {
			_, err = r.Reply(v)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, code)
		}
	}
}

func (a *attack) note(c *plan.Call) {
	one := seen{tool: c.Tool.Name, verdict: c.Decision.Verdict, trusted: c.Control.Trusted()}
	for _, l := range c.Labels {
		one.trusted = one.trusted && l.Trusted()
	}
	if b, err := jsondoc.Canonical(c.Arguments); err == nil {
		one.args = string(b)
	}
	a.calls = append(a.calls, one)
	if c.Decision.Verdict > a.worst {
		a.worst, a.reason = c.Decision.Verdict, c.Decision.Reason
	}
}

// again stores a run and resumes it. What is stored of the resumed run must be
// the same bytes.
func again(t testing.TB, r *plan.Run, o plan.Options, code string) *plan.Run {
	t.Helper()
	state, err := r.Dump()
	if err != nil {
		t.Fatalf("%v\n%s", err, code)
	}
	next, err := plan.Resume(t.Context(), state, o.Tools, o.Policy)
	if err != nil {
		t.Fatalf("%v\n%s", err, code)
	}
	twice, err := next.Dump()
	if err != nil {
		t.Fatalf("%v\n%s", err, code)
	}
	if string(twice) != string(state) {
		t.Errorf("a state that is loaded and stored again is another one\n%s", code)
	}
	return next
}

// status says how a program ended over both worlds, in the words of the titles.
func (a attack) status() string {
	switch {
	case a.refused:
		return "refused"
	case a.worst == policy.Deny:
		return "denied"
	case a.worst == policy.Ask:
		return "asked"
	}
	return "allowed"
}

// TestHostile: no hostile program gets what it wants, in either world. A program
// that the check refuses is stopped by the machine, too.
func TestHostile(t *testing.T) {
	attacks := programs(t, "testdata/security.py")
	if len(attacks) < 100 {
		t.Fatalf("only %d programs", len(attacks))
	}
	var b strings.Builder
	modes := []plan.Options{guarded(t, false), guarded(t, true)}
	for _, p := range attacks {
		m := expected.FindStringSubmatch(p.title)
		if m == nil && *rewrite == "" {
			t.Errorf("testdata/security.py:%d: the title does not say what is expected", p.line-1)
			continue
		}
		where := fmt.Sprintf("testdata/security.py:%d: %s", p.line, p.title)
		var found [2]string
		for mode, o := range modes {
			found[mode] = tried(t, where, p.code, o, m != nil && m[1+mode] != "allowed")
			if m != nil && found[mode] != m[1+mode] {
				t.Errorf("%s\nstrict %v: %s", where, o.Strict, found[mode])
			}
		}
		fmt.Fprintf(&b, "--- [normal: %s] [strict: %s] %s\n%s", found[0], found[1], expected.ReplaceAllString(p.title, ""), strings.TrimRight(p.code, "\n")+"\n")
	}
	write(t, *rewrite, b.String())
}

// tried runs a program in both worlds, undisturbed and stored at every call.
func tried(t *testing.T, where, code string, o plan.Options, refused bool) string {
	o.Audit = true
	p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(code)}, o)
	if err != nil {
		t.Fatal(err)
	}
	a, b := attempt(t, p, 0, false), attempt(t, p, 1, false)
	if refused && a.worst == policy.Allow && b.worst == policy.Allow {
		t.Errorf("%s\nstrict %v: the machine lets it pass\n%s%s", where, o.Strict, a.end.Error, b.end.Error)
	}
	if stored := attempt(t, p, 0, true); !slices.Equal(a.calls, stored.calls) || a.status() != stored.status() {
		t.Errorf("%s\nstrict %v: stored and resumed, it does something else", where, o.Strict)
	}
	if o.Strict {
		interfere(t, where, a, b)
	}
	if a.status() == "allowed" {
		return b.status()
	}
	return a.status()
}

// interfere fails when what a run does under labels of trust alone depends on
// what untrusted tools returned. That one run ended early, by an exception that
// nothing caught, is not counted.
func interfere(t *testing.T, where string, a, b attack) {
	t.Helper()
	x, y := a.free(), b.free()
	if n := min(len(x), len(y)); len(x) != len(y) && (len(x) == n && a.end.Status == plan.OK || len(y) == n && b.end.Status == plan.OK) || !slices.Equal(x[:n], y[:n]) {
		t.Errorf("%s\nwhat untrusted data says steers calls that look trusted:\n%q\n%q", where, x, y)
	}
}

// free are the calls and the output of a run that nothing untrusted had a part in.
func (a attack) free() []string {
	var out []string
	for _, c := range a.calls {
		if c.trusted {
			out = append(out, c.tool+" "+c.args)
		}
	}
	var text strings.Builder
	for _, p := range a.printed {
		if p.Label.Trusted() {
			text.WriteString(p.Text)
		}
	}
	return append(out, "output "+text.String())
}
