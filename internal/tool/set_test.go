package tool_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
	"praxis/internal/tool/toolfile"
)

func mustLoad(t testing.TB, name, text string) *tool.File {
	t.Helper()
	f, err := toolfile.Load(name, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

func mustSet(t testing.TB, texts ...string) *tool.Set {
	t.Helper()
	var files []*tool.File
	for i, text := range texts {
		files = append(files, mustLoad(t, fmt.Sprintf("f%d.yaml", i+1), text))
	}
	s, err := tool.NewSet(files...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLookup(t *testing.T) {
	s := mustSet(t, `tools:
  - {name: email.write, version: 1.2.0, effects: external}
  - {name: email.write, version: 1.10.0, effects: external}
  - {name: email.write, version: 2.0.0-beta.2, effects: external}
  - {name: email.read, version: 1.0.0, effects: read}
  - {name: crm.people.find, version: 1.0.0-rc.1, effects: read}
  - {name: clock, version: 1.0.0, effects: read}
`)
	for _, test := range []struct{ name, version, want, remedy string }{
		{"email.write", "", "email.write@1.10.0", ""},
		{"email.write", "1", "email.write@1.10.0", ""},
		{"email.write", "1.2", "email.write@1.2.0", ""},
		{"email.write", "2.0.0-beta.2", "email.write@2.0.0-beta.2", ""},
		{"email.write", "2", "", "Known are 2.0.0-beta.2, 1.10.0, 1.2.0."},
		{"email.write", "1.2.3", "", "Known are"},
		{"crm.people.find", "", "crm.people.find@1.0.0-rc.1", ""},
		{"clock", "", "clock@1.0.0", ""},
		{"email.wriet", "", "", "Did you mean email.write?"},
		{"find", "", "", "Did you mean crm.people.find?"},
		{"mail.read", "", "", "Did you mean email.read?"},
		{"nothing.like.it", "", "", "Give the name of a tool"},
	} {
		d, err := s.Resolve(test.name, test.version)
		got := ""
		if err == nil {
			got = d.ID()
		}
		if got != test.want || !strings.Contains(fault.RemedyOf(err), test.remedy) || (err != nil && fault.KindOf(err) != fault.NotFound) {
			t.Errorf("%s %s: got %q, %v (%s)", test.name, test.version, got, err, fault.RemedyOf(err))
		}
	}
	if got, want := strings.Join(s.Namespaces(), " "), "crm crm.people email"; got != want {
		t.Errorf("namespaces are %s, want %s", got, want)
	}
	var inside []string
	for _, d := range s.Namespace("crm") {
		inside = append(inside, d.Name)
	}
	if got := strings.Join(inside, " "); got != "crm.people.find" || !s.IsNamespace("email") || s.IsNamespace("clock") {
		t.Errorf("in crm are %s", got)
	}
	if got, want := strings.Join(s.Names(), " "), "clock crm.people.find email.read email.write"; got != want || s.Len() != 4 {
		t.Errorf("names are %s, want %s", got, want)
	}
	if got := len(s.Versions("email.write")); got != 3 {
		t.Errorf("%d versions", got)
	}
}

func TestJoinedFiles(t *testing.T) {
	a := "me: ann\nprincipals: [bob]\ninputs: {n: {schema: {type: integer}}}\ntools: [{name: a.b, version: 1.0.0, effects: read}]\n"
	s := mustSet(t, a, "principals: [bob, cid]\n", a)
	if len(s.Inputs()) != 1 || s.Len() != 1 || len(s.Versions("a.b")) != 1 || strings.Join(s.Principals().Names, " ") != "bob cid" || s.Principals().Me != "ann" {
		t.Errorf("the set is %+v", s)
	}
	for _, test := range []struct{ name, a, b, want string }{
		{"another definition", a, "tools: [{name: a.b, version: 1.0.0, effects: write}]", "f2.yaml:1:9: a.b@1.0.0 is declared twice with different definitions (f1.yaml:4:9)"},
		{"order of arguments", toolLines("input: {type: object, properties: {a: {}, b: {}}}"), toolLines("input: {type: object, properties: {b: {}, a: {}}}"), "different definitions"},
		{"build metadata", a, "tools: [{name: a.b, version: 1.0.0+x, effects: read}]", "differ in build metadata only"},
		{"another user", a, "me: bob", "f2.yaml:1:5: me is \"bob\" here and \"ann\" there"},
		{"another input", a, "inputs: {n: {schema: {type: string}}}", "the input \"n\" is declared differently"},
		{"a tool and a namespace", a, "tools: [{name: a, version: 1.0.0, effects: read}]", "a is a tool, and the namespace of a.b"},
		{"an input and a namespace", a, "inputs: {a: {}}", "has the name of tools: a.b"},
		{"an input and a tool", "tools: [{name: clock, version: 1.0.0, effects: read}]", "inputs: {clock: {}}", "has the name of tools: clock"},
	} {
		_, err := tool.NewSet(mustLoad(t, "f1.yaml", test.a), mustLoad(t, "f2.yaml", test.b))
		if err == nil || !strings.Contains(err.Error(), test.want) || fault.KindOf(err) != fault.Conflict || fault.RemedyOf(err) == "" {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

func TestBind(t *testing.T) {
	d := oneTool(t, toolLines("input: {type: object, required: [to, body, mode], properties: {to: {}, body: {}, subject: {}, mode: {default: fast}}}"))
	open := oneTool(t, toolLines("input: {type: object, properties: {to: {}}, additionalProperties: {type: string}}"))
	for _, test := range []struct {
		d          *tool.Definition
		positional int
		names      string
		want       string
		reason     tool.BindReason
	}{
		{d, 2, "", "[0 1]", 0},
		{d, 1, "subject body", "[0 2 1]", 0},
		{d, 4, "", "[0 1 2 3]", 0},
		{d, 5, "", "a.b() takes 4 positional arguments but 5 were given", tool.TooMany},
		{open, 2, "", "a.b() takes 1 positional argument but 2 were given", tool.TooMany},
		{d, 2, "subjct", "a.b() got an unexpected keyword argument 'subjct'. Did you mean 'subject'?", tool.UnknownName},
		{d, 2, "zzzzzz", "a.b() got an unexpected keyword argument 'zzzzzz'", tool.UnknownName},
		{d, 2, "to", "a.b() got multiple values for argument 'to'", tool.GivenTwice},
		{d, 0, "to to", "a.b() got multiple values for argument 'to'", tool.GivenTwice},
		{d, 1, "", "a.b() missing 1 required argument: 'body'", tool.Missing},
		{d, 0, "subject", "a.b() missing 2 required arguments: 'to' and 'body'", tool.Missing},
		{open, 1, "x", "[0 -1]", 0},
		{open, 1, "x x", "a.b() got multiple values for argument 'x'", tool.GivenTwice},
	} {
		got, err := test.d.Bind(test.positional, strings.Fields(test.names))
		text := fmt.Sprint(got)
		var why *tool.BindError
		if errors.As(err, &why) {
			text = err.Error()
			if why.Reason != test.reason || fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.RemedyOf(err), "Call it as a.b(to") {
				t.Errorf("%d %s: %+v (%s)", test.positional, test.names, why, fault.RemedyOf(err))
			}
		}
		if text != test.want {
			t.Errorf("%d %s: got %s, want %s", test.positional, test.names, text, test.want)
		}
	}
	if _, err := d.BindPartial(0, nil); err != nil {
		t.Error(err)
	}
	args, err := tool.BindArgs(d, []string{"x"}, []tool.Named[string]{{Name: "subject", Value: "s"}, {Name: "body", Value: "b"}})
	if got := fmt.Sprint(args); err != nil || got != "[{to x} {body b} {subject s}]" {
		t.Errorf("bound %s, %v", got, err)
	}
	args, err = tool.BindArgs(open, nil, []tool.Named[string]{{Name: "more", Value: "m"}, {Name: "to", Value: "t"}})
	if got := fmt.Sprint(args); err != nil || got != "[{to t} {more m}]" {
		t.Errorf("bound %s, %v", got, err)
	}
	full := d.FillDefaults(jsondoc.NewObject(jsondoc.Member{Name: "body", Value: "b"}, jsondoc.Member{Name: "to", Value: "t"}))
	if got, _ := full.MarshalJSON(); string(got) != `{"to":"t","body":"b","mode":"fast"}` {
		t.Errorf("with defaults: %s", got)
	}
}

func TestChecks(t *testing.T) {
	d := oneTool(t, toolLines("input: {type: object, required: [to], properties: {to: {type: string}, n: {}}}", "output: {type: object, properties: {list: {type: array, items: {type: integer}}}}"))
	for _, test := range []struct {
		args any
		want string
	}{
		{map[string]any{"to": "x"}, ""},
		{map[string]any{"to": 1}, `cannot call a.b: arguments: /to: expected a string, got integer 1; write "1"`},
		{map[string]any{"to": "x", "m": 1}, `cannot call a.b: arguments: /m: expected no member of this name, got the member "m"; known are to, n`},
		{[]any{"x"}, "cannot call a.b: arguments: expected an object with to, got array of 1"},
	} {
		judgeCheck(t, d.CheckArguments(test.args), test.want)
	}
	judgeCheck(t, d.CheckResult(map[string]any{"list": []any{1, 2}}), "")
	judgeCheck(t, d.CheckResult(map[string]any{"list": []any{1, "2"}}), `cannot use the result of a.b: result: /list/1: expected an integer, got string "2"; write 2 without quotes`)
}

func judgeCheck(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		var m *schema.Mismatch
		if got = err.Error(); !errors.As(err, &m) || fault.KindOf(err) != fault.Invalid || fault.RemedyOf(err) == "" {
			t.Errorf("%v is no fault with a remedy", err)
		}
	}
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestReaders(t *testing.T) {
	const output = "output: {type: object, properties: {who: {}, events: {type: array, items: {type: object, properties: {who: {}}}}}}"
	people := &tool.Principals{Me: "ann@x.example", Names: []string{"bob@x.example", "*@y.example"}}
	events := func(lists ...any) any {
		var items []any
		for _, l := range lists {
			items = append(items, map[string]any{"who": l})
		}
		return map[string]any{"events": items}
	}
	for _, test := range []struct {
		readers string
		result  any
		want    string
	}{
		{"everyone", nil, "everyone"},
		{"me", nil, "[ann@x.example]"},
		{"[]", nil, "[]"},
		{"[bob@x.example, me, me]", nil, "[ann@x.example bob@x.example]"},
		{"{from: arguments, path: /to}", nil, "[c@y.example]"},
		{"[me, {from: result, path: /who}]", map[string]any{"who": "bob@x.example"}, "[ann@x.example bob@x.example]"},
		{"{from: result, path: /who}", map[string]any{"who": []any{"bob@x.example", "Z@Y.example", "bob@x.example"}}, "[Z@Y.example bob@x.example]"},
		{"{from: result, path: /who}", map[string]any{}, "[]"},
		{"{from: result, path: /who}", "not an object", "[]"},
		{"{from: result, path: /events/*/who}", events([]any{"bob@x.example", "a@y.example"}, "bob@x.example"), "[bob@x.example]"},
		{"{from: result, path: /events/*/who}", events("bob@x.example", "a@y.example"), "[]"},
		{"[me, {from: result, path: /events/*/who}]", events(), "[ann@x.example]"},
		{"{from: result, path: /events/0/who}", events("bob@x.example", "a@y.example"), "[bob@x.example]"},
		{"{from: result, path: /who}", map[string]any{"who": "eve@z.example"}, `cannot tell who may read the result: result/who names the unknown principal "eve@z.example"`},
		{"{from: result, path: /who}", map[string]any{"who": 3}, `cannot tell who may read the result: result/who: expected a name or a list of names, got integer 3`},
		{"{from: result, path: /who}", map[string]any{"who": []any{[]any{}}}, `cannot tell who may read the result: result/who: expected names, got array of 0`},
		{"{from: result, path: /who}", map[string]any{"who": "@y.example"}, `cannot tell who may read the result: result/who names the unknown principal "@y.example"`},
	} {
		d := oneTool(t, toolLines(output, "input: {type: object, properties: {to: {}}}", "labels: {readers: "+test.readers+"}"))
		names, everyone, err := d.Labels.Readers.Resolve(people, map[string]any{"to": "c@y.example"}, test.result)
		got := fmt.Sprint(names)
		switch {
		case err != nil:
			if got = err.Error(); fault.KindOf(err) != fault.Invalid {
				t.Errorf("%v is %v", err, fault.KindOf(err))
			}
		case everyone:
			got = "everyone"
		}
		if got != test.want {
			t.Errorf("%s of %v: got %s, want %s", test.readers, test.result, got, test.want)
		}
		static, all, ok := d.Labels.Readers.Static(people)
		if want := !strings.Contains(test.readers, "from"); ok != want || all != everyone || (ok && err == nil && !slices.Equal(static, names)) {
			t.Errorf("%s without a call: %v %t %t", test.readers, static, all, ok)
		}
	}
	many := make([]any, tool.MaxReaders+1)
	for i := range many {
		many[i] = fmt.Sprintf("p%d@y.example", i)
	}
	r := tool.Readers{From: []tool.ReaderSource{{Origin: tool.FromResult, Path: "/who"}}}
	if _, _, err := r.Resolve(people, nil, map[string]any{"who": many}); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("%d readers: %v", len(many), err)
	}
	if _, _, err := r.Resolve(&tool.Principals{Me: tool.Me}, nil, map[string]any{"who": "anyone"}); err != nil {
		t.Errorf("without a list of principals everybody is known: %v", err)
	}
}

// TestDefaultReaders checks who reads results when the file does not say.
func TestDefaultReaders(t *testing.T) {
	for text, want := range map[string]bool{
		lines("name: a.b", "version: 1.0.0", "effects: pure"): true,
		toolLines(): false,
		toolLines("model: true", "output: {type: string}"):        true,
		lines("name: a.b", "version: 1.0.0", "effects: external"): false,
	} {
		r := oneTool(t, text).Labels.Readers
		if r.Everyone != want || (!want && strings.Join(r.Principals, " ") != tool.Me) {
			t.Errorf("%s: readers are %+v", text, r)
		}
	}
}

func TestVersions(t *testing.T) {
	ordered := []string{"0.0.0", "0.9.0", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-rc.1", "1.0.0", "1.2.0", "1.10.0", "10.0.0"}
	for i, a := range ordered {
		for j, b := range ordered {
			x, err1 := tool.ParseVersion(a)
			y, err2 := tool.ParseVersion(b)
			want := 0
			if i != j {
				want = 1
				if i < j {
					want = -1
				}
			}
			if got := x.Compare(y); err1 != nil || err2 != nil || got != want {
				t.Errorf("%s against %s is %d, want %d (%v, %v)", a, b, got, want, err1, err2)
			}
		}
	}
	if v := tool.Version("1.0.0+a"); v.Compare("1.0.0+b") != 0 || v.Prerelease() || v.Major() != "1" {
		t.Error("build metadata counts")
	}
	for _, bad := range []string{"", "1", "1.2", "1.2.3.4", "v1.2.3", "1.02.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3-a..b", "1.2.x", " 1.2.3", "1.2.3-ä", strings.Repeat("1", 200), "1.2.99999999999"} {
		if v, err := tool.ParseVersion(bad); err == nil {
			t.Errorf("%q is the version %s", bad, v)
		}
	}
}

// TestHash checks what changes a definition's hash and what does not, and that
// it never changes by itself.
func TestHash(t *testing.T) {
	const base = "input: {type: object, properties: {a: {type: string}, b: {maximum: 1}}}"
	hash := func(lines ...string) [32]byte { return oneTool(t, toolLines(lines...)).Hash() }
	for _, same := range []string{
		"input: {properties: {a: {type: string}, b: {maximum: 1.0}}, type: object}",
		"input:\n      type: object\n      properties:\n        a: {type: string}\n        b: {maximum: 10e-1}",
		base + "\n    idempotent: false\n    labels: {trusted: false, readers: me}",
	} {
		if hash(same) != hash(base) {
			t.Errorf("another hash by how it is written: %s", same)
		}
	}
	for _, other := range []string{
		"input: {type: object, properties: {b: {maximum: 1}, a: {type: string}}}", base + "\n    idempotent: true", base + "\n    description: x", base + "\n    title: x",
		base + "\n    labels: {trusted: true}", base + "\n    labels: {readers: everyone}", base + "\n    labels: {arguments: {a: {trusted: true}}}", base + "\n    limits: {timeout: 1s}",
		base + "\n    secrets: [/a]", base + "\n    approval: true", base + "\n    examples: [{}]", base + "\n    output: true\n    model: true", base + "\n    output: {type: string}",
	} {
		if hash(other) == hash(base) {
			t.Errorf("the same hash: %s", other)
		}
	}
}

// toolLines is a file with one tool a.b of the given lines after name, version and effects.
func toolLines(list ...string) string {
	return lines(append([]string{"name: a.b", "version: 1.0.0", "effects: read"}, list...)...)
}

func lines(list ...string) string { return "tools:\n  - " + strings.Join(list, "\n    ") + "\n" }
