package vm

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"

	"praxis/internal/plan/label"
	"praxis/internal/plan/syntax"
	"praxis/internal/plan/value"
)

// leaky writes random programs that do all sorts of things with a secret.
type leaky struct {
	r     *rand.Rand
	b     strings.Builder
	depth int
	loops int
	fn    bool // in a function
}

var leakyVars = []string{"a", "b", "c"}

// leakyNames are the globals that are looked at in the end.
var leakyNames = []string{"a", "b", "c", "xs", "ys", "d"}

func (g *leaky) line(format string, args ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("    ", g.depth), fmt.Sprintf(format, args...))
}

func (g *leaky) pick(list ...string) string { return list[g.r.Intn(len(list))] }

func (g *leaky) v() string { return g.pick(leakyVars...) }

// number is an expression that gives a number.
func (g *leaky) number(deep int) string {
	if deep == 0 {
		return g.pick("0", "1", "2", "3", "a", "b", "c", "secret", "len(xs)")
	}
	x, y := g.number(deep-1), g.number(deep-1)
	switch g.r.Intn(15) {
	case 0:
		return "(" + x + " + " + y + ")"
	case 1:
		return "(" + x + " - " + y + ") % 5"
	case 2:
		return "(" + x + " if " + g.cond(deep-1) + " else " + y + ")"
	case 3:
		return "(" + x + " and " + y + ")"
	case 4:
		return "(" + x + " or " + y + ")"
	case 5:
		return "len([i for i in range(" + g.number(0) + " % 4) if i != " + y + "])"
	case 6:
		return "sum(i for i in xs[:3] if i > " + x + ")"
	case 7:
		return "d.get(" + x + " % 3, " + y + ")"
	case 8:
		return "pure(" + x + ")"
	case 9:
		return "early(" + x + ", " + y + ")"
	case 10:
		return "impure(" + x + ")"
	case 11:
		return "(" + g.v() + " := " + x + " % 7)"
	case 12:
		return "o.v"
	case 13:
		return "max([" + x + ", " + y + "])"
	}
	return x
}

func (g *leaky) cond(deep int) string {
	switch g.r.Intn(6) {
	case 0:
		return "secret > " + strconv.Itoa(g.r.Intn(4))
	case 1:
		return g.number(deep) + " < " + g.number(deep) + " < 3"
	case 2:
		return "not " + g.number(deep)
	case 3:
		return g.number(deep) + " in xs"
	}
	return g.number(deep) + " " + g.pick("<", "==", "!=", ">=") + " " + g.number(deep)
}

func (g *leaky) block(n int) {
	g.depth++
	for range 1 + g.r.Intn(3) {
		g.stmt(n)
	}
	g.depth--
}

func (g *leaky) stmt(deep int) {
	if deep <= 0 || g.depth > 5 {
		g.simple()
		return
	}
	switch g.r.Intn(16) {
	case 0, 1, 2:
		g.line("if %s:", g.cond(1))
		g.block(deep - 1)
		if g.r.Intn(2) == 0 {
			g.line("else:")
			g.block(deep - 1)
		}
	case 3, 4:
		g.line("for %s in %s:", g.pick("i", "a", "b"), g.pick("range("+g.number(1)+" % 4)", "list(xs)[:4]", "sorted(d)"))
		g.loops++
		g.block(deep - 1)
		g.loops--
	case 5:
		g.line("for _ in range(4):")
		g.depth++
		g.line("if not %s: break", g.cond(1))
		g.depth--
		g.loops++
		g.block(deep - 1)
		g.loops--
	case 6, 7:
		g.line("try:")
		g.block(deep - 1)
		g.line("except %s:", g.pick("ValueError", "ZeroDivisionError", "IndexError", "Exception", "(KeyError, TypeError)"))
		g.block(deep - 1)
		if g.r.Intn(3) == 0 {
			g.line("else:")
			g.block(deep - 1)
		}
		if g.r.Intn(3) == 0 {
			g.line("finally:")
			loops, fn := g.loops, g.fn
			g.loops, g.fn = 0, false
			g.block(deep - 1)
			g.loops, g.fn = loops, fn
		}
	case 8:
		g.line("match %s:", g.number(1))
		g.depth++
		g.line("case 0 | 1:")
		g.block(deep - 1)
		g.line("case %s if %s:", g.v(), g.cond(0))
		g.block(deep - 1)
		g.line("case _:")
		g.block(deep - 1)
		g.depth--
	case 9:
		g.line("with ctx(%s):", g.number(0))
		g.block(deep - 1)
	default:
		g.simple()
	}
}

