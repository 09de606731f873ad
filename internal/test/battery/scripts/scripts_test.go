package scripts

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/language/javascript"
	"praxis/internal/sandbox"
	"praxis/internal/session"
)

// step is a cell, and what comes of it.
type step struct {
	code   string
	typed  bool // TypeScript
	value  string
	stdout string
	stderr string // part of it
	fails  string // the error's name; its value, traceback and hint have has
	has    []string
}

// cells are what browsers' consoles do with them, and node's modules.
var cells = []step{
	{code: "1 + 1", value: "2"},
	{code: "const x = 1; let y; class A { v = 1 } function f() { return 1 }", value: ""},
	{code: "const x = 2; let y = 3; class A { v = 2 } function f() { return 2 }\n[x, y, new A().v, f()]", value: "[ 2, 3, 2, 2 ]"},
	{code: "x = 5", fails: "TypeError", has: []string{"Assignment to constant variable", ":1:"}},
	{code: "function shadow() { let x = 1; x = 9; return x }\nshadow() + x", value: "11"},
	{code: "const {a, ...rest} = await Promise.resolve({a: 1, b: 2}); for (var i = 0; i < 3; i++) {}\n[a, rest, i]", value: "[ 1, { b: 2 }, 3 ]"},
	{code: "[a, rest.b, i]", value: "[ 1, 2, 3 ]"},
	{code: "{a: 1}", value: "{ a: 1 }"},
	{code: "Promise.resolve(7)", value: "7"},
	{code: "undefined", value: ""},
	{code: "import fs, {readFileSync as read} from 'node:fs'\nimport * as path from 'path'\nread === fs.readFileSync && path.sep", value: "'/'"},
	{code: "import {nothing} from 'fs'", fails: "SyntaxError", has: []string{"does not provide an export named 'nothing'"}},
	{code: "(await import('node:os')).platform() + typeof require('os').arch", value: "'linuxfunction'"},
	{code: "require('not-there')", fails: "ModuleNotFound", has: []string{"Cannot find module 'not-there'"}},
	{code: "console.log('a'); console.error('b'); console.info('c'); console.table([{n: 1}])", stdout: "a\nc\n┌─────────┬───┐\n│ (index) │ n │\n├─────────┼───┤\n│ 0       │ 1 │\n└─────────┴───┘\n", stderr: "b\n"},
	{code: "function deep() {\n  null.x\n}\nawait 0; deep()", fails: "TypeError", has: []string{"at deep (<cell", ":2:8)", "  null.x\n       ^"}},
	{code: "throw Object.assign(new Error('outer', {cause: new RangeError('inner')}), {code: 'E1'})", fails: "Error", has: []string{"[cause]: RangeError: inner", "code: 'E1'"}},
	{code: "fs.writeFileSync('sales.csv', ''); fs.readFileSync('sale.csv')", fails: "Error", has: []string{"ENOENT", "Files in /work: sales.csv"}},
	{code: "const totals = {mean() {}}"},
	{code: "totls", fails: "ReferenceError", has: []string{"Nearest names: totals"}},
	{code: "totals.meen()", fails: "TypeError", has: []string{"Nearest properties: mean."}},
	{code: "fs.mkdirSync('node_modules/lib', {recursive: true}); fs.writeFileSync('node_modules/lib/index.js', 'const a = () => null.x; exports.b = () => a()'); require('lib').b()",
		fails: "TypeError", has: []string{"    … 2 frames in lib, the last is a\n"}},
	{code: "throw 5", fails: "Uncaught", has: []string{"5"}},
	{code: "new Promise(() => {})", fails: "UnsettledAwait"},
	{code: "setTimeout(() => { throw new Error('late') }, 5); Promise.reject(new Error('nobody')); await new Promise(r => setTimeout(r, 50))", stderr: "Error: late"},
	{code: "require('child_process').execSync('echo out; echo err >&2', {stdio: 'inherit'}); console.log('after')", stdout: "out\nafter\n", stderr: "err\n", value: ""},
	{code: "enum Color { Red = 1, Blue }\ninterface P { c: Color }\nconst p: P = {c: Color.Blue}; const id = <T,>(v: T): T => v\nid<P>(p)", typed: true, value: "{ c: 2 }"},
	{code: "p.c + Color.Red", value: "3"},
	{code: "type T = string\n\nfunction bad(n: number): T {\n    throw new RangeError(`no ${n}`)\n}\nbad(1)", typed: true, fails: "RangeError", has: []string{"at bad (<cell", ":4:11)", ":6:1"}},
	{code: "enum Late { A }\n\nfunction worse(n: Late): void {\n    throw new RangeError(`no ${n}`)\n}\nworse(Late.A)", typed: true, fails: "RangeError", has: []string{"at worse (<cell", ":4:11)", ":6:1"}},
	{code: "const n: = 1", typed: true, fails: "SyntaxError"},
	{code: "if (x) {", fails: "SyntaxError"},
}

