package python

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// offerTools answers calls as the agent does, with f, and tells the kernel of it.
func exposeTools(t *testing.T, k *kernel, f func(body []byte) (kind byte, answer string)) {
	t.Helper()
	dir, err := os.MkdirTemp("", "tools") // a short name: a socket's is bounded
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		os.RemoveAll(dir)
	})
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answerCalls(conn, f)
		}
	}()
	k.Send(map[string]any{"op": "environ", "set": map[string]string{"PRAXIS_TOOLS": path}, "unset": []string{}})
}

func answerCalls(conn net.Conn, f func([]byte) (byte, string)) {
	defer conn.Close()
	for {
		var head [4]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(conn, body); err != nil {
			return
		}
		kind, answer := f(body)
		for kind == 0 && len(answer) > 100_000 { // in parts
			if _, err := conn.Write(answerFrame(2, answer[:70_000])); err != nil {
				return
			}
			answer = answer[70_000:]
		}
		if _, err := conn.Write(answerFrame(kind, answer)); err != nil || kind == 3 {
			return
		}
	}
}

func answerFrame(kind byte, body string) []byte {
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), kind), body...)
}

const toolSpec = `{"name":"put","version":"2.0.0","doc":"Put a value.\n\nAnywhere.","signature":"def put(value, *, from_=None)","stub":"def put(value: object, from_: str = None) -> object: ...",
"parameters":[{"name":"from","type":"str","required":false,"default":"here"},{"name":"value","type":"object","required":true}],"returns":"object"}`

// tooled starts a kernel with the tool "put", which gives back its value.
func tooled(t *testing.T) *kernel {
	k := start(t, nil)
	exposeTools(t, k, func(body []byte) (byte, string) {
		var m struct {
			Do, Name, Version string
			Arguments         map[string]json.RawMessage
		}
		if err := json.Unmarshal(body, &m); err != nil {
			return 1, `{"kind":"invalid","message":"no JSON"}`
		}
		switch m.Do {
		case "names":
			return 0, `{"names":["a.b.deep","put"],"total":2}`
		case "namespace":
			if m.Name == "a" {
				return 0, `{"tools":[],"namespaces":["a.b"]}`
			}
			return 0, `{"tools":[` + strings.ReplaceAll(toolSpec, `"name":"put"`, `"name":"a.b.deep"`) + `],"namespaces":[]}`
		case "describe":
			return 0, toolSpec
		case "result":
			return 0, `{"result":[1,{"whole":true}]}`
		case "call":
			switch string(m.Arguments["value"]) {
			case `"raise"`:
				return 0, `{"raised":` + string(m.Arguments["from"]) + `,"kind":"unavailable","message":"cannot call put: it broke","remedy":""}`
			case `"part"`:
				return 0, `{"result":[1],"cut":"1 of 3 rows"}`
			}
			if from, ok := m.Arguments["from"]; ok {
				return 0, `{"result":{"from":` + string(from) + `,"value":` + string(m.Arguments["value"]) + `}}`
			}
			return 0, `{"result":` + string(m.Arguments["value"]) + `}`
		}
		return 1, `{"kind":"not_found","message":"nothing"}`
	})
	k.Run("import tools\nfrom tools import put\ndef caught(f, *a):\n    try: return f(*a)\n    except Exception as e: return f'{type(e).__name__}: {e}'")
	return k
}

