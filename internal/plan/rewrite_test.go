package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/internal/plan"
	"praxis/internal/plan/check"
	"praxis/internal/plan/policy"
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
		{"from tools import email as e\ne.sned('a')", "name error: there is no tool email.sned Did you mean email.send?\n"},
		{"from tools import email as e\ne.send(too='a')", "arguments error: email.send() got an unexpected keyword argument 'too'. Did you mean 'to'? Call it as email.send(to).\n"},
		{"x = email.sned", "name error: there is no tool email.sned Did you mean email.send?\n"},
		{"def f():\n  email = email.send('a')\nf()", "value error: email is a variable of this function, which has no value yet It hides the tools of that name: give it another.\n"},
		{"for email in ['a']:\n  email.send(email)", "value error: str has no attribute send It hides the tools of that name: give it another.\n"},
		{"email = email.send('a')", sent},
		{"print(today())", "value error: today is no function: it is str It is the value itself: write today.\n"},
		{"import datetime\ndatetime.now()", "refused error: datetime.now is not part of the plan language datetime is the module here; the class is datetime.datetime.\n"},
		{"ask_llm('q', schema={'type': 'strng'})", "value error: cannot call ask_llm: schema:1:9: type: expected the name of a type, got \"strng\" Did you mean \"string\"?\n"},
		{"import email", "refused error: the module email is not part of the plan language The tools of that name are there without an import.\n"},
		{"import tools", "refused error: the module tools is not part of the plan language The names of tools are there without an import.\n"},
		{"import calendar\nprint(calendar.isleap(2024))\ncalendar.read('mon')", "refused error: an import that hides the tools of the same name (calendar) is not part of the plan language Import the module under another name: import calendar as calendar_module.\n"},
	} {
		if got := calls(t, c.src, nil); got != c.want {
			t.Errorf("%s\ngot %s\nwant %s", c.src, got, c.want)
		}
	}
}

const classes = `from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum, StrEnum, auto
from typing import Annotated, Literal
class Kind(Enum):
    BILL = "bill"
    NOTE = "note"
class Size(StrEnum):
    SMALL = auto()
Level = Annotated[int, range(0, 10)]
@dataclass
class Line:
    text: str
    price: Decimal
@dataclass
class Bill:
    """A bill."""
    kind: Kind
    due: date | None
    lines: list[Line]
    level: Level = 0
`

