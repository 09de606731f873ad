package check_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/plan/check"
	"praxis/internal/plan/compile"
	"praxis/internal/plan/label"
	"praxis/internal/plan/subset"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
	"praxis/internal/plan/vm"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

var (
	programs = flag.Int("programs", 100, "how many generated programs the soundness test runs")
	most     = flag.Int("most", 3, "how many failures are shown")
	modes    = flag.Int("modes", 3, "1: normal, 2: strict, 3: both")
	only     = flag.String("only", "", "a file with the one program that the soundness test runs")
	firstOne = flag.Uint64("first", 1, "the number of the first generated program")
)

const soundTools = `version: 1
inputs:
  given: {schema: {type: string}}
  pair: {schema: {type: object}, trusted: false}
tools:
  - {name: src.s, version: 1.0.0, description: text, effects: read, input: {type: object, properties: {x: {}, y: {}}}, labels: {readers: everyone}}
  - {name: src.t, version: 1.0.0, description: text, effects: read, input: {type: object, properties: {x: {}, y: {}}}, labels: {trusted: true, readers: everyone}}
  - {name: src.i, version: 1.0.0, description: number, effects: read, input: {type: object, properties: {x: {}, y: {}}}, labels: {readers: everyone}}
  - {name: src.l, version: 1.0.0, description: list, effects: read, input: {type: object, properties: {x: {}, y: {}}}, labels: {readers: everyone}}
  - {name: src.d, version: 1.0.0, description: dict, effects: read, input: {type: object, properties: {x: {}, y: {}}}, output: {type: object, additionalProperties: false, properties: {a: {type: string}, b: {type: array, items: {type: string, x-trusted: true}}, c: {type: object, properties: {d: {type: string, x-trusted: true, x-readers: [me]}}}}}, labels: {readers: everyone}}
  - {name: fails, version: 1.0.0, description: fails, effects: read, input: {type: object, properties: {x: {}, y: {}}}, labels: {readers: everyone}}
  - {name: sink, version: 1.0.0, description: takes, effects: pure, input: {type: object, properties: {x: {}, y: {}}}, labels: {readers: everyone}}
`

type soundWorld struct{ tools *tool.Set }

func newSoundWorld(t testing.TB) soundWorld {
	t.Helper()
	file, err := toolfile.Load("tools.yaml", []byte(soundTools))
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(file)
	if err != nil {
		t.Fatal(err)
	}
	return soundWorld{set}
}

// answer is what a tool returns in the test.
func answer(name string, n int) any {
	switch name {
	case "src.i":
		return int64(n % 4)
	case "src.l":
		return []any{"p", "q", fmt.Sprint("r", n%3)}[:1+n%3]
	case "src.d":
		return jsondoc.NewObject(jsondoc.Member{Name: "a", Value: "va"}, jsondoc.Member{Name: "b", Value: []any{"x", "y"}}, jsondoc.Member{Name: "c", Value: jsondoc.NewObject(jsondoc.Member{Name: "d", Value: "deep"})})
	}
	return fmt.Sprint("ab,c"[:n%4+1], n%7)
}

// site is a call of a tool in the program's text.
type site struct {
	tool      string
	line, col int
}

