package mcp

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

func TestEffectsOfHints(t *testing.T) {
	cases := []struct {
		hints, settings string
		want            tool.Effects
	}{
		{``, ``, tool.Write},
		{`{}`, ``, tool.Write},
		{`{"readOnlyHint": true}`, ``, tool.Read},
		{`{"readOnlyHint": true, "openWorldHint": true}`, ``, tool.Read},
		{`{"readOnlyHint": true, "destructiveHint": false}`, ``, tool.Read},
		{`{"readOnlyHint": true, "destructiveHint": true}`, ``, tool.External},
		{`{"readOnlyHint": false}`, ``, tool.Write},
		{`{"readOnlyHint": "true"}`, ``, tool.Write},
		{`{"readOnlyHint": 1}`, ``, tool.Write},
		{`[true]`, ``, tool.Write},
		{`{"destructiveHint": true}`, ``, tool.External},
		{`{"openWorldHint": true}`, ``, tool.External},
		{`{"destructiveHint": false, "openWorldHint": false}`, ``, tool.Write},
		{`{"readOnlyHint": true}`, `"hints": false`, tool.Write},
		{`{"readOnlyHint": true, "openWorldHint": true}`, `"hints": false`, tool.External},
		{`{"readOnlyHint": true}`, `"effects": {"get-*": "external"}`, tool.External},
		{`{"destructiveHint": true}`, `"effects": {"get_it": "read", "*": "write"}`, tool.Read},
		{`{"destructiveHint": true}`, `"effects": {"*": "pure", "get_it": "read"}`, tool.Pure},
		{`{"readOnlyHint": true}`, `"effects": {"set*": "external"}`, tool.Read},
	}
	for _, c := range cases {
		one := `[{"name":"get-it","inputSchema":{"type":"object"}}]`
		if c.hints != "" {
			one = `[{"name":"get-it","inputSchema":{"type":"object"},"annotations":` + c.hints + `}]`
		}
		l := load(t, newFake(one).open(t, c.settings))
		if d := l.defs["fake.get_it"]; d == nil || d.Effects != c.want {
			t.Errorf("%s with %s: got %v, want %v", c.hints, c.settings, d, c.want)
		}
	}
}

func TestDefinitions(t *testing.T) {
	f := newFake(`[
		{"name":"user.get","title":"Get a user","description":"Gets\u0000 one.\r\n\tBy id.","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"id":{"type":"string"}},"required":["id"]},
		 "outputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"annotations":{"idempotentHint":true},"icons":[{"src":"x"}]},
		{"name":"class","inputSchema":{"type":"object"},"annotations":{"title":"From hints"}},
		{"name":"9 lives!","inputSchema":{"type":"object","properties":{}}},
		{"name":"delete_all","inputSchema":{"type":"object"}}
	]`)
	f.version = "v2"
	l := load(t, f.open(t, `"namespace": "acme.crm", "approval": {"delete*": true, "*": false}, "trusted": true`))
	d := l.defs["acme.crm.user_get"]
	if d == nil {
		t.Fatalf("got %v", l.defs)
	}
	if !d.Idempotent || d.Title != "Get a user" || d.Description != "Gets\\x00 one.\n\tBy id." || !d.Labels.Trusted || d.Approval {
		t.Errorf("got %+v", d)
	}
	if !strings.HasPrefix(string(d.Version), "0.0.0+h") || len(d.Version) != len("0.0.0+h")+12 {
		t.Errorf("version %s", d.Version)
	}
	if len(d.Arguments()) != 1 || d.Output.Type().Properties[0].Name != "n" {
		t.Errorf("schemas: %s %s", d.Input.JSON(), d.Output.JSON())
	}
	if d := l.defs["acme.crm.class_"]; d == nil || d.Title != "From hints" {
		t.Errorf("got %v", l.defs)
	}
	if l.defs["acme.crm.n9_lives"] == nil {
		t.Errorf("got %v", l.defs)
	}
	if d := l.defs["acme.crm.delete_all"]; d == nil || !d.Approval {
		t.Errorf("got %v", d)
	}
	if l2 := load(t, f.open(t, `"version": "4.0.0"`)); l2.defs["fake.class_"].Version != "4.0.0" {
		t.Errorf("got %v", l2.defs["fake.class_"].Version)
	}
}

