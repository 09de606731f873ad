package wasm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/tool"
)

// bad are modules that are refused when the tool is made.
func bad() map[string]struct {
	data  []byte
	words string
} {
	code := func(body ...byte) []byte {
		return join(header, section(1, 1, 0x60, 0, 0), section(3, 1, 0), section(7, join([]byte{1}, named(entry), []byte{0, 0})...), section(10, body...))
	}
	type c = struct {
		data  []byte
		words string
	}
	return map[string]c{
		"empty":                  {nil, "not WebAssembly"},
		"text":                   {[]byte("#!/bin/sh\necho hello\n"), "not WebAssembly"},
		"version":                {[]byte("\x00asm\x0d\x00\x01\x00"), "component"},
		"header alone":           {header, "_start"},
		"no start":               {join(header, section(1, 1, 0x60, 0, 0)), "_start"},
		"start is memory":        {join(header, section(5, 1, 0, 1), section(7, join([]byte{1}, named(entry), []byte{2, 0})...)), "_start"},
		"cut":                    {tiny(nil)[:len(tiny(nil))-3], "in the middle"},
		"unknown op":             {tiny([]byte{0xf5}), "instruction 0xf5"},
		"unknown bulk op":        {tiny([]byte{0xfc, 18}), "instruction 0xfc"},
		"atomics":                {tiny([]byte{0xfe, 0x10, 0, 0}), "instruction 0xfe"},
		"operand cut":            {tiny([]byte{0x43, 0}), "section 10"},
		"many branches":          {tiny(bytes.Repeat([]byte{0x41, 0, 0x04, 0x40, 0x0b}, 60_000)), "too long to compile"},
		"many targets":           {tiny(bytes.Repeat(join([]byte{0x41, 0, 0x0e}, number(100_000), make([]byte, 100_001)), 60)), "too long to compile"},
		"many joins":             {withLocals(50_000, bytes.Repeat([]byte{0x41, 0, 0x04, 0x40, 0x0b}, 50)), "branches and locals"},
		"unknown section":        {join(tiny(nil), section(77)), "unknown section 77"},
		"section twice":          {join(tiny(nil), section(1, 0)), "twice"},
		"size of 4 GiB":          {join(header, []byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f}), "in the middle"},
		"size of 2^35":           {join(header, []byte{1, 0xff, 0xff, 0xff, 0xff, 0x7f}), "in the middle"},
		"import function":        {join(header, section(1, 1, 0x60, 0, 0), section(2, join([]byte{1}, named("env"), named("system"), []byte{0, 0})...)), "env.system"},
		"import of wasi":         {join(header, section(2, join([]byte{1}, named(wasi), named("proc_exec"), []byte{0, 0})...)), "proc_exec"},
		"import of ours":         {join(header, section(2, join([]byte{1}, named(host), named("exec"), []byte{0, 0})...)), "praxis.exec"},
		"import memory":          {join(header, section(2, join([]byte{1}, named("env"), named("memory"), []byte{2, 0, 1})...)), "not a function"},
		"huge table":             {tiny(nil, section(4, 1, 0x70, 0, 0xff, 0xff, 0xff, 0x3f)), "entries"},
		"many tables":            {tiny(nil, section(4, append([]byte{17}, bytes.Repeat([]byte{0x70, 0, 1}, 17)...)...)), "tables"},
		"kind of table":          {tiny(nil, section(4, 1, 0x40, 0, 0x70, 0, 1)), "not supported"},
		"locals of 4 GiB":        {code(1, 8, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x0b), "locals"},
		"locals summed":          {code(join([]byte{1, 16, 3}, bytes.Repeat([]byte{0xff, 0x9f, 0x02, 0x7f}, 3), []byte{0x0b, 0, 0})...), "locals"},
		"function cut":           {code(1, 100, 0, 0x0b), "section 10"},
		"count of 4 G":           {code(0xff, 0xff, 0xff, 0xff, 0x0f), "section 10"},
		"big section":            {join(header, section(1, make([]byte, maxSection+1)...)), "more than 1MiB"},
		"name is not text":       {join(header, section(2, 1, 1, 0xff, 0, 0, 0)), "section 2"},
		"two sections":           {join(header, section(0, join(named(host), []byte("{}"))...), section(0, join(named(host), []byte("{}"))...)), "more than one"},
		"not JSON":               {join(tiny(nil), section(0, join(named(host), []byte("{"))...)), "cannot be read"},
		"a list":                 {join(tiny(nil), section(0, join(named(host), []byte("[]"))...)), "not an object"},
		"an unknown requirement": {join(tiny(nil), section(0, join(named(host), []byte(`{"moon":true}`))...)), "unknown key"},
		"more than is granted": {join(tiny(nil), section(0, join(named(host), []byte(`{"hosts":["A.example.com:443"],"env":["TOKEN"],"clock":true,"random":true,"memory":"1GiB","files":{"/data":{"write":true}}}`))...)),
			"the folder /data, the variable TOKEN, the host A.example.com:443, 1GiB of memory, the clock, random numbers"},
	}
}