// violated compares a run with what the check promised. It returns what is wrong, and
// how many calls were made.
func (w soundWorld) violated(t testing.TB, src string, strict bool) (wrong string, calls int) {
	m, bad := syntax.Parse([]byte(src), syntax.Options{})
	if len(bad) == 0 {
		bad = compile.SyntaxErrors(m)
	}
	if len(bad) > 0 {
		if strings.Contains(bad[0].Message, "assignment expression") {
			return "", 0
		}
		t.Fatalf("%v\n%s", bad[0], src)
	}
	if refused := subset.Unsupported(m); len(refused) > 0 {
		t.Fatalf("%s\n%s", refused[0].Feature, src)
	}
	r, err := check.Check(t.Context(), check.Input{Name: "plan.py", Source: []byte(src), Module: m, Tools: w.tools, Strict: strict})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := vm.Compile(m, src, vm.Env{Tools: w.tools.Names(), Inputs: []string{"given", "pair", "today"}}, vm.Options{Strict: strict})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if r.Lost != nil {
		lostPrograms++
		t.Logf("too hard at line %d: %s", r.Lost.Line, r.Lost.Reason)
		return "", 0
	}
	table := label.NewTable()
	machine, err := vm.New(prog, vm.Config{Labels: table, Inputs: w.inputs(t, table), Now: time.Unix(0, 0),
		Limits: value.Limits{Steps: 300_000, Memory: 32 << 20, Calls: 300, Depth: 200}})
	if err != nil {
		t.Fatal(err)
	}
	flows := map[site]*check.Flow{}
	for i := range r.Flows {
		f := &r.Flows[i]
		flows[site{f.Tool, f.Line, f.Col}] = f
	}
	out, err := machine.Run()
	for {
		c, ok := out.(*vm.Call)
		if err != nil || !ok {
			if err != nil && fault.KindOf(err) != fault.Exhausted && fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%v\n%s", err, src)
			}
			if _, done := out.(vm.Done); done {
				for _, f := range r.Findings {
					if f.Kind == check.Value && f.Level == check.Error {
						return fmt.Sprintf("it ended well, but line %d: %s", f.Line, f.Message), calls
					}
				}
			}
			return "", calls
		}
		calls++
		deep := c.Control
		for _, a := range c.Args {
			deep = table.Join(deep, a.Data.Join(table))
		}
		if wrong := w.compare(c, flows, table, r, strict); wrong != "" {
			return wrong, calls
		}
		deep = table.Join(deep, table.Of(label.Source{Kind: label.Tool, Name: c.Tool, Call: c.Number, Line: c.Line, Col: c.Col}, label.Everyone()))
		if c.Tool == "fails" {
			out, err = machine.Raise("ToolError", "it failed", "", deep)
			continue
		}
		d, derr := value.DataOf(answer(c.Tool, c.Number), deep)
		if derr != nil {
			t.Fatal(derr)
		}
		out, err = machine.Reply(d)
	}
}

var lostPrograms int