func TestCells(t *testing.T) {
	t.Parallel()
	s := fresh(manager(t))(t, nil, 0)
	for _, c := range cells {
		x := execute(t, s, c.code, c.typed)
		if c.fails != "" {
			if x.Status != event.Error || x.Error == nil || x.Error.Name != c.fails {
				t.Errorf("%q: got %s %+v, want %s", c.code, x.Status, x.Error, c.fails)
				continue
			}
			for _, part := range c.has {
				if !strings.Contains(x.Error.Value+"\n"+x.Error.Traceback+"\n"+x.Error.Hint, part) {
					t.Errorf("%q: %q is not in\n%s\n%s\n%s", c.code, part, x.Error.Value, x.Error.Traceback, x.Error.Hint)
				}
			}
			if strings.Contains(x.Error.Traceback, "node:") || strings.Contains(x.Error.Traceback, "kernel.js") {
				t.Errorf("%q: the traceback shows what is not the user's:\n%s", c.code, x.Error.Traceback)
			}
			continue
		}
		if x.Status != event.OK || x.Result["text"] != c.value || x.Stdout != c.stdout || !strings.Contains(x.Stderr, c.stderr) {
			t.Errorf("%q: got %s %q, stdout %q, stderr %q, %+v", c.code, x.Status, x.Result["text"], x.Stdout, x.Stderr, x.Error)
		}
	}
}