func TestRefusedModules(t *testing.T) {
	k := New(Config{})
	for name, c := range bad() {
		t.Run(name, func(t *testing.T) {
			_, err := shared(t).put(t, k, c.data, `{}`)
			wantFault(t, err, fault.Invalid, "cannot use module tiny.wasm", c.words)
		})
	}
	if len(k.programs) != 0 {
		t.Errorf("%d programs are stored", len(k.programs))
	}
}

func TestTinyModules(t *testing.T) {
	k := New(Config{})
	defer k.Close()
	f := shared(t)
	memory := section(5, 1, 0, 1)
	table := section(4, 1, 0x70, 0, 1) // one entry, without a greatest size
	for name, c := range map[string]struct {
		data  []byte
		grant string
		kind  fault.Kind
		words string
	}{
		"trap":        {tiny([]byte{0x00}), `{}`, fault.Internal, "trapped: unreachable"},
		"nothing":     {tiny(nil), `{}`, fault.Internal, "no answer"},
		"recursion":   {tiny([]byte{0x10, 0}), `{}`, fault.Internal, "stack overflow"},
		"bad code":    {tiny([]byte{0x6a}), `{}`, fault.Invalid, "cannot be compiled"},
		"loop":        {tiny([]byte{0x03, 0x40, 0x0c, 0, 0x0b}), `{"time":"200ms"}`, fault.Exhausted, "200ms"},
		"start loops": {join(header, section(1, 1, 0x60, 0, 0), section(3, 1, 0), section(7, join([]byte{1}, named(entry), []byte{0, 0})...), section(8, 0), section(10, 1, 7, 0, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b)), `{"time":"200ms"}`, fault.Exhausted, "200ms"},
		"big memory":  {tiny(nil, section(5, 1, 0, 0x80, 0x10)), `{}`, fault.Invalid, "cannot be compiled"},
		// memory.grow in a loop until it fails, then trap
		"memory grows": {tiny([]byte{0x03, 0x40, 0x41, 1, 0x40, 0, 0x41, 0x7f, 0x47, 0x0d, 0, 0x0b, 0x00}, memory), `{"memory":"2MiB","time":"5s"}`, fault.Internal, "unreachable"},
		// table.grow by 50,000 in a loop until it fails, then trap
		"table grows": {tiny([]byte{0x03, 0x40, 0xd0, 0x70, 0x41, 0xd0, 0x86, 0x03, 0xfc, 0x0f, 0, 0x41, 0x7f, 0x47, 0x0d, 0, 0x0b, 0x00}, table), `{"time":"5s"}`, fault.Internal, "unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			impl, err := f.put(t, k, c.data, c.grant)
			if err != nil {
				t.Fatal(err)
			}
			_, err = call(t, impl, `{}`)
			wantFault(t, err, c.kind, c.words)
		})
	}
}