func (w soundWorld) inputs(t testing.TB, table *label.Table) []value.Field {
	var out []value.Field
	for name, v := range map[string]any{"given": "ann", "pair": jsondoc.NewObject(jsondoc.Member{Name: "u", Value: "x"}, jsondoc.Member{Name: "v", Value: "y"}), "today": "2026-01-01"} {
		d, err := value.DataOf(v, table.Of(label.Source{Kind: label.User, Name: name, Trusted: name != "pair"}, label.Everyone()))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, value.Field{Name: name, Data: d})
	}
	slices.SortFunc(out, func(a, b value.Field) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// compare says what of a call the check did not foresee.
func (w soundWorld) compare(c *vm.Call, flows map[site]*check.Flow, table *label.Table, r *check.Result, strict bool) string {
	def, _ := w.tools.Lookup(c.Tool)
	f := flows[site{c.Tool, c.Line, c.Col}]
	foreign := f == nil
	if foreign {
		f = together(c.Tool, r)
	}
	if f == nil {
		return fmt.Sprintf("line %d: the call of %s was not foreseen", c.Line, c.Tool)
	}
	if f.Verdict == check.Dead {
		return fmt.Sprintf("line %d: the call of %s was said to be unreachable", c.Line, c.Tool)
	}
	var pos []value.Data
	var named []tool.Named[value.Data]
	for _, a := range c.Args {
		if a.Name == "" {
			pos = append(pos, a.Data)
		} else {
			named = append(named, tool.Named[value.Data]{Name: a.Name, Value: a.Data})
		}
	}
	for _, s := range table.Label(c.Control).Sources {
		if !f.Control.Has(s) && !f.Anything {
			return fmt.Sprintf("line %d: %s: control has %s, foreseen %v", c.Line, c.Tool, s, f.Control)
		}
	}
	bound, err := tool.BindArgs(def, pos, named)
	if err != nil {
		return ""
	}
	for _, b := range bound {
		i := slices.IndexFunc(f.Args, func(a check.Arg) bool { return a.Name == b.Name })
		if i < 0 {
			return fmt.Sprintf("line %d: %s: argument %s was not foreseen", c.Line, c.Tool, b.Name)
		}
		a := f.Args[i]
		l := table.Label(b.Value.Join(table))
		for _, s := range l.Sources {
			if !a.AnyFrom && !a.May.Has(s) {
				return fmt.Sprintf("line %d: %s: argument %s has %s at %d:%d, foreseen %v", c.Line, c.Tool, b.Name, s, s.Line, s.Col, a.May)
			}
		}
		for _, o := range a.Must {
			if !foreign && !slices.ContainsFunc(l.Sources, func(s label.Source) bool { return check.Sources{o}.Has(s) }) {
				return fmt.Sprintf("line %d: %s: argument %s lacks %v, which was certain; it has %s", c.Line, c.Tool, b.Name, o, l)
			}
		}
	}
	return ""
}

// together joins the flows of all calls of a tool, for calls whose place in the
// plan a run does not know.
func together(name string, r *check.Result) *check.Flow {
	var out *check.Flow
	for i := range r.Flows {
		f := &r.Flows[i]
		if f.Tool != name || f.Verdict == check.Dead {
			continue
		}
		if out == nil {
			out = &check.Flow{Tool: name}
		}
		out.Control = append(out.Control, f.Control...)
		for _, a := range f.Args {
			i := slices.IndexFunc(out.Args, func(b check.Arg) bool { return b.Name == a.Name })
			if i < 0 {
				out.Args = append(out.Args, check.Arg{Name: a.Name})
				i = len(out.Args) - 1
			}
			b := &out.Args[i]
			b.May = append(b.May[:len(b.May):len(b.May)], a.May...)
			b.AnyFrom = b.AnyFrom || a.AnyFrom
		}
	}
	return out
}

func TestSound(t *testing.T) {
	w := newSoundWorld(t)
	if *only != "" {
		src, err := os.ReadFile(*only)
		if err != nil {
			t.Fatal(err)
		}
		for _, strict := range []bool{false, true} {
			wrong, calls := w.violated(t, string(src), strict)
			t.Logf("strict %v: %d calls, wrong: %s", strict, calls, wrong)
		}
		return
	}
	total, failures := 0, 0
	for i := range uint64(*programs) {
		seed := *firstOne + i
		src := newGenerator(seed).program()
		for _, strict := range []bool{false, true} {
			if strict && *modes&2 == 0 || !strict && *modes&1 == 0 {
				continue
			}
			if file := os.Getenv("CHECK_SOUND_TRACE"); file != "" {
				if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			wrong, calls := w.checkedViolation(t, src, strict)
			total += calls
			if wrong != "" {
				t.Errorf("program %d, strict %v: %s\n%s", seed, strict, wrong, numbered(shrink(src, func(s string) bool { return w.still(t, s, strict) })))
				if failures++; failures >= *most {
					t.FailNow()
				}
			}
		}
	}
	if total < *programs {
		t.Errorf("only %d calls in %d programs", total, *programs)
	}
	t.Logf("%d calls, %d programs too hard", total, lostPrograms)
}

// soundModules use modules that hold what they are given, or call it.
const soundModules = `import sys, io, contextlib, types
v = src.s(1)
b = io.StringIO()
print(v, file=b)
sink(b.getvalue())
@contextlib.contextmanager
def cm(x):
    yield x
with cm(v) as y:
    sink(y)
try:
    sys.exit(v)
except SystemExit as e:
    sink(e.code)
try:
    exit(v)
except SystemExit as e:
    sink(e.code)
n = types.SimpleNamespace(a=v)
sink(n.a)
class W:
    def write(self, s): self.got = s
w = W()
print(v, file=w)
sink(w.got)
with contextlib.suppress(KeyError), cm(v) as z:
    sink(z)
sink(z)
sink(1)
`

// soundEnds ends a map by the end of one of its iterators.
const soundEnds = `v = src.s(1)
def gen():
    yield "a"
    return v
sink(list(gen()))
its = [iter([v, "a"]), iter(["b"]), iter([])]
xs = list(map(next, its))
sink(xs)
sink(len(xs))
ys = list(map(next, [iter("a"), iter(v), iter(v[:0]), iter("q")]))
sink(ys)
sink(len(ys))
ws = list(map(next, (iter(x) for x in ["ab", v, v[:0], "q"])))
sink(len(ws))
for z in map(next, [iter("a"), iter(v[:0]), iter("q")]):
    sink(z)
def g():
    for i in v:
        yield i
us = list(map(next, [iter("a"), g(), g()]))
sink(us)
sink(len(us))
class It:
    def __iter__(self): return self
    def __next__(self):
        if v == "zz":
            return 1
        raise StopIteration
ts = list(map(next, [iter("a"), It(), iter("b")]))
sink(ts)
sink(len(ts))
it = iter("abc")
m = map(next, [It(), it])
rs = list(m)
sink(list(it))
sink(1)
`

// soundParts reads attributes through __dict__ and __class__.
const soundParts = `v = src.s(1)
class C:
    count = 0
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.__class__.count += 1
    def show(self):
        return str(self.__dict__)
    def put(self, x):
        self.__class__.last = x
    def clone(self):
        cls = self.__class__
        return cls(**self.__dict__)
c = C(v, "b")
sink(c.__dict__["b"])
sink(c.__dict__["a"])
sink(c.show())
sink([k for k in c.__dict__])
sink([x for _, x in c.__dict__.items()])
sink(c.__dict__ == C(1, 2).__dict__)
c.put(v)
sink(C.last)
sink(c.clone().a)
sink({**c.__dict__})
def f(d): return d.get("a")
sink(f(c.__dict__))
k = c.__class__
sink(k(v, 1).a)
sink(C.count)
x = v.__class__
sink(x(3))
sink(str(c.__class__))
setattr(c, v, 1)
sink(list(c.__dict__))
sink(len(c.__dict__))
sink(1)
`

func TestSoundModules(t *testing.T) {
	w := newSoundWorld(t)
	for src, want := range map[string]int{soundModules: 10, soundEnds: 14, soundWith: 2, soundParts: 18} {
		for _, strict := range []bool{false, true} {
			if wrong, calls := w.violated(t, src, strict); wrong != "" || calls != want {
				t.Errorf("strict %v: %d calls, wrong: %s\n%s", strict, calls, wrong, src)
			}
		}
	}
}

// soundWith leaves a with statement whose manager is the library's: nobody
// handles what is raised after it.
const soundWith = `from decimal import localcontext
with localcontext() as x:
    pass
sink(2)
sink(1)
`

// checkedViolation is violated, where a panic is wrong, too.
func (w soundWorld) checkedViolation(t testing.TB, src string, strict bool) (wrong string, calls int) {
	defer func() {
		if r := recover(); r != nil {
			wrong = fmt.Sprint("panic: ", r)
		}
	}()
	return w.violated(t, src, strict)
}

// still says whether a program still shows something wrong.
func (w soundWorld) still(t testing.TB, src string, strict bool) bool {
	m, bad := syntax.Parse([]byte(src), syntax.Options{})
	if len(bad) > 0 || len(compile.SyntaxErrors(m)) > 0 || len(subset.Unsupported(m)) > 0 {
		return false
	}
	wrong, _ := w.checkedViolation(t, src, strict)
	return wrong != ""
}

// shrink takes lines out of a program as long as it fails.
func shrink(src string, fails func(string) bool) string {
	lines := strings.Split(strings.TrimRight(src, "\n"), "\n")
	for size := max(1, len(lines)/2); size >= 1; size /= 2 {
		for i := 0; i+size <= len(lines); {
			less := slices.Concat(lines[:i:i], lines[i+size:])
			if fails(strings.Join(less, "\n") + "\n") {
				lines = less
			} else {
				i++
			}
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func numbered(src string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(src) {
		n++
		fmt.Fprintf(&b, "%3d %s", n, line)
	}
	return b.String()
}