// TestLabelsOfParts: what a server says of its own schema makes nothing trusted.
func TestLabelsOfParts(t *testing.T) {
	one := `[{"name":"list","inputSchema":{"type":"object"},"outputSchema":{"type":"object","x-trusted":true,"properties":{"to":{"type":"string"},"body":{"type":"string","x-trusted":true}}}}]`
	d := load(t, newFake(one).open(t, ``)).defs["fake.list"]
	if d == nil || d.Labels.Fields != nil || d.Labels.Trusted {
		t.Errorf("got %+v", d)
	}
}

func TestToolsThatAreLeftOut(t *testing.T) {
	const good = `{"name":"good","inputSchema":{"type":"object"}}`
	cases := []struct{ tool, want string }{
		{`{"name":"a","inputSchema":{"type":"objekt"}}`, `"a" is left out`},
		{`{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"https://example.com/s.json"}}}}`, `"a" is left out`},
		{`{"name":"a","inputSchema":{"type":"string"}}`, "expected the schema of an object"},
		{`{"name":"a","inputSchema":7}`, "no input schema"},
		{`{"name":"a"}`, "no input schema"},
		{`{"inputSchema":{"type":"object"}}`, "expected a name"},
		{`{"name":"` + strings.Repeat("n", 300) + `","inputSchema":{"type":"object"}}`, "expected a name"},
		{`{"name":"日本","inputSchema":{"type":"object"}}`, "no name can be made"},
		{`{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`, "only runs as a task"},
		{`17`, "no object"},
		{`{"name":"a","name":"b","inputSchema":{}}`, "stands twice"},
		{`{"name":"a","inputSchema":` + strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200) + `}`, "deeper"},
		{`{"name":"x.y","inputSchema":{"type":"object"}},{"name":"x-y","inputSchema":{"type":"object"}}`, "also be called fake.x_y"},
		{good, "listed twice"},
		{`{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"objekt"}}`, "output schema does not count"},
	}
	for _, c := range cases {
		s := newFake(`[`+good+`,`+c.tool+`]`).open(t, "")
		l := load(t, s)
		if l.defs["fake.good"] == nil {
			t.Errorf("%s: the good tool is missing", safetext.OneLine(c.tool, 100))
		}
		if got := fmt.Sprint(s.Problems()); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %q", safetext.OneLine(c.tool, 100), got, c.want)
		}
	}
}

func TestFilter(t *testing.T) {
	const list = `[{"name":"get-a","inputSchema":{"type":"object"}},{"name":"get-secret","inputSchema":{"type":"object"}},{"name":"set","inputSchema":{"type":"object"}}]`
	cases := []struct{ settings, want string }{
		{``, "get_a get_secret set"},
		{`"tools": ["get_*"]`, "get_a get_secret"},
		{`"tools": {"allow": ["get*"], "deny": ["get-secret"]}`, "get_a"},
		{`"tools": {"deny": ["get?*"]}`, "set"},
		{`"tools": []`, ""},
	}
	for _, c := range cases {
		l := load(t, newFake(list).open(t, c.settings))
		var got []string
		for _, name := range []string{"get_a", "get_secret", "set"} {
			if l.defs["fake."+name] != nil {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %v, want %s", c.settings, got, c.want)
		}
	}
}

func TestSettingsThatAreWrong(t *testing.T) {
	cases := []struct {
		spec, want string
		kind       fault.Kind
	}{
		{`{}`, "either command or url", fault.Invalid},
		{`{"command": ["a"], "url": "https://x"}`, "either command or url", fault.Invalid},
		{`{"command": [""]}`, "no name", fault.Invalid},
		{`{"comand": ["a"]}`, "unknown key", fault.Invalid},
		{`{"command": "a"}`, "expected a list", fault.Invalid},
		{`{"command": ["a"], "headers": {"A": "b"}}`, "headers belong", fault.Invalid},
		{`{"command": ["a"], "image": "x"}`, "sandbox", fault.Invalid},
		{`{"command": ["a", "--token={secret:X}"]}`, "only stand in env and headers", fault.Invalid},
		{`{"command": ["a"], "env": {"A=B": "c"}}`, "no name of a variable", fault.Invalid},
		{`{"command": ["a"]}`, "commands on the host are not allowed", fault.Denied},
		{`{"command": ["a"], "sandbox": true}`, "no sandbox", fault.Unavailable},
		{`{"url": "ftp://x"}`, "https or http", fault.Invalid},
		{`{"url": "https://"}`, "https or http", fault.Invalid},
		{`{"url": "https://me:pw@x/"}`, "a user and a password", fault.Invalid},
		{`{"url": "https://x/{secret:T}"}`, "only stand in env and headers", fault.Invalid},
		{`{"url": "https://x", "env": {"A": "b"}}`, "belong to a server with a command", fault.Invalid},
		{`{"url": "https://x", "headers": {"Host": "b"}}`, "set by the protocol", fault.Invalid},
		{`{"url": "https://x", "headers": {"mcp-session-id": "b"}}`, "set by the protocol", fault.Invalid},
		{`{"url": "https://x", "headers": {"A B": "b"}}`, "no name of a header", fault.Invalid},
		{`{"url": "https://x", "headers": {"A": "b\r\nC: d"}}`, "cannot have", fault.Invalid},
		{`{"url": "https://x", "namespace": "a.class"}`, "no name", fault.Invalid},
		{`{"url": "https://x", "tools": {"alow": []}}`, "unknown key", fault.Invalid},
		{`{"url": "https://x", "tools": ["[a"]}`, "no pattern", fault.Invalid},
		{`{"url": "https://x", "tools": 3}`, "a list or allow and deny", fault.Invalid},
		{`{"url": "https://x", "effects": {"a": "reads"}}`, "expected pure, read", fault.Invalid},
		{`{"url": "https://x", "approval": {"a": "yes"}}`, "expected a boolean", fault.Invalid},
		{`{"url": "https://x", "version": "1"}`, "semantic version", fault.Invalid},
	}
	for _, c := range cases {
		_, err := Open(context.Background(), Config{Name: "s", Spec: object(t, c.spec)})
		if err == nil || fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: got %v (%v), want %q", c.spec, err, fault.KindOf(err), c.want)
		}
	}
}