func (g *leaky) simple() {
	if g.loops > 0 && g.r.Intn(6) == 0 {
		g.line("if %s: %s", g.cond(0), g.pick("break", "continue"))
		return
	}
	if g.fn && g.r.Intn(6) == 0 {
		g.line("if %s: return %s", g.cond(0), g.number(1))
		return
	}
	switch g.r.Intn(22) {
	case 0, 1, 2:
		g.line("%s = %s", g.v(), g.number(2))
	case 3, 4:
		g.line("%s %s= %s", g.v(), g.pick("+", "-"), g.number(1))
	case 5:
		g.line("xs.append(%s)", g.number(1))
	case 6:
		g.line("xs += [%s]", g.number(1))
	case 7:
		g.line("d[%s %% 3] = %s", g.number(1), g.number(0))
	case 8:
		g.line("if %s: raise %s", g.cond(0), g.pick("ValueError(1)", "KeyError(secret)", "IndexError"))
	case 9:
		g.line("%s = 1 // %s", g.v(), g.number(1))
	case 10:
		g.line("%s = xs[%s]", g.v(), g.number(1))
	case 11:
		g.line("o.v = %s", g.number(1))
	case 12:
		g.line("print(%s)", g.number(1))
	case 13:
		g.line("%s = note(%s)", g.v(), g.number(1))
	case 14:
		g.line("assert %s", g.cond(0))
	case 15:
		g.line("%s = next(it, %s)", g.v(), g.number(0))
	case 16:
		g.line("%s = act(%s)", g.v(), g.number(0))
	case 17:
		g.line("xs = ys = [%s]", g.number(0))
	case 18:
		g.line("if %s: del d[%s]", g.number(0)+" in d", g.number(0))
	case 19:
		g.line("%s = bump()", g.v())
	case 20:
		g.line("xs.sort(key=lambda q: q * %s)", g.number(0))
	default:
		g.line("ys, %s = xs, %s", g.v(), g.number(1))
	}
}

const leakyHead = `
a, b, c = 0, 1, 2
xs = [1, 2]
ys = xs
d = {0: 1, 1: 5}
class O:
    v = 1
o = O()
class ctx:
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        return self.n
    def __exit__(self, t, v, tb):
        return self.n == 1
def pure(n):
    total = 0
    for i in range(n % 4):
        total += i
    return total
def early(n, m):
    if n > m:
        return 1
    for i in range(3):
        if i == n:
            return i + 5
    return 2
def impure(n):
    global b
    if n > 1:
        b = n
        xs.append(n)
    return n
def numbers():
    for i in range(20):
        if secret > 1:
            yield 1
        yield i
it = numbers()
def counter():
    count = 0
    def up():
        nonlocal count
        if secret > 2:
            count += 1
        count += 1
        return count
    return up
bump = counter()
`

func (g *leaky) program() string {
	g.b.WriteString(leakyHead)
	g.line("def act(p):")
	g.depth++
	g.line("global %s", g.pick("a", "b", "c, xs", "a, ys"))
	g.depth--
	g.fn = true
	g.block(3)
	g.fn = false
	for range 3 + g.r.Intn(5) {
		g.stmt(3)
	}
	return g.b.String()
}

// seen is what somebody sees of a run who may not see what depends on the secret.
type seen struct {
	done  bool
	vals  map[string]value.Data
	print []string
	calls []string
	table *label.Table
}

func (s *seen) secret(l label.ID) bool {
	got := s.table.Label(l)
	if got.Wide {
		return true
	}
	for _, src := range got.Sources {
		if src.Name == "secret" {
			return true
		}
	}
	return false
}

func observe(t *testing.T, p *Program, secret int64) (*seen, error) {
	t.Helper()
	table := label.NewTable()
	s := &seen{vals: map[string]value.Data{}, table: table}
	l := table.Of(label.Source{Kind: label.User, Name: "secret"}, label.Everyone())
	vm, err := New(p, Config{Labels: table, Limits: value.Limits{Steps: 400_000}, Inputs: []value.Field{{Name: "secret", Data: value.Data{Value: secret, Label: l}}}})
	if err != nil {
		t.Fatal(err)
	}
	o, err := vm.Run()
	for err == nil {
		c, ok := o.(*Call)
		if !ok {
			break
		}
		if !s.secret(c.Control) {
			s.calls = append(s.calls, show(s, c.Args[0].Data))
		}
		o, err = vm.Reply(value.Data{Value: int64(len(s.calls) % 3)})
		if len(s.calls) > 50 {
			break
		}
	}
	if err != nil {
		return s, err
	}
	_, s.done = o.(Done)
	for _, c := range vm.Output() {
		if !s.secret(c.Label) {
			s.print = append(s.print, c.Text)
		}
	}
	for _, name := range leakyNames {
		// Not VM.Value, which adds what control depends on in the end.
		if v, ok := vm.main.Names.Str(name); ok {
			if d, err := vm.t.ToData(v); err == nil {
				s.vals[name] = d
			}
		}
	}
	return s, nil
}

