package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"praxis/internal/plan"
	"praxis/internal/tool/jsondoc"
)

const officeTools = `version: 1
tools:
  - name: calendar.read
    version: 1.0.0
    description: Reads.
    effects: read
    labels: {readers: everyone}
    input: {type: object, required: [day], properties: {day: {type: string}}, additionalProperties: false}
    output: {type: string}
  - name: email.send
    version: 1.0.0
    description: Sends.
    effects: read
    labels: {trusted: true, readers: everyone}
    input: {type: object, required: [to], properties: {to: {}}, additionalProperties: false}
    output: {}
`

// calls runs a plan whose tools answer with what they are given; of ask_llm,
// reply. It returns each call with its arguments, then what the plan printed.
func calls(t *testing.T, src string, reply any) string {
	t.Helper()
	p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(src)}, plan.Options{Tools: tools(t, officeTools), Pedantic: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range p.Check.Findings {
		if f.Level == "error" || f.Level == "warning" {
			fmt.Fprintf(&b, "%s %s: %s %s\n", f.Kind, f.Level, f.Message, f.Remedy)
		}
	}
	if !p.Check.Accepted {
		return b.String()
	}
	r, err := p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	for {
		step, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if step.End != nil {
			out, _ := r.Output()
			for _, o := range out {
				b.WriteString(o.Text)
			}
			return b.String() + step.End.Error
		}
		text, _ := jsondoc.Canonical(step.Call.Arguments)
		fmt.Fprintf(&b, "%s %s\n", step.Call.Tool.Name, text)
		var answer any = string(text)
		if step.Call.Tool.Name == plan.QuarantinedModel {
			answer = reply
		}
		if _, err := r.Reply(answer); err != nil {
			t.Fatal(err)
		}
	}
}

// TestImportOfTools lets plans import tools as code in sessions does, and says where
// another import or a name is in the way.
func TestImportOfTools(t *testing.T) {
	const read, sent = "calendar.read {\"day\":\"mon\"}\n", "email.send {\"to\":\"a\"}\n"
	for _, c := range []struct{ src, want string }{
		{"from tools import calendar\ncalendar.read('mon')", read},
		{"from tools import calendar as cal, email\ncal.read('mon')\nemail.send('a')", read + sent},
		{"from tools.calendar import read\nread('mon')", read},
		{"from tools import *\ncalendar.read('mon')", read},
		{"def f():\n  if True:\n    from tools import email as e\n    return e.send('a')\nf()", sent},
		{"from tools import calender", "name error: name 'calender' is not defined Did you mean calendar?\n"},
		{"send_email('a')", "name error: name 'send_email' is not defined Did you mean email.send?\n"},
		{"import tools", "refused error: the module tools is not part of the plan language The names of tools are there without an import.\n"},
		{"import calendar\nprint(calendar.isleap(2024))\ncalendar.read('mon')", "refused error: an import that hides the tools of the same name (calendar) is not part of the plan language Import the module under another name: import calendar as calendar_module.\n"},
	} {
		if got := calls(t, c.src, nil); got != c.want {
			t.Errorf("%s\ngot %s\nwant %s", c.src, got, c.want)
		}
	}
}
