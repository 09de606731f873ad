package vm

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// TestDumpKnowsEveryObject checks that each type of objects can be stored, and each name of
// a field that is left out is that of a field.
func TestDumpKnowsEveryObject(t *testing.T) {
	known := map[string]bool{"Native": true}
	for _, d := range layouts().types {
		known[d.name] = true
	}
	var files []string
	for _, pattern := range []string{"*.go", "../*/*.go", "../library/native/*.go", "../library/native/*/*.go"} {
		found, _ := filepath.Glob(pattern)
		files = append(files, found...)
	}
	objects := map[string]bool{"Exception": true} // its method is that of the Instance in it
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != "Class" || fn.Recv == nil || fn.Type.Params.NumFields() != 1 ||
				!strings.HasSuffix(types.ExprString(fn.Type.Params.List[0].Type), "Thread") {
				continue
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				object := star.X.(*ast.Ident).Name
				objects[object] = true
				if !known[object] {
					t.Errorf("%s: objects of type %s are not among dumpObjects", name, object)
				}
			}
		}
	}
	if !maps.Equal(objects, known) {
		t.Errorf("the sources have the objects %v, a dump knows %v", objects, known)
	}
	structs := map[string]reflect.Type{"VM": reflect.TypeFor[VM](), "Thread": reflect.TypeFor[value.Thread](), "Frame": reflect.TypeFor[Frame](), "Config": reflect.TypeFor[Config]()}
	for _, d := range layouts().types {
		structs[d.name] = d.typ
	}
	for name := range skipped {
		typ, field, _ := strings.Cut(name, ".")
		if structs[typ] == nil {
			t.Errorf("skipped names %s, which is no type of a dump", name)
		} else if _, ok := structs[typ].FieldByName(field); !ok {
			t.Errorf("skipped names %s, which is no field", name)
		}
	}
}

// ticked puts a call of the tool tick before the statements of a program, but not
// where the language itself waits for a function.
func ticked(m *syntax.Module) {
	m.Body = tickedBlock(m.Body)
}

func tickedBlock(body []syntax.Stmt) []syntax.Stmt {
	out := make([]syntax.Stmt, 0, 2*len(body))
	for i, s := range body {
		switch n := s.(type) {
		case *syntax.FunctionDef:
			if !strings.HasPrefix(n.Name, "__") && len(n.Decorators) == 0 {
				n.Body = tickedBlock(n.Body)
			}
		case *syntax.ClassDef:
			n.Body = tickedBlock(n.Body)
		case *syntax.If:
			n.Body, n.OrElse = tickedBlock(n.Body), tickedBlock(n.OrElse)
		case *syntax.For:
			n.Body, n.OrElse = tickedBlock(n.Body), tickedBlock(n.OrElse)
		case *syntax.While:
			n.Body, n.OrElse = tickedBlock(n.Body), tickedBlock(n.OrElse)
		case *syntax.With:
			n.Body = tickedBlock(n.Body)
		case *syntax.TryStmt:
			n.Body, n.OrElse, n.FinalBody = tickedBlock(n.Body), tickedBlock(n.OrElse), tickedBlock(n.FinalBody)
			for _, h := range n.Handlers {
				h.Body = tickedBlock(h.Body)
			}
		case *syntax.Match:
			for _, c := range n.Cases {
				c.Body = tickedBlock(c.Body)
			}
		case *syntax.ImportFrom:
			if n.Module == "__future__" {
				out = append(out, s)
				continue
			}
		case *syntax.ExprStmt:
			if _, doc := syntax.Docstring(body); doc && i == 0 {
				out = append(out, s)
				continue
			}
		case *syntax.Global, *syntax.Nonlocal:
			out = append(out, s)
			continue
		}
		at := s.Range()
		out = append(out, &syntax.ExprStmt{Span: at, Value: &syntax.Call{Span: at, Func: &syntax.Name{Span: at, ID: "tick"}}}, s)
	}
	return out
}