// show writes a value with what depends on the secret blackened.
func show(s *seen, d value.Data) string {
	if s.secret(d.Label) {
		return "?"
	}
	switch {
	case d.Items != nil:
		var parts []string
		for _, e := range d.Items {
			parts = append(parts, show(s, e))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case d.Fields != nil:
		var parts []string
		for _, f := range d.Fields {
			parts = append(parts, f.Name+":"+show(s, f.Data))
		}
		return "{" + strings.Join(parts, " ") + "}"
	}
	return fmt.Sprint(d.Value)
}

// agree says whether two values are the same where neither depends on the secret.
func agree(s1 *seen, a value.Data, s2 *seen, b value.Data) bool {
	if s1.secret(a.Label) || s2.secret(b.Label) {
		return true
	}
	if len(a.Items) != len(b.Items) || len(a.Fields) != len(b.Fields) || (a.Items == nil) != (b.Items == nil) {
		return false
	}
	for i := range a.Items {
		if !agree(s1, a.Items[i], s2, b.Items[i]) {
			return false
		}
	}
	for i := range a.Fields {
		if a.Fields[i].Name != b.Fields[i].Name || !agree(s1, a.Fields[i].Data, s2, b.Fields[i].Data) {
			return false
		}
	}
	return fmt.Sprint(a.Value) == fmt.Sprint(b.Value)
}

// leaks says by what somebody who may not see the secret can distinguish two runs of
// a program that differ in the secret alone. pairs counts the runs
// that were compared, open the values that could be seen.
func leaks(t *testing.T, src string, strict bool, pairs, open *int) string {
	m, errs := syntax.Parse([]byte(src), syntax.Options{})
	if len(errs) > 0 {
		return ""
	}
	p, err := Compile(m, src, Env{Tools: []string{"note"}, Inputs: []string{"secret"}}, Options{Strict: strict})
	if err != nil {
		return ""
	}
	var runs []*seen
	for secret := range int64(4) {
		if s, err := observe(t, p, secret); err == nil && s.done {
			runs = append(runs, s)
		}
	}
	for i, a := range runs {
		for _, b := range runs[:i] {
			*pairs++
			for _, name := range leakyNames {
				x, ok := a.vals[name]
				if ok && show(a, x) != "?" {
					*open++
				}
				if y, has := b.vals[name]; ok && has && !agree(a, x, b, y) {
					return fmt.Sprintf("%s is %s in one run and %s in another", name, show(a, x), show(b, y))
				}
			}
			if fmt.Sprint(a.print) != fmt.Sprint(b.print) {
				return fmt.Sprintf("the output is %q in one run and %q in another", a.print, b.print)
			}
			if fmt.Sprint(a.calls) != fmt.Sprint(b.calls) {
				return fmt.Sprintf("the calls are %q in one run and %q in another", a.calls, b.calls)
			}
		}
	}
	return ""
}

// shrink takes lines out of a program as long as it still leaks.
func shrink(t *testing.T, src string) string {
	n := 0
	for size := 16; size > 0; size /= 2 {
		for again := true; again; {
			again = false
			lines := strings.Split(src, "\n")
			for i := 0; i+size <= len(lines); i++ {
				less := strings.Join(append(lines[:i:i], lines[i+size:]...), "\n")
				if leaks(t, less, true, &n, &n) != "" {
					src, lines, again = less, strings.Split(less, "\n"), true
					i--
				}
			}
		}
	}
	return src
}

// TestStrictKeepsSecrets checks that two runs that differ in the secret look the same to
// somebody who may not see what depends on it, in what they print, call and leave behind.
func TestStrictKeepsSecrets(t *testing.T) {
	t.Parallel()
	count := 300
	if n, err := strconv.Atoi(os.Getenv("PRAXIS_PROGRAMS")); err == nil {
		count = n
	}
	pairs, open, plain, n := 0, 0, 0, 0
	for seed := range count {
		g := &leaky{r: rand.New(rand.NewSource(int64(seed)))}
		src := g.program()
		if leaks(t, src, true, &pairs, &open) == "" {
			if leaks(t, src, false, &n, &n) != "" {
				plain++
			}
			continue
		}
		src = shrink(t, src)
		t.Fatalf("seed %d: %s:\n%s", seed, leaks(t, src, true, &pairs, &open), src)
	}
	t.Logf("%d pairs of runs, %d values open; %d programs leak in the other mode", pairs, open, plain)
	// Sticky control leaves few values open; those that are must agree.
	if pairs < count || open < count/4 || plain < count/20 {
		t.Errorf("the programs prove too little: %d pairs of runs, %d values open, %d leak in the other mode", pairs, open, plain)
	}
}
