package plan_test

import (
	"fmt"
	"testing"
	"time"

	"praxis/internal/plan"
	"praxis/internal/plan/label"
	"praxis/internal/plan/policy"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// partTools have results whose parts have labels of their own.
const partTools = `version: 1
me: me@acme.com
tools:
  - name: events
    version: 1.0.0
    effects: read
    input: {type: object, properties: {x: {}}}
    labels: {readers: everyone, fields: {"/*/title": {readers: [me]}}}
    output:
      type: array
      items:
        type: object
        required: [title, guests]
        additionalProperties: false
        x-readers: {from: result, path: /guests}
        properties: {title: {type: string}, note: {type: string}, guests: {type: array, x-trusted: true, items: {type: string}}}
  - name: opened
    version: 1.0.0
    effects: read
    input: {type: object, properties: {}}
    output: {type: object, properties: {who: {type: string, x-trusted: true}}}
    labels: {readers: everyone}
  - name: card
    version: 1.0.0
    effects: read
    input: {type: object, properties: {}}
    output: {type: object, additionalProperties: false, properties: {mail: {type: string}, note: {type: string, x-trusted: false}}}
    labels: {trusted: true, readers: everyone}
  - name: put
    version: 1.0.0
    effects: pure
    input: {type: object, required: [v], properties: {v: {}}}
`

func partSet(t *testing.T) *tool.Set {
	t.Helper()
	file, err := toolfile.Load("tools.yaml", []byte(partTools))
	if err != nil {
		t.Fatal(err)
	}
	set, err := plan.Tools(file)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestParts: what a plan reads out of a part has the label of that part, and the
// check says so before.
func TestParts(t *testing.T) {
	set := partSet(t)
	pol, err := policy.Load("policy.yaml", []byte(`version: 1
rules:
  - {name: no, tools: [put], when: "!args.v.trusted()", decision: deny, reason: r, remedy: r}
`), set)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]string{
		"events": `[{"title": "x", "note": "n", "guests": ["ann@acme.com", "me@acme.com"]}, {"title": "y", "guests": ["bob@acme.com"]}]`,
		"opened": `{"who": "ann", "other": 1}`, "card": `{"mail": "a", "note": "b"}`,
	}
	for _, c := range []struct {
		expr    string
		trusted bool
		readers string
		before  string // what the check says
	}{
		{"events()[0]['guests']", true, "ann@acme.com, me@acme.com", "safe"},
		{"events()[0]['guests'][1]", true, "ann@acme.com, me@acme.com", "safe"},
		{"[g for e in events() for g in e['guests']]", true, "nobody", "safe"},
		{"next(e for e in events() if e['title'] == 'y')['guests']", true, "bob@acme.com", "possible"},
		{"events()[0]['note']", false, "ann@acme.com, me@acme.com", "violation"},
		{"events()[0].get('note', '')", false, "ann@acme.com, me@acme.com", "possible"},
		{"events()[0]['title']", false, "me@acme.com", "violation"},
		{"events()[0]", false, "me@acme.com", "possible"},
		{"events()[0]['guests'][0] + events()[0]['note']", false, "ann@acme.com, me@acme.com", "violation"},
		{"len(events())", true, "everyone", "safe"},
		{"opened()['who']", false, "everyone", "possible"}, // it has a member that nobody declared
		{"card()['mail']", true, "everyone", "safe"},
		{"card()['note']", false, "everyone", "violation"},
		{"card()", false, "everyone", "possible"},
		{"str(card())", false, "everyone", "possible"},
	} {
		p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte("put(" + c.expr + ")")}, plan.Options{Tools: set, Policy: pol, Audit: true})
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, flow := range p.Check.Flows {
			if flow.Tool == "put" {
				said = string(flow.Verdict)
			}
		}
		if said != c.before {
			t.Errorf("%s: the check says %q, want %q", c.expr, said, c.before)
		}
		l, verdict := putLabel(t, p, results)
		if l.Trusted() != c.trusted || l.Readers.String() != c.readers {
			t.Errorf("%s: %s, want trusted %v and %s", c.expr, l, c.trusted, c.readers)
		}
		if (verdict == policy.Allow) != c.trusted {
			t.Errorf("%s: %s", c.expr, verdict)
		}
	}
}

