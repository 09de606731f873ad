package plans_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// options reads the tools and the policy of testdata.
func options(t testing.TB, strict bool) plan.Options { return optionsIn(t, "testdata/", strict) }

// optionsIn reads those of a folder.
func optionsIn(t testing.TB, folder string, strict bool) plan.Options {
	t.Helper()
	text, err := os.ReadFile(folder + "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file, err := toolfile.Load("tools.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := plan.Tools(file)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile(folder + "policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pol, err := policy.Load("policy.yaml", rules, tools)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Options{Tools: tools, Policy: pol, Strict: strict}
}

// program is one of a file: the line after --- says what it is, the rest is the plan.
type program struct {
	title string
	code  string
	line  int // of its first line in the file
}

func programs(t testing.TB, name string) []program {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []program
	line := 1
	for i, part := range strings.Split("\n"+string(text), "\n--- ") {
		title, code, _ := strings.Cut(part, "\n")
		if i > 0 {
			out = append(out, program{title, code + "\n", line + 1})
		}
		line += strings.Count(part, "\n") + 1
	}
	return out
}

var clock = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)

// start is what every program is started with.
func start() plan.Start { return plan.Start{Now: clock} }

// answers makes up results: from the examples of a tool, and for the quarantined
// model the simplest value that the schema allows.
func answer(c *plan.Call) (any, error) {
	if c.Tool.Name != plan.QuarantinedModel {
		if v, ok := c.Tool.Rehearse(c.Arguments); ok {
			return v, nil
		}
		return "done", nil
	}
	s, err := c.ReplySchema()
	if err != nil {
		return nil, err
	}
	for _, v := range []any{"a short text", int64(3), 3.5, true, []any{}, jsondoc.NewObject()} {
		if s.Validate(v) == nil {
			return v, nil
		}
	}
	if enum := s.Type().Enum; len(enum) > 0 {
		return enum[0], nil
	}
	o := jsondoc.NewObject()
	for _, p := range s.Type().Properties {
		o.Set(p.Name, nil)
	}
	for _, p := range s.Type().Properties {
		for _, v := range []any{"a short text", int64(3), 3.5, true, []any{}} {
			o.Set(p.Name, v)
			if m := s.Validate(o); m == nil || !strings.HasPrefix(string(m.Path), "/"+p.Name) {
				break
			}
		}
	}
	if m := s.Validate(o); m != nil {
		return nil, m
	}
	return o, nil
}

// ran is what a program did.
type ran struct {
	refused  string   // by the check: its text
	verdicts []string // of the calls: "line tool verdict"
	refusals []string // those that were not allowed
	output   string
	end      *plan.End
}

// run executes a program. Calls that need an approval are refused.
func run(t testing.TB, code string, o plan.Options) ran {
	t.Helper()
	var out ran
	p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(code)}, o)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Check.Accepted {
		out.refused = p.Check.Text()
		return out
	}
	r, err := p.Start(start())
	if err != nil {
		t.Fatal(err)
	}
	for {
		step, err := r.Next()
		if err != nil {
			t.Fatalf("%v\n%s", err, code)
		}
		printed, _ := r.Output()
		for _, piece := range printed {
			out.output += piece.Text
		}
		if step.End != nil {
			out.end = step.End
			return out
		}
		c := step.Call
		verdict := c.Tool.Name + " " + c.Decision.Verdict.String()
		out.verdicts = append(out.verdicts, verdict)
		if c.Decision.Verdict != policy.Allow {
			out.refusals = append(out.refusals, verdict+": "+c.Decision.Reason)
			err = r.Refuse(c.Decision.Reason, c.Decision.Remedy)
		} else if v, failed := answer(c); failed != nil {
			err = r.Fail(failed.Error())
		} else if _, err = r.Reply(v); err != nil {
			err = errors.Join(errors.New("the answer does not fit"), err)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, code)
		}
	}
}

// write writes a file that a person asked for by a flag.
func write(t testing.TB, name, text string) {
	t.Helper()
	if name == "" {
		return
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