// TestTypedReplies gives ask_llm types for schemas, and gets values of them.
func TestTypedReplies(t *testing.T) {
	reply := func(text string) any {
		v, err := jsondoc.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	bill := `{"kind":"note","due":"2026-05-04","lines":[{"text":"a","price":"1.50"}],"level":3}`
	schema := `{"additionalProperties":false,"description":"A bill.","properties":{"due":{"anyOf":[{"format":"date","type":"string"},{"type":"null"}]},"kind":{"enum":["bill","note"]},` +
		`"level":{"exclusiveMaximum":10,"minimum":0,"type":"integer"},"lines":{"items":{"additionalProperties":false,"properties":{"price":{"pattern":"^-?[0-9]{1,30}(\\.[0-9]{1,30})?$","type":"string"},` +
		`"text":{"type":"string"}},"required":["text","price"],"type":"object"},"type":"array"}},"required":["kind","due","lines","level"],"type":"object"}`
	call := func(schema string) string { return `ask_llm {"data":null,"question":"q","schema":` + schema + "}\n" }
	for _, c := range []struct{ src, reply, want string }{
		{"print(ask_llm('q', schema=Bill))", bill, call(schema) + "Bill(kind=<Kind.NOTE: 'note'>, due=datetime.date(2026, 5, 4), lines=[Line(text='a', price=Decimal('1.50'))], level=3)\n"},
		{"b = ask_llm('q', None, list[Kind])\nprint(b[0] is Kind.BILL)", `["bill"]`, call(`{"items":{"enum":["bill","note"]},"type":"array"}`) + "True\n"},
		{"print(repr(ask_llm('q', schema=Size)))", `"small"`, call(`{"enum":["small"]}`) + "<Size.SMALL: 'small'>\n"},
		{"print(ask_llm('q', schema=Literal['a', 'b']))", `"b"`, call(`{"enum":["a","b"]}`) + "b\n"},
		{"print(ask_llm('q', schema=Level | None) + 1)", "4", call(`{"anyOf":[{"exclusiveMaximum":10,"minimum":0,"type":"integer"},{"type":"null"}]}`) + "5\n"},
		{"async def f():\n  return await ask_llm('q', schema=Line | None)\nimport asyncio\nprint(asyncio.run(f()))", "null", ""},
		{"print(ask_llm('q', schema={'type': 'integer'}))", "4", call(`{"type":"integer"}`) + "4\n"},
		{"print(ask_llm('q', schema=Bill).lines.text)", "", "value error: list has no attribute text Go through its items, and read members as [\"…\"].\n"},
		{"b = ask_llm('q', schema=Bill)\nemail.send(b.lin)", "", "value error: objects of the class Bill have no attribute lin \n"},
		{"b = ask_llm('q', schema=Bill)\nprint('at ' + b.level)", "", "value error: unsupported operands for +: str and a number Convert one of them: int(…), float(…), str(…).\n"},
		{"b = ask_llm('q', schema=Bill)\ncalendar.read(b.level)", "", "value error: cannot call calendar.read: arguments: /day: expected string, got number or boolean Call it as calendar.read(day).\n"},
		{"for l in ask_llm('q', schema=list[Line]): print(l['text'])", "", "value error: objects of the class Line have no items Read a field as an attribute: x.field.\n"},
		{"@dataclass\nclass R:\n  inner: R\nask_llm('q', schema=R)", "", "refused error: a class within itself in the type of a reply is not part of the plan language Write the inner part as dict, or ask for it in a second call.\n"},
		{"class R: pass\nask_llm('q', schema=R)", "", "refused error: the class R in the type of a reply is not part of the plan language Make it a dataclass: @dataclass above the class, and a type for each field.\n"},
		{"def f(c): return ask_llm('q', schema=c)\nf(Bill)", "", "value error: cannot call ask_llm: a class is no schema here Define it at the outer level, and name it in the call itself: ask_llm(…, schema=Name).\n"},
		{"type R = list[R]\nask_llm('q', schema=R)", "", "refused error: so much in the type of a reply is not part of the plan language Ask for less at once.\n"},
	} {
		answer := any(nil)
		if c.reply != "" {
			answer = reply(c.reply)
		}
		if got := calls(t, classes+c.src, answer); got != c.want && !(c.want == "" && strings.HasSuffix(got, "None\n")) {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestTypedRepliesLabels lets each field of a typed reply have the label of its own.
func TestTypedRepliesLabels(t *testing.T) {
	set := tools(t, officeTools)
	rules, err := policy.Load("policy.yaml", []byte("version: 1\nlower: [{name: kinds, tools: [ask_llm], output: [enum], reason: one of few words}]\n"), set)
	if err != nil {
		t.Fatal(err)
	}
	src := classes + "b = ask_llm('q', schema=Bill)\nemail.send(b.kind.value)\nemail.send(b.lines[0].text)\nemail.send(b.due)\n"
	for _, strict := range []bool{false, true} {
		p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(src)}, plan.Options{Tools: set, Policy: rules, Strict: strict})
		if err != nil || !p.Check.Accepted {
			t.Fatal(err, p.Check.Text())
		}
		r, err := p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
		if err != nil {
			t.Fatal(err)
		}
		reply, _ := jsondoc.Decode([]byte(`{"kind":"note","due":null,"lines":[{"text":"a","price":"1.50"}],"level":3}`))
		var got []bool
		for {
			step, err := r.Next()
			if err != nil || step.End != nil {
				if err != nil || step.End.Status != plan.OK {
					t.Error(err, step.End)
				}
				break
			}
			answer := reply
			if step.Call.Tool.Name == "email.send" {
				answer = "sent"
				got = append(got, step.Call.Labels["to"].Trusted())
			}
			if _, err := r.Reply(answer); err != nil {
				t.Fatal(err)
			}
		}
		if want := []bool{true, false, false}; !strict && !slices.Equal(got, want) {
			t.Errorf("trusted: got %v, want %v", got, want)
		}
	}
}

// TestLoweredItems lets a plan go over a short list of narrow items, and of no other.
func TestLoweredItems(t *testing.T) {
	set := tools(t, officeTools)
	rules, err := policy.Load("policy.yaml", []byte(`version: 1
rules: [{name: not trusted, tools: [email.send], when: "!args.to.trusted() || !pc.trusted()", decision: deny, reason: others wrote it, remedy: Send something else.}]
lower: [{name: kinds, tools: [ask_llm], output: [enum], reason: one of few words}]
`), set)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		schema string
		to     string
		reply  string
		safe   bool
	}{
		{"{'type': 'array', 'maxItems': 3, 'items': {'enum': ['a', 'b']}}", "x", `["a","b"]`, true},
		{"Annotated[list[Literal['a', 'b']], {'maxItems': 3}]", "x", `["a","b"]`, true},
		{"{'type': 'array', 'maxItems': 3, 'items': {'type': 'object', 'required': ['k', 't'], 'additionalProperties': False, 'properties': {'k': {'enum': ['a', 'b']}, 't': {'type': 'string'}}}}", "x['k']", `[{"k":"a","t":"x"}]`, true},
		{"{'type': 'array', 'maxItems': 3, 'items': {'type': 'object', 'required': ['k', 't'], 'additionalProperties': False, 'properties': {'k': {'enum': ['a', 'b']}, 't': {'type': 'string'}}}}", "x['t']", `[{"k":"a","t":"x"}]`, false},
		{"{'type': 'array', 'items': {'enum': ['a', 'b']}}", "x", `["a","b"]`, false},
		{"{'type': 'array', 'maxItems': 100, 'items': {'enum': ['a', 'b']}}", "x", `["a","b"]`, false},
		{"{'type': 'array', 'maxItems': 3, 'items': {'type': 'string'}}", "x", `["a","b"]`, false},
	} {
		src := "from typing import Annotated, Literal\nfor x in ask_llm('q', schema=" + c.schema + "):\n    email.send(" + c.to + ")\n"
		for _, strict := range []bool{false, true} {
			p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(src)}, plan.Options{Tools: set, Policy: rules, Strict: strict, Audit: true})
			if err != nil {
				t.Fatal(err)
			}
			if !p.Check.Accepted && !c.safe {
				continue // it is known before the run
			}
			for _, f := range p.Check.Flows {
				if got := f.Verdict == check.Safe; f.Tool == "email.send" && got != c.safe {
					t.Errorf("%s, strict %t: proved safe is %t", src, strict, got)
				}
			}
			r, err := p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
			answer, _ := jsondoc.Decode([]byte(c.reply))
			if _, err := r.Reply(answer); err != nil {
				t.Fatal(err)
			}
			step, err := r.Next()
			if err != nil || step.Call == nil {
				t.Fatal(err, step.End)
			}
			if got := step.Call.Decision.Verdict == policy.Allow; got != c.safe {
				t.Errorf("%s, strict %t: allowed is %t", src, strict, got)
			}
		}
	}
}

