package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"praxis/internal/plan"
	"praxis/internal/plan/policy"
	"praxis/internal/tool/jsondoc"
)

// TestPlainErrors says of an error what quotes no data, where the error as a whole
// depends on what is not trusted.
func TestPlainErrors(t *testing.T) {
	const got = "x = ask_llm('q', schema={'type': 'object'})\n"
	for _, c := range []struct{ src, want string }{
		{"x['nope']", "KeyError: 'nope'"},
		{"x[x['k']]", "KeyError: "},
		{"k = 'a' + x['k']\n{}[k]", "KeyError: "},
		{"try:\n  x['nope']\nexcept KeyError as e:\n  raise e", "KeyError: "},
		{"email.send(set(x))", "TypeError: Object of type set is not JSON serializable"},
		{"email.send([x['k'], b''])", "TypeError: Object of type bytes is not JSON serializable"},
		{"calendar.read(x['n'])", "ToolError: cannot call calendar.read: arguments: /day: expected a string"},
		{"import json\ncalendar.read(json.loads('7'))", "ToolError: cannot call calendar.read: arguments: /day: expected a string, got integer 7; write \"7\""},
		{"calendar.read(x['k'])", "PermissionError: calendar.read was not called: nobody was asked"},
		{"raise ValueError(x['k'])", "ValueError: "},
		{"int(x['k'])", "ValueError: "},
	} {
		p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(got + c.src)}, plan.Options{Tools: tools(t, officeTools)})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
		if err != nil {
			t.Fatal(p.Check.Text(), err)
		}
		for {
			step, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if step.End != nil {
				if have := fmt.Sprintf("%s: %s", step.End.Class, step.End.Plain); have != c.want {
					t.Errorf("%s: got %s, want %s (%s)", c.src, have, c.want, step.End.Error)
				}
				break
			}
			if step.Call.Tool.Name == plan.QuarantinedModel {
				v, _ := jsondoc.Decode([]byte(`{"k": "secret", "n": 3}`))
				_, err = r.Reply(v)
			} else {
				err = r.Refuse("nobody was asked", "")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestDatesAsArguments makes text of dates that tools are called with, as code in
// sessions does, under the labels of their parts.
func TestDatesAsArguments(t *testing.T) {
	const dates = "from datetime import date, datetime, time, timedelta, timezone, tzinfo\n"
	for _, c := range []struct{ src, want string }{
		{"date(2026, 5, 4)", `"2026-05-04"`},
		{"datetime(2026, 5, 4, 9, 30, tzinfo=timezone.utc)", `"2026-05-04T09:30:00+00:00"`},
		{"[time(9, 30), {'day': date(2026, 5, 4)}]", `["09:30:00",{"day":"2026-05-04"}]`},
		{"datetime(2026, 5, 4, tzinfo=Z())", "TypeError: a time zone is a datetime.timezone, a zoneinfo.ZoneInfo or None, not of the class Z"},
		{"timedelta(1)", "TypeError: Object of type datetime.timedelta is not JSON serializable"},
	} {
		zone := "class Z(tzinfo):\n  def utcoffset(self, d): return timedelta(hours=1)\n"
		got := calls(t, dates+zone+"email.send("+c.src+")", nil)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.src, got, c.want)
		}
	}
	src := dates + "d = datetime.fromisoformat(ask_llm('q'))\nemail.send(d)\nemail.send(date(2026, 5, 4))"
	for _, strict := range []bool{false, true} {
		set := tools(t, officeTools)
		p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(src)}, plan.Options{Tools: set, Policy: policy.Empty(set), Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
		if err != nil {
			t.Fatal(p.Check.Text(), err)
		}
		var trusted []bool
		for {
			step, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if step.End != nil {
				break
			}
			for _, f := range p.Check.Flows {
				for _, s := range step.Call.Control.Sources {
					if f.Line == step.Call.Line && !f.Control.Has(s) && !f.Anything {
						t.Errorf("line %d: control has %v, foreseen %v", f.Line, s, f.Control)
					}
				}
			}
			if step.Call.Tool.Name == "email.send" {
				trusted = append(trusted, step.Call.Labels["to"].Trusted())
			}
			if _, err := r.Reply("2026-05-04"); err != nil {
				t.Fatal(err)
			}
		}
		if len(trusted) != 2 || trusted[0] || !strict && !trusted[1] {
			t.Errorf("strict %v: trusted %v", strict, trusted)
		}
	}
}