func TestResults(t *testing.T) {
	const me = "me"
	cases := []struct {
		raw        string
		structured bool
		want       string
		label      string
	}{
		{`{"content":[]}`, false, `""`, ""},
		{`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, false, `"a\nb"`, ""},
		{`{"content":[{"type":"text","text":"a","_meta":{"x":1},"annotations":{}},{"type":"image","data":"QQ==","mimeType":"image/png"},3]}`, false,
			`{"content":[{"type":"text","text":"a"},{"type":"image","data":"QQ==","mimeType":"image/png"}]}`, ""},
		{`{"content":[],"structuredContent":{"a":1}}`, false, `{"content":[],"structured":{"a":1}}`, ""},
		{`{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1}}`, true, `{"a":1}`, ""},
		{`{"content":[],"structuredContent":null}`, true, `null`, ""},
		{`{"content":[{"type":"text","text":"{\"a\":1}"}]}`, true, `{"a":1}`, ""},
		{`{"content":[{"type":"text","text":"sorry"}]}`, true, `error: the server sent no structured content, though the tool declares its schema`, ""},
		{`{}`, false, `""`, ""},
		{`{"content":"x"}`, false, `""`, ""},

		{`{"content":[],"_meta":{"ifc":{"integrity":"trusted","confidentiality":"public"}}}`, false, `""`, ""},
		{`{"content":[],"_meta":{"ifc":{"integrity":"trusted","confidentiality":["public"]}}}`, false, `""`, ""},
		{`{"content":[],"_meta":{"ifc":{"integrity":"untrusted","confidentiality":["public"]}}}`, false, `""`, "untrusted"},
		{`{"content":[],"_meta":{"ifc":{"integrity":"high"}}}`, false, `""`, "untrusted"},
		{`{"content":[],"_meta":{"ifc":{"integrity":true}}}`, false, `""`, "untrusted"},
		{`{"content":[],"_meta":{"ifc":{"integrity":"trusted","confidentiality":"private"}}}`, false, `""`, "[me]"},
		{`{"content":[],"_meta":{"ifc":{"confidentiality":["ann","bob"]}}}`, false, `""`, "[me ann bob]"},
		{`{"content":[],"_meta":{"ifc":{"confidentiality":[]}}}`, false, `""`, "[me]"},
		{`{"content":[],"_meta":{"ifc":{"confidentiality":{"x":1}}}}`, false, `""`, "[me]"},
		{`{"content":[],"_meta":{"ifc":"top secret"}}`, false, `""`, "untrusted [me]"},
		{`{"content":[{"type":"text","text":"a","_meta":{"ifc":{"confidentiality":["ann","bob"]}}},{"type":"text","text":"b","_meta":{"ifc":{"confidentiality":["bob"],"integrity":"untrusted"}}}]}`,
			false, `"a\nb"`, "untrusted [me bob]"},
		{`{"content":[{"type":"resource","resource":{"uri":"x","text":"t","_meta":{"ifc":{"integrity":"untrusted"}}}}]}`, false,
			`{"content":[{"type":"resource","resource":{"uri":"x","text":"t","_meta":{"ifc":{"integrity":"untrusted"}}}}]}`, "untrusted"},
	}
	for _, c := range cases {
		v, err := readResult(c.raw, c.structured, 0, &secrets{})
		label := ""
		if l, ok := v.(tool.Labelled); ok {
			v = l.Value
			if l.Trusted != nil && !*l.Trusted {
				label = "untrusted"
			}
			if l.Readers != nil {
				label = strings.TrimSpace(label + " " + fmt.Sprint(l.Readers))
			}
		}
		got := show(t, v)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want || label != c.label {
			t.Errorf("%s:\n got %s %q\nwant %s %q", c.raw, got, label, c.want, c.label)
		}
	}
	if me != tool.Me {
		t.Error("the user has another name now")
	}
}

// TestLabelsOfTools checks that a server's label of a tool takes trust away and adds
// none.
func TestLabelsOfTools(t *testing.T) {
	cases := []struct {
		ifc, settings string
		trusted       bool
		everyone      bool
	}{
		{`{"integrity":"trusted"}`, ``, false, false},
		{`{"integrity":"trusted"}`, `"trusted": true`, true, false},
		{`{"integrity":"untrusted"}`, `"trusted": true`, false, false},
		{`{"integrity":"trusted","confidentiality":"public"}`, `"trusted": true, "effects": {"*": "pure"}`, true, true},
		{`{"integrity":"trusted","confidentiality":"private"}`, `"effects": {"*": "pure"}`, false, false},
		{`{"integrity":"trusted","confidentiality":"public"}`, ``, false, false},
		{`7`, `"trusted": true`, false, false},
	}
	for _, c := range cases {
		l := load(t, newFake(`[{"name":"a","inputSchema":{"type":"object"},"_meta":{"ifc":`+c.ifc+`}}]`).open(t, c.settings))
		d := l.defs["fake.a"]
		if d.Labels.Trusted != c.trusted || d.Labels.Readers.Everyone != c.everyone {
			t.Errorf("%s with %s: got %+v", c.ifc, c.settings, d.Labels)
		}
	}
}

func FuzzInbound(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, `[{"id":1,"result":{"protocolVersion":"x"}}]`, `{"method":"notifications/progress","params":{"progress":1e9}}`,
		`{"id":"a","method":"ping"}`, `{"id":null,"error":{"code":1,"message":"x","data":[]}}`, "{", "[[[", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &inbound{changed: func() {}, say: func(string) {}}
		messages, err := in.batch(data)
		if err != nil {
			t.Skip("a flood")
		}
		for _, m := range messages {
			if _, err := jsondoc.Decode(m); err != nil && strings.Contains(string(m), "result") == false {
				t.Errorf("%q became %q: %v", data, m, err)
			}
		}
	})
}

func FuzzTools(f *testing.F) {
	f.Add(`{"name":"a.b","description":"x","inputSchema":{"type":"object"},"_meta":{"ifc":{"integrity":"trusted"}}}`, `{"content":[{"type":"text","text":"a"}],"structuredContent":1}`)
	f.Add(`{"name":"class","inputSchema":{"type":"object"},"outputSchema":{},"annotations":{"title":"t"}}`, `{"isError":true}`)
	f.Fuzz(func(t *testing.T, description, result string) {
		s := &settings{Namespace: "n"}
		if d, err := describe([]byte(description)); err == nil {
			if doc, _, err := d.document(s, "s", "1.0.0"); err == nil && d.local() != "" {
				if err := check(doc); err != nil {
					t.Errorf("%s: %v", description, err)
				}
				if effects, _ := doc.Get("effects"); effects == "pure" {
					t.Errorf("%s: a hint made the tool pure", description)
				}
			}
		}
		used := &secrets{}
		used.add("canary")
		v, err := readResult(result, len(description)%2 == 0, 1<<20, used)
		if l, ok := v.(tool.Labelled); ok {
			v = l.Value
		}
		if err == nil && strings.Contains(show(t, v), "canary") {
			t.Errorf("%s: the secret is in %v", result, v)
		}
	})
}

func TestBackoff(t *testing.T) {
	if d := backoff(1) + backoff(100); d != 30*time.Second {
		t.Errorf("backoff: %v", d)
	}
}