// TestNumberOfCalls: a decision that looks at the number of the call depends on why
// calls were made before it, also where they were not.
func TestNumberOfCalls(t *testing.T) {
	set := tools(t, officeTools)
	src := "if ask_llm('q', schema={'type': 'integer'}) > 1:\n    ask_llm('again')\nemail.send('a')\n"
	for when, trusted := range map[string]bool{"call.number < 3": false, "true": true} {
		rules, err := policy.Load("policy.yaml", []byte("version: 1\nrules: [{name: few, tools: [email.send], when: "+when+", decision: allow, reason: few}]\n"), set)
		if err != nil {
			t.Fatal(err)
		}
		for _, reply := range []int64{1, 2} {
			p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(src)}, plan.Options{Tools: set, Policy: rules, Strict: true, Audit: true})
			if err != nil || !p.Check.Accepted {
				t.Fatal(err, p.Check.Text())
			}
			r, err := p.Start(plan.Start{Now: time.Unix(1_790_000_000, 0).UTC()})
			if err != nil {
				t.Fatal(err)
			}
			for {
				step, err := r.Next()
				if err != nil || step.Call == nil {
					t.Fatal(err, step.End)
				}
				if step.Call.Tool.Name == "email.send" {
					if got := step.Call.Control.Trusted(); got != trusted {
						t.Errorf("when %s, reply %d: control is trusted: %t", when, reply, got)
					}
					break
				}
				answer := any(reply)
				if step.Call.Number == 2 {
					answer = "x"
				}
				if _, err := r.Reply(answer); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestPrivateWords releases no words of a schema that only some may read.
func TestPrivateWords(t *testing.T) {
	set := tools(t, strings.Replace(officeTools, "labels: {readers: everyone}", "labels: {trusted: true, readers: [ann]}", 1))
	rules, err := policy.Load("policy.yaml", []byte(`version: 1
rules: [{name: public, tools: [email.send], when: "!args.to.readableBy('bob')", decision: deny, reason: Bob reads it, remedy: Send something else.}]
lower: [{name: kinds, tools: [ask_llm], output: [enum], readers: everyone, reason: one of few words}]
`), set)
	if err != nil {
		t.Fatal(err)
	}
	for words, denied := range map[string]bool{"'a'": false, "calendar.read('mon') if today > '2000' else 'a'": true} {
		src := "word = " + words + "\nemail.send(ask_llm('q', schema={'enum': [word]}))\n"
		p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(src)}, plan.Options{Tools: set, Policy: rules})
		if err != nil || !p.Check.Accepted {
			t.Fatal(err, p.Check.Text())
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
				break
			}
			if step.Call.Tool.Name == "email.send" {
				if got := step.Call.Decision.Verdict == policy.Deny; got != denied {
					t.Errorf("%s: denied is %t, want %t", words, got, denied)
				}
				break
			}
			if _, err := r.Reply("a"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestTypedRepliesBound reads definitions that double with each name in bounded time.
func TestTypedRepliesBound(t *testing.T) {
	for _, last := range []string{"5 | 5", "int | int"} {
		src := "X0 = " + last + "\n"
		for i := range 40 {
			src += fmt.Sprintf("X%d = X%d | X%d\n", i+1, i, i)
		}
		p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(src + "ask_llm('q', schema=X40)")}, plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if last == "int | int" && p.Check.Accepted {
			t.Error("it was accepted")
		}
	}
}