// A host function that is called as something else than it is.
func TestWrongSignature(t *testing.T) {
	data := join(header, section(1, 1, 0x60, 0, 0), section(2, join([]byte{1}, named(host), named(httpCall), []byte{0, 0})...),
		section(3, 1, 0), section(7, join([]byte{1}, named(entry), []byte{0, 1})...), section(10, 1, 2, 0, 0x0b))
	impl, err := shared(t).put(t, New(Config{}), data, `{}`)
	if err == nil {
		_, err = call(t, impl, `{}`)
	}
	if err == nil || !strings.Contains(err.Error(), "signature mismatch") {
		t.Errorf("got %v", err)
	}
}

// A module without memory that calls what needs one.
func TestNoMemory(t *testing.T) {
	i32 := byte(0x7f)
	data := join(header, section(1, 2, 0x60, 0, 0, 0x60, 4, i32, i32, i32, i32, 1, i32), section(2, join([]byte{1}, named(host), named(httpCall), []byte{0, 1})...),
		section(3, 1, 0), section(7, join([]byte{1}, named(entry), []byte{0, 1})...), section(10, 1, 13, 0, 0x41, 0, 0x41, 1, 0x41, 0, 0x41, 1, 0x10, 0, 0x1a, 0x0b))
	impl, err := shared(t).put(t, New(Config{}), data, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, impl, `{}`); err == nil {
		t.Error("no error")
	}
}

func TestPin(t *testing.T) {
	f := shared(t)
	k := New(Config{})
	file := filepath.Join(t.TempDir(), "m.wasm")
	write := func(data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, second := tiny(nil), tiny([]byte{0x00})
	write(first)
	impl := f.tool(t, k, file, strings.ToUpper(digest(first)), `{}`)
	if want := "wasm m.wasm sha256:" + digest(first); impl.Identity() != want {
		t.Errorf("identity %q, want %q", impl.Identity(), want)
	}
	write(second)
	// The tool still is what was pinned.
	if _, err := call(t, impl, `{}`); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("got %v", err)
	}
	for sum, words := range map[string]string{
		digest(first): "sha256: " + digest(second),
		"":            "sha256: " + digest(second),
		"abc":         "64 hexadecimal digits",
		"sha256:zz":   "64 hexadecimal digits",
	} {
		spec := object(t, fmt.Sprintf(`{"module":%q,"sha256":%q,"grant":{}}`, file, sum))
		_, err := k.New(t.Context(), definition(t), tool.Binding{Spec: spec})
		wantFault(t, err, fault.Invalid, words)
	}
}

// Modules are compiled once: two tools share a program, and another process finds
// it in the folder.
func TestCompiledOnce(t *testing.T) {
	f := shared(t)
	dir := filepath.Join(t.TempDir(), "cache")
	k := New(Config{CacheDir: dir})
	data := answers(10)
	module, sum := filepath.Join(t.TempDir(), "m.wasm"), digest(data)
	if err := os.WriteFile(module, data, 0o600); err != nil {
		t.Fatal(err)
	}
	a, b := f.tool(t, k, module, sum, `{}`), f.tool(t, k, module, sum, `{"time":"5s"}`)
	if len(k.programs) != 1 {
		t.Errorf("%d programs", len(k.programs))
	}
	must(t, a, `{}`)
	must(t, b, `{}`)
	var files []string
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
		if d.Type().IsRegular() {
			files = append(files, p)
		}
		return nil
	})
	if len(files) != 1 {
		t.Fatalf("files in the cache: %q", files)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	must(t, b, `{}`)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := k.Close(); err != nil || len(k.programs) != 0 {
		t.Errorf("%v, %d programs", err, len(k.programs))
	}
	// A file that was cut off is no more than a slow start.
	if err := os.Truncate(files[0], 100); err != nil {
		t.Fatal(err)
	}
	must(t, f.tool(t, New(Config{CacheDir: dir}), module, sum, `{}`), `{}`)
	// What others could have written is not run.
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	spec := object(t, fmt.Sprintf(`{"module":%q,"sha256":%q,"grant":{}}`, module, sum))
	_, err := New(Config{CacheDir: dir}).New(t.Context(), definition(t), tool.Binding{Spec: spec})
	wantFault(t, err, fault.Denied, "others may write to it")
}