// drive runs a program that calls tick. At the calls that dumps names the state is
// stored and loaded; the shape of the bytes is checked, too.
func drive(t *testing.T, p *Program, dumps func(n int) bool) (out string, err error) {
	t.Helper()
	vm, err := New(p, Config{Limits: value.Limits{Steps: 20_000_000, Calls: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	o, err := vm.Run()
	for n := 1; ; n++ {
		call, ok := o.(*Call)
		if err != nil || !ok {
			break
		}
		if dumps(n) {
			for _, c := range vm.Output() {
				b.WriteString(c.Text)
			}
			vm = reload(t, vm, p, call)
		}
		o, err = vm.Reply(value.Data{})
	}
	for _, c := range vm.Output() {
		b.WriteString(c.Text)
	}
	if f, ok := o.(*Failed); ok {
		b.WriteString(f.Full)
	}
	return b.String(), err
}

// reload stores the state of a VM, loads it and stores it again.
func reload(t *testing.T, vm *VM, p *Program, call *Call) *VM {
	t.Helper()
	data, err := vm.Dump()
	if err != nil {
		t.Fatalf("at line %d: %v", call.Line, err)
	}
	loaded, err := Load(p, data)
	if err != nil {
		t.Fatalf("at line %d: %v", call.Line, err)
	}
	again, err := loaded.Dump()
	if err != nil {
		t.Fatalf("at line %d: %v", call.Line, err)
	}
	if !bytes.Equal(data, again) {
		t.Fatalf("at line %d: the state is stored otherwise after it was loaded: %d and %d bytes, %v", call.Line, len(data), len(again), firstDifference(data, again))
	}
	return loaded
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// anywhere is for tests of stored states. A commit stores and loads the state at
// one in five of the first calls of a program, which one depends on the program,
// and damages one in seven of its bytes.
var anywhere = flag.Bool("all", false, "store and load the state at all of the first calls of a program, and damage each of its bytes")

// TestDumpAnywhere runs the language files with the state stored and loaded all the time.
func TestDumpAnywhere(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.py")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if only := os.Getenv("ONLY"); only != "" && !strings.Contains(file, only) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			t.Parallel()
			for i, c := range strings.Split(string(src), "\n---\n") {
				m, errs := syntax.Parse([]byte(c+"\n"), syntax.Options{})
				if len(errs) > 0 {
					continue
				}
				ticked(m)
				p, err := Compile(m, c, Env{Tools: []string{"tick"}}, Options{Strict: i%2 == 1})
				if err != nil {
					continue
				}
				want, err := drive(t, p, func(int) bool { return false })
				if err != nil && fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Exhausted {
					t.Fatal(err)
				}
				got, err2 := drive(t, p, func(n int) bool { return (n < 16 || n%97 == 0 && n < 4000) && (*anywhere || (n+i)%5 == 0) })
				if got != want || (err == nil) != (err2 == nil) {
					t.Errorf("case %d: with the state stored and loaded:\n%s\n%v\nwithout:\n%s\n%v", i, got, err2, want, err)
				}
			}
		})
	}
}

// waiting returns a plan that waits for a tool with a bit of everything in its state.
func waiting(t testing.TB) (*Program, *VM) {
	p := program(t, stateful, Env{Tools: []string{"box.get"}, Inputs: []string{"who"}}, Options{})
	vm, err := New(p, Config{Inputs: []value.Field{{Name: "who", Data: value.Data{Value: "me", Label: 0}}}})
	if err != nil {
		t.Fatal(err)
	}
	o, err := vm.Run()
	if _, ok := o.(*Call); err != nil || !ok {
		t.Fatal(o, err)
	}
	return p, vm
}

const stateful = `
class Point:
    """A point."""
    def __init__(self, x, y=2):
        self.x, self.y = x, y
    def moved(self, by):
        def inner(n):
            return self.x + by + n
        return inner
def numbers(n):
    for i in range(n):
        try:
            yield i * 1.5
        finally:
            seen.append(i)
seen = []
cycle = [1, 2.5, "three", b"4", None, True, 10**30, (5, 6), {7, "8"}, frozenset([9]), range(3), slice(1, 2)]
cycle.append(cycle)
table = {"a": cycle, 1: "é", (2, 3): Point(4)}
del table[1]
gen = numbers(5)
next(gen)
it = iter(table.items())
step = Point(1).moved(2)
print("before")
def work(p, *rest, key=1, **more):
    with_gen = [x for x in gen if x > 2]
    for k, v in it:
        try:
            raise ValueError(k)
        except ValueError as e:
            answer = box.get(k, [1, {"deep": p.x}], limit=key)
            print(e, answer, with_gen, next(numbers(2)), step(1), cycle[-1] is cycle, more, rest)
work(Point("p"), 1, 2, key=3, other=4)
print(sorted(seen))
`

func TestDumpAndLoad(t *testing.T) {
	p, vm := waiting(t)
	data, err := vm.Dump()
	if err != nil {
		t.Fatal(err)
	}
	run := func(vm *VM) string {
		var b strings.Builder
		var o Stop = &Call{}
		var err error
		for n := 0; err == nil; n++ {
			if _, ok := o.(*Call); !ok {
				break
			}
			d, _ := value.DataOf("answer", 0)
			o, err = vm.Reply(d)
		}
		for _, c := range vm.Output() {
			b.WriteString(c.Text)
		}
		if _, ok := o.(Done); !ok || err != nil {
			t.Fatalf("%v %v %s", o, err, b.String())
		}
		return b.String()
	}
	loaded, err := Load(p, data)
	if err != nil {
		t.Fatal(err)
	}
	if c := loaded.Calls(); len(c) != 1 || c[0] != vm.Calls()[0] {
		t.Errorf("calls are %v, want %v", c, vm.Calls())
	}
	other, err := Load(p, data)
	if err != nil {
		t.Fatal(err)
	}
	want := run(vm)
	if got := run(loaded); got != want {
		t.Errorf("the loaded VM prints %q, want %q", got, want)
	}
	if got := run(other); got != want {
		t.Errorf("the second loaded VM prints %q, want %q", got, want)
	}
	if _, err := vm.Dump(); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a plan that has ended is stored: %v", err)
	}
}

