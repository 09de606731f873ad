package wasm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// fixture is what the tests share: the module of testdata/try, built once, and a
// kind that compiles it once.
type fixture struct {
	dir    string
	module string
	sum    string
	kind   *Kind
}

// build makes the fixture; TestMain takes it away again.
var build = sync.OnceValues(func() (*fixture, error) {
	dir, err := os.MkdirTemp("", "wasm-test-")
	if err != nil {
		return nil, err
	}
	f := &fixture{dir: dir, module: filepath.Join(dir, "try.wasm")}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", f.module, "main.go")
	c.Dir = filepath.Join("testdata", "try")
	c.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if out, err := c.CombinedOutput(); err != nil {
		return f, fmt.Errorf("cannot build the module: %w\n%s", err, out)
	}
	data, err := os.ReadFile(f.module)
	if err != nil {
		return f, err
	}
	f.sum = digest(data)
	f.kind = New(Config{CacheDir: filepath.Join(dir, "cache"), Secrets: secrets{"CRM": "canary-in-the-environment"}, Parallel: 4})
	return f, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built {
		if f, _ := build(); f != nil {
			_ = os.RemoveAll(f.dir)
		}
	}
	os.Exit(code)
}

// built says that there is something to take away.
var built bool

func shared(t testing.TB) *fixture {
	t.Helper()
	built = true
	f, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// secrets is a source of secrets.
type secrets map[string]string

// Secret returns a secret.
func (s secrets) Secret(name string) (string, error) {
	if v, ok := s[name]; ok {
		return v, nil
	}
	return "", fault.New(fault.NotFound, "", "there is no secret %s", name)
}

func definition(t testing.TB) *tool.Definition {
	t.Helper()
	file, err := toolfile.Load("tools.yaml", []byte("version: 1\ntools:\n  - {name: test.probe, version: 1.0.0, description: Tries., effects: pure, input: {type: object}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(file)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := set.Lookup("test.probe")
	return d
}

func object(t testing.TB, text string) *jsondoc.Object {
	t.Helper()
	v, err := jsondoc.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v.(*jsondoc.Object)
}

// with makes a tool of the shared module, with a manifest.
func (f *fixture) with(t testing.TB, k *Kind, grant string) tool.Implementation {
	t.Helper()
	return f.tool(t, k, f.module, f.sum, grant)
}

func (f *fixture) tool(t testing.TB, k *Kind, module, sum, grant string) tool.Implementation {
	t.Helper()
	spec := object(t, fmt.Sprintf(`{"module": %q, "sha256": %q, "grant": %s}`, module, sum, grant))
	impl, err := k.New(t.Context(), definition(t), tool.Binding{Kind: "wasm", Spec: spec, Dir: f.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := impl.Close(); err != nil {
			t.Error(err)
		}
	})
	return impl
}

// call calls a tool with arguments in JSON and returns the result in JSON.
func call(t testing.TB, impl tool.Implementation, arguments string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	v, err := impl.Call(ctx, tool.Invocation{ID: "c1", Key: "k1", Arguments: object(t, arguments)})
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), nil
}

// must is call for what must not fail.
func must(t testing.TB, impl tool.Implementation, arguments string) string {
	t.Helper()
	out, err := call(t, impl, arguments)
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	return out
}

// wantFault checks the kind of an error and words in it.
func wantFault(t testing.TB, err error, kind fault.Kind, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %v with %q", kind, words)
	}
	if got := fault.KindOf(err); got != kind {
		t.Errorf("error of kind %v, want %v: %v", got, kind, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error()+" "+fault.RemedyOf(err), w) {
			t.Errorf("error %q (%s) does not say %q", err, fault.RemedyOf(err), w)
		}
	}
}

// section, vector and named assemble the binary format.
func section(id byte, body ...byte) []byte {
	return append(append([]byte{id}, number(len(body))...), body...)
}

func number(n int) []byte {
	var out []byte
	for n >= 0x80 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n))
}

func named(s string) []byte { return append(number(len(s)), s...) }

func join(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

var header = []byte("\x00asm\x01\x00\x00\x00")

// tiny is a module whose _start has this body; before it come other sections
// between functions and exports (tables, memories).
func tiny(body []byte, middle ...[]byte) []byte {
	fn := join(number(len(body)+2), []byte{0}, body, []byte{0x0b})
	return join(header,
		section(1, 1, 0x60, 0, 0), // type 0: func()
		section(3, 1, 0),
		join(middle...),
		section(7, join([]byte{1}, named(entry), []byte{0, 0})...),
		section(10, join([]byte{1}, fn)...),
	)
}

// withLocals is a module whose _start has locals.
func withLocals(n int, body []byte) []byte {
	fn := join([]byte{1}, number(n), []byte{0x7f}, body, []byte{0x0b})
	return join(header, section(1, 1, 0x60, 0, 0), section(3, 1, 0), section(7, join([]byte{1}, named(entry), []byte{0, 0})...),
		section(10, join([]byte{1}, number(len(fn)), fn)...))
}

// answers is a module that answers 1, after as many ifs.
func answers(ifs int) []byte {
	i32 := byte(0x7f)
	fn := join([]byte{0}, bytes.Repeat([]byte{0x41, 0, 0x04, 0x40, 0x0b}, ifs),
		[]byte{0x41, 1, 0x41, 0, 0x41, 1, 0x41, 16, 0x10, 0, 0x1a, 0x0b}) // fd_write(1, 0, 1, 16)
	return join(header,
		section(1, 2, 0x60, 0, 0, 0x60, 4, i32, i32, i32, i32, 1, i32),
		section(2, join([]byte{1}, named(wasi), named("fd_write"), []byte{0, 1})...),
		section(3, 1, 0), section(5, 1, 0, 1),
		section(7, join([]byte{2}, named(entry), []byte{0, 1}, named("memory"), []byte{2, 0})...),
		section(10, join([]byte{1}, number(len(fn)), fn)...),
		section(11, join([]byte{1, 0, 0x41, 0, 0x0b, 9}, []byte{8, 0, 0, 0, 1, 0, 0, 0, '1'})...), // one text, at 8, of length 1
	)
}

// put writes a module and makes a tool of it.
func (f *fixture) put(t testing.TB, k *Kind, data []byte, grant string) (tool.Implementation, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tiny.wasm")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	spec := object(t, fmt.Sprintf(`{"module": %q, "sha256": %q, "grant": %s}`, file, digest(data), grant))
	impl, err := k.New(t.Context(), definition(t), tool.Binding{Kind: "wasm", Spec: spec})
	if err == nil {
		t.Cleanup(func() { _ = impl.Close() })
	}
	return impl, err
}