// putLabel executes a plan up to its call of put.
func putLabel(t *testing.T, p *plan.Plan, results map[string]string) (label.Label, policy.Verdict) {
	t.Helper()
	r, err := p.Start(plan.Start{Now: time.Unix(0, 0)})
	for err == nil {
		var step plan.Step
		if step, err = r.Next(); err != nil {
			break
		}
		if step.End != nil {
			t.Fatalf("%s\n%s", p.Text, step.End.Error)
		}
		if step.Call.Tool.Name == "put" {
			return step.Call.Labels["v"], step.Call.Decision.Verdict
		}
		var v any
		if v, err = jsondoc.Decode([]byte(results[step.Call.Tool.Name])); err == nil {
			_, err = r.Reply(v)
		}
	}
	t.Fatal(err)
	return label.Label{}, 0
}

// TestPartsOfOthers: what a result says of itself makes it less trusted, in its parts, too.
func TestPartsOfOthers(t *testing.T) {
	set := partSet(t)
	p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte("put(events()[0]['guests'])")}, plan.Options{Tools: set, Policy: policy.Empty(set)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Start(plan.Start{Now: time.Unix(0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = r.Next(); err != nil {
		t.Fatal(err)
	}
	v, err := jsondoc.Decode([]byte(`[{"title": "x", "guests": ["ann@acme.com"]}]`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = r.Reply(tool.Labelled{Value: v, Trusted: new(bool), Readers: []string{"bob"}}); err != nil {
		t.Fatal(err)
	}
	step, err := r.Next()
	if err != nil || step.Call == nil {
		t.Fatal(step, err)
	}
	if l := step.Call.Labels["v"]; l.Trusted() || l.Readers.String() != "nobody" {
		t.Error(l)
	}
}

// TestMembers: a value of a trusted result stays a member when the plan is stored and
// resumed; what an argument of somebody else's chose is none.
func TestMembers(t *testing.T) {
	set := partSet(t)
	pol, err := policy.Load("policy.yaml", []byte(`version: 1
rules:
  - {name: guest, tools: [put], when: 'args.v.among("events/*/guests")', decision: allow, reason: r}
otherwise: [{tools: [put], decision: deny, reason: r, remedy: r}]
`), set)
	if err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{
		"e = events()[0]\nput(e['title'])":                                 "allow [args.v: events#1 /0/guests/1]", // the title is the address of a guest
		"e = events()[0]\nput(e['note'])":                                  "deny []",
		"t = opened()['who']\ne = events(x=t)[0]\nput(e['title'])":         "deny []", // opened chose what is returned
		"put('me@acme.com')":                                               "deny []", // nothing was returned yet
		"events()\nput(['me@acme.com', 'ann@acme.com'])":                   "allow [args.v: events#1 /0/guests/1 args.v: events#1 /0/guests/0]",
		"events()\nput(['me@acme.com', 'mallory@evil.example'])":           "deny []",
		"events()\nput({'to': 'me@acme.com'})":                             "deny []",
		"x = opened()['who']\nl = events()\nif x:\n    put(l[0]['title'])": "allow [args.v: events#2 /0/guests/1]",
	} {
		p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(code)}, plan.Options{Tools: set, Policy: pol})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Start(plan.Start{Now: time.Unix(0, 0)})
		if err != nil {
			t.Fatal(p.Check.Text(), err)
		}
		for {
			step, err := r.Next()
			if err != nil || step.Call == nil {
				t.Fatal(code, step, err)
			}
			if step.Call.Tool.Name == "put" {
				break
			}
			v, err := jsondoc.Decode([]byte(map[string]string{"events": `[{"title": "me@acme.com", "note": "eve", "guests": ["ann@acme.com", "me@acme.com"]}]`, "opened": `{"who": "x", "y": 1}`}[step.Call.Tool.Name]))
			if err == nil {
				_, err = r.Reply(v)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		state, err := r.Dump()
		if err != nil {
			t.Fatal(err)
		}
		again, err := plan.Resume(t.Context(), state, set, pol)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []policy.Decision{r.Waiting().Decision, again.Waiting().Decision} {
			if got := fmt.Sprint(d.Verdict, " ", d.Members); got != want {
				t.Errorf("%s\ngot  %s\nwant %s", code, got, want)
			}
		}
	}
}

// TestPartsChosen: a trusted part that data beside it chose is not trusted: reading what
// stands in front, under a key or at a place that others decide.
func TestPartsChosen(t *testing.T) {
	set := partSet(t)
	results := map[string]string{"events": `[{"title": "x", "note": "n", "guests": ["ann@acme.com", "me@acme.com"]}, {"title": "y", "guests": ["bob@acme.com"]}]`}
	for _, code := range []string{
		"put(max(events(), key=lambda e: e['title'])['guests'][0])",
		"put(sorted(events(), key=lambda e: e['title'])[0]['guests'][0])",
		"l = events()\nl.sort(key=lambda e: e['title'])\nput(l[0]['guests'][0])",
		"l = events()\nd = {e['title']: e['guests'][0] for e in l}\nput(d[l[0]['title']])",
		"l = events()\nd = {e['title']: e['guests'][0] for e in l}\nput(list(d.values())[0])",
		"l = events()\nd = {e['title']: e['guests'][0] for e in l}\nput(d.get('x'))",
		"l = events()\nd = {e['title']: e['guests'][0] for e in l}\nput(sorted(d.items())[0][1])",
		"l = events()\nput(l[len(l[0]['title']) - 1]['guests'][0])",
		"l = events()\nput(l[[e['title'] for e in l].index('y')]['guests'][0])",
		"import heapq\nl = events()\nput(heapq.nlargest(1, l, key=lambda e: e['title'])[0]['guests'][0])",
		"import heapq\nl = events()\nh = []\nfor e in l:\n    heapq.heappush(h, (e['title'], e['guests'][0]))\nput(h[0][1])",
		"import bisect\nl = events()\nput(l[bisect.bisect([e['title'] for e in l], 'x') - 1]['guests'][0])",
		"from collections import Counter\nl = events()\nput(Counter(e['title'] for e in l).most_common(1)[0][1])",
		"l = events()\nput([l[0]['guests'][0], l[1]['guests'][0]][l[0]['title'] == 'x'])",
		"l = events()\nput(min((e['title'], e['guests'][0]) for e in l)[1])",
		"l = events()\ns = {e['title'] for e in l}\nput(len(s))",
		"l = events()\nput(sum(e['title'] == 'x' for e in l))",
		"l = events()\nput(list(map(lambda p: p[1], sorted(zip([e['title'] for e in l], [e['guests'][0] for e in l]))))[0])",
		"l = events()\nput(l[0]['guests'][0][:len(l[0]['title'])])",
		"l = events()\nput(l[0]['guests'][0].replace(l[0]['title'], ''))",
		"from statistics import mode\nl = events()\nput(mode([e['title'] for e in l]))",
		"l = events()\ndel l[len(l[0]['title']) - 1]\nput(l[0]['guests'][0])",
		"l = events()\nl.pop(len(l[0]['title']) - 1)\nput(l[0]['guests'][0])",
		"l = events()\nl.insert(len(l[0]['title']) - 1, {'guests': ['q']})\nput(l[0]['guests'][0])",
		"l = events()\nx = l[0]\nx['guests'] = [x['title']]\nput(l[0]['guests'][0])",
		"l = events()\nl[0]['guests'].sort(key=lambda g: g == l[0]['title'])\nput(l[0]['guests'][0])",
		"import random\nl = events()\nrandom.seed(l[0]['title'])\nput(random.choice(l)['guests'][0])",
		"l = events()\nput(str(l[0]))",
		"import json\nl = events()\nput(json.loads(json.dumps(l))[0]['guests'][0])",
		"l = events()\nput(sorted(l[0].items(), key=str)[0][0])",
	} {
		p, err := plan.Prepare(t.Context(), plan.Source{Name: "plan.py", Text: []byte(code)}, plan.Options{Tools: set, Policy: policy.Empty(set)})
		if err != nil || !p.Check.Accepted {
			t.Fatal(err, p.Check.Text())
		}
		if l, _ := putLabel(t, p, results); l.Trusted() {
			t.Errorf("trusted:\n%s", code)
		}
	}
}