func TestSettings(t *testing.T) {
	f := shared(t)
	dir := t.TempDir()
	for text, words := range map[string]string{
		`{}`:                                                                  "module",
		`{"module":"try.wasm"}`:                                               "manifest",
		`{"module":"try.wasm","grant":null}`:                                  "manifest",
		`{"modul":"x"}`:                                                       "module",
		`{"module":"none.wasm","grant":{}}`:                                   "no such file",
		`{"module":".","grant":{}}`:                                           "not a file",
		`{"module":"a\u0000b","grant":{}}`:                                    "NUL",
		`{"module":"m","grant":{"file":{}}}`:                                  "files",
		`{"module":"m","grant":{"memory":64}}`:                                "/grant/memory",
		`{"module":"m","grant":{"memory":"8GiB"}}`:                            "at most 1GiB",
		`{"module":"m","grant":{"memory":"1KiB"}}`:                            "64KiB",
		`{"module":"m","grant":{"memory":"-1MiB"}}`:                           "size",
		`{"module":"m","grant":{"memory":"99999999999999999999GiB"}}`:         "size",
		`{"module":"m","grant":{"time":"1h"}}`:                                "10m",
		`{"module":"m","grant":{"time":"-1s"}}`:                               "time",
		`{"module":"m","grant":{"output":"1GiB"}}`:                            "16MiB",
		`{"module":"m","grant":{"files":{"data":{"path":"x"}}}}`:              "absolute",
		`{"module":"m","grant":{"files":{"/a/../b":{"path":"x"}}}}`:           "clean",
		`{"module":"m","grant":{"files":{"/data":{}}}}`:                       "path is missing",
		`{"module":"m","grant":{"files":{"/data":{"path":"x","wrte":true}}}}`: "write",
		`{"module":"try.wasm","sha256":"` + f.sum + `","grant":{"files":{"/data":{"path":"/nowhere/at/all"}}}}`: "the folder for /data is not there",
		`{"module":"m","grant":{"env":{"A=B":"x"}}}`:                                                            "name",
		`{"module":"m","grant":{"env":{"A":"x\u0000"}}}`:                                                        "NUL",
		`{"module":"m","grant":{"env":{"A":1}}}`:                                                                "secret",
		`{"module":"m","grant":{"env":{"A":{"secrt":"X"}}}}`:                                                    "secret",
		`{"module":"m","grant":{"hosts":["example.com"]}}`:                                                      "port",
		`{"module":"m","grant":{"hosts":["*.example.com:443"]}}`:                                                "wildcards",
		`{"module":"m","grant":{"hosts":["example.com:0"]}}`:                                                    "host",
		`{"module":"m","grant":{"hosts":["https://example.com:443"]}}`:                                          "host",
		`{"module":"m","grant":{"hosts":["[fe80::1%eth0]:443"]}}`:                                               "host",
	} {
		_, err := f.kind.New(t.Context(), definition(t), tool.Binding{Spec: object(t, text), Dir: f.dir})
		if err == nil || !strings.Contains(err.Error()+fault.RemedyOf(err), words) {
			t.Errorf("%s: got %v (%s), want %q", text, err, fault.RemedyOf(err), words)
		}
		if k := fault.KindOf(err); k != fault.Invalid && k != fault.NotFound {
			t.Errorf("%s: kind %v", text, k)
		}
	}
	// A folder that went away fails the call.
	impl := f.with(t, f.kind, fmt.Sprintf(`{"files":{"/data":{"path":%q}}}`, dir))
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	_, err := call(t, impl, `{"do":"echo"}`)
	wantFault(t, err, fault.Unavailable, "/data")
	// And so is a secret that is not there.
	_, err = call(t, f.with(t, f.kind, `{"env":{"A":{"secret":"NONE"}}}`), `{"do":"echo"}`)
	wantFault(t, err, fault.NotFound, "no secret NONE")
	_, err = call(t, f.with(t, New(Config{}), `{"env":{"A":"{secret:CRM}"}}`), `{"do":"echo"}`)
	wantFault(t, err, fault.Invalid, "no secret CRM")
	if v, err := f.kind.Derive(context.Background(), tool.Binding{}); v != nil || err != nil {
		t.Errorf("derived %v, %v", v, err)
	}
}