func execute(t *testing.T, s *session.Session, code string, typed bool) event.Execution {
	t.Helper()
	name := javascript.Name
	if typed {
		name = javascript.TypeScriptName
	}
	x, err := s.Execute(t.Context(), code, session.Exec{Language: name, Bounds: event.Bounds{Timeout: event.Duration(120e9), OutputBytes: 1 << 20}}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestStreamOrder has both streams and displays in the order of the code.
func TestStreamOrder(t *testing.T) {
	t.Parallel()
	s := fresh(manager(t))(t, nil, 0)
	var order []string
	x, err := s.Execute(t.Context(), `for (let i = 0; i < 3; i++) {
  console.log("out " + i); console.error("err " + i); display({"text/plain": "shown " + i, "text/html": "<i>"})
}`, session.Exec{}, event.SinkFunc(func(ev event.Event) {
		switch ev := ev.(type) {
		case event.Output:
			order = append(order, strings.TrimSpace(string(ev.Data)))
		case event.Display:
			order = append(order, ev.Bundle["text"])
		}
	}))
	if err != nil || x.Status != event.OK {
		t.Fatalf("got %+v, %v", x, err)
	}
	if got, want := strings.Join(order, ","), "out 0,err 0,shown 0,out 1,err 1,shown 1,out 2,err 2,shown 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestInterrupts ends code behind every door.
func TestInterrupts(t *testing.T) {
	t.Parallel()
	s := fresh(manager(t))(t, nil, 0)
	execute(t, s, "let kept = 1", false)
	for _, code := range []string{
		"await 0; while (true) {}",
		"await new Promise(r => setTimeout(() => { while (true) {} }, 1))",
		"await new Promise(r => setImmediate(() => { while (true) {} }))",
		"await new Promise(r => process.nextTick(() => { while (true) {} }))",
		"await new Promise(r => require('fs').readFile('/etc/passwd', () => { while (true) {} }))",
		"while (true) { try { while (true) {} } catch {} finally { kept = 2 } }",
		"await new Promise(r => setInterval(() => {}, 10))",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		x, err := s.Execute(ctx, "console.log('begun')\n"+code, session.Exec{Bounds: event.Bounds{Timeout: event.Duration(120e9)}}, event.SinkFunc(func(ev event.Event) {
			if _, ok := ev.(event.Output); ok {
				cancel()
			}
		}))
		cancel()
		if err != nil || x.Status != event.Interrupted || x.State != event.Intact {
			t.Errorf("%q: got %+v, %v", code, x, err)
		}
	}
	if x := execute(t, s, "kept", false); x.Result["text"] != "1" {
		t.Errorf("the variable became %q: %+v", x.Result["text"], x.Error)
	}
}

// TestInterruptedPromises interrupts cells that wait for promises which node settles without
// a callback, and has the system answer afterwards: the code behind them does not go on.
func TestInterruptedPromises(t *testing.T) {
	t.Parallel()
	s := fresh(manager(t))(t, nil, 0)
	execute(t, s, `const {execSync} = require('child_process'), {promises} = require('fs'), later = require('timers/promises'), {promisify} = require('util')
execSync('mkfifo pipe'); var open = await promises.open('pipe', 'r+'); var gone = 0`, false)
	const write = "fs.writeSync(open.fd, 'x'.repeat(10))"
	for _, c := range [][2]string{
		{"await open.read({buffer: Buffer.alloc(10)})", write},
		{"await promises.readFile('pipe')", write},
		{"await later.setTimeout(100)", ""},
		{"await promisify(setTimeout)(100)", ""},
		{"await later.scheduler.wait(100)", ""},
		{"for await (const _ of later.setInterval(100)) gone++", ""},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		// That the cell waits is known by its last tick.
		x, err := s.Execute(ctx, "setImmediate(() => console.log('waits')); (async () => {"+c[0]+"; gone++; while (true) {} })(); await new Promise(r => setTimeout(r, 3600_000))",
			session.Exec{Bounds: event.Bounds{Timeout: event.Duration(120e9)}}, event.SinkFunc(func(ev event.Event) {
				if _, ok := ev.(event.Output); ok {
					cancel()
				}
			}))
		cancel()
		if err != nil || x.Status != event.Interrupted || x.State != event.Intact {
			t.Errorf("%q: got %+v, %v", c[0], x, err)
		}
		if x := execute(t, s, "gone = 0; "+c[1]+"; await new Promise(r => setTimeout(r, 300)); gone", false); x.Status != event.OK || x.Result["text"] != "0" {
			t.Errorf("%q went on: %+v", c[0], x)
		}
	}
	if x := execute(t, s, "fs.writeFileSync('f', 'y'); await promises.readFile('f', 'utf8') + await later.setTimeout(1, 1)", false); x.Result["text"] != "'y1'" {
		t.Errorf("afterwards: %+v", x)
	}
}

// TestBesidePython runs both languages in one session.
func TestBesidePython(t *testing.T) {
	t.Parallel()
	s := fresh(manager(t))(t, nil, 0)
	execute(t, s, "require('fs').writeFileSync('/work/n.json', '42')", false)
	x, err := s.Execute(t.Context(), "open('/work/n.json').read()", session.Exec{Language: "python"}, event.Discard)
	if err != nil || x.Result["text"] != "'42'" {
		t.Errorf("got %+v, %v", x, err)
	}
}

// TestPackages imports a package that lies where those of npm are mounted.
func TestPackages(t *testing.T) {
	t.Parallel()
	img := scripted
	tree := t.TempDir()
	for name, text := range map[string]string{
		"tiny/package.json": `{"name": "tiny", "version": "1.0.0", "main": "index.js"}`,
		"tiny/index.js":     "exports.triple = n => 3 * n",
		"pure/package.json": `{"name": "pure", "version": "1.0.0", "type": "module", "exports": "./main.js"}`,
		"pure/main.js":      "import { triple } from 'tiny'\nexport default n => triple(n) + 1",
	} {
		path := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	img.Mounts = append(append(img.Mounts[:0:0], img.Mounts...), sandbox.Mount{Source: tree, Target: "/node_modules"})
	m := manager(t)
	s, err := m.Create(t.Context(), session.Options{Image: img}, event.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for code, want := range map[string]string{
		"import {triple} from 'tiny'\ntriple(2)": "6",
		"require('tiny').triple(3)":              "9",
		"import pure from 'pure'\npure(4)":       "13",
		"(await import('pure')).default(5)":      "16",
		"require('fs').writeFileSync('m.mjs', 'import p from \"pure\"; export const v = p(6)'); (await import('./m.mjs')).v": "19",
	} {
		if x := execute(t, s, code, false); x.Result["text"] != want {
			t.Errorf("%q: got %q, %+v", code, x.Result["text"], x.Error)
		}
	}
}

// TestPool keeps sessions of JavaScript warm. What they went through before leaves no
// count, no variable and no output.
func TestPool(t *testing.T) {
	t.Parallel()
	m := manager(t)
	const state = `[Object.getOwnPropertyNames(globalThis).length, process._getActiveHandles().length, process.exitCode, require("fs").readdirSync(".").length]`
	want := execute(t, fresh(m)(t, nil, 0), state, false)
	opt := session.Options{Image: scripted}
	if err := m.Warm(t.Context(), opt, 2, event.Discard); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s, err := m.Create(t.Context(), opt, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if o, _ := s.Origin(); o != session.FromPool {
			t.Errorf("the session was %s", o)
		}
		if x := execute(t, s, state, false); x.Status != event.OK || x.Result["text"] != want.Result["text"] || x.Stdout+x.Stderr != "" {
			t.Errorf("got %q, want %q: %+v", x.Result["text"], want.Result["text"], x)
		}
		if x := execute(t, s, "null.x", false); x.Error == nil || !strings.Contains(x.Error.Traceback, "<cell 2>:1") {
			t.Errorf("the second cell is another one: %+v", x.Error)
		}
	}
}