func TestToolValues(t *testing.T) {
	t.Parallel()
	k := tooled(t)
	for code, want := range map[string]string{
		"put({'a': [1, 2.5, None, True, 'é']})": "{'a': [1, 2.5, None, True, 'é']}",
		"put(10**40)":                           "1" + strings.Repeat("0", 40),
		"put((1, (2,)))":                        "[1, [2]]",
		"put({3, 1, 2})":                        "[1, 2, 3]",
		"import datetime as d; put([d.date(2024, 2, 29), d.datetime(2024, 2, 29, 1), d.timedelta(minutes=1)])": "['2024-02-29', '2024-02-29T01:00:00', 60.0]",
		"from decimal import Decimal as D; put([D('1.5'), D('1E+2'), D('0.1')])":                               "[1.5, 100, 0.1]",
		"from decimal import Decimal as D; caught(put, D('0.12345678901234567890123'))[:18]":                   "'TypeError: put: De'",
		"from pathlib import Path; put(Path('/work/x'))":                                                       "'/work/x'",
		"import uuid; put(uuid.UUID(int=1))":                                                                   "'00000000-0000-0000-0000-000000000001'",
		"import enum\nclass E(enum.Enum): A = 'x'\nput(E.A)":                                                   "'x'",
		"import dataclasses\n@dataclasses.dataclass\nclass C:\n    a: int = 1\n    b: tuple = ()\nput(C())":    "{'a': 1, 'b': []}",
		"put(range(3))":                                "[0, 1, 2]",
		"caught(put, b'x')[:49]":                       "'TypeError: put: bytes cannot be an argument: pass'",
		"caught(put, float('nan'))[:38]":               "'InvalidArguments: put: NaN and infinit'",
		"caught(put, [1e999])[:38]":                    "'InvalidArguments: put: NaN and infinit'",
		"caught(put, object())[:45]":                   "'TypeError: put: a value of type object cannot'",
		"caught(put, '\\ud800')[:40]":                  "'InvalidArguments: put: a text has half o'",
		"x = []; x.append(x); caught(put, x)":          "'InvalidArguments: put: Circular reference detected'",
		"caught(put, 'x' * (17 << 20))[:32]":           "'Exhausted: put: the arguments ha'",
		"len(put('x' * 1_000_000))":                    "1000000",
		"put(1, 'there')":                              "{'from': 'there', 'value': 1}",
		"put(from_='there', value=1)":                  "{'from': 'there', 'value': 1}",
		"caught(put)":                                  `"TypeError: put() missing 1 required positional argument: 'value'"`,
		"tools.call('put', {'value': 3})":              "3",
		"tools.map(put, range(50)) == list(range(50))": "True",
	} {
		if got := k.Text(code); got != want {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
}

func TestToolFunctions(t *testing.T) {
	t.Parallel()
	k := tooled(t)
	for code, want := range map[string]string{
		"import inspect; str(inspect.signature(put))": `"(value: 'object', from_: 'str' = 'here') -> 'object'"`,
		"put.__doc__":         `'Put a value.\n\nAnywhere.'`,
		"put.__annotations__": "{'from_': 'str', 'value': 'object', 'return': 'object'}",
		"put.__name__, put.__module__, put.version":         "('put', 'tools', '2.0.0')",
		"from tools.a.b import deep; deep(1)":               "1",
		"import tools.a.b as ab; ab.deep is tools.a.b.deep": "True",
		"tools.a.b.deep.__module__":                         "'tools.a.b'",
		"dir(tools.a), tools.a":                             "(['b'], <tools a: b>)",
		"'put' in dir(tools), 'a' in dir(tools)":            "(True, True)",
		"caught(lambda: tools.aa)":                          `'AttributeError: no tool is called aa: tools.names() has what there is, tools.search(text) finds it'`,
		"tools.describe('put')":                             "put(value, *, from_=None)    # version 2.0.0\n    Put a value.\n\n    Anywhere.",
		"tools.describe(put).version":                       "'2.0.0'",
		"tools.use('put', '2.0.0')(5)":                      "5",
		"[__import__('sys').modules.__setitem__('pandas', type('P', (), {'DataFrame': list})), tools.frame({'columns': ['a'], 'rows': [{'a': 1}], 'n': 1})][1]": "[{'a': 1}]",
		"tools.use('put', '2')(6)":          "6",
		"tools.use('put', '2.0')(7)":        "7",
		"caught(tools.use, 'put', '1.0.0')": `'ToolError: there is no version 1.0.0 of put\nIt has version 2.0.0.'`,
		"tools.stub()":                      `"def put(value: object, from_: str = None) -> object: ...\n\n# a is a namespace: tools.stub('a')\n"`,
		"tools.stub('a')":                   `"# a.b is a namespace: tools.stub('a.b')\n"`,
		"caught(tools.search, 'x')":         "'ToolError: nothing'",
		"tools.names()":                     "['a.b.deep', 'put']",
		"tools.result('2.1')":               "[1, {'whole': True}]",
		"[r for r in await __import__('asyncio').gather(*[put.aio(i) for i in range(40)])] == list(range(40))":   "True",
		"import pickle; e = pickle.loads(pickle.dumps(tools.Denied('m', 'denied', 'r', 't'))); e.remedy, e.tool": "('r', 't')",
	} {
		if got := k.Text(code); got != want {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
	for code, want := range map[string]string{
		"caught(put, 'raise', 'ValueError')":         "'ValueError: cannot call put: it broke'",
		"caught(put, 'raise', 'MemoryError')":        "'Unavailable: cannot call put: it broke'",
		"caught(put, 'raise', 'SystemExit')":         "'Unavailable: cannot call put: it broke'",
		"caught(put, 'raise', 'no name')":            "'Unavailable: cannot call put: it broke'",
		"caught(put, 'raise', 'NotInStock')":         "'NotInStock: cannot call put: it broke'",
		"caught(put, 'raise', 'UnicodeDecodeError')": "'UnicodeDecodeError: cannot call put: it broke'",
		"caught(put, 'raise', 'FileNotFoundError')":  "'FileNotFoundError: cannot call put: it broke'",
		"try: put('raise', 'KeyError')\nexcept KeyError as e: r = isinstance(e, tools.ToolError), type(e).__name__, pickle.loads(pickle.dumps(e)).tool\nr": "(True, 'KeyError', 'put')",
	} {
		if got := k.Text("import pickle\n" + code); got != want {
			t.Errorf("%s: got %s, want %s", code, got, want)
		}
	}
	if o := k.Run("put('part')"); o.Done.Result["text"] != "[1]" || o.Stderr != "put: only 1 of 3 rows are given\n" {
		t.Errorf("a part of a result: %v, %q", o.Done.Result, o.Stderr)
	}
	o := k.Run("put()")
	if strings.Contains(o.Done.Error.Traceback, "_call(") || !strings.Contains(o.Done.Error.Traceback, "put()") {
		t.Errorf("the traceback is %s", o.Done.Error.Traceback)
	}
}

// The host says how arguments are called and which are given by name alone; what
// is no name in Python is made one, whatever it says.
func TestToolParameters(t *testing.T) {
	t.Parallel()
	k := tooled(t)
	k.Run(`f = tools._function({"name": "x.f", "parameters": [
    {"name": "first-name", "python": "first_name", "required": True}, {"name": "limit", "default": 10},
    {"name": "class", "python": "class_", "required": True, "keyword": True}, {"name": "evil", "python": "a=print(1)"}]})`)
	if got := k.Text("import inspect; str(inspect.signature(f))"); got != `'(first_name, limit=10, a_print_1_=None, *, class_)'` {
		t.Errorf("got %s", got)
	}
}

// A connection that was closed because it was idle is replaced; one that is
// lost is not, since the call may have been done.
func TestToolConnectionsThatEnd(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	answers := make(chan byte, 16)
	exposeTools(t, k, func([]byte) (byte, string) { return <-answers, `{"names":[],"total":0}` })
	k.Run("import tools")
	for _, kind := range []byte{0, 3, 0} { // one more for the retired one
		answers <- kind
	}
	if got := k.Text("tools._forget(); a = tools.names(); tools._forget(); a, tools.names()"); got != "([], [])" {
		t.Errorf("got %s", got)
	}
	lost := start(t, nil)
	dir := t.TempDir()
	lost.Send(map[string]any{"op": "environ", "set": map[string]string{"PRAXIS_TOOLS": filepath.Join(dir, "none")}})
	if o := lost.Run("import tools; tools.names()"); o.Done.Error == nil || !strings.Contains(o.Done.Error.Value, "cannot be reached") {
		t.Errorf("got %+v", o.Done)
	}
}