// The instructions of vectors, of memory and of tables are known by their operands:
// the compiler reads the same ones and finds nothing wrong.
func TestInstructions(t *testing.T) {
	address := []byte{0x41, 0}
	vector := join([]byte{0xfd, 12}, make([]byte, 16))
	body := join(
		address, []byte{0xfd, 0, 4, 0, 0x1a}, // v128.load
		vector, vector, []byte{0xfd, 13}, make([]byte, 16), []byte{0x1a}, // i8x16.shuffle
		vector, []byte{0xfd, 21, 3, 0x1a}, // i8x16.extract_lane_s
		address, vector, []byte{0xfd, 84, 0, 0, 3, 0x1a}, // v128.load8_lane
		address, []byte{0xfd, 92, 2, 0, 0x1a}, // v128.load32_zero
		vector, []byte{0xfd, 0x4d, 0x1a}, // v128.not
		vector, vector, []byte{0xfd, 0xba, 0x01, 0x1a}, // i32x4.dot_i16x8_s
		[]byte{0x43, 0, 0, 0, 0, 0xfc, 0, 0x1a}, // f32.const, i32.trunc_sat_f32_s
		[]byte{0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0x1a, 0x42, 0x7f, 0x1a},
		address, address, address, []byte{0xfc, 10, 0, 0}, // memory.copy
		address, address, address, []byte{0xfc, 11, 0}, // memory.fill
		address, address, address, []byte{0xfc, 14, 0, 0}, // table.copy
		[]byte{0xfc, 16, 0, 0x1a, 0xd0, 0x70, 0xd1, 0x1a}, // table.size, ref.null, ref.is_null
		address, address, address, []byte{0x1c, 1, 0x7f, 0x1a}, // select
		[]byte{0x02, 0x40}, address, []byte{0x0e, 1, 0, 0, 0x0b}, // br_table in a block
		address, []byte{0x28, 2, 0, 0x1a, 0x3f, 0, 0x1a},
		address, []byte{0x11, 0, 0}, // call_indirect, of nothing
	)
	impl, err := shared(t).put(t, New(Config{}), tiny(body, section(4, 1, 0x70, 0, 1), section(5, 1, 0, 1)), `{}`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = call(t, impl, `{}`)
	wantFault(t, err, fault.Internal, "trapped: invalid table access")
}

// What is closed while it compiles is freed when that has ended.
func TestClosedWhileCompiling(t *testing.T) {
	k := New(Config{})
	impl, err := shared(t).put(t, k, answers(3000), `{}`)
	if err != nil {
		t.Fatal(err)
	}
	p := impl.(*implementation).program
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := impl.Call(ctx, tool.Invocation{}); err == nil {
		t.Error("no error")
	}
	if err := impl.Close(); err != nil {
		t.Error(err)
	}
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.made || !p.unused || len(k.programs) != 0 {
		t.Errorf("made %v, unused %v, %d programs", p.made, p.unused, len(k.programs))
	}
}