// resum gives changed bytes a right sum, so that what comes after it is reached.
func resum(data []byte) []byte {
	body := data[:max(0, len(data)-sumSize)]
	sum := sha256.Sum256(body)
	return append(body[:len(body):len(body)], sum[:sumSize]...)
}

func TestDumpIsRefused(t *testing.T) {
	p, vm := waiting(t)
	data, err := vm.Dump()
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, why string
		data      []byte
		kind      fault.Kind
	}{
		{"empty", "it is none", nil, fault.Invalid},
		{"other bytes", "it is none", bytes.Repeat([]byte("x"), 500), fault.Invalid},
		{"cut", "it was changed or is not whole", data[:len(data)-1], fault.Invalid},
		{"longer", "it was changed or is not whole", append(data[:len(data):len(data)], 0), fault.Invalid},
		{"changed", "it was changed or is not whole", flip(data, len(data)/2), fault.Invalid},
		{"version", "version 9", resum(set(data, len(dumpMagic), 9)), fault.Conflict},
		{"program", "another program", resum(flip(data, len(dumpMagic)+1)), fault.Conflict},
		{"machine", "another version", resum(flip(data, len(dumpMagic)+1+sumSize)), fault.Conflict},
	}
	for _, c := range cases {
		_, err := Load(p, c.data)
		if fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.why) || fault.RemedyOf(err) == "" {
			t.Errorf("%s: Load gives %v, want %q", c.name, err, c.why)
		}
	}
	if _, err := Load(program(t, "box.get()", Env{Tools: []string{"box.get"}}, Options{}), data); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the state of another program: %v", err)
	}
	if _, err := Load(program(t, stateful, Env{Tools: []string{"box.get"}}, Options{}), data); fault.KindOf(err) != fault.Conflict {
		t.Errorf("the state of the program with other inputs: %v", err)
	}
}

func flip(data []byte, i int) []byte { return set(data, i, data[i]^1) }

func set(data []byte, i int, b byte) []byte {
	out := bytes.Clone(data)
	out[i] = b
	return out
}

// TestDumpDamage changes each byte of a state whose sum is right: Load must
// refuse it or give a VM, and that VM must not take the process with it.
func TestDumpDamage(t *testing.T) {
	t.Parallel()
	p, vm := waiting(t)
	data, err := vm.Dump()
	if err != nil {
		t.Fatal(err)
	}
	step := 7
	if *anywhere {
		step = 1
	}
	for i := len(dumpMagic) + 1 + 2*sumSize; i < len(data)-sumSize; i += step {
		for _, b := range []byte{data[i] ^ 1, data[i] + 1, 0, 0x7f, 0xff} {
			try1(p, resum(set(data, i, b)))
		}
	}
}

// try1 loads a state that may be wrong and lets it run for a while.
func try1(p *Program, data []byte) {
	vm, err := Load(p, data)
	if err != nil {
		return
	}
	vm.t.StepsLeft = min(vm.t.StepsLeft, 10_000)
	var o Stop = &Call{}
	for range 5 {
		if _, ok := o.(*Call); !ok || err != nil {
			return
		}
		o, err = vm.Reply(value.Data{})
	}
}

func FuzzLoad(f *testing.F) {
	p, vm := waiting(f)
	data, err := vm.Dump()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		try1(p, data)
		// Most changes are in what the head protects: give it the right head and sum.
		if n := len(dumpMagic) + 1 + 2*sumSize; len(data) > n+sumSize {
			_, vm := waiting(t)
			good, err := vm.Dump()
			if err != nil {
				t.Fatal(err)
			}
			try1(p, resum(append(good[:n:n], data[n:]...)))
		}
	})
}

func BenchmarkDump(b *testing.B) {
	p, vm := waiting(b)
	data, err := vm.Dump()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("dump", func(b *testing.B) {
		for b.Loop() {
			if _, err := vm.Dump(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(data))/1024, "KiB")
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := Load(p, data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
